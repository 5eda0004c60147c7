//! A pass over a file: its rows in blocks, each of which any worker may take apart before the ones in front of it are known.
//!
//! 1. The file is cut every so many bytes; a block has the rows that begin within its bytes.
//! 2. Whoever takes a block assumes that quotes are closed where it begins, so that its first row is behind the first line end.
//! 3. Blocks are handed over in order. The one before says where its last row ends: if the next block has begun elsewhere, the
//!    assumption was wrong (a quoted field holds line ends), and it is taken apart again from there. So what is handed over
//!    depends neither on the cuts nor on the number of workers.

use super::records::ENCODING_HINT;
use super::source::{Extent, Source};
use super::split::{self, Bad, Coverage, Rows, Shape, Wrong, assumed_start, line_of};
use super::values::{self, Made, Want};
use multiloop_exec::cpu::simd::marks::Marks;
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, Result};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Bytes of a block.
pub(super) const BLOCK_BYTES: u64 = 1 << 19;

/// Blocks that are taken apart before they are handed over, for each worker.
const BLOCKS_A_WORKER: u64 = 8;

/// Bytes of memory that it takes to take a byte of a file apart, about.
const WORKING: usize = 3;

/// What is read of a file.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub(super) source: &'a Source,
    pub(super) shape: Shape<'a>,
    /// The names of the columns, for errors.
    pub(super) names: &'a [String],
    /// Where the first row begins, and on which line.
    pub(super) start: u64,
    pub(super) line: u64,
    pub(super) block_bytes: u64,
    /// Bytes of a row, at most.
    pub(super) row_bytes_max: usize,
    pub(super) keeps_rejects: bool,
}

/// Takes blocks in order.
pub(super) trait Sink {
    /// What is asked of each column, by what is known until now.
    fn wants(&self) -> Vec<Want>;

    /// Takes a block.
    fn take(&mut self, block: Block) -> Result<()>;
}

/// Rows of a file.
#[derive(Debug)]
pub(super) struct Block {
    /// Where they lie.
    pub(super) bytes: Range<u64>,
    pub(super) rows: usize,
    /// The line of the first.
    pub(super) line: u64,
    /// By column.
    pub(super) columns: Vec<Made>,
    /// What was asked of each.
    pub(super) wants: Vec<Want>,
    /// Rows that were left out.
    pub(super) rejects: Vec<Reject>,
}

/// A row that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reject {
    /// Its line, counted from the first one as 1 once the block is handed over.
    pub(super) line: u64,
    /// Where it begins in the file.
    pub(super) place: u64,
    /// The column whose value is wrong, if it is one's.
    pub(super) column: Option<usize>,
    pub(super) message: String,
    pub(super) text: String,
}

/// What is wrong with a block.
#[derive(Debug)]
struct Failure {
    /// Counted from the block's first as 0.
    line: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Row(Bad),
    Value(usize, Error),
}

/// What became of a block.
enum Outcome {
    Taken {
        block: Block,
        lines: u64,
        failure: Option<Failure>,
    },
    /// No row begins in it.
    Nothing,
    /// A row needs bytes that were not read.
    Short,
}

/// Memory that a worker takes again.
#[derive(Default)]
struct Scratch {
    bytes: Vec<u8>,
    rows: Rows,
    marks: Marks,
}

