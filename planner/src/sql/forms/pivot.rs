//! PIVOT and UNPIVOT, in the standard's form behind a table and in DuckDB's as a statement.
//!
//! | written | parsed as |
//! |---|---|
//! | `t PIVOT (sum(x) FOR y IN (1, 2) GROUP BY z)` | `t PIVOT ("pivot"("using"(sum(x)), "on"(y, 1, 2), "by"(z)) FOR "pivot" IN (ANY))` |
//! | `PIVOT t ON y USING sum(x) GROUP BY z` | `SELECT * FROM t PIVOT ("pivot"("using"(sum(x)), "on"(y), "by"(z)) FOR "pivot" IN (ANY))` |
//! | `UNPIVOT t ON a, b INTO NAME n VALUE v` | `SELECT * FROM t UNPIVOT (v FOR n IN (a, b))` |

use super::tokens::{Tokens, quoted, word};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan};

/// Tokens of a part.
type Part = Vec<TokenWithSpan>;

/// The clauses of a PIVOT.
#[derive(Default)]
struct Pivot {
    /// The aggregates, with commas between.
    using: Part,
    /// For each column whose values become columns, this and its values, with commas between.
    on: Vec<Part>,
    /// The keys, with commas between.
    by: Option<Part>,
}

impl Pivot {
    /// What stands within the parentheses behind PIVOT.
    fn tokens(self, span: Span) -> Part {
        let token = |token| TokenWithSpan::new(token, span);
        let call = |name: &str, part: Part| {
            let head = [token(quoted(name)), token(Token::LParen)].into_iter();
            head.chain(part).chain([token(Token::RParen)]).collect::<Part>()
        };
        let mut parts = Vec::new();
        if !self.using.is_empty() {
            parts.push(call("using", self.using));
        }
        parts.extend(self.on.into_iter().map(|part| call("on", part)));
        parts.extend(self.by.map(|part| call("by", part)));
        let mut inside = Part::new();
        for part in parts {
            if !inside.is_empty() {
                inside.push(token(Token::Comma));
            }
            inside.extend(part);
        }
        let mut all = call("pivot", inside);
        all.extend([word("FOR"), quoted("pivot"), word("IN"), Token::LParen, word("ANY"), Token::RParen].map(token));
        all
    }
}

impl Tokens {
    /// Rewrites PIVOT and UNPIVOT.
    pub(super) fn pivots(&mut self) {
        if !self.has("pivot") && !self.has("unpivot") {
            return;
        }
        for at in (0..self.len()).rev() {
            if self.is(Some(at), "pivot") {
                self.pivot_behind(at);
            } else if self.is(Some(at), "unpivot") {
                self.unpivot_behind(at);
            }
        }
        let starts = self.query_starts(|tokens, at| {
            let is_operand =
                |next: usize| matches!(tokens.at(next), Token::Word(_) | Token::LParen | Token::SingleQuotedString(_));
            tokens.is_any(Some(at), &["pivot", "unpivot"]) && tokens.next(at + 1).is_some_and(is_operand)
        });
        for at in starts.into_iter().rev() {
            if self.is(Some(at), "pivot") {
                self.pivot_statement(at);
            } else {
                self.unpivot_statement(at);
            }
        }
    }

    /// `… PIVOT (aggregates FOR column IN (values) … [GROUP BY keys])`.
    fn pivot_behind(&mut self, pivot: usize) {
        let Some(open) = self.next(pivot + 1).filter(|&open| *self.at(open) == Token::LParen) else { return };
        let Some(close) = self.closing(open) else { return };
        let start = self.end(open + 1, |tokens, at| tokens.is(Some(at), "for"));
        if start >= close || !self.is(Some(start), "for") {
            return;
        }
        let mut clauses = Pivot { using: self.copy(open + 1..start), ..Pivot::default() };
        let mut at = start + 1;
        while let Some(first) = self.next(at).filter(|&first| first < close) {
            if self.is(Some(first), "group") {
                let Some(by) = self.next(first + 1).filter(|&by| self.is(Some(by), "by")) else { return };
                clauses.by = Some(self.copy(by + 1..close));
                break;
            }
            let is_in = self.end(first, |tokens, at| tokens.is(Some(at), "in"));
            let Some(list) = self.next(is_in + 1).filter(|&list| is_in < close && *self.at(list) == Token::LParen)
            else {
                return;
            };
            let Some(end) = self.closing(list) else { return };
            clauses.on.push(self.on_part(first..is_in, Some(list + 1..end), self.span(is_in)));
            at = end + 1;
        }
        if clauses.on.is_empty() {
            return;
        }
        let inside = clauses.tokens(self.span(pivot));
        self.take(open + 1..close);
        self.put(open + 1, inside);
    }

