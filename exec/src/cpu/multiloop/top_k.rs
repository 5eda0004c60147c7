//! Top-k: the first rows in an order. Every worker keeps the best rows that it has seen and drops the rest from time
//! to time; from then on rows that come behind the last of them are left out before their fields are computed. What is
//! left of all workers is cut at the end.

use crate::Result;
use crate::column::order_key::float_key;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::fill_truth_of;
use crate::cpu::sort::order::{RowOrder, SORTED_BYTES, Ties};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::{VectorData, builder};
use crate::plan::tree::TopKPlan;
use crate::workers::context::{Context, Reservation};
use crate::workers::schedule::Workers;
use multiloop_planner::types::SortOrder;
use multiloop_planner::value::compare_floats;
use std::cmp::Ordering;

/// The best rows of one worker.
pub(crate) struct TopK<'p> {
    plan: &'p TopKPlan,
    /// Rows to keep: limit + offset.
    keep: usize,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    /// The first order key of the last row to keep, once there are enough: what comes behind it is not wanted.
    last: Option<Last>,
    mask: Bitmap,
    positions: Vec<u32>,
    context: &'p Context,
    reservation: Reservation,
}

/// Rows beyond twice those to keep at which the rest is dropped: few, since what is dropped early rejects the most.
const CUT_ROWS: usize = 1 << 12;

/// A value that is not NULL.
#[derive(Clone, Copy)]
enum Last {
    Integer(i64),
    Float(f64),
}

impl<'p> TopK<'p> {
    /// No rows yet.
    pub(crate) fn new(plan: &'p TopKPlan, keep: usize, context: &'p Context) -> Self {
        let columns = new_columns(plan);
        let reservation = Reservation::new(&context.memory);
        let (mask, positions) = (Bitmap::default(), Vec::new());
        TopK { plan, keep, columns, rows: 0, last: None, mask, positions, context, reservation }
    }

    /// The first order key of the last row to keep, as ranges of chunks have it: what comes behind it is not wanted.
    pub(crate) fn last_key(&self) -> Option<i64> {
        Some(match self.last? {
            Last::Integer(value) => value,
            Last::Float(value) => float_key(value),
        })
    }

    /// Offers the active tuples of a tile.
    pub(crate) fn update(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        let mark = tile.depth();
        self.reject(tile)?;
        let outcome = self.append(tile);
        tile.truncate(mark);
        outcome
    }

    /// Leaves out tuples that come behind the last row to keep.
    fn reject(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        let (Some(last), Some(&first), Some(order)) = (self.last, self.plan.arguments.first(), self.plan.order.first())
        else {
            return Ok(());
        };
        tile.evaluate(first)?;
        let vector = tile.vector(first);
        if vector.constant {
            return Ok(());
        }
        let wanted = |ordering: Ordering| if order.descending { ordering.is_ge() } else { ordering.is_le() };
        let mask = &mut self.mask;
        match (&vector.data, last) {
            (VectorData::I32(values), Last::Integer(last)) => {
                fill_truth_of(values, mask, |value| wanted(i64::from(value).cmp(&last)));
            }
            (VectorData::I64(values), Last::Integer(last)) => {
                fill_truth_of(values, mask, |value| wanted(value.cmp(&last)));
            }
            (VectorData::I128(values), Last::Integer(last)) => {
                fill_truth_of(values, mask, |value| wanted(value.cmp(&last.into())));
            }
            (VectorData::F64(values), Last::Float(last)) => {
                fill_truth_of(values, mask, |value| wanted(compare_floats(value, last)));
            }
            _ => return Ok(()),
        }
        if let Some(valid) = &vector.nulls {
            // NULLs come before all values, or behind them.
            if order.nulls_first {
                let mut nulls = valid.clone();
                nulls.invert();
                mask.or(&nulls);
            } else {
                mask.and(valid);
            }
        }
        if mask.count_ones() < tile.len() {
            self.positions.clear();
            mask.push_positions(&mut self.positions);
            tile.select(&self.positions);
        }
        Ok(())
    }

    fn append(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        if tile.is_empty() {
            return Ok(());
        }
        for (&argument, column) in self.plan.arguments.iter().zip(&mut self.columns) {
            tile.evaluate(argument)?;
            column.append(tile.vector(argument));
        }
        self.rows += tile.len();
        if self.rows > self.keep.saturating_mul(2).saturating_add(CUT_ROWS) {
            self.cut()?;
        }
        self.account()
    }

    /// Counts what is held against the memory limit.
    pub(crate) fn account(&mut self) -> Result<()> {
        self.reservation.resize(self.columns.iter().map(ColumnBuilder::bytes).sum())
    }

    /// Drops the rows that come behind those to keep.
    fn cut(&mut self) -> Result<()> {
        let alone = Workers { pool: None, context: self.context };
        let kept = self.first(alone)?;
        self.columns.iter_mut().for_each(|column| *column = column.take(&kept));
        self.rows = kept.len();
        if self.plan.rejects && self.rows == self.keep {
            self.last = self.columns.first().and_then(|column| last(column, self.rows.checked_sub(1)?));
        }
        Ok(())
    }

    fn shortened(mut self) -> Result<Self> {
        if self.rows > self.keep {
            self.cut()?;
        }
        Ok(self)
    }

    /// The first rows, in order.
    fn first(&self, workers: Workers<'_>) -> Result<Vec<u32>> {
        let mut numbers = Reservation::new(&workers.context.memory);
        numbers.add(self.rows * SORTED_BYTES)?;
        let order: Vec<(usize, SortOrder)> = self.plan.order.iter().copied().enumerate().collect();
        RowOrder { columns: &self.columns, order: &order, ties: Ties::ByFields }.first(self.rows, self.keep, workers)
    }
}

/// The value of a row; none of NULL and of what is not compared quickly.
fn last(column: &ColumnBuilder, row: usize) -> Option<Last> {
    match &column.data {
        _ if column.is_null(row) => None,
        BuilderData::I32(values) => Some(Last::Integer(values[row].into())),
        BuilderData::I64(values) => Some(Last::Integer(values[row])),
        BuilderData::I128(values) => i64::try_from(values[row]).ok().map(Last::Integer),
        BuilderData::F64(values) => Some(Last::Float(values[row])),
        _ => None,
    }
}

fn new_columns(plan: &TopKPlan) -> Vec<ColumnBuilder> {
    plan.types.iter().map(|&data_type| ColumnBuilder::new(builder::register_of(data_type))).collect()
}

/// The rows of all workers from `offset` on, `limit` of them, in order: the fields without the order keys.
pub(crate) fn finish(all: Vec<TopK<'_>>, offset: usize, workers: Workers<'_>) -> Result<(Vec<ColumnBuilder>, usize)> {
    let mut all = if all.len() > 1 { workers.map(all, TopK::shortened)? } else { all }.into_iter();
    let Some(mut top) = all.next() else { return Ok((Vec::new(), 0)) };
    for other in all {
        top.rows += other.rows;
        top.columns.iter_mut().zip(other.columns).for_each(|(column, more)| column.append_all(more));
    }
    let kept = top.first(workers)?;
    let kept = kept.get(offset..).unwrap_or_default();
    let fields = &top.columns[top.plan.order.len()..];
    Ok((fields.iter().map(|column| column.take(kept)).collect(), kept.len()))
}
