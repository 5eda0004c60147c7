//! LIMIT, OFFSET and FETCH FIRST.

use super::binder::Binder;
use super::expression::Coercion;
use super::scope::{Clause, Scope};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::evaluate;
use crate::function::Function;
use crate::relation::{Expression, ExpressionKind, Relation, SubqueryKind};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

impl Binder<'_> {
    /// Puts the limit, if there is one, over the rows.
    pub(super) fn bind_limit(
        &mut self,
        input: Arc<Relation>,
        limit: Option<&ast::LimitClause>,
        fetch: Option<&ast::Fetch>,
    ) -> Result<Arc<Relation>> {
        let (rows, offset) = match limit {
            None => (None, None),
            Some(ast::LimitClause::LimitOffset { limit, offset, limit_by }) => {
                if let Some(by) = limit_by.first() {
                    return Err(Error::unsupported("LIMIT BY is").at(self.position(by.span())));
                }
                // ROW or ROWS behind the number changes nothing.
                let offset = offset.as_ref().map(|ast::Offset { value, rows: _ }| value);
                (limit.as_ref(), offset)
            }
            Some(ast::LimitClause::OffsetCommaLimit { offset, limit: _ }) => {
                let error = Error::unsupported("LIMIT offset, rows is").with_hint("Use LIMIT rows OFFSET offset.");
                return Err(error.at(self.position(offset.span())));
            }
        };
        let mut rows = rows.map(|rows| self.bind_row_count(rows, "LIMIT")).transpose()?;
        if let Some(ast::Fetch { with_ties, percent, quantity }) = fetch {
            let position = quantity.as_ref().and_then(|quantity| self.position(quantity.span()));
            if *with_ties || *percent {
                return Err(Error::unsupported("FETCH FIRST with PERCENT or WITH TIES is").at(position));
            }
            if rows.is_some() {
                let message = "multiple LIMIT clauses not allowed";
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            }
            rows = Some(match quantity {
                Some(quantity) => self.bind_row_count(quantity, "FETCH FIRST")?,
                None => Expression::constant(Value::Int(1), DataType::BigInt),
            });
        }
        let offset = offset.map(|offset| self.bind_row_count(offset, "OFFSET")).transpose()?;
        let all = |rows: &Expression| matches!(rows.kind, ExpressionKind::Constant(Value::Null));
        let (limit, offset) = (rows.filter(|rows| !all(rows)), offset.filter(|offset| !all(offset)));
        if limit.is_none() && offset.is_none() {
            return Ok(input);
        }
        Ok(Arc::new(Relation::Limit { input, limit, offset }))
    }

    /// A number of rows: of constants and parameters, as a bigint that is not negative (2201W, 2201X).
    fn bind_row_count(&mut self, ast: &ast::Expr, clause: &str) -> Result<Expression> {
        let position = self.position(ast.span());
        let scope = Scope::empty(None, Clause::Limit);
        let bound = match self.bind_expression(ast, &scope) {
            Err(error) if error.kind() == ErrorKind::UnknownColumn => {
                let message = format!("argument of {clause} must not contain variables");
                Err(Error::new(ErrorKind::InvalidColumnReference, message).at(position))
            }
            bound => bound,
        };
        let bound = self.coerce(bound?, DataType::BigInt, Coercion::Assignment)?;
        let count = fold(bound).map_err(|error| error.at(position))?;
        match &count.kind {
            ExpressionKind::Constant(Value::Int(rows)) if *rows < 0 => {
                Err(Error::negative_row_count(clause).at(position))
            }
            _ if is_ground(&count) => Ok(count),
            _ => {
                Err(Error::unsupported(format_args!("{clause} of what is no constant and no parameter is"))
                    .at(position))
            }
        }
    }
}

/// Whether an expression is made of constants and parameters.
fn is_ground(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => true,
        ExpressionKind::Call(function, arguments) => *function != Function::Random && arguments.iter().all(is_ground),
        // What it asks for is computed once: it sees no row of the query that it limits.
        ExpressionKind::Subquery(subquery) => matches!(subquery.kind, SubqueryKind::Scalar(_)),
        _ => false,
    }
}

/// Evaluates what is made of constants only, as in `LIMIT 5 * 10`.
fn fold(expression: Expression) -> Result<Expression> {
    let Expression { kind, data_type, position } = expression;
    let folded = match kind {
        ExpressionKind::Call(function, arguments) => {
            let arguments = arguments.into_iter().map(fold).collect::<Result<Vec<_>>>()?;
            let constants = arguments.iter().map(|argument| match &argument.kind {
                ExpressionKind::Constant(value) => Some(value.clone()),
                _ => None,
            });
            match constants.collect::<Option<Vec<_>>>() {
                Some(values) if function != Function::Random => {
                    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
                    ExpressionKind::Constant(evaluate(function, &values, &types, data_type)?)
                }
                _ => ExpressionKind::Call(function, arguments),
            }
        }
        kind => kind,
    };
    Ok(Expression { kind: folded, data_type, position })
}
