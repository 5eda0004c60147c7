//! RETURNING: a select list over the rows as they will be, of UPDATE and INSERT, or as they are, of DELETE; and INSERT where it has
//! one, or ON CONFLICT.

use super::{Change, ChangeKind};
use crate::catalog::{TableInfo, TableName};
use crate::error::Result;
use crate::relation::builder::{Clause, Definition, Rows, Scope, SelectItem, may_be_null};
use crate::relation::{ColumnId, ExpressionKind, Relation};
use crate::sql::Statement;
use crate::sql::binder::Binder;
use crate::sql::insert::InsertClauses;
use crate::sql::query::Unknown;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

impl Binder<'_, '_> {
    /// The items of RETURNING, if it is there, over a scope of that clause.
    pub(super) fn bind_returning(
        &mut self,
        returning: Option<&[ast::SelectItem]>,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<SelectItem>>> {
        returning.map(|items| self.bind_select_list(items, scope, Unknown::AsText)).transpose()
    }

    /// Rows of some columns of the input, and of RETURNING's items behind them; and how many these are.
    pub(super) fn returned(
        &mut self,
        input: Arc<Relation>,
        mut output: Vec<(String, ColumnId)>,
        items: Option<Vec<SelectItem>>,
    ) -> (Rows, Option<usize>) {
        let available = input.columns();
        let count = items.as_ref().map(Vec::len);
        let mut columns: Vec<_> = output.iter().map(|(_, id)| (*id, self.builder.columns.reference(*id))).collect();
        for item in items.into_iter().flatten() {
            let name = item.name().to_owned();
            let value = item.into_value();
            let id = match value.kind {
                ExpressionKind::Column(id) if available.contains(&id) => id,
                _ => self.builder.columns.add(name.clone(), value.data_type, may_be_null(&value)),
            };
            if !columns.iter().any(|(known, _)| *known == id) {
                columns.push((id, value));
            }
            output.push((name, id));
        }
        ((Arc::new(Relation::Project { input, columns }), output), count)
    }

    /// INSERT with RETURNING or ON CONFLICT, of rows that have all columns of the table.
    pub(in crate::sql) fn insert_returning(
        mut self,
        clauses: &InsertClauses<'_>,
        (name, info): (TableName, &TableInfo),
        (relation, filled): Rows,
        (withs, definitions): (&[&ast::With], Vec<Definition>),
    ) -> Result<Statement> {
        let position = self.position(clauses.table.span());
        let base = self.base_of(&name);
        let mark = self.builder.mentions_mark();
        let filled_ids: Vec<_> = filled.iter().map(|(_, id)| *id).collect();
        let (relation, shown, checks) = self.seen_after(info, (relation, &filled_ids))?;
        let kept = self.builder.meant(&self.object_name(clauses.table)?);
        let hidden = if self.through.is_none() { self.hidden_names().to_vec() } else { Vec::new() };
        // What ON CONFLICT updates has other places, and so has what another part of the statement inserts.
        let is_alone = clauses.on.is_none() && self.parts.is_none();
        let next = match hidden.contains(&"ctid") && is_alone {
            true => self.builder.catalog.next_row(&name).map_err(|error| error.at(position))?,
            false => None,
        };
        let (relation, number) = match next {
            Some(next) => {
                let (relation, number) = self.builder.numbered_behind(relation, next);
                (relation, Some(number))
            }
            None => (relation, None),
        };
        let mut item = self.builder.as_table((relation, shown), &name, kept.as_ref());
        if self.through.is_none() {
            item = self.builder.with_hidden(item, &hidden, number).map_err(|error| error.at(position))?;
        }
        if let Some(alias) = clauses.alias {
            item = item.aliased(&Self::fold(alias), &[])?;
        }
        let own: Vec<_> = item.columns.iter().map(|column| column.id).collect();
        let (relation, scope) = item.into_scope(None, Clause::Returning);
        let items = self.bind_returning(clauses.returning, &scope);
        let items = items.map_err(|error| clauses.out_of_reach(error))?;
        self.check_read((&name, position), mark, |id| own.contains(&id))?;
        let types: Vec<_> = items.iter().flatten().map(|item| item.value().data_type).collect();
        let conflict = match clauses.on {
            Some(on) => Some(self.bind_conflict(on, clauses, (&name, info), withs, &types)?),
            None => None,
        };
        let output = filled.into_iter().chain(checks.iter().cloned()).collect();
        let (rows, returning) = self.returned(relation, output, items);
        let checks = checks.into_iter().map(|(view, _)| view).collect();
        let rows = (self.builder.attach(definitions, rows.0), rows.1);
        let query = self.into_query(rows);
        Ok(Statement::Change(Box::new(Change {
            table: base,
            kind: ChangeKind::Insert { conflict, checks },
            query,
            returning,
            first_row: next.map(|(rows, _)| rows),
        })))
    }
}
