//! Hash: numbers distinct keys 0, 1, 2, … in the order in which they come. See `slots` for how they are found.

pub(crate) mod bytes;
pub(crate) mod direct;
pub(crate) mod filter;
pub(crate) mod parts;
pub(crate) mod ranks;
pub(crate) mod slots;

use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::decode::{decode_all, decode_bytes, decode_read, into_decoded_bytes};
use crate::cpu::simd::kernel::{kernel, pack};
use crate::cpu::table::filter::KeyFilter;

use crate::cpu::table::slots::{BATCH, Batch, NEAR_SLOTS, Probes, Slots, Store, find_all, first_bits, insert_all};
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::NO_GROUP;
use crate::partial::byte_keys::ByteKeys;
use crate::partial::hash::{hash32, hash64, hash128, part_of_hash};
use crate::partial::keys::CodeKeys;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::technique::Technique;
use crate::{Error, Result};

/// Numbers of distinct keys.
#[derive(Clone, Debug)]
pub(crate) struct GroupTable {
    slots: Slots,
    keys: CodeKeys,
}

/// Which keys, and where to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which<'a> {
    /// All, in the order of their numbers.
    All,
    /// Those of these numbers.
    Of(&'a [u32]),
    /// All, each at its place.
    Placed(&'a [u32]),
}

impl Which<'_> {
    /// The numbers, of so many keys, in the order in which they are wanted.
    fn numbers(self, len: usize) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..len as u32).collect();
        match self {
            Which::All => {}
            Which::Of(chosen) => numbers = chosen.to_vec(),
            Which::Placed(places) => {
                places.iter().zip(0..).for_each(|(&place, number)| numbers[place as usize] = number);
            }
        }
        numbers
    }

    fn of<T: Copy, U: From<T> + Copy + Default>(self, keys: &[T]) -> Vec<U> {
        match self {
            Which::All => keys.iter().map(|&key| key.into()).collect(),
            Which::Of(numbers) => numbers.iter().map(|&number| keys[number as usize].into()).collect(),
            Which::Placed(places) => {
                let mut placed = vec![U::default(); places.len()];
                places.iter().zip(keys).for_each(|(&place, &key)| placed[place as usize] = key.into());
                placed
            }
        }
    }
}

/// What keys that are integers are.
pub(crate) trait IntegerKey: Copy + Default + Eq + Send + Sync {
    fn hash(self) -> u64;

    /// Writes codes of this width.
    fn copy(codes: &Codes, to: &mut [Self]);

    /// The keys as codes.
    fn into_codes(keys: Vec<Self>) -> Codes;

    /// The table of these keys.
    fn table(slots: Slots, keys: Vec<Self>) -> GroupTable;
}

/// Defines the keys that are integers.
macro_rules! integer_store {
    ($type:ty, $hash:expr, $in_tag:literal, $variant:ident, $codes:ident) => {
        impl IntegerKey for $type {
            #[inline(always)]
            fn hash(self) -> u64 {
                $hash(self)
            }
            fn copy(codes: &Codes, to: &mut [Self]) {
                to.iter_mut().zip(&codes.$codes).for_each(|(to, &code)| *to = code as $type);
            }
            fn into_codes(keys: Vec<Self>) -> Codes {
                let mut codes = Codes::default();
                codes.len = keys.len();
                codes.$codes = keys.into_iter().map(|key| key.into()).collect();
                codes
            }
            fn table(slots: Slots, keys: Vec<Self>) -> GroupTable {
                GroupTable { slots, keys: CodeKeys::$variant(keys) }
            }
        }

        impl Store for Vec<$type> {
            type Key<'k> = $type;

            #[inline(always)]
            fn hash(key: $type) -> u64 {
                $hash(key)
            }
            #[inline(always)]
            fn is(&self, number: usize, key: $type) -> bool {
                $in_tag || self[number] == key
            }
            #[inline(always)]
            fn add(&mut self, _: u64, key: $type) {
                self.push(key);
            }
            #[inline(always)]
            fn same<'s>(
                of: impl Fn(usize) -> &'s Self,
                numbers: &[u32; BATCH],
                keys: &[$type; BATCH],
                probed: u64,
            ) -> u64 {
                // Keys are equal if the upper halves of their hashes are.
                if $in_tag {
                    return probed;
                }
                let mut stored = [0; BATCH];
                for (at, (stored, &number)) in stored.iter_mut().zip(numbers).enumerate() {
                    // What has no number gets any key there is, rather than a branch.
                    let keys = of(at);
                    *stored = keys.get((number as usize).min(keys.len().wrapping_sub(1))).copied().unwrap_or(0);
                }
                let mut same = [0u8; BATCH];
                for ((same, stored), key) in same.iter_mut().zip(&stored).zip(keys) {
                    *same = if stored == key { 0xff } else { 0 };
                }
                probed & pack(&same)
            }
        }
    };
}

