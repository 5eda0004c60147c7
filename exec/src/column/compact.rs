//! Compaction: pieces of a column, one after the other, as one column in the narrowest physical form.
//!
//! Integer-like values become offsets from their minimum (frame of reference) in 8, 16 or 32 bits, if their range
//! fits, in steps of what divides all of them where that is narrower: prices without cents, timestamps of whole
//! seconds, keys that are multiples. Decimals beyond 64 bits stay 128 bits wide. Text goes through
//! [`super::compact_text`]. Everything else is concatenated. What stands at a NULL is replaced by the minimum, so that
//! it widens nothing.

use super::compact_text::compact_text;
use super::divisor::{Divisor, common_step};
use super::form::misfit;
use super::{Column, ColumnData};
use crate::Result;
use crate::technique::Technique;
use ::arrow::array::BooleanBufferBuilder;
use ::arrow::buffer::{NullBuffer, ScalarBuffer};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Interval;

/// The pieces as one column. `dictionary` says whether text may become a dictionary (which this chunk alone decides,
/// see [`super::compact_text`]).
pub(super) fn compact(pieces: &[Column], field: &Field, dictionary: bool) -> Result<Column> {
    let nulls = concatenate_nulls(pieces);
    let Some(first) = pieces.first() else { return Ok(Column::from_values(field.data_type, [])) };
    let data = match (&first.data, field.data_type.carrier()) {
        (_, data_type) if data_type.is_text() => compact_text(pieces, field, dictionary)?,
        (_, DataType::Numeric) => compact_text(pieces, field, false)?,
        (ColumnData::Boolean(_), _) => concatenate_booleans(pieces, field)?,
        (ColumnData::Float32(_), _) => ColumnData::Float32(concatenate(pieces, field, |data| match data {
            ColumnData::Float32(values) => Some(values),
            _ => None,
        })?),
        (ColumnData::Float64(_), _) => ColumnData::Float64(concatenate(pieces, field, |data| match data {
            ColumnData::Float64(values) => Some(values),
            _ => None,
        })?),
        (ColumnData::Vectors32 { length, .. }, _) => ColumnData::Vectors32 {
            length: *length,
            values: concatenate(pieces, field, |data| match data {
                ColumnData::Vectors32 { length: own, values } if own == length => Some(values),
                _ => None,
            })?,
        },
        (ColumnData::Vectors64 { length, .. }, _) => ColumnData::Vectors64 {
            length: *length,
            values: concatenate(pieces, field, |data| match data {
                ColumnData::Vectors64 { length: own, values } if own == length => Some(values),
                _ => None,
            })?,
        },
        (ColumnData::Interval(_), _) => concatenate_intervals(pieces, field)?,
        _ => compact_integers(pieces, field, nulls.as_ref())?,
    };
    Ok(Column::new(data, nulls))
}

impl Column {
    /// A column of integers of a field in the narrowest form; any other as it is.
    ///
    /// # Errors
    /// XX000 if it is none of the field's type.
    pub fn narrowest(self, field: &Field) -> Result<Column> {
        match self.data {
            ColumnData::Int16(_) | ColumnData::Int32(_) | ColumnData::Int64(_) | ColumnData::Frame32 { .. } => {
                compact(&[self], field, false)
            }
            _ => Ok(self),
        }
    }
}

fn rows_of(pieces: &[Column]) -> usize {
    pieces.iter().map(Column::rows).sum()
}

fn concatenate_nulls(pieces: &[Column]) -> Option<NullBuffer> {
    let has_null = |column: &Column| column.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0);
    if !pieces.iter().any(has_null) {
        return None;
    }
    let mut valid = BooleanBufferBuilder::new(rows_of(pieces));
    for piece in pieces {
        match &piece.nulls {
            Some(nulls) => valid.append_buffer(nulls.inner()),
            None => valid.append_n(piece.rows(), true),
        }
    }
    Some(NullBuffer::new(valid.finish()))
}

fn concatenate_booleans(pieces: &[Column], field: &Field) -> Result<ColumnData> {
    let mut values = BooleanBufferBuilder::new(rows_of(pieces));
    for piece in pieces {
        let ColumnData::Boolean(buffer) = &piece.data else { return Err(misfit(&piece.data, field)) };
        values.append_buffer(buffer);
    }
    Ok(ColumnData::Boolean(values.finish()))
}

