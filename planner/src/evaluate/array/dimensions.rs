//! Bounds, subscripts and slices.

use super::{Array, Arrays, Bound};
use crate::error::Result;
use crate::value::Value;

/// `[1:2][0:4]`.
pub(super) fn shown(array: &Array) -> String {
    array.bounds.iter().map(|bound| format!("[{}:{}]", bound.lower, bound.upper())).collect()
}

impl Arrays<'_> {
    /// The dimension of a number, from 1, if the array has it.
    pub(super) fn bound(&self, at: usize) -> Result<Option<Bound>> {
        let array = self.known(0)?;
        let dimension = usize::try_from(self.call.int(at)? - 1).ok();
        Ok(dimension.and_then(|dimension| array.bounds.get(dimension).copied()))
    }

    pub(super) fn dimensions(&self) -> Result<Value> {
        let array = self.known(0)?;
        Ok(if array.bounds.is_empty() { Value::Null } else { Value::text(shown(&array)) })
    }

    /// The element at these subscripts; NULL unless there are as many as dimensions, each within its bounds.
    pub(super) fn element_at(&self) -> Result<Value> {
        let array = self.known(0)?;
        if array.bounds.is_empty() || array.bounds.len() != self.call.arguments.len() - 1 {
            return Ok(Value::Null);
        }
        let mut place = 0;
        for (at, bound) in array.bounds.iter().enumerate() {
            let offset = self.call.int(at + 1)?.saturating_sub(bound.lower.into());
            match usize::try_from(offset) {
                Ok(offset) if offset < bound.length => place = place * bound.length + offset,
                _ => return Ok(Value::Null),
            }
        }
        Ok(array.elements[place].clone())
    }

    /// The part of an array between these subscripts, as far as there is one; dimensions without subscripts are whole.
    pub(super) fn slice(&self) -> Result<Value> {
        let array = self.known(0)?;
        let given = (self.call.arguments.len() - 1) / 2;
        if given > array.bounds.len() {
            return Ok(self.encoded(&Array::default()));
        }
        let mut ranges = Vec::with_capacity(array.bounds.len());
        for (at, bound) in array.bounds.iter().enumerate() {
            let (lower, upper) = if at < given {
                (self.call.int(1 + 2 * at)?, self.call.int(2 + 2 * at)?)
            } else {
                (i64::MIN, i64::MAX)
            };
            let (lower, upper) = (lower.max(bound.lower.into()), upper.min(bound.upper()));
            if lower > upper {
                return Ok(self.encoded(&Array::default()));
            }
            let start = (lower - i64::from(bound.lower)) as usize;
            ranges.push(start..start + (upper - lower) as usize + 1);
        }
        let mut places = vec![0];
        for (bound, range) in array.bounds.iter().zip(&ranges) {
            let inside = |&place: &usize| range.clone().map(move |offset| place * bound.length + offset);
            places = places.iter().flat_map(inside).collect();
        }
        let elements = places.into_iter().map(|place| array.elements[place].clone()).collect();
        let bounds = ranges.iter().map(|range| Bound::from_one(range.len())).collect();
        Ok(self.encoded(&Array::checked(bounds, elements)?))
    }
}
