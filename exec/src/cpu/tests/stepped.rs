//! Columns whose values lie evenly apart, which compact tables keep as offsets in steps: compared, added, summed, grouped,
//! joined and sorted (keys of groups and of buckets count in steps, too), nullable ones and such as reach the ends of their type.

use super::{asked_for, compare_tables, in_forms};
use crate::column::ColumnData;
use crate::workers::pool::Pool;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(a#0 bigint, b#1 bigint?, q#2 decimal(15,2), w#3 bigint, i#4 bigint, c#5 text)
loop
  i0 in %0
  %1 collect
    if CONDITION
    a = i0.a
    b? = i0.b
    q = i0.q
    w = i0.w
    i = i0.i
  %2 reduce
    if CONDITION
    n = count(i0.b)
    a? = sum(i0.a)::decimal(38,0)
    b? = sum(i0.b)::decimal(38,0)
    q? = sum(i0.q)::decimal(38,2)
    w? = sum(i0.w)::decimal(38,0)
    product? = sum(i0.a * (i0.a + 100::bigint))::decimal(38,0)
    least? = min(i0.q)
    most? = max(i0.w)
    kinds = count(distinct i0.b)
    each? = sum(distinct i0.w)::decimal(38,0)
  %3 bucket_reduce
    key c = i0.c
    a? = sum(i0.a)::decimal(38,0)
    b? = sum(i0.b)::decimal(38,0)
    q? = sum(i0.q)::decimal(38,2)
    i? = sum(i0.i)::decimal(38,0)
    kinds = count(distinct i0.b)
    each? = sum(distinct i0.i)::decimal(38,0)
  %4 bucket_reduce
    key KEY? = i0.KEY
    rows = count_rows()
    q? = sum(i0.q)::decimal(38,2)
    least? = min(i0.i)
  %5 bucket_reduce
    key KEY? = i0.KEY
    key q? = i0.q
    rows = count_rows()
    c? = max(i0.c)
  %6 bucket_collect
    if CONDITION
    if i0.q > 30.00::decimal(15,2)
    key KEY? = i0.KEY
    c = i0.c
    i = i0.i
loop
  i1 in %0
  %7 collect
    a = i1.a
    rows = %4[i1.KEY].rows
    other = %4[i1.OTHER].rows
    pair = %5[i1.OTHER, i1.q].rows
loop
  i2 in %0
  i3 in %6[i2.OTHER]
  %8 reduce
    rows = count_rows()
    i? = sum(i3.i)::decimal(38,0)
    c? = max(i3.c)
  %9 bucket_reduce
    key KEY? = i2.KEY
    key c = i3.c
    rows = count_rows()
%10 sort %0 by KEY desc nulls first, b desc nulls first, a, w
result %RESULT
output FIELDS
";

/// Rows with steps of 100, and of two and a half billion in the widest column.
fn rows_of(rows: i64) -> Vec<Vec<Value>> {
    let row = |row: i64| {
        let near = row * 7_919 % 251;
        vec![
            Value::Int(near * 100 - 5_000),
            if row % 5 == 3 { Value::Null } else { Value::Int(row / 3 * 60_000_000) },
            Value::Decimal(i128::from(1 + near % 50) * 100),
            Value::Int(i64::MIN + (row * 31 % 1_000) * 9_000_000_000_000_000),
            Value::Int((near * near % 6_000) as i32 as i64 * 300 - 800_000),
            Value::text(["red", "green", "", "blue"][(row % 4) as usize]),
        ]
    };
    (0..rows).map(row).collect()
}

/// With conditions by these constants.
fn check(rows: i64, forms: &[usize], constants: &[&str]) {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let rows = rows_of(rows);
    let tables = in_forms(
        &PROGRAM
            .replace("CONDITION", "TRUE")
            .replace("KEY", "a")
            .replace("OTHER", "b")
            .replace("RESULT", "1")
            .replace("FIELDS", "a"),
        &rows,
        forms,
    );
    let compare = |condition: &str, key: &str, other: &str, result: &str, fields: &str| {
        let text = PROGRAM
            .replace("CONDITION", condition)
            .replace("KEY", key)
            .replace("OTHER", other)
            .replace("RESULT", result)
            .replace("FIELDS", fields);
        let text = if rows.len() < 1_000 { text } else { asked_for(&text) };
        compare_tables(&text, &tables, &pools).expect("no row fails");
    };
    // On values, between them, beyond the ends, and of two columns.
    let mut conditions = vec!["i0.a < i0.i".to_owned(), "i0.b >= i0.a".to_owned(), "i0.w <> i0.b".to_owned()];
    for operator in ["<", "<=", "=", "<>", ">=", ">"] {
        for constant in constants {
            conditions.push(format!("i0.a {operator} {constant}::bigint"));
        }
        conditions.push(format!("i0.b {operator} 60000001::bigint"));
        conditions.push(format!("i0.w {operator} 0::bigint"));
        conditions.push(format!("i0.q {operator} 24.50::decimal(15,2)"));
    }
    for condition in &conditions {
        compare(condition, "a", "b", "1", "a, b, q, w, i");
        compare(condition, "a", "b", "2", "n, a, b, q, w, product, least, most, kinds, each");
    }
    for (key, other) in [("a", "b"), ("b", "a"), ("w", "a"), ("a", "w"), ("b", "w")] {
        compare("TRUE", key, other, "3", "c, a, b, q, i, kinds, each");
        compare("TRUE", key, other, "4", &format!("{key}, rows, q, least"));
        compare("TRUE", key, other, "5", &format!("{key}, q, rows, c"));
        compare("TRUE", key, other, "7", "a, rows, other, pair");
        // Many rows find many.
        for (key, other) in [(key, other), (key, key)].into_iter().filter(|_| rows.len() < 1_000) {
            for condition in ["TRUE", "i0.a % 200::bigint = 0::bigint", "i0.a = 0::bigint"] {
                compare(condition, key, other, "8", "rows, i, c");
                compare(condition, key, other, "9", &format!("{key}, c, rows"));
            }
        }
        compare("TRUE", key, other, "10", "a, b, q, w, i, c");
    }
}

#[test]
fn few_rows() {
    for rows in [0, 1, 65, 600] {
        check(rows, &[0, 3], &["1", "100", "-5000", "-5001", "20000", "9223372036854775807"]);
    }
}

#[test]
fn around_tiles() {
    check(32_769, &[0], &["-5001", "100"]);
}

/// Otherwise the programs above run over something else.
#[test]
fn columns_are_in_steps() {
    let field = |data_type: DataType| Field::new("c", data_type, true);
    let decimal = DataType::Decimal { precision: 15, scale: 2 };
    let fields =
        [DataType::BigInt, DataType::BigInt, decimal, DataType::BigInt, DataType::BigInt, DataType::Text].map(field);
    let table = super::table(&fields, &rows_of(1_500), 0);
    let forms: Vec<&str> = table.chunks[0].columns.iter().map(|column| column.data.form()).collect();
    assert_eq!(forms[..5], ["stepped8", "stepped16", "stepped8", "stepped16", "stepped16"]);
    assert!(matches!(table.chunks[0].columns[2].data, ColumnData::Stepped8 { base: 100, step: 100, .. }));
}
