//! A column of some chunks as one array on the device.

use super::loader::{Loader, Rows, put};
use super::reach::Reach;
use super::{DeviceColumn, Form, Made, Valid, codes, integers};
use crate::column::{Chunk, ColumnData};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::stop::{Done, decline};
use arrow::buffer::BooleanBuffer;
use arrow::util::bit_mask::set_bits;
use std::sync::{Arc, Mutex, PoisonError};

/// A copy of a column, of text of up to so many strings.
pub(super) fn column(
    loader: Loader<'_>,
    chunks: &[Arc<Chunk>],
    position: usize,
    strings_max: usize,
) -> Done<DeviceColumn> {
    let rows = Rows::of(chunks, position)?;
    let (element, form, data) = array(loader, &rows, position, strings_max)?;
    let (rows, valid, made) = (rows.count(), valid(loader, &rows)?, Made::default());
    Ok(DeviceColumn { rows, element, form, data: data.0, valid, reach: data.1, made })
}

/// Which rows are not NULL, and nothing else.
pub(super) fn nulls(loader: Loader<'_>, chunks: &[Arc<Chunk>], position: usize) -> Done<DeviceColumn> {
    let rows = Rows::of(chunks, position)?;
    let (valid, data) = (valid(loader, &rows)?, Buffer::new(loader.driver, 0)?);
    let (rows, made) = (rows.count(), Made::default());
    Ok(DeviceColumn { rows, element: Type::Bool, form: Form::Bits, data, valid, reach: None, made })
}

/// An array, and, if it has floats, where their bits are.
type Data = (Arc<Buffer>, Option<Reach>);

fn array(loader: Loader<'_>, rows: &Rows<'_>, position: usize, strings_max: usize) -> Done<(Type, Form, Data)> {
    let Some(first) = rows.columns.first() else {
        return Ok((Type::U8, Form::Integers { base: 0, step: 1 }, (Buffer::new(loader.driver, 0)?, None)));
    };
    match &first.data {
        data if data.is_integer() => {
            let (element, form, data) = integers::array(loader, rows, position)?;
            Ok((element, form, (data, None)))
        }
        ColumnData::Float32(_) | ColumnData::Float64(_) => Ok((Type::F64, Form::Floats, floats(loader, rows)?)),
        ColumnData::Boolean(_) => Ok((Type::Bool, Form::Bits, (booleans(loader, rows)?, None))),
        data if data.is_text() => {
            let (element, dictionary, data) = match codes::shared(loader, rows)? {
                Some(codes) => codes,
                None => codes::made(loader, rows, strings_max)?,
            };
            Ok((element, Form::Codes(dictionary), (data, None)))
        }
        other => decline(format!("a column of {}", other.form())),
    }
}

/// Bits of which rows are not NULL, if one is.
fn valid(loader: Loader<'_>, rows: &Rows<'_>) -> Done<Valid> {
    if rows.columns.iter().all(|column| column.nulls.is_none()) {
        return Ok(Valid::All);
    }
    let all = BooleanBuffer::new_set(rows.columns.iter().map(|column| column.rows()).max().unwrap_or(0));
    let of = |chunk: usize| rows.columns[chunk].nulls.as_ref().map_or(&all, |nulls| nulls.inner());
    bits(loader, rows, of).map(Valid::Bits)
}

fn booleans(loader: Loader<'_>, rows: &Rows<'_>) -> Done<Arc<Buffer>> {
    let of = |column: &&crate::column::Column| match &column.data {
        ColumnData::Boolean(values) => Some(values.clone()),
        _ => None,
    };
    match rows.columns.iter().map(of).collect::<Option<Vec<BooleanBuffer>>>() {
        Some(values) => bits(loader, rows, |chunk| &values[chunk]),
        None => decline("a column of several forms"),
    }
}

/// A bit a row, of those that chunks have.
fn bits<'b>(loader: Loader<'_>, rows: &Rows<'_>, of: impl Fn(usize) -> &'b BooleanBuffer + Sync) -> Done<Arc<Buffer>> {
    loader.buffer(rows.count().div_ceil(8), |at, part| {
        part.fill(0);
        let (first, mut to) = (at * 8, 0);
        rows.each(first..(first + part.len() * 8).min(rows.count()), |chunk, within| {
            let bits = of(chunk);
            set_bits(part, bits.values(), to, bits.offset() + within.start, within.len());
            to += within.len();
        });
    })
}

fn floats(loader: Loader<'_>, rows: &Rows<'_>) -> Done<Data> {
    let is_float = |data: &ColumnData| matches!(data, ColumnData::Float32(_) | ColumnData::Float64(_));
    if !rows.columns.iter().all(|column| is_float(&column.data)) {
        return decline("a column of several forms");
    }
    let all = Mutex::new(Reach::default());
    let note = |own: Reach| {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        *all = all.and(own);
    };
    let data = rows.array(loader, Type::F64, |chunk, within, to| match &rows.columns[chunk].data {
        ColumnData::Float64(values) => {
            put(to, values[within.clone()].iter().map(|value| value.to_le_bytes()));
            note(Reach::of(values[within].iter().copied()));
        }
        ColumnData::Float32(values) => {
            put(to, values[within.clone()].iter().map(|&value| f64::from(value).to_le_bytes()));
            note(Reach::of(values[within].iter().map(|&value| value.into())));
        }
        _ => {}
    })?;
    let reach = *all.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((data, Some(reach)))
}
