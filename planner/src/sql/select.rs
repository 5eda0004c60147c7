//! One SELECT: its clauses, and the ORDER BY that belongs to it. What they mean together is the builder's
//! [`Select`].

use super::binder::Binder;
use super::order::{order_items, reference};
use super::query::Unknown;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::Expression;
use crate::relation::builder::{Clause, GroupingSets, Rows, Scope, Select, Target, crossed};
use sqlparser::ast::{self, Spanned};

/// Elements of a CUBE, as in PostgreSQL.
const CUBE_MAX: usize = 12;

/// Whether an element of GROUP BY stands for several lists of keys.
fn names_sets(element: &ast::Expr) -> bool {
    matches!(element, ast::Expr::GroupingSets(_) | ast::Expr::Cube(_) | ast::Expr::Rollup(_))
}

/// What stands for several lists of keys within GROUPING SETS, where the parser takes ROLLUP and CUBE for functions.
fn nested_sets(element: &ast::Expr) -> Option<ast::Expr> {
    let ast::Expr::Function(call) = element else { return names_sets(element).then(|| element.clone()) };
    let name = call.name.to_string().to_ascii_lowercase();
    let ast::FunctionArguments::List(list) = &call.args else { return None };
    let part = |argument: &ast::FunctionArg| match argument {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::Tuple(parts))) => Some(parts.clone()),
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(part)) => Some(vec![part.clone()]),
        _ => None,
    };
    let parts = || list.args.iter().map(part).collect::<Option<Vec<_>>>();
    match name.as_str() {
        "rollup" => Some(ast::Expr::Rollup(parts()?)),
        "cube" => Some(ast::Expr::Cube(parts()?)),
        _ => None,
    }
}

/// The clauses of a SELECT that Multiloop has.
struct Clauses<'s> {
    distinct: bool,
    distinct_on: &'s [ast::Expr],
    projection: &'s [ast::SelectItem],
    from: &'s [ast::TableWithJoins],
    selection: Option<&'s ast::Expr>,
    group_by: &'s [ast::Expr],
    having: Option<&'s ast::Expr>,
    windows: &'s [ast::NamedWindowDefinition],
}

