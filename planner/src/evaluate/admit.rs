//! Checks of values that come from outside the planner (parameters of an embedding program): a value is of its type, in the form
//! that columns store, or it is refused. Without them a number beyond its type would be cut to the bits of a column, and a text
//! that is no array would be found out when somebody reads it.
//!
//! | the value | what becomes of it |
//! |---|---|
//! | an integer, an oid, a decimal, a numeric beyond its type | 22003 |
//! | an integer for a decimal or a numeric | the same number |
//! | a double for a real | the nearest real; 22003 if it is out of range |
//! | a date, time or timestamp that is none | 22008 |
//! | an enum's label by a number that is none | 22P02 |
//! | a text with a NUL character | 22021 |
//! | a text longer than its varchar or char | cut, as a cast cuts it |
//! | a text for json, jsonb, uuid, name, … | read as a literal is, which gives one form: 22P02 and its kin |
//! | a text for bytea | hexadecimal digits as a column has them, or a literal that begins with `\x` |
//! | a text for an array | what [`Array::encode`] made, or a literal such as `{1,2}` |
//! | a value of another kind | 42804 |

use super::array::{Array, MARKS};
use super::{bytes, calendar, cast, decimal, logical, numeric, structure};
use crate::error::{Error, ErrorKind, Result};
use crate::numeric::Numeric;
use crate::types::{DECIMAL_DIGITS_MAX, DataType, LENGTH_FREE, NestedType, OidKind, VECTOR_LENGTH_MAX};
use crate::value::Value;

