//! Strings put together from others: `||`, concat and concat_ws.

use super::{Call, number_text, strict_nulls};
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// What a string is put together from.
enum Part<'v> {
    Same(&'v [u8]),
    Texts(&'v TextVector),
    /// Codes of a dictionary.
    Other(&'v Vector),
    /// Numbers of at most 64 bits with so many digits behind the point.
    Numbers(&'v Vector, usize),
}

impl<'v> Part<'v> {
    /// None of what is neither text nor a number that has few bits.
    fn of((argument, data_type): (&&'v Vector, &DataType)) -> Option<Self> {
        match &argument.data {
            VectorData::I32(_) | VectorData::I64(_) if data_type.is_integer() || data_type.is_decimal() => {
                Some(Part::Numbers(argument, data_type.scale().into()))
            }
            _ if argument.register() != Register::Text || !data_type.is_text() => None,
            _ if argument.constant => Some(Part::Same(argument.text(0).unwrap_or_default().as_bytes())),
            VectorData::Text(texts) => Some(Part::Texts(texts)),
            _ => Some(Part::Other(argument)),
        }
    }

    #[inline]
    fn write(&self, tuple: usize, bytes: &mut Vec<u8>) {
        match self {
            Part::Same(same) => bytes.extend_from_slice(same),
            Part::Texts(texts) => bytes.extend_from_slice(texts.bytes(tuple)),
            Part::Other(other) => bytes.extend_from_slice(other.text(tuple).unwrap_or_default().as_bytes()),
            Part::Numbers(numbers, scale) => {
                let number = numbers.integer(tuple).and_then(|number| i64::try_from(number).ok());
                number_text::write(bytes, number.unwrap_or_default(), *scale);
            }
        }
    }
}

/// Does the three functions, of arguments that are text or numbers: false for others.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let parts = arguments.iter().zip(call.types).map(Part::of).collect::<Option<Vec<Part<'_>>>>();
    let Some(parts) = parts.filter(|_| call.register == Register::Text) else { return false };
    let is_text = |data_type: &DataType| data_type.is_text();
    if call.function == Function::ConcatWithSeparator && !call.types.iter().all(is_text) {
        return false;
    }
    let mut taken = out.take_text();
    let nulls = match (call.function, arguments) {
        (Function::Concat, _) => {
            let nulls = strict_nulls(arguments, len, out);
            for tuple in 0..len {
                let valid = nulls.as_ref().is_none_or(|nulls| nulls.get(tuple));
                taken.push_written(|bytes| {
                    parts.iter().filter(|_| valid).for_each(|part| part.write(tuple, bytes));
                });
            }
            nulls
        }
        (Function::ConcatSkipNull, _) => {
            for tuple in 0..len {
                let present = parts.iter().zip(arguments).filter(|(_, argument)| !argument.is_null(tuple));
                taken.push_written(|bytes| present.for_each(|(part, _)| part.write(tuple, bytes)));
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
