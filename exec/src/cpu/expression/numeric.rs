//! Functions of numerics whose arguments and results are integers with scales (`exec/src/cpu/vector/numerics.rs`).

use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::{Call, numeric_columns};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::key::number_of_key;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Evaluates a call so; false if it is not one of these, or if a value needs more.
pub(super) fn evaluate<'a>(tile: &mut Tile<'a>, node: &'a Node, len: usize, out: &mut Vector) -> Result<bool> {
    let Operation::Call { function, arguments } = &node.operation else { return Ok(false) };
    if let Some(keys) = keys(tile, *function, arguments) {
        return compare_keys(tile, node, (*function, keys), len, out);
    }
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

/// A key of numerics that is compared.
enum Key {
    /// The key of a node's numbers.
    Of(u32),
    /// That of one number.
    Constant(Value),
}

/// The keys of numerics that a comparison compares, if these have not been made: then the numbers need none.
fn keys(tile: &Tile<'_>, function: Function, arguments: &[u32]) -> Option<[Key; 2]> {
    use Function as F;
    let &[a, b] = arguments else { return None };
    if !matches!(function, F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual) {
        return None;
    }
    let key = |number: u32| match &tile.node(number).operation {
        Operation::Call { function: F::NumericKey, arguments } if !tile.is_computed(number) => {
            let &[of] = &arguments[..] else { return None };
            let node = tile.node(of);
            (node.data_type == DataType::Numeric && !node.volatile).then_some(Key::Of(of))
        }
        Operation::Constant(Value::Text(key)) => number_of_key(key).map(|number| Key::Constant(Value::numeric(number))),
        _ => None,
    };
    let keys = [key(a)?, key(b)?];
    (!keys.iter().all(|key| matches!(key, Key::Constant(_)))).then_some(keys)
}

/// Compares numbers instead of their keys; false if a value needs more than numbers have here.
fn compare_keys<'a>(
    tile: &mut Tile<'a>,
    node: &'a Node,
    (function, keys): (Function, [Key; 2]),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let mut constant = Vector::default();
    for key in &keys {
        match key {
            Key::Of(number) => tile.ensure_numerics(*number)?,
            Key::Constant(value) => constant.set_constant(len, value, Register::Text),
        }
    }
    let mut scratch = std::mem::take(&mut tile.caches.scratch);
    let vectors: Vec<&Vector> =
        keys.iter().map(|key| if let Key::Of(number) = key { tile.top(*number) } else { &constant }).collect();
    let is_constant = vectors.iter().all(|vector| vector.constant);
    let types = [DataType::Numeric; 2];
    let call =
        Call { function, types: &types, result: node.data_type, register: node.register, checked: node.may_fail };
    // Texts that a column has are compared as they are.
    let are_numbers = vectors.iter().any(|vector| matches!(vector.data, VectorData::Numerics(_)));
    let done =
        are_numbers && numeric_columns::call(&call, &vectors, if is_constant { 1 } else { len }, &mut scratch, out);
    if done {
        (out.len, out.constant) = (len, is_constant);
    }
    tile.caches.scratch = scratch;
    Ok(done)
}
