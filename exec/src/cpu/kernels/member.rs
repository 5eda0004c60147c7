//! Which of many codes are in a set, which has a bit a code: 64 codes make a word of a mask.
//!
//! With AVX-512, codes that come clustered find their bits in one register. Others gather the halves of words that their bits
//! are in, eight at a time. With VBMI, all bytes of a small set are looked through for all lanes at once.

use crate::cpu::simd::kernel::{prefetch_all, vectorised};
#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
use crate::cpu::simd::prefetch::Prefetcher;

/// Codes that are looked for at once.
pub(crate) const BLOCK: usize = 64;

/// The codes of a block.
pub(crate) type Codes = [u32; BLOCK];

/// Codes that lie in as few cache lines as they can: what has just been written is read at once.
#[repr(align(64))]
pub(crate) struct Aligned(pub(crate) Codes);

/// Appends for every 64 values which of them have a code in the set; behind the last value nothing is. A code without a
/// bit in the set is not in it, and nor is that of the set's last bit.
pub(crate) fn members<T: Copy>(values: &[T], code: impl Fn(T) -> u32 + Copy, set: &[u64], out: &mut Vec<u64>) {
    check(set);
    #[cfg(target_arch = "x86_64")]
    if Level::get() == Level::Avx512 {
        if let Some(tables) = Tables::of(set) {
            // SAFETY: the CPU has the features, VBMI among them, since there are tables.
            return unsafe { members_in_tables(values, code, &tables, out) };
        }
        // SAFETY: the CPU has the features.
        return unsafe { members_512(values, code, set, out) };
    }
    let mask = |codes: &Codes| word(codes, |code| bit(set, code));
    each_block(values, |(codes, block)| vectorised(|| encode(codes, block, code)), mask, out);
}

/// There is a bit for codes that are out of range.
fn check(set: &[u64]) {
    assert!(!set.is_empty(), "a set without bits");
    debug_assert!(set[set.len() - 1] >> 63 == 0, "the last bit stands for codes out of range");
}

/// As [`members`], of the values at some places.
pub(crate) fn members_at<T: Copy + Default>(
    values: &[T],
    places: &[u32],
    code: impl Fn(T) -> u32 + Copy,
    set: &[u64],
    out: &mut Vec<u64>,
) {
    check(set);
    #[cfg(target_arch = "x86_64")]
    if Level::get() == Level::Avx512 {
        if let Some(tables) = Tables::of(set) {
            // SAFETY: the CPU has the features, VBMI among them, since there are tables.
            return unsafe { members_at_in_tables(values, places, code, &tables, out) };
        }
        // SAFETY: the CPU has the features.
        return unsafe { members_at_512(values, places, code, set, out) };
    }
    let mask = |codes: &Codes| word(codes, |code| bit(set, code));
    let mut prefetcher = Prefetcher::of(values, places);
    let pick = |(codes, block): (&mut Codes, &[u32])| {
        prefetch(&mut prefetcher);
        encode(codes, block, |place| code(values[place as usize]));
    };
    each_block(places, pick, mask, out);
}

/// Appends what `mask` gives of the codes of every 64 values. What has no value has the last code of all.
#[inline(always)]
fn each_block<T: Copy>(
    values: &[T],
    mut encode: impl FnMut((&mut Codes, &[T])),
    mask: impl Fn(&Codes) -> u64,
    out: &mut Vec<u64>,
) {
    let (blocks, rest) = values.as_chunks::<BLOCK>();
    let Aligned(codes) = &mut Aligned([u32::MAX; BLOCK]);
    out.extend(blocks.iter().map(|block| {
        prefetch_all(block);
        encode((codes, block));
        mask(codes)
    }));
    if !rest.is_empty() {
        codes.fill(u32::MAX);
        encode((codes, rest));
        out.push(mask(codes));
    }
}

#[inline(always)]
fn encode<T: Copy>(codes: &mut Codes, block: &[T], code: impl Fn(T) -> u32) {
    codes.iter_mut().zip(block).for_each(|(to, &value)| *to = code(value));
}

