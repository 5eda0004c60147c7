//! ALTER … RENAME and SET SCHEMA. What names the renamed thing goes on to mean it: views know what their names stood for, and
//! references the table that they refer to. A view's text sees columns under the names that they had when it was made.

use super::sequence;
use crate::catalog::{Entry, Object, Qualified, State, StoredView, TEMPORARY};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::system::is_system;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, Materialized, Meant, Returned, Routine, RoutineBody, TableName, View};
use multiloop_planner::sql::{ObjectKind, RenamedPart, column_renamed};
use multiloop_planner::types::Field;
use std::sync::Arc;

impl Runner<'_> {
    /// ALTER … RENAME.
    pub(super) fn rename(
        &self,
        (kind, name): (ObjectKind, &TableName),
        part: &RenamedPart,
        to: &str,
        if_exists: bool,
    ) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let done = ResultStream::done(format!("ALTER {}", kind.name().to_uppercase()));
        let facts = &self.snapshot.facts;
        if kind == ObjectKind::Schema {
            if let Some(schema) = write.state.schema(&name.name) {
                facts.check_schema_owner(&name.name, schema)?;
                facts.check_make_schema()?;
            }
            rename_schema(&mut write.state, &name.name, to)?;
            write.commit()?;
            return Ok(done);
        }
        let index = write.state.index_table(name, &self.snapshot.path);
        if let Some(table) = index.filter(|_| matches!(kind, ObjectKind::Index | ObjectKind::Table))
            && *part == RenamedPart::Whole
        {
            let to = Qualified { schema: table.schema.clone(), name: to.to_owned() };
            if let Some(object) = write.state.object(&table) {
                facts.check_owner_of(&table, object, ("index", &name.name))?;
                facts.check_make(&write.state, &table.schema)?;
            }
            refuse_taken(&write.state, &to)?;
            rename_within(&mut write.state, &table, &name.name, &to.name)?;
            write.commit()?;
            return Ok(done);
        }
        let Some(found) = self.altered(kind, name, &write.state)? else {
            let message = format!("relation \"{}\" does not exist", name.plain());
            if if_exists {
                return Ok(done.with_notice(Notice::skipping("00000", message)));
            }
            return Err(Error::new(ErrorKind::UnknownTable, message));
        };
        match part {
            RenamedPart::Whole => {
                let to = Qualified { schema: found.schema.clone(), name: to.to_owned() };
                facts.check_make(&write.state, &found.schema)?;
                refuse_taken(&write.state, &to)?;
                move_object(&mut write.state, &found, &to)?;
            }
            RenamedPart::Column(from) => rename_column(&mut write.state, &found, from, to)?,
            RenamedPart::Constraint(from) => {
                let object = write.state.object(&found);
                if object.and_then(|object| object.constraint_number(from)).is_none() {
                    let message = format!("constraint \"{from}\" for table \"{}\" does not exist", name.name);
                    return Err(Error::new(ErrorKind::UnknownObject, message));
                }
                if object.and_then(|object| object.constraint_number(to)).is_some() {
                    let message = format!("constraint \"{to}\" for relation \"{}\" already exists", name.name);
                    return Err(Error::new(ErrorKind::DuplicateObject, message));
                }
                let is_key = object.is_some_and(|object| object.entry.index_names().any(|name| name == from));
                if is_key {
                    refuse_taken(&write.state, &Qualified { schema: found.schema.clone(), name: to.to_owned() })?;
                }
                rename_within(&mut write.state, &found, from, to)?;
            }
        }
        write.commit()?;
        Ok(done)
    }

    /// ALTER … SET SCHEMA.
    pub(super) fn set_schema(
        &self,
        (kind, name): (ObjectKind, &TableName),
        schema: &str,
        if_exists: bool,
    ) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let done = ResultStream::done(format!("ALTER {}", kind.name().to_uppercase()));
        let Some(found) = self.altered(kind, name, &write.state)? else {
            let message = format!("relation \"{}\" does not exist", name.plain());
            if if_exists {
                return Ok(done.with_notice(Notice::skipping("00000", message)));
            }
            return Err(Error::new(ErrorKind::UnknownTable, message));
        };
        if write.state.schema(schema).is_none() {
            let message = format!("schema \"{schema}\" does not exist");
            return Err(Error::new(ErrorKind::UnknownSchema, message));
        }
        self.snapshot.facts.check_make(&write.state, schema)?;
        if (found.schema == TEMPORARY) != (schema == TEMPORARY) {
            let message = "cannot move objects into or out of temporary schemas";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        if found.schema != schema {
            let to = Qualified { schema: schema.to_owned(), name: found.name.clone() };
            let taken = write.state.get(&found).into_iter().flat_map(Entry::index_names).find_map(|index| {
                let of = Qualified { schema: schema.to_owned(), name: index.clone() };
                write.state.has_relation(&of, None).then_some(of)
            });
            refuse_taken(&write.state, taken.as_ref().unwrap_or(&to))?;
            sequence::check_moves(&write.state, &found)?;
            let owned = sequence::owned_names(&write.state, &found);
            move_object(&mut write.state, &found, &to)?;
            for of in owned {
                let to = Qualified { schema: schema.to_owned(), name: of.name.clone() };
                refuse_taken(&write.state, &to)?;
                move_object(&mut write.state, &of, &to)?;
            }
        }
        write.commit()?;
        Ok(done)
    }

    /// What ALTER alters, of the kind that it says; ALTER TABLE takes any relation.
    pub(super) fn altered(&self, kind: ObjectKind, name: &TableName, state: &State) -> Result<Option<Qualified>> {
        let found = self.found(name, state)?;
        self.snapshot.facts.check_not_system(&found)?;
        let Some(object) = state.object(&found) else { return Ok(None) };
        let entry = &object.entry;
        let fits = match kind {
            ObjectKind::Table => !matches!(entry, Entry::Type(_)),
            kind => entry.kind() == kind.name(),
        };
        if !fits {
            return Err(super::dropped::wrong_kind_altered(&name.name, kind));
        }
        self.snapshot.facts.check_owner(&found, object)?;
        Ok(Some(found))
    }
}

