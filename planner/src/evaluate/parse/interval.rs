//! Intervals: `1 year 2 mons 3 days 04:05:06.5`, `1-2`, `3 4:05`, `90 min ago`, `P1Y2M3DT4H5M6S`.
//!
//! A fraction of a unit goes to the smaller ones: half a year is six months, half a month 15 days, half a day
//! 12 hours.

use super::date::read_fraction;
use super::field::run;
use super::is_blank;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND};
use crate::value::{Interval, Value};

/// The interval of a text: 22007 if it is none, 22008 if it is too long.
pub(super) fn parse_interval(text: &str) -> Result<Value> {
    let lower = text.trim_matches(is_blank).to_ascii_lowercase();
    let mut sum = Sum::default();
    let read = match lower.strip_prefix('p') {
        Some(iso) => read_iso(iso, &mut sum),
        None => read_words(&lower, &mut sum),
    };
    read.ok_or_else(|| {
        Error::new(ErrorKind::InvalidDatetime, format!("invalid input syntax for type interval: \"{text}\""))
    })?;
    let interval = sum.finish().ok_or_else(|| {
        Error::new(ErrorKind::DatetimeOverflow, format!("interval field value out of range: \"{text}\""))
    })?;
    Ok(Value::Interval(interval))
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

    fn finish(self) -> Option<Interval> {
        let interval = Interval {
            months: self.months.try_into().ok()?,
            days: self.days.try_into().ok()?,
            micros: self.micros.try_into().ok()?,
        };
        (!self.overflow).then_some(interval)
    }
}

/// Numbers and units, `years-months`, a time of day, and `ago`, which turns all of them round. A number in front of a time counts
/// days, one with nothing behind it seconds.
fn read_words(text: &str, sum: &mut Sum) -> Option<()> {
    let mut rest = skip_blanks(text.strip_prefix('@').unwrap_or(text));
    let mut ago = false;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix("ago") {
            ago = true;
            rest = skip_blanks(behind);
        } else {
            rest = skip_blanks(read_one(rest, sum)?);
        }
    }
    if ago {
        (sum.months, sum.days, sum.micros) = (-sum.months, -sum.days, -sum.micros);
    }
    (!sum.units.is_empty()).then_some(())
}

fn read_one<'a>(text: &'a str, sum: &mut Sum) -> Option<&'a str> {
    let (negative, unsigned) = split_sign(text);
    let length = run(unsigned, |c| c.is_ascii_digit() || c == ':' || c == '.');
    if unsigned[..length].contains(':') {
        read_time(&unsigned[..length], negative, sum)?;
        return Some(&unsigned[length..]);
    }
    let (number, rest) = read_number(text)?;
    if let Some(months) = rest.strip_prefix('-') {
        let digits = run(months, |c| c.is_ascii_digit());
        let months_of_year = months[..digits].parse::<i64>().ok()?;
        if months[digits..].starts_with('-') {
            // A date, not years and months.
            return None;
        }
        sum.overflow |= months_of_year > 11;
        sum.add(number, Unit::Year)?;
        let months_of_year = if negative { -months_of_year } else { months_of_year };
        sum.add(Number { whole: Some(months_of_year), fraction: 0.0 }, Unit::Month)?;
        return Some(&months[digits..]);
    }
    let rest = skip_blanks(rest);
    let letters = run(rest, |c| c.is_ascii_alphabetic());
    let word = &rest[..letters];
    if letters == 0 || word == "ago" {
        let (_, behind) = split_sign(rest);
        let before_time = behind[..run(behind, |c| c.is_ascii_digit() || c == ':')].contains(':');
        sum.add(number, if before_time { Unit::Day } else { Unit::Second })?;
        return Some(rest);
    }
    sum.add(number, Unit::from_word(word)?)?;
    Some(&rest[letters..])
}

/// `4:05:06.5`, `4:05`, or minutes and seconds if there is a fraction: `4:05.5`.
fn read_time(text: &str, negative: bool, sum: &mut Sum) -> Option<()> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let numbers: Vec<i128> =
        whole.split(':').map(|part| part.parse::<i64>().ok().map(i128::from)).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match numbers[..] {
        [hours, minutes, seconds] => (hours, minutes, seconds),
        [minutes, seconds] if !fraction.is_empty() => (0, minutes, seconds),
        [hours, minutes] => (hours, minutes, 0),
        _ => return None,
    };
    let units = [Unit::Hour, Unit::Minute, Unit::Second];
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
            read_time(unsigned, negative, sum)
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
