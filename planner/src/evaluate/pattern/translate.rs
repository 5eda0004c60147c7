//! PostgreSQL's advanced regular expressions in the syntax of the `regex` crates.
//!
//! The text is read as PostgreSQL's documentation (9.7.3) has it: a director (`***=`), options (`(?i)`), branches, pieces, atoms.
//! Whatever could mean something else in the other syntax is written as a code point. Letters are those of Unicode, digits the
//! ten of ASCII. Back references and what looks ahead or behind are refused: no automaton has them.
//!
//! Beside the translation stands what the whole prefers, the longest match or the shortest: that of the first quantifier of a
//! branch, and the longest where there are several branches.

use super::DEPTH_MAX;
use super::options::Options;
use crate::error::{Error, ErrorKind, Result};
use crate::stack;
use std::fmt::Write;

/// Times that a quantifier may ask for.
const REPEATED_MAX: u32 = 255;

/// A letter of `\w`, for within brackets.
pub(super) const WORD: &str = "\\p{Alphabetic}\\p{Nd}_";

/// Which of the matches at one place is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preference {
    None,
    Longest,
    Shortest,
}

/// An expression in the other syntax.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) text: String,
    pub(super) prefers: Preference,
}

/// The translation of an expression. Options within the text come on top of those given.
///
/// # Errors
/// 2201B for what is no regular expression, 0A000 for what no automaton matches.
pub(super) fn translate(pattern: &str, options: Options) -> Result<Translation> {
    let mut options = options;
    let mut rest = pattern;
    if let Some(directed) = rest.strip_prefix("***") {
        (options.literal, rest) = match directed.split_at_checked(1) {
            Some(("=", rest)) => (true, rest),
            Some((":", rest)) => (false, rest),
            _ => return Err(invalid("quantifier operand invalid")),
        };
    }
    if !options.literal
        && let Some(inner) = rest.strip_prefix("(?")
        && inner.starts_with(|first: char| first.is_ascii_alphabetic())
    {
        let (letters, after) = inner.split_once(')').ok_or_else(|| invalid("invalid embedded option"))?;
        options.read(letters, &|_| invalid("invalid embedded option"))?;
        rest = after;
    }
    options.check()?;
    let mut text = options.prefix();
    if options.literal {
        rest.chars().for_each(|letter| push_letter(letter, &mut text));
        return Ok(Translation { text, prefers: Preference::None });
    }
    let letters = rest.chars().collect();
    let mut translator = Translator { letters, at: 0, out: text, groups: 0, depth: 0, options };
    let prefers = translator.branches()?;
    if translator.at < translator.letters.len() {
        return Err(invalid("parentheses () not balanced"));
    }
    Ok(Translation { text: translator.out, prefers })
}

/// The error for a text that is no regular expression.
pub(super) fn invalid(why: &str) -> Error {
    Error::new(ErrorKind::InvalidPattern, format!("invalid regular expression: {why}"))
}

/// The error for an expression that is too large, or nests too deeply.
pub(super) fn too_complex() -> Error {
    invalid("regular expression is too complex")
}

pub(super) fn bad_escape() -> Error {
    invalid("invalid escape \\ sequence")
}

/// A letter that stands for itself.
fn push_letter(letter: char, out: &mut String) {
    if letter.is_ascii_alphanumeric() || !letter.is_ascii() {
        out.push(letter);
    } else {
        push_code(letter, out);
    }
}

pub(super) fn push_code(letter: char, out: &mut String) {
    write!(out, "\\x{{{:x}}}", u32::from(letter)).expect("a string can be written to");
}

