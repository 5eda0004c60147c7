//! Chooses which lets of a body are computed, and in which order (see `plan::gates`).
//!
//! Lets are made in their order. In front of one that goes over many rows come those of a few rows that may make it superfluous:
//! whoever asks for it finds nothing without them. What nobody asks for any more is made of no rows, which takes no time.

use crate::collections::made::Made;
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::frame::{Frame, row_count_if_known};
use crate::plan::tree::{Device, Gates, LetKind, Plan};
use multiloop_planner::multiloop::{CollectionId, Source};

/// How many times fewer rows a let has that is asked first.
const FEWER: u64 = 8;

impl Frame<'_> {
    /// Whether a let of the body goes over so many rows that it pays to ask whether it must.
    pub(super) fn is_long(&self, number: usize) -> bool {
        rows_over(self, number) >= self.shared.plan.limits.gated_rows
    }

    /// The lets that may make another one superfluous, are not made yet, and take less time.
    pub(super) fn shorter(&self, gates: &Gates, number: usize, last: usize) -> Vec<usize> {
        let most = rows_over(self, number) / FEWER;
        let (mut found, mut seen) = (Vec::new(), vec![number]);
        let mut at = 0;
        while at < seen.len() {
            for &reader in gates.readers[seen[at]].iter().flatten().filter(|&&reader| reader > number) {
                if seen.contains(&reader) {
                    continue;
                }
                seen.push(reader);
                let others = gates.gates[reader].iter().filter_map(|gate| gates.made.get(gate));
                let can_be_made = |other: &usize| gates.reads[*other].iter().all(|read| self.is_made(*read));
                found.extend(others.copied().filter(|other| *other > number && *other < last && can_be_made(other)));
            }
            at += 1;
        }
        found.retain(|&other| rows_over(self, other) <= most);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether anything may ask for what a let of the body makes.
    pub(super) fn is_asked_for(&self, gates: &Gates, number: usize) -> bool {
        self.is_needed(gates, number, &mut vec![None; gates.readers.len()])
    }

    fn is_needed(&self, gates: &Gates, number: usize, known: &mut Vec<Option<bool>>) -> bool {
        if let Some(needed) = known[number] {
            return needed;
        }
        let needed = gates.readers[number].as_ref().is_none_or(|readers| {
            readers.iter().any(|&reader| {
                let finds_nothing = gates.gates[reader].iter().any(|&gate| self.is_empty(gate));
                !finds_nothing && self.is_needed(gates, reader, known)
            })
        });
        known[number] = Some(needed);
        needed
    }

    /// Whether a collection has been made and has no rows.
    fn is_empty(&self, id: CollectionId) -> bool {
        match self.own.get(&id) {
            // Own groups are made when they are asked for.
            Some(Ok(made)) => {
                let is_own = matches!(made, Made::Host(stored) if matches!(**stored, Stored::Own(_)));
                !is_own && row_count_if_known(made) == Some(0)
            }
            _ => false,
        }
    }

    pub(super) fn is_made(&self, id: CollectionId) -> bool {
        matches!(self.own.get(&id), Some(Ok(_))) || self.shared.tables.contains_key(&id)
    }
}

/// Rows that a let of the body goes over, as far as that is known.
pub(super) fn rows_over(frame: &Frame<'_>, number: usize) -> u64 {
    let plan: &Plan = frame.shared.plan;
    let LetKind::Loop(each) = &plan.block(plan.body).lets[number].kind else { return 0 };
    // To ask how many rows a device has takes longer than to loop over none of them.
    if each.device.of != Device::Host {
        return 0;
    }
    match each.levels.first().map(|level| &level.source) {
        Some(Source::Rows(id)) => match &plan.collection(*id).table {
            Some(table) => table.rows,
            None => frame.row_count(*id) as u64,
        },
        _ => 0,
    }
}
