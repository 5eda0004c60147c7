//! Quotients that are rounded to few digits and are decimals then: `narrow_down(round(a / b, 2))`, as a key of groups has it. Where
//! it does not show that the quotient has been rounded to PostgreSQL's digits before (see `shown_quotient`), it is a division of
//! decimals, and no numeric is made on the way.

use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::shown_quotient::is_rounded_once;
use crate::cpu::kernels::{Call, quotient};
use crate::cpu::vector::Vector;
use crate::plan::nodes::{Node, Operation};
use multiloop_planner::function::Function;
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType};
use multiloop_planner::value::Value;

/// Evaluates a node so; false if it is none of these, or if a value needs more.
pub(super) fn evaluate(tile: &mut Tile<'_>, node: &Node, len: usize, out: &mut Vector) -> Result<bool> {
    let Some((a, b)) = operands(tile, node) else { return Ok(false) };
    tile.ensure(a)?;
    tile.ensure(b)?;
    let mut scratch = std::mem::take(&mut tile.caches.scratch);
    let types = [a, b].map(|operand| tile.node(operand).data_type);
    // An integer is a decimal without digits behind the point.
    let decimal = |data_type: DataType| match data_type {
        DataType::Decimal { .. } => data_type,
        _ => DataType::Decimal { precision: DECIMAL_DIGITS_MAX, scale: 0 },
    };
    let decimals = types.map(decimal);
    let vectors = [tile.top(a), tile.top(b)];
    let call = Call {
        function: Function::Divide,
        types: &decimals,
        result: node.data_type,
        register: node.register,
        checked: true,
    };
    let done = !vectors.iter().all(|vector| vector.constant)
        && is_rounded_once((vectors[0], vectors[1]), (types[0], types[1]), node.data_type.scale(), &mut scratch)
        && quotient::call(&call, &vectors, len, &mut scratch, out);
    tile.caches.scratch = scratch;
    Ok(done)
}

/// The operands of the quotient that a node has rounded to the digits of its type.
fn operands(tile: &Tile<'_>, node: &Node) -> Option<(u32, u32)> {
    use Function as F;
    let call = |number: u32| match &tile.node(number).operation {
        Operation::Call { function, arguments } if !tile.is_computed(number) => Some((*function, &arguments[..])),
        _ => None,
    };
    let Operation::Call { function: F::NarrowUp | F::NarrowDown | F::NarrowSame, arguments } = &node.operation else {
        return None;
    };
    let &[rounded] = &arguments[..] else { return None };
    let (F::Round, &[quotient, digits]) = call(rounded)? else { return None };
    let (F::Divide | F::Average, &[a, b]) = call(quotient)? else { return None };
    let Operation::Constant(Value::Int(digits)) = tile.node(digits).operation else { return None };
    let is_exact = |number: u32| {
        let data_type = tile.node(number).data_type;
        data_type.is_decimal() || data_type.is_integer()
    };
    let fits = node.data_type.is_decimal() && digits == i64::from(node.data_type.scale()) && is_exact(a) && is_exact(b);
    (fits && !node.volatile).then_some((a, b))
}
