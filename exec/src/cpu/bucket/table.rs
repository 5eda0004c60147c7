//! Hash: numbers distinct keys 0, 1, 2, … in the order in which they come. Open addressing; a slot holds 32 bits of
//! the hash beside the number, so that a wrong key is rarely compared. Of keys of 32 bits these are another 32 for each key,
//! so none is compared at all, and a probe touches one cache line.
//!
//! Keys are hashed a batch at a time, and the slots and then the keys that a batch will look at are asked for before it
//! looks at the first, so that cache misses overlap. Source: group prefetching (Chen, Ailamaki, Gibbons, Mowry: Improving
//! Hash Join Performance through Prefetching, 2004).

use super::super::kernels::{prefetch_here, vectorised};
use super::byte_keys::ByteKeys;
use super::grouper::part_of_hash;
use super::key::{Codes, KeyWidth};
use super::key_filter::KeyFilter;
use super::text_keys::TextKeys;
use crate::technique::Technique;

/// The number that stands for no group.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Keys that are hashed together.
const BATCH: usize = 64;

/// Slots up to which they are in the cache close by, and looking ahead costs more than it saves.
const NEAR_SLOTS: usize = 1 << 17;

/// The half of a hash that a slot keeps.
const TAG: u64 = 0xffff_ffff_0000_0000;

/// Numbers of distinct keys.
#[derive(Clone, Debug)]
pub(crate) struct GroupTable {
    slots: Slots,
    keys: Keys,
}

/// 0 if empty, else the upper half of the hash and 1 + number. A power of two of them, at most half of them full.
#[derive(Clone, Debug)]
struct Slots {
    slots: Vec<u64>,
    len: usize,
}

/// The distinct keys, by number.
#[derive(Clone, Debug)]
enum Keys {
    Bits32(Vec<u32>),
    Bits64(Vec<u64>),
    Bits128(Vec<u128>),
    Bytes(ByteKeys),
}

/// Where keys of one kind are kept.
pub(super) trait Store {
    type Key<'k>: Copy;

    /// Whether keys are equal if the upper halves of their hashes are, so that no key is looked at.
    const IN_TAG: bool = false;

