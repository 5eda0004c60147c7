//! Functions of texts. Positions and lengths count characters, from 1. Case is mapped character by character.

use super::Call;
use super::cast::text_of;
use super::like::LikePattern;
use super::long_text::{LongText, Part, byte_of, characters, mapped};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, TrimSide};
use crate::meter;
use crate::types::DataType;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// The longest text that a function may make: PostgreSQL's limit, one byte short of a gibibyte.
pub(super) const BYTES_MAX: usize = (1 << 30) - 1;

/// The value of a function that does not give NULL for every NULL argument.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    Ok(Some(match call.function {
        Function::ConcatSkipNull => joined(call, 0, "")?,
        Function::ConcatWithSeparator if call.arguments[0].is_null() => Value::Null,
        Function::ConcatWithSeparator => joined(call, 1, call.text(0)?)?,
        _ => return Ok(None),
    }))
}

/// The texts of the arguments from one on that are not NULL, with another one between them.
fn joined(call: &Call, from: usize, between: &str) -> Result<Value> {
    let mut out = LongText::default();
    let mut is_first = true;
    for (value, &data_type) in call.arguments.iter().zip(call.types).skip(from) {
        if value.is_null() {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            out.push(between)?;
        }
        match value {
            Value::Text(text) => out.push(text)?,
            other => out.push(&text_of(other, data_type))?,
        }
    }
    Ok(out.value())
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use Function as F;
    let value = match call.function {
        F::Like | F::ILike => like(call)?,
        F::Concat => joined(call, 0, "")?,
        F::Lower => mapped(call.text(0)?, Some(str::make_ascii_lowercase), |c| Some(lower_character(c)))?,
        F::Upper => mapped(call.text(0)?, Some(str::make_ascii_uppercase), |c| Some(upper_character(c)))?,
        F::InitCap => capitalise(call.text(0)?)?,
        F::Length => Value::Int(characters(call.text(0)?)?),
        F::OctetLength => Value::Int(call.text(0)?.len() as i64),
        F::Substring => substring(call)?,
        F::Left | F::Right => Value::text(one_end(call)?),
        F::LeftPad | F::RightPad => pad(call)?,
        F::Trim(side) => Value::text(trim(call, side)?),
        F::Replace if call.text(1)?.is_empty() => call.arguments[0].clone(),
        F::Replace => replace(call)?,
        F::Position => Value::Int(position(call.text(0)?, call.text(1)?)?),
        F::StartsWith => Value::Boolean(call.text(0)?.starts_with(call.text(1)?)),
        F::EndsWith => Value::Boolean(call.text(0)?.ends_with(call.text(1)?)),
        F::Contains => Value::Boolean(find(call.text(0)?, call.text(1)?)?.is_some()),
        F::Repeat => repeat(call)?,
        F::Reverse => reverse(call.text(0)?)?,
        F::SplitPart => Value::text(split_part(call)?),
        F::Translate => translate(call)?,
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
    Ok(Value::Boolean(pattern.matches_long(call.text(0)?)?))
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

fn capitalise(text: &str) -> Result<Value> {
    let mut inside_word = false;
    mapped(text, None, |c| {
        let mapped = if inside_word { lower_character(c) } else { upper_character(c) };
        inside_word = c.is_alphanumeric();
        Some(mapped)
    })
}

fn reverse(text: &str) -> Result<Value> {
    let mut out = LongText::with_room(text.len())?;
    for piece in meter::pieces_from_end(text) {
        let piece = piece?;
        out.extend(piece.len(), piece.chars().rev())?;
    }
    Ok(out.value())
}

/// Characters from `start` (0-based) up to `end`, as far as there are any.
fn slice(text: &str, start: i64, end: i64) -> Result<&str> {
    if end <= start {
        return Ok("");
    }
    let from = byte_of(text, start)?;
    let rest = &text[from..];
    Ok(&rest[..byte_of(rest, end.saturating_sub(start.max(0)))?])
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
    Ok(Value::text(slice(call.text(0)?, start, end)?))
}

fn one_end<'a>(call: &Call<'a>) -> Result<&'a str> {
    let (text, n) = (call.text(0)?, call.int(1)?);
    let length = characters(text)?;
    let size = if n < 0 { length.saturating_add(n) } else { n.min(length) };
    if call.function == Function::Left { slice(text, 0, size) } else { slice(text, length - size, length) }
}

