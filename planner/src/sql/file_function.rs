//! Files in FROM with options: `read_csv('f', delim => ';', header => true)`, `read_parquet('f')`, `read_arrow('f')`.
//!
//! Options have DuckDB's names, and COPY's where these differ.

use super::binder::Binder;
use crate::catalog::CopyOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::FromItem;
use sqlparser::ast::{self, Spanned as _};

/// A constant as an option.
enum Constant {
    Text(String),
    Boolean(bool),
}

impl Binder<'_, '_> {
    /// A function that reads a file; none for any other.
    pub(super) fn bind_file_function(
        &mut self,
        name: &ast::ObjectName,
        args: &[ast::FunctionArg],
    ) -> Result<Option<FromItem>> {
        let position = self.position(name.span());
        let (_, ident) = self.split_name(name)?;
        let format = match Self::fold(ident).as_str() {
            "read_csv" | "read_csv_auto" => Some("csv".to_owned()),
            "read_parquet" | "parquet_scan" => Some("parquet".to_owned()),
            "read_arrow" | "read_ipc" => Some("arrow".to_owned()),
            _ => return Ok(None),
        };
        let mut options = CopyOptions { format, ..CopyOptions::default() };
        let mut path = None;
        for arg in args {
            match arg {
                ast::FunctionArg::Unnamed(arg) if path.is_none() => path = Some(text_of(constant_of(arg)?)?),
                ast::FunctionArg::Named { name, arg, .. } => {
                    let option = constant_of(arg).and_then(|value| set_option(&mut options, &Self::fold(name), value));
                    option.map_err(|error| error.at(self.position(name.span)))?;
                }
                ast::FunctionArg::ExprNamed { name: ast::Expr::Identifier(name), arg, .. } => {
                    let option = constant_of(arg).and_then(|value| set_option(&mut options, &Self::fold(name), value));
                    option.map_err(|error| error.at(self.position(name.span)))?;
                }
                // `name = value`, as DuckDB has it, too.
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::BinaryOp {
                    left,
                    op: ast::BinaryOperator::Eq,
                    right,
                })) if matches!(&**left, ast::Expr::Identifier(_)) => {
                    let ast::Expr::Identifier(name) = &**left else { continue };
                    let arg = ast::FunctionArgExpr::Expr((**right).clone());
                    let option = constant_of(&arg).and_then(|value| set_option(&mut options, &Self::fold(name), value));
                    option.map_err(|error| error.at(self.position(name.span)))?;
                }
                _ => return Err(invalid(format!("unexpected argument {arg}")).at(position)),
            }
        }
        let path = path.ok_or_else(|| invalid(format!("{name} needs the path of a file")).at(position))?;
        self.builder.file(&path, &options, position).map(Some)
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}

fn constant_of(arg: &ast::FunctionArgExpr) -> Result<Constant> {
    if let ast::FunctionArgExpr::Expr(ast::Expr::Value(value)) = arg {
        match &value.value {
            ast::Value::SingleQuotedString(text) | ast::Value::EscapedStringLiteral(text) => {
                return Ok(Constant::Text(text.clone()));
            }
            ast::Value::Boolean(value) => return Ok(Constant::Boolean(*value)),
            _ => {}
        }
    }
    Err(invalid(format!("an option of a file is a text or a boolean, not {arg}")))
}

fn text_of(value: Constant) -> Result<String> {
    match value {
        Constant::Text(text) => Ok(text),
        Constant::Boolean(value) => Err(invalid(format!("a text is expected, not {value}"))),
    }
}

fn boolean_of(value: &Constant) -> Result<bool> {
    match value {
        Constant::Boolean(value) => Ok(*value),
        Constant::Text(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Ok(true),
            "false" | "off" | "0" => Ok(false),
            _ => Err(invalid(format!("a boolean is expected, not '{text}'"))),
        },
    }
}

/// One character; none is none.
fn character_of(value: Constant) -> Result<Option<char>> {
    let text = text_of(value)?;
    let text = if text == "\\t" { "\t".to_owned() } else { text };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (first, None) => Ok(first),
        _ => Err(invalid(format!("a single character is expected, not '{text}'"))),
    }
}

fn set_option(options: &mut CopyOptions, name: &str, value: Constant) -> Result<()> {
    let needed = |character: Option<char>| {
        character.ok_or_else(|| invalid(format!("option \"{name}\" must be a single character")))
    };
    if options.format.as_deref() != Some("csv") {
        return Err(invalid(format!("option \"{name}\" does not go with this format")));
    }
    match name {
        "delim" | "sep" | "delimiter" => options.delimiter = Some(needed(character_of(value)?)?),
        "header" => options.header = Some(boolean_of(&value)?),
        "quote" => match character_of(value)? {
            Some(quote) => options.quote = Some(quote),
            None => options.unquoted = true,
        },
        "escape" => options.escape = character_of(value)?,
        "nullstr" | "null" => options.null = Some(text_of(value)?),
        "decimal_separator" => options.decimal = Some(needed(character_of(value)?)?),
        "all_varchar" => options.all_text = boolean_of(&value)?,
        // What is always so.
        "auto_detect" | "union_by_name" if boolean_of(&value)? => {}
        _ => {
            let known = "delim, header, quote, escape, nullstr, decimal_separator and all_varchar";
            return Err(invalid(format!("option \"{name}\" is not known")).with_hint(format!("Options are {known}.")));
        }
    }
    Ok(())
}
