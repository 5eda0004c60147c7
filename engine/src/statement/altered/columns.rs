//! Columns that come, go and get other types.
//!
//! One that comes with one value for all rows is made without a look at them: all chunks share it. Where each row has a value of its
//! own, or a column gets another type, the table is written anew.

use super::constraints::has_nulls;
use super::identity::{check_identity_type, check_no_identity};
use super::{column_of, needed, put, unknown_column};
use crate::catalog::{Domains, Numbers, Object, Qualified, State, StoredTable, TEMPORARY};
use crate::running::Runner;
use crate::statement::change::without_deleted;
use crate::statement::sequence::own_sequences;
use crate::statement::{New, name_indexes};
use crate::stream::Notice;
use crate::system::PG_CLASS;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Table, domain};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{Declared, Hidden, TableInfo};
use multiloop_planner::relation::Query;
use multiloop_planner::sql::{self, Added, Alteration, Altering};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

impl Runner<'_> {
    /// ADD COLUMN.
    pub(super) fn add_column(
        &self,
        state: &mut State,
        name: &Qualified,
        (altering, change): (&Altering, &Alteration),
    ) -> Result<Vec<Notice>> {
        let Alteration::AddColumn { name: called, column: _, if_not_exists } = change else {
            return Err(Error::internal("another change was taken for a column"));
        };
        let loading = self.session.loading();
        let stored = state.table(name)?.loaded(&|| state.domains(), &loading)?.into_owned();
        if stored.info.fields.iter().any(|field| field.name == *called) {
            let message = format!("column \"{called}\" of relation \"{}\" already exists", name.name);
            if *if_not_exists {
                return Ok(vec![Notice::skipping("42701", message)]);
            }
            return Err(Error::new(ErrorKind::DuplicateColumn, message));
        }
        let temporary = name.schema == TEMPORARY;
        let added = |runner: &Runner<'_>| sql::added(runner.snapshot, altering, change, &stored.info, temporary);
        let Added { fields, mut declared, sequences, is_volatile } = self.over_written(state, added)?;
        let new =
            New { name: &altering.alter.name, temporary, if_not_exists: false, or_replace: false, tag: "ALTER TABLE" };
        self.refer(&new, name, &mut declared)?;
        let made = self.make_sequences(state, name, (&fields, &sequences), &mut declared)?;
        name_indexes(state, name, &mut declared)?;
        let at = fields.len() - 1;
        let next = self.widened(state, &stored, (&fields, &declared), is_volatile)?;
        let told = |error: Error| error.in_table(&name.schema, &name.name);
        if !fields[at].nullable && next.rows() > 0 && next.stored().statistics.columns[at].proofs.nulls > 0 {
            return Err(told(has_nulls(&name.name, &fields[at].name)));
        }
        let was = Arc::clone(&stored.info.declared);
        put(state, name, next, |object| number_keys(object, &was, &declared));
        own_sequences(state, name, made);
        self.check_new(state, name, &was)?;
        Ok(Vec::new())
    }

    /// A table with one more column, the last of `fields`.
    fn widened(
        &self,
        state: &State,
        stored: &StoredTable,
        (fields, declared): (&[Field], &Declared),
        is_volatile: bool,
    ) -> Result<StoredTable> {
        let context = self.session.loading();
        let at = fields.len() - 1;
        let empty = Table::empty(fields.to_vec());
        let info = StoredTable::new(&stored.info.name, empty, Arc::new(declared.clone())).info;
        let value = match declared.default_text(at) {
            None => Value::Null,
            // No row is there to be given one.
            Some(_) if stored.rows() == 0 => Value::Null,
            Some(_) if is_volatile => return self.refilled(state, stored, &info, &context),
            Some(_) => self.default_value(state, &info)?,
        };
        if value != Value::Null && fields[at].data_type == DataType::Numeric {
            return self.refilled(state, stored, &info, &context);
        }
        if stored.stored().is_lazy() {
            return Err(Error::unsupported("a change of the columns of a table that is read when it is asked is"));
        }
        let table = stored.stored().with_constant(at, fields[at].clone(), &value, &context)?;
        let mut domains = stored.own_domains();
        if at < domains.len() {
            domains.insert(at, None);
        }
        let hidden = Hidden { deleted: stored.info.hidden.deleted.map(|marks| marks + 1), ..stored.info.hidden };
        Ok(stored.reshaped((table, hidden), (domains, state.domains()), declared.clone()))
    }

    /// The value that the last column of a table has where rows do not give it.
    fn default_value(&self, state: &State, info: &Arc<TableInfo>) -> Result<Value> {
        let at = info.fields.len() - 1;
        let given: Vec<Field> =
            info.fields[..at].iter().map(|field| Field { nullable: true, ..field.clone() }).collect();
        let row = Table::from_values(given, &[vec![Value::Null; at]]);
        let filled = self.filled(state, &row, info)?;
        let value = filled.chunks.first().map(|chunk| chunk.columns[at].value(0, filled.fields[at].data_type));
        value.ok_or_else(|| Error::internal("a row was lost while a default was found"))
    }

    /// Rows of all columns but the last as rows of all: that has its default in each.
    fn filled(&self, state: &State, rows: &Table, info: &Arc<TableInfo>) -> Result<Table> {
        let columns: Vec<usize> = (0..info.fields.len() - 1).collect();
        let fields = info.fields.iter().map(|field| Field { nullable: true, ..field.clone() }).collect();
        self.over_state(state, rows, |runner, coming| {
            runner.rows_of_query(sql::filled_rows(runner.snapshot, info, coming, &columns)?, fields)
        })
    }

    pub(super) fn rows_of_query(&self, query: Query, fields: Vec<Field>) -> Result<Table> {
        let mut builder = TableBuilder::new(fields, Storage::Compact, &self.session.loading());
        for batch in self.query(query, super::super::Timings::default())? {
            builder.push(batch?)?;
        }
        builder.finish()
    }

    /// A table of a new column, written anew.
    fn refilled(
        &self,
        state: &State,
        stored: &StoredTable,
        info: &Arc<TableInfo>,
        context: &Context,
    ) -> Result<StoredTable> {
        let filled = self.filled(state, &plain(stored, context)?, info)?;
        rewritten(state, filled, (&info.fields, Declared::clone(&info.declared)), &info.name, context)
    }

    /// DROP COLUMN.
    pub(super) fn drop_column(
        &self,
        state: &mut State,
        name: &Qualified,
        column: &str,
        (if_exists, cascade): (bool, bool),
    ) -> Result<Vec<Notice>> {
        let stored = state.table(name)?.clone();
        let Some(at) = stored.info.fields.iter().position(|field| field.name == column) else {
            let error = unknown_column(&stored.info, column);
            if if_exists {
                return Ok(vec![Notice::skipping("00000", error.message())]);
            }
            return Err(error);
        };
        if stored.info.fields.len() == 1 {
            return Err(Error::unsupported("a table without columns is"));
        }
        if stored.stored().is_lazy() && !stored.is_unloaded() {
            return Err(Error::unsupported("a change of the columns of a table that is read when it is asked is"));
        }
        let mut goes = vec![at];
        goes.extend(needed::generated_of(&stored.info, at));
        let notices = self.drop_needing(state, name, &goes, cascade)?;
        if goes.len() == stored.info.fields.len() {
            return Err(Error::unsupported("a table without columns is"));
        }
        // From the last one on, as those behind a column that goes move.
        goes.sort_unstable();
        let context = self.session.loading();
        goes.iter().rev().try_for_each(|&at| remove_column(state, name, at, &context))?;
        Ok(notices)
    }

    /// ALTER COLUMN TYPE.
    pub(super) fn set_type(
        &self,
        state: &mut State,
        name: &Qualified,
        column: &str,
        (altering, change): (&Altering, &Alteration),
    ) -> Result<()> {
        let context = self.session.loading();
        let stored = state.table(name)?.clone();
        let at = column_of(&stored.info, column)?;
        self.check_ungenerated(&stored.info, (at, column))?;
        self.check_unread(state, name, (at, column))?;
        let rows = plain(&stored, &context)?;
        let (mut fields, declared, values) = self.over_state(state, &rows, |runner, coming| {
            let retyped = sql::retyped(runner.snapshot, altering, (at, change), &stored.info, coming)?;
            let field = Field { nullable: true, ..retyped.fields[at].clone() };
            let values = runner.rows_of_query(retyped.values, vec![field])?;
            Ok((retyped.fields, retyped.declared, values))
        })?;
        if stored.info.declared.is_identity(at) {
            check_identity_type(fields[at].data_type)?;
        }
        let was = stored.info.declared_field(at);
        let restriction = |of: &Declared| of.restrictions.get(at).copied().flatten();
        if matches!(change, Alteration::SetType { using: None, .. })
            && was.data_type == fields[at].data_type
            && restriction(&declared) == restriction(&stored.info.declared)
        {
            return Ok(());
        }
        let told = |error: Error| error.in_table(&name.schema, &name.name);
        if !fields[at].nullable && values.statistics.columns[0].proofs.nulls > 0 {
            return Err(told(has_nulls(&name.name, column)));
        }
        let rows = rows.with_columns(&[at], values)?;
        fields[at].nullable = stored.info.fields[at].nullable;
        let next = rewritten(state, rows, (&fields, declared), &name.name, &context)?;
        put(state, name, next, |_| {});
        self.retype_identity(state, name, at)?;
        self.check_retyped(state, name, at)
    }

    /// SET NOT NULL and DROP NOT NULL.
    pub(super) fn set_nullable(&self, state: &mut State, name: &Qualified, column: &str, nullable: bool) -> Result<()> {
        let stored = state.table(name)?.clone();
        let at = column_of(&stored.info, column)?;
        if stored.info.fields[at].nullable == nullable {
            return Ok(());
        }
        if nullable {
            check_no_identity(&stored.info, at)?;
            if stored.info.declared.keys.iter().any(|key| key.primary && key.columns.contains(&at)) {
                let message = format!("column \"{column}\" is in a primary key");
                return Err(Error::new(ErrorKind::InvalidTableDefinition, message));
            }
        } else {
            self.check_no_nulls(state, name, &[at])?;
        }
        let filled = [at];
        let stored = self.without_hidden_nulls(state, stored, if nullable { &[][..] } else { &filled })?;
        put(state, name, stored.with_nullable(&[at], nullable), |_| {});
        Ok(())
    }

    /// A table whose columns have no NULLs, not even in rows that are deleted.
    pub(super) fn without_hidden_nulls(
        &self,
        state: &State,
        stored: StoredTable,
        columns: &[usize],
    ) -> Result<StoredTable> {
        let has = |&column: &usize| stored.stored().statistics.columns[column].proofs.nulls > 0;
        if stored.info.hidden.deleted.is_none() || !columns.iter().any(has) {
            return Ok(stored);
        }
        let stored = stored.loaded(&|| state.domains(), &self.session.loading())?.into_owned();
        Ok(without_deleted(&stored, state, &self.session.loading())?.unwrap_or(stored))
    }
}

