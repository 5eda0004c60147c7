//! The few vector operations that the loops are made of, for AVX-512 and in portable code, and the choice between them.
//!
//! A loop is written once, generic over [`Simd`], with everything it calls inlined into it. [`run`] has it compiled
//! for AVX-512 with that CPU's masks, for AVX2 by the compiler's own vectorisation, and for any other CPU, and takes
//! the best that this CPU has. A mask has one bit a row, the first row's lowest.

use crate::query::{HandWritten, Row};
use crate::tables::Tables;

/// Rows that most operations take at once: one bit each in a word.
pub(crate) const BLOCK: usize = 64;

/// Vector operations. Implementations exist only where the CPU has what they need.
pub(crate) trait Simd: Copy {
    /// Sums of 64 bits in several lanes.
    type Sums: Copy;

    /// Which values are in `first .. first + count`.
    fn within_u16(self, values: &[u16; BLOCK], first: u16, count: u16) -> u64;
    /// Which values are in `first .. first + count`.
    fn within_u8(self, values: &[u8; BLOCK], first: u8, count: u8) -> u64;
    /// Which values are this one.
    fn equal_u8(self, values: &[u8; BLOCK], value: u8) -> u64;
    /// Where the first is less than the second.
    fn less_u16(self, left: &[u16; BLOCK], right: &[u16; BLOCK]) -> u64;
    /// How many values are less than this one.
    fn count_less_u32(self, values: &[u32; 32], value: u32) -> usize;
    /// Which values are this one.
    fn equal_u32(self, values: &[u32; 16], value: u32) -> u16;
    /// Which values are this one.
    fn equal_u16(self, values: &[u16; 16], value: u16) -> u16;
    /// Where the first is less than the second.
    fn less_u16x16(self, left: &[u16; 16], right: &[u16; 16]) -> u16;

    /// Sums of nothing.
    fn zero(self) -> Self::Sums;
    /// Adds the values that the mask has.
    fn add_u8(self, sums: Self::Sums, mask: u64, values: &[u8; BLOCK]) -> Self::Sums;
    /// Adds the values that the mask has; four of them must not overflow 32 bits.
    fn add_u32(self, sums: Self::Sums, mask: u64, values: &[u32; BLOCK]) -> Self::Sums;
    /// Adds the values that the mask has.
    fn add_u64(self, sums: Self::Sums, mask: u64, values: &[u64; BLOCK]) -> Self::Sums;
    /// All lanes together.
    fn total(self, sums: Self::Sums) -> u64;

    /// Running sums at the ends of runs of equal keys. `next` are the keys one row later. Where a row's key is not
    /// the next row's, the key and the running sum up to this row are appended to `ends`, of which 16 more than
    /// there are rows must fit. `sum` is the running sum before and after. Returns how many were appended.
    fn run_ends(
        self,
        keys: &[u32; 16],
        next: &[u32; 16],
        values: &[u8; 16],
        sum: &mut u32,
        ends: (&mut [u32; 16], &mut [u32; 16]),
    ) -> usize;
}

/// Runs a query's loop, compiled for the best instructions that this CPU has.
pub(crate) fn run<Q: HandWritten>(tables: &Tables) -> Vec<Row> {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::has_avx512() {
            // SAFETY: the CPU has the features.
            return unsafe { x86::run_avx512::<Q>(tables) };
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2") {
            // SAFETY: the CPU has the features (those of Haswell).
            return unsafe { x86::run_avx2::<Q>(tables) };
        }
    }
    run_portable::<Q>(tables)
}

/// Runs a query's loop without any of them.
pub(crate) fn run_portable<Q: HandWritten>(tables: &Tables) -> Vec<Row> {
    Q::run(Portable, tables)
}

/// What [`run`] chooses here, in words.
pub(crate) fn level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::has_avx512() {
            return "AVX-512";
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2") {
            return "AVX2";
        }
    }
    "portable"
}

/// Asks for the memory where a value is or would be, which may be anywhere.
#[inline(always)]
pub(crate) fn prefetch<T>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program can see and never faults, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(value.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Plain loops for the compiler to vectorise.
#[derive(Clone, Copy)]
struct Portable;

/// Packs truths into a word: first into bytes, which vectorises, then eight of them at a time by a multiplication.
#[inline(always)]
fn pack(truth: impl Fn(usize) -> bool) -> u64 {
    let mut bytes = [0u8; BLOCK];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from(truth(at));
    }
    let (eights, _) = bytes.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |word, eight| (word << 8) | bits(eight))
}

#[inline(always)]
fn pack16(truth: impl Fn(usize) -> bool) -> u16 {
    (0..16).fold(0, |mask, at| mask | (u16::from(truth(at)) << at))
}

impl Simd for Portable {
    type Sums = [u64; 8];