integer_store!(u32, hash32, true, Bits32, bits64);
integer_store!(u64, hash64, false, Bits64, bits64);
integer_store!(u128, hash128, false, Bits128, bits128);

/// Keys by a function that gives them from one on, and one that says which are none.
struct Given<F, A> {
    len: usize,
    fill: F,
    absent: A,
}

impl<K, F: Fn(usize, &mut [K]), A: Fn(usize, usize) -> u64> Probes<K> for Given<F, A> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }
    #[inline(always)]
    fn fill(&self, start: usize, keys: &mut [K]) {
        (self.fill)(start, keys);
    }
    #[inline(always)]
    fn absent(&self, start: usize, len: usize) -> u64 {
        (self.absent)(start, len)
    }
}

/// Does something with keys of one kind and the codes that are probed, as such keys. Of strings of a dictionary each is
/// asked for once.
macro_rules! with_probes {
    ($keys:expr, $codes:expr, $numbers:ident, |$store:ident, $probes:ident| $do:expr) => {{
        let codes: &Codes = $codes;
        let len = codes.len;
        let absent = |start: usize, len: usize| codes.absent_word(start, len);
        match $keys {
            CodeKeys::Bits32($store) => {
                let fill = |start: usize, keys: &mut [u32]| {
                    let from = &codes.bits64[start..start + keys.len()];
                    keys.iter_mut().zip(from).for_each(|(key, &code)| *key = code as u32);
                };
                let $probes = &Given { len, fill, absent };
                $do
            }
            CodeKeys::Bits64($store) => {
                let fill =
                    |start: usize, keys: &mut [u64]| keys.copy_from_slice(&codes.bits64[start..start + keys.len()]);
                let $probes = &Given { len, fill, absent };
                $do
            }
            CodeKeys::Bits128($store) => {
                let fill =
                    |start: usize, keys: &mut [u128]| keys.copy_from_slice(&codes.bits128[start..start + keys.len()]);
                let $probes = &Given { len, fill, absent };
                $do
            }
            CodeKeys::Bytes($store) => match &codes.texts {
                None => {
                    let $probes = &Given { len, fill: each_key(|tuple| codes.bytes(tuple)), absent };
                    $do
                }
                Some(texts) => match texts.distinct() {
                    None => {
                        let $probes = &Given { len, fill: each_key(|tuple| texts.get(tuple)), absent };
                        $do
                    }
                    Some(distinct) => {
                        let $probes = &Given {
                            len: distinct.len(),
                            fill: each_key(|place| distinct.get(place)),
                            absent: |_, _| 0,
                        };
                        $do;
                        distinct.spread(codes.absent.as_deref(), $numbers);
                    }
                },
            },
        }
    }};
}

