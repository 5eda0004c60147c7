//! LIKE, ILIKE and SIMILAR TO, and the operators of patterns.

use crate::error::Result;
use crate::function::{Function, PatternFunction};
use crate::relation::Expression;
use crate::relation::builder::{ElementTest, PatternOperator, Quantifier, Scope};
use crate::sql::binder::Binder;
use sqlparser::ast::{self, BinaryOperator};

/// `~~` and `~` and their families; none for other operators.
pub(super) fn pattern_operator(operator: &BinaryOperator) -> Option<PatternOperator> {
    let (function, negated) = match operator {
        BinaryOperator::PGLikeMatch => (Function::Like, false),
        BinaryOperator::PGNotLikeMatch => (Function::Like, true),
        BinaryOperator::PGILikeMatch => (Function::ILike, false),
        BinaryOperator::PGNotILikeMatch => (Function::ILike, true),
        BinaryOperator::PGRegexMatch => (Function::Pattern(PatternFunction::Matches), false),
        BinaryOperator::PGRegexNotMatch => (Function::Pattern(PatternFunction::Matches), true),
        BinaryOperator::PGRegexIMatch => (Function::Pattern(PatternFunction::MatchesAnyCase), false),
        BinaryOperator::PGRegexNotIMatch => (Function::Pattern(PatternFunction::MatchesAnyCase), true),
        _ => return None,
    };
    Some(PatternOperator { function, negated })
}

impl Binder<'_, '_> {
    /// `value [NOT] LIKE pattern [ESCAPE escape]`.
    pub(super) fn bind_like(
        &mut self,
        operator: PatternOperator,
        value: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if let (Some(patterns), None) = (all_of(pattern), escape) {
            return self.bind_quantified_test(Quantifier::All, ElementTest::Match(operator), value, patterns, scope);
        }
        let value = self.bind_expression(value, scope)?;
        let pattern = self.bind_expression(pattern, scope)?;
        let escape = escape.map(|escape| self.bind_expression(escape, scope)).transpose()?;
        self.builder.like(operator, value, pattern, escape)
    }

    /// `value [NOT] SIMILAR TO pattern [ESCAPE escape]`.
    pub(super) fn bind_similar(
        &mut self,
        negated: bool,
        value: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let value = self.bind_expression(value, scope)?;
        let pattern = self.bind_expression(pattern, scope)?;
        let escape = escape.map(|escape| self.bind_expression(escape, scope)).transpose()?;
        self.builder.similar(negated, value, pattern, escape)
    }
}

/// The array of `ALL (array)`, which sqlparser reads as a function behind LIKE.
fn all_of(pattern: &ast::Expr) -> Option<&ast::Expr> {
    let ast::Expr::Function(ast::Function { name, args: ast::FunctionArguments::List(list), .. }) = pattern else {
        return None;
    };
    let [part] = &name.0[..] else { return None };
    let is_all =
        part.as_ident().is_some_and(|ident| ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("all"));
    match &list.args[..] {
        [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(array))] if is_all => Some(array),
        _ => None,
    }
}
