//! Results of window functions: columns of values, or the rows whose values they are.

use super::sorted::Sorted;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::rows::NO_ROW;
use multiloop_planner::value::canonical_float_bits;
use std::ops::Range;

/// The result of a function for a piece of the sorted rows.
pub(super) enum PieceResult {
    /// These values.
    Values(ColumnBuilder),
    /// The values that rows of a column have; NULL for `NO_ROW`.
    Rows(Vec<u32>),
}

/// The result of a function for all sorted rows.
pub(super) enum FunctionResult {
    Values(ColumnBuilder),
    Rows { rows: Vec<u32>, of: Origin },
}

/// Whose values the rows of a result have.
pub(super) enum Origin {
    /// A field's.
    Field(u32),
    /// A field's, those of equal floats alike.
    Canonical(u32),
    /// A column's.
    Column(ColumnBuilder),
}

impl FunctionResult {
    /// What is said of rows that have these places.
    pub(super) fn take(&self, places: &[u32], sorted: &Sorted<'_>) -> ColumnBuilder {
        match self {
            FunctionResult::Values(column) => column.take(places),
            FunctionResult::Rows { rows, of } => {
                of.values(places.iter().map(|&place| rows[place as usize]).collect(), sorted)
            }
        }
    }

    /// Bytes of texts that it holds.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            FunctionResult::Values(column) if matches!(column.data, BuilderData::Text(_)) => column.bytes(),
            _ => 0,
        }
    }

    /// What is said of rows one behind the other.
    pub(super) fn slice(&self, places: Range<usize>, sorted: &Sorted<'_>) -> ColumnBuilder {
        match self {
            FunctionResult::Values(column) => column.slice(places),
            FunctionResult::Rows { rows, of } => of.values(rows[places].to_vec(), sorted),
        }
    }
}

impl Origin {
    /// The values of these rows; NULL for `NO_ROW`.
    fn values(&self, mut rows: Vec<u32>, sorted: &Sorted<'_>) -> ColumnBuilder {
        let column = match self {
            Origin::Field(field) | Origin::Canonical(field) => sorted.column(*field),
            Origin::Column(column) => column,
        };
        let valid: Option<Vec<bool>> = rows
            .contains(&NO_ROW)
            .then(|| rows.iter().map(|&row| row != NO_ROW && !column.is_null(row as usize)).collect());
        if valid.is_some() {
            rows.iter_mut().filter(|row| **row == NO_ROW).for_each(|row| *row = 0);
        }
        let mut taken = column.take(&rows);
        taken.valid = valid.or(taken.valid);
        if let (Origin::Canonical(_), BuilderData::F64(values)) = (self, &mut taken.data) {
            values.iter_mut().for_each(|value| *value = f64::from_bits(canonical_float_bits(*value)));
        }
        taken
    }
}
