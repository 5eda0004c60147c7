//! Constant folding: the value of a call of constants, unless it is better left to whoever needs it. What fails may
//! never be evaluated, and what is large would count against no statement's memory.

use super::{evaluate, lambda};
use crate::function::{ArrayFunction, Function};
use crate::types::DataType;
use crate::value::Value;

/// Bytes of text beyond which a value is not made before it is needed.
const BYTES_MAX: usize = 1 << 16;

/// The value of a call of these values; none if it fails, does not fit its type, or is large. Volatile functions have none, either.
pub fn fold(function: Function, arguments: &[Value], types: &[DataType], result: DataType) -> Option<Value> {
    let may_be_large = result.is_text() || matches!(function, Function::Array(..));
    let is_large_lambda = matches!(function, Function::Lambda(of) if !lambda::is_small(of, arguments));
    if !function.is_immutable() || is_large_lambda || (may_be_large && bytes_max(function, arguments) > BYTES_MAX) {
        return None;
    }
    evaluate(function, arguments, types, result).ok().filter(|value| value.fits(result))
}

/// The most bytes that a text made of these values has.
fn bytes_max(function: Function, arguments: &[Value]) -> usize {
    let text = |at: usize| match arguments.get(at) {
        Some(Value::Text(text)) => text.len(),
        _ => 0,
    };
    let count = |at: usize| match arguments.get(at) {
        Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(0),
        _ => 0,
    };
    match function {
        Function::Repeat => text(0).saturating_mul(count(1)),
        // A character has four bytes at most.
        Function::LeftPad | Function::RightPad => count(1).saturating_mul(4),
        Function::Replace => (text(0) / text(1).max(1)).saturating_mul(text(2)).saturating_add(text(0)),
        // Digits of a bigint, and a letter before it.
        Function::Array(ArrayFunction::Range { .. }, _) => match arguments {
            [Value::Int(start), Value::Int(stop), Value::Int(step)] => {
                let count = start.abs_diff(*stop) / step.unsigned_abs().max(1);
                usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(17)
            }
            _ => 0,
        },
        Function::Array(ArrayFunction::Fill, _) => usize::MAX,
        Function::Concat | Function::ConcatSkipNull => (0..arguments.len()).map(text).sum(),
        Function::ConcatWithSeparator => (0..arguments.len()).map(|at| text(0).saturating_add(text(at))).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::fold;
    use crate::function::Function;
    use crate::types::DataType;
    use crate::value::Value;

    #[test]
    fn what_is_large_is_left_as_it_is() {
        let repeat = |count| {
            let types = [DataType::Text, DataType::Integer];
            fold(Function::Repeat, &[Value::text("ab"), Value::Int(count)], &types, DataType::Text)
        };
        assert_eq!(repeat(3), Some(Value::text("ababab")));
        assert_eq!(repeat(1 << 20), None);
        assert_eq!(repeat(i64::MAX), None);
        let types = [DataType::Text; 3];
        let replace = [Value::text("x".repeat(1000)), Value::text("x"), Value::text("y".repeat(1000))];
        assert_eq!(fold(Function::Replace, &replace, &types, DataType::Text), None);
        let pad = [Value::text("x"), Value::Int(1 << 30)];
        assert_eq!(fold(Function::LeftPad, &pad, &[DataType::Text, DataType::Integer], DataType::Text), None);
    }
}