/// Takes a column out of a table, whose dependents have gone.
fn remove_column(state: &mut State, name: &Qualified, at: usize, context: &Context) -> Result<()> {
    needed::forget_column(state, name, at);
    // Its own references to itself may have gone.
    let stored = state.table(name)?.loaded(&|| state.domains(), context)?.into_owned();
    let mut declared = Declared::clone(&stored.info.declared);
    let goes = Gone::of(&mut declared, at, &stored.info.fields[at].name);
    declared.remove_column(at);
    declared.references.iter_mut().filter(|of| of.table == name.to_name()).for_each(|of| of.refer_without(at));
    let order: Vec<usize> = (0..stored.stored().fields.len()).filter(|&of| of != at).collect();
    let table = Table::clone(stored.stored()).rearranged(&order);
    let mut domains = stored.own_domains();
    if at < domains.len() {
        domains.remove(at);
    }
    let hidden = Hidden { deleted: stored.info.hidden.deleted.map(|marks| marks - 1), ..stored.info.hidden };
    let next = stored.reshaped((table, hidden), (domains, state.domains()), declared);
    put(state, name, next, |object| {
        goes.forget(Arc::make_mut(&mut object.numbers), at);
        move_comments(object, at);
    });
    Ok(())
}

/// The rows of a table that are not deleted as values of its columns as they are declared, in chunks as a load makes them.
pub(super) fn plain(stored: &StoredTable, context: &Context) -> Result<Table> {
    let stored = &*stored.loaded(&Domains::default, context)?;
    if stored.stored().is_lazy() {
        return Err(Error::unsupported("a change of the columns of a table that is read when it is asked is"));
    }
    let own = stored.info.fields.len();
    let mut table = Table::clone(stored.stored());
    if let Some(marks) = stored.info.hidden.deleted {
        table = table.without_any_marked(marks, context)?.unwrap_or(table);
    }
    let columns: Vec<usize> = (0..own).collect();
    let mut domains = stored.own_domains();
    domains.truncate(own);
    let rows = domain::decode(&table.rearranged(&columns), &domains, context)?;
    if stored.info.declared.numerics.is_empty() {
        return Ok(rows);
    }
    rows.as_numerics(&stored.info.declared.numerics, context)
}

