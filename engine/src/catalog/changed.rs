//! The next snapshots of a stored table, in which rows have changed: whoever makes them sees to what the table is held to.

use super::history::Step;
use super::{Domains, StoredTable};
use crate::Result;
use crate::keys::Change;
use multiloop_exec::column::Table;
use multiloop_exec::column::domain::{self, Appended};
use multiloop_exec::column::narrow::alike;
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{Declared, Hidden};
use multiloop_planner::types::Field;
use std::sync::Arc;

impl StoredTable {
    /// With other values in some columns: those of rows of these numbers, which ascend. `keeps_keys` says that none of the columns is
    /// of a key.
    pub(crate) fn with_values(
        &self,
        columns: &[usize],
        (numbers, values): (&[usize], Table),
        (known, keeps_keys): (Domains, bool),
        context: &Context,
    ) -> Result<StoredTable> {
        if self.is_unloaded() {
            let (loaded, known) = self.loaded_among(known, context)?;
            return loaded.with_values(columns, (numbers, values), (known, keeps_keys), context);
        }
        let declared = &self.info.declared;
        let mut old = Table::clone(self.stored());
        let mut values = values;
        let numerics: Vec<bool> = columns.iter().map(|&column| declared.numerics.get(column) == Some(&true)).collect();
        if numerics.contains(&true) {
            values = values.narrowed(&numerics, context)?;
            let (of_old, of_values) = alike(old.clone().rearranged(columns), values, &numerics, context)?;
            old = old.with_columns(columns, of_old)?;
            values = of_values;
        }
        let own = self.own_domains();
        let step = Some(Step::new(numbers, Some(columns)));
        match domain::patch(&old, &own, (numbers, columns), &values, context)? {
            Some(Appended { table, domains, .. }) => {
                Ok(self.changed((table, self.info.hidden), (domains, known), step, keeps_keys))
            }
            // A domain is full.
            None => {
                let table = domain::decode(&old, &own, context)?.patched(numbers, columns, &values, context)?;
                Ok(self.replaced(table, step))
            }
        }
    }

    /// With these rows marked as deleted; their numbers ascend.
    pub(crate) fn with_deleted(&self, numbers: &[usize], known: Domains, context: &Context) -> Result<StoredTable> {
        if self.is_unloaded() {
            let (loaded, known) = self.loaded_among(known, context)?;
            return loaded.with_deleted(numbers, known, context);
        }
        let table = self.stored();
        let (marked, marks) = match self.info.hidden.deleted {
            Some(marks) => (table.marked(numbers, marks, context)?, marks),
            None => (table.with_marks().marked(numbers, table.fields.len(), context)?, table.fields.len()),
        };
        let hidden = Hidden { deleted: Some(marks), ..self.info.hidden };
        let step = Some(Step::new(numbers, None));
        let next = self.changed((marked, hidden), (self.own_domains(), known), step, true);
        Ok(match self.index_rows_without(numbers, context)? {
            Some(rows) => next.with_index_rows(rows, self.info.handle),
            None => next,
        })
    }

    /// With rows, which are values, behind those that there are, if `check` says that they may come. Whether there were none before.
    pub(crate) fn with_rows_behind(
        &self,
        rows: Table,
        known: Domains,
        check: &dyn Fn(Change<'_>) -> Result<()>,
        context: &Context,
    ) -> Result<(StoredTable, bool)> {
        if self.is_unloaded() {
            let (loaded, known) = self.loaded_among(known, context)?;
            return loaded.with_rows_behind(rows, known, check, context);
        }
        let name = self.info.name.as_str();
        let declared = Arc::clone(&self.info.declared);
        let (old, rows) = if declared.numerics.is_empty() {
            (Arc::clone(self.stored()), rows)
        } else {
            let rows = rows.narrowed(&declared.numerics, context)?;
            let (old, rows) = alike(Table::clone(self.stored()), rows, &declared.numerics, context)?;
            (Arc::new(old), rows)
        };
        let marks = self.info.hidden.deleted;
        let rows = if marks.is_some() { rows.with_marks() } else { rows };
        let is_load = old.rows() == 0;
        let snapshot = self.info.handle;
        let next = match domain::append(&old, &self.own_domains(), &rows, context)? {
            Some(Appended { table, rows: coded, domains }) => {
                check(Change { snapshot, old: &old, rows: &coded, all: &table, shown: &rows, marks })?;
                if is_load {
                    // CREATE TABLE and COPY are a load in two statements.
                    let mut loaded = StoredTable::encoded(name, table, declared, known, context)?;
                    // Its first rows, which are none, have their numbers still.
                    loaded.history = self.history.clone();
                    loaded
                } else {
                    self.appended(name, table, declared, domains, known)
                }
            }
            // A domain is full.
            None => {
                let old = domain::decode(&old, &self.own_domains(), context)?;
                let replaced = self.replaced(old.append(&rows, context)?, None);
                let all = replaced.stored();
                check(Change { snapshot, old: &old, rows: &rows, all, shown: &rows, marks })?;
                replaced
            }
        };
        Ok((next, is_load))
    }

    /// The loaded form of a table, and domains with its own among them.
    fn loaded_among(&self, mut known: Domains, context: &Context) -> Result<(StoredTable, Domains)> {
        let loaded = self.loaded(&|| known.clone(), context)?.into_owned();
        known.add(&loaded);
        Ok((loaded, known))
    }

    /// The same rows, declared otherwise: fields differ in names and in whether they may be NULL.
    pub(crate) fn defined(&self, name: &str, fields: &[Field], declared: Declared) -> StoredTable {
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        let those = |nullable: bool| -> Vec<usize> {
            (0..fields.len()).filter(|&column| fields[column].nullable == nullable).collect()
        };
        let defined = self.redeclared(name, Some(&names), declared);
        defined.with_nullable(&those(true), true).with_nullable(&those(false), false)
    }
}
