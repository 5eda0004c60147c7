//! Rows one after another, of a result that is made while they are read.

use super::columns::Batch;
use super::from_row::{check_column, check_count};
use super::{FromRow, FromSql, Header, Row};
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Field, Result};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// The rows of a result, which it owns: it can be returned, kept and sent to another thread. Dropped, it ends the query.
///
/// As an iterator it gives rows that may be kept; [`Rows::next_row`] lends one at a time and is a little faster.
///
/// ```
/// use multiloop::Engine;
///
/// let session = Engine::new()?.session();
/// let mut total = 0;
/// for row in session.query("SELECT i FROM generate_series(1, 4) g(i)", ())? {
///     total += row?.get::<i32>("i")?;
/// }
/// assert_eq!(total, 10);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct Rows {
    stream: ResultStream,
    header: Arc<Header>,
    /// The row that was given last.
    current: Option<Row>,
    is_over: bool,
}

impl ResultStream {
    /// The result row by row.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let mut rows = session.sql("SELECT 1 AS a")?.into_rows();
    /// assert_eq!(rows.next().expect("a row")?.get::<i32>("a")?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn into_rows(self) -> Rows {
        let (fields, sight) = (self.fields().to_vec(), self.sight().clone());
        let header = Arc::new(Header { fields, sight, places: OnceLock::new() });
        Rows { stream: self, header, current: None, is_over: false }
    }
}

impl Rows {
    /// Names and SQL types of the columns.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// assert_eq!(session.query("SELECT 1 AS a", ())?.fields()[0].name, "a");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn fields(&self) -> &[Field] {
        &self.header.fields
    }

    /// The next row, lent until the next call; None behind the last. Nothing comes behind an error.
    ///
    /// # Errors
    /// Those of the query.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let mut rows = session.query("SELECT i FROM generate_series(1, 4) g(i)", ())?;
    /// let mut total = 0;
    /// while let Some(row) = rows.next_row()? {
    ///     total += row.get::<i32>(0)?;
    /// }
    /// assert_eq!(total, 10);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn next_row(&mut self) -> Result<Option<&Row>> {
        if !self.advance()? {
            return Ok(None);
        }
        Ok(self.current.as_ref())
    }

    /// Goes to the next row; whether there is one.
    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if let Some(row) = &mut self.current {
            row.at += 1;
            if row.at < row.batch.rows {
                return Ok(true);
            }
        }
        self.advance_batch()
    }

    fn advance_batch(&mut self) -> Result<bool> {
        self.current = None;
        while !self.is_over {
            let Some(batch) = self.stream.next() else {
                self.is_over = true;
                break;
            };
            let batch =
                batch.and_then(|batch| Batch::new(&self.header, &batch)).inspect_err(|_| self.is_over = true)?;
            if batch.rows > 0 {
                self.current = Some(Row { batch: Arc::new(batch), at: 0 });
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The result, with the batches that have not been begun.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let batches = session.query("SELECT $1::int AS a", (7,))?.into_stream().collect_batches()?;
    /// assert_eq!(batches[0].num_rows(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn into_stream(self) -> ResultStream {
        self.stream
    }

    /// What a function makes of each row.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let rows = session.query("SELECT i FROM generate_series(1, 3) g(i)", ())?;
    /// let all = rows.mapped(|row| row.get::<i64>(0)).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(all, [1, 2, 3]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn mapped<T, F: FnMut(&Row) -> Result<T>>(self, map: F) -> MappedRows<F> {
        MappedRows { rows: self, map }
    }

    /// Each row as a type, whose fit is checked at once.
    ///
    /// # Errors
    /// 42804 if rows do not become the type.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let rows = session.query("SELECT i, i::text FROM generate_series(1, 2) g(i)", ())?;
    /// let all = rows.typed::<(i32, String)>()?.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(all[1], (2, "2".to_owned()));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn typed<T: FromRow>(self) -> Result<TypedRows<T>> {
        T::check(self.fields())?;
        Ok(TypedRows { rows: self, of: PhantomData })
    }

    /// What a function makes of the only row.
    ///
    /// # Errors
    /// 02000 if there is none, 21000 if there are several, and those of the function.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let one = session.query("SELECT 1", ())?.single(|row| row.get::<i32>(0))?;
    /// assert_eq!(one, 1);
    /// let none = session.query("SELECT 1 WHERE false", ())?.single(|row| row.get::<i32>(0));
    /// assert_eq!(none.unwrap_err().sqlstate(), "02000");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn single<T>(mut self, map: impl FnOnce(&Row) -> Result<T>) -> Result<T> {
        let Some(row) = self.next_row()? else {
            return Err(Error::new(ErrorKind::NoData, "the query gives no row, but one is needed"));
        };
        let single = map(row)?;
        if self.advance()? {
            return Err(Error::new(ErrorKind::Cardinality, "the query gives more than one row"));
        }
        Ok(single)
    }

    /// The only row as a type.
    ///
    /// # Errors
    /// Those of [`Rows::single`] and [`Rows::typed`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (a, b) = session.query("SELECT 1, 'b'", ())?.one::<(i32, String)>()?;
    /// assert_eq!((a, b.as_str()), (1, "b"));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn one<T: FromRow>(self) -> Result<T> {
        T::check(self.fields())?;
        self.single(T::from_row)
    }

    /// The only value of the only row.
    ///
    /// # Errors
    /// Those of [`Rows::single`]; 42804 if there are several columns, or the column does not become the type.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// assert_eq!(session.query("SELECT 1", ())?.scalar::<i32>()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn scalar<T: for<'r> FromSql<'r>>(self) -> Result<T> {
        check_count(self.fields(), 1)?;
        check_column::<T>(&self.fields()[0])?;
        self.single(|row| row.get(0))
    }

    /// How many rows the statement changed; those that it gives, if it gives some.
    pub(crate) fn count(mut self) -> Result<u64> {
        if self.fields().is_empty() {
            let changed = self.stream.tag().and_then(|tag| tag.rsplit(' ').next()?.parse().ok());
            return Ok(changed.unwrap_or(0));
        }
        let mut count = 0;
        while self.advance_batch()? {
            count += self.current.as_ref().map_or(0, |row| row.batch.rows as u64);
        }
        Ok(count)
    }
}

