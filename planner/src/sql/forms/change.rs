//! What UPDATE, DELETE and INSERT have that sqlparser has no grammar for: ONLY and `*` at the table, which mean nothing
//! here, OVERRIDING, WHERE CURRENT OF, the options of an IDENTITY, and what ON CONFLICT says of a key besides its columns. sqlparser takes a list of names there, so an expression
//! becomes a name in quotes that is its text, and so does the condition behind the list.

use super::tokens::{Tokens, quoted};
use sqlparser::tokenizer::Token;

/// The function whose argument is the cursor of WHERE CURRENT OF.
pub(in crate::sql) const CURRENT_OF: &str = "current of";

/// The names that stand for OVERRIDING among INSERT's columns.
pub(in crate::sql) const OVERRIDING_SYSTEM: &str = "overriding system value";
pub(in crate::sql) const OVERRIDING_USER: &str = "overriding user value";

/// The name that stands for DEFAULT VALUES of MERGE.
pub(in crate::sql) const DEFAULT_VALUES: &str = "default values";

/// What the comment begins with that stands for the options of a column's IDENTITY.
pub(in crate::sql) const IDENTITY_OPTIONS: &str = "identity options: ";

/// What the name begins with that stands for an element of ON CONFLICT that is no column.
pub(in crate::sql) const CONFLICT_EXPRESSION: &str = "conflict over: ";

/// What the name begins with that stands for the condition behind ON CONFLICT's list.
pub(in crate::sql) const CONFLICT_PREDICATE: &str = "conflict where: ";

impl Tokens {
    /// Rewrites the clauses of this file.
    pub(super) fn changes(&mut self) {
        for at in self.places("update") {
            if !self.is_any(self.before(at), &["do", "for", "on", "key"]) {
                self.changed_table(at);
            }
        }
        for at in self.places("delete") {
            if let Some(from) = self.next(at + 1).filter(|&from| self.is(Some(from), "from")) {
                self.changed_table(from);
            }
        }
        for at in self.places("overriding") {
            self.overriding(at);
        }
        if self.has("merge") {
            for at in self.places("default") {
                self.default_values(at);
            }
        }
        for at in self.places("current") {
            self.current_of(at);
        }
        for at in self.places("conflict") {
            self.conflict(at);
        }
    }

    /// ONLY before a table's name, with parentheses around the name or not, or `*` behind it.
    fn changed_table(&mut self, before: usize) {
        let Some(first) = self.next(before + 1) else { return };
        if self.is(Some(first), "only") {
            self.drop_token(first);
            let open = self.next(first + 1).filter(|&open| *self.at(open) == Token::LParen);
            if let Some((open, close)) = open.and_then(|open| Some((open, self.closing(open)?))) {
                self.drop_token(open);
                self.drop_token(close);
            }
            return;
        }
        let mut last = first;
        while let Some(dot) = self.next(last + 1).filter(|&dot| *self.at(dot) == Token::Period) {
            let Some(part) = self.next(dot + 1) else { return };
            last = part;
        }
        if let Some(star) = self.next(last + 1).filter(|&star| *self.at(star) == Token::Mul) {
            self.drop_token(star);
        }
    }

    /// `INSERT DEFAULT VALUES` of MERGE becomes a row of VALUES with a name that stands for it.
    fn default_values(&mut self, at: usize) {
        let values = self.next(at + 1).filter(|&values| self.is(Some(values), "values"));
        let before = self.before(at);
        let inserts = self.is(before, "insert") && self.is(before.and_then(|at| self.before(at)), "then");
        let (Some(values), true) = (values, inserts) else { return };
        self.drop_token(at);
        self.insert(values + 1, values, [Token::LParen, quoted(DEFAULT_VALUES), Token::RParen]);
    }

    /// `OVERRIDING SYSTEM VALUE` and `OVERRIDING USER VALUE` of INSERT become the last name of its list of columns.
    fn overriding(&mut self, at: usize) {
        let kind = self.next(at + 1).filter(|&kind| self.is_any(Some(kind), &["system", "user"]));
        let value = kind.and_then(|kind| self.next(kind + 1)).filter(|&value| self.is(Some(value), "value"));
        let inserts =
            self.next(0).is_some_and(|first| self.is_any(Some(first), &["insert", "merge", "with", "explain"]));
        let (Some(kind), Some(value), true) = (kind, value, inserts && self.has("insert")) else { return };
        let is_system = self.is(Some(kind), "system");
        let name = quoted(if is_system { OVERRIDING_SYSTEM } else { OVERRIDING_USER });
        [at, kind, value].into_iter().for_each(|at| self.drop_token(at));
        match self.before(at).filter(|&close| *self.at(close) == Token::RParen) {
            Some(close) => self.insert(close, at, [Token::Comma, name]),
            None => self.insert(at, at, [Token::LParen, name, Token::RParen]),
        }
    }

