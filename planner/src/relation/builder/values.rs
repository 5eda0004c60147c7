//! Literal rows: each column of the one type that its values agree on.

use super::expression::{text_as_decimal, types_to_unify};
use super::{Builder, Coercion, Rows, unify_types};
use crate::error::{Error, Result};
use crate::relation::{Expression, ExpressionKind, Relation};
use crate::types::DataType;
use std::sync::Arc;

impl Builder<'_> {
    /// Rows of one length as a relation; a column of no known type takes the one that `unknown` gives for its place, if any.
    pub fn values(
        &mut self,
        mut rows: Vec<Vec<Expression>>,
        unknown: impl Fn(usize) -> Option<DataType>,
        name: impl Fn(usize) -> String,
    ) -> Result<Rows> {
        let mut types = Vec::new();
        for index in 0..rows.first().map_or(0, Vec::len) {
            types.push(self.agree_on_type(&mut rows, index, unknown(index))?);
        }
        Ok(self.typed_values(rows, &types, name))
    }

    /// Rows of one type a column as a relation.
    pub(crate) fn typed_values(
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
        let types = || rows.iter().map(|row| row[index].data_type);
        if types().any(DataType::is_exact) && !types().any(DataType::is_float) {
            for row in rows.iter_mut() {
                let value = row[index].clone();
                row[index] = text_as_decimal(value)?;
            }
        }
        let types = types_to_unify(rows.iter().map(|row| &row[index]));
        let agreed = if types.iter().all(|data_type| *data_type == DataType::Null) {
            let Some(data_type) = unknown else { return Ok(DataType::Null) };
            data_type
        } else {
            let odd = |error: Error| {
                let odd = (1..types.len()).find(|end| unify_types(&types[..=*end], "VALUES").is_err());
                error.at(odd.and_then(|row| rows[row][index].position))
            };
            let agreed = unify_types(&types, "VALUES").map_err(odd)?;
            if unknown.is_some() { agreed.settled() } else { agreed }
        };
        for row in rows {
            let value = row[index].clone();
            row[index] = self.coerce(value, agreed, Coercion::Assignment)?;
        }
        Ok(agreed)
    }
}

/// Whether an expression can be NULL, for all that its outermost node shows.
pub(crate) fn may_be_null(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Constant(value) => value.is_null(),
        _ => true,
    }
}
