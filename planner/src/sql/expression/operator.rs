//! Operators by their spelling, and what sqlparser reads otherwise than PostgreSQL does: chains of logic, and minus signs.

use super::pattern::pattern_operator;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::{Operator, Scope, Sign, and, or};
use crate::sql::binder::Binder;
use sqlparser::ast::{self, BinaryOperator, UnaryOperator};
use sqlparser::tokenizer::Span;

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

/// What `OPERATOR(pg_catalog.~)` stands for; none for other operators, and for names that no operator has.
pub(super) fn named(operator: &BinaryOperator) -> Option<&'static BinaryOperator> {
    use BinaryOperator as B;
    const NAMED: [(&str, B); 31] = [
        ("=", B::Eq),
        ("<>", B::NotEq),
        ("<", B::Lt),
        ("<=", B::LtEq),
        (">", B::Gt),
        (">=", B::GtEq),
        ("+", B::Plus),
        ("-", B::Minus),
        ("*", B::Multiply),
        ("/", B::Divide),
        ("%", B::Modulo),
        ("^", B::PGExp),
        ("&", B::BitwiseAnd),
        ("|", B::BitwiseOr),
        ("#", B::PGBitwiseXor),
        ("<<", B::PGBitwiseShiftLeft),
        (">>", B::PGBitwiseShiftRight),
        ("||", B::StringConcat),
        ("^@", B::PGStartsWith),
        ("@>", B::AtArrow),
        ("<@", B::ArrowAt),
        ("&&", B::PGOverlap),
        ("~", B::PGRegexMatch),
        ("!~", B::PGRegexNotMatch),
        ("~*", B::PGRegexIMatch),
        ("!~*", B::PGRegexNotIMatch),
        ("~~", B::PGLikeMatch),
        ("!~~", B::PGNotLikeMatch),
        ("~~*", B::PGILikeMatch),
        ("!~~*", B::PGNotILikeMatch),
        ("!=", B::NotEq),
    ];
    let B::PGCustomBinaryOperator(parts) = operator else { return None };
    let name = match &parts[..] {
        [name] => name,
        [schema, name] if schema == "pg_catalog" => name,
        _ => return None,
    };
    NAMED.iter().find(|(known, _)| known == name).map(|(_, operator)| operator)
}

/// The operator of a spelling.
fn operator(operator: &BinaryOperator) -> Option<Operator> {
    Some(match operator {
        BinaryOperator::Plus => Operator::Add,
        BinaryOperator::Minus => Operator::Subtract,
        BinaryOperator::Multiply => Operator::Multiply,
        BinaryOperator::Divide => Operator::Divide,
        BinaryOperator::Modulo => Operator::Modulo,
        BinaryOperator::BitwiseAnd => Operator::BitAnd,
        BinaryOperator::BitwiseOr => Operator::BitOr,
        BinaryOperator::PGBitwiseXor => Operator::BitXor,
        BinaryOperator::PGBitwiseShiftLeft => Operator::ShiftLeft,
        BinaryOperator::PGBitwiseShiftRight => Operator::ShiftRight,
        BinaryOperator::StringConcat => Operator::Concatenate,
        BinaryOperator::PGStartsWith => Operator::StartsWith,
        BinaryOperator::AtArrow => Operator::Contains,
        BinaryOperator::ArrowAt => Operator::IsContained,
        BinaryOperator::PGOverlap => Operator::Overlaps,
        BinaryOperator::Arrow => Operator::Member,
        BinaryOperator::LongArrow => Operator::MemberText,
        BinaryOperator::HashArrow => Operator::Path,
        BinaryOperator::HashLongArrow => Operator::PathText,
        BinaryOperator::Question => Operator::HasKey,
        BinaryOperator::QuestionPipe => Operator::HasAny,
        BinaryOperator::QuestionAnd => Operator::HasAll,
        BinaryOperator::HashMinus => Operator::WithoutPath,
        BinaryOperator::AtQuestion => Operator::PathExists,
        BinaryOperator::AtAt => Operator::PathMatches,
        BinaryOperator::LtDashGt => Operator::Distance,
        BinaryOperator::Spaceship => Operator::CosineDistance,
        BinaryOperator::Custom(name) => return distance(name),
        BinaryOperator::PGCustomBinaryOperator(parts) => return distance(parts.last()?),
        _ => return None,
    })
}

/// The operator of vectors of a spelling: `sql/forms/distance.rs` makes all of them operators of their own names.
fn distance(name: &str) -> Option<Operator> {
    Some(match name {
        "<->" => Operator::Distance,
        "<#>" => Operator::NegativeInnerProduct,
        "<=>" => Operator::CosineDistance,
        "<+>" => Operator::ManhattanDistance,
        _ => return None,
    })
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

/// The minus signs before each factor of a power, or of what has signs alone.
pub(super) fn signs_of_powers(expr: &ast::Expr) -> Vec<usize> {
    factors(expr, 0).into_iter().map(|(signs, _)| signs).collect()
}

/// A number with minus signs before it, in parentheses or not: PostgreSQL reads all of them as one literal, so that
/// `-(-2147483648)` is a bigint.
pub(super) fn signed_number(expr: &ast::Expr) -> Option<(usize, &str, Span)> {
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

impl Binder<'_, '_> {
    /// `left operator right`.
    pub(super) fn bind_binary(
        &mut self,
        left: &ast::Expr,
        operator: &BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        use BinaryOperator as B;
        let operator = named(operator).unwrap_or(operator);
        if let Some(function) = comparison(operator) {
            return self.bind_comparison(function, left, right, scope);
        }
        if let Some(pattern) = pattern_operator(operator) {
            return self.bind_like(pattern, left, right, None, scope);
        }
        match operator {
            B::Overlaps => return self.bind_overlaps(left, right, scope),
            B::And | B::Or => return self.bind_logic(left, operator, right, scope),
            B::PGExp => {
                let mut factors = factors(left, 0);
                factors.extend(self::factors(right, 0));
                return self.bind_powers(&factors, scope);
            }
            _ => {}
        }
        let Some(applied) = self::operator(operator) else {
            return Err(Error::unsupported(format_args!("the operator {operator} is")).at(self.start(left)));
        };
        self.check_prefix(left, operator)?;
        let left = self.bind_expression(left, scope)?;
        let right = self.bind_expression(right, scope)?;
        self.builder.operator(applied, left, right)
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
            bound.push(self.builder.coerce_condition(operand, name)?);
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
            U::Not => self.builder.negation(bound),
            U::Plus => self.builder.signed(Sign::Plus, bound),
            U::BitwiseNot => self.builder.signed(Sign::BitNot, bound),
            U::PGAbs => self.builder.call_by_name("abs", vec![bound], position),
            U::PGSquareRoot => self.builder.call_by_name("dsqrt", vec![bound], position),
            U::PGCubeRoot => self.builder.call_by_name("cbrt", vec![bound], position),
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
                Some(base) => self.builder.operator(Operator::Power, base, factor)?,
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
            return Ok(self.builder.number(&format!("{sign}{digits}"))?.at(self.position(span)));
        }
        let mut bound = self.bind_expression(expr, scope)?;
        for _ in 0..signs {
            bound = self.builder.signed(Sign::Minus, bound)?;
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
}
