//! What type the fields of a column have by their looks.
//!
//! A guess may be wrong only towards text: what is written out again as it was read, or as the same number, day or
//! time, is of that type, and nothing else is. So `01220` and `+49` are text, as are numbers of more digits than any
//! type holds, times with an offset from UTC, and fields that were quoted where numbers are not, unless they print alike.

use super::forms::{Notation, Pattern, is_placeholder, without_thousands};
use multiloop_planner::evaluate::{format, parse};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType};

/// Digits that every double has.
const DOUBLE_DIGITS: usize = 15;

/// What the fields of a column have been so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guess {
    booleans: bool,
    integers: bool,
    /// Integers that no bigint holds.
    long: bool,
    /// Numbers with a point or an exponent.
    fractions: bool,
    exponents: bool,
    /// NaN and infinities, as only floats are written.
    floats: bool,
    /// `infinity`, which may be a day, too.
    infinities: bool,
    /// Integers, and fractions, whose digits no double holds.
    wide_integers: bool,
    wide_fractions: bool,
    /// Most digits before and behind the point.
    whole_digits: usize,
    scale: usize,
    dates: bool,
    timestamps: bool,
    times: bool,
    texts: bool,
    /// Words that may stand for missing values. They are texts among texts, and NULL among others.
    placeholders: bool,
    /// Fields without quotes.
    bare: bool,
    /// Quoted fields that would not be written as they are; quoted days.
    odd: bool,
    quoted_dates: bool,
}

impl Guess {
    /// Adds a field that is not NULL.
    pub(super) fn see(&mut self, text: &str, bare: bool, notation: Notation<'_>) {
        if bare && notation.placeholders && is_placeholder(text.as_bytes()) {
            self.placeholders = true;
            return;
        }
        let kind = self.see_kind(text, notation);
        self.bare |= bare;
        if !bare {
            self.quoted_dates |= kind == DataType::Date;
            // Where options say how values are written, they are not printed so.
            let is_said = notation.thousands.is_some() || notation.date.is_some() || notation.timestamp.is_some();
            let prints_alike = || match parse(text, kind) {
                _ if is_said => true,
                Ok(value) => format(&value, kind) == text,
                Err(_) => false,
            };
            self.odd = self.odd || (kind != DataType::Text && !prints_alike());
        }
    }

    /// Adds an integer of so many digits, as it is written where it is printed, that a double holds.
    #[inline(always)]
    pub(super) fn see_integer(&mut self, digits: usize, bare: bool) {
        self.integers = true;
        self.bare |= bare;
        self.whole_digits = self.whole_digits.max(digits);
    }

    /// Adds a number of so many digits before and behind its point that a double holds; a quoted one only if the column
    /// [is odd](Guess::is_odd).
    #[inline(always)]
    pub(super) fn see_fraction(&mut self, whole: usize, fraction: usize, bare: bool) {
        self.fractions = true;
        self.bare |= bare;
        self.whole_digits = self.whole_digits.max(whole);
        self.scale = self.scale.max(fraction);
    }

    /// Adds a day as it is printed.
    #[inline(always)]
    pub(super) fn see_date(&mut self, bare: bool) {
        self.dates = true;
        self.bare |= bare;
        self.quoted_dates |= !bare;
    }

    /// Adds a time of a day without quotes.
    #[inline(always)]
    pub(super) fn see_timestamp(&mut self) {
        (self.timestamps, self.bare) = (true, true);
    }

    /// Whether it is of text, whatever other fields may be.
    pub(super) fn is_settled(&self) -> bool {
        let numbers = self.integers || self.fractions || self.floats;
        let some = self.booleans || numbers || self.dates || self.timestamps || self.times || self.texts;
        some && Guess { bare: true, ..*self }.data_type() == DataType::Text
    }

    fn see_kind(&mut self, text: &str, notation: Notation<'_>) -> DataType {
        let trimmed = text.trim_matches([' ', '\t']);
        let plain = notation.thousands.and_then(|mark| without_thousands(trimmed, mark, notation.decimal));
        if let Some(number) = Number::read(plain.as_deref().unwrap_or(trimmed), notation.decimal) {
            return self.see_number(&number);
        }
        let kind = match shape(text, trimmed) {
            DataType::Date if notation.date.is_some() => DataType::Text,
            DataType::Timestamp if notation.timestamp.is_some() => DataType::Text,
            kind => kind,
        };
        let is_written = |pattern: Option<&Pattern>, data_type| {
            let written = pattern.and_then(|pattern| pattern.rewritten(trimmed));
            written.is_some_and(|written| parse(&written, data_type).is_ok())
        };
        let kind = match kind {
            DataType::Text if is_written(notation.date, DataType::Date) => DataType::Date,
            DataType::Text if is_written(notation.timestamp, DataType::Timestamp) => DataType::Timestamp,
            kind => kind,
        };
        match kind {
            DataType::Boolean => self.booleans = true,
            DataType::Date => self.dates = true,
            DataType::Timestamp => self.timestamps = true,
            DataType::Time => self.times = true,
            DataType::Double => self.floats = true,
            // Days or floats, as the others say.
            DataType::Null => self.infinities = true,
            _ => self.texts = true,
        }
        kind
    }

