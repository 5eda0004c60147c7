//! What type the values of a key have by their looks.
//!
//! JSON tells numbers, texts and booleans apart; a guess adds what texts look like (days, times, instants, uuids), and which
//! numbers no bigint and no double holds. A value that fits none of the others makes the column one of json, in which each is as
//! it was written.

use super::quick;
use super::scan::{Number, Token, elements};
use multiloop_exec::cpu::simd::marks::Stops;
use multiloop_planner::evaluate::calendar::{DAY, HOUR, MINUTE, SECOND, days_from_civil, days_in_month};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType};

/// What scalars have been so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Scalars {
    booleans: bool,
    integers: bool,
    /// Integers that no bigint, and that no decimal holds.
    long: bool,
    longer: bool,
    /// Numbers with a point or an exponent.
    fractions: bool,
    /// Numbers whose digits no double holds; numbers that not even a numeric holds.
    exact: bool,
    beyond: bool,
    dates: bool,
    times: bool,
    timestamps: bool,
    instants: bool,
    uuids: bool,
    texts: bool,
}

/// What the values of a key have been so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guess {
    scalars: Scalars,
    /// Arrays, and the scalars in them.
    arrays: bool,
    elements: Scalars,
    /// Objects, and arrays of arrays or objects.
    nested: bool,
}

impl Scalars {
    fn see(&mut self, token: &Token) {
        match token {
            Token::Boolean(_) => self.booleans = true,
            Token::Number(number) => self.see_number(number),
            Token::String(raw) => match Look::of(&raw.content()) {
                Some((Look::Date, _)) => self.dates = true,
                Some((Look::Time, _)) => self.times = true,
                Some((Look::Timestamp, _)) => self.timestamps = true,
                Some((Look::Instant, _)) => self.instants = true,
                None if is_uuid(&raw.content()) => self.uuids = true,
                None => self.texts = true,
            },
            Token::Null | Token::Array(_) | Token::Object(_) => {}
        }
    }

    fn see_number(&mut self, number: &Number) {
        self.integers |= number.is_integer;
        self.fractions |= !number.is_integer;
        if number.bigint().is_none() && number.is_integer {
            self.long = true;
            self.longer |= number.digits_count() > usize::from(DECIMAL_DIGITS_MAX);
        }
        if number.double().is_none() {
            self.exact = true;
            self.beyond |= Numeric::parse(number.text).is_err();
        }
    }

    fn merge(&mut self, other: &Scalars) {
        self.booleans |= other.booleans;
        self.integers |= other.integers;
        self.long |= other.long;
        self.longer |= other.longer;
        self.fractions |= other.fractions;
        self.exact |= other.exact;
        self.beyond |= other.beyond;
        self.dates |= other.dates;
        self.times |= other.times;
        self.timestamps |= other.timestamps;
        self.instants |= other.instants;
        self.uuids |= other.uuids;
        self.texts |= other.texts;
    }

    /// The type that all have; none if there are none, json if they have none in common.
    fn data_type(&self) -> Option<DataType> {
        let looks = [self.dates, self.times, self.timestamps, self.instants, self.uuids, self.texts];
        let strings = looks.into_iter().filter(|seen| *seen).count();
        let numbers = self.integers || self.fractions;
        match (self.booleans, numbers, strings) {
            (false, false, 0) => None,
            (true, false, 0) => Some(DataType::Boolean),
            (false, true, 0) => Some(self.number_type()),
            (false, false, 1) if !self.texts => Some(match looks {
                [true, ..] => DataType::Date,
                [_, true, ..] => DataType::Time,
                [_, _, true, ..] => DataType::Timestamp,
                [_, _, _, true, ..] => DataType::TimestampTz,
                _ => DataType::Uuid,
            }),
            (false, false, _) => Some(DataType::Text),
            _ => Some(DataType::Json),
        }
    }

    fn number_type(&self) -> DataType {
        match self {
            Scalars { beyond: true, .. } => DataType::Json,
            Scalars { fractions: true, exact: true, .. } | Scalars { longer: true, .. } => DataType::Numeric,
            Scalars { fractions: true, .. } => DataType::Double,
            Scalars { long: true, .. } => DataType::decimal(DECIMAL_DIGITS_MAX, 0),
            _ => DataType::BigInt,
        }
    }
}

impl Guess {
    /// Json, whatever the values are.
    pub(super) fn json() -> Guess {
        Guess { nested: true, ..Guess::default() }
    }

