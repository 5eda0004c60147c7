//! Keys of a tile's tuples, as they are looked up in buckets and groups.
//!
//! Most keys are one integer. Those are read where they lie, in a vector or in a column's physical form, and become codes
//! 64 at a time, so that no register is filled only to be looked at once, and the answers of 64 tuples make one word of a
//! mask. All other keys come as vectors, one a part.

use crate::column::{Column, ColumnData};
use crate::cpu::kernels::member;
use crate::cpu::kernels::member::Aligned;
pub(crate) use crate::cpu::kernels::member::{BLOCK, Codes};
use crate::cpu::keys::valid::Valid;
use crate::cpu::keys::wide::WideKeys;
use crate::cpu::simd::kernel::{append, kernel, prefetch_all, vectorised};
use crate::cpu::simd::prefetch::Prefetcher;
use crate::cpu::vector::rows::Rows;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::code_range::{CodeRange, KeyRange, RANGE_MAX};
use crate::technique::Technique;

/// A bucket key for all tuples of a tile.
#[derive(Clone, Debug)]
pub enum Key<'a> {
    /// One integer a tuple, which is found by its code.
    Integers(IntegerKeys<'a>),
    /// One integer a tuple, which is hashed.
    Wide(WideKeys<'a>),
    /// A vector for each part.
    Parts(Vec<KeyVector<'a>>),
}

impl<'a> Key<'a> {
    /// The values of a vector; see [`IntegerKeys::of_vector`].
    pub(crate) fn of_vector(vector: &'a Vector, range: KeyRange, null_matches: bool) -> Option<Self> {
        match range {
            KeyRange::Codes(range) => IntegerKeys::of_vector(vector, range, null_matches).map(Key::Integers),
            KeyRange::Wide(range) => WideKeys::of_vector(vector, range, null_matches).map(Key::Wide),
        }
    }
}

/// One part of a bucket key for all tuples of a tile.
#[derive(Clone, Copy, Debug)]
pub struct KeyVector<'a> {
    /// The values.
    pub vector: &'a Vector,
    /// Whether NULL finds the group of NULL; otherwise it finds nothing.
    pub null_matches: bool,
}

/// Keys of one integer.
#[derive(Clone, Debug)]
pub struct IntegerKeys<'a> {
    pub(crate) values: Values<'a>,
    /// Which are not NULL; none if none is.
    pub(crate) valid: Option<Valid<'a>>,
    /// The code of a NULL.
    pub(crate) null: u32,
    /// The rows whose values these are; none if they are all, in order.
    pub(crate) rows: Option<&'a [u32]>,
    pub(crate) count: u32,
}

