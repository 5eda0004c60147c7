//! Keys of text beside other parts, in every place: words of numbers and strings behind them, short strings as numbers, floats as
//! their bits; NULL, NaN, zeros of both signs, empty strings and zero bytes among them; so many groups that rows are partitioned.
//! With all parts of the key read, and with none.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(s#0 text?, b#1 boolean?, d#2 double precision?, i#3 integer?, l#4 text?, w#5 decimal(38,0)?, v#6 interval?, m#7 text?)
loop
  i0 in %0
  %1 bucket_reduce
    KEYS
    rows = count_rows()
    most? = max(i0.i)
    first? = min(i0.l)
loop
  i1 in %1
  READER";

/// A reader of all fields, and one that reads no part of the key.
const SHOWS: &str = "%2 collect
    SHOWN
    rows = i1.rows
    most? = i1.most
    first? = i1.first
result %2
output FIELDS, rows, most, first
";
const COUNTS: &str = "%2 reduce
    groups = count_rows()
    total? = sum(i1.rows)::decimal(38,0)
result %2
output groups, total
";

/// Rows of about so many different keys.
fn rows_of(rows: i64, keys: i64) -> Vec<Vec<Value>> {
    const FLOATS: [f64; 7] = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1.5, -f64::NAN];
    let row = |row: i64| {
        let key = row * 7_919 % keys.max(1);
        let or_null = |every: i64, value: Value| if key % every == 1 { Value::Null } else { value };
        let short = match key % 5 {
            0 => String::new(),
            1 => "\u{1}".repeat(key as usize / 5 % 4),
            2 => format!("é{}", key % 1_000),
            _ => format!("{}", key % 10_000),
        };
        let float = if key % 3 == 0 { FLOATS[key as usize / 3 % 7] } else { key as f64 / 8.0 };
        let days = Interval { months: (key % 2) as i32, days: (30 - key % 2 * 30) as i32, micros: key % 50 };
        vec![
            or_null(11, Value::text(short)),
            or_null(3, Value::Boolean(key % 2 == 0)),
            or_null(7, Value::Float(float)),
            or_null(13, Value::Int(key * 1_000)),
            or_null(17, Value::text(format!("https://shop.example/pages/{key:09}/index.html"))),
            or_null(19, Value::Decimal((i128::from(key) - 50) * 10i128.pow(34))),
            or_null(5, Value::Interval(days)),
            or_null(23, Value::text(&"ab\u{1}cdefghijklmn"[..key as usize % 16])),
        ]
    };
    (0..rows).map(row).collect()
}

/// Which parts keys have.
const KEYS: [&[&str]; 16] = [
    &["b"],
    &["d"],
    &["s"],
    &["l"],
    &["m"],
    &["s", "b"],
    &["b", "l"],
    &["d", "b"],
    &["l", "b", "s"],
    &["b", "d", "l", "i"],
    &["s", "i", "b"],
    &["m", "i"],
    &["w", "l"],
    &["w", "d", "b"],
    &["v", "s", "b"],
    &["i", "l", "m", "d", "b", "w"],
];

fn check(rows: i64, keys: i64, forms: &[usize], all: &[&[&str]]) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let rows = rows_of(rows, keys);
    for key in all {
        let each = |line: &dyn Fn(&str) -> String| key.iter().map(|part| line(part)).collect::<Vec<_>>().join("\n    ");
        let text = PROGRAM.replace("KEYS", &each(&|part| format!("key {part}? = i0.{part}")));
        let shows = SHOWS.replace("SHOWN", &each(&|part| format!("{part}? = i1.{part}")));
        for reader in [&shows.replace("FIELDS", &key.join(", "))[..], COUNTS] {
            compare_forms(&text.replace("READER", reader), &rows, forms, &pools);
        }
    }
}

#[test]
fn few_rows() {
    for rows in [0, 1, 2, 63, 64, 65] {
        check(rows, 40, &[0, 1, 2, 3], &KEYS);
    }
}

#[test]
fn many_groups() {
    check(3_000, 1_500, &[0, 1], &KEYS);
}

#[test]
fn around_a_chunk() {
    for rows in [(1 << 16) - 1, (1 << 16) + 1] {
        check(rows, 2_000, &[0], &[&["l", "b", "s"], &["s", "b"], &["m"]]);
    }
}
