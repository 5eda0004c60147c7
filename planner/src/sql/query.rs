//! Queries: WITH, the body, ORDER BY and LIMIT.

use super::binder::Binder;
use super::expression::text_of_query;
use super::order::{order_items, reference};
use super::recursive::Within;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Clause, FromItem, Rows, Scope};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};

/// What becomes of a result column whose type is still unknown (a bare NULL, an untyped literal or parameter).
#[derive(Clone, Copy, Debug)]
pub(super) enum Unknown<'t> {
    /// It becomes text.
    AsText,
    /// It stays: the caller finds a type and binds once more.
    Keep,
    /// It takes the type at its place; text where that is unknown or missing.
    As(&'t [DataType]),
}

impl Unknown<'_> {
    /// The type for column `index`; none to keep it unknown.
    pub(super) fn data_type(self, index: usize) -> Option<DataType> {
        match self {
            Unknown::AsText => Some(DataType::Text),
            Unknown::Keep => None,
            Unknown::As(types) => match types.get(index) {
                None | Some(DataType::Null) => Some(DataType::Text),
                Some(data_type) => Some(*data_type),
            },
        }
    }
}

/// The clauses behind a query's body. Those of `(query) ORDER BY … LIMIT …` belong to the query in parentheses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail<'q> {
    pub(super) order_by: Option<&'q ast::OrderBy>,
    limit: Option<&'q ast::LimitClause>,
    fetch: Option<&'q ast::Fetch>,
}

impl<'q> Tail<'q> {
    /// Both tails as one; 42601 if a clause is there twice.
    fn merge(self, outer: Tail<'q>) -> Result<Tail<'q>> {
        let twice = |clause: &str| Err(Error::new(ErrorKind::Syntax, format!("multiple {clause} clauses not allowed")));
        if self.order_by.is_some() && outer.order_by.is_some() {
            return twice("ORDER BY");
        }
        if (self.limit.is_some() || self.fetch.is_some()) && (outer.limit.is_some() || outer.fetch.is_some()) {
            return twice("LIMIT");
        }
        Ok(Tail {
            order_by: self.order_by.or(outer.order_by),
            limit: self.limit.or(outer.limit),
            fetch: self.fetch.or(outer.fetch),
        })
    }
}

impl Binder<'_, '_> {
    /// Binds a query inside an expression. Columns of `outer` that it mentions are correlated references. No column
    /// of its result has the type "unknown".
    pub(crate) fn bind_subquery(&mut self, query: &ast::Query, outer: &Scope<'_>) -> Result<Rows> {
        if self.lambdas.is_bound() {
            return Err(Error::unsupported("a subquery in a lambda is").at(self.query_start(query)));
        }
        let (first, mark) = (self.builder.columns.len(), self.builder.mentions_mark());
        let recorded = self.builder.records_forms();
        self.builder.open_form();
        let within = Some(Within::Subquery);
        let bound = self.bind_within(within, |binder| binder.bind_query(query, Some(outer), Unknown::AsText));
        match &bound {
            Ok(_) if recorded => self.builder.close_query_form(text_of_query(query), first, mark),
            _ => self.builder.drop_form(),
        }
        bound
    }

    /// Binds a query within a scope.
    pub(super) fn bind_query(
        &mut self,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
    ) -> Result<Rows> {
        self.bind_query_with_tail(query, parent, unknown, Tail::default())
    }

    fn bind_query_with_tail(
        &mut self,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
        outer_tail: Tail<'_>,
    ) -> Result<Rows> {
        let ast::Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks: _,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let position = self.query_start(query);
        if for_clause.is_some() || settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
            return Err(Error::unsupported("FOR XML, SETTINGS, FORMAT and pipe operators are").at(position));
        }
        let own = Tail { order_by: order_by.as_ref(), limit: limit_clause.as_ref(), fetch: fetch.as_ref() };
        let tail = own.merge(outer_tail).map_err(|error| error.at(position))?;
        let locking = match self.locks_next.take() {
            Some(locking) => Some(locking),
            None => self.inner_locks(query).map_err(|error| error.at(position))?,
        };
        let around = std::mem::replace(&mut self.locking, locking);
        let bound = self.deeper(position, |binder| {
            let in_sight = binder.ctes.len();
            let bound = binder.bind_with(with.as_ref(), parent).and_then(|definitions| {
                let (relation, output) = binder.bind_body(body, parent, unknown, tail)?;
                Ok((binder.builder.attach(definitions, relation), output))
            });
            binder.ctes.truncate(in_sight);
            bound
        });
        self.locking = around;
        bound
    }

