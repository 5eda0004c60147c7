//! From keys to the groups of a finished collection.
//!
//! * *Direct*: few codes, most of them keys: an array over all codes, an entry each.
//! * *Ranked*: keys are a part of not too many codes: a bit a code, and before every 64 of them how many keys there
//!   are so far. A key's group is its rank among the keys, so that groups are in the order of their codes.
//! * *Prefixed*: one part of the key nearly tells it (see `prefixed`).
//! * *Hash*: everything else.
//!
//! A collection whose keys are unique keeps its rows as they are, and a group is a row. Otherwise the rows of a
//! group are brought next to each other, and a group is a span of rows. Rows of a group stay in their order.

use super::super::bitmap::Bitmap;
use super::super::gather::{Gathered, GatheredData};
use super::super::tile::KeyVector;
use super::super::vector::{Vector, VectorData};
use super::key::{Codes, KeyLayout, KeyPartValues, PartDomain, PartValues};
use super::parts;
use super::prefixed::Prefixed;
use super::table::{GroupTable, NO_GROUP};
use crate::context::Reservation;
use crate::schedule::Workers;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Finds groups by their keys.
#[derive(Debug)]
pub(crate) struct KeyIndex {
    layout: KeyLayout,
    lookup: Lookup,
    pub(crate) spans: Spans,
    _reservation: Reservation,
}

#[derive(Debug)]
enum Lookup {
    /// For each code its group, [`NO_GROUP`] if there is none.
    Direct(Vec<u32>),
    Ranked(Vec<Ranks>),
    Prefixed(Prefixed),
    Hash(GroupTable),
}

/// 64 codes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ranks {
    /// Which of them are keys.
    pub(super) keys: u64,
    /// How many keys there are before them.
    before: u32,
}

impl Ranks {
    /// The group of a code, [`NO_GROUP`] if it is no key.
    #[inline]
    pub(super) fn group(self, code: u64) -> u32 {
        let bit = 1u64 << (code % 64);
        if self.keys & bit == 0 { NO_GROUP } else { self.before + (self.keys & (bit - 1)).count_ones() }
    }

    /// The same behind so many groups more.
    pub(super) fn behind(self, groups: u32) -> Self {
        Ranks { before: self.before + groups, ..self }
    }

    /// Counts the keys before each word; gives how many there are.
    pub(super) fn count(ranks: &mut [Ranks]) -> u32 {
        let mut groups = 0;
        for entry in ranks {
            entry.before = groups;
            groups += entry.keys.count_ones();
        }
        groups
    }
}

/// Which rows the groups have.
#[derive(Debug)]
pub(crate) enum Spans {
    /// Group g has row g.
    Unique,
    /// Group g has the rows from `starts[g]` to `starts[g + 1]`.
    Starts(Vec<u32>),
}

/// An index and the order in which it wants the rows: `order[i]` is the row that becomes row i; none if they stay.
pub(crate) struct Built {
    pub(crate) index: KeyIndex,
    pub(crate) order: Option<Vec<u32>>,
}

impl KeyIndex {
    /// Indexes rows by these key columns. Without workers indexes are built again and again.
    pub(crate) fn build(keys: &[Gathered], types: &[DataType], rows: usize, workers: Workers<'_>) -> Result<Built> {
        if rows >= NO_GROUP as usize {
            return Err(Error::new(ErrorKind::TooComplex, "a bucket of more than 4294967294 rows"));
        }
        let domains = keys.iter().zip(types).map(|(column, &data_type)| domain_of(column, data_type)).collect();
        let layout = KeyLayout::new(domains);
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.add(rows * 24)?;
        let form = index_form(&layout, rows as u64, workers.pool.is_none());
        if let (IndexForm::Ranked, Some(size)) = (form, layout.codes())
            && rows > parts::PARTS_ROWS
            && !workers.is_one()
        {
            reservation.add(size as usize / 4)?;
            let parts::Ranked { ranks, spans, order } = parts::rank(&layout, keys, rows, size, workers)?;
            let index = KeyIndex { layout, lookup: Lookup::Ranked(ranks), spans, _reservation: reservation };
            return Ok(Built { index, order });
        }
        let parts: Vec<KeyPartValues<'_>> = keys
            .iter()
            .map(|column| KeyPartValues { values: PartValues::Gathered(column), null_matches: true })
            .collect();
        let mut codes = Codes::default();
        codes.encode(&layout, &parts, rows);
        let built = match (form, layout.codes()) {
            (IndexForm::Direct, Some(size)) => {
                reservation.add(size as usize * 4)?;
                build_direct(layout, &codes, size as usize, reservation)
            }
            (IndexForm::Ranked, Some(size)) => {
                reservation.add(size as usize / 4)?;
                build_ranked(layout, &codes, size as usize, reservation)
            }
            _ => build_hash(layout, &codes, reservation),
        };
        Ok(built)
    }