fn concatenate_intervals(pieces: &[Column], field: &Field) -> Result<ColumnData> {
    let mut values: Vec<Interval> = Vec::with_capacity(rows_of(pieces));
    for piece in pieces {
        let ColumnData::Interval(intervals) = &piece.data else { return Err(misfit(&piece.data, field)) };
        values.extend_from_slice(intervals);
    }
    Ok(ColumnData::Interval(values.into()))
}

fn concatenate<T: Copy + ::arrow::datatypes::ArrowNativeType>(
    pieces: &[Column],
    field: &Field,
    values_of: impl Fn(&ColumnData) -> Option<&ScalarBuffer<T>>,
) -> Result<ScalarBuffer<T>> {
    let values = pieces.iter().map(|piece| values_of(&piece.data).ok_or_else(|| misfit(&piece.data, field)));
    let values = values.collect::<Result<Vec<_>>>()?;
    let mut all = Vec::with_capacity(values.iter().map(|values| values.len()).sum());
    values.into_iter().for_each(|values| all.extend_from_slice(values));
    Ok(all.into())
}

fn compact_integers(pieces: &[Column], field: &Field, nulls: Option<&NullBuffer>) -> Result<ColumnData> {
    let carrier = field.data_type.carrier();
    let is_integer = carrier.is_integer()
        || carrier.is_decimal()
        || matches!(carrier, DataType::Date | DataType::Time | DataType::Timestamp);
    if let Some(piece) = pieces.iter().find(|piece| !is_integer || !piece.data.is_integer()) {
        return Err(misfit(&piece.data, field));
    }
    match gather_i64(pieces) {
        Some(values) => Ok(frame(values, nulls)),
        None => Ok(ColumnData::Int128(gather_i128(pieces).into())),
    }
}

/// All values in 64 bits, or None if one that is not NULL needs more. Such a value at a NULL counts as 0.
pub(super) fn gather_i64(pieces: &[Column]) -> Option<Vec<i64>> {
    let mut all = Vec::with_capacity(rows_of(pieces));
    for piece in pieces {
        match &piece.data {
            ColumnData::Frame8 { base, offsets } => all.extend(offsets.iter().map(|&offset| base + i64::from(offset))),
            ColumnData::Frame16 { base, offsets } => all.extend(offsets.iter().map(|&offset| base + i64::from(offset))),
            ColumnData::Frame32 { base, offsets } => all.extend(offsets.iter().map(|&offset| base + i64::from(offset))),
            // The product alone may be beyond 64 bits.
            ColumnData::Stepped8 { base, step, offsets } => {
                all.extend(offsets.iter().map(|&offset| base.wrapping_add(step.wrapping_mul(offset.into()))))
            }
            ColumnData::Stepped16 { base, step, offsets } => {
                all.extend(offsets.iter().map(|&offset| base.wrapping_add(step.wrapping_mul(offset.into()))))
            }
            ColumnData::Stepped32 { base, step, offsets } => {
                all.extend(offsets.iter().map(|&offset| base.wrapping_add(step.wrapping_mul(offset.into()))))
            }
            ColumnData::Int16(values) => all.extend(values.iter().map(|&value| i64::from(value))),
            ColumnData::Int32(values) => all.extend(values.iter().map(|&value| i64::from(value))),
            ColumnData::Int64(values) => all.extend_from_slice(values),
            ColumnData::Int128(values) => {
                let fits = |value: i128| value as i64 as i128 == value;
                // One pass without an exit vectorises; values at NULLs are looked at only if it finds something.
                if values.iter().fold(true, |all_fit, &value| all_fit & fits(value)) {
                    all.extend(values.iter().map(|&value| value as i64));
                } else if (0..values.len()).all(|row| fits(values[row]) || piece.is_null(row)) {
                    all.extend(values.iter().map(|&value| if fits(value) { value as i64 } else { 0 }));
                } else {
                    return None;
                }
            }
            _ => unreachable!("the caller has checked that every piece is integer-like"),
        }
    }
    Some(all)
}

fn gather_i128(pieces: &[Column]) -> Vec<i128> {
    let value = |piece: &Column, row| if piece.is_null(row) { 0 } else { piece.integer(row).unwrap_or(0) };
    let rows = pieces.iter().flat_map(|piece| (0..piece.rows()).map(move |row| value(piece, row)));
    let mut all = Vec::with_capacity(rows_of(pieces));
    all.extend(rows);
    all
}

