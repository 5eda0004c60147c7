//! Kernels against the definition of what functions mean: every pair of nasty values, in every register that holds them,
//! constant or not, with garbage under NULLs, must give what `evaluate` gives, or the error where it fails.

use super::{Call, Scratch, call, numeric_columns};
use crate::cpu::vector::Vector;
use crate::cpu::vector::bitmap::Bitmap;
use crate::plan::register::Register;
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::{Function as F, MathFunction};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::DataType as T;
use multiloop_planner::value::Value;

/// A column of values with its type; garbage stands under NULLs.
#[derive(Clone)]
struct Column {
    values: Vec<Value>,
    garbage: Value,
    data_type: T,
    register: Register,
}

impl Column {
    fn vector(&self, at: std::ops::Range<usize>, constant: bool, len: usize) -> Vector {
        let values = &self.values[at];
        let raw: Vec<Value> =
            values.iter().map(|value| if value.is_null() { self.garbage.clone() } else { value.clone() }).collect();
        let mut vector = Vector::default();
        vector.set_values(&raw, self.register);
        if values.iter().any(Value::is_null) {
            let mut nulls = Bitmap::default();
            nulls.fill(values.len(), |at| !values[at].is_null());
            vector.nulls = Some(nulls);
        }
        if constant {
            (vector.constant, vector.len) = (true, len);
        }
        vector
    }

    /// Every value beside every value of another one.
    fn crossed(&self, other: &Column) -> (Column, Column) {
        let pairs = || self.values.iter().flat_map(|a| other.values.iter().map(move |b| (a.clone(), b.clone())));
        let (a, b) = pairs().unzip();
        (self.with(a), other.with(b))
    }

    /// A column of the same kind with other values.
    fn with(&self, values: Vec<Value>) -> Column {
        Column { values, garbage: self.garbage.clone(), data_type: self.data_type, register: self.register }
    }
}

/// Nasty values of an integer-like type between bounds.
fn integers(data_type: T, register: Register, largest: i128) -> Column {
    let (low, high) = data_type.integer_bounds().expect("integer-like");
    let mut numbers = vec![0, 1, 2, 3, 4, 5, 7, 9, 10, 14, 15, 16, 49, 50, 51, 99, 100, 149, 150, 151, 12345, 99995];
    let powers = (3..38).flat_map(|power| [10i128.pow(power), 10i128.pow(power) / 2]);
    let bits = (14..127).filter(|bit| bit % 8 > 5 || (50..54).contains(bit)).map(|bit| 1i128 << bit);
    numbers.extend(powers.chain(bits).flat_map(|number| [number - 1, number, number + 1]));
    let mut numbers: Vec<i128> = numbers.iter().flat_map(|&number| [number, -number]).chain([low, high]).collect();
    numbers.retain(|number| (low..=high).contains(number) && (-largest - 1..=largest).contains(number));
    numbers.sort_unstable();
    numbers.dedup();
    let value = |number| match data_type {
        T::Decimal { .. } => Value::Decimal(number),
        _ => Value::Int(number as i64),
    };
    Column { values: numbers.into_iter().map(value).collect(), garbage: value(0), data_type, register }
}

fn small(data_type: T) -> Column {
    integers(data_type, Register::I32, i32::MAX.into())
}

fn medium(data_type: T) -> Column {
    integers(data_type, Register::I64, i64::MAX.into())
}

fn wide(data_type: T) -> Column {
    integers(data_type, Register::I128, i128::MAX - 1)
}

fn floats(data_type: T) -> Column {
    let mut numbers = vec![0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 57.3, 1e-300, 1e-40, 1e10, 2147483647.5, 4e9];
    numbers.extend([709.0, 746.0, 1e18, 9.3e18, 2f64.powi(51), 2f64.powi(52) + 1.0, 1e39, 1e300, f64::INFINITY]);
    let round = |number: f64| if data_type == T::Real { f64::from(number as f32) } else { number };
    let mut values: Vec<Value> =
        numbers.iter().flat_map(|&number| [number, -number]).map(|number| Value::Float(round(number))).collect();
    values.push(Value::Float(f64::NAN));
    Column { values, garbage: Value::Float(f64::NAN), data_type, register: Register::F64 }
}

