//! Structs as DuckDB writes them, `{'a': 1, 'b': x, 'c': [1, NULL]}`: names in quotes, values where they would be read as
//! something else. Backslashes and quotes within quotes have a backslash before them.
//!
//! Read are names and values with quotes of either kind or without, and so also objects of JSON whose strings have no escapes;
//! `(1,x)`, a row's text, by the order of its fields. A field that is not named is NULL.

use super::{Fields, encode, known};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::array::{self, Array, Bound};
use crate::evaluate::parse::is_blank;
use crate::evaluate::{logical, row};
use crate::meter;
use crate::types::DataType;
use crate::value::Value;

/// The text of a struct; instants are shown in a time zone.
pub(in crate::evaluate) fn show(text: &str, of: DataType, zone: &str) -> String {
    let mut out = String::new();
    // Nothing else than a struct stands where one belongs; a cancelled statement shows nothing.
    if let Ok((values, fields)) = known(text, of) {
        show_fields(&values, fields, zone, &mut out);
    }
    out
}

/// The text of an array of structs.
pub(in crate::evaluate) fn show_list(array: &Array, element: DataType, zone: &str) -> String {
    let mut out = String::new();
    show_array(array, element, zone, &mut out);
    out
}

fn show_fields(values: &[Value], fields: &Fields, zone: &str, out: &mut String) {
    out.push('{');
    for (at, (value, (name, of))) in values.iter().zip(fields).enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        quote(name, out);
        out.push_str(": ");
        show_value(value, *of, zone, out);
    }
    out.push('}');
}

fn show_array(array: &Array, element: DataType, zone: &str, out: &mut String) {
    show_level(&array.elements, &array.bounds, element, zone, out);
}

fn show_level(elements: &[Value], bounds: &[Bound], element: DataType, zone: &str, out: &mut String) {
    out.push('[');
    if let Some((bound, inner)) = bounds.split_first() {
        for (at, part) in elements.chunks((elements.len() / bound.length).max(1)).enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            match (inner.is_empty(), part) {
                (true, [value]) => show_value(value, element, zone, out),
                _ => show_level(part, inner, element, zone, out),
            }
        }
    }
    out.push(']');
}

fn show_value(value: &Value, of: DataType, zone: &str, out: &mut String) {
    match value {
        Value::Null => out.push_str("NULL"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Text(text) if of.struct_fields().is_some() => {
            if let Ok((values, fields)) = known(text, of) {
                show_fields(&values, fields, zone, out);
            }
        }
        Value::Text(text) if of.element().is_some() && !of.is_zero_based() => {
            let element = of.element().unwrap_or(DataType::Text);
            show_array(&Array::decode(text, element).unwrap_or_default(), element, zone, out);
        }
        Value::Float(float) => {
            let text = logical::show(value, of, zone);
            match text.as_str() {
                "NaN" => out.push_str("nan"),
                "Infinity" => out.push_str("inf"),
                "-Infinity" => out.push_str("-inf"),
                text if float.is_finite() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                    out.push_str(text);
                    out.push_str(".0");
                }
                text => out.push_str(text),
            }
        }
        value => show_text(&logical::show(value, of, zone), out),
    }
}

/// A text, in quotes if it would be read as something else.
fn show_text(text: &str, out: &mut String) {
    let special =
        |letter: char| matches!(letter, '\'' | '"' | '\\' | '(' | ')' | '[' | ']' | '{' | '}' | ':' | ',' | '=');
    // What a program makes of its own marks is quoted, too, so that nothing is lost where ends are trimmed.
    let is_bare = |letter: char| !is_blank(letter) && !letter.is_control();
    let is_quoted = text.is_empty()
        || text.eq_ignore_ascii_case("null")
        || !text.starts_with(is_bare)
        || !text.ends_with(is_bare)
        || text.contains(special);
    if is_quoted { quote(text, out) } else { out.push_str(text) }
}

