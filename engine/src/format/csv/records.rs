//! Taking CSV apart a byte at a time: the first rows of a file, in every way that they may be meant. What is right here is right
//! for [`super::split`], which reads all rows.

use super::dialect::Dialect;
use memchr::{memchr, memchr_iter};
use multiloop_exec::{Error, ErrorKind, Result};
use std::ops::Range;
use std::path::Path;

/// What reads files of other characters.
pub(super) const ENCODING_HINT: &str = "A file of other characters is read with encoding => 'latin-1', 'windows-1252' or 'utf-16' in read_csv, ENCODING in COPY.";

/// A field of a row: where it is, and whether any part of it was quoted.
#[derive(Clone, Debug)]
pub(super) struct FieldRange {
    range: Range<usize>,
    /// In `Records::unquoted` instead of the piece itself.
    copied: bool,
    /// Whether it can be NULL: it has no quotes.
    pub(super) bare: bool,
}

/// Some rows.
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
    /// Rows of which the first starts on this line; an error (22021) if it is not UTF-8.
    pub(super) fn new(bytes: &'a [u8], line: u64, path: &'a Path, dialect: &'a Dialect) -> Result<Records<'a>> {
        if let Err(error) = std::str::from_utf8(bytes) {
            let line = line + memchr_iter(dialect.newline, &bytes[..error.valid_up_to()]).count() as u64;
            let message = format!("invalid byte sequence for encoding \"UTF8\" in {}, line {line}", path.display());
            return Err(Error::new(ErrorKind::InvalidUtf8, message).with_hint(ENCODING_HINT));
        }
        let (unquoted, fields) = (Vec::new(), Vec::new());
        Ok(Records { bytes, at: 0, line, line_next: line, path, dialect, unquoted, fields, quoted: 0, misplaced: 0 })
    }

    /// Takes the next row apart; None at the end, else the number of its fields.
    pub(super) fn next_record(&mut self) -> Result<Option<usize>> {
        while self.dialect.comment.is_some() && self.bytes.get(self.at) == self.dialect.comment.as_ref() {
            let line = memchr(self.dialect.newline, &self.bytes[self.at..]);
            self.line_next += u64::from(line.is_some());
            self.at = line.map_or(self.bytes.len(), |line| self.at + line + 1);
        }
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

    /// Where the next row begins, and on which line.
    pub(super) fn place(&self) -> (usize, u64) {
        (self.at.min(self.bytes.len()), self.line_next)
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
        (!field.bare || !self.dialect.is_null(text.as_bytes())).then_some(text)
    }

    /// An error at the current row.
    pub(super) fn error(&self, kind: ErrorKind, message: impl std::fmt::Display) -> Error {
        Error::new(kind, format!("{message} in {}, line {}", self.path.display(), self.line))
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
}
