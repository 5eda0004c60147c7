//! The Rust types that fields of a row have, and tuples of them as rows.

use super::row::{AppendRow, RowWriter};
use crate::parameters::{Parameter, ToParameter};
use crate::tuples::for_tuples;
use crate::{Date, Decimal, Interval, Numeric, Result, Time, Timestamp, TimestampTz, Uuid, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// A Rust type whose values an [`Appender`](crate::Appender) takes as fields of rows: those of parameters ([`ToParameter`]), and types
/// of one's own, which write one of these.
///
/// Each is cast to its column's type as INSERT does; a text is read as the column's type, whatever that is.
///
/// ```
/// use multiloop::{AppendField, Engine, Result, RowWriter};
///
/// struct Day(u32);
///
/// impl AppendField for Day {
///     fn append_field(&self, row: &mut RowWriter<'_>) -> Result<()> {
///         row.text(&format!("2026-01-{}", self.0))
///     }
/// }
///
/// let session = Engine::new()?.session();
/// session.sql("CREATE TABLE trips (city text, day date)")?;
/// assert_eq!(session.insert("trips", [("Bern", Some(Day(2))), ("Thun", None)])?, 2);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type that fields of an appended row have",
    note = "there are `bool`, integers, `f32`, `f64`, `String`, `Decimal`, `Numeric`, `Date`, `Time`, `Timestamp`, `TimestampTz`, `Interval`, `Uuid`, `Vec`s and `Option`s of them, and what is `AppendField`"
)]
pub trait AppendField {
    /// Writes the value as the next field: exactly one.
    ///
    /// # Errors
    /// Those of the writer.
    fn append_field(&self, row: &mut RowWriter<'_>) -> Result<()>;
}

macro_rules! append_field {
    ($($rust:ty, $value:ident, $row:ident => $written:expr;)*) => {
        $(impl AppendField for $rust {
            #[inline]
            fn append_field(&self, $row: &mut RowWriter<'_>) -> Result<()> {
                let $value = self;
                $written
            }
        })*
    };
}

append_field! {
    bool, value, row => row.boolean(*value);
    i8, value, row => row.int((*value).into());
    u8, value, row => row.int((*value).into());
    i16, value, row => row.int((*value).into());
    u16, value, row => row.int((*value).into());
    i32, value, row => row.int((*value).into());
    u32, value, row => row.int((*value).into());
    i64, value, row => row.int(*value);
    u64, value, row => large(i128::from(*value), row);
    isize, value, row => row.int(*value as i64);
    usize, value, row => large(*value as i128, row);
    i128, value, row => large(*value, row);
    u128, value, row => match i128::try_from(*value) {
        Ok(value) => large(value, row),
        Err(_) => row.value(&Value::numeric(Numeric::from_integer(*value))),
    };
    f32, value, row => row.real(*value);
    f64, value, row => row.float(*value);
    str, value, row => row.text(value);
    String, value, row => row.text(value);
    Box<str>, value, row => row.text(value);
    Arc<str>, value, row => row.text(value);
    Cow<'_, str>, value, row => row.text(value);
    Numeric, value, row => row.value(&Value::numeric(value.clone()));
    Interval, value, row => row.interval(*value);
    Value, value, row => row.value(value);
    Decimal, value, row => row.decimal(*value);
    Date, value, row => row.date(*value);
    Time, value, row => row.time(*value);
    Timestamp, value, row => row.timestamp(*value);
    TimestampTz, value, row => row.timestamptz(*value);
    Uuid, value, row => row.uuid(*value);
    Parameter, value, row => row.parameter(value);
}

/// A number that bigint may not hold.
fn large(value: i128, row: &mut RowWriter<'_>) -> Result<()> {
    match i64::try_from(value) {
        Ok(value) => row.int(value),
        Err(_) => row.value(&Value::numeric(Numeric::from_integer(value))),
    }
}

impl<T: AppendField> AppendField for Option<T> {
    #[inline]
    fn append_field(&self, row: &mut RowWriter<'_>) -> Result<()> {
        match self {
            Some(value) => value.append_field(row),
            None => row.null(),
        }
    }
}

impl<T: AppendField + ?Sized> AppendField for &T {
    #[inline]
    fn append_field(&self, row: &mut RowWriter<'_>) -> Result<()> {
        (**self).append_field(row)
    }
}

macro_rules! append_array {
    ($(($($of:tt)*), $rust:ty;)*) => {
        $(impl<$($of)*> AppendField for $rust {
            fn append_field(&self, row: &mut RowWriter<'_>) -> Result<()> {
                row.parameter(&T::slice_to_parameter(self))
            }
        })*
    };
}

append_array! {
    (T: ToParameter), [T];
    (T: ToParameter), Vec<T>;
    (T: ToParameter, const N: usize), [T; N];
}

macro_rules! append_tuple {
    ($($of:ident $at:tt),+) => {
        impl<$($of: AppendField),+> AppendRow for ($($of,)+) {
            #[inline]
            fn append_to(&self, row: &mut RowWriter<'_>) -> Result<()> {
                $(self.$at.append_field(row)?;)+
                Ok(())
            }
        }
    };
}

for_tuples!(append_tuple);
