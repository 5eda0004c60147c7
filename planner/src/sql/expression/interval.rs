//! INTERVAL literals: `interval '3 months'`, `interval '90' day`, `interval '1-2' year to month`, and the fields of interval
//! types.
//!
//! Fields do two things, as in PostgreSQL: the smallest gives a number without a unit its unit, and cuts off what is smaller.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::interval::Fields;
use crate::evaluate::parse_interval;
use crate::function::DatePart;
use crate::relation::Expression;
use crate::relation::builder::Scope;
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

/// Digits of a precision of seconds; more than six are six, as in PostgreSQL.
pub(super) fn digits(precision: u64) -> u8 {
    u8::try_from(precision.min(6)).expect("it is six at most")
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
    /// An INTERVAL literal, or so many units.
    pub(super) fn bind_interval(&mut self, interval: &ast::Interval, scope: &Scope<'_>) -> Result<Expression> {
        let text = match &*interval.value {
            ast::Expr::Value(value) => value.value.clone().into_string().map(|text| (text, value.span)),
            _ => None,
        };
        let Some((text, span)) = text else { return self.bind_units(interval, scope) };
        let position = self.position(span);
        let style = self.builder.interval_style();
        let read = || match fields_of_literal(interval)? {
            Some(fields) => parse_interval(&text, Some(fields), style).map(Value::Interval),
            None => parse_interval(&text, None, style).map(Value::Interval),
        };
        read()
            .map(|value| Expression::constant(value, DataType::Interval).at(position))
            .map_err(|error| error.at(position))
    }

    /// `interval 1 day`, `interval (a + 1) day`: so many of a unit, whole ones but for seconds and their parts.
    fn bind_units(&mut self, interval: &ast::Interval, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.start(&interval.value);
        let ast::Interval { value, leading_field, leading_precision, last_field, fractional_seconds_precision } =
            interval;
        let counts = matches!(&**value, ast::Expr::Value(_) | ast::Expr::Nested(_) | ast::Expr::UnaryOp { .. });
        let is_plain = leading_precision.is_none() && last_field.is_none() && fractional_seconds_precision.is_none();
        let unit = leading_field.as_ref().filter(|_| counts && is_plain).and_then(unit);
        let Some((place, factor)) = unit else {
            let message = "the value of an INTERVAL must be a string in quotes, or a number with a unit behind it";
            let error = Error::new(ErrorKind::Syntax, message);
            return Err(error.with_hint("What is no number stands in parentheses: interval (a) day.").at(position));
        };
        let count = self.bind_expression(value, scope)?;
        self.builder.interval_of(count, place, factor, position)
    }
}

/// Which argument of make_interval a unit is, and how many of it: a share of the last, which are seconds.
fn unit(field: &DateTimeField) -> Option<(usize, f64)> {
    let name = field.to_string().to_ascii_lowercase();
    Some(match DatePart::named(&name)? {
        DatePart::Millennium => (0, 1000.0),
        DatePart::Century => (0, 100.0),
        DatePart::Decade => (0, 10.0),
        DatePart::Year => (0, 1.0),
        DatePart::Quarter => (1, 3.0),
        DatePart::Month => (1, 1.0),
        DatePart::Week => (2, 1.0),
        DatePart::Day => (3, 1.0),
        DatePart::Hour => (4, 1.0),
        DatePart::Minute => (5, 1.0),
        DatePart::Second => (6, 1.0),
        DatePart::Millisecond => (6, 1e-3),
        DatePart::Microsecond => (6, 1e-6),
        _ => return None,
    })
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
