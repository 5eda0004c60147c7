//! Keys as numbers: the parts of a key, packed into one integer of 32, 64 or 128 bits where their ranges allow it, else
//! bytes: words that numbers are packed into, and strings behind them. Equal keys, in the sense of GROUP BY, have equal codes.
//!
//! A part's code is 0 for NULL and 1 + (value - low) / step otherwise, so it takes the bits of its range. Text is packed by
//! its dictionary codes. Floats are their canonical bits, with those of an unused NaN turned ([`NULL_FLOAT`]); intervals their
//! comparable length.
//!
//! The first part of a key has the highest bits of its code. So rows that are sorted by (a, b) have their codes in
//! order, and find neighbours in arrays, ranks and sums. `pack` packs and `decode` unpacks a part at a time, in loops
//! that are compiled for the CPU's level.

use super::super::vector::VectorData;
use super::pack::pack;
use crate::column::Dictionary;
use crate::cpu::keys::duplicates::DuplicateRuns;
use crate::cpu::keys::part_values::{KeyPartValues, NULL_FLOAT, PartValues};
use crate::cpu::keys::short::{each_text, short_code};
use crate::cpu::keys::text::TextKeys;
use crate::cpu::keys::wide::WideKeys;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::partial::byte_keys::hash_bytes;
use crate::partial::hash::{hash32, hash64, hash128, part_of_hash};
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain, PartLayout, WORD_BITS};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::value::{Interval, canonical_float_bits};
use std::sync::Arc;

/// Half of the codes of intervals: what is added so that they are not negative.
const INTERVAL_ZERO: i128 = 1 << 75;

/// The codes of some keys. The vectors of the widths not in use are empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes {
    pub(crate) len: usize,
    pub(crate) bits64: Vec<u64>,
    pub(crate) bits128: Vec<u128>,
    bytes: Vec<u8>,
    /// Where the bytes of each key end.
    ends: Vec<usize>,
    /// Memory for the words of keys that are bytes: the first one of all keys, then the next.
    words: Vec<u64>,
    /// Memory for the strings of these.
    strings: Vec<TextKeys>,
    /// Keys of one string.
    pub(crate) texts: Option<TextKeys>,
    /// Keys that no layout of these domains holds, or with a NULL that matches nothing.
    pub(crate) absent: Option<Vec<bool>>,
    /// Runs of equal keys, where they have been looked for, and the key of each.
    pub(crate) duplicates: DuplicateRuns,
    /// Memory for which keys have been found.
    pub(crate) found: Bitmap,
    /// Memory for codes of keys of one integer.
    pub(crate) numbers: Vec<u32>,
    of_runs: Option<Box<Codes>>,
}

impl Codes {
    /// Takes some packed keys.
    pub(crate) fn set_packed(
        &mut self,
        width: KeyWidth,
        bits64: &[u64],
        bits128: &[u128],
        rows: std::ops::Range<usize>,
    ) {
        (self.len, self.absent) = (rows.len(), None);
        self.duplicates.clear();
        match width {
            KeyWidth::Bits128 => {
                self.bits128.clear();
                self.bits128.extend_from_slice(&bits128[rows]);
            }
            _ => {
                self.bits64.clear();
                self.bits64.extend_from_slice(&bits64[rows]);
            }
        }
    }

    /// Takes keys of one integer.
    pub(crate) fn set_wide(&mut self, keys: &WideKeys<'_>, len: usize) {
        self.absent = keys.codes(len, &mut self.bits64);
        self.len = len;
        self.duplicates.clear();
    }

