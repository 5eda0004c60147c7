//! DROP and TRUNCATE, and the dependent objects that they take along or are refused for.

use super::{SYSTEM, sequence};
use crate::catalog::{Entry, Qualified, State, StoredTable, TEMPORARY};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{Declared, Index, Right, TableName, called, shown_key};
use multiloop_planner::sql::{ObjectKind, names_function};
use std::sync::Arc;

impl Runner<'_> {
    /// DROP of anything but schemas.
    pub(super) fn drop(
        &self,
        names: &[TableName],
        kind: ObjectKind,
        if_exists: bool,
        cascade: bool,
    ) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let what = kind.name();
        let mut result = ResultStream::done(format!("DROP {}", what.to_uppercase()));
        let mut gone: Vec<Qualified> = Vec::new();
        for name in names {
            if kind == ObjectKind::Index && self.drop_index(name, cascade, &mut write.state)? {
                continue;
            }
            let qualified = self.found(name, &write.state)?;
            let shown = name.plain();
            let Some(entry) = write.state.get(&qualified) else {
                let message = format!("{what} \"{shown}\" does not exist");
                if !if_exists {
                    let error = if matches!(kind, ObjectKind::Index | ObjectKind::Type) {
                        ErrorKind::UnknownObject
                    } else {
                        ErrorKind::UnknownTable
                    };
                    return Err(Error::new(error, message));
                }
                result = result.with_notice(Notice::skipping("00000", message));
                continue;
            };
            if entry.kind() != what {
                return Err(wrong_kind(&shown, entry, kind));
            }
            if let Some(object) = write.state.object(&qualified) {
                // Types are called as they are shown.
                let visible = write.state.resolve(&TableName::from(qualified.name.as_str()), &self.snapshot.path);
                let is_visible = visible.is_some_and(|(found, _)| found == qualified);
                let called = if kind == ObjectKind::Type && !is_visible { &shown } else { &qualified.name };
                self.snapshot.facts.check_drop(&write.state, &qualified, object, (what, called))?;
            }
            gone.push(qualified);
        }
        remove_all(&mut write.state, gone, cascade)?;
        write.commit()?;
        Ok(result)
    }

    /// Drops an index, if there is one of this name.
    fn drop_index(&self, name: &TableName, cascade: bool, state: &mut State) -> Result<bool> {
        let Some(table) = state.index_table(name, &self.snapshot.path) else { return Ok(false) };
        if let Some(object) = state.object(&table) {
            self.snapshot.facts.check_drop(state, &table, object, ("index", &name.name))?;
        }
        let stored = state.table(&table)?;
        let mut declared = Declared::clone(&stored.info.declared);
        if let Some(at) = declared.keys.iter().position(|key| key.name == name.name) {
            if !declared.keys[at].is_index {
                let message = format!(
                    "cannot drop index {0} because constraint {0} on table {1} requires it",
                    name.name, table.name
                );
                return Err(Error::new(ErrorKind::DependentObjects, message)
                    .with_hint(format!("You can drop constraint {} on table {} instead.", name.name, table.name)));
            }
            let gone = declared.keys.remove(at);
            remove_references(state, &table, Some(&gone.columns), &[], cascade, &format!("index {}", name.name))?;
            // Its own references may have gone.
            declared.references = state.table(&table)?.info.declared.references.clone();
            redeclare(state, &table, declared, |numbers| {
                numbers.keys.remove(at);
            })?;
            return Ok(true);
        }
        let Some(at) = declared.indexes.iter().position(|index| index.name == name.name) else { return Ok(false) };
        declared.indexes.remove(at);
        redeclare(state, &table, declared, |numbers| {
            numbers.indexes.remove(at);
        })?;
        Ok(true)
    }

    /// DROP SCHEMA.
    pub(super) fn drop_schemas(&self, names: &[String], if_exists: bool, cascade: bool) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let mut result = ResultStream::done("DROP SCHEMA");
        for name in names {
            if SYSTEM.contains(&name.as_str()) || name == TEMPORARY {
                let message = format!("cannot drop schema {name} because it is required by the database system");
                return Err(Error::new(ErrorKind::DependentObjects, message));
            }
            let Some(schema) = write.state.schema(name).cloned() else {
                let message = format!("schema \"{name}\" does not exist");
                if !if_exists {
                    return Err(Error::new(ErrorKind::UnknownSchema, message));
                }
                result = result.with_notice(Notice::skipping("00000", message));
                continue;
            };
            self.snapshot.facts.check_schema_owner(name, &schema)?;
            if !schema.objects.is_empty() && !cascade {
                let message = format!("cannot drop schema {name} because other objects depend on it");
                return Err(Error::new(ErrorKind::DependentObjects, message)
                    .with_hint("Use DROP ... CASCADE to drop the dependent objects too."));
            }
            let of = |object: &String| Qualified { schema: name.clone(), name: object.clone() };
            let gone = schema.objects.keys().map(of).collect();
            remove_all(&mut write.state, gone, true)?;
            Arc::make_mut(&mut write.state.schemas).remove(name);
        }
        write.commit()?;
        Ok(result)
    }

    /// TRUNCATE: a table has no rows, and is what it was.
    pub(super) fn truncate(&self, names: &[TableName], restart: bool, cascade: bool) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let mut tables: Vec<Qualified> = Vec::new();
        for name in names {
            let qualified = self.found(name, &write.state)?;
            match write.state.get(&qualified) {
                None => {
                    return Err(Error::new(
                        ErrorKind::UnknownTable,
                        format!("relation \"{}\" does not exist", name.plain()),
                    ));
                }
                Some(entry) if entry.kind() != "table" => {
                    let message = format!("\"{}\" is not a table", name.name);
                    return Err(Error::new(ErrorKind::WrongObjectType, message));
                }
                Some(_) if tables.contains(&qualified) => {}
                Some(_) => tables.push(qualified),
            }
        }
        let mut next = 0;
        while let Some(table) = tables.get(next).cloned() {
            next += 1;
            for other in write.state.referring(&table) {
                if tables.contains(&other) {
                    continue;
                }
                if !cascade {
                    let message = "cannot truncate a table referenced in a foreign key constraint";
                    return Err(Error::new(ErrorKind::Unsupported, message)
                        .with_detail(format!("Table \"{}\" references \"{}\".", other.name, table.name))
                        .with_hint(format!(
                            "Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.",
                            other.name
                        )));
                }
                tables.push(other);
            }
        }
        for table in &tables {
            if let Some(object) = write.state.object(table) {
                let facts = &self.snapshot.facts;
                facts.check_right(&facts.rights, Right::Truncate, table, object)?;
            }
            let stored = write.state.table(table)?;
            stored.check_own()?;
            let declared = Arc::clone(&stored.info.declared);
            let empty = Table::empty(declared.fields(&stored.info.fields));
            let empty = empty.narrowed(&declared.numerics, &self.session.loading())?;
            write.state.insert(table, Entry::Table(StoredTable::new(&table.name, empty, declared)));
            if restart {
                sequence::restart_owned(&mut write.state, table)?;
            }
        }
        write.commit()?;
        Ok(ResultStream::done("TRUNCATE TABLE"))
    }
}

