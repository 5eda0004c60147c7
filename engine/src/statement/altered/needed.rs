//! What needs a column of a table: the views that read it, and the references to it.

use crate::catalog::{Entry, Qualified, State, StoredView};
use crate::running::Runner;
use crate::statement::dropped::{has_dependents, redeclare, remove_all};
use crate::stream::Notice;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, Materialized, Meant, View};
use multiloop_planner::sql;
use std::sync::Arc;

impl Runner<'_> {
    /// The views that read a column, of either kind.
    fn reading(&self, state: &State, name: &Qualified, column: usize) -> Result<Vec<Qualified>> {
        let mut reading = Vec::new();
        for view in state.needing(name) {
            let Some(text) = state.get(&view).and_then(text_of) else { continue };
            let reads = self.over_written(state, |runner| {
                runner.snapshot.trust();
                Ok(sql::reads_column(runner.snapshot, &view.to_name(), &text, (&name.to_name(), column)))
            })?;
            if reads {
                reading.push(view);
            }
        }
        Ok(reading)
    }

    /// The error (0A000) for a column that is to have another type, and that a view reads.
    pub(super) fn check_unread(&self, state: &State, name: &Qualified, (column, called): (usize, &str)) -> Result<()> {
        let Some(view) = self.reading(state, name, column)?.into_iter().next() else { return Ok(()) };
        let kind = state.get(&view).map_or("view", Entry::kind);
        let message = "cannot alter type of a column used by a view or rule";
        Err(Error::new(ErrorKind::Unsupported, message)
            .with_detail(format!("rule _RETURN on {kind} {} depends on column \"{called}\"", view.name)))
    }

    /// Drops what needs a column that goes, with `cascade`; `what` is the column in words.
    pub(super) fn drop_needing(
        &self,
        state: &mut State,
        name: &Qualified,
        column: usize,
        (what, cascade): (&str, bool),
    ) -> Result<Vec<Notice>> {
        let views = self.reading(state, name, column)?;
        let mut dependents: Vec<String> = Vec::new();
        for view in &views {
            dependents.push(format!("{} {}", state.get(view).map_or("view", Entry::kind), view.name));
        }
        let mut references: Vec<(Qualified, Vec<usize>)> = Vec::new();
        let mut tables = state.referring(name);
        tables.push(name.clone());
        for table in tables {
            let of = &state.table(&table)?.info.declared.references;
            let is_it = |at: &usize| {
                let reference = &of[*at];
                let is_own = table == *name && reference.columns.contains(&column);
                reference.table == name.to_name() && reference.referenced.contains(&column) && !is_own
            };
            let goes: Vec<usize> = (0..of.len()).filter(is_it).collect();
            dependents.extend(goes.iter().map(|&at| format!("constraint {} on table {}", of[at].name, table.name)));
            if !goes.is_empty() {
                references.push((table, goes));
            }
        }
        // Of a reference of the table to itself it takes along what it goes with.
        let others: Vec<&String> = dependents.iter().collect();
        if others.is_empty() {
            return Ok(Vec::new());
        }
        if !cascade {
            let mut error = has_dependents(what, &dependents[0]);
            let detail: Vec<String> = dependents.iter().map(|one| format!("{one} depends on {what}")).collect();
            error = error.with_detail(detail.join("\n"));
            return Err(error);
        }
        remove_all(state, views, true)?;
        for (table, goes) in references {
            let mut declared = Declared::clone(&state.table(&table)?.info.declared);
            goes.iter().rev().for_each(|&at| drop(declared.references.remove(at)));
            redeclare(state, &table, declared, |numbers| {
                for &at in goes.iter().rev() {
                    numbers.references.remove(at);
                }
            })?;
        }
        Ok(match &dependents[..] {
            [only] => vec![Notice::told(format!("drop cascades to {only}"))],
            many => vec![Notice::told(format!("drop cascades to {} other objects", many.len()))],
        })
    }
}

/// The query of a view of either kind.
fn text_of(entry: &Entry) -> Option<Arc<View>> {
    match entry {
        Entry::View(view) => Some(Arc::clone(&view.view)),
        Entry::Table(table) => Some(Arc::new(table.info.declared.materialized.as_ref()?.view.clone())),
        Entry::Type(_) | Entry::Sequence(_) => None,
    }
}

/// Lets the views that name a table, and do not read a column that it loses, read the others as they did, and so do the references of
/// other tables.
pub(super) fn forget_column(state: &mut State, name: &Qualified, column: usize) {
    let table = name.to_name();
    let without = |names: &[Meant]| {
        let mut names = names.to_vec();
        for columns in names.iter_mut().filter(|meant| meant.now == table).filter_map(|meant| meant.columns.as_mut()) {
            if column < columns.len() {
                columns.remove(column);
            }
        }
        names
    };
    for view in state.needing(name) {
        state.change(&view, |object| match &mut object.entry {
            Entry::View(stored) => {
                let changed = View { names: without(&stored.view.names), ..View::clone(&stored.view) };
                *stored = StoredView { view: Arc::new(changed), fields: Arc::clone(&stored.fields) };
            }
            Entry::Table(stored) => {
                let mut declared = Declared::clone(&stored.info.declared);
                declared.materialized = declared.materialized.map(|of| {
                    let view = View { names: without(&of.view.names), ..of.view.clone() };
                    Arc::new(Materialized { view, is_filled: of.is_filled })
                });
                *stored = stored.redeclared(&view.name, None, declared);
            }
            Entry::Type(_) | Entry::Sequence(_) => {}
        });
    }
    for other in state.referring(name) {
        state.change(&other, |object| {
            if let Entry::Table(stored) = &mut object.entry {
                let mut declared = Declared::clone(&stored.info.declared);
                let references = declared.references.iter_mut().filter(|of| of.table == table);
                references.for_each(|of| of.refer_without(column));
                *stored = stored.redeclared(&other.name, None, declared);
            }
        });
    }
}