/// A table of rows as values, stored as a load stores them.
pub(super) fn rewritten(
    state: &State,
    rows: Table,
    (fields, declared): (&[Field], Declared),
    name: &str,
    context: &Context,
) -> Result<StoredTable> {
    let rows = rows.with_fields(fields.to_vec())?.narrowed(&declared.numerics, context)?;
    StoredTable::encoded(name, rows, Arc::new(declared), state.domains(), context)
}

/// What goes with a column, by the places that it had in the lists of a declaration.
#[derive(Default)]
struct Gone {
    keys: Vec<usize>,
    checks: Vec<usize>,
    references: Vec<usize>,
    indexes: Vec<usize>,
}

impl Gone {
    /// Takes it out of a declaration.
    fn of(declared: &mut Declared, column: usize, name: &str) -> Self {
        let names = |text: &str| sql::names_column(text, name);
        let places = |goes: Vec<bool>| (0..goes.len()).filter(|&at| goes[at]).collect::<Vec<_>>();
        let gone = Gone {
            keys: places(declared.keys.iter().map(|key| key.columns.contains(&column)).collect()),
            checks: places(declared.checks.iter().map(|check| check.columns.contains(&column)).collect()),
            references: places(declared.references.iter().map(|of| of.columns.contains(&column)).collect()),
            indexes: places(
                declared
                    .indexes
                    .iter()
                    .map(|index| {
                        let parts = &mut index.parts.iter();
                        index.columns.contains(&column)
                            || parts.any(|part| part.column == Some(column) || names(&part.expression))
                            || index.predicate.as_deref().is_some_and(names)
                    })
                    .collect(),
            ),
        };
        gone.keys.iter().rev().for_each(|&at| drop(declared.keys.remove(at)));
        gone.checks.iter().rev().for_each(|&at| drop(declared.checks.remove(at)));
        gone.references.iter().rev().for_each(|&at| drop(declared.references.remove(at)));
        gone.indexes.iter().rev().for_each(|&at| drop(declared.indexes.remove(at)));
        gone
    }

