//! SQL text to statements and relations: the grammar. What it means (names, types, coercions, grouping, operators) is the
//! business of [`relation::builder`](crate::relation::builder), which is called for each part of the syntax tree.
//!
//! Read in this order: `parse` splits a script, `spelling` mends what sqlparser misreads; `statement` tells the kinds apart, and
//! those that are no queries have a file each; `query` and the files of its clauses walk queries, `expression` scalars; `binder`
//! is what all of them share.

mod ahead;
mod parse;
mod spelling;
mod statement;

mod copy;
mod create;
mod explain;
mod insert;

mod cte;
mod file_function;
mod from;
mod join;
mod limit;
mod naming;
mod order;
mod query;
mod select;
mod select_list;
mod set_operation;
mod values;

mod expression;

mod binder;
mod text;

use crate::catalog::{Catalog, CopyOptions, Declared};
use crate::error::Result;
use crate::relation::Query;
use crate::relation::builder::{Builder, Rows};
use crate::types::{DataType, Field};

/// A statement's text within a script.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// sqlparser's tree.
    pub ast: sqlparser::ast::Statement,
    /// The text it came from, without the semicolon; positions are offsets into this.
    pub text: String,
}

/// A bound statement. Names are case-folded; files are paths as written.
#[derive(Clone, Debug)]
pub enum Statement {
    /// SELECT, VALUES, TABLE, WITH.
    Query(Query),
    /// CREATE TABLE name (columns).
    CreateTable {
        /// Its name.
        name: String,
        /// Its columns; `nullable: false` for NOT NULL and PRIMARY KEY.
        fields: Vec<Field>,
        /// Its keys, and what its types lose.
        declared: Declared,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// CREATE TABLE name AS query.
    CreateTableAs {
        /// Its name.
        name: String,
        /// Its rows; output names are the columns'.
        query: Query,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// CREATE VIEW name [(columns)] AS query.
    CreateView {
        /// Its name.
        name: String,
        /// Its column names, if given.
        columns: Vec<String>,
        /// The query's text, bound once to see that it is right.
        sql: String,
        /// The tables and views that it names.
        needs: Vec<String>,
        /// OR REPLACE.
        or_replace: bool,
    },
    /// INSERT INTO name [(columns)] query. The query's output has one column a table column, in the table's
    /// order, cast for assignment, missing ones NULL.
    Insert {
        /// The table.
        name: String,
        /// The rows.
        query: Query,
    },
    /// DROP TABLE or DROP VIEW.
    Drop {
        /// What to drop.
        names: Vec<String>,
        /// Whether they are views.
        views: bool,
        /// IF EXISTS.
        if_exists: bool,
        /// CASCADE: views that need it go, too.
        cascade: bool,
    },
    /// COPY name FROM 'path'.
    CopyFrom {
        /// The table.
        name: String,
        /// The columns given, by position in the table; empty for all.
        columns: Vec<usize>,
        /// The file.
        path: String,
        /// FORMAT, DELIMITER, HEADER, NULL, QUOTE.
        options: CopyOptions,
    },
    /// COPY name TO 'path' or COPY (query) TO 'path'.
    CopyTo {
        /// The rows.
        query: Query,
        /// The file.
        path: String,
        /// FORMAT, DELIMITER, HEADER, NULL, QUOTE.
        options: CopyOptions,
    },
    /// SHOW TABLES.
    ShowTables,
    /// DESCRIBE name.
    Describe {
        /// A table or view.
        name: String,
    },
    /// EXPLAIN.
    Explain {
        /// What to show.
        kind: ExplainKind,
        /// ANALYZE: run it, and add rows, time and bytes.
        analyze: bool,
        /// The query.
        query: Query,
    },
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
}

/// Splits a script into statements and parses each (Postgres dialect). Errors have positions in the script.
pub fn parse(sql: &str) -> Result<Vec<Parsed>> {
    parse::parse(sql)
}

/// Binds a statement. `parameters` are the types of `$1`, `$2`, …, where the caller knows them; others are inferred.
pub fn bind(statement: &Parsed, catalog: &dyn Catalog, parameters: &[DataType]) -> Result<Statement> {
    statement::bind(statement, catalog, parameters, false)
}

/// As [`bind`], with numerics of any number of digits wherever decimals could exceed theirs: for a statement that has
/// failed with [`ErrorKind::DecimalOverflow`](crate::error::ErrorKind::DecimalOverflow).
pub fn bind_wide(statement: &Parsed, catalog: &dyn Catalog, parameters: &[DataType]) -> Result<Statement> {
    statement::bind(statement, catalog, parameters, true)
}

/// Builds the rows of a view from its text, for builders of other front ends.
pub fn view_rows(builder: &mut Builder<'_>, sql: &str) -> Result<Rows> {
    binder::view_rows(builder, sql)
}

#[cfg(test)]
mod tests;
