//! EXPLAIN and its options, in PostgreSQL's grammar. Those that there is nothing to show for are taken and mean nothing.

use super::binder::Binder;
use super::{ExplainForm, ExplainKind, Statement};
use crate::error::{Error, ErrorKind, Position, Result};
use sqlparser::ast;

/// What the options say.
#[derive(Default)]
struct Options {
    analyze: bool,
    loops: bool,
    kernels: bool,
    code: bool,
    form: ExplainForm,
}

impl Binder<'_, '_> {
    /// EXPLAIN [ANALYZE] query, EXPLAIN (options) query.
    pub(super) fn explain(
        self,
        analyze: bool,
        options: &[ast::UtilityOption],
        statement: &ast::Statement,
    ) -> Result<Statement> {
        let mut read = Options { analyze, ..Options::default() };
        for option in options {
            read.take(option).map_err(|error| error.at(self.position(option.name.span)))?;
        }
        let Options { analyze, loops, kernels, code, form } = read;
        let kind = match (loops, kernels, code) {
            (true, ..) => ExplainKind::Loops,
            (_, true, _) => ExplainKind::Kernels,
            (.., true) => ExplainKind::Code,
            _ => ExplainKind::Relation,
        };
        if form.json && kind != ExplainKind::Relation {
            return Err(conflict("LOOPS, KERNELS and CODE need FORMAT TEXT"));
        }
        let query = match statement {
            _ if let Some(bound) = self.changed_by(statement) => {
                if analyze || kind == ExplainKind::Code {
                    let what = "EXPLAIN with ANALYZE or CODE of a statement that changes rows is";
                    return Err(Error::unsupported(what).at(Some(Position(0))));
                }
                let bound = bound(self)?;
                bound.query().cloned().ok_or_else(|| Error::internal("a change without a query"))?
            }
            ast::Statement::Query(query) => self.whole_query(query)?,
            _ => return Err(Error::unsupported("EXPLAIN of what is no query is").at(Some(Position(0)))),
        };
        Ok(Statement::Explain { kind, analyze, form, query })
    }
}

impl Options {
    fn take(&mut self, ast::UtilityOption { name, arg }: &ast::UtilityOption) -> Result<()> {
        let option = name.value.to_ascii_lowercase();
        if option == "format" {
            self.form.json = is_json(arg.as_ref())?;
            return Ok(());
        }
        let on = switch(arg.as_ref()).ok_or_else(|| {
            let message = format!("{} requires a Boolean value", name.value);
            Error::new(ErrorKind::InvalidParameter, message)
        });
        match option.as_str() {
            "analyze" => self.analyze = on?,
            "loops" => self.loops = on?,
            "kernels" => self.kernels = on?,
            "code" => self.code = on?,
            "costs" => self.form.costs = on?,
            "timing" => self.form.timing = on?,
            "summary" => self.form.summary = Some(on?),
            "verbose" | "buffers" | "wal" | "settings" | "generic_plan" | "memory" => drop(on?),
            _ => {
                let error = Error::new(ErrorKind::Syntax, format!("unrecognized EXPLAIN option \"{option}\""));
                return Err(error.with_hint(
                    "Options are ANALYZE, LOOPS, KERNELS, CODE, FORMAT, COSTS, TIMING, SUMMARY, VERBOSE, BUFFERS, WAL and SETTINGS.",
                ));
            }
        }
        if u8::from(self.loops) + u8::from(self.kernels) + u8::from(self.code) > 1 {
            return Err(conflict("LOOPS, KERNELS and CODE cannot be used together"));
        }
        Ok(())
    }
}

fn conflict(what: &str) -> Error {
    Error::new(ErrorKind::InvalidParameter, format!("EXPLAIN options {what}"))
}

/// Whether a format is JSON.
fn is_json(arg: Option<&ast::Expr>) -> Result<bool> {
    let format = arg.and_then(word).ok_or_else(|| Error::new(ErrorKind::Syntax, "format requires a parameter"))?;
    match format.as_str() {
        "text" => Ok(false),
        "json" => Ok(true),
        "xml" | "yaml" => {
            let error = Error::unsupported(format!("EXPLAIN with FORMAT {} is", format.to_ascii_uppercase()));
            Err(error.with_hint("Formats are TEXT and JSON."))
        }
        _ => {
            let message = format!("unrecognized value for EXPLAIN option \"format\": \"{format}\"");
            Err(Error::new(ErrorKind::InvalidParameter, message).with_hint("Formats are TEXT and JSON."))
        }
    }
}

/// A word, a number or a text in quotes, in lower case.
fn word(arg: &ast::Expr) -> Option<String> {
    match arg {
        ast::Expr::Identifier(ident) => Some(ident.value.to_ascii_lowercase()),
        ast::Expr::Value(value) => match &value.value {
            ast::Value::Boolean(on) => Some(on.to_string()),
            ast::Value::Number(digits, _) => Some(digits.clone()),
            ast::Value::SingleQuotedString(text) => Some(text.to_ascii_lowercase()),
            _ => None,
        },
        _ => None,
    }
}

/// An option's value: on when none is given.
fn switch(arg: Option<&ast::Expr>) -> Option<bool> {
    let Some(arg) = arg else { return Some(true) };
    match word(arg)?.as_str() {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}
