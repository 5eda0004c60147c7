//! Bit strings: casts, operators and functions, PostgreSQL's. A function of a bit string gives a `bit` of any length, `||` a
//! `bit varying`.

use super::call::{Special, no_function};
use super::coercion::{Coercion, castable};
use super::fold;
use super::logical::relabel;
use super::operator::no_operator;
use crate::error::{Error, Position, Result};
use crate::evaluate;
use crate::function::{BitsFunction, Function};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::{DataType, LENGTH_FREE};

fn call(function: BitsFunction, arguments: Vec<Expression>, to: DataType) -> Expression {
    fold::call(Function::Bits(function), arguments, to)
}

/// A bit string that begins with `b` or `x`, as a literal writes it: `B'101'`, `X'1F'`.
pub fn bits_literal(written: &str) -> Result<Expression> {
    Ok(Expression::constant(evaluate::parse(written, DataType::BIT)?, DataType::BIT))
}

/// What asks for a cast at least, if there is one between two types of which one is a bit string's.
pub(super) fn cast_context(from: DataType, to: DataType) -> Option<Coercion> {
    match (from, to) {
        (from, to) if from.is_bits() && to.is_bits() => Some(Coercion::Implicit),
        (DataType::Integer | DataType::BigInt, DataType::Bit(_)) => Some(Coercion::Explicit),
        (DataType::Bit(_), DataType::Integer | DataType::BigInt) => Some(Coercion::Explicit),
        _ => None,
    }
}

/// A bit string, or an array of them, of a type without a length, as functions take it; any other value as it is.
pub(super) fn of_any_length(value: Expression) -> Expression {
    let wide = value.data_type.of_any_length();
    relabel(value, wide)
}

/// Whether every value of a bit string type is one of another.
fn is_within(from: DataType, to: DataType) -> bool {
    match (from, to) {
        (_, DataType::BIT | DataType::VARBIT) => true,
        (DataType::Bit(from), DataType::Bit(to)) => from == to,
        (DataType::Bit(from) | DataType::VarBit(from), DataType::VarBit(to)) => from <= to,
        _ => false,
    }
}

/// A bit string as one of another type: an explicit cast cuts it or fills it up, any other takes it as it is or not at all.
fn cast_length(value: Expression, to: DataType, coercion: Coercion) -> Expression {
    if is_within(value.data_type, to) {
        return relabel(value, to);
    }
    let (length, function) = match (to, coercion) {
        (DataType::Bit(length), Coercion::Explicit) => (length, BitsFunction::Fit),
        (DataType::Bit(length), _) => (length, BitsFunction::FitExactly),
        (DataType::VarBit(length), Coercion::Explicit) => (length, BitsFunction::Cut),
        (DataType::VarBit(length), _) => (length, BitsFunction::CutNothing),
        _ => return value,
    };
    call(function, vec![value, count(length.into())], to)
}

fn count(count: i64) -> Expression {
    Expression::constant(crate::value::Value::Int(count), DataType::Integer)
}

/// A cast that [`cast_context`] knows.
pub(super) fn cast_bits(value: Expression, to: DataType, coercion: Coercion) -> Expression {
    match (value.data_type, to) {
        (from, to) if from.is_bits() && to.is_bits() => cast_length(value, to, coercion),
        (from, _) if from.is_bits() => call(BitsFunction::ToInteger, vec![value], to),
        // Without a length it is the last bit, as in PostgreSQL.
        (_, DataType::Bit(LENGTH_FREE)) => call(BitsFunction::OfInteger, vec![value, count(1)], to),
        (_, DataType::Bit(length)) => call(BitsFunction::OfInteger, vec![value, count(length.into())], to),
        _ => value,
    }
}

/// Whether two sides are bit strings, or one of them is and the other has no type yet.
fn are_bits(left: &Expression, right: &Expression) -> bool {
    let of = [left.data_type, right.data_type];
    of.iter().any(|of| of.is_bits()) && of.iter().all(|of| of.is_bits() || *of == DataType::Null)
}