fn decimal(precision: u8, scale: u8) -> T {
    T::decimal(precision, scale)
}

fn register_of(data_type: T) -> Register {
    match data_type {
        T::Boolean => Register::Bool,
        T::Real | T::Double => Register::F64,
        T::SmallInt | T::Integer | T::Date => Register::I32,
        T::Decimal { precision: ..=9, .. } => Register::I32,
        T::BigInt | T::Decimal { precision: ..=18, .. } | T::Time | T::Timestamp => Register::I64,
        T::Interval => Register::Interval,
        T::Numeric | T::Text => Register::Text,
        _ => Register::I128,
    }
}

/// The same to the last bit, but for NaN.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Numeric(a), Value::Numeric(b)) => a.to_string() == b.to_string(),
        _ => a == b,
    }
}

/// Checks all tuples together, those that succeed together, and each alone.
fn check(function: F, arguments: &[Column], result: T) {
    let len = arguments[0].values.len();
    let types: Vec<T> = arguments.iter().map(|argument| argument.data_type).collect();
    let expected: Vec<_> = (0..len)
        .map(|at| {
            let values: Vec<Value> = arguments.iter().map(|argument| argument.values[at].clone()).collect();
            evaluate(function, &values, &types, result)
        })
        .collect();
    let good: Vec<usize> = (0..len).filter(|&at| expected[at].is_ok()).collect();
    let picked = |argument: &Column, at: &[usize]| {
        // NULLs now and then.
        let value = |(place, &at): (usize, &usize)| match place % 7 {
            3 => Value::Null,
            _ => argument.values[at].clone(),
        };
        argument.with(at.iter().enumerate().map(value).collect())
    };
    let run = |arguments: &[Column], constant: &[bool], len: usize, at: usize| {
        let vectors: Vec<Vector> = arguments
            .iter()
            .zip(constant)
            .map(|(argument, &constant)| argument.vector(if constant { at..at + 1 } else { 0..len }, constant, len))
            .collect();
        let call_of = Call { function, types: &types, result, register: register_of(result), checked: true };
        let mut out = Vector::default();
        let references: Vec<&Vector> = vectors.iter().collect();
        call(&call_of, &references, len, &mut Scratch::default(), &mut out).map(|()| out)
    };
    let all = vec![false; arguments.len()];
    let outcome = run(arguments, &all, len, 0);
    assert_eq!(outcome.is_err(), good.len() < len, "{function:?} of {types:?} to {result}: {outcome:?}");
    let chosen: Vec<Column> = arguments
        .iter()
        .map(|argument| argument.with(good.iter().map(|&at| argument.values[at].clone()).collect()))
        .collect();
    let with_nulls: Vec<Column> = arguments.iter().map(|argument| picked(argument, &good)).collect();
    let expected: Vec<Value> = good.iter().map(|&at| expected[at].clone().expect("chosen")).collect();
    check_columns(function, &chosen, &expected, result);
    for arguments in [&chosen, &with_nulls] {
        let out = run(arguments, &all, good.len(), 0).expect("none of these fails");
        assert_eq!(out.len, good.len());
        for at in 0..good.len() {
            let values = || arguments.iter().map(|argument| argument.values[at].clone()).collect::<Vec<Value>>();
            let is_chosen = arguments.iter().zip(&chosen).all(|(a, b)| same(&a.values[at], &b.values[at]));
            let other = (!is_chosen).then(|| evaluate(function, &values(), &types, result).expect("nor here"));
            let expected = other.as_ref().unwrap_or(&expected[at]);
            let found = out.value(at, result);
            assert!(
                same(&found, expected),
                "{function:?} of {:?} {types:?} to {result}: {found:?}, {expected:?}",
                values()
            );
        }
    }
    // One constant argument beside those that succeed with it.
    let [a, b] = &chosen[..] else { return };
    for constant in [[true, false], [false, true]] {
        let fixed = if constant[0] { a } else { b };
        for at in (0..good.len()).step_by(good.len() / 40 + 1) {
            let same_there: Vec<usize> =
                (0..good.len()).filter(|&other| same(&fixed.values[other], &fixed.values[at])).collect();
            let rows: Vec<Column> = [a, b]
                .iter()
                .map(|argument| argument.with(same_there.iter().map(|&at| argument.values[at].clone()).collect()))
                .collect();
            let out = run(&rows, &constant, same_there.len(), 0).expect("none of these fails");
            assert_eq!(out.len, same_there.len());
            for (place, &from) in same_there.iter().enumerate() {
                assert!(
                    same(&out.value(place, result), &expected[from]),
                    "{function:?} of {types:?} to {result}, constant"
                );
            }
        }
    }
}

