//! JSON as tables: objects are rows, their keys columns.
//!
//! A file is one array of objects, or objects behind each other, on lines of their own (NDJSON) or not; what it is, is seen from
//! its first bytes (`blocks`, `lines`). It is read in pieces of whole values, which are parsed in parallel (`load`): objects as
//! they are mostly written (`rows`, `track`, `quick`), and all else token by token (`scan`, `text`), into typed columns (`values`).
//! Of large files columns are read when they are asked for (`lazy`). Names and types come from the values (`infer`, `guess`).
//! Where a key is missing, or its value is null, the row has NULL. What is no object is a row of one column, `json`.

mod blocks;
mod guess;
mod infer;
mod lazy;
mod lines;
mod load;
mod options;
mod quick;
mod rows;
mod scan;
#[cfg(test)]
mod tests;
mod text;
mod track;
mod values;

pub use blocks::Layout;

use super::compressed::Compression;
use super::fold_names;
use super::set::FileSet;
use super::unite::Union;
use infer::{Columns, SAMPLE_ROWS};
use load::Reader;
use multiloop_exec::column::{ColumnCache, Table};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Bytes of a piece, about; a value that is longer makes a longer piece.
const PIECE_BYTES: usize = 1 << 19;

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
    /// Bytes of files up to which their rows are read when they are named. None: 16 MiB.
    pub scan_bytes: Option<u64>,
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
            scan_bytes: None,
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
    guessed(files, options, context, |columns| Reader::new(columns, options, true).read(files, context))
}

/// Files as one table, as [`read`] has it: the rows of large ones stay where they are until loops ask for them, unless `loads`
/// says that all of them are wanted.
pub(super) fn open(
    files: &FileSet,
    options: &JsonOptions,
    loads: bool,
    (cache, context): (Option<&Arc<ColumnCache>>, &Context),
) -> Result<Table> {
    if loads || options.columns.is_some() || options.ignore_errors || !lazy::is_scanned(files, options)? {
        return read(files, options, None, context);
    }
    guessed(files, options, context, |columns| lazy::scan(files, columns, options, (cache, context)))
}

/// What `read` makes of files by guessed columns; it gives nothing where a value is not as was guessed.
fn guessed(
    files: &FileSet,
    options: &JsonOptions,
    context: &Context,
    read: impl Fn(&Columns) -> Result<Option<Table>>,
) -> Result<Table> {
    if let Some(table) = read(&Columns::look(files, options, false, context)?)? {
        return Ok(table);
    }
    // A value behind the first ones may not be what they looked like.
    let columns = Columns::look(files, options, true, context)?;
    if let Some(table) = read(&columns)? {
        return Ok(table);
    }
    // Nor what all looked like, in a file that has changed meanwhile: any value is json.
    let changed = || Error::new(ErrorKind::Io, "a file has changed while it was read");
    read(&columns.of_json())?.ok_or_else(changed)
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
