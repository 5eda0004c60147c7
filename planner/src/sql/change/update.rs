//! UPDATE: of each row that is changed the number and the new values, computed once and read by RETURNING.

use super::target::{Target, Verb};
use super::{Change, ChangeKind};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Clause, Scope};
use crate::sql::Statement;
use crate::sql::binder::Binder;
use sqlparser::ast;

/// The name of the column of the numbers of rows.
pub(super) const NUMBER: &str = "row number";

/// The clauses of an UPDATE behind its table.
struct Clauses<'u> {
    assignments: &'u [ast::Assignment],
    from: &'u [ast::TableWithJoins],
    selection: Option<&'u ast::Expr>,
    returning: Option<&'u [ast::SelectItem]>,
}

impl Binder<'_, '_> {
    /// UPDATE, with the WITH in front of it.
    pub(super) fn update(mut self, update: &ast::Update, withs: &[&ast::With]) -> Result<Statement> {
        let clauses = self.update_clauses(update)?;
        self.changed = Some(self.changed_object(self.target_name(&update.table)?.0)?);
        let mark = self.builder.mentions_mark();
        let definitions = self.bind_withs(withs)?;
        let Target { name, position, base, info, own, item, number } = self.target(&update.table, Verb::Update)?;
        let shown: Vec<_> = item.columns.iter().map(|column| column.id).collect();
        let (mut relation, scope) = self.joined_to(item, clauses.from)?.into_scope(None, Clause::Where);
        if let Some(selection) = clauses.selection {
            let predicate = self.changed_rows(selection, &scope)?;
            relation = self.builder.filter(relation, predicate);
        }
        let new = self.bind_assignments(clauses.assignments, (&info, &own), relation, &scope)?;
        let mut columns = scope.columns.clone();
        let mut own_after = own;
        new.columns.iter().for_each(|(column, id)| own_after[*column] = *id);
        let (relation, checks) = self.after_change(&info, (new.relation, &own_after), &mut columns)?;
        let after: Vec<_> = columns.iter().take(shown.len()).map(|column| column.id).collect();
        let is_shown = |id| shown.contains(&id) || after.contains(&id);
        let after = Scope::new(None, columns, scope.tables.clone(), Clause::Returning);
        let items = self.bind_returning(clauses.returning, &after)?;
        self.check_read((&name, position), mark, is_shown)?;
        let set = new.columns.iter().map(|(column, id)| (info.fields[*column].name.clone(), *id));
        let output = std::iter::once((NUMBER.to_owned(), number)).chain(set).chain(checks.iter().cloned()).collect();
        let (rows, returning) = self.returned(relation, output, items);
        let columns = new.columns.into_iter().map(|(column, _)| column).collect();
        let checks = checks.into_iter().map(|(view, _)| view).collect();
        let rows = (self.builder.attach(definitions, rows.0), rows.1);
        let query = self.into_query(rows);
        Ok(Statement::Change(Box::new(Change {
            table: base,
            kind: ChangeKind::Update { columns, checks },
            query,
            returning,
            first_row: None,
        })))
    }

    /// Takes an UPDATE apart; what Multiloop does not have is an error.
    fn update_clauses<'u>(&self, update: &'u ast::Update) -> Result<Clauses<'u>> {
        let ast::Update {
            update_token,
            // Hints are comments.
            optimizer_hints: _,
            table: _,
            assignments,
            from,
            selection,
            returning,
            output,
            or,
            order_by,
            limit,
        } = update;
        let position = self.position(update_token.0.span);
        if output.is_some() || or.is_some() {
            return Err(Error::unsupported("a clause of this UPDATE is").at(position));
        }
        let limit = limit.as_ref().map(|limit| (self.start(limit), "LIMIT"));
        let order = order_by.first().map(|first| (self.start(&first.expr), "ORDER"));
        let before = matches!(from, Some(ast::UpdateTableFromKind::BeforeSet(_))).then_some((position, "FROM"));
        if let Some((position, found)) = before.or(order).or(limit) {
            return Err(no_clause(found).at(position));
        }
        let from = match from {
            Some(ast::UpdateTableFromKind::AfterSet(from)) => from.as_slice(),
            _ => &[],
        };
        let (selection, returning) = (selection.as_ref(), returning.as_deref());
        Ok(Clauses { assignments, from, selection, returning })
    }
}

/// The error (42601) for a clause that the statement does not have.
pub(super) fn no_clause(found: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("syntax error at or near \"{found}\""))
}
