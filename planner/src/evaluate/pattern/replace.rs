//! `regexp_replace`: matches become another text, in which `\1` to `\9` are their groups and `\&` is the whole of them.

use super::options::Options;
use super::search::{number, offset};
use super::{Found, Pattern, pattern};
use crate::error::Result;
use crate::evaluate::Call;
use crate::evaluate::long_text::LongText;
use crate::types::DataType;
use crate::value::Value;
use std::rc::Rc;

/// `regexp_replace(text, pattern, new[, options])` or `(text, pattern, new, start[, n[, options]])`; n = 0 means all.
pub(super) fn replace(call: &Call) -> Result<Value> {
    let mut out = LongText::default();
    Replacement::of(call)?.each_part(call.text(0)?, &mut |part| out.push(part))?;
    Ok(out.value())
}

/// What a call of regexp_replace does with a text.
pub(super) struct Replacement {
    pattern: Rc<Pattern>,
    pieces: Vec<Piece>,
    /// The character from which on it looks for matches.
    start: i64,
    /// Which match it replaces; 0 for all.
    n: i64,
    /// The last group that it needs.
    last_group: usize,
}

impl Replacement {
    /// That of a call, whatever its text is.
    ///
    /// # Errors
    /// 2201B for what is no expression, 22023 for options and numbers that are none.
    pub(super) fn of(call: &Call) -> Result<Self> {
        let by_place = call.types.get(3).is_some_and(|data_type| *data_type == DataType::Integer);
        let options = call.optional_text(if by_place { 5 } else { 3 })?.unwrap_or_default();
        let all = i64::from(!Options::of_argument(options)?.global);
        let (start, n) = match by_place {
            true => (number(call, 3, "start", [1, i64::MAX], 1)?, number(call, 4, "n", [0, i64::MAX], all)?),
            false => (1, all),
        };
        let pieces = pieces(call.text(2)?);
        let pattern = pattern(call.text(1)?, options)?;
        let group = |piece: &Piece| if let Piece::Group(group) = piece { *group } else { 0 };
        let last_group = pieces.iter().map(group).max().unwrap_or(0);
        Ok(Replacement { pattern, pieces, start, n, last_group })
    }

    /// Bytes of what it makes of a text of so many, at most: nothing is between its matches.
    pub(super) fn bytes_max(&self, text: usize) -> usize {
        let piece = |piece: &Piece| match piece {
            Piece::Text(plain) => plain.len(),
            Piece::Group(_) => text,
        };
        let each = self.pieces.iter().map(piece).fold(0, usize::saturating_add);
        each.saturating_mul(text.saturating_add(1)).saturating_add(text)
    }

    /// Hands over the parts of which the new text is made.
    ///
    /// # Errors
    /// 57014, 54001, and what `push` says.
    pub(super) fn each_part(&self, text: &str, push: &mut impl FnMut(&str) -> Result<()>) -> Result<()> {
        let Some(from) = offset(text, self.start) else { return push(text) };
        let mut copied = 0;
        for (count, found) in (1..).zip(self.pattern.matches(text, from, self.last_group)) {
            let found = found?;
            if self.n > count {
                continue;
            }
            let (start, end) = found.whole();
            push(&text[copied..start])?;
            self.pieces.iter().try_for_each(|piece| piece.push(&found, text, push))?;
            copied = end;
            if self.n == count {
                break;
            }
        }
        push(&text[copied..])
    }
}

/// A part of what stands in a match's place.
enum Piece {
    Text(String),
    Group(usize),
}

impl Piece {
    fn push(&self, found: &Found, text: &str, push: &mut impl FnMut(&str) -> Result<()>) -> Result<()> {
        match self {
            Piece::Text(plain) => push(plain),
            Piece::Group(group) => match found.group(*group) {
                Some((start, end)) => push(&text[start..end]),
                None => Ok(()),
            },
        }
    }
}

/// A backslash before anything but a digit, `&` and another one is itself.
fn pieces(new: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = new;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        pieces.push(Piece::Text(before.to_owned()));
        let (piece, length) = match escape.as_bytes().get(1) {
            Some(digit @ b'1'..=b'9') => (Piece::Group(usize::from(digit - b'0')), 2),
            Some(b'&') => (Piece::Group(0), 2),
            Some(b'\\') => (Piece::Text("\\".to_owned()), 2),
            _ => (Piece::Text("\\".to_owned()), 1),
        };
        pieces.push(piece);
        rest = &escape[length..];
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces.retain(|piece| !matches!(piece, Piece::Text(plain) if plain.is_empty()));
    pieces
}
