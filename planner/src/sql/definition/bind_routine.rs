//! CREATE FUNCTION, bound: the types of its arguments and of what it gives, and its body, which is built once to see that it is right.

use super::routine::{NewArgument, NewBody, NewRoutine};
use crate::catalog::{
    ArgumentMode, Catalog, FoundRoutine, Returned, Routine, RoutineArgument, RoutineBody, TableName, View,
};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Builder, Clause, Coercion, Need, Scope};
use crate::relation::{Expression, ExpressionKind};
use crate::sql::binder::{Binder, view_rows};
use crate::sql::kept::Kept;
use crate::sql::parse::{parse, parse_expression};
use crate::sql::session::Piece;
use crate::sql::{Parsed, Statement, Tree, step};
use crate::types::{DataType, Field};
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// Languages that PostgreSQL has and Multiloop has not.
const LANGUAGES: [&str; 9] =
    ["plpgsql", "c", "internal", "plperl", "plperlu", "plpython3u", "plpythonu", "pltcl", "plv8"];

/// Types of arguments that stand for any.
const POLYMORPHIC: [&str; 11] = [
    "anyelement",
    "anyarray",
    "anynonarray",
    "anyenum",
    "anyrange",
    "anymultirange",
    "anycompatible",
    "anycompatiblearray",
    "anycompatiblenonarray",
    "anycompatiblerange",
    "any",
];

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidFunctionDefinition, message)
}

/// A type of an argument or a result: lengths count for nothing there.
pub(in crate::sql) fn of_any_length(of: DataType) -> DataType {
    match of {
        DataType::Decimal { .. } => DataType::Numeric,
        DataType::Varchar(_) => DataType::VARCHAR,
        DataType::Char(_) => DataType::BPCHAR,
        list if list.element().is_some() && !list.is_vector() => {
            list.element().map_or(list, |element| DataType::list(of_any_length(element)))
        }
        other => other.of_any_length(),
    }
}

/// The types of a function's arguments, as DROP and its kin name them.
///
/// # Errors
/// 42704 for a type that there is not.
pub fn routine_types(catalog: &dyn Catalog, types: &[ast::DataType]) -> Result<Vec<DataType>> {
    let mut builder = Builder::new(catalog, view_rows, &[], false);
    let binder = Binder::without_text(&mut builder);
    types.iter().map(|of| binder.data_type(of, None).map(of_any_length)).collect()
}

