//! SQL text to statements and relations: the grammar. What it means (names, types, coercions, grouping, operators) is the
//! business of [`relation::builder`](crate::relation::builder), which is called for each part of the syntax tree.
//!
//! Read in this order: `parse` splits a script, `spelling`, `ahead`, `forms` and `grouping_words` mend what sqlparser misreads or does
//! not know, `escapes` spells strings whose backslashes are escapes, `refused` names what is not supported, the `dialect` is ours;
//! `statement` tells the kinds apart, `step` binds those of a function's body, and
//! those that are no queries have a file each (`kept`, with `kept_lambdas`, is what of them is stored as text; `change` has those that
//! change rows); `query` and the files
//! of its clauses walk queries, `expression` scalars. What only DuckDB reads has files of its own: `star`, `columns`, `alias` (names of
//! select items), `asof`, `described`, `pivot`, `unpivot` and `sample`.
//! `search_cycle` rewrites SEARCH and CYCLE; `binder` is what all of them share.

mod ahead;
mod definition;
mod dialect;
mod escapes;
mod forms;
mod grouping_words;
mod keyword;
mod normal;
mod parse;
mod refused;
mod session;
mod spelling;
mod statement;
mod step;
mod tuned;

mod constraint;
mod copy;
mod create;
mod explain;
mod filled;
mod frame_spelling;
mod insert;
mod kept;
mod kept_lambdas;
mod liked;
mod shown;

mod alias;
mod asof;
mod columns;
mod cte;
mod described;
mod file_function;
mod file_option;
mod from;
mod from_function;
mod generated;
mod iterate;
mod join;
mod limit;
mod locking;
mod names;
mod naming;
mod order;
mod pivot;
mod query;
mod recursive;
mod sample;
mod search_cycle;
mod select;
mod select_list;
mod set_operation;
mod star;
mod unpivot;
mod values;
mod window;

mod expression;

mod binder;
mod text;

mod change;

pub use change::{
    Change, ChangeKind, ChangingWith, Conflict, ConflictUpdate, MergeAction, Part, Work, updatable_columns,
};
pub use constraint::made_name;
pub use definition::{Added, Alter, Alteration, Altering, Retyped, added, default_set, reads_column, retyped};
pub use definition::{
    ColumnSequence, Commented, Definition, Grant, Granted, Grantee, NewIndex, ObjectKind, RenamedPart,
};
pub use definition::{LockMode, LockTable, Maintenance, Reindexed, SequenceChange, SequenceOptions};
pub use definition::{
    NewArgument, NewBody, NewRoutine, RoutineChange, RoutineKind, RoutineName, RoutineOption, routine_types,
};
pub use escapes::with_escapes;
pub use filled::{assigned_rows, filled_rows, view_as_query};
pub use kept::{classes_in, column_renamed, names_column, names_function, pretty};
pub use locking::{Strength, Wait};
pub use normal::normalised;
pub use session::{
    Direction, Discarded, Isolation, Piece, RoleOptions, RoleStatement, SessionStatement, TransactionMode,
};
pub use shown::Showing;
pub use step::{Step, bind_step, has_result, steps};
pub use text::Moves;

use crate::catalog::{Catalog, Declared, FileOptions, OnCommit, Routine, TableName, View};
use crate::error::Result;
use crate::relation::Query;
use crate::relation::builder::{Builder, Need, Rows};
use crate::types::{DataType, Field};
use std::sync::Arc;

/// A statement's text within a script.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What it says.
    pub tree: Tree,
    /// The text it came from, without the semicolon; positions are offsets into this, or into what it was made of.
    pub text: String,
    /// Where the pieces of the text stand in what it was made of.
    pub moves: Arc<Moves>,
    /// The same of statements that differ in constants, blanks and comments alone.
    pub number: u64,
}

impl Tree {
    /// Whether it asks for rows or changes some.
    pub fn is_of_rows(&self) -> bool {
        use sqlparser::ast::Statement as S;
        let Tree::Sql(statement) = self else { return false };
        matches!(**statement, S::Query(_) | S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_))
    }
}

/// A statement as it is written.
#[derive(Clone, Debug)]
pub enum Tree {
    /// SQL's queries and changes: sqlparser's tree.
    Sql(Box<sqlparser::ast::Statement>),
    /// What only a session understands.
    Session(SessionStatement),
    /// What defines something in words that sqlparser does not read.
    Definition(Definition),
    /// COPY: sqlparser's tree without options, of which it knows too few, and these.
    Copy(Box<sqlparser::ast::Statement>, FileOptions),
    /// SUMMARIZE: the query behind it, or one of all rows of the table or file.
    Summarize(Box<sqlparser::ast::Statement>),
}

