//! Finds an element among those of a fixed width: its bytes among theirs, four or eight elements at once where the CPU has AVX2.
//!
//! An element of an integer is put into a word of 64 bits without a byte of the next one. Those of a bigint are three words of 32 bits
//! each, so that of as many registers as make whole elements each is compared with the wanted one, turned by as many words as it
//! begins behind an element's first.

use super::decode::Run;
use super::{NULL, each_kind};
use crate::Result;
#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
use memchr::memchr;
use multiloop_planner::evaluate::array::Fixed;
use multiloop_planner::meter;

/// What is found of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The position of the first one.
    At(usize),
    /// It is not there, and no element is NULL.
    Nowhere,
    /// It is not there, and some element is NULL.
    BesideNull,
}

impl Found {
    #[inline(always)]
    fn nowhere(has_null: bool) -> Self {
        if has_null { Found::BesideNull } else { Found::Nowhere }
    }
}

/// What is looked for in the array of each tuple. (Closures are not always inlined, and what they give goes through memory then, in other
/// pieces than it is read.)
pub(super) trait Question {
    /// Bytes from the first element of a tuple's array on, how many of them its elements have, and the wanted one as [`Fixed::word`] has
    /// it; none where nothing is to be looked for.
    fn ask(&self, tuple: usize) -> Option<(&[u8], usize, u128)>;
    /// Takes what is found, tuple by tuple.
    fn answer(&mut self, tuple: usize, found: Option<Found>);
}

/// What is passed of arrays between two looks at whether to go on.
const PASSED: usize = 1 << 14;

/// Elements that are looked at without a branch.
const BLOCK: usize = 16;

/// Looks for an element in the array of each tuple.
///
/// # Errors
/// 57014 where the statement is cancelled.
#[inline(always)]
pub(super) fn find_each(kind: Fixed, len: usize, question: &mut impl Question) -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    if Level::get() >= Level::Avx2 {
        match kind.stride() {
            // SAFETY: the CPU has the features.
            7 => return unsafe { avx2::find_each_narrow(kind, len, question) },
            // SAFETY: the CPU has the features.
            12 => return unsafe { avx2::find_each_wide(kind, len, question) },
            _ => {}
        }
    }
    each(len, kind.stride(), question, |run, wanted| find(kind, run, wanted))
}

