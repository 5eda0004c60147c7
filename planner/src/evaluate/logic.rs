//! Everything that looks at NULL with its own eyes: three-valued logic, tests for NULL, choice, and comparisons.

use super::{Call, mismatch};
use crate::error::Result;
use crate::function::Function;
use crate::value::Value;
use std::cmp::Ordering;

/// The value, if the function is one of this file's.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    let arguments = call.arguments;
    Ok(Some(match call.function {
        F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => comparison(call),
        F::IsDistinct => Value::Boolean(arguments[0].compare(&arguments[1]) != Ordering::Equal),
        F::IsNotDistinct => Value::Boolean(arguments[0].compare(&arguments[1]) == Ordering::Equal),
        F::And => connect(arguments, false)?,
        F::Or => connect(arguments, true)?,
        F::Not => match &arguments[0] {
            Value::Null => Value::Null,
            Value::Boolean(value) => Value::Boolean(!value),
            other => return Err(mismatch(other, call.result)),
        },
        F::IsNull => Value::Boolean(arguments[0].is_null()),
        F::IsNotNull => Value::Boolean(!arguments[0].is_null()),
        F::IsTrue => Value::Boolean(arguments[0].is_true()),
        F::IsFalse => Value::Boolean(matches!(arguments[0], Value::Boolean(false))),
        F::Case => choose(arguments),
        F::Coalesce => arguments.iter().find(|value| !value.is_null()).cloned().unwrap_or(Value::Null),
        F::NullIf if equals(&arguments[0], &arguments[1]) == Some(true) => Value::Null,
        F::NullIf => arguments[0].clone(),
        F::Greatest => extreme(arguments, Ordering::Greater),
        F::Least => extreme(arguments, Ordering::Less),
        F::InList => in_list(&arguments[0], &arguments[1..]),
        _ => return Ok(None),
    }))
}

/// Whether two values are equal; None if either is NULL.
fn equals(a: &Value, b: &Value) -> Option<bool> {
    (!a.is_null() && !b.is_null()).then(|| a.compare(b) == Ordering::Equal)
}

fn comparison(call: &Call) -> Value {
    let (a, b) = (&call.arguments[0], &call.arguments[1]);
    if a.is_null() || b.is_null() {
        return Value::Null;
    }
    let order = a.compare(b);
    Value::Boolean(match call.function {
        Function::Equal => order.is_eq(),
        Function::NotEqual => order.is_ne(),
        Function::Less => order.is_lt(),
        Function::LessEqual => order.is_le(),
        Function::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}

/// AND (decided by FALSE) or OR (decided by TRUE).
fn connect(arguments: &[Value], decisive: bool) -> Result<Value> {
    let mut unknown = false;
    for argument in arguments {
        match argument {
            Value::Null => unknown = true,
            Value::Boolean(value) if *value == decisive => return Ok(Value::Boolean(decisive)),
            Value::Boolean(_) => {}
            other => return Err(mismatch(other, crate::types::DataType::Boolean)),
        }
    }
    Ok(if unknown { Value::Null } else { Value::Boolean(!decisive) })
}

fn choose(arguments: &[Value]) -> Value {
    let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
    let chosen = branches.chunks_exact(2).find(|branch| branch[0].is_true()).map(|branch| &branch[1]);
    chosen.unwrap_or(&otherwise[0]).clone()
}

fn extreme(arguments: &[Value], better: Ordering) -> Value {
    let mut values = arguments.iter().filter(|value| !value.is_null());
    let Some(first) = values.next() else { return Value::Null };
    values.fold(first, |best, value| if value.compare(best) == better { value } else { best }).clone()
}

fn in_list(value: &Value, list: &[Value]) -> Value {
    if value.is_null() {
        // Of an empty list even NULL is no member.
        return if list.is_empty() { Value::Boolean(false) } else { Value::Null };
    }
    let mut unknown = false;
    for member in list {
        match equals(value, member) {
            Some(true) => return Value::Boolean(true),
            Some(false) => {}
            None => unknown = true,
        }
    }
    if unknown { Value::Null } else { Value::Boolean(false) }
}

#[cfg(test)]
mod tests {
    use crate::evaluate::testing::{NULL, boolean, double, expect_value, integer, text};
    use crate::function::Function as F;

    #[test]
    fn three_valued_connectives() {
        let (yes, no) = (boolean(true), boolean(false));
        for (a, b, and, or) in [
            (yes.clone(), yes.clone(), yes.clone(), yes.clone()),
            (yes.clone(), no.clone(), no.clone(), yes.clone()),
            (yes.clone(), NULL, NULL, yes.clone()),
            (no.clone(), NULL, no.clone(), NULL),
            (NULL, NULL, NULL, NULL),
        ] {
            for (a, b) in [(a.clone(), b.clone()), (b, a)] {
                expect_value(F::And, vec![a.clone(), b.clone()], and.clone());
                expect_value(F::Or, vec![a, b], or.clone());
            }
        }
        expect_value(F::Not, vec![NULL], NULL);
        expect_value(F::IsTrue, vec![NULL], no);
    }

    #[test]
    fn comparisons_of_floats_know_nan_and_minus_zero() {
        let nan = || double(f64::NAN);
        expect_value(F::Equal, vec![nan(), nan()], boolean(true));
        expect_value(F::Greater, vec![nan(), double(f64::INFINITY)], boolean(true));
        expect_value(F::Equal, vec![double(-0.0), double(0.0)], boolean(true));
        expect_value(F::Less, vec![double(1.0), NULL], NULL);
    }

    #[test]
    fn distinctness_is_never_null() {
        expect_value(F::IsDistinct, vec![NULL, NULL], boolean(false));
        expect_value(F::IsDistinct, vec![integer(1), NULL], boolean(true));
        expect_value(F::IsNotDistinct, vec![integer(1), integer(1)], boolean(true));
    }

    #[test]
    fn choices() {
        expect_value(F::Case, vec![NULL, integer(1), boolean(true), integer(2), integer(3)], integer(2));
        expect_value(F::Case, vec![boolean(false), integer(1), NULL], NULL);
        expect_value(F::Coalesce, vec![NULL, integer(2), integer(3)], integer(2));
        expect_value(F::NullIf, vec![integer(2), integer(2)], NULL);
        expect_value(F::NullIf, vec![integer(2), NULL], integer(2));
        expect_value(F::Greatest, vec![integer(1), NULL, integer(3)], integer(3));
        expect_value(F::Least, vec![text("b"), text("a")], text("a"));
        expect_value(F::Least, vec![NULL, NULL], NULL);
    }

    #[test]
    fn lists_with_null() {
        expect_value(F::InList, vec![integer(1), integer(2), integer(1)], boolean(true));
        expect_value(F::InList, vec![integer(1), integer(2), NULL], NULL);
        expect_value(F::InList, vec![integer(1), NULL, integer(1)], boolean(true));
        expect_value(F::InList, vec![integer(1), integer(2)], boolean(false));
        expect_value(F::InList, vec![NULL, integer(2)], NULL);
    }
}
