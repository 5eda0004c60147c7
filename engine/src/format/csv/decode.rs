//! Files that are compressed, or not in UTF-8, as a stream of UTF-8.
//!
//! What a file is, its options say, or else its first bytes do: gzip and Zstandard begin with numbers of their own, and UTF-16
//! with a byte order mark. An ending says less than these: what is called `.gz` and is plain text is read as that.

use super::CsvOptions;
use crate::format::compressed::{self, Compression};
use crate::format::io_error;
use multiloop_exec::Result;
use std::fmt::{self, Debug};
use std::io::{self, BufReader, Read};
use std::path::Path;

/// What stands for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, of the byte order that its mark tells; without one little end first.
    Utf16,
    /// The same; without a mark big end first.
    Utf16BigEnd,
    /// ISO 8859-1: each byte is the character of its number.
    Latin1,
    /// The same with printable characters where that has the second row of control characters.
    Windows1252,
}

/// What Windows-1252 has in place of the control characters from 0x80 on. Those that it does not use stay these.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}',
    '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}',
    '\u{17e}', '\u{178}',
];

impl Encoding {
    /// By its name, as options have it.
    pub fn named(name: &str) -> Option<Encoding> {
        Some(match name.to_ascii_lowercase().replace(['-', '_', ' '], "").as_str() {
            "utf8" | "unicode" => Encoding::Utf8,
            "utf16" | "utf16le" => Encoding::Utf16,
            "utf16be" => Encoding::Utf16BigEnd,
            "latin1" | "iso88591" | "l1" => Encoding::Latin1,
            "windows1252" | "cp1252" | "win1252" => Encoding::Windows1252,
            _ => return None,
        })
    }
}

impl Encoding {
    /// Its name, as options have it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf16BigEnd => "utf-16be",
            Encoding::Latin1 => "latin1",
            Encoding::Windows1252 => "windows-1252",
        }
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    compression: Compression,
    encoding: Option<Encoding>,
    /// Whether its first bytes are those of UTF-16, if it is not compressed.
    is_wide: bool,
}

impl Form {
    /// By a file's options and first bytes: of what may be read but once there are none.
    pub(super) fn of(head: &[u8], options: &CsvOptions) -> Form {
        let compression = options.compression.unwrap_or(Compression::of_magic(head));
        let is_wide = compression == Compression::None && has_wide_mark(head);
        Form { compression, encoding: options.encoding, is_wide }
    }

    /// Whether the bytes of the file are its text.
    pub(super) fn is_plain(&self) -> bool {
        let utf8 = matches!(self.encoding, Some(Encoding::Utf8)) || (self.encoding.is_none() && !self.is_wide);
        self.compression == Compression::None && utf8
    }
}

fn has_wide_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

/// A file as UTF-8.
pub(super) struct Decoded {
    bytes: Box<dyn Read + Send>,
    encoding: Option<Encoding>,
    big_end_first: bool,
    started: bool,
    /// Bytes that are not decoded yet, and text that nobody has read.
    raw: Vec<u8>,
    text: Vec<u8>,
    read: usize,
    ended: bool,
}

impl Debug for Decoded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Decoded").field("encoding", &self.encoding).finish_non_exhaustive()
    }
}

/// Bytes that are decoded at once.
const STEP_BYTES: usize = 1 << 16;

impl Decoded {
    /// Of a file that stands at its start.
    pub(super) fn new(file: impl Read + Send + 'static, path: &Path, form: Form) -> Result<Decoded> {
        let failed = |error: io::Error| io_error(path, &error);
        let file = BufReader::with_capacity(STEP_BYTES, file);
        let bytes = compressed::decoder(file, form.compression).map_err(failed)?;
        Ok(Decoded {
            bytes,
            encoding: form.encoding,
            big_end_first: false,
            started: false,
            raw: Vec::new(),
            text: Vec::new(),
            read: 0,
            ended: false,
        })
    }

    /// Reads more bytes.
    fn fill(&mut self) -> io::Result<()> {
        let before = self.raw.len();
        self.ended = (&mut self.bytes).take(STEP_BYTES as u64).read_to_end(&mut self.raw)? < STEP_BYTES;
        if !self.started && (self.ended || self.raw.len() > before) {
            self.started = true;
            let wide = has_wide_mark(&self.raw);
            let encoding = *self.encoding.get_or_insert(if wide { Encoding::Utf16 } else { Encoding::Utf8 });
            self.big_end_first = encoding == Encoding::Utf16BigEnd;
            if wide && matches!(encoding, Encoding::Utf16 | Encoding::Utf16BigEnd) {
                self.big_end_first = self.raw[0] == 0xfe;
                self.raw.drain(..2);
            }
        }
        Ok(())
    }

    /// Makes text of the bytes that are there.
    fn decode(&mut self) -> io::Result<()> {
        self.text.clear();
        self.read = 0;
        match self.encoding.unwrap_or(Encoding::Utf8) {
            Encoding::Utf8 => std::mem::swap(&mut self.text, &mut self.raw),
            Encoding::Latin1 => self.raw.iter().for_each(|&byte| push(&mut self.text, char::from(byte))),
            Encoding::Windows1252 => self.raw.iter().for_each(|&byte| {
                let control = usize::from(byte).checked_sub(0x80).and_then(|at| WINDOWS_1252.get(at));
                push(&mut self.text, control.copied().unwrap_or(char::from(byte)));
            }),
            Encoding::Utf16 | Encoding::Utf16BigEnd => return self.decode_wide(),
        }
        self.raw.clear();
        Ok(())
    }

    fn decode_wide(&mut self) -> io::Result<()> {
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-16: {what}"));
        let unit =
            |pair: &[u8; 2]| if self.big_end_first { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
        let (pairs, odd) = self.raw.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        let mut rest = odd.to_vec();
        // The first half of a character waits for the second.
        if !self.ended && units.last().is_some_and(|last| (0xd800..0xdc00).contains(last)) {
            units.pop();
            rest = self.raw[units.len() * 2..].to_vec();
        }
        if self.ended && !rest.is_empty() {
            return Err(invalid("it ends within a character"));
        }
        for unit in char::decode_utf16(units) {
            push(&mut self.text, unit.map_err(|_| invalid("half of a character stands alone"))?);
        }
        self.raw = rest;
        Ok(())
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

impl Read for Decoded {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.read == self.text.len() {
            if self.ended {
                return Ok(0);
            }
            self.fill()?;
            self.decode()?;
        }
        let count = to.len().min(self.text.len() - self.read);
        to[..count].copy_from_slice(&self.text[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}
