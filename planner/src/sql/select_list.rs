//! The select list: its expressions, what `*` stands for, and the names of the result's columns.

use super::binder::Binder;
use super::columns::names_columns;
use super::expression::{before_all_fields, named_by_plural};
use super::naming::column_name;
use super::query::Unknown;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Scope, SelectItem};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};

/// Whether it is a call of `unnest`, which is several items if it is of a struct.
fn is_unnest(expr: &ast::Expr) -> bool {
    let ast::Expr::Function(function) = expr else { return false };
    let name = function.name.0.last().and_then(ast::ObjectNamePart::as_ident);
    name.is_some_and(|name| Binder::fold(name) == "unnest")
}

impl Binder<'_, '_> {
    /// Binds the select list over a scope that has entered its clause.
    pub(super) fn bind_select_list(
        &mut self,
        projection: &[ast::SelectItem],
        scope: &Scope<'_>,
        unknown: Unknown<'_>,
    ) -> Result<Vec<SelectItem>> {
        let mut items = Vec::new();
        for (at, item) in projection.iter().enumerate() {
            self.show_items_before(projection, at);
            match item {
                ast::SelectItem::UnnamedExpr(expr) if let Some(row) = before_all_fields(expr) => {
                    for (name, value) in self.bind_all_fields(row, scope)? {
                        items.push(self.builder.item(name, value, None)?);
                    }
                }
                ast::SelectItem::UnnamedExpr(expr) if let Some((expr, name)) = named_by_plural(expr) => {
                    let name = ast::Ident::with_quote('"', name);
                    items.extend(self.bind_item(&expr, Some(&name), scope, unknown.data_type(items.len()))?);
                }
                ast::SelectItem::UnnamedExpr(expr) => {
                    items.extend(self.bind_item(expr, None, scope, unknown.data_type(items.len()))?);
                }
                ast::SelectItem::ExprWithAlias { expr, alias } => {
                    if alias.quote_style == Some('\'') && !names_columns(expr) {
                        let message = format!("syntax error at or near \"{alias}\": a name is expected, not a string");
                        return Err(Error::new(ErrorKind::Syntax, message).at(self.position(alias.span)));
                    }
                    items.extend(self.bind_item(expr, Some(alias), scope, unknown.data_type(items.len()))?);
                }
                ast::SelectItem::ExprWithAliases { expr, aliases: _ } => {
                    let error = Error::unsupported("several aliases for one expression are");
                    return Err(error.at(self.position(expr.span())));
                }
                ast::SelectItem::Wildcard(options) => {
                    let all = self.builder.all_items(scope, self.position(options.wildcard_token.0.span))?;
                    items.extend(self.bind_star(all, options, scope)?);
                }
                ast::SelectItem::QualifiedWildcard(kind, options) => {
                    let table = self.wildcard_table(kind)?;
                    let all = match self.struct_items(kind, &table, scope)? {
                        Some(fields) => fields,
                        None => self.builder.table_items(scope, &table, self.position(item.span()))?,
                    };
                    items.extend(self.bind_star(all, options, scope)?);
                }
            }
        }
        self.show_items_before(projection, projection.len());
        Ok(items)
    }

    /// Binds an expression, which is several items with COLUMNS in it.
    fn bind_item(
        &mut self,
        expr: &ast::Expr,
        alias: Option<&ast::Ident>,
        scope: &Scope<'_>,
        unknown: Option<DataType>,
    ) -> Result<Vec<SelectItem>> {
        if is_unnest(expr) && !names_columns(expr) {
            let value = self.bind_expression(expr, scope)?;
            if let Some(fields) = self.spread_struct(&value)? {
                return fields.into_iter().map(|(name, value)| self.builder.item(name, value, unknown)).collect();
            }
            let name = alias.map_or_else(|| column_name(expr), Self::fold);
            return Ok(vec![self.builder.item(name, value, unknown)?]);
        }
        self.for_each_column(|binder| {
            let value = binder.bind_expression(expr, scope)?;
            let name = match (binder.chosen_column(), alias) {
                (Some((name, pattern)), alias) => binder.column_item_name(alias, &name, pattern.as_deref())?,
                (None, Some(alias)) => Self::fold(alias),
                (None, None) => column_name(expr),
            };
            binder.builder.item(name, value, unknown)
        })
    }

    /// The fields of a struct before `.*`; none where a table is called so.
    fn struct_items(
        &mut self,
        kind: &ast::SelectItemQualifiedWildcardKind,
        table: &TableName,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<SelectItem>>> {
        let ast::SelectItemQualifiedWildcardKind::ObjectName(name) = kind else { return Ok(None) };
        if scope.has_table(table) {
            return Ok(None);
        }
        let Some(fields) = self.bind_star_of_struct(name, scope)? else { return Ok(None) };
        fields.into_iter().map(|(name, value)| self.builder.item(name, value, None)).collect::<Result<_>>().map(Some)
    }

    fn wildcard_table(&self, kind: &ast::SelectItemQualifiedWildcardKind) -> Result<TableName> {
        match kind {
            ast::SelectItemQualifiedWildcardKind::ObjectName(name) => self.star_of(name),
            ast::SelectItemQualifiedWildcardKind::Expr(expr) => {
                Err(Error::unsupported("an expression before .* is").at(self.position(expr.span())))
            }
        }
    }
}
