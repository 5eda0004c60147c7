//! An appender: rows on their way into a table, buffered by columns and put in as many at once.
//!
//! 1. A row's values are cast and go into the buffers of their columns ([`cells`], [`coerce`], [`row`], [`field`], of more types [`typed`]).
//!    One that fails leaves the buffers as they were.
//! 2. [`CHUNK_ROWS`] rows become plain columns of a piece; so does a record batch, whose types are looked at here ([`batch`]).
//! 3. Enough pieces, or [`Appender::flush`], are one INSERT: the pieces are a compact table, which is checked and appended under
//!    the right to write, within the session's transaction if one is open ([`flush`]).
//!
//! [`insert`] has rows whose columns have names, and many rows as one statement.

mod batch;
mod cells;
mod coerce;
mod field;
mod flush;
mod insert;
mod row;
#[cfg(test)]
mod tests;
mod typed;

pub use field::AppendField;
pub use row::{AppendRow, RowWriter};

use super::{Session, Statement};
use crate::sight::Sight;
use crate::system::quoted;
use crate::{Error, ErrorKind, Field, Position, Result};
use arrow::array::{Array, RecordBatch};
use cells::Cells;
use multiloop_exec::column::{CHUNK_ROWS, Column};
use multiloop_exec::workers::context::Reservation;

/// Rows of one flush, unless [`Appender::flush_every`] says another number.
const FLUSH_ROWS: usize = 4 * CHUNK_ROWS;

/// Bytes that are buffered at most before they are flushed.
const FLUSH_BYTES: usize = 128 << 20;

/// Bytes of texts from which on the rows become a piece.
const PIECE_TEXT: usize = 16 << 20;

/// Bytes by which what is counted for the columns' buffers grows.
const OPEN_STEP: usize = 64 << 10;

/// Puts rows into a table, many at once: the fastest way in for rows that a program makes one after the other.
///
/// Rows are cast as INSERT casts them, buffered, and put into the table by so many at once ([`Appender::flush_every`]), by
/// [`Appender::flush`] and by [`Appender::finish`]. Each time is one INSERT: all of its rows are in the table or none, and it
/// belongs to the session's transaction if one is open. **Rows that are not flushed are lost when the appender is dropped**;
/// only [`Appender::finish`] ends it with all of them.
///
/// An error names the row (the first one that was taken is 1; rows that were refused do not count) and, where one is to blame, the
/// column: [`Error::subject`](crate::Error::subject) has both. A row that is refused leaves the appender as it was. A flush that
/// fails (a CHECK, a key, a reference) leaves the table as it was before the flush and drops the rows of that flush. If it was a
/// flush within a push, the appender has failed ([`Appender::is_failed`]): it takes nothing and every push gives the same error, until
/// [`Appender::flush`] or [`Appender::finish`] has given it, too, so that who passes over rows that are refused loses no others in
/// silence. Then the appender goes on, unless the session was in a transaction, which has failed then as after any statement.
///
/// Texts are read as the session's settings (its time zone) were when the appender was made, or at its last flush.
///
/// ```
/// use multiloop::{Engine, Value};
///
/// let session = Engine::new()?.session();
/// session.sql("CREATE TABLE fruit (name text NOT NULL, price decimal(6,2), day date)")?;
/// let mut appender = session.appender("fruit")?;
/// appender.push(&[Value::text("apple"), Value::text("1.20"), Value::text("2024-02-29")])?;
/// appender.push(&[Value::text("pear"), Value::Int(2), Value::Null])?;
/// let error = appender.push(&[Value::Null, Value::Null, Value::Null]).unwrap_err();
/// let subject = error.subject().unwrap();
/// assert_eq!((subject.row, subject.column.as_deref()), (Some(3), Some("name")));
/// assert_eq!(appender.finish()?, 2);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[must_use = "rows that are not flushed are lost when the appender is dropped"]
pub struct Appender<'s> {
    session: &'s Session,
    /// COPY of the table from its client, which says which table and columns are meant.
    statement: Statement,
    table: String,
    fields: Vec<Field>,
    sight: Sight,
    columns: Vec<Cells>,
    /// Which of them have texts.
    texts: Vec<usize>,
    /// Bytes of a row in `columns` without its texts.
    row_bytes: usize,
    /// Rows in `columns`.
    open: usize,
    /// Whether a row is being written: if that has panicked, a part of it is in `columns`.
    is_writing: bool,
    pieces: Vec<Piece>,
    /// Rows in `pieces`.
    closed: usize,
    /// Of `pieces`.
    memory: Reservation,
    /// Of `columns`.
    open_memory: Reservation,
    /// Why a flush within a push has failed, until it is said by a flush that was asked for.
    failed: Option<Error>,
    flush_rows: usize,
    flush_bytes: usize,
    /// The columns' names of a type of rows whose columns are those of the appender.
    named: &'static [&'static str],
    /// Rows that were flushed or dropped.
    before: u64,
    /// Rows that are in the table.
    appended: u64,
}

