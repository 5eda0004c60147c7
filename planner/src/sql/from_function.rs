//! Functions in FROM: of rows and of one value, several in lock step (ROWS FROM, `unnest` of several arrays), WITH
//! ORDINALITY. What they are called with may read what stands before them in FROM, LATERAL or not.

use super::ahead::ROWS_FROM;
use super::binder::Binder;
use super::expression::{is_schema_of_functions, restriction};
use super::from::Before;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{CallClauses, Clause, FromItem, RoutineCall, Scope, SetCall};
use sqlparser::ast::{self, Spanned as _};

/// A function in FROM, however it is written.
pub(super) struct FunctionFactor<'f> {
    name: Called<'f>,
    ordinality: bool,
    alias: Option<&'f ast::TableAlias>,
}

enum Called<'f> {
    /// A function by its name.
    Named(&'f ast::ObjectName, &'f [ast::FunctionArg]),
    /// UNNEST, which has a syntax of its own.
    Unnest(&'f [ast::Expr]),
}

impl<'f> FunctionFactor<'f> {
    /// The function that an item of FROM is, if it is one.
    pub(super) fn of(factor: &'f ast::TableFactor) -> Option<Self> {
        match factor {
            ast::TableFactor::Table { name, alias, args: Some(args), with_ordinality, .. } => {
                let name = Called::Named(name, &args.args);
                Some(FunctionFactor { name, ordinality: *with_ordinality, alias: alias.as_ref() })
            }
            ast::TableFactor::Function { lateral: _, name, args, with_ordinality, alias } => {
                let name = Called::Named(name, args);
                Some(FunctionFactor { name, ordinality: *with_ordinality, alias: alias.as_ref() })
            }
            ast::TableFactor::UNNEST {
                alias,
                array_exprs,
                with_offset: false,
                with_offset_alias: _,
                with_ordinality,
            } => {
                let name = Called::Unnest(array_exprs);
                Some(FunctionFactor { name, ordinality: *with_ordinality, alias: alias.as_ref() })
            }
            _ => None,
        }
    }
}

impl Binder<'_, '_> {
    pub(super) fn bind_function_factor(
        &mut self,
        call: &FunctionFactor<'_>,
        parent: Option<&Scope<'_>>,
        before: Option<&Before<'_>>,
    ) -> Result<FromItem> {
        if let Some(alias) = call.alias.filter(|alias| alias.columns.iter().any(|column| column.data_type.is_some())) {
            return self.bind_defined(call, alias, parent, before);
        }
        let names = call.alias.map(|alias| self.alias_columns(alias)).transpose()?.unwrap_or_default();
        let alias = call.alias.map(|alias| Self::fold(&alias.name));
        let aliased = |item: FromItem, binder: &Self| match (&alias, call.alias) {
            (Some(name), Some(alias)) => {
                item.aliased(name, &names).map_err(|error| error.at(binder.position(alias.name.span)))
            }
            _ => Ok(item),
        };
        if let Called::Named(name, args) = call.name
            && let Some(file) = self.bind_file_function(name, args)?
        {
            if call.ordinality {
                let error = Error::unsupported("WITH ORDINALITY of a file is");
                return Err(error.at(self.position(name.span())));
            }
            return aliased(file, self);
        }
        if let Called::Named(name, args) = call.name
            && let Some(rows) = self.bind_iteration(name, args, parent)?
        {
            if call.ordinality {
                let error = Error::unsupported("WITH ORDINALITY of an iteration is");
                return Err(error.at(self.position(name.span())));
            }
            return aliased(rows, self);
        }
        let siblings = before.map(|before| before.scope(parent));
        let scope = Scope::empty(siblings.as_ref().or(parent), Clause::FromFunction);
        if let Called::Named(name, args) = call.name
            && !call.ordinality
            && let Some(rows) = self.bind_routine_rows((name, args), alias.as_deref(), &scope)?
        {
            return aliased(rows, self);
        }
        if let Called::Named(name, args) = call.name
            && let Some(table) = self.bind_table_function(name, args, &scope)?
        {
            if call.ordinality {
                let error = Error::unsupported("WITH ORDINALITY of a table function is");
                return Err(error.at(self.position(name.span())));
            }
            return aliased(table, self);
        }
        let calls = match call.name {
            Called::Unnest(arrays) => self.bind_unnest(arrays.iter(), &scope)?,
            Called::Named(name, args) => self.bind_calls(name, args, &scope)?,
        };
        let item = self.builder.from_functions(calls, call.ordinality, alias.as_deref())?;
        aliased(item, self)
    }

    /// The rows of a function that a user wrote, if the name is one's.
    fn bind_routine_rows(
        &mut self,
        (name, args): (&ast::ObjectName, &[ast::FunctionArg]),
        alias: Option<&str>,
        scope: &Scope<'_>,
    ) -> Result<Option<FromItem>> {
        let Some(call) = self.bind_routine(name, args, scope)? else { return Ok(None) };
        self.builder.routine_rows(call, alias, self.position(name.span())).map(Some)
    }

