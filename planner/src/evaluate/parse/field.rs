//! A date, time or interval's text, cut into fields before anybody asks what they mean: `Jan 8, 1999 04:05 PM` has a
//! word, two numbers, a time and a word. The cuts are PostgreSQL's: `2020-01-01` is one field, `2020.5` a number, `+02:00`
//! an offset, or a signed number of an interval.

/// Fields of a text, at most.
const FIELDS_MAX: usize = 25;

/// Bytes that fields may have, with one more for each of them.
const BYTES_MAX: usize = 152;

/// What a field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digits, perhaps with a point.
    Number,
    /// Parts of digits or letters with `-`, `/` or `.` between them: a date, or the name of a zone.
    Date,
    /// Digits with `:` between them, the last part perhaps with a fraction.
    Time,
    /// A sign and digits: an offset, or a signed number.
    Signed,
    /// Letters.
    Word,
    /// A sign and letters.
    SignedWord,
}

/// A field. Letters are in lower case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// What is left of a text, and the field that is being read.
struct Cut<'a> {
    rest: &'a [u8],
    text: String,
}

impl Cut<'_> {
    fn next(&self) -> u8 {
        self.rest.first().copied().unwrap_or(0)
    }

    /// Takes the next byte, which is ASCII, into the field.
    fn take(&mut self) {
        self.text.push(char::from(self.next().to_ascii_lowercase()));
        self.rest = &self.rest[1..];
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) {
        while !self.rest.is_empty() && belongs(self.next()) {
            self.take();
        }
    }

    /// A field that begins with a digit.
    fn number_date_or_time(&mut self) -> Kind {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        self.take_while(is_digit);
        match self.next() {
            b':' => {
                self.take_while(|byte| is_digit(byte) || matches!(byte, b':' | b'.'));
                Kind::Time
            }
            delimiter @ (b'-' | b'/' | b'.') => {
                self.take();
                if !is_digit(self.next()) {
                    self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == delimiter);
                    return Kind::Date;
                }
                self.take_while(is_digit);
                if self.next() == delimiter {
                    self.take_while(|byte| is_digit(byte) || byte == delimiter);
                    return Kind::Date;
                }
                if delimiter == b'.' { Kind::Number } else { Kind::Date }
            }
            _ => Kind::Number,
        }
    }

    /// A field that begins with a letter; `is_keyword` knows the words that digits may stand behind at once.
    fn word_or_date(&mut self, is_keyword: impl Fn(&str) -> bool) -> Kind {
        self.take_while(|byte| byte.is_ascii_alphabetic());
        let is_date = match self.next() {
            b'-' | b'/' | b'.' => true,
            b'+' | b'0'..=b'9' => !is_keyword(&self.text),
            _ => false,
        };
        if !is_date {
            return Kind::Word;
        }
        self.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'/' | b'_' | b'.' | b':'));
        Kind::Date
    }

    /// A field that begins with a sign; blanks may follow it.
    fn signed(&mut self) -> Option<Kind> {
        self.take();
        while is_blank(self.next()) {
            self.rest = &self.rest[1..];
        }
        match self.next() {
            b'0'..=b'9' => {
                self.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-'));
                Some(Kind::Signed)
            }
            letter if letter.is_ascii_alphabetic() => {
                self.take_while(|byte| byte.is_ascii_alphabetic());
                Some(Kind::SignedWord)
            }
            _ => None,
        }
    }
}

/// The fields of a text, or none if it holds what no field can.
pub(super) fn split(text: &str, is_keyword: impl Fn(&str) -> bool) -> Option<Vec<Field>> {
    let mut cut = Cut { rest: text.as_bytes(), text: String::new() };
    let mut fields = Vec::new();
    let mut bytes = 0;
    while let Some(&first) = cut.rest.first() {
        if is_blank(first) {
            cut.rest = &cut.rest[1..];
            continue;
        }
        if fields.len() >= FIELDS_MAX {
            return None;
        }
        let kind = match first {
            b'0'..=b'9' => cut.number_date_or_time(),
            b'.' => {
                cut.take();
                cut.take_while(|byte| byte.is_ascii_digit());
                Kind::Number
            }
            b'+' | b'-' => cut.signed()?,
            letter if letter.is_ascii_alphabetic() => cut.word_or_date(&is_keyword),
            // Other punctuation stands between fields.
            sign if sign.is_ascii_punctuation() => {
                cut.rest = &cut.rest[1..];
                continue;
            }
            _ => return None,
        };
        bytes += cut.text.len() + 1;
        if bytes > BYTES_MAX {
            return None;
        }
        fields.push(Field { kind, text: std::mem::take(&mut cut.text) });
    }
    Some(fields)
}

fn is_blank(byte: u8) -> bool {
    super::is_blank(char::from(byte))
}

/// The whole number at the start of a text, as C reads it, and what is behind it: 0 and all of the text where there is none.
/// None for a number beyond these bits.
pub(super) fn leading_integer<T: TryFrom<i128> + Into<i64>>(text: &str) -> Option<(i64, &str)> {
    let unsigned = text.trim_start_matches(super::is_blank);
    let (negative, digits) = match unsigned.as_bytes().first() {
        Some(b'-') => (true, &unsigned[1..]),
        Some(b'+') => (false, &unsigned[1..]),
        _ => (false, unsigned),
    };
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return Some((0, text));
    }
    let magnitude = digits[..length].parse::<i128>().ok()?;
    let value = T::try_from(if negative { -magnitude } else { magnitude }).ok()?;
    Some((value.into(), &digits[length..]))
}

/// The fraction that begins with its point: 0 for a point alone, none for what is no fraction.
pub(super) fn fraction(text: &str) -> Option<f64> {
    match text.strip_prefix('.')? {
        "" => Some(0.0),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => format!("0.{digits}").parse().ok(),
        _ => None,
    }
}
