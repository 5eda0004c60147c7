//! The search for a string in many bytes: two of its bytes are looked for at their distance at 64 places at once, and what
//! is left is compared as a whole. Which two decides how much is left: in a long text those that are seldom together at
//! its beginning, else those that are rare in texts.
//!
//! Source: the generic SIMD algorithm of Muła (SIMD-friendly algorithms for substring searching, 2016). Without AVX-512,
//! memchr's memmem does it, which begins anew behind every hit, and whose choice of rare bytes it is.
//!
//! A string may have places at which any byte stands, as `_` of LIKE does in ASCII: the two bytes are then looked for among
//! the others, and memmem looks for the longest run of these.

#[cfg(target_arch = "x86_64")]
use crate::cpu::simd::level::Level;
#[cfg(target_arch = "x86_64")]
use memchr::arch::all::packedpair::Pair;
use memchr::memmem::Finder;

/// A string to be searched for.
pub(crate) struct Needle {
    /// Its bytes; zero at a place of any byte.
    bytes: Box<[u8]>,
    /// Of a string with places of any byte: which bits of its bytes count.
    counts: Option<Box<[u8]>>,
    /// What memmem looks for, and where that begins in the string.
    finder: Finder<'static>,
    found_at: usize,
    /// Where two rare bytes of it are; a string of less than two has none.
    #[cfg(target_arch = "x86_64")]
    pair: Option<[usize; 2]>,
    /// Its first eight bytes, and which bits of them count.
    head: [u64; 2],
}

impl Needle {
    /// This string.
    pub(crate) fn new(text: &str) -> Self {
        Needle::of(&text.bytes().map(Some).collect::<Vec<_>>())
    }

    /// These bytes; any byte for None.
    pub(crate) fn of(pattern: &[Option<u8>]) -> Self {
        let bytes: Box<[u8]> = pattern.iter().map(|byte| byte.unwrap_or(0)).collect();
        let counts: Box<[u8]> = pattern.iter().map(|byte| if byte.is_some() { u8::MAX } else { 0 }).collect();
        let runs = pattern.chunk_by(|a, b| a.is_some() == b.is_some()).scan(0, |start, run| {
            *start += run.len();
            Some((*start - run.len(), run))
        });
        let longest = runs.filter(|(_, run)| run[0].is_some()).max_by_key(|(_, run)| run.len());
        let (found_at, found) = longest.map_or((0, 0..0), |(start, run)| (start, start..start + run.len()));
        Needle {
            finder: Finder::new(&bytes[found]).into_owned(),
            found_at,
            #[cfg(target_arch = "x86_64")]
            pair: rare(pattern),
            head: [word(&bytes), word(&counts)],
            counts: counts.contains(&0).then_some(counts),
            bytes,
        }
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether bytes begin with it.
    #[inline]
    pub(crate) fn starts(&self, bytes: &[u8]) -> bool {
        let Some(own) = bytes.get(..self.len()) else { return false };
        let [head, mask] = self.head;
        match (bytes.first_chunk(), &self.counts) {
            // Nothing is not compared: its bytes are nowhere, and to read nothing there takes long.
            _ if own.is_empty() => true,
            (Some(eight), _) if own.len() <= eight.len() => (u64::from_le_bytes(*eight) ^ head) & mask == 0,
            (_, None) => *own == *self.bytes,
            (_, Some(counts)) => {
                let differ = |((&byte, &expected), &counts): ((&u8, &u8), &u8)| (byte ^ expected) & counts;
                own.iter().zip(&self.bytes).zip(counts).fold(0, |all, each| all | differ(each)) == 0
            }
        }
    }

    /// Whether it begins at a place. Its first bytes, which are one number, tell that nearly always.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn begins(&self, bytes: &[u8], at: usize) -> Begins {
        let Some(eight) = bytes[at..].first_chunk() else {
            return if self.starts(&bytes[at..]) { Begins::There } else { Begins::Not };
        };
        let [head, mask] = self.head;
        match (u64::from_le_bytes(*eight) ^ head) & mask == 0 {
            false => Begins::Not,
            true if self.len() <= eight.len() || self.starts(&bytes[at..]) => Begins::There,
            true => Begins::Nearly,
        }
    }

