//! The slots of a hash table: open addressing, linear probing. A slot holds 32 bits of the hash beside the number of a key,
//! so that a wrong key is rarely compared. Of keys of 32 bits these are another 32 for each key, so none is compared at all,
//! and a probe touches one cache line.
//!
//! Keys are hashed, and then the first slot of each is looked at, a batch at a time and without a branch: cache misses
//! overlap, and no branch is foretold wrongly where keys differ in whether they are there. The few that have another key in
//! their first slot are looked for one by one. Where slots are far away those of the next batch are asked for ahead.
//! Source: group prefetching (Chen, Ailamaki, Gibbons, Mowry: Improving Hash Join Performance through Prefetching, 2004).
//!
//! Slots go by the highest bits of hashes, so that a table grows without a look at its keys. Parts of keys, of a merge
//! or of partitioned rows, go by the lowest; those of `index/hash_parts`, which are regions of one table, by the
//! highest, too.

use crate::cpu::simd::kernel::{kernel, pack, prefetch_here};
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::rows::NO_GROUP;
use crate::technique::Technique;

/// Keys that are looked for together.
pub(crate) const BATCH: usize = 64;

/// Slots up to which they are in the cache close by, and prefetching costs more than it saves.
pub(crate) const NEAR_SLOTS: usize = 1 << 17;

/// Slots at most: half of a hash says which is the first. As many keys have numbers, less two.
const SLOTS_MAX: usize = 1 << 32;

/// The half of a hash that a slot keeps.
const TAG: u64 = 0xffff_ffff_0000_0000;

/// Where keys of one kind are kept.
pub(crate) trait Store {
    type Key<'k>: Copy + Default;

