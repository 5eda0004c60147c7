//! The keys of groups, as columns: decoded from codes, or kept beside a hash table.

use super::super::vector::{Vector, VectorData};
use crate::cpu::simd::kernel::{append, kernel, vectorised};
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::types::DataType;
use multiloop_planner::value::canonical_float_bits;

/// Keys of these types, none yet.
pub(crate) fn columns_of(types: &[DataType]) -> Vec<ColumnBuilder> {
    types.iter().map(|&data_type| ColumnBuilder::of_type(data_type)).collect()
}

/// A packed key.
pub(crate) trait PackedKey: Copy {
    /// The code of the part that begins at a bit, and ends before another.
    fn own(self, shift: u32, end: Option<u32>) -> Self;

    /// Whether a part is not NULL.
    fn is_there(self) -> bool;

    /// The distance of a part's value from the least one, if it fits.
    fn distance(self) -> u64;

    /// The same of any.
    fn wide_distance(self) -> i128;
}

macro_rules! packed_key {
    ($type:ty) => {
        impl PackedKey for $type {
            #[inline(always)]
            fn own(self, shift: u32, end: Option<u32>) -> Self {
                (self & end.map_or(<$type>::MAX, |end| (1 << end) - 1)) >> shift
            }
            #[inline(always)]
            fn is_there(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn distance(self) -> u64 {
                self.saturating_sub(1) as u64
            }
            #[inline(always)]
            fn wide_distance(self) -> i128 {
                self.saturating_sub(1) as i128
            }
        }
    };
}

packed_key!(u64);
packed_key!(u128);

/// The keys of these codes, a column a part.
pub(crate) fn decode_all<K: PackedKey>(layout: &KeyLayout, codes: &[K]) -> Vec<ColumnBuilder> {
    (0..layout.parts.len()).map(|part| decode(layout, part, codes)).collect()
}

/// One part of the keys of these codes.
fn decode<K: PackedKey>(layout: &KeyLayout, part: usize, codes: &[K]) -> ColumnBuilder {
    let (shift, end) = (layout.parts[part].shift, layout.end(part));
    let own = move |code: K| code.own(shift, end);
    let is_absent = |any: bool, &code: &K| any | !own(code).is_there();
    let any_null = vectorised(|| codes.iter().fold(false, is_absent));
    let valid = any_null.then(|| codes.iter().map(|&code| own(code).is_there()).collect());
    match &layout.parts[part].domain {
        PartDomain::Code(dictionary) => {
            let numbers = appended(codes, move |code| own(code).distance() as u32);
            ColumnBuilder::from_codes(numbers, dictionary.clone(), valid)
        }
        PartDomain::Integer(Grid { low, high, step }) => match (i64::try_from(*low), i64::try_from(*high)) {
            (Ok(low), Ok(_)) if *step == 1 => ColumnBuilder::from_i64(
                appended(codes, move |code| low.wrapping_add(own(code).distance() as i64)),
                valid,
            ),
            (Ok(low), Ok(_)) => {
                let step = *step as i64;
                let value = move |code| low.wrapping_add((own(code).distance() as i64).wrapping_mul(step));
                ColumnBuilder::from_i64(appended(codes, value), valid)
            }
            _ => {
                let (low, step) = (*low, i128::from(*step));
                ColumnBuilder::from_i128(appended(codes, move |code| low + own(code).wide_distance() * step), valid)
            }
        },
        PartDomain::Float | PartDomain::Text | PartDomain::Interval => unreachable!("their codes do not tell them"),
    }
}

kernel! {
    /// What a function makes of each code.
    fn appended[K: PackedKey, R](codes: &[K], value: impl Fn(K) -> R) -> Vec<R> {
        let mut values = Vec::new();
        append(&mut values, codes, value);
        values
    }
}

/// Intervals of one length are one key: the one with the fewest months, then days, stands for all, so that the order
/// of rows does not show.
pub(crate) fn settle_intervals(column: &mut ColumnBuilder, vector: &Vector, groups: &[u32]) {
    let (BuilderData::Interval(kept), VectorData::Interval(values)) = (&mut column.data, &vector.data) else { return };
    for (tuple, &group) in groups.iter().enumerate() {
        if !vector.is_null(tuple) {
            let (value, kept) = (values[vector.position(tuple)], &mut kept[group as usize]);
            if value.form() < kept.form() {
                *kept = value;
            }
        }
    }
}

/// Floats that are one key have one representative.
pub(crate) fn canonical(mut column: ColumnBuilder) -> ColumnBuilder {
    if let BuilderData::F64(values) = &mut column.data {
        values.iter_mut().for_each(|value| *value = f64::from_bits(canonical_float_bits(*value)));
    }
    column
}
