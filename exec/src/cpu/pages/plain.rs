//! Values that lie one after the other.

use super::{PageError, Result, Scale};
use crate::cpu::simd::kernel::kernel;

const SHORT: PageError = PageError::Malformed("there are too few values");

/// So many values of so many bytes, behind others that are left out.
pub(super) fn fixed(data: &[u8], width: usize, skip: usize, count: usize) -> Result<&[u8]> {
    let start = skip.checked_mul(width).ok_or(SHORT)?;
    let bytes = count.checked_mul(width).ok_or(SHORT)?;
    data.get(start..).and_then(|data| data.get(..bytes)).ok_or(SHORT)
}

pub(super) fn i32s(data: &[u8]) -> impl ExactSizeIterator<Item = i32> + Clone {
    data.as_chunks::<4>().0.iter().map(|bytes| i32::from_le_bytes(*bytes))
}

pub(super) fn i64s(data: &[u8]) -> impl ExactSizeIterator<Item = i64> + Clone {
    data.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}

/// Numbers of 32 bits in 64.
pub(super) fn wide(data: &[u8], unsigned: bool) -> impl ExactSizeIterator<Item = i64> + Clone {
    i32s(data).map(move |value| if unsigned { i64::from(value as u32) } else { value.into() })
}

/// Numbers of so many bytes, of which there are at most 16, the greatest first.
pub(super) fn fixed_numbers(data: &[u8], width: usize) -> impl ExactSizeIterator<Item = i128> {
    data.chunks_exact(width).map(fixed_number)
}

/// A number of one to 16 bytes, the greatest first.
pub fn fixed_number(bytes: &[u8]) -> i128 {
    let mut wide = [if bytes[0] & 0x80 == 0 { 0 } else { 0xff }; 16];
    wide[16 - bytes.len()..].copy_from_slice(bytes);
    i128::from_be_bytes(wide)
}

kernel! {
/// Appends numbers of so many bytes, of which there are at most eight, the greatest first.
pub(super) fn append_short[](data: &[u8], width: usize, to: &mut Vec<i64>) {
    let shift = 64 - 8 * width as u32;
    // Eight bytes from where each begins: what is behind it is shifted out.
    let whole = (data.len().saturating_sub(8 - width)) / width;
    to.reserve(data.len() / width);
    for at in 0..whole {
        let bytes = data[at * width..at * width + 8].first_chunk().expect("eight bytes");
        to.push(i64::from_be_bytes(*bytes) >> shift);
    }
    to.extend(fixed_numbers(&data[whole * width..], width).map(|value| value as i64));
}
}

/// A number as its scale has it.
pub(super) fn scaled(value: i64, scale: Scale) -> Result<i64> {
    match scale {
        Scale::One => Ok(value),
        Scale::Times(by) => value.checked_mul(by).ok_or(PageError::Range("timestamp out of range")),
        Scale::Part(by) if value % by == 0 => Ok(value / by),
        Scale::Part(_) => Err(PageError::Range("a time has nanoseconds, of which microseconds would lose some")),
    }
}

/// Strings, each behind its length of four bytes.
pub(super) struct Texts<'a>(pub(super) &'a [u8]);

impl<'a> Texts<'a> {
    #[inline]
    pub(super) fn next(&mut self) -> Result<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>().ok_or(SHORT)?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(SHORT)?;
        self.0 = rest;
        Ok(text)
    }
}

/// An error unless bytes are strings that end at these places, each behind the one before, and have no zero byte.
pub(super) fn check_utf8(bytes: &[u8], mut ends: impl Iterator<Item = usize>) -> Result<()> {
    check_zero(bytes)?;
    if bytes.is_ascii() {
        return Ok(());
    }
    let all = std::str::from_utf8(bytes).map_err(|_| PageError::Utf8)?;
    if ends.all(|end| all.is_char_boundary(end)) { Ok(()) } else { Err(PageError::Utf8) }
}

/// An error for a zero byte, which no text of SQL has.
pub(super) fn check_zero(bytes: &[u8]) -> Result<()> {
    if memchr::memchr(0, bytes).is_none() { Ok(()) } else { Err(PageError::Zero) }
}
