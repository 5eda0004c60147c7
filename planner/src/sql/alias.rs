//! Names of select items where PostgreSQL has none: in WHERE, GROUP BY, HAVING, QUALIFY and in items further on.
//!
//! PostgreSQL's meaning comes first for the whole statement: only a statement that names a column that does not exist is bound
//! once more, with these names in sight, and in it a name still means a column where there is one. An item's expression is then
//! bound where its name stands, so it says what it would if it were written there.

use super::binder::Binder;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::Scope;
use crate::relation::effects::effects;
use sqlparser::ast;
use std::sync::Arc;

/// How often items may be put in the place of their names: names that double each other grow without bounds.
const EXPANSIONS_MAX: usize = 20_000;

/// The named items of a SELECT that is being bound.
pub(super) struct NamedItems {
    /// Which scope is this SELECT's: its address.
    scope: usize,
    items: Arc<[(String, ast::Expr)]>,
    /// How many of them are in sight.
    visible: usize,
}

/// What tells a scope from others while it lives.
fn address(scope: &Scope<'_>) -> usize {
    std::ptr::from_ref(scope).addr()
}

impl Binder<'_, '_> {
    /// Binds clauses of a SELECT with the names of its items in sight, if the statement is bound so.
    pub(super) fn with_item_names<T>(
        &mut self,
        projection: &[ast::SelectItem],
        scope: &Scope<'_>,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if !self.builder.names_items {
            return bind(self);
        }
        let named = projection.iter().filter_map(|item| match item {
            ast::SelectItem::ExprWithAlias { expr, alias } => Some((Self::fold(alias), expr.clone())),
            _ => None,
        });
        let items: Arc<[_]> = named.collect();
        let visible = items.len();
        let before = self.named_items.len();
        self.named_items.push(NamedItems { scope: address(scope), items, visible });
        let bound = bind(self);
        self.named_items.truncate(before);
        bound
    }

    /// Has the named items in front of one of the select list in sight, none behind it.
    pub(super) fn show_items_before(&mut self, projection: &[ast::SelectItem], item: usize) {
        if let (true, Some(innermost)) = (self.builder.names_items, self.named_items.last_mut()) {
            let is_named = |item: &&ast::SelectItem| matches!(item, ast::SelectItem::ExprWithAlias { .. });
            innermost.visible = projection[..item].iter().filter(is_named).count();
        }
    }

    /// The expression of the item of a name, bound in the SELECT that it is of; none if there is no such item.
    pub(super) fn bind_item_name(
        &mut self,
        name: &str,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        for level in std::iter::successors(Some(scope), |scope| scope.parent()) {
            let Some(frame) = self.named_items.iter().rposition(|frame| frame.scope == address(level)) else {
                continue;
            };
            let NamedItems { items, visible, .. } = &self.named_items[frame];
            let Some(place) = items[..*visible].iter().rposition(|(known, _)| known == name) else { continue };
            let (items, visible) = (Arc::clone(items), *visible);
            self.expansions += 1;
            if self.expansions > EXPANSIONS_MAX {
                let message = "names of select items stand for too many expressions";
                return Err(Error::new(ErrorKind::TooComplex, message).at(position));
            }
            // Neither itself nor what is behind it.
            self.named_items[frame].visible = place;
            // The variables of lambdas around the name are none of the item's.
            let lambdas = std::mem::take(&mut self.lambdas);
            let bound = self.deeper(position, |binder| binder.bind_expression(&items[place].1, level));
            self.lambdas = lambdas;
            self.named_items[frame].visible = visible;
            let bound = bound?;
            if effects(&bound).volatile {
                let what = format!("the name \"{name}\" of a select item that gives another value each time is");
                return Err(Error::unsupported(what).at(position));
            }
            return Ok(Some(Expression { position, ..bound }));
        }
        Ok(None)
    }
}
