//! A product of doubles, rounded once to 53 bits.
//!
//! The product of all mantissas is an integer of at most 256 bits; what is beyond is cut off. Whether a cut comes early or late
//! changes less than 2^-180 of the product, and a product that 54 bits hold, so that its last one decides how it is rounded, is
//! never cut: its factors, without their zeros, are no longer than it. So no order shows in the result.

use super::exact::nearest;
use super::{chunk, flag, length};
use num_bigint::BigUint;

/// Bits that are kept.
const BITS: u64 = 256;

/// A product.
#[derive(Clone, Debug, Default)]
pub(crate) struct Product {
    /// The product of the mantissas, times 2^exponent; none of no factors, or of none that is finite and not zero.
    mantissa: Option<BigUint>,
    exponent: i64,
    negative: bool,
    any: bool,
    zero: bool,
    infinite: bool,
    nan: bool,
}

impl Product {
    pub(crate) fn add(&mut self, value: f64) {
        self.any = true;
        if value.is_nan() {
            self.nan = true;
            return;
        }
        self.negative ^= value.is_sign_negative();
        if value.is_infinite() || value == 0.0 {
            self.infinite |= value.is_infinite();
            self.zero |= value == 0.0;
            return;
        }
        let bits = value.to_bits();
        let field = (bits >> 52 & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        let zeros = mantissa.trailing_zeros();
        self.multiply(&BigUint::from(mantissa >> zeros), exponent + i64::from(zeros));
    }

    fn multiply(&mut self, mantissa: &BigUint, exponent: i64) {
        self.exponent = self.exponent.saturating_add(exponent);
        let mut product = match &self.mantissa {
            Some(own) => own * mantissa,
            None => mantissa.clone(),
        };
        let cut = product.bits().saturating_sub(BITS);
        if cut > 0 {
            product >>= cut;
            self.exponent = self.exponent.saturating_add(cut as i64);
        }
        self.mantissa = Some(product);
    }

    pub(crate) fn merge(&mut self, other: &Product) {
        self.any |= other.any;
        self.zero |= other.zero;
        self.infinite |= other.infinite;
        self.nan |= other.nan;
        self.negative ^= other.negative;
        if let Some(mantissa) = &other.mantissa {
            self.multiply(mantissa, other.exponent);
        }
    }

    /// The product; None of no factors.
    pub(crate) fn finish(&self) -> Option<f64> {
        if !self.any {
            return None;
        }
        if self.nan || self.infinite && self.zero {
            return Some(f64::NAN);
        }
        let size = match &self.mantissa {
            _ if self.infinite => f64::INFINITY,
            _ if self.zero => 0.0,
            Some(mantissa) => nearest(mantissa, self.exponent),
            None => 1.0,
        };
        Some(if self.negative { -size } else { size })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        if self.mantissa.is_some() { BITS as usize / 8 } else { 0 }
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        let flags = [self.any, self.zero, self.infinite, self.nan, self.negative];
        flags.iter().for_each(|&flag| bytes.push(flag.into()));
        bytes.extend_from_slice(&self.exponent.to_le_bytes());
        let mantissa = self.mantissa.as_ref().map_or_else(Vec::new, BigUint::to_bytes_le);
        bytes.extend_from_slice(&(mantissa.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&mantissa);
    }

    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<Self> {
        let mut flags = [false; 5];
        for found in &mut flags {
            *found = flag(bytes)?;
        }
        let [any, zero, infinite, nan, negative] = flags;
        let exponent = i64::from_le_bytes(chunk(bytes)?);
        let length = length(bytes, 1)?;
        let (mantissa, rest) = bytes.split_at(length);
        *bytes = rest;
        let mantissa = (length > 0).then(|| BigUint::from_bytes_le(mantissa));
        let fits = mantissa.as_ref().is_none_or(|mantissa| (1..=BITS).contains(&mantissa.bits()));
        fits.then_some(Product { mantissa, exponent, negative, any, zero, infinite, nan })
    }
}