    /// `GENERATED … AS IDENTITY (options)`: the options, whose order sqlparser minds, become a text behind it.
    pub(super) fn identities(&mut self) {
        for at in self.places("identity") {
            let open = self.next(at + 1).filter(|&open| *self.at(open) == Token::LParen);
            let Some(open) = open.filter(|_| self.is(self.before(at), "as")) else { continue };
            let Some(close) = self.closing(open) else { continue };
            let text = Token::SingleQuotedString(format!("{IDENTITY_OPTIONS}{}", self.text_of(open + 1, close)));
            (open..=close).for_each(|at| self.drop_token(at));
            self.insert(open, open, [Token::make_keyword("COMMENT"), text]);
        }
    }

    /// `WHERE CURRENT OF cursor`.
    fn current_of(&mut self, current: usize) {
        let Some(of) = self.next(current + 1).filter(|&of| self.is(Some(of), "of")) else { return };
        let name = self.next(of + 1).filter(|&name| matches!(self.at(name), Token::Word(_)));
        let Some(name) = name.filter(|_| self.is(self.before(current), "where")) else { return };
        self.set(current, quoted(CURRENT_OF));
        self.set(of, Token::LParen);
        self.insert(name + 1, name, [Token::RParen]);
    }

    /// `ON CONFLICT (elements) WHERE condition DO`.
    fn conflict(&mut self, conflict: usize) {
        let open = self.next(conflict + 1).filter(|&open| *self.at(open) == Token::LParen);
        let Some(open) = open.filter(|_| self.is(self.before(conflict), "on")) else { return };
        let Some(close) = self.closing(open) else { return };
        let condition = self.next(close + 1).filter(|&at| self.is(Some(at), "where"));
        let end = self.end(close + 1, |tokens, at| tokens.is(Some(at), "do"));
        // Elsewhere it is a function of that name behind a join's ON.
        if end == self.len() || !self.is(Some(end), "do") {
            return;
        }
        if let Some(condition) = condition {
            let Some(first) = self.next(condition + 1).filter(|&first| first < end) else { return };
            let text = self.text_of(first, end);
            (condition..end).for_each(|at| self.drop_token(at));
            self.insert(close, first, [Token::Comma, quoted(&format!("{CONFLICT_PREDICATE}{text}"))]);
        }
        let mut end = close;
        loop {
            let start = self.element_start(open, end);
            self.conflict_element(start + 1, end);
            if start == open {
                return;
            }
            end = start;
        }
    }

    /// The comma in front of the last element before a place, or the parenthesis that opens the list.
    fn element_start(&self, open: usize, end: usize) -> usize {
        let mut depth = 0usize;
        let is_start = |at: &usize| {
            match self.at(*at) {
                Token::RParen | Token::RBracket => depth += 1,
                Token::LParen | Token::LBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && *self.at(*at) == Token::Comma
        };
        (open + 1..end).rev().find(is_start).unwrap_or(open)
    }

    /// An element of ON CONFLICT's list: parentheses around a column go, and what is no column becomes its text.
    fn conflict_element(&mut self, start: usize, end: usize) {
        let is_there = |tokens: &Self, at: Option<usize>| at.filter(|&at| at < end && tokens.is_solid(at));
        let Some(mut first) = is_there(self, self.next(start)) else { return };
        let Some(mut last) = self.before(end) else { return };
        while first < last && *self.at(first) == Token::LParen && self.closing(first) == Some(last) {
            let (Some(inner), Some(before)) = (self.next(first + 1), self.before(last)) else { return };
            self.drop_token(first);
            self.drop_token(last);
            (first, last) = (inner, before);
        }
        if first < last {
            let text = self.text_of(first, last + 1);
            (first + 1..=last).for_each(|at| self.drop_token(at));
            self.set(first, quoted(&format!("{CONFLICT_EXPRESSION}{text}")));
        }
    }

    /// The tokens of a range, as text.
    fn text_of(&self, start: usize, end: usize) -> String {
        let words = (start..end).filter(|&at| self.is_solid(at)).map(|at| self.at(at).to_string());
        words.collect::<Vec<_>>().join(" ")
    }
}
