//! Several cards as one device.
//!
//! A loop over a table of many rows is *split*: each card runs it over its part of the chunks, the same part each time, so that a column
//! is spread over the cards and each has a part of it. So is a loop over rows that a split loop has collected. Reductions can be put
//! together of such parts, and rows that are collected in order, one part behind the other; loops that do something else, or make so many
//! groups that to bring them from card to card would take longer, are not split (`shape`).
//!
//! What is not split runs on all cards at once if split loops read it: they need all of it, each on its own card, and to make it there
//! takes no longer than to make it once. Columns that it reads are on all cards, then, and so are indexes, which stay with them. All else
//! runs on the first card.
//!
//! What a loop makes stays where it is (`spread`): parts of it on each card, or all of it on some. A loop that needs all of it on its card has
//! it put together there (`merge`) or copied from another one, once. The host gets partial groups of all cards, and merges them as
//! those of its workers. Tables of several forms (other dictionaries, NULLs here and none there) are the host's to merge.
//!
//! Each card sees the loop through inputs of its own (`view`): the chunks of its part, whose rows are numbered from 0 on, and of what cards
//! keep that which it has itself. It knows nothing else of the others: errors, columns, code, what is declined, and memory that runs out
//! are each card's own; if one declines, so do all. Cards are alike: one source of a loop is compiled for all of them.

mod merge;
mod shape;
mod spread;
#[cfg(test)]
mod tests;
mod view;

use super::backend::{Gpu, NOTES_MAX, REFUSED_MAX, bytes_of_column, names, passes, what};
use super::device::Device;
use super::driver::cache::LATER;
use super::driver::threads::Threads;
use crate::backend::inputs::Inputs;
use crate::backend::{Backend, Besides, Given, Outcome, Placement, Task};
use crate::collections::rows::RowSet;
use crate::column::chunks::Part as Cut;
use crate::column::{Chunks, Table};
use crate::{Error, Result};
use multiloop_planner::multiloop::CollectionId;
use rustc_hash::FxHashSet;
use shape::Limits;
use spread::{Own, Spread, put_together};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use view::{Part, PartRows, View};

/// Several cards.
#[derive(Debug)]
pub(crate) struct Several {
    name: String,
    cards: Vec<Gpu>,
    devices: Arc<[Device]>,
    threads: Arc<Threads>,
    limits: Limits,
    /// Loops whose parts were not alike: they are not split again.
    apart: Arc<Mutex<FxHashSet<u64>>>,
    /// What became of loops, for whoever wants to know.
    notes: Arc<Mutex<Vec<String>>>,
}

/// What became of a loop that was split.
enum Split {
    Done(Outcome),
    /// What the cards made cannot be put together.
    Apart,
}

impl Several {
    /// These cards, of which there is one at least.
    pub(crate) fn new(cards: Vec<Gpu>) -> Self {
        let first = cards.first().map_or("", |card| card.name());
        Several {
            name: format!("{first}, {} cards", cards.len()),
            devices: cards.iter().map(|card| card.device().clone()).collect(),
            threads: Arc::new(Threads::new(cards.len())),
            cards,
            limits: Limits::default(),
            apart: Arc::default(),
            notes: Arc::default(),
        }
    }

