//! Measures the key columns that an index is to be built of: the range and step of integers, the dictionary of strings, or that
//! all strings are short.

use crate::Result;
use crate::column::divisor::common_step;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::plan::key_layout::{KeyLayout, PartDomain, PartLayout, ShortText, WORD_TEXT};
use crate::technique::Technique;
use crate::workers::schedule::Workers;
use multiloop_planner::analysis::ranges::{Grid, common_divisor};
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Steps of a range that is worth looking at, at most: of no more is an index made that is not one of hashes.
const STEPS_MAX: u64 = 1 << 30;

/// The values that a key column has.
pub(crate) fn domain_of(column: &ColumnBuilder, data_type: DataType, workers: Workers<'_>) -> Result<PartDomain> {
    /// The least and the greatest, of those of each piece.
    fn range<T: Copy + Into<i128> + Sync>(
        column: &ColumnBuilder,
        values: &[T],
        workers: Workers<'_>,
    ) -> Result<PartDomain> {
        let none = (i128::MAX, i128::MIN);
        let join = |all: (i128, i128), own: (i128, i128)| (all.0.min(own.0), all.1.max(own.1));
        let of_piece = |piece: Piece<'_, T>| {
            let each = piece.valid_values().map(T::into);
            Ok(each.fold(none, |all, value| join(all, (value, value))))
        };
        let found = workers.map(Piece::all(column, values, workers), of_piece)?;
        let (low, high) = found.into_iter().fold(none, join);
        Ok(if low > high { PartDomain::integers(0, 0) } else { PartDomain::integers(low, high) })
    }
    match &column.data {
        BuilderData::I32(values) => range(column, values, workers),
        BuilderData::I64(values) => range(column, values, workers),
        BuilderData::I128(values) => range(column, values, workers),
        BuilderData::Bool(values) if data_type == DataType::Boolean => {
            range(column, &values.iter().map(|&bit| i32::from(bit)).collect::<Vec<_>>(), workers)
        }
        BuilderData::Text(texts) if Technique::ShortTexts.is_on() => {
            let longest = texts.views.iter().map(|view| view.length).fold(1, u32::max);
            Ok(if longest <= WORD_TEXT {
                PartDomain::Short(Arc::new(ShortText::of(longest)))
            } else {
                PartDomain::Text
            })
        }
        BuilderData::Code { dictionary, .. } => Ok(PartDomain::Code(Arc::clone(dictionary))),
        _ => Ok(PartDomain::of_type(data_type)),
    }
}

/// A layout of one integer that is too wide for anything but hashing, in the steps in which its keys come; none if these are
/// too many, too. Keys that are not NULL lie in its range.
pub(crate) fn layout_in_steps(
    layout: &KeyLayout,
    keys: &[ColumnBuilder],
    workers: Workers<'_>,
) -> Result<Option<KeyLayout>> {
    let ([column], [PartLayout { domain: PartDomain::Integer(grid), .. }]) = (keys, &layout.parts[..]) else {
        return Ok(None);
    };
    let range = grid.high.checked_sub(grid.low).and_then(|range| u64::try_from(range).ok());
    let (Ok(low), Some(range)) = (i64::try_from(grid.low), range) else { return Ok(None) };
    if !Technique::KeySteps.is_on() {
        return Ok(None);
    }
    let step = match &column.data {
        BuilderData::I32(values) => step_of(column, values, (low, range), workers)?,
        BuilderData::I64(values) => step_of(column, values, (low, range), workers)?,
        _ => None,
    };
    let stepped = |step| KeyLayout::new(vec![PartDomain::Integer(Grid { step, ..*grid })]);
    Ok(step.filter(|&step| step > 1).map(stepped))
}

/// The widest step from a least value on in which the values of a column lie, if there are at most [`STEPS_MAX`] of them to
/// the end of the range.
fn step_of<T: Copy + Into<i64> + Sync>(
    column: &ColumnBuilder,
    values: &[T],
    (low, range): (i64, u64),
    workers: Workers<'_>,
) -> Result<Option<u64>> {
    let of_piece = |piece: Piece<'_, T>| {
        let distance = |value: T| value.into().wrapping_sub(low) as u64;
        Ok(common_step(piece.valid_values().map(distance), range, STEPS_MAX))
    };
    let found = workers.map(Piece::all(column, values, workers), of_piece)?;
    let step = found.into_iter().reduce(|all, own| Some(common_divisor(all?, own?))).flatten();
    Ok(step.filter(|step| range / step <= STEPS_MAX))
}

/// Some values of a column, side by side.
struct Piece<'a, T> {
    values: &'a [T],
    /// Which are not NULL; none if none is.
    valid: Option<&'a [bool]>,
}

impl<'a, T: Copy> Piece<'a, T> {
    /// All values of a column, in pieces for workers.
    fn all(column: &'a ColumnBuilder, values: &'a [T], workers: Workers<'_>) -> Vec<Self> {
        let rows = workers.piece_rows(values.len());
        let of = |(number, values): (usize, &'a [T])| {
            let valid = column.valid.as_ref().map(|valid| &valid[number * rows..][..values.len()]);
            Piece { values, valid }
        };
        values.chunks(rows).enumerate().map(of).collect()
    }

    /// Those that are not NULL.
    fn valid_values(&self) -> impl Iterator<Item = T> {
        let is_valid = |row: usize| self.valid.is_none_or(|valid| valid[row]);
        self.values.iter().enumerate().filter(move |&(row, _)| is_valid(row)).map(|(_, &value)| value)
    }
}
