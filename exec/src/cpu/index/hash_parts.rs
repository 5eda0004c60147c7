//! Hash indexes of many rows, built in parts: keys are partitioned by the highest bits of their hashes, which say where their slots
//! and their words of the filter lie. Those of a part fit the caches close by, and any worker fills them.
//!
//! Runs of rows with one key count once, and their keys are taken to be unique at first, as those of most tables are: then a
//! key's number is its run's, and no row has to move. Where one has two runs, the groups of each part are made, and then put
//! into the order of their first runs, piece by piece. So the index is the one that a single pass would make.
//!
//! Source: radix partitioning (Manegold, Boncz, Kersten: Optimizing Main-Memory Join on Modern Hardware, 2002), of slots that
//! lie where a single pass would put them.

use crate::Result;
use crate::cpu::index::Spans;
use crate::cpu::index::ranked_parts::{Grouped, PARTITION_ROWS, PARTS_MAX, pieces, starts_of_all, wanted_parts};
use crate::cpu::keys::codes::Codes;
use crate::cpu::table::filter::{KeyFilter, KeyFilterPart};
use crate::cpu::table::ranks::Ranks;
use crate::cpu::table::slots::{Slots, SlotsPart};
use crate::cpu::table::{GroupTables, IntegerKey, wants_filter};
use crate::cpu::vector::builder::{ColumnBuilder, copy_all};
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::workers::schedule::Workers;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// What comes of building an index in parts.
pub(crate) enum Outcome {
    Built(Hashed),
    /// The codes of all keys, where one pass over them is quicker, or keys are no integers.
    OnePass(Box<Codes>),
}

/// The groups of all keys, the rows of each, and the order that brings these together; none if they stay where they are.
pub(crate) struct Hashed {
    pub(crate) tables: GroupTables,
    pub(crate) spans: Spans,
    pub(crate) order: Option<Vec<u32>>,
}

/// The key of a run and its number.
#[derive(Clone, Copy)]
struct Entry<K> {
    key: K,
    run: u32,
}

/// Runs of rows with one key, whose keys are `keys`.
struct Runs<K> {
    keys: Vec<K>,
    /// Where each begins, and where the last one ends; none if each is one row.
    starts: Option<Vec<u32>>,
}

impl<K> Runs<K> {
    /// The rows of a run.
    fn rows(&self, run: u32) -> Range<u32> {
        match &self.starts {
            None => run..run + 1,
            Some(starts) => starts[run as usize]..starts[run as usize + 1],
        }
    }
}

/// Distinct keys below which a table of them is not built in parts, each of which has some slots and words.
const FEW_KEYS: usize = PARTS_MAX * 64;

/// Bytes for so many rows while they are partitioned and their groups are made; none if their keys are no integers.
pub(crate) fn bytes(layout: &KeyLayout, rows: usize) -> Option<usize> {
    let entry = match layout.width {
        KeyWidth::Bits32 => size_of::<Entry<u32>>(),
        KeyWidth::Bits64 => size_of::<Entry<u64>>(),
        KeyWidth::Bits128 => size_of::<Entry<u128>>(),
        KeyWidth::Bytes | KeyWidth::Text => return None,
    };
    // A row's code, its entry with room for more, its key once or twice, and some numbers of 32 bits.
    Some(rows * (4 * entry + 56))
}

/// Workers from which on groups of several runs are made in parts: that takes about twice the work of a single pass.
const GROUPING_WORKERS: usize = if cfg!(test) { 3 } else { 4 };

/// Indexes rows by their keys.
pub(crate) fn index(layout: &KeyLayout, keys: &[ColumnBuilder], rows: usize, workers: Workers<'_>) -> Result<Outcome> {
    index_by(layout, keys, rows, workers.count() >= GROUPING_WORKERS, workers)
}

