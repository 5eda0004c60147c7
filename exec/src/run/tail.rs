//! The rows of the last loop of a body, made some pieces at a time: a result needs memory for those that are being read.

use super::{Lets, check_claims, on_host};
use crate::collections::made::Made;
use crate::collections::rows::RowSet;
use crate::cpu::collections::bindings::Captured;
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::frame::{Defined, Frame, Shared};
use crate::cpu::multiloop::nest::Piece;
use crate::cpu::multiloop::searched::Asked;
use crate::cpu::multiloop::slices::{Orders, orders};
use crate::cpu::multiloop::{self, Form, steps_of};
use crate::cpu::vector::rows::Source;
use crate::plan::tree::{LetKind, LetPlan, LevelPlan, LoopPlan, Plan};
use crate::workers::context::Context;
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::multiloop::{BlockId, CollectionId, Source as LoopSource};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Rows that are made at once, about.
const ROWS: usize = 1 << 20;

/// Rows of the outermost index in a piece of a nest, at most: nobody knows how many come of one.
const FINE_ROWS: usize = 1 << 11;

/// Pieces of a nest, about, whatever comes of one.
const PIECES_MAX: usize = 1 << 18;

/// A piece as smaller ones of so many rows.
fn fine(piece: Piece, each: usize) -> Vec<Piece> {
    let Piece::Rows { chunk, rows } = piece else { return vec![piece] };
    let starts = rows.clone().step_by(each);
    starts.map(|start| Piece::Rows { chunk, rows: start..rows.end.min(start + each) }).collect()
}

/// Rows of the outermost index, of so many, in a piece of a nest. Where all rows of other collections come of each, these are known.
fn fine_rows(frame: &Frame<'_>, plan: &LoopPlan, rows: usize) -> usize {
    let all_of = |level: &LevelPlan| match &level.source {
        LoopSource::Rows(collection) if level.conditions.is_empty() && level.matches.is_empty() => {
            frame.get(*collection).ok().map(|stored| stored.row_count())
        }
        _ => None,
    };
    let each = plan.levels.iter().skip(1).filter_map(all_of).fold(1usize, usize::saturating_mul);
    (ROWS / each.max(1)).clamp(1 + rows / PIECES_MAX, FINE_ROWS.max(1 + rows / PIECES_MAX))
}

/// What the outermost index of a loop goes over.
fn outermost(frame: &Frame<'_>, plan: &LoopPlan) -> Option<Arc<Stored>> {
    frame.get(plan.levels.first()?.source.collection()?).ok()
}

/// What the last let is made from, until all of its pieces have been run.
#[derive(Debug)]
pub(super) struct Tail {
    plan: Arc<Plan>,
    pool: Arc<Pool>,
    context: Context,
    parameters: Vec<Value>,
    pieces: Vec<Piece>,
    /// Of the indices of the loop their rows in order, once pieces have been run.
    orders: Option<Orders>,
    next: usize,
    /// How many pieces are run at once.
    step: usize,
    tables: FxHashMap<CollectionId, Result<Arc<Stored>>>,
    elements: FxHashMap<(CollectionId, u32), Option<Source>>,
    invariant: Vec<Vec<Mutex<Option<Defined>>>>,
    searched: FxHashMap<BlockId, Mutex<Asked>>,
    /// What the lets in front of it gave.
    own: FxHashMap<CollectionId, Result<Made<Stored>>>,
}

