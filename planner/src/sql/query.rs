//! Queries: WITH, the body, ORDER BY and LIMIT.

use super::binder::Binder;
use super::scope::Scope;
use crate::error::{Error, Result};
use crate::relation::{ColumnId, Relation};
use sqlparser::ast;
use std::sync::Arc;

/// A bound query: its rows and its visible columns, in order.
pub(super) type Rows = (Arc<Relation>, Vec<(String, ColumnId)>);

impl Binder<'_> {
    /// Binds a query inside an expression. Columns of `outer` that it mentions are correlated references. No column
    /// of its result has the type "unknown".
    pub(crate) fn bind_subquery(&mut self, query: &ast::Query, outer: &Scope<'_>) -> Result<Rows> {
        let _ = outer;
        self.deeper(None, |_| Err(Error::unsupported(format_args!("query {query} is"))))
    }
}