    fn bind_body(
        &mut self,
        body: &ast::SetExpr,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
        tail: Tail<'_>,
    ) -> Result<Rows> {
        let (relation, output) = match body {
            ast::SetExpr::Query(inner) => return self.bind_query_with_tail(inner, parent, unknown, tail),
            ast::SetExpr::Select(select) => self.bind_select(select, tail.order_by, parent, unknown)?,
            ast::SetExpr::SetOperation { .. } => {
                let rows = self.bind_set_expression(body, parent, unknown)?;
                self.bind_order_of_set_operation(rows, tail.order_by)?
            }
            ast::SetExpr::Values(_) => {
                let rows = self.bind_set_expression(body, parent, unknown)?;
                self.bind_order_of_rows(rows, tail.order_by, parent)?
            }
            other => return self.bind_set_expression(other, parent, unknown),
        };
        let relation = self.bind_limit(relation, tail.limit, tail.fetch)?;
        Ok((relation, output))
    }

    /// Binds what a set operation joins, and the other bodies without clauses of their own.
    pub(super) fn bind_set_expression(
        &mut self,
        body: &ast::SetExpr,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
    ) -> Result<Rows> {
        if let ast::SetExpr::SetOperation { .. } = body {
            return self.bind_set_operations(body, parent);
        }
        let position = self.body_start(body);
        self.deeper(position, |binder| match body {
            ast::SetExpr::Select(select) => binder.bind_select(select, None, parent, unknown),
            ast::SetExpr::Query(query) => binder.bind_query(query, parent, unknown),
            ast::SetExpr::Values(values) => binder.bind_values(values, parent, unknown),
            ast::SetExpr::SetOperation { .. } => binder.bind_set_operations(body, parent),
            // The parser of `TABLE t` drops what follows; `parse` has made it `SELECT * FROM t`.
            ast::SetExpr::Table(_) => Err(Error::unsupported("TABLE here is").at(position)),
            ast::SetExpr::Insert(_) | ast::SetExpr::Update(_) | ast::SetExpr::Delete(_) | ast::SetExpr::Merge(_) => {
                Err(Error::unsupported("INSERT, UPDATE, DELETE or MERGE inside a query is").at(position))
            }
        })
    }

    /// ORDER BY after VALUES: any expression over the result's columns.
    fn bind_order_of_rows(
        &mut self,
        rows: Rows,
        order_by: Option<&ast::OrderBy>,
        parent: Option<&Scope<'_>>,
    ) -> Result<Rows> {
        let Some(order_by) = order_by else { return Ok(rows) };
        let (_, scope) = FromItem::anonymous(rows.clone()).into_scope(parent, Clause::OrderBy);
        let mut keys = self.keys_of_all(order_by, &rows);
        for (expr, order) in order_items(self, order_by)? {
            let named = match reference(expr) {
                Some(reference) => self.builder.named_output(&reference, &rows.1, self.position(expr.span()))?,
                None => None,
            };
            let key = match named {
                Some(column) => column,
                None => {
                    let expression = self.bind_expression(expr, &scope)?;
                    self.builder.settle(expression)?
                }
            };
            keys.push((key, order));
        }
        if !scope.aggregates().is_empty() {
            let message = "aggregate functions are not allowed in ORDER BY of VALUES";
            return Err(Error::new(ErrorKind::Grouping, message).at(self.position(order_by.span())));
        }
        self.builder.sort(rows, keys)
    }
}