/// What is dropped as something else than it is.
pub(super) fn wrong_kind(name: &str, entry: &Entry, kind: ObjectKind) -> Error {
    let article = if kind == ObjectKind::Index { "an" } else { "a" };
    let error = Error::new(ErrorKind::WrongObjectType, format!("\"{name}\" is not {article} {}", kind.name()));
    let is = entry.kind();
    if is == "type" { error } else { error.with_hint(format!("Use DROP {} to remove a {is}.", is.to_uppercase())) }
}

/// A table declared otherwise; `change` changes the numbers of what is gone from its lists.
pub(super) fn redeclare(
    state: &mut State,
    name: &Qualified,
    declared: Declared,
    change: impl FnOnce(&mut crate::catalog::Numbers),
) -> Result<()> {
    let stored = state.table(name)?.redeclared(&name.name, None, declared);
    state.change(name, |object| {
        change(Arc::make_mut(&mut object.numbers));
        object.entry = Entry::Table(stored);
    });
    Ok(())
}

/// Drops what is named, and with `cascade` what needs it: views, and the references of tables. Whatever is dropped together may
/// need each other.
pub(super) fn remove_all(state: &mut State, mut gone: Vec<Qualified>, cascade: bool) -> Result<()> {
    let mut next = 0;
    while let Some(name) = gone.get(next).cloned() {
        next += 1;
        // What its columns own goes with it.
        let owned = sequence::owned_names(state, &name);
        gone.extend(owned.into_iter().filter(|of| !gone.contains(of)).collect::<Vec<_>>());
        let kind = state.get(&name).map_or("table", Entry::kind);
        if let Some(&Entry::Type(data_type)) = state.get(&name) {
            let uses = |(_, _, object): &(&str, &str, &crate::catalog::Object)| {
                object.entry.has_type(data_type)
                    || (object.entry.kind() == "table" && object.entry.needs().contains(&name))
            };
            let used = state.iter().filter(uses).map(|(schema, name, _)| (schema.to_owned(), name.to_owned()));
            let used = used.map(|(schema, name)| Qualified { schema, name }).find(|used| !gone.contains(used));
            if let Some(table) = used {
                if cascade {
                    let what = format_args!("dropping a type with columns of it (\"{}\") is", table.name).to_string();
                    return Err(Error::unsupported(what));
                }
                return Err(depends(kind, &name, "table", &table));
            }
        }
        for view in state.needing(&name).into_iter().filter(|view| !gone.contains(view)).collect::<Vec<_>>() {
            let is_table = state.get(&view).is_some_and(|entry| entry.kind() == "table");
            if cascade && is_table && kind == "function" && without_calls(state, &view, &name)? {
                continue;
            }
            if cascade && is_table {
                let what = format_args!("dropping what an expression of table \"{}\" calls is", view.name).to_string();
                return Err(Error::unsupported(what));
            }
            if !cascade {
                return Err(depends(kind, &name, state.get(&view).map_or("view", Entry::kind), &view));
            }
            gone.push(view);
        }
    }
    for name in &gone {
        sequence::remove_from_defaults(state, name, &gone, cascade)?;
        remove_references(state, name, None, &gone, cascade, &format!("table {}", name.name))?;
    }
    gone.iter().for_each(|name| drop(state.remove(name)));
    Ok(())
}

