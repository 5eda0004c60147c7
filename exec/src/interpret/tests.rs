//! Programs in text form over small, nasty tables, and the rows that they mean.

use super::run;
use crate::column::Table;
use crate::workers::context::{Context, Memory};
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::evaluate;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::multiloop::{Program, Shape};
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The tables of all tests: name, and rows of texts (`-` is NULL), whose types the program's own table line gives.
const TABLES: [(&str, &[&str]); 4] = [
    ("empty", &[]),
    ("numbers", &["1 10", "2 -", "2 20", "- 5", "3 -7", "- -"]),
    ("others", &["2 b", "2 c", "4 d", "- n"]),
    ("floats", &["1e100 1", "1 1", "-1e100 1", "NaN 2", "-0 3", "0 3"]),
];

fn context() -> Context {
    Context::new(Memory::new(1 << 30))
}

fn table(program: &Program, handle: u64) -> Arc<Table> {
    let found = program.collections.iter().find_map(|collection| match &collection.shape {
        Shape::Table { name, handle: other, .. } if other.0 == handle => Some((name, &collection.fields)),
        _ => None,
    });
    let (name, fields) = found.expect("the program has the table");
    let rows = TABLES.iter().find(|(known, _)| known == name).expect("the tests have the table").1;
    let value = |(text, field): (&str, &Field)| match text {
        "-" => Value::Null,
        text => evaluate::parse(text, field.data_type).expect("the tests have good values"),
    };
    let rows: Vec<Vec<Value>> = rows.iter().map(|row| row.split(' ').zip(fields).map(value).collect()).collect();
    Arc::new(Table::from_values(fields.clone(), &rows))
}

fn outcome(text: &str, parameters: &[Value], context: &Context) -> Result<Vec<String>, String> {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let result = run(&program, &|handle| table(&program, handle.0), parameters, context);
    let rows = result.map_err(|error| error.sqlstate().to_owned())?;
    let show = |(value, field): (&Value, &Field)| match value {
        Value::Null => "-".to_owned(),
        value => evaluate::format(value, field.data_type),
    };
    let row = |row: &Vec<Value>| row.iter().zip(&rows.fields).map(show).collect::<Vec<_>>().join(" ");
    Ok(rows.rows.iter().map(row).collect())
}

/// Checks the rows in any order.
fn check(text: &str, expected: &[&str]) {
    let mut rows = outcome(text, &[], &context()).unwrap_or_else(|state| panic!("failed with {state}\n{text}"));
    let mut expected = expected.to_vec();
    rows.sort();
    expected.sort_unstable();
    assert_eq!(rows, expected, "{text}");
}

/// Checks the rows in order.
fn check_ordered(text: &str, expected: &[&str]) {
    assert_eq!(outcome(text, &[], &context()).expect("it runs"), expected, "{text}");
}

const NUMBERS: &str = "table %0 numbers(a#0 integer?, b#1 integer?)\n";
const NUMBERS_AND_OTHERS: &str =
    "table %0 numbers(a#0 integer?, b#1 integer?)\ntable %1 others(c#0 integer?, d#1 text?)\n";

fn on_numbers(rest: &str) -> String {
    format!("{NUMBERS}{rest}")
}

#[test]
fn collect_keeps_rows_that_are_true() {
    check(
        &on_numbers("loop\n  i0 in %0\n  %1 collect\n    if i0.a < 3\n    b? = i0.b\nresult %1\noutput b\n"),
        &["10", "-", "20"],
    );
}

#[test]
fn conditions_guard_what_is_behind_them() {
    let guarded = "loop\n  i0 in %0\n  %1 collect\n    if i0.a <> 2\n    if 1 / (i0.a - 2) < 5\n    a? = i0.a\nresult %1\noutput a\n";
    check(&on_numbers(guarded), &["1", "3"]);
    let connected =
        "loop\n  i0 in %0\n  %1 collect\n    if i0.a <> 2 AND 1 / (i0.a - 2) < 5\n    a? = i0.a\nresult %1\noutput a\n";
    check(&on_numbers(connected), &["1", "3"]);
    let bare = "loop\n  i0 in %0\n  %1 collect\n    if 1 / (i0.a - 2) < 5\n    a? = i0.a\nresult %1\noutput a\n";
    assert_eq!(outcome(&on_numbers(bare), &[], &context()), Err("22012".to_owned()));
}

