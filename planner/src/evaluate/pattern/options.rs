//! The letters by which regular expressions are asked for, as an argument of functions or within the text.

use crate::error::{Error, ErrorKind, Result};

/// How an expression is read, and matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// All matches are meant, not the first.
    pub(super) global: bool,
    pub(super) ignores_case: bool,
    /// Each letter stands for itself.
    pub(super) literal: bool,
    /// Blanks and comments mean nothing.
    pub(super) expanded: bool,
    /// Neither `.` nor `[^…]` match the end of a line.
    pub(super) lines_apart: bool,
    /// `^` and `$` are the ends of any line.
    pub(super) line_anchors: bool,
    /// Another kind of regular expression, by its letter.
    other: Option<char>,
}

impl Options {
    /// Reads the argument of a function.
    ///
    /// # Errors
    /// 22023 for a letter that is none.
    pub(super) fn of_argument(letters: &str) -> Result<Self> {
        let mut options = Options::default();
        let unknown = |letter: char| {
            let message = format!("invalid regular expression option: \"{letter}\"");
            Error::new(ErrorKind::InvalidParameter, message)
        };
        let plain: String = letters.chars().filter(|letter| *letter != 'g').collect();
        options.read(&plain, &unknown)?;
        options.global = plain.len() < letters.len();
        options.check()?;
        Ok(options)
    }

    /// Reads letters on top of what there is.
    pub(super) fn read(&mut self, letters: &str, unknown: &dyn Fn(char) -> Error) -> Result<()> {
        for letter in letters.chars() {
            match letter {
                'i' => self.ignores_case = true,
                'c' => self.ignores_case = false,
                'q' => self.literal = true,
                'x' => self.expanded = true,
                't' => self.expanded = false,
                'm' | 'n' => (self.lines_apart, self.line_anchors) = (true, true),
                'p' => (self.lines_apart, self.line_anchors) = (true, false),
                's' => (self.lines_apart, self.line_anchors) = (false, false),
                'w' => (self.lines_apart, self.line_anchors) = (false, true),
                'b' | 'e' => self.other = Some(letter),
                other => return Err(unknown(other)),
            }
        }
        Ok(())
    }

    /// 0A000 for the kinds that are not read.
    pub(super) fn check(self) -> Result<()> {
        match self.other {
            Some(letter) if !self.literal => {
                Err(Error::unsupported(format_args!("the regular expression option \"{letter}\" is")))
            }
            _ => Ok(()),
        }
    }

    /// The same in front of an expression of the `regex` crates, where `.` stops at the end of a line unless told.
    pub(super) fn prefix(self) -> String {
        let letters = [(self.ignores_case, 'i'), (!self.lines_apart, 's'), (self.line_anchors, 'm')];
        let letters: String = letters.iter().filter(|(is_on, _)| *is_on).map(|(_, letter)| letter).collect();
        if letters.is_empty() { letters } else { format!("(?{letters})") }
    }
}
