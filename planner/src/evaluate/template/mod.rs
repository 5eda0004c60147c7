//! Templates: `to_char`, `to_date` and `to_timestamp`, whose second argument says what the text looks like.
//!
//! `picture` reads the templates of dates and times, `moment` shows moments and intervals by them, `read` reads texts by them.
//! `number` has the templates of numbers, which are another language, and `figures` fills them.

mod figures;
mod moment;
mod number;
mod picture;
mod read;
mod read_number;

#[cfg(test)]
mod tests;

use super::Call;
use super::calendar::is_infinite_timestamp;
use super::mismatch;
use super::zone::with_zone;
use crate::error::Result;
use crate::function::{Function, TemplateFunction};
use crate::types::DataType;
use crate::value::Value;
use moment::Moment;

/// The value, if the function is one of templates. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use TemplateFunction as T;
    let Function::Template(function) = call.function else { return Ok(None) };
    let template = call.text(1)?;
    let shows_time = matches!(function, T::Timestamp | T::Instant);
    // PostgreSQL shows nothing where it has nothing to show.
    if (shows_time || function == T::Interval) && template.is_empty()
        || (shows_time && is_infinite_timestamp(call.int(0)?))
    {
        return Ok(Some(Value::Null));
    }
    Ok(Some(match function {
        T::Timestamp => Value::text(moment::show(&Moment::of_timestamp(call.int(0)?), template)?),
        T::Instant => {
            let instant = call.int(0)?;
            let moment = with_zone(call.text(2)?, |zone| Moment::of_instant(instant, zone))?;
            Value::text(moment::show(&moment, template)?)
        }
        T::Interval => Value::text(moment::show(&Moment::of_interval(call.interval(0)?), template)?),
        T::Number => Value::text(match (&call.arguments[0], call.types[0]) {
            (Value::Numeric(value), _) => figures::show_numeric(value, template)?,
            (Value::Float(value), of) => figures::show_float(*value, of == DataType::Real, template)?,
            (other, _) => return Err(mismatch(other, DataType::Numeric)),
        }),
        T::ReadDate => Value::Int(read::date(call.text(0)?, template)?),
        T::ReadNumber => read_number::number(call.text(0)?, template)?,
        T::ReadInstant => Value::Int(with_zone(call.text(2)?, |zone| read::instant(call.text(0)?, template, zone))?),
    }))
}
