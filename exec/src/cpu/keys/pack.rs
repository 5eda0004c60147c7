//! Packs keys in dense loops over integers and dictionary codes. What these decline, `key` encodes value by value. What they
//! decline, `key` encodes value by value.

use super::super::vector::{TextVector, Vector, VectorData};
use crate::column::divisor::Divisor;
use crate::cpu::kernels::member::BLOCK;
use crate::cpu::keys::part_values::{KeyPartValues, NULL_FLOAT, PartValues};
use crate::cpu::keys::short::{short_word, word_of_text};
use crate::cpu::simd::kernel::{append, kernel, vectorised};
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::plan::key_layout::{PartDomain, PartLayout};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::value::canonical_float_bits;
use std::sync::Arc;

/// Adds a part to the codes of some keys, and marks those absent that have no code; false if it did nothing. If there are no
/// codes yet, they begin with this part.
pub(crate) fn pack(
    part: &PartLayout,
    values: KeyPartValues<'_>,
    len: usize,
    codes: &mut Vec<u64>,
    absent: &mut Option<Vec<bool>>,
) -> bool {
    let Some(count) = part.domain.codes().and_then(|codes| u64::try_from(codes - 1).ok()) else { return false };
    let mut put = Put { len, codes, absent, shift: part.shift, count, values };
    match (&part.domain, values.values) {
        (
            PartDomain::Short(short),
            PartValues::Vector(Vector { data: VectorData::Text(texts), constant: false, .. }),
        ) => put.shorts(|tuple| short_word(texts, tuple, short)),
        (
            PartDomain::Short(short),
            PartValues::Vector(Vector { data: VectorData::Code { codes, dictionary }, constant: false, .. }),
        ) => put.shorts(|tuple| word_of_text(dictionary.bytes_of(codes[tuple]), short)),
        (PartDomain::Short(short), PartValues::ColumnBuilder(ColumnBuilder { data: BuilderData::Text(texts), .. })) => {
            put.shorts(|row| word_of_text(texts.get(row), short))
        }
        (PartDomain::Float, PartValues::Vector(Vector { data: VectorData::F64(floats), constant: false, .. })) => {
            put.floats(floats)
        }
        (
            PartDomain::Integer(grid),
            PartValues::Vector(Vector { data: VectorData::Bool(bits), constant: false, .. }),
        ) => {
            let bit = |tuple| i32::from(bits.get(tuple));
            put.integers(&(0..len).map(bit).collect::<Vec<i32>>(), *grid)
        }
        (PartDomain::Integer(grid), PartValues::Vector(vector)) if !vector.constant => match &vector.data {
            VectorData::I32(values) => put.integers(values, *grid),
            VectorData::I64(values) => put.integers(values, *grid),
            _ => false,
        },
        (PartDomain::Integer(grid), PartValues::ColumnBuilder(column)) => match &column.data {
            BuilderData::I32(values) => put.integers(values, *grid),
            BuilderData::I64(values) => put.integers(values, *grid),
            _ => false,
        },
        (PartDomain::Code(dictionary), PartValues::Vector(vector)) if !vector.constant => match &vector.data {
            VectorData::Code { codes, dictionary: other } if Arc::ptr_eq(dictionary, other) => {
                put.all(codes, |code| code.into(), 0)
            }
            _ => false,
        },
        (PartDomain::Code(dictionary), PartValues::ColumnBuilder(column)) => match &column.data {
            BuilderData::Code { codes, dictionary: other } if Arc::ptr_eq(dictionary, other) => {
                put.all(codes, |code| code.into(), 0)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The distance of an integer from the low end of its domain; what lies below it is far above.
#[inline]
fn wide_distance(value: i64, low: i64) -> u64 {
    if value >= low { value.wrapping_sub(low) as u64 } else { u64::MAX }
}

struct Put<'a> {
    /// How many keys.
    len: usize,
    codes: &'a mut Vec<u64>,
    absent: &'a mut Option<Vec<bool>>,
    shift: u32,
    /// Values in the domain.
    count: u64,
    values: KeyPartValues<'a>,
}

impl Put<'_> {
    fn integers<T: Copy + Ord + Into<i64>>(&mut self, values: &[T], grid: Grid) -> bool {
        let Ok(low) = i64::try_from(grid.low) else { return false };
        if grid.step == 1 {
            return self.all(values, |value| wide_distance(value.into(), low), low);
        }
        let divisor = Divisor::new(grid.step);
        let steps = |value: T| match value.into() {
            value if value < low => u64::MAX,
            value => divisor.quotient(wide_distance(value, low)).unwrap_or(u64::MAX),
        };
        values.len() == self.len && self.some(values, steps, self.values.may_be_null())
    }

    /// Adds a part that is short strings, by their codes.
    fn shorts(&mut self, code_of: impl Fn(usize) -> u64) -> bool {
        self.codes.resize(self.len, 0);
        let nulls = self.values.may_be_null();
        for (tuple, code) in self.codes.iter_mut().enumerate() {
            let is_null = nulls && self.values.is_null(tuple);
            let own = if is_null { 0 } else { code_of(tuple) };
            if own == TextVector::LONG || is_null && !self.values.null_matches {
                self.absent.get_or_insert_with(|| vec![false; self.len])[tuple] = true;
            } else {
                *code |= own << self.shift;
            }
        }
        true
    }

    /// Adds a part that is floats, whose code is all of a word.
    fn floats(&mut self, values: &[f64]) -> bool {
        if values.len() != self.len || self.shift != 0 || !self.codes.is_empty() {
            return false;
        }
        let code = |value: f64| canonical_float_bits(value) ^ NULL_FLOAT;
        vectorised(|| append(self.codes, values, code));
        if !self.values.may_be_null() {
            return true;
        }
        for (number, codes) in self.codes.chunks_mut(BLOCK).enumerate() {
            let valid = self.values.valid_word(number, codes.len());
            codes.iter_mut().enumerate().for_each(|(at, code)| *code &= (valid >> at & 1).wrapping_neg());
            let nulls = !valid << (BLOCK - codes.len()) >> (BLOCK - codes.len());
            if nulls != 0 && !self.values.null_matches {
                let absent = &mut self.absent.get_or_insert_with(|| vec![false; self.len])[number * BLOCK..];
                each_one(nulls, |at| absent[at] = true);
            }
        }
        true
    }

    /// Adds a part whose domain begins at `least`.
    fn all<T: Copy + Ord + Into<i64>>(&mut self, values: &[T], distance: impl Fn(T) -> u64, least: i64) -> bool {
        let (shift, count) = (self.shift, self.count);
        if values.len() != self.len {
            return false;
        }
        let nulls = self.values.may_be_null();
        let Some(&first) = values.first() else { return true };
        let (low, high) =
            vectorised(|| values.iter().fold((first, first), |(low, high), &value| (low.min(value), high.max(value))));
        if nulls || distance(low).max(distance(high)) >= count {
            return self.some(values, distance, nulls);
        }
        // None is below the least.
        let own = |value: T| (value.into().wrapping_sub(least) as u64).wrapping_add(1) << shift;
        if self.codes.is_empty() {
            vectorised(|| append(self.codes, values, own));
        } else {
            vectorised(|| self.codes.iter_mut().zip(values).for_each(|(code, &value)| *code |= own(value)));
        }
        true
    }

    /// The same where NULLs, or values outside of the domain, are possible: 64 values at a time, without a branch for
    /// each.
    fn some<T: Copy>(&mut self, values: &[T], distance: impl Fn(T) -> u64, nulls: bool) -> bool {
        let (shift, count, nulls_match_nothing) = (self.shift, self.count, !self.values.null_matches);
        let len = values.len();
        self.codes.resize(len, 0);
        let blocks = self.codes.chunks_mut(BLOCK).zip(values.chunks(BLOCK)).enumerate();
        for (number, (codes, values)) in blocks {
            let valid = if nulls { self.values.valid_word(number, values.len()) } else { u64::MAX };
            let mut missing = [false; BLOCK];
            put_some(values, &distance, (count, shift), valid, codes);
            let lost = if nulls_match_nothing { u64::MAX } else { valid };
            if miss_some(values, &distance, count, (valid, lost), &mut missing[..values.len()]) {
                let absent = &mut self.absent.get_or_insert_with(|| vec![false; len])[number * BLOCK..];
                absent.iter_mut().zip(&missing[..values.len()]).for_each(|(absent, missing)| *absent |= missing);
            }
        }
        true
    }
}

kernel! {
    /// Adds to each code that of a value which is there and in the domain.
    fn put_some[T: Copy](
        values: &[T],
        distance: &impl Fn(T) -> u64,
        domain: (u64, u32),
        valid: u64,
        codes: &mut [u64],
    ) {
        let (count, shift) = domain;
        for (at, (code, &value)) in codes.iter_mut().zip(values).enumerate() {
            let distance = distance(value);
            let own = if distance < count { (distance + 1) << shift } else { 0 };
            *code |= own & (valid >> at & 1).wrapping_neg();
        }
    }
}

kernel! {
    /// Says of each value whether it has no code, though it is there, or is not, and then has none; whether any is so. `words` are
    /// which are there, and which can be so.
    fn miss_some[T: Copy](
        values: &[T],
        distance: &impl Fn(T) -> u64,
        count: u64,
        words: (u64, u64),
        missing: &mut [bool],
    ) -> bool {
        let (valid, lost) = words;
        let mut any = false;
        for (at, (missing, &value)) in missing.iter_mut().zip(values).enumerate() {
            let is_outside = (distance(value) >= count) | (valid >> at & 1 == 0);
            *missing = is_outside & (lost >> at & 1 == 1);
            any |= *missing;
        }
        any
    }
}
