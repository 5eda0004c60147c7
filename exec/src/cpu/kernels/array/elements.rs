//! The elements of many arrays behind each other, as a nest takes these apart: some thousands at a time, without their positions.
//!
//! Those of a fixed width are decoded array by array into one vector. Those that are texts become slices of the arrays: one pass over the
//! bytes of an array finds all marks, 64 bytes at a time where the CPU has AVX2.

use super::decode::{Element, Run, decode};
use super::text::plain;
use super::{END, ESCAPE, VALUE, each_kind, end_of};
use crate::column::TextView;
use crate::cpu::simd::kernel::kernel;
#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::{Fixed, Form};

/// Elements that are taken at once.
const ELEMENTS: usize = 1 << 14;

/// Values behind the last one that may be overwritten.
const SPARE: usize = 8;

/// The arrays of some tuples.
pub(in crate::cpu) struct Arrays<'v> {
    texts: &'v TextVector,
    valid: Option<&'v Bitmap>,
    /// Whether elements that are texts may be slices of them.
    is_shared: bool,
}

/// Where to go on.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cpu) struct Place {
    tuple: usize,
    /// The byte of its array at which an element begins, or the end.
    at: usize,
    /// Bytes of arrays that have been passed.
    pub(in crate::cpu) passed: usize,
}

impl<'v> Arrays<'v> {
    /// Those of a vector; none of one that has them in another form.
    pub(in crate::cpu) fn of(vector: &'v Vector) -> Option<Self> {
        let VectorData::Text(texts) = &vector.data else { return None };
        (!vector.constant).then(|| Arrays { texts, valid: vector.nulls.as_ref(), is_shared: texts.is_shared() })
    }

    /// The same of a vector of which they have been asked for before.
    pub(in crate::cpu) fn again(vector: &'v Vector, is_shared: bool) -> Option<Self> {
        let VectorData::Text(texts) = &vector.data else { return None };
        Some(Arrays { texts, valid: vector.nulls.as_ref(), is_shared })
    }

    pub(in crate::cpu) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// The bytes of all of them.
    pub(in crate::cpu) fn bytes(&self) -> usize {
        self.texts.views().iter().map(|view| view.length as usize).sum()
    }

    #[inline(always)]
    fn is_there(&self, tuple: usize) -> bool {
        self.valid.is_none_or(|valid| valid.get(tuple))
    }
}

/// Whether elements of a form can be had in a register.
pub(in crate::cpu) fn fits(form: Form, register: Register) -> bool {
    match (form, register) {
        (Form::Text, register) => register == Register::Text,
        (Form::Fixed(Fixed::Boolean), _) => false,
        (Form::Fixed(fixed), Register::I32 | Register::I64) => !fixed.is_float(),
        (Form::Fixed(fixed), Register::F64) => fixed.is_float(),
        _ => false,
    }
}

/// Makes `out` the next elements, none if there are no more; of each the tuple whose array has it, if that is asked for. The register is
/// one that fits the form.
pub(in crate::cpu) fn fill(
    (form, register): (Form, Register),
    arrays: &Arrays<'_>,
    place: &mut Place,
    parents: Option<&mut Vec<u32>>,
    out: &mut Vector,
) {
    let Form::Fixed(kind) = form else { return fill_texts(arrays, place, parents, out) };
    macro_rules! decoded {
        ($variant:ident) => {{
            // What stands there of before is overwritten.
            let mut values = match &mut out.data {
                VectorData::$variant(values) => std::mem::take(values),
                _ => Vec::new(),
            };
            values.resize(ELEMENTS + SPARE, Default::default());
            let mut missing = Vec::new();
            let len = decode_runs(kind, arrays, place, parents, &mut values, &mut missing);
            values.truncate(len);
            missing.iter().for_each(|&tuple| values[tuple as usize] = Default::default());
            out.set(len, VectorData::$variant(values), validity(len, &missing));
        }};
    }
    match register {
        Register::I32 => decoded!(I32),
        Register::I64 => decoded!(I64),
        _ => decoded!(F64),
    }
}

fn validity(len: usize, missing: &[u32]) -> Option<Bitmap> {
    if missing.is_empty() {
        return None;
    }
    let mut valid = Bitmap::new(len, true);
    missing.iter().for_each(|&tuple| valid.set(tuple as usize, false));
    Some(valid)
}

kernel! {
    /// Decodes elements, notes which are NULL, and says how many there are.
    fn decode_runs[T: Element](
        kind: Fixed,
        arrays: &Arrays<'_>,
        place: &mut Place,
        parents: Option<&mut Vec<u32>>,
        values: &mut [T],
        missing: &mut Vec<u32>,
    ) -> usize {
        each_kind!(kind, KIND => runs(KIND, (arrays, place), parents, values, missing))
    }
}

