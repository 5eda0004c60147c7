//! Clauses: GROUP BY ALL, LIMIT of a share, and what stands behind `*` in a select list.

use super::tokens::{Tokens, quoted, word};
use crate::function::DatePart;
use sqlparser::tokenizer::Token;

/// The function that stands for ALL in GROUP BY.
pub(in crate::sql) const GROUP_BY_ALL: &str = "group by all";

/// The function around a LIMIT that is a percentage.
pub(in crate::sql) const LIMIT_PERCENT: &str = "limit percent";

/// The function around a number of rows behind which those that are tied with the last come, too.
pub(in crate::sql) const LIMIT_WITH_TIES: &str = "limit with ties";

/// The function of columns by a pattern.
const COLUMNS: &str = "columns";

impl Tokens {
    /// Rewrites the clauses of this file.
    pub(super) fn clauses(&mut self) {
        for at in self.places("group") {
            self.group_by_all(at);
        }
        for at in self.places("limit") {
            self.limit_percent(at);
        }
        for at in self.places("fetch") {
            self.fetch_with_ties(at);
        }
        for at in self.places("interval") {
            self.interval(at);
        }
        for at in (0..self.len()).rev() {
            if *self.at(at) == Token::Mul {
                self.star(at);
            }
        }
    }

    /// `GROUP BY ALL` with no keys behind it.
    fn group_by_all(&mut self, group: usize) {
        let Some(by) = self.next(group + 1).filter(|&by| self.is(Some(by), "by")) else { return };
        let Some(all) = self.next(by + 1).filter(|&all| self.is(Some(all), "all")) else { return };
        let next = self.next(all + 1);
        let ends = next.is_none_or(|next| {
            matches!(self.at(next), Token::RParen | Token::SemiColon)
                || self.begins_clause(next)
                || self.is_any(Some(next), &["union", "except", "intersect", "for"])
        });
        if ends {
            self.set(all, quoted(GROUP_BY_ALL));
            self.insert(all + 1, all, [Token::LParen, Token::RParen]);
        }
    }

    /// `LIMIT 10%` and `LIMIT 10 PERCENT`.
    fn limit_percent(&mut self, limit: usize) {
        let end = self.end(limit + 1, Tokens::begins_clause);
        let Some(last) = self.before(end).filter(|&last| last > limit + 1) else { return };
        let is_percent = *self.at(last) == Token::Mod || self.is(Some(last), "percent");
        let begins = self.next(limit + 1).filter(|&first| is_percent && first < last);
        let Some(first) = begins else { return };
        self.set(last, Token::RParen);
        self.insert(first, first, [quoted(LIMIT_PERCENT), Token::LParen]);
    }

    /// `FETCH FIRST (n) ROWS WITH TIES`: sqlparser takes a literal only.
    fn fetch_with_ties(&mut self, fetch: usize) {
        let order = self.next(fetch + 1).filter(|&order| self.is_any(Some(order), &["first", "next"]));
        let Some(order) = order else { return };
        let Some(open) = self.next(order + 1).filter(|&open| *self.at(open) == Token::LParen) else { return };
        let rows = self.closing(open).and_then(|close| self.next(close + 1));
        let Some(rows) = rows.filter(|&rows| self.is_any(Some(rows), &["row", "rows"])) else { return };
        let Some(with) = self.next(rows + 1).filter(|&with| self.is(Some(with), "with")) else { return };
        let Some(ties) = self.next(with + 1).filter(|&ties| self.is(Some(ties), "ties")) else { return };
        for gone in [rows, with, ties] {
            self.drop_token(gone);
        }
        self.set(fetch, word("LIMIT"));
        self.set(order, quoted(LIMIT_WITH_TIES));
    }

