//! SEARCH and CYCLE behind a query of WITH RECURSIVE: sqlparser takes one identifier behind FROM there, so they become its text.

use super::tokens::{Tokens, quoted, word};
use sqlparser::tokenizer::Token;

impl Tokens {
    /// Rewrites SEARCH and CYCLE.
    pub(super) fn recursions(&mut self) {
        if !self.has("search") && !self.has("cycle") {
            return;
        }
        for at in (0..self.len()).rev() {
            let is_behind_query = || self.before(at).is_some_and(|before| self.closes(before));
            let next = self.next(at + 1);
            let is_search = self.is(Some(at), "search") && self.is_any(next, &["depth", "breadth"]);
            // A CYCLE behind SEARCH is part of its text.
            let is_cycle = self.is(Some(at), "cycle") && self.names_set(next);
            if (is_search || is_cycle) && is_behind_query() {
                self.recursion(at);
            }
        }
    }

    fn closes(&self, at: usize) -> bool {
        *self.at(at) == Token::RParen
    }

    /// Whether names stand at a place, and SET behind them: elsewhere `cycle` is an alias.
    fn names_set(&self, mut at: Option<usize>) -> bool {
        loop {
            let Some(name) = at.filter(|&name| matches!(self.at(name), Token::Word(_))) else { return false };
            match self.next(name + 1) {
                Some(comma) if *self.at(comma) == Token::Comma => at = self.next(comma + 1),
                behind => return self.is(behind, "set"),
            }
        }
    }

    fn recursion(&mut self, at: usize) {
        // The clauses end with the name behind SET (of SEARCH), or behind USING (of CYCLE).
        let mut end = at;
        if self.is(Some(at), "search") {
            let set = self.end(at, |tokens, at| tokens.is(Some(at), "set"));
            let Some(name) = self.next(set + 1) else { return };
            end = name + 1;
        }
        let cycle = self.next(end).filter(|&cycle| self.is(Some(cycle), "cycle"));
        if let Some(cycle) = cycle {
            let using = self.end(cycle, |tokens, at| tokens.is(Some(at), "using"));
            let Some(name) = self.next(using + 1).filter(|_| self.is(Some(using), "using")) else { return };
            end = name + 1;
        }
        let words = (at..end).filter(|&at| self.is_solid(at)).map(|at| self.at(at).to_string());
        let text = words.collect::<Vec<_>>().join(" ");
        self.set(at, word("FROM"));
        (at + 1..end).for_each(|at| self.drop_token(at));
        self.insert(at + 1, at, [quoted(&text)]);
    }
}
