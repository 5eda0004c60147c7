//! The text form: what is printed parses back to the same program, and nonsense is refused with its line.

use super::parse::parse;
use super::print::print;
use super::{Block, Let, Program, Shape};
use crate::analysis::verify::verify;
use crate::types::DataType;
use crate::value::Value;

/// Parses, verifies, and checks that printing gives the very same text.
fn check(text: &str) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    assert_eq!(print(&program), text);
}

/// Nested types stand in programs, if nowhere else yet.
#[test]
fn nested_types_have_a_text_form() {
    check(
        "table %0 t(a#0 integer[], b#1 struct(x vector(3), \"Y z\" text[][])?)\nloop\n  i0 in %0\n  %1 collect\n    a = i0.a\n    b? = i0.b\nresult %1\noutput a, b\n",
    );
    let wrong = ["integer[0]", "struct()", "struct(a integer, a text)", "integer[", "struct(a integer"];
    for data_type in wrong {
        assert!(parse(&format!("table %0 t(a#0 {data_type})\nresult %0\noutput a\n")).is_err(), "{data_type}");
    }
}

/// A part of a program may have to travel.
#[test]
fn programs_are_written_and_read() {
    let text = EVERYTHING.replace("i1.#1 IN_PLACEHOLDER", "in_list(i1.#1, 1, 2, NULL::integer)");
    let program = parse(&text).expect("it is a program");
    let written = serde_json::to_string(&program).expect("a program can be written");
    let read: Program = serde_json::from_str(&written).expect("and read");
    assert_eq!(format!("{read:?}"), format!("{program:?}"));
    assert_eq!(print(&read), text);
}

