//! VALUES as a query: columns `column1`, `column2`, …, each of the one type that its rows agree on.

use super::binder::Binder;
use super::expression::{Coercion, types_to_unify, unify_types};
use super::query::{Rows, Unknown};
use super::scope::{Clause, Scope};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{Expression, ExpressionKind, Relation};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

impl Binder<'_> {
    /// Binds VALUES.
    pub(super) fn bind_values(
        &mut self,
        values: &ast::Values,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
    ) -> Result<Rows> {
        let mut rows = Vec::new();
        for row in self.values_rows(values)? {
            let scope = Scope::empty(parent, Clause::Values);
            let row = row.iter().map(|value| self.bind_expression(value, &scope));
            rows.push(row.collect::<Result<Vec<_>>>()?);
        }
        let mut types = Vec::new();
        for index in 0..rows.first().map_or(0, Vec::len) {
            types.push(self.agree_on_type(&mut rows, index, unknown.data_type(index))?);
        }
        Ok(self.values_relation(rows, &types, |index| format!("column{}", index + 1)))
    }

    /// The rows of VALUES, checked to be of one length.
    pub(super) fn values_rows<'v>(&self, values: &'v ast::Values) -> Result<Vec<&'v [ast::Expr]>> {
        let ast::Values { explicit_row, value_keyword, rows } = values;
        let position = self.position(values.span());
        if *explicit_row || *value_keyword {
            return Err(Error::unsupported("VALUES ROW (…) and VALUE are").at(position));
        }
        let rows: Vec<&[ast::Expr]> =
            rows.iter().map(|ast::Parens { opening_token: _, content, closing_token: _ }| content.as_slice()).collect();
        let length = rows.first().map_or(0, |row| row.len());
        match rows.iter().find(|row| row.len() != length) {
            Some(row) => {
                let position = row.first().and_then(|value| self.position(value.span())).or(position);
                Err(Error::new(ErrorKind::Syntax, "VALUES lists must all be the same length").at(position))
            }
            None => Ok(rows),
        }
    }

    /// Rows of one type a column as a relation.
    pub(super) fn values_relation(
        &mut self,
        rows: Vec<Vec<Expression>>,
        types: &[DataType],
        name: impl Fn(usize) -> String,
    ) -> Rows {
        let output: Vec<_> = types
            .iter()
            .enumerate()
            .map(|(index, data_type)| {
                let nullable = rows.iter().any(|row| may_be_null(&row[index]));
                (name(index), self.columns.add(name(index), *data_type, nullable))
            })
            .collect();
        let columns = output.iter().map(|(_, id)| *id).collect();
        (Arc::new(Relation::Values { columns, rows }), output)
    }

    fn agree_on_type(
        &mut self,
        rows: &mut [Vec<Expression>],
        index: usize,
        unknown: Option<DataType>,
    ) -> Result<DataType> {
        let types = types_to_unify(rows.iter().map(|row| &row[index]));
        let agreed = if types.iter().all(|data_type| *data_type == DataType::Null) {
            let Some(data_type) = unknown else { return Ok(DataType::Null) };
            data_type
        } else {
            let odd = |error: Error| {
                let odd = (1..types.len()).find(|end| unify_types(&types[..=*end], "VALUES").is_err());
                error.at(odd.and_then(|row| rows[row][index].position))
            };
            unify_types(&types, "VALUES").map_err(odd)?
        };
        for row in rows {
            let value = row[index].clone();
            row[index] = self.coerce(value, agreed, Coercion::Assignment)?;
        }
        Ok(agreed)
    }
}

/// Whether an expression can be NULL, for all that its outermost node shows.
pub(super) fn may_be_null(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Constant(value) => value.is_null(),
        _ => true,
    }
}
