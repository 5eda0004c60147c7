//! The name that PostgreSQL gives to a result column without an alias.

use super::binder::Binder;
use sqlparser::ast;

/// The name of an expression's column.
pub(super) fn column_name(expr: &ast::Expr) -> String {
    match named(expr) {
        Some(Name::Strong(name) | Name::Weak(name)) => name,
        None => "?column?".to_owned(),
    }
}

/// A weak name gives way to a strong one around or inside: `CASE … ELSE a END` is `a`, `CASE … ELSE 1 END` is `case`.
enum Name {
    Strong(String),
    Weak(String),
}

fn named(expr: &ast::Expr) -> Option<Name> {
    use ast::Expr;
    let strong = |name: &str| Some(Name::Strong(name.to_owned()));
    match expr {
        Expr::Identifier(ident) => Some(Name::Strong(Binder::fold(ident))),
        Expr::CompoundIdentifier(parts) => parts.last().map(|ident| Name::Strong(Binder::fold(ident))),
        Expr::Nested(inner) => named(inner),
        Expr::Collate { expr, .. } => named(expr),
        Expr::Function(function) => {
            let last = function.name.0.last().and_then(ast::ObjectNamePart::as_ident);
            last.map(|ident| Name::Strong(Binder::fold(ident)))
        }
        Expr::Cast { expr, data_type, .. } => match named(expr) {
            Some(Name::Strong(name)) => Some(Name::Strong(name)),
            _ => Some(Name::Weak(type_name(data_type))),
        },
        Expr::TypedString(typed) => Some(Name::Weak(type_name(&typed.data_type))),
        Expr::Interval(_) => Some(Name::Weak("interval".to_owned())),
        Expr::Value(value) => match &value.value {
            ast::Value::Boolean(_) => Some(Name::Weak("bool".to_owned())),
            _ => None,
        },
        Expr::Case { else_result, .. } => match else_result.as_deref().and_then(named) {
            Some(Name::Strong(name)) => Some(Name::Strong(name)),
            _ => Some(Name::Weak("case".to_owned())),
        },
        Expr::Subquery(query) => subquery_name(&query.body).map(Name::Strong),
        Expr::Exists { negated: false, .. } => strong("exists"),
        Expr::Extract { .. } => strong("extract"),
        Expr::Substring { shorthand, .. } => strong(if *shorthand { "substr" } else { "substring" }),
        Expr::Position { .. } => strong("position"),
        Expr::Overlay { .. } => strong("overlay"),
        Expr::Ceil { .. } => strong("ceil"),
        Expr::Floor { .. } => strong("floor"),
        Expr::AtTimeZone { .. } => strong("timezone"),
        Expr::Trim { trim_where, .. } => strong(match trim_where {
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
            _ => None,
        },
        ast::SetExpr::Query(query) => subquery_name(&query.body),
        ast::SetExpr::SetOperation { left, .. } => subquery_name(left),
        ast::SetExpr::Values(_) => Some("column1".to_owned()),
        _ => None,
    }
}

/// PostgreSQL's internal name of a type.
fn type_name(data_type: &ast::DataType) -> String {
    use ast::DataType as T;
    match data_type {
        T::SmallInt(_) | T::Int2(_) => "int2".to_owned(),
        T::Int(_) | T::Integer(_) | T::Int4(_) => "int4".to_owned(),
        T::BigInt(_) | T::Int8(_) => "int8".to_owned(),
        T::Real | T::Float4 => "float4".to_owned(),
        T::Double(_) | T::DoublePrecision | T::Float8 | T::Float(_) => "float8".to_owned(),
        T::Decimal(_) | T::Numeric(_) | T::Dec(_) => "numeric".to_owned(),
        T::Boolean | T::Bool => "bool".to_owned(),
        T::Char(_) | T::Character(_) => "bpchar".to_owned(),
        T::Varchar(_) | T::CharacterVarying(_) | T::CharVarying(_) => "varchar".to_owned(),
        T::Timestamp(..) => "timestamp".to_owned(),
        T::Time(..) => "time".to_owned(),
        T::Interval { .. } => "interval".to_owned(),
        other => {
            let text = other.to_string().to_ascii_lowercase();
            text.split(['(', ' ']).next().unwrap_or_default().to_owned()
        }
    }
}
