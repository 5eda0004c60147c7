//! Numbers the groups of a reduction while its rows pass by.
//!
//! * *One*: no key, one group, there even without rows.
//! * *Few*: so few keys are possible that the code of a key is its group's number, and no table is needed.
//! * *Direct*: so many rows are expected that an array over all codes is cheap: it holds the groups' numbers.
//! * *Ordered*: rows come clustered by their key: a new group begins where the key changes, and what is between the
//!   pieces of several workers is put in order at the end.
//! * *Hash*: keys get numbers in the order in which they come.

use super::super::gather::{Gathered, GatheredData};
use super::super::vector::{Vector, VectorData};
use super::key::{Codes, KeyLayout, KeyPartValues, PartDomain, PartValues};
use super::table::{GroupTable, NO_GROUP, hash64};
use crate::Result;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Interval, canonical_float_bits};
use std::cmp::Ordering;

/// Codes up to which a group's number is its key's code.
pub(crate) const FEW_CODES: u64 = 1 << 12;

/// Groups among the tuples of a tile up to which they are summed group by group, by masks.
const PRESENT_MAX: usize = 8;

/// The groups of one worker (or of one part of a merge).
#[derive(Debug)]
pub(crate) enum Grouper {
    One,
    Few { layout: KeyLayout, seen: Vec<bool>, marked: Vec<bool> },
    Direct { layout: KeyLayout, entries: Vec<u32>, codes: Vec<u64> },
    Ordered { layout: KeyLayout, codes: Vec<u64>, segments: Vec<Segment> },
    Hash { layout: KeyLayout, table: GroupTable, keys: Vec<Gathered> },
}

/// How many rows a reduction takes, and how they come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// An upper bound, of rows of the outermost index.
    pub(crate) count: u64,
    /// Proven: rows with equal keys come one after the other.
    pub(crate) clustered: bool,
}

/// Codes up to which an array over all of them is made for each worker.
const DIRECT_CODES: u64 = 1 << 22;

/// Whether an array over all codes of keys pays.
pub(crate) fn is_direct(layout: &KeyLayout, rows: Rows) -> bool {
    layout.codes().is_some_and(|codes| codes <= DIRECT_CODES && codes / 2 <= rows.count)
}

/// Groups of pieces that one worker did one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The pieces, by number.
    pub(crate) pieces: (usize, usize),
    /// Its first group; the last one is before the next segment's.
    pub(crate) start: u32,
}

impl Grouper {
    /// No groups yet, of keys of this layout; none for a reduction without a key.
    pub(crate) fn new(layout: Option<&KeyLayout>, types: &[DataType], rows: Rows) -> Self {
        let Some(layout) = layout else { return Grouper::One };
        match layout.codes() {
            Some(codes) if codes <= FEW_CODES => {
                let none = vec![false; codes as usize];
                Grouper::Few { layout: layout.clone(), seen: none.clone(), marked: none }
            }
            Some(_) if rows.clustered => {
                Grouper::Ordered { layout: layout.clone(), codes: Vec::new(), segments: Vec::new() }
            }
            Some(codes) if is_direct(layout, rows) => {
                Grouper::Direct { layout: layout.clone(), entries: vec![NO_GROUP; codes as usize], codes: Vec::new() }
            }
            _ => Grouper::Hash {
                layout: layout.clone(),
                table: GroupTable::new(layout.width),
                keys: types.iter().map(|&data_type| Gathered::of_type(data_type)).collect(),
            },
        }
    }

    /// How many groups there is room for.
    pub(crate) fn len(&self) -> usize {
        match self {
            Grouper::One => 1,
            Grouper::Few { seen, .. } => seen.len(),
            Grouper::Direct { codes, .. } | Grouper::Ordered { codes, .. } => codes.len(),
            Grouper::Hash { table, .. } => table.len(),
        }
    }

