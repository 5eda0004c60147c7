//! What a writer of rows takes of the types that Rust does not have itself: dates, moments, decimals, uuids.
//!
//! A value goes straight into a column of its type. Into a column of another type it goes as INSERT casts it, or it is an error
//! (42804).

use super::row::RowWriter;
use crate::{DataType, Date, Decimal, Error, ErrorKind, Numeric, Result, Time, Timestamp, TimestampTz, Uuid, Value};
use multiloop_planner::evaluate::bytes::to_hex;
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;

impl RowWriter<'_> {
    /// Takes a date; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a date)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.date(multiloop::date!(2024-02-29)))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn date(&mut self, value: Date) -> Result<()> {
        self.moment(value.days().into(), DataType::Date)
    }

    /// Takes a time of day; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a time)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.time(multiloop::time!(12:30)))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn time(&mut self, value: Time) -> Result<()> {
        self.moment(value.micros(), DataType::Time)
    }

    /// Takes a timestamp; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a timestamp)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.timestamp(multiloop::timestamp!(2024-02-29 12:30)))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn timestamp(&mut self, value: Timestamp) -> Result<()> {
        self.moment(value.micros(), DataType::Timestamp)
    }

    /// Takes an instant; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a timestamptz)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.timestamptz(multiloop::TimestampTz::now()))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn timestamptz(&mut self, value: TimestampTz) -> Result<()> {
        self.moment(value.micros(), DataType::TimestampTz)
    }

    /// A number that carries a date, a time or a timestamp.
    #[inline]
    fn moment(&mut self, value: i64, of: DataType) -> Result<()> {
        if self.data_type() == Some(of) && self.columns[self.at].push_int(value) {
            self.at += 1;
            return Ok(());
        }
        self.moment_cast(value, of)
    }

    /// The same into a column of another type, by the text that the session shows.
    #[cold]
    fn moment_cast(&mut self, value: i64, of: DataType) -> Result<()> {
        use DataType::{Date, Interval, Time, TimeTz, Timestamp, TimestampTz};
        let Some(to) = self.data_type() else { return Err(self.wrong_number()) };
        let is_taken = to.is_text()
            || matches!(
                (of, to),
                (Date, Timestamp | TimestampTz)
                    | (Timestamp, Date | Time | TimestampTz)
                    | (TimestampTz, Date | Time | TimeTz | Timestamp)
                    | (Time, Interval | TimeTz)
            );
        if !is_taken {
            return Err(self.of_other_type(of));
        }
        let text = self.sight.text_of(&Value::Int(value), of);
        self.text(&text)
    }

    /// Takes a decimal, which is rounded where a column of decimals has fewer digits behind the point; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a decimal(8,2))")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.decimal(multiloop::decimal!(12.5)))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn decimal(&mut self, value: Decimal) -> Result<()> {
        if let Some(DataType::Decimal { precision, scale }) = self.data_type() {
            let shown = if value.scale() == scale { Some(value) } else { value.rescaled(scale) };
            if let Some(shown) = shown.filter(|shown| shown.unscaled().unsigned_abs() < 10u128.pow(precision.into()))
                && self.columns[self.at].push_wide(shown.unscaled())
            {
                self.at += 1;
                return Ok(());
            }
        }
        self.any(&Value::numeric(value.into()))
    }

    /// Takes a numeric of any number of digits; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::{Engine, Numeric};
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a numeric)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.numeric(&Numeric::from_integer(7)))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn numeric(&mut self, value: &Numeric) -> Result<()> {
        self.any(&Value::numeric(value.clone()))
    }

    /// Takes a real; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a real)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.real(0.5))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[inline]
    pub fn real(&mut self, value: f32) -> Result<()> {
        match self.data_type() {
            Some(DataType::Real) if self.columns[self.at].push_real(value) => {
                self.at += 1;
                Ok(())
            }
            // As it is printed: 0.1 is not what its double is.
            Some(to) if to.is_exact() || to.is_text() => {
                let value = [Value::Float(value.into())];
                let cast = evaluate(Function::AssignCast, &value, &[DataType::Real], to);
                self.any(&cast.map_err(|error| self.of_column(error))?)
            }
            _ => self.float(value.into()),
        }
    }

    /// Takes a uuid; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a uuid)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.uuid(multiloop::Uuid::from_u128(7)))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn uuid(&mut self, value: Uuid) -> Result<()> {
        let mut text = [0; 36];
        self.carried_by_text(value.encode(&mut text), DataType::Uuid)
    }

    /// Takes bytes; see [`RowWriter::value`].
    ///
    /// # Errors
    /// As of [`RowWriter::value`].
    ///
    /// ```
    /// # use multiloop::Engine;
    /// # let session = Engine::new()?.session();
    /// # session.sql("CREATE TABLE t (a bytea)")?;
    /// let mut appender = session.appender("t")?;
    /// appender.push_with(|row| row.bytes(&[0, 255]))?;
    /// assert_eq!(appender.finish()?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.carried_by_text(&to_hex(value), DataType::Bytea)
    }

    /// A text that carries a value of a type.
    pub(super) fn carried_by_text(&mut self, text: &str, of: DataType) -> Result<()> {
        match self.data_type() {
            None => Err(self.wrong_number()),
            Some(to) if to == of => {
                let pushed = self.columns[self.at].push_text(text).map_err(|error| self.of_column(error))?;
                if !pushed {
                    return Err(self.of_other_type(of));
                }
                self.at += 1;
                Ok(())
            }
            Some(to) if to.is_text() => {
                let shown = self.sight.text_of(&Value::text(text), of);
                self.text(&shown)
            }
            Some(_) => Err(self.of_other_type(of)),
        }
    }

    /// The type of the next field's column.
    #[inline]
    fn data_type(&self) -> Option<DataType> {
        self.fields.get(self.at).map(|field| field.data_type)
    }

    /// The error for a value of a type that no cast takes into the column.
    #[cold]
    fn of_other_type(&self, of: DataType) -> Error {
        let Some(field) = self.fields.get(self.at) else { return self.wrong_number() };
        let (name, to) = (&field.name, field.data_type);
        let message = format!("column \"{name}\" is of type {to} but the value is of type {of}");
        self.of_column(Error::new(ErrorKind::TypeMismatch, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, date, decimal, time, timestamp};

    type Write = fn(&mut RowWriter<'_>) -> Result<()>;

    /// What a row of one value of each writer shows in a column of each type; `!` and the SQLSTATE where it is an error.
    #[test]
    fn values_go_into_columns_as_insert_casts_them() {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        session.sql("SET TIME ZONE 'Europe/Zurich'").expect("a zone");
        let date: Write = |row| row.date(date!(2026 - 07 - 01));
        let moment: Write = |row| row.timestamp(timestamp!(2026-07-01 12:30:00.5));
        let instant: Write = |row| row.timestamptz(timestamp!(2026-07-01 22:30).at_utc());
        for (column, write, expected) in [
            ("date", date, "2026-07-01"),
            ("timestamp", date, "2026-07-01 00:00:00"),
            ("timestamptz", date, "2026-07-01 00:00:00+02"),
            ("text", date, "2026-07-01"),
            ("int", date, "!42804"),
            ("date", |row| row.date(Date::INFINITY), "infinity"),
            ("timestamp", |row| row.date(Date::MAX), "!22008"),
            ("date", moment, "2026-07-01"),
            ("time", moment, "12:30:00.5"),
            ("timestamptz", moment, "2026-07-01 12:30:00.5+02"),
            ("varchar(3)", moment, "!22001"),
            ("date", instant, "2026-07-02"),
            ("timestamp", instant, "2026-07-02 00:30:00"),
            ("timestamptz", instant, "2026-07-02 00:30:00+02"),
            ("uuid", instant, "!42804"),
            ("time", |row| row.time(time!(24:00)), "24:00:00"),
            ("interval", |row| row.time(time!(1:30)), "01:30:00"),
            ("date", |row| row.time(time!(1:30)), "!42804"),
            ("decimal(4,2)", |row| row.decimal(decimal!(1.005)), "1.01"),
            ("decimal(4,2)", |row| row.decimal(decimal!(99.99)), "99.99"),
            ("decimal(4,2)", |row| row.decimal(decimal!(100)), "!22003"),
            ("numeric", |row| row.decimal(decimal!(1.50)), "1.50"),
            ("double precision", |row| row.decimal(decimal!(0.1)), "0.1"),
            ("bigint", |row| row.decimal(decimal!(2.5)), "3"),
            ("text", |row| row.decimal(decimal!(-0.50)), "-0.50"),
            ("date", |row| row.decimal(decimal!(1)), "!42804"),
            ("decimal(4,2)", |row| row.numeric(&"1e-9".parse::<Decimal>()?.into()), "0.00"),
            ("real", |row| row.real(0.1), "0.1"),
            ("real", |row| row.real(f32::NAN), "NaN"),
            ("double precision", |row| row.real(0.5), "0.5"),
            ("numeric", |row| row.real(0.1), "0.1"),
            ("text", |row| row.real(0.1), "0.1"),
            ("uuid", |row| row.uuid(Uuid::from_u128(10)), "00000000-0000-0000-0000-00000000000a"),
            ("text", |row| row.uuid(Uuid::from_u128(10)), "00000000-0000-0000-0000-00000000000a"),
            ("bytea", |row| row.uuid(Uuid::NIL), "!42804"),
            ("bytea", |row| row.bytes(&[0, 255]), "\\x00ff"),
            ("int", |row| row.bytes(&[0, 255]), "!42804"),
        ] {
            session.sql(&format!("CREATE OR REPLACE TABLE t (a {column})")).expect(column);
            let mut appender = session.appender("t").expect("a table");
            let shown = match appender.push_with(write).and_then(|()| appender.finish()) {
                Ok(_) => session.query_scalar::<String>("SELECT a::text FROM t", ()).expect(column),
                Err(error) => format!("!{}", error.sqlstate()),
            };
            assert_eq!(shown, expected, "{column}");
        }
    }
}
