//! Sums of runs: the values of a vector summed up to each end of a run, in one pass and without a vector of all running sums.

use crate::cpu::simd::kernel::kernel;
#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
use crate::cpu::vector::bitmap::each_one;

/// A value, or an offset of a column's values, of which runs are summed.
pub(crate) trait RunValue: Copy {
    /// Appends the sums of the values up to and with each one that has a bit, modulo 2³².
    fn sums_at(values: &[Self], ends: &[u64], totals: &mut Vec<i32>);
}

macro_rules! run_value {
    ($type:ty, $avx512:ident, |$from:ident| $load:expr) => {
        impl RunValue for $type {
            fn sums_at(values: &[$type], ends: &[u64], totals: &mut Vec<i32>) {
                #[cfg(target_arch = "x86_64")]
                if Level::get() == Level::Avx512 {
                    // SAFETY: the CPU has the features.
                    return unsafe { $avx512(values, ends, totals) };
                }
                sums_at(values, ends, 0, totals);
            }
        }

        /// Source: the scan of Hillis and Steele (Data Parallel Algorithms, 1986) in a register, and the total of those before.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
        fn $avx512(values: &[$type], ends: &[u64], totals: &mut Vec<i32>) {
            use std::arch::x86_64::*;
            let (blocks, rest) = values.as_chunks::<64>();
            let count: usize = ends.iter().map(|word| word.count_ones() as usize).sum();
            totals.reserve(count + 16);
            let (zero, last, before) = (_mm512_setzero_si512(), _mm512_set1_epi32(15), totals.len());
            let mut total = zero;
            let mut done = before;
            for (block, &word) in blocks.iter().zip(ends) {
                for part in 0..4 {
                    let $from = block[part * 16..].as_ptr();
                    // SAFETY: 16 of the 64 values begin here.
                    let mut sums = unsafe { $load };
                    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<15>(sums, zero));
                    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<14>(sums, zero));
                    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<12>(sums, zero));
                    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<8>(sums, zero));
                    let ends = (word >> (part * 16)) as u16;
                    let chosen = _mm512_maskz_compress_epi32(ends, _mm512_add_epi32(sums, total));
                    // SAFETY: `done` is at most what was there and the ends until now, and there is room for 16 more.
                    unsafe { _mm512_storeu_si512(totals.as_mut_ptr().add(done).cast(), chosen) };
                    done += ends.count_ones() as usize;
                    total = _mm512_add_epi32(total, _mm512_permutexvar_epi32(last, sums));
                }
            }
            // SAFETY: so many have been written.
            unsafe { totals.set_len(done) };
            sums_at(rest, &ends[blocks.len()..], _mm_cvtsi128_si32(_mm512_castsi512_si128(total)), totals);
        }
    };
}

run_value!(u8, sums_at_8, |from| _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast())));
run_value!(u16, sums_at_16, |from| _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast())));
run_value!(i32, sums_at_32, |from| _mm512_loadu_si512(from.cast()));

/// A value as what is summed.
trait Widened: Copy {
    fn widened(self) -> i32;
}

impl Widened for u8 {
    fn widened(self) -> i32 {
        self.into()
    }
}

impl Widened for u16 {
    fn widened(self) -> i32 {
        self.into()
    }
}

impl Widened for i32 {
    fn widened(self) -> i32 {
        self
    }
}

/// As [`RunValue::sums_at`], of values behind ones with this sum.
fn sums_at<T: Widened>(values: &[T], ends: &[u64], mut total: i32, totals: &mut Vec<i32>) {
    for (values, &word) in values.chunks(64).zip(ends) {
        let mut next = 0;
        each_one(word, |at| {
            total = values[next..=at].iter().fold(total, |total, value| total.wrapping_add(value.widened()));
            totals.push(total);
            next = at + 1;
        });
        total = values[next..].iter().fold(total, |total, value| total.wrapping_add(value.widened()));
    }
}

kernel! {
    /// Adds to each sum the difference between its total and the one before, as of [`RunValue::sums_at`], which fits 32 bits,
    /// times the step; and `base` for each value of its run, by where runs end.
    pub(crate) fn add_differences[](totals: &[i32], ends: &[u32], base: i64, step: i64, sums: &mut [i64]) {
        let add = |sum: &mut i64, (total, before): (i32, i32), rows: u32| {
            let own = step.wrapping_mul(total.wrapping_sub(before).into());
            *sum = sum.wrapping_add(own).wrapping_add(base.wrapping_mul(i64::from(rows)));
        };
        let ([first, sums @ ..], [total, totals_next @ ..], [end, ends_next @ ..]) = (sums, totals, ends) else { return };
        add(first, (*total, 0), *end);
        let each = sums.iter_mut().zip(totals_next.iter().zip(totals)).zip(ends_next.iter().zip(ends));
        each.for_each(|((sum, (&total, &before)), (&end, &start))| add(sum, (total, before), end - start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::bitmap::Bitmap;

    fn check<T: RunValue + Widened>(values: &[T], is_end: impl Fn(usize) -> bool) {
        let mut ends = Bitmap::default();
        ends.fill(values.len(), |at| is_end(at) || at + 1 == values.len());
        let (mut total, mut expected) = (0i32, vec![7]);
        for (at, value) in values.iter().enumerate() {
            total = total.wrapping_add(value.widened());
            if ends.get(at) {
                expected.push(total);
            }
        }
        let mut totals = vec![7];
        T::sums_at(values, ends.words(), &mut totals);
        assert_eq!(totals, expected, "{} values", values.len());
        let mut positions = Vec::new();
        ends.push_positions(&mut positions);
        positions.iter_mut().for_each(|end| *end += 1);
        let (mut sums, mut before) = (vec![5; positions.len()], 0);
        add_differences(&totals[1..], &positions, -3, 10, &mut sums);
        for ((sum, &end), pair) in sums.iter().zip(&positions).zip(expected.windows(2)) {
            let before_all = if before == 0 { 0 } else { pair[0] };
            assert_eq!(*sum, 5 + 10 * i64::from(pair[1].wrapping_sub(before_all)) - 3 * i64::from(end - before));
            before = end;
        }
    }

    #[test]
    fn totals_are_those_up_to_each_end() {
        for len in [0, 1, 15, 16, 17, 63, 64, 65, 1_000] {
            for each in [1, 2, 5, 64, 300] {
                let is_end = |at: usize| at % each == each - 1 || at % 97 == 3;
                check(&(0..len).map(|at| (at * 37) as u8).collect::<Vec<_>>(), is_end);
                check(&(0..len).map(|at| (at * 7_919) as u16).collect::<Vec<_>>(), is_end);
                check(&vec![u16::MAX; len], is_end);
                check(&(0..len).map(|at| (at as i32).wrapping_mul(-7_919_000)).collect::<Vec<_>>(), is_end);
                check(&vec![i32::MIN; len], is_end);
            }
        }
    }
}
