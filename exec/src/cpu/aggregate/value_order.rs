//! The order of gathered values: the rows of each group by their sort keys, then by their values, as the texts of rows have them
//! (`planner/src/evaluate/gather.rs`), without these texts.
//!
//! The first key of each row is a *word*, a number that is in the order of the keys; of a text it takes several (`text_order`). Rows are
//! sorted by their words, many of them by radix, which looks at whether to go on; then those whose words are alike by whatever else
//! there is. NULLs of the first key stand before or behind all others.
//!
//! One group's rows are sorted, and at once given away to be written, while what is read of them is close by. Where there are many
//! rows, what the next ones are read from is asked for ahead, and the workers share them: groups side by side, and parts of a group that
//! has many, which are cut where some of its rows, in order, say that about as many lie before as behind (sample sort: Frazer,
//! McKellar: Samplesort, 1970).

use super::shared_groups::{self, by_group, map_all, rows_of_piece, sharing};
use super::text_order::{FAR, NEAR, Words, sort_texts};
use crate::Result;
use crate::column::column_builder::{BuilderData, ColumnBuilder};
use crate::cpu::simd::kernel::prefetch_here;
use crate::partial::state::gathered::Gathered;
use crate::plan::row_text::{Entries, Front};
use crate::workers::schedule::Workers;
use multiloop_planner::evaluate::array::{Fixed, Form};
use multiloop_planner::meter::{self, Room};
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::SortOrder;
use std::cmp::Ordering;
use std::ops::Range;

/// Rows up to which comparing them is faster than to count digits.
const COMPARED: usize = 1 << 9;

/// Bits of a digit.
const DIGIT: u32 = 11;

/// Rows between two looks at whether to go on.
pub(super) const PIECE: usize = 1 << 14;

/// Rows up to which what they are read from is close by whatever their order.
const NEAR_ROWS: usize = 1 << 13;

/// Parts that one group is cut into, at most, and rows for each that are looked at to choose them.
const PARTS_MAX: usize = 1 << 8;
const SAMPLE: usize = 32;

/// Rows of a group up to which it is asked for as a whole, before it is sorted.
const SMALL: usize = 64;

/// A column by which rows are ordered.
pub(super) struct Key<'c> {
    column: &'c ColumnBuilder,
    /// None of texts and decimals.
    fixed: Option<Fixed>,
    order: SortOrder,
}

impl<'c> Key<'c> {
    /// Of a column whose values have keys of a fixed width, or none of texts and decimals.
    pub(super) fn new(column: &'c ColumnBuilder, fixed: Option<Fixed>, order: SortOrder) -> Self {
        Key { column, fixed, order }
    }

    /// A number that is in the order of the values, of which none are texts; at a NULL any.
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
            _ => 0,
        };
        if self.order.descending { !up } else { up }
    }

    /// How a row's value stands to that of another one.
    pub(super) fn compare(&self, a: usize, b: usize) -> Ordering {
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

impl Gathered {
    /// What `work` makes of stretches of groups, whose rows it is given in order; by all workers, where there are many rows. A group
    /// that has more than a worker's share of them is cut, too: each part has the rows between two of them, and a stretch of its own.
    pub(super) fn each_stretch<T: Send>(
        &self,
        entries: &Entries,
        starts: &[u32],
        workers: Option<Workers<'_>>,
        work: impl Fn(&mut Stretch<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<(Of, T)>> {
        let mut keys: Vec<Key<'_>> = entries.front.iter().filter_map(|front| self.key(front)).collect();
        let is_of_value = |front: &Front| matches!(front, Front::Key { column: None, .. });
        if !entries.front.iter().any(is_of_value) {
            let up = SortOrder { descending: false, nulls_first: false };
            keys.push(Key::new(&self.values, Fixed::of(entries.element), up));
        }
        let count = self.groups.len();
        let workers = sharing(workers, count);
        let mut room = Room::default();
        room.hold(count * size_of::<u32>())?;
        let mut rows = by_group(&self.groups, starts, |row| row as u32, workers)?;
        let ahead = Ahead::new(keys.iter().map(|key| key.column).chain([&self.values]), count);
        let each = rows_of_piece(count, workers);
        let (mut stretches, mut behind) = (Vec::new(), &mut rows[..]);
        for groups in shared_groups::stretches(starts, each) {
            let lengths: Vec<usize> =
                groups.clone().map(|group| (starts[group + 1] - starts[group]) as usize).collect();
            let mut own;
            (own, behind) = behind.split_at_mut(lengths.iter().sum());
            let (&[length], Some(workers)) = (&lengths[..], workers.filter(|_| own.len() > 2 * each)) else {
                stretches.push((Of::Groups, own, lengths));
                continue;
            };
            for length in cut(own, &keys, length.div_ceil(each), workers)? {
                let part;
                (part, own) = own.split_at_mut(length);
                stretches.push((Of::Part(groups.start), part, vec![length]));
            }
        }
        let (keys, ahead, keeps_one) = (&keys[..], &ahead, self.how == Gather::Distinct);
        map_all(workers, stretches, |(of, rows, lengths): (Of, &mut [u32], Vec<usize>)| {
            let mut room = Room::default();
            let most = lengths.iter().copied().max().unwrap_or(0);
            room.hold(most * (2 * size_of::<(u64, u32)>() + 1))?;
            let sorter = Sorter { keys, words: Words::default(), is_like: Vec::new() };
            Ok((of, work(&mut Stretch { of, rows, lengths, sorter, ahead, keeps_one })?))
        })
    }

    /// All rows in that order.
    pub(super) fn rows_in_order(
        &self,
        entries: &Entries,
        starts: &[u32],
        workers: Option<Workers<'_>>,
    ) -> Result<Vec<u32>> {
        let mut room = Room::default();
        room.hold(self.groups.len() * size_of::<u32>())?;
        let parts = self.each_stretch(entries, starts, workers, |stretch| {
            let mut all = Vec::with_capacity(stretch.rows.len());
            stretch.each_group(|rows| {
                all.extend_from_slice(rows);
                Ok(())
            })?;
            Ok(all)
        })?;
        Ok(parts.into_iter().map(|(_, rows)| rows).collect::<Vec<_>>().concat())
    }

    fn key(&self, front: &Front) -> Option<Key<'_>> {
        let &Front::Key { order, of, column } = front else { return None };
        let column = column.map_or(&self.values, |column| &self.keys[column]);
        let fixed = if let Some(Form::Fixed(fixed)) = Form::of(of) { Some(fixed) } else { None };
        Some(Key::new(column, fixed, order.into()))
    }
}

/// What a stretch has the rows of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Whole groups.
    Groups,
    /// A part of this group.
    Part(usize),
}

/// Rows of groups side by side, or of a part of one, that are put in order group by group.
pub(super) struct Stretch<'s> {
    pub(super) of: Of,
    pub(super) rows: &'s mut [u32],
    /// Rows of each group.
    pub(super) lengths: Vec<usize>,
    sorter: Sorter<'s>,
    ahead: &'s Ahead<'s>,
    /// Of those that are alike only one is wanted.
    keeps_one: bool,
}