const ALL_REDUCTIONS: &str = "loop
  i0 in %0
  %1 reduce
    rows = count_rows()
    count = count(i0.a)
    kinds = count(distinct i0.a)
    sum? = sum(cast(i0.a as bigint))::bigint
    few? = sum(distinct cast(i0.a as bigint))::bigint
    large? = sum(cast(i0.a as bigint) if i0.b > 9)::bigint
    least? = min(i0.b)
    most? = max(i0.b)
    any? = any(i0.a = 3)
    every? = all(i0.a < 9)
    spread? = variance_sample(cast(i0.a as double precision))
result %1
output rows, count, kinds, sum, few, large, least, most, any, every, spread
";

#[test]
fn reductions_leave_nulls_out() {
    check(&on_numbers(ALL_REDUCTIONS), &["6 4 3 8 6 3 -7 20 t - 0.6666666666666666"]);
}

#[test]
fn reductions_of_no_rows() {
    let text = format!("table %0 empty(a#0 integer?, b#1 integer?)\n{ALL_REDUCTIONS}");
    check(&text, &["0 0 0 - - - - - f t -"]);
}

#[test]
fn groups_hold_null_together() {
    let text = "loop
  i0 in %0
  %1 bucket_reduce
    key a? = i0.a
    rows = count_rows()
    sum? = sum(cast(i0.b as bigint))::bigint
result %1
output a, rows, sum
";
    check(&on_numbers(text), &["1 1 10", "2 2 20", "3 1 -7", "- 2 5"]);
}

#[test]
fn float_keys_and_sums() {
    let text = "table %0 floats(x#0 double precision?, g#1 integer?)
loop
  i0 in %0
  %1 bucket_reduce
    key g? = i0.g
    sum? = sum(i0.x)
    kinds = count(distinct i0.x)
result %1
output g, sum, kinds
";
    check(text, &["1 1 3", "2 NaN 1", "3 0 1"]);
}

fn join(index: &str) -> String {
    format!(
        "{NUMBERS_AND_OTHERS}loop
  i0 in %1
  %2 bucket_collect
    key c? = i0.c
    d? = i0.d
loop
  i1 in %0
  {index}
  %3 collect
    a? = i1.a
    b? = i1.b
    d? = i2.d
result %3
output a, b, d
"
    )
}

#[test]
fn joins_match_null_only_when_told() {
    check(&join("i2 in %2[i1.a]"), &["2 - b", "2 - c", "2 20 b", "2 20 c"]);
    check(&join("i2 in %2[is i1.a]"), &["2 - b", "2 - c", "2 20 b", "2 20 c", "- 5 n", "- - n"]);
}

#[test]
fn left_joins_keep_rows_without_a_match() {
    check(
        &join("i2 in %2[i1.a] or null"),
        &["1 10 -", "2 - b", "2 - c", "2 20 b", "2 20 c", "- 5 -", "3 -7 -", "- - -"],
    );
    check(
        &join("i2 in %2[i1.a] or null\n    if i1.b > 0\n    if i2.d = 'c'"),
        &["1 10 -", "2 - -", "2 20 c", "- 5 -", "3 -7 -", "- - -"],
    );
}

#[test]
fn lookups_of_what_is_not_there_give_the_empty_answer() {
    let text = "loop
  i0 in %1
  %2 bucket_reduce
    key c? = i0.c
    rows = count_rows()
    least? = min(i0.d)
loop
  i1 in %0
  %3 collect
    a? = i1.a
    rows = %2[i1.a].rows
    nulls = %2[is i1.a].rows
    least? = %2[i1.a].least
    there = exists %2[i1.a]
result %3
output a, rows, nulls, least, there
";
    check(
        &format!("{NUMBERS_AND_OTHERS}{text}"),
        &["1 0 0 - f", "2 2 2 b t", "2 2 2 b t", "- 0 1 - f", "3 0 0 - f", "- 0 1 - f"],
    );
}

fn nested(reduction: &str) -> String {
    format!(
        "{NUMBERS_AND_OTHERS}loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 reduce
          if i1.c = i0.a
          value? = {reduction}
      result %3
    a? = i0.a
    value? = b0.value
result %2
output a, value
"
    )
}

#[test]
fn nested_blocks_are_evaluated_for_each_row() {
    check(&nested("max(i1.d)"), &["1 -", "2 c", "2 c", "- -", "3 -", "- -"]);
    check(&nested("count_rows()"), &["1 0", "2 2", "2 2", "- 0", "3 0", "- 0"]);
    assert_eq!(outcome(&nested("single(i1.d)"), &[], &context()), Err("21000".to_owned()));
}

