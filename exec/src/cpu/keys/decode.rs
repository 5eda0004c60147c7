//! The keys of groups, as columns: decoded from codes, or kept beside a hash table.

use super::super::vector::{Vector, VectorData};
use crate::column::TextView;
use crate::column::column_builder::{ARENA_MAX, BuilderText};
use crate::cpu::keys::part_values::NULL_FLOAT;
use crate::cpu::keys::short::short_bytes;
use crate::cpu::simd::kernel::{append, kernel, vectorised};
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::partial::byte_keys::{ByteKeys, TextPlace, word_of};
use crate::plan::key_layout::{KeyLayout, PartDomain, PartLayout, WORD_BITS};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::types::DataType;
use multiloop_planner::value::canonical_float_bits;

/// Keys of these types, none yet.
pub(crate) fn columns_of(types: &[DataType]) -> Vec<ColumnBuilder> {
    types.iter().map(|&data_type| ColumnBuilder::of_type(data_type)).collect()
}

/// A packed key.
pub(crate) trait PackedKey: Copy {
    /// The code of the part that begins at a bit, and ends before another.
    fn own(self, shift: u32, end: Option<u32>) -> Self;

    /// Whether a part is not NULL.
    fn is_there(self) -> bool;

    /// The distance of a part's value from the least one, if it fits.
    fn distance(self) -> u64;

    /// As it is, in the widest form.
    fn wide(self) -> u128;

    /// The code of a part that takes a word.
    fn word(self) -> u64;

    /// As [`PackedKey::distance`], of any.
    fn wide_distance(self) -> i128;
}

