//! Parts of a provider whose columns are read when a loop asks for them, as lazy chunks (`multiloop_exec::column::lazy`).
//!
//! A loop that comes to a part's rows asks for a column of some of them when the first expression needs it: conditions first, and
//! what else it reads only where rows are left. Memory is counted while the loop has these rows, and given back after that. Where
//! several loops of a statement read a column it is kept after the first one, as far as the cache has room; else the part
//! is asked once more.
//!
//! So a part may be asked twice for the same values, and has to give them twice: of each block of rows that has been read a digest is
//! noted, and what differs is an error. Loops cut the rows of parts at borders of blocks; within a block digests of adjoining rows
//! add up.

use super::ProviderError;
use super::registered::{Owned, in_provider, of_provider};
use super::scan::{check_bounds, error_of};
use crate::{Error, ErrorKind, Field, Result};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::take;
use multiloop_exec::column::build::kept_column;
use multiloop_exec::column::hash::digest;
use multiloop_exec::column::statistics::bounds;
use multiloop_exec::column::{Column, ColumnReader, Dictionary};
use multiloop_exec::workers::context::Reservation;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of a part, of which a digest is noted: loops read so many, and multiples of them.
const BLOCK_ROWS: usize = 1 << 11;

/// Reads some rows of a column, by its position among the provider's.
pub(super) type ReadColumn = dyn Fn(usize, Range<usize>) -> std::result::Result<ArrayRef, ProviderError> + Send + Sync;

/// What all chunks of a statement's table have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) name: Box<str>,
    pub(super) fields: Arc<[Field]>,
}

/// A part that is read when it is asked.
pub(super) struct LazyPart {
    shared: Arc<Shared>,
    read: Owned<Box<ReadColumn>>,
    /// What the provider says of columns, which are to be held to it.
    ranges: Vec<Option<(i64, i64)>>,
    /// By column and block: what has been read.
    digests: Mutex<HashMap<(usize, usize), Vec<Digest>>>,
}

/// Rows that have been read, and a number for their values.
type Digest = (Range<usize>, u64);

impl Debug for LazyPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LazyPart").field("table", &self.shared.name).finish_non_exhaustive()
    }
}

impl LazyPart {
    pub(super) fn new(shared: &Arc<Shared>, read: Box<ReadColumn>, ranges: Vec<Option<(i64, i64)>>) -> Self {
        LazyPart { shared: Arc::clone(shared), read: Owned::new(read), ranges, digests: Mutex::default() }
    }

    /// What the provider says of its columns.
    pub(super) fn ranges(&self) -> &[Option<(i64, i64)>] {
        &self.ranges
    }

