//! Questions to collections in front of an index that finds few rows, or many, or first few and then many.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Rows of more than a tile ask, and those of `found` find some; `excluded` of them are excluded.
fn check(rows: i64, found: &str, excluded: &str) {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let text = format!(
        "table %0 t(k#0 bigint?, x#1 bigint, c#2 text?, d#3 double precision?)
loop
  i0 in %0
  %1 bucket_collect
    if {found}
    key k? = i0.k
    x = i0.x
  %2 bucket_reduce
    if {excluded}
    key k? = i0.k
    key x = i0.x
loop
  i1 in %0
  i2 in %1[i1.k]
  i3 in %1[is i2.x]
  %3 collect
    if i1.x <> 17::bigint
    if NOT exists %2[i1.k, i1.x]
    if NOT exists %2[i1.x, i2.x]
    x = i1.x
    y = i2.x
    z = i3.x
loop
  i4 in %0
  i5 in %1[i4.k]
  %4 reduce
    if NOT exists %2[i4.k, i4.x]
    n = count_rows()
    s? = sum(i5.x)::bigint
loop
  i6 in %4
  %5 collect
    x? = i6.s
    y = i6.n
    z = i6.n
%6 concat %3, %5 as x?, y, z
result %6
output x, y, z
"
    );
    let row = |x: i64| {
        let key = if x % 13 == 5 { Value::Null } else { Value::Int(x % 9_973) };
        vec![key, Value::Int(x), Value::Null, Value::Float(x as f64)]
    };
    let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
    compare_forms(&text, &rows, &[0], &pools);
}

#[test]
fn few_rows_many_rows_and_some() {
    for found in ["i0.x < 40::bigint", "i0.x < 9000::bigint", "i0.k = 3::bigint"] {
        for excluded in ["i0.x < 30::bigint", "i0.x >= 30::bigint", "i0.x < 0::bigint"] {
            check(70_000, found, excluded);
        }
    }
    check(0, "i0.x < 40::bigint", "i0.x < 30::bigint");
    check(1, "i0.x < 40::bigint", "i0.x < 30::bigint");
}
