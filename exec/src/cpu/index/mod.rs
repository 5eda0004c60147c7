//! Indexes from keys to the groups of a finished collection.
//!
//! * *Direct*: few codes, most of them keys: an array over all codes, an entry each.
//! * *Ranked*: keys are a part of not too many codes: a bit a code (see `ranks`). A key's group is its rank among the
//!   keys, so that groups are in the order of their codes.
//! * *Dense*: the keys of a table that fill their range in its order: a key's group is its distance from the lowest.
//! * *Hash*: everything else.
//!
//! A collection whose keys are unique keeps its rows as they are, and a group is a row. Otherwise the rows of a
//! group are brought next to each other, and a group is a span of rows. Rows of a group stay in their order.
//!
//! Large indexes are built by all workers (`ranked_parts`, `hash_parts`), those of keys that come in order in one pass
//! (`sorted`). Groups that are only looked up are found by what they were numbered by: nothing is indexed again.

pub(crate) mod hash_parts;
pub(crate) mod ranked_parts;
pub(crate) mod sorted;
pub(crate) mod translation;

use super::table::{GroupTable, GroupTables};
use crate::column::Column;
use crate::cpu::groups::few::Few;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::groups::set::Set;
use crate::cpu::groups::{direct, hashed};
use crate::cpu::index::hash_parts::{Hashed, Outcome};
use crate::cpu::index::sorted::Keys;
use crate::cpu::index::translation::Translations;
use crate::cpu::kernels::fill_truth_of;
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::integer::{BLOCK, IntegerKeys, Key, KeyVector};
use crate::cpu::keys::measure::{domain_of, layout_in_steps};
use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
use crate::cpu::simd::kernel::{append, append_pairs, kernel};
use crate::cpu::table::ranks::Ranks;
use crate::cpu::vector::Vector;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::NO_GROUP;
use crate::plan::code_range::KeyRange;
use crate::plan::index_form::{IndexForm, Indexing};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::limits::Limits;
use crate::workers::context::{Memory, Reservation};
use crate::workers::schedule::Workers;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Finds groups by their keys.
#[derive(Debug)]
pub(crate) struct KeyIndex {
    layout: KeyLayout,
    lookup: Lookup,
    pub(crate) spans: Spans,
    translations: Translations,
    reservation: Reservation,
}

#[derive(Debug)]
enum Lookup {
    Direct(Direct),
    Ranked(Ranks),
    /// Codes from 1 up to this are keys, each of the group below it.
    Dense(u32),
    Hash(GroupTables),
}

/// For each code its group, [`NO_GROUP`] if there is none, and so for the code behind the last.
#[derive(Debug)]
struct Direct {
    entries: Vec<u32>,
    /// A bit for each code that has one, if keys are one integer.
    set: Vec<u64>,
}

