//! Functions that look for matches: whether, how many, where, and what their groups are.

use super::{Found, Pattern, pattern};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::Call;
use crate::evaluate::array::Array;
use crate::types::DataType;
use crate::value::Value;
use std::rc::Rc;

/// The expression of a function and its options, among which `g` has no meaning.
fn of_call(call: &Call, name: &str, options_at: usize) -> Result<Rc<Pattern>> {
    let options = call.optional_text(options_at)?.unwrap_or_default();
    if options.contains('g') {
        let message = format!("{name}() does not support the \"global\" option");
        let error = Error::new(ErrorKind::InvalidParameter, message);
        return Err(match name {
            "regexp_match" => error.with_hint("Use the regexp_matches function instead."),
            _ => error,
        });
    }
    pattern(call.text(1)?, options)
}

/// An argument that is a number, checked.
///
/// # Errors
/// 22023 for one that is less than the least, or more than the most.
pub(super) fn number(call: &Call, at: usize, name: &str, [least, most]: [i64; 2], otherwise: i64) -> Result<i64> {
    if call.arguments.len() <= at {
        return Ok(otherwise);
    }
    let number = call.int(at)?;
    if !(least..=most).contains(&number) {
        let message = format!("invalid value for parameter \"{name}\": {number}");
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    Ok(number)
}

/// The byte at which a character begins, counted from 1; none behind the end.
pub(super) fn offset(text: &str, character: i64) -> Option<usize> {
    let before = usize::try_from(character - 1).ok()?;
    if before == 0 {
        return Some(0);
    }
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.into_iter().nth(before)
}

fn characters(text: &str) -> i64 {
    text.chars().count() as i64
}

fn part_of(text: &str, span: Option<(usize, usize)>) -> Value {
    span.map_or(Value::Null, |(start, end)| Value::text(&text[start..end]))
}

/// `regexp_like(text, pattern[, options])`.
pub(super) fn like(call: &Call) -> Result<Value> {
    of_call(call, "regexp_like", 2)?.is_in(call.text(0)?).map(Value::Boolean)
}

/// `regexp_count(text, pattern[, start[, options]])`.
pub(super) fn count(call: &Call) -> Result<Value> {
    let start = number(call, 2, "start", [1, i64::MAX], 1)?;
    let pattern = of_call(call, "regexp_count", 3)?;
    let text = call.text(0)?;
    let Some(from) = offset(text, start) else { return Ok(Value::Int(0)) };
    let mut count = 0;
    for found in pattern.matches(text, from, 0) {
        found?;
        count += 1;
    }
    Ok(Value::Int(count))
}

/// The n-th match from a character on.
fn nth(pattern: &Pattern, text: &str, (start, n): (i64, i64), group: usize) -> Result<Option<Found>> {
    let Some(from) = offset(text, start) else { return Ok(None) };
    let skipped = usize::try_from(n - 1).unwrap_or(usize::MAX);
    let mut matches = pattern.matches(text, from, group);
    for _ in 0..skipped {
        match matches.next() {
            Some(found) => drop(found?),
            None => return Ok(None),
        }
    }
    matches.next().transpose()
}

/// `regexp_instr(text, pattern[, start[, n[, end[, options[, group]]]]])`: 0 where there is no such match.
pub(super) fn place(call: &Call) -> Result<Value> {
    let start = number(call, 2, "start", [1, i64::MAX], 1)?;
    let n = number(call, 3, "n", [1, i64::MAX], 1)?;
    let is_end = number(call, 4, "endoption", [0, 1], 0)? == 1;
    let group = number(call, 6, "subexpr", [0, i64::MAX], 0)?;
    let pattern = of_call(call, "regexp_instr", 5)?;
    let text = call.text(0)?;
    let group = usize::try_from(group).unwrap_or(usize::MAX);
    if group > pattern.groups() {
        return Ok(Value::Int(0));
    }
    let span = nth(&pattern, text, (start, n), group)?.and_then(|found| found.group(group));
    let at = span.map(|(start, end)| characters(&text[..if is_end { end } else { start }]) + 1);
    Ok(Value::Int(at.unwrap_or(0)))
}

/// `regexp_substr(text, pattern[, start[, n[, options[, group]]]])`.
pub(super) fn part(call: &Call) -> Result<Value> {
    let start = number(call, 2, "start", [1, i64::MAX], 1)?;
    let n = number(call, 3, "n", [1, i64::MAX], 1)?;
    let group = number(call, 5, "subexpr", [0, i64::MAX], 0)?;
    let pattern = of_call(call, "regexp_substr", 4)?;
    let text = call.text(0)?;
    let group = usize::try_from(group).unwrap_or(usize::MAX);
    if group > pattern.groups() {
        return Ok(Value::Null);
    }
    Ok(part_of(text, nth(&pattern, text, (start, n), group)?.and_then(|found| found.group(group))))
}

/// `substring(text from pattern)`: the first group if there is one, else the match.
pub(super) fn substring(call: &Call) -> Result<Value> {
    let pattern = pattern(call.text(1)?, "")?;
    let text = call.text(0)?;
    let group = pattern.groups().min(1);
    Ok(part_of(text, pattern.find(text, 0, group)?.and_then(|found| found.group(group))))
}

/// `regexp_match(text, pattern[, options])`: the groups of the first match, or the match if there are none.
pub(super) fn groups(call: &Call) -> Result<Value> {
    let pattern = of_call(call, "regexp_match", 2)?;
    let text = call.text(0)?;
    let Some(found) = pattern.find(text, 0, pattern.groups())? else { return Ok(Value::Null) };
    let groups = if pattern.groups() == 0 { 0..=0 } else { 1..=pattern.groups() };
    Ok(texts(groups.map(|group| part_of(text, found.group(group))).collect()))
}

/// `regexp_split_to_array(text, pattern[, options])`: what is between matches. Empty ones at the ends, or right behind another,
/// divide nothing.
pub(super) fn split(call: &Call) -> Result<Value> {
    let pattern = of_call(call, "regexp_split_to_array", 2)?;
    let text = call.text(0)?;
    let mut parts = Vec::new();
    let (mut begun, mut last) = (0, 0);
    for found in pattern.matches(text, 0, 0) {
        let (start, end) = found?.whole();
        if start < text.len() && end > last {
            parts.push(Value::text(&text[begun..start]));
            begun = end;
        }
        last = end;
    }
    parts.push(Value::text(&text[begun..]));
    Ok(texts(parts))
}

/// `regexp_matches(text, pattern[, options])`: of each match, with `g` of all, the array of its groups, as a text.
pub(super) fn all_groups(call: &Call) -> Result<Value> {
    let options = call.optional_text(2)?.unwrap_or_default();
    let pattern = pattern(call.text(1)?, options)?;
    let text = call.text(0)?;
    let count = if options.contains('g') { usize::MAX } else { 1 };
    let mut all = Vec::new();
    for found in pattern.matches(text, 0, pattern.groups()).take(count) {
        let found = found?;
        let groups = if pattern.groups() == 0 { 0..=0 } else { 1..=pattern.groups() };
        all.push(texts(groups.map(|group| part_of(text, found.group(group))).collect()));
    }
    Ok(texts(all))
}

/// The group that is asked for, checked.
fn wanted_group(call: &Call, pattern: &Pattern) -> Result<Option<usize>> {
    let group = if call.arguments.len() > 2 { call.int(2)? } else { 0 };
    let Ok(group) = usize::try_from(group) else {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("group index {group} must not be negative")));
    };
    Ok(Some(group).filter(|group| *group <= pattern.groups()))
}