fn index_by(
    layout: &KeyLayout,
    keys: &[ColumnBuilder],
    rows: usize,
    groups_in_parts: bool,
    workers: Workers<'_>,
) -> Result<Outcome> {
    match layout.width {
        KeyWidth::Bits32 => of_integers::<u32>(layout, keys, rows, groups_in_parts, workers),
        KeyWidth::Bits64 => of_integers::<u64>(layout, keys, rows, groups_in_parts, workers),
        KeyWidth::Bits128 => of_integers::<u128>(layout, keys, rows, groups_in_parts, workers),
        KeyWidth::Bytes | KeyWidth::Text => Ok(Outcome::OnePass(Box::new(Codes::of_columns(layout, keys, rows)))),
    }
}

fn of_integers<K: IntegerKey>(
    layout: &KeyLayout,
    keys: &[ColumnBuilder],
    rows: usize,
    groups_in_parts: bool,
    workers: Workers<'_>,
) -> Result<Outcome> {
    let mut all = vec![K::default(); rows];
    let work = pieces(rows).zip(all.chunks_mut(PARTITION_ROWS)).collect();
    let done = workers.map(work, |(range, own): (Range<usize>, &mut [K])| {
        K::copy(&Codes::of_rows(layout, keys, range), own);
        let changes = own.windows(2).filter(|pair| pair[0] != pair[1]).count();
        Ok((changes, if groups_in_parts { Vec::new() } else { sample(own) }))
    })?;
    let (changes, samples): (Vec<usize>, Vec<Vec<K>>) = done.into_iter().unzip();
    let mut sample = samples.concat();
    sample.dedup();
    if numbered(|| sample.iter().copied()).0.len() < sample.len() {
        return Ok(Outcome::OnePass(Box::new(K::into_codes(all))));
    }
    // The number of the first run that begins in each piece.
    let (mut work, mut next) = (Vec::with_capacity(changes.len()), 0);
    for (range, changes) in pieces(rows).zip(changes) {
        let begins = range.start == 0 || all[range.start - 1] != all[range.start];
        work.push((range, next));
        next += changes as u32 + u32::from(begins);
    }
    // Two at least, so that there are bits that say which part it is.
    let parts = wanted_parts(next as usize).next_power_of_two().clamp(2, PARTS_MAX);
    let all_begin = next as usize == rows;
    let partitioned =
        workers.map(work, |(range, first)| Ok(Partitioned::new(&all, range, first, (parts, all_begin))))?;
    let runs = if all_begin {
        Runs { keys: all, starts: None }
    } else {
        let mut starts: Vec<&[u32]> = partitioned.iter().map(|piece| &piece.starts[..]).collect();
        let end = [rows as u32];
        starts.push(&end);
        drop(all);
        let keys = copy_all(partitioned.iter().map(|piece| &piece.keys[..]).collect(), workers)?;
        Runs { keys, starts: Some(copy_all(starts, workers)?) }
    };
    let entries = |part: usize| partitioned.iter().flat_map(move |piece| &piece.parts[part]).copied();
    if let Some((slots, filter)) = unique(&runs.keys, (parts, entries), workers)? {
        let tables = GroupTables::with_filter(K::table(slots, runs.keys), filter);
        let spans = runs.starts.map_or(Spans::Unique, Spans::Starts);
        return Ok(Outcome::Built(Hashed { tables, spans, order: None }));
    }
    let part = |part| Ok(PartGroups::new(&runs, || entries(part)));
    let groups: Vec<PartGroups<K>> = workers.map((0..parts).collect(), part)?;
    let count = runs.keys.len();
    drop((partitioned, runs));
    grouped(&groups, count, workers).map(Outcome::Built)
}

/// Hashes whose highest eight bits are none are those of the sample.
const SAMPLE_SHIFT: u32 = u64::BITS - 8;

/// All keys of a small part, but no two alike side by side: if one of them has two runs, others have, too.
fn sample<K: IntegerKey>(keys: &[K]) -> Vec<K> {
    let mut sample: Vec<K> = keys.iter().copied().filter(|key| key.hash() >> SAMPLE_SHIFT == 0).collect();
    sample.dedup();
    sample
}

/// The runs that begin in a piece: by part, and in order if some have several rows.
struct Partitioned<K> {
    parts: Vec<Vec<Entry<K>>>,
    keys: Vec<K>,
    starts: Vec<u32>,
}

