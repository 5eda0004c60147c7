//! Universally unique identifiers.

use crate::parameters::{Parameter, ToParameter};
use crate::row::{FromSql, ValueRef};
use crate::{DataType, Error, Result, Value};
use multiloop_planner::evaluate::parse;
use std::fmt;
use std::str::FromStr;

/// A universally unique identifier: SQL's `uuid`.
///
/// ```
/// use multiloop::{Engine, Uuid, params};
///
/// let id: Uuid = "A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11".parse()?;
/// assert_eq!(id.to_string(), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
/// let session = Engine::new()?.session();
/// assert_eq!(session.query_scalar::<Uuid>("SELECT $1::uuid", params![id])?, id);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid([u8; 16]);

impl Uuid {
    /// The one whose bits are all 0.
    pub const NIL: Uuid = Uuid([0; 16]);

    /// The one of these bytes, in the order in which they are printed.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Uuid(bytes)
    }

    /// Its bytes, in the order in which they are printed.
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }

    /// The one of this number, whose first digits are printed first.
    ///
    /// ```
    /// assert_eq!(multiloop::Uuid::from_u128(10).to_string(), "00000000-0000-0000-0000-00000000000a");
    /// ```
    pub const fn from_u128(number: u128) -> Self {
        Uuid(number.to_be_bytes())
    }

    /// Its number.
    pub const fn to_u128(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// Its text, without memory of its own.
    pub(crate) fn encode(self, text: &mut [u8; 36]) -> &str {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut at = 0;
        for (place, byte) in self.0.into_iter().enumerate() {
            if matches!(place, 4 | 6 | 8 | 10) {
                text[at] = b'-';
                at += 1;
            }
            text[at] = DIGITS[usize::from(byte >> 4)];
            text[at + 1] = DIGITS[usize::from(byte & 15)];
            at += 2;
        }
        std::str::from_utf8(text).unwrap_or_default()
    }
}

impl From<[u8; 16]> for Uuid {
    fn from(bytes: [u8; 16]) -> Self {
        Uuid(bytes)
    }
}

impl From<Uuid> for [u8; 16] {
    fn from(uuid: Uuid) -> Self {
        uuid.0
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.encode(&mut [0; 36]))
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As PostgreSQL reads a uuid: with hyphens or without, in braces or without; 22P02 for what is none.
impl FromStr for Uuid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let Value::Text(read) = parse(text, DataType::Uuid)? else {
            return Err(Error::internal("a uuid was read as something else"));
        };
        let digits: String = read.chars().filter(|each| *each != '-').collect();
        let number = u128::from_str_radix(&digits, 16);
        number.map(Uuid::from_u128).map_err(|_| Error::internal("a uuid was read as something else"))
    }
}

impl FromSql<'_> for Uuid {
    #[inline]
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Uuid(bytes) => Ok(Uuid(*bytes)),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        data_type == DataType::Uuid
    }
}

impl ToParameter for Uuid {
    fn to_parameter(&self) -> Parameter {
        (Value::text(self.to_string()), DataType::Uuid).to_parameter()
    }

    fn sql_type() -> DataType {
        DataType::Uuid
    }
}
