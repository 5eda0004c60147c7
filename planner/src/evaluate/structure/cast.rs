//! Values that are fields or elements as values of other types.

use super::{encode, known};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::Array;
use crate::evaluate::zone::with_zone;
use crate::evaluate::{self, bits, json, logical, mismatch, vector};
use crate::types::{DataType, OidKind};
use crate::value::Value;

/// A value cast to another type, as SQL's explicit casts do it: structs field by field by name, arrays element by element, the
/// text of one read. Instants are shown and read in a time zone.
pub(in crate::evaluate) fn cast_value(value: &Value, from: DataType, to: DataType, zone: &str) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        _ if from == to => Ok(value.clone()),
        // A literal that had no type yet.
        Value::Text(text) if from == DataType::Null => logical::read(text, to, zone),
        Value::Text(text) if to.struct_fields().is_some() && from.struct_fields().is_some() => {
            let ((values, theirs), ours) = (known(text, from)?, to.struct_fields().unwrap_or_default());
            let field =
                |(name, to): &(String, DataType)| match theirs.iter().position(|(known, _)| is_same(known, name)) {
                    Some(place) => cast_value(&values[place], theirs[place].1, *to, zone),
                    None => Ok(Value::Null),
                };
            Ok(Value::text(encode(&ours.iter().map(field).collect::<Result<Vec<_>>>()?, ours)))
        }
        Value::Text(text) if let (Some(element), Some((of, length))) = (from.element(), to.vector_of()) => {
            vector::cast::to_vector(text, element, of, length)
        }
        Value::Text(text) if matches!(from, DataType::Json | DataType::Jsonb) && to.is_vector() => {
            json::typed(text, to, zone)
        }
        Value::Vector(elements) if let (Some((of, _)), Some(element)) = (from.vector_of(), to.element()) => {
            let list = vector::cast::to_array(elements, of)?;
            cast_value(&list, DataType::list(of), DataType::list(element), zone)
        }
        Value::Text(text) if let (Some(from), Some(to)) = (from.element(), to.element()) => {
            let Array { bounds, elements } = Array::decode(text, from).unwrap_or_default();
            let elements = elements.iter().map(|value| cast_value(value, from, to, zone)).collect::<Result<_>>()?;
            Ok(Value::text(Array { bounds, elements }.encode(to)))
        }
        Value::Text(text) if to.is_bits() => {
            let Value::Text(read) = logical::read(text, to.of_any_length(), zone)? else {
                return Err(mismatch(value, to));
            };
            bits::fitted(&read, to).map(Value::text)
        }
        Value::Text(text) if from.is_bits() && to.is_integer() => bits::to_integer(text, to).map(Value::Int),
        Value::Int(number) if to.is_bits() => bits::of_integer(*number, to).map(Value::text),
        Value::Text(text) if to.is_logical() => logical::read(text, to, zone),
        Value::Int(number) if to.is_oid() && to != DataType::Oid(OidKind::Place) => {
            let is_oid = u32::try_from(*number).is_ok();
            let out_of_range = || Error::new(ErrorKind::NumericOverflow, "OID out of range");
            if is_oid { Ok(value.clone()) } else { Err(out_of_range()) }
        }
        value if from == DataType::TimestampTz && !to.is_text() => {
            let Value::Int(instant) = value else { return Err(mismatch(value, from)) };
            let local = Value::Int(with_zone(zone, |zone| zone.local(*instant))?);
            evaluate::cast(&local, DataType::Timestamp, to)
        }
        value if to == DataType::TimestampTz => match evaluate::cast(value, from, DataType::Timestamp)? {
            Value::Int(local) => with_zone(zone, |zone| zone.instant(local)).map(Value::Int),
            other => Err(mismatch(&other, to)),
        },
        value if to.is_text() && from.is_logical() => {
            let text = Value::text(logical::show(value, from, zone));
            evaluate::cast(&text, DataType::Text, to)
        }
        value => evaluate::cast(value, from.carrier(), to.carrier()),
    }
}

/// Whether two names are those of one field.
fn is_same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}
