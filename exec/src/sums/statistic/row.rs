//! The first or the last row of a group, by the keys in front of the rows' texts (`evaluate/gather.rs`), then by their places.

use super::{chunk, flag, text, write_text};
use multiloop_planner::evaluate::gather::FRONT_END;
use multiloop_planner::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// The best row so far, with its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row(Option<(Arc<str>, u64)>);

fn front_of(text: &str) -> &[u8] {
    let bytes = text.as_bytes();
    &bytes[..bytes.iter().position(|&byte| byte == FRONT_END as u8).unwrap_or(0)]
}

impl Row {
    /// Takes a row in: the one with the least front stays, of equal ones the first; or the last of the greatest.
    pub(crate) fn add(&mut self, text: &Arc<str>, place: u64, last: bool) {
        let is_better = self.0.as_ref().is_none_or(|(best, best_place)| {
            let order = front_of(text).cmp(front_of(best)).then(place.cmp(best_place));
            order == if last { Ordering::Greater } else { Ordering::Less }
        });
        if is_better {
            self.0 = Some((Arc::clone(text), place));
        }
    }

    pub(crate) fn merge(&mut self, other: &Row, last: bool) {
        if let Some((text, place)) = &other.0 {
            self.add(text, *place, last);
        }
    }

    /// What is kept of it; NULL of no rows.
    pub(crate) fn kept(&self) -> Value {
        self.0.as_ref().map_or(Value::Null, |(text, _)| {
            let at = text.find(FRONT_END).map_or(0, |at| at + FRONT_END.len_utf8());
            Value::text(&text[at..])
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |(text, _)| text.len() + 2 * size_of::<usize>())
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.0.is_some().into());
        if let Some((text, place)) = &self.0 {
            bytes.extend_from_slice(&place.to_le_bytes());
            write_text(text, bytes);
        }
    }

    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<Self> {
        if !flag(bytes)? {
            return Some(Row(None));
        }
        let place = u64::from_le_bytes(chunk(bytes)?);
        Some(Row(Some((Arc::from(text(bytes)?), place))))
    }
}
