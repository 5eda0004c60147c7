//! Rows for an appender, and the writer that takes their values one by one.

use super::cells::Cells;
use super::coerce::coerced;
use crate::parameters::ToParameter;
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Interval, Result, Value};
use multiloop_planner::evaluate::check_text;
use multiloop_planner::types::Field;

/// A row that an [`Appender`](crate::Appender) takes: tuples are, slices, arrays and vectors of [`Value`]s, structs with
/// [`#[derive(Row)]`](macro@crate::Row), and whatever writes its fields.
///
/// ```
/// use multiloop::{AppendRow, Engine, Result, RowWriter};
///
/// struct Fruit {
///     name: String,
///     weight: Option<f64>,
/// }
///
/// impl AppendRow for Fruit {
///     fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()> {
///         row.text(&self.name)?;
///         match self.weight {
///             Some(weight) => row.float(weight),
///             None => row.null(),
///         }
///     }
/// }
///
/// let session = Engine::new()?.session();
/// session.sql("CREATE TABLE fruit (name text, weight double precision)")?;
/// let mut appender = session.appender("fruit")?;
/// appender.push(&Fruit { name: "apple".to_owned(), weight: Some(0.2) })?;
/// appender.push(&Fruit { name: "pear".to_owned(), weight: None })?;
/// assert_eq!(appender.finish()?, 2);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait AppendRow {
    /// Writes the fields of the row, in the order of the appender's columns.
    ///
    /// # Errors
    /// Those of the writer; then none of the row is taken.
    fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()>;

    /// The names of the columns that the fields are of, in order. None are all columns of the table in order, whatever their names.
    #[inline]
    fn columns() -> &'static [&'static str] {
        &[]
    }
}

impl AppendRow for [Value] {
    fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()> {
        self.iter().try_for_each(|value| row.value(value))
    }
}

impl<const N: usize> AppendRow for [Value; N] {
    fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()> {
        self.as_slice().append_to(row)
    }
}

impl AppendRow for Vec<Value> {
    fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()> {
        self.as_slice().append_to(row)
    }
}

impl<R: AppendRow + ?Sized> AppendRow for &R {
    fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()> {
        (**self).append_to(row)
    }

    #[inline]
    fn columns() -> &'static [&'static str] {
        R::columns()
    }
}

