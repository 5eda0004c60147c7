//! Rows of results as Rust values.
//!
//! [`Rows`] goes over the rows of a result, which it owns; a [`Row`] gives fields by place or name as any type that is [`FromSql`],
//! and whole rows become what is [`FromRow`]: tuples, and structs that derive it (`named` finds their columns). `columns` looks at a batch once, so that a field is read from an Arrow
//! array of a known type; `value` has the fields that types are made from, `from_sql` the types, `to_value` the engine's
//! own values, `rows` the ways to go over rows.
//!
//! | SQL | Rust |
//! |---|---|
//! | boolean | `bool` |
//! | smallint, integer, bigint, oid; numeric without digits behind the point | every integer type (22003 if it does not fit) |
//! | real | `f32` |
//! | real, double precision, numeric, integers | `f64` |
//! | numeric, integers | [`Numeric`](crate::Numeric); [`Decimal`](crate::Decimal) up to 38 digits (else 22003) |
//! | text, varchar, char, name, json, jsonb, enums, … | `&str`, `String`, `Box<str>`, `Arc<str>` |
//! | bytea, uuid | `&[u8]`, `Vec<u8>`; uuid also [`Uuid`](crate::Uuid) and `[u8; 16]` |
//! | date, time | [`Date`](crate::Date), [`Time`](crate::Time) |
//! | timestamp, timestamptz | [`Timestamp`](crate::Timestamp), [`TimestampTz`](crate::TimestampTz) |
//! | interval | [`Interval`](crate::Interval) |
//! | arrays of these | `Vec` |
//! | all but structs, and arrays of them | [`Value`](crate::Value) |
//! | NULL | `Option` |
//!
//! [`Row::text`] gives the text of any value, [`Row::value`] a [`Value`](crate::Value).

mod columns;
mod from_row;
mod from_sql;
mod named;
mod rows;
#[cfg(test)]
mod tests;
mod to_value;
mod value;

pub(crate) use columns::Column;
pub use from_row::FromRow;
pub use from_sql::FromSql;
pub(crate) use from_sql::nearest;
pub use named::{NamedColumns, check_named};
pub use rows::{MappedRows, Rows, TypedRows};
pub use value::{ListRef, ValueRef};

use crate::sight::Sight;
use crate::{Error, ErrorKind, Field, Result, Value};
use columns::Batch;
use multiloop_exec::column::arrow::to_column_of;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What all rows of a result share.
struct Header {
    fields: Vec<Field>,
    sight: Sight,
    /// Where the columns of a struct are that rows become.
    places: OnceLock<named::Places>,
}

/// A row of a result.
///
/// ```
/// use multiloop::Engine;
///
/// let session = Engine::new()?.session();
/// let rows = session.query("SELECT 'Bern' AS city, 90.5 AS km, NULL::date AS day", ())?;
/// for row in rows {
///     let row = row?;
///     assert_eq!(row.get::<&str>("city")?, "Bern");
///     assert_eq!(row.get::<f64>(1)?, 90.5);
///     assert!(row.get::<String>("town").is_err());
/// }
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone)]
pub struct Row {
    batch: Arc<Batch>,
    at: usize,
}

