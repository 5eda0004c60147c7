//! One SELECT: FROM, WHERE, GROUP BY, HAVING, the select list, DISTINCT, and the ORDER BY that belongs to it.
//!
//! Clauses are bound over the scope of FROM, in the order that SQL gives them meaning; then the operators are
//! stacked: Filter, Aggregate, Filter (HAVING), Project, Distinct, Sort. What ORDER BY needs and the select list
//! does not have is computed in the same Project and stays as a hidden column.

use super::binder::Binder;
use super::expression;
use super::from::FromItem;
use super::grouping::Grouping;
use super::order::{Target, order_items};
use super::query::{Rows, Unknown};
use super::scope::{Clause, Scope};
use super::select_list::SelectItem;
use super::values::may_be_null;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, SortKey};
use crate::types::{DataType, SortOrder};
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// The clauses of a SELECT that Multiloop has.
struct Clauses<'s> {
    distinct: bool,
    projection: &'s [ast::SelectItem],
    from: &'s [ast::TableWithJoins],
    selection: Option<&'s ast::Expr>,
    group_by: &'s [ast::Expr],
    having: Option<&'s ast::Expr>,
}

/// The bound clauses above FROM and WHERE.
struct Bound {
    items: Vec<SelectItem>,
    /// The group keys; none if the SELECT is not grouped.
    keys: Option<Vec<Expression>>,
    having: Option<Expression>,
    order: Vec<(Target, SortOrder)>,
}

