//! Frames of windows: their bounds as numbers that are known, or as arguments.
//!
//! A distance of ROWS or GROUPS is a bigint: a number that is known and not negative is part of the frame, any other one is an
//! argument, checked for each row. A distance of RANGE goes with the order's only key, which is the frame's first argument, in a
//! type that has room for sums; the bound is the key so far below or above (`function/frame.rs`):
//!
//! | key | its type in the frame | offset |
//! |---|---|---|
//! | smallint, integer | bigint | bigint |
//! | bigint | decimal(38, 0) | the same |
//! | decimal, numeric | numeric | numeric |
//! | real, double | double | double |
//! | date, timestamp | timestamp | interval |
//! | timestamptz, interval | the same | interval |
//! | time | bigint, microseconds | interval, of which the time counts |

use super::{Builder, Coercion, Operator};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{FrameFunction, Function};
use crate::relation::{Expression, ExpressionKind, SortKey};
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;
use crate::window::{Exclude, Frame, FrameBound, FrameUnit};

/// A frame as it is written.
#[derive(Clone, Debug)]
pub struct FrameSpec {
    /// What is counted.
    pub unit: FrameUnit,
    /// Where it begins.
    pub start: BoundSpec,
    /// Where it ends.
    pub end: BoundSpec,
    /// What is left out.
    pub exclude: Exclude,
}

/// A bound as it is written.
#[derive(Clone, Debug)]
pub enum BoundSpec {
    /// UNBOUNDED PRECEDING.
    First,
    /// PRECEDING at a distance, which stands at a position.
    Before(Expression, Option<Position>),
    /// CURRENT ROW.
    Current,
    /// FOLLOWING at a distance.
    Behind(Expression, Option<Position>),
    /// UNBOUNDED FOLLOWING.
    Last,
}

/// A frame and its arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Framed {
    pub(super) frame: Frame,
    pub(super) bounds: Vec<Expression>,
}