/// A bound statement. Names are case-folded; files are paths as written.
#[derive(Clone, Debug)]
pub enum Statement {
    /// SELECT, VALUES, TABLE, WITH.
    Query(Query),
    /// CREATE TABLE name (columns).
    CreateTable {
        /// Its name.
        name: TableName,
        /// TEMPORARY: the session's own.
        temporary: bool,
        /// Its columns; `nullable: false` for NOT NULL and PRIMARY KEY.
        fields: Vec<Field>,
        /// Its keys, defaults, checks and references, and what its types lose.
        declared: Declared,
        /// The sequences of its columns, whose defaults are not among those yet.
        sequences: Vec<ColumnSequence>,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// CREATE TABLE name AS query.
    CreateTableAs {
        /// Its name.
        name: TableName,
        /// TEMPORARY: the session's own.
        temporary: bool,
        /// Its rows; output names are the columns'.
        query: Query,
        /// ON COMMIT.
        on_commit: OnCommit,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// CREATE VIEW name [(columns)] AS query.
    CreateView {
        /// Its name.
        name: TableName,
        /// TEMPORARY: the session's own.
        temporary: bool,
        /// Its query, bound once to see that it is right; what its names stand for is not among it yet.
        view: View,
        /// Its columns.
        fields: Vec<Field>,
        /// The tables, views and types that it names.
        needs: Vec<Need>,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// CREATE FUNCTION.
    CreateRoutine {
        /// Its name.
        name: TableName,
        /// What it is; what the names of a body of SQL's standard stand for is not among it yet.
        routine: Box<Routine>,
        /// The tables, views, types and functions that it names.
        needs: Vec<Need>,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// INSERT INTO name [(columns)] query. The query's output has one column a table column, in the table's
    /// order, cast for assignment, missing ones their defaults; or these columns alone.
    Insert {
        /// The table.
        name: TableName,
        /// What the query gives, by position in the table; empty for all.
        columns: Vec<usize>,
        /// The rows.
        query: Query,
    },
    /// CALL.
    Call {
        /// What runs the procedure: of one row, what comes out of it.
        query: Box<Query>,
        /// Whether something does.
        gives_row: bool,
    },
    /// SELECT … FOR UPDATE and its kin.
    Locking(Box<Locking>),
    /// UPDATE, DELETE, and INSERT that has RETURNING or ON CONFLICT.
    Change(Box<Change>),
    /// A statement with a WITH that changes rows.
    ChangingWith(Box<ChangingWith>),
    /// CREATE MATERIALIZED VIEW.
    CreateMaterialized {
        /// Its name.
        name: TableName,
        /// Its query; what its names stand for is not among it yet.
        view: View,
        /// Its rows; output names are the columns'.
        query: Query,
        /// The tables, views and types that it names.
        needs: Vec<Need>,
        /// Unless WITH NO DATA.
        is_filled: bool,
        /// IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// What defines or renames something else.
    Define(Definition),
    /// ALTER of what a relation is.
    Alter(Box<Altering>),
    /// DROP of anything but a schema.
    Drop {
        /// What to drop.
        names: Vec<TableName>,
        /// What they are.
        kind: ObjectKind,
        /// IF EXISTS.
        if_exists: bool,
        /// CASCADE: what needs it goes, too.
        cascade: bool,
    },
    /// CREATE SCHEMA.
    CreateSchema {
        /// Its name.
        name: String,
        /// AUTHORIZATION: whose it is, if that is said.
        owner: Option<String>,
        /// IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// DROP SCHEMA.
    DropSchema {
        /// Their names.
        names: Vec<String>,
        /// IF EXISTS.
        if_exists: bool,
        /// CASCADE: what is in it goes, too.
        cascade: bool,
    },
    /// A statement that only a session understands.
    Session(SessionStatement),
    /// COPY name FROM.
    CopyFrom {
        /// The table.
        name: TableName,
        /// The columns given, by position in the table; empty for all.
        columns: Vec<usize>,
        /// The file; none is STDIN.
        path: Option<String>,
        /// What it says of the file.
        options: FileOptions,
    },
    /// COPY name TO 'path' or COPY (query) TO 'path'.
    CopyTo {
        /// The rows.
        query: Query,
        /// The file; none is STDOUT.
        path: Option<String>,
        /// What it says of the file.
        options: FileOptions,
    },
    /// SHOW TABLES.
    ShowTables,
    /// DESCRIBE name.
    Describe {
        /// A table or view.
        name: TableName,
    },
    /// DESCRIBE of a query or a file.
    DescribeQuery(Query),
    /// SUMMARIZE of a table, a file or a query: what its columns hold.
    Summarize(Query),
    /// EXPLAIN.
    Explain {
        /// What to show.
        kind: ExplainKind,
        /// ANALYZE: run it, and add rows, time and bytes.
        analyze: bool,
        /// FORMAT and what it shows.
        form: ExplainForm,
        /// The query.
        query: Query,
    },
}

impl Statement {
    /// The query in it, if there is one.
    pub fn query(&self) -> Option<&Query> {
        match self {
            Statement::Query(query)
            | Statement::CreateTableAs { query, .. }
            | Statement::CreateMaterialized { query, .. }
            | Statement::Insert { query, .. }
            | Statement::CopyTo { query, .. }
            | Statement::DescribeQuery(query)
            | Statement::Summarize(query)
            | Statement::Explain { query, .. } => Some(query),
            Statement::Change(change) => Some(&change.query),
            Statement::ChangingWith(with) => Some(with.main.query()),
            Statement::Locking(locking) => Some(&locking.query),
            Statement::Call { query, .. } => Some(query),
            _ => None,
        }
    }
}

/// A query whose rows are taken until the transaction ends.
#[derive(Clone, Debug)]
pub struct Locking {
    /// The query; behind its columns come the numbers of rows, a column for each of these tables.
    pub query: Query,
    /// The tables whose rows are taken.
    pub tables: Vec<Locked>,
}

/// A table of FROM whose rows are taken.
#[derive(Clone, Debug)]
pub struct Locked {
    /// The table.
    pub table: TableName,
    /// How.
    pub strength: Strength,
    /// What is done about rows that others have.
    pub wait: Wait,
}

/// What EXPLAIN shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainKind {
    /// EXPLAIN: the optimised relation.
    Relation,
    /// EXPLAIN (LOOPS): the program before and after the rules, and the rules that fired.
    Loops,
    /// EXPLAIN (KERNELS): bucket kinds, widths, encodings.
    Kernels,
    /// EXPLAIN (CODE): what is compiled for devices; the query runs for that.
    Code,
}

/// How EXPLAIN shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainForm {
    /// FORMAT JSON; otherwise text, for which the others mean nothing.
    pub json: bool,
    /// COSTS: what is expected.
    pub costs: bool,
    /// TIMING: how long each node took.
    pub timing: bool,
    /// SUMMARY: how long all of it took; where nothing is said, if it ran.
    pub summary: Option<bool>,
}

impl Default for ExplainForm {
    fn default() -> Self {
        ExplainForm { json: false, costs: true, timing: true, summary: None }
    }
}

/// Splits a script into statements and parses each (Postgres dialect). Errors have positions in the script.
pub fn parse(sql: &str) -> Result<Vec<Parsed>> {
    parse::parse(sql)
}

/// Binds a statement. `parameters` are the types of `$1`, `$2`, …, where the caller knows them; others, and those that are
/// [`DataType::Null`], are inferred.
pub fn bind(statement: &Parsed, catalog: &dyn Catalog, parameters: &[DataType]) -> Result<Statement> {
    statement::bind(statement, catalog, parameters, false)
}

/// As [`bind`], with numerics of any number of digits wherever decimals could exceed theirs: for a statement that has
/// failed with [`ErrorKind::DecimalOverflow`](crate::error::ErrorKind::DecimalOverflow).
pub fn bind_wide(statement: &Parsed, catalog: &dyn Catalog, parameters: &[DataType]) -> Result<Statement> {
    statement::bind(statement, catalog, parameters, true)
}

/// The type of a name as it is written in SQL.
pub fn type_named(text: &str) -> Result<DataType> {
    expression::bind_data_type(&parse::parse_type(text)?)
}

/// Builds the rows of a view from its text, for builders of other front ends.
pub fn view_rows(builder: &mut Builder<'_>, sql: &str) -> Result<Rows> {
    binder::view_rows(builder, sql)
}

#[cfg(test)]
mod tests;
