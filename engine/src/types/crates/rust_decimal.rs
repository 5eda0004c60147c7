//! The crate `rust_decimal`, whose numbers have up to 28 digits behind the point and an integer of 96 bits.

use super::super::Decimal;
use super::by_own_type;
use crate::{Error, ErrorKind, Result};

by_own_type! {
    ::rust_decimal::Decimal, Decimal, value => Decimal::from(*value);
}

impl From<::rust_decimal::Decimal> for Decimal {
    fn from(decimal: ::rust_decimal::Decimal) -> Self {
        // 96 bits are less than 38 digits.
        Decimal::new(decimal.mantissa(), decimal.scale() as u8).unwrap_or_default()
    }
}

/// The same number; 22003 for one of more digits than `rust_decimal` has.
impl TryFrom<Decimal> for ::rust_decimal::Decimal {
    type Error = Error;

    fn try_from(decimal: Decimal) -> Result<Self> {
        let of = |decimal: Decimal| {
            ::rust_decimal::Decimal::try_from_i128_with_scale(decimal.unscaled(), decimal.scale().into()).ok()
        };
        of(decimal).or_else(|| of(decimal.normalized())).ok_or_else(|| {
            let message = format!("value \"{decimal}\" is out of range for rust_decimal::Decimal");
            Error::new(ErrorKind::NumericOverflow, message)
        })
    }
}
