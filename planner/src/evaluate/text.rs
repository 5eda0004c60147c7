//! Functions of texts. Positions and lengths count characters, from 1. Case is mapped character by character.

use super::Call;
use super::cast::text_of;
use super::like::LikePattern;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, TrimSide};
use crate::types::DataType;
use crate::value::Value;

/// The longest text that a function may make: PostgreSQL's limit, one byte short of a gibibyte.
pub(super) const BYTES_MAX: usize = (1 << 30) - 1;

/// The value of a function that does not give NULL for every NULL argument.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    let texts = |from: usize| {
        let arguments = call.arguments.iter().zip(call.types).skip(from);
        arguments.filter(|(value, _)| !value.is_null()).map(|(value, &data_type)| text_of(value, data_type))
    };
    Ok(Some(match call.function {
        Function::ConcatSkipNull => Value::text(texts(0).collect::<String>()),
        Function::ConcatWithSeparator if call.arguments[0].is_null() => Value::Null,
        Function::ConcatWithSeparator => Value::text(texts(1).collect::<Vec<_>>().join(call.text(0)?)),
        _ => return Ok(None),
    }))
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    let value = match call.function {
        F::Like | F::ILike => like(call)?,
        F::Concat => {
            let texts = call.arguments.iter().zip(call.types);
            Value::text(texts.map(|(value, &data_type)| text_of(value, data_type)).collect::<String>())
        }
        F::Lower => Value::text(lower(call.text(0)?)),
        F::Upper => Value::text(upper(call.text(0)?)),
        F::InitCap => Value::text(capitalise(call.text(0)?)),
        F::Length => Value::Int(count(call.text(0)?)),
        F::OctetLength => Value::Int(call.text(0)?.len() as i64),
        F::Substring => substring(call)?,
        F::Left | F::Right => Value::text(one_end(call)?),
        F::LeftPad | F::RightPad => pad(call)?,
        F::Trim(side) => Value::text(trim(call, side)?),
        F::Replace if call.text(1)?.is_empty() => call.arguments[0].clone(),
        F::Replace => replace(call)?,
        F::Position => Value::Int(position(call.text(0)?, call.text(1)?)),
        F::StartsWith => Value::Boolean(call.text(0)?.starts_with(call.text(1)?)),
        F::EndsWith => Value::Boolean(call.text(0)?.ends_with(call.text(1)?)),
        F::Contains => Value::Boolean(call.text(0)?.contains(call.text(1)?)),
        F::Repeat => repeat(call)?,
        F::Reverse => Value::text(call.text(0)?.chars().rev().collect::<String>()),
        F::SplitPart => Value::text(split_part(call)?),
        F::Translate => Value::text(translate(call)?),
        F::Ascii => Value::Int(call.text(0)?.chars().next().map_or(0, |c| i64::from(u32::from(c)))),
        // Of the bits that the type has.
        F::ToHex if call.types[0] == DataType::BigInt => Value::text(format!("{:x}", call.int(0)?)),
        F::ToHex => Value::text(format!("{:x}", call.int(0)? as i32)),
        F::Chr => chr(call.int(0)?)?,
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn like(call: &Call) -> Result<Value> {
    let escape = if call.arguments.len() > 2 { Some(call.text(2)?) } else { None };
    let pattern = match call.function {
        Function::Like => LikePattern::new(call.text(1)?, escape)?,
        _ => LikePattern::ignoring_case(call.text(1)?, escape)?,
    };
    Ok(Value::Boolean(pattern.matches(call.text(0)?)))
}

fn count(text: &str) -> i64 {
    text.chars().count() as i64
}

pub(super) fn too_long() -> Error {
    Error::new(ErrorKind::TooComplex, "requested length too large")
}

/// Lower case, one character for one.
pub(super) fn lower(text: &str) -> String {
    text.chars().map(lower_character).collect()
}

/// The lower case of a character, if that is one character.
pub(super) fn lower_character(c: char) -> char {
    let mut mapped = c.to_lowercase();
    if mapped.len() == 1 { mapped.next().unwrap_or(c) } else { c }
}

fn upper_character(c: char) -> char {
    let mut mapped = c.to_uppercase();
    if mapped.len() == 1 { mapped.next().unwrap_or(c) } else { c }
}

fn upper(text: &str) -> String {
    text.chars().map(upper_character).collect()
}

fn capitalise(text: &str) -> String {
    let mut inside_word = false;
    text.chars()
        .map(|c| {
            let mapped = if inside_word { lower_character(c) } else { upper_character(c) };
            inside_word = c.is_alphanumeric();
            mapped
        })
        .collect()
}

/// Characters from `start` (0-based) up to `end`, as far as there are any.
fn slice(text: &str, start: i64, end: i64) -> &str {
    let offset = |characters: i64| {
        let characters = usize::try_from(characters.max(0)).unwrap_or(usize::MAX);
        if text.is_ascii() {
            return characters.min(text.len());
        }
        text.char_indices().nth(characters).map_or(text.len(), |(offset, _)| offset)
    };
    if end <= start { "" } else { &text[offset(start)..offset(end)] }
}

/// Positions in front of the text count, but have no characters.
fn substring(call: &Call) -> Result<Value> {
    let start = call.int(1)?.saturating_sub(1);
    let end = match call.arguments.get(2) {
        None => i64::MAX,
        Some(count) => {
            let count = call.as_int(count)?;
            if count < 0 {
                return Err(Error::new(ErrorKind::InvalidSubstring, "negative substring length not allowed"));
            }
            start.saturating_add(count)
        }
    };
    Ok(Value::text(slice(call.text(0)?, start, end)))
}

fn one_end<'a>(call: &Call<'a>) -> Result<&'a str> {
    let (text, n) = (call.text(0)?, call.int(1)?);
    let length = count(text);
    let size = if n < 0 { length.saturating_add(n) } else { n.min(length) };
    Ok(if call.function == Function::Left { slice(text, 0, size) } else { slice(text, length - size, length) })
}

