//! Hash: numbers distinct keys 0, 1, 2, … in the order in which they come. Open addressing; a slot holds 32 bits of
//! the hash beside the number, so that a wrong key is rarely compared.

use super::key::{Codes, KeyWidth};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The number that stands for no group.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Numbers of distinct keys.
#[derive(Clone, Debug)]
pub(crate) struct GroupTable {
    /// 0 if empty, else the upper half of the hash and 1 + number. A power of two of them.
    slots: Vec<u64>,
    keys: Keys,
    len: usize,
}

/// The distinct keys, by number.
#[derive(Clone, Debug)]
enum Keys {
    Bits64(Vec<u64>),
    Bits128(Vec<u128>),
    Bytes { ends: Vec<usize>, bytes: Vec<u8> },
}

/// Mixes an integer so that all bits depend on all bits (the finaliser of MurmurHash3).
#[inline]
pub(crate) fn hash64(key: u64) -> u64 {
    let mut hash = key;
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[inline]
fn hash128(key: u128) -> u64 {
    hash64((key as u64) ^ hash64((key >> 64) as u64))
}

fn hash_bytes(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hash64(hasher.finish() ^ key.len() as u64)
}

impl GroupTable {
    /// A table without keys.
    pub(crate) fn new(width: KeyWidth) -> Self {
        let keys = match width {
            KeyWidth::Bits64 => Keys::Bits64(Vec::new()),
            KeyWidth::Bits128 => Keys::Bits128(Vec::new()),
            KeyWidth::Bytes => Keys::Bytes { ends: Vec::new(), bytes: Vec::new() },
        };
        GroupTable { slots: vec![0; 64], keys, len: 0 }
    }

    /// How many keys.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 8
            + match &self.keys {
                Keys::Bits64(keys) => keys.capacity() * 8,
                Keys::Bits128(keys) => keys.capacity() * 16,
                Keys::Bytes { ends, bytes } => ends.capacity() * 8 + bytes.capacity(),
            }
    }

    /// The hash of the key of a number; the same for one key in every table of its width.
    pub(crate) fn hash(&self, number: usize) -> u64 {
        match &self.keys {
            Keys::Bits64(keys) => hash64(keys[number]),
            Keys::Bits128(keys) => hash128(keys[number]),
            Keys::Bytes { .. } => hash_bytes(self.key_bytes(number)),
        }
    }

    /// The bytes of a key, for widths of bytes.
    fn key_bytes(&self, number: usize) -> &[u8] {
        let Keys::Bytes { ends, bytes } = &self.keys else { return &[] };
        let start = if number == 0 { 0 } else { ends[number - 1] };
        &bytes[start..ends[number]]
    }

    /// An order of keys that does not depend on their numbers.
    pub(crate) fn compare(&self, a: usize, b: usize) -> std::cmp::Ordering {
        match &self.keys {
            Keys::Bits64(keys) => keys[a].cmp(&keys[b]),
            Keys::Bits128(keys) => keys[a].cmp(&keys[b]),
            Keys::Bytes { .. } => self.key_bytes(a).cmp(self.key_bytes(b)),
        }
    }

    /// Numbers keys, new ones in order; those marked absent get [`NO_GROUP`].
    pub(crate) fn insert(&mut self, codes: &Codes, numbers: &mut Vec<u32>) {
        numbers.clear();
        numbers.extend((0..codes.len).map(|tuple| {
            if codes.is_absent(tuple) {
                return NO_GROUP;
            }
            match &self.keys {
                Keys::Bits64(_) => self
                    .insert_key(hash64(codes.bits64[tuple]), |keys, number| keys.probe64(codes.bits64[tuple], number)),
                Keys::Bits128(_) => self.insert_key(hash128(codes.bits128[tuple]), |keys, number| {
                    keys.probe128(codes.bits128[tuple], number)
                }),
                Keys::Bytes { .. } => self.insert_key(hash_bytes(&codes.bytes[tuple]), |keys, number| {
                    keys.probe_bytes(&codes.bytes[tuple], number)
                }),
            }
        }));
    }

    /// Adds all keys of another table of the same width; gives their numbers here.
    pub(crate) fn insert_all(&mut self, other: &GroupTable, chosen: &[u32]) -> Vec<u32> {
        let insert = |&from: &u32| {
            let from = from as usize;
            let hash = other.hash(from);
            match &other.keys {
                Keys::Bits64(keys) => self.insert_key(hash, |mine, number| mine.probe64(keys[from], number)),
                Keys::Bits128(keys) => self.insert_key(hash, |mine, number| mine.probe128(keys[from], number)),
                Keys::Bytes { .. } => {
                    let key = other.key_bytes(from);
                    self.insert_key(hash, |mine, number| mine.probe_bytes(key, number))
                }
            }
        };
        chosen.iter().map(insert).collect()
    }

    /// Finds the number of a key; `probe` compares with the key of a number, or adds a key when given none.
    #[inline]
    fn insert_key(&mut self, hash: u64, mut probe: impl FnMut(&mut Keys, Option<usize>) -> bool) -> u32 {
        let mask = self.slots.len() - 1;
        let tag = hash & 0xffff_ffff_0000_0000;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                break;
            }
            let number = (entry as u32) - 1;
            if entry & 0xffff_ffff_0000_0000 == tag && probe(&mut self.keys, Some(number as usize)) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.len as u32;
        probe(&mut self.keys, None);
        self.slots[slot] = tag | u64::from(number + 1);
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        let mask = size - 1;
        let mut slots = vec![0u64; size];
        for number in 0..self.len {
            let hash = self.hash(number);
            let mut slot = hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (hash & 0xffff_ffff_0000_0000) | (number as u64 + 1);
        }
        self.slots = slots;
    }

    /// The numbers of keys, [`NO_GROUP`] for keys that are not there or marked absent.
    pub(crate) fn find(&self, codes: &Codes, numbers: &mut Vec<u32>) {
        numbers.clear();
        let find = |hash: u64, is: &dyn Fn(usize) -> bool| {
            let mask = self.slots.len() - 1;
            let mut slot = hash as usize & mask;
            loop {
                let entry = self.slots[slot];
                if entry == 0 {
                    return NO_GROUP;
                }
                let number = (entry as u32) - 1;
                if (entry ^ hash) & 0xffff_ffff_0000_0000 == 0 && is(number as usize) {
                    return number;
                }
                slot = (slot + 1) & mask;
            }
        };
        numbers.extend((0..codes.len).map(|tuple| {
            if codes.is_absent(tuple) {
                return NO_GROUP;
            }
            match &self.keys {
                Keys::Bits64(keys) => {
                    let key = codes.bits64[tuple];
                    find(hash64(key), &|number| keys[number] == key)
                }
                Keys::Bits128(keys) => {
                    let key = codes.bits128[tuple];
                    find(hash128(key), &|number| keys[number] == key)
                }
                Keys::Bytes { .. } => {
                    let key = codes.bytes[tuple].as_slice();
                    find(hash_bytes(key), &|number| self.key_bytes(number) == key)
                }
            }
        }));
    }
}

impl Keys {
    fn probe64(&mut self, key: u64, number: Option<usize>) -> bool {
        let Keys::Bits64(keys) = self else { return false };
        match number {
            Some(number) => keys[number] == key,
            None => {
                keys.push(key);
                true
            }
        }
    }

    fn probe128(&mut self, key: u128, number: Option<usize>) -> bool {
        let Keys::Bits128(keys) = self else { return false };
        match number {
            Some(number) => keys[number] == key,
            None => {
                keys.push(key);
                true
            }
        }
    }

    fn probe_bytes(&mut self, key: &[u8], number: Option<usize>) -> bool {
        let Keys::Bytes { ends, bytes } = self else { return false };
        match number {
            Some(number) => {
                let start = if number == 0 { 0 } else { ends[number - 1] };
                &bytes[start..ends[number]] == key
            }
            None => {
                bytes.extend_from_slice(key);
                ends.push(bytes.len());
                true
            }
        }
    }
}
