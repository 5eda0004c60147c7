//! A loop over rows that were put together goes over each part by itself, and what it makes is put together.
//!
//! ```text
//! C = Concat(A, B)                                    A' = Collect[i in A …](c(i))(f(i)), B' likewise
//! W = Collect[i in C …](c(i))(f(i))               →   W = Concat(A', B')
//!
//! G = BucketReduce[i in C …](c(i))(k(i))(f(i))(r) →   A' = BucketReduce[i in A …](c(i))(k(i))(f(i))(r), B' likewise
//!                                                     P = Concat(A', B')
//!                                                     G = BucketReduce[p in P](p.key)(p.value)(r')
//! ```
//!
//! The rows of A and B need no place then: what makes them is fused with what reads them, and what is constant in one of them
//! (a label of where rows come from) is folded there. Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer distinct 9, b#1 integer) rows 1000
//! table %1 u(a#0 integer distinct 9, b#1 integer) rows 1000
//! loop
//!   i0 in %0
//!   %2 collect
//!     a = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   %3 collect
//!     a = i1.a
//!     b = i1.b
//! %4 concat %2, %3 as a, b
//! loop
//!   i2 in %4
//!   %5 bucket_reduce
//!     if i2.b > 7
//!     key a = i2.a
//!     n = count_rows()
//! loop
//!   i3 in %5
//!   %6 collect
//!     n = i3.n
//! result %6
//! output n
//! ```
//! ```text after
//! table %0 t(a#0 integer distinct 9, b#1 integer) rows 1000
//! table %1 u(a#0 integer distinct 9, b#1 integer) rows 1000
//! loop
//!   i0 in %0
//!   %2 collect
//!     a = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   %3 collect
//!     a = i1.a
//!     b = i1.b
//! loop
//!   i2 in %2
//!   %4 bucket_reduce
//!     if i2.b > 7
//!     key a = i2.a
//!     n = count_rows()
//! loop
//!   i3 in %3
//!   %5 bucket_reduce
//!     if i3.b > 7
//!     key a = i3.a
//!     n = count_rows()
//! %6 concat %4, %5 as a, n
//! loop
//!   i4 in %6
//!   %7 bucket_reduce
//!     key a = i4.a
//!     n = sum(i4.n)::bigint
//! loop
//!   i5 in %7
//!   %8 collect
//!     n = i5.n
//! result %8
//! output n
//! ```
//!
//! Guard, and why:
//! * the loop is one of the body: of what is correlated other rules make groups, as long as it is one loop;
//! * nothing else reads the rows that were put together, and a loop makes some of the parts for nobody else: else they are
//!   stored all the same;
//! * groups are expected to be few beside the rows: those of each part are stored, and put together once more;
//! * every reduction has one that merges it, exactly: a variance has none, and a sum of doubles is rounded once;
//! * no reduction can leave its type in a part, as the sum of all might not;
//! * nobody looks groups up: a count of no rows is 0, and a sum of counts NULL;
//! * no index of the nest wants the rows that nothing has found: these are found by the rows of another part;
//! * nothing is volatile, and there are few parts: the loop is written down once for each.
//!
//! NULLs: groups of NULL are merged as groups. Errors: the same rows are gone over. Order: that of rows is free. It ends:
//! loops over parts are over fewer rows that were put together.

use crate::analysis::ranges::Ranges;
use crate::multiloop::reduction::sum_is_total;
use crate::multiloop::uses::{Use, collection_uses};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape,
    Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;

/// Parts of what is put together, at most.
const PARTS_MAX: usize = 16;

/// How many rows there are for a group, at least.
const ROWS_PER_GROUP: f64 = 8.0;

/// Goes over parts one by one.
pub(super) fn split_concat(program: &mut Program) -> bool {
    let (mut changed, mut limit, body) = (false, ChangeLimit::of(program), program.body);
    while let Some((at, parts)) = limit.next(find(program, body)) {
        split(program, body, at, parts);
        changed = true;
    }
    changed
}

/// A loop of a block over rows that were put together, and of what.
fn find(program: &Program, block: BlockId) -> Option<(usize, Vec<CollectionId>)> {
    let lets = &program.block(block).lets;
    if !lets.iter().any(|each| matches!(each, Let::Concat { .. })) {
        return None;
    }
    let uses = collection_uses(program);
    let is_fused = |part: &CollectionId| {
        let collects = |each: &Let| match each {
            Let::Loop { defines, multiloop } => {
                let at = defines.iter().position(|define| define == part);
                at.is_some_and(|at| matches!(multiloop.generators[at], Generator::Collect { .. }))
            }
            _ => false,
        };
        uses[part.0 as usize] == Use { whole: 1, ..Use::default() } && lets.iter().any(collects)
    };
    lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { defines, multiloop } = each else { return None };
        let Source::Rows(all) = multiloop.nest[0].source else { return None };
        let parts = lets[..at].iter().find_map(|each| match each {
            Let::Concat { define, inputs } if *define == all => Some(inputs),
            _ => None,
        })?;
        let few = (2..=PARTS_MAX).contains(&parts.len());
        let fits = few
            && uses[all.0 as usize].is_one_rows()
            && parts.iter().any(is_fused)
            && multiloop.rest().is_none()
            && !each.effects(program).volatile
            && defines.iter().zip(&multiloop.generators).all(|(define, made)| {
                can_be_merged(program, made, uses[define.0 as usize]) && has_few_groups(program, multiloop, made, parts)
            });
        fits.then(|| (at, parts.clone()))
    })
}