fn pad(call: &Call) -> Result<Value> {
    let (text, length) = (call.text(0)?, call.int(1)?.max(0));
    let fill = if call.arguments.len() > 2 { call.text(2)? } else { " " };
    let missing = length - count(text);
    if missing <= 0 || fill.is_empty() {
        return Ok(Value::text(slice(text, 0, length)));
    }
    if length > BYTES_MAX as i64 / 4 {
        return Err(too_long());
    }
    let padding: String = fill.chars().cycle().take(missing as usize).collect();
    Ok(Value::text(if call.function == Function::LeftPad { padding + text } else { text.to_owned() + &padding }))
}

fn trim<'a>(call: &Call<'a>, side: TrimSide) -> Result<&'a str> {
    let text = call.text(0)?;
    let characters = if call.arguments.len() > 1 { call.text(1)? } else { " " };
    let among = |c: char| characters.contains(c);
    Ok(match side {
        TrimSide::Both => text.trim_matches(among),
        TrimSide::Leading => text.trim_start_matches(among),
        TrimSide::Trailing => text.trim_end_matches(among),
    })
}

fn replace(call: &Call) -> Result<Value> {
    let (text, from, to) = (call.text(0)?, call.text(1)?, call.text(2)?);
    // At most this many times, so at most this many bytes.
    let bytes = (text.len() / from.len()).saturating_mul(to.len()).saturating_add(text.len());
    if bytes > BYTES_MAX && text.matches(from).count().saturating_mul(to.len()) > BYTES_MAX {
        return Err(too_long());
    }
    Ok(Value::text(text.replace(from, to)))
}

fn position(text: &str, part: &str) -> i64 {
    text.find(part).map_or(0, |offset| count(&text[..offset]) + 1)
}

fn repeat(call: &Call) -> Result<Value> {
    let (text, times) = (call.text(0)?, usize::try_from(call.int(1)?).unwrap_or(0));
    if text.len().saturating_mul(times) > BYTES_MAX {
        return Err(too_long());
    }
    Ok(Value::text(text.repeat(times)))
}

fn split_part<'a>(call: &Call<'a>) -> Result<&'a str> {
    let (text, delimiter, n) = (call.text(0)?, call.text(1)?, call.int(2)?);
    if n == 0 {
        return Err(Error::new(ErrorKind::InvalidParameter, "field position must not be zero"));
    }
    if delimiter.is_empty() {
        return Ok(if matches!(n, 1 | -1) { text } else { "" });
    }
    // Delimiters are found from the left even when parts are counted from the right.
    let parts = text.split(delimiter).count() as i64;
    let place = if n > 0 { n - 1 } else { parts.saturating_add(n) };
    Ok(usize::try_from(place).ok().and_then(|place| text.split(delimiter).nth(place)).unwrap_or(""))
}

/// Characters of `from` become those of `to` at the same place, or nothing where `to` is shorter.
fn translate(call: &Call) -> Result<String> {
    let (text, from, to) = (call.text(0)?, call.text(1)?, call.text(2)?);
    Ok(text
        .chars()
        .filter_map(|c| match from.chars().position(|candidate| candidate == c) {
            Some(place) => to.chars().nth(place),
            None => Some(c),
        })
        .collect())
}

fn chr(code: i64) -> Result<Value> {
    if code == 0 {
        return Err(Error::new(ErrorKind::InvalidParameter, "null character not permitted"));
    }
    let character = u32::try_from(code).ok().and_then(char::from_u32).ok_or_else(|| {
        Error::new(ErrorKind::InvalidParameter, format!("requested character not valid for encoding: {code}"))
    })?;
    Ok(Value::text(character.to_string()))
}
