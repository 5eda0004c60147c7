//! Results for programs that read Arrow: as a [`RecordBatchReader`], in batches of a size that the reader chooses.

use crate::sliced::Sliced;
use crate::stream::ResultStream;
use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

impl ResultStream {
    /// The same rows in batches of so many at most (at least one): larger ones are cut, without a copy. Smaller ones stay. Without
    /// this, batches have 65,536 rows at most.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// let session = Engine::new()?.session();
    /// let rows = session.sql("SELECT n FROM generate_series(1, 10) r (n)")?.with_batch_rows(4);
    /// let sizes = rows.map(|batch| Ok(batch?.num_rows())).collect::<multiloop::Result<Vec<_>>>()?;
    /// assert!(sizes.iter().all(|&rows| rows <= 4) && sizes.iter().sum::<usize>() == 10);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn with_batch_rows(mut self, rows: usize) -> Self {
        let batches = std::mem::replace(&mut self.batches, Box::new(std::iter::empty()));
        self.batches = Box::new(Sliced::new(batches, rows));
        self
    }

    /// The rows as Arrow's readers give them: for what takes any [`RecordBatchReader`], as writers of files do. A statement
    /// without rows has no columns and no batches.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// use multiloop::arrow::array::RecordBatchReader;
    ///
    /// let session = Engine::new()?.session();
    /// let reader = session.sql("SELECT 1 AS a, 'x' AS b")?.into_reader();
    /// assert_eq!(reader.schema().fields().len(), 2);
    /// let batches = reader.collect::<Result<Vec<_>, _>>().expect("a row");
    /// assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn into_reader(self) -> ResultReader {
        ResultReader { rows: self }
    }
}

/// A result as a [`RecordBatchReader`]: see [`ResultStream::into_reader`]. Its errors are
/// [`ArrowError::ExternalError`]s around the engine's; after one there are no more batches.
///
/// ```
/// # use multiloop::{Engine, Error, ErrorKind};
/// use multiloop::arrow::error::ArrowError;
///
/// let session = Engine::new()?.session();
/// let rows = session.sql("SELECT 1 AS a")?;
/// rows.cancel_handle();
/// let reader: multiloop::ResultReader = rows.into_reader();
/// assert_eq!(reader.count(), 1);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Debug)]
pub struct ResultReader {
    rows: ResultStream,
}

impl ResultReader {
    /// The result, with the batches that have not been read.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// let reader = session.sql("SELECT 1 AS a")?.into_reader();
    /// assert_eq!(reader.into_stream().fields()[0].name, "a");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn into_stream(self) -> ResultStream {
        self.rows
    }
}

impl Iterator for ResultReader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.rows.next()?;
        Some(next.map_err(|error| {
            self.rows.batches = Box::new(std::iter::empty());
            ArrowError::ExternalError(Box::new(error))
        }))
    }
}

impl RecordBatchReader for ResultReader {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sliced::BATCH_ROWS;
    use crate::{Engine, Error, ErrorKind};
    use arrow::compute::concat_batches;

    #[test]
    fn batches_are_cut_without_loss() {
        let session = Engine::new().expect("an engine").session();
        let sql = "SELECT n, n::text AS t, ARRAY[n] AS l FROM generate_series(1, 200000) r (n) ORDER BY n";
        let all = |rows_max: Option<usize>| {
            let rows = session.sql(sql).expect("rows");
            let rows = rows_max.into_iter().fold(rows, ResultStream::with_batch_rows);
            let schema = rows.schema();
            let batches = rows.collect_batches().expect("rows");
            let most = rows_max.unwrap_or(BATCH_ROWS).max(1);
            assert!(batches.iter().all(|batch| batch.num_rows() <= most && batch.num_rows() > 0));
            concat_batches(&schema, &batches).expect("of one schema")
        };
        let expected = all(None);
        assert_eq!(expected.num_rows(), 200_000);
        for rows_max in [1_000, 65_537, 7] {
            assert_eq!(all(Some(rows_max)), expected);
        }
        let one = session.sql("SELECT 1 UNION ALL SELECT 2").expect("rows").with_batch_rows(0);
        assert_eq!(one.count(), 2);
    }

    #[test]
    fn a_reader_ends_with_its_error() {
        let session = Engine::new().expect("an engine").session();
        let schema = session.sql("SELECT 1").expect("a row").schema();
        let batches = (0..3).map(|_| Err(Error::new(ErrorKind::Io, "gone")));
        let mut reader = ResultStream::rows(Vec::new(), schema, batches).into_reader();
        let Some(Err(ArrowError::ExternalError(error))) = reader.next() else { panic!("no error") };
        assert_eq!(error.downcast_ref::<Error>().map(Error::kind), Some(ErrorKind::Io));
        assert!(reader.next().is_none());
        let mut done = session.sql("CREATE TABLE t (a int)").expect("a table").into_reader();
        assert!(done.schema().fields().is_empty() && done.next().is_none());
    }
}
