//! timestamptz: its arithmetic, its fields, and AT TIME ZONE. What counts days and months does so in a time zone: the session's, or
//! the one that is named.

use super::coercion::{Coercion, cast};
use super::fold;
use super::logical::relabel;
use super::operator::no_operator;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::zone::Zone;
use crate::function::{DatePart, Function};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::Value;

const SECONDS_PER_HOUR: i64 = 3600;

/// What the clocks of a zone show at an instant: what it is stored as, where they show UTC.
pub(super) fn local(instant: Expression, zone: Expression) -> Expression {
    if shows_utc(&zone) {
        return relabel(instant, DataType::Timestamp);
    }
    fold::call(Function::InZone, vec![instant, zone], DataType::Timestamp)
}

/// The instant at which the clocks of a zone show this.
pub(super) fn instant(local: Expression, zone: Expression) -> Expression {
    if shows_utc(&zone) {
        return relabel(local, DataType::TimestampTz);
    }
    fold::call(Function::OfZone, vec![local, zone], DataType::TimestampTz)
}

fn shows_utc(zone: &Expression) -> bool {
    matches!(fold::constant(zone), Some(Value::Text(name)) if Zone::is_utc(name))
}

impl Builder<'_> {
    /// `+` or `-` with an instant on one side.
    pub(super) fn zoned_arithmetic(
        &mut self,
        operator: Function,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        use DataType as T;
        let (l, r) = (left.data_type, right.data_type);
        let is_span = |data_type| matches!(data_type, T::Interval | T::Time);
        match (operator, l, r) {
            (Function::Add, T::TimestampTz, r) if is_span(r) => self.move_instant(left, right),
            (Function::Add, l, T::TimestampTz) if is_span(l) => self.move_instant(right, left),
            (Function::Subtract, T::TimestampTz, r) if is_span(r) => {
                let span = self.coerce(right, T::Interval, Coercion::Implicit)?;
                let back = fold::call(Function::IntervalNegate, vec![span], T::Interval);
                self.move_instant(left, back)
            }
            (Function::Subtract, T::TimestampTz | T::Timestamp | T::Date, T::TimestampTz | T::Timestamp | T::Date) => {
                let left = self.coerce(left, T::TimestampTz, Coercion::Implicit)?;
                let right = self.coerce(right, T::TimestampTz, Coercion::Implicit)?;
                let sides = vec![relabel(left, T::Timestamp), relabel(right, T::Timestamp)];
                Ok(fold::call(Function::TimestampDifference, sides, T::Interval))
            }
            _ => Err(no_operator(super::arithmetic::spelling(operator), l, r, left.position)),
        }
    }

    fn move_instant(&mut self, instant: Expression, span: Expression) -> Result<Expression> {
        let span = self.coerce(span, DataType::Interval, Coercion::Implicit)?;
        let zone = self.zone();
        if shows_utc(&zone) {
            let shown = vec![relabel(instant, DataType::Timestamp), span];
            return Ok(relabel(fold::call(Function::AddInterval, shown, DataType::Timestamp), DataType::TimestampTz));
        }
        Ok(fold::call(Function::AddInZone, vec![instant, span, zone], DataType::TimestampTz))
    }

    /// `value AT TIME ZONE zone`: a timestamp of an instant, the instant of a timestamp.
    pub fn at_time_zone(&mut self, value: Expression, zone: Expression) -> Result<Expression> {
        let position = value.position;
        let zone = self.settle(zone)?;
        let zone = self.as_string(zone);
        if zone.data_type == DataType::Interval {
            return self.at_interval(value, zone);
        }
        if !zone.data_type.is_text() {
            let message =
                format!("function pg_catalog.timezone({}, {}) does not exist", zone.data_type, value.data_type);
            return Err(Error::new(ErrorKind::UnknownFunction, message).at(zone.position));
        }
        if value.data_type != DataType::Interval {
            Self::check_zone(&zone)?;
        }
        let value = match value.data_type {
            DataType::Date | DataType::Null => self.coerce(value, DataType::TimestampTz, Coercion::Implicit)?,
            _ => value,
        };
        match value.data_type {
            DataType::TimestampTz => Ok(local(value, zone)),
            DataType::Timestamp => Ok(instant(value, zone)),
            DataType::TimeTz => Ok(self.time_at_zone(value, zone)),
            DataType::Time => {
                let here = self.cast_time_with_zone(value, DataType::TimeTz);
                Ok(self.time_at_zone(here, zone))
            }
            other => {
                let message = format!("function pg_catalog.timezone(unknown, {other}) does not exist");
                Err(Error::new(ErrorKind::UnknownFunction, message).at(position))
            }
        }
    }

    /// `date_trunc('field', instant, zone)`, of a field that is a unit of timestamps.
    pub(super) fn trunc_in_zone(
        &mut self,
        part: Expression,
        value: Expression,
        zone: Expression,
    ) -> Result<Expression> {
        use DatePart as P;
        let unit = match fold::constant(&part) {
            Some(Value::Text(name)) => DatePart::named(&name.trim().to_ascii_lowercase()),
            _ => None,
        };
        let shown = local(value.clone(), zone.clone());
        let truncated = self.date_trunc(part, shown.clone())?;
        if !matches!(unit, Some(P::Hour | P::Minute | P::Second | P::Millisecond | P::Microsecond)) {
            return Ok(instant(truncated, zone));
        }
        // A time that comes twice stays the one that it is.
        let rest = fold::call(Function::TimestampDifference, vec![shown, truncated], DataType::Interval);
        let sides = vec![relabel(value, DataType::Timestamp), rest];
        Ok(relabel(fold::call(Function::SubtractInterval, sides, DataType::Timestamp), DataType::TimestampTz))
    }

    /// The timestamp whose fields are those of an instant: in UTC for the epoch, else in the session's zone.
    pub(super) fn shown_for(&mut self, part: Option<DatePart>, value: Expression) -> Expression {
        if part == Some(DatePart::Epoch) { relabel(value, DataType::Timestamp) } else { local(value, self.zone()) }
    }

    /// `date_part(name, value)` of an instant or a timetz, where only rows know the name: the fields that depend on the zone are
    /// told apart first.
    pub(super) fn zoned_part_named(&mut self, name: Expression, value: Expression) -> Result<Expression> {
        use DataType as T;
        let text = self.call_by_name("btrim", vec![name.clone()], None)?;
        let lower = fold::call(Function::Lower, vec![text], T::Text);
        let mut arguments = Vec::new();
        for field in ["epoch", "timezone", "timezone_hour", "timezone_minute"] {
            let literal = Expression::constant(Value::text(field), T::Text);
            arguments.push(fold::call(Function::Equal, vec![lower.clone(), literal], T::Boolean));
            arguments.push(match (field, value.data_type) {
                // As a double, which has infinities.
                ("epoch", T::TimestampTz) => {
                    let seconds = vec![relabel(value.clone(), T::Timestamp)];
                    fold::call(Function::Extract(DatePart::Epoch), seconds, T::Double)
                }
                _ => cast(self.extract(field, value.clone())?, T::Double, Coercion::Implicit),
            });
        }
        let shown = match value.data_type {
            T::TimeTz => super::time_with_zone::time_of(value),
            _ => local(value, self.zone()),
        };
        arguments.push(fold::call(Function::PartNamed, vec![name, shown], T::Double));
        Ok(fold::call(Function::Case, arguments, T::Double))
    }

    /// `extract(timezone from instant)` and its parts, in seconds, hours and minutes.
    pub(super) fn extract_offset(&mut self, name: &str, value: Expression) -> Option<Expression> {
        use DataType as T;
        let (divisor, modulus) = match name {
            "timezone" => (1, i64::from(i32::MAX)),
            "timezone_hour" => (SECONDS_PER_HOUR, i64::from(i32::MAX)),
            "timezone_minute" | "timezone_m" => (60, SECONDS_PER_HOUR),
            _ => return None,
        };
        // As a whole number it is NULL of infinity, as PostgreSQL's offset is.
        let seconds =
            |timestamp: Expression| fold::call(Function::Extract(DatePart::Epoch), vec![timestamp], T::BigInt);
        let shown = seconds(local(value.clone(), self.zone()));
        let offset = fold::call(Function::Subtract, vec![shown, seconds(relabel(value, T::Timestamp))], T::BigInt);
        let constant = |value| Expression::constant(Value::Int(value), T::BigInt);
        let rest = fold::call(Function::Modulo, vec![offset, constant(modulus)], T::BigInt);
        let part = fold::call(Function::Divide, vec![rest, constant(divisor)], T::BigInt);
        Some(cast(part, T::decimal(10, 0), Coercion::Assignment))
    }

    /// The time at which the transaction began, the statement, or the time of the clock; in the session's zone where it is no instant.
    pub(super) fn clock(&self, name: &str) -> Expression {
        if name == "clock_timestamp" {
            let clock = Expression::call(Function::Clock, Vec::new(), DataType::Timestamp);
            return relabel(clock, DataType::TimestampTz);
        }
        let is_of_statement = name == "statement_timestamp";
        let now = match self.catalog.moments() {
            Some(first) => {
                let kind = ExpressionKind::Parameter(first + u32::from(is_of_statement));
                Expression::new(kind, DataType::TimestampTz)
            }
            None => {
                let now = if is_of_statement { self.catalog.statement_time() } else { self.catalog.now() };
                Expression::constant(Value::Int(now), DataType::TimestampTz)
            }
        };
        let to = match name {
            "current_date" => DataType::Date,
            "localtime" => DataType::Time,
            "localtimestamp" => DataType::Timestamp,
            _ => return now,
        };
        cast(local(now, self.zone()), to, Coercion::Assignment)
    }

    /// A time rounded to so many digits behind a second's point.
    pub(super) fn rounded_seconds(&self, value: Expression, digits: u8) -> Expression {
        let data_type = value.data_type;
        if data_type == DataType::TimeTz {
            return self.rounded_time_with_zone(value, digits);
        }
        let plain = data_type.carrier();
        let rounded = fold::call(Function::RoundSeconds(digits), vec![relabel(value, plain)], plain);
        relabel(rounded, data_type)
    }
}
