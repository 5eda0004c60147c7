//! Random expressions over random rows.

use super::*;
use multiloop_planner::function::{DatePart, Function as F, TrimSide};
use multiloop_planner::multiloop::Scalar;
use multiloop_planner::types::DataType as T;
use multiloop_planner::value::Interval;

const DECIMAL: T = T::Decimal { precision: 12, scale: 2 };
const WIDE: T = T::Decimal { precision: 38, scale: 4 };
const COUNT: T = T::Decimal { precision: 20, scale: 0 };
/// The columns: name, type, and how nasty their values are.
const COLUMNS: [(T, Spread); 18] = [
    (T::Integer, Spread::Small),
    (T::Integer, Spread::Any),
    (T::SmallInt, Spread::Any),
    (T::BigInt, Spread::Small),
    (T::BigInt, Spread::Any),
    (DECIMAL, Spread::Small),
    (DECIMAL, Spread::Any),
    (WIDE, Spread::Any),
    (COUNT, Spread::Small),
    (T::Double, Spread::Any),
    (T::Real, Spread::Small),
    (T::Text, Spread::Small),
    (T::Text, Spread::Any),
    (T::Date, Spread::Small),
    (T::Boolean, Spread::Any),
    (T::Date, Spread::Any),
    (T::Timestamp, Spread::Small),
    (T::Timestamp, Spread::Any),
];

#[derive(Clone, Copy, PartialEq)]
enum Spread {
    Small,
    Any,
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn integer(&mut self, data_type: T, spread: Spread) -> i128 {
        let (low, high) = data_type.integer_bounds().expect("integer-like");
        match (spread, self.below(6)) {
            (Spread::Small, _) => self.below(200) as i128 - 40,
            (_, 0) => self.pick(&[low, high, low + 1, high - 1, 0, 1, -1]),
            (_, 1) => self.below(10) as i128 - 5,
            _ => {
                let wide = i128::from(self.next() as i64).wrapping_mul(i128::from(self.next() as i64));
                wide.rem_euclid(high.saturating_sub(low).saturating_add(1)).saturating_add(low) >> self.below(60)
            }
        }
    }

    fn value(&mut self, data_type: T, spread: Spread) -> Value {
        match data_type {
            T::Boolean => Value::Boolean(self.below(2) == 1),
            T::Decimal { .. } => Value::Decimal(self.integer(data_type, spread)),
            // Dates that every function of dates takes.
            T::Date if spread == Spread::Any => Value::Int(self.below(1_500_000) as i64 - 700_000),
            // Timestamps from the year 1 to 9999.
            T::Timestamp if spread == Spread::Any => {
                let seconds = self.below(315_000_000_000) as i64 - 62_000_000_000;
                Value::Int(seconds * 1_000_000 + self.pick(&[0, 1, 999_999, 500_000]))
            }
            T::Interval => Value::Interval(Interval {
                months: self.pick(&[0, 0, 1, -1, 13]),
                days: self.pick(&[0, 0, 1, -30]),
                micros: self.pick(&[0, 0, 1, -3_600_000_000, 86_400_000_001]),
            }),
            T::Double => {
                Value::Float(self.pick(&[0.0, -0.0, 1.5, f64::NAN, f64::INFINITY, -1e308, 1e308, 1e-300, 3.0]))
            }
            T::Real => Value::Float(self.pick(&[0.0, 1.5, -2.25, 100.0])),
            T::Text if spread == Spread::Small => {
                Value::text(self.pick(&["", "apple", "Äpfel", "pear", "applepie", "ab%"]))
            }
            T::Text => {
                let parts = ["special", " ", "requests", "x", "ä", "🦀", "%", "a", "apple"];
                Value::text((0..self.below(7)).map(|_| self.pick(&parts)).collect::<String>())
            }
            _ => Value::Int(self.integer(data_type, spread) as i64),
        }
    }

