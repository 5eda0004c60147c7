//! Notations that no type has by itself: words that stand for NULL, thousands in groups, days and instants in a given format.

use super::dialect::Dialect;
use multiloop_exec::{Error, ErrorKind, Result};
use std::fmt::Write as _;
use std::sync::Arc;

/// Words that stand for a missing value where the other fields of a column are numbers, days or the like.
const PLACEHOLDERS: [&str; 11] = ["NA", "N/A", "n/a", "#N/A", "-", "null", "NULL", "Null", "None", "NaT", "<NA>"];

/// Bytes of the longest of them.
const PLACEHOLDER_BYTES_MAX: usize = 4;

/// Names of months and of days of the week; the first three letters stand for them, too.
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
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Digits of a fraction of a second that are kept.
const MICRO_DIGITS: usize = 6;

/// Whether a field without quotes may stand for a missing value.
pub(super) fn is_placeholder(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.len() <= PLACEHOLDER_BYTES_MAX && PLACEHOLDERS.iter().any(|word| word.as_bytes() == text)
}

/// The same error with what reads such a word as NULL, if the text is one.
pub(super) fn with_placeholder_hint(error: Error, text: &str) -> Error {
    if !is_placeholder(text.as_bytes()) {
        return error;
    }
    let word = text.trim();
    error.with_hint(format!("\"{word}\" is NULL with nullstr => '{word}' in read_csv, and NULL '{word}' in COPY."))
}

/// How the values of a file are written, as its fields are tried as values of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notation<'a> {
    /// Before the fraction of a number.
    pub(super) decimal: u8,
    /// Between thousands.
    pub(super) thousands: Option<u8>,
    pub(super) date: Option<&'a Pattern>,
    pub(super) timestamp: Option<&'a Pattern>,
    /// Whether words may stand for missing values.
    pub(super) placeholders: bool,
}

impl Notation<'_> {
    /// With nothing but a decimal separator.
    pub(super) fn plain(decimal: u8) -> Self {
        Notation { decimal, thousands: None, date: None, timestamp: None, placeholders: true }
    }
}

impl Dialect {
    /// How its values are written.
    pub(super) fn notation(&self) -> Notation<'_> {
        Notation {
            decimal: self.decimal,
            thousands: self.thousands,
            date: self.date_format.as_deref(),
            timestamp: self.timestamp_format.as_deref(),
            placeholders: self.placeholders,
        }
    }
}

/// A number without the marks between its thousands; none if it has none, or they do not stand between groups of three digits.
pub(super) fn without_thousands(text: &str, mark: u8, decimal: u8) -> Option<String> {
    let bytes = text.as_bytes();
    let end = memchr::memchr3(decimal, b'e', b'E', bytes).unwrap_or(bytes.len());
    let (whole, rest) = text.split_at(end);
    let digits = whole.trim_start_matches(['-', '+']);
    let sign = &whole[..whole.len() - digits.len()];
    let mut groups = digits.split(char::from(mark));
    let first = groups.next().filter(|first| (1..=3).contains(&first.len()))?;
    let mut all = format!("{sign}{first}");
    let mut count = 0;
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        all.push_str(group);
        count += 1;
    }
    let is_number = count > 0 && sign.len() <= 1 && all[sign.len()..].bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| all + rest)
}

/// A format of days and instants, as `strptime` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Arc<str>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A character as it is.
    Literal(char),
    /// `%d` and its like.
    Field(char),
}

/// The fields of a day or an instant that a text has.
#[derive(Default)]
struct InstantFields {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    hour: u32,
    /// Whether `%I` gave the hour, and whether it is after noon.
    half_day: Option<bool>,
    is_twelve: bool,
    minute: u32,
    second: u32,
    fraction: String,
}

