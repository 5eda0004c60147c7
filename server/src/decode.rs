//! Parameters as clients send them, as values of the engine. What is binary is checked byte by byte: a client may send
//! anything.

use crate::encode::bits;
use crate::encode::{EPOCH_DAYS, EPOCH_MICROS, JSONB_VERSION};
use crate::fault::{Fault, Result};
use crate::types::wire_type_in;
use crate::wire::Format;
use multiloop::format::{Array, Bound, place_of, value_of_bytes};
use multiloop::{DataType, Interval, OidKind, Sight, Value};

/// The days that a date can be, and the microseconds that a timestamp can be: from 4714 BC on, as in PostgreSQL.
const DAYS: std::ops::RangeInclusive<i32> = -2_440_588..=2_145_042_905;
const MICROS: std::ops::Range<i64> = -2_440_588 * DAY_MICROS..i64::MAX;

const DAY_MICROS: i64 = 86_400_000_000;

/// Decimal digits in one of NUMERIC's base, and digits that may be shown behind the point.
const NUMERIC_GROUP: usize = 4;
const NUMERIC_SCALE_MAX: u16 = 16_383;

/// Dimensions of an array, at most.
const DIMENSIONS_MAX: i32 = 6;

/// The value of parameter `number` (from 1), of this type, as somebody sees it.
///
/// Errors: 22021 for text that is none; 22P03 for bytes that are no value of the type; what the type's text may give;
/// 0A000 for a type that has no form on the wire.
pub(crate) fn parameter(
    number: usize,
    data_type: DataType,
    (format, bytes): (Format, &[u8]),
    sight: &Sight,
) -> Result<Value> {
    match format {
        Format::Text => parsed(text(bytes)?, data_type, sight),
        Format::Binary => from_binary(data_type, bytes, sight)?
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

fn parsed(text: &str, data_type: DataType, sight: &Sight) -> Result<Value> {
    match data_type {
        // What has no type is text.
        DataType::Null => Ok(Value::text(text)),
        _ => sight.value_of(text, data_type).map_err(|error| Fault::of(&error, "", 0)),
    }
}

/// The value of a text that is the same for everybody.
fn plain(text: &str, data_type: DataType) -> Result<Value> {
    parsed(text, data_type, &Sight::default())
}

fn unsupported(data_type: DataType) -> Box<Fault> {
    Fault::error("0A000", format!("parameters of type {data_type} are not supported"))
}

/// None for bytes that are no value.
fn from_binary(data_type: DataType, bytes: &[u8], sight: &Sight) -> Result<Option<Value>> {
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
            Some(text) => Some(plain(&text, data_type)?),
            None => None,
        },
        DataType::Null
        | DataType::Text
        | DataType::Varchar(_)
        | DataType::Char(_)
        | DataType::Name
        | DataType::Json => Some(plain(text(bytes)?, data_type)?),
        bits if bits.is_bits() => match bits::digits(bytes) {
            Some(digits) => Some(plain(&digits, data_type)?),
            None => None,
        },
        DataType::Jsonb | DataType::JsonPath => match bytes.split_first() {
            Some((&JSONB_VERSION, json)) => Some(plain(text(json)?, data_type)?),
            _ => None,
        },
        DataType::InternalChar => match bytes {
            [0] => Some(Value::text("")),
            [byte] if byte.is_ascii() => Some(Value::text(char::from(*byte).to_string())),
            [byte] => Some(Value::text(format!("\\{byte:03o}"))),
            _ => None,
        },
        DataType::Oid(OidKind::Place) => array::<6>(bytes).map(|[a, b, c, d, e, f]| {
            Value::Int(place_of(u32::from_be_bytes([a, b, c, d]), u16::from_be_bytes([e, f])))
        }),
        DataType::Oid(_) => array(bytes).map(|bytes| Value::Int(u32::from_be_bytes(bytes).into())),
        DataType::TimestampTz => array(bytes).map(|bytes| timestamp(i64::from_be_bytes(bytes))).transpose()?,
        DataType::TimeTz => time_with_zone(bytes)?,
        DataType::Bytea | DataType::Uuid => value_of_bytes(bytes, data_type),
        DataType::Nested(_) if data_type.labels().is_some() || data_type.is_of_structs() => {
            Some(plain(text(bytes)?, data_type)?)
        }
        DataType::Nested(_) if let Some(of) = data_type.vector_of() => vector(of, bytes)?,
        DataType::Nested(_) if data_type.element().is_some() => {
            elements(data_type.element().unwrap_or(DataType::Null), bytes, sight)?
        }
        other => return Err(unsupported(other)),
    })
}

