//! Indices whose unmatched rows are wanted, against the interpreter: every kind of key and of generator, conditions, further indices in
//! front and behind, and work in pieces.

use super::{check, compare, table};
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLES: &str = "\
table %0 t(a#0 integer, b#1 bigint?, c#2 text?, d#3 double precision?, f#4 boolean?)
table %1 u(a#0 integer?, b#1 bigint, c#2 text, d#3 double precision?, e#4 decimal(15,2)?)
";

/// Buckets of %0 by a key, with all fields.
fn buckets(key: &str, condition: &str) -> String {
    format!(
        "loop
  i0 in %0
  %2 bucket_collect
{condition}    key k? = {key}
    a = i0.a
    b? = i0.b
    c? = i0.c
    d? = i0.d
    f? = i0.f
"
    )
}

/// Every kind of generator behind some indices, of which i1 is in front of the rest and i2 has it.
const GENERATORS: [&str; 7] = [
    "  %3 collect\n    p? = i1.a\n    q? = i1.c\n    r = i2.a\n    s? = i2.c\n    v? = i1.b + i2.b\nresult %3\noutput p, q, r, s, v\n",
    // Conditions on either side, on both, and on what a rest does not have.
    "  %3 collect\n    if i2.a > 0\n    if coalesce(i1.b, 3::bigint) > 1::bigint\n    p? = i1.b\n    r = i2.a\nresult %3\noutput p, r\n",
    "  %3 collect\n    if is_null(i1.b)\n    p? = i1.b\n    r = i2.a\nresult %3\noutput p, r\n",
    "  %3 reduce\n    n = count_rows()\n    m = count(i1.b)\n    x = count(i2.b)\n    s? = sum(i1.e)::decimal(38,2)\n    t? = sum(i2.d)\n    u? = max(i1.c)\n    w? = sum(i1.b if i2.a > 1)::decimal(38,0)\n    y? = min(i2.c)\n    z = count(distinct i1.c)\nresult %3\noutput n, m, x, s, t, u, w, y, z\n",
    // Groups by the side that a rest does not have, by the other, and by both; several generators in one loop.
    "  %3 bucket_reduce\n    key c? = i1.c\n    n = count_rows()\n    s? = sum(i2.b)::decimal(38,0)\n  %4 bucket_reduce\n    key c? = i2.c\n    n = count(i1.b)\n  %5 bucket_reduce\n    key b? = i1.b\n    key d? = i2.d\n    n = count_rows()\n  %6 bucket_reduce\n    if i2.f\n    key x? = i1.d\nloop\n  i8 in %3\n  %7 collect\n    x? = i8.c\n    n = i8.n\n    s? = i8.s\nloop\n  i9 in %4\n  %8 collect\n    x? = i9.c\n    n = i9.n\n    s? = 1::decimal(38,0)\nloop\n  i10 in %5\n  %9 collect\n    x? = 'b'\n    n = i10.n\n    s? = 2::decimal(38,0)\nloop\n  i11 in %6\n  %10 collect\n    x? = 'c'\n    n = 1::bigint\n    s? = 3::decimal(38,0)\n%11 concat %7, %8, %9, %10 as x?, n, s?\nresult %11\noutput x, n, s\n",
    "  %3 top_k limit 5::bigint offset 1::bigint\n    by i1.b desc\n    by i2.a\n    p? = i1.b\n    r = i2.a\nresult %3\noutput p, r\n",
    "  %3 bucket_collect\n    key k? = i1.a\n    r = i2.a\nloop\n  i8 in %1\n  i9 in %3[is i8.a]\n  %4 collect\n    p? = i8.a\n    r = i9.r\nresult %4\noutput p, r\n",
];

#[test]
fn keys_of_every_kind() {
    for (build, probe) in [
        ("i0.a", "i1.a"),
        ("i0.a", "is i1.a"),
        ("i0.c", "i1.c"),
        ("i0.d", "i1.d"),
        ("i0.b", "is i1.b"),
        ("i0.b * 1000::bigint", "i1.b * 1000::bigint"),
        ("i0.b * 1000000000000::bigint", "is i1.b * 1000000000000::bigint"),
    ] {
        let build = buckets(build, "");
        for condition in ["", "    if i2.b > i1.b\n", "    if i1.b > 0::bigint\n    if i2.f\n", "    if 6 / i2.a > 1\n"]
        {
            let first = GENERATORS[0];
            check(&format!("{TABLES}{build}loop\n  i1 in %1\n  i2 in %2[{probe}] and rest\n{condition}{first}"));
        }
    }
}

#[test]
fn generators_of_every_kind() {
    let build = buckets("i0.a", "    if i0.a < 9\n");
    for generators in GENERATORS {
        for condition in ["", "    if i1.b > 0::bigint\n    if i2.f\n"] {
            check(&format!("{TABLES}{build}loop\n  i1 in %1\n  i2 in %2[i1.a] and rest\n{condition}{generators}"));
        }
    }
}

#[test]
fn indices_in_front_and_behind() {
    let build = buckets("i0.a", "");
    let others = "loop\n  i3 in %1\n  %20 bucket_collect\n    key a? = i3.a\n    b = i3.b\n    c = i3.c\n";
    for (front, behind) in [
        ("  i4 in %1\n", ""),
        ("  i4 in %20[i1.a]\n", ""),
        ("  i4 in %20[i1.a] or null\n", ""),
        ("", "  i4 in %20[is i1.a]\n"),
        ("", "  i4 in %20[i2.a] or null\n    if i4.b > i2.b\n"),
        ("", "  i4 in count(i2.b)\n"),
        ("  i5 in %20[i1.a]\n", "  i4 in %20[cast(i5.b as integer)] or null\n"),
    ] {
        for generators in [GENERATORS[0], GENERATORS[1], GENERATORS[3]] {
            let nest = format!("  i1 in %1\n{front}  i2 in %2[i1.a] and rest\n    if i2.b > 0::bigint\n{behind}");
            check(&format!("{TABLES}{build}{others}loop\n{nest}{generators}"));
        }
    }
}

#[test]
fn a_nested_block_sees_no_row() {
    let build = buckets("i0.a", "");
    check(&format!(
        "{TABLES}{build}loop
  i1 in %1
  i2 in %2[i1.a] and rest
  %3 collect
    block b0
      loop
        i5 in %1
        %4 reduce
          if coalesce(i1.b, 2::bigint) < i5.b
          n = count_rows()
      result %4
    p? = i1.b
    r = i2.a
    n = b0.n
result %3
output p, r, n
"
    ));
}

#[test]
fn many_rows_in_pieces() {
    let text = "table %0 t(k#0 bigint?, v#1 integer, c#2 text)
loop
  i0 in %0
  %1 bucket_collect
    if i0.v < 5000
    key k? = i0.k
    v = i0.v
    c = i0.c
loop
  i1 in %0
  i2 in %1[i1.k] and rest
    if i1.v > 0
    if i1.v < i2.v + 20
  %2 bucket_reduce
    key c? = i1.c
    n = count_rows()
    s? = sum(i2.v)::bigint
    x? = max(i1.v)
  %3 bucket_reduce
    key v = i2.v
    n = count(i1.v)
  %4 collect
    if is_null(i1.v)
    v = i2.v
loop
  i3 in %3
  %5 collect
    c? = 'v'
    n = i3.n
    s? = cast(i3.v as bigint)
    x? = 1
loop
  i4 in %4
  %6 collect
    c? = 'r'
    n = 0::bigint
    s? = cast(i4.v as bigint)
    x? = 1
%7 concat %2, %5, %6 as c?, n, s?, x?
result %7
output c, n, s, x
";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}"));
    let fields = [
        Field::new("k", DataType::BigInt, true),
        Field::new("v", DataType::Integer, false),
        Field::new("c", DataType::Text, false),
    ];
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    for (rows, keys) in [(32_767, 40_000), (32_769, 9_000), (70_000, 70_000)] {
        // Every seventh key is NULL, and one key has many rows of both sides.
        let row = |row: i64| {
            let key = if row % 500 == 0 { 3 } else { row * 7_919 % keys };
            let key = if row % 7 == 1 { Value::Null } else { Value::Int(key) };
            vec![key, Value::Int(row % 60_000), Value::text(format!("c{}", row % 50))]
        };
        let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
        let tables = [table(&fields, &rows, 0)];
        compare(&super::with_statistics(&program, &tables), &tables, &pools, text);
    }
}