    /// What a table is to be asked for: these keys, of this width, or if most neighbours are alike a key for each run of them,
    /// and then `duplicates` says which runs.
    pub(crate) fn without_duplicates(&mut self, width: KeyWidth) -> &Codes {
        match width {
            KeyWidth::Bits32 | KeyWidth::Bits64 => self.duplicates.find(&self.bits64, self.absent.as_deref()),
            KeyWidth::Bits128 => self.duplicates.find(&self.bits128, self.absent.as_deref()),
            KeyWidth::Bytes | KeyWidth::Text => self.duplicates.clear(),
        }
        if !self.duplicates.any() {
            return self;
        }
        let runs = self.of_runs.get_or_insert_default();
        runs.len = self.duplicates.ends().len();
        match width {
            KeyWidth::Bits32 | KeyWidth::Bits64 => self.duplicates.firsts(&self.bits64, &mut runs.bits64),
            _ => self.duplicates.firsts(&self.bits128, &mut runs.bits128),
        }
        runs.absent = self.absent.as_ref().map(|absent| {
            let mut of_runs = Vec::new();
            self.duplicates.firsts(absent, &mut of_runs);
            of_runs
        });
        runs
    }

    /// The codes of the keys that columns have, in which NULL is a value like any other.
    pub(crate) fn of_columns(layout: &KeyLayout, keys: &[ColumnBuilder], rows: usize) -> Self {
        let part = |column| KeyPartValues { values: PartValues::ColumnBuilder(column), null_matches: true };
        let mut codes = Codes::default();
        codes.encode(layout, &keys.iter().map(part).collect::<Vec<_>>(), rows);
        codes
    }

    /// As [`Codes::of_columns`], of some rows.
    pub(crate) fn of_rows(layout: &KeyLayout, keys: &[ColumnBuilder], rows: std::ops::Range<usize>) -> Self {
        let columns: Vec<ColumnBuilder> = keys.iter().map(|column| column.slice(rows.clone())).collect();
        Codes::of_columns(layout, &columns, rows.len())
    }