    /// The first place where it begins.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        if self.bytes.is_empty() {
            return Some(0);
        }
        let mut first = None;
        self.each(bytes, |at| {
            first = Some(at);
            bytes.len()
        });
        first
    }

    /// Gives the first place where it begins, then the next one at or behind the place that `each` answers, which lies
    /// further on, and so on. Not for a string of no bytes, or of any.
    #[inline]
    pub(crate) fn each(&self, bytes: &[u8], mut each: impl FnMut(usize) -> usize) {
        let mut from = 0;
        #[cfg(target_arch = "x86_64")]
        if let Some(mut pair) = self.pair
            && Level::get() == Level::Avx512
        {
            if bytes.len() > 32 * SAMPLE {
                // SAFETY: the CPU has the features.
                pair = unsafe { seldom_together(&bytes[..SAMPLE], self, pair) };
            }
            // SAFETY: the CPU has the features.
            from = unsafe { each_512(bytes, self, pair, &mut each) };
        }
        while let Some(at) = bytes.get(from + self.found_at..).and_then(|rest| self.finder.find(rest)) {
            let at = from + at;
            from = if self.counts.is_none() || self.starts(&bytes[at..]) { each(at) } else { at + 1 };
        }
    }
}

/// Whether a string begins at a place.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Not,
    /// No, which took a look at more than its first bytes.
    Nearly,
    There,
}

/// Two bytes of a string that are looked for at their distance.
#[cfg(target_arch = "x86_64")]
struct RareBytes<'n> {
    needle: &'n Needle,
    at: [usize; 2],
    bytes: [std::arch::x86_64::__m512i; 2],
}

#[cfg(target_arch = "x86_64")]
impl<'n> RareBytes<'n> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    fn new(needle: &'n Needle, at: [usize; 2]) -> Self {
        let bytes = at.map(|at| std::arch::x86_64::_mm512_set1_epi8(needle.bytes[at] as i8));
        RareBytes { needle, at, bytes }
    }

    /// How many places there are at which the string may begin.
    #[inline(always)]
    fn places(&self, bytes: &[u8]) -> usize {
        (bytes.len() + 1).saturating_sub(self.needle.len())
    }

    /// At which of the 64 places from one on they are.
    ///
    /// # Safety
    /// All 64 must be places at which the string may begin.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    unsafe fn found(&self, bytes: &[u8], start: usize) -> u64 {
        use std::arch::x86_64::{_mm512_cmpeq_epi8_mask, _mm512_loadu_si512, _mm512_mask_cmpeq_epi8_mask};
        // SAFETY: a string that begins at a place has both bytes.
        let lanes = self.at.map(|at| unsafe { _mm512_loadu_si512(bytes.as_ptr().add(start + at).cast()) });
        _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(lanes[0], self.bytes[0]), lanes[1], self.bytes[1])
    }

    /// The same, of the last places, fewer than 64.
    ///
    /// # Safety
    /// There must be a place, and no 64 of them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    unsafe fn found_last(&self, bytes: &[u8], start: usize) -> u64 {
        use std::arch::x86_64::{_mm512_mask_cmpeq_epi8_mask, _mm512_maskz_loadu_epi8};
        let there = (1 << (self.places(bytes) - start)) - 1;
        // SAFETY: a string that begins at a place has both bytes, and only those of such places are read.
        let lanes = self.at.map(|at| unsafe { _mm512_maskz_loadu_epi8(there, bytes.as_ptr().add(start + at).cast()) });
        let found = _mm512_mask_cmpeq_epi8_mask(there, lanes[0], self.bytes[0]);
        _mm512_mask_cmpeq_epi8_mask(found, lanes[1], self.bytes[1])
    }

    /// Goes on from a place to 64 of which the bytes are at some, which are given, too; or to the end.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    fn next(&self, bytes: &[u8], mut start: usize) -> (usize, u64) {
        let places = self.places(bytes);
        while start + 64 <= places {
            crate::cpu::simd::kernel::prefetch(bytes[start..].as_ptr());
            // SAFETY: there are 64 places.
            let found = unsafe { self.found(bytes, start) };
            if found != 0 {
                return (start, found);
            }
            start += 64;
        }
        if start >= places {
            return (start, 0);
        }
        // SAFETY: there are places, and the loop has left fewer than 64.
        (start, unsafe { self.found_last(bytes, start) })
    }
}

