//! Makes of what another backend gave the CPU's form of collections.

use crate::backend::Given;
use crate::collections::made::{Kept, Made};
use crate::collections::rows::RowSet;
use crate::cpu::collections::stored::{Buckets, Stored};
use crate::cpu::expression::load::load;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::lookup::register_for;
use crate::cpu::multiloop::{group_filter, groups_by_own_index, stored_groups};
use crate::cpu::reduce::finish::{finish_ended, finish_ended_index};
use crate::cpu::reduce::merge::{Ended, Merge};
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::{Rows, Source};
use crate::partial::PartialGroups;
use crate::partial::keys::Keys;
use crate::partial::order::Order;
use crate::plan::tree::{BucketPlan, GeneratorKind, LetPlan, ReducePlan};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::multiloop::CollectionId;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// The collections that a loop of the body defines, of what a backend gave for each of its generators.
pub(crate) fn adopt(
    frame: &Frame<'_>,
    (number, definition): (usize, &LetPlan),
    given: Vec<Given>,
    pool: Option<&Pool>,
) -> Result<Vec<Made<Stored>>> {
    if given.len() != definition.defines.len() {
        return Err(Error::internal("a backend gave too few collections, or too many"));
    }
    let one = |(generator, given): (usize, Given)| match given {
        Given::Held(held) => Ok(Made::held(held, (number, generator))),
        given => Ok(Made::Host(adopt_one(frame, (number, generator), given, pool)?)),
    };
    given.into_iter().enumerate().map(one).collect()
}

/// What a device keeps, on the host.
pub(crate) fn adopt_held(frame: &Frame<'_>, kept: &Kept<Stored>, pool: Option<&Pool>) -> Result<Arc<Stored>> {
    let given = kept.held.fetch(frame.shared.context)?;
    // What became of its choices is no note of the let that asks.
    let noted = frame.shared.notes_taken();
    let stored = adopt_one(frame, kept.place, given, pool);
    frame.shared.forget_notes(noted);
    stored
}

/// The collection of a generator of a let of the body, of what a backend gave.
fn adopt_one(
    frame: &Frame<'_>,
    (number, generator): (usize, usize),
    given: Given,
    pool: Option<&Pool>,
) -> Result<Arc<Stored>> {
    let workers = Workers { pool, context: frame.shared.context };
    let plan = frame.shared.plan;
    let Some(of) = plan.loop_of(plan.body, number) else {
        return Err(Error::internal("a backend ran what is no loop"));
    };
    let define = plan.block(plan.body).lets[number].defines[generator];
    let stored = match (&of.generators[generator].kind, given) {
        (GeneratorKind::Collect { .. } | GeneratorKind::TopK(_), Given::Rows(rows)) => Stored::Rows(rows),
        (GeneratorKind::Reduce(reduce), Given::Rows(rows)) if reduce.key.is_none() && rows.rows == 1 => {
            Stored::Rows(rows)
        }
        (GeneratorKind::BucketCollect(BucketPlan { key_types, types, .. }), Given::Members(rows)) => {
            let all: Vec<DataType> = key_types.iter().chain(types).copied().collect();
            let mut keys = builders(&rows, &all)?;
            let members = keys.split_off(key_types.len());
            let keep_keys = plan.collection(define).reads.as_rows();
            let (keys, members) = ((keys, &key_types[..]), (members, &types[..]));
            Stored::Buckets(Buckets::build(keys, members, rows.rows, keep_keys, &plan.limits, workers)?)
        }
        (GeneratorKind::Reduce(reduce), Given::Groups(rows)) if reduce.key.is_some() => {
            let types = reduce.read_types(plan.types(define));
            let columns = builders(&rows, &types)?;
            stored_groups(frame, reduce, generator, (columns, rows.rows), workers)?
        }
        (GeneratorKind::Reduce(reduce), Given::Partial(parts)) => {
            merged(frame, reduce, (generator, define), parts, workers)?
        }
        _ => return Err(Error::internal("a backend gave a collection of another shape")),
    };
    Ok(Arc::new(stored))
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