    /// Forgets the numbers of it, and of the column's default.
    fn forget(&self, numbers: &mut Numbers, column: usize) {
        let without = |list: &mut Vec<u32>, gone: &[usize]| {
            for &at in gone.iter().rev() {
                if at < list.len() {
                    list.remove(at);
                }
            }
        };
        without(&mut numbers.keys, &self.keys);
        without(&mut numbers.checks, &self.checks);
        without(&mut numbers.references, &self.references);
        without(&mut numbers.indexes, &self.indexes);
        without(&mut numbers.defaults, &[column]);
    }
}

/// Lets comments on columns stand with them where one is gone.
fn move_comments(object: &mut Object, column: usize) {
    let gone = u32::try_from(column + 1).unwrap_or(u32::MAX);
    let number = object.oid;
    let comments = object.comments.iter().filter_map(|(&(catalog, of, part), text)| {
        let is_column = catalog == PG_CLASS && of == number && part > 0;
        match part.cmp(&gone) {
            _ if !is_column => Some(((catalog, of, part), Arc::clone(text))),
            std::cmp::Ordering::Less => Some(((catalog, of, part), Arc::clone(text))),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(((catalog, of, part - 1), Arc::clone(text))),
        }
    });
    object.comments = Arc::new(comments.collect());
}

/// Lets keys have the numbers that they had, where others have come before and behind them.
pub(super) fn number_keys(object: &mut Object, was: &Declared, now: &Declared) {
    let numbers = Arc::make_mut(&mut object.numbers);
    for (at, key) in now.keys.iter().enumerate() {
        if !was.keys.iter().any(|known| known.name == key.name) && at < numbers.keys.len() {
            numbers.insert_key(at);
        }
    }
}
