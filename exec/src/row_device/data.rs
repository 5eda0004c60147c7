//! Collections as they are read: rows, or buckets of them, of the host or kept by the device.

use super::keep::Keeps;
use crate::Result;
use crate::backend::Task;
use crate::backend::inputs::{Grouped, Inputs};
use crate::collections::rows::RowSet;
use crate::plan::tree::{GeneratorKind, LetKind, Plan};
use multiloop_planner::multiloop::CollectionId;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::sync::Arc;

/// A row, one value a field.
pub(super) type Row = Vec<Value>;

/// A collection.
pub(super) struct Data {
    form: Form,
    /// The types of its keys, if it has some.
    key_types: Vec<DataType>,
    /// By the [`Value::group_key`] of its key: which row, or bucket.
    positions: OnceCell<FxHashMap<Row, usize>>,
    /// What a lookup gives that finds nothing.
    empty: Row,
}

enum Form {
    Rows(RowSet),
    Buckets(Grouped),
    Kept(Arc<dyn crate::backend::Held>),
}

impl Data {
    /// A collection that a loop reads.
    pub(super) fn read(task: &Task<'_>, inputs: &dyn Inputs, id: CollectionId) -> Result<Self> {
        let (plan, maker) = (task.plan, maker(task.plan, id));
        let types = plan.types(id);
        let key_types = match maker {
            Some(GeneratorKind::BucketCollect(bucket)) => bucket.key_types.clone(),
            Some(GeneratorKind::Reduce(reduce)) => reduce.key_types.clone(),
            _ => Vec::new(),
        };
        debug_assert!(key_types.len() <= types.len(), "keys are fields");
        let positions = OnceCell::new();
        if let Some(held) = inputs.held(id)?
            && held.as_any().is::<Keeps>()
        {
            return Ok(Data { form: Form::Kept(held), key_types, positions, empty: Row::new() });
        }
        if let Some(GeneratorKind::BucketCollect(_)) = maker {
            return Ok(Data { form: Form::Buckets(inputs.buckets(id)?), key_types, positions, empty: Row::new() });
        }
        let is_groups = matches!(maker, Some(GeneratorKind::Reduce(reduce)) if reduce.key.is_some());
        let empty = if is_groups { inputs.empty(id)? } else { Row::new() };
        Ok(Data { form: Form::Rows(inputs.rows(id)?), key_types, positions, empty })
    }

    /// What the device itself keeps.
    pub(super) fn kept(&self) -> Option<&Keeps> {
        match &self.form {
            Form::Kept(held) => held.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// How many rows; of buckets how many of these.
    pub(super) fn rows(&self) -> usize {
        match &self.form {
            Form::Rows(rows) => rows.rows,
            Form::Buckets(grouped) => grouped.keys.rows,
            Form::Kept(_) => self.kept().map_or(0, Keeps::row_count),
        }
    }

    /// The first row of each chunk, where it has some.
    pub(super) fn chunk_starts(&self) -> Vec<usize> {
        let Form::Rows(rows) = &self.form else { return vec![0] };
        let start = |chunk: usize| rows.chunks[..chunk].iter().map(|chunk| chunk.rows).sum();
        (0..rows.chunks.len()).map(start).collect()
    }

    /// A field of a row; of buckets of the key.
    pub(super) fn value(&self, row: usize, field: u32, data_type: DataType) -> Value {
        match &self.form {
            Form::Rows(rows) => rows.value(row as u32, field, data_type),
            Form::Buckets(grouped) => grouped.keys.value(row as u32, field, data_type),
            Form::Kept(_) => self.kept().map_or(Value::Null, |kept| kept.value(row, field)),
        }
    }

    /// How many rows a bucket has.
    pub(super) fn members(&self, bucket: usize) -> usize {
        match &self.form {
            Form::Rows(_) => 0,
            Form::Buckets(grouped) => (grouped.starts[bucket + 1] - grouped.starts[bucket]) as usize,
            Form::Kept(_) => self.kept().map_or(0, |kept| kept.members(bucket).len()),
        }
    }

    /// A field of a row of a bucket.
    pub(super) fn member(&self, (bucket, at): (usize, usize), field: u32, data_type: DataType) -> Value {
        match &self.form {
            Form::Rows(_) => Value::Null,
            Form::Buckets(grouped) => grouped.members.value(grouped.starts[bucket] + at as u32, field, data_type),
            Form::Kept(_) => self.kept().map_or(Value::Null, |kept| kept.members(bucket)[at][field as usize].clone()),
        }
    }

    /// The row, or bucket, of a key.
    pub(super) fn find(&self, key: &Row) -> Option<usize> {
        let key_of = |row: usize| {
            let parts = (0..).zip(&self.key_types);
            parts.map(|(field, &data_type)| self.value(row, field, data_type).group_key()).collect::<Row>()
        };
        let positions = self.positions.get_or_init(|| (0..self.rows()).map(|row| (key_of(row), row)).collect());
        positions.get(key).copied()
    }

    /// What a lookup gives that finds nothing.
    pub(super) fn empty(&self, field: u32) -> Value {
        let empty = self.kept().map_or(&self.empty, Keeps::empty);
        empty.get(field as usize).cloned().unwrap_or(Value::Null)
    }
}

/// The generator that makes a collection; none of a table, or of what is made otherwise.
fn maker(plan: &Plan, id: CollectionId) -> Option<&GeneratorKind> {
    plan.blocks.iter().flat_map(|block| &block.lets).find_map(|definition| {
        let at = definition.defines.iter().position(|&define| define == id)?;
        match &definition.kind {
            LetKind::Loop(of) => Some(&of.generators[at].kind),
            _ => None,
        }
    })
}
