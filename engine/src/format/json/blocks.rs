//! Cutting files into pieces of whole values, which are parsed in parallel.
//!
//! How values follow each other is seen from the first of them (`Layout`). Of lines the ends are looked for; of an array, and of
//! values that may span lines, all brackets are counted.

use super::{JsonOptions, PIECE_BYTES};
use crate::format::{compressed, io_error, store};
use memchr::{memchr, memchr_iter, memchr2, memrchr};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_exec::{Error, ErrorKind, Result};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Pieces of a block for each worker, and of all.
const PIECES_EACH: usize = 4;
const PIECES_MAX: usize = 128;

/// How much more may come out of a file that is compressed, about; what is more makes another block.
const EXPANSION: u64 = 16;

/// How the values of a file follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Each on a line of its own.
    Lines,
    /// As the elements of one array.
    Array,
    /// Behind each other, each on as many lines as it likes.
    Unstructured,
}

/// Whole values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where they are in the block.
    pub(super) bytes: Range<usize>,
    /// The number of their first line in the file, from 1.
    pub(super) line: u64,
}

/// Bytes of a file, and the pieces that they are cut into.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    pub(super) pieces: Vec<Piece>,
    /// Where they begin in the file, once it is decompressed.
    pub(super) place: u64,
}

/// A file in blocks of several pieces.
pub(super) struct Blocks {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    layout: Option<Layout>,
    block_bytes: usize,
    object_bytes_max: usize,
    /// The start of a value whose end has not been read.
    rest: Vec<u8>,
    /// Where the block begins among the bytes of the file.
    place: u64,
    line: u64,
    started: bool,
    ended: bool,
    array: Brackets,
    memory: Reservation,
}

/// How far an array has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brackets {
    /// Nothing of it.
    Before,
    /// Its bracket.
    Opened,
    /// Elements and a comma.
    Comma,
    /// All of it.
    Closed,
}

impl Blocks {
    /// Opens a file, to be read in blocks for so many workers.
    pub(super) fn open(path: &Path, options: &JsonOptions, workers: usize, context: &Context) -> Result<Blocks> {
        let reader = compressed::open(path, options.compression)?;
        // No more than a small file needs.
        let file_bytes = store::bytes_of(path)?;
        let enough = file_bytes.saturating_mul(EXPANSION).saturating_add(PIECE_BYTES as u64 / 8);
        let pieces = (PIECES_EACH * workers).min(PIECES_MAX);
        Ok(Blocks {
            path: path.to_owned(),
            reader,
            layout: options.layout,
            block_bytes: usize::try_from(enough).unwrap_or(usize::MAX).min(PIECE_BYTES * pieces),
            object_bytes_max: options.maximum_object_size.unwrap_or(usize::MAX),
            rest: Vec::new(),
            place: 0,
            line: 1,
            started: false,
            ended: false,
            array: Brackets::Before,
            memory: Reservation::new(&context.memory),
        })
    }

