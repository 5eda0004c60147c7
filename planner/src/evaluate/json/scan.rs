//! A scan over the text of a JSON value that finds a part of it and builds nothing.
//!
//! Executors call it for each row instead of the parser, which makes a tree of values and owned strings. What is passed over is
//! checked as the parser checks it, so that a text is accepted only if the parser accepts it. The scan never raises an error: it
//! answers [`Found::Unknown`] for a text that is no JSON, and for what it leaves to the parser (values that nest deeper than 64
//! levels, texts beyond a megabyte, whose loops have to look at their statement). The caller then evaluates that row as usual.
//!
//! 1. Strings are passed eight bytes at a time, up to a quote, a backslash or a control character.
//! 2. Whether each open level is an object or an array is a bit of one word, so that no recursion is needed.
//! 3. Keys are compared as they are written; only one with an escape is decoded first.

mod fields;
#[cfg(test)]
mod tests;

use super::Parser;
pub use fields::{Field, Spot, fields};
use std::ops::Range;

/// Bytes of a text that is scanned, at most.
const BYTES_MAX: usize = 1 << 20;

/// Levels that a word has bits for.
const LEVELS_MAX: u32 = 64;

/// Digits of a number that is in its normal form as it is written, at most.
const DIGITS_MAX: usize = 100;

/// What a scan found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A part of the text, in bytes.
    At(Range<usize>),
    /// The text has no such part.
    Nowhere,
    /// The scan does not know; the parser does, or raises the error that is due.
    Unknown,
}

/// A step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The value of a key: of equal ones the last.
    Key(&'a str),
    /// The element at a place, counted from 0 or, negative, from the end.
    At(i64),
}

/// Whether a text is JSON: false also where the scan does not know.
pub fn is_json(text: &str) -> bool {
    let Some(mut scan) = Scan::new(text, 0) else { return false };
    let ends = |scan: &mut Scan| {
        scan.value()?;
        scan.blanks();
        Some(())
    };
    ends(&mut scan).is_some() && scan.at == text.len()
}

/// The part of a value that a step leads to, as `->` finds it.
pub fn part(text: &str, step: Step<'_>) -> Found {
    let Some(mut scan) = Scan::new(text, 0) else { return Found::Unknown };
    scan.blanks();
    match (scan.next(), step) {
        (Some(b'{'), Step::Key(wanted)) => scan.member(wanted),
        (Some(b'['), Step::At(place)) => scan.element(place),
        (Some(b'{' | b'['), _) => scan.value().map_or(Found::Unknown, |()| Found::Nowhere),
        _ => Found::Nowhere,
    }
}

/// The characters of a part as `->>` shows it, if they stand in its text: `Nowhere` for null, `Unknown` for a string with escapes.
pub fn characters(part: &str) -> Found {
    match part.as_bytes() {
        b"null" => Found::Nowhere,
        [b'"', ..] => match Scan::new(part, 0).and_then(|mut scan| scan.string()) {
            Some((inner, false)) => Found::At(inner),
            _ => Found::Unknown,
        },
        _ => Found::At(0..part.len()),
    }
}