impl Pattern {
    /// A format as options write it.
    ///
    /// Errors: 22023 for a specifier that is not known, 0A000 for zones.
    pub fn parse(text: &str) -> Result<Pattern> {
        let mut parts = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            if character != '%' {
                parts.push(Part::Literal(character));
                continue;
            }
            // `%-d` is a number without a zero in front, which `%d` takes, too.
            let field = match characters.next() {
                Some('-') => characters.next(),
                other => other,
            };
            match field {
                Some('%') => parts.push(Part::Literal('%')),
                Some('F') => parts.extend(Pattern::parse("%Y-%m-%d")?.parts),
                Some('T') => parts.extend(Pattern::parse("%H:%M:%S")?.parts),
                Some('D') => parts.extend(Pattern::parse("%m/%d/%y")?.parts),
                Some(field) if "aAbBdHIjmMpSYyfg".contains(field) => parts.push(Part::Field(field)),
                Some('z' | 'Z') => {
                    return Err(Error::unsupported(format_args!("a time zone in the format \"{text}\" is")));
                }
                _ => {
                    let message = format!("format \"{text}\" has a specifier that is not known");
                    let hint = "Specifiers are %Y %y %m %b %B %d %j %a %A %H %I %p %M %S %f (microseconds) %g (milliseconds) %F %T %D %%.";
                    return Err(Error::new(ErrorKind::InvalidParameter, message).with_hint(hint));
                }
            }
        }
        Ok(Pattern { text: text.into(), parts })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A text of this format as PostgreSQL writes a day, with the time of day if the format has one; none if it is none.
    pub(super) fn rewritten(&self, text: &str) -> Option<String> {
        let mut said = InstantFields::default();
        let mut rest = text.trim();
        for part in &self.parts {
            rest = match part {
                Part::Literal(' ') => rest.strip_prefix(' ')?.trim_start_matches(' '),
                Part::Literal(character) => rest.strip_prefix(*character)?,
                Part::Field(field) => said.take(*field, rest)?,
            };
        }
        if rest.is_empty() { said.shown(self.has_time()) } else { None }
    }

    fn has_time(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Field('H' | 'I' | 'M' | 'S' | 'p' | 'f' | 'g')))
    }
}

