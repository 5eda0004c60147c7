//! Calls of functions and aggregates.

use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{AggregateArguments, CallClauses, Called, Clause, Nulls, Scope};
use crate::relation::{AggregateFunction, Expression};
use crate::sql::binder::Binder;
use crate::sql::order::order_by_items;
use crate::types::SortOrder;
use sqlparser::ast::{self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArguments, Spanned};

/// A plain argument; none for `*` and for named ones.
pub(in crate::sql) fn plain_argument(argument: &FunctionArg) -> Option<&ast::Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
        _ => None,
    }
}

/// Arguments, none for `*`, the filter, and the order of rows.
type Parts = (Option<Vec<Expression>>, Option<Expression>, Vec<(Expression, SortOrder)>);

impl Binder<'_, '_> {
    /// `name(arguments)`: an aggregate or a function.
    pub(super) fn bind_function(&mut self, function: &ast::Function, scope: &Scope<'_>) -> Result<Expression> {
        let parts: Vec<&ast::Ident> = function.name.0.iter().filter_map(|part| part.as_ident()).collect();
        let position = parts.first().and_then(|ident| self.position(ident.span));
        let name = match parts.as_slice() {
            [name] => Binder::fold(name),
            [schema, name] if !self.routines_of(Some(&Binder::fold(schema)), &Binder::fold(name)).is_empty() => {
                let (schema, name) = (Binder::fold(schema), Binder::fold(name));
                let of = (Some(schema.as_str()), name.as_str());
                let call = self.bind_routine_call(function, of, clauses(function)?, position, scope)?;
                return call.ok_or_else(|| Error::internal("a function that was found is gone"));
            }
            [schema, name] if is_schema_of_functions(&Binder::fold(schema), &Binder::fold(name)) => Binder::fold(name),
            _ => {
                let message = format!("function {} does not exist", function.name);
                return Err(Error::new(ErrorKind::UnknownFunction, message).at(position));
            }
        };
        if let (Some(action), "merge_action", FunctionArguments::List(list)) =
            (self.merge_action, &*name, &function.args)
            && list.args.is_empty()
        {
            return Ok(Expression::constant(crate::value::Value::text(action), crate::types::DataType::Text));
        }
        if let Some(column) = self.bind_columns_call(function, position, scope)? {
            return Ok(column);
        }
        let of = (None, name.as_str());
        if let Some(call) = self.bind_routine_call(function, of, clauses(function)?, position, scope)? {
            return Ok(call);
        }
        if let Some(call) = self.bind_lambda_call(function, &name, position, scope)? {
            return Ok(call);
        }
        if function.over.is_none() && function.within_group.is_empty() && !self.builder.is_aggregate(&name) {
            return self.bind_named_call(function, name, position, scope);
        }
        // Rows, of which lambdas know nothing.
        let outer = self.lambdas.hide();
        let bound = self.bind_named_call(function, name, position, scope);
        self.lambdas.show(outer);
        bound
    }

    /// A call of a name.
    fn bind_named_call(
        &mut self,
        function: &ast::Function,
        name: String,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        unsupported_clauses(function).map_err(|error| error.at(position))?;
        if let Some(value) = self.bind_struct_call(&name, function, position, scope)? {
            return Ok(value);
        }
        let count = if let FunctionArguments::List(list) = &function.args { list.args.len() } else { 0 };
        let called = clauses(function).and_then(|clauses| self.builder.called(&name, count, clauses));
        let called = called.map_err(|error| error.at(position))?;
        match (called, &function.over) {
            (Called::WithinGroup, _) => return self.bind_ordered_set(function, &name, position, scope),
            (_, Some(over)) => return self.bind_window_call(function, (called, &name), over, position, scope),
            (Called::Aggregate(of), None) => return self.bind_aggregate(of, &name, function, position, scope),
            (Called::Grouping, None) => return self.bind_grouping(function, position, scope),
            (Called::Function | Called::Window(_), None) => {}
        }
        let arguments = match &function.args {
            FunctionArguments::None => &[] as &[FunctionArg],
            FunctionArguments::Subquery(query) if name == "array" => {
                let rows = self.bind_subquery(query, scope)?;
                return self.builder.array_of_rows(rows, position);
            }
            FunctionArguments::Subquery(_) => {
                return Err(Error::unsupported("a query as the argument of a function is").at(position));
            }
            FunctionArguments::List(list) => list.args.as_slice(),
        };
        let sets = scope.set_count();
        let bound = self.bind_arguments(&name, arguments, position, scope)?;
        if let Some(call) = self.routine_of_just(&name, &bound)?
            && self.builder.takes_none(&name, &bound)
        {
            return self.builder.routine_value(call, position);
        }
        self.builder.plain_call(&name, bound, (scope, sets), position)
    }

