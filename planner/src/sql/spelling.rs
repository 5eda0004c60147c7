//! What PostgreSQL reads and sqlparser does not, or reads otherwise, in other words: the tokens of a statement are
//! changed before they are parsed. A new token has the place of the one that it stands for.
//!
//! | written | parsed as | because sqlparser |
//! |---|---|---|
//! | `TABLE t` | `SELECT * FROM t` | drops the two tokens behind it |
//! | `a ISNULL`, `a NOTNULL` | `a IS NULL`, `a IS NOT NULL` | applies it to all of `x AND a` |
//! | `a BETWEEN SYMMETRIC b AND c` | `a BETWEEN "between symmetric"(b) AND c` | has no node for it |
//! | `'a'` newline `'b'` | `'ab'` | takes the second text for a name |
//! | `(row).*` | `(row)."all fields"` | takes `.*` behind names only |
//! | `f(a := 1)` | `f(a => 1)` | takes `:=` for an operator |
//! | `pg_catalog.substring(a, b)` | `pg_catalog."substring"(a, b)` | knows words with a grammar of their own behind a dot, too |
//!
//! What takes a look ahead is done before that, by [`super::ahead`], [`super::forms`] and [`super::grouping_words`].

pub(super) use super::keyword::is_keyword;
use sqlparser::keywords::RESERVED_FOR_COLUMN_ALIAS;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

/// The function that stands around the first bound of BETWEEN SYMMETRIC. No name in SQL text gives it: were one
/// quoted so, it would be a function that does not exist.
pub(super) const SYMMETRIC: &str = "between symmetric";

/// The name of all fields of a row. As above, no text gives it a meaning.
pub(super) const ALL_FIELDS: &str = "all fields";

/// Functions whose arguments may stand between words.
const GRAMMATICAL: [&str; 3] = ["substring", "substr", "overlay"];

/// Words after which a query may begin.
const BEFORE_QUERY: [&str; 6] = ["as", "union", "all", "distinct", "except", "intersect"];

/// The same tokens in words that sqlparser reads.
pub(super) fn respell(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut respelled = Respelled::default();
    let tokens = super::forms::respell(super::ahead::respell(super::locking::respell(tokens)));
    let mut tokens = super::grouping_words::respell(tokens).into_iter();
    while let Some(token) = tokens.next() {
        let next = tokens.as_slice().iter().map(|next| &next.token).find(|next| !matches!(next, Token::Whitespace(_)));
        respelled.take(token, next);
    }
    respelled.tokens
}

/// The tokens so far.
#[derive(Default)]
struct Respelled {
    tokens: Vec<TokenWithSpan>,
    /// Where in `tokens` the last two are that are no space.
    solid: [Option<usize>; 2],
    /// For each first bound of BETWEEN SYMMETRIC that is open, the parentheses and CASEs open within it.
    bounds: Vec<usize>,
}

impl Respelled {
    /// Takes a token, of which the next one that is no space is known.
    fn take(&mut self, token: TokenWithSpan, next: Option<&Token>) {
        let is = |keyword| is_keyword(&token.token, keyword);
        match &token.token {
            Token::SingleQuotedString(text) if self.continues_text() => {
                let before = self.solid[0].expect("a text is continued");
                if let Token::SingleQuotedString(whole) = &mut self.tokens[before].token {
                    whole.push_str(text);
                }
            }
            _ if is("table") && self.may_begin_query() && next.is_some_and(may_be_name) => {
                self.put(&token, [word("SELECT"), Token::Mul, word("FROM")]);
            }
            Token::Word(called)
                if next == Some(&Token::LParen)
                    && self.last(0) == Some(&Token::Period)
                    && GRAMMATICAL.iter().any(|keyword| is(keyword)) =>
            {
                self.put(&token, [Token::make_word(&called.value.to_ascii_lowercase(), Some('"'))]);
            }
            Token::Assignment => self.put(&token, [Token::RArrow]),
            Token::Mul if self.is_behind_row() => self.put(&token, [Token::make_word(ALL_FIELDS, Some('"'))]),
            _ if is("isnull") => self.put(&token, [word("IS"), word("NULL")]),
            _ if is("notnull") => self.put(&token, [word("IS"), word("NOT"), word("NULL")]),
            _ if is("symmetric") && self.last(0).is_some_and(|last| is_keyword(last, "between")) => {
                self.put(&token, [Token::make_word(SYMMETRIC, Some('"')), Token::LParen]);
                self.bounds.push(0);
            }
            _ if is("and") && self.bounds.last() == Some(&0) => {
                self.bounds.pop();
                self.put(&token, [Token::RParen, token.token.clone()]);
            }
            _ => {
                let opens = matches!(token.token, Token::LParen) || is("case");
                let closes = matches!(token.token, Token::RParen) || is("end");
                if let Some(open) = self.bounds.last_mut() {
                    *open = if opens { *open + 1 } else { open.saturating_sub(usize::from(closes)) };
                }
                self.push(token);
            }
        }
    }

    fn put<const N: usize>(&mut self, place: &TokenWithSpan, tokens: [Token; N]) {
        tokens.into_iter().for_each(|token| self.push(TokenWithSpan::new(token, place.span)));
    }

    fn push(&mut self, token: TokenWithSpan) {
        if !matches!(token.token, Token::Whitespace(_)) {
            self.solid = [Some(self.tokens.len()), self.solid[0]];
        }
        self.tokens.push(token);
    }

    /// The last token that is no space, or the one before it.
    fn last(&self, back: usize) -> Option<&Token> {
        self.solid[back].map(|at| &self.tokens[at].token)
    }

    /// Whether a dot stands before, and before it what ends a value that is no name.
    fn is_behind_row(&self) -> bool {
        matches!((self.last(1), self.last(0)), (Some(Token::RParen | Token::RBracket), Some(Token::Period)))
    }

    fn may_begin_query(&self) -> bool {
        let is_filled = self.last(1).is_some_and(|before| is_keyword(before, "into"));
        self.last(0).is_none_or(|last| {
            is_filled
                || matches!(last, Token::LParen | Token::RParen)
                || BEFORE_QUERY.iter().any(|keyword| is_keyword(last, keyword))
        })
    }

    /// Whether a text stands before, and at least one line ends between.
    fn continues_text(&self) -> bool {
        let Some(before) = self.solid[0] else { return false };
        let line_ends = |token: &TokenWithSpan| {
            let Token::Whitespace(space) = &token.token else { return false };
            matches!(space, Whitespace::Newline | Whitespace::SingleLineComment { .. })
        };
        matches!(self.tokens[before].token, Token::SingleQuotedString(_)) && self.tokens[before..].iter().any(line_ends)
    }
}

/// Whether a token may be a table's name: what follows `AS table` where that names a column is none.
fn may_be_name(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_some() || !RESERVED_FOR_COLUMN_ALIAS.contains(&word.keyword))
}

fn word(keyword: &str) -> Token {
    Token::make_keyword(keyword)
}