/// The value as columns of the type store it; none if it is that already. Texts of instants that name no zone are in this one.
///
/// # Errors
/// See the table above.
pub fn admit(value: &Value, data_type: DataType, zone: &str) -> Result<Option<Value>> {
    // What has no type is text.
    let data_type = if data_type == DataType::Null { DataType::Text } else { data_type };
    match value {
        Value::Null => return Ok(None),
        Value::Numeric(number) if data_type.is_decimal() => return numeric::cast_numeric(number, data_type).map(Some),
        Value::Int(_) if data_type.is_exact() => return cast::cast_value(value, DataType::BigInt, data_type).map(Some),
        _ if !value.fits(data_type) => {
            let message = format!("a value of type {data_type} is needed, not {}", kind_of(value));
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        _ => {}
    }
    let admitted = match value {
        Value::Int(number) => return admit_integer(*number, data_type).map(|()| None),
        Value::Decimal(number) => return decimal::checked(Some(*number), data_type).map(|_| None),
        Value::Float(float) if data_type == DataType::Real => cast::cast_value(value, DataType::Double, data_type)
            .map_err(|_| out_of_range(&super::format(&Value::Float(*float), DataType::Double), data_type))?,
        Value::Numeric(number) => Value::numeric(Numeric::clone(number).checked()?),
        Value::Text(text) => Value::text(admit_text(text, data_type, zone)?),
        Value::Vector(elements) => match data_type.vector_of() {
            Some((of, length)) => super::vector::cast::cast_vector(elements, of, length)?,
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok((admitted != *value).then_some(admitted))
}

/// An error (22023, 0A000) for a type that no value can have: a decimal of more digits than there are, say. Programs that embed
/// the engine name types as values, which no parser has checked.
///
/// # Errors
/// 22023 and 0A000.
pub fn check_type(data_type: DataType) -> Result<()> {
    let wrong = |message: String| Err(Error::new(ErrorKind::InvalidParameter, message));
    match data_type {
        DataType::Decimal { precision, .. } if !(1..=DECIMAL_DIGITS_MAX).contains(&precision) => {
            wrong(format!("NUMERIC precision {precision} must be between 1 and {DECIMAL_DIGITS_MAX}"))
        }
        DataType::Decimal { precision, scale } if scale > precision => {
            wrong(format!("NUMERIC scale {scale} must be between 0 and precision {precision}"))
        }
        DataType::Varchar(length) if length != LENGTH_FREE => check_type_length("varchar", length.into()),
        DataType::Char(length) if length != LENGTH_FREE => check_type_length("char", length.into()),
        DataType::Nested(nested) => match nested.get() {
            NestedType::List(of) | NestedType::ZeroBased(of) => check_type(*of),
            NestedType::Vector(of, length) if of.is_float() && (1..=VECTOR_LENGTH_MAX).contains(length) => Ok(()),
            NestedType::Vector(of, length) => {
                wrong(format!("a vector has 1 to {VECTOR_LENGTH_MAX} elements of real or double, not {length} of {of}"))
            }
            NestedType::Struct(fields) | NestedType::Row { fields, .. } => {
                fields.iter().try_for_each(|(_, of)| check_type(*of))
            }
            NestedType::Enum { .. } => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The longest varchar and char, as in PostgreSQL.
const LENGTH_MAX: u64 = 10_485_760;

/// An error (22023) for a length that a string type of this name cannot have.
///
/// # Errors
/// 22023.
pub fn check_type_length(name: &str, length: u64) -> Result<()> {
    if (1..=LENGTH_MAX).contains(&length) {
        return Ok(());
    }
    let message = format!("length for type {name} must be between 1 and {LENGTH_MAX}, not {length}");
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

/// An error (22021) for a text with a NUL character, which PostgreSQL's texts cannot have.
///
/// # Errors
/// 22021.
pub fn check_text(text: &str) -> Result<()> {
    if text.as_bytes().contains(&0) {
        return Err(Error::new(ErrorKind::InvalidUtf8, "invalid byte sequence for encoding \"UTF8\": 0x00"));
    }
    Ok(())
}

/// What a value is, in words for messages.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Boolean(_) => "a boolean",
        Value::Int(_) => "an integer",
        Value::Float(_) => "a double",
        Value::Decimal(_) => "a decimal",
        Value::Numeric(_) => "a numeric",
        Value::Text(_) => "a text",
        Value::Interval(_) => "an interval",
        Value::Vector(_) => "a vector",
    }
}

fn out_of_range(shown: &str, data_type: DataType) -> Error {
    let message = format!("value \"{shown}\" is out of range for type {data_type}");
    Error::new(ErrorKind::NumericOverflow, message)
}

/// An error for an integer that is no value of the type that it carries.
fn admit_integer(number: i64, data_type: DataType) -> Result<()> {
    let datetime = |message: &str| Err(Error::new(ErrorKind::DatetimeOverflow, message));
    match data_type {
        DataType::Date if calendar::is_infinite_date(number) => Ok(()),
        DataType::Date => calendar::checked_date(number).map(drop),
        DataType::Time if !(0..=calendar::DAY).contains(&number) => datetime("time out of range"),
        DataType::Timestamp | DataType::TimestampTz => {
            let is_none = number < calendar::TIMESTAMP_MIN && !calendar::is_infinite_timestamp(number);
            if is_none { datetime("timestamp out of range") } else { Ok(()) }
        }
        DataType::Oid(kind) if kind != OidKind::Place && u32::try_from(number).is_err() => {
            Err(out_of_range(&number.to_string(), data_type))
        }
        DataType::Nested(_) => match data_type.labels() {
            Some(labels) if !usize::try_from(number).is_ok_and(|place| place < labels.len()) => {
                let message = format!("invalid input value for enum {data_type}: it has no label {number}");
                Err(Error::new(ErrorKind::InvalidText, message))
            }
            _ => Ok(()),
        },
        _ => match data_type.carrier().integer_bounds() {
            Some((low, high)) if !(low..=high).contains(&number.into()) => {
                Err(out_of_range(&number.to_string(), data_type))
            }
            _ => Ok(()),
        },
    }
}

/// The text that stands for a value of a type that text carries.
fn admit_text(text: &str, data_type: DataType, zone: &str) -> Result<String> {
    if let Some(element) = data_type.element() {
        return admit_array(text, data_type, element, zone);
    }
    if let Some(fields) = data_type.struct_fields()
        && text.bytes().next().is_some_and(|first| MARKS.contains(&first))
    {
        let malformed = || Error::new(ErrorKind::InvalidText, format!("a text is no value of type {data_type}"));
        let values = structure::decode(text, fields).ok_or_else(malformed)?;
        let admitted = |(value, (_, of)): (Value, &(String, DataType))| Ok(admit(&value, *of, zone)?.unwrap_or(value));
        let values = values.into_iter().zip(fields).map(admitted).collect::<Result<Vec<_>>>()?;
        return Ok(structure::encode(&values, fields));
    }
    check_text(text)?;
    Ok(match data_type {
        DataType::Bytea if !text.starts_with('\\') => {
            let is_digits = text.len().is_multiple_of(2) && bytes::of_hex(text).is_some();
            if !is_digits || text.bytes().any(|digit| digit.is_ascii_uppercase()) {
                return Err(super::parse::invalid(text, "bytea"));
            }
            text.to_owned()
        }
        DataType::Nested(_) if data_type.fields().is_some() => {
            if !(text.starts_with('(') && text.ends_with(')')) {
                let message = format!("malformed record literal: \"{text}\"");
                return Err(Error::new(ErrorKind::InvalidText, message));
            }
            text.to_owned()
        }
        _ => match super::parse_in(text, data_type, zone)? {
            Value::Text(text) => text.to_string(),
            other => return Err(super::mismatch(&other, data_type)),
        },
    })
}

/// The text that stands for an array: elements of one that is such a text are checked one by one.
fn admit_array(text: &str, data_type: DataType, element: DataType, zone: &str) -> Result<String> {
    let is_encoded = text.bytes().next().is_some_and(|first| MARKS.contains(&first));
    if !is_encoded {
        check_text(text)?;
        return match logical::read(text, data_type, zone)? {
            Value::Text(text) => Ok(text.to_string()),
            other => Err(super::mismatch(&other, data_type)),
        };
    }
    let malformed = || Error::new(ErrorKind::InvalidText, format!("a text is no value of type {data_type}"));
    let Array { bounds, elements } = Array::decode(text, element).ok_or_else(malformed)?;
    let admitted = |value: Value| Ok(admit(&value, element, zone)?.unwrap_or(value));
    let elements = elements.into_iter().map(admitted).collect::<Result<Vec<_>>>()?;
    Ok(Array::checked(bounds, elements)?.encode(element))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::UTC;
    use crate::value::Interval;
    use num_bigint::BigInt;

    fn types() -> Vec<DataType> {
        vec![
            DataType::Boolean,
            DataType::SmallInt,
            DataType::Integer,
            DataType::BigInt,
            DataType::Real,
            DataType::Double,
            DataType::decimal(5, 2),
            DataType::Numeric,
            DataType::Text,
            DataType::Varchar(3),
            DataType::Char(3),
            DataType::BPCHAR,
            DataType::Date,
            DataType::Time,
            DataType::Timestamp,
            DataType::TimestampTz,
            DataType::Interval,
            DataType::OID,
            DataType::Name,
            DataType::InternalChar,
            DataType::Bytea,
            DataType::Uuid,
            DataType::Json,
            DataType::Jsonb,
            DataType::BIT,
            DataType::Bit(3),
            DataType::VarBit(3),
            DataType::JsonPath,
            DataType::list(DataType::Bit(3)),
            DataType::enumeration("mood", vec!["sad".to_owned(), "ok".to_owned()]),
            DataType::list(DataType::Integer),
            DataType::list(DataType::Text),
            DataType::list(DataType::decimal(5, 2)),
            DataType::structure(vec![("a".to_owned(), DataType::Integer), ("b".to_owned(), DataType::Text)]),
        ]
    }

    fn values() -> Vec<Value> {
        let texts = [
            "",
            "101",
            "$.a",
            "abc",
            "a\0b",
            "{1,2}",
            "{1.5}",
            "[1]",
            "00ff",
            "{\"a\": 1}",
            "\u{2}",
            "\u{1}",
            "(1)",
            "\u{3}x",
        ];
        let integers = [0, 1, -1, 2, 70_000, 1 << 32 | 1, 1 << 40, i64::MAX, i64::MIN, i64::MAX / 2, i64::MIN + 1];
        let floats = [0.0, -0.0, 0.1, 1e300, 1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let numerics = [Numeric::NaN, Numeric::Infinity, Numeric::new(123_456_789, 3), Numeric::new(1, 0)];
        let interval = Interval { months: 14, days: -3, micros: -5 };
        texts
            .into_iter()
            .map(Value::text)
            .chain(integers.map(Value::Int))
            .chain(floats.map(Value::Float))
            .chain([0, 99_999, 100_000, i128::MAX, i128::MIN].map(Value::Decimal))
            .chain(numerics.map(Value::numeric))
            .chain([Value::Null, Value::Boolean(true), Value::Interval(interval)])
            .collect()
    }

    /// What is admitted is a value of its type: it shows as a text that is read as the same value, and it is admitted again as it is.
    #[test]
    fn what_is_admitted_is_of_its_type() {
        for data_type in types() {
            for value in values() {
                let Ok(admitted) = admit(&value, data_type, UTC) else { continue };
                let admitted = admitted.unwrap_or_else(|| value.clone());
                assert!(admitted.fits(data_type), "{value:?} as {data_type}");
                let again = admit(&admitted, data_type, UTC);
                assert_eq!(again, Ok(None), "{value:?} as {data_type}");
                if !admitted.is_null() {
                    let shown = crate::evaluate::format_in(&admitted, data_type, UTC);
                    let read = crate::evaluate::parse_in(&shown, data_type, UTC);
                    assert_eq!(read.map_err(|error| (shown, error)), Ok(admitted), "{value:?} as {data_type}");
                }
            }
        }
    }

    #[test]
    fn what_is_refused() {
        let mood = DataType::enumeration("mood", vec!["sad".to_owned(), "ok".to_owned()]);
        for (value, data_type, state) in [
            (Value::Int(1 << 32 | 1), DataType::Integer, "22003"),
            (Value::Int(70_000), DataType::SmallInt, "22003"),
            (Value::Int(-1), DataType::OID, "22003"),
            (Value::Float(1e300), DataType::Real, "22003"),
            (Value::Float(1e-300), DataType::Real, "22003"),
            (Value::Decimal(100_000), DataType::decimal(5, 2), "22003"),
            (Value::Decimal(i128::MIN), DataType::decimal(38, 0), "22003"),
            (Value::numeric(Numeric::new(1_000, 0)), DataType::decimal(5, 2), "22003"),
            (Value::numeric(Numeric::new(BigInt::from(10).pow(131_072), 0)), DataType::Numeric, "22003"),
            (Value::Int(i64::MAX), DataType::Date, "22008"),
            (Value::Int(i64::MIN + 1), DataType::Timestamp, "22008"),
            (Value::Int(-1), DataType::Time, "22008"),
            (Value::Int(2), mood, "22P02"),
            (Value::text("sad"), mood, "42804"),
            (Value::text("a\0b"), DataType::Text, "22021"),
            (Value::text("abc"), DataType::list(DataType::Integer), "22P02"),
            (Value::text("\u{2}9"), DataType::list(DataType::Integer), "22P02"),
            (Value::text("{a\0b}"), DataType::list(DataType::Text), "22021"),
            (Value::text("g0"), DataType::Bytea, "22P02"),
            (Value::text("abc"), DataType::Uuid, "22P02"),
            (Value::text("{"), DataType::Json, "22P02"),
            (Value::text("1"), DataType::Integer, "42804"),
            (Value::Int(1), DataType::Double, "42804"),
            (Value::Boolean(true), DataType::Text, "42804"),
        ] {
            let refused = admit(&value, data_type, UTC).map_err(|error| error.sqlstate());
            assert_eq!(refused, Err(state), "{value:?} as {data_type}");
        }
        let of_integers = Array::of(vec![Value::Int(1 << 40)]).encode(DataType::Integer);
        let refused = admit(&Value::text(of_integers), DataType::list(DataType::Integer), UTC);
        assert_eq!(refused.unwrap_err().sqlstate(), "22003");
    }

    #[test]
    fn what_gets_another_form() {
        let of = |text: &str, data_type| crate::evaluate::parse(text, data_type).expect("it is a value");
        for (value, data_type, expected) in [
            (Value::Float(0.1), DataType::Real, Value::Float(f64::from(0.1f32))),
            (Value::numeric(Numeric::new(12_345, 3)), DataType::decimal(5, 2), Value::Decimal(1_235)),
            (Value::text("abcdef"), DataType::Varchar(3), Value::text("abc")),
            (Value::text("ab "), DataType::Char(3), Value::text("ab")),
            (Value::text("{2,1}"), DataType::list(DataType::Integer), of("{2,1}", DataType::list(DataType::Integer))),
            (Value::text("\\x00FF"), DataType::Bytea, Value::text("00ff")),
            (Value::text("{\"b\":1, \"a\":2}"), DataType::Jsonb, Value::text("{\"a\": 2, \"b\": 1}")),
        ] {
            assert_eq!(admit(&value, data_type, UTC), Ok(Some(expected)), "{value:?} as {data_type}");
        }
    }

    #[test]
    fn types_that_no_value_has() {
        for data_type in [
            DataType::Decimal { precision: 0, scale: 0 },
            DataType::Decimal { precision: 39, scale: 0 },
            DataType::Decimal { precision: 5, scale: 6 },
            DataType::Varchar(0),
            DataType::Char(0),
            DataType::list(DataType::Char(0)),
        ] {
            assert_eq!(check_type(data_type).unwrap_err().sqlstate(), "22023");
        }
        assert_eq!(check_type(DataType::VARCHAR), Ok(()));
    }
}
