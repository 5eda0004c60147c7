//! Cutting CSV into rows and fields.
//!
//! 1. [`Blocks`] reads a file some MiB at a time and cuts them into pieces of whole rows, one or more a thread: a line
//!    end outside quotes ends a row, and a quote toggles between inside and outside, whatever stands around it.
//!    Where quotes count only around a whole field, one that stands behind anything but blanks is text.
//! 2. [`Records`] takes the rows of a piece apart, field by field.

use super::dialect::Dialect;
use crate::format::io_error;
use memchr::{memchr_iter, memchr3_iter};
use multiloop_exec::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of a piece, about; a row that is longer makes a longer piece.
const PIECE_BYTES: usize = 1 << 20;

/// Whole rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where they are in the block.
    pub(super) bytes: Range<usize>,
    /// The number of their first line in the file, from 1.
    pub(super) line: u64,
}

/// A file in blocks of several pieces.
pub(super) struct Blocks {
    path: PathBuf,
    file: File,
    file_bytes: u64,
    dialect: Dialect,
    pieces: usize,
    /// The start of a row whose end has not been read.
    rest: Vec<u8>,
    line: u64,
    started: bool,
    ended: bool,
}

impl Blocks {
    /// Opens a file, to be read in blocks of so many pieces.
    pub(super) fn open(path: &Path, dialect: &Dialect, pieces: usize) -> Result<Blocks> {
        let file = File::open(path).map_err(|error| io_error(path, &error))?;
        let file_bytes = file.metadata().map_err(|error| io_error(path, &error))?.len();
        Ok(Blocks {
            path: path.to_owned(),
            file,
            file_bytes,
            dialect: dialect.clone(),
            pieces,
            rest: Vec::new(),
            line: 1,
            started: false,
            ended: false,
        })
    }

    /// The size of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The next block and its pieces; None at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Vec<u8>, Vec<Piece>)>> {
        let mut bytes = std::mem::take(&mut self.rest);
        while !self.ended {
            let wanted = (self.pieces * PIECE_BYTES).max(bytes.len());
            let read = (&mut self.file).take(wanted as u64).read_to_end(&mut bytes);
            self.ended = read.map_err(|error| io_error(&self.path, &error))? < wanted;
            if !std::mem::replace(&mut self.started, true) && bytes.starts_with("\u{feff}".as_bytes()) {
                bytes.drain(..3);
            }
            let (pieces, lines) = cut(&bytes, self.line, &self.dialect, self.ended);
            if let Some(last) = pieces.last() {
                self.line += lines;
                self.rest = bytes.split_off(last.bytes.end);
                return Ok(Some((bytes, pieces)));
            }
        }
        Ok(None)
    }
}

/// The whole rows at the start of some bytes, in pieces, and the lines that they take. At the end of the file
/// everything counts as whole.
fn cut(bytes: &[u8], line: u64, dialect: &Dialect, ended: bool) -> (Vec<Piece>, u64) {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut start, mut start_line, mut now) = (0, line, line);
    let (mut quoted, mut escaped_at, mut whole) = (false, None, (0, line));
    for at in memchr3_iter(dialect.newline, dialect.quote, dialect.escape, bytes) {
        let byte = bytes[at];
        if byte == dialect.newline {
            now += 1;
            if !quoted {
                whole = (at + 1, now);
                if whole.0 - start >= PIECE_BYTES {
                    pieces.push(Piece { bytes: start..whole.0, line: start_line });
                    (start, start_line) = whole;
                }
            }
        } else if escaped_at == Some(at) {
            escaped_at = None;
        } else if byte == dialect.quote && !quoted {
            quoted = dialect.quotes_anywhere || begins_field(&bytes[..at], dialect);
        } else if byte == dialect.quote && (dialect.escape != byte || bytes.get(at + 1) != Some(&byte)) {
            quoted = false;
        } else if quoted && byte == dialect.escape {
            escaped_at = Some(at + 1);
        }
    }
    if ended {
        whole = (bytes.len(), now);
    }
    if whole.0 > start {
        pieces.push(Piece { bytes: start..whole.0, line: start_line });
    }
    (pieces, whole.1 - line)
}

/// Whether what follows these bytes, outside quotes, is the start of a field: only blanks stand before it.
fn begins_field(before: &[u8], dialect: &Dialect) -> bool {
    let last = before.iter().rev().find(|&&byte| byte != b' ' || byte == dialect.delimiter);
    last.is_none_or(|&byte| byte == dialect.delimiter || byte == dialect.newline)
}

/// A field of a row: where it is, and whether any part of it was quoted.
#[derive(Clone, Debug)]
pub(super) struct FieldRange {
    range: Range<usize>,
    /// In `Records::unquoted` instead of the piece itself.
    copied: bool,
    /// Whether it can be NULL: it has no quotes.
    pub(super) bare: bool,
}

