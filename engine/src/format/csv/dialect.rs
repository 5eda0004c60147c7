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
use super::forms::Pattern;
use super::head::Head;
use multiloop_planner::evaluate::UTC;
use std::sync::Arc;

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
    /// Between thousands.
    pub(super) thousands: Option<u8>,
    /// How days and instants are written, if not as PostgreSQL writes them.
    pub(super) date_format: Option<Arc<Pattern>>,
    pub(super) timestamp_format: Option<Arc<Pattern>>,
    /// Whether words stand for missing values in columns whose types are guessed.
    pub(super) placeholders: bool,
    /// By column, if options name some: whether a quoted field is NULL, too, and whether none is.
    pub(super) forced: Arc<[Forced]>,
    /// What stands for NULL, unquoted; none are longer than so many bytes.
    pub(super) nulls: Vec<String>,
    pub(super) null_bytes_max: usize,
    /// What lines that are no rows begin with.
    pub(super) comment: Option<u8>,
    /// Whether quotes count anywhere in a field, as in PostgreSQL, or only around all of it, as elsewhere (`5" pipe`).
    pub(super) quotes_anywhere: bool,
    /// The time zone of instants whose texts name none.
    pub(super) time_zone: Arc<str>,
}

/// Which fields of a column are never or also NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forced {
    /// What stands for NULL does so in quotes, too.
    pub(super) null: bool,
    /// What stands for NULL without quotes is a text.
    pub(super) not_null: bool,
}

impl Dialect {
    /// What the options say, and PostgreSQL's defaults.
    pub(super) fn said(options: &CsvOptions) -> Dialect {
        let quote = options.quote.unwrap_or(b'"');
        let nulls: Vec<String> = std::iter::once(&options.null).chain(&options.other_nulls).cloned().collect();
        Dialect {
            delimiter: options.delimiter.unwrap_or(b','),
            quote,
            escape: options.escape.unwrap_or(quote),
            newline: b'\n',
            decimal: options.decimal.unwrap_or(if options.thousands == Some(b'.') { b',' } else { b'.' }),
            thousands: options.thousands,
            date_format: options.date_format.clone(),
            timestamp_format: options.timestamp_format.clone(),
            // Who says what is NULL says all of it.
            placeholders: options.auto_detect && options.null.is_empty() && options.other_nulls.is_empty(),
            forced: Arc::default(),
            comment: options.comment,
            null_bytes_max: nulls.iter().map(String::len).max().unwrap_or(0),
            nulls,
            quotes_anywhere: true,
            time_zone: options.time_zone.clone().unwrap_or_else(|| Arc::from(UTC)),
        }
    }

    /// What stands for NULL where something is written.
    pub(super) fn null(&self) -> &str {
        self.nulls.first().map_or("", String::as_str)
    }

    /// Whether a field without quotes is NULL.
    #[inline(always)]
    pub(super) fn is_null(&self, text: &[u8]) -> bool {
        text.len() <= self.null_bytes_max && self.nulls.iter().any(|null| null.as_bytes() == text)
    }

    /// The dialect of a file whose columns are guessed.
    pub(super) fn sniff(head: &Head, options: &CsvOptions) -> Dialect {
        let said = Dialect { newline: head.newline(), quotes_anywhere: false, ..Dialect::said(options) };
        if !options.auto_detect {
            return said;
        }
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
                let Some(looks) = head.looks(&dialect, options.is_lax()) else { continue };
                // What nothing separates is no sign of what would have.
                if looks.0 < 2 && dialect.delimiter != said.delimiter {
                    continue;
                }
                if best.as_ref().is_none_or(|(most, _)| looks > *most) {
                    best = Some((looks, dialect));
                }
            }
        }
        best.map_or(said, |(_, dialect)| dialect)
    }

    /// The dialect of a file that is read into so many columns.
    pub(super) fn of_columns(head: &Head, options: &CsvOptions, columns: usize) -> Dialect {
        let said = Dialect { newline: head.newline(), ..Dialect::said(options) };
        let with = |delimiter: &u8| Dialect { delimiter: *delimiter, ..said.clone() };
        if options.delimiter.is_some() || columns < 2 {
            return said;
        }
        let fits = |dialect: &Dialect| head.looks(dialect, false).is_some_and(|(found, _)| found == columns);
        // What has as many fields in its first row is read with commas, whatever comes behind it.
        let commas = head.first_row(&said) == Some(columns);
        let found = (!commas).then(|| DELIMITERS[1..].iter().map(with).find(fits)).flatten();
        found.unwrap_or(said)
    }
}
