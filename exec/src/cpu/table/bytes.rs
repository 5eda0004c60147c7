//! Keys that are bytes: how a hash table keeps, hashes and compares them.

use super::slots::{BATCH, Store};
use crate::cpu::simd::hash::hash64;
use crate::cpu::vector::bitmap::each_one;

/// Distinct keys of bytes, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteKeys {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

/// Enough of a key that most are told apart, and short ones found, without a look at its bytes; and its hash, so that a
/// table that grows needs none either.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    first_eight: u64,
    start: usize,
    length: usize,
}

impl ByteKeys {
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        let entry = &self.entries[number];
        &self.bytes[entry.start..entry.start + entry.length]
    }

    /// Bytes held.
    pub(crate) fn held(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.bytes.capacity()
    }
}

impl Store for ByteKeys {
    type Key<'k> = &'k [u8];

    #[inline(always)]
    fn hash(key: &[u8]) -> u64 {
        hash(key)
    }
    fn hash_of(&self, number: usize) -> u64 {
        self.entries[number].hash
    }
    #[inline(always)]
    fn is(&self, number: usize, key: &[u8]) -> bool {
        let entry = &self.entries[number];
        entry.length == key.len()
            && entry.first_eight == first_eight(key)
            && (key.len() <= 8 || self.bytes[entry.start + 8..entry.start + entry.length] == key[8..])
    }
    fn add(&mut self, key: &[u8]) {
        let (hash, first_eight) = (hash(key), first_eight(key));
        self.entries.push(Entry { hash, first_eight, start: self.bytes.len(), length: key.len() });
        self.bytes.extend_from_slice(key);
    }
    #[inline(always)]
    fn same<'s>(of: impl Fn(usize) -> &'s Self, numbers: &[u32; BATCH], keys: &[&[u8]; BATCH], asked: u64) -> u64 {
        let mut same = 0;
        each_one(asked, |at| same |= u64::from(of(at).is(numbers[at] as usize, keys[at])) << at);
        same
    }
}

/// The first eight bytes, zeros behind the last.
#[inline(always)]
fn first_eight(key: &[u8]) -> u64 {
    if let Some(eight) = key.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    match (key.first_chunk::<4>(), key.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last)) << (8 * (key.len() - 4));
            u64::from(u32::from_le_bytes(*first)) | last
        }
        _ => key.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The 128 bits of a product, folded: every bit of the result depends on most bits of both.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A hash of bytes, 16 of them a step. Source: wyhash (Wang Yi), simplified; the constants are its own.
#[inline(always)]
fn hash(key: &[u8]) -> u64 {
    const SECRETS: [u64; 3] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3];
    let length = key.len() as u64;
    if key.len() <= 8 {
        return hash64(first_eight(key) ^ length.wrapping_mul(SECRETS[0]));
    }
    let word = |at: usize| u64::from_le_bytes(*key[at..].first_chunk().expect("eight bytes from here on"));
    let mut state = length ^ SECRETS[0];
    let mut at = 0;
    while at + 16 < key.len() {
        state = mix(word(at) ^ SECRETS[1], word(at + 8) ^ state);
        at += 16;
    }
    // The last 16 bytes, some of them for the second time; of a shorter key the first and the last eight.
    let last = key.len() - 8;
    hash64(mix(word(last.saturating_sub(8)) ^ SECRETS[2], word(last) ^ state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart_by_each_byte_and_by_length() {
        for length in 0..70 {
            let key: Vec<u8> = (0..length).map(|at| (at * 37 % 251) as u8).collect();
            let mut keys = ByteKeys::default();
            keys.add(b"in front");
            keys.add(&key);
            assert!(keys.is(1, &key) && keys.get(1) == key && keys.hash_of(1) == hash(&key));
            for at in 0..length {
                let mut other = key.clone();
                other[at] ^= 1;
                assert!(!keys.is(1, &other) && hash(&other) != hash(&key), "byte {at} of {length}");
                assert!(!keys.is(1, &key[..at]) && hash(&key[..at]) != hash(&key), "the first {at} of {length}");
            }
            // Zeros count.
            let longer = [&key[..], &[0]].concat();
            assert!(!keys.is(1, &longer) && hash(&longer) != hash(&key));
        }
    }
}
