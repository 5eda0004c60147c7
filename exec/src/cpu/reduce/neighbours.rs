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
//!    accumulators, a group a run. Where many rows ask, so do those between the runs: columns are then read as they lie.
//! 3. Each row that asks gets what its run has.
//!
//! What few rows ask is made of few rows then, which mostly are in the caches: the tile that asks has just been scanned.

use crate::column::{Chunk, ColumnData};
use crate::cpu::aggregate::{Accumulator, TileGroups, finish_all};
use crate::cpu::collections::bindings::Bindings;
use crate::cpu::collections::clustered::OwnGroups;
use crate::cpu::expression::environment::{Collections, Neighbours};
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::runs::Runs;
use crate::cpu::reduce::{Fold, Folding};
use crate::cpu::simd::kernel::append;
use crate::cpu::simd::prefetch::Prefetcher;
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::Rows;
use crate::plan::tree::{AggregatePlan, GeneratorKind, GeneratorPlan, LoopPlan, ReducePlan};
use crate::{Error, Result};
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

/// When more than one row in so many asks, all rows between are looked at: what lies side by side is read and folded many
/// times faster than what does not.
const MANY: u32 = 12;

/// How own groups are made: the loop that would make all of them, and the table.
#[derive(Clone)]
pub(crate) struct Maker<'a> {
    pub(crate) plan: &'a LoopPlan,
    pub(crate) generator: &'a GeneratorPlan,
    pub(crate) groups: OwnGroups,
    pub(crate) bindings: Bindings<'a>,
}

/// What a tile keeps to make own groups: the tile of their own loop, and memory.
pub(crate) struct OwnLoop<'a> {
    maker: Maker<'a>,
    tile: Tile<'a>,
    /// The chunk of the rows that asked last.
    chunk: usize,
    /// The runs of the chunk's rows that have been asked for, in order; or, if many are, all rows from the first of them to
    /// the last, whose runs are those of the tile.
    runs: Vec<Range<u32>>,
    span: Option<Range<u32>>,
    /// For each tuple that asks its run.
    run_of: Vec<u32>,
    rows: Vec<u32>,
    lengths: Vec<u32>,
    of_tile: Runs,
    groups: Vec<u32>,
    origins: Vec<u32>,
    folding: Folding,
}

impl<'a> OwnLoop<'a> {
    /// For a tile that asks.
    pub(crate) fn new(maker: Maker<'a>, collections: &'a dyn Collections) -> Self {
        let tile = Tile::new(&maker.plan.expressions, collections, maker.bindings);
        OwnLoop {
            maker,
            tile,
            chunk: 0,
            runs: Vec::new(),
            span: None,
            run_of: Vec::new(),
            rows: Vec::new(),
            lengths: Vec::new(),
            of_tile: Runs::default(),
            groups: Vec::new(),
            origins: Vec::new(),
            folding: Folding::default(),
        }
    }