/// Fills in keys one by one.
fn each_key<'k>(key: impl Fn(usize) -> &'k [u8]) -> impl Fn(usize, &mut [&'k [u8]]) {
    move |start, keys| keys.iter_mut().enumerate().for_each(|(at, to)| *to = key(start + at))
}

impl GroupTable {
    /// A table without keys, with room for so many.
    pub(crate) fn new(width: KeyWidth, keys: usize) -> Self {
        let store = match width {
            KeyWidth::Bits32 => CodeKeys::Bits32(Vec::with_capacity(keys)),
            KeyWidth::Bits64 => CodeKeys::Bits64(Vec::with_capacity(keys)),
            KeyWidth::Bits128 => CodeKeys::Bits128(Vec::with_capacity(keys)),
            KeyWidth::Bytes | KeyWidth::Text => CodeKeys::Bytes(ByteKeys::default()),
        };
        GroupTable { slots: Slots::new(keys), keys: store }
    }

    /// How many keys.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.bytes() + self.keys.bytes()
    }

    /// The hash of the key of a number; the same for one key in every table of its width.
    pub(crate) fn hash(&self, number: usize) -> u64 {
        self.keys.hash(number)
    }

    /// The keys, by number.
    pub(crate) fn into_keys(self) -> CodeKeys {
        self.keys
    }

    /// The keys of some numbers, a column a part, of a layout whose codes tell them.
    pub(crate) fn decoded(&self, layout: &KeyLayout, which: Which<'_>) -> Vec<ColumnBuilder> {
        match &self.keys {
            CodeKeys::Bits32(keys) => decode_all(layout, &which.of::<u32, u64>(keys)),
            CodeKeys::Bits64(keys) => decode_all(layout, &which.of::<u64, u64>(keys)),
            CodeKeys::Bits128(keys) => decode_all(layout, &which.of::<u128, u128>(keys)),
            CodeKeys::Bytes(keys) => decode_bytes(layout, keys, &which.numbers(keys.len())),
        }
    }

    /// As [`GroupTable::decoded`], with what strings it has; of the parts that are read.
    pub(crate) fn into_decoded(self, layout: &KeyLayout, which: Which<'_>, read: &[bool]) -> Vec<ColumnBuilder> {
        match self.keys {
            _ if !read.contains(&true) => Vec::new(),
            CodeKeys::Bits32(keys) => decode_read(layout, &which.of::<u32, u64>(&keys), read),
            CodeKeys::Bits64(keys) => decode_read(layout, &which.of::<u64, u64>(&keys), read),
            CodeKeys::Bits128(keys) => decode_read(layout, &which.of::<u128, u128>(&keys), read),
            CodeKeys::Bytes(keys) => {
                let numbers = which.numbers(keys.len());
                into_decoded_bytes(layout, keys, &numbers, read)
            }
        }
    }

    /// So many keys in all are likely to come, as long as those that are there: tables and keys grow in one step.
    pub(crate) fn expect(&mut self, keys: usize) {
        let more = keys.saturating_sub(self.len());
        match &mut self.keys {
            CodeKeys::Bits32(keys) => keys.reserve(more),
            CodeKeys::Bits64(keys) => keys.reserve(more),
            CodeKeys::Bits128(keys) => keys.reserve(more),
            CodeKeys::Bytes(keys) => keys.expect(more),
        }
        self.slots.expect(keys);
    }

    /// Numbers keys, new ones in order; those marked absent get [`NO_GROUP`].
    pub(crate) fn insert(&mut self, codes: &Codes, numbers: &mut Vec<u32>) {
        numbers.clear();
        with_probes!(&mut self.keys, codes, numbers, |store, probes| insert_all(
            &mut self.slots,
            store,
            probes,
            numbers
        ));
    }

    /// As [`GroupTable::insert`], of keys that are bytes, one behind the other from one on, which end there.
    pub(crate) fn insert_bytes(&mut self, bytes: &[u8], start: usize, ends: &[usize], numbers: &mut Vec<u32>) {
        numbers.clear();
        let CodeKeys::Bytes(keys) = &mut self.keys else { unreachable!("keys of one width") };
        let key = |at: usize| &bytes[if at == 0 { start } else { ends[at - 1] }..ends[at]];
        let probes = Given { len: ends.len(), fill: each_key(key), absent: |_, _| 0 };
        insert_all(&mut self.slots, keys, &probes, numbers);
    }

    /// As [`GroupTable::insert`], of some of the keys, none of which is absent.
    pub(crate) fn insert_chosen(&mut self, codes: &Codes, chosen: &[u32], numbers: &mut Vec<u32>) {
        /// Some keys of a store.
        macro_rules! insert {
            ($to:expr, |$tuple:ident| $key:expr) => {{
                let fill = |start: usize, keys: &mut [_]| {
                    keys.iter_mut().zip(&chosen[start..]).for_each(|(to, &at)| {
                        let $tuple = at as usize;
                        *to = $key;
                    });
                };
                let probes = Given { len: chosen.len(), fill, absent: |_, _| 0 };
                insert_all(&mut self.slots, $to, &probes, numbers);
            }};
        }
        numbers.clear();
        match &mut self.keys {
            CodeKeys::Bits32(keys) => insert!(keys, |tuple| codes.bits64[tuple] as u32),
            CodeKeys::Bits64(keys) => insert!(keys, |tuple| codes.bits64[tuple]),
            CodeKeys::Bits128(keys) => insert!(keys, |tuple| codes.bits128[tuple]),
            CodeKeys::Bytes(keys) => insert!(keys, |tuple| codes.key(tuple)),
        }
    }

    /// Adds keys that another table of the same width had; gives their numbers here.
    ///
    /// # Errors
    /// If they are of another width.
    pub(crate) fn insert_all(&mut self, other: &CodeKeys, chosen: &[u32]) -> Result<Vec<u32>> {
        /// Keys of another store.
        macro_rules! insert {
            ($to:expr, |$number:ident| $key:expr) => {{
                let fill = |start: usize, keys: &mut [_]| {
                    keys.iter_mut().zip(&chosen[start..]).for_each(|(to, &$number)| *to = $key);
                };
                let mut numbers = Vec::with_capacity(chosen.len());
                insert_all(&mut self.slots, $to, &Given { len: chosen.len(), fill, absent: |_, _| 0 }, &mut numbers);
                numbers
            }};
        }
        Ok(match (&mut self.keys, other) {
            (CodeKeys::Bits32(keys), CodeKeys::Bits32(from)) => insert!(keys, |number| from[number as usize]),
            (CodeKeys::Bits64(keys), CodeKeys::Bits64(from)) => insert!(keys, |number| from[number as usize]),
            (CodeKeys::Bits128(keys), CodeKeys::Bits128(from)) => insert!(keys, |number| from[number as usize]),
            (CodeKeys::Bytes(keys), CodeKeys::Bytes(from)) => insert!(keys, |number| from.get(number as usize)),
            _ => return Err(Error::internal("keys of two widths")),
        })
    }
}