fn pad(call: &Call) -> Result<Value> {
    let (text, length) = (call.text(0)?, call.int(1)?.max(0));
    let fill = if call.arguments.len() > 2 { call.text(2)? } else { " " };
    let missing = length - characters(text)?;
    if missing <= 0 || fill.is_empty() {
        return Ok(Value::text(slice(text, 0, length)?));
    }
    if length > BYTES_MAX as i64 / 4 {
        return Err(too_long());
    }
    let of_fill = characters(fill)?;
    let (whole, part) = ((missing / of_fill) as usize, slice(fill, 0, missing % of_fill)?);
    let bytes = fill.len().saturating_mul(whole).saturating_add(part.len() + text.len());
    let mut out = LongText::with_room(bytes)?;
    if call.function == Function::RightPad {
        out.push(text)?;
    }
    out.repeat(fill, whole)?;
    out.push(part)?;
    if call.function == Function::LeftPad {
        out.push(text)?;
    }
    Ok(out.value())
}

fn trim<'a>(call: &Call<'a>, side: TrimSide) -> Result<&'a str> {
    let mut text = call.text(0)?;
    let set = if call.arguments.len() > 1 { call.text(1)? } else { " " };
    let among = |c: char| set.contains(c);
    if matches!(side, TrimSide::Both | TrimSide::Leading) {
        for piece in meter::pieces(text) {
            let piece = piece?;
            meter::spend(piece.len().saturating_mul(set.len() / 8))?;
            let rest = piece.trim_start_matches(among);
            text = &text[piece.len() - rest.len()..];
            if !rest.is_empty() {
                break;
            }
        }
    }
    if matches!(side, TrimSide::Both | TrimSide::Trailing) {
        for piece in meter::pieces_from_end(text) {
            let piece = piece?;
            meter::spend(piece.len().saturating_mul(set.len() / 8))?;
            let rest = piece.trim_end_matches(among);
            text = &text[..text.len() - (piece.len() - rest.len())];
            if !rest.is_empty() {
                break;
            }
        }
    }
    Ok(text)
}

fn replace(call: &Call) -> Result<Value> {
    let (text, from, to) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let part = Part::new(from);
    let (mut out, mut done) = (LongText::with_room(text.len())?, 0);
    while let Some(at) = part.find(text, done)? {
        out.push(&text[done..at])?;
        out.push(to)?;
        done = at + from.len();
    }
    out.push(&text[done..])?;
    Ok(out.value())
}

/// The first byte at which a text stands in another.
fn find(text: &str, part: &str) -> Result<Option<usize>> {
    if part.is_empty() { Ok(Some(0)) } else { Part::new(part).find(text, 0) }
}

fn position(text: &str, part: &str) -> Result<i64> {
    find(text, part)?.map_or(Ok(0), |offset| Ok(characters(&text[..offset])? + 1))
}

fn repeat(call: &Call) -> Result<Value> {
    let (text, times) = (call.text(0)?, usize::try_from(call.int(1)?).unwrap_or(0));
    let mut out = LongText::with_room(text.len().saturating_mul(times))?;
    out.repeat(text, if text.is_empty() { 0 } else { times })?;
    Ok(out.value())
}

fn split_part<'a>(call: &Call<'a>) -> Result<&'a str> {
    let (text, delimiter, n) = (call.text(0)?, call.text(1)?, call.int(2)?);
    if n == 0 {
        return Err(Error::new(ErrorKind::InvalidParameter, "field position must not be zero"));
    }
    if delimiter.is_empty() {
        return Ok(if matches!(n, 1 | -1) { text } else { "" });
    }
    let part = Part::new(delimiter);
    // Delimiters are found from the left even when parts are counted from the right.
    let place = if n > 0 {
        n - 1
    } else {
        let (mut parts, mut start) = (1, 0);
        while let Some(at) = part.find(text, start)? {
            (parts, start) = (parts + 1, at + delimiter.len());
        }
        i64::saturating_add(parts, n)
    };
    if place < 0 {
        return Ok("");
    }
    let mut start = 0;
    for _ in 0..place {
        match part.find(text, start)? {
            Some(at) => start = at + delimiter.len(),
            None => return Ok(""),
        }
    }
    Ok(&text[start..part.find(text, start)?.unwrap_or(text.len())])
}

/// Characters of `from` become those of `to` at the same place, or nothing where `to` is shorter.
fn translate(call: &Call) -> Result<Value> {
    let (text, from, to) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let mut to = to.chars();
    let mut table: FxHashMap<char, Option<char>> = FxHashMap::default();
    for character in from.chars() {
        let other = to.next();
        table.entry(character).or_insert(other);
    }
    mapped(text, None, |c| table.get(&c).copied().unwrap_or(Some(c)))
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
