//! What each function does to intervals. A function that is not here has its type's bounds and the effects that
//! `function_effects` says.

use super::{Analysis, Fact, NOTHING, union};
use crate::evaluate::{decimal, evaluate};
use crate::function::{DatePart, Function, MomentFunction};
use crate::multiloop::scalar::function_effects;
use crate::multiloop::{Scalar, ScalarId};
use crate::types::DataType;
use crate::value::Value;

type Interval = (i128, i128);

/// An interval, before it is cut to its type, and whether it is sure that nothing but leaving the type can fail.
/// None: not even 128 bits are proven to hold it, so it may fail.
type Computed = Option<Interval>;

impl Analysis<'_> {
    /// What is known of a call, and whether it may fail whatever its arguments do.
    pub(super) fn call(&mut self, function: Function, arguments: &[ScalarId], result: DataType) -> (Fact, bool) {
        let facts: Vec<Fact> = arguments.iter().map(|&id| self.fact(id)).collect();
        let types: Vec<DataType> = arguments.iter().map(|&id| self.program.scalars.data_type(id)).collect();
        let arguments_fail = facts.iter().any(|fact| fact.may_fail);
        let own = own_fact(function, &facts, &types, result);
        let own_fails = own.may_fail && !self.constants_prevent_failure(function, arguments, &facts);
        (Fact { may_fail: own_fails || arguments_fail, ..own }, own_fails)
    }

    /// Whether constant arguments rule out what could go wrong: a LIKE pattern that ends in its escape character, a
    /// negative length of a substring.
    fn constants_prevent_failure(&self, function: Function, arguments: &[ScalarId], facts: &[Fact]) -> bool {
        let text = |at: usize| match self.program.scalars.get(arguments[at]) {
            Scalar::Constant(Value::Text(text)) => Some(text),
            _ => None,
        };
        match function {
            Function::Like | Function::ILike => {
                let escape = match arguments.len() {
                    2 => Some('\\'),
                    _ => match text(2).map(|escape| (escape.chars().next(), escape.chars().count())) {
                        Some((escape, 0 | 1)) => escape,
                        _ => return false,
                    },
                };
                let ends_escaped = |pattern: &str| {
                    let mut characters = pattern.chars();
                    while let Some(character) = characters.next() {
                        if Some(character) == escape && characters.next().is_none() {
                            return true;
                        }
                    }
                    false
                };
                text(1).is_some_and(|pattern| !ends_escaped(pattern))
            }
            Function::Substring => facts.get(2).and_then(|count| count.bounds).is_some_and(|(low, _)| low >= 0),
            _ => false,
        }
    }
}

/// The result of a function, and whether it can fail itself.
fn own_fact(function: Function, facts: &[Fact], types: &[DataType], result: DataType) -> Fact {
    let any_nullable = facts.iter().any(|fact| fact.nullable);
    let nullable = nullable(function, facts).unwrap_or(true);
    let unknown = Fact {
        bounds: result.integer_bounds(),
        steps: None,
        nullable,
        may_fail: function_effects(function, types, result).may_fail,
    };
    if let Some(bounds) = chosen(function, facts) {
        return Fact { bounds, steps: None, nullable, may_fail: false };
    }
    if result == DataType::Numeric && is_total_quotient(function, facts, types) {
        return Fact { may_fail: false, ..unknown };
    }
    let Some(type_bounds) = result.integer_bounds() else { return unknown };
    let bounds: Option<Vec<Interval>> = facts.iter().map(|fact| fact.bounds).collect();
    let Some(bounds) = bounds else { return unknown };
    let Some(computed) = strict(function, &bounds, types, result) else { return unknown };
    if bounds.iter().any(|(low, high)| low > high) {
        // An argument is always NULL, and so is the result.
        return Fact { bounds: Some(NOTHING), steps: None, nullable: true, may_fail: false };
    }
    match computed {
        Some((low, high)) => Fact {
            bounds: Some((low.max(type_bounds.0), high.min(type_bounds.1))),
            steps: None,
            nullable: any_nullable,
            may_fail: low < type_bounds.0 || high > type_bounds.1,
        },
        None => Fact { bounds: Some(type_bounds), steps: None, nullable: any_nullable, may_fail: true },
    }
}

