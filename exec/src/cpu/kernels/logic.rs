//! Three-valued logic that is not lazy, and tests for NULL.

use super::Call;
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::function::Function;

/// Does NOT and the IS tests: false for all else.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    if !matches!(
        call.function,
        Function::Not | Function::IsNull | Function::IsNotNull | Function::IsTrue | Function::IsFalse
    ) {
        return false;
    }
    let argument = arguments[0];
    if argument.constant {
        return false;
    }
    let mut bits = out.take_bool();
    let mut nulls = None;
    match (call.function, &argument.data) {
        (Function::IsNull | Function::IsNotNull, _) => {
            match &argument.nulls {
                Some(valid) => bits.copy_from(valid),
                None => bits.reset(len, true),
            }
            if call.function == Function::IsNull {
                bits.invert();
            }
        }
        (function, VectorData::Bool(values)) => {
            bits.copy_from(values);
            if function != Function::IsTrue {
                bits.invert();
            }
            match &argument.nulls {
                Some(valid) if function == Function::Not => {
                    let mut taken = out.take_nulls();
                    taken.copy_from(valid);
                    nulls = Some(taken);
                }
                Some(valid) => bits.and(valid),
                None => {}
            }
        }
        _ => {
            out.data = VectorData::Bool(bits);
            return false;
        }
    }
    out.set(len, VectorData::Bool(bits), nulls);
    true
}
