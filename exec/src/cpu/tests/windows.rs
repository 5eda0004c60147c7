//! Windows and iterations: of every function and kind of frame on nasty tables, of one large partition and many small ones,
//! and rounds without an end.

use super::{check, context, on_cpu, table, values_of};
use crate::ErrorKind;
use crate::run::run;
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use multiloop_planner::multiloop::{Program, parse::parse};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A window over the rows of a table; `%WINDOW` is its line, without `%2 window %1`, and those of its functions.
const WINDOW: &str =
    "table %0 t(a#0 integer?, b#1 bigint?, c#2 text?, d#3 double precision?, e#4 interval?, n#5 smallint)
loop
  i0 in %0
  %1 collect
    a? = i0.a
    b? = i0.b
    c? = i0.c
    d? = i0.d
    e? = i0.e
    n? = case(i0.n > 0::smallint, cast(i0.n as integer), NULL::integer)
%2 window %1%WINDOW
result %2
output a, b, c, d, e, %OUTPUT
";

/// Windows by these keys, with these functions.
fn check_windows(keys: &[&str], functions: &[&str]) {
    let names: Vec<String> = (0..functions.len()).map(|number| format!("f{number}")).collect();
    let lines = functions.iter().zip(&names).map(|(function, name)| {
        let counts = ["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "count"];
        let nullable = if counts.iter().any(|count| function.starts_with(count)) { "" } else { "?" };
        format!("\n  {name}{nullable} = {function}")
    });
    let lines: String = lines.collect();
    for keys in keys {
        check(&WINDOW.replace("%WINDOW", &format!("{keys}{lines}")).replace("%OUTPUT", &names.join(", ")));
    }
}

const KEYS: [&str; 6] = [
    "",
    " partition by a",
    " order by b desc",
    " partition by c order by d, e desc nulls first",
    " partition by d, e order by a nulls first, c",
    " partition by a, b, c order by d desc nulls first",
];

#[test]
fn functions_of_place() {
    let places = ["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()"];
    check_windows(&KEYS, &places);
    check_windows(&KEYS, &["ntile(n)"]);
}

#[test]
fn functions_of_other_rows() {
    check_windows(&KEYS, &["lag(c, n, c)", "lead(d, n, d)", "lead(e, n, e)", "lag(a, a, a)"]);
    for frame in
        ["", " over rows 1 before to 2 behind", " over groups 1 before to current", " over rows 1 behind to last"]
    {
        let functions = ["first_value(d)", "last_value(c)", "nth_value(b, n)"].map(|each| format!("{each}{frame}"));
        check_windows(&KEYS, &functions.each_ref().map(String::as_str));
    }
}

#[test]
fn aggregates_of_frames() {
    let frames = [
        "",
        " over range first to last",
        " over range current to last",
        " over rows first to current",
        " over rows first to 2 before",
        " over rows 3 before to 1 behind",
        " over rows 2 behind to 3 behind",
        " over rows current to last",
        " over groups 1 before to 1 behind",
        " over groups 1 behind to last",
    ];
    let aggregates =
        ["count_rows()", "count(b)", "sum(a)", "sum(d)", "min(c)", "max(d)", "min(e)", "variance_sample(d)"];
    for frame in frames {
        let functions = aggregates.map(|aggregate| format!("{aggregate}{frame}"));
        check_windows(&KEYS, &functions.each_ref().map(String::as_str));
    }
}

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Partitions of `each` rows of so many, whose order has groups of three peers.
fn check_large(rows: i64, each: i64) {
    let text = "table %0 t(p#0 bigint, o#1 bigint)
loop
  i0 in %0
  %1 collect
    p = i0.p
    o = i0.o
%2 window %1 partition by p order by o desc
  number = row_number()
  place = rank()
  sum? = sum(o)::decimal(38,0)
  seen = count_rows()
  left = count_rows() over rows current to last
  near? = max(o) over rows 1 before to 1 behind
result %2
output p, o, number, place, sum, seen, left, near
";
    let fields = [Field::new("p", DataType::BigInt, false), Field::new("o", DataType::BigInt, false)];
    // Rows of a partition lie apart.
    let partitions = rows / each;
    let of = |row: i64| (row % partitions, row / partitions);
    let all: Vec<Vec<Value>> = (0..rows).map(|row| vec![Value::Int(of(row).0), Value::Int(of(row).1 / 3)]).collect();
    let tables = [table(&fields, &all, 0)];
    let expected = |row: i64| {
        let (partition, place) = of(row);
        let order = place / 3;
        // Ahead of a row stand those whose order is greater; ties are as they were.
        let before = (each - 1) / 3 - order;
        let in_last = each - (each - 1) / 3 * 3;
        let ahead = if before == 0 { 0 } else { in_last + (before - 1) * 3 };
        let alike = if before == 0 { in_last } else { 3 };
        let number = ahead + place % 3 + 1;
        let sum: i64 = (order..=(each - 1) / 3).map(|at| at * if at == (each - 1) / 3 { in_last } else { 3 }).sum();
        let near = if place % 3 == 0 && before > 0 { order + 1 } else { order };
        let int = Value::Int;
        let sum = Value::Decimal(sum.into());
        vec![
            int(partition),
            int(order),
            int(number),
            int(ahead + 1),
            sum,
            int(ahead + alike),
            int(each - number + 1),
            int(near),
        ]
    };
    let wanted: Vec<Vec<Value>> = if each <= 3_000 { (0..rows).map(expected).collect() } else { Vec::new() };
    let mut first: Option<Vec<Vec<Value>>> = None;
    for threads in [1, 3] {
        let pool = Arc::new(Pool::new(threads).expect("threads start"));
        let got = on_cpu(&program(text), &tables, &[], &pool).expect("it runs");
        assert_eq!(got.len() as i64, rows);
        if !wanted.is_empty() {
            assert!(got == wanted, "partitions of {each}");
        }
        let mut numbers: Vec<(i64, i64)> = Vec::new();
        for (row, got) in (0..).zip(&got) {
            let (Value::Int(number), Value::Int(left)) = (&got[2], &got[6]) else { panic!("they are integers") };
            assert_eq!(number + left, each + 1);
            numbers.push((of(row).0, *number));
        }
        numbers.sort_unstable();
        let all = (0..partitions).flat_map(|partition| (1..=each).map(move |number| (partition, number)));
        assert!(all.eq(numbers), "partitions of {each}");
        assert!(first.as_ref().is_none_or(|first| *first == got), "threads show");
        first.get_or_insert(got);
    }
}

#[test]
fn partitions_of_any_size() {
    for (rows, each) in [(1, 1), (3_000, 3_000), (65_537, 1), (66_000, 33), (200_000, 200_000)] {
        check_large(rows, each);
    }
}

/// The keys that can be reached from those of the least key, by rows of a table.
const REACHED: &str = "table %0 t(a#0 integer?, b#1 integer?, c#2 text?)
loop
  i0 in %0
  %1 bucket_collect
    key a? = i0.a
    b? = i0.b
  %2 collect
    if i0.a < 1
    a? = i0.a
    c? = i0.c
%3 iterate distinct %2 through %4 as a?, c?
  loop
    i1 in %4
    i2 in %1[i1.a]
    %5 collect
      a? = i2.b
      c? = i1.c
  result %5
result %3
output a, c
";

#[test]
fn rounds_over_rows() {
    check(REACHED);
    // With a count of rounds that ends them, and a reduction in the step.
    check(
        "table %0 t(a#0 integer?, d#1 double precision?)
loop
  i0 in %0
  %1 collect
    n? = cast(0 as bigint)
    d? = i0.d
%2 iterate %1 through %3 as n?, d?
  loop
    i1 in %3
    %4 bucket_reduce
      if i1.n < 4::bigint
      key n? = i1.n + 1::bigint
      d? = max(i1.d)
  result %4
result %2
output n, d
",
    );
}

/// An iteration in a block that a row asks anew.
#[test]
fn rounds_in_blocks() {
    check(
        "table %0 t(a#0 smallint)
loop
  i0 in %0
  %1 collect
    a = i0.a
    block b0
      %2 values
        fields x bigint?
        row cast(i0.a as bigint)
      %3 iterate %2 through %4 as x?
        loop
          i1 in %4
          %5 collect
            if i1.x < 5::bigint
            x? = i1.x + cast(i0.a - i0.a as bigint) + 1::bigint
        result %5
      loop
        i2 in %3
        %6 reduce
          n = count_rows()
          s? = sum(i2.x)
      result %6
    n = b0.n
    s? = b0.s
result %1
output a, n, s
",
    );
}

const ENDLESS: &str = "%0 values
  fields n bigint?
  row 1::bigint
%1 iterate %0 through %2 as n?
  loop
    i0 in %2
    %3 collect
      n? = i0.n + 1::bigint - 1::bigint
  result %3
result %1
output n
";

#[test]
fn rounds_without_an_end_are_stopped() {
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let tables = |_| unreachable!("there are no tables");
    let memory = Memory::new(1 << 18);
    let error =
        run(&program(ENDLESS), &tables, &[], &Context::new(Arc::clone(&memory)), &pool).expect_err("it is endless");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert_eq!(memory.used(), 0);
    let context = context();
    let cancellation = context.cancellation.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancellation.cancel();
    });
    let error = run(&program(ENDLESS), &tables, &[], &context, &pool).expect_err("it is endless");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    canceller.join().expect("it slept");
}

/// More rounds than are gathered at a time, of one row each.
#[test]
fn rounds_are_gathered() {
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let counted = ENDLESS
        .replace("1::bigint - 1::bigint", "1::bigint")
        .replace("      n? =", "      if i0.n < 2500::bigint\n      n? =");
    for distinct in ["", "distinct "] {
        let text = counted.replace("iterate ", &format!("iterate {distinct}"));
        let output = run(&program(&text), &|_| unreachable!("there are no tables"), &[], &context(), &pool);
        let rows = values_of(output.expect("it runs")).expect("it gives rows");
        assert!(rows.into_iter().eq((1..=2500).map(|n| vec![Value::Int(n)])));
    }
}
