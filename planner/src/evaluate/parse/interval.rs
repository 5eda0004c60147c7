//! Intervals: `1 year 2 mons 3 days 04:05:06.5`, `1-2`, `3 4:05`, `90 min ago`, `P1Y2M3DT4H5M6S`.
//!
//! A fraction of a unit goes to the smaller ones: half a year is six months, half a month 15 days, half a day
//! 12 hours. Words and numbers are read from the right, as PostgreSQL does, so that a unit is known before its number; the
//! number at the end may have its unit from the interval's fields (`'1 2' day to hour`), and else counts seconds.

use super::date::read_fraction;
use super::field::run;
use super::is_blank;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND};
use crate::evaluate::interval::Fields;
use crate::function::DatePart;
use crate::value::{Interval, Value};

/// The interval of a text: 22007 if it is none, 22015 if a field is too large, 22008 if all of it is too long.
pub(in crate::evaluate) fn parse_interval(text: &str, fields: Option<Fields>) -> Result<Value> {
    let lower = text.trim_matches(is_blank).to_ascii_lowercase();
    let mut sum = Sum::default();
    let read = match lower.strip_prefix('p') {
        Some(iso) => read_iso(iso, &mut sum),
        None => read_words(&lower, fields, &mut sum),
    };
    read.ok_or_else(|| {
        Error::new(ErrorKind::InvalidDatetime, format!("invalid input syntax for type interval: \"{text}\""))
    })?;
    sum.finish(text).map(Value::Interval)
}

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
}

impl Unit {
    fn from_word(word: &str) -> Option<Unit> {
        Some(match word {
            "us" | "usec" | "usecs" | "useconds" | "microsecond" | "microseconds" | "microsecon" => Unit::Microsecond,
            "ms" | "msec" | "msecs" | "mseconds" | "millisecond" | "milliseconds" | "millisecon" => Unit::Millisecond,
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
            _ => return None,
        })
    }
}

/// A number as written: `-1.5` is -1 and -0.5. None: it does not fit 64 bits.
#[derive(Clone, Copy, Debug)]
struct Number {
    whole: Option<i64>,
    fraction: f64,
}

/// The interval so far, wide enough to be added to without care.
#[derive(Default)]
struct Sum {
    months: i128,
    days: i128,
    micros: i128,
    units: Vec<Unit>,
    overflow: bool,
}

impl Sum {
    /// Adds so many of a unit. Each unit may be given once.
    fn add(&mut self, number: Number, unit: Unit) -> Option<()> {
        if self.units.contains(&unit) {
            return None;
        }
        self.units.push(unit);
        if unit == Unit::Second && number.fraction != 0.0 {
            self.units.extend([Unit::Millisecond, Unit::Microsecond]);
        }
        let Some(whole) = number.whole.map(i128::from) else {
            self.overflow = true;
            return Some(());
        };
        match unit {
            Unit::Microsecond => self.add_micros(whole, number.fraction, 1),
            Unit::Millisecond => self.add_micros(whole, number.fraction, 1_000),
            Unit::Second => self.add_micros(whole, number.fraction, SECOND),
            Unit::Minute => self.add_micros(whole, number.fraction, MINUTE),
            Unit::Hour => self.add_micros(whole, number.fraction, HOUR),
            Unit::Day => self.add_days(whole, number.fraction),
            Unit::Week => self.add_days(whole * 7, number.fraction * 7.0),
            Unit::Month => {
                self.overflow |= i32::try_from(whole).is_err();
                self.months += whole;
                self.add_days(0, number.fraction * 30.0);
            }
            Unit::Year => self.add_years(whole, number.fraction, 1),
            Unit::Decade => self.add_years(whole, number.fraction, 10),
            Unit::Century => self.add_years(whole, number.fraction, 100),
            Unit::Millennium => self.add_years(whole, number.fraction, 1_000),
        }
        Some(())
    }

    fn add_micros(&mut self, whole: i128, fraction: f64, unit: i64) {
        self.micros += whole * i128::from(unit) + (fraction * unit as f64).round_ties_even() as i128;
    }

