//! Random windows over nasty rows: any keys, frames and functions, against the interpreter, and by any number of workers.

use super::{Random, compare_forms, on_cpu, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};
use std::fmt::Write;
use std::sync::Arc;

const FIELDS: &str = "p#0 integer, o#1 bigint?, a#2 integer?, b#3 bigint?, m#4 decimal(38,2)?, q#5 decimal(9,2), \
                      d#6 double precision?, r#7 real, c#8 text?, e#9 interval?, g#10 boolean?, z#11 numeric?, n#12 integer?";

const NAMES: [&str; 13] = ["p", "o", "a", "b", "m", "q", "d", "r", "c", "e", "g", "z", "n"];

/// Aggregates, with their types where it is not the usual one.
const AGGREGATES: [&str; 37] = [
    "count_rows()",
    "count(a)",
    "count(c)",
    "count(q)",
    "sum(a)::bigint",
    "sum(b)::bigint",
    "sum(b)::decimal(38,0)",
    "sum(m)::decimal(38,2)",
    "sum(q)::decimal(38,2)",
    "sum(q)::decimal(11,2)",
    "sum(d)",
    "sum(r)",
    "sum(e)",
    "sum(z)",
    "min(a)",
    "max(b)",
    "min(m)",
    "max(q)",
    "min(d)",
    "max(d)",
    "max(r)",
    "min(c)",
    "max(c)",
    "min(e)",
    "max(e)",
    "min(g)",
    "max(z)",
    "min(z)",
    "any(g)",
    "all(g)",
    "variance_sample(d)",
    "variance_population(d)",
    "variance_sample(a)",
    "variance_population(b)",
    "variance_sample(m)",
    "variance_population(z)",
    "single(a)",
];

const FUNCTIONS: [&str; 16] = [
    "row_number()",
    "rank()",
    "dense_rank()",
    "percent_rank()",
    "cume_dist()",
    "ntile(n)",
    "lag(c, n, c)",
    "lead(d, n, d)",
    "lag(m, a, m)",
    "lead(e, n, e)",
    "lag(z, n, z)",
    "first_value(c)",
    "last_value(d)",
    "first_value(g)",
    "nth_value(b, n)",
    "nth_value(c, n)",
];

impl Random {
    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    fn frame(&mut self) -> String {
        let unit = *self.of(&["rows", "groups", "range", "rows"]);
        let mut bound = |first: &str| match self.below(6) {
            0 | 1 => first.to_owned(),
            2 => "current".to_owned(),
            number if unit == "range" => if number == 3 { "current" } else { first }.to_owned(),
            number => {
                let distance = [0, 1, 2, 3, 7, 40, u64::MAX][self.below(7) as usize];
                format!("{distance} {}", if number % 2 == 0 { "before" } else { "behind" })
            }
        };
        format!(" over {unit} {} to {}", bound("first"), bound("last"))
    }

    /// Values of a row; `wild` ones overflow what they are added up to.
    fn nasty_row(&mut self, partitions: u64, orders: u64, wild: bool) -> Vec<Value> {
        let decimal = 10i128.pow(38) - 1;
        let small = self.below(7) as i64 - 3;
        let number = match self.below(8) {
            0 if wild => i64::MAX,
            1 if wild => i64::MIN,
            _ => small * 1_000,
        };
        let wide = match self.below(8) {
            0 if wild => decimal,
            1 if wild => -decimal,
            _ => i128::from(small) << 70,
        };
        let floats = [1e308, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e160, -0.0, 0.0];
        let float = if wild && self.below(6) == 0 { *self.of(&floats) } else { small as f64 * 0.1 };
        let real = [f64::from(f32::MAX), 1e-40f32.into(), -0.0, 0.5];
        let real = if wild && self.below(6) == 0 { *self.of(&real) } else { f64::from(small as f32 * 0.3) };
        let interval = Interval { months: *self.of(&[0, 1, i32::MAX, -1]), days: *self.of(&[0, 30, 2]), micros: small };
        let interval = if wild { interval } else { Interval { months: interval.days.min(1), ..interval } };
        let numeric = *self.of(&["1.10", "1.1", "-3", "0.00", "0", "99999999999999999999999999999999999999999.5"]);
        let special =
            self.of(&[Numeric::NaN, Numeric::Infinity, Numeric::NegativeInfinity].map(Value::numeric)).clone();
        let numeric = match self.below(7) {
            0 if wild => special,
            _ => Value::numeric(Numeric::parse(numeric).expect("it is a number")),
        };
        let all = [
            Value::Int(self.below(partitions) as i64),
            Value::Int(self.below(orders) as i64),
            Value::Int(if wild { *self.of(&[i32::MAX.into(), i32::MIN.into(), 1]) } else { small }),
            Value::Int(number),
            Value::Decimal(wide),
            Value::Decimal(if wild { 999_999_999 } else { i128::from(small) }),
            Value::Float(float),
            Value::Float(real),
            Value::text(*self.of(&["", "a", "ab", "ü", "zz top, and a text that does not fit sixteen bytes"])),
            Value::Interval(interval),
            Value::Boolean(small > 0),
            numeric,
            Value::Int(*self.of(&[1, 1, 2, 5])),
        ];
        let nullable = [1, 2, 3, 4, 6, 8, 9, 10, 11, 12];
        let mut null = |(at, value)| if nullable.contains(&at) && self.below(5) == 0 { Value::Null } else { value };
        all.into_iter().enumerate().map(&mut null).collect()
    }

