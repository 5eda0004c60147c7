//! Rows taken apart many at once: where their fields end.
//!
//! 1. The delimiters, quotes and line ends of a block are found, 64 bytes at a time ([`Marks`]).
//! 2. A walk over these, not over bytes, knows which stand inside quotes, and notes where each field ends. What a quoted
//!    field holds is only looked at when it is asked for ([`Field`]).
//!
//! [`super::records`] does the same a byte at a time, for the first rows of a file, and says what is right.

use super::dialect::Dialect;
use memchr::memchr_iter;
use multiloop_exec::cpu::simd::marks::Marks;
use multiloop_exec::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

/// Bytes of a block, at most: an end has 30 bits.
pub(super) const BLOCK_BYTES_MAX: usize = 1 << 30;

/// The bits of an end that are its place, and what the others say of the field.
const PLACE: u32 = (1 << 30) - 1;
const QUOTED: u32 = 1 << 30;
const MIXED: u32 = 2 << 30;
const MISSING: u32 = 3 << 30;

/// What rows look like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) columns: usize,
    /// Whether empty lines are no rows, where there are several columns, and a delimiter behind the last field makes no field: as
    /// in files whose columns are guessed.
    pub(super) lenient: bool,
    /// Whether fields that a row lacks are NULL.
    pub(super) pads: bool,
    /// Whether rows that are wrong are left out.
    pub(super) drops: bool,
}

/// A row that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bad {
    /// Where it begins, and where the next one does.
    pub(super) bytes: Range<usize>,
    pub(super) what: Wrong,
    /// How many rows of the block come before it.
    pub(super) before: usize,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It has so many fields.
    Fields(usize),
    /// A quoted field does not end.
    Quote,
    /// It is not UTF-8.
    Utf8,
    /// It holds the character of number zero.
    Zero,
    /// It is longer than any may be: so many bytes.
    Long(usize),
}

/// A field as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field<'a> {
    /// The row has no such field.
    Missing,
    /// Without quotes.
    Bare(&'a [u8]),
    /// What stands between quotes around all of it.
    Quoted(&'a [u8]),
    /// With quotes otherwise: see [`unquoted`].
    Mixed(&'a [u8]),
}

/// The rows of a block.
#[derive(Debug, Default)]
pub(super) struct Rows {
    columns: usize,
    starts: Vec<u32>,
    /// Of the fields, row by row: where each ends, and how it is quoted.
    ends: Vec<u32>,
    /// Rows that are wrong, in order; unless these are left out, rows end before the first.
    pub(super) bad: Vec<Bad>,
    /// Where the row behind the last one begins.
    pub(super) next: usize,
    /// Line ends before that.
    pub(super) lines: u64,
}

/// How far rows could be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// All that were asked for.
    All,
    /// The last one needs more bytes.
    Short,
}

impl Rows {
    /// The rows that begin in a range of these bytes: its start is a row's. `is_end` says that nothing comes behind the bytes.
    pub(super) fn split(
        &mut self,
        shape: Shape<'_>,
        (bytes, is_end): (&[u8], bool),
        range: Range<usize>,
        marks: &mut Marks,
    ) -> Coverage {
        let dialect = shape.dialect;
        self.columns = shape.columns;
        self.starts.clear();
        self.ends.clear();
        self.bad.clear();
        (self.next, self.lines) = (range.start, 0);
        let wanted = [dialect.delimiter, dialect.newline, dialect.quote, dialect.escape];
        let marks = marks.of(&bytes[range.start..], wanted);
        let begin = range.start;
        let mut walk = Walk {
            shape,
            bytes,
            is_end,
            begin,
            marks,
            at: 0,
            field: begin,
            row: begin,
            flag: 0,
            opened: false,
            lines: 0,
        };
        while self.next < range.end {
            match walk.row(self) {
                Some(true) => {}
                Some(false) => break,
                None => return Coverage::Short,
            }
        }
        Coverage::All
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where a row begins.
    pub(super) fn start(&self, row: usize) -> usize {
        self.starts[row] as usize
    }

    /// A field of a row of these bytes.
    #[inline(always)]
    pub(super) fn field<'a>(&self, bytes: &'a [u8], dialect: &Dialect, row: usize, column: usize) -> Field<'a> {
        let place = row * self.columns + column;
        let start = if column == 0 { self.starts[row] } else { (self.ends[place - 1] & PLACE) + 1 } as usize;
        let (mut end, flag) = ((self.ends[place] & PLACE) as usize, self.ends[place] & !PLACE);
        if flag == MISSING {
            return Field::Missing;
        }
        if column + 1 == self.columns && end > start && bytes[end - 1] == b'\r' {
            let ends_line = bytes.get(end) != Some(&dialect.delimiter) && dialect.newline == b'\n';
            end -= usize::from(ends_line);
        }
        match flag {
            0 => Field::Bare(&bytes[start..end]),
            QUOTED => Field::Quoted(&bytes[start + 1..end - 1]),
            _ => Field::Mixed(&bytes[start..end]),
        }
    }

    /// Where the line end of a row of these bytes ends. Comments and rows that are wrong may stand before the next row.
    pub(super) fn end(&self, bytes: &[u8], dialect: &Dialect, row: usize) -> usize {
        let last = self.ends[..(row + 1) * self.columns].last().map_or(0, |end| (end & PLACE) as usize);
        let from = last.max(self.start(row));
        let rest = &bytes[from..self.next.max(from)];
        memchr::memchr(dialect.newline, rest).map_or(from + rest.len(), |at| from + at + 1)
    }

    /// Bytes from the start of a row to that of the next one, at most.
    pub(super) fn most_bytes(&self) -> usize {
        let next = self.starts.iter().skip(1).map(|&next| next as usize).chain([self.next]);
        self.starts.iter().zip(next).map(|(&start, next)| next - start as usize).max().unwrap_or(0)
    }

    /// Whether a row of these bytes is text: UTF-8, without the character of number zero, which no text holds.
    pub(super) fn is_text(&self, bytes: &[u8], dialect: &Dialect, row: usize) -> bool {
        is_text(&bytes[self.start(row)..self.end(bytes, dialect, row)])
    }

    /// Leaves out some rows, by their numbers in order.
    pub(super) fn drop_rows(&mut self, dropped: &[usize]) {
        let mut kept = 0;
        for row in (0..self.starts.len()).filter(|row| dropped.binary_search(row).is_err()) {
            self.starts[kept] = self.starts[row];
            self.ends.copy_within(row * self.columns..(row + 1) * self.columns, kept * self.columns);
            kept += 1;
        }
        self.starts.truncate(kept);
        self.ends.truncate(kept * self.columns);
    }
}

