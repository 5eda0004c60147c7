//! The keys of groups, as columns: decoded from codes, or kept beside a hash table.

use super::super::gather::{Gathered, GatheredData};
use super::super::vector::{Vector, VectorData};
use super::key::{KeyLayout, PartDomain};
use multiloop_planner::types::DataType;
use multiloop_planner::value::canonical_float_bits;

/// Keys of these types, none yet.
pub(super) fn columns_of(types: &[DataType]) -> Vec<Gathered> {
    types.iter().map(|&data_type| Gathered::of_type(data_type)).collect()
}

/// The keys of these codes, a column a part.
pub(super) fn decode_all(layout: &KeyLayout, codes: &[u64]) -> Vec<Gathered> {
    (0..layout.parts.len()).map(|part| decode(layout, part, codes)).collect()
}

/// One part of the keys of these codes.
fn decode(layout: &KeyLayout, part: usize, codes: &[u64]) -> Gathered {
    let (this, next) = (&layout.parts[part], layout.parts.get(part + 1));
    let mask = next.map_or(u64::MAX, |next| (1 << next.shift) - 1);
    let own = |&code: &u64| (code & mask) >> this.shift;
    let valid = codes.iter().map(|code| own(code) != 0).collect();
    let distance = |code: &u64| own(code).saturating_sub(1);
    match &this.domain {
        PartDomain::Code(dictionary) => {
            let codes = codes.iter().map(|code| distance(code) as u32).collect();
            Gathered::from_codes(codes, dictionary.clone(), Some(valid))
        }
        PartDomain::Integer { low, high } => match (i64::try_from(*low), i64::try_from(*high)) {
            (Ok(low), Ok(_)) => {
                let values = codes.iter().map(|code| low.wrapping_add(distance(code) as i64)).collect();
                Gathered::from_i64(values, Some(valid))
            }
            _ => {
                let values = codes.iter().map(|code| low + i128::from(distance(code))).collect();
                Gathered::from_i128(values, Some(valid))
            }
        },
        PartDomain::Float | PartDomain::Text | PartDomain::Interval => unreachable!("they do not fit 64 bits"),
    }
}

/// Intervals of one length are one key: the one with the fewest months, then days, stands for all, so that the order
/// of rows does not show.
pub(crate) fn settle_intervals(column: &mut Gathered, vector: &Vector, groups: &[u32]) {
    let (GatheredData::Interval(kept), VectorData::Interval(values)) = (&mut column.data, &vector.data) else { return };
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
pub(crate) fn canonical(mut column: Gathered) -> Gathered {
    if let GatheredData::F64(values) = &mut column.data {
        values.iter_mut().for_each(|value| *value = f64::from_bits(canonical_float_bits(*value)));
    }
    column
}
