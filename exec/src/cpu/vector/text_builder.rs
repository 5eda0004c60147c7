//! Strings of a growing column: views into the buffers that they come from, which are kept, so that strings are not
//! copied from loop to loop. Strings that were computed are copied into an arena; so are few of a buffer of many, which nobody
//! else may need: of a chunk that is read from a file while a loop passes.

use crate::column::column_builder::{ARENA_MAX, BuilderText};
use crate::column::{ColumnData, TextView};
use crate::cpu::vector::builder::{place, settle_tail};
use crate::cpu::vector::{TextVector, Vector, VectorData};
use arrow::buffer::Buffer;
use std::sync::Arc;

/// Bytes of a buffer, for each byte of its strings, from which on these are copied.
const SPARSE: usize = 16;

impl BuilderText {
    /// How many strings there is room for.
    pub(crate) fn reserve_exact(&mut self, more: usize) {
        self.views.reserve_exact(more);
    }

    /// Makes it so many strings by empty ones.
    pub(crate) fn resize(&mut self, len: usize) {
        self.views.resize(len, TextView::EMPTY);
    }

    /// Appends the strings of a vector; at a NULL an empty one.
    pub(crate) fn append(&mut self, vector: &Vector) {
        let texts = match &vector.data {
            VectorData::Text(texts) if !vector.constant => texts,
            _ => {
                for tuple in 0..vector.len {
                    let text = if vector.is_null(tuple) { "" } else { vector.text(tuple).unwrap_or("") };
                    self.push(text.as_bytes());
                }
                return;
            }
        };
        if let Some(buffers) = texts.buffers() {
            if self.is_sparse(buffers, texts.views()) {
                for tuple in 0..vector.len {
                    self.push(if vector.is_null(tuple) { b"" } else { texts.bytes(tuple) });
                }
                return;
            }
            self.know(buffers);
        }
        if let (Some((_, places)), None, true) = (&self.known, &vector.nulls, texts.is_shared()) {
            let place = |view: &TextView| TextView { buffer: places[view.buffer as usize], ..*view };
            self.views.extend(texts.views().iter().map(place));
            return;
        }
        self.views.reserve(vector.len);
        for (tuple, &view) in texts.views().iter().enumerate() {
            match &self.known {
                _ if vector.is_null(tuple) => self.views.push(TextView::EMPTY),
                Some((_, places)) if view.buffer != TextView::ARENA => {
                    self.views.push(TextView { buffer: places[view.buffer as usize], ..view });
                }
                _ => self.push(texts.bytes(tuple)),
            }
        }
    }

    /// Appends all strings of another column.
    pub(crate) fn append_all(&mut self, other: &BuilderText) {
        let places: Vec<u32> = other.buffers.iter().map(|buffer| self.place(buffer)).collect();
        if self.arena.len() + other.arena.len() > ARENA_MAX {
            self.close_arena();
        }
        let start = u32::try_from(self.arena.len()).expect("an arena is closed before it is so large");
        self.arena.extend_from_slice(&other.arena);
        self.views.extend(other.views.iter().map(|&view| match view.buffer {
            TextView::ARENA => TextView { offset: view.offset + start, ..view },
            buffer => TextView { buffer: places[buffer as usize], ..view },
        }));
    }

    /// The strings, each at its place: `places` has every number below theirs once.
    pub(crate) fn put(&self, places: &[u32]) -> BuilderText {
        let (buffers, arena) = (self.buffers.clone(), self.arena.clone());
        BuilderText { views: place(&self.views, places), buffers, arena, known: None }
    }

    /// Moves the strings behind the first `len` to their places among them.
    pub(crate) fn settle_tail(&mut self, places: &[u32], len: usize) {
        settle_tail(&mut self.views, places, len);
    }

    /// Forgets all strings.
    pub(crate) fn clear(&mut self) {
        *self = BuilderText::default();
    }

    /// The strings as a vector.
    pub(crate) fn into_vector(mut self) -> TextVector {
        self.close_arena();
        TextVector { views: self.views, buffers: Some(self.buffers.into()), arena: Vec::new() }
    }

    /// The strings as a column.
    pub(crate) fn into_column(mut self) -> ColumnData {
        self.close_arena();
        ColumnData::Views { views: Arc::new(self.views), buffers: self.buffers.into() }
    }

