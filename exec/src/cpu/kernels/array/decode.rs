//! Elements of a fixed width as numbers, and their sums: many at once, where the CPU has AVX2.
//!
//! Digits of six bits become a number as those of base64 do (Muła and Lemire, Faster Base64 Encoding and Decoding Using AVX2
//! Instructions, 2018): neighbours are multiplied by 64 and 1 and added, then pairs of them by 4096 and 1, which makes a *limb* of
//! 24 bits in each 32. The bits that all digits have are not masked out: what they add is the same for each element, and is
//! subtracted at the end. A NULL has digits of zero bits, so that it adds nothing to a sum of keys.
//!
//! An integer is two limbs, of two digits and of four; a bigint three, of which the highest begins with the mark, and that is lost
//! beyond the highest bit.

use super::{NULL, VALUE, each_kind};
#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
use multiloop_planner::evaluate::array::Fixed;

/// Elements that lie side by side.
#[derive(Clone, Copy)]
pub(super) struct Run<'b> {
    /// Bytes from the first element on; those behind the last one may be read, and are nothing.
    pub(super) bytes: &'b [u8],
    /// How many elements.
    pub(super) count: usize,
}

/// What elements become: which ones have a way to be made many at once.
pub(super) trait Element: Copy {
    /// That of a key.
    fn of_key(kind: Fixed, key: u64) -> Self;
    /// Makes the first values those of the elements, some of them at once: how many, and whether some of these is NULL. Values behind
    /// them may be overwritten.
    fn decode_many(kind: Fixed, run: Run<'_>, values: &mut [Self]) -> (usize, bool);
}

impl Element for bool {
    fn of_key(_: Fixed, key: u64) -> bool {
        key != 0
    }

