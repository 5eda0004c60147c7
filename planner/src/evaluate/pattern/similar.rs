//! The regular expressions of SQL's own standard, for SIMILAR TO and SUBSTRING, as PostgreSQL's: `%` and `_` are as in LIKE, the
//! rest is nearly the same, and all of the text is matched. Between two escaped quotes is the part that SUBSTRING gives.

use crate::error::{Error, ErrorKind, Result};

/// A pattern in the other form. `escape` is a character in a text, by default a backslash; empty means none.
///
/// # Errors
/// 22025 for an escape of several characters, 2200C for more than two escaped quotes.
pub(super) fn regular(pattern: &str, escape: Option<&str>) -> Result<String> {
    let mut letters = escape.unwrap_or("\\").chars();
    let escape = letters.next();
    if letters.next().is_some() {
        return Err(Error::new(ErrorKind::InvalidEscape, "invalid escape string")
            .with_hint("Escape string must be empty or one character."));
    }
    let mut out = String::from("^(?:");
    let mut is_escaped = false;
    let mut quotes = 0;
    let mut brackets = Brackets::default();
    for letter in pattern.chars() {
        if is_escaped {
            is_escaped = false;
            if letter == '"' && !brackets.are_open() {
                quotes += 1;
                out.push_str(match quotes {
                    // The shortest text in front, the longest between: the part behind has what is left.
                    1 => "){1,1}?(",
                    2 => "){1,1}(?:",
                    _ => {
                        let message =
                            "SQL regular expression may not contain more than two escape-double-quote separators";
                        return Err(Error::new(ErrorKind::InvalidEscapeUse, message));
                    }
                });
            } else {
                out.push('\\');
                out.push(letter);
                brackets.begun = false;
            }
        } else if Some(letter) == escape {
            is_escaped = true;
        } else if brackets.are_open() {
            if letter == '\\' {
                out.push('\\');
            }
            out.push(letter);
            brackets.pass(letter);
        } else {
            match letter {
                '[' => {
                    out.push('[');
                    brackets.open();
                }
                '%' => out.push_str(".*"),
                '_' => out.push('.'),
                '(' => out.push_str("(?:"),
                '\\' | '.' | '^' | '$' => {
                    out.push('\\');
                    out.push(letter);
                }
                _ => out.push(letter),
            }
        }
    }
    out.push_str(")$");
    Ok(out)
}

/// Where in brackets a letter stands: those within others, `[:alpha:]`, count.
#[derive(Default)]
struct Brackets {
    depth: usize,
    /// Behind the outermost that opens, or a `^` there: one that closes is a letter.
    begun: bool,
}

impl Brackets {
    fn are_open(&self) -> bool {
        self.depth > 0
    }

    fn open(&mut self) {
        *self = Brackets { depth: 1, begun: true };
    }

    fn pass(&mut self, letter: char) {
        match letter {
            '[' => self.depth += 1,
            ']' if !self.begun => self.depth -= 1,
            _ => {}
        }
        self.begun = self.begun && letter == '^';
    }
}
