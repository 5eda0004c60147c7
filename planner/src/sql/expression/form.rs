//! What an expression was written as, in words: the head of its form, whose parts are those of what is bound within it.

use super::comparison::symmetric_bound;
use super::lambda::is_lambda;
use super::operator::{comparison, named, signed_number, signs_of_powers};
use super::pattern::pattern_operator;
use crate::relation::builder::Head;
use crate::sql::binder::Binder;
use sqlparser::ast::{self, AccessExpr, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, UnaryOperator};
use std::fmt::Write;

fn call(name: impl Into<String>) -> Head {
    Head::Call(name.into())
}

/// A name that a negation may stand before.
fn perhaps_not(negated: bool, name: &str) -> Head {
    call(if negated { format!("not {name}") } else { name.to_owned() })
}

/// The head of an expression's form; casts are not here.
fn head(ast: &Expr) -> Head {
    match ast {
        Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => Head::Literal,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Head::Name,
        Expr::Nested(_) => Head::Same,
        Expr::BinaryOp { op: BinaryOperator::And, .. } => Head::Chain("and".to_owned()),
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => Head::Chain("or".to_owned()),
        Expr::UnaryOp { op: UnaryOperator::Minus, .. } if signed_number(ast).is_some() => Head::Literal,
        Expr::UnaryOp { op: UnaryOperator::Minus, .. } | Expr::BinaryOp { op: BinaryOperator::PGExp, .. } => {
            call(format!("^ {:?}", signs_of_powers(ast)))
        }
        Expr::BinaryOp { op, .. } => {
            let op = named(op).unwrap_or(op);
            match (comparison(op), pattern_operator(op)) {
                (Some(function), _) => call(format!("{function:?}")),
                (None, Some(pattern)) => perhaps_not(pattern.negated, &format!("{:?}", pattern.function)),
                (None, None) => call(format!("operator {op}")),
            }
        }
        Expr::UnaryOp { op, .. } => call(format!("before {op}")),
        Expr::Like { negated, any, escape_char, .. } => quantified(*negated, *any, escape_char.is_some(), "Like"),
        Expr::ILike { negated, any, escape_char, .. } => quantified(*negated, *any, escape_char.is_some(), "ILike"),
        Expr::SimilarTo { negated, escape_char, .. } => quantified(*negated, false, escape_char.is_some(), "similar"),
        Expr::IsNull(_) => call("is null"),
        Expr::IsNotNull(_) => call("is not null"),
        Expr::IsTrue(_) => call("is true"),
        Expr::IsNotTrue(_) => call("is not true"),
        Expr::IsFalse(_) => call("is false"),
        Expr::IsNotFalse(_) => call("is not false"),
        Expr::IsUnknown(_) => call("is unknown"),
        Expr::IsNotUnknown(_) => call("is not unknown"),
        Expr::IsDistinctFrom(..) => call("IsDistinct"),
        Expr::IsNotDistinctFrom(..) => call("IsNotDistinct"),
        Expr::Between { negated, low, .. } if symmetric_bound(low).is_none() => Head::Between(*negated),
        Expr::Between { negated, .. } => perhaps_not(*negated, "between symmetric"),
        Expr::InList { negated, list, .. } => perhaps_not(*negated, &format!("in {}", list.len())),
        Expr::InSubquery { negated: true, .. } | Expr::Exists { negated: true, .. } => call("before NOT"),
        Expr::InSubquery { .. } => call("in"),
        Expr::AnyOp { compare_op, .. } => call(format!("any {}", named(compare_op).unwrap_or(compare_op))),
        Expr::AllOp { compare_op, .. } => call(format!("all {}", named(compare_op).unwrap_or(compare_op))),
        Expr::Exists { .. } => call("exists"),
        Expr::Subquery(_) => call("scalar"),
        Expr::Case { operand, conditions, else_result, .. } => {
            call(format!("case {} {} {}", operand.is_some(), conditions.len(), else_result.is_some()))
        }
        _ => head_of_call(ast),
    }
}

fn quantified(negated: bool, any: bool, escape: bool, name: &str) -> Head {
    let any = if any { " any" } else { "" };
    let escape = if escape { " escape" } else { "" };
    perhaps_not(negated, &format!("{name}{any}{escape}"))
}

