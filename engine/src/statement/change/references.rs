//! What becomes of tables that refer to one whose rows have changed: ON DELETE and ON UPDATE.
//!
//! CASCADE, SET NULL and SET DEFAULT are changes themselves, as statements over the rows that have changed, in the state as it is by
//! then; they may have others follow. What is refused is seen to at last, when all has been changed: NO ACTION is violated by rows
//! whose key no other row has then.

use super::super::constraints::{shown, values};
use super::{Numbers, is_deleted, rows_of, share};
use crate::catalog::{Qualified, State};
use crate::running::Runner;
use crate::snapshot::COMING;
use crate::system::quoted;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::{Chunk, Table};
use multiloop_planner::catalog::{Action, Declared, Reference};
use multiloop_planner::sql::{self, ChangeKind, Statement};
use multiloop_planner::types::Field;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Changes that may follow from one statement.
const FOLLOWING_MAX: usize = 10_000;

/// Rows of a table that a statement has changed.
pub(super) struct Altered {
    /// The table.
    pub(super) table: Qualified,
    /// As they were, if a table refers to what has changed of them.
    pub(super) before: Option<Table>,
    /// As they are, if anything asks for it; none of deleted ones.
    pub(super) after: Option<Table>,
    /// What was set; none of deleted ones.
    pub(super) columns: Option<Vec<usize>>,
    /// The numbers of rows of which columns were set that refer to other tables.
    pub(super) refers: Vec<usize>,
}

/// A reference that may be violated now, by rows that refer to some that have changed.
struct Doubt {
    table: Qualified,
    from: Qualified,
    reference: Reference,
    changed: Arc<Table>,
    is_update: bool,
}

/// The references to a table, with the tables that have them.
pub(super) fn referring(state: &State, name: &Qualified) -> Vec<(Qualified, Reference)> {
    let to = name.to_name();
    let mut all = Vec::new();
    for (schema, table, object) in state.iter() {
        let references = object.entry.declared().into_iter().flat_map(|declared| &declared.references);
        for reference in references.filter(|reference| reference.table == to) {
            all.push((Qualified { schema: schema.to_owned(), name: table.to_owned() }, reference.clone()));
        }
    }
    all
}

