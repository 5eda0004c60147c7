//! Which type goes where: PostgreSQL's casts, and the common type of several expressions.
//!
//! A string in quotes, a NULL and a parameter are of unknown type ([`DataType::Null`]) until they meet an operator,
//! a function or a column; then they take the type that is needed there, and the text of a literal is read as
//! that type at once, so that an error points at it. What meets nothing becomes text.
//!
//! A `$n` takes the type of the first place that decides; every later use is of that type.

use super::cast::fitted;
use super::logical::cast_context;
use super::{blanks, fold, literal, structure};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate;
use crate::function::Function;
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use crate::value::Value;

/// What asks for a cast; each allows the casts of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coercion {
    /// An operator or function: only casts that keep the value.
    Implicit,
    /// INSERT: also casts that may fail, and everything to text. A string too long is an error.
    Assignment,
    /// CAST and `::`.
    Explicit,
}

/// Whether there is a cast from one type to another, as in PostgreSQL's `pg_cast`.
pub(super) fn castable(from: DataType, to: DataType, coercion: Coercion) -> bool {
    use DataType as T;
    if from == to || from == T::Null || (from.is_text() && to.is_text()) {
        return true;
    }
    if from.is_logical() || to.is_logical() {
        return cast_context(from, to).is_some_and(|needed| needed <= coercion);
    }
    let needed = match (from, to) {
        (_, to) if to.is_text() => Coercion::Assignment,
        (from, _) if from.is_text() => Coercion::Explicit,
        (from, to) if from.is_numeric() && to.is_numeric() => {
            if numeric_rank(from) <= numeric_rank(to) {
                Coercion::Implicit
            } else {
                Coercion::Assignment
            }
        }
        (T::Boolean, T::Integer) | (T::Integer, T::Boolean) => Coercion::Explicit,
        (T::Nested(_), T::Nested(_)) => match (from.vector_of(), to.vector_of()) {
            (Some((T::Real, length)), Some((T::Double, other))) if length == other => Coercion::Implicit,
            (Some((T::Double, length)), Some((T::Real, other))) if length == other => Coercion::Assignment,
            _ => return false,
        },
        (T::Date, T::Timestamp) | (T::Time, T::Interval) => Coercion::Implicit,
        (T::Timestamp, T::Date | T::Time) | (T::Interval, T::Time) => Coercion::Assignment,
        _ => return false,
    };
    needed <= coercion
}

/// Numbers are cast implicitly only from a lower rank to a higher.
fn numeric_rank(data_type: DataType) -> u8 {
    match data_type {
        DataType::SmallInt => 0,
        DataType::Integer => 1,
        DataType::BigInt => 2,
        DataType::Decimal { .. } | DataType::Numeric => 3,
        DataType::Real => 4,
        _ => 5,
    }
}

/// The decimal type that holds every value of an integer or decimal type.
pub(super) fn as_decimal(data_type: DataType) -> DataType {
    match data_type {
        DataType::SmallInt => DataType::decimal(5, 0),
        DataType::Integer => DataType::decimal(10, 0),
        DataType::BigInt => DataType::decimal(19, 0),
        other => other,
    }
}

/// The decimal type with a larger scale and as many digits before the point, if 38 digits allow.
pub(super) fn rescaled(data_type: DataType, scale: u8) -> DataType {
    match as_decimal(data_type) {
        DataType::Decimal { precision, scale: old } => {
            let digits = precision.saturating_sub(old).saturating_add(scale);
            DataType::decimal(digits.clamp(scale.max(1), DECIMAL_DIGITS_MAX), scale)
        }
        other => other,
    }
}

