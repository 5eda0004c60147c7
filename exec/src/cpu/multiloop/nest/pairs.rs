//! Pairs of a tuple and a row, which become the tuples of the next tile.

use super::{FIRST_COSTLY_ROWS, Nest, TILE_BYTES, next_rows};
use crate::Result;
use crate::cpu::vector::rows::TILE_ROWS;

/// Collects pairs and hands them on whenever there are enough for a tile.
pub(super) struct Pairs<'n, 'a> {
    nest: &'n mut Nest<'a>,
    parents: Vec<u32>,
    rows: Vec<u32>,
    /// How many there may be at once.
    tile_rows: usize,
    /// What strings held before those of these pairs.
    held: usize,
}

impl<'n, 'a> Pairs<'n, 'a> {
    pub(super) fn new(nest: &'n mut Nest<'a>) -> Self {
        let (parents, rows) = nest.spare.pop().unwrap_or_default();
        let tile_rows = match (nest.grows, nest.stops) {
            (true, _) => 1,
            (_, true) if nest.first_rows == FIRST_COSTLY_ROWS => nest.tile_rows,
            _ => TILE_ROWS,
        };
        let held = nest.tile.held.bytes;
        Pairs { nest, parents, rows, tile_rows, held }
    }

    /// A tuple with one row, unless the tile would be full with it; whether it did that.
    #[inline(always)]
    pub(super) fn push(&mut self, tuple: u32, row: u32) -> bool {
        let has_room = self.rows.len() + 1 < self.tile_rows;
        if has_room {
            self.parents.push(tuple);
            self.rows.push(row);
        }
        has_room
    }

    /// A tuple with `count` rows from `first` on; the one row that is none may be `first`, too.
    pub(super) fn push_range(
        &mut self,
        tuple: u32,
        first: u32,
        count: u32,
        mut full: impl FnMut(&mut Nest<'a>, &[u32], &[u32]) -> Result<()>,
    ) -> Result<()> {
        let mut done = 0;
        while done < count && !self.nest.enough {
            let part = (count - done).min((self.tile_rows - self.rows.len()) as u32);
            if part == 1 {
                self.parents.push(tuple);
                self.rows.push(first + done);
            } else {
                self.parents.extend(std::iter::repeat_n(tuple, part as usize));
                self.rows.extend(first + done..first + done + part);
            }
            done += part;
            self.empty_if_full(&mut full)?;
        }
        Ok(())
    }

    /// Hands on what is there if that fills a tile.
    #[inline(always)]
    fn empty_if_full(&mut self, full: &mut impl FnMut(&mut Nest<'a>, &[u32], &[u32]) -> Result<()>) -> Result<()> {
        if self.rows.len() == self.tile_rows {
            full(self.nest, &self.parents, &self.rows)?;
            self.parents.clear();
            self.rows.clear();
            if self.tile_rows < TILE_ROWS || self.nest.grows {
                let is_large = self.nest.tile.held.bytes - self.held > TILE_BYTES;
                self.held = self.nest.tile.held.bytes;
                self.tile_rows = next_rows(self.tile_rows, is_large);
            }
            self.nest.frame.check()?;
        }
        Ok(())
    }

    /// A tuple with each of these rows.
    pub(super) fn push_rows(
        &mut self,
        tuple: u32,
        rows: &[u32],
        mut full: impl FnMut(&mut Nest<'a>, &[u32], &[u32]) -> Result<()>,
    ) -> Result<()> {
        let mut rest = rows;
        while !rest.is_empty() && !self.nest.enough {
            let (part, behind) = rest.split_at(rest.len().min(self.tile_rows - self.rows.len()));
            rest = behind;
            self.parents.extend(std::iter::repeat_n(tuple, part.len()));
            self.rows.extend_from_slice(part);
            self.empty_if_full(&mut full)?;
        }
        Ok(())
    }

    pub(super) fn finish(self, mut full: impl FnMut(&mut Nest<'a>, &[u32], &[u32]) -> Result<()>) -> Result<()> {
        if !self.nest.enough {
            full(self.nest, &self.parents, &self.rows)?;
        }
        self.nest.give_back(self.parents, self.rows);
        Ok(())
    }
}
