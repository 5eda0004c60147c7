//! The values of a piece one after the other, and the errors of those that cannot be read.

use super::JsonOptions;
use super::blocks::{Layout, count_lines, malformed, too_large};
use super::scan::{DEPTH_MAX, Fault, Scanned, Scanner};
use memchr::memchr;
use multiloop_exec::{Error, ErrorKind, Result};
use std::path::Path;

/// What to do with values that are no lines.
const SPANNING: &str = "Values that span lines are read with format => 'unstructured'.";

/// What comes behind a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The next one.
    Next,
    /// The next one; and in this one there is no line end.
    OnLine,
    /// Nothing that is wanted.
    Stop,
}

/// How the values of a file are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a> {
    pub(super) path: &'a Path,
    layout: Layout,
    /// Whether lines that are no JSON are passed over; see [`Values::each`].
    lenient: bool,
    bytes_max: usize,
}

/// The text of a piece that begins on a line; an error (22021) if it is not UTF-8.
pub(super) fn text_of<'a>(bytes: &'a [u8], line: u64, path: &Path) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = line + count_lines(&bytes[..error.valid_up_to()]);
        let message = format!("invalid byte sequence for encoding \"UTF8\" in {}, line {line}", path.display());
        Error::new(ErrorKind::InvalidUtf8, message)
    })
}

impl<'a> Values<'a> {
    pub(super) fn new(path: &'a Path, options: &JsonOptions, layout: Layout) -> Self {
        let lenient = options.ignore_errors && layout == Layout::Lines;
        Values { path, layout, lenient, bytes_max: options.maximum_object_size.unwrap_or(usize::MAX) }
    }

    /// Calls `each` at every value of a text, which takes it, until it says no, or that it lies on one line. Where lines that are no JSON are passed over, it is
    /// called for these, too, and the rest of the line is left out: a row is a row, if of nothing.
    pub(super) fn each<'t>(
        &self,
        text: &'t str,
        line: u64,
        mut each: impl FnMut(&mut Scanner<'t>) -> Scanned<Step>,
    ) -> Result<()> {
        if !self.lenient {
            return self.each_in(text, line, &mut each).map(drop);
        }
        // What a line holds must not depend on where pieces are cut: nothing of the next one is its.
        for (text, line) in text.split('\n').zip(line..) {
            if !self.each_in(text, line, &mut each)? {
                break;
            }
        }
        Ok(())
    }

    /// The same for a part of the values; whether `each` has not said no.
    fn each_in<'t>(
        &self,
        text: &'t str,
        line: u64,
        each: &mut impl FnMut(&mut Scanner<'t>) -> Scanned<Step>,
    ) -> Result<bool> {
        let mut scanner = Scanner::new(text);
        scanner.skip_blanks();
        let mut first = true;
        while scanner.at < text.len() || (first && self.layout == Layout::Array) {
            first = false;
            let start = scanner.at;
            let mut on_line = false;
            match each(&mut scanner) {
                Ok(Step::Next) => {}
                Ok(Step::OnLine) => on_line = true,
                Ok(Step::Stop) => return Ok(false),
                Err(Fault::Malformed(..) | Fault::TooDeep(_)) if self.lenient => {
                    scanner.at = text.len();
                }
                Err(fault) => return Err(self.error(fault, text, line)),
            }
            // Whether it is whole must not depend on where pieces are cut.
            if self.layout == Layout::Lines && !on_line && memchr(b'\n', &text.as_bytes()[start..scanner.at]).is_some()
            {
                let fault = Fault::Malformed(start, "a value that spans lines".into());
                return Err(self.error(fault, text, line).with_hint(SPANNING));
            }
            if scanner.at - start > self.bytes_max {
                return Err(too_large(self.bytes_max, self.path, line + count_lines(&text.as_bytes()[..start])));
            }
            scanner.skip_blanks();
            if self.layout == Layout::Array && scanner.at < text.len() {
                if !scanner.accept(b',') {
                    return Err(self.error(scanner.unexpected(), text, line));
                }
                scanner.skip_blanks();
                // What is behind the last comma is the next piece.
                if scanner.at == text.len() {
                    let fault = Fault::Malformed(scanner.at, "a comma before ]".into());
                    return Err(self.error(fault, text, line));
                }
            }
        }
        Ok(true)
    }

    /// The error of a fault in a text that begins at this line.
    pub(super) fn error(&self, fault: Fault, text: &str, line: u64) -> Error {
        let line_of = |at: usize| line + count_lines(&text.as_bytes()[..at.min(text.len())]);
        match fault {
            Fault::Malformed(at, what) => {
                let ends = at >= text.len();
                let error = malformed(self.path, line_of(if ends { text.trim_end().len() } else { at }), &what);
                if self.layout == Layout::Lines && ends {
                    return error.with_hint(SPANNING);
                }
                error
            }
            Fault::TooDeep(at) => {
                let (path, line) = (self.path.display(), line_of(at));
                let message = format!("JSON nests deeper than {DEPTH_MAX} in {path}, line {line}");
                Error::new(ErrorKind::TooComplex, message)
            }
            Fault::Contradiction => Error::internal("a value is not of the type that was guessed"),
            Fault::Value(at, error) => {
                let place = format!("{}, in {}, line {}", error.message(), self.path.display(), line_of(at));
                Error::new(error.kind(), place)
            }
        }
    }
}
