//! Keys that are bytes: how a hash table is probed with them.

use super::slots::{BATCH, Store};
use crate::cpu::vector::bitmap::each_one;
use crate::partial::byte_keys::{ByteKeys, first_eight, hash_bytes};

impl Store for ByteKeys {
    type Key<'k> = &'k [u8];

    #[inline(always)]
    fn hash(key: &[u8]) -> u64 {
        hash_bytes(key)
    }
    #[inline(always)]
    fn is(&self, number: usize, key: &[u8]) -> bool {
        let entry = &self.entries[number];
        entry.length == key.len()
            && entry.first_eight == first_eight(key)
            && (key.len() <= 8 || self.bytes[entry.start + 8..entry.start + entry.length] == key[8..])
    }
    fn add(&mut self, hash: u64, key: &[u8]) {
        self.push_hashed(hash, key);
    }
    #[inline(always)]
    fn same<'s>(of: impl Fn(usize) -> &'s Self, numbers: &[u32; BATCH], keys: &[&[u8]; BATCH], probed: u64) -> u64 {
        let mut same = 0;
        each_one(probed, |at| same |= u64::from(of(at).is(numbers[at] as usize, keys[at])) << at);
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart_by_each_byte_and_by_length() {
        for length in 0..70 {
            let key: Vec<u8> = (0..length).map(|at| (at * 37 % 251) as u8).collect();
            let mut keys = ByteKeys::default();
            keys.push(b"in front");
            keys.push(&key);
            assert!(keys.is(1, &key) && keys.get(1) == key && keys.entries[1].hash == hash_bytes(&key));
            for at in 0..length {
                let mut other = key.clone();
                other[at] ^= 1;
                assert!(!keys.is(1, &other) && hash_bytes(&other) != hash_bytes(&key), "byte {at} of {length}");
                assert!(
                    !keys.is(1, &key[..at]) && hash_bytes(&key[..at]) != hash_bytes(&key),
                    "the first {at} of {length}"
                );
            }
            // Zeros count.
            let longer = [&key[..], &[0]].concat();
            assert!(!keys.is(1, &longer) && hash_bytes(&longer) != hash_bytes(&key));
        }
    }
}
