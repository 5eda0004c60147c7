//! Sorting rows by a column of strings, as a sort of numbers: the strings are read seven bytes at a time.
//!
//! 1. The *word* of a string at a depth is its next seven bytes and, in the lowest byte, how many bytes are left there, 8 for more than
//!    seven. So words are in the order of the strings, and strings with equal words either end there, and are equal, or go on.
//! 2. Rows are sorted by their words; a run of equal words that go on is sorted by the words behind these, and so on. Each step reads
//!    what is new of each string once, where comparing strings would read them as often as the rows' number has bits.
//! 3. A run whose words are all equal goes on behind all that its strings have in common.
//! 4. A run of few rows is sorted by comparing them.
//!
//! Source: caching multikey quicksort (Ng, Kakehi: Cache Efficient Radix Sort for String Sorting, 2007).

use super::value_order::{Key, PIECE, sort_by, sort_words};
use crate::Result;
use crate::column::column_builder::BuilderText;
use crate::cpu::simd::kernel::prefetch_here;
use multiloop_planner::meter;

/// Rows up to which strings are compared.
const FEW: usize = 12;

/// How many rows ahead views, and then bytes, are asked for.
pub(super) const FAR: usize = 32;
/// See [`FAR`].
pub(super) const NEAR: usize = 16;

/// The bytes of a string that a word has.
const BYTES: usize = 7;

/// What the lowest byte of a word is if there is more behind it.
const MORE: u8 = 8;

/// Words with their rows, and room to sort them.
#[derive(Default)]
pub(super) struct Words {
    pub(super) all: Vec<(u64, u32)>,
    pub(super) spare: Vec<(u64, u32)>,
}

/// Rows from one to another whose strings are alike up to a depth.
struct Run {
    start: usize,
    end: usize,
    depth: usize,
}

/// Sorts rows by their strings, none of them NULL, and then by other keys, and says of each whether its string is that of the row
/// before it.
pub(super) fn sort_texts(
    (texts, descending): (&BuilderText, bool),
    others: &[Key<'_>],
    rows: &mut [u32],
    is_like: &mut [bool],
    words: &mut Words,
) -> Result<()> {
    let sorter = TextSorter { texts, descending, others };
    if rows.len() <= FEW {
        return sorter.compare(rows, is_like, 0);
    }
    let mut runs = vec![Run { start: 0, end: rows.len(), depth: 0 }];
    while let Some(run) = runs.pop() {
        let own = &mut rows[run.start..run.end];
        sorter.read(own, run.depth, &mut words.all)?;
        sort_words(&mut words.all, &mut words.spare)?;
        own.iter_mut().zip(&words.all).for_each(|(row, word)| *row = word.1);
        let mut start = run.start;
        for chunk in words.all.chunk_by(|a, b| a.0 == b.0) {
            let (end, depth) = (start + chunk.len(), run.depth + BYTES);
            if !sorter.goes_on(chunk[0].0) {
                is_like[start + 1..end].fill(true);
                sort_by(&mut rows[start..end], others)?;
            } else if chunk.len() <= FEW {
                sorter.compare(&mut rows[start..end], &mut is_like[start..end], depth)?;
            } else if chunk.len() < words.all.len() {
                runs.push(Run { start, end, depth });
            } else {
                let depth = depth + sorter.in_common(&rows[start..end], depth)?;
                runs.push(Run { start, end, depth });
            }
            start = end;
        }
    }
    Ok(())
}

struct TextSorter<'c> {
    texts: &'c BuilderText,
    descending: bool,
    others: &'c [Key<'c>],
}

impl TextSorter<'_> {
    /// The words of rows at a depth.
    fn read(&self, rows: &[u32], depth: usize, words: &mut Vec<(u64, u32)>) -> Result<()> {
        let turned = if self.descending { u64::MAX } else { 0 };
        words.clear();
        for (start, some) in rows.chunks(PIECE).enumerate().map(|(at, some)| (at * PIECE, some)) {
            meter::spend(some.len() * 8)?;
            for (at, &row) in some.iter().enumerate() {
                self.ask(rows, start + at, depth);
                words.push((word(self.texts.get(row as usize), depth) ^ turned, row));
            }
        }
        Ok(())
    }

    /// Asks for what rows further on are read.
    #[inline(always)]
    fn ask(&self, rows: &[u32], at: usize, depth: usize) {
        if let Some(&row) = rows.get(at + FAR) {
            prefetch_here(&raw const self.texts.views[row as usize]);
        }
        if let Some(&row) = rows.get(at + NEAR) {
            prefetch_here(self.texts.get(row as usize).as_ptr().wrapping_add(depth));
        }
    }

    /// Whether strings with this word may differ behind it.
    fn goes_on(&self, word: u64) -> bool {
        let word = if self.descending { !word } else { word };
        word as u8 == MORE
    }

    /// How many bytes behind a depth all rows have in common.
    fn in_common(&self, rows: &[u32], depth: usize) -> Result<usize> {
        let Some((&first, rest)) = rows.split_first() else { return Ok(0) };
        let behind = |row: u32| self.texts.get(row as usize).get(depth..).unwrap_or_default();
        let mut common = behind(first);
        for &row in rest {
            meter::spend(common.len() / 4 + 8)?;
            common = &common[..alike(common, behind(row))];
        }
        Ok(common.len())
    }

    /// Sorts rows whose strings are alike up to a depth by comparing what stands behind it.
    fn compare(&self, rows: &mut [u32], is_like: &mut [bool], depth: usize) -> Result<()> {
        if rows.len() < 2 {
            return Ok(());
        }
        meter::spend(rows.len() * 64)?;
        let behind = |row: u32| self.texts.get(row as usize).get(depth..).unwrap_or_default();
        rows.sort_unstable_by(|&a, &b| {
            let order = behind(a).cmp(behind(b));
            let order = if self.descending { order.reverse() } else { order };
            self.others.iter().fold(order, |order, key| order.then_with(|| key.compare(a as usize, b as usize)))
        });
        for at in 1..rows.len() {
            is_like[at] = behind(rows[at - 1]) == behind(rows[at]);
        }
        Ok(())
    }
}

