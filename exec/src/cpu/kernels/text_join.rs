//! Strings put together from others: `||`, concat and concat_ws.

use super::{Call, strict_nulls};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Does the three functions, of arguments that are text: false for others.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let text = |(vector, data_type): (&&Vector, &DataType)| vector.register() == Register::Text && data_type.is_text();
    if call.register != Register::Text || !arguments.iter().zip(call.types).all(text) {
        return false;
    }
    let mut taken = out.take_text();
    let nulls = match (call.function, arguments) {
        (Function::Concat, _) => {
            let nulls = strict_nulls(arguments, len, out);
            for tuple in 0..len {
                let valid = nulls.as_ref().is_none_or(|nulls| nulls.get(tuple));
                taken.push_parts(arguments.iter().filter(|_| valid).filter_map(|argument| argument.text(tuple)));
            }
            nulls
        }
        (Function::ConcatSkipNull, _) => {
            for tuple in 0..len {
                let present = arguments.iter().filter(|argument| !argument.is_null(tuple));
                taken.push_parts(present.filter_map(|argument| argument.text(tuple)));
            }
            None
        }
        (Function::ConcatWithSeparator, [separator, rest @ ..]) => {
            let nulls = strict_nulls(&arguments[..1], len, out);
            for tuple in 0..len {
                let valid = nulls.as_ref().is_none_or(|nulls| nulls.get(tuple));
                let between = if valid { separator.text(tuple).unwrap_or("") } else { "" };
                let present = rest.iter().filter(|argument| valid && !argument.is_null(tuple));
                let parts = present.filter_map(|argument| argument.text(tuple)).enumerate();
                taken.push_parts(parts.flat_map(|(at, part)| [if at > 0 { between } else { "" }, part]));
            }
            nulls
        }
        _ => return false,
    };
    out.set(len, VectorData::Text(taken), nulls);
    true
}
