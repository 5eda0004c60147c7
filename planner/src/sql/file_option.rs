//! Options of files: COPY's over tokens, those of functions in FROM over sqlparser's expressions. Both write texts, numbers,
//! booleans, lists (`['a', 'b']`; in COPY `(a, b)`, too) and structs (`{'a': 'b'}`).

use super::ahead::BRACES;
use super::session::Words;
use crate::catalog::{FileOption, FileOptions, OptionValue};
use crate::error::{Error, ErrorKind, Position, Result};
use sqlparser::ast;
use sqlparser::tokenizer::Token;

/// Lists and structs that may stand in each other.
const NESTED_MAX: usize = 16;

/// PostgreSQL's options before 9.0, which are words with their values behind them, and may have AS between.
const VALUED: [(&str, &str); 6] = [
    ("delimiter", "delimiter"),
    ("delimiters", "delimiter"),
    ("null", "null"),
    ("quote", "quote"),
    ("escape", "escape"),
    ("encoding", "encoding"),
];

impl Words<'_> {
    /// COPY's options, up to the end: `[WITH] (name value, …)`, or PostgreSQL's before 9.0.
    pub(super) fn copy_options(&mut self) -> Result<FileOptions> {
        let mut options = FileOptions::default();
        let _ = self.takes("with");
        if self.takes_token(&Token::LParen) {
            loop {
                let option = self.file_option()?;
                take(&mut options, option)?;
                if !self.takes_token(&Token::Comma) {
                    break;
                }
            }
            self.needs_token(&Token::RParen)?;
        } else {
            while self.next().is_some() {
                let option = self.old_option()?;
                take(&mut options, option)?;
            }
        }
        self.end()?;
        Ok(options)
    }

    fn file_option(&mut self) -> Result<FileOption> {
        let position = self.position();
        let name = self.name()?.to_ascii_lowercase();
        let ends = self.peeks_token(&Token::Comma) || self.peeks_token(&Token::RParen);
        let value = if ends { OptionValue::Boolean(true) } else { self.option_value(NESTED_MAX)? };
        Ok(FileOption { name, value, position })
    }

    fn old_option(&mut self) -> Result<FileOption> {
        let position = self.position();
        let option = |name: &str, value| FileOption { name: name.to_owned(), value, position };
        for (word, name) in VALUED {
            if self.takes(word) {
                let _ = self.takes("as");
                return Ok(option(name, OptionValue::Text(self.string()?)));
            }
        }
        for format in ["csv", "binary", "parquet"] {
            if self.takes(format) {
                return Ok(option("format", OptionValue::Text(format.to_owned())));
            }
        }
        for name in ["header", "freeze"] {
            if self.takes(name) {
                return Ok(option(name, OptionValue::Boolean(true)));
            }
        }
        if self.takes("force") {
            // `FORCE [NOT] NULL a, b`.
            let name = match (self.takes("quote"), self.takes("not")) {
                (true, _) => "force_quote",
                (false, true) => "force_not_null",
                (false, false) => "force_null",
            };
            if name != "force_quote" {
                self.needs("null")?;
            }
            if self.takes_token(&Token::Mul) {
                return Ok(option(name, OptionValue::Text("*".to_owned())));
            }
            let mut columns = vec![OptionValue::Text(self.name()?)];
            while self.takes_token(&Token::Comma) {
                columns.push(OptionValue::Text(self.name()?));
            }
            return Ok(option(name, OptionValue::List(columns)));
        }
        Err(self.unexpected())
    }

    fn option_value(&mut self, depth: usize) -> Result<OptionValue> {
        let close = match self.next() {
            Some(Token::LParen) => Token::RParen,
            Some(Token::LBracket) => Token::RBracket,
            Some(Token::LBrace) => Token::RBrace,
            _ => return self.single_value(),
        };
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Error::new(ErrorKind::TooComplex, "the statement nests too deeply").at(self.position()));
        };
        let is_struct = close == Token::RBrace;
        let open = self.next().cloned();
        let _ = open.is_some_and(|open| self.takes_token(&open));
        let (mut values, mut fields) = (Vec::new(), Vec::new());
        while !self.takes_token(&close) {
            if is_struct {
                let name = if matches!(self.next(), Some(Token::Word(_))) { self.name()? } else { self.string()? };
                self.needs_token(&Token::Colon)?;
                fields.push((name, self.option_value(depth)?));
            } else {
                values.push(self.option_value(depth)?);
            }
            if !self.peeks_token(&close) {
                self.needs_token(&Token::Comma)?;
            }
        }
        Ok(if is_struct { OptionValue::Struct(fields) } else { OptionValue::List(values) })
    }

    fn single_value(&mut self) -> Result<OptionValue> {
        if self.takes_token(&Token::Mul) {
            return Ok(OptionValue::Text("*".to_owned()));
        }
        match self.next() {
            Some(Token::Word(word)) if word.quote_style.is_none() => Ok(match self.name()?.as_str() {
                "true" => OptionValue::Boolean(true),
                "false" => OptionValue::Boolean(false),
                word => OptionValue::Text(word.to_owned()),
            }),
            Some(Token::Word(_)) => self.name().map(OptionValue::Text),
            Some(Token::Number(..) | Token::Minus | Token::Plus) => {
                let sign = if self.takes_token(&Token::Minus) { "-" } else { "" };
                let _ = sign.is_empty() && self.takes_token(&Token::Plus);
                let Some(Token::Number(digits, _)) = self.next() else { return Err(self.unexpected()) };
                let number = Token::Number(digits.clone(), false);
                let value = OptionValue::Number(format!("{sign}{digits}"));
                self.needs_token(&number)?;
                Ok(value)
            }
            _ => self.string().map(OptionValue::Text),
        }
    }
}

