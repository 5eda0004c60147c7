//! A statement's text, with an index from sqlparser's lines and columns to byte offsets. A long INSERT asks for a
//! position at every value, so each answer takes constant time, however long the line.
//! A text that was made of another one, as names of parameters become numbers, knows where its pieces stand in that ([`Moves`]):
//! positions are those of what the user wrote.

use crate::error::Position;
use sqlparser::tokenizer::Location;
use std::sync::Arc;

/// Characters between two marks within a line.
const MARK_EVERY: usize = 64;

/// Where the pieces of a text stand in the one that it was made of. Before the first piece both are alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves(Vec<(u32, u32)>);

impl Moves {
    /// From byte `now` of the text on, until the next piece, it is the other text from byte `before` on. Pieces come in order.
    pub fn push(&mut self, now: usize, before: usize) {
        if let (Ok(now), Ok(before)) = (u32::try_from(now), u32::try_from(before)) {
            self.0.push((now, before));
        }
    }

    /// Whether both texts are alike.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same place of the other text. What stands between two pieces is where the second begins, at most.
    #[must_use]
    pub fn original(&self, Position(at): Position) -> Position {
        let next = self.0.partition_point(|&(now, _)| now <= at);
        let (now, before) = if next == 0 { (0, 0) } else { self.0[next - 1] };
        let moved = before.saturating_add(at - now);
        Position(self.0.get(next).map_or(moved, |&(_, before)| moved.min(before)))
    }

    /// Those of the text from byte `start` on.
    #[must_use]
    pub fn behind(&self, start: usize) -> Moves {
        let Ok(start) = u32::try_from(start) else { return Moves::default() };
        let later = self.0.iter().filter(|(now, _)| *now > start).map(|&(now, before)| (now - start, before));
        Moves(std::iter::once((0, self.original(Position(start)).0)).chain(later).collect())
    }
}

/// A text and where its lines and characters are.
#[derive(Clone)]
pub(crate) struct Text {
    text: String,
    /// For each line, the byte offsets of its characters 0, 64, 128, …
    marks: Vec<Vec<usize>>,
    moves: Arc<Moves>,
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
        Text { text: text.to_owned(), marks, moves: Arc::default() }
    }

    /// The same text, made of another one.
    pub(crate) fn moved(self, moves: Arc<Moves>) -> Self {
        Text { moves, ..self }
    }

    /// Where its pieces stand in the text that it was made of.
    pub(crate) fn moves(&self) -> &Arc<Moves> {
        &self.moves
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

    /// As [`Text::offset`], as an error's position: in the text that it was made of.
    pub(crate) fn position(&self, location: Location) -> Option<Position> {
        u32::try_from(self.offset(location)?).ok().map(|at| self.moves.original(Position(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_places_are_those_of_the_first_text() {
        // `:a + :b + c` with 10 and 11 for the names.
        let mut moves = Moves::default();
        assert_eq!(moves.original(Position(7)), Position(7));
        moves.push(3, 2);
        moves.push(9, 7);
        let all = |moves: &Moves, last: u32| (0..=last).map(|at| moves.original(Position(at)).0).collect::<Vec<_>>();
        assert_eq!(all(&moves, 13), [0, 1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11]);
        assert_eq!(all(&moves.behind(4), 9), [3, 4, 5, 6, 7, 7, 8, 9, 10, 11]);
    }

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
