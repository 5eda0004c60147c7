//! What `*` stands for, changed: without some columns, with others in their places, under other names.

use super::{Builder, Scope, SelectItem, did_you_mean, walk};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, Expression, ExpressionKind};

impl SelectItem {
    /// The name it is shown by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same under another name.
    pub fn renamed(self, name: String) -> SelectItem {
        SelectItem { name, ..self }
    }

    /// The column that it is, if it is one.
    pub fn column(&self) -> Option<ColumnId> {
        match self.expression.kind {
            ExpressionKind::Column(id) => Some(id),
            _ => None,
        }
    }

    /// Its value, which stays.
    pub fn value(&self) -> &Expression {
        &self.expression
    }
}

impl Scope<'_> {
    /// The columns that expressions over this level mention, those of the arguments of its aggregates included.
    pub fn mentioned(&self, expressions: &[Expression]) -> Vec<ColumnId> {
        let mut found = Vec::new();
        for expression in expressions {
            walk::expression_columns(expression, &mut found);
        }
        for (_, call) in self.aggregates().iter() {
            for expression in call.argument.iter().chain(&call.filter) {
                walk::expression_columns(expression, &mut found);
            }
        }
        found
    }
}

impl Builder<'_> {
    /// The places among items of `*` that a name means, with a table's name before it or not.
    ///
    /// # Errors
    /// 42703 if there is none; `list` is where it stands.
    pub fn star_places(
        &self,
        items: &[SelectItem],
        (table, name): (Option<&TableName>, &str),
        list: &str,
        scope: &Scope<'_>,
        position: Option<Position>,
    ) -> Result<Vec<usize>> {
        let id = match table {
            Some(table) => Some(scope.resolve(Some(table), name, position)?),
            None => None,
        };
        let is_meant = |item: &SelectItem| id.map_or(item.name == name, |id| item.column() == Some(id));
        let places: Vec<usize> = (0..items.len()).filter(|&at| is_meant(&items[at])).collect();
        if places.is_empty() {
            let message = format!("column \"{name}\" in {list} list does not exist");
            let error = Error::new(ErrorKind::UnknownColumn, message);
            return Err(did_you_mean(error, name, items.iter().map(|item| item.name.as_str())).at(position));
        }
        Ok(places)
    }
}