    /// The arguments of a function, all of them plain.
    pub(in crate::sql) fn bind_arguments(
        &mut self,
        name: &str,
        arguments: &[FunctionArg],
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Expression>> {
        let mut bound = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match plain_argument(argument).map(|argument| self.bind_spread_columns(argument, scope)).transpose()? {
                Some(Some(columns)) => bound.extend(columns),
                _ => bound.push(self.bind_argument(name, argument, scope).map_err(|error| error.at(position))?),
            }
        }
        Ok(bound)
    }

    /// An argument: an expression, or `t.*`.
    fn bind_argument(&mut self, name: &str, argument: &FunctionArg, scope: &Scope<'_>) -> Result<Expression> {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => self.bind_expression(argument, scope),
            FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(table)) => {
                let position = self.position(table.span());
                self.bind_star_of(table, position, scope)
            }
            _ => Err(Error::unsupported(format_args!("the argument {argument} of {name} is"))),
        }
    }

    /// `GROUPING (a, b, …)`.
    fn bind_grouping(
        &mut self,
        call: &ast::Function,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let FunctionArguments::List(list) = &call.args else {
            return Err(Error::new(ErrorKind::Syntax, "GROUPING needs arguments").at(position));
        };
        let mark = self.builder.mentions_mark();
        let arguments = self.bind_arguments("grouping", &list.args, position, scope)?;
        self.builder.aggregate_mentions(scope, mark);
        let grouping = self.builder.grouping(arguments, scope).map_err(|error| error.at(position))?;
        self.builder.aggregate_is_built(scope, &grouping);
        Ok(grouping)
    }

    /// A call of an aggregate.
    pub(super) fn bind_aggregate(
        &mut self,
        function: AggregateFunction,
        name: &str,
        call: &ast::Function,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let FunctionArguments::List(list) = &call.args else {
            return Err(Error::unsupported(format_args!("a query as the argument of {name} is")).at(position));
        };
        let mark = self.builder.mentions_mark();
        let before = scope.enter(Clause::AggregateArgument);
        let bound = self.bind_parts(name, list, call.filter.as_deref(), scope);
        scope.enter(before);
        let (arguments, filter, order) = bound.map_err(|error| error.at(position))?;
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let nulls = null_treatment(call)?;
        let call = AggregateArguments { arguments, distinct, filter, order, nulls, over: None };
        self.builder.aggregate_mentions(scope, mark);
        let aggregate = self.builder.aggregate(function, name, call, position, scope)?;
        self.builder.aggregate_is_built(scope, &aggregate);
        Ok(aggregate)
    }

    /// `name(direct) WITHIN GROUP (ORDER BY key)`.
    fn bind_ordered_set(
        &mut self,
        call: &ast::Function,
        name: &str,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let FunctionArguments::List(list) = &call.args else {
            return Err(Error::unsupported(format_args!("a query as the argument of {name} is")).at(position));
        };
        let direct = self.bind_arguments(name, &list.args, position, scope)?;
        let items = order_by_items(self, &call.within_group)?;
        let mark = self.builder.mentions_mark();
        let before = scope.enter(Clause::AggregateArgument);
        let mut key_of = |(key, order): &(&ast::Expr, SortOrder)| {
            let key = self.bind_expression(key, scope)?;
            Ok((self.builder.settle(key)?, *order))
        };
        let bound: Result<Vec<_>> = items.iter().map(&mut key_of).collect();
        let filter = call.filter.as_deref().map(|filter| {
            let filter = self.bind_expression(filter, scope)?;
            self.builder.coerce_condition(filter, "FILTER")
        });
        let filter = filter.transpose().and_then(|filter| self.with_pivot_condition(filter, scope));
        scope.enter(before);
        let (keys, filter) = (bound?, filter?);
        self.builder.aggregate_mentions(scope, mark);
        let aggregate = self.builder.within_group(name, direct, (keys, filter), position, scope)?;
        self.builder.aggregate_is_built(scope, &aggregate);
        Ok(aggregate)
    }

    /// The arguments, none for `*`, the filter, and the order.
    pub(in crate::sql) fn bind_parts(
        &mut self,
        name: &str,
        list: &ast::FunctionArgumentList,
        filter: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Parts> {
        let arguments = match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] => None,
            arguments => {
                let mut bound = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    bound.push(self.bind_argument(name, argument, scope)?);
                }
                Some(bound)
            }
        };
        let filter = match filter {
            Some(filter) => {
                let filter = self.bind_expression(filter, scope)?;
                Some(self.builder.coerce_condition(filter, "FILTER")?)
            }
            None => None,
        };
        let filter = self.with_pivot_condition(filter, scope)?;
        let mut order = Vec::new();
        for clause in &list.clauses {
            let ast::FunctionArgumentClause::OrderBy(items) = clause else { continue };
            for (expr, direction) in order_by_items(self, items)? {
                let value = self.bind_expression(expr, scope)?;
                order.push((self.builder.settle(value)?, direction));
            }
        }
        Ok((arguments, filter, order))
    }
}