impl Stretch<'_> {
    /// Gives the rows of each group, in order, from the first group on; of DISTINCT, of those that are alike only one.
    pub(super) fn each_group(&mut self, mut each: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        let mut start = 0;
        for &length in &self.lengths {
            let own = start..start + length;
            if length <= SMALL {
                own.clone().for_each(|at| self.ahead.ask(self.rows, at));
            }
            start = own.end;
            let own = &mut self.rows[own];
            self.sorter.sort(own)?;
            let kept = if self.keeps_one { self.sorter.keep_first(own) } else { own.len() };
            each(&own[..kept])?;
        }
        Ok(())
    }
}

/// Moves the rows of a group into parts that follow each other in its order, about so many; how many rows each has. Those that are
/// alike are in one part. What parts there are is chosen by some of the rows, and shows nowhere.
fn cut(rows: &mut [u32], keys: &[Key<'_>], parts: usize, workers: Workers<'_>) -> Result<Vec<usize>> {
    let parts = parts.clamp(2, PARTS_MAX);
    let compare = |a: u32, b: u32| {
        keys.iter().fold(Ordering::Equal, |order, key| order.then_with(|| key.compare(a as usize, b as usize)))
    };
    let mut some: Vec<u32> = rows.iter().copied().step_by((rows.len() / (parts * SAMPLE)).max(1)).collect();
    sort_by(&mut some, keys)?;
    let mut borders: Vec<u32> = (1..parts).map(|part| some[part * some.len() / parts]).collect();
    borders.dedup_by(|a, b| compare(*a, *b).is_eq());
    let mut room = Room::default();
    room.hold(size_of_val(rows))?;
    let pieces: Vec<&[u32]> = rows.chunks(rows_of_piece(rows.len(), Some(workers))).collect();
    let cut = workers.map(pieces, |rows: &[u32]| {
        let mut parts = vec![Vec::with_capacity(rows.len() / (borders.len() + 1) * 9 / 8); borders.len() + 1];
        for some in rows.chunks(PIECE / 16) {
            meter::spend(some.len() * 64)?;
            for &row in some {
                parts[borders.partition_point(|&border| compare(border, row).is_lt())].push(row);
            }
        }
        Ok(parts)
    })?;
    let (mut lengths, mut at) = (Vec::with_capacity(borders.len() + 1), 0);
    for part in 0..=borders.len() {
        let start = at;
        for own in cut.iter().map(|parts| &parts[part]) {
            rows[at..at + own.len()].copy_from_slice(own);
            at += own.len();
        }
        lengths.push(at - start);
    }
    Ok(lengths)
}

/// Asks for what rows of some columns are read from, some rows ahead.
pub(super) struct Ahead<'c> {
    columns: Vec<&'c ColumnBuilder>,
}

