//! Lambdas as they run: the elements of a list one by one, with what has been allocated for the first.

use super::{Lambda, NodeKind, Prepared};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::Array;
use crate::evaluate::volatile::volatile;
use crate::evaluate::{Call, evaluate, mismatch};
use crate::function::{ArrayFunction, Function, LambdaKind};
use crate::meter::{self, Room};
use crate::stack;
use crate::types::DataType;
use crate::value::Value;

/// The value of a function of a list and a lambda.
pub(in crate::evaluate) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    let Function::Lambda(function) = call.function else { return Ok(None) };
    let [list, Value::Text(text), ..] = call.arguments else {
        return Err(mismatch(&call.arguments[0], DataType::Text));
    };
    let Value::Text(list) = list else { return Ok(Some(Value::Null)) };
    let prepared = Prepared::of(text)?;
    let mut run = Run {
        prepared: &prepared,
        captured: call.arguments.get(function.captured_from()..).unwrap_or_default(),
        element: Value::Null,
        index: 0,
        accumulator: Value::Null,
        known: vec![None; prepared.lambda.nodes.len()],
        stack: Vec::new(),
    };
    let lambda = &prepared.lambda;
    let array = Array::decode(list, lambda.element);
    meter::settle()?;
    let array = array
        .ok_or_else(|| Error::new(ErrorKind::DataCorrupted, format!("no array of {} in its place", lambda.element)))?;
    let elements = elements(array, lambda)?;
    let value = match function.kind {
        LambdaKind::Each => run.each(elements)?,
        LambdaKind::Reduce => run.reduce(elements, None)?,
        LambdaKind::ReduceFrom => run.reduce(elements, call.arguments.get(2).cloned())?,
    };
    Ok(Some(value))
}

/// What the variable for the element stands for, one by one: elements, or parts of the first dimension.
fn elements(array: Array, lambda: &Lambda) -> Result<Vec<Value>> {
    let dimensions = array.bounds.len();
    if dimensions == 0 || dimensions == 1 && !lambda.takes_parts {
        return Ok(array.elements);
    }
    if dimensions == 1 || !lambda.takes_parts {
        let wanted = if lambda.takes_parts { "arrays" } else { "single values" };
        return Err(Error::unsupported(format_args!(
            "a lambda that was bound to {wanted} over an array of {dimensions} dimension{} is",
            if dimensions == 1 { "" } else { "s" }
        )));
    }
    let size = array.elements.len() / array.bounds[0].length.max(1);
    let mut parts = Vec::with_capacity(array.bounds[0].length);
    let mut room = Room::default();
    for part in array.elements.chunks(size.max(1)) {
        room.hold(parts.len().saturating_mul(size_of::<Value>() + 17 * size))?;
        let part = Array { bounds: array.bounds[1..].to_vec(), elements: part.to_vec() };
        parts.push(Value::text(part.encode(lambda.element)));
        meter::settle()?;
    }
    Ok(parts)
}

/// Bytes that a value takes.
fn bytes(value: &Value) -> usize {
    size_of::<Value>() + if let Value::Text(text) = value { text.len() } else { 0 }
}

/// A lambda over the elements of one list.
struct Run<'r> {
    prepared: &'r Prepared,
    captured: &'r [Value],
    element: Value,
    index: i64,
    accumulator: Value,
    /// By node: the values of calls that are the same for all elements, once they have been asked for.
    known: Vec<Option<Value>>,
    /// Arguments of the calls that are being evaluated.
    stack: Vec<Value>,
}