    /// Encodes keys. A value outside of its part's domain makes its key absent.
    pub(crate) fn encode(&mut self, layout: &KeyLayout, parts: &[KeyPartValues<'_>], len: usize) {
        (self.len, self.absent) = (len, None);
        self.duplicates.clear();
        if layout.width != KeyWidth::Text {
            self.texts = None;
        }
        match layout.width {
            KeyWidth::Bits32 | KeyWidth::Bits64 => self.pack_numbers(layout, parts, len),
            KeyWidth::Bits128 => {
                self.bits128.clear();
                self.bits128.resize(len, 0);
                for (part, values) in layout.parts.iter().zip(parts) {
                    self.bits64.clear();
                    let own = PartLayout { domain: part.domain.clone(), shift: 0 };
                    let (codes, absent, shift) = (&mut self.bits128, &mut self.absent, part.shift);
                    if pack(&own, *values, len, &mut self.bits64, absent) {
                        let each = codes.iter_mut().zip(&self.bits64);
                        each.for_each(|(to, &code)| *to |= u128::from(code) << shift);
                        continue;
                    }
                    each_code(part, *values, len, absent, |tuple, code| codes[tuple] |= code << shift);
                }
            }
            KeyWidth::Bytes => self.encode_bytes(layout, parts, len),
            KeyWidth::Text => {
                self.texts.get_or_insert_default().fill(parts[0], len);
                if parts[0].may_be_null() && !parts[0].null_matches {
                    self.absent = Some((0..len).map(|tuple| parts[0].is_null(tuple)).collect());
                }
            }
        }
    }

    /// Packs the parts, all of which are numbers.
    fn pack_numbers(&mut self, layout: &KeyLayout, parts: &[KeyPartValues<'_>], len: usize) {
        self.bits64.clear();
        layout.parts.iter().zip(parts).for_each(|(part, values)| self.pack_part(part, *values, len));
        // What has no part.
        self.bits64.resize(len, 0);
    }

    /// Adds a part of up to 64 bits to the codes.
    fn pack_part(&mut self, part: &PartLayout, values: KeyPartValues<'_>, len: usize) {
        if pack(part, values, len, &mut self.bits64, &mut self.absent) {
            return;
        }
        self.bits64.resize(len, 0);
        let (codes, absent, shift) = (&mut self.bits64, &mut self.absent, part.shift);
        each_code(part, values, len, absent, |tuple, code| codes[tuple] |= (code as u64) << shift);
    }

    /// The words of keys that are bytes, as `words` has them.
    fn pack_words(&mut self, layout: &KeyLayout, parts: &[KeyPartValues<'_>], len: usize) {
        self.words.clear();
        self.words.resize(layout.words as usize * len, 0);
        for word in 0..layout.words {
            self.bits64.clear();
            for (part, values) in layout.parts.iter().zip(parts) {
                if matches!(part.domain, PartDomain::Text) || part.shift / WORD_BITS != word {
                    continue;
                }
                if part.domain.bits() > WORD_BITS {
                    let words = &mut self.words[word as usize * len..][..2 * len];
                    each_code(part, *values, len, &mut self.absent, |tuple, code| {
                        (words[tuple], words[len + tuple]) = (code as u64, (code >> WORD_BITS) as u64);
                    });
                    continue;
                }
                let own = PartLayout { domain: part.domain.clone(), shift: part.shift % WORD_BITS };
                self.pack_part(&own, *values, len);
            }
            if !self.bits64.is_empty() {
                self.words[word as usize * len..][..len].copy_from_slice(&self.bits64);
            }
        }
    }

    /// The words of numbers; then strings, each with one more than its length in front, or 0 for NULL. The last one's end is the
    /// key's: a byte says whether it is not NULL.
    fn encode_bytes(&mut self, layout: &KeyLayout, parts: &[KeyPartValues<'_>], len: usize) {
        self.pack_words(layout, parts, len);
        let is_text = |part: &PartLayout| matches!(part.domain, PartDomain::Text);
        let texts = layout.parts.iter().zip(parts).filter(|(part, _)| is_text(part));
        let texts: Vec<KeyPartValues<'_>> = texts.map(|(_, values)| *values).collect();
        self.strings.resize_with(texts.len(), TextKeys::default);
        self.strings.iter_mut().zip(&texts).for_each(|(strings, values)| strings.fill(*values, len));
        for values in texts.iter().filter(|values| values.may_be_null() && !values.null_matches) {
            (0..len)
                .filter(|&tuple| values.is_null(tuple))
                .for_each(|tuple| mark(&mut self.absent, *values, tuple, len));
        }
        self.ends.clear();
        self.bytes.clear();
        let words = layout.words as usize;
        for tuple in 0..len {
            for word in 0..words {
                self.bytes.extend_from_slice(&self.words[word * len + tuple].to_le_bytes());
            }
            if let Some((last, before)) = self.strings.split_last() {
                for strings in before {
                    let text = strings.text(tuple);
                    self.bytes.extend_from_slice(&text.map_or(0, |text| text.len() as u32 + 1).to_le_bytes());
                    self.bytes.extend_from_slice(text.unwrap_or_default());
                }
                let text = last.text(tuple);
                self.bytes.push(text.is_some().into());
                self.bytes.extend_from_slice(text.unwrap_or_default());
            }
            self.ends.push(self.bytes.len());
        }
    }

    /// The bytes of a key.
    #[inline]
    pub(crate) fn bytes(&self, tuple: usize) -> &[u8] {
        let start = if tuple == 0 { 0 } else { self.ends[tuple - 1] };
        &self.bytes[start..self.ends[tuple]]
    }

    /// The bytes of a key that is bytes, or one string.
    #[inline]
    pub(crate) fn key(&self, tuple: usize) -> &[u8] {
        self.texts.as_ref().map_or_else(|| self.bytes(tuple), |texts| texts.get(tuple))
    }

    /// The keys of some width by the parts that the lowest bits of their hashes say, a power of two of them.
    pub(crate) fn parts(&self, width: KeyWidth, parts: usize) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::with_capacity(self.len / parts * 9 / 8); parts];
        let hash = |tuple: usize| match width {
            KeyWidth::Bits32 => hash32(self.bits64[tuple] as u32),
            KeyWidth::Bits64 => hash64(self.bits64[tuple]),
            KeyWidth::Bits128 => hash128(self.bits128[tuple]),
            KeyWidth::Bytes | KeyWidth::Text => hash_bytes(self.key(tuple)),
        };
        (0..self.len).for_each(|tuple| all[part_of_hash(hash(tuple), parts)].push(tuple as u32));
        all
    }

    /// Adds the bytes of a key.
    #[cfg(test)]
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// Which keys from one on, 64 at most, match nothing.
    #[inline(always)]
    pub(crate) fn absent_word(&self, start: usize, len: usize) -> u64 {
        let Some(absent) = &self.absent else { return 0 };
        let bit = |word, (at, &absent): (usize, &bool)| word | u64::from(absent) << at;
        absent[start..start + len].iter().enumerate().fold(0, bit)
    }
}

fn mark(absent: &mut Option<Vec<bool>>, values: KeyPartValues<'_>, tuple: usize, len: usize) {
    if !values.null_matches {
        absent.get_or_insert_with(|| vec![false; len])[tuple] = true;
    }
}

/// Calls `code` with every tuple and its code: 0 for NULL and for what lies outside the domain.
fn each_code(
    part: &PartLayout,
    values: KeyPartValues<'_>,
    len: usize,
    absent: &mut Option<Vec<bool>>,
    mut code: impl FnMut(usize, u128),
) {
    let nulls = values.may_be_null();
    // What to do with a tuple whose value, as a distance from the domain's low end, is `distance`.
    let mut put = |tuple: usize, distance: Option<u128>, codes: u128, absent: &mut Option<Vec<bool>>| {
        if nulls && values.is_null(tuple) {
            mark(absent, values, tuple, len);
            code(tuple, 0);
        } else if let Some(distance) = distance.filter(|&distance| distance < codes - 1) {
            code(tuple, distance + 1);
        } else {
            absent.get_or_insert_with(|| vec![false; len])[tuple] = true;
            code(tuple, 0);
        }
    };
    match &part.domain {
        PartDomain::Integer(Grid { low, step, .. }) => {
            // A domain of more than 127 bits is written as it is: it never packs and nothing lies outside it.
            let codes = part.domain.codes().unwrap_or(u128::MAX);
            let (low, step) = if codes == u128::MAX { (i128::MIN, 1) } else { (*low, u128::from(*step)) };
            let distance = |value: i128| {
                let distance = (value >= low).then(|| value.wrapping_sub(low) as u128)?;
                if step == 1 { Some(distance) } else { distance.is_multiple_of(step).then(|| distance / step) }
            };
            each_integer(values.values, len, |tuple, value| put(tuple, distance(value), codes, absent));
        }
        PartDomain::Float => each_float(values.values, len, |tuple, value| {
            put(tuple, Some(u128::from(canonical_float_bits(value) ^ NULL_FLOAT) - 1), 1 << 64, absent);
        }),
        PartDomain::Interval => each_interval(values.values, len, |tuple, value| {
            put(tuple, Some((value.comparable_micros() + INTERVAL_ZERO) as u128), (1 << 76) + 1, absent);
        }),
        PartDomain::Code(dictionary) => {
            let codes = dictionary.len() as u128 + 1;
            if let Some(same) = same_dictionary(values.values, dictionary) {
                for tuple in 0..len {
                    put(tuple, Some(same(tuple).into()), codes, absent);
                }
            } else {
                // Strings often come in order.
                let mut near = 0;
                for tuple in 0..len {
                    let found = values.text(tuple).map(|text| dictionary.find_near(text, near));
                    if let Some(Ok(code) | Err(code)) = found {
                        near = code;
                    }
                    put(tuple, found.and_then(Result::ok).map(u128::from), codes, absent);
                }
            }
        }
        PartDomain::Short(short) => {
            let codes = part.domain.codes().unwrap_or(u128::MAX);
            each_text(values.values, len, |tuple, text| {
                put(tuple, short_code(text, short).map(|code| code - 1), codes, absent);
            });
        }
        PartDomain::Text => unreachable!("text that has no dictionary is not packed"),
    }
}

/// Codes of these values if they are codes of this dictionary.
fn same_dictionary<'a>(values: PartValues<'a>, dictionary: &Arc<Dictionary>) -> Option<Box<dyn Fn(usize) -> u32 + 'a>> {
    match values {
        PartValues::Vector(vector) => match &vector.data {
            VectorData::Code { codes, dictionary: other } if Arc::ptr_eq(dictionary, other) => {
                Some(Box::new(move |tuple| codes[vector.position(tuple)]))
            }
            _ => None,
        },
        PartValues::ColumnBuilder(column) => match &column.data {
            BuilderData::Code { codes, dictionary: other } if Arc::ptr_eq(dictionary, other) => {
                Some(Box::new(move |tuple| codes[tuple]))
            }
            _ => None,
        },
    }
}

