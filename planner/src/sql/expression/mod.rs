//! Expressions: from sqlparser's tree to calls of the relation's builder, which types them.
//!
//! `form` has what they were written as. By what stands in the text: `literal`, `interval` and `data_type`; `operator` (and logic), `comparison`, `pattern`; `call`
//! (functions and aggregates), `routine` (those that users wrote), `lambda` and `syntax` (what looks otherwise and is one); `subquery`; `array`; `row` (and fields); `structure`.

mod array;
mod call;
mod comparison;
mod data_type;
mod form;
mod interval;
mod lambda;
mod literal;
mod operator;
mod pattern;
mod routine;
mod row;
mod structure;
mod subquery;
mod syntax;
#[cfg(test)]
mod tests;

use super::binder::Binder;
use crate::error::{Error, Position, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::{ElementTest, PatternOperator, Quantifier, Scope, set_not_allowed};
pub(in crate::sql) use call::{is_schema_of_functions, null_treatment, plain_argument};
pub(in crate::sql) use data_type::bind_type;
pub(crate) use data_type::{bind_data_type, restriction};
pub(in crate::sql) use form::text_of_query;
pub(in crate::sql) use interval::named_by_plural;
pub(in crate::sql) use lambda::{LambdasInSight, is_lambda};
pub(in crate::sql) use row::{before_all_fields, row_parts};
use sqlparser::ast::{self, Expr, Spanned};
pub(in crate::sql) use structure::quoted_text;

impl Binder<'_, '_> {
    /// Binds an expression. Its type is `DataType::Null` if it is a literal in quotes, a NULL or a parameter that
    /// nothing has given a type: `coerce` it to what is wanted, or to text.
    pub(crate) fn bind_expression(&mut self, ast: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        if !self.builder.records_forms() {
            return self.bind_unrecorded(ast, scope);
        }
        self.builder.open_form();
        match self.bind_unrecorded(ast, scope) {
            Ok(bound) => {
                let head = self.form_head(ast);
                Ok(self.builder.close_form(head, bound))
            }
            Err(error) => {
                self.builder.drop_form();
                Err(error)
            }
        }
    }

    fn bind_unrecorded(&mut self, ast: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        match ast {
            Expr::Value(value) => self.bind_value(value),
            Expr::Identifier(name) => {
                let position = self.position(name.span);
                // Words that PostgreSQL keeps for functions without parentheses.
                if name.quote_style.is_none()
                    && let name = Binder::fold(name)
                    && matches!(name.as_str(), "current_schema" | "current_role")
                {
                    return self.builder.call_by_name(&name, Vec::new(), position);
                }
                self.bind_name(&Binder::fold(name), position, scope)
            }
            _ => self.deeper(None, |binder| binder.bind_compound(ast, scope)),
        }
    }

    /// What has parts.
    fn bind_compound(&mut self, ast: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        match ast {
            Expr::Nested(inner) => self.bind_expression(inner, scope),
            Expr::CompoundIdentifier(parts) => self.bind_qualified(parts, scope),
            Expr::TypedString(typed) => self.bind_typed_string(typed),
            Expr::Interval(interval) => self.bind_interval(interval, scope),
            Expr::BinaryOp { left, op, right } => self.bind_binary(left, op, right, scope),
            Expr::UnaryOp { op, expr } => self.bind_unary(*op, expr, scope),
            Expr::IsNull(value) => self.bind_null_test(Function::IsNull, value, scope),
            Expr::IsNotNull(value) => self.bind_null_test(Function::IsNotNull, value, scope),
            Expr::IsTrue(value) => self.bind_truth_test(Function::IsTrue, false, "IS TRUE", value, scope),
            Expr::IsNotTrue(value) => self.bind_truth_test(Function::IsTrue, true, "IS NOT TRUE", value, scope),
            Expr::IsFalse(value) => self.bind_truth_test(Function::IsFalse, false, "IS FALSE", value, scope),
            Expr::IsNotFalse(value) => self.bind_truth_test(Function::IsFalse, true, "IS NOT FALSE", value, scope),
            Expr::IsUnknown(value) => self.bind_truth_test(Function::IsNull, false, "IS UNKNOWN", value, scope),
            Expr::IsNotUnknown(value) => {
                self.bind_truth_test(Function::IsNotNull, false, "IS NOT UNKNOWN", value, scope)
            }
            Expr::IsDistinctFrom(left, right) => self.bind_comparison(Function::IsDistinct, left, right, scope),
            Expr::IsNotDistinctFrom(left, right) => self.bind_comparison(Function::IsNotDistinct, left, right, scope),
            Expr::Between { expr, negated, low, high } => self.bind_between([expr, low, high], *negated, scope),
            Expr::InList { expr, list, negated } => self.bind_in_list(expr, list, *negated, scope),
            Expr::InSubquery { expr, subquery, negated } => self.bind_in_subquery(expr, subquery, *negated, scope),
            Expr::AnyOp { left, compare_op, right, is_some: _ } => {
                self.bind_quantified(Quantifier::Any, left, compare_op, right, scope)
            }
            Expr::AllOp { left, compare_op, right } => {
                self.bind_quantified(Quantifier::All, left, compare_op, right, scope)
            }
            Expr::Like { negated, any: true, expr, pattern, escape_char: None } => {
                let operator = PatternOperator { function: Function::Like, negated: *negated };
                self.bind_quantified_test(Quantifier::Any, ElementTest::Match(operator), expr, pattern, scope)
            }
            Expr::ILike { negated, any: true, expr, pattern, escape_char: None } => {
                let operator = PatternOperator { function: Function::ILike, negated: *negated };
                self.bind_quantified_test(Quantifier::Any, ElementTest::Match(operator), expr, pattern, scope)
            }
            Expr::Exists { subquery, negated } => self.bind_exists(subquery, *negated, scope),
            Expr::Subquery(query) => self.bind_scalar_subquery(query, scope),
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                let operator = PatternOperator { function: Function::Like, negated: *negated };
                self.bind_like(operator, expr, pattern, escape_char.as_deref(), scope)
            }
            Expr::ILike { negated, any: false, expr, pattern, escape_char } => {
                let operator = PatternOperator { function: Function::ILike, negated: *negated };
                self.bind_like(operator, expr, pattern, escape_char.as_deref(), scope)
            }
            Expr::SimilarTo { negated, expr, pattern, escape_char } => {
                self.bind_similar(*negated, expr, pattern, escape_char.as_deref(), scope)
            }
            _ => self.bind_function_like(ast, scope),
        }
    }

    /// CASE, casts, functions, and what looks like one.
    fn bind_function_like(&mut self, ast: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        match ast {
            Expr::Case { case_token, operand, conditions, else_result, end_token: _ } => {
                let position = self.position(case_token.0.span);
                let sets = scope.set_count();
                let case = self.bind_case(operand.as_deref(), conditions, else_result.as_deref(), scope)?;
                if scope.set_count() > sets {
                    return Err(set_not_allowed("CASE").at(position));
                }
                Ok(Expression { position: position.or(case.position), ..case })
            }
            Expr::Cast { kind: ast::CastKind::Cast | ast::CastKind::DoubleColon, expr, data_type, format: None } => {
                self.bind_cast(expr, data_type, scope)
            }
            Expr::Cast { kind: ast::CastKind::TryCast, expr, data_type, format: None } => {
                let value = self.bind_expression(expr, scope)?;
                let to = self.data_type(data_type, value.position)?;
                self.builder.try_cast(value, to, restriction(data_type))
            }
            Expr::Extract { field, syntax: _, expr } => self.bind_extract(field, expr, scope),
            Expr::Ceil { expr, field } => self.bind_rounding("ceil", expr, field, scope),
            Expr::Floor { expr, field } => self.bind_rounding("floor", expr, field, scope),
            Expr::Position { expr, r#in } => self.bind_position(expr, r#in, scope),
            Expr::Substring { expr, substring_from, substring_for, special: _, shorthand } => {
                let name = if *shorthand { "substr" } else { "substring" };
                self.bind_substring(name, expr, substring_from.as_deref(), substring_for.as_deref(), scope)
            }
            Expr::Trim { trim_where, trim_what, expr, trim_characters } => {
                let characters = match (trim_what, trim_characters.as_deref()) {
                    (what, None) => what.as_deref(),
                    (None, Some([what])) => Some(what),
                    _ => return Err(self.unsupported(ast)),
                };
                self.bind_trim(*trim_where, expr, characters, scope)
            }
            Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                self.bind_overlay([expr, overlay_what, overlay_from], overlay_for.as_deref(), scope)
            }
            Expr::Function(_) if row::is_row(ast) => self.bind_row_value(ast, scope),
            Expr::Function(function) => self.bind_function(function, scope),
            Expr::Array(array) => self.bind_array(array, scope),
            Expr::CompoundFieldAccess { root, access_chain } => self.bind_accesses(root, access_chain, scope),
            Expr::AtTimeZone { timestamp, time_zone } => {
                let value = self.bind_expression(timestamp, scope)?;
                let zone = self.bind_expression(time_zone, scope)?;
                self.builder.at_time_zone(value, zone)
            }
            Expr::Collate { expr, collation } => self.bind_collate(expr, collation, scope),
            Expr::Tuple(_) => self.bind_row_value(ast, scope),
            Expr::QualifiedWildcard(name, _) => self.bind_star_of(name, self.start(ast), scope),
            other => Err(self.unsupported(other)),
        }
    }

    /// Where an expression starts. Walks down its left edge only: `Spanned` would visit every node, and nest as
    /// deep as a chain of operators is long.
    pub(super) fn start(&self, ast: &Expr) -> Option<Position> {
        let mut first = ast;
        loop {
            first = match first {
                Expr::BinaryOp { left, .. } | Expr::AnyOp { left, .. } | Expr::AllOp { left, .. } => left,
                Expr::IsDistinctFrom(left, _) | Expr::IsNotDistinctFrom(left, _) => left,
                Expr::Nested(inner)
                | Expr::IsNull(inner)
                | Expr::IsNotNull(inner)
                | Expr::IsTrue(inner)
                | Expr::IsNotTrue(inner)
                | Expr::IsFalse(inner)
                | Expr::IsNotFalse(inner)
                | Expr::IsUnknown(inner)
                | Expr::IsNotUnknown(inner) => inner,
                Expr::UnaryOp { expr, .. }
                | Expr::Between { expr, .. }
                | Expr::InList { expr, .. }
                | Expr::InSubquery { expr, .. }
                | Expr::Like { expr, .. }
                | Expr::ILike { expr, .. }
                | Expr::SimilarTo { expr, .. }
                | Expr::Cast { expr, .. } => expr,
                Expr::CompoundFieldAccess { root, .. } => root,
                Expr::AtTimeZone { timestamp, .. } => timestamp,
                Expr::Function(function) => return self.position(function.name.span()),
                Expr::Case { case_token, .. } => return self.position(case_token.0.span),
                Expr::Subquery(query) | Expr::Exists { subquery: query, .. } => return self.query_start(query),
                other => return self.position(other.span()),
            }
        }
    }

    /// Where a query starts.
    pub(super) fn query_start(&self, query: &ast::Query) -> Option<Position> {
        if let Some(with) = &query.with {
            return self.position(with.with_token.0.span);
        }
        self.body_start(&query.body)
    }

    /// Where what a query is of starts.
    pub(super) fn body_start(&self, mut body: &ast::SetExpr) -> Option<Position> {
        loop {
            body = match body {
                ast::SetExpr::SetOperation { left, .. } => left,
                ast::SetExpr::Query(inner) => match &inner.with {
                    Some(with) => return self.position(with.with_token.0.span),
                    None => &inner.body,
                },
                ast::SetExpr::Select(select) => return self.position(select.select_token.0.span),
                other => return self.position(other.span()),
            }
        }
    }

    fn unsupported(&self, ast: &Expr) -> Error {
        let what = match ast {
            Expr::Cast { kind: ast::CastKind::SafeCast, .. } => "SAFE_CAST is",
            Expr::Cast { .. } => "CAST … FORMAT is",
            Expr::RLike { .. } => "RLIKE is",
            Expr::Like { .. } | Expr::ILike { .. } => "LIKE ANY is",
            Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => "GROUPING SETS, CUBE or ROLLUP is",
            Expr::JsonAccess { .. } | Expr::IsJson { .. } => "JSON is",
            Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => "* as an expression is",
            other => return Error::unsupported(format_args!("{other} is")).at(self.start(ast)),
        };
        Error::unsupported(what).at(self.start(ast))
    }

    /// `a IS TRUE` and its family.
    fn bind_truth_test(
        &mut self,
        function: Function,
        negated: bool,
        name: &str,
        value: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let value = self.bind_expression(value, scope)?;
        self.builder.truth_test(function, negated, name, value)
    }

    /// `CAST(value AS type)` and `value::type`.
    fn bind_cast(&mut self, value: &Expr, data_type: &ast::DataType, scope: &Scope<'_>) -> Result<Expression> {
        if let Some(array) = self.bind_typed_array(value, data_type, scope)? {
            return Ok(array);
        }
        let value = self.bind_expression(value, scope)?;
        let to = self.data_type(data_type, value.position)?;
        self.builder.cast(value, to, restriction(data_type))
    }
}
