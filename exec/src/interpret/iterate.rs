//! Iterations: rounds of a block, each over the rows that the one before it gave.

use super::Interpreter;
use super::collection::{Data, Form, Row, charge};
use crate::workers::context::Reservation;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::multiloop::{BlockId, CollectionId, Enough, ROUNDS_MAX, RowBound};
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

/// How many rounds there may be behind the seed: without a bound as many as it takes.
#[derive(Debug)]
pub(crate) enum Rounds {
    Any,
    /// So many, and then no more.
    Most(u64),
    /// So many, and then they fail.
    Few(u64),
}

impl Rounds {
    /// Those of an iteration of which only the last round is wanted.
    pub(crate) fn of(last: Option<RowBound>, parameters: &[Value]) -> Self {
        match last.map(|last| last.rows(parameters)) {
            None => Rounds::Any,
            Some(Some(most)) => Rounds::Most(most),
            Some(None) => Rounds::Few(ROUNDS_MAX),
        }
    }

    /// Whether there is another one; 54000 if it had to have ended.
    pub(crate) fn another(&mut self) -> Result<bool> {
        match self {
            Rounds::Any => Ok(true),
            Rounds::Most(0) => Ok(false),
            Rounds::Few(0) => {
                let message = format!("the iteration has not ended after {ROUNDS_MAX} rounds");
                let hint = "Say how many there may be with \"times\": the last one's rows are the result then.";
                Err(Error::new(ErrorKind::LimitExceeded, message).with_hint(hint))
            }
            Rounds::Most(left) | Rounds::Few(left) => {
                *left -= 1;
                Ok(true)
            }
        }
    }
}

impl Interpreter<'_> {
    /// The rows of all rounds, or of the last one.
    pub(super) fn iterate(
        &mut self,
        seed: CollectionId,
        working: CollectionId,
        step: BlockId,
        (distinct, enough, last): (bool, Option<Enough>, Option<RowBound>),
    ) -> Result<Vec<Row>> {
        let mut rounds = Rounds::of(last, self.parameters);
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
                return Ok(if last.is_some() { rows } else { all });
            }
            if last.is_some() {
                (all, memory) = (Vec::new(), Reservation::new(&self.context.memory));
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
            if !rounds.another()? {
                self.collections[working.0 as usize] = None;
                return Ok(all);
            }
            let round = Data::new(Form::Rows(rows), Reservation::new(&self.context.memory));
            self.collections[working.0 as usize] = Some(Rc::new(round));
            rows = self.block(step)?.all_rows();
        }
    }
}
