//! Brackets of regular expressions: letters, ranges and classes, of which one letter is to be.

use super::translate::{Escape, Preference, Translator, WORD, bad_escape, invalid, push_code};
use crate::error::Result;
use std::fmt::Write;

impl Translator {
    /// `[…]`, or `[[:<:]]` and `[[:>:]]`, where words begin and end.
    pub(super) fn bracket(&mut self) -> Result<Option<Preference>> {
        for (text, place) in [("[[:<:]]", "\\b{start}"), ("[[:>:]]", "\\b{end}")] {
            if self.starts_with(text) {
                self.at += text.len();
                self.out.push_str(place);
                return Ok(None);
            }
        }
        self.at += 1;
        self.out.push('[');
        if self.accept('^') {
            self.out.push('^');
            if self.options.lines_apart {
                self.out.push_str("\\n");
            }
        }
        let mut is_first = true;
        while is_first || self.peek() != Some(']') {
            self.bracket_item(is_first)?;
            is_first = false;
        }
        self.at += 1;
        self.out.push(']');
        Ok(Some(Preference::None))
    }

    /// A letter, a range of letters, or a class.
    fn bracket_item(&mut self, is_first: bool) -> Result<()> {
        if self.peek() == Some('-') && !is_first && self.letters.get(self.at + 1).is_some_and(|next| *next != ']') {
            return Err(invalid("invalid character range"));
        }
        if self.starts_with("[:") {
            let name = self.named(':', "invalid character class")?;
            return self.class(&name);
        }
        let Some(from) = self.bracket_letter()? else { return Ok(()) };
        let is_range = self.peek() == Some('-') && self.letters.get(self.at + 1).is_some_and(|next| *next != ']');
        if !is_range {
            push_code(from, &mut self.out);
            return Ok(());
        }
        self.at += 1;
        let out_length = self.out.len();
        let to = match self.starts_with("[:") {
            true => None,
            false => self.bracket_letter()?,
        };
        let Some(to) = to.filter(|to| from <= *to) else { return Err(invalid("invalid character range")) };
        self.out.truncate(out_length);
        push_code(from, &mut self.out);
        self.out.push('-');
        push_code(to, &mut self.out);
        Ok(())
    }

    /// A letter within brackets; none where a class was written.
    fn bracket_letter(&mut self) -> Result<Option<char>> {
        let unbalanced = || invalid("brackets [] not balanced");
        let letter = self.peek().ok_or_else(unbalanced)?;
        if letter == '\\' {
            return match self.escape()? {
                Escape::Letter(letter) => Ok(Some(letter)),
                Escape::Class(class, negated) => {
                    let caret = if negated { "^" } else { "" };
                    write!(self.out, "[{caret}{class}]").expect("a string can be written to");
                    Ok(None)
                }
                Escape::Place(_) => Err(bad_escape()),
            };
        }
        for mark in ['.', '='] {
            if letter == '[' && self.letters.get(self.at + 1) == Some(&mark) {
                let name = self.named(mark, "invalid collating element")?;
                let mut letters = name.chars();
                return match (letters.next(), letters.next()) {
                    (Some(letter), None) => Ok(Some(letter)),
                    _ => Err(invalid("invalid collating element")),
                };
            }
        }
        self.at += 1;
        Ok(Some(letter))
    }

    /// What stands in `[:…:]` and its kin.
    fn named(&mut self, mark: char, error: &str) -> Result<String> {
        self.at += 2;
        let rest = &self.letters[self.at..];
        let Some(length) = rest.windows(2).position(|pair| pair == [mark, ']']) else {
            return Err(invalid("brackets [] not balanced"));
        };
        let name: String = rest[..length].iter().collect();
        self.at += length + 2;
        if name.is_empty() { Err(invalid(error)) } else { Ok(name) }
    }

    fn class(&mut self, name: &str) -> Result<()> {
        self.out.push_str(match name {
            "alpha" => "\\p{Alphabetic}",
            "digit" => "0-9",
            "alnum" => "\\p{Alphabetic}\\p{Nd}",
            "word" => WORD,
            // Without regard to case either is both: the options see to that.
            "upper" => "\\p{Uppercase}",
            "lower" => "\\p{Lowercase}",
            "space" => "\\s",
            "blank" => " \\t",
            "punct" => "\\p{P}\\p{S}",
            "cntrl" => "\\p{Cc}",
            "graph" => "[^\\s\\p{C}]",
            "print" => "[^\\s\\p{C}] ",
            "xdigit" => "0-9A-Fa-f",
            _ => return Err(invalid("invalid character class")),
        });
        Ok(())
    }
}
