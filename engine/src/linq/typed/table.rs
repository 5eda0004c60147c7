//! Tables as queries: structs that name a table's columns, and the check that the table has them.

use super::query::{Query, columns_of, fresh};
use super::record::Lifted;
use crate::linq::block::Source;
use crate::linq::tree::Alias;
use crate::row::FromRow;
use crate::session::{AppendRow, Session};
use crate::{DataType, Error, ErrorKind, Field, Result};
use multiloop_planner::relation::builder::did_you_mean;
use std::sync::Arc;

/// A struct whose fields are columns of a table, so that queries see them: what `#[derive(Row)]` makes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct whose fields are columns",
    note = "`#[derive(multiloop::Row)]` makes it one, unless it says `#[row(untyped)]`"
)]
pub trait Record: FromRow + AppendRow + 'static {
    /// A row of it in a query: the struct's lifted twin.
    type Expr: Lifted<Row = Self>;

    /// The table that `#[row(table = "…")]` names.
    const TABLE: Option<&'static str>;

    /// Its columns, in the order of the fields.
    fn record() -> &'static [RecordColumn];
}

/// A column of a [`Record`].
#[derive(Clone, Copy, Debug)]
pub struct RecordColumn {
    /// The name of the column.
    pub name: &'static str,
    /// The field: `Lineitem::quantity`.
    pub member: &'static str,
    /// The field's type, as the struct writes it.
    pub rust_type: &'static str,
    /// Whether that takes NULL.
    pub is_optional: bool,
    /// The SQL type of its values.
    pub sql_type: fn() -> DataType,
    /// Whether values of an SQL type are of the field's.
    pub is_of: fn(DataType) -> bool,
}

/// Checks that a table has a record's columns.
///
/// # Errors
/// 42703 for a column that it does not have, 42804 for one of another type: the first one.
pub fn check_schema<T: Record>(table: &str, fields: &[Field]) -> Result<()> {
    for column in T::record() {
        let RecordColumn { name, member, rust_type, .. } = column;
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            let message =
                format!("column \"{name}\" of table \"{table}\" does not exist, but the field {member} needs it");
            let error = Error::new(ErrorKind::UnknownColumn, message).of_column(name);
            return Err(did_you_mean(error, name, fields.iter().map(|field| field.name.as_str())));
        };
        if (column.is_of)(field.data_type) {
            continue;
        }
        let (is, of) = (field.data_type, (column.sql_type)());
        let message =
            format!("column \"{name}\" of table \"{table}\" is {is}, but the field {member} is {rust_type} ({of})");
        return Err(Error::new(ErrorKind::TypeMismatch, message).of_column(name));
    }
    Ok(())
}

impl Session {
    /// The table of a struct with `#[derive(Row)]` and `#[row(table = "…")]` as a query, whose rows are the struct's lifted twin. That
    /// the table has the struct's columns is checked at once.
    ///
    /// # Errors
    /// Those of [`Session::rows_in`]; 42P01 if the struct names no table.
    ///
    /// ```
    /// use multiloop::{Engine, Row};
    ///
    /// #[derive(Row, Debug, PartialEq)]
    /// #[row(table = "trips")]
    /// struct Trip {
    ///     city: String,
    ///     km: i64,
    /// }
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE trips (city text, km bigint)")?;
    /// session.insert("trips", [("Bern", 90), ("Thun", 30)])?;
    /// let trips = session.rows_of::<Trip>()?;
    /// let far = trips.filter(|trip| trip.km.gt(50));
    /// assert_eq!(far.collect()?, [Trip { city: "Bern".to_owned(), km: 90 }]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn rows_of<T: Record>(&self) -> Result<Query<'_, T::Expr>> {
        let Some(table) = T::TABLE else {
            let message = format!("{} names no table", std::any::type_name::<T>());
            return Err(Error::new(ErrorKind::UnknownTable, message)
                .with_hint("`#[row(table = \"…\")]` on the struct does; `Session::rows_in` takes any table."));
        };
        self.rows_in::<T>(table)
    }

    /// A table or view of the search path, or a file, by the name that [`Session::table`] takes, as a query whose rows are a struct's
    /// lifted twin. That it has the struct's columns is checked at once; it may have more.
    ///
    /// # Errors
    /// 42P01 if there is no such table, 42703 for a column that it does not have, 42804 for one that is not of the field's type;
    /// those of any statement.
    ///
    /// ```
    /// use multiloop::{Engine, Row};
    ///
    /// #[derive(Row, Debug, PartialEq)]
    /// struct Trip {
    ///     city: String,
    ///     km: i64,
    /// }
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE trips (id int, city text, km double precision)")?;
    /// let error = session.rows_in::<Trip>("trips").unwrap_err();
    /// let message = "column \"km\" of table \"trips\" is double precision, but the field Trip::km is i64 (bigint)";
    /// assert_eq!(error.message(), message);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn rows_in<T: Record>(&self, table: &str) -> Result<Query<'_, T::Expr>> {
        // The table is looked up as a query does that reads it, with what the session may see.
        let fields = self.table(table).fields()?;
        check_schema::<T>(table, &fields)?;
        let alias = Alias::Numbered { id: fresh(), base: Arc::from(table.rsplit('/').next().unwrap_or(table)) };
        let names = T::record().iter().map(|column| Arc::from(column.name));
        let columns = columns_of(&alias, names);
        let source = Source::Table { name: table.to_owned(), alias: Some(alias) };
        Ok(Query::of_source(self, source, columns))
    }
}