/// So many bytes, no more and no fewer.
fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn date(days: i32) -> Result<Value> {
    let days = days_of(days).ok_or_else(|| Fault::error("22008", "date out of range"))?;
    Ok(Value::Int(days.into()))
}

/// The days since 1970 of a date that is sent as days since 2000; none for what is no date.
pub(crate) fn days_of(days: i32) -> Option<i32> {
    if matches!(days, i32::MAX | i32::MIN) {
        return Some(days);
    }
    days.checked_add(EPOCH_DAYS).filter(|days| DAYS.contains(days))
}

fn time(micros: i64) -> Result<Value> {
    if (0..=DAY_MICROS).contains(&micros) {
        Ok(Value::Int(micros))
    } else {
        Err(Fault::error("22008", "time out of range"))
    }
}

/// A time of day, and seconds to the west.
fn time_with_zone(bytes: &[u8]) -> Result<Option<Value>> {
    const SECONDS_MAX: i32 = 16 * 3_600;
    let Some((micros, west)) = bytes.split_first_chunk::<8>() else { return Ok(None) };
    let Some(west) = array(west).map(i32::from_be_bytes) else { return Ok(None) };
    let Value::Int(micros) = time(i64::from_be_bytes(*micros))? else { return Ok(None) };
    if west <= -SECONDS_MAX || west >= SECONDS_MAX {
        return Err(Fault::error("22009", "time zone displacement out of range"));
    }
    Ok(Some(Value::Int(multiloop::format::time_with_zone::encode(micros, -i64::from(west)))))
}

fn timestamp(micros: i64) -> Result<Value> {
    micros_of(micros).map(Value::Int).ok_or_else(|| Fault::error("22008", "timestamp out of range"))
}