/// Rows that wait for the flush.
#[derive(Debug)]
enum Piece {
    Columns(usize, Vec<Column>),
    Batch(RecordBatch),
}

/// Bytes of a batch's rows, which may be some of those in its buffers.
fn bytes_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|array| array.to_data().get_slice_memory_size().unwrap_or(0)).sum()
}

impl std::fmt::Debug for Appender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Appender");
        shown.field("table", &self.table).field("appended", &self.appended).field("buffered", &self.buffered());
        shown.finish_non_exhaustive()
    }
}

impl Session {
    /// An appender of rows to a table, by its name as SQL writes it: `fruit`, `market.fruit`, `"Fruit"`. Rows have all columns of
    /// the table in order. See [`Appender`].
    ///
    /// # Errors
    /// 42P01 if there is no such table, 42809 for a view, 42501 if the session may not INSERT there, 25P02 in a transaction that has
    /// failed.
    ///
    /// ```
    /// use multiloop::{Engine, Value};
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE SCHEMA market; CREATE TABLE market.fruit (name text, price double precision)")?;
    /// let mut appender = session.appender("market.fruit")?;
    /// for n in 0..1000 {
    ///     appender.push(&[Value::text(format!("fruit {n}")), Value::Float(0.5)])?;
    /// }
    /// assert_eq!(appender.finish()?, 1000);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn appender(&self, table: &str) -> Result<Appender<'_>> {
        Appender::open(self, table, &[])
    }

    /// As [`Session::appender`], of rows that have these columns alone, named as they are without quotes: the others get their
    /// defaults.
    ///
    /// # Errors
    /// Those of [`Session::appender`]; 42703 for a column that the table does not have, 42701 for one that is named twice.
    ///
    /// ```
    /// use multiloop::{Engine, Value};
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE fruit (name text, price decimal(6,2) DEFAULT 1.5, day date)")?;
    /// let mut appender = session.appender_of("fruit", &["day", "name"])?;
    /// appender.push(&[Value::text("2024-02-29"), Value::text("apple")])?;
    /// appender.finish()?;
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn appender_of(&self, table: &str, columns: &[&str]) -> Result<Appender<'_>> {
        Appender::open(self, table, columns)
    }
}

impl<'s> Appender<'s> {
    fn open(session: &'s Session, table: &str, columns: &[&str]) -> Result<Self> {
        let named: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let columns = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        const BEFORE: &str = "COPY ";
        // Positions are those in the table's name.
        let placed = |error: Error| match error.position() {
            Some(Position(at)) => error.moved(Position(at.saturating_sub(BEFORE.len() as u32))),
            None => error,
        };
        let statement = Statement::only(&format!("{BEFORE}{table}{columns} FROM STDIN")).map_err(placed)?;
        let find = || session.as_statement(|| session.in_transaction(|| flush::Target::find(session, &statement)));
        let target = session.seen(&statement, find).map_err(placed)?;
        let columns: Vec<Cells> = target.fields.iter().map(|field| Cells::new(field.data_type)).collect();
        let memory = Reservation::new(&session.loading().memory);
        Ok(Appender {
            statement,
            table: target.name.name,
            fields: target.fields,
            sight: target.sight,
            texts: (0..columns.len()).filter(|&at| columns[at].is_text()).collect(),
            row_bytes: columns.iter().map(Cells::row_bytes).sum(),
            columns,
            open: 0,
            is_writing: false,
            pieces: Vec::new(),
            closed: 0,
            open_memory: memory.fork(),
            memory,
            failed: None,
            flush_rows: FLUSH_ROWS,
            flush_bytes: FLUSH_BYTES,
            named: &[],
            before: 0,
            appended: 0,
            session,
        })
    }

