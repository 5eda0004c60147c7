//! Types, and values of them: few that differ, extremes among them.

use super::super::super::Random;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};

/// The types, each as often as it is to be met.
const TYPES: [DataType; 20] = [
    DataType::Integer,
    DataType::Integer,
    DataType::Integer,
    DataType::Integer,
    DataType::BigInt,
    DataType::BigInt,
    DataType::BigInt,
    DataType::Text,
    DataType::Text,
    DataType::Text,
    DataType::Boolean,
    DataType::Double,
    DataType::Decimal { precision: 15, scale: 2 },
    DataType::Decimal { precision: 38, scale: 0 },
    DataType::Date,
    DataType::Timestamp,
    DataType::SmallInt,
    DataType::Interval,
    DataType::Numeric,
    DataType::Real,
];

const MICROS_OF_DAY: i64 = 86_400_000_000;

/// Elements of a vector.
const LENGTH: u32 = 3;

/// One of the types.
pub(super) fn random_type(random: &mut Random) -> DataType {
    if random.below(TYPES.len() as u64 + 1) == 0 {
        return DataType::vector(if random.below(2) > 0 { DataType::Real } else { DataType::Double }, LENGTH);
    }
    TYPES[random.below(TYPES.len() as u64) as usize]
}

/// A field of one of the types.
pub(in super::super) fn random_field(random: &mut Random, at: usize) -> Field {
    Field { name: format!("x{at}"), data_type: random_type(random), nullable: random.below(3) > 0 }
}

/// The value of a number: as a rule numbers that differ have values that do. `stride` is how far integers lie apart.
pub(in super::super) fn value(data_type: DataType, pick: i64, stride: i64) -> Value {
    const FLOATS: [f64; 8] = [f64::NAN, 0.0, -0.0, 1.5, f64::INFINITY, 1e300, -1e-300, 0.1];
    let spread = (pick - 2) * stride;
    match data_type {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Boolean(pick % 2 == 0),
        DataType::Double => Value::Float(FLOATS.get(pick as usize).copied().unwrap_or(pick as f64 / 4.0)),
        DataType::Real => {
            let float = FLOATS.get(pick as usize).copied().unwrap_or(pick as f64 / 4.0);
            Value::Float(if float.abs() < 1e30 { f64::from(float as f32) } else { f64::NAN })
        }
        DataType::Decimal { .. } => Value::Decimal(i128::from(spread % 1_000_000) * 7),
        DataType::Numeric => {
            let texts = ["1.10", "1.1", "NaN", "-3.000", "0", "12345678901234567890.5"];
            let number = |text: &str| Value::numeric(Numeric::parse(text).expect("it is a number"));
            texts.get(pick as usize).map_or_else(|| number(&format!("{pick}.5")), |text| number(text))
        }
        DataType::Text | DataType::Varchar(_) | DataType::Char(_) => match pick {
            0 => Value::text(""),
            1 => Value::text("ü"),
            2 => Value::text("it's \\ a\nline"),
            pick => Value::text(format!("t{pick}")),
        },
        DataType::Interval => Value::Interval(match pick {
            0 => Interval { months: 1, days: 0, micros: 0 },
            1 => Interval { months: 0, days: 30, micros: 0 },
            _ => Interval { months: 0, days: (pick % 3) as i32, micros: pick },
        }),
        vector if let Some((_, length)) = vector.vector_of() => {
            const ELEMENTS: [f64; 6] = [f64::NAN, 0.0, 1.5, f64::INFINITY, -3.0, 0.25];
            let element = |at: i64| ELEMENTS.get((pick + at) as usize).copied().unwrap_or((pick - at) as f64);
            Value::Vector((0..i64::from(length)).map(element).collect())
        }
        DataType::Date => Value::Int(spread % 10_000),
        DataType::Timestamp => Value::Int((spread % 10_000) * MICROS_OF_DAY + pick),
        DataType::SmallInt => Value::Int(spread % (1 << 12)),
        DataType::Integer => Value::Int(spread % (1 << 20)),
        _ => Value::Int(spread),
    }
}
