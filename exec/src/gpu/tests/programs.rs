//! Programs of each shape that runs on the device.

use super::{Random, check, compare, cut, devices, program, several, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const T: &str = "table %0 t(a#0 integer, b#1 bigint?, d#2 decimal(15,2), p#3 smallint?, f#4 double precision?, o#5 boolean?, s#6 text?, t#7 date)\n";

fn of(text: &str) -> String {
    format!("{T}{text}")
}

#[test]
fn sums_without_a_key() {
    check(
        &of("\
loop
  i0 in %0
  %1 reduce
    if i0.a > 0
    n = count_rows()
    c = count(i0.b)
    s? = sum(i0.a)::bigint
    w? = sum(i0.b)::decimal(38,0)
    x? = sum(i0.d * i0.d)
    least? = min(i0.b)
    most? = max(i0.p)
    any? = any(i0.o)
    all? = all(i0.a < 3)
result %1
output n, c, s, w, x, least, most, any, all
"),
        &["%1"],
    );
}

#[test]
fn few_groups() {
    check(
        &of("\
loop
  i0 in %0
  %1 bucket_reduce
    if i0.d < 20.00
    key s? = i0.s
    key o? = i0.o
    n = count_rows()
    c = count(i0.b)
    t? = sum(i0.a * 3)::bigint
    w? = sum(i0.b)::decimal(38,0)
    least? = min(i0.a)
    most? = max(i0.b)
    any? = any(i0.o)
result %1
output s, o, n, c, t, w, least, most, any
"),
        &["%1"],
    );
}

#[test]
fn filters_of_aggregates() {
    check(
        &of("\
loop
  i0 in %0
  %1 bucket_reduce
    key p? = i0.p
    n = count_rows(if i0.a > 0)
    s? = sum(i0.a if i0.b > 1::bigint)::bigint
    all? = all(i0.o if i0.a < 5)
  %2 reduce
    n = count_rows(if i0.o)
    m? = max(i0.d if i0.p > 0::smallint)
result %1
output p, n, s, all
"),
        &["%1"],
    );
}

#[test]
fn what_may_fail() {
    check(
        &of("\
loop
  i0 in %0
  %1 bucket_reduce
    if i0.a <> 0 AND 100 / i0.a > 3
    key p? = i0.p
    s? = sum(i0.a * i0.a)::bigint
    m? = max(i0.b + 1::bigint)
    n? = min(negate(i0.a))
result %1
output p, s, m, n
"),
        &[],
    );
}

#[test]
fn truths() {
    check(
        &of("\
loop
  i0 in %0
  %1 bucket_reduce
    if i0.o OR i0.b > 2::bigint OR NOT i0.p < 1::smallint
    if NOT is_null(i0.b) OR i0.a > 1
    key k = case(i0.b > 3::bigint, 1, i0.o, 2, 3)
    key c? = coalesce(i0.b, cast(i0.a as bigint))
    key g? = i0.f < 1e0
    n = count_rows()
result %1
output k, c, g, n
"),
        &[],
    );
}

#[test]
fn sets_and_lookups() {
    check(
        &of("\
table %1 u(k#0 integer, v#1 bigint?)
loop
  i0 in %1
  %2 bucket_reduce
    if i0.v > 0::bigint
    key k = i0.k
  %3 bucket_reduce
    key k = i0.k
    n = count_rows()
    s? = sum(i0.v)::decimal(38,0)
    m? = min(i0.v)
loop
  i1 in %0
  %4 bucket_reduce
    if exists %2[i1.a]
    key n = %3[i1.a].n
    m? = max(%3[i1.a].m)
    c = count_rows()
result %4
output n, m, c
"),
        &["%2", "%4"],
    );
}

#[test]
fn nests_of_buckets() {
    check(
        &of("\
table %1 u(k#0 integer, v#1 bigint?, w#2 text)
loop
  i0 in %1
  %2 bucket_collect
    if i0.k > -1
    key k = i0.k
    v? = i0.v
    w = i0.w
loop
  i1 in %0
  i2 in %2[i1.a]
  %3 bucket_reduce
    if i1.d > 0.00
    key w = i2.w
    n = count_rows()
    s? = sum(i2.v)::decimal(38,0)
    f? = first(i2.w)
result %3
output w, n, s, f
"),
        &["%2", "%3"],
    );
}

#[test]
fn rows_that_are_collected() {
    check(
        &of("\
loop
  i0 in %0
  %1 collect
    if i0.a > 0
    a = i0.a
    b? = i0.b
    d = i0.d + 1.00
    o? = i0.o
    f? = i0.f
    s? = i0.s
    t = i0.t
result %1
output a, b, d, o, f, s, t
"),
        &[],
    );
}

#[test]
fn keys_that_lie_far_apart() {
    check(
        &of("\
table %1 u(k#0 integer, v#1 bigint?)
loop
  i0 in %1
  %2 bucket_reduce
    key k = cast(i0.k as bigint) * 1000000007::bigint
    n = count_rows()
    m? = max(i0.v)
  %3 bucket_collect
    key k = cast(i0.k as bigint) * 1000000007::bigint
    v? = i0.v
loop
  i1 in %0
  i2 in %3[cast(i1.a as bigint) * 1000000007::bigint]
  %4 bucket_reduce
    key m? = %2[cast(i1.p as bigint) * 1000000007::bigint].m
    n = count_rows()
    s? = sum(i2.v)::decimal(38,0)
result %4
output m, n, s
"),
        &[],
    );
}

#[test]
fn the_first_rows() {
    check(
        &of("\
loop
  i0 in %0
  %1 top_k limit 5::bigint offset 1::bigint
    if i0.a > 0
    by i0.b desc nulls first
    by i0.s
    a = i0.a
    b? = i0.b
    s? = i0.s
    d = i0.d
result %1
output a, b, s, d
"),
        &["%1"],
    );
}

const FOLDS: &str = "\
table %0 t(k#0 integer, v#1 bigint?, w#2 smallint, f#3 boolean?, x#4 integer, y#5 bigint?)
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.k
    n = count_rows()
    c = count(i0.v)
    s? = sum(i0.v)::decimal(38,0)
    t = sum(cast(i0.w as bigint))
    least = min(i0.w)
    most? = max(i0.v)
    odd? = max(i0.w if i0.f)
    any? = any(i0.f)
    one = first(i0.x)
    some? = first(i0.y)
loop
  i1 in %1
  %2 bucket_reduce
    key n = i1.n
    m = count_rows()
    t = sum(i1.c)
result %2
output n, m, t
";

/// Groups beyond a block's memory: rows that come in runs, which threads sum, and frequent groups, which blocks have entries for.
#[test]
fn runs_and_frequent_groups() {
    let both =
        FOLDS.replace("result %2\noutput n, m, t", "result %1\noutput k, n, c, s, t, least, most, odd, any, one, some");
    let pool = Pool::new(2).expect("threads start");
    let (gpus, several) = (devices(), several());
    let mut random = Random(7);
    // Groups whose codes are too many for a block's memory.
    let far = |group: i64| group * 1009 + group % 3;
    // Runs of one length, of many, one row each, all rows of one key, half of them; the keys in order or not.
    let keys: [&dyn Fn(i64, u64) -> i64; 8] = [
        // Runs that begin and end among rows of one thread, with rows of others between.
        &|row, _| far((row + 20) / 24),
        &|row, _| far((row + 37) / 45),
        &|row, _| far((row + 100) / 130),
        &|row, _| far(row / 4),
        &|row, random| far(row / 7 + (random % 2) as i64 * 3),
        &|row, _| row * 997,
        &|_, _| 40_000,
        &|row, random| if random % 2 == 0 { 77 } else { (row * 7919) % 100_003 },
    ];
    let is_run = |line: &str| line.trim_start().starts_with("if ((v") && line.contains(" != v");
    let mut sources: Vec<Arc<str>> = Vec::new();
    // Of small numbers blocks have sums of 64 bits, of large ones they may not fit.
    for (text, shift) in [(FOLDS, 24), (&*both, 1)] {
        let program = program(text);
        for key in keys {
            for count in [0, 1, 8, 63, 300] {
                let row = |row: i64| {
                    let v = if random.below(4) == 0 { Value::Null } else { Value::Int(random.next() as i64 >> shift) };
                    let w = Value::Int(random.below(9) as i64 - 2);
                    let of = key(row, random.next());
                    // Of the values of a group any may be its first: they are all alike.
                    let y = if of % 2 == 0 { Value::Int(of - 9) } else { Value::Null };
                    let f =
                        [Value::Null, Value::Boolean(true), Value::Boolean(false)][random.below(3) as usize].clone();
                    vec![Value::Int(of), v, w, f, Value::Int(-of), y]
                };
                let rows: Vec<Vec<Value>> = (0..count).map(row).collect();
                let tables = [table(&program.collections[0].fields, &rows, 50)];
                let program = with_statistics(&program, &tables);
                for gpu in &gpus {
                    gpu.device().cache.watch();
                    compare(&program, &tables, &[], (gpu, &pool), text);
                    sources.extend(gpu.device().cache.watched());
                }
                if count == 300 {
                    let cards = &several[shift % several.len()];
                    compare(&program, &[cut(&tables[0], [50, 70, 3])], &[], (cards, &pool), text);
                }
            }
        }
    }
    assert!(sources.iter().any(|source| source.lines().any(is_run)), "no thread sums runs");
    assert!(sources.iter().any(|source| source.contains("take_entry(")), "no block has entries");
}