/// Whether functions of a name are in a schema: those of PostgreSQL are in one, but for what the other one's views ask.
pub(in crate::sql) fn is_schema_of_functions(schema: &str, name: &str) -> bool {
    schema == if name.starts_with("_pg_") { "information_schema" } else { "pg_catalog" }
}

/// What a call says of NULLs, behind its arguments or among them.
pub(in crate::sql) fn null_treatment(function: &ast::Function) -> Result<Option<Nulls>> {
    let of = |treatment: &ast::NullTreatment| match treatment {
        ast::NullTreatment::IgnoreNulls => Nulls::Ignored,
        ast::NullTreatment::RespectNulls => Nulls::Respected,
    };
    let within = match &function.args {
        FunctionArguments::List(list) => list.clauses.iter().find_map(|clause| match clause {
            ast::FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => Some(treatment),
            _ => None,
        }),
        _ => None,
    };
    match (&function.null_treatment, within) {
        (Some(_), Some(_)) => Err(Error::new(ErrorKind::Syntax, "what becomes of NULLs is said twice")),
        (behind, within) => Ok(behind.as_ref().or(within).map(of)),
    }
}

fn is_known_clause(clause: &ast::FunctionArgumentClause) -> bool {
    use ast::FunctionArgumentClause as C;
    matches!(clause, C::OrderBy(_) | C::IgnoreOrRespectNulls(_))
}

/// Clauses around a call that are not supported for any function.
fn unsupported_clauses(function: &ast::Function) -> Result<()> {
    if !matches!(function.parameters, FunctionArguments::None) || function.uses_odbc_syntax {
        return Err(Error::unsupported(format_args!("the call {function} is")));
    }
    if let FunctionArguments::List(list) = &function.args
        && let Some(clause) = list.clauses.iter().find(|clause| !is_known_clause(clause))
    {
        return Err(Error::unsupported(format_args!("{clause} in a function's arguments is")));
    }
    Ok(())
}

/// The clauses of a call.
fn clauses(function: &ast::Function) -> Result<CallClauses> {
    let list = if let FunctionArguments::List(list) = &function.args { Some(list) } else { None };
    let duplicates = list.and_then(|list| list.duplicate_treatment);
    let is_order = |clause: &ast::FunctionArgumentClause| matches!(clause, ast::FunctionArgumentClause::OrderBy(_));
    Ok(CallClauses {
        distinct: duplicates == Some(DuplicateTreatment::Distinct),
        all: duplicates == Some(DuplicateTreatment::All),
        order: list.is_some_and(|list| list.clauses.iter().any(is_order)),
        within_group: !function.within_group.is_empty(),
        filter: function.filter.is_some(),
        nulls: null_treatment(function)?.is_some(),
        over: function.over.is_some(),
    })
}
