//! Rows of buckets that are only counted are counted once a bucket, not once for each row that finds them.
//!
//! ```text
//! i in x, j in B[i.k]: count_rows()   →   C = BucketReduce(c)(k)(count_rows()); i in x: sum(C[i.k].count)
//! ```
//!
//! Source: our own; pairs of a join of many to many are never made. An example:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(b#0 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     key b = i0.b
//! loop
//!   i1 in %0
//!   i2 in %2[i1.a]
//!   %3 reduce
//!     rows = count_rows()
//! result %3
//! output rows
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(b#0 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     key b = i0.b
//!   %3 bucket_reduce
//!     key b = i0.b
//!     count = count_rows()
//! loop
//!   i1 in %0
//!   %4 reduce
//!     if %3[i1.a].count > 0::bigint
//!     rows? = sum(%3[i1.a].count)::bigint
//! loop
//!   i2 in %4
//!   %5 collect
//!     rows = coalesce(i2.rows, 0::bigint)
//! result %5
//! output rows
//! ```
//!
//! Guard, and why:
//! * nothing reads the bucket's rows (`select sum(u.c) from t, u where a = b` does), nor the bucket's collection but this index;
//! * all aggregates count rows or are the same however often a row comes (`sum(t.a)` is not), and one counts;
//! * what is made is read as rows only: a count that is looked up is 0 where there is none, a sum is NULL; and one row stands in the
//!   body, because what makes it of a sum that may be NULL is a loop over rows;
//! * of groups, counts have no filter of their own: where none of a group's rows passes, they are 0, not NULL;
//! * no index has a rest, whose rows are told by what has been found.
//!
//! NULLs: a key is looked up as it was found; no bucket is no row. Errors: key and conditions of the bucket are evaluated for the same
//! rows, those of the loop for rows that have a partner, as before. Joins: an inner one; no other is left out of the nest.

use crate::function::Function;
use crate::multiloop::uses::{Use, collection_uses, for_each_node};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape,
    Source,
};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::restore_fields::restore_fields;
use crate::rewrite::machinery::sibling_generator::add_sibling_generator;
use crate::types::{DataType, Field};
use crate::value::Value;
use std::mem;

/// Counts such rows by bucket.
pub(super) fn count_unread_rows(program: &mut Program) -> bool {
    change_blocks(program, find, count)
}

/// An index whose rows are only counted.
struct Site {
    at: usize,
    index: usize,
    /// Where its buckets are made.
    made: Definition,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let mut known = None;
    program.block(block).lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { defines, multiloop } = each else { return None };
        if !only_counts(multiloop) || multiloop.rest().is_some() {
            return None;
        }
        let (made, uses) = known.get_or_insert_with(|| (definitions(program), collection_uses(program)));
        let is_one = matches!(multiloop.generators[0], Generator::Reduce { .. });
        if uses[defines[0].0 as usize].scalars > 0 || is_one && block != program.body {
            return None;
        }
        (1..multiloop.nest.len()).find_map(|index| {
            let Source::Bucket { collection, .. } = multiloop.nest[index].source else { return None };
            let made = made[collection.0 as usize].filter(|made| made.block == block)?;
            let is_only = uses[collection.0 as usize] == Use { buckets: 1, ..Use::default() };
            let fits = is_only && is_collected(program, made) && !is_read(program, each, multiloop.nest[index].id);
            fits.then_some(Site { at, index, made })
        })
    })
}

/// Whether a loop's one generator counts rows, and does nothing else that minds how often they come.
fn only_counts(multiloop: &Multiloop) -> bool {
    let ([Generator::Reduce { aggregates, .. }] | [Generator::BucketReduce { aggregates, .. }]) =
        &multiloop.generators[..]
    else {
        return false;
    };
    let is_grouped = matches!(multiloop.generators[0], Generator::BucketReduce { .. });
    let counts = |aggregate: &Aggregate| aggregate.reduction == Reduction::CountRows;
    let fits = |aggregate: &Aggregate| {
        let any_number = matches!(aggregate.reduction, Reduction::Min | Reduction::Max | Reduction::First);
        any_number || counts(aggregate) && (!is_grouped || aggregate.condition.is_empty())
    };
    aggregates.iter().any(counts) && aggregates.iter().all(fits)
}

