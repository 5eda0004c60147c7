//! LIMIT, OFFSET and FETCH FIRST.

use super::binder::Binder;
use super::forms::{LIMIT_PERCENT, LIMIT_WITH_TIES};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Clause, Scope, names_columns};
use crate::relation::{Expression, Relation};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// What stands in the mark that a LIMIT has, if it has this one.
fn marked<'l>(limit: &'l ast::Expr, mark: &str) -> Option<&'l ast::Expr> {
    let ast::Expr::Function(ast::Function { name, args: ast::FunctionArguments::List(list), .. }) = limit else {
        return None;
    };
    let [ast::ObjectNamePart::Identifier(name)] = name.0.as_slice() else { return None };
    let [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(inner))] = list.args.as_slice() else { return None };
    (name.value == mark && name.quote_style.is_some()).then_some(inner)
}

impl Binder<'_, '_> {
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
        if let Some(rows) = rows.and_then(|rows| marked(rows, LIMIT_WITH_TIES)) {
            let position = self.position(rows.span());
            let rows = self.bind_row_count(rows, "FETCH FIRST")?;
            let offset = offset.map(|offset| self.bind_row_count(offset, "OFFSET")).transpose()?;
            return self.builder.limit_with_ties(input, rows, offset, position);
        }
        if let Some(percent) = rows.and_then(|rows| marked(rows, LIMIT_PERCENT)) {
            if let Some(fetch) = fetch {
                let position = fetch.quantity.as_ref().and_then(|quantity| self.position(quantity.span()));
                return Err(Error::new(ErrorKind::Syntax, "multiple LIMIT clauses not allowed").at(position));
            }
            return self.bind_limit_percent(input, percent, offset);
        }
        let mut rows = rows.map(|rows| self.bind_row_count(rows, "LIMIT")).transpose()?;
        let mut ties = None;
        if let Some(ast::Fetch { with_ties, percent, quantity }) = fetch {
            let position = quantity.as_ref().and_then(|quantity| self.position(quantity.span()));
            if let (true, false, Some(percent), None) = (*percent, *with_ties, quantity, &rows) {
                return self.bind_limit_percent(input, percent, offset);
            }
            if *percent {
                return Err(Error::unsupported("FETCH FIRST … PERCENT WITH TIES is").at(position));
            }
            ties = with_ties.then_some(position);
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
        match (ties, rows) {
            (Some(position), Some(rows)) => self.builder.limit_with_ties(input, rows, offset, position),
            (_, rows) => Ok(self.builder.limit(input, rows, offset)),
        }
    }

    /// A share of the rows.
    fn bind_limit_percent(
        &mut self,
        input: Arc<Relation>,
        percent: &ast::Expr,
        offset: Option<&ast::Expr>,
    ) -> Result<Arc<Relation>> {
        let position = self.position(percent.span());
        let scope = Scope::empty(None, Clause::Limit);
        let share = match self.bind_expression(percent, &scope) {
            Err(error) if error.kind() == ErrorKind::UnknownColumn => Err(names_columns("LIMIT").at(position)),
            bound => bound,
        };
        let offset = offset.map(|offset| self.bind_row_count(offset, "OFFSET")).transpose()?;
        self.builder.limit_percent(input, share?, offset).map_err(|error| error.at(position))
    }

    /// A number of rows, which may not mention columns.
    pub(super) fn bind_row_count(&mut self, ast: &ast::Expr, clause: &str) -> Result<Expression> {
        let position = self.position(ast.span());
        let scope = Scope::empty(None, Clause::Limit);
        let count = match self.bind_expression(ast, &scope) {
            Err(error) if error.kind() == ErrorKind::UnknownColumn => Err(names_columns(clause).at(position)),
            bound => bound,
        };
        self.builder.row_count(count?, clause, position)
    }
}
