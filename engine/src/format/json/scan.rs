//! JSON text, token by token.
//!
//! The engine has another parser (`planner/src/evaluate/json/mod.rs`), which knows one text at a time and keeps it; this one passes
//! over megabytes, copies nothing and never recurses: values within each other are checked with a stack of closing brackets.

use multiloop_exec::Error;
use std::borrow::Cow;
use std::collections::HashSet;

/// Arrays and objects within each other, at most: as many as a json may have.
pub(super) const DEPTH_MAX: usize = 6_000;

/// Powers of ten that doubles hold exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Digits that every double has, and that every double can be told apart by.
const DOUBLE_DIGITS: usize = 15;
const DOUBLE_DIGITS_MAX: usize = 17;

/// Why a text cannot be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is no JSON, from this byte on.
    Malformed(usize, Cow<'static, str>),
    /// It nests too deeply.
    TooDeep(usize),
    /// A value is not of the type that was guessed.
    Contradiction,
    /// What a value gave.
    Value(usize, Box<Error>),
}

pub(super) type Scanned<T> = std::result::Result<T, Fault>;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Null,
    Boolean(bool),
    Number(Number<'a>),
    String(Raw<'a>),
    /// An array, with its brackets.
    Array(&'a str),
    /// An object, with its braces.
    Object(&'a str),
}

/// A string without its quotes, whose escapes are right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Raw<'a> {
    pub(super) text: &'a str,
    pub(super) escaped: bool,
}

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number<'a> {
    pub(super) text: &'a str,
    /// Whether it has neither a point nor an exponent, and is no minus zero, which is a float.
    pub(super) is_integer: bool,
    negative: bool,
    /// Its digits as one number, where there are no more than 18.
    digits: u64,
    digits_count: usize,
    /// How many of them stand behind the point.
    scale: usize,
    has_exponent: bool,
}

impl<'a> Raw<'a> {
    /// Its characters.
    pub(super) fn content(&self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.text);
        }
        let mut content = String::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(at) = rest.find('\\') {
            content.push_str(&rest[..at]);
            let (letter, length) = match rest.as_bytes().get(at + 1) {
                Some(b'n') => ('\n', 2),
                Some(b't') => ('\t', 2),
                Some(b'r') => ('\r', 2),
                Some(b'b') => ('\u{8}', 2),
                Some(b'f') => ('\u{c}', 2),
                Some(b'u') => unicode(rest.as_bytes(), at).unwrap_or((char::REPLACEMENT_CHARACTER, 6)),
                Some(plain) => (char::from(*plain), 2),
                None => (char::REPLACEMENT_CHARACTER, 1),
            };
            content.push(letter);
            rest = rest.get(at + length..).unwrap_or("");
        }
        content.push_str(rest);
        Cow::Owned(content)
    }
}

/// The character of an escape `\uXXXX`, perhaps of two of them, and their length; none of half a pair.
fn unicode(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0u32, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
    };
    let first = unit(at)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first)?, 6));
    }
    let second = unit(at + 6).filter(|low| (0xDC00..0xE000).contains(low))?;
    Some((char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))?, 12))
}

impl Number<'_> {
    /// Its value, if it is an integer that a bigint holds.
    pub(super) fn bigint(&self) -> Option<i64> {
        if !self.is_integer {
            return None;
        }
        if self.digits_count <= 18 {
            let value = self.digits as i64;
            return Some(if self.negative { -value } else { value });
        }
        self.text.parse().ok()
    }

    /// The double nearest to it, if it is one that has all that is written: digits behind the seventeenth of a fraction would be
    /// lost, as would those of an integer that lies between two doubles.
    pub(super) fn double(&self) -> Option<f64> {
        if self.digits_count <= DOUBLE_DIGITS && !self.has_exponent && self.scale < POWERS.len() {
            let value = self.digits as f64 / POWERS[self.scale];
            return Some(if self.negative { -value } else { value });
        }
        let value: f64 = self.text.parse().ok()?;
        let mantissa = self.text.split(['e', 'E']).next().unwrap_or("").trim_start_matches('-');
        let digits = || mantissa.bytes().filter(u8::is_ascii_digit);
        if !value.is_finite() || (value == 0.0 && digits().any(|digit| digit != b'0')) {
            return None;
        }
        if self.is_integer {
            return (format!("{value:.0}") == self.text).then_some(value);
        }
        let leading = digits().take_while(|digit| *digit == b'0').count();
        let mut significant = digits().count() - leading;
        if mantissa.contains('.') {
            significant -= mantissa
                .bytes()
                .rev()
                .filter(|byte| *byte != b'.')
                .take_while(|byte| *byte == b'0')
                .count()
                .min(significant);
        }
        (significant <= DOUBLE_DIGITS_MAX).then_some(value)
    }

    /// How many digits it has.
    pub(super) fn digits_count(&self) -> usize {
        self.digits_count
    }
}

