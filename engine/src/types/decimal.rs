//! Exact numbers of up to 38 digits.

use crate::parameters::{Parameter, ToParameter};
use crate::row::{FromSql, ValueRef, nearest};
use crate::{DataType, Error, ErrorKind, Numeric, Result};
use multiloop_planner::evaluate::decimal::{power_of_ten, rescale};
use multiloop_planner::evaluate::format::format_decimal;
use multiloop_planner::numeric::small::SmallNumeric;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// An exact number of up to 38 digits with a scale of its own, how many of them are behind the point: SQL's `decimal` and
/// `numeric`. Numbers are equal, ordered and hashed by value, whatever their scales; `1.50` prints all its digits.
///
/// ```
/// use multiloop::{Decimal, decimal};
///
/// let price: Decimal = "12.50".parse()?;
/// assert_eq!(price, decimal!(12.5));
/// assert_eq!(price.checked_mul(3.into()).expect("of few digits").to_string(), "37.50");
/// assert_eq!(Decimal::try_from(0.1)?, decimal!(0.1));
/// assert_eq!(price.to_f64(), 12.5);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Decimal {
    unscaled: i128,
    scale: u8,
}

/// What a number of all digits is less than.
const LIMIT: u128 = 10u128.pow(Decimal::SCALE_MAX as u32);

impl Decimal {
    /// 0.
    pub const ZERO: Decimal = Decimal { unscaled: 0, scale: 0 };
    /// 1.
    pub const ONE: Decimal = Decimal { unscaled: 1, scale: 0 };
    /// Digits that a number has at most, and that may be behind the point.
    pub const SCALE_MAX: u8 = 38;

    /// `unscaled` times 10^-`scale`; None beyond 38 digits.
    ///
    /// ```
    /// use multiloop::{Decimal, decimal};
    ///
    /// assert_eq!(Decimal::new(1250, 2), Some(decimal!(12.50)));
    /// ```
    pub const fn new(unscaled: i128, scale: u8) -> Option<Self> {
        if scale > Decimal::SCALE_MAX || unscaled.unsigned_abs() >= LIMIT {
            None
        } else {
            Some(Decimal { unscaled, scale })
        }
    }

    /// All its digits.
    pub const fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// How many of its digits are behind the point.
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// Whether it is 0.
    pub const fn is_zero(self) -> bool {
        self.unscaled == 0
    }

    /// Whether it is less than 0.
    pub const fn is_negative(self) -> bool {
        self.unscaled < 0
    }

    /// The number without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Decimal { unscaled: self.unscaled.abs(), scale: self.scale }
    }

    /// The sum, with the larger scale; None for more than 38 digits.
    ///
    /// ```
    /// use multiloop::decimal;
    ///
    /// assert_eq!(decimal!(0.1).checked_add(decimal!(0.20)).map(|sum| sum.to_string()), Some("0.30".to_owned()));
    /// ```
    pub fn checked_add(self, other: Self) -> Option<Self> {
        of_small(self.small().checked_add(other.small())?)
    }

    /// The difference, with the larger scale; None for more than 38 digits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        of_small(self.small().checked_subtract(other.small())?)
    }

    /// The product, with the digits of both; None for more than 38 digits.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        of_small(self.small().checked_multiply(other.small())?)
    }

    /// The same value with fewer or more digits behind the point, rounded half away from zero as SQL does; None beyond 38 digits.
    ///
    /// ```
    /// use multiloop::decimal;
    ///
    /// assert_eq!(decimal!(-1.25).rescaled(1), Some(decimal!(-1.3)));
    /// assert_eq!(decimal!(1.5).rescaled(2).map(|number| number.to_string()), Some("1.50".to_owned()));
    /// ```
    #[must_use]
    pub fn rescaled(self, scale: u8) -> Option<Self> {
        if scale > Decimal::SCALE_MAX {
            return None;
        }
        Decimal::new(rescale(self.unscaled, self.scale, scale)?, scale)
    }

    /// The same number without zeros at the end behind the point.
    #[must_use]
    pub fn normalized(self) -> Self {
        let Decimal { mut unscaled, mut scale } = self;
        while scale > 0 && unscaled % 10 == 0 {
            (unscaled, scale) = (unscaled / 10, scale - 1);
        }
        Decimal { unscaled, scale }
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        nearest(self.unscaled, self.scale)
    }

    fn small(self) -> SmallNumeric {
        SmallNumeric::new(self.unscaled, self.scale.into())
    }

    /// What is before the point, rounded down, and as many digits behind it as there can be.
    fn parts(self) -> (i128, i128) {
        let unit = power_of_ten(self.scale);
        let rest = self.unscaled.rem_euclid(unit);
        (self.unscaled.div_euclid(unit), rest * power_of_ten(Decimal::SCALE_MAX - self.scale))
    }
}

