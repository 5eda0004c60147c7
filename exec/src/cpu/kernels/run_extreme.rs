//! The least or the greatest value of each run, in one pass and without a loop a run.

#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
use crate::cpu::vector::bitmap::each_one;

/// Appends the greatest value of each run, or with `flip` of all ones the least: the values of a run are those behind the run
/// before, up to and with the one that has a bit. The last value has one.
pub(crate) fn greatest_at(values: &[i32], flip: i32, ends: &[u64], found: &mut Vec<i32>) {
    #[cfg(target_arch = "x86_64")]
    if Level::get() == Level::Avx512 {
        // SAFETY: the CPU has the features.
        return unsafe { greatest_at_512(values, flip, ends, found) };
    }
    greatest_behind(values, flip, ends, i32::MIN, found);
}

/// As [`greatest_at`], of values behind some of the same run, of which this is the greatest, flipped.
fn greatest_behind(values: &[i32], flip: i32, ends: &[u64], mut greatest: i32, found: &mut Vec<i32>) {
    let of = |values: &[i32], first| values.iter().fold(first, |greatest: i32, &value| greatest.max(value ^ flip));
    for (values, &word) in values.chunks(64).zip(ends) {
        let mut next = 0;
        each_one(word, |at| {
            found.push(of(&values[next..=at], greatest) ^ flip);
            (greatest, next) = (i32::MIN, at + 1);
        });
        greatest = of(&values[next..], greatest);
    }
}

/// Source: the scan of Hillis and Steele (Data Parallel Algorithms, 1986) in a register, which borders of runs stop.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
fn greatest_at_512(values: &[i32], flip: i32, ends: &[u64], found: &mut Vec<i32>) {
    use std::arch::x86_64::*;
    let (blocks, rest) = values.as_chunks::<64>();
    let count: usize = ends.iter().map(|word| word.count_ones() as usize).sum();
    found.reserve(count + 16);
    let (flips, least, last) = (_mm512_set1_epi32(flip), _mm512_set1_epi32(i32::MIN), _mm512_set1_epi32(15));
    let (mut before, mut before_ends, mut done) = (least, 1u16, found.len());
    for (block, &word) in blocks.iter().zip(ends) {
        for part in 0..4 {
            // SAFETY: 16 of the 64 values begin here.
            let mut all = unsafe { _mm512_loadu_si512(block[part * 16..].as_ptr().cast()) };
            all = _mm512_xor_si512(all, flips);
            let ends = (word >> (part * 16)) as u16;
            let begins = ends << 1 | before_ends;
            // Which lanes belong to the run of the lane before, of the two before, and so on.
            let one = !begins;
            let two = one & one << 1;
            let four = two & two << 2;
            let eight = four & four << 4;
            all = _mm512_mask_max_epi32(all, one, all, _mm512_alignr_epi32::<15>(all, least));
            all = _mm512_mask_max_epi32(all, two, all, _mm512_alignr_epi32::<14>(all, least));
            all = _mm512_mask_max_epi32(all, four, all, _mm512_alignr_epi32::<12>(all, least));
            all = _mm512_mask_max_epi32(all, eight, all, _mm512_alignr_epi32::<8>(all, least));
            // Those before the first border go on with the run of the values before.
            let goes_on = begins.wrapping_sub(1) & !begins;
            all = _mm512_mask_max_epi32(all, goes_on, all, before);
            let chosen = _mm512_maskz_compress_epi32(ends, _mm512_xor_si512(all, flips));
            // SAFETY: `done` is at most what was there and the ends until now, and there is room for 16 more.
            unsafe { _mm512_storeu_si512(found.as_mut_ptr().add(done).cast(), chosen) };
            done += ends.count_ones() as usize;
            (before, before_ends) = (_mm512_permutexvar_epi32(last, all), ends >> 15);
        }
    }
    // SAFETY: so many have been written.
    unsafe { found.set_len(done) };
    let greatest = if before_ends == 1 { i32::MIN } else { _mm_cvtsi128_si32(_mm512_castsi512_si128(before)) };
    greatest_behind(rest, flip, &ends[blocks.len()..], greatest, found);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::bitmap::Bitmap;

    fn check(values: &[i32], is_end: impl Fn(usize) -> bool) {
        let mut ends = Bitmap::default();
        ends.fill(values.len(), |at| is_end(at) || at + 1 == values.len());
        let (mut greatest, mut least) = (vec![7], vec![7]);
        let mut start = 0;
        for at in (0..values.len()).filter(|&at| ends.get(at)) {
            greatest.extend(values[start..=at].iter().max());
            least.extend(values[start..=at].iter().min());
            start = at + 1;
        }
        for (flip, expected) in [(0, greatest), (-1, least)] {
            let (mut found, mut portable) = (vec![7], vec![7]);
            greatest_at(values, flip, ends.words(), &mut found);
            assert_eq!(found, expected, "{} values, flipped by {flip}", values.len());
            greatest_behind(values, flip, ends.words(), i32::MIN, &mut portable);
            assert_eq!(portable, expected);
        }
    }

    #[test]
    fn runs_have_their_extremes() {
        for len in [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1_000] {
            for each in [1, 2, 3, 5, 9, 16, 17, 64, 300] {
                let is_end = |at: usize| at % each == each - 1 || at % 97 == 3;
                check(&(0..len).map(|at| (at as i32).wrapping_mul(-1_640_531_527)).collect::<Vec<_>>(), is_end);
                check(&(0..len as i32).collect::<Vec<_>>(), is_end);
                check(&(0..len as i32).rev().collect::<Vec<_>>(), is_end);
                check(&vec![i32::MIN; len], is_end);
                check(&vec![i32::MAX; len], is_end);
            }
        }
    }
}
