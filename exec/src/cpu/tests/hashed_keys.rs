//! Keys that are hashed: integers far apart, nullable ones, and such as fill their bits to the last, alone and before a
//! part that has no value at all.

use super::{compare_tables, in_forms};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(h#0 bigint, n#1 bigint?, t#2 text?, a#3 bigint, b#4 bigint)
loop
  i0 in %0
  %1 bucket_reduce
    KEYS
    rows = count_rows()
    most? = max(i0.a)
loop
  i1 in %1
  %2 collect
    SHOWN
    rows = i1.rows
    most? = i1.most
loop
  i2 in %0
  %3 reduce
    found? = sum(%1[ASKED].rows)::decimal(38,0)
  %4 reduce
    if exists %1[ASKED]
    there = count_rows()
RESULT
";

/// The rows of many keys, all of which are there again and again.
fn rows_of(rows: i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let key = row * 7_919 % 300;
        vec![
            Value::Int(if row % 2 == 0 { i64::MIN + 5 + key } else { i64::MAX - 5 - key }),
            if row % 3 == 0 { Value::Null } else { Value::Int(1_000_000_000_000_000 + key * 1_000_000_007) },
            Value::Null,
            Value::Int(if row % 2 == 0 { key } else { i64::from(u32::MAX) - 2 - key }),
            Value::Int(if row % 4 < 2 { key % 9 } else { i64::from(u32::MAX) - 2 - key % 5 }),
        ]
    };
    (0..rows).map(row).collect()
}

fn check(rows: i64, forms: &[usize]) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let rows = rows_of(rows);
    let tables = in_forms(
        "table %0 t(h#0 bigint, n#1 bigint?, t#2 text?, a#3 bigint, b#4 bigint)\nresult %0\noutput h\n",
        &rows,
        forms,
    );
    let keys: [&[&str]; 6] = [&["h"], &["n"], &["h", "t"], &["a", "b", "t"], &["t", "h"], &["n", "t"]];
    for key in keys {
        let each = |line: &dyn Fn(&str) -> String| key.iter().map(|part| line(part)).collect::<Vec<_>>().join("\n    ");
        let asked = key.iter().map(|part| format!("i2.{part}")).collect::<Vec<_>>().join(", ");
        let text = PROGRAM
            .replace("KEYS", &each(&|part| format!("key {part}? = i0.{part}")))
            .replace("SHOWN", &each(&|part| format!("{part}? = i1.{part}")))
            .replace("ASKED", &asked);
        let shown = format!("result %2\noutput {}, rows, most", key.join(", "));
        for result in [&shown[..], "result %3\noutput found", "result %4\noutput there"] {
            compare_tables(&text.replace("RESULT", result), &tables, &pools).expect("no row fails");
        }
    }
}

#[test]
fn few_rows() {
    for rows in [0, 1, 2, 64, 1_500] {
        check(rows, &[0, 1, 2, 3]);
    }
}

#[test]
fn several_pieces() {
    check(36_000, &[0]);
}
