//! Elements of a fixed width at a place: each begins at a multiple of the stride.
//!
//! Who takes an array apart asks for its elements one after the other: those of one array that lie side by side are read in one go.

use super::decode::{Element, Run, decode};
use super::make::BEHIND;
use super::{Places, VALUE, bytes_from, each_kind, end_of, is_valid, lower_of};
use crate::cpu::kernels::strict_nulls;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::Fixed;

/// The arrays of tuples and the numbers of the elements that are asked for.
trait Asked {
    /// The number of a tuple's element.
    fn number(&self, tuple: usize) -> i64;
    /// Bytes from the tuple's array on, and how many are its own.
    fn array(&self, tuple: usize) -> (&[u8], usize);
    /// Whether the array and the number are not NULL.
    fn is_valid(&self, tuple: usize) -> bool;
    /// Behind the last tuple, at most, of those that ask for elements of one array side by side.
    fn end_of_run(&self, tuple: usize, len: usize) -> usize;
}

/// Vectors of arrays and of numbers.
struct Vectors<'v> {
    array: &'v Vector,
    place: &'v Vector,
    valid: Option<Bitmap>,
}

impl Asked for Vectors<'_> {
    #[inline(always)]
    fn number(&self, tuple: usize) -> i64 {
        match &self.place.data {
            VectorData::I32(values) => i64::from(values[self.place.position(tuple)]),
            VectorData::I64(values) => values[self.place.position(tuple)],
            _ => -1,
        }
    }

    #[inline(always)]
    fn array(&self, tuple: usize) -> (&[u8], usize) {
        bytes_from(self.array, tuple)
    }

    #[inline(always)]
    fn is_valid(&self, tuple: usize) -> bool {
        is_valid(&self.valid, tuple)
    }

    #[inline(always)]
    fn end_of_run(&self, tuple: usize, len: usize) -> usize {
        let (first, next) = (self.number(tuple), tuple + 1);
        if next < len && self.number(next) == first.wrapping_add(1) { self.run(tuple, len) } else { next }
    }
}

impl Vectors<'_> {
    /// As [`Asked::end_of_run`], where the number of the next tuple is the next one.
    fn run(&self, tuple: usize, len: usize) -> usize {
        let is_same = |other: usize| match &self.array.data {
            _ if self.array.constant => true,
            VectorData::Text(texts) => texts.views()[tuple] == texts.views()[other],
            VectorData::Code { codes, .. } => codes[tuple] == codes[other],
            _ => false,
        };
        let (first, mut end) = (self.number(tuple), tuple + 1);
        while end < len
            && self.number(end) == first.wrapping_add((end - tuple) as i64)
            && is_same(end)
            && self.is_valid(end)
        {
            end += 1;
        }
        end
    }
}

/// Arrays of tuples of another level, each with positions that a nest goes over.
pub(in crate::cpu) struct Unnested<'v> {
    /// The arrays, none of which is asked for that is NULL.
    pub(in crate::cpu) arrays: &'v TextVector,
    /// For each tuple which array it is.
    pub(in crate::cpu) origins: &'v [u32],
    /// For each tuple the position of the element, from the first one on.
    pub(in crate::cpu) positions: &'v [u32],
    pub(in crate::cpu) first: i64,
}

impl Asked for Unnested<'_> {
    #[inline(always)]
    fn number(&self, tuple: usize) -> i64 {
        self.first + i64::from(self.positions[tuple])
    }

    #[inline(always)]
    fn array(&self, tuple: usize) -> (&[u8], usize) {
        let (buffer, start, length) = self.arrays.place(self.origins[tuple] as usize);
        (&buffer[start..], length)
    }

    #[inline(always)]
    fn is_valid(&self, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn end_of_run(&self, tuple: usize, len: usize) -> usize {
        let (origins, positions) = (&self.origins[tuple..len], &self.positions[tuple..len]);
        // Most runs of short arrays end here.
        if let (Some(origins), Some(positions)) = (origins.first_chunk::<8>(), positions.first_chunk::<8>()) {
            let mut same = 0u32;
            for at in 0..8 {
                let follows = (origins[at] == origins[0]) & (positions[at] == positions[0].wrapping_add(at as u32));
                same |= u32::from(follows) << at;
            }
            if same != 0xFF {
                return tuple + same.trailing_ones() as usize;
            }
        }
        tuple + run(origins, positions)
    }
}

/// Tuples that are compared without a branch.
const BLOCK: usize = 32;

