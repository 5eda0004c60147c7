//! Counts self joins a group at a time: n rows that each find the group of n rows that they are in count n squared.
//!
//! ```text
//! C = BucketReduce[i in x](c(i))(k(i))(count_rows()); j in x: sum(C[k(j)].count) if c(j)   →   g in C: sum(g.count * g.count)
//! ```
//!
//! Source: our own; the pairs of a self join are counted without a second look at its rows. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     if i0.b > 7
//!     key a = i0.a
//!     count = count_rows()
//! loop
//!   i1 in %0
//!   %2 reduce
//!     if %1[i1.a].count > 0::bigint
//!     if i1.b > 7
//!     pairs? = sum(%1[i1.a].count)::bigint
//! result %2
//! output pairs
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     if i0.b > 7
//!     key a = i0.a
//!     count = count_rows()
//! loop
//!   i1 in %1
//!   %2 reduce
//!     if i1.count > 0::bigint
//!     pairs? = sum(i1.count * i1.count)::bigint
//! result %2
//! output pairs
//! ```
//!
//! Guard, and why:
//! * both loops go over the same rows: every condition of the groups is one of the sum's (`a join b on a.k = b.k where b.x > 1` is not),
//!   and what else the sum's ask, they ask of the group;
//! * sums are of counts alone: another number times the count may be too large where the sum is not; least and greatest are the same
//!   however often a group is asked;
//! * nothing may fail or is volatile: conditions are asked once a group;
//! * no row counts that finds no group: its count is 0, and the sum of nothing but such rows is no NULL.
//!
//! NULLs: rows whose key is NULL are a group, but find none, unless NULL matches. Errors: the product of two counts is too large only
//! where the sum of such products is. Joins: an inner one.

use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, for_each_node};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Reduction, Scalar,
    ScalarId, Source,
};
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;
use crate::value::Value;

/// Sums by groups what rows find of their own group.
pub(super) fn square_own_counts(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            if let Some(site) = find(program, block, at) {
                square(program, block, at, site);
                changed = true;
            }
        }
    }
    changed
}

/// A loop whose rows find their own groups.
struct Site {
    groups: CollectionId,
    key: Vec<KeyPart>,
    /// What is asked of a group beside what its rows have passed.
    condition: Vec<ScalarId>,
    aggregates: Vec<Aggregate>,
    /// Lookups of the group, by field.
    lookups: Vec<(ScalarId, u32)>,
}

fn find(program: &mut Program, block: BlockId, at: usize) -> Option<Site> {
    let Let::Loop { multiloop, .. } = &program.block(block).lets[at] else { return None };
    let ([Index { id: index, source: Source::Rows(rows) }], [Generator::Reduce { condition, aggregates }]) =
        (&multiloop.nest[..], &multiloop.generators[..])
    else {
        return None;
    };
    let sum = aggregates.iter().find(|each| each.reduction == Reduction::Sum)?;
    let Scalar::Lookup { collection: groups, key, .. } = program.scalars.get(*sum.arguments.first()?) else {
        return None;
    };
    let (groups, key, index, rows) = (*groups, key.clone(), *index, *rows);
    let (condition, aggregates) = (condition.clone(), aggregates.clone());
    let made = definitions(program)[groups.0 as usize].filter(|made| made.block == block)?;
    let (passed, counts) = of_own_rows(program, made, (rows, index), &key)?;
    if !passed.iter().all(|id| condition.contains(id)) {
        return None;
    }
    let condition: Vec<ScalarId> = condition.into_iter().filter(|id| !passed.contains(id)).collect();
    let lookups = lookups(program, &condition, &aggregates, groups, &key);
    let is_count = |id: &ScalarId| lookups.iter().any(|(lookup, field)| lookup == id && counts.contains(field));
    let fits = |aggregate: &Aggregate| {
        aggregate.condition.is_empty()
            && match aggregate.reduction {
                Reduction::Sum => aggregate.data_type == DataType::BigInt && aggregate.arguments.iter().all(is_count),
                Reduction::Min | Reduction::Max => true,
                _ => false,
            }
    };
    let all = condition.iter().chain(aggregates.iter().flat_map(|aggregate| &aggregate.arguments));
    let is_pure = all.clone().all(|&id| program.scalars.effects(id).is_pure());
    let asks_group = only_through(program, all.copied().collect(), index, &lookups);
    let is_found =
        key.iter().zip(&program.collection(groups).fields).all(|(part, field)| part.null_matches || !field.nullable)
            || condition.iter().any(|&id| asks_for_some(program, id, &is_count));
    let all_fit = is_found && aggregates.iter().all(fits);
    (all_fit && is_pure && asks_group).then_some(Site { groups, key, condition, aggregates, lookups })
}