impl Iterator for Rows {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.advance() {
            Ok(true) => self.current.clone().map(Ok),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("fields", &self.fields()).finish_non_exhaustive()
    }
}

/// What a function makes of the rows of a result, which it owns.
///
/// ```
/// let session = multiloop::Engine::new()?.session();
/// let sql = "SELECT i FROM generate_series(1, 3) g(i)";
/// let mut doubled = session.query_map(sql, (), |row| Ok(row.get::<i32>(0)? * 2))?;
/// assert_eq!(doubled.next().expect("a row")?, 2);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct MappedRows<F> {
    rows: Rows,
    map: F,
}

impl<T, F: FnMut(&Row) -> Result<T>> Iterator for MappedRows<F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next_row() {
            Ok(row) => row.map(&mut self.map),
            Err(error) => Some(Err(error)),
        }
    }
}

/// The rows of a result as a type, which it owns.
///
/// ```
/// let session = multiloop::Engine::new()?.session();
/// let sql = "SELECT i, i * i FROM generate_series(1, 3) g(i)";
/// let squares = session.query_as::<(i32, i64)>(sql, ())?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(squares[2], (3, 9));
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct TypedRows<T> {
    rows: Rows,
    of: PhantomData<fn() -> T>,
}

impl<T: FromRow> Iterator for TypedRows<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next_row() {
            Ok(row) => row.map(T::from_row),
            Err(error) => Some(Err(error)),
        }
    }
}
