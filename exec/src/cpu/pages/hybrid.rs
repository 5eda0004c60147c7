//! The hybrid of runs and packed bits: levels, and indices into a dictionary.

use super::{PageError, Result};
use crate::cpu::simd::kernel::kernel;

/// Values that are unpacked at once.
pub(super) const BLOCK: usize = 256;

/// Numbers of so many bits, in runs of one value and in packed groups of eight.
#[derive(Debug)]
pub(super) struct Hybrid<'a> {
    data: &'a [u8],
    width: u32,
    run: Run<'a>,
    block: [u32; BLOCK],
}

#[derive(Debug)]
enum Run<'a> {
    Repeat {
        value: u32,
        left: usize,
    },
    /// Values behind each other, of which some have been read.
    Packed {
        data: &'a [u8],
        next: usize,
        left: usize,
    },
}

/// Some values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'b> {
    /// One, so many times.
    Repeat(u32, usize),
    /// One after the other.
    Values(&'b [u32]),
}

impl<'a> Hybrid<'a> {
    pub(super) fn new(data: &'a [u8], width: u32) -> Result<Self> {
        if width > 32 {
            return Err(PageError::Malformed("numbers of more than 32 bits"));
        }
        Ok(Hybrid { data, width, run: Run::Repeat { value: 0, left: 0 }, block: [0; BLOCK] })
    }

    /// The next values: at least one, and at most so many, of which there are to be some.
    pub(super) fn next(&mut self, most: usize) -> Result<Next<'_>> {
        self.fill()?;
        match &mut self.run {
            Run::Repeat { value, left } => {
                let count = most.min(*left);
                *left -= count;
                Ok(Next::Repeat(*value, count))
            }
            Run::Packed { data, next, left } => {
                let count = most.min(*left).min(BLOCK);
                unpack(data, self.width, *next, &mut self.block[..count])?;
                *next += count;
                *left -= count;
                Ok(Next::Values(&self.block[..count]))
            }
        }
    }

    /// Leaves out so many values.
    pub(super) fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            self.fill()?;
            let left = match &mut self.run {
                Run::Repeat { left, .. } => left,
                Run::Packed { next, left, .. } => {
                    *next += count.min(*left);
                    left
                }
            };
            let skipped = count.min(*left);
            *left -= skipped;
            count -= skipped;
        }
        Ok(())
    }

    /// For values of one bit: the next ones as they lie, at most so many; the bits begin at a place in some bytes.
    pub(super) fn next_bits(&mut self, most: usize) -> Result<Bits<'_>> {
        self.fill()?;
        match &mut self.run {
            Run::Repeat { value, left } => {
                let count = most.min(*left);
                *left -= count;
                Ok(Bits::Repeat(*value != 0, count))
            }
            Run::Packed { data, next, left } => {
                let count = most.min(*left);
                let (start, end) = (*next, *next + count);
                if end.div_ceil(8) > data.len() {
                    return Err(PageError::Malformed("packed bits end too early"));
                }
                *next = end;
                *left -= count;
                Ok(Bits::Packed { data, start, end })
            }
        }
    }

    /// Sees to it that the run has values.
    fn fill(&mut self) -> Result<()> {
        loop {
            match self.run {
                Run::Repeat { left, .. } | Run::Packed { left, .. } if left > 0 => return Ok(()),
                _ => {}
            }
            let header = self.varint()?;
            let count = usize::try_from(header >> 1).map_err(|_| PageError::Malformed("a run is too long"))?;
            self.run = if header & 1 == 1 {
                let left = count.checked_mul(8).ok_or(PageError::Malformed("a run is too long"))?;
                // Some writers leave out what would be behind the last value.
                let bytes = count.saturating_mul(self.width as usize).min(self.data.len());
                let (data, rest) = self.data.split_at(bytes);
                self.data = rest;
                Run::Packed { data, next: 0, left }
            } else {
                let bytes = self.width.div_ceil(8) as usize;
                let (value, rest) =
                    self.data.split_at_checked(bytes).ok_or(PageError::Malformed("a run ends too early"))?;
                self.data = rest;
                let value = value.iter().rev().fold(0u32, |value, &byte| value << 8 | u32::from(byte));
                Run::Repeat { value, left: count }
            };
        }
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.data.split_first().ok_or(PageError::Malformed("there are too few values"))?;
            self.data = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(PageError::Malformed("a number of too many bytes"))
    }
}