/// Where one is in a text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    pub(super) at: usize,
    /// What closes the arrays and objects that are open.
    open: Vec<u8>,
    /// The keys of the objects that are open, and how many there were before each array or object.
    keys: Vec<Raw<'a>>,
    keys_before: Vec<usize>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { text, at: 0, open: Vec::new(), keys: Vec::new(), keys_before: Vec::new() }
    }

    /// All of the text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a byte if it is the next that is no blank.
    #[inline]
    pub(super) fn accept(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The fault of what stands here.
    pub(super) fn unexpected(&self) -> Fault {
        let rest = &self.text[self.at.min(self.text.len())..];
        let what = match rest.chars().next() {
            None => Cow::Borrowed("the text ends within a value"),
            Some(letter) if letter.is_control() => Cow::Owned(format!("a control character (U+{:04X})", letter as u32)),
            Some(_) => {
                let token = rest.split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | '}' | ']')).next();
                let token = token.filter(|token| !token.is_empty()).unwrap_or(&rest[..1]);
                Cow::Owned(format!("\"{}\" is unexpected", token.chars().take(40).collect::<String>()))
            }
        };
        Fault::Malformed(self.at, what)
    }

    /// The next value.
    pub(super) fn value(&mut self) -> Scanned<Token<'a>> {
        self.skip_blanks();
        match self.peek() {
            Some(b'"') => self.string().map(Token::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Token::Number),
            Some(b'{') => self.nested().map(Token::Object),
            Some(b'[') => self.nested().map(Token::Array),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Scanned<Token<'a>> {
        let words = [("null", Token::Null), ("true", Token::Boolean(true)), ("false", Token::Boolean(false))];
        let rest = &self.text[self.at..];
        let found = words.into_iter().find(|(word, _)| rest.starts_with(word));
        let Some((word, token)) = found else { return Err(self.unexpected()) };
        if rest.as_bytes().get(word.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        Ok(token)
    }

    fn number(&mut self) -> Scanned<Number<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let negative = bytes[start] == b'-';
        let whole = start + usize::from(negative);
        let mut digits = 0u64;
        let mut run = |mut at: usize| {
            while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
                digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
                at += 1;
            }
            at
        };
        let mut end = run(whole);
        let (mut digits_count, mut scale) = (end - whole, 0);
        if digits_count == 0 || (bytes[whole] == b'0' && digits_count > 1) {
            return Err(self.unexpected());
        }
        let point = bytes.get(end) == Some(&b'.');
        if point {
            let behind = run(end + 1);
            scale = behind - end - 1;
            digits_count += scale;
            end = behind;
        }
        let has_exponent = matches!(bytes.get(end), Some(b'e' | b'E'));
        let mut exponent = 1;
        if has_exponent {
            let from = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let behind = bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            (exponent, end) = (behind, from + behind);
        }
        let goes_on = bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | 0x80..));
        if goes_on || exponent == 0 || (point && scale == 0) {
            return Err(self.unexpected());
        }
        self.at = end;
        let is_minus_zero = negative && digits_count == 1 && digits == 0;
        let is_integer = !(point || has_exponent || is_minus_zero);
        let text = &self.text[start..end];
        Ok(Number { text, is_integer, negative, digits, digits_count, scale, has_exponent })
    }

    /// A string; the scanner stands at its quote.
    pub(super) fn string(&mut self) -> Scanned<Raw<'a>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut escaped = false;
        let mut at = start;
        loop {
            at = special(bytes, at);
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Raw { text: &self.text[start..at], escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    at += match bytes.get(at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        Some(b'u') => match unicode(bytes, at) {
                            Some((_, length)) => length,
                            None => return Err(Fault::Malformed(at, "half a character behind \\u".into())),
                        },
                        _ => return Err(Fault::Malformed(at, "an escape that is none".into())),
                    };
                }
                Some(_) => return Err(Fault::Malformed(at, "a control character in a string".into())),
                None => return Err(Fault::Malformed(self.at, "a string that does not end".into())),
            }
        }
    }

    /// The array or object that stands here and is known to end at a place.
    pub(super) fn nested_to(&mut self, end: usize) -> Token<'a> {
        let text = &self.text[self.at..end];
        self.at = end;
        if text.starts_with('[') { Token::Array(text) } else { Token::Object(text) }
    }

    /// A key and the colon behind it.
    pub(super) fn key(&mut self) -> Scanned<Raw<'a>> {
        self.skip_blanks();
        if self.peek() == Some(b'}') {
            return Err(Fault::Malformed(self.at, "a comma before }".into()));
        }
        let key = self.string()?;
        if self.accept(b':') { Ok(key) } else { Err(self.unexpected()) }
    }

    /// An array or an object; the scanner stands at its bracket.
    fn nested(&mut self) -> Scanned<&'a str> {
        let start = self.at;
        self.open.clear();
        self.keys.clear();
        self.keys_before.clear();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    let close = bracket + 2;
                    self.at += 1;
                    if !self.accept(close) {
                        if self.open.len() >= DEPTH_MAX {
                            return Err(Fault::TooDeep(self.at));
                        }
                        self.open.push(close);
                        self.keys_before.push(self.keys.len());
                        if close == b'}' {
                            let key = self.key()?;
                            self.keys.push(key);
                        }
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                _ => drop(self.word()?),
            }
            // Behind a value.
            loop {
                let Some(&close) = self.open.last() else { return Ok(&self.text[start..self.at]) };
                if self.accept(close) {
                    self.open.pop();
                    let before = self.keys_before.pop().unwrap_or(0);
                    if let Some(key) = repeated(&self.keys[before..]) {
                        let key = key.content();
                        let message = format!("the key \"{key}\" stands twice in an object");
                        return Err(Fault::Malformed(self.at, message.into()));
                    }
                    self.keys.truncate(before);
                } else if self.accept(b',') {
                    if close == b'}' {
                        let key = self.key()?;
                        self.keys.push(key);
                    }
                    break;
                } else {
                    return Err(self.unexpected());
                }
            }
        }
    }

    /// The members of an object at which the scanner stands; `each` takes the value behind its key.
    #[inline]
    pub(super) fn members(&mut self, mut each: impl FnMut(&mut Self, Raw<'a>) -> Scanned<()>) -> Scanned<()> {
        self.at += 1;
        if self.accept(b'}') {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            each(self, key)?;
            if self.accept(b'}') {
                return Ok(());
            }
            if !self.accept(b',') {
                return Err(self.unexpected());
            }
        }
    }
}