impl Pass<'_> {
    /// Hands all rows over.
    pub(super) fn run(&self, sink: &mut dyn Sink, context: &Context) -> Result<()> {
        let scratch: Mutex<Vec<Scratch>> = Mutex::default();
        let blocks_at_once = context.workers().count() as u64 * BLOCKS_A_WORKER;
        let place = |block: u64| self.start + block * self.block_bytes;
        let margin = self.margin() as u64;
        let (mut first, mut next, mut line) = (0, self.start, self.line);
        context.progress.done.fetch_add(self.start, Ordering::Relaxed);
        let mut extent = self.source.reach(place(blocks_at_once) + margin)?;
        let mut working = Reservation::new(&context.memory);
        while next < extent.end || !extent.is_all {
            let block = (self.block_bytes + margin).min(extent.end) as usize;
            working.resize(context.workers().count() * block * WORKING + self.source.window_bytes())?;
            let end = first + blocks_at_once;
            let wants = sink.wants();
            let work = |number: u64| {
                if number == end {
                    // Meanwhile somebody sees to the bytes behind these.
                    return self
                        .source
                        .reach(place(end + blocks_at_once) + margin)
                        .map(|extent| (Outcome::Nothing, Some(extent)));
                }
                let mut own = take(&scratch);
                let known = (number == first && next < place(number + 1)).then_some(next);
                let is_there = place(number) < extent.end && place(number + 1) > next;
                let range = place(number)..place(number + 1);
                let outcome = if is_there {
                    self.block(range, known, (extent, margin), &wants, &mut own)?
                } else {
                    Outcome::Nothing
                };
                scratch.lock().unwrap_or_else(PoisonError::into_inner).push(own);
                Ok((outcome, None))
            };
            let numbers = std::iter::once(end).chain(first..end).collect();
            let mut outcomes = context.workers().map(numbers, work)?.into_iter();
            let reached = outcomes.next().and_then(|(_, reached)| reached).unwrap_or(extent);
            for (number, (outcome, _)) in (first..end).zip(outcomes) {
                let range = place(number)..place(number + 1);
                if next >= range.end || (extent.is_all && next >= extent.end) {
                    continue;
                }
                let outcome = match outcome {
                    Outcome::Taken { block, lines, failure } if block.bytes.start == next => (block, lines, failure),
                    _ => match self.surely(range, next, &wants, &mut take(&scratch), context)? {
                        Some(taken) => taken,
                        None => continue,
                    },
                };
                next = self.hand_over(outcome, &mut line, sink, context)?;
            }
            self.source.release(next.min(place(end)));
            first = end;
            extent = if reached.end >= next { reached } else { self.source.reach(next + margin)? };
        }
        Ok(())
    }

    /// Bytes that are read behind a block, where its last row ends.
    fn margin(&self) -> usize {
        (self.block_bytes / 32).max(16) as usize
    }

    fn hand_over(
        &self,
        (mut block, lines, failure): (Block, u64, Option<Failure>),
        line: &mut u64,
        sink: &mut dyn Sink,
        context: &Context,
    ) -> Result<u64> {
        if let Some(Failure { line: at, what }) = failure {
            return Err(self.error_of(what, *line + at));
        }
        block.line = *line;
        block.rejects.iter_mut().for_each(|reject| reject.line += *line);
        *line += lines;
        let next = block.bytes.end;
        context.progress.done.fetch_add(block.bytes.end - block.bytes.start, Ordering::Relaxed);
        sink.take(block)?;
        Ok(next)
    }

    fn error_of(&self, what: What, line: u64) -> Error {
        let path = self.source.path();
        match what {
            What::Row(bad) => {
                let (kind, what) = split::fault_of(&bad, self.names);
                let error = Error::new(kind, format!("{what} in {}, line {line}", path.display()));
                if matches!(bad.what, Wrong::Utf8) { error.with_hint(ENCODING_HINT) } else { error }
            }
            What::Value(column, error) => {
                let (what, name) = (error.message(), &self.names[column]);
                let message = format!("{what}, column \"{name}\" in {}, line {line}", path.display());
                let told = Error::new(error.kind(), message);
                error.hint().map_or_else(|| told.clone(), |hint| told.clone().with_hint(hint))
            }
        }
    }

    /// A block whose first row is known to begin at a place, with as many bytes as its last one needs.
    fn surely(
        &self,
        range: Range<u64>,
        from: u64,
        wants: &[Want],
        scratch: &mut Scratch,
        context: &Context,
    ) -> Result<Option<(Block, u64, Option<Failure>)>> {
        let mut margin = self.margin() as u64;
        let mut working = Reservation::new(&context.memory);
        loop {
            let extent = self.source.reach(range.end + margin)?;
            if extent.is_all && from >= extent.end {
                return Ok(None);
            }
            match self.block(range.clone(), Some(from), (extent, margin), wants, scratch)? {
                Outcome::Taken { block, lines, failure } => return Ok(Some((block, lines, failure))),
                Outcome::Nothing => return Ok(None),
                Outcome::Short if margin > self.row_bytes_max as u64 => {
                    let rows = scratch.rows.next;
                    let line = self.line + line_of(&scratch.bytes, rows.min(scratch.bytes.len()), self.shape.dialect);
                    return Err(split::too_long(self.source.path(), line, self.row_bytes_max));
                }
                Outcome::Short => {
                    margin = (margin * 4).min(self.row_bytes_max as u64 + 1);
                    working.resize((range.end + margin - from) as usize * WORKING)?;
                }
            }
        }
    }

    /// Takes a block apart. Where its first row begins may be known.
    fn block(
        &self,
        range: Range<u64>,
        known: Option<u64>,
        (extent, margin): (Extent, u64),
        wants: &[Want],
        scratch: &mut Scratch,
    ) -> Result<Outcome> {
        let Scratch { bytes, rows, marks } = scratch;
        let from = known.unwrap_or(range.start.saturating_sub(1));
        let to = extent.end.min(range.end + margin);
        self.source.read(from, (to - from) as usize, bytes)?;
        let is_end = extent.is_all && to == extent.end;
        let most = (range.end.min(to) - from) as usize;
        let begin = match known {
            Some(_) => 0,
            None => match assumed_start(&bytes[..most], 0, self.shape.dialect) {
                Some(begin) if begin < most => begin,
                _ => return Ok(Outcome::Nothing),
            },
        };
        if rows.split(self.shape, (bytes, is_end), begin..most, marks) == Coverage::Short {
            return Ok(Outcome::Short);
        }
        let mut rejects = Vec::new();
        self.check_rows(bytes, begin, rows);
        let (columns, failure) = self.columns(bytes, begin, from, rows, wants, &mut rejects);
        let bytes = from + begin as u64..from + rows.next as u64;
        let block = Block { bytes, rows: rows.count(), line: 0, columns, wants: wants.to_vec(), rejects };
        Ok(Outcome::Taken { block, lines: rows.lines, failure })
    }

    /// Rows that are no text, or too long, are wrong.
    fn check_rows(&self, bytes: &[u8], begin: usize, rows: &mut Rows) {
        let most = self.row_bytes_max;
        // Few blocks have a row that may be too long: one that holds so many bytes.
        let are_short = rows.next - begin <= most || rows.most_bytes() <= most;
        if are_short && split::is_text(&bytes[begin..rows.next]) {
            return;
        }
        let (mut bad, mut wrong) = (Vec::new(), Vec::new());
        for row in 0..rows.count() {
            let of = rows.start(row)..rows.end(bytes, self.shape.dialect, row);
            let what = match &bytes[of.clone()] {
                row if self.without_line_end(row).len() > most => Wrong::Long(most),
                row if split::is_text(row) => continue,
                row if std::str::from_utf8(row).is_err() => Wrong::Utf8,
                _ => Wrong::Zero,
            };
            bad.push(Bad { bytes: of, what, before: row - wrong.len() });
            wrong.push(row);
        }
        rows.bad.extend(bad);
        rows.bad.sort_by_key(|bad| bad.bytes.start);
        if self.shape.drops {
            rows.drop_rows(&wrong);
        } else if let Some(&first) = wrong.first() {
            let behind: Vec<usize> = (first..rows.count()).collect();
            rows.drop_rows(&behind);
        }
    }

    fn without_line_end<'a>(&self, row: &'a [u8]) -> &'a [u8] {
        let newline = self.shape.dialect.newline;
        let row = row.strip_suffix(&[newline]).unwrap_or(row);
        if newline == b'\n' { row.strip_suffix(b"\r").unwrap_or(row) } else { row }
    }

    /// What is wanted of the columns, and the first thing that is wrong; where rows may be left out, without those that are.
    fn columns(
        &self,
        bytes: &[u8],
        begin: usize,
        from: u64,
        rows: &mut Rows,
        wants: &[Want],
        rejects: &mut Vec<Reject>,
    ) -> (Vec<Made>, Option<Failure>) {
        let dialect = self.shape.dialect;
        let line = |place: usize| line_of(&bytes[begin..], place - begin, dialect);
        let make = |rows: &Rows| -> Vec<Made> {
            let make = |(column, &want): (usize, &Want)| {
                values::Source { bytes, rows, dialect, column }.make(want, 0..rows.count())
            };
            wants.iter().enumerate().map(make).collect()
        };
        let mut columns = make(rows);
        let wrong = columns.iter_mut().enumerate().flat_map(|(column, made)| {
            std::mem::take(&mut made.wrong).into_iter().map(move |(row, error)| (row, column, error))
        });
        let mut wrong: Vec<(usize, usize, Error)> = wrong.collect();
        wrong.sort_by_key(|&(row, column, _)| (row, column));
        if !self.shape.drops {
            let value = wrong
                .into_iter()
                .next()
                .map(|(row, column, error)| Failure { line: line(rows.start(row)), what: What::Value(column, error) });
            let row =
                || rows.bad.first().map(|bad| Failure { line: line(bad.bytes.start), what: What::Row(bad.clone()) });
            return (columns, value.or_else(row));
        }
        // One that is longer than memory was to be asked for is an error even so, as it is where a block ends within it.
        if let Some(bad) = rows.bad.iter().find(|bad| matches!(bad.what, Wrong::Long(_))) {
            return (columns, Some(Failure { line: line(bad.bytes.start), what: What::Row(bad.clone()) }));
        }
        if self.keeps_rejects {
            self.note_rejects((bytes, begin, from), rows, &wrong, rejects);
        }
        if !wrong.is_empty() {
            let mut dropped: Vec<usize> = wrong.into_iter().map(|(row, ..)| row).collect();
            dropped.dedup();
            rows.drop_rows(&dropped);
            columns = make(rows);
        }
        (columns, None)
    }

    /// Notes the rows that are left out.
    fn note_rejects(
        &self,
        (bytes, begin, from): (&[u8], usize, u64),
        rows: &Rows,
        wrong: &[(usize, usize, Error)],
        rejects: &mut Vec<Reject>,
    ) {
        let mut reject = |of: Range<usize>, column, message: String| {
            let text = String::from_utf8_lossy(&bytes[of.clone()]);
            rejects.push(Reject {
                line: line_of(&bytes[begin..], of.start - begin, self.shape.dialect),
                place: from + of.start as u64,
                column,
                message,
                text: text.trim_end_matches(['\r', '\n']).to_owned(),
            });
        };
        for bad in &rows.bad {
            reject(bad.bytes.clone(), None, split::fault_of(bad, self.names).1);
        }
        for (row, column, error) in wrong {
            reject(
                rows.start(*row)..rows.end(bytes, self.shape.dialect, *row),
                Some(*column),
                error.message().to_owned(),
            );
        }
        rejects.sort_by_key(|reject| (reject.place, reject.column));
    }
}

fn take(scratch: &Mutex<Vec<Scratch>>) -> Scratch {
    scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
}
