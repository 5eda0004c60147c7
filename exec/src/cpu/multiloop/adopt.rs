//! What another backend hands back, in the forms in which this one reads collections; and collections as it hands them out.

use crate::collections::given::{Given, Grouped, Inputs, Residence};
use crate::collections::rows::RowSet;
use crate::cpu::collections::stored::{Buckets, Stored};
use crate::cpu::expression::load::load;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::index_groups;
use crate::cpu::multiloop::lookup::register_for;
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::Gathered;
use crate::cpu::vector::rows::{Rows, Source};
use crate::plan::tree::{BucketPlan, GeneratorKind, LoopPlan};
use crate::workers::context::Context;
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::multiloop::CollectionId;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The collections that a loop defines, of what a backend gave for each of its generators.
pub(crate) fn adopt(
    frame: &Frame<'_>,
    plan: &LoopPlan,
    defines: &[CollectionId],
    given: Vec<Given>,
    pool: Option<&Pool>,
) -> Result<Vec<Arc<Stored>>> {
    let workers = Workers { pool, context: frame.shared.context };
    if given.len() != plan.generators.len() {
        return Err(Error::internal("a backend gave too few collections, or too many"));
    }
    let one = |(number, (given, &define)): (usize, (Given, &CollectionId))| {
        let stored = match (&plan.generators[number].kind, given) {
            (GeneratorKind::Collect { .. } | GeneratorKind::TopK(_), Given::Rows(rows)) => Stored::Rows(rows),
            (GeneratorKind::Reduce(reduce), Given::Rows(rows)) if reduce.key.is_none() && rows.rows == 1 => {
                Stored::Rows(rows)
            }
            (GeneratorKind::BucketCollect(BucketPlan { key_types, types, .. }), Given::Members(rows)) => {
                let all: Vec<DataType> = key_types.iter().chain(types).copied().collect();
                let mut keys = gathered(&rows, &all)?;
                let members = keys.split_off(key_types.len());
                let keep_keys = frame.shared.plan.collection(define).reads.rows;
                let limits = &frame.shared.plan.limits;
                let (keys, members) = ((keys, &key_types[..]), (members, &types[..]));
                Stored::Buckets(Buckets::build(keys, members, rows.rows, keep_keys, limits, workers)?)
            }
            (GeneratorKind::Reduce(reduce), Given::Groups(rows)) if reduce.key.is_some() => {
                let types = frame.shared.plan.types(define);
                let columns = gathered(&rows, &types)?;
                Stored::Groups(index_groups(frame, reduce, number, (columns, rows.rows), workers)?)
            }
            _ => return Err(Error::internal("a backend gave a collection of another shape")),
        };
        Ok(Arc::new(stored))
    };
    given.into_iter().zip(defines).enumerate().map(one).collect()
}

/// The fields of some rows as columns to work on.
fn gathered(rows: &RowSet, types: &[DataType]) -> Result<Vec<Gathered>> {
    let mut columns = Vec::with_capacity(types.len());
    for (field, &data_type) in (0..).zip(types) {
        let (mut column, mut vector) = (Gathered::of_type(DataType::Null), Vector::default());
        let position = rows.position(field);
        for chunk in &rows.chunks {
            let register = register_for(&chunk.columns[position as usize], data_type);
            let source = Source::chunk(Arc::clone(chunk));
            load(&source, position, &Rows::Range(0), chunk.rows, false, register, &mut vector);
            column.append(&vector);
        }
        columns.push(column);
    }
    Ok(columns)
}

impl Inputs for Frame<'_> {
    fn residence(&self, id: CollectionId) -> Result<Residence> {
        self.get(id).map(|_| Residence::Host)
    }

    fn rows(&self, id: CollectionId) -> Result<RowSet> {
        self.get(id)?.rows().cloned()
    }

    fn buckets(&self, id: CollectionId) -> Result<Grouped> {
        let stored = self.get(id)?;
        let Buckets { index, members, keys, .. } = stored.buckets()?;
        let keys = keys.clone().ok_or_else(|| Error::internal("the keys of these buckets were not kept"))?;
        let starts = match &index.spans {
            Spans::Unique => (0..=members.rows as u32).collect(),
            Spans::Starts(starts) => starts.clone(),
        };
        Ok(Grouped { keys, starts, members: members.row_set()? })
    }

    fn empty(&self, id: CollectionId) -> Result<Vec<Value>> {
        Ok(self.get(id)?.groups()?.empty.clone())
    }

    fn parameters(&self) -> &[Value] {
        self.shared.parameters
    }

    fn context(&self) -> &Context {
        self.shared.context
    }
}
