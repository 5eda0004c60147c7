//! Groups that are only looked up: found by what they were numbered by, of every kind and width of keys, few and many, made
//! by one worker and by several.

use super::{compare_tables, in_forms};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Groups by `key`, which rows then ask for with it and with another.
fn program(key: &[&str], other: &[&str]) -> String {
    let keys: String = key.iter().enumerate().map(|(at, part)| format!("    key k{at}? = {part}\n")).collect();
    let of = |parts: &[&str]| parts.join(", ").replace("i0.", "i1.");
    let (key, other) = (of(key), of(other));
    format!(
        "table %0 t(k#0 bigint?, x#1 bigint, c#2 text?, d#3 double precision?)
loop
  i0 in %0
  %1 bucket_reduce
{keys}    n = count_rows()
    s? = sum(i0.x)::decimal(38,0)
  %2 bucket_reduce
{keys}loop
  i1 in %0
  %3 collect
    if exists %1[{key}]
    if NOT exists %2[{other}]
    x = i1.x
    n? = %1[{key}].n
    s? = %1[{other}].s
  %4 collect
    x = i1.x
    n? = %1[{other}].n
    s? = %1[{key}].s
%5 concat %3, %4 as x, n?, s?
result %5
output x, n, s
"
    )
}

/// Keys about `step` apart, each of two rows or three, some of them NULL.
fn check(rows: i64, step: i64, text: bool, forms: &[usize]) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let row = |row: i64| {
        let key = row * 2 / 5;
        let null = key % 11 == 3;
        let number = if null { Value::Null } else { Value::Int(key * step + if step > 1 { key % 2 } else { 0 }) };
        let word = if null { Value::Null } else { Value::text(format!("the key {key}")) };
        vec![number, Value::Int(row), word, Value::Float(key as f64 / 2.0)]
    };
    let rows: Vec<Vec<Value>> = (0..rows).map(|at| row(at * 7 % rows.max(1))).collect();
    let mut kinds: Vec<(Vec<&str>, Vec<&str>)> = vec![
        (vec!["i0.k"], vec!["i0.x"]),
        (vec!["i0.k", "i0.k"], vec!["i0.k", "i0.x"]),
        (vec!["i0.d"], vec!["i0.d"]),
        (vec!["i0.k", "i0.x"], vec!["i0.x", "i0.k"]),
    ];
    if text {
        kinds.push((vec!["i0.c"], vec!["i0.c"]));
        kinds.push((vec!["i0.c", "i0.k"], vec!["i0.c", "i0.x"]));
    }
    let tables = in_forms(&program(&["i0.k"], &["i0.k"]), &rows, forms);
    for (key, other) in kinds {
        let text = program(&key, &other);
        compare_tables(&text, &tables, &pools).expect("no row fails");
    }
}

#[test]
fn few_groups() {
    for rows in [0, 1, 9, 300] {
        for step in [1, 1_000, 1 << 30, 1 << 40] {
            check(rows, step, true, &[0, 3]);
        }
    }
}

#[test]
fn many_groups() {
    // Beyond those that are merged alone, and beyond those that a cache close by holds.
    check(21_000, 1 << 40, true, &[0, 3]);
    check(21_000, 1 << 30, false, &[0]);
    check(100_000, 1 << 40, false, &[0]);
}