    fn hash(key: Self::Key<'_>) -> u64;
    fn is(&self, number: usize, key: Self::Key<'_>) -> bool;
    fn add(&mut self, hash: u64, key: Self::Key<'_>);

    /// Which keys of a batch have these numbers, each in its own store; only those with a bit in `probed` may. Of the other
    /// ones the number may be none.
    fn same<'s>(
        of: impl Fn(usize) -> &'s Self,
        numbers: &[u32; BATCH],
        keys: &[Self::Key<'_>; BATCH],
        probed: u64,
    ) -> u64
    where
        Self: 's;
}

/// Keys that are probed: how many, and a batch of them from one on.
pub(crate) trait Probes<K> {
    fn len(&self) -> usize;

    /// Gives the keys from one on.
    fn fill(&self, start: usize, keys: &mut [K]);

    /// Which of the keys from one on, 64 at most, are none.
    fn absent(&self, start: usize, len: usize) -> u64;
}

/// Keys of a batch, their hashes, and what is found.
pub(crate) struct Batch<K> {
    pub(crate) keys: [K; BATCH],
    pub(crate) hashes: [u64; BATCH],
    pub(crate) numbers: [u32; BATCH],
}

/// What the first slots of a batch's keys say, a bit a key.
struct Look {
    /// Which have been found there; these have numbers.
    found: u64,
    /// Which have another key there.
    taken: u64,
}

impl<K: Copy + Default> Batch<K> {
    pub(crate) fn new() -> Self {
        Batch { keys: [K::default(); BATCH], hashes: [0; BATCH], numbers: [NO_GROUP; BATCH] }
    }

    /// Takes keys from one on, fewer at the end, and hashes them; gives how many.
    #[inline(always)]
    pub(crate) fn take<'k, S: Store<Key<'k> = K>>(&mut self, probes: &impl Probes<K>, start: usize) -> usize {
        let count = BATCH.min(probes.len() - start);
        probes.fill(start, &mut self.keys[..count]);
        for (hash, &key) in self.hashes.iter_mut().zip(&self.keys) {
            *hash = S::hash(key);
        }
        count
    }

    /// Looks at the first slot of each key, in the table that `of` gives for its hash. The numbers of keys that are not
    /// found there are anything.
    #[inline(always)]
    fn look<'k, 't, S: Store<Key<'k> = K> + 't>(&mut self, of: impl Fn(u64) -> (&'t Slots, &'t S)) -> Look {
        let mut entries = [0; BATCH];
        for (entry, &hash) in entries.iter_mut().zip(&self.hashes) {
            let slots = of(hash).0;
            *entry = slots.slots[slots.first(hash)];
        }
        // The number of no entry is none.
        for (number, &entry) in self.numbers.iter_mut().zip(&entries) {
            *number = (entry as u32).wrapping_sub(1);
        }
        let (mut tagged, mut taken) = ([0u8; BATCH], [0u8; BATCH]);
        for ((tagged, &entry), &hash) in tagged.iter_mut().zip(&entries).zip(&self.hashes) {
            *tagged = if (entry ^ hash) & TAG == 0 { 0xff } else { 0 };
        }
        for (taken, &number) in taken.iter_mut().zip(&self.numbers) {
            *taken = if number != NO_GROUP { 0xff } else { 0 };
        }
        let taken = pack(&taken);
        let store = |at: usize| of(self.hashes[at]).1;
        let tagged = pack(&tagged) & taken;
        let found = if tagged == 0 { 0 } else { S::same(store, &self.numbers, &self.keys, tagged) };
        Look { found, taken: taken & !found }
    }

    /// Says for some keys, a bit each, that they have no number.
    #[inline(always)]
    fn put_none(&mut self, which: u64) {
        for (at, number) in self.numbers.iter_mut().enumerate() {
            *number = if which >> at & 1 == 1 { NO_GROUP } else { *number };
        }
    }

    /// Makes the numbers those of keys, in the table that `of` gives for a hash, behind the number that it gives;
    /// [`NO_GROUP`] for those that are not there.
    #[inline(always)]
    pub(crate) fn find<'k, 't, S: Store<Key<'k> = K> + 't>(&mut self, of: &impl Fn(u64) -> (&'t Slots, &'t S, u32)) {
        let table = |hash: u64| (of(hash).0, of(hash).1);
        let Look { found, taken } = self.look(table);
        for (at, (number, &hash)) in self.numbers.iter_mut().zip(&self.hashes).enumerate() {
            *number = if found >> at & 1 == 1 { of(hash).2 + *number } else { NO_GROUP };
        }
        each_one(taken, |at| {
            let (slots, store, start) = of(self.hashes[at]);
            if let Ok(number) = slots.find(store, self.hashes[at], self.keys[at]) {
                self.numbers[at] = start + number;
            }
        });
    }
}

/// 0 if empty, else the upper half of the hash and 1 + number. A power of two of them, at most half of them full; the first
/// one of a key is said by the upper bits of its hash. So a table grows without a look at its keys, and slots that lie side
/// by side go to slots that do.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    slots: Vec<u64>,
    /// How far a hash is shifted to give its first slot.
    shift: u32,
    len: usize,
}

impl Slots {
    /// Slots for so many keys.
    pub(crate) fn new(keys: usize) -> Self {
        // Where slots are near, empty ones are cheaper than steps.
        let each = if keys <= NEAR_SLOTS { 4 } else { 2 };
        Slots::of(vec![0; (keys * each).next_power_of_two().clamp(BATCH, SLOTS_MAX)], 0)
    }

    /// These slots, as many as keys can have numbers at most.
    fn of(slots: Vec<u64>, len: usize) -> Self {
        debug_assert!(slots.len().is_power_of_two() && slots.len() <= SLOTS_MAX, "a slot has half of a hash");
        Slots { shift: 64 - slots.len().trailing_zeros(), slots, len }
    }

    /// The slots that [`Slots::into_entries`] gave, which have so many keys; none have room for no keys yet.
    pub(crate) fn of_entries(entries: Vec<u64>, len: usize) -> Self {
        if entries.is_empty() { Slots::new(0) } else { Slots::of(entries, len) }
    }

    /// What the slots hold, for whoever keeps no more than data.
    pub(crate) fn into_entries(self) -> Vec<u64> {
        self.slots
    }

    /// The first slot of a hash.
    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize & (self.slots.len() - 1)
    }

    /// How many keys have numbers.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many slots there are.
    pub(crate) fn room(&self) -> usize {
        self.slots.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 8
    }

    /// Makes room for a batch of keys more.
    #[inline(always)]
    pub(crate) fn reserve(&mut self) {
        if (self.len + BATCH) * 2 > self.slots.len() && self.slots.len() < SLOTS_MAX {
            self.grow();
        }
    }

    /// Makes room for so many keys in all, in one step.
    pub(crate) fn expect(&mut self, keys: usize) {
        let room = (keys * 2).next_power_of_two().min(SLOTS_MAX);
        if room > self.slots.len() {
            self.grow_to(room);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let times = if self.slots.len() < NEAR_SLOTS { 4 } else { 2 };
        self.grow_to(self.slots.len() * times);
    }

    fn grow_to(&mut self, room: usize) {
        let mut grown = Slots::of(vec![0; room], self.len);
        let mask = grown.slots.len() - 1;
        let (blocks, _) = self.slots.as_chunks::<BATCH>();
        for entries in blocks {
            let taken = entries.map(|entry| if entry != 0 { 0xff } else { 0 });
            each_one(pack(&taken), |at| {
                let mut slot = grown.first(entries[at]);
                while grown.slots[slot] != 0 {
                    slot = (slot + 1) & mask;
                }
                grown.slots[slot] = entries[at];
            });
        }
        *self = grown;
    }

    /// How many slots that have a key lie side by side, at most.
    #[cfg(test)]
    pub(crate) fn longest_run(&self) -> usize {
        self.slots.split(|&entry| entry == 0).map(<[u64]>::len).max().unwrap_or(0)
    }

    /// The slots in parts, a power of two of them: those of the hashes whose highest bits say so.
    pub(crate) fn parts(&mut self, parts: usize) -> Vec<SlotsPart<'_>> {
        debug_assert!(parts.is_power_of_two() && parts <= self.slots.len(), "a whole number of slots a part");
        let (shift, mask, len) = (self.shift, self.slots.len() - 1, self.slots.len() / parts);
        let part = |(part, slots)| SlotsPart { slots, first: part * len, shift, mask, beyond: Vec::new() };
        self.slots.chunks_mut(len).enumerate().map(part).collect()
    }

    /// Puts the numbers of `len` keys in all that parts have, and these beside them.
    pub(crate) fn complete(&mut self, len: usize, beyond: impl IntoIterator<Item = Numbered>) {
        let mask = self.slots.len() - 1;
        for Numbered { hash, number } in beyond {
            let mut slot = self.first(hash);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = entry(hash, number);
        }
        self.len = len;
    }

    /// Asks for the first slot of a hash.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch_here(self.slots.as_ptr().wrapping_add(self.first(hash)));
    }

