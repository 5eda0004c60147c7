//! Statements: which kind it is, and what all kinds share.

use super::binder::{Binder, view_rows};
use super::change::{changing, changing_with};
use super::query::Unknown;
use super::{Alter, Altering, Definition, Parsed, Statement, Tree, expression};
use crate::catalog::{Catalog, FileOptions, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Query;
use crate::relation::builder::{Builder, Rows, undetermined};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// See [`super::bind`].
pub(super) fn bind(
    parsed: &Parsed,
    catalog: &dyn Catalog,
    parameters: &[DataType],
    wide_numerics: bool,
) -> Result<Statement> {
    let bound = bind_again(parsed, catalog, parameters, wide_numerics);
    // An error at the whole statement is at its start.
    bound.map_err(|error| match error.position() {
        Some(start @ Position(0)) => error.moved(parsed.moves.original(start)),
        _ => error,
    })
}

/// Binds a statement, if need be once more.
fn bind_again(
    parsed: &Parsed,
    catalog: &dyn Catalog,
    parameters: &[DataType],
    wide_numerics: bool,
) -> Result<Statement> {
    match bind_once(parsed, catalog, parameters, (wide_numerics, false)) {
        // A name that no table has may be a select item's, and so may one before a point.
        Err(error) if matches!(error.kind(), ErrorKind::UnknownColumn | ErrorKind::UnknownTable) => {
            let says_more = |other: &Error| other.kind() == ErrorKind::Unsupported;
            let again = bind_once(parsed, catalog, parameters, (wide_numerics, true));
            again.map_err(|other| if says_more(&other) { other } else { error })
        }
        bound => bound,
    }
}

/// Binds a statement whose names mean select items, too, or not.
fn bind_once(
    parsed: &Parsed,
    catalog: &dyn Catalog,
    parameters: &[DataType],
    (wide_numerics, names_items): (bool, bool),
) -> Result<Statement> {
    let Parsed { tree, text, moves, number: _ } = parsed;
    let (ast, options) = match tree {
        Tree::Sql(ast) | Tree::Summarize(ast) => (ast, &FileOptions::default()),
        Tree::Copy(ast, options) => (ast, options),
        Tree::Session(statement) => return Ok(Statement::Session(statement.clone())),
        Tree::Definition(Definition::Alter(alter)) => {
            let (alter, text, moves) = (Alter::clone(alter), text.clone(), Arc::clone(moves));
            return Ok(Statement::Alter(Box::new(Altering { alter, text, moves })));
        }
        Tree::Definition(definition) => {
            return bind_definition(definition, text, catalog, (wide_numerics, names_items));
        }
    };
    let mut builder = Builder::new(catalog, view_rows, parameters, wide_numerics);
    let prepares = catalog.is_preparing();
    if prepares {
        builder.keep_notes();
    }
    builder.names_items = names_items;
    let bound = match (bind_kind(Binder::moved(&mut builder, text, moves), ast, options, text)?, tree) {
        (Statement::Query(query), Tree::Summarize(_)) => Statement::Summarize(query),
        (_, Tree::Summarize(_)) => {
            let error = Error::new(ErrorKind::Syntax, "syntax error: SUMMARIZE is of a query, a table or a file");
            return Err(error.at(Some(Position(0))));
        }
        (bound, _) => bound,
    };
    if prepares {
        catalog.keep_literals(builder.take_notes().literals);
        if let Some(at) = builder.undetermined {
            return Err(undetermined(at));
        }
    }
    bound.query().map_or(Ok(()), Builder::check_depth)?;
    Ok(bound)
}

fn bind_definition(
    definition: &Definition,
    text: &str,
    catalog: &dyn Catalog,
    (wide_numerics, names_items): (bool, bool),
) -> Result<Statement> {
    if let Definition::CreateRoutine(new) = definition {
        let mut builder = Builder::new(catalog, view_rows, &[], wide_numerics);
        builder.names_items = names_items;
        return Binder::new(&mut builder, text).create_routine(new);
    }
    let Definition::CreateMaterialized { name, columns, query, is_filled, if_not_exists } = definition else {
        return Ok(Statement::Define(definition.clone()));
    };
    let mut builder = Builder::new(catalog, view_rows, &[], wide_numerics);
    builder.names_items = names_items;
    let binder = Binder::new(&mut builder, &query.text);
    let bound = binder
        .create_materialized((name.clone(), columns), query, (*is_filled, *if_not_exists))
        .map_err(|error| error.shifted(query.start as usize))?;
    bound.query().map_or(Ok(()), Builder::check_depth)?;
    Ok(bound)
}

pub(super) fn bind_kind(
    binder: Binder<'_, '_>,
    ast: &ast::Statement,
    options: &FileOptions,
    text: &str,
) -> Result<Statement> {
    match ast {
        _ if let Some((with, main)) = changing_with(ast) => binder.change_with(with, main),
        _ if let Some(change) = changing(ast) => binder.change(change),
        ast::Statement::Query(query) if !query.locks.is_empty() => binder.locking_query(query),
        ast::Statement::Query(query) => Ok(Statement::Query(binder.whole_query(query)?)),
        ast::Statement::Call(function) => binder.call(function),
        ast::Statement::CreateTable(create) => binder.create_table(create),
        ast::Statement::CreateView(create) => binder.create_view(create),
        ast::Statement::CreateIndex(create) => binder.create_index(create).map(Statement::Define),
        ast::Statement::CreateType { name, representation } => {
            binder.create_type(name, representation.as_ref()).map(Statement::Define)
        }
        ast::Statement::Truncate(truncate) => binder.truncate(truncate).map(Statement::Define),
        ast::Statement::Drop { object_type, if_exists, names, cascade, restrict: _, purge, temporary, table } => {
            if *object_type == ast::ObjectType::Schema && !*purge && !*temporary && table.is_none() {
                let names = names.iter().map(|name| binder.schema_name(name)).collect::<Result<_>>()?;
                return Ok(Statement::DropSchema { names, if_exists: *if_exists, cascade: *cascade });
            }
            if *purge || *temporary || table.is_some() {
                return Err(Error::unsupported("DROP with PURGE, TEMPORARY or ON is").at(Some(Position(0))));
            }
            binder.drop_objects(*object_type, *if_exists, *cascade, names)
        }
        // Its options are read before, and no rows follow in a statement of its own.
        ast::Statement::Copy { source, to, target, options: _, legacy_options: _, values: _ } => {
            binder.copy((source, *to, target), options.clone())
        }
        ast::Statement::CreateSchema { .. } => binder.create_schema(ast),
        ast::Statement::ShowTables { .. } => show_tables(ast),
        ast::Statement::ExplainTable { describe_alias, hive_format, has_table_keyword: _, table_name } => {
            if hive_format.is_some() {
                return Err(Error::unsupported("DESCRIBE with EXTENDED or FORMATTED is").at(Some(Position(0))));
            }
            binder.describe(describe_alias, table_name)
        }
        ast::Statement::Explain {
            describe_alias,
            analyze,
            verbose: _, // There is nothing that it would add.
            query_plan,
            estimate,
            statement,
            format,
            options,
        } => {
            let explain = *describe_alias == ast::DescribeAlias::Explain;
            if let (false, ast::Statement::Query(query)) = (explain || *analyze, &**statement) {
                binder.whole_query(query).map(Statement::DescribeQuery)
            } else if !explain || *query_plan || *estimate || format.is_some() {
                let error = Error::unsupported("EXPLAIN with FORMAT outside of parentheses, QUERY PLAN or ESTIMATE is");
                Err(error.at(Some(Position(0))))
            } else {
                binder.explain(*analyze, options.as_deref().unwrap_or_default(), statement)
            }
        }
        _ => Err(super::refused::unsupported(text)),
    }
}

/// SHOW TABLES.
fn show_tables(statement: &ast::Statement) -> Result<Statement> {
    let ast::Statement::ShowTables { terse, history, extended, full, external, show_options } = statement else {
        return Err(Error::internal("a statement was bound as another kind"));
    };
    let ast::ShowStatementOptions { show_in, starts_with, limit, limit_from, filter_position } = show_options;
    let optional = show_in.is_some()
        || starts_with.is_some()
        || limit.is_some()
        || limit_from.is_some()
        || filter_position.is_some();
    if *terse || *history || *extended || *full || *external || optional {
        return Err(Error::unsupported("SHOW TABLES with options is").at(Some(Position(0))));
    }
    Ok(Statement::ShowTables)
}

impl Binder<'_, '_> {
    /// A query that stands alone, with all that is known of its columns and parameters.
    pub(super) fn whole_query(mut self, query: &ast::Query) -> Result<Query> {
        let mut rows = self.bind_query(query, None, Unknown::AsText)?;
        if let Some(routine) = self.result_of.take() {
            rows = self.builder.value_of_run(&routine, rows)?;
        }
        Ok(self.into_query(rows))
    }

    /// Ends binding.
    pub(super) fn into_query(self, rows: Rows) -> Query {
        self.builder.finish(rows)
    }

    /// The name of an object that is made, filled or dropped.
    pub(super) fn object_name(&self, name: &ast::ObjectName) -> Result<TableName> {
        let (schema, ident) = self.split_name(name)?;
        if ident.quote_style == Some('\'') {
            let error = Error::new(ErrorKind::Syntax, "syntax error: a name is expected, not a string");
            return Err(error.at(self.position(ident.span)));
        }
        Ok(TableName { schema, name: Self::fold(ident) })
    }

    fn create_schema(&self, statement: &ast::Statement) -> Result<Statement> {
        let ast::Statement::CreateSchema {
            schema_name,
            if_not_exists,
            or_replace,
            with,
            options,
            default_collate_spec,
            clone,
        } = statement
        else {
            return Err(Error::internal("a statement was bound as another kind"));
        };
        let plain =
            !or_replace && with.is_none() && options.is_none() && default_collate_spec.is_none() && clone.is_none();
        match schema_name {
            ast::SchemaName::Simple(name) if plain => {
                let name = self.schema_name(name)?;
                Ok(Statement::CreateSchema { name, owner: None, if_not_exists: *if_not_exists })
            }
            ast::SchemaName::NamedAuthorization(name, role) if plain => {
                let (name, owner) = (self.schema_name(name)?, Some(Self::fold(role)));
                Ok(Statement::CreateSchema { name, owner, if_not_exists: *if_not_exists })
            }
            ast::SchemaName::UnnamedAuthorization(role) if plain => {
                let (name, owner) = (Self::fold(role), Some(Self::fold(role)));
                Ok(Statement::CreateSchema { name, owner, if_not_exists: *if_not_exists })
            }
            _ => Err(Error::unsupported("a clause of this CREATE SCHEMA is").at(Some(Position(0)))),
        }
    }

    /// The name of a schema.
    fn schema_name(&self, name: &ast::ObjectName) -> Result<String> {
        match self.split_name(name)? {
            (None, ident) => Ok(Self::fold(ident)),
            (Some(_), _) => {
                let error = Error::new(ErrorKind::Syntax, format!("syntax error: \"{name}\" is no name of a schema"));
                Err(error.at(self.position(name.span())))
            }
        }
    }

    /// A type as it is written.
    pub(super) fn data_type(&self, data_type: &ast::DataType, position: Option<Position>) -> Result<DataType> {
        let made = |name: &TableName| self.builder.made_type(name);
        expression::bind_type(data_type, &made).map_err(|error| error.at(position))
    }

    fn drop_objects(
        &self,
        object_type: ast::ObjectType,
        if_exists: bool,
        cascade: bool,
        names: &[ast::ObjectName],
    ) -> Result<Statement> {
        let kind = Self::dropped_kind(object_type)?;
        let names = names.iter().map(|name| self.object_name(name)).collect::<Result<_>>()?;
        Ok(Statement::Drop { names, kind, if_exists, cascade })
    }

    fn describe(mut self, alias: &ast::DescribeAlias, name: &ast::ObjectName) -> Result<Statement> {
        let position = self.position(name.span());
        if *alias == ast::DescribeAlias::Explain {
            let error = Error::new(ErrorKind::Syntax, format!("syntax error at or near \"{name}\""));
            return Err(error.with_hint("EXPLAIN shows queries, DESCRIBE tables and views.").at(position));
        }
        if self.split_name(name)?.1.quote_style == Some('\'') {
            let file = self.bind_table_name(name)?;
            let output = file.columns.into_iter().map(|column| (column.name, column.id)).collect();
            return Ok(Statement::DescribeQuery(self.into_query((file.relation, output))));
        }
        let name = self.object_name(name)?;
        match self.builder.catalog.entry(&name).map_err(|error| error.at(position))? {
            Some(_) => Ok(Statement::Describe { name }),
            None => Err(self.unknown_table(&name).at(position)),
        }
    }
}
