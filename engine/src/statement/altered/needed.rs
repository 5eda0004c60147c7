//! What needs a column of a table: the views that read it, and the references to it.

use crate::catalog::{Entry, Qualified, State, StoredView};
use crate::running::Runner;
use crate::statement::dropped::{has_dependents_on, redeclare, remove_all};
use crate::statement::sequence::defaults_of;
use crate::stream::Notice;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, Materialized, Meant, Routine, RoutineBody, TableInfo, View};
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

    /// The error (0A000) for a column that is to have another type, and that a generated column is made of.
    pub(super) fn check_ungenerated(&self, info: &TableInfo, (column, called): (usize, &str)) -> Result<()> {
        let Some(&made) = generated_of(info, column).first() else { return Ok(()) };
        let message = "cannot alter type of a column used by a generated column";
        let detail = format!("Column \"{called}\" is used by generated column \"{}\".", info.fields[made].name);
        Err(Error::new(ErrorKind::Unsupported, message).with_detail(detail))
    }

    /// Drops what needs columns that go, with `cascade`: the first of them is the one that is dropped, and the others are generated
    /// columns that are made of it. The sequences that they own go, too.
    pub(super) fn drop_needing(
        &self,
        state: &mut State,
        name: &Qualified,
        columns: &[usize],
        cascade: bool,
    ) -> Result<Vec<Notice>> {
        let info = Arc::clone(&state.table(name)?.info);
        let words = |column: usize| format!("column {} of table {}", info.fields[column].name, name.name);
        let dropped = columns.first().map(|&column| words(column)).unwrap_or_default();
        let Drawing { owned, mut dependents, defaults, mut views } = drawing(state, name, columns)?;
        let made = columns.iter().skip(1).map(|&column| (words(column), dropped.clone()));
        dependents.splice(0..0, made);
        for &column in columns {
            for view in self.reading(state, name, column)? {
                if !views.contains(&view) {
                    let kind = state.get(&view).map_or("view", Entry::kind);
                    dependents.push((format!("{kind} {}", view.name), words(column)));
                    views.push(view);
                }
            }
        }
        let mut references: Vec<(Qualified, Vec<usize>)> = Vec::new();
        let mut tables = state.referring(name);
        tables.push(name.clone());
        for table in tables {
            let of = &state.table(&table)?.info.declared.references;
            let is_it = |at: &usize| {
                let reference = &of[*at];
                let goes = |of: &[usize]| columns.iter().any(|column| of.contains(column));
                let is_own = table == *name && goes(&reference.columns);
                reference.table == name.to_name() && goes(&reference.referenced) && !is_own
            };
            let goes: Vec<usize> = (0..of.len()).filter(is_it).collect();
            let words = |at: &usize| format!("constraint {} on table {}", of[*at].name, table.name);
            dependents.extend(goes.iter().map(|at| (words(at), dropped.clone())));
            if !goes.is_empty() {
                references.push((table, goes));
            }
        }
        if !cascade && !dependents.is_empty() {
            let detail: Vec<String> = dependents.iter().map(|(one, on)| format!("{one} depends on {on}")).collect();
            return Err(has_dependents_on(&dropped, &detail.join("\n")));
        }
        remove_all(state, views, true)?;
        for (table, column) in defaults {
            let mut declared = Declared::clone(&state.table(&table)?.info.declared);
            declared.set_default(column, None, state.table(&table)?.info.fields.len());
            redeclare(state, &table, declared, |_| {})?;
        }
        owned.iter().for_each(|sequence| drop(state.remove(sequence)));
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
            [] => Vec::new(),
            [(only, _)] => vec![Notice::told(format!("drop cascades to {only}"))],
            many => vec![Notice::told(format!("drop cascades to {} other objects", many.len()))],
        })
    }
}

/// What the sequences that columns own are for besides.
#[derive(Default)]
struct Drawing {
    /// The sequences.
    owned: Vec<Qualified>,
    /// What depends on what, in words.
    dependents: Vec<(String, String)>,
    /// Columns of tables, by position, whose defaults draw from them.
    defaults: Vec<(Qualified, usize)>,
    /// Views that read them.
    views: Vec<Qualified>,
}

/// What needs the sequences that columns of a table own, but for these columns.
fn drawing(state: &State, name: &Qualified, columns: &[usize]) -> Result<Drawing> {
    let mut found = Drawing::default();
    let Some(number) = state.object(name).map(|object| object.oid) else { return Ok(found) };
    let fields = &state.table(name)?.info.fields;
    found.owned = columns.iter().flat_map(|&at| state.owned_sequences(number, Some(&fields[at].name))).collect();
    for sequence in &found.owned {
        let of = format!("sequence {}", sequence.name);
        let number = state.object(sequence).map(|object| object.oid).unwrap_or_default();
        for (table, column) in defaults_of(state, number) {
            if table == *name && columns.contains(&column) {
                continue;
            }
            let field = &state.table(&table)?.info.fields[column].name;
            found.dependents.push((format!("default value for column {field} of table {}", table.name), of.clone()));
            found.defaults.push((table, column));
        }
        for view in state.needing(sequence) {
            if !found.views.contains(&view) {
                let kind = state.get(&view).map_or("view", Entry::kind);
                found.dependents.push((format!("{kind} {}", view.name), of.clone()));
                found.views.push(view);
            }
        }
    }
    Ok(found)
}

/// The generated columns that are made of a column.
pub(super) fn generated_of(info: &TableInfo, column: usize) -> Vec<usize> {
    let name = &info.fields[column].name;
    let is_made = |&other: &usize| {
        let text = info.declared.default_text(other).filter(|_| other != column && info.declared.is_stored(other));
        text.is_some_and(|text| sql::names_column(text, name))
    };
    (0..info.fields.len()).filter(is_made).collect()
}

/// The query of a view of either kind.
fn text_of(entry: &Entry) -> Option<Arc<View>> {
    match entry {
        Entry::View(view) => Some(Arc::clone(&view.view)),
        Entry::Table(table) => Some(Arc::new(table.info.declared.materialized.as_ref()?.view.clone())),
        Entry::Routine(routine) => match &routine.body {
            RoutineBody::Standard(_, view) => Some(Arc::clone(view)),
            RoutineBody::Text(_) => None,
        },
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
            Entry::Routine(stored) => {
                let mut changed = Routine { names: without(&stored.names), ..Routine::clone(stored) };
                if let RoutineBody::Standard(_, view) = &mut changed.body {
                    *view = Arc::new(View { names: without(&view.names), ..View::clone(view) });
                }
                *stored = Arc::new(changed);
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
