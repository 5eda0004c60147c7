//! A nested Reduce over one bucket becomes a BucketReduce beside the BucketCollect, and a lookup.
//!
//! ```text
//! B = BucketCollect[nest](c)(k)(v)                       B = …, M = BucketReduce[nest](c && d(v))(k)(f(v))(r)
//! G[i …](… Reduce[j in B[h(i)]](d(j))(f(j))(r) …)   →    G[i …](… M[h(i)] …)
//! ```
//!
//! Source: DMLL's Conditional Reduce (Figure 3), for an equality that a join has made a bucket. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer?)
//! loop
//!   i0 in %0
//!   %1 bucket_collect
//!     key a = i0.a
//!     b? = i0.b
//! loop
//!   i1 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i2 in %1[i1.b]
//!         %3 reduce
//!           if i2.b > 5
//!           least? = min(i2.b)
//!       result %3
//!     least? = b0.least
//! result %2
//! output least
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer?)
//! loop
//!   i0 in %0
//!   %1 bucket_collect
//!     key a = i0.a
//!     b? = i0.b
//!   %2 bucket_reduce
//!     if i0.b > 5
//!     key a = i0.a
//!     least? = min(i0.b)
//! loop
//!   i1 in %0
//!   %3 collect
//!     least? = %2[i1.b].least
//! result %3
//! output least
//! ```
//!
//! Where conditions or arguments look up what is made behind the buckets, a loop of its own makes M, in front of its reader.
//!
//! `any(TRUE)`, which is EXISTS, needs no value: its reader becomes `exists M[h(i)]`. The buckets go when nothing
//! else reads them.
//!
//! Guard, and why:
//! * conditions and arguments read the bucket's rows only: with another outer value in them, as in
//!   `(select sum(u.x * t.y) from u where u.k = t.k)`, one value a bucket would not do;
//! * nothing in the block, and none of the bucket's values that it reads, may fail or is volatile: it is now evaluated
//!   for buckets that no outer row asks for. A program that may speculate evaluates what may fail.
//!
//! NULLs: the probe is the bucket's own, NULL parts find what they found. A bucket without rows that pass, or none at
//! all, gives what the reduction gives for no rows. Joins: the nest is kept.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, nested_of};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, IndexId, KeyPart, Let, Program, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::definitions;
use crate::rewrite::machinery::exists_block::exists_loop;
use crate::rewrite::machinery::sibling_generator::add_sibling_generator;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;

/// Reduces buckets once instead of at every probe.
pub(super) fn reduce_probed_bucket(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            let mut refused = Vec::new();
            while let Some((nested, probe)) = limit.next(find(program, block, at, &refused)) {
                if reduce(program, block, at, nested, probe) {
                    changed = true;
                } else {
                    refused.push(nested);
                }
            }
            at += 1;
        }
    }
    changed
}

/// A nested block of a let that is such a Reduce, and is not among those that have been refused.
fn find(program: &Program, block: BlockId, at: usize, refused: &[BlockId]) -> Option<(BlockId, ProbedReduce)> {
    let nested = nested_of(program, &program.block(block).lets[at]);
    let mut others = nested.into_iter().map(|(_, nested, _)| nested).filter(|nested| !refused.contains(nested));
    others.find_map(|nested| Some((nested, probed_reduce(program, nested)?)))
}

/// A nested Reduce of one bucket, taken apart.
struct ProbedReduce {
    buckets: CollectionId,
    key: Vec<KeyPart>,
    index: IndexId,
    condition: Vec<ScalarId>,
    /// None of them: it is an EXISTS.
    aggregates: Vec<Aggregate>,
}

fn probed_reduce(program: &Program, id: BlockId) -> Option<ProbedReduce> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [index], [generator @ Generator::Reduce { condition, aggregates }]) =
        (&defines[..], &multiloop.nest[..], &multiloop.generators[..])
    else {
        return None;
    };
    let Source::Bucket { collection, key } = &index.source else { return None };
    let top_k = aggregates.iter().any(|each| each.reduction.gives_rows());
    if *define != block.result || top_k || !program.may_move(program.block_effects(id)) {
        return None;
    }
    let mut free = FreeIndices::default();
    let mut own = true;
    generator.for_each_scalar(|id| own &= free.scalar(program, id).iter().all(|each| *each == index.id));
    own.then(|| ProbedReduce {
        buckets: *collection,
        key: key.clone(),
        index: index.id,
        condition: condition.clone(),
        aggregates: if exists_loop(program, id).is_some() { Vec::new() } else { aggregates.clone() },
    })
}

/// Adds the BucketReduce to the loop that makes the buckets, which has to stand in the same block, or to one like it in front of
/// the reader, if it looks up what is made in between; whether it did.
fn reduce(program: &mut Program, block: BlockId, at: usize, nested: BlockId, probe: ProbedReduce) -> bool {
    let ProbedReduce { buckets, key, index, condition: passing, mut aggregates } = probe;
    let Some(made) = definitions(program)[buckets.0 as usize].filter(|made| made.block == block) else { return false };
    let Let::Loop { multiloop, .. } = &program.block(block).lets[made.at] else { return false };
    let Generator::BucketCollect { condition, key: inner_key, value } = &multiloop.generators[made.generator] else {
        return false;
    };
    let (mut condition, inner_key, value) = (condition.clone(), inner_key.clone(), value.clone());
    // Others may read the block, too, and keep it, with the blocks in it.
    let mut of_value = Substitution::copying();
    of_value.replace_index(index, value);
    let mut effects = program.block_effects(nested);
    let mut moved = |program: &mut Program, id: ScalarId| {
        let id = of_value.scalar(program, id);
        effects = effects.and(program.scalars.effects(id));
        id
    };
    for id in passing {
        condition.push(moved(program, id));
    }
    for aggregate in &mut aggregates {
        aggregate.for_each_scalar_mut(|id| *id = moved(program, *id));
    }
    if !program.may_move(effects) {
        return false;
    }
    program.moved(effects);
    let values = program.collection(program.block(nested).result).fields.clone();
    let mut fields = program.collection(buckets).fields.clone();
    let (keys, is_exists) = (inner_key.len() as u32, aggregates.is_empty());
    if !is_exists {
        fields.extend(values.iter().cloned());
    }
    let groups = program.add_collection(fields, Shape::Groups { keys });
    let mut readers = Substitution::new();
    for (value, field) in values.iter().zip(0..) {
        let old = program.nested(nested, field);
        let new = if is_exists {
            program.scalars.intern(Scalar::Exists { collection: groups, key: key.clone() }, DataType::Boolean)
        } else {
            let lookup = Scalar::Lookup { collection: groups, key: key.clone(), field: keys + field };
            program.scalars.intern(lookup, value.data_type)
        };
        readers.replace_scalar(old, new);
    }
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    program.blocks[block.0 as usize].lets = lets;
    add_sibling_generator(program, made, at, groups, Generator::BucketReduce { condition, key: inner_key, aggregates });
    true
}