    fn rows(&mut self, count: usize) -> Vec<Vec<Value>> {
        // Some columns have no NULL, some have some, some are all NULL.
        let nulls: Vec<u64> = COLUMNS.iter().map(|_| self.pick(&[0, 0, 10, 50, 100])).collect();
        let row = |random: &mut Random| {
            let value = |(&(data_type, spread), &nulls): (&(T, Spread), &u64)| match random.below(100) < nulls {
                true => Value::Null,
                false => random.value(data_type, spread),
            };
            COLUMNS.iter().zip(&nulls).map(value).collect()
        };
        (0..count).map(|_| row(self)).collect()
    }
}

struct Maker<'r> {
    random: &'r mut Random,
    scalars: Scalars,
}

impl Maker<'_> {
    fn leaf(&mut self, t: T) -> ScalarId {
        let columns: Vec<u32> = (0..COLUMNS.len() as u32).filter(|&at| COLUMNS[at as usize].0 == t).collect();
        match self.random.below(10) {
            0 => self.scalars.constant(Value::Null, t),
            1..=3 => {
                let spread = self.random.pick(&[Spread::Small, Spread::Any]);
                let value = self.random.value(t, spread);
                self.scalars.constant(value, t)
            }
            _ if columns.is_empty() => self.scalars.constant(Value::Null, t),
            _ => {
                let field = self.random.pick(&columns);
                self.scalars.column(IndexId(0), field, t)
            }
        }
    }

    fn any_type(&mut self) -> T {
        self.random.pick(&[
            T::Boolean,
            T::Integer,
            T::SmallInt,
            T::BigInt,
            DECIMAL,
            WIDE,
            COUNT,
            T::Double,
            T::Text,
            T::Date,
            T::Timestamp,
        ])
    }

    fn call(&mut self, function: F, types: &[T], result: T, depth: u32) -> ScalarId {
        let arguments = types.iter().map(|&t| self.make(t, depth)).collect();
        self.scalars.call(function, arguments, result)
    }

    /// A scalar of a type, at most so deep.
    fn make(&mut self, t: T, depth: u32) -> ScalarId {
        if depth == 0 || self.random.below(8) == 0 {
            return self.leaf(t);
        }
        let depth = depth - 1;
        match self.random.below(8) {
            0 => return self.call(F::Case, &[T::Boolean, t, T::Boolean, t, t], t, depth),
            1 => return self.call(F::Coalesce, &[t, t, t], t, depth),
            2 => {
                let function = self.random.pick(&[F::NullIf, F::Greatest, F::Least]);
                return self.call(function, &[t, t], t, depth);
            }
            _ => {}
        }
        match t {
            T::Boolean => self.boolean(depth),
            T::Text => self.text(depth),
            T::Date => {
                let function = self.random.pick(&[F::DateAddDays, F::DateSubtractDays]);
                self.call(function, &[T::Date, T::Integer], t, depth)
            }
            T::Timestamp => self.timestamp(depth),
            T::Double | T::Real => self.float(t, depth),
            _ => self.number(t, depth),
        }
    }

    fn boolean(&mut self, depth: u32) -> ScalarId {
        let t = self.any_type();
        match self.random.below(8) {
            0 => self.call(F::And, &[T::Boolean; 3], T::Boolean, depth),
            1 => self.call(F::Or, &[T::Boolean; 3], T::Boolean, depth),
            2 => {
                let test = self.random.pick(&[F::Not, F::IsTrue, F::IsFalse]);
                self.call(test, &[T::Boolean], T::Boolean, depth)
            }
            3 => {
                let test = self.random.pick(&[F::IsNull, F::IsNotNull]);
                self.call(test, &[t], T::Boolean, depth)
            }
            4 => {
                let pattern = self.random.pick(&[
                    "%special%requests%",
                    "APPLE%",
                    "%PP%L%",
                    "apple%",
                    "%a",
                    "%ä%",
                    "a_p%",
                    "",
                    "%",
                    "apple",
                    "%pple%",
                ]);
                let pattern = self.scalars.constant(Value::text(pattern), T::Text);
                let text = self.make(T::Text, depth);
                let function = self.random.pick(&[F::Like, F::ILike, F::Contains, F::StartsWith, F::EndsWith]);
                self.scalars.call(function, vec![text, pattern], T::Boolean)
            }
            5 => {
                let mut list = vec![self.make(t, depth)];
                let members = if self.random.below(6) == 0 { 40 } else { self.random.below(4) + 1 };
                for _ in 0..members {
                    let member =
                        if self.random.below(12) == 0 { Value::Null } else { self.random.value(t, Spread::Small) };
                    list.push(self.scalars.constant(member, t));
                }
                self.scalars.call(F::InList, list, T::Boolean)
            }
            _ => {
                let compare = [
                    F::Equal,
                    F::NotEqual,
                    F::Less,
                    F::LessEqual,
                    F::Greater,
                    F::GreaterEqual,
                    F::IsDistinct,
                    F::IsNotDistinct,
                ];
                let function = self.random.pick(&compare);
                self.call(function, &[t, t], T::Boolean, depth)
            }
        }
    }

    fn text(&mut self, depth: u32) -> ScalarId {
        match self.random.below(6) {
            0 => {
                let text = self.make(T::Text, depth);
                let from = self.random.below(6) as i64 - 1;
                let from = self.scalars.constant(Value::Int(from), T::Integer);
                let count = self.random.below(5) as i64;
                let count = self.scalars.constant(Value::Int(count), T::Integer);
                self.scalars.call(F::Substring, vec![text, from, count], T::Text)
            }
            1 => self.call(F::Substring, &[T::Text, T::Integer, T::Integer], T::Text, depth),
            2 => match self.random.below(8) {
                0 | 1 => self.call(F::Lower, &[T::Text], T::Text, depth),
                2 | 3 => self.call(F::Upper, &[T::Text], T::Text, depth),
                4 => {
                    let from = self.random.pick(&[T::Integer, T::Date, DECIMAL, T::Boolean]);
                    self.call(F::Cast, &[from], T::Text, depth)
                }
                _ => {
                    let function = self.random.pick(&[F::InitCap, F::Reverse]);
                    self.call(function, &[T::Text], T::Text, depth)
                }
            },
            3 => self.with_constants(depth),
            _ => {
                let function = self.random.pick(&[F::Concat, F::Concat, F::ConcatSkipNull, F::ConcatWithSeparator]);
                self.call(function, &[T::Text, T::Text], T::Text, depth)
            }
        }
    }

    /// A function of a text whose other arguments are constants.
    fn with_constants(&mut self, depth: u32) -> ScalarId {
        let text = self.make(T::Text, depth);
        let words = ["", "a", "pp", " ", "ä", "apple", "xa"];
        let mut constant = |scalars: &mut Scalars| {
            let word = self.random.pick(&words);
            scalars.constant(Value::text(word), T::Text)
        };
        let mut arguments = vec![text];
        let side = [TrimSide::Both, TrimSide::Leading, TrimSide::Trailing];
        arguments.push(constant(&mut self.scalars));
        let function = match self.random.below(6) {
            0 => F::Trim(self.random.pick(&side)),
            5 => {
                let part = self.random.below(8) as i64 - 4;
                arguments.push(self.scalars.constant(Value::Int(part), T::Integer));
                F::SplitPart
            }
            1 => {
                let word = self.random.pick(&words);
                arguments.push(self.scalars.constant(Value::text(word), T::Text));
                F::Replace
            }
            2 => {
                arguments.truncate(1);
                F::Trim(self.random.pick(&side))
            }
            _ => {
                let count = self.random.below(8) as i64 - 2;
                arguments[1] = self.scalars.constant(Value::Int(count), T::Integer);
                self.random.pick(&[F::Left, F::Right])
            }
        };
        self.scalars.call(function, arguments, T::Text)
    }

    fn timestamp(&mut self, depth: u32) -> ScalarId {
        let from = self.random.pick(&[T::Date, T::Timestamp]);
        match self.random.below(4) {
            0 => self.call(F::Cast, &[T::Date], T::Timestamp, depth),
            1 => {
                let units = [
                    DatePart::Month,
                    DatePart::Week,
                    DatePart::Century,
                    DatePart::Hour,
                    DatePart::Millisecond,
                    DatePart::Year,
                    DatePart::Quarter,
                    DatePart::Day,
                ];
                let unit = self.random.pick(&units);
                self.call(F::DateTrunc(unit), &[from], T::Timestamp, depth)
            }
            _ => {
                let moved = self.make(from, depth);
                let interval = self.random.value(T::Interval, Spread::Small);
                let interval = self.scalars.constant(interval, T::Interval);
                let function = self.random.pick(&[F::AddInterval, F::SubtractInterval]);
                self.scalars.call(function, vec![moved, interval], T::Timestamp)
            }
        }
    }

    fn float(&mut self, t: T, depth: u32) -> ScalarId {
        match self.random.below(6) {
            0 => {
                let from = self.random.pick(&[T::Integer, T::BigInt, DECIMAL, WIDE]);
                self.call(F::Cast, &[from], t, depth)
            }
            1 => {
                let same = [F::Negate, F::Abs, F::Sign, F::Ceil, F::Floor, F::Round, F::Truncate];
                let function = self.random.pick(&same);
                self.call(function, &[t], t, depth)
            }
            2 if t == T::Double => {
                let function = self.random.pick(&[F::SquareRoot, F::Exp, F::Ln, F::Sin, F::Atan, F::Degrees]);
                self.call(function, &[t], t, depth)
            }
            2 if t == T::Real => self.call(F::Cast, &[T::Double], t, depth),
            3 if t == T::Double => {
                let function = self.random.pick(&[F::Power, F::Atan2]);
                self.call(function, &[t, t], t, depth)
            }
            _ => {
                let function = self.random.pick(&[F::Add, F::Subtract, F::Multiply, F::Divide, F::Modulo]);
                self.call(function, &[t, t], t, depth)
            }
        }
    }

    fn number(&mut self, t: T, depth: u32) -> ScalarId {
        match self.random.below(10) {
            0 | 1 => {
                let from = self.random.pick(&[T::SmallInt, T::Integer, T::BigInt, DECIMAL, WIDE, COUNT, T::Double]);
                self.call(F::Cast, &[from], t, depth)
            }
            2 => {
                let function = self.random.pick(&[F::Negate, F::Abs, F::Sign]);
                self.call(function, &[t], t, depth)
            }
            3 if t == T::Integer => match self.random.below(4) {
                0 => self.call(F::Length, &[T::Text], t, depth),
                1 => {
                    let function = self.random.pick(&[F::OctetLength, F::Ascii]);
                    self.call(function, &[T::Text], t, depth)
                }
                _ => self.call(F::Position, &[T::Text, T::Text], t, depth),
            },
            3 if t == DECIMAL && self.random.below(3) == 0 => {
                let part = self.random.pick(&[
                    DatePart::Second,
                    DatePart::Hour,
                    DatePart::Minute,
                    DatePart::Quarter,
                    DatePart::Year,
                    DatePart::Month,
                ]);
                self.call(F::Extract(part), &[T::Timestamp], t, depth)
            }
            3 if matches!(t, T::SmallInt | T::BigInt) => {
                let function = self.random.pick(&[F::BitAnd, F::BitOr, F::BitXor]);
                self.call(function, &[t, t], t, depth)
            }
            4 if matches!(t, T::SmallInt | T::BigInt) => {
                let function = self.random.pick(&[F::ShiftLeft, F::ShiftRight]);
                self.call(function, &[t, T::Integer], t, depth)
            }
            3 | 4 if t == DECIMAL || t == WIDE => {
                let from = self.random.pick(&[DECIMAL, WIDE]);
                let function = self.random.pick(&[F::Round, F::Truncate, F::Ceil, F::Floor, F::Divide]);
                match function {
                    F::Divide => self.call(F::Divide, &[from, DECIMAL], t, depth),
                    F::Round | F::Truncate if self.random.below(2) == 0 => {
                        let number = self.make(from, depth);
                        let digits = self.random.below(9) as i64 - 3;
                        let digits = self.scalars.constant(Value::Int(digits), T::Integer);
                        self.scalars.call(function, vec![number, digits], t)
                    }
                    _ => self.call(function, &[from], t, depth),
                }
            }
            3 if t == COUNT => {
                let part = self.random.pick(&[DatePart::Year, DatePart::Month, DatePart::Day, DatePart::Week]);
                self.call(F::Extract(part), &[T::Date], t, depth)
            }
            4 if t == T::Integer => self.call(F::DateDifference, &[T::Date, T::Date], t, depth),
            5 | 6 if t == WIDE => self.call(F::Multiply, &[DECIMAL, DECIMAL], t, depth),
            5 if t.is_integer() || t == COUNT => self.call(F::Multiply, &[t, t], t, depth),
            6 => self.call(F::Divide, &[t, t], t, depth),
            7 => self.call(F::Modulo, &[t, t], t, depth),
            8 => self.call(F::Subtract, &[t, t], t, depth),
            _ => self.call(F::Add, &[t, t], t, depth),
        }
    }
}

