//! Parameters as clients send them, as values of the engine. What is binary is checked byte by byte: a client may send
//! anything.

use crate::encode::{EPOCH_DAYS, EPOCH_MICROS};
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::{DataType, Interval, Value, format};

/// The days that a date can be, and the microseconds that a timestamp can be: from 4714 BC on, as in PostgreSQL.
const DAYS: std::ops::RangeInclusive<i32> = -2_440_588..=2_145_042_905;
const MICROS: std::ops::Range<i64> = -2_440_588 * DAY_MICROS..i64::MAX;

const DAY_MICROS: i64 = 86_400_000_000;

/// Decimal digits in one of NUMERIC's base, and digits that may be shown behind the point.
const NUMERIC_GROUP: usize = 4;
const NUMERIC_SCALE_MAX: u16 = 16_383;

/// The value of parameter `number` (from 1), of this type.
///
/// Errors: 22021 for text that is none; 22P03 for bytes that are no value of the type; what the type's text may give;
/// 0A000 for a type that has no form on the wire.
pub(crate) fn parameter(number: usize, data_type: DataType, format: Format, bytes: &[u8]) -> Result<Value> {
    match format {
        Format::Text => from_text(data_type, bytes),
        Format::Binary => from_binary(data_type, bytes)?
            .ok_or_else(|| Fault::error("22P03", format!("incorrect binary data format in bind parameter {number}"))),
    }
}

/// Text as SQL has it: UTF-8 without zero bytes.
fn text(bytes: &[u8]) -> Result<&str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.contains(&0) => Ok(text),
        _ => Err(Fault::not_utf8(bytes)),
    }
}

fn from_text(data_type: DataType, bytes: &[u8]) -> Result<Value> {
    parsed(text(bytes)?, data_type)
}

fn parsed(text: &str, data_type: DataType) -> Result<Value> {
    match data_type {
        // What has no type is text.
        DataType::Null => Ok(Value::text(text)),
        _ => format::value_of(text, data_type).map_err(|error| Fault::of(&error, "", 0)),
    }
}

fn unsupported(data_type: DataType) -> Box<Fault> {
    Fault::error("0A000", format!("parameters of type {data_type} are not supported"))
}

/// None for bytes that are no value.
fn from_binary(data_type: DataType, bytes: &[u8]) -> Result<Option<Value>> {
    Ok(match data_type {
        DataType::Boolean => array(bytes).map(|[byte]: [u8; 1]| Value::Boolean(byte != 0)),
        DataType::SmallInt => array(bytes).map(|bytes| Value::Int(i16::from_be_bytes(bytes).into())),
        DataType::Integer => array(bytes).map(|bytes| Value::Int(i32::from_be_bytes(bytes).into())),
        DataType::BigInt => array(bytes).map(|bytes| Value::Int(i64::from_be_bytes(bytes))),
        DataType::Real => array(bytes).map(|bytes| Value::Float(f32::from_be_bytes(bytes).into())),
        DataType::Double => array(bytes).map(|bytes| Value::Float(f64::from_be_bytes(bytes))),
        DataType::Date => array(bytes).map(|bytes| date(i32::from_be_bytes(bytes))).transpose()?,
        DataType::Time => array(bytes).map(|bytes| time(i64::from_be_bytes(bytes))).transpose()?,
        DataType::Timestamp => array(bytes).map(|bytes| timestamp(i64::from_be_bytes(bytes))).transpose()?,
        DataType::Interval => interval(bytes),
        DataType::Decimal { .. } | DataType::Numeric => match numeric_text(bytes) {
            Some(text) => Some(parsed(&text, data_type)?),
            None => None,
        },
        DataType::Null | DataType::Text | DataType::Varchar(_) | DataType::Char(_) => {
            Some(parsed(text(bytes)?, data_type)?)
        }
        other => return Err(unsupported(other)),
    })
}

/// So many bytes, no more and no fewer.
fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn date(days: i32) -> Result<Value> {
    if matches!(days, i32::MAX | i32::MIN) {
        return Ok(Value::Int(days.into()));
    }
    let days = days.checked_add(EPOCH_DAYS).filter(|days| DAYS.contains(days));
    days.map(|days| Value::Int(days.into())).ok_or_else(|| Fault::error("22008", "date out of range"))
}

fn time(micros: i64) -> Result<Value> {
    if (0..=DAY_MICROS).contains(&micros) {
        Ok(Value::Int(micros))
    } else {
        Err(Fault::error("22008", "time out of range"))
    }
}

fn timestamp(micros: i64) -> Result<Value> {
    if matches!(micros, i64::MAX | i64::MIN) {
        return Ok(Value::Int(micros));
    }
    let micros = micros.checked_add(EPOCH_MICROS).filter(|micros| MICROS.contains(micros));
    micros.map(Value::Int).ok_or_else(|| Fault::error("22008", "timestamp out of range"))
}

fn interval(bytes: &[u8]) -> Option<Value> {
    let (micros, rest) = bytes.split_first_chunk::<8>()?;
    let (days, months) = rest.split_first_chunk::<4>()?;
    Some(Value::Interval(Interval {
        months: i32::from_be_bytes(array(months)?),
        days: i32::from_be_bytes(*days),
        micros: i64::from_be_bytes(*micros),
    }))
}

