//! Roots, exponentials, logarithms and powers: computed in whole numbers of a scale with guard digits, then rounded to
//! the scale that PostgreSQL shows.
//!
//! * exp: the argument is halved until it is small, Taylor's series summed, the result squared as often.
//! * ln: a power of two is split off; of what is left, between 3/4 and 3/2, the logarithm is 2 atanh((y - 1) / (y + 1)).
//! * power: by an integer repeated squaring, cut to the significant digits; else exp(e ln b).

use super::Numeric::{self, Finite, Infinity, NaN, NegativeInfinity};
use super::arithmetic::division_by_zero;
use super::scale::{self, SHOWN_MAX, SIGNIFICANT_MIN};
use super::{digits_of, divide_rounded, overflow, power_of_ten, words};
use crate::error::{Error, ErrorKind, Result};
use crate::meter;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::f64::consts::LOG10_E;

/// Digits that are computed beyond those shown.
const GUARD: u32 = 24;

/// From here on exp overflows, or is zero.
const EXPONENT_MAX: f64 = 6_000.0;

/// Beyond these the scale of a result is not foreseen but bounded.
const RESULT_SCALE_MAX: f64 = 2_000.0;

impl Numeric {
    /// The square root.
    pub fn square_root(&self) -> Result<Numeric> {
        match self.signum() {
            None => return Ok(NaN),
            Some(-1) => {
                let message = "cannot take square root of a negative number";
                return Err(Error::new(ErrorKind::InvalidPower, message));
            }
            _ => {}
        }
        if *self == Infinity {
            return Ok(Infinity);
        }
        let weight = (scale::leading(self).0 + 1) * 4 / 2 - 1;
        Ok(self.square_root_to(scale::shown(SIGNIFICANT_MIN - weight, &[self])))
    }

    /// The square root of a finite number that is not negative, rounded to a scale that is at least half its own.
    pub(super) fn square_root_to(&self, to: u32) -> Numeric {
        let Finite { unscaled, scale } = self else { return NaN };
        let shift = i64::from(2 * to) - i64::from(*scale);
        let factor = power_of_ten(shift.unsigned_abs() as u32);
        let square = if shift >= 0 { unscaled * factor } else { unscaled / factor };
        let root = square.sqrt();
        // (root + 1/2)² is root² + root and a quarter.
        let up = &square - &root * &root > root;
        Numeric::new(if up { root + 1 } else { root }, to)
    }

    /// The root of a variance, of the variance's scale: that of none is 0.
    #[must_use]
    pub fn deviation(&self) -> Numeric {
        match self {
            Finite { scale, .. } => self.square_root_to(*scale),
            other => other.clone(),
        }
    }

    /// e^self.
    pub fn exp(&self) -> Result<Numeric> {
        match self {
            NaN => return Ok(NaN),
            Infinity => return Ok(Infinity),
            NegativeInfinity => return Ok(Numeric::zero(0)),
            Finite { .. } => {}
        }
        let weight = (self.to_double() * LOG10_E).clamp(-RESULT_SCALE_MAX, RESULT_SCALE_MAX);
        self.exp_to(scale::shown(SIGNIFICANT_MIN - weight as i64, &[self]))?.checked()
    }

    /// e^self of a finite number, rounded to a scale.
    fn exp_to(&self, to: u32) -> Result<Numeric> {
        let approximate = self.to_double();
        if approximate.abs() >= EXPONENT_MAX {
            return if approximate > 0.0 { Err(overflow()) } else { Ok(Numeric::zero(to)) };
        }
        let digits = (approximate.abs() * LOG10_E) as u32;
        // Halvings until less than 2^-8 is left, and their squarings, each of which costs a bit.
        let halvings = if approximate == 0.0 { 0 } else { (approximate.abs().log2() as i32 + 9).max(0) as u32 };
        let work = to + digits + GUARD + halvings / 3;
        let Finite { unscaled, scale } = self.abs() else { return Ok(NaN) };
        let argument = at_scale(&unscaled, scale, work) >> halvings;
        let unit = power_of_ten(work);
        let (mut sum, mut term) = (unit.clone(), unit.clone());
        let step = words(&unit).saturating_mul(words(&unit)).saturating_mul(2);
        for n in 1u32.. {
            meter::spend(step)?;
            term = &term * &argument / &unit / n;
            if term.is_zero() {
                break;
            }
            sum += &term;
        }
        for _ in 0..halvings {
            meter::spend(step)?;
            sum = &sum * &sum / &unit;
        }
        let (dividend, divisor) =
            if self.signum() == Some(-1) { (&unit * power_of_ten(to), sum) } else { (sum * power_of_ten(to), unit) };
        Ok(Numeric::new(divide_rounded(&dividend, &divisor), to))
    }

