//! Chunks that are left out: conditions around the ends of chunks' ranges, keys that few chunks have, and rows that must
//! still be reached because they fail.

use super::{compare_with, context, table, with_statistics};
use crate::run::run;
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLES: &str = "\
parameters bigint
table %0 t(k#0 bigint?, a#1 integer, d#2 date?, m#3 decimal(15,2)?, x#4 double precision?, s#5 text?, n#6 smallint)
table %1 u(k#0 bigint?, y#1 integer)
";

/// What a reduction of t gives, and a loop that keeps rows.
const COLLECT: &str = "  %10 collect\nCONDITIONS    k? = i0.k\n    n = i0.n\n";
const REDUCE: &str = "  %11 reduce\nCONDITIONS    c = count_rows()\n    s? = sum(i0.a)::bigint\n    f? = min(i0.k)\n";
const GROUPS: &str = "  %12 bucket_reduce\nCONDITIONS    key n = i0.n\n    c = count_rows()\n    f? = min(i0.k)\n";
const FEW: &str = "  %13 top_k limit 3::bigint offset 1::bigint\nCONDITIONS    k? = i0.k\n";

/// Ten chunks of eight rows, in order, with the row's number in most columns; a is 0 in rows 50, 55, …. Where k would be
/// 32 to 39 it is NULL, and so are other columns, and then every other k is.
fn rows() -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let or_null = |null: bool, value: Value| if null { Value::Null } else { value };
        let (gone, half) = (row / 8 == 4, row / 8 == 5 && row % 2 == 0);
        vec![
            or_null(gone || half, Value::Int(row)),
            Value::Int(if row < 48 { row % 4 + 1 } else { row % 5 }),
            Value::Int(row),
            or_null(gone, Value::Decimal(i128::from(row) * 100)),
            or_null(gone, Value::Float(if row % 9 == 0 { f64::NAN } else { row as f64 })),
            or_null(gone, Value::text(["x", "y", "z"][row as usize % 3])),
            Value::Int(row / 8),
        ]
    };
    (0..80).map(row).collect()
}