    #[inline(always)]
    fn within_u16(self, values: &[u16; BLOCK], first: u16, count: u16) -> u64 {
        pack(|at| values[at].wrapping_sub(first) < count)
    }
    #[inline(always)]
    fn within_u8(self, values: &[u8; BLOCK], first: u8, count: u8) -> u64 {
        pack(|at| values[at].wrapping_sub(first) < count)
    }
    #[inline(always)]
    fn equal_u8(self, values: &[u8; BLOCK], value: u8) -> u64 {
        pack(|at| values[at] == value)
    }
    #[inline(always)]
    fn less_u16(self, left: &[u16; BLOCK], right: &[u16; BLOCK]) -> u64 {
        pack(|at| left[at] < right[at])
    }
    #[inline(always)]
    fn count_less_u32(self, values: &[u32; 32], other: u32) -> usize {
        values.iter().map(|&value| u32::from(value < other)).sum::<u32>() as usize
    }
    #[inline(always)]
    fn equal_u32(self, values: &[u32; 16], value: u32) -> u16 {
        pack16(|at| values[at] == value)
    }
    #[inline(always)]
    fn equal_u16(self, values: &[u16; 16], value: u16) -> u16 {
        pack16(|at| values[at] == value)
    }
    #[inline(always)]
    fn less_u16x16(self, left: &[u16; 16], right: &[u16; 16]) -> u16 {
        pack16(|at| left[at] < right[at])
    }

    #[inline(always)]
    fn zero(self) -> [u64; 8] {
        [0; 8]
    }
    #[inline(always)]
    fn add_u8(self, sums: [u64; 8], mask: u64, values: &[u8; BLOCK]) -> [u64; 8] {
        add_masked(sums, mask, |at| u64::from(values[at]))
    }
    #[inline(always)]
    fn add_u32(self, sums: [u64; 8], mask: u64, values: &[u32; BLOCK]) -> [u64; 8] {
        add_masked(sums, mask, |at| u64::from(values[at]))
    }
    #[inline(always)]
    fn add_u64(self, sums: [u64; 8], mask: u64, values: &[u64; BLOCK]) -> [u64; 8] {
        add_masked(sums, mask, |at| values[at])
    }
    #[inline(always)]
    fn total(self, sums: [u64; 8]) -> u64 {
        sums.iter().sum()
    }

    #[inline(always)]
    fn run_ends(
        self,
        keys: &[u32; 16],
        next: &[u32; 16],
        values: &[u8; 16],
        sum: &mut u32,
        (end_keys, end_sums): (&mut [u32; 16], &mut [u32; 16]),
    ) -> usize {
        let mut ends = 0;
        for at in 0..16 {
            *sum = sum.wrapping_add(u32::from(values[at]));
            end_keys[ends & 15] = keys[at];
            end_sums[ends & 15] = *sum;
            ends += usize::from(keys[at] != next[at]);
        }
        ends
    }
}

