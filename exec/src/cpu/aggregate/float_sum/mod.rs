//! Filling sums of floats: a tile's values become integers of 63 bits in units that suit the largest of them, many at once.
//! Those that are not within reach, and all of a tile whose magnitudes are far from what came before, are added one by one.

use super::super::kernels::exact_blocks::{LOWEST, ROOM, add_all, align, top_exponent};
use super::super::kernels::sum::{MaskedSum, add_listed, sums_by_masks};
use super::super::vector::VectorData;
use super::{Input, TileGroups};
use crate::cpu::groups::masks::Present;
use crate::cpu::groups::runs::Runs;
use crate::cpu::simd::kernel::{append, prefetch_here, vectorised};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::float_sum::{FloatSums, NUMBER_BITS};
use crate::sums::exact_sum::{EXPONENT_MAX, EXPONENT_MIN, decompose};
use crate::technique::Technique;
use crate::{Error, Result};
use multiloop_planner::types::DataType;

/// Memory for a tile.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Values with zeros where they are NULL.
    values: Vec<f64>,
    /// Values in the tile's units, and what is not within their reach.
    numbers: Vec<i64>,
    left: Vec<u32>,
    /// Halves of the numbers.
    halves: Vec<i64>,
}

/// How far a tile's units may be above those of all, so that 63 bits of them are a number that a window takes.
const SHIFT_MAX: i32 = NUMBER_BITS as i32 - 63;

/// When more than one value in so many is not within reach, all are added one by one.
const LEFT_MAX: usize = 4;

/// Groups beyond which their windows are not in the cache close by.
const FAR_GROUPS: usize = 1 << 15;

/// How many values ahead their windows are asked for.
const PREFETCH_VALUES: usize = 24;

/// The units of windows that suit numbers of which the largest have this exponent: workers whose first numbers differ a
/// little have the same.
fn unit_for(exponent: i32) -> i32 {
    ((exponent - ROOM as i32 - 4) & !7).clamp(EXPONENT_MIN, EXPONENT_MAX)
}

impl FloatSums {
    pub(super) fn update(&mut self, input: &Input<'_>, memory: &mut Memory) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        let VectorData::F64(values) = &vector.data else { return Ok(()) };
        self.expect_rows(input.len as u64);
        if input.is_dense() {
            self.change_rest(0, |rest| add_all(rest, values));
            self.seen[0] |= !values.is_empty();
            return Ok(());
        }
        let Memory { values: zeroed, numbers, left, halves } = memory;
        let valid = vector.nulls.as_ref();
        let dense = valid.map_or(&values[..], |valid| without_nulls(values, valid, zeroed));
        let base = if vector.constant { None } else { self.base(top_exponent(dense)) };
        let aligned = base.map(|(base, shift)| (shift, align(dense, base, numbers)));
        let Some((shift, count)) = aligned.filter(|(_, left)| left * LEFT_MAX <= dense.len()) else {
            input.each_valid(|tuple, group| self.add(group, values[vector.position(tuple)]));
            return Ok(());
        };
        match input.groups {
            TileGroups::Each(_, Some(present)) | TileGroups::Masks(present) if sums_by_masks() => {
                self.add_masked((numbers, shift), present, valid, halves);
            }
            TileGroups::Each(groups, _) => self.add_each((numbers, shift), groups, valid),
            TileGroups::Runs(runs) => self.add_runs((numbers, shift), runs, valid),
            TileGroups::One | TileGroups::Masks(_) => input.each_valid(|tuple, group| {
                self.windows[group] += i128::from(numbers[tuple]) << shift;
                self.seen[group] = true;
            }),
        }
        if count == 0 {
            return Ok(());
        }
        left.clear();
        let is_left = |tuple: &usize| numbers[*tuple] == 0 && dense[*tuple] != 0.0;
        left.extend((0..dense.len()).filter(is_left).map(|tuple| tuple as u32));
        each_listed(left, input.groups, |tuple, group| self.add(group, dense[tuple]));
        Ok(())
    }

    /// The base of units that suit values of which the largest finite one has this exponent, as it stands in a double, and how
    /// far these units are above those of all; none if that is too far.
    fn base(&mut self, top: u64) -> Option<(u64, i32)> {
        let own = top.checked_sub(ROOM).filter(|&own| own > 0)? as i32;
        let unit = *self.unit.get_or_insert_with(|| unit_for(top as i32 + LOWEST));
        let shift = (own + LOWEST - unit).max(0);
        let base = unit + shift - LOWEST;
        (shift <= SHIFT_MAX && base <= top as i32).then_some((base as u64, shift))
    }

