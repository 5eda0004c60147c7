//! EXTRACT, date_part and date_trunc.
//!
//! EXTRACT gives decimal(10,0), but decimal(14,6) for seconds, decimal(14,3) for milliseconds and decimal(24,6)
//! for the epoch; date_part gives the same as a double.

use super::coercion::{Coercion, cast};
use super::{fold, zoned};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{DatePart, Function};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

fn extracted_type(part: DatePart) -> DataType {
    match part {
        DatePart::Second => DataType::decimal(14, 6),
        DatePart::Millisecond => DataType::decimal(14, 3),
        DatePart::Epoch => DataType::decimal(24, 6),
        _ => DataType::decimal(10, 0),
    }
}

impl Builder<'_> {
    /// `EXTRACT(field FROM source)`; the field's name in lower case.
    pub fn extract(&mut self, field: &str, source: Expression) -> Result<Expression> {
        if source.data_type != DataType::TimestampTz {
            return extract(field, source);
        }
        if let Some(offset) = self.extract_offset(field, source.clone()) {
            return Ok(offset);
        }
        let shown = self.shown_for(DatePart::named(field), source);
        extract(field, shown)
    }

    /// `date_part('field', source)`.
    pub(super) fn date_part(&mut self, part: Expression, source: Expression) -> Result<Expression> {
        let source = self.settle_source(source)?;
        let part = self.coerce(part, DataType::Text, Coercion::Implicit)?;
        if source.data_type == DataType::TimestampTz {
            let Some(name) = literal_name(&part) else {
                return Err(Error::unsupported("date_part of a field that is no literal is").at(part.position));
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
        Ok(cast(extract(&name, source)?, DataType::Double, Coercion::Implicit))
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

fn extract(name: &str, source: Expression) -> Result<Expression> {
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
    Ok(fold::call(Function::Extract(part), vec![source], extracted_type(part)))
}

fn known_part(name: &str, data_type: DataType) -> Result<DatePart> {
    DatePart::named(name).ok_or_else(|| {
        Error::new(ErrorKind::InvalidParameter, format!("unit \"{name}\" not recognized for type {data_type}"))
    })
}

fn unsupported_part(name: &str, data_type: DataType) -> Error {
    Error::unsupported(format_args!("unit \"{name}\" for type {data_type} is"))
}