#[inline(always)]
fn add_masked(mut sums: [u64; 8], mask: u64, value: impl Fn(usize) -> u64) -> [u64; 8] {
    for at in 0..BLOCK {
        sums[at % 8] += value(at) & 0u64.wrapping_sub((mask >> at) & 1);
    }
    sums
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    //! AVX-512. Every `unsafe` block in here has one of two reasons. *Features*: an [`Avx512`] is only made where
    //! the CPU has the features that the intrinsics need. *Array*: a load or store covers exactly the array that it
    //! is given, and has no alignment to keep.

    use super::{BLOCK, HandWritten, Portable, Row, Simd, Tables};
    use std::arch::x86_64::*;

    pub(super) fn has_avx512() -> bool {
        std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn run_avx512<Q: HandWritten>(tables: &Tables) -> Vec<Row> {
        Q::run(Avx512(()), tables)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn run_avx2<Q: HandWritten>(tables: &Tables) -> Vec<Row> {
        Q::run(Portable, tables)
    }

    /// Proof that the CPU has AVX-512; made by [`run_avx512`] alone.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    /// Vector `part` of an array.
    #[inline(always)]
    fn load<T: Copy, const N: usize>(values: &[T; N], part: usize) -> __m512i {
        assert!((part + 1) * 64 <= size_of::<[T; N]>());
        // SAFETY: features; array: vector `part` lies within, as just checked (at compile time).
        unsafe { _mm512_loadu_si512(values.as_ptr().cast::<__m512i>().add(part)) }
    }

    #[inline(always)]
    fn load256(values: &[u16; 16]) -> __m256i {
        // SAFETY: features; array.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }

    #[inline(always)]
    fn words(low: u32, high: u32) -> u64 {
        u64::from(low) | (u64::from(high) << 32)
    }

    impl Simd for Avx512 {
        type Sums = __m512i;

        #[inline(always)]
        fn within_u16(self, values: &[u16; BLOCK], first: u16, count: u16) -> u64 {
            // SAFETY: features.
            let half = |part| unsafe {
                let offsets = _mm512_sub_epi16(load(values, part), _mm512_set1_epi16(first as i16));
                _mm512_cmplt_epu16_mask(offsets, _mm512_set1_epi16(count as i16))
            };
            words(half(0), half(1))
        }
        #[inline(always)]
        fn within_u8(self, values: &[u8; BLOCK], first: u8, count: u8) -> u64 {
            // SAFETY: features.
            unsafe {
                let offsets = _mm512_sub_epi8(load(values, 0), _mm512_set1_epi8(first as i8));
                _mm512_cmplt_epu8_mask(offsets, _mm512_set1_epi8(count as i8))
            }
        }
        #[inline(always)]
        fn equal_u8(self, values: &[u8; BLOCK], value: u8) -> u64 {
            // SAFETY: features.
            unsafe { _mm512_cmpeq_epu8_mask(load(values, 0), _mm512_set1_epi8(value as i8)) }
        }
        #[inline(always)]
        fn less_u16(self, left: &[u16; BLOCK], right: &[u16; BLOCK]) -> u64 {
            // SAFETY: features.
            let half = |part| unsafe { _mm512_cmplt_epu16_mask(load(left, part), load(right, part)) };
            words(half(0), half(1))
        }
        #[inline(always)]
        fn count_less_u32(self, values: &[u32; 32], value: u32) -> usize {
            // SAFETY: features.
            let half = |part| unsafe { _mm512_cmplt_epu32_mask(load(values, part), _mm512_set1_epi32(value as i32)) };
            (u32::from(half(0)) | (u32::from(half(1)) << 16)).count_ones() as usize
        }
        #[inline(always)]
        fn equal_u32(self, values: &[u32; 16], value: u32) -> u16 {
            // SAFETY: features.
            unsafe { _mm512_cmpeq_epu32_mask(load(values, 0), _mm512_set1_epi32(value as i32)) }
        }
        #[inline(always)]
        fn equal_u16(self, values: &[u16; 16], value: u16) -> u16 {
            // SAFETY: features.
            unsafe { _mm256_cmpeq_epu16_mask(load256(values), _mm256_set1_epi16(value as i16)) }
        }
        #[inline(always)]
        fn less_u16x16(self, left: &[u16; 16], right: &[u16; 16]) -> u16 {
            // SAFETY: features.
            unsafe { _mm256_cmplt_epu16_mask(load256(left), load256(right)) }
        }

        #[inline(always)]
        fn zero(self) -> __m512i {
            // SAFETY: features.
            unsafe { _mm512_setzero_si512() }
        }
        #[inline(always)]
        fn add_u8(self, sums: __m512i, mask: u64, values: &[u8; BLOCK]) -> __m512i {
            // SAFETY: features.
            unsafe {
                let kept = _mm512_maskz_mov_epi8(mask, load(values, 0));
                _mm512_add_epi64(sums, _mm512_sad_epu8(kept, _mm512_setzero_si512()))
            }
        }
        #[inline(always)]
        fn add_u32(self, sums: __m512i, mask: u64, values: &[u32; BLOCK]) -> __m512i {
            // SAFETY: features.
            unsafe {
                let mut four = _mm512_maskz_mov_epi32(mask as u16, load(values, 0));
                for part in 1..4 {
                    four = _mm512_mask_add_epi32(four, (mask >> (16 * part)) as u16, four, load(values, part));
                }
                let odd = _mm512_srli_epi64::<32>(four);
                let even = _mm512_and_si512(four, _mm512_set1_epi64(0xFFFF_FFFF));
                _mm512_add_epi64(sums, _mm512_add_epi64(odd, even))
            }
        }
        #[inline(always)]
        fn add_u64(self, mut sums: __m512i, mask: u64, values: &[u64; BLOCK]) -> __m512i {
            for part in 0..8 {
                // SAFETY: features.
                sums = unsafe { _mm512_mask_add_epi64(sums, (mask >> (8 * part)) as u8, sums, load(values, part)) };
            }
            sums
        }
        #[inline(always)]
        fn total(self, sums: __m512i) -> u64 {
            // SAFETY: features.
            unsafe { _mm512_reduce_add_epi64(sums) as u64 }
        }

        #[inline(always)]
        fn run_ends(
            self,
            keys: &[u32; 16],
            next: &[u32; 16],
            values: &[u8; 16],
            sum: &mut u32,
            (end_keys, end_sums): (&mut [u32; 16], &mut [u32; 16]),
        ) -> usize {
            // SAFETY: features; array.
            unsafe {
                let zero = _mm512_setzero_si512();
                let mut sums = _mm512_cvtepu8_epi32(_mm_loadu_si128(values.as_ptr().cast()));
                // Running sums in four steps: each adds the lanes 1, 2, 4 and 8 places before.
                sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<15>(sums, zero));
                sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<14>(sums, zero));
                sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<12>(sums, zero));
                sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<8>(sums, zero));
                let all = _mm_extract_epi32::<3>(_mm512_extracti32x4_epi32::<3>(sums)) as u32;
                sums = _mm512_add_epi32(sums, _mm512_set1_epi32(*sum as i32));
                *sum = sum.wrapping_add(all);
                let keys = load(keys, 0);
                let ends = _mm512_cmpneq_epu32_mask(keys, load(next, 0));
                _mm512_storeu_si512(end_keys.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(ends, keys));
                _mm512_storeu_si512(end_sums.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(ends, sums));
                ends.count_ones() as usize
            }
        }
    }
}
