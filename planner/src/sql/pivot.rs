//! PIVOT: a column for each of some values of a column, and each aggregate of the rows that have it.
//!
//! It is a SELECT of keys and of aggregates with a FILTER: `t PIVOT (sum(x) FOR y IN (1, 2))` is `SELECT k, …, sum(x) FILTER (WHERE
//! y IS NOT DISTINCT FROM 1) AS "1", … FROM t GROUP BY k, …`, where the keys are those that it names, or else all columns that are
//! named in no other part. Where the values are not said, those that are there are read before the query is bound.

use super::binder::{Binder, view_rows};
use super::from::Before;
use super::query::Unknown;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{Builder, Clause, FromItem, Scope, Select, SelectItem, and};
use crate::relation::{ColumnId, Expression, Query};
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, SelectItem as Item};
use std::sync::Arc;

/// Columns that a PIVOT may make.
const COLUMNS_MAX: usize = 1600;

/// The value of each column of a PIVOT that a column of its result is of.
pub(super) type PivotCondition = Arc<[(Expr, Expr)]>;

/// A column of the result: its name and its values.
type Value = (String, Expr);

/// The parts of a PIVOT as `forms` puts them.
#[derive(Default)]
struct Parts<'p> {
    using: &'p [FunctionArg],
    on: Vec<&'p [FunctionArg]>,
    by: Option<&'p [FunctionArg]>,
}

impl<'p> Parts<'p> {
    fn of(functions: &'p [ast::ExprWithAlias]) -> Option<Self> {
        let [ast::ExprWithAlias { expr: Expr::Function(call), alias: None }] = functions else { return None };
        let (_, parts) = called(call)?;
        let mut all = Parts::default();
        for part in parts {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(part))) = part else { return None };
            match called(part)? {
                ("using", args) => all.using = args,
                ("on", args) => all.on.push(args),
                ("by", args) => all.by = Some(args),
                _ => return None,
            }
        }
        Some(all)
    }
}

/// The name and the arguments of a call.
fn called(call: &ast::Function) -> Option<(&str, &[FunctionArg])> {
    let [ast::ObjectNamePart::Identifier(name)] = call.name.0.as_slice() else { return None };
    match &call.args {
        FunctionArguments::List(list) => Some((&name.value, &list.args)),
        _ => None,
    }
}

/// An argument's expression, and its name if it has one.
fn named(argument: &FunctionArg) -> Option<(&Expr, Option<&ast::Ident>)> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Named { expr, name })) => Some((expr, Some(name))),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some((expr, None)),
        _ => None,
    }
}

/// What a column of a value is called.
fn value_name(value: &Expr) -> String {
    match value {
        Expr::Value(value) => match &value.value {
            ast::Value::Null => "NULL".to_owned(),
            ast::Value::Boolean(value) => value.to_string(),
            ast::Value::Number(digits, _) => digits.clone(),
            other => other.clone().into_string().unwrap_or_else(|| other.to_string()),
        },
        Expr::TypedString(typed) => value_name(&Expr::Value(typed.value.clone())),
        Expr::Cast { expr, .. } => value_name(expr),
        Expr::Nested(inner) => value_name(inner),
        Expr::Tuple(parts) => parts.iter().map(value_name).collect::<Vec<_>>().join("_"),
        other => other.to_string(),
    }
}

/// What a column of an aggregate is called.
fn aggregate_name(aggregate: &Expr) -> String {
    match aggregate.to_string() {
        text if text.eq_ignore_ascii_case("count(*)") => "count_star()".to_owned(),
        text => text,
    }
}

