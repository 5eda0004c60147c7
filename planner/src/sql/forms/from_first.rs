//! Queries that begin with FROM: `FROM t` is `SELECT * FROM t`, and `FROM t SELECT a WHERE b` has its SELECT in front.
//!
//! FROM begins a query where one may begin: at the start of the statement, of parentheses, behind WITH's list and behind a set
//! operation.

use super::tokens::{Tokens, word};
use sqlparser::tokenizer::Token;

/// The words that a statement may begin with in which a query begins later, without parentheses.
const HEADS: [&str; 7] = ["with", "explain", "describe", "desc", "summarize", "insert", "create"];

/// Words behind which FROM belongs to them.
const TAKEN: [&str; 7] = ["select", "values", "delete", "update", "truncate", "for", "merge"];

/// What is known of a level of parentheses.
#[derive(Clone, Copy)]
struct Level {
    /// A query may begin: nothing but what stands before one has been there.
    is_open: bool,
    /// Nothing has been there since the parenthesis, or the set operation.
    is_new: bool,
}

impl Tokens {
    /// The places where a query begins that is no SELECT, as `starts` says of a token there.
    pub(super) fn query_starts(&self, starts: impl Fn(&Self, usize) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        let mut levels = vec![Level { is_open: true, is_new: true }];
        for at in (0..self.len()).filter(|&at| self.is_solid(at)) {
            let is_inner = levels.len() > 1;
            let Some(level) = levels.last_mut() else { return found };
            match self.at(at) {
                Token::LParen | Token::LBracket => {
                    level.is_open &= !level.is_new;
                    level.is_new = false;
                    levels.push(Level { is_open: true, is_new: true });
                }
                Token::RParen | Token::RBracket if is_inner => {
                    levels.pop();
                }
                Token::Word(_) => {
                    let is = |keywords: &[&str]| self.is_any(Some(at), keywords);
                    let (is_new, is_open) = (level.is_new, level.is_open);
                    level.is_new = false;
                    if is(&["union", "except", "intersect"]) {
                        *level = Level { is_open: false, is_new: true };
                    } else if (is_new || is_open) && starts(self, at) {
                        level.is_open = false;
                        found.push(at);
                    } else if is_new && !is_open && is(&["all", "distinct", "by", "name"]) {
                        level.is_new = true;
                    } else if is_new && is_open {
                        level.is_open = is(&HEADS);
                    } else if is(&TAKEN) {
                        level.is_open = false;
                    }
                }
                _ => {
                    level.is_open &= !level.is_new;
                    level.is_new = false;
                }
            }
        }
        found
    }

    /// Puts SELECT in front of FROM.
    pub(super) fn select_before_from(&mut self) {
        if !self.has("from") {
            return;
        }
        let starts = self.query_starts(|tokens, at| tokens.is(Some(at), "from"));
        for from in starts.into_iter().rev() {
            let select = self.end(from + 1, |tokens, at| tokens.is(Some(at), "select"));
            if select < self.len() && self.is(Some(select), "select") {
                let end = self.end(select + 1, Tokens::begins_clause);
                let list = self.take(select..end);
                self.put(from, list);
            } else {
                self.insert(from, from, [word("SELECT"), Token::Mul]);
            }
        }
    }
}
