//! COPY's text and CSV: a block of whole lines as rows of fields.
//!
//! Lines that have nothing in them that has to be read as something else are taken apart by one look for what is between fields
//! and lines (`marks`); so are CSV's fields that are quoted for no need. What is anything else, or wrong, is left to a slower way,
//! line by line, which alone says what there is.

use super::marks::Marks;
use super::places::Rows;
use super::{Form, Marks as FormMarks};

/// Rows that are found before their values are read: their places and bytes stay near.
const ROWS_AT_ONCE: usize = 1 << 11;

/// A line that is wrong: what about it, and its number within the block, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLine {
    pub(super) what: &'static str,
    pub(super) number: u64,
}

/// Takes the lines of a block apart.
pub(super) struct Lines<'b> {
    block: &'b [u8],
    form: &'b Form,
    marks: &'b FormMarks,
    /// The first line is names.
    has_names: bool,
    /// Bytes that are read.
    at: usize,
    /// Lines that are read, names among them.
    lines: u64,
    /// `\.` has come: what follows does not count.
    ended: bool,
}

impl<'b> Lines<'b> {
    /// The lines of a block of text or CSV; none of binary data. The first block begins with names, if the form has them.
    pub(super) fn new(block: &'b [u8], form: &'b Form, is_first: bool) -> Option<Self> {
        let marks = form.marks()?;
        let has_names = marks.header && is_first;
        Some(Lines { block, form, marks, has_names, at: 0, lines: 0, ended: false })
    }

    /// The block.
    pub(super) fn block(&self) -> &'b [u8] {
        self.block
    }

    /// How many lines have been read.
    pub(super) fn count(&self) -> u64 {
        self.lines
    }

    /// Whether the end of all data has come.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Finds some more rows, behind those that there are; false if there are no more.
    ///
    /// Errors: lines that are not of so many fields, or of no such form; the rows before are found.
    pub(super) fn next(&mut self, rows: &mut Rows) -> Result<bool, BadLine> {
        let most = rows.count() + ROWS_AT_ONCE;
        while self.at < self.block.len() && !self.ended && rows.count() < most {
            self.plain(rows, most);
            if self.at < self.block.len() && rows.count() < most {
                self.line(rows)?;
            }
        }
        Ok(self.at < self.block.len() && !self.ended)
    }

    /// Finds rows up to the first line that is not plain, or not whole.
    fn plain(&mut self, rows: &mut Rows, most: usize) {
        let FormMarks { delimiter, null, .. } = self.marks;
        let (delimiter, null, block) = (*delimiter, null.as_bytes(), self.block);
        let (special, is_doubled, is_default) = match self.form {
            Form::Csv { quote, escape, .. } => (*quote, quote == escape, false),
            _ => (b'\\', false, null == b"\\N"),
        };
        // The marks are told from each other below, and from what stands for NULL.
        if rows.columns() == 0
            || delimiter == special
            || delimiter.is_ascii_alphanumeric()
            || self.has_names
            || !self.marks.forced.is_empty()
        {
            return;
        }
        let mut marks = Marks::new(block, [delimiter, b'\n', special], self.at);
        let (mut start, mut is_null) = (self.at, false);
        while let Some(at) = marks.next() {
            let byte = block[at];
            if byte == special {
                if is_doubled {
                    // A field within quotes, with none in it, is never NULL.
                    if at != start {
                        break;
                    }
                    let Some(end) = closing(&mut marks, block, special) else { break };
                    let Some(behind) = marks.next() else { break };
                    let is_last = block[behind] == b'\n';
                    let is_end = behind == end + 1 || (is_last && behind == end + 2 && block[end + 1] == b'\r');
                    if !is_end || block[behind] == special {
                        break;
                    }
                    rows.put(start + 1, end);
                    start = behind + 1;
                    if is_last && !self.end_plain(rows, start) {
                        break;
                    }
                    if rows.count() == most {
                        break;
                    }
                    continue;
                }
                // NULL, which stands for itself.
                is_null = is_default && at == start && block.get(at + 1) == Some(&b'N');
                if !is_null || block.get(at + 2).is_none_or(|next| *next != delimiter && *next != b'\n') {
                    break;
                }
                continue;
            }
            let is_last = byte == b'\n';
            let end = if is_last && at > start && block[at - 1] == b'\r' { at - 1 } else { at };
            if std::mem::take(&mut is_null) || (!is_default && block[start..end] == *null) {
                rows.put_null();
            } else {
                rows.put(start, end);
            }
            start = at + 1;
            if is_last && (!self.end_plain(rows, start) || rows.count() == most) {
                break;
            }
        }
        rows.drop_row();
    }

    /// A plain line ends before `next`; false if it is no row. What is wrong with it, or whether it is the end of all, is told by
    /// whoever reads lines one by one.
    #[inline(always)]
    fn end_plain(&mut self, rows: &mut Rows, next: usize) -> bool {
        let is_long = next - self.at > 4;
        if rows.fields() != rows.columns() || !(is_long || without_end(&self.block[self.at..next]) != b"\\.") {
            return false;
        }
        self.lines += 1;
        self.at = next;
        rows.end_row();
        true
    }

    /// Reads the next line, whatever it is.
    fn line(&mut self, rows: &mut Rows) -> Result<(), BadLine> {
        let rest = &self.block[self.at..];
        let (end, in_quotes) = end_of_line(rest, self.form);
        if in_quotes {
            return Err(self.bad("unterminated CSV quoted field"));
        }
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        self.at += (end + 1).min(rest.len());
        self.lines += 1;
        if line == b"\\." {
            self.ended = true;
            return Ok(());
        }
        if std::mem::take(&mut self.has_names) {
            return Ok(());
        }
        match self.form {
            Form::Csv { quote, escape, .. } => split_csv(line, self.marks, (*quote, *escape), rows),
            _ => split_text(line, self.marks, rows),
        }
        // A table without columns has empty lines.
        if rows.columns() == 0 && line.is_empty() {
            rows.drop_row();
        }
        if rows.fields() != rows.columns() {
            let is_short = rows.fields() < rows.columns();
            rows.drop_row();
            let what = if is_short { "missing data for a column" } else { "extra data after last expected column" };
            return Err(self.bad(what));
        }
        rows.end_row();
        Ok(())
    }

    fn bad(&self, what: &'static str) -> BadLine {
        BadLine { what, number: self.lines }
    }
}

