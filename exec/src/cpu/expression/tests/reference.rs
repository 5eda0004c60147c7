//! The value of a scalar at one row, as the definition has it.

use crate::Result;
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{Scalar, ScalarId, Scalars};
use multiloop_planner::value::Value;

/// Evaluates lazily, left to right.
pub(super) fn value(scalars: &Scalars, id: ScalarId, row: &[Value]) -> Result<Value> {
    let (function, arguments) = match scalars.get(id) {
        Scalar::Column { field, .. } => return Ok(row[*field as usize].clone()),
        Scalar::Constant(value) => return Ok(value.clone()),
        Scalar::Call { function, arguments } => (*function, arguments),
        other => panic!("not tested here: {other:?}"),
    };
    let at = |argument: ScalarId| value(scalars, argument, row);
    match function {
        Function::And | Function::Or => {
            let mut result = Value::Boolean(function == Function::And);
            for &argument in arguments {
                match at(argument)? {
                    Value::Null => result = Value::Null,
                    Value::Boolean(bit) if bit == (function == Function::Or) => return Ok(Value::Boolean(bit)),
                    _ => {}
                }
            }
            Ok(result)
        }
        Function::Case => {
            for branch in arguments.chunks(2) {
                match branch {
                    [condition, value] if at(*condition)?.is_true() => return at(*value),
                    [otherwise] => return at(*otherwise),
                    _ => {}
                }
            }
            panic!("CASE has an ELSE")
        }
        Function::Coalesce => {
            for &argument in arguments {
                let value = at(argument)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            Ok(Value::Null)
        }
        _ => {
            let values = arguments.iter().map(|&argument| at(argument)).collect::<Result<Vec<_>>>()?;
            let types: Vec<_> = arguments.iter().map(|&argument| scalars.data_type(argument)).collect();
            evaluate(function, &values, &types, scalars.data_type(id))
        }
    }
}
