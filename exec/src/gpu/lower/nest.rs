//! The nest of a loop: pieces of the outermost rows, the buckets behind, and the conditions of each level.

use super::{Level, Lowering, Marks};
use crate::collections::rows::RowSet;
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::LANES;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::{Kind, Type};
use crate::gpu::columns::loader::Loader;
use crate::gpu::columns::{DeviceColumn, Form};
use crate::gpu::driver::{Buffer, bytes_of};
use crate::gpu::groups::held::HeldGroups;
use crate::gpu::rows::HeldRows;
use crate::gpu::stop::{Done, decline};
use crate::plan::nodes::Operation;
use multiloop_planner::multiloop::{ScalarId, Source};
use std::ops::Range;
use std::sync::Arc;

/// The rows that a loop goes over, in pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// How many rows, and how many pieces.
    pub(crate) rows: u64,
    pub(crate) count: usize,
    /// The rows of the largest piece.
    pub(crate) largest: u64,
    /// From the first row to the last.
    all: Range<usize>,
    /// The level that they are pieces of.
    level: Arc<Level>,
    cut: Cut,
}

/// What is done for a tuple.
type Sink<'s, T> = Box<dyn FnOnce(&mut T) -> Done<()> + 's>;

/// Where pieces begin and end.
#[derive(Debug)]
enum Cut {
    /// So many rows each, but for the last one, from a first row on and below an end.
    Even {
        first: u64,
        below: u64,
        step: u64,
    },
    Listed {
        starts: Arc<Buffer>,
        ends: Arc<Buffer>,
        sizes: Vec<u32>,
    },
}

/// The same in a kernel: numbers, or arrays.
pub(super) enum CutParameters {
    Even([Expression; 3]),
    Listed([Variable; 2]),
}

impl Pieces {
    /// The level, if these are all of its rows.
    pub(crate) fn whole(&self) -> Option<&Level> {
        (self.rows == self.level.rows as u64).then_some(&*self.level)
    }

    /// The rows of each.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        match &self.cut {
            Cut::Even { first, below, step } => {
                (0..self.count as u64).map(|piece| (below - first - piece * step).min(*step) as u32).collect()
            }
            Cut::Listed { sizes, .. } => sizes.clone(),
        }
    }
}