impl Binder<'_, '_> {
    /// `table PIVOT (…)`.
    pub(super) fn bind_pivot(
        &mut self,
        table: &ast::TableFactor,
        functions: &[ast::ExprWithAlias],
        parent: Option<&Scope<'_>>,
        before: Option<&Before<'_>>,
    ) -> Result<FromItem> {
        let position = self.factor_start(table);
        let parts = Parts::of(functions).ok_or_else(|| {
            let error = Error::new(ErrorKind::Syntax, "syntax error: such a PIVOT is not known");
            error.with_hint("Write PIVOT (aggregate FOR column IN (values) [GROUP BY keys]).").at(position)
        })?;
        let count = super::parse::parse_expression("count(*)")?;
        let mut using: Vec<(&Expr, Option<&ast::Ident>)> = Vec::new();
        for argument in parts.using {
            using.push(named(argument).ok_or_else(|| self.odd_part(argument, position))?);
        }
        if using.is_empty() && !parts.on.is_empty() {
            using.push((&count, None));
        }
        let mut on = Vec::with_capacity(parts.on.len());
        for part in &parts.on {
            let (first, values) = part.split_first().ok_or_else(|| Error::internal("a PIVOT on nothing"))?;
            let (column, _) = named(first).ok_or_else(|| self.odd_part(first, position))?;
            on.push((column, values));
        }
        let item = self.deeper(position, |binder| binder.bind_table_factor(table, parent, before))?;
        let mentioned = self.pivot_mentions(&item, &on, &using, parent)?;
        let mut columns = vec![(String::new(), Vec::new())];
        for (column, values) in on {
            let values = self.pivot_values(column, values, table)?;
            let crossed = columns.iter().flat_map(|(name, condition): &(String, Vec<(Expr, Expr)>)| {
                values.iter().map(move |(value_name, value)| {
                    let name = if name.is_empty() { value_name.clone() } else { format!("{name}_{value_name}") };
                    let condition = condition.iter().cloned().chain([(column.clone(), value.clone())]).collect();
                    (name, condition)
                })
            });
            columns = crossed.collect();
            if columns.len() * using.len() > COLUMNS_MAX {
                let message = format!("PIVOT would make more than {COLUMNS_MAX} columns");
                return Err(Error::new(ErrorKind::TooComplex, message).at(position));
            }
        }
        let (relation, scope) = item.into_scope(parent, Clause::SelectList);
        let mut items = self.pivot_keys(parts.by, &mentioned, &scope, position)?;
        let keys = items.len();
        let has_names = using.len() > 1 || using.iter().any(|(_, alias)| alias.is_some());
        for (name, condition) in columns {
            for (aggregate, alias) in &using {
                let own = alias.map_or_else(|| aggregate_name(aggregate), Self::fold);
                let name = match (condition.is_empty(), has_names) {
                    (true, _) => own,
                    (false, true) => format!("{name}_{own}"),
                    (false, false) => name.clone(),
                };
                let outside = self.pivot_condition.replace(condition.iter().cloned().collect());
                let value = self.bind_expression(aggregate, &scope);
                self.pivot_condition = outside;
                items.push(self.builder.item(name, value?, Unknown::AsText.data_type(0))?);
            }
        }
        let mut select = Select::new(&scope, items, false);
        select.group();
        select.group_by_first(keys);
        Ok(FromItem::anonymous(self.builder.select(relation, select)?))
    }

    fn odd_part(&self, argument: &FunctionArg, position: Option<Position>) -> Error {
        Error::new(ErrorKind::Syntax, format!("syntax error at or near \"{argument}\" in PIVOT")).at(position)
    }

    /// The columns that are named in the parts of a PIVOT other than its keys.
    fn pivot_mentions(
        &mut self,
        item: &FromItem,
        on: &[(&Expr, &[FunctionArg])],
        using: &[(&Expr, Option<&ast::Ident>)],
        parent: Option<&Scope<'_>>,
    ) -> Result<Vec<ColumnId>> {
        let scope = Scope::new(parent, item.columns.clone(), item.tables.clone(), Clause::SelectList);
        let outside = self.pivot_condition.take();
        let all = on.iter().map(|(column, _)| *column).chain(using.iter().map(|(aggregate, _)| *aggregate));
        let bound = all.map(|expr| self.bind_expression(expr, &scope)).collect::<Result<Vec<_>>>();
        self.pivot_condition = outside;
        Ok(scope.mentioned(&bound?))
    }

    /// The keys: those that are said, or the columns that nothing else names.
    fn pivot_keys(
        &mut self,
        by: Option<&[FunctionArg]>,
        mentioned: &[ColumnId],
        scope: &Scope<'_>,
        position: Option<Position>,
    ) -> Result<Vec<SelectItem>> {
        let Some(by) = by else {
            let all = self.builder.all_items(scope, position)?;
            return Ok(all
                .into_iter()
                .filter(|item| item.column().is_none_or(|id| !mentioned.contains(&id)))
                .collect());
        };
        let mut items = Vec::with_capacity(by.len());
        for argument in by {
            let (expr, alias) = named(argument).ok_or_else(|| self.odd_part(argument, position))?;
            let item = match alias {
                Some(alias) => Item::ExprWithAlias { expr: expr.clone(), alias: alias.clone() },
                None => Item::UnnamedExpr(expr.clone()),
            };
            items.extend(self.bind_select_list(std::slice::from_ref(&item), scope, Unknown::AsText)?);
        }
        Ok(items)
    }