fn each_integer(values: PartValues<'_>, len: usize, mut each: impl FnMut(usize, i128)) {
    /// Calls `each` with every value of the slice, or with its one value for every tuple.
    macro_rules! slice {
        ($values:expr, $constant:expr) => {
            if $constant {
                (0..len).for_each(|tuple| each(tuple, $values[0].into()))
            } else {
                $values.iter().enumerate().for_each(|(tuple, &value)| each(tuple, value.into()))
            }
        };
    }
    match values {
        PartValues::Vector(vector) => match &vector.data {
            VectorData::I32(values) => slice!(values, vector.constant),
            VectorData::I64(values) => slice!(values, vector.constant),
            VectorData::I128(values) => slice!(values, vector.constant),
            VectorData::Bool(bits) => (0..len).for_each(|tuple| each(tuple, bool_at(bits, vector.position(tuple)))),
            _ => (0..len).for_each(|tuple| each(tuple, 0)),
        },
        PartValues::ColumnBuilder(column) => match &column.data {
            BuilderData::I32(values) => slice!(values, false),
            BuilderData::I64(values) => slice!(values, false),
            BuilderData::I128(values) => slice!(values, false),
            BuilderData::Bool(values) => slice!(values, false),
            _ => (0..len).for_each(|tuple| each(tuple, 0)),
        },
    }
}

