//! Comparisons: `=`, `<`, BETWEEN, IN over a list, IS DISTINCT FROM, and the same over rows.
//!
//! Both sides get one type, and it is the columns that are spared: a literal moves to the column's type wherever
//! that keeps its value, because a bare column can be compared in its narrow physical form.
//!
//! * Integers: an integer literal that fits the other side's type becomes it, else the narrower side is widened.
//! * Decimals: only the scale has to agree. A literal loses its trailing zeros. With a numeric see `exact`.
//! * A date against a timestamp is compared as timestamps (one that no timestamp reaches comes after all of them), unless the
//!   timestamp is a literal at midnight: then `d < timestamp '1995-01-01 00:00'` says the same as `d < date '1995-01-01'`.
//!   (What `date - interval` gives is such a literal, mostly.)
//! * Strings: a char with a char or varchar compares as char, any other two as text (`blanks`). A literal that meets a char
//!   loses its trailing blanks.

use super::coercion::{Coercion, as_decimal, cast, castable, operand_type, types_to_unify, unify_types};
use super::literal::{as_decimal_literal, decimal_constant, unknown_text};
use super::logical::relabel;
use super::operator::{and, no_operator, or};
use super::structure::settled_type;
use super::vector::with_cast_hint;
use super::{arithmetic, array, blanks, exact, fold, jsonb_function, zoned};
use crate::error::{Error, Result};
use crate::function::{Function, MomentFunction};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DECIMAL_DIGITS_MAX, DataType, OidKind};
use crate::value::Value;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// How a comparison is written, for errors.
pub(super) fn spelling(function: Function) -> &'static str {
    match function {
        Function::Equal => "=",
        Function::NotEqual => "<>",
        Function::Less => "<",
        Function::LessEqual => "<=",
        Function::Greater => ">",
        Function::GreaterEqual => ">=",
        Function::IsDistinct => "IS DISTINCT FROM",
        _ => "IS NOT DISTINCT FROM",
    }
}

