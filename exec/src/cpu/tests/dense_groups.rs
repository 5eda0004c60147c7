//! Groups whose numbers are the codes of their keys though there are thousands: against the interpreter, with conditions from
//! which few rows fall away and many, on keys, too; with NULLs, and keys that no row has; shown, and looked up.

use super::{compare_tables, in_forms};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLE: &str = "table %0 t(k#0 bigint?, n#1 bigint?, x#2 integer, c#3 text?, b#4 boolean)";

/// All that keep a number or two of a group.
const PLAIN: &str = "    rows = count_rows()
    some = count(i0.n)
    sum? = sum(i0.n)::decimal(38,0)
    least? = min(i0.x)
    most? = max(i0.n)
    lost = count(i0.n if i0.b)
";

const FIELDS: &str = "rows, some, sum, least, most, lost";

/// So many rows; one in ten has its key from the upper half of the codes, of which most are not there.
fn rows_of(rows: i64, codes: i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let mixed = row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).rem_euclid(codes / 2);
        let key = match row % 10 {
            9 => codes / 2 + mixed / 50 * 50,
            _ => mixed,
        };
        let null = |nth: i64, value: Value| if row % nth == 2 { Value::Null } else { value };
        vec![
            null(13, Value::Int(if row == 0 { codes } else { key })),
            null(7, Value::Int(row % 1_000 - 300)),
            Value::Int(row % 90),
            null(11, Value::text(format!("{}", row % 40))),
            Value::Boolean(row % 3 == 0),
        ]
    };
    (0..rows).map(row).collect()
}

#[test]
fn codes_are_groups() {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    // A key's codes are fewer than a quarter of the rows, and more than those of few groups; first of all rows, so that two
    // workers and more have an array over codes instead, then of each worker's.
    for (key, rows, codes) in [("i0.k", 40_000, 9_000), ("i0.k, i0.b", 60_000, 1_600)] {
        check(key, &rows_of(rows, codes), &pools);
    }
}

fn check(key: &str, rows: &[Vec<Value>], pools: &[Arc<Pool>]) {
    let parts: String = key.split(", ").enumerate().map(|(at, part)| format!("    key k{at}? = {part}\n")).collect();
    let shown_keys: String = key.split(", ").enumerate().map(|(at, _)| format!("k{at}, ")).collect();
    let (asked, other) = (key.replace("i0.", "i1."), key.replace("i0.k", "i1.n").replace("i0.", "i1."));
    let tables = in_forms(&format!("{TABLE}\nresult %0\noutput k\n"), rows, &[0, 2]);
    let conditions =
        ["", "    if i0.x <> 7\n", "    if i0.x < 9\n", "    if i0.k < 8000::bigint\n", "    if i0.x > 100\n"];
    for condition in conditions {
        for aggregates in ["    rows = count_rows()\n", PLAIN] {
            let fields = if aggregates == PLAIN { FIELDS } else { "rows" };
            let groups = format!("{TABLE}\nloop\n  i0 in %0\n  %1 bucket_reduce\n{condition}{parts}{aggregates}");
            let shown = format!("{groups}result %1\noutput {shown_keys}{fields}\n");
            let looked_up = format!(
                "{groups}loop\n  i1 in %0\n  %2 reduce\n    n? = sum(%1[{asked}].rows)::decimal(38,0)\n    m? = sum(%1[is {other}].rows)::decimal(38,0)\n    e = count(i1.x if exists %1[{other}])\nresult %2\noutput n, m, e\n"
            );
            for text in [shown, looked_up] {
                compare_tables(&text, &tables, pools).expect("no row fails");
            }
        }
    }
}
