//! Files as tables whose rows stay there: a column is read when a loop asks for it, by the worker that asks.
//!
//! All rows are looked at once, when the file is named: what types columns have is known then, where rows lie, and for most
//! columns which values they have. A loop that reads several columns of a block has its rows taken apart once ([`Splits`]).

use super::super::known;
use super::super::set::Constants;
use super::super::splits::Splits;
use super::load::{Guessed, pass, shape};
use super::pass::{Block, Sink};
use super::source::Source;
use super::split::{Coverage, Rows, is_text, line_of};
use super::values::{self, Want};
use crate::format::bad_file;
use crate::format::store::is_object;
use multiloop_exec::column::{Chunk, Column, ColumnCache, ColumnReader, Dictionary, Table};
use multiloop_exec::cpu::simd::marks::Marks;
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, Result};
use multiloop_planner::catalog::{ColumnStatistics, TableStatistics};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Bytes of files up to which these are loaded when they are named: then all is known that can be of their values.
const SMALL_BYTES: u64 = 1 << 24;

/// The part of the memory up to which objects of stores are loaded.
const FAR_PART: u64 = 4;

/// Files that are read as one table.
#[derive(Debug)]
struct Files {
    of: Guessed,
    fields: Vec<Field>,
    splits: Splits<Split>,
}

/// What is known of a column of a block.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// What it was taken for.
    data_type: DataType,
    nulls: Option<usize>,
    range: Option<(i64, i64)>,
}

/// Rows of a file that begin in a block of it.
#[derive(Debug)]
struct Piece {
    file: usize,
    bytes: Range<u64>,
    rows: usize,
    line: u64,
    /// By column of the file.
    known: Vec<Known>,
}

/// Whether files are worth a look before they are read: there is much of them, any part of it can be read at any time, and which
/// rows there are does not depend on values.
pub(super) fn is_scanned(guessed: &Guessed, context: &Context) -> Result<bool> {
    let (mut bytes, mut far) = (0, 0);
    for layout in &guessed.layouts {
        let source = Source::open(&layout.path, &guessed.options)?;
        if !source.is_plain() {
            return Ok(false);
        }
        bytes += source.file_bytes();
        far += if is_object(&layout.path) { source.file_bytes() } else { 0 };
    }
    // What lies far is not fetched twice, unless there is much of it.
    let is_far = far > 0 && far < context.memory.limit() as u64 / FAR_PART;
    Ok(bytes > guessed.options.scan_bytes.unwrap_or(SMALL_BYTES) && !is_far && !guessed.options.drops())
}

/// Files as a table whose rows stay there until loops ask for them; what is asked for often is kept in the cache.
pub(super) fn scan(
    mut guessed: Guessed,
    cache: Option<&Arc<ColumnCache>>,
    context: &Context,
) -> Result<(Table, Vec<String>)> {
    let mut pieces = Vec::new();
    for (file, layout) in guessed.layouts.iter().enumerate() {
        let source = Source::open(&layout.path, &guessed.options)?;
        source.check(&layout.identity)?;
        let shape = shape(&layout.dialect, layout.names.len(), &guessed.options, true);
        let pass = pass(&source, shape, &layout.names, (layout.start, layout.line), &guessed.options);
        context.progress.total.fetch_add(source.file_bytes(), Ordering::Relaxed);
        let (places, said) = (&guessed.union.places[file], &guessed.said);
        let mut look = Look { file, places, said, guesses: &mut guessed.guesses, pieces: &mut pieces };
        pass.run(&mut look, context)?;
        source.check(&layout.identity)?;
    }
    guessed.name_types();
    // Of a single row what is not known of its NULLs is all or none.
    if pieces.iter().map(|piece| piece.rows).sum::<usize>() < 2 {
        let table = guessed.read(context)?;
        return Ok((table, guessed.placeholder_columns()));
    }
    let placeholders = guessed.placeholder_columns();
    let fields = guessed.fields();
    let splits = Splits::new(context.workers().count());
    let files = Arc::new(Files { of: guessed, fields: fields.clone(), splits });
    let pieces: Vec<InFiles> = pieces.into_iter().map(|piece| InFiles { files: Arc::clone(&files), piece }).collect();
    let rows = pieces.iter().map(|piece| piece.piece.rows as u64).sum();
    let columns = (0..fields.len()).map(|column| of_all(column, &fields[column], &pieces)).collect();
    let cached = cache.map(ColumnCache::table);
    let chunk = |(number, piece): (usize, InFiles)| {
        let ranges = (0..fields.len()).map(|column| piece.known(column).range).collect();
        let cached = cached.as_ref().map(|table| (table, number as u32));
        Arc::new(Chunk::lazy(piece.piece.rows, ranges, Arc::new(piece), cached))
    };
    let chunks = pieces.into_iter().filter(|piece| piece.piece.rows > 0).enumerate().map(chunk).collect();
    let statistics = Arc::new(TableStatistics { rows, columns, ..TableStatistics::default() });
    Ok((Table { fields: fields.clone(), chunks, statistics }, placeholders))
}

