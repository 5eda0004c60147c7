//! Lists of keys in GROUP BY, and lists behind IN and LIKE, in words that sqlparser reads: see [`super::spelling`]. sqlparser
//! takes no expression in parentheses for the first part of a key (`ROLLUP ((a)::int)`), and no lists within lists.
//!
//! | written | parsed as |
//! |---|---|
//! | `GROUP BY DISTINCT a, …` | `GROUP BY "distinct grouping sets"(), a, …` |
//! | `GROUP BY ALL a, …` | `GROUP BY a, …` |
//! | `ROLLUP (…)`, `CUBE (…)`, `GROUPING SETS (…)` | `"rollup of keys"(…)`, `"cube of keys"(…)`, `"grouping sets"(…)` |
//! | `()` in place of a key | `"no keys"()` |
//! | `x IN ((SELECT a), b)` | `x IN ("list item"((SELECT a)), b)` |
//! | `x LIKE SOME (…)` | `x LIKE ANY (…)` |
//! | `x LIKE ALL (SELECT a)` | `x LIKE ALL ((SELECT a))` |
//!
//! No name in SQL text gives these functions: were one quoted so, it would be a function that does not exist.

use super::keyword::is_keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The mark of GROUP BY DISTINCT.
pub(super) const DISTINCT_SETS: &str = "distinct grouping sets";
/// ROLLUP in GROUP BY.
pub(super) const ROLLUP: &str = "rollup of keys";
/// CUBE in GROUP BY.
pub(super) const CUBE: &str = "cube of keys";
/// GROUPING SETS.
pub(super) const SETS: &str = "grouping sets";
/// `()` in GROUP BY.
pub(super) const NO_KEYS: &str = "no keys";
/// A query that is an item of a list.
pub(super) const LIST_ITEM: &str = "list item";

/// Words that end GROUP BY.
const BEHIND_GROUP_BY: [&str; 11] =
    ["having", "window", "qualify", "order", "limit", "offset", "fetch", "for", "union", "except", "intersect"];

/// Words with which a query begins.
const QUERY: [&str; 4] = ["select", "with", "values", "table"];

/// What the innermost parentheses are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Nothing of GROUP BY.
    Other,
    /// A GROUP BY that goes on.
    GroupBy,
    /// Those of GROUPING SETS.
    Sets,
}

/// The same tokens, respelled.
pub(super) fn respell(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_word = |keyword| tokens.iter().any(|token| is_keyword(&token.token, keyword));
    let has_lists = is_word("in") || is_word("like") || is_word("ilike");
    if !is_word("group") && !has_lists {
        return tokens;
    }
    let solid: Vec<usize> = (0..tokens.len()).filter(|&at| !is_space(&tokens[at].token)).collect();
    let mut words = Words { tokens: &tokens, solid: &solid, closing: Vec::new(), edits: Vec::new() };
    words.closing = words.closings();
    words.groups();
    if has_lists {
        words.lists();
    }
    words.edited()
}

fn is_space(token: &Token) -> bool {
    matches!(token, Token::Whitespace(_))
}

/// What a token becomes.
struct Edit {
    /// Its place among all tokens.
    at: usize,
    /// The tokens in its place.
    by: Vec<Token>,
}

/// The tokens of a statement, places being among those that are no space.
struct Words<'t> {
    tokens: &'t [TokenWithSpan],
    solid: &'t [usize],
    /// For each opening parenthesis the one that closes it; for any other token nothing of use.
    closing: Vec<usize>,
    edits: Vec<Edit>,
}