impl Tail {
    /// Of a body whose other lets gave these collections.
    pub(super) fn new(
        plan: Arc<Plan>,
        shared: Shared<'_>,
        own: FxHashMap<CollectionId, Result<Made<Stored>>>,
        pool: Arc<Pool>,
    ) -> Result<Self> {
        let Shared { tables, elements, invariant, searched, context, parameters, .. } = shared;
        let (context, parameters) = (context.clone(), parameters.to_vec());
        let (pieces, next, step) = (Vec::new(), 0, plan.limits.first_pieces);
        let mut tail = Tail {
            plan,
            pool,
            context,
            parameters,
            pieces,
            orders: None,
            next,
            step,
            tables,
            elements,
            invariant,
            searched,
            own,
        };
        tail.pieces = tail.with_frame(|frame, _, last, pool| {
            let pieces = multiloop::pieces(frame, last, Workers { pool: Some(pool), context: frame.shared.context })?;
            // What is read for a piece is read again for each part of it.
            let is_lazy = outermost(frame, last).is_some_and(|stored| matches!(*stored, Stored::Lazy(_)));
            let is_fine = last.levels.len() > 1 && !is_lazy;
            if !is_fine {
                return Ok(pieces);
            }
            let each = fine_rows(frame, last, steps_of(&pieces) as usize);
            Ok(pieces.into_iter().flat_map(|piece| fine(piece, each)).collect())
        })?;
        tail.context.progress.total.fetch_add(steps_of(&tail.pieces), Ordering::Relaxed);
        Ok(tail)
    }

    /// Whether there are no more rows.
    pub(super) fn is_done(&self) -> bool {
        self.next == self.pieces.len()
    }

    /// Further rows, if there are any. What fails is at its end.
    pub(super) fn more(&mut self) -> Result<Option<RowSet>> {
        while !self.is_done() {
            let pieces = self.next..self.pieces.len().min(self.next + self.step);
            let some = self.pieces[pieces.clone()].to_vec();
            let (mut kept, steps) = (self.orders.take(), steps_of(&self.pieces));
            let made = self.with_frame(|frame, definition, last, pool| {
                frame.check()?;
                let workers = Workers { pool: Some(pool), context: frame.shared.context };
                let orders = match &mut kept {
                    Some(orders) => orders,
                    none => none.insert(orders(frame, last, steps, workers)?),
                };
                let some = (&some[..], &*orders);
                let made = multiloop::run_pieces(frame, last, (&definition.defines, Form::Plain), some, Some(pool))?;
                let rows = made[0].rows().cloned();
                check_claims(frame.shared.plan, definition, &on_host(made))?;
                rows
            });
            self.orders = kept;
            self.next = if made.is_ok() { pieces.end } else { self.pieces.len() };
            let rows = made?;
            let is_many = rows.rows > ROWS;
            self.step = if is_many {
                (self.step / 2).max(1)
            } else if rows.rows < ROWS / 2 {
                self.step * 2
            } else {
                self.step
            };
            if rows.rows > 0 {
                return Ok(Some(rows));
            }
        }
        Ok(None)
    }

    /// Runs `run` in the body, as it is when only its last let is missing.
    fn with_frame<T>(
        &mut self,
        run: impl for<'f> FnOnce(&'f Frame<'f>, &'f LetPlan, &'f LoopPlan, &Pool) -> Result<T>,
    ) -> Result<T> {
        let plan = Arc::clone(&self.plan);
        let Some(definition @ LetPlan { kind: LetKind::Loop(last), .. }) = plan.block(plan.body).lets.last() else {
            return Err(Error::internal("rows of a loop that is none"));
        };
        let shared = Shared {
            plan: &plan,
            tables: std::mem::take(&mut self.tables),
            elements: std::mem::take(&mut self.elements),
            parameters: &self.parameters,
            context: &self.context,
            driver: &Lets,
            statistics: Mutex::default(),
            chunks_pruned: Default::default(),
            notes: None,
            invariant: std::mem::take(&mut self.invariant),
            put_off: Mutex::default(),
            searched: std::mem::take(&mut self.searched),
        };
        let captured = Captured::default();
        let frame = Frame { shared: &shared, parent: None, captured: &captured, own: std::mem::take(&mut self.own) };
        let made = run(&frame, definition, last, &self.pool);
        self.own = frame.own;
        (self.tables, self.elements) = (shared.tables, shared.elements);
        (self.invariant, self.searched) = (shared.invariant, shared.searched);
        made
    }
}
