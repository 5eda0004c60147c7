//! COPY's text and CSV: lines of fields.

use super::{EachRow, Form, Marks};
use crate::fault::{Fault, Result};

/// Bytes in which lines are searched at once: those of a line that has not come to its end are searched again when more come.
const PLAIN_MAX: usize = 1 << 20;

/// How far lines are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// Lines so far, the names counted.
    lines: u64,
    /// `\.` has come: what follows does not count.
    ended: bool,
    /// The fields of a line, one behind the other, and where each ends; none for NULL.
    text: Vec<u8>,
    ends: Vec<Option<usize>>,
    /// Bytes of a line that has not come to its end that are known to hold none.
    searched: usize,
    /// Whether they end within quotes.
    in_quotes: bool,
}

impl Lines {
    /// Takes whole lines out of what has come, each field a slice or NULL; gives how many bytes are read. With `last` no more
    /// come, so that a line needs no end.
    ///
    /// Errors: 22P04 for lines that are not of so many fields, or of no such form.
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        form: &Form,
        (columns, last): (usize, bool),
        each: EachRow<'_>,
    ) -> Result<usize> {
        let mut at = 0;
        while at < bytes.len() && !self.ended {
            if self.searched == 0 && !self.in_quotes && bytes.len() - at < PLAIN_MAX {
                at += self.read_plain(&bytes[at..], form, columns, &mut *each)?;
                if at == bytes.len() {
                    break;
                }
            }
            let Some(end) = self.end_of_line(&bytes[at..], form, last)? else { return Ok(at) };
            let line = bytes[at..at + end].strip_suffix(b"\r").unwrap_or(&bytes[at..at + end]);
            at = (at + end + 1).min(bytes.len());
            self.lines += 1;
            if line == b"\\." {
                self.ended = true;
                break;
            }
            let marks = match form {
                Form::Text(marks) | Form::Csv { marks, .. } => marks,
                Form::Binary => return Err(Fault::internal("binary data has no lines")),
            };
            if marks.header && self.lines == 1 {
                continue;
            }
            self.split(line, form, marks)?;
            // A table without columns has empty lines.
            if self.ends.len() != columns && !(columns == 0 && line.is_empty()) {
                return Err(self.bad(if self.ends.len() < columns {
                    "missing data for a column"
                } else {
                    "extra data after last expected column"
                }));
            }
            let mut start = 0;
            let fields: Vec<Option<&[u8]>> = self
                .ends
                .iter()
                .map(|end| {
                    let end = (*end)?;
                    let field = &self.text[start..end];
                    start = end;
                    Some(field)
                })
                .collect();
            each(&fields)?;
        }
        Ok(if self.ended { bytes.len() } else { at })
    }

    /// As [`Lines::read`], of lines that have nothing in them that has to be read as something else, up to the first other one, or
    /// the last that has come to its end. One search finds all that is between fields and lines.
    fn read_plain(&mut self, bytes: &[u8], form: &Form, columns: usize, each: EachRow<'_>) -> Result<usize> {
        let (marks, special) = match form {
            Form::Text(marks) => (marks, b'\\'),
            Form::Csv { marks, quote, .. } => (marks, *quote),
            Form::Binary => return Ok(0),
        };
        // The marks are told from each other below.
        if columns == 0 || marks.delimiter == special || (marks.header && self.lines == 0) {
            return Ok(0);
        }
        let null = marks.null.as_bytes();
        let is_default = special == b'\\' && null == b"\\N";
        let mut fields: Vec<Option<&[u8]>> = Vec::with_capacity(columns);
        let (mut line, mut start, mut is_null) = (0, 0, false);
        for at in memchr::memchr3_iter(marks.delimiter, b'\n', special, bytes) {
            let byte = bytes[at];
            if byte == special {
                // NULL, which stands for itself.
                is_null = is_default && at == start && bytes.get(at + 1) == Some(&b'N');
                if !is_null || bytes.get(at + 2).is_none_or(|next| *next != marks.delimiter && *next != b'\n') {
                    break;
                }
                continue;
            }
            let is_last = byte == b'\n';
            let end = if is_last && at > start && bytes[at - 1] == b'\r' { at - 1 } else { at };
            let field = &bytes[start..end];
            let is_no_value = std::mem::take(&mut is_null) || (!is_default && field == null);
            fields.push((!is_no_value).then_some(field));
            start = at + 1;
            if !is_last {
                continue;
            }
            // What is wrong, or the end of all, is told by whoever reads lines one by one.
            if fields.len() != columns || bytes[line..end] == *b"\\." {
                break;
            }
            self.lines += 1;
            each(&fields)?;
            fields.clear();
            line = start;
        }
        Ok(line)
    }

    /// Where the first line ends; none if that has not come.
    fn end_of_line(&mut self, bytes: &[u8], form: &Form, last: bool) -> Result<Option<usize>> {
        let quote = if let Form::Csv { quote, escape, .. } = form { Some((*quote, *escape)) } else { None };
        let mut at = self.searched;
        let found = loop {
            if quote.is_none() {
                // Most bytes are nothing but themselves.
                at += bytes.get(at..).map_or(0, |rest| plain(rest, b'\n'));
            }
            let Some(&byte) = bytes.get(at) else { break None };
            match quote {
                None if byte == b'\\' && bytes.len() == at + 1 && !last => break None,
                // A line's end behind a backslash is a character of the field.
                None if byte == b'\\' => at += 1,
                None if byte == b'\n' => break Some(at),
                Some((quote, escape)) if self.in_quotes => {
                    if byte == escape && escape != quote {
                        if bytes.len() == at + 1 && !last {
                            break None;
                        }
                        at += 1;
                    } else if byte == quote {
                        self.in_quotes = false;
                    }
                }
                Some((quote, _)) if byte == quote => self.in_quotes = true,
                Some(_) if byte == b'\n' => break Some(at),
                _ => {}
            }
            at += 1;
        };
        if found.is_some() || last {
            if self.in_quotes {
                return Err(self.bad("unterminated CSV quoted field"));
            }
            self.searched = 0;
            return Ok(Some(found.unwrap_or(bytes.len())));
        }
        self.searched = at.min(bytes.len());
        Ok(None)
    }

    fn split(&mut self, line: &[u8], form: &Form, marks: &Marks) -> Result<()> {
        self.text.clear();
        self.ends.clear();
        match form {
            Form::Csv { quote, escape, .. } => self.split_csv(line, marks, (*quote, *escape)),
            _ => self.split_text(line, marks),
        }
        Ok(())
    }

    fn split_text(&mut self, line: &[u8], marks: &Marks) {
        let mut start = 0;
        loop {
            let mut end = start;
            let mut is_plain = true;
            loop {
                end += line.get(end..).map_or(0, |rest| plain(rest, marks.delimiter));
                if line.get(end) != Some(&b'\\') || marks.delimiter == b'\\' {
                    break;
                }
                (end, is_plain) = (end + 2, false);
            }
            let end = end.min(line.len());
            // What stands for NULL does so before backslashes are read.
            if &line[start..end] == marks.null.as_bytes() {
                self.ends.push(None);
            } else {
                if is_plain {
                    self.text.extend_from_slice(&line[start..end]);
                } else {
                    unescaped(&line[start..end], &mut self.text);
                }
                self.ends.push(Some(self.text.len()));
            }
            if end >= line.len() {
                return;
            }
            start = end + 1;
        }
    }

    fn split_csv(&mut self, line: &[u8], marks: &Marks, (quote, escape): (u8, u8)) {
        let (mut at, mut start) = (0, 0);
        let (mut in_quotes, mut was_quoted) = (false, false);
        let field = self.text.len();
        let mut begin = field;
        loop {
            match line.get(at) {
                Some(&byte) if in_quotes => {
                    let next = line.get(at + 1).copied();
                    if byte == escape && next.is_some_and(|next| next == quote || next == escape) {
                        self.text.extend(next);
                        at += 1;
                    } else if byte == quote {
                        in_quotes = false;
                    } else {
                        self.text.push(byte);
                    }
                }
                Some(&byte) if byte == quote => (in_quotes, was_quoted) = (true, true),
                Some(&byte) if byte != marks.delimiter => self.text.push(byte),
                end => {
                    // In quotes it is no NULL.
                    let is_null = !was_quoted && line[start..at] == *marks.null.as_bytes();
                    if is_null {
                        self.text.truncate(begin);
                        self.ends.push(None);
                    } else {
                        self.ends.push(Some(self.text.len()));
                    }
                    begin = self.text.len();
                    if end.is_none() {
                        return;
                    }
                    (start, was_quoted) = (at + 1, false);
                }
            }
            at += 1;
        }
    }

    fn bad(&self, what: &str) -> Box<Fault> {
        Fault::error("22P04", format!("{what} (line {})", self.lines))
    }
}

