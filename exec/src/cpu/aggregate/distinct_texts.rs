//! Finds the strings of groups among those that a list of distinct arguments has. The list is all that is kept of them: views, where
//! strings lie in a column's buffers, and their groups. A key of their own would be a copy of each string, and several words beside it.
//!
//! A batch of strings at a time is (1) hashed, and their slots are asked for; (2) the views of those are asked for whose first slot has
//! their hash, and (3) the bytes of these; then (4) each is looked for, or is new. So what is far away is waited for together.

use super::gathered::append_to;
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
    pub(super) slots: Slots,
}

/// A list's members: the groups and the strings, or NULLs, of rows of which the first ones may be none of it.
#[derive(Clone, Copy)]
pub(super) struct Listed<'l> {
    pub(super) groups: &'l [u32],
    pub(super) values: &'l ColumnBuilder,
    pub(super) first: usize,
}

impl<'l> Listed<'l> {
    /// The group and the string of a member.
    #[inline(always)]
    fn member(self, number: u32) -> (u32, Option<&'l [u8]>) {
        let row = self.first + number as usize;
        (self.groups[row], (!self.values.is_null(row)).then(|| text_of(self.values, row)))
    }
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
        let listed = Listed { groups: &members.groups, values: &members.values, first: 0 };
        let new = match &argument.data {
            VectorData::Text(texts) if !argument.constant => {
                self.find(listed, groups, |tuple| Some(texts.bytes(tuple)))
            }
            _ => self.find(listed, groups, |tuple| Some(argument.text(tuple).unwrap_or_default().as_bytes())),
        };
        members.groups.extend(new.iter().map(|&tuple| groups[tuple as usize]));
        if new.len() == groups.len() && !argument.constant && !has_own_arena(argument) {
            members.values.append(argument);
        } else {
            append_tuples(&mut members.values, argument, &new);
        }
    }

    /// The tuples whose strings, or NULLs, their groups do not have, in order; these have the next numbers.
    #[inline(always)]
    pub(super) fn find<'t>(
        &mut self,
        listed: Listed<'_>,
        groups: &[u32],
        text: impl Fn(usize) -> Option<&'t [u8]>,
    ) -> Vec<u32> {
        let before = listed.groups.len() - listed.first;
        debug_assert_eq!(before, self.slots.len(), "a slot a member");
        let (mut new, mut hashes): (Vec<u32>, _) = (Vec::new(), [0; BATCH]);
        for start in (0..groups.len()).step_by(BATCH) {
            let tuples = start..groups.len().min(start + BATCH);
            self.slots.reserve();
            for (hash, tuple) in hashes.iter_mut().zip(tuples.clone()) {
                *hash = hash_of(groups[tuple], text(tuple));
                self.slots.prefetch(*hash);
            }
            self.prefetch(listed, &hashes[..tuples.len()]);
            for (&hash, tuple) in hashes.iter().zip(tuples) {
                let key = (groups[tuple], text(tuple));
                let is = |number: u32| match (number as usize).checked_sub(before) {
                    None => listed.member(number) == key,
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
    fn prefetch(&self, Listed { groups, values, first }: Listed<'_>, hashes: &[u64]) {
        let BuilderData::Text(texts) = &values.data else { return };
        let (mut likely, mut count) = ([0; BATCH], 0);
        for &hash in hashes {
            let row = self.slots.candidate(hash).map(|number| first + number as usize);
            if let Some(row) = row.filter(|&row| row < texts.views.len()) {
                (likely[count], count) = (row, count + 1);
                prefetch_here(&raw const texts.views[row]);
                prefetch_here(&raw const groups[row]);
            }
        }
        for &row in &likely[..count] {
            prefetch_here(texts.get(row).as_ptr());
        }
    }
}

/// Whether strings of a vector lie in an arena of its own, all of which whoever takes some of its tuples copies.
fn has_own_arena(vector: &Vector) -> bool {
    matches!(&vector.data, VectorData::Text(texts) if !texts.is_shared())
}

/// Appends some tuples, in the form that a column has, or in theirs if it has no values.
pub(super) fn append_tuples(column: &mut ColumnBuilder, vector: &Vector, tuples: &[u32]) {
    match &vector.data {
        VectorData::Text(texts) if has_own_arena(vector) && !vector.constant => {
            let text = |&tuple: &u32| (!vector.is_null(tuple as usize)).then(|| texts.bytes(tuple as usize));
            column.append_texts(tuples.iter().map(text));
        }
        _ => {
            let mut values = Vector::default();
            values.gather(vector, tuples);
            append_to(column, &values);
        }
    }
}

/// The hash of a string of a group, or of NULL.
#[inline(always)]
pub(super) fn hash_of(group: u32, text: Option<&[u8]>) -> u64 {
    hash64(text.map_or(1, hash_bytes) ^ u64::from(group).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The string of a row of a list of strings.
#[inline(always)]
pub(super) fn text_of(values: &ColumnBuilder, row: usize) -> &[u8] {
    match &values.data {
        BuilderData::Text(texts) => texts.get(row),
        BuilderData::Code { codes, dictionary } => dictionary.bytes_of(codes[row]),
        _ => &[],
    }
}
