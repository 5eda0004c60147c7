//! Filling sums of integers, decimals and intervals.

use super::super::kernels::run_sum::{RunValue, add_differences};
use super::super::kernels::sum::{MaskedOffsets, MaskedSum, add_listed, as_signed};
use super::super::vector::{Vector, VectorData};
use super::{Input, TileGroups};
use crate::column::{Column, ColumnData};
use crate::cpu::groups::grouper::retain;
use crate::cpu::groups::masks::Present;
use crate::cpu::groups::runs::Runs;
use crate::cpu::simd::kernel::{append, kernel, prefetch_here, vectorised};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::integer_sum::{IntegerSums, Sums};
use crate::partial::state::interval_sum::IntervalSums;
use crate::technique::Technique;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Interval;
use std::ops::Range;

/// Memory for a tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    totals: Totals,
    /// Values without NULLs.
    values: Vector,
}

/// Sums up to the ends of runs, modulo their width.
#[derive(Clone, Debug, Default)]
struct Totals {
    narrow: Vec<i32>,
    /// Up to every value.
    wide: Vec<i64>,
    /// Of a tile's offsets, a group each.
    offsets: Vec<i64>,
}

impl IntegerSums {
    pub(crate) fn update(&mut self, input: &Input<'_>, memory: &mut Memory) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        self.expect_rows(input.len as u64);
        let (sums, seen) = (&mut self.sums, &mut self.seen);
        if let (Sums::Narrow { sums, bound, .. }, false) = (&mut *sums, vector.constant)
            && let Memory { totals, values } = memory
            && let Some(values) = without_nulls(vector, values)
            && add_dense((values, vector.nulls.as_ref()), input.groups, *bound, (sums, seen), totals)
        {
            return Ok(());
        }
        if let (Sums::Wide { low, high }, TileGroups::One, VectorData::I128(values)) =
            (&mut *sums, input.groups, &vector.data)
            && vector.nulls.is_none()
            && !vector.constant
        {
            let (mut sum, mut over) = (low[0], high[0]);
            values.iter().for_each(|&value| add_wide(&mut sum, &mut over, value));
            (low[0], high[0]) = (sum, over);
            seen[0] |= !values.is_empty();
            return Ok(());
        }
        if let (Sums::Wide { low, high }, TileGroups::One, false) = (&mut *sums, input.groups, vector.constant)
            && let Some(VectorData::I64(values)) = without_nulls(vector, &mut memory.values)
        {
            for values in values.chunks(HALVES_MAX) {
                let (upper, lower) = halves(values);
                add_wide(&mut low[0], &mut high[0], (i128::from(upper) << 32) + i128::from(lower));
            }
            seen[0] |= vector.nulls.as_ref().map_or(!values.is_empty(), |valid| valid.first_one().is_some());
            return Ok(());
        }
        /// Adds every valid value of the slice.
        macro_rules! add {
            ($values:expr) => {
                match sums {
                    Sums::Narrow { sums, .. } => input.each_valid(|tuple, group| {
                        sums[group] = sums[group].wrapping_add($values[vector.position(tuple)] as i64);
                        seen[group] = true;
                    }),
                    Sums::Wide { low, high } => input.each_valid(|tuple, group| {
                        add_wide(&mut low[group], &mut high[group], i128::from($values[vector.position(tuple)]));
                        seen[group] = true;
                    }),
                }
            };
        }
        match &vector.data {
            VectorData::I32(values) => add!(values),
            VectorData::I64(values) => add!(values),
            VectorData::I128(values) => add!(values),
            // NULLs of no type.
            _ => {}
        }
        Ok(())
    }

    /// Adds values as a column has them: its offsets, times the step, and for each of them its base. False if it did nothing.
    pub(crate) fn update_from(
        &mut self,
        column: &Column,
        rows: Range<usize>,
        groups: TileGroups<'_>,
        memory: &mut Memory,
    ) -> bool {
        let Column { data, nulls: None, .. } = column else { return false };
        let totals = &mut memory.totals;
        match data {
            ColumnData::Frame8 { base, offsets } => self.add_offsets(&offsets[rows], (*base, 1), groups, totals),
            ColumnData::Frame16 { base, offsets } => self.add_offsets(&offsets[rows], (*base, 1), groups, totals),
            ColumnData::Stepped8 { base, step, offsets } => {
                self.add_offsets(&offsets[rows], (*base, *step), groups, totals)
            }
            ColumnData::Stepped16 { base, step, offsets } => {
                self.add_offsets(&offsets[rows], (*base, *step), groups, totals)
            }
            ColumnData::Frame32 { base, offsets } => self.add_wide_offsets(&offsets[rows], *base, groups),
            _ => false,
        }
    }

