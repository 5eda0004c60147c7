//! Numbers, days and instants in their common shapes, as bytes; what is in another shape is none here, and goes to the engine's
//! own text input.
//!
//! Eight digits are one word: whether all are digits is asked of all at once, and their value is three multiplications, each of
//! which makes pairs of neighbours one number.

use multiloop_planner::evaluate::calendar::{days_from_civil, days_in_month};

/// Eight zeros, as digits.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Powers of ten that doubles hold exactly.
const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Digits of numbers that any double holds.
pub(super) const DOUBLE_DIGITS: usize = 15;

const MICROS_A_DAY: i64 = 86_400_000_000;

/// One to eight digits as a word, the first one lowest, zeros in front of them.
#[inline(always)]
fn word_of(digits: &[u8]) -> u64 {
    let word = match (digits.first_chunk::<4>(), digits.last_chunk::<4>()) {
        // What both have is the same in both.
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last)) << ((digits.len() - 4) * 8);
            u64::from(u32::from_le_bytes(*first)) | last
        }
        _ => digits.iter().rev().fold(0, |word, &byte| (word << 8) | u64::from(byte)),
    };
    match 64 - 8 * digits.len() {
        0 => word,
        blank => (word << blank) | (ZEROS >> (64 - blank)),
    }
}

/// The value of eight digits.
#[inline(always)]
fn value_of(word: u64) -> Option<u64> {
    let high = 0xf0f0_f0f0_f0f0_f0f0;
    if (word & high) | ((word.wrapping_add(0x0606_0606_0606_0606) & high) >> 4) != 0x3333_3333_3333_3333 {
        return None;
    }
    let digits = word - ZEROS;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let second = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(first.wrapping_add(second) >> 32)
}

/// One to sixteen digits.
#[inline(always)]
pub(super) fn digits(text: &[u8]) -> Option<u64> {
    match text.len() {
        1..=8 => value_of(word_of(text)),
        9..=16 => {
            let (first, last) = text.split_at(text.len() - 8);
            Some(value_of(word_of(first))? * 100_000_000 + value_of(word_of(last))?)
        }
        _ => None,
    }
}

/// A number without a minus that may stand before it.
#[inline(always)]
pub(super) fn unsigned(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    }
}

/// An integer of up to 16 digits.
#[inline(always)]
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let (negative, text) = unsigned(text);
    let value = digits(text)? as i64;
    Some(if negative { -value } else { value })
}

/// An integer as it is printed, of digits that a double holds, and how many these are. Minus zero is none.
#[inline(always)]
pub(super) fn printed_integer(text: &[u8]) -> Option<(i64, usize)> {
    let (negative, text) = unsigned(text);
    let led = text.first() == Some(&b'0') && (text.len() > 1 || negative);
    if led || text.len() > DOUBLE_DIGITS {
        return None;
    }
    let value = digits(text)? as i64;
    Some((if negative { -value } else { value }, text.len()))
}

/// A number with digits on both sides of its point, no zeros in front, and not more of them than a double holds; and how many
/// there are on either side.
#[inline(always)]
pub(super) fn fraction(text: &[u8], point: u8) -> Option<(f64, usize, usize)> {
    let (negative, text) = unsigned(text);
    let at = text.iter().position(|&byte| byte == point)?;
    let (whole, fraction) = (&text[..at], &text[at + 1..]);
    let led = whole.len() > 1 && whole[0] == b'0';
    if led || text.len() > DOUBLE_DIGITS + 1 {
        return None;
    }
    let value = digits(whole)? * 10u64.pow(fraction.len() as u32) + digits(fraction)?;
    // Both are exact, so that the quotient is rounded once.
    let value = value as f64 / POWERS[fraction.len()];
    Some((if negative { -value } else { value }, whole.len(), fraction.len()))
}

/// A decimal with no more digits than its type has before and behind the point, and few in all, in units of its scale.
#[inline(always)]
pub(super) fn decimal(text: &[u8], precision: u8, scale: u8, point: u8) -> Option<i64> {
    let (negative, text) = unsigned(text);
    let (whole, fraction) = match text.iter().position(|&byte| byte == point) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &b""[..]),
    };
    let (precision, scale) = (usize::from(precision), usize::from(scale));
    if whole.len() > precision - scale || fraction.len() > scale || whole.len() + scale > 18 {
        return None;
    }
    let behind = if fraction.is_empty() { 0 } else { digits(fraction)? * 10u64.pow((scale - fraction.len()) as u32) };
    let value = (digits(whole)? * 10u64.pow(scale as u32) + behind) as i64;
    Some(if negative { -value } else { value })
}

