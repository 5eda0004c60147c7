//! DELETE: the numbers of the rows, and RETURNING over them as they are.

use super::target::{Target, Verb};
use super::update::{NUMBER, no_clause};
use super::{Change, ChangeKind};
use crate::error::{Error, Result};
use crate::relation::builder::Clause;
use crate::sql::Statement;
use crate::sql::binder::Binder;
use sqlparser::ast::{self, Spanned};

impl Binder<'_, '_> {
    /// DELETE, with the WITH in front of it.
    pub(super) fn delete(mut self, delete: &ast::Delete, withs: &[&ast::With]) -> Result<Statement> {
        let table = self.table_of_delete(delete)?;
        self.changed = Some(self.changed_object(self.target_name(table)?.0)?);
        let mark = self.builder.mentions_mark();
        let definitions = self.bind_withs(withs)?;
        let Target { name, position, base, info: _, own: _, item, number } = self.target(table, Verb::Delete)?;
        let own: Vec<_> = item.columns.iter().map(|column| column.id).collect();
        let using = delete.using.as_deref().unwrap_or_default();
        let (mut relation, scope) = self.joined_to(item, using)?.into_scope(None, Clause::Where);
        if let Some(selection) = &delete.selection {
            let predicate = self.changed_rows(selection, &scope)?;
            relation = self.builder.filter(relation, predicate);
        }
        scope.enter(Clause::Returning);
        let items = self.bind_returning(delete.returning.as_deref(), &scope)?;
        self.check_read((&name, position), mark, |id| own.contains(&id))?;
        let (rows, returning) = self.returned(relation, vec![(NUMBER.to_owned(), number)], items);
        let rows = (self.builder.attach(definitions, rows.0), rows.1);
        let query = self.into_query(rows);
        let kind = ChangeKind::Delete;
        Ok(Statement::Change(Box::new(Change { table: base, kind, query, returning, first_row: None })))
    }

    /// The table whose rows go; what Multiloop does not have of a DELETE is an error.
    fn table_of_delete<'d>(&self, delete: &'d ast::Delete) -> Result<&'d ast::TableWithJoins> {
        let ast::Delete {
            delete_token,
            // Hints are comments.
            optimizer_hints: _,
            tables,
            from,
            using: _,
            selection: _,
            returning: _,
            output,
            order_by,
            limit,
        } = delete;
        let position = self.position(delete_token.0.span);
        if output.is_some() {
            return Err(Error::unsupported("a clause of this DELETE is").at(position));
        }
        let (ast::FromTable::WithFromKeyword(from) | ast::FromTable::WithoutKeyword(from)) = from;
        let limit = limit.as_ref().map(|limit| (self.start(limit), "LIMIT".to_owned()));
        let order = order_by.first().map(|first| (self.start(&first.expr), "ORDER".to_owned()));
        let before = tables.first().map(|table| (self.position(table.span()), table.to_string()));
        let second = from.get(1).map(|second| (self.factor_start(&second.relation), ",".to_owned()));
        if let Some((position, found)) = before.or(second).or(order).or(limit) {
            return Err(no_clause(&found).at(position));
        }
        from.first().ok_or_else(|| no_clause("DELETE").at(position))
    }
}
