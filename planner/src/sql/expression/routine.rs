//! Calls of functions that users wrote in SQL: their arguments, which may have names.

use super::call::is_schema_of_functions;
use crate::catalog::{FoundRoutine, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::{CallClauses, RoutineCall, Scope};
use crate::sql::binder::Binder;
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, FunctionArguments};

/// The name and the value of an argument.
type Named<'a> = (Option<&'a ast::Ident>, &'a FunctionArgExpr);

fn named(argument: &FunctionArg) -> Named<'_> {
    match argument {
        FunctionArg::Named { name, arg, .. } => (Some(name), arg),
        FunctionArg::ExprNamed { name: ast::Expr::Identifier(name), arg, .. } => (Some(name), arg),
        FunctionArg::ExprNamed { arg, .. } => (None, arg),
        FunctionArg::Unnamed(arg) => (None, arg),
    }
}

impl Binder<'_, '_> {
    /// The functions that users wrote that a name means, where it means no function of SQL's.
    pub(in crate::sql) fn routines_of(&self, schema: Option<&str>, name: &str) -> Vec<FoundRoutine> {
        if schema.is_some_and(|schema| is_schema_of_functions(schema, name)) {
            return Vec::new();
        }
        let known = self.builder.routines(&TableName { schema: schema.map(str::to_owned), name: name.to_owned() });
        // Most names are none's; others are looked for among SQL's, and those that the program registered.
        let comes_behind = || self.builder.is_built_in(name) || !self.builder.catalog.user_functions(name).is_empty();
        if schema.is_none() && !known.is_empty() && comes_behind() { Vec::new() } else { known }
    }

    /// A call of a function that a user wrote; none if the name is no such function's.
    pub(super) fn bind_routine_call(
        &mut self,
        function: &ast::Function,
        (schema, name): (Option<&str>, &str),
        clauses: CallClauses,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        let known = self.routines_of(schema, name);
        if known.is_empty() {
            return Ok(None);
        }
        self.builder.check_plain(name, clauses).map_err(|error| error.at(position))?;
        let arguments: &[FunctionArg] = match &function.args {
            FunctionArguments::None => &[],
            FunctionArguments::List(list) => &list.args,
            FunctionArguments::Subquery(_) => {
                return Err(Error::unsupported("a query as the argument of a function is").at(position));
            }
        };
        let call = self.routine_called((schema, name), known, arguments, position, scope)?;
        if call.found.routine.gives_rows {
            let set = self.builder.routine_set(call, position)?;
            return self.builder.set_in_list(set, scope, position).map(Some);
        }
        self.builder.routine_value(call, position).map(Some)
    }

    /// The function that a call means, with its arguments.
    ///
    /// # Errors
    /// 42883 if none takes them, 42725 if several do.
    pub(in crate::sql) fn routine_called(
        &mut self,
        (schema, name): (Option<&str>, &str),
        known: Vec<FoundRoutine>,
        arguments: &[FunctionArg],
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<RoutineCall> {
        let mut given: Vec<(Option<String>, Expression)> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let (called, value) = named(argument);
            let called = called.map(Self::fold);
            let at = |error: Error| error.at(position);
            if called.is_none() && given.iter().any(|(name, _)| name.is_some()) {
                let message = "positional argument cannot follow named argument";
                return Err(at(Error::new(ErrorKind::Syntax, message)));
            }
            if let Some(twice) =
                called.as_ref().filter(|called| given.iter().any(|(name, _)| name.as_ref() == Some(*called)))
            {
                let message = format!("argument name \"{twice}\" used more than once");
                return Err(at(Error::new(ErrorKind::Syntax, message)));
            }
            let FunctionArgExpr::Expr(value) = value else {
                return Err(at(Error::unsupported(format_args!("the argument {argument} of {name} is"))));
            };
            given.push((called, self.bind_expression(value, scope)?));
        }
        let called = TableName { schema: schema.map(str::to_owned), name: name.to_owned() };
        let call = self.builder.routine_call(&called, known, &given, false).map_err(|error| error.at(position))?;
        call.ok_or_else(|| no_routine(&called, &given).at(position))
    }

    /// A call of a function of SQL's name by just the types of a function that a user wrote.
    pub(super) fn routine_of_just(&mut self, name: &str, arguments: &[Expression]) -> Result<Option<RoutineCall>> {
        let called = TableName::from(name);
        let known = self.builder.routines(&called);
        if known.is_empty() {
            return Ok(None);
        }
        let given: Vec<(Option<String>, Expression)> = arguments.iter().map(|value| (None, value.clone())).collect();
        self.builder.routine_call(&called, known, &given, true)
    }
}

/// The error (42883) for arguments that no function of a name takes.
fn no_routine(name: &TableName, given: &[(Option<String>, Expression)]) -> Error {
    let shown = |(name, value): &(Option<String>, Expression)| {
        let of = match value.data_type {
            crate::types::DataType::Null => "unknown".to_owned(),
            crate::types::DataType::Decimal { .. } => "numeric".to_owned(),
            other => other.to_string(),
        };
        name.as_ref().map_or_else(|| of.clone(), |name| format!("{name} => {of}"))
    };
    let types: Vec<String> = given.iter().map(shown).collect();
    let message = format!("function {}({}) does not exist", name.plain(), types.join(", "));
    let hint = "No function matches the given name and argument types. You might need to add explicit type casts.";
    Error::new(ErrorKind::UnknownFunction, message).with_hint(hint)
}