    /// A call of a function that a user wrote, if the name is one's.
    fn bind_routine(
        &mut self,
        name: &ast::ObjectName,
        args: &[ast::FunctionArg],
        scope: &Scope<'_>,
    ) -> Result<Option<RoutineCall>> {
        let (schema, ident) = self.split_name(name)?;
        let function = Self::fold(ident);
        let known = self.routines_of(schema.as_deref(), &function);
        if known.is_empty() {
            return Ok(None);
        }
        let position = self.position(name.span());
        self.routine_called((schema.as_deref(), &function), (known, false), args, position, scope).map(Some)
    }

    /// The rows of a table function that the program registered, if the name is one's.
    fn bind_table_function(
        &mut self,
        name: &ast::ObjectName,
        args: &[ast::FunctionArg],
        scope: &Scope<'_>,
    ) -> Result<Option<FromItem>> {
        let (schema, ident) = self.split_name(name)?;
        let function = Self::fold(ident);
        if schema.is_some() || !self.builder.is_table_function(&function) {
            return Ok(None);
        }
        let position = self.position(name.span());
        let arguments = self.bind_arguments(&function, args, position, scope)?;
        self.builder.table_function(&function, arguments, position).map(Some)
    }

    /// A function whose columns are defined where it is called: `json_to_recordset('…') AS t(a int, b text)`.
    fn bind_defined(
        &mut self,
        call: &FunctionFactor<'_>,
        alias: &ast::TableAlias,
        parent: Option<&Scope<'_>>,
        before: Option<&Before<'_>>,
    ) -> Result<FromItem> {
        let position = self.position(alias.name.span);
        let refused = || {
            let message = "a column definition list is only allowed for functions returning \"record\"";
            Err(Error::new(ErrorKind::Syntax, message).at(position))
        };
        let Called::Named(name, args) = call.name else { return refused() };
        if call.ordinality {
            let message = "WITH ORDINALITY cannot be used with a column definition list";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        let (_, ident) = self.split_name(name)?;
        let function = Self::fold(ident);
        let (is_binary, is_set) = match function.as_str() {
            "json_to_record" => (false, false),
            "json_to_recordset" => (false, true),
            "jsonb_to_record" => (true, false),
            "jsonb_to_recordset" => (true, true),
            _ => return refused(),
        };
        let mut columns = Vec::with_capacity(alias.columns.len());
        for column in &alias.columns {
            let (name, position) = (Self::fold(&column.name), self.position(column.name.span));
            let Some(data_type) = &column.data_type else {
                let message = format!("the column \"{name}\" of a column definition list has no type");
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            };
            let of = self.data_type(data_type, position)?;
            columns.push((name, of, restriction(data_type), position));
        }
        let siblings = before.map(|before| before.scope(parent));
        let scope = Scope::empty(siblings.as_ref().or(parent), Clause::FromFunction);
        let at = self.position(name.span());
        let arguments = self.bind_arguments(&function, args, at, &scope)?;
        let item = self.builder.rows_of_json(arguments, (is_binary, is_set), columns, at)?;
        item.aliased(&Self::fold(&alias.name), &[]).map_err(|error| error.at(position))
    }

    /// `unnest(a, b, …)`: each array is a column.
    fn bind_unnest<'e>(
        &mut self,
        arrays: impl Iterator<Item = &'e ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Vec<SetCall>> {
        arrays
            .map(|array| {
                let array = self.bind_expression(array, scope)?;
                self.builder.unnest(array)
            })
            .collect()
    }

    /// The calls that a function in FROM is: several for ROWS FROM.
    fn bind_calls(
        &mut self,
        name: &ast::ObjectName,
        args: &[ast::FunctionArg],
        scope: &Scope<'_>,
    ) -> Result<Vec<SetCall>> {
        let position = self.position(name.span());
        let (_, ident) = self.split_name(name)?;
        if ident.value != ROWS_FROM || ident.quote_style.is_none() {
            return self.bind_call(name, args, scope);
        }
        let mut calls = Vec::new();
        for arg in args {
            let ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::Function(ast::Function {
                name,
                args: ast::FunctionArguments::List(list),
                ..
            }))) = arg
            else {
                return Err(Error::new(ErrorKind::Syntax, format!("syntax error at or near \"{arg}\"")).at(position));
            };
            calls.extend(self.bind_call(name, &list.args, scope)?);
        }
        Ok(calls)
    }

    fn bind_call(
        &mut self,
        name: &ast::ObjectName,
        args: &[ast::FunctionArg],
        scope: &Scope<'_>,
    ) -> Result<Vec<SetCall>> {
        let position = self.position(name.span());
        if let Some(call) = self.bind_routine(name, args, scope)? {
            return Ok(vec![self.builder.routine_set(call, position)?]);
        }
        let (schema, ident) = self.split_name(name)?;
        let function = Self::fold(ident);
        if schema.is_some_and(|schema| !is_schema_of_functions(&schema, &function)) {
            let message = format!("function {name} does not exist");
            return Err(Error::new(ErrorKind::UnknownFunction, message).at(position));
        }
        let check = self.builder.check_call_in_from(&function, CallClauses::default());
        check.map_err(|error| error.at(position))?;
        let arguments = self.bind_arguments(&function, args, position, scope)?;
        self.builder.calls_of_rows(&function, arguments, position)
    }
}