/// The rows of a piece.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    line_next: u64,
    path: &'a Path,
    dialect: &'a Dialect,
    unquoted: Vec<u8>,
    fields: Vec<FieldRange>,
    /// Quoted fields so far.
    pub(super) quoted: usize,
    /// Quotes and text where a quoted field should have ended.
    pub(super) misplaced: usize,
}

impl<'a> Records<'a> {
    /// The rows of a piece that starts at this line; an error (22021) if it is not UTF-8.
    pub(super) fn new(bytes: &'a [u8], line: u64, path: &'a Path, dialect: &'a Dialect) -> Result<Records<'a>> {
        if let Err(error) = std::str::from_utf8(bytes) {
            let line = line + memchr_iter(dialect.newline, &bytes[..error.valid_up_to()]).count() as u64;
            let message = format!("invalid byte sequence for encoding \"UTF8\" in {}, line {line}", path.display());
            return Err(Error::new(ErrorKind::InvalidUtf8, message));
        }
        let (unquoted, fields) = (Vec::new(), Vec::new());
        Ok(Records { bytes, at: 0, line, line_next: line, path, dialect, unquoted, fields, quoted: 0, misplaced: 0 })
    }

    /// Takes the next row apart; None at the end, else the number of its fields.
    pub(super) fn next_record(&mut self) -> Result<Option<usize>> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        self.line = self.line_next;
        self.fields.clear();
        self.unquoted.clear();
        let (bytes, dialect) = (self.bytes, self.dialect);
        let (delimiter, newline) = (dialect.delimiter, dialect.newline);
        let quote = if dialect.quotes_anywhere { dialect.quote } else { delimiter };
        loop {
            let start = self.at;
            let special = |&byte: &u8| byte == delimiter || byte == newline || byte == quote;
            let stop = bytes[start..].iter().position(special).map_or(bytes.len(), |offset| start + offset);
            if self.is_quoted(start, stop) {
                self.quoted_field(start)?;
            } else {
                self.at = stop;
                let end = if bytes.get(stop) != Some(&delimiter) { self.trim_return(start, stop) } else { stop };
                self.fields.push(FieldRange { range: start..end, copied: false, bare: true });
            }
            let byte = bytes.get(self.at);
            self.at += 1;
            if byte != Some(&delimiter) {
                self.line_next += u64::from(byte.is_some());
                return Ok(Some(self.fields.len()));
            }
        }
    }

    /// Whether a field has quotes that count: where a quote may be anywhere, the field's text stops at it.
    fn is_quoted(&self, start: usize, stop: usize) -> bool {
        let quote = self.dialect.quote;
        if self.dialect.quotes_anywhere {
            return self.bytes.get(stop) == Some(&quote);
        }
        let blank = |byte: &&u8| **byte == b' ';
        let blanks = self.bytes[start..stop].iter().take_while(blank).count();
        self.bytes[start..stop].get(blanks) == Some(&quote)
    }

    /// A field with quotes in it, copied without them; stops at what ends it.
    fn quoted_field(&mut self, start: usize) -> Result<()> {
        let (bytes, dialect) = (self.bytes, self.dialect);
        let from = self.unquoted.len();
        let (mut at, mut quoted, mut opened) = (start, false, false);
        // How much of the copy must not be taken for the line's carriage return, or for blanks around the quotes.
        let mut protected = from;
        while let Some(&byte) = bytes.get(at) {
            if quoted {
                let next = bytes.get(at + 1).copied();
                let escapes = byte == dialect.escape && next.is_some_and(|next| next == dialect.quote || next == byte);
                match byte {
                    _ if escapes => {
                        self.unquoted.push(next.expect("an escape has something behind it"));
                        at += 1;
                    }
                    _ if byte == dialect.quote => quoted = false,
                    _ => {
                        self.line_next += u64::from(byte == dialect.newline);
                        self.unquoted.push(byte);
                    }
                }
                protected = self.unquoted.len();
            } else if byte == dialect.quote && (dialect.quotes_anywhere || !opened) {
                (quoted, opened) = (true, true);
            } else if byte == dialect.delimiter || byte == dialect.newline {
                break;
            } else if opened || dialect.quotes_anywhere {
                self.unquoted.push(byte);
            }
            at += 1;
        }
        if quoted {
            return Err(self.error(ErrorKind::BadFile, "unterminated CSV quoted field"));
        }
        let ends_line = bytes.get(at) != Some(&dialect.delimiter) && dialect.newline == b'\n';
        if ends_line && self.unquoted.len() > protected && self.unquoted.ends_with(b"\r") {
            self.unquoted.pop();
        }
        if !dialect.quotes_anywhere {
            while self.unquoted.len() > protected && self.unquoted.ends_with(b" ") {
                self.unquoted.pop();
            }
        }
        self.quoted += 1;
        self.misplaced += usize::from(self.unquoted.len() > protected);
        self.at = at;
        self.fields.push(FieldRange { range: from..self.unquoted.len(), copied: true, bare: false });
        Ok(())
    }