impl Builder<'_> {
    /// A comparison of two values.
    pub fn compare(&mut self, function: Function, left: Expression, right: Expression) -> Result<Expression> {
        if left.data_type.fields().is_some() && right.data_type.fields().is_some() {
            return self.compare_records(function, left, right);
        }
        let (left, right) = self.comparable(spelling(function), left, right)?;
        if let Some(narrow) = exact::compare_narrow(function, &left, &right) {
            return Ok(narrow);
        }
        let (left, right) = as_one_exact(left, right);
        Ok(fold::call(function, vec![left, right], DataType::Boolean))
    }

    /// Brings two values to one type that compares them.
    pub(super) fn comparable(
        &mut self,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression)> {
        let position = left.position.or(right.position);
        // Nor does a vector become an array here: what it is compared by has to be said.
        if let Some(vector) = [&left, &right].into_iter().find(|side| side.data_type.is_vector()) {
            let error = no_operator(spelling, left.data_type, right.data_type, position);
            return Err(with_cast_hint(error, vector.data_type));
        }
        let (left, right) = self.known_sides(left, right)?;
        let (l, r) = (left.data_type, right.data_type);
        if l.is_text() && r.is_text() {
            return Ok(blanks::comparable(left, right));
        }
        if l.is_logical() || r.is_logical() {
            return self.comparable_logical(spelling, left, right);
        }
        if l == r {
            return Ok((left, right));
        }
        if l.is_numeric() && r.is_numeric() {
            return comparable_numbers(left, right, self.wide_numerics);
        }
        if let (DataType::Date, DataType::Timestamp) = (l, r)
            && let Some(date) = midnight(&right)
        {
            return Ok((left, date));
        }
        if let (DataType::Timestamp, DataType::Date) = (l, r)
            && let Some(date) = midnight(&left)
        {
            return Ok((date, right));
        }
        match (l, r) {
            (DataType::Date, DataType::Timestamp) => return Ok((start_of_date(left), right)),
            (DataType::Timestamp, DataType::Date) => return Ok((left, start_of_date(right))),
            _ => {}
        }
        if castable(l, r, Coercion::Implicit) {
            return Ok((self.coerce(left, r, Coercion::Implicit)?, right));
        }
        if castable(r, l, Coercion::Implicit) {
            return Ok((left, self.coerce(right, l, Coercion::Implicit)?));
        }
        Err(no_operator(spelling, l, r, position))
    }

    /// Values of which one is of a type that another carries, as PostgreSQL compares them: names as text, all kinds of oid as
    /// oid. A json has no comparison; a jsonb has a text that orders it.
    fn comparable_logical(
        &mut self,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression)> {
        let position = left.position.or(right.position);
        let (l, r) = (left.data_type, right.data_type);
        let common = match (l, r) {
            (l, r) if l == r && !matches!(l, DataType::Oid(_) | DataType::Name) => l,
            (l, r) if l.is_bits() && r.is_bits() => l.of_any_length(),
            (DataType::Oid(OidKind::Transaction), other) | (other, DataType::Oid(OidKind::Transaction))
                if other == l && other == r || other.is_integer() =>
            {
                DataType::Oid(OidKind::Transaction)
            }
            (DataType::Oid(a), DataType::Oid(b)) if a == b => l,
            (DataType::Oid(kind), _) | (_, DataType::Oid(kind))
                if matches!(kind, OidKind::Transaction | OidKind::Command | OidKind::Place) =>
            {
                return Err(no_operator(spelling, l, r, position));
            }
            (DataType::Oid(_), other) | (other, DataType::Oid(_)) if other.is_oid() || other.is_integer() => {
                DataType::OID
            }
            (DataType::Name, other) | (other, DataType::Name) if other.is_text() || other == DataType::Name => {
                DataType::Text
            }
            (DataType::InternalChar, other) | (other, DataType::InternalChar) if other.is_text() => DataType::Text,
            (l, r) if l.element().is_some() && r.element().is_some() => {
                let (left, right, _) = self.one_array_type(spelling, left.clone(), right.clone())?;
                left.data_type.max(right.data_type)
            }
            (l, r) if l.struct_fields().is_some() || r.struct_fields().is_some() => {
                settled_type(&[l, r], spelling).map_err(|_| no_operator(spelling, l, r, position))?
            }
            (l, r) if castable(l, r, Coercion::Implicit) => r,
            (l, r) if castable(r, l, Coercion::Implicit) => l,
            _ => return Err(no_operator(spelling, l, r, position)),
        };
        let orders = spelling.starts_with(['<', '>']) && spelling != "<>";
        let is_counter = matches!(common, DataType::Oid(OidKind::Transaction | OidKind::Command));
        if !common.has_equality() || (orders && is_counter) {
            return Err(with_cast_hint(no_operator(spelling, l, r, position), common));
        }
        if orders && common.element() == Some(DataType::Jsonb) {
            return Err(Error::unsupported("an order of arrays of jsonb is").at(position));
        }
        let mut sides = Vec::with_capacity(2);
        for side in [left, right] {
            let side = match side.data_type {
                from if from.is_oid() && common.is_oid() => relabel(side, common),
                from if from.is_integer() && common.is_oid() => {
                    relabel(self.coerce(side, DataType::OID, Coercion::Implicit)?, common)
                }
                DataType::Date if common == DataType::TimestampTz => zoned::instant(start_of_date(side), self.zone()),
                _ => self.coerce(side, common, Coercion::Implicit)?,
            };
            sides.push(match side.data_type {
                DataType::Jsonb => jsonb_function::order_key(side),
                _ => array::compared(side),
            });
        }
        let right = sides.pop().unwrap_or_else(|| unreachable!("two were pushed"));
        Ok((sides.remove(0), right))
    }

    /// A side of unknown type takes the other's; both unknown are text.
    fn known_sides(&mut self, left: Expression, right: Expression) -> Result<(Expression, Expression)> {
        Ok(match (left.data_type, right.data_type) {
            (DataType::Null, DataType::Null) => (self.settle(left)?, self.settle(right)?),
            (DataType::Null, known) => (self.known_side(left, known)?, right),
            (known, DataType::Null) => {
                let right = self.known_side(right, known)?;
                (left, right)
            }
            _ => (left, right),
        })
    }

    fn known_side(&mut self, side: Expression, known: DataType) -> Result<Expression> {
        if known.is_exact() && unknown_text(&side).is_some() {
            return as_decimal_literal(side);
        }
        if let (DataType::Char(_), Some(text)) = (known, unknown_text(&side)) {
            let trimmed = Value::text(text.trim_end_matches(' '));
            return Ok(Expression::constant(trimmed, DataType::Text).at(side.position));
        }
        let wanted = operand_type(&side, known);
        self.coerce(side, wanted, Coercion::Implicit)
    }

    /// `value [NOT] BETWEEN low AND high`.
    pub fn between(
        &mut self,
        value: Expression,
        low: Expression,
        high: Expression,
        negated: bool,
    ) -> Result<Expression> {
        // Said of a `NOT BETWEEN` without NOT, which the rules for conjunctions and ranges see through.
        let (first, second) =
            if negated { (Function::Less, Function::Greater) } else { (Function::GreaterEqual, Function::LessEqual) };
        let low = self.compare(first, value.clone(), low)?;
        let high = self.compare(second, value, high)?;
        Ok(if negated { or([low, high]) } else { and(vec![low, high]) })
    }

    /// `value BETWEEN SYMMETRIC low AND high`.
    pub fn between_symmetric(&mut self, value: Expression, low: Expression, high: Expression) -> Result<Expression> {
        let mut both = Vec::new();
        for (low, high) in [(low.clone(), high.clone()), (high, low)] {
            let low = self.compare(Function::GreaterEqual, value.clone(), low)?;
            both.push(and(vec![low, self.compare(Function::LessEqual, value.clone(), high)?]));
        }
        Ok(or(both))
    }

    /// Whether a value equals one of several, as IN asks: members that name no column have one type with the value, if there
    /// is one that all of them can have.
    pub fn is_in(&mut self, value: Expression, mut items: Vec<Expression>) -> Result<Expression> {
        let fixed: Vec<usize> = (0..items.len()).filter(|&index| !names_column(&items[index])).collect();
        let mut value = value;
        if fixed.len() > 1 {
            let members = || std::iter::once(&value).chain(fixed.iter().map(|&index| &items[index]));
            if let Ok(common) = unify_types(&types_to_unify(members()), "IN") {
                // What has a type already is compared as it is, where the comparison knows how.
                let settle = |binder: &mut Self, member: Expression| match (&member.kind, member.data_type) {
                    (ExpressionKind::Parameter(_), DataType::Null) => {
                        binder.coerce(member, common.without_modifiers(), Coercion::Implicit)
                    }
                    (_, DataType::Null) => binder.known_side(member, common),
                    _ => Ok(member),
                };
                for &index in &fixed {
                    let member = items[index].clone();
                    items[index] = settle(self, member)?;
                }
                value = settle(self, value)?;
            }
        }
        self.in_list(value, items)
    }

    /// Whether a value equals one of several: an InList if these are literals of one type with the value, else a
    /// disjunction of comparisons.
    pub(super) fn in_list(&mut self, value: Expression, items: Vec<Expression>) -> Result<Expression> {
        let position = value.position;
        let mut value = value;
        let mut pairs = Vec::with_capacity(items.len());
        for item in items {
            let (side, item) = self.comparable("=", value.clone(), item)?;
            // The first item gives a value of unknown type its type.
            if value.data_type == DataType::Null {
                value = side.clone();
            }
            pairs.push(exact::narrow_sides(Function::Equal, &side, &item).unwrap_or_else(|| as_one_exact(side, item)));
        }
        let one_list = pairs.len() > 1
            && fold::constant(&value).is_none()
            && pairs.iter().all(|(side, item)| *side == pairs[0].0 && fold::constant(item).is_some());
        if !one_list {
            let equals =
                pairs.into_iter().map(|(side, item)| fold::call(Function::Equal, vec![side, item], DataType::Boolean));
            return Ok(or(equals).at(position));
        }
        let mut arguments = vec![pairs[0].0.clone()];
        arguments.extend(pairs.into_iter().map(|(_, item)| item));
        Ok(Expression::call(Function::InList, arguments, DataType::Boolean).at(position))
    }
}

