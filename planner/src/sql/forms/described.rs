//! DESCRIBE, SUMMARIZE and SHOW TABLES in place of a query in FROM and WITH.
//!
//! | written | parsed as |
//! |---|---|
//! | `FROM (DESCRIBE t)`, `FROM (SHOW t)` | `FROM (SELECT * FROM (SELECT * FROM t) AS "describe table")` |
//! | `FROM (DESCRIBE SELECT 1)` | `FROM (SELECT * FROM (SELECT 1) AS "describe query")` |
//! | `FROM (SUMMARIZE t)` | `FROM (SELECT * FROM (SELECT * FROM t) AS "summarize")` |
//! | `FROM (SHOW TABLES)` | a query of pg_class |

use super::tokens::{Tokens, quoted, word};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// Aliases of a derived table that stand for what is told of it.
pub(in crate::sql) const DESCRIBE_TABLE: &str = "describe table";
pub(in crate::sql) const DESCRIBE_QUERY: &str = "describe query";
pub(in crate::sql) const SUMMARIZE: &str = "summarize";

/// What SHOW TABLES gives in FROM: what can be named without a schema, and is not the system's.
const TABLES: &str = "SELECT relname::text AS name FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v', 'm') \
                      AND relnamespace <> 11 AND pg_catalog.pg_table_is_visible(oid) ORDER BY 1";

impl Tokens {
    /// Rewrites these statements where they are tables.
    pub(super) fn described_tables(&mut self) {
        for keyword in ["describe", "summarize", "show"] {
            for at in self.places(keyword) {
                self.described_table(at);
            }
        }
    }

    fn described_table(&mut self, at: usize) {
        let Some(open) = self.before(at).filter(|&open| *self.at(open) == Token::LParen) else { return };
        let heads = ["from", "join", "as", "lateral", "materialized"];
        let is_table =
            self.before(open).is_some_and(|head| self.is_any(Some(head), &heads) || *self.at(head) == Token::Comma);
        let Some((close, next)) = self.closing(open).zip(self.next(at + 1)).filter(|(close, next)| next < close) else {
            return;
        };
        if !is_table {
            return;
        }
        let shows = self.is(Some(at), "show");
        if shows && self.is(Some(next), "tables") && self.next(next + 1) == Some(close) {
            let span = self.span(at);
            let tokens = Tokenizer::new(&PostgreSqlDialect {}, TABLES).tokenize().unwrap_or_default();
            self.take(at..close);
            return self.put(at, tokens.into_iter().map(|token| TokenWithSpan::new(token, span)).collect());
        }
        let queries = ["select", "with", "values", "table", "from", "pivot", "unpivot"];
        let is_query = self.is_any(Some(next), &queries) || *self.at(next) == Token::LParen;
        if shows && (is_query || !self.is_name(next, close)) {
            return;
        }
        let mark = match (self.is(Some(at), "summarize"), is_query) {
            (true, _) => SUMMARIZE,
            (false, true) => DESCRIBE_QUERY,
            (false, false) => DESCRIBE_TABLE,
        };
        self.insert(close, close, [Token::RParen, word("AS"), quoted(mark)]);
        let span = self.span(at);
        let select = [word("SELECT"), Token::Mul, word("FROM")];
        let mut put: Vec<Token> = select.to_vec();
        put.push(Token::LParen);
        put.extend(select.into_iter().filter(|_| !is_query));
        self.take(at..at + 1);
        self.put(at, put.into_iter().map(|token| TokenWithSpan::new(token, span)).collect());
    }

    /// Whether there is a name with dots between two places, and nothing else.
    fn is_name(&self, from: usize, to: usize) -> bool {
        let solid = (from..to).filter(|&at| self.is_solid(at));
        solid.enumerate().all(|(number, at)| match self.at(at) {
            Token::Word(_) => number % 2 == 0,
            Token::Period => number % 2 == 1,
            _ => false,
        })
    }
}
