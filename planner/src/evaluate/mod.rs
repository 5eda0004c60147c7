//! What every function means, value by value: the one place. Constant folding and the interpreter call it, and
//! so does any backend for a function that it has no kernel for.
//!
//! `logic` holds what treats NULL in its own way; elsewhere a NULL argument has given NULL already. Then, by
//! topic: `numeric`, `arithmetic`, `math` and `angles` (with `decimal` and `wide` below them), `text` (with `long_text`; `long_sort` sorts the elements of a value), `words`
//! (with `alike` and `printf`), `like` and `pattern`, `date` and `interval` (with `calendar`), `moment` and `time_with_zone`;
//! `interval_style` is how intervals look. `logical` has the types that another carries, with `array`, `bytes`, `bytes_parts`,
//! `bits`, `json`, `row`, `structure` and `zone`. `series` is what functions that give rows are made of, `gather` and `quantile` what aggregates that keep all values are, `window` has
//! the functions that see the rows around a row, `frame` the bounds of what they see, `statistic` what aggregates with states of
//! their own are fed. `lambda` applies expressions to the elements of lists, `volatile` has what differs each time.
//! `cast`, `parse` and `format` go between types and to and from text, `template` in a form that is given.
//! `vector` has vectors. `admit` checks values that come from outside.

mod admit;
mod alike;
mod angles;
mod arithmetic;
pub mod array;
pub mod bits;
pub mod bytes;
mod bytes_parts;
pub mod calendar;
mod cast;
pub mod date;
pub mod decimal;
mod fold;
pub mod format;
mod frame;
pub mod gather;
pub mod interval;
pub mod interval_style;
mod json;
pub mod lambda;
pub mod like;
mod logic;
mod logical;
mod long_sort;
mod long_text;
mod math;
pub mod moment;
mod numeric;
mod parse;
mod pattern;
pub mod place;
mod printf;
pub mod quantile;
pub mod quote;
mod row;
mod series;
pub mod statistic;
pub mod structure;
mod template;
mod text;
pub mod time_with_zone;
pub mod vector;
mod volatile;
mod wide;
mod width_bucket;
pub mod window;
mod words;
pub mod zone;
mod zone_abbreviations;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::function::{AttemptFunction, Function, IntervalStyle, UserFunction};
use crate::meter;
use crate::types::DataType;
use crate::value::{Interval, Value};
pub use admit::{admit, check_text, check_type, check_type_length};
pub use angles::math_of;
pub use fold::fold;
pub use json::{append_json, append_json_text, scan as json_scan};
pub use logical::UTC;
pub use pattern::rows as pattern_rows;
pub use vector::text::wrong_length as wrong_vector_length;
pub use volatile::{next_values, volatile};

/// Applies a function to values of the given types. `result` is the type of the call. Lazy functions
/// (`And`, `Or`, `Case`, `Coalesce`) get all their arguments here; a caller for whom evaluating an argument may
/// fail handles their laziness itself. Volatile functions are the caller's business, too.
pub fn evaluate(function: Function, arguments: &[Value], types: &[DataType], result: DataType) -> Result<Value> {
    let call = Call { function, arguments, types, result };
    call.spend()?;
    let value = value_of(&call);
    meter::settle()?;
    value
}

/// The value of a function that a program registered, of one row.
fn user(function: UserFunction, arguments: &[Value]) -> Result<Value> {
    let arguments = arguments.iter().map(|value| vec![value.clone()]).collect();
    Ok(function.definition()?.values(arguments, 1)?.pop().unwrap_or(Value::Null))
}

fn value_of(call: &Call) -> Result<Value> {
    let Call { function, arguments, types, result } = *call;
    if let Some(value) = logic::apply(call)? {
        return Ok(value);
    }
    if let Some(value) = text::apply_to_nulls(call)? {
        return Ok(value);
    }
    if call.function.sees_nulls() {
        let topics = [
            array::apply_to_nulls,
            json::apply_to_nulls,
            quote::apply_to_nulls,
            gather::apply_to_nulls,
            row::apply_to_nulls,
            structure::apply_to_nulls,
            moment::apply_to_nulls,
            words::apply_to_nulls,
            frame::apply_to_nulls,
            lambda::apply_to_nulls,
        ];
        for topic in topics {
            if let Some(value) = topic(call)? {
                return Ok(value);
            }
        }
    }
    if let Function::User(function) = function {
        return user(function, arguments);
    }
    if arguments.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    match function {
        Function::Cast => return cast::cast_value(&arguments[0], types[0], result),
        Function::AssignCast => return cast::assign_cast(&arguments[0], types[0], result),
        Function::Attempt(AttemptFunction::Array(from, to)) => return array::attempt_cast(call, from, to),
        Function::Attempt(attempt) => {
            return match evaluate(attempt.function(), arguments, types, result) {
                Err(error) if error.kind().fails_cast() => Ok(Value::Null),
                value => value,
            };
        }
        _ => {}
    }
    let plain = [numeric::apply, arithmetic::apply, date::apply, text::apply, interval::apply, math::apply];
    let templates = [template::apply, quote::apply, series::apply, row::apply, frame::apply, statistic::apply];
    let logical = [logical::apply, array::apply, bytes::apply, json::apply, zone::apply, pattern::apply, moment::apply];
    let more = [
        words::apply,
        angles::apply,
        bytes_parts::apply,
        bits::apply,
        structure::apply,
        vector::cast::apply,
        vector::apply,
    ];
    for topic in plain.into_iter().chain(logical).chain(templates).chain(more) {
        if let Some(value) = topic(call)? {
            return Ok(value);
        }
    }
    Err(Error::internal(format!("{function:?} has no value")))
}

