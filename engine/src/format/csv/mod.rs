//! CSV as PostgreSQL's COPY reads and writes it: an unquoted field equal to the null string is NULL, a quoted one never
//! is; quotes may stand anywhere in a field and may enclose line ends; a row has exactly one field a column.
//!
//! Without given columns, how rows are written (`dialect`), names and types (`infer`, `guess`) come from the first rows
//! (`head`, `records`; `forms` is what options say of how values are written), and quotes count only around a whole field. A file (`source`, `decode`) is read in blocks of rows, in
//! parallel (`pass`), which are taken apart (`split`) and become typed columns (`values`) of a table (`load`). `write`
//! is the way out: what a file is read as again is what was written.

mod decode;
mod dialect;
mod forms;
mod guess;
mod head;
mod infer;
mod load;
mod options;
mod pass;
mod records;
mod scan;
mod source;
mod split;
#[cfg(test)]
mod tests;
mod values;
mod write;

pub use decode::Encoding;
pub use forms::Pattern;
pub(super) use write::append_file_rows;
pub use write::{append_header, append_rows};

use super::compressed::Compression;
use super::set::FileSet;
use dialect::{Dialect, Forced, NO_BYTE};
use multiloop_exec::column::{ColumnCache, Table};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// Bytes of a row, unless options say otherwise.
const ROW_BYTES_MAX: usize = 1 << 28;

/// How a CSV file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// Whether the first row holds the names. None: when reading into given columns, it does if they are the columns'
    /// names; when guessing the columns, it does unless it looks like data; when writing, it does.
    pub header: Option<bool>,
    /// Between fields. None: a comma, or in reading whatever separates the first rows.
    pub delimiter: Option<u8>,
    /// Around fields; 255 is none. None: a double quote, or in reading without given columns a single one, too.
    pub quote: Option<u8>,
    /// Before a quote (or itself) within a quoted field. None: the quote, or a backslash as above.
    pub escape: Option<u8>,
    /// What stands for NULL, unquoted.
    pub null: String,
    /// What else does, in reading.
    pub other_nulls: Vec<String>,
    /// Before the fraction of a number. None: a point, or a comma where numbers look like it.
    pub decimal: Option<u8>,
    /// Between thousands, in reading. None: nothing.
    pub thousands: Option<u8>,
    /// How days are written, in reading. None: as PostgreSQL takes them.
    pub date_format: Option<Arc<Pattern>>,
    /// How instants are written, in reading. None: as PostgreSQL takes them.
    pub timestamp_format: Option<Arc<Pattern>>,
    /// Columns of which a quoted field may stand for NULL, too, in reading into given ones; `*` is all.
    pub force_null: Vec<String>,
    /// Columns of which no field is NULL.
    pub force_not_null: Vec<String>,
    /// Whether columns that would be guessed are text, all of them.
    pub all_text: bool,
    /// The time zone of instants whose texts name none, in reading. None: UTC.
    pub time_zone: Option<Arc<str>>,
    /// How the file is compressed. None: as its first bytes say.
    pub compression: Option<Compression>,
    /// What stands for characters. None: UTF-16 if the file begins with its mark, else UTF-8.
    pub encoding: Option<Encoding>,
    /// Lines in front of the first row that are passed over.
    pub skip: usize,
    /// What lines begin with that are no rows.
    pub comment: Option<u8>,
    /// Whether fields that a row lacks at its end are NULL.
    pub null_padding: bool,
    /// Whether rows that are wrong are left out.
    pub ignore_errors: bool,
    /// Whether the table is of the rows that are wrong, in place of the others.
    pub rejects: bool,
    /// Bytes of a row, at most. None: 256 MiB.
    pub row_bytes_max: Option<usize>,
    /// Names of the first columns, in place of those that the file gives.
    pub names: Vec<String>,
    /// Types of columns that are not guessed: by name, or in order.
    pub types: Vec<(Option<String>, DataType)>,
    /// Rows by which names and dialect are guessed. None: some thousands. What types columns have, all rows say.
    pub sample_rows: Option<usize>,
    /// Whether anything is guessed. If not, columns are text unless `types` says otherwise.
    pub auto_detect: bool,
    /// Bytes of the blocks that a file is read in; nothing else depends on it. None: half a MiB.
    pub block_bytes: Option<u64>,
    /// Bytes of files up to which their rows are read when they are named. None: 16 MiB.
    pub scan_bytes: Option<u64>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        let null = String::new();
        CsvOptions {
            header: None,
            delimiter: None,
            quote: None,
            escape: None,
            null,
            other_nulls: Vec::new(),
            decimal: None,
            thousands: None,
            date_format: None,
            timestamp_format: None,
            force_null: Vec::new(),
            force_not_null: Vec::new(),
            all_text: false,
            time_zone: None,
            compression: None,
            encoding: None,
            skip: 0,
            comment: None,
            null_padding: false,
            ignore_errors: false,
            rejects: false,
            row_bytes_max: None,
            names: Vec::new(),
            types: Vec::new(),
            sample_rows: None,
            auto_detect: true,
            block_bytes: None,
            scan_bytes: None,
        }
    }
}

