//! How many distinct values a column has, and whether each occurs once.
//!
//! Exact by a bitmap where the values are small integers or codes of one dictionary: that also proves uniqueness, and
//! that equal values stand together (as many runs as distinct values). Otherwise a HyperLogLog sketch estimates
//! (Flajolet et al. 2007): 2^12 registers keep the longest run of zeros among the hashes that share their first 12
//! bits; their harmonic mean gives the count within about 1.6 %. Where that is about as many as there are runs of equal values,
//! it may be exactly as many: of few runs `proof` finds out at once, of more once somebody asks.

use super::hash::for_each_hash;
use super::{Column, ColumnData, proof};
use crate::workers::schedule::{Workers, all};
use ::arrow::buffer::NullBuffer;
use multiloop_planner::catalog::{ColumnStatistics, Conjecture};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The bitmap has at most so many bits a row.
const BITS_PER_ROW_MAX: u64 = 8;

/// A bitmap of so many bits is affordable for any column.
const BITS_ALWAYS: u64 = 1 << 16;

/// How far an estimate may be from the truth: four standard deviations.
const ERROR: f64 = 0.064;

/// So many runs of equal values are looked at at once whether they differ: that takes less than to plan once more.
const RUNS_FEW: u64 = 1 << 12;

/// Completes `distinct`, `unique`, `unique_values` and `clustered`, or makes the conjecture of these; `runs` counts the runs of
/// equal values if there are no NULLs, `estimated` is an estimate that has been made before.
pub(super) fn measure(
    chunks: &[&Column],
    rows: u64,
    (runs, estimated): (Option<u64>, Option<u64>),
    workers: Option<Workers<'_>>,
    statistics: &mut ColumnStatistics,
) {
    if statistics.estimates.distinct.is_some() {
        return;
    }
    // Vectors are told apart by nobody, and taken as all different.
    if chunks.iter().any(|column| matches!(column.data, ColumnData::Vectors32 { .. } | ColumnData::Vectors64 { .. })) {
        statistics.estimates.distinct = Some(rows - statistics.proofs.nulls);
        return;
    }
    let estimate = || estimated.unwrap_or_else(|| estimate(chunks, workers)).min(rows - statistics.proofs.nulls);
    let (distinct, is_exact) = match exact(chunks, rows, statistics) {
        Some(distinct) => (distinct, true),
        None => match (estimate(), runs) {
            (estimate, Some(runs)) if estimate.abs_diff(runs) as f64 <= runs as f64 * ERROR => match runs <= RUNS_FEW {
                true if proof::few_runs_differ(chunks, runs) => (runs, true),
                true => (estimate, false),
                false => {
                    statistics.proofs.conjecture = Some(Arc::new(Conjecture::new(rows, runs)));
                    (estimate, false)
                }
            },
            (estimate, _) => (estimate, false),
        },
    };
    statistics.estimates.distinct = Some(distinct);
    if is_exact {
        statistics.proofs.unique = distinct == rows && statistics.proofs.nulls == 0;
        statistics.proofs.unique_values = distinct == rows - statistics.proofs.nulls;
        statistics.proofs.clustered |= runs == Some(distinct);
    }
}

/// Values that are told apart by their hashes alone: a sketch costs more.
const FEW: usize = 256;

/// About how many values there are.
pub(super) fn estimate(chunks: &[&Column], workers: Option<Workers<'_>>) -> u64 {
    if chunks.iter().map(|column| column.rows()).sum::<usize>() <= FEW {
        let mut hashes = Vec::new();
        chunks.iter().for_each(|column| for_each_hash(column, |hash| hashes.push(hash)));
        hashes.sort_unstable();
        hashes.dedup();
        return hashes.len() as u64;
    }
    let sketches = all(workers, chunks.len(), |chunk| Sketch::of(chunks[chunk]));
    sketches.into_iter().fold(Sketch::default(), Sketch::merge).estimate()
}

fn exact(chunks: &[&Column], rows: u64, statistics: &ColumnStatistics) -> Option<u64> {
    if rows == statistics.proofs.nulls {
        return Some(0);
    }
    if let Some(dictionary) = chunks.first()?.data.dictionary() {
        let shared =
            chunks.iter().all(|column| column.data.dictionary().is_some_and(|other| Arc::ptr_eq(other, dictionary)));
        return shared.then(|| count(chunks, 0, dictionary.len() as u64));
    }
    let (min, max) = match (statistics.proofs.min.as_ref()?, statistics.proofs.max.as_ref()?) {
        (Value::Int(min), Value::Int(max)) => (*min, *max),
        (Value::Decimal(min), Value::Decimal(max)) => (i64::try_from(*min).ok()?, i64::try_from(*max).ok()?),
        (Value::Boolean(min), Value::Boolean(max)) => return Some(if min == max { 1 } else { 2 }),
        _ => return None,
    };
    let range = max.abs_diff(min);
    let affordable = range < BITS_ALWAYS || range / BITS_PER_ROW_MAX < rows;
    affordable.then(|| count(chunks, min, range + 1))
}