fn bool_at(bits: &Bitmap, position: usize) -> i128 {
    bits.get(position).into()
}

fn each_float(values: PartValues<'_>, len: usize, mut each: impl FnMut(usize, f64)) {
    match values {
        PartValues::Vector(vector) => match &vector.data {
            VectorData::F64(values) => (0..len).for_each(|tuple| each(tuple, values[vector.position(tuple)])),
            _ => (0..len).for_each(|tuple| each(tuple, 0.0)),
        },
        PartValues::ColumnBuilder(column) => match &column.data {
            BuilderData::F64(values) => values.iter().enumerate().for_each(|(tuple, &value)| each(tuple, value)),
            _ => (0..len).for_each(|tuple| each(tuple, 0.0)),
        },
    }
}

fn each_interval(values: PartValues<'_>, len: usize, mut each: impl FnMut(usize, Interval)) {
    match values {
        PartValues::Vector(vector) => match &vector.data {
            VectorData::Interval(values) => (0..len).for_each(|tuple| each(tuple, values[vector.position(tuple)])),
            _ => (0..len).for_each(|tuple| each(tuple, Interval::default())),
        },
        PartValues::ColumnBuilder(column) => match &column.data {
            BuilderData::Interval(values) => values.iter().enumerate().for_each(|(tuple, &value)| each(tuple, value)),
            _ => (0..len).for_each(|tuple| each(tuple, Interval::default())),
        },
    }
}
