//! The sum of doubles without any rounding but the last, so that no order of addition, no number of threads and no
//! tiling shows in a result.
//!
//! A finite double is an integer times a power of two. [`ExactSum`] adds these integers:
//!
//! 1. first in a *window* of 128 bits, placed around the first number's bits with room below (for smaller numbers)
//!    and above (for larger ones and for many of them). Data of one magnitude never leaves it;
//! 2. when a number does not fit, the window's content goes to the *register*, and the window moves. The register
//!    has all 2,098 bits that doubles can have, and more for carries, as 32-bit digits in 64-bit cells. Adding
//!    touches a few neighbouring cells; carries are propagated only once in a billion times and at the end.
//!
//! The sum is window plus register, exactly; [`ExactSum::total`] rounds it once, half to even. Two sums merge
//! exactly, too. NaN and infinities are remembered beside: inf - inf is NaN.

use multiloop_planner::error::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;

/// The exponent of the smallest bit that a double can have.
pub(crate) const EXPONENT_MIN: i32 = -1074;
/// The exponent of the lowest bit of the largest doubles: no window begins above it.
pub(crate) const EXPONENT_MAX: i32 = 971;
/// How far below the first number's lowest bit the window reaches.
const ROOM_BELOW: i32 = 30;
/// A 53-bit mantissa shifted up by this still leaves bits for carries.
const SHIFT_MAX: i32 = 70;

/// Bits in a digit of the register.
const DIGIT_BITS: u32 = 32;
/// 2,098 bits, and 78 more for what 2^64 numbers can carry.
const DIGITS: usize = 68;
/// Every number adds less than 2^32 to a cell of 63 bits.
const ADDITIONS_MAX: u32 = 1 << 30;

/// The exact sum of any number of doubles.
#[derive(Clone, Debug, Default)]
pub struct ExactSum {
    /// A part of the sum, in units of 2^exponent.
    window: i128,
    exponent: i32,
    special: Special,
    /// The rest of it, if ever something did not fit the window.
    register: Option<Box<Register>>,
}

/// Which values beyond numbers were added.
#[derive(Clone, Copy, Debug, Default)]
struct Special {
    nan: bool,
    positive_infinity: bool,
    negative_infinity: bool,
}

/// An integer of 2,176 bits in units of 2^-1074: digit i counts 2^(32 i). Cells may exceed a digit, or be negative,
/// until carries are propagated.
#[derive(Clone, Debug)]
struct Register {
    cells: [i64; DIGITS],
    additions: u32,
}

/// The bits of a finite double: `mantissa * 2^exponent`.
pub(crate) fn decompose(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let magnitude = if field == 0 { fraction } else { fraction | (1 << 52) };
    (if value.is_sign_negative() { -magnitude } else { magnitude }, field.max(1) + EXPONENT_MIN - 1)
}

impl ExactSum {
    /// The sum of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The sum `window * 2^exponent`; the exponent is one that a double can have.
    pub(crate) fn of_window(window: i128, exponent: i32) -> Self {
        debug_assert!((EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent), "no exponent of a double");
        ExactSum { window, exponent, ..ExactSum::default() }
    }

