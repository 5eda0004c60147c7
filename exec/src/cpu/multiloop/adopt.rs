//! Converts collections between other backends' form and the CPU's.

use crate::backend::given::Given;
use crate::backend::inputs::{Grouped, Inputs, Residence};
use crate::collections::rows::RowSet;
use crate::cpu::collections::stored::{Buckets, Stored};
use crate::cpu::expression::load::load;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::lookup::register_for;
use crate::cpu::multiloop::{group_filter, groups_by_own_index, index_groups, stored_groups};
use crate::cpu::reduce::finish::{finish_ended, finish_ended_index};
use crate::cpu::reduce::merge::{Ended, Merge};
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::{Rows, Source};
use crate::partial::PartialGroups;
use crate::partial::keys::Keys;
use crate::partial::order::Order;
use crate::plan::tree::{BucketPlan, GeneratorKind, LoopPlan, ReducePlan};
use crate::workers::context::Context;
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::multiloop::CollectionId;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The collections that a loop defines, of what a backend gave for each of its generators.
pub(crate) fn adopt<'a>(
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
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
                let mut keys = builders(&rows, &all)?;
                let members = keys.split_off(key_types.len());
                let keep_keys = frame.shared.plan.collection(define).reads.rows;
                let limits = &frame.shared.plan.limits;
                let (keys, members) = ((keys, &key_types[..]), (members, &types[..]));
                Stored::Buckets(Buckets::build(keys, members, rows.rows, keep_keys, limits, workers)?)
            }
            (GeneratorKind::Reduce(reduce), Given::Groups(rows)) if reduce.key.is_some() => {
                let types = frame.shared.plan.types(define);
                let columns = builders(&rows, &types)?;
                Stored::Groups(index_groups(frame, reduce, number, (columns, rows.rows), workers)?)
            }
            (GeneratorKind::Reduce(reduce), Given::Partial(parts)) => {
                merged(frame, reduce, (number, define), parts, workers)?
            }
            _ => return Err(Error::internal("a backend gave a collection of another shape")),
        };
        Ok(Arc::new(stored))
    };
    given.into_iter().zip(defines).enumerate().map(one).collect()
}

/// The groups of a reduction of what is known of them by ranges of rows: as those of workers, which are merged and finished
/// by the same code.
fn merged<'a>(
    frame: &'a Frame<'a>,
    plan: &'a ReducePlan,
    (generator, define): (usize, CollectionId),
    parts: Vec<PartialGroups>,
    workers: Workers<'_>,
) -> Result<Stored> {
    let Some(first) = parts.first() else { return Err(Error::internal("a backend gave no part of its groups")) };
    let finds_keys = matches!((&first.keys, &first.order), (Keys::Set { .. }, _) | (_, Order::Unseen));
    let merge = Merge { plan, splitters: SharedSplitters::default(), group_filter: group_filter(frame, define) };
    merge.check(&parts)?;
    let ended = parts.into_iter().map(|groups| Ended::elsewhere(groups, workers.context)).collect::<Result<_>>()?;
    if plan.rows.keys_unread && finds_keys {
        let found = finish_ended_index(&merge, ended, workers)?;
        return groups_by_own_index(frame, plan, generator, found, workers);
    }
    stored_groups(frame, plan, generator, finish_ended(&merge, ended, workers)?, workers)
}

/// The fields of some rows as columns to work on.
fn builders(rows: &RowSet, types: &[DataType]) -> Result<Vec<ColumnBuilder>> {
    let mut columns = Vec::with_capacity(types.len());
    for (field, &data_type) in (0..).zip(types) {
        let (mut column, mut vector) = (ColumnBuilder::of_type(DataType::Null), Vector::default());
        let position = rows.position(field);
        for chunk in &rows.chunks {
            let register = register_for(&chunk.columns[position as usize], data_type);
            let source = Source::chunk(Arc::clone(chunk));
            load(&source, position, &Rows::Range(0), chunk.rows, false, register, &mut vector)?;
            vector.settle_numerics();
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
