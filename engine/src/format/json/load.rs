//! Pieces of files as columns, and all pieces as a table.

use super::blocks::{Block, Blocks, Layout, Piece};
use super::infer::Columns;
use super::lines::Lines;
use super::rows::{Building, Objects};
use super::scan::Fault;
use super::text::{Step, Values, text_of};
use super::values::{Builder, Made};
use super::{JsonOptions, PIECE_BYTES};
use crate::format::set::FileSet;
use crate::format::store;
use crate::format::unite::{Places, Union};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::cpu::simd::marks::Stops;
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, Result};
use multiloop_planner::evaluate::UTC;
use multiloop_planner::types::Field;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Rows between two looks at how much memory they take.
const ROWS_BETWEEN: usize = 1 << 10;

/// Pieces that are parsed before their rows are handed over, for each worker.
const PIECES_A_WORKER: usize = 8;

/// Memory that a worker takes again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) bytes: Vec<u8>,
    pub(super) stops: Stops,
}

/// Memory for all workers.
#[derive(Debug, Default)]
pub(super) struct Scratches(Mutex<Vec<Scratch>>);

impl Scratches {
    /// Calls a function with memory that nobody else has.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let result = work(&mut own);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
        result
    }
}

/// Rows of a piece.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) rows: usize,
    pub(super) columns: Vec<Made>,
    /// What they take, until somebody else counts them.
    _memory: Reservation,
}

/// What files are read into.
pub(super) struct Reader<'a> {
    pub(super) objects: Objects<'a>,
    pub(super) columns: &'a Columns,
    pub(super) options: &'a JsonOptions,
    /// Whether values are kept; else some are only looked at.
    pub(super) keeps: bool,
    pub(super) scratches: Scratches,
}

impl<'a> Reader<'a> {
    pub(super) fn new(columns: &'a Columns, options: &'a JsonOptions, guessed: bool) -> Self {
        let objects = Objects::new(columns, options, guessed);
        Reader { objects, columns, options, keeps: true, scratches: Scratches::default() }
    }

    /// All rows; none if some value is not as was guessed.
    pub(super) fn read(&self, files: &FileSet, context: &Context) -> Result<Option<Table>> {
        let union = self.columns.of_all(files)?;
        let mut builder = TableBuilder::new(union.fields.clone(), Storage::Compact, context);
        for (path, places) in files.iter().zip(&union.places) {
            let to = &mut To { union: &union, places, builder: &mut builder };
            let is_read = match Lines::open(path, self.options)? {
                Some(lines) => self.read_lines(&lines, path, to, context)?,
                None => self.each_block(path, context, |(_, parsed)| to.push(parsed))?.is_some(),
            };
            if !is_read {
                return Ok(None);
            }
        }
        builder.finish().map(Some)
    }

    /// All rows of a file of lines; whether they are as was guessed.
    fn read_lines(&self, lines: &Lines, path: &Path, to: &mut To, context: &Context) -> Result<bool> {
        context.progress.total.fetch_add(lines.file_bytes(), Ordering::Relaxed);
        for wave in lines.parts().chunks(context.workers().count() * PIECES_A_WORKER) {
            let parse = |part: &Range<u64>| {
                self.parse_lines(lines, path, part, context).map(|found| found.map(|(_, parsed)| parsed))
            };
            for parsed in context.workers().map(wave.iter().collect(), parse)? {
                let Some(parsed) = parsed else { return Ok(false) };
                to.push(parsed)?;
            }
            let bytes = wave.iter().map(|part| part.end - part.start).sum();
            context.progress.done.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(true)
    }

    /// The rows of the lines that begin in a part of a file, and where these lie; none if some value is not as was guessed.
    pub(super) fn parse_lines(
        &self,
        lines: &Lines,
        path: &Path,
        part: &Range<u64>,
        context: &Context,
    ) -> Result<Option<(Range<u64>, Parsed)>> {
        self.scratches.with(|Scratch { bytes, stops }| {
            let mut memory = Reservation::new(&context.memory);
            let Some(of) = lines.read(part, bytes, &mut memory)? else {
                let columns = self.builders().into_iter().map(Builder::finish).collect();
                return Ok(Some((part.start..part.start, Parsed { rows: 0, columns, _memory: memory })));
            };
            let values = Values::new(path, self.options, Layout::Lines);
            let place = of.place..of.place + of.bytes.len() as u64;
            let text = &bytes[of.bytes];
            let parsed = match self.parse(&values, text, 1, stops, context) {
                // Only of what is wrong the number of its line is known.
                Err(error) if !is_of_resources(&error) => {
                    let line = lines.line_at(place.start)?;
                    self.parse(&values, text, line, stops, context)
                }
                outcome => outcome,
            };
            // What is large is seldom.
            if bytes.capacity() > 4 * PIECE_BYTES {
                *bytes = Vec::new();
            }
            Ok(parsed?.map(|parsed| (place, parsed)))
        })
    }

    /// Hands over the pieces of a file in order, each with where it lies; gives how values follow each other. None once some value is
    /// not as was guessed.
    pub(super) fn each_block(
        &self,
        path: &Path,
        context: &Context,
        mut take: impl FnMut((Range<u64>, Parsed)) -> Result<()>,
    ) -> Result<Option<Layout>> {
        let mut blocks = Blocks::open(path, self.options, context.workers().count(), context)?;
        // Of a file that is compressed more may come out.
        let mut left = store::bytes_of(path)?;
        context.progress.total.fetch_add(left, Ordering::Relaxed);
        let mut block = blocks.next()?;
        while let Some(Block { bytes, pieces, place }) = block {
            let values = Values::new(path, self.options, blocks.layout());
            let reading = Mutex::new((&mut blocks, None));
            let work = |piece: Option<&Piece>| match piece {
                // Meanwhile somebody sees to the block behind this one.
                None => {
                    let (blocks, next) = &mut *reading.lock().unwrap_or_else(PoisonError::into_inner);
                    *next = Some(blocks.next());
                    Ok(None)
                }
                Some(piece) => self.scratches.with(|Scratch { stops, .. }| {
                    let of = place + piece.bytes.start as u64..place + piece.bytes.end as u64;
                    let parsed = self.parse(&values, &bytes[piece.bytes.clone()], piece.line, stops, context)?;
                    Ok(Some(parsed.map(|parsed| (of, parsed))))
                }),
            };
            let items = std::iter::once(None).chain(pieces.iter().map(Some)).collect();
            for parsed in context.workers().map(items, work)?.into_iter().flatten() {
                match parsed {
                    Some(parsed) => take(parsed)?,
                    None => return Ok(None),
                }
            }
            let (_, next) = reading.into_inner().unwrap_or_else(PoisonError::into_inner);
            // What is wrong behind a piece that is wrong was never asked for.
            block = next.transpose()?.flatten();
            let done = left.min(bytes.len() as u64);
            left -= done;
            context.progress.done.fetch_add(done, Ordering::Relaxed);
        }
        context.progress.done.fetch_add(left, Ordering::Relaxed);
        Ok(Some(blocks.layout()))
    }

    fn builders(&self) -> Vec<Builder<'_>> {
        let zone = self.options.time_zone.as_deref().unwrap_or(UTC);
        let builder = |field: &Field| match self.keeps {
            true => Builder::new(field.data_type, self.objects.guessed, zone),
            false => Builder::looking(field.data_type, zone),
        };
        self.columns.fields.iter().map(builder).collect()
    }

