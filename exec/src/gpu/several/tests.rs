//! Several emulated cards beside the processors: parts of tables and what is made of them.

use super::Several;
use crate::ErrorKind;
use crate::column::Table;
use crate::gpu::backend::Gpu;
use crate::gpu::driver::emulated::Emulated;
use crate::gpu::driver::{Argument, Driver, Limits, Module, Shape};
use crate::gpu::stop::Done;
use crate::gpu::tests::{
    all_cards, compare, context, cut, emulated, on_device, on_host, program, table, with_statistics,
};
use crate::run::{Body, run_with};
use crate::workers::context::Cancellation;
use crate::workers::pool::Pool;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::Program;
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const T: &str = "table %0 t(a#0 integer, b#1 bigint?, s#2 text?, o#3 boolean?)\n";

/// So many cards, which split tables of a few rows.
fn cards(count: usize) -> Arc<Several> {
    let cards = all_cards(Some(8)).filter(|cards| cards.len() == count);
    let cards = cards.unwrap_or_else(|| (0..count).map(|_| emulated(2, 8)).collect());
    Arc::new(Several::new(cards).that_split_from(4))
}

/// Rows of [`T`]: groups that all parts have, and such as one has; NULLs at the end alone, if that is said.
fn rows(count: i64, late_nulls: bool) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let has = |every: i64| row % every != 0 && (!late_nulls || row < count * 2 / 3) || (late_nulls && row % 2 == 0);
        let b = if has(5) { Value::Int((row * 7919) % 1000 - 300) } else { Value::Null };
        let s = if has(7) { Value::text(["a", "bb", "", "ü", "z"][(row * row % 5) as usize]) } else { Value::Null };
        let o = if has(3) { Value::Boolean(row % 4 == 1) } else { Value::Null };
        vec![Value::Int(row % 11 + row / 40), b, s, o]
    };
    (0..count).map(row).collect()
}

/// The same rows, each chunk as if it had been loaded alone: with a dictionary of its own.
fn loaded_apart(program: &Program, rows: &[Vec<Value>], chunk: usize) -> Arc<Table> {
    let fields = &program.collections[0].fields;
    let mut whole = (*table(fields, rows, usize::MAX)).clone();
    whole.chunks = rows.chunks(chunk).flat_map(|rows| table(fields, rows, usize::MAX).chunks.clone()).collect();
    Arc::new(whole)
}

/// Every kind of a cell, read by key and as rows by loops that are split and by such as are not.
const ALL: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key a = i0.a
    n = count_rows()
    c = count(i0.b)
    t? = sum(i0.b)::decimal(38,0)
    u = sum(i0.a)::bigint
    least? = min(i0.b)
    most? = max(i0.a if i0.o)
    any? = any(i0.o)
    all? = all(i0.o)
    one = first(i0.a)
  %2 bucket_reduce
    if i0.b > 100::bigint
    key a = i0.a
loop
  i1 in %0
  %3 bucket_reduce
    if exists %2[i1.a]
    key n = %1[i1.a].n
    c? = max(%1[i1.a].c)
    t? = max(%1[i1.a].most)
    l? = min(%1[i1.a].least)
    u? = max(%1[i1.a].one)
    k = count_rows()
loop
  i2 in %1
  %4 collect
    if i2.n > 1::bigint
    a = i2.a
    n = i2.n
    c = i2.c
    t? = i2.t
    u = i2.u
    least? = i2.least
    most? = i2.most
    any? = i2.any
    all? = i2.all
    one = i2.one
    k? = %3[i2.n].k
result %4
output a, n, c, t, u, least, most, any, all, one, k
";

/// Rows that are collected in parts, and read in parts, whole, and by key.
const ROWS: &str = "\
loop
  i0 in %0
  %1 collect
    if i0.a > 2
    a = i0.a
    b? = i0.b
    s? = i0.s
    o? = i0.o
