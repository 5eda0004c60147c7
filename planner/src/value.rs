//! One SQL value, as literals, parameters and the reference interpreter hold it.

use crate::numeric::Numeric;
use crate::types::DataType;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A span of time. Months, days and microseconds are kept apart, because a month has no fixed number of days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// Whole months (a year is twelve).
    pub months: i32,
    /// Whole days.
    pub days: i32,
    /// The rest, in microseconds.
    pub micros: i64,
}

impl Interval {
    /// The length that PostgreSQL compares by: a month counts as 30 days, a day as 24 hours. In microseconds.
    pub fn comparable_micros(self) -> i128 {
        let days = i128::from(self.months) * 30 + i128::from(self.days);
        days * 86_400_000_000 + i128::from(self.micros)
    }

    /// What tells apart intervals of one length.
    pub fn form(self) -> (i32, i32) {
        (self.months, self.days)
    }
}

/// A SQL value. Its [`DataType`] is known from where it stands, so integers of every width, dates (days), times
/// and timestamps (microseconds) share `Int`, and a decimal is its unscaled integer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Value {
    /// NULL, of any type.
    Null,
    /// boolean.
    Boolean(bool),
    /// smallint, integer, bigint, date, time, timestamp.
    Int(i64),
    /// double; a real is a double that is exactly an `f32`.
    Float(f64),
    /// decimal(p, s): the value times 10^s.
    Decimal(i128),
    /// numeric of any number of digits.
    Numeric(Arc<Numeric>),
    /// text, varchar, char (without trailing blanks).
    Text(Arc<str>),
    /// interval.
    Interval(Interval),
    /// vector: its elements in order, those of real as doubles that are exactly an `f32`.
    Vector(Arc<[f64]>),
}

impl Value {
    /// A text value.
    pub fn text(text: impl AsRef<str>) -> Self {
        Value::Text(Arc::from(text.as_ref()))
    }

    /// A numeric value.
    pub fn numeric(number: Numeric) -> Self {
        Value::Numeric(Arc::new(number))
    }

    /// A vector of these elements.
    pub fn vector(elements: impl Into<Arc<[f64]>>) -> Self {
        Value::Vector(elements.into())
    }

    /// The elements of a vector; none of what is none.
    pub fn as_vector(&self) -> Option<&[f64]> {
        if let Value::Vector(elements) = self { Some(elements) } else { None }
    }

    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether this is TRUE; NULL is not.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Boolean(true))
    }

    /// SQL's order of two values of one type: NaN equals itself and comes after every number, -0 equals 0,
    /// text compares by bytes (collation "C"), intervals by [`Interval::comparable_micros`], numerics by value whatever their scale.
    /// SQL does not compare vectors; where rows need some order of all fields (ties of top-k), it is that of their elements.
    /// NULL equals NULL and comes last; callers with three-valued logic look for NULL first.
    pub fn compare(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => Ordering::Greater,
            (_, Value::Null) => Ordering::Less,
            (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => compare_floats(*a, *b),
            (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
            (Value::Numeric(a), Value::Numeric(b)) => a.compare(b),
            (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Value::Interval(a), Value::Interval(b)) => a.comparable_micros().cmp(&b.comparable_micros()),
            (Value::Vector(a), Value::Vector(b)) => compare_elements(a, b),
            _ => panic!("bug: compared values of two types: {self:?} and {other:?}"),
        }
    }

    /// An order of values that [`Value::compare`] finds equal though they differ, so that which of them a result
    /// shows does not depend on the order in which they came: -0 before 0, intervals of one length by their months
    /// and days, equal numerics by their scales.
    pub fn compare_forms(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) if !a.is_nan() => a.total_cmp(b),
            (Value::Interval(a), Value::Interval(b)) => a.form().cmp(&b.form()),
            (Value::Numeric(a), Value::Numeric(b)) => a.scale().cmp(&b.scale()),
            (Value::Vector(a), Value::Vector(b)) => compare_element_forms(a, b),
            _ => Ordering::Equal,
        }
    }

    /// The value that a group shows for all floats that are equal to it: 0 for -0, one NaN.
    #[must_use]
    pub fn canonical(self) -> Value {
        match self {
            Value::Float(float) => Value::Float(f64::from_bits(canonical_float_bits(float))),
            Value::Vector(elements) => {
                Value::Vector(elements.iter().map(|float| f64::from_bits(canonical_float_bits(*float))).collect())
            }
            other => other,
        }
    }

    /// The same value for all that are equal in SQL's sense, and for no others of their type: what groups, joins
    /// and DISTINCT hash.
    #[must_use]
    pub fn group_key(self) -> Value {
        match self {
            Value::Interval(interval) => Value::Decimal(interval.comparable_micros()),
            Value::Numeric(number) => Value::text(number.key()),
            other => other.canonical(),
        }
    }

    /// Whether this value may stand where `data_type` is expected.
    pub fn fits(&self, data_type: DataType) -> bool {
        let data_type = data_type.carrier();
        match self {
            Value::Null => true,
            Value::Boolean(_) => data_type == DataType::Boolean,
            Value::Int(_) => {
                data_type.is_integer() || matches!(data_type, DataType::Date | DataType::Time | DataType::Timestamp)
            }
            Value::Float(_) => data_type.is_float(),
            Value::Decimal(_) => data_type.is_decimal(),
            Value::Numeric(_) => data_type == DataType::Numeric,
            Value::Text(_) => data_type.is_text(),
            Value::Interval(_) => data_type == DataType::Interval,
            Value::Vector(elements) => {
                data_type.vector_of().is_some_and(|(_, length)| elements.len() == length as usize)
            }
        }
    }
}