/// 1 if a code is in the set, 0 if not.
#[inline(always)]
fn bit(set: &[u64], code: u32) -> u64 {
    set.get(code as usize / 64).map_or(0, |word| word >> (code % 64) & 1)
}

/// A bit for each code of a block: what `bit` gives, 0 or 1.
#[inline(always)]
fn word(codes: &Codes, bit: impl Fn(u32) -> u64) -> u64 {
    // Eight bytes in turn, so that no step waits for the one before.
    let mut bytes = [0u64; 8];
    for at in 0..8 {
        for (part, byte) in bytes.iter_mut().enumerate() {
            *byte |= bit(codes[part * 8 + at]) << at;
        }
    }
    (0..8).fold(0, |word, part| word | bytes[part] << (part * 8))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn members_at_512<T: Copy + Default>(
    values: &[T],
    places: &[u32],
    code: impl Fn(T) -> u32 + Copy,
    set: &[u64],
    out: &mut Vec<u64>,
) {
    let mut picked = Picked::of(values, places);
    each_block(places, |block| picked.pick(block, code), |codes| mask_512(codes, set), out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
fn members_in_tables<T: Copy>(values: &[T], code: impl Fn(T) -> u32 + Copy, tables: &Tables, out: &mut Vec<u64>) {
    each_block(values, |(codes, block)| encode(codes, block, code), |codes| mask_in_tables(codes, tables), out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
fn members_at_in_tables<T: Copy + Default>(
    values: &[T],
    places: &[u32],
    code: impl Fn(T) -> u32 + Copy,
    tables: &Tables,
    out: &mut Vec<u64>,
) {
    let mut picked = Picked::of(values, places);
    each_block(places, |block| picked.pick(block, code), |codes| mask_in_tables(codes, tables), out);
}

/// Asks for what the next block of places has.
#[inline(always)]
fn prefetch<T>(prefetcher: &mut Option<Prefetcher<'_, T>>) {
    prefetcher.iter_mut().for_each(|prefetcher| prefetcher.prefetch(BLOCK));
}

/// Values at some places, a block at a time.
#[cfg(target_arch = "x86_64")]
struct Picked<'a, T> {
    values: &'a [T],
    prefetcher: Option<Prefetcher<'a, T>>,
    block: [T; BLOCK],
}

#[cfg(target_arch = "x86_64")]
impl<'a, T: Copy + Default> Picked<'a, T> {
    #[inline(always)]
    fn of(values: &'a [T], places: &'a [u32]) -> Self {
        Picked { values, prefetcher: Prefetcher::of(values, places), block: [T::default(); BLOCK] }
    }

    /// The codes of the next block: one load after the other, then the codes of all at once.
    #[inline(always)]
    fn pick(&mut self, (codes, places): (&mut Codes, &[u32]), code: impl Fn(T) -> u32) {
        prefetch(&mut self.prefetcher);
        self.block.iter_mut().zip(places).for_each(|(to, &place)| *to = self.values[place as usize]);
        encode(codes, &self.block[..places.len()], code);
    }
}

/// Bytes of a set in two registers, from which one instruction takes a byte for each of 64 lanes.
#[cfg(target_arch = "x86_64")]
const TABLE: usize = 128;

/// Tables of a set up to which all of them are looked through: that takes as long as to gather.
#[cfg(target_arch = "x86_64")]
const TABLES_MAX: usize = 12;

/// A small set as tables.
#[cfg(target_arch = "x86_64")]
struct Tables {
    bytes: [[u8; TABLE]; TABLES_MAX],
    count: usize,
}

#[cfg(target_arch = "x86_64")]
impl Tables {
    /// None if the set is too large, or the CPU has not the instruction. The least sets lie in one register anyway.
    fn of(set: &[u64]) -> Option<Self> {
        let count = (set.len() * 8).div_ceil(TABLE);
        if set.len() <= 8 || count > TABLES_MAX || !std::is_x86_feature_detected!("avx512vbmi") {
            return None;
        }
        let mut tables = Tables { bytes: [[0; TABLE]; TABLES_MAX], count };
        let (words, _) = tables.bytes.as_flattened_mut().as_chunks_mut::<8>();
        words.iter_mut().zip(set).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        Some(tables)
    }
}

/// Which codes of a block are in a set of tables.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
fn mask_in_tables(codes: &Codes, tables: &Tables) -> u64 {
    use std::arch::x86_64::*;
    // Codes that are out of range have the last bit of all, which is not set.
    let last = _mm512_set1_epi32((tables.count * TABLE * 8 - 1) as i32);
    let codes: [__m512i; 4] = std::array::from_fn(|part| {
        // SAFETY: a block has four times 16 codes.
        let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().add(part * 16).cast()) };
        _mm512_min_epu32(codes, last)
    });
    let low = bytes_of(codes);
    // A table takes the lowest seven bits of a byte's number.
    let place = bytes_of(codes.map(|codes| _mm512_srli_epi32::<3>(codes)));
    let table = bytes_of(codes.map(|codes| _mm512_srli_epi32::<10>(codes)));
    let mut found = _mm512_setzero_si512();
    for (number, bytes) in tables.bytes[..tables.count].iter().enumerate() {
        // SAFETY: a table has twice 64 bytes.
        let halves = [0, 64].map(|at| unsafe { _mm512_loadu_si512(bytes.as_ptr().add(at).cast()) });
        let here = _mm512_cmpeq_epi8_mask(table, _mm512_set1_epi8(number as i8));
        found = _mm512_mask_mov_epi8(found, here, _mm512_permutex2var_epi8(halves[0], place, halves[1]));
    }
    _mm512_test_epi8_mask(found, bits_of(low))
}

/// The lowest bytes of four times 16 lanes.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn bytes_of(lanes: [std::arch::x86_64::__m512i; 4]) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::_mm512_cvtepi32_epi8;
    join(lanes.map(|lanes| _mm512_cvtepi32_epi8(lanes)))
}

/// Four times 16 bytes.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn join(parts: [std::arch::x86_64::__m128i; 4]) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::{_mm512_castsi128_si512, _mm512_inserti64x2};
    let low = _mm512_inserti64x2::<1>(_mm512_castsi128_si512(parts[0]), parts[1]);
    _mm512_inserti64x2::<3>(_mm512_inserti64x2::<2>(low, parts[2]), parts[3])
}

