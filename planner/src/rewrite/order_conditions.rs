//! Cheap conditions first.
//!
//! ```text
//! (expensive && cheap)   →   (cheap && expensive)
//! ```
//!
//! Comparisons of numbers come first, then comparisons of texts, then questions to buckets, then patterns, then nested
//! loops; within a class the order stays. Source: predicate ordering by cost, as in most optimisers. An example:
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
//! Guard, and why: a condition that may fail or is volatile keeps its place, and none crosses it: in
//! `where length(s) > 0 and 1 / x > 0` the first may be there to keep a zero away from the second, and `random()` is
//! asked once for each row that gets to it.
//!
//! NULLs: a row passes when all are TRUE, in whatever order. Errors: see the guard. Joins: the conditions of a left
//! join are ordered among themselves.

use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{Generator, Let, Program, Scalar, ScalarId, Source};

/// Puts cheap conditions in front.
pub(super) fn order_conditions(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program) {
        let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
        for each in &mut lets {
            for_each_condition_mut(each, |condition| changed |= order(program, condition));
        }
        program.blocks[block.0 as usize].lets = lets;
    }
    changed
}

/// Visits the conditions of a let: of left joins, generators and aggregates.
pub(super) fn for_each_condition_mut(each: &mut Let, mut change: impl FnMut(&mut Vec<ScalarId>)) {
    let Let::Loop { multiloop, .. } = each else { return };
    for index in &mut multiloop.nest {
        if let Source::BucketOrNull { condition, .. } = &mut index.source {
            change(condition);
        }
    }
    for generator in &mut multiloop.generators {
        change(generator.condition_mut());
        if let Generator::Reduce { aggregates, .. } | Generator::BucketReduce { aggregates, .. } = generator {
            aggregates.iter_mut().for_each(|aggregate| change(&mut aggregate.condition));
        }
    }
}

fn order(program: &Program, condition: &mut [ScalarId]) -> bool {
    let before = condition.to_vec();
    let is_pure = |id: &ScalarId| program.scalars.effects(*id).is_pure();
    for run in condition.chunk_by_mut(|a, b| is_pure(a) && is_pure(b)) {
        run.sort_by_key(|&id| cost(program, id));
    }
    before != condition
}

/// The class of a condition's most expensive part.
fn cost(program: &Program, id: ScalarId) -> u32 {
    let scalars = &program.scalars;
    let children = scalars.get(id).children();
    let own = match scalars.get(id) {
        Scalar::Column { .. } | Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Single { .. } => {
            u32::from(scalars.data_type(id).is_text())
        }
        Scalar::Call { function: Function::Like | Function::ILike | Function::Contains, .. } => 5,
        Scalar::Call { function: Function::InList, .. } => 1,
        // A function that makes text.
        Scalar::Call { .. } if scalars.data_type(id).is_text() => 2,
        Scalar::Call { .. } => 0,
        Scalar::Exists { .. } => 3,
        Scalar::Lookup { .. } => 4,
        Scalar::Nested { .. } => 6,
    };
    children.into_iter().map(|child| cost(program, child)).max().unwrap_or(0).max(own)
}