    /// The values of a column that there are columns for.
    fn pivot_values(&mut self, column: &Expr, values: &[FunctionArg], table: &ast::TableFactor) -> Result<Vec<Value>> {
        if values.is_empty() {
            return self.read_pivot_values(column, table);
        }
        let value = |argument: &FunctionArg| {
            let position = self.start(column);
            let (value, alias) = named(argument).ok_or_else(|| self.odd_part(argument, position))?;
            Ok((alias.map_or_else(|| value_name(value), |alias| alias.value.clone()), value.clone()))
        };
        values.iter().map(value).collect()
    }

    /// The values that a column has, in order: they are read now.
    fn read_pivot_values(&mut self, column: &Expr, table: &ast::TableFactor) -> Result<Vec<Value>> {
        let position = self.start(column);
        let hint = "Say which values there are columns for: PIVOT … ON column IN (values).";
        if self.builder.is_stored() || self.text.is_none() {
            let what = "PIVOT in a view without the values that there are columns for is";
            return Err(Error::unsupported(what).with_hint(hint).at(position));
        }
        let query = self.query_of_values(column, table)?;
        let found = self.builder.catalog.texts(Box::new(query)).map_err(|error| error.at(position))?;
        let literal = |text: String| {
            let value = ast::Value::SingleQuotedString(text.clone());
            (text, Expr::Value(value.with_empty_span()))
        };
        Ok(found.into_iter().map(literal).collect())
    }

    /// `SELECT v::text FROM (SELECT DISTINCT column AS v FROM table WHERE column IS NOT NULL) AS t ORDER BY v`, with the queries
    /// of WITH that are in sight.
    fn query_of_values(&self, column: &Expr, table: &ast::TableFactor) -> Result<Query> {
        let text = "SELECT v::text FROM (SELECT DISTINCT a AS v FROM t WHERE a IS NOT NULL) AS t ORDER BY v";
        let mut tree = super::parse::parse_query(text)?;
        let odd = || Error::internal("the query of a PIVOT's values has another form");
        let ast::SetExpr::Select(outer) = &mut *tree.body else { return Err(odd()) };
        let Some(ast::TableFactor::Derived { subquery, .. }) = outer.from.first_mut().map(|from| &mut from.relation)
        else {
            return Err(odd());
        };
        let ast::SetExpr::Select(inner) = &mut *subquery.body else { return Err(odd()) };
        let alias = ast::Ident::new("v");
        inner.projection = vec![Item::ExprWithAlias { expr: column.clone(), alias }];
        inner.from = vec![ast::TableWithJoins { relation: table.clone(), joins: Vec::new() }];
        inner.selection = Some(Expr::IsNotNull(Box::new(column.clone())));
        let trees: Vec<ast::Cte> = self.ctes.iter().filter_map(|cte| cte.tree.as_deref().cloned()).collect();
        if !trees.is_empty() {
            subquery.with = Some(ast::With { with_token: AttachedToken::empty(), recursive: false, cte_tables: trees });
        }
        let mut builder = Builder::new(self.builder.catalog, view_rows, &[], self.builder.is_wide());
        builder.names_items = self.builder.names_items;
        match &self.text {
            Some(text) => Binder::moved(&mut builder, text.as_str(), text.moves()).whole_query(&tree),
            None => Binder::new(&mut builder, "").whole_query(&tree),
        }
    }

    /// A FILTER, and what holds for rows of a PIVOT's column.
    pub(super) fn with_pivot_condition(
        &mut self,
        filter: Option<Expression>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        let Some(condition) = self.pivot_condition.take() else { return Ok(filter) };
        let bound = condition.iter().map(|(column, value)| self.bind_same(column, value, scope));
        let bound = bound.collect::<Result<Vec<_>>>();
        self.pivot_condition = Some(condition);
        let all: Vec<Expression> = filter.into_iter().chain(bound?).collect();
        Ok((!all.is_empty()).then(|| and(all)))
    }

    /// Whether a column, or each of several, is a value.
    fn bind_same(&mut self, column: &Expr, value: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        if let (Expr::Tuple(columns), Expr::Tuple(values)) = (column, value) {
            if columns.len() != values.len() {
                let message = "a PIVOT has other numbers of columns than of values";
                return Err(Error::new(ErrorKind::Syntax, message).at(self.start(column)));
            }
            let each = columns.iter().zip(values).map(|(column, value)| self.bind_same(column, value, scope));
            return Ok(and(each.collect::<Result<Vec<_>>>()?));
        }
        let column = self.bind_expression(column, scope)?;
        let value = self.bind_expression(value, scope)?;
        self.builder.compare(Function::IsNotDistinct, column, value)
    }
}
