//! Slots of codes that are too far apart for arrays over all of them: a hash table whose places are the groups' numbers.

use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::{Helper, NO_SLOT};
use crate::gpu::code::types::Type;
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, Driver, bytes_of};
use crate::gpu::lower::Lowering;
use crate::gpu::stop::{Done, decline};
use std::sync::{Arc, OnceLock};

/// A hash table of codes.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// For each slot one more than its code, or 0.
    pub(crate) codes: Arc<Buffer>,
    /// There are 2 to this many.
    pub(crate) bits: u32,
    /// The codes of rows that have slots, of what type, and how many, if rows have made it.
    rows: Option<(Arc<Buffer>, Type, usize)>,
    filter: Arc<OnceLock<Filter>>,
}

/// Bits of the codes that have slots: most of what is asked for is not there, and bits are read faster than slots, by neighbours
/// with neighbouring codes from one place.
#[derive(Clone, Debug)]
struct Filter {
    words: Arc<Buffer>,
    /// They are by so many bits of the codes' hashes, or, if it is 0, by code.
    bits: u32,
}

/// Codes up to which a filter has a bit for each.
const FILTERED_MAX: u64 = 1 << 31;

/// Bits of a filter for each slot, where codes are too far apart, as a power of two.
const BITS_EACH: u32 = 3;

/// Rows that ask from which on a filter pays.
const ASKING_MIN: usize = if cfg!(test) { 0 } else { 1 << 20 };

/// The kernel that makes filters.
const FILTER: &str = include_str!("filter.cu");

/// Slots have so many bits, at least and at most.
const BITS: std::ops::RangeInclusive<u32> = 4..=31;

/// The multiplier of the hash, as in the sources.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Codes up to which an array over all of them is always good.
const NEAR: u64 = 1 << 20;

/// Codes of a row up to which an array over all of them is better than a hash table.
const CODES_EACH: u64 = 16;

/// Whether so many codes of so many rows are better hashed than in an array, which may have so many, at most.
pub(crate) fn are_far(codes: u64, rows: u64, most: u64) -> bool {
    codes > most || (codes > NEAR && codes / CODES_EACH > rows)
}

/// Bits of a table for so many codes, at most half of whose slots are taken.
fn bits_for(codes: u64) -> Done<u32> {
    let bits = (codes.max(1) * 2).next_power_of_two().trailing_zeros().max(*BITS.start());
    if bits > *BITS.end() { decline("too many keys") } else { Ok(bits) }
}

impl Slots {
    /// A table for so many codes.
    pub(crate) fn new(driver: &Arc<dyn Driver>, codes: u64) -> Done<Self> {
        let bits = bits_for(codes)?;
        Ok(Slots { codes: Buffer::zeroed(driver, 8 << bits)?, bits, rows: None, filter: Arc::default() })
    }

    /// How many slots.
    pub(crate) fn count(&self) -> u64 {
        1 << self.bits
    }

    /// The same, of the codes of rows.
    pub(crate) fn of_rows(self, codes: &Arc<Buffer>, of: Type, rows: usize) -> Self {
        Slots { rows: Some((Arc::clone(codes), of, rows)), ..self }
    }

    /// A table of codes that are known, and the slot of each.
    pub(crate) fn of(driver: &Arc<dyn Driver>, codes: &[u64]) -> Done<(Self, Vec<u32>)> {
        let bits = bits_for(codes.len() as u64)?;
        let mut slots = vec![0u64; 1 << bits];
        let fill = |&code: &u64| {
            let mut at = (code.wrapping_mul(MULTIPLIER) >> (64 - bits)) as usize;
            while slots[at] != 0 && slots[at] != code + 1 {
                at = (at + 1) & ((1 << bits) - 1);
            }
            slots[at] = code + 1;
            at as u32
        };
        let places = codes.iter().map(fill).collect();
        Ok((
            Slots {
                codes: Buffer::of(driver, &bytes_of(&slots, u64::to_le_bytes))?,
                bits,
                rows: None,
                filter: Arc::default(),
            },
            places,
        ))
    }
}

