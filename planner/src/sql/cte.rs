//! WITH: common table expressions, which are named and may be scanned where the name is in sight.

use super::binder::Binder;
use super::query::Unknown;
use super::recursive::Round;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Definition, FromItem, Recursion, Scope, Shared};
use rustc_hash::FxHashSet;
use sqlparser::ast;
use std::sync::Arc;

/// A CTE that a FROM may name.
#[derive(Clone, Debug)]
pub(super) struct CteInSight {
    /// Its name, case-folded.
    pub(super) name: String,
    /// What it stands for.
    pub(super) stands: CteMeaning,
    /// It as it is written, where its rows may have to be read before the query is bound.
    pub(super) tree: Option<Arc<ast::Cte>>,
}

/// What the name of a CTE stands for.
#[derive(Clone, Debug)]
pub(super) enum CteMeaning {
    /// Its rows.
    Shared(Shared),
    /// In its own step, the rows of a round.
    Round(Box<Round>),
    /// In the step of an iteration, its state.
    State(Box<Recursion>),
    /// What a part of the statement gives before.
    Part(Box<super::change::PartInSight>),
    /// Nothing yet: whoever names it is in error.
    Refused(Error),
}

impl Binder<'_, '_> {
    /// Binds the definitions of a WITH and brings them into sight; the caller takes them out again.
    pub(super) fn bind_with(
        &mut self,
        with: Option<&ast::With>,
        parent: Option<&Scope<'_>>,
    ) -> Result<Vec<Definition>> {
        let Some(ast::With { with_token: _, recursive, cte_tables }) = with else { return Ok(Vec::new()) };
        self.check_names(cte_tables)?;
        let ordered = match recursive {
            true => self.recursive_order(cte_tables),
            false => cte_tables.iter().map(|cte| (cte, false)).collect(),
        };
        let mut definitions = Vec::new();
        for (cte, names_itself) in ordered {
            if let Some(stands) = self.part_in_sight(cte)? {
                match *recursive {
                    true => self.stand(&Self::fold(&cte.alias.name), stands),
                    false => {
                        let name = Self::fold(&cte.alias.name);
                        self.ctes.push(CteInSight { name, stands, tree: None });
                    }
                }
                continue;
            }
            let rewritten = match &cte.from {
                Some(clauses) => Some(self.without_search(cte, clauses, *recursive && names_itself, parent)?),
                None => None,
            };
            let cte = rewritten.as_ref().unwrap_or(cte);
            let ast::Cte { alias, query, from: _, materialized, closing_paren_token: _ } = cte;
            let name = Self::fold(&alias.name);
            let rows = if names_itself {
                self.bind_recursive(cte, &name, parent)?
            } else {
                let rows = self.bind_query(query, parent, Unknown::AsText)?;
                self.named(cte, &name, rows)?
            };
            // NOT MATERIALIZED asks for speed, not for other rows; whether to compute a CTE twice is the
            // optimiser's to decide.
            let materialized = matches!(materialized, Some(ast::CteAsMaterialized::Materialized));
            let (shared, definition) = self.builder.share(rows, materialized);
            match *recursive {
                true => self.stand(&name, CteMeaning::Shared(shared)),
                false => {
                    let tree = self.may_pivot().then(|| Arc::new(cte.clone()));
                    self.ctes.push(CteInSight { name, stands: CteMeaning::Shared(shared), tree });
                }
            }
            definitions.push(definition);
        }
        Ok(definitions)
    }

    /// 42712 for a name that two queries of a WITH have.
    pub(super) fn check_names(&self, ctes: &[ast::Cte]) -> Result<()> {
        let mut names = FxHashSet::default();
        for ast::Cte { alias, from, .. } in ctes {
            let (name, position) = (Self::fold(&alias.name), self.position(alias.name.span));
            if let Some(from) = from.as_ref().filter(|from| from.quote_style.is_none()) {
                let message = format!("syntax error at or near \"{from}\": FROM behind a query of WITH");
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            }
            if names.contains(&name) {
                let message = format!("WITH query name \"{name}\" specified more than once");
                return Err(Error::new(ErrorKind::DuplicateAlias, message).at(position));
            }
            names.insert(name);
        }
        Ok(())
    }

    /// The rows of the innermost CTE of this name, under new ids.
    pub(super) fn scan_cte(&mut self, name: &str, position: Option<Position>) -> Result<Option<FromItem>> {
        let Some(at) = self.ctes.iter().rposition(|cte| cte.name == name) else { return Ok(None) };
        match &self.ctes[at].stands {
            CteMeaning::Shared(shared) => Ok(Some(self.builder.scan_shared(shared, name.to_owned()))),
            CteMeaning::Part(part) => self.scan_part(&part.clone(), name, position).map(Some),
            CteMeaning::Round(_) => self.scan_round(at, position).map(Some),
            CteMeaning::State(state) => Ok(Some(self.builder.scan_round(state, name.to_owned()))),
            CteMeaning::Refused(error) => Err(error.clone().at(position)),
        }
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
