//! Values that come once to a group: which tuples have one that their group does not have yet. NULL is a value, too.
//!
//! Codes of a dictionary, and integers between bounds, have a bit each in each group where these are not too many; other values are
//! looked up in a hash table. Values that come twice all the same are told apart where the group ends (`value_order`).

use super::Input;
use super::distinct_texts::{Listed, TextTable};
use super::gathered::{BITS_MAX, LOOKS};
use crate::cpu::table::slots::Slots;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::hash::hash64;
use crate::partial::state::gathered::{Gathered, Seen};
use hashbrown::HashTable;
use multiloop_planner::value::canonical_float_bits;
use std::sync::Arc;

/// Bits for so many values of each group, and NULL, if they are not too many.
fn bits_of(values: usize, groups: usize) -> Option<usize> {
    values.checked_add(1)?.checked_mul(groups).filter(|&bits| bits <= BITS_MAX)
}

/// The lowest of integers between bounds, and how many there can be.
fn range(bounds: Option<(i128, i128)>) -> Option<(i64, usize)> {
    let (low, high) = bounds?;
    let each = usize::try_from(high.checked_sub(low)?).ok()?.checked_add(1)?;
    Some((i64::try_from(low).ok()?, each))
}

/// Sets a bit; whether it was not set.
#[inline]
fn set(bits: &mut [u64], at: usize) -> bool {
    let (word, bit) = (&mut bits[at / 64], 1u64 << (at % 64));
    let is_new = *word & bit == 0;
    // Most are set already: who only looks need not wait for the last one's write.
    if is_new {
        *word |= bit;
    }
    is_new
}

/// The hash of a number in a group.
fn hash_number(&(bits, group): &(u64, u32)) -> u64 {
    hash64(bits ^ hash64(group.into()))
}

impl Gathered {
    /// The tuples whose groups do not have their values yet; their groups are added to those of values.
    pub(super) fn new_values(&mut self, input: &Input<'_>, vector: &Vector, bounds: Option<(i128, i128)>) -> Vec<u32> {
        let seen = std::mem::take(&mut self.seen);
        let groups = self.group_count;
        let mut tuples = Vec::new();
        self.seen = match &vector.data {
            VectorData::Code { codes, dictionary } if let Some(count) = bits_of(dictionary.len(), groups) => {
                let mut bits = match seen {
                    Seen::Codes { dictionary: known, bits } if Arc::ptr_eq(&known, dictionary) => bits,
                    _ => Vec::new(),
                };
                bits.resize(count.div_ceil(64), 0);
                let each = dictionary.len();
                let code = |tuple: usize| Some(codes[vector.position(tuple)] as usize);
                self.mark(input, vector, (&mut bits[..], each), code, &mut tuples);
                Seen::Codes { dictionary: Arc::clone(dictionary), bits }
            }
            VectorData::I32(_) | VectorData::I64(_)
                if let Some((low, each)) = range(bounds)
                    && let Some(count) = bits_of(each, groups) =>
            {
                let mut bits = if let Seen::Range(bits) = seen { bits } else { Vec::new() };
                bits.resize(count.div_ceil(64), 0);
                let distance = |value: i64| usize::try_from(value.wrapping_sub(low) as u64).ok();
                match &vector.data {
                    VectorData::I32(values) => {
                        let code = |tuple: usize| distance(values[vector.position(tuple)].into());
                        self.mark(input, vector, (&mut bits[..], each), code, &mut tuples);
                    }
                    VectorData::I64(values) => {
                        let code = |tuple: usize| distance(values[vector.position(tuple)]);
                        self.mark(input, vector, (&mut bits[..], each), code, &mut tuples);
                    }
                    _ => {}
                }
                Seen::Range(bits)
            }
            VectorData::I32(values) => self.number(input, vector, seen, |at| i64::from(values[at]) as u64, &mut tuples),
            VectorData::I64(values) => self.number(input, vector, seen, |at| values[at] as u64, &mut tuples),
            VectorData::F64(values) => {
                self.number(input, vector, seen, |at| canonical_float_bits(values[at]), &mut tuples)
            }
            VectorData::Bool(values) => self.number(input, vector, seen, |at| values.get(at).into(), &mut tuples),
            _ => self.new_texts((input, vector), true, seen, &mut tuples),
        };
        tuples
    }

