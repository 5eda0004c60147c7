//! Files as tables whose rows stay there: a column is read when a loop asks for it, by the worker that asks.
//!
//! All rows are looked at once, when the file is named: every value is held against the type that was guessed, and it is known then
//! where rows lie and what values of a fixed width there are. These have been made on the way, so that the cache gets them as
//! far as it has room for them. A loop that asks for others of a piece has its rows taken apart once ([`Splits`]).

use super::blocks::Layout;
use super::infer::Columns;
use super::lines::{self, Lines};
use super::load::{Parsed, Reader};
use super::rows::{Cells, Objects};
use super::scan::{Fault, Scanned, Scanner, Token};
use super::text::{Step, Values, text_of};
use super::values::{Builder, Made};
use super::{JsonOptions, quick};
use crate::format::identity::Identity;
use crate::format::known::{self, Known};
use crate::format::set::{Constants, FileSet};
use crate::format::splits::Splits;
use crate::format::store::is_object;
use crate::format::unite::Union;
use crate::format::{bad_file, compressed, io_error};
use multiloop_exec::Result;
use multiloop_exec::column::{CachedTable, Chunk, Column, ColumnCache, ColumnReader, Dictionary, Table};
use multiloop_exec::cpu::simd::marks::Stops;
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{ColumnStatistics, TableStatistics};
use multiloop_planner::evaluate::UTC;
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

/// Bytes of files up to which these are loaded when they are named: then all is known that can be of their values.
const SMALL_BYTES: u64 = 1 << 24;

/// No value.
const MISSING: u32 = u32::MAX;

/// Whether files are worth a look before they are read: there is much of them, and any part of it can be read at any time.
pub(super) fn is_scanned(files: &FileSet, options: &JsonOptions) -> Result<bool> {
    let mut bytes = 0;
    for path in files.iter() {
        // Parts of an object are asked for one by one.
        if is_object(path) {
            return Ok(false);
        }
        let metadata = std::fs::metadata(path).map_err(|error| io_error(path, &error))?;
        if !metadata.is_file() || compressed::is_compressed(path, options.compression)? {
            return Ok(false);
        }
        bytes += metadata.len();
    }
    Ok(bytes > options.scan_bytes.unwrap_or(SMALL_BYTES))
}

/// Files as a table whose rows stay there until loops ask for them; what is asked for often is kept in the cache. None if some
/// value is not as was guessed.
pub(super) fn scan(
    files: &FileSet,
    columns: &Columns,
    options: &JsonOptions,
    (cache, context): (Option<&Arc<ColumnCache>>, &Context),
) -> Result<Option<Table>> {
    let reader = Reader { keeps: false, ..Reader::new(columns, options, true) };
    let union = columns.of_all(files)?;
    let cached = cache.map(ColumnCache::table);
    let (mut pieces, mut read) = (Vec::new(), Vec::new());
    for (file, path) in files.iter().enumerate() {
        let identity = Identity::at(path)?;
        let first = pieces.len() as u32;
        let look = Look { reader: &reader, path, file, first, table: (&union, cached.as_ref()) };
        let Some((layout, found)) = look.run(context)? else { return Ok(None) };
        pieces.extend(found);
        let open = File::open(path).map_err(|error| io_error(path, &error))?;
        lines::check(&open, path, &identity)?;
        read.push(OneFile { path: path.clone(), layout, identity });
    }
    // Of a single row what is not known of its NULLs is all or none.
    if pieces.iter().map(|piece| piece.rows).sum::<usize>() < 2 {
        return Reader::new(columns, options, true).read(files, context);
    }
    let splits = Splits::new(context.workers().count());
    let (columns, options) = (columns.clone(), options.clone());
    let files = Arc::new(Files { read, columns, options, union, splits });
    Ok(Some(table_of(&files, pieces, cached)))
}

fn table_of(files: &Arc<Files>, pieces: Vec<Piece>, cached: Option<Arc<CachedTable>>) -> Table {
    let fields = files.union.fields.clone();
    let pieces: Vec<InFiles> = pieces.into_iter().map(|piece| InFiles { files: Arc::clone(files), piece }).collect();
    let rows = pieces.iter().map(|piece| piece.piece.rows as u64).sum();
    let columns = (0..fields.len()).map(|column| of_all(column, &fields[column], &pieces)).collect();
    let chunk = |(number, piece): (usize, InFiles)| {
        let ranges = (0..piece.files.union.fields.len()).map(|column| piece.known(column).range).collect();
        let cached = cached.as_ref().map(|table| (table, number as u32));
        Arc::new(Chunk::lazy(piece.piece.rows, ranges, Arc::new(piece), cached))
    };
    let chunks = pieces.into_iter().enumerate().filter(|(_, piece)| piece.piece.rows > 0).map(chunk).collect();
    Table { fields, chunks, statistics: Arc::new(TableStatistics { rows, columns, ..TableStatistics::default() }) }
}