/// Appends the normal form of a text, which jsonb has; false where the scan does not know it, and then something may have been
/// appended.
pub fn append_normal(text: &str, out: &mut Vec<u8>) -> bool {
    let Some(scan) = Scan::new(text, 0) else { return false };
    let mut normal = Normal { scan, out, fields: Vec::new() };
    if normal.value(0).is_none() {
        return false;
    }
    normal.scan.blanks();
    normal.scan.at == text.len()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Whether to know no string and no number that is not in its normal form as it is written.
    is_strict: bool,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, at: usize) -> Option<Self> {
        (text.len() <= BYTES_MAX).then_some(Scan { text, at, is_strict: false })
    }

    #[inline(always)]
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline(always)]
    fn blanks(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes a byte behind blanks, if it is the next.
    #[inline(always)]
    fn accept(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.next() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn member(mut self, wanted: &str) -> Found {
        self.at += 1;
        let mut found = Found::Nowhere;
        if self.accept(b'}') {
            return found;
        }
        loop {
            let Some(is_wanted) = self.key(wanted) else { return Found::Unknown };
            self.blanks();
            let start = self.at;
            if self.value().is_none() {
                return Found::Unknown;
            }
            if is_wanted {
                found = Found::At(start..self.at);
            }
            if self.accept(b'}') {
                return found;
            }
            if !self.accept(b',') {
                return Found::Unknown;
            }
        }
    }

    fn element(mut self, place: i64) -> Found {
        self.at += 1;
        let mut elements: Vec<Range<usize>> = Vec::new();
        let (mut found, mut count) = (Found::Nowhere, 0i64);
        let mut ended = self.accept(b']');
        while !ended {
            self.blanks();
            let start = self.at;
            if self.value().is_none() {
                return Found::Unknown;
            }
            if place < 0 {
                elements.push(start..self.at);
            } else if count == place {
                found = Found::At(start..self.at);
            }
            count += 1;
            ended = self.accept(b']');
            if !ended && !self.accept(b',') {
                return Found::Unknown;
            }
        }
        let from_end = usize::try_from(count.saturating_add(place)).ok().filter(|_| place < 0);
        match from_end.and_then(|at| elements.get(at)) {
            Some(element) => Found::At(element.clone()),
            None => found,
        }
    }

    /// Passes a key and its colon: whether it is the wanted one.
    #[inline]
    fn key(&mut self, wanted: &str) -> Option<bool> {
        self.blanks();
        let start = self.at;
        let (inner, is_escaped) = self.string()?;
        let is_wanted = if is_escaped {
            let mut parser = Parser { text: self.text, at: start, depth: 0, keeps: true, signs: false };
            parser.string().ok()? == wanted
        } else {
            self.text.as_bytes()[inner] == *wanted.as_bytes()
        };
        self.accept(b':').then_some(is_wanted)
    }

    /// Passes a value.
    fn value(&mut self) -> Option<()> {
        let (mut depth, mut objects) = (0u32, 0u64);
        'value: loop {
            self.blanks();
            let opened = self.next()?;
            match opened {
                b'{' | b'[' => {
                    self.at += 1;
                    let is_object = opened == b'{';
                    if !self.accept(if is_object { b'}' } else { b']' }) {
                        if depth == LEVELS_MAX {
                            return None;
                        }
                        depth += 1;
                        objects = objects << 1 | u64::from(is_object);
                        if is_object {
                            self.pass_key()?;
                        }
                        continue 'value;
                    }
                }
                b'"' => _ = self.string()?,
                _ => self.plain()?,
            }
            loop {
                if depth == 0 {
                    return Some(());
                }
                let is_object = objects & 1 == 1;
                if self.accept(b',') {
                    if is_object {
                        self.pass_key()?;
                    }
                    continue 'value;
                }
                if !self.accept(if is_object { b'}' } else { b']' }) {
                    return None;
                }
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    fn pass_key(&mut self) -> Option<()> {
        self.blanks();
        self.string()?;
        self.accept(b':').then_some(())
    }

    /// Passes a string: where its characters stand, and whether some are escaped.
    #[inline(always)]
    fn string(&mut self) -> Option<(Range<usize>, bool)> {
        let bytes = self.text.as_bytes();
        if bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        let start = self.at + 1;
        let (mut at, mut is_escaped) = (start, false);
        loop {
            let special = special(eight_at(bytes, at));
            if special == 0 {
                at += 8;
                continue;
            }
            at += special.trailing_zeros() as usize / 8;
            match bytes.get(at)? {
                b'"' => break,
                b'\\' if !self.is_strict => {
                    is_escaped = true;
                    at += escape_length(&bytes[at + 1..])?;
                }
                _ => return None,
            }
        }
        self.at = at + 1;
        Some((start..at, is_escaped))
    }

    /// Passes a number or a word.
    #[inline(always)]
    fn plain(&mut self) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = match rest.first()? {
            b'-' | b'0'..=b'9' => number_length(rest)?,
            b't' if rest.starts_with(b"true") => 4,
            b'f' if rest.starts_with(b"false") => 5,
            b'n' if rest.starts_with(b"null") => 4,
            _ => return None,
        };
        if self.is_strict && !is_normal(&rest[..length]) {
            return None;
        }
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..);
        self.at += length;
        // A word before a point is a word to the parser, which then meets what it does not know: so is it here.
        if rest.get(length).is_some_and(goes_on) { None } else { Some(()) }
    }
}

/// Eight bytes from a place on, the first one lowest, with zeros behind the last.
#[inline(always)]
fn eight_at(bytes: &[u8], at: usize) -> u64 {
    if let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        return u64::from_le_bytes(*eight);
    }
    let Some(rest) = bytes.len().checked_sub(at).filter(|&rest| rest > 0) else { return 0 };
    match bytes.last_chunk() {
        Some(last) => u64::from_le_bytes(*last) >> (8 * (8 - rest)),
        None => bytes[at..].iter().rev().fold(0, |eight, &byte| eight << 8 | u64::from(byte)),
    }
}

/// How many of eight bytes are digits, up to the first one that is none.
#[inline(always)]
fn digits_of(eight: u64) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let distance = eight ^ (ONES * b'0' as u64);
    // Above 9 in seven bits, or with the eighth.
    let others = (((distance & (ONES * 0x7f)) + ONES * (0x7f - 9)) | distance) & (ONES << 7);
    others.trailing_zeros() as usize / 8
}

/// The highest bits of those of eight bytes that are a quote, a backslash or a control character. The lowest one that is set is
/// right; a borrow may set others above it.
#[inline(always)]
fn special(eight: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let zero_of = |word: u64| word.wrapping_sub(ONES) & !word;
    let (quotes, backslashes) = (eight ^ (ONES * b'"' as u64), eight ^ (ONES * b'\\' as u64));
    let controls = eight.wrapping_sub(ONES * 0x20) & !eight;
    (zero_of(quotes) | zero_of(backslashes) | controls) & HIGH
}