    /// The rows of a piece that begins on a line; none if some value is not as was guessed.
    pub(super) fn parse(
        &self,
        values: &Values,
        bytes: &[u8],
        line: u64,
        stops: &mut Stops,
        context: &Context,
    ) -> Result<Option<Parsed>> {
        let text = text_of(bytes, line, values.path)?;
        stops.find(bytes);
        let (stops, mut track) = (&*stops, self.objects.track());
        let mut building = Building { columns: self.builders(), ignore_errors: self.options.ignore_errors };
        let mut memory = Reservation::new(&context.memory);
        let (mut rows, mut contradicted) = (0, false);
        values.each(text, line, |scanner| {
            if rows % ROWS_BETWEEN == ROWS_BETWEEN - 1 {
                let held = context.check().and_then(|()| memory.resize(bytes_of(&building.columns)));
                held.map_err(|error| Fault::Value(scanner.at, Box::new(error)))?;
            }
            let row = self.objects.row(scanner, (stops, &mut track), &mut building, rows);
            match row {
                Ok(_) => {}
                Err(Fault::Contradiction) => {
                    contradicted = true;
                    return Ok(Step::Stop);
                }
                // A row is a row, even if of nothing.
                Err(_) => building.columns.iter_mut().for_each(|column| {
                    column.truncate(rows);
                    column.push_null();
                }),
            }
            rows += 1;
            if rows == 1 {
                // Of many columns most have few values.
                let about = (text.len() / scanner.at.max(1) + 1).min(text.len() / building.columns.len().max(1));
                building.columns.iter_mut().for_each(|column| column.reserve(about));
            }
            row.map(|on_line| if on_line { Step::OnLine } else { Step::Next })
        })?;
        if contradicted {
            return Ok(None);
        }
        memory.resize(bytes_of(&building.columns))?;
        Ok(Some(Parsed { rows, columns: building.columns.into_iter().map(Builder::finish).collect(), _memory: memory }))
    }
}

/// Whether an error is none of the data: memory, time, or somebody who has enough.
fn is_of_resources(error: &Error) -> bool {
    ["53", "57"].iter().any(|class| error.sqlstate().starts_with(class))
}

fn bytes_of(columns: &[Builder]) -> usize {
    columns.iter().map(Builder::bytes).sum()
}

/// What the rows of a file are added to.
struct To<'a> {
    union: &'a Union,
    places: &'a Places,
    builder: &'a mut TableBuilder,
}

impl To<'_> {
    fn push(&mut self, parsed: Parsed) -> Result<()> {
        let lost = || Error::internal("a column that was asked for has not been read");
        let columns = parsed.columns.into_iter().map(|made| made.column).collect::<Option<Vec<Column>>>();
        let columns = self.union.arrange(self.places, parsed.rows, columns.ok_or_else(lost)?);
        self.builder.push_columns(parsed.rows, columns)
    }
}
