//! Operators: logic, and which function stands for which of the rest.

use super::coercion::Coercion;
use super::fold;
use super::logical::relabel;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{ArrayFunction, Function, JsonFunction, JsonbFunction};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::DataType;

/// The error for operands that an operator has no meaning for, as PostgreSQL words it.
pub(super) fn no_operator(operator: &str, left: DataType, right: DataType, position: Option<Position>) -> Error {
    Error::new(ErrorKind::UnknownFunction, format!("operator does not exist: {left} {operator} {right}"))
        .at(position)
        .with_hint("No operator matches the given argument types. You might need to add explicit type casts.")
}

/// The error for operands of which several readings are possible.
pub(super) fn ambiguous_operator(operator: &str, left: DataType, right: DataType, position: Option<Position>) -> Error {
    Error::new(ErrorKind::AmbiguousFunction, format!("operator is not unique: {left} {operator} {right}"))
        .at(position)
        .with_hint("Could not choose a best candidate operator. You might need to add explicit type casts.")
}

/// `NOT a`.
pub fn not(argument: Expression) -> Expression {
    fold::call(Function::Not, vec![argument], DataType::Boolean)
}

/// A disjunction, flat: FALSE of none, itself of one.
pub fn or(conditions: impl IntoIterator<Item = Expression>) -> Expression {
    let mut flat: Vec<Expression> = Vec::new();
    for condition in conditions {
        match condition.kind {
            ExpressionKind::Call(Function::Or, inner) => flat.extend(inner),
            _ => flat.push(condition),
        }
    }
    match flat.len() {
        0 => Expression::boolean(false),
        1 => flat.remove(0),
        _ => {
            let position = flat.iter().find_map(|condition| condition.position);
            Expression::call(Function::Or, flat, DataType::Boolean).at(position)
        }
    }
}

/// A conjunction, flat, at its first condition's position.
pub fn and(conditions: Vec<Expression>) -> Expression {
    let position = conditions.iter().find_map(|condition| condition.position);
    Expression::and(conditions).at(position)
}

/// An operator of two values that is neither logic nor a comparison nor a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a / b`.
    Divide,
    /// `a % b`.
    Modulo,
    /// `a ^ b`.
    Power,
    /// `a & b`.
    BitAnd,
    /// `a | b`.
    BitOr,
    /// `a # b`.
    BitXor,
    /// `a << b`.
    ShiftLeft,
    /// `a >> b`.
    ShiftRight,
    /// `a || b`.
    Concatenate,
    /// `a ^@ b`.
    StartsWith,
    /// `a @> b`.
    Contains,
    /// `a <@ b`.
    IsContained,
    /// `a && b`.
    Overlaps,
    /// `a -> b`.
    Member,
    /// `a ->> b`.
    MemberText,
    /// `a #> b`.
    Path,
    /// `a #>> b`.
    PathText,
    /// `a ? b`.
    HasKey,
    /// `a ?| b`.
    HasAny,
    /// `a ?& b`.
    HasAll,
    /// `a #- b`.
    WithoutPath,
    /// `a @? b`.
    PathExists,
    /// `a @@ b`.
    PathMatches,
    /// `a <-> b`.
    Distance,
    /// `a <#> b`.
    NegativeInnerProduct,
    /// `a <=> b`.
    CosineDistance,
    /// `a <+> b`.
    ManhattanDistance,
}

/// An operator of one value; `NOT` is [`Builder::negation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `-a`.
    Minus,
    /// `+a`.
    Plus,
    /// `~a`.
    BitNot,
}

/// The function of jsonb that an operator of operands of these types is, and its spelling.
fn of_jsonb(operator: Operator, left: DataType, right: DataType) -> Option<(JsonbFunction, &'static str)> {
    use JsonbFunction as J;
    let is_one = left == DataType::Jsonb || right == DataType::Jsonb;
    Some(match operator {
        Operator::HasAny => (J::HasAny, "?|"),
        Operator::HasAll => (J::HasAll, "?&"),
        Operator::WithoutPath => (J::WithoutPath, "#-"),
        Operator::PathExists => (J::PathExists, "@?"),
        Operator::PathMatches => (J::PathMatch, "@@"),
        Operator::Contains | Operator::IsContained if is_one => (J::Contains, "@>"),
        Operator::Subtract if left == DataType::Jsonb => (J::WithoutKey, "-"),
        Operator::Concatenate
            if is_one && [left, right].iter().all(|of| matches!(of, DataType::Jsonb | DataType::Null)) =>
        {
            (J::Concatenate, "||")
        }
        _ => return None,
    })
}