    /// 2201E for what has no logarithm.
    fn check_logarithm(&self) -> Result<()> {
        let message = match self.signum() {
            Some(0) => "cannot take logarithm of zero",
            Some(-1) => "cannot take logarithm of a negative number",
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::InvalidLogarithm, message))
    }

    /// The natural logarithm.
    pub fn ln(&self) -> Result<Numeric> {
        self.check_logarithm()?;
        if !matches!(self, Finite { .. }) {
            return Ok(self.clone());
        }
        let to = scale::shown(SIGNIFICANT_MIN - scale::weight_of_logarithm(self), &[self]);
        Ok(self.ln_to(to))
    }

    /// The natural logarithm of a finite positive number, rounded to a scale.
    fn ln_to(&self, to: u32) -> Numeric {
        let Finite { unscaled, scale } = self else { return NaN };
        let work = to + GUARD;
        let (unit, denominator) = (power_of_ten(work), power_of_ten(*scale));
        let mut twos = unscaled.bits() as i64 - denominator.bits() as i64;
        let mut rest = scaled_by_twos(unscaled, &denominator, &unit, twos);
        if &rest * 4u8 < &unit * 3u8 {
            twos -= 1;
            rest = scaled_by_twos(unscaled, &denominator, &unit, twos);
        } else if &rest * 2u8 > &unit * 3u8 {
            twos += 1;
            rest = scaled_by_twos(unscaled, &denominator, &unit, twos);
        }
        let quotient = (&rest - &unit) * &unit / (&rest + &unit);
        let mut logarithm = atanh(&quotient, &unit) * 2;
        if twos != 0 {
            logarithm += atanh(&(&unit / 3), &unit) * 2 * twos;
        }
        Numeric::new(logarithm, work).round(to.into())
    }

    /// The logarithm to a base.
    pub fn log(base: &Numeric, value: &Numeric) -> Result<Numeric> {
        if base.is_nan() || value.is_nan() {
            return Ok(NaN);
        }
        base.check_logarithm()?;
        value.check_logarithm()?;
        match (base, value) {
            (Finite { .. }, Finite { .. }) => {}
            (Infinity, Infinity) => return Ok(NaN),
            (Infinity, _) => return Ok(Numeric::zero(0)),
            _ => return Ok(Infinity),
        }
        let (of_base, of_value) = (scale::weight_of_logarithm(base), scale::weight_of_logarithm(value));
        let weight = of_value - of_base;
        let to = scale::shown(SIGNIFICANT_MIN - weight, &[base, value]);
        let work = |own: i64| (i64::from(to) + weight - own + 8).max(0) as u32 + GUARD;
        let (divisor, dividend) = (base.ln_to(work(of_base)), value.ln_to(work(of_value)));
        if divisor.is_zero() {
            return Err(division_by_zero());
        }
        Ok(dividend.divide_to(&divisor, to))
    }

    /// self^exponent.
    pub fn power(&self, exponent: &Numeric) -> Result<Numeric> {
        if let (Finite { .. }, Finite { .. }) = (self, exponent) {
            if self.is_zero() && exponent.signum() == Some(-1) {
                let message = "zero raised to a negative power is undefined";
                return Err(Error::new(ErrorKind::InvalidPower, message));
            }
            return self.finite_power(exponent)?.checked();
        }
        self.special_power(exponent)
    }

    /// Where NaN or an infinity is among the operands.
    fn special_power(&self, exponent: &Numeric) -> Result<Numeric> {
        let one = Numeric::from_integer(1);
        let is_one = |numeric: &Numeric| numeric.compare(&one).is_eq();
        if exponent.is_zero() || is_one(self) {
            return Ok(one);
        }
        if self.is_nan() || exponent.is_nan() {
            return Ok(NaN);
        }
        if self.is_zero() && exponent.signum() == Some(-1) {
            let message = "zero raised to a negative power is undefined";
            return Err(Error::new(ErrorKind::InvalidPower, message));
        }
        if matches!(exponent, Infinity | NegativeInfinity) {
            let grows = self.abs().compare(&one);
            return Ok(match (grows.is_eq(), grows.is_gt() == (*exponent == Infinity)) {
                (true, _) => one,
                (_, true) => Infinity,
                _ => Numeric::zero(0),
            });
        }
        if exponent.signum() == Some(-1) {
            if *self == NegativeInfinity && !exponent.is_whole() {
                return Err(complex_result());
            }
            return Ok(Numeric::zero(0));
        }
        if *self == Infinity {
            return Ok(Infinity);
        }
        match exponent {
            Finite { .. } if !exponent.is_whole() => Err(complex_result()),
            Finite { unscaled, scale } if (unscaled / power_of_ten(*scale)).is_odd() => Ok(NegativeInfinity),
            _ => Ok(Infinity),
        }
    }

    /// Whether there are no digits but zeros behind the point.
    fn is_whole(&self) -> bool {
        matches!(self, Finite { unscaled, scale } if (unscaled % power_of_ten(*scale)).is_zero())
    }

    fn finite_power(&self, exponent: &Numeric) -> Result<Numeric> {
        if exponent.is_whole()
            && let Finite { unscaled, scale } = exponent
            && let Some(integer) = (unscaled / power_of_ten(*scale)).to_i32()
        {
            return self.integer_power(integer);
        }
        if self.is_zero() {
            return Ok(Numeric::zero(SIGNIFICANT_MIN as u32));
        }
        let negative = self.signum() == Some(-1);
        if negative && !exponent.is_whole() {
            return Err(complex_result());
        }
        let is_odd = matches!(exponent, Finite { unscaled, scale } if (unscaled / power_of_ten(*scale)).is_odd());
        let base = self.abs();
        let rough = (8 - scale::weight_of_logarithm(&base)).max(0) as u32;
        let approximate = base.ln_to(rough).multiply(exponent)?.to_double();
        if approximate.abs() > RESULT_SCALE_MAX * 3.01 {
            return if approximate > 0.0 { Err(overflow()) } else { Ok(Numeric::zero(SHOWN_MAX as u32)) };
        }
        let weight = approximate * LOG10_E;
        let to = scale::shown(SIGNIFICANT_MIN - weight as i64, &[self, exponent]);
        let whole_digits = exponent.abs().round(0).to_string().len() as u32;
        let work = (i64::from(to) + weight as i64).max(0) as u32 + whole_digits + GUARD;
        let product = base.ln_to(work).multiply(exponent)?;
        let result = product.round(work.into()).exp_to(to)?;
        Ok(if negative && is_odd { result.negate() } else { result })
    }

    fn integer_power(&self, exponent: i32) -> Result<Numeric> {
        let weight = if self.is_zero() { 0.0 } else { f64::from(exponent) * scale::decimal_exponent(self) };
        if weight > 131_072.0 {
            return Err(overflow());
        }
        // As many digits behind the point as PostgreSQL 15 shows, however small the power is.
        let to = scale::shown(SIGNIFICANT_MIN, &[self]);
        if weight + 1.0 < -f64::from(to) {
            return Ok(Numeric::zero(to));
        }
        if exponent == 0 {
            return Ok(Numeric::from_integer(1).round(to.into()));
        }
        if self.is_zero() {
            return Ok(Numeric::zero(to));
        }
        let Finite { unscaled, scale } = self else { return Ok(NaN) };
        let significant = (i64::from(to) + weight as i64 + 1).max(0) as u64 + u64::from(GUARD) + 10;
        let (mantissa, scale) = raised(unscaled, i64::from(*scale), exponent.unsigned_abs(), significant);
        Ok(if exponent > 0 {
            let shift = i64::from(to) - scale;
            let factor = power_of_ten(shift.unsigned_abs() as u32);
            Numeric::new(if shift >= 0 { mantissa * factor } else { divide_rounded(&mantissa, &factor) }, to)
        } else {
            let shift = i64::from(to) + scale;
            let factor = power_of_ten(shift.unsigned_abs() as u32);
            let (dividend, divisor) = if shift >= 0 { (factor, mantissa) } else { (BigInt::one(), mantissa * factor) };
            Numeric::new(divide_rounded(&dividend, &divisor), to)
        })
    }
}

