//! Rows of the model, and the expressions over them: each is printed as SQL and evaluated by plain Rust.

use super::super::typed_random::Random;
use std::cmp::Ordering;
use std::fmt::{self, Display};

/// A row of either table.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) k: Option<i64>,
    pub(super) n: Option<i64>,
    pub(super) s: Option<String>,
    pub(super) x: Option<f64>,
}

/// What a row of a table is read beside: the row that was to be inserted, and what subqueries give for it.
pub(super) struct Sight<'a> {
    pub(super) own: &'a Row,
    pub(super) excluded: &'a Row,
    /// The greatest `n` of its own table.
    pub(super) most: Option<i64>,
    /// How many rows of the other table have its `k`.
    pub(super) matches: i64,
}

/// The names that a statement knows its rows by.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// The table that is changed.
    pub(super) own: &'static str,
    /// The table beside it.
    pub(super) other: &'static str,
}

/// An expression of type integer.
#[derive(Clone, Debug)]
pub(super) enum Number {
    K,
    N,
    ExcludedN,
    Constant(i64),
    Null,
    Length,
    Most,
    Matches,
    Add(Box<Number>, i64),
    Divided(i64, Box<Number>),
}

/// An expression of type text.
#[derive(Clone, Debug)]
pub(super) enum Words {
    S,
    ExcludedS,
    Null,
    Literal(&'static str),
    Appended(&'static str),
    Numbered,
}

/// An expression of type double precision.
#[derive(Clone, Debug)]
pub(super) enum Real {
    Constant(f64),
    Null,
    Negated,
    Quarter(Number),
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Always,
    Compare(Number, &'static str, Number),
    Rest(i64, i64),
    Between(i64, i64),
    IsNull(&'static str),
    TextIs(&'static str),
    RealBelow(f64),
    Not(Box<Condition>),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
}

/// The SQLSTATE of an expression's error.
pub(super) type State = &'static str;

pub(super) const OUT_OF_RANGE: State = "22003";
const DIVISION_BY_ZERO: State = "22012";

/// How many characters appended texts have at most.
const TEXT_MAX: usize = 6;

const TEXTS: [&str; 8] = ["", "a", "ab", "b%", "it's", "Z", "ü", "a longer text of some words"];
const REALS: [f64; 8] = [0.0, -0.0, 0.25, -1.5, 100.75, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// Numbers as PostgreSQL shows them, for those that there are.
pub(super) fn shown(real: f64) -> String {
    match real {
        _ if real.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        _ => real.to_string(),
    }
}

/// PostgreSQL's order of doubles: NaN is equal to itself and greater than all others.
pub(super) fn order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

pub(super) fn or_null<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "NULL".to_owned(), show)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Row {
    /// The cells as a query shows them.
    pub(super) fn cells(&self) -> Vec<String> {
        let number = |value: Option<i64>| or_null(value, |value| value.to_string());
        vec![number(self.k), number(self.n), or_null(self.s.clone(), |text| text), or_null(self.x, shown)]
    }

    /// The row as VALUES have it.
    pub(super) fn values(&self) -> String {
        let number = |value: Option<i64>| or_null(value, |value| value.to_string());
        let real = or_null(self.x, |x| format!("'{}'::double precision", shown(x)));
        format!("({}, {}, {}, {real})", number(self.k), number(self.n), or_null(self.s.as_deref(), quoted))
    }

    pub(super) fn random(random: &mut Random, keys: u64) -> Row {
        let k = (!random.one_of(40)).then(|| random.below(keys) as i64);
        let n = (!random.one_of(5)).then(|| if random.one_of(60) { 2000 } else { random.below(20) as i64 - 4 });
        let s = (!random.one_of(5)).then(|| pick(random, &TEXTS).to_owned());
        let x = (!random.one_of(5)).then(|| pick(random, &REALS));
        Row { k, n, s, x }
    }
}

/// One of several.
pub(super) fn pick<T: Copy>(random: &mut Random, among: &[T]) -> T {
    among[random.below(among.len() as u64) as usize]
}

fn integer(value: i64) -> Result<Option<i64>, State> {
    i32::try_from(value).map(|value| Some(i64::from(value))).map_err(|_| OUT_OF_RANGE)
}

impl Number {
    pub(super) fn random(random: &mut Random, excluded: bool) -> Number {
        match random.below(16) {
            0 => Number::K,
            1 => Number::N,
            2 => Number::Null,
            3 => Number::Length,
            4 => Number::Most,
            5 => Number::Matches,
            6 => Number::Add(Box::new(Number::K), random.below(100) as i64),
            7 if random.one_of(2) => Number::Add(Box::new(Number::N), 2_147_483_640),
            7 | 8 => Number::Divided(20, Box::new(Number::N)),
            9 if excluded => Number::Add(Box::new(Number::ExcludedN), 1),
            10 if excluded => Number::ExcludedN,
            11 => Number::Constant(random.below(500) as i64 * 1000 - 499_500),
            12 | 13 => Number::Constant(random.below(40) as i64 - 10),
            _ => Number::Add(Box::new(Number::N), random.below(9) as i64 - 4),
        }
    }

    pub(super) fn of(&self, sight: &Sight<'_>) -> Result<Option<i64>, State> {
        Ok(match self {
            Number::K => sight.own.k,
            Number::N => sight.own.n,
            Number::ExcludedN => sight.excluded.n,
            Number::Constant(value) => Some(*value),
            Number::Null => None,
            Number::Length => sight.own.s.as_ref().map(|text| text.chars().count() as i64),
            Number::Most => sight.most,
            Number::Matches => Some(sight.matches),
            Number::Add(inner, by) => match inner.of(sight)? {
                Some(value) => integer(value + by)?,
                None => None,
            },
            Number::Divided(dividend, divisor) => match divisor.of(sight)? {
                Some(0) => return Err(DIVISION_BY_ZERO),
                divisor => divisor.map(|divisor| dividend / divisor),
            },
        })
    }

    pub(super) fn sql(&self, names: Names) -> String {
        let Names { own, other } = names;
        match self {
            Number::K => format!("{own}.k"),
            Number::N => format!("{own}.n"),
            Number::ExcludedN => "excluded.n".to_owned(),
            Number::Constant(value) => value.to_string(),
            Number::Null => "NULL".to_owned(),
            Number::Length => format!("length({own}.s)"),
            Number::Most => format!("(SELECT max(o.n) FROM {own} AS o)"),
            Number::Matches => format!("(SELECT count(*) FROM {other} AS o WHERE o.k = {own}.k)"),
            Number::Add(inner, by) => format!("{} + {by}", inner.sql(names)),
            Number::Divided(dividend, divisor) => format!("{dividend} / {}", divisor.sql(names)),
        }
    }
}

impl Words {
    pub(super) fn random(random: &mut Random, excluded: bool) -> Words {
        match random.below(8) {
            0 => Words::Null,
            1 => Words::S,
            2 if excluded => Words::ExcludedS,
            3 => Words::Numbered,
            4 | 5 => Words::Appended(pick(random, &["x", "é", ""])),
            _ => Words::Literal(pick(random, &TEXTS)),
        }
    }

    pub(super) fn of(&self, sight: &Sight<'_>) -> Option<String> {
        match self {
            Words::S => sight.own.s.clone(),
            Words::ExcludedS => sight.excluded.s.clone(),
            Words::Null => None,
            Words::Literal(text) => Some((*text).to_owned()),
            Words::Appended(text) => {
                let whole = sight.own.s.as_ref()?.chars().chain(text.chars());
                Some(whole.take(TEXT_MAX).collect())
            }
            Words::Numbered => sight.own.k.map(|k| format!("of {k}")),
        }
    }

    pub(super) fn sql(&self, names: Names) -> String {
        let own = names.own;
        match self {
            Words::S => format!("{own}.s"),
            Words::ExcludedS => "excluded.s".to_owned(),
            Words::Null => "NULL".to_owned(),
            Words::Literal(text) => quoted(text),
            Words::Appended(text) => format!("left({own}.s || '{text}', {TEXT_MAX})"),
            Words::Numbered => format!("'of ' || {own}.k"),
        }
    }
}

impl Real {
    pub(super) fn random(random: &mut Random) -> Real {
        match random.below(5) {
            0 => Real::Null,
            1 => Real::Negated,
            2 => Real::Quarter(Number::N),
            _ => Real::Constant(pick(random, &REALS)),
        }
    }

    pub(super) fn of(&self, sight: &Sight<'_>) -> Result<Option<f64>, State> {
        Ok(match self {
            Real::Constant(value) => Some(*value),
            Real::Null => None,
            Real::Negated => sight.own.x.map(|x| -x),
            Real::Quarter(number) => number.of(sight)?.map(|value| value as f64 / 4.0),
        })
    }

    pub(super) fn sql(&self, names: Names) -> String {
        match self {
            Real::Constant(value) => format!("'{}'", shown(*value)),
            Real::Null => "NULL".to_owned(),
            Real::Negated => format!("- {}.x", names.own),
            Real::Quarter(number) => format!("({})::double precision / 4", number.sql(names)),
        }
    }
}

impl Condition {
    pub(super) fn random(random: &mut Random, keys: u64, excluded: bool) -> Condition {
        let number = |random: &mut Random| match random.below(4) {
            0 => Number::K,
            1 if excluded => Number::ExcludedN,
            2 => Number::Constant(random.below(30) as i64 - 5),
            _ => Number::N,
        };
        match random.below(14) {
            0 => Condition::Always,
            1 => Condition::Compare(Number::K, "=", Number::Constant(random.below(keys) as i64)),
            2 => Condition::Rest(2 + random.below(4) as i64, random.below(3) as i64),
            3 | 4 => {
                let first = random.below(keys) as i64;
                Condition::Between(first, first + random.below(keys / 4 + 1) as i64)
            }
            5 => Condition::IsNull(pick(random, &["k", "n", "s", "x"])),
            6 => Condition::TextIs(pick(random, &TEXTS)),
            7 => Condition::RealBelow(pick(random, &REALS)),
            8 => Condition::Not(Box::new(Condition::random(random, keys, excluded))),
            9 | 10 => {
                let [a, b] = [(); 2].map(|()| Box::new(Condition::random(random, keys, excluded)));
                if random.one_of(3) { Condition::Either(a, b) } else { Condition::Both(a, b) }
            }
            _ => {
                let compare = pick(random, &["=", "<>", "<", ">="]);
                Condition::Compare(number(random), compare, number(random))
            }
        }
    }

    /// Whether a row meets it; none is NULL. None of them has an error.
    pub(super) fn of(&self, sight: &Sight<'_>) -> Option<bool> {
        let own = sight.own;
        match self {
            Condition::Always => Some(true),
            Condition::Compare(a, compare, b) => {
                let [a, b] = [a, b].map(|number| number.of(sight).ok().flatten());
                let (a, b) = (a?, b?);
                Some(match *compare {
                    "=" => a == b,
                    "<>" => a != b,
                    "<" => a < b,
                    _ => a >= b,
                })
            }
            Condition::Rest(by, rest) => own.k.map(|k| k % by == *rest),
            Condition::Between(low, high) => own.k.map(|k| k >= *low && k <= *high),
            Condition::IsNull(column) => Some(match *column {
                "k" => own.k.is_none(),
                "n" => own.n.is_none(),
                "s" => own.s.is_none(),
                _ => own.x.is_none(),
            }),
            Condition::TextIs(text) => own.s.as_ref().map(|s| s == text),
            Condition::RealBelow(bound) => own.x.map(|x| order(x, *bound).is_lt()),
            Condition::Not(inner) => inner.of(sight).map(|inner| !inner),
            Condition::Both(a, b) => match (a.of(sight), b.of(sight)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (a, b) => a.zip(b).map(|_| true),
            },
            Condition::Either(a, b) => match (a.of(sight), b.of(sight)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (a, b) => a.zip(b).map(|_| false),
            },
        }
    }

    pub(super) fn sql(&self, names: Names) -> String {
        let own = names.own;
        match self {
            Condition::Always => "true".to_owned(),
            Condition::Compare(a, compare, b) => format!("{} {compare} {}", a.sql(names), b.sql(names)),
            Condition::Rest(by, rest) => format!("{own}.k % {by} = {rest}"),
            Condition::Between(low, high) => format!("{own}.k BETWEEN {low} AND {high}"),
            Condition::IsNull(column) => format!("{own}.{column} IS NULL"),
            Condition::TextIs(text) => format!("{own}.s = {}", quoted(text)),
            Condition::RealBelow(bound) => format!("{own}.x < '{}'", shown(*bound)),
            Condition::Not(inner) => format!("NOT ({})", inner.sql(names)),
            Condition::Both(a, b) => format!("({} AND {})", a.sql(names), b.sql(names)),
            Condition::Either(a, b) => format!("({} OR {})", a.sql(names), b.sql(names)),
        }
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cells().join("|"))
    }
}