/// PostgreSQL's order of floats: NaN equals NaN and is greater than everything, -0 equals 0.
pub fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// An order of vectors: the first elements that differ decide, as floats are in order.
pub fn compare_elements(a: &[f64], b: &[f64]) -> Ordering {
    let mut each = a.iter().zip(b).map(|(a, b)| compare_floats(*a, *b));
    each.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// What [`Value::compare_forms`] says of vectors that [`compare_elements`] finds equal.
pub fn compare_element_forms(a: &[f64], b: &[f64]) -> Ordering {
    let form = |(a, b): (&f64, &f64)| if a.is_nan() { Ordering::Equal } else { a.total_cmp(b) };
    a.iter().zip(b).map(form).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The bits of a float, the same for every NaN.
fn float_identity(float: f64) -> u64 {
    if float.is_nan() { f64::NAN.to_bits() } else { float.to_bits() }
}

/// The bits that stand for a float wherever floats are grouped or hashed: one NaN, one zero.
pub fn canonical_float_bits(float: f64) -> u64 {
    if float.is_nan() {
        f64::NAN.to_bits()
    } else if float == 0.0 {
        0
    } else {
        float.to_bits()
    }
}

/// Identity: equal values may stand for each other anywhere, so programs share them. SQL's equality is coarser
/// ([`Value::compare`], [`Value::group_key`]): -0 equals 0 and a month equals 30 days, but neither prints or adds
/// like the other.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => float_identity(*a) == float_identity(*b),
            (Value::Decimal(a), Value::Decimal(b)) => a == b,
            (Value::Numeric(a), Value::Numeric(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Interval(a), Value::Interval(b)) => a == b,
            (Value::Vector(a), Value::Vector(b)) => {
                let is_same = |(a, b): (&f64, &f64)| float_identity(*a) == float_identity(*b);
                Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(is_same))
            }
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Null => {}
            Value::Boolean(value) => value.hash(state),
            Value::Int(value) => value.hash(state),
            Value::Float(value) => float_identity(*value).hash(state),
            Value::Decimal(value) => value.hash(state),
            Value::Numeric(value) => value.hash(state),
            Value::Text(value) => value.hash(state),
            Value::Interval(value) => value.hash(state),
            Value::Vector(elements) => elements.iter().for_each(|float| float_identity(*float).hash(state)),
        }
    }
}

/// A value as a number that orders as the value does; none for text, vectors and NULL.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) if value.is_finite() => Some(*value),
        Value::Decimal(value) => Some(*value as f64),
        Value::Numeric(number) => Some(number.to_double()).filter(|number| number.is_finite()),
        Value::Boolean(value) => Some(f64::from(u8::from(*value))),
        Value::Interval(value) => Some(value.comparable_micros() as f64),
        Value::Null | Value::Text(_) | Value::Float(_) | Value::Vector(_) => None,
    }
}