/// Adds an option of COPY.
fn take(options: &mut FileOptions, option: FileOption) -> Result<()> {
    match option.name.as_str() {
        "format" => options.set_format(option),
        // There is nothing to freeze: rows are seen at once by all who may see them.
        "freeze" => option.boolean().map(drop),
        _ => options.push(option),
    }
}

/// The constant that an argument of a function in FROM is.
///
/// Errors: 22023 for anything else.
pub(super) fn constant_of(argument: &ast::FunctionArgExpr, position: Option<Position>) -> Result<OptionValue> {
    let refused = || {
        let message = format!("an option of a file is a constant, not {argument}");
        Error::new(ErrorKind::InvalidParameter, message).at(position)
    };
    match argument {
        ast::FunctionArgExpr::Expr(expression) => value_of(expression, NESTED_MAX).ok_or_else(refused),
        _ => Err(refused()),
    }
}

fn value_of(expression: &ast::Expr, depth: usize) -> Option<OptionValue> {
    let depth = depth.checked_sub(1)?;
    let list = |values: &[ast::Expr]| values.iter().map(|value| value_of(value, depth)).collect::<Option<Vec<_>>>();
    Some(match expression {
        ast::Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) | ast::Value::EscapedStringLiteral(text) => {
                OptionValue::Text(text.clone())
            }
            ast::Value::DollarQuotedString(text) => OptionValue::Text(text.value.clone()),
            ast::Value::Boolean(value) => OptionValue::Boolean(*value),
            ast::Value::Number(digits, _) => OptionValue::Number(digits.clone()),
            _ => return None,
        },
        ast::Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => match value_of(expr, depth)? {
            OptionValue::Number(digits) => OptionValue::Number(format!("-{digits}")),
            _ => return None,
        },
        ast::Expr::Array(ast::Array { elem, named: _ }) => OptionValue::List(list(elem)?),
        ast::Expr::Tuple(values) => OptionValue::List(list(values)?),
        ast::Expr::Function(ast::Function { name, args: ast::FunctionArguments::List(arguments), .. })
            if name.0.last().and_then(ast::ObjectNamePart::as_ident).is_some_and(|name| name.value == BRACES) =>
        {
            let values: Vec<OptionValue> = arguments
                .args
                .iter()
                .map(|argument| match argument {
                    ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(value)) => value_of(value, depth),
                    _ => None,
                })
                .collect::<Option<_>>()?;
            let mut fields = Vec::with_capacity(values.len() / 2);
            let mut values = values.into_iter();
            while let Some(name) = values.next() {
                let (OptionValue::Text(name), Some(value)) = (name, values.next()) else { return None };
                fields.push((name, value));
            }
            OptionValue::Struct(fields)
        }
        _ => return None,
    })
}