    /// A window with some functions.
    fn window(&mut self, functions: u64) -> String {
        let partition = *self.of(&["", " partition by p", " partition by p, c", " partition by e"]);
        let order =
            *self.of(&["", " order by o", " order by o desc, d", " order by c nulls first, p", " order by d, e desc"]);
        let (mut lines, mut outputs) = (String::new(), String::new());
        for number in 0..functions {
            let mut function = match self.below(3) {
                0 => (*self.of(&FUNCTIONS)).to_owned(),
                _ => (*self.of(&AGGREGATES)).to_owned(),
            };
            if self.below(6) > 0 {
                function += &self.frame();
            }
            write!(lines, "\n  f{number}? = {function}").expect("strings grow");
            write!(outputs, ", f{number}").expect("strings grow");
        }
        let fields: String = NAMES.iter().fold(String::new(), |all, name| all + &format!("\n    {name}? = i0.{name}"));
        let names = NAMES.join(", ");
        format!(
            "table %0 t({FIELDS})\nloop\n  i0 in %0\n  %1 collect{fields}\n%2 window %1{partition}{order}{lines}\n\
             result %2\noutput {names}{outputs}\n"
        )
    }
}

#[test]
fn random_windows_are_those_of_the_interpreter() {
    let pools = [1, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let rounds = std::env::var("WINDOWS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(150);
    for round in 0..rounds {
        // What may be an error stands alone, so that others do not hide whether it is.
        let wild = round % 3 == 0;
        let rows = *random.of(&[0, 1, 2, 3, 9, 40, 90]);
        let (partitions, orders) = (*random.of(&[1, 3, 40]), *random.of(&[1, 4, 1000]));
        let text = random.window(if wild { 1 } else { 5 });
        let rows: Vec<Vec<Value>> = (0..rows).map(|_| random.nasty_row(partitions, orders, wild)).collect();
        compare_forms(&text, &rows, &[round % 4], &pools);
    }
}

/// Many rows, so that windows are cut into pieces: whole partitions, and such that pieces cut.
#[test]
fn workers_do_not_show() {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let mut random = Random(0x9e6c_63d0_676a_9a99);
    for round in 0..12 {
        let text = random.window(6).replace("single(a)", "max(a)");
        let (partitions, orders) = (*random.of(&[1, 5, 5_000]), *random.of(&[1, 100, 1 << 40]));
        let rows: Vec<Vec<Value>> = (0..9_000).map(|_| random.nasty_row(partitions, orders, false)).collect();
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let tables = [table(&program.collections[0].fields, &rows, [0, 2][round % 2])];
        let program = with_statistics(&program, &tables);
        let all = pools.each_ref().map(|pool| on_cpu(&program, &tables, &[], pool));
        let all = all.map(|rows| rows.map(|rows| format!("{rows:?}")).map_err(|error| error.kind()));
        assert!(all[0] == all[1] && all[1] == all[2], "{text}");
    }
}

/// Frames of one partition around the length of pieces and chunks, of which sums, extremes and neighbours are known.
#[test]
fn frames_across_pieces() {
    let text = "table %0 t(a#0 bigint)
loop
  i0 in %0
  %1 collect
    a = i0.a
    n = 1::bigint
    x? = NULL::bigint
%2 window %1 order by a desc
  number = row_number()
  place = rank()
  near? = sum(a)::bigint over rows 2 before to 2 behind
  all? = sum(a)::decimal(38,0) over rows first to last
  least? = min(a) over rows 3 before to current
  left? = max(a) over rows current to last
  before? = lag(a, n, x)
  behind? = lead(a, n, a)
  seen = count_rows() over rows 1 behind to 5 behind
result %2
output a, number, place, near, all, least, left, before, behind, seen
";
    let program = parse(text).expect("it is a program");
    let fields = [Field::new("a", DataType::BigInt, false)];
    for rows in [1, 2, 8, 4_095, 4_097, 65_535, 65_536, 65_537, 131_073] {
        // 7 and the number of rows share no divisor, unless it is 7.
        let value = |row: i64| row * 7 % rows;
        let all: Vec<Vec<Value>> = (0..rows).map(|row| vec![Value::Int(value(row))]).collect();
        let tables = [table(&fields, &all, 0)];
        for threads in [1, 3] {
            let pool = Arc::new(Pool::new(threads).expect("threads start"));
            let got = on_cpu(&program, &tables, &[], &pool).expect("it runs");
            let distinct = rows % 7 != 0;
            let total = Value::Decimal((0..rows).map(|row| i128::from(value(row))).sum());
            for (row, got) in (0..rows).zip(&got) {
                let a = value(row);
                assert_eq!((&got[0], &got[4]), (&Value::Int(a), &total));
                if !distinct {
                    continue;
                }
                let exists = |a: &i64| (0..rows).contains(a);
                let int = |a: i64| if exists(&a) { Value::Int(a) } else { Value::Null };
                assert_eq!(got[1..3], [Value::Int(rows - a), Value::Int(rows - a)]);
                assert_eq!(got[3], Value::Int((a - 2..=a + 2).filter(exists).sum()));
                assert_eq!(got[5..8], [Value::Int(a), Value::Int(a), int(a + 1)]);
                assert_eq!(got[8..], [Value::Int((a - 1).max(0)), Value::Int(a.min(5))]);
            }
        }
    }
}
