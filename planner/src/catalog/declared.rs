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

    /// Of a table that gets one more column, behind the others, of a type: that it is the one of a number says what there was.
    pub(crate) fn widen(&mut self, of: DataType, restriction: Option<Restriction>, column: usize) {
        set_of(&mut self.restrictions, column, restriction, None, column + 1);
        set_of(&mut self.numerics, column, of == DataType::Numeric, false, column + 1);
        set_of(&mut self.defaults, column, None, None, column + 1);
    }

    /// Of a table of so many columns one of which has another type.
    pub(crate) fn retype(&mut self, column: usize, of: DataType, restriction: Option<Restriction>, count: usize) {
        set_of(&mut self.restrictions, column, restriction, None, count);
        set_of(&mut self.numerics, column, of == DataType::Numeric, false, count);
    }

    /// Gives a column of so many a default, or takes it away.
    pub fn set_default(&mut self, column: usize, text: Option<Arc<str>>, count: usize) {
        set_of(&mut self.defaults, column, text, None, count);
    }

    /// Of a table that loses a column, and all that names it: what names others goes on to mean them. References of other tables to
    /// this one are theirs to see to ([`Reference::refer_without`]).
    pub fn remove_column(&mut self, column: usize) {
        remove_of(&mut self.restrictions, column);
        remove_of(&mut self.numerics, column);
        remove_of(&mut self.defaults, column);
        let keys = self.keys.iter_mut().map(|key| &mut key.columns);
        let checks = self.checks.iter_mut().map(|check| &mut check.columns);
        let references = self.references.iter_mut().map(|reference| &mut reference.columns);
        keys.chain(checks).chain(references).for_each(|columns| shift(columns, column));
        for part in self.indexes.iter_mut().flat_map(|index| &mut index.parts) {
            part.column = part.column.map(|of| of - usize::from(of > column));
        }
        if self.defaults.iter().all(Option::is_none) {
            self.defaults.clear();
        }
    }

    /// The names of its constraints.
    pub fn constraint_names(&self) -> Vec<String> {
        let keys = self.keys.iter().filter(|key| !key.is_index).map(|key| &key.name);
        let checks = self.checks.iter().map(|check| &check.name);
        keys.chain(checks).chain(self.references.iter().map(|reference| &reference.name)).cloned().collect()
    }

    /// The names of its indexes that are no constraints.
    pub fn index_names(&self) -> impl Iterator<Item = String> {
        let unique = self.keys.iter().filter(|key| key.is_index).map(|key| &key.name);
        unique.chain(self.indexes.iter().map(|index| &index.name)).cloned()
    }

    /// The expression that a column has where an INSERT leaves it out.
    pub fn default_text(&self, column: usize) -> Option<&Arc<str>> {
        self.defaults.get(column)?.as_ref()
    }
}

/// Sets what a list says of a column of so many; a list that says nothing of any is empty.
fn set_of<T: Clone + PartialEq>(list: &mut Vec<T>, column: usize, value: T, nothing: T, count: usize) {
    if list.is_empty() && value == nothing {
        return;
    }
    list.resize(count, nothing.clone());
    list[column] = value;
    if list.iter().all(|of| *of == nothing) {
        list.clear();
    }
}

fn remove_of<T>(list: &mut Vec<T>, column: usize) {
    if column < list.len() {
        list.remove(column);
    }
}

/// Positions of columns once one is gone that is not among them.
fn shift(columns: &mut [usize], gone: usize) {
    columns.iter_mut().for_each(|of| *of -= usize::from(*of > gone));
}

impl Reference {
    /// Lets it refer to what it does once the table that it refers to has lost a column.
    pub fn refer_without(&mut self, column: usize) {
        shift(&mut self.referenced, column);
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
    /// Whether all rows are known to meet it: not after NOT VALID.
    pub is_valid: bool,
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
    /// Whether all rows are known to meet it: not after NOT VALID.
    pub is_valid: bool,
    /// When it is checked.
    pub deferral: Deferral,
}

/// When a constraint is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deferral {
    /// At the end of each statement.
    #[default]
    Never,
    /// DEFERRABLE: the same, unless SET CONSTRAINTS says otherwise.
    Immediate,
    /// DEFERRABLE INITIALLY DEFERRED: at the end of the transaction, unless SET CONSTRAINTS says otherwise.
    Deferred,
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
