//! Ranked indexes of many rows, built in parts: rows are dealt by the upper bits of their codes, and each part, which
//! fits the caches close by, is ranked and sorted on its own, by any worker. Parts follow one another in the order of
//! codes, so the index is the one that a single pass would make.
//!
//! Source: radix partitioning (Manegold, Boncz, Kersten: Optimizing Main-Memory Join on Modern Hardware, 2002).

use super::super::gather::Gathered;
use super::index::Spans;
use super::key::{Codes, KeyLayout, KeyPartValues, PartValues};
use super::ranks::Ranks;
use crate::Result;
use crate::schedule::Workers;

/// Rows beyond which parts pay.
pub(super) const PARTS_ROWS: usize = 1 << 16;

/// Rows of a part, about.
const PART_ROWS: usize = 1 << 15;

/// Parts, at most: each has a buffer that is written to while rows are dealt.
const PARTS_MAX: usize = 256;

/// Rows that are dealt at once.
const DEAL_ROWS: usize = 1 << 16;

/// A row and the code of its key.
#[derive(Clone, Copy)]
struct Entry {
    code: u32,
    row: u32,
}

/// The ranks of all codes, the rows of all groups, and the order that brings the rows of a group together; none if they
/// stay where they are.
pub(super) struct Ranked {
    pub(super) ranks: Ranks,
    pub(super) spans: Spans,
    pub(super) order: Option<Vec<u32>>,
}

/// Ranks rows by their keys, whose codes lie below `size`, at most 2^32.
pub(super) fn rank(
    layout: &KeyLayout,
    keys: &[Gathered],
    rows: usize,
    size: u64,
    workers: Workers<'_>,
) -> Result<Ranked> {
    let wanted = (rows / PART_ROWS).clamp(1, PARTS_MAX) as u64;
    // Parts begin at whole words of 64 codes.
    let shift = size.div_ceil(wanted).next_power_of_two().trailing_zeros().max(6);
    let parts = (size.div_ceil(1 << shift)) as usize;
    let ranges = (0..rows.div_ceil(DEAL_ROWS)).map(|at| at * DEAL_ROWS..rows.min((at + 1) * DEAL_ROWS)).collect();
    let deal = |range: std::ops::Range<usize>| {
        let columns: Vec<Gathered> = keys.iter().map(|column| column.slice(range.clone())).collect();
        let values = columns.iter().map(PartValues::Gathered);
        let values: Vec<_> = values.map(|values| KeyPartValues { values, null_matches: true }).collect();
        let mut codes = Codes::default();
        codes.encode(layout, &values, range.len());
        let mut dealt: Vec<Vec<Entry>> = vec![Vec::with_capacity(range.len() / parts + 8); parts];
        for (&code, row) in codes.bits64.iter().zip(range) {
            dealt[(code >> shift) as usize].push(Entry { code: code as u32, row: row as u32 });
        }
        Ok(dealt)
    };
    let dealt: Vec<Vec<Vec<Entry>>> = workers.map(ranges, deal)?;
    let done = workers.map((0..parts).collect(), |part| {
        let first = (part as u64) << shift;
        let codes = (size - first).min(1 << shift);
        let entries = || dealt.iter().flat_map(|range| &range[part]);
        Ok(Part::new(codes, || entries().map(|entry| (u64::from(entry.code) - first, entry.row))))
    })?;
    Ok(together(done, rows))
}

/// The index of one part; groups and rows count from 0.
struct Part {
    ranks: Ranks,
    groups: u32,
    /// Where each group's rows begin; none if each has one.
    starts: Option<Vec<u32>>,
    order: Vec<u32>,
}

impl Part {
    fn new<I: Iterator<Item = (u64, u32)>>(size: u64, entries: impl Fn() -> I) -> Self {
        let mut ranks = Ranks::new(size);
        let mut rows = 0;
        for (code, _) in entries() {
            ranks.set(code);
            rows += 1;
        }
        let groups = ranks.count();
        let mut order = vec![0u32; rows];
        let group = |code: u64| ranks.group(code) as usize;
        if groups as usize == rows {
            entries().for_each(|(code, row)| order[group(code)] = row);
            return Part { ranks, groups, starts: None, order };
        }
        let mut starts = vec![0u32; groups as usize + 1];
        entries().for_each(|(code, _)| starts[group(code) + 1] += 1);
        for group in 0..groups as usize {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        for (code, row) in entries() {
            let place = &mut next[group(code)];
            order[*place as usize] = row;
            *place += 1;
        }
        starts.pop();
        Part { ranks, groups, starts: Some(starts), order }
    }
}

/// Puts parts one behind the other.
fn together(parts: Vec<Part>, rows: usize) -> Ranked {
    let unique = parts.iter().all(|part| part.starts.is_none());
    let sorted = parts.iter().flat_map(|part| &part.order).is_sorted();
    let ranks = Ranks::concat(parts.iter().map(|part| &part.ranks));
    let mut order = Vec::with_capacity(if sorted { 0 } else { rows });
    let mut starts = Vec::new();
    let mut first = 0;
    for part in parts {
        if !unique {
            match &part.starts {
                Some(own) => starts.extend(own.iter().map(|start| first + start)),
                None => starts.extend(first..first + part.groups),
            }
        }
        if !sorted {
            order.extend_from_slice(&part.order);
        }
        first += part.order.len() as u32;
    }
    let spans = if unique {
        Spans::Unique
    } else {
        starts.push(first);
        Spans::Starts(starts)
    };
    Ranked { ranks, spans, order: (!sorted).then_some(order) }
}

#[cfg(test)]
mod tests {
    use super::super::key::PartDomain;
    use super::*;
    use crate::context::{Context, Memory};
    use crate::pool::Pool;
    use std::collections::BTreeMap;

    /// Checks the index against a map from codes to rows, for some numbers of workers.
    fn check(values: Vec<i64>, valid: Option<Vec<bool>>, high: i64) {
        let layout = KeyLayout::new(vec![PartDomain::Integer { low: 0, high: high.into() }]);
        let code = |row: usize| if valid.as_ref().is_none_or(|valid| valid[row]) { values[row] as u64 + 1 } else { 0 };
        let mut expected: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        (0..values.len()).for_each(|row| expected.entry(code(row)).or_default().push(row as u32));
        let keys = [Gathered::from_i64(values.clone(), valid.clone())];
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
            assert_eq!(ranked.ranks.clone().count() as usize, expected.len());
            assert_eq!(ranked.ranks.group(size), super::super::table::NO_GROUP, "what is out of range");
        }
    }

    #[test]
    fn parts_are_one_index() {
        let rows = 3 * DEAL_ROWS as i64 + 1;
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