    /// The same cards, for statements that do not wait for their compiler.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn in_a_hurry(&self) -> Self {
        Several {
            name: self.name.clone(),
            cards: self.cards.iter().map(Gpu::in_a_hurry).collect(),
            devices: Arc::clone(&self.devices),
            threads: Arc::clone(&self.threads),
            limits: self.limits,
            apart: Arc::clone(&self.apart),
            notes: Arc::clone(&self.notes),
        }
    }

    /// The same, to which few rows are many.
    #[cfg(any(test, feature = "gpu-emulated"))]
    pub(crate) fn that_split_from(mut self, rows_min: u64) -> Self {
        self.limits = Limits { rows_min, bytes_max: u64::MAX, bytes_each: u64::MAX };
        self
    }

    /// What became of the loops that were run since somebody asked, a line each.
    #[cfg(test)]
    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, task: &Task<'_>, what: &str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(format!("{}: {what}", names(task)));
        let old = notes.len().saturating_sub(NOTES_MAX);
        notes.drain(..old);
    }

    /// The parts of a loop's outermost rows that have some; none if it is not split.
    fn parts(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Option<Vec<Part>>> {
        let Some(id) = self.limits.split_by(task.plan, task.of) else { return Ok(None) };
        {
            let apart = self.apart.lock().unwrap_or_else(PoisonError::into_inner);
            if !apart.is_empty() && apart.contains(&what(task)) {
                return Ok(None);
            }
        }
        let parts = match task.plan.collection(id).table {
            Some(_) => self.parts_of_table(id, inputs)?,
            None => {
                let Some(held) = inputs.held(id)? else { return Ok(None) };
                let Some(parts) = Spread::of(&held).and_then(Spread::rows_in_parts) else { return Ok(None) };
                let in_all = parts.iter().map(|(_, rows, _)| *rows as u64).sum();
                let part = |(card, rows, own)| Part { card, of: id, rows: PartRows::Kept(own, rows), in_all };
                parts.into_iter().map(part).collect()
            }
        };
        Ok(if parts.is_empty() { None } else { Some(parts) })
    }

    fn parts_of_table(&self, id: CollectionId, inputs: &dyn Inputs) -> Result<Vec<Part>> {
        let rows = inputs.rows(id)?;
        let cut = rows.chunks.parts(self.cards.len());
        // A table that is all in one part is another one's as a whole.
        if (rows.rows as u64) < self.limits.rows_min || cut.iter().filter(|part| part.chunks.rows() > 0).count() < 2 {
            return Ok(Vec::new());
        }
        let all = inputs.ranges()?;
        let mut parts = Vec::new();
        for (card, Cut { first, start, chunks }) in cut.iter().enumerate() {
            let own = *start..*start + chunks.rows();
            let within = |range: &Range<usize>| {
                let (from, below) = (range.start.max(own.start), range.end.min(own.end));
                (from < below).then(|| from - start..below - start)
            };
            let ranges: Vec<Range<usize>> = all.iter().filter_map(within).collect();
            if !ranges.is_empty() {
                let own = RowSet { rows: own.len(), chunks: chunks.clone(), ..rows.clone() };
                let rows = PartRows::Table { rows: own, first: *first, ranges };
                parts.push(Part { card, of: id, rows, in_all: all.iter().map(|range| range.len() as u64).sum() });
            }
        }
        Ok(parts)
    }

    /// Runs a loop on some cards at once, as each sees it.
    fn run_on(&self, task: &Task<'_>, inputs: &dyn Inputs, views: Vec<View<'_>>) -> Result<Vec<(usize, Outcome)>> {
        let run = |view: &View<'_>| {
            let _entered = inputs.context().enter();
            self.cards[view.card].run(task, view)
        };
        let outcomes = self.threads.each(views.len(), |number| run(&views[number]));
        let cards: Vec<usize> = views.iter().map(|view| view.card).collect();
        let (several, mut codes) = (views.len() > 1, Vec::new());
        views.into_iter().for_each(|view| view.hand_on(several, &mut codes));
        let ended = |outcome: Option<Result<Outcome>>| {
            outcome.unwrap_or_else(|| Err(Error::internal("a card's thread has panicked")))
        };
        let outcomes = outcomes.into_iter().map(ended).collect::<Result<Vec<Outcome>>>()?;
        Ok(cards.into_iter().zip(outcomes).collect())
    }

    /// Runs a loop over parts, each on its card.
    fn split(&self, task: &Task<'_>, inputs: &dyn Inputs, parts: &[Part]) -> Result<Split> {
        if inputs.takes_notes() {
            let each = parts.iter().map(|part| format!("{} rows on card {}", part.rows(), part.card));
            inputs.note(format!("split: {}", each.collect::<Vec<_>>().join(", ")));
        }
        let outcomes = self.run_on(task, inputs, parts.iter().map(|part| View::of(inputs, part)).collect())?;
        let mut made: Vec<Vec<(usize, Given)>> = task.of.generators.iter().map(|_| Vec::new()).collect();
        let mut declined: Option<Cow<'static, str>> = None;
        for (card, outcome) in outcomes {
            match outcome {
                Outcome::Given(given) => {
                    made.iter_mut().zip(given).for_each(|(made, given)| made.push((card, given)));
                }
                // What comes soon is tried again, whatever else there is.
                Outcome::Declined(why) if declined.is_none() || why == LATER => declined = Some(why),
                Outcome::Declined(_) => {}
            }
        }
        match declined {
            Some(why) if passes(&why) => return Ok(Split::Done(Outcome::Declined(why))),
            Some(_) => {
                // It may be so of a part of the rows alone.
                self.cards.iter().for_each(|card| card.forget(task));
                return Ok(Split::Apart);
            }
            None => {}
        }
        let together = made.into_iter().map(|parts| self.put_together(parts)).collect::<Option<Vec<Given>>>();
        Ok(together.map_or(Split::Apart, |given| Split::Done(Outcome::Given(given))))
    }

    /// What a generator gave, of what it gave on each card; None if that is not alike.
    fn put_together(&self, parts: Vec<(usize, Given)>) -> Option<Given> {
        let held = |(card, given): &(usize, Given)| match given {
            Given::Held(own) => Some((*card, Arc::clone(own))),
            _ => None,
        };
        if let Some(held) = parts.iter().map(held).collect::<Option<Vec<(usize, Own)>>>() {
            return Spread::parts(&self.devices, held).map(|spread| Given::Held(Arc::new(spread)));
        }
        put_together(parts.into_iter().map(|(_, given)| given).collect())
    }

    /// Runs all of a loop on some cards, of which the first one counts.
    fn replicated(&self, task: &Task<'_>, inputs: &dyn Inputs, cards: Range<usize>) -> Result<Outcome> {
        if inputs.takes_notes() && cards.len() > 1 {
            inputs.note(format!("all of it on each of {} cards", cards.len()));
        }
        let outcomes = self.run_on(task, inputs, cards.map(|card| View::whole(inputs, card)).collect())?;
        let mut outcomes = outcomes.into_iter();
        let (first, given) = match outcomes.next() {
            Some((first, Outcome::Given(given))) => (first, given),
            Some((_, declined)) => return Ok(declined),
            None => return Ok(Outcome::Declined(Cow::Borrowed("there is no card"))),
        };
        // A card that could not make it gets a copy when it asks.
        let others: Vec<(usize, Vec<Given>)> = outcomes
            .filter_map(|(card, outcome)| if let Outcome::Given(given) = outcome { Some((card, given)) } else { None })
            .collect();
        let spread = |(at, given): (usize, Given)| {
            let Given::Held(own) = given else { return given };
            let other = |(card, given): &(usize, Vec<Given>)| match given.get(at) {
                Some(Given::Held(own)) => Some((*card, Arc::clone(own))),
                _ => None,
            };
            let made = std::iter::once((first, own)).chain(others.iter().filter_map(other)).collect();
            Given::Held(Arc::new(Spread::whole(&self.devices, made)))
        };
        Ok(Outcome::Given(given.into_iter().enumerate().map(spread).collect()))
    }

    /// Runs a loop; and how, for people.
    fn run_loop(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<(Outcome, String)> {
        inputs.context().check()?;
        // What cannot be read is an error of who reads it.
        if let Some(parts) = self.parts(task, inputs).unwrap_or_default() {
            match self.split(task, inputs, &parts)? {
                Split::Done(outcome) => return Ok((outcome, format!("in {} parts", parts.len()))),
                Split::Apart => {
                    let mut apart = self.apart.lock().unwrap_or_else(PoisonError::into_inner);
                    if apart.len() >= REFUSED_MAX {
                        apart.clear();
                    }
                    apart.insert(what(task));
                }
            }
        }
        let cards = if self.limits.is_wanted_everywhere(task) { self.cards.len() } else { 1 };
        let outcome = self.replicated(task, inputs, 0..cards)?;
        Ok((outcome, if cards > 1 { format!("on {cards} cards") } else { "on one card".to_owned() }))
    }
}

