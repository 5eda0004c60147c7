//! Structs: values with named fields of types of their own, DuckDB's. PostgreSQL has none; its rows (`evaluate/row.rs`) stay
//! what they are: `ROW(1, 2)` and a table's name as a value are rows, `{'a': 1}` and `struct_pack(a := 1)` structs.
//!
//! * A type is its fields in order (`NestedType::Struct`); names are told apart without regard to case, and kept as written.
//!   Two structs have a common type: the first's fields, then what only the second has, each of its common type.
//! * A value is carried by a text that sorts as the struct does: field by field a mark and what the value sorts by, as elements
//!   of an array have it (`array/key.rs`). So structs are columns, keys of groups, joins and orders, elements of arrays and
//!   fields of structs without a kernel of their own.
//! * Structs are equal if all fields are, NULL beside NULL; NULL is greater than any value. A NULL struct is another thing than
//!   a struct of NULLs: `IS NULL` holds for the first alone.
//! * Fields of equal values in several forms (numerics, intervals, jsonb, chars of free length) get one form where structs are
//!   compared, grouped or told apart, and show that form in a group's key.
//! * A field is taken by its name when a statement is bound (`builder/expression/structure.rs`), so it has its type; of a struct
//!   that the statement makes it is what was written there.
//! * A cast goes field by field by name; text is read and shown in DuckDB's form (`text`), and clients get that text, as an
//!   array of structs is `[{'a': 1}, NULL]`. Arrow and Parquet have structs as they are.
//!
//! `text` is that form, `cast` goes between types, and from JSON.

mod cast;
mod text;

use super::array::{self, Array};
use super::{Call, evaluate};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, JsonbFunction, StructFunction};
use crate::meter;
use crate::types::DataType;
use crate::value::{Interval, Value};
pub(super) use cast::cast_value;
pub(super) use text::{read, read_list, show, show_list};

/// The fields of a struct's type.
pub(super) type Fields = [(String, DataType)];

/// The text that stands for a struct of these fields' values.
pub fn encode(values: &[Value], fields: &Fields) -> String {
    let mut text = String::with_capacity(values.len() * 17 + 1);
    for (value, (_, of)) in values.iter().zip(fields) {
        if !meter::goes_on(16) {
            break;
        }
        array::push_part(value, *of, &mut text);
    }
    array::end_parts(&mut text);
    text
}

/// The values of the fields in a text that [`encode`] made; none of another text.
pub fn decode(text: &str, fields: &Fields) -> Option<Vec<Value>> {
    let mut letters = text.chars();
    let values = fields.iter().map(|(_, of)| array::take_part(&mut letters, *of)).collect::<Option<Vec<_>>>()?;
    array::is_end(&letters).then_some(values)
}

/// The values of the fields of a struct that stands where one belongs.
fn known(text: &str, of: DataType) -> Result<(Vec<Value>, &'static Fields)> {
    let fields = of.struct_fields().ok_or_else(|| Error::internal(format!("{of} is no struct")))?;
    let values = decode(text, fields);
    meter::settle()?;
    let values = values.ok_or_else(|| Error::new(ErrorKind::DataCorrupted, format!("no {of} in its place")))?;
    Ok((values, fields))
}

/// The value of a field by its place.
fn field(text: &str, of: DataType, place: i64) -> Option<Value> {
    let fields = of.struct_fields()?;
    let place = usize::try_from(place).ok()?;
    let mut letters = text.chars();
    for (_, of) in fields.get(..place)? {
        array::skip_part(&mut letters, *of)?;
    }
    array::take_part(&mut letters, fields.get(place)?.1)
}

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    let Function::Struct(StructFunction::Make, of) = call.function else { return Ok(None) };
    let fields = of.struct_fields().ok_or_else(|| Error::internal(format!("{of} is no struct")))?;
    Ok(Some(Value::text(encode(call.arguments, fields))))
}

/// The value, if the function is one of structs. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let Function::Struct(function, of) = call.function else { return Ok(None) };
    let zone = || if call.arguments.len() > 1 { call.text(1) } else { Ok(super::UTC) };
    Ok(Some(match function {
        StructFunction::Make => return Ok(None),
        // What cannot fail may be asked of rows that nobody wants, where anything stands.
        StructFunction::Field => field(call.text(0)?, of, call.int(1)?).unwrap_or(Value::Null),
        StructFunction::Canonical => canonical(&call.arguments[0], of)?,
        StructFunction::OfJson => super::json::typed(call.text(0)?, of, zone()?)?,
        StructFunction::Cast(to) => cast_value(&call.arguments[0], of, to, zone()?)?,
    }))
}

/// The value that stands for all of a type that are equal to it.
fn canonical(value: &Value, of: DataType) -> Result<Value> {
    Ok(match (value, of) {
        (Value::Null, _) => Value::Null,
        (value, of) if !of.has_forms() => value.clone(),
        (Value::Numeric(number), _) => Value::numeric(number.trim_scale()),
        (Value::Interval(interval), _) => Value::Interval(justified(*interval)),
        (Value::Text(text), DataType::BPCHAR) => Value::text(text.trim_end_matches(' ')),
        (Value::Text(_), DataType::Jsonb) => {
            let shortest = Function::Jsonb(JsonbFunction::Shortest);
            evaluate(shortest, std::slice::from_ref(value), &[DataType::Text], DataType::Text)?
        }
        (Value::Text(text), _) => match of.element() {
            Some(element) => {
                let Array { bounds, elements } = Array::decode(text, element).unwrap_or_default();
                let elements = elements.iter().map(|value| canonical(value, element)).collect::<Result<_>>()?;
                Value::text(Array { bounds, elements }.encode(element))
            }
            None => {
                let fields = of.struct_fields().unwrap_or_default();
                let values = decode(text, fields).unwrap_or_default();
                let values = values.iter().zip(fields).map(|(value, (_, of))| canonical(value, *of));
                Value::text(encode(&values.collect::<Result<Vec<_>>>()?, fields))
            }
        },
        _ => value.clone(),
    })
}

