//! INTERVAL literals: `interval '3 months'`, `interval '90' day`, `interval '1-2' year to month`, and the fields of interval
//! types.
//!
//! Fields do two things, as in PostgreSQL: the smallest gives a number without a unit its unit, and cuts off what is smaller.

use super::data_type::digits;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::interval::Fields;
use crate::evaluate::parse_interval;
use crate::function::DatePart;
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, DateTimeField, IntervalFields};

fn part(field: &DateTimeField) -> Option<DatePart> {
    Some(match field {
        DateTimeField::Year | DateTimeField::Years => DatePart::Year,
        DateTimeField::Month | DateTimeField::Months => DatePart::Month,
        DateTimeField::Week(None) | DateTimeField::Weeks => DatePart::Week,
        DateTimeField::Day | DateTimeField::Days => DatePart::Day,
        DateTimeField::Hour | DateTimeField::Hours => DatePart::Hour,
        DateTimeField::Minute | DateTimeField::Minutes => DatePart::Minute,
        DateTimeField::Second | DateTimeField::Seconds => DatePart::Second,
        _ => return None,
    })
}

/// Whether an interval may have fields from one to another.
fn is_range(first: DatePart, last: DatePart) -> bool {
    use DatePart as P;
    matches!(
        (first, last),
        (P::Year, P::Month)
            | (P::Day, P::Hour | P::Minute | P::Second)
            | (P::Hour, P::Minute | P::Second)
            | (P::Minute, P::Second)
    )
}

/// The fields of an interval type; none if it is restricted to none.
pub(super) fn fields_of_type(fields: Option<IntervalFields>, precision: Option<u64>) -> Option<Fields> {
    use IntervalFields as F;
    let digits = precision.map(digits);
    if fields.is_none() && digits.is_none() {
        return None;
    }
    let last = match fields {
        Some(F::Year) => DatePart::Year,
        Some(F::Month | F::YearToMonth) => DatePart::Month,
        Some(F::Day) => DatePart::Day,
        Some(F::Hour | F::DayToHour) => DatePart::Hour,
        Some(F::Minute | F::DayToMinute | F::HourToMinute) => DatePart::Minute,
        None | Some(F::Second | F::DayToSecond | F::HourToSecond | F::MinuteToSecond) => DatePart::Second,
    };
    Some(Fields { last, minute_to_second: fields == Some(F::MinuteToSecond), digits })
}

impl Binder<'_, '_> {
    /// An INTERVAL literal.
    pub(super) fn bind_interval(&mut self, interval: &ast::Interval) -> Result<Expression> {
        let ast::Expr::Value(value) = &*interval.value else {
            return Err(Error::unsupported("INTERVAL of anything but a string is").at(self.start(&interval.value)));
        };
        let position = self.position(value.span);
        let Some(text) = value.value.clone().into_string() else {
            let message = "the value of an INTERVAL must be a string in quotes";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        };
        let style = self.builder.interval_style();
        let read = || match fields_of_literal(interval)? {
            Some(fields) => parse_interval(&text, Some(fields), style).map(Value::Interval),
            None => parse_interval(&text, None, style).map(Value::Interval),
        };
        read()
            .map(|value| Expression::constant(value, DataType::Interval).at(position))
            .map_err(|error| error.at(position))
    }
}

/// An item of a select list with the name that PostgreSQL reads behind an interval at its end: to it, `years` is no field.
pub(in crate::sql) fn named_by_plural(expr: &ast::Expr) -> Option<(ast::Expr, String)> {
    use DateTimeField as F;
    let is_plural = |field: &DateTimeField| {
        matches!(field, F::Years | F::Months | F::Weeks | F::Days | F::Hours | F::Minutes | F::Seconds | F::Week(None))
    };
    let mut last = expr;
    let interval = loop {
        match last {
            ast::Expr::BinaryOp { right, .. } => last = right,
            ast::Expr::UnaryOp { expr, .. } => last = expr,
            ast::Expr::Interval(interval) => break interval,
            _ => return None,
        }
    };
    let field = interval.leading_field.as_ref().filter(|field| is_plural(field) && interval.last_field.is_none())?;
    let is_text = matches!(&*interval.value, ast::Expr::Value(value) if value.value.clone().into_string().is_some());
    if !is_text || interval.leading_precision.is_some() || interval.fractional_seconds_precision.is_some() {
        return None;
    }
    let name = field.to_string().to_ascii_lowercase();
    let mut plain = expr.clone();
    let mut last = &mut plain;
    while let ast::Expr::BinaryOp { right: inner, .. } | ast::Expr::UnaryOp { expr: inner, .. } = last {
        last = inner;
    }
    if let ast::Expr::Interval(interval) = last {
        interval.leading_field = None;
    }
    Some((plain, name))
}

fn fields_of_literal(interval: &ast::Interval) -> Result<Option<Fields>> {
    let ast::Interval { value: _, leading_field, leading_precision, last_field, fractional_seconds_precision } =
        interval;
    let part = |field: &DateTimeField| {
        part(field).ok_or_else(|| Error::new(ErrorKind::Syntax, format!("INTERVAL has no field {field}")))
    };
    let Some(leading) = leading_field.as_ref().map(part).transpose()? else { return Ok(None) };
    let last = last_field.as_ref().map(part).transpose()?;
    let syntax = |what: &str| Err(Error::new(ErrorKind::Syntax, format!("syntax error: an INTERVAL with {what}")));
    if let Some(last) = last
        && !is_range(leading, last)
    {
        return syntax("such fields");
    }
    // `second(2)` has its digits as a leading precision, `minute to second(2)` behind the last field.
    let precision = match (last, leading_precision, fractional_seconds_precision) {
        (None, precision, None) if leading == DatePart::Second => *precision,
        (_, None, precision) => *precision,
        _ => return syntax("a precision of other fields than seconds"),
    };
    Ok(Some(Fields {
        last: last.unwrap_or(leading),
        minute_to_second: leading == DatePart::Minute && last == Some(DatePart::Second),
        digits: precision.map(digits),
    }))
}
