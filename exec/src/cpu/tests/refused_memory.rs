//! Memory that refuses the n-th request, for every n: a statement says that memory is out and nothing else, no thread panics,
//! and what was reserved is given back. Loops of every kind, groups of each kind, joins, sorts, tables that grow.

use super::{Random, random_rows, sorted, table, values_of, with_statistics};
use crate::Result;
use crate::backend::devices::Devices;
use crate::column::Table;
use crate::column::build::{Storage, TableBuilder};
use crate::plan::{Machine, explain, plan};
use crate::run::run_plan;
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{Program, Shape, parse::parse};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::fmt::Debug;
use std::sync::Arc;

/// Requests of one statement, at most; a statement of so many is not of a test's size.
const REQUESTS_MAX: usize = 5_000;

/// Runs something with one request refused after the other, until it makes no more; gives how many it makes. What can do
/// without the memory that was refused gives what it always gives.
fn refuse_each<T: PartialEq + Debug>(what: &str, run: impl Fn(&Context) -> Result<T>) -> usize {
    let expected = run(&Context::new(Memory::new(usize::MAX))).unwrap_or_else(|error| panic!("{what}: {error}"));
    for number in 1..REQUESTS_MAX {
        let memory = Memory::refusing(number);
        match run(&Context::new(Arc::clone(&memory))) {
            Ok(found) => assert_eq!(found, expected, "{what}: request {number} is refused"),
            Err(error) => assert_eq!(error.sqlstate(), "53200", "{what}: request {number} is refused: {error}"),
        }
        assert_eq!(memory.used(), 0, "{what}: request {number} is refused, and something is kept");
        if !memory.has_refused() {
            return number - 1;
        }
    }
    panic!("{what}: more than {REQUESTS_MAX} requests");
}

fn check(text: &str, rows: &[&[Vec<Value>]], form: usize, seen: &str) {
    let (program, tables) = check_on_the_host(text, rows, form, seen);
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    // A device that has no room declines; the processors, which run the loop then, may have rows in another order.
    let (devices, pool) = (Devices::row_by_row(0), Pool::new(2).expect("threads start"));
    let plan = devices.plan(&program, Machine::host(2)).expect("it can be planned");
    let requests =
        refuse_each(text, |context| values_of(run_plan(&plan, &lookup, &[], context, (&pool, &devices))?).map(sorted));
    assert!(requests > 0, "a device needs memory: {text}");
}

fn check_on_the_host(text: &str, rows: &[&[Vec<Value>]], form: usize, seen: &str) -> (Program, Vec<Arc<Table>>) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let of_tables = program.collections.iter().filter(|each| matches!(each.shape, Shape::Table { .. }));
    let tables: Vec<Arc<Table>> = of_tables.zip(rows).map(|(each, rows)| table(&each.fields, rows, form)).collect();
    let program = with_statistics(&program, &tables);
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    let explained = explain(&program, &lookup, Machine::host(2)).expect("it compiles").to_string();
    assert!(explained.contains(seen), "{text}\n{explained}");
    for threads in [1, 3] {
        let pool = Pool::new(threads).expect("threads start");
        let plan = plan(&program, Machine::host(threads)).expect("it can be planned");
        let requests = refuse_each(text, |context| {
            values_of(run_plan(&plan, &lookup, &[], context, (&pool, &Devices::default()))?)
        });
        assert!(requests > 0, "it needs memory: {text}");
    }
    (program, tables)
}

const TABLE: &str = "table %0 t(a#0 integer?, b#1 bigint?, c#2 text?, d#3 double precision?, e#4 decimal(15,2)?)\n";

const OTHER: &str = "table %1 u(a#0 integer?, b#1 bigint?, c#2 text?, d#3 double precision?, e#4 decimal(15,2)?)\n";

const AGGREGATES: &str = "    n = count_rows()\n    s? = sum(i0.b)::decimal(38,0)\n    f? = min(i0.d)\n    w? = max(i0.c)\n    \
                          q = count(distinct i0.c)\n";

fn random(rows: usize, distinct: u64) -> Vec<Vec<Value>> {
    let of = |name, data_type| Field::new(name, data_type, true);
    let fields = [
        of("a", DataType::Integer),
        of("b", DataType::BigInt),
        of("c", DataType::Text),
        of("d", DataType::Double),
        of("e", DataType::decimal(15, 2)),
    ];
    random_rows(&fields, rows, distinct, &mut Random(0x2545_f491_4f6c_dd1d))
}

/// Keys in the first column by a function of the row, all else by its number.
fn keyed(rows: i64, key: impl Fn(i64) -> i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let text = Value::text(format!("text {}", row % 7));
        vec![Value::Int(key(row)), Value::Int(row), text, Value::Float(row as f64), Value::Decimal(row.into())]
    };
    (0..rows).map(row).collect()
}

