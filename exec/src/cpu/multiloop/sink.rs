//! The sinks of a loop: the state that each generator keeps while tiles pass.
//!
//! Rows (Collect, BucketCollect, top-k without an order) are kept by piece of work, so that they can be put together
//! in order; groups and ordered top-k by worker, because their merge does not depend on who had what.

use super::top_k::TopK;
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::reduce::Reducer;
use crate::cpu::reduce::group_filter::GroupFilter;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::rows::Source as TileSource;
use crate::plan::group_kind::Numbering;
use crate::plan::key_layout::KeyLayout;
use crate::plan::tree::{BucketPlan, GeneratorKind, GeneratorPlan};
use crate::workers::context::{Context, Reservation};
use crate::{Error, Result};
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;

/// One generator's state in one worker.
pub(crate) enum Sink<'p> {
    Rows(Box<RowSink>),
    Groups(Box<Reducer<'p>>),
    TopK(Box<TopK<'p>>),
}

/// The rows of the piece at hand.
pub(crate) struct RowSink {
    /// Keys, then values.
    scalars: Vec<ScalarId>,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    /// Rows of a piece beyond which no more are wanted.
    rows_max: usize,
    reservation: Reservation,
}

/// The rows that one piece of work gave.
pub(crate) struct PieceRows {
    pub(crate) columns: Vec<ColumnBuilder>,
    pub(crate) rows: usize,
    /// What they count for.
    pub(crate) reservation: Reservation,
}

/// What a generator needs to know before it starts.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The layout of the keys of a reduction, and how its groups are numbered; none of one without a key.
    pub(crate) keys: Option<(KeyLayout, Numbering)>,
    /// How many workers share the rows.
    pub(crate) workers: usize,
    /// Where they cut an array over the codes of groups.
    pub(crate) splitters: SharedSplitters,
    /// Of top-k limit + offset, and offset.
    pub(crate) keep: usize,
    pub(crate) offset: usize,
    /// The rows of buckets that leave them where they are.
    pub(crate) members: Option<TileSource>,
}

impl<'p> Sink<'p> {
    /// Nothing yet. Of groups the only reader may have conditions.
    pub(crate) fn new(
        plan: &'p GeneratorPlan,
        setup: &Setup,
        group_filter: Option<GroupFilter<'p>>,
        context: &'p Context,
    ) -> Result<Self> {
        let rows = |scalars: Vec<ScalarId>, rows_max: usize| {
            let reservation = Reservation::new(&context.memory);
            Sink::Rows(Box::new(RowSink { scalars, columns: Vec::new(), rows: 0, rows_max, reservation }))
        };
        Ok(match &plan.kind {
            GeneratorKind::Collect { value, .. } => rows(value.clone(), usize::MAX),
            GeneratorKind::BucketCollect(bucket) if setup.members.is_some() => rows(bucket.key.clone(), usize::MAX),
            GeneratorKind::BucketCollect(BucketPlan { key, value, .. }) => {
                rows(key.iter().chain(value).copied().collect(), usize::MAX)
            }
            GeneratorKind::TopK(plan) if plan.order.is_empty() => rows(plan.arguments.clone(), setup.keep),
            GeneratorKind::TopK(plan) => Sink::TopK(Box::new(TopK::new(plan, setup.keep, context))),
            GeneratorKind::Reduce(plan) => {
                let reducer = Reducer::new(plan, setup.keys.as_ref(), setup.workers, &setup.splitters, context)?;
                Sink::Groups(Box::new(match group_filter {
                    Some(group_filter) => reducer.group_filter(group_filter),
                    None => reducer,
                }))
            }
        })
    }

    /// Begins a piece of work.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        if let Sink::Groups(reducer) = self {
            reducer.begin_piece(piece);
        }
    }

    /// Takes the active tuples of a tile that pass the conditions.
    pub(crate) fn update_where(&mut self, tile: &mut Tile<'_>, conditions: &[ScalarId]) -> Result<()> {
        match self {
            Sink::Groups(reducer) if !conditions.is_empty() && reducer.takes_masks() => {
                return reducer.update_where(tile, conditions);
            }
            _ if !conditions.is_empty() => tile.filter(conditions)?,
            _ => {}
        }
        if tile.is_empty() { Ok(()) } else { self.update(tile) }
    }

    /// Whether it counts rows, and does nothing else.
    pub(crate) fn counts_rows(&self) -> bool {
        if let Sink::Groups(reducer) = self { reducer.counts_rows() } else { false }
    }

    /// Counts so many rows more, if it counts rows alone.
    pub(crate) fn add_rows(&mut self, rows: usize) {
        if let Sink::Groups(reducer) = self {
            reducer.add_rows(rows);
        }
    }

    fn update(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        match self {
            Sink::Rows(rows) => rows.update(tile),
            Sink::Groups(reducer) => reducer.update(tile, None),
            Sink::TopK(top_k) => top_k.update(tile),
        }
    }

    /// The numbers that have been collected in this piece, if that is all that is collected.
    pub(crate) fn numbers(&self) -> &[i32] {
        match self {
            Sink::Rows(rows) => match rows.columns.first().map(|column| &column.data) {
                Some(BuilderData::I32(numbers)) => numbers,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Whether more rows of this piece change nothing.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Sink::Rows(rows) => rows.rows >= rows.rows_max,
            Sink::Groups(reducer) => reducer.is_decided(),
            Sink::TopK(_) => false,
        }
    }

    /// Whether a piece of work has decided a reduction.
    pub(crate) fn recall(&mut self) -> bool {
        if let Sink::Groups(reducer) = self { reducer.recall() } else { false }
    }

    /// Ends a piece of work: gives its rows, counts the rest.
    pub(crate) fn end_piece(&mut self) -> Result<Option<PieceRows>> {
        match self {
            Sink::Rows(rows) => Ok(Some(rows.end_piece())),
            Sink::Groups(reducer) => reducer.end_piece().map(|()| None),
            Sink::TopK(top_k) => top_k.account().map(|()| None),
        }
    }

    /// The groups of a reduction.
    pub(crate) fn into_reducer(self) -> Result<Reducer<'p>> {
        if let Sink::Groups(reducer) = self { Ok(*reducer) } else { Err(Error::internal("no reduction")) }
    }

    /// The rows of a top-k.
    pub(crate) fn into_top_k(self) -> Result<TopK<'p>> {
        if let Sink::TopK(top_k) = self { Ok(*top_k) } else { Err(Error::internal("no top-k")) }
    }
}

impl RowSink {
    fn update(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        if self.rows >= self.rows_max {
            return Ok(());
        }
        self.columns.resize_with(self.scalars.len(), || ColumnBuilder::of_type(DataType::Null));
        for (&scalar, column) in self.scalars.iter().zip(&mut self.columns) {
            tile.evaluate_numerics(scalar)?;
            column.append(tile.vector(scalar));
        }
        self.rows += tile.len();
        self.reservation.resize(self.columns.iter().map(ColumnBuilder::bytes).sum())
    }

    fn end_piece(&mut self) -> PieceRows {
        let mut columns = std::mem::take(&mut self.columns);
        columns.resize_with(self.scalars.len(), || ColumnBuilder::of_type(DataType::Null));
        let empty = self.reservation.fork();
        let reservation = std::mem::replace(&mut self.reservation, empty);
        PieceRows { columns, rows: std::mem::take(&mut self.rows), reservation }
    }
}
