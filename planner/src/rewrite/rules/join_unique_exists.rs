//! EXISTS over buckets of at most one row is a join: the search becomes an index.
//!
//! ```text
//! G[nest](c && exists [j in B[h]](d(j)))(…), B has unique keys   →   G[nest, j in B[h]](c && d(j))(…)
//! ```
//!
//! Source: semi join to inner join over a key, as in most optimisers. An example (groups have unique keys; of
//! tables it is the statistics that know):
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//!     rows = count_rows()
//! loop
//!   i1 in %1
//!   %2 bucket_collect
//!     key a = i1.a
//!     rows = i1.rows
//! loop
//!   i2 in %0
//!   %3 collect
//!     block b0
//!       loop
//!         i3 in %2[i2.b]
//!         %4 reduce
//!           if cast(i2.a as bigint) < i3.rows
//!           value = any(TRUE)
//!       result %4
//!     if b0.value
//!     a = i2.a
//! result %3
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//!     rows = count_rows()
//! loop
//!   i1 in %1
//!   %2 bucket_collect
//!     key a = i1.a
//!     rows = i1.rows
//! loop
//!   i2 in %0
//!   i3 in %2[i2.b]
//!   %3 collect
//!     if cast(i2.a as bigint) < i3.rows
//!     a = i2.a
//! result %3
//! output a
//! ```
//!
//! Guard, and why:
//! * no bucket has two rows: an order with two items would be counted twice;
//! * the EXISTS is a condition of its own, the block is read nowhere else, and the loop has one generator: rows that
//!   are not found are gone for all generators of a nest (`NOT EXISTS`, or EXISTS under OR, keeps them);
//! * the probe's key cannot fail and nothing in the conditions is volatile: the index comes before the conditions.
//!
//! NULLs: a NULL key finds nothing, a condition that is NULL does not pass; both drop the row, as before. Errors:
//! conditions are evaluated for fewer rows, in the same order. Joins: the new index is the innermost.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::for_each_node;
use crate::multiloop::{BlockId, Index, Let, Program, Scalar, ScalarId, Source};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::Dependencies;
use crate::rewrite::machinery::exists_block::exists_loop;
use crate::rewrite::machinery::substitute::Substitution;

/// Turns searches for the only row of a bucket into indices.
pub(super) fn join_unique_exists(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            while let Some((number, mut index, mut condition)) =
                limit.next(find(program, &program.block(block).lets[at]))
            {
                // Other blocks and lets may read the block, too, and keep it.
                let mut copy = Substitution::copying();
                copy.index(program, &mut index);
                copy.all(program, &mut condition);
                let Let::Loop { multiloop, .. } = &mut program.blocks[block.0 as usize].lets[at] else {
                    unreachable!("find has seen a loop")
                };
                multiloop.nest.push(index);
                multiloop.generators[0].condition_mut().splice(number..=number, condition);
                changed = true;
            }
        }
    }
    changed
}

/// Which condition of a loop is such an EXISTS, its index and its conditions.
fn find(program: &Program, each: &Let) -> Option<(usize, Index, Vec<ScalarId>)> {
    let Let::Loop { multiloop, .. } = each else { return None };
    let [generator] = &multiloop.generators[..] else { return None };
    generator.condition().iter().enumerate().find_map(|(number, &id)| {
        let Scalar::Nested { block, .. } = program.scalars.get(id) else { return None };
        let (inner, condition) = exists_loop(program, *block)?;
        let [index @ Index { source: Source::Bucket { collection, key }, .. }] = &inner.nest[..] else { return None };
        let effects = |id: &ScalarId| program.scalars.effects(*id);
        let may_move = key.iter().all(|part| effects(&part.scalar).is_pure())
            && !generator.condition().iter().chain(condition).any(|id| effects(id).volatile);
        let fits = may_move
            && reads_of(program, each, *block) == 1
            && generator.condition().iter().filter(|&&other| other == id).count() == 1
            && Dependencies::of(program).has_unique_key(*collection);
        fits.then(|| (number, index.clone(), condition.to_vec()))
    })
}

/// In how many of its scalars a let mentions a block.
fn reads_of(program: &Program, each: &Let, block: BlockId) -> usize {
    let mut reads = 0;
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
            reads += usize::from(matches!(scalar, Scalar::Nested { block: of, .. } if *of == block));
        });
    });
    reads
}