/// A walk over the marks of a block.
struct Walk<'a> {
    shape: Shape<'a>,
    bytes: &'a [u8],
    is_end: bool,
    /// Where the marks are counted from.
    begin: usize,
    marks: &'a [u32],
    at: usize,
    /// Where the field and the row begin.
    field: usize,
    row: usize,
    /// How the field is quoted.
    flag: u32,
    opened: bool,
    /// Line ends before the row.
    lines: u64,
}

impl Walk<'_> {
    /// Takes the next row; whether to go on, or None if its end is not there.
    #[inline]
    fn row(&mut self, rows: &mut Rows) -> Option<bool> {
        let (delimiter, newline) = (self.shape.dialect.delimiter, self.shape.dialect.newline);
        let first = rows.ends.len();
        self.lines = rows.lines;
        let comment = self.shape.dialect.comment.as_ref();
        if comment.is_some() && self.bytes.get(self.row) == comment {
            return self.comment(rows);
        }
        loop {
            let Some(&mark) = self.marks.get(self.at) else { return self.last_row(rows, first) };
            self.at += 1;
            let place = self.begin + mark as usize;
            let byte = self.bytes[place];
            if byte == delimiter {
                self.end_field(rows, place);
            } else if byte == newline {
                self.end_field(rows, place);
                rows.lines += 1;
                return Some(self.end_row(rows, first, place + 1));
            } else if byte == self.shape.dialect.quote && self.opens(place) {
                self.opened = true;
                match self.close(rows, place) {
                    Some(flag) => self.flag = flag,
                    None if self.is_end => return Some(self.unterminated(rows, first)),
                    None => return None,
                }
            }
        }
    }

    /// Passes over a line that is no row.
    #[cold]
    fn comment(&mut self, rows: &mut Rows) -> Option<bool> {
        while let Some(&mark) = self.marks.get(self.at) {
            self.at += 1;
            let place = self.begin + mark as usize;
            if self.bytes[place] == self.shape.dialect.newline {
                rows.lines += 1;
                (self.row, self.field, rows.next) = (place + 1, place + 1, place + 1);
                return Some(true);
            }
        }
        rows.next = self.bytes.len();
        self.is_end.then_some(false)
    }

    #[inline(always)]
    fn end_field(&mut self, rows: &mut Rows, place: usize) {
        rows.ends.push(place as u32 | self.flag);
        (self.flag, self.opened, self.field) = (0, false, place + 1);
    }

    /// Whether a quote counts: where quotes may stand anywhere, every one does, elsewhere the first of a field that only blanks
    /// come before.
    fn opens(&mut self, place: usize) -> bool {
        if self.shape.dialect.quotes_anywhere || place == self.field {
            return self.shape.dialect.quotes_anywhere || !self.opened;
        }
        !self.opened && self.bytes[self.field..place].iter().all(|&byte| byte == b' ')
    }

    /// Passes over a quoted part that opens at a place; how the field is quoted if it ends with that, or None if it has no end.
    fn close(&mut self, rows: &mut Rows, open: usize) -> Option<u32> {
        let Dialect { delimiter, quote, escape, newline, .. } = *self.shape.dialect;
        let mut plain = open == self.field;
        loop {
            let place = self.begin + *self.marks.get(self.at)? as usize;
            self.at += 1;
            let byte = self.bytes[place];
            if byte == newline {
                rows.lines += 1;
                continue;
            }
            let next = self.bytes.get(place + 1).copied();
            if next.is_none() && !self.is_end {
                return None;
            }
            if byte == escape && next.is_some_and(|next| next == quote || next == byte) {
                // What is escaped is a mark, too.
                self.at += 1;
                plain = false;
            } else if byte == quote {
                let ends = |byte: Option<u8>| byte.is_none_or(|byte| byte == delimiter || byte == newline);
                let at_end = ends(next)
                    || (next == Some(b'\r') && newline == b'\n' && {
                        let behind = self.bytes.get(place + 2).copied();
                        behind.is_none_or(|byte| byte == newline)
                    });
                return Some(if plain && at_end { QUOTED } else { MIXED });
            }
        }
    }

    /// What is behind the last line end.
    fn last_row(&mut self, rows: &mut Rows, first: usize) -> Option<bool> {
        if !self.is_end {
            rows.ends.truncate(first);
            return None;
        }
        let end = self.bytes.len();
        if self.row < end {
            self.end_field(rows, end);
            self.end_row(rows, first, end);
        }
        rows.next = end;
        Some(false)
    }

    /// A row of fields that have been noted; whether to go on.
    #[inline(always)]
    fn end_row(&mut self, rows: &mut Rows, first: usize, next: usize) -> bool {
        let row = std::mem::replace(&mut self.row, next);
        self.field = next;
        rows.next = next;
        if rows.ends.len() - first == self.shape.columns {
            rows.starts.push(row as u32);
            return true;
        }
        self.other_row(rows, first, row..next)
    }

    /// A row of another number of fields.
    #[cold]
    fn other_row(&mut self, rows: &mut Rows, first: usize, bytes: Range<usize>) -> bool {
        let Shape { columns, lenient, pads, drops, .. } = self.shape;
        let count = rows.ends.len() - first;
        let text = &self.bytes[bytes.clone()];
        let text = text.strip_suffix(&[self.shape.dialect.newline]).unwrap_or(text);
        let text = if self.shape.dialect.newline == b'\n' { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
        // As in PostgreSQL, an empty line is a row of no column if there is none.
        if text.is_empty() && (columns == 0 || (lenient && columns > 1)) {
            rows.ends.truncate(first);
            if columns == 0 {
                rows.starts.push(bytes.start as u32);
            }
            return true;
        }
        if lenient
            && count == columns + 1
            && text.ends_with(&[self.shape.dialect.delimiter])
            && self.is_bare(rows, count)
        {
            rows.ends.pop();
            rows.starts.push(bytes.start as u32);
            return true;
        }
        if pads && count < columns {
            // Its last field is not that of the last column, which ends before a carriage return.
            if let Some(end) = rows.ends.last_mut()
                && self.shape.dialect.newline == b'\n'
                && (*end & PLACE) as usize > bytes.start
                && self.bytes[(*end & PLACE) as usize - 1] == b'\r'
            {
                *end -= 1;
            }
            let last = rows.ends.last().map_or(0, |end| end & PLACE);
            rows.ends.resize(first + columns, last | MISSING);
            rows.starts.push(bytes.start as u32);
            return true;
        }
        rows.ends.truncate(first);
        rows.bad.push(Bad { bytes, what: Wrong::Fields(count), before: rows.starts.len() });
        drops
    }

    /// Whether the last of so many fields is empty and without quotes.
    fn is_bare(&self, rows: &Rows, count: usize) -> bool {
        let last = rows.ends.len() - 1;
        let start = if count > 1 { (rows.ends[last - 1] & PLACE) as usize + 1 } else { 0 };
        let end = rows.ends[last];
        let text = self.bytes.get(start..(end & PLACE) as usize).unwrap_or_default();
        end & !PLACE == 0 && matches!(text, b"" | b"\r")
    }

    /// A row with a quoted field that does not end; if such are left out, the line of it that has begun is.
    #[cold]
    fn unterminated(&mut self, rows: &mut Rows, first: usize) -> bool {
        rows.ends.truncate(first);
        let line_end = memchr::memchr(self.shape.dialect.newline, &self.bytes[self.row..]);
        let end = line_end.filter(|_| self.shape.drops).map_or(self.bytes.len(), |at| self.row + at + 1);
        rows.bad.push(Bad { bytes: self.row..end, what: Wrong::Quote, before: rows.starts.len() });
        rows.lines = self.lines + u64::from(line_end.is_some());
        (self.row, self.field, rows.next) = (end, end, end);
        (self.flag, self.opened) = (0, false);
        self.at = self.marks.partition_point(|&mark| (mark as usize) < end - self.begin);
        self.shape.drops
    }
}

