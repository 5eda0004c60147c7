//! The constants of a list as a set, so that membership takes one look-up a value however long the list is.
//!
//! Integers (and what is compared as such) that lie close together are a bit each; others are hashed. Texts are hashed with
//! their lengths looked at first, in a column without a look at any other string; of a dictionary's strings those that are
//! members are found once, then codes are asked.

use crate::column::Dictionary;
use crate::column::order_key::float_key;
use crate::cpu::kernels::compare::among;
use crate::cpu::kernels::equal_text::hold_of_lengths;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData, short_text};
use crate::partial::byte_keys::{ByteKeys, first_eight, hash_bytes};
use crate::partial::hash::hash64;
use crate::plan::code_range::CodeRange;
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::numeric::key::key_of_encoded;
use std::sync::Arc;

/// Members, of one kind, without NULL.
#[derive(Debug)]
pub(super) enum Members {
    /// Integers, and what else is compared as an integer: keys of floats, lengths of intervals.
    Integers(IntegerSet),
    /// Strings.
    Texts(TextSet),
}

impl Members {
    /// The members that constants are; none if there is no value among them, or if they are of another kind. `is_numeric` says
    /// that texts stand for numerics.
    pub(super) fn of<'v>(constants: impl Iterator<Item = &'v Vector>, is_numeric: bool) -> Option<Self> {
        let (mut integers, mut texts) = (Vec::new(), Vec::new());
        for constant in constants {
            match integer_of(constant, 0) {
                Some(value) => integers.push(value),
                None => texts.push(constant.text(0)?),
            }
        }
        match (integers.is_empty(), texts.is_empty()) {
            (false, true) => Some(Members::Integers(IntegerSet::new(integers))),
            (true, false) => Some(Members::Texts(TextSet::new(&texts, is_numeric))),
            _ => None,
        }
    }
}

/// The integer by which a value that is not NULL is compared; none if it is not compared so.
fn integer_of(vector: &Vector, tuple: usize) -> Option<i128> {
    match &vector.data {
        VectorData::F64(values) => Some(float_key(values[vector.position(tuple)]).into()),
        VectorData::Interval(values) => Some(values[vector.position(tuple)].comparable_micros()),
        VectorData::Bool(_) => None,
        _ => vector.integer(tuple),
    }
}

/// Bits that a set of integers may take for each of them: a hash table takes as many.
const BITS_EACH_MAX: u128 = 256;

/// Bits that any set may take.
const BITS_LEAST: u128 = 1 << 16;

/// A set of integers.
#[derive(Debug)]
pub(super) struct IntegerSet {
    low: i128,
    high: i128,
    /// A bit a code, if they lie close together.
    bits: Option<(CodeRange, Vec<u64>)>,
    /// A power of two of slots, each a member or `free`.
    slots: Vec<i64>,
    free: i64,
    /// Those beyond 64 bits, in order.
    wide: Vec<i128>,
}