/// Takes the fields of one row in order, each cast to its column's type as INSERT does. See [`AppendRow`].
///
/// ```
/// # use multiloop::Engine;
/// # let session = Engine::new()?.session();
/// # session.sql("CREATE TABLE t (a text, b real)")?;
/// let mut appender = session.appender("t")?;
/// appender.push_with(|row| {
///     row.text("x")?;
///     row.float(0.5)
/// })?;
/// assert_eq!(appender.finish()?, 1);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Debug)]
pub struct RowWriter<'a> {
    pub(super) columns: &'a mut [Cells],
    pub(super) fields: &'a [Field],
    table: &'a str,
    pub(super) sight: &'a Sight,
    /// The column of the next field.
    pub(super) at: usize,
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(columns: &'a mut [Cells], fields: &'a [Field], table: &'a str, sight: &'a Sight) -> Self {
        RowWriter { columns, fields, table, sight, at: 0 }
    }

    /// An error for a row of too few fields.
    pub(super) fn check_all(&self) -> Result<()> {
        if self.at == self.fields.len() {
            return Ok(());
        }
        Err(self.wrong_number())
    }

    pub(super) fn wrong_number(&self) -> Error {
        let than = if self.at < self.fields.len() { self.at.to_string() } else { "more".to_owned() };
        let message = format!("a row of {} columns is needed, {than} were given", self.fields.len());
        Error::new(ErrorKind::Syntax, message)
    }

    /// The column at which an error is.
    pub(super) fn of_column(&self, error: Error) -> Error {
        self.fields.get(self.at).map_or(error.clone(), |field| error.of_column(&field.name))
    }

    /// Takes a field.
    ///
    /// # Errors
    /// 23502 for NULL where none may be; 42804, 22003, 22001, 22P02 and the like for what the column does not take; 42601 for more
    /// fields than there are columns.
    ///
    /// ```
    /// use multiloop::{Engine, Value};
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE t (a smallint, b date)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| {
    ///     row.value(&Value::Int(1))?;
    ///     row.value(&Value::text("2024-02-29"))
    /// })?;
    /// let error = appender.push(&[Value::Int(70_000), Value::Null]).unwrap_err();
    /// assert_eq!(error.sqlstate(), "22003");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Null => self.null(),
            Value::Int(value) => self.int(*value),
            Value::Text(text) => self.text_or(text, value),
            other => self.any(other),
        }
    }

    pub(super) fn any(&mut self, value: &Value) -> Result<()> {
        let Some(field) = self.fields.get(self.at) else { return Err(self.wrong_number()) };
        let done = coerced(value, field, self.sight).and_then(|value| self.columns[self.at].push(&value));
        done.map_err(|error| self.of_column(error))?;
        self.at += 1;
        Ok(())
    }

    /// Takes a NULL; see [`RowWriter::value`].
    ///
    /// # Errors
    /// 23502 where none may be.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.null())?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn null(&mut self) -> Result<()> {
        let Some(field) = self.fields.get(self.at) else { return Err(self.wrong_number()) };
        if !field.nullable {
            let (name, table) = (&field.name, self.table);
            let message =
                format!("null value in column \"{name}\" of relation \"{table}\" violates not-null constraint");
            return Err(Error::new(ErrorKind::NotNullViolation, message).of_column(name));
        }
        self.columns[self.at].push_null();
        self.at += 1;
        Ok(())
    }

    /// Takes an integer; of a date column it is the days since 1970, of a time or a timestamp the microseconds. See
    /// [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bigint)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.int(1))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn int(&mut self, value: i64) -> Result<()> {
        let is_plain = match self.fields.get(self.at).map(|field| field.data_type) {
            Some(DataType::BigInt) => true,
            Some(DataType::Integer) => i32::try_from(value).is_ok(),
            Some(DataType::SmallInt) => i16::try_from(value).is_ok(),
            _ => false,
        };
        if is_plain && self.columns[self.at].push_int(value) {
            self.at += 1;
            return Ok(());
        }
        self.any(&Value::Int(value))
    }

    /// Takes a double; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a double precision)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.float(0.5))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn float(&mut self, value: f64) -> Result<()> {
        if self.columns.get_mut(self.at).is_some_and(|column| column.push_double(value)) {
            self.at += 1;
            return Ok(());
        }
        self.any(&Value::Float(value))
    }

    /// Takes a boolean; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a boolean)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.boolean(true))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn boolean(&mut self, value: bool) -> Result<()> {
        if self.type_is(DataType::Boolean) && self.columns[self.at].push_boolean(value) {
            self.at += 1;
            return Ok(());
        }
        self.any(&Value::Boolean(value))
    }

    /// Takes an interval; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a interval)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.interval(multiloop::Interval { days: 1, ..Default::default() }))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn interval(&mut self, value: Interval) -> Result<()> {
        self.any(&Value::Interval(value))
    }

    /// Takes a text, which is read as a literal where the column is of another type; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a date)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.text("2024-02-29"))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn text(&mut self, text: &str) -> Result<()> {
        if self.is_plain_text() { self.plain_text(text) } else { self.any(&Value::text(text)) }
    }

    /// Takes a value of any type of parameters, if it is one of the column's type without losing anything: an array, or bytes.
    ///
    /// # Errors
    /// 42804 for one of another type; else as of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a int[], b bytea)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| {
    ///     row.parameter(&[1, 2])?;
    ///     row.parameter(&[0_u8, 255])
    /// })?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn parameter(&mut self, value: &(impl ToParameter + ?Sized)) -> Result<()> {
        let Some(field) = self.fields.get(self.at) else { return Err(self.wrong_number()) };
        let (to, parameter) = (field.data_type, value.to_parameter());
        let found = parameter.value_as(to, self.sight).map_err(|error| self.of_column(error))?;
        match found {
            Some(Value::Null) => self.null(),
            // Bytes are their digits, which a literal of these is not.
            Some(Value::Text(digits)) if to == DataType::Bytea => self.carried_by_text(&digits, to),
            Some(value) => self.any(&value),
            None => {
                let (name, own) = (&field.name, parameter.own_type(to));
                let message = format!("column \"{name}\" is of type {to} but the value is of type {own}");
                Err(Error::new(ErrorKind::TypeMismatch, message).of_column(name))
            }
        }
    }

    #[inline]
    fn type_is(&self, data_type: DataType) -> bool {
        self.fields.get(self.at).is_some_and(|field| field.data_type == data_type)
    }

    fn text_or(&mut self, text: &str, value: &Value) -> Result<()> {
        if self.is_plain_text() { self.plain_text(text) } else { self.any(value) }
    }

    #[inline]
    fn is_plain_text(&self) -> bool {
        self.fields.get(self.at).is_some_and(|field| matches!(field.data_type, DataType::Text | DataType::VARCHAR))
    }

    #[inline]
    fn plain_text(&mut self, text: &str) -> Result<()> {
        let done = check_text(text).and_then(|()| self.columns[self.at].push_text(text));
        done.map_err(|error| self.of_column(error))?;
        self.at += 1;
        Ok(())
    }
}
