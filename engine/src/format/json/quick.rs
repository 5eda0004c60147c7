//! Values in their common shapes, where they begin in a text; what is in another shape is none here, and goes to the scanner.
//!
//! Eight bytes are one word: how many digits it begins with, and what they are worth, is a few instructions without a branch.

use crate::format::numbers;
use multiloop_exec::cpu::simd::marks::Stops;

const HIGH: u64 = 0x8080_8080_8080_8080;
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Powers of ten that doubles hold exactly, and bigints, too.
const POWERS: [i64; 16] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
];

/// Digits of numbers that any double holds.
const DOUBLE_DIGITS: usize = 15;

#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// How many digits a word begins with, and their value.
#[inline(always)]
fn digits_of(word: u64) -> (usize, i64) {
    let digits = word ^ ZEROS;
    // A byte above nine is one whose high bit is set once 0x76 is added, or was before.
    let others = ((digits & !HIGH).wrapping_add(0x7676_7676_7676_7676) | digits) & HIGH;
    let count = (others.trailing_zeros() / 8) as usize;
    // The last digit stands highest, zeros in front of the first. Of no digit nothing is left.
    let digits = if count == 0 { 0 } else { digits << (64 - 8 * count) };
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let second = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (count, (first.wrapping_add(second) >> 32) as i64)
}

/// Up to fifteen digits: where they end, and their value.
#[inline(always)]
fn run(bytes: &[u8], at: usize) -> Option<(usize, i64)> {
    let (count, value) = digits_of(word_at(bytes, at)?);
    if count < 8 {
        return Some((at + count, value));
    }
    let (more, rest) = digits_of(word_at(bytes, at + 8)?);
    (more < 8).then(|| (at + 8 + more, value * POWERS[more] + rest))
}

/// Whether a value may end before a byte.
#[inline(always)]
fn is_behind(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
}

/// The digits before a point or the end of a number: whether there is a minus in front of them, where they begin and end, and their
/// value. There is one, and no zero in front of others.
#[inline(always)]
fn whole(bytes: &[u8], at: usize) -> Option<(bool, usize, usize, i64)> {
    let negative = *bytes.get(at)? == b'-';
    let start = at + usize::from(negative);
    let (end, value) = run(bytes, start)?;
    let leads = bytes[start] == b'0' && end > start + 1;
    (end > start && !leads).then_some((negative, start, end, value))
}

/// An integer of up to fifteen digits that is no minus zero, and where it ends.
#[inline(always)]
pub(super) fn integer(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let (negative, _, end, value) = whole(bytes, at)?;
    let fits = is_behind(*bytes.get(end)?) && !(negative && value == 0);
    fits.then_some((if negative { -value } else { value }, end))
}

/// A number without an exponent, of digits that a double holds, and where it ends.
#[inline(always)]
pub(super) fn double(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    let (negative, start, mut end, mut value) = whole(bytes, at)?;
    let mut scale = 0;
    if *bytes.get(end)? == b'.' {
        let (behind, fraction) = run(bytes, end + 1)?;
        scale = behind - end - 1;
        if scale == 0 || behind - start > DOUBLE_DIGITS + 1 {
            return None;
        }
        value = value * POWERS[scale] + fraction;
        end = behind;
    }
    // Both are exact, so that the quotient is rounded once.
    let value = value as f64 / POWERS[scale] as f64;
    is_behind(*bytes.get(end)?).then_some((if negative { -value } else { value }, end))
}

/// A string without escapes: where its characters end; the quote stands there.
#[inline(always)]
pub(super) fn string(bytes: &[u8], at: usize, stops: &Stops) -> Option<usize> {
    if *bytes.get(at)? != b'"' {
        return None;
    }
    stops.next(at + 1).filter(|&end| bytes[end] == b'"')
}

/// A string that is a day, YYYY-MM-DD, and where it ends.
#[inline(always)]
pub(super) fn date(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let text: &[u8; 12] = bytes.get(at..)?.first_chunk()?;
    let quoted = text[0] == b'"' && text[11] == b'"';
    Some((numbers::date(&text[1..11]).filter(|_| quoted)?, at + 12))
}

