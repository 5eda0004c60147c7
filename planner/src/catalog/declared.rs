//! What a table is declared with besides its columns: keys, defaults, checks, references, indexes, and the query that fills it.

use super::{Meant, TableName, View};
use crate::evaluate::interval::Fields;
use crate::types::{DataType, Field, SortOrder};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a table was declared with besides its columns' names and types.
///
/// Expressions are kept as text, in PostgreSQL's form, and bound where they are used; they name the table's columns without it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Its keys, the primary one first.
    pub keys: Vec<Key>,
    /// For each column what its values lose where they are stored; empty if no column has such a type.
    pub restrictions: Vec<Option<Restriction>>,
    /// For each column whether it is a NUMERIC without digits, whose values' scales are their own; empty if none is. A
    /// snapshot whose values happen to be of one scale may have it as decimals.
    pub numerics: Vec<bool>,
    /// For each column the expression that it has where an INSERT leaves it out, if it has one; empty if none has.
    pub defaults: Vec<Option<Arc<str>>>,
    /// What each row is held to.
    pub checks: Vec<Check>,
    /// What values of other tables' keys its rows have.
    pub references: Vec<Reference>,
    /// Indexes that keep nothing unique.
    pub indexes: Vec<Index>,
    /// What the names of types in its expressions stand for.
    pub names: Vec<Meant>,
    /// The query whose rows it keeps, of a materialized view.
    pub materialized: Option<Arc<Materialized>>,
    /// What becomes of a temporary table when a transaction ends.
    pub on_commit: OnCommit,
}

/// ON COMMIT of a temporary table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnCommit {
    /// PRESERVE ROWS: nothing.
    #[default]
    PreserveRows,
    /// DELETE ROWS: it has none then.
    DeleteRows,
    /// DROP: it goes.
    Drop,
}

impl Declared {
    /// The fields as they were declared, of a table that has these.
    pub fn fields(&self, stored: &[Field]) -> Vec<Field> {
        stored.iter().enumerate().map(|(column, field)| self.field(column, field)).collect()
    }

    /// A column's field as it was declared, of a table that has this one.
    pub(super) fn field(&self, column: usize, stored: &Field) -> Field {
        match self.numerics.get(column) {
            Some(true) => Field { data_type: DataType::Numeric, ..stored.clone() },
            _ => stored.clone(),
        }
    }

    /// The expression that a column has where an INSERT leaves it out.
    pub fn default_text(&self, column: usize) -> Option<&Arc<str>> {
        self.defaults.get(column)?.as_ref()
    }
}

/// PRIMARY KEY or UNIQUE, or an index that keeps its columns unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The constraint's name.
    pub name: String,
    /// Its columns, by position.
    pub columns: Vec<usize>,
    /// Whether it is the primary key, whose columns are never NULL.
    pub primary: bool,
    /// NULLS NOT DISTINCT: rows that have a NULL may not be alike either.
    pub nulls_equal: bool,
    /// Made by CREATE UNIQUE INDEX: an index without a constraint.
    pub is_index: bool,
}

/// CHECK: no row makes the condition false.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The constraint's name.
    pub name: String,
    /// The condition.
    pub condition: Arc<str>,
    /// The columns that it names, by position.
    pub columns: Vec<usize>,
}

/// FOREIGN KEY: what a row has in some columns, if none of it is NULL, a row of a table has in its.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The constraint's name.
    pub name: String,
    /// Its columns, by position.
    pub columns: Vec<usize>,
    /// The table that they refer to.
    pub table: TableName,
    /// The columns of that, by position, in the order of `columns`: those of a key.
    pub referenced: Vec<usize>,
    /// ON DELETE.
    pub on_delete: Action,
    /// ON UPDATE.
    pub on_update: Action,
}

/// What becomes of a row when the one that it refers to is deleted or has another key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum Action {
    #[default]
    NoAction,
    Restrict,
    Cascade,
    SetNull,
    SetDefault,
}

impl Action {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Action::NoAction => "NO ACTION",
            Action::Restrict => "RESTRICT",
            Action::Cascade => "CASCADE",
            Action::SetNull => "SET NULL",
            Action::SetDefault => "SET DEFAULT",
        }
    }

    /// PostgreSQL's letter for it.
    pub fn letter(self) -> &'static str {
        match self {
            Action::NoAction => "a",
            Action::Restrict => "r",
            Action::Cascade => "c",
            Action::SetNull => "n",
            Action::SetDefault => "d",
        }
    }
}

/// An index that keeps nothing unique. It is recorded: what indexes plans need they make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// btree or hash.
    pub method: String,
    /// What it is over.
    pub parts: Vec<IndexPart>,
    /// WHERE.
    pub predicate: Option<Arc<str>>,
}

/// A column or expression of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPart {
    /// The column, by position; none of an expression.
    pub column: Option<usize>,
    /// The expression; empty of a column.
    pub expression: Arc<str>,
    /// The type of its values.
    pub data_type: DataType,
    /// Its order.
    pub order: SortOrder,
}

/// What fills a materialized view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Materialized {
    /// The query.
    pub view: View,
    /// Whether it has been asked.
    pub is_filled: bool,
}

/// What the values of a type lose: of `timestamp(3)` digits of the seconds, of `interval hour` the minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restriction {
    /// time(p), timestamp(p).
    Seconds(u8),
    /// numeric(p, s) beyond what decimals are: of a negative scale, one above the precision, or a precision above 38.
    Digits {
        /// Digits, at most 1000.
        precision: u16,
        /// Those of them behind the point, -1000 to 1000.
        scale: i16,
    },
    /// interval with fields or a precision.
    Fields(Fields),
}
