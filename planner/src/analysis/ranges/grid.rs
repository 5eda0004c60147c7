//! In what steps integers come: a congruence beside an interval.
//!
//! Source: P. Granger, Static analysis of arithmetical congruences (1989); of its operations only the join is needed, since
//! steps are handed on where values are, and forgotten by functions.
//!
//! In what steps a whole column comes is one of its statistics, which this hands on with the ranges. Codes of keys
//! count in steps (`exec/src/cpu/keys/codes.rs`), so that what lies evenly apart (keys that are multiples, days as
//! timestamps) finds its groups as if it had no gaps.

use super::Fact;
use serde::{Deserialize, Serialize};
use std::ops::Rem;

/// Integers that lie at `from` plus a multiple of `by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    from: i128,
    by: u128,
}

/// The integers from `low` to `high` in steps, both among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// The least.
    pub low: i128,
    /// The greatest, not below `low`.
    pub high: i128,
    /// How far they lie apart, at least 1; 1 if there is only one.
    pub step: u64,
}

impl Steps {
    /// Steps of more than one; others say nothing.
    pub(super) fn new(from: i128, by: u128) -> Option<Self> {
        (by > 1).then_some(Steps { from, by })
    }
}

impl Grid {
    /// All integers from `low` to `high`.
    pub fn of_range(low: i128, high: i128) -> Self {
        Grid { low, high: high.max(low), step: 1 }
    }

    /// Those between bounds, which may hold none.
    pub(super) fn new((low, high): (i128, i128), steps: Option<Steps>) -> Self {
        let all = Grid::of_range(low, high);
        let Some(Steps { from, by }) = steps else { return all };
        let (Ok(step), Ok(by)) = (u64::try_from(by), i128::try_from(by)) else { return all };
        // How far the first one is above the low bound, and the last one below the high one.
        let (Some(above), Some(below)) = (from.checked_sub(low), high.checked_sub(from)) else { return all };
        let (first, last) = (low + above.rem_euclid(by), high - below.rem_euclid(by));
        if first < last { Grid { low: first, high: last, step } } else { all }
    }
}

/// The widest steps that the values of both are in.
pub(super) fn common(a: Fact, b: Fact) -> Option<Steps> {
    let of = |fact: Fact| {
        let (low, high) = fact.bounds?;
        match fact.steps {
            Some(Steps { from, by }) => Some((from, by)),
            // One value is in any steps.
            None if low == high => Some((low, 0)),
            None => Some((low, 1)),
        }
    };
    let has_none = |fact: Fact| fact.bounds.is_some_and(|(low, high)| low > high);
    match (has_none(a), has_none(b)) {
        (true, _) => return b.steps,
        (_, true) => return a.steps,
        _ => {}
    }
    let ((from, by), (other, other_by)) = (of(a)?, of(b)?);
    Steps::new(from, common_divisor(common_divisor(by, other_by), from.abs_diff(other)))
}

/// The greatest common divisor of unsigned integers: of 0 and another number that number.
pub fn common_divisor<T: Copy + Default + PartialEq + Rem<Output = T>>(mut a: T, mut b: T) -> T {
    while b != T::default() {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(low: i128, high: i128, steps: Option<(i128, u128)>) -> Fact {
        let steps = steps.and_then(|(from, by)| Steps::new(from, by));
        Fact { bounds: Some((low, high)), steps, nullable: false, may_fail: false }
    }

    #[test]
    fn a_grid_holds_what_lies_between_its_bounds() {
        for (low, high) in [(-25, 37), (0, 100), (7, 17), (-1, 8), (3, 3), (5, 9)] {
            for (from, by) in [(0, 2), (7, 10), (-3, 5), (1_000_001, 100)] {
                let grid = Grid::new((low, high), Steps::new(from, by));
                assert!(grid.low <= grid.high && (grid.high - grid.low) % i128::from(grid.step) == 0);
                let between = (low..=high).filter(|value| (value - from).rem_euclid(by as i128) == 0);
                for value in between {
                    let (low, high, step) = (grid.low, grid.high, i128::from(grid.step));
                    assert!((low..=high).contains(&value) && (value - low) % step == 0, "{value} in {grid:?}");
                }
            }
        }
        assert_eq!(Grid::new((0, 100), Steps::new(7, 10)), Grid { low: 7, high: 97, step: 10 });
        assert_eq!(Grid::new((i128::MIN, i128::MAX), Steps::new(1, 10)), Grid::of_range(i128::MIN, i128::MAX));
    }

    #[test]
    fn values_of_either_are_in_common_steps() {
        let steps = |a, b| common(a, b).map(|steps| (steps.from, steps.by));
        assert_eq!(steps(fact(0, 90, Some((0, 6))), fact(4, 44, Some((4, 10)))), Some((0, 2)));
        assert_eq!(steps(fact(0, 90, Some((0, 6))), fact(12, 12, None)), Some((0, 6)));
        assert_eq!(steps(fact(0, 90, Some((0, 6))), fact(13, 13, None)), None);
        assert_eq!(steps(fact(5, 5, None), fact(25, 25, None)), Some((5, 20)));
        assert_eq!(steps(fact(5, 5, None), fact(5, 5, None)), None);
        assert_eq!(steps(fact(0, 90, Some((0, 6))), fact(0, 1, None)), None);
        assert_eq!(steps(fact(0, 90, Some((0, 6))), fact(1, 0, None)), Some((0, 6)));
    }
}