#[test]
fn what_does_not_change_is_computed_once() {
    let text = "loop
  i0 in %0
  %2 collect
    block b0
      loop
        i1 in %1
        %3 bucket_reduce
          key c? = i1.c
          rows = count_rows()
      loop
        i2 in count(1::bigint)
        %4 reduce
          rows? = max(%3[i0.a].rows)
      result %4
    rows? = b0.rows
result %2
output rows
";
    let text = format!("{NUMBERS_AND_OTHERS}{text}");
    check(&text, &["0", "2", "2", "0", "0", "0"]);
    let program = parse(&text).unwrap();
    let fixed = super::fixed::definitions(&program);
    let fixed = fixed.iter().flatten().map(|definition| definition.fixed).collect::<Vec<_>>();
    assert_eq!(fixed.iter().filter(|fixed| **fixed).count(), 2, "the buckets and the result, not the nested row");
}

#[test]
fn sort_puts_nulls_where_it_is_told() {
    let sorted = |order: &str| {
        on_numbers(&format!(
            "loop\n  i0 in %0\n  %1 collect\n    a? = i0.a\n    b? = i0.b\n%2 sort %1 by {order}\nresult %2\noutput a, b\n"
        ))
    };
    check_ordered(&sorted("a, b"), &["1 10", "2 20", "2 -", "3 -7", "- 5", "- -"]);
    check_ordered(&sorted("a desc nulls first, b nulls first"), &["- -", "- 5", "3 -7", "2 -", "2 20", "1 10"]);
    check_ordered(&sorted("a desc, b desc"), &["3 -7", "2 20", "2 -", "1 10", "- 5", "- -"]);
}

#[test]
fn top_k_breaks_ties_by_all_fields() {
    let top = |limit: &str, offset: &str| {
        on_numbers(&format!(
            "loop\n  i0 in %0\n  %1 top_k limit {limit} offset {offset}\n    by i0.a desc nulls first\n    b? = i0.b\n    a? = i0.a\nresult %1\noutput a, b\n"
        ))
    };
    check_ordered(&top("4::bigint", "0::bigint"), &["- 5", "- -", "3 -7", "2 20"]);
    check_ordered(&top("NULL::bigint", "4::bigint"), &["2 -", "1 10"]);
    check_ordered(&top("0::bigint", "0::bigint"), &[]);
    check_ordered(&top("9::bigint", "9::bigint"), &[]);
    let negative = format!("parameters bigint\n{}", top("$1", "0::bigint"));
    assert_eq!(outcome(&negative, &[Value::Int(-1)], &context()), Err("2201W".to_owned()));
}

#[test]
fn literal_rows_counts_and_concatenations() {
    let text = "parameters bigint
%0 values
  fields n bigint?
  row $1
  row NULL::bigint
  row -3::bigint
loop
  i0 in %0
  i1 in count(i0.n)
  %1 collect
    n? = i1.position
%2 concat %1, %0 as n?
result %2
output n
";
    let rows = outcome(text, &[Value::Int(2)], &context()).unwrap();
    assert_eq!(rows, ["0", "1", "2", "-", "-3"]);
}

#[test]
fn a_group_of_no_keys_exists_only_with_rows() {
    let text = |table: &str| {
        format!(
            "table %0 {table}(a#0 integer?, b#1 integer?)\nloop\n  i0 in %0\n  %1 bucket_reduce\n    rows = count_rows()\nresult %1\noutput rows\n"
        )
    };
    check(&text("numbers"), &["6"]);
    check(&text("empty"), &[]);
}

#[test]
fn what_nothing_reads_does_not_fail() {
    let text = "loop\n  i0 in %0\n  %1 reduce\n    one? = single(i0.a)\nloop\n  i1 in %0\n  %2 collect\n    a? = case(i1.a > 9, %1.one, i1.a)\nresult %2\noutput a\n";
    check(&on_numbers(text), &["1", "2", "2", "-", "3", "-"]);
}

#[test]
fn cancellation_and_the_memory_limit_stop_it() {
    let text = on_numbers("loop\n  i0 in %0\n  %1 collect\n    a? = i0.a\nresult %1\noutput a\n");
    let cancelled = context();
    cancelled.cancellation.cancel();
    assert_eq!(outcome(&text, &[], &cancelled), Err("57014".to_owned()));
    let small = Context::new(Memory::new(100));
    assert_eq!(outcome(&text, &[], &small), Err("53200".to_owned()));
    let enough = context();
    outcome(&text, &[], &enough).unwrap();
    assert_eq!(enough.memory.used(), 0, "everything is given back");
}