    /// As [`IntegerSums::add_offsets`], of offsets that are no more than 31 bits, by masks.
    fn add_wide_offsets(&mut self, offsets: &[u32], base: i64, groups: TileGroups<'_>) -> bool {
        let TileGroups::Masks(present) = groups else { return false };
        // Values of masks are within the bound; the base may be another row's.
        let Sums::Narrow { bound, .. } = self.sums else { return false };
        let most = bound.saturating_add(base.unsigned_abs());
        if most > i32::MAX as u64 {
            return false;
        }
        self.expect_rows(offsets.len() as u64);
        let Sums::Narrow { sums, .. } = &mut self.sums else { return false };
        i32::add_masked(as_signed(offsets), most, present.many(), &[], sums);
        add_listed(as_signed(offsets), present.few(), sums);
        add_bases(base, present, sums, &mut self.seen);
        true
    }

    fn add_offsets<T: MaskedOffsets + RunValue>(
        &mut self,
        offsets: &[T],
        (base, step): (i64, i64),
        groups: TileGroups<'_>,
        totals: &mut Totals,
    ) -> bool {
        // The most that offsets of a tile add up to: sums of runs are differences of 32 bits.
        let most = offsets.len() * ((1 << (8 * size_of::<T>())) - 1);
        match groups {
            TileGroups::One | TileGroups::Each(..) => return false,
            TileGroups::Runs(_) if most > i32::MAX as usize => return false,
            TileGroups::Runs(_) | TileGroups::Masks(_) => {}
        }
        self.expect_rows(offsets.len() as u64);
        let Sums::Narrow { sums, .. } = &mut self.sums else { return false };
        match groups {
            TileGroups::Masks(present) => {
                if step == 1 {
                    T::add_masked(offsets, present.many(), sums);
                    add_listed(offsets, present.few(), sums);
                } else {
                    add_steps(offsets, step, present, sums, &mut totals.offsets);
                }
                add_bases(base, present, sums, &mut self.seen);
            }
            TileGroups::Runs(runs) => {
                add_runs(offsets, (base, step), runs, sums, &mut totals.narrow);
                see_runs(runs, None, &mut self.seen);
            }
            TileGroups::One | TileGroups::Each(..) => {}
        }
        true
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        match other.sums {
            Sums::Narrow { rows, .. } => self.expect_rows(rows),
            // However small the bound is: of a bound of 0, too, who makes them elsewhere may have wide ones.
            Sums::Wide { .. } => self.widen(),
        }
        for (from, into) in pairs {
            match (&mut self.sums, &other.sums) {
                (Sums::Narrow { sums, .. }, Sums::Narrow { sums: theirs, .. }) => sums[into] += theirs[from],
                (Sums::Wide { low, high }, Sums::Narrow { sums: theirs, .. }) => {
                    add_wide(&mut low[into], &mut high[into], theirs[from].into());
                }
                (Sums::Wide { low, high }, Sums::Wide { low: from_low, high: from_high }) => {
                    add_wide(&mut low[into], &mut high[into], from_low[from]);
                    high[into] += from_high[from];
                }
                (Sums::Narrow { .. }, Sums::Wide { .. }) => unreachable!("made wide above"),
            }
            self.seen[into] |= other.seen[from];
        }
    }

    /// Adds groups behind its own while all sums are narrow; false if they are not.
    pub(crate) fn append(&mut self, other: &Self, groups: Range<usize>) -> bool {
        let (Sums::Narrow { sums, rows, .. }, Sums::Narrow { sums: theirs, rows: more, .. }) =
            (&mut self.sums, &other.sums)
        else {
            return false;
        };
        // Of one group at most so many: what is behind does not add to what is in front.
        *rows = (*rows).max(*more);
        sums.extend_from_slice(&theirs[groups.clone()]);
        self.seen.extend_from_slice(&other.seen[groups]);
        true
    }

