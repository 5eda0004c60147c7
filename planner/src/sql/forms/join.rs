//! ASOF and POSITIONAL joins, of which sqlparser reads others.

use super::tokens::{Tokens, quoted, word};
use sqlparser::tokenizer::Token;

/// What stands first in the condition of an ASOF join: a function, or the first column of USING.
pub(in crate::sql) const ASOF_JOIN: &str = "asof join";

/// The condition of a POSITIONAL join: a function.
pub(in crate::sql) const POSITIONAL_JOIN: &str = "positional join";

impl Tokens {
    /// Rewrites joins.
    pub(super) fn joins(&mut self) {
        for at in self.places("asof") {
            self.asof(at);
        }
        for at in self.places("positional") {
            self.positional(at);
        }
    }

    /// `ASOF [LEFT [OUTER] | RIGHT | FULL | INNER | SEMI | ANTI] JOIN b ON c`.
    fn asof(&mut self, asof: usize) {
        let mut at = self.next(asof + 1);
        while self.is_any(at, &["left", "right", "full", "inner", "outer", "semi", "anti"]) {
            at = at.and_then(|at| self.next(at + 1));
        }
        let Some(join) = at.filter(|_| self.is(at, "join")) else { return };
        let condition = self.end(join + 1, |tokens, at| tokens.is_any(Some(at), &["on", "using", "match_condition"]));
        if condition >= self.len() || self.is(Some(condition), "match_condition") {
            return;
        }
        if self.is(Some(condition), "on") {
            self.insert(condition + 1, asof, [quoted(ASOF_JOIN), Token::LParen, Token::RParen, word("AND")]);
        } else if let Some(open) = self.next(condition + 1).filter(|&open| *self.at(open) == Token::LParen) {
            self.insert(open + 1, asof, [quoted(ASOF_JOIN), Token::Comma]);
        } else {
            return;
        }
        self.drop_token(asof);
    }

    /// `a POSITIONAL JOIN b`, with an alias or not.
    fn positional(&mut self, positional: usize) {
        let Some(join) = self.next(positional + 1).filter(|&join| self.is(Some(join), "join")) else { return };
        let end = self.end(join + 1, |tokens, at| {
            const JOINS: [&str; 13] = [
                "join",
                "inner",
                "left",
                "right",
                "full",
                "cross",
                "natural",
                "asof",
                "semi",
                "anti",
                "positional",
                "on",
                "using",
            ];
            *tokens.at(at) == Token::Comma
                || tokens.begins_clause(at)
                || tokens.is_any(Some(at), &JOINS)
                || tokens.is(Some(at), "select")
        });
        // Then it is an alias.
        if end < self.len() && self.is_any(Some(end), &["on", "using"]) {
            return;
        }
        let Some(last) = self.before(end).filter(|&last| last > join) else { return };
        self.set(positional, word("FULL"));
        self.insert(last + 1, positional, [word("ON"), quoted(POSITIONAL_JOIN), Token::LParen, Token::RParen]);
    }
}
