//! How a file writes its rows: what its options say, and for the rest what its first rows look like.
//!
//! 1. Lines end with a line feed (or both), unless there is none outside quotes: then with a carriage return.
//! 2. Every delimiter, quote and escape that may be meant takes the first rows apart. Those that make all rows equally
//!    long, and leave no quote where none belongs, are candidates; the one with most columns is it, and among equals
//!    one that finds quoted fields, then the first in the order below.
//! 3. Where a comma does not separate fields it may be in numbers: `infer` sees to that.
//!
//! Into given columns a file is read as PostgreSQL's COPY does, with commas, unless only another delimiter gives as many
//! fields as there are columns.

use super::CsvOptions;
use super::records::Records;
use crate::format::io_error;
use multiloop_exec::Result;
use multiloop_planner::evaluate::UTC;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are looked at.
const HEAD_BYTES: u64 = 1 << 18;

/// Rows that are looked at.
const HEAD_ROWS: usize = 1000;

/// In the order in which they are preferred.
const DELIMITERS: [u8; 4] = [b',', b'|', b';', b'\t'];
const QUOTES: [(u8, u8); 4] = [(b'"', b'"'), (b'"', b'\\'), (b'\'', b'\''), (b'\'', b'\\')];

/// Stands for no quote: a byte that UTF-8 does not have.
pub(super) const NO_BYTE: u8 = 0xff;

/// How rows are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    pub(super) escape: u8,
    /// What ends a row: a line feed, perhaps behind a carriage return, or a carriage return alone.
    pub(super) newline: u8,
    /// Before the fraction of a number.
    pub(super) decimal: u8,
    /// What stands for NULL, unquoted.
    pub(super) null: String,
    /// Whether quotes count anywhere in a field, as in PostgreSQL, or only around all of it, as elsewhere (`5" pipe`).
    pub(super) quotes_anywhere: bool,
    /// The time zone of instants whose texts name none.
    pub(super) time_zone: Arc<str>,
}

impl Dialect {
    /// What the options say, and PostgreSQL's defaults.
    pub(super) fn said(options: &CsvOptions) -> Dialect {
        let quote = options.quote.unwrap_or(b'"');
        Dialect {
            delimiter: options.delimiter.unwrap_or(b','),
            quote,
            escape: options.escape.unwrap_or(quote),
            newline: b'\n',
            decimal: options.decimal.unwrap_or(b'.'),
            null: options.null.clone(),
            quotes_anywhere: true,
            time_zone: options.time_zone.clone().unwrap_or_else(|| Arc::from(UTC)),
        }
    }

    /// The dialect of a file whose columns are guessed.
    pub(super) fn sniff(path: &Path, options: &CsvOptions) -> Result<Dialect> {
        let head = Head::read(path)?;
        let said = Dialect { newline: head.newline(), quotes_anywhere: false, ..Dialect::said(options) };
        let mut best: Option<((usize, bool), Dialect)> = None;
        for delimiter in DELIMITERS {
            for (quote, escape) in QUOTES {
                let dialect = Dialect {
                    delimiter: options.delimiter.unwrap_or(delimiter),
                    quote: options.quote.unwrap_or(quote),
                    escape: options.escape.unwrap_or(if options.quote.is_some() && escape != b'\\' {
                        said.quote
                    } else {
                        escape
                    }),
                    ..said.clone()
                };
                let Some(looks) = head.looks(path, &dialect) else { continue };
                // What nothing separates is no sign of what would have.
                if looks.0 < 2 && dialect.delimiter != said.delimiter {
                    continue;
                }
                if best.as_ref().is_none_or(|(most, _)| looks > *most) {
                    best = Some((looks, dialect));
                }
            }
        }
        Ok(best.map_or(said, |(_, dialect)| dialect))
    }

    /// The dialect of a file that is read into so many columns.
    pub(super) fn of_columns(path: &Path, options: &CsvOptions, columns: usize) -> Result<Dialect> {
        let head = Head::read(path)?;
        let said = Dialect { newline: head.newline(), ..Dialect::said(options) };
        let with = |delimiter: &u8| Dialect { delimiter: *delimiter, ..said.clone() };
        if options.delimiter.is_some() || columns < 2 {
            return Ok(said);
        }
        let fits = |dialect: &Dialect| head.looks(path, dialect).is_some_and(|(found, _)| found == columns);
        // What has as many fields in its first row is read with commas, whatever comes behind it.
        let commas = head.first_row(path, &said) == Some(columns);
        let found = (!commas).then(|| DELIMITERS[1..].iter().map(with).find(fits)).flatten();
        Ok(found.unwrap_or(said))
    }
}

/// The first bytes of a file.
struct Head {
    bytes: Vec<u8>,
    whole: bool,
}

impl Head {
    fn read(path: &Path) -> Result<Head> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| io_error(path, &error))?;
        file.take(HEAD_BYTES).read_to_end(&mut bytes).map_err(|error| io_error(path, &error))?;
        let whole = (bytes.len() as u64) < HEAD_BYTES;
        if bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            // The last character was cut.
            bytes.truncate(error.valid_up_to());
        }
        Ok(Head { bytes, whole })
    }

    fn newline(&self) -> u8 {
        let (mut quoted, mut returns) = (false, false);
        for &byte in &self.bytes {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if !quoted => return b'\n',
                b'\r' if !quoted => returns = true,
                _ => {}
            }
        }
        if returns { b'\r' } else { b'\n' }
    }

    fn first_row(&self, path: &Path, dialect: &Dialect) -> Option<usize> {
        Records::new(&self.bytes, 1, path, dialect).ok()?.next_record().ok()?
    }

    /// How many columns there are, and whether any field is quoted; None if this is not how the rows are written.
    fn looks(&self, path: &Path, dialect: &Dialect) -> Option<(usize, bool)> {
        let mut records = Records::new(&self.bytes, 1, path, dialect).ok()?;
        let mut columns = None;
        for _ in 0..HEAD_ROWS {
            let Ok(next) = records.next_record() else {
                // A quoted field that the end of the head has cut.
                if self.whole {
                    return None;
                } else {
                    break;
                };
            };
            let Some(count) = next else { break };
            if !self.whole && records.is_at_end() {
                break;
            }
            if records.is_blank() {
                continue;
            }
            let columns = *columns.get_or_insert(count);
            if records.count_as(columns) != columns {
                return None;
            }
        }
        (records.misplaced == 0).then_some((columns.unwrap_or(0), records.quoted > 0))
    }
}