impl Runner<'_> {
    /// Does what references say of rows that have changed, and checks all of them. Gives the tables of which rows were deleted.
    pub(super) fn settle(&self, state: &mut State, altered: Vec<Altered>) -> Result<BTreeSet<Qualified>> {
        let mut next = VecDeque::from(altered);
        let (mut doubts, mut own) = (Vec::new(), BTreeMap::<Qualified, Vec<usize>>::new());
        let (mut steps, mut shrunk) = (0, BTreeSet::new());
        while let Some(altered) = next.pop_front() {
            self.session.cancellation.check()?;
            steps += 1;
            if steps > FOLLOWING_MAX {
                return Err(Error::new(ErrorKind::TooComplex, "references change rows of each other without an end"));
            }
            let Altered { table, before, after, columns, refers } = altered;
            if columns.is_none() {
                shrunk.insert(table.clone());
            }
            if !refers.is_empty() {
                own.entry(table.clone()).or_default().extend(refers);
            }
            let Some(before) = before else { continue };
            let changed = Arc::new(beside(&before, after.as_ref()));
            for (from, reference) in referring(state, &table) {
                let (is_update, action) = match &columns {
                    Some(columns) if !share(columns, &reference.referenced) => continue,
                    Some(_) => (true, reference.on_update),
                    None => (false, reference.on_delete),
                };
                if action == Action::NoAction && self.postpones(&from, &reference) {
                    continue;
                }
                if matches!(action, Action::NoAction | Action::Restrict) {
                    let (table, changed) = (table.clone(), Arc::clone(&changed));
                    doubts.push(Doubt { table, from, reference, changed, is_update });
                } else {
                    next.extend(self.follow(state, (&from, &reference), (action, is_update), &changed)?);
                }
            }
        }
        // Rows as they are by now, of those that are still there.
        for (table, mut numbers) in own {
            let stored = state.table(&table)?;
            numbers.sort_unstable();
            numbers.dedup();
            numbers.retain(|&row| !is_deleted(stored, row));
            let rows = rows_of(stored, &numbers, &self.session.loading())?;
            let declared = Arc::clone(&stored.info.declared);
            let told = |error: Error| error.in_table(&table.schema, &table.name);
            self.check_references(&table, &declared, &rows, state).map_err(told)?;
        }
        doubts.iter().try_for_each(|doubt| self.check_doubt(state, doubt))?;
        Ok(shrunk)
    }

    /// The error (23503) for a row that refers to one of these rows, which have changed in whatever way, and to no other.
    pub(super) fn check_referring(&self, state: &State, altered: &Altered) -> Result<()> {
        let Some(before) = &altered.before else { return Ok(()) };
        let changed = Arc::new(beside(before, None));
        for (from, reference) in referring(state, &altered.table) {
            let reference = Reference { on_delete: Action::NoAction, ..reference };
            let (table, changed) = (altered.table.clone(), Arc::clone(&changed));
            self.check_doubt(state, &Doubt { table, from, reference, changed, is_update: false })?;
        }
        Ok(())
    }

    /// The same for one reference of a table.
    pub(in super::super) fn check_left(
        &self,
        state: &State,
        (table, before): (&Qualified, Table),
        (from, reference): (&Qualified, &Reference),
    ) -> Result<()> {
        let changed = Arc::new(beside(&before, None));
        let reference = Reference { on_delete: Action::NoAction, ..reference.clone() };
        let (table, from) = (table.clone(), from.clone());
        self.check_doubt(state, &Doubt { table, from, reference, changed, is_update: false })
    }

    /// Changes the rows that refer to some that have changed.
    fn follow(
        &self,
        state: &mut State,
        (from, reference): (&Qualified, &Reference),
        (action, is_update): (Action, bool),
        changed: &Table,
    ) -> Result<Vec<Altered>> {
        let fields = state.table(from)?.info.fields.clone();
        let table = format!("{}.{}", quoted(&from.schema), quoted(&from.name));
        let condition = meets(reference, &fields, "c");
        let text = match action {
            Action::Cascade if !is_update => {
                format!("DELETE FROM {table} c USING {} g WHERE {condition}", quoted(COMING))
            }
            _ => {
                let sets = reference.columns.iter().zip(&reference.referenced).map(|(&own, &referenced)| {
                    let value = match action {
                        Action::Cascade => format!("g.{}", quoted(&is(referenced))),
                        Action::SetDefault => "DEFAULT".to_owned(),
                        _ => "NULL".to_owned(),
                    };
                    format!("{} = {value}", quoted(&fields[own].name))
                });
                let sets = sets.collect::<Vec<_>>().join(", ");
                let changed = if is_update { format!(" AND {}", differs(reference)) } else { String::new() };
                format!("UPDATE {table} c SET {sets} FROM {} g WHERE {condition}{changed}", quoted(COMING))
            }
        };
        let (columns, given) = self.over_state(state, changed, |runner, _| {
            let parsed = sql::parse(&text)?;
            let Statement::Change(change) = sql::bind(&parsed[0], runner.snapshot, &[])? else {
                return Err(Error::internal("what a reference asks for is no change"));
            };
            let fields = runner.given_fields(&change, &runner.snapshot.state.table(from)?.info);
            let given = runner.given(change.query, fields, Numbers::First)?;
            Ok((if let ChangeKind::Update { columns, .. } = change.kind { Some(columns) } else { None }, given))
        })?;
        self.apply(state, from, columns.as_deref(), &given)
    }

    /// The error (23503) for the first row whose key others refer to that no row has any more.
    fn check_doubt(&self, state: &State, doubt: &Doubt) -> Result<()> {
        let Doubt { table, from, reference, changed, is_update } = doubt;
        let (fields, referring) = (&state.table(table)?.info.fields, &state.table(from)?.info.fields);
        let is_restrict = match is_update {
            true => reference.on_update == Action::Restrict,
            false => reference.on_delete == Action::Restrict,
        };
        let name = |of: &Qualified| format!("{}.{}", quoted(&of.schema), quoted(&of.name));
        let mut text = format!(
            "SELECT {} FROM {} g WHERE EXISTS (SELECT 1 FROM {} c WHERE {})",
            shown(&changed.fields, &reference.referenced, "g."),
            quoted(COMING),
            name(from),
            meets(reference, referring, "c")
        );
        if is_restrict {
            if *is_update {
                text.push_str(&format!(" AND {}", differs(reference)));
            }
        } else {
            let has = |&of: &usize| format!("p.{} = g.{}", quoted(&fields[of].name), quoted(&was(of)));
            let has = reference.referenced.iter().map(has).collect::<Vec<_>>().join(" AND ");
            text.push_str(&format!(" AND NOT EXISTS (SELECT 1 FROM {} p WHERE {has})", name(table)));
        }
        text.push_str(" LIMIT 1");
        let Some(row) = self.over_state(state, changed, |runner, _| runner.first(text, &Declared::default()))? else {
            return Ok(());
        };
        let message = format!(
            "update or delete on table \"{}\" violates foreign key constraint \"{}\" on table \"{}\"",
            table.name, reference.name, from.name
        );
        let names: Vec<&str> = reference.referenced.iter().map(|&of| fields[of].name.as_str()).collect();
        let key = values(&row, names.len());
        let detail = format!("Key ({})=({key}) is still referenced from table \"{}\".", names.join(", "), from.name);
        let error = Error::new(ErrorKind::ForeignKeyViolation, message).with_detail(detail);
        Err(error.of_constraint(&reference.name).in_table(&from.schema, &from.name))
    }
}

