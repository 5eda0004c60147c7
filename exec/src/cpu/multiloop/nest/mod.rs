//! Traverses the nest of a loop tile by tile.
//!
//! The outermost index stands on a range of rows of one chunk (a morsel, taken apart into tiles). Each further index
//! turns the tuples of a tile into pairs (tuple, row), in tiles of bounded size again: a `Bucket` probes its index
//! for all tuples at once and then lists the rows that were found. Conditions are checked as soon as their inputs are
//! there. Behind the last index every generator is offered the tile.
//!
//! An index whose unmatched rows are wanted marks the rows that it finds. When all pieces are done, the others are pieces of work of a plan
//! of their own, which begins with that index.
//!
//! Where some rows are enough (a top-k without an order that has its rows, Any that has met a TRUE) a nest comes back
//! from all indices at once. Pieces of such loops are begun in waves, each of which goes on until it has enough on its
//! own: so rows are the same for any number of threads.

mod elements;
mod pairs;
mod sliced;

use super::sink::Sink;
use super::slices::Orders;
use super::waiting::{Apart, Trial, Waiting};
use crate::cpu::collections::stored::Stored;
use crate::cpu::expression::filter::{Filtered, MaskIf};
use crate::cpu::expression::tile::Tile;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::nest::elements::Elements;
use crate::cpu::multiloop::nest::pairs::Pairs;
use crate::cpu::vector::VectorData;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::{LazyRows, NO_GROUP, NO_ROW, Source as TileSource, TILE_ROWS};
use crate::plan::tree::LoopPlan;
use crate::workers::context::{Memory, Reservation};
use crate::{Error, Result};
use multiloop_planner::multiloop::{KeyPart, ScalarId, Source};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// One worker's view of a loop.
pub(crate) struct Nest<'a> {
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
    pub(crate) tile: Tile<'a>,
    /// What each index goes over; none for a Count.
    stored: Vec<Option<Arc<Stored>>>,
    /// The rows that the index whose unmatched rows are wanted has found.
    marks: Option<Arc<Marks>>,
    /// Pairs of memory for parents and rows, reused.
    spare: Vec<(Vec<u32>, Vec<u32>)>,
    /// Memory for conditions.
    mask: Bitmap,
    /// Which conditions are checked behind the next index.
    waiting: Waiting,
    /// Whether some rows may be enough for all that is asked.
    stops: bool,
    /// Whether no more rows are wanted of this piece: whatever goes over some comes back.
    enough: bool,
    /// The rows of each index in order, if it is searched; none if no index is.
    orders: Orders,
    /// What an index that is being searched leaves to be checked.
    left: Vec<Option<&'a [ScalarId]>>,
    /// What the last index is, if it goes over the elements of arrays.
    elements: Option<Elements>,
    /// Whether expressions may make strings much longer than those they are given.
    grows: bool,
    /// Tuples of the next tile.
    tile_rows: usize,
    /// Tuples of the first one, where some rows may be enough.
    first_rows: usize,
}

/// Tuples of the first tile where some rows may be enough; each further one has four times as many.
const FIRST_ROWS: usize = 256;

/// The same where each tuple may cost a loop.
const FIRST_COSTLY_ROWS: usize = 8;

/// Rows of a bucket that are looked at first where one that is found is enough; each further round has four times as many.
const FIRST_ROUND: u32 = 8;

/// Bytes of strings that a tile makes from which on the next one has fewer tuples.
const TILE_BYTES: usize = 1 << 20;

/// What a worker does at once: some rows of the outermost index, or everything.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Rows of a chunk.
    Rows { chunk: usize, rows: Range<usize> },
    /// Positions of a Count.
    Count(Range<i64>),
    /// Those of these rows of buckets that nothing has found.
    Unmatched(Range<usize>),
    /// All of a loop whose outermost index is a bucket.
    All,
}

/// Positions of an inner Count that progress tells of, at least.
const COUNT_WORTH_TELLING: u64 = 1 << 20;