impl CsvOptions {
    /// An error (22023) if the options contradict each other.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: &str| Err(Error::new(ErrorKind::InvalidParameter, message));
        let Dialect { delimiter, quote, escape, nulls, decimal, .. } = Dialect::said(self);
        let line_end = |byte: u8| byte == b'\n' || byte == b'\r';
        if line_end(delimiter) || line_end(quote) || line_end(escape) {
            return invalid("CSV delimiter, quote and escape cannot be newline or carriage return");
        }
        if ![delimiter, quote, escape].iter().all(|&byte| byte.is_ascii() || byte == NO_BYTE) {
            return invalid("CSV delimiter, quote and escape must be single one-byte characters");
        }
        if delimiter == quote || delimiter == escape {
            return invalid("CSV delimiter and quote must be different");
        }
        if ![b'.', b','].contains(&decimal) || (self.decimal.is_some() && self.delimiter == self.decimal) {
            return invalid("CSV decimal separator must be a point or a comma, and not the delimiter");
        }
        if let Some(thousands) = self.thousands
            && (thousands == decimal
                || !thousands.is_ascii()
                || !(b" _'".contains(&thousands) || thousands.is_ascii_punctuation()))
        {
            return invalid(
                "CSV thousands separator must be a punctuation mark or a blank, and not the decimal separator",
            );
        }
        let forbidden = [delimiter, quote, b'\n', b'\r'];
        if nulls.iter().any(|null| null.bytes().any(|byte| forbidden.contains(&byte))) {
            return invalid("CSV null string must not contain the delimiter, the quote or line ends");
        }
        let marks = [delimiter, quote, escape, b'\n', b'\r'];
        if self.comment.is_some_and(|comment| !comment.is_ascii() || marks.contains(&comment)) {
            return invalid("CSV comment must be a one-byte character other than delimiter, quote and escape");
        }
        Ok(())
    }

    /// By column, what FORCE_NULL and FORCE_NOT_NULL say.
    ///
    /// Errors: 42P10 for a name that is none of the columns'.
    fn forced(&self, fields: &[Field]) -> Result<Arc<[Forced]>> {
        let mut forced =
            vec![
                Forced::default();
                if self.force_null.is_empty() && self.force_not_null.is_empty() { 0 } else { fields.len() }
            ];
        let mut set = |names: &[String], option: &str, change: &dyn Fn(&mut Forced)| {
            for name in names {
                if name == "*" {
                    forced.iter_mut().for_each(change);
                    continue;
                }
                let Some(at) = fields.iter().position(|field| field.name == *name) else {
                    let message = format!("{option} column \"{name}\" not referenced by COPY");
                    return Err(Error::new(ErrorKind::InvalidColumnReference, message));
                };
                change(&mut forced[at]);
            }
            Ok(())
        };
        set(&self.force_null, "FORCE_NULL", &|of| of.null = true)?;
        set(&self.force_not_null, "FORCE_NOT_NULL", &|of| of.not_null = true)?;
        Ok(forced.into())
    }

    /// Whether rows may be of different lengths.
    fn is_lax(&self) -> bool {
        self.null_padding || self.drops()
    }

    /// Whether rows that are wrong are no error.
    fn drops(&self) -> bool {
        self.ignore_errors || self.rejects
    }

    fn row_bytes_max(&self) -> usize {
        self.row_bytes_max.unwrap_or(ROW_BYTES_MAX).min(split::BLOCK_BYTES_MAX / 4)
    }
}

/// The columns of files, guessed from their first rows.
pub(super) fn read_fields(paths: &FileSet, options: &CsvOptions, context: &Context) -> Result<Vec<Field>> {
    options.check()?;
    context.check()?;
    Ok(load::Guessed::of(paths, options, context)?.fields())
}

/// Reads files as one table. Without given fields, columns of one name are one column, of a type that the fields of all
/// files have; where a file has no such column, it is NULL.
pub(super) fn read(
    paths: &FileSet,
    options: &CsvOptions,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<Table> {
    options.check()?;
    match fields {
        Some(_) if options.rejects => {
            Err(Error::new(ErrorKind::InvalidParameter, "CSV rejects are read into columns of their own"))
        }
        Some(_) if !options.names.is_empty() || !options.types.is_empty() => {
            Err(Error::new(ErrorKind::InvalidParameter, "CSV names and types are those of the table's columns"))
        }
        None if options.rejects => load::Guessed::of(paths, options, context)?.rejects(context),
        Some(fields) => load::read_into(paths, options, fields, context),
        None => load::Guessed::of(paths, options, context)?.read(context),
    }
}

/// Files as one table, as [`read`] has it, and the columns in which words stand for missing values: the rows of large ones stay where they are until loops ask for them, unless `loads`
/// says that all of them are wanted.
pub(super) fn open(
    paths: &FileSet,
    options: &CsvOptions,
    loads: bool,
    (cache, context): (Option<&Arc<ColumnCache>>, &Context),
) -> Result<(Table, Vec<String>)> {
    options.check()?;
    if options.rejects {
        return Ok((read(paths, options, None, context)?, Vec::new()));
    }
    let mut guessed = load::Guessed::of(paths, options, context)?;
    match !loads && scan::is_scanned(&guessed, context)? {
        true => scan::scan(guessed, cache, context),
        false => {
            let table = guessed.read(context)?;
            Ok((table, guessed.placeholder_columns()))
        }
    }
}
