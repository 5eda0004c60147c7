//! How a growing column ends: as a [`Column`] in the narrowest form that holds its values. Long columns are narrowed in
//! pieces, by all workers.
//!
//! What one thread does alone while others wait limits what many can gain: so columns are put together and narrowed as
//! ranks are counted, a piece a worker.

use crate::Result;
use crate::column::{Chunk, Column, ColumnData, Dictionary};
use crate::cpu::simd::parallel_fill::written;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder, SHARED_ROWS};
use crate::cpu::vector::narrow::{bounds, write_offsets};
use crate::workers::schedule::{MORSEL_ROWS, Workers};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Interval;
use std::sync::Arc;

impl ColumnBuilder {
    /// The column of these values, integers and codes as they are.
    pub(crate) fn into_plain_column(self, data_type: DataType) -> Result<Column> {
        let data = match self.data {
            _ if matches!(data_type, DataType::Boolean | DataType::Null) => return self.into_column(data_type),
            BuilderData::I32(values) => ColumnData::Int32(values.into()),
            BuilderData::I64(values) => ColumnData::Int64(values.into()),
            BuilderData::I128(values) => ColumnData::Int128(values.into()),
            BuilderData::Code { codes, dictionary } => ColumnData::Dictionary32 { codes: codes.into(), dictionary },
            _ => return self.into_column(data_type),
        };
        Ok(Column::new(data, nulls(self.valid)))
    }

    /// The column of these values; integers in the narrowest form that holds them.
    pub(crate) fn into_column(self, data_type: DataType) -> Result<Column> {
        self.into_column_by(data_type, None)
    }

    /// As [`ColumnBuilder::into_column`]; with workers a long one in pieces.
    fn into_column_by(self, data_type: DataType, workers: Option<Workers<'_>>) -> Result<Column> {
        let len = self.len();
        let nulls = nulls(self.valid);
        let data = match self.data {
            _ if data_type == DataType::Null => ColumnData::Boolean(BooleanBuffer::new_unset(len)),
            BuilderData::Bool(values) if data_type == DataType::Boolean => ColumnData::Boolean(values.into()),
            BuilderData::I64(values) if data_type == DataType::Boolean => {
                ColumnData::Boolean(values.iter().map(|&value| value != 0).collect())
            }
            // Nothing but NULLs, none of which told the type.
            BuilderData::Bool(_) => return Ok(Column::new(all_null(data_type, len), nulls)),
            BuilderData::I32(values) => {
                narrow(&values, i64::from, nulls.as_ref(), workers)?.unwrap_or_else(|| ColumnData::Int32(values.into()))
            }
            BuilderData::I64(values) => narrow(&values, |value| value, nulls.as_ref(), workers)?
                .unwrap_or_else(|| ColumnData::Int64(values.into())),
            BuilderData::I128(values) => narrow_wide(values, nulls.as_ref(), workers)?,
            BuilderData::F64(values) if data_type == DataType::Real => {
                ColumnData::Float32(values.iter().map(|&value| value as f32).collect())
            }
            BuilderData::F64(values) => ColumnData::Float64(values.into()),
            BuilderData::Interval(values) => ColumnData::Interval(values.into()),
            BuilderData::Numerics(values) => ColumnData::Numerics(Arc::new(values)),
            BuilderData::Vectors(vectors) => match data_type.vector_of() {
                Some((DataType::Real, _)) => vectors.into_reals(),
                _ => vectors.into_doubles(),
            },
            BuilderData::Code { codes, dictionary } => codes_column(&codes, dictionary, workers)?,
            BuilderData::Text(text) => text.into_column(),
        };
        Ok(Column::new(data, nulls))
    }
}

fn nulls(valid: Option<Vec<bool>>) -> Option<NullBuffer> {
    valid.map(NullBuffer::from).filter(|nulls| nulls.null_count() > 0)
}