/// What is known of a column of all pieces.
fn of_all(column: usize, field: &Field, pieces: &[InFiles]) -> ColumnStatistics {
    let part = |piece: &InFiles| {
        let known = piece.known(column);
        known::Known { rows: piece.piece.rows, nulls: known.nulls, range: known.range }
    };
    let parts: Vec<known::Known> = pieces.iter().map(part).collect();
    let rows: usize = parts.iter().map(|part| part.rows).sum();
    let bytes: u64 = pieces.iter().map(|piece| piece.piece.bytes.end - piece.piece.bytes.start).sum();
    let columns = pieces.first().map_or(1, |piece| piece.piece.known.len().max(1)) as f64;
    known::statistics(field, &parts, bytes as f64 / rows.max(1) as f64 / columns)
}

/// A look at all rows of a file.
struct Look<'a> {
    file: usize,
    /// Where the file's columns are among those of all, of which these are known.
    places: &'a [usize],
    said: &'a [Option<DataType>],
    guesses: &'a mut Vec<super::guess::Guess>,
    pieces: &'a mut Vec<Piece>,
}

impl Sink for Look<'_> {
    fn wants(&self) -> Vec<Want> {
        let want = |&at: &usize| match self.guesses[at].is_settled() || self.said[at].is_some() {
            true => Want::Skip,
            false => Want::See(self.guesses[at]),
        };
        self.places.iter().map(want).collect()
    }

    fn take(&mut self, block: Block) -> Result<()> {
        let mut known = Vec::with_capacity(block.columns.len());
        for ((made, &at), want) in block.columns.iter().zip(self.places).zip(&block.wants) {
            let data_type = if let Want::See(guess) = want { guess.data_type() } else { DataType::Null };
            known.push(Known { data_type, nulls: made.nulls, range: made.range });
            self.guesses[at].merge(&made.guess);
        }
        let Block { bytes, rows, line, .. } = block;
        self.pieces.push(Piece { file: self.file, bytes, rows, line, known });
        Ok(())
    }
}

/// A piece of some files.
#[derive(Debug)]
struct InFiles {
    files: Arc<Files>,
    piece: Piece,
}

/// A block of which the rows have been taken apart.
#[derive(Debug)]
struct Split {
    bytes: Vec<u8>,
    rows: Rows,
}

impl InFiles {
    /// What is known of a column of the table: nothing of one that was taken for something else.
    fn known(&self, column: usize) -> Known {
        let data_type = self.files.fields[column].data_type;
        match self.column(column) {
            Some(place) => {
                let known = self.piece.known[place];
                let range = known.range.filter(|_| known.data_type == data_type);
                Known { range, ..known }
            }
            None => match self.constant(column) {
                Some(constants) => {
                    let (nulls, range) = constants.known(self.piece.file, self.piece.rows);
                    Known { data_type, nulls: Some(nulls), range }
                }
                None => Known { data_type, nulls: Some(self.piece.rows), range: None },
            },
        }
    }