kernel! {
    /// How many tuples from the first one on have its origin and the positions behind its own.
    fn run[](origins: &[u32], positions: &[u32]) -> usize {
        let (origin, position) = (origins[0], positions[0]);
        let follows = |at: usize| (origins[at] == origin) & (positions[at] == position.wrapping_add(at as u32));
        let (len, mut end) = (origins.len().min(positions.len()), 1);
        while end < len && end < 8 && follows(end) {
            end += 1;
        }
        if end < 8 {
            return end;
        }
        while end + BLOCK <= len {
            let mut all = true;
            let block = origins[end..end + BLOCK].iter().zip(&positions[end..end + BLOCK]);
            for (at, (&own, &place)) in block.enumerate() {
                all &= (own == origin) & (place == position.wrapping_add((end + at) as u32));
            }
            if !all {
                break;
            }
            end += BLOCK;
        }
        while end < len && follows(end) {
            end += 1;
        }
        end
    }
}

/// The elements at places, in a register.
pub(super) fn nth(
    (fixed, places): (Fixed, Places),
    register: Register,
    (array, place): (&Vector, &Vector),
    len: usize,
    out: &mut Vector,
) -> bool {
    if !matches!(place.data, VectorData::I32(_) | VectorData::I64(_)) || !fits(fixed, register) {
        return false;
    }
    let valid = strict_nulls(&[array, place], len, out);
    if places == Places::Subscripts
        && let VectorData::Text(texts) = &array.data
        && !array.constant
        && !repeats(texts)
        && subscripted((fixed, register), texts, place, valid.as_ref(), out)
    {
        return true;
    }
    elements((fixed, places), register, &Vectors { array, place, valid }, len, out);
    true
}

/// Tuples that are looked at to tell whether neighbours have the same array.
const LOOKED_AT: usize = 64;

/// Whether neighbours ask for elements of the same array, as far as the first ones tell.
fn repeats(arrays: &TextVector) -> bool {
    let views = arrays.views();
    views[..views.len().min(LOOKED_AT)].windows(2).any(|pair| pair[0] == pair[1])
}

/// The elements at subscripts, one of each tuple's own array; false if it did nothing.
fn subscripted(
    (fixed, register): (Fixed, Register),
    arrays: &TextVector,
    place: &Vector,
    valid: Option<&Bitmap>,
    out: &mut Vector,
) -> bool {
    let len = arrays.len();
    macro_rules! read {
        ($take:ident, $variant:ident) => {{
            let (mut values, mut words) = (out.$take(), out.take_nulls().into_words());
            values.resize(len, Default::default());
            words.clear();
            match &place.data {
                VectorData::I32(numbers) => one_each(fixed, (arrays, valid), (place, numbers), &mut values, &mut words),
                VectorData::I64(numbers) => one_each(fixed, (arrays, valid), (place, numbers), &mut values, &mut words),
                _ => return false,
            }
            let mut valid = Bitmap::default();
            valid.set_words(len, words);
            let nulls = (!valid.is_full()).then_some(valid);
            out.set(len, VectorData::$variant(values), nulls);
        }};
    }
    match register {
        Register::I32 => read!(take_i32, I32),
        Register::I64 => read!(take_i64, I64),
        Register::F64 => read!(take_f64, F64),
        _ => return false,
    }
    true
}

kernel! {
    /// Makes each value the element of the tuple's array at its subscript, and words of bits for those that there are.
    fn one_each[T: Element + Default, N: Copy + Into<i64>](
        kind: Fixed,
        given: (&TextVector, Option<&Bitmap>),
        place: (&Vector, &[N]),
        values: &mut [T],
        words: &mut Vec<u64>,
    ) {
        let ((arrays, valid), (place, numbers)) = (given, place);
        each_kind!(kind, KIND => {
            for (block, values) in values.chunks_mut(64).enumerate() {
                let mut word = 0;
                for (at, value) in values.iter_mut().enumerate() {
                    let tuple = block * 64 + at;
                    let number = numbers[if place.constant { 0 } else { tuple }].into();
                    let is_asked = valid.is_none_or(|valid| valid.get(tuple));
                    let key = if is_asked { key_at(KIND, arrays.place(tuple), number) } else { None };
                    *value = key.map_or(T::default(), |key| T::of_key(KIND, key));
                    word |= u64::from(key.is_some()) << at;
                }
                words.push(word);
            }
        });
    }
}

/// The key of the element at a subscript of an array, which is some of these bytes; none of NULL, and where there is no element.
#[inline(always)]
fn key_at(kind: Fixed, (buffer, start, length): (&[u8], usize, usize), number: i64) -> Option<u64> {
    let bytes = &buffer[start..start + length];
    let Some((elements, &BEHIND)) = bytes.split_last_chunk() else {
        return far_key_at(kind, bytes, number);
    };
    // A subscript below the first one is a large number. Which ones there are is hard to foresee.
    let position = (number as u64).wrapping_sub(1);
    let is_within = position < (elements.len() / kind.stride()) as u64;
    let (mark, key) = kind.read(&elements[if is_within { position as usize * kind.stride() } else { 0 }..])?;
    if is_within & (mark == VALUE) { Some(key) } else { None }
}

