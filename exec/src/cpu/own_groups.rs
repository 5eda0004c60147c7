//! Own groups (`analysis/own_groups` in the planner says which they are): groups of a clustered table's rows, made of the rows
//! beside those that ask, tile by tile.
//!
//! ```text
//! rows that ask        .  .  .  5  .  .  .  .  .  11 12 .          those of a tile that are left
//! their runs           .  .  .  [4 5 6]  .  .  [10  11] [12 13     found by looking at the rows' neighbours
//! rows of the runs     4 5 6 10 11 12 13 | 0 1                     the last goes on in the next chunk
//! ```
//!
//! 1. Around each row that asks is a run of rows with its key: the group. A run that reaches the end of a chunk may go on in
//!    the next one, but no further, or the table has no own groups (`of`) and all its groups are made once, as of others.
//! 2. All rows of the runs become the tuples of a tile of the groups' own loop, chunk by chunk, and are folded into
//!    accumulators, a group a run.
//! 3. Each row that asks gets what its run has.
//!
//! What few rows ask is made of few rows then, which mostly are in the caches: the tile that asks has just been scanned.

use super::aggregate::{Accumulator, TileGroups};
use super::bucket::runs::Runs;
use super::kernels::ahead::Ahead;
use super::kernels::integer::coerce;
use super::plan::{AggregatePlan, GeneratorKind, GeneratorPlan, LoopPlan, ReducePlan};
use super::reduce::{Fold, Folding};
use super::stored::RowSet;
use super::tile::{Bindings, Collections, Rows, Source, Tile};
use super::vector::Vector;
use crate::column::{CHUNK_ROWS, Chunk, Column, ColumnData};
use crate::{Error, Result};
use multiloop_planner::multiloop::CollectionId;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

/// Fields of own groups in front of their aggregates.
const KEYS: usize = 1;

/// A clustered table, whose groups are made where they are asked for.
#[derive(Clone, Debug)]
pub(super) struct OwnGroups {
    rows: RowSet,
    /// The field that is the key.
    field: u32,
}

impl OwnGroups {
    /// Of these rows by one of their fields; none if a run goes over more than two chunks.
    pub(super) fn of(rows: &RowSet, field: u32) -> Option<Self> {
        let position = rows.position(field) as usize;
        let goes_on = |chunk: &Arc<Chunk>| {
            let key = &chunk.columns[position];
            !key.data.is_integer() || key.nulls.is_some() || key.integer(0) == key.integer(chunk.rows - 1)
        };
        let fits = |chunk: &Arc<Chunk>| chunk.rows > 0 && chunk.rows <= CHUNK_ROWS && !goes_on(chunk);
        rows.chunks.iter().all(fits).then(|| OwnGroups { rows: rows.clone(), field })
    }

    fn key(&self, chunk: usize) -> &Column {
        &self.rows.chunks[chunk].columns[self.rows.position(self.field) as usize]
    }

    fn source(&self, chunk: usize) -> Source {
        Source::Chunk { chunk: Arc::clone(&self.rows.chunks[chunk]), fields: self.rows.fields.clone() }
    }
}

/// How own groups are made: the loop that would make all of them, and the table.
#[derive(Clone)]
pub struct Maker<'a> {
    pub(super) plan: &'a LoopPlan<'a>,
    pub(super) generator: &'a GeneratorPlan<'a>,
    pub(super) groups: OwnGroups,
    pub(super) bindings: Bindings<'a>,
}

/// What a tile keeps to make own groups: the tile of their own loop, and memory.
pub(super) struct Neighbours<'a> {
    maker: Maker<'a>,
    tile: Tile<'a>,
    /// The chunk of the rows that asked last.
    chunk: usize,
    /// The runs of the chunk's rows that have been asked for, in order, and for each tuple that asks its run.
    runs: Vec<Range<u32>>,
    run_of: Vec<u32>,
    rows: Vec<u32>,
    lengths: Vec<u32>,
    of_tile: Runs,
    groups: Vec<u32>,
    origins: Vec<u32>,
    folding: Folding,
}

impl<'a> Neighbours<'a> {
    fn new(maker: Maker<'a>, collections: &'a dyn Collections) -> Self {
        let tile = Tile::new(&maker.plan.expressions, collections, maker.bindings);
        Neighbours {
            maker,
            tile,
            chunk: 0,
            runs: Vec::new(),
            run_of: Vec::new(),
            rows: Vec::new(),
            lengths: Vec::new(),
            of_tile: Runs::default(),
            groups: Vec::new(),
            origins: Vec::new(),
            folding: Folding::default(),
        }
    }

