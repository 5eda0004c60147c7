//! How long strings and how wide decimals may be.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::check_type_length;
use crate::types::{BITS_MAX, DECIMAL_DIGITS_MAX, DataType, LENGTH_FREE, VECTOR_LENGTH_MAX};

/// A decimal type of so many digits, so many of them behind the point; 22023 out of range.
pub fn decimal(precision: u64, scale: i64) -> Result<DataType> {
    let precision = u8::try_from(precision).ok().filter(|digits| (1..=DECIMAL_DIGITS_MAX).contains(digits));
    let Some(precision) = precision else {
        let message = format!("NUMERIC precision must be between 1 and {DECIMAL_DIGITS_MAX}");
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    };
    let Some(scale) = u8::try_from(scale).ok().filter(|scale| *scale <= precision) else {
        let message = format!("NUMERIC scale must be between 0 and the precision {precision}, not {scale}");
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    };
    Ok(DataType::decimal(precision, scale))
}

/// The length of a string type of this name; 22023 out of range.
pub fn characters(name: &str, length: u64) -> Result<u32> {
    check_type_length(name, length)?;
    Ok(u32::try_from(length).expect("checked against the maximum"))
}

/// The length of a bit string type of this name, `bit` or `varbit`; 22023 out of range.
pub fn bits(name: &str, length: u64) -> Result<u32> {
    let message = match u32::try_from(length) {
        Ok(0) => format!("length for type {name} must be at least 1"),
        Ok(length) if length <= BITS_MAX => return Ok(length),
        _ => format!("length for type {name} cannot exceed {BITS_MAX}"),
    };
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

/// A vector type with elements of a type, of a length that is written so; 22023 out of range.
pub fn vector(of: DataType, length: &str) -> Result<DataType> {
    match length.parse::<u32>() {
        Ok(length) if (1..=VECTOR_LENGTH_MAX).contains(&length) => Ok(DataType::vector(of, length)),
        _ => {
            let message = format!("dimensions of type vector must be between 1 and {VECTOR_LENGTH_MAX}, not {length}");
            Err(Error::new(ErrorKind::InvalidParameter, message))
        }
    }
}

/// An error for a type that was made without a look at the limits, or is the one of what has no type yet (42704).
pub(super) fn check(data_type: DataType) -> Result<()> {
    match data_type {
        DataType::Null => Err(Error::new(ErrorKind::UnknownObject, format!("type \"{data_type}\" does not exist"))),
        DataType::Decimal { precision, scale } => decimal(precision.into(), scale.into()).map(drop),
        DataType::Varchar(length) if length != LENGTH_FREE => characters("varchar", length.into()).map(drop),
        DataType::Char(length) if length != LENGTH_FREE => characters("char", length.into()).map(drop),
        DataType::Bit(length) if length != LENGTH_FREE => bits("bit", length.into()).map(drop),
        DataType::VarBit(length) if length != LENGTH_FREE => bits("varbit", length.into()).map(drop),
        _ => Ok(()),
    }
}