impl IntegerSet {
    fn new(mut members: Vec<i128>) -> Self {
        members.sort_unstable();
        members.dedup();
        let (low, high) = (members[0], members[members.len() - 1]);
        let bits = bits_of(&members);
        let (narrow, wide): (Vec<i128>, Vec<i128>) = members.iter().partition(|&&member| i64::try_from(member).is_ok());
        // A number that is no member: there are more numbers than members.
        let free = (i64::MIN..=i64::MAX).find(|free| narrow.binary_search(&i128::from(*free)).is_err());
        let free = free.expect("a list is shorter than all integers are many");
        let mut slots = vec![free; (narrow.len() * 4).next_power_of_two()];
        for member in narrow {
            let mut slot = slot_of(member as i64, slots.len());
            while slots[slot] != free {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = member as i64;
        }
        IntegerSet { low, high, bits, slots, free, wide }
    }

    /// The codes of integers of the set's range, and a bit for each that is a member.
    pub(super) fn bits(&self) -> Option<&(CodeRange, Vec<u64>)> {
        self.bits.as_ref()
    }

    #[inline]
    fn has(&self, value: i64) -> bool {
        if i128::from(value) < self.low || i128::from(value) > self.high || value == self.free {
            return false;
        }
        let mut slot = slot_of(value, self.slots.len());
        while self.slots[slot] != self.free {
            if self.slots[slot] == value {
                return true;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        false
    }

    fn has_wide(&self, value: i128) -> bool {
        i64::try_from(value).map_or_else(|_| self.wide.binary_search(&value).is_ok(), |value| self.has(value))
    }

    /// Makes `bits` which values are members, at NULLs whatever; false if they are of another kind.
    pub(super) fn hold(&self, values: &Vector, len: usize, bits: &mut Bitmap) -> bool {
        match &values.data {
            VectorData::I32(values) => bits.fill(len, |at| self.has(values[at].into())),
            VectorData::I64(values) => bits.fill(len, |at| self.has(values[at])),
            VectorData::I128(values) => bits.fill(len, |at| self.has_wide(values[at])),
            VectorData::F64(values) => bits.fill(len, |at| self.has(float_key(values[at]))),
            VectorData::Interval(values) => bits.fill(len, |at| self.has_wide(values[at].comparable_micros())),
            _ => return false,
        }
        true
    }
}

fn slot_of(value: i64, slots: usize) -> usize {
    hash64(value as u64) as usize & (slots - 1)
}

/// Members, in order, as bits of their range, if it is small for so many.
fn bits_of(members: &[i128]) -> Option<(CodeRange, Vec<u64>)> {
    let (low, high) = (members[0], members[members.len() - 1]);
    let span = high.checked_sub(low)? as u128;
    if span >= BITS_LEAST.max(members.len() as u128 * BITS_EACH_MAX) {
        return None;
    }
    let range = CodeRange::new(Grid { low, high, step: 1 })?;
    // Two codes more: NULL's, and that of what is out of range, which has the last bit of all.
    let mut set = vec![0u64; (span as usize + 3) / 64 + 1];
    for member in members {
        let code = (member - low) as usize + 1;
        set[code / 64] |= 1 << (code % 64);
    }
    Some((range, set))
}

/// The half of a slot that the hash of its text is.
const TAG: u64 = !0 << 32;

/// Short strings that are compared one by one, at most.
const SHORT_MAX: usize = 8;

/// A set of strings.
#[derive(Debug)]
pub(super) struct TextSet {
    keys: ByteKeys,
    /// A power of two of slots: 0 of none, or half of a hash and one more than the number of a key.
    slots: Vec<u64>,
    /// A bit for each length, modulo 64, and the greatest of them: longer texts are not even looked at.
    lengths: u64,
    longest: usize,
    /// All of them as numbers, if they are few and short: then comparisons with each are faster than a hash.
    short: Option<Vec<u64>>,
    is_numeric: bool,
    /// The last dictionary that was asked for, and which of its strings are members.
    codes: Option<(Arc<Dictionary>, Bitmap)>,
}

impl TextSet {
    fn new(texts: &[&str], is_numeric: bool) -> Self {
        let slots = vec![0; (texts.len() * 4).next_power_of_two()];
        let short: Vec<u64> = texts.iter().map(|text| short_text(text.as_bytes())).collect();
        let is_short = !is_numeric && short.len() <= SHORT_MAX && !short.contains(&TextVector::LONG);
        let mut set = TextSet {
            keys: ByteKeys::default(),
            slots,
            lengths: 0,
            longest: 0,
            short: is_short.then_some(short),
            is_numeric,
            codes: None,
        };
        for text in texts {
            let key = set.key(text);
            let hash = hash_bytes(key);
            if let Err(slot) = set.find(hash, key) {
                set.keys.push_hashed(hash, key);
                set.slots[slot] = hash & TAG | set.keys.len() as u64;
                set.lengths |= 1 << (key.len() % 64);
                set.longest = set.longest.max(key.len());
            }
        }
        set
    }

    /// What of a text is compared: numerics that differ in their scales alone are equal.
    fn key<'t>(&self, text: &'t str) -> &'t [u8] {
        if self.is_numeric { key_of_encoded(text).as_bytes() } else { text.as_bytes() }
    }

    /// The slot of a key, or the one where it would be.
    #[inline]
    fn find(&self, hash: u64, key: &[u8]) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                entry if (entry ^ hash) & TAG == 0 && self.is((entry & !TAG) as usize - 1, key) => return Ok(slot),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[inline]
    fn is(&self, number: usize, key: &[u8]) -> bool {
        let entry = &self.keys.entries[number];
        entry.length == key.len()
            && entry.first_eight == first_eight(key)
            && (key.len() <= 8 || self.keys.get(number)[8..] == key[8..])
    }

    #[inline]
    fn has(&self, key: &[u8]) -> bool {
        self.lengths >> (key.len() % 64) & 1 == 1
            && key.len() <= self.longest
            && self.find(hash_bytes(key), key).is_ok()
    }

    /// Which of a dictionary's strings are members, a bit a code.
    pub(super) fn codes(&mut self, dictionary: &Arc<Dictionary>) -> &Bitmap {
        let known = self.codes.take().filter(|(known, _)| Arc::ptr_eq(known, dictionary));
        let (dictionary, bits) = known.unwrap_or_else(|| (Arc::clone(dictionary), self.codes_of(dictionary)));
        &self.codes.insert((dictionary, bits)).1
    }

    fn codes_of(&self, dictionary: &Dictionary) -> Bitmap {
        let mut bits = Bitmap::new(dictionary.len(), false);
        // A search in the dictionary takes so many steps; of numerics several strings may be equal.
        let steps = usize::BITS - dictionary.len().leading_zeros();
        if !self.is_numeric && self.keys.len().saturating_mul(steps as usize) < dictionary.len() {
            let found = (0..self.keys.len()).filter_map(|number| dictionary.find(self.keys.get(number)).ok());
            found.for_each(|code| bits.set(code as usize, true));
        } else {
            let mut texts = dictionary.iter();
            bits.fill(dictionary.len(), |_| texts.next().is_some_and(|text| self.has(self.key(text))));
        }
        bits
    }

    /// Makes `bits` which strings are members, of strings that lie one behind the other and begin and end at these offsets; false
    /// of numerics. Where the length tells, and it does of most, no string is looked at.
    pub(super) fn hold_rows(&self, offsets: &[i32], bytes: &[u8], bits: &mut Bitmap) -> bool {
        if self.is_numeric {
            return false;
        }
        let (lengths, longest) = (self.lengths, self.longest);
        let may_be = |length: usize| lengths >> (length % 64) & 1 == 1 && length <= longest;
        let is_member = |start: usize, end: usize| {
            let key = &bytes[start..end];
            self.find(hash_bytes(key), key).is_ok()
        };
        hold_of_lengths((offsets, bytes), bits, may_be, is_member);
        true
    }

    /// Makes `bits` which values are members, at NULLs whatever; false if they are of another kind.
    pub(super) fn hold(&mut self, values: &Vector, len: usize, bits: &mut Bitmap) -> bool {
        match &values.data {
            VectorData::Code { codes, dictionary } => {
                let members = self.codes(dictionary).words();
                // What stands at a NULL may be no code.
                let is_member = |code: u32| members.get(code as usize / 64).map_or(0, |word| word >> (code % 64) & 1);
                bits.fill(len, |at| is_member(codes[at]) == 1);
            }
            VectorData::Text(texts) if self.is_numeric => {
                bits.fill(len, |at| !values.is_null(at) && self.has(self.key(texts.get(at))))
            }
            VectorData::Text(texts) => match &self.short {
                Some(short) => among(texts, short, len, bits),
                None => bits.fill(len, |at| self.has(texts.bytes(at))),
            },
            _ => return false,
        }
        true
    }
}
