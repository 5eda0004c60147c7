//! SQL and backslash commands as tokens: what splits scripts, replaces variables, colours lines and completes words.
//!
//! It knows no grammar, only where things begin and end: strings (`'…'`, `E'…'`, `$tag$…$tag$`), names in quotes, comments
//! (which nest), variables (`:x`, `:'x'`, `:"x"`). Every byte of a text is in one token.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// White space.
    Space,
    /// A keyword, or a name without quotes.
    Word,
    Number,
    /// A string of any form.
    Text,
    /// A name in quotes.
    Name,
    Comment,
    /// `:x`, `:'x'`, `:"x"`, `:{?x}`.
    Variable,
    /// What a command begins with.
    Backslash,
    /// One character of anything else.
    Symbol(char),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    /// Whether it has its end: a string may go on in the next line.
    pub(super) is_whole: bool,
}

/// The tokens of a text from a place on.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

/// The tokens of a text from a place on, which is no place within one.
pub(super) fn tokens(text: &str, from: usize) -> Tokens<'_> {
    Tokens { text, at: from }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let before = self.text[..self.at].chars().next_back();
        let (kind, length, is_whole) = measure(rest, first, before);
        let range = self.at..self.at + length;
        self.at = range.end;
        Some(Token { kind, range, is_whole })
    }
}

/// The kind and length of the token at the start of a text, and whether it has its end.
fn measure(rest: &str, first: char, before: Option<char>) -> (Kind, usize, bool) {
    let whole = |kind, length| (kind, length, true);
    let ended = |kind, end: Option<usize>| (kind, end.unwrap_or(rest.len()), end.is_some());
    match first {
        space if space.is_whitespace() => whole(Kind::Space, while_of(rest, char::is_whitespace)),
        '-' if rest.starts_with("--") => whole(Kind::Comment, rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => ended(Kind::Comment, comment_end(rest)),
        '\'' => ended(Kind::Text, quote_end(rest, 1, '\'', false)),
        'e' | 'E' if rest[1..].starts_with('\'') => ended(Kind::Text, quote_end(rest, 2, '\'', true)),
        'b' | 'B' | 'x' | 'X' | 'n' | 'N' if rest[1..].starts_with('\'') => {
            ended(Kind::Text, quote_end(rest, 2, '\'', false))
        }
        '"' => ended(Kind::Name, quote_end(rest, 1, '"', false)),
        '$' => match dollar_tag(rest) {
            Some(tag) => {
                let end = rest[tag.len()..].find(tag).map(|found| found + 2 * tag.len());
                ended(Kind::Text, end)
            }
            None => match while_of(&rest[1..], |c| c.is_ascii_digit()) {
                0 => whole(Kind::Symbol('$'), 1),
                digits => whole(Kind::Number, 1 + digits),
            },
        },
        ':' if before != Some(':') => match variable_length(rest) {
            Some(length) => whole(Kind::Variable, length),
            None => whole(Kind::Symbol(':'), 1),
        },
        '\\' => whole(Kind::Backslash, 1),
        digit if digit.is_ascii_digit() => whole(Kind::Number, number_length(rest)),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) && !before.is_some_and(ends_operand) => {
            whole(Kind::Number, number_length(rest))
        }
        letter if is_word_start(letter) => {
            whole(Kind::Word, while_of(rest, |c| is_word_start(c) || c.is_ascii_digit() || c == '$'))
        }
        other => whole(Kind::Symbol(other), other.len_utf8()),
    }
}

/// Whether a statement ends in the body of a function, `BEGIN ATOMIC … END`, whose semicolons do not end it.
pub(super) fn is_in_body(statement: &str) -> bool {
    let words = tokens(statement, 0).filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment));
    let mut words = words.map(|token| match token.kind {
        Kind::Word => statement[token.range].to_ascii_lowercase(),
        _ => String::new(),
    });
    let makes = words.next().is_some_and(|word| word == "create");
    let mut kind = words.by_ref().skip_while(|word| word == "or" || word == "replace");
    if !makes || !kind.next().is_some_and(|word| word == "function" || word == "procedure") {
        return false;
    }
    let (mut depth, mut before) = (0_usize, String::new());
    for word in words {
        match word.as_str() {
            "atomic" if depth == 0 && before == "begin" => depth = 1,
            "case" if depth > 0 => depth += 1,
            "end" if depth > 0 => depth -= 1,
            _ => {}
        }
        before = word;
    }
    depth > 0
}

