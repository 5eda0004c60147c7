//! COPY FROM and COPY TO.

use super::Statement;
use super::binder::Binder;
use super::query::Unknown;
use crate::catalog::CopyOptions;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::did_you_mean;
use sqlparser::ast;

/// Source, whether it is COPY TO, target.
type Parts<'c> = (&'c ast::CopySource, bool, &'c ast::CopyTarget);

impl Binder<'_, '_> {
    /// COPY.
    pub(super) fn copy(
        mut self,
        (source, to, target): Parts<'_>,
        options: &[ast::CopyOption],
        legacy_options: &[ast::CopyLegacyOption],
    ) -> Result<Statement> {
        let path = match target {
            ast::CopyTarget::File { filename } => Some(filename.clone()),
            ast::CopyTarget::Stdin | ast::CopyTarget::Stdout => None,
            ast::CopyTarget::Program { .. } => {
                return Err(Error::unsupported(format_args!("COPY with {target} is")).at(Some(Position(0))));
            }
        };
        let options = copy_options(options, legacy_options).map_err(|error| error.at(Some(Position(0))))?;
        match source {
            ast::CopySource::Table { table_name, columns } if !to => {
                let info = self.table_to_fill(table_name)?;
                let columns = self.columns_of(&info, &columns.iter().collect::<Vec<_>>())?;
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
                self.object_name(table_name)?;
                let from = self.bind_table_name(table_name)?;
                let mut output: Vec<_> = from.columns.into_iter().map(|column| (column.name, column.id)).collect();
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

fn copy_options(options: &[ast::CopyOption], legacy: &[ast::CopyLegacyOption]) -> Result<CopyOptions> {
    let mut read = CopyOptions::default();
    for option in options {
        match option {
            ast::CopyOption::Format(format) => set(&mut read.format, format.value.to_ascii_lowercase())?,
            ast::CopyOption::Delimiter(delimiter) => set(&mut read.delimiter, *delimiter)?,
            ast::CopyOption::Null(null) => set(&mut read.null, null.clone())?,
            ast::CopyOption::Header(header) => set(&mut read.header, *header)?,
            ast::CopyOption::Quote(quote) => set(&mut read.quote, *quote)?,
            ast::CopyOption::Escape(escape) => set(&mut read.escape, *escape)?,
            // Text is UTF-8 everywhere.
            ast::CopyOption::Encoding(encoding) if is_utf8(encoding) => {}
            // There is nothing to freeze: rows are seen at once by all who may see them.
            ast::CopyOption::Freeze(_) => {}
            ast::CopyOption::Encoding(_)
            | ast::CopyOption::ForceQuote(_)
            | ast::CopyOption::ForceNotNull(_)
            | ast::CopyOption::ForceNull(_) => {
                return Err(Error::unsupported(format_args!("COPY option {option} is")));
            }
        }
    }
    for option in legacy {
        match option {
            ast::CopyLegacyOption::Csv(options) => {
                set(&mut read.format, "csv".to_owned())?;
                for option in options {
                    match option {
                        ast::CopyLegacyCsvOption::Header => set(&mut read.header, true)?,
                        ast::CopyLegacyCsvOption::Quote(quote) => set(&mut read.quote, *quote)?,
                        ast::CopyLegacyCsvOption::Escape(escape) => set(&mut read.escape, *escape)?,
                        other => return Err(Error::unsupported(format_args!("COPY option {other} is"))),
                    }
                }
            }
            ast::CopyLegacyOption::Binary => set(&mut read.format, "binary".to_owned())?,
            ast::CopyLegacyOption::Parquet => set(&mut read.format, "parquet".to_owned())?,
            ast::CopyLegacyOption::Delimiter(delimiter) => set(&mut read.delimiter, *delimiter)?,
            ast::CopyLegacyOption::Null(null) => set(&mut read.null, null.clone())?,
            ast::CopyLegacyOption::Header => set(&mut read.header, true)?,
            other => return Err(Error::unsupported(format_args!("COPY option {other} is"))),
        }
    }
    match read.format.as_deref() {
        None | Some("csv" | "parquet" | "text" | "binary") => Ok(read),
        Some(format) => {
            let message = format!("COPY format \"{format}\" not recognized");
            Err(Error::new(ErrorKind::InvalidParameter, message)
                .with_hint("Formats are text, binary, csv and parquet."))
        }
    }
}

fn set<T>(option: &mut Option<T>, value: T) -> Result<()> {
    match option.replace(value) {
        Some(_) => Err(Error::new(ErrorKind::Syntax, "conflicting or redundant options")),
        None => Ok(()),
    }
}

fn is_utf8(encoding: &str) -> bool {
    ["utf8", "utf-8"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}