macro_rules! packed_key {
    ($type:ty) => {
        impl PackedKey for $type {
            #[inline(always)]
            fn own(self, shift: u32, end: Option<u32>) -> Self {
                (self & end.map_or(<$type>::MAX, |end| (1 << end) - 1)) >> shift
            }
            #[inline(always)]
            fn is_there(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn distance(self) -> u64 {
                self.saturating_sub(1) as u64
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                self.into()
            }
            #[inline(always)]
            fn word(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn wide_distance(self) -> i128 {
                self.saturating_sub(1) as i128
            }
        }
    };
}

packed_key!(u64);
packed_key!(u128);

/// The keys of these codes, a column a part.
pub(crate) fn decode_all<K: PackedKey>(layout: &KeyLayout, codes: &[K]) -> Vec<ColumnBuilder> {
    (0..layout.parts.len()).map(|part| decode(layout, part, codes)).collect()
}

/// As [`decode_all`], of the parts that are read.
pub(crate) fn decode_read<K: PackedKey>(layout: &KeyLayout, codes: &[K], read: &[bool]) -> Vec<ColumnBuilder> {
    let parts = (0..layout.parts.len()).filter(|&part| read[part]);
    parts.map(|part| decode(layout, part, codes)).collect()
}

/// One part of the keys of these codes.
fn decode<K: PackedKey>(layout: &KeyLayout, part: usize, codes: &[K]) -> ColumnBuilder {
    let PartLayout { domain, shift } = &layout.parts[part];
    decode_part(domain, (*shift, layout.end(part)), codes)
}

/// The values of a domain whose codes begin at a bit of these, and end before another.
fn decode_part<K: PackedKey>(domain: &PartDomain, (shift, end): (u32, Option<u32>), codes: &[K]) -> ColumnBuilder {
    let own = move |code: K| code.own(shift, end);
    let is_absent = |any: bool, &code: &K| any | !own(code).is_there();
    let any_null = vectorised(|| codes.iter().fold(false, is_absent));
    let valid = any_null.then(|| codes.iter().map(|&code| own(code).is_there()).collect());
    match domain {
        PartDomain::Code(dictionary) => {
            let numbers = appended(codes, move |code| own(code).distance() as u32);
            ColumnBuilder::from_codes(numbers, dictionary.clone(), valid)
        }
        PartDomain::Integer(Grid { low, high, step }) => match (i64::try_from(*low), i64::try_from(*high)) {
            (Ok(low), Ok(_)) if *step == 1 => ColumnBuilder::from_i64(
                appended(codes, move |code| low.wrapping_add(own(code).distance() as i64)),
                valid,
            ),
            (Ok(low), Ok(_)) => {
                let step = *step as i64;
                let value = move |code| low.wrapping_add((own(code).distance() as i64).wrapping_mul(step));
                ColumnBuilder::from_i64(appended(codes, value), valid)
            }
            // What has more codes than there are numbers is written as it is.
            _ if domain.codes().is_none() => {
                let value = move |code| i128::MIN.wrapping_add(own(code).wide_distance());
                ColumnBuilder::from_i128(appended(codes, value), valid)
            }
            _ => {
                let (low, step) = (*low, i128::from(*step));
                ColumnBuilder::from_i128(appended(codes, move |code| low + own(code).wide_distance() * step), valid)
            }
        },
        PartDomain::Float => {
            let value = move |code: u64| if code == 0 { 0.0 } else { f64::from_bits(code ^ NULL_FLOAT) };
            ColumnBuilder::from_floats(appended(codes, move |code| value(own(code).word())), valid)
        }
        PartDomain::Short(short) => {
            let mut texts = BuilderText::default();
            texts.reserve_exact(codes.len());
            let mut text = Vec::new();
            for &code in codes {
                let (bytes, length) = short_bytes(own(code).wide(), short);
                text.clear();
                text.extend_from_slice(&short.prefix);
                text.extend_from_slice(&bytes[..length]);
                text.extend_from_slice(&short.suffix);
                texts.push(&text);
            }
            ColumnBuilder::from_texts(texts, valid)
        }
        PartDomain::Text | PartDomain::Interval => unreachable!("their codes do not tell them"),
    }
}

/// The keys of these numbers, which are bytes, a column a part.
pub(crate) fn decode_bytes(layout: &KeyLayout, keys: &ByteKeys, numbers: &[u32]) -> Vec<ColumnBuilder> {
    (0..layout.parts.len()).map(|part| decode_bytes_part(layout, part, keys, numbers)).collect()
}

/// One part of the keys of these numbers, which are bytes.
fn decode_bytes_part(layout: &KeyLayout, part: usize, keys: &ByteKeys, numbers: &[u32]) -> ColumnBuilder {
    let PartDomain::Text = layout.parts[part].domain else { return decode_number(&layout.parts[part], keys, numbers) };
    let form = TextPlace::of(layout, part);
    let mut column = ColumnBuilder::of_type(DataType::Text);
    column.append_texts(numbers.iter().map(|&number| form.find(keys.get(number as usize))));
    column
}

/// As [`decode_bytes`], of the parts that are read; the bytes of one of these that is strings stay where they are.
pub(crate) fn into_decoded_bytes(
    layout: &KeyLayout,
    mut keys: ByteKeys,
    numbers: &[u32],
    read: &[bool],
) -> Vec<ColumnBuilder> {
    let is_text = |&part: &usize| matches!(layout.parts[part].domain, PartDomain::Text);
    let parts: Vec<usize> = (0..layout.parts.len()).filter(|&part| read[part]).collect();
    let last = parts.iter().copied().rfind(is_text).filter(|_| keys.bytes.len() <= ARENA_MAX);
    let Some(last) = last else {
        return parts.into_iter().map(|part| decode_bytes_part(layout, part, &keys, numbers)).collect();
    };
    let form = TextPlace::of(layout, last);
    let (mut views, mut valid) = (Vec::with_capacity(numbers.len()), Vec::with_capacity(numbers.len()));
    for &number in numbers {
        let (key, start) = (keys.get(number as usize), keys.entries[number as usize].start);
        let text = form.find(key);
        let place = |text: &[u8]| TextView {
            buffer: TextView::ARENA,
            offset: (start + (text.as_ptr() as usize - key.as_ptr() as usize)) as u32,
            length: text.len() as u32,
        };
        views.push(text.map_or(TextView::EMPTY, place));
        valid.push(text.is_some());
    }
    let part = |part: usize| {
        if part == last {
            ColumnBuilder::of_type(DataType::Null)
        } else {
            decode_bytes_part(layout, part, &keys, numbers)
        }
    };
    let mut columns: Vec<ColumnBuilder> = parts.iter().copied().map(part).collect();
    let text = BuilderText { views, arena: std::mem::take(&mut keys.bytes), ..BuilderText::default() };
    columns[parts.partition_point(|&part| part < last)] = ColumnBuilder::from_texts(text, Some(valid));
    columns
}

/// The numbers of a part of keys that are bytes.
fn decode_number(part: &PartLayout, keys: &ByteKeys, numbers: &[u32]) -> ColumnBuilder {
    let word = part.shift / WORD_BITS;
    let words = |word: u32| numbers.iter().map(move |&number| word_of(keys.get(number as usize), word));
    let (shift, bits) = (part.shift % WORD_BITS, part.domain.bits());
    if bits > WORD_BITS {
        let both = words(word).zip(words(word + 1));
        let codes: Vec<u128> = both.map(|(low, high)| u128::from(high) << WORD_BITS | u128::from(low)).collect();
        return decode_part(&part.domain, (0, None), &codes);
    }
    let end = Some(shift + bits).filter(|&end| end < WORD_BITS);
    decode_part(&part.domain, (shift, end), &words(word).collect::<Vec<u64>>())
}

kernel! {
    /// What a function makes of each code.
    fn appended[K: PackedKey, R](codes: &[K], value: impl Fn(K) -> R) -> Vec<R> {
        let mut values = Vec::new();
        append(&mut values, codes, value);
        values
    }
}

/// Intervals of one length are one key: the one with the fewest months, then days, stands for all, so that the order
/// of rows does not show.
pub(crate) fn settle_intervals(column: &mut ColumnBuilder, vector: &Vector, groups: &[u32]) {
    let (BuilderData::Interval(kept), VectorData::Interval(values)) = (&mut column.data, &vector.data) else { return };
    for (tuple, &group) in groups.iter().enumerate() {
        if !vector.is_null(tuple) {
            let (value, kept) = (values[vector.position(tuple)], &mut kept[group as usize]);
            if value.form() < kept.form() {
                *kept = value;
            }
        }
    }
}

/// Floats that are one key have one representative.
pub(crate) fn canonical(mut column: ColumnBuilder) -> ColumnBuilder {
    if let BuilderData::F64(values) = &mut column.data {
        values.iter_mut().for_each(|value| *value = f64::from_bits(canonical_float_bits(*value)));
    }
    column
}