/// Whether what a generator makes can be put together of what it makes of parts.
fn can_be_merged(program: &Program, made: &Generator, uses: Use) -> bool {
    let merges = |aggregate: &Aggregate| {
        let sums = aggregate.reduction != Reduction::Sum || sums_exactly(program, aggregate);
        let properties = aggregate.reduction.properties();
        sums && !aggregate.distinct
            && properties.merged_by.is_some()
            && !properties.order_sensitive
            && aggregate.reduction != Reduction::Single
    };
    match made {
        Generator::Collect { .. } => true,
        Generator::BucketReduce { aggregates, .. } => uses.buckets + uses.scalars == 0 && aggregates.iter().all(merges),
        Generator::Reduce { aggregates, .. } => {
            aggregates.iter().all(|aggregate| merges(aggregate) && !aggregate.reduction.is_count())
        }
        Generator::BucketCollect { .. } => false,
    }
}

/// Whether sums of parts are exact, and none can leave its type.
fn sums_exactly(program: &Program, aggregate: &Aggregate) -> bool {
    let of = program.scalars.data_type(aggregate.arguments[0]);
    match aggregate.data_type {
        // However large, it has room.
        DataType::Numeric => true,
        DataType::Real | DataType::Double => false,
        data_type => sum_is_total(of, data_type),
    }
}

/// Whether a generator of a loop makes few groups of the rows of parts, if it makes groups.
fn has_few_groups(program: &Program, multiloop: &Multiloop, made: &Generator, parts: &[CollectionId]) -> bool {
    let Generator::BucketReduce { condition, key, .. } = made else { return true };
    let (definitions, ranges) = (definitions(program), Ranges::analyse(program));
    let guess = Selectivity::of(program, &definitions);
    // However many rows there are, a key has no more values than its range.
    let proven = |part: &ScalarId| ranges.of(*part).map_or(f64::MAX, |(low, high)| (high - low) as f64 + 1.0);
    let (mut groups, mut rows) = (0.0, 0.0);
    for &part in parts {
        let mut nest = multiloop.nest.clone();
        nest[0].source = Source::Rows(part);
        let values = |of: &ScalarId| match constant_in(program, &nest[0], *of, definitions[part.0 as usize]) {
            true => 1.0,
            false => guess.keys_of_nest(&nest, std::slice::from_ref(of)).min(proven(of)),
        };
        groups += key.iter().map(values).product::<f64>();
        rows += guess.rows_of_nest(&nest, condition);
    }
    groups * ROWS_PER_GROUP <= rows
}

/// Whether a scalar is a column that is a constant where a collection is made, over which an index goes.
fn constant_in(program: &Program, index: &Index, scalar: ScalarId, made: Option<Definition>) -> bool {
    let (&Scalar::Column { index: of, field }, Some(made)) = (program.scalars.get(scalar), made) else { return false };
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return false };
    let Generator::Collect { value, .. } = &multiloop.generators[made.generator] else { return false };
    of == index.id && matches!(program.scalars.get(value[field as usize]), Scalar::Constant(_))
}

fn split(program: &mut Program, block: BlockId, at: usize, parts: Vec<CollectionId>) {
    let Let::Loop { defines, multiloop } = program.block(block).lets[at].clone() else { return };
    let mut lets = Vec::new();
    let mut made: Vec<Vec<CollectionId>> = vec![Vec::new(); defines.len()];
    for part in parts {
        let mut each = multiloop.clone();
        each.nest[0].source = Source::Rows(part);
        let each = Substitution::copied(program, each);
        let copied: Vec<CollectionId> = defines.iter().map(|&define| like(program, define)).collect();
        made.iter_mut().zip(&copied).for_each(|(made, &copied)| made.push(copied));
        lets.push(Let::Loop { defines: copied, multiloop: each });
    }
    for ((define, inputs), generator) in defines.into_iter().zip(made).zip(&multiloop.generators) {
        if let Generator::Collect { .. } = generator {
            lets.push(Let::Concat { define, inputs });
            continue;
        }
        let fields = program.collection(define).fields.clone();
        let all = program.add_collection(fields, Shape::Rows);
        lets.push(Let::Concat { define: all, inputs });
        lets.push(merge(program, define, all, generator));
    }
    let all = &mut program.blocks[block.0 as usize].lets;
    all.splice(at..=at, lets);
    all.retain(|each| !matches!(each, Let::Concat { define, .. } if multiloop.nest[0].source == Source::Rows(*define)));
}

/// A new collection of the same fields and shape.
fn like(program: &mut Program, define: CollectionId) -> CollectionId {
    let made = program.collection(define).clone();
    program.add_collection(made.fields, made.shape)
}

/// The loop that merges the groups, or the one rows, of all parts.
fn merge(program: &mut Program, define: CollectionId, all: CollectionId, made: &Generator) -> Let {
    let index = program.index_over(Source::Rows(all));
    let types: Vec<DataType> = program.collection(all).fields.iter().map(|field| field.data_type).collect();
    let field = |(at, data_type)| program.scalars.column(index.id, at, data_type);
    let fields: Vec<ScalarId> = (0..).zip(types).map(field).collect();
    let (key, values) = fields.split_at(made.key().len());
    let merged = |(aggregate, &value): (&Aggregate, &ScalarId)| {
        let by = aggregate.reduction.properties().merged_by.expect("every aggregate has one");
        Aggregate::new(by, vec![value], aggregate.data_type)
    };
    let aggregates = made.aggregates().iter().zip(values).map(merged).collect();
    let condition = Vec::new();
    let generator = match made {
        Generator::BucketReduce { .. } => Generator::BucketReduce { condition, key: key.to_vec(), aggregates },
        _ => Generator::Reduce { condition, aggregates },
    };
    Let::Loop { defines: vec![define], multiloop: Multiloop { nest: vec![index], generators: vec![generator] } }
}
