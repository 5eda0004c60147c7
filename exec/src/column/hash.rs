//! Hashes of a column's values: the same for equal values, in whatever forms columns have them.

use super::order_key::float_key;
use super::strings::for_each_string;
use super::{Column, ColumnData};
use ::arrow::buffer::{Buffer, NullBuffer};

/// Odd numbers without a pattern, to multiply by.
const FACTORS: [u64; 5] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];

/// Bytes of a text that are hashed at once.
const BLOCK: usize = 64;

/// A hash of a column's value that is not NULL, with well mixed high bits; equal values have equal hashes in every form.
pub fn hash_of(column: &Column, row: usize) -> u64 {
    match &column.data {
        ColumnData::Float32(values) => hash_float(values[row].into()),
        ColumnData::Float64(values) => hash_float(values[row]),
        ColumnData::Boolean(values) => mix(values.value(row).into()),
        ColumnData::Interval(values) => hash_wide(values[row].comparable_micros()),
        // By their bits: nothing in SQL finds two vectors equal.
        ColumnData::Vectors32 { length, values } => hash_row(values.inner(), row, length * size_of::<f32>()),
        ColumnData::Vectors64 { length, values } => hash_row(values.inner(), row, length * size_of::<f64>()),
        _ => match column.integer(row) {
            Some(value) => hash_wide(value),
            None => hash_text(column.data.text_bytes(row)),
        },
    }
}

/// Calls `f` with the hash of each value that is not NULL, in order.
pub(super) fn for_each_hash(column: &Column, mut f: impl FnMut(u64)) {
    fn each<T: Copy>(values: &[T], nulls: Option<&NullBuffer>, hash: impl Fn(T) -> u64, mut f: impl FnMut(u64)) {
        match nulls {
            None => values.iter().for_each(|&value| f(hash(value))),
            Some(nulls) => nulls.valid_indices().for_each(|row| f(hash(values[row]))),
        }
    }
    let nulls = column.nulls.as_ref();
    // The product alone may be beyond 64 bits; the value is not.
    let integer = |base: i64, step: i64, offset: u32| mix(base.wrapping_add(step.wrapping_mul(offset.into())) as u64);
    match &column.data {
        ColumnData::Frame8 { base, offsets } => each(offsets, nulls, |at| integer(*base, 1, at.into()), f),
        ColumnData::Frame16 { base, offsets } => each(offsets, nulls, |at| integer(*base, 1, at.into()), f),
        ColumnData::Frame32 { base, offsets } => each(offsets, nulls, |at| integer(*base, 1, at), f),
        ColumnData::Stepped8 { base, step, offsets } => each(offsets, nulls, |at| integer(*base, *step, at.into()), f),
        ColumnData::Stepped16 { base, step, offsets } => each(offsets, nulls, |at| integer(*base, *step, at.into()), f),
        ColumnData::Stepped32 { base, step, offsets } => each(offsets, nulls, |at| integer(*base, *step, at), f),
        ColumnData::Int16(values) => each(values, nulls, |value| mix(i64::from(value) as u64), f),
        ColumnData::Int32(values) => each(values, nulls, |value| mix(i64::from(value) as u64), f),
        ColumnData::Int64(values) => each(values, nulls, |value| mix(value as u64), f),
        ColumnData::Int128(values) => each(values, nulls, hash_wide, f),
        ColumnData::Float32(values) => each(values, nulls, |value| hash_float(value.into()), f),
        ColumnData::Float64(values) => each(values, nulls, hash_float, f),
        data if data.is_text() => for_each_string(column, |_, string| f(hash_text(string.text()))),
        _ => (0..column.rows()).filter(|&row| !column.is_null(row)).for_each(|row| f(hash_of(column, row))),
    }
}

/// A number for the values of a column's rows, which begin with the row of this number. Those of adjoining rows add up to that of all
/// of them, with what wraps; other values, or the same ones elsewhere, give others but by a rare chance.
pub fn digest(column: &Column, first: usize) -> u64 {
    let mut sum = 0u64;
    let mut add = |row: usize, hash: u64| sum = sum.wrapping_add(mix(hash ^ (row as u64).wrapping_mul(FACTORS[0])));
    match &column.nulls {
        None => {
            let mut rows = first..;
            for_each_hash(column, |hash| rows.next().into_iter().for_each(|row| add(row, hash)));
        }
        Some(nulls) => {
            let mut rows = nulls.valid_indices();
            for_each_hash(column, |hash| rows.next().into_iter().for_each(|row| add(first + row, hash)));
        }
    }
    sum
}

/// Of a row of so many bytes.
fn hash_row(all: &Buffer, row: usize, bytes: usize) -> u64 {
    hash_text(&all[row * bytes..][..bytes])
}

fn hash_float(value: f64) -> u64 {
    mix(float_key(value) as u64)
}

fn hash_wide(value: i128) -> u64 {
    match i64::try_from(value) {
        Ok(value) => mix(value as u64),
        Err(_) => mix(value as u64 ^ mix((value >> 64) as u64)),
    }
}

