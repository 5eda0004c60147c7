//! Counts of texts: the state of entropy, histogram, and the most frequent values.

use super::{chunk, length, text, write_text};
use multiloop_planner::error::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::append_json_text;
use multiloop_planner::evaluate::gather::FRONT_END;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bytes that a text takes beside its own, about.
const ENTRY_BYTES: usize = 64;

/// Texts, and how often there is each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    counts: FxHashMap<Arc<str>, u64>,
    /// Bytes of all texts.
    bytes: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, text: &Arc<str>) {
        self.add_times(text, 1);
    }

    fn add_times(&mut self, text: &Arc<str>, times: u64) {
        if let Some(count) = self.counts.get_mut(text) {
            *count += times;
            return;
        }
        self.bytes += text.len();
        self.counts.insert(Arc::clone(text), times);
    }

    pub(crate) fn remove(&mut self, text: &Arc<str>) {
        let Some(count) = self.counts.get_mut(text) else { return };
        *count -= 1;
        if *count == 0 {
            self.bytes -= text.len();
            self.counts.remove(text);
        }
    }

    pub(crate) fn merge(&mut self, other: &Counts) {
        other.counts.iter().for_each(|(text, &count)| self.add_times(text, count));
    }

    /// Bits that it takes to say which one a row has, on average; None of no rows.
    pub(crate) fn entropy(&self) -> Option<f64> {
        if self.counts.is_empty() {
            return None;
        }
        // In an order of their own, so that rounding is alike.
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        counts.sort_unstable();
        let rows = counts.iter().sum::<u64>() as f64;
        let bits = |count: u64| count as f64 / rows * (rows / count as f64).log2();
        Some(counts.into_iter().map(bits).sum())
    }

    /// An object of JSON, in order of the texts; NULL of no rows.
    pub(crate) fn histogram(&self) -> Result<Value> {
        if self.counts.is_empty() {
            return Ok(Value::Null);
        }
        let mut all: Vec<(&Arc<str>, &u64)> = self.counts.iter().collect();
        all.sort_unstable();
        let mut object = String::with_capacity(self.bytes + all.len() * 8);
        for (text, count) in all {
            object.push_str(if object.is_empty() { "{" } else { ", " });
            append_json_text(text, &mut object);
            object.push_str(": ");
            object.push_str(&count.to_string());
        }
        object.push('}');
        fits(object)
    }

    /// What is kept of the texts of rows that are there most often, so many; NULL of no rows.
    pub(crate) fn most(&self, limit: usize) -> Result<Value> {
        if self.counts.is_empty() {
            return Ok(Value::Null);
        }
        let mut all: Vec<(&Arc<str>, &u64)> = self.counts.iter().collect();
        all.sort_unstable_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        all.truncate(limit);
        let kept = |text: &'_ Arc<str>| text.find(FRONT_END).map_or(0, |at| at + FRONT_END.len_utf8());
        fits(all.iter().map(|(text, _)| &text[kept(text)..]).collect())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes + self.counts.capacity() * ENTRY_BYTES
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        let mut all: Vec<(&Arc<str>, &u64)> = self.counts.iter().collect();
        all.sort_unstable();
        bytes.extend_from_slice(&(all.len() as u64).to_le_bytes());
        for (text, count) in all {
            bytes.extend_from_slice(&count.to_le_bytes());
            write_text(text, bytes);
        }
    }

    pub(crate) fn read_from(bytes: &mut &[u8], count_max: u64) -> Option<Self> {
        let mut counts = Counts::default();
        for _ in 0..length(bytes, 16)? {
            let count = u64::from_le_bytes(chunk(bytes)?);
            let text = text(bytes)?;
            if count == 0 || count > count_max {
                return None;
            }
            counts.add_times(&Arc::from(text), count);
        }
        Some(counts)
    }
}

fn fits(text: String) -> Result<Value> {
    if i32::try_from(text.len()).is_err() {
        return Err(Error::new(ErrorKind::TooComplex, "what an aggregate gathers is longer than 2 GiB"));
    }
    Ok(Value::text(text))
}
