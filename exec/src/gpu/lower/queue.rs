//! Rows that wait: where few pass what is asked first, and much is asked of these, a thread that has one would keep the other threads of
//! its warp waiting. So the rows that pass wait in the block's memory until there is one for each thread.
//!
//! What is asked first are the conditions up to the first one that looks something up, and whether there is a bucket, as far as one read
//! tells (a filter's bit). A block goes over its pieces once more than there are: then the rows that are left are done.

use super::Lowering;
use super::nest::Pieces;
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::{Helper, LANES};
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::stop::Done;
use crate::plan::nodes::Operation;
use crate::plan::tree::GeneratorKind;
use multiloop_planner::multiloop::{CollectionId, Source};

/// Groups of neighbouring rows that a thread asks in a step, one after the other: threads wait for each other at the end of each.
const STEP: u32 = 2;

/// What is asked before rows wait.
pub(super) struct Early {
    /// So many conditions of the outermost level.
    conditions: usize,
    /// Whether a bucket is there, by a key.
    bucket: Option<(CollectionId, Vec<(u32, bool)>)>,
}

/// Whether groups may be so many that each row of one waits for the card's memory.
fn may_be_hashed(kind: &GeneratorKind) -> bool {
    match kind {
        GeneratorKind::Reduce(plan) => {
            // Of text it is not known, and mostly it has few strings.
            !plan.rows.clustered && plan.layout.codes().is_some_and(|codes| codes > MANY)
        }
        _ => false,
    }
}

/// Codes beyond which groups are many.
const MANY: u64 = if cfg!(test) { 16 } else { 1 << 22 };

