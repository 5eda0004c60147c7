//! What CREATE says of how PostgreSQL stores a thing: storage parameters, tablespaces, UNLOGGED, access methods. It is checked as there
//! and taken out of the tokens, since it means nothing here, wherever it may stand. LIKE, among the columns of CREATE TABLE, becomes a
//! column of a name that no text gives, whose type is the table with its options.

use super::definition::Stored;
use super::keyword::is_keyword;
use super::session::Words;
use super::text::Text;
use crate::error::{Error, Result};
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

/// The parameter of a view that CHECK OPTION becomes.
pub(super) const CHECK_OPTION: &str = "check_option";

/// The name of the column that LIKE becomes.
pub(super) const LIKE: &str = "\0like";

/// What may stand between CREATE and the kind of what is made.
const MODIFIERS: [&str; 9] =
    ["or", "replace", "temp", "temporary", "global", "local", "unlogged", "unique", "recursive"];

/// The tokens of a statement without what only tunes.
///
/// # Errors
/// 22023 for parameters and 42704 for tablespaces that there are not.
pub(super) fn without(text: &Text, mut tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    let Some((of, mut at)) = made(&mut tokens) else { return Ok(tokens) };
    let (mut check, mut r#as) = (None, None);
    let mut depth = 0_usize;
    let mut begins_item = false;
    while let Some(here) = solid(&tokens, at) {
        at = here + 1;
        let starts_item = std::mem::take(&mut begins_item);
        let next = solid(&tokens, at);
        let follows = |word: &str| next.is_some_and(|next| is(&tokens, next, word));
        match &tokens[here].token {
            Token::LParen => {
                depth += 1;
                begins_item = depth == 1;
            }
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Comma => begins_item = depth == 1,
            _ if depth == 0 && of != Stored::Index && is(&tokens, here, "as") => {
                r#as = Some(here);
                break;
            }
            _ if starts_item && of == Stored::Table && is(&tokens, here, "like") => {
                at = like(text, &mut tokens, here)?;
            }
            _ if is(&tokens, here, "with")
                && next.is_some_and(|next| tokens[next].token == Token::LParen)
                && (depth == 0 || (depth == 1 && of == Stored::Table)) =>
            {
                let of = if depth == 0 { of } else { Stored::Index };
                let mut has_check = false;
                let value = check_value(&tokens[here..]);
                at = taken(text, &mut tokens, here, 1, |words| {
                    has_check = words.storage_and_check(of)?;
                    Ok(())
                })?;
                check = check.or(value.filter(|_| has_check));
            }
            _ if depth == 0 && of != Stored::View && is(&tokens, here, "tablespace") => {
                at = taken(text, &mut tokens, here, 1, |words| words.tablespace())?;
            }
            _ if is(&tokens, here, "using") && follows("index") && of == Stored::Table && depth < 2 => {
                at = taken(text, &mut tokens, here, 2, |words| {
                    words.needs("tablespace")?;
                    words.tablespace()
                })?;
            }
            _ if depth == 0 && of == Stored::Table && is(&tokens, here, "using") && follows("heap")
                || depth == 0 && of == Stored::Table && is(&tokens, here, "without") && follows("oids") =>
            {
                at = taken(text, &mut tokens, here, 2, |_| Ok(()))?;
            }
            _ => {}
        }
    }
    if let Some(r#as) = r#as.filter(|_| of == Stored::View) {
        put_check(&mut tokens, r#as, check);
    }
    Ok(tokens)
}

/// Puts CHECK OPTION, be it a parameter or a clause at the end, in front of the AS of a view, where sqlparser has a place for it.
fn put_check(tokens: &mut Vec<TokenWithSpan>, r#as: usize, parameter: Option<&'static str>) {
    let clause = check_clause(tokens);
    if let Some((start, _)) = clause {
        let end = tokens.len();
        blank(tokens, start..end);
    }
    let Some(word) = clause.map(|(_, word)| word).or(parameter) else { return };
    let span = tokens[r#as].span;
    let words = [Token::make_keyword("WITH"), Token::LParen, Token::make_word(CHECK_OPTION, None), Token::Eq];
    let value = [Token::SingleQuotedString(word.to_owned()), Token::RParen];
    let words = words.into_iter().chain(value).map(|token| TokenWithSpan::new(token, span));
    tokens.splice(r#as..r#as, words);
}

/// The next token from a place on that says something.
fn solid(tokens: &[TokenWithSpan], from: usize) -> Option<usize> {
    (from..tokens.len()).find(|&at| !matches!(tokens[at].token, Token::Whitespace(_) | Token::EOF))
}

fn is(tokens: &[TokenWithSpan], at: usize, word: &str) -> bool {
    is_keyword(&tokens[at].token, word)
}

/// What a CREATE makes, without UNLOGGED, and the place behind the word for it.
fn made(tokens: &mut [TokenWithSpan]) -> Option<(Stored, usize)> {
    let first = solid(tokens, 0).filter(|&at| is(tokens, at, "create"))?;
    let mut at = first + 1;
    loop {
        let next = solid(tokens, at)?;
        at = next + 1;
        if is(tokens, next, "table") {
            return Some((Stored::Table, at));
        } else if is(tokens, next, "index") {
            return Some((Stored::Index, at));
        } else if is(tokens, next, "view") {
            return Some((Stored::View, at));
        } else if is(tokens, next, "unlogged") {
            blank(tokens, next..next + 1);
        } else if !MODIFIERS.iter().any(|word| is(tokens, next, word)) {
            return None;
        }
    }
}

/// `WITH [LOCAL | CASCADED] CHECK OPTION` at the end of a view: where it begins, and which it is.
pub(super) fn check_clause(tokens: &[TokenWithSpan]) -> Option<(usize, &'static str)> {
    let is_solid = |token: &Token| !matches!(token, Token::Whitespace(_) | Token::EOF | Token::SemiColon);
    let mut last = (0..tokens.len()).rev().filter(|&at| is_solid(&tokens[at].token));
    let mut next = |words: &[&'static str]| {
        let at = last.next()?;
        words.iter().find(|word| is_keyword(&tokens[at].token, word)).map(|word| (at, *word))
    };
    next(&["option"])?;
    next(&["check"])?;
    match next(&["with", "local", "cascaded"])? {
        (at, "with") => Some((at, "cascaded")),
        (_, word) => next(&["with"]).map(|(at, _)| (at, word)),
    }
}

/// The value of a CHECK OPTION among parameters.
fn check_value(tokens: &[TokenWithSpan]) -> Option<&'static str> {
    let mut solid = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_)));
    solid.by_ref().find(|token| is_keyword(&token.token, CHECK_OPTION))?;
    let value = solid.nth(1)?;
    ["local", "cascaded"].into_iter().find(|word| match &value.token {
        Token::SingleQuotedString(text) => text == word,
        token => is_keyword(token, word),
    })
}

