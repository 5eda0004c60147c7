//! Intervals of so many units: `interval (n) day`.

use super::coercion::Coercion;
use super::fold;
use crate::error::{Position, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

/// Arguments of make_interval: years, months, weeks, days, hours, minutes, seconds.
const PARTS: usize = 7;

impl Builder<'_> {
    /// The interval of `count` units, of which each is `factor` of the argument `place` of make_interval. Whole units only, but of
    /// seconds.
    ///
    /// # Errors
    /// 42804 for a count that is no number.
    pub fn interval_of(
        &mut self,
        count: Expression,
        place: usize,
        factor: f64,
        position: Option<Position>,
    ) -> Result<Expression> {
        let is_seconds = place + 1 == PARTS;
        let double = self.coerce(count, DataType::Double, Coercion::Implicit)?;
        let whole = if is_seconds { double } else { self.call_by_name("trunc", vec![double], position)? };
        let amount = if (factor - 1.0).abs() < f64::EPSILON {
            whole
        } else {
            let (function, factor) =
                if factor < 1.0 { (Function::Divide, 1.0 / factor) } else { (Function::Multiply, factor) };
            let factor = Expression::constant(Value::Float(factor.round()), DataType::Double);
            fold::call(function, vec![whole, factor], DataType::Double)
        };
        let amount = if is_seconds { amount } else { self.coerce(amount, DataType::Integer, Coercion::Assignment)? };
        let nothing = Expression::constant(Value::Int(0), DataType::Integer);
        let mut arguments = vec![nothing; PARTS - 1];
        arguments.push(Expression::constant(Value::Float(0.0), DataType::Double));
        arguments[place] = amount;
        Ok(fold::call(Function::MakeInterval, arguments, DataType::Interval).at(position))
    }
}