/// Tables of parts of the keys, by the lowest bits of their hashes: a power of two of them. The numbers of a table's keys
/// follow those of the table before.
#[derive(Debug)]
pub(crate) struct GroupTables {
    tables: Vec<GroupTable>,
    /// The first number of each.
    starts: Vec<u32>,
    /// If the tables are not in the closest cache.
    filter: Option<KeyFilter>,
}

/// Slots up to which a look at one costs no more than a look at the filter.
const FILTER_SLOTS: usize = 1 << 12;

/// Whether a filter is to stand before so many slots.
pub(crate) fn wants_filter(slots: usize) -> bool {
    slots > FILTER_SLOTS && Technique::KeyFilter.is_on()
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
        let mut tables = GroupTables { starts, tables, filter: None };
        if wants_filter(tables.room()) {
            let hashes = tables.tables.iter().flat_map(|table| (0..table.len()).map(|number| table.hash(number)));
            tables.filter = Some(KeyFilter::new(tables.tables.iter().map(GroupTable::len).sum(), hashes));
        }
        tables
    }

    /// The keys of one table, and a filter of their hashes if that [`wants_filter`].
    pub(crate) fn with_filter(table: GroupTable, filter: Option<KeyFilter>) -> Self {
        GroupTables { tables: vec![table], starts: vec![0], filter }
    }

    /// Whether the tables are not in the cache close by.
    pub(crate) fn is_far(&self) -> bool {
        self.room() > NEAR_SLOTS
    }

    /// Slots of all tables.
    fn room(&self) -> usize {
        self.tables.iter().map(|table| table.slots.room()).sum()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.tables.iter().map(GroupTable::bytes).sum::<usize>() + self.filter.as_ref().map_or(0, KeyFilter::bytes)
    }

    /// The numbers of keys, [`NO_GROUP`] for keys that are not there or marked absent.
    pub(crate) fn find(&self, codes: &Codes, numbers: &mut Vec<u32>) {
        numbers.clear();
        with_probes!(&self.tables[0].keys, codes, numbers, |store, probes| self.find_all(store, probes, numbers));
    }

    /// As [`GroupTables::find`], for keys of the kind of a store.
    fn find_all<'k, S: Store + Chosen>(&self, _: &S, probes: &impl Probes<S::Key<'k>>, numbers: &mut Vec<u32>) {
        let is_far = self.is_far();
        if let [GroupTable { slots, keys }] = &self.tables[..] {
            let store = S::of(keys);
            self.find_through(|_| (slots, store, 0), is_far, probes, numbers);
        } else {
            let of = |hash: u64| {
                let part = part_of_hash(hash, self.tables.len());
                (&self.tables[part].slots, S::of(&self.tables[part].keys), self.starts[part])
            };
            self.find_through(of, is_far, probes, numbers);
        }
    }

    fn find_through<'k, 't, S: Store + 't>(
        &self,
        of: impl Fn(u64) -> (&'t Slots, &'t S, u32),
        is_far: bool,
        probes: &impl Probes<S::Key<'k>>,
        numbers: &mut Vec<u32>,
    ) {
        let done = self.filter.as_ref().map_or(0, |filter| find_filtered(filter, &of, probes, numbers));
        find_all(&of, is_far, probes, done, numbers);
    }
}

