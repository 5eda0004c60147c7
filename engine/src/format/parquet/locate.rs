//! Finds the row of a value that a page's decoder has refused, for the error.
//!
//! Pages are decoded whole, and those with a dictionary are decoded before their rows are: the decoder does not know which row is to
//! blame. So the column is read once more here, value by value, by the Parquet crate.

use super::Opened;
use super::file::Source;
use multiloop_exec::cpu::pages::{Kind, Scale};
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArrayType, DataType, Int64Type};
use parquet::file::serialized_reader::SerializedPageReader;
use std::ops::Range;
use std::sync::Arc;

/// Values that are read at once.
const STEP_ROWS: usize = 1 << 12;

/// The first of some rows of a flat column whose value is none of its type; none if it is not found.
pub(super) fn first_wrong_row(
    opened: &Opened,
    source: &Source,
    (group, leaf): (usize, usize),
    kind: Kind,
    rows: &Range<usize>,
) -> Option<usize> {
    let of = opened.metadata.metadata().row_group(group);
    let count = usize::try_from(of.num_rows()).ok()?;
    let pages = SerializedPageReader::new(Arc::new(source.clone()), of.column(leaf), count, None).ok()?;
    let pages: Box<dyn PageReader> = Box::new(pages);
    let leaf = opened.metadata.parquet_schema().column(leaf);
    match kind {
        Kind::Text => {
            let is_wrong = |text: &[u8]| std::str::from_utf8(text).is_err() || memchr::memchr(0, text).is_some();
            let column = ColumnReaderImpl::<ByteArrayType>::new(leaf, pages);
            first_where(column, rows, |value| is_wrong(value.data()))
        }
        Kind::Int64 { scale } => {
            let is_wrong = |value: &i64| match scale {
                Scale::One => false,
                Scale::Times(by) => value.checked_mul(by).is_none(),
                Scale::Part(by) => value % by != 0,
            };
            first_where(ColumnReaderImpl::<Int64Type>::new(leaf, pages), rows, is_wrong)
        }
        _ => None,
    }
}

fn first_where<T: DataType>(
    mut column: ColumnReaderImpl<T>,
    rows: &Range<usize>,
    is_wrong: impl Fn(&T::T) -> bool,
) -> Option<usize> {
    let mut at = column.skip_records(rows.start).ok().filter(|skipped| *skipped == rows.start)?;
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    while at < rows.end {
        values.clear();
        levels.clear();
        let step = STEP_ROWS.min(rows.end - at);
        let (count, ..) = column.read_records(step, Some(&mut levels), None, &mut values).ok()?;
        if count == 0 {
            return None;
        }
        let mut values = values.iter();
        for row in 0..count {
            // A column without NULLs has no levels.
            let is_null = levels.get(row) == Some(&0);
            if !is_null && is_wrong(values.next()?) {
                return Some(at + row);
            }
        }
        at += count;
    }
    None
}