/// Checks those that 128 bits do one by one, together, among NULLs, beside a constant, and as numbers of before. None fails;
/// `expected` is what they give.
fn check_columns(function: F, arguments: &[Column], expected: &[Value], result: T) {
    let types: Vec<T> = arguments.iter().map(|argument| argument.data_type).collect();
    if !numeric_columns::takes(function, &types, result) {
        return;
    }
    let run = |rows: &[Vec<Value>], constant: Option<usize>, as_numbers: bool| {
        let vector = |(at, argument): (usize, &Column)| {
            let values = rows.iter().map(|row| row[at].clone()).collect();
            let is_constant = constant == Some(at);
            let range = 0..if is_constant { 1 } else { rows.len() };
            let mut vector = argument.with(values).vector(range, is_constant, rows.len());
            if argument.data_type == T::Numeric && as_numbers {
                let (types, result) = (&[T::Numeric], T::Numeric);
                let cast = Call { function: F::Cast, types, result, register: Register::Text, checked: false };
                let (mut numbers, len) = (Vector::default(), vector.data.len());
                assert!(numeric_columns::call(&cast, &[&vector], len, &mut Scratch::default(), &mut numbers));
                (numbers.constant, numbers.len) = (vector.constant, vector.len);
                vector = numbers;
            }
            vector
        };
        let vectors: Vec<Vector> = arguments.iter().enumerate().map(vector).collect();
        let references: Vec<&Vector> = vectors.iter().collect();
        let call = Call { function, types: &types, result, register: register_of(result), checked: true };
        let mut out = Vector::default();
        let done = numeric_columns::call(&call, &references, rows.len(), &mut Scratch::default(), &mut out);
        done.then(|| (0..rows.len()).map(|at| out.value(at, result)).collect::<Vec<Value>>())
    };
    let row = |at: usize| arguments.iter().map(|argument| argument.values[at].clone()).collect::<Vec<Value>>();
    let agree = |rows: &[Vec<Value>], expected: &[Value], found: &[Value]| {
        assert_eq!((rows.len(), rows.len()), (expected.len(), found.len()));
        for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
            assert!(same(found, expected), "{function:?} of {row:?} {types:?} to {result}: {found:?}, {expected:?}");
        }
    };
    let (mut done, mut values) = (Vec::new(), Vec::new());
    for (at, expected) in expected.iter().enumerate() {
        let rows = [row(at)];
        if let Some(found) = run(&rows, None, false) {
            agree(&rows, std::slice::from_ref(expected), &found);
            done.extend(rows);
            values.push(expected.clone());
        }
    }
    // What is left to `evaluate` is most of these, for some functions.
    assert!(!done.is_empty() || arguments[0].values.is_empty(), "{function:?} of {types:?} to {result}");
    for as_numbers in [false, true] {
        agree(&done, &values, &run(&done, None, as_numbers).expect("each of these was done"));
    }
    for (place, row) in done.iter_mut().enumerate().filter(|(place, _)| place % 7 == 3) {
        row[place % arguments.len()] = Value::Null;
        values[place] = evaluate(function, row, &types, result).expect("chosen");
    }
    if let Some(found) = run(&done, None, true) {
        agree(&done, &values, &found);
    }
    for constant in (0..arguments.len()).filter(|_| arguments.len() == 2) {
        for at in (0..done.len()).step_by(done.len() / 30 + 1) {
            let like = |(row, _): &(&Vec<Value>, &Value)| same(&row[constant], &done[at][constant]);
            let (rows, values): (Vec<Vec<Value>>, Vec<Value>) =
                done.iter().zip(&values).filter(like).map(|(row, value)| (row.clone(), value.clone())).unzip();
            if let Some(found) = run(&rows, Some(constant), at % 2 == 0) {
                agree(&rows, &values, &found);
            }
        }
    }
}