    /// The next block; None at the end.
    pub(super) fn next(&mut self) -> Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        while !self.ended {
            let wanted = self.block_bytes.max(bytes.len());
            // Another one is being read meanwhile.
            self.memory.resize(2 * (bytes.len() + wanted))?;
            let read = (&mut self.reader).take(wanted as u64).read_to_end(&mut bytes);
            self.ended = read.map_err(|error| io_error(&self.path, &error))? < wanted;
            if !std::mem::replace(&mut self.started, true) && bytes.starts_with("\u{feff}".as_bytes()) {
                bytes.drain(..3);
                self.place = 3;
            }
            let layout = *self.layout.get_or_insert_with(|| sniff(&bytes, self.ended));
            let (pieces, end) = match layout {
                Layout::Lines => self.cut_lines(&bytes),
                Layout::Array => self.cut_array(&bytes)?,
                Layout::Unstructured => self.cut_values(&bytes),
            };
            if bytes.len() - end > self.object_bytes_max && !self.ended {
                return Err(too_large(self.object_bytes_max, &self.path, self.line));
            }
            self.line += count_lines(&bytes[..end]);
            if !pieces.is_empty() || end > 0 {
                self.rest = bytes.split_off(end);
            }
            let place = self.place;
            self.place += end as u64;
            if !pieces.is_empty() {
                return Ok(Some(Block { bytes, pieces, place }));
            }
            if end > 0 {
                bytes = std::mem::take(&mut self.rest);
            }
        }
        Ok(None)
    }

    /// How the values follow each other, once the first block has been read.
    pub(super) fn layout(&self) -> Layout {
        self.layout.unwrap_or(Layout::Lines)
    }

    /// The whole lines, and where the first byte behind them is.
    fn cut_lines(&self, bytes: &[u8]) -> (Vec<Piece>, usize) {
        let whole = if self.ended { bytes.len() } else { memrchr(b'\n', bytes).map_or(0, |at| at + 1) };
        let mut ends = Vec::new();
        let mut start = 0;
        while start < whole {
            let far = (start + PIECE_BYTES).min(whole);
            start = memchr(b'\n', &bytes[far..whole]).map_or(whole, |at| far + at + 1);
            ends.push(start);
        }
        (self.pieces(bytes, 0, &ends, 0), whole)
    }

    /// The values that are whole, wherever their lines end.
    fn cut_values(&self, bytes: &[u8]) -> (Vec<Piece>, usize) {
        let (mut ends, mut start, mut whole) = (Vec::new(), 0, 0);
        marks(bytes, |at, mark| {
            if mark != Mark::Comma {
                whole = at + 1;
                if whole - start >= PIECE_BYTES {
                    ends.push(whole);
                    start = whole;
                }
            }
            true
        });
        if self.ended {
            whole = bytes.len();
        }
        if whole > start {
            ends.push(whole);
        }
        (self.pieces(bytes, 0, &ends, 0), whole)
    }

    /// The elements of the array that are whole.
    fn cut_array(&mut self, bytes: &[u8]) -> Result<(Vec<Piece>, usize)> {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        let mut first = 0;
        if self.array == Brackets::Before {
            first = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
            match bytes.get(first) {
                Some(b'[') => first += 1,
                // A file of nothing has no rows, as an array of nothing.
                None => return Ok((Vec::new(), first)),
                Some(_) => return Err(self.malformed(bytes, first, "an array was to begin")),
            }
            self.array = Brackets::Opened;
        }
        let (mut ends, mut start, mut whole, mut closed) = (Vec::new(), first, first, None);
        let after_comma = self.array == Brackets::Comma;
        if self.array != Brackets::Closed {
            marks(&bytes[first..], |at, mark| {
                let at = first + at;
                match mark {
                    Mark::Comma => {
                        whole = at + 1;
                        if whole - start >= PIECE_BYTES {
                            ends.push(whole);
                            start = whole;
                        }
                    }
                    Mark::Unopened => closed = Some(at),
                    Mark::Close | Mark::Line => {}
                }
                closed.is_none()
            });
        }
        if let Some(at) = closed {
            let empty = bytes[start..at].iter().all(is_blank) && ends.is_empty() && !after_comma;
            if !empty {
                // Blank behind a comma: the parser says so.
                ends.push(at + 1);
            }
            whole = at + 1;
            self.array = Brackets::Closed;
        } else if whole > first {
            if whole > start {
                ends.push(whole);
            }
            self.array = Brackets::Comma;
        }
        if self.array == Brackets::Closed {
            if let Some(more) = bytes[whole..].iter().position(|byte| !is_blank(byte)) {
                return Err(self.malformed(bytes, whole + more, "something behind the array"));
            }
            whole = bytes.len();
        } else if self.ended {
            return Err(self.malformed(bytes, bytes.len(), "the file ends within the array"));
        }
        // Without the comma or the bracket behind them.
        Ok((self.pieces(bytes, first, &ends, 1), whole))
    }

    fn pieces(&self, bytes: &[u8], first: usize, ends: &[usize], behind: usize) -> Vec<Piece> {
        let (mut start, mut line) = (first, self.line + count_lines(&bytes[..first]));
        let mut pieces = Vec::with_capacity(ends.len());
        for &end in ends {
            pieces.push(Piece { bytes: start..end - behind, line });
            line += count_lines(&bytes[start..end]);
            start = end;
        }
        pieces
    }

    fn malformed(&self, bytes: &[u8], at: usize, what: &str) -> Error {
        malformed(&self.path, self.line + count_lines(&bytes[..at]), what)
    }
}

