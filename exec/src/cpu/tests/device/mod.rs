//! Devices: loops that one of them runs and what it keeps; what it declines, and what it hands back that is wrong.

mod inputs;

use super::{Outcome, Q1_SHAPE, comparable, context, on_cpu, table, ten_rows, values_of, with_statistics};
use crate::backend::devices::Devices;
use crate::backend::inputs::Inputs;
use crate::backend::{self, Backend, Given, Placement, Task};
use crate::collections::rows::RowSet;
use crate::column::Table;
use crate::plan::{Limits, Machine, Numbers};
use crate::row_device::{RowByRow, of_no_key};
use crate::run::{Body, run_with, stream_plan};
use crate::workers::pool::Pool;
use crate::{ErrorKind, Result};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{CollectionId, Program, parse::parse};
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Compares with what is expected, in order or sorted, where a device takes some of the loops.
pub(super) fn compare_shared(
    program: &Program,
    tables: &[Arc<Table>],
    parameters: &[Value],
    pool: &Pool,
    (seed, expected): (u64, &Outcome),
    text: &str,
) {
    let devices = Devices::row_by_row(seed);
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    let got = devices
        .plan(program, Machine::host(pool.threads()))
        .and_then(|plan| {
            run_with(&plan, &lookup, parameters, &context(), Body { pool, devices: &devices, takes_notes: false })
        })
        .and_then(values_of);
    match (expected, &got) {
        (Ok(expected), Ok(got)) => {
            let same = comparable(program, got.clone()) == *expected;
            assert!(same, "{text}\nsome loops by rows, seed {seed}: expected {expected:#?}\ngot {got:#?}");
        }
        (Err(expected), Err(got)) => assert_eq!(got.kind(), expected.kind(), "{text}"),
        _ => panic!("{text}\nsome loops by rows, seed {seed}: expected {expected:?}\ngot {got:?}"),
    }
}

#[test]
fn loops_run_where_they_are_placed() {
    let (program, tables) = ten_rows();
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let lookup = |_: TableHandle| Arc::clone(&tables[0]);
    let expected = on_cpu(&program, &tables, &[], &pool).expect("it runs");
    let (mut all, mut partial, mut declined) = (Vec::new(), Vec::new(), 0);
    for seed in 0..24 {
        let device = RowByRow::new(seed);
        let devices = Devices::new([Arc::clone(&device) as Arc<dyn Backend>]);
        let plan = devices.plan(&program, Machine::host(2)).expect("it can be planned");
        let output =
            run_with(&plan, &lookup, &[], &context(), Body { pool: &pool, devices: &devices, takes_notes: true });
        let output = output.expect("it runs");
        let text = output.analysed(&plan, &Numbers::of(&program));
        let count = |of: &std::sync::atomic::AtomicUsize| of.load(Ordering::Relaxed);
        assert_eq!(text.matches("became a loop of rows").count(), count(&device.ran), "{text}");
        assert_eq!(text.matches("became a loop of the host: rows declined").count(), count(&device.declined), "{text}");
        assert_eq!(text.matches("loop on rows").count(), count(&device.ran) + count(&device.declined), "{text}");
        assert_eq!(values_of(output).expect("it runs"), expected);
        all.push(count(&device.ran));
        partial.push(count(&device.partial));
        declined += count(&device.declined);
    }
    assert!((0..=2).all(|count| all.contains(&count)), "none, some, all: {all:?}");
    assert!((0..=1).all(|count| partial.contains(&count)), "none, some: {partial:?}");
    assert!(declined > 0, "some are declined");
}

#[test]
fn a_device_reads_what_it_keeps_where_it_is() {
    let (program, tables) = ten_rows();
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let device = RowByRow::new(0);
    let devices = Devices::new([Arc::clone(&device) as Arc<dyn Backend>]);
    let plan = devices.plan(&program, Machine::host(2)).expect("it can be planned");
    let lookup = |_: TableHandle| Arc::clone(&tables[0]);
    run_with(&plan, &lookup, &[], &context(), Body { pool: &pool, devices: &devices, takes_notes: false })
        .expect("it runs");
    assert!(device.kept.load(Ordering::Relaxed) > 0);
    assert!(device.read.load(Ordering::Relaxed) > 0);
}

