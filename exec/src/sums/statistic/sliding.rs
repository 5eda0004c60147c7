//! HyperLogLog over sliding frames: counts how often each hash is there, and of each register how many hashes have each rank, so that
//! rows can be removed. It gives what the sketch of the same rows gives (`distinct`).

use super::distinct::{LISTED_MAX, RANK_MAX, REGISTERS, estimate, place};
use rustc_hash::FxHashMap;

/// The hashes of rows.
#[derive(Debug)]
pub(crate) struct SlidingSketch {
    hashes: FxHashMap<u64, u32>,
    /// Of each register how many hashes have each rank; empty until there are more hashes than are listed.
    ranks: Vec<[u32; RANK_MAX + 1]>,
    /// The largest rank of each register, and how many registers have each.
    largest: Vec<u8>,
    registers: [u32; RANK_MAX + 1],
}

impl SlidingSketch {
    /// Of no rows.
    pub(crate) fn new() -> Self {
        SlidingSketch {
            hashes: FxHashMap::default(),
            ranks: Vec::new(),
            largest: Vec::new(),
            registers: [0; RANK_MAX + 1],
        }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, hash: u64) {
        let count = self.hashes.entry(hash).or_insert(0);
        *count += 1;
        if *count > 1 {
            return;
        }
        if !self.ranks.is_empty() {
            self.enter(hash);
        } else if self.hashes.len() > LISTED_MAX {
            self.ranks = vec![[0; RANK_MAX + 1]; REGISTERS];
            self.largest = vec![0; REGISTERS];
            self.registers[0] = REGISTERS as u32;
            let hashes: Vec<u64> = self.hashes.keys().copied().collect();
            hashes.into_iter().for_each(|hash| self.enter(hash));
        }
    }

    fn enter(&mut self, hash: u64) {
        let (register, rank) = place(hash);
        self.ranks[register][rank] += 1;
        self.set_largest(register, usize::from(self.largest[register]).max(rank));
    }

    fn set_largest(&mut self, register: usize, rank: usize) {
        self.registers[usize::from(self.largest[register])] -= 1;
        self.registers[rank] += 1;
        self.largest[register] = rank as u8;
    }

    /// Takes a row out that was added.
    pub(crate) fn remove(&mut self, hash: u64) {
        let Some(count) = self.hashes.get_mut(&hash) else { return };
        *count -= 1;
        if *count > 0 {
            return;
        }
        self.hashes.remove(&hash);
        if self.ranks.is_empty() {
            return;
        }
        let (register, rank) = place(hash);
        self.ranks[register][rank] -= 1;
        if usize::from(self.largest[register]) == rank && self.ranks[register][rank] == 0 {
            let below = (1..rank).rev().find(|&rank| self.ranks[register][rank] > 0);
            self.set_largest(register, below.unwrap_or(0));
        }
    }

    /// About how many values.
    pub(crate) fn estimate(&self) -> i64 {
        if self.hashes.len() <= LISTED_MAX { self.hashes.len() as i64 } else { estimate(&self.registers) }
    }
}
