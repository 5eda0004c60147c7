//! The state of binding one statement.

use crate::catalog::Catalog;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Columns;
use crate::types::DataType;
use sqlparser::ast;
use sqlparser::tokenizer::{Location, Span};

/// How deeply a statement may nest (queries, expressions, views). Well below what overflows the 2 MiB stack of
/// a thread in a debug build.
const DEPTH_MAX: u32 = 200;

/// The state of binding one statement.
pub(crate) struct Binder<'a> {
    /// Where names are looked up.
    pub(crate) catalog: &'a dyn Catalog,
    /// The text that spans point into: the statement's, or a view's while its query is bound.
    pub(crate) text: String,
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
    depth: u32,
}

impl<'a> Binder<'a> {
    /// A binder for a statement's text.
    pub(crate) fn new(catalog: &'a dyn Catalog, text: &str, parameters: &[DataType]) -> Self {
        Binder {
            catalog,
            text: text.to_owned(),
            columns: Columns::default(),
            parameters: parameters.iter().map(|data_type| Some(*data_type)).collect(),
            ctes: Vec::new(),
            cte_next: 0,
            views: Vec::new(),
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
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Where a span of the syntax tree starts in the text; none for nodes without one, and inside a view, whose
    /// text the user does not see.
    pub(crate) fn position(&self, span: Span) -> Option<Position> {
        if self.views.is_empty() { position_of(&self.text, span.start) } else { None }
    }

    /// A name as PostgreSQL folds it: to lower case (ASCII only) unless it is quoted.
    pub(crate) fn fold(ident: &ast::Ident) -> String {
        if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_ascii_lowercase() }
    }
}

/// The byte offset of sqlparser's line and column (both from 1; the column counts characters).
pub(super) fn position_of(text: &str, location: Location) -> Option<Position> {
    if location.line == 0 || location.column == 0 {
        return None;
    }
    let lines_before = usize::try_from(location.line - 1).ok()?;
    let start = if lines_before == 0 {
        0
    } else {
        text.match_indices('\n').nth(lines_before - 1).map_or(text.len(), |(at, _)| at + 1)
    };
    let columns_before = usize::try_from(location.column - 1).ok()?;
    let offset = text[start..].char_indices().nth(columns_before).map_or(text.len(), |(at, _)| start + at);
    u32::try_from(offset).ok().map(Position)
}
