//! HyperLogLog: about how many different values there are.
//!
//! A value's hash says a register, by 14 bits, and a rank: how many zeros the other 50 begin with, and one. A register keeps the
//! largest rank. Up to [`LISTED_MAX`] hashes are listed, so that small numbers are exact (but for hashes that are alike). What is
//! listed, and what registers hold, is a function of the set of hashes, however rows come.
//!
//! The estimate is Ertl's (New cardinality estimation algorithms for HyperLogLog sketches, 2017, algorithm 6), which needs no
//! tables. Its standard error is 1.04 / √2^14: 0.81 %.

use super::{chunk, flag, length};
use multiloop_planner::value::{Value, canonical_float_bits};
use rustc_hash::FxHashSet;

/// Bits of a hash that say the register.
const REGISTER_BITS: u32 = 14;

/// Registers.
pub(super) const REGISTERS: usize = 1 << REGISTER_BITS;

/// The largest rank.
pub(super) const RANK_MAX: usize = 64 - REGISTER_BITS as usize + 1;

/// Hashes that are listed, at most.
pub(super) const LISTED_MAX: usize = 2048;

/// Different hashes, or the registers.
#[derive(Clone, Debug)]
pub(crate) enum Sketch {
    Listed(FxHashSet<u64>),
    Registers(Vec<u8>),
}

impl Default for Sketch {
    fn default() -> Self {
        Sketch::Listed(FxHashSet::default())
    }
}

/// The hash of a value, the same wherever it is computed; equal values have one.
pub(crate) fn hash(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::Boolean(value) => hash_bytes(&[u8::from(*value)]),
        Value::Int(value) => hash_bytes(&i128::from(*value).to_le_bytes()),
        Value::Decimal(value) => hash_bytes(&value.to_le_bytes()),
        Value::Float(value) => hash_bytes(&canonical_float_bits(*value).to_le_bytes()),
        Value::Text(text) => hash_bytes(text.as_bytes()),
        Value::Interval(interval) => hash_bytes(&interval.comparable_micros().to_le_bytes()),
        Value::Vector(elements) => {
            let bits = elements.iter().flat_map(|element| canonical_float_bits(*element).to_le_bytes());
            hash_bytes(&bits.collect::<Vec<u8>>())
        }
        // The planner hands their keys over.
        Value::Numeric(number) => hash_bytes(number.to_string().as_bytes()),
    }
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mut hash = fold(bytes.len() as u64 ^ 0xA076_1D64_78BD_642F, FACTOR);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = fold(hash ^ u64::from_le_bytes(word) ^ 0xE703_7ED1_A0B4_28DB, FACTOR | 1).rotate_left(23) ^ hash;
    }
    // MurmurHash3's last step.
    hash = (hash ^ hash >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash = (hash ^ hash >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

/// The register of a hash, and its rank.
pub(super) fn place(hash: u64) -> (usize, usize) {
    let rank = (hash << REGISTER_BITS).leading_zeros().min(RANK_MAX as u32 - 1) + 1;
    ((hash >> (64 - REGISTER_BITS)) as usize, rank as usize)
}

impl Sketch {
    pub(crate) fn add(&mut self, hash: u64) {
        match self {
            Sketch::Listed(hashes) => {
                hashes.insert(hash);
                if hashes.len() > LISTED_MAX {
                    let mut registers = vec![0; REGISTERS];
                    hashes.iter().for_each(|&hash| keep(&mut registers, hash));
                    *self = Sketch::Registers(registers);
                }
            }
            Sketch::Registers(registers) => keep(registers, hash),
        }
    }

    pub(crate) fn merge(&mut self, other: &Sketch) {
        match (&mut *self, other) {
            (_, Sketch::Listed(hashes)) => hashes.iter().for_each(|&hash| self.add(hash)),
            (Sketch::Registers(mine), Sketch::Registers(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
            }
            (Sketch::Listed(_), Sketch::Registers(theirs)) => {
                let Sketch::Listed(hashes) = std::mem::replace(self, Sketch::Registers(theirs.clone())) else { return };
                hashes.into_iter().for_each(|hash| self.add(hash));
            }
        }
    }

    /// About how many values.
    pub(crate) fn estimate(&self) -> i64 {
        match self {
            Sketch::Listed(hashes) => hashes.len() as i64,
            Sketch::Registers(registers) => {
                let mut ranks = [0u32; RANK_MAX + 1];
                registers.iter().for_each(|&rank| ranks[usize::from(rank)] += 1);
                estimate(&ranks)
            }
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Sketch::Listed(hashes) => hashes.capacity() * (size_of::<u64>() + 1),
            Sketch::Registers(registers) => registers.capacity(),
        }
    }

    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        match self {
            Sketch::Listed(hashes) => {
                bytes.push(0);
                let mut hashes: Vec<u64> = hashes.iter().copied().collect();
                hashes.sort_unstable();
                bytes.extend_from_slice(&(hashes.len() as u64).to_le_bytes());
                hashes.iter().for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
            }
            Sketch::Registers(registers) => {
                bytes.push(1);
                bytes.extend_from_slice(registers);
            }
        }
    }

    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<Self> {
        if flag(bytes)? {
            let registers: [u8; REGISTERS] = chunk(bytes)?;
            let fits = registers.iter().all(|&rank| usize::from(rank) <= RANK_MAX);
            return fits.then(|| Sketch::Registers(registers.to_vec()));
        }
        let mut hashes = FxHashSet::default();
        for _ in 0..length(bytes, 8)? {
            hashes.insert(u64::from_le_bytes(chunk(bytes)?));
        }
        (hashes.len() <= LISTED_MAX).then_some(Sketch::Listed(hashes))
    }
}

fn keep(registers: &mut [u8], hash: u64) {
    let (register, rank) = place(hash);
    registers[register] = registers[register].max(rank as u8);
}

/// The estimate, of how many registers have each rank.
pub(super) fn estimate(ranks: &[u32; RANK_MAX + 1]) -> i64 {
    let registers = REGISTERS as f64;
    let share = |rank: usize| f64::from(ranks[rank]) / registers;
    let mut sum = registers * tau(1.0 - share(RANK_MAX));
    for rank in (1..RANK_MAX).rev() {
        sum = 0.5 * (sum + f64::from(ranks[rank]));
    }
    sum += registers * sigma(share(0));
    (registers * registers / (2.0 * std::f64::consts::LN_2 * sum)).round() as i64
}

/// Of the share of registers that hold nothing.
fn sigma(mut share: f64) -> f64 {
    if share >= 1.0 {
        return f64::INFINITY;
    }
    let (mut factor, mut sum) = (1.0, share);
    loop {
        share *= share;
        let before = sum;
        sum += share * factor;
        factor += factor;
        if sum == before {
            return sum;
        }
    }
}

/// Of the share of registers that hold less than the largest rank.
fn tau(mut share: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return 0.0;
    }
    let (mut factor, mut sum) = (1.0, 1.0 - share);
    loop {
        share = share.sqrt();
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - share) * (1.0 - share) * factor;
        if sum == before {
            return sum / 3.0;
        }
    }
}