    fn reduction(&self) -> Result<&'a ReducePlan> {
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
        let key = self.maker.groups.key(self.chunk).clone();
        match &key.data {
            ColumnData::Frame8 { offsets, .. } | ColumnData::Stepped8 { offsets, .. } => self.find_in(offsets),
            ColumnData::Frame16 { offsets, .. } | ColumnData::Stepped16 { offsets, .. } => self.find_in(offsets),
            ColumnData::Frame32 { offsets, .. } | ColumnData::Stepped32 { offsets, .. } => self.find_in(offsets),
            ColumnData::Int16(values) => self.find_in(values),
            ColumnData::Int32(values) => self.find_in(values),
            ColumnData::Int64(values) => self.find_in(values),
            ColumnData::Int128(values) => self.find_in(values),
            _ => unreachable!("`OwnGroups::of` has seen integers"),
        }
    }

    /// Finds the runs of a chunk's keys around the rows that ask.
    fn find_in<T: Copy + PartialEq>(&mut self, keys: &[T]) {
        self.runs.clear();
        self.run_of.clear();
        let bounds = self.rows.iter().fold((u32::MAX, 0), |(low, high), &row| (low.min(row), high.max(row)));
        let few = (bounds.1 - bounds.0) / MANY > self.rows.len() as u32;
        self.span = (!few).then(|| run_around(keys, bounds.0).start..run_around(keys, bounds.1).end);
        if let Some(span) = &self.span {
            self.of_tile.find_alike(&keys[span.start as usize..span.end as usize]);
            let run_of = Ranks::of(self.of_tile.lasts().words());
            append(&mut self.run_of, &self.rows, |row| run_of.rank(row - span.start));
            return;
        }
        let unordered = (!self.rows.is_sorted()).then(|| self.rows.clone());
        if unordered.is_some() {
            self.rows.sort_unstable();
        }
        runs_around(keys, &self.rows, &mut self.runs, &mut self.run_of);
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
        let aggregates = &self.reduction()?.aggregates;
        let (bounds, groups) = match &self.span {
            Some(span) => (span.clone(), self.of_tile.ends().len()),
            None => (
                self.runs.first().map_or(0, |run| run.start)..self.runs.last().map_or(0, |run| run.end),
                self.runs.len(),
            ),
        };
        let made = aggregates.iter().map(|aggregate| aggregate.kind.accumulator());
        let mut accumulators = made.collect::<Result<Vec<Accumulator>>>()?;
        if let Some(span) = self.span.clone() {
            self.tile.set_source(0, self.maker.groups.source(self.chunk));
            self.tile.start(span.start, span.len());
            self.fold(groups, &mut accumulators)?;
        } else {
            let runs = std::mem::take(&mut self.runs);
            self.select(self.chunk, 0, &runs);
            self.runs = runs;
            self.fold(groups, &mut accumulators)?;
        }
        let before = if bounds.start == 0 { self.rows_before() } else { 0 };
        if before > 0 {
            let end = self.maker.groups.rows.chunks[self.chunk - 1].rows as u32;
            self.select(self.chunk - 1, 0, from_ref(&(end - before..end)));
            self.fold(groups, &mut accumulators)?;
        }
        let is_last = bounds.end as usize == self.maker.groups.rows.chunks[self.chunk].rows;
        let behind = if is_last { self.rows_behind() } else { 0 };
        if behind > 0 {
            self.select(self.chunk + 1, groups as u32 - 1, from_ref(&(0..behind)));
            self.fold(groups, &mut accumulators)?;
        }
        Ok(finish_all(accumulators, aggregates, None)?.into_iter().map(ColumnBuilder::into_vector).collect())
    }

    /// Makes runs of a chunk the tuples of the tile, of groups from `first` on.
    fn select(&mut self, chunk: usize, first: u32, runs: &[Range<u32>]) {
        rows_of(runs, &mut self.rows);
        self.lengths.clear();
        self.lengths.extend(runs.iter().map(|run| run.end - run.start));
        self.tile.set_source(0, self.maker.groups.source(chunk));
        self.tile.start(0, self.maker.groups.rows.chunks[chunk].rows);
        self.tile.select(&self.rows);
        self.of_tile.set_lengths(first, &self.lengths);
    }

    /// Folds in the tuples of the tile, which lie in runs; there are so many groups.
    fn fold(&mut self, groups: usize, accumulators: &mut [Accumulator]) -> Result<()> {
        let aggregates = &self.reduction()?.aggregates;
        let mark = self.tile.depth();
        for level in &self.maker.plan.levels {
            self.tile.filter(&level.conditions)?;
        }
        self.tile.filter(&self.maker.generator.conditions)?;
        let dropped = self.tile.depth() > mark;
        let is_conditional = |aggregate: &AggregatePlan| !aggregate.condition.is_empty();
        if dropped || aggregates.iter().any(is_conditional) {
            self.of_tile.spread(&mut self.groups);
        }
        if dropped {
            self.tile.origins(mark, &mut self.origins);
            let groups = self.origins.iter().map(|&origin| self.groups[origin as usize]);
            self.groups = groups.collect();
        }
        let all = if dropped { TileGroups::Each(&self.groups, None) } else { TileGroups::Runs(&self.of_tile) };
        let fold = Fold { all, groups: Some(&self.groups), mask: None, room: groups };
        self.folding.fold_all(&mut self.tile, accumulators, aggregates, fold)
    }
}

impl Neighbours for OwnLoop<'_> {
    fn make(&mut self, asking: &Arc<Chunk>, rows: &Rows, len: usize) -> Result<(Vec<Vector>, &[u32])> {
        self.find_chunk(asking)?;
        self.find_runs(rows, len);
        Ok((self.reduce()?, &self.run_of))
    }
}

/// How many positions before one have a bit.
struct Ranks<'a> {
    words: &'a [u64],
    before: Vec<u32>,
}

impl<'a> Ranks<'a> {
    fn of(words: &'a [u64]) -> Self {
        let count = |total: &mut u32, word: &u64| {
            let before = *total;
            *total += word.count_ones();
            Some(before)
        };
        let before = words.iter().scan(0, count).collect();
        Ranks { words, before }
    }

    #[inline(always)]
    fn rank(&self, position: u32) -> u32 {
        let (word, bit) = (position as usize / 64, position % 64);
        self.before[word] + (self.words[word] & !(u64::MAX << bit)).count_ones()
    }
}

/// All rows of some runs.
fn rows_of(runs: &[Range<u32>], rows: &mut Vec<u32>) {
    const LANES: usize = 8;
    let count: usize = runs.iter().map(|run| run.len()).sum();
    rows.clear();
    rows.resize(count + LANES, 0);
    let mut at = 0;
    for run in runs {
        // Most runs are short: what is written behind the end the next run overwrites.
        for first in run.clone().step_by(LANES) {
            let place = at + (first - run.start) as usize;
            rows[place..place + LANES].iter_mut().zip(first..).for_each(|(to, row)| *to = row);
        }
        at += run.len();
    }
    rows.truncate(count);
}

/// The rows with the value of one, around it.
fn run_around<T: PartialEq>(values: &[T], row: u32) -> Range<u32> {
    let key = &values[row as usize];
    let before = values[..row as usize].iter().rev().take_while(|value| *value == key).count();
    let behind = values[row as usize..].iter().take_while(|value| *value == key).count();
    row - before as u32..row + behind as u32
}

/// The runs of equal values around some rows, which increase, and for each row its run.
fn runs_around<T: Copy + PartialEq>(values: &[T], rows: &[u32], runs: &mut Vec<Range<u32>>, run_of: &mut Vec<u32>) {
    let mut prefetcher = Prefetcher::of(values, rows);
    let mut end = 0;
    for &row in rows {
        prefetcher.iter_mut().for_each(|prefetcher| prefetcher.prefetch(1));
        if row >= end {
            let run = run_around(values, row);
            end = run.end;
            runs.push(run);
        }
        run_of.push(runs.len() as u32 - 1);
    }
}
