//! What a loop reads, as one card sees it: of the outermost rows its part, and of what cards keep what it has itself.

use super::spread::{Own, Spread};
use crate::Result;
use crate::backend::Held;
use crate::backend::inputs::{Grouped, Inputs};
use crate::collections::rows::RowSet;
use crate::column::Dictionary;
use crate::gpu::groups::held::lost;
use crate::plan::key_layout::KeyLayout;
use crate::workers::context::Context;
use crate::workers::schedule::Workers;
use arrow::buffer::BooleanBuffer;
use multiloop_planner::multiloop::{CollectionId, ScalarId};
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A card's part of a loop's outermost rows.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) card: usize,
    /// The collection that they are rows of.
    pub(super) of: CollectionId,
    pub(super) rows: PartRows,
    /// How many rows the whole loop goes over, about.
    pub(super) in_all: u64,
}

/// Where the rows of a part are.
#[derive(Debug)]
pub(super) enum PartRows {
    /// Some chunks of a table: the number of the first one, and those rows that may give tuples, by their numbers in the part.
    Table { rows: RowSet, first: usize, ranges: Vec<Range<usize>> },
    /// On the card, so many.
    Kept(Own, usize),
}

impl Part {
    /// How many rows may give tuples.
    pub(super) fn rows(&self) -> usize {
        match &self.rows {
            PartRows::Table { ranges, .. } => ranges.iter().map(Range::len).sum(),
            PartRows::Kept(_, rows) => *rows,
        }
    }
}

/// What a card sees.
pub(super) struct View<'v> {
    inner: &'v dyn Inputs,
    pub(super) card: usize,
    part: Option<&'v Part>,
    /// Notes, each of code or not, which come one card after the other.
    notes: Mutex<Vec<(bool, String)>>,
}

impl<'v> View<'v> {
    /// All of it.
    pub(super) fn whole(inner: &'v dyn Inputs, card: usize) -> Self {
        View { inner, card, part: None, notes: Mutex::default() }
    }

    /// A part of it.
    pub(super) fn of(inner: &'v dyn Inputs, part: &'v Part) -> Self {
        View { inner, card: part.card, part: Some(part), notes: Mutex::default() }
    }

    fn put(&self, is_code: bool, what: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push((is_code, what));
    }

    /// Hands on what was noted; of several cards with its number, and code that has not been noted yet.
    pub(super) fn hand_on(self, several: bool, codes: &mut Vec<String>) {
        for (is_code, what) in self.notes.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if !is_code {
                let card = self.card;
                self.inner.note(if several { format!("card {card}: {what}") } else { what });
            } else if !codes.contains(&what) {
                self.inner.note_code(what.clone());
                codes.push(what);
            }
        }
    }

    /// The part, if a collection is that of which there is one.
    fn part_of(&self, id: CollectionId) -> Option<&PartRows> {
        self.part.filter(|part| part.of == id).map(|part| &part.rows)
    }
}

impl Inputs for View<'_> {
    fn held(&self, id: CollectionId) -> Result<Option<Arc<dyn Held>>> {
        if let Some(PartRows::Kept(own, _)) = self.part_of(id) {
            return Ok(Some(Arc::clone(own)));
        }
        let Some(held) = self.inner.held(id)? else { return Ok(None) };
        match Spread::of(&held) {
            Some(spread) => spread.on(self.card).map_err(lost),
            None => Ok(Some(held)),
        }
    }

    fn rows(&self, id: CollectionId) -> Result<RowSet> {
        match self.part_of(id) {
            Some(PartRows::Table { rows, .. }) => Ok(rows.clone()),
            _ => self.inner.rows(id),
        }
    }

    fn buckets(&self, id: CollectionId) -> Result<Grouped> {
        self.inner.buckets(id)
    }

    fn empty(&self, id: CollectionId) -> Result<Vec<Value>> {
        self.inner.empty(id)
    }

    fn layout(&self, generator: usize) -> Result<KeyLayout> {
        self.inner.layout(generator)
    }

    fn chunks(&self) -> Result<Vec<(usize, Range<usize>)>> {
        match self.part.map(|part| &part.rows) {
            Some(PartRows::Table { rows, first, .. }) => {
                let own = *first..first + rows.chunks.len();
                let all = self.inner.chunks()?.into_iter().filter(|(number, _)| own.contains(number));
                Ok(all.map(|(number, range)| (number - first, range)).collect())
            }
            Some(PartRows::Kept(_, rows)) => Ok(vec![(0, 0..*rows)]),
            None => self.inner.chunks(),
        }
    }

    fn ranges(&self) -> Result<Vec<Range<usize>>> {
        match self.part.map(|part| &part.rows) {
            Some(PartRows::Table { ranges, .. }) => Ok(ranges.clone()),
            Some(PartRows::Kept(_, rows)) => Ok(Some(0..*rows).into_iter().collect()),
            None => self.inner.ranges(),
        }
    }

    fn rows_in_all(&self) -> Option<u64> {
        self.part.map(|part| part.in_all)
    }

    fn ground(&self, scalar: ScalarId) -> Result<Value> {
        self.inner.ground(scalar)
    }

    fn over_dictionary(&self, condition: ScalarId, dictionary: &Arc<Dictionary>) -> Result<Option<BooleanBuffer>> {
        self.inner.over_dictionary(condition, dictionary)
    }

    fn parameters(&self) -> &[Value] {
        self.inner.parameters()
    }

    fn takes_notes(&self) -> bool {
        self.inner.takes_notes()
    }

    fn note(&self, what: String) {
        self.put(false, what);
    }

    fn note_code(&self, code: String) {
        self.put(true, code);
    }

    fn context(&self) -> &Context {
        self.inner.context()
    }

    fn workers(&self) -> Workers<'_> {
        self.inner.workers()
    }
}