    /// `… UNPIVOT (value FOR name IN (*))`.
    fn unpivot_behind(&mut self, unpivot: usize) {
        let mut open = self.next(unpivot + 1);
        if self.is_any(open, &["include", "exclude"]) {
            open = open.and_then(|at| self.next(at + 1)).and_then(|at| self.next(at + 1));
        }
        let Some(open) = open.filter(|&open| *self.at(open) == Token::LParen) else { return };
        let Some(close) = self.closing(open) else { return };
        let is_in = self.end(open + 1, |tokens, at| tokens.is(Some(at), "in"));
        let Some(list) = self.next(is_in + 1).filter(|&list| is_in < close && *self.at(list) == Token::LParen) else {
            return;
        };
        self.all_columns(list + 1);
    }

    /// `*` at the start of a list of columns is `COLUMNS(*)`.
    fn all_columns(&mut self, from: usize) {
        if let Some(star) = self.next(from).filter(|&star| *self.at(star) == Token::Mul) {
            let end = self.end(star + 1, |tokens, at| {
                *tokens.at(at) == Token::Comma || tokens.is_any(Some(at), &["into", "as"]) || tokens.begins_clause(at)
            });
            self.insert(end, star, [Token::RParen]);
            self.insert(star, star, [word("COLUMNS"), Token::LParen]);
        }
    }

    fn on_part(&self, column: std::ops::Range<usize>, values: Option<std::ops::Range<usize>>, span: Span) -> Part {
        let mut part = self.copy(column);
        if let Some(values) = values {
            part.push(TokenWithSpan::new(Token::Comma, span));
            part.extend(self.copy(values));
        }
        part
    }

    /// Where a statement's first clause begins behind its table, which may be joined with others.
    fn clauses_behind_table(&self, from: usize) -> (usize, bool) {
        let (mut at, mut joins, mut is_joined) = (from, 0usize, false);
        loop {
            let end = self.end(at, |tokens, at| {
                tokens.is_any(Some(at), &["on", "using", "join", "group"]) || *tokens.at(at) == Token::Comma
            });
            if end >= self.len() {
                return (end, is_joined);
            }
            if *self.at(end) == Token::Comma {
                is_joined = true;
            } else if self.is(Some(end), "join") {
                is_joined = true;
                let is_free = self.is_any(self.before(end), &["cross", "natural", "positional"]);
                joins += usize::from(!is_free);
            } else if joins > 0 && self.is_any(Some(end), &["on", "using"]) {
                joins -= 1;
            } else {
                return (end, is_joined);
            }
            at = end + 1;
        }
    }

    /// Puts `SELECT * FROM` in front of a statement's table, and what joins it in parentheses; its clauses begin at a place.
    fn table_first(&mut self, head: usize, clauses: usize, is_joined: bool) {
        let select = [word("SELECT"), Token::Mul, word("FROM")];
        if is_joined {
            self.insert(clauses, head, [Token::RParen]);
            self.insert(head + 1, head, [Token::LParen].into_iter().chain(select.clone()));
        }
        self.insert(head, head, select);
        self.drop_token(head + 3);
    }

