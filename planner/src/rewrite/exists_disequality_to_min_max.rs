//! EXISTS with a disequality becomes a question about the smallest and the largest value.
//!
//! ```text
//! R = Reduce[j …](c(j) && s(j) <> t(i))(TRUE)(any)   →   M = Reduce[j …](c(j))(s(j))(min, max)
//! … R.any …                                              … (M.min <> t(i) OR M.max <> t(i)) IS TRUE …
//! ```
//!
//! Some value differs from t exactly if not all of them equal t, and all do exactly if the smallest and the largest
//! do. What is left of the condition is equalities, which `conditional_reduce` and `reduce_probed_bucket` make keys.
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
//! * exactly one disequality across, and every other condition reads inner indices only or is an equality across:
//!   with `u.x <> t.x and u.y < t.y` the smallest x of all rows says nothing of those that pass, and nothing would be
//!   unnested for the price of going over all rows;
//! * nothing in the block may fail or is volatile: s is now computed for rows at which the search would have stopped.
//!   A program that may speculate evaluates what may fail.
//!
//! NULLs: a NULL s differs from nothing and is left out of min and max; without any s both are NULL, and so with a
//! NULL t; IS TRUE makes FALSE of that, as EXISTS does. NaN and -0 compare in min, max and `<>` alike. Joins: the
//! nest is kept.

use super::bound::Bound;
use super::substitute::Substitution;
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, nested_of};
use crate::multiloop::{
    Aggregate, Block, BlockId, CollectionId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId,
    Shape, Source,
};
use crate::types::{DataType, Field};
use crate::value::Value;

/// Asks for extremes instead of searching for a difference.
pub(super) fn exists_disequality_to_min_max(program: &mut Program) -> bool {
    let (mut changed, mut bound) = (false, Bound::of(program));
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            while let Some((nested, found)) = bound.next(find(program, block, at)) {
                ask_extremes(program, block, at, nested, found);
                changed = true;
            }
        }
    }
    changed
}

/// A nested block of a let that is such an EXISTS.
fn find(program: &Program, block: BlockId, at: usize) -> Option<(BlockId, Disequality)> {
    let nested = nested_of(program, &program.block(block).lets[at]);
    nested.into_iter().find_map(|(_, nested, _)| Some((nested, disequality(program, nested)?)))
}

/// An EXISTS with one disequality, taken apart.
struct Disequality {
    rest: Vec<ScalarId>,
    inner: ScalarId,
    outer: ScalarId,
}

fn disequality(program: &Program, id: BlockId) -> Option<Disequality> {
    let (multiloop, condition) = exists_loop(program, id)?;
    if !program.may_move(program.block_effects(id)) {
        return None;
    }
    let own: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
    let mut free = FreeIndices::default();
    let mut side = |id: ScalarId| {
        let free = free.scalar(program, id);
        let inner = free.iter().filter(|index| own.contains(index)).count();
        (inner > 0, inner < free.len())
    };
    for (number, index) in multiloop.nest.iter().enumerate() {
        let is_probe = number == 0 && matches!(index.source, Source::Bucket { .. });
        if !is_probe && index.source.scalars().into_iter().any(|id| side(id).1) {
            return None;
        }
    }
    let (mut rest, mut found) = (Vec::new(), None);
    for &id in condition {
        let across = match program.scalars.get(id) {
            Scalar::Call { function, arguments } if arguments.len() == 2 => {
                let (a, b) = (arguments[0], arguments[1]);
                match (side(a), side(b)) {
                    ((true, false), (false, true)) => Some((*function, a, b)),
                    ((false, true), (true, false)) => Some((*function, b, a)),
                    _ => None,
                }
            }
            _ => None,
        };
        match across {
            Some((Function::NotEqual, inner, outer)) if found.is_none() => found = Some((inner, outer)),
            Some((Function::Equal | Function::IsNotDistinct, ..)) => rest.push(id),
            _ if !side(id).1 => rest.push(id),
            _ => return None,
        }
    }
    let (inner, outer) = found?;
    (program.scalars.data_type(inner) != DataType::Null).then_some(Disequality { rest, inner, outer })
}

/// The loop and the conditions of a block that is an EXISTS.
pub(super) fn exists_loop(program: &Program, id: BlockId) -> Option<(&Multiloop, &[ScalarId])> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    let [Aggregate { reduction: Reduction::Any, arguments, condition: filter, .. }] = &aggregates[..] else {
        return None;
    };
    let is_true = *program.scalars.get(arguments[0]) == Scalar::Constant(Value::Boolean(true));
    (*define == block.result && is_true && filter.is_empty()).then_some((multiloop, condition))
}

fn ask_extremes(program: &mut Program, block: BlockId, at: usize, nested: BlockId, found: Disequality) {
    let Disequality { rest, inner, outer } = found;
    program.moved(program.block_effects(nested));
    let data_type = program.scalars.data_type(inner);
    let extremes = extremes(program, data_type);
    let Let::Loop { multiloop, .. } = &program.block(nested).lets[0] else { unreachable!("it is a loop") };
    let nest = multiloop.nest.clone();
    let aggregates = [Reduction::Min, Reduction::Max].map(|each| Aggregate::new(each, vec![inner], data_type));
    let generator = Generator::Reduce { condition: rest, aggregates: aggregates.to_vec() };
    let each = Let::Loop { defines: vec![extremes], multiloop: Multiloop { nest, generators: vec![generator] } };
    let new = program.add_block(Block { lets: vec![each], result: extremes });
    // Other lets may read the block, too, and keep it.
    let new = Substitution::copying().block(program, new);
    let differs = [0, 1].map(|field| {
        let extreme = program.nested(new, field);
        program.scalars.call(Function::NotEqual, vec![extreme, outer], DataType::Boolean)
    });
    let differs = program.scalars.call(Function::Or, differs.to_vec(), DataType::Boolean);
    let exists = program.scalars.call(Function::IsTrue, vec![differs], DataType::Boolean);
    let mut readers = Substitution::new();
    let old = program.nested(nested, 0);
    readers.replace_scalar(old, exists);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    program.blocks[block.0 as usize].lets = lets;
}

fn extremes(program: &mut Program, data_type: DataType) -> CollectionId {
    let fields = ["least", "most"].map(|name| Field::new(name, data_type, true));
    program.add_collection(fields.to_vec(), Shape::Single)
}
