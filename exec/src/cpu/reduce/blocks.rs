//! The memory of partitioned rows: blocks of places, each of one part, in the order in which they were needed. Every column
//! puts a row at the same place, so that what a row's part is has to be found out once, and a column takes one pass. A part
//! with half of all rows has half of all blocks, and none is moved when it grows.

use crate::cpu::groups::splitters::MERGE_PARTS;
use std::ops::Range;

/// Rows of a block. Places of all parts are written in turn: were this a power of two, their memory would be in the same few sets
/// of the closest cache. So blocks begin 320 bytes further in a page than the ones before them, or a multiple of that.
const BLOCK_ROWS: usize = if cfg!(test) { 31 } else { (1 << 12) + 80 };

/// The blocks of [`MERGE_PARTS`] parts.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// Of each part.
    cursors: [Cursor; MERGE_PARTS],
    /// For each block its part.
    parts: Vec<u8>,
}

/// The next place of a part, and the one behind its block; they are one where there is no block, or none that has room.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    next: u32,
    end: u32,
}

impl Blocks {
    pub(crate) fn new() -> Self {
        Blocks { cursors: [Cursor::default(); MERGE_PARTS], parts: Vec::new() }
    }

    /// Gives each row the next place of its part.
    #[inline(always)]
    pub(crate) fn places(&mut self, parts: impl Iterator<Item = u8>, places: &mut Vec<u32>) {
        places.clear();
        places.extend(parts.map(|part| {
            let cursor = &mut self.cursors[usize::from(part) % MERGE_PARTS];
            if cursor.next == cursor.end {
                cursor.next = (self.parts.len() * BLOCK_ROWS) as u32;
                cursor.end = cursor.next + BLOCK_ROWS as u32;
                self.parts.push(part);
            }
            cursor.next += 1;
            cursor.next - 1
        }));
    }

    /// The number behind the last place.
    pub(crate) fn len(&self) -> usize {
        self.parts.len() * BLOCK_ROWS
    }

    /// The most places that there are when so many rows have theirs: a block of each part may have one.
    pub(crate) fn len_for(rows: usize) -> usize {
        rows + MERGE_PARTS * BLOCK_ROWS
    }

    /// How many rows each part has.
    pub(crate) fn rows_of_all(&self) -> [u32; MERGE_PARTS] {
        let mut rows = [0; MERGE_PARTS];
        self.parts.iter().for_each(|&part| rows[usize::from(part)] += BLOCK_ROWS as u32);
        rows.iter_mut().zip(&self.cursors).for_each(|(rows, cursor)| *rows -= cursor.end - cursor.next);
        rows
    }

    /// The places of a part's rows, block by block, in the order in which the rows came.
    pub(crate) fn of(&self, part: usize) -> impl Iterator<Item = Range<usize>> {
        let last = self.cursors[part];
        let own = self.parts.iter().enumerate().filter(move |&(_, &other)| usize::from(other) == part);
        own.map(move |(block, _)| {
            let end = (block + 1) * BLOCK_ROWS;
            block * BLOCK_ROWS..if end == last.end as usize { last.next as usize } else { end }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_place_of_its_part_and_parts_keep_their_order() {
        let block = BLOCK_ROWS;
        // No row, one of the last part, one part alone up to a border and beyond, and all parts in turn and at random.
        let all: [Vec<u8>; 7] = [
            vec![],
            vec![63],
            vec![0; block],
            vec![7; block + 1],
            (0..64 * block).map(|row| (row % 64) as u8).collect(),
            (0..99 * block).map(|row| (row * row / 7 % 64) as u8).collect(),
            (0..9 * block).map(|row| if row % 2 == 0 { 3 } else { (row % 64) as u8 }).collect(),
        ];
        for parts in all {
            let (mut blocks, mut places, mut all) = (Blocks::new(), Vec::new(), Vec::new());
            for tile in parts.chunks(100) {
                blocks.places(tile.iter().copied(), &mut places);
                all.extend_from_slice(&places);
            }
            let rows = blocks.rows_of_all();
            assert!(blocks.len() <= Blocks::len_for(parts.len()));
            let mut given = 0;
            for (part, &rows) in rows.iter().enumerate() {
                let own: Vec<usize> = (0..all.len()).filter(|&row| usize::from(parts[row]) == part).collect();
                let expected: Vec<usize> = own.iter().map(|&row| all[row] as usize).collect();
                let found: Vec<usize> = blocks.of(part).flatten().collect();
                assert_eq!(found, expected);
                assert_eq!(rows as usize, expected.len());
                given += found.len();
            }
            assert_eq!(given, parts.len());
        }
    }
}