loop
  i1 in %1
  %2 bucket_reduce
    key s? = i1.s
    n = count_rows()
    f? = first(i1.s)
    m? = max(i1.b)
  %3 collect
    if i1.b > 0::bigint
    a = i1.a
    s? = i1.s
loop
  i2 in %1
  %4 bucket_collect
    key a = i2.a
    b? = i2.b
    s? = i2.s
loop
  i3 in %0
  i4 in %4[i3.a]
  %5 reduce
    n = count_rows()
    t? = sum(i4.b)::decimal(38,0)
    k? = max(%2[i3.s].n)
loop
  i5 in %3
  %6 collect
    a = i5.a
    s? = i5.s
    n? = %2[i5.s].n
    m? = %2[i5.s].m
RESULT
";

fn texts() -> [String; 4] {
    let result = |of: &str| format!("{T}{}", ROWS.replace("RESULT", of));
    [
        format!("{T}{ALL}"),
        result("result %6\noutput a, s, n, m"),
        result("result %5\noutput n, t, k"),
        result("result %1\noutput a, b, s, o"),
    ]
}

#[test]
fn parts_of_all_shapes() {
    let pool = Pool::new(2).expect("threads start");
    let mut notes = Vec::new();
    for text in texts() {
        let program = program(&text);
        for count in [1, 2, 3] {
            for (rows, late_nulls) in [(0, false), (1, false), (5, true), (200, true), (200, false)] {
                // What was declined of nothing would not be tried again.
                let (cards, rows) = (cards(count), self::rows(rows, late_nulls));
                let whole = table(&program.collections[0].fields, &rows, usize::MAX);
                // Even ones, one that has nearly all, fewer than cards, rows in the first alone, some without rows.
                let lengths = [vec![30; 6], vec![1, 150], vec![100], vec![0, 0, 3, 0, 90, 0]];
                let tables = lengths.iter().map(|lengths| cut(&whole, lengths.iter().copied()));
                for table in tables.chain([Arc::clone(&whole), loaded_apart(&program, &rows, 60)]) {
                    let tables = [table];
                    let program = with_statistics(&program, &tables);
                    notes.extend(compare(&program, &tables, &[], (&cards, &pool), &text));
                }
            }
        }
    }
    for how in [
        "%1: in 2 parts",
        "%1: in 3 parts",
        "%2, %3: in 3 parts",
        "%4: on 3 cards",
        "%4: on one card",
        "%3: in 2 parts",
    ] {
        assert!(notes.iter().any(|note| note.starts_with(how)), "{how} in {notes:#?}");
    }
    // Of keys of which nothing is known.
    notes.retain(|note| !note.ends_with(": ran") && !note.ends_with("rows of hashed groups"));
    assert!(notes.is_empty(), "{notes:#?}");
}

#[test]
fn rows_keep_their_order() {
    let (text, pool) = (&texts()[3], Pool::new(1).expect("threads start"));
    let program = program(text);
    let whole = table(&program.collections[0].fields, &rows(200, true), usize::MAX);
    for lengths in [vec![30; 6], vec![1, 150], vec![10, 20, 100]] {
        let tables = [cut(&whole, lengths)];
        let program = with_statistics(&program, &tables);
        let expected = on_host(&program, &tables, &[], &pool).expect("it runs");
        for count in [2, 3] {
            let got = on_device(&program, &tables, &[], (&cards(count), &pool)).expect("it runs");
            assert_eq!(format!("{got:?}"), format!("{expected:?}"));
        }
    }
}