/// Keys of an object of which each is compared with those before it; more of them are hashed.
const FEW_KEYS: usize = 16;

/// A key that stands twice among others.
fn repeated<'k, 'a>(keys: &'k [Raw<'a>]) -> Option<&'k Raw<'a>> {
    if keys.len() > FEW_KEYS {
        let mut known = HashSet::with_capacity(keys.len());
        return keys.iter().find(|key| !known.insert(key.content()));
    }
    let is_same = |one: &Raw<'_>, other: &Raw<'_>| match one.escaped || other.escaped {
        true => one.content() == other.content(),
        false => one.text == other.text,
    };
    let is_known = |(at, key): &(usize, &Raw<'_>)| keys[..*at].iter().any(|before| is_same(before, key));
    keys.iter().enumerate().find(is_known).map(|(_, key)| key)
}

/// The elements of an array, whose text has been checked.
pub(super) fn elements<'a>(array: &'a str, mut each: impl FnMut(Token<'a>) -> Scanned<()>) -> Scanned<()> {
    let mut scanner = Scanner::new(array);
    scanner.at = 1;
    if scanner.accept(b']') {
        return Ok(());
    }
    loop {
        each(scanner.value()?)?;
        if !scanner.accept(b',') {
            return Ok(());
        }
    }
}

/// The next byte that matters in a string: a quote, a backslash or a control character. Eight bytes at a time.
#[inline]
fn special(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    while let Some(eight) = bytes.get(at..at + 8).and_then(|eight| <[u8; 8]>::try_from(eight).ok()) {
        let word = u64::from_le_bytes(eight);
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let backslash = zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = quote | backslash | control;
        if found != 0 {
            // The lowest is right; those above may be false.
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Scanned<Token<'_>> {
        let mut scanner = Scanner::new(text);
        let value = scanner.value()?;
        scanner.skip_blanks();
        if scanner.at < text.len() { Err(scanner.unexpected()) } else { Ok(value) }
    }

    fn number(text: &str) -> Number<'_> {
        match value(text) {
            Ok(Token::Number(number)) => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn strings() {
        let content = |text: &str| match value(text) {
            Ok(Token::String(raw)) => Some(raw.content().into_owned()),
            _ => None,
        };
        for length in 0..20 {
            let plain = "x".repeat(length);
            assert_eq!(content(&format!("\"{plain}\"")), Some(plain.clone()));
            assert_eq!(content(&format!("\"{plain}\\n{plain}é\"")), Some(format!("{plain}\n{plain}é")));
            assert_eq!(content(&format!("\"{plain}\u{1}\"")), None);
            assert_eq!(content(&format!("\"{plain}\n\"")), None);
            assert_eq!(content(&format!("\"{plain}\u{80}\u{ff}\"")), Some(format!("{plain}\u{80}\u{ff}")));
        }
        let pairs = [(r#""\ud83d\ude00""#, Some("😀")), (r#""\u00e9\/\\\"\b\f\r\t""#, Some("é/\\\"\u{8}\u{c}\r\t"))];
        let none =
            [r#""\ud83d""#, r#""\ud83dx""#, r#""\ude00""#, r#""\ud83d\ud83d""#, r#""\u12g4""#, r#""\x""#, r#""\"#];
        for (text, wanted) in pairs.into_iter().chain(none.map(|text| (text, None))) {
            assert_eq!(content(text).as_deref(), wanted, "{text}");
        }
        assert_eq!(content(r#""\u0000""#).as_deref(), Some("\0"));
    }

    #[test]
    fn numbers() {
        for (text, bigint, double) in [
            ("0", Some(0), Some(0.0)),
            ("-12", Some(-12), Some(-12.0)),
            ("9223372036854775807", Some(i64::MAX), None),
            ("-9223372036854775808", Some(i64::MIN), Some(-9223372036854775808.0)),
            ("9223372036854775808", None, Some(9223372036854775808.0)),
            ("9007199254740993", Some(9007199254740993), None),
            ("-0", None, Some(-0.0)),
            ("1.5", None, Some(1.5)),
            ("0.1", None, Some(0.1)),
            ("1e3", None, Some(1000.0)),
            ("1E-2", None, Some(0.01)),
            ("0.30000000000000004", None, Some(0.30000000000000004)),
            ("0.1234567890123456789", None, None),
            ("1.00000000000000000000", None, Some(1.0)),
            ("0.00000000000000000000000001", None, Some(1e-26)),
            ("1e400", None, None),
            ("1e-400", None, None),
            ("0e-400", None, Some(0.0)),
        ] {
            assert_eq!((number(text).bigint(), number(text).double()), (bigint, double), "{text}");
        }
        for text in ["01", "-", "1.", ".5", "1e", "1e+", "+1", "1x", "1.2.3", "0x1", "NaN", "Infinity", "-Infinity"] {
            assert!(value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nested() {
        for text in ["{}", "[]", "[1, [2, {}], {\"a\": [null, true]}]", "{\"a\":{\"b\":[]}, \"c\": \"]}\"}"] {
            assert!(matches!(value(text), Ok(Token::Array(found) | Token::Object(found)) if found == text), "{text}");
        }
        for text in
            ["[1,]", "{\"a\":1,}", "{,}", "[,]", "{\"a\"}", "{a:1}", "[1 2]", "[", "{\"a\":", "[}", "nul", "nulls", ""]
        {
            assert!(value(text).is_err(), "{text}");
        }
        let wide: Vec<String> = (0..40).map(|key| format!("\"k{key}\": 1")).collect();
        let wide = |more: &str| format!("[{{{}{more}}}]", wide.join(", "));
        for text in [&wide(""), "{\"a\":{\"a\":1},\"b\":{\"a\":[{\"b\":1},{\"b\":1}]}}"] {
            assert!(value(text).is_ok(), "{text}");
        }
        for text in [&wide(", \"k7\": 2"), "{\"a\":1,\"a\":1}", "[{\"o\":{\"a\":1,\"b\":[],\"\\u0061\":2}}]"] {
            assert!(matches!(value(text), Err(Fault::Malformed(_, what)) if what.contains("twice")), "{text}");
        }
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(value(&deep(DEPTH_MAX)).is_ok());
        assert!(matches!(value(&deep(DEPTH_MAX + 1)), Err(Fault::TooDeep(_))));
        let mut all = Vec::new();
        let array = "[ 1 , \"a\", [2,3], {} ]";
        let push = |token| {
            all.push(token);
            Ok(())
        };
        elements(array, push).expect("it is one");
        assert!(matches!(all[..], [Token::Number(_), Token::String(_), Token::Array("[2,3]"), Token::Object("{}")]));
    }
}
