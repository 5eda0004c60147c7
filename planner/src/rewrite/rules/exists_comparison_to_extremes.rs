//! EXISTS with a comparison becomes a question about the smallest and the largest value.
//!
//! ```text
//! R = Reduce[j …](c(j) && s(j) <> t(i))(TRUE)(any)   →   M = Reduce[j …](c(j))(s(j))(min, max)
//! … R.any …                                              … (M.min <> t(i) OR M.max <> t(i)) IS TRUE …
//! R = Reduce[j …](c(j) && s(j) < t(i))(TRUE)(any)    →   M = Reduce[j …](c(j))(s(j))(min)
//! … R.any …                                              … (M.min < t(i)) IS TRUE …
//! ```
//!
//! Some value differs from t exactly if not all of them equal t, and all do exactly if the smallest and the largest
//! do; some value is less exactly if the smallest is, and some value greater if the largest is. What is left of the condition is equalities, which `conditional_reduce` and `reduce_probed_bucket` make keys.
//! Source: our own; the case is Q21 of TPC-H. An example:
//!
//! ```text before
//! table %0 t(a#0 integer?, b#1 integer?)
//! loop
//!   i0 in %0
//!   %1 collect
//!     block b0
//!       loop
//!         i1 in %0
//!         %2 reduce
//!           if i1.a = i0.a
//!           if i1.b <> i0.b
//!           value = any(TRUE)
//!       result %2
//!     if NOT b0.value
//!     a? = i0.a
//! result %1
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer?, b#1 integer?)
//! loop
//!   i0 in %0
//!   %1 collect
//!     block b0
//!       loop
//!         i1 in %0
//!         %2 reduce
//!           if i1.a = i0.a
//!           least? = min(i1.b)
//!           most? = max(i1.b)
//!       result %2
//!     if NOT is_true(b0.least <> i0.b OR b0.most <> i0.b)
//!     a? = i0.a
//! result %1
//! output a
//! ```
//!
//! Guard, and why:
//! * exactly one comparison across that is no equality, and every other condition reads inner indices only or is an equality across:
//!   with `u.x <> t.x and u.y < t.y` the smallest x of all rows says nothing of those that pass, and nothing would be
//!   unnested for the price of going over all rows;
//! * a scalar of an enclosing block's indices is as a constant, where no equality chooses rows and the loop around the block goes over
//!   all rows of something: then the extremes are made once for each row of that enclosing block;
//! * rows that an equality chooses are a bucket already, if it is a comparison by order: of a bucket of one row
//!   `join_unique_exists` makes a join, which needs no groups;
//! * nothing in the block may fail or is volatile: s is now computed for rows at which the search would have stopped.
//!   A program that may speculate evaluates what may fail.
//!
//! NULLs: a NULL s compares with nothing and is left out of min and max; without any s both are NULL, and so with a
//! NULL t; IS TRUE makes FALSE of that, as EXISTS does. NaN and -0 compare in min, max and comparisons alike. Joins: the
//! nest is kept.

use crate::function::{Function, mirrored};
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, nested_of};
use crate::multiloop::{
    Aggregate, Block, BlockId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::exists_block::exists_loop;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};

/// Asks for extremes instead of searching for a row.
pub(super) fn exists_comparison_to_extremes(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            while let Some((nested, found)) = limit.next(find(program, block, at)) {
                ask_extremes(program, block, at, nested, found);
                changed = true;
            }
        }
    }
    changed
}

/// A nested block of a let that is such an EXISTS.
fn find(program: &Program, block: BlockId, at: usize) -> Option<(BlockId, Comparison)> {
    let each = &program.block(block).lets[at];
    nested_of(program, each).into_iter().find_map(|(_, nested, _)| {
        let found = comparison(program, nested, None).or_else(|| comparison(program, nested, Some(around(each)?)))?;
        Some((nested, found))
    })
}

/// The indices of a let that goes over all rows of something, for which extremes are worth to be made each time.
fn around(each: &Let) -> Option<Vec<IndexId>> {
    let Let::Loop { multiloop, .. } = each else { return None };
    let is_all = matches!(multiloop.nest.first()?.source, Source::Rows(_));
    is_all.then(|| multiloop.nest.iter().map(|index| index.id).collect())
}

/// An EXISTS with one comparison, taken apart.
struct Comparison {
    rest: Vec<ScalarId>,
    /// What an inner value is to the outer one.
    function: Function,
    inner: ScalarId,
    outer: ScalarId,
}

