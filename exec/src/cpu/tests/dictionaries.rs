//! Keys of text from other dictionaries than those of what they look up: strings that are there and such as are not, NULL as
//! a key and as none, alone and beside a number, asked for by few tuples and by many.

use super::{compare, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::value::Value;
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(c#0 text?, k#1 bigint?, x#2 bigint)
table %1 u(c#0 text?, k#1 bigint?, x#2 bigint)
loop
  i0 in %0
  %2 bucket_collect
    key c? = i0.c
    x = i0.x
  %3 bucket_reduce
    key c? = i0.c
    key k? = i0.k
    n = count_rows()
    s? = sum(i0.x)::decimal(38,0)
  %4 bucket_reduce
    key c? = i0.c
loop
  i1 in %1
  i2 in %2[i1.c]
  %5 reduce
    n = count_rows()
    s? = sum(i2.x * i1.x)::decimal(38,0)
loop
  i3 in %1
  i4 in %2[i3.c] or null
  %6 collect
    x = i3.x
    y? = i4.x
loop
  i5 in %1
  %7 collect
    if NOT exists %4[is i5.c]
    x = i5.x
    n? = %3[is i5.c, i5.k].n
  %8 collect
    if NOT exists %4[i5.c]
    x = i5.x
    n? = %3[i5.c, i5.k].n
%9 concat %7, %8 as x, n?
result %RESULT
output RESULT_FIELDS
";

/// Tables of so many rows and so many strings each; every third string is in both.
fn check((rows, strings): (i64, i64), (other_rows, other_strings): (i64, i64), forms: [usize; 2]) {
    let pools = [1, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let rows_of = |rows: i64, strings: i64, step: i64| -> Vec<Vec<Value>> {
        let row = |row: i64| {
            let number = row * 31 % strings.max(1) * step;
            let text = match number % 41 {
                7 => Value::Null,
                8 => Value::text(""),
                _ => Value::text(format!("string {number}")),
            };
            let key = if row % 13 == 5 { Value::Null } else { Value::Int(number % 5) };
            vec![text, key, Value::Int(row)]
        };
        (0..rows).map(row).collect()
    };
    let (rows, others) = (rows_of(rows, strings, 1), rows_of(other_rows, other_strings, 3));
    let fields = |result: u32| {
        if result == 5 {
            "n, s"
        } else if result == 6 {
            "x, y"
        } else {
            "x, n"
        }
    };
    for result in [5, 6, 9] {
        let text = PROGRAM.replace("%RESULT", &format!("%{result}")).replace("RESULT_FIELDS", fields(result));
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let tables = [
            table(&program.collections[0].fields, &rows, forms[0]),
            table(&program.collections[1].fields, &others, forms[1]),
        ];
        compare(&with_statistics(&program, &tables), &tables, &pools, &text);
    }
}

#[test]
fn strings_of_two_dictionaries() {
    for forms in [[0, 0], [0, 1], [1, 0], [2, 0], [0, 3], [3, 3]] {
        check((1_000, 200), (1_500, 150), forms);
        check((0, 0), (10, 3), forms);
        check((10, 3), (0, 0), forms);
    }
}

#[test]
fn strings_of_a_dictionary_in_what_has_none() {
    // Too many strings for their rows.
    check((3_000, 3_000), (5_000, 700), [0, 0]);
    check((5_000, 700), (3_000, 3_000), [0, 0]);
}