    fn add_days(&mut self, whole: i128, fraction: f64) {
        self.days += whole + fraction.trunc() as i128;
        self.add_micros(0, fraction.fract(), DAY);
    }

    fn add_years(&mut self, whole: i128, fraction: f64, years: i64) {
        self.months += whole * 12 * i128::from(years) + (fraction * (12 * years) as f64).round_ties_even() as i128;
    }

    fn finish(self, text: &str) -> Result<Interval> {
        let too_large = || {
            let message = format!("interval field value out of range: \"{text}\"");
            Error::new(ErrorKind::IntervalOverflow, message)
        };
        let (Ok(days), Ok(micros), false) = (self.days.try_into(), self.micros.try_into(), self.overflow) else {
            return Err(too_large());
        };
        // Months count the years, too, each of which may be small enough.
        let months = self.months.try_into();
        let months = months.map_err(|_| Error::new(ErrorKind::DatetimeOverflow, "interval out of range"))?;
        Ok(Interval { months, days, micros })
    }
}

/// A piece of the text.
enum Token<'a> {
    /// Digits, perhaps with a sign, a point, a `-` or colons.
    Number(&'a str),
    Word(&'a str),
}

/// The text in pieces; none if it holds what belongs to no interval. Other punctuation says nothing, as the `@` in front.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let signed = matches!(first, '+' | '-');
        let digits = if signed { skip_blanks(&rest[1..]) } else { rest };
        if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let start = rest.len() - digits.len();
            let length = start + run(digits, |c| c.is_ascii_digit() || matches!(c, ':' | '.' | '-'));
            tokens.push(Token::Number(&rest[..length]));
            rest = &rest[length..];
        } else if first.is_ascii_alphabetic() {
            let length = run(rest, |c| c.is_ascii_alphabetic());
            tokens.push(Token::Word(&rest[..length]));
            rest = &rest[length..];
        } else if !signed && (is_blank(first) || first.is_ascii_punctuation()) {
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(tokens)
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

/// Numbers and units, `years-months`, a time of day, and `ago`, which turns all of them round. What stands in front of a time
/// or of hours counts days.
fn read_words(text: &str, fields: Option<Fields>, sum: &mut Sum) -> Option<()> {
    let minutes_first = fields.is_some_and(|fields| fields.minute_to_second);
    let mut unit = Some(unit_of(fields));
    let mut ago = false;
    for token in tokens(text)?.into_iter().rev() {
        match token {
            Token::Word("ago") => {
                ago = true;
                unit = None;
            }
            Token::Word(word) => unit = Some(Unit::from_word(word)?),
            Token::Number(number) if number.contains(':') => {
                let (negative, unsigned) = split_sign(number);
                read_time(unsigned, negative, minutes_first, sum)?;
                unit = Some(Unit::Day);
            }
            Token::Number(number) => {
                let (count, rest) = read_number(number)?;
                if let Some(months) = rest.strip_prefix('-') {
                    read_years_and_months(count, number.starts_with('-'), months, sum)?;
                    unit = Some(Unit::Month);
                } else if rest.is_empty() {
                    let own = unit?;
                    sum.add(count, own)?;
                    unit = Some(if own == Unit::Hour { Unit::Day } else { own });
                } else {
                    return None;
                }
            }
        }
    }
    if ago {
        (sum.months, sum.days, sum.micros) = (-sum.months, -sum.days, -sum.micros);
    }
    (!sum.units.is_empty()).then_some(())
}

/// `1-2` is 14 months.
fn read_years_and_months(years: Number, negative: bool, months: &str, sum: &mut Sum) -> Option<()> {
    if months.is_empty() || !months.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let months = months.parse::<i64>().unwrap_or(i64::MAX);
    sum.overflow |= months > 11;
    let months = if negative { -months } else { months };
    let all = years.whole.and_then(|years| years.checked_mul(12)?.checked_add(months));
    sum.add(Number { whole: all, fraction: 0.0 }, Unit::Month)
}

/// `4:05:06.5`, `4:05`, or minutes and seconds if there is a fraction (`4:05.5`) or the fields are these.
fn read_time(text: &str, negative: bool, minutes_first: bool, sum: &mut Sum) -> Option<()> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let numbers: Vec<i128> =
        whole.split(':').map(|part| part.parse::<i64>().ok().map(i128::from)).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match numbers[..] {
        [hours, minutes, seconds] => (hours, minutes, seconds),
        [minutes, seconds] if !fraction.is_empty() || minutes_first => (0, minutes, seconds),
        [hours, minutes] => (hours, minutes, 0),
        _ => return None,
    };
    let units = [Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond, Unit::Microsecond];
    if units.iter().any(|unit| sum.units.contains(unit)) {
        return None;
    }
    sum.units.extend(units);
    sum.overflow |= minutes > 59 || seconds > 60;
    let micros = hours * i128::from(HOUR)
        + minutes * i128::from(MINUTE)
        + seconds * i128::from(SECOND)
        + i128::from(read_fraction(fraction)?);
    sum.micros += if negative { -micros } else { micros };
    Some(())
}