/// The source that makes filters of such codes.
pub(super) fn filtering(of: Type) -> String {
    format!("typedef {} code_t;\n{FILTER}", of.name())
}

impl Slots {
    /// The filter, once many rows ask, of a table that is complete and whose keys have so many codes.
    fn filter(&self, device: &Device, codes: u64, asking: usize) -> Done<Option<Filter>> {
        if let Some(filter) = self.filter.get() {
            return Ok(Some(filter.clone()));
        }
        if asking < ASKING_MIN {
            return Ok(None);
        }
        let bits = if codes <= FILTERED_MAX { 0 } else { (self.bits + BITS_EACH).min(FILTERED_MAX.ilog2()) };
        let size = if bits == 0 { codes } else { 1 << bits };
        let words = Buffer::zeroed(&device.driver, (size as usize / 32 + 1) * 4)?;
        let (kernel, (from, of, count)) = match &self.rows {
            Some(rows) => ("filter_rows", rows.clone()),
            None => ("filter_slots", (Arc::clone(&self.codes), Type::U64, self.count() as usize)),
        };
        let module = device.cache.module(&*device.driver, &filtering(of))?;
        let threads = device.driver.limits().threads as usize;
        let arguments = [
            Argument::Memory(from),
            Argument::U64(count as u64),
            Argument::U32(bits),
            Argument::Memory(Arc::clone(&words)),
        ];
        if count > 0 {
            device.driver.launch(&*module, kernel, device.shape(count.div_ceil(threads), 0), &arguments)?;
        }
        Ok(Some(self.filter.get_or_init(|| Filter { words, bits }).clone()))
    }
}

impl Lowering<'_> {
    /// Whether a code, one of so many, has no slot, as far as a filter knows.
    pub(crate) fn lacks_slot(
        &mut self,
        slots: &Slots,
        codes: u64,
        (code, absent): (&Expression, Expression),
    ) -> Done<Expression> {
        let Some(filter) = slots.filter(self.device, codes, self.outermost_rows())? else { return Ok(absent) };
        let words = self.memory(Type::U8, &filter.words).address(Expression::number(0, Type::U64));
        let code = code.clone().cast(Type::U64);
        let at = match filter.bits {
            0 => code,
            bits => {
                let bits = self.number(bits);
                Expression::Call(Helper::FirstSlot, vec![bits, code])
            }
        };
        Ok(self.hold(absent.or(Expression::Call(Helper::Bit, vec![words, at]).not())))
    }

    fn slot(&mut self, helper: Helper, slots: &Slots, code: Expression) -> Expression {
        let codes = self.memory(Type::U64, &slots.codes);
        let bits = self.number(slots.bits);
        let first = codes.address(Expression::number(0, Type::U32));
        Expression::Call(helper, vec![first, bits, code.cast(Type::U64)])
    }

    /// The slot of a code, which it takes if it has none.
    pub(crate) fn fill_slot(&mut self, slots: &Slots, code: Expression) -> Expression {
        let slot = self.slot(Helper::FillSlot, slots, code);
        self.hold(slot)
    }

    /// The slot of a code, and whether it has none.
    pub(crate) fn find_slot(
        &mut self,
        slots: &Slots,
        code: Expression,
        absent: Expression,
    ) -> (Expression, Expression) {
        let none = Expression::number(NO_SLOT.into(), Type::U32);
        let slot = self.slot(Helper::FindSlot, slots, code);
        let slot = self.hold(Expression::select(absent, none.clone(), slot));
        (slot.clone(), Expression::binary(Binary::Equal, slot, none))
    }

    /// The code that a slot has, which is taken.
    pub(crate) fn code_of_slot(&mut self, slots: &Slots, slot: Expression) -> Expression {
        let code = self.memory(Type::U64, &slots.codes).at(slot);
        Expression::binary(Binary::Subtract, code, Expression::number(1, Type::U64))
    }
}