fn complex_result() -> Error {
    let message = "a negative number raised to a non-integer power yields a complex result";
    Error::new(ErrorKind::InvalidPower, message)
}

/// Digits at another scale, those behind it cut off.
fn at_scale(unscaled: &BigInt, scale: u32, to: u32) -> BigInt {
    if to >= scale { unscaled * power_of_ten(to - scale) } else { unscaled / power_of_ten(scale - to) }
}

/// `numerator / denominator × unit × 2^-twos`.
fn scaled_by_twos(numerator: &BigInt, denominator: &BigInt, unit: &BigInt, twos: i64) -> BigInt {
    let bits = twos.unsigned_abs();
    if twos >= 0 { numerator * unit / (denominator << bits) } else { ((numerator * unit) << bits) / denominator }
}

/// The inverse hyperbolic tangent, of an argument at most a third, in units.
fn atanh(argument: &BigInt, unit: &BigInt) -> BigInt {
    let square = argument * argument / unit;
    let (mut sum, mut power) = (argument.clone(), argument.clone());
    let step = words(unit).saturating_mul(words(unit)).saturating_mul(2);
    for n in (3u32..).step_by(2).take_while(|_| meter::goes_on(step)) {
        power = &power * &square / unit;
        if power.is_zero() {
            break;
        }
        sum += &power / n;
    }
    sum
}

/// The exponent-th power of `unscaled` × 10^-`scale`, as digits, of which so many are right, and their scale.
fn raised(unscaled: &BigInt, scale: i64, exponent: u32, significant: u64) -> (BigInt, i64) {
    let product = |a: &(BigInt, i64), b: &(BigInt, i64)| {
        let (mantissa, scale) = (&a.0 * &b.0, a.1 + b.1);
        let surplus = digits_of(&mantissa).saturating_sub(significant);
        if surplus == 0 {
            return (mantissa, scale);
        }
        (divide_rounded(&mantissa, &power_of_ten(surplus as u32)), scale - surplus as i64)
    };
    let (mut result, mut square) = ((BigInt::one(), 0), (unscaled.clone(), scale));
    let mut left = exponent;
    while left > 0 && meter::goes_on(words(&square.0).saturating_mul(words(&square.0))) {
        if left & 1 == 1 {
            result = product(&result, &square);
        }
        left >>= 1;
        if left > 0 {
            square = product(&square, &square);
        }
    }
    result
}