/// A chunk of columns of these types and `rows` rows.
pub(crate) fn into_chunk(columns: Vec<ColumnBuilder>, types: &[DataType], rows: usize) -> Result<Chunk> {
    let columns = columns.into_iter().zip(types).map(|(column, &data_type)| column.into_column(data_type));
    Ok(Chunk::new(rows, columns.collect::<Result<Vec<_>>>()?))
}

/// As [`into_chunk`], by many workers if there is enough to do.
pub(crate) fn into_chunk_with(
    columns: Vec<ColumnBuilder>,
    types: &[DataType],
    rows: usize,
    workers: Workers<'_>,
) -> Result<Chunk> {
    if rows < SHARED_ROWS || workers.is_one() {
        return into_chunk(columns, types, rows);
    }
    // What is narrowed is so by all workers, one column after the other; of what is left each has a column.
    let mut done: Vec<Option<Column>> = Vec::with_capacity(columns.len());
    let mut left = Vec::new();
    for (column, &data_type) in columns.into_iter().zip(types) {
        let is_narrowed = match &column.data {
            BuilderData::I32(_) | BuilderData::I64(_) | BuilderData::I128(_) | BuilderData::Code { .. } => true,
            BuilderData::Bool(_) | BuilderData::F64(_) | BuilderData::Text(_) => false,
            BuilderData::Interval(_) | BuilderData::Numerics(_) | BuilderData::Vectors(_) => false,
        };
        if is_narrowed {
            done.push(Some(column.into_column_by(data_type, Some(workers))?));
        } else {
            done.push(None);
            left.push((column, data_type));
        }
    }
    let others = workers.map(left, |(column, data_type): (ColumnBuilder, DataType)| column.into_column(data_type))?;
    let mut others = others.into_iter();
    Ok(Chunk::new(rows, done.into_iter().filter_map(|column| column.or_else(|| others.next())).collect()))
}

fn all_null(data_type: DataType, len: usize) -> ColumnData {
    match data_type {
        DataType::Real => ColumnData::Float32(vec![0.0; len].into()),
        DataType::Double => ColumnData::Float64(vec![0.0; len].into()),
        DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => {
            ColumnData::Text { offsets: OffsetBuffer::new_zeroed(len), bytes: Buffer::from_vec(Vec::<u8>::new()) }
        }
        DataType::Interval => ColumnData::Interval(vec![Interval::default(); len].into()),
        DataType::Null | DataType::Boolean => ColumnData::Boolean(BooleanBuffer::new_unset(len)),
        DataType::Nested(_) if let Some((of, length)) = data_type.vector_of() => {
            let length = length as usize;
            match of {
                DataType::Real => ColumnData::Vectors32 { length, values: vec![0.0; len * length].into() },
                _ => ColumnData::Vectors64 { length, values: vec![0.0; len * length].into() },
            }
        }
        _ => ColumnData::Frame8 { base: 0, offsets: vec![0; len].into() },
    }
}

/// Does work for all items, by workers if there are some.
fn map<I: Send, T: Send>(
    workers: Option<Workers<'_>>,
    items: Vec<I>,
    work: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    match workers {
        Some(workers) => workers.map(items, work),
        None => items.into_iter().map(work).collect(),
    }
}

fn piece_rows(rows: usize, workers: Option<Workers<'_>>) -> usize {
    workers.map_or(MORSEL_ROWS, |workers| workers.piece_rows(rows))
}

/// What `offset` makes of each value.
fn offsets<T: Copy + Sync, O: Copy + Send>(
    values: &[T],
    offset: impl Fn(T) -> O + Sync,
    workers: Option<Workers<'_>>,
) -> Result<Vec<O>> {
    let pieces = values.chunks(piece_rows(values.len(), workers)).map(|values| (values.len(), values)).collect();
    written(pieces, workers, |values: &[T], places| write_offsets(values, places, &offset))
}

