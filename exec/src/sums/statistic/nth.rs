//! The value at a place in an order: of a group the first values are kept, as many as there are places.
//!
//! They are kept in order, since they are few; a value that comes behind the last of them is turned away by one comparison.

use super::{chunk, flag, length, text, write_text};
use multiloop_planner::evaluate::statistic::Nth;
use multiloop_planner::value::Value;

/// The first values.
#[derive(Clone, Debug, Default)]
pub(crate) struct First(Vec<Value>);

impl First {
    /// Takes a value in, if it is among the first.
    pub(crate) fn add(&mut self, nth: Nth, value: &Value) {
        let places = nth.place as usize;
        let compare = |kept: &Value| {
            let order = kept.compare(value);
            if nth.descending { order.reverse() } else { order }
        };
        if self.0.len() >= places && self.0.last().is_some_and(|last| compare(last).is_le()) {
            return;
        }
        let at = self.0.partition_point(|kept| compare(kept).is_lt());
        if nth.dense && self.0.get(at).is_some_and(|kept| compare(kept).is_eq()) {
            return;
        }
        self.0.insert(at, value.clone().canonical());
        self.0.truncate(places);
    }

    pub(crate) fn merge(&mut self, nth: Nth, other: &First) {
        other.0.iter().for_each(|value| self.add(nth, value));
    }

    /// The value at the place; NULL if there is none.
    pub(crate) fn finish(&self, nth: Nth) -> Value {
        self.at_place(nth).cloned().unwrap_or(Value::Null)
    }

    /// The same; none if there is none.
    pub(crate) fn at_place(&self, nth: Nth) -> Option<&Value> {
        self.0.get((nth.place as usize).checked_sub(1)?)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let texts = self.0.iter().map(|value| if let Value::Text(text) = value { text.len() + 16 } else { 0 });
        self.0.capacity() * size_of::<Value>() + texts.sum::<usize>()
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.0.len() as u64).to_le_bytes());
        for value in &self.0 {
            match value {
                Value::Int(value) => {
                    bytes.push(0);
                    bytes.extend_from_slice(&value.to_le_bytes());
                }
                Value::Decimal(value) => {
                    bytes.push(1);
                    bytes.extend_from_slice(&value.to_le_bytes());
                }
                Value::Float(value) => {
                    bytes.push(2);
                    bytes.extend_from_slice(&value.to_bits().to_le_bytes());
                }
                Value::Text(text) => {
                    bytes.push(3);
                    write_text(text, bytes);
                }
                // Rules ask for places of no other values.
                other => {
                    bytes.push(4);
                    bytes.push(other.is_true().into());
                }
            }
        }
    }

    pub(crate) fn read_from(nth: Nth, bytes: &mut &[u8]) -> Option<Self> {
        let count = length(bytes, 2)?;
        let mut first = First::default();
        for _ in 0..count.min(nth.place as usize) {
            let [kind] = chunk(bytes)?;
            first.add(
                nth,
                &match kind {
                    0 => Value::Int(i64::from_le_bytes(chunk(bytes)?)),
                    1 => Value::Decimal(i128::from_le_bytes(chunk(bytes)?)),
                    2 => Value::Float(f64::from_bits(u64::from_le_bytes(chunk(bytes)?))),
                    3 => Value::text(text(bytes)?),
                    4 => Value::Boolean(flag(bytes)?),
                    _ => return None,
                },
            );
        }
        (first.0.len() == count).then_some(first)
    }
}