/// Whether the result can be NULL; None where only the function knows.
fn nullable(function: Function, facts: &[Fact]) -> Option<bool> {
    use Function as F;
    let any = facts.iter().any(|fact| fact.nullable);
    let all = facts.iter().all(|fact| fact.nullable);
    match function {
        F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse | F::IsDistinct | F::IsNotDistinct | F::ConcatSkipNull => {
            Some(false)
        }
        F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => Some(any),
        F::And | F::Or | F::Not | F::InList | F::Cast => Some(any),
        F::Case => {
            let last = facts.len() - 1;
            Some(facts.iter().enumerate().any(|(at, fact)| (at % 2 == 1 || at == last) && fact.nullable))
        }
        F::Coalesce | F::Greatest | F::Least => Some(all),
        _ => None,
    }
}

/// The bounds of functions that give one of their arguments, or a boolean.
fn chosen(function: Function, facts: &[Fact]) -> Option<Option<Interval>> {
    use Function as F;
    let join = |mut values: Box<dyn Iterator<Item = &Fact> + '_>| {
        values.try_fold(NOTHING, |bounds, fact| Some(union(bounds, fact.bounds?)))
    };
    Some(match function {
        F::Case => {
            let last = facts.len() - 1;
            let values = facts.iter().enumerate().filter(|(at, _)| at % 2 == 1 || *at == last);
            join(Box::new(values.map(|(_, fact)| fact)))
        }
        F::Coalesce => join(Box::new(facts.iter())),
        F::Greatest | F::Least => {
            let all = join(Box::new(facts.iter()))?;
            Some(beyond_sure_ones(all, function == F::Greatest, facts))
        }
        F::NullIf => facts[0].bounds.map(|bounds| without(bounds, facts[1].bounds)),
        F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => Some((0, 1)),
        F::And | F::Or | F::Not | F::InList | F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse => Some((0, 1)),
        F::IsDistinct | F::IsNotDistinct => Some((0, 1)),
        _ => return None,
    })
}

/// Of the greatest (or the least) of some values: it is not below one that is never NULL (not above it).
fn beyond_sure_ones((mut low, mut high): Interval, greatest: bool, facts: &[Fact]) -> Interval {
    for (sure_low, sure_high) in facts.iter().filter(|fact| !fact.nullable).filter_map(|fact| fact.bounds) {
        match (sure_low > sure_high, greatest) {
            (true, _) => {}
            (_, true) => low = low.max(sure_low),
            (_, false) => high = high.min(sure_high),
        }
    }
    (low, high)
}

/// The interval without 0, if that is all that the other value can be, and an end of it: of other numbers the scale counts.
fn without((low, high): Interval, other: Option<Interval>) -> Interval {
    match other {
        Some((0, 0)) if low == 0 && high >= 0 => (1, high),
        Some((0, 0)) if high == 0 && low <= 0 => (low, -1),
        _ => (low, high),
    }
}

/// Whether a quotient of numbers, or what a division leaves, is there whatever they are: the divisor is proven not to be 0. Of
/// integer-like numbers it has few digits; one of numerics may have as many as there can be, and is not to get more of them.
fn is_total_quotient(function: Function, facts: &[Fact], types: &[DataType]) -> bool {
    let (Function::Divide | Function::Modulo, [dividend, divisor]) = (function, facts) else { return false };
    let Some((low, high)) = divisor.bounds else { return false };
    let least = match dividend.bounds {
        Some(_) => 1,
        None if types[0] == DataType::Numeric => 10i128.pow(types[1].scale().into()),
        None => return false,
    };
    low > high || low >= least || high <= -least
}

