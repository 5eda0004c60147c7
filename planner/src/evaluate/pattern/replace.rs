//! `regexp_replace`: matches become another text, in which `\1` to `\9` are their groups and `\&` is the whole of them.

use super::options::Options;
use super::search::{number, offset};
use super::{Found, pattern};
use crate::error::Result;
use crate::evaluate::Call;
use crate::evaluate::long_text::LongText;
use crate::types::DataType;
use crate::value::Value;

/// `regexp_replace(text, pattern, new[, options])` or `(text, pattern, new, start[, n[, options]])`; n = 0 means all.
pub(super) fn replace(call: &Call) -> Result<Value> {
    let by_place = call.types.get(3).is_some_and(|data_type| *data_type == DataType::Integer);
    let options = call.optional_text(if by_place { 5 } else { 3 })?.unwrap_or_default();
    let all = i64::from(!Options::of_argument(options)?.global);
    let (start, n) = match by_place {
        true => (number(call, 3, "start", [1, i64::MAX], 1)?, number(call, 4, "n", [0, i64::MAX], all)?),
        false => (1, all),
    };
    let (text, new) = (call.text(0)?, call.text(2)?);
    let pattern = pattern(call.text(1)?, options)?;
    let Some(from) = offset(text, start) else { return Ok(Value::text(text)) };
    let pieces = pieces(new);
    let mut out = LongText::default();
    let mut copied = 0;
    for (count, found) in (1..).zip(pattern.matches(text, from)) {
        if n > count {
            continue;
        }
        let found = found?;
        let (start, end) = found.whole();
        out.push(&text[copied..start])?;
        pieces.iter().try_for_each(|piece| push(piece, &found, text, &mut out))?;
        copied = end;
        if n == count {
            break;
        }
    }
    out.push(&text[copied..])?;
    Ok(out.value())
}

/// A part of what stands in a match's place.
enum Piece<'a> {
    Text(&'a str),
    Group(usize),
}

fn push(piece: &Piece, found: &Found, text: &str, out: &mut LongText) -> Result<()> {
    match piece {
        Piece::Text(plain) => out.push(plain),
        Piece::Group(group) => match found.group(*group) {
            Some((start, end)) => out.push(&text[start..end]),
            None => Ok(()),
        },
    }
}

/// A backslash before anything but a digit, `&` and another one is itself.
fn pieces(new: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = new;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        let (piece, length) = match escape.as_bytes().get(1) {
            Some(digit @ b'1'..=b'9') => (Piece::Group(usize::from(digit - b'0')), 2),
            Some(b'&') => (Piece::Group(0), 2),
            Some(b'\\') => (Piece::Text("\\"), 2),
            _ => (Piece::Text("\\"), 1),
        };
        pieces.push(piece);
        rest = &escape[length..];
    }
    pieces.push(Piece::Text(rest));
    pieces
}
