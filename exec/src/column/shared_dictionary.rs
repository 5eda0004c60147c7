//! One dictionary for a long column of text that repeats, by all cores:
//!
//! 1. Each chunk partitions its rows by the hashes of their strings.
//! 2. Each part of the hashes numbers its distinct strings.
//! 3. All distinct strings are sorted.
//! 4. Each chunk turns the numbers of its rows into codes.
//!
//! So a string is compared with few others, and no table is shared.

use super::distinct::hash_text;
use super::{Column, ColumnData, Dictionary};
use crate::Result;
use crate::workers::merge_sort;
use crate::workers::schedule::Workers;
use hashbrown::HashTable;
use std::sync::Arc;

/// Parts of the hashes; a power of two.
const PARTS: usize = 64;

/// Bytes of memory that it takes for a row, about, beside what it gives.
pub(super) const WORKING_BYTES: usize = 12;

/// Rows of one chunk whose strings belong to one part, in order.
#[derive(Default)]
struct Partitioned {
    rows: Vec<u32>,
    /// The lower half of the hash of each.
    hashes: Vec<u32>,
}

/// The distinct strings of a part.
struct Part<'a> {
    strings: Vec<&'a [u8]>,
    /// For each chunk the number of each of its rows that fell into this part.
    numbers: Vec<Vec<u32>>,
}

/// The columns as codes of one dictionary; none if they have more than `most` strings, or of more than `most_bytes`.
pub(super) fn share(
    columns: &[&Column],
    most: usize,
    most_bytes: usize,
    workers: Workers<'_>,
) -> Result<Option<Vec<ColumnData>>> {
    let partitioned: Vec<Vec<Partitioned>> = workers.all(columns.len(), |chunk| partition(columns[chunk]));
    let parts: Vec<Part<'_>> = workers.all(PARTS, |part| number(columns, &partitioned, part));
    let count: usize = parts.iter().map(|part| part.strings.len()).sum();
    let bytes: usize =
        workers.all(PARTS, |part| parts[part].strings.iter().map(|text| text.len()).sum::<usize>()).iter().sum();
    if count > most || bytes > most_bytes {
        return Ok(None);
    }
    let mut order: Vec<(u64, u32, u32)> = Vec::with_capacity(count);
    let common = common_prefix(&parts, workers);
    for (number, part) in parts.iter().enumerate() {
        let place = |(at, text): (usize, &&[u8])| (eight_bytes(&text[common..]), number as u32, at as u32);
        order.extend(part.strings.iter().enumerate().map(place));
    }
    let text = |part: u32, at: u32| parts[part as usize].strings[at as usize];
    merge_sort::sort_by(&mut order, workers, |a, b| a.0.cmp(&b.0).then_with(|| text(a.1, a.2).cmp(text(b.1, b.2))))?;
    let mut codes: Vec<Vec<u32>> = parts.iter().map(|part| vec![0; part.strings.len()]).collect();
    for (code, &(_, part, at)) in order.iter().enumerate() {
        codes[part as usize][at as usize] = code as u32;
    }
    let utf8 = |text| std::str::from_utf8(text).expect("text columns are valid UTF-8");
    let dictionary = Arc::new(Dictionary::new(order.iter().map(|&(_, part, at)| utf8(text(part, at)))));
    let encode = |chunk: usize| {
        // What stands at a NULL is no string of the dictionary; its code is that of any.
        let mut all = vec![0u32; columns[chunk].rows()];
        for (part, partitioned) in partitioned[chunk].iter().enumerate() {
            for (&row, &number) in partitioned.rows.iter().zip(&parts[part].numbers[chunk]) {
                all[row as usize] = codes[part][number as usize];
            }
        }
        Dictionary::encode(Arc::clone(&dictionary), all.into_iter())
    };
    Ok(Some(workers.all(columns.len(), encode)))
}

fn partition(column: &Column) -> Vec<Partitioned> {
    let mut parts: Vec<Partitioned> = (0..PARTS).map(|_| Partitioned::default()).collect();
    for row in (0..column.rows()).filter(|&row| !column.is_null(row)) {
        let hash = hash_text(column.data.text_bytes(row));
        let part = &mut parts[(hash >> 32) as usize % PARTS];
        part.rows.push(row as u32);
        part.hashes.push(hash as u32);
    }
    parts
}

fn number<'a>(columns: &[&'a Column], partitioned: &[Vec<Partitioned>], part: usize) -> Part<'a> {
    let mut strings: Vec<&[u8]> = Vec::new();
    let mut hashes: Vec<u32> = Vec::new();
    // The strings side by side: where they come from they lie too far apart to be compared with often.
    let (mut beside, mut ends): (Vec<u8>, Vec<usize>) = (Vec::new(), vec![0]);
    let mut table: HashTable<u32> = HashTable::new();
    // Rows that come clustered find the string of the row before.
    let mut last = 0;
    let wide = |hash: u32| u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let chunk = |(column, partitioned): (&&'a Column, &Vec<Partitioned>)| {
        let rows = partitioned[part].rows.iter().zip(&partitioned[part].hashes);
        let number = |(&row, &hash): (&u32, &u32)| {
            let text = column.data.text_bytes(row as usize);
            let is = |&number: &u32| {
                let number = number as usize;
                hashes[number] == hash && beside[ends[number]..ends[number + 1]] == *text
            };
            if (last as usize) < strings.len() && is(&last) {
                return last;
            }
            last = table.find(wide(hash), is).copied().unwrap_or_else(|| {
                let number = strings.len() as u32;
                strings.push(text);
                hashes.push(hash);
                beside.extend_from_slice(text);
                ends.push(beside.len());
                table.insert_unique(wide(hash), number, |&number| wide(hashes[number as usize]));
                number
            });
            last
        };
        rows.map(number).collect()
    };
    let numbers = columns.iter().zip(partitioned).map(chunk).collect();
    Part { strings, numbers }
}

/// How many bytes all strings begin with alike.
fn common_prefix(parts: &[Part<'_>], workers: Workers<'_>) -> usize {
    let Some(&first) = parts.iter().find_map(|part| part.strings.first()) else { return 0 };
    let alike = |text: &[u8]| first.iter().zip(text).take_while(|(a, b)| a == b).count();
    let of_part = |part: usize| parts[part].strings.iter().map(|text| alike(text)).min();
    workers.all(parts.len(), of_part).into_iter().flatten().min().unwrap_or(0)
}

/// The first eight bytes as a number that compares as they do; what is missing is 0.
fn eight_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(bytes)
}