/// Whether a `.` behind this character is no number's.
fn ends_operand(before: char) -> bool {
    is_word_start(before) || before.is_ascii_digit() || matches!(before, '"' | ')' | ']')
}

/// Whether a word may begin with it: all letters beyond ASCII are such.
pub(super) fn is_word_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
}

/// Whether a word may have it.
pub(super) fn is_word(character: char) -> bool {
    is_word_start(character) || character.is_ascii_digit() || character == '$'
}

fn while_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|character| !is_part(character)).unwrap_or(text.len())
}

/// Where a quoted text ends whose first quote ends before `from`; a doubled quote is none, nor is one behind a backslash, if
/// these count.
fn quote_end(text: &str, from: usize, quote: char, escapes: bool) -> Option<usize> {
    let mut characters = text[from..].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if escapes && character == '\\' {
            characters.next();
        } else if character == quote {
            match characters.peek() {
                Some(&(_, next)) if next == quote => drop(characters.next()),
                _ => return Some(from + at + 1),
            }
        }
    }
    None
}

/// Where a comment ends; those within it end first.
fn comment_end(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// `$$` or `$tag$` at the start.
fn dollar_tag(text: &str) -> Option<&str> {
    let name = while_of(&text[1..], |c| is_word(c) && c != '$');
    let tag = text.get(..name + 2)?;
    (tag.ends_with('$') && !text[1..].starts_with(|c: char| c.is_ascii_digit())).then_some(tag)
}

fn number_length(text: &str) -> usize {
    let digits = |from: usize| from + while_of(&text[from..], |c| c.is_ascii_alphanumeric() || c == '_');
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    // The sign of an exponent.
    let is_exponent = text[..end].ends_with(['e', 'E']) && !text.starts_with("0x");
    if is_exponent && text[end..].starts_with(['+', '-']) { digits(end + 1) } else { end }
}

/// How long a variable is that begins here.
fn variable_length(text: &str) -> Option<usize> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let rest = &text[1..];
    let (open, close) = match rest.chars().next()? {
        '\'' => (1, "'"),
        '"' => (1, "\""),
        '{' if rest.starts_with("{?") => (2, "}"),
        _ => (0, ""),
    };
    let name = while_of(&rest[open..], is_name);
    let is_closed = rest[open + name..].starts_with(close);
    (name > 0 && is_closed).then_some(1 + open + name + close.len())
}

/// Where in a text something ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A semicolon here ends a statement.
    Semicolon(usize),
    /// A backslash here begins a command.
    Backslash(usize),
    /// The text ends; whether within a string, a name, or a comment.
    End { within: Option<Kind> },
}

/// Looks for the end of a statement, or a command, from a place on. `depth` counts the brackets that are open: a semicolon within
/// them ends nothing.
pub(super) fn next_stop(text: &str, from: usize, depth: &mut usize) -> Stop {
    for token in tokens(text, from) {
        match token.kind {
            Kind::Symbol('(') => *depth += 1,
            Kind::Symbol(')') => *depth = depth.saturating_sub(1),
            Kind::Symbol(';') if *depth == 0 => return Stop::Semicolon(token.range.start),
            Kind::Backslash => return Stop::Backslash(token.range.start),
            kind if !token.is_whole => return Stop::End { within: Some(kind) },
            _ => {}
        }
    }
    Stop::End { within: None }
}

/// Where the first statement of a text ends.
pub(super) fn next_stop_at(text: &str) -> usize {
    match next_stop(text, 0, &mut 0) {
        Stop::Semicolon(at) | Stop::Backslash(at) => at,
        Stop::End { .. } => text.len(),
    }
}

