//! The state of binding one statement.

use super::text::Text;
use crate::catalog::Catalog;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, Columns};
use crate::stack;
use crate::types::DataType;
use sqlparser::ast;
use sqlparser::tokenizer::Span;
use std::collections::HashMap;

/// How deeply a statement may nest (queries, expressions, views); well below what [`crate::stack`] has room for.
const DEPTH_MAX: u32 = 5_000;

/// The state of binding one statement.
pub(crate) struct Binder<'a> {
    /// Where names are looked up.
    pub(crate) catalog: &'a dyn Catalog,
    /// The text that spans point into: the statement's, or a view's while its query is bound.
    pub(super) text: Text,
    /// All columns of the statement.
    pub(crate) columns: Columns,
    /// The types of `$1`, `$2`, …, as far as they are known.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// The CTEs in sight, innermost last.
    pub(super) ctes: Vec<super::cte::CteInSight>,
    /// The next CTE's id.
    pub(super) cte_next: u32,
    /// The views that are being bound, outermost first.
    pub(super) views: Vec<String>,
    /// The view that the statement creates: its query may not mention it, not even through other views.
    pub(super) created_view: Option<String>,
    /// Of each scan of a table with a primary key this key's columns, and all of its columns.
    pub(super) keyed: Vec<(Vec<ColumnId>, Vec<ColumnId>)>,
    /// The tables and views that the statement itself names, views left out that a view names.
    pub(super) needs: Vec<String>,
    /// Columns that may not be asked for, as their file's reader cannot read them, and why.
    pub(super) unreadable: HashMap<ColumnId, Error>,
    /// Whether decimal arithmetic that could exceed 38 digits is numeric: a plan with narrow decimals has overflowed.
    pub(crate) wide_numerics: bool,
    depth: u32,
}

impl<'a> Binder<'a> {
    /// A binder for a statement's text.
    pub(crate) fn new(catalog: &'a dyn Catalog, text: &str, parameters: &[DataType]) -> Self {
        Binder {
            catalog,
            text: Text::new(text),
            columns: Columns::default(),
            parameters: parameters.iter().map(|data_type| Some(*data_type)).collect(),
            ctes: Vec::new(),
            cte_next: 0,
            views: Vec::new(),
            created_view: None,
            unreadable: HashMap::new(),
            keyed: Vec::new(),
            needs: Vec::new(),
            wide_numerics: false,
            depth: 0,
        }
    }

    /// Does `work` one level deeper; error 54001 if that is too deep.
    pub(crate) fn deeper<T>(
        &mut self,
        position: Option<Position>,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.depth >= DEPTH_MAX {
            let message = format!("the statement nests more than {DEPTH_MAX} levels deep");
            return Err(Error::new(ErrorKind::TooComplex, message).at(position));
        }
        self.catalog.check()?;
        self.depth += 1;
        let result = stack::more(|| work(self));
        self.depth -= 1;
        result
    }

    /// Where a span of the syntax tree starts in the text; none for nodes without one, and inside a view, whose
    /// text the user does not see.
    pub(crate) fn position(&self, span: Span) -> Option<Position> {
        if self.views.is_empty() { self.text.position(span.start) } else { None }
    }

    /// An error (0A000) if a column that is asked for cannot be read.
    pub(super) fn check_readable(&self, column: ColumnId, position: Option<Position>) -> Result<()> {
        match self.unreadable.get(&column) {
            Some(error) => Err(error.clone().at(position)),
            None => Ok(()),
        }
    }

    /// A name as PostgreSQL folds it: to lower case (ASCII only) unless it is quoted.
    pub(crate) fn fold(ident: &ast::Ident) -> String {
        if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_ascii_lowercase() }
    }
}