/// Where the quote is that ends a field.
#[inline(always)]
fn closing(marks: &mut Marks<'_>, block: &[u8], quote: u8) -> Option<usize> {
    loop {
        let at = marks.next()?;
        if block[at] == quote {
            return Some(at);
        }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Where the first line ends, and whether that is within quotes; a last one needs no end.
fn end_of_line(bytes: &[u8], form: &Form) -> (usize, bool) {
    let quote = if let Form::Csv { quote, escape, .. } = form { Some((*quote, *escape)) } else { None };
    let (mut at, mut in_quotes) = (0, false);
    loop {
        // Most bytes are nothing but themselves.
        let rest = bytes.get(at..).unwrap_or(&[]);
        let found = match quote {
            None => memchr::memchr2(b'\n', b'\\', rest),
            Some((quote, escape)) if in_quotes => memchr::memchr2(quote, escape, rest),
            Some((quote, _)) => memchr::memchr2(b'\n', quote, rest),
        };
        let Some(found) = found else { return (bytes.len(), in_quotes) };
        at += found;
        let byte = bytes[at];
        match quote {
            // A line's end behind a backslash is a character of the field.
            None if byte == b'\\' => at += 1,
            None => return (at, false),
            Some((quote, escape)) if in_quotes => {
                if byte == escape && escape != quote {
                    at += 1;
                } else {
                    in_quotes = byte != quote;
                }
            }
            Some((quote, _)) if byte == quote => in_quotes = true,
            Some(_) => return (at, false),
        }
        at += 1;
    }
}

fn split_text(line: &[u8], marks: &FormMarks, rows: &mut Rows) {
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
        let field = &line[start..end];
        // What stands for NULL does so before backslashes are read.
        rows.put_aside(|out| {
            if field == marks.null.as_bytes() {
                return None;
            }
            if is_plain {
                out.extend_from_slice(field);
            } else {
                unescaped(field, out);
            }
            Some(())
        });
        if end >= line.len() {
            return;
        }
        start = end + 1;
    }
}

#[allow(
    clippy::explicit_counter_loop,
    reason = "`at` is a place within the line, which fields move on by their length"
)]
fn split_csv(line: &[u8], marks: &FormMarks, (quote, escape): (u8, u8), rows: &mut Rows) {
    let mut at = 0;
    for column in 0.. {
        let forced = marks.forced.get(column).copied().unwrap_or_default();
        rows.put_aside(|out| {
            let (start, from) = (at, out.len());
            let (mut in_quotes, mut was_quoted) = (false, false);
            loop {
                match line.get(at) {
                    Some(&byte) if in_quotes => {
                        let next = line.get(at + 1).copied();
                        if byte == escape && next.is_some_and(|next| next == quote || next == escape) {
                            out.extend(next);
                            at += 1;
                        } else if byte == quote {
                            in_quotes = false;
                        } else {
                            out.push(byte);
                        }
                    }
                    Some(&byte) if byte == quote => (in_quotes, was_quoted) = (true, true),
                    Some(&byte) if byte != marks.delimiter => out.push(byte),
                    // In quotes it is no NULL, unless it is to be.
                    _ if was_quoted && !forced.null => return Some(()),
                    _ if was_quoted => return (out[from..] != *marks.null.as_bytes()).then_some(()),
                    _ => return (forced.not_null || line[start..at] != *marks.null.as_bytes()).then_some(()),
                }
                at += 1;
            }
        });
        if at >= line.len() {
            return;
        }
        at += 1;
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
    use super::super::cut::Cutter;
    use super::super::{Form, Marks};
    use super::{BadLine, Lines, Rows, end_of_line};
    use proptest::prelude::*;

    type Found = (Vec<Vec<Option<Vec<u8>>>>, Option<BadLine>, u64);

    /// The columns of some data, what is wrong behind its rows, and the number of lines; line by line, or as they are read.
    fn found(data: &[u8], form: &Form, columns: usize, one_by_one: bool) -> Found {
        let mut rows = Rows::new(columns);
        let mut lines = Lines::new(data, form, true).expect("there are lines");
        let bad = loop {
            let found = match one_by_one {
                false => lines.next(&mut rows),
                true if lines.at == data.len() || lines.ended => break None,
                true => lines.line(&mut rows).map(|()| true),
            };
            match found {
                Ok(true) => {}
                Ok(false) => break None,
                Err(bad) => break Some(bad),
            }
        };
        let column = |column: usize| {
            let fields = rows.column(data, column, rows.count());
            fields.iter().map(|field| field.map(|field| field.bytes().to_vec())).collect()
        };
        ((0..columns).map(column).collect(), bad, lines.count())
    }

    fn forms() -> impl Strategy<Value = Form> {
        let nulls = prop::sample::select(vec!["\\N", "", "a", "ab"]);
        let escapes = prop::sample::select(vec![b'"', b'"', b'\\', b'\'']);
        (nulls, any::<bool>(), any::<bool>(), escapes).prop_map(|(null, is_csv, header, escape)| {
            let marks = Marks {
                delimiter: if is_csv { b',' } else { b'\t' },
                null: null.to_owned(),
                header,
                forced: Vec::new(),
            };
            if is_csv { Form::Csv { marks, quote: b'"', escape } } else { Form::Text(marks) }
        })
    }

    fn data() -> impl Strategy<Value = Vec<u8>> {
        let bytes = prop::sample::select(&b"ab\\N\\N\t\t\t,,,\n\n\n\n\r\"\"\"'."[..]);
        proptest::collection::vec(bytes, 0..150)
    }

    proptest! {
        #[test]
        fn plain_lines_are_lines(data in data(), form in forms(), columns in 0usize..4) {
            prop_assert_eq!(found(&data, &form, columns, false), found(&data, &form, columns, true));
        }

        /// Whatever comes when, data is cut behind the last line that ends.
        #[test]
        fn blocks_are_whole_lines(
            data in data(),
            form in forms(),
            pieces in proptest::collection::vec((1usize..40, any::<bool>()), 1..20),
        ) {
            let mut ends = vec![0];
            let mut last = 0;
            while last < data.len() {
                last += end_of_line(&data[last..], &form).0 + 1;
                ends.push(last);
            }
            // What the last line ends with may be no end.
            ends.retain(|&end| end <= data.len());
            let (mut cutter, mut start, mut end) = (Cutter::default(), 0, 0);
            for (bytes, is_cut) in pieces {
                end = (end + bytes).min(data.len());
                let found = start + cutter.end(&data[start..end], &form);
                prop_assert_eq!(Some(&found), ends.iter().rfind(|&&one| one <= end));
                if is_cut && found > start {
                    cutter.cut();
                    start = found;
                }
            }
        }
    }
}