/// Of all intervals of one length the one of as many months, then of as many days as fit.
fn justified(interval: Interval) -> Interval {
    const DAY: i128 = 86_400_000_000;
    let mut rest = interval.comparable_micros();
    let mut taken = |unit: i128| {
        let count = (rest / unit).clamp(i32::MIN.into(), i32::MAX.into());
        rest -= count * unit;
        i32::try_from(count).expect("it was clamped to one")
    };
    let (months, days) = (taken(30 * DAY), taken(DAY));
    // What is left is less than a day, or no more than the microseconds were.
    let micros = i64::try_from(rest).unwrap_or(interval.micros);
    Interval { months, days, micros }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{UTC, format_in, parse_in};
    use std::cmp::Ordering;

    fn fields() -> Vec<(String, DataType)> {
        let inner = DataType::structure(vec![("x".to_owned(), DataType::Text), ("Y z".to_owned(), DataType::Double)]);
        vec![
            ("i".to_owned(), DataType::Integer),
            ("t".to_owned(), DataType::Text),
            ("s".to_owned(), inner),
            ("l".to_owned(), DataType::list(DataType::Integer)),
            ("n".to_owned(), DataType::Numeric),
        ]
    }

    fn texts() -> [&'static str; 8] {
        [
            "{'i': -1, 't': '', 's': {'x': b, 'Y z': nan}, 'l': [], 'n': 1.50}",
            "{'i': 0, 't': '\u{1}', 's': NULL, 'l': NULL, 'n': NULL}",
            "{'i': 0, 't': 'a, b', 's': {'x': NULL, 'Y z': -inf}, 'l': [1, NULL], 'n': 0}",
            "{'i': 7, 't': 'NULL', 's': {'x': '{', 'Y z': 1.0}, 'l': [[1, 2], [3, 4]], 'n': -2}",
            "{'i': 7, 't': a, 's': {'x': 'it\\'s', 'Y z': 0.0}, 'l': [2], 'n': NaN}",
            "{'i': 7, 't': NULL, 's': {'x': '', 'Y z': NULL}, 'l': [1], 'n': 3}",
            "{'i': NULL, 't': '\\\\', 's': {'x': é😀, 'Y z': 2.5}, 'l': [1], 'n': 3}",
            "{'i': NULL, 't': NULL, 's': NULL, 'l': NULL, 'n': NULL}",
        ]
    }

    #[test]
    fn texts_are_read_back_and_sort() {
        let of = DataType::structure(fields());
        let mut last = None;
        for text in texts() {
            let value = parse_in(text, of, UTC).expect(text);
            assert_eq!(format_in(&value, of, UTC), text);
            let Value::Text(carrier) = &value else { panic!("{value:?}") };
            let values = decode(carrier, &fields()).expect("it is one");
            assert_eq!(encode(&values, &fields()), carrier.to_string());
            for (place, value) in values.iter().enumerate() {
                assert_eq!(field(carrier, of, place as i64).as_ref(), Some(value), "{text}");
            }
            if let Some(last) = last.replace(carrier.to_string()) {
                assert_eq!(last.as_str().cmp(carrier), Ordering::Less, "{text}");
            }
        }
    }

    #[test]
    fn equal_values_have_one_form() {
        let of = DataType::structure(vec![
            ("n".to_owned(), DataType::Numeric),
            ("i".to_owned(), DataType::list(DataType::Interval)),
            ("c".to_owned(), DataType::BPCHAR),
        ]);
        let form = |text: &str| canonical(&parse_in(text, of, UTC).expect(text), of).expect(text);
        assert_eq!(form("{n: 1.0, i: [1 month], c: 'a '}"), form("{n: 1.000, i: [30 days], c: a}"));
        assert_ne!(form("{n: 1.0, i: [1 month], c: a}"), form("{n: 1.0, i: [31 days], c: a}"));
        for micros in [i64::MIN, -1, 0, 1, i64::MAX] {
            for (months, days) in [(i32::MIN, i32::MIN), (0, 0), (1, -30), (i32::MAX, i32::MAX)] {
                let interval = Interval { months, days, micros };
                assert_eq!(justified(interval).comparable_micros(), interval.comparable_micros(), "{interval:?}");
            }
        }
    }

    #[test]
    fn what_is_no_struct() {
        let of = DataType::structure(vec![("a".to_owned(), DataType::Integer)]);
        for (text, state) in [
            ("", "22P02"),
            ("x", "22P02"),
            ("{a: x}", "22P02"),
            ("{a: 1", "22P02"),
            ("{a: 1} x", "22P02"),
            ("{a 1}", "22P02"),
            ("{b: 1}", "22P02"),
            ("{a: 1, a: 2}", "22P02"),
            ("{a: 1,}", "22P02"),
            ("{a: 'x}", "22P02"),
            ("{a: 99999999999}", "22003"),
            ("(1,2)", "22P02"),
        ] {
            let error = parse_in(text, of, UTC).expect_err(text);
            assert_eq!(error.sqlstate(), state, "{text}: {error}");
        }
        for text in ["{}", "{a: NULL}", "{ 'A' : null }", "()"] {
            assert_eq!(format_in(&parse_in(text, of, UTC).expect(text), of, UTC), "{'a': NULL}", "{text}");
        }
        assert_eq!(format_in(&parse_in("(7)", of, UTC).expect("a row"), of, UTC), "{'a': 7}");
    }
}