/// How many bytes stand before a mark, or a backslash.
fn plain(bytes: &[u8], mark: u8) -> usize {
    bytes.iter().position(|&byte| byte == mark || byte == b'\\').unwrap_or(bytes.len())
}

/// Reads backslashes: letters for what cannot stand for itself, octal and hexadecimal numbers of bytes.
fn unescaped(field: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = field.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&letter) = field.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        let digits = |from: usize, most: usize, is_one: fn(&u8) -> bool| {
            field[from.min(field.len())..].iter().take(most).take_while(|byte| is_one(byte)).count()
        };
        let byte = match letter {
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'0'..=b'7' => {
                let count = digits(at - 1, 3, |byte| matches!(byte, b'0'..=b'7'));
                let value = number(&field[at - 1..at - 1 + count], 8);
                at += count - 1;
                value
            }
            b'x' => match digits(at, 2, u8::is_ascii_hexdigit) {
                0 => b'x',
                count => {
                    let value = number(&field[at..at + count], 16);
                    at += count;
                    value
                }
            },
            other => other,
        };
        out.push(byte);
    }
}

/// The lowest byte of a number.
fn number(digits: &[u8], radix: u32) -> u8 {
    let digit = |byte: &u8| char::from(*byte).to_digit(radix).unwrap_or(0);
    digits.iter().fold(0, |value, byte| value * radix + digit(byte)) as u8
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Marks};
    use super::Lines;
    use proptest::prelude::*;

    /// The rows of some data that comes in pieces, or what is wrong with it.
    fn rows(data: &[u8], piece: usize, form: &Form, columns: usize) -> Result<Vec<Vec<Option<Vec<u8>>>>, String> {
        let (mut lines, mut rows, mut left) = (Lines::default(), Vec::new(), Vec::new());
        let mut read = |left: &mut Vec<u8>, last: bool| {
            let mut each = |row: &[Option<&[u8]>]| {
                rows.push(row.iter().map(|field| field.map(<[u8]>::to_vec)).collect());
                Ok(())
            };
            let read = lines.read(left, form, (columns, last), &mut each).map_err(|fault| fault.message)?;
            left.drain(..read);
            Ok::<(), String>(())
        };
        for piece in data.chunks(piece) {
            left.extend_from_slice(piece);
            read(&mut left, false)?;
        }
        read(&mut left, true)?;
        Ok(rows)
    }

    proptest! {
        /// What comes byte by byte is searched byte by byte.
        #[test]
        fn plain_lines_are_lines(
            data in proptest::collection::vec(prop::sample::select(&b"ab\\N\\N\t\t\t,,,\n\n\n\n\r\"."[..]), 0..80),
            columns in 1usize..4,
            is_csv: bool,
            header: bool,
            null in prop::sample::select(vec!["\\N", "", "a", "ab"]),
        ) {
            let marks = Marks { delimiter: if is_csv { b',' } else { b'\t' }, null: null.to_owned(), header };
            let form = if is_csv { Form::Csv { marks, quote: b'"', escape: b'"' } } else { Form::Text(marks) };
            let expected = rows(&data, 1, &form, columns);
            for piece in [2, 7, 1000] {
                prop_assert_eq!(&rows(&data, piece, &form, columns), &expected);
            }
        }
    }
}
