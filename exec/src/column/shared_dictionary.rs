//! One dictionary for a long column of text that repeats, by all cores:
//!
//! 1. Some chunks at a time partition their rows by the hashes of their strings, which they copy: so they are passed over part by
//!    part in memory that is used again.
//! 2. Each part of the hashes numbers its distinct strings.
//! 3. All distinct strings are sorted.
//! 4. Each chunk turns the numbers of its rows into codes.
//!
//! So a string is compared with few others, and no table is shared.

use super::hash::hash_text;
use super::strings::{Headed, for_each_string};
use super::{Column, ColumnData, Dictionary};
use crate::Result;
use crate::workers::merge_sort;
use crate::workers::schedule::Workers;
use hashbrown::HashTable;
use std::ops::Range;
use std::sync::Arc;

/// Parts of the hashes; a power of two.
const PARTS: usize = 64;

/// Chunks that are partitioned at a time.
pub(super) const CHUNKS_AT_ONCE: usize = 16;

/// Bytes of memory that it takes for a row, about, beside strings and what it gives.
pub(super) const WORKING_BYTES: usize = 12;

/// The rows of one chunk, by the parts that their strings belong to, in order.
struct Partitioned {
    /// Where the rows of each part begin, and at last how many there are.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// The lower half of the hash of each.
    hashes: Vec<u32>,
    /// Where the string of each ends; it begins where the one before ends.
    ends: Vec<u32>,
    /// Their strings, one behind the other.
    bytes: Vec<u8>,
}

/// The distinct strings of a part.
#[derive(Default)]
struct Part {
    table: HashTable<u32>,
    /// The lower half of the hash of each.
    hashes: Vec<u32>,
    /// Where each ends; it begins where the one before ends.
    ends: Vec<usize>,
    /// The strings side by side: where they come from they lie too far apart to be compared with often.
    bytes: Vec<u8>,
    /// For each chunk the number of each of its rows that fell into this part.
    numbers: Vec<Vec<u32>>,
}

/// The columns as codes of one dictionary; none if they have more than `most` strings, or of more than `most_bytes`. None has 4 GiB
/// of text.
pub(super) fn share(
    columns: &[&Column],
    most: usize,
    most_bytes: usize,
    workers: Workers<'_>,
) -> Result<Option<Vec<ColumnData>>> {
    let mut parts: Vec<Part> = (0..PARTS).map(|_| Part::default()).collect();
    // Of each chunk, which rows fell into which part.
    let mut places: Vec<(Vec<u32>, Vec<u32>)> = Vec::with_capacity(columns.len());
    for some in columns.chunks(CHUNKS_AT_ONCE) {
        let partitioned: Vec<Partitioned> = workers.all(some.len(), |chunk| Partitioned::of(some[chunk]));
        let numbered = parts.into_iter().enumerate().collect();
        parts = workers.map(numbered, |(number, mut part): (usize, Part)| {
            partitioned.iter().for_each(|chunk| part.add(chunk, number));
            Ok(part)
        })?;
        let count: usize = parts.iter().map(Part::len).sum();
        if count > most || parts.iter().map(|part| part.bytes.len()).sum::<usize>() > most_bytes {
            return Ok(None);
        }
        places.extend(partitioned.into_iter().map(|chunk| (chunk.starts, chunk.rows)));
    }
    let (dictionary, codes) = sorted(&parts, workers)?;
    let encode = |chunk: usize| {
        // What stands at a NULL is no string of the dictionary; its code is that of any.
        let mut all = vec![0u32; columns[chunk].rows()];
        let (starts, rows) = &places[chunk];
        for (part, codes) in codes.iter().enumerate() {
            let rows = &rows[starts[part] as usize..starts[part + 1] as usize];
            for (&row, &number) in rows.iter().zip(&parts[part].numbers[chunk]) {
                all[row as usize] = codes[number as usize];
            }
        }
        Dictionary::encode(Arc::clone(&dictionary), all.into_iter())
    };
    Ok(Some(workers.all(columns.len(), encode)))
}

