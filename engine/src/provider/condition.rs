//! Conditions that are offered to providers, with SQL's meaning of them.

use crate::Value;
use std::cmp::Ordering;
use std::mem::discriminant;
use std::sync::Arc;

/// A condition on one column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// The column, by its position among the provider's.
    pub column: usize,
    /// What its value has to be.
    pub test: Test,
}

/// What the value of a column has to be. A NULL meets [`Test::IsNull`] alone.
///
/// Values are of the column's type: integers, dates (days since 1970-01-01), times and timestamps (microseconds, of timestamptz in
/// UTC) are [`Value::Int`], decimals [`Value::Decimal`] of the column's scale. None is NULL. Text is in the order of its bytes; of
/// floats NaN equals itself and is above all others, and -0 equals 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Test {
    /// `= value`
    Equal(Value),
    /// `<> value`
    NotEqual(Value),
    /// `< value`
    Less(Value),
    /// `<= value`
    LessEqual(Value),
    /// `> value`
    Greater(Value),
    /// `>= value`
    GreaterEqual(Value),
    /// `IN (values)`
    In(Vec<Value>),
    /// `IS NULL`
    IsNull,
    /// `IS NOT NULL`
    IsNotNull,
    /// A text that begins so: of `LIKE 'prefix%…'`, which may ask for more.
    StartsWith(Arc<str>),
}

/// What is known of a column in some rows. What is not known is None; a NULL, or a value of another kind than the column's, says
/// nothing either.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnRange {
    /// No value is below this one.
    pub min: Option<Value>,
    /// No value is above this one.
    pub max: Option<Value>,
    /// How many rows are NULL.
    pub nulls: Option<u64>,
}

impl Condition {
    /// Whether a value meets it.
    ///
    /// ```
    /// use multiloop::{Condition, Test, Value};
    ///
    /// fn keep(conditions: &[Condition], key: Option<i64>) -> bool {
    ///     conditions.iter().all(|of| of.column != 0 || of.holds(&key.map_or(Value::Null, Value::Int)))
    /// }
    /// assert!(keep(&[], None));
    /// assert!(Test::GreaterEqual(Value::Int(3)).holds(&Value::Int(3)));
    /// assert!(!Test::NotEqual(Value::Int(3)).holds(&Value::Null));
    /// ```
    pub fn holds(&self, value: &Value) -> bool {
        self.test.holds(value)
    }

    /// Whether one of some rows may meet it.
    pub fn may_meet(&self, range: &ColumnRange) -> bool {
        self.test.may_meet(range)
    }
}

impl Test {
    /// Whether a value meets it.
    pub fn holds(&self, value: &Value) -> bool {
        if value.is_null() {
            return *self == Test::IsNull;
        }
        let compare = |to: &Value| value.compare(to);
        match self {
            Test::Equal(to) => compare(to) == Ordering::Equal,
            Test::NotEqual(to) => compare(to) != Ordering::Equal,
            Test::Less(to) => compare(to) == Ordering::Less,
            Test::LessEqual(to) => compare(to) != Ordering::Greater,
            Test::Greater(to) => compare(to) == Ordering::Greater,
            Test::GreaterEqual(to) => compare(to) != Ordering::Less,
            Test::In(values) => values.iter().any(|to| compare(to) == Ordering::Equal),
            Test::IsNull => false,
            Test::IsNotNull => true,
            Test::StartsWith(prefix) => matches!(value, Value::Text(text) if text.starts_with(&**prefix)),
        }
    }

    /// Whether a value that lies within a range may meet it.
    pub fn may_meet(&self, range: &ColumnRange) -> bool {
        // NULL is above all values where they are ordered, and is no bound; values of two kinds have no order.
        let compare = |bound: &Option<Value>, to: &Value| {
            let bound = bound.as_ref().filter(|bound| discriminant(*bound) == discriminant(to) && !bound.is_null())?;
            Some(bound.compare(to))
        };
        let low = |to: &Value| compare(&range.min, to);
        let high = |to: &Value| compare(&range.max, to);
        let is_within = |to: &Value| low(to) != Some(Ordering::Greater) && high(to) != Some(Ordering::Less);
        match self {
            Test::Equal(to) => is_within(to),
            Test::NotEqual(to) => (low(to), high(to)) != (Some(Ordering::Equal), Some(Ordering::Equal)),
            Test::Less(to) => !matches!(low(to), Some(Ordering::Equal | Ordering::Greater)),
            Test::LessEqual(to) => low(to) != Some(Ordering::Greater),
            Test::Greater(to) => !matches!(high(to), Some(Ordering::Equal | Ordering::Less)),
            Test::GreaterEqual(to) => high(to) != Some(Ordering::Less),
            Test::In(values) => values.iter().any(is_within),
            Test::IsNull => range.nulls != Some(0),
            Test::IsNotNull => true,
            Test::StartsWith(prefix) => {
                let is_below = matches!(&range.max, Some(Value::Text(max)) if **max < **prefix);
                // Above all texts that begin so is what is greater than the prefix, and does not begin so.
                let is_above =
                    matches!(&range.min, Some(Value::Text(min)) if **min > **prefix && !min.starts_with(&**prefix));
                !is_below && !is_above
            }
        }
    }
}
