//! Indexes of many rows, built in parts. Ranked ones here: rows are partitioned by the upper bits of their codes, and each part, which
//! fits the caches close by, is ranked and sorted on its own, by any worker. Parts follow one another in the order of
//! codes, so the index is the one that a single pass would make.
//!
//! Source: radix partitioning (Manegold, Boncz, Kersten: Optimizing Main-Memory Join on Modern Hardware, 2002).

use crate::Result;
use crate::cpu::index::Spans;
use crate::cpu::keys::codes::Codes;
use crate::cpu::table::ranks::Ranks;
use crate::cpu::vector::builder::{ColumnBuilder, copy_all};
use crate::plan::key_layout::KeyLayout;
use crate::workers::schedule::Workers;
use std::ops::Range;

/// Rows beyond which parts pay.
pub(crate) const PARTS_ROWS: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// Rows of a part, about.
const PART_ROWS: usize = 1 << 15;

/// Parts, at most: each has a buffer that is written to while rows are partitioned.
pub(crate) const PARTS_MAX: usize = 256;

/// Rows that are partitioned at once.
pub(crate) const PARTITION_ROWS: usize = 1 << 16;

/// A row and the code of its key.
#[derive(Clone, Copy)]
struct Entry {
    code: u32,
    row: u32,
}

/// The ranks of all codes, the rows of all groups, and the order that brings the rows of a group together; none if they
/// stay where they are.
pub(crate) struct Ranked {
    pub(crate) ranks: Ranks,
    pub(crate) spans: Spans,
    pub(crate) order: Option<Vec<u32>>,
}

/// How many parts so many rows are partitioned into, at best.
pub(crate) fn wanted_parts(rows: usize) -> usize {
    (rows / PART_ROWS).clamp(1, PARTS_MAX)
}

/// The rows that are partitioned at once.
pub(crate) fn pieces(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows.div_ceil(PARTITION_ROWS)).map(move |at| at * PARTITION_ROWS..rows.min((at + 1) * PARTITION_ROWS))
}

/// Ranks rows by their keys, whose codes lie below `size`, at most 2^32.
pub(crate) fn rank(
    layout: &KeyLayout,
    keys: &[ColumnBuilder],
    rows: usize,
    size: u64,
    workers: Workers<'_>,
) -> Result<Ranked> {
    // Parts begin at whole words of 64 codes.
    let shift = size.div_ceil(wanted_parts(rows) as u64).next_power_of_two().trailing_zeros().max(6);
    let parts = (size.div_ceil(1 << shift)) as usize;
    let partition = |range: Range<usize>| {
        let codes = Codes::of_rows(layout, keys, range.clone());
        let room = range.len() / parts + 8;
        let mut partitioned: Vec<Vec<Entry>> = (0..parts).map(|_| Vec::with_capacity(room)).collect();
        for (&code, row) in codes.bits64.iter().zip(range) {
            partitioned[(code >> shift) as usize].push(Entry { code: code as u32, row: row as u32 });
        }
        Ok(partitioned)
    };
    let partitioned: Vec<Vec<Vec<Entry>>> = workers.map(pieces(rows).collect(), partition)?;
    let done = workers.map((0..parts).collect(), |part| {
        let first = (part as u64) << shift;
        let mut ranks = Ranks::new((size - first).min(1 << shift));
        let entries = || partitioned.iter().flat_map(|piece| &piece[part]);
        let mut len = 0;
        for entry in entries() {
            ranks.set(u64::from(entry.code) - first);
            len += 1;
        }
        let groups = ranks.count()? as usize;
        let rows = Grouped::new(groups, len, || {
            entries().map(|entry| (ranks.group(u64::from(entry.code) - first), entry.row))
        });
        Ok((ranks, rows))
    })?;
    let ranks = Ranks::concat(done.iter().map(|(ranks, _)| ranks), workers)?;
    let (spans, order) = together(done.into_iter().map(|(_, rows)| rows).collect(), workers)?;
    Ok(Ranked { ranks, spans, order })
}

/// The rows of a part's groups, which count from 0.
pub(crate) struct Grouped {
    groups: u32,
    /// Where each group's rows begin; none if each has one.
    starts: Option<Vec<u32>>,
    /// The rows by group.
    order: Vec<u32>,
    is_sorted: bool,
}

impl Grouped {
    /// Rows with the numbers of their groups, so many of both. Each group has one at least.
    pub(crate) fn new<I: Iterator<Item = (u32, u32)>>(groups: usize, rows: usize, entries: impl Fn() -> I) -> Self {
        let mut order = vec![0u32; rows];
        let mut starts = None;
        if groups == rows {
            entries().for_each(|(group, row)| order[group as usize] = row);
        } else {
            let own = starts.insert(vec![0u32; groups + 1]);
            entries().for_each(|(group, _)| own[group as usize + 1] += 1);
            for group in 0..groups {
                own[group + 1] += own[group];
            }
            let mut next = own.clone();
            for (group, row) in entries() {
                let place = &mut next[group as usize];
                order[*place as usize] = row;
                *place += 1;
            }
            own.pop();
        }
        Grouped { groups: groups as u32, starts, is_sorted: order.is_sorted(), order }
    }