impl Words<'_> {
    fn token(&self, place: usize) -> Option<&Token> {
        self.solid.get(place).map(|&at| &self.tokens[at].token)
    }

    fn is(&self, place: usize, keyword: &str) -> bool {
        self.token(place).is_some_and(|token| is_keyword(token, keyword))
    }

    fn is_one_of(&self, place: usize, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(place, keyword))
    }

    fn opens(&self, place: usize) -> bool {
        self.token(place) == Some(&Token::LParen)
    }

    fn closes(&self, place: usize) -> bool {
        self.token(place) == Some(&Token::RParen)
    }

    fn closings(&self) -> Vec<usize> {
        let mut closing = vec![usize::MAX; self.solid.len()];
        let mut open = Vec::new();
        for place in 0..self.solid.len() {
            if self.opens(place) {
                open.push(place);
            } else if self.closes(place)
                && let Some(first) = open.pop()
            {
                closing[first] = place;
            }
        }
        closing
    }

    fn edit(&mut self, place: usize, by: impl IntoIterator<Item = Token>) {
        self.edits.push(Edit { at: self.solid[place], by: by.into_iter().collect() });
    }

    /// A word becomes the name of a function.
    fn rename(&mut self, place: usize, name: &str) {
        self.edit(place, [Token::make_word(name, Some('"'))]);
    }

    fn groups(&mut self) {
        let mut levels = vec![Level::Other];
        // Whether a key may begin here.
        let mut begins = false;
        let mut next_level = Level::Other;
        let mut place = 0;
        while place < self.solid.len() {
            let level = levels.last_mut().expect("never empty");
            let at_key = begins && *level != Level::Other;
            begins = false;
            if self.opens(place) {
                if at_key && self.closes(place + 1) {
                    self.edit(place, [Token::make_word(NO_KEYS, Some('"')), Token::LParen]);
                }
                levels.push(std::mem::replace(&mut next_level, Level::Other));
                begins = true;
            } else if self.closes(place) {
                if levels.len() > 1 {
                    levels.pop();
                }
            } else if self.token(place) == Some(&Token::Comma) {
                begins = true;
            } else if self.is(place, "group") && self.is(place + 1, "by") {
                *level = Level::GroupBy;
                begins = true;
                place += 1;
                let goes_on = place + 2 < self.solid.len()
                    && !self.closes(place + 2)
                    && !self.is_one_of(place + 2, &BEHIND_GROUP_BY)
                    && self.token(place + 2) != Some(&Token::Comma)
                    && self.token(place + 2) != Some(&Token::EOF);
                if goes_on && self.is(place + 1, "distinct") {
                    place += 1;
                    let mark = Token::make_word(DISTINCT_SETS, Some('"'));
                    self.edit(place, [mark, Token::LParen, Token::RParen, Token::Comma]);
                } else if goes_on && self.is(place + 1, "all") {
                    place += 1;
                    self.edit(place, []);
                }
            } else if *level == Level::GroupBy && self.is_one_of(place, &BEHIND_GROUP_BY) {
                *level = Level::Other;
            } else if at_key && self.opens(place + 1) && (self.is(place, "rollup") || self.is(place, "cube")) {
                self.rename(place, if self.is(place, "cube") { CUBE } else { ROLLUP });
            } else if at_key && (self.is(place, "rollup") || self.is(place, "cube")) {
                // A column of that name.
                self.rename(place, if self.is(place, "cube") { "cube" } else { "rollup" });
            } else if at_key && self.is(place, "grouping") && self.is(place + 1, "sets") && self.opens(place + 2) {
                self.rename(place, SETS);
                place += 1;
                self.edit(place, []);
                next_level = Level::Sets;
            }
            place += 1;
        }
    }

    fn lists(&mut self) {
        for place in 0..self.solid.len() {
            if self.is(place, "in") && self.opens(place + 1) && self.opens(place + 2) {
                let mut first = place + 3;
                while self.opens(first) {
                    first += 1;
                }
                let close = self.closing[place + 2];
                if self.is_one_of(first, &QUERY) && self.token(close.saturating_add(1)) == Some(&Token::Comma) {
                    let mark = [Token::make_word(LIST_ITEM, Some('"')), Token::LParen, Token::LParen];
                    self.edit(place + 2, mark);
                    self.edit(close, [Token::RParen, Token::RParen]);
                }
            }
            if self.is(place, "like") || self.is(place, "ilike") {
                if self.is(place + 1, "some") && self.opens(place + 2) {
                    self.edit(place + 1, [Token::make_keyword("ANY")]);
                }
                let close = self.closing.get(place + 2).copied().unwrap_or(usize::MAX);
                let is_query = self.opens(place + 2) && self.is_one_of(place + 3, &QUERY) && close != usize::MAX;
                if self.is(place + 1, "all") && is_query {
                    self.edit(place + 2, [Token::LParen, Token::LParen]);
                    self.edit(close, [Token::RParen, Token::RParen]);
                }
            }
        }
    }

    fn edited(mut self) -> Vec<TokenWithSpan> {
        if self.edits.is_empty() {
            return self.tokens.to_vec();
        }
        self.edits.sort_by_key(|edit| edit.at);
        let mut edited = Vec::with_capacity(self.tokens.len() + 4 * self.edits.len());
        let mut edits = self.edits.into_iter().peekable();
        for (at, token) in self.tokens.iter().enumerate() {
            match edits.next_if(|edit| edit.at == at) {
                Some(edit) => edited.extend(edit.by.into_iter().map(|by| TokenWithSpan::new(by, token.span))),
                None => edited.push(token.clone()),
            }
        }
        edited
    }
}