/// What a backslash and the letters behind it are.
pub(super) enum Escape {
    Letter(char),
    /// The inside of a class, and whether its complement is meant.
    Class(&'static str, bool),
    /// A place in the text.
    Place(&'static str),
}

/// A text that is read, and what has been written of it.
pub(super) struct Translator {
    pub(super) letters: Vec<char>,
    pub(super) at: usize,
    pub(super) out: String,
    /// Groups that have begun.
    groups: usize,
    /// Groups that are open.
    depth: u32,
    pub(super) options: Options,
}

impl Translator {
    pub(super) fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, letter)| self.letters.get(self.at + ahead) == Some(&letter))
    }

    /// Takes a letter if it is the next.
    pub(super) fn accept(&mut self, letter: char) -> bool {
        let found = self.peek() == Some(letter);
        self.at += usize::from(found);
        found
    }

    /// Passes over comments, and over blanks where they mean nothing.
    fn skip_comments(&mut self) {
        loop {
            if self.starts_with("(?#") {
                while self.peek().is_some_and(|letter| letter != ')') {
                    self.at += 1;
                }
                self.at += usize::from(self.peek().is_some());
            } else if self.options.expanded && self.peek().is_some_and(char::is_whitespace) {
                self.at += 1;
            } else if self.options.expanded && self.peek() == Some('#') {
                while self.peek().is_some_and(|letter| letter != '\n') {
                    self.at += 1;
                }
            } else {
                return;
            }
        }
    }

    /// Branches with `|` between them, up to a parenthesis that closes, or the end.
    fn branches(&mut self) -> Result<Preference> {
        let mut prefers = self.branch()?;
        while self.accept('|') {
            self.out.push('|');
            self.branch()?;
            prefers = Preference::Longest;
        }
        Ok(prefers)
    }

    fn branch(&mut self) -> Result<Preference> {
        let mut prefers = Preference::None;
        loop {
            self.skip_comments();
            match self.peek() {
                None | Some('|' | ')') => return Ok(prefers),
                Some(_) => {
                    let piece = self.piece()?;
                    if prefers == Preference::None {
                        prefers = piece;
                    }
                }
            }
        }
    }

    /// An atom with its quantifier, or a place.
    fn piece(&mut self) -> Result<Preference> {
        let start = self.out.len();
        let Some(prefers) = self.atom()? else {
            self.skip_comments();
            return if self.at_quantifier() {
                Err(invalid("quantifier operand invalid"))
            } else {
                Ok(Preference::None)
            };
        };
        self.skip_comments();
        if !self.at_quantifier() {
            return Ok(prefers);
        }
        let Repeat { least, most, is_fixed } = self.quantifier()?;
        let shortest = self.accept('?');
        // An atom may be several symbols of the other syntax.
        self.out.insert_str(start, "(?:");
        self.out.push(')');
        match most {
            Some(most) => write!(self.out, "{{{least},{most}}}"),
            None => write!(self.out, "{{{least},}}"),
        }
        .expect("a string can be written to");
        self.out.push_str(if shortest { "?" } else { "" });
        self.skip_comments();
        if self.at_quantifier() {
            return Err(invalid("quantifier operand invalid"));
        }
        Ok(match (is_fixed, shortest) {
            (true, _) => prefers,
            (false, true) => Preference::Shortest,
            (false, false) => Preference::Longest,
        })
    }

    /// Whether a quantifier begins here. A brace before anything but a digit is a letter.
    fn at_quantifier(&self) -> bool {
        match self.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => self.letters.get(self.at + 1).is_some_and(char::is_ascii_digit),
            _ => false,
        }
    }

    fn quantifier(&mut self) -> Result<Repeat> {
        let sign = self.peek();
        self.at += 1;
        let (least, most) = match sign {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            _ => return self.counts(),
        };
        Ok(Repeat { least, most, is_fixed: false })
    }

    /// `m}`, `m,}` or `m,n}`.
    fn counts(&mut self) -> Result<Repeat> {
        let least = self.count()?;
        let is_range = self.accept(',');
        let most = match self.peek() {
            Some('}') if is_range => None,
            _ if is_range => Some(self.count()?),
            _ => Some(least),
        };
        if !self.accept('}') {
            return Err(invalid("braces {} not balanced"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(invalid("invalid repetition count(s)"));
        }
        Ok(Repeat { least, most, is_fixed: !is_range })
    }

    fn count(&mut self) -> Result<u32> {
        let mut count = None;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(10)) {
            self.at += 1;
            let value = count.unwrap_or(0) * 10 + digit;
            if value > REPEATED_MAX {
                return Err(invalid("invalid repetition count(s)"));
            }
            count = Some(value);
        }
        count.ok_or_else(|| match self.peek() {
            None => invalid("braces {} not balanced"),
            Some(_) => invalid("invalid repetition count(s)"),
        })
    }

    /// An atom and what it prefers; none of a place, which cannot be repeated.
    fn atom(&mut self) -> Result<Option<Preference>> {
        let letter = self.letters[self.at];
        match letter {
            '*' | '+' | '?' => return Err(invalid("quantifier operand invalid")),
            '{' if self.at_quantifier() => return Err(invalid("quantifier operand invalid")),
            '(' => return self.group(),
            '[' => return self.bracket(),
            '\\' => return self.escaped_atom(),
            _ => self.at += 1,
        }
        match letter {
            '^' | '$' => {
                self.out.push(letter);
                return Ok(None);
            }
            '.' => self.out.push('.'),
            _ => push_letter(letter, &mut self.out),
        }
        Ok(Some(Preference::None))
    }

    fn group(&mut self) -> Result<Option<Preference>> {
        self.at += 1;
        if self.accept('?') {
            if !self.accept(':') {
                return Err(match self.peek() {
                    Some('=' | '!' | '<') => Error::unsupported("a regular expression that looks ahead or behind is"),
                    _ => invalid("quantifier operand invalid"),
                });
            }
            self.out.push_str("(?:");
        } else {
            self.groups += 1;
            self.out.push('(');
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(too_complex());
        }
        let prefers = stack::more(|| self.branches())?;
        self.depth -= 1;
        if !self.accept(')') {
            return Err(invalid("parentheses () not balanced"));
        }
        self.out.push(')');
        Ok(Some(prefers))
    }

    fn escaped_atom(&mut self) -> Result<Option<Preference>> {
        match self.escape()? {
            Escape::Letter(letter) => push_code(letter, &mut self.out),
            Escape::Class(class, negated) => {
                let caret = if negated { "^" } else { "" };
                write!(self.out, "[{caret}{class}]").expect("a string can be written to");
            }
            Escape::Place(place) => {
                self.out.push_str(place);
                return Ok(None);
            }
        }
        Ok(Some(Preference::None))
    }

    pub(super) fn escape(&mut self) -> Result<Escape> {
        self.at += 1;
        let letter = self.peek().ok_or_else(bad_escape)?;
        self.at += 1;
        Ok(match letter {
            'd' | 'D' => Escape::Class("0-9", letter == 'D'),
            's' | 'S' => Escape::Class("\\s", letter == 'S'),
            'w' | 'W' => Escape::Class(WORD, letter == 'W'),
            'A' => Escape::Place("\\A"),
            'Z' => Escape::Place("\\z"),
            'm' => Escape::Place("\\b{start}"),
            'M' => Escape::Place("\\b{end}"),
            'y' => Escape::Place("\\b"),
            'Y' => Escape::Place("\\B"),
            _ => Escape::Letter(self.escaped_letter(letter)?),
        })
    }

    fn escaped_letter(&mut self, letter: char) -> Result<char> {
        Ok(match letter {
            'a' => '\x07',
            'b' => '\x08',
            'B' => '\\',
            'c' => {
                let letter = self.peek().ok_or_else(bad_escape)?;
                self.at += 1;
                char::from((u32::from(letter) & 0x1f) as u8)
            }
            'e' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'u' => self.code(4, 4)?,
            'U' => self.code(8, 8)?,
            'x' => self.code(1, 255)?,
            '0'..='9' => self.octal_letter(letter)?,
            other if other.is_ascii_alphabetic() => return Err(bad_escape()),
            other => other,
        })
    }

    /// A code point of so many hexadecimal digits.
    fn code(&mut self, least: usize, most: usize) -> Result<char> {
        let mut code = 0u32;
        let mut count = 0;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(16)).filter(|_| count < most) {
            code = code.checked_mul(16).and_then(|code| code.checked_add(digit)).ok_or_else(bad_escape)?;
            count += 1;
            self.at += 1;
        }
        char::from_u32(code).filter(|_| count >= least).ok_or_else(bad_escape)
    }

    /// `\\0`, `\\ooo`, or a reference to a group before: several digits are one only where there are that many groups.
    fn octal_letter(&mut self, first: char) -> Result<char> {
        let start = self.at - 1;
        let digits: String =
            self.letters[start..].iter().take_while(|letter| letter.is_ascii_digit()).take(3).collect();
        let number = digits.parse::<usize>().unwrap_or(usize::MAX);
        if first != '0' && (digits.len() == 1 || number <= self.groups) {
            return Err(match number <= self.groups {
                true => Error::unsupported("a back reference in a regular expression is"),
                false => invalid("invalid backreference number"),
            });
        }
        let octal = digits.bytes().take_while(|digit| *digit < b'8').count();
        if octal == 0 {
            return Err(bad_escape());
        }
        self.at = start + octal;
        u32::from_str_radix(&digits[..octal], 8).ok().and_then(char::from_u32).ok_or_else(bad_escape)
    }
}

/// How often an atom comes.
struct Repeat {
    least: u32,
    /// None for any number.
    most: Option<u32>,
    /// Whether one number was given: that prefers nothing.
    is_fixed: bool,
}
