//! Bit strings: how they are read, and their functions (`BitsFunction`). A bit string is a text of the digits 0 and 1, which sorts as
//! PostgreSQL sorts bit strings: by the first bit that differs, and of two of which one begins the other the shorter is less.

use super::Call;
use super::text;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{BitsFunction, Function};
use crate::meter::{self, Room};
use crate::types::{DataType, LENGTH_FREE};
use crate::value::Value;

/// The digits of a text as PostgreSQL reads it: binary digits, perhaps behind a `b`, or hexadecimal ones behind an `x`.
///
/// # Errors
/// 22P02 for another digit; 22026 and 22001 for a length that the type does not have.
pub(super) fn read(written: &str, data_type: DataType) -> Result<String> {
    let digits = match written.strip_prefix(['x', 'X']) {
        Some(digits) => of_hexadecimal(digits)?,
        None => of_binary(written.strip_prefix(['b', 'B']).unwrap_or(written))?.to_owned(),
    };
    check_length(digits.len(), data_type)?;
    Ok(digits)
}

/// Binary digits, all of which are some; 22P02 names the first that is none.
fn of_binary(digits: &str) -> Result<&str> {
    match digits.chars().find(|digit| !matches!(digit, '0' | '1')) {
        None => Ok(digits),
        Some(other) => Err(Error::new(ErrorKind::InvalidText, format!("\"{other}\" is not a valid binary digit"))),
    }
}

/// The binary digits of hexadecimal ones.
fn of_hexadecimal(digits: &str) -> Result<String> {
    let mut room = Room::default();
    room.hold(digits.len() * 4)?;
    let mut bits = String::with_capacity(digits.len() * 4);
    for digit in digits.chars() {
        let Some(value) = digit.to_digit(16) else {
            return Err(Error::new(ErrorKind::InvalidText, format!("\"{digit}\" is not a valid hexadecimal digit")));
        };
        bits.extend((0..4).rev().map(|place| if value >> place & 1 == 1 { '1' } else { '0' }));
    }
    Ok(bits)
}

/// An error for a length that an assignment to the type refuses.
fn check_length(length: usize, data_type: DataType) -> Result<()> {
    match data_type {
        DataType::Bit(wanted) if wanted != LENGTH_FREE && wanted as usize != length => {
            let message = format!("bit string length {length} does not match type bit({wanted})");
            Err(Error::new(ErrorKind::BitStringLength, message))
        }
        DataType::VarBit(most) if most != LENGTH_FREE && length > most as usize => {
            let message = format!("bit string too long for type bit varying({most})");
            Err(Error::new(ErrorKind::StringTooLong, message))
        }
        _ => Ok(()),
    }
}

/// A bit string as a value of a type, cut or filled up with zeros: what an explicit cast does.
pub(super) fn fitted(bits: &str, data_type: DataType) -> Result<String> {
    match data_type {
        DataType::Bit(length) if length != LENGTH_FREE => filled(bits, length as usize),
        DataType::VarBit(most) => Ok(first(bits, most as usize).to_owned()),
        _ => Ok(bits.to_owned()),
    }
}

/// So many bits at most.
fn first(bits: &str, most: usize) -> &str {
    &bits[..bits.len().min(most)]
}