    /// Adds one number.
    fn add(&mut self, group: usize, value: f64) {
        self.seen[group] = true;
        if value.is_finite() {
            let (mantissa, exponent) = decompose(value);
            if mantissa == 0 {
                return;
            }
            let shift = exponent - *self.unit.get_or_insert_with(|| unit_for(exponent));
            if (0..=NUMBER_BITS as i32 - 53).contains(&shift) {
                self.windows[group] += i128::from(mantissa) << shift;
                return;
            }
        }
        self.change_rest(group, |rest| rest.add(value));
    }

    fn add_each(&mut self, (numbers, shift): (&[i64], i32), groups: &[u32], valid: Option<&Bitmap>) {
        let (windows, seen) = (&mut self.windows[..], &mut self.seen[..]);
        let far = windows.len() > FAR_GROUPS && Technique::Prefetch.is_on();
        for (at, (&number, &group)) in numbers.iter().zip(groups).enumerate() {
            if far && let Some(&next) = groups.get(at + PREFETCH_VALUES) {
                prefetch_here(windows.as_ptr().wrapping_add(next as usize));
                prefetch_here(seen.as_ptr().wrapping_add(next as usize));
            }
            windows[group as usize] += i128::from(number) << shift;
            seen[group as usize] |= valid.is_none_or(|valid| valid.get(at));
        }
    }

    /// Adds what each of some groups has, by its tuples: upper and lower halves on their own, whose sums fit 64 bits.
    fn add_masked(
        &mut self,
        (numbers, shift): (&[i64], i32),
        present: &Present,
        valid: Option<&Bitmap>,
        halves: &mut Vec<i64>,
    ) {
        halves.clear();
        vectorised(|| append(halves, numbers, |number: i64| number >> 32));
        let high = masked(halves, present);
        halves.clear();
        vectorised(|| append(halves, numbers, |number: i64| number & 0xffff_ffff));
        let low = masked(halves, present);
        for ((group, tuples), (high, low)) in present.iter().zip(high.into_iter().zip(low)) {
            self.windows[group] += ((i128::from(high) << 32) + i128::from(low)) << shift;
            self.seen[group] |= valid.is_none_or(|valid| tuples.meets(valid));
        }
    }

    fn add_runs(&mut self, (numbers, shift): (&[i64], i32), runs: &Runs, valid: Option<&Bitmap>) {
        for (group, run) in runs.iter() {
            let sum = numbers[run.clone()].iter().fold(0i128, |sum, &number| sum + i128::from(number));
            self.windows[group] += sum << shift;
            self.seen[group] |= valid.is_none_or(|valid| run.into_iter().any(|tuple| valid.get(tuple)));
        }
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let finish = |group: usize| if self.seen[group] { self.sum(group).finish(data_type) } else { Ok(0.0) };
        let values = (0..self.groups()).map(finish).collect::<Result<Vec<f64>>>()?;
        Ok(ColumnBuilder::from_floats(values, Some(self.seen)))
    }
}

/// The sums of the values of each of the groups that are present, by their places.
fn masked(values: &[i64], present: &Present) -> Vec<i64> {
    let mut sums = vec![0; present.counts().count()];
    i64::add_masked(values, u64::MAX, present.many_at(), &[], &mut sums);
    add_listed(values, present.few_at(), &mut sums);
    sums
}

/// The values, with zeros where they are NULL.
fn without_nulls<'a>(values: &[f64], valid: &Bitmap, zeroed: &'a mut Vec<f64>) -> &'a [f64] {
    zeroed.clear();
    for (values, &word) in values.chunks(64).zip(valid.words()) {
        let each = values.iter().enumerate();
        vectorised(|| zeroed.extend(each.map(|(at, &value)| if word >> at & 1 == 1 { value } else { 0.0 })));
    }
    zeroed
}

/// Gives some tuples, which are in order, with their groups.
fn each_listed(tuples: &[u32], groups: TileGroups<'_>, mut each: impl FnMut(usize, usize)) {
    if tuples.is_empty() {
        return;
    }
    match groups {
        TileGroups::One => tuples.iter().for_each(|&tuple| each(tuple as usize, 0)),
        TileGroups::Each(groups, _) => {
            tuples.iter().for_each(|&tuple| each(tuple as usize, groups[tuple as usize] as usize));
        }
        TileGroups::Masks(present) => present.iter().for_each(|(group, own)| {
            let own = tuples.iter().filter(|&&tuple| own.get(tuple as usize));
            own.for_each(|&tuple| each(tuple as usize, group));
        }),
        TileGroups::Runs(runs) => {
            let mut tuples = tuples.iter().map(|&tuple| tuple as usize).peekable();
            for (group, run) in runs.iter() {
                while let Some(tuple) = tuples.next_if(|&tuple| tuple < run.end) {
                    each(tuple, group);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
