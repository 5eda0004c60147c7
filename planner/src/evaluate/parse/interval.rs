//! Intervals: `1 year 2 mons 3 days 04:05:06.5`, `1-2`, `3 4:05`, `90 min ago`, `P1Y2M3DT4H5M6S`.
//!
//! A fraction of a unit goes to the smaller ones: half a year is six months, half a month 15 days, half a day
//! 12 hours. Fields are read from the right, as PostgreSQL does, so that a unit is known before its number; the
//! number at the end may have its unit from the interval's fields (`'1 2' day to hour`), and else counts seconds.

use super::field::{Field, Kind, fraction, leading_integer, split};
use super::is_blank;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND};
use crate::evaluate::interval::Fields;
use crate::function::{DatePart, IntervalStyle};
use crate::value::{Interval, Value};

/// The interval of a text: 22007 if it is none, 22015 if a field is too large, 22008 if all of it is too long. In the
/// style of the standard a sign in front is that of all fields, unless another has one, too.
pub(in crate::evaluate) fn parse_interval(text: &str, fields: Option<Fields>, style: IntervalStyle) -> Result<Value> {
    let mut sum = Sum::default();
    let read = match read_fields(text, fields, style, &mut sum) {
        Err(Fault::Syntax) => {
            sum = Sum::default();
            read_iso(text, &mut sum)
        }
        read => read,
    };
    match read.and_then(|()| sum.finish()) {
        Ok(interval) => Ok(Value::Interval(interval)),
        Err(Fault::Syntax) => {
            let message = format!("invalid input syntax for type interval: \"{text}\"");
            Err(Error::new(ErrorKind::InvalidDatetime, message))
        }
        Err(Fault::Field) => {
            let message = format!("interval field value out of range: \"{text}\"");
            Err(Error::new(ErrorKind::IntervalOverflow, message))
        }
        Err(Fault::Range) => Err(Error::new(ErrorKind::DatetimeOverflow, "interval out of range")),
    }
}

/// Why a text is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Syntax,
    /// A field is too large.
    Field,
    /// All of them are.
    Range,
}

type Parsed<T> = std::result::Result<T, Fault>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
    Decade,
    Century,
    Millennium,
    /// A unit that no number has.
    Other,
}

/// Letters of a word that are compared.
const LETTERS: usize = 10;

impl Unit {
    fn from_word(word: &str) -> Option<Unit> {
        Some(match word.get(..LETTERS).unwrap_or(word) {
            "us" | "usec" | "usecs" | "usecond" | "useconds" | "microsecon" => Unit::Microsecond,
            "ms" | "msec" | "msecs" | "msecond" | "mseconds" | "millisecon" => Unit::Millisecond,
            "s" | "sec" | "secs" | "second" | "seconds" => Unit::Second,
            "m" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
            "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hour,
            "d" | "day" | "days" => Unit::Day,
            "w" | "week" | "weeks" => Unit::Week,
            "mon" | "mons" | "month" | "months" => Unit::Month,
            "y" | "yr" | "yrs" | "year" | "years" => Unit::Year,
            "dec" | "decs" | "decade" | "decades" => Unit::Decade,
            "c" | "cent" | "century" | "centuries" => Unit::Century,
            "mil" | "mils" | "millennium" | "millennia" => Unit::Millennium,
            "qtr" | "quarter" | "timezone" => Unit::Other,
            _ => return None,
        })
    }

    /// The bit of a unit in a set of them.
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Units of a time of day.
const TIME_UNITS: [Unit; 5] = [Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond, Unit::Microsecond];

/// A whole number and a fraction of one sign: `-1.5` is -1 and -0.5.
#[derive(Clone, Copy, Debug)]
struct Number {
    whole: i64,
    fraction: f64,
}

impl Number {
    fn whole(whole: i64) -> Self {
        Number { whole, fraction: 0.0 }
    }

    /// The number that is not positive.
    fn negative(self) -> Self {
        Number { whole: -self.whole.saturating_abs(), fraction: -self.fraction.abs() }
    }
}

/// The interval so far; each field has the bits that PostgreSQL gives it.
#[derive(Default)]
struct Sum {
    years: i32,
    months: i32,
    days: i32,
    micros: i64,
}

impl Sum {
    /// Adds so many of a unit.
    fn add(&mut self, number: Number, unit: Unit) -> Parsed<()> {
        let Number { whole, fraction } = number;
        let micros = |sum: &mut Self, unit: i64| sum.add_micros(whole, fraction, unit);
        match unit {
            Unit::Microsecond => micros(self, 1),
            Unit::Millisecond => micros(self, 1_000),
            Unit::Second => micros(self, SECOND),
            Unit::Minute => micros(self, MINUTE),
            Unit::Hour => micros(self, HOUR),
            Unit::Day => {
                self.add_days(whole, 1)?;
                self.add_micros(0, fraction, DAY)
            }
            Unit::Week => {
                self.add_days(whole, 7)?;
                self.add_fraction_of_days(fraction, 7.0)
            }
            Unit::Month => {
                self.add_months(whole)?;
                self.add_fraction_of_days(fraction, 30.0)
            }
            Unit::Year => self.add_years(number, 1),
            Unit::Decade => self.add_years(number, 10),
            Unit::Century => self.add_years(number, 100),
            Unit::Millennium => self.add_years(number, 1_000),
            Unit::Other => Err(Fault::Syntax),
        }
    }