/// The bounds of functions of integer-like arguments, none of which is NULL. The outer None: not known here.
fn strict(function: Function, bounds: &[Interval], types: &[DataType], result: DataType) -> Option<Computed> {
    use Function as F;
    // Numerics are no integers, and have no bounds.
    if result == DataType::Numeric || types.contains(&DataType::Numeric) {
        return None;
    }
    let a = *bounds.first()?;
    let b = bounds.get(1).copied();
    Some(match function {
        F::Add => add(a, b?),
        F::DateAddDays if types[0] == DataType::Date => return None,
        // Infinite days have no difference.
        F::DateDifference if !is_finite_day(a) || !is_finite_day(b?) => return None,
        F::Subtract | F::DateDifference => add(a, negate(b?)?),
        F::Multiply if types[0].scale() + types[1].scale() == result.scale() => multiply(a, b?),
        F::Divide if result.is_decimal() => decimal_quotient(a, b?, types, result),
        F::Divide => return Some(divide(a, b?)),
        F::Modulo if excludes_zero(b?) => Some(modulo(a, b?)),
        F::Negate => negate(a),
        F::Abs => Some(absolute(a)?),
        F::Sign => {
            let one = 10i128.pow(result.scale().into());
            Some((a.0.signum() * one, a.1.signum() * one))
        }
        F::Cast | F::AssignCast => return cast(a, types[0], result).or_else(|| ends(function, bounds, types, result)),
        F::DateTrunc(_) | F::Round | F::Truncate | F::Ceil | F::Floor | F::Moment(MomentFunction::StartOfDate) => {
            return ends(function, bounds, types, result);
        }
        F::Extract(part) => return extract(part, a, types[0], result),
        _ => return None,
    })
}

fn is_finite_day((first, last): Interval) -> bool {
    i128::from(i32::MIN) < first && last < i128::from(i32::MAX)
}

fn add(a: Interval, b: Interval) -> Computed {
    a.0.checked_add(b.0).zip(a.1.checked_add(b.1))
}

fn negate(a: Interval) -> Computed {
    a.1.checked_neg().zip(a.0.checked_neg())
}

fn absolute(a: Interval) -> Computed {
    let (low, high) = (a.0.checked_abs()?, a.1.checked_abs()?);
    let lowest = if a.0 <= 0 && a.1 >= 0 { 0 } else { low.min(high) };
    Some((lowest, low.max(high)))
}

