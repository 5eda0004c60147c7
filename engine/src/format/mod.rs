//! File formats: tables from files and files from results.
//!
//! A path names one file, or several by a pattern (`paths`). Every reader feeds a `TableBuilder`, so that rows are
//! compacted as they stream in; every writer writes beside its target and moves the whole file into place at the end
//! (`output`, `unnamed`), so that a statement that fails leaves no half file. Parquet, Arrow IPC and Avro know their columns; CSV
//! is read into given columns, or guesses them (`csv`), and so is JSON (`json`).

#[cfg(feature = "avro")]
mod avro;
#[cfg(not(feature = "avro"))]
#[path = "no_avro.rs"]
mod avro;
mod batches;
mod compressed;
pub mod csv;
pub(crate) mod identity;
pub mod ipc;
pub mod json;
mod known;
mod numbers;
mod object;
mod options;
mod output;
pub mod parquet;
mod partly;
mod paths;
mod print;
mod set;
mod splits;
mod store;
#[cfg(test)]
mod tests;
mod text;
mod unite;
mod unnamed;
mod write;

pub use compressed::Compression;
pub use csv::CsvOptions;
pub use json::JsonOptions;
pub use multiloop_planner::evaluate::place::{of as place_of, pair as place_pair};
pub use multiloop_planner::evaluate::{interval_style, time_with_zone};
pub(crate) use object::{NewObject, is_there};
pub(crate) use options::{copy_format, format_of};
pub(crate) use paths::braces;
pub use set::FileSet;
pub(crate) use set::SetOptions;
pub(crate) use store::{is_within, refuse_redirects, scheme_of};
pub use text::{Array, Bound, array_of, check_length, text_of, texts_of, value_of, value_of_bytes};
pub(crate) use write::Writing;

#[cfg(test)]
use crate::sight::Sight;
use ::parquet::errors::ParquetError;
#[cfg(test)]
use arrow::array::RecordBatch;
use arrow::datatypes::{Field as ArrowField, Schema};
use arrow::error::ArrowError;
use multiloop_exec::column::arrow::field_of;
use multiloop_exec::column::{ColumnCache, Table};
use multiloop_exec::workers::context::Context;
#[cfg(test)]
use multiloop_exec::workers::context::Memory;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes by which the format of a pipe is told.
const SNIFFED_BYTES: u64 = 1 << 12;

/// A file format with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Comma (or otherwise) separated values.
    Csv(CsvOptions),
    /// Arrow's IPC: files, also called Feather, and streams.
    Ipc,
    /// JSON: an array of objects, or objects behind each other.
    Json(JsonOptions),
    /// Apache Avro's object container files, which are read, and not written.
    Avro,
}

impl Format {
    /// The format that a path's extension stands for; of a pattern too.
    pub fn of_path(path: &str) -> Option<Format> {
        let name = store::name_part(path).to_ascii_lowercase();
        let inner = compressed::inner(&name);
        let is_compressed = inner.len() < name.len();
        match Path::new(inner).extension()?.to_str()? {
            "json" => Some(Format::Json(JsonOptions::default())),
            "ndjson" | "jsonl" => Some(Format::Json(JsonOptions::lines())),
            "csv" => Some(Format::Csv(CsvOptions::default())),
            "tsv" => Some(Format::Csv(CsvOptions { delimiter: Some(b'\t'), ..CsvOptions::default() })),
            // The others are not compressed as a whole.
            _ if is_compressed => None,
            "avro" => Some(Format::Avro),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "arrows" | "ipc" | "feather" => Some(Format::Ipc),
            _ => None,
        }
    }
}

/// Reads the files that a path or pattern names as one table, in order of their names. With `fields`, the columns
/// are read as these, by position (of JSON by name); otherwise columns of one name are one column, in the order in which files
/// have them.
///
/// Errors: 58P01 no such file, 22P04 not of the format, 22021 not UTF-8, 22P02 and its kin for a bad value, 42804 for
/// columns of other types, and what building a table can give.
pub fn read_table(path: &str, format: &Format, fields: Option<&[Field]>, context: &Context) -> Result<Table> {
    let mut files = FileSet::named(&[path.to_owned()])?;
    if !matches!(format, Format::Csv(_)) || fields.is_none() {
        files.identify()?;
    }
    match format {
        Format::Parquet => all_readable(parquet::read_readable(&files, fields, context)?),
        Format::Csv(options) => csv::read(&files, options, fields, context),
        Format::Ipc => all_readable(ipc::read_readable(&files, fields, context)?),
        Format::Json(options) => json::read(&files, options, fields, context),
        Format::Avro => all_readable(avro::read_readable(&files, fields, context)?),
    }
}

/// A column of a file that cannot be read.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Where it is among the file's columns.
    pub place: usize,
    /// Its name.
    pub name: String,
    /// What asking for it gives (0A000).
    pub error: Error,
}

