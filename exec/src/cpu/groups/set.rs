//! Set: a bit for each code, where nothing but the existence of a group is wanted.

use crate::cpu::keys::decode::decode_all;
use crate::cpu::simd::positions::push_positions;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::keys::Keys;
use crate::plan::key_layout::KeyLayout;

/// A bit for each code; a group's number is its code.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) layout: KeyLayout,
    pub(crate) words: Vec<u64>,
}

impl Set {
    /// No keys yet.
    pub(crate) fn new(layout: KeyLayout) -> Self {
        let codes = layout.codes().unwrap_or_default() as usize;
        Set { layout, words: vec![0; codes / 64 + 1] }
    }

    /// Adds the keys of these codes.
    #[inline(always)]
    pub(super) fn add(&mut self, codes: impl Iterator<Item = u64>) {
        let words = &mut self.words;
        codes.for_each(|code| words[(code / 64) as usize] |= 1 << (code % 64));
    }

    /// Adds the keys of another set.
    pub(super) fn unite(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(word, from)| *word |= from);
    }

    /// The codes of the keys.
    pub(super) fn occupied(&self) -> Vec<u32> {
        let mut codes = Vec::new();
        push_positions(&self.words, self.words.iter().map(|word| word.count_ones() as usize).sum(), &mut codes);
        codes
    }

    /// The keys of some codes, a column a part.
    pub(super) fn keys(&self, codes: &[u32]) -> Vec<ColumnBuilder> {
        decode_all(&self.layout, &codes.iter().map(|&code| code.into()).collect::<Vec<u64>>())
    }

    pub(super) fn into_keys(self) -> Keys {
        Keys::Set { layout: self.layout, words: self.words }
    }
}