/// Does as [`Needle::each`], and gives the end; or, where whole comparisons in vain have taken more than the search, a place
/// from which it should go on in another way.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn each_512(bytes: &[u8], needle: &Needle, pair: [usize; 2], each: &mut impl FnMut(usize) -> usize) -> usize {
    let rare = RareBytes::new(needle, pair);
    let places = rare.places(bytes);
    let (mut start, mut from, mut in_vain) = (0, 0, 0);
    while start < places {
        if in_vain > SAMPLE + start {
            return from.max(start);
        }
        let (block, mut found) = rare.next(bytes, start);
        while found != 0 {
            let at = block + found.trailing_zeros() as usize;
            found &= found - 1;
            if at < from {
                continue;
            }
            match needle.begins(bytes, at) {
                Begins::Not => continue,
                Begins::Nearly => {
                    in_vain += needle.len();
                    continue;
                }
                Begins::There => from = each(at),
            }
            if from >= places {
                return from;
            }
        }
        start = block + 64;
    }
    bytes.len()
}

/// Bytes of a long text that are looked at before it is searched.
#[cfg(target_arch = "x86_64")]
const SAMPLE: usize = 4096;

/// Bytes of a string of which two are looked for: the first ones, and two that are rare in texts.
#[cfg(target_arch = "x86_64")]
const CHOICE: usize = 8;

/// How many bytes of a string are looked at for two that are rare.
#[cfg(target_arch = "x86_64")]
const LOOKED_AT: usize = 256;