impl Row {
    /// A field by its place, from 0, or its name.
    ///
    /// # Errors
    /// 42703 if there is no such column, 42702 if two have the name, 42804 for a type that the column does not become, 22002
    /// for NULL into a type that has none, 22003 for a number that the type does not hold.
    ///
    /// ```
    /// # let session = multiloop::Engine::new()?.session();
    /// let row = session.query("SELECT 7 AS a, NULL AS b", ())?.next().expect("a row")?;
    /// assert_eq!(row.get::<u8>("a")?, 7);
    /// assert_eq!(row.get::<Option<String>>(1)?, None);
    /// assert_eq!(row.get::<String>(1).unwrap_err().sqlstate(), "22002");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn get<'r, T: FromSql<'r>>(&'r self, column: impl ColumnIndex) -> Result<T> {
        let at = column.place(self.fields())?;
        let value = self.batch.columns[at].value(self.at);
        if value.is_null() && !T::takes(self.fields()[at].data_type) {
            return Err(self.of_column(wrong_type::<T>(&self.fields()[at]), at));
        }
        T::from_sql(value).map_err(|error| self.of_column(error, at))
    }

    /// A field as it is, without a type of its own.
    ///
    /// # Errors
    /// 42703 if there is no such column, 42702 if two have the name.
    ///
    /// ```
    /// use multiloop::ValueRef;
    ///
    /// # let session = multiloop::Engine::new()?.session();
    /// let row = session.query("SELECT 7 AS a", ())?.next().expect("a row")?;
    /// assert!(matches!(row.get_ref("a")?, ValueRef::Integer(7)));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn get_ref(&self, column: impl ColumnIndex) -> Result<ValueRef<'_>> {
        let at = column.place(self.fields())?;
        Ok(self.batch.columns[at].value(self.at))
    }

    /// A field of any type as the text that PostgreSQL shows; None is NULL.
    ///
    /// # Errors
    /// 42703 if there is no such column, 42702 if two have the name.
    ///
    /// ```
    /// # let session = multiloop::Engine::new()?.session();
    /// let row = session.query("SELECT date '2026-01-02', NULL", ())?.next().expect("a row")?;
    /// assert_eq!((row.text(0)?.as_deref(), row.text(1)?), (Some("2026-01-02"), None));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn text(&self, column: impl ColumnIndex) -> Result<Option<String>> {
        let at = column.place(self.fields())?;
        let (value, data_type) = (self.value(at)?, self.fields()[at].data_type);
        Ok((!value.is_null()).then(|| self.batch.header.sight.text_of(&value, data_type)))
    }

    /// A field of any type as the engine holds it: a decimal, say, is its digits.
    ///
    /// # Errors
    /// 42703 if there is no such column, 42702 if two have the name.
    ///
    /// ```
    /// use multiloop::Value;
    ///
    /// # let session = multiloop::Engine::new()?.session();
    /// let row = session.query("SELECT 1.50", ())?.next().expect("a row")?;
    /// assert_eq!(row.value(0)?, Value::Decimal(150));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn value(&self, column: impl ColumnIndex) -> Result<Value> {
        let at = column.place(self.fields())?;
        let field = &self.fields()[at];
        let one = self.batch.columns[at].array().slice(self.at, 1);
        Ok(to_column_of(&one, field)?.value(0, field.data_type))
    }

    /// Names and SQL types of the columns.
    ///
    /// ```
    /// # let session = multiloop::Engine::new()?.session();
    /// let row = session.query("SELECT 7 AS a", ())?.next().expect("a row")?;
    /// assert_eq!(row.fields()[0].name, "a");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn fields(&self) -> &[Field] {
        &self.batch.header.fields
    }

    #[cold]
    fn of_column(&self, error: Error, at: usize) -> Error {
        let field = &self.fields()[at];
        if error.detail().is_some() {
            return error;
        }
        error.with_detail(format!("The column is \"{}\" of type {}.", field.name, field.data_type))
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Row");
        for (at, field) in self.fields().iter().enumerate() {
            match self.text(at) {
                Ok(Some(text)) => shown.field(&field.name, &format_args!("{text}")),
                _ => shown.field(&field.name, &format_args!("NULL")),
            };
        }
        shown.finish()
    }
}

/// The error (42804) for a column that does not become a Rust type.
fn wrong_type<T>(field: &Field) -> Error {
    let message = format!("a value of type {} does not become {}", field.data_type, rust_name::<T>());
    Error::new(ErrorKind::TypeMismatch, message).with_detail(format!("The column is \"{}\".", field.name))
}

/// The name of a Rust type, without the modules of the standard library.
fn rust_name<T>() -> String {
    let mut name = std::any::type_name::<T>().to_owned();
    for module in ["alloc::string::", "alloc::vec::", "alloc::boxed::", "alloc::sync::", "core::option::"] {
        name = name.replace(module, "");
    }
    name
}

/// A column of a row: its place, from 0, or its name.
///
/// ```
/// # let session = multiloop::Engine::new()?.session();
/// let row = session.query("SELECT 7 AS a", ())?.next().expect("a row")?;
/// assert_eq!(row.get::<i32>(0)?, row.get::<i32>("a")?);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait ColumnIndex {
    /// Its place among fields.
    ///
    /// # Errors
    /// 42703 if there is none, 42702 if there are two of the name.
    fn place(&self, fields: &[Field]) -> Result<usize>;
}

impl ColumnIndex for usize {
    #[inline]
    fn place(&self, fields: &[Field]) -> Result<usize> {
        if *self < fields.len() { Ok(*self) } else { Err(no_place(*self, fields.len())) }
    }
}

#[cold]
fn no_place(at: usize, count: usize) -> Error {
    Error::new(ErrorKind::UnknownColumn, format!("there is no column {at}: the row has {count}"))
}

impl ColumnIndex for &str {
    fn place(&self, fields: &[Field]) -> Result<usize> {
        let mut named = fields.iter().enumerate().filter(|(_, field)| field.name == *self);
        match (named.next(), named.next()) {
            (Some((at, _)), None) => Ok(at),
            (None, _) => {
                let names: Vec<String> = fields.iter().map(|field| format!("\"{}\"", field.name)).collect();
                Err(Error::new(ErrorKind::UnknownColumn, format!("column \"{self}\" does not exist"))
                    .with_detail(format!("The row has {}.", names.join(", "))))
            }
            _ => Err(Error::new(ErrorKind::AmbiguousColumn, format!("column reference \"{self}\" is ambiguous"))),
        }
    }
}

impl ColumnIndex for &String {
    fn place(&self, fields: &[Field]) -> Result<usize> {
        self.as_str().place(fields)
    }
}
