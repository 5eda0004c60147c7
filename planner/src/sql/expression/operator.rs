//! Operators by their spelling: logic, and who binds the rest.

use super::fold;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::{Expression, ExpressionKind};
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use sqlparser::ast::{self, BinaryOperator, UnaryOperator};
use sqlparser::tokenizer::Span;

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

/// The function of a comparison operator.
pub(super) fn comparison(operator: &BinaryOperator) -> Option<Function> {
    Some(match operator {
        BinaryOperator::Eq => Function::Equal,
        BinaryOperator::NotEq => Function::NotEqual,
        BinaryOperator::Lt => Function::Less,
        BinaryOperator::LtEq => Function::LessEqual,
        BinaryOperator::Gt => Function::Greater,
        BinaryOperator::GtEq => Function::GreaterEqual,
        _ => return None,
    })
}

/// `NOT a`.
pub(super) fn not(argument: Expression) -> Expression {
    fold::call(Function::Not, vec![argument], DataType::Boolean)
}

/// A disjunction, flat: FALSE of none, itself of one.
pub(super) fn or(conditions: impl IntoIterator<Item = Expression>) -> Expression {
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
pub(super) fn and(conditions: Vec<Expression>) -> Expression {
    let position = conditions.iter().find_map(|condition| condition.position);
    Expression::and(conditions).at(position)
}

/// The factors of `a ^ b ^ c`, each with the minus signs before it. A sign binds tighter than `^`, which sqlparser has
/// the other way round: there `-a ^ b` is `-(a ^ b)` and `a ^ -b ^ c` is `a ^ -(b ^ c)`.
fn factors(expr: &ast::Expr, signs: usize) -> Vec<(usize, &ast::Expr)> {
    let mut factors = Vec::new();
    let mut waiting = vec![(signs, expr)];
    while let Some((signs, expr)) = waiting.pop() {
        match expr {
            ast::Expr::UnaryOp { op: UnaryOperator::Minus, expr } => waiting.push((signs + 1, expr)),
            ast::Expr::BinaryOp { left, op: BinaryOperator::PGExp, right } => {
                waiting.push((0, right));
                waiting.push((signs, left));
            }
            factor => factors.push((signs, factor)),
        }
    }
    factors
}

/// A number with minus signs before it, in parentheses or not: PostgreSQL reads all of them as one literal, so that
/// `-(-2147483648)` is a bigint.
fn signed_number(expr: &ast::Expr) -> Option<(usize, &str, Span)> {
    match expr {
        ast::Expr::Value(ast::ValueWithSpan { value: ast::Value::Number(digits, false), span }) => {
            Some((0, digits, *span))
        }
        ast::Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            signed_number(expr).map(|(signs, digits, span)| (signs + 1, digits, span))
        }
        ast::Expr::Nested(inner) => signed_number(inner),
        _ => None,
    }
}