/// Runs a program on t and u in every form, and compares; gives how many chunks of eight rows its last loop left out.
fn check(text: &str, keys: &[Value], parameter: &Value) -> u64 {
    let text = format!("{TABLES}{text}");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let keys: Vec<Vec<Value>> =
        keys.iter().enumerate().map(|(at, key)| vec![key.clone(), Value::Int(at as i64)]).collect();
    let pools = [1, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let parameters = [parameter.clone()];
    let mut pruned = 0;
    for form in 0..4 {
        let fields = [0, 1].map(|at| &program.collections[at].fields[..]);
        let tables = [table(fields[0], &rows(), form), table(fields[1], &keys, form)];
        let program = with_statistics(&program, &tables);
        compare_with(&program, &tables, &parameters, &pools, &text);
        let output =
            run(&program, &|handle| Arc::clone(&tables[handle.0 as usize]), &parameters, &context(), &pools[0]);
        pruned = output.map_or(0, |output| output.statistics(&program).last().map_or(0, |last| last.chunks_pruned));
    }
    pruned
}

/// Runs all kinds of loops over t with these conditions: so many of the ten chunks are to be left out.
fn check_conditions(conditions: &[&str], parameter: &Value, expected: u64) {
    let conditions: String = conditions.iter().map(|condition| format!("    if {condition}\n")).collect();
    let (both, all) = (format!("{COLLECT}{GROUPS}"), format!("{REDUCE}{GROUPS}"));
    let cases = [(COLLECT, 10, "k, n"), (REDUCE, 11, "c, s, f"), (GROUPS, 12, "n, c, f"), (FEW, 13, "k")];
    // Rows that are not looked at once there are enough do not fail.
    let is_wanted = |case: &(&str, usize, &str)| case.0 != FEW || !conditions.contains("100 / ");
    let cases = cases.into_iter().filter(is_wanted);
    for (generators, result, output) in cases.chain([(&both[..], 10, "k, n"), (&all[..], 12, "n, c, f")]) {
        let generators = generators.replace("CONDITIONS", &conditions);
        let text = format!("loop\n  i0 in %0\n{generators}result %{result}\noutput {output}\n");
        let pruned = check(&text, &[], parameter);
        assert_eq!(pruned, expected, "{text}");
    }
}

#[test]
fn comparisons_at_the_ends_of_ranges() {
    for (condition, expected) in [
        ("i0.k < 8::bigint", 9),
        ("i0.k < 9::bigint", 8),
        ("i0.k <= 7::bigint", 9),
        ("i0.k <= 8::bigint", 8),
        ("i0.k < 0::bigint", 10),
        ("i0.k <= 0::bigint", 9),
        ("i0.k > 71::bigint", 9),
        ("i0.k > 70::bigint", 8),
        ("i0.k >= 72::bigint", 9),
        ("i0.k >= 71::bigint", 8),
        ("i0.k >= 79::bigint", 9),
        ("i0.k > 79::bigint", 10),
        ("i0.k = 15::bigint", 9),
        ("i0.k = 16::bigint", 9),
        ("i0.k = 40::bigint", 10),
        ("i0.k = 41::bigint", 9),
        ("i0.k <> 16::bigint", 1),
        ("i0.n <> 3::smallint", 1),
        ("i0.n = 3::smallint", 9),
        ("8::bigint > i0.k", 9),
        ("8::bigint >= i0.k", 8),
        ("71::bigint < i0.k", 9),
        ("71::bigint <= i0.k", 8),
        ("i0.d < date '1970-01-09'", 9),
        ("i0.d <= date '1970-01-09'", 8),
        ("i0.m < 8.00::decimal(15,2)", 9),
        ("i0.m <= 8.00::decimal(15,2)", 8),
        ("i0.m < 8.01::decimal(15,2)", 8),
        ("i0.k < 9223372036854775807::bigint", 1),
        ("i0.k < -9223372036854775807::bigint", 10),
        // Every ninth is NaN, which is greater than all others: two chunks have none, and one of them is NULL.
        ("i0.x < 8e0", 9),
        ("i0.x < 1e0", 10),
        ("i0.x <= 1e0", 9),
        ("i0.x > 79e0", 2),
        ("i0.x = 64e0", 2),
        ("i0.s = 'x'", 1),
        ("i0.s = 'a'", 10),
        ("i0.s < 'x'", 1),
        ("i0.s > 'z'", 1),
        ("i0.s > 'zz'", 10),
        ("i0.s >= 'z1234567'", 10),
        ("i0.s > 'zzzzzzzzz'", 10),
        ("i0.k < NULL::bigint", 10),
        ("i0.k < cast(i0.n as bigint)", 0),
        ("i0.k + 1::bigint < 8::bigint", 0),
    ] {
        check_conditions(&[condition], &Value::Null, expected);
    }
}

#[test]
fn parameters_lists_and_logic() {
    for (parameter, expected) in [(Value::Int(8), 9), (Value::Int(9), 8), (Value::Null, 10)] {
        check_conditions(&["i0.k < $1"], &parameter, expected);
    }
    for (conditions, expected) in [
        (&["i0.k >= 16::bigint", "i0.k <= 23::bigint"][..], 9),
        (&["i0.k >= 16::bigint AND i0.k <= 24::bigint"], 8),
        (&["i0.k >= 16::bigint", "i0.x > 3e0", "i0.d < date '1970-01-10'"], 10),
        (&["in_list(i0.k, 70::bigint, 4::bigint, 3::bigint, NULL::bigint)"], 8),
        (&["in_list(i0.k, 40::bigint, 100::bigint, -1::bigint)"], 10),
        (&["in_list(i0.s, 'x', 'q')"], 1),
        (&["NOT in_list(i0.k, 3::bigint)"], 0),
        (&["i0.k < 8::bigint OR i0.k > 71::bigint"], 8),
        (&["i0.k < 8::bigint OR i0.s = 'x'"], 1),
        (&["i0.k < 8::bigint OR i0.a = 1"], 0),
        (&["i0.k < 8::bigint OR length(i0.s) > 3"], 0),
        (&["NOT (i0.k >= 8::bigint)"], 9),
        (&["NOT (i0.k <> 8::bigint)"], 9),
        (&["NOT (i0.k < 8::bigint OR i0.k > 15::bigint)"], 9),
        (&["NOT (i0.k >= 8::bigint AND i0.k <= 71::bigint)"], 8),
        (&["is_null(i0.k)"], 8),
        (&["is_not_null(i0.k)"], 1),
        (&["NOT is_null(i0.k)"], 1),
        (&["NOT is_not_null(i0.k)"], 8),
        (&["is_true(i0.k < 8::bigint)"], 9),
        (&["is_false(i0.k < 8::bigint)"], 2),
        (&["NOT is_true(i0.k < 8::bigint)"], 0),
        (&["NOT is_false(i0.k < 8::bigint)"], 0),
        (&["is_not_distinct(i0.k, NULL::bigint)"], 0),
        (&["is_distinct(i0.k, 3::bigint)"], 0),
    ] {
        check_conditions(conditions, &Value::Null, expected);
    }
}

/// Days are in order, and so are numbers of eights, each of which stands in several rows.
#[test]
fn rows_of_sorted_columns_are_found_by_search() {
    for (conditions, expected) in [
        (&["i0.d = date '1970-01-12'"][..], 9),
        (&["i0.d >= date '1970-01-12'", "i0.d <= date '1970-01-14'"], 9),
        // The range of a chunk has both, and none of its rows.
        (&["i0.d > date '1970-01-12'", "i0.d < date '1970-01-13'"], 10),
        (&["in_list(i0.d, date '1970-01-04', date '1970-01-06', date '1970-03-12')"], 8),
        (&["i0.d <> date '1970-01-12'"], 0),
        (&["i0.n >= 3::smallint", "i0.n < 5::smallint", "i0.d <> date '1970-02-01'"], 8),
        (&["i0.d > date '1970-02-20'", "i0.k > 53::bigint", "100 / i0.a > 1"], 0),
        (&["100 / i0.a > 1", "i0.d = date '1970-01-12'"], 0),
    ] {
        check_conditions(conditions, &Value::Null, expected);
    }
}

#[test]
fn rows_that_fail_are_reached() {
    for (conditions, expected) in [
        (&["100 / i0.a > 1", "i0.k < 8::bigint"][..], 0),
        (&["i0.k < 8::bigint", "100 / i0.a > 1"], 9),
        (&["100 / i0.a > 1 AND i0.k < 8::bigint"], 0),
        (&["i0.k < 8::bigint OR 100 / i0.a > 1"], 0),
        (&["i0.n < 6::smallint", "100 / i0.a > 1", "i0.k < 8::bigint"], 4),
        (&["i0.k > 77::bigint", "100 / i0.a > 1"], 9),
    ] {
        check_conditions(conditions, &Value::Null, expected);
    }
    // As one condition, which several generators do not share.
    let condition = "    if i0.k < 8::bigint AND 100 / i0.a > 1\n";
    let text = format!("loop\n  i0 in %0\n{}result %10\noutput k, n\n", COLLECT.replace("CONDITIONS", condition));
    assert_eq!(check(&text, &[], &Value::Null), 9);
}

/// The rows of u by key, and the highest key; then a loop over t.
fn with_keys(nest: &str, conditions: &str) -> String {
    let buckets = "loop\n  i3 in %1\n  %2 bucket_collect\n    key k? = i3.k\n    y = i3.y\n  %3 bucket_reduce\n    key k? = i3.k\n    c = count_rows()\n  %4 reduce\n    k? = max(i3.k)\n  %5 bucket_reduce\n    key k? = i3.k\n    key y = i3.y\n    c = count_rows()\n";
    let collect = "  %10 collect\nCONDITIONS    k? = i0.k\n    n = i0.n\n".replace("CONDITIONS", conditions);
    format!("{buckets}loop\n  i0 in %0\n{nest}{collect}result %10\noutput k, n\n")
}

#[test]
fn keys_that_few_chunks_have() {
    let keys = |keys: &[i64]| keys.iter().map(|&key| Value::Int(key)).collect::<Vec<_>>();
    let (some, first, wide) = (keys(&[17, 20, 41, 17]), keys(&[7]), keys(&[2, 1 << 40]));
    let with_null: Vec<Value> = [Value::Null].into_iter().chain(some.clone()).collect();
    for (nest, condition, expected) in [
        ("  i1 in %2[i0.k]\n", "", [7, 9, 10, 1, 7]),
        ("  i1 in %2[is i0.k]\n", "", [6, 7, 10, 0, 6]),
        ("  i1 in %2[i0.k] or null\n", "", [0; 5]),
        ("  i1 in %2[i0.k]\n", "    if 100 / i0.a > 1\n", [7, 9, 10, 1, 7]),
        ("  i1 in %2[cast(100 / i0.a as bigint)]\n", "", [0; 5]),
        ("  i1 in %1\n  i2 in %2[i0.k]\n", "", [7, 9, 10, 1, 7]),
        ("  i1 in %2[cast(100 / i0.a as bigint)]\n  i2 in %2[i0.k]\n", "", [0; 5]),
        ("  i1 in count(2::bigint)\n  i2 in %2[i0.k]\n", "", [0; 5]),
        ("", "    if exists %3[i0.k]\n", [7, 9, 10, 1, 7]),
        ("", "    if exists %5[i0.k, i0.a]\n", [7, 10, 10, 1, 7]),
        ("", "    if NOT exists %3[i0.k]\n", [0; 5]),
        ("", "    if 100 / i0.a > 1\n    if exists %3[i0.k]\n", [0; 5]),
        ("", "    if i0.k <= %4.k\n", [5, 9, 10, 1, 5]),
        ("", "    if exists %3[i0.k] OR i0.k > 76::bigint\n", [6, 8, 9, 1, 6]),
    ] {
        for (keys, expected) in [&some, &first, &Vec::new(), &wide, &with_null].into_iter().zip(expected) {
            let text = with_keys(nest, condition);
            let pruned = check(&text, keys, &Value::Null);
            assert_eq!(pruned, expected, "{keys:?}\n{text}");
        }
    }
}