/// What is known of a column of all pieces.
fn of_all(column: usize, field: &Field, pieces: &[InFiles]) -> ColumnStatistics {
    let parts: Vec<Known> = pieces.iter().map(|piece| piece.known(column)).collect();
    let rows: usize = parts.iter().map(|part| part.rows).sum();
    let bytes: u64 = pieces.iter().map(|piece| piece.piece.bytes.end - piece.piece.bytes.start).sum();
    let columns = pieces.first().map_or(1, |piece| piece.piece.known.len().max(1)) as f64;
    known::statistics(field, &parts, bytes as f64 / rows.max(1) as f64 / columns)
}

/// A file that is read.
#[derive(Debug)]
struct OneFile {
    path: PathBuf,
    layout: Layout,
    identity: Option<Identity>,
}

/// Files that are read as one table.
#[derive(Debug)]
struct Files {
    read: Vec<OneFile>,
    columns: Columns,
    options: JsonOptions,
    union: Union,
    splits: Splits<Split>,
}

/// Rows of a file that lie behind each other.
#[derive(Debug)]
struct Piece {
    file: usize,
    bytes: Range<u64>,
    rows: usize,
    /// By column of the file.
    known: Vec<Known>,
}

/// A look at all rows of a file.
struct Look<'a> {
    reader: &'a Reader<'a>,
    path: &'a Path,
    file: usize,
    /// The number of its first piece among those of all files.
    first: u32,
    table: (&'a Union, Option<&'a Arc<CachedTable>>),
}

impl Look<'_> {
    /// The pieces, and how values follow each other; none if some value is not as was guessed.
    fn run(&self, context: &Context) -> Result<Option<(Layout, Vec<Piece>)>> {
        let Some(lines) = Lines::open(self.path, self.reader.options)? else { return self.blocks(context) };
        context.progress.total.fetch_add(lines.file_bytes(), Ordering::Relaxed);
        let contradicted = AtomicBool::new(false);
        let look = |(number, part): (usize, Range<u64>)| {
            // The table comes to nothing.
            if contradicted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let parsed = self.reader.parse_lines(&lines, self.path, &part, context)?;
            context.progress.done.fetch_add(part.end - part.start, Ordering::Relaxed);
            match parsed {
                Some(parsed) => self.piece(number, parsed).map(Some),
                None => {
                    contradicted.store(true, Ordering::Relaxed);
                    Ok(None)
                }
            }
        };
        let parts = lines.parts().into_iter().enumerate().collect();
        let pieces: Option<Vec<Piece>> = context.workers().map(parts, look)?.into_iter().collect();
        Ok(pieces.map(|pieces| (Layout::Lines, pieces)))
    }

    fn blocks(&self, context: &Context) -> Result<Option<(Layout, Vec<Piece>)>> {
        let mut pieces = Vec::new();
        let layout = self.reader.each_block(self.path, context, |parsed| {
            pieces.push(self.piece(pieces.len(), parsed)?);
            Ok(())
        })?;
        Ok(layout.map(|layout| (layout, pieces)))
    }

    /// What is to be known of a piece; the cache gets what has been made of it.
    fn piece(&self, number: usize, (bytes, parsed): (Range<u64>, Parsed)) -> Result<Piece> {
        let (union, cached) = self.table;
        let (rows, mut known) = (parsed.rows, Vec::with_capacity(parsed.columns.len()));
        for (Made { column, nulls, range }, &at) in parsed.columns.into_iter().zip(union.places[self.file].iter()) {
            known.push(Known { rows, nulls: Some(nulls), range });
            if let (Some(column), Some(cached), None) = (column, cached, union.constant(at)) {
                cached.offer(self.first + number as u32, at as u32, &column, &union.fields[at])?;
            }
        }
        Ok(Piece { file: self.file, bytes, rows, known })
    }
}

/// A piece of some files.
#[derive(Debug)]
struct InFiles {
    files: Arc<Files>,
    piece: Piece,
}

/// A piece of which the rows have been taken apart: where values begin, row by row.
#[derive(Debug)]
struct Split {
    text: String,
    stops: Stops,
    width: usize,
    starts: Vec<u32>,
}

impl Cells for Split {
    #[inline(always)]
    fn has(&self, column: usize, row: usize) -> bool {
        self.starts[row * self.width + column] != MISSING
    }

    #[inline(always)]
    fn take(&mut self, column: usize, text: &str, at: usize, stops: &Stops) -> Option<usize> {
        let end = quick::passed(text.as_bytes(), at, stops)?;
        let row = self.starts.len() - self.width;
        self.starts[row + column] = at as u32;
        Some(end)
    }

