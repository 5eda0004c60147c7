//! Constraints of a table that is there: added, found to hold, and dropped.

use super::columns::number_keys;
use super::put;
use crate::catalog::{Qualified, State, TEMPORARY};
use crate::running::Runner;
use crate::statement::constraints::{shown, values};
use crate::statement::dropped::{redeclare, remove_references};
use crate::statement::{New, name_indexes};
use crate::stream::Notice;
use crate::system::quoted;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{Check, Declared, Index, Key, Reference};
use multiloop_planner::sql::{self, Added, Alteration, Altering};
use multiloop_planner::types::{Field, SortOrder};
use std::sync::Arc;

impl Runner<'_> {
    /// ADD of a constraint.
    pub(super) fn add_constraint(
        &self,
        state: &mut State,
        name: &Qualified,
        (altering, change): (&Altering, &Alteration),
    ) -> Result<()> {
        let stored = state.table(name)?.clone();
        let temporary = name.schema == TEMPORARY;
        let added = |runner: &Runner<'_>| sql::added(runner.snapshot, altering, change, &stored.info, temporary);
        let Added { fields, mut declared, .. } = self.over_written(state, added)?;
        let new =
            New { name: &altering.alter.name, temporary, if_not_exists: false, or_replace: false, tag: "ALTER TABLE" };
        self.refer(&new, name, &mut declared)?;
        name_indexes(state, name, &mut declared)?;
        let filled: Vec<usize> =
            (0..fields.len()).filter(|&at| stored.info.fields[at].nullable && !fields[at].nullable).collect();
        self.check_no_nulls(state, name, &filled)?;
        let was = Arc::clone(&stored.info.declared);
        let stored = self.without_hidden_nulls(state, stored, &filled)?;
        let next = stored.redeclared(&name.name, None, declared.clone()).with_nullable(&filled, false);
        put(state, name, next, |object| number_keys(object, &was, &declared));
        self.check_new(state, name, &was)
    }

    /// Checks what a table is held to now and was not before.
    pub(super) fn check_new(&self, state: &State, name: &Qualified, was: &Declared) -> Result<()> {
        let stored = state.table(name)?;
        let declared = &stored.info.declared;
        for key in declared.keys.iter().filter(|key| !was.keys.iter().any(|known| known.name == key.name)) {
            self.check_rows_unique(name, key, stored)?;
        }
        for check in declared.checks.iter().skip(was.checks.len()).filter(|check| check.is_valid) {
            self.check_all_meet(state, name, check)?;
        }
        for reference in declared.references.iter().skip(was.references.len()).filter(|of| of.is_valid) {
            self.check_all_refer(state, name, reference)?;
        }
        Ok(())
    }

    /// Checks all that says something of a column.
    pub(super) fn check_retyped(&self, state: &State, name: &Qualified, column: usize) -> Result<()> {
        let stored = state.table(name)?;
        let declared = &stored.info.declared;
        for key in declared.keys.iter().filter(|key| key.columns.contains(&column)) {
            self.check_rows_unique(name, key, stored)?;
        }
        self.check_rows_of_indexes(state, name, |index| index.columns.contains(&column))?;
        for check in declared.checks.iter().filter(|check| check.is_valid && check.columns.contains(&column)) {
            self.check_all_meet(state, name, check)?;
        }
        for reference in declared.references.iter().filter(|of| of.columns.contains(&column)) {
            self.check_all_refer(state, name, reference)?;
        }
        for other in state.referring(name) {
            for reference in &state.table(&other)?.info.declared.references {
                if reference.table == name.to_name() && reference.referenced.contains(&column) {
                    self.check_all_refer(state, &other, reference)?;
                }
            }
        }
        Ok(())
    }

    /// The error (23502) for a column that has a NULL.
    pub(super) fn check_no_nulls(&self, state: &State, name: &Qualified, columns: &[usize]) -> Result<()> {
        let stored = state.table(name)?;
        for &column in columns {
            let field = &stored.info.fields[column];
            // Deleted rows are not among those that count.
            if stored.info.domain(column).is_none() && stored.info.statistics.columns[column].proofs.nulls == 0 {
                continue;
            }
            let text = format!("SELECT 1 FROM {} WHERE {} IS NULL LIMIT 1", table(name), quoted(&field.name));
            if self.first_of_state(state, text, &stored.info.declared)?.is_some() {
                return Err(has_nulls(&name.name, &field.name).in_table(&name.schema, &name.name));
            }
        }
        Ok(())
    }

    /// The error (23514) for a table that has a row that a CHECK refuses.
    fn check_all_meet(&self, state: &State, name: &Qualified, check: &Check) -> Result<()> {
        let stored = state.table(name)?;
        let text = format!("SELECT 1 FROM {} WHERE NOT ({}) LIMIT 1", table(name), check.condition);
        if self.first_of_state(state, text, &stored.info.declared)?.is_none() {
            return Ok(());
        }
        let message =
            format!("check constraint \"{}\" of relation \"{}\" is violated by some row", check.name, name.name);
        let error = Error::new(ErrorKind::CheckViolation, message).of_constraint(&check.name);
        Err(error.in_table(&name.schema, &name.name))
    }

    /// The error (23503) for a table that has a row that refers to one that is not there, or 42804 where the columns cannot be compared.
    fn check_all_refer(&self, state: &State, name: &Qualified, reference: &Reference) -> Result<()> {
        let stored = state.table(name)?;
        let to = Qualified::of(&reference.table).ok_or_else(|| Error::internal("a reference names no schema"))?;
        let other = state.table(&to)?;
        let fields: &[Field] = &stored.info.fields;
        let column = |alias: &str, fields: &[Field], at: usize| format!("{alias}.{}", quoted(&fields[at].name));
        let pairs = reference.columns.iter().zip(&reference.referenced);
        let meets: Vec<String> = pairs
            .map(|(&own, &of)| format!("{} = {}", column("t", &other.info.fields, of), column("r", fields, own)))
            .collect();
        let given: Vec<String> =
            reference.columns.iter().map(|&at| format!("{} IS NOT NULL", column("r", fields, at))).collect();
        let text = format!(
            "SELECT {} FROM {} r WHERE {} AND {} NOT EXISTS (SELECT 1 FROM {} t WHERE {}) LIMIT 1",
            shown(fields, &reference.columns, "r."),
            table(name),
            given.join(" AND "),
            if reference.is_valid { "" } else { "false AND" },
            table(&to),
            meets.join(" AND ")
        );
        let row = self.first_of_state(state, text, &stored.info.declared).map_err(|error| match error.kind() {
            ErrorKind::UnknownFunction | ErrorKind::TypeMismatch => {
                let (own, of) = (reference.columns[0], reference.referenced[0]);
                let (own, of) = (&stored.info.declared_field(own), &other.info.declared_field(of));
                let message = format!("foreign key constraint \"{}\" cannot be implemented", reference.name);
                Error::new(ErrorKind::TypeMismatch, message).with_detail(format!(
                    "Key columns \"{}\" and \"{}\" are of incompatible types: {} and {}.",
                    own.name, of.name, own.data_type, of.data_type
                ))
            }
            _ => error,
        })?;
        let Some(row) = row else { return Ok(()) };
        let message = format!(
            "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
            name.name, reference.name
        );
        let names: Vec<&str> = reference.columns.iter().map(|&column| fields[column].name.as_str()).collect();
        let missing = format!(
            "Key ({})=({}) is not present in table \"{}\".",
            names.join(", "),
            values(&row, names.len()),
            to.name
        );
        let error = Error::new(ErrorKind::ForeignKeyViolation, message).with_detail(missing);
        Err(error.of_constraint(&reference.name).in_table(&name.schema, &name.name))
    }

    /// The first row of a query over the tables of a state.
    fn first_of_state(
        &self,
        state: &State,
        text: String,
        declared: &Declared,
    ) -> Result<Option<arrow::array::RecordBatch>> {
        self.over_state(state, &Table::empty(Vec::new()), |runner, _| runner.first(text, declared))
    }

    /// ADD of a constraint that an index keeps.
    pub(super) fn add_using_index(
        &self,
        state: &mut State,
        name: &Qualified,
        (constraint, index): (Option<&str>, &str),
        primary: bool,
    ) -> Result<Vec<Notice>> {
        let stored = state.table(name)?.clone();
        let mut declared = Declared::clone(&stored.info.declared);
        let Some(at) = declared.keys.iter().position(|key| key.name == index) else {
            if let Some(of) = declared.indexes.iter().find(|of| of.name == index) {
                return Err(Error::new(ErrorKind::WrongObjectType, why_no_constraint(of))
                    .with_detail("Cannot create a primary key or unique constraint using such an index."));
            }
            return Err(Error::new(ErrorKind::UnknownObject, format!("index \"{index}\" does not exist")));
        };
        if !declared.keys[at].is_index {
            let message = format!("index \"{index}\" is already associated with a constraint");
            return Err(Error::new(ErrorKind::WrongState, message));
        }
        if primary && declared.keys.iter().any(|key| key.primary) {
            let message = format!("multiple primary keys for table \"{}\" are not allowed", name.name);
            return Err(Error::new(ErrorKind::InvalidTableDefinition, message));
        }
        let called = constraint.unwrap_or(index).to_owned();
        if declared.constraint_names().contains(&called) {
            let message = format!("constraint \"{called}\" for relation \"{}\" already exists", name.name);
            return Err(Error::new(ErrorKind::DuplicateObject, message));
        }
        let mut notices = Vec::new();
        if called != index {
            notices.push(Notice::told(format!(
                "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"{index}\" to \"{called}\""
            )));
            if state.has_relation(&Qualified { schema: name.schema.clone(), name: called.clone() }, None) {
                return Err(Error::new(ErrorKind::DuplicateTable, format!("relation \"{called}\" already exists")));
            }
        }
        let key = Key { name: called, is_index: false, primary, ..declared.keys.remove(at) };
        let filled = if primary { key.columns.clone() } else { Vec::new() };
        self.check_no_nulls(state, name, &filled)?;
        let to = if primary { 0 } else { at };
        declared.keys.insert(to, key);
        let stored = self.without_hidden_nulls(state, stored, &filled)?;
        let next = stored.redeclared(&name.name, None, declared).with_nullable(&filled, false);
        put(state, name, next, |object| {
            let keys = &mut Arc::make_mut(&mut object.numbers).keys;
            if at < keys.len() {
                let number = keys.remove(at);
                keys.insert(to, number);
            }
        });
        Ok(notices)
    }

    /// DROP CONSTRAINT.
    pub(super) fn drop_constraint(
        &self,
        state: &mut State,
        name: &Qualified,
        constraint: &str,
        (if_exists, cascade): (bool, bool),
    ) -> Result<Vec<Notice>> {
        let mut declared = Declared::clone(&state.table(name)?.info.declared);
        if let Some(at) = declared.keys.iter().position(|key| key.name == constraint && !key.is_index) {
            let gone = declared.keys.remove(at);
            let what = format!("constraint {constraint} on table {}", name.name);
            let depends = |error: Error| match error.detail() {
                Some(detail) => {
                    let detail = detail.replace(&what, &format!("index {constraint}"));
                    error.with_detail(detail)
                }
                None => error,
            };
            remove_references(state, name, Some(&gone.columns), &[], cascade, &what).map_err(depends)?;
            // Its own references may have gone.
            declared.references = state.table(name)?.info.declared.references.clone();
            redeclare(state, name, declared, |numbers| {
                numbers.keys.remove(at);
            })?;
            return Ok(Vec::new());
        }
        if let Some(at) = declared.checks.iter().position(|check| check.name == constraint) {
            declared.checks.remove(at);
            redeclare(state, name, declared, |numbers| {
                numbers.checks.remove(at);
            })?;
            return Ok(Vec::new());
        }
        if let Some(at) = declared.references.iter().position(|of| of.name == constraint) {
            declared.references.remove(at);
            redeclare(state, name, declared, |numbers| {
                numbers.references.remove(at);
            })?;
            return Ok(Vec::new());
        }
        let message = format!("constraint \"{constraint}\" of relation \"{}\" does not exist", name.name);
        if if_exists {
            return Ok(vec![Notice::skipping("00000", message)]);
        }
        Err(Error::new(ErrorKind::UnknownObject, message))
    }

    /// VALIDATE CONSTRAINT.
    pub(super) fn validate(&self, state: &mut State, name: &Qualified, constraint: &str) -> Result<()> {
        let mut declared = Declared::clone(&state.table(name)?.info.declared);
        if let Some(check) = declared.checks.iter_mut().find(|check| check.name == constraint) {
            if check.is_valid {
                return Ok(());
            }
            self.check_all_meet(state, name, check)?;
            check.is_valid = true;
        } else if let Some(reference) = declared.references.iter_mut().find(|of| of.name == constraint) {
            if reference.is_valid {
                return Ok(());
            }
            reference.is_valid = true;
            self.check_all_refer(state, name, reference)?;
        } else {
            let is_key = declared.keys.iter().any(|key| key.name == constraint && !key.is_index);
            return Err(match is_key {
                true => {
                    let message = format!(
                        "constraint \"{constraint}\" of relation \"{}\" is not a foreign key or check constraint",
                        name.name
                    );
                    Error::new(ErrorKind::WrongObjectType, message)
                }
                false => {
                    let message = format!("constraint \"{constraint}\" of relation \"{}\" does not exist", name.name);
                    Error::new(ErrorKind::UnknownObject, message)
                }
            });
        }
        redeclare(state, name, declared, |_| {})
    }
}

/// A table's name in a query's text.
fn table(name: &Qualified) -> String {
    format!("{}.{}", quoted(&name.schema), quoted(&name.name))
}

/// The error (23502) of a column that may no longer have NULLs, and has some.
pub(super) fn has_nulls(table: &str, column: &str) -> Error {
    let message = format!("column \"{column}\" of relation \"{table}\" contains null values");
    Error::new(ErrorKind::NotNullViolation, message).of_column(column)
}

/// Why an index that is no key can keep no constraint.
fn why_no_constraint(index: &Index) -> String {
    let name = &index.name;
    let plain = SortOrder { descending: false, nulls_first: false };
    let ordered = index.parts.iter().position(|part| part.order != plain).map_or(1, |at| at + 1);
    match index {
        Index { unique: false, .. } => format!("\"{name}\" is not a unique index"),
        _ if index.parts.iter().any(|part| part.column.is_none()) => format!("index \"{name}\" contains expressions"),
        Index { predicate: Some(_), .. } => format!("\"{name}\" is a partial index"),
        _ => format!("index \"{name}\" column number {ordered} does not have default sorting behavior"),
    }
}
