//! Values as nearly everybody writes them, as text or binary. What is written in any other way, or is wrong, is none here, and read
//! as a parameter is.

use crate::decode;

/// Decimal digits that are read at once: a number of so many fits 64 bits.
pub(super) const DIGITS_MAX: usize = 18;

/// Powers of ten.
const POWERS: [u64; DIGITS_MAX + 1] = {
    let mut powers = [1; DIGITS_MAX + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Eight times the digit 0.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The number of eight digits, of which the first is the lowest byte.
#[inline(always)]
fn eight_digits(digits: u64) -> Option<u64> {
    let digits = digits ^ ZEROS;
    // A byte above nine sets its highest bit in the sum, or has it.
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10 * 256 + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 * 65_536 + 1) >> 16 & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000 * 4_294_967_296 + 1) >> 32)
}

/// The first bytes as a number, the first of them in its lowest byte.
#[inline(always)]
fn word<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk().copied()
}

/// The number of some digits, if they are nothing else, and not too many.
#[inline(always)]
fn digits(bytes: &[u8]) -> Option<u64> {
    let count = bytes.len();
    if count >= 8 {
        let last = eight_digits(u64::from_le_bytes(*bytes.last_chunk()?))?;
        if count == 8 {
            return Some(last);
        }
        if count <= 16 {
            // What does not fit stands in the last eight.
            let before = u64::from_le_bytes(word(bytes)?) << (8 * (16 - count));
            let before = before | (ZEROS >> (4 * (count - 8)) >> (4 * (count - 8)));
            return Some(eight_digits(before)? * 100_000_000 + last);
        }
    } else if count >= 4 {
        // The middle ones stand in both halves.
        let halves = (u32::from_le_bytes(word(bytes)?), u32::from_le_bytes(*bytes.last_chunk()?));
        let all = u64::from(halves.0) | u64::from(halves.1) << (8 * (count - 4));
        return eight_digits(all << (8 * (8 - count)) | ZEROS >> (8 * count));
    }
    if count == 0 || count > DIGITS_MAX || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(bytes.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// What stands behind a minus sign, and whether there is one.
#[inline(always)]
fn signed(bytes: &[u8]) -> (&[u8], bool) {
    match bytes {
        [b'-', rest @ ..] => (rest, true),
        _ => (bytes, false),
    }
}

/// Digits, perhaps behind a minus sign.
#[inline(always)]
pub(super) fn integer<N: TryFrom<i64>>(bytes: &[u8]) -> Option<N> {
    let (bytes, is_negative) = signed(bytes);
    let number = digits(bytes)? as i64;
    N::try_from(if is_negative { -number } else { number }).ok()
}

/// Digits with a point and an exponent. What is zero, or infinite, may have been something else.
pub(super) fn double(bytes: &[u8]) -> Option<f64> {
    let is_plain = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    if !bytes.iter().all(is_plain) {
        return None;
    }
    let value: f64 = std::str::from_utf8(bytes).ok()?.parse().ok()?;
    (value != 0.0 && value.is_finite()).then_some(value)
}

/// Year, month and day with a minus between.
#[inline(always)]
pub(super) fn date(bytes: &[u8]) -> Option<i32> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = bytes else { return None };
    // The digits of all of them, without what is between.
    let all = eight_digits(u64::from_le_bytes([a, b, c, d, e, f, g, h]))? as u32;
    let (year, month, day) = (all / 10_000, all / 100 % 100, all % 100);
    if year < 1 || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    // Of February's 29th it depends on the year whether it is.
    let last = if month == 2 { 28 } else { 30 + (month + month / 8) % 2 };
    if day > last {
        return None;
    }
    // Years from March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
    let from_march = if month > 2 { year } else { year - 1 };
    let (era, year_of_era) = (from_march / 400, from_march % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some((era * 146_097 + day_of_era) as i32 - 719_468)
}

/// A date, a blank, and hours, minutes and seconds with colons between, perhaps with a fraction.
pub(super) fn timestamp(bytes: &[u8]) -> Option<i64> {
    let (days, time) = (date(bytes.get(..10)?)?, &bytes[10..]);
    let (&[b' ', a, b, b':', c, d, b':', e, f], fraction) = time.split_first_chunk::<9>()? else { return None };
    let all = eight_digits(u64::from_le_bytes([b'0', b'0', a, b, c, d, e, f]))? as i64;
    let (hour, minute, second) = (all / 10_000, all / 100 % 100, all % 100);
    let micros = match fraction {
        [] => 0,
        [b'.', digits_of @ ..] if digits_of.len() <= 6 => digits(digits_of)? * POWERS[6 - digits_of.len()],
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(i64::from(days) * 86_400_000_000 + ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros as i64)
}

/// Digits with a point, of which as many stand behind it as the scale has at most, for a decimal of this precision and scale.
#[inline(always)]
pub(super) fn decimal(bytes: &[u8], (precision, scale): (usize, usize)) -> Option<i64> {
    let (bytes, is_negative) = signed(bytes);
    // Where servers write it.
    let usual = bytes.len().wrapping_sub(scale + 1);
    let point = match bytes.get(usual) {
        Some(b'.') => Some(usual),
        _ => bytes.iter().position(|&byte| byte == b'.'),
    };
    let (whole, fraction) = point.map_or((bytes, &[][..]), |point| (&bytes[..point], &bytes[point + 1..]));
    if fraction.len() > scale || whole.len() + scale > precision.min(DIGITS_MAX) {
        return None;
    }
    let behind = if point.is_some() { digits(fraction)? * POWERS[scale - fraction.len()] } else { 0 };
    let number = (digits(whole)? * POWERS[scale] + behind) as i64;
    Some(if is_negative { -number } else { number })
}

/// A few digits of base 10,000, as many decimal ones of which stand behind the point as the scale has at most, for a decimal of
/// this precision and scale.
#[inline(always)]
pub(super) fn ten_thousands(bytes: &[u8], (precision, scale): (usize, usize)) -> Option<i64> {
    let (&[a, b, c, d, e, f, _, _], groups) = bytes.split_first_chunk::<8>()?;
    let (count, weight) = (u16::from_be_bytes([a, b]), i16::from_be_bytes([c, d]));
    let is_negative = match [e, f] {
        [0, 0] => false,
        [0x40, 0] => true,
        _ => return None,
    };
    if count > 4 || groups.len() != usize::from(count) * 2 {
        return None;
    }
    // Of no more than sixteen digits.
    let mut number = 0;
    for group in groups.chunks_exact(2) {
        let group = u16::from_be_bytes([group[0], group[1]]);
        if group >= 10_000 {
            return None;
        }
        number = number * 10_000 + u64::from(group);
    }
    // The decimal digits by which the last group is away from the last digit of the scale.
    let away = 4 * (i32::from(weight) + 1 - i32::from(count)) + scale as i32;
    let unit = *POWERS.get(away.unsigned_abs() as usize)?;
    let number = match away {
        0.. => number.checked_mul(unit)?,
        // To divide by what the compiler knows takes a fifth of the time.
        -1 => (number % 10 == 0).then_some(number / 10)?,
        -2 => (number % 100 == 0).then_some(number / 100)?,
        -3 => (number % 1000 == 0).then_some(number / 1000)?,
        _ => (number % unit == 0).then_some(number / unit)?,
    };
    if number >= POWERS[precision.min(DIGITS_MAX)] {
        return None;
    }
    Some(if is_negative { -(number as i64) } else { number as i64 })
}

/// So many bytes, no more and no fewer.
fn exact<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

/// Days.
#[inline(always)]
pub(super) fn packed_date(bytes: &[u8]) -> Option<i32> {
    decode::days_of(i32::from_be_bytes(exact(bytes)?))
}

/// Microseconds.
#[inline(always)]
pub(super) fn packed_timestamp(bytes: &[u8]) -> Option<i64> {
    decode::micros_of(i64::from_be_bytes(exact(bytes)?))
}
