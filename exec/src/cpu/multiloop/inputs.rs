//! What other backends read of the CPU's collections.

use crate::backend::Held;
use crate::backend::inputs::{Grouped, Inputs};
use crate::collections::made::Made;
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Column, ColumnData, Dictionary};
use crate::cpu::collections::stored::{Buckets, Stored};
use crate::cpu::expression::tile::Tile;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::ground_value;
use crate::cpu::multiloop::layout::layout;
use crate::cpu::multiloop::prune_chunks::{self, Run};
use crate::cpu::vector::rows::{Source as TileSource, TILE_ROWS};
use crate::plan::key_layout::KeyLayout;
use crate::plan::nodes::Operation;
use crate::plan::statistics::CODE;
use crate::plan::tree::{GeneratorKind, LoopPlan};
use crate::workers::context::Context;
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use multiloop_planner::multiloop::{CollectionId, ScalarId, Source};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// What a loop that another backend runs reads of a frame.
pub(crate) struct Reading<'f> {
    pub(crate) frame: &'f Frame<'f>,
    pub(crate) plan: &'f LoopPlan,
    pub(crate) pool: Option<&'f Pool>,
}

impl Inputs for Reading<'_> {
    fn held(&self, id: CollectionId) -> Result<Option<Arc<dyn Held>>> {
        Ok(match self.frame.made(id)? {
            Made::Host(_) => None,
            Made::Held(kept) => Some(Arc::clone(&kept.held)),
        })
    }

    fn rows(&self, id: CollectionId) -> Result<RowSet> {
        self.here(id)?.rows().cloned()
    }

    fn buckets(&self, id: CollectionId) -> Result<Grouped> {
        let stored = self.here(id)?;
        let Buckets { index, members, keys, .. } = stored.buckets()?;
        let keys = keys.clone().ok_or_else(|| Error::internal("the keys of these buckets were not kept"))?;
        let starts = match &index.spans {
            Spans::Unique => (0..=members.rows as u32).collect(),
            Spans::Starts(starts) => starts.clone(),
        };
        Ok(Grouped { keys, starts, members: members.row_set()? })
    }

    fn empty(&self, id: CollectionId) -> Result<Vec<Value>> {
        Ok(self.here(id)?.groups()?.empty.clone())
    }

    fn layout(&self, generator: usize) -> Result<KeyLayout> {
        let (key, planned, are_looked_up) = match &self.plan.generators[generator].kind {
            GeneratorKind::Reduce(reduce) => (reduce.parts(), &reduce.layout, reduce.index.is_some()),
            GeneratorKind::BucketCollect(bucket) => (&bucket.key[..], &bucket.layout, true),
            GeneratorKind::Collect { .. } | GeneratorKind::TopK(_) => {
                return Err(Error::internal("the keys of a generator that has none"));
            }
        };
        let rows = match &self.plan.levels[..] {
            [level] if matches!(level.source, Source::Rows(_)) => {
                self.ranges()?.iter().map(|rows| rows.len() as u64).sum()
            }
            _ => 0,
        };
        layout(self.frame, self.plan, (key, planned, are_looked_up), (rows, self.workers()))
    }

    fn chunks(&self) -> Result<Vec<Run>> {
        match self.outermost()? {
            Outermost::Held(rows) => Ok(vec![(0, 0..rows)]),
            Outermost::Here(stored) => prune_chunks::runs(self.frame, self.plan, stored.outermost()?),
        }
    }

    fn ranges(&self) -> Result<Vec<Range<usize>>> {
        match self.outermost()? {
            Outermost::Held(rows) => Ok(Some(0..rows).into_iter().collect()),
            Outermost::Here(stored) => prune_chunks::ranges(self.frame, self.plan, stored.outermost()?),
        }
    }

    fn ground(&self, scalar: ScalarId) -> Result<Value> {
        let node = &self.plan.expressions.nodes[self.plan.expressions.number(scalar)];
        ground_value(self.frame, &self.plan.expressions, scalar, node.data_type)
    }

    fn over_dictionary(&self, condition: ScalarId, dictionary: &Arc<Dictionary>) -> Result<Option<BooleanBuffer>> {
        let Some(index) = text_column(self.plan, condition) else { return Ok(None) };
        let all = dictionary.len() as u32 + 1;
        let codes: Vec<u32> = (0..all - 1).chain([0]).collect();
        let valid = NullBuffer::from_iter((0..all).map(|code| code + 1 < all));
        let data = ColumnData::Dictionary32 { codes: codes.into(), dictionary: Arc::clone(dictionary) };
        let column = Column::new(data, Some(valid));
        let chunk = Arc::new(Chunk::new(all as usize, vec![column]));
        let mut tile = Tile::new(&self.plan.expressions, self.frame, self.frame.bindings());
        for at in 0..=index {
            let fields = Some(std::iter::repeat_n(0, self.width(at)).collect());
            tile.set_source(at, TileSource::Chunk { chunk: Arc::clone(&chunk), fields });
        }
        let mut truth: Vec<bool> = Vec::with_capacity(all as usize);
        for first in (0..all).step_by(TILE_ROWS) {
            self.context().check()?;
            let rows: Vec<u32> = (first..all.min(first + TILE_ROWS as u32)).collect();
            if index == 0 {
                tile.start(first, rows.len());
            } else {
                tile.start(0, 1);
                (1..index).for_each(|_| tile.expand(&[0], &[0]));
                tile.expand(&vec![0; rows.len()], &rows);
            }
            tile.evaluate(condition)?;
            let vector = tile.vector(condition);
            truth.extend((0..rows.len()).map(|row| vector.value(row, DataType::Boolean).is_true()));
        }
        Ok(Some(BooleanBuffer::from(truth)))
    }

    fn parameters(&self) -> &[Value] {
        self.frame.shared.parameters
    }

    fn takes_notes(&self) -> bool {
        self.frame.shared.notes.is_some()
    }

    fn note(&self, what: String) {
        self.frame.note(0, || what);
    }

    fn note_code(&self, code: String) {
        self.frame.note(CODE, || code);
    }

    fn context(&self) -> &Context {
        self.frame.shared.context
    }

    fn workers(&self) -> Workers<'_> {
        Workers { pool: self.pool, context: self.context() }
    }
}

