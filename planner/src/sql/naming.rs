//! The name that PostgreSQL gives to a result column without an alias: which names stand in its expression.

use super::ahead::BRACES;
use super::binder::Binder;
use super::expression::{bind_data_type, quoted_text};
use super::forms::COMPREHENSION;
use crate::relation::builder::{self, Name};
use sqlparser::ast;

/// The name of an expression's column.
pub(super) fn column_name(expr: &ast::Expr) -> String {
    Name::or_unnamed(named(expr))
}

fn named(expr: &ast::Expr) -> Option<Name> {
    use ast::Expr;
    match expr {
        Expr::Identifier(ident) => Name::strong(&Binder::fold(ident)),
        Expr::CompoundIdentifier(parts) => parts.last().and_then(|ident| Name::strong(&Binder::fold(ident))),
        Expr::Nested(inner) => named(inner),
        Expr::Collate { expr, .. } => named(expr),
        Expr::Function(function) => {
            let last = function.name.0.last().and_then(ast::ObjectNamePart::as_ident);
            match last {
                Some(ident) if ident.value == BRACES => Name::strong("struct_pack"),
                Some(ident) if Binder::fold(ident) == COMPREHENSION => Name::strong("array"),
                last => last.and_then(|ident| Name::strong(&Binder::fold(ident))),
            }
        }
        Expr::Cast { expr, data_type, .. } => Name::around(named(expr), &type_name(data_type)),
        Expr::TypedString(typed) => Name::around(None, &type_name(&typed.data_type)),
        Expr::Interval(_) => Name::around(None, "interval"),
        Expr::Array(_) => Name::strong("array"),
        Expr::QualifiedWildcard(name, _) => {
            let last = name.0.last().and_then(ast::ObjectNamePart::as_ident);
            last.and_then(|ident| Name::strong(&Binder::fold(ident)))
        }
        Expr::Tuple(_) => Name::strong("row"),
        Expr::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|access| match access {
                ast::AccessExpr::Dot(Expr::Identifier(ident)) => Some(Binder::fold(ident)),
                ast::AccessExpr::Subscript(ast::Subscript::Index { index }) => quoted_text(index).map(str::to_owned),
                _ => None,
            });
            field.map_or_else(|| named(root), |name| Name::strong(&name))
        }
        Expr::Case { else_result, .. } => Name::of_case(else_result.as_deref().and_then(named)),
        Expr::Subquery(query) => subquery_name(&query.body).map(Name::Strong),
        Expr::Exists { negated: false, .. } => Name::strong("exists"),
        Expr::BinaryOp { op: ast::BinaryOperator::Overlaps, .. } => Name::strong("overlaps"),
        Expr::Extract { .. } => Name::strong("extract"),
        Expr::Substring { shorthand, .. } => Name::strong(if *shorthand { "substr" } else { "substring" }),
        Expr::Position { .. } => Name::strong("position"),
        Expr::Overlay { .. } => Name::strong("overlay"),
        Expr::Ceil { .. } => Name::strong("ceil"),
        Expr::Floor { .. } => Name::strong("floor"),
        Expr::AtTimeZone { .. } => Name::strong("timezone"),
        Expr::Trim { trim_where, .. } => Name::strong(match trim_where {
            None | Some(ast::TrimWhereField::Both) => "btrim",
            Some(ast::TrimWhereField::Leading) => "ltrim",
            Some(ast::TrimWhereField::Trailing) => "rtrim",
        }),
        _ => None,
    }
}

/// A scalar subquery is named as its one column is.
fn subquery_name(body: &ast::SetExpr) -> Option<String> {
    match body {
        ast::SetExpr::Select(select) => match select.projection.first()? {
            ast::SelectItem::ExprWithAlias { alias, .. } => Some(Binder::fold(alias)),
            ast::SelectItem::UnnamedExpr(expr) => Some(column_name(expr)),
            // VALUES alone have been made a table.
            ast::SelectItem::Wildcard(_) => match &select.from.first()?.relation {
                ast::TableFactor::Derived { subquery, .. } => subquery_name(&subquery.body),
                _ => None,
            },
            _ => None,
        },
        ast::SetExpr::Query(query) => subquery_name(&query.body),
        ast::SetExpr::SetOperation { left, .. } => subquery_name(left),
        ast::SetExpr::Values(_) => Some("column1".to_owned()),
        _ => None,
    }
}

/// PostgreSQL's internal name of a type; of what is none, what is written.
fn type_name(data_type: &ast::DataType) -> String {
    match bind_data_type(data_type) {
        Ok(data_type) => builder::type_name(data_type).to_owned(),
        Err(_) => {
            let text = data_type.to_string().to_ascii_lowercase();
            text.split(['(', ' ']).next().unwrap_or_default().to_owned()
        }
    }
}