impl<K: IntegerKey> Partitioned<K> {
    /// The runs of some rows, whose first has this number. With `all_begin` each is one row.
    fn new(all: &[K], rows: Range<usize>, first: u32, (parts, all_begin): (usize, bool)) -> Self {
        let shift = u64::BITS - parts.trailing_zeros();
        let room = rows.len() / parts * 5 / 4 + 8;
        let parts = (0..parts).map(|_| Vec::with_capacity(room)).collect();
        let mut partitioned = Partitioned { parts, keys: Vec::new(), starts: Vec::new() };
        let mut add = |key: K, run: u32| partitioned.parts[(key.hash() >> shift) as usize].push(Entry { key, run });
        if all_begin {
            all[rows].iter().zip(first..).for_each(|(&key, run)| add(key, run));
            return partitioned;
        }
        let mut run = first;
        for row in rows {
            if row == 0 || all[row - 1] != all[row] {
                add(all[row], run);
                partitioned.keys.push(all[row]);
                partitioned.starts.push(row as u32);
                run += 1;
            }
        }
        partitioned
    }
}

/// A part of the slots, and one of the filter if there is one.
type TablePart<'a> = (SlotsPart<'a>, Option<KeyFilterPart<'a>>);

fn parts_of<'a>(slots: &'a mut Slots, filter: &'a mut Option<KeyFilter>, parts: usize) -> Vec<TablePart<'a>> {
    let mut filters = filter.as_mut().map_or_else(Vec::new, |filter| filter.parts(parts)).into_iter();
    slots.parts(parts).into_iter().map(|slots| (slots, filters.next())).collect()
}

#[inline(always)]
fn add_to(filter: &mut Option<KeyFilterPart<'_>>, hash: u64) {
    if let Some(filter) = filter {
        filter.add(hash);
    }
}

/// The slots of keys whose numbers are their runs', and a filter if it is wanted; none if a key comes twice.
fn unique<K: IntegerKey, I: Iterator<Item = Entry<K>>>(
    keys: &[K],
    (parts, entries): (usize, impl Fn(usize) -> I + Sync),
    workers: Workers<'_>,
) -> Result<Option<(Slots, Option<KeyFilter>)>> {
    let mut slots = Slots::new(keys.len());
    let mut filter = wants_filter(slots.room()).then(|| KeyFilter::with_room(keys.len()));
    let repeated = AtomicBool::new(false);
    let work = parts_of(&mut slots, &mut filter, parts).into_iter().enumerate().collect();
    let beyond = workers.map(work, |(part, (mut slots, mut filter)): (usize, TablePart<'_>)| {
        if repeated.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        slots.fetch();
        for Entry { key, run } in entries(part) {
            let hash = key.hash();
            if slots.find_or_put(hash, run, |other| keys[other as usize] == key).is_some() {
                repeated.store(true, Ordering::Relaxed);
                return Ok(Vec::new());
            }
            add_to(&mut filter, hash);
        }
        Ok(slots.into_beyond())
    })?;
    if repeated.into_inner() {
        return Ok(None);
    }
    slots.complete(keys.len(), beyond.into_iter().flatten());
    Ok(Some((slots, filter)))
}

/// The groups of a part, in the order of their first runs.
struct PartGroups<K> {
    keys: Vec<K>,
    /// The first run of each.
    firsts: Vec<u32>,
    rows: Grouped,
}

impl<K: IntegerKey> PartGroups<K> {
    fn new<I: Iterator<Item = Entry<K>>>(runs: &Runs<K>, entries: impl Fn() -> I) -> Self {
        let (keys, numbers) = numbered(|| entries().map(|entry| entry.key));
        let mut firsts = Vec::with_capacity(keys.len());
        for (&number, entry) in numbers.iter().zip(entries()) {
            if number as usize == firsts.len() {
                firsts.push(entry.run);
            }
        }
        let runs_of = || numbers.iter().zip(entries());
        let each = || runs_of().flat_map(|(&number, entry)| runs.rows(entry.run).map(move |row| (number, row)));
        let rows = runs_of().map(|(_, entry)| runs.rows(entry.run).len()).sum();
        PartGroups { rows: Grouped::new(keys.len(), rows, each), keys, firsts }
    }

