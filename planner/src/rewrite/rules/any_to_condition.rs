//! ANY in a condition becomes EXISTS: where a row passes only if some value compares so, the comparison is one of the conditions by
//! which rows are searched.
//!
//! ```text
//! G[i …](… Reduce[j …](c(i, j))(any(p(i, j))) …)   →   G[i …](… Reduce[j …](c(i, j) && p(i, j))(any(TRUE)) …)
//! ```
//!
//! The other rules of ANY ask something that is made once for all outer rows, for which the conditions may be no more than equalities
//! across. With any other condition (`x.v IN (SELECT y.k FROM y WHERE y.u <> x.u)`) every row was compared; as a condition the
//! equality is a key again, for `bucket_correlated_rows` and `exists_comparison_to_extremes`. Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer?, b#1 integer)
//! table %1 u(k#0 integer?, n#1 integer)
//! loop
//!   i0 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i1 in %1
//!         %3 reduce
//!           if i1.n < i0.b
//!           value? = any(i1.k = i0.a)
//!       result %3
//!     if b0.value
//!     a? = i0.a
//! result %2
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer?, b#1 integer)
//! table %1 u(k#0 integer?, n#1 integer)
//! loop
//!   i0 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i1 in %1
//!         %3 reduce
//!           if i1.n < i0.b
//!           if i1.k = i0.a
//!           value = any(TRUE)
//!       result %3
//!     if b0.value
//!     a? = i0.a
//! result %2
//! output a
//! ```
//!
//! Guard, and why:
//! * the block is read as a whole condition, or what it compares cannot be NULL: `NOT b0.value` tells NULL from FALSE;
//! * some condition of the block is no equality across and reads an outer index: of others `any_equal_to_exists` and
//!   `any_less_to_extreme` make more;
//! * nothing in the block is volatile.
//!
//! It ends: there is an ANY of a comparison less. NULLs: a comparison that is NULL is no match, and where none is TRUE the answer
//! was NULL or FALSE, which a condition does not tell apart. Errors: the comparison is evaluated for the rows that pass the other
//! conditions, as before. Joins: the nest is kept.

use crate::analysis::nullability::Nullability;
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::nested_of;
use crate::multiloop::{
    Aggregate, Block, BlockId, Generator, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::conditions::{for_each_condition, for_each_condition_mut};
use crate::rewrite::machinery::inner_indices::InnerIndices;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use crate::value::Value;

/// Makes the comparison of an ANY a condition of its rows.
pub(super) fn any_to_condition(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            while let Some(found) = limit.next(find(program, block, at)) {
                ask_exists(program, block, at, found);
                changed = true;
            }
        }
    }
    changed
}

/// A nested block that is such an ANY.
struct Found {
    nested: BlockId,
    /// Whether it may be replaced wherever the let reads it, not only as a condition.
    everywhere: bool,
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Found> {
    let each = &program.block(block).lets[at];
    let nested = nested_of(program, each);
    nested.into_iter().find_map(|(scalar, nested, _)| {
        let (multiloop, condition, argument) = any_loop(program, nested)?;
        if program.block_effects(nested).volatile
            || InnerIndices::of(program, &multiloop.nest).split(condition).is_some()
        {
            return None;
        }
        let everywhere = !may_be_null(program, (block, at), multiloop, argument);
        let mut is_condition = false;
        for_each_condition(each, |conditions| is_condition |= conditions.contains(&scalar));
        (everywhere || is_condition).then_some(Found { nested, everywhere })
    })
}

/// The loop, the conditions and the argument of a block that is an ANY of something else than TRUE.
fn any_loop(program: &Program, id: BlockId) -> Option<(&Multiloop, &[ScalarId], ScalarId)> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    let [aggregate @ Aggregate { reduction: Reduction::Any, arguments, condition: filter, .. }] = &aggregates[..]
    else {
        return None;
    };
    let is_any = *define == block.result && filter.is_empty() && !aggregate.is_any_true(&program.scalars);
    is_any.then_some((multiloop, condition, arguments[0]))
}

fn may_be_null(program: &Program, (block, at): (BlockId, usize), inner: &Multiloop, argument: ScalarId) -> bool {
    let lets = &program.block(block).lets;
    let mut nullability = Nullability::default();
    lets[..at].iter().for_each(|each| nullability.define(program, each));
    if let Let::Loop { multiloop: outer, .. } = &lets[at] {
        outer.nest.iter().for_each(|index| nullability.enter(program, index));
    }
    inner.nest.iter().for_each(|index| nullability.enter(program, index));
    nullability.scalar(program, argument)
}

fn ask_exists(program: &mut Program, block: BlockId, at: usize, Found { nested, everywhere }: Found) {
    let (multiloop, condition, argument) = any_loop(program, nested).expect("it has been found");
    let (nest, mut condition) = (multiloop.nest.clone(), condition.to_vec());
    match program.scalars.get(argument) {
        Scalar::Call { function: Function::And, arguments } => condition.extend(arguments),
        _ => condition.push(argument),
    }
    let yes = program.scalars.constant(Value::Boolean(true), DataType::Boolean);
    let any = Aggregate::new(Reduction::Any, vec![yes], DataType::Boolean);
    let name = program.collection(program.block(nested).result).fields[0].name.clone();
    let collection = program.add_collection(vec![Field::new(name, DataType::Boolean, false)], Shape::Single);
    let generator = Generator::Reduce { condition, aggregates: vec![any] };
    let each = Let::Loop { defines: vec![collection], multiloop: Multiloop { nest, generators: vec![generator] } };
    let new = program.add_block(Block { lets: vec![each], result: collection });
    // Other readers keep the block.
    let new = Substitution::copying().block(program, new);
    let (old, exists) = (program.nested(nested, 0), program.nested(new, 0));
    let position = program.scalars.position(old);
    program.scalars.set_position(exists, position);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    if everywhere {
        let mut readers = Substitution::new();
        readers.replace_scalar(old, exists);
        readers.definition(program, &mut lets[at]);
    } else {
        for_each_condition_mut(&mut lets[at], |conditions| {
            conditions.iter_mut().filter(|id| **id == old).for_each(|id| *id = exists);
        });
    }
    program.blocks[block.0 as usize].lets = lets;
}