impl Builder<'_> {
    /// A frame of rows in an order.
    ///
    /// # Errors
    /// 42P20 for a frame that cannot be, 0A000 for keys at which there is no distance.
    pub(super) fn framed(&mut self, spec: FrameSpec, order: &[SortKey]) -> Result<Framed> {
        let FrameSpec { unit, start, end, exclude } = spec;
        check(unit, &start, &end, order)?;
        let mut bounds = Vec::new();
        let start = self.bound((unit, true), start, order, &mut bounds)?;
        let end = self.bound((unit, false), end, order, &mut bounds)?;
        Ok(Framed { frame: Frame { exclude, ..Frame::of(unit, start, end) }, bounds })
    }

    fn bound(
        &mut self,
        (unit, is_start): (FrameUnit, bool),
        bound: BoundSpec,
        order: &[SortKey],
        bounds: &mut Vec<Expression>,
    ) -> Result<FrameBound> {
        let (distance, position, before) = match bound {
            BoundSpec::First => return Ok(FrameBound::First),
            BoundSpec::Current => return Ok(FrameBound::Current),
            BoundSpec::Last => return Ok(FrameBound::Last),
            BoundSpec::Before(distance, position) => (distance, position, true),
            BoundSpec::Behind(distance, position) => (distance, position, false),
        };
        let number = |bounds: &[Expression]| u8::try_from(bounds.len() - 1).unwrap_or(u8::MAX);
        if unit == FrameUnit::Range {
            let [key] = order else {
                let message = "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
                return Err(error(message).at(position));
            };
            let (key, bound) = self.range_bound(key, distance, (is_start, before), position)?;
            if bounds.is_empty() {
                bounds.push(key);
            }
            bounds.push(bound);
            return Ok(FrameBound::Key(number(bounds)));
        }
        let distance =
            self.coerce(distance, DataType::BigInt, Coercion::Assignment).map_err(|error| error.at(position))?;
        if let ExpressionKind::Constant(Value::Int(rows @ 0..)) = &distance.kind {
            let rows = rows.unsigned_abs();
            return Ok(if before { FrameBound::Before(rows) } else { FrameBound::Behind(rows) });
        }
        let function = if is_start { FrameFunction::StartDistance } else { FrameFunction::EndDistance };
        bounds.push(Expression::call(Function::Frame(function), vec![distance], DataType::BigInt).at(position));
        let number = number(bounds);
        Ok(if before { FrameBound::BeforeArgument(number) } else { FrameBound::BehindArgument(number) })
    }

    /// The key in a type that has room for sums, and the bound at a distance from it.
    fn range_bound(
        &mut self,
        key: &SortKey,
        distance: Expression,
        (is_start, before): (bool, bool),
        position: Option<Position>,
    ) -> Result<(Expression, Expression)> {
        use DataType as T;
        let SortKey { expression: key, order } = key;
        let (is_low, below) = (is_start != order.descending, before != order.descending);
        let of = key.data_type;
        let (as_written, key_type, offset_type) = match of {
            T::SmallInt | T::Integer => (of, T::BigInt, T::BigInt),
            T::BigInt => (of, T::decimal(DECIMAL_DIGITS_MAX, 0), T::decimal(DECIMAL_DIGITS_MAX, 0)),
            T::Decimal { .. } | T::Numeric => (T::Numeric, T::Numeric, T::Numeric),
            T::Real | T::Double => (T::Double, T::Double, T::Double),
            T::Date | T::Timestamp => (T::Interval, T::Timestamp, T::Interval),
            T::TimestampTz | T::Interval => (T::Interval, of, T::Interval),
            T::Time => (T::Interval, T::BigInt, T::Interval),
            _ => {
                let message = format!("RANGE with offset PRECEDING/FOLLOWING is not supported for column type {of}");
                return Err(Error::new(ErrorKind::Unsupported, message).at(position));
            }
        };
        let is_known = distance.data_type != T::Null;
        let fits = match of {
            _ if !is_known => true,
            T::SmallInt | T::Integer | T::BigInt => distance.data_type.is_integer(),
            T::Decimal { .. } | T::Numeric => distance.data_type.is_numeric() && !distance.data_type.is_float(),
            T::Real | T::Double => distance.data_type.is_numeric(),
            _ => distance.data_type == T::Interval,
        };
        if !fits {
            let message = format!(
                "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {of} and offset type {}",
                distance.data_type
            );
            let error = Error::new(ErrorKind::Unsupported, message).at(position);
            return Err(error.with_hint("Cast the offset value to an appropriate type."));
        }
        let mut offset = distance;
        for data_type in if is_known { vec![offset_type] } else { vec![as_written, offset_type] } {
            offset = self.coerce(offset, data_type, Coercion::Explicit).map_err(|error| error.at(position))?;
        }
        let call = |function: FrameFunction, arguments: Vec<Expression>, to: DataType| {
            Expression::call(Function::Frame(function), arguments, to).at(position)
        };
        let pick = |of_start, of_end| if is_start { of_start } else { of_end };
        if of == T::Time {
            let offset = call(pick(FrameFunction::StartTime, FrameFunction::EndTime), vec![offset], T::BigInt);
            let key = call(FrameFunction::TimeKey, vec![key.clone()], T::BigInt);
            let bound = call(moved(is_low, below), vec![key.clone(), offset], T::BigInt);
            return Ok((key, bound));
        }
        let offset = call(pick(FrameFunction::StartOffset, FrameFunction::EndOffset), vec![offset], offset_type);
        let key = self.coerce(key.clone(), key_type, Coercion::Explicit)?;
        let bound = if offset_type == T::Interval {
            self.operator(if below { Operator::Subtract } else { Operator::Add }, key.clone(), offset)?.at(position)
        } else {
            call(moved(is_low, below), vec![key.clone(), offset], key_type)
        };
        Ok((key, bound))
    }
}

/// The function that goes so far below or above.
fn moved(is_low: bool, below: bool) -> FrameFunction {
    match (is_low, below) {
        (true, true) => FrameFunction::LowBelow,
        (false, true) => FrameFunction::HighBelow,
        (true, false) => FrameFunction::LowAbove,
        (false, false) => FrameFunction::HighAbove,
    }
}

fn check(unit: FrameUnit, start: &BoundSpec, end: &BoundSpec, order: &[SortKey]) -> Result<()> {
    use BoundSpec::{Before, Behind, Current, First, Last};
    let message = match (start, end) {
        (Last, _) => "frame start cannot be UNBOUNDED FOLLOWING",
        (_, First) => "frame end cannot be UNBOUNDED PRECEDING",
        (Current, Before(..)) => "frame starting from current row cannot have preceding rows",
        (Behind(..), Current | Before(..)) => "frame starting from following row cannot have preceding rows",
        _ if unit == FrameUnit::Groups && order.is_empty() => "GROUPS mode requires an ORDER BY clause",
        _ => return Ok(()),
    };
    Err(error(message))
}

/// An error (42P20) about a window.
pub(super) fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Windowing, message)
}
