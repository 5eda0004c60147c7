//! Keys of one integer that a hash table is probed with: read where they lie, as `integer::IntegerKeys` are, and made codes of 64
//! bits in one pass.

use crate::column::{Column, ColumnData};
use crate::cpu::kernels::member::BLOCK;
use crate::cpu::kernels::pick::pick;
use crate::cpu::keys::valid::Valid;
use crate::cpu::simd::kernel::{append, kernel, prefetch_all, vectorised};
use crate::cpu::vector::rows::Rows;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::code_range::WideRange;
use crate::technique::Technique;

/// Keys of one integer.
#[derive(Clone, Debug)]
pub struct WideKeys<'a> {
    values: Values<'a>,
    /// What makes a value a distance from the range's low end, modulo 2⁶⁴: what is out of range is none of its distances,
    /// since both are of 64 bits.
    plus: u64,
    /// Integers of the range.
    count: u64,
    /// Which are not NULL; none if none is.
    valid: Option<Valid<'a>>,
    null_matches: bool,
    /// The rows whose values these are; none if they are all, in order.
    rows: Option<&'a [u32]>,
}

#[derive(Clone, Debug)]
enum Values<'a> {
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    /// Offsets in steps.
    Steps8(&'a [u8], u64),
    Steps16(&'a [u16], u64),
    Steps32(&'a [u32], u64),
}

impl<'a> WideKeys<'a> {
    /// The values of a vector; none if they are no integers. `null_matches` says whether NULL is a key like any other, or
    /// finds nothing.
    pub(crate) fn of_vector(vector: &'a Vector, range: WideRange, null_matches: bool) -> Option<Self> {
        let values = match &vector.data {
            _ if vector.constant => return None,
            VectorData::I32(values) => Values::I32(values),
            VectorData::I64(values) => Values::I64(values),
            _ => return None,
        };
        let (plus, count) = ((range.low as u64).wrapping_neg(), range.count);
        Some(WideKeys {
            values,
            plus,
            count,
            valid: vector.nulls.as_ref().map(Valid::Tuples),
            null_matches,
            rows: None,
        })
    }

    /// The values of a column at these rows, all of which there are; none if they are no integers. `null_matches` as in
    /// [`WideKeys::of_vector`].
    pub(crate) fn of_column(
        column: &'a Column,
        rows: &'a Rows,
        len: usize,
        range: WideRange,
        null_matches: bool,
    ) -> Option<Self> {
        if !Technique::KeysInColumns.is_on() {
            return None;
        }
        let (start, list) = match rows {
            Rows::Range(start) => (*start as usize, None),
            Rows::List(list) => (0, Some(&list[..])),
        };
        /// Those values that are asked for, or all if a list says which.
        macro_rules! asked {
            ($values:expr) => {
                if list.is_none() { &$values[start..start + len] } else { &$values[..] }
            };
        }
        let (values, base) = match &column.data {
            ColumnData::Frame8 { base, offsets } => (Values::U8(asked!(offsets)), *base),
            ColumnData::Frame16 { base, offsets } => (Values::U16(asked!(offsets)), *base),
            ColumnData::Frame32 { base, offsets } => (Values::U32(asked!(offsets)), *base),
            ColumnData::Stepped8 { base, step, offsets } => (Values::Steps8(asked!(offsets), *step as u64), *base),
            ColumnData::Stepped16 { base, step, offsets } => (Values::Steps16(asked!(offsets), *step as u64), *base),
            ColumnData::Stepped32 { base, step, offsets } => (Values::Steps32(asked!(offsets), *step as u64), *base),
            ColumnData::Int16(values) => (Values::I16(asked!(values)), 0),
            ColumnData::Int32(values) => (Values::I32(asked!(values)), 0),
            ColumnData::Int64(values) => (Values::I64(asked!(values)), 0),
            _ => return None,
        };
        let (plus, count) = (base.wrapping_sub(range.low) as u64, range.count);
        let valid = column.nulls.as_ref().map(|nulls| Valid::Rows(nulls.inner(), start));
        Some(WideKeys { values, plus, count, valid, null_matches, rows: list })
    }

    /// Makes `codes` those of `len` keys. Gives which of them match nothing, if there are any: what is out of range, and
    /// NULL unless it matches.
    pub(crate) fn codes(&self, len: usize, codes: &mut Vec<u64>) -> Option<Vec<bool>> {
        codes.clear();
        let (plus, rows) = (self.plus, self.rows);
        let most = match self.values {
            Values::U8(values) => distances(values, rows, |value| u64::from(value).wrapping_add(plus), codes),
            Values::U16(values) => distances(values, rows, |value| u64::from(value).wrapping_add(plus), codes),
            Values::U32(values) => distances(values, rows, |value| u64::from(value).wrapping_add(plus), codes),
            Values::I16(values) => distances(values, rows, |value| (value as u64).wrapping_add(plus), codes),
            Values::I32(values) => distances(values, rows, |value| (value as u64).wrapping_add(plus), codes),
            Values::I64(values) => distances(values, rows, |value| (value as u64).wrapping_add(plus), codes),
            Values::Steps8(offsets, step) => distances(offsets, rows, |at| stepped(at, step, plus), codes),
            Values::Steps16(offsets, step) => distances(offsets, rows, |at| stepped(at, step, plus), codes),
            Values::Steps32(offsets, step) => distances(offsets, rows, |at| stepped(at, step, plus), codes),
        };
        debug_assert_eq!(codes.len(), len, "a code a key");
        let count = self.count;
        let mut absent: Option<Vec<bool>> = None;
        if most >= count {
            let absent = absent.insert(Vec::new());
            vectorised(|| append(absent, codes, |code| code.wrapping_sub(1) >= count));
        }
        if let Some(valid) = &self.valid {
            self.put_nulls(valid, codes, &mut absent);
            // What stands at a NULL may be out of range.
            absent = absent.filter(|absent| absent.contains(&true));
        }
        absent
    }

    fn put_nulls(&self, valid: &Valid<'_>, codes: &mut [u64], absent: &mut Option<Vec<bool>>) {
        let (len, misses) = (codes.len(), !self.null_matches);
        for (number, codes) in codes.chunks_mut(BLOCK).enumerate() {
            let nulls = !valid.word(self.rows, number * BLOCK, codes.len());
            let is_null = |at: usize| nulls >> at & 1 == 1;
            vectorised(|| {
                codes.iter_mut().enumerate().for_each(|(at, code)| *code = if is_null(at) { 0 } else { *code });
            });
            if absent.is_some() || misses && nulls << (BLOCK - codes.len()) != 0 {
                let absent = &mut absent.get_or_insert_with(|| vec![false; len])[number * BLOCK..];
                let absent = absent[..codes.len()].iter_mut().enumerate();
                absent.for_each(|(at, absent)| *absent = if is_null(at) { misses } else { *absent });
            }
        }
    }
}

/// The distance of an offset in steps.
#[inline(always)]
fn stepped(offset: impl Into<u64>, step: u64, plus: u64) -> u64 {
    offset.into().wrapping_mul(step).wrapping_add(plus)
}

kernel! {
    /// Appends the codes of values by their distances, which are one less, and gives the largest distance.
    fn distances[T: Copy](
        values: &[T],
        rows: Option<&[u32]>,
        distance: impl Fn(T) -> u64,
        codes: &mut Vec<u64>,
    ) -> u64 {
        let mut most = 0;
        let mut code = |value: T| {
            let distance = distance(value);
            most = distance.max(most);
            distance.wrapping_add(1)
        };
        let Some(rows) = rows else {
            codes.reserve(values.len());
            for block in values.chunks(BLOCK) {
                prefetch_all(block);
                append(codes, block, &mut code);
            }
            return most;
        };
        pick(values, rows, false, codes, code);
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::bitmap::Bitmap;
    use arrow::buffer::NullBuffer;

    fn check(keys: &WideKeys<'_>, values: &[Option<i64>], (low, high): (i64, i64)) {
        let (mut codes, what) = (vec![7], format!("from {low} to {high}, {:?}", keys.rows));
        let absent = keys.codes(values.len(), &mut codes);
        assert_eq!(codes.len(), values.len(), "{what}");
        let mut missing = false;
        for (at, value) in values.iter().enumerate() {
            let inside = value.filter(|value| (low..=high).contains(value));
            let code = inside.map_or(0, |value| (i128::from(value) - i128::from(low)) as u64 + 1);
            let misses = if value.is_some() { inside.is_none() } else { !keys.null_matches };
            assert_eq!(absent.as_ref().is_some_and(|absent| absent[at]), misses, "{value:?} {what}");
            missing |= misses;
            assert!(misses || codes[at] == code, "{value:?} has code {}, not {code}, {what}", codes[at]);
        }
        assert_eq!(absent.is_some(), missing, "{what}");
    }

    /// All rows from some on, a list of rows, and a vector of all, with NULLs and without.
    fn check_all(values: &[i64], range: (i64, i64)) {
        let mut forms = vec![ColumnData::Int64(values.to_vec().into())];
        if values.iter().all(|&value| i16::try_from(value).is_ok()) {
            forms.push(ColumnData::Int16(values.iter().map(|&value| value as i16).collect()));
            forms.push(ColumnData::Int32(values.iter().map(|&value| value as i32).collect()));
        }
        let base = values.iter().copied().min().unwrap_or(0);
        let offsets: Vec<u64> = values.iter().map(|&value| value.wrapping_sub(base) as u64).collect();
        if offsets.iter().all(|&offset| offset < 1 << 32) {
            forms.push(ColumnData::Frame32 { base, offsets: offsets.iter().map(|&at| at as u32).collect() });
        }
        if offsets.iter().all(|&offset| offset < 1 << 16) {
            forms.push(ColumnData::Frame16 { base, offsets: offsets.iter().map(|&at| at as u16).collect() });
        }
        if offsets.iter().all(|&offset| offset < 1 << 8) {
            forms.push(ColumnData::Frame8 { base, offsets: offsets.iter().map(|&at| at as u8).collect() });
        }
        for step in [2u64, 7, 1 << 20, 3 << 40] {
            let steps: Vec<u64> = offsets.iter().map(|offset| offset / step).collect();
            let fits = |most: u64| steps.iter().zip(&offsets).all(|(&at, &offset)| at <= most && at * step == offset);
            let own = step as i64;
            if fits(u8::MAX.into()) {
                let offsets = steps.iter().map(|&at| at as u8).collect();
                forms.push(ColumnData::Stepped8 { base, step: own, offsets });
            }
            if fits(u16::MAX.into()) {
                let offsets = steps.iter().map(|&at| at as u16).collect();
                forms.push(ColumnData::Stepped16 { base, step: own, offsets });
            }
            if fits(u32::MAX.into()) {
                let offsets = steps.iter().map(|&at| at as u32).collect();
                forms.push(ColumnData::Stepped32 { base, step: own, offsets });
            }
        }
        let wide = WideRange::new(range.0.into(), range.1.into()).expect("a range of codes");
        let some: NullBuffer = (0..values.len()).map(|row| row % 5 > 0 && !(70..140).contains(&row)).collect();
        for (data, nulls, null_matches) in forms.iter().flat_map(|data| {
            [None, Some(some.clone())]
                .into_iter()
                .flat_map(move |nulls| [true, false].map(|is| (data, nulls.clone(), is)))
        }) {
            let value = |row: usize| nulls.as_ref().is_none_or(|valid| valid.is_valid(row)).then(|| values[row]);
            let all: Vec<Option<i64>> = (0..values.len()).map(value).collect();
            let column = Column::new(data.clone(), nulls.clone());
            for start in [0, values.len().min(1), values.len() / 3] {
                let (rows, rest) = (Rows::Range(start as u32), &all[start..]);
                check(&WideKeys::of_column(&column, &rows, rest.len(), wide, null_matches).unwrap(), rest, range);
            }
            let list: Vec<u32> = (0..values.len() as u32).rev().step_by(2).collect();
            let picked: Vec<Option<i64>> = list.iter().map(|&row| all[row as usize]).collect();
            let rows = Rows::List(list);
            check(&WideKeys::of_column(&column, &rows, picked.len(), wide, null_matches).unwrap(), &picked, range);
            let mut vector = Vector::default();
            let valid = all.contains(&None).then(|| {
                let mut valid = Bitmap::default();
                valid.fill(all.len(), |tuple| all[tuple].is_some());
                valid
            });
            vector.set(all.len(), VectorData::I64(all.iter().map(|value| value.unwrap_or(3)).collect()), valid);
            check(&WideKeys::of_vector(&vector, wide, null_matches).unwrap(), &all, range);
        }
    }

    #[test]
    fn codes_are_distances_in_every_form() {
        const ENDS: (i64, i64) = (i64::MIN, i64::MAX - 2);
        for len in [0, 1, 63, 64, 65, 200] {
            for step in [1, 100, 40_000, 1 << 40] {
                for first in [0, -3 * step, 1 << 41] {
                    let values: Vec<i64> = (0..len).map(|row| first + (row * 37 % 101) * step).collect();
                    for range in
                        [(first, first), (first + step, first + 50 * step), (first - 1, first + (1 << 50)), ENDS]
                    {
                        check_all(&values, range);
                    }
                }
            }
        }
        let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        for range in [ENDS, (i64::MIN + 2, i64::MAX), (i64::MAX, i64::MAX), (i64::MIN, i64::MIN), (-1, 1)] {
            check_all(&extremes, range);
        }
    }

    #[test]
    fn there_is_no_range_of_what_is_too_far_out() {
        for (low, high) in
            [(i64::MIN.into(), i64::MAX.into()), (i128::from(i64::MIN) - 1, 0), (0, 1 << 63), (1, 0), (2, 0)]
        {
            assert!(WideRange::new(low, high).is_none(), "{low} to {high}");
        }
    }
}