/// An error (42P07) if there is a relation of a name.
fn refuse_taken(state: &State, name: &Qualified) -> Result<()> {
    if state.has_relation(name, None) {
        return Err(Error::new(ErrorKind::DuplicateTable, format!("relation \"{}\" already exists", name.name)));
    }
    Ok(())
}

/// Puts something under another name, which whatever needs it follows.
pub(super) fn move_object(state: &mut State, from: &Qualified, to: &Qualified) -> Result<()> {
    let Some(mut object) = state.remove(from) else {
        return Err(Error::internal("what is renamed is gone"));
    };
    if let Entry::Table(table) = &object.entry {
        let declared = Declared::clone(&table.info.declared);
        object.entry = Entry::Table(table.redeclared(&to.name, None, declared));
    }
    state.put_object(to, object);
    follow(state, from, to);
    Ok(())
}

/// Lets all that named something name it as it is called now.
fn follow(state: &mut State, from: &Qualified, to: &Qualified) {
    let names = |object: &Object| {
        let refers = |of: &Declared| of.references.iter().any(|one| one.table == from.to_name());
        object.entry.needs().contains(from) || object.entry.declared().is_some_and(refers)
    };
    let routines: Vec<Qualified> = state
        .routines()
        .filter(|(_, _, object, _)| names(object))
        .map(|(schema, name, ..)| Qualified { schema: schema.to_owned(), name: name.to_owned() })
        .collect();
    let changed: Vec<Qualified> = state
        .iter()
        .filter(|(_, _, object)| names(object))
        .map(|(schema, name, _)| Qualified { schema: schema.to_owned(), name: name.to_owned() })
        .collect();
    for one in changed.into_iter().chain(routines) {
        state.change(&one, |object| match &mut object.entry {
            Entry::View(view) => {
                view.view = Arc::new(view_following(&view.view, from, to));
            }
            Entry::Table(table) => {
                let mut declared = Declared::clone(&table.info.declared);
                declared.names = names_following(&declared.names, from, to);
                for reference in &mut declared.references {
                    if reference.table == from.to_name() {
                        reference.table = to.to_name();
                    }
                }
                declared.materialized = declared.materialized.map(|of| {
                    Arc::new(Materialized { view: view_following(&of.view, from, to), is_filled: of.is_filled })
                });
                *table = table.redeclared(&one.name, None, declared);
            }
            Entry::Routine(routine) => *routine = Arc::new(routine_following(routine, from, to)),
            Entry::Type(_) | Entry::Sequence(_) => {}
        });
    }
}

/// A function whose names follow what they mean.
fn routine_following(routine: &Routine, from: &Qualified, to: &Qualified) -> Routine {
    let mut changed = Routine { names: names_following(&routine.names, from, to), ..routine.clone() };
    if let RoutineBody::Standard(_, view) = &mut changed.body {
        *view = Arc::new(view_following(view, from, to));
    }
    if changed.returned == Returned::Relation(from.to_name()) {
        changed.returned = Returned::Relation(to.to_name());
    }
    changed
}

fn view_following(view: &View, from: &Qualified, to: &Qualified) -> View {
    View { names: names_following(&view.names, from, to), ..view.clone() }
}