impl InstantFields {
    /// Takes a field at the start of a text; gives what stands behind it.
    fn take<'t>(&mut self, field: char, text: &'t str) -> Option<&'t str> {
        let most = match field {
            'Y' => 4,
            'j' => 3,
            'f' => MICRO_DIGITS,
            'g' => 3,
            _ => 2,
        };
        if "aAbBp".contains(field) {
            return self.take_word(field, text);
        }
        let length = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = text.split_at(length);
        let number: u32 = digits.parse().ok()?;
        match field {
            'Y' => self.year = Some(number),
            'y' => self.year = Some(if number < 69 { 2000 + number } else { 1900 + number }),
            'm' => self.month = Some(number),
            'd' => self.day = Some(number),
            'j' => self.day_of_year = Some(number),
            'H' => self.hour = Some(number).filter(|hour| *hour < 24)?,
            'I' => {
                self.hour = Some(number).filter(|hour| (1..=12).contains(hour))?;
                self.is_twelve = true;
            }
            'M' => self.minute = Some(number).filter(|minute| *minute < 60)?,
            'S' => self.second = Some(number).filter(|second| *second < 60)?,
            _ => digits.clone_into(&mut self.fraction),
        }
        Some(rest)
    }

    fn take_word<'t>(&mut self, field: char, text: &'t str) -> Option<&'t str> {
        let is_at_start = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if field == 'p' {
            let afternoon = is_at_start("pm");
            self.half_day = (afternoon || is_at_start("am")).then_some(afternoon);
            return self.half_day.and_then(|_| text.get(2..));
        }
        let names: &[&str] = if matches!(field, 'a' | 'A') { &DAYS } else { &MONTHS };
        let is_short = field.is_ascii_lowercase();
        let shown = |name: &'static str| if is_short { &name[..3] } else { name };
        let at = names.iter().position(|name| is_at_start(shown(name)))?;
        if names.len() == MONTHS.len() {
            self.month = Some(at as u32 + 1);
        }
        text.get(shown(names[at]).len()..)
    }

    /// A day as PostgreSQL writes it, perhaps with a time; that it is one is for the type to say.
    fn shown(&self, has_time: bool) -> Option<String> {
        let year = self.year.filter(|year| *year > 0)?;
        let mut shown = match self.day_of_year {
            Some(day) if self.month.is_none() && self.day.is_none() => {
                let first = multiloop_planner::evaluate::calendar::days_from_civil(year.into(), 1, 1);
                let days =
                    if multiloop_planner::evaluate::calendar::days_in_month(year.into(), 2) == 29 { 366 } else { 365 };
                let day = (1..=days).contains(&day).then(|| first + i64::from(day) - 1)?;
                let value = multiloop_planner::value::Value::Int(day);
                multiloop_planner::evaluate::format(&value, multiloop_planner::types::DataType::Date)
            }
            _ => format!("{year:04}-{:02}-{:02}", self.month.unwrap_or(1), self.day.unwrap_or(1)),
        };
        if has_time {
            let hour = match (self.is_twelve, self.half_day) {
                (true, Some(afternoon)) => self.hour % 12 + if afternoon { 12 } else { 0 },
                _ => self.hour,
            };
            let _ = write!(shown, " {hour:02}:{:02}:{:02}", self.minute, self.second);
            if !self.fraction.is_empty() {
                let _ = write!(shown, ".{}", self.fraction);
            }
        }
        Some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_read_what_strptime_reads() {
        let read = |pattern: &str, text: &str| Pattern::parse(pattern).expect("it is a format").rewritten(text);
        let cases = [
            ("%d/%m/%Y", "31/12/2023", Some("2023-12-31")),
            ("%d/%m/%Y", "1/2/2023", Some("2023-02-01")),
            ("%-d.%-m.%y", "1.2.68", Some("2068-02-01")),
            ("%-d.%-m.%y", "1.2.69", Some("1969-02-01")),
            ("%d %b %Y", "05 Mar 2024", Some("2024-03-05")),
            ("%B %d, %Y", "december 5, 2024", Some("2024-12-05")),
            ("%A, %d %B %Y", "Tuesday, 05 March 2024", Some("2024-03-05")),
            ("%Y%m%d", "20240305", Some("2024-03-05")),
            ("%Y-%j", "2024-366", Some("2024-12-31")),
            ("%Y-%j", "2023-366", None),
            ("%m/%d/%Y %I:%M:%S %p", "03/05/2024 12:30:01 AM", Some("2024-03-05 00:30:01")),
            ("%m/%d/%Y %I:%M %p", "03/05/2024 12:30 PM", Some("2024-03-05 12:30:00")),
            ("%F %T.%f", "2024-03-05 10:11:12.5", Some("2024-03-05 10:11:12.5")),
            ("%d/%m/%Y", "31/12/2023 ", Some("2023-12-31")),
            ("%d/%m/%Y", "31/12/2023x", None),
            ("%d/%m/%Y", "", None),
            ("%d/%m/%Y", "//", None),
            ("%H:%M", "25:00", None),
            ("100%% %Y", "100% 2024", Some("2024-01-01")),
            ("%d %b %Y", "05 Mär 2024", None),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(read(pattern, text).as_deref(), expected, "{pattern} {text}");
        }
        assert!(["%q", "%", "%Z", "%-"].iter().all(|text| Pattern::parse(text).is_err()));
    }

    #[test]
    fn thousands_stand_in_groups_of_three() {
        let plain = |text: &str| without_thousands(text, b',', b'.');
        let cases = [
            ("1,234", Some("1234")),
            ("-12,345,678.5", Some("-12345678.5")),
            ("1,234e5", Some("1234e5")),
            ("1234", None),
            ("1,23", None),
            ("1,2345", None),
            ("1234,567", None),
            (",123", None),
            ("1,,234", None),
            ("1,2a4", None),
            ("", None),
            ("-", None),
        ];
        cases.iter().for_each(|(text, expected)| assert_eq!(plain(text).as_deref(), *expected, "{text}"));
    }
}
