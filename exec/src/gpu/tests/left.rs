//! Left joins: levels that stand on no row where no partner is found.

use super::{Random, check, compare, context, devices, emulated, on_host, program, sorted, table, with_statistics};
use crate::column::Table;
use crate::gpu::backend::Gpu;
use crate::interpret;
use crate::workers::pool::Pool;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::Program;
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLES: &str = "\
table %0 t(a#0 integer, b#1 bigint?, d#2 decimal(15,2), s#3 text?)
table %1 u(k#0 integer?, v#1 bigint?, w#2 text?, x#3 integer, o#4 boolean?, e#5 decimal(15,2))
";

/// Buckets with several rows, and with one.
const BUCKETS: &str = "\
loop
  i0 in %1
  %2 bucket_collect
    key k? = i0.k
    v? = i0.v
    w? = i0.w
    x = i0.x
    o? = i0.o
    e = i0.e
  %3 bucket_reduce
    key k? = i0.k
    n = count_rows()
    v? = max(i0.v)
    x? = max(i0.x)
loop
  i1 in %3
  %4 bucket_collect
    key k? = i1.k
    n = i1.n
    v? = i1.v
    x? = i1.x
";

/// What is behind the buckets: the loop's nest and what it makes.
const LOOPS: [&str; 13] = [
    // Groups of a column without a partner's value, and aggregates of others.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
  %5 bucket_reduce
    key w? = i3.w
    n = count_rows()
    c = count(i3.v)
    s? = sum(i3.v)::decimal(38,0)
    e? = sum(i3.e)
    least? = min(i3.x)
    none = count_rows(if is_null(i3.x))
    any? = any(i3.o)
    f? = first(i3.w)
result %5
output w, n, c, s, e, least, none, any, f
",
    // What must hold for a row to count reads both sides, one of them, or neither; what tuples are asked comes behind it.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
    if i2.b < i3.v
    if i2.d > 0.00
    if i3.o
  %5 bucket_reduce
    if i2.d > -7.00
    if is_null(i3.x) OR i3.x > i2.a
    key s? = i2.s
    key x? = i3.x
    n = count_rows()
    w? = max(i3.e)
result %5
output s, x, n, w
",
    // Rows, in order, of which some have no partner.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
  %5 collect
    a? = i2.a
    s? = i2.s
    v? = i3.v
    w? = i3.w
    o? = i3.o
    e? = i3.e
result %5
output a, s, v, w, o, e
",
    // One partner at most: rows are marked while they are counted.
    "loop
  i2 in %0
  i3 in %4[i2.a] or null
    if i3.n > 1::bigint
  %5 collect
    if i2.b > -2::bigint
    if is_null(i3.v) OR i3.v < 9::bigint
    a? = i2.a
    n? = i3.n
    v? = coalesce(i3.v, i2.b)
result %5
output a, n, v
",
    // One behind the other, the second one by what the first has found, NULL among it.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
    if i3.x <> 1
  i4 in %4[is i3.x] or null
  %5 bucket_reduce
    key n? = i4.n
    c = count_rows()
    s? = sum(i3.v)::decimal(38,0)
    m? = max(i4.v)
result %5
output n, c, s, m
",
    // Behind an inner join, and in front of one.
    "loop
  i2 in %0
  i3 in %2[i2.a]
  i4 in %2[i3.x] or null
    if i4.v > 0::bigint
  i5 in %4[coalesce(i4.x, i2.a)]
  %5 reduce
    if i2.a < 6
    n = count_rows()
    c = count(i4.w)
    s? = sum(i5.n)::bigint
    x? = min(i4.v)
result %5
output n, c, s, x
",
    // What is made of tuples is read by loops that follow: buckets, and groups that are looked up.
    "loop
  i2 in %0
  i3 in %4[i2.a] or null
  %5 bucket_collect
    key n? = i3.n
    a? = i2.a
    x? = i3.x
  %6 bucket_reduce
    key x? = i3.x
    n = count_rows()
loop
  i4 in %0
  i5 in %5[i4.b] or null
  %7 bucket_reduce
    key a? = i5.a
    c = count_rows()
    s? = sum(%6[is i5.x].n)::bigint
result %7
output a, c, s
",
    // The first ones in an order of what may be missing.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
    if i3.x > i2.a
  %5 top_k limit 9::bigint offset 2::bigint
    by i3.v nulls first
    by i2.d desc
    v? = i3.v
    d? = i2.d
result %5
output v, d
",
    // Nothing of the partners is read: one will do, or none.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
  i4 in %2[i2.a]
  %5 bucket_reduce
    key s? = i2.s
    least? = min(i2.a)
result %5
output s, least
",
    // Keys that lie far apart, and what fails.
    "loop
  i0 in %1
  %5 bucket_collect
    key k? = cast(i0.x as bigint) * 1000000007::bigint
    x = i0.x
loop
  i2 in %0
  i3 in %5[cast(i2.a as bigint) * 1000000007::bigint] or null
  %6 bucket_reduce
    key x? = i3.x
    n = count_rows()
    s? = sum(i2.b)::decimal(38,0)
result %6
output x, n, s
",
    // Groups that lie far apart, beside others of all tuples.
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
  %5 bucket_reduce
    if is_null(i3.x) OR i3.x > 0
    key k? = cast(i3.x as bigint) * 1000000007::bigint
    x? = first(i3.x)
    s? = sum(i3.v)::decimal(38,0)
    n = count_rows()
  %6 reduce
    if i3.x > -2
    o? = any(i3.o)
    b? = max(i2.b)
result %5
output k, x, s, n
",
    // Over groups.
    "loop
  i2 in %3
  i3 in %2[i2.k] or null
    if i3.v <> i2.n
  %5 bucket_reduce
    key n? = i2.n
    c = count_rows()
    s? = sum(i3.x)::bigint
    v? = max(i2.v)
result %5
output n, c, s, v
",
    "loop
  i2 in %0
  i3 in %2[i2.a] or null
    if 100 / i3.x > 3
  %5 reduce
    n = count_rows()
    s? = sum(i3.x * 300000000)::bigint
result %5
output n, s
",
];

/// Text that has no codes.
const CARRIED: &str = "loop
  i2 in %0
  i3 in %2[i2.a] or null
    if like(i3.w, '%z%') OR i3.w < 'b'
  %5 collect
    s? = i2.s
    w? = i3.w
    z? = contains(i3.w, 'z')
  %6 reduce
    n = count(i3.w)
    l? = max(length(i3.w))
result %5
output s, w, z
";

fn of(text: &str) -> String {
    format!("{TABLES}{BUCKETS}{text}")
}

fn interpreted(program: &Program, tables: &[Arc<Table>]) -> crate::Result<Vec<Vec<Value>>> {
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    interpret::run(program, &lookup, &[], &context()).map(|rows| rows.rows)
}

/// Rows whose first column is given, others are random.
fn rows(fields: &[Field], random: &mut Random, keys: &[Option<i64>]) -> Vec<Vec<Value>> {
    let row = |key: &Option<i64>| {
        let others = fields[1..].iter().map(|field| random.value(field, (6, false)));
        std::iter::once(key.map_or(Value::Null, Value::Int)).chain(others).collect()
    };
    keys.iter().map(row).collect()
}

fn compact(fields: &[Field], rows: &[Vec<Value>]) -> Arc<Table> {
    table(fields, rows, 64)
}

/// Runs a program over partners of every kind: at several launch shapes, on the processors, and in the interpreter.
fn check_partners(text: &str, gpus: &[Arc<Gpu>], make: fn(&[Field], &[Vec<Value>]) -> Arc<Table>) {
    let pool = Pool::new(2).expect("threads start");
    let mut random = Random(11);
    let program = program(text);
    let [t, u] = [0, 1].map(|at| program.collections[at].fields.clone());
    // None at all, NULL alone, one, several, one key that has nearly all, none that is asked for.
    let none = |count: i64| (0..count).map(|_| None).collect::<Vec<Option<i64>>>();
    let some = |count: i64, key: &dyn Fn(i64) -> i64| (0..count).map(|at| Some(key(at))).collect::<Vec<_>>();
    let inner = [
        (none(0), 17),
        (none(9), 16),
        (some(1, &|_| 3), 41),
        ([none(2), some(24, &|at| at % 6)].concat(), 15),
        (some(60, &|at| if at % 9 == 0 { at % 7 } else { 2 }), 21),
        (some(12, &|at| at + 100), 1),
    ];
    for (keys, outer) in inner {
        let outer: Vec<Option<i64>> = (0..outer).map(|at| Some(at % 9 % 8)).collect();
        let tables = [make(&t, &rows(&t, &mut random, &outer)), make(&u, &rows(&u, &mut random, &keys))];
        let program = with_statistics(&program, &tables);
        match (on_host(&program, &tables, &[], &pool), interpreted(&program, &tables)) {
            (Ok(host), Ok(expected)) => {
                assert_eq!(format!("{:?}", sorted(host)), format!("{:?}", sorted(expected)), "{text}");
            }
            (host, expected) => assert_eq!(host.is_err(), expected.is_err(), "{text}"),
        }
        for gpu in gpus {
            for note in compare(&program, &tables, &[], (gpu, &pool), text) {
                let why = ["a row fails", "rows of hashed groups", "the first rows of two loops"];
                let is_right = note.ends_with(": ran") || why.iter().any(|why| note.ends_with(why));
                assert!(is_right, "{note}\n{text}");
            }
        }
    }
}

#[test]
fn partners_of_every_kind() {
    let gpus = devices();
    LOOPS.iter().for_each(|text| check_partners(&of(text), &gpus, compact));
}

#[test]
fn rows_that_nobody_finds() {
    let gpus = devices();
    for (at, text) in LOOPS.iter().enumerate() {
        // What lowers these is what lowers the others: two launch shapes will do for each.
        let some: Vec<Arc<Gpu>> = gpus.iter().skip(at % 2).step_by(2).cloned().collect();
        check_partners(&of(&text.replacen(" or null", " and rest", 1)), &some, compact);
    }
}

#[test]
fn partners_whose_text_is_carried() {
    let gpus = [Arc::new(emulated(4, 24).that_carries_text())];
    for text in [CARRIED.to_owned(), CARRIED.replacen(" or null", " and rest", 1)] {
        check_partners(&of(&text), &gpus, |fields, rows| Arc::new(Table::from_values(fields.to_vec(), rows)));
    }
}

#[test]
fn random_partners() {
    check(&of(LOOPS[1]), &["%5"]);
}