/// Where the two bytes of a string are that are together at their distance most seldom in a text. `rare` is where the two
/// rarest of the string's first 256 are.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
fn seldom_together(text: &[u8], needle: &Needle, rare: [usize; 2]) -> [usize; 2] {
    use std::arch::x86_64::{_mm512_cmpeq_epi8_mask, _mm512_loadu_si512, _mm512_set1_epi8};
    let counts = |at: &usize| needle.counts.as_ref().is_none_or(|counts| counts[*at] != 0);
    let first = (0..needle.len().min(LOOKED_AT)).filter(|at| !rare.contains(at) && counts(at));
    let choice: Vec<usize> = rare.into_iter().chain(first).take(CHOICE).collect();
    let mut together = [[0; CHOICE]; CHOICE];
    for block in text.windows(64 + LOOKED_AT).step_by(64) {
        let mut found = [0; CHOICE];
        for (found, &at) in found.iter_mut().zip(&choice) {
            // SAFETY: none of them is further than 255, so 64 bytes from it on lie in the block.
            let lanes = unsafe { _mm512_loadu_si512(block.as_ptr().add(at).cast()) };
            *found = _mm512_cmpeq_epi8_mask(lanes, _mm512_set1_epi8(needle.bytes[at] as i8));
        }
        for second in 1..choice.len() {
            for first in 0..second {
                together[first][second] += (found[first] & found[second]).count_ones();
            }
        }
    }
    let pairs = (1..choice.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
    let seldom = pairs.min_by_key(|&(first, second)| together[first][second]);
    seldom.map_or(rare, |(first, second)| [choice[first], choice[second]])
}

/// How many of some increasing numbers are at most this one, as far as all before them are; 16 at a time.
pub(crate) fn up_to(numbers: &[[i32; 16]], most: i32) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Level::get() == Level::Avx512 {
        // SAFETY: the CPU has the features.
        return unsafe { up_to_512(numbers, most) };
    }
    let mut count = 0;
    for sixteen in numbers {
        let own = sixteen.iter().filter(|&&number| number <= most).count();
        count += own;
        if own < sixteen.len() {
            break;
        }
    }
    count
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,bmi1,popcnt")]
fn up_to_512(numbers: &[[i32; 16]], most: i32) -> usize {
    use std::arch::x86_64::{_mm512_cmple_epi32_mask, _mm512_loadu_si512, _mm512_set1_epi32};
    let mut count = 0;
    for sixteen in numbers {
        // SAFETY: there are 16 of them.
        let own =
            unsafe { _mm512_cmple_epi32_mask(_mm512_loadu_si512(sixteen.as_ptr().cast()), _mm512_set1_epi32(most)) };
        count += own.count_ones() as usize;
        if own != u16::MAX {
            break;
        }
    }
    count
}

/// Where two of the first bytes of a string are that are rare in texts; none where there are not two.
#[cfg(target_arch = "x86_64")]
fn rare(pattern: &[Option<u8>]) -> Option<[usize; 2]> {
    let (places, bytes): (Vec<usize>, Vec<u8>) =
        pattern.iter().take(LOOKED_AT).enumerate().filter_map(|(place, byte)| Some((place, (*byte)?))).unzip();
    let pair = Pair::new(&bytes)?;
    Some([pair.index1(), pair.index2()].map(|index| places[usize::from(index)]))
}

/// The first eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places that [`Needle::each`] gives if it goes on `step` further.
    fn places(text: &str, needle: &str, step: usize) -> Vec<usize> {
        let mut places = Vec::new();
        Needle::new(needle).each(text.as_bytes(), |at| {
            places.push(at);
            at + step
        });
        places
    }

    #[test]
    fn numbers_are_counted_up_to_one() {
        for len in [0, 1, 16, 17, 64, 100] {
            let numbers: Vec<i32> = (0..len).map(|at| at * 3 + at % 2).collect();
            let (sixteens, _) = numbers.as_chunks();
            for most in [-1, 0, 1, 2, 45, 46, 47, 48, 49, i32::MAX].into_iter().chain(0..len * 3) {
                assert_eq!(up_to(sixteens, most), sixteens.as_flattened().partition_point(|&number| number <= most));
            }
        }
    }

    #[test]
    fn any_byte_is_found_in_its_places() {
        let text = "xaabyab_acbaxxxxb".repeat(30) + "a-b" + &"é".repeat(70) + "aXXXXXXXXXXXXb" + &"0".repeat(600) + "a";
        for pattern in
            ["a_b", "_a", "a_", "__b_", "a____________b", "_", "ab", "b_a", "a", "x__________________________b"]
        {
            let pattern: Vec<_> = pattern.bytes().map(|byte| (byte != b'_').then_some(byte)).collect();
            let needle = Needle::of(&pattern);
            let is = |at: usize| {
                text.as_bytes().get(at..at + pattern.len()).is_some_and(|bytes| {
                    bytes.iter().zip(&pattern).all(|(byte, expected)| expected.is_none_or(|expected| expected == *byte))
                })
            };
            assert!((0..text.len()).all(|at| needle.starts(&text.as_bytes()[at..]) == is(at)));
            if pattern.iter().all(Option::is_none) {
                continue;
            }
            let mut found = Vec::new();
            needle.each(text.as_bytes(), |at| {
                found.push(at);
                at + 1
            });
            assert_eq!(found, (0..text.len()).filter(|&at| is(at)).collect::<Vec<_>>(), "{pattern:?}");
        }
        let far: Vec<_> = [Some(b'0')].into_iter().chain([None; 300]).chain([Some(b'a')]).collect();
        assert_eq!(Needle::of(&far).find(text.as_bytes()), Some(text.len() - 302));
    }

    #[test]
    fn every_place_is_found_once() {
        // Long enough for a look at its beginning, too.
        let much = "the quick brown fox ".repeat(10_000) + "jumps";
        for (needle, count) in [("jumps", 1), ("fox the", 9_999), ("qui", 10_000), ("kk", 0), (" b", 10_000)] {
            assert_eq!(places(&much, needle, 1), much.match_indices(needle).map(|(at, _)| at).collect::<Vec<_>>());
            assert_eq!(places(&much, needle, 1).len(), count);
        }
        // Nearly there at every place: the search goes on in another way.
        let alike = "a".repeat(300_000) + "b";
        let needle = "a".repeat(3_000) + "b";
        assert_eq!(Needle::new(&needle).find(alike.as_bytes()), Some(297_000));
        assert_eq!(Needle::new(&(needle + "c")).find(alike.as_bytes()), None);
        let long = "ab".repeat(70) + "abc" + &"aa".repeat(80) + "ß" + &"xyz".repeat(30);
        let mut needles: Vec<&str> =
            vec!["", "a", "c", "ab", "aa", "abc", "ba", "bab", "aß", "ß", "zx", "yzxyzxyzx", "nothing"];
        needles.extend([&long[..long.len() / 4], &long]);
        for end in [0, 1, 2, 63, 64, 65, 127, 128, 129, 140, 143, 200, long.len()] {
            for text in [&long[..end], &long[long.len() - end.min(90)..]] {
                for needle in &needles {
                    assert_eq!(Needle::new(needle).find(text.as_bytes()), text.find(needle));
                    if needle.is_empty() {
                        continue;
                    }
                    for step in [1, 2, 64, 100] {
                        let mut expected = Vec::new();
                        let mut from = 0;
                        for (at, _) in text.char_indices() {
                            if at >= from && text[at..].starts_with(needle) {
                                expected.push(at);
                                from = at + step;
                            }
                        }
                        assert_eq!(places(text, needle, step), expected, "{needle} in {text}, {step} further");
                    }
                }
            }
        }
    }
}