/// The same of an array that has another end than most.
#[cold]
fn far_key_at(kind: Fixed, bytes: &[u8], number: i64) -> Option<u64> {
    let at = start(kind, Places::Subscripts, bytes, number)?;
    bytes.get(at..).and_then(|rest| kind.read(rest)).filter(|&(mark, _)| mark == VALUE).map(|(_, key)| key)
}

/// The elements that a nest asks for.
pub(in crate::cpu) fn unnested(
    fixed: Fixed,
    register: Register,
    asked: &Unnested<'_>,
    len: usize,
    out: &mut Vector,
) -> bool {
    let fits = fits(fixed, register);
    if fits {
        elements((fixed, Places::Positions), register, asked, len, out);
    }
    fits
}

/// Whether elements can be had in a register.
fn fits(fixed: Fixed, register: Register) -> bool {
    match register {
        Register::Bool => fixed == Fixed::Boolean,
        Register::I32 | Register::I64 => !fixed.is_float() && fixed != Fixed::Boolean,
        Register::F64 => fixed.is_float(),
        _ => false,
    }
}

fn elements((fixed, places): (Fixed, Places), register: Register, asked: &impl Asked, len: usize, out: &mut Vector) {
    macro_rules! read {
        ($take:ident, $variant:ident, $kind:ident, $of:expr) => {{
            let mut values = out.$take();
            values.resize(len, Default::default());
            let nulls = read($kind, places, asked, &mut values, $of);
            (VectorData::$variant(values), nulls)
        }};
    }
    let (data, nulls) = each_kind!(fixed, KIND => match register {
        Register::Bool => {
            let mut values = vec![false; len];
            let nulls = read(KIND, places, asked, &mut values, |key| key != 0);
            let mut bits = out.take_bool();
            bits.fill(len, |tuple| values[tuple]);
            (VectorData::Bool(bits), nulls)
        }
        Register::I32 => read!(take_i32, I32, KIND, |key| KIND.integer(key) as i32),
        Register::I64 => read!(take_i64, I64, KIND, |key| KIND.integer(key)),
        _ => read!(take_f64, F64, KIND, |key| KIND.float(key)),
    });
    out.set(len, data, nulls);
}

/// Makes each value its tuple's element; which of them there are.
#[inline(always)]
fn read<T: Element + Default>(
    kind: Fixed,
    places: Places,
    asked: &impl Asked,
    values: &mut [T],
    of: impl Fn(u64) -> T,
) -> Option<Bitmap> {
    let len = values.len();
    let mut missing = Vec::new();
    let mut tuple = 0;
    while tuple < len {
        if !asked.is_valid(tuple) {
            missing.push(tuple);
            tuple += 1;
            continue;
        }
        let (first, (bytes, length)) = (asked.number(tuple), asked.array(tuple));
        let elements = &bytes[..length];
        let Some(at) = start(kind, places, elements, first) else {
            missing.push(tuple);
            tuple += 1;
            continue;
        };
        // What counts from the end goes on at the front.
        let goes_on = places != Places::FromEitherEnd || first > 0;
        let end = if goes_on { asked.end_of_run(tuple, len) } else { tuple + 1 };
        if end == tuple + 1 {
            match elements.get(at..).and_then(|rest| kind.read(rest)) {
                Some((VALUE, key)) => values[tuple] = of(key),
                _ => missing.push(tuple),
            }
        } else {
            let count = (end_of(elements) / kind.stride()).saturating_sub(at / kind.stride()).min(end - tuple);
            let own = &bytes[at..];
            if decode(kind, Run { bytes: own, count }, &mut values[tuple..], &of) {
                missing
                    .extend((0..count).filter(|place| own[place * kind.stride()] != VALUE).map(|place| tuple + place));
            }
            missing.extend(tuple + count..end);
        }
        tuple = end;
    }
    if missing.is_empty() {
        return None;
    }
    let mut valid = Bitmap::new(len, true);
    for row in missing {
        values[row] = T::default();
        valid.set(row, false);
    }
    Some(valid)
}

/// Where the element of a number begins, if there may be one.
#[inline(always)]
fn start(kind: Fixed, places: Places, elements: &[u8], number: i64) -> Option<usize> {
    let position = match places {
        Places::Positions => number,
        Places::Subscripts => number.checked_sub(lower_of(elements, end_of(elements))?)?,
        Places::FromEitherEnd if number > 0 => number - 1,
        Places::FromEitherEnd if number == 0 => return None,
        Places::FromEitherEnd => number.checked_add((end_of(elements) / kind.stride()) as i64)?,
    };
    usize::try_from(position).ok()?.checked_mul(kind.stride()).filter(|start| *start < elements.len())
}
