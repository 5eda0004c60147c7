//! Neighbours that are alike, in what is hashed: groups of every aggregate, and probes of every kind.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

/// Groups by `key`, and by each row what its key finds among every third row.
fn program(key: &str) -> String {
    let probe = key.replace("i0.", "i2.");
    format!(
        "table %0 t(k#0 bigint?, v#1 integer?, w#2 bigint, d#3 double precision?, c#4 text, i#5 interval?)
loop
  i0 in %0
  %1 bucket_reduce
    key k? = {key}
    key w? = i0.w / 1000000::bigint
    n = count_rows()
    m = count(i0.v)
    s? = sum(i0.v)::bigint
    t? = sum(i0.w)::decimal(38,0)
    e? = sum(i0.d)
    x? = max(i0.v)
    y? = min(i0.c)
    z? = first(i0.w / 1000000::bigint)
    u? = sum(i0.v if i0.w > 50::bigint)::bigint
    q = count(distinct i0.v)
  %2 bucket_collect
    if i0.w % 3::bigint = 1::bigint
    key k? = {key}
    key z? = i0.w / 1000000::bigint
    w = i0.w
  %3 bucket_reduce
    if i0.w % 2::bigint = 1::bigint
    key k? = {key}
    s? = sum(i0.v)::bigint
loop
  i1 in %1
  %4 collect
    n = i1.n + i1.m + i1.q
    s? = i1.s
    t? = i1.t
    e? = i1.e
    x? = i1.x
    y? = i1.y
    z? = i1.z
    u? = i1.u
loop
  i2 in %0
  i3 in %2[is {probe}, i2.w / 1000000::bigint]
  %5 collect
    if NOT is_null(%3[{probe}].s)
    n = i2.w
    s? = %3[is {probe}].s
    t? = cast(i3.w as decimal(38,0))
    e? = i2.d
    x? = i2.v
    y? = 'a'
    z? = i3.w
    u? = i2.w
loop
  i2 in %0
  i3 in %2[{probe}, i2.w / 1000000::bigint] or null
  %6 collect
    if i2.w > 9::bigint
    n = i2.w
    s? = %3[{probe}].s
    t? = cast(i3.w as decimal(38,0))
    e? = i2.d
    x? = i2.v
    y? = 'b'
    z? = i3.w
    u? = i2.w
%7 concat %4, %5, %6 as n, s?, t?, e?, x?, y?, z?, u?
result %7
output n, s, t, e, x, y, z, u
"
    )
}

#[test]
fn runs_of_hashed_keys() {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    for (rows, keys, run) in [(0, 1, 1), (1, 1, 1), (70, 5, 7), (500, 60, 3), (1_500, 100, 2), (150, 1, 50)] {
        let row = |row: i64| {
            // Keys come again, and NULL is one of them.
            let key = row / run * 7 % keys;
            let null = key % 5 == 4;
            let value = |value: Value| if null { Value::Null } else { value };
            let months =
                Interval { months: (key % 3) as i32, days: 30 * (key % 2) as i32, micros: key * 1_000_000_007 };
            vec![
                value(Value::Int(key * 1_000_000_000_007)),
                if row % 9 == 0 { Value::Null } else { Value::Int(row % 70) },
                Value::Int(row),
                value(Value::Float(key as f64 / 8.0)),
                Value::text(format!("text {}", row % 13)),
                value(Value::Interval(months)),
            ]
        };
        let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
        for key in ["i0.k", "i0.d", "i0.i", "i0.k * i0.w / i0.w"] {
            compare_forms(&program(key), &rows, &[0, 1, 3], &pools);
        }
    }
}

#[test]
fn runs_in_large_tables() {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    // Beyond tables close by, so that probes look for runs, too.
    let row = |row: i64| {
        let key = row / 2 * 7_919 % 50_000;
        vec![
            if key % 1_000 == 3 { Value::Null } else { Value::Int(key * 1_000_000_000_007) },
            Value::Int(row % 70),
            Value::Int(row),
            Value::Float(1.5),
            Value::text("c"),
            Value::Null,
        ]
    };
    let rows: Vec<Vec<Value>> = (0..110_000).map(row).collect();
    compare_forms(&program("i0.k"), &rows, &[0], &pools);
}