    fn read_column(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        let field = self.field(column);
        let array = in_provider(|| (self.read.get())(column, rows.clone()).map_err(error_of))?;
        if array.len() != rows.len() {
            let (given, name, wanted) = (array.len(), &field.name, rows.len());
            let message = format!("{given} rows of column \"{name}\" where {wanted} were asked for");
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        let read = kept_column(&plain(array)?, field)?;
        let is_bounded = field.data_type == DataType::Time || field.data_type.integer_bounds().is_some();
        if is_bounded && let Some((min, max)) = bounds(&read, field.data_type) {
            check_bounds(field, &min, &max)?;
            self.check_range(column, &min, &max)?;
        }
        if !self.is_as_before(column, rows, &read) {
            let message = format!("column \"{}\" has other values than it had before in this statement", field.name);
            let error = Error::new(ErrorKind::Io, message);
            return Err(error.with_hint("The rows of a part must stay as they are while a statement reads them."));
        }
        Ok(read)
    }

    /// An error (22P04) for values that are not where the provider says they are: chunks have been left out by that.
    fn check_range(&self, column: usize, min: &Value, max: &Value) -> Result<()> {
        let (Some((low, high)), Value::Int(min), Value::Int(max)) = (self.ranges[column], min, max) else {
            return Ok(());
        };
        if low <= *min && *max <= high {
            return Ok(());
        }
        let name = &self.field(column).name;
        let message = format!("column \"{name}\" has values other than its part says, from {low} to {high}");
        Err(Error::new(ErrorKind::BadFile, message))
    }

    /// Notes the values of some rows; whether they are those of any that were read before.
    fn is_as_before(&self, column: usize, rows: Range<usize>, read: &Column) -> bool {
        let mut is_as_before = true;
        for_each_block(&rows, |block, within| {
            let digest = digest(&read.slice(within.start - rows.start, within.len()), within.start);
            let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
            is_as_before &= note(digests.entry((column, block)).or_default(), within, digest);
        });
        is_as_before
    }
}

/// An array whose values stand in the array itself: those of a dictionary would be counted by nobody.
fn plain(array: ArrayRef) -> Result<ArrayRef> {
    match array.as_any_dictionary_opt() {
        Some(encoded) => take(encoded.values(), encoded.keys(), None)
            .map_err(|error| Error::new(ErrorKind::TypeMismatch, error.to_string())),
        None => Ok(array),
    }
}

/// The blocks that rows lie in, and which of the rows.
fn for_each_block(rows: &Range<usize>, mut each: impl FnMut(usize, Range<usize>)) {
    let mut start = rows.start;
    while start < rows.end {
        let block = start / BLOCK_ROWS;
        let end = rows.end.min((block + 1) * BLOCK_ROWS);
        each(block, start..end);
        start = end;
    }
}

/// Notes a digest of rows; whether it agrees with what has been noted before.
fn note(known: &mut Vec<Digest>, rows: Range<usize>, digest: u64) -> bool {
    if let Some((_, before)) = known.iter().find(|(of, _)| *of == rows) {
        return *before == digest;
    }
    known.push((rows.clone(), digest));
    let around = known.iter().filter(|(of, _)| of.start <= rows.start && rows.end <= of.end);
    around.clone().all(|(of, whole)| sum_of_parts(known, of).is_none_or(|parts| parts == *whole))
}

/// The digest of rows by those of smaller ranges that they are cut into, if there are such.
fn sum_of_parts(known: &[Digest], rows: &Range<usize>) -> Option<u64> {
    let (mut at, mut sum) = (rows.start, 0u64);
    while at < rows.end {
        let next = known.iter().filter(|(of, _)| of.start == at && of.end <= rows.end && of != rows);
        let (of, digest) = next.max_by_key(|(of, _)| of.end).filter(|(of, _)| of.end > at)?;
        (at, sum) = (of.end, sum.wrapping_add(*digest));
    }
    Some(sum)
}

impl ColumnReader for LazyPart {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        self.read_column(column, rows).map_err(|error| of_provider(&self.shared.name, error))
    }

    fn field(&self, column: usize) -> &Field {
        &self.shared.fields[column]
    }

    fn nulls(&self, column: usize) -> Option<usize> {
        (!self.field(column).nullable).then_some(0)
    }

    fn dictionary(&self, _: usize) -> Result<Option<Arc<Dictionary>>> {
        Ok(None)
    }

    fn place(&self) -> String {
        format!("table provider \"{}\"", self.shared.name)
    }
}

/// Rows of a part that has been read, in a table of which other parts have not.
#[derive(Debug)]
pub(super) struct HeldPart {
    pub(super) shared: Arc<Shared>,
    /// All of the provider's.
    pub(super) columns: Vec<Column>,
    pub(super) _memory: Option<Arc<Reservation>>,
}