fn check_pairs(function: F, a: &Column, b: &Column, result: T) {
    let (a, b) = a.crossed(b);
    check(function, &[a, b], result);
}

#[test]
fn quotients() {
    for (a, b, result) in [
        (small(decimal(9, 2)), small(decimal(9, 0)), decimal(38, 16)),
        (medium(decimal(15, 2)), small(decimal(9, 2)), decimal(38, 16)),
        (medium(decimal(18, 2)), medium(decimal(18, 2)), decimal(38, 16)),
        (medium(decimal(18, 0)), medium(decimal(18, 6)), decimal(38, 20)),
        (wide(decimal(38, 4)), small(decimal(9, 2)), decimal(38, 16)),
        (wide(decimal(38, 4)), wide(decimal(38, 4)), decimal(38, 4)),
        (small(decimal(9, 2)), small(decimal(9, 2)), decimal(9, 2)),
        (medium(decimal(15, 2)), medium(decimal(15, 2)), decimal(15, 4)),
    ] {
        check_pairs(F::Divide, &a, &b, result);
        let mut nonzero = b.clone();
        nonzero.values.retain(|value| *value != Value::Decimal(0));
        check_pairs(F::Divide, &a, &nonzero, result);
    }
}

#[test]
fn rescaled() {
    for column in [
        small(decimal(9, 2)),
        small(decimal(9, 6)),
        medium(decimal(18, 2)),
        medium(decimal(18, 17)),
        wide(decimal(38, 4)),
        wide(decimal(38, 30)),
    ] {
        for result in [T::SmallInt, T::Integer, T::BigInt, decimal(9, 1), decimal(15, 0), decimal(38, 1)] {
            check(F::Cast, std::slice::from_ref(&column), result);
            check(F::AssignCast, std::slice::from_ref(&column), result);
        }
        for function in [F::Round, F::Truncate, F::Ceil, F::Floor] {
            for result in [decimal(38, 0), decimal(18, 1), decimal(38, 4), decimal(9, 2)] {
                check(function, std::slice::from_ref(&column), result);
                for digits in [-40, -3, -1, 0, 1, 2, 3, 5, 40] {
                    let len = column.values.len();
                    let digits = vec![Value::Int(digits); len];
                    let digits = Column {
                        values: digits,
                        garbage: Value::Int(9),
                        data_type: T::Integer,
                        register: Register::I32,
                    };
                    check(function, &[column.clone(), digits], result);
                }
            }
        }
    }
    let (ints, longs) = (small(T::Integer), medium(T::BigInt));
    let digits = Column {
        values: (-20..3).map(Value::Int).collect(),
        garbage: Value::Int(1),
        data_type: T::Integer,
        register: Register::I32,
    };
    for function in [F::Round, F::Truncate] {
        check_pairs(function, &ints, &digits, T::Integer);
        check_pairs(function, &longs, &digits, T::BigInt);
    }
}

#[test]
fn functions_of_doubles() {
    use F::*;
    let doubles = floats(T::Double);
    for function in [SquareRoot, CubeRoot, Exp, Ln, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Degrees, Radians] {
        check(function, std::slice::from_ref(&doubles), T::Double);
        for value in &doubles.values {
            check(function, &[Column { values: vec![value.clone(); 3], ..doubles.clone() }], T::Double);
        }
    }
    for function in [MathFunction::Sigmoid, MathFunction::HyperbolicTangent] {
        check(Math(function), std::slice::from_ref(&doubles), T::Double);
        for value in &doubles.values {
            check(Math(function), &[Column { values: vec![value.clone(); 3], ..doubles.clone() }], T::Double);
        }
    }
    for t in [T::Double, T::Real] {
        let floats = floats(t);
        for function in [Negate, Abs, Sign, Ceil, Floor, Round, Truncate] {
            check(function, std::slice::from_ref(&floats), t);
        }
        for function in [Add, Subtract, Multiply, Divide, Modulo, Greatest, Least, NullIf] {
            check_pairs(function, &floats, &floats, t);
        }
    }
    for function in [Power, Atan2] {
        check_pairs(function, &doubles, &doubles, T::Double);
    }
}

