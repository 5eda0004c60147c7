//! Strings that are padded, written one behind the other.

use crate::cpu::vector::{TextVector, Vector};

/// Characters up to which strings are padded here.
const PADDED_MAX: usize = 1 << 12;

/// `lpad` and `rpad` to a length that is the same for all, with ASCII; false for others.
pub(super) fn pad(left: bool, texts: &TextVector, constants: &[&Vector], out: &mut TextVector) -> bool {
    let length = constants.first().and_then(|length| length.integer(0));
    let fill = constants.get(1).map_or(Some(" "), |fill| fill.text(0));
    let (Some(length), Some(fill)) = (length, fill) else { return false };
    let Some(length) = usize::try_from(length.max(0)).ok().filter(|&length| length <= PADDED_MAX) else { return false };
    if !fill.is_ascii() {
        return false;
    }
    let pattern: Vec<u8> = fill.bytes().cycle().take(length).collect();
    for position in 0..texts.len() {
        let text = texts.get(position);
        // Where all bytes are characters, the length in bytes tells.
        let (taken, missing) = if text.len() <= length && text.is_ascii() {
            (text, length - text.len())
        } else {
            match text.char_indices().nth(length) {
                Some((end, _)) => (&text[..end], 0),
                None => (text, length - text.chars().count()),
            }
        };
        let padding = pattern.get(..missing).unwrap_or_default();
        out.push_written(|bytes| {
            let parts = if left { [padding, taken.as_bytes()] } else { [taken.as_bytes(), padding] };
            parts.into_iter().for_each(|part| bytes.extend_from_slice(part));
        });
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::kernels::{Call, Scratch, call};
    use crate::plan::register::Register;
    use multiloop_planner::evaluate::evaluate;
    use multiloop_planner::function::Function as F;
    use multiloop_planner::types::DataType as T;
    use multiloop_planner::value::Value;

    fn vector(values: &[Value], register: Register) -> Vector {
        let mut vector = Vector::default();
        vector.set_values(values, register);
        vector
    }

    /// Checks a function that makes text against its definition, row by row.
    fn check(function: F, arguments: &[(&[Value], Register)], types: &[T]) {
        let len = arguments.iter().map(|(values, _)| values.len()).max().unwrap_or(0);
        let vectors: Vec<Vector> = arguments
            .iter()
            .map(|&(values, register)| {
                let mut vector = vector(values, register);
                (vector.constant, vector.len) = (values.len() == 1, len);
                vector
            })
            .collect();
        let vectors: Vec<&Vector> = vectors.iter().collect();
        let (call_of, mut out) =
            (Call { function, types, result: T::Text, register: Register::Text, checked: true }, Vector::default());
        call(&call_of, &vectors, len, &mut Scratch::default(), &mut out).expect("short texts");
        for row in 0..len {
            let values: Vec<Value> = arguments
                .iter()
                .map(|(values, _)| if values.len() == 1 { values[0].clone() } else { values[row].clone() })
                .collect();
            let expected = evaluate(function, &values, types, T::Text).expect("short texts");
            assert_eq!(out.value(row, T::Text), expected, "{function:?} of {values:?}");
        }
    }

    fn texts() -> Vec<Value> {
        let texts = ["", "a", "abc", "a longer text", "ä", "äöü", "aäb", "日本語", "12345"];
        texts.into_iter().map(Value::text).chain([Value::Null]).collect()
    }

    #[test]
    fn padded_texts() {
        for function in [F::LeftPad, F::RightPad] {
            for length in [-3, 0, 1, 2, 3, 5, 6, 40, 5_000] {
                let length = [Value::Int(length)];
                let given = texts();
                check(function, &[(&given, Register::Text), (&length, Register::I32)], &[T::Text, T::Integer]);
                for fill in ["", "0", "xyz", "é"] {
                    let fill = [Value::text(fill)];
                    let arguments = [(&given[..], Register::Text), (&length, Register::I32), (&fill, Register::Text)];
                    check(function, &arguments, &[T::Text, T::Integer, T::Text]);
                }
            }
        }
    }

    #[test]
    fn texts_joined_with_numbers() {
        let texts = texts();
        let integers: Vec<Value> =
            [0, 7, 10, 99, 100, 101, -1, i64::MAX, i64::MIN].into_iter().map(Value::Int).chain([Value::Null]).collect();
        let decimals: Vec<Value> = [0, 5, -5, 99, 100, -100, 12_345, i128::from(i64::MAX), i128::from(i64::MIN)]
            .into_iter()
            .map(Value::Decimal)
            .chain([Value::Null])
            .collect();
        let between = [Value::text("/")];
        for function in [F::Concat, F::ConcatSkipNull, F::ConcatWithSeparator] {
            let arguments = [
                (&texts[..], Register::Text),
                (&between, Register::Text),
                (&integers, Register::I64),
                (&decimals, Register::I64),
            ];
            check(function, &arguments, &[T::Text, T::Text, T::BigInt, T::Decimal { precision: 18, scale: 2 }]);
            check(function, &arguments[..2], &[T::Text, T::Text]);
            // Constants side by side, a number among them, and one that is NULL.
            let (number, none) = ([Value::Int(-70)], [Value::Null]);
            let types = [T::Text, T::BigInt, T::Text, T::Text, T::Integer];
            for last in [&number, &none] {
                let arguments = [
                    (&between[..], Register::Text),
                    (last, Register::I64),
                    (&between, Register::Text),
                    (&texts, Register::Text),
                    (&number, Register::I32),
                ];
                check(function, &arguments, &types);
            }
        }
    }
}