    fn reduction(&self) -> Result<&'a ReducePlan<'a>> {
        match &self.maker.generator.kind {
            GeneratorKind::Reduce(reduce) => Ok(reduce),
            _ => Err(Error::internal("own groups are reduced")),
        }
    }

    /// Finds the chunk that the rows which ask lie in.
    fn find_chunk(&mut self, asking: &Arc<Chunk>) -> Result<()> {
        let chunks = &self.maker.groups.rows.chunks;
        let from_last = (self.chunk..chunks.len()).chain(0..self.chunk);
        let found = from_last.into_iter().find(|&at| Arc::ptr_eq(&chunks[at], asking));
        self.chunk = found.ok_or_else(|| Error::internal("rows of another table ask for their groups"))?;
        Ok(())
    }

    /// Finds the runs around the rows that ask.
    fn find_runs(&mut self, asking: &Rows, len: usize) {
        self.rows.clear();
        match asking {
            Rows::Range(start) => self.rows.extend(*start..*start + len as u32),
            Rows::List(list) => self.rows.extend_from_slice(list),
        }
        let unordered = (!self.rows.is_sorted()).then(|| self.rows.clone());
        if unordered.is_some() {
            self.rows.sort_unstable();
        }
        self.runs.clear();
        self.run_of.clear();
        let (rows, runs, run_of) = (&self.rows, &mut self.runs, &mut self.run_of);
        match &self.maker.groups.key(self.chunk).data {
            ColumnData::Frame8 { offsets, .. } | ColumnData::Stepped8 { offsets, .. } => {
                runs_around(offsets, rows, runs, run_of);
            }
            ColumnData::Frame16 { offsets, .. } | ColumnData::Stepped16 { offsets, .. } => {
                runs_around(offsets, rows, runs, run_of);
            }
            ColumnData::Frame32 { offsets, .. } | ColumnData::Stepped32 { offsets, .. } => {
                runs_around(offsets, rows, runs, run_of);
            }
            ColumnData::Int16(values) => runs_around(values, rows, runs, run_of),
            ColumnData::Int32(values) => runs_around(values, rows, runs, run_of),
            ColumnData::Int64(values) => runs_around(values, rows, runs, run_of),
            ColumnData::Int128(values) => runs_around(values, rows, runs, run_of),
            _ => unreachable!("`OwnGroups::of` has seen integers"),
        }
        if let Some(unordered) = unordered {
            let run_of = |row: &u32| self.runs.partition_point(|run| run.end <= *row) as u32;
            self.run_of = unordered.iter().map(run_of).collect();
        }
    }

    /// How many rows of the chunk before have the key of its first row.
    fn rows_before(&self) -> u32 {
        let Some(before) = self.chunk.checked_sub(1) else { return 0 };
        let (key, rows) = (self.maker.groups.key(before), self.maker.groups.rows.chunks[before].rows);
        let first = self.maker.groups.key(self.chunk).integer(0);
        (0..rows).rev().take_while(|&row| key.integer(row) == first).count() as u32
    }

    /// How many rows of the next chunk have the key of its last row.
    fn rows_behind(&self) -> u32 {
        let Some(behind) = self.maker.groups.rows.chunks.get(self.chunk + 1) else { return 0 };
        let last = self.maker.groups.rows.chunks[self.chunk].rows - 1;
        let (key, last) = (self.maker.groups.key(self.chunk + 1), self.maker.groups.key(self.chunk).integer(last));
        (0..behind.rows).take_while(|&row| key.integer(row) == last).count() as u32
    }

    /// Makes the groups of all runs: for each aggregate what every run has.
    fn reduce(&mut self) -> Result<Vec<Vector>> {
        let reduction = self.reduction()?;
        let aggregates = &reduction.aggregates;
        let made = aggregates.iter().map(|aggregate| aggregate.kind.accumulator());
        let mut accumulators = made.collect::<Result<Vec<Accumulator>>>()?;
        accumulators.iter_mut().for_each(|accumulator| accumulator.resize(self.runs.len()));
        let rows = self.maker.groups.rows.chunks[self.chunk].rows as u32;
        if self.runs.first().is_some_and(|run| run.start == 0) {
            let before = self.rows_before();
            if before > 0 {
                let end = self.maker.groups.rows.chunks[self.chunk - 1].rows as u32;
                self.fold(self.chunk - 1, 0, from_ref(&(end - before..end)), &mut accumulators)?;
            }
        }
        let runs = std::mem::take(&mut self.runs);
        self.fold(self.chunk, 0, &runs, &mut accumulators)?;
        self.runs = runs;
        if self.runs.last().is_some_and(|run| run.end == rows) {
            let behind = self.rows_behind();
            if behind > 0 {
                self.fold(self.chunk + 1, self.runs.len() as u32 - 1, from_ref(&(0..behind)), &mut accumulators)?;
            }
        }
        let vectors = accumulators
            .into_iter()
            .zip(aggregates)
            .map(|(accumulator, aggregate)| Ok(accumulator.finish(aggregate.kind.data_type)?.into_vector()));
        vectors.collect()
    }