fn quote(text: &str, out: &mut String) {
    out.push('\'');
    for letter in text.chars() {
        if matches!(letter, '\'' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out.push('\'');
}

/// The struct of a text.
///
/// # Errors
/// 22P02 for a text that is none, whatever a field's text gives.
pub(in crate::evaluate) fn read(text: &str, of: DataType, zone: &str) -> Result<Value> {
    let fields = of.struct_fields().ok_or_else(|| Error::internal(format!("{of} is no struct")))?;
    let whole = text.trim_matches(is_blank);
    let mut values = vec![Value::Null; fields.len()];
    if whole.starts_with('(') && whole.ends_with(')') {
        let given = if whole == "()" { Vec::new() } else { row::fields(whole) };
        if given.len() > fields.len() || (given.len() < fields.len() && !given.is_empty()) {
            return Err(malformed(text, of, "It has another number of fields."));
        }
        for (place, given) in given.into_iter().enumerate() {
            if let Some(given) = given {
                values[place] = logical::read(&given, fields[place].1, zone)?;
            }
        }
        return Ok(Value::text(encode(&values, fields)));
    }
    let inner = whole.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
    let inner = inner.ok_or_else(|| malformed(text, of, "A struct is written in braces."))?;
    let mut is_given = vec![false; fields.len()];
    for part in split(inner, ',').ok_or_else(|| malformed(text, of, "A quote or a bracket is not closed."))? {
        let Some([name, value]) = split(part, ':').and_then(|halves| match halves[..] {
            [name, ..] => Some([name, part.get(name.len() + 1..)?]),
            [] => None,
        }) else {
            return Err(malformed(text, of, "A field is written as a name, a colon and a value."));
        };
        let name = plain(name).unwrap_or_default();
        let Some(place) = place_of(&name, fields) else {
            return Err(malformed(text, of, &format!("It has no field \"{name}\".")));
        };
        if std::mem::replace(&mut is_given[place], true) {
            return Err(malformed(text, of, &format!("The field \"{name}\" is there twice.")));
        }
        values[place] = read_value(value, fields[place].1, zone)?;
    }
    Ok(Value::text(encode(&values, fields)))
}

/// The place of a field by its name: the same, or one that differs in case alone.
fn place_of(name: &str, fields: &Fields) -> Option<usize> {
    let same = fields.iter().position(|(known, _)| known == name);
    same.or_else(|| fields.iter().position(|(known, _)| known.to_lowercase() == name.to_lowercase()))
}

fn malformed(text: &str, of: DataType, detail: &str) -> Error {
    let shown: String = text.chars().take(100).collect();
    let message = format!("malformed struct literal: \"{shown}\"");
    Error::new(ErrorKind::InvalidText, message).with_detail(format!("{detail} It is to be a {of}."))
}

/// An array in brackets, `[a, [b]]`; none of another text.
///
/// # Errors
/// 22P02 for lists of different lengths within one, whatever an element's text gives.
pub(in crate::evaluate) fn read_list(text: &str, element: DataType, zone: &str) -> Result<Option<Array>> {
    let whole = text.trim_matches(is_blank);
    // `[1:2]={…}` are the bounds of an array in braces.
    if !whole.starts_with('[') || !whole.ends_with(']') {
        return Ok(None);
    }
    let (mut bounds, mut elements) = (Vec::new(), Vec::new());
    read_level(whole, element, zone, 0, &mut bounds, &mut elements)?;
    let bounds = bounds.into_iter().map(|length| Bound { lower: 1, length }).collect();
    Array::checked(bounds, elements).map(Some)
}

fn read_level(
    text: &str,
    element: DataType,
    zone: &str,
    level: usize,
    lengths: &mut Vec<usize>,
    elements: &mut Vec<Value>,
) -> Result<()> {
    let wrong = |detail: &str| {
        let shown: String = text.chars().take(100).collect();
        Error::new(ErrorKind::InvalidText, format!("malformed array literal: \"{shown}\""))
            .with_detail(detail.to_owned())
    };
    let inner = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let inner = inner.ok_or_else(|| wrong("An array is written in brackets."))?;
    let parts = split(inner, ',').ok_or_else(|| wrong("A quote or a bracket is not closed."))?;
    let ragged = || wrong("Multidimensional arrays must have sub-arrays with matching dimensions.");
    if lengths.len() == level {
        if !elements.is_empty() {
            return Err(ragged());
        }
        lengths.push(parts.len());
    }
    if lengths[level] != parts.len() {
        return Err(ragged());
    }
    if lengths.len() > array::DIMENSIONS_MAX {
        return Err(wrong("It has too many dimensions."));
    }
    for part in parts {
        let part = part.trim_matches(is_blank);
        if part.starts_with('[') {
            read_level(part, element, zone, level + 1, lengths, elements)?;
        } else if lengths.len() > level + 1 {
            return Err(ragged());
        } else {
            elements.push(read_value(part, element, zone)?);
        }
    }
    Ok(())
}

/// A value as it stands in a struct or an array.
fn read_value(text: &str, of: DataType, zone: &str) -> Result<Value> {
    meter::spend(64)?;
    let bare = text.trim_matches(is_blank);
    if bare.eq_ignore_ascii_case("null") {
        return Ok(Value::Null);
    }
    if bare.starts_with('{') && of.struct_fields().is_some() {
        return read(bare, of, zone);
    }
    if let Some(element) = of.element().filter(|_| !of.is_zero_based())
        && let Some(array) = read_list(bare, element, zone)?
    {
        return Ok(Value::text(array.encode(element)));
    }
    let plain = plain(bare).ok_or_else(|| malformed(text, of, "A quote is not closed."))?;
    if of.is_text() && !of.is_free_text() {
        return crate::evaluate::cast(&Value::text(plain), DataType::Text, of);
    }
    logical::read(&plain, of, zone)
}

/// The parts of a text between separators that stand in no quotes and no brackets, as they are written; no parts of blanks
/// alone. None if something is not closed.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let (mut quote, mut is_escaped, mut is_start) = (None, false, true);
    for (at, letter) in text.char_indices() {
        if !meter::goes_on(1) {
            return None;
        }
        match (quote, letter) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            // Within a word an apostrophe is a letter.
            (None, '\'' | '"') if is_start => quote = Some(letter),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.checked_sub(1)?,
            (None, letter) if letter == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
        is_start = matches!(letter, ',' | ':' | '{' | '[' | '(') || (is_start && is_blank(letter));
    }
    if quote.is_some() || depth > 0 {
        return None;
    }
    let last = &text[start..];
    if !parts.is_empty() || !last.trim_matches(is_blank).is_empty() {
        parts.push(last);
    }
    Some(parts)
}

/// A name or a value without its quotes; none if these do not end with it.
fn plain(text: &str) -> Option<String> {
    let text = text.trim_matches(is_blank);
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"')) else {
        return Some(text.to_owned());
    };
    let (mut out, mut letters) = (String::with_capacity(text.len()), text[1..].chars());
    loop {
        match letters.next()? {
            '\\' => out.push(letters.next()?),
            letter if letter == quote => break,
            letter => out.push(letter),
        }
    }
    letters.as_str().is_empty().then_some(out)
}