const EVERYTHING: &str = "\
parameters bigint, text
table %0 lineitem(l_orderkey#0 bigint, l_quantity#4 decimal(15,2), l_shipdate#10 date?, l_comment#15 varchar(44)?)
table %1 \"Odd \\\\ \"\"name\"(\"key\"#0 bigint, x#1 integer?, x#2 double precision)
loop
  i0 in %0
  %2 bucket_collect
    if i0.l_shipdate <= date '1998-09-02'
    if i0.l_quantity < 24.00::decimal(15,2) OR NOT is_null(i0.l_shipdate)
    key l_orderkey = i0.l_orderkey
    l_quantity = i0.l_quantity
    l_comment? = i0.l_comment
  %3 bucket_reduce
    key year? = extract_year(i0.l_shipdate)::decimal(38,0)
    total? = sum(i0.l_quantity if i0.l_quantity > 0.00::decimal(15,2))
    rows = count_rows()
    few = count_rows(if i0.l_orderkey < 5::bigint)
    kinds = count(distinct i0.l_comment)
  %4 reduce
    largest? = max(i0.l_quantity * (1.00::decimal(15,2) - i0.l_quantity))
    spread? = variance_sample(cast(i0.l_quantity as double precision))
%5 values
  fields a bigint?, b text
  row $1, 'it''s'
  row NULL::bigint, 'two\\nlines \\\\'
loop
  i1 in %1
  i2 in %2[i1.\"key\"] or null
    if i2.l_quantity < 5.00::decimal(15,2)
  i3 in count(i1.\"key\" + -1::bigint)
  %6 collect
    if i1.#1 IN_PLACEHOLDER
    quantity? = i2.l_quantity
    position = i3.position
    found = exists %2[i1.\"key\"]
    total? = %3[is cast(i1.#1 as decimal(38,0))].total
    largest? = %4.largest
    comment? = element %0(i1.\"key\").l_comment
  %7 collect
    block b0
      loop
        i4 in %5
        %8 reduce
          if i4.a = i1.\"key\"
          any? = any(i4.a = 1::bigint)
          one? = single(i4.b)
      result %8
    if b0.any
    one? = b0.one
  %9 top_k limit 10::bigint offset $1
    by i1.#2 desc nulls first
    by i3.position
    position = i3.position
%10 sort %7 by one desc nulls first
%11 window %6 partition by quantity, found order by position desc, total
  number = row_number()
  before? = lag(position, position, position)
  sum? = sum(position)::numeric
  sum? = sum(total) over rows 3 before to current
  rows = count_rows() over groups first to 2 behind
  of? = nth_value(comment, position) over range current to last
%12 iterate distinct %7 through %13 as one?
  loop
    i5 in %13
    i6 in %11
    %14 collect
      if i5.one < 'x'
      one? = i6.comment
  result %14
%15 iterate last parameter 0 limit 1 offset all %12 through %16 as one?
  loop
    i7 in %16
    %17 collect
      one? = i7.one
  result %17
%18 concat %7, %10, %15 as one?
result %18
output \"?column?\" = one, one
";

#[test]
fn everything_reads_back() {
    let text = EVERYTHING.replace("i1.#1 IN_PLACEHOLDER", "in_list(i1.#1, 1, 2, NULL::integer)");
    // What nothing reads is still shown: it is part of its loop or block.
    check(&text);
}

#[test]
fn literals_read_back() {
    for literal in [
        "-5",
        "-5::bigint",
        "0.06",
        "-0.06",
        "0.0600::decimal(10,4)",
        "170141183460469231731687303715884105727::decimal(38,0)",
        "1e0",
        "-2.5e-7",
        "1.5e0::real",
        "'NaN'::double precision",
        "'-inf'::real",
        "''",
        "'x'::char(3)",
        "timestamp '1996-02-29 23:59:59.000001'",
        "1::time",
        "interval '3 -2 5'",
        "99999999999::timestamp",
        "-9999999::date",
        "NULL",
        "NULL::decimal(3,1)",
        "TRUE",
    ] {
        let text = format!("loop\n  i0 in count(1::bigint)\n  %0 collect\n    a? = {literal}\nresult %0\noutput a\n");
        let program = parse(&text).unwrap_or_else(|error| panic!("{literal}: {error}"));
        let expected =
            if literal == "99999999999::timestamp" { "timestamp '1970-01-02 03:46:39.999999'" } else { literal };
        assert!(print(&program).contains(&format!("a? = {expected}\n")), "{literal}\n{}", print(&program));
    }
}

#[test]
fn operators_need_no_parentheses_where_precedence_says_it() {
    let line = |scalar: &str| {
        let text = format!(
            "table %0 t(a#0 integer, b#1 boolean?)\nloop\n  i0 in %0\n  %1 collect\n    x? = {scalar}\nresult %1\noutput x\n"
        );
        print(&parse(&text).unwrap_or_else(|error| panic!("{scalar}: {error}")))
            .lines()
            .nth(4)
            .map(|line| line.trim().trim_start_matches("x? = ").to_owned())
    };
    for (written, shown) in [
        ("i0.a + 1 < 2 * i0.a AND i0.b OR NOT i0.b", "i0.a + 1 < 2 * i0.a AND i0.b OR NOT i0.b"),
        ("i0.a - 1 - 2", "(i0.a - 1) - 2"),
        ("i0.a - (1 - 2)", "i0.a - (1 - 2)"),
        ("(i0.b AND i0.b) AND i0.b", "(i0.b AND i0.b) AND i0.b"),
        ("i0.b AND i0.b AND i0.b", "i0.b AND i0.b AND i0.b"),
        ("(i0.a + 1)::bigint", "(i0.a + 1)::bigint"),
        ("i0.a % 5", "i0.a % 5"),
        ("negate(i0.a)", "negate(i0.a)"),
        ("case(i0.b, i0.a, 0) = -1", "case(i0.b, i0.a, 0) = -1"),
    ] {
        assert_eq!(line(written).as_deref(), Some(shown));
    }
}

#[test]
fn nonsense_is_refused_with_its_line() {
    for (text, line) in [
        ("loop\n  i0 in %7\n", "line 2"),
        ("table %0 t(a#0 integer)\nloop\n  i0 in %0\n  %1 collect\n    a = i0.b\nresult %1\noutput a\n", "line 5"),
        ("table %0 t(a#0 decimal(39,0))\n", "line 1"),
        ("result %0\n", "line 1"),
        ("loop\n  i0 in count(99999999999999999999999999999999999999999)\n", "line 2"),
        ("table %0 t(a#0 integer)\nresult %0\noutput a = 'unclosed\n", "line 3"),
    ] {
        let error = parse(text).err().unwrap_or_else(|| panic!("accepted {text}"));
        assert!(error.message().contains(line), "{error}\n{text}");
    }
    assert!(parse("").is_err());
}

#[test]
fn compaction_drops_what_is_dead_and_nothing_else() {
    let text = EVERYTHING.replace("i1.#1 IN_PLACEHOLDER", "in_list(i1.#1, 1, 2, NULL::integer)");
    let mut program = parse(&text).expect("it parses");
    program.compact();
    assert_eq!(print(&program), text);
    let sizes = |program: &Program| (program.scalars.len(), program.collections.len(), program.blocks.len());
    let whole = sizes(&program);
    let dead = program.add_collection(Vec::new(), Shape::Rows);
    program.scalars.constant(Value::Int(987_654), DataType::BigInt);
    program.add_block(Block { lets: vec![Let::Concat { define: dead, inputs: Vec::new() }], result: dead });
    assert_ne!(sizes(&program), whole);
    program.compact();
    assert_eq!(sizes(&program), whole);
    verify(&program).expect("a valid program");
    assert_eq!(print(&program), text);
}
