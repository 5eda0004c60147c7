//! DISTINCT arguments: a set of (group, argument), folded into the plain aggregate at the end. It is a bit for each code of
//! an argument in each group where there are not too many, else a list.

use crate::column::Dictionary;
use crate::column::column_builder::{BuilderData, ColumnBuilder};
use crate::column::divisor::Divisor;
use crate::plan::register::Register;
use multiloop_planner::analysis::ranges::Grid;
use std::sync::{Arc, OnceLock};

/// The distinct arguments of each group.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    pub(crate) group_count: usize,
    pub(crate) met: Met,
}

#[derive(Clone, Debug)]
pub(crate) enum Met {
    Bits(BitSets),
    Listed(Members),
}

/// Arguments with their groups, no pair twice.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    pub(crate) groups: Vec<u32>,
    pub(crate) values: ColumnBuilder,
    /// For a merge, which asks for a few groups at a time: where each group's rows begin, and the rows by group.
    pub(crate) by_group: OnceLock<(Vec<u32>, Vec<u32>)>,
}

/// A bit for each code in each group.
#[derive(Clone, Debug)]
pub(crate) struct BitSets {
    pub(crate) domain: Domain,
    /// Words of a group.
    pub(crate) stride: usize,
    pub(crate) words: Vec<u64>,
}

/// Which arguments have codes.
#[derive(Clone, Debug)]
pub(crate) enum Domain {
    /// So many from the lowest on in steps, in this register.
    Integers { low: i64, count: u64, step: Divisor, register: Register },
    /// The strings of a dictionary.
    Strings(Arc<Dictionary>),
}

impl Domain {
    /// Integers of a range, if they fit 64 bits.
    pub(crate) fn integers(grid: Grid, register: Register) -> Option<Self> {
        let Grid { low, high, step } = grid;
        let last = u64::try_from(high.checked_sub(low)?).ok()? / step;
        let (low, step) = (i64::try_from(low).ok()?, Divisor::new(step));
        Some(Domain::Integers { low, count: last.checked_add(1)?, step, register })
    }

    /// The arguments of codes.
    pub(crate) fn values(&self, codes: Vec<u32>) -> ColumnBuilder {
        let len = codes.len();
        let data = match self {
            &Domain::Integers { low, step, register, .. } => {
                let by = step.divisor() as i64;
                let value = |&code: &u32| low.wrapping_add(by.wrapping_mul(code.into()));
                match register {
                    Register::I32 => BuilderData::I32(codes.iter().map(|code| value(code) as i32).collect()),
                    _ => BuilderData::I64(codes.iter().map(value).collect()),
                }
            }
            Domain::Strings(dictionary) => BuilderData::Code { codes, dictionary: Arc::clone(dictionary) },
        };
        ColumnBuilder { data, valid: None, len }
    }

    /// How many codes.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Domain::Integers { count, .. } => *count,
            Domain::Strings(dictionary) => dictionary.len() as u64,
        }
    }

    /// Words of the bits of a group.
    pub(crate) fn stride(&self) -> u64 {
        self.count().div_ceil(64).max(1)
    }

    /// Whether the codes of both mean the same.
    pub(crate) fn is(&self, other: &Domain) -> bool {
        match (self, other) {
            (
                &Domain::Integers { low, count, step, .. },
                &Domain::Integers { low: from, count: other, step: by, .. },
            ) => (low, count, step.divisor()) == (from, other, by.divisor()),
            (Domain::Strings(a), Domain::Strings(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl BitSets {
    /// The bits of a group.
    pub(crate) fn of_group(&self, group: u32) -> &[u64] {
        &self.words[group as usize * self.stride..][..self.stride]
    }
}

impl Members {
    /// None yet, for values of this form.
    pub(crate) fn new(values: ColumnBuilder) -> Self {
        Members { groups: Vec::new(), values, by_group: OnceLock::new() }
    }
}

impl Distinct {
    pub(crate) fn groups(&self) -> usize {
        self.group_count
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (&self.met, &other.met) {
            (Met::Listed(mine), Met::Listed(theirs)) => mine.values.is_like(&theirs.values),
            (Met::Listed(listed), Met::Bits(bits)) | (Met::Bits(bits), Met::Listed(listed)) => {
                listed.values.is_like(&bits.domain.values(vec![0]))
            }
            (Met::Bits(mine), Met::Bits(theirs)) => mine.domain.values(vec![0]).is_like(&theirs.domain.values(vec![0])),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.met {
            Met::Bits(bits) => bits.words.capacity() * 8,
            Met::Listed(members) => members.values.bytes() + members.groups.capacity() * 4,
        }
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let met = match &self.met {
            Met::Bits(bits) => {
                let words = groups.iter().flat_map(|&group| bits.of_group(group)).copied().collect();
                Met::Bits(BitSets { domain: bits.domain.clone(), stride: bits.stride, words })
            }
            Met::Listed(members) => {
                let mut numbers = vec![None; self.group_count];
                groups.iter().enumerate().for_each(|(number, &group)| numbers[group as usize] = Some(number as u32));
                let number = |(row, &group): (usize, &u32)| Some((row as u32, numbers[group as usize]?));
                let (rows, groups): (Vec<u32>, Vec<u32>) = members.groups.iter().enumerate().filter_map(number).unzip();
                Met::Listed(Members { groups, ..Members::new(members.values.take(&rows)) })
            }
        };
        Distinct { group_count: groups.len(), met }
    }
}