#[test]
fn keys_of_other_strings_on_each_card() {
    let text = format!(
        "{T}loop\n  i0 in %0\n  %1 bucket_reduce\n    key s? = i0.s\n    n = count_rows()\nresult %1\noutput s, n\n"
    );
    let (program, pool, cards) = (program(&text), Pool::new(1).expect("threads start"), cards(2));
    let text_of = |row: i64| Value::text(["a", "b", "c", "d"][(row / 50) as usize]);
    let rows: Vec<Vec<Value>> =
        (0..200).map(|row| vec![Value::Int(1), Value::Null, text_of(row), Value::Null]).collect();
    let tables = [loaded_apart(&program, &rows, 50)];
    let program = with_statistics(&program, &tables);
    assert_eq!(compare(&program, &tables, &[], (&cards, &pool), &text), ["%1: in 2 parts: ran"]);
}

/// What cannot be put together: the second time it is not tried.
#[test]
fn parts_that_are_not_alike() {
    let text = format!(
        "{T}loop\n  i0 in %0\n  %1 bucket_reduce\n    key a = i0.a\n    n = count_rows()\nresult %1\noutput a, n\n"
    );
    let (program, pool) = (program(&text), Pool::new(1).expect("threads start"));
    let cards = Several::new(vec![emulated(1, 8), emulated(1, 8).that_keeps_nothing()]).that_split_from(4);
    let cards = Arc::new(cards);
    let tables = [cut(&table(&program.collections[0].fields, &rows(200, false), usize::MAX), [30; 6])];
    let program = with_statistics(&program, &tables);
    for _ in 0..2 {
        assert_eq!(compare(&program, &tables, &[], (&cards, &pool), &text), ["%1: on one card: ran"]);
        assert_eq!(cards.apart.lock().expect("nobody panics").len(), 1);
    }
}

/// Rows of a test of strings: of each of its strings some, and none.
const STRINGS: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key s? = i0.s
    key a = i0.a
    n = count_rows()
    one? = first(i0.s)
    most? = max(i0.b)
  %2 bucket_reduce
    if i0.b > 0::bigint
    key s? = i0.s
loop
  i1 in %0
  %3 bucket_reduce
    if exists %2[i1.s]
    key s? = i1.s
    n? = max(%1[i1.s, i1.a].n)
loop
  i2 in %1
  %4 collect
    s? = i2.s
    a = i2.a
    n = i2.n
    one? = i2.one
    most? = i2.most
    k? = %3[i2.s].n
result %4
output s, a, n, one, most, k
";

#[test]
fn strings_that_few_parts_have() {
    let (text, pool) = (format!("{T}{STRINGS}"), Pool::new(1).expect("threads start"));
    let program = program(&text);
    for (count, chunk, each) in [(2, 50, 50), (3, 20, 7), (3, 66, 70), (2, 30, 1000)] {
        let string = |row: i64| match row % 9 {
            0 => Value::Null,
            _ => Value::text(format!("{}", row / each * 7919 % 13)),
        };
        let row = |row: i64| vec![Value::Int(row % 3), Value::Int(row % 7 - 3), string(row), Value::Null];
        let rows: Vec<Vec<Value>> = (0..200).map(row).collect();
        let tables = [loaded_apart(&program, &rows, chunk)];
        let program = with_statistics(&program, &tables);
        let notes = compare(&program, &tables, &[], (&cards(count), &pool), &text);
        assert!(notes[0].contains("parts: ran"), "{notes:?}");
    }
}

#[test]
fn columns_are_on_one_card_each() {
    let text = format!("{T}loop\n  i0 in %0\n  %1 reduce\n    t? = sum(i0.b)::decimal(38,0)\nresult %1\noutput t\n");
    let (program, pool, cards) = (program(&text), Pool::new(1).expect("threads start"), cards(2));
    let tables = [cut(&table(&program.collections[0].fields, &rows(300, false), usize::MAX), [50; 5])];
    let program = with_statistics(&program, &tables);
    let uploaded = || -> Vec<u64> { cards.devices.iter().map(|device| device.resident.uploaded()).collect() };
    assert_eq!(compare(&program, &tables, &[], (&cards, &pool), &text), ["%1: in 2 parts: ran"]);
    let once = uploaded();
    assert!(once.iter().all(|&bytes| bytes > 0) && once[0].abs_diff(once[1]) < 64, "{once:?}");
    compare(&program, &tables, &[], (&cards, &pool), &text);
    assert_eq!(uploaded(), once);
    use crate::backend::Backend as _;
    assert_eq!((cards.missing(&tables[0], &[1]), cards.besides().uploaded), (0, once.iter().sum()));
    assert!(cards.missing(&tables[0], &[0, 1]) > 0);
}