    /// Folds in runs of a chunk, of groups from `first` on.
    fn fold(&mut self, chunk: usize, first: u32, runs: &[Range<u32>], accumulators: &mut [Accumulator]) -> Result<()> {
        let aggregates = &self.reduction()?.aggregates;
        self.rows.clear();
        runs.iter().for_each(|run| self.rows.extend(run.clone()));
        self.lengths.clear();
        self.lengths.extend(runs.iter().map(|run| run.end - run.start));
        self.tile.set_source(0, self.maker.groups.source(chunk));
        self.tile.start(0, self.maker.groups.rows.chunks[chunk].rows);
        self.tile.select(&self.rows);
        self.of_tile.set_lengths(first, &self.lengths);
        let mark = self.tile.depth();
        for level in &self.maker.plan.levels {
            self.tile.filter(&level.conditions)?;
        }
        self.tile.filter(&self.maker.generator.conditions)?;
        let dropped = self.tile.depth() > mark;
        let is_conditional = |aggregate: &AggregatePlan<'_>| !aggregate.condition.is_empty();
        if dropped || aggregates.iter().any(is_conditional) {
            self.of_tile.spread(&mut self.groups);
        }
        if dropped {
            self.tile.origins(mark, &mut self.origins);
            let groups = self.origins.iter().map(|&origin| self.groups[origin as usize]);
            self.groups = groups.collect();
        }
        let all = if dropped { TileGroups::Each(&self.groups, None) } else { TileGroups::Runs(&self.of_tile) };
        let room = (first as usize + runs.len()).max(self.runs.len());
        let fold = Fold { all, groups: Some(&self.groups), mask: None, room, skips_first: false };
        self.folding.fold_all(&mut self.tile, accumulators, aggregates, fold)
    }
}

/// The runs of equal values around some rows, which increase, and for each row its run.
fn runs_around<T: Copy + PartialEq>(values: &[T], rows: &[u32], runs: &mut Vec<Range<u32>>, run_of: &mut Vec<u32>) {
    let mut ahead = Ahead::of(values, rows);
    let mut end = 0;
    for &row in rows {
        ahead.iter_mut().for_each(|ahead| ahead.ask(1));
        if row >= end {
            let key = values[row as usize];
            let before = values[end as usize..row as usize].iter().rev().take_while(|&&value| value == key).count();
            let behind = values[row as usize..].iter().take_while(|&&value| value == key).count();
            end = row + behind as u32;
            runs.push(row - before as u32..end);
        }
        run_of.push(runs.len() as u32 - 1);
    }
}

impl Tile<'_> {
    /// Makes `out` a field of the own groups of the active tuples' rows, and all other fields of them that the loop asks for,
    /// too; false if these are no own groups.
    pub(super) fn ask_neighbours(&mut self, collection: CollectionId, number: u32, out: &mut Vector) -> Result<bool> {
        if !self.neighbours.contains_key(&collection) {
            let Some(maker) = self.collections.own_groups(collection)? else { return Ok(false) };
            let made = Neighbours::new(maker, self.collections);
            self.neighbours.insert(collection, Box::new(made));
        }
        let Some(mut neighbours) = self.neighbours.remove(&collection) else { return Ok(false) };
        let outcome = self.ask(&mut neighbours, (collection, number), out);
        self.neighbours.insert(collection, neighbours);
        outcome.map(|()| true)
    }

    fn ask(&mut self, neighbours: &mut Neighbours<'_>, asked: (CollectionId, u32), out: &mut Vector) -> Result<()> {
        let Some(Source::Chunk { chunk, .. }) = &self.sources[0] else {
            return Err(Error::internal("the rows of own groups are a table's"));
        };
        neighbours.find_chunk(chunk)?;
        let tuples = self.tuples();
        neighbours.find_runs(&tuples.rows[0], tuples.len);
        let fields = neighbours.reduce()?;
        let expressions = self.expressions;
        let level = &mut self.levels[self.depth - 1];
        for (node, field, register) in expressions.lookups(asked.0) {
            let vector = &fields[field as usize - KEYS];
            if node == asked.1 {
                out.gather(vector, &neighbours.run_of);
                coerce(out, register);
            } else if !std::mem::replace(&mut level.computed[node as usize], true) {
                level.touched.push(node);
                let other = &mut level.vectors[node as usize];
                other.gather(vector, &neighbours.run_of);
                coerce(other, register);
            }
        }
        Ok(())
    }
}