    pub(crate) fn is_narrow(&self) -> bool {
        matches!(self.sums, Sums::Narrow { .. })
    }

    /// The sums of some groups in a row; none if they are wide, or may not fit the type.
    pub(crate) fn peek(&self, groups: Range<usize>, data_type: DataType) -> Option<ColumnBuilder> {
        let Sums::Narrow { sums, .. } = &self.sums else { return None };
        let (low, high) = data_type.integer_bounds()?;
        let (sums, seen) = (&sums[groups.clone()], &self.seen[groups]);
        let fit = low <= i64::MIN.into() && high >= i64::MAX.into()
            || sums.iter().all(|&sum| (low..=high).contains(&i128::from(sum)));
        let all_seen = vectorised(|| seen.iter().fold(true, |all, &seen| all & seen));
        let valid = (!all_seen).then(|| seen.to_vec());
        fit.then(|| ColumnBuilder::from_i64(sums.to_vec(), valid))
    }

    /// Of some groups in a row leaves only those at these positions.
    pub(crate) fn retain(&mut self, groups: Range<usize>, kept: &[u32]) {
        retain(&mut self.seen, groups.clone(), kept);
        match &mut self.sums {
            Sums::Narrow { sums, .. } => retain(sums, groups, kept),
            Sums::Wide { low, high } => {
                retain(low, groups.clone(), kept);
                retain(high, groups, kept);
            }
        }
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let (low, high) = data_type.integer_bounds().unwrap_or((i128::MIN, i128::MAX));
        let overflow = || Err(out_of_range(data_type));
        match self.sums {
            Sums::Narrow { sums, .. } => {
                if sums.iter().any(|&sum| i128::from(sum) < low || i128::from(sum) > high) {
                    return overflow();
                }
                Ok(ColumnBuilder::from_i64(sums, Some(self.seen)))
            }
            Sums::Wide { low: sums, high: highs } => {
                if highs.iter().any(|&high| high != 0) || sums.iter().any(|&sum| sum < low || sum > high) {
                    return overflow();
                }
                Ok(ColumnBuilder::from_i128(sums, Some(self.seen)))
            }
        }
    }
}

/// Adds the base of offsets for each of the tuples of some groups.
fn add_bases(base: i64, present: &Present, sums: &mut [i64], seen: &mut [bool]) {
    for (group, count) in present.counts() {
        // The sum fits; it may go around the end on the way there.
        sums[group] = sums[group].wrapping_add(base.wrapping_mul(count as i64));
        seen[group] = true;
    }
}

/// Adds the offsets of each of some groups, times the step.
fn add_steps<T: MaskedOffsets>(offsets: &[T], step: i64, present: &Present, sums: &mut [i64], own: &mut Vec<i64>) {
    own.clear();
    own.resize(sums.len(), 0);
    T::add_masked(offsets, present.many(), own);
    add_listed(offsets, present.few(), own);
    for (group, _) in present.counts() {
        sums[group] = sums[group].wrapping_add(step.wrapping_mul(own[group]));
    }
}

/// The values, with zeros where they are NULL; none if they have no quick way to be added.
fn without_nulls<'a>(vector: &'a Vector, memory: &'a mut Vector) -> Option<&'a VectorData> {
    /// The values, of a word of bits at a time.
    fn zeroed<T: Copy + Default>(values: &[T], valid: &Bitmap, mut out: Vec<T>) -> Vec<T> {
        for (values, &word) in values.chunks(64).zip(valid.words()) {
            let each = values.iter().enumerate();
            vectorised(|| out.extend(each.map(|(at, &value)| if word >> at & 1 == 1 { value } else { T::default() })));
        }
        out
    }
    let Some(valid) = &vector.nulls else { return Some(&vector.data) };
    memory.data = match &vector.data {
        VectorData::I32(values) => VectorData::I32(zeroed(values, valid, memory.take_i32())),
        VectorData::I64(values) => VectorData::I64(zeroed(values, valid, memory.take_i64())),
        _ => return None,
    };
    Some(&memory.data)
}

