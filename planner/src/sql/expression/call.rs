//! Calls of functions and aggregates.

use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{AggregateArguments, Callee, Clause, Scope};
use crate::relation::{AggregateFunction, Expression};
use crate::sql::binder::Binder;
use sqlparser::ast::{self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArguments};

/// A plain argument; none for `*` and for named ones.
pub(super) fn plain_argument(argument: &FunctionArg) -> Option<&ast::Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
        _ => None,
    }
}

impl Binder<'_, '_> {
    /// `name(arguments)`: an aggregate or a function.
    pub(super) fn bind_function(&mut self, function: &ast::Function, scope: &Scope<'_>) -> Result<Expression> {
        let parts: Vec<&ast::Ident> = function.name.0.iter().filter_map(|part| part.as_ident()).collect();
        let position = parts.first().and_then(|ident| self.position(ident.span));
        let name = match parts.as_slice() {
            [name] => Binder::fold(name),
            [schema, name] if Binder::fold(schema) == "pg_catalog" => Binder::fold(name),
            _ => {
                return Err(Error::new(
                    ErrorKind::UnknownFunction,
                    format!("function {} does not exist", function.name),
                )
                .at(position));
            }
        };
        unsupported_clauses(function).map_err(|error| error.at(position))?;
        if let Some(over) = &function.over {
            return self.bind_window_call(function, &name, over, position, scope);
        }
        match self.builder.callee(&name).map_err(|error| error.at(position))? {
            Callee::Aggregate(aggregate) => return self.bind_aggregate(aggregate, &name, function, position, scope),
            Callee::Window(function) => return Err(self.builder.needs_window(function).at(position)),
            Callee::Function => {}
        }
        let (arguments, distinct) = match &function.args {
            FunctionArguments::None => (&[] as &[FunctionArg], false),
            FunctionArguments::Subquery(_) => {
                return Err(Error::unsupported("a query as the argument of a function is").at(position));
            }
            FunctionArguments::List(list) => (list.args.as_slice(), list.duplicate_treatment.is_some()),
        };
        let plain = self.builder.check_plain_call(&name, distinct, function.filter.is_some());
        plain.map_err(|error| error.at(position))?;
        let mut bound = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let Some(argument) = plain_argument(argument) else {
                return Err(Error::unsupported(format_args!("the argument {argument} of {name} is")).at(position));
            };
            bound.push(self.bind_expression(argument, scope)?);
        }
        self.builder.call_by_name(&name, bound, position)
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
        let before = scope.enter(Clause::AggregateArgument);
        let bound = self.bind_parts(name, list, call.filter.as_deref(), scope);
        scope.enter(before);
        let (arguments, filter) = bound.map_err(|error| error.at(position))?;
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let call = AggregateArguments { arguments, distinct, filter };
        self.builder.aggregate(function, name, call, position, scope)
    }

    /// The arguments, none for `*`, and the filter.
    pub(in crate::sql) fn bind_parts(
        &mut self,
        name: &str,
        list: &ast::FunctionArgumentList,
        filter: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<(Option<Vec<Expression>>, Option<Expression>)> {
        let arguments = match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] => None,
            arguments => {
                let mut bound = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let Some(argument) = plain_argument(argument) else {
                        return Err(Error::unsupported(format_args!("the argument {argument} of {name} is")));
                    };
                    bound.push(self.bind_expression(argument, scope)?);
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
        Ok((arguments, filter))
    }
}

/// Clauses around a call that are not supported for any function.
fn unsupported_clauses(function: &ast::Function) -> Result<()> {
    if !function.within_group.is_empty() {
        return Err(Error::unsupported("WITHIN GROUP is"));
    }
    if function.null_treatment.is_some() {
        return Err(Error::unsupported("IGNORE NULLS or RESPECT NULLS is"));
    }
    if !matches!(function.parameters, FunctionArguments::None) || function.uses_odbc_syntax {
        return Err(Error::unsupported(format_args!("the call {function} is")));
    }
    if let FunctionArguments::List(list) = &function.args
        && let Some(clause) = list.clauses.first()
    {
        let what = match clause {
            ast::FunctionArgumentClause::OrderBy(_) => "ORDER BY in an aggregate is".to_owned(),
            other => format!("{other} in a function's arguments is"),
        };
        return Err(Error::unsupported(what));
    }
    Ok(())
}
