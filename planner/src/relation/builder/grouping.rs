//! Above GROUP BY only keys and aggregates are left. After the clauses of a grouped SELECT are built over its FROM,
//! every expression that equals a key becomes the key's column, and a column that still comes from FROM is
//! reported (42803). Subqueries are searched too: there, the grouped columns are correlated references.

use super::scope::Scope;
use super::walk;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{AggregateCall, AggregateFunction, ColumnId, Expression, ExpressionKind};

/// The keys of a grouped SELECT, over the scope of its FROM.
pub(super) struct Grouping<'g> {
    /// Each key's column and its value.
    pub(super) keys: &'g [(ColumnId, Expression)],
    /// The FROM that was grouped.
    pub(super) scope: &'g Scope<'g>,
}

impl Grouping<'_> {
    /// Replaces what equals a key and reports what is neither grouped nor aggregated.
    pub(super) fn replace(&self, expression: &mut Expression) -> Result<()> {
        self.replace_within(expression, false)
    }

    fn replace_within(&self, expression: &mut Expression, in_subquery: bool) -> Result<()> {
        let constant = matches!(expression.kind, ExpressionKind::Constant(_) | ExpressionKind::Parameter(_));
        if constant {
            return Ok(());
        }
        if let Some((id, key)) = self.keys.iter().find(|(_, key)| *key == *expression) {
            *expression = Expression {
                kind: ExpressionKind::Column(*id),
                data_type: key.data_type,
                position: expression.position,
            };
            return Ok(());
        }
        if let ExpressionKind::Column(id) = expression.kind {
            return self.check_column(id, in_subquery).map_err(|error| error.at(expression.position));
        }
        if let Some((relation, predicate)) = walk::subquery_mut(expression) {
            if let Some(predicate) = predicate {
                self.replace_within(predicate, true)?;
            }
            return walk::change_expressions(relation, &mut |inner| self.replace_within(inner, true));
        }
        expression.children_mut().into_iter().try_for_each(|child| self.replace_within(child, in_subquery))
    }

    fn check_column(&self, id: ColumnId, in_subquery: bool) -> Result<()> {
        let Some(column) = self.scope.columns.iter().find(|column| column.id == id) else { return Ok(()) };
        let name = match &column.table {
            Some(table) => format!("{table}.{}", column.name),
            None => column.name.clone(),
        };
        let message = if in_subquery {
            format!("subquery uses ungrouped column \"{name}\" from outer query")
        } else {
            format!("column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function")
        };
        Err(Error::new(ErrorKind::Grouping, message))
    }
}

/// Whether an aggregate counts, so that it is never NULL.
pub(super) fn is_count(call: &AggregateCall) -> bool {
    matches!(call.function, AggregateFunction::CountRows | AggregateFunction::Count)
}