    /// The rows to come are of this piece.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        let Grouper::Ordered { codes, segments, .. } = self else { return };
        match segments.last_mut() {
            Some(last) if last.pieces.1 + 1 == piece => last.pieces.1 = piece,
            _ => segments.push(Segment { pieces: (piece, piece), start: codes.len() as u32 }),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Grouper::One => 0,
            Grouper::Few { seen, .. } => seen.len(),
            Grouper::Direct { entries, codes, .. } => entries.len() * 4 + codes.capacity() * 8,
            Grouper::Ordered { codes, segments, .. } => codes.capacity() * 8 + segments.capacity() * 24,
            Grouper::Hash { table, keys, .. } => table.bytes() + keys.iter().map(Gathered::bytes).sum::<usize>(),
        }
    }

    /// The group of each of `len` tuples. `One` leaves `groups` alone. `Few` says which groups are among them, if
    /// these are no more than [`PRESENT_MAX`].
    pub(crate) fn assign(
        &mut self,
        key: &[&Vector],
        len: usize,
        codes: &mut Codes,
        groups: &mut Vec<u32>,
        present: &mut Vec<u32>,
    ) {
        present.clear();
        let parts: Vec<KeyPartValues<'_>> =
            key.iter().map(|vector| KeyPartValues { values: PartValues::Vector(vector), null_matches: true }).collect();
        match self {
            Grouper::One => {}
            Grouper::Few { layout, seen, marked } => {
                codes.encode(layout, &parts, len);
                groups.clear();
                groups.extend(codes.bits64.iter().map(|&code| code as u32));
                for &group in groups.iter() {
                    if !marked[group as usize] {
                        marked[group as usize] = true;
                        present.push(group);
                    }
                }
                for &group in present.iter() {
                    (marked[group as usize], seen[group as usize]) = (false, true);
                }
                if present.len() > PRESENT_MAX {
                    present.clear();
                }
            }
            Grouper::Direct { layout, entries, codes: keys } => {
                codes.encode(layout, &parts, len);
                groups.clear();
                for &code in &codes.bits64 {
                    let entry = &mut entries[code as usize];
                    if *entry == NO_GROUP {
                        *entry = keys.len() as u32;
                        keys.push(code);
                    }
                    groups.push(*entry);
                }
            }
            Grouper::Ordered { layout, codes: keys, segments } => {
                codes.encode(layout, &parts, len);
                let fresh = segments.last().is_some_and(|segment| segment.start as usize == keys.len());
                groups.clear();
                let mut last = if fresh { None } else { keys.last().copied() };
                for &code in &codes.bits64 {
                    if last != Some(code) {
                        last = Some(code);
                        keys.push(code);
                    }
                    groups.push((keys.len() - 1) as u32);
                }
            }
            Grouper::Hash { layout, table, keys } => {
                codes.encode(layout, &parts, len);
                debug_assert!(codes.absent.is_none(), "ranges hold for every key");
                let before = table.len();
                table.insert(codes, groups);
                let mut new = Vec::new();
                if table.len() > before {
                    for (tuple, &group) in groups.iter().enumerate() {
                        if group as usize == before + new.len() {
                            new.push(tuple as u32);
                        }
                    }
                }
                for (column, vector) in keys.iter_mut().zip(key) {
                    if !new.is_empty() {
                        let mut values = Vector::default();
                        values.gather(vector, &new);
                        column.append(&values);
                    }
                    settle_intervals(column, vector, groups);
                }
            }
        }
    }

    /// The groups that have rows.
    pub(crate) fn occupied(&self) -> Vec<u32> {
        match self {
            Grouper::One => vec![0],
            Grouper::Few { seen, .. } => (0..seen.len() as u32).filter(|&code| seen[code as usize]).collect(),
            Grouper::Direct { entries, .. } => entries.iter().copied().filter(|&group| group != NO_GROUP).collect(),
            Grouper::Ordered { codes, .. } => (0..codes.len() as u32).collect(),
            Grouper::Hash { table, .. } => (0..table.len() as u32).collect(),
        }
    }

    /// Deals the groups that have rows into parts, the same key always into the same part.
    pub(crate) fn deal(&self, parts: usize) -> Vec<Vec<u32>> {
        let mut dealt: Vec<Vec<u32>> = vec![Vec::new(); parts];
        for group in self.occupied() {
            let part = match self {
                Grouper::Direct { entries, codes, .. } => {
                    // By code, so that parts one after the other are in order.
                    (codes[group as usize] as u128 * parts as u128 / (entries.len() as u128).max(1)) as usize
                }
                Grouper::Hash { table, .. } => (u128::from(table.hash(group as usize)) * parts as u128 >> 64) as usize,
                _ => 0,
            };
            dealt[part].push(group);
        }
        dealt
    }

    /// Adds groups of another grouper of the same kind; gives their numbers here.
    pub(crate) fn merge(&mut self, other: &Grouper, chosen: &[u32]) -> Vec<u32> {
        match (self, other) {
            (Grouper::Few { seen, .. }, Grouper::Few { .. }) => {
                chosen.iter().for_each(|&code| seen[code as usize] = true);
                chosen.to_vec()
            }
            (Grouper::Direct { entries, codes, .. }, Grouper::Direct { codes: from, .. }) => {
                let number = |&group: &u32| {
                    let code = from[group as usize];
                    let entry = &mut entries[code as usize];
                    if *entry == NO_GROUP {
                        *entry = codes.len() as u32;
                        codes.push(code);
                    }
                    *entry
                };
                chosen.iter().map(number).collect()
            }
            (Grouper::Ordered { codes, .. }, Grouper::Ordered { codes: from, .. }) => {
                let number = |&group: &u32| {
                    let code = from[group as usize];
                    if codes.last() != Some(&code) {
                        codes.push(code);
                    }
                    (codes.len() - 1) as u32
                };
                chosen.iter().map(number).collect()
            }
            (Grouper::Hash { table, keys, .. }, Grouper::Hash { table: from, keys: from_keys, .. }) => {
                let before = table.len();
                let numbers = table.insert_all(from, chosen);
                let mut new = Vec::new();
                for (at, &number) in numbers.iter().enumerate() {
                    if number as usize == before + new.len() {
                        new.push(chosen[at]);
                    }
                }
                for (column, from) in keys.iter_mut().zip(from_keys) {
                    column.append_all(from.take(&new));
                    if let GatheredData::Interval(_) = column.data {
                        settle_intervals(column, &from.take(chosen).into_vector(), &numbers);
                    }
                }
                numbers
            }
            _ => chosen.to_vec(),
        }
    }

    /// A hash of the key of a group, the same in every grouper of the loop.
    pub(crate) fn hash(&self, group: u32) -> u64 {
        match self {
            Grouper::Hash { table, .. } => table.hash(group as usize),
            _ => hash64(group.into()),
        }
    }

    /// An order of groups that depends on nothing but their keys.
    pub(crate) fn compare(&self, a: u32, b: u32) -> Ordering {
        match self {
            Grouper::Hash { table, .. } => {
                let (hash_a, hash_b) = (table.hash(a as usize), table.hash(b as usize));
                hash_a.cmp(&hash_b).then_with(|| table.compare(a as usize, b as usize))
            }
            _ => a.cmp(&b),
        }
    }

    /// The keys of some groups, a column a part.
    pub(crate) fn keys(&self, groups: &[u32]) -> Result<Vec<Gathered>> {
        Ok(match self {
            Grouper::One => Vec::new(),
            Grouper::Few { layout, .. } => {
                let codes: Vec<u64> = groups.iter().map(|&group| group.into()).collect();
                (0..layout.parts.len()).map(|part| decode(layout, part, &codes)).collect()
            }
            Grouper::Direct { layout, codes, .. } | Grouper::Ordered { layout, codes, .. } => {
                let chosen: Vec<u64> = groups.iter().map(|&group| codes[group as usize]).collect();
                (0..layout.parts.len()).map(|part| decode(layout, part, &chosen)).collect()
            }
            Grouper::Hash { keys, .. } => keys.iter().map(|column| canonical(column.take(groups))).collect(),
        })
    }
}

