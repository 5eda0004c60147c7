//! Dates, times and timestamps, in ISO 8601 and in the usual other spellings. Months come before days
//! (PostgreSQL's default, `DateStyle` MDY). A time zone counts for an instant; else it is read and left out.

use super::field::{Field, split};
use super::is_blank;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{
    DATE_INFINITY, DAY, HOUR, MINUTE, SECOND, TIMESTAMP_INFINITY, checked_date, checked_timestamp, days_from_civil,
    days_in_month, split_timestamp,
};
use crate::evaluate::zone::{Zone, offset_of, with_zone};
use crate::value::Value;

/// A date; a time behind it is left out.
pub(super) fn parse_date(text: &str) -> Result<Value> {
    if let Some(positive) = infinity(text) {
        return Ok(Value::Int(if positive { DATE_INFINITY } else { i32::MIN.into() }));
    }
    let parts = Parts::read(text, "date")?;
    let days = parts.days.ok_or_else(|| invalid(text, "date"))?;
    checked_date(days).map(Value::Int).map_err(|_| out_of_range("date", text))
}

/// A time of day; a date in front of it is left out.
pub(super) fn parse_time(text: &str) -> Result<Value> {
    let parts = Parts::read(text, "time")?;
    Ok(Value::Int(parts.micros.ok_or_else(|| invalid(text, "time"))?))
}

/// A date and perhaps a time.
pub(super) fn parse_timestamp(text: &str) -> Result<Value> {
    if let Some(positive) = infinity(text) {
        return Ok(Value::Int(if positive { TIMESTAMP_INFINITY } else { i64::MIN }));
    }
    let parts = Parts::read(text, "timestamp")?;
    let days = parts.days.ok_or_else(|| invalid(text, "timestamp"))?;
    checked_timestamp(days, parts.micros.unwrap_or(0)).map(Value::Int).map_err(|_| out_of_range("timestamp", text))
}

/// A date and perhaps a time, as an instant: of an offset or a zone in the text, else of this zone.
pub(super) fn parse_instant(text: &str, zone: &str) -> Result<Value> {
    if let Some(positive) = infinity(text) {
        return Ok(Value::Int(if positive { TIMESTAMP_INFINITY } else { i64::MIN }));
    }
    let (rest, named) = split_zone(text);
    let parts = Parts::read(rest, "timestamp with time zone").map_err(|error| match error.kind() {
        ErrorKind::InvalidDatetime => invalid(text, "timestamp with time zone"),
        _ => error,
    })?;
    let days = parts.days.ok_or_else(|| invalid(text, "timestamp with time zone"))?;
    let out_of_range = |_| out_of_range("timestamp", text);
    let local = checked_timestamp(days, parts.micros.unwrap_or(0)).map_err(out_of_range)?;
    let instant = match (parts.offset, named) {
        (Some(seconds), None) => {
            let (days, time) = split_timestamp(local);
            let time = time - seconds * SECOND;
            checked_timestamp(days + time.div_euclid(DAY), time.rem_euclid(DAY))
        }
        (None, Some(zone)) => zone.instant(local),
        (None, None) => with_zone(zone, |zone| zone.instant(local)),
        (Some(_), Some(_)) => return Err(invalid(text, "timestamp with time zone")),
    };
    instant.map(Value::Int).map_err(out_of_range)
}

/// The text without the name of a zone at its end, and that zone.
fn split_zone(text: &str) -> (&str, Option<Zone>) {
    let trimmed = text.trim_end_matches(is_blank);
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    let start = trimmed.trim_end_matches(is_of_name).len();
    // A zone may follow a time at once: `04:05:06PST`.
    let digits = trimmed[start..].find(|c: char| c.is_ascii_alphabetic()).unwrap_or(trimmed.len() - start);
    let (rest, name) = trimmed.split_at(start + digits);
    let is_part = matches!(name.to_ascii_lowercase().as_str(), "" | "bc" | "ad" | "am" | "pm" | "t" | "epoch");
    if is_part || rest.trim_matches(is_blank).is_empty() || month_of(&name.to_ascii_lowercase()).is_some() {
        return (text, None);
    }
    match Zone::find(name) {
        Some(zone) => (rest, Some(zone)),
        None => (text, None),
    }
}

/// Whether the text is an infinity, and the positive one.
fn infinity(text: &str) -> Option<bool> {
    match text.trim_matches(is_blank).to_ascii_lowercase().as_str() {
        "infinity" | "+infinity" => Some(true),
        "-infinity" => Some(false),
        _ => None,
    }
}

fn invalid(text: &str, type_name: &str) -> Error {
    Error::new(ErrorKind::InvalidDatetime, format!("invalid input syntax for type {type_name}: \"{text}\""))
}

fn out_of_range(what: &str, text: &str) -> Error {
    Error::new(ErrorKind::DatetimeOverflow, format!("{what} out of range: \"{text}\""))
}

/// Why a text is no date or time: not even the syntax fits, or a field is too large.
enum Fault {
    Syntax,
    Range,
}

type Parsed<T> = std::result::Result<T, Fault>;

