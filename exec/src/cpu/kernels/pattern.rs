//! Regular expressions that are known: conditions as masks, and replacements written into the arena. The expression is made ready
//! once a tile (and kept by the thread, `planner/src/evaluate/pattern/`), not once a row.

use super::{Call, fallback, is_valid, strict_nulls};
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use crate::{Error, Result};
use multiloop_planner::evaluate::pattern_rows::{Matcher, Replacer};
use multiloop_planner::function::{Function, PatternFunction};
use multiloop_planner::value::Value;

/// Bytes of a new text that is written without being counted.
const WRITTEN_MAX: usize = 1 << 24;

/// Does the functions of texts with constants, if it can: false if not, and for expressions that are none.
///
/// # Errors
/// 57014, and those of a row.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    let Function::Pattern(function) = call.function else { return Ok(false) };
    let [text, constants @ ..] = arguments else { return Ok(false) };
    let VectorData::Text(texts) = &text.data else { return Ok(false) };
    if text.constant || constants.iter().any(|argument| !argument.constant || argument.is_null(0)) {
        return Ok(false);
    }
    let options = match (function, constants) {
        (PatternFunction::Matches, [_]) => "",
        (PatternFunction::MatchesAnyCase, [_]) => "i",
        (PatternFunction::Like, [_]) => "",
        (PatternFunction::Replace, _) if call.register == Register::Text => {
            return replace(call, (texts, arguments), len, out);
        }
        _ => return Ok(false),
    };
    let Some(Ok(matcher)) = constants[0].text(0).map(|expression| Matcher::new(expression, options)) else {
        return Ok(false);
    };
    let nulls = strict_nulls(arguments, len, out);
    let mut bits = out.take_bool();
    let mut failed = None;
    bits.fill(len, |tuple| {
        is_valid(&nulls, tuple)
            && failed.is_none()
            && matcher.is_in(texts.get(tuple)).unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    out.set(len, VectorData::Bool(bits), nulls);
    Ok(true)
}

fn replace(
    call: &Call<'_>,
    (texts, arguments): (&TextVector, &[&Vector]),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let constant = |(argument, &of): (&&Vector, _)| argument.value(0, of);
    let mut values = vec![Value::Null];
    values.extend(arguments.iter().zip(call.types).skip(1).map(constant));
    let Ok(replacer) = Replacer::new(&values, call.types) else { return Ok(false) };
    let nulls = strict_nulls(arguments, len, out);
    let mut written = out.take_text();
    for tuple in 0..len {
        if !is_valid(&nulls, tuple) {
            written.push("");
            continue;
        }
        let text = texts.get(tuple);
        if replacer.bytes_max(text.len()) > WRITTEN_MAX {
            values[0] = Value::text(text);
            match fallback::one(call.function, &values, call.types, call.result)? {
                Value::Text(new) => written.push(&new),
                _ => return Err(Error::internal("a replacement that is no text")),
            }
            continue;
        }
        let mut done = Ok(());
        // Parts of texts, whole characters each.
        written.push_written(|new| done = replacer.each_part(text, |part| new.extend_from_slice(part.as_bytes())));
        done?;
    }
    out.set(len, VectorData::Text(written), nulls);
    Ok(true)
}
