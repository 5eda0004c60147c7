//! Ordered: rows come clustered by their keys. A new group begins where the key changes, and what is between the pieces of
//! several workers is put in order at the end.

use super::assigned::Assigned;
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::decode::decode_all;
use crate::cpu::keys::integer::IntegerKeys;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::keys::Keys;
use crate::partial::order::{Order, Segment};
use crate::plan::key_layout::KeyLayout;
use std::ops::Range;

/// The codes of groups, in the order in which they came, and where pieces began that do not follow the one before.
#[derive(Debug)]
pub(crate) struct Clustered {
    pub(crate) layout: KeyLayout,
    pub(crate) codes: Vec<u64>,
    pub(crate) segments: Vec<Segment>,
}

impl Clustered {
    /// No groups yet.
    pub(crate) fn new(layout: KeyLayout) -> Self {
        Clustered { layout, codes: Vec::new(), segments: Vec::new() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.codes.capacity() * 8 + self.segments.capacity() * size_of::<Segment>()
    }

    pub(super) fn begin_piece(&mut self, piece: usize) {
        match self.segments.last_mut() {
            Some(last) if last.pieces.1 + 1 == piece => last.pieces.1 = piece,
            _ => self.segments.push(Segment { pieces: (piece, piece), start: self.codes.len() as u32 }),
        }
    }

    /// As `Grouper::complete`.
    pub(super) fn complete(&self, first: usize) -> Range<usize> {
        let start = self.segments.last().map_or(0, |segment| segment.start as usize + 1).max(first);
        start..self.codes.len().saturating_sub(1).max(start)
    }

    /// Whether the next row cannot be of the last group, because none of its segment has come.
    fn is_fresh(&self) -> bool {
        self.segments.last().is_some_and(|segment| segment.start as usize == self.codes.len())
    }

    pub(super) fn assign(&mut self, codes: &Codes, assigned: &mut Assigned) {
        let fresh = self.is_fresh();
        assigned.has_runs = true;
        assigned.runs.find(&codes.bits64, |code| code, &mut self.codes, !fresh, false);
    }

    /// The same for keys of one integer. `codes` is memory.
    pub(super) fn assign_integers(
        &mut self,
        keys: &IntegerKeys<'_>,
        len: usize,
        codes: &mut Vec<u32>,
        assigned: &mut Assigned,
    ) {
        let (before, fresh) = (self.codes.len(), self.is_fresh());
        assigned.has_runs = true;
        if keys.runs(&mut assigned.runs, &mut self.codes, !fresh, assigned.may_wait) {
            assigned.waits = assigned.may_wait.then_some(before);
        } else {
            keys.codes(len, codes);
            assigned.runs.find(codes, u64::from, &mut self.codes, !fresh, false);
        }
    }

    /// Adds groups that have these codes, and follow those that are there; gives their numbers here.
    pub(super) fn merge(&mut self, from: &[u64], chosen: &[u32]) -> Vec<u32> {
        let number = |&group: &u32| {
            let code = from[group as usize];
            if self.codes.last() != Some(&code) {
                self.codes.push(code);
            }
            (self.codes.len() - 1) as u32
        };
        chosen.iter().map(number).collect()
    }

    /// The keys of some groups, a column a part.
    pub(super) fn keys(&self, groups: &[u32]) -> Vec<ColumnBuilder> {
        decode_all(&self.layout, &groups.iter().map(|&group| self.codes[group as usize]).collect::<Vec<u64>>())
    }

    pub(super) fn into_partial(self) -> (Keys, Order) {
        (Keys::Listed { layout: self.layout, codes: self.codes }, Order::Clustered(self.segments))
    }
}
