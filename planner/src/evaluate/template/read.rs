//! Texts of dates and times, read by a template.
//!
//! As PostgreSQL reads them: blanks before a field do not count, one separator stands for any other or for none, and a number has
//! as many digits as there are unless another field follows right behind it. Fields that the text ends before keep what they
//! begin with: the first day of the year before 1.

use super::moment::ROMAN_MONTHS;
use super::picture::{Field, Part, parts};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{
    DAY, DAYS_MIN, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, checked_date, checked_timestamp, days_from_civil,
    days_in_month, is_leap, weekday,
};
use crate::evaluate::zone::Zone;

/// A date by a template, in days since 1970.
///
/// # Errors
/// 22007 for a text that is not of this form, 22008 for fields out of their range, 0A000 for fields that nothing is read of.
pub(super) fn date(text: &str, template: &str) -> Result<i64> {
    checked_date(Read::of(text, template)?.days(text)?)
}

/// An instant by a template, in the zone unless the text names an offset.
pub(super) fn instant(text: &str, template: &str, zone: &Zone) -> Result<i64> {
    let read = Read::of(text, template)?;
    let time = read.time(text)?;
    let local = checked_timestamp(read.days(text)?, time)?;
    if read.is_far {
        let message = format!("time zone displacement out of range: \"{text}\"");
        return Err(Error::new(ErrorKind::InvalidZoneOffset, message));
    }
    match read.offset {
        None => zone.instant(local),
        Some(seconds) => {
            let time = time - seconds * SECOND;
            checked_timestamp(read.days(text)? + time.div_euclid(DAY), time.rem_euclid(DAY))
        }
    }
}

fn out_of_range(text: &str) -> Error {
    let message = format!("date/time field value out of range: \"{text}\"");
    Error::new(ErrorKind::DatetimeOverflow, message)
}

fn invalid(text: &str, field: Field) -> Error {
    let length = width(field).unwrap_or(usize::MAX);
    let shown: String = text.chars().take_while(|letter| !letter.is_whitespace()).take(length).collect();
    Error::new(ErrorKind::InvalidDatetime, format!("invalid value \"{shown}\" for \"{}\"", field.name))
}

/// What was read.
#[derive(Default)]
struct Read {
    year: i64,
    is_before_christ: bool,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    week_of_year: Option<i64>,
    week_of_month: Option<i64>,
    iso_week: Option<i64>,
    /// ISO's, Monday is 1.
    iso_weekday: Option<i64>,
    iso_day_of_year: Option<i64>,
    is_iso: bool,
    julian: Option<i64>,
    hour: i64,
    is_twelve_hours: bool,
    is_afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micros: i64,
    seconds_of_day: Option<i64>,
    /// Seconds to the east.
    offset: Option<i64>,
    is_west: bool,
    /// Whether hours or minutes of the offset are too many.
    is_far: bool,
}

/// Digits of a field, at most, where another follows; none for what is as long as it is.
fn width(field: Field) -> Option<usize> {
    Some(match field.key().as_str() {
        "SSSS" | "SSSSS" => 5,
        "YYYY" | "IYYY" => 4,
        "MS" | "DDD" | "IDDD" | "YYY" | "IYY" => 3,
        "US" => 6,
        "D" | "ID" | "Q" | "W" | "Y" | "I" => 1,
        "J" => return None,
        key if key.starts_with("FF") => usize::from(key.as_bytes()[2] - b'0'),
        _ => 2,
    })
}

fn is_separator(letter: char) -> bool {
    letter.is_ascii_punctuation() || letter.is_ascii_whitespace()
}

impl Read {
    fn of(text: &str, template: &str) -> Result<Self> {
        let mut read = Read::default();
        let mut rest = text;
        let mut skipped = 0;
        let parts = parts(template);
        for (at, part) in parts.iter().enumerate() {
            if matches!(part, Part::Field(_)) || at == 0 {
                let trimmed = rest.trim_start();
                skipped += rest.chars().count() - trimmed.chars().count();
                rest = trimmed;
            }
            let Some(next) = rest.chars().next() else { break };
            match part {
                Part::Letter(letter) if is_separator(*letter) => {
                    if is_separator(next) {
                        rest = &rest[next.len_utf8()..];
                    } else {
                        skipped = skipped.saturating_sub(1);
                    }
                }
                // Any letter stands for this one.
                Part::Letter(_) if skipped > 0 => skipped -= 1,
                Part::Letter(_) => rest = &rest[next.len_utf8()..],
                Part::Field(field) => {
                    let is_open = field.is_bare || field.ordinal.is_some() || ends(parts.get(at + 1));
                    rest = read.field(*field, rest, is_open)?;
                    if field.ordinal.is_some() {
                        rest = rest.get(2..).unwrap_or_default();
                    }
                    skipped = 0;
                }
            }
        }
        Ok(read)
    }

