//! What whole rows become: tuples of up to twelve fields, and structs.

use super::{FromSql, Row, wrong_type};
use crate::tuples::for_tuples;
use crate::{Error, ErrorKind, Field, Result};

/// A type that whole rows become. Tuples do, field by field in the order of the columns; structs with
/// [`#[derive(Row)]`](macro@crate::Row), field by field by name; and types of one's own:
///
/// ```
/// use multiloop::{Engine, FromRow, Result, Row};
///
/// struct Trip {
///     city: String,
///     km: f64,
/// }
///
/// impl FromRow for Trip {
///     fn from_row(row: &Row) -> Result<Self> {
///         Ok(Trip { city: row.get("city")?, km: row.get("km")? })
///     }
/// }
///
/// let session = Engine::new()?.session();
/// let trip: Trip = session.query_one("SELECT 90.5 AS km, 'Bern' AS city", ())?;
/// assert_eq!((trip.city.as_str(), trip.km), ("Bern", 90.5));
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait FromRow: Sized {
    /// The row as this type.
    ///
    /// # Errors
    /// Those of [`Row::get`].
    fn from_row(row: &Row) -> Result<Self>;

    /// Whether rows of these columns become this type: asked once, before the first row.
    ///
    /// # Errors
    /// 42804 for another number of columns, and columns of other types.
    fn check(fields: &[Field]) -> Result<()> {
        let _ = fields;
        Ok(())
    }
}

/// An error (42804) if there is another number of columns.
pub(super) fn check_count(fields: &[Field], needed: usize) -> Result<()> {
    if fields.len() == needed {
        return Ok(());
    }
    let plural = if needed == 1 { "" } else { "s" };
    let message = format!("rows of {needed} column{plural} are needed, these have {}", fields.len());
    Err(Error::new(ErrorKind::TypeMismatch, message))
}

/// An error (42804) if values of a column do not become a type.
pub(super) fn check_column<T: for<'r> FromSql<'r>>(field: &Field) -> Result<()> {
    if <T as FromSql<'_>>::takes(field.data_type) { Ok(()) } else { Err(wrong_type::<T>(field)) }
}

macro_rules! tuple_from_row {
    ($($of:ident $at:tt),*) => {
        impl<$($of: for<'r> FromSql<'r>),*> FromRow for ($($of,)*) {
            fn from_row(row: &Row) -> Result<Self> {
                Ok(($(row.get::<$of>($at)?,)*))
            }

            fn check(fields: &[Field]) -> Result<()> {
                check_count(fields, [$($at),*].len())?;
                $(check_column::<$of>(&fields[$at])?;)*
                Ok(())
            }
        }
    };
}

for_tuples!(tuple_from_row);