fn word(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

fn long(of: u64) -> Expression {
    Expression::number(of.into(), Type::U64)
}

fn add(a: Expression, b: Expression) -> Expression {
    Expression::binary(Binary::Add, a, b)
}

impl Lowering<'_> {
    /// What is asked first of rows that are to wait, if it pays that they do.
    pub(super) fn early(&self, pieces: &Pieces) -> Option<Early> {
        let of = self.task.of;
        let looks_up = |operation: &Operation| matches!(operation, Operation::Find { .. } | Operation::Lookup { .. });
        let is_heavy = of.levels.len() > 1
            || of.expressions.nodes.iter().any(|node| looks_up(&node.operation))
            || of.generators.iter().any(|generator| may_be_hashed(&generator.kind));
        if !is_heavy || self.groups_of(0).is_some() || self.outermost_rows() > u32::MAX as usize || pieces.count == 0 {
            return None;
        }
        let conditions = &of.levels[0].conditions;
        let is_light = |condition: &&multiloop_planner::multiloop::ScalarId| {
            let mut rest = vec![of.expressions.number(**condition) as u32];
            while let Some(number) = rest.pop() {
                let operation = &self.node_at(number).operation;
                if looks_up(operation) {
                    return false;
                }
                rest.extend(operation.arguments());
            }
            true
        };
        let light = conditions.iter().take_while(is_light).count();
        let bucket = match of.levels.get(1).map(|level| &level.source) {
            Some(Source::Bucket { collection, key })
                if light == conditions.len() && !key.iter().any(|part| of.expressions.may_fail(part.scalar)) =>
            {
                Some((*collection, self.key_of(key)))
            }
            _ => None,
        };
        (light > 0 || bucket.is_some()).then_some(Early { conditions: light, bucket })
    }

    /// Goes over all tuples: rows that pass what is asked first wait, and go on together.
    pub(super) fn nest_by_queue(
        &mut self,
        pieces: &Pieces,
        early: Early,
        sink: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let to = self;
        // Rows of one step, and those of a step before, fewer than threads; behind them what the sum over threads takes.
        let threads = to.device.driver.limits().threads;
        let places = (STEP * LANES + 1) * threads;
        to.queue_bytes = ((places + threads + 1).next_multiple_of(2) * 4) as usize;
        let (shared, waiting) = (to.shared(), to.declare(word(0)));
        let count = to.number(pieces.count as u32);
        let cut = to.cut_of(pieces);
        let (block, blocks) = (Expression::Place(Place::Block), Expression::Place(Place::Blocks));
        let thread = Expression::Place(Place::Thread);
        let threads = Expression::Place(Place::Threads);
        let conditions = &to.task.of.levels[0].conditions;
        let rest = &conditions[early.conditions..];
        to.each(block, add(count.clone(), blocks.clone()), blocks, |to, piece| {
            let is_last = to.hold(Expression::binary(Binary::GreaterEqual, piece.clone(), count));
            // Behind the last piece there is one step without rows.
            let piece = to.hold(Expression::select(is_last.clone(), word(0), piece));
            let (from, below) = to.bounds(&cut, piece);
            let from = to.hold(Expression::select(is_last.clone(), long(0), from));
            let below = to.hold(Expression::select(is_last.clone(), long(1), below));
            let start = Expression::binary(Binary::BitAnd, from.clone(), long(!u64::from(LANES - 1)));
            let far = to.hold(Expression::binary(Binary::Multiply, threads.clone(), word(LANES)));
            let step = Expression::binary(Binary::Multiply, far.clone(), word(STEP)).cast(Type::U64);
            to.each(start, below.clone(), step, |to, base| {
                let own_far = Expression::binary(Binary::Multiply, thread.clone(), word(LANES)).cast(Type::U64);
                let first = to.hold(add(base, own_far));
                let all = to.declare(word(0));
                to.each(word(0), word(STEP), word(1), |to, group| {
                    let behind = Expression::binary(Binary::Multiply, far.clone(), group.clone()).cast(Type::U64);
                    let first = to.hold(add(first.clone(), behind));
                    let passing = to.passing(&early, (&from, &below), (&first, &is_last))?;
                    let shift = Expression::binary(Binary::Multiply, group, word(LANES));
                    let passing = Expression::binary(Binary::ShiftLeft, passing, shift);
                    to.assign(all, Expression::binary(Binary::BitOr, all.get(), passing));
                    Ok(())
                })?;
                let own = Expression::Call(Helper::Ones, vec![all.get()]);
                let sums = shared.address(word(places));
                let scanned = Expression::Call(Helper::Scan, vec![sums, own]);
                let at = to.declare(add(waiting.get(), scanned));
                to.as_long_as(Expression::binary(Binary::NotEqual, all.get(), word(0)), |to| {
                    let bit = to.hold(Expression::Call(Helper::FirstBit, vec![all.get()]));
                    let one = Expression::binary(Binary::ShiftLeft, word(1), bit.clone());
                    to.assign(all, Expression::binary(Binary::Subtract, all.get(), one));
                    let group = Expression::binary(Binary::ShiftRight, bit.clone(), word(LANES.ilog2()));
                    let lane = Expression::binary(Binary::BitAnd, bit, word(LANES - 1));
                    let behind = Expression::binary(Binary::Multiply, far.clone(), group);
                    let row = add(first.cast(Type::U32), add(behind, lane));
                    to.push(Statement::Store(shared, at.get(), row));
                    to.assign(at, add(at.get(), word(1)));
                    Ok(())
                })?;
                to.assign(waiting, add(waiting.get(), shared.at(add(word(places), threads.clone()))));
                to.push(Statement::Barrier);
                to.go_on(waiting, &is_last, |to| to.filter(rest, |to| to.behind_conditions(0, sink)))
            })
        })
    }

    /// Rows that wait go on, as long as there is one for each thread; the last ones however many they are.
    fn go_on(&mut self, waiting: Variable, is_last: &Expression, then: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let shared = self.shared();
        let (thread, threads) = (Expression::Place(Place::Thread), Expression::Place(Place::Threads));
        let is_full = Expression::binary(Binary::GreaterEqual, waiting.get(), threads.clone());
        let is_left = is_last.clone().and(Expression::binary(Binary::NotEqual, waiting.get(), word(0)));
        self.as_long_as(is_full.or(is_left), |to| {
            let is_short = Expression::binary(Binary::Less, waiting.get(), threads.clone());
            let taken = to.hold(Expression::select(is_short, waiting.get(), threads));
            to.assign(waiting, Expression::binary(Binary::Subtract, waiting.get(), taken.clone()));
            to.when(Expression::binary(Binary::Less, thread.clone(), taken), |to| {
                let row = to.hold(shared.at(add(waiting.get(), thread)).cast(Type::U64));
                to.rows.push(row);
                let done = then(to);
                to.rows.pop();
                done
            })?;
            to.push(Statement::Barrier);
            Ok(())
        })
    }

    /// Which of the rows that a thread has at once pass what is asked first, as bits.
    fn passing(
        &mut self,
        early: &Early,
        (from, below): (&Expression, &Expression),
        (first, is_last): (&Expression, &Expression),
    ) -> Done<Expression> {
        let conditions = &self.task.of.levels[0].conditions[..early.conditions];
        let asked = conditions.iter().map(|&condition| self.task.of.expressions.number(condition) as u32);
        let asked = self.fields_below(asked.collect());
        let passing = self.declare(word(0));
        let has_rows = Expression::binary(Binary::Less, first.clone(), below.clone()).and(is_last.clone().not());
        self.when(has_rows, |to| {
            to.load_lanes(&asked, first);
            let done = to.each_lane(|to, lane| {
                let row = to.hold(add(first.clone(), lane.clone().cast(Type::U64)));
                let is_behind = Expression::binary(Binary::GreaterEqual, row.clone(), from.clone());
                let is_in = is_behind.and(Expression::binary(Binary::Less, row.clone(), below.clone()));
                let is_in = is_in.and(to.is_wanted(&row)?);
                let bit = Expression::binary(Binary::ShiftLeft, word(1), lane);
                to.rows.push(row);
                let done = to.when(is_in, |to| {
                    to.filter(conditions, |to| {
                        to.assign(passing, Expression::binary(Binary::BitOr, passing.get(), bit));
                        Ok(())
                    })
                });
                to.rows.pop();
                done
            });
            let done = done.and_then(|()| match &early.bucket {
                Some((collection, key)) => to
                    .when(Expression::binary(Binary::NotEqual, passing.get(), word(0)), |to| {
                        to.passing_with_bucket((*collection, key), passing, first)
                    }),
                None => Ok(()),
            });
            to.lanes.clear();
            done
        })?;
        Ok(passing.get())
    }

    /// Takes away the bits of rows whose bucket is not there.
    fn passing_with_bucket(
        &mut self,
        (collection, key): (CollectionId, &[(u32, bool)]),
        passing: Variable,
        first: &Expression,
    ) -> Done<()> {
        let asked = self.fields_below(key.iter().map(|(part, _)| *part).collect());
        self.load_lanes(&asked, first);
        self.each_lane(|to, lane| {
            let row = to.hold(add(first.clone(), lane.clone().cast(Type::U64)));
            let bit = Expression::binary(Binary::ShiftLeft, word(1), lane);
            let is_in = Expression::binary(Binary::BitAnd, passing.get(), bit.clone());
            to.rows.push(row);
            let done = to.when(Expression::binary(Binary::NotEqual, is_in, word(0)), |to| {
                let lacks = to.lacks(collection, key)?;
                to.when(lacks, |to| {
                    // The bit is set.
                    to.assign(passing, Expression::binary(Binary::Subtract, passing.get(), bit));
                    Ok(())
                })
            });
            to.rows.pop();
            done
        })
    }
}