    /// Reads a field; gives what is behind it.
    fn field<'a>(&mut self, field: Field, text: &'a str, is_open: bool) -> Result<&'a str> {
        let key = field.key();
        match key.as_str() {
            "FX" => return Err(Error::unsupported("the template pattern FX is")),
            "CC" => return Err(Error::unsupported("the template pattern CC for a text that is read is")),
            "TZ" | "OF" => {
                let message = format!("formatting field \"{}\" is only supported in to_char", field.name);
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            "AD" | "BC" | "A.D." | "B.C." => {
                let names: &[&str] = if key.contains('.') { &["A.D.", "B.C."] } else { &["AD", "BC"] };
                let (at, rest) = word(field, text, names)?;
                self.is_before_christ = at == 1;
                return Ok(rest);
            }
            "AM" | "PM" | "A.M." | "P.M." => {
                let names: &[&str] = if key.contains('.') { &["A.M.", "P.M."] } else { &["AM", "PM"] };
                let (at, rest) = word(field, text, names)?;
                (self.is_afternoon, self.is_twelve_hours) = (Some(at == 1), true);
                return Ok(rest);
            }
            "MONTH" | "MON" => {
                let length = if key == "MON" { 3 } else { usize::MAX };
                let names = MONTHS.map(|name| &name[..name.len().min(length)]);
                let (at, rest) = word(field, text, &names)?;
                self.month = Some(at as i64 + 1);
                return Ok(rest);
            }
            "RM" => {
                // The longer first: each but the last two begins with another.
                let mut names = ROMAN_MONTHS;
                names.sort_by_key(|name| std::cmp::Reverse(name.len()));
                let (at, rest) = word(field, text, &names)?;
                let month = ROMAN_MONTHS.iter().position(|name| *name == names[at]);
                self.month = month.map(|month| month as i64 + 1);
                return Ok(rest);
            }
            "DAY" | "DY" => {
                let length = if key == "DY" { 3 } else { usize::MAX };
                let names = WEEKDAYS.map(|name| &name[..name.len().min(length)]);
                return word(field, text, &names).map(|(_, rest)| rest);
            }
            "TZH" => {
                self.is_west = text.starts_with('-');
                let (hours, rest) = digits(field, text.strip_prefix(['+', '-']).unwrap_or(text), false)?;
                self.is_far |= hours.value > 15;
                self.offset = Some(self.offset.unwrap_or(0) + self.signed(hours.value * 3600));
                return Ok(rest);
            }
            "TZM" => {
                let (minutes, rest) = digits(field, text, is_open)?;
                self.is_far |= minutes.value > 59;
                self.offset = Some(self.offset.unwrap_or(0) + self.signed(minutes.value * 60));
                return Ok(rest);
            }
            "Y,YYY" => {
                let (thousands, rest) = digits(field, text, true)?;
                let rest = rest.strip_prefix(',').ok_or_else(|| invalid(text, field))?;
                let (units, rest) = digits(field, rest, true)?;
                self.year = thousands.value * 1000 + units.value;
                return Ok(rest);
            }
            _ => {}
        }
        let (number, rest) = digits(field, text, is_open)?;
        self.number(&key, &number);
        Ok(rest)
    }

    fn signed(&self, seconds: i64) -> i64 {
        if self.is_west { -seconds } else { seconds }
    }

    fn number(&mut self, key: &str, number: &Digits) {
        let value = number.value;
        match key {
            "YYYY" | "IYYY" => self.year = value,
            "YYY" | "YY" | "Y" | "IYY" | "IY" | "I" => {
                self.year = if number.count < 4 { near_year(value) } else { value };
            }
            "MM" => self.month = Some(value),
            "DD" => self.day = Some(value),
            "DDD" => self.day_of_year = Some(value),
            "IDDD" => self.iso_day_of_year = Some(value),
            "WW" => self.week_of_year = Some(value),
            "W" => self.week_of_month = Some(value),
            "IW" => self.iso_week = Some(value),
            "ID" => self.iso_weekday = Some(value),
            "J" => self.julian = Some(value),
            "HH24" => (self.hour, self.is_twelve_hours) = (value, false),
            "HH" | "HH12" => (self.hour, self.is_twelve_hours) = (value, true),
            "MI" => self.minute = value,
            "SS" => self.second = value,
            "SSSS" | "SSSSS" => self.seconds_of_day = Some(value),
            "MS" => self.micros = number.fraction(3) * 1000,
            "US" => self.micros = number.fraction(6),
            rounded if rounded.starts_with("FF") => {
                let unit = 10i64.pow(6 - u32::from(rounded.as_bytes()[2] - b'0'));
                self.micros = (number.fraction(6) + unit / 2) / unit * unit;
            }
            // The day of the week and the quarter follow from the date.
            _ => {}
        }
        self.is_iso |= key.starts_with('I');
    }

    /// Microseconds of the day.
    fn time(&self, text: &str) -> Result<i64> {
        if let Some(seconds) = self.seconds_of_day {
            let whole = 0..86_400;
            return if whole.contains(&seconds) { Ok(seconds * SECOND + self.micros) } else { Err(out_of_range(text)) };
        }
        if self.micros > SECOND {
            return Err(out_of_range(text));
        }
        let mut hour = self.hour;
        if self.is_twelve_hours {
            if !(1..=12).contains(&hour) {
                let message = format!("hour \"{hour}\" is invalid for the 12-hour clock");
                let hint = "Use the 24-hour clock, or give an hour between 1 and 12.";
                return Err(Error::new(ErrorKind::InvalidDatetime, message).with_hint(hint));
            }
            hour = match self.is_afternoon {
                Some(true) if hour < 12 => hour + 12,
                Some(false) if hour == 12 => 0,
                _ => hour,
            };
        }
        if hour > 23 || self.minute > 59 || self.second > 59 {
            return Err(out_of_range(text));
        }
        Ok(hour * HOUR + self.minute * MINUTE + self.second * SECOND + self.micros)
    }

    /// Days since 1970.
    fn days(&self, text: &str) -> Result<i64> {
        if let Some(julian) = self.julian {
            return Ok(julian + DAYS_MIN);
        }
        let year = match (self.is_before_christ, self.year) {
            (true, year) if year > 0 => 1 - year,
            (_, year) => year,
        };
        // The first day of ISO's first week.
        let iso_start = {
            let fourth = days_from_civil(year, 1, 4);
            fourth - weekday(fourth)
        };
        if self.is_iso {
            let is_week = self.iso_week.is_none_or(|week| (1..=53).contains(&week));
            let is_day = self.iso_weekday.is_none_or(|day| (1..=7).contains(&day));
            let is_day_of_year = self.iso_day_of_year.is_none_or(|day| (1..=371).contains(&day));
            if !is_week || !is_day || !is_day_of_year {
                return Err(out_of_range(text));
            }
            return Ok(match self.iso_day_of_year {
                Some(day) => iso_start + day - 1,
                None => iso_start + (self.iso_week.unwrap_or(1) - 1) * 7 + self.iso_weekday.unwrap_or(1) - 1,
            });
        }
        let day_of_year = self.day_of_year.or(self.week_of_year.map(|week| (week - 1) * 7 + 1));
        if let (Some(day), None) = (day_of_year, self.month) {
            let length = 365 + i64::from(is_leap(year));
            let is_day = (1..=length).contains(&day);
            return if is_day { Ok(days_from_civil(year, 1, day)) } else { Err(out_of_range(text)) };
        }
        let month = self.month.unwrap_or(1);
        let day = self.day.or(self.week_of_month.map(|week| (week - 1) * 7 + 1)).unwrap_or(1);
        if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
            return Err(out_of_range(text));
        }
        Ok(days_from_civil(year, month, day))
    }
}

