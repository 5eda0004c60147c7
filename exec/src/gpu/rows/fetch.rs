//! Columns of the device, on the host.

use crate::collections::rows::RowSet;
use crate::column::{CHUNK_ROWS, Chunk, Column, ColumnData};
use crate::gpu::code::types::Type;
use crate::gpu::columns::{DeviceColumn, Form, Valid};
use crate::gpu::driver::Plain;
use crate::gpu::lower::Level;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// The columns of a level, whose types are these.
pub(super) fn columns(level: &Level, types: &[DataType]) -> Done<Vec<Column>> {
    level.columns.iter().zip(types).map(|(column, &of)| fetched(&*column.clone()?, of)).collect()
}

/// Rows of some columns.
pub(crate) fn row_set(columns: Vec<Column>, rows: usize) -> RowSet {
    let starts = (0..rows).step_by(CHUNK_ROWS);
    let chunk = |start: usize| {
        let rows = CHUNK_ROWS.min(rows - start);
        Arc::new(Chunk::new(rows, columns.iter().map(|column| column.slice(start, rows)).collect()))
    };
    RowSet { rows, ..RowSet::new(starts.map(chunk).collect()) }
}

pub(super) fn fetched(column: &DeviceColumn, of: DataType) -> Done<Column> {
    let rows = column.rows;
    let nulls = match &column.valid {
        Valid::All => None,
        Valid::Bytes(valid) => {
            let valid: Vec<u8> = valid.values(rows)?;
            Some(NullBuffer::from(valid.iter().map(|&valid| valid != 0).collect::<Vec<bool>>()))
        }
        Valid::Bits(valid) => {
            let bits: Vec<u8> = valid.values(rows.div_ceil(8))?;
            Some(NullBuffer::from((0..rows).map(|row| bits[row / 8] >> (row % 8) & 1 == 1).collect::<Vec<bool>>()))
        }
    };
    let data = match (&column.form, column.element) {
        (Form::Integers { base: 0, step: 1 }, Type::I32) => ColumnData::Int32(column.data.values::<i32>(rows)?.into()),
        (Form::Integers { base: 0, step: 1 }, Type::I64) => ColumnData::Int64(column.data.values::<i64>(rows)?.into()),
        (Form::Integers { base: 0, step: 1 }, Type::I128) => {
            ColumnData::Int128(column.data.values::<i128>(rows)?.into())
        }
        (&Form::Integers { base, step }, Type::U8 | Type::U16 | Type::U32 | Type::I32 | Type::I64) => {
            let value = |element: i64| base.wrapping_add(step.wrapping_mul(element));
            ColumnData::Int64(elements(column)?.into_iter().map(value).collect::<Vec<i64>>().into())
        }
        (Form::Bits, _) => {
            let bits: Vec<u8> = column.data.values(rows.div_ceil(8))?;
            ColumnData::Boolean(BooleanBuffer::new(bits.into(), 0, rows))
        }
        (Form::Floats, _) => {
            let values: Vec<f64> = column.data.values(rows)?;
            match of {
                DataType::Real => ColumnData::Float32(values.iter().map(|&value| value as f32).collect()),
                _ => ColumnData::Float64(values.into()),
            }
        }
        (Form::Bytes, _) => {
            let values: Vec<u8> = column.data.values(rows)?;
            ColumnData::Boolean(BooleanBuffer::from(values.iter().map(|&value| value != 0).collect::<Vec<bool>>()))
        }
        (Form::Codes(dictionary), _) => {
            let len = dictionary.len() as i64;
            // What stands at a NULL is a code, too.
            let code = |code: i64| if code < len { code as u32 } else { 0 };
            let codes: Vec<u32> = elements(column)?.into_iter().map(code).collect();
            ColumnData::Dictionary32 { codes: codes.into(), dictionary: Arc::clone(dictionary) }
        }
        (Form::Carried(carried), of) => {
            let numbers = match of {
                Type::U32 => column.data.values(rows)?,
                _ => (0..rows as u32).collect::<Vec<u32>>(),
            };
            let (mut bytes, mut ends) = (Vec::new(), vec![0i32]);
            for number in numbers {
                bytes.extend_from_slice(carried.get(number));
                match i32::try_from(bytes.len()) {
                    Ok(end) => ends.push(end),
                    Err(_) => return decline("text of more than 2 GiB"),
                }
            }
            ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: bytes.into() }
        }
        _ => return decline("a column that is not brought back"),
    };
    Ok(Column::new(data, nulls))
}

/// The elements of an array of integers of at most 64 bits.
fn elements(column: &DeviceColumn) -> Done<Vec<i64>> {
    fn wide<T: Plain + Into<i64>>(values: Vec<T>) -> Vec<i64> {
        values.into_iter().map(Into::into).collect()
    }
    let (data, rows) = (&column.data, column.rows);
    Ok(match column.element {
        Type::U8 => wide(data.values::<u8>(rows)?),
        Type::U16 => data
            .values::<u8>(rows * 2)?
            .chunks_exact(2)
            .map(|two| u16::from_le_bytes([two[0], two[1]]).into())
            .collect(),
        Type::U32 => wide(data.values::<u32>(rows)?),
        Type::I32 => wide(data.values::<i32>(rows)?),
        Type::I64 => data.values(rows)?,
        _ => return decline("a column that is not brought back"),
    })
}

/// The parts of keys that codes stand for, a column each.
pub(crate) fn keys(layout: &KeyLayout, codes: &[u64]) -> Done<Vec<Column>> {
    let part = |(at, part): (usize, &crate::plan::key_layout::PartLayout)| {
        let mask = layout.end(at).map_or(u64::MAX, |end| (1 << (end - part.shift)) - 1);
        let own: Vec<u64> = codes.iter().map(|&code| code >> part.shift & mask).collect();
        let nulls = own.contains(&0).then(|| NullBuffer::from(own.iter().map(|&own| own != 0).collect::<Vec<bool>>()));
        let far = own.iter().map(|&own| own.saturating_sub(1));
        let data = match &part.domain {
            PartDomain::Code(dictionary) => ColumnData::Dictionary32 {
                codes: far.map(|far| far as u32).collect::<Vec<u32>>().into(),
                dictionary: Arc::clone(dictionary),
            },
            PartDomain::Integer(grid) => {
                let value = |far: u64| grid.low + i128::from(far) * i128::from(grid.step);
                ColumnData::Int64(far.map(|far| value(far) as i64).collect::<Vec<i64>>().into())
            }
            _ => return decline("a key that is no number"),
        };
        Ok(Column::new(data, nulls))
    };
    layout.parts.iter().enumerate().map(part).collect()
}

/// The same key columns, with booleans as what they are.
pub(crate) fn typed(keys: Vec<Column>, types: &[DataType]) -> Vec<Column> {
    let one = |(column, of): (Column, &DataType)| match (&column.data, of) {
        (ColumnData::Int64(values), DataType::Boolean) => {
            let data =
                ColumnData::Boolean(BooleanBuffer::from(values.iter().map(|&value| value != 0).collect::<Vec<bool>>()));
            Column::new(data, column.nulls)
        }
        _ => column,
    };
    keys.into_iter().zip(types).map(one).collect()
}