impl Binder<'_, '_> {
    /// CREATE FUNCTION.
    pub(in crate::sql) fn create_routine(mut self, new: &NewRoutine) -> Result<Statement> {
        let start = Some(Position(0));
        let is_standard = matches!(new.body, Some(NewBody::Return(_) | NewBody::Atomic(_)));
        match new.language.as_deref() {
            Some("sql") => {}
            None if is_standard => {}
            None => return Err(wrong("no language specified")),
            Some(known) if LANGUAGES.contains(&known) => {
                let kind = if new.is_procedure { "PROCEDURE" } else { "FUNCTION" };
                return Err(Error::unsupported(format!("CREATE {kind} … LANGUAGE {known} is")).at(start));
            }
            Some(other) => {
                let message = format!("language \"{other}\" does not exist");
                return Err(Error::new(ErrorKind::UnknownObject, message));
            }
        }
        self.builder.keep_notes();
        let arguments = self.arguments_of_routine(new)?;
        let (returned, gives_rows) = self.returned_of_routine(new, &arguments)?;
        let rows = match (&new.rows, gives_rows) {
            (Some(_), false) => {
                let message = "ROWS is not applicable when function does not return a set";
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
            (Some(rows), true) => rows.parse().unwrap_or(1000.0),
            (None, true) => 1000.0,
            (None, false) => 0.0,
        };
        let mut routine = Routine {
            name: new.name.name.clone(),
            arguments,
            returned,
            gives_rows,
            volatility: new.volatility,
            strict: new.strict,
            definer: new.definer,
            leakproof: new.leakproof,
            parallel: new.parallel,
            cost: new.cost.as_ref().and_then(|cost| cost.parse().ok()).unwrap_or(100.0),
            rows,
            body: RoutineBody::Text("".into()),
            names: Vec::new(),
            is_procedure: new.is_procedure,
            is_run: false,
        };
        let needs = self.body_of(new, &mut routine)?;
        Ok(Statement::CreateRoutine {
            name: new.name.clone(),
            routine: Box::new(routine),
            needs,
            or_replace: new.or_replace,
        })
    }

    fn arguments_of_routine(&mut self, new: &NewRoutine) -> Result<Vec<RoutineArgument>> {
        let mut arguments: Vec<RoutineArgument> = Vec::new();
        for NewArgument { name, mode, data_type, default, position } in &new.arguments {
            let position = *position;
            let of = self.type_of_routine(data_type, position)?;
            let clashes = |known: &RoutineArgument| {
                let both = known.mode.is_input() && mode.is_input() || known.mode.is_output() && mode.is_output();
                known.name == *name && (both || *mode == ArgumentMode::Table || known.mode == *mode)
            };
            if !name.is_empty() && arguments.iter().any(clashes) {
                return Err(wrong(format!("parameter name \"{name}\" used more than once")));
            }
            if arguments.iter().any(|known| known.mode == ArgumentMode::Variadic) && mode.is_input() {
                return Err(wrong("VARIADIC parameter must be the last input parameter"));
            }
            if *mode == ArgumentMode::Variadic && of.element().is_none() {
                return Err(wrong("VARIADIC parameter must be an array"));
            }
            let default = match default {
                Some(_) if !mode.is_input() => {
                    return Err(wrong("only input parameters can have default values"));
                }
                Some(value) => Some(self.default_of_routine(value, of)?),
                None => None,
            };
            if new.is_procedure && *mode == ArgumentMode::Out && arguments.iter().any(|known| known.default.is_some()) {
                return Err(wrong("procedure OUT parameters cannot appear after one with a default value"));
            }
            if default.is_none() && mode.is_input() && arguments.iter().any(|known| known.default.is_some()) {
                let message = "input parameters after one with a default value must also have defaults";
                return Err(wrong(message));
            }
            arguments.push(RoutineArgument { name: name.clone(), mode: *mode, data_type: of, default });
        }
        Ok(arguments)
    }

    /// The text of a default.
    fn default_of_routine(&mut self, value: &ast::Expr, of: DataType) -> Result<Arc<str>> {
        let position = self.position(value.span());
        let bound = self.alone(value, &Scope::empty(None, Clause::Default), "default of an argument")?;
        let from = bound.data_type;
        self.builder.coerce(bound, of, Coercion::Assignment).map_err(|error| match error.kind() {
            ErrorKind::TypeMismatch => {
                let message = format!("argument of DEFAULT must be type {of}, not type {from}");
                Error::new(ErrorKind::TypeMismatch, message).at(position)
            }
            _ => error.at(position),
        })?;
        let text = self.kept_text(&[], value, Some(of));
        parse_expression(&text)?;
        Ok(text.into())
    }

    fn type_of_routine(&self, data_type: &ast::DataType, position: Option<Position>) -> Result<DataType> {
        if let ast::DataType::Custom(name, _) = data_type {
            let shown = name.to_string().to_ascii_lowercase();
            if POLYMORPHIC.contains(&shown.as_str()) {
                return Err(Error::unsupported(format!("an argument or result of type {shown} is")).at(position));
            }
        }
        match self.data_type(data_type, position) {
            Ok(of) => Ok(of_any_length(of)),
            Err(error) if error.kind() == ErrorKind::UnknownObject && self.is_relation(data_type) => {
                Err(Error::unsupported("an argument that is a row of a table is").at(position))
            }
            Err(error) => Err(error),
        }
    }

    /// The relation whose rows a type is.
    fn relation_of_type(&self, data_type: &ast::DataType) -> Option<TableName> {
        let ast::DataType::Custom(name, modifiers) = data_type else { return None };
        let name = self.object_name(name).ok().filter(|_| modifiers.is_empty())?;
        self.builder.catalog.entry(&name).ok().flatten().map(|_| name)
    }

    fn is_relation(&self, data_type: &ast::DataType) -> bool {
        self.relation_of_type(data_type).is_some()
    }

    /// What a function returns, and whether that is any number of rows.
    fn returned_of_routine(&mut self, new: &NewRoutine, arguments: &[RoutineArgument]) -> Result<(Returned, bool)> {
        let outputs: Vec<&RoutineArgument> = arguments.iter().filter(|argument| argument.mode.is_output()).collect();
        if new.is_procedure {
            return Ok((if outputs.is_empty() { Returned::Void } else { Returned::Columns }, false));
        }
        let by_outputs = match outputs.as_slice() {
            [] => None,
            [one] => Some(Returned::Value(one.data_type)),
            _ => Some(Returned::Columns),
        };
        if new.is_table {
            let is_other = |one: &&RoutineArgument| one.mode != ArgumentMode::Table;
            if outputs.iter().any(is_other) {
                return Err(wrong("OUT and INOUT arguments aren't allowed in TABLE functions"));
            }
            return Ok((by_outputs.ok_or_else(|| wrong("RETURNS TABLE needs a column"))?, true));
        }
        let Some((is_set, data_type, position)) = &new.returned else {
            return by_outputs.map(|of| (of, false)).ok_or_else(|| wrong("function result type must be specified"));
        };
        let position = *position;
        let word = match data_type {
            ast::DataType::Custom(name, _) => name.to_string().to_ascii_lowercase(),
            ast::DataType::Trigger => "trigger".to_owned(),
            _ => String::new(),
        };
        let returned = match word.as_str() {
            "void" => Returned::Void,
            "record" | "pg_catalog.record" => match &by_outputs {
                Some(Returned::Columns) => Returned::Columns,
                _ => {
                    let what = "a function that returns record, whose columns each call defines, is";
                    return Err(Error::unsupported(what).at(position));
                }
            },
            "trigger" | "event_trigger" => return Err(Error::unsupported("a function of a trigger is").at(position)),
            _ => match self.relation_of_type(data_type) {
                Some(relation) if self.data_type(data_type, position).is_err() => {
                    let schema = relation.schema.clone().or_else(|| self.builder.catalog.schema_of(&relation));
                    Returned::Relation(TableName { schema, ..relation })
                }
                _ => Returned::Value(self.type_of_routine(data_type, position)?),
            },
        };
        match by_outputs {
            Some(by_outputs) if by_outputs != returned => {
                let expected = match by_outputs {
                    Returned::Value(of) => of.to_string(),
                    _ => "record".to_owned(),
                };
                let message = format!("function result type must be {expected} because of OUT parameters");
                Err(wrong(message))
            }
            _ => Ok((returned, *is_set)),
        }
    }

    /// Puts the body into a function, and gives what it needs.
    fn body_of(&mut self, new: &NewRoutine, routine: &mut Routine) -> Result<Vec<Need>> {
        let unplaced = |error: Error| Error::new(error.kind(), error.message().to_owned());
        let (parsed, shown) = match &new.body {
            None => return Err(wrong("no function body specified")),
            Some(NewBody::Text(text)) => {
                let parsed = parse(text).map_err(unplaced)?;
                routine.body = RoutineBody::Text(text.as_str().into());
                (parsed, None)
            }
            Some(NewBody::Return(Piece { text, start })) => {
                let expression = parse_expression(text).map_err(|error| error.shifted(*start as usize))?;
                let sql = format!("SELECT {text}");
                let inputs = routine.inputs();
                let fields: Vec<Field> =
                    inputs.map(|input| Field::new(input.name.clone(), input.data_type, true)).collect();
                let shown = Kept { fields: &fields, read: &|_| None, variables: Vec::new() }.text(&expression, None);
                (parse(&sql).map_err(unplaced)?, Some((format!("RETURN {shown}"), sql)))
            }
            Some(NewBody::Atomic(Piece { text, start: _ })) => {
                let sql = text.trim().trim_end_matches(';').trim_end().to_owned();
                let parsed = parse(&sql).map_err(unplaced)?;
                if let Some(other) = parsed.iter().find(|parsed| !parsed.tree.is_of_rows()) {
                    let message = format!("{} is not yet supported in unquoted SQL function body", step::verb(other));
                    return Err(Error::new(ErrorKind::Unsupported, message));
                }
                let lines: String = parsed.iter().map(|parsed| format!(" {};\n", parsed.text)).collect();
                (parsed, Some((format!("BEGIN ATOMIC\n{lines}END"), sql)))
            }
        };
        let is_standard = shown.is_some();
        if let Some((shown, sql)) = shown {
            routine.body = RoutineBody::Standard(shown.into(), Arc::new(View::of_text(sql)));
        }
        if let Some(other) = parsed.iter().find(|parsed| {
            matches!(parsed.tree, Tree::Session(_) | Tree::Copy(..) | Tree::Summarize(_))
                && !step::is_of_transactions(parsed)
        }) {
            return Err(step::refused(other));
        }
        if parsed.is_empty() && step::has_result(routine) {
            return Err(step::no_result(routine));
        }
        routine.is_run = routine.is_procedure || parsed.len() > 1 || !parsed.iter().all(step::reads_only);
        // What the arguments name is needed, whatever the body is.
        let needs = self.builder.take_notes().needs;
        self.builder.notes_body = is_standard;
        match routine.is_run {
            true => self.check_steps(routine, new, &parsed)?,
            false => self.check_body(routine, new)?,
        }
        self.builder.notes_body = false;
        let noted = self.builder.take_notes();
        if !is_standard {
            return Ok(needs);
        }
        if let RoutineBody::Standard(_, view) = &mut routine.body {
            *view = Arc::new(View { literals: Arc::new(noted.literals), ..View::clone(view) });
        }
        let others = noted.needs.into_iter().filter(|need| !needs.contains(need)).collect::<Vec<_>>();
        Ok(needs.into_iter().chain(others).collect())
    }

    /// The function as its own body finds it, and arguments of which nothing but the types is known.
    fn as_called(&mut self, routine: &Routine, new: &NewRoutine) -> (FoundRoutine, Vec<Expression>) {
        let types = routine.input_types();
        self.builder.parameters = types.iter().map(|of| Some(*of)).collect();
        let passed = (0..).zip(&types).map(|(at, of)| Expression::new(ExpressionKind::Parameter(at), *of)).collect();
        let key = TableName { schema: new.name.schema.clone(), name: routine.key() };
        let found = FoundRoutine { key, routine: Arc::new(routine.clone()) };
        self.builder.making = Some(found.clone());
        (found, passed)
    }

    /// Builds a body over such arguments.
    fn check_body(&mut self, routine: &mut Routine, new: &NewRoutine) -> Result<()> {
        let (found, passed) = self.as_called(routine, new);
        let built = self.builder.body_of_routine(&found, passed, None);
        self.builder.making = None;
        self.builder.parameters.clear();
        // One that calls itself is run.
        routine.is_run = self.builder.runs_itself(&found);
        built.map(|_| ())
    }

    /// Builds each statement of a body over such arguments. What defines something is bound when it is run.
    fn check_steps(&mut self, routine: &Routine, new: &NewRoutine, parsed: &[Parsed]) -> Result<()> {
        let (found, passed) = self.as_called(routine, new);
        for (at, one) in parsed.iter().enumerate() {
            let is_result = at + 1 == parsed.len() && step::has_result(routine);
            if !step::is_bound(one) {
                if is_result {
                    return Err(step::no_result(routine));
                }
                continue;
            }
            let mut builder = self.builder.apart();
            builder.enter_body(&found, passed.clone());
            step::bind_in(&mut builder, one, is_result.then_some(&found.routine)).map_err(Error::without_position)?;
            self.builder.note_all(builder.take_notes());
        }
        self.builder.making = None;
        self.builder.parameters.clear();
        Ok(())
    }
}
