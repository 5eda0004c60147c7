//! Paths of SQL/JSON: `jsonb_path_query` and its kin.
//!
//! `tree` is what a path is, `read` makes one of a text's `words`, `run` walks it over a value, by way of `item`s, `show`
//! prints it; `moment` has the
//! dates and times of `datetime()`. The path read last is kept: functions are called row by row.

mod item;
mod moment;
mod read;
mod run;
mod show;
mod tree;
mod words;

use super::Json;
use super::change::tree as json_of;
use crate::error::{Error, ErrorKind, Result, SqlJsonFault};
use crate::evaluate::Call;
use crate::evaluate::array::Array;
use crate::function::JsonbFunction;
use crate::types::DataType;
use crate::value::Value;
use item::Fail;
use run::Runner;
use std::cell::RefCell;
use std::rc::Rc;
use tree::Path;

/// The form of a path that PostgreSQL shows.
///
/// # Errors
/// Those of reading it.
pub(in crate::evaluate) fn normal(text: &str) -> Result<String> {
    path(text).map(|path| show::show(&path))
}

/// Reads a path, or takes the one that was read last. Each thread keeps its own.
fn path(text: &str) -> Result<Rc<Path>> {
    thread_local! {
        static KEPT: RefCell<Option<(String, Rc<Path>)>> = const { RefCell::new(None) };
    }
    let kept =
        KEPT.with_borrow(|kept| kept.as_ref().filter(|(known, _)| known == text).map(|(_, path)| Rc::clone(path)));
    if let Some(path) = kept {
        return Ok(path);
    }
    let path = Rc::new(read::read(text)?);
    KEPT.with_borrow_mut(|kept| *kept = Some((text.to_owned(), Rc::clone(&path))));
    Ok(path)
}

/// The value of a function of paths; none if it is another. No argument is NULL: value, path, variables, whether errors are silent.
pub(super) fn apply(function: JsonbFunction, call: &Call) -> Result<Option<Value>> {
    use JsonbFunction as J;
    if !matches!(function, J::PathQuery | J::PathArray | J::PathFirst | J::PathExists | J::PathMatch) {
        return Ok(None);
    }
    let path = path(call.text(1)?)?;
    let json = json_of(call.text(0)?)?.sorted();
    let variables = json_of(call.text(2)?)?;
    let is_silent = call.arguments[3].is_true();
    if !matches!(variables, Json::Object(_)) {
        let error = Error::new(ErrorKind::InvalidParameter, "\"vars\" argument is not an object");
        return Err(error.with_detail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object."));
    }
    let wants_one = function == J::PathExists && !path.is_strict;
    let runner = Runner::new(&json, &variables, path.is_strict);
    let mut found: Vec<Json> = Vec::new();
    let ended = runner.whole(&path.expression, &mut |item| {
        found.push(item.into_json());
        Ok(!wants_one)
    });
    let failed = match ended {
        Ok(_) => false,
        Err(Fail::Soft(_)) if is_silent => true,
        Err(Fail::Soft(error) | Fail::Hard(error)) => return Err(error),
    };
    let text = |json: Json| {
        let mut out = String::new();
        json.write(&mut out);
        Value::text(out)
    };
    Ok(Some(match function {
        J::PathQuery => Value::text(Array::of(found.into_iter().map(text).collect()).encode(DataType::Jsonb)),
        J::PathArray => text(Json::Array(found)),
        J::PathFirst => found.into_iter().next().map_or(Value::Null, text),
        J::PathExists if failed && found.is_empty() => Value::Null,
        J::PathExists if failed => Value::Null,
        J::PathExists => Value::Boolean(!found.is_empty()),
        _ => matched(&found, is_silent || failed)?,
    }))
}

/// The only boolean that a path has given.
fn matched(found: &[Json], is_silent: bool) -> Result<Value> {
    match found {
        [Json::Plain(word)] if word == "true" => Ok(Value::Boolean(true)),
        [Json::Plain(word)] if word == "false" => Ok(Value::Boolean(false)),
        [Json::Plain(word)] if word == "null" => Ok(Value::Null),
        _ if is_silent => Ok(Value::Null),
        _ => Err(Error::new(ErrorKind::SqlJson(SqlJsonFault::Singleton), "single boolean result is expected")),
    }
}
