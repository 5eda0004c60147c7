//! Fingerprints of expressions, by which equal ones are found among many.

use super::{Expression, ExpressionKind};
use crate::value::Value;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// How deep, and how far along its arguments, an expression is looked at: what differs only behind that is compared.
const DEPTH_MAX: usize = 4;
const ARGUMENTS_MAX: usize = 8;

/// A number that equal expressions share, and others seldom do.
pub(crate) fn fingerprint(expression: &Expression) -> u64 {
    let mut hasher = FxHasher::default();
    add(expression, DEPTH_MAX, &mut hasher);
    hasher.finish()
}

fn add(expression: &Expression, depth: usize, hasher: &mut FxHasher) {
    std::mem::discriminant(&expression.kind).hash(hasher);
    match &expression.kind {
        ExpressionKind::Column(id) => id.hash(hasher),
        ExpressionKind::Parameter(number) => number.hash(hasher),
        ExpressionKind::Constant(value) => match value {
            Value::Int(value) => value.hash(hasher),
            Value::Decimal(value) => value.hash(hasher),
            Value::Text(text) => text.hash(hasher),
            Value::Boolean(value) => value.hash(hasher),
            // Others may look different and be equal.
            _ => {}
        },
        ExpressionKind::Call(function, arguments) => {
            std::mem::discriminant(function).hash(hasher);
            arguments.len().hash(hasher);
            if depth > 0 {
                arguments.iter().take(ARGUMENTS_MAX).for_each(|argument| add(argument, depth - 1, hasher));
            }
        }
        ExpressionKind::Element(_, code) => {
            if depth > 0 {
                add(code, depth - 1, hasher);
            }
        }
        ExpressionKind::Subquery(_) => {}
    }
}
