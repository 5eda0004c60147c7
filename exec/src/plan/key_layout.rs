//! How the parts of a key become one number or a string of bytes.

use crate::column::dictionary::Dictionary;
use crate::plan::code_range::{CodeRange, WideRange};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::types::DataType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How keys of some parts become codes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeyLayout {
    pub(crate) parts: Vec<PartLayout>,
    pub(crate) width: KeyWidth,
    /// Of keys that are bytes: words of 64 bits that the parts take which are numbers.
    pub(crate) words: u32,
}

/// Strings of few bytes between those that all of them begin and end with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShortText {
    pub(crate) prefix: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
    /// The most that stand between, [`SHORT_TEXT_MAX`] at most.
    pub(crate) most: u32,
}

impl ShortText {
    /// Strings of up to so many bytes.
    pub(crate) fn of(most: u32) -> Self {
        ShortText { prefix: Vec::new(), suffix: Vec::new(), most }
    }

    /// What a string, which is one of these, has of its own; none of one that is too short, which is none.
    #[inline(always)]
    pub(crate) fn own<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let own = text.get(self.prefix.len()..text.len().checked_sub(self.suffix.len())?)?;
        debug_assert!(text.starts_with(&self.prefix) && text.ends_with(&self.suffix), "one of these strings");
        Some(own)
    }
}

/// Bytes of a string that fit a word with how many they are.
pub(crate) const WORD_TEXT: u32 = 7;

/// Bytes of the strings of [`PartDomain::Short`], at most.
pub(crate) const SHORT_TEXT_MAX: u32 = 15;

/// Bits of a word of keys that are bytes.
pub(crate) const WORD_BITS: u32 = 64;

/// What codes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeyWidth {
    /// Integers of 32 bits, kept in 64.
    Bits32,
    /// 64-bit integers.
    Bits64,
    /// 128-bit integers.
    Bits128,
    /// Bytes: words of 64 bits that numbers are packed into, and behind them strings.
    Bytes,
    /// One string, as it is.
    Text,
}

/// One part of a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartLayout {
    pub(crate) domain: PartDomain,
    /// Where its code stands in a packed key, or in the words of one that is bytes; there only what is wider than a word goes on
    /// in the next one.
    pub(crate) shift: u32,
}

/// Which values a part can have.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum PartDomain {
    /// Integer-like or boolean.
    Integer(Grid),
    /// Strings of one dictionary; never before a loop has its tables, so that no plan has one.
    #[serde(skip)]
    Code(Arc<Dictionary>),
    /// Floats.
    Float,
    /// Any strings.
    Text,
    /// Strings of few bytes, but for those that all have; as those of a dictionary never in a plan.
    #[serde(skip)]
    Short(Arc<ShortText>),
    /// Intervals.
    Interval,
}

impl KeyWidth {
    /// For people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            KeyWidth::Bits32 => "32-bit keys",
            KeyWidth::Bits64 => "64-bit keys",
            KeyWidth::Bits128 => "128-bit keys",
            KeyWidth::Bytes => "bytes",
            KeyWidth::Text => "strings",
        }
    }
}

impl PartDomain {
    /// The integers from `low` to `high`.
    pub(crate) fn integers(low: i128, high: i128) -> Self {
        PartDomain::Integer(Grid::of_range(low, high))
    }

    /// All values of a type.
    pub(crate) fn of_type(data_type: DataType) -> Self {
        match data_type {
            DataType::Null => PartDomain::integers(0, 0),
            DataType::Real | DataType::Double => PartDomain::Float,
            DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => PartDomain::Text,
            DataType::Interval => PartDomain::Interval,
            _ => {
                let (low, high) = data_type.integer_bounds().unwrap_or((i128::MIN, i128::MAX));
                PartDomain::integers(low, high)
            }
        }
    }

    /// Number of codes, NULL's included; None if they do not fit 127 bits.
    pub(crate) fn codes(&self) -> Option<u128> {
        match self {
            PartDomain::Integer(Grid { low, high, step }) => {
                let last = u128::try_from(high.checked_sub(*low)?).ok()? / u128::from(*step);
                last.checked_add(2).filter(|&codes| codes < 1 << 127)
            }
            PartDomain::Code(dictionary) => Some(dictionary.len() as u128 + 1),
            // NULL has one of the codes of NaN, of which values have one.
            PartDomain::Float => Some(1 << 64),
            PartDomain::Text => None,
            // The bytes, and above them one more than how many there are.
            PartDomain::Short(short) => Some(u128::from(short.most + 2) << (8 * short.most)),
            // 2^31 months and days of microseconds, and 2^63 of these: below 2^74, of either sign.
            PartDomain::Interval => Some((1 << 76) + 1),
        }
    }

