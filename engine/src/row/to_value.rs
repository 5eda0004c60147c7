//! Fields of a row as the engine's own values.

use super::{FromSql, ListRef, ValueRef};
use crate::format::{Array, Bound};
use crate::{DataType, Error, ErrorKind, Numeric, Result, Value};
use multiloop_planner::evaluate::bytes::to_hex;
use multiloop_planner::types::DECIMAL_DIGITS_MAX;

/// The value in the form in which parameters have it: of a decimal the digits, of a date the days. An enum's label is a text.
impl FromSql<'_> for Value {
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        Ok(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Boolean(value) => Value::Boolean(value),
            ValueRef::SmallInt(value) => Value::Int(value.into()),
            ValueRef::Integer(value) | ValueRef::Date(value) => Value::Int(value.into()),
            ValueRef::Oid(value) => Value::Int(value.into()),
            ValueRef::BigInt(value)
            | ValueRef::Time(value)
            | ValueRef::Timestamp(value)
            | ValueRef::TimestampTz(value) => Value::Int(value),
            ValueRef::Real(value) => Value::Float(value.into()),
            ValueRef::Double(value) => Value::Float(value),
            ValueRef::Decimal { unscaled, .. } => Value::Decimal(unscaled),
            ValueRef::Numeric(text) => Value::numeric(Numeric::parse(text)?),
            ValueRef::Text(text) => Value::text(text),
            ValueRef::Bytes(bytes) => Value::text(to_hex(bytes)),
            ValueRef::Uuid(bytes) => uuid_value(bytes),
            ValueRef::Interval(value) => Value::Interval(value),
            ValueRef::List(list) => list_value(list)?,
            ValueRef::Vector(elements) => Value::Vector(elements.iter().map(|&element| element.into()).collect()),
            ValueRef::DoubleVector(elements) => Value::vector(elements),
            ValueRef::Other => return Err(value.mismatch::<Self>()),
        })
    }

    fn takes(data_type: DataType) -> bool {
        data_type.struct_fields().is_none() && !data_type.is_of_structs()
    }
}

/// A uuid as columns have it.
fn uuid_value(bytes: &[u8; 16]) -> Value {
    let parts = [0..4, 4..6, 6..8, 8..10, 10..16];
    Value::text(parts.map(|part| to_hex(&bytes[part])).join("-"))
}

/// An array as columns have it.
fn list_value(list: ListRef<'_>) -> Result<Value> {
    let (mut bounds, mut elements, mut of) = (Vec::new(), Vec::new(), DataType::Null);
    flatten(list, 0, &mut bounds, &mut elements, &mut of)?;
    if elements.is_empty() {
        bounds.clear();
    }
    Ok(Value::text(Array { bounds, elements }.encode(if of == DataType::Null { DataType::Text } else { of })))
}

fn flatten(
    list: ListRef<'_>,
    level: usize,
    bounds: &mut Vec<Bound>,
    elements: &mut Vec<Value>,
    of: &mut DataType,
) -> Result<()> {
    match bounds.get(level) {
        None => bounds.push(Bound { lower: 1, length: list.len() }),
        Some(bound) if bound.length == list.len() => {}
        Some(_) => return Err(Error::new(ErrorKind::ArraySubscript, "an array has sub-arrays of several lengths")),
    }
    for value in list.iter() {
        match value {
            ValueRef::List(within) => flatten(within, level + 1, bounds, elements, of)?,
            other => {
                if *of == DataType::Null {
                    *of = type_of(other);
                }
                elements.push(Value::from_sql(other)?);
            }
        }
    }
    Ok(())
}

/// The type by which an element is written.
fn type_of(value: ValueRef<'_>) -> DataType {
    match value {
        ValueRef::Null | ValueRef::List(_) | ValueRef::Other => DataType::Null,
        ValueRef::Boolean(_) => DataType::Boolean,
        ValueRef::SmallInt(_) => DataType::SmallInt,
        ValueRef::Integer(_) => DataType::Integer,
        ValueRef::BigInt(_) => DataType::BigInt,
        ValueRef::Oid(_) => DataType::OID,
        ValueRef::Real(_) => DataType::Real,
        ValueRef::Double(_) => DataType::Double,
        ValueRef::Decimal { scale, .. } => DataType::decimal(DECIMAL_DIGITS_MAX, scale),
        ValueRef::Numeric(_) => DataType::Numeric,
        ValueRef::Text(_) => DataType::Text,
        ValueRef::Bytes(_) => DataType::Bytea,
        ValueRef::Uuid(_) => DataType::Uuid,
        ValueRef::Date(_) => DataType::Date,
        ValueRef::Time(_) => DataType::Time,
        ValueRef::Timestamp(_) => DataType::Timestamp,
        ValueRef::TimestampTz(_) => DataType::TimestampTz,
        ValueRef::Interval(_) => DataType::Interval,
        ValueRef::Vector(elements) => DataType::vector(DataType::Real, elements.len() as u32),
        ValueRef::DoubleVector(elements) => DataType::vector(DataType::Double, elements.len() as u32),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Value};

    #[test]
    fn values_are_those_of_columns() {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        let sql = "SELECT NULL, true, 1::smallint, 2, 3::bigint, 4::oid, 0.1::real, 'NaN'::float8, 1.50, 1.0 / 3, 'x', \
                   '\\x00ff'::bytea, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, date 'infinity', time '24:00', \
                   timestamp '1969-12-31 23:59', timestamptz '2026-01-01 00:00+02', interval '1 month', ARRAY[1, NULL], \
                   ARRAY[[1.5, 2.25], [NULL, 4]], '{}'::int[], ARRAY[NULL, 'x'], ARRAY[date '2026-01-01'], '{\"a\": 1}'::jsonb, \
                   '[1,0.1]'::vector(2), '[1,0.1]'::vector(2, double), ARRAY['[1,2]'::vector(2), NULL]";
        let row = session.query(sql, ()).expect("a row").next().expect("a row").expect("a row");
        for at in 0..row.fields().len() {
            assert_eq!(
                row.get::<Value>(at).expect("a value"),
                row.value(at).expect("a value"),
                "{:?}",
                row.fields()[at]
            );
        }
        let row = session.query("SELECT {'a': 1}", ()).expect("a row").next().expect("a row").expect("a row");
        assert_eq!(row.get::<Value>(0).expect_err("a struct").sqlstate(), "42804");
    }
}