impl Run<'_> {
    /// The values for all elements that meet the condition.
    fn each(&mut self, elements: Vec<Value>) -> Result<Value> {
        let prepared = self.prepared;
        let lambda = &prepared.lambda;
        let (mut values, mut room) = (Vec::new(), Room::default());
        let mut held = elements.len() * size_of::<Value>();
        for element in elements {
            meter::spend(16)?;
            self.element = element;
            self.index += 1;
            if let Some(condition) = lambda.condition
                && !self.value(condition)?.is_true()
            {
                continue;
            }
            let value = self.value(lambda.value)?;
            // Once as a value, and once in the text of the array.
            held += bytes(&value) * 2;
            room.hold(held)?;
            values.push(value);
        }
        if lambda.makes_parts && !values.is_empty() {
            let list = DataType::list(lambda.result).carrier();
            let types = vec![list; values.len()];
            return evaluate(Function::Array(ArrayFunction::MakeOfArrays, lambda.result), &values, &types, list);
        }
        let text = Array::of(values).encode(lambda.result);
        meter::settle()?;
        Ok(Value::text(text))
    }

    /// What is left when each element has met what was made of those before it.
    fn reduce(&mut self, elements: Vec<Value>, first: Option<Value>) -> Result<Value> {
        let value = self.prepared.lambda.value;
        let held = elements.len() * size_of::<Value>();
        let mut elements = elements.into_iter();
        self.accumulator = match first {
            Some(first) => first,
            None => {
                self.index = 1;
                elements.next().ok_or_else(|| {
                    Error::new(ErrorKind::InvalidParameter, "cannot perform list_reduce on an empty list")
                })?
            }
        };
        let mut room = Room::default();
        for element in elements {
            meter::spend(16)?;
            self.element = element;
            self.index += 1;
            self.accumulator = self.value(value)?;
            room.hold(held + bytes(&self.accumulator))?;
        }
        Ok(std::mem::replace(&mut self.accumulator, Value::Null))
    }

    /// The value of a node for the element at hand.
    fn value(&mut self, node: u32) -> Result<Value> {
        let (prepared, at) = (self.prepared, node as usize);
        match &prepared.lambda.nodes[at].kind {
            NodeKind::Element => Ok(self.element.clone()),
            NodeKind::Index => Ok(Value::Int(self.index)),
            NodeKind::Accumulator => Ok(self.accumulator.clone()),
            NodeKind::Captured(number) => match self.captured.get(*number as usize) {
                Some(value) => Ok(value.clone()),
                None => Err(Error::internal("a lambda without what it captures")),
            },
            NodeKind::Call(function, arguments) => {
                if let Some(known) = &self.known[at] {
                    return Ok(known.clone());
                }
                let value = stack::more(|| self.call(*function, arguments, at))?;
                if !prepared.varies[at] {
                    self.known[at] = Some(value.clone());
                }
                Ok(value)
            }
        }
    }

    fn call(&mut self, function: Function, arguments: &[u32], at: usize) -> Result<Value> {
        match function {
            Function::And => return self.connect(arguments, false),
            Function::Or => return self.connect(arguments, true),
            Function::Case => return self.choose(arguments),
            Function::Coalesce => return self.coalesce(arguments),
            _ => {}
        }
        let prepared = self.prepared;
        let start = self.stack.len();
        for &argument in arguments {
            let value = self.value(argument)?;
            self.stack.push(value);
        }
        if let Some(value) = volatile(function, &self.stack[start..]).transpose() {
            self.stack.truncate(start);
            return value;
        }
        let data_type = prepared.lambda.nodes[at].data_type;
        let value = evaluate(function, &self.stack[start..], &prepared.types[at], data_type);
        self.stack.truncate(start);
        value
    }

    /// AND, which FALSE decides, or OR, which TRUE decides: what is behind the deciding argument is not evaluated.
    fn connect(&mut self, arguments: &[u32], decisive: bool) -> Result<Value> {
        let mut unknown = false;
        for &argument in arguments {
            match self.value(argument)? {
                Value::Boolean(value) if value == decisive => return Ok(Value::Boolean(decisive)),
                value => unknown |= value.is_null(),
            }
        }
        Ok(if unknown { Value::Null } else { Value::Boolean(!decisive) })
    }

    /// CASE: only the conditions up to the first that is TRUE, and only that one's value.
    fn choose(&mut self, arguments: &[u32]) -> Result<Value> {
        let (otherwise, branches) = arguments.split_last().ok_or_else(|| Error::internal("a CASE has an ELSE"))?;
        for branch in branches.chunks_exact(2) {
            if self.value(branch[0])?.is_true() {
                return self.value(branch[1]);
            }
        }
        self.value(*otherwise)
    }

    fn coalesce(&mut self, arguments: &[u32]) -> Result<Value> {
        for &argument in arguments {
            let value = self.value(argument)?;
            if !value.is_null() {
                return Ok(value);
            }
        }
        Ok(Value::Null)
    }
}
