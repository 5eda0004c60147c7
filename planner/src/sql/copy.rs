//! COPY FROM and COPY TO.

use super::Statement;
use super::binder::Binder;
use super::keyword::is_keyword;
use super::query::Unknown;
use super::session::Words;
use super::text::Text;
use crate::catalog::{CatalogEntry, FileOptions, TableInfo};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::did_you_mean;
use sqlparser::ast;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Source, whether it is COPY TO, target.
type Parts<'c> = (&'c ast::CopySource, bool, &'c ast::CopyTarget);

/// Where COPY's options begin among a statement's tokens; none for any other statement.
pub(super) fn head_end(tokens: &[TokenWithSpan]) -> Option<usize> {
    let mut solid = tokens.iter().enumerate().filter(|(_, token)| !matches!(token.token, Token::Whitespace(_)));
    solid.next().filter(|(_, first)| is_keyword(&first.token, "copy"))?;
    let mut depth = 0_usize;
    for (_, token) in solid.by_ref() {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            word if depth == 0 && (is_keyword(word, "from") || is_keyword(word, "to")) => break,
            _ => {}
        }
    }
    let target = match solid.next() {
        Some((_, program)) if is_keyword(&program.token, "program") => solid.next(),
        target => target,
    };
    Some(target.map_or(tokens.len(), |(at, _)| at + 1))
}

/// COPY's options, of the tokens behind its target.
pub(super) fn parse_options(text: &Text, tokens: &[TokenWithSpan]) -> Result<FileOptions> {
    Words::new(text, tokens).copy_options()
}

impl Binder<'_, '_> {
    /// COPY.
    pub(super) fn copy(mut self, (source, to, target): Parts<'_>, options: FileOptions) -> Result<Statement> {
        let path = match target {
            ast::CopyTarget::File { filename } => Some(filename.clone()),
            ast::CopyTarget::Stdin | ast::CopyTarget::Stdout => None,
            ast::CopyTarget::Program { .. } => {
                return Err(Error::unsupported(format_args!("COPY with {target} is")).at(Some(Position(0))));
            }
        };
        match source {
            ast::CopySource::Table { table_name, columns } if !to => {
                let info = self.table_to_fill(table_name)?;
                let mut columns = self.columns_of(&info, &columns.iter().collect::<Vec<_>>())?;
                columns.iter().try_for_each(|&column| check_copied(&info, column))?;
                if columns.is_empty() && !info.declared.generated.is_empty() {
                    columns = (0..info.fields.len()).filter(|&column| !info.declared.is_stored(column)).collect();
                }
                Ok(Statement::CopyFrom { name: self.object_name(table_name)?, columns, path, options })
            }
            ast::CopySource::Query(_) if !to => {
                Err(Error::new(ErrorKind::Syntax, "syntax error: COPY FROM into a query").at(Some(Position(0))))
            }
            ast::CopySource::Query(query) => {
                let rows = self.bind_query(query, None, Unknown::AsText)?;
                Ok(Statement::CopyTo { query: self.into_query(rows), path, options })
            }
            ast::CopySource::Table { table_name, columns } => {
                let name = self.object_name(table_name)?;
                let from = self.bind_table_name(table_name)?;
                let mut output: Vec<_> = from.columns.into_iter().map(|column| (column.name, column.id)).collect();
                let info = match self.builder.catalog.entry(&name)? {
                    Some(CatalogEntry::Table(info)) if !info.declared.generated.is_empty() => Some(info),
                    _ => None,
                };
                if let Some(info) = &info {
                    for column in self.columns_of(info, &columns.iter().collect::<Vec<_>>())? {
                        check_copied(info, column)?;
                    }
                    let mut place = 0;
                    output.retain(|_| {
                        place += 1;
                        !info.declared.is_stored(place - 1)
                    });
                }
                if !columns.is_empty() {
                    output = self.choose_columns(table_name, columns, &output)?;
                }
                Ok(Statement::CopyTo { query: self.into_query((from.relation, output)), path, options })
            }
        }
    }

    fn choose_columns<C: Copy>(
        &self,
        table: &ast::ObjectName,
        columns: &[ast::Ident],
        output: &[(String, C)],
    ) -> Result<Vec<(String, C)>> {
        let choose = |ident: &ast::Ident| {
            let name = Self::fold(ident);
            let found = output.iter().find(|(column, _)| *column == name);
            found.map(|(_, id)| (name.clone(), *id)).ok_or_else(|| {
                let message = format!("column \"{name}\" of relation \"{table}\" does not exist");
                let error = Error::new(ErrorKind::UnknownColumn, message);
                did_you_mean(error, &name, output.iter().map(|(column, _)| column.as_str()))
                    .at(self.position(ident.span))
            })
        };
        columns.iter().map(choose).collect()
    }
}

/// 42P10 for a column that is computed, which no file has.
fn check_copied(info: &TableInfo, column: usize) -> Result<()> {
    if !info.declared.is_stored(column) {
        return Ok(());
    }
    let message = format!("column \"{}\" is a generated column", info.fields[column].name);
    let error = Error::new(ErrorKind::InvalidColumnReference, message);
    Err(error.with_detail("Generated columns cannot be used in COPY."))
}
