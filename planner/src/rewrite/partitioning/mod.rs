//! Which collections are cut among workers, which rows of them each row of a loop reads, and what is to be warned of (DMLL, section
//! 4 and Algorithm 1; Brown's thesis, Algorithm 2).
//!
//! The paper's analysis drives its rules: it looks for one where a stencil is unknown. Here all rules run to a fixpoint whatever the
//! stencils are, since each is worth its while by itself; what is left when they are done is what this looks at.
//!
//! **Layouts.** A table of more rows than a chunk has is *partitioned*: its chunks are shared out to workers. What loops make of
//! partitioned collections is partitioned if it has a row for each of many rows or groups, and *local* if it is one row, or few.
//!
//! **Stencils**, of a collection that a loop reads, for each of its rows:
//!
//! | stencil | what is read | the paper's partition |
//! |---|---|---|
//! | const | one row, the same for all: the row of a Reduce, a key without indices | sent to all |
//! | one | its own row: the first index of a nest | any, each part where it lies |
//! | interval | the rows of a key, which lie together in an index: a bucket, a lookup | cut between keys, or the index sent to all |
//! | all | every row | sent to all |
//! | unknown | rows that a comparison with its own picks, which only looking at all of them tells | sent to all, or moved while it runs |
//!
//! The paper calls random access by computed positions unknown. Rows have no positions here; what stands for it is a condition over
//! both sides that is no equality of keys (k-means by centroid before Conditional Reduce, its Figure 4).
//!
//! **Warnings.** A partitioned collection that is read whole (all, unknown) by each of several rows is as many traversals. That a
//! rule might have made it one is no reason to be silent: the query takes rows times rows, and a person can often say it otherwise.

#[cfg(test)]
mod tests;
mod walk;

use super::machinery::dependencies::{Definition, definitions};
use crate::multiloop::print::collection_numbers;
use crate::multiloop::{BlockId, CollectionId, Let, Program, Shape};
use std::fmt;
use std::fmt::Write as _;
use walk::Walk;

/// Rows from which on a collection lies in several parts: those of a chunk of a table.
const PARTITIONED_ROWS: f64 = 65_536.0;

/// Where the rows of a collection lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Together.
    Local,
    /// In parts, each of which is read where it lies.
    Partitioned,
}

/// Which rows of a collection a row of a loop reads; a later one takes in those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stencil {
    /// The same row for all.
    Const,
    /// Its own.
    One,
    /// Those of a key.
    Interval,
    /// Every row.
    All,
    /// Those that a comparison picks.
    Unknown,
}

/// That a let reads a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The first collection that the let defines.
    pub reader: CollectionId,
    /// What it reads.
    pub collection: CollectionId,
    /// Which rows of it.
    pub stencil: Stencil,
    /// The innermost nested block that the let stands in, if it stands in one.
    pub block: Option<BlockId>,
    /// How many rows do so, about, and what they are rows of.
    asking: (f64, Option<CollectionId>),
}

/// Layouts and stencils of a program as it is.
#[derive(Clone, Debug)]
pub struct Partitioning<'p> {
    program: &'p Program,
    made: Vec<Option<Definition>>,
    layouts: Vec<Layout>,
    rows: Vec<f64>,
    reads: Vec<Read>,
}

impl Layout {
    fn of(rows: f64) -> Layout {
        if rows > PARTITIONED_ROWS { Layout::Partitioned } else { Layout::Local }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layout::Local => "local",
            Layout::Partitioned => "partitioned",
        })
    }
}

impl fmt::Display for Stencil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stencil::Const => "const",
            Stencil::One => "one",
            Stencil::Interval => "interval",
            Stencil::All => "all",
            Stencil::Unknown => "unknown",
        })
    }
}

impl<'p> Partitioning<'p> {
    /// Analyses the live part of a program.
    pub fn of(program: &'p Program) -> Self {
        let made = definitions(program);
        let (layouts, rows, reads) = Walk::over(program, &made);
        Partitioning { program, made, layouts, rows, reads }
    }

    /// Where the rows of a collection lie.
    pub fn layout(&self, id: CollectionId) -> Layout {
        self.layouts[id.0 as usize]
    }

    /// What is read, each collection once for a let, in the order of the program.
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// What to warn of, in plain words. `is_searched` says of nested blocks whether the plan answers them by search, and looks at
    /// no row that does not match.
    pub fn warnings(&self, is_searched: impl Fn(BlockId) -> bool) -> Vec<String> {
        // Where no table is large, what is are guesses.
        if !self.program.tables().any(|(.., statistics)| statistics.likely_rows() as f64 > PARTITIONED_ROWS) {
            return Vec::new();
        }
        let mut warnings: Vec<String> = Vec::new();
        for Read { collection, stencil, block, asking, .. } in &self.reads {
            let is_read_whole = matches!(stencil, Stencil::All | Stencil::Unknown);
            let (times, of) = *asking;
            if !is_read_whole
                || times < 1.5
                || self.layout(*collection) == Layout::Local
                || block.is_some_and(&is_searched)
            {
                continue;
            }
            let asking = format!("each of about {} rows of {}", times.round(), of.map_or(UNNAMED, |of| self.name(of)));
            let rows = format!("{} (about {} rows)", self.name(*collection), self.rows[collection.0 as usize].round());
            let warning = match stencil {
                Stencil::Unknown => format!(
                    "{asking} is compared with every row of {rows}: no rule makes that one traversal, because nothing that both \
                     sides are equal in says which rows match"
                ),
                _ => format!("{asking} reads every row of {rows}: no rule makes that one traversal"),
            };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }

    /// What a collection is made of, in a person's words: the first table that it goes over.
    fn name(&self, id: CollectionId) -> &'p str {
        let mut id = id;
        // As deep as there are collections, at most: an Iterate reads what it defines.
        for _ in 0..=self.program.collections.len() {
            if let Shape::Table { name, .. } = &self.program.collection(id).shape {
                return name;
            }
            let Some(Definition { block, at, .. }) = self.made[id.0 as usize] else { break };
            let next = match &self.program.block(block).lets[at] {
                Let::Loop { multiloop, .. } => multiloop.nest[0].source.collection(),
                Let::Sort { input, .. } | Let::Window { input, .. } | Let::Iterate { seed: input, .. } => Some(*input),
                Let::Concat { inputs, .. } => inputs.first().copied(),
                Let::Values { .. } => None,
            };
            match next {
                Some(next) => id = next,
                None => break,
            }
        }
        UNNAMED
    }

    /// A line for each let that reads something, with the numbers of [`print`](crate::multiloop::print::print).
    pub fn text(&self) -> String {
        let numbers = collection_numbers(self.program);
        let mut lines: Vec<(CollectionId, String)> = Vec::new();
        for read in &self.reads {
            let (Some(reader), Some(number)) = (numbers.get(&read.reader), numbers.get(&read.collection)) else {
                continue;
            };
            let what = format!("%{number} {} ({})", read.stencil, self.layout(read.collection));
            match lines.last_mut() {
                Some((last, line)) if *last == read.reader => {
                    let _ = write!(line, ", {what}");
                }
                _ => lines.push((read.reader, format!("  %{reader} reads {what}"))),
            }
        }
        lines.into_iter().map(|(_, line)| line + "\n").collect()
    }
}

/// What has no name.
const UNNAMED: &str = "a subquery";