/// YYYY-MM-DD of the common era, in days.
#[inline(always)]
pub(super) fn date(text: &[u8]) -> Option<i64> {
    let text: &[u8; 10] = text.try_into().ok()?;
    let digits = [text[0], text[1], text[2], text[3], text[5], text[6], text[8], text[9]];
    let number = value_of(u64::from_le_bytes(digits))? as i64;
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let valid = text[4] == b'-' && text[7] == b'-' && year > 0 && (1..=12).contains(&month);
    (valid && day >= 1 && day <= days_in_month(year, month)).then(|| days_from_civil(year, month, day))
}

/// YYYY-MM-DD HH:MM:SS, perhaps with a T between, and with up to six digits of a second behind it, in microseconds.
#[inline(always)]
pub(super) fn timestamp(text: &[u8]) -> Option<i64> {
    let (day, time) = text.split_at_checked(10)?;
    let ([b' ' | b'T', h0, h1, b':', m0, m1, b':', s0, s1], fraction) = time.split_first_chunk::<9>()? else {
        return None;
    };
    let number = value_of(u64::from_le_bytes([b'0', b'0', *h0, *h1, *m0, *m1, *s0, *s1]))? as i64;
    let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100);
    let micros = match fraction {
        [] => 0,
        [b'.', behind @ ..] if behind.len() <= 6 => (digits(behind)? * 10u64.pow(6 - behind.len() as u32)) as i64,
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(date(day)? * MICROS_A_DAY + ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::evaluate::parse;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", "+1", "1 ", " 1", "1a", "a", "/", ":", "1/", "12345678901234567", "1:345678", "é"] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
            assert_eq!(fraction(text.as_bytes(), b'.'), None, "{text}");
        }
        for text in [".", "1.", ".5", "1.2.3", "-.5", "01.5", "1e5.0", "0.1234567890123456"] {
            assert_eq!(fraction(text.as_bytes(), b'.'), None, "{text}");
        }
        for text in ["-0", "01", "00", "-01", "1234567890123456"] {
            assert_eq!(printed_integer(text.as_bytes()), None, "{text}");
        }
        for text in ["2021-02-29", "2021-13-01", "2021-00-01", "2021-01-00", "0000-01-01", "2021/01/01", "2021-1-01"] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
        for text in [
            "2021-01-01",
            "2021-01-01 24:00:00",
            "2021-01-01 10:60:00",
            "2021-01-01 10:00:00.1234567",
            "2021-01-01 10:00:00.",
            "2021-01-01 10:00:00Z",
            "2021-01-01x10:00:00",
            "ä021-01-01 10:00:00",
        ] {
            assert_eq!(timestamp(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_text_input(text in "-?[0-9]{1,9}(\\.[0-9]{0,8})?|-?[0-9]{1,18}|[-0-9.]{1,10}") {
            let bytes = text.as_bytes();
            if let Some(value) = integer(bytes) {
                prop_assert_eq!(parse(&text, DataType::BigInt).unwrap(), Value::Int(value));
            } else if text.trim_start_matches('-').len() <= 16 {
                prop_assert!(text.contains('.') || text.starts_with("--") || parse(&text, DataType::BigInt).is_err());
            }
            if let Some((value, ..)) = fraction(bytes, b'.') {
                prop_assert_eq!(parse(&text, DataType::Double).unwrap(), Value::Float(value));
            }
            if let Some(value) = decimal(bytes, 12, 3, b'.') {
                prop_assert_eq!(parse(&text, DataType::decimal(12, 3)).unwrap(), Value::Decimal(value.into()));
            }
        }

        #[test]
        fn days_and_instants_are_those_of_text_input(
            day in "[0-2][0-9]{3}-[01][0-9]-[0-3][0-9]", time in "[ T][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{1,6})?",
        ) {
            if let Some(value) = date(day.as_bytes()) {
                prop_assert_eq!(parse(&day, DataType::Date).unwrap(), Value::Int(value));
            }
            let text = format!("{day}{time}");
            if let Some(value) = timestamp(text.as_bytes()) {
                prop_assert_eq!(parse(&text, DataType::Timestamp).unwrap(), Value::Int(value));
            }
        }
    }
}