#[derive(Default)]
struct Parts {
    days: Option<i64>,
    micros: Option<i64>,
    /// Seconds ahead of UTC.
    offset: Option<i64>,
}

/// What has been read so far of a date whose parts stand alone, as in `8 January 1999 BC`.
#[derive(Default)]
struct Loose {
    year: Option<String>,
    month: Option<i64>,
    day: Option<i64>,
    days: Option<i64>,
    micros: Option<i64>,
    offset: Option<i64>,
    afternoon: Option<bool>,
    before_christ: bool,
}

impl Parts {
    fn read(text: &str, type_name: &str) -> Result<Parts> {
        let trimmed = text.trim_matches(is_blank);
        match trimmed.to_ascii_lowercase().as_str() {
            "epoch" => return Ok(Parts { days: Some(0), micros: Some(0), offset: Some(0) }),
            "allballs" => return Ok(Parts { days: None, micros: Some(0), offset: None }),
            special @ ("now" | "today" | "tomorrow" | "yesterday") => {
                return Err(Error::unsupported(format!("\"{special}\" as a {type_name} is")));
            }
            _ => {}
        }
        let fields = split(trimmed).filter(|fields| !fields.is_empty()).ok_or_else(|| invalid(text, type_name))?;
        Loose::read(&fields, type_name == "time").and_then(Loose::finish).map_err(|fault| match fault {
            Fault::Syntax => invalid(text, type_name),
            Fault::Range => out_of_range("date/time field value", text),
        })
    }
}

impl Loose {
    fn read(fields: &[Field], time_only: bool) -> Parsed<Loose> {
        let mut loose = Loose::default();
        let mut fields = fields.iter();
        while let Some(field) = fields.next() {
            match field {
                Field::Time(time) => set(&mut loose.micros, read_time(time)?)?,
                Field::Date(parts) => loose.date(parts)?,
                Field::Number(digits) => loose.number(digits, time_only)?,
                Field::Zone(zone) if loose.micros.is_some() => {
                    check_zone(zone)?;
                    loose.offset = offset_of(zone);
                }
                Field::Zone(_) => return Err(Fault::Syntax),
                Field::Word(word) if word == "j" => match fields.next() {
                    Some(Field::Number(day)) => loose.julian_day(day)?,
                    _ => return Err(Fault::Syntax),
                },
                Field::Word(word) => loose.word(word)?,
            }
        }
        Ok(loose)
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        match word {
            "am" => set(&mut self.afternoon, false),
            "pm" => set(&mut self.afternoon, true),
            "bc" => {
                self.before_christ = true;
                Ok(())
            }
            // A T stands between date and time. Other zones than these are read for an instant alone.
            "ad" | "t" => Ok(()),
            "z" | "zulu" | "utc" | "gmt" => {
                self.offset = Some(0);
                Ok(())
            }
            _ if is_weekday(word) => Ok(()),
            _ => set(&mut self.month, month_of(word).ok_or(Fault::Syntax)?),
        }
    }

    /// A number by itself: a whole date, a whole time, or one part of a date whose month is a word.
    fn number(&mut self, digits: &str, time_only: bool) -> Parsed<()> {
        let (whole, _) = digits.split_once('.').unwrap_or((digits, ""));
        let has_date =
            time_only || self.days.is_some() || (self.year.is_some() && self.month.is_some() && self.day.is_some());
        match whole.len() {
            _ if self.month.is_some() && self.day.is_some() && self.year.is_none() && !time_only => {
                self.year = Some(whole.to_owned());
                Ok(())
            }
            4 | 6 if has_date => set(&mut self.micros, read_time(&with_colons(digits))?),
            8 if !has_date => self.numeric_date(&whole[..4], &whole[4..6], &whole[6..]),
            6 if !has_date && self.month.is_none() => self.numeric_date(&whole[..2], &whole[2..4], &whole[4..]),
            0..=2 => set(&mut self.day, read_number(whole)?),
            _ => set(&mut self.year, whole.to_owned()),
        }
    }

    fn julian_day(&mut self, digits: &str) -> Parsed<()> {
        const JULIAN_DAY_OF_EPOCH: i64 = 2_440_588;
        set(&mut self.days, read_number(digits)? - JULIAN_DAY_OF_EPOCH)
    }