/// The type that values of all these types take in a CASE, a UNION or the like, by PostgreSQL's rule; `construct` names it in the
/// error ("CASE types integer and text cannot be matched"). Unknown types take the others'; if all are unknown, text. The first
/// kind of string is the common one, without a length if the lengths differ or a literal, which may be longer, is among them.
/// Decimals of one scale get the most digits that any has; of different scales they are numeric.
pub(crate) fn unify_types(types: &[DataType], construct: &str) -> Result<DataType> {
    let mut common = DataType::Null;
    for &next in types {
        common = unify_two(common, next).ok_or_else(|| {
            if let (Some((_, length)), Some((_, other))) = (common.vector_of(), next.vector_of()) {
                let message = format!("different vector dimensions {length} and {other}");
                return Error::new(ErrorKind::VectorLength, message);
            }
            if common.category() == next.category() {
                let message = format!("{construct} could not convert type {next} to {common}");
                return Error::new(ErrorKind::CannotCast, message);
            }
            let message = format!("{construct} types {common} and {next} cannot be matched");
            Error::new(ErrorKind::TypeMismatch, message)
        })?;
    }
    let unknown = types.contains(&DataType::Null);
    Ok(match common {
        DataType::Null => DataType::Text,
        text if unknown && text.is_text() => without_length(text),
        bits if unknown => bits.of_any_length(),
        other => other,
    })
}

/// The types of expressions that are to have one. Among others a NULL has their type: it is shorter than any string. A parameter
/// among decimals is a numeric, whose digits nobody knows.
pub(crate) fn types_to_unify<'e>(expressions: impl Iterator<Item = &'e Expression> + Clone) -> Vec<DataType> {
    let types = || expressions.clone().map(|expression| expression.data_type);
    let known = types().find(|data_type| *data_type != DataType::Null).unwrap_or(DataType::Null);
    let parameter = if types().any(DataType::is_decimal) { DataType::Numeric } else { DataType::Null };
    let unified = |expression: &Expression| match &expression.kind {
        ExpressionKind::Constant(Value::Null) if expression.data_type == DataType::Null => known,
        ExpressionKind::Parameter(_) if expression.data_type == DataType::Null => parameter,
        _ => expression.data_type,
    };
    expressions.map(unified).collect()
}

/// The type that an operator gives its operand of unknown type beside one of a known type: texts are one type to operators, and
/// what is no NULL has a scale of its own beside a decimal.
pub(super) fn operand_type(operand: &Expression, known: DataType) -> DataType {
    match (known, &operand.kind) {
        (DataType::Char(_), ExpressionKind::Parameter(_)) => DataType::BPCHAR,
        (known, _) if known.is_text() => DataType::Text,
        (known, ExpressionKind::Constant(Value::Null)) => known.of_any_length(),
        (known, _) => element_type(known),
    }
}

/// The type of what stands beside a value of this type, or is an element of an array beside it, whatever its digits and bits.
pub(super) fn element_type(of: DataType) -> DataType {
    if of.element().unwrap_or(of).is_text() { of } else { of.without_modifiers() }
}

/// A string type of any length.
fn without_length(data_type: DataType) -> DataType {
    match data_type {
        DataType::Varchar(_) => DataType::VARCHAR,
        DataType::Char(_) => DataType::BPCHAR,
        other => other,
    }
}

fn unify_two(a: DataType, b: DataType) -> Option<DataType> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (DataType::Null, other) | (other, DataType::Null) => Some(other),
        (a, b) if is_vector_beside_array(a, b) => unify_arrays(a.vector_as_array(), b.vector_as_array()),
        (a, b) if a.category() != b.category() => None,
        // Text is what PostgreSQL likes best of all strings; of any other and a name it takes the name.
        (DataType::Text, DataType::Name) => Some(DataType::Text),
        (DataType::Name, text) | (text, DataType::Name) if text.is_text() => Some(DataType::Name),
        (a, b) if a.element().is_some() && b.element().is_some() => unify_arrays(a, b),
        (a, b) if a.struct_fields().is_some() || b.struct_fields().is_some() => {
            let common = structure::unify_structs(a, b, unify_two)?;
            let casts = |of| castable(of, common, Coercion::Implicit);
            (casts(a) && casts(b)).then_some(common)
        }
        (a, b) if a.is_text() && b.is_text() => Some(without_length(a)),
        (a, b) if a.is_bits() && b.is_bits() => Some(a.of_any_length()),
        (a, b) if (a.is_exact() || b.is_exact()) && !a.is_float() && !b.is_float() => Some(common_exact(a, b)),
        (a, b) if castable(a, b, Coercion::Implicit) => Some(b),
        (a, b) if castable(b, a, Coercion::Implicit) => Some(a),
        _ => None,
    }
}

/// Whether one is a vector and the other an array: what they have in common is an array.
fn is_vector_beside_array(a: DataType, b: DataType) -> bool {
    (a.is_vector() && b.element().is_some()) || (a.element().is_some() && b.is_vector())
}