/// The word of a string at a depth, which is at most its length.
#[inline(always)]
fn word(text: &[u8], depth: usize) -> u64 {
    let rest = text.get(depth..).unwrap_or_default();
    match rest.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight) & !0xFF | u64::from(MORE),
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            // Seven bytes at most.
            bytes[BYTES] = rest.len() as u8;
            u64::from_be_bytes(bytes)
        }
    }
}

/// How many bytes two strings have in common.
fn alike(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(16).zip(b.chunks_exact(16)).take_while(|(a, b)| a == b).count() * 16;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::column_builder::{BuilderData, ColumnBuilder};
    use multiloop_planner::types::SortOrder;

    /// Rows of strings, beside a sort that compares them.
    fn check(all: &[&[u8]]) {
        let mut texts = BuilderText::default();
        all.iter().for_each(|text| texts.push(text));
        let count = all.len();
        let last = ColumnBuilder {
            data: BuilderData::I64((0..count as i64).map(|row| row * 7 % 5).collect()),
            valid: None,
            len: count,
        };
        let order = SortOrder { descending: true, nulls_first: false };
        for descending in [false, true] {
            for has_other in [false, true] {
                let others: Vec<Key<'_>> = has_other.then(|| Key::new(&last, None, order)).into_iter().collect();
                let mut rows: Vec<u32> = (0..count as u32).collect();
                let mut is_like = vec![false; count];
                sort_texts((&texts, descending), &others, &mut rows, &mut is_like, &mut Words::default()).unwrap();
                let key = |row: u32| if has_other { -(i64::from(row) * 7 % 5) } else { 0 };
                let mut expected: Vec<u32> = (0..count as u32).collect();
                expected.sort_by(|&a, &b| {
                    let order = all[a as usize].cmp(all[b as usize]);
                    if descending { order.reverse() } else { order }.then_with(|| key(a).cmp(&key(b)))
                });
                let shown = |rows: &[u32]| rows.iter().map(|&row| (all[row as usize], key(row))).collect::<Vec<_>>();
                assert_eq!(shown(&rows), shown(&expected), "{descending} {has_other}");
                let likes: Vec<bool> =
                    (0..count).map(|at| at > 0 && all[rows[at] as usize] == all[rows[at - 1] as usize]).collect();
                assert_eq!(is_like, likes, "{descending} {has_other}");
            }
        }
    }

    #[test]
    fn strings_are_in_the_order_of_their_bytes() {
        check(&[]);
        check(&[b"a"]);
        check(&[b"b", b"", b"a", b"a\0", b"a\0\0", b""]);
        let random = |at: usize| (at as u32).wrapping_mul(2_654_435_761) as usize >> 9;
        let made = |count: usize, text: &dyn Fn(usize) -> Vec<u8>| {
            let all: Vec<Vec<u8>> = (0..count).map(|at| text(random(at))).collect();
            check(&all.iter().map(Vec::as_slice).collect::<Vec<_>>());
        };
        let letters = |at: usize, length: usize| (0..length).map(|place| (at >> place & 1) as u8).collect::<Vec<u8>>();
        for count in [13, 100, 700] {
            // Bytes 0 and 1, of every length up to that of three words.
            made(count, &|at| letters(at / 32, at % 24));
            made(count, &|at| [&b"alike for more than a word or two, "[..], &letters(at / 32, at % 17)].concat());
            made(count, &|at| [&[b'x'; 40][..at % 41], &letters(at, 3)].concat());
            made(count, &|at| vec![at as u8, 0xFF, (at >> 8) as u8, 0, 0xFF]);
            made(count, &|_| b"all the same, and long".to_vec());
            made(count, &|at| if at % 3 == 0 { b"1234567".to_vec() } else { b"1234567\0".to_vec() });
        }
    }
}
