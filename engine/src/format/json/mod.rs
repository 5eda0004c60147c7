//! JSON as tables: objects are rows, their keys columns.
//!
//! A file is one array of objects, or objects behind each other, on lines of their own (NDJSON) or not; what it is, is seen from
//! its first bytes (`blocks`). It is read in pieces of whole values, which are parsed in parallel (`scan`, `text`) into typed
//! columns (`values`). Names and types come from the values (`infer`, `guess`). Where a key is missing, or its value is null, the
//! row has NULL. What is no object is a row of one column, `json`.

mod blocks;
mod guess;
mod infer;
mod options;
mod scan;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub use blocks::Layout;

use super::compressed::Compression;
use super::fold_names;
use super::set::FileSet;
use super::store::bytes_of;
use super::unite::Union;
use blocks::{Blocks, Piece};
use infer::{Columns, SAMPLE_ROWS, is_null, twice};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::UTC;
use multiloop_planner::types::{DataType, Field};
use rustc_hash::{FxHashMap, FxHashSet};
use scan::{Fault, Scanned, Scanner};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use text::{Values, text_of};
use values::Builder;

/// How JSON files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    /// How values follow each other. None: as the first bytes look.
    pub layout: Option<Layout>,
    /// Whether objects are rows. None: if all values are objects.
    pub records: Option<bool>,
    /// Keys and the types that they are read as; other keys are left out. None: all keys, with guessed types.
    pub columns: Option<Vec<(String, DataType)>>,
    /// Whether a value that is not of a given type is NULL, and a line that is no JSON a row of nothing but NULL.
    pub ignore_errors: bool,
    /// Values of each file that are looked at before a guess.
    pub sample_size: usize,
    /// Bytes of a value, at most. None: as many as there is memory.
    pub maximum_object_size: Option<usize>,
    /// How files are compressed. None: as their first bytes say.
    pub compression: Option<Compression>,
    /// Whether a key that no given column has is an error.
    pub strict: bool,
    /// The time zone of instants whose texts name none, where types are given. None: UTC.
    pub time_zone: Option<Arc<str>>,
}

impl Default for JsonOptions {
    fn default() -> Self {
        JsonOptions {
            layout: None,
            records: None,
            columns: None,
            ignore_errors: false,
            sample_size: SAMPLE_ROWS,
            maximum_object_size: None,
            compression: None,
            strict: false,
            time_zone: None,
        }
    }
}

impl JsonOptions {
    /// Of files with a value on each line.
    pub fn lines() -> Self {
        JsonOptions { layout: Some(Layout::Lines), ..JsonOptions::default() }
    }

    /// Of files each value of which is a row, as the JSON that it is.
    pub fn objects() -> Self {
        JsonOptions { columns: Some(Vec::new()), records: Some(false), ..JsonOptions::default() }
    }

    /// The columns that are said, if any are: keys as they are given, and what these are as names.
    ///
    /// Errors: 42701 for a key that is given twice.
    fn said(&self) -> Result<Option<Columns>> {
        let Some(columns) = &self.columns else { return Ok(None) };
        if self.records == Some(false) {
            return Ok(Some(Columns::whole(columns.first().map_or(DataType::Json, |(_, data_type)| *data_type))));
        }
        let field = |(name, data_type): &(String, DataType)| Field::new(name.clone(), *data_type, true);
        let keys: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let mut known = FxHashSet::default();
        if let Some(twice) = keys.iter().find(|key| !known.insert(key.as_str())) {
            let message = format!("column \"{twice}\" specified more than once");
            return Err(Error::new(ErrorKind::DuplicateColumn, message));
        }
        Ok(Some(Columns { keys, fields: fold_names(columns.iter().map(field).collect()), records: true }))
    }
}

/// The columns of files, guessed from their first values.
pub(super) fn read_fields(files: &FileSet, options: &JsonOptions, context: &Context) -> Result<Vec<Field>> {
    let columns = match options.said()? {
        Some(columns) => columns,
        None => Columns::look(files, options, false, context)?,
    };
    Ok(columns.of_all(files)?.fields)
}