    fn add_micros(&mut self, whole: i64, fraction: f64, unit: i64) -> Parsed<()> {
        let scaled = fraction * unit as f64;
        let mut micros = scaled as i64;
        let rest = scaled - micros as f64;
        if rest > 0.5 {
            micros += 1;
        } else if rest < -0.5 {
            micros -= 1;
        }
        let sum = whole.checked_mul(unit).and_then(|all| self.micros.checked_add(all));
        self.micros = sum.and_then(|sum| sum.checked_add(micros)).ok_or(Fault::Field)?;
        Ok(())
    }

    fn add_days(&mut self, whole: i64, unit: i32) -> Parsed<()> {
        let days = i32::try_from(whole).ok().and_then(|days| days.checked_mul(unit));
        self.days = days.and_then(|days| self.days.checked_add(days)).ok_or(Fault::Field)?;
        Ok(())
    }

    fn add_fraction_of_days(&mut self, fraction: f64, unit: f64) -> Parsed<()> {
        let days = fraction * unit;
        self.add_days(days as i64, 1)?;
        self.add_micros(0, days - days.trunc(), DAY)
    }

    fn add_months(&mut self, whole: i64) -> Parsed<()> {
        let months = i32::try_from(whole).ok();
        self.months = months.and_then(|months| self.months.checked_add(months)).ok_or(Fault::Field)?;
        Ok(())
    }

    fn add_years(&mut self, number: Number, unit: i32) -> Parsed<()> {
        let years = i32::try_from(number.whole).ok().and_then(|years| years.checked_mul(unit));
        self.years = years.and_then(|years| self.years.checked_add(years)).ok_or(Fault::Field)?;
        self.add_months((number.fraction * f64::from(unit) * 12.0).round_ties_even() as i64)
    }

    fn negate(&mut self) -> Parsed<()> {
        let negate = |part: i32| part.checked_neg().ok_or(Fault::Field);
        (self.years, self.months, self.days) = (negate(self.years)?, negate(self.months)?, negate(self.days)?);
        self.micros = self.micros.checked_neg().ok_or(Fault::Field)?;
        Ok(())
    }

    fn finish(self) -> Parsed<Interval> {
        let months = i64::from(self.years) * 12 + i64::from(self.months);
        let months = months.try_into().map_err(|_| Fault::Range)?;
        Ok(Interval { months, days: self.days, micros: self.micros })
    }
}

/// The unit of the number at the end, by the smallest of the interval's fields.
fn unit_of(fields: Option<Fields>) -> Unit {
    match fields.map(|fields| fields.last) {
        Some(DatePart::Year) => Unit::Year,
        Some(DatePart::Month) => Unit::Month,
        Some(DatePart::Week) => Unit::Week,
        Some(DatePart::Day) => Unit::Day,
        Some(DatePart::Hour) => Unit::Hour,
        Some(DatePart::Minute) => Unit::Minute,
        _ => Unit::Second,
    }
}

/// What the unit of the next number to the left is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The one of the interval's fields.
    Default,
    Of(Unit),
    /// None: `ago` says no unit.
    None,
}

