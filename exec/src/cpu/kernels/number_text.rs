//! Casts between numbers and texts: digits are written into the arena, and read from it, without a value for each row.

use super::{Call, is_valid, strict_nulls};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::room::Room;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::calendar::{Civil, civil_from_days};
use multiloop_planner::evaluate::format::format_date;
use multiloop_planner::evaluate::parse;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Days from 1970 of the years that are written with four digits.
const FOUR_DIGITS: std::ops::RangeInclusive<i64> = -719_162..=2_932_896;

/// Does these casts, if it can: false if not, and for what is no number, which is an error.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let (Function::Cast | Function::AssignCast, &[argument], &[from]) = (call.function, arguments, call.types) else {
        return false;
    };
    if from.is_text() {
        return from_text(call, argument, len, out);
    }
    if call.register != Register::Text || !call.result.is_free_text() {
        return false;
    }
    let Some(write) = Written::of(from) else { return false };
    let nulls = strict_nulls(arguments, len, out);
    let mut texts = out.take_text();
    if let Written::Number(scale) = write
        && let Some(numbers) = Numbers::of(argument)
    {
        let number = |tuple: usize, room: &mut Room<'_>| {
            if is_valid(&nulls, tuple) {
                put(room, numbers.get(tuple), scale);
            }
        };
        if !texts.push_put(len, len.saturating_mul(length_max(scale)), number) {
            return false;
        }
    } else {
        for tuple in 0..len {
            let number = if is_valid(&nulls, tuple) { argument.integer(tuple) } else { Some(0) };
            let Some(number) = number else { return false };
            if !write.push(number, &mut texts) {
                return false;
            }
        }
    }
    out.set(len, VectorData::Text(texts), nulls);
    true
}