/// What a column of changed rows was, and is, called.
fn was(column: usize) -> String {
    format!("was {column}")
}

/// See [`was`].
fn is(column: usize) -> String {
    format!("is {column}")
}

/// Rows as they were beside what they are: of each column what it was, then of each what it is.
fn beside(before: &Table, after: Option<&Table>) -> Table {
    let named = |table: &Table, name: fn(usize) -> String| -> Vec<Field> {
        let field = |(at, field): (usize, &Field)| Field { name: name(at), nullable: true, ..field.clone() };
        table.fields.iter().enumerate().map(field).collect()
    };
    let mut fields = named(before, was);
    let mut chunks: Vec<Arc<Chunk>> = before.chunks.to_vec();
    if let Some(after) = after {
        fields.extend(named(after, is));
        for (chunk, after) in chunks.iter_mut().zip(after.chunks.iter()) {
            let columns = chunk.columns.iter().chain(&after.columns).cloned().collect();
            *chunk = Arc::new(Chunk::new(chunk.rows, columns));
        }
    }
    Table { fields, chunks: chunks.into(), statistics: Arc::default() }.measured(None)
}

/// That a row refers to one that has changed, by what that was.
fn meets(reference: &Reference, fields: &[Field], alias: &str) -> String {
    let pair = |(&own, &referenced): (&usize, &usize)| {
        format!("{alias}.{} = g.{}", quoted(&fields[own].name), quoted(&was(referenced)))
    };
    reference.columns.iter().zip(&reference.referenced).map(pair).collect::<Vec<_>>().join(" AND ")
}

/// That a key has changed.
fn differs(reference: &Reference) -> String {
    let one = |&column: &usize| format!("g.{} IS DISTINCT FROM g.{}", quoted(&was(column)), quoted(&is(column)));
    format!("({})", reference.referenced.iter().map(one).collect::<Vec<_>>().join(" OR "))
}