#[test]
fn casts_with_floats() {
    for column in
        [small(T::SmallInt), small(T::Integer), medium(T::BigInt), small(decimal(9, 2)), medium(decimal(18, 2))]
    {
        check(F::Cast, std::slice::from_ref(&column), T::Double);
        check(F::Cast, &[column], T::Real);
    }
    for column in [wide(decimal(38, 4)), wide(decimal(38, 30)), medium(decimal(18, 0))] {
        check(F::Cast, std::slice::from_ref(&column), T::Double);
        check(F::Cast, &[column], T::Real);
    }
    for from in [floats(T::Double), floats(T::Real)] {
        for to in [T::SmallInt, T::Integer, T::BigInt, T::Double, T::Real] {
            check(F::Cast, std::slice::from_ref(&from), to);
            for value in &from.values {
                check(F::Cast, &[Column { values: vec![value.clone(); 3], ..from.clone() }], to);
            }
        }
    }
}

#[test]
fn choices_and_bits() {
    use F::*;
    for t in [T::SmallInt, T::Integer, T::BigInt, decimal(9, 2), decimal(18, 2), decimal(38, 4)] {
        let columns = match register_of(t) {
            Register::I32 => vec![small(t)],
            Register::I64 => vec![small(t), medium(t)],
            _ => vec![small(t), wide(t)],
        };
        for column in &columns {
            for function in [Abs, Sign, Negate] {
                check(function, std::slice::from_ref(column), t);
            }
            for function in [NullIf, Greatest, Least] {
                check_pairs(function, column, &columns[0], t);
                check_pairs(function, &columns[0], column, t);
            }
            if t.is_integer() {
                check(BitNot, std::slice::from_ref(column), t);
                check(Cast, std::slice::from_ref(column), T::Boolean);
                for function in [BitAnd, BitOr, BitXor] {
                    check_pairs(function, column, &columns[0], t);
                }
                for function in [ShiftLeft, ShiftRight, Divide, Modulo] {
                    check_pairs(function, column, &small(T::Integer), t);
                }
            }
        }
    }
    for function in [DateAddDays, DateSubtractDays] {
        check_pairs(function, &small(T::Date), &small(T::Integer), T::Date);
        let mut near = small(T::Date);
        near.values = (-5..5).map(Value::Int).collect();
        check_pairs(function, &near, &near.clone(), T::Date);
        let mut infinite = small(T::Date);
        infinite.values = [i32::MIN, i32::MAX, 0].map(|days| Value::Int(days.into())).to_vec();
        let mut far = small(T::Integer);
        far.values = [i32::MAX, i32::MIN, 1].map(|days| Value::Int(days.into())).to_vec();
        check_pairs(function, &infinite, &far, T::Date);
    }
}