/// Which rows of buckets have been found, by any worker.
#[derive(Debug)]
pub(crate) struct Marks {
    rows: Vec<AtomicBool>,
    _reservation: Reservation,
}

impl Marks {
    /// None of so many rows.
    pub(crate) fn new(rows: usize, memory: &Arc<Memory>) -> Result<Self> {
        let mut reservation = Reservation::new(memory);
        reservation.add(rows)?;
        Ok(Marks { rows: (0..rows).map(|_| AtomicBool::new(false)).collect(), _reservation: reservation })
    }

    fn mark(&self, row: u32) {
        let mark = &self.rows[row as usize];
        // A worker that only looks does not take the cache line from others.
        if !mark.load(Ordering::Relaxed) {
            mark.store(true, Ordering::Relaxed);
        }
    }

    /// The positions of rows that have not been found among those of a range.
    fn unmatched(&self, rows: Range<usize>, positions: &mut Vec<u32>) {
        let each = self.rows[rows].iter().zip(0..);
        positions.extend(each.filter(|(mark, _)| !mark.load(Ordering::Relaxed)).map(|(_, at)| at));
    }
}

impl<'a> Nest<'a> {
    /// A view without tuples.
    pub(crate) fn new(frame: &'a Frame<'a>, plan: &'a LoopPlan, marks: Option<Arc<Marks>>) -> Result<Self> {
        let mut tile = Tile::new(&plan.expressions, frame, frame.bindings());
        let mut stored = Vec::new();
        for (number, level) in plan.levels.iter().enumerate() {
            let collection = level.source.collection().map(|id| frame.get(id)).transpose()?;
            if let (Some(_), Some(collection)) = (level.source.probe(), &collection) {
                tile.set_source(number, collection.buckets()?.members.source.clone());
            }
            stored.push(collection);
        }
        Ok(Nest {
            frame,
            plan,
            tile,
            stored,
            marks,
            spare: Vec::new(),
            mask: Bitmap::default(),
            waiting: Waiting::of(plan),
            stops: false,
            enough: false,
            orders: Orders::new(),
            left: vec![None; plan.levels.len()],
            elements: Elements::of(plan),
            grows: plan.expressions.make_long_text(),
            tile_rows: TILE_ROWS,
            first_rows: if plan.expressions.ask_blocks() { FIRST_COSTLY_ROWS } else { FIRST_ROWS },
        })
    }

    /// The same, and whether some rows may be enough.
    pub(crate) fn stopping(self, stops: bool) -> Self {
        Nest { stops, ..self }
    }

    /// The same, where rows of some indices are in order.
    pub(crate) fn searching(self, orders: &Orders) -> Self {
        Nest { orders: orders.clone(), ..self }
    }