fn multiply(a: Interval, b: Interval) -> Computed {
    let corners = [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
    around(corners)
}

/// Truncated division. A divisor that can be zero can fail.
fn divide(a: Interval, b: Interval) -> Computed {
    if !excludes_zero(b) {
        return None;
    }
    let quotient = |a: i128, b: i128| a.checked_div(b);
    around([quotient(a.0, b.0)?, quotient(a.0, b.1)?, quotient(a.1, b.0)?, quotient(a.1, b.1)?])
}

/// Division of decimals, rounded to the scale of the result.
fn decimal_quotient(a: Interval, b: Interval, types: &[DataType], result: DataType) -> Computed {
    // Of what has no values, there are no quotients either.
    if !excludes_zero(b) || a.0 > a.1 || b.0 > b.1 {
        return None;
    }
    let quotient = |a: i128, b: i128| decimal::divide(a, types[0].scale(), b, types[1].scale(), result.scale());
    around([quotient(a.0, b.0)?, quotient(a.0, b.1)?, quotient(a.1, b.0)?, quotient(a.1, b.1)?])
}

/// Functions that never decrease while their first argument, an integer-like one, increases, and whose others are
/// constant: what they are at its ends. Where they are something at both ends, they are so in between.
fn ends(function: Function, bounds: &[Interval], types: &[DataType], result: DataType) -> Option<Computed> {
    let is_timed = |data_type: DataType| matches!(data_type, DataType::Date | DataType::Timestamp);
    let casts = matches!(function, Function::Cast | Function::AssignCast);
    if bounds[1..].iter().any(|(low, high)| low != high) || (casts && !(is_timed(types[0]) && is_timed(result))) {
        return None;
    }
    if bounds.iter().any(|(low, high)| low > high) {
        return Some(None);
    }
    // Infinities are something where the last days before them are not.
    let is_finite = match types[0] {
        DataType::Date if function == Function::Moment(MomentFunction::StartOfDate) => true,
        DataType::Date => is_finite_day(bounds[0]),
        DataType::Timestamp => i128::from(i64::MIN) < bounds[0].0 && bounds[0].1 < i128::from(i64::MAX),
        _ => true,
    };
    if !is_finite {
        return None;
    }
    let value = |integer: i128, data_type: DataType| {
        if data_type.is_decimal() { Some(Value::Decimal(integer)) } else { i64::try_from(integer).ok().map(Value::Int) }
    };
    let at = |end: i128| {
        let arguments = std::iter::once(end).chain(bounds[1..].iter().map(|&(constant, _)| constant));
        let values: Option<Vec<Value>> = arguments.zip(types).map(|(integer, &of)| value(integer, of)).collect();
        match evaluate(function, &values?, types, result).ok()? {
            Value::Int(integer) => Some(i128::from(integer)),
            Value::Decimal(unscaled) => Some(unscaled),
            _ => None,
        }
    };
    Some(Some((at(bounds[0].0)?, at(bounds[0].1)?)))
}

fn modulo(a: Interval, b: Interval) -> Interval {
    let largest = b.0.unsigned_abs().max(b.1.unsigned_abs()) - 1;
    let reach = |bound: i128| i128::try_from(bound.unsigned_abs().min(largest)).unwrap_or(i128::MAX);
    let low = if a.0 < 0 { -reach(a.0) } else { 0 };
    let high = if a.1 > 0 { reach(a.1) } else { 0 };
    (low, high)
}

fn excludes_zero(b: Interval) -> bool {
    b.0 > 0 || b.1 < 0
}

fn around(corners: [i128; 4]) -> Computed {
    let low = corners.iter().copied().min()?;
    let high = corners.iter().copied().max()?;
    Some((low, high))
}

/// Casts between numbers that are integers behind the scenes; all of them are monotone.
fn cast(a: Interval, from: DataType, to: DataType) -> Option<Computed> {
    let is_number = |data_type: DataType| data_type.is_integer() || data_type.is_decimal();
    if from == to {
        return Some(Some(a));
    }
    if from == DataType::Boolean && to.is_integer() {
        return Some(Some(a));
    }
    if !is_number(from) || !is_number(to) {
        return None;
    }
    let (from_scale, to_scale) = (from.scale(), to.scale());
    let Some(down) = from_scale.checked_sub(to_scale).filter(|down| *down > 0) else {
        let factor = 10i128.checked_pow(u32::from(to_scale - from_scale))?;
        return Some(a.0.checked_mul(factor).zip(a.1.checked_mul(factor)));
    };
    let unit = 10i128.pow(u32::from(down));
    Some(Some((round_away(a.0, unit), round_away(a.1, unit))))
}

/// `value / unit`, rounded half away from zero.
fn round_away(value: i128, unit: i128) -> i128 {
    let (quotient, rest) = (value / unit, value % unit);
    if rest.unsigned_abs() >= unit.unsigned_abs().div_ceil(2) { quotient + value.signum() } else { quotient }
}

/// Parts of dates and timestamps, whose ranges the calendar gives.
fn extract(part: DatePart, a: Interval, from: DataType, result: DataType) -> Option<Computed> {
    let day = match from {
        DataType::Date => 1,
        DataType::Timestamp => 86_400_000_000i128,
        _ => return None,
    };
    let bounds = match part {
        DatePart::Year if a.0 <= a.1 => {
            let years = (year_of(a.0.div_euclid(day)), year_of(a.1.div_euclid(day)));
            // There is no year 0: what the calendar calls 0 is 1 BC, shown as -1.
            (if years.0 <= 0 { years.0 - 1 } else { years.0 }, years.1)
        }
        DatePart::Quarter => (1, 4),
        DatePart::Month => (1, 12),
        DatePart::Week => (1, 53),
        DatePart::Day => (1, 31),
        DatePart::DayOfWeek => (0, 6),
        DatePart::IsoDayOfWeek => (1, 7),
        DatePart::DayOfYear => (1, 366),
        DatePart::Hour => (0, 23),
        DatePart::Minute => (0, 59),
        _ => return None,
    };
    let one = 10i128.checked_pow(result.scale().into())?;
    Some(Some((bounds.0 * one, bounds.1 * one)))
}

/// The year of the Gregorian calendar (astronomical: 1 BC is 0) that a day since 1970-01-01 lies in.
fn year_of(day: i128) -> i128 {
    // Days since 0000-03-01, so that a leap day ends a year; then eras of 400 years.
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    era * 400 + year_of_era + i128::from(day_of_year >= 306)
}