impl Direct {
    fn new(entries: Vec<u32>, layout: &KeyLayout, reservation: &mut Reservation) -> Result<Self> {
        if layout.code_range().is_none() {
            return Ok(Direct { entries, set: Vec::new() });
        }
        reservation.add(entries.len() / 8)?;
        let bit = |(at, &group): (usize, &u32)| u64::from(group != NO_GROUP) << at;
        let word = |entries: &[u32]| entries.iter().enumerate().fold(0, |word, entry| word | bit(entry));
        Ok(Direct { set: entries.chunks(BLOCK).map(word).collect(), entries })
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
    fn new(layout: KeyLayout, lookup: Lookup, spans: Spans, reservation: Reservation) -> Self {
        KeyIndex { layout, lookup, spans, translations: Translations::default(), reservation }
    }

    /// Indexes rows by these key columns. Without workers indexes are built again and again.
    pub(crate) fn build(
        keys: &[ColumnBuilder],
        types: &[DataType],
        rows: usize,
        limits: &Limits,
        workers: Workers<'_>,
    ) -> Result<Built> {
        if rows >= NO_GROUP as usize {
            return Err(Error::new(ErrorKind::TooComplex, "a bucket of more than 4294967294 rows"));
        }
        if let Some(index) = KeyIndex::of_increasing(keys, rows, limits, workers)? {
            return Ok(Built { index, order: None });
        }
        let domains = keys.iter().zip(types).map(|(column, &data_type)| domain_of(column, data_type, workers));
        let layout = KeyLayout::new(domains.collect::<Result<_>>()?);
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.add(rows * 24)?;
        let in_steps = |layout: &KeyLayout| layout_in_steps(layout, keys, workers);
        let Indexing { form, layout } = Indexing::of(layout, rows as u64, workers.pool.is_none(), limits, in_steps)?;
        if let (IndexForm::Ranked, Some(size)) = (form, layout.codes())
            && rows > ranked_parts::PARTS_ROWS
            && !workers.is_one()
        {
            reservation.add(Ranks::bytes(size))?;
            let ranked_parts::Ranked { ranks, spans, order } = ranked_parts::rank(&layout, keys, rows, size, workers)?;
            let index = KeyIndex::new(layout, Lookup::Ranked(ranks), spans, reservation);
            return Ok(Built { index, order });
        }
        // One worker has no gain from parts: what the slots' nearness saves, partitioning costs.
        let mut codes = None;
        let mut building = Reservation::new(&workers.context.memory);
        // Parts need more memory than one pass, which does it without.
        let has_room = |bytes: usize| building.add(bytes).is_ok();
        if form == IndexForm::Hash
            && rows > ranked_parts::PARTS_ROWS
            && !workers.is_one()
            && hash_parts::bytes(&layout, rows).is_some_and(has_room)
        {
            codes = match hash_parts::index(&layout, keys, rows, workers)? {
                Outcome::Built(Hashed { tables, spans, order }) => {
                    reservation.resize(tables.bytes() + spans.bytes())?;
                    return Ok(Built { index: KeyIndex::new(layout, Lookup::Hash(tables), spans, reservation), order });
                }
                Outcome::OnePass(codes) => Some(*codes),
            };
        }
        let codes = codes.unwrap_or_else(|| Codes::of_columns(&layout, keys, rows));
        let built = match (form, layout.codes()) {
            (IndexForm::Direct, Some(size)) => {
                reservation.add(size as usize * 4)?;
                build_direct(layout, &codes, size as usize, reservation)?
            }
            (IndexForm::Ranked, Some(size)) => {
                reservation.add(Ranks::bytes(size))?;
                build_ranked(layout, &codes, size, reservation)?
            }
            _ => build_hash(layout, &codes, reservation)?,
        };
        Ok(built)
    }

    /// The index of rows whose keys are all integers of the layout's range, in order; see [`KeyLayout::code_range`].
    pub(crate) fn dense(layout: KeyLayout, memory: &Arc<Memory>) -> Self {
        // The last code is the highest key's, and the one before the first is NULL's.
        let last = layout.codes().map_or(0, |codes| codes - 1) as u32;
        let lookup = Lookup::Dense(last);
        KeyIndex::new(layout, lookup, Spans::Unique, Reservation::new(memory))
    }

    /// The index of rows whose keys are one column, a part of it a chunk, in which they increase; none if they do not, or if
    /// there is a better index.
    pub(crate) fn of_sorted(
        layout: &KeyLayout,
        columns: &[&Column],
        limits: &Limits,
        workers: Workers<'_>,
    ) -> Result<Option<Self>> {
        let rows: usize = columns.iter().map(|column| column.rows()).sum();
        let (Some(size), Some(range)) = (layout.codes(), layout.code_range()) else { return Ok(None) };
        if !Indexing::ranks_increasing(layout, rows as u64, workers.pool.is_none(), limits) {
            return Ok(None);
        }
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.add(2 * Ranks::bytes(size))?;
        let Some(ranks) = sorted::rank(Keys::Columns(columns), range, size, workers)? else { return Ok(None) };
        let lookup = Lookup::Ranked(ranks);
        Ok(Some(KeyIndex::new(layout.clone(), lookup, Spans::Unique, reservation)))
    }

    /// The index of groups that were numbered by these, each of which has a part of the keys: those of a part follow those of
    /// the part before. Gives how many groups there are, too.
    pub(crate) fn of_groups(groupers: Vec<Grouper>, workers: Workers<'_>) -> Result<(Self, usize)> {
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.add(groupers.iter().map(Grouper::bytes).sum())?;
        let (mut tables, mut direct, mut rows) = (Vec::new(), Vec::new(), 0);
        let mut built: Option<(KeyLayout, Option<Ranks>)> = None;
        for grouper in groupers {
            let own = match grouper {
                Grouper::Set(Set { layout, words }) => {
                    let (ranks, count) = Ranks::of_words(words, layout.codes().unwrap_or_default(), workers)?;
                    rows += count as usize;
                    (layout, Some(ranks))
                }
                Grouper::Direct(direct::Direct { layout, entries, codes, .. }) => {
                    // One more than the group, and 0 for none, which is the last number of all.
                    let first = rows as u32;
                    let group = |entry: u32| if entry == 0 { NO_GROUP } else { first + entry - 1 };
                    direct.extend(entries.into_iter().map(group));
                    rows += codes.len();
                    (layout, None)
                }
                Grouper::Few(Few { layout, seen, .. }) => {
                    reservation.add(seen.len() * 4)?;
                    direct.extend(seen.into_iter().map(|seen| {
                        rows += usize::from(seen);
                        if seen { rows as u32 - 1 } else { NO_GROUP }
                    }));
                    (layout, None)
                }
                Grouper::Hash(hashed::Hashed { layout, table, .. }) => {
                    rows += table.len();
                    tables.push(table);
                    (layout, None)
                }
                Grouper::One | Grouper::Known(_) | Grouper::Ordered(_) => {
                    return Err(Error::internal("these groups are not their own index"));
                }
            };
            built.get_or_insert(own);
        }
        let Some((layout, ranks)) = built else { return Err(Error::internal("an index of nothing")) };
        let lookup = match ranks {
            Some(ranks) => Lookup::Ranked(ranks),
            None if !tables.is_empty() => Lookup::Hash(GroupTables::new(tables)),
            None => {
                direct.push(NO_GROUP);
                Lookup::Direct(Direct::new(direct, &layout, &mut reservation)?)
            }
        };
        if let Lookup::Hash(tables) = &lookup {
            reservation.resize(tables.bytes())?;
        }
        Ok((KeyIndex::new(layout, lookup, Spans::Unique, reservation), rows))
    }

    /// The index of keys that are one integer each and increase, as far as it is one of ranks or needs none.
    fn of_increasing(
        keys: &[ColumnBuilder],
        rows: usize,
        limits: &Limits,
        workers: Workers<'_>,
    ) -> Result<Option<Self>> {
        let [column] = keys else { return Ok(None) };
        let Some((sorted, (low, high))) = Keys::of_builder(column) else { return Ok(None) };
        let layout = KeyLayout::new(vec![PartDomain::integers(low, high)]);
        let in_steps = |layout: &KeyLayout| layout_in_steps(layout, keys, workers);
        let often = workers.pool.is_none();
        let indexing = Indexing::of_increasing(layout, rows as u64, often, limits, in_steps)?;
        let Some(Indexing { form, layout }) = indexing else { return Ok(None) };
        let (Some(size), Some(range)) = (layout.codes(), layout.code_range()) else { return Ok(None) };
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.add(2 * Ranks::bytes(size))?;
        let Some(ranks) = sorted::rank(sorted, range, size, workers)? else { return Ok(None) };
        let is_dense = form == IndexForm::Dense;
        let lookup = if is_dense { Lookup::Dense(rows as u32) } else { Lookup::Ranked(ranks) };
        Ok(Some(KeyIndex::new(layout, lookup, Spans::Unique, reservation)))
    }

    /// How many codes its keys may have, if these are numbers.
    pub(crate) fn codes(&self) -> Option<u64> {
        self.layout.codes()
    }

    /// What it is, for notes.
    pub(crate) fn form(&self) -> IndexForm {
        match &self.lookup {
            Lookup::Direct(_) => IndexForm::Direct,
            Lookup::Ranked(_) => IndexForm::Ranked,
            Lookup::Dense(_) => IndexForm::Dense,
            Lookup::Hash(_) => IndexForm::Hash,
        }
    }

    /// How it finds its keys, if they are one integer each.
    pub(crate) fn key_range(&self) -> Option<KeyRange> {
        match self.lookup {
            Lookup::Direct(_) | Lookup::Ranked(_) | Lookup::Dense(_) => self.layout.code_range().map(KeyRange::Codes),
            Lookup::Hash(_) => self.layout.wide_range().map(KeyRange::Wide),
        }
    }

    /// The least and the greatest value that a part of a key can have, NULL apart, if it is integer-like. Other values are
    /// never found.
    pub(crate) fn part_range(&self, part: usize) -> Option<(i128, i128)> {
        match &self.layout.parts.get(part)?.domain {
            // A domain without codes is written as it is, and bounds nothing.
            domain @ PartDomain::Integer(grid) => domain.codes().map(|_| (grid.low, grid.high)),
            _ => None,
        }
    }

    /// For each tuple its group, [`NO_GROUP`] if there is none.
    pub(crate) fn find(&self, key: &Key<'_>, len: usize, codes: &mut Codes, groups: &mut Vec<u32>) {
        match key {
            Key::Integers(keys) => {
                keys.codes(len, groups);
                match &self.lookup {
                    Lookup::Direct(direct) => replace(groups, |code| direct.entries[code as usize]),
                    Lookup::Ranked(ranks) => replace(groups, |code| ranks.group(code.into())),
                    Lookup::Dense(last) => {
                        let last = *last;
                        replace(groups, |code| dense(code.into(), last));
                    }
                    Lookup::Hash(_) => unreachable!("it has no range of codes"),
                }
            }
            Key::Wide(keys) => {
                codes.set_wide(keys, len);
                self.find_codes(codes, groups);
            }
            Key::Parts(parts) => self.find_parts(parts, len, codes, groups),
        }
    }

    fn find_parts(&self, key: &[KeyVector<'_>], len: usize, codes: &mut Codes, groups: &mut Vec<u32>) {
        let mut parts: Vec<KeyPartValues<'_>> = key
            .iter()
            .map(|part| KeyPartValues { values: PartValues::Vector(part.vector), null_matches: part.null_matches })
            .collect();
        if let (Lookup::Hash(tables), [only]) = (&self.lookup, &parts[..]) {
            let find = |codes: &Codes| {
                let mut groups = Vec::new();
                tables.find(codes, &mut groups);
                groups
            };
            if let Some(found) = self.translations.groups(&self.layout, *only, &self.reservation, find) {
                *groups = found;
                return;
            }
        }
        let own = key.iter().zip(&self.layout.parts).enumerate().map(|(at, (part, layout))| {
            self.translations.translated((at, &layout.domain), part.vector, &self.reservation)
        });
        let own: Vec<Option<Vector>> = own.collect();
        for (part, own) in parts.iter_mut().zip(&own) {
            if let Some(own) = own {
                part.values = PartValues::Vector(own);
            }
        }
        codes.encode(&self.layout, &parts, len);
        self.find_codes(codes, groups);
    }

    /// For each of packed keys its group.
    fn find_codes(&self, codes: &mut Codes, groups: &mut Vec<u32>) {
        match &self.lookup {
            Lookup::Direct(direct) => each_group(codes, groups, |code| direct.entries[code as usize]),
            Lookup::Ranked(ranks) => each_group(codes, groups, |code| ranks.group(code)),
            Lookup::Dense(last) => each_group(codes, groups, |code| dense(code, *last)),
            Lookup::Hash(tables) => {
                // A table close by is asked as quickly as neighbours are compared.
                if tables.is_far() {
                    tables.find(codes.without_duplicates(self.layout.width), groups);
                    codes.duplicates.spread(groups);
                } else {
                    tables.find(codes, groups);
                }
            }
        }
    }

    /// For each tuple whether there is a group of its key.
    pub(crate) fn contains(
        &self,
        key: &Key<'_>,
        len: usize,
        (codes, groups): (&mut Codes, &mut Vec<u32>),
        out: &mut Bitmap,
    ) {
        match key {
            Key::Integers(keys) => self.members(keys, len, groups, out),
            Key::Wide(_) | Key::Parts(_) => {
                self.find(key, len, codes, groups);
                fill_truth_of(groups, out, |group| group != NO_GROUP);
            }
        }
    }

    /// Appends the tuples (of a mask, if there is one) that have a group, and their groups.
    pub(crate) fn matches(
        &self,
        key: &Key<'_>,
        len: usize,
        mask: Option<&Bitmap>,
        codes: &mut Codes,
        (tuples, groups): (&mut Vec<u32>, &mut Vec<u32>),
    ) {
        match key {
            Key::Integers(keys) => {
                let mut found = std::mem::take(&mut codes.found);
                self.members(keys, len, &mut codes.numbers, &mut found);
                if let Some(mask) = mask {
                    found.and(mask);
                }
                let before = tuples.len();
                found.push_positions(tuples);
                codes.found = found;
                let tuples = &tuples[before..];
                match &self.lookup {
                    Lookup::Direct(direct) => keys.groups_at(tuples, groups, |code| direct.entries[code as usize]),
                    Lookup::Ranked(ranks) => ranks_at(ranks, keys, tuples, groups),
                    Lookup::Dense(_) => keys.groups_at(tuples, groups, |code| code - 1),
                    Lookup::Hash(_) => unreachable!("it has no range of codes"),
                }
            }
            Key::Wide(_) | Key::Parts(_) => {
                let mut found = Vec::new();
                self.find(key, len, codes, &mut found);
                fill_truth_of(&found, &mut codes.found, |group| group != NO_GROUP);
                if let Some(mask) = mask {
                    codes.found.and(mask);
                }
                let before = tuples.len();
                codes.found.push_positions(tuples);
                append(groups, &tuples[before..], |tuple| found[tuple as usize]);
            }
        }
    }

    /// Makes `out` which keys are those of groups. `memory` is for their codes.
    fn members(&self, keys: &IntegerKeys<'_>, len: usize, memory: &mut Vec<u32>, out: &mut Bitmap) {
        let set = match &self.lookup {
            Lookup::Direct(direct) => &direct.set,
            Lookup::Ranked(ranks) => ranks.bits(),
            Lookup::Dense(last) => {
                let last = *last;
                keys.codes(len, memory);
                return fill_truth_of(memory, out, |code| code.wrapping_sub(1) < last);
            }
            Lookup::Hash(_) => unreachable!("it has no range of codes"),
        };
        let mut words = out.take_words();
        keys.members(set, &mut words);
        out.set_words(len, words);
    }
}

kernel! {
    /// Puts in the place of each code what `group` gives of it.
    fn replace[](codes: &mut [u32], group: impl Fn(u32) -> u32) {
        codes.iter_mut().for_each(|code| *code = group(*code));
    }
}

kernel! {
    /// Appends the ranks of the keys at these positions.
    fn ranks_at[](ranks: &Ranks, keys: &IntegerKeys<'_>, positions: &[u32], groups: &mut Vec<u32>) {
        keys.groups_at(positions, groups, |code| ranks.rank(code));
    }
}

/// The group of a code where all codes from 1 to `last` are keys.
#[inline(always)]
fn dense(code: u64, last: u32) -> u32 {
    if code.wrapping_sub(1) < last.into() { code as u32 - 1 } else { NO_GROUP }
}

kernel! {
    /// The groups of packed keys.
    fn each_group[](codes: &Codes, groups: &mut Vec<u32>, group: impl Fn(u64) -> u32) {
        groups.clear();
        match &codes.absent {
            None => append(groups, &codes.bits64, group),
            Some(absent) => append_pairs(groups, &codes.bits64, absent, |code, absent| {
                if absent { NO_GROUP } else { group(code) }
            }),
        }
    }
}

impl Spans {
    /// Bytes held.
    fn bytes(&self) -> usize {
        match self {
            Spans::Unique => 0,
            Spans::Starts(starts) => starts.len() * 4,
        }
    }

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

fn build_direct(layout: KeyLayout, codes: &Codes, size: usize, mut reservation: Reservation) -> Result<Built> {
    let mut entries = vec![NO_GROUP; size + 1];
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
    let direct = Direct::new(entries, &layout, &mut reservation)?;
    Ok(Built { index: KeyIndex::new(layout, Lookup::Direct(direct), spans, reservation), order })
}

fn build_ranked(layout: KeyLayout, codes: &Codes, size: u64, reservation: Reservation) -> Result<Built> {
    let mut ranks = Ranks::new(size);
    codes.bits64.iter().for_each(|&code| ranks.set(code));
    let groups = ranks.count()?;
    let group = |&code: &u64| ranks.group(code);
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
    Ok(Built { index: KeyIndex::new(layout, Lookup::Ranked(ranks), spans, reservation), order })
}

fn build_hash(layout: KeyLayout, codes: &Codes, mut reservation: Reservation) -> Result<Built> {
    let mut table = GroupTable::new(layout.width, codes.len);
    let mut numbers = Vec::with_capacity(codes.len);
    table.insert(codes, &mut numbers);
    let (spans, order) = if table.len() == codes.len { (Spans::Unique, None) } else { span(&numbers, table.len()) };
    let tables = GroupTables::new(vec![table]);
    reservation.resize(tables.bytes())?;
    Ok(Built { index: KeyIndex::new(layout, Lookup::Hash(tables), spans, reservation), order })
}

/// The rows of groups with these numbers, and the order that brings them side by side; none if they are.
fn span(numbers: &[u32], groups: usize) -> (Spans, Option<Vec<u32>>) {
    let starts = starts_of(numbers, groups);
    let order = (!numbers.is_sorted()).then(|| sort_by_group(numbers, &starts));
    (Spans::Starts(starts), order)
}

/// Where the rows of each group begin, once they are sorted by group, and where the last one's end.
pub(crate) fn starts_of<T: Copy + Into<u32>>(numbers: &[T], groups: usize) -> Vec<u32> {
    let mut starts = vec![0u32; groups + 1];
    numbers.iter().for_each(|&number| starts[number.into() as usize + 1] += 1);
    for group in 0..groups {
        starts[group + 1] += starts[group];
    }
    starts
}

/// Rows by group (counting sort, stable).
pub(crate) fn sort_by_group<T: Copy + Into<u32>>(numbers: &[T], starts: &[u32]) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut order = vec![0u32; numbers.len()];
    for (row, &number) in numbers.iter().enumerate() {
        let place = &mut next[number.into() as usize];
        order[*place as usize] = row as u32;
        *place += 1;
    }
    order
}
