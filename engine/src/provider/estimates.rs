//! What a provider says of its rows: estimates by which the planner orders joins, and nothing that an answer depends on.

use crate::{DataType, Field, Value};
use multiloop_planner::catalog::Estimates;

/// How many rows a provider has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowCount {
    /// About so many. Plans have room for half as many more.
    About(u64),
    /// So many, and no more while it is registered. Plans are made for these; should there be more, the statement is planned again.
    Exactly(u64),
}

impl RowCount {
    /// The number.
    pub fn rows(self) -> u64 {
        match self {
            RowCount::About(rows) | RowCount::Exactly(rows) => rows,
        }
    }
}

/// What is likely of a column's values in all rows. What is not known is None; what makes no sense (a value of another kind than the
/// column's, a `min` above `max`, more NULLs than rows) says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnEstimate {
    /// About the least value, as in a [`Test`](crate::Test). Of use for numbers, dates, times and timestamps.
    pub min: Option<Value>,
    /// About the greatest one.
    pub max: Option<Value>,
    /// About how many rows are NULL.
    pub nulls: Option<u64>,
    /// About how many different values there are, NULL apart.
    pub distinct: Option<u64>,
}

/// What is likely of a provider's rows. Nothing of it is believed: it orders joins and conditions, and where it is wrong a
/// statement is slower, and no answer is.
///
/// ```
/// use multiloop::{ColumnEstimate, RowCount, TableEstimates, Value};
///
/// let keys = ColumnEstimate {
///     min: Some(Value::Int(1)),
///     max: Some(Value::Int(50_000)),
///     nulls: Some(0),
///     distinct: Some(50_000),
/// };
/// let estimates = TableEstimates::of(RowCount::Exactly(50_000)).with_column(0, keys);
/// # assert_eq!(estimates.columns.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableEstimates {
    /// How many rows there are. Without it, what is said of columns is measured by a guess.
    pub rows: Option<RowCount>,
    /// Columns, by their positions among the provider's; the last of several for one counts.
    pub columns: Vec<(usize, ColumnEstimate)>,
}

impl TableEstimates {
    /// That there are so many rows.
    #[must_use]
    pub fn of(rows: RowCount) -> Self {
        TableEstimates { rows: Some(rows), columns: Vec::new() }
    }

    /// The same with what is likely of a column, by its position.
    #[must_use]
    pub fn with_column(mut self, column: usize, estimate: ColumnEstimate) -> Self {
        self.columns.push((column, estimate));
        self
    }

    /// What the planner takes of a column.
    pub(super) fn of_column(&self, position: usize, field: &Field) -> Estimates {
        let said = self.columns.iter().rev().find(|(column, _)| *column == position).map(|(_, said)| said);
        let Some(said) = said else { return Estimates::default() };
        let rows = self.rows.map_or(u64::MAX, RowCount::rows);
        let value = |value: &Option<Value>| value.clone().filter(|value| is_of(field.data_type, value));
        let range = value(&said.min).zip(value(&said.max));
        Estimates {
            distinct: said.distinct.map(|distinct| distinct.clamp(1, rows.max(1))),
            range: range.and_then(|(min, max)| Estimates::range_of(&min, &max)),
            nulls: if field.nullable { said.nulls.filter(|&nulls| nulls <= rows) } else { Some(0) },
            ..Estimates::default()
        }
    }
}

/// Whether a value is one of a type whose values have a place among numbers.
fn is_of(data_type: DataType, value: &Value) -> bool {
    use DataType as D;
    match value {
        Value::Int(_) => {
            data_type.is_integer() || matches!(data_type, D::Date | D::Time | D::Timestamp | D::TimestampTz)
        }
        Value::Decimal(_) => data_type.is_decimal(),
        Value::Float(_) => matches!(data_type, D::Real | D::Double),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_says_nothing() {
        let field = |data_type, nullable| Field::new("a", data_type, nullable);
        let of = |estimate: ColumnEstimate, field: &Field| {
            TableEstimates::of(RowCount::About(10)).with_column(3, estimate).of_column(3, field)
        };
        let range = |min: Value, max: Value, data_type| {
            let said = ColumnEstimate { min: Some(min), max: Some(max), ..ColumnEstimate::default() };
            of(said, &field(data_type, true)).range
        };
        assert_eq!(range(Value::Int(-3), Value::Int(7), DataType::BigInt), Some((-3.0, 7.0)));
        assert_eq!(range(Value::Decimal(5), Value::Decimal(5), DataType::decimal(10, 2)), Some((5.0, 5.0)));
        assert_eq!(range(Value::Float(-0.5), Value::Float(0.5), DataType::Double), Some((-0.5, 0.5)));
        for (min, max, data_type) in [
            (Value::Int(7), Value::Int(-3), DataType::BigInt),
            (Value::Null, Value::Int(3), DataType::BigInt),
            (Value::Float(1.0), Value::Float(2.0), DataType::BigInt),
            (Value::Int(1), Value::Int(2), DataType::decimal(10, 2)),
            (Value::Float(0.0), Value::Float(f64::NAN), DataType::Double),
            (Value::Float(f64::NEG_INFINITY), Value::Float(0.0), DataType::Double),
            (Value::text("a"), Value::text("b"), DataType::Text),
            (Value::Int(1), Value::Int(2), DataType::Text),
        ] {
            assert_eq!(range(min.clone(), max.clone(), data_type), None, "{min:?}, {max:?} of {data_type}");
        }
        let counts = |nulls, distinct, nullable| {
            let said = ColumnEstimate { nulls: Some(nulls), distinct: Some(distinct), ..ColumnEstimate::default() };
            let known = of(said, &field(DataType::Text, nullable));
            (known.nulls, known.distinct)
        };
        assert_eq!(counts(4, 5, true), (Some(4), Some(5)));
        assert_eq!(counts(11, 0, true), (None, Some(1)));
        assert_eq!(counts(4, u64::MAX, false), (Some(0), Some(10)));
        assert_eq!(TableEstimates::default().of_column(0, &field(DataType::Text, true)), Estimates::default());
    }
}
