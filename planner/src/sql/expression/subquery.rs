//! Subqueries as values: scalar, EXISTS, IN, ANY, ALL.
//!
//! `x op ANY (…)` becomes a subquery with a predicate over its columns; `x IN (…)` is `x = ANY (…)`, and `NOT IN` its
//! negation, which gives SQL's NULL rule. Over an array literal, ANY and ALL are lists of comparisons.

use super::operator::{and, comparison, not, or};
use super::row;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::{Expression, ExpressionKind, Subquery, SubqueryKind};
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use sqlparser::ast;

/// ANY (SOME, IN) or ALL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    /// TRUE if the comparison is for one.
    Any,
    /// TRUE if the comparison is for each.
    All,
}

impl Binder<'_> {
    /// `(SELECT …)` as a value.
    pub(super) fn bind_scalar_subquery(&mut self, query: &ast::Query, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.query_start(query);
        let (relation, output) = self.bind_subquery(query, scope)?;
        let [(_, column)] = output.as_slice() else {
            return Err(Error::new(ErrorKind::Syntax, "subquery must return only one column").at(position));
        };
        let data_type = self.columns.get(*column).data_type;
        let subquery = Subquery { kind: SubqueryKind::Scalar(*column), relation };
        Ok(Expression::new(ExpressionKind::Subquery(Box::new(subquery)), data_type).at(position))
    }

    /// `[NOT] EXISTS (SELECT …)`.
    pub(super) fn bind_exists(&mut self, query: &ast::Query, negated: bool, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.query_start(query);
        let (relation, _) = self.bind_subquery(query, scope)?;
        let subquery = Subquery { kind: SubqueryKind::Exists, relation };
        let exists = Expression::new(ExpressionKind::Subquery(Box::new(subquery)), DataType::Boolean).at(position);
        Ok(if negated { not(exists) } else { exists })
    }

    /// `left function ANY|ALL (SELECT …)`, where left may be a row.
    pub(super) fn bind_quantified_subquery(
        &mut self,
        quantifier: Quantifier,
        function: Function,
        left: &ast::Expr,
        query: &ast::Query,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let position = self.start(left);
        let fields = row::fields(left).map_or(1, |fields| fields.len());
        let left = self.bind_row(left, fields, scope)?;
        let (relation, output) = self.bind_subquery(query, scope)?;
        if output.len() != fields {
            let many = if output.len() > fields { "many" } else { "few" };
            return Err(Error::new(ErrorKind::Syntax, format!("subquery has too {many} columns")).at(position));
        }
        let right = output.iter().map(|(_, column)| self.columns.reference(*column)).collect();
        let predicate = self.compare_rows(function, left, right).map_err(|error| error.at(position))?;
        let kind = match quantifier {
            Quantifier::Any => SubqueryKind::Any(predicate),
            Quantifier::All => SubqueryKind::All(predicate),
        };
        let subquery = Subquery { kind, relation };
        Ok(Expression::new(ExpressionKind::Subquery(Box::new(subquery)), DataType::Boolean).at(position))
    }

    /// `left operator ANY|ALL (subquery or array)`.
    pub(super) fn bind_quantified(
        &mut self,
        quantifier: Quantifier,
        left: &ast::Expr,
        operator: &ast::BinaryOperator,
        right: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let Some(function) = comparison(operator) else {
            return Err(Error::unsupported(format_args!("{operator} ANY or ALL is")).at(self.start(left)));
        };
        let right = strip(right);
        let array = match right {
            ast::Expr::Subquery(query) => {
                return self.bind_quantified_subquery(quantifier, function, left, query, scope);
            }
            ast::Expr::Array(array) => array,
            _ => {
                return Err(
                    Error::unsupported("ANY or ALL of anything but a subquery or ARRAY[…] is").at(self.start(right))
                );
            }
        };
        let value = self.bind_expression(left, scope)?;
        let items = array.elem.iter().map(|item| self.bind_expression(item, scope)).collect::<Result<Vec<_>>>()?;
        let items = self.unify(items, "ARRAY")?;
        if quantifier == Quantifier::Any && function == Function::Equal {
            return self.in_list(value, items);
        }
        let mut tests = Vec::with_capacity(items.len());
        for item in items {
            tests.push(self.compare(function, value.clone(), item)?);
        }
        Ok(if quantifier == Quantifier::Any { or(tests) } else { and(tests) })
    }
}

fn strip(ast: &ast::Expr) -> &ast::Expr {
    match ast {
        ast::Expr::Nested(inner) => strip(inner),
        other => other,
    }
}
