//! UNIQUE indexes that are no keys: over expressions, over the rows that meet a predicate, or with an order. What they are over is
//! computed by a query over the rows in question, as the conditions of CHECK are, and kept beside the table
//! ([`IndexRows`]); whether rows are unique by it is asked as it is of a key.

use super::change::rows_of;
use crate::catalog::{IndexRows, Qualified, State, StoredTable};
use crate::keys::{Change, KeyIndexes};
use crate::plan::Timings;
use crate::running::Runner;
use crate::snapshot::COMING;
use crate::system::quoted;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Table, domain};
use multiloop_planner::catalog::{Declared, Index, Key, TableName, View};
use multiloop_planner::sql;
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// The column that says of rows of a table whether they are deleted; no column of a table is named so by chance.
const DELETED: &str = "whether the row is deleted";

/// The column that says whether rows are in an index, likewise.
const IS_IN: &str = "whether the row is in the index";

impl Runner<'_> {
    /// What the UNIQUE indexes of a table that are no keys are over, of all of its rows.
    pub(super) fn index_rows(&self, stored: &StoredTable, state: &State) -> Result<Vec<IndexRows>> {
        if let Some(known) = stored.index_rows() {
            return Ok(known.to_vec());
        }
        let declared = &stored.info.declared;
        if declared.unique_indexes().next().is_none() {
            return Ok(Vec::new());
        }
        let context = self.session.loading();
        let own = stored.info.fields.len();
        let loaded = stored.loaded(&|| state.domains(), &context)?;
        let mut rows = domain::decode(loaded.stored(), &loaded.own_domains(), &context)?;
        let columns: Vec<usize> = (0..own).chain(loaded.info.hidden.deleted).collect();
        rows = rows.rearranged(&columns);
        if let Some(marks) = rows.fields.get_mut(own) {
            DELETED.clone_into(&mut marks.name);
        }
        let of = |(_, index): (usize, &Index)| {
            self.parts_of(index, declared, &rows, state).map(|rows| IndexRows::new(rows, stored.info.handle))
        };
        let found = declared.unique_indexes().map(of).collect::<Result<Vec<_>>>()?;
        stored.keep_index_rows(&found);
        Ok(found)
    }

    /// What an index is over, of each of some rows, and marks of those that are not in it. Nothing is computed of these but the
    /// predicate.
    fn parts_of(&self, index: &Index, declared: &Declared, rows: &Table, state: &State) -> Result<Table> {
        let context = self.session.loading();
        let part = |part: &multiloop_planner::catalog::IndexPart| {
            let (name, value) = match part.column {
                Some(column) => (rows.fields[column].name.clone(), quoted(&rows.fields[column].name)),
                // A call stands for itself.
                None if part.expression.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                    (part.expression.to_string(), part.expression.to_string())
                }
                None => (format!("({})", part.expression), part.expression.to_string()),
            };
            (Field::new(name, part.data_type, true), value)
        };
        let (mut fields, values): (Vec<Field>, Vec<String>) = index.parts.iter().map(part).unzip();
        fields.push(Field::new("deleted", DataType::SmallInt, false));
        let rows = rows.clone().as_numerics(&declared.numerics, &context)?;
        let mut builder = TableBuilder::new(fields, Storage::Compact, &context);
        if rows.rows() == 0 {
            return builder.finish();
        }
        let is_in = quoted(IS_IN);
        let predicate = index.predicate.as_ref().map_or_else(|| "true".to_owned(), |text| format!("({text}) IS TRUE"));
        let is_there = match rows.fields.iter().any(|field| field.name == DELETED) {
            true => format!("CASE WHEN {} <> 0 THEN false ELSE {predicate} END", quoted(DELETED)),
            false => predicate,
        };
        let values: Vec<String> = values.iter().map(|value| format!("CASE WHEN {is_in} THEN ({value}) END")).collect();
        let text = format!(
            "SELECT {}, CASE WHEN {is_in} THEN 0 ELSE 1 END::smallint FROM (SELECT *, {is_there} AS {is_in} FROM {}) rows",
            values.join(", "),
            quoted(COMING)
        );
        self.over_state(state, &rows, |runner, _| {
            let view = Arc::new(View { names: declared.names.clone(), ..View::of_text(text) });
            let query = sql::view_as_query(runner.snapshot, &TableName::from("an index"), &view, true)?;
            for batch in runner.query(query, Timings::default())? {
                builder.push(batch?)?;
            }
            builder.finish()
        })
    }

    /// Checks rows that are put behind those of a table. What its indexes are over then.
    pub(super) fn check_indexes(
        &self,
        stored: &StoredTable,
        rows: &Table,
        state: &State,
    ) -> Result<Option<Vec<IndexRows>>> {
        let declared = &stored.info.declared;
        if declared.unique_indexes().next().is_none() {
            return Ok(None);
        }
        let context = self.session.loading();
        let known = self.index_rows(stored, state)?;
        let mut next = Vec::with_capacity(known.len());
        for (of, (_, index)) in known.iter().zip(declared.unique_indexes()) {
            let coming = self.parts_of(index, declared, rows, state)?;
            let all = of.rows.append(&coming, &context)?;
            let (snapshot, marks) = (stored.info.handle, Some(of.marks()));
            let change = Change { snapshot, old: &of.rows, rows: &coming, all: &all, shown: &coming, marks };
            of.keys.check(&[of.key(&index.name, index.nulls_equal)], change, &context)?;
            next.push(IndexRows { rows: Arc::new(all), keys: Arc::clone(&of.keys) });
        }
        Ok(Some(next))
    }

    /// Checks rows of a table, by their numbers, some columns of which have other values in its next snapshot. What its indexes are
    /// over then; none if that is not known and no matter.
    pub(super) fn check_changed_indexes(
        &self,
        (stored, next): (&StoredTable, &StoredTable),
        (columns, numbers): (&[usize], &[usize]),
        state: &State,
    ) -> Result<Option<Vec<IndexRows>>> {
        let declared = &stored.info.declared;
        let reads = |index: &Index| index.columns.iter().any(|column| columns.contains(column));
        if !declared.unique_indexes().any(|(_, index)| reads(index)) {
            return Ok(stored.index_rows().map(<[IndexRows]>::to_vec));
        }
        let context = self.session.loading();
        let known = self.index_rows(stored, state)?;
        let rows = rows_of(next, numbers, &context)?;
        let mut changed = Vec::with_capacity(known.len());
        for (of, (_, index)) in known.into_iter().zip(declared.unique_indexes()) {
            if !reads(index) {
                changed.push(of);
                continue;
            }
            let values = self.parts_of(index, declared, &rows, state)?;
            let all: Vec<usize> = (0..values.fields.len()).collect();
            let patched = of.rows.patched(numbers, &all, &values, &context)?;
            let (key, marks) = (of.key(&index.name, index.nulls_equal), Some(of.marks()));
            KeyIndexes::check_changed(&key, &patched, (numbers, marks), || Ok(values), &context)?;
            changed.push(IndexRows::new(patched, next.info.handle));
        }
        Ok(Some(changed))
    }

    /// What some of the UNIQUE indexes of a table that are no keys are over, by their places among its indexes: as keys, of its rows, and
    /// of rows that are to come.
    pub(super) fn coming_to_indexes(
        &self,
        stored: &StoredTable,
        (rows, places): (&Table, &[usize]),
        state: &State,
    ) -> Result<Vec<(Key, IndexRows, Table)>> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let declared = &stored.info.declared;
        let known = self.index_rows(stored, state)?.into_iter().zip(declared.unique_indexes());
        let chosen = known.filter(|(_, (place, _))| places.contains(place));
        let of = |(of, (_, index)): (IndexRows, (usize, &Index))| {
            Ok((of.key(&index.name, index.nulls_equal), of, self.parts_of(index, declared, rows, state)?))
        };
        chosen.map(of).collect()
    }

    /// The error (23505) if two rows of a table of a state are alike by a UNIQUE index that is no key; of those that read a column, or of
    /// this name, if that is said.
    pub(super) fn check_rows_of_indexes(
        &self,
        state: &State,
        name: &Qualified,
        asked: impl Fn(&Index) -> bool,
    ) -> Result<()> {
        let stored = state.table(name)?;
        if !stored.info.declared.unique_indexes().any(|(_, index)| asked(index)) {
            return Ok(());
        }
        let context = self.session.loading();
        let known = self.index_rows(stored, state).map_err(|error| error.in_table(&name.schema, &name.name))?;
        for (of, (_, index)) in known.iter().zip(stored.info.declared.unique_indexes()) {
            if !asked(index) {
                continue;
            }
            let key = of.key(&index.name, index.nulls_equal);
            let empty = Table::empty(of.rows.fields.clone());
            let (snapshot, marks, rows) = (stored.info.handle, Some(of.marks()), &*of.rows);
            let change = Change { snapshot, old: &empty, rows, all: rows, shown: rows, marks };
            let checked = KeyIndexes::new(snapshot).check(std::slice::from_ref(&key), change, &context);
            checked.map_err(|error| not_unique(error, &key.name, name))?;
        }
        Ok(())
    }
}

/// The error of a key that rows of a table are not unique by, as that of making its index.
pub(super) fn not_unique(error: Error, index: &str, table: &Qualified) -> Error {
    let message = format!("could not create unique index \"{index}\"");
    match (error.kind(), error.detail()) {
        (ErrorKind::UniqueViolation, Some(detail)) => {
            let detail = detail.replace("already exists", "is duplicated");
            let error = Error::new(ErrorKind::UniqueViolation, message).with_detail(detail);
            error.of_constraint(index).in_table(&table.schema, &table.name)
        }
        _ => error,
    }
}
