//! Trees of functions of NUMERICs, evaluated at once: what is between two of them never becomes the text of a column.

use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::numeric::{self, Step};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Evaluates a call whose arguments are functions of numerics, too; false if there are none.
pub(super) fn evaluate<'a>(
    tile: &mut Tile<'a>,
    (number, node): (u32, &'a Node),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let Operation::Call { arguments, .. } = &node.operation else { return Ok(false) };
    if !is_step(tile, node) || !arguments.iter().any(|&argument| is_inner(tile, node, argument)) {
        return Ok(false);
    }
    let (mut leaves, mut calls) = (Vec::new(), Vec::new());
    collect(tile, node, number, &mut leaves, &mut calls);
    for &leaf in &leaves {
        tile.ensure(leaf)?;
    }
    // Functions of few values are evaluated once for each of them, one by one.
    let is_code = |&leaf: &u32| matches!(tile.top(leaf), Vector { data: VectorData::Code { .. }, constant: false, .. });
    if leaves.iter().any(is_code) {
        return Ok(false);
    }
    let place = |argument: u32| {
        let among = |numbers: &[u32]| numbers.iter().position(|&number| number == argument);
        among(&leaves).or_else(|| among(&calls).map(|at| leaves.len() + at)).expect("arguments were collected")
    };
    let step = |&number: &u32| {
        let node = tile.node(number);
        let Operation::Call { function, arguments } = &node.operation else { unreachable!("a step is a call") };
        Step {
            function: *function,
            arguments: arguments.iter().map(|&argument| place(argument)).collect(),
            types: arguments.iter().map(|&argument| tile.node(argument).data_type).collect(),
            result: node.data_type,
            position: node.position,
        }
    };
    let steps: Vec<Step> = calls.iter().map(step).collect();
    let leaves: Vec<(&Vector, DataType)> =
        leaves.iter().map(|&leaf| (tile.top(leaf), tile.node(leaf).data_type)).collect();
    numeric::tree(&leaves, &steps, len, node.register, out)?;
    Ok(true)
}

/// Whether a node is a function of numerics that takes all its arguments.
fn is_step(tile: &Tile<'_>, node: &Node) -> bool {
    let Operation::Call { function, arguments } = &node.operation else { return false };
    let types: Vec<DataType> = arguments.iter().map(|&argument| tile.node(argument).data_type).collect();
    let is_strict = !matches!(function, Function::And | Function::Or | Function::Case | Function::Coalesce);
    is_strict && !node.volatile && numeric::takes(*function, &types, node.data_type) && !super::growth::grows(*function)
}

/// Whether an argument is evaluated within the tree: not if it is there, nor if fewer tuples than these need do.
fn is_inner(tile: &Tile<'_>, root: &Node, argument: u32) -> bool {
    let node = tile.node(argument);
    node.reach == root.reach && !tile.is_computed(argument) && is_step(tile, node)
}

/// The nodes that a tree reads, and its calls, arguments first.
fn collect(tile: &Tile<'_>, root: &Node, number: u32, leaves: &mut Vec<u32>, calls: &mut Vec<u32>) {
    let Operation::Call { arguments, .. } = &tile.node(number).operation else { return };
    for &argument in arguments {
        if leaves.contains(&argument) || calls.contains(&argument) {
            continue;
        }
        if is_inner(tile, root, argument) {
            collect(tile, root, argument, leaves, calls);
        } else {
            leaves.push(argument);
        }
    }
    calls.push(number);
}
