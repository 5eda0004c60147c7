//! The order of gathered values: the rows of each group by their sort keys, then by their values, as the texts of rows have them
//! (`planner/src/evaluate/gather.rs`), without these texts.
//!
//! The first key of each row is a *word*, a number that is in the order of the keys: of a number it is the whole key, of a text its
//! first eight bytes. Rows are sorted by their words, many of them by radix, which looks at whether to go on; then those whose words
//! are alike by whatever else there is. NULLs of the first key stand before or behind all others.

use crate::Result;
use crate::column::column_builder::{BuilderData, ColumnBuilder};
use crate::cpu::index::sort_by_group;
use crate::partial::state::gathered::Gathered;
use crate::plan::row_text::{Entries, Front};
use multiloop_planner::evaluate::array::{Fixed, Form};
use multiloop_planner::meter::{self, Room};
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::SortOrder;
use std::cmp::Ordering;

/// Rows up to which comparing them is faster than to count digits.
const COMPARED: usize = 1 << 9;

/// Bits of a digit.
const DIGIT: u32 = 11;

/// Rows between two looks at whether to go on.
const PIECE: usize = 1 << 14;

/// A column by which rows are ordered.
struct Key<'c> {
    column: &'c ColumnBuilder,
    /// None of texts and decimals.
    fixed: Option<Fixed>,
    order: SortOrder,
}

impl Key<'_> {
    /// A number that is in the order of the values, which go up; at a NULL any.
    #[inline]
    fn word(&self, row: usize) -> u64 {
        let up = match (&self.column.data, self.fixed) {
            (BuilderData::I32(values), Some(fixed)) => fixed.key_of_integer(values[row].into()),
            (BuilderData::I64(values), Some(fixed)) => fixed.key_of_integer(values[row]),
            // Digits of decimals.
            (BuilderData::I32(values), None) => Fixed::Long.key_of_integer(values[row].into()),
            (BuilderData::I64(values), None) => Fixed::Long.key_of_integer(values[row]),
            (BuilderData::F64(values), Some(fixed)) => fixed.key_of_float(values[row]),
            (BuilderData::Bool(values), _) => values[row].into(),
            // Dictionaries are in order.
            (BuilderData::Code { codes, .. }, _) => codes[row].into(),
            (BuilderData::Text(texts), _) => first_eight(texts.get(row)),
            _ => 0,
        };
        if self.order.descending { !up } else { up }
    }

    /// Whether values with equal words are equal.
    fn is_exact(&self) -> bool {
        !matches!(self.column.data, BuilderData::Text(_))
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        match (self.column.is_null(a), self.column.is_null(b)) {
            (false, false) => {}
            (true, true) => return Ordering::Equal,
            (is_null, _) => return if is_null == self.order.nulls_first { Ordering::Less } else { Ordering::Greater },
        }
        match &self.column.data {
            BuilderData::Text(texts) if self.order.descending => texts.get(b).cmp(texts.get(a)),
            BuilderData::Text(texts) => texts.get(a).cmp(texts.get(b)),
            _ => self.word(a).cmp(&self.word(b)),
        }
    }
}

/// The first bytes of a text, as a number.
fn first_eight(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut first = [0; 8];
            first[..text.len()].copy_from_slice(text);
            u64::from_be_bytes(first)
        }
    }
}

impl Gathered {
    /// The rows in order, group by group; of DISTINCT, of those of a group that are alike only one.
    pub(super) fn rows_in_order(&self, entries: &Entries, starts: &[u32]) -> Result<Vec<u32>> {
        let mut keys: Vec<Key<'_>> = entries.front.iter().filter_map(|front| self.key(front)).collect();
        let is_of_value = |front: &Front| matches!(front, Front::Key { column: None, .. });
        if !entries.front.iter().any(is_of_value) {
            let up = SortOrder { descending: false, nulls_first: false };
            keys.push(Key { column: &self.values, fixed: Fixed::of(entries.element), order: up });
        }
        let most = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0) as usize;
        let mut room = Room::default();
        room.hold(self.groups.len() * size_of::<u32>() + most * 2 * size_of::<(u64, u32)>())?;
        let mut rows = sort_by_group(&self.groups, starts);
        let mut sorter = Sorter { keys, words: Vec::new(), spare: Vec::new() };
        let mut kept = 0;
        for ends in starts.windows(2) {
            let own = ends[0] as usize..ends[1] as usize;
            sorter.sort(&mut rows[own.clone()])?;
            if self.how != Gather::Distinct {
                kept = own.end;
                continue;
            }
            // At once, while the values are close by.
            let first = kept;
            for at in own {
                let row = rows[at];
                let is_like =
                    |before: u32| sorter.keys.iter().all(|key| key.compare(row as usize, before as usize).is_eq());
                if kept == first || !is_like(rows[kept - 1]) {
                    rows[kept] = row;
                    kept += 1;
                }
            }
        }
        rows.truncate(kept);
        Ok(rows)
    }

    fn key(&self, front: &Front) -> Option<Key<'_>> {
        let &Front::Key { order, of, column } = front else { return None };
        let column = column.map_or(&self.values, |column| &self.keys[column]);
        let fixed = if let Some(Form::Fixed(fixed)) = Form::of(of) { Some(fixed) } else { None };
        Some(Key { column, fixed, order: order.into() })
    }
}

