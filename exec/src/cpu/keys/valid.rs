//! Which rows of a key are not NULL.

use crate::cpu::kernels::member::BLOCK;
use crate::cpu::vector::bitmap::Bitmap;
use arrow::buffer::BooleanBuffer;

/// Which values are not NULL.
#[derive(Clone, Debug)]
pub(crate) enum Valid<'a> {
    Tuples(&'a Bitmap),
    /// Of a column from this row on, or of the rows of a list.
    Rows(&'a BooleanBuffer, usize),
}

impl Valid<'_> {
    /// Which of `len` keys from one on, 64 at most and at least one, are not NULL; what stands above them is anything. Of
    /// more than one the first one begins a block. `rows` as in [`IntegerKeys`].
    #[inline(always)]
    pub(crate) fn word(&self, rows: Option<&[u32]>, first: usize, len: usize) -> u64 {
        match (self, rows) {
            (Valid::Tuples(bits), _) => bits.words()[first / BLOCK] >> (first % BLOCK),
            (Valid::Rows(bits, start), None) => word_at(bits, start + first, len),
            (Valid::Rows(bits, _), Some(rows)) => {
                let is_valid = |&row: &u32| u64::from(bits.value(row as usize));
                rows[first..first + len].iter().rev().fold(0, |word, row| word << 1 | is_valid(row))
            }
        }
    }

    /// Whether a key is not NULL.
    #[inline(always)]
    pub(crate) fn get(&self, rows: Option<&[u32]>, at: usize) -> bool {
        match (self, rows) {
            (Valid::Tuples(bits), _) => bits.get(at),
            (Valid::Rows(bits, start), None) => bits.value(start + at),
            (Valid::Rows(bits, _), Some(rows)) => bits.value(rows[at] as usize),
        }
    }
}

/// The `len` bits from one on, 64 at most and at least one; what stands above them is anything.
#[inline(always)]
pub(crate) fn word_at(bits: &BooleanBuffer, from: usize, len: usize) -> u64 {
    let from = bits.offset() + from;
    let (byte, shift) = (from / 8, from % 8);
    let bytes = &bits.values()[byte..(from + len).div_ceil(8)];
    let mut low = [0; 8];
    match bytes.first_chunk::<8>() {
        Some(eight) => low = *eight,
        None => low[..bytes.len()].copy_from_slice(bytes),
    }
    let high = bytes.get(8).map_or(0, |&byte| u64::from(byte) << 1 << (63 - shift));
    u64::from_le_bytes(low) >> shift | high
}
