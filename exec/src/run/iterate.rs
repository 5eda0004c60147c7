//! Iterations: rounds of a block, each over the rows that the one before it gave.
//!
//! A round of an iteration of the body runs on its workers, one of a nested block's on the thread that asks. What does not read the
//! rows of the round before is computed once for all of them.

use super::On;
use crate::Result;
use crate::collections::made::Made;
use crate::collections::rows::RowSet;
use crate::column::Chunk;
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::sort;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::interpret::iterate::{Rounds as Bound, Seen};
use crate::workers::context::Reservation;
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use multiloop_planner::multiloop::{BlockId, CollectionId, Enough, RowBound};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Rounds whose rows are put together into chunks of their own.
const GATHERED_ROUNDS: usize = 1 << 10;

/// Bytes of a chunk, and of each of its columns, beside the values: rounds may be many, and of one row each.
const CHUNK_BYTES: usize = 256;

/// What a round runs.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// What it reads.
    pub(super) working: CollectionId,
    /// What it does.
    pub(super) step: BlockId,
    /// When there are rows enough.
    pub(super) enough: Option<Enough>,
    /// Whether only the rows of the last one are wanted, and how many there may be.
    pub(super) last: Option<RowBound>,
}

/// The rows of the rounds so far.
struct Rounds<'a> {
    types: &'a [DataType],
    workers: Workers<'a>,
    /// Whole ones, then those of single rounds, as many as have been counted.
    parts: Vec<RowSet>,
    single: usize,
    /// What the chunks of single rounds count for.
    chunks: Reservation,
}

impl Rounds<'_> {
    fn add(&mut self, rows: RowSet) -> Result<()> {
        self.chunks.add(rows.chunks.len() * CHUNK_BYTES * (1 + self.types.len()))?;
        self.parts.push(rows);
        self.single += 1;
        if self.single == GATHERED_ROUNDS {
            self.gather()?;
        }
        Ok(())
    }

    fn gather(&mut self) -> Result<()> {
        let single = self.parts.split_off(self.parts.len() - self.single);
        let together = sort::concat(&single.iter().collect::<Vec<_>>(), self.types.len());
        self.parts.push(sort::gathered(&together, self.types, self.workers)?);
        self.single = 0;
        self.chunks.resize(0)
    }

    fn finish(mut self) -> Result<RowSet> {
        if self.single > 1 {
            self.gather()?;
        }
        Ok(sort::concat(&self.parts.iter().collect::<Vec<_>>(), self.types.len()))
    }
}

impl Frame<'_> {
    /// The rows of all rounds, or of the last one; `types` are those of their fields.
    pub(super) fn iterate(
        &self,
        seed: CollectionId,
        round: Round,
        distinct: bool,
        types: &[DataType],
        pool: Option<&Pool>,
    ) -> Result<RowSet> {
        let context = self.shared.context;
        let workers = Workers { pool, context };
        let mut seen = distinct.then(Seen::default);
        let mut memory = Reservation::new(&context.memory);
        let chunks = Reservation::new(&context.memory);
        let mut rounds = Rounds { types, workers, parts: Vec::new(), single: 0, chunks };
        let mut rows = sort::concat(&[self.get(seed)?.rows()?], types.len());
        let mut needed = round.enough.and_then(|enough| enough.rows(self.shared.parameters));
        let field = round.enough.and_then(|enough| enough.field);
        let mut bound = Bound::of(round.last, self.shared.parameters);
        loop {
            self.check()?;
            if let Some(seen) = &mut seen {
                let new = seen.new_rows(values(&rows, types), &mut memory)?;
                rows = built(&new, types, workers)?;
            }
            if rows.rows == 0 {
                return if round.last.is_some() { Ok(rows) } else { rounds.finish() };
            }
            if round.last.is_none() {
                rounds.add(rows.clone())?;
            }
            if let Some(needed) = &mut needed {
                *needed = needed.saturating_sub(counted(&rows, field));
                if *needed == 0 {
                    return if round.last.is_some() { Ok(rows) } else { rounds.finish() };
                }
            }
            if !bound.another()? {
                return Ok(rows);
            }
            let own = FxHashMap::from_iter([(round.working, Ok(Made::Host(Arc::new(Stored::Rows(rows)))))]);
            let mut frame = Frame { shared: self.shared, parent: Some(self), captured: self.captured, own };
            frame.lets(round.step, usize::MAX, pool.map_or(On::Here, On::Workers))?;
            let made = frame.get(self.shared.plan.block(round.step).result)?;
            rows = sort::concat(&[made.rows()?], types.len());
        }
    }
}

/// How many rows count: those whose field is TRUE, or all.
fn counted(rows: &RowSet, field: Option<u32>) -> u64 {
    let Some(field) = field else { return rows.rows as u64 };
    let of_chunk = |chunk: &Chunk| {
        let column = &chunk.columns[field as usize];
        (0..chunk.rows).filter(|&row| column.value(row, DataType::Boolean).is_true()).count() as u64
    };
    rows.chunks.iter().map(|chunk| of_chunk(chunk)).sum()
}

/// Rows as values.
fn values<'a>(rows: &'a RowSet, types: &'a [DataType]) -> impl Iterator<Item = Vec<Value>> + 'a {
    let row = move |chunk: &Chunk, row: usize| {
        let columns = chunk.columns.iter().zip(types);
        columns.map(|(column, data_type)| column.value(row, *data_type)).collect()
    };
    rows.chunks.iter().flat_map(move |chunk| (0..chunk.rows).map(move |number| row(chunk, number)))
}

/// Values as rows.
fn built(rows: &[Vec<Value>], types: &[DataType], workers: Workers<'_>) -> Result<RowSet> {
    let column = |(at, data_type): (usize, &DataType)| {
        let values: Vec<Value> = rows.iter().map(|row| row[at].clone()).collect();
        ColumnBuilder::from_values(&values, *data_type)
    };
    let columns = types.iter().enumerate().map(column).collect();
    RowSet::built(columns, types, rows.len(), &workers.context.memory)
}
