//! CREATE TABLE [AS] and CREATE VIEW.

use super::Statement;
use super::binder::Binder;
use super::from::rename_columns;
use super::query::Unknown;
use super::text::Text;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::types::Field;
use sqlparser::ast::helpers::stmt_create_table::CreateTableBuilder;
use sqlparser::ast::{self, Spanned};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

impl Binder<'_> {
    /// CREATE TABLE, with or without AS.
    pub(super) fn create_table(self, create: &ast::CreateTable) -> Result<Statement> {
        let position = self.position(create.name.span());
        // The statement built from the clauses that are read below must be the statement that was written: so no
        // clause of any dialect is overlooked.
        let read = CreateTableBuilder::new(create.name.clone())
            .or_replace(create.or_replace)
            .if_not_exists(create.if_not_exists)
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
                let fields = self.table_fields(create, position)?;
                Ok(Statement::CreateTable { name, fields, if_not_exists, or_replace })
            }
        }
    }

    fn create_table_as(mut self, create: &ast::CreateTable, query: &ast::Query, name: String) -> Result<Statement> {
        let position = self.position(create.name.span());
        let mut names = Vec::new();
        for ast::ColumnDef { name, data_type, options } in &create.columns {
            if *data_type != ast::DataType::Unspecified || !options.is_empty() {
                let error = Error::unsupported("CREATE TABLE AS with types or options of columns is");
                return Err(error.at(self.position(name.span)));
            }
            names.push(Self::fold(name));
        }
        if !create.constraints.is_empty() {
            return Err(Error::unsupported("CREATE TABLE AS with constraints is").at(position));
        }
        let (relation, mut output) = self.bind_query(query, None, Unknown::AsText)?;
        rename_columns(&name, &names, output.iter_mut().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        check_distinct_names(output.iter().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        let query = self.into_query((relation, output));
        Ok(Statement::CreateTableAs { name, query, if_not_exists: create.if_not_exists, or_replace: create.or_replace })
    }

    fn table_fields(&self, create: &ast::CreateTable, position: Option<Position>) -> Result<Vec<Field>> {
        if create.columns.is_empty() {
            return Err(Error::unsupported("a table without columns is").at(position));
        }
        let mut fields = Vec::new();
        let mut primary_keys = 0;
        for ast::ColumnDef { name, data_type, options } in &create.columns {
            let position = self.position(name.span);
            let data_type = self.data_type(data_type, position)?;
            let mut nullable = true;
            for ast::ColumnOptionDef { name: _, option } in options {
                match option {
                    ast::ColumnOption::Null => {}
                    ast::ColumnOption::NotNull => nullable = false,
                    ast::ColumnOption::PrimaryKey(key) if is_plain_key(key) && key.columns.is_empty() => {
                        nullable = false;
                        primary_keys += 1;
                    }
                    other => return Err(Error::unsupported(format_args!("{other} of a column is")).at(position)),
                }
            }
            fields.push(Field::new(Self::fold(name), data_type, nullable));
            check_distinct_names(fields.iter().map(|field| &field.name)).map_err(|error| error.at(position))?;
        }
        for constraint in &create.constraints {
            let ast::TableConstraint::PrimaryKey(key) = constraint else {
                return Err(Error::unsupported(format_args!("constraint {constraint} is")).at(position));
            };
            self.mark_primary_key(key, &mut fields, position)?;
            primary_keys += 1;
        }
        if primary_keys > 1 {
            return Err(Error::new(ErrorKind::Syntax, "multiple primary keys are not allowed").at(position));
        }
        Ok(fields)
    }

    fn mark_primary_key(
        &self,
        key: &ast::PrimaryKeyConstraint,
        fields: &mut [Field],
        position: Option<Position>,
    ) -> Result<()> {
        if !is_plain_key(key) {
            return Err(Error::unsupported("a primary key with options is").at(position));
        }
        for column in &key.columns {
            let plain = ast::OrderByOptions { sort: None, nulls_first: None };
            let ast::IndexColumn {
                column: ast::OrderByExpr { expr: ast::Expr::Identifier(ident), options, with_fill: None },
                operator_class: None,
            } = column
            else {
                return Err(Error::unsupported("a primary key over more than columns is").at(position));
            };
            let (name, position) = (Self::fold(ident), self.position(ident.span));
            if *options != plain {
                return Err(Error::unsupported("an order in a primary key is").at(position));
            }
            let Some(field) = fields.iter_mut().find(|field| field.name == name) else {
                let message = format!("column \"{name}\" named in key does not exist");
                return Err(Error::new(ErrorKind::UnknownColumn, message).at(position));
            };
            field.nullable = false;
        }
        Ok(())
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
            && !temporary
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
        let sql = view_text(&self.text)?;
        self.created_view = Some(name.clone());
        let known_parameters = self.parameters.len();
        let (_, mut output) = self.bind_query(query, None, Unknown::AsText)?;
        if self.parameters.len() > known_parameters {
            let error = Error::new(ErrorKind::UnknownParameter, "a view's query cannot have parameters");
            return Err(error.at(position));
        }
        rename_columns(&name, &names, output.iter_mut().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        check_distinct_names(output.iter().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        Ok(Statement::CreateView { name, columns: names, sql, or_replace: *or_replace })
    }
}

/// A primary key of nothing but columns. Multiloop takes it as NOT NULL; it does not look for duplicates.
fn is_plain_key(key: &ast::PrimaryKeyConstraint) -> bool {
    // A constraint's name changes nothing.
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

/// The query's text: what follows the first AS outside parentheses.
fn view_text(text: &Text) -> Result<String> {
    let lost = || Error::internal("the query of a CREATE VIEW was not found");
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
fn check_distinct_names<'n>(names: impl Iterator<Item = &'n String>) -> Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let message = format!("column \"{name}\" specified more than once");
            return Err(Error::new(ErrorKind::DuplicateColumn, message));
        }
        seen.push(name);
    }
    Ok(())
}