/// Numbers and units, `years-months`, a time of day, and `ago`, which turns all of them round. What stands in front of a time
/// or of hours counts days.
fn read_fields(text: &str, fields: Option<Fields>, style: IntervalStyle, sum: &mut Sum) -> Parsed<()> {
    let minutes_first = fields.is_some_and(|fields| fields.minute_to_second);
    let all = split(text.trim_matches(is_blank), super::word::is_keyword).ok_or(Fault::Syntax)?;
    let has_sign = |field: &Field| field.text.starts_with(['-', '+']);
    let negative = style == IntervalStyle::SqlStandard
        && all.first().is_some_and(|first| first.text.starts_with('-'))
        && !all[1..].iter().any(has_sign);
    let mut seen = 0;
    let mut next = Next::Default;
    let mut ago = false;
    for field in all.iter().rev() {
        let units = match field.kind {
            Kind::Word | Kind::SignedWord => {
                next = match field.text.as_str() {
                    "ago" => {
                        ago = true;
                        Next::None
                    }
                    word => Next::Of(Unit::from_word(word).ok_or(Fault::Syntax)?),
                };
                0
            }
            Kind::Time => {
                read_time(&field.text, negative, minutes_first, sum)?;
                next = Next::Of(Unit::Day);
                time_units()
            }
            Kind::Signed if field.text[1..].contains(':') && is_time(&field.text[1..], minutes_first) => {
                let negative = negative || field.text.starts_with('-');
                read_time(&field.text[1..], negative, minutes_first, sum)?;
                next = Next::Of(Unit::Day);
                time_units()
            }
            Kind::Signed | Kind::Date | Kind::Number => {
                let unit = match next {
                    Next::Default => Some(unit_of(fields)),
                    Next::Of(unit) => Some(unit),
                    Next::None => None,
                };
                let (number, is_months) = read_number(&field.text)?;
                let number = if negative { number.negative() } else { number };
                let unit = if is_months { Unit::Month } else { unit.ok_or(Fault::Syntax)? };
                sum.add(number, unit)?;
                next = Next::Of(if unit == Unit::Hour { Unit::Day } else { unit });
                if unit == Unit::Second && number.fraction != 0.0 {
                    Unit::Second.bit() | Unit::Millisecond.bit() | Unit::Microsecond.bit()
                } else {
                    unit.bit()
                }
            }
        };
        if seen & units != 0 {
            return Err(Fault::Syntax);
        }
        seen |= units;
    }
    if seen == 0 {
        return Err(Fault::Syntax);
    }
    if ago { sum.negate() } else { Ok(()) }
}

fn time_units() -> u32 {
    TIME_UNITS.iter().fold(0, |all, unit| all | unit.bit())
}

/// A number, or years and months as months: `1-2` is 14.
fn read_number(text: &str) -> Parsed<(Number, bool)> {
    let (whole, rest) = leading_integer::<i64>(text).ok_or(Fault::Field)?;
    if let Some(months) = rest.strip_prefix('-') {
        let (months, rest) = leading_integer::<i32>(months).ok_or(Fault::Field)?;
        if !(0..12).contains(&months) {
            return Err(Fault::Field);
        }
        if !rest.is_empty() {
            return Err(Fault::Syntax);
        }
        let months = if text.starts_with('-') { -months } else { months };
        let all = whole.checked_mul(12).and_then(|years| years.checked_add(months));
        return Ok((Number::whole(all.ok_or(Fault::Field)?), true));
    }
    let part = if rest.is_empty() { 0.0 } else { fraction(rest).ok_or(Fault::Syntax)? };
    Ok((Number { whole, fraction: if text.starts_with('-') { -part } else { part } }, false))
}

fn is_time(text: &str, minutes_first: bool) -> bool {
    read_time(text, false, minutes_first, &mut Sum::default()).is_ok()
}

/// `4:05:06.5`, `4:05`, or minutes and seconds if there is a fraction (`4:05.5`) or the fields are these. It takes the place of
/// what was there of a time.
fn read_time(text: &str, negative: bool, minutes_first: bool, sum: &mut Sum) -> Parsed<()> {
    let syntax = Fault::Syntax;
    let part = |text: &str| fraction(text).ok_or(syntax);
    let (first, rest) = leading_integer::<i64>(text).ok_or(Fault::Field)?;
    let (second, rest) = leading_integer::<i32>(rest.strip_prefix(':').ok_or(syntax)?).ok_or(Fault::Field)?;
    let (hours, minutes, seconds, fraction) = if rest.is_empty() && !minutes_first {
        (first, second, 0, 0.0)
    } else if rest.is_empty() || rest.starts_with('.') {
        let minutes = i32::try_from(first).map_err(|_| Fault::Field)?;
        (0, minutes.into(), second, if rest.is_empty() { 0.0 } else { part(rest)? })
    } else {
        let (third, rest) = leading_integer::<i32>(rest.strip_prefix(':').ok_or(syntax)?).ok_or(Fault::Field)?;
        (first, second, third, if rest.is_empty() { 0.0 } else { part(rest)? })
    };
    if hours < 0 || !(0..=59).contains(&minutes) || !(0..=60).contains(&seconds) {
        return Err(Fault::Field);
    }
    let micros = (fraction * SECOND as f64).round_ties_even() as i64 + minutes * MINUTE + seconds * SECOND;
    let micros = hours.checked_mul(HOUR).and_then(|hours| hours.checked_add(micros)).ok_or(Fault::Field)?;
    sum.micros = if negative { -micros } else { micros };
    Ok(())
}

