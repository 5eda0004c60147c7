//! Exact decimals of up to 38 digits.

use crate::parameters::{Parameter, ToParameter};
use crate::row::{FromSql, ValueRef};
use crate::{DataType, Error, ErrorKind, Numeric, Result};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The most digits.
const DIGITS_MAX: u32 = 38;

/// An exact decimal of up to 38 digits: `unscaled` times 10^-`scale`. What values of decimal(p, s) are in Rust; the scale is the
/// value's own, so that no type names it. [`Numeric`] has values with more digits, NaN and the infinities.
///
/// Decimals of the same value are equal, whatever their scales.
///
/// ```
/// use multiloop::{Decimal, decimal};
///
/// let price: Decimal = "12.50".parse()?;
/// assert_eq!(price, decimal!(12.5));
/// assert_eq!((price.unscaled(), price.scale()), (1250, 2));
/// assert!(price > Decimal::from(12));
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Decimal {
    unscaled: i128,
    scale: u8,
}

impl Decimal {
    /// `unscaled` times 10^-`scale`; None beyond 38 digits.
    pub const fn new(unscaled: i128, scale: u8) -> Option<Self> {
        if scale as u32 > DIGITS_MAX || unscaled.unsigned_abs() >= 10_u128.pow(DIGITS_MAX) {
            return None;
        }
        Some(Decimal { unscaled, scale })
    }

    /// The number without its point.
    pub const fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// How many digits are behind the point.
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        Numeric::new(self.unscaled, self.scale.into()).to_double()
    }

    /// The sum; None beyond 38 digits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Decimal::new(self.at(scale)?.checked_add(other.at(scale)?)?, scale)
    }

    /// The difference; None beyond 38 digits.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Decimal::new(self.at(scale)?.checked_sub(other.at(scale)?)?, scale)
    }

    /// The product, with the digits of both behind its point; None beyond 38 digits.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        Decimal::new(self.unscaled.checked_mul(other.unscaled)?, self.scale.checked_add(other.scale)?)
    }

    /// The same value with fewer or more digits behind the point, rounded half away from zero; None beyond 38 digits.
    #[must_use]
    pub fn rescaled(self, scale: u8) -> Option<Self> {
        if scale >= self.scale {
            return Decimal::new(self.at(scale)?, scale);
        }
        let divisor = 10_i128.pow(u32::from(self.scale - scale));
        let (whole, rest) = (self.unscaled / divisor, self.unscaled % divisor);
        let up = if rest.unsigned_abs() * 2 >= divisor.unsigned_abs() { self.unscaled.signum() } else { 0 };
        Decimal::new(whole + up, scale)
    }

    /// What the `decimal!` macro reads: digits with a sign and a point at most.
    #[doc(hidden)]
    pub const fn of_literal(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mut at, mut unscaled, mut scale, mut digits) = (0, 0_i128, 0_u8, 0_u32);
        let (mut negative, mut behind) = (false, false);
        if !bytes.is_empty() && (bytes[0] == b'-' || bytes[0] == b'+') {
            negative = bytes[0] == b'-';
            at = 1;
        }
        while at < bytes.len() {
            match bytes[at] {
                b'_' | b' ' => {}
                b'.' if !behind => behind = true,
                digit @ b'0'..=b'9' => {
                    if unscaled >= 10_i128.pow(DIGITS_MAX - 1) || scale as u32 >= DIGITS_MAX {
                        return None;
                    }
                    unscaled = unscaled * 10 + (digit - b'0') as i128;
                    digits += 1;
                    scale += behind as u8;
                }
                _ => return None,
            }
            at += 1;
        }
        if digits == 0 {
            return None;
        }
        Decimal::new(if negative { -unscaled } else { unscaled }, scale)
    }

    /// The number without its point at a scale that is not less than its own.
    fn at(self, scale: u8) -> Option<i128> {
        let by = 10_i128.checked_pow(u32::from(scale.checked_sub(self.scale)?))?;
        self.unscaled.checked_mul(by)
    }

    /// Without zeros at the end.
    fn shortest(self) -> (i128, u8) {
        let Decimal { mut unscaled, mut scale } = self;
        while scale > 0 && unscaled % 10 == 0 {
            unscaled /= 10;
            scale -= 1;
        }
        (unscaled, scale)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shortest().hash(state);
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        // What does not fit is the one of fewer digits behind the point, and larger than all that fits.
        match (self.at(scale), other.at(scale)) {
            (Some(own), Some(others)) => own.cmp(&others),
            (None, _) => self.unscaled.cmp(&0),
            (_, None) => 0.cmp(&other.unscaled),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.unscaled.unsigned_abs().to_string();
        let scale = usize::from(self.scale);
        if scale == 0 {
            return f.pad_integral(self.unscaled >= 0, "", &digits);
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, behind) = digits.split_at(digits.len() - scale);
        f.pad_integral(self.unscaled >= 0, "", &format!("{whole}.{behind}"))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The error (22003) for a number that no decimal is.
fn too_large(number: impl fmt::Display) -> Error {
    Error::new(ErrorKind::NumericOverflow, format!("value \"{number}\" is out of range for Decimal"))
}

impl FromStr for Decimal {
    type Err = Error;

    /// As PostgreSQL reads numeric: 22P02 for what is no number, 22003 for one that has more than 38 digits, or is NaN.
    fn from_str(text: &str) -> Result<Self> {
        match Decimal::of_literal(text.trim()) {
            Some(decimal) => Ok(decimal),
            None => Decimal::try_from(&Numeric::parse(text)?),
        }
    }
}

impl TryFrom<&Numeric> for Decimal {
    type Error = Error;

    fn try_from(number: &Numeric) -> Result<Self> {
        let scale = number.scale().and_then(|scale| u8::try_from(scale).ok());
        let decimal = scale.and_then(|scale| Decimal::new(number.unscaled_at(scale)?, scale));
        decimal.ok_or_else(|| too_large(number))
    }
}

impl From<Decimal> for Numeric {
    fn from(decimal: Decimal) -> Self {
        Numeric::new(decimal.unscaled, decimal.scale.into())
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Decimal {
            fn from(integer: $integer) -> Self {
                Decimal { unscaled: integer.into(), scale: 0 }
            }
        })*
    };
}

from_integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl FromSql<'_> for Decimal {
    #[inline]
    fn from_sql(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Decimal { unscaled, scale } => Ok(Decimal { unscaled, scale }),
            ValueRef::Numeric(text) => text.parse(),
            ValueRef::SmallInt(value) => Ok(value.into()),
            ValueRef::Integer(value) => Ok(value.into()),
            ValueRef::BigInt(value) => Ok(value.into()),
            other => Err(other.mismatch::<Self>()),
        }
    }

    fn takes(data_type: DataType) -> bool {
        <Numeric as FromSql<'_>>::takes(data_type)
    }
}

impl ToParameter for Decimal {
    fn to_parameter(&self) -> Parameter {
        Numeric::from(*self).to_parameter()
    }

    fn sql_type() -> DataType {
        DataType::Numeric
    }
}
