//! What aggregates that keep all values are made of: texts of rows, put behind each other in an order.
//!
//! A row's text is its *front*, by which rows are ordered and told apart, a NUL, which no text of SQL has, and what is
//! kept of it: elements as arrays have them (`array/key.rs`), so that all of them behind each other are nearly an
//! array. The front is made of sort keys, each of which is a text that sorts, byte by byte, as the key is to be
//! ordered:
//!
//! * a digit: 1 for a NULL that comes first, 2 for a value, 3 for a NULL that comes last;
//! * of a value the text by which arrays compare elements, and a byte 1, which is less than all that may follow it;
//! * to go down, the bytes of that text turned, each in two hexadecimal digits, and a `~`, which is greater than these.

use super::quantile::Quantile;
use super::{Call, array};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::meter::{self, Room};
use crate::types::SortOrder;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What becomes of all values of a group: of texts one text, with them in an order; or one of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Gather {
    /// That of the rows.
    Arrived,
    /// That of their bytes.
    Sorted,
    /// The same, and of those with equal fronts only the first.
    Distinct,
    /// No text, but one of the values, which are of any type that is ordered.
    One {
        /// Which one.
        of: Quantile,
        /// Whether their order goes down.
        descending: bool,
    },
}

/// What ends a row's front.
pub const FRONT_END: char = '\0';

/// The end of a key that goes up, and of one that goes down.
pub const UP_END: char = '\u{1}';
/// See [`UP_END`].
pub const DOWN_END: char = '~';

/// The texts of rows, which are in the order in which they came, as one: their fronts are gone.
///
/// # Errors
/// 54000 (here 54001) beyond what a text holds.
pub fn gathered(how: Gather, texts: &mut [&str]) -> Result<String> {
    if how != Gather::Arrived {
        texts.sort_unstable();
    }
    let parts = |text: &'_ str| text.find(FRONT_END).map_or((0, 0), |at| (at, at + FRONT_END.len_utf8()));
    let bytes = texts.iter().map(|text| text.len()).sum();
    let mut room = Room::default();
    room.hold(bytes)?;
    let (mut all, mut last) = (String::with_capacity(bytes), None);
    for text in texts {
        meter::spend(text.len() / 4 + 16)?;
        let (end, kept) = parts(text);
        let front = &text[..end];
        if how == Gather::Distinct && last == Some(front) {
            continue;
        }
        last = Some(front);
        all.push_str(&text[kept..]);
    }
    if i32::try_from(all.len()).is_err() {
        return Err(Error::new(ErrorKind::TooComplex, "what an aggregate gathers is longer than 2 GiB"));
    }
    Ok(all)
}

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    let Function::SortKey(order, element) = call.function else { return Ok(None) };
    let SortOrder { descending, nulls_first } = order.into();
    let mut key = String::new();
    if call.arguments[0].is_null() {
        key.push(if nulls_first { '1' } else { '3' });
        return Ok(Some(Value::text(key)));
    }
    key.push('2');
    let text = array::bare(&call.arguments[0], element);
    if descending {
        for byte in text.bytes() {
            write!(key, "{:02x}", !byte).expect("a String can be written to");
        }
        key.push(DOWN_END);
    } else {
        key.push_str(&text);
        key.push(UP_END);
    }
    Ok(Some(Value::text(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluate;
    use crate::function::SortKeyOrder;
    use crate::types::DataType;

    fn key(value: &Value, element: DataType, order: SortOrder) -> String {
        let function = Function::SortKey(SortKeyOrder::from(order), element);
        match evaluate(function, std::slice::from_ref(value), &[element], DataType::Text) {
            Ok(Value::Text(text)) => text.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_sort_as_values_do() {
        let texts = ["", "a", "a\u{1}", "a\u{4}b", "ab", "b", "é", "\u{10ffff}"];
        let integers = [i64::MIN, -1, 0, 1, 255, 256, i64::MAX];
        let values: Vec<(Vec<Value>, DataType)> = vec![
            (texts.iter().map(Value::text).collect(), DataType::Text),
            (integers.iter().map(|&integer| Value::Int(integer)).collect(), DataType::BigInt),
            ([f64::NEG_INFINITY, -1.5, 0.0, 2.5, f64::NAN].map(Value::Float).to_vec(), DataType::Double),
        ];
        for (values, element) in values {
            for descending in [false, true] {
                for nulls_first in [false, true] {
                    let order = SortOrder { descending, nulls_first };
                    let mut keys: Vec<String> = values.iter().map(|value| key(value, element, order)).collect();
                    if descending {
                        keys.reverse();
                    }
                    let null = key(&Value::Null, element, order);
                    let place = if nulls_first { 0 } else { keys.len() };
                    keys.insert(place, null);
                    assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{element} {order:?}: {keys:?}");
                }
            }
        }
    }

    #[test]
    fn texts_of_rows() {
        let texts = || ["b\0 2", "a\0 1", "b\0 0", "\0 3"];
        assert_eq!(gathered(Gather::Arrived, &mut texts()).unwrap(), " 2 1 0 3");
        assert_eq!(gathered(Gather::Sorted, &mut texts()).unwrap(), " 3 1 0 2");
        assert_eq!(gathered(Gather::Distinct, &mut texts()).unwrap(), " 3 1 0");
        assert_eq!(gathered(Gather::Distinct, &mut []).unwrap(), "");
    }
}
