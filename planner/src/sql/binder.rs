//! The state of binding one text: the builder that what is written is handed to, and what only the text has.

use super::recursive::Within;
use super::text::{Moves, Text};
use crate::error::{Position, Result};
use crate::relation::builder::{Builder, HIDDEN, Rows, WindowSpec};
use crate::stack;
use sqlparser::ast;
use sqlparser::tokenizer::Span;
use std::cell::OnceCell;
use std::sync::Arc;

/// Walks a statement, or a view's query, and calls the builder.
pub(crate) struct Binder<'b, 'a> {
    /// What makes relations and expressions.
    pub(super) builder: &'b mut Builder<'a>,
    /// The text that spans point into; none of a view, whose text the user does not see.
    pub(super) text: Option<Text>,
    /// The CTEs in sight, innermost last.
    pub(super) ctes: Vec<super::cte::CteInSight>,
    /// The text of a view, for what is found by its words.
    hidden: Option<Text>,
    /// The columns that nobody declared and that the text names.
    named: OnceCell<Vec<&'static str>>,
    /// The windows that the innermost SELECT names.
    pub(super) windows: Vec<(String, WindowSpec)>,
    /// The named items of the SELECTs that are being bound, where names may mean them.
    pub(super) named_items: Vec<super::alias::NamedItems>,
    /// How often one has been put in the place of its name.
    pub(super) expansions: usize,
    /// What COLUMNS stands for in the expression that is being bound, where it may stand.
    pub(super) chosen_columns: Option<super::columns::ChosenColumns>,
    /// The lambdas that are being bound.
    pub(super) lambdas: super::expression::LambdasInSight,
    /// What has to hold for rows that the aggregates of a PIVOT's column count.
    pub(super) pivot_condition: Option<super::pivot::PivotCondition>,
    /// In what the binder stands that a recursive query may not name itself in, outermost first.
    pub(super) within: Vec<Within>,
    /// What FOR UPDATE says of the SELECT that is being bound, and of the query that is bound next.
    pub(super) locking: Option<super::locking::Clauses>,
    pub(super) locks_next: Option<super::locking::Clauses>,
    /// The table whose rows the statement changes.
    pub(super) changed: Option<crate::catalog::TableName>,
    /// What the table whose rows change was called, and its columns, when the text was kept.
    pub(super) kept_target: Option<crate::catalog::Meant>,
    /// The view through which rows change.
    pub(super) through: Option<std::rc::Rc<super::change::Through>>,
    /// What a MERGE does with the rows of which RETURNING is being bound.
    pub(super) merge_action: Option<&'static str>,
    /// The queries of the statement's WITH whose rows are there before it runs, if it has one that changes rows.
    pub(super) parts: Option<super::change::PartsInSight>,
    /// The function of whose body the query is the last one, which gives what a call does.
    pub(super) result_of: Option<std::sync::Arc<crate::catalog::Routine>>,
    /// Whether the FROM that is being bound names the recursive query that it is in the step of.
    pub(super) names_itself: bool,
}

/// The rows of a view, bound in a scope of its own: its text sees no CTE and no column of where it is used.
pub(super) fn view_rows(builder: &mut Builder<'_>, sql: &str) -> Result<Rows> {
    let query = super::parse::parse_query(sql)?;
    let mut binder = Binder { hidden: Some(Text::new(sql)), ..Binder::without_text(builder) };
    binder.bind_query(&query, None, super::query::Unknown::AsText)
}

impl<'b, 'a> Binder<'b, 'a> {
    /// A binder for a statement's text.
    pub(crate) fn new(builder: &'b mut Builder<'a>, text: &str) -> Self {
        Binder { text: Some(Text::new(text)), ..Binder::without_text(builder) }
    }

    /// A binder for parts of a view's text.
    pub(super) fn of_view(builder: &'b mut Builder<'a>, sql: &str) -> Self {
        Binder { hidden: Some(Text::new(sql)), ..Binder::without_text(builder) }
    }

    /// A binder for a statement's text that was made of another one.
    pub(crate) fn moved(builder: &'b mut Builder<'a>, text: &str, moves: &Arc<Moves>) -> Self {
        Binder { text: Some(Text::new(text).moved(Arc::clone(moves))), ..Binder::without_text(builder) }
    }

    /// One for parts of statements whose text nobody sees: errors have no positions.
    pub(super) fn without_text(builder: &'b mut Builder<'a>) -> Self {
        Binder {
            builder,
            text: None,
            ctes: Vec::new(),
            hidden: None,
            named: OnceCell::new(),
            windows: Vec::new(),
            named_items: Vec::new(),
            expansions: 0,
            chosen_columns: None,
            lambdas: super::expression::LambdasInSight::default(),
            pivot_condition: None,
            within: Vec::new(),
            names_itself: false,
            locking: None,
            locks_next: None,
            changed: None,
            parts: None,
            through: None,
            merge_action: None,
            kept_target: None,
            result_of: None,
        }
    }

    /// Does `work` one level deeper; error 54001 if that is too deep.
    pub(crate) fn deeper<T>(
        &mut self,
        position: Option<Position>,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.builder.descend(position)?;
        let result = stack::more(|| work(self));
        self.builder.ascend();
        result
    }

    /// The text that is bound, a view's, too.
    pub(super) fn source(&self) -> Option<&Text> {
        self.text.as_ref().or(self.hidden.as_ref())
    }

    /// Whether PIVOT may stand in the text.
    pub(super) fn may_pivot(&self) -> bool {
        let is_pivot = |part: &[u8]| part.eq_ignore_ascii_case(b"pivot");
        self.text.as_ref().is_some_and(|text| text.as_str().as_bytes().windows(5).any(is_pivot))
    }

    /// The columns that nobody declared and that may be named in the text.
    pub(super) fn hidden_names(&self) -> &[&'static str] {
        self.named.get_or_init(|| {
            let Some(text) = self.source().map(|text| text.as_str().as_bytes()) else { return Vec::new() };
            let is_there =
                |name: &&&'static str| text.windows(name.len()).any(|part| part.eq_ignore_ascii_case(name.as_bytes()));
            HIDDEN.iter().filter(is_there).copied().collect()
        })
    }

    /// Whether a table's name stands in the text more often than where the table is, but for where it stands before a column's:
    /// what asks for its rows as values has it so.
    pub(super) fn may_name_row(&self, name: &str) -> bool {
        let Some(text) = self.source().map(Text::as_str) else { return false };
        let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let alone = text.match_indices(&name).filter(|(at, _)| {
            let (before, behind) = (&text[..*at], &text[at + name.len()..]);
            let rest = behind.strip_prefix('"').unwrap_or(behind).trim_start();
            let is_qualifier = rest.strip_prefix('.').is_some_and(|rest| !rest.trim_start().starts_with('*'));
            !before.ends_with(is_part) && !behind.starts_with(is_part) && !is_qualifier
        });
        alone.count() > 1
    }

    /// Where a span of the syntax tree starts in the text; none for nodes without one.
    pub(crate) fn position(&self, span: Span) -> Option<Position> {
        self.text.as_ref()?.position(span.start)
    }

    /// A name as PostgreSQL folds it: to lower case (ASCII only) unless it is quoted.
    pub(crate) fn fold(ident: &ast::Ident) -> String {
        if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_ascii_lowercase() }
    }
}
