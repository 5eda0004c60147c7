//! The flush of an appender: its pieces become rows of the table, under the right to write.

use super::super::{Session, Statement};
use super::{Appender, Piece};
use crate::guard::guarded;
use crate::running::Runner;
use crate::sight::Sight;
use crate::snapshot::Snapshot;
use crate::{Error, ErrorKind, Field, Result};
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_planner::catalog::{Catalog, CatalogEntry, TableInfo, TableName};
use multiloop_planner::sql::{self, Statement as Bound};
use std::sync::Arc;

/// What an appender's statement means now.
pub(super) struct Target {
    pub(super) name: TableName,
    /// The places of the columns that come; none are all.
    pub(super) columns: Vec<usize>,
    pub(super) fields: Vec<Field>,
    pub(super) sight: Sight,
    pub(super) info: Arc<TableInfo>,
}

impl Target {
    /// Looks for the table, the columns, and the right to INSERT.
    pub(super) fn find(session: &Session, statement: &Statement) -> Result<Self> {
        session.running().with_snapshot(|snapshot| Target::of(statement, snapshot))
    }

    /// The same in a snapshot.
    pub(super) fn of(statement: &Statement, snapshot: &Snapshot<'_>) -> Result<Self> {
        let Bound::CopyFrom { name, columns, path: None, .. } = sql::bind(&statement.parsed, snapshot, &[])? else {
            return Err(Error::new(ErrorKind::Syntax, "the name of a table is needed"));
        };
        let Some(CatalogEntry::Table(info)) = snapshot.entry(&name)? else {
            return Err(Error::internal("COPY was bound to no table"));
        };
        let fields = chosen(&info, &columns);
        let sight = snapshot.sight(&fields);
        Ok(Target { name, columns, fields, sight, info })
    }
}

/// The fields of some columns of a table; no columns are all.
fn chosen(info: &TableInfo, columns: &[usize]) -> Vec<Field> {
    let all = info.declared.fields(&info.fields);
    if columns.is_empty() { all } else { columns.iter().map(|&column| all[column].clone()).collect() }
}

/// An error for a table that is not what it was: somebody has made another one of its name, say.
pub(super) fn check_same(were: &[Field], are: &[Field], table: &str) -> Result<()> {
    let is_same = |(was, is): (&Field, &Field)| was.name == is.name && was.data_type == is.data_type;
    if were.len() == are.len() && were.iter().zip(are).all(is_same) {
        return Ok(());
    }
    let message = format!("the columns of \"{table}\" are not those that it had when the appender was made");
    Err(Error::new(ErrorKind::Unsupported, message))
}

impl Appender<'_> {
    /// Appends all pieces, or drops them.
    pub(super) fn flush_pieces(&mut self) -> Result<()> {
        if self.closed == 0 {
            self.discard();
            return Ok(());
        }
        let (pieces, rows) = (std::mem::take(&mut self.pieces), self.closed as u64);
        let session = self.session;
        let done =
            session.seen(&self.statement, || session.as_statement(|| session.in_transaction(|| self.append(pieces))));
        let first = self.before + 1;
        self.discard();
        match done {
            Ok(target) => {
                self.appended += rows;
                self.see(target);
                Ok(())
            }
            Err(error) => Err(match error.subject().and_then(|subject| subject.row) {
                Some(row) => self.of_row(error, first + row - 1),
                None => among(error, first, rows),
            }),
        }
    }

    /// What the statement means now: the rows that come are read for that.
    fn see(&mut self, target: Target) {
        (self.fields, self.sight) = (target.fields, target.sight);
    }

    /// Looks whether the table still is what it was, as where NULL may not be.
    pub(super) fn look_again(&mut self) {
        let session = self.session;
        let find = || guarded(|| Target::find(session, &self.statement));
        if let Ok(target) = find()
            && check_same(&self.fields, &target.fields, &self.table).is_ok()
        {
            self.see(target);
        }
    }

    fn append(&self, pieces: Vec<Piece>) -> Result<Target> {
        let running = self.session.running();
        running.with_snapshot(|snapshot| {
            let target = Target::of(&self.statement, snapshot)?;
            let Target { name, columns, fields, .. } = &target;
            check_same(&self.fields, fields, &self.table)?;
            let rows = self.table_of(pieces, fields)?;
            let runner = Runner { session: &running, snapshot, parameters: &[] };
            runner.append(name, |info| {
                check_same(&self.fields, &chosen(info, columns), &self.table)?;
                let rows = match is_restricted(info, columns) {
                    true => self.restricted(&runner, &rows, columns, info)?,
                    false => rows,
                };
                runner.placed(rows, columns, info)
            })?;
            Ok(target)
        })
    }

    /// The pieces as a compact table.
    fn table_of(&self, pieces: Vec<Piece>, fields: &[Field]) -> Result<Table> {
        let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, &self.session.loading());
        for piece in pieces {
            match piece {
                Piece::Columns(rows, columns) => builder.push_columns(rows, columns)?,
                Piece::Batch(batch) => builder.push(batch)?,
            }
        }
        builder.finish()
    }

    /// Rows whose values are rounded or cut as their columns say.
    fn restricted(&self, runner: &Runner<'_>, rows: &Table, columns: &[usize], info: &TableInfo) -> Result<Table> {
        let (batches, _held) = runner.assigned(rows, columns, info)?;
        self.table_of(batches.into_iter().map(Piece::Batch).collect(), &chosen(info, columns))
    }
}

/// Whether INSERT rounds or cuts values of some columns, as of `timestamp(0)`; no columns are all.
fn is_restricted(info: &TableInfo, columns: &[usize]) -> bool {
    let mut restrictions = info.declared.restrictions.iter().enumerate();
    restrictions.any(|(place, restriction)| restriction.is_some() && (columns.is_empty() || columns.contains(&place)))
}

/// An error about one of some rows, of which nobody knows which.
fn among(error: Error, first: u64, rows: u64) -> Error {
    if !error.kind().is_data_error() && error.subject().is_none() {
        return error;
    }
    let place = format!("It is one of rows {first} to {} of the appender.", first + rows - 1);
    let detail = error.detail().map_or(place.clone(), |detail| format!("{detail} {place}"));
    error.with_detail(detail)
}