/// Exactly so many bits, with zeros behind them.
fn filled(bits: &str, length: usize) -> Result<String> {
    let mut room = Room::default();
    room.hold(length)?;
    let mut filled = String::with_capacity(length);
    filled.push_str(first(bits, length));
    filled.extend(std::iter::repeat_n('0', length - filled.len()));
    meter::spend(length)?;
    Ok(filled)
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use BitsFunction as B;
    let Function::Bits(function) = call.function else { return Ok(None) };
    let length = || call.int(1).map(|length| u32::try_from(length).unwrap_or(LENGTH_FREE));
    Ok(Some(match function {
        B::Fit => Value::text(fitted(call.text(0)?, DataType::Bit(length()?))?),
        B::Cut => Value::text(fitted(call.text(0)?, DataType::VarBit(length()?))?),
        B::FitExactly => {
            check_length(call.text(0)?.len(), DataType::Bit(length()?))?;
            call.arguments[0].clone()
        }
        B::CutNothing => {
            check_length(call.text(0)?.len(), DataType::VarBit(length()?))?;
            call.arguments[0].clone()
        }
        B::OfInteger => Value::text(of_integer(call.int(0)?, DataType::Bit(length()?))?),
        B::ToInteger => Value::Int(to_integer(call.text(0)?, call.result)?),
        B::And | B::Or | B::Xor => Value::text(combined(function, call.text(0)?, call.text(1)?)?),
        B::Not => Value::text(call.text(0)?.chars().map(|bit| if bit == '0' { '1' } else { '0' }).collect::<String>()),
        B::ShiftLeft => Value::text(shifted(call.text(0)?, call.int(1)?)),
        B::ShiftRight => Value::text(shifted(call.text(0)?, -call.int(1)?)),
        B::Octets => Value::Int(call.text(0)?.len().div_ceil(8) as i64),
        B::Count => Value::Int(call.text(0)?.bytes().filter(|bit| *bit == b'1').count() as i64),
        B::Position => {
            let (bits, part) = (call.text(0)?, call.text(1)?);
            let found = if bits.is_empty() { None } else { bits.find(part) };
            Value::Int(found.map_or(0, |at| at as i64 + 1))
        }
        B::GetBit | B::SetBit => single(function, call)?,
        B::Substring => {
            let count = if call.arguments.len() > 2 { Some(call.int(2)?) } else { None };
            Value::text(part(call.text(0)?, call.int(1)?, count)?)
        }
        B::Overlay => {
            let (bits, new, from) = (call.text(0)?, call.text(1)?, call.int(2)?);
            let count = if call.arguments.len() > 3 { call.int(3)? } else { new.len() as i64 };
            Value::text(overlaid(bits, new, from, count)?)
        }
    }))
}

/// Two bit strings of one length, bit by bit; 22026 for different lengths. The function is And, Or or Xor.
///
/// # Errors
/// 22026.
pub fn combined(function: BitsFunction, left: &str, right: &str) -> Result<String> {
    use BitsFunction as B;
    let name = match function {
        B::And => "AND",
        B::Or => "OR",
        _ => "XOR",
    };
    if left.len() != right.len() {
        let message = format!("cannot {name} bit strings of different sizes");
        return Err(Error::new(ErrorKind::BitStringLength, message));
    }
    meter::spend(left.len())?;
    let bit = |(left, right): (u8, u8)| {
        let is_set = match function {
            B::And => left & right == b'1',
            B::Or => left | right == b'1',
            _ => left != right,
        };
        if is_set { '1' } else { '0' }
    };
    Ok(left.bytes().zip(right.bytes()).map(bit).collect())
}

/// The last bits of an integer, its sign repeated in front of them: as many as the type has, one if it does not say.
pub(super) fn of_integer(number: i64, to: DataType) -> Result<String> {
    let length = if let DataType::Bit(length) = to { length } else { LENGTH_FREE };
    let length = if length == LENGTH_FREE { 1 } else { length as usize };
    let mut room = Room::default();
    room.hold(length)?;
    meter::spend(length)?;
    let bit = |place: usize| if number >> place.min(63) & 1 == 1 { '1' } else { '0' };
    Ok((0..length).rev().map(bit).collect())
}

/// The integer of which these are the last bits, the others being zero.
pub(super) fn to_integer(bits: &str, data_type: DataType) -> Result<i64> {
    let most = if data_type == DataType::BigInt { 64 } else { 32 };
    if bits.len() > most {
        return Err(Error::new(ErrorKind::NumericOverflow, format!("{data_type} out of range")));
    }
    let number = bits.bytes().fold(0u64, |number, bit| number << 1 | u64::from(bit == b'1'));
    Ok(if most == 64 { number as i64 } else { i64::from(number as u32 as i32) })
}

/// Moved to the left by so many bits, or to the right by a negative number; zeros come in.
fn shifted(bits: &str, by: i64) -> String {
    let zeros = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX).min(bits.len());
    let kept = bits.len() - zeros;
    if by < 0 { "0".repeat(zeros) + &bits[..kept] } else { bits[zeros..].to_owned() + &"0".repeat(zeros) }
}

/// A bit by its place from the left, read or replaced.
fn single(function: BitsFunction, call: &Call) -> Result<Value> {
    let (bits, at) = (call.text(0)?, call.int(1)?);
    let place = usize::try_from(at).ok().filter(|place| *place < bits.len());
    let Some(place) = place else {
        let message = format!("bit index {at} out of valid range (0..{})", bits.len() as i64 - 1);
        return Err(Error::new(ErrorKind::ArraySubscript, message));
    };
    if function == BitsFunction::GetBit {
        return Ok(Value::Int(i64::from(bits.as_bytes()[place] == b'1')));
    }
    let bit = match call.int(2)? {
        0 => "0",
        1 => "1",
        _ => return Err(Error::new(ErrorKind::InvalidParameter, "new bit must be 0 or 1")),
    };
    let mut bits = bits.to_owned();
    bits.replace_range(place..=place, bit);
    Ok(Value::text(bits))
}