    /// Puts rows into the table whenever so many are buffered, instead of some hundred thousand.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?.flush_every(100);
    /// for n in 0..250 {
    ///     appender.push(&[Value::Int(n)])?;
    /// }
    /// assert_eq!((appender.rows(), appender.buffered()), (200, 50));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn flush_every(mut self, rows: usize) -> Self {
        self.flush_rows = rows.max(1);
        self
    }

    /// The columns of rows, in order.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let appender = session.appender("t")?;
    /// assert_eq!(appender.fields()[0].name, "a");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Rows that are in the table: those of all flushes.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push(&[Value::Int(1)])?;
    /// assert_eq!(appender.rows(), 0);
    /// appender.flush()?;
    /// assert_eq!(appender.rows(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn rows(&self) -> u64 {
        self.appended
    }

    /// Rows that wait for the next flush.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push(&[Value::Int(1)])?;
    /// assert_eq!(appender.buffered(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn buffered(&self) -> usize {
        self.open + self.closed
    }

    /// Whether a flush within a push has failed: the rows that were buffered are dropped, and no more are taken until
    /// [`Appender::flush`] has given the error.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint CHECK (a > 0))")?;
    /// let mut appender = session.appender("t")?.flush_every(2);
    /// let pushed: Vec<bool> = (-1..3).map(|n| appender.push(&[Value::Int(n)]).is_ok()).collect();
    /// assert_eq!((pushed, appender.is_failed()), (vec![true, false, false, false], true));
    /// assert_eq!(appender.flush().unwrap_err().sqlstate(), "23514");
    /// appender.push(&[Value::Int(1)])?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn is_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Takes a row; see [`AppendRow`].
    ///
    /// # Errors
    /// 42601 for a row of another number of fields; 42804 for one whose columns have other names; 23502, 42804, 22003, 22001, 22P02
    /// and the like for a value that its column does not take, 53200 if there is no memory: the row is not taken, nothing else changes.
    /// Those of [`Appender::flush`], if it was time for one: the row is among those of that flush, and [`Appender::is_failed`] says so.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push(&[Value::Int(1)])?;
    /// appender.push(vec![Value::text("2")])?;
    /// assert_eq!(appender.finish()?, 2);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn push<R: AppendRow>(&mut self, row: R) -> Result<()> {
        let columns = R::columns();
        if !columns.is_empty() && !std::ptr::eq(columns, self.named) {
            self.check_named(columns)?;
        }
        self.push_with(|writer| row.append_to(writer))
    }

    /// Takes a row whose fields a closure writes: without a [`Value`](crate::Value) for each.
    ///
    /// # Errors
    /// As of [`Appender::push`]; those of the closure.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE fruit (name text, price double precision, day date)")?;
    /// let mut appender = session.appender("fruit")?;
    /// appender.push_with(|row| {
    ///     row.text("apple")?;
    ///     row.float(1.2)?;
    ///     row.null()
    /// })?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn push_with(&mut self, write: impl FnOnce(&mut RowWriter<'_>) -> Result<()>) -> Result<()> {
        self.check_failed()?;
        self.forget_part();
        self.is_writing = true;
        let mut writer = RowWriter::new(&mut self.columns, &self.fields, &self.table, &self.sight);
        let written = write(&mut writer).and_then(|()| writer.check_all());
        let text_bytes = match written.and_then(|()| self.reserve_open()) {
            Ok(text_bytes) => text_bytes,
            Err(error) => {
                self.forget_part();
                if error.kind() == ErrorKind::NotNullViolation {
                    self.look_again();
                }
                return Err(self.of_row(error, self.before + self.buffered() as u64 + 1));
            }
        };
        self.is_writing = false;
        self.open += 1;
        if self.open == CHUNK_ROWS || self.buffered() >= self.flush_rows || text_bytes >= PIECE_TEXT {
            self.close_piece();
            self.flush_if_full()?;
        }
        Ok(())
    }

    /// Counts what is in the columns with the row that has been written now, and says how many bytes of it are texts.
    fn reserve_open(&mut self) -> Result<usize> {
        let text_bytes = self.texts.iter().map(|&at| self.columns[at].text_bytes()).sum::<usize>();
        let needed = (self.open + 1) * self.row_bytes + text_bytes;
        if needed > self.open_memory.bytes() {
            // Buffers that grow have room for as much again.
            let ample = (2 * needed).next_multiple_of(OPEN_STEP);
            self.open_memory.resize(ample).or_else(|_| self.open_memory.resize(needed))?;
        }
        Ok(text_bytes)
    }

    /// An error if a flush within a push has failed.
    fn check_failed(&self) -> Result<()> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Takes rows, one after the other.
    ///
    /// # Errors
    /// As of [`Appender::push`]: the rows before the one that fails are taken.
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_rows((0..10).map(|n| [Value::Int(n)]))?;
    /// assert_eq!(appender.finish()?, 10);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn push_rows<R: AppendRow>(&mut self, rows: impl IntoIterator<Item = R>) -> Result<()> {
        rows.into_iter().try_for_each(|row| self.push(row))
    }

    /// Takes the rows of a record batch, whose columns are the appender's in order, whatever their names. Arrays of the columns'
    /// types are shared until the flush; others are cast as INSERT casts a query's columns.
    ///
    /// # Errors
    /// 42601 for another number of columns, 0A000 for an Arrow type that has no SQL type, 42804, 22003, 22001, 23502 and the like
    /// for what a column does not take: no row of the batch is taken. Those of [`Appender::flush`], if it was time for one.
    ///
    /// ```
    /// use multiloop::Engine;
    /// use multiloop::arrow::array::{Int64Array, RecordBatch, StringArray};
    /// use std::sync::Arc;
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE fruit (name text, price decimal(6,2))")?;
    /// let batch = RecordBatch::try_from_iter([
    ///     ("n", Arc::new(StringArray::from(vec!["apple", "pear"])) as _),
    ///     ("p", Arc::new(Int64Array::from(vec![1, 2])) as _),
    /// ]).unwrap();
    /// let mut appender = session.appender("fruit")?;
    /// appender.push_batch(batch)?;
    /// assert_eq!(appender.finish()?, 2);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn push_batch(&mut self, batch: RecordBatch) -> Result<()> {
        self.check_failed()?;
        self.forget_part();
        let batches = self.admitted_batch(batch)?;
        let mut memory = self.memory.fork();
        memory.add(batches.iter().map(bytes_of).sum())?;
        // They come behind the rows before them.
        self.close_piece();
        self.memory.absorb(memory);
        self.closed += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        self.pieces.extend(batches.into_iter().map(Piece::Batch));
        self.flush_if_full()
    }

    /// Puts the rows that are buffered into the table: one INSERT, of all of them or none.
    ///
    /// # Errors
    /// 23505, 23514, 23503 and 23502 for a row that the table does not take; 25006 and 25P02 as of any statement; 42501 and 42P01 if
    /// the right or the table is gone, 0A000 if its columns have changed; 57014 if it was cancelled, 53200 if there is no
    /// memory. The table is as it was, and the rows that were buffered are dropped. The error of a flush within a push that has
    /// failed, which has dropped them already ([`Appender::is_failed`]).
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE t (a bigint CHECK (a < 3))")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_rows([[Value::Int(1)], [Value::Int(2)]])?;
    /// appender.flush()?;
    /// appender.push_rows([[Value::Int(0)], [Value::Int(5)]])?;
    /// let error = appender.flush().unwrap_err();
    /// assert_eq!((error.sqlstate(), error.subject().unwrap().row), ("23514", Some(4)));
    /// assert_eq!((appender.rows(), appender.buffered()), (2, 0));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn flush(&mut self) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.close_piece();
        self.flush_pieces()
    }

    /// Puts the last rows into the table, and says how many it has got from this appender.
    ///
    /// # Errors
    /// Those of [`Appender::flush`].
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push(&[Value::Int(1)])?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn finish(mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.appended)
    }

    /// Makes the rows of the columns' buffers a piece; what was counted for them is that piece's.
    fn close_piece(&mut self) {
        self.forget_part();
        if self.open == 0 {
            return;
        }
        let columns: Vec<Column> = self.columns.iter_mut().map(Cells::take).collect();
        let rows = std::mem::take(&mut self.open);
        let memory = self.open_memory.split(columns.iter().map(Column::bytes).sum());
        self.memory.absorb(memory);
        self.closed += rows;
        self.pieces.push(Piece::Columns(rows, columns));
    }

    /// Forgets what there is of a row that was not written to its end.
    fn forget_part(&mut self) {
        if std::mem::take(&mut self.is_writing) {
            self.columns.iter_mut().for_each(|column| column.truncate(self.open));
        }
    }

    fn flush_if_full(&mut self) -> Result<()> {
        if self.closed < self.flush_rows && self.memory.bytes() < self.flush_bytes {
            return Ok(());
        }
        self.flush_pieces().inspect_err(|error| self.failed = Some(error.clone()))
    }

    /// Forgets all rows that are buffered.
    fn discard(&mut self) {
        self.before += self.closed as u64;
        self.closed = 0;
        self.pieces.clear();
        // To hold less is no error.
        let _ = self.memory.resize(0);
    }

    /// An error about a row of the appender, which says so.
    fn of_row(&self, error: Error, row: u64) -> Error {
        let column = error.subject().and_then(|subject| subject.column.clone());
        let of = column.map_or_else(String::new, |column| format!(", column \"{column}\""));
        let place = format!("Row {row} of the appender{of}.");
        let detail = error.detail().map_or(place.clone(), |detail| format!("{detail} {place}"));
        error.with_detail(detail).of_row(row)
    }
}
