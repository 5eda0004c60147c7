//! A field of a row, as its column has it: without memory of its own.

use super::columns::Column;
use super::rust_name;
use crate::{Error, ErrorKind, Interval};
use std::fmt;

/// A value of a result, which borrows from its row: what [`FromSql`](super::FromSql) makes Rust values of.
///
/// ```
/// use multiloop::{Engine, ValueRef};
///
/// let session = Engine::new()?.session();
/// for row in session.query("SELECT * FROM (VALUES (1.5), (NULL)) v(a)", ())? {
///     match row?.get_ref("a")? {
///         ValueRef::Decimal { unscaled, scale } => assert_eq!((unscaled, scale), (15, 1)),
///         other => assert!(other.is_null()),
///     }
/// }
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ValueRef<'r> {
    /// NULL, of any type.
    Null,
    /// boolean.
    Boolean(bool),
    /// smallint.
    SmallInt(i16),
    /// integer.
    Integer(i32),
    /// bigint.
    BigInt(i64),
    /// oid and its kin.
    Oid(u32),
    /// real.
    Real(f32),
    /// double precision.
    Double(f64),
    /// numeric whose columns are of one scale: `unscaled` times 10^-`scale`.
    Decimal {
        /// The digits.
        unscaled: i128,
        /// How many of them are behind the point.
        scale: u8,
    },
    /// numeric of any number of digits, as its text.
    Numeric(&'r str),
    /// text, varchar, char, name, json, jsonb, the label of an enum, and all types that are shown as they are.
    Text(&'r str),
    /// bytea.
    Bytes(&'r [u8]),
    /// uuid.
    Uuid(&'r [u8; 16]),
    /// date: days since 1970-01-01; the least and the greatest number are the infinities.
    Date(i32),
    /// time: microseconds since midnight.
    Time(i64),
    /// timestamp: microseconds since 1970-01-01 00:00.
    Timestamp(i64),
    /// timestamp with time zone: microseconds since 1970-01-01 00:00 UTC.
    TimestampTz(i64),
    /// interval.
    Interval(Interval),
    /// An array; one of several dimensions has arrays as elements.
    List(ListRef<'r>),
    /// vector(n): its elements.
    Vector(&'r [f32]),
    /// vector(n, double): its elements.
    DoubleVector(&'r [f64]),
    /// Something else, as a struct: [`Row::text`](super::Row::text) and [`Row::value`](super::Row::value) give it.
    Other,
}

impl ValueRef<'_> {
    /// Whether it is NULL.
    ///
    /// ```
    /// assert!(multiloop::ValueRef::Null.is_null());
    /// ```
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self, ValueRef::Null)
    }

    /// The error for a value that does not become a Rust type: 22002 for NULL, else 42804.
    ///
    /// ```
    /// use multiloop::ValueRef;
    ///
    /// assert_eq!(ValueRef::Null.mismatch::<bool>().sqlstate(), "22002");
    /// assert_eq!(ValueRef::Integer(1).mismatch::<bool>().sqlstate(), "42804");
    /// ```
    #[cold]
    pub fn mismatch<T>(self) -> Error {
        let name = rust_name::<T>();
        if self.is_null() {
            let message = format!("NULL does not become {name}: Option<{name}> takes it");
            return Error::new(ErrorKind::UnexpectedNull, message);
        }
        Error::new(ErrorKind::TypeMismatch, format!("a value of type {} does not become {name}", self.type_name()))
    }

    /// What it is, as SQL names its type.
    fn type_name(self) -> &'static str {
        match self {
            ValueRef::Null => "unknown",
            ValueRef::Boolean(_) => "boolean",
            ValueRef::SmallInt(_) => "smallint",
            ValueRef::Integer(_) => "integer",
            ValueRef::BigInt(_) => "bigint",
            ValueRef::Oid(_) => "oid",
            ValueRef::Real(_) => "real",
            ValueRef::Double(_) => "double precision",
            ValueRef::Decimal { .. } | ValueRef::Numeric(_) => "numeric",
            ValueRef::Text(_) => "text",
            ValueRef::Bytes(_) => "bytea",
            ValueRef::Uuid(_) => "uuid",
            ValueRef::Date(_) => "date",
            ValueRef::Time(_) => "time",
            ValueRef::Timestamp(_) => "timestamp",
            ValueRef::TimestampTz(_) => "timestamptz",
            ValueRef::Interval(_) => "interval",
            ValueRef::List(_) => "array",
            ValueRef::Vector(_) | ValueRef::DoubleVector(_) => "vector",
            ValueRef::Other => "struct, or array of several shapes,",
        }
    }
}

/// The elements of an array of a result.
///
/// ```
/// use multiloop::{Engine, ValueRef};
///
/// let session = Engine::new()?.session();
/// let row = session.query("SELECT array[1, NULL, 3] AS a", ())?.next().expect("a row")?;
/// let ValueRef::List(list) = row.get_ref("a")? else { panic!("it is an array") };
/// assert_eq!((list.len(), list.iter().filter(|value| value.is_null()).count()), (3, 1));
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ListRef<'r> {
    pub(super) elements: &'r Column,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'r> ListRef<'r> {
    /// How many elements there are.
    ///
    /// ```
    /// # use multiloop::{Engine, ValueRef};
    /// # let session = Engine::new()?.session();
    /// let row = session.query("SELECT array[1, 2]", ())?.next().expect("a row")?;
    /// assert!(matches!(row.get_ref(0)?, ValueRef::List(list) if list.len() == 2));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether there is none.
    ///
    /// ```
    /// # use multiloop::{Engine, ValueRef};
    /// # let session = Engine::new()?.session();
    /// let row = session.query("SELECT '{}'::int[]", ())?.next().expect("a row")?;
    /// assert!(matches!(row.get_ref(0)?, ValueRef::List(list) if list.is_empty()));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The elements in order.
    ///
    /// ```
    /// # use multiloop::{Engine, ValueRef};
    /// # let session = Engine::new()?.session();
    /// let row = session.query("SELECT array[1, 2]", ())?.next().expect("a row")?;
    /// let ValueRef::List(list) = row.get_ref(0)? else { panic!("it is an array") };
    /// assert!(list.iter().all(|value| matches!(value, ValueRef::Integer(1 | 2))));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn iter(self) -> impl ExactSizeIterator<Item = ValueRef<'r>> {
        (self.start..self.end).map(move |row| self.elements.value(row))
    }
}

impl fmt::Debug for ListRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