/// Values, and what makes them distances from a range's low end.
#[derive(Clone, Debug)]
pub(crate) enum Values<'a> {
    /// Offsets in the range's steps.
    U8(&'a [u8], Shift),
    U16(&'a [u16], Shift),
    U32(&'a [u32], Shift),
    /// Integers, of a range from here on.
    I16(&'a [i16], i64),
    I32(&'a [i32], i64),
    I64(&'a [i64], i64),
    /// Offsets in other steps than the range's.
    Steps8(&'a [u8], Line),
    Steps16(&'a [u16], Line),
    Steps32(&'a [u32], Line),
    /// Integers, of a range in steps.
    Values32(&'a [i32], Line),
    Values64(&'a [i64], Line),
}

/// What makes an offset a distance from a range's low end, both in the range's steps: `plus` is added, as far as that goes,
/// then `minus` subtracted, one of them 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    plus: u32,
    minus: u32,
}

impl Shift {
    /// Of offsets from a base in steps; none if these are not the range's, or if they are too far apart.
    fn new(base: i64, step: i64, range: CodeRange) -> Option<Self> {
        let own = range.steps.map_or(1, |steps| i128::from(steps.divisor()));
        let distance = i128::from(base) - i128::from(range.low);
        if i128::from(step) != own || distance % own != 0 {
            return None;
        }
        let distance = distance / own;
        match u32::try_from(distance.unsigned_abs()) {
            Ok(plus) if distance >= 0 => Some(Shift { plus, minus: 0 }),
            Ok(minus) if minus <= RANGE_MAX => Some(Shift { plus: 0, minus }),
            // All of them are above the range.
            Err(_) if distance > 0 => Some(Shift { plus: u32::MAX, minus: 0 }),
            _ => None,
        }
    }

    /// The code of an offset, of so many integers of the range.
    #[inline(always)]
    pub(crate) fn code(self, offset: u32, count: u32) -> u32 {
        offset.saturating_add(self.plus).wrapping_sub(self.minus).min(count) + 1
    }
}

/// What makes of a value its distance from a range's low end in the range's steps, modulo 2⁶⁴. Between steps, as out of the
/// range, nothing has a distance below the number of the range's integers: see [`Divisor::quotient`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    first: u64,
    slope: u64,
    shift: u32,
}

impl Line {
    /// Of offsets from a base, in steps.
    fn new(base: i64, step: i64, range: CodeRange) -> Self {
        let (inverse, shift) = range.steps.map_or((1, 0), |steps| (steps.inverse(), steps.shift()));
        let distance = base.wrapping_sub(range.low) as u64;
        Line { first: distance.wrapping_mul(inverse), slope: (step as u64).wrapping_mul(inverse), shift }
    }

    #[inline(always)]
    pub(crate) fn at(self, offset: u64) -> u64 {
        self.first.wrapping_add(self.slope.wrapping_mul(offset)).rotate_right(self.shift)
    }
}

/// Does something with the values of some keys and what makes codes of them.
macro_rules! with_code {
    ($keys:expr, |$values:ident, $code:ident| $do:expr) => {{
        let count = $keys.count;
        let distant = move |distance: u64| distance.min(count.into()) as u32 + 1;
        match $keys.values {
            Values::U8($values, shift) => {
                let $code = move |at: u8| shift.code(at.into(), count);
                $do
            }
            Values::U16($values, shift) => {
                let $code = move |at: u16| shift.code(at.into(), count);
                $do
            }
            Values::U32($values, shift) => {
                let $code = move |at: u32| shift.code(at, count);
                $do
            }
            Values::I16($values, low) => {
                let $code = move |value: i16| distant(i64::from(value).wrapping_sub(low) as u64);
                $do
            }
            Values::I32($values, low) if low.unsigned_abs() <= $crate::plan::code_range::RANGE_MAX.into() => {
                let low = low as u32;
                let $code = move |value: i32| (value as u32).wrapping_sub(low).min(count) + 1;
                $do
            }
            Values::I32($values, low) => {
                let $code = move |value: i32| distant(i64::from(value).wrapping_sub(low) as u64);
                $do
            }
            Values::I64($values, low) => {
                let $code = move |value: i64| distant(value.wrapping_sub(low) as u64);
                $do
            }
            Values::Steps8($values, line) => {
                let $code = move |at: u8| distant(line.at(at.into()));
                $do
            }
            Values::Steps16($values, line) => {
                let $code = move |at: u16| distant(line.at(at.into()));
                $do
            }
            Values::Steps32($values, line) => {
                let $code = move |at: u32| distant(line.at(at.into()));
                $do
            }
            Values::Values32($values, line) => {
                let $code = move |value: i32| distant(line.at(i64::from(value) as u64));
                $do
            }
            Values::Values64($values, line) => {
                let $code = move |value: i64| distant(line.at(value as u64));
                $do
            }
        }
    }};
}
pub(crate) use with_code;

impl<'a> Values<'a> {
    fn of_i32(values: &'a [i32], range: CodeRange) -> Self {
        match range.steps {
            None => Values::I32(values, range.low),
            Some(_) => Values::Values32(values, Line::new(0, 1, range)),
        }
    }

    fn of_i64(values: &'a [i64], range: CodeRange) -> Self {
        match range.steps {
            None => Values::I64(values, range.low),
            Some(_) => Values::Values64(values, Line::new(0, 1, range)),
        }
    }
}

impl<'a> IntegerKeys<'a> {
    /// The values of a vector; none if they are no integers. `null_matches` says whether NULL is a key like any other, or
    /// finds nothing.
    pub(crate) fn of_vector(vector: &'a Vector, range: CodeRange, null_matches: bool) -> Option<Self> {
        if vector.constant {
            return None;
        }
        let values = match &vector.data {
            VectorData::I32(values) => Values::of_i32(values, range),
            VectorData::I64(values) => Values::of_i64(values, range),
            _ => return None,
        };
        let valid = vector.nulls.as_ref().map(Valid::Tuples);
        Some(IntegerKeys { valid, ..IntegerKeys::of(values, range.count, null_matches) })
    }

    /// These values.
    pub(crate) fn of_i32(values: &'a [i32], range: CodeRange) -> Self {
        IntegerKeys::of(Values::of_i32(values, range), range.count, false)
    }

    /// These values.
    pub(crate) fn of_i64(values: &'a [i64], range: CodeRange) -> Self {
        IntegerKeys::of(Values::of_i64(values, range), range.count, false)
    }

    fn of(values: Values<'a>, count: u32, null_matches: bool) -> Self {
        IntegerKeys { values, valid: None, null: if null_matches { 0 } else { count + 1 }, rows: None, count }
    }

    /// The values of a column at these rows, all of which there are; none if they are no integers. `null_matches` as in
    /// [`IntegerKeys::of_vector`].
    pub(crate) fn of_column(
        column: &'a Column,
        rows: &'a Rows,
        len: usize,
        range: CodeRange,
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
            ($values:expr) => {{
                let values = &$values[..];
                if list.is_none() { &values[start..start + len] } else { values }
            }};
        }
        /// Offsets from a base in steps: as near to the range's low end as they are if the steps are the range's.
        macro_rules! offsets {
            ($base:expr, $step:expr, $offsets:expr, $near:ident, $far:ident) => {
                match Shift::new($base, $step, range) {
                    Some(shift) => Values::$near(asked!($offsets), shift),
                    None => Values::$far(asked!($offsets), Line::new($base, $step, range)),
                }
            };
        }
        let values = match &column.data {
            ColumnData::Frame8 { base, offsets } => offsets!(*base, 1, offsets, U8, Steps8),
            ColumnData::Frame16 { base, offsets } => offsets!(*base, 1, offsets, U16, Steps16),
            ColumnData::Frame32 { base, offsets } => offsets!(*base, 1, offsets, U32, Steps32),
            ColumnData::Stepped8 { base, step, offsets } => offsets!(*base, *step, offsets, U8, Steps8),
            ColumnData::Stepped16 { base, step, offsets } => offsets!(*base, *step, offsets, U16, Steps16),
            ColumnData::Stepped32 { base, step, offsets } => offsets!(*base, *step, offsets, U32, Steps32),
            ColumnData::Int16(values) if range.steps.is_none() => Values::I16(asked!(values), range.low),
            ColumnData::Int32(values) => Values::of_i32(asked!(values), range),
            ColumnData::Int64(values) => Values::of_i64(asked!(values), range),
            _ => return None,
        };
        let valid = column.nulls.as_ref().map(|nulls| Valid::Rows(nulls.inner(), start));
        Some(IntegerKeys { valid, rows: list, ..IntegerKeys::of(values, range.count, null_matches) })
    }

    /// Gives the codes of every 64 keys, and which they are the codes of, by the first one's position. What is out of
    /// range, or behind the last key, has the code behind the last one of the range.
    #[inline(always)]
    pub(crate) fn each_block(&self, each: impl FnMut(usize, &Codes)) {
        with_code!(self, |values, code| self.blocks(values, code, each));
    }

    /// Makes `words` which of the keys, 64 a word, have a code in the set, which has a bit a code (see [`member`]), one
    /// for the code behind the last of the range among them. Which bits stand behind the last key does not matter.
    pub(crate) fn members(&self, set: &[u64], words: &mut Vec<u64>) {
        words.clear();
        let len = with_code!(self, |values, code| match self.rows {
            None => {
                member::members(values, code, set, words);
                values.len()
            }
            Some(rows) => {
                member::members_at(values, rows, code, set, words);
                rows.len()
            }
        });
        if let Some(valid) = &self.valid {
            let null = if set[self.null as usize / 64] >> (self.null % 64) & 1 == 1 { u64::MAX } else { 0 };
            for (word, first) in words.iter_mut().zip((0..len).step_by(BLOCK)) {
                let valid = valid.word(self.rows, first, BLOCK.min(len - first));
                *word = *word & valid | null & !valid;
            }
        }
    }

    /// Appends what `group` gives of the codes of the keys at these positions, which have been found: a NULL is among them
    /// only if it is a key like any other.
    #[inline(always)]
    pub(crate) fn groups_at(&self, positions: &[u32], groups: &mut Vec<u32>, group: impl Fn(u32) -> u32) {
        let valid = self.valid.as_ref().filter(|_| self.null <= self.count);
        with_code!(self, |values, code| match (self.rows, valid) {
            (None, None) => append(groups, positions, |at| group(code(values[at as usize]))),
            (Some(rows), None) => append(groups, positions, |at| group(code(values[rows[at as usize] as usize]))),
            (rows, Some(valid)) => append(groups, positions, |at| {
                let row = rows.map_or(at, |rows| rows[at as usize]);
                group(if valid.get(rows, at as usize) { code(values[row as usize]) } else { self.null })
            }),
        });
    }

    /// Puts codes in the place of the tuples behind runs of keys that are as they lie.
    pub(crate) fn codes_before(&self, ends: &mut [u64]) {
        with_code!(self, |values, code| ends.iter_mut().for_each(|end| *end = code(values[*end as usize - 1]).into()));
    }

    /// Gives all codes.
    pub(crate) fn codes(&self, len: usize, codes: &mut Vec<u32>) {
        codes.clear();
        match (self.rows, &self.valid) {
            (None, None) => with_code!(self, |values, code| codes_of(&values[..len], code, codes)),
            (Some(rows), None) => with_code!(self, |values, code| codes_at(values, &rows[..len], code, codes)),
            (_, Some(_)) => {
                self.each_block(|_, block| codes.extend_from_slice(block));
                codes.truncate(len);
            }
        }
    }

    #[inline(always)]
    fn blocks<T: Copy>(&self, values: &[T], code: impl Fn(T) -> u32 + Copy, mut each: impl FnMut(usize, &Codes)) {
        let Aligned(codes) = &mut Aligned([self.count + 1; BLOCK]);
        let Some(rows) = self.rows else {
            let (blocks, rest) = values.as_chunks::<BLOCK>();
            for (number, block) in blocks.iter().enumerate() {
                prefetch_all(block);
                vectorised(|| codes.iter_mut().zip(block).for_each(|(to, &value)| *to = code(value)));
                self.put_nulls(number * BLOCK, BLOCK, codes);
                each(number * BLOCK, codes);
            }
            if !rest.is_empty() {
                codes.fill(self.count + 1);
                codes.iter_mut().zip(rest).for_each(|(to, &value)| *to = code(value));
                self.put_nulls(blocks.len() * BLOCK, rest.len(), codes);
                each(blocks.len() * BLOCK, codes);
            }
            return;
        };
        let mut prefetcher = Prefetcher::of(values, rows);
        for (number, rows) in rows.chunks(BLOCK).enumerate() {
            prefetcher.iter_mut().for_each(|prefetcher| prefetcher.prefetch(BLOCK));
            codes.iter_mut().zip(rows).for_each(|(to, &row)| *to = code(values[row as usize]));
            codes[rows.len()..].fill(self.count + 1);
            self.put_nulls(number * BLOCK, rows.len(), codes);
            each(number * BLOCK, codes);
        }
    }

    /// Gives the NULLs among the first `len` of a block, which begins at tuple `first`, their code.
    #[inline(always)]
    fn put_nulls(&self, first: usize, len: usize, codes: &mut Codes) {
        let Some(valid) = &self.valid else { return };
        let nulls = !valid.word(self.rows, first, len) & u64::MAX >> (BLOCK - len);
        if nulls != 0 {
            let null = self.null;
            vectorised(|| {
                let each = codes.iter_mut().enumerate();
                each.for_each(|(at, code)| *code = if nulls >> at & 1 == 1 { null } else { *code });
            });
        }
    }
}

kernel! {
    fn codes_at[T: Copy](values: &[T], rows: &[u32], code: impl Fn(T) -> u32, codes: &mut Vec<u32>) {
        let Some(mut prefetcher) = Prefetcher::of(values, rows) else {
            return append(codes, rows, |row| code(values[row as usize]));
        };
        append(codes, rows, |row| {
            prefetcher.prefetch(1);
            code(values[row as usize])
        });
    }
}

kernel! {
    fn codes_of[T: Copy](values: &[T], code: impl Fn(T) -> u32, codes: &mut Vec<u32>) {
        codes.reserve(values.len());
        for block in values.chunks(BLOCK) {
            prefetch_all(block);
            append(codes, block, &code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::bitmap::Bitmap;
    use arrow::buffer::NullBuffer;
    use multiloop_planner::analysis::ranges::Grid;

    /// The codes of some keys, as the definition has them; `null` is that of a NULL.
    fn check(keys: &IntegerKeys<'_>, values: &[Option<i64>], null: u32, grid: Grid) {
        let (low, high, step) = (grid.low, grid.high, i128::from(grid.step));
        let absent = absent(grid);
        let code = |&value: &i64| {
            let distance = i128::from(value) - low;
            let is_there = (low..=high).contains(&value.into()) && distance % step == 0;
            if is_there { (distance / step) as u32 + 1 } else { absent }
        };
        let expected: Vec<u32> = values.iter().map(|value| value.as_ref().map_or(null, code)).collect();
        let mut codes = Vec::new();
        keys.each_block(|start, block| {
            assert_eq!(start, codes.len());
            codes.extend_from_slice(block);
        });
        assert!(codes[expected.len()..].iter().all(|&code| code == absent));
        assert_eq!(codes[..expected.len()], expected, "{grid:?}");
        keys.codes(expected.len(), &mut codes);
        assert_eq!(codes, expected, "{grid:?}");
        let is_found = |at: &u32| null != absent || values[*at as usize].is_some();
        let positions: Vec<u32> = (0..expected.len() as u32).step_by(3).filter(is_found).collect();
        let mut groups = vec![7];
        keys.groups_at(&positions, &mut groups, |code| code ^ 1);
        assert!(groups[1..].iter().zip(&positions).all(|(group, &at)| *group == expected[at as usize] ^ 1));
        if absent > 1 << 16 {
            return;
        }
        // With NULL's code and without it.
        for rest in [0, 1] {
            let is_member = |code: u32| code != absent && code % 3 == rest;
            let mut set = vec![0u64; absent as usize / 64 + 1];
            (0..absent).filter(|&code| is_member(code)).for_each(|code| set[code as usize / 64] |= 1 << (code % 64));
            let mut words = vec![7];
            keys.members(&set, &mut words);
            assert_eq!(words.len(), expected.len().div_ceil(64));
            for (at, &code) in expected.iter().enumerate() {
                assert_eq!(words[at / 64] >> (at % 64) & 1 == 1, is_member(code), "{code} of {grid:?}");
            }
        }
    }

    /// The code of what is none of some integers.
    fn absent(grid: Grid) -> u32 {
        ((grid.high - grid.low) / i128::from(grid.step)) as u32 + 2
    }

    /// Of the integers from `low` to `high`.
    fn check_range(values: &[i64], low: i64, high: i64) {
        check_all(values, Grid::of_range(low.into(), high.into()));
    }

    /// All forms that hold the values, all of them and some rows.
    fn check_all(values: &[i64], grid: Grid) {
        let mut forms = vec![ColumnData::Int64(values.to_vec().into())];
        if values.iter().all(|&value| i32::try_from(value).is_ok()) {
            forms.push(ColumnData::Int32(values.iter().map(|&value| value as i32).collect()));
        }
        if values.iter().all(|&value| i16::try_from(value).is_ok()) {
            forms.push(ColumnData::Int16(values.iter().map(|&value| value as i16).collect()));
        }
        let base = values.iter().copied().min().unwrap_or(0);
        let span = values.iter().map(|&value| value.wrapping_sub(base) as u64).max().unwrap_or(0);
        let offsets = values.iter().map(|&value| value.wrapping_sub(base) as u64);
        if span <= u8::MAX.into() {
            forms.push(ColumnData::Frame8 { base, offsets: offsets.clone().map(|at| at as u8).collect() });
        }
        if span <= u16::MAX.into() {
            forms.push(ColumnData::Frame16 { base, offsets: offsets.clone().map(|at| at as u16).collect() });
        }
        if span <= u32::MAX.into() {
            forms.push(ColumnData::Frame32 { base, offsets: offsets.clone().map(|at| at as u32).collect() });
        }
        for step in [2u64, 7, 1 << 20, 3 << 40] {
            let steps = offsets.clone().map(|offset| offset / step);
            let divides = offsets.clone().all(|offset| offset % step == 0);
            let own = step as i64;
            if divides && span / step <= u8::MAX.into() {
                let offsets = steps.clone().map(|at| at as u8).collect();
                forms.push(ColumnData::Stepped8 { base, step: own, offsets });
            }
            if divides && span / step <= u16::MAX.into() {
                let offsets = steps.clone().map(|at| at as u16).collect();
                forms.push(ColumnData::Stepped16 { base, step: own, offsets });
            }
            if divides && span / step <= u32::MAX.into() {
                let offsets = steps.map(|at| at as u32).collect();
                forms.push(ColumnData::Stepped32 { base, step: own, offsets });
            }
        }
        // All there, and every fifth and some in a row NULL.
        let some: NullBuffer = (0..values.len()).map(|row| row % 5 > 0 && !(70..140).contains(&row)).collect();
        let nulls = [None, Some(some)];
        for (data, nulls) in forms.iter().flat_map(|data| nulls.iter().map(move |nulls| (data, nulls))) {
            let column = Column::new(data.clone(), nulls.clone());
            let value = |row: usize| nulls.as_ref().is_none_or(|valid| valid.is_valid(row)).then(|| values[row]);
            check_column(&column, &(0..values.len()).map(value).collect::<Vec<_>>(), grid);
        }
    }

    /// All rows from some on, a list of rows, and a vector of them all.
    fn check_column(column: &Column, values: &[Option<i64>], grid: Grid) {
        let range = CodeRange::new(grid).expect("a range of codes");
        for (null_matches, null) in [(true, 0), (false, absent(grid))] {
            for start in [0, values.len().min(1), values.len() / 3] {
                let (rows, rest) = (Rows::Range(start as u32), &values[start..]);
                if let Some(keys) = IntegerKeys::of_column(column, &rows, rest.len(), range, null_matches) {
                    check(&keys, rest, null, grid);
                }
            }
            let list: Vec<u32> = (0..values.len() as u32).rev().step_by(2).collect();
            let picked: Vec<Option<i64>> = list.iter().map(|&row| values[row as usize]).collect();
            let rows = Rows::List(list);
            if let Some(keys) = IntegerKeys::of_column(column, &rows, picked.len(), range, null_matches) {
                check(&keys, &picked, null, grid);
            }
            let mut vector = Vector::default();
            let valid = (values.contains(&None)).then(|| {
                let mut valid = Bitmap::default();
                valid.fill(values.len(), |tuple| values[tuple].is_some());
                valid
            });
            vector.set(values.len(), VectorData::I64(values.iter().map(|value| value.unwrap_or(3)).collect()), valid);
            let keys = IntegerKeys::of_vector(&vector, range, null_matches).expect("they are integers");
            check(&keys, values, null, grid);
        }
    }

    #[test]
    fn codes_are_distances_in_every_form() {
        for len in [0, 1, 63, 64, 65, 200] {
            for step in [1, 100, 40_000, 30_000_000, 1 << 40] {
                for first in [0, -3 * step, i64::from(i32::MIN), 1 << 41] {
                    let values: Vec<i64> = (0..len).map(|row| first + (row * 37 % 101) * step).collect();
                    for (low, count) in [(first, 1), (first + step, 50), (first - 1, 1 << 30), (0, 1000), (-70, 140)] {
                        check_range(&values, low, low + count - 1);
                    }
                }
            }
        }
        let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX, 1 << 62, -(1 << 62)];
        for low in [0, -5, 1 << 62, -(1 << 62), 1 << 31] {
            check_range(&extremes, low, low + 9);
        }
        let extremes = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX].map(i64::from);
        for low in [0, -5, 1 << 30, -(1 << 30), (1 << 30) + 1, i64::from(i32::MIN), i64::from(i32::MAX) - 3] {
            check_range(&extremes, low, low + (1 << 30) - 1);
        }
    }

    #[test]
    fn codes_are_distances_in_steps() {
        let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX, 1 << 62, -(1 << 62)];
        for step in [2u64, 3, 7, 100, 1 << 20, 3 << 40, (1 << 61) - 1, 1 << 62, 1 << 63, u64::MAX] {
            for low in [0, -5, 7, i64::MIN, i64::MIN + 3, 1 << 62, i64::MAX - 300] {
                for last in [1u64, 50, 70_000] {
                    let range = u128::from(step) * u128::from(last);
                    let Ok(high) = i64::try_from(i128::from(low) + range as i128) else { continue };
                    let grid = Grid { low: low.into(), high: high.into(), step };
                    // On the grid, in its steps and in multiples of them, next to it, and all over.
                    let on = |at: u64| low.wrapping_add(step.wrapping_mul(at) as i64);
                    let near: Vec<i64> = (0..150).map(|at| on(at * 37 % 101)).collect();
                    let wide: Vec<i64> = (0..150).map(|at| on(at * 2 % 90)).collect();
                    let beside: Vec<i64> = near.iter().map(|value| value.wrapping_add(1)).collect();
                    let mixed: Vec<i64> = near.iter().zip(&beside).flat_map(|(&on, &off)| [on, off, !on]).collect();
                    for values in [&near[..], &wide, &beside, &mixed, &extremes, &near[..1]] {
                        check_all(values, grid);
                    }
                }
            }
        }
    }

    #[test]
    fn there_is_no_range_of_what_is_too_far_out() {
        for (low, high) in [(0, 1 << 30), (i128::from(i64::MIN), 0), (i128::MIN, i128::MAX), (1 << 63, 1 << 63)] {
            assert!(CodeRange::new(Grid::of_range(low, high)).is_none(), "{low} to {high}");
        }
    }
}
