//! LIMIT, OFFSET and FETCH FIRST.

use super::binder::Binder;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Clause, Scope, names_columns};
use crate::relation::{Expression, Relation};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

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
        Ok(self.builder.limit(input, rows, offset))
    }

    /// A number of rows, which may not mention columns.
    fn bind_row_count(&mut self, ast: &ast::Expr, clause: &str) -> Result<Expression> {
        let position = self.position(ast.span());
        let scope = Scope::empty(None, Clause::Limit);
        let count = match self.bind_expression(ast, &scope) {
            Err(error) if error.kind() == ErrorKind::UnknownColumn => Err(names_columns(clause).at(position)),
            bound => bound,
        };
        self.builder.row_count(count?, clause, position)
    }
}