/// Sorts the rows of one group after another.
struct Sorter<'c> {
    keys: Vec<Key<'c>>,
    words: Vec<(u64, u32)>,
    spare: Vec<(u64, u32)>,
}

impl Sorter<'_> {
    fn sort(&mut self, rows: &mut [u32]) -> Result<()> {
        meter::spend(rows.len() * 4)?;
        let Some((first, others)) = self.keys.split_first() else { return Ok(()) };
        if rows.len() < 2 {
            return Ok(());
        }
        let is_null = |row: u32| first.column.is_null(row as usize);
        let mut nulls = Vec::new();
        self.words.clear();
        for &row in rows.iter() {
            if is_null(row) {
                nulls.push(row);
            } else {
                self.words.push((first.word(row as usize), row));
            }
        }
        sort_words(&mut self.words, &mut self.spare)?;
        let (values, none) = if first.order.nulls_first {
            let (none, values) = rows.split_at_mut(nulls.len());
            (values, none)
        } else {
            rows.split_at_mut(self.words.len())
        };
        values.iter_mut().zip(&self.words).for_each(|(row, word)| *row = word.1);
        none.copy_from_slice(&nulls);
        sort_by(none, others)?;
        if first.is_exact() && others.is_empty() {
            return Ok(());
        }
        let rest = if first.is_exact() { others } else { &self.keys[..] };
        let mut start = 0;
        for run in self.words.chunk_by(|a, b| a.0 == b.0) {
            let end = start + run.len();
            sort_by(&mut values[start..end], rest)?;
            start = end;
        }
        Ok(())
    }
}

/// Sorts rows by comparing them.
fn sort_by(rows: &mut [u32], keys: &[Key<'_>]) -> Result<()> {
    if rows.len() < 2 || keys.is_empty() {
        return Ok(());
    }
    meter::spend(rows.len() * 64)?;
    rows.sort_unstable_by(|&a, &b| {
        keys.iter().fold(Ordering::Equal, |order, key| order.then_with(|| key.compare(a as usize, b as usize)))
    });
    Ok(())
}

/// Sorts words, with their rows: many digit by digit, from the least significant one on.
fn sort_words(words: &mut Vec<(u64, u32)>, spare: &mut Vec<(u64, u32)>) -> Result<()> {
    let Some(&(first, _)) = words.first() else { return Ok(()) };
    if words.len() <= COMPARED {
        words.sort_unstable();
        return Ok(());
    }
    let (mut differ, mut is_sorted, mut last) = (0, true, first);
    for some in words.chunks(PIECE) {
        meter::spend(some.len())?;
        for &(word, _) in some {
            differ |= word ^ first;
            is_sorted &= last <= word;
            last = word;
        }
    }
    if is_sorted {
        return Ok(());
    }
    spare.clear();
    spare.resize(words.len(), (0, 0));
    let digit = |word: u64, shift: u32| (word >> shift) as usize & ((1 << DIGIT) - 1);
    for shift in (0..u64::BITS).step_by(DIGIT as usize) {
        if digit(differ, shift) == 0 {
            continue;
        }
        let mut next = vec![0u32; 1 << DIGIT];
        for some in words.chunks(PIECE) {
            meter::spend(some.len())?;
            some.iter().for_each(|&(word, _)| next[digit(word, shift)] += 1);
        }
        let mut start = 0;
        for count in &mut next {
            start += std::mem::replace(count, start);
        }
        for some in words.chunks(PIECE) {
            meter::spend(some.len() * 4)?;
            for &word in some {
                let place = &mut next[digit(word.0, shift)];
                spare[*place as usize] = word;
                *place += 1;
            }
        }
        std::mem::swap(words, spare);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_words_are_in_order() {
        for (count, mask) in
            [(0, u64::MAX), (1, 3), (511, 7), (513, 0), (5000, u64::MAX), (5000, 0xFFFF), (3000, 1 << 63)]
        {
            let word = |row: u32| crate::partial::hash::hash64(row.into()) & mask;
            let mut words: Vec<(u64, u32)> = (0..count).map(|row| (word(row), row)).collect();
            let mut expected = words.clone();
            expected.sort();
            sort_words(&mut words, &mut Vec::new()).unwrap();
            assert_eq!(words, expected, "{count} {mask}");
        }
    }
}
