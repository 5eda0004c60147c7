//! Samples: TABLESAMPLE in DuckDB's forms, and USING SAMPLE.
//!
//! | written | parsed as |
//! |---|---|
//! | `TABLESAMPLE 10%`, `(10%)`, `10 PERCENT`, `reservoir(5 ROWS)`, `5 ROWS`, `10% (bernoulli, 3)` | `TABLESAMPLE method (n PERCENT)` or `ROW (n ROWS)`, `REPEATABLE (3)` |
//! | `FROM a WHERE b USING SAMPLE …` | `FROM a WHERE "using sample"('method', n, 'unit', seed) AND (b)` |

use super::tokens::{Tokens, quoted, word};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The function that stands for USING SAMPLE, first in WHERE: a method (empty if it is not said), an amount, `%` or `rows`, and a
/// seed, if there is one.
pub(in crate::sql) const USING_SAMPLE: &str = "using sample";

/// How many rows a sample has.
struct Sample {
    method: Option<String>,
    amount: Vec<TokenWithSpan>,
    is_share: bool,
    seed: Option<TokenWithSpan>,
    /// Where it ends.
    end: usize,
}

impl Tokens {
    /// Rewrites samples.
    pub(super) fn samples(&mut self) {
        for at in self.places("sample") {
            let using = self.before(at).filter(|&using| self.is(Some(using), "using"));
            if let Some((using, sample)) = using.and_then(|using| Some((using, self.sample(at + 1)?))) {
                self.using_sample(using, sample);
            }
        }
        for at in self.places("tablesample") {
            if let Some(sample) = self.sample(at + 1) {
                self.table_sample(at, sample);
            }
        }
    }

    /// A sample from a place on.
    fn sample(&self, from: usize) -> Option<Sample> {
        let methods = ["bernoulli", "system", "reservoir"];
        let method_at = |at: Option<usize>| methods.into_iter().find(|method| self.is(at, method)).map(str::to_owned);
        let first = self.next(from)?;
        let mut method = method_at(Some(first));
        let amount = if method.is_some() { self.next(first + 1)? } else { first };
        let (range, unit, mut end) = if *self.at(amount) == Token::LParen {
            let close = self.closing(amount)?;
            let last = self.before(close)?;
            let has_unit = *self.at(last) == Token::Mod || self.is_any(Some(last), &["percent", "rows", "row"]);
            (amount + 1..if has_unit { last } else { close }, has_unit.then_some(last), close)
        } else {
            let unit = self.next(amount + 1);
            let unit = unit
                .filter(|&unit| *self.at(unit) == Token::Mod || self.is_any(Some(unit), &["percent", "rows", "row"]));
            (amount..amount + 1, unit, unit.unwrap_or(amount))
        };
        self.next(range.start).filter(|&at| at < range.end)?;
        let of_unit = unit.map(|unit| *self.at(unit) == Token::Mod || self.is(Some(unit), "percent"));
        let is_share = of_unit.unwrap_or(matches!(method.as_deref(), Some("bernoulli" | "system")));
        let mut seed = None;
        if let Some(open) = self.next(end + 1).filter(|&open| *self.at(open) == Token::LParen)
            && let Some(name) = self.next(open + 1)
            && method_at(Some(name)).is_some()
        {
            method = method_at(Some(name));
            end = self.closing(open)?;
            let comma = self.next(name + 1).filter(|&comma| *self.at(comma) == Token::Comma);
            seed = comma.and_then(|comma| self.next(comma + 1)).map(|at| self.copy(at..at + 1).remove(0));
        }
        if let Some(repeatable) = self.next(end + 1).filter(|&at| self.is(Some(at), "repeatable"))
            && let Some(open) = self.next(repeatable + 1).filter(|&open| *self.at(open) == Token::LParen)
            && let Some(number) = self.next(open + 1)
        {
            end = self.closing(open)?;
            let is_one = self.next(number + 1) == Some(end);
            seed = is_one.then(|| self.copy(number..number + 1).remove(0));
            is_one.then_some(())?;
        }
        Some(Sample { method, amount: self.copy(range), is_share, seed, end: end + 1 })
    }

    fn table_sample(&mut self, at: usize, sample: Sample) {
        let span = self.span(at);
        let token = |token| TokenWithSpan::new(token, span);
        let method = match sample.method.as_deref() {
            Some("reservoir") => "ROW",
            Some("bernoulli") => "BERNOULLI",
            _ if !sample.is_share => "ROW",
            _ => "SYSTEM",
        };
        let mut put = vec![token(word(method)), token(Token::LParen)];
        put.extend(sample.amount);
        put.extend([word(if sample.is_share { "PERCENT" } else { "ROWS" }), Token::RParen].map(token));
        if let Some(seed) = sample.seed {
            put.extend([word("REPEATABLE"), Token::LParen].map(token));
            put.extend([seed, token(Token::RParen)]);
        }
        self.take(at + 1..sample.end);
        self.put(at + 1, put);
    }

    fn using_sample(&mut self, using: usize, sample: Sample) {
        let span = self.span(using);
        let token = |token| TokenWithSpan::new(token, span);
        let text = |text: &str| token(Token::SingleQuotedString(text.to_owned()));
        let mut put = vec![token(quoted(USING_SAMPLE)), token(Token::LParen)];
        put.extend([text(sample.method.as_deref().unwrap_or_default()), token(Token::Comma)]);
        put.extend(sample.amount);
        put.extend([token(Token::Comma), text(if sample.is_share { "%" } else { "rows" })]);
        put.extend(sample.seed.into_iter().flat_map(|seed| [token(Token::Comma), seed]));
        put.push(token(Token::RParen));
        self.take(using..sample.end);
        // The FROM of the same level that is the nearest in front.
        let mut depth = 0usize;
        let from = (0..using).rev().find(|&at| {
            match self.at(at) {
                Token::RParen | Token::RBracket => depth += 1,
                Token::LParen | Token::LBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && self.is(Some(at), "from")
        });
        let Some(from) = from else { return };
        let clause = self.end(from + 1, Tokens::begins_clause);
        if clause < self.len() && self.is(Some(clause), "where") {
            let end = self.end(clause + 1, Tokens::begins_clause);
            self.insert(end, clause, [Token::RParen]);
            put.extend([word("AND"), Token::LParen].map(token));
            self.put(clause + 1, put);
        } else {
            put.insert(0, token(word("WHERE")));
            self.put(clause, put);
        }
    }
}