impl Binder<'_, '_> {
    /// Binds a SELECT and the ORDER BY behind it.
    pub(super) fn bind_select(
        &mut self,
        select: &ast::Select,
        order_by: Option<&ast::OrderBy>,
        parent: Option<&Scope<'_>>,
        unknown: Unknown<'_>,
    ) -> Result<Rows> {
        let clauses = self.select_clauses(select)?;
        let outside = std::mem::take(&mut self.names_itself);
        let (mut relation, scope) = self.bind_from(clauses.from, parent)?.into_scope(parent, Clause::Where);
        let names_itself = std::mem::replace(&mut self.names_itself, outside);
        if let Some(selection) = clauses.selection {
            let predicate = self.bind_condition(selection, &scope)?;
            relation = self.builder.filter(relation, predicate);
        }
        let windows = std::mem::take(&mut self.windows);
        let clauses = self.bind_clauses(&clauses, order_by, &scope, unknown);
        self.windows = windows;
        self.check_step(names_itself, &scope, self.position(select.select_token.0.span))?;
        self.builder.select(relation, clauses?)
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
            (qualify.is_some(), "QUALIFY is", of(qualify.as_ref())),
            (value_table_mode.is_some(), "SELECT AS is", position),
            (*flavor != ast::SelectFlavor::Standard, "FROM before SELECT is", position),
        ];
        if let Some((_, what, position)) = refused.into_iter().find(|(refused, ..)| *refused) {
            return Err(Error::unsupported(what).at(position));
        }
        let (distinct, distinct_on) = match distinct {
            None | Some(ast::Distinct::All) => (false, &[][..]),
            Some(ast::Distinct::Distinct) => (true, &[][..]),
            Some(ast::Distinct::On(on)) => (false, on.as_slice()),
        };
        let group_by = match group_by {
            ast::GroupByExpr::Expressions(keys, modifiers) if modifiers.is_empty() => keys,
            ast::GroupByExpr::Expressions(keys, _) => {
                let error = Error::unsupported("GROUP BY … WITH ROLLUP, CUBE or TOTALS is");
                return Err(error.at(of(keys.first())));
            }
            ast::GroupByExpr::All(_) => return Err(Error::unsupported("GROUP BY ALL is").at(position)),
        };
        let (selection, having, windows) = (selection.as_ref(), having.as_ref(), named_window.as_slice());
        Ok(Clauses { distinct, distinct_on, projection, from, selection, group_by, having, windows })
    }

    fn bind_clauses<'s, 'p>(
        &mut self,
        clauses: &Clauses<'_>,
        order_by: Option<&ast::OrderBy>,
        scope: &'s Scope<'p>,
        unknown: Unknown<'_>,
    ) -> Result<Select<'s, 'p>> {
        self.bind_named_windows(clauses.windows, scope)?;
        scope.enter(Clause::SelectList);
        let items = self.bind_select_list(clauses.projection, scope, unknown)?;
        let mut select = Select::new(scope, items, clauses.distinct);
        self.bind_group_by(clauses.group_by, scope, &mut select)?;
        scope.enter(Clause::Having);
        if let Some(having) = clauses.having {
            select.having(self.bind_condition(having, scope)?);
        }
        let target = |binder: &mut Self, select: &Select<'s, 'p>, expr: &ast::Expr, clause: Clause| -> Result<Target> {
            let position = binder.position(expr.span());
            let named = match reference(expr) {
                Some(reference) => select.named_target(&reference, clause, position)?,
                None => None,
            };
            match named {
                Some(target) => Ok(target),
                None => {
                    scope.enter(clause);
                    let expression = binder.bind_expression(expr, scope)?;
                    Ok(select.target(binder.builder.settle(expression)?))
                }
            }
        };
        for (expr, direction) in order_by.map(|by| order_items(self, by)).transpose()?.unwrap_or_default() {
            let target = target(self, &select, expr, Clause::OrderBy)?;
            select.order_by(target, direction, self.position(expr.span()))?;
        }
        let mut on = Vec::with_capacity(clauses.distinct_on.len());
        for expr in clauses.distinct_on {
            on.push(target(self, &select, expr, Clause::DistinctOn)?);
        }
        let position = clauses.distinct_on.first().and_then(|first| self.position(first.span()));
        select.distinct_on(on).map_err(|error| error.at(position))?;
        Ok(select)
    }

    /// GROUP BY: keys, and lists of them.
    fn bind_group_by(&mut self, elements: &[ast::Expr], scope: &Scope<'_>, select: &mut Select<'_, '_>) -> Result<()> {
        let mut all = Vec::with_capacity(elements.len());
        for element in elements {
            select.group();
            all.push(self.bind_grouping_element(element, scope, select)?);
        }
        if elements.iter().any(names_sets) {
            let position = elements.first().and_then(|first| self.position(first.span()));
            select.grouping_sets(crossed(all).map_err(|error| error.at(position))?);
        }
        Ok(())
    }

    /// The lists of keys that an element of GROUP BY stands for: one, unless it is GROUPING SETS, ROLLUP or CUBE.
    fn bind_grouping_element(
        &mut self,
        element: &ast::Expr,
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
    ) -> Result<GroupingSets> {
        Ok(match element {
            ast::Expr::GroupingSets(sets) => {
                let mut all = Vec::new();
                for set in sets {
                    match if let [only] = &set[..] { nested_sets(only) } else { None } {
                        Some(nested) => all.extend(self.bind_grouping_element(&nested, scope, select)?),
                        None => all.push(self.bind_group_keys(set, scope, select)?),
                    }
                }
                all
            }
            ast::Expr::Rollup(parts) => {
                let parts = self.bind_grouping_parts(parts, scope, select)?;
                (0..=parts.len()).rev().map(|count| parts[..count].concat()).collect()
            }
            ast::Expr::Cube(parts) => {
                if parts.len() > CUBE_MAX {
                    let error = Error::new(ErrorKind::TooComplex, format!("CUBE is limited to {CUBE_MAX} elements"));
                    return Err(error.at(self.position(element.span())));
                }
                let parts = self.bind_grouping_parts(parts, scope, select)?;
                let chosen = |bits: usize| {
                    let is_in = |at: usize| bits >> (parts.len() - 1 - at) & 1 == 1;
                    (0..parts.len()).filter(|&at| is_in(at)).flat_map(|at| parts[at].clone()).collect()
                };
                (0..1usize << parts.len()).rev().map(chosen).collect()
            }
            key => vec![self.bind_group_keys(std::slice::from_ref(key), scope, select)?],
        })
    }

    fn bind_grouping_parts(
        &mut self,
        parts: &[Vec<ast::Expr>],
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
    ) -> Result<GroupingSets> {
        parts.iter().map(|part| self.bind_group_keys(part, scope, select)).collect()
    }

    fn bind_group_keys(
        &mut self,
        keys: &[ast::Expr],
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
    ) -> Result<Vec<usize>> {
        let mut numbers = Vec::with_capacity(keys.len());
        for key in keys {
            self.bind_group_key(key, scope, select, &mut numbers)?;
        }
        Ok(numbers)
    }

    /// A key of GROUP BY: a select item's number, a column of FROM, a select item's name, or any expression.
    fn bind_group_key(
        &mut self,
        expr: &ast::Expr,
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
        numbers: &mut Vec<usize>,
    ) -> Result<()> {
        let position = self.position(expr.span());
        match expr {
            _ if names_sets(expr) => {
                return Err(Error::unsupported("GROUPING SETS, CUBE or ROLLUP within another but GROUPING SETS is")
                    .at(position));
            }
            // `GROUP BY ()`: one group of all rows. `GROUP BY (a, b)` is `GROUP BY a, b`.
            ast::Expr::Tuple(parts) => {
                return parts.iter().try_for_each(|part| self.bind_group_key(part, scope, select, numbers));
            }
            _ => {}
        }
        let named = match reference(expr) {
            Some(reference) => select.named_key(&reference, position)?,
            None => None,
        };
        let key = match named {
            Some(key) => key,
            None => {
                scope.enter(Clause::GroupBy);
                let key = self.bind_expression(expr, scope)?;
                self.builder.settle(key)?
            }
        };
        numbers.push(select.add_key(key));
        Ok(())
    }

    /// A condition of WHERE, HAVING or ON: a boolean.
    pub(super) fn bind_condition(&mut self, ast: &ast::Expr, scope: &Scope<'_>) -> Result<Expression> {
        let clause = scope.clause();
        let condition = self.bind_expression(ast, scope)?;
        self.builder.condition(condition, clause).map_err(|error| error.at(self.position(ast.span())))
    }
}