/// As [`days_of`], of a timestamp's microseconds.
pub(crate) fn micros_of(micros: i64) -> Option<i64> {
    if matches!(micros, i64::MAX | i64::MIN) {
        return Some(micros);
    }
    micros.checked_add(EPOCH_MICROS).filter(|micros| MICROS.contains(micros))
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

/// A vector as pgvector sends it: the number of elements, two bytes of nothing, the elements.
///
/// Errors: 22000 for another number of elements than the type has.
fn vector((of, length): (DataType, u32), bytes: &[u8]) -> Result<Option<Value>> {
    let Some(([high, low, 0, 0], elements)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let count = u16::from_be_bytes([*high, *low]);
    let elements: Vec<f64> = if of == DataType::Real {
        let (all, []) = elements.as_chunks::<4>() else { return Ok(None) };
        all.iter().map(|&bits| f32::from_be_bytes(bits).into()).collect()
    } else {
        let (all, []) = elements.as_chunks::<8>() else { return Ok(None) };
        all.iter().map(|&bits| f64::from_be_bytes(bits)).collect()
    };
    if elements.len() != usize::from(count) {
        return Ok(None);
    }
    if u32::from(count) != length {
        let plural = if length == 1 { "" } else { "s" };
        return Err(Fault::error("22000", format!("expected {length} dimension{plural}, not {count}")));
    }
    Ok(Some(Value::vector(elements)))
}

/// A binary array: the number of dimensions, whether there are NULLs, the OID of the elements, the length and the lower bound of
/// each dimension, the elements with their lengths.
///
/// Errors: 54000 for too many dimensions, 42804 for elements of another type, 2202E for bounds out of range, and what elements
/// may give.
fn elements(element: DataType, bytes: &[u8], sight: &Sight) -> Result<Option<Value>> {
    let mut rest = bytes;
    let Some([dimensions, flags, oid]) = words(&mut rest) else { return Ok(None) };
    if dimensions > DIMENSIONS_MAX {
        let message =
            format!("number of array dimensions ({dimensions}) exceeds the maximum allowed ({DIMENSIONS_MAX})");
        return Err(Fault::error("54000", message));
    }
    if dimensions < 0 || !matches!(flags, 0 | 1) {
        return Ok(None);
    }
    let expected = wire_type_in(element, sight).oid;
    if oid as u32 != expected {
        let message = format!("binary data has array element type {} instead of expected {expected}", oid as u32);
        return Err(Fault::error("42804", message));
    }
    let mut bounds = Vec::new();
    let mut count = usize::from(dimensions > 0);
    for _ in 0..dimensions {
        let Some([length, lower]) = words(&mut rest) else { return Ok(None) };
        let Ok(length) = usize::try_from(length) else { return Ok(None) };
        let bound = Bound { lower, length };
        if bound.upper() >= i64::from(i32::MAX) {
            return Err(Fault::error("2202E", format!("array lower bound is too large: {lower}")));
        }
        count = count.saturating_mul(length);
        bounds.push(bound);
    }
    // Each element has a length at least: what is claimed takes no room that was not sent.
    if count > rest.len() / 4 {
        return Ok(None);
    }
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let Some([length]) = words(&mut rest) else { return Ok(None) };
        values.push(match usize::try_from(length) {
            Err(_) if length == -1 => Value::Null,
            Err(_) => return Ok(None),
            Ok(length) => {
                let Some((bytes, behind)) = rest.split_at_checked(length) else { return Ok(None) };
                rest = behind;
                let Some(value) = from_binary(element, bytes, sight)? else { return Ok(None) };
                value
            }
        });
    }
    let array = if values.is_empty() { Array::default() } else { Array { bounds, elements: values } };
    Ok(rest.is_empty().then(|| Value::text(array.encode(element))))
}

/// Takes so many numbers of 32 bits off the front.
fn words<const N: usize>(rest: &mut &[u8]) -> Option<[i32; N]> {
    let mut words = [0; N];
    for word in &mut words {
        let (bytes, behind) = rest.split_first_chunk::<4>()?;
        (*word, *rest) = (i32::from_be_bytes(*bytes), behind);
    }
    Some(words)
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
    use multiloop::{DataType, OidKind, Sight, Value};
    use proptest::prelude::*;

    const TYPES: [DataType; 29] = [
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
        DataType::OID,
        DataType::Oid(OidKind::Class),
        DataType::Name,
        DataType::InternalChar,
        DataType::Bytea,
        DataType::Uuid,
        DataType::Json,
        DataType::Jsonb,
        DataType::TimestampTz,
        DataType::Oid(OidKind::Type),
        DataType::BIT,
        DataType::Bit(3),
        DataType::VARBIT,
        DataType::JsonPath,
    ];

    fn mood() -> DataType {
        DataType::enumeration("mood", vec!["sad".to_owned(), "ok".to_owned()])
    }

    /// The value that a text of the type stands for.
    fn of_text(data_type: DataType, text: &str) -> Value {
        parameter(1, data_type, (Format::Text, text.as_bytes()), &Sight::default()).expect("it is a value")
    }

    fn binary(data_type: DataType, bytes: &[u8]) -> Result<Value, &'static str> {
        parameter(1, data_type, (Format::Binary, bytes), &Sight::default()).map_err(|fault| fault.code)
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
        let text = |data_type, bytes| {
            parameter(1, data_type, (Format::Text, bytes), &Sight::default()).map_err(|fault| fault.code)
        };
        assert_eq!(text(DataType::Integer, b"x".as_slice()), Err("22P02"));
        assert_eq!(text(DataType::SmallInt, b"40000"), Err("22003"));
        assert_eq!(text(DataType::Integer, b"\xff"), Err("22021"));
        assert_eq!(text(DataType::Integer, b" 12 "), Ok(Value::Int(12)));
    }

    #[test]
    fn binary_values_of_logical_types_are_read() {
        let read = |data_type, bytes: &[u8], text: &str| {
            assert_eq!(binary(data_type, bytes), Ok(of_text(data_type, text)), "{data_type} {text}");
        };
        read(DataType::OID, &u32::MAX.to_be_bytes(), "4294967295");
        read(DataType::Oid(OidKind::Class), &7u32.to_be_bytes(), "7");
        read(DataType::Name, b"a b", "a b");
        read(DataType::InternalChar, b"r", "r");
        read(DataType::InternalChar, &[0], "");
        read(DataType::InternalChar, &[0xc3], "\\303");
        read(DataType::Bytea, &[0, 255], "\\x00ff");
        read(DataType::Bytea, b"", "");
        read(DataType::Uuid, &[0xa0; 16], "a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0");
        read(DataType::Json, b"{\"a\": 1}", "{\"a\": 1}");
        read(DataType::Jsonb, b"\x01{\"b\":1}", "{\"b\": 1}");
        read(DataType::JsonPath, b"\x01$ . a", "$.a");
        read(DataType::BIT, &[0, 0, 0, 9, 0x80, 0xff], "100000001");
        read(DataType::VARBIT, &[0, 0, 0, 0], "");
        assert_eq!(binary(DataType::BIT, &[0xff, 0xff, 0xff, 0xff]), Err("22P03"));
        assert_eq!(binary(DataType::Bit(3), &[0, 0, 0, 2, 0x80]), Err("22026"));
        assert_eq!(binary(DataType::JsonPath, b"$"), Err("22P03"));
        read(DataType::TimestampTz, &0i64.to_be_bytes(), "2000-01-01 00:00:00+00");
        read(mood(), b"ok", "ok");
        assert_eq!(binary(mood(), b"glad"), Err("22P02"));
        assert_eq!(binary(DataType::OID, &[0; 8]), Err("22P03"));
        assert_eq!(binary(DataType::Uuid, &[0; 15]), Err("22P03"));
        assert_eq!(binary(DataType::Jsonb, b"{}"), Err("22P03"));
        assert_eq!(binary(DataType::Jsonb, b""), Err("22P03"));
        assert_eq!(binary(DataType::Json, b"{"), Err("22P02"));
        assert_eq!(binary(DataType::InternalChar, b"ab"), Err("22P03"));
    }

    #[test]
    fn binary_arrays_are_read() {
        let words = |words: &[i32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
        let integers = DataType::list(DataType::Integer);
        let read = |bytes: &[i32], text: &str| {
            assert_eq!(binary(integers, &words(bytes)), Ok(of_text(integers, text)), "{text}");
        };
        read(&[0, 0, 23], "{}");
        read(&[1, 0, 23, 0, 1], "{}");
        read(&[1, 1, 23, 3, 1, 4, 7, -1, 4, -9], "{7,NULL,-9}");
        read(&[2, 0, 23, 1, 0, 2, -3, 4, 1, 4, 2], "[0:0][-3:-2]={{1,2}}");
        for (bytes, code) in [
            (&[][..], "22P03"),
            (&[1, 0, 23], "22P03"),
            (&[-1, 0, 23], "22P03"),
            (&[1, 2, 23, 0, 1], "22P03"),
            (&[7, 0, 23], "54000"),
            (&[0, 0, 20], "42804"),
            (&[1, 0, 23, 1, i32::MAX, 4, 1], "2202E"),
            (&[1, 0, 23, -1, 1], "22P03"),
            (&[6, 0, 23, i32::MAX, -5, i32::MAX, -5, i32::MAX, -5, i32::MAX, -5, i32::MAX, -5, i32::MAX, -5], "22P03"),
            (&[1, 0, 23, 1, 1, 4], "22P03"),
            (&[1, 0, 23, 1, 1, -2], "22P03"),
            (&[1, 0, 23, 1, 1, 8, 1, 1], "22P03"),
            (&[1, 0, 23, 1, 1, 4, 1, 1], "22P03"),
        ] {
            assert_eq!(binary(integers, &words(bytes)), Err(code), "{bytes:?}");
        }
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
            for data_type in TYPES.into_iter().chain([mood()]) {
                for data_type in [data_type, DataType::list(data_type)] {
                    for format in [Format::Binary, Format::Text] {
                        let _ = parameter(1, data_type, (format, &bytes), &Sight::default());
                    }
                }
            }
        }

        #[test]
        fn no_arrays_make_it_panic(
            at in 0..TYPES.len(), flags in 0i32..2, bounds in proptest::collection::vec((-1i32..4, any::<i32>()), 0..3),
            tail in proptest::collection::vec(prop_oneof![Just(0u8), Just(4), Just(8), any::<u8>()], 0..48),
        ) {
            let element = TYPES[at];
            let oid = crate::types::wire_type(element).oid as i32;
            let mut words = vec![bounds.len() as i32, flags, oid];
            words.extend(bounds.iter().flat_map(|&(length, lower)| [length, lower]));
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            bytes.extend(tail);
            let _ = parameter(1, DataType::list(element), (Format::Binary, &bytes), &Sight::default());
        }
    }
}