fn fields() -> Vec<Field> {
    COLUMNS.iter().enumerate().map(|(at, &(t, _))| Field::new(format!("c{at}"), t, true)).collect()
}

fn random_case(seed: u64, roots: usize, boolean: bool) -> (Case, Vec<ScalarId>, Random) {
    let mut random = Random(seed);
    let count = random.pick(&[0usize, 1, 2, 63, 64, 65, 200, 200, 300]);
    let rows = random.rows(count);
    let mut maker = Maker { random: &mut random, scalars: Scalars::default() };
    let roots: Vec<ScalarId> = (0..roots)
        .map(|_| {
            let t = if boolean { T::Boolean } else { maker.any_type() };
            maker.make(t, 3)
        })
        .collect();
    let scalars = maker.scalars;
    let storage = random.pick(&[Storage::Compact, Storage::Keep]);
    (Case::new(fields(), rows, storage, scalars, &roots), roots, random)
}

#[test]
fn values_are_those_of_the_definition() {
    for seed in 0..3000 {
        let (case, roots, mut random) = random_case(seed, 4, false);
        let (expressions, ranges) = case.expressions(&roots);
        with_tile(&case, &expressions, |tile| {
            for &root in &roots {
                check_root(&case, &ranges, tile, root, &mut random, seed);
            }
        });
    }
}