/// Bytes of an escape with its backslash, behind which these stand.
fn escape_length(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'n' | b't' | b'r' | b'b' | b'f' | b'"' | b'\\' | b'/' => Some(2),
        b'u' => rest.get(1..5)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// Bytes of the number that these begin with.
#[inline(always)]
fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits = |mut at: usize| {
        loop {
            let more = digits_of(eight_at(bytes, at));
            at += more;
            if more < 8 {
                return at;
            }
        }
    };
    let whole = usize::from(bytes.first() == Some(&b'-'));
    let mut end = digits(whole);
    if end == whole || (bytes[whole] == b'0' && end > whole + 1) {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == end + 1 {
            return None;
        }
        end = fraction;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == end + 1 + sign {
            return None;
        }
        end = exponent;
    }
    Some(end)
}

/// Whether a number or a word is in its normal form as it is written: an exponent becomes digits, and zero has no sign.
fn is_normal(written: &[u8]) -> bool {
    if written[0].is_ascii_alphabetic() {
        return true;
    }
    let is_signed_zero = || !written.iter().any(|byte| (b'1'..=b'9').contains(byte));
    written.len() <= DIGITS_MAX
        && !written.iter().any(|byte| matches!(byte, b'e' | b'E'))
        && !(written[0] == b'-' && is_signed_zero())
}

/// Writes the normal form of a value while it is scanned.
struct Normal<'a, 'o> {
    scan: Scan<'a>,
    out: &'o mut Vec<u8>,
    /// The fields of all objects that are open: the key in the text, and where the field begins in what is written.
    fields: Vec<(Range<usize>, usize)>,
}

impl Normal<'_, '_> {
    fn value(&mut self, depth: u32) -> Option<()> {
        self.scan.blanks();
        let start = self.scan.at;
        match self.scan.next()? {
            b'{' | b'[' if depth == LEVELS_MAX => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(drop),
            _ => {
                self.scan.plain()?;
                let written = &self.scan.text.as_bytes()[start..self.scan.at];
                is_normal(written).then(|| self.out.extend_from_slice(written))
            }
        }
    }

    /// A string without escapes; where its characters are.
    fn string(&mut self) -> Option<Range<usize>> {
        let (inner, is_escaped) = self.scan.string()?;
        if is_escaped {
            return None;
        }
        self.out.extend_from_slice(&self.scan.text.as_bytes()[inner.start - 1..=inner.end]);
        Some(inner)
    }

    fn array(&mut self, depth: u32) -> Option<()> {
        self.scan.at += 1;
        self.out.push(b'[');
        let mut ended = self.scan.accept(b']');
        while !ended {
            self.value(depth + 1)?;
            ended = self.scan.accept(b']');
            if !ended {
                self.scan.accept(b',').then(|| self.out.extend_from_slice(b", "))?;
            }
        }
        self.out.push(b']');
        Some(())
    }

    fn object(&mut self, depth: u32) -> Option<()> {
        self.scan.at += 1;
        self.out.push(b'{');
        let (first, begin) = (self.fields.len(), self.out.len());
        let mut in_order = true;
        let mut ended = self.scan.accept(b'}');
        while !ended {
            let start = self.out.len();
            self.scan.blanks();
            let key = self.string()?;
            self.scan.accept(b':').then(|| self.out.extend_from_slice(b": "))?;
            let text = self.scan.text.as_bytes();
            let order = |key: &Range<usize>| (key.len(), &text[key.clone()]);
            in_order &= self.fields[first..].last().is_none_or(|(last, _)| order(last) < order(&key));
            self.fields.push((key, start));
            self.value(depth + 1)?;
            ended = self.scan.accept(b'}');
            if !ended {
                self.scan.accept(b',').then(|| self.out.extend_from_slice(b", "))?;
            }
        }
        if !in_order {
            self.sort_fields(first, begin);
        }
        self.fields.truncate(first);
        self.out.push(b'}');
        Some(())
    }

    /// Puts the fields that are written from a byte on in the order of their keys, of equal ones the last.
    fn sort_fields(&mut self, first: usize, begin: usize) {
        let written = self.out.split_off(begin);
        let text = self.scan.text.as_bytes();
        let fields = &self.fields[first..];
        // A field is written up to the comma and the blank before the next.
        let end_of = |at: usize| fields.get(at + 1).map_or(written.len(), |(_, next)| next - begin - 2);
        let key = |at: usize| (fields[at].0.len(), &text[fields[at].0.clone()]);
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        for (place, &at) in order.iter().enumerate() {
            if order.get(place + 1).is_some_and(|&next| key(next) == key(at)) {
                continue;
            }
            if self.out.len() > begin {
                self.out.extend_from_slice(b", ");
            }
            self.out.extend_from_slice(&written[fields[at].1 - begin..end_of(at)]);
        }
    }
}
