//! CREATE TABLE [AS] and CREATE VIEW.

use super::Statement;
use super::ahead::NAMED_ONLY;
use super::binder::Binder;
use super::constraint::TableClauses;
use super::definition::ColumnSequence;
use super::expression::restriction;
use super::generated::serial_type;
use super::liked::is_like;
use super::query::Unknown;
use super::text::Text;
use super::tuned::{CHECK_OPTION, check_clause};
use crate::catalog::{CheckOption, Declared, Mark, OnCommit, TableName, View};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::ColumnId;
use crate::relation::builder::{HIDDEN, Need, Noted, rename_columns};
use crate::types::Field;
use rustc_hash::FxHashSet;
use sqlparser::ast::helpers::stmt_create_table::CreateTableBuilder;
use sqlparser::ast::{self, Spanned};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::sync::Arc;

impl Binder<'_, '_> {
    /// CREATE TABLE, with or without AS.
    pub(super) fn create_table(mut self, create: &ast::CreateTable) -> Result<Statement> {
        let position = self.position(create.name.span());
        // The statement built from the clauses that are read below must be the statement that was written: so no
        // clause of any dialect is overlooked.
        let read = CreateTableBuilder::new(create.name.clone())
            .or_replace(create.or_replace)
            .if_not_exists(create.if_not_exists)
            .temporary(create.temporary)
            .on_commit(create.on_commit)
            .columns(create.columns.clone())
            .constraints(create.constraints.clone())
            .query(create.query.clone())
            .build();
        if ast::Statement::CreateTable(create.clone()) != ast::Statement::from(read) {
            return Err(Error::unsupported("a clause of this CREATE TABLE is").at(position));
        }
        let name = self.object_name(&create.name)?;
        let (if_not_exists, or_replace) = (create.if_not_exists, create.or_replace);
        if create.on_commit.is_some() && !create.temporary {
            let message = "ON COMMIT can only be used on temporary tables";
            return Err(Error::new(ErrorKind::InvalidTableDefinition, message).at(position));
        }
        match &create.query {
            Some(query) => self.create_table_as(create, query, name),
            None => {
                let (fields, declared, sequences) = self.table_fields(create, &name, position)?;
                let temporary = create.temporary;
                Ok(Statement::CreateTable { name, temporary, fields, declared, sequences, if_not_exists, or_replace })
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
        if is_all_of_one(query) {
            self.builder.catalog.loads_file();
        }
        let (relation, mut output) = self.bind_query(query, None, Unknown::AsText)?;
        if names.len() > output.len() {
            let error = Error::new(ErrorKind::Syntax, "too many column names were specified");
            return Err(error.at(position));
        }
        rename_columns(&name.name, &names, output.iter_mut().map(|(name, _)| name))
            .map_err(|error| error.at(position))?;
        check_distinct_names(output.iter().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        self.check_kept(&output, false).map_err(|error| error.at(position))?;
        let query = self.into_query((relation, output));
        let (temporary, if_not_exists, or_replace) = (create.temporary, create.if_not_exists, create.or_replace);
        let on_commit = on_commit(create);
        Ok(Statement::CreateTableAs { name, temporary, query, on_commit, if_not_exists, or_replace })
    }

    fn table_fields(
        &mut self,
        create: &ast::CreateTable,
        name: &TableName,
        position: Option<Position>,
    ) -> Result<(Vec<Field>, Declared, Vec<ColumnSequence>)> {
        if create.columns.is_empty() {
            return Err(Error::unsupported("a table without columns is").at(position));
        }
        self.builder.keep_notes();
        let (mut fields, mut restrictions) = (Vec::new(), Vec::new());
        let mut said = TableClauses::of(&name.name);
        let mut likenesses = Vec::new();
        for column in &create.columns {
            let ast::ColumnDef { name, data_type, options } = column;
            let position = self.position(name.span);
            if is_like(column) {
                let likeness = self.like(column, (&mut fields, &mut said), position)?;
                likeness.restrictions(&mut restrictions, fields.len());
                likenesses.push(likeness);
                continue;
            }
            let serial = serial_type(data_type);
            let of = serial.map_or_else(|| self.data_type(data_type, position), Ok)?;
            fields.push(Field::new(Self::fold(name), of, true));
            serial.into_iter().for_each(|of| said.serial(of, &mut fields));
            check_name(&Self::fold(name)).map_err(|error| error.at(position))?;
            restrictions.push(restriction(data_type));
            for ast::ColumnOptionDef { name, option } in options {
                said.column_option((name.as_ref(), option), &mut fields).map_err(|error| error.at(position))?;
            }
        }
        if let Some(again) = repeated_name(fields.iter().map(|field| &field.name)) {
            let position = self.position(create.columns.get(again).unwrap_or(&create.columns[0]).name.span);
            return Err(duplicate_column(&fields[again].name).at(position));
        }
        if restrictions.iter().all(Option::is_none) {
            restrictions.clear();
        }
        for constraint in &create.constraints {
            said.table_constraint(self, constraint, &fields).map_err(|error| error.at(position))?;
        }
        let mut declared = Declared { restrictions, on_commit: on_commit(create), ..Declared::default() };
        let sequences = self
            .declare(said, name, create.temporary, &mut fields, &mut declared)
            .map_err(|error| error.at(position))?;
        for likeness in likenesses {
            likeness.copy(&name.name, &mut declared, &fields).map_err(|error| error.at(position))?;
        }
        Ok((fields, declared, sequences))
    }

    /// Reports what of a query's columns no table, or no view, can have: names of those that all tables have (42701), and rows
    /// (42P16 for those of no table, else 0A000; a view may have them).
    pub(super) fn check_kept(&self, output: &[(String, ColumnId)], is_view: bool) -> Result<()> {
        for (name, id) in output {
            if !is_view {
                check_name(name)?;
            }
            let of = self.builder.columns.get(*id).data_type;
            let element = of.element().unwrap_or(of);
            if element.fields().is_some() {
                return Err(match element.to_string().as_str() {
                    "record" => {
                        let message = format!("column \"{name}\" has pseudo-type {of}");
                        Error::new(ErrorKind::InvalidTableDefinition, message)
                    }
                    _ if is_view => continue,
                    _ => Error::unsupported(format_args!("a column of type {of} is")),
                });
            }
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
        let check = check_option(options).map_err(|error| error.at(position))?;
        let name = self.object_name(name)?;
        let mut names = Vec::new();
        for ast::ViewColumnDef { name, data_type, options } in columns {
            if data_type.is_some() || options.is_some() {
                let error = Error::unsupported("a view's column with a type or options is");
                return Err(error.at(self.position(name.span)));
            }
            names.push(Self::fold(name));
        }
        let (sql, start) = view_text(self.text.as_ref())?;
        self.builder.keep_notes();
        let known_parameters = self.builder.parameters.len();
        let (relation, mut output) = self.bind_query(query, None, Unknown::AsText)?;
        if self.builder.parameters.len() > known_parameters {
            let error = Error::new(ErrorKind::UnknownParameter, "a view's query cannot have parameters");
            return Err(error.at(position));
        }
        rename_columns(&name.name, &names, output.iter_mut().map(|(name, _)| name))
            .map_err(|error| error.at(position))?;
        check_distinct_names(output.iter().map(|(name, _)| name)).map_err(|error| error.at(position))?;
        self.check_kept(&output, true).map_err(|error| error.at(position))?;
        let (mut view, needs) = kept_view((sql, names), self.builder.take_notes(), start);
        view.check = check;
        if check.is_some() {
            self.check_updatable(&name, &view).map_err(|error| error.at(position))?;
        }
        let fields = self.into_query((relation, output)).declared_fields();
        let (temporary, or_replace) = (*temporary, *or_replace);
        Ok(Statement::CreateView { name, temporary, view, fields, needs, or_replace })
    }
}

/// A view of a text and the names of its columns, but for what its names stand for, and what it names; the text began at a place of
/// that which the notes are of.
pub(super) fn kept_view((sql, columns): (String, Vec<String>), noted: Noted, start: usize) -> (View, Vec<Need>) {
    let place = |mark: Mark| Some(Mark { at: mark.at.checked_sub(start)?, ..mark });
    let marks = noted.marks.into_iter().filter_map(place).collect();
    (View { sql, columns, names: Vec::new(), literals: Arc::new(noted.literals), marks, check: None }, noted.needs)
}

/// CHECK OPTION, as [`super::tuned`] has it.
fn check_option(options: &ast::CreateTableOptions) -> Result<Option<CheckOption>> {
    let said = match options {
        ast::CreateTableOptions::None => return Ok(None),
        ast::CreateTableOptions::With(options) => match &options[..] {
            [ast::SqlOption::KeyValue { key, value: ast::Expr::Value(value) }] if key.value == CHECK_OPTION => {
                match &value.value {
                    ast::Value::SingleQuotedString(word) if word == "local" => Some(CheckOption::Local),
                    ast::Value::SingleQuotedString(word) if word == "cascaded" => Some(CheckOption::Cascaded),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    };
    said.map(Some).ok_or_else(|| Error::unsupported("a clause of this CREATE VIEW is"))
}

/// What becomes of a temporary table when a transaction ends.
fn on_commit(create: &ast::CreateTable) -> OnCommit {
    match create.on_commit {
        None | Some(ast::OnCommit::PreserveRows) => OnCommit::PreserveRows,
        Some(ast::OnCommit::DeleteRows) => OnCommit::DeleteRows,
        Some(ast::OnCommit::Drop) => OnCommit::Drop,
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

/// The query's text, and where it begins: what follows the first AS outside parentheses.
fn view_text(text: Option<&Text>) -> Result<(String, usize)> {
    let lost = || Error::internal("the query of a CREATE VIEW was not found");
    let text = text.ok_or_else(lost)?;
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text.as_str()).tokenize_with_location().map_err(|_| lost())?;
    let end = match check_clause(&tokens) {
        Some((at, _)) => text.offset(tokens[at].span.start).ok_or_else(lost)?,
        None => text.as_str().len(),
    };
    let mut depth = 0;
    for token in tokens {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::Word(word) if depth == 0 && word.quote_style.is_none() && word.value.eq_ignore_ascii_case("as") => {
                let start = text.offset(token.span.end).ok_or_else(lost)?;
                let sql = text.as_str().get(start..end).ok_or_else(lost)?;
                return Ok((sql.trim().to_owned(), start + sql.len() - sql.trim_start().len()));
            }
            _ => {}
        }
    }
    Err(lost())
}

/// Reports the name of a column that every table has (42701).
pub(super) fn check_name(name: &str) -> Result<()> {
    if !HIDDEN.contains(&name) {
        return Ok(());
    }
    let message = format!("column name \"{name}\" conflicts with a system column name");
    Err(Error::new(ErrorKind::DuplicateColumn, message))
}

/// Reports a column name that is there twice (42701).
pub(super) fn check_distinct_names<'n>(names: impl Iterator<Item = &'n String> + Clone) -> Result<()> {
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

/// Whether a query is all rows and columns of one thing: `SELECT * FROM …` and no more.
fn is_all_of_one(query: &ast::Query) -> bool {
    let ast::SetExpr::Select(select) = &*query.body else { return false };
    let [ast::SelectItem::Wildcard(_)] = select.projection.as_slice() else { return false };
    let one = matches!(select.from.as_slice(), [from] if from.joins.is_empty());
    one && select.selection.is_none() && query.limit_clause.is_none() && query.order_by.is_none()
}
