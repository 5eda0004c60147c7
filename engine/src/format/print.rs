//! Values printed straight into lines: those of the types that most columns have, in their common shapes. The others are printed by
//! `evaluate`, which says what is right.

use multiloop_exec::column::{Column, ColumnData};
use multiloop_planner::evaluate::calendar::{Civil, civil_from_days};
use multiloop_planner::types::DataType;

/// The first and the last day of the years from 1 to 9999.
const DAYS: std::ops::RangeInclusive<i64> = -719_162..=2_932_896;

/// All characters that numbers and days are printed with.
pub(super) const PRINTED: &[u8] = b"0123456789-.";

/// A column whose values are to be printed.
pub(super) struct Cells {
    pub(super) column: Column,
    pub(super) data_type: DataType,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Integer,
    /// With so many digits behind the point.
    Decimal(usize),
    Date,
    Other,
}

impl Cells {
    pub(super) fn new(column: Column, data_type: DataType) -> Cells {
        let shape = match data_type {
            DataType::SmallInt | DataType::Integer | DataType::BigInt => Shape::Integer,
            DataType::Decimal { scale, .. } if scale <= 18 => Shape::Decimal(scale.into()),
            DataType::Date => Shape::Date,
            _ => Shape::Other,
        };
        Cells { column, data_type, shape }
    }

    /// Whether all values that [`Cells::print`] takes are numbers.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.shape, Shape::Integer | Shape::Decimal(_))
    }

    /// The bytes of a text, if that is what values are.
    #[inline]
    pub(super) fn text(&self, row: usize) -> Option<&str> {
        match self.data_type {
            // A char shows its blanks.
            DataType::Text | DataType::Varchar(_) => std::str::from_utf8(self.column.data.text_bytes(row)).ok(),
            _ => None,
        }
    }

    /// Adds the value of a row, which is not NULL; false if it has another shape, and nothing is added.
    #[inline]
    pub(super) fn print(&self, row: usize, out: &mut Vec<u8>) -> bool {
        if self.shape == Shape::Other {
            return false;
        }
        let value = match &self.column.data {
            ColumnData::Int64(values) => Some(values[row]),
            ColumnData::Int32(values) => Some(values[row].into()),
            _ => self.column.integer(row).and_then(|value| i64::try_from(value).ok()),
        };
        match (value, self.shape) {
            (Some(value), Shape::Integer | Shape::Decimal(0)) => {
                out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                true
            }
            (Some(value), Shape::Decimal(scale)) => {
                decimal(value, scale, out);
                true
            }
            (Some(days), Shape::Date) if DAYS.contains(&days) => {
                date(days, out);
                true
            }
            _ => false,
        }
    }
}

/// Adds a decimal with all digits of its scale, which is from 1 to 18.
fn decimal(value: i64, scale: usize, out: &mut Vec<u8>) {
    let (unit, digits) = (10u64.pow(scale as u32), value.unsigned_abs());
    let (whole, mut fraction) = (digits / unit, digits % unit);
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
    out.push(b'.');
    let start = out.len();
    out.resize(start + scale, b'0');
    for place in out[start..].iter_mut().rev() {
        *place = b'0' + (fraction % 10) as u8;
        fraction /= 10;
    }
}

/// Adds a day of the years from 1 to 9999.
fn date(days: i64, out: &mut Vec<u8>) {
    let Civil { year, month, day } = civil_from_days(days);
    let digit = |value: i64, unit: i64| b'0' + (value / unit % 10) as u8;
    let years = [digit(year, 1_000), digit(year, 100), digit(year, 10), digit(year, 1)];
    out.extend_from_slice(&years);
    out.extend_from_slice(&[b'-', digit(month, 10), digit(month, 1), b'-', digit(day, 10), digit(day, 1)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::evaluate::format;
    use multiloop_planner::value::Value;

    /// What is printed is what `evaluate` prints.
    #[test]
    fn values_are_printed_alike() {
        let numbers = [0, 1, -1, 9, 10, 99, 100, -105, 123_456, i64::from(i32::MAX), i64::MIN, i64::MAX];
        let days = [*DAYS.start(), *DAYS.end(), -1, 0, 59, 60, 10_957, 11_016, 19_000];
        let int = |value: i64| Value::Int(value);
        let mut cases: Vec<(DataType, Vec<Value>)> =
            vec![(DataType::BigInt, numbers.map(int).to_vec()), (DataType::Date, days.map(int).to_vec())];
        for scale in [0, 1, 2, 5, 18] {
            let values = numbers.map(|value| Value::Decimal(value.into())).to_vec();
            cases.push((DataType::decimal(38, scale), values));
        }
        for (data_type, values) in cases {
            let cells = Cells::new(Column::from_values(data_type, &values), data_type);
            for (row, value) in values.iter().enumerate() {
                let mut out = b"x".to_vec();
                assert!(cells.print(row, &mut out), "{data_type} {value:?}");
                assert_eq!(String::from_utf8_lossy(&out), format!("x{}", format(value, data_type)));
            }
        }
        let others = [
            (DataType::Date, Value::Int(*DAYS.end() + 1)),
            (DataType::decimal(38, 2), Value::Decimal(i128::MAX / 3)),
            (DataType::Text, Value::text("a")),
            (DataType::Double, Value::Float(1.5)),
        ];
        for (data_type, value) in others {
            let cells = Cells::new(Column::from_values(data_type, &[value]), data_type);
            let mut out = Vec::new();
            assert!(!cells.print(0, &mut out) && out.is_empty(), "{data_type}");
        }
    }
}
