//! LIMIT and OFFSET: numbers of rows, which no row may decide.

use super::{Builder, Coercion};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::evaluate;
use crate::relation::{Expression, ExpressionKind, Relation, SubqueryKind};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

impl Builder<'_> {
    /// A number of rows: of constants and parameters, as a bigint that is not negative (2201W, 2201X). `clause` is what it
    /// stands in.
    pub fn row_count(&mut self, count: Expression, clause: &str, position: Option<Position>) -> Result<Expression> {
        let count = self.coerce(count, DataType::BigInt, Coercion::Assignment)?;
        let count = fold(count).map_err(|error| error.at(position))?;
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

    /// Puts a limit over rows; NULL is none.
    pub fn limit(&self, input: Arc<Relation>, rows: Option<Expression>, offset: Option<Expression>) -> Arc<Relation> {
        let all = |rows: &Expression| matches!(rows.kind, ExpressionKind::Constant(Value::Null));
        let (limit, offset) = (rows.filter(|rows| !all(rows)), offset.filter(|offset| !all(offset)));
        if limit.is_none() && offset.is_none() {
            return input;
        }
        Arc::new(Relation::Limit { input, limit, offset })
    }
}

/// The error (42P10) for a number of rows that names a column.
pub(crate) fn names_columns(clause: &str) -> Error {
    let message = format!("argument of {clause} must not contain variables");
    Error::new(ErrorKind::InvalidColumnReference, message)
}

/// Whether an expression is made of constants and parameters.
fn is_ground(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => true,
        ExpressionKind::Call(function, arguments) => !function.is_volatile() && arguments.iter().all(is_ground),
        // What it asks for is computed once: it sees no row of the query that it limits.
        ExpressionKind::Subquery(subquery) => matches!(subquery.kind, SubqueryKind::Scalar(_)),
        _ => false,
    }
}

/// Evaluates what is made of constants only, as in `LIMIT 5 * 10`.
fn fold(expression: Expression) -> Result<Expression> {
    let Expression { kind, data_type, position, written } = expression;
    let folded = match kind {
        ExpressionKind::Call(function, arguments) => {
            let arguments = arguments.into_iter().map(fold).collect::<Result<Vec<_>>>()?;
            let constants = arguments.iter().map(|argument| match &argument.kind {
                ExpressionKind::Constant(value) => Some(value.clone()),
                _ => None,
            });
            match constants.collect::<Option<Vec<_>>>() {
                Some(values) if function.is_immutable() => {
                    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
                    ExpressionKind::Constant(evaluate(function, &values, &types, data_type)?)
                }
                _ => ExpressionKind::Call(function, arguments),
            }
        }
        kind => kind,
    };
    Ok(Expression { kind: folded, data_type, position, written })
}