    /// Whether nothing was added, or so that nothing is left of it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.window == 0 && self.register.is_none() && !self.is_special()
    }

    /// Adds one number.
    #[inline]
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() {
            self.special.add(value);
            return;
        }
        let (mantissa, exponent) = decompose(value);
        self.add_scaled(mantissa, exponent);
    }

    /// Adds `mantissa * 2^exponent`; the mantissa has no more bits than a double's.
    #[inline]
    pub(crate) fn add_scaled(&mut self, mantissa: i64, exponent: i32) {
        let shift = exponent - self.exponent;
        if (0..=SHIFT_MAX).contains(&shift)
            && let Some(sum) = self.window.checked_add(i128::from(mantissa) << shift)
        {
            self.window = sum;
        } else {
            self.add_outside(mantissa.into(), exponent);
        }
    }

    /// Adds `value * 2^exponent`. The value has at most 80 bits, and its lowest is not below that of all doubles.
    pub(crate) fn add_integer(&mut self, value: i128, exponent: i32) {
        debug_assert!(value.unsigned_abs() >> 80 == 0 && exponent >= EXPONENT_MIN, "what the window takes");
        let shift = exponent - self.exponent;
        if (0..=127 - 81).contains(&shift)
            && let Some(sum) = self.window.checked_add(value << shift)
        {
            self.window = sum;
        } else {
            self.add_outside(value, exponent);
        }
    }

    /// Adds many numbers.
    pub fn add_all(&mut self, values: &[f64]) {
        for &value in values {
            self.add(value);
        }
    }

    /// What the window as it stands cannot take: the window moves to where the number is.
    #[cold]
    fn add_outside(&mut self, mantissa: i128, exponent: i32) {
        if mantissa == 0 {
            return;
        }
        if self.window != 0 {
            let (window, exponent) = (self.window, self.exponent);
            self.register().add(window, exponent);
        }
        self.exponent = (exponent - ROOM_BELOW).max(EXPONENT_MIN);
        self.window = mantissa << (exponent - self.exponent);
    }

    fn register(&mut self) -> &mut Register {
        self.register.get_or_insert_with(|| Box::new(Register { cells: [0; DIGITS], additions: 0 }))
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &ExactSum) {
        self.special.merge(other.special);
        if let Some(register) = &other.register {
            self.register().merge(register);
        }
        if self.window == 0 {
            (self.window, self.exponent) = (other.window, other.exponent);
        } else if self.exponent == other.exponent
            && let Some(sum) = self.window.checked_add(other.window)
        {
            self.window = sum;
        } else if other.window != 0 {
            self.register().add(other.window, other.exponent);
        }
    }

    /// The double nearest to the sum, half to even; an infinity if it is beyond all doubles.
    pub fn total(&self) -> f64 {
        self.special.total().unwrap_or_else(|| {
            let (leading, exponent) = self.leading();
            scale(leading as f64, exponent)
        })
    }

    /// The sum in double precision or (for reals) single precision; 22003 if finite numbers sum up to more than
    /// the type holds.
    pub fn finish(&self, data_type: DataType) -> Result<f64> {
        let total = self.rounded(data_type == DataType::Real);
        if total.is_infinite() && !self.is_special() {
            return Err(Error::new(ErrorKind::NumericOverflow, "value out of range: overflow"));
        }
        Ok(total)
    }

    /// The sum rounded once, half to even, to single or double precision: an infinity if it is beyond all that there are.
    pub(crate) fn rounded(&self, is_real: bool) -> f64 {
        if !is_real {
            return self.total();
        }
        self.special.total().unwrap_or_else(|| {
            let (leading, exponent) = self.leading();
            f64::from(scale(f64::from(leading as f32), exponent) as f32)
        })
    }

    /// Whether a NaN or an infinity was added.
    pub fn is_special(&self) -> bool {
        self.special.total().is_some()
    }

    /// Gives parts whose sum it is, each an integer times a power of two. NaN and infinities are none.
    pub(crate) fn each_part(&self, mut each: impl FnMut(i128, i32)) {
        if self.window != 0 {
            each(self.window, self.exponent);
        }
        let cells = self.register.iter().flat_map(|register| register.cells.iter().enumerate());
        for (digit, &cell) in cells.filter(|(_, cell)| **cell != 0) {
            each(cell.into(), EXPONENT_MIN + (digit as u32 * DIGIT_BITS) as i32);
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        if self.register.is_some() { size_of::<Register>() } else { 0 }
    }

    /// Appends the sum as bytes: exactly what it is, though maybe not how it stands here.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        let Special { nan, positive_infinity, negative_infinity } = self.special;
        let flags = [nan, positive_infinity, negative_infinity, self.register.is_some()];
        bytes.push(flags.iter().rev().fold(0, |byte, &flag| byte << 1 | u8::from(flag)));
        bytes.extend_from_slice(&self.window.to_le_bytes());
        bytes.extend_from_slice(&self.exponent.to_le_bytes());
        if let Some(register) = &self.register {
            let mut register = Register::clone(register);
            register.propagate();
            register.cells.iter().for_each(|cell| bytes.extend_from_slice(&cell.to_le_bytes()));
        }
    }

    /// Reads what [`ExactSum::write_to`] wrote; None of other bytes.
    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<Self> {
        let (flags, rest) = bytes.split_first()?;
        let (window, rest) = rest.split_first_chunk()?;
        let (exponent, mut rest) = rest.split_first_chunk()?;
        let (window, exponent) = (i128::from_le_bytes(*window), i32::from_le_bytes(*exponent));
        if *flags >= 1 << 4 || !(EXPONENT_MIN..=EXPONENT_MAX).contains(&exponent) {
            return None;
        }
        let flag = |at: u32| flags >> at & 1 == 1;
        let mut register = None;
        if flag(3) {
            let mut cells = [0; DIGITS];
            for (at, cell) in cells.iter_mut().enumerate() {
                let (read, behind) = rest.split_first_chunk()?;
                (*cell, rest) = (i64::from_le_bytes(*read), behind);
                let digits = if at + 1 < DIGITS { 0..1 << DIGIT_BITS } else { i32::MIN.into()..i32::MAX.into() };
                if !digits.contains(cell) {
                    return None;
                }
            }
            register = Some(Box::new(Register { cells, additions: 1 }));
        }
        *bytes = rest;
        let special = Special { nan: flag(0), positive_infinity: flag(1), negative_infinity: flag(2) };
        Some(ExactSum { window, exponent, special, register })
    }

    /// The sum as an integer times a power of two. If it has more than 64 bits, the last of those given is set
    /// when any of those left out is: rounding to fewer bits then gives the same as rounding the whole.
    fn leading(&self) -> (i128, i32) {
        let Some(register) = &self.register else { return (self.window, self.exponent) };
        let mut register = Register::clone(register);
        register.add(self.window, self.exponent);
        register.leading()
    }
}