#[test]
fn rows_joins_and_sorts() {
    let (left, right) = (random(60, 12), random(40, 12));
    let tables = format!("{TABLE}{OTHER}");
    let buckets =
        "loop\n  i0 in %0\n  %2 bucket_collect\n    key a? = i0.a\n    key c? = i0.c\n    b? = i0.b\n    d? = i0.d\n";
    let collect = "  %3 collect\n    b? = i2.b\n    c? = i1.c\n    d? = i2.d\n";
    let shown = "result %3\noutput b, c, d\n";
    let joined =
        |source: &str| format!("{tables}{buckets}loop\n  i1 in %1\n  i2 in %2[i1.a, i1.c]{source}\n{collect}{shown}");
    for source in ["", " or null", " and rest"] {
        check(&joined(source), &[&left, &right], 2, "bucket");
    }
    let sorted = "%4 sort %3 by b desc, c\nresult %4\noutput b, c, d\n";
    check(&joined("").replace(shown, sorted), &[&left, &right], 2, "sort of");
    let top = "  %3 top_k limit 5::bigint offset 1::bigint\n    by i1.d desc\n    by i2.c\n    b? = i1.b\n    c? = i2.c\n    d? = i2.d\n";
    let nest = format!("{tables}loop\n  i1 in %0\n  i2 in %1\n{top}{shown}");
    check(&nest, &[&left, &right], 2, "top");
    // Any rows will do, and a device may have others.
    let any = nest.replace("    by i1.d desc\n    by i2.c\n", "");
    check_on_the_host(&any, &[&left, &right], 2, "top");
    let exists = "loop\n  i0 in %0\n  %2 bucket_reduce\n    key a? = i0.a\nloop\n  i1 in %1\n  %3 collect\n    if exists %2[i1.a]\n    \
                  b? = i1.b\n    c? = i1.c\n    d? = i1.d\n";
    check(&format!("{tables}{exists}{shown}"), &[&left, &right], 2, "bucket_reduce");
}

#[test]
fn groups() {
    let by = |key: &str| {
        format!(
            "{TABLE}loop\n  i0 in %0\n  %1 bucket_reduce\n    key k? = {key}\n{AGGREGATES}result %1\noutput k, n, s, f, w\n"
        )
    };
    let one = format!("{TABLE}loop\n  i0 in %0\n  %1 reduce\n{AGGREGATES}result %1\noutput n, s, f, w, q\n");
    check(&one, &[&random(100, 30)], 2, "one group a worker");
    check(&by("i0.a"), &[&random(100, 30)], 2, "Few");
    check(&by("i0.c"), &[&random(100, 30)], 1, "Hash");
}

#[test]
fn groups_that_are_looked_up_and_filtered() {
    let looked = format!(
        "{TABLE}loop\n  i0 in %0\n  %1 bucket_reduce\n    key a? = i0.a\n    n = count_rows()\n    s? = sum(i0.d)\nloop\n  i1 in %0\n  \
         %2 collect\n    if %1[is i1.a].n > 1::bigint\n    b? = i1.b\n    s? = %1[is i1.a].s\nresult %2\noutput b, s\n"
    );
    check(&looked, &[&keyed(400, |row| row * 7919 % 301 * 1_000_003 % 2_000_000_011)], 2, "bucket_reduce");
    let filtered = format!(
        "{TABLE}loop\n  i0 in %0\n  %1 bucket_reduce\n    key a? = i0.a\n    n = count_rows()\nloop\n  i1 in %1\n  %2 collect\n    \
         if i1.n > 2::bigint\n    a? = i1.a\nresult %2\noutput a\n"
    );
    check(&filtered, &[&keyed(400, |row| row / 3 * 10_007)], 2, "bucket_reduce");
    let nested = format!(
        "{TABLE}loop\n  i0 in %0\n  i1 in count(3::bigint)\n  %1 bucket_collect\n    key a? = i0.a\n    b? = i0.b\n    c? = i0.c\nloop\n  i2 in \
         %1\n  %2 collect\n    a? = i2.a\n%3 concat %2, %2 as a?\nresult %3\noutput a\n"
    );
    check(&nested, &[&random(80, 20)], 2, "bucket_collect");
}

#[test]
fn tables_that_grow() {
    let fields = [
        Field::new("a", DataType::Integer, true),
        Field::new("c", DataType::Text, true),
        Field::new("d", DataType::Double, true),
    ];
    let rows = random_rows(&fields, 300, 200, &mut Random(7));
    let built = |rows: &[Vec<Value>], storage: Storage, context: &Context| {
        let mut builder = TableBuilder::new(fields.to_vec(), storage, context);
        rows.chunks(64).try_for_each(|rows| builder.push_values(rows))?;
        builder.finish()
    };
    for storage in [Storage::Compact, Storage::Keep] {
        assert!(refuse_each("a table", |context| Ok(built(&rows, storage, context)?.values())) > 0);
    }
    let grown = |context: &Context| {
        let table = built(&rows[..200], Storage::Compact, context)?;
        rows[200..]
            .chunks(17)
            .try_fold(table, |table, rows| table.append(&built(rows, Storage::Compact, context)?, context))
    };
    assert!(refuse_each("a table that grows", |context| Ok(grown(context)?.values())) > 0);
}