    /// `PIVOT t [ON …] [USING …] [GROUP BY …]`.
    fn pivot_statement(&mut self, pivot: usize) {
        let (start, is_joined) = self.clauses_behind_table(pivot + 1);
        let is_clause = |tokens: &Tokens, at: usize| {
            let is_group = tokens.is(Some(at), "group");
            tokens.is_any(Some(at), &["on", "using"]) && !tokens.is(tokens.next(at + 1), "sample")
                || is_group
                || tokens.begins_clause(at)
        };
        let (mut clauses, mut at) = (Pivot::default(), start);
        let mut any = false;
        while at < self.len() && is_clause(self, at) {
            let is_group = self.is(Some(at), "group");
            if !is_group && !self.is_any(Some(at), &["on", "using"]) {
                break;
            }
            any = true;
            let first = if is_group { self.next(at + 1).map_or(at, |by| by + 1) } else { at + 1 };
            let end = self.end(first, is_clause);
            if is_group {
                clauses.by = Some(self.copy(first..end));
            } else if self.is(Some(at), "using") {
                clauses.using = self.copy(first..end);
            } else {
                clauses.on = self.on_items(first, end);
            }
            at = end;
        }
        if !any {
            return;
        }
        let span = self.span(pivot);
        let token = |token| TokenWithSpan::new(token, span);
        let mut put: Part = [word("PIVOT"), Token::LParen].map(token).into();
        put.extend(clauses.tokens(span));
        put.push(token(Token::RParen));
        self.take(start..at);
        self.put(start, put);
        self.table_first(pivot, start, is_joined);
    }

    /// The columns of ON with their values, if these are said.
    fn on_items(&self, first: usize, end: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = first;
        while at < end {
            let comma = self.end(at, |tokens, at| *tokens.at(at) == Token::Comma).min(end);
            let is_in = self.end(at, |tokens, at| tokens.is(Some(at), "in") || *tokens.at(at) == Token::Comma);
            let list = self.next(is_in + 1).filter(|&list| is_in < comma && *self.at(list) == Token::LParen);
            let values = list.and_then(|list| Some((list, self.closing(list)?)));
            parts.push(match values {
                Some((list, close)) => self.on_part(at..is_in, Some(list + 1..close), self.span(is_in)),
                None => self.copy(at..comma),
            });
            at = comma + 1;
        }
        parts
    }

    /// `UNPIVOT t ON columns [INTO NAME name VALUE value, …]`.
    fn unpivot_statement(&mut self, unpivot: usize) {
        let (mut start, is_joined) = self.clauses_behind_table(unpivot + 1);
        if start >= self.len() || !self.is(Some(start), "on") {
            return;
        }
        // `UNPIVOT t INCLUDE NULLS ON …`.
        let nulls = self.before(start).filter(|&nulls| self.is(Some(nulls), "nulls"));
        let include = nulls.and_then(|nulls| self.before(nulls));
        let keeps_nulls = self.is(include, "include");
        let is_end = |tokens: &Tokens, at: usize| tokens.is(Some(at), "into") || tokens.begins_clause(at);
        self.all_columns(start + 1);
        let columns_end = self.end(start + 1, is_end);
        let columns = self.copy(start + 1..columns_end);
        let span = self.span(unpivot);
        let token = |token| TokenWithSpan::new(token, span);
        let (mut name, mut values, mut end) = (vec![token(quoted("name"))], vec![token(quoted("value"))], columns_end);
        if columns_end < self.len() && self.is(Some(columns_end), "into") {
            let Some(at) = self.next(columns_end + 1).filter(|&at| self.is(Some(at), "name")) else { return };
            let value = self.end(at + 1, |tokens, at| tokens.is_any(Some(at), &["value", "values"]));
            if value >= self.len() || !self.is_any(Some(value), &["value", "values"]) {
                return;
            }
            name = self.copy(at + 1..value);
            end = self.end(value + 1, Tokens::begins_clause);
            values = self.copy(value + 1..end);
        }
        let several = values.iter().any(|token| token.token == Token::Comma);
        let mut put: Part = vec![token(word("UNPIVOT"))];
        if keeps_nulls {
            put.extend([word("INCLUDE"), word("NULLS")].map(token));
        }
        put.push(token(Token::LParen));
        put.extend(several.then(|| token(Token::LParen)));
        put.extend(values);
        put.extend(several.then(|| token(Token::RParen)));
        put.push(token(word("FOR")));
        put.extend(name);
        put.extend([word("IN"), Token::LParen].map(token));
        put.extend(columns);
        put.extend([Token::RParen, Token::RParen].map(token));
        self.take(start..end);
        self.put(start, put);
        if let (true, Some(include)) = (keeps_nulls, include) {
            self.take(include..start);
            start = include;
        }
        self.table_first(unpivot, start, is_joined);
    }
}
