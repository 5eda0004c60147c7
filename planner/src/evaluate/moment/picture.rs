//! `strftime` and `strptime`: formats as C and DuckDB have them, `%Y-%m-%d %H:%M:%S`. A hyphen behind the percent sign leaves out
//! leading zeros.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{
    Civil, DAY, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, checked_timestamp, civil_from_days, day_of_year,
    days_from_civil, days_in_month, is_infinite_timestamp, iso_year_and_week, split_timestamp, weekday,
};
use crate::evaluate::format::format_timestamp;
use std::fmt::Write;

/// A piece of a format.
enum Piece {
    Letter(char),
    /// A field, and whether it is without leading zeros.
    Field(char, bool),
}

/// The pieces of a format; 22023 for one that does not exist.
fn pieces(format: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            pieces.push(Piece::Letter(letter));
            continue;
        }
        let mut field = letters.next();
        let is_bare = field == Some('-');
        if is_bare {
            field = letters.next();
        }
        match field {
            Some('%') if !is_bare => pieces.push(Piece::Letter('%')),
            Some('c') if !is_bare => pieces.extend(self::pieces("%Y-%m-%d %H:%M:%S")?),
            Some('x') if !is_bare => pieces.extend(self::pieces("%Y-%m-%d")?),
            Some('X') if !is_bare => pieces.extend(self::pieces("%H:%M:%S")?),
            Some('T') if !is_bare => pieces.extend(self::pieces("%H:%M:%S")?),
            Some(field) if !is_bare && "aAwubBpzZfgnGVUW".contains(field) => pieces.push(Piece::Field(field, false)),
            Some(field) if "dmyYHIMSj".contains(field) => pieces.push(Piece::Field(field, is_bare)),
            Some(other) => {
                let message = format!("unrecognized format for strftime/strptime: %{other}");
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
            None => {
                let message = "trailing format character %";
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
        }
    }
    Ok(pieces)
}

/// A timestamp by a format.
///
/// # Errors
/// 22023 for a format with fields that there are not.
pub(super) fn show(timestamp: i64, format: &str) -> Result<String> {
    let pieces = pieces(format)?;
    if is_infinite_timestamp(timestamp) {
        return Ok(format_timestamp(timestamp));
    }
    let (days, time) = split_timestamp(timestamp);
    let civil = civil_from_days(days);
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Letter(letter) => text.push(letter),
            Piece::Field(field, is_bare) => show_field(&mut text, field, is_bare, (days, civil, time)),
        }
    }
    Ok(text)
}

fn show_field(text: &mut String, field: char, is_bare: bool, (days, civil, time): (i64, Civil, i64)) {
    let monday_first = weekday(days);
    let place = |name: &'static str, is_short: bool| if is_short { &name[..3] } else { name };
    let at = |index: i64| usize::try_from(index).unwrap_or(0);
    let hour = time / HOUR;
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    // The week of the year whose weeks begin on a day: days before the first such day are week 0.
    let week = |from_first: i64| (day_of_year(days) + 6 - from_first) / 7;
    let (number, width) = match field {
        'a' | 'A' => return text.push_str(place(WEEKDAYS[at(monday_first)], field == 'a')),
        'b' | 'B' => return text.push_str(place(MONTHS[at(civil.month - 1)], field == 'b')),
        'p' => return text.push_str(if hour < 12 { "AM" } else { "PM" }),
        'z' => return text.push_str("+00"),
        'Z' => return,
        'w' => ((monday_first + 1) % 7, 1),
        'u' => (monday_first + 1, 1),
        'd' => (civil.day, 2),
        'm' => (civil.month, 2),
        'y' => (civil.year.rem_euclid(100), 2),
        'Y' => (civil.year, 4),
        'G' => (iso_year_and_week(days).0, 4),
        'V' => (iso_year_and_week(days).1, 2),
        'U' => (week((monday_first + 1) % 7), 2),
        'W' => (week(monday_first), 2),
        'H' => (hour, 2),
        'I' => (twelve, 2),
        'M' => (time % HOUR / MINUTE, 2),
        'S' => (time % MINUTE / SECOND, 2),
        'f' => (time % SECOND, 6),
        'g' => (time % SECOND / 1_000, 3),
        'n' => (time % SECOND * 1_000, 9),
        _ => (day_of_year(days), 3),
    };
    let width = if is_bare { 1 } else { width };
    let sign = if number < 0 { "-" } else { "" };
    // A String can be written to.
    let _ = write!(text, "{sign}{:0width$}", number.unsigned_abs());
}

/// What was read of a text.
struct Read {
    year: i64,
    month: i64,
    day: i64,
    day_of_year: Option<i64>,
    hour: i64,
    is_twelve: bool,
    is_afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micros: i64,
    /// Seconds to the east.
    offset: i64,
}

/// The timestamp of a text by a format, in UTC if the text has an offset.
///
/// # Errors
/// 22007 for a text that is not of this form, 22008 for a day or a time that there is not, 22023 for a format with fields that
/// there are not.
pub(super) fn read(text: &str, format: &str) -> Result<i64> {
    let invalid = || {
        let message = format!("could not parse string \"{text}\" according to format specifier \"{format}\"");
        Error::new(ErrorKind::InvalidDatetime, message)
    };
    let mut read = Read {
        year: 1900,
        month: 1,
        day: 1,
        day_of_year: None,
        hour: 0,
        is_twelve: false,
        is_afternoon: None,
        minute: 0,
        second: 0,
        micros: 0,
        offset: 0,
    };
    let mut rest = text;
    for piece in pieces(format)? {
        rest = match piece {
            Piece::Letter(letter) if letter.is_whitespace() => rest.trim_start(),
            Piece::Letter(letter) => rest.strip_prefix(letter).ok_or_else(invalid)?,
            Piece::Field(field, _) => read.field(field, rest).ok_or_else(invalid)?,
        };
    }
    if !rest.trim().is_empty() {
        return Err(invalid());
    }
    read.timestamp().ok_or_else(|| {
        let message = format!("date/time field value out of range: \"{text}\"");
        Error::new(ErrorKind::DatetimeOverflow, message)
    })
}

