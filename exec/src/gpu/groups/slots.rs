//! Slots of codes that are too far apart for arrays over all of them: a hash table whose places are the groups' numbers.

use super::filter::Filters;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::{Helper, NO_SLOT};
use crate::gpu::code::types::Type;
use crate::gpu::driver::{Buffer, Copier, Driver, bytes_of};
use crate::gpu::lower::Lowering;
use crate::gpu::stop::{Done, decline};
use std::sync::Arc;

/// A hash table of codes.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// For each slot one more than its code, or 0.
    pub(crate) codes: Arc<Buffer>,
    /// There are 2 to this many.
    pub(crate) bits: u32,
    pub(crate) filters: Arc<Filters>,
}

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
    are_far_by(codes, rows, (most, CODES_EACH))
}

/// The same, where an array is better up to so many codes of a row.
pub(crate) fn are_far_by(codes: u64, rows: u64, (most, each): (u64, u64)) -> bool {
    codes > most || (codes > NEAR && codes / each > rows)
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
        let codes = Buffer::zeroed(driver, 8 << bits)?;
        Ok(Slots { filters: Filters::of_slots(&codes, bits), codes, bits })
    }

    /// The same on another device.
    pub(crate) fn copied(&self, to: &Copier<'_>) -> Done<Self> {
        Ok(Slots { codes: to.buffer(&self.codes)?, bits: self.bits, filters: self.filters.copied(to)? })
    }

    /// How many slots.
    pub(crate) fn count(&self) -> u64 {
        1 << self.bits
    }

    /// The same, of the codes of rows.
    pub(crate) fn of_rows(self, codes: &Arc<Buffer>, of: Type, rows: usize) -> Self {
        Slots { filters: Filters::of_rows(codes, of, rows), ..self }
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
        let codes = Buffer::of(driver, &bytes_of(&slots, u64::to_le_bytes))?;
        Ok((Slots { filters: Filters::of_slots(&codes, bits), codes, bits }, places))
    }
}

impl Lowering<'_> {
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