    /// Adds a value.
    pub(super) fn see(&mut self, token: &Token) {
        match token {
            Token::Object(_) => self.nested = true,
            Token::Array(array) => {
                self.arrays = true;
                let each = |element| {
                    self.nested |= matches!(element, Token::Array(_) | Token::Object(_));
                    self.elements.see(&element);
                    Ok(())
                };
                // Its text has been checked.
                let _ = elements(array, each);
            }
            scalar => self.scalars.see(scalar),
        }
    }

    /// Passes over a value in a common shape that tells nothing new: gives where it ends.
    #[inline(always)]
    pub(super) fn pass(&self, bytes: &[u8], at: usize, stops: &Stops) -> Option<usize> {
        let Scalars { integers, fractions, texts, dates, .. } = self.scalars;
        match bytes.get(at)? {
            b'"' if texts => quick::string(bytes, at, stops).map(|end| end + 1),
            b'"' if dates => quick::date(bytes, at).map(|(_, end)| end),
            b'"' | b'{' | b'[' => None,
            b'n' => quick::null(bytes, at),
            _ if fractions => {
                let (_, end) = quick::double(bytes, at)?;
                (integers || bytes[at..end].contains(&b'.')).then_some(end)
            }
            _ if integers => quick::integer(bytes, at).map(|(_, end)| end),
            _ => None,
        }
    }

    /// Adds what values of the same key elsewhere have been.
    pub(super) fn merge(&mut self, other: &Guess) {
        self.scalars.merge(&other.scalars);
        self.elements.merge(&other.elements);
        self.arrays |= other.arrays;
        self.nested |= other.nested;
    }

    /// The type that all values have: text if all are NULL.
    pub(super) fn data_type(&self) -> DataType {
        let element = self.elements.data_type();
        match (self.nested, self.arrays, self.scalars.data_type(), element) {
            (true, ..) | (false, true, Some(_), _) => DataType::Json,
            (false, false, scalar, _) => scalar.unwrap_or(DataType::Text),
            (false, true, None, Some(element)) if element != DataType::Json => DataType::list(element),
            (false, true, None, _) => DataType::Json,
        }
    }

    /// Whether there has been any value.
    pub(super) fn is_empty(&self) -> bool {
        *self == Guess::default()
    }
}

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// YYYY-MM-DD.
    Date,
    /// HH:MM:SS, perhaps with up to six digits of its fraction.
    Time,
    /// Both, with a blank or a T between them; the seconds may be missing.
    Timestamp,
    /// The same and Z or an offset from UTC.
    Instant,
}

impl Look {
    /// What a text looks like, if it is one of these, and its value: days or microseconds.
    pub(super) fn of(text: &str) -> Option<(Look, i64)> {
        let bytes = text.as_bytes();
        if bytes.len() >= 8 && bytes[2] == b':' && bytes[5] == b':' {
            let (time, rest) = time(bytes)?;
            return rest.is_empty().then_some((Look::Time, time));
        }
        let days = date(bytes.get(..10)?)?;
        let Some(between) = bytes.get(10) else { return Some((Look::Date, days)) };
        if !matches!(between, b' ' | b'T') {
            return None;
        }
        let (time, rest) = time(&bytes[11..])?;
        let micros = days * DAY + time;
        if rest.is_empty() {
            return Some((Look::Timestamp, micros));
        }
        Some((Look::Instant, micros - offset(rest)?))
    }
}

fn pair(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] => Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0')),
        _ => None,
    }
}

/// YYYY-MM-DD of the common era.
fn date(bytes: &[u8]) -> Option<i64> {
    let (year, month, day) = (pair(bytes)? * 100 + pair(&bytes[2..])?, pair(&bytes[5..])?, pair(&bytes[8..])?);
    let valid = bytes[4] == b'-' && bytes[7] == b'-' && year > 0 && (1..=12).contains(&month);
    (valid && day >= 1 && day <= days_in_month(year, month)).then(|| days_from_civil(year, month, day))
}

/// HH:MM, perhaps with seconds and up to six digits of their fraction, in microseconds; and what follows.
fn time(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (hours, minutes) = (pair(bytes)?, pair(bytes.get(3..)?)?);
    if bytes[2] != b':' || hours > 23 || minutes > 59 {
        return None;
    }
    let micros = hours * HOUR + minutes * MINUTE;
    if bytes.get(5) != Some(&b':') {
        return Some((micros, &bytes[5..]));
    }
    let seconds = pair(&bytes[6..]).filter(|seconds| *seconds < 60)?;
    let micros = micros + seconds * SECOND;
    if bytes.get(8) != Some(&b'.') {
        return Some((micros, &bytes[8..]));
    }
    let digits = bytes[9..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=6).contains(&digits) {
        return None;
    }
    let fraction = bytes[9..9 + digits].iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some((micros + fraction * 10i64.pow(6 - digits as u32), &bytes[9 + digits..]))
}