/// Whether a number may go on as long as there are digits: nothing that begins with one follows.
fn ends(next: Option<&Part>) -> bool {
    match next {
        None => true,
        Some(Part::Field(field)) => !field.is_number(),
        Some(Part::Letter(letter)) => !letter.is_ascii_digit(),
    }
}

/// The year next to 2020 that ends in these digits.
fn near_year(year: i64) -> i64 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}

/// A number, and how many digits it had.
struct Digits {
    value: i64,
    count: usize,
}

impl Digits {
    /// The digits behind a point, in so many of them.
    fn fraction(&self, places: usize) -> i64 {
        (self.count..places).fold(self.value, |value, _| value * 10)
    }
}

/// The digits that a text begins with, and what is behind them.
fn digits(field: Field, text: &str, is_open: bool) -> Result<(Digits, &str)> {
    let most = if is_open { usize::MAX } else { width(field).unwrap_or(usize::MAX) };
    let count = text.bytes().take_while(u8::is_ascii_digit).take(most).count();
    if count == 0 || (most != usize::MAX && count < most) {
        return Err(invalid(text, field));
    }
    let value = text[..count].parse::<i32>().map_err(|_| {
        let message = format!("value for \"{}\" in source string is out of range", field.name);
        Error::new(ErrorKind::DatetimeOverflow, message)
    })?;
    Ok((Digits { value: value.into(), count }, &text[count..]))
}

/// Which of these words a text begins with, in any case, and what is behind it.
fn word<'a>(field: Field, text: &'a str, words: &[&str]) -> Result<(usize, &'a str)> {
    let begins = |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let at = words.iter().position(begins).ok_or_else(|| invalid(text, field))?;
    Ok((at, &text[words[at].len()..]))
}