/// A binary numeric as text. Its length is bounded by what its 16-bit weight and scale can say: some 150 kB.
fn numeric_text(bytes: &[u8]) -> Option<String> {
    let (header, groups) = bytes.split_first_chunk::<8>()?;
    let word = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let (count, weight, sign, scale) = (usize::from(word(0)), i64::from(word(2) as i16), word(4), word(6));
    if groups.len() != count * 2 || scale > NUMERIC_SCALE_MAX {
        return None;
    }
    let groups: Vec<u16> = groups.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    match sign {
        0xc000 => return Some("NaN".to_owned()),
        0xd000 => return Some("Infinity".to_owned()),
        0xf000 => return Some("-Infinity".to_owned()),
        0x0000 | 0x4000 if groups.iter().all(|&group| group < 10_000) => {}
        _ => return None,
    }
    // The group that stands for 10,000^position; those that are not sent are zero.
    let group = |position: i64| usize::try_from(weight - position).ok().and_then(|at| groups.get(at)).unwrap_or(&0);
    let mut text = String::from(if sign == 0x4000 { "-" } else { "" });
    for position in (0..=weight.max(0)).rev() {
        text.push_str(&format!("{:04}", group(position)));
    }
    let scale = usize::from(scale);
    if scale > 0 {
        text.push('.');
        let point = text.len();
        for position in 1..=scale.div_ceil(NUMERIC_GROUP) as i64 {
            text.push_str(&format!("{:04}", group(-position)));
        }
        text.truncate(point + scale);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{numeric_text, parameter};
    use crate::wire::Format;
    use multiloop::{DataType, Value};
    use proptest::prelude::*;

    const TYPES: [DataType; 15] = [
        DataType::Null,
        DataType::Boolean,
        DataType::SmallInt,
        DataType::Integer,
        DataType::BigInt,
        DataType::Real,
        DataType::Double,
        DataType::Numeric,
        DataType::Text,
        DataType::VARCHAR,
        DataType::BPCHAR,
        DataType::Date,
        DataType::Time,
        DataType::Timestamp,
        DataType::Interval,
    ];

    fn binary(data_type: DataType, bytes: &[u8]) -> Result<Value, &'static str> {
        parameter(1, data_type, Format::Binary, bytes).map_err(|fault| fault.code)
    }

    #[test]
    fn binary_values_are_read() {
        assert_eq!(binary(DataType::SmallInt, &[0xff, 0xfe]), Ok(Value::Int(-2)));
        assert_eq!(binary(DataType::Integer, &7i32.to_be_bytes()), Ok(Value::Int(7)));
        assert_eq!(binary(DataType::Boolean, &[1]), Ok(Value::Boolean(true)));
        assert_eq!(binary(DataType::Date, &0i32.to_be_bytes()), Ok(Value::Int(10_957)));
        assert_eq!(binary(DataType::Date, &i32::MAX.to_be_bytes()), Ok(Value::Int(i32::MAX.into())));
        assert_eq!(binary(DataType::Timestamp, &1i64.to_be_bytes()), Ok(Value::Int(946_684_800_000_001)));
        assert_eq!(binary(DataType::Text, "ä".as_bytes()), Ok(Value::text("ä")));
    }

    #[test]
    fn what_is_no_value_is_an_error() {
        assert_eq!(binary(DataType::Integer, &[0, 1]), Err("22P03"));
        assert_eq!(binary(DataType::Integer, &[]), Err("22P03"));
        assert_eq!(binary(DataType::Interval, &[0; 15]), Err("22P03"));
        assert_eq!(binary(DataType::Date, &(i32::MAX - 1).to_be_bytes()), Err("22008"));
        assert_eq!(binary(DataType::Time, &(-1i64).to_be_bytes()), Err("22008"));
        assert_eq!(binary(DataType::Timestamp, &(i64::MAX - 1).to_be_bytes()), Err("22008"));
        assert_eq!(binary(DataType::Text, b"a\0"), Err("22021"));
        assert_eq!(binary(DataType::Text, b"\xff"), Err("22021"));
        let text = |data_type, bytes| parameter(1, data_type, Format::Text, bytes).map_err(|fault| fault.code);
        assert_eq!(text(DataType::Integer, b"x".as_slice()), Err("22P02"));
        assert_eq!(text(DataType::SmallInt, b"40000"), Err("22003"));
        assert_eq!(text(DataType::Integer, b"\xff"), Err("22021"));
        assert_eq!(text(DataType::Integer, b" 12 "), Ok(Value::Int(12)));
    }

    #[test]
    fn binary_numerics_are_text() {
        let numeric =
            |words: &[u16]| numeric_text(&words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>());
        assert_eq!(numeric(&[2, 0, 0, 2, 12, 3_400]).as_deref(), Some("0012.34"));
        assert_eq!(numeric(&[1, 1, 0x4000, 0, 5]).as_deref(), Some("-00050000"));
        assert_eq!(numeric(&[1, 0xffff, 0, 5, 1]).as_deref(), Some("0000.00010"));
        assert_eq!(numeric(&[1, 0xfffe, 0, 8, 1]).as_deref(), Some("0000.00000001"));
        assert_eq!(numeric(&[0, 0, 0, 0]).as_deref(), Some("0000"));
        assert_eq!(numeric(&[0, 0, 0xc000, 0]).as_deref(), Some("NaN"));
        assert_eq!(numeric(&[1, 0, 0, 0, 10_000]), None);
        assert_eq!(numeric(&[2, 0, 0, 0, 1]), None);
        assert_eq!(numeric(&[0, 0, 0x1234, 0]), None);
        assert_eq!(numeric(&[0, 0, 0, 20_000]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            for data_type in TYPES {
                let _ = parameter(1, data_type, Format::Binary, &bytes);
                let _ = parameter(1, data_type, Format::Text, &bytes);
            }
        }
    }
}