    fn hash(key: Self::Key<'_>) -> u64;
    fn hash_of(&self, number: usize) -> u64;
    fn is(&self, number: usize, key: Self::Key<'_>) -> bool;
    fn add(&mut self, key: Self::Key<'_>);
    fn prefetch(&self, number: usize);
}

/// Mixes an integer so that all bits depend on all bits (the finaliser of MurmurHash3).
#[inline]
pub(crate) fn hash64(key: u64) -> u64 {
    let mut hash = key;
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// Mixes an integer of 32 bits: the upper half of the hash is another for every integer (the finaliser of MurmurHash3 for
/// 32 bits), the lower half the upper one of a product of that.
#[inline]
pub(crate) fn hash32(key: u32) -> u64 {
    let mut hash = key;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    u64::from(hash) << 32 | u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// Defines the keys that are integers.
macro_rules! integer_store {
    ($type:ty, $hash:expr, $in_tag:literal) => {
        impl Store for Vec<$type> {
            type Key<'k> = $type;

            const IN_TAG: bool = $in_tag;

            #[inline(always)]
            fn hash(key: $type) -> u64 {
                $hash(key)
            }
            #[inline(always)]
            fn hash_of(&self, number: usize) -> u64 {
                $hash(self[number])
            }
            #[inline(always)]
            fn is(&self, number: usize, key: $type) -> bool {
                $in_tag || self[number] == key
            }
            #[inline(always)]
            fn add(&mut self, key: $type) {
                self.push(key);
            }
            #[inline(always)]
            fn prefetch(&self, number: usize) {
                prefetch_here(self.as_ptr().wrapping_add(number));
            }
        }
    };
}

integer_store!(u32, hash32, true);
integer_store!(u64, hash64, false);
integer_store!(u128, |key: u128| hash64((key as u64) ^ hash64((key >> 64) as u64)), false);

impl Slots {
    /// Slots for so many keys.
    fn new(keys: usize) -> Self {
        // Where slots are near, empty ones are cheaper than steps.
        let each = if keys <= NEAR_SLOTS { 4 } else { 2 };
        Slots { slots: vec![0; (keys * each).next_power_of_two().max(BATCH)], len: 0 }
    }

    /// Makes room for so many keys more.
    fn reserve<S: Store>(&mut self, more: usize, store: &S) {
        if (self.len + more) * 2 <= self.slots.len() {
            return;
        }
        let size = ((self.len + more) * 2).next_power_of_two().max(self.slots.len() * 4);
        let mask = size - 1;
        let mut slots = vec![0u64; size];
        for number in 0..self.len {
            let hash = store.hash_of(number);
            let mut slot = hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (hash & TAG) | (number as u64 + 1);
        }
        self.slots = slots;
    }

    /// Hashes keys, and asks for the memory that looking for them takes.
    #[inline(always)]
    fn ahead<'k, S: Store>(&self, store: &S, hashes: &mut [u64], key: impl Fn(usize) -> S::Key<'k>) {
        let mask = self.slots.len() - 1;
        if !Technique::LookAhead.is_on() {
            hashes.iter_mut().enumerate().for_each(|(at, hash)| *hash = S::hash(key(at)));
            return;
        }
        for (at, hash) in hashes.iter_mut().enumerate() {
            *hash = S::hash(key(at));
            prefetch_here(self.slots.as_ptr().wrapping_add(*hash as usize & mask));
        }
        if S::IN_TAG {
            return;
        }
        for hash in hashes.iter() {
            let entry = self.slots[*hash as usize & mask];
            if entry != 0 && (entry ^ hash) & TAG == 0 {
                store.prefetch(entry as u32 as usize - 1);
            }
        }
    }

    /// The number of a key, or the empty slot where it belongs.
    #[inline(always)]
    fn find<S: Store>(&self, store: &S, hash: u64, key: S::Key<'_>) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            let number = (entry as u32) - 1;
            if (entry ^ hash) & TAG == 0 && store.is(number as usize, key) {
                return Ok(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Numbers keys, new ones in order; those that are absent get [`NO_GROUP`].
    fn insert_all<'k, S: Store>(
        &mut self,
        store: &mut S,
        len: usize,
        key: impl Fn(usize) -> S::Key<'k>,
        absent: impl Fn(usize) -> bool,
        numbers: &mut Vec<u32>,
    ) {
        let mut hashes = [0u64; BATCH];
        for start in (0..len).step_by(BATCH) {
            let hashes = &mut hashes[..BATCH.min(len - start)];
            self.reserve(hashes.len(), store);
            self.ahead(store, hashes, |at| key(start + at));
            numbers.extend(hashes.iter().enumerate().map(|(at, &hash)| {
                if absent(start + at) {
                    return NO_GROUP;
                }
                let key = key(start + at);
                self.find(store, hash, key).unwrap_or_else(|slot| {
                    let number = self.len as u32;
                    store.add(key);
                    self.slots[slot] = (hash & TAG) | u64::from(number + 1);
                    self.len += 1;
                    number
                })
            }));
        }
    }

    /// The numbers of keys, [`NO_GROUP`] for those that are not there or absent.
    fn find_all<'k, S: Store>(
        &self,
        store: &S,
        len: usize,
        key: impl Fn(usize) -> S::Key<'k>,
        absent: impl Fn(usize) -> bool,
        numbers: &mut Vec<u32>,
    ) {
        if self.slots.len() <= NEAR_SLOTS || !Technique::LookAhead.is_on() {
            numbers.extend((0..len).map(|at| {
                if absent(at) {
                    return NO_GROUP;
                }
                self.find(store, S::hash(key(at)), key(at)).unwrap_or(NO_GROUP)
            }));
            return;
        }
        let mut hashes = [0u64; BATCH];
        for start in (0..len).step_by(BATCH) {
            let hashes = &mut hashes[..BATCH.min(len - start)];
            self.ahead(store, hashes, |at| key(start + at));
            numbers.extend(hashes.iter().enumerate().map(|(at, &hash)| {
                if absent(start + at) {
                    return NO_GROUP;
                }
                self.find(store, hash, key(start + at)).unwrap_or(NO_GROUP)
            }));
        }
    }
}

impl GroupTable {
    /// A table without keys, with room for so many.
    pub(crate) fn new(width: KeyWidth, keys: usize) -> Self {
        let store = match width {
            KeyWidth::Bits32 => Keys::Bits32(Vec::with_capacity(keys)),
            KeyWidth::Bits64 => Keys::Bits64(Vec::with_capacity(keys)),
            KeyWidth::Bits128 => Keys::Bits128(Vec::with_capacity(keys)),
            KeyWidth::Bytes | KeyWidth::Text => Keys::Bytes(ByteKeys::default()),
        };
        GroupTable { slots: Slots::new(keys), keys: store }
    }

    /// How many keys.
    pub(crate) fn len(&self) -> usize {
        self.slots.len
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.slots.capacity() * 8
            + match &self.keys {
                Keys::Bits32(keys) => keys.capacity() * 4,
                Keys::Bits64(keys) => keys.capacity() * 8,
                Keys::Bits128(keys) => keys.capacity() * 16,
                Keys::Bytes(keys) => keys.held(),
            }
    }

    /// The hash of the key of a number; the same for one key in every table of its width.
    pub(crate) fn hash(&self, number: usize) -> u64 {
        match &self.keys {
            Keys::Bits32(keys) => keys.hash_of(number),
            Keys::Bits64(keys) => keys.hash_of(number),
            Keys::Bits128(keys) => keys.hash_of(number),
            Keys::Bytes(keys) => keys.hash_of(number),
        }
    }

    /// Numbers keys, new ones in order; those marked absent get [`NO_GROUP`].
    pub(crate) fn insert(&mut self, codes: &Codes, numbers: &mut Vec<u32>) {
        numbers.clear();
        let (len, absent) = (codes.len, |tuple: usize| codes.is_absent(tuple));
        match &mut self.keys {
            Keys::Bits32(keys) => self.slots.insert_all(keys, len, |tuple| codes.bits64[tuple] as u32, absent, numbers),
            Keys::Bits64(keys) => self.slots.insert_all(keys, len, |tuple| codes.bits64[tuple], absent, numbers),
            Keys::Bits128(keys) => self.slots.insert_all(keys, len, |tuple| codes.bits128[tuple], absent, numbers),
            Keys::Bytes(keys) => match (&codes.texts, codes.texts.as_ref().and_then(TextKeys::distinct)) {
                (None, _) => self.slots.insert_all(keys, len, |tuple| codes.bytes(tuple), absent, numbers),
                (Some(_), Some(distinct)) => {
                    let mut known = Vec::with_capacity(distinct.len());
                    self.slots.insert_all(keys, distinct.len(), |place| distinct.get(place), |_| false, &mut known);
                    numbers.extend(distinct.places.iter().map(|&place| known[place as usize]));
                }
                (Some(texts), None) => self.slots.insert_all(keys, len, |tuple| texts.get(tuple), absent, numbers),
            },
        }
    }

    /// Adds keys of another table of the same width; gives their numbers here.
    pub(crate) fn insert_all(&mut self, other: &GroupTable, chosen: &[u32]) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(chosen.len());
        let (len, at, present) = (chosen.len(), |place: usize| chosen[place] as usize, |_| false);
        match (&mut self.keys, &other.keys) {
            (Keys::Bits32(keys), Keys::Bits32(from)) => {
                self.slots.insert_all(keys, len, |place| from[at(place)], present, &mut numbers);
            }
            (Keys::Bits64(keys), Keys::Bits64(from)) => {
                self.slots.insert_all(keys, len, |place| from[at(place)], present, &mut numbers);
            }
            (Keys::Bits128(keys), Keys::Bits128(from)) => {
                self.slots.insert_all(keys, len, |place| from[at(place)], present, &mut numbers);
            }
            (Keys::Bytes(keys), Keys::Bytes(from)) => {
                self.slots.insert_all(keys, len, |place| from.get(at(place)), present, &mut numbers);
            }
            _ => unreachable!("tables of one width"),
        }
        numbers
    }

    /// The numbers of keys, [`NO_GROUP`] for keys that are not there or marked absent.
    pub(crate) fn find(&self, codes: &Codes, numbers: &mut Vec<u32>) {
        numbers.clear();
        let (len, absent) = (codes.len, |tuple: usize| codes.is_absent(tuple));
        match &self.keys {
            Keys::Bits32(keys) => self.slots.find_all(keys, len, |tuple| codes.bits64[tuple] as u32, absent, numbers),
            Keys::Bits64(keys) => self.slots.find_all(keys, len, |tuple| codes.bits64[tuple], absent, numbers),
            Keys::Bits128(keys) => self.slots.find_all(keys, len, |tuple| codes.bits128[tuple], absent, numbers),
            Keys::Bytes(keys) => match (&codes.texts, codes.texts.as_ref().and_then(TextKeys::distinct)) {
                (None, _) => self.slots.find_all(keys, len, |tuple| codes.bytes(tuple), absent, numbers),
                (Some(_), Some(distinct)) => {
                    let mut known = Vec::with_capacity(distinct.len());
                    self.slots.find_all(keys, distinct.len(), |place| distinct.get(place), |_| false, &mut known);
                    let number = |(tuple, &place): (usize, &u32)| {
                        if absent(tuple) { NO_GROUP } else { known[place as usize] }
                    };
                    numbers.extend(distinct.places.iter().enumerate().map(number));
                }
                (Some(texts), None) => self.slots.find_all(keys, len, |tuple| texts.get(tuple), absent, numbers),
            },
        }
    }
}

/// Tables of parts of the keys, by the upper bits of their hashes: a power of two of them. The numbers of a table's keys
/// follow those of the table before.
#[derive(Debug)]
pub(crate) struct GroupTables {
    tables: Vec<GroupTable>,
    /// The first number of each.
    starts: Vec<u32>,
    /// If the tables are not in the cache close by.
    filter: Option<KeyFilter>,
}

/// Keys after which it is seen whether the filter keeps enough away.
const TRIED: usize = 8 * BATCH;

impl GroupTables {
    /// The keys of these tables.
    pub(crate) fn new(tables: Vec<GroupTable>) -> Self {
        debug_assert!(tables.len().is_power_of_two(), "a part of hashes a table");
        let starts = tables.iter().scan(0, |next, table| {
            let start = *next;
            *next += table.len() as u32;
            Some(start)
        });
        let starts = starts.collect();
        let slots: usize = tables.iter().map(|table| table.slots.slots.len()).sum();
        let filter = (slots > NEAR_SLOTS && Technique::KeyFilter.is_on()).then(|| {
            let hashes = tables.iter().flat_map(|table| (0..table.len()).map(|number| table.hash(number)));
            KeyFilter::new(tables.iter().map(GroupTable::len).sum(), hashes)
        });
        GroupTables { starts, tables, filter }
    }

    /// Whether the tables are not in the cache close by.
    pub(crate) fn is_far(&self) -> bool {
        self.tables.iter().map(|table| table.slots.slots.len()).sum::<usize>() > NEAR_SLOTS
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.tables.iter().map(GroupTable::bytes).sum::<usize>() + self.filter.as_ref().map_or(0, KeyFilter::bytes)
    }

    /// As [`GroupTable::find`].
    pub(crate) fn find(&self, codes: &Codes, numbers: &mut Vec<u32>) {
        if let ([only], None) = (&self.tables[..], &self.filter) {
            return only.find(codes, numbers);
        }
        numbers.clear();
        let (len, absent) = (codes.len, |tuple: usize| codes.is_absent(tuple));
        match &self.tables[0].keys {
            Keys::Bits32(_) => self.find_all::<Vec<u32>>(len, |tuple| codes.bits64[tuple] as u32, absent, numbers),
            Keys::Bits64(_) => self.find_all::<Vec<u64>>(len, |tuple| codes.bits64[tuple], absent, numbers),
            Keys::Bits128(_) => self.find_all::<Vec<u128>>(len, |tuple| codes.bits128[tuple], absent, numbers),
            Keys::Bytes(_) => match (&codes.texts, codes.texts.as_ref().and_then(TextKeys::distinct)) {
                (None, _) => self.find_all::<ByteKeys>(len, |tuple| codes.bytes(tuple), absent, numbers),
                (Some(_), Some(distinct)) => {
                    let mut known = Vec::with_capacity(distinct.len());
                    self.find_all::<ByteKeys>(distinct.len(), |place| distinct.get(place), |_| false, &mut known);
                    let number = |(tuple, &place): (usize, &u32)| {
                        if absent(tuple) { NO_GROUP } else { known[place as usize] }
                    };
                    numbers.extend(distinct.places.iter().enumerate().map(number));
                }
                (Some(texts), None) => self.find_all::<ByteKeys>(len, |tuple| texts.get(tuple), absent, numbers),
            },
        }
    }

    /// The numbers of keys, [`NO_GROUP`] for those that are not there or absent.
    fn find_all<'k, S: Store + Chosen>(
        &self,
        len: usize,
        key: impl Fn(usize) -> S::Key<'k>,
        absent: impl Fn(usize) -> bool,
        numbers: &mut Vec<u32>,
    ) {
        numbers.resize(len, NO_GROUP);
        let mut waiting = Waiting { tuples: [0; 2 * BATCH], hashes: [0; 2 * BATCH], len: 0 };
        let (mut filter, mut passed, mut hashes) = (self.filter.as_ref(), 0, [0; BATCH]);
        for start in (0..len).step_by(BATCH) {
            let count = BATCH.min(len - start);
            let each = hashes[..count].iter_mut().enumerate();
            vectorised(|| each.for_each(|(at, hash)| *hash = S::hash(key(start + at))));
            let mut may = filter.map_or(u64::MAX, |filter| filter.may_have(&hashes)) & u64::MAX >> (BATCH - count);
            passed += may.count_ones() as usize;
            while may != 0 {
                let at = may.trailing_zeros() as usize;
                may &= may - 1;
                if !absent(start + at) {
                    let hash = hashes[at];
                    let slots = &self.tables[self.part(hash)].slots.slots;
                    prefetch_here(slots.as_ptr().wrapping_add(hash as usize & (slots.len() - 1)));
                    (waiting.tuples[waiting.len], waiting.hashes[waiting.len]) = ((start + at) as u32, hash);
                    waiting.len += 1;
                }
            }
            // Those that came last go on waiting: what they are to look at is not there yet.
            if waiting.len >= BATCH {
                self.look::<S>(&mut waiting, BATCH, &key, numbers);
            }
            if start + BATCH == TRIED && passed * 4 > TRIED * 3 {
                filter = None;
            }
        }
        let rest = waiting.len;
        self.look::<S>(&mut waiting, rest, &key, numbers);
    }

    /// The table that has a hash, if one has it.
    #[inline(always)]
    fn part(&self, hash: u64) -> usize {
        if self.tables.len() == 1 { 0 } else { part_of_hash(hash, self.tables.len()) }
    }

    /// Looks for the first `count` of the keys that wait. Their slots have been asked for before.
    #[inline(always)]
    fn look<'k, S: Store + Chosen>(
        &self,
        waiting: &mut Waiting,
        count: usize,
        key: &impl Fn(usize) -> S::Key<'k>,
        numbers: &mut [u32],
    ) {
        let (tuples, hashes) = (&waiting.tuples[..count], &waiting.hashes[..count]);
        for &hash in if S::IN_TAG { &[][..] } else { hashes } {
            let table = &self.tables[self.part(hash)];
            let entry = table.slots.slots[hash as usize & (table.slots.slots.len() - 1)];
            if entry != 0 && (entry ^ hash) & TAG == 0 {
                S::of(&table.keys).prefetch(entry as u32 as usize - 1);
            }
        }
        for (&tuple, &hash) in tuples.iter().zip(hashes) {
            let part = self.part(hash);
            let table = &self.tables[part];
            if let Ok(number) = table.slots.find(S::of(&table.keys), hash, key(tuple as usize)) {
                numbers[tuple as usize] = self.starts[part] + number;
            }
        }
        waiting.tuples.copy_within(count..waiting.len, 0);
        waiting.hashes.copy_within(count..waiting.len, 0);
        waiting.len -= count;
    }
}

/// Keys that may be in a table, fewer than a batch of them between two batches.
struct Waiting {
    tuples: [u32; 2 * BATCH],
    hashes: [u64; 2 * BATCH],
    len: usize,
}

/// The store of its kind among a table's keys.
trait Chosen {
    fn of(keys: &Keys) -> &Self;
}

/// Defines which keys a store is.
macro_rules! chosen {
    ($type:ty, $variant:ident) => {
        impl Chosen for $type {
            #[inline(always)]
            fn of(keys: &Keys) -> &Self {
                if let Keys::$variant(keys) = keys { keys } else { unreachable!("tables of one width") }
            }
        }
    };
}

chosen!(Vec<u32>, Bits32);
chosen!(Vec<u64>, Bits64);
chosen!(Vec<u128>, Bits128);
chosen!(ByteKeys, Bytes);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Numbers keys of every width as a map does, some of them absent, in tiles of this length.
    fn check(keys: &[u64], tile: usize, room: usize) {
        for width in [KeyWidth::Bits32, KeyWidth::Bits64, KeyWidth::Bits128, KeyWidth::Bytes] {
            if width == KeyWidth::Bits32 && keys.iter().any(|&key| u32::try_from(key).is_err()) {
                continue;
            }
            let (mut table, mut expected, mut numbers) = (GroupTable::new(width, room), HashMap::new(), Vec::new());
            for keys in keys.chunks(tile) {
                let mut codes = Codes::default();
                codes.len = keys.len();
                codes.bits64 = keys.to_vec();
                codes.bits128 = keys.iter().map(|&key| u128::from(key) << 70).collect();
                keys.iter().for_each(|key| codes.push_bytes(&key.to_le_bytes()[..1 + *key as usize % 8]));
                codes.absent = Some(keys.iter().map(|key| key % 5 == 0).collect());
                table.insert(&codes, &mut numbers);
                let bytes = |at: usize| (width == KeyWidth::Bytes).then(|| codes.bytes(at).to_vec());
                for (at, &key) in keys.iter().enumerate().filter(|(_, key)| *key % 5 != 0) {
                    let next = expected.len() as u32;
                    let name = bytes(at).unwrap_or_else(|| key.to_le_bytes().to_vec());
                    assert_eq!(numbers[at], *expected.entry(name).or_insert(next), "{width:?}, key {key}");
                }
                assert!((0..keys.len()).all(|at| (numbers[at] == NO_GROUP) == (keys[at] % 5 == 0)));
                let mut found = Vec::new();
                table.find(&codes, &mut found);
                assert_eq!(found, numbers);
            }
            assert_eq!(table.len(), expected.len());
            let chosen: Vec<u32> = (0..table.len() as u32).rev().collect();
            let mut other = GroupTable::new(width, 0);
            assert_eq!(other.insert_all(&table, &chosen), (0..chosen.len() as u32).collect::<Vec<_>>());
            assert!((0..chosen.len()).all(|number| other.hash(number) == table.hash(chosen[number] as usize)));
        }
    }

    /// Codes of these keys in every width; of a key that 5 divides none.
    fn codes_of(keys: &[u64]) -> Codes {
        let mut codes = Codes::default();
        codes.len = keys.len();
        codes.bits64 = keys.to_vec();
        codes.bits128 = keys.iter().map(|&key| u128::from(key) << 70).collect();
        keys.iter().for_each(|key| codes.push_bytes(&key.to_le_bytes()));
        codes.absent = Some(keys.iter().map(|key| key % 5 == 0).collect());
        codes
    }

    #[test]
    fn tables_of_parts_are_one() {
        for (rows, parts) in [(0, 1), (0, 4), (100, 1), (1_000, 64), (60_000, 1), (60_000, 64)] {
            let keys: Vec<u64> = (0..rows).map(|key| key * 3).collect();
            for width in [KeyWidth::Bits32, KeyWidth::Bits64, KeyWidth::Bits128, KeyWidth::Bytes] {
                let (mut whole, mut numbers) = (GroupTable::new(width, 0), Vec::new());
                whole.insert(&codes_of(&keys), &mut numbers);
                let mut chosen: Vec<Vec<u32>> = vec![Vec::new(); parts];
                for number in 0..whole.len() as u32 {
                    let part = if parts == 1 { 0 } else { part_of_hash(whole.hash(number as usize), parts) };
                    chosen[part].push(number);
                }
                let part = |chosen: &Vec<u32>| {
                    let mut table = GroupTable::new(width, 0);
                    table.insert_all(&whole, chosen);
                    table
                };
                let tables = GroupTables::new(chosen.iter().map(part).collect());
                let order = chosen.concat();
                // All of them, none of them, and a few among many others.
                for asked in [keys.clone(), (0..3_000).map(|key| key * 3 + 1).collect(), (0..9_000).collect()] {
                    let (codes, mut found, mut expected) = (codes_of(&asked), Vec::new(), Vec::new());
                    tables.find(&codes, &mut found);
                    whole.find(&codes, &mut expected);
                    let there = |&number: &u32| if number == NO_GROUP { number } else { order[number as usize] };
                    let found: Vec<u32> = found.iter().map(there).collect();
                    assert_eq!(found, expected, "{rows} rows, {parts} parts, {width:?}");
                }
            }
        }
    }

    #[test]
    fn no_two_integers_have_one_tag() {
        let keys = (0..100_000).chain((0..100_000).map(|key| u32::MAX - key)).chain((0..16).map(|bit| 1 << (bit + 16)));
        let mut tags: Vec<u64> = keys.map(|key| hash32(key) & TAG).collect();
        tags.sort_unstable();
        let keys = tags.len();
        tags.dedup();
        // The lowest of the single bits, 2^16, was among the first already.
        assert_eq!(tags.len(), keys - 1);
    }

    #[test]
    fn keys_get_numbers_in_order() {
        for room in [0, 10_000] {
            check(&[], 10, room);
            check(&[7], 1, room);
            check(&(0..1_000).collect::<Vec<_>>(), 63, room);
            check(&(0..10_000).map(|key| key * key % 997).collect::<Vec<_>>(), 8_192, room);
            check(&(0..20_000).map(hash64).collect::<Vec<_>>(), 1_000, room);
            check(&vec![u64::MAX; 500], 64, room);
            check(&(0..3_000).map(|key| u64::from(u32::MAX) - key * key).collect::<Vec<_>>(), 1_000, room);
        }
    }
}