    fn push(&mut self, column: usize, _: &Token, at: usize) -> Scanned<()> {
        let row = self.starts.len() - self.width;
        self.starts[row + column] = at as u32;
        Ok(())
    }

    fn fill(&mut self, _row: usize) {}
}

impl InFiles {
    /// What is known of a column of the table.
    fn known(&self, column: usize) -> Known {
        let rows = self.piece.rows;
        match (self.constant(column), self.column(column)) {
            (Some(constants), _) => {
                let (nulls, range) = constants.known(self.piece.file, rows);
                Known { rows, nulls: Some(nulls), range }
            }
            (None, Some(place)) => self.piece.known[place],
            (None, None) => Known { rows, nulls: Some(rows), range: None },
        }
    }

    /// Where a column of the table is in the file.
    fn column(&self, column: usize) -> Option<usize> {
        self.files.union.places[self.piece.file].iter().position(|&at| at == column)
    }

    /// What the paths of the files say of a column.
    fn constant(&self, column: usize) -> Option<&Constants> {
        self.files.union.constant(column)
    }

    fn file(&self) -> &OneFile {
        &self.files.read[self.piece.file]
    }

    fn values(&self) -> Values<'_> {
        Values::new(&self.file().path, &self.files.options, self.file().layout)
    }

    fn split(&self) -> Result<Arc<Split>> {
        let place = self.files.splits.place(self.piece.file, self.piece.bytes.start);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(split) = &*place {
            return Ok(Arc::clone(split));
        }
        let OneFile { path, identity, .. } = self.file();
        let file = File::open(path).map_err(|error| io_error(path, &error))?;
        lines::check(&file, path, identity)?;
        let mut bytes = vec![0; (self.piece.bytes.end - self.piece.bytes.start) as usize];
        lines::read_at(&file, path, self.piece.bytes.start, &mut bytes)?;
        lines::check(&file, path, identity)?;
        let text = text_of(&bytes, 1, path)?;
        let mut stops = Stops::default();
        stops.find(&bytes);
        let width = self.files.columns.fields.len();
        let starts = Vec::with_capacity(width * self.piece.rows);
        let mut split = Split { text: String::new(), stops: Stops::default(), width, starts };
        let objects = Objects::new(&self.files.columns, &self.files.options, true);
        let (mut track, mut rows) = (objects.track(), 0);
        let changed = || bad_file(path, "it has other rows than before");
        let each = |scanner: &mut Scanner| {
            split.starts.resize(split.starts.len() + width, MISSING);
            let on_line = objects.row(scanner, (&stops, &mut track), &mut split, rows)?;
            rows += 1;
            Ok(if on_line { Step::OnLine } else { Step::Next })
        };
        self.values().each(text, 1, each).map_err(|_| changed())?;
        if rows != self.piece.rows {
            return Err(changed());
        }
        split.text = String::from_utf8(bytes).map_err(|_| changed())?;
        split.stops = stops;
        let split = Arc::new(split);
        *place = Some(Arc::clone(&split));
        Ok(split)
    }

    /// The values that begin at these places.
    fn column_at(&self, column: usize, rows: Range<usize>, split: &Split) -> Scanned<Column> {
        let zone = self.files.options.time_zone.as_deref().unwrap_or(UTC);
        let mut builder = Builder::new(self.files.columns.fields[column].data_type, true, zone);
        builder.reserve(rows.len());
        let mut scanner = Scanner::new(&split.text);
        for row in rows {
            let at = split.starts[row * split.width + column];
            if at == MISSING {
                builder.push_null();
            } else if builder.take(&split.text, at as usize, &split.stops).is_none() {
                scanner.at = at as usize;
                builder.push(&scanner.value()?, at as usize)?;
            }
        }
        builder.finish().column.ok_or(Fault::Contradiction)
    }
}

impl ColumnReader for InFiles {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        let field = &self.files.union.fields[column];
        if let Some(constants) = self.constant(column) {
            return Ok(constants.column(self.piece.file, rows.len()));
        }
        let Some(place) = self.column(column) else {
            return Ok(Column::from_values(field.data_type, &vec![Value::Null; rows.len()]));
        };
        let split = self.split()?;
        self.column_at(place, rows, &split).map_err(|fault| match fault {
            Fault::Value(_, error) => *error,
            _ => bad_file(&self.file().path, "it has other values than before"),
        })
    }

    fn field(&self, column: usize) -> &Field {
        &self.files.union.fields[column]
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
        let (path, place) = (&self.file().path, self.piece.bytes.start);
        format!("{}, from byte {place}", path.display())
    }
}
