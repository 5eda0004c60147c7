//! Which rows of a column are not NULL.

use crate::column::Column;
use crate::cpu::vector::bitmap::Bitmap;
use arrow::buffer::BooleanBuffer;

/// Copies a range of bits.
pub(crate) fn slice_bits(bits: &BooleanBuffer, start: usize, len: usize, out: &mut Bitmap) {
    let slice = bits.slice(start, len);
    let chunks = slice.bit_chunks();
    let mut words = chunks.iter_padded();
    out.fill_words(len, |_| words.next().unwrap_or(0));
}

/// Which rows of a column from some on have a value; none if it has no NULL anywhere.
pub(crate) fn valid_rows(column: &Column, start: usize, len: usize) -> Option<Bitmap> {
    let mut valid = Bitmap::default();
    slice_bits(column.nulls.as_ref()?.inner(), start, len, &mut valid);
    Some(valid)
}