/// Z, or +HH, +HHMM, +HH:MM, in microseconds.
fn offset(bytes: &[u8]) -> Option<i64> {
    let (sign, digits) = match bytes {
        b"Z" | b"z" => return Some(0),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let minutes = match digits {
        [_, _] => 0,
        [_, _, b':', minutes @ ..] | [_, _, minutes @ ..] if minutes.len() == 2 => pair(minutes)?,
        _ => return None,
    };
    let hours = pair(digits)?;
    (hours <= 15 && minutes <= 59).then_some(sign * (hours * HOUR + minutes * MINUTE))
}

/// Whether a text is a uuid as it is shown: other forms would change.
pub(super) fn is_uuid(text: &str) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    text.len() == 36 && text.bytes().collect::<Vec<_>>().iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::super::scan::Scanner;
    use super::*;
    use multiloop_planner::evaluate::parse;
    use multiloop_planner::value::Value;

    fn guess(values: &[&str]) -> String {
        let mut guess = Guess::default();
        values.iter().for_each(|text| guess.see(&Scanner::new(text).value().expect("it is JSON")));
        guess.data_type().to_string()
    }

    #[test]
    fn types() {
        for (values, data_type) in [
            (&["null"][..], "text"),
            (&["null", "1"], "bigint"),
            (&["1", "1.5"], "double precision"),
            (&["true", "false"], "boolean"),
            (&["true", "1"], "json"),
            (&["1", "\"1\""], "json"),
            (&["9223372036854775808", "1"], "decimal(38,0)"),
            (&["9223372036854775808", "1.5"], "double precision"),
            (&["9007199254740993", "1.5"], "numeric"),
            (&["123456789012345678901234567890123456789"], "numeric"),
            (&["1e400"], "numeric"),
            (&["1e400000"], "json"),
            (&["0.12345678901234567890"], "numeric"),
            (&["\"2020-02-29\"", "null"], "date"),
            (&["\"2020-02-30\""], "text"),
            (&["\"2020-02-29\"", "\"2020-02-29 10:00:00\""], "text"),
            (&["\"2020-02-29 10:00:00\"", "\"2020-02-29T10:00:00.5\""], "timestamp"),
            (&["\"2020-02-29T10:00:00Z\"", "\"2020-02-29T10:00:00+01:30\""], "timestamptz"),
            (&["\"2020-02-29T10:00:00Z\"", "\"2020-02-29T10:00:00\""], "text"),
            (&["\"2020-02-29T10:00:00.1234567Z\""], "text"),
            (&["\"10:11:12\""], "time"),
            (&["\"6e8bc430-9c3a-11d9-9669-0800200c9a66\""], "uuid"),
            (&["\"6E8BC430-9C3A-11D9-9669-0800200C9A66\""], "text"),
            (&["[1,2]", "[]", "null", "[null]"], "bigint[]"),
            (&["[1,2]", "[0.5]"], "double precision[]"),
            (&["[1,\"a\"]"], "json"),
            (&["[]"], "json"),
            (&["[[1]]"], "json"),
            (&["[1]", "1"], "json"),
            (&["{}"], "json"),
        ] {
            assert_eq!(guess(values), data_type, "{values:?}");
        }
    }

    #[test]
    fn looks_are_what_the_engine_reads() {
        for (text, look, data_type) in [
            ("1969-12-31", Look::Date, DataType::Date),
            ("0001-01-01", Look::Date, DataType::Date),
            ("23:59:59.999999", Look::Time, DataType::Time),
            ("1969-12-31T23:59", Look::Timestamp, DataType::Timestamp),
            ("1900-02-28 23:59:59.1", Look::Timestamp, DataType::Timestamp),
            ("1969-12-31T23:59:59.5-03:30", Look::Instant, DataType::TimestampTz),
            ("2024-02-29 23:59:59+0130", Look::Instant, DataType::TimestampTz),
            ("2024-02-29 23:59:59-08", Look::Instant, DataType::TimestampTz),
        ] {
            let (found, value) = Look::of(text).expect(text);
            assert_eq!((found, Value::Int(value)), (look, parse(text, data_type).expect(text)), "{text}");
        }
        for text in [
            "",
            "2020",
            "2020-1-01",
            "0000-01-01",
            "2020-01-01x",
            "2020-01-01T",
            "2020-01-01T25:00",
            "24:00:00",
            "é-01-01-01",
            "2020-01-01 10:00:00 +01",
            "2020-01-01 10:00:00+1",
            "2020-01-01 10:00:60",
            "10:00",
            "1a:00:00",
            "2020-01-01 10:00:00.",
        ] {
            assert_eq!(Look::of(text), None, "{text}");
        }
    }
}