/// The same of functions and what looks like one.
fn head_of_call(ast: &Expr) -> Head {
    match ast {
        Expr::Extract { field, .. } => call(format!("extract {}", field.to_string().to_lowercase())),
        Expr::Ceil { .. } => call("function ceil"),
        Expr::Floor { .. } => call("function floor"),
        Expr::Position { .. } => call("position"),
        Expr::Substring { substring_from, substring_for, .. } => match (substring_from, substring_for) {
            (Some(_), _) => call("function substring"),
            (None, _) => call("substring for"),
        },
        Expr::Trim { trim_where, trim_what, trim_characters, .. } => {
            let what = trim_what.is_some() || trim_characters.is_some();
            call(format!("trim {trim_where:?} {what}"))
        }
        Expr::Overlay { .. } => call("overlay"),
        Expr::Array(array) => call(format!("array {}", array.elem.len())),
        Expr::Tuple(parts) => call(format!("row {}", parts.len())),
        Expr::AtTimeZone { .. } => call("at time zone"),
        Expr::Collate { collation, .. } => call(format!("collate {collation}")),
        Expr::CompoundFieldAccess { access_chain, .. } => accesses(access_chain),
        Expr::Function(function) => function_head(function).map_or(Head::Unknown, call),
        _ => Head::Unknown,
    }
}

fn accesses(chain: &[AccessExpr]) -> Head {
    let mut name = "access".to_owned();
    for access in chain {
        match access {
            AccessExpr::Dot(Expr::Identifier(field)) => name.push_str(&format!(".{}", Binder::fold(field))),
            AccessExpr::Subscript(ast::Subscript::Index { .. }) => name.push_str("[]"),
            AccessExpr::Subscript(ast::Subscript::Slice { lower_bound, upper_bound, stride: None }) => {
                name.push_str(&format!("[{}:{}]", lower_bound.is_some(), upper_bound.is_some()));
            }
            _ => return Head::Unknown,
        }
    }
    call(name)
}

/// A function's name with all that stands around its arguments; none of what is no plain list.
fn function_head(function: &ast::Function) -> Option<String> {
    let last = function.name.0.last()?.as_ident()?;
    let called = Binder::fold(last);
    let mut name = format!("function {}", if called == "substr" { "substring" } else { &called });
    let list = match &function.args {
        ast::FunctionArguments::List(list) => list,
        ast::FunctionArguments::None => return Some(name),
        ast::FunctionArguments::Subquery(_) => return Some(name + " of query"),
    };
    for argument in &list.args {
        match argument {
            // What its names stand for is told apart by what it computes.
            FunctionArg::Unnamed(FunctionArgExpr::Expr(part)) if is_lambda(part) => return None,
            FunctionArg::Unnamed(FunctionArgExpr::Expr(_)) => {}
            // Whole rows have no parts of their own.
            _ => write!(name, " {argument}").ok()?,
        }
    }
    if list.duplicate_treatment.is_some() {
        write!(name, " {:?}", list.duplicate_treatment).ok()?;
    }
    let mut directions = |items: &[ast::OrderByExpr]| {
        items.iter().try_for_each(|item| write!(name, " {:?} {:?}", item.options.sort, item.options.nulls_first))
    };
    for clause in &list.clauses {
        match clause {
            ast::FunctionArgumentClause::OrderBy(items) => directions(items).ok()?,
            _ => return None,
        }
    }
    directions(&function.within_group).ok()?;
    if function.filter.is_some() {
        name.push_str(" filter");
    }
    match &function.over {
        None => {}
        Some(over) => write!(name, " over {over}").ok()?,
    }
    Some(name)
}

impl Binder<'_, '_> {
    /// The head of an expression's form.
    pub(super) fn form_head(&mut self, ast: &Expr) -> Head {
        let Expr::Cast { expr, data_type, .. } = ast else { return head(ast) };
        let Ok(to) = self.data_type(data_type, None) else { return Head::Unknown };
        // A type's modifiers that are no part of it.
        let modifiers = super::restriction(data_type).map(|restriction| format!("{restriction:?}"));
        match &**expr {
            // Its elements are cast, and have no form for how they nest.
            Expr::Array(_) => Head::Unknown,
            _ => Head::Cast(to, modifiers),
        }
    }
}

/// The text of a query, in which names without quotes have no case.
pub(in crate::sql) fn text_of_query(query: &ast::Query) -> String {
    let mut text = query.to_string();
    let mut quote = None;
    // Both quotes and what they make up are one byte each.
    let folded: Vec<u8> = text
        .bytes()
        .map(|byte| match (quote, byte) {
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                byte
            }
            (Some(open), _) if open == byte => {
                quote = None;
                byte
            }
            (None, _) => byte.to_ascii_lowercase(),
            (Some(_), _) => byte,
        })
        .collect();
    if let Ok(folded) = String::from_utf8(folded) {
        text = folded;
    }
    text
}