/// Adds values, if there is a quick way to: false if it did nothing. `valid` says which are not NULL, none if none is;
/// those that are are 0.
fn add_dense(
    (data, valid): (&VectorData, Option<&Bitmap>),
    groups: TileGroups<'_>,
    bound: u64,
    (sums, seen): (&mut [i64], &mut [bool]),
    totals: &mut Totals,
) -> bool {
    match (groups, data) {
        (TileGroups::One, VectorData::I32(values)) => {
            sums[0] += values.iter().map(|&value| i64::from(value)).sum::<i64>();
            seen[0] |= valid.map_or(!values.is_empty(), |valid| valid.first_one().is_some());
        }
        (TileGroups::One, VectorData::I64(values)) => {
            sums[0] += values.iter().sum::<i64>();
            seen[0] |= valid.map_or(!values.is_empty(), |valid| valid.first_one().is_some());
        }
        (TileGroups::Each(_, Some(present)) | TileGroups::Masks(present), _) => {
            let groups = if let TileGroups::Each(groups, _) = groups { groups } else { &[] };
            if !add_by_group(data, groups, present, bound, sums) {
                return false;
            }
            let has_value = |tuples: &Bitmap| valid.is_none_or(|valid| tuples.meets(valid));
            present.iter().for_each(|(group, tuples)| seen[group] |= has_value(tuples));
        }
        (TileGroups::Each(groups, None), VectorData::I32(values)) => add_each(values, groups, valid, sums, seen),
        (TileGroups::Each(groups, None), VectorData::I64(values)) => add_each(values, groups, valid, sums, seen),
        (TileGroups::Runs(runs), VectorData::I32(values)) => {
            if bound.saturating_mul(values.len() as u64) <= i32::MAX as u64 {
                add_runs(values, (0, 1), runs, sums, &mut totals.narrow);
            } else {
                add_wide_runs(values, runs, sums, &mut totals.wide);
            }
            see_runs(runs, valid, seen);
        }
        (TileGroups::Runs(runs), VectorData::I64(values)) => {
            add_wide_runs(values, runs, sums, &mut totals.wide);
            see_runs(runs, valid, seen);
        }
        _ => return false,
    }
    true
}

/// Notes which runs have a value.
fn see_runs(runs: &Runs, valid: Option<&Bitmap>, seen: &mut [bool]) {
    match valid {
        None => match runs.consecutive() {
            Some(groups) => seen[groups].fill(true),
            None => runs.iter().for_each(|(group, _)| seen[group] = true),
        },
        Some(valid) => runs.iter().for_each(|(group, mut run)| seen[group] |= run.any(|tuple| valid.get(tuple))),
    }
}

/// Groups beyond which their sums are not in the cache close by.
const FAR_GROUPS: usize = 1 << 16;

/// How many values ahead their sums are asked for.
const PREFETCH_VALUES: usize = 32;

/// Adds every value to the sum of its group, and notes which groups have one.
fn add_each<T: Copy + Into<i64>>(
    values: &[T],
    groups: &[u32],
    valid: Option<&Bitmap>,
    sums: &mut [i64],
    seen: &mut [bool],
) {
    match valid {
        None => add_each_if(values, groups, |_| true, sums, seen),
        Some(valid) => add_each_if(values, groups, |tuple| valid.get(tuple), sums, seen),
    }
}

#[inline(always)]
fn add_each_if<T: Copy + Into<i64>>(
    values: &[T],
    groups: &[u32],
    is_valid: impl Fn(usize) -> bool,
    sums: &mut [i64],
    seen: &mut [bool],
) {
    let far = sums.len() > FAR_GROUPS && Technique::Prefetch.is_on();
    for (at, (&value, &group)) in values.iter().zip(groups).enumerate() {
        if far && let Some(&next) = groups.get(at + PREFETCH_VALUES) {
            prefetch_here(sums.as_ptr().wrapping_add(next as usize));
            prefetch_here(seen.as_ptr().wrapping_add(next as usize));
        }
        let group = group as usize;
        sums[group] = sums[group].wrapping_add(value.into());
        seen[group] |= is_valid(at);
    }
}