impl Backend for Several {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self, task: &Task<'_>) -> Placement {
        for card in &self.cards {
            if let Placement::Declines(why) = card.place(task) {
                self.note(task, &format!("left to the host: {why}"));
                return Placement::Declines(why);
            }
        }
        Placement::Takes(match self.limits.split_by(task.plan, task.of) {
            Some(_) => Cow::Borrowed("it scans and reduces, each card a part of the rows"),
            None => Cow::Borrowed("it scans and reduces"),
        })
    }

    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Outcome> {
        let (outcome, how) = self.run_loop(task, inputs)?;
        // What one has made while another one's code is to come, none of them has.
        self.cards.iter().for_each(|card| card.note_awaited(task, &outcome));
        match &outcome {
            Outcome::Given(_) => self.note(task, &format!("{how}: ran")),
            Outcome::Declined(why) => self.note(task, &format!("declined: {why}")),
        }
        Ok(outcome)
    }

    fn prepare(&self) {
        for card in &self.cards {
            card.prepare();
            let Device { cache, driver, .. } = card.device();
            cache.begin(&**driver, merge::MERGE.to_owned());
        }
    }

    fn besides(&self) -> Besides {
        self.cards.iter().map(|card| card.besides()).fold(Besides::default(), |all, each| Besides {
            uploaded: all.uploaded + each.uploaded,
            missed: all.missed + each.missed,
        })
    }

    fn is_preparing(&self) -> bool {
        self.cards.iter().any(|card| card.is_preparing())
    }

    fn missing(&self, table: &Table, columns: &[u32]) -> u64 {
        let parts = table.chunks.parts(self.cards.len());
        let is_there = |column: u32| {
            let has = |card: usize, chunks: &Chunks| self.devices[card].resident.has(chunks, column);
            let in_parts =
                || parts.iter().enumerate().all(|(card, part)| part.chunks.rows() == 0 || has(card, &part.chunks));
            has(0, &table.chunks) || in_parts()
        };
        columns.iter().filter(|&&column| !is_there(column)).map(|&column| bytes_of_column(table, column)).sum()
    }
}