/// The number of so many digits at most that a text begins with, their number, and what is behind them.
fn number(text: &str, digits_max: usize) -> Option<(i64, usize, &str)> {
    let digits = text.bytes().take(digits_max).take_while(u8::is_ascii_digit).count();
    Some((text.get(..digits)?.parse().ok()?, digits, &text[digits..]))
}

/// Which of these names a text begins with, whatever the case of its letters, and what is behind it.
fn name<'a>(text: &'a str, names: &[&str], is_short: bool) -> Option<(i64, &'a str)> {
    let begins = |name: &&str| {
        let name = if is_short { &name[..3] } else { name };
        let begins = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        begins.then_some(name.len())
    };
    let (at, length) = names.iter().enumerate().find_map(|(at, name)| begins(name).map(|length| (at, length)))?;
    Some((at as i64, &text[length..]))
}

impl Read {
    /// Reads a field; gives what is behind it.
    fn field<'a>(&mut self, field: char, text: &'a str) -> Option<&'a str> {
        let (part, width) = match field {
            'a' | 'A' => return name(text, &WEEKDAYS, field == 'a').map(|(_, rest)| rest),
            'b' | 'B' => {
                let (month, rest) = name(text, &MONTHS, field == 'b')?;
                self.month = month + 1;
                return Some(rest);
            }
            'p' => {
                let (half, rest) = name_of_half(text)?;
                self.is_afternoon = Some(half);
                return Some(rest);
            }
            'Y' => {
                let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
                let (year, _, rest) = number(digits, 6)?;
                self.year = sign * year;
                return Some(rest);
            }
            'y' => {
                let (year, _, rest) = number(text, 2)?;
                self.year = if year < 69 { year + 2000 } else { year + 1900 };
                return Some(rest);
            }
            'f' | 'g' | 'n' => {
                let digits_max = match field {
                    'f' => 6,
                    'g' => 3,
                    _ => 9,
                };
                let (digits, count, rest) = number(text, digits_max)?;
                let scaled = digits.checked_mul(10i64.pow(u32::try_from(9 - count).ok()?))?;
                self.micros = scaled / 1_000;
                return Some(rest);
            }
            'j' => {
                let (day, _, rest) = number(text, 3)?;
                self.day_of_year = Some(day);
                return Some(rest);
            }
            'z' => return self.offset(text),
            'Z' => return Some(text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic())),
            'd' => (&mut self.day, 2),
            'm' => (&mut self.month, 2),
            'H' => (&mut self.hour, 2),
            'I' => {
                self.is_twelve = true;
                (&mut self.hour, 2)
            }
            'M' => (&mut self.minute, 2),
            'S' => (&mut self.second, 2),
            'w' | 'u' => return number(text, 1).map(|(_, _, rest)| rest),
            'U' | 'W' | 'V' => return number(text, 2).map(|(_, _, rest)| rest),
            _ => return number(text, 4).map(|(_, _, rest)| rest),
        };
        let (value, _, rest) = number(text, width)?;
        *part = value;
        Some(rest)
    }

    /// `+02`, `+0230`, `+02:30`.
    fn offset<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let sign = match text.chars().next()? {
            '+' => 1,
            '-' => -1,
            'Z' => return text.get(1..),
            _ => return None,
        };
        let (hours, _, rest) = number(&text[1..], 2)?;
        let (minutes, rest) = match number(rest.strip_prefix(':').unwrap_or(rest), 2) {
            Some((minutes, _, rest)) => (minutes, rest),
            None => (0, rest),
        };
        self.offset = sign * (hours * 3_600 + minutes * 60);
        Some(rest)
    }

    fn timestamp(&self) -> Option<i64> {
        let mut hour = self.hour;
        if self.is_twelve {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if self.is_afternoon == Some(true) { 12 } else { 0 };
        } else if self.is_afternoon.is_some() && hour <= 12 {
            hour = hour % 12 + if self.is_afternoon == Some(true) { 12 } else { 0 };
        }
        let is_time = hour < 24 && self.minute < 60 && self.second < 60;
        let days = match self.day_of_year {
            Some(day) if (1..=366).contains(&day) => days_from_civil(self.year, 1, day),
            Some(_) => return None,
            None if !(1..=12).contains(&self.month) => return None,
            None if !(1..=days_in_month(self.year, self.month)).contains(&self.day) => return None,
            None => days_from_civil(self.year, self.month, self.day),
        };
        if !is_time {
            return None;
        }
        let time = hour * HOUR + self.minute * MINUTE + (self.second - self.offset) * SECOND + self.micros;
        checked_timestamp(days + time.div_euclid(DAY), time.rem_euclid(DAY)).ok()
    }
}

fn name_of_half(text: &str) -> Option<(bool, &str)> {
    let half = text.get(..2)?;
    let is_afternoon = half.eq_ignore_ascii_case("pm");
    (is_afternoon || half.eq_ignore_ascii_case("am")).then(|| (is_afternoon, &text[2..]))
}