    /// `interval (7) day`: sqlparser takes the number for digits of seconds.
    fn interval(&mut self, interval: usize) {
        let Some(open) = self.next(interval + 1).filter(|&open| *self.at(open) == Token::LParen) else { return };
        let number = self.next(open + 1).filter(|&number| matches!(self.at(number), Token::Number(..)));
        let close = number.and_then(|number| self.next(number + 1)).filter(|&close| *self.at(close) == Token::RParen);
        let Some(close) = close else { return };
        let is_unit = |unit: usize| match self.at(unit) {
            Token::Word(word) => word.value.len() > 2 && DatePart::named(&word.value.to_ascii_lowercase()).is_some(),
            _ => false,
        };
        if self.next(close + 1).is_some_and(is_unit) {
            self.drop_token(open);
            self.drop_token(close);
        }
    }

    /// `* REPLACE a + 1 AS a` without parentheses, `* LIKE 'a%'`, `*COLUMNS(…)`.
    fn star(&mut self, star: usize) {
        let before = self.before(star);
        let is_wildcard = before.is_some_and(|before| {
            matches!(self.at(before), Token::Comma | Token::LParen | Token::Period)
                || self.is_any(Some(before), &["select", "distinct", "all"])
        });
        if !is_wildcard {
            return;
        }
        let Some(next) = self.next(star + 1) else { return };
        if self.is(Some(next), "columns") && self.is_token(self.next(next + 1), &Token::LParen) {
            self.drop_token(star);
            self.set(next, quoted("*columns"));
            return;
        }
        let mut at = next;
        if self.is(Some(at), "exclude") {
            let Some(list) = self.next(at + 1) else { return };
            let end = if *self.at(list) == Token::LParen { self.closing(list) } else { self.name_end(list) };
            let Some(behind) = end.and_then(|end| self.next(end + 1)) else { return };
            at = behind;
        }
        if self.is(Some(at), "replace") {
            self.replace(at);
        } else if at == next {
            self.star_like(star, next);
        }
    }

    /// The last part of a name with dots.
    fn name_end(&self, mut at: usize) -> Option<usize> {
        while let Some(dot) = self.next(at + 1).filter(|&dot| *self.at(dot) == Token::Period) {
            at = self.next(dot + 1)?;
        }
        Some(at)
    }

    fn replace(&mut self, replace: usize) {
        let Some(first) = self.next(replace + 1) else { return };
        if *self.at(first) == Token::LParen {
            let close = self.closing(first);
            if !close.is_some_and(|close| self.is(self.next(close + 1), "as")) {
                return;
            }
        }
        let end = self.end(first, |tokens, at| tokens.is(Some(at), "as") || *tokens.at(at) == Token::Comma);
        if end < self.len()
            && self.is(Some(end), "as")
            && let Some(name) = self.next(end + 1)
        {
            self.insert(name + 1, name, [Token::RParen]);
            self.insert(first, first, [Token::LParen]);
        }
    }

    /// `* [NOT] LIKE 'pattern'` and its kin: columns by their names.
    fn star_like(&mut self, star: usize, next: usize) {
        if self.is_token(self.before(star), &Token::Period) {
            return;
        }
        let negated = self.is(Some(next), "not");
        let Some(like) = (if negated { self.next(next + 1) } else { Some(next) }) else { return };
        let operators = ["like", "ilike", "similar", "glob"];
        let Some(operator) = operators.into_iter().find(|operator| self.is(Some(like), operator)) else { return };
        let pattern = match operator {
            "similar" => self.next(like + 1).filter(|&to| self.is(Some(to), "to")).and_then(|to| self.next(to + 1)),
            _ => self.next(like + 1),
        };
        let is_text = |&at: &usize| matches!(self.at(at), Token::SingleQuotedString(_));
        let Some(pattern) = pattern.filter(is_text) else { return };
        let name = format!("{}{operator}", if negated { "not " } else { "" });
        self.insert(pattern + 1, pattern, [Token::RParen]);
        (star + 1..pattern).for_each(|at| self.drop_token(at));
        self.set(star, word(COLUMNS));
        self.insert(star + 1, star, [Token::LParen, Token::SingleQuotedString(name), Token::Comma]);
    }
}
