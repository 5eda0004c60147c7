//! A stable sort of the elements of one value, which may be millions: short runs are sorted and then merged, so that the statement
//! is heard in between, and memory for the merged runs is counted.

use crate::error::Result;
use crate::meter::{self, Room};
use crate::value::Value;
use std::cmp::Ordering;

/// Elements that are sorted without a look at the statement.
const RUN: usize = 1 << 12;

/// Units of the meter that an element of a run is worth, and one that is merged.
const SORTED_UNITS: usize = 200;
const MERGED_UNITS: usize = 30;

/// The elements in order.
///
/// # Errors
/// 57014 if the statement was cancelled, 53200.
pub(super) fn sorted(mut elements: Vec<Value>, compare: impl Fn(&Value, &Value) -> Ordering) -> Result<Vec<Value>> {
    if elements.len() <= RUN {
        elements.sort_by(compare);
        return Ok(elements);
    }
    let mut room = Room::default();
    room.hold(elements.len() * size_of::<Value>())?;
    let mut runs = Vec::with_capacity(elements.len() / RUN + 1);
    let mut rest = elements.into_iter();
    loop {
        let mut run: Vec<Value> = rest.by_ref().take(RUN).collect();
        if run.is_empty() {
            break;
        }
        meter::spend(run.len() * SORTED_UNITS)?;
        run.sort_by(&compare);
        runs.push(run);
    }
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len() / 2 + 1);
        let mut pairs = runs.into_iter();
        while let Some(first) = pairs.next() {
            merged.push(match pairs.next() {
                Some(second) => merge(first, second, &compare)?,
                None => first,
            });
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

/// Two runs in one; of equal elements those of the first stand first.
fn merge(first: Vec<Value>, second: Vec<Value>, compare: impl Fn(&Value, &Value) -> Ordering) -> Result<Vec<Value>> {
    let mut all = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    loop {
        if all.len() % RUN == 0 {
            meter::spend(RUN * MERGED_UNITS)?;
        }
        let next = match (first.peek(), second.peek()) {
            (Some(a), Some(b)) if compare(a, b).is_gt() => second.next(),
            (Some(_), _) => first.next(),
            (None, _) => second.next(),
        };
        match next {
            Some(value) => all.push(value),
            None => return Ok(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sorts_are_stable() {
        for len in [0, 1, RUN, RUN + 1, 3 * RUN - 1, 5 * RUN] {
            let elements: Vec<Value> = (0..len as i64).map(|at| Value::Int(at * 7_919 % 1_000_003)).collect();
            // What is equal by its last digits stays in the order in which it came.
            let key = |value: &Value| if let Value::Int(value) = value { value % 1_000 } else { 0 };
            let by_key = |a: &Value, b: &Value| key(a).cmp(&key(b));
            let mut expected = elements.clone();
            expected.sort_by(by_key);
            assert_eq!(sorted(elements, by_key), Ok(expected), "{len}");
        }
    }
}
