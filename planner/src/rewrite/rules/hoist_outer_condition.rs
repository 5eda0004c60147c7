//! What a nested block asks of the row around it alone is asked once, outside.
//!
//! ```text
//! G[i …](… Reduce[j …](c(i) && d(i, j))(f)(r) …)   →   G[i …](… case when c(i) then Reduce[j …](d(i, j))(f)(r) else 0 of r end …)
//! ```
//!
//! The block then depends on less: in `x < ANY (select y.b from y where y.c < ANY (select z.c from z where z.d <> y.d and x.a > 2))`
//! the inner one is left with rows of y and z, so that its answer for a row of y serves all rows of x. Source: DMLL, section 3 (code
//! motion out of loops), for conditions. An example:
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
//!           if i0.a > 2
//!           value = any(TRUE)
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
//!           value = any(TRUE)
//!       result %3
//!     if i0.a > 2
//!     if b0.value
//!     a? = i0.a
//! result %2
//! output a
//! ```
//!
//! Guard, and why:
//! * the condition reads an outer index and none of the block's; what reads no index at all is left where it is: it is asked once
//!   a loop anyway;
//! * the block is one loop with one Reduce that gives no rows: of no rows its value is known;
//! * the condition is not volatile, and may not fail unless the program may speculate: it is now evaluated even if no inner row
//!   reaches it.
//!
//! It ends: there is a condition less in a nested block. NULLs: a condition that is NULL drops all rows, as FALSE does, and CASE takes
//! it so. Joins: the nest is kept.

use crate::function::{Effects, Function};
use crate::multiloop::live::live_blocks;
use crate::multiloop::reduction::Identity;
use crate::multiloop::uses::{FreeIndices, nested_of};
use crate::multiloop::{Block, BlockId, Generator, IndexId, Let, Multiloop, Program, ScalarId};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::conditions::for_each_condition_mut;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;
use crate::value::Value;

/// Asks outside what a nested block asks of outer rows alone.
pub(super) fn hoist_outer_condition(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    // Inner blocks first: what leaves one may leave the next.
    for block in live_blocks(program).into_iter().rev() {
        for at in 0..program.block(block).lets.len() {
            while let Some((nested, outer)) = limit.next(find(program, block, at)) {
                ask_outside(program, block, at, nested, &outer);
                changed = true;
            }
        }
    }
    changed
}

/// A nested block of a let with such conditions.
fn find(program: &Program, block: BlockId, at: usize) -> Option<(BlockId, Vec<ScalarId>)> {
    nested_of(program, &program.block(block).lets[at]).into_iter().find_map(|(_, nested, _)| {
        let (multiloop, condition) = reduce_loop(program, nested)?;
        let own: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
        let mut free = FreeIndices::default();
        let mut is_outer = |id: ScalarId| {
            let free = free.scalar(program, id);
            !free.is_empty() && !free.iter().any(|index| own.contains(index))
        };
        let may_move = |id: ScalarId| program.may_move(program.scalars.effects(id));
        let outer: Vec<ScalarId> = condition.iter().copied().filter(|&id| is_outer(id) && may_move(id)).collect();
        (!outer.is_empty()).then_some((nested, outer))
    })
}

/// The loop and the conditions of a block that is one Reduce of values.
fn reduce_loop(program: &Program, id: BlockId) -> Option<(&Multiloop, &[ScalarId])> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    let gives_values = !aggregates.iter().any(|aggregate| aggregate.reduction.gives_rows());
    (*define == block.result && gives_values).then_some((multiloop, condition))
}

fn ask_outside(program: &mut Program, block: BlockId, at: usize, nested: BlockId, outer: &[ScalarId]) {
    let effects = outer.iter().fold(Effects::PURE, |effects, &id| effects.and(program.scalars.effects(id)));
    program.moved(effects);
    let (multiloop, _) = reduce_loop(program, nested).expect("it has been found");
    let mut multiloop = multiloop.clone();
    multiloop.generators[0].condition_mut().retain(|id| !outer.contains(id));
    let aggregates = multiloop.generators[0].aggregates().to_vec();
    let result = program.block(nested).result;
    let lets = vec![Let::Loop { defines: vec![result], multiloop }];
    let new = program.add_block(Block { lets, result });
    // Other readers keep the block.
    let new = Substitution::copying().block(program, new);
    let asked = match outer {
        [only] => *only,
        _ => program.scalars.call(Function::And, outer.to_vec(), DataType::Boolean),
    };
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let mut readers = Substitution::new();
    for (field, aggregate) in (0..).zip(&aggregates) {
        let (old, value) = (program.nested(nested, field), program.nested(new, field));
        let position = program.scalars.position(old);
        program.scalars.set_position(value, position);
        let identity = aggregate.reduction.properties().identity;
        // As a condition FALSE is nothing else than a condition that is not TRUE.
        if identity == Identity::Boolean(false) {
            for_each_condition_mut(&mut lets[at], |conditions| {
                if let Some(place) = conditions.iter().position(|id| *id == old) {
                    conditions.splice(place..=place, outer.iter().copied().chain([value]));
                }
            });
        }
        let data_type = program.scalars.data_type(old);
        let none = match identity {
            Identity::Zero => Value::Int(0),
            Identity::Boolean(value) => Value::Boolean(value),
            Identity::Null | Identity::Nothing => Value::Null,
        };
        let none = program.scalars.constant(none, data_type);
        let case = program.scalars.call(Function::Case, vec![asked, value, none], data_type);
        readers.replace_scalar(old, case);
    }
    readers.definition(program, &mut lets[at]);
    program.blocks[block.0 as usize].lets = lets;
}