/// Values as offsets from their minimum in the narrowest width, or as they are if 32 bits are too few.
fn frame(mut values: Vec<i64>, nulls: Option<&NullBuffer>) -> ColumnData {
    let (min, max) = match nulls {
        None => values.iter().fold((i64::MAX, i64::MIN), |(min, max), &value| (min.min(value), max.max(value))),
        Some(nulls) => nulls
            .valid_indices()
            .fold((i64::MAX, i64::MIN), |(min, max), row| (min.min(values[row]), max.max(values[row]))),
    };
    // No value at all: a frame of zeros.
    let (min, max) = if min > max { (0, 0) } else { (min, max) };
    if let Some(nulls) = nulls {
        values.iter_mut().enumerate().filter(|(row, _)| nulls.is_null(*row)).for_each(|(_, value)| *value = min);
    }
    if !Technique::Frames.is_on() {
        return ColumnData::Int64(values.into());
    }
    let range = max.wrapping_sub(min) as u64;
    if let Some(step) = step_of(&values, min, range).filter(|_| Technique::Steps.is_on()) {
        return in_steps(&values, min, range, step);
    }
    let offset = |&value: &i64| value.wrapping_sub(min) as u64;
    if range <= u8::MAX.into() {
        ColumnData::Frame8 { base: min, offsets: values.iter().map(|value| offset(value) as u8).collect() }
    } else if range <= u16::MAX.into() {
        ColumnData::Frame16 { base: min, offsets: values.iter().map(|value| offset(value) as u16).collect() }
    } else if range <= u32::MAX.into() {
        ColumnData::Frame32 { base: min, offsets: values.iter().map(|value| offset(value) as u32).collect() }
    } else {
        ColumnData::Int64(values.into())
    }
}

/// The step of the values' distances from the least of them, if offsets in such steps are narrower than those in steps of
/// one; none if they are not. `range` is the largest distance.
fn step_of(values: &[i64], min: i64, range: u64) -> Option<i64> {
    let widths = [u64::from(u8::MAX), u16::MAX.into(), u32::MAX.into()];
    let narrower = *widths.iter().rev().find(|&&most| most < range)?;
    let step = common_step(values.iter().map(|value| value.wrapping_sub(min) as u64), range, narrower)?;
    i64::try_from(step).ok()
}

/// Values as offsets from their minimum in steps that divide them.
fn in_steps(values: &[i64], base: i64, range: u64, step: i64) -> ColumnData {
    let divisor = Divisor::new(step as u64);
    let offset = |&value: &i64| divisor.exact(value.wrapping_sub(base) as u64);
    match range / step as u64 {
        most if most <= u8::MAX.into() => {
            ColumnData::Stepped8 { base, step, offsets: values.iter().map(|value| offset(value) as u8).collect() }
        }
        most if most <= u16::MAX.into() => {
            ColumnData::Stepped16 { base, step, offsets: values.iter().map(|value| offset(value) as u16).collect() }
        }
        _ => ColumnData::Stepped32 { base, step, offsets: values.iter().map(|value| offset(value) as u32).collect() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_where_they_narrow() {
        let step = |values: &[i64]| {
            let (min, max) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
            step_of(values, min, max.wrapping_sub(min) as u64)
        };
        assert_eq!(step(&[100, 5000, 200]), Some(100));
        // Eight bits are enough, or would not be.
        assert_eq!(step(&[100, 300, 200]), None);
        assert_eq!(step(&[0, 1000, 2]), None);
        assert_eq!(step(&[0, 510, 2]), Some(2));
        assert_eq!(step(&[0, 510, 2, 3]), None);
        assert_eq!(step(&[5, 5 + (60 << 40), 5 + (84 << 40)]), Some(12 << 40));
        // The only step is beyond 64 bits.
        assert_eq!(step(&[i64::MIN, i64::MAX]), None);
        assert_eq!(step(&[i64::MIN, -1, i64::MIN]), Some(i64::MAX));
        assert_eq!(step(&[i64::MIN, i64::MAX - 1, i64::MIN + 2]), None);
        assert_eq!(step(&[i64::MIN, 0, i64::MIN + (1 << 62)]), Some(1 << 62));
        let seconds: Vec<i64> = (0..100_000).map(|at| -7 + at * at * 1_000_000).collect();
        assert_eq!(step(&seconds), None, "10^10 - 2 × 10^5 + 1 steps are more than 32 bits");
        assert_eq!(step(&seconds[..60_000]), Some(1_000_000));
    }
}