fn is_collected(program: &Program, made: Definition) -> bool {
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return false };
    matches!(multiloop.generators[made.generator], Generator::BucketCollect { .. })
}

/// Whether anything in a let reads an index; what stands in a block may.
fn is_read(program: &Program, each: &Let, index: IndexId) -> bool {
    let (mut read, mut seen) = (false, vec![false; program.scalars.len()]);
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut seen, &mut |_, scalar| match scalar {
            Scalar::Column { index: of, .. } => read |= *of == index,
            Scalar::Nested { .. } => read = true,
            _ => {}
        });
    });
    read
}

fn count(program: &mut Program, block: BlockId, site: Site) {
    let mut lets = mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { multiloop: making, .. } = &lets[site.made.at] else { unreachable!("find has seen a loop") };
    let Generator::BucketCollect { condition, key: inner, .. } = making.generators[site.made.generator].clone() else {
        unreachable!("find has seen buckets")
    };
    let Let::Loop { defines, multiloop } = &mut lets[site.at] else { unreachable!("find has seen a loop") };
    let Source::Bucket { collection, key } = multiloop.nest.remove(site.index).source else {
        unreachable!("find has seen a bucket")
    };
    let groups = counted_groups(program, collection);
    let lookup = Scalar::Lookup { collection: groups, key, field: inner.len() as u32 };
    let number = program.scalars.intern(lookup, DataType::BigInt);
    let define = defines[0];
    let is_grouped = matches!(multiloop.generators[0], Generator::BucketReduce { .. });
    let (Generator::Reduce { condition: passes, aggregates }
    | Generator::BucketReduce { condition: passes, aggregates, .. }) = &mut multiloop.generators[0]
    else {
        unreachable!("find has seen aggregates")
    };
    let counts: Vec<bool> = aggregates.iter().map(|each| each.reduction == Reduction::CountRows).collect();
    // Of no bucket there are no rows: looked up, that is 0. First, so that what may fail is asked of the same rows.
    let zero = program.scalars.constant(Value::Int(0), DataType::BigInt);
    passes.insert(0, program.scalars.call(Function::Greater, vec![number, zero], DataType::Boolean));
    for aggregate in aggregates.iter_mut().filter(|each| each.reduction == Reduction::CountRows) {
        (aggregate.reduction, aggregate.arguments) = (Reduction::Sum, vec![number]);
    }
    if !is_grouped {
        let mut fields = program.collection(define).fields.clone();
        fields.iter_mut().zip(&counts).filter(|(_, counts)| **counts).for_each(|(field, _)| field.nullable = true);
        restore_fields(program, &mut lets, (site.at, 0, true), fields, |program, made| {
            let mut shown = Vec::new();
            for (field, counts) in counts.into_iter().enumerate() {
                let value = made.field(program, field);
                shown.push(if counts { or_zero(program, value) } else { value });
            }
            shown
        });
    }
    program.blocks[block.0 as usize].lets = lets;
    let counted = Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt);
    let generator = Generator::BucketReduce { condition, key: inner, aggregates: vec![counted] };
    add_sibling_generator(program, site.made, site.at, groups, generator);
}

/// The groups of buckets, with how many rows each has.
fn counted_groups(program: &mut Program, buckets: CollectionId) -> CollectionId {
    let mut fields = program.collection(buckets).fields.clone();
    let keys = fields.len() as u32;
    fields.push(Field::new("count", DataType::BigInt, false));
    program.add_collection(fields, Shape::Groups { keys })
}

fn or_zero(program: &mut Program, number: ScalarId) -> ScalarId {
    let zero = program.scalars.constant(Value::Int(0), DataType::BigInt);
    program.scalars.call(Function::Coalesce, vec![number, zero], DataType::BigInt)
}
