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

/// Tokens among which what a lambda declares is looked for, at most.
const MENTIONED_MAX: usize = 1_000;

/// Which lambdas with an arrow are read among the arguments of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrows {
    None,
    /// From the second argument on.
    Behind,
    /// The same, of a name that users may have for a function of their own: an arrow is json's where its right side does not mention
    /// what a lambda would declare.
    Mentioned,
    /// In any argument.
    All,
}

/// Parentheses, brackets or braces that are open.
struct Open {
    is_call: bool,
    arrows: Arrows,
    /// Commas so far.
    argument: usize,
    /// Lambdas that end with the argument.
    lambdas: usize,
}

/// The head of a lambda: its names, and where its expression begins.
struct Head {
    names: Vec<usize>,
    body: usize,
}

impl Tokens {
    /// Rewrites what this file is about.
    pub(super) fn lambdas(&mut self) {
        if self.has("lambda") || (0..self.len()).any(|at| *self.at(at) == Token::Arrow) {
            self.lambdas_as_calls();
        }
        // One that is put into its form has moved those within it.
        for _ in 0..COMPREHENSIONS_MAX {
            if !self.places("for").into_iter().any(|at| self.comprehension(at).is_some()) {
                break;
            }
        }
    }

    /// Lambdas as calls, in one pass.
    fn lambdas_as_calls(&mut self) {
        let mut out = Vec::with_capacity(self.len());
        let mut open: Vec<Open> = Vec::new();
        let (mut at, mut begins, mut before) = (0, false, None);
        while at < self.len() {
            if begins
                && self.is_solid(at)
                && let Some(around) = open.last_mut()
                && let Some(head) = self.head(at, around)
            {
                around.lambdas += 1;
                let spanned = |token: Token| TokenWithSpan::new(token, self.span(at));
                out.extend([spanned(quoted(LAMBDA)), spanned(Token::LParen)]);
                for name in head.names {
                    out.extend(self.copy(name..name + 1));
                    out.push(spanned(Token::Comma));
                }
                (at, begins) = (head.body, false);
                continue;
            }
            let ends = matches!(self.at(at), Token::Comma | Token::RParen | Token::RBracket | Token::RBrace);
            if ends && let Some(around) = open.last_mut() {
                let lambdas = std::mem::take(&mut around.lambdas);
                around.argument += 1;
                out.extend((0..lambdas).map(|_| TokenWithSpan::new(Token::RParen, self.span(at))));
            }
            match self.at(at) {
                Token::LParen | Token::LBracket | Token::LBrace => open.push(self.opened(at, before)),
                Token::RParen | Token::RBracket | Token::RBrace => drop(open.pop()),
                _ => {}
            }
            if self.is_solid(at) {
                begins = matches!(self.at(at), Token::LParen | Token::Comma);
                before = Some(at);
            }
            out.extend(self.copy(at..at + 1));
            at += 1;
        }
        self.take(0..self.len());
        self.put(0, out);
    }

    /// What opens at a place behind another.
    fn opened(&self, at: usize, before: Option<usize>) -> Open {
        let arrows = if self.is(before, COLUMNS) {
            Arrows::All
        } else if self.is_any(before, &["apply", "filter", "reduce"]) {
            Arrows::Mentioned
        } else if self.is_any(before, &TAKE_LAMBDAS) {
            Arrows::Behind
        } else {
            Arrows::None
        };
        Open { is_call: *self.at(at) == Token::LParen, arrows, argument: 0, lambdas: 0 }
    }

    /// The head of the lambda that an argument is.
    fn head(&self, at: usize, around: &Open) -> Option<Head> {
        if !around.is_call {
            return None;
        }
        if self.is(Some(at), "lambda")
            && let Some((names, colon)) = self.names(at + 1)
            && *self.at(colon) == Token::Colon
        {
            return Some(Head { names, body: colon + 1 });
        }
        let may_be = around.arrows == Arrows::All || (around.arrows != Arrows::None && around.argument > 0);
        if !may_be {
            return None;
        }
        let is_open = *self.at(at) == Token::LParen;
        let (names, behind) = self.names(if is_open { at + 1 } else { at })?;
        let arrow = match is_open {
            true => self.next(behind + 1).filter(|_| *self.at(behind) == Token::RParen)?,
            false => Some(behind).filter(|_| names.len() == 1)?,
        };
        if *self.at(arrow) != Token::Arrow {
            return None;
        }
        let is_mentioned = || {
            let mut behind = (arrow + 1..self.len()).take(MENTIONED_MAX);
            behind.any(|at| names.iter().any(|&name| self.is_same_name(at, name)))
        };
        if around.arrows == Arrows::Mentioned && !is_open && !is_mentioned() {
            return None;
        }
        Some(Head { names, body: arrow + 1 })
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
