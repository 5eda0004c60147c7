//! DISTINCT arguments of one group, few and many: narrow ones, of which each has a bit, and wide ones; strings of a
//! dictionary and of none; groups that become too many for bits on the way.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const AGGREGATES: &str = "    narrow = count(distinct i0.a)
    sum? = sum(distinct i0.a)::decimal(38,0)
    wide = count(distinct i0.w)
    texts = count(distinct i0.c)
    strings = count(distinct i0.s)
    floats = count(distinct i0.d)
    floats_sum? = sum(distinct i0.d)
    some = count(distinct i0.a if i0.a > 10::bigint)
    rows = count_rows()
";

const FIELDS: &str = "narrow, sum, wide, texts, strings, floats, floats_sum, some, rows";

/// Rows whose narrow argument has so many values, and whose groups are so many.
fn check(rows: i64, values: i64, groups: i64, forms: &[usize]) {
    check_groups(rows, values, forms, |row| row * 31 % groups.max(1) * 1_000_003);
}

/// The same, with the group of each row.
fn check_groups(rows: i64, values: i64, forms: &[usize], group: impl Fn(i64) -> i64) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let row = |row: i64| {
        let number = row * 7919 % values.max(1);
        let null = row % 17 == 3;
        let or_null = |value: Value| if null { Value::Null } else { value };
        vec![
            Value::Int(group(row)),
            or_null(Value::Int(number - values / 2)),
            or_null(Value::Int(number * 1_000_000_007_000)),
            or_null(Value::text(format!("{}", number % 100))),
            // None of a dictionary: short ones, and longer ones after a while.
            or_null(Value::text(format!("{number}\0{}", "long ".repeat(row as usize / 500 % 5)))),
            or_null(Value::Float(if number % 9 == 1 { f64::NAN } else { number as f64 / 4.0 })),
        ]
    };
    let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
    for key in ["", "    key k = i0.k\n"] {
        let kind = if key.is_empty() { "reduce" } else { "bucket_reduce" };
        let text = format!(
            "table %0 t(k#0 bigint, a#1 bigint?, w#2 bigint?, c#3 text?, s#4 text?, d#5 double precision?)
loop
  i0 in %0
  %1 {kind}
{key}{AGGREGATES}result %1
output {FIELDS}
"
        );
        compare_forms(&text, &rows, forms, &pools);
    }
}

#[test]
fn few_and_many_values() {
    for rows in [0, 1, 64, 2_000] {
        for (values, groups) in [(1, 1), (50, 7), (1_500, 3), (70, 900)] {
            check(rows, values, groups, &[0, 1, 2, 3]);
        }
    }
}

#[test]
fn over_several_tiles() {
    check(70_000, 20_000, 3, &[0]);
}

#[test]
fn groups_too_many_for_bits() {
    // A bit for each of 80 thousand values in each of 2,000 groups is more than there may be.
    check(70_000, 40_000, 2_000, &[0]);
    // They become too many when there are bits already.
    check_groups(100_000, 2_000_000, &[0], |row| row / 2048);
}
