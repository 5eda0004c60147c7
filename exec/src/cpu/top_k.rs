//! Top-k: the first rows in an order. Every worker keeps the best rows that it has seen and drops the rest from time
//! to time; what is left of all workers is cut at the end.

use super::gather::{self, Gathered};
use super::order::RowOrder;
use super::plan::TopKPlan;
use super::tile::{TILE_ROWS, Tile};
use crate::Result;
use crate::context::{Context, Reservation};
use multiloop_planner::relation::SortOrder;

/// The best rows of one worker.
pub(super) struct TopK<'p> {
    plan: &'p TopKPlan<'p>,
    /// Rows to keep: limit + offset.
    keep: usize,
    columns: Vec<Gathered>,
    rows: usize,
    reservation: Reservation,
}

impl<'p> TopK<'p> {
    /// No rows yet.
    pub(super) fn new(plan: &'p TopKPlan<'p>, keep: usize, context: &Context) -> Self {
        let columns = new_columns(plan);
        TopK { plan, keep, columns, rows: 0, reservation: Reservation::new(&context.memory) }
    }

    /// Offers the active tuples of a tile.
    pub(super) fn update(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        for (&argument, column) in self.plan.arguments.iter().zip(&mut self.columns) {
            tile.evaluate(argument)?;
            column.append(tile.vector(argument));
        }
        self.rows += tile.len();
        if self.rows > self.keep.saturating_mul(2).saturating_add(TILE_ROWS * 4) {
            self.cut();
        }
        self.account()
    }

    /// Counts what is held against the memory limit.
    pub(super) fn account(&mut self) -> Result<()> {
        self.reservation.resize(self.columns.iter().map(Gathered::bytes).sum())
    }

    fn cut(&mut self) {
        let kept = first(self.plan, &self.columns, self.rows, self.keep);
        self.columns.iter_mut().for_each(|column| *column = column.take(&kept));
        self.rows = kept.len();
    }
}

fn new_columns(plan: &TopKPlan<'_>) -> Vec<Gathered> {
    plan.types.iter().map(|&data_type| Gathered::new(gather::register_of(data_type))).collect()
}

fn first(plan: &TopKPlan<'_>, columns: &[Gathered], rows: usize, keep: usize) -> Vec<u32> {
    let order: Vec<(usize, SortOrder)> = plan.order.iter().copied().enumerate().collect();
    RowOrder { columns, order: &order }.first(rows, keep)
}

/// The rows of all workers from `offset` on, `limit` of them, in order: the fields without the order keys.
pub(super) fn finish(all: Vec<TopK<'_>>, offset: usize, keep: usize) -> (Vec<Gathered>, usize) {
    let mut all = all.into_iter();
    let Some(mut top) = all.next() else { return (Vec::new(), 0) };
    for other in all {
        top.rows += other.rows;
        top.columns.iter_mut().zip(other.columns).for_each(|(column, more)| column.append_all(more));
    }
    let kept = first(top.plan, &top.columns, top.rows, keep);
    let kept = kept.get(offset..).unwrap_or_default();
    let fields = &top.columns[top.plan.order.len()..];
    (fields.iter().map(|column| column.take(kept)).collect(), kept.len())
}