/// The conditions and the fields that count rows of groups of these rows by this key, as of another index; none of other groups.
fn of_own_rows(
    program: &mut Program,
    made: Definition,
    (rows, index): (CollectionId, IndexId),
    key: &[KeyPart],
) -> Option<(Vec<ScalarId>, Vec<u32>)> {
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return None };
    let [Index { id, source: Source::Rows(others) }] = multiloop.nest[..] else { return None };
    let mut generator = multiloop.generators[made.generator].clone();
    let Generator::BucketReduce { .. } = &generator else { return None };
    if others != rows {
        return None;
    }
    let mut renaming = Substitution::new();
    renaming.rename_index(id, index);
    renaming.generator(program, &mut generator);
    let Generator::BucketReduce { condition, key: by, aggregates } = generator else { return None };
    let is_own = by.len() == key.len() && by.iter().zip(key).all(|(id, part)| *id == part.scalar);
    let is_pure = condition.iter().chain(&by).all(|&id| program.scalars.effects(id).is_pure());
    let counts = aggregates
        .iter()
        .zip(key.len() as u32..)
        .filter(|(aggregate, _)| aggregate.reduction == Reduction::CountRows && aggregate.condition.is_empty());
    let counts = counts.map(|(_, field)| field).collect();
    (is_own && is_pure).then_some((condition, counts))
}

/// The lookups of a group by this key that stand in a reduction.
fn lookups(
    program: &Program,
    condition: &[ScalarId],
    aggregates: &[Aggregate],
    groups: CollectionId,
    key: &[KeyPart],
) -> Vec<(ScalarId, u32)> {
    let (mut found, mut seen) = (Vec::new(), vec![false; program.scalars.len()]);
    for &id in condition.iter().chain(aggregates.iter().flat_map(|aggregate| &aggregate.arguments)) {
        for_each_node(program, id, &mut seen, &mut |id, scalar| match scalar {
            Scalar::Lookup { collection, key: by, field } if *collection == groups && by == key => {
                found.push((id, *field));
            }
            _ => {}
        });
    }
    found
}

/// Whether scalars read an index nowhere but in these lookups.
fn only_through(program: &mut Program, scalars: Vec<ScalarId>, index: IndexId, lookups: &[(ScalarId, u32)]) -> bool {
    let null = program.scalars.constant(Value::Null, DataType::Null);
    let mut without = Substitution::new();
    lookups.iter().for_each(|&(lookup, _)| without.replace_scalar(lookup, null));
    let mut free = FreeIndices::default();
    scalars.into_iter().all(|id| {
        let rest = without.scalar(program, id);
        free.scalar(program, rest).iter().all(|of| *of != index)
    })
}

/// Whether a condition is that a count is greater than a number that is not negative.
fn asks_for_some(program: &Program, condition: ScalarId, is_count: &impl Fn(&ScalarId) -> bool) -> bool {
    let Scalar::Call { function: Function::Greater, arguments } = program.scalars.get(condition) else { return false };
    let [count, least] = &arguments[..] else { return false };
    is_count(count) && matches!(program.scalars.get(*least), Scalar::Constant(Value::Int(0..)))
}

fn square(program: &mut Program, block: BlockId, at: usize, site: Site) {
    let Site { groups, key, mut condition, mut aggregates, lookups } = site;
    let index = program.add_index();
    let mut of_group = Substitution::new();
    for (lookup, field) in lookups {
        let data_type = program.scalars.data_type(lookup);
        let column = program.scalars.intern(Scalar::Column { index, field }, data_type);
        of_group.replace_scalar(lookup, column);
    }
    of_group.all(program, &mut condition);
    for aggregate in &mut aggregates {
        of_group.all(program, &mut aggregate.arguments);
        if aggregate.reduction == Reduction::Sum {
            let count = aggregate.arguments[0];
            aggregate.arguments = vec![program.scalars.call(Function::Multiply, vec![count, count], DataType::BigInt)];
        }
    }
    for (part, field) in key.iter().zip(0..).filter(|(part, _)| !part.null_matches) {
        if program.collection(groups).fields[field as usize].nullable {
            let data_type = program.scalars.data_type(part.scalar);
            let shown = program.scalars.intern(Scalar::Column { index, field }, data_type);
            condition.push(program.scalars.call(Function::IsNotNull, vec![shown], DataType::Boolean));
        }
    }
    let Let::Loop { multiloop, .. } = &mut program.blocks[block.0 as usize].lets[at] else {
        unreachable!("find has seen a loop")
    };
    let nest = vec![Index { id: index, source: Source::Rows(groups) }];
    *multiloop = Multiloop { nest, generators: vec![Generator::Reduce { condition, aggregates }] };
}
