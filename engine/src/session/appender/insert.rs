//! Rows whose columns have names, and many rows as one statement.

use super::{AppendRow, Appender};
use crate::session::Session;
use crate::{Error, ErrorKind, Result};

/// Rows of an insert between two looks at whether it was cancelled.
const ROWS_BETWEEN_CHECKS: u64 = 1024;

impl Session {
    /// An appender of rows of a type: of its columns by name where it has names, as structs with
    /// [`#[derive(Row)]`](macro@crate::Row) have, else of all columns of the table in order. Columns that the rows lack get their
    /// defaults.
    ///
    /// # Errors
    /// Those of [`Session::appender_of`].
    ///
    /// ```
    /// use multiloop::{Engine, Row};
    ///
    /// #[derive(Row)]
    /// struct Trip {
    ///     city: String,
    ///     km: f64,
    /// }
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE trips (id int DEFAULT 7, km double precision, city text)")?;
    /// let mut appender = session.appender_for::<Trip>("trips")?;
    /// for km in [12.0, 90.5] {
    ///     appender.push(&Trip { city: "Bern".to_owned(), km })?;
    /// }
    /// assert_eq!(appender.finish()?, 2);
    /// assert_eq!(session.query_one::<(i32, f64, String)>("SELECT * FROM trips WHERE km > 50", ())?, (7, 90.5, "Bern".to_owned()));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn appender_for<R: AppendRow>(&self, table: &str) -> Result<Appender<'_>> {
        Appender::open(self, table, R::columns())
    }

    /// Puts rows into a table as one INSERT does: all of them or none. How many there were. Rows with named columns, which structs
    /// with [`#[derive(Row)]`](macro@crate::Row) are, go by name, and the table's other columns get their defaults; tuples and the
    /// like have all columns of the table in order.
    ///
    /// All rows are held in memory until the last has come; an [`Appender`] puts some in before that.
    ///
    /// # Errors
    /// Those of [`Session::appender_of`], [`Appender::push`] and [`Appender::flush`]; XX000 if the iterator panics.
    ///
    /// ```
    /// use multiloop::{Engine, Row};
    ///
    /// #[derive(Row)]
    /// struct Trip {
    ///     city: String,
    ///     km: Option<f64>,
    /// }
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE trips (km double precision CHECK (km > 0), city text)")?;
    /// let trips = [Trip { city: "Bern".to_owned(), km: Some(90.5) }, Trip { city: "Thun".to_owned(), km: None }];
    /// assert_eq!(session.insert("trips", &trips)?, 2);
    /// assert_eq!(session.insert("trips", [(1.5, "Chur"), (2.5, "Zug")])?, 2);
    /// assert!(session.insert("trips", [(3.5, "Genf"), (-1.0, "Basel")]).is_err());
    /// assert_eq!(session.query_scalar::<i64>("SELECT count(*) FROM trips", ())?, 4);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn insert<R: AppendRow>(&self, table: &str, rows: impl IntoIterator<Item = R>) -> Result<u64> {
        let work = || {
            let mut appender = self.appender_for::<R>(table)?.flush_at_end();
            let cancellation = self.running().cancellation;
            for (row, at) in rows.into_iter().zip(1_u64..) {
                appender.push(row)?;
                if at.is_multiple_of(ROWS_BETWEEN_CHECKS) {
                    cancellation.check()?;
                }
            }
            appender.finish()
        };
        self.as_statement(|| self.in_transaction(work))
    }
}

impl Appender<'_> {
    /// Puts no rows into the table before the end.
    fn flush_at_end(mut self) -> Self {
        (self.flush_rows, self.flush_bytes) = (usize::MAX, usize::MAX);
        self
    }

    /// An error (42804) for rows of named columns that are not the appender's: they would go into wrong ones.
    #[cold]
    pub(super) fn check_named(&mut self, columns: &'static [&'static str]) -> Result<()> {
        if self.fields.iter().map(|field| field.name.as_str()).eq(columns.iter().copied()) {
            self.named = columns;
            return Ok(());
        }
        let list = |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let own: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        let message = format!("the columns of the row are {}, those of the appender {}", list(columns), list(&own));
        Err(Error::new(ErrorKind::TypeMismatch, message)
            .with_hint("`Session::appender_for` makes an appender of the row's columns."))
    }
}
