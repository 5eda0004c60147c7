//! Functions of numerics whose arguments and results are integers with scales (`exec/src/cpu/vector/numerics.rs`).

use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::{Call, numeric_columns};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use multiloop_planner::types::DataType;

/// Evaluates a call so; false if it is not one of these, or if a value needs more.
pub(super) fn evaluate<'a>(tile: &mut Tile<'a>, node: &'a Node, len: usize, out: &mut Vector) -> Result<bool> {
    let Operation::Call { function, arguments } = &node.operation else { return Ok(false) };
    let types: Vec<DataType> = arguments.iter().map(|&argument| tile.node(argument).data_type).collect();
    if node.volatile || !numeric_columns::takes(*function, &types, node.data_type) {
        return Ok(false);
    }
    for &argument in arguments {
        tile.ensure_numerics(argument)?;
    }
    let mut scratch = std::mem::take(&mut tile.caches.scratch);
    let vectors: Vec<&Vector> = arguments.iter().map(|&argument| tile.top(argument)).collect();
    // Functions of few values are evaluated once for each of them.
    let is_code = |vector: &&Vector| matches!(vector.data, VectorData::Code { .. }) && !vector.constant;
    let constant = vectors.iter().all(|vector| vector.constant);
    let (result, register) = (node.data_type, node.register);
    let call = Call { function: *function, types: &types, result, register, checked: node.may_fail };
    let done = !vectors.iter().any(is_code)
        && numeric_columns::call(&call, &vectors, if constant { 1 } else { len }, &mut scratch, out);
    if done {
        (out.len, out.constant) = (len, constant);
    }
    tile.caches.scratch = scratch;
    Ok(done)
}
