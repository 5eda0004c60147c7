//! Colours of what is typed: keywords, strings, numbers, comments, commands, and the brackets at the cursor.

use super::lex::{Kind, Token, tokens};
use super::words;
use std::ops::Range;

const KEYWORD: &str = "1;36";
const TYPE: &str = "36";
const TEXT: &str = "32";
const NUMBER: &str = "33";
const COMMENT: &str = "90";
const COMMAND: &str = "35";
const VARIABLE: &str = "35";
const BRACKET: &str = "1;4";
/// What the history would add.
const HINT: &str = "90";

/// A text with colours; `cursor` is where brackets are looked at, if they are.
pub(super) fn coloured(text: &str, cursor: Option<usize>) -> String {
    let brackets = cursor.and_then(|cursor| brackets_at(text, cursor));
    let is_bracket =
        |range: &Range<usize>| brackets.is_some_and(|(one, other)| range.start == one || range.start == other);
    let mut coloured = String::with_capacity(2 * text.len());
    let mut command_end = dot_line(text).unwrap_or(0);
    if command_end > 0 {
        put(&mut coloured, COMMAND, &text[..command_end]);
    }
    for token in tokens(text, command_end) {
        let written = &text[token.range.clone()];
        let colour = match token.kind {
            Kind::Backslash => {
                command_end = token.range.end
                    + text[token.range.end..].find(char::is_whitespace).unwrap_or(text.len() - token.range.end);
                COMMAND
            }
            _ if token.range.start < command_end => COMMAND,
            Kind::Word if words::is_keyword(written) => KEYWORD,
            Kind::Word if words::is_type(written) => TYPE,
            Kind::Text => TEXT,
            Kind::Number => NUMBER,
            Kind::Comment => COMMENT,
            Kind::Variable => VARIABLE,
            Kind::Symbol(_) if is_bracket(&token.range) => BRACKET,
            _ => "",
        };
        put(&mut coloured, colour, written);
    }
    coloured
}

/// What the history would add, in its colour.
pub(super) fn hint(text: &str) -> String {
    let mut coloured = String::new();
    put(&mut coloured, HINT, text);
    coloured
}

fn put(coloured: &mut String, colour: &str, text: &str) {
    match colour {
        "" => coloured.push_str(text),
        colour => coloured.push_str(&format!("\x1b[{colour}m{text}\x1b[0m")),
    }
}

/// How long a command with a dot is at the start of a text.
fn dot_line(text: &str) -> Option<usize> {
    let is_command = text.starts_with('.') && text[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    is_command.then(|| text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// The bracket under the cursor, or before it, and the one that it belongs to.
fn brackets_at(text: &str, cursor: usize) -> Option<(usize, usize)> {
    let is_bracket = |token: &Token| matches!(token.kind, Kind::Symbol('(' | ')' | '[' | ']'));
    let all: Vec<Token> = tokens(text, 0).filter(is_bracket).collect();
    let place = |at: usize| all.iter().position(|token| token.range.start == at);
    let one = place(cursor).or_else(|| cursor.checked_sub(1).and_then(place))?;
    let mut depth = 0_i64;
    let is_open = |token: &Token| matches!(token.kind, Kind::Symbol('(' | '['));
    let mut found = |token: &&Token| {
        depth += if is_open(token) { 1 } else { -1 };
        depth == 0
    };
    let other = match is_open(&all[one]) {
        true => all[one..].iter().find(|token| found(token)),
        false => all[..=one].iter().rev().find(|token| found(token)),
    }?;
    Some((all[one].range.start, other.range.start))
}

#[cfg(test)]
mod tests {
    use super::{brackets_at, coloured};

    #[test]
    fn words_have_colours_and_keep_their_text() {
        let text = "SELECT 'x', 1 FROM t -- c";
        let shown = coloured(text, None);
        assert!(shown.starts_with("\x1b[1;36mSELECT\x1b[0m \x1b[32m'x'\x1b[0m, \x1b[33m1\x1b[0m "), "{shown:?}");
        assert!(shown.ends_with(" t \x1b[90m-- c\x1b[0m"), "{shown:?}");
        let plain = |shown: &str| {
            let mut parts = shown.split('\x1b');
            let first = parts.next().unwrap_or_default().to_owned();
            first + &parts.map(|part| part.split_once('m').map_or("", |(_, text)| text)).collect::<String>()
        };
        for text in ["\\d t", ".mode csv", "'open", "((", "größe :x $$"] {
            assert_eq!(plain(&coloured(text, Some(1))), text);
        }
    }

    #[test]
    fn brackets_in_strings_are_none() {
        assert_eq!(brackets_at("f(')', (1))", 1), Some((1, 10)));
        assert_eq!(brackets_at("f(')', (1))", 11), Some((10, 1)));
        assert_eq!(brackets_at("f(", 1), None);
        assert_eq!(brackets_at("", 0), None);
    }
}
