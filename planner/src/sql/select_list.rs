//! The select list: its expressions, what `*` stands for, and the names of the result's columns.

use super::binder::Binder;
use super::expression::Coercion;
use super::naming::column_name;
use super::query::Unknown;
use super::scope::{Scope, ScopeColumn};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{ColumnId, Expression};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};

/// A column of the result.
#[derive(Clone, Debug)]
pub(super) struct SelectItem {
    /// The name it is shown by.
    pub(super) name: String,
    /// Its value.
    pub(super) expression: Expression,
}

impl SelectItem {
    /// A column that is there already.
    pub(super) fn column(binder: &Binder<'_>, name: &str, id: ColumnId) -> Self {
        SelectItem { name: name.to_owned(), expression: binder.columns.reference(id) }
    }
}

impl Binder<'_> {
    /// Binds the select list over a scope that has entered its clause.
    pub(super) fn bind_select_list(
        &mut self,
        projection: &[ast::SelectItem],
        scope: &Scope<'_>,
        unknown: Unknown<'_>,
    ) -> Result<Vec<SelectItem>> {
        let mut items = Vec::new();
        for item in projection {
            match item {
                ast::SelectItem::UnnamedExpr(expr) => {
                    items.push(self.bind_item(expr, column_name(expr), scope, unknown.data_type(items.len()))?);
                }
                ast::SelectItem::ExprWithAlias { expr, alias } => {
                    if alias.quote_style == Some('\'') {
                        let message = format!("syntax error at or near \"{alias}\": a name is expected, not a string");
                        return Err(Error::new(ErrorKind::Syntax, message).at(self.position(alias.span)));
                    }
                    items.push(self.bind_item(expr, Self::fold(alias), scope, unknown.data_type(items.len()))?);
                }
                ast::SelectItem::ExprWithAliases { expr, aliases: _ } => {
                    let error = Error::unsupported("several aliases for one expression are");
                    return Err(error.at(self.position(expr.span())));
                }
                ast::SelectItem::Wildcard(options) => {
                    self.check_wildcard(options)?;
                    let all = scope.columns.iter().filter(|column| !column.merged);
                    if scope.tables.is_empty() && scope.columns.is_empty() {
                        let error = Error::new(ErrorKind::Syntax, "SELECT * with no tables specified is not valid");
                        return Err(error.at(self.position(item.span())));
                    }
                    items.extend(self.wildcard_items(all, item)?);
                }
                ast::SelectItem::QualifiedWildcard(kind, options) => {
                    self.check_wildcard(options)?;
                    let table = self.wildcard_table(kind)?;
                    let columns = self.table_columns(scope, &table).map_err(|e| e.at(self.position(item.span())))?;
                    items.extend(self.wildcard_items(columns, item)?);
                }
            }
        }
        Ok(items)
    }

    fn bind_item(
        &mut self,
        expr: &ast::Expr,
        name: String,
        scope: &Scope<'_>,
        unknown: Option<DataType>,
    ) -> Result<SelectItem> {
        let mut expression = self.bind_expression(expr, scope)?;
        if let (DataType::Null, Some(data_type)) = (expression.data_type, unknown) {
            expression = self.coerce(expression, data_type, Coercion::Assignment)?;
        }
        Ok(SelectItem { name, expression })
    }

    fn wildcard_items<'s>(
        &self,
        columns: impl Iterator<Item = &'s ScopeColumn>,
        star: &ast::SelectItem,
    ) -> Result<Vec<SelectItem>> {
        let position = self.position(star.span());
        columns
            .map(|column| {
                self.check_readable(column.id, position)?;
                let mut item = SelectItem::column(self, &column.name, column.id);
                item.expression.position = position;
                Ok(item)
            })
            .collect()
    }

    /// The columns of a table alias, from the innermost level that has it.
    fn table_columns<'s>(&self, scope: &'s Scope<'_>, table: &str) -> Result<impl Iterator<Item = &'s ScopeColumn>> {
        let level = std::iter::successors(Some(scope), |scope| scope.parent)
            .find(|scope| scope.tables.iter().any(|name| name == table));
        let Some(level) = level else {
            let message = format!("missing FROM-clause entry for table \"{table}\"");
            let known = scope.tables.iter().map(String::as_str);
            return Err(super::suggest::did_you_mean(Error::new(ErrorKind::UnknownTable, message), table, known));
        };
        let columns: Vec<_> = level.columns.iter().filter(|column| column.table.as_deref() == Some(table)).collect();
        Ok(columns.into_iter())
    }

    fn wildcard_table(&self, kind: &ast::SelectItemQualifiedWildcardKind) -> Result<String> {
        match kind {
            ast::SelectItemQualifiedWildcardKind::ObjectName(name) => {
                let (_, table) = self.split_name(name)?;
                Ok(Self::fold(table))
            }
            ast::SelectItemQualifiedWildcardKind::Expr(expr) => {
                Err(Error::unsupported("an expression before .* is").at(self.position(expr.span())))
            }
        }
    }

    fn check_wildcard(&self, options: &ast::WildcardAdditionalOptions) -> Result<()> {
        let ast::WildcardAdditionalOptions {
            wildcard_token,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let plain = opt_ilike.is_none()
            && opt_exclude.is_none()
            && opt_except.is_none()
            && opt_replace.is_none()
            && opt_rename.is_none()
            && opt_alias.is_none();
        if plain {
            return Ok(());
        }
        let position = self.position(wildcard_token.0.span);
        Err(Error::unsupported("* with ILIKE, EXCLUDE, EXCEPT, REPLACE, RENAME or AS is").at(position))
    }
}
