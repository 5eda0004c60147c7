//! `STRUCT(a INTEGER, b VARCHAR[])`, DuckDB's types of structs: sqlparser takes names and numbers alone between the parentheses
//! of a type, so that the fields become the text of one string.

use super::tokens::Tokens;
use sqlparser::tokenizer::Token;

/// The name of the type, in lower case.
pub(in crate::sql) const STRUCT: &str = "struct";

impl Tokens {
    /// Fields of structs as strings; those within another are in its string.
    pub(super) fn struct_types(&mut self) {
        let mut at = 0;
        while at < self.len() {
            if let Some((open, close)) = self.struct_type(at) {
                let fields: String = (open + 1..close).map(|at| text_of(self.at(at))).collect();
                self.set(open + 1, Token::SingleQuotedString(fields));
                (open + 2..close).for_each(|at| self.drop_token(at));
                at = close;
            }
            at += 1;
        }
    }

    /// The parentheses of a struct's type that begins at a place: a name and the beginning of a type stand behind the first, and
    /// before it what no relation is named behind.
    fn struct_type(&self, at: usize) -> Option<(usize, usize)> {
        const BEFORE_RELATION: [&str; 7] = ["table", "exists", "into", "from", "join", "view", "on"];
        if !self.is(Some(at), STRUCT) || self.is_any(self.before(at), &BEFORE_RELATION) {
            return None;
        }
        let open = self.next(at + 1).filter(|&open| self.is_token(Some(open), &Token::LParen))?;
        let is_word = |at: Option<usize>| at.filter(|&at| matches!(self.at(at), Token::Word(_)));
        let name = is_word(self.next(open + 1))?;
        is_word(self.next(name + 1))?;
        Some((open, self.closing(open)?))
    }
}

/// A token as it is written; sqlparser prints quotes within a name once.
fn text_of(token: &Token) -> String {
    match token {
        Token::Word(word) if word.quote_style == Some('"') => format!("\"{}\"", word.value.replace('"', "\"\"")),
        other => other.to_string(),
    }
}
