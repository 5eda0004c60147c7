//! Values of many groups, which several workers merge part by part: as they came, in order, each once.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Rows of so many groups: in no order, some groups with many rows, some values NULL.
fn rows_of(rows: i64, groups: i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let mixed = row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).rem_euclid(groups);
        let key = if row % 11 == 3 { row % 5 } else { mixed };
        let text = if row % 13 == 4 { Value::Null } else { Value::text(format!("{}", row * 7 % 1_000)) };
        vec![Value::Int(key), Value::Int(key * 1_000_000_000_007), text, Value::Int(row % 300)]
    };
    (0..rows).map(row).collect()
}

#[test]
fn many_groups_in_parts() {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    // More groups than are merged by one, and fewer.
    for (rows, groups) in [(24_000, 12_000), (3_000, 40)] {
        let rows = rows_of(rows, groups);
        for key in ["i0.k", "i0.w", "i0.w, i0.k"] {
            let parts: String =
                key.split(", ").enumerate().map(|(at, key)| format!("    key k{at} = {key}\n")).collect();
            let text = format!(
                "table %0 t(k#0 bigint, w#1 bigint, t#2 text?, n#3 bigint)\nloop\n  i0 in %0\n  %1 bucket_reduce\n{parts}    \
                 came? = gather(i0.t)\n    sorted? = gather_sorted(i0.t)\n    once? = gather_distinct(i0.t)\n    \
                 n = count_rows()\nresult %1\noutput k0, came, sorted, once, n\n"
            );
            compare_forms(&text, &rows, &[0, 1], &pools);
        }
    }
}
