//! Lambdas and list comprehensions, as calls of functions.
//!
//! A lambda's names are arguments, its expression is the last: `"list lambda"(x, i, x + i)`. The older form with an arrow is read
//! where DuckDB's functions take a lambda, and nowhere else: it is an operator of json.

use super::tokens::{Tokens, quoted};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The function that stands for a lambda.
pub(in crate::sql) const LAMBDA: &str = "list lambda";

/// The function that stands for `[value FOR x IN list IF condition]`: of the list, the lambda of the value, and the one of the
/// condition.
pub(in crate::sql) const COMPREHENSION: &str = "list comprehension";

/// The function of columns, whose names a lambda may choose.
const COLUMNS: &str = "columns";

/// List comprehensions of a statement, at most: each is a step over all of its tokens.
const COMPREHENSIONS_MAX: usize = 1_000;

/// The functions that take a lambda as their second argument.
pub(in crate::sql) const TAKE_LAMBDAS: [&str; 11] = [
    "list_transform",
    "array_transform",
    "list_apply",
    "array_apply",
    "apply",
    "list_filter",
    "array_filter",
    "filter",
    "list_reduce",
    "array_reduce",
    "reduce",
];

impl Tokens {
    /// Rewrites what this file is about.
    pub(super) fn lambdas(&mut self) {
        // One that is put into its form has moved those within it.
        for _ in 0..COMPREHENSIONS_MAX {
            if !self.places("for").into_iter().any(|at| self.comprehension(at).is_some()) {
                break;
            }
        }
        for at in self.places("lambda") {
            self.lambda(at);
        }
        if (0..self.len()).any(|at| *self.at(at) == Token::Arrow) {
            for at in (0..self.len()).rev() {
                if self.is_any(Some(at), &TAKE_LAMBDAS) || self.is(Some(at), COLUMNS) {
                    self.arrows(at);
                }
            }
        }
    }

    /// The names from a place on, with commas between, and what stands behind them.
    fn names(&self, from: usize) -> Option<(Vec<usize>, usize)> {
        let mut names = Vec::new();
        let mut at = self.next(from)?;
        loop {
            let Token::Word(_) = self.at(at) else { return None };
            names.push(at);
            let behind = self.next(at + 1)?;
            if *self.at(behind) != Token::Comma {
                return Some((names, behind));
            }
            at = self.next(behind + 1)?;
        }
    }

    /// The end of an argument that begins at a place.
    fn argument_end(&self, from: usize) -> usize {
        self.end(from, |tokens, at| *tokens.at(at) == Token::Comma)
    }

    /// `lambda x, i: expression`, where an argument may stand.
    fn lambda(&mut self, lambda: usize) {
        let before = self.before(lambda);
        if !before.is_some_and(|before| matches!(self.at(before), Token::LParen | Token::Comma)) {
            return;
        }
        let Some((_, colon)) = self.names(lambda + 1).filter(|&(_, behind)| *self.at(behind) == Token::Colon) else {
            return;
        };
        let end = self.argument_end(colon + 1);
        self.insert(end, colon, [Token::RParen]);
        self.set(colon, Token::Comma);
        self.set(lambda, quoted(LAMBDA));
        self.insert(lambda + 1, lambda, [Token::LParen]);
    }

    /// `x -> expression` and `(x, i) -> expression` behind the first argument of a function's call.
    fn arrows(&mut self, name: usize) {
        let Some(open) = self.next(name + 1).filter(|&open| *self.at(open) == Token::LParen) else { return };
        let Some(close) = self.closing(open) else { return };
        // What PostgreSQL's users may call so themselves takes a json where its lambda does not mention what it declares.
        let is_plain = self.is_any(Some(name), &["apply", "filter", "reduce"]);
        let mut starts = Vec::new();
        if self.is(Some(name), COLUMNS) {
            starts.push(open + 1);
        }
        let mut at = self.argument_end(open + 1);
        while at < close && *self.at(at) == Token::Comma {
            starts.push(at + 1);
            at = self.argument_end(at + 1);
        }
        for start in starts.into_iter().rev() {
            self.arrow(start, is_plain);
        }
    }

    fn arrow(&mut self, start: usize, mentions: bool) {
        let Some(first) = self.next(start) else { return };
        let is_open = *self.at(first) == Token::LParen;
        let Some((names, behind)) = self.names(if is_open { first + 1 } else { first }) else { return };
        let arrow = match is_open {
            true => self.next(behind + 1).filter(|_| *self.at(behind) == Token::RParen),
            false => Some(behind).filter(|_| names.len() == 1),
        };
        let Some(arrow) = arrow.filter(|&arrow| *self.at(arrow) == Token::Arrow) else { return };
        let end = self.argument_end(arrow + 1);
        let is_mentioned = || (arrow + 1..end).any(|at| names.iter().any(|&name| self.is_same_name(at, name)));
        if mentions && !is_open && !is_mentioned() {
            return;
        }
        self.insert(end, arrow, [Token::RParen]);
        self.set(arrow, Token::Comma);
        if is_open {
            self.drop_token(first);
            self.drop_token(behind);
        }
        self.insert(first, first, [quoted(LAMBDA), Token::LParen]);
    }

    /// Whether two names are the same.
    fn is_same_name(&self, a: usize, b: usize) -> bool {
        match (self.at(a), self.at(b)) {
            (Token::Word(a), Token::Word(b)) => a.value.eq_ignore_ascii_case(&b.value),
            _ => false,
        }
    }

    /// The bracket around a place, with no comma between.
    fn bracket_around(&self, from: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in (0..from).rev() {
            match self.at(at) {
                Token::RParen | Token::RBracket | Token::RBrace => depth += 1,
                Token::LBracket if depth == 0 => return Some(at),
                Token::LParen | Token::LBracket | Token::LBrace => depth = depth.checked_sub(1)?,
                Token::Comma if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// `[value FOR x, i IN list IF condition]`; the condition may be left out. None if FOR stands for something else.
    fn comprehension(&mut self, each: usize) -> Option<()> {
        let open = self.bracket_around(each)?;
        let close = self.closing(open)?;
        let (names, is_in) = self.names(each + 1).filter(|&(_, behind)| self.is(Some(behind), "in"))?;
        let end = self.end(is_in + 1, |tokens, at| tokens.is(Some(at), "if"));
        if end > close {
            return None;
        }
        let span = self.span(each);
        let spanned = |token: Token| TokenWithSpan::new(token, span);
        let lambda = |body: Vec<TokenWithSpan>| {
            let mut all = vec![spanned(quoted(LAMBDA)), spanned(Token::LParen)];
            for &name in &names {
                all.extend(self.copy(name..name + 1));
                all.push(spanned(Token::Comma));
            }
            all.extend(body);
            all.push(spanned(Token::RParen));
            all
        };
        let mut all = vec![TokenWithSpan::new(quoted(COMPREHENSION), self.span(open)), spanned(Token::LParen)];
        all.extend(self.copy(is_in + 1..end));
        all.push(spanned(Token::Comma));
        all.extend(lambda(self.copy(open + 1..each)));
        if end < close {
            all.push(spanned(Token::Comma));
            all.extend(lambda(self.copy(end + 1..close)));
        }
        all.push(spanned(Token::RParen));
        self.take(open..close + 1);
        self.put(open, all);
        Some(())
    }
}