    fn see_number(&mut self, number: &Number) -> DataType {
        self.whole_digits = self.whole_digits.max(number.whole.len());
        self.scale = self.scale.max(number.fraction.len());
        let wide = !number.is_double();
        if number.is_integer() {
            self.integers = true;
            self.wide_integers |= wide;
            self.long |= !number.is_bigint();
            return DataType::BigInt;
        }
        self.fractions = true;
        self.exponents |= number.exponent != 0 || number.has_exponent;
        self.wide_fractions |= wide;
        DataType::Double
    }

    /// Adds what the fields of another part of the column, or of the same column of another file, have been.
    pub(super) fn merge(&mut self, other: &Guess) {
        let flags = [
            (&mut self.booleans, other.booleans),
            (&mut self.integers, other.integers),
            (&mut self.long, other.long),
            (&mut self.fractions, other.fractions),
            (&mut self.exponents, other.exponents),
            (&mut self.floats, other.floats),
            (&mut self.infinities, other.infinities),
            (&mut self.wide_integers, other.wide_integers),
            (&mut self.wide_fractions, other.wide_fractions),
            (&mut self.dates, other.dates),
            (&mut self.timestamps, other.timestamps),
            (&mut self.times, other.times),
            (&mut self.texts, other.texts),
            (&mut self.placeholders, other.placeholders),
            (&mut self.bare, other.bare),
            (&mut self.odd, other.odd),
            (&mut self.quoted_dates, other.quoted_dates),
        ];
        flags.into_iter().for_each(|(mine, others)| *mine |= others);
        self.whole_digits = self.whole_digits.max(other.whole_digits);
        self.scale = self.scale.max(other.scale);
    }

    /// Whether a quoted field would not be written as it is.
    pub(super) fn is_odd(&self) -> bool {
        self.odd
    }

    /// Whether there are words that stand for missing values: the other fields say what type the column has.
    pub(super) fn has_placeholders(&self) -> bool {
        self.placeholders && self.data_type() != DataType::Text
    }

    /// Whether every field is quoted.
    pub(super) fn is_quoted(&self) -> bool {
        !self.bare
    }

    /// As in a file that quotes everything: quotes say nothing.
    pub(super) fn without_quotes(self) -> Guess {
        Guess { bare: true, ..self }
    }

    /// Text, whatever the fields are.
    pub(super) fn text() -> Guess {
        Guess { texts: true, ..Guess::default() }
    }

    /// Whether it is of numbers with a fraction.
    pub(super) fn has_fractions(&self) -> bool {
        self.fractions && self.data_type() != DataType::Text
    }

    /// The type that all fields have.
    pub(super) fn data_type(&self) -> DataType {
        let days = self.dates || self.timestamps;
        let numbers = self.integers || self.fractions || self.floats;
        let odd = self.odd || (self.timestamps && self.quoted_dates);
        if odd && !self.bare {
            return DataType::Text;
        }
        match [self.booleans, numbers, days, self.times, self.texts] {
            [true, false, false, false, false] if !self.infinities => DataType::Boolean,
            [false, true, false, false, false] => self.number_type(),
            [false, false, true, false, false] if self.timestamps => DataType::Timestamp,
            [false, false, true, false, false] => DataType::Date,
            [false, false, false, true, false] if !self.infinities => DataType::Time,
            _ => DataType::Text,
        }
    }

    fn number_type(&self) -> DataType {
        let doubles = self.fractions || self.floats || self.infinities;
        if !doubles && !self.long {
            return DataType::BigInt;
        }
        if !self.wide_integers && !self.wide_fractions {
            return DataType::Double;
        }
        let exact = !self.exponents && !self.floats && !self.infinities;
        let digits = self.whole_digits + self.scale;
        if exact && digits <= usize::from(DECIMAL_DIGITS_MAX) {
            return DataType::decimal(DECIMAL_DIGITS_MAX, self.scale as u8);
        }
        // Digits that a double drops behind its seventeenth are noise where a float was printed, never in an integer.
        if self.wide_integers { DataType::Text } else { DataType::Double }
    }
}

/// A number as it is written.
struct Number<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    point: bool,
    exponent: i32,
    has_exponent: bool,
}