/// The least and the greatest of the values that are not NULL; of none the least is above the greatest.
fn bounds_of<T: Copy + Sync>(
    values: &[T],
    widen: impl Fn(T) -> i64 + Copy + Sync,
    nulls: Option<&NullBuffer>,
    workers: Option<Workers<'_>>,
) -> Result<(i64, i64)> {
    let piece_rows = piece_rows(values.len(), workers);
    let pieces = values.chunks(piece_rows).enumerate().collect();
    let found = map(workers, pieces, |(piece, values): (usize, &[T])| {
        let all = values.iter().map(|&value| widen(value));
        Ok(match nulls {
            None => bounds(all),
            Some(nulls) => {
                let valid = nulls.slice(piece * piece_rows, values.len());
                bounds(all.zip(valid.iter()).filter_map(|(value, valid)| valid.then_some(value)))
            }
        })
    })?;
    Ok(found.into_iter().fold((i64::MAX, i64::MIN), |all, piece| (all.0.min(piece.0), all.1.max(piece.1))))
}

/// Offsets from the minimum, if they fit 32 bits.
fn narrow<T: Copy + Sync>(
    values: &[T],
    widen: impl Fn(T) -> i64 + Copy + Sync,
    nulls: Option<&NullBuffer>,
    workers: Option<Workers<'_>>,
) -> Result<Option<ColumnData>> {
    let (low, high) = bounds_of(values, widen, nulls, workers)?;
    let base = if low > high { 0 } else { low };
    let span = high.max(base).wrapping_sub(base) as u64;
    // What stands at a NULL may lie anywhere; cut to the width it is an offset like any other, except that base
    // and offset together must fit.
    let offset = |value: T| (widen(value).wrapping_sub(base) as u64).min(span);
    Ok(Some(if span <= u8::MAX.into() {
        ColumnData::Frame8 { base, offsets: offsets(values, |value| offset(value) as u8, workers)?.into() }
    } else if span <= u16::MAX.into() {
        ColumnData::Frame16 { base, offsets: offsets(values, |value| offset(value) as u16, workers)?.into() }
    } else if span <= u32::MAX.into() {
        ColumnData::Frame32 { base, offsets: offsets(values, |value| offset(value) as u32, workers)?.into() }
    } else {
        return Ok(None);
    }))
}

fn narrow_wide(values: Vec<i128>, nulls: Option<&NullBuffer>, workers: Option<Workers<'_>>) -> Result<ColumnData> {
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    if !values.iter().enumerate().all(|(row, &value)| i64::try_from(value).is_ok() || !valid(row)) {
        return Ok(ColumnData::Int128(values.into()));
    }
    let short = |value: i128| value as i64;
    match narrow(&values, short, nulls, workers)? {
        Some(narrowed) => Ok(narrowed),
        None => Ok(ColumnData::Int64(offsets(&values, short, workers)?.into())),
    }
}