impl<'c> Ahead<'c> {
    /// For columns of so many rows, some of which may be the same.
    pub(super) fn new(columns: impl Iterator<Item = &'c ColumnBuilder>, rows: usize) -> Self {
        let mut all: Vec<&ColumnBuilder> = Vec::new();
        for column in columns.filter(|_| rows > NEAR_ROWS) {
            if !all.iter().any(|&other| std::ptr::eq(other, column)) {
                all.push(column);
            }
        }
        Ahead { columns: all }
    }

    /// Asks for what rows behind a position of their order are read from.
    #[inline]
    pub(super) fn ask(&self, rows: &[u32], at: usize) {
        for column in &self.columns {
            if let Some(&row) = rows.get(at + FAR) {
                let row = row as usize;
                match &column.data {
                    BuilderData::I32(values) => prefetch_here(&raw const values[row]),
                    BuilderData::I64(values) => prefetch_here(&raw const values[row]),
                    BuilderData::F64(values) => prefetch_here(&raw const values[row]),
                    BuilderData::Code { codes, .. } => prefetch_here(&raw const codes[row]),
                    BuilderData::Text(texts) => prefetch_here(&raw const texts.views[row]),
                    _ => {}
                }
            }
            if let BuilderData::Text(texts) = &column.data
                && let Some(&row) = rows.get(at + NEAR)
            {
                let text = texts.get(row as usize).as_ptr_range();
                prefetch_here(text.start);
                prefetch_here(text.end.wrapping_sub(1));
            }
        }
    }
}

/// Sorts the rows of one group after another.
struct Sorter<'c> {
    keys: &'c [Key<'c>],
    words: Words,
    /// Of each row that was sorted whether its first key is that of the row before it.
    is_like: Vec<bool>,
}

impl Sorter<'_> {
    fn sort(&mut self, rows: &mut [u32]) -> Result<()> {
        meter::spend(rows.len() * 4)?;
        let Sorter { keys, words, is_like } = self;
        is_like.clear();
        is_like.resize(rows.len(), false);
        let Some((first, others)) = keys.split_first() else { return Ok(()) };
        if rows.len() < 2 {
            return Ok(());
        }
        let (nulls, at) = nulls_apart(first, rows);
        is_like[nulls.clone()].iter_mut().skip(1).for_each(|is_like| *is_like = true);
        sort_by(&mut rows[nulls], others)?;
        let (rows, is_like) = (&mut rows[at.clone()], &mut is_like[at]);
        if let BuilderData::Text(texts) = &first.column.data {
            return sort_texts((texts, first.order.descending), others, rows, is_like, words);
        }
        words.all.clear();
        words.all.extend(rows.iter().map(|&row| (first.word(row as usize), row)));
        sort_words(&mut words.all, &mut words.spare)?;
        let mut last = None;
        for ((row, is_like), word) in rows.iter_mut().zip(is_like).zip(&words.all) {
            (*row, *is_like) = (word.1, last == Some(word.0));
            last = Some(word.0);
        }
        let mut start = 0;
        for run in words.all.chunk_by(|a, b| a.0 == b.0).filter(|_| !others.is_empty()) {
            let end = start + run.len();
            sort_by(&mut rows[start..end], others)?;
            start = end;
        }
        Ok(())
    }

    /// Moves the rows that were just sorted, without those that are like the ones before them, to the front; how many these are.
    fn keep_first(&self, rows: &mut [u32]) -> usize {
        let others = self.keys.get(1..).unwrap_or_default();
        let mut kept = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            let is_like = |before: u32| others.iter().all(|key| key.compare(row as usize, before as usize).is_eq());
            if !(self.is_like[at] && is_like(rows[kept - 1])) {
                rows[kept] = row;
                kept += 1;
            }
        }
        kept
    }
}

/// Moves rows whose key is NULL in front of or behind all others: where these are, and where the others are.
fn nulls_apart(key: &Key<'_>, rows: &mut [u32]) -> (Range<usize>, Range<usize>) {
    let count = rows.len();
    if key.column.valid.is_none() {
        return (0..0, 0..count);
    }
    let (mut nulls, mut kept) = (Vec::new(), 0);
    for at in 0..count {
        let row = rows[at];
        if key.column.is_null(row as usize) {
            nulls.push(row);
        } else {
            rows[kept] = row;
            kept += 1;
        }
    }
    let (of_nulls, of_values) = if key.order.nulls_first {
        rows.copy_within(..kept, nulls.len());
        (0..nulls.len(), nulls.len()..count)
    } else {
        (kept..count, 0..kept)
    };
    rows[of_nulls.clone()].copy_from_slice(&nulls);
    (of_nulls, of_values)
}

/// Sorts rows by comparing them.
pub(super) fn sort_by(rows: &mut [u32], keys: &[Key<'_>]) -> Result<()> {
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
pub(super) fn sort_words(words: &mut Vec<(u64, u32)>, spare: &mut Vec<(u64, u32)>) -> Result<()> {
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