    /// For each tuple its group, [`NO_GROUP`] if there is none.
    pub(crate) fn find(&self, key: &[KeyVector<'_>], len: usize, codes: &mut Codes, groups: &mut Vec<u32>) {
        if let Some((vector, numbers)) = self.numbers(key) {
            match (&vector.data, &self.lookup) {
                (VectorData::I32(values), Lookup::Direct(entries)) => {
                    return numbers.groups(values, groups, |code| entries[code as usize]);
                }
                (VectorData::I64(values), Lookup::Direct(entries)) => {
                    return numbers.groups(values, groups, |code| entries[code as usize]);
                }
                (VectorData::I32(values), Lookup::Ranked(ranks)) => {
                    return numbers.groups(values, groups, |code| ranks[(code / 64) as usize].group(code));
                }
                (VectorData::I64(values), Lookup::Ranked(ranks)) => {
                    return numbers.groups(values, groups, |code| ranks[(code / 64) as usize].group(code));
                }
                _ => {}
            }
        }
        let parts: Vec<KeyPartValues<'_>> = key
            .iter()
            .map(|part| KeyPartValues { values: PartValues::Vector(part.vector), null_matches: part.null_matches })
            .collect();
        codes.encode(&self.layout, &parts, len);
        match &self.lookup {
            Lookup::Direct(entries) => each_group(codes, groups, |code| entries[code as usize]),
            Lookup::Ranked(ranks) => each_group(codes, groups, |code| ranks[(code / 64) as usize].group(code)),
            Lookup::Prefixed(prefixed) => each_group(codes, groups, |code| prefixed.group(code)),
            Lookup::Hash(table) => table.find(codes, groups),
        }
    }
}

impl KeyIndex {
    /// For each tuple whether there is a group of its key.
    pub(crate) fn contains(
        &self,
        key: &[KeyVector<'_>],
        len: usize,
        (codes, groups): (&mut Codes, &mut Vec<u32>),
        out: &mut Bitmap,
    ) {
        if let Some((vector, numbers)) = self.numbers(key) {
            let entry = |entries: &[u32], code: u64| u64::from(entries[code as usize] != NO_GROUP);
            let bit = |ranks: &[Ranks], code: u64| ranks[(code / 64) as usize].keys >> (code % 64) & 1;
            match (&vector.data, &self.lookup) {
                (VectorData::I32(values), Lookup::Direct(all)) => {
                    return numbers.known(values, out, |code| entry(all, code));
                }
                (VectorData::I64(values), Lookup::Direct(all)) => {
                    return numbers.known(values, out, |code| entry(all, code));
                }
                (VectorData::I32(values), Lookup::Ranked(all)) => {
                    return numbers.known(values, out, |code| bit(all, code));
                }
                (VectorData::I64(values), Lookup::Ranked(all)) => {
                    return numbers.known(values, out, |code| bit(all, code));
                }
                _ => {}
            }
        }
        self.find(key, len, codes, groups);
        out.fill(len, |tuple| groups[tuple] != NO_GROUP);
    }
}

/// A key of one integer, which needs no code of its own.
#[derive(Clone, Copy)]
struct Numbers {
    low: i64,
    /// How many there are from `low` on.
    count: u64,
}

impl Numbers {
    /// The code of a value, and whether it has one.
    #[inline]
    fn code<T: Into<i64>>(self, value: T) -> (u64, bool) {
        let value: i64 = value.into();
        let distance = value.wrapping_sub(self.low) as u64;
        // What lies below is far above, unless it has gone around the end.
        let inside = distance < self.count && value >= self.low;
        (if inside { distance + 1 } else { 0 }, inside)
    }