    /// Has a bit of its group set for the code of each tuple. What has no code below `each` may come twice.
    #[inline(always)]
    fn mark(
        &mut self,
        input: &Input<'_>,
        vector: &Vector,
        (bits, each): (&mut [u64], usize),
        code: impl Fn(usize) -> Option<usize>,
        tuples: &mut Vec<u32>,
    ) {
        let groups = &mut self.groups;
        input.each(|tuple, group| {
            let code = if vector.is_null(tuple) { Some(each) } else { code(tuple).filter(|&code| code < each) };
            if code.is_none_or(|code| set(bits, group * (each + 1) + code)) {
                tuples.push(tuple as u32);
                groups.push(group as u32);
            }
        });
    }

    /// Looks numbers up by their bits, which a position of the vector has.
    #[inline(always)]
    fn number(
        &mut self,
        input: &Input<'_>,
        vector: &Vector,
        seen: Seen,
        bits: impl Fn(usize) -> u64,
        tuples: &mut Vec<u32>,
    ) -> Seen {
        let (mut table, mut nulls, met) = match seen {
            Seen::Numbers { table, nulls, met } => (table, nulls, met + input.len),
            _ => (HashTable::new(), Vec::new(), input.len),
        };
        nulls.resize(self.group_count.div_ceil(64), 0);
        let groups = &mut self.groups;
        input.each(|tuple, group| {
            let is_new = if vector.is_null(tuple) {
                set(&mut nulls, group)
            } else {
                let own = (bits(vector.position(tuple)), group as u32);
                let entry = table.entry(hash_number(&own), |other| *other == own, hash_number);
                let is_new = matches!(entry, hashbrown::hash_table::Entry::Vacant(_));
                entry.or_insert(own);
                is_new
            };
            if is_new {
                tuples.push(tuple as u32);
                groups.push(group as u32);
            }
        });
        self.looked(Seen::Numbers { table, nulls, met }, met)
    }

    /// Looks texts up in a table of those that there are; NULL, too, or it is left out.
    pub(super) fn new_texts(
        &mut self,
        (input, vector): (&Input<'_>, &Vector),
        has_null: bool,
        seen: Seen,
        tuples: &mut Vec<u32>,
    ) -> Seen {
        let (slots, first, met) = match seen {
            Seen::Rows { slots, first, met } => (slots, first, met + input.len),
            // Those that are there already may come twice.
            _ => (Vec::new(), self.groups.len(), input.len),
        };
        let slots = Slots::of_entries(slots, self.groups.len() - first);
        let (mut own, mut groups) = (Vec::with_capacity(input.len), Vec::with_capacity(input.len));
        input.each(|tuple, group| {
            if has_null || !vector.is_null(tuple) {
                own.push(tuple as u32);
                groups.push(group as u32);
            }
        });
        let listed = Listed { groups: &self.groups, values: &self.values, first };
        let mut table = TextTable { slots };
        let new = match &vector.data {
            VectorData::Text(texts) if !vector.constant && vector.nulls.is_none() => {
                table.find(listed, &groups, |at| Some(texts.bytes(own[at] as usize)))
            }
            _ => table.find(listed, &groups, |at| {
                let tuple = own[at] as usize;
                (!vector.is_null(tuple)).then(|| vector.text(tuple).unwrap_or_default().as_bytes())
            }),
        };
        tuples.extend(new.iter().map(|&at| own[at as usize]));
        self.groups.extend(new.iter().map(|&at| groups[at as usize]));
        self.looked(Seen::Rows { slots: table.slots.into_entries(), first, met }, met)
    }

    /// What is known, unless nearly all of so many values are different.
    fn looked(&self, seen: Seen, met: usize) -> Seen {
        // The first value of a group is always new.
        let (new, others) = (self.groups.len().saturating_sub(self.group_count), met.saturating_sub(self.group_count));
        if others > LOOKS.max(self.group_count) && new > others / 4 * 3 { Seen::Useless } else { seen }
    }
}