#[test]
fn the_last_loop_streams_where_it_is_the_hosts() {
    let text = "table %0 t(a#0 integer)\nloop\n  i0 in %0\n  %1 bucket_reduce\n    key a = i0.a\n    n = count_rows()\n\
                loop\n  i1 in %0\n  %2 collect\n    n = %1[i1.a].n\nresult %2\noutput n\n";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let rows: Vec<Vec<Value>> = (0..40).map(|row| vec![Value::Int(row % 7)]).collect();
    let tables = [table(&program.collections[0].fields, &rows, 2)];
    let program = with_statistics(&program, &tables);
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let expected = on_cpu(&program, &tables, &[], &pool).expect("it runs");
    for (takes, streams) in [(1, true), (2, false)] {
        let devices = Devices::new([Arc::new(Only(takes, RowByRow::new(0))) as Arc<dyn Backend>]);
        let machine = Machine { limits: Limits { first_pieces: 1, ..Limits::default() }, workers: 2 };
        let plan = Arc::new(devices.plan(&program, machine).expect("it can be planned"));
        assert_eq!(plan.streams.of, streams, "{plan}");
        let lookup = |_: TableHandle| Arc::clone(&tables[0]);
        let output = stream_plan(&plan, &lookup, &[], &context(), (&pool, &devices)).expect("it runs");
        assert_eq!(values_of(output).expect("it runs"), expected);
    }
}

/// Takes the loop that defines this collection, and runs it as another backend does.
struct Only(u32, Arc<RowByRow>);

impl Backend for Only {
    fn name(&self) -> &str {
        "only"
    }

    fn place(&self, task: &Task<'_>) -> Placement {
        if task.defines[0].0 == self.0 { self.1.place(task) } else { Placement::Declines("it is another one".into()) }
    }

    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<backend::Outcome> {
        self.1.run(task, inputs)
    }
}

/// Hands back rows, or no parts, or groups of another reduction, whatever it is asked for.
struct Wrong(u8);

impl Backend for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }

    fn place(&self, _: &Task<'_>) -> Placement {
        Placement::Takes("whatever it is".into())
    }

    fn run(&self, task: &Task<'_>, _: &dyn Inputs) -> Result<backend::Outcome> {
        let given = |_: &CollectionId| match self.0 {
            0 => Given::Rows(RowSet::new(Vec::new())),
            1 => Given::Partial(Vec::new()),
            _ => Given::Partial(vec![of_no_key()]),
        };
        Ok(backend::Outcome::Given(task.defines.iter().map(given).collect()))
    }
}

#[test]
fn what_a_device_hands_back_is_checked() {
    let groups = "table %0 t(a#0 integer?)\nloop\n  i0 in %0\n  %1 bucket_reduce\n    key a? = i0.a\n    n = count(i0.a)\n\
                  result %1\noutput n\n";
    let single = "table %0 t(a#0 integer?)\nloop\n  i0 in %0\n  %1 reduce\n    n = count(i0.a)\n    m? = max(i0.a)\n\
                  result %1\noutput n, m\n";
    for text in [Q1_SHAPE, groups, single] {
        let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let tables = [table(&program.collections[0].fields, &[], 0)];
        let pool = Pool::new(1).expect("threads start");
        let lookup = |_: TableHandle| Arc::clone(&tables[0]);
        for wrong in (0..3).map(Wrong) {
            let devices = Devices::new([Arc::new(wrong) as Arc<dyn Backend>]);
            let plan = devices.plan(&program, Machine::host(1)).expect("it can be planned");
            let error =
                run_with(&plan, &lookup, &[], &context(), Body { pool: &pool, devices: &devices, takes_notes: false });
            assert_eq!(error.expect_err("it is of another shape").kind(), ErrorKind::Internal, "{text}");
        }
    }
}
