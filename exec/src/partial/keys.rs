//! What identifies groups, by their numbers.

use super::byte_keys::ByteKeys;
use super::hash::{hash32, hash64, hash128};
use crate::column::column_builder::ColumnBuilder;
use crate::plan::key_layout::{KeyLayout, PartDomain};
use std::ops::Range;
use std::sync::Arc;

/// The keys of groups: codes of a layout, which tells what they stand for, or columns.
#[derive(Clone, Debug)]
pub(crate) enum Keys {
    /// There is no key, and one group.
    One,
    /// A group's number is its code less `base`; those that are not `seen` have no rows. Of `dense` ones there may be many.
    Numbered { layout: KeyLayout, base: u32, seen: Vec<bool>, dense: bool },
    /// A bit for each code. Nothing is kept of a group, so it has no number.
    Set { layout: KeyLayout, words: Vec<u64> },
    /// The code of each group, of up to 64 bits.
    Listed { layout: KeyLayout, codes: Vec<u64> },
    /// The code of each group; and the keys, a column a part, unless the codes tell them or nobody asks.
    Hashed { layout: KeyLayout, codes: CodeKeys, columns: Vec<ColumnBuilder> },
}

/// Distinct keys as they are hashed.
#[derive(Clone, Debug)]
pub(crate) enum CodeKeys {
    Bits32(Vec<u32>),
    Bits64(Vec<u64>),
    Bits128(Vec<u128>),
    Bytes(ByteKeys),
}

impl CodeKeys {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        match self {
            CodeKeys::Bits32(keys) => keys.len(),
            CodeKeys::Bits64(keys) => keys.len(),
            CodeKeys::Bits128(keys) => keys.len(),
            CodeKeys::Bytes(keys) => keys.len(),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            CodeKeys::Bits32(keys) => keys.capacity() * 4,
            CodeKeys::Bits64(keys) => keys.capacity() * 8,
            CodeKeys::Bits128(keys) => keys.capacity() * 16,
            CodeKeys::Bytes(keys) => keys.held(),
        }
    }

    /// The hash of a key; the same for one key wherever codes have this width.
    pub(crate) fn hash(&self, number: usize) -> u64 {
        match self {
            CodeKeys::Bits32(keys) => hash32(keys[number]),
            CodeKeys::Bits64(keys) => hash64(keys[number]),
            CodeKeys::Bits128(keys) => hash128(keys[number]),
            CodeKeys::Bytes(keys) => keys.entries[number].hash,
        }
    }

    /// The keys of these numbers.
    fn take(&self, numbers: &[u32]) -> CodeKeys {
        match self {
            CodeKeys::Bits32(keys) => CodeKeys::Bits32(picked(keys, numbers)),
            CodeKeys::Bits64(keys) => CodeKeys::Bits64(picked(keys, numbers)),
            CodeKeys::Bits128(keys) => CodeKeys::Bits128(picked(keys, numbers)),
            CodeKeys::Bytes(keys) => {
                let mut taken = ByteKeys::default();
                numbers.iter().for_each(|&number| taken.push(keys.get(number as usize)));
                CodeKeys::Bytes(taken)
            }
        }
    }
}

impl Keys {
    /// How many groups there is room for in the states.
    pub(crate) fn len(&self) -> usize {
        match self {
            Keys::One => 1,
            Keys::Numbered { seen, .. } => seen.len(),
            Keys::Set { .. } => 0,
            Keys::Listed { codes, .. } => codes.len(),
            Keys::Hashed { codes, .. } => codes.len(),
        }
    }

    /// The numbers of the groups that have rows; of a set their codes.
    pub(crate) fn occupied(&self) -> Vec<u32> {
        match self {
            Keys::Numbered { seen, .. } => occupied(seen, 0..seen.len()),
            Keys::Set { words, .. } => {
                let ones = |(place, &word): (usize, &u64)| {
                    (0..64).filter(move |at| word >> at & 1 == 1).map(move |at| (place * 64 + at) as u32)
                };
                words.iter().enumerate().flat_map(ones).collect()
            }
            Keys::One | Keys::Listed { .. } | Keys::Hashed { .. } => (0..self.len() as u32).collect(),
        }
    }