impl Binder<'_> {
    /// `left operator right`.
    pub(super) fn bind_binary(
        &mut self,
        left: &ast::Expr,
        operator: &BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        use BinaryOperator as B;
        if let Some(function) = comparison(operator) {
            return self.bind_comparison(function, left, right, scope);
        }
        if let Some(pattern) = super::pattern::PatternOperator::of(operator) {
            return self.bind_like(pattern, left, right, None, scope);
        }
        match operator {
            B::And | B::Or => return self.bind_logic(left, operator, right, scope),
            B::PGExp => {
                let mut factors = factors(left, 0);
                factors.extend(self::factors(right, 0));
                return self.bind_powers(&factors, scope);
            }
            B::Plus
            | B::Minus
            | B::Multiply
            | B::Divide
            | B::Modulo
            | B::StringConcat
            | B::BitwiseAnd
            | B::BitwiseOr
            | B::PGBitwiseXor
            | B::PGBitwiseShiftLeft
            | B::PGBitwiseShiftRight
            | B::PGStartsWith => {}
            other => {
                return Err(Error::unsupported(format_args!("the operator {other} is")).at(self.start(left)));
            }
        }
        self.check_prefix(left, operator)?;
        let left = self.bind_expression(left, scope)?;
        let right = self.bind_expression(right, scope)?;
        let position = left.position.or(right.position);
        self.apply_operator(operator, left, right).map_err(|error| error.at(position))
    }

    fn apply_operator(&mut self, operator: &BinaryOperator, left: Expression, right: Expression) -> Result<Expression> {
        use BinaryOperator as B;
        match operator {
            B::Plus => self.arithmetic(Function::Add, left, right),
            B::Minus => self.arithmetic(Function::Subtract, left, right),
            B::Multiply => self.arithmetic(Function::Multiply, left, right),
            B::Divide => self.arithmetic(Function::Divide, left, right),
            B::Modulo => self.arithmetic(Function::Modulo, left, right),
            B::BitwiseAnd => self.bitwise(Function::BitAnd, "&", left, right),
            B::BitwiseOr => self.bitwise(Function::BitOr, "|", left, right),
            B::PGBitwiseXor => self.bitwise(Function::BitXor, "#", left, right),
            B::PGBitwiseShiftLeft => self.shift(Function::ShiftLeft, "<<", left, right),
            B::PGBitwiseShiftRight => self.shift(Function::ShiftRight, ">>", left, right),
            B::StringConcat => self.concatenate(left, right),
            B::PGStartsWith => self.call_text(Function::StartsWith, vec![left, right], "^@", DataType::Boolean),
            other => Err(Error::unsupported(format_args!("the operator {other} is"))),
        }
    }

    /// A chain of AND or OR becomes one call, so that a list of thousands nests no deeper than one.
    fn bind_logic(
        &mut self,
        left: &ast::Expr,
        operator: &BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let mut operands = vec![right];
        let mut rest = left;
        while let ast::Expr::BinaryOp { left, op, right } = rest
            && op == operator
        {
            operands.push(right);
            rest = left;
        }
        operands.push(rest);
        let name = if *operator == BinaryOperator::And { "AND" } else { "OR" };
        let mut bound = Vec::with_capacity(operands.len());
        for operand in operands.into_iter().rev() {
            let operand = self.bind_expression(operand, scope)?;
            bound.push(self.coerce_condition(operand, name)?);
        }
        Ok(if *operator == BinaryOperator::And { and(bound) } else { or(bound) })
    }

    /// `operator operand`.
    pub(super) fn bind_unary(
        &mut self,
        operator: UnaryOperator,
        operand: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        use UnaryOperator as U;
        let position = self.start(operand);
        if operator == U::Minus {
            return self.bind_minus(operand, scope).map_err(|error| error.at(position));
        }
        let bound = self.bind_expression(operand, scope)?;
        match operator {
            U::Not => Ok(not(self.coerce_condition(bound, "NOT")?)),
            U::Plus => self.unary_plus(bound),
            U::BitwiseNot => self.bitwise_not(bound),
            U::PGAbs => self.call_by_name("abs", vec![bound], position),
            U::PGSquareRoot => self.call_by_name("dsqrt", vec![bound], position),
            U::PGCubeRoot => self.call_by_name("cbrt", vec![bound], position),
            U::Minus
            | U::AtDashAt
            | U::BangNot
            | U::DoubleAt
            | U::Hash
            | U::PGPostfixFactorial
            | U::PGPrefixFactorial
            | U::QuestionDash
            | U::QuestionPipe => Err(Error::unsupported(format_args!("the operator {operator} is"))),
        }
        .map_err(|error| error.at(position))
    }

    /// `-operand`.
    fn bind_minus(&mut self, operand: &ast::Expr, scope: &Scope<'_>) -> Result<Expression> {
        self.bind_powers(&factors(operand, 1), scope)
    }

    /// `a ^ b ^ c`, from the left.
    fn bind_powers(&mut self, factors: &[(usize, &ast::Expr)], scope: &Scope<'_>) -> Result<Expression> {
        let mut power: Option<Expression> = None;
        for &(signs, factor) in factors {
            let factor = self.bind_signed(signs, factor, scope)?;
            power = Some(match power {
                None => factor,
                Some(base) => {
                    let position = base.position.or(factor.position);
                    self.power(base, factor).map_err(|error| error.at(position))?
                }
            });
        }
        power.ok_or_else(|| Error::internal("a power of nothing"))
    }

    /// An expression behind some minus signs. Those before a literal belong to it: `-2147483648` is an integer, and
    /// `- -2147483648` a bigint.
    fn bind_signed(&mut self, signs: usize, expr: &ast::Expr, scope: &Scope<'_>) -> Result<Expression> {
        if let Some((own, digits, span)) = signed_number(expr)
            && signs + own > 0
        {
            let sign = if (signs + own) % 2 == 1 { "-" } else { "" };
            return Ok(super::literal::number(&format!("{sign}{digits}"))?.at(self.position(span)));
        }
        let mut bound = self.bind_expression(expr, scope)?;
        for _ in 0..signs {
            bound = self.negate(bound)?;
        }
        Ok(bound)
    }

    /// `~a + b` is `~(a + b)` in PostgreSQL and `(~a) + b` as sqlparser reads it.
    fn check_prefix(&self, left: &ast::Expr, operator: &BinaryOperator) -> Result<()> {
        use UnaryOperator as U;
        let sum = matches!(operator, BinaryOperator::Plus | BinaryOperator::Minus);
        match left {
            ast::Expr::UnaryOp { op: op @ (U::BitwiseNot | U::PGAbs | U::PGSquareRoot | U::PGCubeRoot), .. } if sum => {
                Err(Error::unsupported(format_args!("{op} before {operator} without parentheses is"))
                    .at(self.start(left)))
            }
            _ => Ok(()),
        }
    }

    /// `a || b`: one of them a string, the other anything that has a text.
    fn concatenate(&mut self, left: Expression, right: Expression) -> Result<Expression> {
        let (l, r) = (left.data_type, right.data_type);
        let stringy = |data_type: DataType| data_type.is_text() || data_type == DataType::Null;
        if !stringy(l) && !stringy(r) {
            return Err(no_operator("||", l, r, left.position));
        }
        let left = self.text_of(left)?;
        let right = self.text_of(right)?;
        Ok(fold::call(Function::Concat, vec![left, right], DataType::Text))
    }
}