#[test]
fn dates_and_times_from_each_other() {
    let days = [-719_163, -719_162, -1, 0, 1, 59, 60, 19_782, 2_932_896, 2_932_897, i64::from(i32::MAX)];
    let times = [0, 1, 86_399_999_999, -1];
    let infinite = [i64::MAX, i64::MIN, i64::MAX - 1];
    let timestamps = days[..10].iter().flat_map(|day| times.map(|time| day * 86_400_000_000 + time)).chain(infinite);
    let column = |values: Vec<i64>, data_type| Column {
        values: values.into_iter().map(Value::Int).collect(),
        garbage: Value::Int(0),
        data_type,
        register: register_of(data_type),
    };
    let (days, timestamps) = (column(days.into(), T::Date), column(timestamps.collect(), T::Timestamp));
    // All of them, and those after Christ, which are done together.
    let plain = |column: &Column, count: usize| Column {
        values: column.values[count..column.values.len() - 3].to_vec(),
        ..column.clone()
    };
    for timestamps in [&timestamps, &plain(&timestamps, 8), &plain(&plain(&timestamps, 8), 4)] {
        check_pairs(F::TimestampDifference, timestamps, &timestamps.clone(), T::Interval);
        let mut turned = timestamps.clone();
        turned.values.reverse();
        check_pairs(F::TimestampDifference, timestamps, &turned, T::Interval);
    }
    for function in [F::Cast, F::AssignCast] {
        for days in [&days, &plain(&days, 1)] {
            check(function, std::slice::from_ref(days), T::Timestamp);
        }
        for timestamps in [&timestamps, &plain(&timestamps, 8), &plain(&plain(&timestamps, 8), 4)] {
            check(function, std::slice::from_ref(timestamps), T::Date);
            check(function, std::slice::from_ref(timestamps), T::Time);
        }
        let truths = [true, false, true, true, false].map(Value::Boolean).to_vec();
        let truths =
            Column { values: truths, garbage: Value::Boolean(true), data_type: T::Boolean, register: Register::Bool };
        check(function, &[truths], T::Integer);
    }
}

#[test]
fn parts_between_delimiters() {
    let texts = ["", "a", "a,b", ",", ",,", "a,,b", ",a,", "aaa", "aaaa", "ä,ö,ü", "a, b, c", "no delimiter at all"];
    let of = |values: Vec<Value>, data_type: T| {
        let mut vector = Vector::default();
        vector.set_values(&values, register_of(data_type));
        vector
    };
    let types = [T::Text, T::Text, T::Integer];
    for delimiter in ["", ",", "aa", ", ", "ö", "x"] {
        for part in [-100, -4, -3, -2, -1, 0, 1, 2, 3, 4, 100] {
            let mut values: Vec<Value> = texts.map(Value::text).to_vec();
            values.insert(3, Value::Null);
            let mut constants = [of(vec![Value::text(delimiter)], T::Text), of(vec![Value::Int(part)], T::Integer)];
            constants.iter_mut().for_each(|constant| (constant.constant, constant.len) = (true, values.len()));
            let call_of = Call {
                function: F::SplitPart,
                types: &types,
                result: T::Text,
                register: Register::Text,
                checked: true,
            };
            let (given, mut out) = (of(values.clone(), T::Text), Vector::default());
            let arguments = [&given, &constants[0], &constants[1]];
            let outcome = call(&call_of, &arguments, values.len(), &mut Scratch::default(), &mut out);
            assert_eq!(outcome.is_err(), part == 0);
            for (at, value) in values.iter().enumerate().filter(|_| part != 0) {
                let arguments = [value.clone(), Value::text(delimiter), Value::Int(part)];
                let expected = evaluate(F::SplitPart, &arguments, &types, T::Text).expect("no error");
                assert_eq!(out.value(at, T::Text), expected, "{arguments:?}");
            }
        }
    }
}

#[test]
fn numbers_as_text() {
    for column in [
        small(T::SmallInt),
        small(T::Integer),
        small(T::BigInt),
        medium(T::BigInt),
        small(decimal(9, 2)),
        wide(decimal(38, 4)),
    ] {
        check(F::Cast, &[column], T::Text);
    }
    for scale in [0, 1, 17, 18] {
        check(F::Cast, &[medium(decimal(18, scale))], T::Text);
    }
}

/// Nasty numerics: the ends of 128 bits, digits that fill them with a product or a quotient, and what they do not hold.
fn numerics() -> Column {
    let texts = "0 0.00 1 -1 1.0 3 -3 7 0.1 -0.5 0.5 2.5 -2.5 0.005 99.995 100 9999 10000 10001 0.00010000 0.00009999 \
        123456789.123456789 -123456789012.345 -123456789012345678.9 1e18 1e19 1e20 -1e20 1e37 1e38 -1e38 9007199254740993 \
        9007199254740992 0.00000000000000000001 1e-30 1e-40 -1e-40 170141183460469231731687303715884105727 \
        -170141183460469231731687303715884105727 -170141183460469231731687303715884105728 \
        170141183460469231731687303715884105728 -1701411834604692317.31687303715884105728 1e39 1e60 -1e60 \
        12345678901234567890123456789012345678901234567890.5 NaN Infinity -Infinity";
    let values = texts.split_whitespace().map(|text| Value::numeric(Numeric::parse(text).expect("a number")));
    Column {
        values: values.collect(),
        garbage: Value::numeric(Numeric::zero(0)),
        data_type: T::Numeric,
        register: Register::Text,
    }
}