/// The strings of all parts as a dictionary, and by part the code of each.
fn sorted(parts: &[Part], workers: Workers<'_>) -> Result<(Arc<Dictionary>, Vec<Vec<u32>>)> {
    let mut order: Vec<(u64, u32, u32)> = Vec::with_capacity(parts.iter().map(Part::len).sum());
    let common = common_prefix(parts, workers);
    for (number, part) in parts.iter().enumerate() {
        order.extend((0..part.len()).map(|at| (eight_bytes(&part.text(at)[common..]), number as u32, at as u32)));
    }
    let text = |part: u32, at: u32| parts[part as usize].text(at as usize);
    merge_sort::sort_by(&mut order, workers, |a, b| a.0.cmp(&b.0).then_with(|| text(a.1, a.2).cmp(text(b.1, b.2))))?;
    let mut codes: Vec<Vec<u32>> = parts.iter().map(|part| vec![0; part.len()]).collect();
    for (code, &(_, part, at)) in order.iter().enumerate() {
        codes[part as usize][at as usize] = code as u32;
    }
    let utf8 = |text| std::str::from_utf8(text).expect("text columns are valid UTF-8");
    let dictionary = Dictionary::new(order.iter().map(|&(_, part, at)| utf8(text(part, at))));
    Ok((Arc::new(dictionary), codes))
}

fn part_of(hash: u64) -> usize {
    (hash >> 32) as usize % PARTS
}

impl Partitioned {
    fn of(column: &Column) -> Partitioned {
        let mut all: Vec<(u64, u32, &[u8])> = Vec::with_capacity(column.rows());
        // How many rows and bytes each part has, and then where its next ones go.
        let mut next = [(0, 0); PARTS];
        for_each_string(column, |row, string| {
            let hash = hash_text(string.text());
            let (rows, bytes) = &mut next[part_of(hash)];
            *rows += 1;
            *bytes += string.text().len();
            all.push((hash, row as u32, string.text()));
        });
        let mut starts = Vec::with_capacity(PARTS + 1);
        let mut total = (0, 0);
        for part in &mut next {
            starts.push(total.0 as u32);
            let start = total;
            total = (total.0 + part.0, total.1 + part.1);
            *part = start;
        }
        starts.push(total.0 as u32);
        let numbers = || vec![0; total.0];
        let (rows, hashes, ends) = (numbers(), numbers(), numbers());
        let mut partitioned = Partitioned { starts, rows, hashes, ends, bytes: vec![0; total.1] };
        for (hash, row, text) in all {
            let (at, start) = &mut next[part_of(hash)];
            let end = *start + text.len();
            partitioned.bytes[*start..end].copy_from_slice(text);
            partitioned.rows[*at] = row;
            partitioned.hashes[*at] = hash as u32;
            partitioned.ends[*at] = end as u32;
            (*at, *start) = (*at + 1, end);
        }
        partitioned
    }

    /// Hash and string of each row of a part.
    fn strings(&self, part: usize) -> impl Iterator<Item = (u32, Headed<'_>)> {
        let Range { start, end } = self.starts[part] as usize..self.starts[part + 1] as usize;
        let mut begin = start.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.hashes[start..end].iter().zip(&self.ends[start..end]).map(move |(&hash, &end)| {
            let string = Headed::new(&self.bytes[begin as usize..], (end - begin) as usize);
            begin = end;
            (hash, string)
        })
    }
}

impl Part {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn headed(&self, number: usize) -> Headed<'_> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Headed::new(&self.bytes[start..], self.ends[number] - start)
    }

    fn text(&self, number: usize) -> &[u8] {
        self.headed(number).text()
    }

    /// Numbers the strings of the next chunk that belong to this part.
    fn add(&mut self, chunk: &Partitioned, own: usize) {
        // Rows that come clustered find the string of the row before.
        let mut last = 0;
        let numbers = chunk.strings(own).map(|(hash, string)| {
            let is = |number: u32| self.hashes[number as usize] == hash && self.headed(number as usize) == string;
            if (last as usize) < self.len() && is(last) {
                return last;
            }
            let wide = |hash: u32| u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            last = self.table.find(wide(hash), |&number| is(number)).copied().unwrap_or_else(|| {
                let number = self.len() as u32;
                self.hashes.push(hash);
                self.bytes.extend_from_slice(string.text());
                self.ends.push(self.bytes.len());
                self.table.insert_unique(wide(hash), number, |&number| wide(self.hashes[number as usize]));
                number
            });
            last
        });
        let numbers = numbers.collect();
        self.numbers.push(numbers);
    }
}

/// How many bytes all strings begin with alike.
fn common_prefix(parts: &[Part], workers: Workers<'_>) -> usize {
    let Some(first) = parts.iter().find(|part| part.len() > 0).map(|part| part.text(0)) else { return 0 };
    let alike = |text: &[u8]| first.iter().zip(text).take_while(|(a, b)| a == b).count();
    let of_part = |part: usize| (0..parts[part].len()).map(|at| alike(parts[part].text(at))).min();
    workers.all(parts.len(), of_part).into_iter().flatten().min().unwrap_or(0)
}

/// The first eight bytes as a number that compares as they do; what is missing is 0.
fn eight_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(bytes)
}
