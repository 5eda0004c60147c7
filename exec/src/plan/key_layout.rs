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
    /// Whether the parts that are numbers take no more than 64 bits.
    pub(crate) packs_numbers: bool,
}

/// What codes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeyWidth {
    /// Integers of 32 bits, kept in 64.
    Bits32,
    /// 64-bit integers.
    Bits64,
    /// 128-bit integers.
    Bits128,
    /// Bytes: those of numbers, all numbers packed into 64 bits if they fit, and of strings.
    Bytes,
    /// One string, as it is.
    Text,
}

/// One part of a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PartLayout {
    pub(crate) domain: PartDomain,
    /// Where its code stands in a packed key.
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
            PartDomain::Float => Some((1 << 64) + 1),
            PartDomain::Text => None,
            // 2^31 months and days of microseconds, and 2^63 of these: below 2^74, of either sign.
            PartDomain::Interval => Some((1 << 76) + 1),
        }
    }
}

impl KeyLayout {
    /// The narrowest layout for these parts.
    pub(crate) fn new(domains: Vec<PartDomain>) -> Self {
        if let [PartDomain::Text] = domains[..] {
            let parts = vec![PartLayout { domain: PartDomain::Text, shift: 0 }];
            return KeyLayout { parts, width: KeyWidth::Text, packs_numbers: true };
        }
        let mut shift = 0u32;
        let mut packs = true;
        // The first part has the highest bits: where rows are sorted by their keys, codes are in order, and neighbours in an array
        // over them.
        let parts: Vec<PartLayout> = domains
            .into_iter()
            .rev()
            .map(|domain| {
                // Text is written behind the numbers, and takes none of their bits.
                let text = matches!(domain, PartDomain::Text);
                let wide = if text { 0 } else { 128 };
                // One at least, so that none stands behind the last bit: an empty dictionary has only the code of NULL.
                let bits = domain.codes().map_or(wide, |codes| (128 - (codes - 1).leading_zeros()).max(1));
                packs &= domain.codes().is_some() && shift + bits <= 128;
                let part = PartLayout { domain, shift: shift.min(127) };
                shift = (shift + bits).min(1 << 16);
                part
            })
            .collect();
        let width = match shift {
            0..=32 if packs => KeyWidth::Bits32,
            33..=64 if packs => KeyWidth::Bits64,
            65..=128 if packs => KeyWidth::Bits128,
            _ => KeyWidth::Bytes,
        };
        KeyLayout { parts: parts.into_iter().rev().collect(), width, packs_numbers: shift <= 64 }
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

    /// Whether codes are numbers that tell the keys.
    pub(crate) fn codes_tell_keys(&self) -> bool {
        let tells = |part: &PartLayout| matches!(part.domain, PartDomain::Integer(_) | PartDomain::Code(_));
        self.is_word() || self.width == KeyWidth::Bits128 && self.parts.iter().all(tells)
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