    /// Runs a piece of the loop.
    pub(crate) fn run(&mut self, piece: &Piece, sinks: &mut [Sink<'_>]) -> Result<()> {
        self.enough = self.stops && sinks.iter().all(Sink::is_full);
        self.tile_rows = match (self.grows, self.stops) {
            (true, _) => 1,
            (_, true) => self.first_rows,
            _ => TILE_ROWS,
        };
        match piece {
            Piece::Rows { chunk, rows } => {
                let rows = self.set_rows(*chunk, rows.clone())?;
                let (mut start, end) = (rows.start, if self.plan.levels[0].one { rows.start + 1 } else { rows.end });
                while start < end && !self.enough {
                    let len = (end - start).min(self.tile_rows);
                    self.frame.check()?;
                    self.tile.start(start as u32, len);
                    self.reached(0, sinks)?;
                    self.size_tile();
                    start += len;
                }
                Ok(())
            }
            Piece::Count(positions) => {
                let mut start = positions.start;
                while start < positions.end && !self.enough {
                    let len = (positions.end - start).min(self.tile_rows as i64);
                    self.frame.check()?;
                    self.tile.set_source(0, TileSource::Count { start });
                    self.tile.start(0, len as usize);
                    self.reached(0, sinks)?;
                    self.size_tile();
                    start += len;
                }
                Ok(())
            }
            Piece::Unmatched(rows) => self.unmatched(rows.clone(), sinks),
            Piece::All => self.expand(0, sinks),
        }
    }

    /// Chooses how many tuples the next tile has: as many as any, unless its strings may be long, or the first rows be enough.
    fn size_tile(&mut self) {
        if self.tile_rows < TILE_ROWS || self.grows {
            self.tile_rows = next_rows(self.tile_rows, self.tile.held.bytes > TILE_BYTES);
        }
    }

    /// The rows of a range that nothing has found.
    fn unmatched(&mut self, rows: Range<usize>, sinks: &mut [Sink<'_>]) -> Result<()> {
        let Some(marks) = self.marks.clone() else { return Err(Error::internal("unmatched rows of nothing")) };
        let mut positions = Vec::new();
        for start in rows.clone().step_by(TILE_ROWS) {
            if self.enough {
                break;
            }
            self.frame.check()?;
            let end = rows.end.min(start + TILE_ROWS);
            positions.clear();
            marks.unmatched(start..end, &mut positions);
            if !positions.is_empty() {
                self.tile.start(start as u32, end - start);
                self.tile.select(&positions);
                self.reached(0, sinks)?;
            }
        }
        Ok(())
    }

    /// Has the outermost index go over rows of a chunk; gives their numbers.
    fn set_rows(&mut self, chunk: usize, rows: Range<usize>) -> Result<Range<usize>> {
        let Some(Stored::Lazy(lazy)) = self.stored[0].as_deref() else {
            self.set_chunk(0, chunk)?;
            return Ok(rows);
        };
        let chunk = Arc::clone(&lazy.chunks[chunk]);
        let fields = lazy.fields.clone().unwrap_or_else(|| (0..chunk.ranges.len() as u32).collect());
        let len = rows.len();
        let collection = self.plan.levels[0].source.collection();
        let table = collection.and_then(|id| self.frame.shared.plan.collection(id).table.as_ref());
        let again = table.map_or_else(|| Arc::from([]), |table| Arc::from(table.again.as_slice()));
        let rows = LazyRows::new((chunk, rows), (fields, again), &self.frame.shared.context.memory);
        self.tile.set_source(0, TileSource::Lazy(Arc::new(rows)));
        Ok(0..len)
    }

    fn set_chunk(&mut self, level: usize, chunk: usize) -> Result<()> {
        let Some(stored) = &self.stored[level] else { return Err(Error::internal("rows of nothing")) };
        let rows = stored.rows()?;
        let source = TileSource::Chunk { chunk: Arc::clone(&rows.chunks[chunk]), fields: rows.fields.clone() };
        self.tile.set_source(level, source);
        Ok(())
    }

    /// The tile's tuples have just reached an index.
    fn reached(&mut self, level: usize, sinks: &mut [Sink<'_>]) -> Result<()> {
        let mark = self.tile.depth();
        let plan = self.plan;
        self.waiting.reached(level, self.tile.len());
        let own = self.left[level].unwrap_or(&plan.levels[level].conditions);
        let trial = if self.stops { None } else { self.waiting.trial(level, self.tile.len()) };
        if let Some(Trial::Apart(asked)) = &trial {
            return self.reached_apart(level, (own, asked), sinks);
        }
        let timed = trial.is_some().then(|| (self.tile.len(), Instant::now()));
        let conditions = self.waiting.conditions(level, own);
        if let ([sink], true) = (&mut *sinks, level + 1 == plan.levels.len()) {
            // The only generator's conditions stand at the last level.
            sink.update_where(&mut self.tile, &conditions)?;
            self.enough = self.stops && sink.is_full();
            self.tile.truncate(mark);
            return Ok(());
        }
        if !conditions.is_empty() && self.probe_masked(level, &conditions, sinks)? {
            // The next index has gone over those that pass.
        } else if !self.tile.is_empty() {
            if level + 1 < plan.levels.len() {
                self.expand(level + 1, sinks)?;
            } else {
                self.offer(sinks)?;
            }
        }
        self.tile.truncate(mark);
        if let Some(timed) = timed {
            self.waiting.took(level, timed);
        }
        Ok(())
    }

    /// The same of a tile whose costly conditions are checked early, and timed apart.
    fn reached_apart(
        &mut self,
        level: usize,
        (own, asked): (&[ScalarId], &[ScalarId]),
        sinks: &mut [Sink<'_>],
    ) -> Result<()> {
        let (mark, start) = (self.tile.depth(), Instant::now());
        // With what has waited for this index; in their order, as what is tested first leaves less to the others.
        let conditions = self.waiting.conditions(level, own);
        let (mut tested, mut testing) = (0, Duration::ZERO);
        let is_asked = |condition: &ScalarId| asked.contains(condition);
        for some in conditions.chunk_by(|a, b| is_asked(a) == is_asked(b)) {
            let (tuples, start) = (self.tile.len(), Instant::now());
            self.tile.filter(some)?;
            if is_asked(&some[0]) {
                tested = tested.max(tuples);
                testing += start.elapsed();
            }
        }
        let passed = self.tile.len();
        let next = self.stored[level + 1].as_deref().map(Stored::buckets).transpose()?;
        let finds_one = next.is_some_and(|next| matches!(next.index.spans, Spans::Unique));
        let apart = Apart { tested, passed, testing, finds_one };
        if !self.tile.is_empty() {
            self.expand(level + 1, sinks)?;
        }
        self.tile.truncate(mark);
        self.waiting.took_apart(level, start.elapsed(), &apart);
        Ok(())
    }

    /// Checks these conditions at a level. If many tuples pass, and the next index probes with keys that lie side by side in
    /// a column, has it probe with all of these, and leaves those out that do not pass: then true.
    fn probe_masked(&mut self, level: usize, conditions: &[ScalarId], sinks: &mut [Sink<'_>]) -> Result<bool> {
        let plan = self.plan;
        let next = plan.levels.get(level + 1).map(|next| &next.source);
        let Some(Source::Bucket { collection, key } | Source::BucketAndRest { collection, key, .. }) = next else {
            return self.tile.filter(conditions).map(|()| false);
        };
        if !self.tile.keys_lie_in_column(*collection, key)? {
            return self.tile.filter(conditions).map(|()| false);
        }
        let mut mask = std::mem::take(&mut self.mask);
        let outcome = match self.tile.filter_or_mask(conditions, MaskIf::ManyPass, &mut mask) {
            Ok(Filtered::Masked) => self.expand_bucket(level + 1, key, false, Some(&mask), sinks).map(|()| true),
            Ok(Filtered::Selected) => Ok(false),
            Err(error) => Err(error),
        };
        self.mask = mask;
        outcome
    }

    fn offer(&mut self, sinks: &mut [Sink<'_>]) -> Result<()> {
        for (generator, sink) in self.plan.generators.iter().zip(sinks.iter_mut()) {
            let mark = self.tile.depth();
            sink.update_where(&mut self.tile, &generator.conditions)?;
            self.tile.truncate(mark);
        }
        self.enough = self.stops && sinks.iter().all(Sink::is_full);
        Ok(())
    }

    /// Makes the next index go over its source for all tuples of the tile.
    fn expand(&mut self, level: usize, sinks: &mut [Sink<'_>]) -> Result<()> {
        self.frame.check()?;
        let plan = &self.plan.levels[level];
        match &plan.source {
            Source::Rows(_) => self.expand_rows(level, sinks),
            Source::Count(count) => self.expand_count(level, *count, sinks),
            Source::Bucket { key, .. } | Source::BucketAndRest { key, .. } => {
                self.expand_bucket(level, key, false, None, sinks)
            }
            Source::BucketOrNull { key, .. } => self.expand_bucket(level, key, true, None, sinks),
        }
    }

    /// Every tuple with every row.
    fn expand_rows(&mut self, level: usize, sinks: &mut [Sink<'_>]) -> Result<()> {
        if self.expand_slices(level, None, sinks)? {
            return Ok(());
        }
        let Some(stored) = self.stored[level].clone() else { return Err(Error::internal("rows of nothing")) };
        let (tuples, one) = (self.tile.len() as u32, self.plan.levels[level].one);
        for (number, chunk) in stored.rows()?.chunks.iter().enumerate() {
            if self.enough || (number > 0 && one) {
                break;
            }
            self.set_chunk(level, number)?;
            let mut pairs = Pairs::new(self);
            let rows = if one { 1 } else { chunk.rows as u32 };
            for tuple in 0..tuples {
                pairs.push_range(tuple, 0, rows, |nest, parents, rows| nest.pairs(level, parents, rows, sinks))?;
            }
            pairs.finish(|nest, parents, rows| nest.pairs(level, parents, rows, sinks))?;
        }
        Ok(())
    }

    /// Every tuple with 0, 1, … up to its count.
    fn expand_count(&mut self, level: usize, count: ScalarId, sinks: &mut [Sink<'_>]) -> Result<()> {
        if self.expand_elements(level, sinks)? {
            return Ok(());
        }
        self.tile.evaluate(count)?;
        let vector = self.tile.vector(count);
        let valid = |tuple: &usize| !vector.is_null(*tuple);
        let count_of = |tuple: usize| match &vector.data {
            VectorData::I32(counts) => counts[vector.position(tuple)].into(),
            VectorData::I64(counts) => counts[vector.position(tuple)],
            _ => vector.integer(tuple).and_then(|count| i64::try_from(count).ok()).unwrap_or(0),
        };
        let counts: Vec<(u32, i64)> =
            (0..self.tile.len()).filter(valid).map(|tuple| (tuple as u32, count_of(tuple))).collect();
        // Of few tuples with many positions these are the work that there is to do.
        let all = counts.iter().map(|&(_, count)| count.max(0) as u64).fold(0, u64::saturating_add);
        let progress = (all > COUNT_WORTH_TELLING).then(|| &*self.frame.shared.context.progress);
        if let Some(progress) = progress {
            progress.total.fetch_add(all, Ordering::Relaxed);
        }
        let tell = |rows: usize| {
            if let Some(progress) = progress {
                progress.done.fetch_add(rows as u64, Ordering::Relaxed);
            }
        };
        // Positions beyond 32 bits come in further rounds, each with a source of its own.
        let mut start = 0i64;
        while !self.enough && counts.iter().any(|&(_, count)| count > start) {
            self.tile.set_source(level, TileSource::Count { start });
            let mut pairs = Pairs::new(self);
            for &(tuple, count) in &counts {
                let rows = count.saturating_sub(start).clamp(0, 1 << 30) as u32;
                pairs.push_range(tuple, 0, rows, |nest, parents, rows| {
                    tell(rows.len());
                    nest.pairs(level, parents, rows, sinks)
                })?;
            }
            pairs.finish(|nest, parents, rows| nest.pairs(level, parents, rows, sinks))?;
            let Some(next) = start.checked_add(1 << 30) else { break };
            start = next;
        }
        Ok(())
    }

    /// Every tuple (that a mask has) with the rows of its bucket that are found; with `or_null` one without any with none.
    fn expand_bucket(
        &mut self,
        level: usize,
        key: &[KeyPart],
        or_null: bool,
        mask: Option<&Bitmap>,
        sinks: &mut [Sink<'_>],
    ) -> Result<()> {
        let Some(stored) = self.stored[level].clone() else { return Err(Error::internal("a bucket of nothing")) };
        let spans = &stored.buckets()?.index.spans;
        let len = self.tile.len();
        let Some(collection) = self.plan.levels[level].source.collection() else {
            return Err(Error::internal("a bucket of nothing"));
        };
        let (mut tuples, mut groups) = self.spare.pop().unwrap_or_default();
        if !or_null {
            self.tile.probe(collection, key, |_, key| stored.matches(key, len, mask, (&mut tuples, &mut groups)))?;
        } else {
            self.tile.probe(collection, key, |_, key| stored.find(key, len, &mut groups))?;
            tuples.extend(0..len as u32);
        }
        let plan = self.plan;
        let outcome = match &plan.levels[level].matches[..] {
            condition @ [_, ..] if or_null => self.expand_matches(level, &groups, spans, condition, sinks),
            _ => self.expand_groups(level, (&tuples, &groups), spans, sinks),
        };
        self.give_back(tuples, groups);
        outcome
    }

    /// Tuples with the rows of their groups; with no row those that have none.
    fn expand_groups(
        &mut self,
        level: usize,
        (tuples, groups): (&[u32], &[u32]),
        spans: &Spans,
        sinks: &mut [Sink<'_>],
    ) -> Result<()> {
        const { assert!(NO_ROW == NO_GROUP, "a group of one row is that row") };
        if let Spans::Unique = spans {
            return self.pairs(level, tuples, groups, sinks);
        }
        if self.plan.finds && level == 1 {
            return self.expand_rounds((tuples, groups), spans, sinks);
        }
        if self.expand_slices(level, Some((tuples, groups, spans)), sinks)? {
            return Ok(());
        }
        let one = self.plan.levels[level].one;
        let mut pairs = Pairs::new(self);
        for (&tuple, &group) in tuples.iter().zip(groups) {
            let (first, count) = if group == NO_GROUP { (NO_ROW, 1) } else { spans.rows(group) };
            let count = if one { count.min(1) } else { count };
            if !(count == 1 && pairs.push(tuple, first)) {
                pairs.push_range(tuple, first, count, |nest, parents, rows| nest.pairs(level, parents, rows, sinks))?;
            }
        }
        pairs.finish(|nest, parents, rows| nest.pairs(level, parents, rows, sinks))
    }

    /// Rows of the outermost index with the rows of their groups, more in each round, as long as nothing has been found for them.
    fn expand_rounds(
        &mut self,
        (tuples, groups): (&[u32], &[u32]),
        spans: &Spans,
        sinks: &mut [Sink<'_>],
    ) -> Result<()> {
        let rows = |&group: &u32| {
            let (first, count) = spans.rows(group);
            first..first + count
        };
        let mut left: Vec<(u32, Range<u32>)> = tuples.iter().copied().zip(groups.iter().map(rows)).collect();
        let mut found = vec![false; self.tile.len()];
        let numbers: Vec<u32> = (0..self.tile.len()).map(|tuple| self.tile.tuples().rows[0].get(tuple)).collect();
        let (mut round, mut seen) = (FIRST_ROUND, sinks[0].numbers().len());
        while !left.is_empty() {
            let mut pairs = Pairs::new(self);
            for (tuple, rows) in &mut left {
                let count = round.min(rows.len() as u32);
                pairs
                    .push_range(*tuple, rows.start, count, |nest, parents, rows| nest.pairs(1, parents, rows, sinks))?;
                rows.start += count;
            }
            pairs.finish(|nest, parents, rows| nest.pairs(1, parents, rows, sinks))?;
            // Numbers of rows increase from tuple to tuple.
            for &number in &sinks[0].numbers()[seen..] {
                if let Ok(tuple) = numbers.binary_search(&(number as u32)) {
                    found[tuple] = true;
                }
            }
            seen = sinks[0].numbers().len();
            left.retain(|(tuple, rows)| !rows.is_empty() && !found[*tuple as usize]);
            round = round.saturating_mul(4);
        }
        Ok(())
    }

    /// A left join with conditions: rows that pass, and then the tuples of which none did.
    fn expand_matches(
        &mut self,
        level: usize,
        groups: &[u32],
        spans: &Spans,
        condition: &[ScalarId],
        sinks: &mut [Sink<'_>],
    ) -> Result<()> {
        let mut matched = vec![false; groups.len()];
        let tuples: Vec<u32> = (0..groups.len() as u32).collect();
        let found = self.slices(level, Some((&tuples, groups, spans)))?;
        let condition = found.as_ref().map_or(condition, |(.., left)| left);
        let mut check = |nest: &mut Self, parents: &[u32], rows: &[u32]| {
            if parents.is_empty() {
                return Ok(());
            }
            let mark = nest.tile.depth();
            nest.tile.expand(parents, rows);
            nest.tile.filter(condition)?;
            let mut origins = Vec::new();
            nest.tile.origins(mark, &mut origins);
            origins.iter().for_each(|&origin| matched[origin as usize] = true);
            if !nest.tile.is_empty() {
                nest.reached(level, sinks)?;
            }
            nest.tile.truncate(mark);
            Ok(())
        };
        let mut pairs = Pairs::new(self);
        if let Some((order, slices, _)) = &found {
            for (&tuple, slice) in tuples.iter().zip(slices) {
                pairs.push_rows(tuple, &order.rows[slice.clone()], &mut check)?;
            }
        } else {
            for (tuple, &group) in groups.iter().enumerate().filter(|&(_, &group)| group != NO_GROUP) {
                let (first, count) = spans.rows(group);
                pairs.push_range(tuple as u32, first, count, &mut check)?;
            }
        }
        pairs.finish(&mut check)?;
        if self.enough {
            return Ok(());
        }
        let (mut parents, mut rows) = self.spare.pop().unwrap_or_default();
        parents.extend((0..groups.len() as u32).filter(|&tuple| !matched[tuple as usize]));
        rows.resize(parents.len(), NO_ROW);
        let outcome = self.pairs(level, &parents, &rows, sinks);
        self.give_back(parents, rows);
        outcome
    }

    /// Puts an index on rows and goes on from there.
    fn pairs(&mut self, level: usize, parents: &[u32], rows: &[u32], sinks: &mut [Sink<'_>]) -> Result<()> {
        if parents.is_empty() {
            return Ok(());
        }
        let mark = self.tile.depth();
        self.tile.expand(parents, rows);
        let wants_unmatched = matches!(self.plan.levels[level].source, Source::BucketAndRest { .. });
        let outcome = if wants_unmatched { self.found(level, rows, sinks) } else { self.reached(level, sinks) };
        self.tile.truncate(mark);
        outcome
    }

    /// Marks those of the rows, on which the tile's tuples have just been put, that count as found, and goes on with them.
    fn found(&mut self, level: usize, rows: &[u32], sinks: &mut [Sink<'_>]) -> Result<()> {
        let Some(marks) = self.marks.clone() else { return Err(Error::internal("unmatched rows of nothing")) };
        let plan = self.plan;
        let condition = &plan.levels[level].matches;
        if condition.is_empty() {
            rows.iter().for_each(|&row| marks.mark(row));
            return self.reached(level, sinks);
        }
        let mark = self.tile.depth();
        self.tile.filter(condition)?;
        let mut origins = Vec::new();
        self.tile.origins(mark, &mut origins);
        origins.iter().for_each(|&origin| marks.mark(rows[origin as usize]));
        if self.tile.is_empty() { Ok(()) } else { self.reached(level, sinks) }
    }

    fn give_back(&mut self, mut parents: Vec<u32>, mut rows: Vec<u32>) {
        parents.clear();
        rows.clear();
        self.spare.push((parents, rows));
    }
}

/// Tuples of a tile behind one of so many, whose strings were large or not.
fn next_rows(rows: usize, is_large: bool) -> usize {
    if is_large { (rows / 4).max(1) } else { TILE_ROWS.min(rows * 4) }
}