/// Bits from a place, from 1, as far as there are any.
fn part(bits: &str, from: i64, count: Option<i64>) -> Result<&str> {
    let start = from.saturating_sub(1);
    let end = match count {
        None => i64::MAX,
        Some(count) if count < 0 => {
            return Err(Error::new(ErrorKind::InvalidSubstring, "negative substring length not allowed"));
        }
        Some(count) => start.saturating_add(count),
    };
    let within = |at: i64| usize::try_from(at.max(0)).unwrap_or(usize::MAX).min(bits.len());
    Ok(if end <= start { "" } else { &bits[within(start)..within(end)] })
}

/// A part replaced by another one.
fn overlaid(bits: &str, new: &str, from: i64, count: i64) -> Result<String> {
    if from <= 0 {
        return Err(Error::new(ErrorKind::InvalidSubstring, "negative substring length not allowed"));
    }
    let after = from.checked_add(count).filter(|after| i32::try_from(*after).is_ok());
    let after = after.ok_or_else(|| Error::new(ErrorKind::NumericOverflow, "integer out of range"))?;
    let parts = [part(bits, 1, Some(from - 1))?, new, part(bits, after, None)?];
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    if length > text::BYTES_MAX {
        return Err(text::too_long());
    }
    meter::spend(length)?;
    Ok(parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// PostgreSQL's order: the bytes, filled up with zeros, then the lengths.
    fn compare(a: &str, b: &str) -> Ordering {
        let bytes = |bits: &str| {
            let filled = filled(bits, bits.len().div_ceil(8) * 8).expect("it is short");
            let byte = |bits: &[u8]| bits.iter().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit == b'1'));
            filled.as_bytes().chunks(8).map(byte).collect::<Vec<u8>>()
        };
        let (left, right) = (bytes(a), bytes(b));
        let common = left.len().min(right.len());
        left[..common].cmp(&right[..common]).then(a.len().cmp(&b.len()))
    }

    #[test]
    fn texts_sort_as_bit_strings() {
        let mut all = vec![String::new()];
        for length in 1..=5 {
            all.extend((0..1 << length).map(|number| of_integer(number, DataType::Bit(length)).expect("it is short")));
        }
        all.extend(["10000000", "100000000", "1000000001", "0111111111111111", "011111111"].map(str::to_owned));
        for a in &all {
            for b in &all {
                assert_eq!(a.cmp(b), compare(a, b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn texts_are_read() {
        for (written, data_type, expected) in [
            ("101", DataType::BIT, Ok("101")),
            ("b101", DataType::VARBIT, Ok("101")),
            ("X1f", DataType::Bit(8), Ok("00011111")),
            ("", DataType::BIT, Ok("")),
            ("102", DataType::BIT, Err("22P02")),
            (" 1", DataType::BIT, Err("22P02")),
            ("x1g", DataType::BIT, Err("22P02")),
            ("101", DataType::Bit(2), Err("22026")),
            ("101", DataType::VarBit(2), Err("22001")),
            ("101", DataType::VarBit(3), Ok("101")),
        ] {
            let found = read(written, data_type);
            let found = found.as_deref().map_err(Error::sqlstate);
            assert_eq!(found, expected, "{written} as {data_type}");
        }
    }

    #[test]
    fn integers() {
        for (number, length, bits) in
            [(44, 10, "0000101100"), (44, 3, "100"), (-44, 12, "111111010100"), (-1, 70, &*"1".repeat(70))]
        {
            assert_eq!(of_integer(number, DataType::Bit(length)).as_deref(), Ok(bits));
        }
        assert_eq!(to_integer("101", DataType::Integer), Ok(5));
        assert_eq!(to_integer(&"1".repeat(32), DataType::Integer), Ok(-1));
        assert_eq!(to_integer(&"1".repeat(64), DataType::BigInt), Ok(-1));
        assert_eq!(to_integer(&"1".repeat(33), DataType::Integer).map_err(|error| error.sqlstate()), Err("22003"));
    }

    #[test]
    fn shifts_keep_the_length() {
        for (bits, by, expected) in
            [("101", 1, "010"), ("101", -1, "010"), ("101", 9, "000"), ("101", i64::MIN + 1, "000"), ("", 3, "")]
        {
            assert_eq!(shifted(bits, by), expected);
        }
    }
}