fn check_root(case: &Case, ranges: &Ranges, tile: &mut Tile<'_>, root: ScalarId, random: &mut Random, seed: u64) {
    let scalars = &case.program.scalars;
    let (t, fact) = (scalars.data_type(root), ranges.fact(root));
    let show = || format!("seed {seed}, {}", shown(scalars, root));
    let expected: Vec<Result<Value>> = case.rows.iter().map(|row| reference::value(scalars, root, row)).collect();
    for value in &expected {
        match value {
            Ok(Value::Null) => assert!(fact.nullable, "NULL was ruled out: {}", show()),
            Ok(value) => {
                let integer = match value {
                    Value::Int(integer) => i128::from(*integer),
                    Value::Decimal(integer) => *integer,
                    _ => continue,
                };
                let (low, high) = ranges.of(root).expect("integer-like types have ranges");
                assert!((low..=high).contains(&integer), "{integer} is not in {low}..={high}: {}", show());
            }
            Err(error) => assert!(fact.may_fail, "{error} was ruled out: {}", show()),
        }
    }
    tile.start(0, case.rows.len());
    if random.below(2) == 0 {
        // Rows that fail make the whole fail.
        let result = tile.evaluate(root);
        if expected.iter().any(Result::is_err) {
            assert!(result.is_err(), "an error is missing: {}", show());
            return;
        }
        result.unwrap_or_else(|error| panic!("{error}: {}", show()));
        compare(tile.vector(root), t, expected.iter().map(|value| value.as_ref().expect("checked")), &show);
    }
    tile.start(0, case.rows.len());
    let mut good: Vec<u32> = (0..expected.len() as u32).filter(|&at| expected[at as usize].is_ok()).collect();
    if random.below(2) == 0 {
        // Any order, with repeats and omissions.
        good = good.iter().map(|_| random.pick(&good)).collect();
    }
    tile.select(&good);
    tile.evaluate(root).unwrap_or_else(|error| panic!("{error}: {}", show()));
    compare(tile.vector(root), t, good.iter().map(|&at| expected[at as usize].as_ref().expect("selected")), &show);
    // Once more above: what is there is taken over.
    let half: Vec<u32> = (0..good.len() as u32).filter(|_| random.below(2) == 0).collect();
    tile.select(&half);
    tile.evaluate(root).unwrap_or_else(|error| panic!("{error}: {}", show()));
    let values = half.iter().map(|&at| expected[good[at as usize] as usize].as_ref().expect("selected"));
    compare(tile.vector(root), t, values, &show);
}