    /// The groups whose first runs are among these.
    fn beginning_in(&self, runs: &Range<usize>) -> Range<usize> {
        let before = |run: usize| self.firsts.partition_point(|&first| (first as usize) < run);
        before(runs.start)..before(runs.end)
    }
}

/// The groups that begin in a piece of all runs: their keys, and their rows; where each one's begin counts from 0.
struct PieceGroups<K> {
    keys: Vec<K>,
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// Puts the groups of all parts into the order of their first runs, of which there are so many.
fn grouped<K: IntegerKey>(parts: &[PartGroups<K>], runs: usize, workers: Workers<'_>) -> Result<Hashed> {
    let words = workers.map(pieces(runs).collect(), |piece| {
        let mut words = vec![0u64; piece.len().div_ceil(64)];
        for part in parts {
            for &first in &part.firsts[part.beginning_in(&piece)] {
                let at = first as usize - piece.start;
                words[at / 64] |= 1 << (at % 64);
            }
        }
        Ok(words)
    })?;
    let mut words = copy_all(words.iter().map(|words| &words[..]).collect(), workers)?;
    words.resize(runs / 64 + 1, 0);
    let (ranks, groups) = Ranks::of_words(words, runs as u64, workers)?;
    let done = workers.map(pieces(runs).collect(), |piece| Ok(PieceGroups::new(parts, &piece, &ranks)))?;
    let keys = copy_all(done.iter().map(|piece| &piece.keys[..]).collect(), workers)?;
    debug_assert_eq!(keys.len(), groups as usize, "every group begins once");
    let tables = of_distinct(keys, parts, &ranks, workers)?;
    let order = copy_all(done.iter().map(|piece| &piece.order[..]).collect(), workers)?;
    let starts = starts_of_all(done.into_iter().map(|piece| (piece.starts, piece.order.len())), workers)?;
    Ok(Hashed { tables, spans: Spans::Starts(starts), order: Some(order) })
}

impl<K: IntegerKey> PieceGroups<K> {
    fn new(parts: &[PartGroups<K>], piece: &Range<usize>, ranks: &Ranks) -> Self {
        let own: Vec<(&PartGroups<K>, Range<usize>)> =
            parts.iter().map(|part| (part, part.beginning_in(piece))).collect();
        let each = || own.iter().flat_map(|(part, groups)| groups.clone().map(move |group| (*part, group)));
        let Some(least) = each().map(|(part, group)| part.firsts[group]).min() else {
            return PieceGroups { keys: Vec::new(), starts: Vec::new(), order: Vec::new() };
        };
        let place = |part: &PartGroups<K>, group: usize| (ranks.rank(part.firsts[group]) - ranks.rank(least)) as usize;
        let groups = own.iter().map(|(_, groups)| groups.len()).sum();
        let (mut keys, mut starts) = (vec![K::default(); groups], vec![0u32; groups]);
        for (part, group) in each() {
            let place = place(part, group);
            keys[place] = part.keys[group];
            starts[place] = part.rows.of(group).len() as u32;
        }
        let mut rows = 0;
        starts.iter_mut().for_each(|start| rows += std::mem::replace(start, rows));
        let mut order = vec![0u32; rows as usize];
        for (part, group) in each() {
            let from = part.rows.of(group);
            let start = starts[place(part, group)] as usize;
            order[start..start + from.len()].copy_from_slice(from);
        }
        PieceGroups { keys, starts, order }
    }
}

/// The distinct keys of a part, in the order in which they come, and the number of each key among them. They are found by the
/// lowest bits of their hashes, the highest ones being those of the part.
fn numbered<K: IntegerKey, I: Iterator<Item = K>>(each: impl Fn() -> I) -> (Vec<K>, Vec<u32>) {
    let mut keys: Vec<K> = Vec::new();
    // One more than the number, or 0 for none.
    let mut places = vec![0u32; (each().count() * 2).next_power_of_two()];
    let mask = places.len() - 1;
    let number = |key: K| {
        let mut at = key.hash() as usize & mask;
        loop {
            match places[at] {
                0 => {
                    keys.push(key);
                    places[at] = keys.len() as u32;
                    return keys.len() as u32 - 1;
                }
                other if keys[other as usize - 1] == key => return other - 1,
                _ => at = (at + 1) & mask,
            }
        }
    };
    let numbers = each().map(number).collect();
    (keys, numbers)
}

/// Finds the keys of all groups by their numbers, the ranks of their first runs.
fn of_distinct<K: IntegerKey>(
    keys: Vec<K>,
    parts: &[PartGroups<K>],
    ranks: &Ranks,
    workers: Workers<'_>,
) -> Result<GroupTables> {
    let mut slots = Slots::new(keys.len());
    let mut filter = wants_filter(slots.room()).then(|| KeyFilter::with_room(keys.len()));
    // If there are few, one worker puts all of them in.
    let each = if keys.len() < FEW_KEYS { parts.len() } else { 1 };
    let work = parts_of(&mut slots, &mut filter, parts.len() / each).into_iter().zip(parts.chunks(each)).collect();
    let beyond = workers.map(work, |((mut slots, mut filter), parts): (TablePart<'_>, &[PartGroups<K>])| {
        slots.fetch();
        for (&first, key) in parts.iter().flat_map(|part| part.firsts.iter().zip(&part.keys)) {
            let hash = key.hash();
            slots.find_or_put(hash, ranks.rank(first), |_| false);
            add_to(&mut filter, hash);
        }
        Ok(slots.into_beyond())
    })?;
    slots.complete(keys.len(), beyond.into_iter().flatten());
    Ok(GroupTables::with_filter(K::table(slots, keys), filter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::rows::NO_GROUP;
    use crate::plan::key_layout::PartDomain;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use std::collections::HashMap;

    /// Checks the index against a map from keys to rows, for some numbers of workers. Keys are there in each width that holds
    /// them, where `valid` says so.
    fn check(values: &[i64], valid: Option<&[bool]>) {
        let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |all, &value| (all.0.min(value), all.1.max(value)));
        let domain = || PartDomain::integers(low.into(), high.into());
        let column = || ColumnBuilder::from_i64(values.to_vec(), valid.map(<[bool]>::to_vec));
        let wide = PartDomain::integers(0, 1 << 65);
        let zero = ColumnBuilder::from_i64(vec![0; values.len()], None);
        let layouts = [(vec![domain()], vec![column()]), (vec![domain(), wide], vec![column(), zero])];
        let mut expected: HashMap<Option<i64>, Vec<u32>> = HashMap::new();
        for (row, &value) in values.iter().enumerate() {
            let value = valid.is_none_or(|valid| valid[row]).then_some(value);
            expected.entry(value).or_default().push(row as u32);
        }
        let context = Context::new(Memory::new(usize::MAX));
        for (domains, keys) in layouts {
            let layout = KeyLayout::new(domains);
            let mut orders = Vec::new();
            for threads in [1, 3] {
                let pool = Pool::new(threads).unwrap();
                let workers = Workers { pool: Some(&pool), context: &context };
                let built = |in_parts| index_by(&layout, &keys, values.len(), in_parts, workers).unwrap();
                let Outcome::Built(Hashed { tables, spans, order }) = built(true) else { panic!("integers") };
                // Where they are not grouped in parts, codes are what a pass over the keys gives.
                match built(false) {
                    Outcome::OnePass(codes) => {
                        let expected = Codes::of_columns(&layout, &keys, values.len());
                        assert_eq!(codes.len, expected.len);
                        match layout.width {
                            KeyWidth::Bits128 => assert_eq!(codes.bits128, expected.bits128),
                            _ => assert_eq!(codes.bits64, expected.bits64),
                        }
                        assert!(order.is_some());
                    }
                    Outcome::Built(other) => assert_eq!(other.order, order),
                }
                let (mut codes, mut groups) = (Codes::of_columns(&layout, &keys, values.len()), Vec::new());
                tables.find(&codes, &mut groups);
                let at = |place: u32| order.as_ref().map_or(place, |order| order[place as usize]);
                for rows in expected.values() {
                    let (first, count) = spans.rows(groups[rows[0] as usize]);
                    assert!((first..first + count).map(at).eq(rows.iter().copied()), "row {}", rows[0]);
                    assert!(rows.iter().all(|&row| groups[row as usize] == groups[rows[0] as usize]));
                }
                let mut firsts: Vec<u32> = expected.values().map(|rows| rows[0]).collect();
                firsts.sort_unstable();
                let numbers = firsts.iter().map(|&row| groups[row as usize]);
                assert!(numbers.eq(0..firsts.len() as u32), "groups are in the order of their first rows");
                assert_eq!(matches!(spans, Spans::Unique), expected.len() == values.len());
                // Rows that lie together stay where they are.
                let together = |rows: &Vec<u32>| rows.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                assert_eq!(order.is_none(), expected.values().all(together));
                // Codes that no row has.
                codes.bits64.iter_mut().for_each(|code| *code = !*code);
                codes.bits128.iter_mut().for_each(|code| *code = !*code);
                if layout.width != KeyWidth::Bits32 {
                    tables.find(&codes, &mut groups);
                    assert!(groups.iter().all(|&group| group == NO_GROUP));
                }
                orders.push(order);
            }
            assert!(orders.iter().all(|order| *order == orders[0]), "the order depends on the number of workers");
        }
    }

    #[test]
    fn parts_are_one_index() {
        let rows = 2 * PARTITION_ROWS as i64 + 1;
        let mixed = |row: i64| row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64);
        let all = |value: &dyn Fn(i64) -> i64| (0..rows).map(value).collect::<Vec<_>>();
        let valid: Vec<bool> = (0..rows).map(|row| row % 7 > 0).collect();
        // Unique, wide and narrow; one NULL among them; many.
        check(&all(&|row| mixed(row) >> 2), None);
        check(&all(&|row| (mixed(row) as u64 >> 32) as i64), None);
        check(&all(&|row| mixed(row) >> 2), Some(&(0..rows).map(|row| row != 70_000).collect::<Vec<_>>()));
        check(&all(&|row| mixed(row) >> 2), Some(&valid));
        // The last row's key is the first one's; a few rows each, side by side and far apart; half of them in one group; one key.
        check(&all(&|row| mixed(row % (rows - 1)) >> 2), None);
        check(&all(&|row| mixed(row / 4) >> 2), None);
        check(&all(&|row| mixed(row / 9 % 10_000) >> 2), None);
        check(&all(&|row| mixed(if row < rows - 1 { row / 9 } else { 5 }) >> 2), None);
        check(&all(&|row| mixed(row % 30_000) >> 2), Some(&valid));
        check(&all(&|row| if row % 2 == 0 { 5 } else { mixed(row) >> 2 }), None);
        check(&all(&|_| 63), None);
        check(&[7], None);
    }

    #[test]
    fn slots_beyond_a_part_are_found() {
        // Keys whose first slots are the last ones of their part, more than are left there.
        let parts = wanted_parts(PARTITION_ROWS * 2).next_power_of_two();
        let room = Slots::new(PARTITION_ROWS * 2).room() as u64;
        let is_late = |&key: &i64| {
            let hash = (key as u64 + 1).hash();
            let slot = hash >> (64 - room.trailing_zeros());
            slot % (room / parts as u64) >= room / parts as u64 - 300
        };
        let mut keys: Vec<i64> = (1i64 << 33..).filter(is_late).take(3_000).collect();
        keys.extend((0..).take(PARTITION_ROWS * 2 - keys.len() - 1));
        keys.push(1 << 40);
        let mut twice = keys.clone();
        check(&keys, None);
        twice.truncate(PARTITION_ROWS);
        twice.extend_from_within(..);
        check(&twice, None);
    }
}
