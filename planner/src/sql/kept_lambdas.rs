//! Lambdas in expressions that are kept as text.
//!
//! Columns stand there without their table, so that a variable of a column's name would hide it: it gets another one, when the text
//! is made, and when a column is given the variable's.

use super::binder::Binder;
use super::expression::plain_argument;
use super::forms::{COMPREHENSION, LAMBDA};
use super::kept::{Kept, is_name};
use super::spelling::is_keyword;
use crate::evaluate::quote::identifier as quoted;
use sqlparser::ast::{self, Expr};
use sqlparser::tokenizer::Token;

/// The expressions that a call's arguments are.
fn arguments(call: &Expr) -> Option<Vec<&Expr>> {
    let Expr::Function(ast::Function { args: ast::FunctionArguments::List(list), .. }) = call else { return None };
    list.args.iter().map(plain_argument).collect()
}

/// A name with a number behind it that is not taken.
fn other_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut numbered = (1..).map(|number| format!("{name}_{number}"));
    numbered.find(|name| !is_taken(name)).unwrap_or_default()
}

impl Kept<'_> {
    /// What the variable of a name is called in the text; none of what is no variable.
    pub(super) fn variable(&self, name: &ast::Ident) -> Option<&str> {
        if self.variables.is_empty() {
            return None;
        }
        let name = Binder::fold(name);
        self.variables.iter().rev().find(|(known, _)| *known == name).map(|(_, called)| called.as_str())
    }

    /// The members of a variable.
    pub(super) fn members(&self, parts: &[ast::Ident]) -> String {
        let name = |(at, part): (usize, &ast::Ident)| match self.variable(part) {
            Some(variable) if at == 0 => quoted(variable),
            _ => part.to_string(),
        };
        parts.iter().enumerate().map(name).collect::<Vec<_>>().join(".")
    }

    /// The names and the body of a lambda.
    fn parts_of_lambda(&self, arguments: &[&Expr]) -> Option<(String, String)> {
        let (body, names) = arguments.split_last()?;
        let mut variables = self.variables.clone();
        for name in names {
            let Expr::Identifier(ident) = name else { return None };
            let name = Binder::fold(ident);
            let is_taken = |name: &str| {
                self.fields.iter().any(|field| field.name == name) || variables.iter().any(|(_, known)| known == name)
            };
            let called = if is_taken(&name) { other_name(&name, is_taken) } else { name.clone() };
            variables.push((name, called));
        }
        let called = variables[self.variables.len()..].iter().map(|(_, called)| quoted(called));
        let called = called.collect::<Vec<_>>().join(", ");
        let body = Kept { fields: self.fields, read: self.read, variables }.text(body, None);
        Some((called, body))
    }

    /// A lambda or a list comprehension, as it is written; none of another call.
    pub(super) fn lambda(&self, name: &str, list: &ast::FunctionArgumentList) -> Option<String> {
        if name != LAMBDA && name != COMPREHENSION {
            return None;
        }
        let parts = list.args.iter().map(plain_argument).collect::<Option<Vec<&Expr>>>()?;
        if name == LAMBDA {
            let (names, body) = self.parts_of_lambda(&parts)?;
            return Some(format!("lambda {names}: {body}"));
        }
        let (of, lambdas) = parts.split_first()?;
        let of = self.text(of, None);
        let (names, value) = self.parts_of_lambda(&arguments(lambdas.first()?)?)?;
        let condition = match lambdas.get(1) {
            Some(condition) => format!(" IF {}", self.parts_of_lambda(&arguments(condition)?)?.1),
            None => String::new(),
        };
        Some(format!("[{value} FOR {names} IN {of}{condition}]"))
    }
}

/// A kept text in which no lambda has a variable of a name.
pub(super) fn without_variable(tokens: Vec<Token>, name: &str) -> Vec<Token> {
    if !declares(&tokens, name) {
        return tokens;
    }
    let is = |token: &Token, name: &str| matches!(token, Token::Word(word) if is_name(word, name));
    let other = other_name(name, |name| tokens.iter().any(|token| is(token, name)));
    let renamed = |token: Token| match token {
        Token::Word(word) if is_name(&word, name) => Token::make_word(&other, Some('"')),
        token => token,
    };
    tokens.into_iter().map(renamed).collect()
}

/// Whether some lambda has a variable of a name: `lambda a, b:` or `FOR a, b IN`.
fn declares(tokens: &[Token], name: &str) -> bool {
    let begins = |token: &Token| is_keyword(token, "lambda") || is_keyword(token, "for");
    let names = |at: usize| {
        let solid = tokens[at + 1..].iter().filter(|token| !matches!(token, Token::Whitespace(_) | Token::Comma));
        solid.map_while(|token| match token {
            Token::Word(word) if !is_keyword(token, "in") => Some(word),
            _ => None,
        })
    };
    (0..tokens.len()).any(|at| begins(&tokens[at]) && names(at).any(|word| is_name(word, name)))
}

#[cfg(test)]
mod tests {
    use super::super::kept::column_renamed;

    #[test]
    fn a_column_of_a_variables_name() {
        for (text, renamed) in [
            ("list_transform(l, lambda x: (x + a))", "list_transform(l, lambda \"x_1\": (\"x_1\" + x))"),
            ("[(x + i) FOR x, i IN l IF (i > a)]", "[(\"x_1\" + i) FOR \"x_1\", i IN l IF (i > x)]"),
            ("list_transform(a, lambda y: (y + a))", "list_transform(x, lambda y: (y + x))"),
            ("(a > 0)", "(x > 0)"),
        ] {
            assert_eq!(column_renamed(text, "a", "x"), renamed);
        }
    }
}