impl Builder<'_> {
    /// `a || b` of bit strings; the sides as they are if it is of something else.
    pub(super) fn concatenate_bits(
        &mut self,
        left: Expression,
        right: Expression,
    ) -> Result<std::result::Result<Expression, (Expression, Expression)>> {
        if !are_bits(&left, &right) {
            return Ok(Err((left, right)));
        }
        let sides = [left, right].map(|side| self.coerce(side, DataType::VARBIT, Coercion::Implicit));
        let [left, right] = sides.map(|side| side.map(|side| relabel(side, DataType::Text)));
        Ok(Ok(relabel(fold::call(Function::Concat, vec![left?, right?], DataType::Text), DataType::VARBIT)))
    }

    /// `&`, `|` or `#` of bit strings; none if it is of something else.
    pub(super) fn combine_bits(
        &mut self,
        function: Function,
        left: &Expression,
        right: &Expression,
    ) -> Result<Option<Expression>> {
        if !are_bits(left, right) {
            return Ok(None);
        }
        let function = match function {
            Function::BitAnd => BitsFunction::And,
            Function::BitOr => BitsFunction::Or,
            _ => BitsFunction::Xor,
        };
        let sides = [left, right].map(|side| self.coerce(side.clone(), DataType::BIT, Coercion::Implicit));
        let [left, right] = sides;
        Ok(Some(call(function, vec![left?, right?], DataType::BIT)))
    }

    /// `<<` or `>>` of a bit string by an integer.
    pub(super) fn shift_bits(&mut self, function: Function, left: Expression, right: Expression) -> Result<Expression> {
        let is_left = function == Function::ShiftLeft;
        if !matches!(right.data_type, DataType::Null | DataType::SmallInt | DataType::Integer) {
            let spelling = if is_left { "<<" } else { ">>" };
            return Err(no_operator(spelling, left.data_type, right.data_type, left.position));
        }
        let right = self.coerce(right, DataType::Integer, Coercion::Implicit)?;
        let function = if is_left { BitsFunction::ShiftLeft } else { BitsFunction::ShiftRight };
        Ok(call(function, vec![left, right], DataType::BIT))
    }

    /// `~a`.
    pub(super) fn bits_not(&self, operand: Expression) -> Expression {
        call(BitsFunction::Not, vec![operand], DataType::BIT)
    }

    /// A function of bit strings, if the name and the types are of one.
    pub(super) fn special_bits_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use BitsFunction as B;
        use DataType as T;
        let first_is_bits = arguments.first().is_some_and(|argument| argument.data_type.is_bits());
        // `POSITION(part IN bits)` comes under the name that it has of texts.
        let takes_two = matches!(name, "position" | "strpos" | "overlay") && arguments.len() > 1;
        if !(first_is_bits || takes_two && are_bits(&arguments[0], &arguments[1])) {
            return Ok(Special::NoMatch(arguments));
        }
        let (types, function, to): (&[T], _, _) = match name {
            "length" | "bit_length" => (&[T::BIT], None, T::Integer),
            "octet_length" => (&[T::BIT], Some(B::Octets), T::Integer),
            "bit_count" => (&[T::BIT], Some(B::Count), T::BigInt),
            "get_bit" => (&[T::BIT, T::Integer], Some(B::GetBit), T::Integer),
            "set_bit" => (&[T::BIT, T::Integer, T::Integer], Some(B::SetBit), T::BIT),
            "position" | "strpos" => (&[T::BIT, T::BIT], Some(B::Position), T::Integer),
            "substring" => (&[T::BIT, T::Integer, T::Integer], Some(B::Substring), T::BIT),
            "overlay" => (&[T::BIT, T::BIT, T::Integer, T::Integer], Some(B::Overlay), T::BIT),
            _ => return Ok(Special::NoMatch(arguments)),
        };
        let may_be_shorter = usize::from(matches!(name, "substring" | "overlay"));
        let fits = |(argument, &of): (&Expression, &T)| {
            argument.data_type == T::Null || castable(argument.data_type, of, Coercion::Implicit)
        };
        let counts = types.len() - may_be_shorter..=types.len();
        if !counts.contains(&arguments.len()) || !arguments.iter().zip(types).all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        let given = arguments.into_iter().zip(types);
        let given: Vec<Expression> =
            given.map(|(argument, &of)| self.coerce(argument, of, Coercion::Implicit)).collect::<Result<_>>()?;
        Ok(Special::Bound(match function {
            Some(function) => call(function, given, to),
            None => {
                let texts = given.into_iter().map(|bits| relabel(bits, T::Text)).collect();
                fold::call(Function::OctetLength, texts, to)
            }
        }))
    }

    /// `OVERLAY(bits PLACING new FROM from FOR count)`.
    pub(super) fn overlay_bits(
        &mut self,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        match self.special_bits_function("overlay", arguments)? {
            Special::Bound(call) => Ok(call.at(position)),
            Special::NoMatch(arguments) => Err(no_function("overlay", &arguments).at(position)),
        }
    }

    /// A literal in quotes, or any other text that is a constant, as a bit string or an array of them. Where a cast is asked for its
    /// length is what the cast makes of it.
    pub(super) fn read_bits(
        &mut self,
        text: &str,
        to: DataType,
        coercion: Coercion,
        position: Option<Position>,
    ) -> Result<Expression> {
        let wide = if coercion == Coercion::Explicit || to.is_bits() { to.of_any_length() } else { to };
        let value = self.read_logical(text, wide).map_err(|error: Error| error.at(position))?;
        let read = Expression::constant(value, wide).at(position);
        if wide == to { Ok(read) } else { self.coerce(read, to, coercion) }
    }
}
