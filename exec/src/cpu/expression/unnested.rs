//! Elements of arrays that a nest takes apart: `unnest` goes over positions of each array. The arrays are those of the tuples on the
//! level below, and so no array stands beside each of its positions, and the elements of one are read in one go.

use super::tile::Tile;
use crate::Result;
use crate::cpu::kernels::array::fixed::{Unnested, unnested};
use crate::cpu::kernels::array::text;
use crate::cpu::vector::rows::{Rows, Source};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::Form;
use multiloop_planner::function::{ArrayFunction, Function};

/// Makes `out` the elements at the positions on which an index stands; false if it did nothing.
pub(super) fn evaluate(
    tile: &mut Tile<'_>,
    node: &Node,
    function: Function,
    arguments: &[u32],
    out: &mut Vector,
) -> Result<bool> {
    let (Function::Array(ArrayFunction::Nth, element), &[array, position]) = (function, arguments) else {
        return Ok(false);
    };
    let form = match Form::of(element) {
        Some(Form::Text) if node.register != Register::Text => return Ok(false),
        Some(form) => form,
        None => return Ok(false),
    };
    let Operation::Column { index, .. } = tile.node(position).operation else { return Ok(false) };
    let Some(Source::Count { start }) = tile.sources[index] else { return Ok(false) };
    // The array is there since its elements were counted.
    let below = (2..tile.depth).rev().find(|&depth| tile.levels[depth - 1].computed[array as usize]);
    let (Some(below), false, false) = (below, tile.is_computed(array), tile.node(array).volatile) else {
        return Ok(false);
    };
    let mut held = std::mem::take(&mut tile.caches.origins);
    let is_next = below + 1 == tile.depth;
    if !is_next {
        tile.origins(below, &mut held);
    }
    let origins = if is_next { &tile.levels[tile.depth - 1].parents } else { &held };
    let vector = &tile.levels[below - 1].vectors[array as usize];
    let done = match (&vector.data, &tile.tuples().rows[index]) {
        (VectorData::Text(arrays), Rows::List(positions)) if !vector.constant => {
            let is_there = vector.nulls.as_ref().is_none_or(|valid| {
                // A NULL has no positions, unless the index goes over others.
                origins.iter().all(|&origin| valid.get(origin as usize))
            });
            let asked = Unnested { arrays, origins, positions, first: start };
            match form {
                Form::Fixed(fixed) => is_there && unnested(fixed, node.register, &asked, origins.len(), out),
                Form::Text if is_there => {
                    text::unnested(&asked, origins.len(), out);
                    true
                }
                Form::Text => false,
            }
        }
        _ => false,
    };
    tile.caches.origins = held;
    Ok(done)
}