fn codes_column(codes: &[u32], dictionary: Arc<Dictionary>, workers: Option<Workers<'_>>) -> Result<ColumnData> {
    let last = dictionary.len().saturating_sub(1);
    Ok(if last <= u8::MAX.into() {
        ColumnData::Dictionary8 { codes: offsets(codes, |code| code as u8, workers)?.into(), dictionary }
    } else if last <= u16::MAX.into() {
        ColumnData::Dictionary16 { codes: offsets(codes, |code| code as u16, workers)?.into(), dictionary }
    } else {
        ColumnData::Dictionary32 { codes: codes.iter().copied().collect(), dictionary }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::builder::concat_all;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use multiloop_planner::value::Value;

    /// What all workers put together and narrow is what one does alone, and holds the values.
    fn check(parts: Vec<ColumnBuilder>, data_type: DataType) {
        let rows: usize = parts.iter().map(ColumnBuilder::len).sum();
        let expected = ColumnBuilder::concat(parts.clone());
        let context = Context::new(Memory::new(usize::MAX));
        for threads in [1, 3] {
            let pool = Pool::new(threads).unwrap();
            let workers = Workers { pool: Some(&pool), context: &context };
            let text = ColumnBuilder::from_values(&vec![Value::text("x"); rows], DataType::Text);
            let columns = concat_all(vec![parts.clone(), vec![text]], workers).unwrap();
            let chunk = into_chunk_with(columns, &[data_type, DataType::Text], rows, workers).unwrap();
            let alone = expected.clone().into_column(data_type).unwrap();
            let values = expected.clone().into_vector();
            assert_eq!((chunk.rows, chunk.columns.len(), chunk.columns[1].rows()), (rows, 2, rows));
            assert_eq!(std::mem::discriminant(&chunk.columns[0].data), std::mem::discriminant(&alone.data));
            for row in (0..rows).step_by(7) {
                let value = chunk.columns[0].value(row, data_type);
                assert_eq!(value, values.value(row, data_type), "row {row}");
                assert_eq!(value, alone.value(row, data_type), "row {row}");
            }
        }
    }

    #[test]
    fn columns_of_all_workers_are_those_of_one() {
        let rows = SHARED_ROWS as i64 + 77;
        let decimal = DataType::Decimal { precision: 38, scale: 0 };
        for span in [1, 255, 256, 65_535, 65_536, 1 << 32, 1 << 33, i64::MAX] {
            let value = |row: i64| row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).rem_euclid(span) - span / 2;
            let of = |rows: std::ops::Range<i64>| rows.map(value).collect::<Vec<i64>>();
            let split = |rows: i64| [0..rows / 3, rows / 3..rows / 3, rows / 3..rows];
            let valid = |rows: std::ops::Range<i64>| Some(rows.map(|row| row % 5 > 0).collect());
            for rows in [0, 1, rows] {
                let parts = || split(rows).into_iter();
                check(parts().map(|rows| ColumnBuilder::from_i64(of(rows), None)).collect(), DataType::BigInt);
                check(
                    parts().map(|rows| ColumnBuilder::from_i64(of(rows.clone()), valid(rows))).collect(),
                    DataType::BigInt,
                );
                let wide = |rows| of(rows).into_iter().map(i128::from).collect::<Vec<_>>();
                check(parts().map(|rows| ColumnBuilder::from_i128(wide(rows), None)).collect(), decimal);
                let wider = |rows| of(rows).into_iter().map(|value| i128::from(value) << 40).collect();
                check(parts().map(|rows| ColumnBuilder::from_i128(wider(rows), None)).collect(), decimal);
            }
        }
        let mixed = vec![
            ColumnBuilder::from_values(&vec![Value::Int(7); SHARED_ROWS], DataType::Integer),
            ColumnBuilder::from_values(&[Value::Null, Value::Null], DataType::Null),
            ColumnBuilder::from_i64(vec![-1, i64::MIN / 2, i64::MAX / 2], None),
        ];
        check(mixed, DataType::BigInt);
        let short =
            |value: i64| ColumnBuilder::from_values(&vec![Value::Int(value); SHARED_ROWS / 2], DataType::Integer);
        check(vec![short(-7), short(300), short(70_000)], DataType::Integer);
        let nothing = ColumnBuilder::from_values(&[Value::Null], DataType::Integer);
        check(vec![short(5), nothing, short(6)], DataType::Integer);
        let dictionary = |len: usize| {
            let strings: Vec<String> = (0..len).map(|at| format!("{at:06}")).collect();
            Arc::new(Dictionary::new(strings.iter().map(String::as_str)))
        };
        for (len, other) in [(3, 3), (300, 300), (70_000, 70_000), (3, 300)] {
            let (dictionary, another) = (dictionary(len), dictionary(other));
            let codes = |dictionary: &Arc<Dictionary>| {
                let codes = (0..SHARED_ROWS).map(|row| (row * 7_919 % dictionary.len()) as u32).collect();
                ColumnBuilder::from_codes(codes, Arc::clone(dictionary), None)
            };
            check(vec![codes(&dictionary), codes(&dictionary)], DataType::Text);
            check(vec![codes(&dictionary), codes(&another)], DataType::Text);
        }
        let float = |value: f64| ColumnBuilder::from_floats(vec![value; SHARED_ROWS], None);
        check(vec![float(0.5), float(f64::INFINITY)], DataType::Double);
    }
}
