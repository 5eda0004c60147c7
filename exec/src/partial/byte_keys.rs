//! Distinct keys that are bytes, one behind the other.

use super::hash::hash64;

/// Distinct keys of bytes, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteKeys {
    pub(crate) entries: Vec<Entry>,
    pub(crate) bytes: Vec<u8>,
}

/// Enough of a key that most are told apart, and short ones found, without a look at its bytes; and its hash, so that a
/// table that grows needs none either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) hash: u64,
    pub(crate) first_eight: u64,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl ByteKeys {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, number: usize) -> &[u8] {
        let entry = &self.entries[number];
        &self.bytes[entry.start..entry.start + entry.length]
    }

    /// Adds a key that is not there.
    pub(crate) fn push(&mut self, key: &[u8]) {
        let (hash, first_eight) = (hash_bytes(key), first_eight(key));
        self.entries.push(Entry { hash, first_eight, start: self.bytes.len(), length: key.len() });
        self.bytes.extend_from_slice(key);
    }

    /// Bytes held.
    pub(crate) fn held(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.bytes.capacity()
    }
}

/// The first eight bytes, zeros behind the last.
#[inline(always)]
pub(crate) fn first_eight(key: &[u8]) -> u64 {
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
pub(crate) fn hash_bytes(key: &[u8]) -> u64 {
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
