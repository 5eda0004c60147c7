//! Cheap conditions first, and of those that cost the same the one that leaves fewest rows.
//!
//! ```text
//! (expensive && cheap)   →   (cheap && expensive)
//! ```
//!
//! Comparisons of numbers come first, then comparisons of texts that repeat, then questions to buckets (by one key, by several),
//! then lookups and comparisons of other texts, then patterns, then nested loops. What a condition leaves is a guess of `selectivity`; bounds on one column count as one condition. Source:
//! predicate ordering by cost, as in most optimisers. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 text)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//! loop
//!   i1 in %0
//!   %2 collect
//!     if exists %1[i1.a]
//!     if i1.b = 'x'
//!     if i1.a < 7
//!     a = i1.a
//! result %2
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 text)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//! loop
//!   i1 in %0
//!   %2 collect
//!     if i1.a < 7
//!     if i1.b = 'x'
//!     if exists %1[i1.a]
//!     a = i1.a
//! result %2
//! output a
//! ```
//!
//! Guard, and why: a condition that may fail (or asks what may) or is volatile keeps its place, and none crosses it: in
//! `where length(s) > 0 and 1 / x > 0` the first may be there to keep a zero away from the second, and `random()` is
//! asked once for each row that gets to it.
//!
//! NULLs: a row passes when all are TRUE, in whatever order. Errors: see the guard. Joins: the conditions of a left
//! join are ordered among themselves.

use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{BlockId, Index, Let, Program, Scalar, ScalarId};
use crate::rewrite::machinery::conditions::{for_each_condition, for_each_condition_mut};
use crate::rewrite::machinery::dependencies::definitions;
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::selectivity::Selectivity;

/// Puts cheap conditions in front.
pub(super) fn order_conditions(program: &mut Program) -> bool {
    let made = definitions(program);
    let selectivity = Selectivity::of(program, &made);
    let failing = Fallible::of(program);
    let mut ordered: Vec<(BlockId, Vec<Let>)> = Vec::new();
    for block in live_blocks(program) {
        let lets = &program.block(block).lets;
        let mut changed = None;
        for (at, each) in lets.iter().enumerate() {
            let Let::Loop { multiloop, .. } = each else { continue };
            let mut new = None;
            let mut number = 0;
            for_each_condition(each, |condition| {
                if let Some(better) = order(program, &failing, &selectivity, &multiloop.nest, condition) {
                    new.get_or_insert_with(Vec::new).push((number, better));
                }
                number += 1;
            });
            if let Some(new) = new {
                changed.get_or_insert_with(|| lets.clone())[at] = with_conditions(each, new);
            }
        }
        ordered.extend(changed.map(|lets| (block, lets)));
    }
    let changed = !ordered.is_empty();
    for (block, lets) in ordered {
        program.blocks[block.0 as usize].lets = lets;
    }
    changed
}

/// A let with some of its conditions replaced, by their numbers.
fn with_conditions(each: &Let, new: Vec<(usize, Vec<ScalarId>)>) -> Let {
    let (mut each, mut new, mut number) = (each.clone(), new.into_iter().peekable(), 0);
    for_each_condition_mut(&mut each, |condition| {
        if let Some((_, better)) = new.next_if(|(at, _)| *at == number) {
            *condition = better;
        }
        number += 1;
    });
    each
}

/// Conditions in a better order, if there is one.
fn order(
    program: &Program,
    failing: &Fallible,
    selectivity: &Selectivity<'_>,
    nest: &[Index],
    condition: &[ScalarId],
) -> Option<Vec<ScalarId>> {
    if condition.len() < 2 {
        return None;
    }
    let is_pure = |id: &ScalarId| failing.is_pure(program, *id);
    let mut ordered = Vec::with_capacity(condition.len());
    for run in condition.chunk_by(|a, b| is_pure(a) && is_pure(b)) {
        let shares = selectivity.of_each(nest, run);
        let mut ranked: Vec<(u32, f64, ScalarId)> =
            run.iter().zip(shares).map(|(&id, share)| (cost(program, (selectivity, nest), id), share, id)).collect();
        ranked.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        ordered.extend(ranked.into_iter().map(|(.., id)| id));
    }
    (ordered != condition).then_some(ordered)
}

/// The class of a condition's most expensive part.
fn cost(program: &Program, (selectivity, nest): (&Selectivity<'_>, &[Index]), id: ScalarId) -> u32 {
    let scalars = &program.scalars;
    let children = scalars.get(id).children();
    let own = match scalars.get(id) {
        // No few strings, of which each could be compared once.
        Scalar::Column { .. } if scalars.data_type(id).is_text() && selectivity.hardly_repeats(nest, id) => 5,
        Scalar::Column { .. } | Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Single { .. } => {
            u32::from(scalars.data_type(id).is_text())
        }
        Scalar::Call { function: Function::Like | Function::ILike | Function::Contains, .. } => 6,
        Scalar::Call { function: Function::InList, .. } => 1,
        // A function that makes text.
        Scalar::Call { .. } if scalars.data_type(id).is_text() => 2,
        Scalar::Call { .. } => 0,
        // A key of several parts may have to be hashed.
        Scalar::Exists { key, .. } => 3 + u32::from(key.len() > 1),
        // One read, though it may be of far away.
        Scalar::Element { .. } => 2,
        Scalar::Lookup { .. } => 5,
        Scalar::Nested { .. } => 7,
    };
    children.into_iter().map(|child| cost(program, (selectivity, nest), child)).max().unwrap_or(0).max(own)
}
