//! WITH: common table expressions. As in PostgreSQL, one that is used once is bound in place of its use, one that
//! is used more often is computed once, and one that is never used is checked and then dropped.

use super::binder::Binder;
use super::from::{FromItem, rename_columns};
use super::query::Unknown;
use super::scope::Scope;
use super::walk;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::{ColumnId, CteId, ExpressionKind, Relation};
use rustc_hash::FxHashMap;
use sqlparser::ast;
use std::sync::Arc;

/// A CTE that a FROM may name.
#[derive(Clone, Debug)]
pub(super) struct CteInSight {
    /// Its name, case-folded.
    pub(super) name: String,
    /// Its id.
    id: CteId,
    /// Its columns' names and ids, as its definition makes them.
    columns: Vec<(String, ColumnId)>,
}

/// A bound definition, to be put over the query that uses it.
pub(super) struct Definition {
    id: CteId,
    relation: Arc<Relation>,
    /// MATERIALIZED: computed on its own even if it is used once.
    materialized: bool,
}

impl Binder<'_> {
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
            self.rename_by_alias(alias, columns.iter_mut().map(|(name, _)| name))?;
            let id = CteId(self.cte_next);
            self.cte_next += 1;
            self.ctes.push(CteInSight { name, id, columns });
            // NOT MATERIALIZED asks for speed, not for other rows; whether to compute a CTE twice is the
            // optimiser's to decide.
            let materialized = matches!(materialized, Some(ast::CteAsMaterialized::Materialized));
            definitions.push(Definition { id, relation, materialized });
        }
        Ok(definitions)
    }

    /// The rows of the innermost CTE of this name, under new ids.
    pub(super) fn scan_cte(&mut self, name: &str) -> Option<FromItem> {
        let CteInSight { id, columns, .. } = self.ctes.iter().rev().find(|cte| cte.name == name)?.clone();
        let mut scanned = Vec::new();
        let mut visible = Vec::new();
        for (column_name, defined) in columns {
            // An outer join inside may have made it nullable.
            let column = self.columns.add(column_name.clone(), self.columns.get(defined).data_type, true);
            scanned.push((defined, column));
            visible.push((column_name, column));
        }
        let relation = Arc::new(Relation::CteScan { cte: id, columns: scanned });
        Some(FromItem::table(relation, name.to_owned(), visible))
    }

    /// Puts the definitions over the query that uses them.
    pub(super) fn attach(&self, definitions: Vec<Definition>, body: Arc<Relation>) -> Arc<Relation> {
        if definitions.is_empty() {
            return body;
        }
        // Who is used how often: by the body, and by definitions behind, as far as these are used.
        let mut scans = FxHashMap::default();
        count_scans(&body, &mut scans);
        let mut used = Vec::with_capacity(definitions.len());
        for definition in definitions.into_iter().rev() {
            if let Some(&count) = scans.get(&definition.id) {
                count_scans(&definition.relation, &mut scans);
                used.push((definition, count));
            }
        }
        // Each is walked through once, before it is put in its place.
        let (mut inlined, mut kept) = (FxHashMap::default(), Vec::new());
        for (Definition { id, relation, materialized }, count) in used.into_iter().rev() {
            let inline = count == 1 && !materialized && !is_volatile(&relation);
            let relation = self.replace_scans(relation, &mut inlined);
            if inline {
                inlined.insert(id, relation);
            } else {
                kept.push((id, relation));
            }
        }
        let body = self.replace_scans(body, &mut inlined);
        kept.into_iter().rev().fold(body, |body, (cte, definition)| Arc::new(Relation::With { cte, definition, body }))
    }

    /// Puts definitions in the place of their only scans.
    fn replace_scans(&self, mut body: Arc<Relation>, inlined: &mut FxHashMap<CteId, Arc<Relation>>) -> Arc<Relation> {
        if inlined.is_empty() {
            return body;
        }
        walk::change_operators(&mut body, &mut |relation| {
            if let Relation::CteScan { cte, columns } = relation
                && let Some(input) = inlined.remove(cte)
            {
                let columns = columns.iter().map(|(defined, here)| (*here, self.columns.reference(*defined)));
                let columns = columns.collect();
                *relation = Relation::Project { input, columns };
            }
        });
        body
    }

    /// Applies the column list of `AS name (a, b)`.
    pub(super) fn rename_by_alias<'n>(
        &self,
        alias: &ast::TableAlias,
        columns: impl ExactSizeIterator<Item = &'n mut String>,
    ) -> Result<()> {
        let ast::TableAlias { explicit: _, name, columns: names, at } = alias;
        let position = self.position(name.span);
        if at.is_some() {
            return Err(Error::unsupported("AT behind a table alias is").at(position));
        }
        if let Some(typed) = names.iter().find(|column| column.data_type.is_some()) {
            let error = Error::unsupported("a column alias with a type is");
            return Err(error.at(self.position(typed.name.span)));
        }
        let names: Vec<String> = names.iter().map(|column| Self::fold(&column.name)).collect();
        rename_columns(&Self::fold(name), &names, columns).map_err(|error| error.at(position))
    }
}

/// Adds how often each CTE is scanned.
fn count_scans(relation: &Relation, scans: &mut FxHashMap<CteId, usize>) {
    walk::visit_operators(relation, &mut |relation| {
        if let Relation::CteScan { cte, .. } = relation {
            *scans.entry(*cte).or_default() += 1;
        }
    });
}

fn is_volatile(relation: &Relation) -> bool {
    let mut volatile = false;
    walk::visit_expressions(relation, &mut |expression| {
        volatile |= matches!(expression.kind, ExpressionKind::Call(Function::Random, _));
    });
    volatile
}