    /// The group of each value, by its code.
    #[inline]
    fn groups<T: Copy + Into<i64>>(self, values: &[T], groups: &mut Vec<u32>, group: impl Fn(u64) -> u32) {
        groups.clear();
        groups.extend(values.iter().map(|&value| {
            let (code, inside) = self.code(value);
            let group = group(code);
            if inside { group } else { NO_GROUP }
        }));
    }

    /// Whether each value is a key, by its code.
    #[inline]
    fn known<T: Copy + Into<i64>>(self, values: &[T], out: &mut Bitmap, known: impl Fn(u64) -> u64) {
        out.fill_words(values.len(), |word| {
            let block = &values[word * 64..values.len().min(word * 64 + 64)];
            let bit = |(at, &value): (usize, &T)| {
                let (code, inside) = self.code(value);
                (known(code) & u64::from(inside)) << at
            };
            block.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
        });
    }
}

impl KeyIndex {
    /// How to find keys straight from the vector that holds them: of one integer that is never NULL.
    fn numbers<'k>(&self, key: &[KeyVector<'k>]) -> Option<(&'k Vector, Numbers)> {
        let ([KeyVector { vector, .. }], [part]) = (key, &self.layout.parts[..]) else { return None };
        let PartDomain::Integer { low, .. } = &part.domain else { return None };
        let low = i64::try_from(*low).ok()?;
        let count = u64::try_from(part.domain.codes()? - 1).ok()?;
        (!vector.constant && vector.nulls.is_none()).then_some((vector, Numbers { low, count }))
    }
}

/// The groups of packed keys.
fn each_group(codes: &Codes, groups: &mut Vec<u32>, group: impl Fn(u64) -> u32) {
    groups.clear();
    match &codes.absent {
        None => groups.extend(codes.bits64.iter().map(|&code| group(code))),
        Some(absent) => {
            let marked = codes.bits64.iter().zip(absent);
            groups.extend(marked.map(|(&code, &absent)| if absent { NO_GROUP } else { group(code) }));
        }
    }
}

impl Spans {
    /// First row and number of rows of a group.
    #[inline]
    pub(crate) fn rows(&self, group: u32) -> (u32, u32) {
        match self {
            Spans::Unique => (group, 1),
            Spans::Starts(starts) => {
                let start = starts[group as usize];
                (start, starts[group as usize + 1] - start)
            }
        }
    }
}

/// What an index can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexForm {
    Direct,
    Ranked,
    Hash,
}

/// Codes up to which Direct is in the cache close by; beyond, Ranked is, with its less than two bits a code.
const DIRECT_MAX: u64 = 1 << 16;

/// The form of an index of so many rows. A code costs Direct 4 bytes and Ranked 2 bits, whether it is a key or not;
/// a row costs Hash about 24 bytes, and much time.
///
/// Unless indexes are built often, 4 MiB of bits are cheaper than to hash what probes them.
pub(crate) fn index_form(layout: &KeyLayout, rows: u64, often: bool) -> IndexForm {
    let ranked = if often { 1 << 16 } else { 1 << 24 };
    match layout.codes() {
        Some(codes) if codes <= 1 << 12 || (codes / 4 <= rows && codes <= DIRECT_MAX) => IndexForm::Direct,
        Some(codes) if codes <= ranked || codes / 2048 <= rows && codes <= 1 << 32 => IndexForm::Ranked,
        _ => IndexForm::Hash,
    }
}

