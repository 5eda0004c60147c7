//! Group-join: a join that is grouped by its outer row aggregates the inner side bucket by bucket; no pair is made.
//!
//! ```text
//! B = BucketCollect[n](c)(k)(v)                                  M = BucketReduce[n](c)(k)(f(v))(r)
//! H = BucketReduce[i in A, j in B[h(i)] or null](d(i))(i)(f(j))(r)   →   H = Collect[i in A](d(i))(i, M[h(i)])
//! ```
//!
//! For an inner join `exists M[h(i)]` is a condition more. Source: group-join (Moerkotte and Neumann, 2011). An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//! loop
//!   i1 in %0
//!   %2 bucket_collect
//!     if i1.b > 5
//!     key a = i1.a
//!     b = i1.b
//! loop
//!   i2 in %1
//!   i3 in %2[i2.a] or null
//!   %3 bucket_reduce
//!     key a = i2.a
//!     found = count(i3.b)
//!     rows = count_rows()
//! loop
//!   i4 in %3
//!   %4 collect
//!     found = i4.found
//!     rows = i4.rows
//! result %4
//! output found, rows
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//! loop
//!   i1 in %0
//!   %2 bucket_collect
//!     if i1.b > 5
//!     key a = i1.a
//!     b = i1.b
//!   %3 bucket_reduce
//!     if i1.b > 5
//!     key a = i1.a
//!     found = count(i1.b)
//!     rows = count_rows()
//! loop
//!   i2 in %1
//!   %4 collect
//!     a = i2.a
//!     found = %3[i2.a].found
//!     rows = greatest(%3[i2.a].rows, 1::bigint)
//! loop
//!   i3 in %4
//!   %5 collect
//!     found = i3.found
//!     rows = i3.rows
//! result %5
//! output found, rows
//! ```
//!
//! Guard, and why:
//! * the key determines the outer row, so a group is one outer row's bucket: grouped by nation, a customer's orders
//!   are only a part of the group;
//! * conditions and key read the outer row only (inner conditions of an inner join go to M), arguments the inner row
//!   only, or `first`, `min` or `max` of an outer value, which is that value;
//! * what moves to M can neither fail nor is volatile: it is now evaluated for inner rows that no outer row asks for;
//! * nothing else reads the buckets or looks the groups up; a claim that a field is not NULL still holds.
//!
//! NULLs: after a left join a row that found nothing is one row of NULLs: count gives 0 and sum NULL of it as of no
//! rows, if the argument is NULL when its columns are (`count(coalesce(x, 1))` is left alone); it counts as a row, hence
//! `greatest`. Errors: what reads the outer row is evaluated for the rows that made a group before.

use crate::analysis::nullability::null_propagates;
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::reduction::{Properties, State};
use crate::multiloop::uses::{FreeIndices, Use, collection_uses, for_each_node};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Program, Reduction, Scalar, ScalarId,
    Shape, Source,
};
use crate::rewrite::machinery::dependencies::{Definition, Dependencies, definitions};
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::sibling_generator::add_sibling_generator;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use crate::value::Value;

/// Aggregates before joining where the outer row is the group.
pub(super) fn group_join(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program) {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            if let Some(join) = find(program, block, at) {
                changed |= reduce(program, block, at, join);
            }
            at += 1;
        }
    }
    changed
}

/// A join that is grouped by its outer row.
struct Join {
    outer: Index,
    inner: IndexId,
    keeps_unmatched: bool,
    buckets: CollectionId,
    made: Definition,
    probe: Vec<KeyPart>,
    /// On the outer row; then what inner rows have to pass.
    condition: Vec<ScalarId>,
    inner_condition: Vec<ScalarId>,
    key: Vec<ScalarId>,
    values: Vec<Aggregated>,
}