/// Some values of one bit.
#[derive(Debug)]
pub(super) enum Bits<'b> {
    Repeat(bool, usize),
    /// The bits from one on to another, of these bytes, the least first.
    Packed {
        data: &'b [u8],
        start: usize,
        end: usize,
    },
}

/// Unpacks values of so many bits, from the one of this number on.
fn unpack(data: &[u8], width: u32, first: usize, out: &mut [u32]) -> Result<()> {
    if width == 0 {
        out.fill(0);
        return Ok(());
    }
    let end = (first + out.len()).checked_mul(width as usize).map(|bits| bits.div_ceil(8));
    if end.is_none_or(|end| end > data.len()) {
        return Err(PageError::Malformed("packed values end too early"));
    }
    unpack_within(data, width, first, out);
    Ok(())
}

kernel! {
/// The same where the bytes are known to be there, of some bits.
fn unpack_within[](data: &[u8], width: u32, first: usize, out: &mut [u32]) {
    let mut done = 0;
    if first.is_multiple_of(8) {
        done = match width {
            1 => groups::<1>(data, first, out),
            2 => groups::<2>(data, first, out),
            3 => groups::<3>(data, first, out),
            4 => groups::<4>(data, first, out),
            5 => groups::<5>(data, first, out),
            6 => groups::<6>(data, first, out),
            7 => groups::<7>(data, first, out),
            8 => groups::<8>(data, first, out),
            9 => groups::<9>(data, first, out),
            10 => groups::<10>(data, first, out),
            11 => groups::<11>(data, first, out),
            12 => groups::<12>(data, first, out),
            13 => groups::<13>(data, first, out),
            14 => groups::<14>(data, first, out),
            15 => groups::<15>(data, first, out),
            16 => groups::<16>(data, first, out),
            17 => groups::<17>(data, first, out),
            18 => groups::<18>(data, first, out),
            19 => groups::<19>(data, first, out),
            20 => groups::<20>(data, first, out),
            _ => 0,
        };
    }
    let mask = u32::MAX >> (32 - width);
    for (at, out) in out.iter_mut().enumerate().skip(done) {
        let bit = (first + at) * width as usize;
        let bytes = &data[bit / 8..];
        // At most 39 bits.
        let word = match bytes.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte)),
        };
        *out = (word >> (bit % 8)) as u32 & mask;
    }
}
}

/// Unpacks whole groups of eight values, as long as eight bytes behind where each begins can be read; says how many values.
#[inline(always)]
fn groups<const W: usize>(data: &[u8], first: usize, out: &mut [u32]) -> usize {
    let start = first / 8 * W;
    let data = &data[start..];
    let mask = (1u64 << W) - 1;
    let mut done = 0;
    // The last value of a group begins at bit 7 × W.
    let reach = if W <= 8 { 8 } else { 7 * W / 8 + 8 };
    for (group, out) in out.chunks_exact_mut(8).enumerate() {
        let Some(bytes) = data.get(group * W..group * W + reach) else { break };
        for (at, out) in out.iter_mut().enumerate() {
            let (byte, bit) = if W <= 8 { (0, at * W) } else { (at * W / 8, at * W % 8) };
            let word = u64::from_le_bytes(bytes[byte..byte + 8].try_into().expect("eight bytes"));
            *out = (word >> bit & mask) as u32;
        }
        done += 8;
    }
    done
}
