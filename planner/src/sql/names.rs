//! Names with dots: `schema.table` of what stands in FROM, `table.column`, `schema.table.column` and `table.*` of what reads it.
//! A database may stand before a schema if it is the one that the session is in.

use super::binder::Binder;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::Scope;
use sqlparser::ast::{self, Spanned};

impl Binder<'_, '_> {
    /// The schema, if one is given, and the last part of a name; 0A000 for one in another database.
    pub(super) fn split_name<'n>(&self, name: &'n ast::ObjectName) -> Result<(Option<String>, &'n ast::Ident)> {
        let position = || self.position(name.span());
        let idents: Option<Vec<&ast::Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        match idents.as_deref() {
            Some([table]) => Ok((None, table)),
            Some([schema, table]) => Ok((Some(Self::fold(schema)), table)),
            Some([database, schema, table]) => {
                let shown = || format!("\"{}\"", [database, schema, table].map(|part| Self::fold(part)).join("."));
                self.check_database(database, shown).map_err(|error| error.at(position()))?;
                Ok((Some(Self::fold(schema)), table))
            }
            Some(parts) => Err(too_many(parts.iter().copied(), "").at(position())),
            None => Err(Error::unsupported("a function as a name is").at(position())),
        }
    }

    /// 0A000 for what is in another database than the session's.
    fn check_database(&self, database: &ast::Ident, shown: impl FnOnce() -> String) -> Result<()> {
        match self.builder.database()? {
            Some(current) if *current != *Self::fold(database) => {
                let message = format!("cross-database references are not implemented: {}", shown());
                Err(Error::new(ErrorKind::Unsupported, message))
            }
            _ => Ok(()),
        }
    }

    /// The table that the parts before a column name, or before `.*`; `last` is what follows them, for errors.
    fn qualifier(&self, parts: &[ast::Ident], last: &str, position: Option<Position>) -> Result<TableName> {
        match parts {
            [table] => Ok(TableName { schema: None, name: Self::fold(table) }),
            [schema, table] => Ok(TableName { schema: Some(Self::fold(schema)), name: Self::fold(table) }),
            [database, schema, table] => {
                let shown = || {
                    let parts = [database, schema, table].map(Self::fold).join(".");
                    format!("{parts}.{last}")
                };
                self.check_database(database, shown).map_err(|error| error.at(position))?;
                Ok(TableName { schema: Some(Self::fold(schema)), name: Self::fold(table) })
            }
            _ => Err(too_many(parts.iter(), &format!(".{last}")).at(position)),
        }
    }

    /// `table.column`, with a schema and a database before it or not.
    pub(super) fn bind_qualified(&mut self, parts: &[ast::Ident], scope: &Scope<'_>) -> Result<Expression> {
        let position = parts.first().and_then(|part| self.position(part.span));
        let Some((column, table)) = parts.split_last() else { return Err(Error::internal("a name of no parts")) };
        let column = Self::fold(column);
        let table = self.qualifier(table, &column, position)?;
        self.builder.column(scope, Some(&table), &column, position)
    }

    /// The table of `table.*`.
    pub(super) fn star_of(&self, name: &ast::ObjectName) -> Result<TableName> {
        let position = self.position(name.span());
        let idents = name.0.iter().map(|part| part.as_ident().cloned());
        let Some(parts) = idents.collect::<Option<Vec<_>>>() else {
            return Err(Error::unsupported("a function as a name is").at(position));
        };
        self.qualifier(&parts, "*", position)
    }
}

fn too_many<'p>(parts: impl Iterator<Item = &'p ast::Ident>, last: &str) -> Error {
    let parts: Vec<String> = parts.map(Binder::fold).collect();
    let message = format!("improper qualified name (too many dotted names): {}{last}", parts.join("."));
    Error::new(ErrorKind::Syntax, message)
}