    /// The number in the first slot of a hash, if that is likely the number of its key.
    #[inline(always)]
    pub(crate) fn candidate(&self, hash: u64) -> Option<u32> {
        let entry = self.slots[self.first(hash)];
        (entry != 0 && (entry ^ hash) & TAG == 0).then(|| entry as u32 - 1)
    }

    /// The number of a key of this hash, of those that may have it the one that `is` says; none of a new one, which then has the next
    /// number. There is room for it.
    #[inline(always)]
    pub(crate) fn number(&mut self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = self.first(hash);
        loop {
            let taken = self.slots[slot];
            if taken == 0 {
                self.slots[slot] = entry(hash, self.len as u32);
                self.len += 1;
                return None;
            }
            let number = (taken as u32) - 1;
            if (taken ^ hash) & TAG == 0 && is(number) {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The number of a key, or the empty slot where it belongs.
    #[inline(always)]
    fn find<S: Store>(&self, store: &S, hash: u64, key: S::Key<'_>) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.first(hash);
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

    /// Numbers a batch of keys, some of which are to have none; new ones in order.
    #[inline(always)]
    fn insert<'k, S: Store>(&mut self, store: &mut S, batch: &mut Batch<S::Key<'k>>, probed: u64) {
        self.reserve();
        let Look { found, .. } = batch.look(|_| (&*self, &*store));
        if probed != u64::MAX {
            batch.put_none(!probed);
        }
        // One that is new may be there twice.
        each_one(probed & !found, |at| {
            let (hash, key) = (batch.hashes[at], batch.keys[at]);
            batch.numbers[at] = match self.find(store, hash, key) {
                Ok(number) => number,
                Err(slot) => {
                    let number = self.len as u32;
                    store.add(hash, key);
                    self.slots[slot] = entry(hash, number);
                    self.len += 1;
                    number
                }
            };
        });
    }
}

/// What a slot holds.
#[inline(always)]
fn entry(hash: u64, number: u32) -> u64 {
    (hash & TAG) | u64::from(number + 1)
}

/// The number of the key of a hash.
pub(crate) struct Numbered {
    pub(crate) hash: u64,
    pub(crate) number: u32,
}

/// Some slots side by side, those that the highest bits of some hashes say.
pub(crate) struct SlotsPart<'s> {
    slots: &'s mut [u64],
    /// Where they begin among all.
    first: usize,
    shift: u32,
    mask: usize,
    /// Numbers whose slots would be those of the next part.
    beyond: Vec<Numbered>,
}

impl SlotsPart<'_> {
    /// Brings the slots, none of which is taken, into the caches close by: one after the other, as memory gives them best.
    pub(crate) fn fetch(&mut self) {
        self.slots.fill(0);
    }

    /// The number of a key that is there, which `is` says of a number; else it gets this one.
    #[inline(always)]
    pub(crate) fn find_or_put(&mut self, hash: u64, number: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut slot = ((hash >> self.shift) as usize & self.mask) - self.first;
        while let Some(here) = self.slots.get_mut(slot) {
            if *here == 0 {
                *here = entry(hash, number);
                return None;
            }
            let other = *here as u32 - 1;
            if (*here ^ hash) & TAG == 0 && is(other) {
                return Some(other);
            }
            slot += 1;
        }
        let same = self.beyond.iter().find(|other| other.hash == hash && is(other.number));
        let found = same.map(|other| other.number);
        if found.is_none() {
            self.beyond.push(Numbered { hash, number });
        }
        found
    }

    /// The numbers that have no slot among these.
    pub(crate) fn into_beyond(self) -> Vec<Numbered> {
        self.beyond
    }
}

/// The first `len` of 64 bits.
#[inline(always)]
pub(crate) fn first_bits(len: usize) -> u64 {
    if len == 0 { 0 } else { u64::MAX >> (BATCH - len) }
}

kernel! {
    /// Appends the numbers of keys, new ones in order; [`NO_GROUP`] for those that are none.
    pub(crate) fn insert_all['k, S: Store](
        slots: &mut Slots,
        store: &mut S,
        probes: &impl Probes<S::Key<'k>>,
        numbers: &mut Vec<u32>,
    ) {
        let len = probes.len();
        let (mut now, mut next) = (&mut Batch::new(), &mut Batch::new());
        let mut count = now.take::<S>(probes, 0);
        for start in (0..len).step_by(BATCH) {
            let behind = start + BATCH;
            let next_count = if behind < len { next.take::<S>(probes, behind) } else { 0 };
            if slots.room() > NEAR_SLOTS && Technique::Prefetch.is_on() {
                next.hashes[..next_count].iter().for_each(|&hash| slots.prefetch(hash));
            }
            slots.insert(store, now, first_bits(count) & !probes.absent(start, count));
            numbers.extend_from_slice(&now.numbers[..count]);
            (now, next, count) = (next, now, next_count);
        }
    }
}

kernel! {
    /// Appends the numbers of keys from one on as [`Batch::find`] gives them, [`NO_GROUP`] for those that are none, too.
    pub(crate) fn find_all['k, 't, S: Store + 't](
        of: &impl Fn(u64) -> (&'t Slots, &'t S, u32),
        is_far: bool,
        probes: &impl Probes<S::Key<'k>>,
        from: usize,
        numbers: &mut Vec<u32>,
    ) {
        let len = probes.len();
        let (mut now, mut next) = (&mut Batch::new(), &mut Batch::new());
        let mut count = if from < len { now.take::<S>(probes, from) } else { 0 };
        for start in (from..len).step_by(BATCH) {
            let behind = start + BATCH;
            let next_count = if behind < len { next.take::<S>(probes, behind) } else { 0 };
            if is_far && Technique::Prefetch.is_on() {
                next.hashes[..next_count].iter().for_each(|&hash| of(hash).0.prefetch(hash));
            }
            now.find(of);
            let absent = probes.absent(start, count);
            if absent != 0 {
                now.put_none(absent);
            }
            numbers.extend_from_slice(&now.numbers[..count]);
            (now, next, count) = (next, now, next_count);
        }
    }
}
