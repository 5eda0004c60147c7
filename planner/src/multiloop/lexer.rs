//! The words of the text form.

use crate::error::{Error, ErrorKind, Result};

/// A word of the text form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A plain word: a keyword, a name, `i0`, `b0`.
    Word(String),
    /// A name in double quotes.
    Quoted(String),
    /// A text in single quotes.
    Text(String),
    /// Digits, perhaps with a point and an exponent, perhaps negative.
    Number(String),
    /// `%0`.
    Collection(u32),
    /// `$1`.
    Parameter(u32),
    /// `#3`: a field's position.
    Position(u32),
    /// Everything else: `(`, `<=`, `::`.
    Sign(&'static str),
    /// The end of a line that holds something.
    LineEnd,
}

/// Longer signs before their beginnings.
const SIGNS: [&str; 19] =
    ["::", "<>", "<=", ">=", "(", ")", "[", "]", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", "?"];

/// The words of a text, each with its line number from 1. `--` begins a comment.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let before = all.len();
        let mut rest = line.trim_start();
        while !rest.is_empty() && !rest.starts_with("--") {
            let (token, length) = token(rest, all.last().map(|(token, _)| token)).ok_or_else(|| {
                Error::new(ErrorKind::Syntax, format!("no word of the loop text in line {}: {rest}", number + 1))
            })?;
            all.push((token, number + 1));
            rest = rest[length..].trim_start();
        }
        if all.len() > before {
            all.push((Token::LineEnd, number + 1));
        }
    }
    Ok(all)
}

/// The first word of a text that does not begin with a blank, and its length in bytes.
fn token(text: &str, before: Option<&Token>) -> Option<(Token, usize)> {
    let first = text.chars().next()?;
    if first.is_alphabetic() || first == '_' {
        let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        return Some((Token::Word(text[..length].to_owned()), length));
    }
    if first == '\'' || first == '"' {
        let (content, length) = quoted(text, first)?;
        let token = if first == '"' { Token::Quoted(content) } else { Token::Text(content) };
        return Some((token, length));
    }
    if first.is_ascii_digit() || (first == '-' && !ends_operand(before)) {
        let length = number_length(text)?;
        return Some((Token::Number(text[..length].to_owned()), length));
    }
    let digits = text[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len().saturating_sub(1));
    if matches!(first, '%' | '$' | '#') && digits > 0 {
        let number: u32 = text[1..=digits].parse().ok()?;
        let token = match first {
            '%' => Token::Collection(number),
            '$' => Token::Parameter(number),
            _ => Token::Position(number),
        };
        return Some((token, digits + 1));
    }
    let sign = SIGNS.into_iter().find(|sign| text.starts_with(sign))?;
    Some((Token::Sign(sign), sign.len()))
}

/// Whether a minus behind this word is an operator.
fn ends_operand(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::LineEnd) => false,
        Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "?"),
        // `if -5 < x`: words end an operand only as a field's or a constant's name.
        Some(Token::Word(word)) => {
            !matches!(word.as_str(), "if" | "row" | "by" | "is" | "distinct" | "NOT" | "AND" | "OR")
        }
        Some(_) => true,
    }
}

/// The content of a quoted text and its length with quotes: a doubled quote stands for one, `\n` for a line end.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            content.push(match letters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                other => other,
            });
        } else if letter != quote {
            content.push(letter);
        } else if letters.peek().is_some_and(|(_, next)| *next == quote) {
            letters.next();
            content.push(quote);
        } else {
            return Some((content, at + 1));
        }
    }
    None
}

fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let start = usize::from(bytes[0] == b'-');
    let mut end = digits(start);
    if end == start {
        return None;
    }
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let sign = usize::from(bytes.get(end + 1) == Some(&b'-'));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    Some(end)
}
