//! Where rows of text and CSV end, as far as it takes to cut data into blocks of whole rows: an end of line that no backslash
//! stands before in text, and that is not within quotes in CSV. Blocks are taken apart side by side, and this is done before, by
//! one: it looks for nothing else.

use super::Form;

/// Looks for the last end of a row, in what grows at its end.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    /// How many bytes have been looked at.
    searched: usize,
    /// Whether they end within quotes.
    in_quotes: bool,
    /// Behind the last row that is known to end.
    end: usize,
}

impl Cutter {
    /// Behind the last row that ends in these bytes; 0 if none does. They are those of the last call and some more.
    pub(super) fn end(&mut self, bytes: &[u8], form: &Form) -> usize {
        match form {
            Form::Csv { quote, escape, .. } if quote == escape => self.by_parity(bytes, *quote),
            Form::Csv { quote, escape, .. } => self.by_quotes(bytes, *quote, *escape),
            _ => self.by_lines(bytes),
        }
        self.end
    }

    /// What was before the last end has been taken away.
    pub(super) fn cut(&mut self) {
        self.searched -= std::mem::take(&mut self.end);
    }

    fn by_lines(&mut self, bytes: &[u8]) {
        let mut rest = bytes.len();
        while let Some(at) = memchr::memrchr(b'\n', &bytes[self.searched..rest]) {
            let at = self.searched + at;
            // Backslashes come in pairs, from the first one on; one that is alone is the end of line's.
            let backslashes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
            if backslashes.is_multiple_of(2) {
                self.end = at + 1;
                break;
            }
            rest = at;
        }
        self.searched = bytes.len();
    }

    /// Where a quote within quotes is two, each of them changes sides: it matters only whether they are odd.
    fn by_parity(&mut self, bytes: &[u8], quote: u8) {
        let new = &bytes[self.searched..];
        self.in_quotes ^= memchr::memchr_iter(quote, new).count() % 2 == 1;
        let mut in_quotes = self.in_quotes;
        for at in memchr::memchr2_iter(b'\n', quote, new).rev() {
            if new[at] == quote {
                in_quotes = !in_quotes;
            } else if !in_quotes {
                self.end = self.searched + at + 1;
                break;
            }
        }
        self.searched = bytes.len();
    }

    fn by_quotes(&mut self, bytes: &[u8], quote: u8, escape: u8) {
        while self.searched < bytes.len() {
            let new = &bytes[self.searched..];
            if self.in_quotes {
                match memchr::memchr2(quote, escape, new) {
                    // What stands behind it has not come.
                    Some(at) if new[at] == escape && at + 1 == new.len() => {
                        self.searched += at;
                        return;
                    }
                    Some(at) if new[at] == escape => self.searched += at + 2,
                    Some(at) => {
                        self.searched += at + 1;
                        self.in_quotes = false;
                    }
                    None => self.searched = bytes.len(),
                }
                continue;
            }
            let opened = memchr::memchr(quote, new);
            let plain = &new[..opened.unwrap_or(new.len())];
            if let Some(at) = memchr::memrchr(b'\n', plain) {
                self.end = self.searched + at + 1;
            }
            self.searched += opened.map_or(new.len(), |at| at + 1);
            self.in_quotes = opened.is_some();
        }
    }
}
