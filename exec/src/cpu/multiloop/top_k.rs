//! Top-k: the first rows in an order. Every worker keeps the best rows that it has seen and drops the rest from time
//! to time; from then on rows that come behind the last of them are left out before their fields are computed, but for fields that
//! may fail, which are computed of all rows. What is left of all workers is cut at the end.

use crate::Result;
use crate::column::order_key::{float_key, text_order};
use crate::cpu::expression::tile::Tile;
use crate::cpu::multiloop::last_row::{self, Compared};
use crate::cpu::sort::order::{RowOrder, SORTED_BYTES, Ties};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::{Vector, VectorData, builder};
use crate::plan::tree::TopKPlan;
use crate::workers::context::{Context, Reservation};
use crate::workers::schedule::Workers;
use multiloop_planner::types::SortOrder;

/// The best rows of one worker.
pub(crate) struct TopK<'p> {
    plan: &'p TopKPlan,
    /// Rows to keep: limit + offset.
    keep: usize,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    /// The arguments by which rows are compared, and whether rows that are equal in them are the same.
    compared: (Vec<Compared>, bool),
    /// What the last row to keep is in these, as constants, once there are enough rows: what comes behind it is not wanted.
    last: Vec<Vector>,
    memory: last_row::Memory,
    /// Rows beyond twice those to keep at which the rest is dropped next.
    cut_rows: usize,
    context: &'p Context,
    reservation: Reservation,
}

/// Rows beyond twice those to keep at which the rest is dropped: few at first, since a row that is known early rejects the most; more
/// each time, for where rows come the worst first none is rejected.
const FIRST_CUT_ROWS: usize = 1 << 7;
const CUT_ROWS: usize = 1 << 12;

/// Rows beyond those to keep that are looked at before the others of a large tile are compared with the last of them.
const FIRST_ROWS: usize = 1 << 9;

/// What ranges of chunks know of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastKey {
    Null,
    /// A number in the order of values.
    Of(i64),
    Unknown,
}

impl<'p> TopK<'p> {
    /// No rows yet.
    pub(crate) fn new(plan: &'p TopKPlan, keep: usize, context: &'p Context) -> Self {
        let (columns, reservation) = (new_columns(plan), Reservation::new(&context.memory));
        let (compared, last, memory) = (Compared::all(plan), Vec::new(), last_row::Memory::default());
        TopK { plan, keep, columns, rows: 0, compared, last, memory, cut_rows: FIRST_CUT_ROWS, context, reservation }
    }

    /// Of the last row to keep what it is in an argument by which rows are compared, as ranges of chunks have it; none as long as
    /// there are not enough rows.
    pub(super) fn last_key(&self, at: usize) -> Option<LastKey> {
        let last = self.last.get(at)?;
        Some(match &last.data {
            _ if last.is_null(0) => LastKey::Null,
            VectorData::F64(values) => LastKey::Of(float_key(values[0])),
            _ => match (last.integer(0), last.text(0)) {
                (Some(integer), _) => i64::try_from(integer).map_or(LastKey::Unknown, LastKey::Of),
                (_, Some(text)) => LastKey::Of(text_order(text.as_bytes())),
                _ => LastKey::Unknown,
            },
        })
    }

    /// The same, of a text that is not NULL.
    pub(super) fn last_text(&self, at: usize) -> Option<&str> {
        self.last.get(at).filter(|last| !last.is_null(0))?.text(0)
    }

    /// Offers the active tuples of a tile.
    pub(crate) fn update(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        let mark = tile.depth();
        let outcome = self.offer(tile);
        tile.truncate(mark);
        outcome
    }

    fn offer(&mut self, tile: &mut Tile<'_>) -> Result<()> {
        if self.plan.rejects {
            self.plan.failing.iter().try_for_each(|&argument| tile.evaluate_numerics(argument))?;
            let taken = self.begin(tile)?;
            if !self.last.is_empty() {
                let compared = (&self.compared.0[..], self.compared.1);
                last_row::reject(tile, compared, &self.last, taken, &mut self.memory)?;
            }
        }
        self.append(tile)
    }

    /// Takes the first tuples of a tile that has many more than are kept, so that the others are compared with the last of these.
    /// Gives how many it took.
    fn begin(&mut self, tile: &mut Tile<'_>) -> Result<usize> {
        let first = self.keep.saturating_add(FIRST_ROWS);
        if !self.last.is_empty() || self.compared.0.is_empty() || self.keep == 0 || tile.len() / 2 < first {
            return Ok(0);
        }
        let (mark, positions) = (tile.depth(), (0..first as u32).collect::<Vec<u32>>());
        tile.select(&positions);
        let outcome = self.append(tile).and_then(|()| self.cut());
        tile.truncate(mark);
        outcome.map(|()| first)
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
        if self.rows > self.keep.saturating_mul(2).saturating_add(self.cut_rows) {
            self.cut()?;
            self.cut_rows = CUT_ROWS.min(self.cut_rows * 2);
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
            let last = self.rows.checked_sub(1);
            let value = |argument: &Compared| Some(constant(&self.columns[argument.place], last? as u32));
            self.last = self.compared.0.iter().map_while(value).collect();
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

/// The value of a row as a constant.
fn constant(column: &ColumnBuilder, row: u32) -> Vector {
    Vector { constant: true, ..column.take(&[row]).into_vector() }
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