    /// The rows of a group.
    pub(crate) fn of(&self, group: usize) -> &[u32] {
        match &self.starts {
            None => &self.order[group..=group],
            Some(starts) => {
                let end = starts.get(group + 1).map_or(self.order.len(), |&next| next as usize);
                &self.order[starts[group] as usize..end]
            }
        }
    }
}

/// The rows of all groups, those of a part behind those of the part before, and the order that brings them there; none if
/// they are there.
fn together(parts: Vec<Grouped>, workers: Workers<'_>) -> Result<(Spans, Option<Vec<u32>>)> {
    let unique = parts.iter().all(|part| part.starts.is_none());
    let ends = parts.iter().filter_map(|part| Some([*part.order.first()?, *part.order.last()?]));
    let sorted = parts.iter().all(|part| part.is_sorted) && ends.flatten().is_sorted();
    let order = match sorted {
        true => None,
        false => Some(copy_all(parts.iter().map(|part| &part.order[..]).collect(), workers)?),
    };
    if unique {
        return Ok((Spans::Unique, order));
    }
    let starts = parts.into_iter().map(|part| {
        let starts = part.starts.unwrap_or_else(|| (0..part.groups).collect());
        (starts, part.order.len())
    });
    Ok((Spans::Starts(starts_of_all(starts, workers)?), order))
}

/// Where the groups of all parts begin, and where the last one ends; of each part where its own do, counted from 0, and how
/// many rows it has.
pub(crate) fn starts_of_all(parts: impl Iterator<Item = (Vec<u32>, usize)>, workers: Workers<'_>) -> Result<Vec<u32>> {
    let mut rows = 0;
    let firsts = parts.map(|(starts, len)| {
        let first = rows;
        rows += len as u32;
        (first, starts)
    });
    let mut starts = workers.map(firsts.collect(), |(first, mut starts): (u32, Vec<u32>)| {
        starts.iter_mut().for_each(|start| *start += first);
        Ok(starts)
    })?;
    starts.push(vec![rows]);
    copy_all(starts.iter().map(|starts| &starts[..]).collect(), workers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::key_layout::PartDomain;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use std::collections::BTreeMap;

    /// Checks the index against a map from codes to rows, for some numbers of workers.
    fn check(values: Vec<i64>, valid: Option<Vec<bool>>, high: i64) {
        let layout = KeyLayout::new(vec![PartDomain::integers(0, high.into())]);
        let code = |row: usize| if valid.as_ref().is_none_or(|valid| valid[row]) { values[row] as u64 + 1 } else { 0 };
        let mut expected: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        (0..values.len()).for_each(|row| expected.entry(code(row)).or_default().push(row as u32));
        let keys = [ColumnBuilder::from_i64(values.clone(), valid.clone())];
        let context = Context::new(Memory::new(usize::MAX));
        for threads in [1, 3] {
            let pool = Pool::new(threads).unwrap();
            let workers = Workers { pool: Some(&pool), context: &context };
            let size = layout.codes().expect("it packs");
            let ranked = rank(&layout, &keys, values.len(), size, workers).unwrap();
            let at = |place: u32| ranked.order.as_ref().map_or(place, |order| order[place as usize]);
            for (group, (&code, rows)) in expected.iter().enumerate() {
                assert_eq!(ranked.ranks.group(code), group as u32, "code {code}");
                let (first, count) = ranked.spans.rows(group as u32);
                assert_eq!((first..first + count).map(at).collect::<Vec<u32>>(), *rows, "code {code}");
            }
            assert_eq!(ranked.ranks.clone().count().unwrap() as usize, expected.len());
            assert_eq!(ranked.ranks.group(size), crate::cpu::vector::rows::NO_GROUP, "what is out of range");
        }
    }

    #[test]
    fn parts_are_one_index() {
        let rows = 3 * PARTITION_ROWS as i64 + 1;
        let mixed = |row: i64| row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64).rem_euclid(100_000);
        check((0..rows).map(mixed).collect(), None, 99_999);
        check((0..rows).map(mixed).collect(), Some((0..rows).map(|row| row % 7 > 0).collect()), 99_999);
        // Sorted and unique, backwards, one key only, half of the rows in one group.
        check((0..rows).map(|row| row * 20).collect(), None, rows * 20);
        check((0..rows).rev().collect(), None, rows);
        check(vec![63; rows as usize], None, 1 << 20);
        check((0..rows).map(|row| if row % 2 == 0 { 5 } else { row }).collect(), None, rows);
        check(Vec::new(), None, 1);
    }
}
