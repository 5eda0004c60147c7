//! What the generators of a loop keep while its tiles pass by.
//!
//! Rows (Collect, BucketCollect, top-k without an order) are kept by piece of work, so that they can be put together
//! in order; groups and ordered top-k by worker, because their merge does not depend on who had what.

use super::bucket::key::KeyLayout;
use super::gather::Gathered;
use super::plan::{GeneratorKind, GeneratorPlan};
use super::reduce::Reducer;
use super::tile::Tile;
use super::top_k::TopK;
use crate::context::{Context, Reservation};
use crate::{Error, Result};
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;

/// One generator's state in one worker.
pub(super) enum Sink<'p> {
    /// Rows of the piece at hand: (keys and then) values.
    Rows { scalars: Vec<ScalarId>, columns: Vec<Gathered>, rows: usize, rows_max: usize },
    Groups(Box<Reducer<'p>>),
    TopK(Box<TopK<'p>>),
}

/// The rows that one piece of work gave.
pub(super) struct PieceRows {
    pub(super) columns: Vec<Gathered>,
    pub(super) rows: usize,
    /// What they count for.
    pub(super) reservation: Reservation,
}

/// What a generator needs to know before it starts.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// The layout of the keys of a reduction.
    pub(super) layout: Option<KeyLayout>,
    /// Of top-k limit + offset, and offset.
    pub(super) keep: usize,
    pub(super) offset: usize,
}

impl<'p> Sink<'p> {
    /// Nothing yet.
    pub(super) fn new(plan: &'p GeneratorPlan<'p>, setup: &Setup, context: &Context) -> Result<Self> {
        let rows = |scalars: Vec<ScalarId>, rows_max: usize| Sink::Rows { scalars, columns: Vec::new(), rows: 0, rows_max };
        Ok(match &plan.kind {
            GeneratorKind::Collect { value, .. } => rows(value.to_vec(), usize::MAX),
            GeneratorKind::BucketCollect { key, value, .. } => {
                rows(key.iter().chain(*value).copied().collect(), usize::MAX)
            }
            GeneratorKind::TopK(plan) if plan.order.is_empty() => rows(plan.arguments.to_vec(), setup.keep),
            GeneratorKind::TopK(plan) => Sink::TopK(Box::new(TopK::new(plan, setup.keep, context))),
            GeneratorKind::Reduce(plan) => {
                let layout = setup.layout.as_ref().unwrap_or(&plan.layout);
                Sink::Groups(Box::new(Reducer::new(plan, layout, context)?))
            }
        })
    }

    /// Takes the active tuples of a tile.
    pub(super) fn update(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        match self {
            Sink::Rows { scalars, columns, rows, rows_max } => {
                if *rows >= *rows_max {
                    return Ok(());
                }
                if columns.is_empty() {
                    columns.resize_with(scalars.len(), || Gathered::of_type(DataType::Null));
                }
                for (&scalar, column) in scalars.iter().zip(columns) {
                    tile.evaluate(scalar)?;
                    column.append(tile.vector(scalar));
                }
                *rows += tile.len();
                Ok(())
            }
            Sink::Groups(reducer) => reducer.update(tile),
            Sink::TopK(top_k) => top_k.update(tile),
        }
    }

    /// Ends a piece of work: gives its rows, counts the rest.
    pub(super) fn end_piece(&mut self, context: &Context) -> Result<Option<PieceRows>> {
        match self {
            Sink::Rows { scalars, columns, rows, .. } => {
                let mut reservation = Reservation::new(&context.memory);
                reservation.add(columns.iter().map(Gathered::bytes).sum())?;
                let mut columns = std::mem::take(columns);
                columns.resize_with(scalars.len(), || Gathered::of_type(DataType::Null));
                Ok(Some(PieceRows { columns, rows: std::mem::take(rows), reservation }))
            }
            Sink::Groups(reducer) => reducer.account().map(|()| None),
            Sink::TopK(top_k) => top_k.account().map(|()| None),
        }
    }

    /// The groups of a reduction.
    pub(super) fn into_reducer(self) -> Result<Reducer<'p>> {
        if let Sink::Groups(reducer) = self { Ok(*reducer) } else { Err(Error::internal("no reduction")) }
    }

    /// The rows of a top-k.
    pub(super) fn into_top_k(self) -> Result<TopK<'p>> {
        if let Sink::TopK(top_k) = self { Ok(*top_k) } else { Err(Error::internal("no top-k")) }
    }
}