impl<'a> Number<'a> {
    /// Digits, perhaps behind a minus, with a fraction and an exponent if there are any; no zeros in front.
    fn read(text: &'a str, decimal: u8) -> Option<Number<'a>> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        if !rest.starts_with(|first: char| first.is_ascii_digit() || first == char::from(decimal)) {
            return None;
        }
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (rest, None),
        };
        let (whole, fraction) = match mantissa.split_once(char::from(decimal)) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let fraction_text = fraction.unwrap_or("");
        let some = !whole.is_empty() || !fraction_text.is_empty();
        if !some || !digits(whole) || !digits(fraction_text) || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let number = Number {
            negative,
            whole,
            fraction: fraction_text,
            point: fraction.is_some(),
            exponent: exponent.map_or(Some(0), exponent_of)?,
            has_exponent: exponent.is_some(),
        };
        let short = exponent.is_none() && whole.len() <= 300 && fraction_text.len() <= 300;
        (short || number.fits()).then_some(number)
    }

    /// Whether a double is near to it: an infinity is not, nor is zero unless the number is.
    fn fits(&self) -> bool {
        let is_zero = self.whole.bytes().chain(self.fraction.bytes()).all(|digit| digit == b'0');
        self.value().is_some_and(|value| value.is_finite() && (is_zero || value != 0.0))
    }

    /// Minus zero is a float.
    fn is_integer(&self) -> bool {
        let minus_zero = self.negative && self.whole == "0";
        !self.point && !self.has_exponent && !minus_zero
    }

    fn is_bigint(&self) -> bool {
        let sign = if self.negative { "-" } else { "" };
        self.whole.len() <= 18 || format!("{sign}{}", self.whole).parse::<i64>().is_ok()
    }

    fn value(&self) -> Option<f64> {
        format!("{}.{}e{}", self.whole, self.fraction, self.exponent).parse().ok()
    }

    /// Whether a double that is printed has its digits.
    fn is_double(&self) -> bool {
        if self.whole.len() + self.fraction.len() <= DOUBLE_DIGITS {
            return true;
        }
        let Some(value) = self.value() else { return false };
        let printed = format!("{value:e}");
        let (mantissa, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let printed = normal(whole, fraction, exponent.parse().unwrap_or(0));
        printed == normal(self.whole, self.fraction, self.exponent)
    }
}

/// Digits without zeros at either end, and the power of ten of their unit.
fn normal(whole: &str, fraction: &str, exponent: i32) -> (String, i32) {
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let shorter = digits.trim_end_matches('0');
    let unit = exponent - fraction.len() as i32 + (digits.len() - shorter.len()) as i32;
    (shorter.to_owned(), if shorter.is_empty() { 0 } else { unit })
}

fn exponent_of(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// The type of a field that is no number, by its looks; null is an infinity.
fn shape(text: &str, trimmed: &str) -> DataType {
    let is = |words: &[&str], text: &str| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "false", "t", "f"], text) {
        return DataType::Boolean;
    }
    // Days are infinite in small letters; in a column of nothing else it is text.
    match trimmed {
        "infinity" | "-infinity" if parse(trimmed, DataType::Date).is_ok() => return DataType::Null,
        _ if is(&["nan", "inf", "-inf", "infinity", "-infinity"], trimmed) => return DataType::Double,
        _ => {}
    }
    let bytes = trimmed.as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let reads = |data_type| parse(trimmed, data_type).is_ok();
    let date =
        digits(0..4) && bytes.get(4) == Some(&b'-') && digits(5..7) && bytes.get(7) == Some(&b'-') && digits(8..10);
    if date && bytes.len() == 10 && reads(DataType::Date) {
        return DataType::Date;
    }
    if date
        && bytes.len() > 15
        && matches!(bytes[10], b' ' | b'T')
        && is_time(&trimmed[11..])
        && reads(DataType::Timestamp)
    {
        return DataType::Timestamp;
    }
    let seconds = bytes.get(5) == Some(&b':');
    if seconds && is_time(trimmed) && reads(DataType::Time) { DataType::Time } else { DataType::Text }
}

/// HH:MM, perhaps with seconds and up to six digits of their fraction, and nothing behind it.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let pair = |at: usize| bytes.get(at..at + 2).is_some_and(|pair| pair.iter().all(u8::is_ascii_digit));
    let colon = |at: usize| bytes.get(at) == Some(&b':');
    let fraction = bytes.get(9..).unwrap_or(&[]);
    pair(0)
        && colon(2)
        && pair(3)
        && (bytes.len() == 5 || (colon(5) && pair(6)))
        && (bytes.len() <= 8 || (bytes[8] == b'.' && fraction.iter().all(u8::is_ascii_digit) && fraction.len() <= 6))
}

/// Whether text written bare would be taken for something else: for a number, say, or for a quoted field.
pub(super) fn is_mistakable(text: &str) -> bool {
    // Most texts begin with a letter, and the words that are numbers or booleans are short.
    let trimmed = text.trim_matches([' ', '\t']).as_bytes();
    if let Some(first) = trimmed.first().filter(|first| first.is_ascii_alphabetic())
        && (trimmed.len() > "infinity".len() || !b"tfni".contains(&first.to_ascii_lowercase()))
    {
        return false;
    }
    let mut guess = Guess::default();
    let decimal = if text.contains(',') { b',' } else { b'.' };
    text.trim_start().starts_with('\'')
        || is_placeholder(text.as_bytes())
        || guess.see_kind(text, Notation::plain(decimal)) != DataType::Text
}

/// Whether a number with a decimal comma cannot be meant as one with groups of three digits; None if it has no comma.
pub(super) fn is_decimal_comma(text: &str) -> Option<bool> {
    let number = Number::read(text.trim_matches([' ', '\t']), b',').filter(|number| number.point)?;
    let grouped = number.fraction.len() == 3 && (1..=3).contains(&number.whole.len()) && number.whole != "0";
    Some(!grouped || number.has_exponent)
}
