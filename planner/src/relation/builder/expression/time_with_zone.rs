//! timetz: its casts, its fields, and AT TIME ZONE. It is read and made of two parts, a time of day and seconds to the east, and
//! all else is a function of these.

use super::coercion::{Coercion, cast};
use super::logical::relabel;
use super::{fold, zoned};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::zone::Zone;
use crate::function::{DatePart, Function, MomentFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

fn part(function: MomentFunction, arguments: Vec<Expression>, to: DataType) -> Expression {
    fold::call(Function::Moment(function), arguments, to)
}

/// The time of day.
pub(super) fn time_of(value: Expression) -> Expression {
    part(MomentFunction::TimeOf, vec![relabel(value, DataType::BigInt)], DataType::Time)
}

/// Seconds to the east.
fn offset_of(value: Expression) -> Expression {
    part(MomentFunction::OffsetOf, vec![relabel(value, DataType::BigInt)], DataType::Integer)
}

/// The timetz of a time and an offset.
fn with_offset(time: Expression, offset: Expression) -> Expression {
    let made = part(MomentFunction::WithOffset, vec![time, offset], DataType::BigInt);
    relabel(made, DataType::TimeTz)
}

fn integer(value: i64) -> Expression {
    Expression::constant(Value::Int(value), DataType::Integer)
}

impl Builder<'_> {
    /// Seconds to the east of a zone now.
    fn offset_now(&self, zone: Expression) -> Expression {
        let now = Expression::constant(Value::Int(self.catalog.now()), DataType::Timestamp);
        part(MomentFunction::OffsetAt, vec![zone, now], DataType::Integer)
    }

    /// A time of day or an instant as a timetz of the session's zone, and a timetz as a time of day.
    pub(super) fn cast_time_with_zone(&mut self, value: Expression, to: DataType) -> Expression {
        match (value.data_type, to) {
            (DataType::Time, _) => {
                let offset = self.offset_now(self.zone());
                with_offset(value, offset)
            }
            (DataType::TimestampTz, _) => {
                let zone = self.zone();
                let instant = relabel(value.clone(), DataType::Timestamp);
                let offset = part(MomentFunction::OffsetAt, vec![zone.clone(), instant], DataType::Integer);
                let time = cast(zoned::local(value, zone), DataType::Time, Coercion::Assignment);
                with_offset(time, offset)
            }
            _ => time_of(value),
        }
    }

    /// `timetz + interval`, or minus it.
    pub(super) fn move_time_with_zone(
        &mut self,
        function: Function,
        value: Expression,
        span: Expression,
    ) -> Result<Expression> {
        let span = self.coerce(span, DataType::Interval, Coercion::Implicit)?;
        let moved = fold::call(function, vec![time_of(value.clone()), span], DataType::Time);
        Ok(with_offset(moved, offset_of(value)))
    }

    /// `date + timetz`.
    pub(super) fn on_day(&self, date: Expression, time: Expression) -> Expression {
        let sides = vec![date, relabel(time, DataType::BigInt)];
        relabel(part(MomentFunction::OnDay, sides, DataType::Timestamp), DataType::TimestampTz)
    }

    /// A timetz rounded to so many digits behind a second's point.
    pub(super) fn rounded_time_with_zone(&self, value: Expression, digits: u8) -> Expression {
        let time = fold::call(Function::RoundSeconds(digits), vec![time_of(value.clone())], DataType::Time);
        with_offset(time, offset_of(value))
    }

    /// `extract(field from timetz)`.
    pub(super) fn extract_of_time_with_zone(&mut self, field: &str, value: Expression) -> Result<Expression> {
        let position = value.position;
        let decimal = |value| cast(value, DataType::decimal(10, 0), Coercion::Assignment);
        let divided = |value, by| fold::call(Function::Divide, vec![value, integer(by)], DataType::Integer);
        match field {
            "timezone" => Ok(decimal(offset_of(value))),
            "timezone_hour" | "timezone_h" => Ok(decimal(divided(offset_of(value), 3600))),
            "timezone_minute" | "timezone_m" => {
                let rest = fold::call(Function::Modulo, vec![offset_of(value), integer(3600)], DataType::Integer);
                Ok(decimal(divided(rest, 60)))
            }
            _ if DatePart::named(field) == Some(DatePart::Epoch) => {
                let seconds = self.extract(field, time_of(value.clone()))?;
                self.arithmetic(Function::Subtract, seconds, offset_of(value)).map(|seconds| seconds.at(position))
            }
            _ => self.extract(field, time_of(value)).map_err(|error| {
                let shown = error.message().replace("type time", "type time with time zone");
                Error::new(error.kind(), shown).at(position)
            }),
        }
    }

    /// `timetz AT TIME ZONE zone`: the same time at the zone's offset now.
    pub(super) fn time_at_zone(&mut self, value: Expression, zone: Expression) -> Expression {
        let offset = self.offset_now(zone);
        self.time_at_offset(value, offset)
    }

    /// A timetz at an offset in seconds.
    pub(super) fn time_at_offset(&mut self, value: Expression, offset: Expression) -> Expression {
        let moved = part(MomentFunction::AtOffset, vec![relabel(value, DataType::BigInt), offset], DataType::BigInt);
        relabel(moved, DataType::TimeTz)
    }

    /// `value AT TIME ZONE interval`: of an interval without days the offset to the east.
    pub(super) fn at_interval(&mut self, value: Expression, offset: Expression) -> Result<Expression> {
        use DataType as T;
        let position = offset.position;
        let Some(Value::Interval(interval)) = fold::constant(&offset) else {
            return Err(Error::unsupported("AT TIME ZONE with an interval that is no literal is").at(position));
        };
        let interval = *interval;
        if interval.months != 0 || interval.days != 0 {
            let shown = crate::evaluate::format(&Value::Interval(interval), T::Interval);
            let message = format!("interval time zone \"{shown}\" must not include months or days");
            return Err(Error::new(ErrorKind::InvalidParameter, message).at(position));
        }
        let value = match value.data_type {
            T::Date | T::Null => self.coerce(value, T::TimestampTz, Coercion::Implicit)?,
            T::Time => self.cast_time_with_zone(value, T::TimeTz),
            _ => value,
        };
        let whole = crate::value::Interval { micros: interval.micros / 1_000_000 * 1_000_000, ..interval };
        let span = Expression::constant(Value::Interval(whole), T::Interval);
        match value.data_type {
            T::TimeTz => Ok(self.time_at_offset(value, integer(whole.micros / 1_000_000))),
            T::TimestampTz => {
                let sides = vec![relabel(value, T::Timestamp), span];
                Ok(fold::call(Function::AddInterval, sides, T::Timestamp))
            }
            T::Timestamp => {
                let moved = fold::call(Function::SubtractInterval, vec![value, span], T::Timestamp);
                Ok(relabel(moved, T::TimestampTz))
            }
            other => {
                let message = format!("function pg_catalog.timezone(interval, {other}) does not exist");
                Err(Error::new(ErrorKind::UnknownFunction, message).at(position))
            }
        }
    }

    /// Whether a constant names a zone.
    pub(super) fn check_zone(zone: &Expression) -> Result<()> {
        match fold::constant(zone) {
            Some(Value::Text(name)) => Zone::named(name).map(|_| ()).map_err(|error| error.at(zone.position)),
            _ => Ok(()),
        }
    }
}
