//! Casts that are asked for: CAST, `::`, and `type 'text'`.

use super::coercion::{Coercion, as_decimal, cast};
use super::{fold, literal, type_limits};
use crate::catalog::Restriction;
use crate::error::Result;
use crate::evaluate;
use crate::function::{DatePart, Function};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

impl Builder<'_> {
    /// `CAST(value AS type)`. NUMERIC without digits keeps the value's own. Errors: as [`Builder::coerce`], and 22023 or 42704
    /// for a type that no value can have.
    pub fn cast(&mut self, value: Expression, to: DataType, restriction: Option<Restriction>) -> Result<Expression> {
        type_limits::check(to).map_err(|error| error.at(value.position))?;
        if to == DataType::Numeric && restriction.is_none() {
            if value.data_type.is_exact() || literal::unknown_text(&value).is_some() {
                return literal::as_decimal_literal(value);
            }
            if value.data_type.is_integer() {
                let decimal = as_decimal(value.data_type);
                return Ok(cast(value, decimal, Coercion::Explicit));
            }
        }
        self.coerce_restricted(value, to, restriction, Coercion::Explicit)
    }

    /// `type 'text'`: a literal that says its type. NUMERIC is as many digits as there are.
    pub fn typed_literal(
        &mut self,
        text: Expression,
        to: DataType,
        restriction: Option<Restriction>,
    ) -> Result<Expression> {
        if to == DataType::Numeric && restriction.is_none() {
            return literal::as_decimal_literal(text);
        }
        self.coerce_restricted(text, to, restriction, Coercion::Explicit)
    }

    /// [`Builder::coerce`] to a type whose values lose something.
    pub(crate) fn coerce_restricted(
        &mut self,
        value: Expression,
        to: DataType,
        restriction: Option<Restriction>,
        coercion: Coercion,
    ) -> Result<Expression> {
        let position = value.position;
        let fields = match restriction {
            None => return self.coerce(value, to, coercion),
            Some(Restriction::Seconds(digits)) => {
                let value = self.coerce(value, to, coercion)?;
                return Ok(self.rounded_seconds(value, digits).at(position));
            }
            Some(Restriction::Digits { precision, scale }) => {
                let number = self.coerce(value, DataType::Numeric, coercion)?;
                return Ok(fitted(number, precision.into(), scale.into()).at(position));
            }
            Some(Restriction::Fields(fields)) => fields,
        };
        if let Some(text) = literal::unknown_text(&value) {
            let read = evaluate::parse_interval(text, Some(fields), self.catalog.interval_style());
            let value = read.map_err(|error| error.at(position))?;
            return Ok(Expression::constant(Value::Interval(value), to).at(position));
        }
        let mut value = self.coerce(value, to, coercion)?;
        if fields.last != DatePart::Second {
            value = fold::call(Function::DateTrunc(fields.last), vec![value], to);
        }
        if let Some(digits) = fields.digits {
            value = fold::call(Function::RoundSeconds(digits), vec![value], to);
        }
        Ok(value.at(position))
    }
}

/// A number as NUMERIC of these digits holds it.
pub(super) fn fitted(number: Expression, precision: i64, scale: i64) -> Expression {
    let position = number.position;
    let number = cast(number, DataType::Numeric, Coercion::Explicit);
    let digits = |digits: i64| Expression::constant(Value::Int(digits), DataType::Integer);
    fold::call(Function::FitDigits, vec![number, digits(precision), digits(scale)], DataType::Numeric).at(position)
}