/// Files that are open.
pub(crate) struct Opened {
    /// Their rows.
    pub(crate) table: Table,
    /// Columns that are not among them, as they cannot be read.
    pub(crate) unreadable: Vec<Unreadable>,
    /// Columns in which words stand for missing values.
    pub(crate) placeholders: Vec<String>,
}

/// Files as [`read_table`] has them, without the columns that cannot be read, and which these are. Rows may stay where they are
/// until somebody asks for them, and what is asked for often is kept in the cache; `loads` says that all of them are asked for, to
/// become a table.
pub(crate) fn open_readable(
    files: &FileSet,
    format: &Format,
    loads: bool,
    (cache, context): (&Arc<ColumnCache>, &Context),
) -> Result<Opened> {
    let mut placeholders = Vec::new();
    let (table, mut unreadable) = match format {
        Format::Parquet => parquet::open_readable(files, (cache, context))?,
        Format::Csv(options) => {
            let (table, columns) = csv::open(files, options, loads, (Some(cache), context))?;
            placeholders = columns;
            (table, Vec::new())
        }
        Format::Ipc => ipc::read_readable(files, None, context)?,
        Format::Json(options) => (json::open(files, options, loads, (Some(cache), context))?, Vec::new()),
        Format::Avro => avro::read_readable(files, None, context)?,
    };
    files.check_columns(&table.fields)?;
    // Of several files each may have it.
    let mut names = HashSet::new();
    unreadable.retain(|column| names.insert(column.name.clone()));
    Ok(Opened { table, unreadable, placeholders })
}

/// The first of columns that cannot be read as an error, for who reads all of them.
fn all_readable<T>((read, unreadable): (T, Vec<Unreadable>)) -> Result<T> {
    match unreadable.into_iter().next() {
        Some(column) => Err(column.error),
        None => Ok(read),
    }
}

/// Whether an error is of the values of a column, so that others may be read.
fn is_of_column(error: &Error) -> bool {
    error.kind().is_data_error() || error.kind() == ErrorKind::Unsupported
}

/// A field of 16 bytes marked as one of uuids, as Arrow marks them: what a file says of it besides is lost in Arrow's schema.
fn as_uuid(field: &ArrowField) -> ArrowField {
    let mut metadata: HashMap<String, String> = field.metadata().clone().into();
    metadata.insert("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
    field.clone().with_metadata(metadata)
}

/// The columns of a schema that can be read, each with its place, and those that cannot.
fn readable_fields(schema: &Schema) -> (Vec<Field>, Vec<usize>, Vec<Unreadable>) {
    let named = schema.fields().iter().map(|field| Field::new(field.name(), DataType::Text, true)).collect();
    let (mut fields, mut places, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (arrow, named)) in schema.fields().iter().zip(fold_names(named)).enumerate() {
        let name = named.name;
        match field_of(arrow) {
            Ok(field) => {
                fields.push(Field { name, ..field });
                places.push(place);
            }
            Err(error) => unreadable.push(Unreadable { place, name, error }),
        }
    }
    (fields, places, unreadable)
}

/// Takes the columns that cannot be read of one of several files from all of them: without the rows of that file they would be
/// wrong in silence.
fn drop_unreadable<'a>(
    files: impl Iterator<Item = (&'a mut Vec<Field>, &'a mut Vec<usize>)>,
    unreadable: &[Unreadable],
) {
    for (fields, places) in files {
        let is_kept = |field: &Field| unreadable.iter().all(|column| column.name != field.name);
        let kept: Vec<bool> = fields.iter().map(is_kept).collect();
        let mut of_places = kept.iter();
        places.retain(|_| of_places.next() == Some(&true));
        fields.retain(is_kept);
    }
}

/// The columns of the files that a path or pattern names, without reading their rows (of CSV only the first are looked at).
pub fn read_fields(path: &str, format: &Format, context: &Context) -> Result<Vec<Field>> {
    let mut files = FileSet::named(&[path.to_owned()])?;
    files.identify()?;
    match format {
        Format::Parquet => parquet::read_fields(&files),
        Format::Csv(options) => csv::read_fields(&files, options, context),
        Format::Ipc => ipc::read_fields(&files, context),
        Format::Json(options) => json::read_fields(&files, options, context),
        Format::Avro => avro::read_fields(&files, context),
    }
}

/// Writes a result to a file, as nothing is said of it.
#[cfg(test)]
pub fn write_table(
    path: &Path,
    format: &Format,
    (fields, sight): (&[Field], &Sight),
    batches: impl IntoIterator<Item = Result<RecordBatch>>,
) -> Result<u64> {
    Writing::of_format(format)?.write(
        path,
        (fields, sight),
        batches.into_iter(),
        &Context::new(Memory::new(usize::MAX)),
    )
}

