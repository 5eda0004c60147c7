//! Values that come once to a group: which tuples have one that their group does not have yet. NULL is a value, too.
//!
//! Codes of a dictionary, and integers between bounds, have a bit each in each group where these are not too many; other values are
//! looked up in a hash table. Values that come twice all the same are told apart where the group ends (`value_order`).

use super::Input;
use super::gathered::{BITS_MAX, LOOKS};
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::byte_keys::hash_bytes;
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
    *word |= bit;
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
            _ => self.text(input, vector, seen, &mut tuples),
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

    /// Looks texts up by their hashes.
    fn text(&mut self, input: &Input<'_>, vector: &Vector, seen: Seen, tuples: &mut Vec<u32>) -> Seen {
        let (mut table, mut nulls, met) = match seen {
            Seen::Rows { table, nulls, met } => (table, nulls, met + input.len),
            _ => (HashTable::new(), Vec::new(), input.len),
        };
        nulls.resize(self.group_count.div_ceil(64), 0);
        let (known, values, groups) = (self.values.len(), &self.values, &mut self.groups);
        let own_bytes = |tuple: usize| vector.text(tuple).unwrap_or("").as_bytes();
        input.each(|tuple, group| {
            if vector.is_null(tuple) {
                if set(&mut nulls, group) {
                    tuples.push(tuple as u32);
                    groups.push(group as u32);
                }
                return;
            }
            let text = own_bytes(tuple);
            let hash = hash_bytes(text) ^ hash64(group as u64);
            let is_it = |&(other, row): &(u64, u32)| {
                let row = row as usize;
                other == hash
                    && groups[row] as usize == group
                    && match row.checked_sub(known) {
                        None => !values.is_null(row) && values.text(row) == text,
                        Some(new) => !vector.is_null(tuples[new] as usize) && own_bytes(tuples[new] as usize) == text,
                    }
            };
            if table.find(hash, is_it).is_none() {
                table.insert_unique(hash, (hash, groups.len() as u32), |&(hash, _)| hash);
                tuples.push(tuple as u32);
                groups.push(group as u32);
            }
        });
        self.looked(Seen::Rows { table, nulls, met }, met)
    }

    /// What is known, unless nearly all of so many values are different.
    fn looked(&self, seen: Seen, met: usize) -> Seen {
        if met > LOOKS && self.groups.len() > met / 4 * 3 { Seen::Useless } else { seen }
    }
}