kernel! {
    /// As [`find_all`], of keys that pass a filter; stops if most do. Gives how many keys are done.
    fn find_filtered['k, 't, S: Store + 't](
        filter: &KeyFilter,
        of: &impl Fn(u64) -> (&'t Slots, &'t S, u32),
        probes: &impl Probes<S::Key<'k>>,
        numbers: &mut Vec<u32>,
    ) -> usize {
        let len = probes.len();
        numbers.resize(len, NO_GROUP);
        let (mut batch, mut waiting, mut passed) = (Batch::new(), Waiting::new(), 0);
        for start in (0..len).step_by(BATCH) {
            if start == TRIED && passed * 4 > TRIED * 3 {
                waiting.find(&mut batch, of, numbers);
                waiting.find(&mut batch, of, numbers);
                numbers.truncate(start);
                return start;
            }
            let count = batch.take::<S>(probes, start);
            let may = filter.may_have(&batch.hashes) & first_bits(count) & !probes.absent(start, count);
            passed += may.count_ones() as usize;
            each_one(may, |at| {
                of(batch.hashes[at]).0.prefetch(batch.hashes[at]);
                waiting.add((start + at) as u32, batch.hashes[at], batch.keys[at]);
            });
            // Those that came last go on waiting: what they are to look at is not there yet.
            if waiting.len >= BATCH {
                waiting.find(&mut batch, of, numbers);
            }
        }
        waiting.find(&mut batch, of, numbers);
        waiting.find(&mut batch, of, numbers);
        len
    }
}

/// Keys that may be in a table, fewer than a batch of them between two batches.
struct Waiting<K> {
    tuples: [u32; 2 * BATCH],
    hashes: [u64; 2 * BATCH],
    keys: [K; 2 * BATCH],
    len: usize,
}