/// Where `null` ends.
#[inline(always)]
pub(super) fn null(bytes: &[u8], at: usize) -> Option<usize> {
    let text: &[u8; 5] = bytes.get(at..)?.first_chunk()?;
    (text.starts_with(b"null") && is_behind(text[4])).then_some(at + 4)
}

/// Where a string, a number or a word ends that is whole.
#[inline(always)]
pub(super) fn scalar(bytes: &[u8], at: usize, stops: &Stops) -> Option<usize> {
    let word = |word: &[u8]| {
        let end = at + word.len();
        (bytes.get(at..end)? == word && is_behind(*bytes.get(end)?)).then_some(end)
    };
    match *bytes.get(at)? {
        b'"' => string(bytes, at, stops).map(|end| end + 1),
        b't' => word(b"true"),
        b'f' => word(b"false"),
        b'n' => word(b"null"),
        _ => double(bytes, at).map(|(_, end)| end),
    }
}

/// Where a value ends that has been looked at before: a string, a number or a word.
#[inline(always)]
pub(super) fn passed(bytes: &[u8], at: usize, stops: &Stops) -> Option<usize> {
    match *bytes.get(at)? {
        b'"' => string(bytes, at, stops).map(|end| end + 1),
        b'{' | b'[' => None,
        _ => {
            let rest = bytes.get(at..)?;
            rest.iter().position(|&byte| is_behind(byte)).map(|length| at + length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::{Scanner, Token};
    use super::*;
    use proptest::prelude::*;

    /// What the scanner says of a number.
    fn scanned(text: &str) -> Option<(Option<i64>, Option<f64>, usize)> {
        let mut scanner = Scanner::new(text);
        match scanner.value() {
            Ok(Token::Number(number)) => Some((number.bigint(), number.double(), scanner.at)),
            _ => None,
        }
    }

    #[test]
    fn common_shapes() {
        let padded = |text: &str| format!("{text}                ");
        for text in ["0", "7", "-7", "12345678", "123456789", "123456789012345", "-123456789012345"] {
            let wanted = text.parse::<i64>().expect("it is one");
            assert_eq!(integer(padded(text).as_bytes(), 0), Some((wanted, text.len())), "{text}");
        }
        for text in ["-0", "01", "", "-", "1a", "1.", "1e5", "1\"", "1234567890123456", "é"] {
            assert_eq!(integer(padded(text).as_bytes(), 0), None, "{text}");
        }
        for text in ["0.5", "-0.0", "12345678.25", "1234567.8901234", "0.00000000000001", "5"] {
            let wanted = text.parse::<f64>().expect("it is one");
            let (value, end) = double(padded(text).as_bytes(), 0).expect(text);
            assert_eq!((value.to_bits(), end), (wanted.to_bits(), text.len()), "{text}");
        }
        for text in ["1.", ".5", "01.5", "1.5e3", "1.5.5", "1234567.89012345678", "1.5x"] {
            assert_eq!(double(padded(text).as_bytes(), 0), None, "{text}");
        }
        assert_eq!(date(b"\"2020-02-29\",", 0), Some((18_321, 12)));
        for text in ["\"2021-02-29\"", "\"2020-02-29x", "x2020-02-29\"", "\"2020-02-29"] {
            assert_eq!(date(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!((null(b"null,", 0), null(b"nulls", 0), null(b"null", 0)), (Some(4), None, None));
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_scanner(text in "-?[0-9]{0,17}(\\.[0-9]{0,17})?(e[0-9])?[,} \nx]") {
            let padded = format!("{text}                ");
            let whole = scanned(&padded);
            if let Some((value, end)) = integer(padded.as_bytes(), 0) {
                prop_assert_eq!(whole.map(|(bigint, _, at)| (bigint, at)), Some((Some(value), end)));
            }
            if let Some((value, end)) = double(padded.as_bytes(), 0) {
                let (_, double, at) = whole.expect("it is a number");
                prop_assert_eq!((double.map(f64::to_bits), at), (Some(value.to_bits()), end));
            }
        }
    }
}
