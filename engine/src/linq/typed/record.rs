//! Rows of lifted values, and what they are as rows of Rust's values.

use super::arena::{self, Lift};
use super::expr::Expr;
use super::types::SqlType;
use crate::linq::tree::Tree;
use crate::row::{FromSql, Row};
use crate::tuples::for_tuples;
use crate::{DataType, Error, ErrorKind, Field, Result};
use std::panic::Location;
use std::sync::Arc;

/// What the rows of a query are: a lifted value, a tuple of such rows, or the twin that `#[derive(Row)]` gives a struct.
///
/// It is made and taken apart value by value, always in one order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no row of lifted values",
    note = "a row is an `Expr`, a tuple of rows, or the `…Expr` twin of a struct with `#[derive(Row)]`"
)]
pub trait Lifted: Copy + 'static {
    /// What a row becomes when the query has run.
    type Row;
    /// How many values a row has.
    const WIDTH: usize;

    /// A row of the next columns.
    #[doc(hidden)]
    fn lift(columns: &mut Columns<'_>) -> Self;

    /// Gives each value away.
    #[doc(hidden)]
    fn lower(&self, fields: &mut Fields);

    /// Reads a row of a result.
    #[doc(hidden)]
    fn read(row: &mut RowReader<'_>) -> Result<Self::Row>;

    /// Checks that the next columns of a result become values of the row.
    #[doc(hidden)]
    fn check(columns: &mut FieldReader<'_>) -> Result<()>;
}

/// What a row becomes when a join adds another one: tuples grow.
pub trait Append<S: Lifted>: Lifted {
    /// The row with the other one behind it.
    type Joined: Lifted;
}

/// A column of the rows of a query: its name, and what it is over the query's sources.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: Arc<str>,
    pub(super) tree: Tree,
}

/// The columns that rows are lifted from, in order.
#[doc(hidden)]
pub struct Columns<'c> {
    columns: &'c [Column],
    at: usize,
}

impl<'c> Columns<'c> {
    pub(super) fn of(columns: &'c [Column]) -> Self {
        Columns { columns, at: 0 }
    }

    /// The next one.
    pub fn next_value<T: SqlType>(&mut self) -> Expr<T> {
        let at = self.at;
        self.at += 1;
        Expr::of_lift(match self.columns.get(at) {
            Some(column) => arena::make_column(column.tree.clone(), at),
            None => arena::make(Tree::Null),
        })
    }
}

/// The values that a row is made of.
#[doc(hidden)]
pub struct Fields {
    pub(super) columns: Vec<Column>,
    caller: &'static Location<'static>,
}

impl Fields {
    pub(super) fn of<R: Lifted>(row: &R, caller: &'static Location<'static>) -> Vec<Column> {
        let mut fields = Fields { columns: Vec::with_capacity(R::WIDTH), caller };
        row.lower(&mut fields);
        fields.columns
    }

    /// The next value, under a name.
    pub fn push<T: SqlType>(&mut self, name: &str, value: Expr<T>) {
        self.put(Some(name), value.lift());
    }

    fn put(&mut self, name: Option<&str>, value: Lift) {
        let (tree, _) = arena::tree(value, self.caller);
        let name = match name {
            Some(name) => Arc::from(name),
            None => arena::name(value)
                .or_else(|| tree.column_name())
                .unwrap_or_else(|| Arc::from(format!("column{}", self.columns.len() + 1))),
        };
        self.columns.push(Column { name, tree });
    }
}

/// A row of a result, read value by value.
#[doc(hidden)]
pub struct RowReader<'r> {
    row: &'r Row,
    at: usize,
}

impl<'r> RowReader<'r> {
    pub(super) fn of(row: &'r Row) -> Self {
        RowReader { row, at: 0 }
    }

    /// The next value.
    #[inline]
    pub fn next_value<T: FromSql<'r>>(&mut self) -> Result<T> {
        let at = self.at;
        self.at += 1;
        self.row.get(at)
    }

    /// Whether the next values are all NULL.
    fn are_null(&self, width: usize) -> Result<bool> {
        for at in self.at..self.at + width {
            if !self.row.get_ref(at)?.is_null() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The columns of a result, checked one by one; or the types of a row, noted.
#[doc(hidden)]
pub struct FieldReader<'f> {
    fields: Option<&'f [Field]>,
    types: Vec<DataType>,
}

impl<'f> FieldReader<'f> {
    pub(super) fn of(fields: &'f [Field]) -> Self {
        FieldReader { fields: Some(fields), types: Vec::new() }
    }

    pub(super) fn noting() -> Self {
        FieldReader { fields: None, types: Vec::new() }
    }

    pub(super) fn noted(self) -> Vec<DataType> {
        self.types
    }

    /// Checks the next one.
    pub fn check_next<T: SqlType>(&mut self) -> Result<()> {
        let at = self.types.len();
        self.types.push(T::sql_type());
        let Some(fields) = self.fields else { return Ok(()) };
        let Some(field) = fields.get(at) else { return Err(Error::internal("a result has too few columns")) };
        if <T as FromSql<'_>>::takes(field.data_type) {
            return Ok(());
        }
        let rust = std::any::type_name::<T>();
        let message = format!("column \"{}\" is of type {}, which does not become {rust}", field.name, field.data_type);
        Err(Error::new(ErrorKind::TypeMismatch, message))
    }
}

