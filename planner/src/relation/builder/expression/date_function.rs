//! EXTRACT, date_part and date_trunc.
//!
//! EXTRACT gives decimal(10,0), but decimal(14,6) for seconds, decimal(14,3) for milliseconds, decimal(24,6) for the epoch
//! (of a date decimal(18,0)), and numeric where a value was infinite; date_part gives the same as a double.

use super::coercion::{Coercion, cast};
use super::{fold, zoned};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::date::extracted_type;
use crate::function::{DatePart, Function, MomentFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

impl Builder<'_> {
    /// `EXTRACT(field FROM source)`; the field's name in lower case.
    pub fn extract(&mut self, field: &str, source: Expression) -> Result<Expression> {
        if source.data_type == DataType::TimeTz {
            return self.extract_of_time_with_zone(field, source);
        }
        if source.data_type != DataType::TimestampTz {
            return extract(field, source, self.wide_numerics);
        }
        if let Some(offset) = self.extract_offset(field, source.clone()) {
            return Ok(offset);
        }
        let shown = self.shown_for(DatePart::named(field), source);
        extract(field, shown, self.wide_numerics)
    }

    /// `date_part('field', source)`.
    pub(super) fn date_part(&mut self, part: Expression, source: Expression) -> Result<Expression> {
        let source = self.settle_source(source)?;
        let part = self.coerce(part, DataType::Text, Coercion::Implicit)?;
        if matches!(source.data_type, DataType::TimestampTz | DataType::TimeTz) {
            let Some(name) = literal_name(&part) else {
                return self.zoned_part_named(part, source);
            };
            return Ok(cast(self.extract(&name, source)?, DataType::Double, Coercion::Implicit));
        }
        let Some(name) = literal_name(&part) else {
            check_source("date_part", &source)?;
            return Ok(fold::call(Function::PartNamed, vec![part, source], DataType::Double));
        };
        // Of a date PostgreSQL's date_part gives the hour, which EXTRACT refuses.
        let of_midnight = DatePart::named(&name).is_some_and(|part| !part.is_of(source.data_type));
        let source = if source.data_type == DataType::Date && of_midnight {
            self.coerce(source, DataType::Timestamp, Coercion::Implicit)?
        } else {
            source
        };
        if DatePart::named(&name) == Some(DatePart::Julian) {
            check_source("date_part", &source)?;
            let part = Expression::constant(Value::text(name), DataType::Text);
            return Ok(fold::call(Function::PartNamed, vec![part, source], DataType::Double));
        }
        Ok(cast(extract(&name, source, self.wide_numerics)?, DataType::Double, Coercion::Implicit))
    }

    /// `date_trunc('field', source)`: of the source's type, but that a date is the instant at which it begins in the session's
    /// time zone.
    pub(super) fn date_trunc(&mut self, part: Expression, source: Expression) -> Result<Expression> {
        let position = source.position;
        let part = self.coerce(part, DataType::Text, Coercion::Implicit)?;
        let source = self.settle_source(source)?;
        if source.data_type == DataType::TimestampTz {
            let zone = self.zone();
            return self.trunc_in_zone(part, source, zone);
        }
        let source = match source.data_type {
            DataType::Time => self.coerce(source, DataType::Interval, Coercion::Implicit)?,
            _ => source,
        };
        let data_type = if source.data_type == DataType::Date { DataType::Timestamp } else { source.data_type };
        if !matches!(data_type, DataType::Timestamp | DataType::Interval) {
            let message = format!("function date_trunc(text, {data_type}) does not exist");
            return Err(Error::new(ErrorKind::UnknownFunction, message).at(position));
        }
        let Some(name) = literal_name(&part) else {
            let is_date = source.data_type == DataType::Date;
            let truncated = fold::call(Function::TruncateToNamed, vec![part, source], data_type);
            return Ok(if is_date { self.instant_here(truncated) } else { truncated });
        };
        let part = known_part(&name, data_type).map_err(|error| error.at(position))?;
        if !part.is_unit_of(data_type) {
            let message = format!("unit \"{name}\" not recognized by date_trunc of type {data_type}");
            return Err(Error::new(ErrorKind::InvalidParameter, message).at(position));
        }
        let is_date = source.data_type == DataType::Date;
        let truncated = fold::call(Function::DateTrunc(part), vec![source], data_type);
        Ok(if is_date { self.instant_here(truncated) } else { truncated })
    }

    /// The instant at which the session's clocks show this.
    fn instant_here(&self, local: Expression) -> Expression {
        zoned::instant(local, self.zone())
    }

    /// A source of unknown type is a timestamp.
    fn settle_source(&mut self, source: Expression) -> Result<Expression> {
        match source.data_type {
            DataType::Null => self.coerce(source, DataType::TimestampTz, Coercion::Implicit),
            _ => Ok(source),
        }
    }
}

/// The name of a field, where it is a literal.
fn literal_name(part: &Expression) -> Option<String> {
    match fold::constant(part)? {
        Value::Text(name) => Some(name.trim().to_ascii_lowercase()),
        _ => None,
    }
}

fn check_source(function: &str, source: &Expression) -> Result<()> {
    match source.data_type {
        DataType::Date | DataType::Time | DataType::Timestamp | DataType::Interval => Ok(()),
        other => {
            let message = format!("function {function}(text, {other}) does not exist");
            Err(Error::new(ErrorKind::UnknownFunction, message).at(source.position))
        }
    }
}

/// EXTRACT of what has no zone; `wide` where an infinity has been met.
fn extract(name: &str, source: Expression, wide: bool) -> Result<Expression> {
    let data_type = source.data_type;
    let position = source.position;
    if !matches!(data_type, DataType::Date | DataType::Time | DataType::Timestamp | DataType::Interval) {
        let message = format!("function extract({name} from {data_type}) does not exist");
        return Err(Error::new(ErrorKind::UnknownFunction, message).at(position).with_hint(
            "EXTRACT takes a date, time, timestamp or interval. You might need to add an explicit type cast.",
        ));
    }
    let part = known_part(name, data_type).map_err(|error| error.at(position))?;
    if !part.is_of(data_type) {
        return Err(unsupported_part(name, data_type).at(position));
    }
    let is_infinite = wide && !part.is_cyclic() && matches!(data_type, DataType::Date | DataType::Timestamp);
    if is_infinite || (part == DatePart::Julian && data_type == DataType::Timestamp) {
        let function = Function::Moment(MomentFunction::Extract(part));
        return Ok(fold::call(function, vec![source], DataType::Numeric));
    }
    Ok(fold::call(Function::Extract(part), vec![source], extracted_type(part, data_type)))
}

fn known_part(name: &str, data_type: DataType) -> Result<DatePart> {
    if matches!(name, "timezone" | "timezone_h" | "timezone_hour" | "timezone_m" | "timezone_minute") {
        return Err(unsupported_part(name, data_type));
    }
    DatePart::named(name).ok_or_else(|| {
        Error::new(ErrorKind::InvalidParameter, format!("unit \"{name}\" not recognized for type {data_type}"))
    })
}

fn unsupported_part(name: &str, data_type: DataType) -> Error {
    Error::unsupported(format_args!("unit \"{name}\" for type {data_type} is"))
}
