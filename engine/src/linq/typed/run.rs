//! Running a query: its rows as Rust's values, as record batches, and what it is in SQL and as a program.

use super::query::Query;
use super::record::{FieldReader, Lifted, RowReader};
use crate::linq::frame;
use crate::linq::print;
use crate::row::Rows;
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::sql::{ExplainForm, ExplainKind, Statement};
use std::fmt;
use std::marker::PhantomData;

/// The rows of a query while they are made. Dropped, it ends the query.
pub struct QueryRows<R> {
    rows: Rows,
    of: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for QueryRows<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryRows").finish_non_exhaustive()
    }
}

impl<R: Lifted> QueryRows<R> {
    /// The rows of a result.
    pub(super) fn of(rows: Rows) -> Result<Self> {
        if rows.fields().len() != R::WIDTH {
            return Err(Error::internal("a query gives another number of columns than its rows have"));
        }
        R::check(&mut FieldReader::of(rows.fields()))?;
        Ok(QueryRows { rows, of: PhantomData })
    }

    fn next_row(&mut self) -> Result<Option<R::Row>> {
        self.rows.next_row()?.map(|row| R::read(&mut RowReader::of(row))).transpose()
    }
}

impl<R: Lifted> Iterator for QueryRows<R> {
    type Item = Result<R::Row>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

impl<R: Lifted> Query<'_, R> {
    /// Runs it: all rows.
    ///
    /// # Errors
    /// Those of the query, the first mistake that was made while it was built, and 22002 for NULL where the type of a row has none.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// assert_eq!(session.values([1_i32, 2]).collect()?, [1, 2]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn collect(&self) -> Result<Vec<R::Row>> {
        self.rows()?.collect()
    }

    /// Runs it: rows one by one, while they are made.
    ///
    /// # Errors
    /// Those of [`Query::collect`].
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// for row in session.values([(1_i32, "a"), (2, "b")]).rows()? {
    ///     let (number, text) = row?;
    ///     println!("{number} {text}");
    /// }
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn rows(&self) -> Result<QueryRows<R>> {
        QueryRows::of(self.stream()?.into_rows())
    }

    /// Runs it: the only row.
    ///
    /// # Errors
    /// Those of [`Query::collect`], 02000 if there is none, 21000 if there are several.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2]);
    /// assert_eq!(numbers.aggregate(|g| g.count()).one()?, 2);
    /// assert_eq!(numbers.one().unwrap_err().sqlstate(), "21000");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn one(&self) -> Result<R::Row> {
        // The second row tells that there are several.
        let mut rows = self.take(2).rows()?;
        let none = || Error::new(ErrorKind::NoData, "the query gives no row, but one is needed");
        let row = rows.next_row()?.ok_or_else(none)?;
        match rows.next_row()? {
            None => Ok(row),
            Some(_) => Err(Error::new(ErrorKind::Cardinality, "the query gives more than one row")),
        }
    }

    /// Runs it: the first row, if there is one.
    ///
    /// # Errors
    /// Those of [`Query::collect`].
    pub fn first(&self) -> Result<Option<R::Row>> {
        self.take(1).rows()?.next_row()
    }

    /// Runs it: record batches.
    ///
    /// # Errors
    /// Those of the query.
    pub fn stream(&self) -> Result<ResultStream> {
        self.start(Statement::Query)
    }

    /// The SQL that says the same.
    ///
    /// # Errors
    /// The first mistake that was made while it was built.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// session.sql("CREATE TABLE t (a integer)")?;
    /// let query = session.values([1_i32]).filter(|n| n.gt(0));
    /// assert!(query.to_sql()?.contains("> 0"));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn to_sql(&self) -> Result<String> {
        self.checked()?;
        print::whole_sql(&self.finished().0)
    }

    /// What EXPLAIN (LOOPS) says of it: its program before and after the rules.
    ///
    /// # Errors
    /// Those of the query.
    pub fn explain_loops(&self) -> Result<String> {
        let kind = ExplainKind::Loops;
        frame::explained(self.start(|query| Statement::Explain {
            kind,
            analyze: false,
            form: ExplainForm::default(),
            query,
        })?)
    }

    fn checked(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn start(&self, statement: impl Fn(multiloop_planner::relation::Query) -> Statement) -> Result<ResultStream> {
        self.checked()?;
        let (block, _) = self.finished();
        self.session.run_built(&[], &|catalog, types, wide| block.query(catalog, types, wide).map(&statement))
    }
}
