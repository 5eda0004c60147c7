//! Finds the strings of groups among those that a list of distinct arguments has. The list is all that is kept of them: views, where
//! strings lie in a column's buffers, and their groups. A key of their own would be a copy of each string, and several words beside it.
//!
//! A batch of strings at a time is (1) hashed, and their slots are asked for; (2) the views of those are asked for whose first slot has
//! their hash, and (3) the bytes of these; then (4) each is looked for, or is new. So what is far away is waited for together.

use crate::column::column_builder::{BuilderData, ColumnBuilder};
use crate::cpu::simd::kernel::prefetch_here;
use crate::cpu::table::slots::{BATCH, Slots};
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::byte_keys::hash_bytes;
use crate::partial::hash::hash64;
use crate::partial::state::distinct::Members;

/// Slots that have the numbers of a list's members.
#[derive(Clone, Debug)]
pub(super) struct TextTable {
    slots: Slots,
}

impl TextTable {
    /// Of an empty list.
    pub(super) fn new() -> Self {
        TextTable { slots: Slots::new(0) }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.slots.bytes()
    }

    /// Adds strings of groups to the list, none of them NULL.
    pub(super) fn add(&mut self, members: &mut Members, groups: &[u32], argument: &Vector) {
        let new = match &argument.data {
            VectorData::Text(texts) if !argument.constant => self.find(members, groups, |tuple| texts.bytes(tuple)),
            _ => self.find(members, groups, |tuple| argument.text(tuple).unwrap_or_default().as_bytes()),
        };
        members.groups.extend(new.iter().map(|&tuple| groups[tuple as usize]));
        match &argument.data {
            // Gathering would copy all of the arena.
            VectorData::Text(texts) if !argument.constant && !texts.is_shared() => {
                members.values.append_texts(new.iter().map(|&tuple| Some(texts.bytes(tuple as usize))));
            }
            _ if new.len() == groups.len() && !argument.constant => members.values.append(argument),
            _ => {
                let mut values = Vector::default();
                values.gather(argument, &new);
                members.values.append(&values);
            }
        }
    }

    /// The tuples whose strings are new, in order; these have the next numbers.
    #[inline(always)]
    fn find<'t>(&mut self, members: &Members, groups: &[u32], text: impl Fn(usize) -> &'t [u8]) -> Vec<u32> {
        let before = members.groups.len();
        debug_assert_eq!(before, self.slots.len(), "a slot a member");
        let (mut new, mut hashes): (Vec<u32>, _) = (Vec::new(), [0; BATCH]);
        for start in (0..groups.len()).step_by(BATCH) {
            let tuples = start..groups.len().min(start + BATCH);
            self.slots.reserve();
            for (hash, tuple) in hashes.iter_mut().zip(tuples.clone()) {
                *hash = hash_of(groups[tuple], text(tuple));
                self.slots.prefetch(*hash);
            }
            self.prefetch(members, &hashes[..tuples.len()]);
            for (&hash, tuple) in hashes.iter().zip(tuples) {
                let key = (groups[tuple], text(tuple));
                let is = |number: u32| match (number as usize).checked_sub(before) {
                    None => (members.groups[number as usize], text_of(&members.values, number as usize)) == key,
                    Some(at) => {
                        let other = new[at] as usize;
                        (groups[other], text(other)) == key
                    }
                };
                if self.slots.number(hash, is).is_none() {
                    new.push(tuple as u32);
                }
            }
        }
        new
    }

    /// Asks for the members that some hashes are likely to be those of.
    fn prefetch(&self, members: &Members, hashes: &[u64]) {
        let BuilderData::Text(texts) = &members.values.data else { return };
        let (mut likely, mut count) = ([0; BATCH], 0);
        for &hash in hashes {
            let number = self.slots.candidate(hash).filter(|&number| (number as usize) < texts.views.len());
            if let Some(number) = number {
                (likely[count], count) = (number as usize, count + 1);
                prefetch_here(&raw const texts.views[number as usize]);
                prefetch_here(&raw const members.groups[number as usize]);
            }
        }
        for &number in &likely[..count] {
            prefetch_here(texts.get(number).as_ptr());
        }
    }
}

/// The hash of a string of a group.
#[inline(always)]
fn hash_of(group: u32, text: &[u8]) -> u64 {
    hash64(hash_bytes(text) ^ u64::from(group).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The string of a row of a list of strings.
#[inline(always)]
fn text_of(values: &ColumnBuilder, row: usize) -> &[u8] {
    match &values.data {
        BuilderData::Text(texts) => texts.get(row),
        BuilderData::Code { codes, dictionary } => dictionary.bytes_of(codes[row]),
        _ => &[],
    }
}
