//! Filling sums and variances of NUMERIC.

use super::super::vector::{Vector, VectorData};
use super::integer_moments::add_moments;
use super::{Input, TileGroups};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::numerics::{Bounds, NumericVector};
use crate::partial::state::numeric_sum::{Asked, NumericSums, ScaledSums, States};
use crate::{Error, Result};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::powers;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::DataType;

impl NumericSums {
    /// Folds in some tuples, whose argument has this type.
    pub(crate) fn update(&mut self, input: &Input<'_>, argument: DataType) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("a sum of nothing")) };
        self.expect_rows(input.len as u64);
        let squares = self.asked != Asked::Sum;
        if let States::Narrow { moments, bound, .. } = &mut self.states {
            return add_moments(moments, *bound, input);
        }
        if let (States::Scaled(scaled), VectorData::Numerics(numbers)) = (&mut self.states, &vector.data)
            && add_scaled(scaled, input, vector, numbers)
        {
            return Ok(());
        }
        self.widen();
        let States::Wide { sums, heap } = &mut self.states else { unreachable!("made wide above") };
        let scale = u32::from(argument.scale());
        let mut add = |group: usize, unscaled: i128| {
            change(&mut sums[group], heap, |state| state.add_small(SmallNumeric::new(unscaled, scale), squares));
        };
        match &vector.data {
            VectorData::I32(values) => {
                input.each_valid(|tuple, group| add(group, values[vector.position(tuple)].into()));
            }
            VectorData::I64(values) => {
                input.each_valid(|tuple, group| add(group, values[vector.position(tuple)].into()));
            }
            VectorData::I128(values) => input.each_valid(|tuple, group| add(group, values[vector.position(tuple)])),
            VectorData::Numerics(numbers) => add_numbers(sums, heap, squares, input, vector, numbers),
            _ => return add_texts(sums, heap, squares, input, vector),
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, mut pairs: impl Iterator<Item = (usize, usize)>) {
        self.expect_rows(if let States::Narrow { rows, .. } = other.states { rows } else { u64::MAX });
        let mut first = None;
        if let (States::Scaled(mine), States::Scaled(theirs)) = (&mut self.states, &other.states)
            && mine.expect(theirs.scale, 0, 1)
        {
            first = pairs.find(|&(from, into)| !mine.merge(theirs, from, into));
            if first.is_none() {
                return;
            }
        }
        let pairs = first.into_iter().chain(pairs);
        if matches!(self.states, States::Scaled(_)) {
            self.widen();
        }
        match (&mut self.states, &other.states) {
            (States::Narrow { moments, .. }, States::Narrow { moments: theirs, .. }) => {
                pairs.for_each(|(from, into)| moments[into].merge(theirs[from]));
            }
            (States::Wide { sums, heap }, States::Narrow { moments: theirs, scale, .. }) => {
                pairs.for_each(|(from, into)| {
                    change(&mut sums[into], heap, |state| state.merge(&theirs[from].widened(*scale)));
                });
            }
            (States::Wide { sums, heap }, States::Scaled(theirs)) => {
                pairs
                    .for_each(|(from, into)| change(&mut sums[into], heap, |state| state.merge(&theirs.widened(from))));
            }
            (States::Wide { sums, heap }, States::Wide { sums: theirs, .. }) => {
                pairs.for_each(|(from, into)| change(&mut sums[into], heap, |state| state.merge(&theirs[from])));
            }
            (States::Narrow { .. } | States::Scaled(_), _) => unreachable!("made wide above"),
        }
    }

    pub(crate) fn finish(self) -> Result<ColumnBuilder> {
        let (mut column, asked) = (ColumnBuilder::from_numerics(Vec::with_capacity(self.groups()), None), self.asked);
        let mut finish = |state: &NumericSum| -> Result<()> {
            let small = match asked {
                Asked::Variance { sample } => state.small_variance(sample),
                Asked::Sum => state.small_total(),
            };
            match (small, asked) {
                (Some(small), _) => column.append_small(Some(small)),
                (None, Asked::Variance { sample }) => column.append_numeric(state.variance(sample)?.as_ref()),
                (None, Asked::Sum) => column.append_numeric(state.total()?.as_ref()),
            }
            Ok(())
        };
        match &self.states {
            States::Narrow { moments, scale, .. } => {
                moments.iter().try_for_each(|moments| finish(&moments.widened(*scale)))?;
            }
            States::Scaled(scaled) => {
                (0..scaled.sums.len()).try_for_each(|group| finish(&scaled.widened(group)))?;
            }
            States::Wide { sums, .. } => sums.iter().try_for_each(finish)?,
        }
        Ok(column)
    }
}

/// Adds numbers that stand as texts.
fn add_texts(
    sums: &mut [NumericSum],
    heap: &mut usize,
    squares: bool,
    input: &Input<'_>,
    vector: &Vector,
) -> Result<()> {
    let mut failed = None;
    input.each_valid(|tuple, group| {
        if failed.is_some() {
            return;
        }
        let text = vector.text(tuple).unwrap_or_default();
        match SmallNumeric::decode(text) {
            Some(small) => change(&mut sums[group], heap, |state| state.add_small(small, squares)),
            None => match Numeric::decode(text) {
                Ok(number) => change(&mut sums[group], heap, |state| state.add(&number, squares)),
                Err(error) => failed = Some(error),
            },
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Changes a group's state, and counts the memory that it takes.
#[inline]
fn change(state: &mut NumericSum, heap: &mut usize, change: impl FnOnce(&mut NumericSum)) {
    let before = state.heap_bytes();
    change(state);
    *heap = *heap + state.heap_bytes() - before;
}

/// Adds numbers to sums in units of one scale; false, and nothing, if these may not hold them.
fn add_scaled(scaled: &mut ScaledSums, input: &Input<'_>, vector: &Vector, numbers: &NumericVector) -> bool {
    // The magnitudes' common bits are less than twice the largest. What is 0, as at NULLs, is so in all units.
    let Bounds { bits, scale_min, scale_max } = numbers.bounds();
    // One more must fit what is noted of groups.
    if scale_max == u8::MAX || !scaled.expect(scale_max, 0, 1) {
        return false;
    }
    let scale_min = scale_min.min(scale_max);
    let magnitude = if bits.leading_zeros() == 0 { u128::MAX } else { (1 << (u128::BITS - bits.leading_zeros())) - 1 };
    if !scaled.expect(scale_min, magnitude, input.len) {
        return false;
    }
    let (unscaled, scales) = (numbers.unscaled(), numbers.scales());
    if input.is_dense() && input.len > 0 {
        scaled.sums[0] += sum_in_units(unscaled, scales, scaled.scale);
        scaled.shown[0] = scaled.shown[0].max(scale_max + 1);
        return true;
    }
    let ScaledSums { sums, shown, scale, .. } = scaled;
    let mut show = |group: usize, own: u8| {
        // Hardly any number is the first of its scale.
        if shown[group] <= own {
            shown[group] = own + 1;
        }
    };
    match short_factors(*scale, scale_min) {
        Some(factors) => input.each_valid(|tuple, group| {
            let position = vector.position(tuple);
            let own = scales[position];
            sums[group] += unscaled[position] * i128::from(factors[usize::from(own)]);
            show(group, own);
        }),
        None => input.each_valid(|tuple, group| {
            let position = vector.position(tuple);
            let own = scales[position];
            sums[group] += unscaled[position] * powers::power_of_ten((*scale - own).into()).unwrap_or(1);
            show(group, own);
        }),
    }
    true
}

/// For each scale from the smallest to that of units how many of these one is; none if 64 bits do not hold them.
fn short_factors(scale: u8, scale_min: u8) -> Option<[u64; 256]> {
    10u64.checked_pow((scale - scale_min).into())?;
    let mut factors = [0; 256];
    for own in scale_min..=scale {
        factors[usize::from(own)] = 10u64.pow((scale - own).into());
    }
    Some(factors)
}

/// The sum of numbers in units of one scale. Those of each scale are added up first; two in turns, because the next one's scale is
/// mostly the same, and would wait for the sum of the one before.
fn sum_in_units(unscaled: &[i128], scales: &[u8], scale: u8) -> i128 {
    let mut by_scale = [[0i128; 256]; 2];
    let [even, odd] = &mut by_scale;
    let (pairs, last) = unscaled.as_chunks::<2>();
    let (pair_scales, last_scale) = scales.as_chunks::<2>();
    for (pair, own) in pairs.iter().zip(pair_scales) {
        even[usize::from(own[0])] += pair[0];
        odd[usize::from(own[1])] += pair[1];
    }
    for (number, &own) in last.iter().zip(last_scale) {
        even[usize::from(own)] += number;
    }
    let sums = even.iter().zip(odd.iter()).map(|(even, odd)| even + odd).enumerate();
    // Where the sum is not 0 there are numbers whose scale was expected.
    let in_units = |(own, sum): (usize, i128)| sum * powers::power_of_ten(u32::from(scale) - own as u32).unwrap_or(1);
    sums.filter(|&(_, sum)| sum != 0).map(in_units).sum()
}

/// Adds numbers with scales. Those of one group are first added up by scale, of which there are few.
fn add_numbers(
    states: &mut [NumericSum],
    heap: &mut usize,
    squares: bool,
    input: &Input<'_>,
    vector: &Vector,
    numbers: &NumericVector,
) {
    if squares || !matches!(input.groups, TileGroups::One) {
        return input.each_valid(|tuple, group| {
            let number = numbers.get(vector.position(tuple));
            change(&mut states[group], heap, |state| state.add_small(number, squares));
        });
    }
    let (mut sums, mut at): (Vec<(u32, i128, u64)>, usize) = (Vec::new(), 0);
    input.each_valid(|tuple, _| {
        let number = numbers.get(vector.position(tuple));
        if sums.get(at).is_none_or(|sum| sum.0 != number.scale) {
            at = sums.iter().position(|sum| sum.0 == number.scale).unwrap_or_else(|| {
                sums.push((number.scale, 0, 0));
                sums.len() - 1
            });
        }
        let sum = &mut sums[at];
        match sum.1.checked_add(number.unscaled) {
            Some(more) => (sum.1, sum.2) = (more, sum.2 + 1),
            None => change(&mut states[0], heap, |state| state.add_small(number, false)),
        }
    });
    for (scale, sum, count) in sums {
        change(&mut states[0], heap, |state| state.add_sum(SmallNumeric::new(sum, scale), count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::value::Value;

    /// Groups of integers that are all 0 take in groups of any numbers.
    #[test]
    fn zeros_and_numbers_are_merged() {
        let asked = Asked::Variance { sample: false };
        let mut zeros = NumericSums::of_integers(false, 0, 2);
        zeros.resize(1);
        zeros.expect_rows(2);
        if let States::Narrow { moments, .. } = &mut zeros.states {
            moments[0].count = 2;
        }
        let mut numbers = NumericSums::new(asked);
        numbers.resize(1);
        if let States::Wide { sums, .. } = &mut numbers.states {
            sums[0].add_small(SmallNumeric::new(30, 1), true);
        }
        zeros.merge(&numbers, std::iter::once((0, 0)));
        let States::Wide { sums, .. } = &zeros.states else { panic!("they are of any numbers") };
        let variance = sums[0].variance(false).expect("it has one").expect("of three");
        assert_eq!(variance.compare(&Numeric::from_integer(2)), std::cmp::Ordering::Equal);
    }

    /// Sums in units of one scale are those of any numbers: of all scales, beside NULLs and zeros, and beyond 128 bits.
    #[test]
    fn sums_of_many_scales_are_exact() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let digits = [0, 1, -7, 1_234_567, -99_999_999_999_999_999_999, 10i128.pow(30), i128::MAX / 3, i128::MIN + 1];
        for (digits, scales) in [(&digits[..4], 3), (&digits[..5], 25), (&digits[..6], 60), (&digits[..], 255)] {
            let (mut sums, mut parts) = (NumericSums::new(Asked::Sum), NumericSums::new(Asked::Sum));
            let mut expected = vec![NumericSum::default(); 5];
            for tile in 0..20 {
                // The last group has no rows; others come later.
                let groups: Vec<u32> = (0..50).map(|_| random(4) as u32).collect();
                let mut column = ColumnBuilder::from_numerics(Vec::new(), None);
                for &group in &groups {
                    let number = SmallNumeric::new(digits[random(digits.len() as u64) as usize], random(scales) as u32);
                    let number = (random(5) > 0).then_some(number);
                    column.append_small(number);
                    number.into_iter().for_each(|number| expected[group as usize].add_small(number, false));
                }
                let vector = column.into_vector();
                let groups = TileGroups::Each(&groups, None);
                let into = if tile % 3 == 0 { &mut parts } else { &mut sums };
                into.resize(5);
                into.update(&Input { groups, vector: Some(&vector), len: 50 }, DataType::Numeric).unwrap();
            }
            sums.merge(&parts, (0..5).map(|group| (group, group)));
            let sums = sums.take(&[4, 3, 2, 1, 0]).finish().unwrap().into_vector();
            for (row, expected) in expected.iter().rev().enumerate() {
                let expected = expected.total().unwrap().map_or(Value::Null, Value::numeric);
                assert_eq!(sums.value(row, DataType::Numeric), expected, "{digits:?} {scales}");
            }
        }
    }

    /// The same of one group, where no number is NULL.
    #[test]
    fn sums_of_one_group_are_exact() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for (digits, scales) in [(1, 1), (1_000, 3), (10i128.pow(20), 5), (10i128.pow(20), 24), (i128::MAX / 64, 40)] {
            for len in [0, 1, 2, 3, 255] {
                let mut sums = NumericSums::new(Asked::Sum);
                sums.resize(1);
                let mut expected = NumericSum::default();
                for _ in 0..3 {
                    let mut column = ColumnBuilder::from_numerics(Vec::new(), None);
                    for _ in 0..len {
                        let unscaled = (i128::from(random(1 << 30)) << 90) % digits * [1, -1][random(2) as usize];
                        let number = SmallNumeric::new(unscaled, random(scales) as u32);
                        column.append_small(Some(number));
                        expected.add_small(number, false);
                    }
                    let vector = column.into_vector();
                    sums.update(&Input { groups: TileGroups::One, vector: Some(&vector), len }, DataType::Numeric)
                        .unwrap();
                }
                let expected = expected.total().unwrap().map_or(Value::Null, Value::numeric);
                assert_eq!(
                    sums.finish().unwrap().into_vector().value(0, DataType::Numeric),
                    expected,
                    "{digits} {scales}"
                );
            }
        }
    }
}