#[test]
fn functions_of_numerics() {
    use F::*;
    let numbers = numerics();
    for to in [T::Numeric, decimal(12, 2), decimal(38, 0)] {
        let mut doubles = floats(T::Double);
        doubles.values.extend([18.56, -0.005, 1234.565, 99.995, 0.1 + 0.2, 1e14 + 0.5].map(Value::Float));
        check(Cast, &[doubles], to);
    }
    for function in [Negate, Abs, Sign, Ceil, Floor, Round, Truncate, TrimScale, SquareRoot] {
        check(function, std::slice::from_ref(&numbers), T::Numeric);
    }
    check(NumericKey, std::slice::from_ref(&numbers), T::Text);
    let mut variances = numbers.clone();
    variances.values.retain(|value| matches!(value, Value::Numeric(number) if number.signum() >= Some(0)));
    check(DeviationOf, std::slice::from_ref(&variances), T::Numeric);
    for result in [T::Numeric, T::SmallInt, T::Integer, T::BigInt, T::Double, T::Real, T::Text] {
        check(Cast, std::slice::from_ref(&numbers), result);
    }
    let fewer = |column: Column| Column { values: column.values.into_iter().step_by(23).collect(), ..column };
    for result in [decimal(9, 2), decimal(15, 2), decimal(18, 0), decimal(38, 0), decimal(38, 20)] {
        for function in [Cast, NarrowUp, NarrowDown, NarrowSame] {
            check(function, std::slice::from_ref(&numbers), result);
        }
    }
    for exact in [small(T::Integer), medium(T::BigInt), medium(decimal(18, 2)), wide(decimal(38, 4))] {
        let exact = fewer(exact);
        check(Cast, std::slice::from_ref(&exact), T::Numeric);
        for function in [Add, Subtract, Multiply, Divide, Modulo] {
            check_pairs(function, &numbers, &exact, T::Numeric);
            check_pairs(function, &exact, &numbers, T::Numeric);
        }
        for function in [Divide, Average] {
            check_pairs(function, &exact, &fewer(small(T::BigInt)), T::Numeric);
        }
    }
    for function in [Add, Subtract, Multiply, Divide, Average, Modulo, DivideWhole, Greatest, Least, NullIf] {
        check_pairs(function, &numbers, &numbers, T::Numeric);
    }
    for function in [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, IsDistinct, IsNotDistinct] {
        check_pairs(function, &numbers, &numbers, T::Boolean);
    }
    let digits = [-40, -3, 0, 1, 2, 17, 38, 40, 2000].map(Value::Int).to_vec();
    let digits = Column { values: digits, garbage: Value::Int(9), data_type: T::Integer, register: Register::I32 };
    for function in [Round, Truncate] {
        check_pairs(function, &numbers, &digits, T::Numeric);
    }
}

#[test]
fn no_row_and_null_arguments() {
    let column = small(decimal(9, 2));
    let none = Column { values: Vec::new(), ..column.clone() };
    check_pairs(F::Divide, &none, &none, decimal(38, 16));
    let null = Column { values: vec![Value::Null; 5], ..column.clone() };
    for function in [F::Divide, F::NullIf, F::Greatest, F::Least] {
        check_pairs(function, &column, &null, decimal(38, 16));
        check_pairs(function, &null, &column, decimal(38, 16));
    }
    // A divisor 0 under a NULL is no error.
    let zeros = Column { values: vec![Value::Null, Value::Decimal(3), Value::Null], ..column.clone() };
    let tens = Column { values: vec![Value::Decimal(10); 3], ..column };
    check(F::Divide, &[tens, zeros], decimal(38, 16));
}
