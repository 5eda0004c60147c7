//! Many groups whose rows are partitioned before they are grouped (tests partition from 100 groups on, and fold
//! in what is buffered early): keys with an array over all codes and hashed ones, of several parts, nullable ones and
//! strings; aggregates of every
//! kind; rows of which nobody partitions.

use super::{compare_tables, expect_of_tables, in_forms};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const AGGREGATES: &str = "    rows = count_rows()
    some = count(i0.n)
    sum? = sum(i0.n)::decimal(38,0)
    product? = sum(i0.n * i0.x)::decimal(38,0)
    same? = sum(i0.n)::decimal(38,0)
    float? = sum(i0.d)
    least? = min(i0.c)
    most? = max(i0.n)
    distinct = count(distinct i0.x)
";

const FEW_AGGREGATES: &str = "    rows = count_rows()
    product? = sum(i0.n)::decimal(38,0)
";

const FIELDS: &str = "rows, some, sum, product, same, float, least, most, distinct";

/// So many rows of so many groups: in no order, and then some in order.
fn rows_of(rows: i64, groups: i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let mixed = row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).rem_euclid(groups.max(1));
        let key = match row {
            // Keys that only the first rows have, which nobody partitions, or only the last.
            0..30_000 | 42_000.. if row % 997 == 5 => groups + row,
            _ if row % 10 == 9 => row / 4 % groups.max(1),
            _ => mixed,
        };
        let null = |nth: i64, value: Value| if row % nth == 2 { Value::Null } else { value };
        vec![
            Value::Int(key),
            null(13, Value::Int(key * 1_000_000_000_007)),
            null(11, Value::text(format!("{}", key % 40))),
            null(7, Value::Int(row % 1_000 - 300)),
            Value::Int(row % 90),
            null(9, Value::Float(if row % 50 == 1 { f64::NAN } else { row as f64 / 8.0 })),
            Value::Boolean(row % 3 == 0),
            null(
                17,
                Value::text(if key == 5 { String::new() } else { format!("{key}{}", "ä".repeat(key as usize % 19)) }),
            ),
        ]
    };
    (0..rows).map(row).collect()
}

/// Of keys every so many: all with 1.
fn check(rows: i64, groups: i64, forms: &[usize], step: usize) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let rows = rows_of(rows, groups);
    let table_text = "table %0 t(k#0 bigint, w#1 bigint?, c#2 text?, n#3 bigint?, x#4 bigint, d#5 double precision?, b#6 boolean, s#7 text?)";
    let tables = in_forms(&format!("{table_text}\nresult %0\noutput k\n"), &rows, forms);
    let wide = "cast(i0.w as decimal(38,0)) * 10000000::decimal(38,0)";
    let keys: [&[&str]; 11] = [
        &["i0.k"],
        // One code in five, 64 side by side.
        &["i0.k + i0.k / 64::bigint * 256::bigint"],
        &["i0.w"],
        &["i0.w", "i0.c"],
        &["i0.c", "i0.k"],
        &["i0.k", "i0.b"],
        &["i0.d"],
        // Codes of 128 bits.
        &["i0.w", "0::bigint - i0.w"],
        &[wide, "i0.c", "i0.n"],
        &["i0.b", "i0.w * 100::bigint", "i0.x"],
        // Strings, empty ones and long ones among them.
        &["i0.s"],
    ];
    for key in keys.into_iter().step_by(step) {
        let parts: String = key.iter().enumerate().map(|(at, part)| format!("    key k{at}? = {part}\n")).collect();
        let shown: String = (0..key.len()).map(|at| format!("k{at}, ")).collect();
        let asked = key.join(", ").replace("i0.", "i1.");
        let whole = format!(
            "{table_text}\nloop\n  i0 in %0\n  %1 bucket_reduce\n{parts}{AGGREGATES}result %1\noutput {shown}{FIELDS}\n"
        );
        // Groups that are only looked up.
        let looked_up = format!(
            "{table_text}\nloop\n  i0 in %0\n  %1 bucket_reduce\n{parts}{AGGREGATES}loop\n  i1 in %0\n  %2 reduce\n    n? = sum(%1[{asked}].rows)::decimal(38,0)\n    m? = sum(%1[{asked}].product)::decimal(38,0)\nresult %2\noutput n, m\n"
        );
        // Workers partition from the beginning where there are many distinct arguments in a hash table.
        let hashed = |text: &str| {
            let far = format!("{AGGREGATES}    far = count(distinct i0.w)\n");
            text.replace(AGGREGATES, &far).replace(FIELDS, &format!("{FIELDS}, far"))
        };
        // So little of a row that all of them wait until there are no more.
        let few = whole.replace(AGGREGATES, FEW_AGGREGATES).replace(FIELDS, "rows, product");
        let found = looked_up.replace(AGGREGATES, FEW_AGGREGATES);
        // All but the last of their fields, of the same groups.
        let expected = compare_tables(&hashed(&whole), &tables, &pools).map(|mut rows| {
            rows.iter_mut().for_each(|row| row.truncate(row.len() - 1));
            rows
        });
        expect_of_tables(&expected, &whole, &tables, &pools);
        for text in [looked_up, few, found] {
            compare_tables(&text, &tables, &pools).expect("no row fails");
        }
    }
}

#[test]
fn few_rows() {
    for (rows, groups) in [(0, 1), (1, 1), (300, 250), (3_000, 700)] {
        check(rows, groups, &[0, 1, 2, 3], 1);
    }
}

#[test]
fn several_pieces() {
    // Codes, one part and several, wide ones, strings: each of them as few rows have it.
    check(48_000, 9_000, &[0], 2);
}