/// The values that a key column has: the range of its integers, its dictionary.
fn domain_of(column: &Gathered, data_type: DataType) -> PartDomain {
    fn range<T: Copy + Into<i128>>(column: &Gathered, values: &[T]) -> PartDomain {
        let valid = (0..values.len()).filter(|&row| !column.is_null(row)).map(|row| values[row].into());
        let (low, high) =
            valid.fold((i128::MAX, i128::MIN), |(low, high), value: i128| (low.min(value), high.max(value)));
        if low > high { PartDomain::Integer { low: 0, high: 0 } } else { PartDomain::Integer { low, high } }
    }
    match &column.data {
        GatheredData::I32(values) => range(column, values),
        GatheredData::I64(values) => range(column, values),
        GatheredData::I128(values) => range(column, values),
        GatheredData::Bool(values) if data_type == DataType::Boolean => {
            range(column, &values.iter().map(|&bit| i32::from(bit)).collect::<Vec<_>>())
        }
        GatheredData::Code { dictionary, .. } => PartDomain::Code(Arc::clone(dictionary)),
        _ => PartDomain::of_type(data_type),
    }
}

fn build_direct(layout: KeyLayout, codes: &Codes, size: usize, reservation: Reservation) -> Built {
    let mut entries = vec![NO_GROUP; size];
    let mut unique = true;
    for (row, &code) in codes.bits64.iter().enumerate() {
        let entry = &mut entries[code as usize];
        unique &= *entry == NO_GROUP;
        *entry = row as u32;
    }
    let (spans, order) = if unique {
        (Spans::Unique, None)
    } else {
        // Groups are numbered in the order of their codes.
        let mut groups = 0;
        for entry in entries.iter_mut().filter(|entry| **entry != NO_GROUP) {
            *entry = groups;
            groups += 1;
        }
        let numbers: Vec<u32> = codes.bits64.iter().map(|&code| entries[code as usize]).collect();
        span(&numbers, groups as usize)
    };
    Built { index: KeyIndex { layout, lookup: Lookup::Direct(entries), spans, _reservation: reservation }, order }
}

fn build_ranked(layout: KeyLayout, codes: &Codes, size: usize, reservation: Reservation) -> Built {
    let mut ranks = vec![Ranks::default(); size.div_ceil(64)];
    for &code in &codes.bits64 {
        ranks[(code / 64) as usize].keys |= 1 << (code % 64);
    }
    let groups = Ranks::count(&mut ranks);
    let group = |&code: &u64| ranks[(code / 64) as usize].group(code);
    let (spans, order) = if groups as usize != codes.len {
        let numbers: Vec<u32> = codes.bits64.iter().map(group).collect();
        span(&numbers, groups as usize)
    } else if codes.bits64.is_sorted() {
        (Spans::Unique, None)
    } else {
        let mut order = vec![0u32; codes.len];
        for (row, code) in codes.bits64.iter().enumerate() {
            order[group(code) as usize] = row as u32;
        }
        (Spans::Unique, Some(order))
    };
    Built { index: KeyIndex { layout, lookup: Lookup::Ranked(ranks), spans, _reservation: reservation }, order }
}

fn build_hash(layout: KeyLayout, codes: &Codes, reservation: Reservation) -> Built {
    if let Some((prefixed, order)) = Prefixed::build(&layout, &codes.bits64) {
        let lookup = Lookup::Prefixed(prefixed);
        let order = (!order.is_sorted()).then_some(order);
        return Built { index: KeyIndex { layout, lookup, spans: Spans::Unique, _reservation: reservation }, order };
    }
    let mut table = GroupTable::new(layout.width);
    let mut numbers = Vec::with_capacity(codes.len);
    table.insert(codes, &mut numbers);
    let (spans, order) = if table.len() == codes.len { (Spans::Unique, None) } else { span(&numbers, table.len()) };
    Built { index: KeyIndex { layout, lookup: Lookup::Hash(table), spans, _reservation: reservation }, order }
}

/// Sorts rows by group (counting sort, stable).
fn span(numbers: &[u32], groups: usize) -> (Spans, Option<Vec<u32>>) {
    let mut starts = vec![0u32; groups + 1];
    numbers.iter().for_each(|&number| starts[number as usize + 1] += 1);
    for group in 0..groups {
        starts[group + 1] += starts[group];
    }
    if numbers.is_sorted() {
        return (Spans::Starts(starts), None);
    }
    let mut next = starts.clone();
    let mut order = vec![0u32; numbers.len()];
    for (row, &number) in numbers.iter().enumerate() {
        let place = &mut next[number as usize];
        order[*place as usize] = row as u32;
        *place += 1;
    }
    (Spans::Starts(starts), Some(order))
}
