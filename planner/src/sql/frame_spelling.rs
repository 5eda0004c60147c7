//! Frames of windows as sqlparser reads them: it knows no EXCLUDE, and takes a text for an interval's. And what a call says of
//! NULLs, which it reads only behind the arguments.
//!
//! | written | parsed as |
//! |---|---|
//! | `UNBOUNDED FOLLOWING EXCLUDE TIES` | `"exclude ties"(1) FOLLOWING` |
//! | `CURRENT ROW EXCLUDE TIES` | `"exclude ties"() FOLLOWING` |
//! | `n PRECEDING EXCLUDE TIES` | `n OR "exclude ties"() PRECEDING` |
//! | `'1' PRECEDING` | `('1') PRECEDING` |
//! | `f(a IGNORE NULLS)` | `f(a) IGNORE NULLS` |

use super::keyword::is_keyword;
use crate::window::Exclude;
use sqlparser::ast::{self, BinaryOperator, FunctionArguments};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The beginning of the names of functions that stand for EXCLUDE. No name in SQL text gives them: were one quoted so, it would be
/// a function that does not exist.
const EXCLUDE: &str = "exclude ";

/// What a bound is but for what is excluded.
pub(super) enum Bounded<'a> {
    Current,
    Unbounded,
    At(&'a ast::Expr),
}

/// What is excluded, if that is said, and the bound.
pub(super) fn excluding(bound: &ast::Expr) -> (Option<Exclude>, Bounded<'_>) {
    match bound {
        ast::Expr::BinaryOp { left, op: BinaryOperator::Or, right } => match excluded(right) {
            Some((exclude, _)) => (Some(exclude), Bounded::At(left)),
            None => (None, Bounded::At(bound)),
        },
        _ => match excluded(bound) {
            Some((exclude, true)) => (Some(exclude), Bounded::Unbounded),
            Some((exclude, false)) => (Some(exclude), Bounded::Current),
            None => (None, Bounded::At(bound)),
        },
    }
}

/// What a call excludes, and whether it has an argument.
fn excluded(call: &ast::Expr) -> Option<(Exclude, bool)> {
    let ast::Expr::Function(function) = call else { return None };
    let [part] = function.name.0.as_slice() else { return None };
    let name = part.as_ident().filter(|ident| ident.quote_style.is_some())?;
    let words = name.value.strip_prefix(EXCLUDE)?;
    let exclude = Exclude::ALL.into_iter().find(|exclude| exclude.words() == words)?;
    let FunctionArguments::List(list) = &function.args else { return None };
    Some((exclude, !list.args.is_empty()))
}

/// The same tokens, with frames as sqlparser reads them.
pub(super) fn respell(tokens: &mut Vec<TokenWithSpan>) {
    let ends = |token: &Token| is_keyword(token, "preceding") || is_keyword(token, "following");
    let mut at = 0;
    while at < tokens.len() {
        if is_keyword(&tokens[at].token, "exclude") {
            exclude(tokens, at);
        } else if is_keyword(&tokens[at].token, "ignore") || is_keyword(&tokens[at].token, "respect") {
            nulls(tokens, at);
        } else if matches!(tokens[at].token, Token::SingleQuotedString(_))
            && solid(tokens, at + 1).is_some_and(|next| ends(&tokens[next].token))
            && before(tokens, at).is_some_and(|last| opens_bound(&tokens[last].token))
        {
            let span = tokens[at].span;
            tokens.insert(at + 1, TokenWithSpan::new(Token::RParen, span));
            tokens.insert(at, TokenWithSpan::new(Token::LParen, span));
            at += 2;
        }
        at += 1;
    }
}

/// Puts IGNORE NULLS or RESPECT NULLS, which begins at a place, behind the parenthesis that it stands before, and behind FILTER.
fn nulls(tokens: &mut [TokenWithSpan], at: usize) {
    let next = |place: usize| solid(tokens, place + 1);
    let Some(last) = next(at).filter(|&last| is_keyword(&tokens[last].token, "nulls")) else { return };
    let Some(mut close) = next(last).filter(|&close| tokens[close].token == Token::RParen) else { return };
    let filter = next(close).filter(|&filter| is_keyword(&tokens[filter].token, "filter"));
    if let Some(open) = filter.and_then(next).filter(|&open| tokens[open].token == Token::LParen) {
        let mut depth = 0usize;
        let closing = (open..tokens.len()).find(|&at| {
            match tokens[at].token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        close = closing.unwrap_or(close);
    }
    tokens[at..=close].rotate_left(last + 1 - at);
}

/// Whether a bound begins behind it.
fn opens_bound(token: &Token) -> bool {
    ["rows", "range", "groups", "between", "and"].iter().any(|word| is_keyword(token, word))
}

/// Makes EXCLUDE, which stands at a place, a part of the bound before it.
fn exclude(tokens: &mut Vec<TokenWithSpan>, at: usize) {
    let Some((exclude, end)) = words(tokens, at) else { return };
    let Some(last) = before(tokens, at) else { return };
    let is = |place: Option<usize>, word: &str| place.is_some_and(|place| is_keyword(&tokens[place].token, word));
    let span = tokens[at].span;
    let token = |token: Token| TokenWithSpan::new(token, span);
    let name = Token::make_word(&format!("{EXCLUDE}{}", exclude.words()), Some('"'));
    let first = before(tokens, last);
    let mut call = vec![token(name), token(Token::LParen)];
    let start = if is(Some(last), "row") && is(first, "current") {
        call.extend([token(Token::RParen), token(Token::make_keyword("FOLLOWING"))]);
        first.unwrap_or(last)
    } else if is(Some(last), "preceding") || is(Some(last), "following") {
        let direction = tokens[last].clone();
        if is(first, "unbounded") {
            call.extend([token(Token::Number("1".to_owned(), false)), token(Token::RParen), direction]);
            first.unwrap_or(last)
        } else {
            call.insert(0, token(Token::make_keyword("OR")));
            call.extend([token(Token::RParen), direction]);
            last
        }
    } else {
        return;
    };
    tokens.splice(start..=end, call);
}

/// What is excluded by the words behind EXCLUDE, and where they end.
fn words(tokens: &[TokenWithSpan], at: usize) -> Option<(Exclude, usize)> {
    let found = |exclude: Exclude| {
        let mut end = at;
        for word in exclude.words().split(' ') {
            end = solid(tokens, end + 1).filter(|&next| is_keyword(&tokens[next].token, word))?;
        }
        Some((exclude, end))
    };
    Exclude::ALL.into_iter().find_map(found)
}

/// The next token that is no space, from a place on.
fn solid(tokens: &[TokenWithSpan], from: usize) -> Option<usize> {
    (from..tokens.len()).find(|&at| !matches!(tokens[at].token, Token::Whitespace(_)))
}

/// The last token that is no space before a place.
fn before(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    (0..at).rfind(|&at| !matches!(tokens[at].token, Token::Whitespace(_)))
}
