//! Filling variances of integers whose sums 64 bits hold.
//!
//! Groups come in any order, so that a row costs a miss of the cache: a group's count and sums stand together, and are asked
//! for some rows ahead. Where a tile has few groups, the sums of each are made by its mask, and runs are summed up in registers.

use super::super::kernels::sum::{MaskedSum, add_listed, sums_by_masks};
use super::super::vector::VectorData;
use super::{Input, TileGroups};
use crate::Result;
use crate::cpu::groups::masks::Present;
use crate::cpu::simd::kernel::{append, prefetch_here, vectorised};
use crate::partial::state::numeric_sum::IntegerMoments;
use crate::technique::Technique;

/// Groups beyond which they are not in the cache close by.
const FAR_GROUPS: usize = 1 << 14;

/// How many values ahead their groups are asked for.
const PREFETCH_VALUES: usize = 24;

impl IntegerMoments {
    /// Adds one number. Of a group that nobody reads sums may go around their ends.
    #[inline(always)]
    fn add(&mut self, value: i64) {
        let value_wide = i128::from(value);
        self.count += 1;
        self.sum = self.sum.wrapping_add(value);
        self.squares = self.squares.wrapping_add((value_wide * value_wide) as u128);
    }

    /// Adds the numbers of another one.
    #[inline(always)]
    pub(crate) fn merge(&mut self, other: IntegerMoments) {
        self.count += other.count;
        self.sum = self.sum.wrapping_add(other.sum);
        self.squares = self.squares.wrapping_add(other.squares);
    }
}

/// Folds in some tuples, whose arguments are at most `bound` from 0.
pub(super) fn add_moments(moments: &mut [IntegerMoments], bound: u64, input: &Input<'_>) -> Result<()> {
    let Some(vector) = input.vector else { return Ok(()) };
    match &vector.data {
        VectorData::I32(values) => add_values(values, moments, bound, input),
        VectorData::I64(values) => add_values(values, moments, bound, input),
        VectorData::I128(values) => input.each_valid(|tuple, group| {
            // What is proven to be within 64 bits.
            moments[group].add(values[vector.position(tuple)] as i64);
        }),
        // NULLs of no type.
        _ => {}
    }
    Ok(())
}

fn add_values<T: Copy + Into<i64>>(values: &[T], moments: &mut [IntegerMoments], bound: u64, input: &Input<'_>) {
    let Some(vector) = input.vector else { return };
    if vector.nulls.is_some() || vector.constant {
        return input.each_valid(|tuple, group| moments[group].add(values[vector.position(tuple)].into()));
    }
    // Whether 64 bits hold the sum of a tile's squares.
    let is_narrow = bound.checked_mul(bound).and_then(|square| square.checked_mul(values.len() as u64));
    let is_narrow = is_narrow.is_some_and(|most| most <= i64::MAX as u64);
    match input.groups {
        TileGroups::One if is_narrow => moments[0].merge(of_all(values)),
        TileGroups::Each(_, Some(present)) | TileGroups::Masks(present) if is_narrow && sums_by_masks() => {
            add_masked(values, present, moments);
        }
        TileGroups::Each(groups, _) => add_each(values, groups, moments),
        TileGroups::Runs(runs) => {
            for (group, run) in runs.iter() {
                let mut own = IntegerMoments::default();
                values[run].iter().for_each(|&value| own.add(value.into()));
                moments[group].merge(own);
            }
        }
        TileGroups::One | TileGroups::Masks(_) => {
            input.each(|tuple, group| moments[group].add(values[tuple].into()));
        }
    }
}

/// Of values whose squares have a sum of 64 bits.
fn of_all<T: Copy + Into<i64>>(values: &[T]) -> IntegerMoments {
    let (sum, squares) = vectorised(|| {
        let (mut sum, mut squares) = (0i64, 0i64);
        for &value in values {
            let value: i64 = value.into();
            sum = sum.wrapping_add(value);
            squares = squares.wrapping_add(value.wrapping_mul(value));
        }
        (sum, squares)
    });
    IntegerMoments { count: values.len() as u64, sum, squares: squares as u128 }
}

fn add_each<T: Copy + Into<i64>>(values: &[T], groups: &[u32], moments: &mut [IntegerMoments]) {
    let far = moments.len() > FAR_GROUPS && Technique::Prefetch.is_on();
    for (at, (&value, &group)) in values.iter().zip(groups).enumerate() {
        if far && let Some(&next) = groups.get(at + PREFETCH_VALUES) {
            prefetch_here(moments.as_ptr().wrapping_add(next as usize));
        }
        moments[group as usize].add(value.into());
    }
}

/// Adds what each of some groups has, by its tuples; the sum of all squares fits 64 bits.
fn add_masked<T: Copy + Into<i64>>(values: &[T], present: &Present, moments: &mut [IntegerMoments]) {
    let (mut wide, mut squares) = (Vec::new(), Vec::new());
    vectorised(|| append(&mut wide, values, Into::into));
    vectorised(|| append(&mut squares, &wide, |value: i64| value.wrapping_mul(value)));
    let groups = present.counts().count();
    let sums = |values: &[i64]| {
        let mut sums = vec![0; groups];
        // Of the groups that are present by their places, of which there are few.
        let (many, few) = (present.many_at(), present.few_at());
        i64::add_masked(values, u64::MAX, many, &[], &mut sums);
        add_listed(values, few, &mut sums);
        sums
    };
    let (sums, squares) = (sums(&wide), sums(&squares));
    for (at, (group, count)) in present.counts().enumerate() {
        let own = IntegerMoments { count: count as u64, sum: sums[at], squares: squares[at] as u128 };
        moments[group].merge(own);
    }
}

#[cfg(test)]
mod tests;
