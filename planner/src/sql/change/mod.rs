//! What changes a table's rows, as queries: which rows, by their numbers, and what they are to have.
//!
//! `UPDATE t SET a = e WHERE p RETURNING r` is a query over `t` with the numbers of its rows: of each row that is to be changed the
//! number, the new value of `a`, cast for assignment, and `r`, whose names mean the row as it will be. `DELETE` gives numbers and
//! `RETURNING`, `INSERT` the rows and `RETURNING`. So a statement sees one snapshot, whatever it changes, and an error in any part
//! of it comes before anything is changed. The engine finds double numbers and violated constraints, and makes the next snapshot.
//!
//! `ON CONFLICT DO UPDATE` is a second query, over rows that were to be inserted beside those that are there
//! ([`Catalog::meeting`](crate::catalog::Catalog::meeting)).

mod assignment;
mod conflict;
mod delete;
mod merge;
mod returning;
mod target;
mod through;
mod update;
mod with;

use super::Statement;
use super::binder::Binder;
use crate::catalog::{TableHandle, TableName};
use crate::error::{Error, Result};
use crate::relation::Query;
use crate::types::Field;
use sqlparser::ast;

/// A statement that changes a table's rows.
#[derive(Clone, Debug)]
pub struct Change {
    /// The table.
    pub table: TableName,
    /// What becomes of it.
    pub kind: ChangeKind,
    /// The rows. Its output begins with what the kind says, and ends with the columns of RETURNING.
    pub query: Query,
    /// How many columns RETURNING has, if it is there.
    pub returning: Option<usize>,
    /// The number that the first row is to get that comes in, where RETURNING tells of places.
    pub first_row: Option<u64>,
}

impl Change {
    /// Names and types of the columns of RETURNING, if it is there: those that the statement gives.
    pub fn returned_fields(&self) -> Option<Vec<Field>> {
        let count = self.returning?;
        let mut fields = self.query.fields();
        Some(fields.split_off(fields.len().saturating_sub(count)))
    }
}

/// What becomes of a table.
#[derive(Clone, Debug)]
pub enum ChangeKind {
    /// INSERT: the query gives one column for each of the table, in its order.
    Insert {
        /// ON CONFLICT.
        conflict: Option<Conflict>,
        /// Views whose CHECK OPTION is to hold: behind the table's columns stands for each whether it does.
        checks: Vec<String>,
    },
    /// UPDATE: the query gives the numbers of rows, and new values for these columns of the table. A row that has several
    /// (of UPDATE … FROM) has the first.
    Update {
        /// By position in the table.
        columns: Vec<usize>,
        /// Views whose CHECK OPTION is to hold: behind the new values stands for each whether it does.
        checks: Vec<String>,
    },
    /// DELETE: the query gives the numbers of rows, perhaps more than once (of DELETE … USING).
    Delete,
    /// MERGE: the query gives for each row what is done with it ([`MergeAction`]), the number of the row of the table, if it has one,
    /// new values for these columns of the table, which an update sets, and, if rows are inserted, one column for each of the table.
    Merge {
        /// By position in the table.
        columns: Vec<usize>,
        /// Whether rows are inserted.
        inserts: bool,
    },
}

/// What a MERGE does with a row; a query has it as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeAction {
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// INSERT.
    Insert,
}

impl MergeAction {
    /// The number of an action.
    pub fn code(self) -> i64 {
        match self {
            MergeAction::Update => 0,
            MergeAction::Delete => 1,
            MergeAction::Insert => 2,
        }
    }

    /// The action of a number.
    pub fn of_code(code: i64) -> Option<Self> {
        [MergeAction::Update, MergeAction::Delete, MergeAction::Insert].into_iter().find(|action| action.code() == code)
    }
}

/// ON CONFLICT.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The keys that it is about, by their place among the declared ones; violations of others are errors.
    pub keys: Vec<usize>,
    /// The UNIQUE indexes that are no keys, likewise, by their place among the indexes.
    pub indexes: Vec<usize>,
    /// DO UPDATE; none is DO NOTHING.
    pub update: Option<ConflictUpdate>,
}

/// ON CONFLICT DO UPDATE.
#[derive(Clone, Debug)]
pub struct ConflictUpdate {
    /// What is set, by position in the table.
    pub columns: Vec<usize>,
    /// As those of [`ChangeKind::Update`].
    pub checks: Vec<String>,
    /// Over [`Catalog::meeting`](crate::catalog::Catalog::meeting): the numbers of rows that are there, new values for these
    /// columns, and as many columns of RETURNING as the insertion has.
    pub query: Query,
    /// What the rows that meet others are known by.
    pub handle: TableHandle,
}

pub(super) use target::Verb;
pub use through::updatable_columns;
pub(super) use through::{Place, Through};
pub use with::{ChangingWith, Part, Work};
pub(super) use with::{PartInSight, PartsInSight, changing_with};

/// A statement that changes rows, with the WITH in front of it.
#[derive(Clone)]
pub(super) struct Changing<'s> {
    pub(super) withs: Vec<&'s ast::With>,
    pub(super) statement: &'s ast::Statement,
}

/// The statement as one that changes rows; none if it is another.
pub(super) fn changing(statement: &ast::Statement) -> Option<Changing<'_>> {
    match statement {
        ast::Statement::Insert(_)
        | ast::Statement::Update(_)
        | ast::Statement::Delete(_)
        | ast::Statement::Merge(_) => Some(Changing { withs: Vec::new(), statement }),
        ast::Statement::Query(query) => match &*query.body {
            ast::SetExpr::Insert(statement)
            | ast::SetExpr::Update(statement)
            | ast::SetExpr::Delete(statement)
            | ast::SetExpr::Merge(statement) => Some(Changing { withs: query.with.iter().collect(), statement }),
            _ => None,
        },
        _ => None,
    }
}

impl Binder<'_, '_> {
    /// INSERT, UPDATE, DELETE or MERGE.
    pub(super) fn change(self, Changing { withs, statement }: Changing<'_>) -> Result<Statement> {
        match statement {
            ast::Statement::Insert(insert) => self.insert(insert, &withs),
            ast::Statement::Update(update) => self.update(update, &withs),
            ast::Statement::Delete(delete) => self.delete(delete, &withs),
            ast::Statement::Merge(merge) => self.merge(merge, &withs),
            _ => Err(Error::internal("a statement was bound as one that changes rows")),
        }
    }
}
