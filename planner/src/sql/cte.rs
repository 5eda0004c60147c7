//! WITH: common table expressions, which are named and may be scanned where the name is in sight.

use super::binder::Binder;
use super::query::Unknown;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Definition, FromItem, Scope, Shared, rename_columns};
use sqlparser::ast;

/// A CTE that a FROM may name.
#[derive(Clone, Debug)]
pub(super) struct CteInSight {
    /// Its name, case-folded.
    pub(super) name: String,
    /// What it stands for.
    shared: Shared,
}

impl Binder<'_, '_> {
    /// Binds the definitions of a WITH and brings them into sight; the caller takes them out again.
    pub(super) fn bind_with(
        &mut self,
        with: Option<&ast::With>,
        parent: Option<&Scope<'_>>,
    ) -> Result<Vec<Definition>> {
        let Some(ast::With { with_token, recursive, cte_tables }) = with else { return Ok(Vec::new()) };
        if *recursive {
            return Err(Error::unsupported("WITH RECURSIVE is").at(self.position(with_token.0.span)));
        }
        let first = self.ctes.len();
        let mut definitions = Vec::new();
        for cte in cte_tables {
            let ast::Cte { alias, query, from, materialized, closing_paren_token: _ } = cte;
            let name = Self::fold(&alias.name);
            let position = self.position(alias.name.span);
            if from.is_some() {
                return Err(Error::unsupported("FROM behind a WITH query is").at(position));
            }
            if self.ctes[first..].iter().any(|other| other.name == name) {
                let message = format!("WITH query name \"{name}\" specified more than once");
                return Err(Error::new(ErrorKind::DuplicateAlias, message).at(position));
            }
            let (relation, mut columns) = self.bind_query(query, parent, Unknown::AsText)?;
            let renamed = columns.iter_mut().map(|(name, _)| name);
            rename_columns(&name, &self.alias_columns(alias)?, renamed).map_err(|error| error.at(position))?;
            // NOT MATERIALIZED asks for speed, not for other rows; whether to compute a CTE twice is the
            // optimiser's to decide.
            let materialized = matches!(materialized, Some(ast::CteAsMaterialized::Materialized));
            let (shared, definition) = self.builder.share((relation, columns), materialized);
            self.ctes.push(CteInSight { name, shared });
            definitions.push(definition);
        }
        Ok(definitions)
    }

    /// The rows of the innermost CTE of this name, under new ids.
    pub(super) fn scan_cte(&mut self, name: &str) -> Option<FromItem> {
        let cte = self.ctes.iter().rev().find(|cte| cte.name == name)?;
        Some(self.builder.scan_shared(&cte.shared, name.to_owned()))
    }

    /// The names of the column list of `AS name (a, b)`.
    pub(super) fn alias_columns(&self, alias: &ast::TableAlias) -> Result<Vec<String>> {
        let ast::TableAlias { explicit: _, name, columns: names, at } = alias;
        if at.is_some() {
            return Err(Error::unsupported("AT behind a table alias is").at(self.position(name.span)));
        }
        if let Some(typed) = names.iter().find(|column| column.data_type.is_some()) {
            let error = Error::unsupported("a column alias with a type is");
            return Err(error.at(self.position(typed.name.span)));
        }
        Ok(names.iter().map(|column| Self::fold(&column.name)).collect())
    }
}
