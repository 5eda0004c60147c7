//! Programs on either side, the card emulated, with times that are made up.

use super::opening::Opening;
use super::{Cards, Chosen, DeviceUse, Plans, ROWS_MIN, Rates, key};
use crate::backend::devices::Devices;
use crate::column::Table;
use crate::gpu::tests::{context, emulated, program, table, values_of, with_statistics};
use crate::plan::Machine;
use crate::run::{Body, run_with};
use crate::workers::pool::Pool;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::Program;
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TEXT: &str = "\
table %0 t(a#0 integer, b#1 integer)
loop
  i0 in %0
  %1 bucket_reduce
    if i0.a > LIMIT
    key b = i0.b
    n = count_rows()
result %1
output b, n
";

/// A program over a table of so many rows.
fn given(rows: usize, limit: i64) -> (Program, Arc<Table>) {
    let program = program(&TEXT.replace("LIMIT", &limit.to_string()));
    let rows: Vec<Vec<Value>> = (0..rows as i64).map(|row| vec![Value::Int(row), Value::Int(row % 3)]).collect();
    let table = table(&program.collections[0].fields, &rows, usize::MAX);
    (with_statistics(&program, std::slice::from_ref(&table)), table)
}

fn machine() -> Machine {
    Machine::host(1)
}

/// Cards that are open: an emulated one.
fn open() -> Cards {
    let opening = Opening::done(Devices::patient_and_hasty(emulated(1, 1 << 12)), Rates::default());
    Cards { opening, ..Cards::default() }
}

/// How a program runs where the setting is `auto`.
fn choose<'c>(cards: &'c Cards, (program, table): &(Program, Arc<Table>), plans: &'c Plans) -> Chosen<'c> {
    let tables = |_: TableHandle| Some(Arc::clone(table));
    cards.choose(DeviceUse::Auto, (program, plans), machine(), &tables).expect("there is a plan")
}

/// Runs a program, and says that it took so many milliseconds on the processors, or on the card; gives why it was there.
fn run(cards: &Cards, given: &(Program, Arc<Table>), (processors, card): (u64, u64)) -> String {
    let (plans, pool) = (Plans::default(), Pool::new(1).expect("threads start"));
    let chosen = choose(cards, given, &plans);
    let body = Body { pool: &pool, devices: chosen.devices, takes_notes: false };
    let lookup = |_: TableHandle| Arc::clone(&given.1);
    let output = run_with(chosen.plan, &lookup, &[], &context(), body).expect("it runs");
    let why = chosen.why().unwrap_or_default();
    let took = if chosen.devices.is_empty() { processors } else { card };
    let groups = values_of(output).expect("there are rows");
    assert_eq!(groups.len(), 3);
    chosen.learn(Some(Duration::from_millis(took)));
    why
}

/// Waits until nothing is compiled.
fn settle(cards: &Cards) {
    let began = Instant::now();
    let opened = cards.opening.now().and_then(|opened| opened.as_ref().ok()).expect("the card is open");
    while opened.hasty.are_preparing() {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_faster_side_runs_once_both_are_known() {
    for (times, expected) in [
        ((4, 1), "the card: the card took 1.00 ms, the processors took 4.00 ms"),
        ((1, 4), "the processors: the card took 4.00 ms, the processors took 1.00 ms"),
    ] {
        let (cards, given) = (open(), given(ROWS_MIN as usize, 7));
        let mut whys = Vec::new();
        for _ in 0..12 {
            whys.push(run(&cards, &given, times));
            settle(&cards);
        }
        // Another literal is no other program.
        let other = self::given(ROWS_MIN as usize, 8);
        assert_eq!(run(&cards, &other, times), expected, "{whys:#?}");
        assert!(whys[0].starts_with("the processors"), "{whys:#?}");
    }
}

#[test]
fn a_run_that_fails_teaches_nothing() {
    let (cards, given) = (open(), given(ROWS_MIN as usize, 7));
    let why = |cards: &Cards| choose(cards, &given, &Plans::default()).why();
    let before = why(&cards);
    for _ in 0..100 {
        // Who does not come to the end says nothing.
        let _ = why(&cards);
    }
    assert_eq!(why(&cards), before);
}

#[test]
fn several_may_ask_at_once() {
    let (cards, given) = (open(), given(ROWS_MIN as usize, 7));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (cards, given) = (&cards, &given);
            scope.spawn(move || {
                for at in 0..15 {
                    run(cards, given, (4 + (at + thread) % 3, 1 + (at * thread) % 2));
                }
            });
        }
    });
    settle(&cards);
    // What they have learned beside each other does not keep it from the better one for good.
    let settles = (0..100).any(|_| run(&cards, &given, (4, 1)).starts_with("the card: the card took"));
    assert!(settles, "{}", run(&cards, &given, (4, 1)));
}

#[test]
fn small_programs_are_the_processors_and_open_nothing() {
    let cards = Cards::default();
    let small = given(100, 7);
    for _ in 0..1000 {
        let plans = Plans::default();
        let chosen = choose(&cards, &small, &plans);
        assert!(chosen.devices.is_empty() && chosen.why().is_none());
    }
    assert!(cards.opening.now().is_none());
    let (cards, plans) = (open(), Plans::default());
    let why = choose(&cards, &small, &plans).why();
    assert_eq!(why.as_deref(), Some("the processors: its tables have few rows"));
}

#[test]
fn cards_are_opened_while_the_processors_run() {
    let cards = Cards::default();
    let large = given(ROWS_MIN as usize, 7);
    let began = Instant::now();
    while cards.opening.now().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "nobody opens them");
        let plans = Plans::default();
        let chosen = choose(&cards, &large, &plans);
        assert!(chosen.devices.is_empty() || cards.opening.now().is_some());
    }
}

#[test]
fn programs_are_known_by_what_they_do_and_about_how_much() {
    let key = |(program, _): (Program, Arc<Table>)| key(&program, machine());
    let known = key(given(1000, 7));
    assert_eq!(key(given(1000, -8)), known);
    assert_eq!(key(given(1010, 7)), known);
    assert_ne!(key(given(2000, 7)), known);
    let (_, table) = given(1000, 7);
    let other = program(&TEXT.replace("LIMIT", "7").replace("i0.a >", "i0.a <"));
    assert_ne!(key((with_statistics(&other, std::slice::from_ref(&table)), table)), known);
}
