//! CREATE TABLE [AS] and CREATE VIEW.

use super::Statement;
use super::ahead::NAMED_ONLY;
use super::binder::Binder;
use super::expression::restriction;
use super::query::Unknown;
use super::text::Text;
use crate::catalog::{Declared, Key, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::rename_columns;
use crate::types::Field;
use rustc_hash::FxHashSet;
use sqlparser::ast::helpers::stmt_create_table::CreateTableBuilder;
use sqlparser::ast::{self, Spanned};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

impl Binder<'_, '_> {
    /// CREATE TABLE, with or without AS.
    pub(super) fn create_table(self, create: &ast::CreateTable) -> Result<Statement> {
        let position = self.position(create.name.span());
        // The statement built from the clauses that are read below must be the statement that was written: so no
        // clause of any dialect is overlooked.
        let read = CreateTableBuilder::new(create.name.clone())
            .or_replace(create.or_replace)
            .if_not_exists(create.if_not_exists)
            .temporary(create.temporary)
            .on_commit(create.on_commit.filter(|kept| *kept == ast::OnCommit::PreserveRows))
            .columns(create.columns.clone())
            .constraints(create.constraints.clone())
            .query(create.query.clone())
            .build();
        if ast::Statement::CreateTable(create.clone()) != ast::Statement::from(read) {
            return Err(Error::unsupported("a clause of this CREATE TABLE is").at(position));
        }
        let name = self.object_name(&create.name)?;
        let (if_not_exists, or_replace) = (create.if_not_exists, create.or_replace);
        match &create.query {
            Some(query) => self.create_table_as(create, query, name),
            None => {
                let (fields, declared) = self.table_fields(create, &name.name, position)?;
                let temporary = create.temporary;
                Ok(Statement::CreateTable { name, temporary, fields, declared, if_not_exists, or_replace })
            }
        }
    }

    fn create_table_as(mut self, create: &ast::CreateTable, query: &ast::Query, name: TableName) -> Result<Statement> {
        let position = self.position(create.name.span());
        let mut names = Vec::new();
        for ast::ColumnDef { name, data_type, options } in &create.columns {
            if !is_named_only(data_type) || !options.is_empty() {
                let error = Error::unsupported("CREATE TABLE AS with types or options of columns is");
                return Err(error.at(self.position(name.span)));
            }
            names.push(Self::fold(name));
        }
        if !create.constraints.is_empty() {
            return Err(Error::unsupported("CREATE TABLE AS with constraints is").at(position));
        }
        let (relation, mut output) = self.bind_query(query, None, Unknown::AsText)?;
        if names.len() > output.len() {
            let error = Error::new(ErrorKind::Syntax, "too many column names were specified");
            return Err(error.at(position));
        }
        rename_columns(&name.name, &names, output.iter_mut().map(|(name, _)| name))
            .map_err(|error| error.at(position))?;
        check_distinct_names(output.iter().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        let query = self.into_query((relation, output));
        let (temporary, if_not_exists, or_replace) = (create.temporary, create.if_not_exists, create.or_replace);
        Ok(Statement::CreateTableAs { name, temporary, query, if_not_exists, or_replace })
    }

    fn table_fields(
        &self,
        create: &ast::CreateTable,
        table: &str,
        position: Option<Position>,
    ) -> Result<(Vec<Field>, Declared)> {
        if create.columns.is_empty() {
            return Err(Error::unsupported("a table without columns is").at(position));
        }
        let mut fields = Vec::new();
        let mut declared = Declared::default();
        for ast::ColumnDef { name, data_type, options } in &create.columns {
            let position = self.position(name.span);
            let field = Field::new(Self::fold(name), self.data_type(data_type, position)?, true);
            declared.restrictions.push(restriction(data_type));
            fields.push(field);
            for ast::ColumnOptionDef { name, option } in options {
                self.column_option((name.as_ref(), option), &mut fields, &mut declared.keys)
                    .map_err(|error| error.at(position))?;
            }
        }
        if let Some(again) = repeated_name(fields.iter().map(|field| &field.name)) {
            let position = self.position(create.columns[again].name.span);
            return Err(duplicate_column(&fields[again].name).at(position));
        }
        if declared.restrictions.iter().all(Option::is_none) {
            declared.restrictions.clear();
        }
        for constraint in &create.constraints {
            let key = self.table_key(constraint, &fields).map_err(|error| error.at(position))?;
            declared.keys.push(key);
        }
        finish_keys(table, &mut fields, &mut declared.keys).map_err(|error| error.at(position))?;
        Ok((fields, declared))
    }

    /// An option of the last column.
    fn column_option(
        &self,
        (name, option): (Option<&ast::Ident>, &ast::ColumnOption),
        fields: &mut [Field],
        keys: &mut Vec<Key>,
    ) -> Result<()> {
        let column = fields.len() - 1;
        let name = name.map(Self::fold);
        let mut add = |name: Option<String>, primary, nulls_equal| {
            keys.push(Key { name: name.unwrap_or_default(), columns: vec![column], primary, nulls_equal });
        };
        match option {
            ast::ColumnOption::Null => {}
            ast::ColumnOption::NotNull => fields[column].nullable = false,
            ast::ColumnOption::PrimaryKey(key) if is_plain_primary(key) && key.columns.is_empty() => {
                add(key.name.as_ref().map(Self::fold).or(name), true, false);
            }
            ast::ColumnOption::Unique(key) if is_plain_unique(key) && key.columns.is_empty() => {
                let nulls_equal = key.nulls_distinct == ast::NullsDistinctOption::NotDistinct;
                add(key.name.as_ref().map(Self::fold).or(name), false, nulls_equal);
            }
            other => return Err(Error::unsupported(format_args!("{other} of a column is"))),
        }
        Ok(())
    }

    /// A PRIMARY KEY or UNIQUE constraint of a table.
    fn table_key(&self, constraint: &ast::TableConstraint, fields: &[Field]) -> Result<Key> {
        let (name, columns, primary, nulls_equal) = match constraint {
            ast::TableConstraint::PrimaryKey(key) if is_plain_primary(key) => (&key.name, &key.columns, true, false),
            ast::TableConstraint::Unique(key) if is_plain_unique(key) => {
                let nulls_equal = key.nulls_distinct == ast::NullsDistinctOption::NotDistinct;
                (&key.name, &key.columns, false, nulls_equal)
            }
            other => return Err(Error::unsupported(format_args!("constraint {other} is"))),
        };
        let name = name.as_ref().map(Self::fold).unwrap_or_default();
        let mut positions = Vec::new();
        for column in columns {
            let index = self.key_column(column, fields)?;
            if positions.contains(&index) {
                let kind = if primary { "primary key" } else { "unique" };
                let message = format!("column \"{}\" appears twice in {kind} constraint", fields[index].name);
                return Err(Error::new(ErrorKind::DuplicateColumn, message));
            }
            positions.push(index);
        }
        Ok(Key { name, columns: positions, primary, nulls_equal })
    }

    fn key_column(&self, column: &ast::IndexColumn, fields: &[Field]) -> Result<usize> {
        let plain = ast::OrderByOptions { sort: None, nulls_first: None };
        let ast::IndexColumn {
            column: ast::OrderByExpr { expr: ast::Expr::Identifier(ident), options, with_fill: None },
            operator_class: None,
        } = column
        else {
            return Err(Error::unsupported("a key over more than columns is"));
        };
        let (name, position) = (Self::fold(ident), self.position(ident.span));
        if *options != plain {
            return Err(Error::unsupported("an order in a key is").at(position));
        }
        fields.iter().position(|field| field.name == name).ok_or_else(|| {
            let message = format!("column \"{name}\" named in key does not exist");
            Error::new(ErrorKind::UnknownColumn, message).at(position)
        })
    }

    /// CREATE VIEW: the query is bound once, to see that it is right, and kept as text.
    pub(super) fn create_view(mut self, create: &ast::CreateView) -> Result<Statement> {
        let ast::CreateView {
            or_alter,
            or_replace,
            materialized,
            secure,
            name,
            name_before_not_exists,
            columns,
            query,
            options,
            cluster_by,
            comment,
            with_no_schema_binding,
            if_not_exists,
            temporary,
            copy_grants,
            to,
            params,
        } = create;
        let position = self.position(name.span());
        let plain = !or_alter
            && !materialized
            && !secure
            && !name_before_not_exists
            && *options == ast::CreateTableOptions::None
            && cluster_by.is_empty()
            && comment.is_none()
            && !with_no_schema_binding
            && !if_not_exists
            && !copy_grants
            && to.is_none()
            && params.is_none();
        if !plain {
            return Err(Error::unsupported("a clause of this CREATE VIEW is").at(position));
        }
        let name = self.object_name(name)?;
        let mut names = Vec::new();
        for ast::ViewColumnDef { name, data_type, options } in columns {
            if data_type.is_some() || options.is_some() {
                let error = Error::unsupported("a view's column with a type or options is");
                return Err(error.at(self.position(name.span)));
            }
            names.push(Self::fold(name));
        }
        let sql = view_text(self.text.as_ref())?;
        self.builder.created_view = Some(name.clone());
        let known_parameters = self.builder.parameters.len();
        let (_, mut output) = self.bind_query(query, None, Unknown::AsText)?;
        if self.builder.parameters.len() > known_parameters {
            let error = Error::new(ErrorKind::UnknownParameter, "a view's query cannot have parameters");
            return Err(error.at(position));
        }
        rename_columns(&name.name, &names, output.iter_mut().map(|(name, _)| name))
            .map_err(|error| error.at(position))?;
        check_distinct_names(output.iter().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        let needs = std::mem::take(&mut self.builder.needs);
        let (temporary, or_replace) = (*temporary, *or_replace);
        Ok(Statement::CreateView { name, temporary, columns: names, sql, needs, or_replace })
    }
}

/// Whether a column of CREATE TABLE AS has nothing but a name.
fn is_named_only(data_type: &ast::DataType) -> bool {
    match data_type {
        ast::DataType::Unspecified => true,
        ast::DataType::Custom(name, modifiers) => {
            let ident = name.0.first().and_then(ast::ObjectNamePart::as_ident);
            modifiers.is_empty() && ident.is_some_and(|ident| ident.quote_style.is_some() && ident.value == NAMED_ONLY)
        }
        _ => false,
    }
}

/// A key's columns of a primary key are not NULL; a key without a name gets PostgreSQL's.
fn finish_keys(table: &str, fields: &mut [Field], keys: &mut [Key]) -> Result<()> {
    if keys.iter().filter(|key| key.primary).count() > 1 {
        let message = format!("multiple primary keys for table \"{table}\" are not allowed");
        return Err(Error::new(ErrorKind::InvalidTableDefinition, message));
    }
    keys.sort_by_key(|key| !key.primary);
    for key in keys {
        if key.primary {
            key.columns.iter().for_each(|&column| fields[column].nullable = false);
        }
        if key.name.is_empty() {
            let columns: Vec<&str> = key.columns.iter().map(|&column| fields[column].name.as_str()).collect();
            key.name = if key.primary { format!("{table}_pkey") } else { format!("{table}_{}_key", columns.join("_")) };
        }
    }
    Ok(())
}

/// A primary key of nothing but columns.
fn is_plain_primary(key: &ast::PrimaryKeyConstraint) -> bool {
    let ast::PrimaryKeyConstraint {
        name: _,
        index_name,
        index_type,
        columns: _,
        include,
        index_options,
        characteristics,
    } = key;
    index_name.is_none()
        && index_type.is_none()
        && include.is_empty()
        && index_options.is_empty()
        && characteristics.is_none()
}

/// A unique constraint of nothing but columns.
fn is_plain_unique(key: &ast::UniqueConstraint) -> bool {
    let ast::UniqueConstraint {
        name: _,
        index_name,
        index_type_display,
        index_type,
        columns: _,
        include,
        index_options,
        characteristics,
        nulls_distinct: _,
    } = key;
    index_name.is_none()
        && *index_type_display == ast::KeyOrIndexDisplay::None
        && index_type.is_none()
        && include.is_empty()
        && index_options.is_empty()
        && characteristics.is_none()
}

/// The query's text: what follows the first AS outside parentheses.
fn view_text(text: Option<&Text>) -> Result<String> {
    let lost = || Error::internal("the query of a CREATE VIEW was not found");
    let text = text.ok_or_else(lost)?;
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text.as_str()).tokenize_with_location().map_err(|_| lost())?;
    let mut depth = 0;
    for token in tokens {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::Word(word) if depth == 0 && word.quote_style.is_none() && word.value.eq_ignore_ascii_case("as") => {
                let start = text.offset(token.span.end).ok_or_else(lost)?;
                return text.as_str().get(start..).map(|sql| sql.trim().to_owned()).ok_or_else(lost);
            }
            _ => {}
        }
    }
    Err(lost())
}

/// Reports a column name that is there twice (42701).
fn check_distinct_names<'n>(names: impl Iterator<Item = &'n String> + Clone) -> Result<()> {
    let again = repeated_name(names.clone()).and_then(|again| names.clone().nth(again));
    again.map_or(Ok(()), |name| Err(duplicate_column(name)))
}

/// The place of the first name that stands before it, too.
fn repeated_name<'n>(names: impl Iterator<Item = &'n String>) -> Option<usize> {
    let mut seen = FxHashSet::default();
    names.enumerate().find_map(|(at, name)| (!seen.insert(name)).then_some(at))
}

fn duplicate_column(name: &str) -> Error {
    Error::new(ErrorKind::DuplicateColumn, format!("column \"{name}\" specified more than once"))
}