/// Adds to each sum the values of its run, whose sum fits 32 bits, times the step, and `base` for each of them.
fn add_runs<T: RunValue>(values: &[T], (base, step): (i64, i64), runs: &Runs, sums: &mut [i64], totals: &mut Vec<i32>) {
    totals.clear();
    T::sums_at(values, runs.lasts().words(), totals);
    if let Some(groups) = runs.consecutive() {
        return add_differences(totals, runs.ends(), base, step, &mut sums[groups]);
    }
    let mut before = 0;
    for ((group, run), &total) in runs.iter().zip(&*totals) {
        let own = step.wrapping_mul(total.wrapping_sub(before).into());
        sums[group] = sums[group].wrapping_add(own).wrapping_add(base.wrapping_mul(run.len() as i64));
        before = total;
    }
}

/// Adds to each sum the values of its run, as the difference of two running sums of 64 bits: these may go around the end,
/// their difference does not.
fn add_wide_runs<T: Copy + Into<i64>>(values: &[T], runs: &Runs, sums: &mut [i64], running: &mut Vec<i64>) {
    let (mut total, mut before) = (0i64, 0);
    running.clear();
    append(running, values, |value| {
        total = total.wrapping_add(value.into());
        total
    });
    let mut add = |sum: &mut i64, end: usize| {
        let total = running[end - 1];
        *sum += total.wrapping_sub(before);
        before = total;
    };
    match runs.consecutive() {
        Some(groups) => sums[groups].iter_mut().zip(runs.ends()).for_each(|(sum, &end)| add(sum, end as usize)),
        None => runs.iter().for_each(|(group, run)| add(&mut sums[group], run.end)),
    }
}

/// Adds the values of a few groups: a masked sum has no branch and no dependency through memory.
/// False if it did nothing.
fn add_by_group(data: &VectorData, groups: &[u32], present: &Present, bound: u64, sums: &mut [i64]) -> bool {
    match data {
        VectorData::I32(values) => {
            i32::add_masked(values, bound, present.many(), groups, sums);
            add_listed(values, present.few(), sums);
        }
        VectorData::I64(values) => {
            i64::add_masked(values, bound, present.many(), groups, sums);
            add_listed(values, present.few(), sums);
        }
        _ => return false,
    }
    true
}

/// Values of which the sums of halves fit 64 bits.
const HALVES_MAX: usize = 1 << 31;

kernel! {
    /// The sums of the upper 32 bits of values, and of the lower ones: both together are that of the values.
    fn halves[](values: &[i64]) -> (i64, u64) {
        let halves = values.iter().map(|&value| (value >> 32, value as u64 & 0xFFFF_FFFF));
        halves.fold((0, 0), |(upper, lower), (high, low)| (upper + high, lower + low))
    }
}

#[inline]
fn add_wide(low: &mut i128, high: &mut i32, value: i128) {
    let (sum, overflowed) = low.overflowing_add(value);
    *low = sum;
    if overflowed {
        *high += if value > 0 { 1 } else { -1 };
    }
}

/// What PostgreSQL says of a number that its type does not hold.
pub(super) fn out_of_range(data_type: DataType) -> Error {
    match data_type {
        decimal if decimal.is_decimal() => evaluate::decimal::overflow(decimal),
        DataType::Interval => Error::new(ErrorKind::DatetimeOverflow, "interval out of range"),
        other => Error::new(ErrorKind::NumericOverflow, format!("{other} out of range")),
    }
}

impl IntervalSums {
    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("sum of nothing")) };
        let VectorData::Interval(values) = &vector.data else { return Ok(()) };
        input.each_valid(|tuple, group| {
            let Interval { months, days, micros } = values[vector.position(tuple)];
            let sum = &mut self.sums[group];
            sum[0] += i128::from(months);
            sum[1] += i128::from(days);
            sum[2] += i128::from(micros);
            self.seen[group] = true;
        });
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) {
        for (from, into) in pairs {
            for unit in 0..3 {
                self.sums[into][unit] += other.sums[from][unit];
            }
            self.seen[into] |= other.seen[from];
        }
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let interval = |sum: &[i128; 3]| {
            let months = i32::try_from(sum[0]).ok()?;
            Some(Interval { months, days: i32::try_from(sum[1]).ok()?, micros: i64::try_from(sum[2]).ok()? })
        };
        let sums: Option<Vec<Interval>> = self.sums.iter().map(interval).collect();
        Ok(ColumnBuilder::from_intervals(sums.ok_or_else(|| out_of_range(data_type))?, Some(self.seen)))
    }
}