    /// The hash of a group's key; the same wherever keys of one layout are kept in one way.
    pub(crate) fn hash(&self, group: u32) -> u64 {
        match self {
            Keys::One => 0,
            Keys::Numbered { base, .. } => hash64(u64::from(*base) + u64::from(group)),
            Keys::Set { .. } => hash64(group.into()),
            Keys::Listed { codes, .. } => hash64(codes[group as usize]),
            Keys::Hashed { codes, .. } => codes.hash(group as usize),
        }
    }

    /// The layout of the codes; none without a key.
    pub(crate) fn layout(&self) -> Option<&KeyLayout> {
        match self {
            Keys::One => None,
            Keys::Numbered { layout, .. }
            | Keys::Set { layout, .. }
            | Keys::Listed { layout, .. }
            | Keys::Hashed { layout, .. } => Some(layout),
        }
    }

    /// The keys of these groups, which become the numbers 0, 1, 2, …
    pub(super) fn take(&self, groups: &[u32]) -> Keys {
        match self {
            Keys::One => Keys::One,
            Keys::Numbered { layout, base, .. } => {
                let codes = groups.iter().map(|&group| u64::from(base + group)).collect();
                Keys::Listed { layout: layout.clone(), codes }
            }
            Keys::Set { layout, words } => {
                let mut taken = vec![0; words.len()];
                groups.iter().for_each(|&code| taken[code as usize / 64] |= 1 << (code % 64));
                Keys::Set { layout: layout.clone(), words: taken }
            }
            Keys::Listed { layout, codes } => Keys::Listed { layout: layout.clone(), codes: picked(codes, groups) },
            Keys::Hashed { layout, codes, columns } => Keys::Hashed {
                layout: layout.clone(),
                codes: codes.take(groups),
                columns: columns.iter().map(|column| column.take(groups)).collect(),
            },
        }
    }

    /// Whether the keys of both are kept in one way, so that groups of one can be found among those of the other.
    pub(super) fn are_like(&self, other: &Keys) -> bool {
        let alike = match (self, other) {
            (Keys::One, Keys::One) => return true,
            (Keys::Numbered { .. }, Keys::Numbered { .. })
            | (Keys::Set { .. }, Keys::Set { .. })
            | (Keys::Listed { .. }, Keys::Listed { .. }) => true,
            (Keys::Hashed { columns: mine, .. }, Keys::Hashed { columns: theirs, .. }) => {
                mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(mine, theirs)| mine.is_like(theirs))
            }
            _ => false,
        };
        alike
            && match (self.layout(), other.layout()) {
                (Some(mine), Some(theirs)) => same_layout(mine, theirs),
                _ => false,
            }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Keys::One => 0,
            Keys::Numbered { seen, .. } => seen.capacity(),
            Keys::Set { words, .. } => words.capacity() * 8,
            Keys::Listed { codes, .. } => codes.capacity() * 8,
            Keys::Hashed { codes, columns, .. } => {
                codes.bytes() + columns.iter().map(ColumnBuilder::bytes).sum::<usize>()
            }
        }
    }
}

/// Whether codes of both layouts mean the same.
fn same_layout(a: &KeyLayout, b: &KeyLayout) -> bool {
    let same = |(a, b): (&PartDomain, &PartDomain)| match (a, b) {
        (PartDomain::Integer(a), PartDomain::Integer(b)) => (a.low, a.high, a.step) == (b.low, b.high, b.step),
        (PartDomain::Short(a), PartDomain::Short(b)) => a == b,
        (PartDomain::Code(a), PartDomain::Code(b)) => Arc::ptr_eq(a, b) || a == b,
        (PartDomain::Float, PartDomain::Float)
        | (PartDomain::Text, PartDomain::Text)
        | (PartDomain::Interval, PartDomain::Interval) => true,
        _ => false,
    };
    a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(|(a, b)| same((&a.domain, &b.domain)))
}

/// The values at some places.
pub(super) fn picked<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|&place| values[place as usize]).collect()
}

/// The codes of a range that have been seen, without a branch for each.
pub(crate) fn occupied(seen: &[bool], range: Range<usize>) -> Vec<u32> {
    let mut codes = vec![0; range.len() + 1];
    let mut count = 0;
    for (code, &seen) in (range.start as u32..).zip(&seen[range]) {
        codes[count] = code;
        count += usize::from(seen);
    }
    codes.truncate(count);
    codes
}
