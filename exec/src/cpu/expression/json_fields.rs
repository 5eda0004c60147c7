//! Fields of a JSON text found together: `j ->> 'a'` and `j -> 'b'` in one scan of each text, which also says whether it is JSON
//! where `j` is a cast of it that has not been evaluated.
//!
//! ```text
//! MemberText(ReadAs(json)(x), 'a')   →   one scan of x for 'a', which checks all of x; so for jsonb, where x is in its form
//! Member(j, 'a'), MemberText(j, 'b')   →   one scan of j for both
//! ```
//!
//! All fields of one `j` that a loop reads by constant keys are found when the first of them is asked for; those that nobody asks for
//! later cost a few bytes. A row that fails makes this give up: then each function is applied by itself, so that errors are raised for
//! what is asked for only, and in the order of functions. What fails for a field that is not reached fails nothing.

use super::growth;
use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::json_fields::{self, Form};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::evaluate::json_scan::{Field, Step};
use multiloop_planner::function::{Function, JsonFunction};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Fields that are found together, at most.
const FIELDS_MAX: usize = 16;

/// Evaluates a node that is a field of a JSON text, and with it others of the same text; false if it is none of these, or fails.
pub(super) fn evaluate<'a>(
    tile: &mut Tile<'a>,
    (number, node): (u32, &'a Node),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let Some((json, field)) = field_of(tile, node) else { return Ok(false) };
    if node.volatile || !Technique::JsonFields.is_on() {
        return Ok(false);
    }
    let source = unchecked(tile, json);
    let mut numbers = vec![number];
    let mut fields = vec![field];
    let all = &tile.expressions.nodes;
    for (other, sibling) in all.iter().enumerate().map(|(other, sibling)| (other as u32, sibling)) {
        if let Some((_, field)) = field_of(tile, sibling).filter(|&(of, _)| of == json && other != number)
            && fields.len() < FIELDS_MAX
            && !tile.is_known(other)
        {
            numbers.push(other);
            fields.push(field);
        }
    }
    if source.is_none() && fields.len() == 1 {
        return Ok(false);
    }
    let (text, form) = source.unwrap_or((json, Form::Known));
    tile.ensure(text)?;
    let vector = tile.top(text);
    let function = if let Operation::Call { function, .. } = node.operation { function } else { Function::Relabel };
    let is_large = growth::given(function, &[vector]).is_some();
    if vector.constant || is_large || !matches!(vector.data, VectorData::Text(_)) {
        return Ok(false);
    }
    let memory = |(place, &number): (usize, &u32)| {
        let at_top = &mut tile.levels[tile.depth - 1].vectors[number as usize];
        if place == 0 { std::mem::take(out) } else { std::mem::take(at_top) }
    };
    let mut found: Vec<Vector> = numbers.iter().enumerate().map(memory).collect();
    let done = json_fields::find(tile.top(text), form, &fields, &mut found)?;
    debug_assert!(!done || found.iter().all(|vector| vector.len == len), "a value a tuple");
    let mut found = found.into_iter();
    *out = found.next().unwrap_or_default();
    if done {
        numbers.into_iter().skip(1).zip(found).for_each(|(number, vector)| tile.set_computed(number, vector));
    }
    Ok(done)
}

/// The JSON text that a node is a field of, by a constant key, and that field.
fn field_of<'a>(tile: &Tile<'a>, node: &'a Node) -> Option<(u32, Field<'a>)> {
    let Operation::Call { function, arguments } = &node.operation else { return None };
    let as_text = match function {
        Function::Json(JsonFunction::Member) => false,
        Function::Json(JsonFunction::MemberText) => true,
        _ => return None,
    };
    let &[json, key] = &arguments[..] else { return None };
    let step = match &tile.node(key).operation {
        Operation::Constant(Value::Text(key)) => Step::Key(key),
        Operation::Constant(Value::Int(place)) => Step::At(*place),
        _ => return None,
    };
    (node.register == Register::Text).then(|| (json, Field::new(step, as_text)))
}

/// The text that a node casts to json or jsonb, if that has not been evaluated and is evaluated for the same tuples.
fn unchecked(tile: &Tile<'_>, json: u32) -> Option<(u32, Form)> {
    let (mut at, reach) = (json, tile.node(json).reach);
    loop {
        let Operation::Call { function, arguments } = &tile.node(at).operation else { return None };
        let (&[inner], false) = (&arguments[..], tile.is_known(at)) else { return None };
        match function {
            Function::Relabel if tile.node(inner).register == Register::Text => at = inner,
            Function::ReadAs(of @ (DataType::Json | DataType::Jsonb)) => {
                let form = if *of == DataType::Json { Form::Json } else { Form::Jsonb };
                let text = tile.node(inner);
                let is_here = text.reach == reach && text.register == Register::Text && text.data_type.is_text();
                return is_here.then_some((inner, form));
            }
            _ => return None,
        }
    }
}