/// Names as they are written and what they mean, where what one means is called otherwise.
fn names_following(names: &[Meant], from: &Qualified, to: &Qualified) -> Vec<Meant> {
    let (from, to) = (from.to_name(), to.to_name());
    let meant =
        |name: &Meant| Meant { now: if name.now == from { to.clone() } else { name.now.clone() }, ..name.clone() };
    names.iter().map(meant).collect()
}

fn rename_schema(state: &mut State, from: &str, to: &str) -> Result<()> {
    let missing = || Error::new(ErrorKind::UnknownSchema, format!("schema \"{from}\" does not exist"));
    let schema = state.schema(from).filter(|_| from != TEMPORARY).cloned().ok_or_else(missing)?;
    if state.schema(to).is_some() || is_system(to) {
        return Err(Error::new(ErrorKind::DuplicateSchema, format!("schema \"{to}\" already exists")));
    }
    if to.starts_with("pg_") {
        let error = Error::new(ErrorKind::InvalidName, format!("unacceptable schema name \"{to}\""));
        return Err(error.with_detail("The prefix \"pg_\" is reserved for system schemas."));
    }
    let names: Vec<String> = schema.objects.keys().cloned().collect();
    let schemas = Arc::make_mut(&mut state.schemas);
    schemas.remove(from);
    schemas.insert(to.to_owned(), schema);
    for name in names {
        let of = |schema: &str| Qualified { schema: schema.to_owned(), name: name.clone() };
        follow(state, &of(from), &of(to));
    }
    Ok(())
}

/// Another name for a constraint or an index of a table.
fn rename_within(state: &mut State, table: &Qualified, from: &str, to: &str) -> Result<()> {
    let stored = state.table(table)?;
    let mut declared = Declared::clone(&stored.info.declared);
    let names = declared.keys.iter_mut().map(|key| &mut key.name);
    let names = names.chain(declared.checks.iter_mut().map(|check| &mut check.name));
    let names = names.chain(declared.references.iter_mut().map(|reference| &mut reference.name));
    let names = names.chain(declared.indexes.iter_mut().map(|index| &mut index.name));
    names.filter(|name| *name == from).for_each(|name| to.clone_into(name));
    super::dropped::redeclare(state, table, declared, |_| {})
}

fn rename_column(state: &mut State, table: &Qualified, from: &str, to: &str) -> Result<()> {
    let fields: Vec<Field> = match state.get(table) {
        Some(Entry::Table(stored)) => stored.info.fields.clone(),
        Some(Entry::View(view)) => view.fields.to_vec(),
        Some(Entry::Sequence(_)) => {
            let message = format!("cannot rename columns of relation \"{}\"", table.name);
            let error = Error::new(ErrorKind::WrongObjectType, message);
            return Err(error.with_detail("This operation is not supported for sequences."));
        }
        _ => return Err(Error::internal("what has no columns was altered")),
    };
    let mut names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let Some(place) = names.iter().position(|name| name == from) else {
        return Err(Error::new(ErrorKind::UnknownColumn, format!("column \"{from}\" does not exist")));
    };
    if names.iter().any(|name| name == to) {
        let message = format!("column \"{to}\" of relation \"{}\" already exists", table.name);
        return Err(Error::new(ErrorKind::DuplicateColumn, message));
    }
    names[place] = to.to_owned();
    if let Some(Entry::View(view)) = state.get(table) {
        let named = |(field, name): (&Field, &String)| Field { name: name.clone(), ..field.clone() };
        let fields = view.fields.iter().zip(&names).map(named).collect();
        let view = StoredView { view: Arc::new(View { columns: names, ..View::clone(&view.view) }), fields };
        state.change(table, |object| object.entry = Entry::View(view));
        return Ok(());
    }
    let stored = state.table(table)?;
    let mut declared = Declared::clone(&stored.info.declared);
    declared.materialized = declared.materialized.map(|of| {
        let view = View { columns: names.clone(), ..of.view.clone() };
        Arc::new(Materialized { view, is_filled: of.is_filled })
    });
    for check in &mut declared.checks {
        check.condition = column_renamed(&check.condition, from, to).into();
    }
    for index in &mut declared.indexes {
        for part in &mut index.parts {
            part.expression = column_renamed(&part.expression, from, to).into();
        }
        index.predicate = index.predicate.as_ref().map(|text| column_renamed(text, from, to).into());
    }
    for column in 0..names.len() {
        if declared.is_stored(column) {
            let text = declared.defaults[column].take();
            declared.defaults[column] = text.map(|text| column_renamed(&text, from, to).into());
        }
    }
    let stored = stored.redeclared(&table.name, Some(&names), declared);
    sequence::rename_owner(state, table, from, to);
    state.change(table, |object| object.entry = Entry::Table(stored));
    Ok(())
}
