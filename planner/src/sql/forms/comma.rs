//! Commas behind the last item of a list.

use super::tokens::Tokens;
use sqlparser::tokenizer::Token;

/// Words of clauses that no item of a list begins with, as PostgreSQL reserves them.
const CLAUSES: [&str; 13] = [
    "from",
    "where",
    "having",
    "limit",
    "offset",
    "fetch",
    "union",
    "intersect",
    "except",
    "window",
    "for",
    "into",
    "returning",
];

impl Tokens {
    /// Leaves out commas with no item behind them.
    pub(super) fn trailing_commas(&mut self) {
        // For each open parenthesis its place and the commas in it.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut before: Option<usize> = None;
        for at in 0..self.len() {
            if !self.is_solid(at) {
                continue;
            }
            match self.at(at) {
                Token::LParen | Token::LBracket => open.push((at, 0)),
                Token::RParen | Token::RBracket => {
                    open.pop();
                }
                Token::Comma => {
                    let innermost = open.last().copied();
                    if self.ends_list(at) && before.is_some_and(|before| self.ends_item(before, innermost)) {
                        self.drop_token(at);
                        continue;
                    }
                    open.last_mut().into_iter().for_each(|(_, commas)| *commas += 1);
                }
                _ => {}
            }
            before = Some(at);
        }
    }

    /// Whether a list ends behind a comma.
    fn ends_list(&self, comma: usize) -> bool {
        let next = self.next(comma + 1);
        match next.map(|at| self.at(at)) {
            None | Some(Token::RParen | Token::RBracket | Token::SemiColon) => true,
            Some(Token::Word(_)) => {
                let at = next.unwrap_or_default();
                self.is_any(next, &CLAUSES)
                    || self.is_any(next, &["group", "order"]) && self.is(self.next(at + 1), "by")
            }
            _ => false,
        }
    }

    /// Whether an item may end with the token before the comma, in the innermost parentheses.
    fn ends_item(&self, before: usize, innermost: Option<(usize, usize)>) -> bool {
        if matches!(self.at(before), Token::Comma | Token::LParen | Token::LBracket) || self.is(Some(before), "select")
        {
            return false;
        }
        // `(a,)` is a row, where it is no list of arguments, values or names.
        match innermost {
            Some((open, 0)) if *self.at(open) == Token::LParen => self
                .before(open)
                .is_some_and(|at| matches!(self.at(at), Token::Word(_)) && !self.is(Some(at), "select")),
            _ => true,
        }
    }
}