fn compare<'v>(vector: &Vector, t: T, expected: impl ExactSizeIterator<Item = &'v Value>, show: &dyn Fn() -> String) {
    assert_eq!(vector.len, expected.len(), "{}", show());
    for (at, expected) in expected.enumerate() {
        assert_eq!(vector.value(at, t), *expected, "at {at}: {}", show());
    }
}

fn shown(scalars: &Scalars, id: ScalarId) -> String {
    match scalars.get(id) {
        Scalar::Call { function, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(|&argument| shown(scalars, argument)).collect();
            format!("{function:?}({}):{}", arguments.join(", "), scalars.data_type(id))
        }
        Scalar::Column { field, .. } => format!("c{field}"),
        Scalar::Constant(value) => format!("{value:?}:{}", scalars.data_type(id)),
        other => format!("{other:?}"),
    }
}

/// Whether a row passes a conjunction. An AND in it is conjuncts, too: what is behind one that is NULL is not reached,
/// where an AND whose value is asked for would go on.
fn passes(scalars: &Scalars, conjuncts: &[ScalarId], row: &[Value]) -> Result<bool> {
    for &conjunct in conjuncts {
        let passes = match scalars.get(conjunct) {
            Scalar::Call { function: F::And, arguments } => passes(scalars, arguments, row)?,
            _ => reference::value(scalars, conjunct, row)?.is_true(),
        };
        if !passes {
            return Ok(false);
        }
    }
    Ok(true)
}