/// Distinct values (or codes) among `min .. min + bits`, which hold all that are not NULL.
fn count(chunks: &[&Column], min: i64, bits: u64) -> u64 {
    let mut seen = vec![0u64; bits.div_ceil(64) as usize];
    for column in chunks {
        let nulls = column.nulls.as_ref();
        let from = |base: i64| base.wrapping_sub(min) as u64;
        match &column.data {
            ColumnData::Frame8 { base, offsets } => {
                mark(&mut seen, offsets, nulls, |offset| from(*base).wrapping_add(offset.into()))
            }
            ColumnData::Frame16 { base, offsets } => {
                mark(&mut seen, offsets, nulls, |offset| from(*base).wrapping_add(offset.into()))
            }
            ColumnData::Frame32 { base, offsets } => {
                mark(&mut seen, offsets, nulls, |offset| from(*base).wrapping_add(offset.into()))
            }
            ColumnData::Stepped8 { base, step, offsets } => {
                mark(&mut seen, offsets, nulls, |offset| from(*base).wrapping_add(*step as u64 * u64::from(offset)))
            }
            ColumnData::Stepped16 { base, step, offsets } => {
                mark(&mut seen, offsets, nulls, |offset| from(*base).wrapping_add(*step as u64 * u64::from(offset)))
            }
            ColumnData::Stepped32 { base, step, offsets } => {
                mark(&mut seen, offsets, nulls, |offset| from(*base).wrapping_add(*step as u64 * u64::from(offset)))
            }
            ColumnData::Int16(values) => mark(&mut seen, values, nulls, |value| from(value.into())),
            ColumnData::Int32(values) => mark(&mut seen, values, nulls, |value| from(value.into())),
            ColumnData::Int64(values) => mark(&mut seen, values, nulls, from),
            ColumnData::Int128(values) => mark(&mut seen, values, nulls, |value| from(value as i64)),
            ColumnData::Dictionary8 { codes, .. } => mark(&mut seen, codes, nulls, u64::from),
            ColumnData::Dictionary16 { codes, .. } => mark(&mut seen, codes, nulls, u64::from),
            ColumnData::Dictionary32 { codes, .. } => mark(&mut seen, codes, nulls, u64::from),
            _ => unreachable!("only integer-like and dictionary forms are counted by bitmap"),
        }
    }
    seen.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn mark<T: Copy>(seen: &mut [u64], values: &[T], nulls: Option<&NullBuffer>, bit: impl Fn(T) -> u64) {
    let mut set = |value: T| {
        let bit = bit(value);
        seen[(bit / 64) as usize] |= 1 << (bit % 64);
    };
    match nulls {
        None => values.iter().for_each(|&value| set(value)),
        Some(nulls) => nulls.valid_indices().for_each(|row| set(values[row])),
    }
}

const REGISTER_BITS: u32 = 12;

/// A HyperLogLog sketch.
#[derive(Clone, Debug)]
pub struct Sketch(Vec<u8>);

impl Default for Sketch {
    fn default() -> Self {
        Sketch(vec![0; 1 << REGISTER_BITS])
    }
}

impl Sketch {
    fn of(column: &Column) -> Sketch {
        let mut sketch = Sketch::default();
        for_each_hash(column, |hash| sketch.add(hash));
        sketch
    }

    /// Adds a value by its [hash](super::hash::hash_of).
    pub fn add(&mut self, hash: u64) {
        let register = &mut self.0[(hash >> (64 - REGISTER_BITS)) as usize];
        let rest = (hash << REGISTER_BITS) | (1 << (REGISTER_BITS - 1));
        *register = (*register).max(rest.leading_zeros() as u8 + 1);
    }

    fn merge(mut self, other: Sketch) -> Sketch {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = (*a).max(*b));
        self
    }

    /// About how many different values have been added.
    pub fn estimate(&self) -> u64 {
        let registers = self.0.len() as f64;
        let sum: f64 = self.0.iter().map(|&register| (-f64::from(register)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        let empty = self.0.iter().filter(|&&register| register == 0).count();
        // Few values leave registers empty; counting those is more precise then.
        let estimate =
            if raw <= 2.5 * registers && empty > 0 { registers * (registers / empty as f64).ln() } else { raw };
        estimate.round() as u64
    }
}