/// The same of a column or a constraint alone, as ALTER TABLE adds it.
pub(super) fn without_in_part(text: &Text, mut tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < tokens.len() {
        let follows = |ahead: usize, word: &str| {
            let mut solid = tokens[at + 1..].iter().filter(|token| !matches!(token.token, Token::Whitespace(_)));
            solid.nth(ahead).is_some_and(|token| is_keyword(&token.token, word))
        };
        let opens = tokens.get(at + 1).is_some_and(|token| token.token == Token::LParen);
        match &tokens[at].token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            token if depth == 0 && is_keyword(token, "with") && opens => {
                taken(text, &mut tokens, at, 1, |words| words.storage(Stored::Index))?;
            }
            token if depth == 0 && is_keyword(token, "using") && follows(0, "index") && follows(1, "tablespace") => {
                taken(text, &mut tokens, at, 2, |words| {
                    words.needs("tablespace")?;
                    words.tablespace()
                })?;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(tokens)
}

fn blank(tokens: &mut [TokenWithSpan], places: std::ops::Range<usize>) {
    for token in &mut tokens[places] {
        token.token = Token::Whitespace(Whitespace::Space);
    }
}

/// Blanks so many words and what is read behind them; where the next token stands.
fn taken(
    text: &Text,
    tokens: &mut [TokenWithSpan],
    from: usize,
    words: usize,
    read: impl FnOnce(&mut Words<'_>) -> Result<()>,
) -> Result<usize> {
    let count = {
        let mut reading = Words::new(text, &tokens[from..]);
        reading.at = words;
        read(&mut reading)?;
        reading.at
    };
    let is_solid = |&at: &usize| !matches!(tokens[at].token, Token::Whitespace(_) | Token::EOF);
    let last = (from..tokens.len()).filter(is_solid).nth(count - 1).unwrap_or(from);
    blank(tokens, from..last + 1);
    Ok(last + 1)
}

/// LIKE, at a place, as a column; where the next token stands.
fn like(text: &Text, tokens: &mut Vec<TokenWithSpan>, from: usize) -> Result<usize> {
    let (count, name, options) = {
        let mut words = Words::new(text, &tokens[from..]);
        words.at = 1;
        let mut name = vec![words.name()?];
        while words.takes_token(&Token::Period) {
            name.push(words.name()?);
        }
        let mut options = Vec::new();
        while words.peeks("including") || words.peeks("excluding") {
            options.push(words.name()?);
            options.push(words.name()?);
        }
        if !(words.peeks_token(&Token::Comma) || words.peeks_token(&Token::RParen)) {
            return Err(words.unexpected());
        }
        (words.at, name, options)
    };
    let is_solid = |&at: &usize| !matches!(tokens[at].token, Token::Whitespace(_) | Token::EOF);
    let last = (from..tokens.len()).filter(is_solid).nth(count - 1).unwrap_or(from);
    let span = tokens[from].span;
    let quoted = |name: &str| Token::make_word(name, Some('"'));
    let mut made = vec![quoted(LIKE), Token::Whitespace(Whitespace::Space)];
    for (place, part) in name.iter().enumerate() {
        if place > 0 {
            made.push(Token::Period);
        }
        made.push(quoted(part));
    }
    made.push(Token::LParen);
    made.extend(options.iter().map(|option| Token::SingleQuotedString(option.clone())));
    made.push(Token::RParen);
    let length = made.len();
    tokens.splice(from..=last, made.into_iter().map(|token| TokenWithSpan::new(token, span)));
    Ok(from + length)
}

/// What LIKE copies besides the columns.
#[derive(Clone, Copy, Default)]
pub(super) struct Copied {
    pub(super) defaults: bool,
    pub(super) constraints: bool,
    pub(super) indexes: bool,
}

impl Copied {
    /// From options and what is copied by each, in turn.
    ///
    /// # Errors
    /// 42601 for what there is not.
    pub(super) fn of(options: &[String]) -> Result<Self> {
        let mut copied = Copied::default();
        for pair in options.chunks(2) {
            let [including, what] = pair else { return Err(Error::internal("an option of LIKE has no end")) };
            let on = including == "including";
            match what.as_str() {
                "all" => (copied.defaults, copied.constraints, copied.indexes) = (on, on, on),
                "defaults" => copied.defaults = on,
                "constraints" => copied.constraints = on,
                "indexes" => copied.indexes = on,
                "comments" | "compression" | "generated" | "identity" | "statistics" | "storage" => {}
                other => {
                    let message = format!("syntax error at or near \"{other}\"");
                    return Err(Error::new(crate::error::ErrorKind::Syntax, message));
                }
            }
        }
        Ok(copied)
    }
}