/// The error of a file that is no JSON.
pub(super) fn malformed(path: &Path, line: u64, what: &str) -> Error {
    let message = format!("malformed JSON in {}, line {line}: {what}", path.display());
    Error::new(ErrorKind::InvalidText, message)
}

/// The error of a value that is larger than the options let it be.
pub(super) fn too_large(bytes_max: usize, path: &Path, line: u64) -> Error {
    let message = format!("a value of more than {bytes_max} bytes in {}, line {line}", path.display());
    Error::new(ErrorKind::BadFile, message).with_hint("maximum_object_size says how large one may be.")
}

pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// What is found outside all brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// A bracket that closes the one that was opened.
    Close,
    /// A closing bracket of which none was opened.
    Unopened,
    Comma,
    Line,
}

/// Calls `each` with what is outside all brackets and strings, until it says no; tells whether all is closed at the end.
fn marks(bytes: &[u8], mut each: impl FnMut(usize, Mark) -> bool) -> bool {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&byte) = bytes.get(at) {
        let mark = match byte {
            b'"' => {
                match string_end(bytes, at + 1) {
                    Some(end) => at = end,
                    None => return false,
                }
                None
            }
            b'{' | b'[' => {
                depth += 1;
                None
            }
            b'}' | b']' if depth == 0 => Some(Mark::Unopened),
            b'}' | b']' => {
                depth -= 1;
                (depth == 0).then_some(Mark::Close)
            }
            b',' if depth == 0 => Some(Mark::Comma),
            b'\n' if depth == 0 => Some(Mark::Line),
            _ => None,
        };
        if let Some(mark) = mark
            && !each(at, mark)
        {
            return true;
        }
        at += 1;
    }
    depth == 0
}

/// Where the quote is that ends a string whose characters begin here.
fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let found = at + memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[found] == b'"' {
            return Some(found);
        }
        at = found + 2;
    }
}

/// How the values of a file follow each other, by its first bytes.
pub(super) fn sniff(bytes: &[u8], ended: bool) -> Layout {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    if bytes.first() == Some(&b'[') {
        let mut end = None;
        marks(bytes, |at, mark| {
            end = (mark == Mark::Close).then_some(at);
            end.is_none()
        });
        // Arrays on lines, or one.
        let more = end.is_some_and(|at| bytes[at + 1..].iter().any(|byte| !byte.is_ascii_whitespace()));
        if !more {
            return Layout::Array;
        }
    }
    let line_end = memchr(b'\n', bytes).unwrap_or(bytes.len());
    let is_whole = line_end < bytes.len() || ended;
    if is_whole && marks(&bytes[..line_end], |_, _| true) { Layout::Lines } else { Layout::Unstructured }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts() {
        for (text, layout) in [
            ("", Layout::Lines),
            ("{\"a\":1}", Layout::Lines),
            ("\n {\"a\":1}\n{\"a\":2}\n", Layout::Lines),
            ("{\"a\":\"}{\"}\n", Layout::Lines),
            ("{\n\"a\":1}\n", Layout::Unstructured),
            ("[{\"a\":1}]", Layout::Array),
            ("[\n{\"a\":1},\n{\"a\":2}\n]\n", Layout::Array),
            ("[", Layout::Array),
            ("[1,2]\n[3]\n", Layout::Lines),
            ("[1,\n2]\n[3]\n", Layout::Unstructured),
            ("1\n2\n", Layout::Lines),
        ] {
            assert_eq!(sniff(text.as_bytes(), true), layout, "{text}");
        }
        assert_eq!(sniff(b"{\"a\":", false), Layout::Unstructured);
    }
}