/// Numbers of at most 64 bits.
#[derive(Clone, Copy)]
pub(super) enum Numbers<'v> {
    Narrow(&'v [i32]),
    Wide(&'v [i64]),
}

impl<'v> Numbers<'v> {
    /// Those of a vector that has a number a tuple.
    pub(super) fn of(vector: &'v Vector) -> Option<Self> {
        match &vector.data {
            _ if vector.constant => None,
            VectorData::I32(numbers) => Some(Numbers::Narrow(numbers)),
            VectorData::I64(numbers) => Some(Numbers::Wide(numbers)),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn get(self, tuple: usize) -> i64 {
        match self {
            Numbers::Narrow(numbers) => numbers[tuple].into(),
            Numbers::Wide(numbers) => numbers[tuple],
        }
    }
}

/// How a number is written.
#[derive(Clone, Copy)]
pub(in crate::cpu) enum Written {
    /// With so many digits behind the point.
    Number(usize),
    Date,
}

impl Written {
    /// Of numbers of a type; none of types whose values are no numbers of at most 64 bits, or that are written in another way.
    pub(in crate::cpu) fn of(data_type: DataType) -> Option<Self> {
        match data_type {
            DataType::SmallInt | DataType::Integer | DataType::BigInt => Some(Written::Number(0)),
            DataType::Decimal { scale, .. } => Some(Written::Number(scale.into())),
            DataType::Date => Some(Written::Date),
            _ => None,
        }
    }

    /// Appends a number's text, if it is an usual one.
    fn push(self, number: i128, texts: &mut TextVector) -> bool {
        let Ok(number) = i64::try_from(number) else { return false };
        match self {
            Written::Number(scale) => texts.push_written(|out| write(out, number, scale)),
            Written::Date if !FOUR_DIGITS.contains(&number) => return false,
            Written::Date => texts.push_written(|out| out.extend_from_slice(&date(number))),
        }
        true
    }

    /// Appends a number's text.
    #[inline]
    pub(in crate::cpu) fn write(self, bytes: &mut Vec<u8>, number: i64) {
        match self {
            Written::Number(scale) => write(bytes, number, scale),
            Written::Date if FOUR_DIGITS.contains(&number) => bytes.extend_from_slice(&date(number)),
            Written::Date => bytes.extend_from_slice(format_date(number).as_bytes()),
        }
    }

    /// Bytes of a number's text.
    #[inline]
    pub(in crate::cpu) fn length(self, number: i64) -> usize {
        match self {
            Written::Number(scale) => length(number, scale),
            Written::Date if FOUR_DIGITS.contains(&number) => DATE_BYTES,
            Written::Date => format_date(number).len(),
        }
    }

    /// Fills the bytes of a number's text, as many as it has.
    #[inline]
    pub(in crate::cpu) fn fill(self, bytes: &mut [u8], number: i64) {
        match self {
            Written::Number(scale) => fill(bytes, number, scale),
            Written::Date if FOUR_DIGITS.contains(&number) => bytes.copy_from_slice(&date(number)),
            Written::Date => bytes.copy_from_slice(format_date(number).as_bytes()),
        }
    }
}

/// Bytes of a date whose year has four digits.
const DATE_BYTES: usize = 10;

/// The text of a date whose year has four digits.
#[inline]
fn date(days: i64) -> [u8; DATE_BYTES] {
    let Civil { year, month, day } = civil_from_days(days);
    let mut text = *b"0000-00-00";
    let pairs = [(0, year / 100), (2, year % 100), (5, month), (8, day)];
    for (at, pair) in pairs {
        let pair = 2 * pair as usize;
        text[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    text
}

/// Bytes that the digits of a number take, with zeros in front: a decimal has at most 38 behind the point.
const DIGITS_ROOM: usize = 64;

/// The digits of the numbers below 100, two each.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[2 * number] = b'0' + (number / 10) as u8;
        pairs[2 * number + 1] = b'0' + (number % 10) as u8;
        number += 1;
    }
    pairs
};

/// Writes a number that has so many digits behind the point.
#[inline]
fn write(bytes: &mut Vec<u8>, value: i64, scale: usize) {
    let (room, start) = digits_of(value.unsigned_abs(), scale + 1);
    if value < 0 {
        bytes.push(b'-');
    }
    bytes.extend_from_slice(&room[start..DIGITS_ROOM - scale]);
    if scale > 0 {
        bytes.push(b'.');
        bytes.extend_from_slice(&room[DIGITS_ROOM - scale..]);
    }
}

/// Bytes of a number with so many digits behind the point, at most: its sign, its point and a zero in front of it, too.
pub(super) fn length_max(scale: usize) -> usize {
    scale.max(19) + 3
}

/// Numbers below this have at most sixteen digits, which are made at once.
const SIXTEEN_DIGITS: u64 = 10_000_000_000_000_000;

/// Writes a number that has so many digits behind the point.
#[inline(always)]
pub(super) fn put(room: &mut Room<'_>, value: i64, scale: usize) {
    let number = value.unsigned_abs();
    if value < 0 {
        room.put_short(*b"-               ", 1);
    }
    if number >= SIXTEEN_DIGITS || scale >= 16 {
        put_long(room, number, scale);
    } else if number < 100_000_000 && scale == 0 {
        // The one digit of zero is no leading zero.
        let digits = eight_digits(number as u32);
        let leading = (digits.trailing_zeros() / 8).min(7);
        let mut short = [0; 16];
        short[..8].copy_from_slice(&(digits >> (8 * leading) | ZEROS as u64).to_le_bytes());
        room.put_short(short, 8 - leading as usize);
    } else {
        let (high, low) = (number / 100_000_000, number % 100_000_000);
        let digits = u128::from(eight_digits(high as u32)) | u128::from(eight_digits(low as u32)) << 64;
        let leading = (digits.trailing_zeros() as usize / 8).min(15 - scale);
        room.put_short((digits >> (8 * leading) | ZEROS).to_le_bytes(), 16 - leading - scale);
        if scale > 0 {
            room.put_short(*b".               ", 1);
            room.put_short((digits >> (8 * (16 - scale)) | ZEROS).to_le_bytes(), scale);
        }
    }
}

#[cold]
fn put_long(room: &mut Room<'_>, number: u64, scale: usize) {
    let (digits, start) = digits_of(number, scale + 1);
    room.put(&digits, start, DIGITS_ROOM - scale - start);
    if scale > 0 {
        room.put_short(*b".               ", 1);
        room.put(&digits, DIGITS_ROOM - scale, scale);
    }
}

const ZEROS: u128 = u128::from_ne_bytes([b'0'; 16]);

/// The eight digits of a number below 100,000,000, a byte each, the first one lowest: halves of four digits, then of two, then of
/// one are divided all at once, by multiplication.
#[inline(always)]
fn eight_digits(number: u32) -> u64 {
    let (high, low) = (u64::from(number / 10_000), u64::from(number % 10_000));
    let fours = high | low << 32;
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    let tens = (pairs * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (pairs - tens * 10) << 8
}

/// Bytes of a number that has so many digits behind the point.
#[inline]
fn length(value: i64, scale: usize) -> usize {
    let digits = value.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1).max(scale + 1);
    usize::from(value < 0) + digits + usize::from(scale > 0)
}

/// Fills a number's bytes, as many as it has.
#[inline]
fn fill(bytes: &mut [u8], value: i64, scale: usize) {
    let (room, start) = digits_of(value.unsigned_abs(), scale + 1);
    let (sign, bytes) = bytes.split_at_mut(usize::from(value < 0));
    sign.fill(b'-');
    let (whole, part) = bytes.split_at_mut(DIGITS_ROOM - scale - start);
    whole.copy_from_slice(&room[start..DIGITS_ROOM - scale]);
    if let Some((point, part)) = part.split_first_mut() {
        *point = b'.';
        part.copy_from_slice(&room[DIGITS_ROOM - scale..]);
    }
}

/// The digits of a number at the end of some room, so many at least, and where they begin.
#[inline(always)]
fn digits_of(mut number: u64, least: usize) -> ([u8; DIGITS_ROOM], usize) {
    let mut room = [b'0'; DIGITS_ROOM];
    let mut at = DIGITS_ROOM;
    while number >= 10 {
        at -= 2;
        let pair = 2 * (number % 100) as usize;
        room[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
        number /= 100;
    }
    if number > 0 {
        at -= 1;
        room[at] = b'0' + number as u8;
    }
    (room, at.min(DIGITS_ROOM - least))
}

/// Numbers of texts.
fn from_text(call: &Call<'_>, argument: &Vector, len: usize, out: &mut Vector) -> bool {
    let VectorData::Text(texts) = &argument.data else { return false };
    if argument.constant {
        return false;
    }
    let nulls = strict_nulls(&[argument], len, out);
    let data = match (call.result, call.register) {
        (DataType::SmallInt | DataType::Integer | DataType::BigInt, Register::I32) => {
            let mut values = out.take_i32();
            let integer = |text: &str| integer(text, call.result)?.try_into().ok();
            if !each(texts, nulls.as_ref(), &mut values, integer) {
                return false;
            }
            VectorData::I32(values)
        }
        (DataType::SmallInt | DataType::Integer | DataType::BigInt, Register::I64) => {
            let mut values = out.take_i64();
            if !each(texts, nulls.as_ref(), &mut values, |text| integer(text, call.result)) {
                return false;
            }
            VectorData::I64(values)
        }
        (DataType::Real | DataType::Double, Register::F64) => {
            let mut values = out.take_f64();
            let float =
                |text: &str| if let Ok(Value::Float(value)) = parse(text, call.result) { Some(value) } else { None };
            if !each(texts, nulls.as_ref(), &mut values, float) {
                return false;
            }
            VectorData::F64(values)
        }
        _ => return false,
    };
    out.set(len, data, nulls);
    true
}

/// Reads the texts that are not NULL: false if one cannot be read.
#[inline(always)]
fn each<T: Copy + Default>(
    texts: &TextVector,
    nulls: Option<&Bitmap>,
    values: &mut Vec<T>,
    read: impl Fn(&str) -> Option<T>,
) -> bool {
    values.reserve(texts.len());
    for tuple in 0..texts.len() {
        if nulls.is_some_and(|nulls| !nulls.get(tuple)) {
            values.push(T::default());
            continue;
        }
        let Some(value) = read(texts.get(tuple)) else { return false };
        values.push(value);
    }
    true
}

/// An integer in the range of its type. Most are a few digits; others are read as they are defined.
#[inline]
fn integer(text: &str, data_type: DataType) -> Option<i64> {
    let bytes = text.as_bytes();
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let limit = match data_type {
        DataType::SmallInt => 4,
        DataType::Integer => 9,
        _ => 18,
    };
    if !digits.is_empty() && digits.len() <= limit && digits.iter().all(u8::is_ascii_digit) {
        let number = digits.iter().fold(0, |number: i64, digit| number * 10 + i64::from(digit - b'0'));
        return Some(if negative { -number } else { number });
    }
    match parse(text, data_type) {
        Ok(Value::Int(number)) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_as_they_are_written() {
        let powers = (0..19).map(|power| 10_i64.pow(power));
        let near = powers.flat_map(|power| [power - 1, power, power + 1, power / 2 + 3, power.saturating_mul(7)]);
        let odd = [i64::MAX, i64::MIN, 12_345_678, 100_000_000, 1_000_020_003, 9_999_999_999_999_999];
        let numbers: Vec<i64> = near.chain(odd).flat_map(|number| [number, number.wrapping_neg()]).collect();
        for scale in 0..=38 {
            let mut texts = TextVector::default();
            let most = numbers.len() * length_max(scale);
            assert!(texts.push_put(numbers.len(), most, |at, room| put(room, numbers[at], scale)));
            for (at, &number) in numbers.iter().enumerate() {
                let mut written = Vec::new();
                write(&mut written, number, scale);
                assert_eq!(texts.bytes(at), written, "{number} with {scale}");
                assert!(written.len() <= length_max(scale), "{number} with {scale}");
            }
        }
        for number in (0..100_000_000).step_by(997) {
            let digits = (eight_digits(number) | ZEROS as u64).to_le_bytes();
            assert_eq!(std::str::from_utf8(&digits).unwrap(), format!("{number:08}"));
        }
    }
}
