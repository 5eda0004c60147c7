//! Calls of functions that users wrote in SQL: their arguments, which may have names.

use super::call::is_schema_of_functions;
use crate::catalog::{FoundRoutine, Returned, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::{CallClauses, Clause, RoutineCall, Scope};
use crate::sql::Statement;
use crate::sql::binder::Binder;
use crate::sql::constraint::has_query;
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, FunctionArguments, Spanned};

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
        let call = self.routine_called((schema, name), (known, false), arguments, position, scope)?;
        if call.found.routine.gives_rows {
            let set = self.builder.routine_set(call, position)?;
            return self.builder.set_in_list(set, scope, position).map(Some);
        }
        self.builder.routine_value(call, position).map(Some)
    }

    /// The function that a call means, or the procedure that CALL does, with its arguments.
    ///
    /// # Errors
    /// 42883 if none takes them, 42725 if several do.
    pub(in crate::sql) fn routine_called(
        &mut self,
        (schema, name): (Option<&str>, &str),
        (known, calls): (Vec<FoundRoutine>, bool),
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
        let call = self.builder.routine_call(&called, known, &given, (false, calls));
        let call = call.map_err(|error| error.at(position))?;
        call.ok_or_else(|| no_routine(&called, &given, calls).at(position))
    }

    /// CALL: the query whose one row is what comes out of the procedure, and whether something does.
    pub(in crate::sql) fn call(mut self, function: &ast::Function) -> Result<Statement> {
        let (schema, ident) = self.split_name(&function.name)?;
        let (name, position) = (Self::fold(ident), self.position(function.name.span()));
        let arguments: &[FunctionArg] = match &function.args {
            FunctionArguments::List(list) => &list.args,
            _ => return Err(Error::new(ErrorKind::Syntax, "syntax error in CALL").at(position)),
        };
        for argument in arguments {
            if let FunctionArgExpr::Expr(value) = named(argument).1
                && has_query(&value.to_string())
            {
                let error = Error::new(ErrorKind::Unsupported, "cannot use subquery in CALL argument");
                return Err(error.at(self.position(value.span()).or(position)));
            }
        }
        let known = self.builder.routines(&TableName { schema: schema.clone(), name: name.clone() });
        let scope = Scope::empty(None, Clause::Call);
        let call = self.routine_called((schema.as_deref(), &name), (known, true), arguments, position, &scope)?;
        let gives_row = call.found.routine.returned != Returned::Void;
        let rows = self.builder.run_rows(call, position)?;
        let query = self.into_query(rows);
        Ok(Statement::Call { query: Box::new(query), gives_row })
    }

    /// A call of a function of SQL's name by just the types of a function that a user wrote.
    pub(super) fn routine_of_just(&mut self, name: &str, arguments: &[Expression]) -> Result<Option<RoutineCall>> {
        let called = TableName::from(name);
        let known = self.builder.routines(&called);
        if known.is_empty() {
            return Ok(None);
        }
        let given: Vec<(Option<String>, Expression)> = arguments.iter().map(|value| (None, value.clone())).collect();
        self.builder.routine_call(&called, known, &given, (true, false))
    }
}

/// The error (42883) for arguments that no function of a name takes.
fn no_routine(name: &TableName, given: &[(Option<String>, Expression)], calls: bool) -> Error {
    let shown = |(name, value): &(Option<String>, Expression)| {
        let of = match value.data_type {
            crate::types::DataType::Null => "unknown".to_owned(),
            crate::types::DataType::Decimal { .. } => "numeric".to_owned(),
            other => other.to_string(),
        };
        name.as_ref().map_or_else(|| of.clone(), |name| format!("{name} => {of}"))
    };
    let types: Vec<String> = given.iter().map(shown).collect();
    let kind = if calls { "procedure" } else { "function" };
    let message = format!("{kind} {}({}) does not exist", name.plain(), types.join(", "));
    let hint =
        format!("No {kind} matches the given name and argument types. You might need to add explicit type casts.");
    Error::new(ErrorKind::UnknownFunction, message).with_hint(hint)
}