impl Special {
    fn add(&mut self, value: f64) {
        self.nan |= value.is_nan();
        self.positive_infinity |= value == f64::INFINITY;
        self.negative_infinity |= value == f64::NEG_INFINITY;
    }

    fn merge(&mut self, other: Special) {
        self.nan |= other.nan;
        self.positive_infinity |= other.positive_infinity;
        self.negative_infinity |= other.negative_infinity;
    }

    /// The sum, if numbers no longer matter.
    fn total(self) -> Option<f64> {
        match (self.nan, self.positive_infinity, self.negative_infinity) {
            (false, false, false) => None,
            (false, true, false) => Some(f64::INFINITY),
            (false, false, true) => Some(f64::NEG_INFINITY),
            _ => Some(f64::NAN),
        }
    }
}

impl Register {
    /// Adds `value * 2^exponent`.
    fn add(&mut self, value: i128, exponent: i32) {
        let position = (exponent - EXPONENT_MIN) as u32;
        let (cell, shift) = ((position / DIGIT_BITS) as usize, position % DIGIT_BITS);
        let (negative, magnitude) = (value < 0, value.unsigned_abs());
        // 128 bits are added in two halves, so that shifting loses none.
        for (half, bits) in [magnitude & u128::from(u64::MAX), magnitude >> 64].into_iter().enumerate() {
            let mut digits = bits << shift;
            let mut at = cell + half * 2;
            while digits != 0 {
                let digit = (digits & 0xffff_ffff) as i64;
                self.cells[at] += if negative { -digit } else { digit };
                digits >>= DIGIT_BITS;
                at += 1;
            }
        }
        self.additions += 2;
        if self.additions >= ADDITIONS_MAX {
            self.propagate();
        }
    }

    fn merge(&mut self, other: &Register) {
        let mut other = Register::clone(other);
        other.propagate();
        for (cell, digit) in self.cells.iter_mut().zip(other.cells) {
            *cell += digit;
        }
        self.additions += 1;
        if self.additions >= ADDITIONS_MAX {
            self.propagate();
        }
    }

    /// Brings every cell but the last to a digit, 0 to 2^32 - 1; the last keeps the sign.
    fn propagate(&mut self) {
        let mut carry = 0;
        for cell in &mut self.cells[..DIGITS - 1] {
            let sum = *cell + carry;
            carry = sum >> DIGIT_BITS;
            *cell = sum & 0xffff_ffff;
        }
        self.cells[DIGITS - 1] += carry;
        self.additions = 1;
    }

    fn leading(mut self) -> (i128, i32) {
        self.propagate();
        let negative = self.cells[DIGITS - 1] < 0;
        if negative {
            for cell in &mut self.cells {
                *cell = -*cell;
            }
            self.propagate();
        }
        let Some(top) = self.cells.iter().rposition(|cell| *cell != 0) else { return (0, EXPONENT_MIN) };
        // The top digit and three below have between 97 and 128 bits; one bit is the sign's.
        let low = top.saturating_sub(3);
        let mut leading =
            self.cells[low..=top].iter().rev().fold(0u128, |sum, cell| (sum << DIGIT_BITS) | *cell as u128);
        let mut exponent = low as i32 * DIGIT_BITS as i32 + EXPONENT_MIN;
        let mut rest = self.cells[..low].iter().any(|cell| *cell != 0);
        if leading >> 127 != 0 {
            rest |= leading & 1 != 0;
            leading >>= 1;
            exponent += 1;
        }
        let leading = (leading | u128::from(rest)) as i128;
        (if negative { -leading } else { leading }, exponent)
    }
}

/// `value * 2^exponent`, for a value that is 0 or at least 1. Exact, unless it is beyond all doubles: what is
/// subnormal has few enough bits.
fn scale(value: f64, exponent: i32) -> f64 {
    let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    match exponent {
        // Two steps: 2^-1074 is no normal number.
        ..-1022 => value * power(exponent + 100) * power(-100),
        1024.. => value * power(1023) * power((exponent - 1023).min(1023)),
        _ => value * power(exponent),
    }
}

#[cfg(test)]
mod tests;