/// Arrays have a common type where their elements have one that both are cast to implicitly.
fn unify_arrays(a: DataType, b: DataType) -> Option<DataType> {
    let (a, b) = (a.element()?, b.element()?);
    let common = unify_two(a, b)?;
    let casts = castable(a, common, Coercion::Implicit) && castable(b, common, Coercion::Implicit);
    casts.then(|| DataType::list(common))
}

/// Decimals of one scale are one decimal type; values of different scales keep theirs, as numerics.
fn common_exact(a: DataType, b: DataType) -> DataType {
    match (as_decimal(a), as_decimal(b)) {
        (
            DataType::Decimal { precision: a_digits, scale: a_scale },
            DataType::Decimal { precision: b_digits, scale: b_scale },
        ) if a_scale == b_scale => DataType::decimal(a_digits.max(b_digits), a_scale),
        _ => DataType::Numeric,
    }
}

impl Builder<'_> {
    /// The expression as a value of another type: read as it if it is a literal of unknown type, cast if PostgreSQL
    /// has such a cast for this context. Literals stay literals.
    ///
    /// Errors: 42846 or, but for an explicit cast, 42804 where there is no cast; whatever reading a literal may raise.
    pub fn coerce(&mut self, expression: Expression, to: DataType, coercion: Coercion) -> Result<Expression> {
        let position = expression.position;
        let from = expression.data_type;
        if from == to || to == DataType::Null {
            return Ok(expression);
        }
        if from == DataType::Null {
            match &expression.kind {
                ExpressionKind::Constant(Value::Text(text)) => {
                    let text = text.clone();
                    if let Some(value) = self.kept_literal(&text, to, position)? {
                        return Ok(Expression::constant(value, to).at(position));
                    }
                    if to.of_any_length() != to {
                        return self.read_bits(&text, to, coercion, position);
                    }
                    if to.is_logical() {
                        let value = self.read_logical(&text, to).map_err(|error| error.at(position))?;
                        return Ok(Expression::constant(value, to).at(position));
                    }
                    return read_literal(&text, to, coercion, position);
                }
                ExpressionKind::Constant(_) => return Ok(Expression::constant(Value::Null, to).at(position)),
                ExpressionKind::Parameter(index) => {
                    let parameter = self.type_parameter(*index, to).at(position);
                    return self.coerce(parameter, to, coercion);
                }
                _ => {}
            }
        }
        check_lengths(from, to).map_err(|error| error.at(position))?;
        if let Some(styled) = self.interval_in_style(&expression, to, coercion)? {
            return Ok(styled);
        }
        if !castable(from, to, coercion) {
            let (kind, message) = match coercion {
                Coercion::Explicit => (ErrorKind::CannotCast, format!("cannot cast type {from} to {to}")),
                Coercion::Implicit | Coercion::Assignment => {
                    (ErrorKind::TypeMismatch, format!("a value of type {to} is expected, not one of type {from}"))
                }
            };
            return Err(Error::new(kind, message).at(position));
        }
        if from.is_logical() || to.is_logical() {
            return self.cast_logical(expression, to, coercion);
        }
        // What may be NaN stays one that may be.
        let may_be_nan = from.is_float() || from == DataType::Numeric || from.is_text();
        if let (DataType::Decimal { precision, scale }, Coercion::Explicit, true) = (to, coercion, self.wide_numerics)
            && may_be_nan
        {
            return Ok(fitted(expression, precision.into(), scale.into()));
        }
        Ok(cast(expression, to, coercion))
    }

    /// A condition: `what` names it in "argument of WHERE must be type boolean, not type integer".
    pub fn coerce_condition(&mut self, expression: Expression, what: &str) -> Result<Expression> {
        if matches!(expression.data_type, DataType::Boolean | DataType::Null) {
            return self.coerce(expression, DataType::Boolean, Coercion::Implicit);
        }
        let message = format!("argument of {what} must be type boolean, not type {}", expression.data_type);
        Err(Error::new(ErrorKind::TypeMismatch, message).at(expression.position))
    }

    /// What is still of unknown type becomes text.
    pub fn settle(&mut self, expression: Expression) -> Result<Expression> {
        if expression.data_type == DataType::Null {
            let written = expression.written;
            let settled = self.coerce(expression, DataType::Text, Coercion::Implicit)?;
            return Ok(Self::with_form(settled, written));
        }
        if expression.data_type.has_unknown() {
            let written = expression.written;
            let settled = self.settle_parts(expression)?;
            return Ok(Self::with_form(settled, written));
        }
        Ok(expression)
    }

    /// As [`Builder::settle`], where a value of any type may stand.
    ///
    /// Errors: 42P18 for a parameter of a statement that is prepared, whose type nothing says.
    pub(super) fn settle_any(&mut self, expression: Expression) -> Result<Expression> {
        if let (ExpressionKind::Parameter(index), DataType::Null) = (&expression.kind, expression.data_type)
            && self.catalog.is_preparing()
        {
            return Err(undetermined(*index as usize).at(expression.position));
        }
        self.settle(expression)
    }

    /// Gives several expressions one type; see [`unify_types`].
    pub(super) fn unify(&mut self, expressions: Vec<Expression>, construct: &str) -> Result<Vec<Expression>> {
        let decimals = expressions.iter().any(|expression| expression.data_type.is_exact());
        let floats = expressions.iter().any(|expression| expression.data_type.is_float());
        let expressions: Vec<Expression> = if decimals && !floats {
            expressions.into_iter().map(literal::as_decimal_literal).collect::<Result<_>>()?
        } else {
            expressions
        };
        let types = types_to_unify(expressions.iter());
        let common = unify_types(&types, construct).map_err(|error| {
            let odd = (1..=types.len()).find(|&n| unify_types(&types[..n], construct).is_err());
            error.at(odd.and_then(|n| expressions[n - 1].position))
        })?;
        expressions.into_iter().map(|expression| self.coerce(expression, common, Coercion::Implicit)).collect()
    }

    /// A parameter of unknown type gets one, unless it has got one since it was bound: without the lengths and digits of what it
    /// meets, which its value need not have.
    fn type_parameter(&mut self, index: u32, to: DataType) -> Expression {
        let known = &mut self.parameters[index as usize];
        let data_type = *known.get_or_insert(to.without_modifiers());
        Expression::new(ExpressionKind::Parameter(index), data_type)
    }
}

