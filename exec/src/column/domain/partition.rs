//! Values to codes: partitioned by their hashes, found part by part, numbered by where they come first.

use super::super::hash::mix;
use crate::workers::schedule::Workers;
use ::arrow::buffer::NullBuffer;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Parts of the hashes; a power of two.
const PARTS: usize = 64;

/// Codes of a column.
pub(super) struct Encoded {
    /// For each chunk one a row; 0 at a NULL.
    pub(super) codes: Vec<Vec<i32>>,
    /// The values that were not known, in the order of the rows in which each comes first: their codes go on behind those
    /// that were.
    pub(super) new: Vec<i64>,
}

/// Rows of one chunk, or known values, that belong to one part, in order.
#[derive(Default)]
struct Partitioned {
    rows: Vec<u32>,
    values: Vec<i64>,
}

/// What the values of a part have found.
struct Part {
    /// Values that were not known, and the row among all in which each comes first.
    new: Vec<(i64, u64)>,
    /// For each chunk and each of its values that fell into this part: its code if it was known, or else the number of
    /// known values and its place in `new`.
    found: Vec<Vec<u32>>,
}

/// Encodes the values of chunks; those that are `known` keep their places as codes.
pub(super) fn encode(
    known: &[i64],
    chunks: &[Cow<'_, [i64]>],
    nulls: &[Option<&NullBuffer>],
    workers: Workers<'_>,
) -> Encoded {
    let before = partition(known, None);
    let partitioned: Vec<Vec<Partitioned>> = workers.all(chunks.len(), |chunk| partition(&chunks[chunk], nulls[chunk]));
    let mut starts = Vec::with_capacity(chunks.len() + 1);
    let mut rows = 0;
    for chunk in chunks {
        starts.push(rows);
        rows += chunk.len() as u64;
    }
    let parts: Vec<Part> = workers.all(PARTS, |part| {
        find(
            &before[part],
            &partitioned.iter().map(|partitioned| &partitioned[part]).collect::<Vec<_>>(),
            known.len(),
            &starts,
        )
    });
    let firsts = Firsts::of(&parts, rows, workers);
    let mut new = vec![0; parts.iter().map(|part| part.new.len()).sum()];
    let codes: Vec<Vec<u32>> =
        parts.iter().map(|part| part.new.iter().map(|&(_, row)| firsts.rank(row)).collect()).collect();
    for (part, codes) in parts.iter().zip(&codes) {
        part.new.iter().zip(codes).for_each(|(&(value, _), &code)| new[code as usize] = value);
    }
    let encode = |chunk: usize| {
        let values = &chunks[chunk];
        let mut all = vec![0i32; values.len()];
        for (part, partitioned) in partitioned[chunk].iter().enumerate() {
            for (&row, &found) in partitioned.rows.iter().zip(&parts[part].found[chunk]) {
                let code = match (found as usize).checked_sub(known.len()) {
                    Some(place) => known.len() as u32 + codes[part][place],
                    None => found,
                };
                all[row as usize] = code as i32;
            }
        }
        spread(&mut all, values, nulls[chunk]);
        all
    };
    Encoded { codes: workers.all(chunks.len(), encode), new }
}

/// Where no row was partitioned, since its value is that of the row before that has one, the code is, too.
fn spread(codes: &mut [i32], values: &[i64], nulls: Option<&NullBuffer>) {
    let mut last: Option<(i64, i32)> = None;
    for row in 0..codes.len() {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            continue;
        }
        match last {
            Some((value, code)) if value == values[row] => codes[row] = code,
            _ => last = Some((values[row], codes[row])),
        }
    }
}

fn hash(value: i64) -> u64 {
    mix(value as u64)
}

fn part_of(hash: u64) -> usize {
    (hash >> 32) as usize % PARTS
}

/// Deals the first of neighbours that are alike; NULLs are no neighbours.
fn partition(values: &[i64], nulls: Option<&NullBuffer>) -> Vec<Partitioned> {
    let mut parts: Vec<Partitioned> = (0..PARTS).map(|_| Partitioned::default()).collect();
    let mut last = None;
    for (row, &value) in values.iter().enumerate() {
        if last == Some(value) || nulls.is_some_and(|nulls| nulls.is_null(row)) {
            continue;
        }
        last = Some(value);
        let part = &mut parts[part_of(hash(value))];
        part.rows.push(row as u32);
        part.values.push(value);
    }
    parts
}

fn find(before: &Partitioned, partitioned: &[&Partitioned], known: usize, starts: &[u64]) -> Part {
    let mut table: HashTable<(i64, u32)> = HashTable::with_capacity(before.values.len());
    let rehash = |&(value, _): &(i64, u32)| hash(value);
    for (&code, &value) in before.rows.iter().zip(&before.values) {
        table.insert_unique(hash(value), (value, code), rehash);
    }
    let mut new: Vec<(i64, u64)> = Vec::new();
    let chunk = |(partitioned, &start): (&&Partitioned, &u64)| {
        let mut found = Vec::with_capacity(partitioned.values.len());
        for (&row, &value) in partitioned.rows.iter().zip(&partitioned.values) {
            let code = match table.entry(hash(value), |&(other, _)| other == value, rehash) {
                Entry::Occupied(entry) => entry.get().1,
                Entry::Vacant(entry) => {
                    let code = (known + new.len()) as u32;
                    new.push((value, start + u64::from(row)));
                    entry.insert((value, code));
                    code
                }
            };
            found.push(code);
        }
        found
    };
    let found = partitioned.iter().zip(starts).map(chunk).collect();
    Part { new, found }
}

/// The rows in which a value comes first.
struct Firsts {
    bits: Vec<AtomicU64>,
    /// How many stand before each word.
    ranks: Vec<u32>,
}

impl Firsts {
    fn of(parts: &[Part], rows: u64, workers: Workers<'_>) -> Self {
        let bits: Vec<AtomicU64> = (0..rows.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let mark = |row: u64| bits[(row / 64) as usize].fetch_or(1 << (row % 64), Ordering::Relaxed);
        workers.all(parts.len(), |part| {
            parts[part].new.iter().for_each(|&(_, row)| {
                mark(row);
            });
        });
        let mut before = 0;
        let rank = |word: &AtomicU64| {
            let rank = before;
            before += word.load(Ordering::Relaxed).count_ones();
            rank
        };
        let ranks = bits.iter().map(rank).collect();
        Firsts { bits, ranks }
    }

    fn rank(&self, row: u64) -> u32 {
        let word = self.bits[(row / 64) as usize].load(Ordering::Relaxed);
        self.ranks[(row / 64) as usize] + (word & ((1 << (row % 64)) - 1)).count_ones()
    }
}
