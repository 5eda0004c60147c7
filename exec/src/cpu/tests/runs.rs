//! Sums of runs: of rows that come clustered, and of neighbours that are alike in a hash table; of narrow columns in every
//! form, with bases below and above 0, around the ends of words, tiles and chunks.

use super::{asked_for, compare_tables, in_forms};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(k#0 bigint, h#1 bigint, v#2 integer, u#3 bigint, m#4 bigint?)
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.k
    s? = sum(i0.v)::bigint
    t? = sum(i0.u)::decimal(38,0)
    m? = sum(i0.m)::decimal(38,0)
    n = count_rows()
  %2 bucket_reduce
    key k = i0.h
    s? = sum(i0.v)::bigint
    t? = sum(i0.u)::decimal(38,0)
    m? = sum(i0.m)::decimal(38,0)
    n = count_rows()
result %RESULT
output k, s, t, m, n
";

fn check(rows: i64, each: i64, forms: &[usize]) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let row = |row: i64| {
        let run = row / each;
        vec![
            Value::Int(run * 3),
            Value::Int(run * 7_919 % 1_009 * 1_000_000_000_007),
            Value::Int(row * 37 % 200 - 70),
            Value::Int(1_000_000 + row * 7_919 % 65_536),
            if row % 5 == 1 { Value::Null } else { Value::Int(row % 100) },
        ]
    };
    let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
    for result in ["%1", "%2"] {
        let text = PROGRAM.replace("%RESULT", result);
        let tables = in_forms(&text, &rows, forms);
        let text = if rows.len() > 1_000 { asked_for(&text) } else { text };
        compare_tables(&text, &tables, &pools).expect("no row fails");
    }
}

#[test]
fn around_words() {
    for rows in [0, 1, 63, 64, 65, 1_000] {
        for each in [1, 4, 70] {
            check(rows, each, &[0, 1, 2, 3]);
        }
    }
}

#[test]
fn around_tiles() {
    for each in [4, 32_900] {
        check(32_768, each, &[0]);
        check(33_001, each, &[0]);
    }
}