impl ColumnReader for HeldPart {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        Ok(self.columns[column].slice(rows.start, rows.len()))
    }

    fn field(&self, column: usize) -> &Field {
        &self.shared.fields[column]
    }

    fn nulls(&self, column: usize) -> Option<usize> {
        Some(self.columns[column].nulls.as_ref().map_or(0, |nulls| nulls.null_count()))
    }

    fn dictionary(&self, _: usize) -> Result<Option<Arc<Dictionary>>> {
        Ok(None)
    }

    fn place(&self) -> String {
        format!("table provider \"{}\"", self.shared.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::Int64Array;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A part whose values move by one each time that it is read, read in two ways: the second is an error where it meets the first.
    #[test]
    fn rows_that_change_behind_another_cut_are_errors() {
        let fields: Arc<[Field]> = Arc::from([Field::new("a", DataType::BigInt, false)]);
        let shared = Arc::new(Shared { name: "t".into(), fields });
        for (first, then) in [
            (0..131_072, 0..2048),
            (0..131_072, 2048..131_072),
            (2048..131_072, 0..131_072),
            (0..2048, 0..131_072),
            (4096..131_072, 129_024..131_072),
        ] {
            let part = |moves: usize| {
                let reads = AtomicUsize::new(0);
                let read = move |_: usize, rows: Range<usize>| {
                    let moved = moves * reads.fetch_add(1, Ordering::Relaxed);
                    let values = rows.map(|row| (row + moved) as i64);
                    Ok(Arc::new(Int64Array::from_iter_values(values)) as ArrayRef)
                };
                LazyPart::new(&shared, Box::new(read), vec![None])
            };
            for (moves, agrees) in [(0, true), (1, false)] {
                let part = part(moves);
                assert!(part.read(0, first.clone()).is_ok());
                let again = part.read(0, then.clone()).map(drop).map_err(|error| error.sqlstate());
                assert_eq!(again, if agrees { Ok(()) } else { Err("58030") }, "{first:?}, {then:?}");
            }
        }
    }

    /// What a dictionary's codes stand for is in the column, where it is counted.
    #[test]
    fn dictionaries_are_read_as_their_values() {
        let codes: arrow::array::DictionaryArray<arrow::datatypes::Int32Type> =
            ["b", "a", "b"].into_iter().map(Some).chain([None]).collect();
        let fields: Arc<[Field]> = Arc::from([Field::new("a", DataType::Text, true)]);
        let shared = Arc::new(Shared { name: "t".into(), fields });
        let read = move |_: usize, rows: Range<usize>| Ok(Arc::new(codes.slice(rows.start, rows.len())) as ArrayRef);
        let part = LazyPart::new(&shared, Box::new(read), vec![None]);
        let column = part.read(0, 1..4).expect("rows");
        let values: Vec<Value> = (0..3).map(|row| column.value(row, DataType::Text)).collect();
        assert!(column.data.dictionary().is_none());
        assert_eq!(format!("{values:?}"), format!("{:?}", [Value::text("a"), Value::text("b"), Value::Null]));
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "these are lists of ranges, some of one")]
    fn rows_that_are_cut_in_other_ways_are_held_against_each_other() {
        let column = |values: &[i64]| {
            let values: Vec<Value> = values.iter().map(|&value| Value::Int(value)).collect();
            Column::from_values(DataType::BigInt, &values)
        };
        let values = [7, 7, 3, -1, 0, 7];
        let of = |rows: Range<usize>, values: &[i64]| digest(&column(&values[rows.clone()]), rows.start);
        for (first, then) in [
            (vec![0..6], vec![0..6]),
            (vec![0..2, 2..6], vec![0..6]),
            (vec![0..6], vec![0..2, 2..5, 5..6]),
            (vec![0..3, 3..6], vec![0..3]),
        ] {
            let read = |changed: &[i64; 6]| {
                let mut known = Vec::new();
                assert!(first.iter().all(|rows| note(&mut known, rows.clone(), of(rows.clone(), &values))));
                then.iter().all(|rows| note(&mut known, rows.clone(), of(rows.clone(), changed)))
            };
            assert!(read(&values), "{first:?}, {then:?}");
            // Another value, and two that have changed places.
            assert!(!read(&[7, 8, 3, -1, 0, 7]), "{first:?}, {then:?}");
            assert!(!read(&[7, 3, 7, -1, 0, 7]), "{first:?}, {then:?}");
        }
        let with_null = Column::from_values(DataType::BigInt, &[Value::Int(7), Value::Null, Value::Int(3)]);
        assert_ne!(digest(&with_null, 0), digest(&column(&[7, 3]), 0));
        assert_ne!(digest(&column(&[7]), 0), digest(&column(&[7]), 1));
    }
}