#[inline(always)]
fn runs<T: Element>(
    kind: Fixed,
    (arrays, place): (&Arrays<'_>, &mut Place),
    mut parents: Option<&mut Vec<u32>>,
    values: &mut [T],
    missing: &mut Vec<u32>,
) -> usize {
    let (stride, mut len) = (kind.stride(), 0);
    while place.tuple < arrays.texts.len() {
        let tuple = place.tuple;
        if arrays.is_there(tuple) {
            let (buffer, start, length) = arrays.texts.place(tuple);
            let bytes = &buffer[start..];
            let left = end_of(&bytes[..length]).saturating_sub(place.at) / stride;
            let count = left.min(ELEMENTS - len);
            let own = &bytes[place.at..];
            if decode(kind, Run { bytes: own, count }, &mut values[len..], |key| T::of_key(kind, key)) {
                let nulls = (0..count).filter(|at| own[at * stride] != VALUE);
                missing.extend(nulls.map(|at| (len + at) as u32));
            }
            if let Some(parents) = &mut parents {
                parents.extend(std::iter::repeat_n(tuple as u32, count));
            }
            len += count;
            place.passed += count * stride;
            if count < left {
                place.at += count * stride;
                return len;
            }
        }
        (place.tuple, place.at) = (tuple + 1, 0);
    }
    len
}

/// As [`fill`], of texts.
fn fill_texts(arrays: &Arrays<'_>, place: &mut Place, mut parents: Option<&mut Vec<u32>>, out: &mut Vector) {
    let mut elements = out.take_text();
    if let (true, Some(buffers)) = (arrays.is_shared, arrays.texts.buffers()) {
        elements.set_buffers(buffers.clone());
    }
    let mut missing = Vec::new();
    while place.tuple < arrays.texts.len() && elements.len() < ELEMENTS {
        let (tuple, before) = (place.tuple, elements.len());
        let mut is_done = true;
        if arrays.is_there(tuple) {
            let at = place.at;
            is_done = slices(arrays, place, (&mut elements, &mut missing));
            place.passed += if is_done { arrays.texts.views()[tuple].length as usize } else { place.at } - at;
        }
        if let Some(parents) = &mut parents {
            parents.extend(std::iter::repeat_n(tuple as u32, elements.len() - before));
        }
        if is_done {
            (place.tuple, place.at) = (tuple + 1, 0);
        }
    }
    let len = elements.len();
    out.set(len, VectorData::Text(elements), validity(len, &missing));
}

/// Appends the elements of an array from a place on; false if there are more of them, and the place is where these begin.
#[inline]
fn slices(arrays: &Arrays<'_>, place: &mut Place, (elements, missing): (&mut TextVector, &mut Vec<u32>)) -> bool {
    let view = arrays.texts.views()[place.tuple];
    let (buffer, start, length) = arrays.texts.place(place.tuple);
    let bytes = &buffer[start..];
    // Where the element begins that has not ended yet, and whether it has escaped bytes.
    let (mut open, mut is_escaped) = (None, false);
    let mut block = place.at;
    while block < length {
        let mut marks = special(bytes, block);
        while marks != 0 {
            let at = block + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            if at >= length {
                return true;
            }
            let mark = bytes[at];
            if mark == ESCAPE {
                is_escaped = true;
                continue;
            }
            if let Some(from) = open.take() {
                push(arrays, (view, bytes), (from, at, is_escaped), elements);
                is_escaped = false;
            }
            if mark == END {
                return true;
            }
            if elements.len() >= ELEMENTS {
                place.at = at;
                return false;
            }
            if mark == VALUE {
                open = Some(at + 1);
            } else {
                missing.push(elements.len() as u32);
                elements.push_view(TextView::EMPTY);
            }
        }
        block += 64;
    }
    true
}

#[inline]
fn push(
    arrays: &Arrays<'_>,
    (view, bytes): (TextView, &[u8]),
    (from, to, is_escaped): (usize, usize, bool),
    elements: &mut TextVector,
) {
    if is_escaped {
        elements.push(&plain(&bytes[from..to]));
    } else if arrays.is_shared {
        elements.push_view(TextView { offset: view.offset + from as u32, length: (to - from) as u32, ..view });
    } else {
        elements.push(std::str::from_utf8(&bytes[from..to]).unwrap_or(""));
    }
}

/// Which of 64 bytes from one on are marks, or stand before an escaped byte; behind the last byte none is.
#[inline(always)]
fn special(bytes: &[u8], start: usize) -> u64 {
    let rest = &bytes[start..];
    #[cfg(target_arch = "x86_64")]
    if let (Some(block), true) = (rest.first_chunk::<64>(), Level::get() >= Level::Avx2) {
        // SAFETY: the CPU has the features.
        return unsafe { avx2::special(block) };
    }
    bits(rest, |byte| byte <= ESCAPE)
}

#[inline(always)]
fn bits(bytes: &[u8], is_one: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().take(64).enumerate().fold(0, |all, (at, &byte)| all | u64::from(is_one(byte)) << at)
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::ESCAPE;
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves(block: &[u8; 64]) -> [__m256i; 2] {
        // SAFETY: there are 32 bytes from 0 on, and from 32 on.
        unsafe { [_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())] }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(low: __m256i, high: __m256i) -> u64 {
        u64::from(_mm256_movemask_epi8(low) as u32) | u64::from(_mm256_movemask_epi8(high) as u32) << 32
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn special(block: &[u8; 64]) -> u64 {
        let ([low, high], most) = (halves(block), _mm256_set1_epi8(ESCAPE as i8));
        bits(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low), _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high))
    }
}

#[cfg(test)]
#[path = "elements_tests.rs"]
mod elements_tests;
