//! Input of the applications: random numbers that a seed determines, and vectors as tables.

use anyhow::Result;
use multiloop::Session;
use multiloop::arrow::array::{Array as _, ArrayRef, FixedSizeListArray, Float32Array, RecordBatch};
use multiloop::arrow::buffer::ScalarBuffer;
use multiloop::arrow::datatypes::{DataType, Field};
use std::sync::Arc;

/// Rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

/// Pseudo-random numbers: SplitMix64.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of so many numbers from 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    /// Nearly normally distributed, of mean 0 and deviation 1: the sum of four numbers of 16 bits.
    pub(super) fn bell(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xffff).sum();
        // The mean and the deviation of the sum of four uniform numbers below 65,536.
        ((sum as f64 - 131_070.0) / 37_837.23) as f32
    }
}

/// Vectors of one length, one behind the other, as a column that shares them.
pub(super) fn vectors(values: &ScalarBuffer<f32>, length: usize) -> Result<ArrayRef> {
    let item = Arc::new(Field::new("item", DataType::Float32, false));
    let values = Arc::new(Float32Array::new(values.clone(), None));
    Ok(Arc::new(FixedSizeListArray::try_new(item, i32::try_from(length)?, values, None)?))
}

/// Makes columns a table, in batches that share them.
pub(super) fn register(session: &Session, name: &str, columns: Vec<(&str, ArrayRef)>) -> Result<()> {
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let batch = |start: usize| {
        let count = BATCH_ROWS.min(rows - start);
        RecordBatch::try_from_iter(columns.iter().map(|(name, column)| (*name, column.slice(start, count))))
    };
    let batches = (0..rows).step_by(BATCH_ROWS).map(batch).collect::<Result<Vec<_>, _>>()?;
    Ok(session.register(name, batches)?)
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_bell_has_mean_0_and_deviation_1() {
        let mut random = Random::new(7);
        let numbers: Vec<f64> = (0..100_000).map(|_| random.bell().into()).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let variance = numbers.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn a_seed_gives_the_same_again() {
        let some = |seed: u64| {
            let mut random = Random::new(seed);
            (0..20).map(|_| random.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(some(1), some(1));
        assert_ne!(some(1), some(2));
        assert!(some(3).iter().all(|&number| number < 10));
    }
}