/// Whether an expression mentions a column: to PostgreSQL such members of an IN are no part of its list.
fn names_column(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Column(_) => true,
        ExpressionKind::Call(_, arguments) => arguments.iter().any(names_column),
        _ => false,
    }
}

/// Numbers of different types. Decimals get one scale even where that could be too many digits, unless they have been.
fn comparable_numbers(left: Expression, right: Expression, wide: bool) -> Result<(Expression, Expression)> {
    let (l, r) = (left.data_type, right.data_type);
    if l.is_float() || r.is_float() {
        let to_double = |side| cast(side, DataType::Double, Coercion::Implicit);
        return Ok((to_double(left), to_double(right)));
    }
    if l.is_integer() && r.is_integer() {
        if let Some(narrowed) = narrowed(&right, l) {
            return Ok((left, narrowed));
        }
        if let Some(narrowed) = narrowed(&left, r) {
            return Ok((narrowed, right));
        }
        let common = l.max(r);
        return Ok((cast(left, common, Coercion::Implicit), cast(right, common, Coercion::Implicit)));
    }
    let left = shortest(exact::narrowed_or_same(as_decimal_literal(left)?));
    let right = shortest(exact::narrowed_or_same(as_decimal_literal(right)?));
    if left.data_type == DataType::Numeric || right.data_type == DataType::Numeric {
        return Ok((left, right));
    }
    // `integer_column = 2.0`: without its zeros the literal is an integer.
    if let Some(literal) = integral(&right, left.data_type) {
        return Ok((left, literal));
    }
    if let Some(literal) = integral(&left, right.data_type) {
        return Ok((literal, right));
    }
    let scale = left.data_type.scale().max(right.data_type.scale());
    let fits = |side: &Expression| match as_decimal(side.data_type) {
        DataType::Decimal { precision, scale: own } => precision - own + scale <= DECIMAL_DIGITS_MAX,
        _ => true,
    };
    if wide && (!fits(&left) || !fits(&right)) {
        return Ok((exact::widened(left), exact::widened(right)));
    }
    Ok((arithmetic::to_scale(left, scale), arithmetic::to_scale(right, scale)))
}

