//! What gives exact results, or rounds at a scale that is said.

use super::Numeric::{self, Finite, Infinity, NaN, NegativeInfinity};
use super::{SCALE_MAX, digits_of, divide_rounded, power_of_ten, scale, words};
use crate::error::{Error, ErrorKind, Result};
use crate::meter;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

pub(super) fn division_by_zero() -> Error {
    Error::new(ErrorKind::DivisionByZero, "division by zero")
}

/// Both numbers' digits at the larger of their scales.
fn aligned(a: (&BigInt, u32), b: (&BigInt, u32)) -> (BigInt, BigInt, u32) {
    let scale = a.1.max(b.1);
    let at = |(unscaled, own): (&BigInt, u32)| {
        if own == scale { unscaled.clone() } else { unscaled * power_of_ten(scale - own) }
    };
    (at(a), at(b), scale)
}

impl Numeric {
    /// `-self`.
    #[must_use]
    pub fn negate(&self) -> Numeric {
        match self {
            NaN => NaN,
            Infinity => NegativeInfinity,
            NegativeInfinity => Infinity,
            Finite { unscaled, scale } => Numeric::new(-unscaled, *scale),
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Numeric {
        if self.signum() == Some(-1) { self.negate() } else { self.clone() }
    }

    /// `self + other`, of the larger scale.
    pub fn add(&self, other: &Numeric) -> Result<Numeric> {
        match (self, other) {
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                let (a, b, scale) = aligned((a, *a_scale), (b, *b_scale));
                Numeric::new(a + b, scale).checked()
            }
            (NaN, _) | (_, NaN) | (Infinity, NegativeInfinity) | (NegativeInfinity, Infinity) => Ok(NaN),
            (Finite { .. }, special) | (special, _) => Ok(special.clone()),
        }
    }

    /// `self - other`, of the larger scale.
    pub fn subtract(&self, other: &Numeric) -> Result<Numeric> {
        self.add(&other.negate())
    }

    /// `self * other`, of both scales' sum.
    pub fn multiply(&self, other: &Numeric) -> Result<Numeric> {
        match (self, other) {
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                meter::spend(words(a).saturating_mul(words(b)))?;
                Numeric::new(a * b, a_scale + b_scale).checked()
            }
            _ => Ok(match (self.signum(), other.signum()) {
                (Some(a), Some(b)) if a * b > 0 => Infinity,
                (Some(a), Some(b)) if a * b < 0 => NegativeInfinity,
                _ => NaN,
            }),
        }
    }

    /// `self / other`, with PostgreSQL's number of digits (`select_div_scale`).
    pub fn divide(&self, other: &Numeric) -> Result<Numeric> {
        match (self, other) {
            (NaN, _) | (_, NaN) => Ok(NaN),
            (_, zero) if zero.is_zero() => Err(division_by_zero()),
            (Finite { .. }, Finite { .. }) => self.divide_to(other, scale::of_quotient(self, other)).checked(),
            (Finite { .. }, _) => Ok(Numeric::zero(0)),
            (special, Finite { .. }) => Ok(if other.signum() == Some(-1) { special.negate() } else { special.clone() }),
            _ => Ok(NaN),
        }
    }

    /// The quotient of two finite numbers, the other not zero, rounded to a scale.
    pub(super) fn divide_to(&self, other: &Numeric, to: u32) -> Numeric {
        let (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) = (self, other) else {
            return NaN;
        };
        let shift = i64::from(to) + i64::from(*b_scale) - i64::from(*a_scale);
        let factor = power_of_ten(shift.unsigned_abs() as u32);
        let quotient = if shift >= 0 { divide_rounded(&(a * factor), b) } else { divide_rounded(a, &(b * factor)) };
        Numeric::new(quotient, to)
    }