    fn decode_many(_: Fixed, _: Run<'_>, _: &mut [bool]) -> (usize, bool) {
        (0, false)
    }
}

/// Defines [`Element`] by a function for AVX2 and the kind of elements that it knows.
macro_rules! element {
    ($type:ty, $kind:ident, $many:expr, $of_key:expr) => {
        impl Element for $type {
            #[inline(always)]
            fn of_key(kind: Fixed, key: u64) -> $type {
                $of_key(kind, key)
            }

            #[inline(always)]
            fn decode_many(kind: Fixed, run: Run<'_>, values: &mut [$type]) -> (usize, bool) {
                #[cfg(target_arch = "x86_64")]
                if kind == Fixed::$kind && Level::get() >= Level::Avx2 {
                    // SAFETY: the CPU has the features.
                    return unsafe { $many(run, values) };
                }
                let _ = (kind, run, values);
                (0, false)
            }
        }
    };
}

element!(i32, Integer, avx2::integers, |kind: Fixed, key| kind.integer(key) as i32);
element!(i64, Long, avx2::wide::<i64, false>, Fixed::integer);
element!(f64, Double, avx2::wide::<f64, true>, Fixed::float);

/// Makes the first values those of the elements; what is a NULL is any value. Whether there is one. Values behind them may be
/// overwritten.
#[inline(always)]
pub(super) fn decode<T: Element>(kind: Fixed, run: Run<'_>, values: &mut [T], of: impl Fn(u64) -> T) -> bool {
    let (done, has_null) = T::decode_many(kind, run, values);
    if done >= run.count {
        return has_null;
    }
    let mut marks = VALUE;
    let elements = &run.bytes[done * kind.stride()..run.count * kind.stride()];
    for (element, value) in elements.chunks_exact(kind.stride()).zip(&mut values[done..]) {
        if let Some((mark, key)) = kind.read(element) {
            marks |= mark;
            *value = of(key);
        }
    }
    has_null | (marks == NULL)
}

/// The sum of integers that are not NULL, and how many these are.
#[inline(always)]
pub(super) fn sum(kind: Fixed, run: Run<'_>) -> (i128, usize) {
    #[cfg(target_arch = "x86_64")]
    if matches!(kind, Fixed::Integer | Fixed::Long) && Level::get() >= Level::Avx2 {
        // SAFETY: the CPU has the features.
        let (keys, done, nulls) =
            unsafe { if kind == Fixed::Integer { avx2::sum_integers(run) } else { avx2::sum_wide(run) } };
        let rest = Run { bytes: &run.bytes[done * kind.stride()..], count: run.count - done };
        let (sum, count) = sum_each(kind, rest);
        let valid = done - nulls;
        return (keys - i128::from(zero_key(kind)) * valid as i128 + sum, count + valid);
    }
    sum_each(kind, run)
}

/// The key of 0.
#[inline(always)]
fn zero_key(kind: Fixed) -> u64 {
    kind.key_of_integer(0)
}

#[inline(always)]
fn sum_each(kind: Fixed, run: Run<'_>) -> (i128, usize) {
    let (mut keys, mut count) = (0u128, 0);
    each_kind!(kind, KIND => for element in run.bytes[..run.count * KIND.stride()].chunks_exact(KIND.stride()) {
        if let Some((mark, key)) = KIND.read(element) {
            keys += u128::from(key);
            count += usize::from(mark == VALUE);
        }
    });
    (keys as i128 - i128::from(zero_key(kind)) * count as i128, count)
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Run;
    use std::arch::x86_64::*;

    /// What the bits add that all digits have, of so many.
    const fn common(digits: u32) -> u128 {
        let (mut sum, mut digit) = (0u128, 0);
        while digit < digits {
            sum += 0x40 << (6 * digit);
            digit += 1;
        }
        sum
    }

    const INTEGER: usize = 7;
    const WIDE: usize = 12;

    /// Elements of a run of which 16 bytes from two of them on can be read.
    fn readable(run: Run<'_>, stride: usize, at_once: usize, last: usize) -> usize {
        let mut done = 0;
        while done < run.count && (done + last) * stride + 16 <= run.bytes.len() {
            done += at_once;
        }
        done
    }

    /// Two elements of integers in each half as limbs: the high ones, then the low ones.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn limbs_of_integers(raw: __m256i) -> __m256i {
        let order = _mm256_setr_epi8(
            1, 2, -1, -1, 8, 9, -1, -1, 3, 4, 5, 6, 10, 11, 12, 13, 1, 2, -1, -1, 8, 9, -1, -1, 3, 4, 5, 6, 10, 11, 12,
            13,
        );
        let digits = _mm256_shuffle_epi8(raw, order);
        let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x0140));
        // A high limb is one pair and nothing.
        let factors = _mm256_setr_epi16(1, 0, 1, 0, 4096, 1, 4096, 1, 1, 0, 1, 0, 4096, 1, 4096, 1);
        _mm256_madd_epi16(pairs, factors)
    }

    /// The elements of bigints in 16 bytes each as limbs, the highest, with the mark, first.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn limbs_of_wide(raw: __m256i) -> __m256i {
        let pairs = _mm256_maddubs_epi16(raw, _mm256_set1_epi16(0x0140));
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000))
    }

    /// 16 bytes from one place and 16 from another.
    ///
    /// # Safety
    /// There are as many.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(low: *const u8, high: *const u8) -> __m256i {
        // SAFETY: as the caller says.
        unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) }
    }

    /// The lowest bits of all bytes, which of marks are those of NULL.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn low_bits(raw: __m256i) -> u32 {
        _mm256_movemask_epi8(_mm256_slli_epi16::<7>(raw)) as u32
    }

    /// Bits of the marks of the first elements, by how many these are, as [`integers`] has them.
    const OWN: [u32; 9] = first_bits([0, 7, 1, 8, 16, 23, 17, 24]);

    /// The same of [`wide`].
    const OWN_WIDE: [u32; 5] = first_bits([0, 1, 16, 17]);

    const fn first_bits<const ELEMENTS: usize, const COUNTS: usize>(bits: [u32; ELEMENTS]) -> [u32; COUNTS] {
        let mut all = [0; COUNTS];
        let mut count = 1;
        while count < COUNTS {
            all[count] = all[count - 1] | 1 << bits[count - 1];
            count += 1;
        }
        all
    }

    /// Integers, eight at a time.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn integers(run: Run<'_>, values: &mut [i32]) -> (usize, bool) {
        let (from, to) = (run.bytes.as_ptr(), values.as_mut_ptr());
        let offset = _mm256_set1_epi32(common(6) as i32);
        let (mut done, mut nulls) = (0, 0u32);
        while done < run.count && (done + 6) * INTEGER + 16 <= run.bytes.len() && done + 8 <= values.len() {
            // SAFETY: 16 bytes can be read from the seventh element on, and so from those before it.
            let (first, second) = unsafe {
                let at = from.add(done * INTEGER);
                (load(at, at.add(4 * INTEGER)), load(at.add(2 * INTEGER), at.add(6 * INTEGER)))
            };
            let (own, others) = (limbs_of_integers(first), limbs_of_integers(second));
            let (high, low) = (_mm256_unpacklo_epi64(own, others), _mm256_unpackhi_epi64(own, others));
            let sum = _mm256_sub_epi32(_mm256_add_epi32(_mm256_slli_epi32::<24>(high), low), offset);
            // SAFETY: there is room for eight.
            unsafe { _mm256_storeu_si256(to.add(done).cast(), sum) };
            // The marks of the elements 0, 1, 4 and 5, and those of the others a bit higher.
            let marks = low_bits(first) & 0x0081_0081 | (low_bits(second) & 0x0081_0081) << 1;
            nulls |= marks & OWN[(run.count - done).min(8)];
            done += 8;
        }
        (done.min(run.count), nulls != 0)
    }

    /// Bigints or doubles, four at a time.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn wide<T: Copy, const FLOAT: bool>(run: Run<'_>, values: &mut [T]) -> (usize, bool) {
        const { assert!(size_of::<T>() == 8) };
        let (from, to) = (run.bytes.as_ptr(), values.as_mut_ptr());
        let sign = _mm256_set1_epi64x(i64::MIN);
        // The sign bit of integers is turned by the same subtraction.
        let common = common(11) as u64;
        let offset = _mm256_set1_epi64x(if FLOAT { common as i64 } else { common.wrapping_sub(1 << 63) as i64 });
        let low = _mm256_set1_epi64x(0xFFFF_FFFF);
        let (mut done, mut nulls) = (0, 0u32);
        while done < run.count && (done + 3) * WIDE + 16 <= run.bytes.len() && done + 4 <= values.len() {
            // SAFETY: 16 bytes can be read from the fourth element on, and so from those before it.
            let (first, second) = unsafe {
                let at = from.add(done * WIDE);
                (load(at, at.add(2 * WIDE)), load(at.add(WIDE), at.add(3 * WIDE)))
            };
            let (own, others) = (limbs_of_wide(first), limbs_of_wide(second));
            let (front, back) = (_mm256_unpacklo_epi64(own, others), _mm256_unpackhi_epi64(own, others));
            let highest = _mm256_slli_epi64::<48>(front);
            let middle = _mm256_slli_epi64::<24>(_mm256_srli_epi64::<32>(front));
            let key = _mm256_add_epi64(_mm256_add_epi64(highest, middle), _mm256_and_si256(back, low));
            let mut bits = _mm256_sub_epi64(key, offset);
            if FLOAT {
                // Of a key with the sign bit only that is turned, else all are.
                let is_positive = _mm256_cmpgt_epi64(_mm256_setzero_si256(), bits);
                let turned = _mm256_or_si256(_mm256_xor_si256(is_positive, _mm256_set1_epi64x(-1)), sign);
                bits = _mm256_xor_si256(bits, turned);
            }
            // SAFETY: there is room for four values of eight bytes.
            unsafe { _mm256_storeu_si256(to.add(done).cast(), bits) };
            // The marks of the elements 0 and 2, and those of 1 and 3.
            let marks = low_bits(first) & 0x0001_0001 | (low_bits(second) & 0x0001_0001) << 1;
            nulls |= marks & OWN_WIDE[(run.count - done).min(4)];
            done += 4;
        }
        (done.min(run.count), nulls != 0)
    }

    /// The bytes of the first of four integers, by how many these are.
    const LAST: [[u8; 32]; 5] = {
        let mut all = [[0; 32]; 5];
        let mut count = 0;
        while count < 5 {
            let mut element = 0;
            while element < count {
                let start = element / 2 * 16 + element % 2 * INTEGER;
                let mut at = 0;
                while at < INTEGER {
                    all[count][start + at] = u8::MAX;
                    at += 1;
                }
                element += 1;
            }
            count += 1;
        }
        all
    };

    /// Limbs that 32 bits can hold the sum of.
    const ADDED_MAX: usize = 64;

    /// The sum of the first elements' keys, how many elements these are, and how many of them are NULL.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn sum_integers(run: Run<'_>) -> (i128, usize, usize) {
        let all = readable(run, INTEGER, 4, 2).min(run.count);
        let (mut high, mut low) = (0u64, 0u64);
        let (mut done, mut nulls) = (0, 0);
        while done < all {
            let (mut limbs, end) = (_mm256_setzero_si256(), all.min(done + ADDED_MAX * 4));
            let mut marks = _mm256_setzero_si256();
            let start = done;
            while done < end {
                // SAFETY: 16 bytes can be read from the third element on.
                let raw = unsafe {
                    let at = run.bytes.as_ptr().add(done * INTEGER);
                    load(at, at.add(2 * INTEGER))
                };
                // Bytes of the elements behind the last one are no more.
                // SAFETY: each has 32 bytes.
                let own = unsafe { _mm256_loadu_si256(LAST[(all - done).min(4)].as_ptr().cast()) };
                let raw = _mm256_and_si256(raw, own);
                marks = _mm256_or_si256(marks, raw);
                limbs = _mm256_add_epi32(limbs, limbs_of_integers(raw));
                done += 4;
            }
            done = done.min(all);
            let parts: [u32; 8] = lanes(limbs);
            high += u64::from(parts[0]) + u64::from(parts[1]) + u64::from(parts[4]) + u64::from(parts[5]);
            low += u64::from(parts[2]) + u64::from(parts[3]) + u64::from(parts[6]) + u64::from(parts[7]);
            if low_bits(marks) & 0x0081_0081 != 0 {
                let elements = &run.bytes[start * INTEGER..done * INTEGER];
                nulls += elements.iter().step_by(INTEGER).filter(|&&mark| mark == super::NULL).count();
            }
        }
        let keys = (i128::from(high) << 24) + i128::from(low) - common(6) as i128 * all as i128;
        (keys, all, nulls)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lanes(vector: __m256i) -> [u32; 8] {
        let mut parts = [0; 8];
        // SAFETY: there is room for 32 bytes.
        unsafe { _mm256_storeu_si256(parts.as_mut_ptr().cast(), vector) };
        parts
    }

    /// As [`sum_integers`], of bigints.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn sum_wide(run: Run<'_>) -> (i128, usize, usize) {
        let all = readable(run, WIDE, 2, 1).min(run.count);
        let mut sums = [0u64; 3];
        let (mut done, mut nulls) = (0, 0);
        while done < all {
            let (mut limbs, end) = (_mm256_setzero_si256(), all.min(done + ADDED_MAX * 2));
            let mut marks = _mm256_setzero_si256();
            let start = done;
            while done < end {
                // SAFETY: 16 bytes can be read from the second element on.
                let mut raw = unsafe {
                    let at = run.bytes.as_ptr().add(done * WIDE);
                    load(at, at.add(WIDE))
                };
                if all - done < 2 {
                    raw = _mm256_and_si256(raw, _mm256_setr_epi64x(-1, -1, 0, 0));
                }
                marks = _mm256_or_si256(marks, raw);
                limbs = _mm256_add_epi32(limbs, limbs_of_wide(raw));
                done += 2;
            }
            done = done.min(all);
            let parts: [u32; 8] = lanes(limbs);
            for limb in 0..3 {
                sums[limb] += u64::from(parts[limb]) + u64::from(parts[4 + limb]);
            }
            if low_bits(marks) & 0x0001_0001 != 0 {
                let elements = &run.bytes[start * WIDE..done * WIDE];
                nulls += elements.iter().step_by(WIDE).filter(|&&mark| mark == super::NULL).count();
            }
        }
        let [high, middle, low] = sums.map(i128::from);
        // A mark is the digit before the others.
        let marks = 2 * all as i128 + nulls as i128;
        let keys = (high << 48) + (middle << 24) + low - (marks << 66) - common(11) as i128 * all as i128;
        (keys, all, nulls)
    }
}
