//! The operators of vectors `<->`, `<=>` and `<+>`. sqlparser has tokens of its own for the first two, which bind otherwise than
//! operators do in PostgreSQL, and takes the third for three operators.

use super::tokens::Tokens;
use sqlparser::tokenizer::Token;

impl Tokens {
    /// Distances as operators of their own names.
    pub(super) fn distances(&mut self) {
        for at in 0..self.len() {
            let name = match self.at(at) {
                Token::TwoWayArrow => "<->",
                Token::Spaceship => "<=>",
                Token::Lt if self.is_followed(at, &[Token::Plus, Token::Gt]) => "<+>",
                _ => continue,
            };
            if name == "<+>" {
                self.drop_token(at + 1);
                self.drop_token(at + 2);
            }
            self.set(at, Token::CustomBinaryOperator(name.to_owned()));
        }
    }

    /// Whether some tokens stand behind one, with nothing between.
    fn is_followed(&self, at: usize, tokens: &[Token]) -> bool {
        let follows = |(offset, token): (usize, &Token)| {
            let next = at + 1 + offset;
            next < self.len() && self.at(next) == token && self.span(next - 1).end == self.span(next).start
        };
        tokens.iter().enumerate().all(follows)
    }
}
