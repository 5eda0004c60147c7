//! One SELECT: its clauses, and the ORDER BY that belongs to it. What they mean together is the builder's
//! [`Select`].

use super::binder::Binder;
use super::expression::plain_argument;
use super::forms::GROUP_BY_ALL;
use super::grouping_words::{CUBE, DISTINCT_SETS, NO_KEYS, ROLLUP, SETS};
use super::order::{order_items, order_of_all, reference};
use super::query::Unknown;
use crate::error::{Error, Result};
use crate::relation::Expression;
use crate::relation::builder::{Clause, GroupingSets, Rows, Scope, Select, Target, and, crossed, cube, rollup};
use sqlparser::ast::{self, Spanned};

/// An element of GROUP BY, which [`super::grouping_words`] has made a call where it stands for lists of keys.
enum Element<'e> {
    Key(&'e ast::Expr),
    Rollup(Vec<&'e ast::Expr>),
    Cube(Vec<&'e ast::Expr>),
    Sets(Vec<&'e ast::Expr>),
}

/// Whether it stands for ALL in GROUP BY.
fn is_all_of_groups(call: &ast::Function) -> bool {
    is_name(&call.name, GROUP_BY_ALL)
}

fn element(expr: &ast::Expr) -> Element<'_> {
    let ast::Expr::Function(call) = expr else { return Element::Key(expr) };
    let ast::FunctionArguments::List(list) = &call.args else { return Element::Key(expr) };
    let parts = || list.args.iter().filter_map(plain_argument).collect();
    if is_name(&call.name, ROLLUP) {
        Element::Rollup(parts())
    } else if is_name(&call.name, CUBE) {
        Element::Cube(parts())
    } else if is_name(&call.name, SETS) {
        Element::Sets(parts())
    } else {
        Element::Key(expr)
    }
}

/// Whether GROUP BY begins with the mark of its DISTINCT.
fn is_mark(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Function(call) if is_name(&call.name, DISTINCT_SETS))
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
    qualify: Option<&'s ast::Expr>,
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
        let clauses = self.with_item_names(clauses.projection, &scope, |binder| {
            let mut selection = clauses.selection;
            if let Some((sample, rest)) = selection.and_then(Self::split_using_sample) {
                relation = binder.bind_using_sample(relation.clone(), sample)?;
                selection = rest;
            }
            if let Some(selection) = selection {
                let predicate = binder.bind_condition(selection, &scope)?;
                relation = binder.builder.filter(relation.clone(), predicate);
            }
            let windows = std::mem::take(&mut binder.windows);
            let recorded = binder.builder.record_forms(true);
            let clauses = binder.bind_clauses(&clauses, order_by, &scope, unknown);
            binder.builder.record_forms(recorded);
            binder.windows = windows;
            clauses
        });
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
            ast::GroupByExpr::All(_) => return Err(Error::unsupported("GROUP BY ALL with other keys is").at(position)),
        };
        let (selection, having, windows) = (selection.as_ref(), having.as_ref(), named_window.as_slice());
        let qualify = qualify.as_ref();
        Ok(Clauses { distinct, distinct_on, projection, from, selection, group_by, having, qualify, windows })
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
        if let Some(qualify) = clauses.qualify {
            scope.enter(Clause::Qualify);
            select.qualify(self.bind_condition(qualify, scope)?);
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
        if let Some(order) = order_by.and_then(order_of_all) {
            select.order_by_all(order);
        }
        for (expr, direction) in order_by.map(|by| order_items(self, by)).transpose()?.unwrap_or_default() {
            // COLUMNS is an item for each of its columns.
            for target in self.for_each_column(|binder| target(binder, &select, expr, Clause::OrderBy))? {
                select.order_by(target, direction, self.position(expr.span()))?;
            }
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
        if let [ast::Expr::Function(call)] = elements
            && is_all_of_groups(call)
        {
            select.group_by_all();
            return Ok(());
        }
        let (is_distinct, elements) = match elements {
            [mark, elements @ ..] if is_mark(mark) => (true, elements),
            elements => (false, elements),
        };
        let mut all = Vec::with_capacity(elements.len());
        for element in elements {
            select.group();
            all.push(self.bind_grouping_element(element, scope, select)?);
        }
        if elements.iter().any(|expr| !matches!(element(expr), Element::Key(_))) {
            let position = elements.first().and_then(|first| self.start(first));
            let mut sets = crossed(all).map_err(|error| error.at(position))?;
            if is_distinct {
                keep_different(&mut sets);
            }
            select.grouping_sets(sets);
        }
        Ok(())
    }

    /// The lists of keys that an element of GROUP BY stands for: one, unless it is GROUPING SETS, ROLLUP or CUBE.
    fn bind_grouping_element(
        &mut self,
        expr: &ast::Expr,
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
    ) -> Result<GroupingSets> {
        Ok(match element(expr) {
            Element::Sets(sets) => self.deeper(None, |binder| {
                let mut all = Vec::new();
                for set in sets {
                    all.extend(binder.bind_grouping_element(set, scope, select)?);
                }
                Ok(all)
            })?,
            Element::Rollup(parts) => {
                let parts = self.bind_grouping_parts(&parts, scope, select)?;
                rollup(&parts).map_err(|error| error.at(self.start(expr)))?
            }
            Element::Cube(parts) => {
                let parts = self.bind_grouping_parts(&parts, scope, select)?;
                cube(&parts).map_err(|error| error.at(self.start(expr)))?
            }
            Element::Key(key) => {
                let mut numbers = Vec::new();
                self.bind_group_key(key, scope, select, &mut numbers)?;
                vec![numbers]
            }
        })
    }

    fn bind_grouping_parts(
        &mut self,
        parts: &[&ast::Expr],
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
    ) -> Result<GroupingSets> {
        let part = |part: &&ast::Expr| {
            let mut numbers = Vec::new();
            self.bind_group_key(part, scope, select, &mut numbers)?;
            Ok(numbers)
        };
        parts.iter().map(part).collect()
    }

    /// A key of GROUP BY: a select item's number, a column of FROM, a select item's name, or any expression.
    fn bind_group_key(
        &mut self,
        expr: &ast::Expr,
        scope: &Scope<'_>,
        select: &mut Select<'_, '_>,
        numbers: &mut Vec<usize>,
    ) -> Result<()> {
        match expr {
            // `GROUP BY ()`: one group of all rows. `GROUP BY (a, b)` is `GROUP BY a, b`.
            ast::Expr::Tuple(parts) => {
                return parts.iter().try_for_each(|part| self.bind_group_key(part, scope, select, numbers));
            }
            ast::Expr::Function(call) if is_name(&call.name, NO_KEYS) => return Ok(()),
            _ => {}
        }
        let position = self.start(expr);
        let named = match reference(expr) {
            Some(reference) => select.named_key(&reference, position)?,
            None => None,
        };
        numbers.push(match named {
            Some(item) => select.add_item_key(item),
            None => {
                scope.enter(Clause::GroupBy);
                let key = self.bind_expression(expr, scope)?;
                select.add_key(self.builder.settle(key)?)
            }
        });
        Ok(())
    }

    /// A condition of WHERE, HAVING or ON: a boolean.
    pub(super) fn bind_condition(&mut self, ast: &ast::Expr, scope: &Scope<'_>) -> Result<Expression> {
        let clause = scope.clause();
        let condition = |binder: &mut Self| {
            let condition = binder.bind_expression(ast, scope)?;
            binder.builder.condition(condition, clause).map_err(|error| error.at(binder.position(ast.span())))
        };
        // One for each of the columns that COLUMNS stands for: all of them hold.
        let conditions = self.for_each_column(condition)?;
        Ok(if conditions.len() == 1 { conditions.into_iter().next().expect("there is one") } else { and(conditions) })
    }
}

/// Whether this is a name that a respelled word has, in quotes.
fn is_name(name: &ast::ObjectName, word: &str) -> bool {
    matches!(&name.0[..], [ast::ObjectNamePart::Identifier(ident)] if ident.quote_style.is_some() && ident.value == word)
}

/// Of lists of the same keys the first.
fn keep_different(sets: &mut GroupingSets) {
    let mut known = std::collections::HashSet::new();
    sets.retain(|set| {
        let mut keys = set.clone();
        keys.sort_unstable();
        keys.dedup();
        known.insert(keys)
    });
}
