//! Filters: bits of the codes that a collection has. Most of what is asked for is not there, and bits are read faster than slots, or than a
//! number for each code: more of them fit the card's cache, and neighbours with neighbouring codes read them from one place.

use crate::gpu::code::expression::Expression;
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, Copier};
use crate::gpu::lower::Lowering;
use crate::gpu::stop::Done;
use std::sync::{Arc, OnceLock};

/// The filter of a collection that is complete, made when many rows ask.
#[derive(Debug)]
pub(crate) struct Filters {
    /// Where codes are, of what type, and how many.
    codes: (Arc<Buffer>, Type, usize),
    /// Of what slots have, one more than codes and 0, so many bits; none of what rows have.
    slot_bits: Option<u32>,
    made: OnceLock<Filter>,
    small: OnceLock<Filter>,
}

#[derive(Clone, Debug)]
struct Filter {
    words: Arc<Buffer>,
    /// They are by so many bits of the codes' hashes, or, if it is 0, by code.
    bits: u32,
}

/// Codes up to which a filter has a bit for each.
const CODES_MAX: u64 = 1 << 31;

/// Bits of a filter for each slot, where codes are too far apart, as a power of two.
const BITS_EACH: u32 = 3;

/// Rows that ask from which on a filter pays.
const ASKING_MIN: usize = if cfg!(test) { 1 } else { 1 << 20 };

/// Codes from which on numbers of all codes do not fit the card's cache.
const NUMBERS_MIN: u64 = if cfg!(test) { 8 } else { 1 << 23 };

/// Codes of a row from which on a filter in front of numbers pays: else most of what is asked for is there.
const CODES_EACH: u64 = 8;

/// Keys up to which bits of their hashes fit a block's memory, where few others have the same ones; and codes from which on that pays: all
/// bits of fewer are near.
const SMALL_KEYS_MAX: usize = 1 << 18;
const SMALL_CODES_MIN: u64 = if cfg!(test) { 8 } else { 1 << 18 };

/// Bits of such a filter, at least and at most, as powers of two; and how many for each key.
const SMALL_BITS: std::ops::RangeInclusive<u32> = 12..=19;
const SMALL_EACH: usize = 8;

/// Rows that ask from which on each block gets a filter of its own.
const SMALL_ASKING_MIN: usize = if cfg!(test) { 1 } else { 1 << 23 };

/// The kernels that make filters.
const FILTER: &str = include_str!("filter.cu");

/// The source that makes filters of such codes.
pub(super) fn filtering(of: Type) -> String {
    format!("typedef {} code_t;\n{FILTER}", of.name())
}

/// Whether a filter pays in front of numbers of so many codes, of which so many rows have one.
pub(crate) fn pays_for_numbers(codes: u64, rows: u64) -> bool {
    codes >= NUMBERS_MIN && codes / CODES_EACH >= rows
}

impl Filters {
    /// Of what slots have.
    pub(crate) fn of_slots(slots: &Arc<Buffer>, bits: u32) -> Arc<Self> {
        let codes = (Arc::clone(slots), Type::U64, 1 << bits);
        Arc::new(Filters { codes, slot_bits: Some(bits), made: OnceLock::new(), small: OnceLock::new() })
    }

    /// Of what rows have: in a better order.
    pub(crate) fn of_rows(codes: &Arc<Buffer>, of: Type, rows: usize) -> Arc<Self> {
        Arc::new(Filters {
            codes: (Arc::clone(codes), of, rows),
            slot_bits: None,
            made: OnceLock::new(),
            small: OnceLock::new(),
        })
    }

    /// The same for another device, where they are made anew.
    pub(crate) fn copied(&self, to: &Copier<'_>) -> Done<Arc<Self>> {
        let (codes, of, count) = &self.codes;
        Ok(Arc::new(Filters {
            codes: (to.buffer(codes)?, *of, *count),
            slot_bits: self.slot_bits,
            made: OnceLock::new(),
            small: OnceLock::new(),
        }))
    }