/// ISO 8601: designators (`P1Y2M3DT4H5M6S`), or the form with separators (`P0001-02-03T04:05:06`) or without.
fn read_iso(text: &str, sum: &mut Sum) -> Parsed<()> {
    let mut rest = text.strip_prefix('P').filter(|rest| !rest.is_empty()).ok_or(Fault::Syntax)?;
    let (mut is_date, mut has_field) = (true, false);
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('T') {
            (rest, is_date, has_field) = (behind, false, false);
            continue;
        }
        let start = rest;
        let number = iso_number(&mut rest)?;
        let digits = start.trim_start_matches('-').bytes().take_while(u8::is_ascii_digit).count();
        let unit = rest.chars().next();
        rest = unit.map_or(rest, |unit| &rest[unit.len_utf8()..]);
        let designated = match (is_date, unit) {
            (true, Some('Y')) => Some(Unit::Year),
            (true, Some('M')) => Some(Unit::Month),
            (true, Some('W')) => Some(Unit::Week),
            (true, Some('D')) => Some(Unit::Day),
            (false, Some('H')) => Some(Unit::Hour),
            (false, Some('M')) => Some(Unit::Minute),
            (false, Some('S')) => Some(Unit::Second),
            _ => None,
        };
        if let Some(unit) = designated {
            sum.add(number, unit)?;
            has_field = true;
            continue;
        }
        match (is_date, unit) {
            (true, None | Some('T')) if digits == 8 && !has_field => {
                sum.add_years(Number::whole(number.whole / 10_000), 1)?;
                sum.add_months(number.whole / 100 % 100)?;
                sum.add(Number { whole: number.whole % 100, ..number }, Unit::Day)?;
            }
            (true, None | Some('T' | '-')) if !has_field => {
                sum.add(number, Unit::Year)?;
                if unit == Some('-') {
                    iso_date(&mut rest, sum)?;
                }
            }
            (false, None) if digits == 6 && !has_field => {
                sum.add_micros(number.whole / 10_000, 0.0, HOUR)?;
                sum.add_micros(number.whole / 100 % 100, 0.0, MINUTE)?;
                sum.add_micros(number.whole % 100, 0.0, SECOND)?;
                sum.add_micros(0, number.fraction, 1)?;
            }
            (false, None | Some(':')) if !has_field => {
                sum.add(number, Unit::Hour)?;
                if unit.is_some() {
                    iso_time(&mut rest, sum)?;
                }
            }
            _ => return Err(Fault::Syntax),
        }
        if unit == Some('T') {
            (is_date, has_field) = (false, false);
        }
    }
    Ok(())
}

/// Months and days behind years and a hyphen, up to the end or the `T` of a time.
fn iso_date(rest: &mut &str, sum: &mut Sum) -> Parsed<()> {
    for unit in [Unit::Month, Unit::Day] {
        let number = iso_number(rest)?;
        sum.add(number, unit)?;
        match rest.strip_prefix('-') {
            _ if rest.is_empty() || rest.starts_with('T') => return Ok(()),
            Some(behind) if unit == Unit::Month => *rest = behind,
            _ => break,
        }
    }
    Err(Fault::Syntax)
}

/// Minutes and seconds behind hours and a colon, up to the end.
fn iso_time(rest: &mut &str, sum: &mut Sum) -> Parsed<()> {
    for unit in [Unit::Minute, Unit::Second] {
        let number = iso_number(rest)?;
        sum.add(number, unit)?;
        match rest.strip_prefix(':') {
            _ if rest.is_empty() => return Ok(()),
            Some(behind) if unit == Unit::Minute => *rest = behind,
            _ => break,
        }
    }
    Err(Fault::Syntax)
}

/// A number as C reads a double, perhaps with an exponent.
fn iso_number(rest: &mut &str) -> Parsed<Number> {
    /// Beyond this a double has no digits behind its point.
    const LARGEST: f64 = 1e15;
    let bytes = rest.as_bytes();
    let digits_from = |at: usize| bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(rest.starts_with('-'));
    let whole = digits_from(sign);
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') {
        let digits = digits_from(end + 1);
        if whole + digits == 0 {
            return Err(Fault::Syntax);
        }
        end += 1 + digits;
    } else if whole == 0 {
        return Err(Fault::Syntax);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let digits = digits_from(signed);
        if digits > 0 {
            end = signed + digits;
        }
    }
    let value: f64 = rest[..end].parse().map_err(|_| Fault::Syntax)?;
    if value.abs() > LARGEST {
        return Err(Fault::Field);
    }
    *rest = &rest[end..];
    Ok(Number { whole: value.trunc() as i64, fraction: value - value.trunc() })
}