/// `regexp_extract(text, pattern[, group[, options]])`.
pub(super) fn extract(call: &Call) -> Result<Value> {
    let pattern = of_call(call, "regexp_extract", 3)?;
    let text = call.text(0)?;
    let Some(group) = wanted_group(call, &pattern)? else { return Ok(Value::text("")) };
    let span = pattern.find(text, 0, group)?.and_then(|found| found.group(group));
    Ok(Value::text(span.map_or("", |(start, end)| &text[start..end])))
}

/// `regexp_extract_all(text, pattern[, group[, options]])`.
pub(super) fn extract_all(call: &Call) -> Result<Value> {
    let pattern = of_call(call, "regexp_extract_all", 3)?;
    let text = call.text(0)?;
    let Some(group) = wanted_group(call, &pattern)? else { return Ok(texts(Vec::new())) };
    let mut all = Vec::new();
    for found in pattern.matches(text, 0, group) {
        let span = found?.group(group);
        all.push(Value::text(span.map_or("", |(start, end)| &text[start..end])));
    }
    Ok(texts(all))
}

/// `regexp_full_match(text, pattern[, options])`.
pub(super) fn whole(call: &Call) -> Result<Value> {
    let options = call.optional_text(2)?.unwrap_or_default();
    let anchored = format!("^(?:{})$", call.text(1)?);
    pattern(&anchored, options)?.is_in(call.text(0)?).map(Value::Boolean)
}

fn texts(elements: Vec<Value>) -> Value {
    Value::text(Array::of(elements).encode(DataType::Text))
}