    fn date(&mut self, parts: &[String]) -> Parsed<()> {
        let is_word = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic());
        match parts {
            [year, day] if day.len() == 3 && !is_word(year) && !is_word(day) => {
                let year = expand_year(year)?;
                let day = read_number(day)?;
                // Day 366 of a year without one is the next year's first.
                if !(1..=366).contains(&day) {
                    return Err(Fault::Range);
                }
                set(&mut self.days, days_from_civil(year, 1, 1) + day - 1)
            }
            [a, b, c] if is_word(b) => {
                let (year, day) = if a.len() > 2 { (a, c) } else { (c, a) };
                self.named_date(year, b, day)
            }
            [a, b, c] if is_word(a) => self.named_date(c, a, b),
            [a, b, c] if a.len() > 2 => self.numeric_date(a, b, c),
            [a, b, c] => self.numeric_date(c, a, b),
            _ => Err(Fault::Syntax),
        }
    }

    fn named_date(&mut self, year: &str, month: &str, day: &str) -> Parsed<()> {
        set(&mut self.month, month_of(month).ok_or(Fault::Syntax)?)?;
        set(&mut self.day, read_number(day)?)?;
        set(&mut self.year, year.to_owned())
    }

    fn numeric_date(&mut self, year: &str, month: &str, day: &str) -> Parsed<()> {
        set(&mut self.month, read_number(month)?)?;
        set(&mut self.day, read_number(day)?)?;
        set(&mut self.year, year.to_owned())
    }

    fn finish(self) -> Parsed<Parts> {
        let days = match (&self.year, self.month, self.day, self.days) {
            (None, None, None, days) if days.is_none() || !self.before_christ => days,
            (Some(year), Some(month), Some(day), None) => {
                let year = if self.before_christ { 1 - read_number(year)? } else { expand_year(year)? };
                // There is no year 0, in either era.
                let exists = if self.before_christ { year <= 0 } else { year > 0 };
                if !exists || !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
                    return Err(Fault::Range);
                }
                Some(days_from_civil(year, month, day))
            }
            _ => return Err(Fault::Syntax),
        };
        let micros = match (self.micros, self.afternoon) {
            (micros, None) => micros,
            (Some(micros), Some(afternoon)) if micros < 13 * HOUR => {
                let morning = if micros >= 12 * HOUR { micros - 12 * HOUR } else { micros };
                Some(if afternoon { morning + 12 * HOUR } else { morning })
            }
            (Some(_), Some(_)) => return Err(Fault::Range),
            (None, Some(_)) => return Err(Fault::Syntax),
        };
        Ok(Parts { days, micros, offset: self.offset })
    }
}

/// Each part may be given once.
fn set<T>(part: &mut Option<T>, value: T) -> Parsed<()> {
    if part.replace(value).is_some() { Err(Fault::Syntax) } else { Ok(()) }
}

fn read_number(digits: &str) -> Parsed<i64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Syntax);
    }
    // Nine digits keep every later sum within 64 bits.
    if digits.len() > 9 { Err(Fault::Range) } else { digits.parse().map_err(|_| Fault::Range) }
}

/// Two digits are a year from 1970 to 2069.
fn expand_year(digits: &str) -> Parsed<i64> {
    let year = read_number(digits)?;
    Ok(match year {
        0..70 if digits.len() <= 2 => year + 2000,
        70..100 if digits.len() <= 2 => year + 1900,
        _ => year,
    })
}

fn month_of(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let matches = |full: &str| word == full || word == &full[..3] || (full == "september" && word == "sept");
    MONTHS.iter().position(|full| matches(full)).map(|position| position as i64 + 1)
}

fn is_weekday(word: &str) -> bool {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    DAYS.iter().any(|full| word == *full || word == &full[..3])
        || matches!(word, "tues" | "wednes" | "weds" | "thur" | "thurs")
}

/// `0405` and `040506.5` as `04:05` and `04:05:06.5`.
fn with_colons(digits: &str) -> String {
    let (hours, rest) = digits.split_at(2);
    let (minutes, seconds) = rest.split_at(2);
    if seconds.is_empty() { format!("{hours}:{minutes}") } else { format!("{hours}:{minutes}:{seconds}") }
}

/// Hours, minutes and perhaps seconds, in microseconds. 24:00:00 is the end of a day.
fn read_time(text: &str) -> Parsed<i64> {
    let mut parts = text.split(':');
    let (Some(hours), Some(minutes)) = (parts.next(), parts.next()) else { return Err(Fault::Syntax) };
    let (hours, minutes) = (read_number(hours)?, read_number(minutes)?);
    let (seconds, fraction) = match parts.next() {
        Some(seconds) => seconds.split_once('.').unwrap_or((seconds, "")),
        None => ("0", ""),
    };
    let seconds = read_number(seconds)?;
    if parts.next().is_some() {
        return Err(Fault::Syntax);
    }
    if hours > 24 || minutes > 59 || seconds > 60 {
        return Err(Fault::Range);
    }
    let micros = hours * HOUR + minutes * MINUTE + seconds * SECOND + read_fraction(fraction).ok_or(Fault::Syntax)?;
    if micros > DAY { Err(Fault::Range) } else { Ok(micros) }
}

/// The digits behind a second's point, in microseconds, rounded.
pub(super) fn read_fraction(digits: &str) -> Option<i64> {
    if digits.is_empty() {
        return Some(0);
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: f64 = format!("0.{digits}").parse().ok()?;
    Some((fraction * SECOND as f64).round_ties_even() as i64)
}

/// An offset from UTC: hours, perhaps minutes and seconds.
fn check_zone(zone: &str) -> Parsed<()> {
    let offset = &zone[1..];
    let hours = offset.split(':').next().unwrap_or(offset);
    let hours = if hours.len() > 2 { hours.get(..hours.len() - 2).unwrap_or(hours) } else { hours };
    if read_number(hours)? > 15 { Err(Fault::Range) } else { Ok(()) }
}
