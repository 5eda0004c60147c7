//! A statement's text, with an index from sqlparser's lines and columns to byte offsets. A long INSERT asks for a
//! position at every value, so each answer takes constant time, however long the line.

use crate::error::Position;
use sqlparser::tokenizer::Location;

/// Characters between two marks within a line.
const MARK_EVERY: usize = 64;

/// A text and where its lines and characters are.
pub(crate) struct Text {
    text: String,
    /// For each line, the byte offsets of its characters 0, 64, 128, …
    marks: Vec<Vec<usize>>,
}

impl Text {
    /// Indexes a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut marks = vec![vec![0]];
        let mut column = 0;
        for (offset, c) in text.char_indices() {
            column += 1;
            if c == '\n' {
                marks.push(vec![offset + 1]);
                column = 0;
            } else if column % MARK_EVERY == 0 {
                let line = marks.last_mut().expect("one line at least");
                line.push(offset + c.len_utf8());
            }
        }
        Text { text: text.to_owned(), marks }
    }

    /// The text itself.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte offset of a location (line and column count from 1, the column in characters); none for the empty
    /// location, the text's end for one behind it.
    pub(crate) fn offset(&self, location: Location) -> Option<usize> {
        let line = usize::try_from(location.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(location.column).ok()?.checked_sub(1)?;
        let end = self.text.len();
        let mark = self.marks.get(line).and_then(|line| line.get(column / MARK_EVERY));
        let Some(&mark) = mark else { return Some(end) };
        let rest = self.text[mark..].char_indices().nth(column % MARK_EVERY);
        Some(rest.map_or(end, |(offset, _)| mark + offset))
    }

    /// As [`Text::offset`], as an error's position.
    pub(crate) fn position(&self, location: Location) -> Option<Position> {
        u32::try_from(self.offset(location)?).ok().map(Position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_counting() {
        let long: String = (0..500).map(|i| if i % 7 == 0 { '€' } else { 'x' }).collect();
        for text in ["", "a", "\n", "\n\nä\r\nb", "tab\tß", &long, &format!("{long}\n{long}")] {
            let index = Text::new(text);
            let (mut line, mut column) = (1, 1);
            for (offset, c) in text.char_indices() {
                assert_eq!(index.offset(Location { line, column }), Some(offset), "{line}:{column}");
                (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            assert_eq!(index.offset(Location { line, column }), Some(text.len()));
            assert_eq!(index.offset(Location { line: line + 9, column: 1 }), Some(text.len()));
            assert_eq!(index.offset(Location { line: 0, column: 0 }), None);
        }
    }
}