impl<K: Copy + Default> Waiting<K> {
    fn new() -> Self {
        Waiting { tuples: [0; 2 * BATCH], hashes: [0; 2 * BATCH], keys: [K::default(); 2 * BATCH], len: 0 }
    }

    #[inline(always)]
    fn add(&mut self, tuple: u32, hash: u64, key: K) {
        (self.tuples[self.len], self.hashes[self.len], self.keys[self.len]) = (tuple, hash, key);
        self.len += 1;
    }

    /// Looks for the first of the keys that wait, a batch at most. Their slots have been asked for before.
    #[inline(always)]
    fn find<'k, 't, S: Store<Key<'k> = K> + 't>(
        &mut self,
        batch: &mut Batch<K>,
        of: &impl Fn(u64) -> (&'t Slots, &'t S, u32),
        numbers: &mut [u32],
    ) {
        batch.hashes.copy_from_slice(&self.hashes[..BATCH]);
        batch.keys.copy_from_slice(&self.keys[..BATCH]);
        batch.find(of);
        let count = BATCH.min(self.len);
        for (&tuple, &number) in self.tuples[..count].iter().zip(&batch.numbers) {
            numbers[tuple as usize] = number;
        }
        self.tuples.copy_within(count.., 0);
        self.hashes.copy_within(count.., 0);
        self.keys.copy_within(count.., 0);
        self.len -= count;
    }
}

/// The store of its kind among a table's keys.
trait Chosen {
    fn of(keys: &CodeKeys) -> &Self;
}

/// Defines which keys a store is.
macro_rules! chosen {
    ($type:ty, $variant:ident) => {
        impl Chosen for $type {
            #[inline(always)]
            fn of(keys: &CodeKeys) -> &Self {
                if let CodeKeys::$variant(keys) = keys { keys } else { unreachable!("tables of one width") }
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
                GroupTables::new(vec![table.clone()]).find(&codes, &mut found);
                assert_eq!(found, numbers);
            }
            assert_eq!(table.len(), expected.len());
            let chosen: Vec<u32> = (0..table.len() as u32).rev().collect();
            let mut other = GroupTable::new(width, 0);
            assert_eq!(other.insert_all(&table.keys, &chosen).unwrap(), (0..chosen.len() as u32).collect::<Vec<_>>());
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
                    table.insert_all(&whole.keys, chosen).unwrap();
                    table
                };
                let tables = GroupTables::new(chosen.iter().map(part).collect());
                let whole = GroupTables::new(vec![whole]);
                let order = chosen.concat();
                // All of them, none of them, and a few among many others.
                for probes in [keys.clone(), (0..3_000).map(|key| key * 3 + 1).collect(), (0..9_000).collect()] {
                    let (codes, mut found, mut expected) = (codes_of(&probes), Vec::new(), Vec::new());
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
    fn keys_of_one_part_are_spread_over_all_slots() {
        for (width, hash) in
            [(KeyWidth::Bits32, (|key| hash32(key as u32)) as fn(u64) -> u64), (KeyWidth::Bits64, hash64)]
        {
            for (keys, parts) in [(400_000, 64), (150_000, 1)] {
                let keys: Vec<u64> = (0..keys).filter(|&key| part_of_hash(hash(key), parts) == parts / 2).collect();
                let (mut table, mut numbers) = (GroupTable::new(width, 0), Vec::new());
                table.insert(&codes_of(&keys), &mut numbers);
                let run = table.slots.longest_run();
                assert!(run < 200, "{width:?}: {run} of {} keys lie side by side", keys.len());
            }
        }
    }

    #[test]
    fn no_two_integers_have_one_tag() {
        let keys = (0..100_000).chain((0..100_000).map(|key| u32::MAX - key)).chain((0..16).map(|bit| 1 << (bit + 16)));
        let mut tags: Vec<u64> = keys.map(|key| hash32(key) >> 32).collect();
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
