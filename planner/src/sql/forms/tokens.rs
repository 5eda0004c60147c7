//! The tokens of a statement while their forms are changed.

use crate::sql::keyword::is_keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Whitespace};

/// The words of set operations.
const SETS: [&str; 3] = ["union", "except", "intersect"];

/// The tokens of a statement.
pub(super) struct Tokens {
    all: Vec<TokenWithSpan>,
}

impl Tokens {
    pub(super) fn new(all: Vec<TokenWithSpan>) -> Self {
        Tokens { all }
    }

    pub(super) fn into_inner(self) -> Vec<TokenWithSpan> {
        self.all
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The token at a place.
    pub(super) fn at(&self, at: usize) -> &Token {
        &self.all[at].token
    }

    pub(super) fn span(&self, at: usize) -> Span {
        self.all[at].span
    }

    pub(super) fn set(&mut self, at: usize, token: Token) {
        self.all[at].token = token;
    }

    /// Leaves a token out.
    pub(super) fn drop_token(&mut self, at: usize) {
        self.all[at].token = Token::Whitespace(Whitespace::Space);
    }

    /// Puts tokens in front of a place, with the span of the token `of`.
    pub(super) fn insert(&mut self, at: usize, of: usize, tokens: impl IntoIterator<Item = Token>) {
        let span = self.all[of].span;
        self.all.splice(at..at, tokens.into_iter().map(|token| TokenWithSpan::new(token, span)));
    }

    /// Takes the tokens of a range out.
    pub(super) fn take(&mut self, range: std::ops::Range<usize>) -> Vec<TokenWithSpan> {
        self.all.drain(range).collect()
    }

    /// Puts tokens in front of a place.
    pub(super) fn put(&mut self, at: usize, tokens: Vec<TokenWithSpan>) {
        self.all.splice(at..at, tokens);
    }

    pub(super) fn copy(&self, range: std::ops::Range<usize>) -> Vec<TokenWithSpan> {
        self.all[range].to_vec()
    }

    /// Whether it is a token that says something.
    pub(super) fn is_solid(&self, at: usize) -> bool {
        !matches!(self.all[at].token, Token::Whitespace(_) | Token::EOF)
    }

    /// The next token from a place on that says something.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        (from..self.all.len()).find(|&at| self.is_solid(at))
    }

    /// The one before a place.
    pub(super) fn before(&self, from: usize) -> Option<usize> {
        (0..from.min(self.all.len())).rev().find(|&at| self.is_solid(at))
    }

    /// Whether a keyword, in lower case, stands at a place.
    pub(super) fn is(&self, at: Option<usize>, keyword: &str) -> bool {
        at.is_some_and(|at| is_keyword(&self.all[at].token, keyword))
    }

    pub(super) fn is_any(&self, at: Option<usize>, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(at, keyword))
    }

    /// Whether a token stands at a place.
    pub(super) fn is_token(&self, at: Option<usize>, token: &Token) -> bool {
        at.is_some_and(|at| self.all[at].token == *token)
    }

    /// Whether a keyword stands anywhere.
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.all.iter().any(|token| is_keyword(&token.token, keyword))
    }

    /// The places of a keyword, the last first.
    pub(super) fn places(&self, keyword: &str) -> Vec<usize> {
        (0..self.all.len()).rev().filter(|&at| self.is(Some(at), keyword)).collect()
    }

    /// What closes the parenthesis, bracket or brace at a place.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..self.all.len() {
            match &self.all[at].token {
                Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
                Token::RParen | Token::RBracket | Token::RBrace => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The first place from another on, in the same parentheses, where `ends` holds or the parentheses, a set operation's left
    /// side or the statement end; the number of tokens if it is the last of these.
    pub(super) fn end(&self, from: usize, ends: impl Fn(&Self, usize) -> bool) -> usize {
        let mut depth = 0usize;
        for at in from..self.all.len() {
            match &self.all[at].token {
                Token::Whitespace(_) => {}
                Token::EOF | Token::SemiColon => return at,
                token => {
                    if depth == 0 && (ends(self, at) || SETS.iter().any(|set| is_keyword(token, set))) {
                        return at;
                    }
                    match token {
                        Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
                        Token::RParen | Token::RBracket | Token::RBrace => match depth.checked_sub(1) {
                            Some(less) => depth = less,
                            None => return at,
                        },
                        _ => {}
                    }
                }
            }
        }
        self.all.len()
    }

    /// Whether a clause of a query that stands behind its FROM begins at a place.
    pub(super) fn begins_clause(&self, at: usize) -> bool {
        const ALONE: [&str; 7] = ["where", "having", "window", "limit", "offset", "fetch", "qualify"];
        let next = || self.next(at + 1);
        self.is_any(Some(at), &ALONE)
            || self.is_any(Some(at), &["group", "order"]) && self.is(next(), "by")
            || self.is(Some(at), "using") && self.is(next(), "sample")
            || self.is(Some(at), "for") && self.is_any(next(), &["update", "share", "no", "key"])
    }
}

/// A keyword as a token.
pub(super) fn word(keyword: &str) -> Token {
    Token::make_keyword(keyword)
}

/// A name in quotes as a token.
pub(super) fn quoted(name: &str) -> Token {
    Token::make_word(name, Some('"'))
}