/// Column names of a file or a schema as SQL names: folded to lower case, because unquoted names in a statement are,
/// and numbered where two would be the same.
pub fn fold_names(mut fields: Vec<Field>) -> Vec<Field> {
    let mut taken = HashSet::new();
    for field in &mut fields {
        let name = field.name.to_lowercase();
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        field.name = names.find(|name| taken.insert(name.clone())).expect("some number is free");
    }
    fields
}

/// The error of an operation on a file.
fn io_error(path: &Path, error: &std::io::Error) -> Error {
    if let Some(own) = own_error(error) {
        return own;
    }
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(ErrorKind::FileNotFound, format!("could not open file: no such file: {}", path.display()))
        }
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof => bad_file(path, error.to_string()),
        _ => Error::new(ErrorKind::Io, format!("could not read or write file {}: {error}", path.display())),
    }
}

/// An error of ours on its way through those of libraries: that of a store, as a rule.
fn own_error(error: &(dyn std::error::Error + 'static)) -> Option<Error> {
    if let Some(own) = error.downcast_ref::<Error>() {
        return Some(own.clone());
    }
    // A wrapped one is no source of what it is wrapped in.
    let wrapped = match error.downcast_ref::<std::io::Error>() {
        Some(error) => error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static)),
        None => match error.downcast_ref::<ParquetError>() {
            Some(ParquetError::External(inner)) => Some(&**inner as &(dyn std::error::Error + 'static)),
            _ => match error.downcast_ref::<ArrowError>() {
                Some(ArrowError::IoError(_, inner)) => Some(inner as &(dyn std::error::Error + 'static)),
                Some(ArrowError::ExternalError(inner)) => Some(&**inner as &(dyn std::error::Error + 'static)),
                _ => None,
            },
        },
    };
    own_error(wrapped.or_else(|| error.source())?)
}

/// An error (0A000) for what gives bytes without end, and its like: who reads it twice reads it in parts.
fn check_regular(path: &Path) -> Result<()> {
    if store::is_object(path) || store::is_stream(path) {
        return Ok(());
    }
    let metadata = std::fs::metadata(path).map_err(|error| io_error(path, &error))?;
    if metadata.is_file() {
        return Ok(());
    }
    let hint = "Read it into the columns of a table by COPY, or write it to a file.";
    Err(Error::unsupported(format_args!("guessing the columns of what is no file, {}, is", path.display()))
        .with_hint(hint))
}

/// The error of a file that is not what its format says; an error of ours that a library has wrapped stays what it is.
fn bad_file(path: &Path, reason: impl std::fmt::Display + 'static) -> Error {
    let own = (&reason as &dyn Any).downcast_ref::<ParquetError>().and_then(|error| own_error(error));
    let own = own.or_else(|| (&reason as &dyn Any).downcast_ref::<ArrowError>().and_then(|error| own_error(error)));
    if let Some(own) = own {
        return own;
    }
    let reason = reason.to_string();
    let lower = reason.to_ascii_lowercase();
    let kind =
        if lower.contains("utf-8") || lower.contains("utf8") { ErrorKind::InvalidUtf8 } else { ErrorKind::BadFile };
    Error::new(kind, format!("malformed file {}: {reason}", path.display()))
}

/// Whether a path is of something that has no name of its own, by which its format could be told: a pipe, standard input.
pub(crate) fn is_nameless(path: &str) -> bool {
    let path = Path::new(path);
    store::is_given(path) || store::is_stream(path)
}

/// The path of what `-` stands for, standard input, unless a file is called so; any other path as it is.
pub(crate) fn standard(path: &str) -> &str {
    if path == "-" && !Path::new(path).exists() { "/dev/stdin" } else { path }
}

/// The format of what is read from a pipe, by its first bytes; what is none of the others is CSV.
///
/// Errors: of what cannot be read.
pub(crate) fn sniff(path: &str) -> Result<Format> {
    let path = Path::new(path);
    let mut head = Vec::new();
    let failed = |error: std::io::Error| io_error(path, &error);
    compressed::open(path, None)?.take(SNIFFED_BYTES).read_to_end(&mut head).map_err(failed)?;
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head).trim_ascii_start();
    Ok(match &head[..] {
        [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
        [b'O', b'b', b'j', 1, ..] => Format::Avro,
        // A stream of Arrow's begins with the length of its schema, behind a mark.
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [0xff, 0xff, 0xff, 0xff, ..] => Format::Ipc,
        _ if matches!(text.first(), Some(b'{' | b'[')) => Format::Json(JsonOptions::default()),
        _ => Format::Csv(CsvOptions::default()),
    })
}

/// Calls a decoder that may panic on a malformed file; such a panic is the file's fault.
fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(bad_file(path, "its contents contradict each other")))
}