impl<T: SqlType> Lifted for Expr<T> {
    type Row = T;
    const WIDTH: usize = 1;

    fn lift(columns: &mut Columns<'_>) -> Self {
        columns.next_value()
    }

    fn lower(&self, fields: &mut Fields) {
        fields.put(None, self.lift());
    }

    fn read(row: &mut RowReader<'_>) -> Result<T> {
        row.next_value()
    }

    fn check(columns: &mut FieldReader<'_>) -> Result<()> {
        columns.check_next::<T>()
    }
}

impl<T: SqlType, S: Lifted> Append<S> for Expr<T> {
    type Joined = (Self, S);
}

/// A row that may be missing: the other side of an outer join.
///
/// [`Maybe::get`] gives its values, which are NULL where it is missing. As a row of Rust it is an `Option`, which is `None` where all
/// values are NULL.
///
/// ```
/// use multiloop::Engine;
///
/// let session = Engine::new()?.session();
/// let numbers = session.values([(1_i32, "one"), (2, "two")]);
/// let squares = session.values([(2_i32, 4_i32)]);
/// let joined = numbers
///     .left_join(&squares, |n, s| n.0.eq(s.0))
///     .select(|(_, name, s)| (name, s.get(|s| s.1), s.is_missing()))
///     .order_by(|row| row.0);
/// let rows = [("one".to_owned(), None, true), ("two".to_owned(), Some(4), false)];
/// assert_eq!(joined.collect()?, rows);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Maybe<R> {
    row: R,
}

impl<R: Lifted> Maybe<R> {
    /// A value of the row; NULL in its columns where there is none.
    pub fn get<T: SqlType>(self, value: impl FnOnce(R) -> Expr<T>) -> Expr<T::Optional> {
        value(self.row).retyped()
    }

    /// Whether there is no row: whether all of its values are NULL.
    #[track_caller]
    pub fn is_missing(self) -> Expr<bool> {
        let columns = Fields::of(&self.row, Location::caller());
        let tests = columns.into_iter().map(|column| Tree::is_null(column.tree));
        Expr::of(tests.reduce(Tree::and).unwrap_or(Tree::Boolean(true)))
    }
}

impl<R: Lifted> Lifted for Maybe<R> {
    type Row = Option<R::Row>;
    const WIDTH: usize = R::WIDTH;

    fn lift(columns: &mut Columns<'_>) -> Self {
        Maybe { row: R::lift(columns) }
    }

    fn lower(&self, fields: &mut Fields) {
        self.row.lower(fields);
    }

    fn read(row: &mut RowReader<'_>) -> Result<Self::Row> {
        if row.are_null(R::WIDTH)? {
            row.at += R::WIDTH;
            return Ok(None);
        }
        R::read(row).map(Some)
    }

    fn check(columns: &mut FieldReader<'_>) -> Result<()> {
        R::check(columns)
    }
}

impl<R: Lifted, S: Lifted> Append<S> for Maybe<R> {
    type Joined = (Self, S);
}

macro_rules! tuples {
    ($($of:ident $at:tt),+) => {
        impl<$($of: Lifted),+> Lifted for ($($of,)+) {
            type Row = ($($of::Row,)+);
            const WIDTH: usize = 0 $(+ $of::WIDTH)+;

            fn lift(columns: &mut Columns<'_>) -> Self {
                ($($of::lift(columns),)+)
            }

            fn lower(&self, fields: &mut Fields) {
                $(self.$at.lower(fields);)+
            }

            fn read(row: &mut RowReader<'_>) -> Result<Self::Row> {
                Ok(($($of::read(row)?,)+))
            }

            fn check(columns: &mut FieldReader<'_>) -> Result<()> {
                $($of::check(columns)?;)+
                Ok(())
            }
        }
    };
}

macro_rules! grown {
    ($($of:ident $at:tt),+) => {
        impl<$($of: Lifted,)+ S: Lifted> Append<S> for ($($of,)+) {
            type Joined = ($($of,)+ S,);
        }
    };
}

for_tuples!(tuples);
for_tuples!(shorter grown);