/// Whether there is nothing but white space and comments.
pub(super) fn is_blank(text: &str) -> bool {
    tokens(text, 0).all(|token| token.kind == Kind::Space || (token.kind == Kind::Comment && token.is_whole))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Stop, is_blank, is_in_body, next_stop, tokens};

    /// The tokens of a text but for its white space.
    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let all: Vec<_> = tokens(text, 0).collect();
        assert_eq!(all.iter().map(|token| &text[token.range.clone()]).collect::<String>(), text);
        let seen = all.into_iter().filter(|token| token.kind != Kind::Space);
        seen.map(|token| (token.kind, &text[token.range])).collect()
    }

    #[test]
    fn tokens_begin_and_end_where_they_do() {
        let cases: [(&str, &[(Kind, &str)]); 11] = [
            ("a1$ \"x\"\"y\"", &[(Kind::Word, "a1$"), (Kind::Name, "\"x\"\"y\"")]),
            ("'it''s' E'\\'' x'0f'", &[(Kind::Text, "'it''s'"), (Kind::Text, "E'\\''"), (Kind::Text, "x'0f'")]),
            ("$$ ' $$ $a$ $$ $a$", &[(Kind::Text, "$$ ' $$"), (Kind::Text, "$a$ $$ $a$")]),
            ("$1 1.5e-3 .5", &[(Kind::Number, "$1"), (Kind::Number, "1.5e-3"), (Kind::Number, ".5")]),
            ("/* a /* b */ c */ -- x", &[(Kind::Comment, "/* a /* b */ c */"), (Kind::Comment, "-- x")]),
            (":x :'x' :\"x\"", &[(Kind::Variable, ":x"), (Kind::Variable, ":'x'"), (Kind::Variable, ":\"x\"")]),
            ("1::int", &[(Kind::Number, "1"), (Kind::Symbol(':'), ":"), (Kind::Symbol(':'), ":"), (Kind::Word, "int")]),
            (":{?x}", &[(Kind::Variable, ":{?x}")]),
            ("t.5", &[(Kind::Word, "t"), (Kind::Symbol('.'), "."), (Kind::Number, "5")]),
            ("größe日", &[(Kind::Word, "größe日")]),
            ("\\d", &[(Kind::Backslash, "\\"), (Kind::Word, "d")]),
        ];
        cases.iter().for_each(|(text, expected)| assert_eq!(kinds(text), *expected));
    }

    #[test]
    fn a_semicolon_ends_a_statement_only_outside_quotes_comments_and_brackets() {
        let stop = |text: &str| next_stop(text, 0, &mut 0);
        assert_eq!(stop("SELECT 1;"), Stop::Semicolon(8));
        assert_eq!(stop("SELECT ';' ; -- done"), Stop::Semicolon(11));
        assert_eq!(stop("SELECT ';"), Stop::End { within: Some(Kind::Text) });
        assert_eq!(stop("SELECT $a$ ; $$ "), Stop::End { within: Some(Kind::Text) });
        assert_eq!(stop("SELECT E'\\';"), Stop::End { within: Some(Kind::Text) });
        assert_eq!(stop("SELECT \";"), Stop::End { within: Some(Kind::Name) });
        assert_eq!(stop("SELECT 1 -- ;\n"), Stop::End { within: None });
        assert_eq!(stop("SELECT 1 /* ; /* */ ;"), Stop::End { within: Some(Kind::Comment) });
        assert_eq!(stop("f(;) ;"), Stop::Semicolon(5));
        assert_eq!(stop("SELECT '\\' \\g"), Stop::Backslash(11));
    }

    #[test]
    fn bodies_of_functions_have_semicolons() {
        let head =
            "CREATE OR REPLACE FUNCTION f(a int) RETURNS int BEGIN /* ; */ ATOMIC SELECT CASE a WHEN 1 THEN 2 END";
        assert!(is_in_body(head));
        assert!(is_in_body(&format!("{head}; SELECT 1")));
        assert!(!is_in_body(&format!("{head}; END")));
        assert!(!is_in_body("CREATE FUNCTION f() RETURNS int LANGUAGE SQL AS 'BEGIN ATOMIC'"));
        assert!(!is_in_body("CREATE TABLE begin (atomic int)"));
        assert!(!is_in_body("BEGIN"));
    }

    #[test]
    fn comments_alone_are_nothing() {
        assert!(is_blank(" \n-- x\n/* y */ "));
        assert!(!is_blank("/* y "));
        assert!(!is_blank("-- x\n1"));
    }
}
