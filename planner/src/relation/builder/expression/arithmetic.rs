//! Arithmetic: on numbers, and on dates, times and intervals.
//!
//! Types of decimal results, p digits in all and s after the point (an integer counts as decimal(5|10|19,0), an
//! integer literal as a decimal of just its digits):
//!
//! | operator | scale | digits in all |
//! |---|---|---|
//! | `+` `-` `%` | max(s1, s2) | max(p1 - s1, p2 - s2) + scale + 1, at most 38 |
//! | `*` | s1 + s2 | p1 + p2, at most 38 |
//!
//! `/`, whose result has a scale of its own, a product of more than 38 digits behind the point, and whatever has a
//! numeric operand give numeric. So does all that could exceed 38 digits once a statement is bound anew because it
//! has. A decimal with a real or double gives double; real with real gives real; integers give the wider of the two.
//! `^` is numeric where an operand is a decimal or numeric and none a float, else double.

use super::coercion::{Coercion, as_decimal, cast, castable, operand_type, rescaled};
use super::operator::{ambiguous_operator, no_operator};
use super::{exact, fold, literal};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};

/// One reading of an operator on dates, times and intervals.
struct TemporalOperator {
    operator: Function,
    left: DataType,
    right: DataType,
    function: Function,
    result: DataType,
}

const fn temporal(
    operator: Function,
    left: DataType,
    right: DataType,
    function: Function,
    result: DataType,
) -> TemporalOperator {
    TemporalOperator { operator, left, right, function, result }
}

/// The first reading whose operand types fit exactly is taken, else the first that implicit casts reach.
/// `swap` in the function's place is not needed: what commutes is listed from its other side below.
const TEMPORAL_OPERATORS: &[TemporalOperator] = {
    use DataType::{Date, Double, Integer, Interval, Time, Timestamp};
    use Function as F;
    &[
        temporal(F::Add, Date, Integer, F::DateAddDays, Date),
        temporal(F::Add, Date, Interval, F::AddInterval, Timestamp),
        temporal(F::Add, Date, Time, F::DateTimeCombine, Timestamp),
        temporal(F::Add, Timestamp, Interval, F::AddInterval, Timestamp),
        temporal(F::Add, Time, Interval, F::TimeAddInterval, Time),
        temporal(F::Add, Interval, Interval, F::IntervalAdd, Interval),
        temporal(F::Subtract, Date, Date, F::DateDifference, Integer),
        temporal(F::Subtract, Date, Integer, F::DateSubtractDays, Date),
        temporal(F::Subtract, Date, Interval, F::SubtractInterval, Timestamp),
        temporal(F::Subtract, Timestamp, Timestamp, F::TimestampDifference, Interval),
        temporal(F::Subtract, Timestamp, Interval, F::SubtractInterval, Timestamp),
        temporal(F::Subtract, Time, Time, F::TimeDifference, Interval),
        temporal(F::Subtract, Time, Interval, F::TimeSubtractInterval, Time),
        temporal(F::Subtract, Interval, Interval, F::IntervalSubtract, Interval),
        temporal(F::Multiply, Interval, Double, F::IntervalMultiply, Interval),
        temporal(F::Divide, Interval, Double, F::IntervalDivide, Interval),
    ]
};

/// How the operator is written.
pub(super) fn spelling(operator: Function) -> &'static str {
    match operator {
        Function::Add => "+",
        Function::Subtract => "-",
        Function::Multiply => "*",
        Function::Divide => "/",
        _ => "%",
    }
}

