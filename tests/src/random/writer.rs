//! What writes a random query: the choices it makes, the tables it may read, and the columns in scope.

use super::choices::Choices;
use super::data::{Column, Kind, Schema, Size, Source};

/// Writes queries over the tables of a schema.
pub(crate) struct Writer<'a> {
    /// What it chooses.
    pub(crate) choices: &'a mut Choices,
    /// What it may read.
    pub(crate) schema: &'a Schema,
    /// WITH queries in scope.
    pub(crate) with: Vec<Source>,
    /// Columns in scope: those of the innermost SELECT last. Names of sources are aliases.
    pub(crate) scopes: Vec<Vec<Source>>,
    /// About how many rows the innermost SELECT joins.
    pub(crate) rows: f64,
    /// Whether an engine that hashes is sure to need no more than about the rows that it reads.
    pub(crate) linear: bool,
    aliases: usize,
}

/// A query and what its rows are like.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The text.
    pub(crate) sql: String,
    /// The columns.
    pub(crate) columns: Vec<Column>,
    /// About how many rows.
    pub(crate) rows: f64,
}

/// A column of a source, as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// `alias.name`
    pub(crate) text: String,
    /// What it is like.
    pub(crate) column: Column,
}

impl<'a> Writer<'a> {
    /// A writer over the tables of a schema.
    pub(crate) fn new(choices: &'a mut Choices, schema: &'a Schema) -> Self {
        Self { choices, schema, with: Vec::new(), scopes: Vec::new(), rows: 0.0, linear: true, aliases: 0 }
    }

    /// Whether tables are large.
    pub(crate) fn is_large(&self) -> bool {
        self.schema.size == Size::Large
    }

    /// A name that no other source has.
    pub(crate) fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("s{}", self.aliases)
    }

    /// The columns of some sources that fit.
    pub(crate) fn references(sources: &[Source], fits: impl Fn(&Column) -> bool) -> Vec<Reference> {
        let of = |source: &Source| -> Vec<Reference> {
            let columns = source.columns.iter().filter(|column| fits(column));
            columns
                .map(|column| Reference { text: format!("{}.{}", source.name, column.name), column: column.clone() })
                .collect()
        };
        sources.iter().flat_map(of).collect()
    }

    /// The sources of the innermost SELECT.
    pub(crate) fn scope(&self) -> Vec<Source> {
        self.scopes.last().cloned().unwrap_or_default()
    }

    /// A column of the innermost SELECT that fits.
    pub(crate) fn reference(&mut self, fits: impl Fn(&Column) -> bool) -> Option<Reference> {
        let mut found = Self::references(&self.scope(), fits);
        let count = found.len();
        (count > 0).then(|| found.swap_remove(self.choices.pick(count)))
    }

    /// A value of a column.
    pub(crate) fn literal(&mut self, column: &Column) -> String {
        let most = (column.distinct as usize).clamp(1, 300_000);
        let key = match self.choices.weighted(&[1, 5, 3, 1]) {
            0 => 0,
            1 => self.choices.pick(most),
            2 => most / 2,
            _ => most + 3,
        };
        let value = column.kind.value(&key.to_string());
        if column.kind == Kind::Int { value } else { format!("({value})") }
    }
}

/// Whether two columns are compared as they are.
pub(crate) fn are_alike(a: &Column, b: &Column) -> bool {
    a.exact
        && b.exact
        && (a.kind == b.kind || (a.kind != Kind::Char && b.kind != Kind::Char && a.kind.is_text() && b.kind.is_text()))
}

/// Whether two columns are compared after one was converted.
pub(crate) fn are_comparable(a: &Column, b: &Column) -> bool {
    a.exact
        && b.exact
        && (a.kind == b.kind
            || (a.kind.is_text() && b.kind.is_text())
            || (a.kind.is_number() && b.kind.is_number())
            || (matches!(a.kind, Kind::Date | Kind::Timestamp) && matches!(b.kind, Kind::Date | Kind::Timestamp)))
}
