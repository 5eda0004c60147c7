//! Statements that define what is no table and no view, or change what there is without its rows: indexes, types, comments, new
//! names, materialized views. `parse` has the grammar of those that sqlparser cannot read, `alter` that of ALTER, with
//! `storage`, `maintain` that of VACUUM and its kin, `routine` that of functions; `bind`
//! looks at the others, and at what names tables, `bind_alter` at what ALTER adds and changes, `bind_routine` at functions.

mod alter;
mod bind;
mod bind_alter;
mod bind_routine;
mod grant;
mod maintain;
mod parse;
mod routine;
mod sequence;
mod storage;

pub use alter::{Alter, Alteration, Altering};
pub(super) use bind::index_name;
pub use bind_alter::{Added, Retyped, added, default_set, reads_column, retyped};
pub use bind_routine::routine_types;
pub use grant::{Grant, Granted, Grantee};
pub use maintain::{LockMode, LockTable, Maintenance, Reindexed};
pub(super) use parse::{parse, sets_constraints};
pub use routine::{NewArgument, NewBody, NewRoutine, RoutineChange, RoutineKind, RoutineName, RoutineOption};
pub(super) use sequence::identity_options;
pub use sequence::{ColumnSequence, SequenceChange, SequenceOptions};
pub(super) use storage::Stored;

use super::session::Piece;
use crate::catalog::{Index, Key, TableName};

/// A statement of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// COMMENT ON.
    Comment {
        /// What it says something of.
        on: Commented,
        /// What it says; none is NULL.
        text: Option<String>,
    },
    /// ALTER … RENAME TO, and of what belongs to a relation.
    Rename {
        /// The relation, or schema (whose name is the name).
        kind: ObjectKind,
        /// Its name.
        name: TableName,
        /// What of it is renamed.
        part: RenamedPart,
        /// The new name.
        to: String,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// VACUUM and its kin.
    Maintain(Maintenance),
    /// LOCK TABLE.
    Lock(LockTable),
    /// SET CONSTRAINTS.
    SetConstraints {
        /// Which; none are all.
        names: Option<Vec<TableName>>,
        /// DEFERRED, and not IMMEDIATE.
        deferred: bool,
    },
    /// ALTER of what a relation is.
    Alter(Box<Alter>),
    /// ALTER … SET SCHEMA.
    SetSchema {
        /// What it is.
        kind: ObjectKind,
        /// Its name.
        name: TableName,
        /// The schema.
        schema: String,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// CREATE MATERIALIZED VIEW as it is written.
    CreateMaterialized {
        /// Its name.
        name: TableName,
        /// The columns' names, if they are given.
        columns: Vec<String>,
        /// The query's text, and where it starts.
        query: Piece,
        /// Unless WITH NO DATA.
        is_filled: bool,
        /// IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// REFRESH MATERIALIZED VIEW.
    Refresh {
        /// Its name.
        name: TableName,
        /// Unless WITH NO DATA.
        is_filled: bool,
    },
    /// CREATE INDEX.
    CreateIndex {
        /// The table.
        table: TableName,
        /// What is made.
        index: NewIndex,
        /// Whether the name was chosen, and may get a number.
        is_chosen: bool,
        /// IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// CREATE TYPE … AS ENUM.
    CreateEnum {
        /// Its name.
        name: TableName,
        /// Its labels in order.
        labels: Vec<String>,
    },
    /// CREATE SEQUENCE.
    CreateSequence {
        /// Its name.
        name: TableName,
        /// TEMPORARY: the session's own.
        temporary: bool,
        /// What is said of it.
        options: SequenceOptions,
        /// IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// ALTER SEQUENCE.
    AlterSequence {
        /// Its name.
        name: TableName,
        /// What changes.
        change: SequenceChange,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// TRUNCATE.
    Truncate {
        /// The tables.
        names: Vec<TableName>,
        /// RESTART IDENTITY: the sequences of their columns begin anew.
        restart: bool,
        /// CASCADE: those that refer to them, too.
        cascade: bool,
    },
    /// GRANT and REVOKE of rights on tables, schemas and functions.
    Grant(Grant),
    /// CREATE FUNCTION as it is written.
    CreateRoutine(Box<NewRoutine>),
    /// DROP FUNCTION.
    DropRoutines {
        /// Which.
        names: Vec<RoutineName>,
        /// What the statement calls them.
        kind: RoutineKind,
        /// IF EXISTS.
        if_exists: bool,
        /// CASCADE.
        cascade: bool,
    },
    /// ALTER FUNCTION.
    AlterRoutine {
        /// Which.
        name: RoutineName,
        /// What changes.
        change: RoutineChange,
    },
}

/// An index to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewIndex {
    /// One that keeps its columns unique.
    Unique(Key),
    /// One that is recorded.
    Plain(Index),
}

/// What a comment is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commented {
    /// A relation, a type or a schema.
    Object(ObjectKind, TableName),
    /// A column of a relation.
    Column(TableName, String),
    /// A constraint of a table.
    Constraint(TableName, String),
    /// A function.
    Routine(RoutineName),
}

/// Kinds of objects with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum ObjectKind {
    Table,
    View,
    MaterializedView,
    Index,
    Type,
    Schema,
    Sequence,
    Routine,
}

impl ObjectKind {
    /// In words, as messages have it.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Table => "table",
            ObjectKind::View => "view",
            ObjectKind::MaterializedView => "materialized view",
            ObjectKind::Index => "index",
            ObjectKind::Type => "type",
            ObjectKind::Schema => "schema",
            ObjectKind::Sequence => "sequence",
            ObjectKind::Routine => "function",
        }
    }
}

/// What RENAME is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenamedPart {
    /// The object.
    Whole,
    /// A column.
    Column(String),
    /// A constraint.
    Constraint(String),
}
