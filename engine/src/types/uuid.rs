//! Identifiers.

use crate::parameters::{Parameter, ToParameter};
use crate::row::{FromSql, ValueRef};
use crate::{DataType, Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

/// A uuid: 16 bytes.
///
/// ```
/// use multiloop::Uuid;
///
/// let id: Uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11".parse()?;
/// assert_eq!(id.bytes()[0], 0xa0);
/// assert_eq!(id.to_string(), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Uuid([u8; 16]);

impl Uuid {
    /// That of 16 bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Uuid(bytes)
    }

    /// Its bytes.
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Uuid {
    type Err = Error;

    /// 32 hexadecimal digits, with hyphens or without, in braces or not: 22P02 for others.
    fn from_str(text: &str) -> Result<Self> {
        let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text.trim());
        let digits: Option<Vec<u8>> =
            inner.chars().filter(|&c| c != '-').map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 32).ok_or_else(|| {
            Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type uuid: \"{text}\""))
        })?;
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Uuid(bytes))
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
        self.to_string().to_parameter()
    }

    fn sql_type() -> DataType {
        DataType::Uuid
    }
}