impl Builder<'_> {
    /// `left operator right`.
    pub fn operator(&mut self, operator: Operator, left: Expression, right: Expression) -> Result<Expression> {
        let position = left.position.or(right.position);
        if let Some((function, spelling)) = of_jsonb(operator, left.data_type, right.data_type) {
            let (left, right) = if operator == Operator::IsContained { (right, left) } else { (left, right) };
            return self.jsonb_operator(function, spelling, left, right).map_err(|error| error.at(position));
        }
        if let Some(applied) = self.vector_operator(operator, &left, &right).map_err(|error| error.at(position))? {
            return Ok(applied.at(position));
        }
        let applied = match operator {
            Operator::Add => self.arithmetic(Function::Add, left, right),
            Operator::Subtract => self.arithmetic(Function::Subtract, left, right),
            Operator::Multiply => self.arithmetic(Function::Multiply, left, right),
            Operator::Divide => self.arithmetic(Function::Divide, left, right),
            Operator::Modulo => self.arithmetic(Function::Modulo, left, right),
            Operator::Power => self.power(left, right),
            Operator::BitAnd => self.bitwise(Function::BitAnd, "&", left, right),
            Operator::BitOr => self.bitwise(Function::BitOr, "|", left, right),
            Operator::BitXor => self.bitwise(Function::BitXor, "#", left, right),
            Operator::ShiftLeft => self.shift(Function::ShiftLeft, "<<", left, right),
            Operator::ShiftRight => self.shift(Function::ShiftRight, ">>", left, right),
            Operator::Concatenate => self.concatenate(left, right),
            Operator::Contains => self.array_relation(ArrayFunction::Contains, "@>", left, right),
            Operator::IsContained => {
                // Both sides are swapped: so are the types that an error names, which is as it is said of `@>`.
                self.array_relation(ArrayFunction::Contains, "@>", right, left)
            }
            Operator::Overlaps => self.array_relation(ArrayFunction::Overlaps, "&&", left, right),
            Operator::Member => self.json_operator(JsonFunction::Member, "->", left, right),
            Operator::MemberText => self.json_operator(JsonFunction::MemberText, "->>", left, right),
            Operator::Path => self.json_operator(JsonFunction::Path, "#>", left, right),
            Operator::PathText => self.json_operator(JsonFunction::PathText, "#>>", left, right),
            Operator::HasKey => self.json_operator(JsonFunction::HasKey, "?", left, right),
            Operator::HasAny
            | Operator::HasAll
            | Operator::WithoutPath
            | Operator::PathExists
            | Operator::PathMatches => Err(Error::internal("an operator of jsonb alone")),
            Operator::Distance
            | Operator::NegativeInnerProduct
            | Operator::CosineDistance
            | Operator::ManhattanDistance => Err(Error::internal("an operator of vectors alone")),
            Operator::StartsWith => self.call_text(Function::StartsWith, vec![left, right], "^@", DataType::Boolean),
        };
        applied.map_err(|error| error.at(position))
    }

    /// `sign operand`.
    pub fn signed(&mut self, sign: Sign, operand: Expression) -> Result<Expression> {
        match sign {
            Sign::Minus => self.negate(operand),
            Sign::Plus => self.unary_plus(operand),
            Sign::BitNot => self.bitwise_not(operand),
        }
    }

    /// `NOT operand`.
    pub fn negation(&mut self, operand: Expression) -> Result<Expression> {
        Ok(not(self.coerce_condition(operand, "NOT")?))
    }

    /// `a IS TRUE` and its family: `function` is IsTrue, IsFalse, IsNull or IsNotNull, `name` what is written.
    pub fn truth_test(
        &mut self,
        function: Function,
        negated: bool,
        name: &str,
        value: Expression,
    ) -> Result<Expression> {
        let value = self.coerce_condition(value, name)?;
        let test = fold::call(function, vec![value], DataType::Boolean);
        Ok(if negated { not(test) } else { test })
    }

    /// `a || b`: one of them a string, the other anything that has a text.
    fn concatenate(&mut self, left: Expression, right: Expression) -> Result<Expression> {
        let (left, right) = self.array_beside_vector(left, right)?;
        if left.data_type.element().is_some() || right.data_type.element().is_some() {
            return self.concatenate_arrays(left, right);
        }
        let (left, right) = match self.concatenate_bits(left, right)? {
            Ok(bits) => return Ok(bits),
            Err((left, right)) => (self.as_string(left), self.as_string(right)),
        };
        let (l, r) = (left.data_type, right.data_type);
        if l == DataType::Bytea || r == DataType::Bytea {
            let sides = [left, right].map(|side| self.coerce(side, DataType::Bytea, Coercion::Implicit));
            let [left, right] = sides.map(|side| side.map(|side| relabel(side, DataType::Text)));
            return Ok(relabel(fold::call(Function::Concat, vec![left?, right?], DataType::Text), DataType::Bytea));
        }
        let stringy = |data_type: DataType| data_type.is_text() || data_type == DataType::Null;
        if !stringy(l) && !stringy(r) {
            return Err(no_operator("||", l, r, left.position));
        }
        let left = self.text_of(left)?;
        let right = self.text_of(right)?;
        Ok(fold::call(Function::Concat, vec![left, right], DataType::Text))
    }
}