impl Builder<'_> {
    /// `+`, `-`, `*`, `/` or `%`, given as the function on numbers.
    pub(super) fn arithmetic(&mut self, operator: Function, left: Expression, right: Expression) -> Result<Expression> {
        let (left, right) = self.known_operands(operator, left, right)?;
        let (l, r) = (left.data_type, right.data_type);
        if l.is_numeric() && r.is_numeric() {
            return if l.is_float() || r.is_float() {
                self.float_arithmetic(operator, left, right)
            } else if l.is_exact() || r.is_exact() {
                self.exact_arithmetic(operator, left, right)
            } else {
                let common = l.max(r);
                let arguments = vec![cast(left, common, Coercion::Implicit), cast(right, common, Coercion::Implicit)];
                Ok(fold::call(operator, arguments, common))
            };
        }
        self.temporal_arithmetic(operator, left, right)
    }

    /// Gives an operand of unknown type the type that PostgreSQL gives it.
    fn known_operands(
        &mut self,
        operator: Function,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression)> {
        let (l, r) = (left.data_type, right.data_type);
        if l != DataType::Null && r != DataType::Null {
            return Ok((left, right));
        }
        let known = if l == DataType::Null { r } else { l };
        let wanted = match (operator, known) {
            (_, DataType::Null) => None,
            (Function::Add, DataType::Date | DataType::Time) => None,
            (Function::Add, DataType::Timestamp | DataType::TimestampTz) => Some(DataType::Interval),
            (Function::Multiply | Function::Divide, DataType::Interval) => Some(DataType::Double),
            (_, DataType::Date | DataType::Time | DataType::Timestamp | DataType::TimestampTz | DataType::Interval) => {
                Some(known)
            }
            (_, known) if known.is_numeric() => Some(known),
            _ => return Err(no_operator(spelling(operator), l, r, left.position)),
        };
        let Some(wanted) = wanted else {
            return Err(ambiguous_operator(spelling(operator), l, r, left.position));
        };
        let give = |binder: &mut Self, operand: Expression| {
            let operand = if wanted.is_exact() { literal::as_decimal_literal(operand)? } else { operand };
            if operand.data_type == DataType::Null {
                let wanted = operand_type(&operand, wanted);
                binder.coerce(operand, wanted, Coercion::Implicit)
            } else {
                Ok(operand)
            }
        };
        Ok(if l == DataType::Null { (give(self, left)?, right) } else { (left, give(self, right)?) })
    }

    fn float_arithmetic(&mut self, operator: Function, left: Expression, right: Expression) -> Result<Expression> {
        let (l, r) = (left.data_type, right.data_type);
        if operator == Function::Modulo {
            return Err(no_operator("%", l, r, left.position));
        }
        let common = if l == r { l } else { DataType::Double };
        let arguments = vec![cast(left, common, Coercion::Implicit), cast(right, common, Coercion::Implicit)];
        Ok(fold::call(operator, arguments, common))
    }

    fn exact_arithmetic(&mut self, operator: Function, left: Expression, right: Expression) -> Result<Expression> {
        let left = literal::as_decimal_literal(left)?;
        let right = literal::as_decimal_literal(right)?;
        let (l, r) = (as_decimal(left.data_type), as_decimal(right.data_type));
        let (DataType::Decimal { precision: p1, scale: s1 }, DataType::Decimal { precision: p2, scale: s2 }) = (l, r)
        else {
            return self.numeric_call(operator, vec![left, right]);
        };
        let (digits, scale) = match operator {
            Function::Multiply => (p1 + p2, s1 + s2),
            Function::Divide => return self.numeric_call(operator, vec![left, right]),
            _ => {
                let scale = s1.max(s2);
                ((p1 - s1).max(p2 - s2) + scale + 1, scale)
            }
        };
        if scale > DECIMAL_DIGITS_MAX || (self.wide_numerics && digits > DECIMAL_DIGITS_MAX) {
            return self.numeric_call(operator, vec![left, right]);
        }
        let result = DataType::decimal(digits.min(DECIMAL_DIGITS_MAX), scale);
        let arguments = if operator == Function::Multiply {
            vec![cast(left, l, Coercion::Implicit), cast(right, r, Coercion::Implicit)]
        } else {
            vec![to_scale(left, scale), to_scale(right, scale)]
        };
        let folded = fold::call(operator, arguments.clone(), result);
        if fold::constant(&folded).is_none() && arguments.iter().all(|argument| fold::constant(argument).is_some()) {
            // Constants whose digits are too many, or a division by zero.
            return self.numeric_call(operator, arguments);
        }
        Ok(folded)
    }

    fn temporal_arithmetic(&mut self, operator: Function, left: Expression, right: Expression) -> Result<Expression> {
        let (l, r) = (left.data_type, right.data_type);
        let is_span = |of| matches!(of, DataType::Interval | DataType::Time);
        match (operator, l, r) {
            (Function::Add, DataType::Date, DataType::TimeTz) => return Ok(self.on_day(left, right)),
            (Function::Add, DataType::TimeTz, DataType::Date) => return Ok(self.on_day(right, left)),
            (Function::Add, DataType::TimeTz, r) if is_span(r) => {
                return self.move_time_with_zone(Function::TimeAddInterval, left, right);
            }
            (Function::Add, l, DataType::TimeTz) if is_span(l) => {
                return self.move_time_with_zone(Function::TimeAddInterval, right, left);
            }
            (Function::Subtract, DataType::TimeTz, r) if is_span(r) => {
                return self.move_time_with_zone(Function::TimeSubtractInterval, left, right);
            }
            _ => {}
        }
        if l == DataType::TimestampTz || r == DataType::TimestampTz {
            return self.zoned_arithmetic(operator, left, right);
        }
        let mut candidates = vec![(l, r, false)];
        if matches!(operator, Function::Add | Function::Multiply) {
            candidates.push((r, l, true));
        }
        for implicit in [false, true] {
            let fits =
                |from: DataType, to: DataType| from == to || (implicit && castable(from, to, Coercion::Implicit));
            for &(first, second, swapped) in &candidates {
                let Some(found) = TEMPORAL_OPERATORS.iter().find(|candidate| {
                    candidate.operator == operator && fits(first, candidate.left) && fits(second, candidate.right)
                }) else {
                    continue;
                };
                let (first, second) = if swapped { (right, left) } else { (left, right) };
                let first = self.coerce(first, found.left, Coercion::Implicit)?;
                let second = self.coerce(second, found.right, Coercion::Implicit)?;
                return Ok(fold::call(found.function, vec![first, second], found.result));
            }
        }
        Err(no_operator(spelling(operator), l, r, left.position))
    }

    /// `-a`.
    pub(super) fn negate(&mut self, operand: Expression) -> Result<Expression> {
        let data_type = operand.data_type;
        let function = match data_type {
            vector if vector.is_vector() => return self.negate_vector(operand),
            DataType::Interval => Function::IntervalNegate,
            data_type if data_type.is_numeric() => Function::Negate,
            DataType::Null => {
                let error = Error::new(ErrorKind::AmbiguousFunction, "operator is not unique: - unknown");
                return Err(error.at(operand.position));
            }
            _ => return Err(no_unary("-", &operand)),
        };
        Ok(fold::call(function, vec![operand], data_type))
    }

    /// `+a`; of unknown type, a is a double, PostgreSQL's preferred number.
    pub(super) fn unary_plus(&mut self, operand: Expression) -> Result<Expression> {
        let operand = if operand.data_type == DataType::Null {
            self.coerce(operand, DataType::Double, Coercion::Implicit)?
        } else {
            operand
        };
        let is_signed = operand.data_type.is_numeric() || operand.data_type.is_vector();
        if is_signed { Ok(operand) } else { Err(no_unary("+", &operand)) }
    }

    /// `~a`.
    pub(super) fn bitwise_not(&mut self, operand: Expression) -> Result<Expression> {
        let data_type = operand.data_type;
        if data_type.is_bits() {
            return Ok(self.bits_not(operand));
        }
        if !data_type.is_integer() {
            return Err(no_unary("~", &operand));
        }
        Ok(fold::call(Function::BitNot, vec![operand], data_type))
    }

    /// `a ^ b`.
    pub(super) fn power(&mut self, left: Expression, right: Expression) -> Result<Expression> {
        let (l, r) = (left.data_type, right.data_type);
        let number = |data_type: DataType| data_type.is_numeric() || data_type == DataType::Null;
        if !number(l) || !number(r) {
            return Err(no_operator("^", l, r, left.position));
        }
        if exact::are_exact(&[l, r]) {
            return self.numeric_call(Function::Power, vec![left, right]);
        }
        let arguments = vec![
            self.coerce(left, DataType::Double, Coercion::Implicit)?,
            self.coerce(right, DataType::Double, Coercion::Implicit)?,
        ];
        Ok(fold::call(Function::Power, arguments, DataType::Double))
    }

    /// `&`, `|` or `#`.
    pub(super) fn bitwise(
        &mut self,
        function: Function,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        if let Some(bits) = self.combine_bits(function, &left, &right)? {
            return Ok(bits);
        }
        let (l, r) = (left.data_type, right.data_type);
        let common = match (l, r) {
            (DataType::Null, DataType::Null) => return Err(ambiguous_operator(spelling, l, r, left.position)),
            (DataType::Null, known) | (known, DataType::Null) => known,
            (l, r) => l.max(r),
        };
        let fits = |data_type: DataType| data_type.is_integer() || data_type == DataType::Null;
        if !fits(l) || !fits(r) {
            return Err(no_operator(spelling, l, r, left.position));
        }
        let left = self.coerce(left, common, Coercion::Implicit)?;
        let right = self.coerce(right, common, Coercion::Implicit)?;
        Ok(fold::call(function, vec![left, right], common))
    }

    /// `<<` or `>>`: the result has the left operand's type, the right is an integer.
    pub(super) fn shift(
        &mut self,
        function: Function,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        let (l, r) = (left.data_type, right.data_type);
        if l.is_bits() {
            return self.shift_bits(function, left, right);
        }
        if l == DataType::Null && r == DataType::Null {
            return Err(ambiguous_operator(spelling, l, r, left.position));
        }
        let left = if l == DataType::Null { self.coerce(left, DataType::Integer, Coercion::Implicit)? } else { left };
        let l = left.data_type;
        let fits_right = matches!(r, DataType::Null | DataType::SmallInt | DataType::Integer);
        if !l.is_integer() || !fits_right {
            return Err(no_operator(spelling, l, r, left.position));
        }
        let right = self.coerce(right, DataType::Integer, Coercion::Implicit)?;
        Ok(fold::call(function, vec![left, right], l))
    }
}

/// A decimal with at least so many digits after the point; one that has them already is left as it is.
pub(super) fn to_scale(operand: Expression, scale: u8) -> Expression {
    if operand.data_type.is_decimal() && operand.data_type.scale() == scale {
        return operand;
    }
    let data_type = rescaled(operand.data_type, scale);
    cast(operand, data_type, Coercion::Implicit)
}

fn no_unary(spelling: &str, operand: &Expression) -> Error {
    Error::new(ErrorKind::UnknownFunction, format!("operator does not exist: {spelling} {}", operand.data_type))
        .at(operand.position)
        .with_hint("No operator matches the given argument type. You might need to add an explicit type cast.")
}
