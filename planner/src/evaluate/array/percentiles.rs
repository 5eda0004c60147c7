//! The values at fractions of an array in order: percentiles whose fractions only rows know.

use super::{Array, Arrays};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::quantile::{Fraction, Place, Quantile};
use crate::evaluate::{evaluate, mismatch};
use crate::function::Function;
use crate::meter;
use crate::types::DataType;
use crate::value::Value;

impl Arrays<'_> {
    /// The array of the values at an array of fractions, NULL for NULL. Of no values it is NULL, whatever the fractions are.
    pub(super) fn percentiles(&self, continuous: bool) -> Result<Value> {
        let values = self.known(0)?.elements;
        if values.is_empty() {
            return Ok(Value::Null);
        }
        let fractions = Array::decode(self.call.text(1)?, DataType::Double);
        let Array { bounds, elements } =
            fractions.ok_or_else(|| Error::internal("fractions are an array of doubles"))?;
        let found = |fraction: &Value| {
            meter::spend(64)?;
            let Value::Float(fraction) = fraction else { return Ok(Value::Null) };
            let known = Fraction::new(*fraction).ok_or_else(|| {
                let message = format!("percentile value {fraction} is not between 0 and 1");
                Error::new(ErrorKind::NumericOverflow, message)
            })?;
            let quantile = if continuous { Quantile::Continuous(known) } else { Quantile::Discrete(known) };
            match quantile.place(values.len()) {
                Some(place) => between(&values, place, self.element),
                None => Ok(Value::Null),
            }
        };
        let elements = elements.iter().map(found).collect::<Result<_>>()?;
        Ok(self.encoded(&Array { bounds, elements }))
    }
}

/// What lies at a place among values in order.
fn between(values: &[Value], place: Place, of: DataType) -> Result<Value> {
    let (low, high) = (&values[place.below], &values[place.above]);
    // Infinities have no way between them.
    if place.below == place.above {
        return Ok(low.clone());
    }
    match (low, high) {
        (Value::Float(low), Value::Float(high)) => Ok(Value::Float(low + (high - low) * place.way)),
        (Value::Int(low), Value::Int(high)) => {
            let step = (high.wrapping_sub(*low) as f64 * place.way).round_ties_even();
            Ok(Value::Int(low.saturating_add(step as i64)))
        }
        (Value::Interval(_), Value::Interval(_)) => {
            let of_intervals = [DataType::Interval; 2];
            let way = evaluate(Function::IntervalSubtract, &[high.clone(), low.clone()], &of_intervals, of)?;
            let types = [DataType::Interval, DataType::Double];
            let step = evaluate(Function::IntervalMultiply, &[way, Value::Float(place.way)], &types, of)?;
            evaluate(Function::IntervalAdd, &[low.clone(), step], &of_intervals, of)
        }
        _ => Err(mismatch(low, of)),
    }
}