/// What a field with quotes holds, without them: where these may stand anywhere all that stands around them, too, elsewhere
/// without blanks around the quotes.
pub(super) fn unquoted(text: &[u8], dialect: &Dialect) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len());
    let (mut at, mut quoted, mut opened, mut protected) = (0, false, false, 0);
    while let Some(&byte) = text.get(at) {
        if quoted {
            let next = text.get(at + 1).copied();
            match next {
                Some(next) if byte == dialect.escape && (next == dialect.quote || next == byte) => {
                    all.push(next);
                    at += 1;
                }
                _ if byte == dialect.quote => quoted = false,
                _ => all.push(byte),
            }
            protected = all.len();
        } else if byte == dialect.quote && (dialect.quotes_anywhere || !opened) {
            (quoted, opened) = (true, true);
        } else if opened || dialect.quotes_anywhere {
            all.push(byte);
        }
        at += 1;
    }
    if !dialect.quotes_anywhere {
        while all.len() > protected && all.ends_with(b" ") {
            all.pop();
        }
    }
    all
}

impl<'a> Field<'a> {
    /// Its bytes, and whether it has no quotes; None if there is none.
    pub(super) fn text(self, dialect: &Dialect) -> Option<(Cow<'a, [u8]>, bool)> {
        match self {
            Field::Missing => None,
            Field::Bare(text) => Some((Cow::Borrowed(text), true)),
            Field::Quoted(text) => Some((Cow::Borrowed(text), false)),
            Field::Mixed(text) => Some((Cow::Owned(unquoted(text, dialect)), false)),
        }
    }
}