/// Takes the defaults, checks and indexes from a table that call a function which goes. False if that is not all that calls it, or
/// cannot be told from calls of others.
fn without_calls(state: &mut State, table: &Qualified, function: &Qualified) -> Result<bool> {
    let mut declared = Declared::clone(&state.table(table)?.info.declared);
    let is_it = |now: &TableName| Qualified::of(now).as_ref() == Some(function);
    let own: Vec<String> = declared
        .names
        .iter()
        .filter(|known| is_it(&known.now))
        .filter_map(|known| called(&known.written.name).map(str::to_owned))
        .collect();
    let is_own = |name: &TableName| called(&name.name).is_some_and(|name| own.iter().any(|of| of == name));
    if declared.names.iter().any(|known| !is_it(&known.now) && is_own(&known.written)) {
        return Ok(false);
    }
    let calls = |text: &str| own.iter().any(|name| names_function(text, name));
    let is_computed = |column: usize| declared.is_stored(column);
    let defaults: Vec<usize> = (0..declared.defaults.len())
        .filter(|&column| declared.default_text(column).is_some_and(|text| calls(text)))
        .collect();
    if defaults.iter().any(|&column| is_computed(column)) {
        return Ok(false);
    }
    let count = state.table(table)?.info.fields.len();
    defaults.into_iter().for_each(|column| declared.set_default(column, None, count));
    let checks: Vec<usize> = (0..declared.checks.len()).filter(|&at| calls(&declared.checks[at].condition)).collect();
    let in_index = |index: &Index| {
        index.parts.iter().any(|part| calls(&part.expression)) || index.predicate.as_deref().is_some_and(calls)
    };
    let indexes: Vec<usize> = (0..declared.indexes.len()).filter(|&at| in_index(&declared.indexes[at])).collect();
    checks.iter().rev().for_each(|&at| drop(declared.checks.remove(at)));
    indexes.iter().rev().for_each(|&at| drop(declared.indexes.remove(at)));
    declared.names.retain(|known| !is_it(&known.now));
    redeclare(state, table, declared, |numbers| {
        for &at in checks.iter().rev() {
            numbers.checks.remove(at);
        }
        for &at in indexes.iter().rev() {
            numbers.indexes.remove(at);
        }
    })?;
    Ok(true)
}

fn depends(kind: &str, name: &Qualified, by: &str, other: &Qualified) -> Error {
    has_dependents(&format!("{kind} {}", shown_key(&name.name)), &format!("{by} {}", shown_key(&other.name)))
}

/// The error (2BP01) of what may not go, as something depends on it.
pub(super) fn has_dependents(what: &str, dependent: &str) -> Error {
    has_dependents_on(what, &format!("{dependent} depends on {what}"))
}

/// The same, of what something depends on that goes with what is dropped; `detail` says what.
pub(super) fn has_dependents_on(dropped: &str, detail: &str) -> Error {
    Error::new(ErrorKind::DependentObjects, format!("cannot drop {dropped} because other objects depend on it"))
        .with_detail(detail)
        .with_hint("Use DROP ... CASCADE to drop the dependent objects too.")
}

/// Takes away what refers to a table that goes, or to a key of it: the constraints of tables that stay.
pub(super) fn remove_references(
    state: &mut State,
    to: &Qualified,
    key: Option<&[usize]>,
    gone: &[Qualified],
    cascade: bool,
    dropped: &str,
) -> Result<()> {
    let target = to.to_name();
    let mut tables = state.referring(to);
    if key.is_some() {
        tables.push(to.clone());
    }
    for table in tables.into_iter().filter(|table| !gone.contains(table)) {
        let mut declared = Declared::clone(&state.table(&table)?.info.declared);
        let is_key = |columns: &[usize]| {
            key.is_none_or(|key| key.len() == columns.len() && key.iter().all(|column| columns.contains(column)))
        };
        let goes: Vec<usize> = (0..declared.references.len())
            .filter(|&at| declared.references[at].table == target && is_key(&declared.references[at].referenced))
            .collect();
        let Some(&first) = goes.first() else { continue };
        if !cascade {
            let dependent = format!("constraint {} on table {}", declared.references[first].name, table.name);
            return Err(has_dependents(dropped, &dependent));
        }
        for &at in goes.iter().rev() {
            declared.references.remove(at);
        }
        redeclare(state, &table, declared, |numbers| {
            for &at in goes.iter().rev() {
                numbers.references.remove(at);
            }
        })?;
    }
    Ok(())
}

/// What is altered as something else than it is.
pub(super) fn wrong_kind_altered(name: &str, kind: ObjectKind) -> Error {
    let article = if kind == ObjectKind::Index { "an" } else { "a" };
    Error::new(ErrorKind::WrongObjectType, format!("\"{name}\" is not {article} {}", kind.name()))
}
