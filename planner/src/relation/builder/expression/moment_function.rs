//! Functions of days, times and intervals whose types follow rules of their own: PostgreSQL's, and DuckDB's under names that
//! PostgreSQL has not.
//!
//! What is a field of a date or time is EXTRACT, what is a unit is a bin; so analytics run in the kernels that these have.

use super::call::{Special, no_function, take};
use super::coercion::{Coercion, cast};
use super::logical::relabel;
use super::{fold, zoned};
use crate::error::{Error, Position, Result};
use crate::evaluate;
use crate::evaluate::calendar::{DAY, MONTHS, TIMESTAMP_INFINITY, WEEKDAYS};
use crate::function::{DatePart, Function, IntervalStyle, MomentFunction};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::{Interval, Value};

/// Functions that are a field of a date or time, as bigint.
const FIELDS: &[(&str, DatePart)] = &[
    ("century", DatePart::Century),
    ("day", DatePart::Day),
    ("dayofmonth", DatePart::Day),
    ("dayofweek", DatePart::DayOfWeek),
    ("dayofyear", DatePart::DayOfYear),
    ("decade", DatePart::Decade),
    ("era", DatePart::Era),
    ("hour", DatePart::Hour),
    ("isodow", DatePart::IsoDayOfWeek),
    ("isoyear", DatePart::IsoYear),
    ("microsecond", DatePart::Microsecond),
    ("millennium", DatePart::Millennium),
    ("millisecond", DatePart::Millisecond),
    ("minute", DatePart::Minute),
    ("month", DatePart::Month),
    ("quarter", DatePart::Quarter),
    ("second", DatePart::Second),
    ("week", DatePart::Week),
    ("weekday", DatePart::DayOfWeek),
    ("weekofyear", DatePart::Week),
    ("year", DatePart::Year),
];

/// Functions that give an interval of a number of units.
const UNITS: &[(&str, Interval)] = &[
    ("to_centuries", months(1_200)),
    ("to_days", Interval { months: 0, days: 1, micros: 0 }),
    ("to_decades", months(120)),
    ("to_hours", micros(3_600_000_000)),
    ("to_microseconds", micros(1)),
    ("to_millennia", months(12_000)),
    ("to_milliseconds", micros(1_000)),
    ("to_minutes", micros(60_000_000)),
    ("to_months", months(1)),
    ("to_quarters", months(3)),
    ("to_seconds", micros(1_000_000)),
    ("to_weeks", Interval { months: 0, days: 7, micros: 0 }),
    ("to_years", months(12)),
];

const fn months(months: i32) -> Interval {
    Interval { months, days: 0, micros: 0 }
}

const fn micros(micros: i64) -> Interval {
    Interval { months: 0, days: 0, micros }
}

fn call(function: MomentFunction, arguments: Vec<Expression>, to: DataType) -> Expression {
    fold::call(Function::Moment(function), arguments, to)
}

fn bigint(value: i64) -> Expression {
    Expression::constant(Value::Int(value), DataType::BigInt)
}

/// A text that is a literal.
fn literal_text(value: &Expression) -> Option<String> {
    match fold::constant(value)? {
        Value::Text(text) => Some(text.trim().to_ascii_lowercase()),
        _ => None,
    }
}

/// Whether values are points of a calendar, or of a day.
fn is_moment(data_type: DataType) -> bool {
    use DataType as T;
    matches!(data_type, T::Date | T::Time | T::TimeTz | T::Timestamp | T::TimestampTz)
}

