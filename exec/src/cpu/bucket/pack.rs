//! The quick way to pack keys: dense loops over integers and dictionary codes, for parts of which every value lies in
//! its domain. What they decline, `key` encodes value by value.

use super::super::gather::GatheredData;
use super::super::vector::VectorData;
use super::key::{KeyPartValues, PartDomain, PartLayout, PartValues};
use std::sync::Arc;

/// Adds a part to the codes of some keys; false if it did nothing. NULL gets code 0, which the caller must want.
pub(super) fn pack(part: &PartLayout, values: KeyPartValues<'_>, codes: &mut [u64]) -> bool {
    if values.may_be_null() && !values.null_matches {
        return false;
    }
    let Some(count) = part.domain.codes().and_then(|codes| u64::try_from(codes - 1).ok()) else { return false };
    let mut put = Put { codes, shift: part.shift, count, values };
    match (&part.domain, values.values) {
        (PartDomain::Integer { low, .. }, PartValues::Vector(vector)) if !vector.constant => {
            let Ok(low) = i64::try_from(*low) else { return false };
            match &vector.data {
                VectorData::I32(values) => put.all(values, |value| i64::from(value).wrapping_sub(low) as u64),
                VectorData::I64(values) => put.all(values, |value| wide_distance(value, low)),
                _ => false,
            }
        }
        (PartDomain::Integer { low, .. }, PartValues::Gathered(column)) => {
            let Ok(low) = i64::try_from(*low) else { return false };
            match &column.data {
                GatheredData::I32(values) => put.all(values, |value| i64::from(value).wrapping_sub(low) as u64),
                GatheredData::I64(values) => put.all(values, |value| wide_distance(value, low)),
                _ => false,
            }
        }
        (PartDomain::Code(dictionary), PartValues::Vector(vector)) if !vector.constant => match &vector.data {
            VectorData::Code { codes, dictionary: other } if Arc::ptr_eq(dictionary, other) => {
                put.all(codes, u64::from)
            }
            _ => false,
        },
        (PartDomain::Code(dictionary), PartValues::Gathered(column)) => match &column.data {
            GatheredData::Code { codes, dictionary: other } if Arc::ptr_eq(dictionary, other) => {
                put.all(codes, u64::from)
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
    codes: &'a mut [u64],
    shift: u32,
    /// Values in the domain.
    count: u64,
    values: KeyPartValues<'a>,
}

impl Put<'_> {
    fn all<T: Copy>(&mut self, values: &[T], distance: impl Fn(T) -> u64) -> bool {
        let (shift, count) = (self.shift, self.count);
        if values.len() != self.codes.len() {
            return false;
        }
        if self.values.may_be_null() {
            let valid = |tuple: usize| !self.values.is_null(tuple);
            if values.iter().enumerate().any(|(tuple, &value)| valid(tuple) && distance(value) >= count) {
                return false;
            }
            for (tuple, (code, &value)) in self.codes.iter_mut().zip(values).enumerate() {
                let own = if self.values.is_null(tuple) { 0 } else { distance(value) + 1 };
                *code |= own << shift;
            }
            return true;
        }
        if values.iter().fold(0, |far, &value| far.max(distance(value))) >= count {
            return false;
        }
        for (code, &value) in self.codes.iter_mut().zip(values) {
            *code |= (distance(value) + 1) << shift;
        }
        true
    }
}
