//! The first bytes of a file, by which the rest is read.

use super::CsvOptions;
use super::dialect::Dialect;
use super::records::Records;
use super::source::Source;
use multiloop_exec::Result;
use multiloop_exec::workers::context::{Context, Reservation};
use std::path::PathBuf;

/// Bytes that are looked at for types, and for how rows are written.
const HEAD_BYTES: usize = 1 << 22;
const LOOKS_BYTES: usize = 1 << 18;

/// Rows that are looked at for how they are written.
const LOOKS_ROWS: usize = 1000;

/// The first bytes of a file.
pub(super) struct Head {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where the first row may begin, and on which line.
    start: usize,
    line: u64,
    /// Whether these are all bytes.
    is_all: bool,
    /// What it takes beyond what any file does.
    memory: Option<Reservation>,
}

impl Head {
    /// As many bytes as hold the first row and, if there are so many, thousands of others.
    ///
    /// Errors: 53200 if there is not the memory for them, 57014.
    pub(super) fn read(source: &Source, options: &CsvOptions, context: &Context) -> Result<Head> {
        let mut most = HEAD_BYTES;
        let mut memory = Reservation::new(&context.memory);
        loop {
            context.check()?;
            // A stream keeps what it has decoded, too.
            let needed = if source.is_plain() { most.min(source.file_bytes() as usize) } else { 2 * most };
            memory.resize(if most > HEAD_BYTES { needed } else { 0 })?;
            let mut head = Head::of(source, options, most)?;
            head.memory = Some(memory.split(memory.bytes()));
            let dialect = Dialect { newline: head.newline(), quotes_anywhere: false, ..Dialect::said(options) };
            let line_ends = memchr::memchr_iter(dialect.newline, head.rows()).nth(1).is_some();
            if head.is_all || line_ends || most > options.row_bytes_max() {
                return Ok(head);
            }
            most = (most * 4).min(options.row_bytes_max().max(HEAD_BYTES) + 1);
        }
    }

    fn of(source: &Source, options: &CsvOptions, most: usize) -> Result<Head> {
        let (mut bytes, is_all) = source.head(most)?;
        if !is_all
            && let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            // The last character was cut.
            bytes.truncate(error.valid_up_to());
        }
        let mut start = if bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
        let mut head = Head { path: source.path().to_owned(), bytes, start, line: 1, is_all, memory: None };
        let newline = head.newline();
        for _ in 0..options.skip {
            let Some(line) = memchr::memchr(newline, &head.bytes[start..]) else {
                start = head.bytes.len();
                break;
            };
            start += line + 1;
            head.line += 1;
        }
        head.start = start;
        if let Some(comment) = options.comment {
            head.blank_comments(comment, newline);
        }
        if options.drops()
            && let Err(error) = std::str::from_utf8(head.rows())
        {
            // Rows that are none are left out later.
            let valid = &head.bytes[..start + error.valid_up_to()];
            let end = memchr::memrchr(newline, &valid[start..]).map_or(start, |line| start + line + 1);
            head.bytes.truncate(end);
            head.is_all = false;
        }
        Ok(head)
    }

    /// A comment belongs to no row: it need not be UTF-8.
    fn blank_comments(&mut self, comment: u8, newline: u8) {
        if std::str::from_utf8(self.rows()).is_ok() {
            return;
        }
        for line in self.bytes[self.start..].split_mut(|byte| *byte == newline) {
            if line.first() == Some(&comment) && std::str::from_utf8(line).is_err() {
                line.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
            }
        }
    }

    /// Where the first row may begin, and on which line.
    pub(super) fn start(&self) -> (u64, u64) {
        (self.start as u64, self.line)
    }

    /// Whether these are all bytes of the file.
    pub(super) fn is_all(&self) -> bool {
        self.is_all
    }

    fn rows(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// The rows in a dialect; an error (22021) if they are not UTF-8.
    pub(super) fn records<'a>(&'a self, dialect: &'a Dialect) -> Result<Records<'a>> {
        Records::new(self.rows(), self.line, &self.path, dialect)
    }

    /// What ends a line.
    pub(super) fn newline(&self) -> u8 {
        let (mut quoted, mut returns) = (false, false);
        for &byte in self.rows() {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if !quoted => return b'\n',
                b'\r' if !quoted => returns = true,
                _ => {}
            }
        }
        if returns { b'\r' } else { b'\n' }
    }

    /// How many fields the first row has.
    pub(super) fn first_row(&self, dialect: &Dialect) -> Option<usize> {
        self.records(dialect).ok()?.next_record().ok()?
    }

    /// How many columns there are, and whether any field is quoted; None if this is not how the rows are written. Where some rows
    /// may be other than the rest, most of them say it.
    pub(super) fn looks(&self, dialect: &Dialect, is_lax: bool) -> Option<(usize, bool)> {
        let rows = self.rows();
        let cut = (0..rows.len().min(LOOKS_BYTES) + 1).rev().find(|&cut| is_boundary(rows, cut)).unwrap_or(0);
        let is_all = self.is_all && cut == rows.len();
        let mut records = Records::new(&rows[..cut], 1, &self.path, dialect).ok()?;
        let mut columns = None;
        let mut counts: Vec<usize> = Vec::new();
        for _ in 0..LOOKS_ROWS {
            let Ok(next) = records.next_record() else {
                // A quoted field that the end of the head has cut.
                if is_all && !is_lax {
                    return None;
                }
                break;
            };
            let Some(count) = next else { break };
            if !is_all && records.is_at_end() {
                break;
            }
            if records.is_blank() {
                continue;
            }
            let first = *columns.get_or_insert(count);
            if !is_lax && records.count_as(first) != first {
                return None;
            }
            counts.push(count);
        }
        if is_lax {
            let rows_of = |count: usize| counts.iter().filter(|&&other| other == count).count();
            columns = counts.iter().copied().max_by_key(|&count| (rows_of(count), count));
        }
        (records.misplaced == 0 || is_lax).then_some((columns.unwrap_or(0), records.quoted > 0))
    }
}

/// Whether a cut there parts no character.
fn is_boundary(bytes: &[u8], cut: usize) -> bool {
    bytes.get(cut).is_none_or(|byte| byte & 0xc0 != 0x80)
}