impl Builder<'_> {
    /// A function of moments, if the name and the types are of one.
    pub(super) fn special_moment_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let bound = match (name, arguments.len()) {
            ("current_time", 0 | 1) => {
                let digits = arguments.first().map(fold::constant);
                if matches!(digits, Some(None)) {
                    return Ok(Special::NoMatch(arguments));
                }
                let now = self.clock("now");
                let time = self.cast_time_with_zone(now, T::TimeTz);
                match digits {
                    Some(Some(Value::Int(digits))) => {
                        self.rounded_time_with_zone(time, u8::try_from((*digits).clamp(0, 6)).unwrap_or(6))
                    }
                    _ => time,
                }
            }
            ("today", 0) => self.clock("current_date"),
            ("get_current_timestamp", 0) => self.clock("now"),
            ("timeofday", 0) => {
                let now = self.clock("clock_timestamp");
                let template = Expression::constant(Value::text("Dy Mon DD HH24:MI:SS.US YYYY TZ"), T::Text);
                return self.special_template_function("to_char", vec![now, template]);
            }
            ("datepart", 2) => {
                let [part, source] = take(arguments);
                self.date_part(part, source)?
            }
            ("datetrunc", 2) => {
                let [part, source] = take(arguments);
                self.date_trunc(part, source)?
            }
            ("date_bin", 3) => return self.date_bin(arguments),
            ("time_bucket", 2 | 3) => return self.time_bucket(arguments),
            ("make_timestamptz", 6 | 7) => return self.make_instant(arguments),
            ("make_timestamp", 1) => {
                let [micros] = take(arguments);
                let micros = self.coerce(micros, T::BigInt, Coercion::Implicit)?;
                call(MomentFunction::OfMicros, vec![micros], T::Timestamp)
            }
            ("make_date", 1) => {
                let [days] = take(arguments);
                let days = self.coerce(days, T::Integer, Coercion::Implicit)?;
                let first = Expression::constant(Value::Int(0), T::Date);
                fold::call(Function::DateAddDays, vec![first, days], T::Date)
            }
            ("isfinite", 1) => return self.is_finite(arguments),
            ("date_add", 2) => {
                let [moment, span] = take(arguments);
                let span =
                    if span.data_type == T::Null { self.coerce(span, T::Interval, Coercion::Implicit)? } else { span };
                self.arithmetic(Function::Add, moment, span)?
            }
            ("date_diff" | "datediff", 3) => return self.count_between(true, arguments),
            ("date_sub" | "datesub", 3) => return self.count_between(false, arguments),
            ("strftime", 2) => return self.strftime(arguments),
            ("strptime" | "try_strptime", 2) => {
                let texts = arguments.into_iter().map(|argument| self.coerce(argument, T::Text, Coercion::Implicit));
                let function = if name == "strptime" { MomentFunction::Read } else { MomentFunction::TryRead };
                call(function, texts.collect::<Result<_>>()?, T::Timestamp)
            }
            _ => return self.field_function(name, arguments),
        };
        Ok(Special::Bound(bound))
    }

    /// The functions of one date or time that are named after a field.
    fn field_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        if arguments.len() != 1 {
            return Ok(Special::NoMatch(arguments));
        }
        if let Some((_, unit)) = UNITS.iter().find(|(unit, _)| *unit == name) {
            let [count] = take(arguments);
            let count = self.coerce(count, T::Double, Coercion::Implicit)?;
            let unit = Expression::constant(Value::Interval(*unit), T::Interval);
            return Ok(Special::Bound(fold::call(Function::IntervalMultiply, vec![unit, count], T::Interval)));
        }
        let is_field = FIELDS.iter().any(|(field, _)| *field == name);
        let is_name = matches!(name, "dayname" | "monthname" | "last_day" | "yearweek" | "julian");
        let is_epoch = matches!(name, "epoch" | "epoch_ms" | "epoch_us" | "epoch_ns");
        if !is_field && !is_name && !is_epoch {
            return Ok(Special::NoMatch(arguments));
        }
        let [value] = take(arguments);
        if name == "epoch_ms" && value.data_type.is_integer() {
            let millis = cast(value, T::BigInt, Coercion::Implicit);
            let micros = fold::call(Function::Multiply, vec![millis, bigint(1_000)], T::BigInt);
            return Ok(Special::Bound(call(MomentFunction::OfMicros, vec![micros], T::Timestamp)));
        }
        let value =
            if value.data_type == T::Null { self.coerce(value, T::Timestamp, Coercion::Implicit)? } else { value };
        let has_fields = value.data_type == T::Interval && !is_name;
        if !is_moment(value.data_type) && !has_fields {
            return Ok(Special::NoMatch(vec![value]));
        }
        let bound = match name {
            "dayname" => self.name_of(DatePart::IsoDayOfWeek, value, &WEEKDAYS)?,
            "monthname" => self.name_of(DatePart::Month, value, &MONTHS)?,
            "last_day" => {
                let local = self.as_local(value);
                let of = if local.data_type == T::Date {
                    local
                } else {
                    self.coerce(local, T::Timestamp, Coercion::Implicit)?
                };
                call(MomentFunction::LastDay, vec![of], T::Date)
            }
            "yearweek" => {
                let year = self.whole_field(DatePart::IsoYear, value.clone())?;
                let week = self.whole_field(DatePart::Week, value)?;
                let hundred = fold::call(Function::Multiply, vec![year.clone(), bigint(100)], T::BigInt);
                let sign = fold::call(Function::Sign, vec![year], T::BigInt);
                let week = fold::call(Function::Multiply, vec![week, sign], T::BigInt);
                fold::call(Function::Add, vec![hundred, week], T::BigInt)
            }
            "julian" => {
                let part = Expression::constant(Value::text("julian"), T::Text);
                self.date_part(part, value)?
            }
            "epoch" => cast(self.extract("epoch", value)?, T::Double, Coercion::Implicit),
            "epoch_ms" | "epoch_us" | "epoch_ns" => self.epoch(name, value)?,
            _ => {
                let found = FIELDS.iter().find(|(field, _)| *field == name);
                self.whole_field(found.map_or(DatePart::Day, |(_, part)| *part), value)?
            }
        };
        Ok(Special::Bound(bound))
    }

    /// A timestamp of what clocks show at an instant; anything else as it is.
    fn as_local(&self, value: Expression) -> Expression {
        if value.data_type == DataType::TimestampTz { zoned::local(value, self.zone()) } else { value }
    }

    /// A field as bigint.
    fn whole_field(&mut self, part: DatePart, value: Expression) -> Result<Expression> {
        let name = format!("{part:?}").to_ascii_lowercase();
        let name = match part {
            DatePart::DayOfWeek => "dow",
            DatePart::IsoDayOfWeek => "isodow",
            DatePart::DayOfYear => "doy",
            _ => &name,
        };
        let field = self.extract(name, value)?;
        // What is no whole number is cut off; of infinity, which EXTRACT has as a number, this is NULL.
        if field.data_type.scale() > 0 {
            let whole = self.call_by_name("trunc", vec![field], None)?;
            return self.coerce(whole, DataType::BigInt, Coercion::Assignment);
        }
        match field.kind {
            ExpressionKind::Call(
                Function::Extract(part) | Function::Moment(MomentFunction::Extract(part)),
                arguments,
            ) => Ok(fold::call(Function::Extract(part), arguments, DataType::BigInt)),
            kind => self.coerce(Expression { kind, ..field }, DataType::BigInt, Coercion::Assignment),
        }
    }

    /// The name of a field that counts from 1.
    fn name_of(&mut self, part: DatePart, value: Expression, names: &[&str]) -> Result<Expression> {
        let field = self.whole_field(part, value)?;
        let mut arguments = Vec::with_capacity(names.len() * 2 + 1);
        for (at, name) in (1..).zip(names) {
            arguments.push(fold::call(Function::Equal, vec![field.clone(), bigint(at)], DataType::Boolean));
            arguments.push(Expression::constant(Value::text(*name), DataType::Text));
        }
        arguments.push(Expression::constant(Value::Null, DataType::Text));
        Ok(fold::call(Function::Case, arguments, DataType::Text))
    }

    fn epoch(&mut self, name: &str, value: Expression) -> Result<Expression> {
        use DataType as T;
        let value = match value.data_type {
            T::TimestampTz => relabel(value, T::Timestamp),
            T::TimeTz => self.coerce(value, T::Time, Coercion::Assignment)?,
            _ => value,
        };
        let micros = call(MomentFunction::Micros, vec![value], T::BigInt);
        Ok(match name {
            // Towards the past, as what is before 1970 counts down.
            "epoch_ms" => fold::call(Function::Divide, vec![micros, bigint(1_000)], T::BigInt),
            "epoch_ns" => fold::call(Function::Multiply, vec![micros, bigint(1_000)], T::BigInt),
            _ => micros,
        })
    }

    /// `date_bin(stride, source, origin)`: of timestamps or instants.
    fn date_bin(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let zoned = arguments[1..].iter().any(|argument| matches!(argument.data_type, T::TimestampTz | T::Null));
        let plain = arguments[1..].iter().any(|argument| matches!(argument.data_type, T::Timestamp));
        let of = if zoned && !plain { T::TimestampTz } else { T::Timestamp };
        let fits = |argument: &Expression| is_moment(argument.data_type) || argument.data_type == T::Null;
        if !arguments[1..].iter().all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        let [stride, source, origin] = take(arguments);
        let stride = self.coerce(stride, T::Interval, Coercion::Implicit)?;
        let of =
            if source.data_type == T::TimestampTz || origin.data_type == T::TimestampTz { T::TimestampTz } else { of };
        let source = relabel(self.coerce(source, of, Coercion::Implicit)?, T::Timestamp);
        let origin = relabel(self.coerce(origin, of, Coercion::Implicit)?, T::Timestamp);
        let bin = call(MomentFunction::Bin, vec![stride, source, origin], T::Timestamp);
        Ok(Special::Bound(relabel(bin, of)))
    }

    /// `time_bucket(width, source[, origin or offset])`: bins from a Monday on, or, of months, from a January on.
    fn time_bucket(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        /// 2000-01-01 and the Monday that follows.
        const FIRST_DAY: i64 = 10_957;
        const FIRST_MONDAY: i64 = 10_959;
        let source_type = arguments[1].data_type;
        if !matches!(source_type, T::Date | T::Timestamp | T::TimestampTz) {
            return Ok(Special::NoMatch(arguments));
        }
        let mut arguments = arguments.into_iter();
        let (Some(width), Some(source)) = (arguments.next(), arguments.next()) else {
            return Ok(Special::NoMatch(arguments.collect()));
        };
        let width = self.coerce(width, T::Interval, Coercion::Implicit)?;
        let Some(Value::Interval(interval)) = fold::constant(&width) else {
            return Err(Error::unsupported("a time_bucket whose width is no literal is").at(width.position));
        };
        // Bins of hours of instants are as long where clocks are set.
        let by_clock = interval.months != 0 || interval.days != 0;
        let first = if interval.months != 0 { FIRST_DAY } else { FIRST_MONDAY };
        let local = |builder: &mut Self, value: Expression| match value.data_type {
            T::TimestampTz if !by_clock => Ok(relabel(value, T::Timestamp)),
            T::TimestampTz => Ok(builder.as_local(value)),
            _ => builder.coerce(value, T::Timestamp, Coercion::Implicit),
        };
        let mut source = local(self, source)?;
        let mut origin = Expression::constant(Value::Int(first * DAY), T::Timestamp);
        let mut offset = None;
        match arguments.next() {
            Some(given) if given.data_type == T::Interval => {
                source = fold::call(Function::SubtractInterval, vec![source, given.clone()], T::Timestamp);
                offset = Some(given);
            }
            Some(given) => {
                let given = self.coerce(given, source_type, Coercion::Implicit)?;
                origin = local(self, given)?;
            }
            None => {}
        }
        let mut start = call(MomentFunction::Bucket, vec![width, source, origin], T::Timestamp);
        if let Some(offset) = offset {
            start = fold::call(Function::AddInterval, vec![start, offset], T::Timestamp);
        }
        Ok(Special::Bound(match source_type {
            T::TimestampTz if by_clock => zoned::instant(start, self.zone()),
            T::TimestampTz => relabel(start, T::TimestampTz),
            T::Date => cast(start, T::Date, Coercion::Assignment),
            _ => start,
        }))
    }

    /// `make_timestamptz(year, month, day, hour, minute, second[, zone])`.
    fn make_instant(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let mut arguments = arguments;
        let zone = if arguments.len() == 7 { arguments.pop() } else { None };
        let local = match self.match_signature("make_timestamp", arguments)? {
            Special::Bound(local) => local,
            Special::NoMatch(mut arguments) => {
                arguments.extend(zone);
                return Ok(Special::NoMatch(arguments));
            }
        };
        let instant = match zone {
            None => zoned::instant(local, self.zone()),
            Some(zone) => {
                let zone = self.coerce(zone, T::Text, Coercion::Implicit)?;
                relabel(call(MomentFunction::InstantOf, vec![local, zone], T::Timestamp), T::TimestampTz)
            }
        };
        Ok(Special::Bound(instant))
    }

    /// `isfinite(value)`: what is neither of the two infinities. Intervals have none.
    fn is_finite(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let [value] = take(arguments);
        let truth = |of: bool| Expression::constant(Value::Boolean(of), T::Boolean);
        let (value, ends) = match value.data_type {
            T::Date => (value, [i32::MIN.into(), i32::MAX.into()]),
            T::Timestamp => (value, [i64::MIN, TIMESTAMP_INFINITY]),
            T::TimestampTz => (relabel(value, T::Timestamp), [i64::MIN, TIMESTAMP_INFINITY]),
            T::Interval => {
                let is_null = fold::call(Function::IsNull, vec![value], T::Boolean);
                let null = Expression::constant(Value::Null, T::Boolean);
                let case = fold::call(Function::Case, vec![is_null, null, truth(true)], T::Boolean);
                return Ok(Special::Bound(case));
            }
            _ => return Ok(Special::NoMatch(vec![value])),
        };
        let of = value.data_type;
        let ends = ends.map(|end| Expression::constant(Value::Int(end), of));
        let [low, high] = ends.map(|end| fold::call(Function::NotEqual, vec![value.clone(), end], T::Boolean));
        Ok(Special::Bound(super::and(vec![low, high])))
    }

    /// `date_diff(part, from, to)` and `date_sub(part, from, to)`.
    fn count_between(&mut self, boundaries: bool, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let [part, from, to] = take(arguments);
        let fits = |value: &Expression| is_moment(value.data_type) || value.data_type == T::Null;
        if !fits(&from) || !fits(&to) {
            return Ok(Special::NoMatch(vec![part, from, to]));
        }
        let (from, to) = (self.as_local(from), self.as_local(to));
        let types = [from.data_type, to.data_type];
        let is_time = |of: DataType| matches!(of, T::Time | T::TimeTz);
        let of = if types.iter().all(|of| is_time(*of)) {
            T::Time
        } else if types.iter().all(|of| *of == T::Date) {
            T::Date
        } else {
            T::Timestamp
        };
        let from = self.coerce(from, of, Coercion::Assignment)?;
        let to = self.coerce(to, of, Coercion::Assignment)?;
        let Some(name) = literal_text(&part) else {
            let part = self.coerce(part, T::Text, Coercion::Implicit)?;
            let function = if boundaries { MomentFunction::BoundariesNamed } else { MomentFunction::WholesNamed };
            return Ok(Special::Bound(call(function, vec![part, from, to], T::BigInt)));
        };
        let unit = evaluate::moment::counted_unit(&name, of).map_err(|error| error.at(part.position))?;
        let function = if boundaries { MomentFunction::Boundaries(unit) } else { MomentFunction::Wholes(unit) };
        Ok(Special::Bound(call(function, vec![from, to], T::BigInt)))
    }

    /// `strftime(value, format)`, the arguments in any order.
    fn strftime(&mut self, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let [first, second] = take(arguments);
        let (value, format) = if is_moment(first.data_type) { (first, second) } else { (second, first) };
        if !matches!(value.data_type, T::Date | T::Timestamp | T::TimestampTz) {
            return Ok(Special::NoMatch(vec![value, format]));
        }
        let format = self.coerce(format, T::Text, Coercion::Implicit)?;
        let local = self.as_local(value);
        let value = self.coerce(local, T::Timestamp, Coercion::Implicit)?;
        Ok(Special::Bound(call(MomentFunction::Show, vec![value, format], T::Text)))
    }

    /// `(from, to) OVERLAPS (from, to)`: the second of each is an end, or an interval.
    pub fn overlaps(&mut self, ends: [Expression; 4]) -> Result<Expression> {
        use DataType as T;
        let position = ends[0].position;
        let types = ends.each_ref().map(|end| end.data_type);
        let of = [T::TimestampTz, T::Timestamp, T::Date, T::TimeTz, T::Time].into_iter().find(|of| types.contains(of));
        let of = match of {
            Some(T::Date) => T::Timestamp,
            Some(of) => of,
            None => T::TimestampTz,
        };
        let is_span = |at: usize| at % 2 == 1 && types[at] == T::Interval && of != T::TimeTz;
        let fits =
            |(at, from): (usize, &DataType)| is_span(at) || super::coercion::castable(*from, of, Coercion::Implicit);
        if !types.iter().enumerate().all(fits) {
            return Err(no_function("pg_catalog.overlaps", &ends).at(position));
        }
        let mut points: Vec<Expression> = Vec::with_capacity(4);
        for (at, end) in ends.into_iter().enumerate() {
            let point = if is_span(at) {
                let start = points[at - 1].clone();
                self.arithmetic(Function::Add, relabel(start, of), end)?
            } else {
                self.coerce(end, of, Coercion::Implicit)?
            };
            points.push(point);
        }
        let plain = of.carrier();
        let points = points.into_iter().map(|point| relabel(point, plain)).collect();
        Ok(call(MomentFunction::Overlaps, points, T::Boolean).at(position))
    }

    /// A cast of an interval to a text, or the other way, in the session's style where that is not the usual one.
    pub(super) fn interval_in_style(
        &mut self,
        value: &Expression,
        to: DataType,
        coercion: Coercion,
    ) -> Result<Option<Expression>> {
        use DataType as T;
        let (from, style) = (value.data_type, self.catalog_style(value.data_type, to));
        if style == IntervalStyle::Postgres || coercion == Coercion::Implicit {
            return Ok(None);
        }
        let is_array = |of: DataType| of.element() == Some(T::Interval);
        Ok(match (from, to) {
            (T::Interval, to) if to.is_text() => {
                let shown = call(MomentFunction::ShowInterval(style), vec![value.clone()], T::Text);
                Some(self.coerce(shown, to, coercion)?)
            }
            (from, T::Interval) if from.is_text() && coercion == Coercion::Explicit => {
                let text = self.coerce(value.clone(), T::Text, Coercion::Implicit)?;
                Some(call(MomentFunction::ReadInterval(style), vec![text], T::Interval))
            }
            (from, to) if is_array(from) && to.is_text() => {
                self.check_interval_style(from, value.position)?;
                None
            }
            (from, to) if from.is_text() && is_array(to) && style == IntervalStyle::SqlStandard => {
                self.check_interval_style(to, value.position)?;
                None
            }
            _ => None,
        })
    }

    /// 0A000 for an array of intervals that is read or written in another style than the usual one.
    pub(super) fn check_interval_style(&self, of: DataType, position: Option<Position>) -> Result<()> {
        if of.element() != Some(DataType::Interval) {
            return Ok(());
        }
        match self.catalog.interval_style() {
            IntervalStyle::Postgres => Ok(()),
            style => {
                let what = format!("an array of intervals while IntervalStyle is {} is", style.name());
                Err(Error::unsupported(what).at(position))
            }
        }
    }

    /// The session's style of intervals, where a cast asks for it.
    fn catalog_style(&self, from: DataType, to: DataType) -> IntervalStyle {
        let is_interval = |of: DataType| of.element().unwrap_or(of) == DataType::Interval;
        let asks = (is_interval(from) && to.is_text()) || (from.is_text() && is_interval(to));
        if asks { self.catalog.interval_style() } else { IntervalStyle::Postgres }
    }

    /// A literal of a date or time that may be `now` or `today`.
    pub(super) fn read_moment(&self, text: &str, to: DataType) -> Result<Value> {
        const CLOCK: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];
        if to.element() == Some(DataType::Interval) && self.catalog.interval_style() == IntervalStyle::SqlStandard {
            self.check_interval_style(to, None)?;
        }
        let lower = text.to_ascii_lowercase();
        let names_time = lower.split(|letter: char| !letter.is_ascii_alphabetic()).any(|word| CLOCK.contains(&word));
        if !names_time || !(is_moment(to)) {
            return evaluate::parse_in(text, to, &self.catalog.time_zone());
        }
        evaluate::parse_now(text, to, &self.catalog.time_zone(), self.catalog.now())
    }
}
