//! EXPLAIN and its options.

use super::binder::Binder;
use super::{ExplainKind, Statement};
use crate::error::{Error, ErrorKind, Position, Result};
use sqlparser::ast;

impl Binder<'_, '_> {
    /// EXPLAIN [ANALYZE] query, EXPLAIN (options) query.
    pub(super) fn explain(
        self,
        mut analyze: bool,
        options: &[ast::UtilityOption],
        statement: &ast::Statement,
    ) -> Result<Statement> {
        let mut kind = ExplainKind::Relation;
        for ast::UtilityOption { name, arg } in options {
            let position = self.position(name.span);
            let on = switch(arg.as_ref()).ok_or_else(|| {
                let message = format!("EXPLAIN option {} requires a Boolean value", name.value);
                Error::new(ErrorKind::InvalidParameter, message).at(position)
            })?;
            let asked = match name.value.to_ascii_lowercase().as_str() {
                "analyze" => {
                    analyze = on;
                    continue;
                }
                "loops" => ExplainKind::Loops,
                "kernels" => ExplainKind::Kernels,
                other => {
                    let error = Error::unsupported(format_args!("EXPLAIN option {other} is"));
                    return Err(error.with_hint("Options are ANALYZE, LOOPS and KERNELS.").at(position));
                }
            };
            if on && kind != ExplainKind::Relation && kind != asked {
                let message = "EXPLAIN options LOOPS and KERNELS cannot be used together";
                return Err(Error::new(ErrorKind::InvalidParameter, message).at(position));
            }
            if on {
                kind = asked;
            }
        }
        match statement {
            ast::Statement::Query(query) => {
                let query = self.whole_query(query)?;
                Ok(Statement::Explain { kind, analyze, query })
            }
            _ => Err(Error::unsupported("EXPLAIN of what is no query is").at(Some(Position(0)))),
        }
    }
}

/// An option's value: on when none is given.
fn switch(arg: Option<&ast::Expr>) -> Option<bool> {
    let word = match arg {
        None => return Some(true),
        Some(ast::Expr::Identifier(ident)) => ident.value.to_ascii_lowercase(),
        Some(ast::Expr::Value(value)) => match &value.value {
            ast::Value::Boolean(on) => return Some(*on),
            ast::Value::Number(digits, _) => digits.clone(),
            ast::Value::SingleQuotedString(text) => text.to_ascii_lowercase(),
            _ => return None,
        },
        Some(_) => return None,
    };
    match word.as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}
