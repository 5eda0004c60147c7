//! VALUES as a query: columns `column1`, `column2`, …, each of the one type that its rows agree on.

use super::binder::Binder;
use super::query::Unknown;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Clause, Rows, Scope};
use sqlparser::ast::{self, Spanned};

impl Binder<'_, '_> {
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
        self.builder.values(rows, |index| unknown.data_type(index), |index| format!("column{}", index + 1))
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
}
