//! The SQL that says the same as a frame: for people, and for engines beside this one. It is PostgreSQL's wherever that can say it.
//!
//! `expression` prints trees, `query` blocks and what they read.

mod expression;
mod query;

use super::block::Block;
use super::survey::Survey;
use super::tree::Tree;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::stack;
use std::fmt;

/// Levels that a text may have; no query of more can be built.
const LEVELS_MAX: u32 = 6_000;

/// Bytes beyond which no text goes on.
const BYTES_MAX: usize = 1 << 27;

/// A text that grows.
struct Printer<'s> {
    text: String,
    survey: &'s Survey,
    depth: u32,
    /// Whether nothing was left out.
    is_whole: bool,
    /// The states of the innermost iteration, by number, and their names.
    states: Vec<(u64, &'static str)>,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        if self.text.len() > BYTES_MAX {
            self.is_whole = false;
            return;
        }
        self.text.push_str(text);
    }

    /// A name in quotes.
    fn name(&mut self, name: &str) {
        self.push("\"");
        self.push(&name.replace('"', "\"\""));
        self.push("\"");
    }

    /// A string literal.
    fn literal(&mut self, text: &str) {
        self.push("'");
        self.push(&text.replace('\'', "''"));
        self.push("'");
    }

    /// Parts with something between them.
    fn joined<T>(&mut self, parts: impl IntoIterator<Item = T>, between: &str, print: impl Fn(&mut Self, T)) {
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                self.push(between);
            }
            print(self, part);
        }
    }

    /// Prints one level deeper. What is deeper than any query can be is left out.
    fn deeper(&mut self, print: impl FnOnce(&mut Self)) {
        // What is shared many times is printed as often: no longer text is begun.
        if self.depth >= LEVELS_MAX || self.text.len() > BYTES_MAX {
            self.is_whole = false;
            return self.push("…");
        }
        self.depth += 1;
        stack::more(|| print(self));
        self.depth -= 1;
    }
}

/// The SQL of a block, with what it shares in front.
pub(super) fn sql(block: &Block) -> String {
    printed(block).0
}

/// The same, or an error (54001) if it is deeper or longer than any query can be.
pub(super) fn whole_sql(block: &Block) -> Result<String> {
    match printed(block) {
        (text, true) => Ok(text),
        _ => Err(Error::new(ErrorKind::TooComplex, "the query is too deep or too long")),
    }
}

fn printed(block: &Block) -> (String, bool) {
    let survey = Survey::of(block);
    let mut printer = Printer { text: String::new(), survey: &survey, depth: 0, is_whole: true, states: Vec::new() };
    printer.query(block);
    (printer.text, printer.is_whole)
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let survey = Survey::default();
        let mut printer =
            Printer { text: String::new(), survey: &survey, depth: 0, is_whole: true, states: Vec::new() };
        printer.tree(self);
        f.write_str(&printer.text)
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sql(self))
    }
}
