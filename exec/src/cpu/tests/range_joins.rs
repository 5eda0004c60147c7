//! Range joins beside the interpreter: bounds of all kinds, from one side and both, of all rows and of buckets, inner and outer.

use super::check;
use crate::plan::{Machine, plan};
use multiloop_planner::multiloop::parse::parse;

/// Checks a program in which so many indices are searched.
fn check_range_joins(text: &str, count: usize) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let plan = plan(&program, Machine::host(1)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let lets = plan.blocks.iter().enumerate().flat_map(|(block, of)| (0..of.lets.len()).map(move |at| (block, at)));
    let loops = lets.filter_map(|(block, at)| plan.loop_of(multiloop_planner::multiloop::BlockId(block as u32), at));
    let searched = loops.flat_map(|plan| &plan.levels).filter(|level| level.range.is_some());
    assert_eq!(searched.count(), count, "indices that are searched in\n{text}");
    check(text);
}

fn tables(data_type: &str) -> String {
    let columns = format!("x#0 {data_type}?, y#1 {data_type}?, k#2 integer?, z#3 integer?");
    format!("table %0 t({columns})\ntable %1 u({columns})\n")
}

fn lines(conditions: &[&str], indent: usize) -> String {
    conditions.iter().map(|each| format!("{}if {each}\n", " ".repeat(indent))).collect()
}

/// All rows of one table with all of the other that pass.
fn join(data_type: &str, conditions: &[&str]) -> String {
    format!(
        "{}loop\n  i0 in %0\n  i1 in %1\n  %2 collect\n{}    a? = i0.z\n    b? = i1.z\n    c? = i1.x\nresult %2\noutput a, b, c\n",
        tables(data_type),
        lines(conditions, 4)
    )
}

/// The same of buckets: by a key of few values, or of all rows; those without a match, too, or not.
fn bucket_join(data_type: &str, key: Option<&str>, or_null: bool, conditions: &[&str]) -> String {
    let (made, asked) = match key {
        Some(of) => (format!("    key k? = i2.{of}\n"), format!("i0.{of}")),
        None => (String::new(), String::new()),
    };
    let (inner, outer) =
        if or_null { (lines(conditions, 4), String::new()) } else { (String::new(), lines(conditions, 4)) };
    let or_null = if or_null { " or null" } else { "" };
    format!(
        "{}loop\n  i2 in %1\n  %2 bucket_collect\n{made}    x? = i2.x\n    y? = i2.y\n    z? = i2.z\nloop\n  i0 in %0\n  \
         i1 in %2[{asked}]{or_null}\n{inner}  %3 collect\n{outer}    a? = i0.z\n    b? = i1.z\nresult %3\noutput a, b\n",
        tables(data_type),
    )
}

const TYPES: [&str; 5] = ["integer", "double precision", "decimal(9,2)", "date", "bigint"];

const RANGES: [&[&str]; 8] = [
    &["i1.x >= i0.x", "i1.x <= i0.y"],
    &["i0.x < i1.x", "i0.y > i1.x", "i1.z <> i0.z"],
    &["i1.x > i0.x"],
    &["i0.y >= i1.x", "i1.z < 40"],
    // Intervals that overlap; one within the other.
    &["i0.x <= i1.y", "i1.x <= i0.y"],
    &["i1.x < i0.x", "i1.y > i0.x"],
    &["i1.y > i0.x", "i1.x >= i0.x", "i1.y < i0.y"],
    // Several bounds of one side.
    &["i1.x >= i0.x", "i1.x > i0.y", "i1.y <= i0.y", "i1.y <= i0.x"],
];

#[test]
fn ranges_of_all_types() {
    for data_type in TYPES {
        for conditions in RANGES {
            check_range_joins(&join(data_type, conditions), 1);
        }
    }
}

#[test]
fn ranges_of_buckets() {
    for data_type in TYPES {
        for conditions in RANGES {
            for or_null in [false, true] {
                check_range_joins(&bucket_join(data_type, None, or_null, conditions), 1);
                check_range_joins(&bucket_join(data_type, Some("k"), or_null, conditions), 1);
            }
        }
    }
}

/// What is computed of a row is a key, and a bound what is computed of another one.
#[test]
fn expressions_are_keys_and_bounds() {
    let few = ["i1.k + 1 >= i0.k - 1", "i1.k + 1 <= i0.k + 2"];
    check_range_joins(&join("integer", &few), 1);
    // In the order of one key rows are in that of the other, too.
    check_range_joins(&join("integer", &["i1.k <= i0.k", "i0.k <= i1.k + 3", "i0.z <> i1.z"]), 1);
    check_range_joins(&join("date", &["i1.x <= i0.x", "i0.x <= date_add_days(i1.x, 3)"]), 1);
}

/// A bound that fails, and a key that does: for the same rows as without a search.
#[test]
fn bounds_that_fail() {
    check_range_joins(&join("integer", &["i1.x >= i0.x", "i1.x <= (100 / i0.z)"]), 1);
    check_range_joins(&join("integer", &["i1.z = i0.z", "i1.x >= (100 / i0.k)"]), 1);
    check_range_joins(&join("integer", &["(i1.x / i1.k) >= i0.x"]), 1);
    // What fails in front of a comparison has to be evaluated first.
    check_range_joins(&join("integer", &["(i1.x / i1.k) >= i0.x", "i1.z >= i0.z", "i1.z <= i0.y"]), 0);
    check_range_joins(&join("integer", &["(i1.x / i0.k) = 1", "i1.x >= i0.x"]), 0);
    let fails = bucket_join("integer", Some("k"), false, &["i1.x >= (100 / i0.z)"]);
    check_range_joins(&fails, 0);
}

#[test]
fn what_is_no_range() {
    check_range_joins(&join("text", &["i1.x >= i0.x"]), 0);
    check_range_joins(&join("integer", &["i1.x <> i0.x"]), 0);
    check_range_joins(&join("integer", &["(i1.x + i0.x) >= i0.y"]), 0);
}

/// Groups of pairs, and indices behind one that is searched.
#[test]
fn nests_go_on() {
    let nest = |generator: &str| {
        format!(
            "{}loop\n  i0 in %0\n  i1 in %1\n  i2 in %0\n  %2 {generator}\nresult %2\noutput n\n",
            tables("integer")
        )
    };
    let conditions = lines(&["i1.x >= i0.x", "i1.x <= i0.y", "i2.y > i1.y", "i2.y < i1.z"], 4);
    check_range_joins(&nest(&format!("reduce\n{conditions}    n = count_rows()")), 2);
    check_range_joins(&nest(&format!("bucket_reduce\n{conditions}    key k? = i1.k\n    n? = sum(i2.z)::bigint")), 2);
}