/// SplitMix64's finaliser. No two numbers have one hash.
pub fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The same for equal strings, with well mixed bits: words are multiplied in pairs, and both halves of the product count, as in
/// wyhash (Wang Yi). Four pairs at once where there are so many, as a product has to be waited for.
pub(super) fn hash_text(text: &[u8]) -> u64 {
    let [first, second, third, fourth, last] = FACTORS;
    let mut hash = (text.len() as u64).wrapping_mul(first);
    let (blocks, mut rest) = text.as_chunks::<BLOCK>();
    if !blocks.is_empty() {
        let mut lanes = [hash, hash ^ second, hash ^ third, hash ^ fourth];
        for block in blocks {
            for (at, lane) in lanes.iter_mut().enumerate() {
                *lane = fold(word(block, at * 16) ^ FACTORS[at], word(block, at * 16 + 8) ^ *lane);
            }
        }
        hash = lanes[0] ^ lanes[1].rotate_left(17) ^ lanes[2].rotate_left(31) ^ lanes[3].rotate_left(47);
    }
    while rest.len() > 16 {
        hash = fold(word(rest, 0) ^ second, word(rest, 8) ^ hash);
        rest = &rest[16..];
    }
    // Words that overlap are all bytes, too, as the length counts.
    let half = |at: usize| u64::from(u32::from_le_bytes(*rest[at..].first_chunk().expect("four bytes")));
    let (a, b) = match rest.len() {
        length @ 8.. => (word(rest, 0), word(rest, length - 8)),
        length @ 4..8 => (half(0), half(length - 4)),
        length @ 1..4 => (u64::from(rest[0]) << 8 | u64::from(rest[length / 2]), rest[length - 1].into()),
        0 => (0, 0),
    };
    mix(fold(a ^ last, b ^ hash))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("eight bytes"))
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;
    use std::collections::HashSet;

    #[test]
    fn a_change_of_any_byte_or_of_the_length_changes_a_text_s_hash() {
        let mut seen = HashSet::new();
        for length in 0..200 {
            let mut text: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
            assert!(seen.insert(hash_text(&text)), "{length}");
            for at in 0..length {
                text[at] ^= 1;
                assert!(seen.insert(hash_text(&text)), "{length}, {at}");
                text[at] ^= 1;
            }
            assert!(length == 0 || seen.insert(hash_text(&vec![0; length + 1])), "{length} zeros");
        }
        // High bits choose registers and parts.
        let high: HashSet<u64> = (0..4096u32).map(|at| hash_text(&at.to_le_bytes()) >> 52).collect();
        assert!((2_300..2_900).contains(&high.len()), "{}", high.len());
    }

    #[test]
    fn all_forms_of_a_value_have_one_hash() {
        let known: Vec<i64> = vec![-300, -1, 0, 7, 200, 30_000];
        let wide: ColumnData = ColumnData::Int64(known.clone().into());
        let forms = [
            ColumnData::Int16(known.iter().map(|&value| value as i16).collect()),
            ColumnData::Int32(known.iter().map(|&value| value as i32).collect()),
            ColumnData::Int128(known.iter().map(|&value| value.into()).collect()),
            ColumnData::Frame16 { base: -300, offsets: known.iter().map(|&value| (value + 300) as u16).collect() },
            ColumnData::Frame32 { base: -300, offsets: known.iter().map(|&value| (value + 300) as u32).collect() },
        ];
        let hashes = |data: ColumnData| {
            let column = Column::new(data, None);
            let mut all = Vec::new();
            for_each_hash(&column, |hash| all.push(hash));
            assert_eq!(all, (0..column.rows()).map(|row| hash_of(&column, row)).collect::<Vec<_>>());
            all
        };
        let expected = hashes(wide);
        forms.into_iter().for_each(|form| assert_eq!(hashes(form), expected));
        let steps = ColumnData::Stepped8 { base: i64::MIN, step: i64::MAX, offsets: vec![0, 1, 2].into() };
        assert_eq!(hashes(steps), hashes(ColumnData::Int64(vec![i64::MIN, -1, i64::MAX - 1].into())));
        assert_eq!(hashes(ColumnData::Float64(vec![0.0].into())), hashes(ColumnData::Float32(vec![-0.0].into())));
        // Vectors differ by any element, and from the same ones elsewhere.
        let of = |data: ColumnData| hashes(data).into_iter().collect::<HashSet<u64>>().len();
        let elements = [0.0, -0.0, 1.0, 0.0, 0.0, 1.0, f32::NAN, 0.0, 0.0, 1.0];
        assert_eq!(of(ColumnData::Vectors32 { length: 2, values: elements.to_vec().into() }), 4);
        let doubles = elements.iter().map(|&element| element.into()).collect();
        assert_eq!(of(ColumnData::Vectors64 { length: 2, values: doubles }), 4);
        // A change of any element shows where parts are held against what they were (`digest`).
        let digest_of = |values: Vec<f32>| {
            digest(&Column::new(ColumnData::Vectors32 { length: 2, values: values.into() }, None), 7)
        };
        let mut other = elements.to_vec();
        assert_eq!(digest_of(other.clone()), digest_of(elements.to_vec()));
        other.swap(2, 3);
        assert_ne!(digest_of(other), digest_of(elements.to_vec()));
        let long = |at: usize| (0..300).map(move |place| if place == at { 2.0 } else { 1.0 });
        let values = (0..=300).flat_map(long).collect();
        assert_eq!(of(ColumnData::Vectors32 { length: 300, values }), 301);
        let texts = [Value::text("a"), Value::Null, Value::text("b")];
        let (mut all, column) = (Vec::new(), Column::from_values(DataType::Text, &texts));
        for_each_hash(&column, |hash| all.push(hash));
        assert_eq!(all, [hash_text(b"a"), hash_text(b"b")]);
    }
}