    /// Where a column of the table is in the file.
    fn column(&self, column: usize) -> Option<usize> {
        let union = &self.files.of.union;
        union.places[self.piece.file].iter().position(|&at| at == column).filter(|_| union.constant(column).is_none())
    }

    /// What the paths of the files say of a column.
    fn constant(&self, column: usize) -> Option<&Constants> {
        self.files.of.union.constant(column)
    }

    fn split(&self) -> Result<Arc<Split>> {
        let place = self.files.splits.place(self.piece.file, self.piece.bytes.start);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(split) = &*place {
            return Ok(Arc::clone(split));
        }
        let layout = &self.files.of.layouts[self.piece.file];
        let options = &self.files.of.options;
        let source = Source::open(&layout.path, options)?;
        source.check(&layout.identity)?;
        let Range { start, end } = self.piece.bytes;
        let mut split = Split { bytes: Vec::new(), rows: Rows::default() };
        source.read(start, (end - start) as usize, &mut split.bytes)?;
        source.check(&layout.identity)?;
        let shape = shape(&layout.dialect, layout.names.len(), options, true);
        let (bytes, rows) = (&split.bytes, &mut split.rows);
        let told = rows.split(shape, (bytes, true), 0..bytes.len(), &mut Marks::default());
        // What stands between rows may be anything.
        let is_text = is_text(bytes) || (0..rows.count()).all(|row| rows.is_text(bytes, &layout.dialect, row));
        if told != Coverage::All || rows.count() != self.piece.rows || !is_text {
            return Err(bad_file(&layout.path, "it has other rows than before"));
        }
        let split = Arc::new(split);
        *place = Some(Arc::clone(&split));
        Ok(split)
    }
}

impl ColumnReader for InFiles {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        let field = &self.files.fields[column];
        if let Some(constants) = self.constant(column) {
            return Ok(constants.column(self.piece.file, rows.len()));
        }
        let Some(place) = self.column(column) else {
            return Ok(Column::from_values(field.data_type, &vec![Value::Null; rows.len()]));
        };
        let split = self.split()?;
        let layout = &self.files.of.layouts[self.piece.file];
        let dialect = &layout.dialect;
        let source = values::Source { bytes: &split.bytes, rows: &split.rows, dialect, column: place };
        let want = match self.files.of.said[column] {
            Some(data_type) => Want::Read(data_type),
            None => Want::ReadGuessed(field.data_type),
        };
        let made = source.make(want, rows);
        if let Some((row, error)) = made.wrong.first() {
            let line = self.piece.line + line_of(&split.bytes, split.rows.start(*row), dialect);
            let (what, name, file) = (error.message(), &field.name, layout.path.display());
            return Err(Error::new(error.kind(), format!("{what}, column \"{name}\" in {file}, line {line}")));
        }
        made.column.ok_or_else(|| Error::internal("a column that was asked for has not been read"))
    }

    fn field(&self, column: usize) -> &Field {
        &self.files.fields[column]
    }

    fn nulls(&self, column: usize) -> Option<usize> {
        self.known(column).nulls
    }

    fn may_have_text(&self, column: usize, texts: &[Box<[u8]>]) -> bool {
        self.constant(column).is_none_or(|constants| constants.is_among(self.piece.file, texts))
    }

    fn dictionary(&self, column: usize) -> Result<Option<Arc<Dictionary>>> {
        Ok(self.constant(column).and_then(|constants| constants.dictionary().cloned()))
    }

    fn place(&self) -> String {
        let path = &self.files.of.layouts[self.piece.file].path;
        format!("{}, from line {}", path.display(), self.piece.line)
    }
}
