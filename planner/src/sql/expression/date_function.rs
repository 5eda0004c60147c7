//! EXTRACT, date_part and date_trunc.
//!
//! EXTRACT gives decimal(10,0), but decimal(14,6) for seconds, decimal(14,3) for milliseconds and decimal(24,6)
//! for the epoch; date_part gives the same as a double.

use super::coercion::{Coercion, cast};
use super::fold;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{DatePart, Function};
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast;

/// The field of a name, with PostgreSQL's plurals and abbreviations.
fn date_part(name: &str) -> Option<DatePart> {
    Some(match name {
        "millennium" | "millennia" | "mil" | "mils" => DatePart::Millennium,
        "century" | "centuries" | "cent" | "c" => DatePart::Century,
        "decade" | "decades" | "dec" | "decs" => DatePart::Decade,
        "year" | "years" | "yr" | "yrs" | "y" => DatePart::Year,
        "isoyear" => DatePart::IsoYear,
        "quarter" | "qtr" => DatePart::Quarter,
        "month" | "months" | "mon" | "mons" => DatePart::Month,
        "week" | "weeks" | "w" => DatePart::Week,
        "day" | "days" | "d" => DatePart::Day,
        "dow" => DatePart::DayOfWeek,
        "isodow" => DatePart::IsoDayOfWeek,
        "doy" => DatePart::DayOfYear,
        "hour" | "hours" | "hr" | "hrs" | "h" => DatePart::Hour,
        "minute" | "minutes" | "min" | "mins" | "m" => DatePart::Minute,
        "second" | "seconds" | "sec" | "secs" | "s" => DatePart::Second,
        "millisecond" | "milliseconds" | "msec" | "msecs" | "msecond" | "mseconds" | "ms" => DatePart::Millisecond,
        "microsecond" | "microseconds" | "usec" | "usecs" | "usecond" | "useconds" | "us" => DatePart::Microsecond,
        "epoch" => DatePart::Epoch,
        _ => return None,
    })
}

fn extracted_type(part: DatePart) -> DataType {
    match part {
        DatePart::Second => DataType::decimal(14, 6),
        DatePart::Millisecond => DataType::decimal(14, 3),
        DatePart::Epoch => DataType::decimal(24, 6),
        _ => DataType::decimal(10, 0),
    }
}

/// Whether EXTRACT takes this field from this type.
fn has_part(source: DataType, part: DatePart) -> bool {
    use DatePart as P;
    let of_time = matches!(part, P::Hour | P::Minute | P::Second | P::Millisecond | P::Microsecond);
    match source {
        DataType::Date => !of_time,
        DataType::Time => of_time || part == P::Epoch,
        DataType::Interval => !matches!(part, P::Week | P::IsoYear | P::DayOfWeek | P::IsoDayOfWeek | P::DayOfYear),
        _ => true,
    }
}

/// Whether date_trunc truncates to this field.
fn truncates_to(part: DatePart) -> bool {
    use DatePart as P;
    !matches!(part, P::IsoYear | P::DayOfWeek | P::IsoDayOfWeek | P::DayOfYear | P::Epoch)
}

impl Binder<'_> {
    /// `EXTRACT(field FROM source)`.
    pub(super) fn bind_extract(
        &mut self,
        field: &ast::DateTimeField,
        source: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let source = self.bind_expression(source, scope)?;
        let name = match field {
            ast::DateTimeField::Custom(ident) => ident.value.to_ascii_lowercase(),
            other => other.to_string().to_ascii_lowercase(),
        };
        extract(&name, source)
    }

    /// `date_part('field', source)`.
    pub(super) fn date_part(&mut self, part: Expression, source: Expression) -> Result<Expression> {
        let name = self.field_name("date_part", part)?;
        Ok(cast(extract(&name, source)?, DataType::Double, Coercion::Implicit))
    }

    /// `date_trunc('field', source)`: a timestamp, also of a date, which needs no cast.
    pub(super) fn date_trunc(&mut self, part: Expression, source: Expression) -> Result<Expression> {
        let position = source.position;
        let name = self.field_name("date_trunc", part)?;
        let source = match source.data_type {
            DataType::Null => self.coerce(source, DataType::Timestamp, Coercion::Implicit)?,
            DataType::Time => self.coerce(source, DataType::Interval, Coercion::Implicit)?,
            _ => source,
        };
        let data_type = if source.data_type == DataType::Date { DataType::Timestamp } else { source.data_type };
        if !matches!(data_type, DataType::Timestamp | DataType::Interval) {
            let message = format!("function date_trunc(text, {data_type}) does not exist");
            return Err(Error::new(ErrorKind::UnknownFunction, message).at(position));
        }
        let part = known_part(&name, data_type).map_err(|error| error.at(position))?;
        if !truncates_to(part) || (data_type == DataType::Interval && part == DatePart::Week) {
            let message = format!("unit \"{name}\" not recognized by date_trunc of type {data_type}");
            return Err(Error::new(ErrorKind::InvalidParameter, message).at(position));
        }
        Ok(fold::call(Function::DateTrunc(part), vec![source], data_type))
    }

    /// The name of a field, given as a string.
    fn field_name(&mut self, function: &str, part: Expression) -> Result<String> {
        let position = part.position;
        let part = self.coerce(part, DataType::Text, Coercion::Implicit)?;
        match fold::constant(&part) {
            Some(Value::Text(name)) => Ok(name.trim().to_ascii_lowercase()),
            _ => Err(Error::unsupported(format_args!("{function} with a field that is no literal is")).at(position)),
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
    if !has_part(data_type, part) {
        return Err(unsupported_part(name, data_type).at(position));
    }
    Ok(fold::call(Function::Extract(part), vec![source], extracted_type(part)))
}

fn known_part(name: &str, data_type: DataType) -> Result<DatePart> {
    date_part(name).ok_or_else(|| {
        Error::new(ErrorKind::InvalidParameter, format!("unit \"{name}\" not recognized for type {data_type}"))
    })
}

fn unsupported_part(name: &str, data_type: DataType) -> Error {
    Error::unsupported(format_args!("unit \"{name}\" for type {data_type} is"))
}