/// `CAST(value AS to)`.
pub fn cast(value: &Value, from: DataType, to: DataType) -> Result<Value> {
    cast::cast_value(value, from, to)
}

/// The text of a value, as PostgreSQL prints it: `t` and `f` for booleans, a char padded with blanks. Must not be
/// NULL.
pub fn format(value: &Value, data_type: DataType) -> String {
    format::format_value(value, data_type)
}

/// The same, with instants in the time zone of a name.
pub fn format_in(value: &Value, data_type: DataType, zone: &str) -> String {
    if value.is_null() { String::new() } else { logical::show(value, data_type, zone) }
}

/// The value of a text, as PostgreSQL reads it (`'…'::type`).
pub fn parse(text: &str, data_type: DataType) -> Result<Value> {
    parse::parse_value(text, data_type)
}

/// The same, with instants whose text names no zone in the time zone of a name.
pub fn parse_in(text: &str, data_type: DataType, zone: &str) -> Result<Value> {
    if data_type.is_zoned() { logical::read(text, data_type, zone) } else { parse(text, data_type) }
}

/// The same of a literal, which knows the time (in microseconds since 1970 in UTC), so that it may be `now` or `today`.
pub fn parse_now(text: &str, data_type: DataType, zone: &str, now: i64) -> Result<Value> {
    let around = parse::Around { zone, now: Some(now) };
    parse::parse_moment(text, data_type, around).unwrap_or_else(|| parse_in(text, data_type, zone))
}

/// An error (22001) for a text that a column of a type does not take: one that is too long, unless only blanks are. [`parse`], as
/// any cast, cuts it.
pub fn check_length(text: &str, data_type: DataType) -> Result<()> {
    cast::check_length(text, data_type)
}

/// The value of a type that a JSON text is: objects are structs, arrays arrays, scalars are read as texts are.
///
/// # Errors
/// 22P02 for a text that is no JSON or of another shape, and whatever reading a scalar gives.
pub fn of_json(text: &str, data_type: DataType, zone: &str) -> Result<Value> {
    json::typed(text, data_type, zone)
}

/// The interval of a text that has these fields, and no smaller ones: `interval '1 2' day to hour`.
pub fn parse_fields(text: &str, fields: interval::Fields) -> Result<Interval> {
    parse_interval(text, Some(fields), IntervalStyle::Postgres)
}

/// The interval of a text in a style, perhaps of these fields alone.
pub fn parse_interval(text: &str, fields: Option<interval::Fields>, style: IntervalStyle) -> Result<Interval> {
    match parse::parse_interval(text, fields, style)? {
        Value::Interval(value) => fields.map_or(Ok(value), |fields| fields.restrict(value)),
        other => Err(mismatch(&other, DataType::Interval)),
    }
}

/// A function and what it is applied to.
struct Call<'a> {
    function: Function,
    arguments: &'a [Value],
    types: &'a [DataType],
    result: DataType,
}

/// An argument that is not of the type its function takes: a bug of whoever made the call.
fn mismatch(value: &Value, expected: DataType) -> Error {
    Error::internal(format!("{value:?} where a {expected} belongs"))
}

impl<'a> Call<'a> {
    fn int(&self, position: usize) -> Result<i64> {
        self.as_int(&self.arguments[position])
    }

    fn as_int(&self, value: &Value) -> Result<i64> {
        if let Value::Int(value) = value { Ok(*value) } else { Err(mismatch(value, DataType::BigInt)) }
    }

    fn float(&self, position: usize) -> Result<f64> {
        match &self.arguments[position] {
            Value::Float(value) => Ok(*value),
            other => Err(mismatch(other, DataType::Double)),
        }
    }

    fn text(&self, position: usize) -> Result<&'a str> {
        match &self.arguments[position] {
            Value::Text(value) => Ok(value),
            other => Err(mismatch(other, DataType::Text)),
        }
    }

    /// Tells the meter of the bytes that are given. Who does more than pass them once tells of that.
    fn spend(&self) -> Result<()> {
        let bytes = |value: &Value| if let Value::Text(text) = value { text.len() } else { 1 };
        meter::spend(self.arguments.iter().map(bytes).sum())
    }

    /// A text that need not be given.
    fn optional_text(&self, position: usize) -> Result<Option<&'a str>> {
        if position < self.arguments.len() { self.text(position).map(Some) } else { Ok(None) }
    }

    fn interval(&self, position: usize) -> Result<Interval> {
        match &self.arguments[position] {
            Value::Interval(value) => Ok(*value),
            other => Err(mismatch(other, DataType::Interval)),
        }
    }
}
