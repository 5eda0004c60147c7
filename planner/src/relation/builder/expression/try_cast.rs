//! TRY_CAST: a cast that gives NULL where it would fail. What it casts may still fail.

use super::fold;
use crate::catalog::Restriction;
use crate::error::{Error, Result};
use crate::function::AttemptFunction;
use crate::relation::builder::Builder;
use crate::relation::effects::effects;
use crate::relation::{Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::Value;

impl Builder<'_> {
    /// `TRY_CAST(value AS type)`.
    ///
    /// # Errors
    /// As [`Builder::cast`]; 0A000 for a cast of which it is not known how it fails.
    pub fn try_cast(
        &mut self,
        value: Expression,
        to: DataType,
        restriction: Option<Restriction>,
    ) -> Result<Expression> {
        let position = value.position;
        let cast = match self.cast(value.clone(), to, restriction) {
            Err(error) if error.kind().fails_cast() && fold::constant(&value).is_some() => {
                return Ok(Expression::constant(Value::Null, to).at(position));
            }
            cast => cast?,
        };
        let attempt = attempt(cast, &value);
        if effects(&attempt).may_fail && !effects(&value).may_fail {
            let what = format!("TRY_CAST from {} to {to} is", value.data_type);
            return Err(Error::unsupported(what).at(position));
        }
        Ok(attempt.at(position))
    }
}

/// A cast of a value with every function between the two that may fail as an attempt.
fn attempt(cast: Expression, value: &Expression) -> Expression {
    if cast == *value {
        return cast;
    }
    let Expression { kind, data_type, position, written } = cast;
    match kind {
        ExpressionKind::Call(function, arguments) => {
            let arguments = arguments.into_iter().map(|argument| attempt(argument, value)).collect();
            fold::call(AttemptFunction::of(function).unwrap_or(function), arguments, data_type).at(position)
        }
        kind => Expression { kind, data_type, position, written },
    }
}
