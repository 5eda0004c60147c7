//! Elements of arrays that are only summed, or of which only the least or the greatest is wanted, are not taken apart.
//!
//! ```text
//! i in x, j in count(cardinality(i.a)): sum(nth(i.a, j))   →   i in x: sum(list_sum(i.a))
//! ```
//!
//! Source: our own; a row for each element is never made, and an array's total is made of its bytes at once. An example:
//!
//! ```text before
//! table %0 t(x#0 integer, y#1 integer?)
//! loop
//!   i0 in %0
//!   i1 in count(cast(array_cardinality_of_integer(array_make_of_integer(i0.x, i0.y)::text)::integer as bigint))
//!   %1 reduce
//!     sum? = sum(array_nth_of_integer(array_make_of_integer(i0.x, i0.y)::text, i1.position)::integer)
//! result %1
//! output sum
//! ```
//! ```text after
//! table %0 t(x#0 integer, y#1 integer?)
//! loop
//!   i0 in %0
//!   %1 reduce
//!     sum? = sum(array_total_sum_of_integer(array_make_of_integer(i0.x, i0.y)::text)::decimal(38,0))::bigint
//! result %1
//! output sum
//! ```
//!
//! Guard, and why:
//! * the loop has one generator, whose aggregates are all such sums, minima and maxima, without a filter or DISTINCT: others need each
//!   element (`select sum(x), count(*) from t, unnest(a) x`);
//! * sums are of integers: those of floats are rounded once, from all of them;
//! * elements have a fixed width, for which there is a kernel;
//! * nothing else reads the position (`where x > 1` does), or could: blocks may;
//! * the array is not volatile: it would be made once for the count and once for the elements.
//!
//! NULLs: an array that is NULL, or has nothing but NULL, has a total that is NULL, which is no part of any total, as its elements are
//! none. A group needs an element, so that one is asked for where there are keys. Errors: no total of integers fails that the final
//! sum does not. Joins: the positions are an inner index; those around it are as they were.

use crate::evaluate::array::Fixed;
use crate::function::{ArrayFunction, Function, ListTotal};
use crate::multiloop::uses::for_each_node;
use crate::multiloop::{
    Aggregate, BlockId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Source,
};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;

/// Makes totals of arrays of such elements.
pub(super) fn total_array_elements(program: &mut Program) -> bool {
    change_blocks(program, find, total)
}

/// An index over the positions of arrays.
struct Site {
    at: usize,
    index: usize,
    count: ScalarId,
    array: ScalarId,
    element: DataType,
    /// What each aggregate takes of an array.
    totals: Vec<ListTotal>,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    program.block(block).lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { multiloop, .. } = each else { return None };
        let [generator] = &multiloop.generators[..] else { return None };
        let aggregates = generator.aggregates();
        if multiloop.rest().is_some() || aggregates.is_empty() {
            return None;
        }
        (1..multiloop.nest.len()).find_map(|index| {
            let Source::Count(count) = multiloop.nest[index].source else { return None };
            let (array, element) = counted_array(program, count)?;
            let position = multiloop.nest[index].id;
            let total = |aggregate: &Aggregate| total_of(program, aggregate, (array, element, position));
            let totals: Vec<ListTotal> = aggregates.iter().map(total).collect::<Option<_>>()?;
            let fits = !reads_elsewhere(program, multiloop, position) && !program.scalars.effects(array).volatile;
            fits.then_some(Site { at, index, count, array, element, totals })
        })
    })
}

/// The array whose elements a number counts, and their type.
fn counted_array(program: &Program, count: ScalarId) -> Option<(ScalarId, DataType)> {
    let Scalar::Call { function: Function::Cast, arguments } = program.scalars.get(count) else { return None };
    let &[number] = &arguments[..] else { return None };
    let Scalar::Call { function, arguments } = program.scalars.get(number) else { return None };
    match (function, &arguments[..]) {
        (Function::Array(ArrayFunction::Cardinality, element), &[array]) => {
            let fixed = Fixed::of(*element)?;
            (fixed != Fixed::Boolean).then_some((array, *element))
        }
        _ => None,
    }
}

/// What an aggregate of the element at a position takes of the array.
fn total_of(
    program: &Program,
    aggregate: &Aggregate,
    (array, element, position): (ScalarId, DataType, IndexId),
) -> Option<ListTotal> {
    let (&[argument], true, false) = (&aggregate.arguments[..], aggregate.condition.is_empty(), aggregate.distinct)
    else {
        return None;
    };
    let Scalar::Call { function, arguments } = program.scalars.get(argument) else { return None };
    let &[of, at] = &arguments[..] else { return None };
    let is_element = *function == Function::Array(ArrayFunction::Nth, element)
        && of == array
        && matches!(program.scalars.get(at), Scalar::Column { index, .. } if *index == position);
    match aggregate.reduction {
        _ if !is_element => None,
        Reduction::Sum if element.is_integer() => Some(ListTotal::Sum),
        Reduction::Min => Some(ListTotal::Min),
        Reduction::Max => Some(ListTotal::Max),
        _ => None,
    }
}

/// Whether anything but what the aggregates are fed reads an index; what stands in a block may.
fn reads_elsewhere(program: &Program, multiloop: &Multiloop, index: IndexId) -> bool {
    let mut others: Vec<ScalarId> = multiloop.nest.iter().flat_map(|each| each.source.scalars()).collect();
    match &multiloop.generators[0] {
        Generator::Reduce { condition, .. } => others.extend(condition),
        Generator::BucketReduce { condition, key, .. } => others.extend(condition.iter().chain(key)),
        Generator::Collect { .. } | Generator::BucketCollect { .. } => return true,
    }
    let (mut read, mut seen) = (false, vec![false; program.scalars.len()]);
    for id in others {
        for_each_node(program, id, &mut seen, &mut |_, scalar| match scalar {
            Scalar::Column { index: of, .. } => read |= *of == index,
            Scalar::Nested { .. } => read = true,
            _ => {}
        });
    }
    read
}

fn total(program: &mut Program, block: BlockId, site: Site) {
    let Site { at, index, count, array, element, totals } = site;
    let number = |total: ListTotal| match total {
        ListTotal::Sum => DataType::decimal(DECIMAL_DIGITS_MAX, 0),
        _ => element,
    };
    let made: Vec<ScalarId> = totals
        .into_iter()
        .map(|total| {
            let function = Function::Array(ArrayFunction::Total(total), element);
            program.scalars.call(function, vec![array], number(total))
        })
        .collect();
    let zero = program.scalars.constant(Value::Int(0), DataType::BigInt);
    let has_elements = program.scalars.call(Function::Greater, vec![count, zero], DataType::Boolean);
    let Let::Loop { multiloop, .. } = &mut program.blocks[block.0 as usize].lets[at] else {
        unreachable!("find has seen a loop")
    };
    multiloop.nest.remove(index);
    let aggregates = match &mut multiloop.generators[0] {
        Generator::Reduce { aggregates, .. } => aggregates,
        Generator::BucketReduce { condition, aggregates, .. } => {
            // First, so that what may fail is asked of the same rows.
            condition.insert(0, has_elements);
            aggregates
        }
        Generator::Collect { .. } | Generator::BucketCollect { .. } => unreachable!("find has seen aggregates"),
    };
    aggregates.iter_mut().zip(made).for_each(|(aggregate, made)| aggregate.arguments = vec![made]);
}