#[test]
fn filters_keep_what_the_definition_keeps() {
    for seed in 0..3000 {
        let (case, roots, mut random) = random_case(seed ^ 0xF117, 3, true);
        let (expressions, _) = case.expressions(&roots);
        let scalars = &case.program.scalars;
        let passes = |row: &Vec<Value>| passes(scalars, &roots, row);
        let expected: Vec<Result<bool>> = case.rows.iter().map(passes).collect();
        let show = || format!("seed {seed}: {:?}", roots.iter().map(|&root| shown(scalars, root)).collect::<Vec<_>>());
        with_tile(&case, &expressions, |tile| {
            tile.start(0, case.rows.len());
            let good: Vec<u32> = (0..expected.len() as u32).filter(|&at| expected[at as usize].is_ok()).collect();
            if good.len() < expected.len() && random.below(3) > 0 {
                tile.select(&good);
            }
            let fails = tile.len() > good.len();
            let mark = tile.depth();
            let mut mask = Bitmap::default();
            let masked = tile.mask(&roots, &mut mask);
            assert_eq!(masked.is_err(), fails, "{}", show());
            if fails {
                return;
            }
            let kept: Vec<u32> = good.iter().copied().filter(|&at| expected[at as usize] == Ok(true)).collect();
            let mut positions = Vec::new();
            mask.push_positions(&mut positions);
            let masked: Vec<u32> = positions.iter().map(|&at| good[at as usize]).collect();
            assert_eq!(masked, kept, "mask, {}", show());
            tile.filter(&roots).unwrap_or_else(|error| panic!("{error}: {}", show()));
            let mut origins = Vec::new();
            tile.origins(mark, &mut origins);
            let filtered: Vec<u32> = origins.iter().map(|&at| good[at as usize]).collect();
            assert_eq!(filtered, kept, "filter, {}", show());
        });
    }
}
