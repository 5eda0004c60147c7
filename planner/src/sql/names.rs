//! Names with dots: `schema.table` of what stands in FROM, `table.column`, `schema.table.column` and `table.*` of what reads it.
//! A database may stand before a schema if it is the one that the session is in.

use super::binder::Binder;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::{Operator, Scope};
use crate::types::DataType;
use crate::value::Value;
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
        let Some((last, table)) = parts.split_last() else { return Err(Error::internal("a name of no parts")) };
        if let Some((first, members)) = parts.split_first()
            && let Some(variable) = self.lambda_variable(&Self::fold(first), position)?
        {
            return self.members(variable, &members.iter().collect::<Vec<_>>(), false);
        }
        let column = Self::fold(last);
        let table = self.qualifier(table, &column, position);
        match table.and_then(|table| self.builder.column(scope, Some(&table), &column, position)) {
            Ok(found) => Ok(found),
            Err(error) => self.bind_members(parts, scope)?.ok_or(error),
        }
    }

    /// `column.member` and `table.column.member.member`, as DuckDB has them, where PostgreSQL has no such column: what the members of
    /// a row, a struct or a json are. None if the first names are those of no such column.
    pub(super) fn bind_members(&mut self, parts: &[ast::Ident], scope: &Scope<'_>) -> Result<Option<Expression>> {
        let position = parts.first().and_then(|part| self.position(part.span));
        for count in 1..parts.len().min(4) {
            let (names, members) = parts.split_at(count);
            let Some((column, table)) = names.split_last() else { break };
            let table = match table {
                [] => None,
                parts => self.qualifier(parts, "", position).ok(),
            };
            if table.is_none() && count > 1 {
                break;
            }
            let Ok(value) = self.builder.column(scope, table.as_ref(), &Self::fold(column), position) else { continue };
            if value.data_type.members().is_some() || matches!(value.data_type, DataType::Json | DataType::Jsonb) {
                let names: Vec<&ast::Ident> = members.iter().collect();
                return self.members(value, &names, false).map(Some);
            }
        }
        // A select item of that name, where such names stand for expressions.
        if let [item, members @ ..] = parts
            && let Ok(Some(value)) = self.bind_item_name(&Self::fold(item), position, scope)
            && (value.data_type.members().is_some() || matches!(value.data_type, DataType::Json | DataType::Jsonb))
        {
            let names: Vec<&ast::Ident> = members.iter().collect();
            return self.members(value, &names, false).map(Some);
        }
        Ok(None)
    }

    /// What stands under names within each other in a row or a json; the last of a json as text, unless it is `taken_on`.
    pub(super) fn members(
        &mut self,
        mut value: Expression,
        names: &[&ast::Ident],
        taken_on: bool,
    ) -> Result<Expression> {
        let position = value.position;
        for (at, name) in names.iter().enumerate() {
            if !matches!(value.data_type, DataType::Json | DataType::Jsonb) {
                value = self.builder.field(&value, &Self::fold(name), position)?;
                continue;
            }
            // Keys of JSON are what is written, large letters and all.
            let name = name.value.as_str();
            let is_text = at + 1 == names.len() && !taken_on;
            let operator = if is_text { Operator::MemberText } else { Operator::Member };
            let key = Expression::constant(Value::text(name), DataType::Text);
            value = self.builder.operator(operator, value, key)?;
        }
        Ok(value)
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