fn of_small(small: SmallNumeric) -> Option<Decimal> {
    let shown = Numeric::from(small);
    let scale = u8::try_from(shown.scale()?).ok()?;
    Decimal::new(shown.unscaled_at(scale)?, scale)
}

#[cold]
fn too_long(shown: impl fmt::Display) -> Error {
    Error::new(ErrorKind::NumericOverflow, format!("value \"{shown}\" is out of range for Decimal"))
        .with_hint("A Decimal has up to 38 digits; Numeric has any number of them.")
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.scale == other.scale {
            return self.unscaled.cmp(&other.unscaled);
        }
        self.parts().cmp(&other.parts())
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Decimal { unscaled, scale } = self.normalized();
        (unscaled, scale).hash(state);
    }
}

impl std::ops::Neg for Decimal {
    type Output = Decimal;

    fn neg(self) -> Decimal {
        Decimal { unscaled: -self.unscaled, scale: self.scale }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_decimal(self.unscaled, self.scale))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As PostgreSQL reads a numeric. 22P02 for what is no number, 22003 for NaN, the infinities and more than 38 digits.
impl FromStr for Decimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Decimal::try_from(&Numeric::parse(text)?)
    }
}

impl From<Decimal> for Numeric {
    fn from(decimal: Decimal) -> Self {
        Numeric::new(decimal.unscaled, decimal.scale.into())
    }
}

/// The same number; 22003 for NaN, the infinities and more than 38 digits.
impl TryFrom<&Numeric> for Decimal {
    type Error = Error;

    fn try_from(number: &Numeric) -> Result<Self> {
        let of_digits = |number: &Numeric| {
            let small = number.small()?;
            let scale = u8::try_from(number.scale()?).ok().filter(|&scale| scale <= Decimal::SCALE_MAX)?;
            (Decimal::new(number.unscaled_at(scale)?, scale)).filter(|_| Numeric::from(small) == *number)
        };
        of_digits(number).or_else(|| of_digits(&number.trim_scale())).ok_or_else(|| too_long(number))
    }
}

/// The number that the double prints, which is the shortest that is read as it; 22003 for NaN, the infinities and what has more
/// than 38 digits.
impl TryFrom<f64> for Decimal {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self> {
        if value.is_finite() { format!("{value}").parse() } else { Err(too_long(value)) }
    }
}

macro_rules! from_integer {
    ($($rust:ty),*) => {
        $(impl From<$rust> for Decimal {
            fn from(integer: $rust) -> Self {
                Decimal { unscaled: integer.into(), scale: 0 }
            }
        })*
    };
}

from_integer!(i8, u8, i16, u16, i32, u32, i64, u64);

/// 22003 for more than 38 digits.
impl TryFrom<i128> for Decimal {
    type Error = Error;

    fn try_from(integer: i128) -> Result<Self> {
        Decimal::new(integer, 0).ok_or_else(|| too_long(integer))
    }
}

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
