//! Text as offsets and bytes, for what asks more of it than to be shown.

use super::loader::{Loader, Rows, each_within, places, put};
use super::{DeviceColumn, Form, Made, Valid};
use crate::column::{Chunk, Column, ColumnData};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::stop::{Done, decline};
use std::ops::Range;
use std::sync::Arc;

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

/// Writes some of a column's bytes.
fn bytes(column: &Column, range: Range<usize>, to: &mut [u8]) {
    if let (ColumnData::Text { offsets, bytes }, None) = (&column.data, &column.nulls) {
        let first = offsets[0] as usize;
        return to.copy_from_slice(&bytes[first + range.start..first + range.end]);
    }
    let mut at = 0;
    for row in 0..column.rows() {
        let text = text(column, row);
        let (from, below) = (range.start.max(at), range.end.min(at + text.len()));
        if from < below {
            to[from - range.start..below - range.start].copy_from_slice(&text[from - at..below - at]);
        }
        at += text.len();
        if at >= range.end {
            return;
        }
    }
}

/// Writes where some rows of a column end, which begins at a place.
fn write_ends(column: &Column, rows: Range<usize>, begin: usize, (to, wide): (&mut [u8], bool)) {
    match (&column.data, &column.nulls) {
        (ColumnData::Text { offsets, .. }, None) => {
            let first = offsets[0];
            put_places(to, wide, offsets[rows.start + 1..=rows.end].iter().map(|&end| begin + (end - first) as usize));
        }
        _ => {
            let mut end = begin + (0..rows.start).map(|row| text(column, row).len()).sum::<usize>();
            let ends = rows.map(|row| {
                end += text(column, row).len();
                end
            });
            put_places(to, wide, ends);
        }
    }
}

fn put_places(to: &mut [u8], wide: bool, places: impl Iterator<Item = usize>) {
    match wide {
        true => put(to, places.map(|place| (place as u64).to_le_bytes())),
        false => put(to, places.map(|place| (place as u32).to_le_bytes())),
    }
}

/// The text of a column of some chunks.
pub(super) fn upload(loader: Loader<'_>, chunks: &[Arc<Chunk>], position: usize) -> Done<DeviceColumn> {
    let rows = Rows::of(chunks, position)?;
    if rows.columns.iter().any(|column| !column.data.is_text()) {
        return decline("a column of several forms");
    }
    let begins = places(loader.each(chunks.len(), |chunk| size(rows.columns[chunk]))?.into_iter());
    let total = begins[chunks.len()];
    let wide = total > NARROW;
    let width = if wide { 8 } else { 4 };
    let data = Buffer::new(loader.driver, total + BEHIND)?;
    loader.put(data.address, total, |at, mut part| {
        each_within(&begins, at..at + part.len(), |chunk, range| {
            let (to, others) = std::mem::take(&mut part).split_at_mut(range.len());
            bytes(rows.columns[chunk], range, to);
            part = others;
        });
    })?;
    let offsets = Buffer::new(loader.driver, (rows.count() + 1) * width)?;
    loader.driver.upload(offsets.address, &[0; 8][..width])?;
    loader.put(offsets.address + width as u64, rows.count() * width, |at, mut part| {
        let first = at / width;
        rows.each(first..first + part.len() / width, |chunk, within| {
            let (to, others) = std::mem::take(&mut part).split_at_mut(within.len() * width);
            write_ends(rows.columns[chunk], within, begins[chunk], (to, wide));
            part = others;
        });
    })?;
    let form = Form::Text { offsets, wide };
    Ok(DeviceColumn {
        rows: rows.count(),
        element: Type::U8,
        form,
        data,
        valid: Valid::All,
        reach: None,
        made: Made::default(),
    })
}