    /// Whether all bytes are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Whether the current row is an empty line.
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.fields.as_slice(), [field] if field.bare && field.range.is_empty())
    }

    /// The current row's fields, of so many columns: a delimiter behind the last one makes no field.
    pub(super) fn count_as(&self, columns: usize) -> usize {
        let count = self.fields.len();
        let closed = count == columns + 1 && self.fields[columns].bare && self.fields[columns].range.is_empty();
        if closed { columns } else { count }
    }

    /// Whether a field of the current row has no quotes.
    pub(super) fn is_bare(&self, index: usize) -> bool {
        self.fields[index].bare
    }

    /// A field of the current row as text, or None if it is NULL.
    pub(super) fn field(&self, index: usize) -> Option<&str> {
        let field = &self.fields[index];
        let source = if field.copied { &self.unquoted } else { self.bytes };
        let text = std::str::from_utf8(&source[field.range.clone()]).expect("cut at ASCII from what is UTF-8");
        (!field.bare || text != self.dialect.null).then_some(text)
    }

    /// An error at the current row.
    pub(super) fn error(&self, kind: ErrorKind, message: impl std::fmt::Display) -> Error {
        Error::new(kind, format!("{message} in {}, line {}", self.path.display(), self.line))
    }

    /// How many rows there are, about: for capacities.
    pub(super) fn rows_estimated(&self) -> usize {
        let head = &self.bytes[..self.bytes.len().min(1 << 14)];
        let lines = memchr_iter(self.dialect.newline, head).count() + 1;
        lines * self.bytes.len() / head.len().max(1)
    }

    /// The end of a row's last field: before the carriage return, if there is one.
    fn trim_return(&self, start: usize, stop: usize) -> usize {
        let returns = stop > start && self.dialect.newline == b'\n' && self.bytes[stop - 1] == b'\r';
        if returns { stop - 1 } else { stop }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CsvOptions;
    use super::*;

    fn records(text: &str) -> Result<Vec<Vec<Option<String>>>> {
        let options = Dialect::said(&CsvOptions::default());
        let mut records = Records::new(text.as_bytes(), 1, Path::new("t.csv"), &options)?;
        let mut rows = Vec::new();
        while let Some(fields) = records.next_record()? {
            rows.push((0..fields).map(|index| records.field(index).map(str::to_owned)).collect());
        }
        Ok(rows)
    }

    #[test]
    fn rows_and_fields() {
        let some = |text: &str| Some(text.to_owned());
        for (text, expected) in [
            ("", vec![]),
            ("a", vec![vec![some("a")]]),
            ("a,b\n", vec![vec![some("a"), some("b")]]),
            ("a,\r\n,b\r\n", vec![vec![some("a"), None], vec![None, some("b")]]),
            ("\n", vec![vec![None]]),
            ("\"\",\n", vec![vec![some(""), None]]),
            ("\"a,\"\"b\"\"\nc\",d", vec![vec![some("a,\"b\"\nc"), some("d")]]),
            ("x\"y,z\"w\r\n", vec![vec![some("xy,zw")]]),
            ("\"\r\"\r\n1", vec![vec![some("\r")], vec![some("1")]]),
            ("\"\"\"\"", vec![vec![some("\"")]]),
            ("ä,\u{10ffff}", vec![vec![some("ä"), some("\u{10ffff}")]]),
        ] {
            assert_eq!(records(text).unwrap(), expected, "{text:?}");
        }
        assert_eq!(records("a\n\"b\nc").unwrap_err().message(), "unterminated CSV quoted field in t.csv, line 2");
    }

    #[test]
    fn every_cut_falls_between_rows() {
        let text = "a,\"x\n\"\"y\"\"\n\"\nb,\"\"\n\n\"\"\"\",c\nrest";
        let options = Dialect::said(&CsvOptions::default());
        for end in 0..=text.len() {
            let (pieces, lines) = cut(&text.as_bytes()[..end], 1, &options, false);
            let whole = pieces.last().map_or(0, |piece| piece.bytes.end);
            assert!([0, 13, 18, 19, 26].contains(&whole), "{end}: {whole}");
            assert_eq!(lines as usize, text[..whole].matches('\n').count());
        }
        let (pieces, _) = cut(text.as_bytes(), 1, &options, true);
        assert_eq!(pieces, [Piece { bytes: 0..text.len(), line: 1 }]);
    }
}
