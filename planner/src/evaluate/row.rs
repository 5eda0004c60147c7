//! Rows as values: a row is the text by which PostgreSQL shows it, `(1,"a b",)`. A field that is NULL has no letter, one that is
//! empty has quotes; quotes and backslashes within quotes are doubled.

use super::Call;
use super::array::Array;
use super::parse::is_blank;
use super::{UTC, evaluate, logical, parse};
use crate::error::{Error, Result};
use crate::function::{Function, RowFunction, SortKeyOrder, type_of_word};
use crate::types::{DataType, SortOrder};
use crate::value::Value;

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    if call.function != Function::Row(RowFunction::Make) {
        return Ok(None);
    }
    let mut row = String::from("(");
    for (at, field) in call.arguments.iter().enumerate() {
        row.push_str(if at > 0 { "," } else { "" });
        if !field.is_null() {
            show_field(call.text(at)?, &mut row);
        }
    }
    row.push(')');
    Ok(Some(Value::text(row)))
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    Ok(match call.function {
        Function::Row(RowFunction::Field) => {
            let place = usize::try_from(call.int(1)?).unwrap_or(usize::MAX);
            Some(fields(call.text(0)?).into_iter().nth(place).flatten().map_or(Value::Null, Value::text))
        }
        Function::Row(RowFunction::Numbered) => {
            let array = Array::decode(call.text(0)?, DataType::Text).unwrap_or_default();
            let row = |(text, place): (&Value, usize)| {
                let mut row = String::from("(");
                if let Value::Text(text) = text {
                    show_field(text, &mut row);
                }
                row.push_str(&format!(",{place})"));
                Value::text(row)
            };
            let rows = array.elements.iter().zip(1..).map(row).collect();
            Some(Value::text(Array::of(rows).encode(DataType::Text)))
        }
        Function::Row(RowFunction::Key) => {
            let types = call.text(1)?.split(';').map(type_of_word).collect::<Option<Vec<DataType>>>();
            let types = types.ok_or_else(|| Error::internal("a row's key of types that have no words"))?;
            key_of_rows(call.text(0)?, &types).map(Some)?
        }
        _ => None,
    })
}

/// A row of a text and a text or NULL.
pub(super) fn of_pair(first: &str, second: &Value) -> String {
    let mut row = String::from("(");
    show_field(first, &mut row);
    row.push(',');
    if let Value::Text(text) = second {
        show_field(text, &mut row);
    }
    row.push(')');
    row
}

/// A text that compares as an array of rows with fields of these types does.
fn key_of_rows(array: &str, types: &[DataType]) -> Result<Value> {
    let array = Array::decode(array, DataType::Text).unwrap_or_default();
    let order = SortKeyOrder::from(SortOrder { descending: false, nulls_first: false });
    let mut key = String::new();
    for row in &array.elements {
        let Value::Text(row) = row else {
            key.push('3');
            continue;
        };
        key.push('2');
        for (field, &of) in fields(row).into_iter().zip(types) {
            let value = match field {
                None => Value::Null,
                Some(text) if of.is_text() => Value::text(text),
                Some(text) if of.is_logical() => logical::read(&text, of, UTC)?,
                Some(text) => parse(&text, of)?,
            };
            let part = evaluate(Function::SortKey(order, of), &[value], &[of], DataType::Text)?;
            if let Value::Text(part) = part {
                key.push_str(&part);
            }
        }
    }
    Ok(Value::text(key))
}

/// A field, in quotes if it would be read as something else.
fn show_field(field: &str, row: &mut String) {
    let special = |letter: char| matches!(letter, '"' | '\\' | '(' | ')' | ',') || is_blank(letter);
    if !field.is_empty() && !field.contains(special) {
        return row.push_str(field);
    }
    row.push('"');
    for letter in field.chars() {
        if matches!(letter, '"' | '\\') {
            row.push(letter);
        }
        row.push(letter);
    }
    row.push('"');
}

/// The fields of a row that was made here; none for NULL.
pub(super) fn fields(row: &str) -> Vec<Option<String>> {
    let row = row.strip_prefix('(').and_then(|row| row.strip_suffix(')')).unwrap_or(row);
    let mut fields = Vec::new();
    let (mut field, mut quoted, mut letters) = (None::<String>, false, row.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            ',' if !quoted => fields.push(field.take()),
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.get_or_insert_default().push('"');
            }
            '"' => {
                quoted = !quoted;
                field.get_or_insert_default();
            }
            '\\' if quoted => {
                field.get_or_insert_default().extend(letters.next());
            }
            letter => field.get_or_insert_default().push(letter),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::evaluate;

    #[test]
    fn fields_are_read_back() {
        let rows: [&[Option<&str>]; 9] = [
            &[Some("a")],
            &[None],
            &[Some("")],
            &[Some("1"), None, Some("a b")],
            &[None, None],
            &[Some("a\"b"), Some("c\\d"), Some(",")],
            &[Some("(x,\"y\")"), Some("é\u{1F600}")],
            &[Some("\t"), Some("\"")],
            &[Some("\\"), Some("\\\"\\\\")],
        ];
        for row in rows {
            let values: Vec<Value> = row.iter().map(|field| field.map_or(Value::Null, Value::text)).collect();
            let types = vec![DataType::Text; row.len()];
            let made = evaluate(Function::Row(RowFunction::Make), &values, &types, DataType::Text).expect("a row");
            for (place, value) in values.iter().enumerate() {
                let arguments = [made.clone(), Value::Int(place as i64)];
                let types = [DataType::Text, DataType::BigInt];
                let field = evaluate(Function::Row(RowFunction::Field), &arguments, &types, DataType::Text);
                assert_eq!(field.as_ref(), Ok(value), "{made:?}");
            }
        }
    }

    #[test]
    fn rows_look_as_postgresql_shows_them() {
        let show = |fields: &[Option<&str>]| {
            let values: Vec<Value> = fields.iter().map(|field| field.map_or(Value::Null, Value::text)).collect();
            let types = vec![DataType::Text; fields.len()];
            evaluate(Function::Row(RowFunction::Make), &values, &types, DataType::Text)
        };
        for (fields, shown) in [
            (&[][..], "()"),
            (&[Some("1"), Some("a"), None], "(1,a,)"),
            (
                &[Some("a\"b"), Some("c\\d"), Some(" e"), Some("f(g)"), Some("")],
                "(\"a\"\"b\",\"c\\\\d\",\" e\",\"f(g)\",\"\")",
            ),
        ] {
            assert_eq!(show(fields), Ok(Value::text(shown)));
        }
    }
}