/// For each byte the one that has only the bit that the lowest three bits of it say.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bits_of(low: std::arch::x86_64::__m512i) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::{_mm512_and_si512, _mm512_set1_epi8, _mm512_set1_epi64, _mm512_shuffle_epi8};
    let bits = _mm512_set1_epi64(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
    _mm512_shuffle_epi8(bits, _mm512_and_si512(low, _mm512_set1_epi8(7)))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn members_512<T: Copy>(values: &[T], code: impl Fn(T) -> u32 + Copy, set: &[u64], out: &mut Vec<u64>) {
    each_block(values, |(codes, block)| encode(codes, block, code), |codes| mask_512(codes, set), out);
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn mask_512(codes: &Codes, set: &[u64]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: a block has four times 16 codes.
    let codes: [__m512i; 4] =
        std::array::from_fn(|part| unsafe { _mm512_loadu_si512(codes.as_ptr().add(part * 16).cast()) });
    // Halves of words: from the first code's on 16 of them, or the last 16 that there are.
    let halves = u32::try_from(set.len() * 2).unwrap_or(u32::MAX);
    let first = (_mm_cvtsi128_si32(_mm512_castsi512_si128(codes[0])) as u32 / 32).min(halves.saturating_sub(16));
    let near = codes.map(|codes| _mm512_sub_epi32(_mm512_srli_epi32::<5>(codes), _mm512_set1_epi32(first as i32)));
    let farthest = _mm512_max_epu32(_mm512_max_epu32(near[0], near[1]), _mm512_max_epu32(near[2], near[3]));
    if _mm512_cmplt_epu32_mask(farthest, _mm512_set1_epi32(16)) == u16::MAX {
        let there = if halves < 16 { (1 << halves) - 1 } else { u16::MAX };
        // SAFETY: only halves that are there are read.
        let window = unsafe { _mm512_maskz_loadu_epi32(there, set.as_ptr().cast::<i32>().add(first as usize)) };
        let one = _mm512_set1_epi32(1);
        return (0..4).fold(0, |word, part| {
            let found = _mm512_permutexvar_epi32(near[part], window);
            // A rotation by a code counts the lowest five bits of it only.
            let bits = _mm512_rolv_epi32(one, codes[part]);
            word | u64::from(_mm512_test_epi32_mask(found, bits)) << (part * 16)
        });
    }
    // Codes that are out of range have the last bit of all.
    let last = _mm512_set1_epi32(u32::try_from(set.len() as u64 * 64 - 1).unwrap_or(u32::MAX) as i32);
    let one = _mm256_set1_epi32(1);
    (0..4).fold(0, |word, part| {
        let codes = _mm512_min_epu32(codes[part], last);
        let halves = [_mm512_castsi512_si256(codes), _mm512_extracti64x4_epi64::<1>(codes)];
        let found = halves.map(|codes| {
            // SAFETY: the half of a word that a code is in is there, since the code is none behind the last.
            let found = unsafe { _mm256_i32gather_epi32::<4>(set.as_ptr().cast(), _mm256_srli_epi32::<5>(codes)) };
            u64::from(_mm256_test_epi32_mask(found, _mm256_rolv_epi32(one, codes)))
        });
        word | (found[0] | found[1] << 8) << (part * 16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_the_codes_whose_bits_are_set() {
        for size in [1, 64, 400, 511, 512, 1_000, 5_000, 12_287, 12_288, 100_000, 1 << 20] {
            let step = if size > 100_000 { 1 << 12 } else { 1 + size % 5 };
            let mut set = vec![0u64; size / 64 + 1];
            (0..size).step_by(step).for_each(|code| set[code / 64] |= 1 << (code % 64));
            // Clustered, spread, falling, and with some that are out of range.
            let patterns: [fn(usize, usize) -> usize; 5] = [
                |at, _| at / 3,
                |at, size| at * 7_919 % (size + 1),
                |at, size| size - at.min(size),
                |at, size| if at % 40 == 0 { size } else { at * 4 },
                |at, size| if at % 50 == 7 { u32::MAX as usize } else { at * at % size },
            ];
            for pattern in patterns {
                for (start, len) in [(0, 64), (size / 2, 1), (size.saturating_sub(300), 63), (size / 3, 0), (0, 1000)] {
                    let codes: Vec<u32> = (0..len).map(|at| (start + pattern(at, size)) as u32).collect();
                    let expected = |from: usize| {
                        let codes = codes[from..].iter().take(64).enumerate();
                        codes.fold(0, |word, (at, &code)| word | bit(&set, code) << at)
                    };
                    let expected: Vec<u64> = (0..len).step_by(64).map(expected).collect();
                    let mut words = vec![7];
                    members(&codes, |code| code, &set, &mut words);
                    assert_eq!(words[1..], expected, "{size} codes, every {step}th, from {start}");
                    let places: Vec<u32> = (0..len as u32).rev().collect();
                    let falling: Vec<u32> = codes.iter().rev().copied().collect();
                    let mut words = Vec::new();
                    members_at(&falling, &places, |code| code, &set, &mut words);
                    assert_eq!(words, expected, "{size} codes, every {step}th, from {start}, from behind");
                }
            }
        }
    }

    #[test]
    fn words_have_the_bits_of_their_codes() {
        let codes: Codes = std::array::from_fn(|at| (at * at % 7) as u32);
        let expected = (0..BLOCK).fold(0, |word, at| word | u64::from(codes[at] & 1) << at);
        assert_eq!(word(&codes, |code| u64::from(code & 1)), expected);
    }
}