    /// `self % other`, with the sign of `self` and the larger scale.
    pub fn modulo(&self, other: &Numeric) -> Result<Numeric> {
        match (self, other) {
            (NaN, _) | (_, NaN) => Ok(NaN),
            (_, zero) if zero.is_zero() => Err(division_by_zero()),
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                let (a, b, scale) = aligned((a, *a_scale), (b, *b_scale));
                Ok(Numeric::new(a % b, scale))
            }
            (Finite { .. }, _) => Ok(self.clone()),
            _ => Ok(NaN),
        }
    }

    /// `div(self, other)`: the quotient without its fraction.
    pub fn divide_truncated(&self, other: &Numeric) -> Result<Numeric> {
        match (self, other) {
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                if b.is_zero() {
                    return Err(division_by_zero());
                }
                let (a, b, _) = aligned((a, *a_scale), (b, *b_scale));
                Ok(Numeric::new(a / b, 0))
            }
            _ => self.divide(other),
        }
    }

    /// Rounded half away from zero, to so many digits behind the point (negative: before it), which are shown.
    #[must_use]
    pub fn round(&self, digits: i64) -> Numeric {
        self.cut(digits, divide_rounded)
    }

    /// As [`Numeric::round`], towards zero.
    #[must_use]
    pub fn truncate(&self, digits: i64) -> Numeric {
        self.cut(digits, |dividend, divisor| dividend / divisor)
    }

    /// The largest whole number that is not greater.
    #[must_use]
    pub fn floor(&self) -> Numeric {
        self.cut(0, |dividend, divisor| dividend.div_floor(divisor))
    }

    /// The smallest whole number that is not less.
    #[must_use]
    pub fn ceil(&self) -> Numeric {
        self.cut(0, |dividend, divisor| dividend.div_ceil(divisor))
    }

    fn cut(&self, digits: i64, divide: impl Fn(&BigInt, &BigInt) -> BigInt) -> Numeric {
        let Finite { unscaled, scale } = self else { return self.clone() };
        // As in PostgreSQL, more digits than these are not asked for.
        let digits = digits.clamp(-200_000, i64::from(SCALE_MAX));
        let dropped = i64::from(*scale) - digits;
        let shown = digits.max(0) as u32;
        if dropped <= 0 {
            return Numeric::new(unscaled * power_of_ten(dropped.unsigned_abs() as u32), shown);
        }
        let dropped = dropped as u32;
        // Nothing is left of a number that has fewer digits, except where it is rounded up.
        if u64::from(dropped) > digits_of(unscaled) + 1 && digits < 0 {
            return Numeric::zero(shown);
        }
        let quotient = divide(unscaled, &power_of_ten(dropped));
        let quotient = if digits < 0 { quotient * power_of_ten(digits.unsigned_abs() as u32) } else { quotient };
        Numeric::new(quotient, shown)
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn sign(&self) -> Numeric {
        self.signum().map_or(NaN, Numeric::from_integer)
    }

    /// The same number with as few digits behind the point as it needs.
    #[must_use]
    pub fn trim_scale(&self) -> Numeric {
        let Finite { unscaled, scale } = self else { return self.clone() };
        if unscaled.is_zero() {
            return Numeric::zero(0);
        }
        let (mut unscaled, mut scale) = (unscaled.clone(), *scale);
        let ten = BigInt::from(10u8);
        while scale > 0 && meter::goes_on(words(&unscaled)) {
            let (quotient, remainder) = unscaled.div_rem(&ten);
            if !remainder.is_zero() {
                break;
            }
            (unscaled, scale) = (quotient, scale - 1);
        }
        Numeric::new(unscaled, scale)
    }

    /// Greatest common divisor, of the larger scale.
    #[must_use]
    pub fn gcd(&self, other: &Numeric) -> Numeric {
        match (self, other) {
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                let (a, b, scale) = aligned((a, *a_scale), (b, *b_scale));
                Numeric::new(a.gcd(&b), scale)
            }
            _ => NaN,
        }
    }

    /// Least common multiple, of the larger scale.
    pub fn lcm(&self, other: &Numeric) -> Result<Numeric> {
        match (self, other) {
            (Finite { unscaled: a, scale: a_scale }, Finite { unscaled: b, scale: b_scale }) => {
                let (a, b, scale) = aligned((a, *a_scale), (b, *b_scale));
                if a.is_zero() || b.is_zero() {
                    return Ok(Numeric::zero(scale));
                }
                Numeric::new(a.lcm(&b).abs(), scale).checked()
            }
            _ => Ok(NaN),
        }
    }

    /// `n!`.
    pub fn factorial(n: i64) -> Result<Numeric> {
        if n < 0 {
            let message = "factorial of a negative number is undefined";
            return Err(Error::new(ErrorKind::NumericOverflow, message));
        }
        if n > 32_177 {
            return Err(super::overflow());
        }
        // Neighbours first: products of two numbers of like size are the cheap ones.
        let mut factors: Vec<BigInt> = (2..=n).map(BigInt::from).collect();
        while factors.len() > 1 {
            let product = |pair: &[BigInt]| {
                meter::spend(pair.iter().map(words).product())?;
                Ok(pair.iter().product())
            };
            factors = factors.chunks(2).map(product).collect::<Result<_>>()?;
        }
        Ok(Numeric::from_integer(factors.pop().unwrap_or_else(BigInt::one)))
    }
}