/// ISO 8601 behind the P: designators (`1Y2M3DT4H5M6S`), or the form with separators (`0001-02-03T04:05:06`).
fn read_iso(text: &str, sum: &mut Sum) -> Option<()> {
    let (date, time) = text.split_once('t').map_or((text, None), |(date, time)| (date, Some(time)));
    if date.is_empty() && time.is_none() {
        return None;
    }
    if date.get(1..).is_some_and(|rest| rest.contains('-')) && date.ends_with(|c: char| c.is_ascii_digit()) {
        read_iso_date(date, sum)?;
    } else {
        read_designated(date, sum, |letter| {
            Some(match letter {
                'y' => Unit::Year,
                'm' => Unit::Month,
                'w' => Unit::Week,
                'd' => Unit::Day,
                _ => return None,
            })
        })?;
    }
    match time {
        Some(time) if time.contains(':') => {
            let (negative, unsigned) = split_sign(time);
            read_time(unsigned, negative, false, sum)
        }
        Some(time) => read_designated(time, sum, |letter| {
            Some(match letter {
                'h' => Unit::Hour,
                'm' => Unit::Minute,
                's' => Unit::Second,
                _ => return None,
            })
        }),
        None => Some(()),
    }
}

fn read_iso_date(text: &str, sum: &mut Sum) -> Option<()> {
    let (negative, unsigned) = split_sign(text);
    for (part, unit) in unsigned.split('-').zip([Unit::Year, Unit::Month, Unit::Day]) {
        let count = part.parse::<i64>().ok()?;
        sum.add(Number { whole: Some(if negative { -count } else { count }), fraction: 0.0 }, unit)?;
    }
    (unsigned.split('-').count() <= 3).then_some(())
}

fn read_designated(mut text: &str, sum: &mut Sum, unit: impl Fn(char) -> Option<Unit>) -> Option<()> {
    while !text.is_empty() {
        let (number, rest) = read_number(text)?;
        let letter = rest.chars().next()?;
        sum.add(number, unit(letter)?)?;
        text = &rest[1..];
    }
    Some(())
}

/// A signed number, perhaps with a fraction, and what is behind it.
fn read_number(text: &str) -> Option<(Number, &str)> {
    let (negative, unsigned) = split_sign(text);
    let digits = run(unsigned, |c| c.is_ascii_digit());
    let (whole, rest) = unsigned.split_at(digits);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(behind) => behind.split_at(run(behind, |c| c.is_ascii_digit())),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let sign = if negative { "-" } else { "" };
    let fraction: f64 = if fraction.is_empty() { 0.0 } else { format!("{sign}0.{fraction}").parse().ok()? };
    let whole = if whole.is_empty() { Some(0) } else { format!("{sign}{whole}").parse().ok() };
    Some((Number { whole, fraction }, rest))
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, skip_blanks(rest)),
        None => (false, text.strip_prefix('+').map_or(text, skip_blanks)),
    }
}

fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}