#[test]
fn a_card_that_is_full() {
    let pool = Pool::new(1).expect("threads start");
    for text in texts() {
        let program = program(&text);
        let tables = [cut(&table(&program.collections[0].fields, &rows(300, false), usize::MAX), [50; 5])];
        let program = with_statistics(&program, &tables);
        let mut ran = [0, 0];
        for memory in [0, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 20] {
            for full in [0, 1] {
                let card = |number: usize| {
                    let memory = if number == full { memory } else { 1 << 30 };
                    Gpu::with_pieces(Arc::new(Emulated::new(1, memory)), 16)
                };
                let cards = Arc::new(Several::new((0..2).map(card).collect()).that_split_from(4));
                for note in compare(&program, &tables, &[], (&cards, &pool), &text) {
                    ran[usize::from(note.ends_with(": ran"))] += 1;
                }
            }
        }
        assert!(ran.iter().all(|&some| some > 0), "{ran:?} of {text}");
    }
}

/// An emulated device that cancels a statement when it has started so many kernels.
#[derive(Debug)]
struct Cancels {
    device: Emulated,
    cancellation: Cancellation,
    left: AtomicUsize,
}

impl Driver for Cancels {
    fn name(&self) -> String {
        "cancels".to_owned()
    }

    fn limits(&self) -> Limits {
        self.device.limits()
    }

    fn compile(&self, kernels: &str) -> Done<Arc<dyn Module>> {
        self.device.compile(kernels)
    }

    fn alloc(&self, bytes: usize) -> Done<u64> {
        self.device.alloc(bytes)
    }

    fn free(&self, address: u64, bytes: usize) {
        self.device.free(address, bytes);
    }

    fn zero(&self, address: u64, bytes: usize) -> Done<()> {
        self.device.zero(address, bytes)
    }

    fn upload(&self, address: u64, from: &[u8]) -> Done<()> {
        self.device.upload(address, from)
    }

    fn download(&self, address: u64, to: &mut [u8]) -> Done<()> {
        self.device.download(address, to)
    }

    fn launch(&self, module: &dyn Module, kernel: &str, shape: Shape, arguments: &[Argument]) -> Done<()> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.cancellation.cancel();
        }
        self.device.launch(module, kernel, shape, arguments)
    }
}

#[test]
fn who_cancels_is_heard_on_all_cards() {
    let pool = Pool::new(1).expect("threads start");
    let text = &texts()[1];
    let program = program(text);
    let tables = [cut(&table(&program.collections[0].fields, &rows(300, false), usize::MAX), [50; 5])];
    let program = with_statistics(&program, &tables);
    let mut cancelled = 0;
    for left in 1..12 {
        let context = context();
        let cancels = Cancels {
            device: Emulated::new(1, 1 << 30),
            cancellation: context.cancellation.clone(),
            left: AtomicUsize::new(left),
        };
        let cards = vec![emulated(1, 16), Gpu::with_pieces(Arc::new(cancels), 16)];
        let cards: Arc<Several> = Arc::new(Several::new(cards).that_split_from(4));
        let devices = crate::gpu::tests::devices_of(&cards);
        let plan = devices.plan(&program, crate::plan::Machine::host(1)).expect("there is a plan");
        let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
        let body = Body { pool: &pool, devices: &devices, takes_notes: true };
        match run_with(&plan, &lookup, &[], &context, body) {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Cancelled);
                cancelled += 1;
            }
        }
    }
    assert!(cancelled > 2, "{cancelled}");
}