    /// The filter, once many rows ask, of a collection whose keys have so many codes.
    fn filter(&self, device: &Device, codes: u64, asking: usize) -> Done<Option<Filter>> {
        if let Some(filter) = self.made.get() {
            return Ok(Some(filter.clone()));
        }
        if asking < ASKING_MIN {
            return Ok(None);
        }
        let slot_bits = self.slot_bits.unwrap_or_else(|| (self.codes.2.max(8) * 2).ilog2());
        let bits = if codes <= CODES_MAX { 0 } else { (slot_bits + BITS_EACH).min(CODES_MAX.ilog2()) };
        let filter = self.fill(device, if bits == 0 { codes } else { 1 << bits }, bits)?;
        Ok(Some(self.made.get_or_init(|| filter).clone()))
    }

    /// The same, so small that each block has it in its memory, if that pays.
    fn small(&self, device: &Device, codes: u64, asking: usize) -> Done<Option<Filter>> {
        let keys = match self.slot_bits {
            Some(bits) => 1 << (bits - 1),
            None => self.codes.2,
        };
        if asking < SMALL_ASKING_MIN || keys > SMALL_KEYS_MAX || codes < SMALL_CODES_MIN {
            return Ok(None);
        }
        if let Some(filter) = self.small.get() {
            return Ok(Some(filter.clone()));
        }
        let bits = (keys * SMALL_EACH).next_power_of_two().ilog2().clamp(*SMALL_BITS.start(), *SMALL_BITS.end());
        let filter = self.fill(device, 1 << bits, bits)?;
        Ok(Some(self.small.get_or_init(|| filter).clone()))
    }

    /// A filter of so many bits.
    fn fill(&self, device: &Device, size: u64, bits: u32) -> Done<Filter> {
        let (from, of, count) = &self.codes;
        let words = Buffer::zeroed(&device.driver, (size as usize / 32 + 1) * 4)?;
        let kernel = if self.slot_bits.is_some() { "filter_slots" } else { "filter_rows" };
        let module = device.cache.module(&*device.driver, &filtering(*of))?;
        let threads = device.driver.limits().threads as usize;
        let arguments = [
            Argument::Memory(Arc::clone(from)),
            Argument::U64(*count as u64),
            Argument::U32(bits),
            Argument::Memory(Arc::clone(&words)),
        ];
        if *count > 0 {
            device.driver.launch(&*module, kernel, device.shape(count.div_ceil(threads), 0), &arguments)?;
        }
        Ok(Filter { words, bits })
    }
}

impl Lowering<'_> {
    /// Whether a code, one of so many, is not there, as far as a filter knows.
    pub(crate) fn is_filtered(
        &mut self,
        filters: &Filters,
        codes: u64,
        (code, absent): (&Expression, Expression),
    ) -> Done<Expression> {
        let Some(filter) = filters.filter(self.device, codes, self.outermost_rows())? else { return Ok(absent) };
        let code = code.clone().cast(Type::U64);
        let mut absent = absent;
        if self.small.is_none()
            && let Some(small) = filters.small(self.device, codes, self.outermost_rows())?
        {
            absent = self.is_filtered_in_block(&small, (&code, absent));
        }
        let words = self.memory(Type::U8, &filter.words).address(Expression::number(0, Type::U64));
        let at = match filter.bits {
            0 => code,
            bits => {
                let bits = self.number(bits);
                Expression::Call(Helper::FirstSlot, vec![bits, code])
            }
        };
        Ok(self.hold(absent.or(Expression::Call(Helper::Bit, vec![words, at]).not())))
    }

    /// The same by a filter that each block reads into its memory at first, unless other things fill that.
    fn is_filtered_in_block(&mut self, filter: &Filter, (code, absent): (&Expression, Expression)) -> Expression {
        let small = self.add_small(&filter.words, 1 << (filter.bits - 5));
        let bits = self.number(filter.bits);
        let at = Expression::Call(Helper::FirstSlot, vec![bits, code.clone()]).cast(Type::U32);
        let words = self.shared().address(small.base.get());
        let lacks = Expression::Call(Helper::WordBit, vec![words, at]).not();
        self.hold(absent.or(small.is_there.get().and(lacks)))
    }
}
