//! Arithmetic of window frames: the key at a distance from another, and the distances that are allowed.
//!
//! Keys are bigints, decimals of 38 digits, numerics or doubles. (Those of times to which intervals are added go by the operators
//! of these.) A sum beyond what a type has is the largest value of the type; keys are of narrower types, so that none is as far.

use super::{Call, mismatch};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{FrameFunction, Function};
use crate::types::DataType;
use crate::value::{Interval, Value};

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    let Function::Frame(function) = call.function else { return Ok(None) };
    if !function.checks() {
        return Ok(None);
    }
    let value = &call.arguments[0];
    let which = if function.is_start() { "starting" } else { "ending" };
    if value.is_null() {
        return Err(Error::new(ErrorKind::NullNotAllowed, format!("frame {which} offset must not be null")));
    }
    let is_time = matches!(function, FrameFunction::StartTime | FrameFunction::EndTime);
    let is_negative = match value {
        Value::Int(value) => *value < 0,
        Value::Decimal(value) => *value < 0,
        Value::Float(value) => value.is_nan() || *value < 0.0,
        Value::Interval(Interval { micros, .. }) if is_time => *micros < 0,
        Value::Interval(interval) => interval.comparable_micros() < 0,
        Value::Numeric(number) => number.signum().is_none_or(|sign| sign < 0),
        other => return Err(mismatch(other, call.types[0])),
    };
    if is_negative {
        let message = match function {
            FrameFunction::StartDistance | FrameFunction::EndDistance => {
                format!("frame {which} offset must not be negative")
            }
            _ => "invalid preceding or following size in window function".to_owned(),
        };
        return Err(Error::new(ErrorKind::InvalidFrameOffset, message));
    }
    Ok(Some(match value {
        Value::Interval(Interval { micros, .. }) if is_time => Value::Int(*micros),
        value => value.clone(),
    }))
}

pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let Function::Frame(function) = call.function else { return Ok(None) };
    if function == FrameFunction::TimeKey {
        return Ok(Some(Value::Int(call.int(0)?)));
    }
    let below = matches!(function, FrameFunction::LowBelow | FrameFunction::HighBelow);
    let low = function.is_low();
    Ok(Some(match (&call.arguments[0], &call.arguments[1]) {
        (Value::Int(key), Value::Int(offset)) => {
            Value::Int(if below { key.saturating_sub(*offset) } else { key.saturating_add(*offset) })
        }
        (Value::Decimal(key), Value::Decimal(offset)) => {
            let (low, high) = call.result.integer_bounds().unwrap_or((i128::MIN, i128::MAX));
            let moved = if below { key.saturating_sub(*offset) } else { key.saturating_add(*offset) };
            Value::Decimal(moved.clamp(low, high))
        }
        (Value::Float(key), Value::Float(offset)) => {
            let moved = if below { key - offset } else { key + offset };
            // From an infinity back by another one is any distance.
            let lost = moved.is_nan() && !key.is_nan();
            Value::Float(match (lost, low) {
                (false, _) => moved,
                (true, true) => f64::NEG_INFINITY,
                (true, false) => f64::INFINITY,
            })
        }
        (Value::Numeric(_), Value::Numeric(_)) => {
            let function = if below { Function::Subtract } else { Function::Add };
            let types = [DataType::Numeric; 2];
            let moved = super::evaluate(function, call.arguments, &types, DataType::Numeric)?;
            let is_nan = |value: &Value| matches!(value, Value::Numeric(number) if number.is_nan());
            if is_nan(&moved) && !is_nan(&call.arguments[0]) {
                let text = if low { "-Infinity" } else { "Infinity" };
                return super::parse(text, DataType::Numeric).map(Some);
            }
            moved
        }
        (other, _) => return Err(mismatch(other, call.types[0])),
    }))
}
