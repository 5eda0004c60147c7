//! The nest of a loop: pieces of the outermost rows, the buckets behind, and the conditions of each level.

use super::{Level, Lowering};
use crate::collections::rows::RowSet;
use crate::gpu::code::expression::{Binary, Expression, Place};
use crate::gpu::code::types::Type;
use crate::gpu::columns::DeviceColumn;
use crate::gpu::driver::{Buffer, bytes_of};
use crate::gpu::groups::held::HeldGroups;
use crate::gpu::rows::HeldRows;
use crate::gpu::stop::{Done, decline};
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
    cut: Cut,
}

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
    },
}

impl Lowering<'_> {
    /// A column of rows on the host.
    pub(crate) fn upload(&self, rows: &RowSet, field: u32) -> Done<Arc<DeviceColumn>> {
        self.device.resident.column(&self.device.driver, &rows.chunks, rows.position(field))
    }

    /// The outermost rows that may give tuples, in pieces, and the level over them.
    pub(crate) fn pieces(&mut self) -> Done<Pieces> {
        let Some(Source::Rows(collection)) = self.task.of.levels.first().map(|level| &level.source) else {
            return decline("a loop over no rows");
        };
        if let Some(held) = self.inputs.held(*collection)?
            && let Some(groups) = HeldGroups::of(&held)
        {
            let codes = groups.table.groups as usize;
            self.sources.push(Arc::new(Level { rows: codes, columns: Vec::new(), groups: Some(groups) }));
            return self.cut(&[0..codes]);
        }
        if let Some(held) = self.inputs.held(*collection)?
            && let Some(rows) = HeldRows::of(&held)
        {
            self.sources.push(Arc::clone(&rows.level));
            return self.cut(&[0..rows.level.rows]);
        }
        let rows = self.inputs.rows(*collection)?;
        let level = self.outermost(&rows);
        self.sources.push(level);
        let mut first = 0;
        let starts: Vec<usize> = rows
            .chunks
            .iter()
            .map(|chunk| {
                first += chunk.rows;
                first - chunk.rows
            })
            .collect();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (chunk, within) in self.inputs.chunks()? {
            let range = starts[chunk] + within.start..starts[chunk] + within.end;
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        self.cut(&ranges)
    }

    fn cut(&self, ranges: &[Range<usize>]) -> Done<Pieces> {
        let step = self.device.piece_rows;
        let cut = |range: &Range<usize>| {
            let end = range.end;
            range
                .clone()
                .step_by(step)
                .map(move |start| (start as u64, end.min(start + step) as u64))
                .collect::<Vec<_>>()
        };
        let pieces: Vec<(u64, u64)> = ranges.iter().flat_map(cut).collect();
        let cut = match ranges {
            [all] => Cut::Even { first: all.start as u64, below: all.end as u64, step: step as u64 },
            _ => {
                let (starts, ends): (Vec<u64>, Vec<u64>) = pieces.iter().copied().unzip();
                let driver = &self.device.driver;
                Cut::Listed {
                    starts: Buffer::of(driver, &bytes_of(&starts, u64::to_le_bytes))?,
                    ends: Buffer::of(driver, &bytes_of(&ends, u64::to_le_bytes))?,
                }
            }
        };
        Ok(Pieces {
            rows: pieces.iter().map(|(start, end)| end - start).sum(),
            count: pieces.len(),
            largest: pieces.iter().map(|(start, end)| end - start).max().unwrap_or(0),
            cut,
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
        self.each_piece(pieces, |inner, _, (from, below)| {
            let thread = Expression::Place(Place::Thread).cast(Type::U64);
            let from = Expression::binary(Binary::Add, from, thread);
            let step = Expression::Place(Place::Threads).cast(Type::U64);
            inner.each(from, below, step, |inner, row| inner.tuples_of(row, sink))
        })
    }

    /// Shares the pieces among blocks: their numbers, first rows, and ends.
    pub(crate) fn each_piece(
        &mut self,
        pieces: &Pieces,
        body: impl FnOnce(&mut Self, Expression, (Expression, Expression)) -> Done<()>,
    ) -> Done<()> {
        let count = self.number(pieces.count as u32);
        let blocks = Expression::Place(Place::Blocks);
        match &pieces.cut {
            &Cut::Even { first, below, step } => {
                let [first, end, step] = [first, below, step].map(|of| self.integer(of.into(), Type::U64));
                self.each(Expression::Place(Place::Block), count, blocks, |inner, piece| {
                    let far = Expression::binary(Binary::Multiply, piece.clone().cast(Type::U64), step.clone());
                    let from = inner.hold(Expression::binary(Binary::Add, first, far));
                    let below = inner.hold(Expression::binary(Binary::Add, from.clone(), step));
                    let is_last = Expression::binary(Binary::Greater, below.clone(), end.clone());
                    let below = inner.hold(Expression::select(is_last, end, below));
                    body(inner, piece, (from, below))
                })
            }
            Cut::Listed { starts, ends } => {
                let [starts, ends] = [starts, ends].map(|array| self.memory(Type::U64, array));
                self.each(Expression::Place(Place::Block), count, blocks, |inner, piece| {
                    let from = inner.hold(starts.at(piece.clone()));
                    let below = inner.hold(ends.at(piece.clone()));
                    body(inner, piece, (from, below))
                })
            }
        }
    }

    /// The tuples of an outermost row.
    pub(crate) fn tuples_of(&mut self, row: Expression, sink: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let is_there = match self.groups_of(0) {
            Some(groups) => self.is_group(&groups, row.clone()),
            None => Expression::truth(true),
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
        self.filter(conditions, |inner| match of.levels.get(level + 1).map(|next| &next.source) {
            None => sink(inner),
            Some(Source::Bucket { collection, key }) => {
                let number = |part: &multiloop_planner::multiloop::KeyPart| {
                    (of.expressions.number(part.scalar) as u32, part.null_matches)
                };
                let key: Vec<(u32, bool)> = key.iter().map(number).collect();
                // To name the type of what is behind, which goes on level by level.
                let sink: Box<dyn FnOnce(&mut Self) -> Done<()> + '_> = Box::new(sink);
                inner.bucket(*collection, &key, |inner| inner.behind(level + 1, sink))
            }
            Some(_) => decline("a level that is no bucket"),
        })
    }

    /// What follows for tuples that pass all conditions, one after the other.
    pub(crate) fn filter(&mut self, conditions: &[ScalarId], then: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        match conditions.split_first() {
            None => then(self),
            Some((&first, rest)) => {
                let passes = self.root(first)?.is_true();
                let then: Box<dyn FnOnce(&mut Self) -> Done<()> + '_> = Box::new(then);
                self.when(passes, |inner| inner.filter(rest, then))
            }
        }
    }
}