impl Lowering<'_> {
    /// A column of rows on the host.
    pub(crate) fn upload(&self, rows: &RowSet, field: u32) -> Done<Arc<DeviceColumn>> {
        self.device.resident.column(self.loader(), &rows.chunks, rows.position(field))
    }

    /// What brings columns to the device.
    pub(crate) fn loader(&self) -> Loader<'_> {
        Loader { driver: &self.device.driver, workers: self.inputs.workers() }
    }

    /// The outermost rows that may give tuples, in pieces, which the kernel will go over.
    pub(crate) fn pieces(&mut self) -> Done<Pieces> {
        let pieces = self.found_pieces()?;
        self.over(&pieces);
        Ok(pieces)
    }

    fn found_pieces(&mut self) -> Done<Pieces> {
        let collection = match self.task.of.levels.first().map(|level| &level.source) {
            Some(Source::Rows(collection)) => collection,
            Some(Source::BucketAndRest { collection, key, .. }) => {
                let level = Arc::clone(&self.probed(*collection, key.len())?.level);
                let all = 0..level.rows;
                return self.cut(level, std::slice::from_ref(&all));
            }
            _ => return decline("a loop over no rows"),
        };
        if let Some(held) = self.inputs.held(*collection)?
            && let Some(groups) = HeldGroups::of(&held)
        {
            let codes = groups.table.groups as usize;
            let level = Level { rows: codes, columns: Vec::new(), groups: Some(groups) };
            return self.cut(Arc::new(level), std::slice::from_ref(&(0..codes)));
        }
        if let Some(held) = self.inputs.held(*collection)?
            && let Some(rows) = HeldRows::of(&held)
        {
            return self.cut(Arc::clone(&rows.level), std::slice::from_ref(&(0..rows.level.rows)));
        }
        let rows = self.inputs.rows(*collection)?;
        let level = self.outermost(&rows);
        let ranges = self.inputs.ranges()?;
        self.cut(level, &ranges)
    }

    /// Goes over pieces that another kernel goes over, too.
    pub(crate) fn over(&mut self, pieces: &Pieces) {
        self.sources.push(Arc::clone(&pieces.level));
        self.outermost = Some(pieces.all.clone());
    }

    fn cut(&self, level: Arc<Level>, ranges: &[Range<usize>]) -> Done<Pieces> {
        let step = self.device.piece_rows;
        if let [all] = ranges {
            return Ok(Pieces {
                rows: all.len() as u64,
                count: all.len().div_ceil(step),
                largest: all.len().min(step) as u64,
                all: all.clone(),
                level,
                cut: Cut::Even { first: all.start as u64, below: all.end as u64, step: step as u64 },
            });
        }
        let cut = |range: &Range<usize>| {
            let end = range.end;
            range.clone().step_by(step).map(move |start| (start as u64, end.min(start + step) as u64))
        };
        let (starts, ends): (Vec<u64>, Vec<u64>) = ranges.iter().flat_map(cut).unzip();
        let sizes: Vec<u32> = starts.iter().zip(&ends).map(|(start, end)| (end - start) as u32).collect();
        let driver = &self.device.driver;
        Ok(Pieces {
            rows: sizes.iter().map(|&size| u64::from(size)).sum(),
            count: sizes.len(),
            largest: sizes.iter().copied().max().unwrap_or(0).into(),
            all: ranges.first().zip(ranges.last()).map_or(0..0, |(first, last)| first.start..last.end),
            level,
            cut: Cut::Listed {
                starts: Buffer::of(driver, &bytes_of(&starts, u64::to_le_bytes))?,
                ends: Buffer::of(driver, &bytes_of(&ends, u64::to_le_bytes))?,
                sizes,
            },
        })
    }

    /// The level over the outermost rows: columns that the loop reads.
    fn outermost(&self, rows: &RowSet) -> Arc<Level> {
        let fields = self.fields_of(0);
        let width = fields.iter().max().map_or(0, |&last| last + 1);
        let column = |field: u32| match fields.contains(&field) {
            true => self.upload(rows, field),
            false => decline("bug: a column that nobody reads"),
        };
        Arc::new(Level { rows: rows.rows, columns: (0..width).map(column).collect(), groups: None })
    }

    /// The fields that are read of a level.
    pub(crate) fn fields_of(&self, level: usize) -> Vec<u32> {
        use crate::plan::nodes::Operation;
        let field = |node: &crate::plan::nodes::Node| match node.operation {
            Operation::Column { index, field, .. } if index == level => Some(field),
            _ => None,
        };
        self.task.of.expressions.nodes.iter().filter_map(field).collect()
    }

    /// Goes over all tuples, pieces shared by blocks and rows by their threads; what is done for each comes last.
    pub(crate) fn nest(&mut self, pieces: &Pieces, sink: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        match self.early(pieces) {
            Some(early) => self.nest_by_queue(pieces, early, sink),
            None => self.each_piece(pieces, |inner, _, (from, below)| inner.tuples(from, below, sink)),
        }
    }

    /// Goes over the tuples of some rows, which the threads of a block share.
    pub(crate) fn tuples(
        &mut self,
        from: Expression,
        below: Expression,
        sink: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        if self.groups_of(0).is_none() {
            return self.tuples_by_lanes(from, below, sink);
        }
        let thread = Expression::Place(Place::Thread).cast(Type::U64);
        let from = Expression::binary(Binary::Add, from, thread);
        let step = Expression::Place(Place::Threads).cast(Type::U64);
        self.each(from, below, step, |inner, row| inner.tuples_of(row, sink))
    }

    /// The same of rows that lie in columns: a thread takes some neighbouring ones at once, first what the conditions ask of them, then,
    /// if one passes, the rest.
    fn tuples_by_lanes(
        &mut self,
        from: Expression,
        below: Expression,
        sink: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let to = self;
        let long = |of: u64| Expression::number(of.into(), Type::U64);
        let rows = u64::from(LANES) * to.stretch;
        // Where it begins in the middle, the rows in front are another piece's.
        let start = Expression::binary(Binary::BitAnd, from.clone(), long(!u64::from(LANES - 1)));
        let thread = Expression::Place(Place::Thread).cast(Type::U64);
        let far = Expression::binary(Binary::Multiply, thread, long(rows));
        let threads = Expression::Place(Place::Threads).cast(Type::U64);
        let step = Expression::binary(Binary::Multiply, threads, long(rows));
        to.each(Expression::binary(Binary::Add, start.clone(), far), below.clone(), step, |to, first| {
            to.stretch_first = Some(first.clone());
            if to.stretch == 1 {
                return to.lanes_of(&first, (&start, &from, &below), sink);
            }
            let end = to.hold(Expression::binary(Binary::Add, first.clone(), long(rows)));
            let is_beyond = Expression::binary(Binary::Greater, end.clone(), below.clone());
            let end = to.hold(Expression::select(is_beyond, below.clone(), end));
            to.each(first, end, long(LANES.into()), |to, first| to.lanes_of(&first, (&start, &from, &below), sink))
        })
    }

    /// Goes over all rows in steps, which all threads of a block begin and end together; of rows in columns that give one tuple each.
    pub(crate) fn nest_in_steps(
        &mut self,
        pieces: &Pieces,
        begin: impl FnOnce(&mut Self) -> Done<()>,
        sink: impl FnOnce(&mut Self) -> Done<()>,
        end: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        self.each_piece(pieces, |to, _, (from, below)| {
            let long = |of: u64| Expression::number(of.into(), Type::U64);
            let lanes = |place: Place| {
                Expression::binary(Binary::Multiply, Expression::Place(place).cast(Type::U64), long(LANES.into()))
            };
            let start = Expression::binary(Binary::BitAnd, from.clone(), long(!u64::from(LANES - 1)));
            let start = to.hold(start);
            to.each(start.clone(), below.clone(), lanes(Place::Threads), |to, base| {
                begin(to)?;
                let first = to.hold(Expression::binary(Binary::Add, base, lanes(Place::Thread)));
                let has_rows = Expression::binary(Binary::Less, first.clone(), below.clone());
                to.when(has_rows, |to| to.lanes_of(&first, (&start, &from, &below), sink))?;
                end(to)
            })
        })
    }

    /// Which of the rows that a thread has at once is at hand.
    pub(crate) fn lane(&self) -> Expression {
        self.lane.clone().unwrap_or_else(|| Expression::number(0, Type::U32))
    }

    /// The rows from one on that a thread has at once; those of the piece begin and end somewhere.
    fn lanes_of(
        &mut self,
        first: &Expression,
        (start, from, below): (&Expression, &Expression, &Expression),
        sink: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let to = self;
        let conditions = &to.task.of.levels[0].conditions;
        let (asked, others) = to.fields_by_use(conditions);
        let none = Expression::number(0, Type::U32);
        let row = |to: &mut Self, lane: Expression| {
            to.hold(Expression::binary(Binary::Add, first.clone(), lane.cast(Type::U64)))
        };
        let bit = |lane: Expression| Expression::binary(Binary::ShiftLeft, Expression::number(1, Type::U32), lane);
        to.load_lanes(&asked, first);
        let passing = to.declare(none.clone());
        if to.marks.is_some() {
            let found = to.declare(none.clone());
            to.marks.as_mut().expect("it is there").found = Some(found);
        }
        to.each_lane(|to, lane| {
            let row = row(to, lane.clone());
            let is_behind = Expression::binary(Binary::GreaterEqual, row.clone(), from.clone());
            let is_in = is_behind.and(Expression::binary(Binary::Less, row.clone(), below.clone()));
            let is_in = is_in.and(to.is_wanted(&row)?);
            to.rows.push(row);
            let done = to.when(is_in, |to| {
                to.filter(conditions, |to| {
                    to.assign(passing, Expression::binary(Binary::BitOr, passing.get(), bit(lane)));
                    Ok(())
                })
            });
            to.rows.pop();
            done
        })?;
        to.when(Expression::binary(Binary::NotEqual, passing.get(), none.clone()), |to| {
            to.load_lanes(&others, first);
            to.each_lane(|to, lane| {
                let row = row(to, lane.clone());
                let own = Expression::binary(Binary::BitAnd, passing.get(), bit(lane));
                to.rows.push(row);
                let done = to
                    .when(Expression::binary(Binary::NotEqual, own, none.clone()), |to| to.behind_conditions(0, sink));
                to.rows.pop();
                done
            })
        })?;
        to.lanes.clear();
        let Some(Marks { array, first: byte, found: Some(found) }) = to.marks.clone() else { return Ok(()) };
        to.when(Expression::binary(Binary::NotEqual, found.get(), none), |to| {
            let far = Expression::binary(Binary::Subtract, first.clone(), start.clone());
            let at = Expression::binary(Binary::ShiftRight, far, Expression::number(3, Type::U32));
            let at = Expression::binary(Binary::Add, byte, at);
            to.push(Statement::Store(array, at, found.get().cast(Type::U8)));
            Ok(())
        })
    }

    /// Notes that the row at hand gives a tuple, if that is wanted.
    pub(crate) fn mark(&mut self) {
        if let (Some(Marks { found: Some(found), .. }), Some(lane)) = (&self.marks, &self.lane) {
            let bit = Expression::binary(Binary::ShiftLeft, Expression::number(1, Type::U32), lane.clone());
            let found = *found;
            self.assign(found, Expression::binary(Binary::BitOr, found.get(), bit));
        }
    }

    /// The fields of the outermost rows that some conditions read, and all others that are read.
    pub(super) fn fields_by_use(&self, conditions: &[ScalarId]) -> (Vec<u32>, Vec<u32>) {
        let conditions = conditions.iter().map(|&condition| self.task.of.expressions.number(condition) as u32);
        let asked = self.fields_below(conditions.collect());
        let mut others = self.fields_of(0);
        others.sort_unstable();
        others.dedup();
        others.retain(|field| !asked.contains(field));
        (asked, others)
    }

    /// The fields of the outermost rows that some nodes read.
    pub(super) fn fields_below(&self, mut rest: Vec<u32>) -> Vec<u32> {
        let mut asked = Vec::new();
        while let Some(number) = rest.pop() {
            match &self.node_at(number).operation {
                Operation::Column { index: 0, field, .. } if !asked.contains(field) => asked.push(*field),
                operation => rest.extend(operation.arguments()),
            }
        }
        asked.sort_unstable();
        asked
    }

    /// Loads elements of some fields of the outermost rows, of those whose form allows it.
    pub(super) fn load_lanes(&mut self, fields: &[u32], first: &Expression) {
        for &field in fields {
            let Ok(column) = self.column_of(0, field) else { continue };
            let is_array = matches!(column.form, Form::Integers { .. } | Form::Floats | Form::Codes(_) | Form::Bytes);
            if column.element == Type::I128
                || !is_array
                || self.lanes.iter().any(|(of, _)| Arc::ptr_eq(of, &column.data))
            {
                continue;
            }
            let of = self.memory(column.element, &column.data);
            let array = self.variable(Kind::Pointer(Type::U64));
            self.push(Statement::Lanes { array, column: of, row: first.clone() });
            self.lanes.push((Arc::clone(&column.data), array));
        }
    }

    /// Shares the pieces among blocks: their numbers, first rows, and ends.
    pub(crate) fn each_piece(
        &mut self,
        pieces: &Pieces,
        body: impl FnOnce(&mut Self, Expression, (Expression, Expression)) -> Done<()>,
    ) -> Done<()> {
        let count = self.number(pieces.count as u32);
        self.some_pieces(pieces, (Expression::Place(Place::Block), count, Expression::Place(Place::Blocks)), body)
    }

    /// The same of pieces from one on, below an end, in steps.
    pub(crate) fn some_pieces(
        &mut self,
        pieces: &Pieces,
        (from, below, step): (Expression, Expression, Expression),
        body: impl FnOnce(&mut Self, Expression, (Expression, Expression)) -> Done<()>,
    ) -> Done<()> {
        let cut = self.cut_of(pieces);
        self.each(from, below, step, |inner, piece| {
            let (from, below) = inner.bounds(&cut, piece.clone());
            let below = inner.hold(below);
            body(inner, piece, (from, below))
        })
    }

    /// Where pieces begin and end, as parameters.
    pub(super) fn cut_of(&mut self, pieces: &Pieces) -> CutParameters {
        match &pieces.cut {
            &Cut::Even { first, below, step } => {
                CutParameters::Even([first, below, step].map(|of| self.integer(of.into(), Type::U64)))
            }
            Cut::Listed { starts, ends, .. } => {
                CutParameters::Listed([starts, ends].map(|array| self.memory(Type::U64, array)))
            }
        }
    }

    /// Where a piece begins and ends.
    pub(super) fn bounds(&mut self, cut: &CutParameters, piece: Expression) -> (Expression, Expression) {
        match cut {
            CutParameters::Even([first, end, step]) => {
                let far = Expression::binary(Binary::Multiply, piece.cast(Type::U64), step.clone());
                let from = self.hold(Expression::binary(Binary::Add, first.clone(), far));
                let below = self.hold(Expression::binary(Binary::Add, from.clone(), step.clone()));
                let is_last = Expression::binary(Binary::Greater, below.clone(), end.clone());
                (from, Expression::select(is_last, end.clone(), below))
            }
            CutParameters::Listed([starts, ends]) => (self.hold(starts.at(piece.clone())), ends.at(piece)),
        }
    }

    /// The tuples of an outermost row.
    pub(crate) fn tuples_of(&mut self, row: Expression, sink: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let is_there = match self.groups_of(0) {
            Some(groups) => self.is_group(&groups, row.clone()),
            None => self.is_wanted(&row)?,
        };
        self.rows.push(row);
        let done = self.when(is_there, |inner| inner.behind(0, sink));
        self.rows.pop();
        done
    }

    /// What a level asks, and then the levels behind it.
    fn behind(&mut self, level: usize, sink: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let of = self.task.of;
        let conditions = &of.levels[level].conditions;
        self.filter(conditions, |inner| inner.behind_conditions(level, sink))
    }

    /// What follows once a level's conditions have been asked.
    pub(super) fn behind_conditions(&mut self, level: usize, sink: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let inner = self;
        let of = inner.task.of;
        let Some(next) = of.levels.get(level + 1) else { return sink(inner) };
        // To name the type of what is behind, which goes on level by level.
        let sink: Sink<'_, Self> = Box::new(sink);
        let then = move |inner: &mut Self| inner.behind(level + 1, sink);
        match &next.source {
            Source::Bucket { collection, key } => {
                let key = inner.key_of(key);
                inner.bucket((*collection, &key), next.one, then)
            }
            Source::BucketAndRest { collection, key, .. } => {
                let key = inner.key_of(key);
                inner.bucket((*collection, &key), false, |inner| {
                    inner.filter(&next.matches, |inner| {
                        inner.note_found()?;
                        then(inner)
                    })
                })
            }
            Source::BucketOrNull { collection, key, .. } => {
                let key = inner.key_of(key);
                inner.bucket_or_null((*collection, &key), (&next.matches, next.one), then)
            }
            Source::Rows(_) | Source::Count(_) => decline("a level that is no bucket"),
        }
    }

    /// What follows for tuples that pass all conditions, one after the other.
    pub(crate) fn filter(&mut self, conditions: &[ScalarId], then: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        match conditions.split_first() {
            None => then(self),
            Some((&first, rest)) => {
                let passes = self.root(first)?.is_true();
                let then: Sink<'_, Self> = Box::new(then);
                self.when(passes, |inner| inner.filter(rest, then))
            }
        }
    }
}
