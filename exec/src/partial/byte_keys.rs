//! Distinct keys that are bytes, one behind the other; and where their parts stand.
//!
//! A key of one string is the string, or [`NULL`]. Any other begins with words of 64 bits, little-endian, that its numbers are
//! packed into. Its strings follow, in order: each with four bytes in front that are one more than its length, or 0 for NULL;
//! the last one with a byte that is 1, or 0 for NULL, since it ends where the key does.

use super::hash::hash64;
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain, PartLayout, WORD_BITS};

/// The key of NULL where a key is one string, which no string is: it is not UTF-8.
pub(crate) const NULL: &[u8] = &[0xff];

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
        self.push_hashed(hash_bytes(key), key);
    }

    /// The same of a key with this hash.
    #[inline]
    pub(crate) fn push_hashed(&mut self, hash: u64, key: &[u8]) {
        let first_eight = first_eight(key);
        self.entries.push(Entry { hash, first_eight, start: self.bytes.len(), length: key.len() });
        self.bytes.extend_from_slice(key);
    }

    /// So many keys more are likely to come, as long as those that are there.
    pub(crate) fn expect(&mut self, more: usize) {
        self.entries.reserve(more);
        self.bytes.reserve(self.bytes.len().div_ceil(self.len().max(1)) * more);
    }

    /// Bytes held.
    pub(crate) fn held(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.bytes.capacity()
    }
}

/// A word of a key that has it.
#[inline(always)]
pub(crate) fn word_of(key: &[u8], word: u32) -> u64 {
    u64::from_le_bytes(*key[word as usize * 8..].first_chunk().expect("its layout has the word"))
}

/// Where a string stands in keys of a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPlace {
    /// Bytes in front of all strings.
    start: usize,
    /// Strings in front of it.
    before: usize,
    is_last: bool,
    /// Whether it is all of the key.
    is_alone: bool,
}

impl TextPlace {
    /// Of a part that is a string.
    pub(crate) fn of(layout: &KeyLayout, part: usize) -> Self {
        let texts = |parts: &[PartLayout]| parts.iter().filter(|part| matches!(part.domain, PartDomain::Text)).count();
        TextPlace {
            start: layout.words as usize * 8,
            before: texts(&layout.parts[..part]),
            is_last: texts(&layout.parts[part + 1..]) == 0,
            is_alone: layout.width == KeyWidth::Text,
        }
    }

    /// The string of a key; none of NULL.
    #[inline]
    pub(crate) fn find(self, key: &[u8]) -> Option<&[u8]> {
        if self.is_alone {
            return (key != NULL).then_some(key);
        }
        let mut rest = &key[self.start..];
        for _ in 0..self.before {
            rest = text_before(rest).expect("keys of its layout").1;
        }
        if self.is_last {
            let (is_there, text) = rest.split_first().expect("keys of its layout");
            return (*is_there == 1).then_some(text);
        }
        text_before(rest).expect("keys of its layout").0
    }
}

/// The string that bytes begin with, unless it is NULL, and what is behind it; none if there is no string.
fn text_before(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    match u32::from_le_bytes(*length).checked_sub(1) {
        None => Some((None, rest)),
        Some(length) => rest.split_at_checked(length as usize).map(|(text, rest)| (Some(text), rest)),
    }
}

/// Whether bytes are a key of a layout whose codes tell the keys, so that they can be decoded.
pub(crate) fn is_key(layout: &KeyLayout, key: &[u8]) -> bool {
    let is_text = |text: &[u8]| std::str::from_utf8(text).is_ok();
    if layout.width == KeyWidth::Text {
        return key == NULL || is_text(key);
    }
    let Some((numbers, mut rest)) = key.split_at_checked(layout.words as usize * 8) else { return false };
    let (mut texts, mut fits) = (0, true);
    for part in &layout.parts {
        if let PartDomain::Text = part.domain {
            texts += 1;
        } else if part.domain.bits() <= WORD_BITS {
            let code = word_of(numbers, part.shift / WORD_BITS) >> (part.shift % WORD_BITS);
            let own = u128::from(code) & ((1 << part.domain.bits()) - 1);
            fits &= is_code(&part.domain, own);
        } else if let PartDomain::Short(_) = part.domain {
            let [low, high] = [0, 1].map(|next| u128::from(word_of(numbers, part.shift / WORD_BITS + next)));
            fits &= is_code(&part.domain, high << WORD_BITS | low);
        }
    }
    for _ in 1..texts {
        let Some((text, behind)) = text_before(rest) else { return false };
        fits &= text.is_none_or(is_text);
        rest = behind;
    }
    let ends = match rest.split_first() {
        Some((0, rest)) => rest.is_empty(),
        Some((1, text)) => is_text(text),
        _ => false,
    };
    fits && if texts == 0 { rest.is_empty() } else { ends }
}

/// Whether a code is one of a domain.
pub(crate) fn is_code(domain: &PartDomain, code: u128) -> bool {
    let PartDomain::Short(short) = domain else { return domain.codes().is_some_and(|codes| code < codes) };
    let most = short.most;
    let (length, bytes) = (code >> (8 * most), code.to_le_bytes());
    // NULL has no byte, either.
    let text = u32::try_from(length).ok().map(|length| length.saturating_sub(1)).filter(|&length| length <= most);
    text.is_some_and(|length| {
        let (text, behind) = bytes[..most as usize].split_at(length as usize);
        let text = [&short.prefix, text, &short.suffix].concat();
        behind.iter().all(|&byte| byte == 0) && std::str::from_utf8(&text).is_ok()
    })
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
