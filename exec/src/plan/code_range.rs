//! Ranges of keys that are one integer.

use crate::column::divisor::Divisor;
use crate::technique::Technique;
use multiloop_planner::analysis::ranges::Grid;

/// How keys of one integer are found.
#[derive(Clone, Copy, Debug)]
pub enum KeyRange {
    /// By their codes.
    Codes(CodeRange),
    /// By hashing codes of 64 bits.
    Wide(WideRange),
}

/// The codes of keys of one integer: `low` has code 1, the one a step above it 2, and so on. Code 0 is NULL's.
#[derive(Clone, Copy, Debug)]
pub struct CodeRange {
    pub(crate) low: i64,
    pub(crate) count: u32,
    /// How far the integers of the range lie apart, if that is more than 1.
    pub(crate) steps: Option<Divisor>,
}

impl CodeRange {
    /// The codes of these integers; none if they are too many or too far out.
    pub(crate) fn new(grid: Grid) -> Option<Self> {
        let low = i64::try_from(grid.low).ok()?;
        let steps = match grid.step {
            1 if low.unsigned_abs() > 1 << 62 => return None,
            1 => None,
            // What is below the low end of integers of 64 bits is further away from it, modulo 2⁶⁴, than the high end.
            step => i64::try_from(grid.high).ok().map(|_| Some(Divisor::new(step)))?,
        };
        let last = grid.high.checked_sub(low.into())? / i128::from(grid.step);
        let count = u32::try_from(last.checked_add(1)?).ok()?;
        (count <= RANGE_MAX && Technique::IntegerKeys.is_on()).then_some(CodeRange { low, count, steps })
    }
}

/// The codes of keys of one integer: `low` has code 1, the one above it 2, and so on. Code 0 is NULL's.
#[derive(Clone, Copy, Debug)]
pub struct WideRange {
    pub(crate) low: i64,
    pub(crate) count: u64,
}

impl WideRange {
    /// The codes of the integers from `low` to `high`; none if there are none, or they do not fit 64 bits.
    pub(crate) fn new(low: i128, high: i128) -> Option<Self> {
        let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
        // NULL has a code, too.
        let count = u64::try_from(i128::from(high) - i128::from(low) + 1).ok()?;
        let fit = (1..u64::MAX).contains(&count);
        (fit && Technique::IntegerKeys.is_on()).then_some(WideRange { low, count })
    }
}

/// Codes of a range, and distances below or above it, at most. Sums and differences of 32 bits that leave a range
/// then never come back into it around the end.
pub(crate) const RANGE_MAX: u32 = 1 << 30;