#[inline(always)]
fn each<Q: Question>(len: usize, stride: usize, question: &mut Q, find: impl Fn(Run<'_>, u128) -> Found) -> Result<()> {
    let mut passed = 0;
    for tuple in 0..len {
        let found = match question.ask(tuple) {
            Some((bytes, end, wanted)) => {
                let run = Run { bytes, count: end / stride };
                passed += run.count;
                Some(find(run, wanted))
            }
            None => None,
        };
        question.answer(tuple, found);
        passed += 1;
        if passed > PASSED {
            meter::spend(std::mem::take(&mut passed))?;
        }
    }
    meter::spend(passed)
}

/// The first element that is the wanted one.
fn find(kind: Fixed, run: Run<'_>, wanted: u128) -> Found {
    let elements = &run.bytes[..run.count * kind.stride()];
    match each_kind!(kind, KIND => position(KIND, elements, &wanted.to_le_bytes())) {
        Some(at) => Found::At(at),
        None => Found::nowhere(memchr(NULL, elements).is_some()),
    }
}

#[inline(always)]
fn position(kind: Fixed, elements: &[u8], wanted: &[u8; 16]) -> Option<usize> {
    let stride = kind.stride();
    let two = |bytes: &[u8]| u16::from_ne_bytes([bytes[0], bytes[1]]);
    let four = |bytes: &[u8], at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let is_wanted = |element: &[u8]| match stride {
        2 => two(element) == two(wanted),
        4 => four(element, 0) == four(wanted, 0),
        7 => (four(element, 0) == four(wanted, 0)) & (four(element, 3) == four(wanted, 3)),
        _ => (0..3).fold(true, |is, part| is & (four(element, part * 4) == four(wanted, part * 4))),
    };
    let any = |elements: &[u8]| elements.chunks_exact(stride).fold(false, |any, element| any | is_wanted(element));
    let mut blocks = elements.chunks_exact(BLOCK * stride);
    let block = blocks.position(any);
    let start = block.unwrap_or(elements.len() / (BLOCK * stride)) * BLOCK;
    let near = elements[start * stride..].chunks_exact(stride).take(BLOCK).position(is_wanted);
    near.map(|at| start + at)
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Found, Question, Run, each, find};
    use crate::Result;
    use multiloop_planner::evaluate::array::Fixed;
    use std::arch::x86_64::*;

    const NARROW: usize = 7;
    const WIDE: usize = 12;

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn find_each_narrow<Q: Question>(kind: Fixed, len: usize, question: &mut Q) -> Result<()> {
        each(len, NARROW, question, |run, wanted| find_narrow(kind, run, wanted))
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn find_each_wide<Q: Question>(kind: Fixed, len: usize, question: &mut Q) -> Result<()> {
        each(len, WIDE, question, |run, wanted| find_wide(kind, run, wanted))
    }

    /// What is found behind so many elements, which are not the wanted one, nor a NULL if there are no bits.
    #[cold]
    fn rest(kind: Fixed, run: Run<'_>, wanted: u128, (done, nulls): (usize, u32)) -> Found {
        let behind = Run { bytes: &run.bytes[done * kind.stride()..], count: run.count - done };
        match find(kind, behind, wanted) {
            Found::At(at) => Found::At(at + done),
            Found::Nowhere => Found::nowhere(nulls != 0),
            Found::BesideNull => Found::BesideNull,
        }
    }

    /// Which of four words have bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn hits(equal: __m256i) -> u32 {
        _mm256_movemask_pd(_mm256_castsi256_pd(equal)) as u32
    }

    /// The highest bits of four words.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn signs(words: __m256i) -> u32 {
        _mm256_movemask_pd(_mm256_castsi256_pd(words)) as u32
    }

    /// Which of four elements are NULL, each with eight bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn low_bits(marks: __m256i) -> u32 {
        _mm256_movemask_epi8(_mm256_slli_epi16::<7>(marks)) as u32 & 0x0101_0101
    }

    /// A bit for each word: the lowest of its first byte, which of a mark is that of NULL.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn low_bits_of_words(words: __m256i) -> u32 {
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32::<31>(words))) as u32
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find_narrow(kind: Fixed, run: Run<'_>, wanted: u128) -> Found {
        let order = _mm256_setr_epi8(
            0, 1, 2, 3, 4, 5, 6, -1, 7, 8, 9, 10, 11, 12, 13, -1, 0, 1, 2, 3, 4, 5, 6, -1, 7, 8, 9, 10, 11, 12, 13, -1,
        );
        let own = _mm256_set1_epi64x(wanted as i64);
        /// Four elements of 64 bits each from one on. (What an array's `map` calls would not be compiled for these instructions.)
        macro_rules! four {
            ($at:expr) => {{
                // SAFETY: it is below `readable`, so that 16 bytes can be read from the third element on.
                let raw = unsafe {
                    let at = run.bytes.as_ptr().add($at * NARROW);
                    _mm256_loadu2_m128i(at.add(2 * NARROW).cast(), at.cast())
                };
                _mm256_shuffle_epi8(raw, order)
            }};
        }
        // Most arrays are short, and others stand behind them.
        if run.count <= 8 && run.bytes.len() >= 6 * NARROW + 16 {
            let (a, b, own_bits) = (four!(0), four!(4), (1u32 << run.count) - 1);
            let mask = hits(_mm256_cmpeq_epi64(a, own)) | hits(_mm256_cmpeq_epi64(b, own)) << 4;
            let null_bits = signs(_mm256_slli_epi64::<63>(a)) | signs(_mm256_slli_epi64::<63>(b)) << 4;
            let found = mask & own_bits;
            return match found {
                0 => Found::nowhere(null_bits & own_bits != 0),
                _ => Found::At(found.trailing_zeros() as usize),
            };
        }
        // Elements of which 16 bytes can be read from the one two behind them on.
        let readable = run.bytes.len().saturating_sub(2 * NARROW + 16 - NARROW) / NARROW;
        let mut marks = _mm256_setzero_si256();
        let mut done = 0;
        while done + 16 <= run.count && done + 13 <= readable {
            let (a, b, c, d) = (four!(done), four!(done + 4), four!(done + 8), four!(done + 12));
            let equal_a = _mm256_cmpeq_epi64(a, own);
            let equal_b = _mm256_cmpeq_epi64(b, own);
            let equal_c = _mm256_cmpeq_epi64(c, own);
            let equal_d = _mm256_cmpeq_epi64(d, own);
            let any = _mm256_or_si256(_mm256_or_si256(equal_a, equal_b), _mm256_or_si256(equal_c, equal_d));
            if _mm256_testz_si256(any, any) == 0 {
                let mask = hits(equal_a) | hits(equal_b) << 4 | hits(equal_c) << 8 | hits(equal_d) << 12;
                return Found::At(done + mask.trailing_zeros() as usize);
            }
            let all = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
            marks = _mm256_or_si256(marks, all);
            done += 16;
        }
        let mut nulls = low_bits(marks);
        while done < run.count && done < readable {
            let left = (run.count - done).min(4);
            let part = four!(done);
            let mask = hits(_mm256_cmpeq_epi64(part, own)) & ((1 << left) - 1);
            if mask != 0 {
                return Found::At(done + mask.trailing_zeros() as usize);
            }
            nulls |= low_bits(part) & ((1u64 << (8 * left)) - 1) as u32;
            done += left;
        }
        if done >= run.count {
            return Found::nowhere(nulls != 0);
        }
        rest(kind, run, wanted, (done, nulls))
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn find_wide(kind: Fixed, run: Run<'_>, wanted: u128) -> Found {
        let one = _mm_set_epi64x((wanted >> 64) as i64, wanted as i64);
        let all = _mm256_castsi128_si256(one);
        let mut done = 0;
        let mut seen = [_mm256_setzero_si256(); 3];
        let own = [
            _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1)),
            _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(2, 0, 1, 2, 0, 1, 2, 0)),
            _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(1, 2, 0, 1, 2, 0, 1, 2)),
        ];
        // Most arrays are short, and others stand behind them.
        if run.count <= 8 && run.bytes.len() >= 8 * WIDE {
            let (mut mask, mut null_bits) = (0, 0);
            for (part, own) in own.iter().enumerate() {
                // SAFETY: eight elements of twelve bytes are three times 32 bytes.
                let raw = unsafe { _mm256_loadu_si256(run.bytes.as_ptr().add(part * 32).cast()) };
                let equal = _mm256_castsi256_ps(_mm256_cmpeq_epi32(raw, *own));
                mask |= (_mm256_movemask_ps(equal) as u32) << (8 * part);
                null_bits |= low_bits_of_words(raw) << (8 * part);
            }
            let firsts = 0x24_9249 & ((1 << (3 * run.count)) - 1);
            let whole = mask & mask >> 1 & mask >> 2 & firsts;
            return match whole {
                0 => Found::nowhere(null_bits & firsts != 0),
                _ => Found::At(whole.trailing_zeros() as usize / 3),
            };
        }
        while done + 8 <= run.count {
            let mut mask = 0;
            for part in 0..3 {
                // SAFETY: eight elements of twelve bytes are three times 32 bytes.
                let raw = unsafe { _mm256_loadu_si256(run.bytes.as_ptr().add(done * WIDE + part * 32).cast()) };
                let equal = _mm256_castsi256_ps(_mm256_cmpeq_epi32(raw, own[part]));
                mask |= (_mm256_movemask_ps(equal) as u32) << (8 * part);
                seen[part] = _mm256_or_si256(seen[part], raw);
            }
            // The words of an element begin at every third bit.
            let whole = mask & mask >> 1 & mask >> 2 & 0x24_9249;
            if whole != 0 {
                return Found::At(done + whole.trailing_zeros() as usize / 3);
            }
            done += 8;
        }
        let [a, b, c] = seen;
        let words = low_bits_of_words(a) | low_bits_of_words(b) << 8 | low_bits_of_words(c) << 16;
        let mut nulls = words & 0x24_9249;
        while done < run.count && done * WIDE + 16 <= run.bytes.len() {
            // SAFETY: 16 bytes can be read from the element on.
            let raw = unsafe { _mm_loadu_si128(run.bytes.as_ptr().add(done * WIDE).cast()) };
            let equal = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(raw, one)));
            if equal & 7 == 7 {
                return Found::At(done);
            }
            nulls |= _mm_cvtsi128_si32(raw) as u32 & 1;
            done += 1;
        }
        if done >= run.count {
            return Found::nowhere(nulls != 0);
        }
        rest(kind, run, wanted, (done, nulls))
    }
}