/// Where an aggregate's value comes from.
enum Aggregated {
    /// It is this scalar over the outer row.
    Outer(ScalarId),
    /// It is looked up.
    InnerIndices(Aggregate),
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Join> {
    let Let::Loop { defines, multiloop } = &program.block(block).lets[at] else { return None };
    let ([define], [generator], [outer, inner]) = (&defines[..], &multiloop.generators[..], &multiloop.nest[..]) else {
        return None;
    };
    let Generator::BucketReduce { condition, key, aggregates } = generator else { return None };
    let (buckets, probe, on, keeps_unmatched) = match &inner.source {
        Source::Bucket { collection, key } => (*collection, key, &[][..], false),
        Source::BucketOrNull { collection, key, condition } => (*collection, key, &condition[..], true),
        _ => return None,
    };
    let uses = collection_uses(program);
    let of_groups = uses[define.0 as usize];
    let made = definitions(program)[buckets.0 as usize].filter(|made| made.block == block)?;
    let fits = uses[buckets.0 as usize] == Use { buckets: 1, ..Use::default() }
        && (of_groups.buckets, of_groups.scalars) == (0, 0)
        && matches!(outer.source, Source::Rows(_));
    if !fits || !Dependencies::of(program).determine_first_row(&multiloop.nest, key) {
        return None;
    }
    let mut free = FreeIndices::default();
    let mut reads_outer_only = |id: ScalarId| !free.scalar(program, id).contains(&inner.id);
    let (passing, mut inner_condition): (Vec<_>, Vec<_>) = condition.iter().partition(|&&id| reads_outer_only(id));
    if !key.iter().all(|&id| reads_outer_only(id)) || (keeps_unmatched && !inner_condition.is_empty()) {
        return None;
    }
    inner_condition.extend(on);
    let mut free = FreeIndices::default();
    let mut reads_inner_only = |id: ScalarId| free.scalar(program, id).iter().all(|index| *index == inner.id);
    if !inner_condition.iter().all(|&id| reads_inner_only(id)) {
        return None;
    }
    let mut values = Vec::with_capacity(aggregates.len());
    for aggregate in aggregates {
        values.push(aggregated(program, aggregate, inner.id, keeps_unmatched)?);
    }
    Some(Join {
        outer: outer.clone(),
        inner: inner.id,
        keeps_unmatched,
        buckets,
        made,
        probe: probe.clone(),
        condition: passing,
        inner_condition,
        key: key.clone(),
        values,
    })
}

fn aggregated(program: &Program, aggregate: &Aggregate, inner: IndexId, keeps_unmatched: bool) -> Option<Aggregated> {
    let mut free = FreeIndices::default();
    let mut scalars = Vec::new();
    aggregate.for_each_scalar(|id| scalars.push(id));
    let reads_inner_only = scalars.iter().all(|&id| free.scalar(program, id).iter().all(|index| *index == inner));
    let reads_inner = scalars.iter().any(|&id| free.scalar(program, id).contains(&inner));
    let volatile = scalars.iter().any(|&id| program.scalars.effects(id).volatile);
    let Properties { state, idempotent, takes_nulls, .. } = aggregate.reduction.properties();
    let is_pure = aggregate.own_effects(&program.scalars).is_pure() && !aggregate.reduction.gives_rows();
    match aggregate.arguments[..] {
        [value]
            if state == State::Value && idempotent && !reads_inner && !volatile && aggregate.condition.is_empty() =>
        {
            Some(Aggregated::Outer(value))
        }
        _ if !reads_inner_only || !is_pure => None,
        [] if !keeps_unmatched || aggregate.condition.is_empty() => Some(Aggregated::InnerIndices(aggregate.clone())),
        // What takes no NULLs does not see the row that stands for none.
        [value] if !keeps_unmatched || (!takes_nulls && is_null_with_row(program, value, inner)) => {
            Some(Aggregated::InnerIndices(aggregate.clone()))
        }
        _ => None,
    }
}

/// Whether a scalar is NULL where an index has found no row.
fn is_null_with_row(program: &Program, value: ScalarId, index: IndexId) -> bool {
    let mut found = false;
    for_each_node(program, value, &mut vec![false; program.scalars.len()], &mut |id, scalar| {
        found |= matches!(scalar, Scalar::Column { index: of, .. } if *of == index)
            && null_propagates(&program.scalars, id, value);
    });
    found
}

/// Adds the BucketReduce to the loop that makes the buckets and makes the join a Collect; whether it could.
fn reduce(program: &mut Program, block: BlockId, at: usize, join: Join) -> bool {
    let Let::Loop { multiloop, .. } = &program.block(block).lets[join.made.at] else { return false };
    let Generator::BucketCollect { condition, key: inner_key, value } = &multiloop.generators[join.made.generator]
    else {
        return false;
    };
    let (mut condition, inner_key, value) = (condition.clone(), inner_key.clone(), value.clone());
    let mut of_value = Substitution::new();
    of_value.replace_index(join.inner, value);
    let (failing, mut pure) = (Fallible::of(program), true);
    let mut moved = |program: &mut Program, id: ScalarId| {
        let id = of_value.scalar(program, id);
        pure &= failing.is_pure(program, id);
        id
    };
    for &id in &join.inner_condition {
        condition.push(moved(program, id));
    }
    let define = program.block(block).lets[at].defines()[0];
    let old = program.collection(define).fields.clone();
    let mut fields = program.collection(join.buckets).fields.clone();
    let keys = fields.len() as u32;
    let mut aggregates = Vec::new();
    let mut claims_hold = true;
    for (value, field) in join.values.iter().zip(&old[join.key.len()..]) {
        let Aggregated::InnerIndices(aggregate) = value else { continue };
        let mut aggregate = aggregate.clone();
        aggregate.for_each_scalar_mut(|id| *id = moved(program, *id));
        let is_count = aggregate.reduction.is_count();
        claims_hold &= field.nullable || is_count;
        fields.push(Field { nullable: !is_count, ..field.clone() });
        aggregates.push(aggregate);
    }
    if !pure || !claims_hold {
        return false;
    }
    let groups = program.add_collection(fields, Shape::Groups { keys });
    let collect = collect(program, &join, groups, keys);
    program.collections[define.0 as usize].shape = Shape::Rows;
    let lets = &mut program.blocks[block.0 as usize].lets;
    let Let::Loop { multiloop, .. } = &mut lets[at] else { unreachable!("find has seen a loop") };
    multiloop.nest = vec![join.outer];
    multiloop.generators = vec![collect];
    let made = join.made;
    add_sibling_generator(program, made, at, groups, Generator::BucketReduce { condition, key: inner_key, aggregates });
    true
}

fn collect(program: &mut Program, join: &Join, groups: CollectionId, keys: u32) -> Generator {
    let mut condition = Vec::new();
    if !join.keeps_unmatched {
        // First, as the join was: rows that find nothing reach no condition.
        let exists = Scalar::Exists { collection: groups, key: join.probe.clone() };
        condition.push(program.scalars.intern(exists, DataType::Boolean));
    }
    condition.extend(&join.condition);
    let mut value = join.key.clone();
    let mut field = keys;
    for each in &join.values {
        let Aggregated::InnerIndices(aggregate) = each else {
            if let Aggregated::Outer(id) = each {
                value.push(*id);
            }
            continue;
        };
        let lookup = Scalar::Lookup { collection: groups, key: join.probe.clone(), field };
        let mut id = program.scalars.intern(lookup, aggregate.data_type);
        if join.keeps_unmatched && aggregate.reduction == Reduction::CountRows {
            let one = program.scalars.constant(Value::Int(1), aggregate.data_type);
            id = program.scalars.call(Function::Greatest, vec![id, one], aggregate.data_type);
        }
        value.push(id);
        field += 1;
    }
    Generator::Collect { condition, value }
}