    /// Bits of a code: one at least, so that none stands behind the last bit: an empty dictionary has only the code of NULL.
    pub(crate) fn bits(&self) -> u32 {
        self.codes().map_or(128, |codes| (128 - (codes - 1).leading_zeros()).max(1))
    }
}

/// The parts of a key that packs into a number of up to 128 bits, and how many it takes; none of another. The first part has the
/// highest bits: where rows are sorted by their keys, codes are in order, and neighbours in an array over them.
fn packed(domains: &[PartDomain]) -> Option<(Vec<PartLayout>, u32)> {
    let mut shift = 0;
    let place = |domain: &PartDomain| {
        domain.codes()?;
        let part = PartLayout { domain: domain.clone(), shift };
        shift += domain.bits();
        (shift <= 128).then_some(part)
    };
    let mut parts = domains.iter().rev().map(place).collect::<Option<Vec<PartLayout>>>()?;
    parts.reverse();
    Some((parts, shift))
}

impl KeyLayout {
    /// The narrowest layout for these parts.
    pub(crate) fn new(domains: Vec<PartDomain>) -> Self {
        if let [PartDomain::Text] = domains[..] {
            let parts = vec![PartLayout { domain: PartDomain::Text, shift: 0 }];
            return KeyLayout { parts, width: KeyWidth::Text, words: 0 };
        }
        let Some((parts, bits)) = packed(&domains) else { return KeyLayout::of_bytes(domains) };
        let width = match bits {
            0..=32 => KeyWidth::Bits32,
            33..=64 => KeyWidth::Bits64,
            _ => KeyWidth::Bits128,
        };
        KeyLayout { parts, width, words: 0 }
    }

    /// The layout of keys that do not pack into a number: each part in the first word that has room for it.
    fn of_bytes(domains: Vec<PartDomain>) -> Self {
        let mut taken: Vec<u32> = Vec::new();
        let mut place = |domain: &PartDomain| {
            if matches!(domain, PartDomain::Text) {
                return 0;
            }
            let bits = domain.bits();
            if bits > WORD_BITS {
                taken.extend([WORD_BITS; 2]);
                return (taken.len() as u32 - 2) * WORD_BITS;
            }
            let word = taken.iter().position(|taken| taken + bits <= WORD_BITS).unwrap_or(taken.len());
            taken.resize(taken.len().max(word + 1), 0);
            let shift = word as u32 * WORD_BITS + taken[word];
            taken[word] += bits;
            shift
        };
        let part = |domain: PartDomain| PartLayout { shift: place(&domain), domain };
        let parts = domains.into_iter().map(part).collect();
        KeyLayout { parts, width: KeyWidth::Bytes, words: taken.len() as u32 }
    }

    /// The bit of a packed key behind the last of a part; none for the part of the highest bits.
    pub(crate) fn end(&self, part: usize) -> Option<u32> {
        part.checked_sub(1).map(|before| self.parts[before].shift)
    }

    /// The codes of a layout of one integer, if they are not too many.
    pub(crate) fn code_range(&self) -> Option<CodeRange> {
        match &self.parts[..] {
            [PartLayout { domain: PartDomain::Integer(grid), .. }] => CodeRange::new(*grid),
            _ => None,
        }
    }

    /// The codes of a layout of one integer, if they fit 64 bits.
    pub(crate) fn wide_range(&self) -> Option<WideRange> {
        match &self.parts[..] {
            [PartLayout { domain: PartDomain::Integer(Grid { low, high, step: 1 }), .. }] if self.is_word() => {
                WideRange::new(*low, *high)
            }
            _ => None,
        }
    }

    /// The same for keys that are hashed: of one integer, whose codes gain nothing by what divides them.
    pub(crate) fn hashed(&self) -> Self {
        match &self.parts[..] {
            [PartLayout { domain: PartDomain::Integer(Grid { low, high, .. }), .. }] => {
                KeyLayout::new(vec![PartDomain::integers(*low, *high)])
            }
            _ => self.clone(),
        }
    }

    /// Whether codes tell the keys: intervals of one length are one key, whatever they are made of.
    pub(crate) fn codes_tell_keys(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part.domain, PartDomain::Interval))
    }

    /// Whether codes are of up to 64 bits.
    fn is_word(&self) -> bool {
        matches!(self.width, KeyWidth::Bits32 | KeyWidth::Bits64)
    }

    /// An upper bound of codes of a packed layout; None beyond 64 bits.
    pub(crate) fn codes(&self) -> Option<u64> {
        if !self.is_word() {
            return None;
        }
        let Some(first) = self.parts.first() else { return Some(1) };
        u64::try_from(first.domain.codes()?.checked_shl(first.shift)?).ok()
    }
}