/// Takes an EXISTS apart. Indices that are bound farther out than those `around` it are as constants to it, if these are given.
fn comparison(program: &Program, id: BlockId, around: Option<Vec<IndexId>>) -> Option<Comparison> {
    let (multiloop, condition) = exists_loop(program, id)?;
    if !program.may_move(program.block_effects(id)) {
        return None;
    }
    let own: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
    let mut free = FreeIndices::default();
    let mut side = |id: ScalarId| {
        let free = free.scalar(program, id);
        let is_outer = |index: &&IndexId| match &around {
            None => !own.contains(index),
            Some(around) => around.contains(index),
        };
        (free.iter().any(|index| own.contains(index)), free.iter().any(|index| is_outer(&index)))
    };
    for (number, index) in multiloop.nest.iter().enumerate() {
        let is_probe = number == 0 && matches!(index.source, Source::Bucket { .. });
        if !is_probe && index.source.scalars().into_iter().any(|id| side(id).1) {
            return None;
        }
    }
    let (mut rest, mut found, mut keyed) = (Vec::new(), None, false);
    for &id in condition {
        let across = match program.scalars.get(id) {
            Scalar::Call { function, arguments } if arguments.len() == 2 => {
                let (a, b) = (arguments[0], arguments[1]);
                match (side(a), side(b)) {
                    ((true, false), (false, true)) => Some((*function, a, b)),
                    ((false, true), (true, false)) => Some((mirrored(*function), b, a)),
                    _ => None,
                }
            }
            _ => None,
        };
        match across {
            Some((function, inner, outer)) if found.is_none() && !extremes_of(function).is_empty() => {
                found = Some((function, inner, outer));
            }
            Some((Function::Equal | Function::IsNotDistinct, ..)) => {
                keyed = true;
                rest.push(id);
            }
            _ if !side(id).1 => rest.push(id),
            _ => return None,
        }
    }
    let (function, inner, outer) = found?;
    let is_bucket = matches!(multiloop.nest[0].source, Source::Bucket { .. });
    if keyed && !is_bucket && function != Function::NotEqual {
        return None;
    }
    if around.is_some() && (keyed || is_bucket) {
        return None;
    }
    (program.scalars.data_type(inner) != DataType::Null).then_some(Comparison { rest, function, inner, outer })
}

/// The extremes that say whether some value compares so; none where they do not.
fn extremes_of(function: Function) -> &'static [(&'static str, Reduction)] {
    match function {
        Function::NotEqual => &[("least", Reduction::Min), ("most", Reduction::Max)],
        Function::Less | Function::LessEqual => &[("least", Reduction::Min)],
        Function::Greater | Function::GreaterEqual => &[("most", Reduction::Max)],
        _ => &[],
    }
}

fn ask_extremes(program: &mut Program, block: BlockId, at: usize, nested: BlockId, found: Comparison) {
    let Comparison { rest, function, inner, outer } = found;
    program.moved(program.block_effects(nested));
    let data_type = program.scalars.data_type(inner);
    let extremes = extremes_of(function);
    let fields = extremes.iter().map(|(name, _)| Field::new(*name, data_type, true)).collect();
    let collection = program.add_collection(fields, Shape::Single);
    let Let::Loop { multiloop, .. } = &program.block(nested).lets[0] else { unreachable!("it is a loop") };
    let nest = multiloop.nest.clone();
    let aggregate = |(_, reduction): &(&str, Reduction)| Aggregate::new(reduction.clone(), vec![inner], data_type);
    let generator = Generator::Reduce { condition: rest, aggregates: extremes.iter().map(aggregate).collect() };
    let each = Let::Loop { defines: vec![collection], multiloop: Multiloop { nest, generators: vec![generator] } };
    let new = program.add_block(Block { lets: vec![each], result: collection });
    // Other lets may read the block, too, and keep it.
    let new = Substitution::copying().block(program, new);
    let compares = (0..extremes.len() as u32).map(|field| {
        let extreme = program.nested(new, field);
        program.scalars.call(function, vec![extreme, outer], DataType::Boolean)
    });
    let compares: Vec<ScalarId> = compares.collect();
    let compares = match compares[..] {
        [only] => only,
        _ => program.scalars.call(Function::Or, compares, DataType::Boolean),
    };
    let exists = program.scalars.call(Function::IsTrue, vec![compares], DataType::Boolean);
    let mut readers = Substitution::new();
    let old = program.nested(nested, 0);
    readers.replace_scalar(old, exists);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    program.blocks[block.0 as usize].lets = lets;
}
