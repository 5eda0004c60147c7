//! Iterations: rounds of a block, each over the rows that the one before it gave.

use super::Interpreter;
use super::collection::{Data, Form, Row, charge};
use crate::Result;
use crate::workers::context::Reservation;
use multiloop_planner::multiloop::{BlockId, CollectionId, Enough};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The rows that have been there, by their values' [`Value::group_key`].
#[derive(Debug, Default)]
pub(crate) struct Seen(FxHashSet<Row>);

impl Seen {
    /// Those of some rows that have not been there, each once: of equal ones each field in its least form, so that which came
    /// first does not show.
    pub(crate) fn new_rows(
        &mut self,
        rows: impl IntoIterator<Item = Row>,
        memory: &mut Reservation,
    ) -> Result<Vec<Row>> {
        let mut places: FxHashMap<Row, usize> = FxHashMap::default();
        let mut kept: Vec<Row> = Vec::new();
        for row in rows {
            let key: Row = row.iter().cloned().map(Value::group_key).collect();
            if let Some(&place) = places.get(&key) {
                for (kept, value) in kept[place].iter_mut().zip(row) {
                    if value.compare_forms(kept).is_lt() {
                        *kept = value;
                    }
                }
                continue;
            }
            if self.0.contains(&key) {
                continue;
            }
            charge(memory, &key)?;
            places.insert(key.clone(), kept.len());
            self.0.insert(key);
            kept.push(row.into_iter().map(Value::canonical).collect());
        }
        Ok(kept)
    }
}

impl Interpreter<'_> {
    /// The rows of all rounds.
    pub(super) fn iterate(
        &mut self,
        seed: CollectionId,
        working: CollectionId,
        step: BlockId,
        (distinct, enough): (bool, Option<Enough>),
    ) -> Result<Vec<Row>> {
        let mut needed = enough.and_then(|enough| enough.rows(self.parameters));
        let field = enough.and_then(|enough| enough.field);
        let mut seen = distinct.then(Seen::default);
        let mut memory = Reservation::new(&self.context.memory);
        let (mut rows, mut all) = (self.collection(seed)?.all_rows(), Vec::new());
        loop {
            self.context.check()?;
            if let Some(seen) = &mut seen {
                rows = seen.new_rows(rows, &mut memory)?;
            }
            if rows.is_empty() {
                self.collections[working.0 as usize] = None;
                return Ok(all);
            }
            rows.iter().try_for_each(|row| charge(&mut memory, row))?;
            all.extend_from_slice(&rows);
            if let Some(needed) = &mut needed {
                let counts = |row: &&Row| field.is_none_or(|field| row[field as usize].is_true());
                *needed = needed.saturating_sub(rows.iter().filter(counts).count() as u64);
                if *needed == 0 {
                    self.collections[working.0 as usize] = None;
                    return Ok(all);
                }
            }
            let round = Data::new(Form::Rows(rows), Reservation::new(&self.context.memory));
            self.collections[working.0 as usize] = Some(Rc::new(round));
            rows = self.block(step)?.all_rows();
        }
    }
}