/// Reads files as one table. Keys find given fields by their names, whatever their case is; of a key that a file has not, its
/// rows are NULL.
///
/// Errors: 22P02, with the line, for what is no JSON, for a key that an object has twice and for a value that is not of a given
/// type; 22021 for what is not UTF-8; 54001 for what nests too deeply; 42703 for a key without a field, if that matters.
pub(super) fn read(
    files: &FileSet,
    options: &JsonOptions,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<Table> {
    let given = if let Some(fields) = fields { Some(Columns::given(fields)) } else { options.said()? };
    if let Some(columns) = given {
        let read = Reader::new(&columns, options, false).read(files, context)?;
        return read.ok_or_else(|| Error::internal("a given type is no guess"));
    }
    let columns = Columns::look(files, options, false, context)?;
    if let Some(table) = Reader::new(&columns, options, true).read(files, context)? {
        return Ok(table);
    }
    // A value behind the first ones may not be what they looked like.
    let columns = Columns::look(files, options, true, context)?;
    if let Some(table) = Reader::new(&columns, options, true).read(files, context)? {
        return Ok(table);
    }
    // Nor what all looked like, in a file that has changed meanwhile: any value is json.
    let columns = columns.of_json();
    let read = Reader::new(&columns, options, true).read(files, context)?;
    read.ok_or_else(|| Error::new(ErrorKind::Io, "a file has changed while it was read"))
}

impl Columns {
    /// Columns of these fields, in which values are found by the fields' names.
    fn given(fields: &[Field]) -> Columns {
        let keys = fields.iter().map(|field| field.name.clone()).collect();
        Columns { keys, fields: fields.to_vec(), records: true }
    }

    /// The same columns, of json.
    fn of_json(mut self) -> Columns {
        self.fields.iter_mut().for_each(|field| field.data_type = DataType::Json);
        self
    }

    /// These columns, which every file has, with those that the paths of the files say.
    fn of_all(&self, files: &FileSet) -> Result<Union> {
        let mut union = Union::default();
        files.iter().for_each(|_| union.add(self.fields.clone()));
        union.add_constants(files)?;
        Ok(union)
    }
}

/// Rows between two looks at how much memory they take.
const ROWS_BETWEEN: usize = 1 << 10;

/// What files are read into.
struct Reader<'a> {
    columns: &'a Columns,
    options: &'a JsonOptions,
    guessed: bool,
    places: FxHashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn new(columns: &'a Columns, options: &'a JsonOptions, guessed: bool) -> Self {
        let places = columns.keys.iter().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
        Reader { columns, options, guessed, places }
    }

    /// All rows; none if some value is not as was guessed.
    fn read(&self, files: &FileSet, context: &Context) -> Result<Option<Table>> {
        let union = self.columns.of_all(files)?;
        let mut builder = TableBuilder::new(union.fields.clone(), Storage::Compact, context);
        for (path, places) in files.iter().zip(&union.places) {
            let mut blocks = Blocks::open(path, self.options, context.workers().count(), context)?;
            // Of a file that is compressed more may come out.
            let mut left = bytes_of(path)?;
            context.progress.total.fetch_add(left, Ordering::Relaxed);
            while let Some((bytes, pieces)) = blocks.next()? {
                let values = Values::new(path, self.options, blocks.layout());
                let parse = |piece: &Piece| self.parse(&values, &bytes, piece, context);
                for parsed in context.workers().map(pieces.iter().collect(), parse)? {
                    let Some((rows, columns, _memory)) = parsed else { return Ok(None) };
                    builder.push_columns(rows, union.arrange(places, rows, columns))?;
                }
                let done = left.min(bytes.len() as u64);
                left -= done;
                context.progress.done.fetch_add(done, Ordering::Relaxed);
            }
            context.progress.done.fetch_add(left, Ordering::Relaxed);
        }
        builder.finish().map(Some)
    }

    /// The rows of a piece; none if some value is not as was guessed.
    fn parse(
        &self,
        values: &Values,
        bytes: &[u8],
        piece: &Piece,
        context: &Context,
    ) -> Result<Option<(usize, Vec<Column>, Reservation)>> {
        let text = text_of(bytes, piece, values.path)?;
        let zone = self.options.time_zone.as_deref().unwrap_or(UTC);
        let builder = |field: &Field| Builder::new(field.data_type, self.guessed, zone);
        let mut columns: Vec<Builder> = self.columns.fields.iter().map(builder).collect();
        let mut memory = Reservation::new(&context.memory);
        let (mut rows, mut contradicted) = (0, false);
        values.each(text, piece.line, |scanner| {
            if rows % ROWS_BETWEEN == ROWS_BETWEEN - 1 {
                let held = context.check().and_then(|()| memory.resize(columns.iter().map(Builder::bytes).sum()));
                held.map_err(|error| Fault::Value(scanner.at, Box::new(error)))?;
            }
            let row = self.row(scanner, &mut columns, rows);
            match row {
                Ok(()) => {}
                Err(Fault::Contradiction) => {
                    contradicted = true;
                    return Ok(false);
                }
                // A row is a row, even if of nothing.
                Err(_) => columns.iter_mut().for_each(|column| {
                    column.truncate(rows);
                    column.push_null();
                }),
            }
            rows += 1;
            row.map(|()| true)
        })?;
        if contradicted {
            return Ok(None);
        }
        memory.resize(columns.iter().map(Builder::bytes).sum())?;
        Ok(Some((rows, columns.into_iter().map(Builder::finish).collect(), memory)))
    }

    /// Adds the value at which the scanner stands as the row of this number.
    fn row(&self, scanner: &mut Scanner, columns: &mut [Builder], row: usize) -> Scanned<()> {
        if !self.columns.records {
            let at = scanner.at;
            let token = scanner.value()?;
            return self.push(&mut columns[0], &token, at);
        }
        let (mut expected, mut found) = (0, 0);
        if scanner.peek() == Some(b'{') {
            scanner.members(|scanner, key| {
                let place = match self.columns.keys.get(expected) {
                    Some(known) if !key.escaped && known == key.text => Some(expected),
                    _ => self.place(&key.content()),
                };
                scanner.skip_blanks();
                let at = scanner.at;
                let token = scanner.value()?;
                let Some(place) = place else { return self.unknown(&key.content(), at) };
                expected = place + 1;
                let column = &mut columns[place];
                if column.rows() > row {
                    return Err(twice(at, &key.content()));
                }
                found += 1;
                self.push(column, &token, at)
            })?;
        } else {
            let at = scanner.at;
            if !is_null(&scanner.value()?) {
                if self.guessed {
                    return Err(Fault::Contradiction);
                }
                return Err(Fault::Malformed(at, "a row is an object, and this is none".into()));
            }
        }
        if found < columns.len() {
            columns.iter_mut().filter(|column| column.rows() == row).for_each(Builder::push_null);
        }
        Ok(())
    }

    fn push(&self, column: &mut Builder, token: &scan::Token, at: usize) -> Scanned<()> {
        match column.push(token, at) {
            Err(Fault::Value(..)) if self.options.ignore_errors => {
                column.push_null();
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// The column of a key: of given ones also that of the key in lower case.
    fn place(&self, key: &str) -> Option<usize> {
        let found = self.places.get(key).copied();
        if found.is_some() || self.guessed { found } else { self.places.get(key.to_lowercase().as_str()).copied() }
    }

    /// What to do with the value of a key that is no column's.
    fn unknown(&self, key: &str, at: usize) -> Scanned<()> {
        if self.guessed {
            return Err(Fault::Contradiction);
        }
        if !self.options.strict {
            return Ok(());
        }
        let error = Error::new(ErrorKind::UnknownColumn, format!("the key \"{key}\" is no column"));
        Err(Fault::Value(at, Box::new(error)))
    }
}