impl Binder<'_> {
    /// Binds a SELECT and the ORDER BY behind it.
    pub(super) fn bind_select(
        &mut self,
        select: &ast::Select,
        order_by: Option<&ast::OrderBy>,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
    ) -> Result<Rows> {
        let clauses = self.select_clauses(select)?;
        let FromItem { mut relation, columns, tables } = self.bind_from(clauses.from, parent)?;
        let scope = Scope::new(parent, columns, tables, Clause::Where);
        if let Some(selection) = clauses.selection {
            let predicate = self.bind_condition(selection, &scope)?;
            relation = Arc::new(Relation::Filter { input: relation, predicate });
        }
        let mut bound = self.bind_clauses(&clauses, order_by, &scope, unknown)?;
        if let Some(keys) = bound.keys.take() {
            relation = self.group(relation, keys, &mut bound, &scope)?;
        }
        self.project(relation, bound, clauses.distinct)
    }

    /// Takes a SELECT apart; what Multiloop does not have is an error.
    fn select_clauses<'s>(&self, select: &'s ast::Select) -> Result<Clauses<'s>> {
        let ast::Select {
            select_token,
            // Hints are comments: they ask for speed, never for other rows.
            optimizer_hints: _,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        let position = self.position(select_token.0.span);
        let of = |expr: Option<&ast::Expr>| expr.and_then(|expr| self.position(expr.span())).or(position);
        let refused = [
            (select_modifiers.is_some(), "SELECT modifiers are", position),
            (top.is_some(), "TOP is", position),
            (exclude.is_some(), "EXCLUDE is", position),
            (into.is_some(), "SELECT INTO is", position),
            (!lateral_views.is_empty(), "LATERAL VIEW is", position),
            (prewhere.is_some(), "PREWHERE is", of(prewhere.as_ref())),
            (!connect_by.is_empty(), "CONNECT BY is", position),
            (!cluster_by.is_empty(), "CLUSTER BY is", of(cluster_by.first())),
            (!distribute_by.is_empty(), "DISTRIBUTE BY is", of(distribute_by.first())),
            (!sort_by.is_empty(), "SORT BY is", position),
            (!named_window.is_empty(), "WINDOW is", named_window.first().and_then(|w| self.position(w.span()))),
            (qualify.is_some(), "QUALIFY is", of(qualify.as_ref())),
            (value_table_mode.is_some(), "SELECT AS is", position),
            (*flavor != ast::SelectFlavor::Standard, "FROM before SELECT is", position),
        ];
        if let Some((_, what, position)) = refused.into_iter().find(|(refused, ..)| *refused) {
            return Err(Error::unsupported(what).at(position));
        }
        let distinct = match distinct {
            None | Some(ast::Distinct::All) => false,
            Some(ast::Distinct::Distinct) => true,
            Some(ast::Distinct::On(on)) => return Err(Error::unsupported("DISTINCT ON is").at(of(on.first()))),
        };
        let group_by = match group_by {
            ast::GroupByExpr::Expressions(keys, modifiers) if modifiers.is_empty() => keys,
            ast::GroupByExpr::Expressions(keys, _) => {
                let error = Error::unsupported("GROUP BY … WITH ROLLUP, CUBE or TOTALS is");
                return Err(error.at(of(keys.first())));
            }
            ast::GroupByExpr::All(_) => return Err(Error::unsupported("GROUP BY ALL is").at(position)),
        };
        Ok(Clauses { distinct, projection, from, selection: selection.as_ref(), group_by, having: having.as_ref() })
    }

    fn bind_clauses(
        &mut self,
        clauses: &Clauses<'_>,
        order_by: Option<&ast::OrderBy>,
        scope: &Scope<'_>,
        unknown: Unknown<'_>,
    ) -> Result<Bound> {
        scope.enter(Clause::SelectList);
        let items = self.bind_select_list(clauses.projection, scope, unknown)?;
        let mut keys = Vec::new();
        for key in clauses.group_by {
            self.bind_group_key(key, &items, scope, &mut keys)?;
        }
        scope.enter(Clause::Having);
        let having = clauses.having.map(|having| self.bind_condition(having, scope)).transpose()?;
        let mut order = Vec::new();
        for (expr, direction) in order_by.map(|by| order_items(self, by)).transpose()?.unwrap_or_default() {
            let target = self.bind_order_item(expr, &items, scope)?;
            if clauses.distinct && matches!(target, Target::Expression(_)) {
                let message = "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
                let error = Error::new(ErrorKind::InvalidColumnReference, message);
                return Err(error.at(self.position(expr.span())));
            }
            order.push((target, direction));
        }
        let grouped = !clauses.group_by.is_empty() || having.is_some() || !scope.aggregates().is_empty();
        Ok(Bound { items, keys: grouped.then_some(keys), having, order })
    }

    /// A key of GROUP BY: a select item's number, a column of FROM, a select item's name, or any expression.
    fn bind_group_key(
        &mut self,
        expr: &ast::Expr,
        items: &[SelectItem],
        scope: &Scope<'_>,
        keys: &mut Vec<Expression>,
    ) -> Result<()> {
        let position = self.position(expr.span());
        match expr {
            ast::Expr::GroupingSets(_) | ast::Expr::Cube(_) | ast::Expr::Rollup(_) => {
                return Err(Error::unsupported("GROUPING SETS, CUBE and ROLLUP are").at(position));
            }
            // `GROUP BY ()`: one group of all rows.
            ast::Expr::Tuple(parts) if parts.is_empty() => return Ok(()),
            // `GROUP BY (a, b)` is `GROUP BY a, b`.
            ast::Expr::Tuple(parts) => {
                return parts.iter().try_for_each(|part| self.bind_group_key(part, items, scope, keys));
            }
            _ => {}
        }
        let in_from = match expr {
            ast::Expr::Identifier(ident) => scope.resolve_here(None, &Self::fold(ident), position)?.is_some(),
            _ => false,
        };
        let item = if in_from { None } else { self.find_item(expr, items, Clause::GroupBy)? };
        let key = match item {
            Some(index) => {
                let key = items[index].expression.clone();
                self.check_no_aggregate(&key, scope).map_err(|error| error.at(position))?;
                key
            }
            None => {
                scope.enter(Clause::GroupBy);
                let key = self.bind_expression(expr, scope)?;
                self.settle(key)?
            }
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
        Ok(())
    }

    fn check_no_aggregate(&self, key: &Expression, scope: &Scope<'_>) -> Result<()> {
        let mut mentioned = Vec::new();
        super::walk::expression_columns(key, &mut mentioned);
        if scope.aggregates().iter().any(|(id, _)| mentioned.contains(id)) {
            return Err(Error::new(ErrorKind::Grouping, "aggregate functions are not allowed in GROUP BY"));
        }
        Ok(())
    }

    /// Puts the Aggregate over the rows, HAVING over that, and makes the other clauses speak of its columns.
    fn group(
        &mut self,
        input: Arc<Relation>,
        keys: Vec<Expression>,
        bound: &mut Bound,
        scope: &Scope<'_>,
    ) -> Result<Arc<Relation>> {
        let keys: Vec<(ColumnId, Expression)> = self
            .with_determined(keys, bound, scope)
            .into_iter()
            .map(|key| match key.kind {
                // An enclosing query's column is made there, so here it needs an id of its own.
                ExpressionKind::Column(id)
                    if key.data_type != DataType::BPCHAR && scope.columns.iter().any(|column| column.id == id) =>
                {
                    (id, key)
                }
                _ => {
                    let name = bound.items.iter().find(|item| item.expression == key);
                    let name = name.map_or("key", |item| item.name.as_str());
                    (self.columns.add(name, key.data_type, may_be_null(&key)), key)
                }
            })
            .collect();
        let grouping = Grouping { keys: &keys, scope };
        let order = bound.order.iter_mut().filter_map(|(target, _)| match target {
            Target::Item(_) => None,
            Target::Expression(expression) => Some(expression),
        });
        bound
            .items
            .iter_mut()
            .map(|item| &mut item.expression)
            .chain(&mut bound.having)
            .chain(order)
            .try_for_each(|expression| grouping.replace(expression))?;
        let aggregates = scope.aggregates().clone();
        let keys = keys.into_iter().map(|(id, key)| (id, expression::key(key))).collect();
        let mut relation = Arc::new(Relation::Aggregate { input, keys, aggregates });
        if let Some(predicate) = bound.having.take() {
            relation = Arc::new(Relation::Filter { input: relation, predicate });
        }
        Ok(relation)
    }

    /// The keys, and the columns that the clauses above mention and a table's primary key among the keys determines.
    fn with_determined(&self, mut keys: Vec<Expression>, bound: &Bound, scope: &Scope<'_>) -> Vec<Expression> {
        let column = |key: &Expression| match key.kind {
            ExpressionKind::Column(id) => Some(id),
            _ => None,
        };
        let ids: Vec<ColumnId> = keys.iter().filter_map(column).collect();
        let is_whole = |(key, _): &&(Vec<ColumnId>, Vec<ColumnId>)| key.iter().all(|id| ids.contains(id));
        let determined: Vec<ColumnId> = self.keyed.iter().filter(is_whole).flat_map(|(_, all)| all.clone()).collect();
        if determined.is_empty() {
            return keys;
        }
        let order = bound.order.iter().filter_map(|(target, _)| match target {
            Target::Item(_) => None,
            Target::Expression(expression) => Some(expression),
        });
        let mut mentioned = Vec::new();
        for expression in bound.items.iter().map(|item| &item.expression).chain(&bound.having).chain(order) {
            super::walk::expression_columns(expression, &mut mentioned);
        }
        for id in mentioned {
            let is_new = keys.iter().all(|key| column(key) != Some(id));
            if is_new && determined.contains(&id) && scope.columns.iter().any(|column| column.id == id) {
                keys.push(self.columns.reference(id));
            }
        }
        keys
    }

    /// Project, Distinct and Sort.
    fn project(&mut self, input: Arc<Relation>, bound: Bound, distinct: bool) -> Result<Rows> {
        let available = input.columns();
        let mut columns: Vec<(ColumnId, Expression)> = Vec::new();
        let mut output = Vec::new();
        for SelectItem { name, expression } in bound.items {
            let expression = if distinct { expression::key(expression) } else { expression };
            let id = self.project_column(&available, &mut columns, &name, expression);
            output.push((name, id));
        }
        let mut keys = Vec::new();
        for (target, order) in bound.order {
            let id = match target {
                Target::Item(index) => output[index].1,
                Target::Expression(expression) => self.project_column(&available, &mut columns, "order", expression),
            };
            keys.push(SortKey { expression: expression::key(self.columns.reference(id)), order });
        }
        let mut relation = Arc::new(Relation::Project { input, columns });
        if distinct {
            relation = Arc::new(Relation::Distinct { input: relation });
        }
        if !keys.is_empty() {
            relation = Arc::new(Relation::Sort { input: relation, keys });
        }
        Ok((relation, output))
    }

    /// The column of an expression in a Project: the input's are handed through, anything else gets a new one.
    fn project_column(
        &mut self,
        available: &[ColumnId],
        columns: &mut Vec<(ColumnId, Expression)>,
        name: &str,
        expression: Expression,
    ) -> ColumnId {
        let id = match expression.kind {
            ExpressionKind::Column(id) if available.contains(&id) => id,
            _ => self.columns.add(name, expression.data_type, may_be_null(&expression)),
        };
        if !columns.iter().any(|(other, _)| *other == id) {
            columns.push((id, expression));
        }
        id
    }

    /// A condition of WHERE, HAVING or ON: a boolean.
    pub(super) fn bind_condition(&mut self, ast: &ast::Expr, scope: &Scope<'_>) -> Result<Expression> {
        let clause = scope.clause();
        let condition = self.bind_expression(ast, scope)?;
        let clause = if clause == Clause::JoinCondition { "JOIN/ON".to_owned() } else { clause.to_string() };
        self.coerce_condition(condition, &clause).map_err(|error| error.at(self.position(ast.span())))
    }
}
