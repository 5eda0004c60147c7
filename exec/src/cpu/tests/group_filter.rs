//! Groups of which the only reader wants few, most, or none: against the interpreter, with arrays over codes, hash tables and
//! keys of text, for conditions on keys, on aggregates and on both, and such as may fail; rows that come in no order, and
//! rows whose neighbours are alike.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLE: &str = "table %0 t(k#0 bigint?, w#1 bigint?, c#2 text, n#3 bigint?, d#4 double precision?)";

const AGGREGATES: &str = "    rows = count_rows()
    sum? = sum(i0.n)::decimal(38,0)
    least? = min(i0.n)
";

/// What readers ask for.
const CONDITIONS: [&str; 8] = [
    "    if i1.sum > 900::decimal(38,0)\n",
    "    if i1.least < 0::bigint\n    if i1.rows > 1::bigint\n",
    "    if i1.k0 < 5\n",
    "    if i1.k0 < 3000\n    if i1.sum > 10::decimal(38,0)\n",
    "    if is_null(i1.least)\n",
    "    if i1.rows > 1000000::bigint\n",
    "    if i1.rows > 0::bigint\n",
    "    if 6::bigint / (i1.rows - 1::bigint) > 2::bigint\n",
];

/// So many rows of about so many groups, of which `each` follow one another.
fn rows_of(rows: i64, groups: i64, each: i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let key = (row / each).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).rem_euclid(groups);
        let null = |nth: i64, value: Value| if row % nth == 2 { Value::Null } else { value };
        vec![
            null(17, Value::Int(key)),
            null(13, Value::Int(key * 1_000_000_000_007)),
            Value::text(format!("key {key}")),
            null(7, Value::Int((row * 31).rem_euclid(1_000) - 100)),
            null(9, Value::Float(row as f64 / 8.0)),
        ]
    };
    (0..rows).map(row).collect()
}

fn check(rows: i64, groups: i64, each: i64) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let rows = rows_of(rows, groups, each);
    for (key, asks_key) in [("i0.k", true), ("i0.w", true), ("i0.c", false), ("i0.k, i0.w", true)] {
        let parts: String =
            key.split(", ").enumerate().map(|(at, part)| format!("    key k{at}? = {part}\n")).collect();
        let shown: String = (0..key.split(", ").count()).map(|at| format!("    k{at}? = i1.k{at}\n")).collect();
        // One that cannot be looked into before it is finished.
        for other in ["", "    float? = sum(i0.d)\n"] {
            for condition in CONDITIONS.iter().filter(|condition| asks_key || !condition.contains("k0")) {
                let condition = condition.replace("k0 < 5", "k0 < 5::bigint").replace("k0 < 3000", "k0 < 3000::bigint");
                let text = format!(
                    "{TABLE}\nloop\n  i0 in %0\n  %1 bucket_reduce\n{parts}{AGGREGATES}{other}loop\n  i1 in %1\n  %2 collect\n{condition}{shown}    sum? = i1.sum\nresult %2\noutput sum\n"
                );
                compare_forms(&text, &rows, &[0, 2], &pools);
                // How many are left chooses how the reader's own groups are made, whose order is not to show who left them.
                let grouped = text
                    .replace("%2 collect", "%2 bucket_reduce")
                    .replace(&shown, "    key m? = i1.least * 17::bigint\n");
                compare_forms(&grouped.replace("sum? = i1.sum", "sum = count_rows()"), &rows, &[0], &pools);
            }
        }
    }
}

#[test]
fn few_groups() {
    for (rows, groups) in [(0, 1), (1, 1), (7, 7), (9, 9), (60, 20)] {
        check(rows, groups, 1);
    }
}

#[test]
fn many_groups() {
    // An array over codes wants more codes than few groups have.
    check(6_000, 5_000, 1);
}

#[test]
fn neighbours_that_are_alike() {
    check(6_000, 2_000, 3);
    check(6_000, 1_500, 70);
}
