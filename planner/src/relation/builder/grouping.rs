//! Above GROUP BY only keys and aggregates are left. After the clauses of a grouped SELECT are built over its FROM,
//! every expression that is written as a key becomes the key's column, and a column that still comes from FROM is
//! reported (42803), also where folding has dropped it. Subqueries are searched too: there, the grouped columns are
//! correlated references.
//!
//! A key is an item of the select list, where one is written alike or GROUP BY names it, or an expression that is none. Two
//! items that are written alike are two keys if GROUP BY names both. What is not such an item as a whole takes the first key
//! in the order of the select list. A constant that is no whole item stays what it is, as in PostgreSQL.

use super::scope::Scope;
use super::walk;
use super::written::{Forms, Found};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, Expression, ExpressionKind};

/// A key as GROUP BY has it.
#[derive(Clone, Debug)]
pub(super) struct WrittenKey {
    /// Its value, over FROM.
    pub(super) value: Expression,
    /// The item of the select list that it is.
    pub(super) item: Option<usize>,
}

/// A key of the groups.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Its column above the groups.
    pub(super) id: ColumnId,
    pub(super) written: WrittenKey,
    /// Whether it has its value in each group: no list of keys lacks it.
    pub(super) is_common: bool,
}

impl Key {
    fn reference(&self, position: Option<Position>) -> Expression {
        Expression::column(self.id, self.written.value.data_type).at(position)
    }
}

/// Whether it is the same for every row, and needs no place in FROM.
fn is_constant(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Constant(_) | ExpressionKind::Parameter(_))
}

/// The keys of a grouped SELECT, over the scope of its FROM.
pub(super) struct Grouping<'g> {
    pub(super) keys: &'g [Key],
    /// The FROM that was grouped.
    pub(super) scope: &'g Scope<'g>,
    pub(super) forms: &'g Forms,
    /// Columns that a primary key among the keys determines.
    pub(super) determined: &'g [ColumnId],
}

impl Grouping<'_> {
    /// Has an item of the select list speak of the groups.
    pub(super) fn replace_item(&self, number: usize, expression: &mut Expression) -> Result<()> {
        let own = self.keys.iter().find(|key| key.written.item == Some(number));
        self.replace_or(own, expression)
    }

    /// Has an expression of ORDER BY or DISTINCT ON that is no item speak of the groups.
    pub(super) fn replace_target(&self, expression: &mut Expression) -> Result<()> {
        let is_own = |key: &&Key| key.written.item.is_none() && key.written.value.is_written_as(expression);
        let own = self.keys.iter().find(is_own);
        self.replace_or(own, expression)
    }

    fn replace_or(&self, own: Option<&Key>, expression: &mut Expression) -> Result<()> {
        match own {
            // A constant that every group has may as well stay one.
            Some(key) if key.is_common && is_constant(expression) => Ok(()),
            Some(key) => {
                *expression = key.reference(expression.position);
                Ok(())
            }
            None => self.replace(expression),
        }
    }

    /// Replaces what is written as a key and reports what is neither grouped nor aggregated.
    pub(super) fn replace(&self, expression: &mut Expression) -> Result<()> {
        let written = self.forms.of(expression);
        let position = expression.position;
        self.replace_within(expression, false)?;
        let Some(form) = written else { return Ok(()) };
        let mut outcome = Ok(());
        self.forms.visit(form, &mut |found| match found {
            Found::Form(form) => {
                outcome.is_ok() && !self.keys.iter().any(|key| self.forms.of(&key.written.value) == Some(form))
            }
            Found::Column(id) => {
                if !self.determined.contains(&id) {
                    outcome = self.check_column(id, false);
                }
                false
            }
        });
        outcome.map_err(|error| error.at(position))
    }

    fn replace_within(&self, expression: &mut Expression, in_subquery: bool) -> Result<()> {
        if is_constant(expression) {
            return Ok(());
        }
        if let Some(key) = self.key_of(expression) {
            *expression = key.reference(expression.position);
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

    /// The key that an expression is, or that folding has made of it.
    fn key_of(&self, expression: &Expression) -> Option<&Key> {
        let first = |is_it: &dyn Fn(&Key) -> bool| {
            let found = self.keys.iter().enumerate().filter(|(_, key)| is_it(key));
            found.min_by_key(|(at, key)| (key.written.item.unwrap_or(usize::MAX), *at)).map(|(_, key)| key)
        };
        let whole = first(&|key| key.written.value.is_written_as(expression));
        let form = match (whole, expression.written) {
            (None, Some(form)) if self.keys.iter().any(|key| key.written.value == *expression) => form,
            (whole, _) => return whole,
        };
        let mut part = None;
        self.forms.visit(form, &mut |found| {
            if let (Found::Form(form), None) = (found, part) {
                let is_it =
                    |key: &Key| self.forms.of(&key.written.value) == Some(form) && key.written.value == *expression;
                part = first(&is_it);
            }
            part.is_none()
        });
        part
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
