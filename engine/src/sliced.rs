//! Batches of bounded size: what reads a result holds no more rows at once than it has room for.

use crate::Result;
use arrow::array::RecordBatch;

/// Rows of a result's batch at most, unless [`ResultStream::with_batch_rows`] says another number.
pub(crate) const BATCH_ROWS: usize = 1 << 16;

/// Batches of some rows at most, cut from those of another iterator without a copy.
pub(crate) struct Sliced<I> {
    batches: I,
    rows_max: usize,
    /// What is left of a batch.
    rest: Option<RecordBatch>,
}

impl<I> Sliced<I> {
    pub(crate) fn new(batches: I, rows_max: usize) -> Self {
        Sliced { batches, rows_max: rows_max.max(1), rest: None }
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> Iterator for Sliced<I> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        let rows = batch.num_rows();
        if rows <= self.rows_max {
            return Some(Ok(batch));
        }
        self.rest = Some(batch.slice(self.rows_max, rows - self.rows_max));
        Some(Ok(batch.slice(0, self.rows_max)))
    }
}