    /// Whether strings lie in one buffer, of which there are none yet, and are few of it.
    fn is_sparse(&self, buffers: &Arc<[Buffer]>, views: &[TextView]) -> bool {
        let [buffer] = &buffers[..] else { return false };
        let same = |other: &Buffer| std::ptr::eq(other.as_ptr(), buffer.as_ptr()) && other.len() == buffer.len();
        let bytes = || views.iter().map(|view| view.length as usize).sum::<usize>();
        !self.buffers.iter().rev().any(same) && bytes() < buffer.len() / SPARSE
    }

    /// Finds out where the buffers of a vector stand.
    fn know(&mut self, buffers: &Arc<[Buffer]>) {
        if self.known.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, buffers)) {
            return;
        }
        let places = buffers.iter().map(|buffer| self.place(buffer)).collect();
        self.known = Some((Arc::clone(buffers), places));
    }

    /// Where a buffer stands, at the end if it is new. The last one is the likeliest.
    fn place(&mut self, buffer: &Buffer) -> u32 {
        let same = |other: &Buffer| std::ptr::eq(other.as_ptr(), buffer.as_ptr()) && other.len() == buffer.len();
        let place = self.buffers.iter().rposition(same).unwrap_or_else(|| {
            self.buffers.push(buffer.clone());
            self.buffers.len() - 1
        });
        place as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::bitmap::Bitmap;

    fn strings(text: &BuilderText, len: usize) -> Vec<&str> {
        (0..len).map(|row| std::str::from_utf8(text.get(row)).expect("made of strings")).collect()
    }

    /// Views into a buffer, strings of the vector's own, or both.
    fn vector(buffer: &Buffer, places: &[(u32, u32)], own: &[&str], nulls: &[usize]) -> Vector {
        let mut texts = TextVector::default();
        texts.set_buffers(Arc::new([buffer.clone()]));
        places.iter().for_each(|&(offset, length)| texts.push_view(TextView { buffer: 0, offset, length }));
        own.iter().for_each(|text| texts.push(text));
        let len = places.len() + own.len();
        let mut valid = Bitmap::new(len, true);
        nulls.iter().for_each(|&tuple| valid.set(tuple, false));
        let mut vector = Vector::default();
        vector.set(len, VectorData::Text(texts), (!nulls.is_empty()).then_some(valid));
        vector
    }

    #[test]
    fn strings_stay_what_they_are() {
        let (first, second) = (Buffer::from(b"one two".to_vec()), Buffer::from(b"three".to_vec()));
        let mut text = BuilderText::default();
        text.append(&vector(&first, &[(0, 3), (4, 3)], &["own", ""], &[1]));
        text.append(&vector(&second, &[(0, 5)], &[], &[]));
        text.append(&vector(&first, &[(0, 7)], &["more"], &[]));
        let mut constant = Vector::default();
        constant.set_constant(
            2,
            &multiloop_planner::value::Value::text("const"),
            crate::plan::register::Register::Text,
        );
        text.append(&constant);
        let expected = ["one", "", "own", "", "three", "one two", "more", "const", "const"];
        assert_eq!(strings(&text, 9), expected);
        assert_eq!(text.buffers.len(), 2, "each buffer once");
        let taken = text.take([8, 2, 4, 0].into_iter());
        assert_eq!(strings(&taken, 4), ["const", "own", "three", "one"]);
        let mut all = taken.clone();
        all.append_all(&text);
        all.append_all(&BuilderText::default());
        assert_eq!(strings(&all, 13)[4..], expected);
        all.resize(14);
        assert_eq!(strings(&all, 14)[13], "");
        let vector = all.clone().into_vector();
        assert_eq!((0..13).map(|row| vector.get(row)).collect::<Vec<_>>(), strings(&all, 13));
        let column = all.clone().into_column();
        assert_eq!(
            (0..14).map(|row| column.text_bytes(row)).collect::<Vec<_>>(),
            (0..14).map(|row| all.get(row)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn few_strings_of_a_large_buffer_do_not_keep_it() {
        let large = Buffer::from(b"text ".repeat(100));
        let mut text = BuilderText::default();
        text.append(&vector(&large, &[(0, 4), (5, 4), (0, 5)], &["own"], &[1]));
        assert_eq!(strings(&text, 4), ["text", "", "text ", "own"]);
        assert!(text.buffers.is_empty());
        // Many keep it, and then a few more lie in it, too.
        text.append(&vector(&large, &[(0, 40)], &[], &[]));
        text.append(&vector(&large, &[(5, 4)], &[], &[]));
        assert_eq!(strings(&text, 6)[5], "text");
        assert_eq!((text.buffers.len(), text.arena.len()), (1, 4 + 5 + 3));
    }
}