/// One part of the keys of these codes.
fn decode(layout: &KeyLayout, part: usize, codes: &[u64]) -> Gathered {
    let (this, next) = (&layout.parts[part], layout.parts.get(part + 1));
    let mask = next.map_or(u64::MAX, |next| (1 << next.shift) - 1);
    let own = |&code: &u64| (code & mask) >> this.shift;
    let valid = codes.iter().map(|code| own(code) != 0).collect();
    let distance = |code: &u64| own(code).saturating_sub(1);
    match &this.domain {
        PartDomain::Code(dictionary) => {
            let codes = codes.iter().map(|code| distance(code) as u32).collect();
            Gathered::from_codes(codes, dictionary.clone(), Some(valid))
        }
        PartDomain::Integer { low, high } => match (i64::try_from(*low), i64::try_from(*high)) {
            (Ok(low), Ok(_)) => {
                let values = codes.iter().map(|code| low.wrapping_add(distance(code) as i64)).collect();
                Gathered::from_i64(values, Some(valid))
            }
            _ => {
                let values = codes.iter().map(|code| low + i128::from(distance(code))).collect();
                Gathered::from_i128(values, Some(valid))
            }
        },
        PartDomain::Float | PartDomain::Text | PartDomain::Interval => unreachable!("they do not fit 64 bits"),
    }
}

/// Intervals of one length are one key: the one with the fewest months, then days, stands for all, so that the order
/// of rows does not show.
fn settle_intervals(column: &mut Gathered, vector: &Vector, groups: &[u32]) {
    let (GatheredData::Interval(kept), VectorData::Interval(values)) = (&mut column.data, &vector.data) else { return };
    for (tuple, &group) in groups.iter().enumerate() {
        if !vector.is_null(tuple) {
            let (value, kept) = (values[vector.position(tuple)], &mut kept[group as usize]);
            let rank = |interval: &Interval| (interval.months, interval.days);
            if rank(&value) < rank(kept) {
                *kept = value;
            }
        }
    }
}

/// Floats that are one key have one representative.
fn canonical(mut column: Gathered) -> Gathered {
    if let GatheredData::F64(values) = &mut column.data {
        values.iter_mut().for_each(|value| *value = f64::from_bits(canonical_float_bits(*value)));
    }
    column
}