/// The line, counted from the block's first as 0, in which a place of a block lies.
pub(super) fn line_of(bytes: &[u8], place: usize, dialect: &Dialect) -> u64 {
    memchr_iter(dialect.newline, &bytes[..place]).count() as u64
}

/// What is wrong with a row.
pub(super) fn fault_of(bad: &Bad, names: &[String]) -> (ErrorKind, String) {
    match bad.what {
        Wrong::Utf8 => (ErrorKind::InvalidUtf8, "invalid byte sequence for encoding \"UTF8\"".to_owned()),
        Wrong::Zero => (ErrorKind::InvalidUtf8, "invalid byte sequence for encoding \"UTF8\": 0x00".to_owned()),
        Wrong::Long(most) => (ErrorKind::BadFile, format!("a row of more than {most} bytes")),
        Wrong::Quote => (ErrorKind::BadFile, "unterminated CSV quoted field".to_owned()),
        Wrong::Fields(count) => match names.get(count) {
            Some(missing) => (ErrorKind::BadFile, format!("missing data for column \"{missing}\"")),
            None => (ErrorKind::BadFile, "extra data after last expected column".to_owned()),
        },
    }
}

/// The error (22P04) of a row that is longer than any may be.
pub(super) fn too_long(path: &Path, line: u64, most: usize) -> Error {
    let message = format!("a row of more than {most} bytes in {}, line {line}", path.display());
    Error::new(ErrorKind::BadFile, message)
}

/// The first place at or behind another at which a row begins if quotes are closed there; None if there is none.
pub(super) fn assumed_start(bytes: &[u8], from: usize, dialect: &Dialect) -> Option<usize> {
    memchr::memchr(dialect.newline, &bytes[from..]).map(|at| from + at + 1)
}

/// Whether bytes are UTF-8 without the character of number zero.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    (bytes.is_ascii() || std::str::from_utf8(bytes).is_ok()) && memchr::memchr(0, bytes).is_none()
}

/// UTF-8 as text.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::internal("a field of valid text is none"))
}