/// 22000 for a vector where one of another length is needed.
fn check_lengths(from: DataType, to: DataType) -> Result<()> {
    match (from.vector_of(), to.vector_of()) {
        (Some((_, found)), Some((_, expected))) if found != expected => {
            Err(evaluate::wrong_vector_length(expected, found as usize))
        }
        _ => Ok(()),
    }
}

/// The error (42P18) of a parameter, by its place, whose type nothing says.
pub(crate) fn undetermined(index: usize) -> Error {
    let message = format!("could not determine data type of parameter ${}", index + 1);
    Error::new(ErrorKind::IndeterminateType, message)
}

/// A literal in quotes as a value of a type.
fn read_literal(text: &str, to: DataType, coercion: Coercion, position: Option<Position>) -> Result<Expression> {
    if to.is_text() {
        let literal = Expression::constant(Value::text(text), DataType::Text).at(position);
        return Ok(if to.is_free_text() {
            Expression { data_type: to, ..literal }
        } else {
            cast(literal, to, coercion)
        });
    }
    if to.is_decimal() && coercion == Coercion::Explicit && text.trim().eq_ignore_ascii_case("nan") {
        return literal::as_decimal_literal(
            Expression::new(ExpressionKind::Constant(Value::text(text)), DataType::Null).at(position),
        );
    }
    let value = evaluate::parse(text, to).map_err(|error| error.at(position))?;
    Ok(Expression::constant(value, to).at(position))
}

/// A string of any kind as one of type text.
pub(super) fn as_text_type(text: Expression) -> Expression {
    cast(text, DataType::Text, Coercion::Implicit)
}

/// A cast that is known to exist, between types that carry themselves.
pub(super) fn cast(expression: Expression, to: DataType, coercion: Coercion) -> Expression {
    if expression.data_type == to {
        return expression;
    }
    if expression.data_type.is_text() && to.is_text() {
        return blanks::cast_text(expression, to, coercion);
    }
    let function = if coercion == Coercion::Assignment { Function::AssignCast } else { Function::Cast };
    fold::call(function, vec![expression], to)
}
