//! Conditional Reduce: a nested Reduce whose rows are chosen by an equality with the outer row becomes one
//! BucketReduce in front and a lookup. This is how correlated subqueries are unnested.
//!
//! ```text
//! G[i …](… Reduce[j …](g(j) == h(i) && c(j))(f(j))(r) …)   →   H = BucketReduce[j …](c(j))(g(j))(f(j))(r)
//!                                                              G[i …](… H[h(i)] …)
//! ```
//!
//! Source: DMLL, Figure 3. An example:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i1 in %1
//!         %3 reduce
//!           if i1.x > 5
//!           if i1.k = i0.a
//!           least? = min(i1.x)
//!       result %3
//!     if i0.a < b0.least
//!     a = i0.a
//! result %2
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     if i0.x > 5
//!     key k? = i0.k
//!     least? = min(i0.x)
//! loop
//!   i1 in %0
//!   %3 collect
//!     if i1.a < %2[i1.a].least
//!     a = i1.a
//! result %3
//! output a
//! ```
//!
//! `any(TRUE)`, which is EXISTS, needs no value: its reader becomes `exists H[h(i)]`.
//!
//! Guard, and why:
//! * every condition reads inner indices only or is such an equality, and nothing else of the Reduce reads an outer
//!   index: what is left over could not be told from the key;
//! * nothing in the block may fail or is volatile: it is now evaluated for inner rows that no outer row asks
//!   for (`(select sum(1 / u.x) from u where u.k = t.a)` with a zero under a key that t does not have), and
//!   `h(i)` even where there are no inner rows. A `single` may fail, too. A program that may speculate does so.
//!
//! NULLs: `=` with a NULL on either side is not TRUE: NULL keys make a group that `h(i)` never finds, and a NULL
//! `h(i)` finds nothing; IS NOT DISTINCT FROM finds the group of NULLs. An outer row without inner rows gets what
//! the reduction gives for none. Joins: the inner nest is kept as it is, so its kinds do not matter.

use crate::analysis::nullability::Nullability;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::nested_of;
use crate::multiloop::{
    Aggregate, BlockId, Generator, Index, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::inner_indices::{InnerIndices, key_name};
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};

/// Unnests every nested Reduce that can be.
pub(super) fn conditional_reduce(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            let found = nested_of(program, &program.block(block).lets[at])
                .into_iter()
                .find_map(|(_, nested, _)| Some((nested, keyed_reduce(program, nested)?)));
            // After a change the let stands one further on; other blocks in it come next.
            if let Some((nested, keyed)) = limit.next(found) {
                unnest(program, block, at, nested, keyed);
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// A nested Reduce, taken apart.
struct KeyedReduce {
    nest: Vec<Index>,
    condition: Vec<ScalarId>,
    /// The inner side of each equality, and the outer.
    key: Vec<(ScalarId, KeyPart)>,
    aggregates: Vec<Aggregate>,
}

fn keyed_reduce(program: &Program, id: BlockId) -> Option<KeyedReduce> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    if *define != block.result || !program.may_move(program.block_effects(id)) {
        return None;
    }
    let mut inner = InnerIndices::of(program, &multiloop.nest);
    let nest_scalars = multiloop.nest.iter().flat_map(|index| index.source.scalars());
    let mut is_inner = nest_scalars.into_iter().all(|id| inner.reads_only(id));
    for aggregate in aggregates {
        aggregate.for_each_scalar(|id| is_inner &= inner.reads_only(id));
        is_inner &= !aggregate.reduction.gives_rows();
    }
    if !is_inner {
        return None;
    }
    let (kept, key) = inner.split(condition)?;
    if key.is_empty() {
        return None;
    }
    Some(KeyedReduce { nest: multiloop.nest.clone(), condition: kept, key, aggregates: aggregates.clone() })
}

/// Puts the BucketReduce in front of the let and lets the block's readers look it up.
fn unnest(program: &mut Program, block: BlockId, at: usize, nested: BlockId, keyed: KeyedReduce) {
    let KeyedReduce { nest, condition, key, mut aggregates } = keyed;
    program.moved(program.block_effects(nested));
    let values = program.collection(program.block(nested).result).fields.clone();
    let is_exists = aggregates.iter().all(|aggregate| aggregate.is_any_true(&program.scalars));
    let mut nullability = Nullability::default();
    nest.iter().for_each(|index| nullability.enter(program, index));
    let mut fields: Vec<Field> = Vec::with_capacity(key.len() + values.len());
    for (number, (scalar, _)) in key.iter().enumerate() {
        let nullable = nullability.scalar(program, *scalar);
        fields.push(Field::new(
            key_name(program, &nest, *scalar, number),
            program.scalars.data_type(*scalar),
            nullable,
        ));
    }
    let probe: Vec<KeyPart> = key.iter().map(|(_, part)| *part).collect();
    let keys = key.len() as u32;
    if is_exists {
        aggregates.clear();
    } else {
        fields.extend(values.iter().cloned());
    }
    let groups = program.add_collection(fields, Shape::Groups { keys });
    let mut readers = Substitution::new();
    for (field, value) in values.iter().enumerate() {
        let old = program.nested(nested, field as u32);
        let new = if is_exists {
            program.scalars.intern(Scalar::Exists { collection: groups, key: probe.clone() }, DataType::Boolean)
        } else {
            let lookup = Scalar::Lookup { collection: groups, key: probe.clone(), field: keys + field as u32 };
            program.scalars.intern(lookup, value.data_type)
        };
        readers.replace_scalar(old, new);
    }
    let key = key.into_iter().map(|(id, _)| id).collect();
    let generator = Generator::BucketReduce { condition, key, aggregates };
    // Other lets may read the block, too, and keep it.
    let multiloop = Substitution::copied(program, Multiloop { nest, generators: vec![generator] });
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    lets.insert(at, Let::Loop { defines: vec![groups], multiloop });
    program.blocks[block.0 as usize].lets = lets;
}