/// What the outermost index goes over.
enum Outermost {
    /// So many rows that a device holds.
    Held(usize),
    Here(Arc<Stored>),
}

impl Reading<'_> {
    fn outermost(&self) -> Result<Outermost> {
        let Some(Source::Rows(collection)) = self.plan.levels.first().map(|level| &level.source) else {
            return Err(Error::internal("the chunks of what has none"));
        };
        let made = self.frame.made(*collection)?;
        match (made.on_host(), &made) {
            (None, Made::Held(kept)) => kept.held.rows().map(Outermost::Held),
            _ => self.here(*collection).map(Outermost::Here),
        }
    }

    /// A collection on the host.
    fn here(&self, id: CollectionId) -> Result<Arc<Stored>> {
        self.frame.get_with(id, self.pool)
    }

    /// One more than the last field that is read of an index.
    fn width(&self, at: usize) -> usize {
        let field = |operation: &Operation| match operation {
            Operation::Column { index, field, .. } if *index == at => Some(*field as usize + 1),
            _ => None,
        };
        self.plan.expressions.nodes.iter().filter_map(|node| field(&node.operation)).max().unwrap_or(0)
    }
}

/// The index whose column a condition reads, if it reads one column, which is text, and what it computes cannot fail.
fn text_column(plan: &LoopPlan, condition: ScalarId) -> Option<usize> {
    let nodes = &plan.expressions.nodes;
    let root = plan.expressions.number(condition) as u32;
    let is_plain = |number: u32| !nodes[number as usize].may_fail && !nodes[number as usize].volatile;
    let (mut read, mut stack) = (None, vec![root]);
    while let Some(number) = stack.pop() {
        let node = &nodes[number as usize];
        match &node.operation {
            Operation::Column { index, .. } => {
                let is_text = matches!(node.data_type, DataType::Text | DataType::Varchar(_) | DataType::Char(_));
                if !is_text || read.is_some_and(|other| other != (number, *index)) {
                    return None;
                }
                read = Some((number, *index));
            }
            Operation::Captured { .. } | Operation::Nested { .. } => return None,
            other => stack.extend(other.arguments()),
        }
    }
    read.filter(|_| is_plain(root)).map(|(_, index)| index)
}
