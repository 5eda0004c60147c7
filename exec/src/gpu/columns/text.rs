//! Text as offsets and bytes, for what asks more of it than to be shown.

use super::{DeviceColumn, Form, Valid};
use crate::column::{Chunk, Column, ColumnData};
use crate::gpu::code::types::Type;
use crate::gpu::driver::{Buffer, Driver};
use crate::gpu::stop::{Done, decline};
use std::sync::Arc;

/// Bytes that are gathered before they are uploaded: the host has no copy of a whole column. In tests few, so that columns have parts.
const PART: usize = if cfg!(test) { 64 } else { 64 << 20 };

/// Threads that gather a part, at most.
const THREADS_MAX: usize = 16;

/// Bytes of a column up to which offsets have 32 bits; in tests few.
const NARROW: usize = if cfg!(test) { 1 << 12 } else { u32::MAX as usize };

/// Bytes behind a column that kernels may read.
const BEHIND: usize = 16;

/// Bytes of the rows of a column; NULL has none.
fn size(column: &Column) -> usize {
    match (&column.data, &column.nulls) {
        (ColumnData::Text { offsets, .. }, None) => (offsets[column.rows()] - offsets[0]) as usize,
        _ => (0..column.rows()).map(|row| text(column, row).len()).sum(),
    }
}

/// The bytes of a row; what stands at a NULL is read by nobody.
fn text(column: &Column, row: usize) -> &[u8] {
    if column.is_null(row) { b"" } else { column.data.text_bytes(row) }
}

/// Where the rows of some columns end, which begin at a place, and their bytes.
fn gather(columns: &[(usize, &Column)], wide: bool) -> (Vec<u8>, Vec<u8>) {
    let (mut ends, mut bytes) = (Vec::new(), Vec::new());
    for &(start, column) in columns {
        let mut end = start;
        let mut push = |end: usize| match wide {
            true => ends.extend((end as u64).to_le_bytes()),
            false => ends.extend((end as u32).to_le_bytes()),
        };
        match (&column.data, &column.nulls) {
            (ColumnData::Text { offsets, bytes: own }, None) => {
                let (first, last) = (offsets[0] as usize, offsets[column.rows()] as usize);
                bytes.extend_from_slice(&own[first..last]);
                offsets[1..=column.rows()].iter().for_each(|&offset| push(start + offset as usize - first));
            }
            _ => {
                for row in 0..column.rows() {
                    let text = text(column, row);
                    bytes.extend_from_slice(text);
                    end += text.len();
                    push(end);
                }
            }
        }
    }
    (ends, bytes)
}

/// Does something with some items on several threads, in order.
fn shared<I: Sync, T: Send>(items: &[I], make: impl Fn(&[I]) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    if items.len() < 2 || threads == 1 {
        return vec![make(items)];
    }
    let make = &make;
    std::thread::scope(|scope| {
        let each = items.len().div_ceil(threads);
        let threads: Vec<_> = items.chunks(each).map(|some| scope.spawn(move || make(some))).collect();
        threads.into_iter().map(|thread| thread.join().expect("nothing there panics")).collect()
    })
}

/// The text of a column of some chunks.
pub(super) fn upload(driver: &Arc<dyn Driver>, chunks: &[Arc<Chunk>], position: usize) -> Done<DeviceColumn> {
    if chunks.iter().any(|chunk| chunk.columns.get(position).is_none_or(|column| !column.data.is_text())) {
        return decline("a column of several forms");
    }
    let columns: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[position]).collect();
    let rows: usize = columns.iter().map(|column| column.rows()).sum();
    let sizes = shared(&columns, |some| some.iter().map(|column| size(column)).collect::<Vec<usize>>()).concat();
    let total: usize = sizes.iter().sum();
    let wide = total > NARROW;
    let width = if wide { 8 } else { 4 };
    let data = Buffer::new(driver, total + BEHIND)?;
    let offsets = Buffer::new(driver, (rows + 1) * width)?;
    driver.upload(offsets.address, &[0; 8][..width])?;
    let (mut at, mut row) = (0, 0);
    let mut part: Vec<(usize, &Column)> = Vec::new();
    let mut begin = 0;
    for (number, (&column, size)) in columns.iter().zip(&sizes).enumerate() {
        part.push((begin, column));
        begin += size;
        if begin - at < PART && number + 1 < columns.len() {
            continue;
        }
        for (ends, bytes) in shared(&part, |some| gather(some, wide)) {
            driver.upload(data.address + at as u64, &bytes)?;
            driver.upload(offsets.address + ((row + 1) * width) as u64, &ends)?;
            at += bytes.len();
            row += ends.len() / width;
        }
        part.clear();
    }
    let form = Form::Text { offsets, wide };
    Ok(DeviceColumn { rows, element: Type::U8, form, data, valid: Valid::All })
}