/// Both sides as numerics where one is.
fn as_one_exact(left: Expression, right: Expression) -> (Expression, Expression) {
    if left.data_type == DataType::Numeric || right.data_type == DataType::Numeric {
        (exact::widened(left), exact::widened(right))
    } else {
        (left, right)
    }
}

/// A decimal literal without digits after the point as an integer literal, if the other side is an integer.
fn integral(literal: &Expression, other: DataType) -> Option<Expression> {
    let Value::Decimal(unscaled) = fold::constant(literal)? else { return None };
    if literal.data_type.scale() != 0 || !other.is_integer() {
        return None;
    }
    Some(integer_constant(i64::try_from(*unscaled).ok()?, other)?.at(literal.position))
}

/// An integer literal as a literal of another integer type, if its value fits.
fn narrowed(literal: &Expression, to: DataType) -> Option<Expression> {
    match fold::constant(literal)? {
        Value::Int(integer) => Some(integer_constant(*integer, to)?.at(literal.position)),
        Value::Null => Some(Expression::constant(Value::Null, to).at(literal.position)),
        _ => None,
    }
}

fn integer_constant(integer: i64, data_type: DataType) -> Option<Expression> {
    let (low, high) = data_type.integer_bounds()?;
    (low..=high).contains(&i128::from(integer)).then(|| Expression::constant(Value::Int(integer), data_type))
}

/// A decimal literal without its trailing zeros after the point.
fn shortest(side: Expression) -> Expression {
    let (Some(Value::Decimal(unscaled)), DataType::Decimal { scale, .. }) = (fold::constant(&side), side.data_type)
    else {
        return side;
    };
    let (mut unscaled, mut scale) = (*unscaled, scale);
    while scale > 0 && unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    decimal_constant(unscaled, scale, side.position)
}

/// A date among timestamps: a cast would refuse what comes after the last of them.
fn start_of_date(date: Expression) -> Expression {
    fold::call(Function::Moment(MomentFunction::StartOfDate), vec![date], DataType::Timestamp)
}

/// A timestamp literal at midnight as a date.
fn midnight(timestamp: &Expression) -> Option<Expression> {
    let Value::Int(micros) = fold::constant(timestamp)? else { return None };
    if micros.rem_euclid(MICROS_PER_DAY) != 0 {
        return None;
    }
    let days = i32::try_from(micros.div_euclid(MICROS_PER_DAY)).ok()?;
    Some(Expression::constant(Value::Int(days.into()), DataType::Date).at(timestamp.position))
}
