//! The select list: its expressions, what `*` stands for, and the names of the result's columns.

use super::binder::Binder;
use super::expression::{before_all_fields, named_by_plural};
use super::naming::column_name;
use super::query::Unknown;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Scope, SelectItem};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};

impl Binder<'_, '_> {
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
                ast::SelectItem::UnnamedExpr(expr) if let Some(row) = before_all_fields(expr) => {
                    for (name, value) in self.bind_all_fields(row, scope)? {
                        items.push(self.builder.item(name, value, None)?);
                    }
                }
                ast::SelectItem::UnnamedExpr(expr) if let Some((expr, name)) = named_by_plural(expr) => {
                    items.push(self.bind_item(&expr, name, scope, unknown.data_type(items.len()))?);
                }
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
                    items.extend(self.builder.all_items(scope, self.position(item.span()))?);
                }
                ast::SelectItem::QualifiedWildcard(kind, options) => {
                    self.check_wildcard(options)?;
                    let table = self.wildcard_table(kind)?;
                    items.extend(self.builder.table_items(scope, &table, self.position(item.span()))?);
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
        let value = self.bind_expression(expr, scope)?;
        self.builder.item(name, value, unknown)
    }

    fn wildcard_table(&self, kind: &ast::SelectItemQualifiedWildcardKind) -> Result<TableName> {
        match kind {
            ast::SelectItemQualifiedWildcardKind::ObjectName(name) => self.star_of(name),
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
