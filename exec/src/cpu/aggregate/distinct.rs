//! DISTINCT arguments: a set of (group, argument), folded into the plain aggregate at the end. It is a bit for each code of
//! an argument in each group where there are not too many, else a hash table.

use super::super::vector::{Vector, VectorData};
use super::{Input, TileGroups};
use crate::column::Dictionary;
use crate::column::divisor::Divisor;
use crate::cpu::groups::first_rows::firsts;
use crate::cpu::index::{sort_by_group, starts_of};
use crate::cpu::keys::codes::{Codes, KeyPartValues, PartValues};
use crate::cpu::table::GroupTable;
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::builder::Gathered;
use crate::plan::aggregate::AggregateKind;
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::{Error, Result};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::Reduction;
use multiloop_planner::types::DataType;
use std::sync::{Arc, OnceLock};

/// The distinct arguments of each group.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    plain: AggregateKind,
    argument: (DataType, Register),
    group_count: usize,
    met: Met,
}

#[derive(Clone, Debug)]
enum Met {
    Bits(BitSets),
    Hash(Box<HashSet>),
}

/// Arguments with their groups.
struct Members {
    groups: Vec<u32>,
    values: Vector,
}

impl Distinct {
    /// For no groups, of an aggregate that is DISTINCT.
    pub(crate) fn new(kind: &AggregateKind) -> Result<Self> {
        let plain = AggregateKind { distinct: false, ..kind.clone() };
        let Some(argument) = kind.argument else { return Err(Error::internal("distinct of nothing")) };
        let met = Met::Hash(Box::new(HashSet::new(argument, kind.grid, 1)));
        Ok(Distinct { plain, argument, group_count: 0, met })
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.group_count = groups;
        match &mut self.met {
            Met::Bits(bits) => {
                if !bits.resize(groups) {
                    self.hash_all();
                }
            }
            Met::Hash(set) if groups <= set.groups_max => {}
            Met::Hash(set) => {
                let values = std::mem::replace(&mut set.values, Gathered::of_type(DataType::Null)).into_vector();
                let members = Members { groups: std::mem::take(&mut set.groups), values };
                self.hash_anew(&members);
            }
        }
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("distinct of nothing")) };
        if self.is_empty()
            && let Some(domain) = Domain::of(vector, self.plain.grid)
            && let Some(bits) = BitSets::new(domain, self.group_count, bits_for(input.len, self.group_count))
        {
            self.met = Met::Bits(bits);
        }
        if let Met::Bits(bits) = &mut self.met {
            if bits.update(vector, input) {
                return Ok(());
            }
            self.hash_all();
        }
        let groups = match input.groups {
            TileGroups::One => Some(&vec![0; input.len][..]),
            TileGroups::Each(groups, _) => Some(groups),
            TileGroups::Masks(_) | TileGroups::Runs(_) => None,
        };
        if let (Some(groups), None, false) = (groups, &vector.nulls, vector.constant) {
            self.hash(groups, vector);
            return Ok(());
        }
        let mut tuples = Vec::with_capacity(input.len);
        let mut groups = Vec::with_capacity(input.len);
        input.each_valid(|tuple, group| {
            tuples.push(tuple as u32);
            groups.push(group as u32);
        });
        let mut values = Vector::default();
        values.gather(vector, &tuples);
        self.hash(&groups, &values);
        Ok(())
    }

    /// Whether there are many arguments, each of which a merge looks for once more.
    pub(crate) fn is_dear_to_merge(&self) -> bool {
        matches!(&self.met, Met::Hash(set) if set.groups.len() > DEAR_MEMBERS)
    }

    fn is_empty(&self) -> bool {
        matches!(&self.met, Met::Hash(set) if set.groups.is_empty())
    }

    /// Adds arguments of groups to the hash table.
    fn hash(&mut self, groups: &[u32], arguments: &Vector) {
        if let Met::Hash(set) = &mut self.met {
            set.add(groups, arguments);
        }
    }

    /// Goes on with a hash table.
    fn hash_all(&mut self) {
        let Met::Bits(bits) = &self.met else { return };
        let groups = (bits.words.len() / bits.stride) as u32;
        let members = bits.members((0..groups).map(|group| (group, group)));
        self.hash_anew(&members);
    }

    /// Goes on with a hash table that has room for all groups, and these members.
    fn hash_anew(&mut self, members: &Members) {
        let groups_max = if self.group_count <= FEW_GROUPS { FEW_GROUPS } else { 1 << 32 };
        let mut set = HashSet::new(self.argument, self.plain.grid, groups_max);
        set.add(&members.groups, &members.values);
        self.met = Met::Hash(Box::new(set));
    }

    pub(crate) fn merge(&mut self, other: &Self, from: &[u32], into: &[u32]) -> Result<()> {
        if let Met::Bits(theirs) = &other.met {
            if self.is_empty()
                && let Some(bits) = BitSets::new(theirs.domain.clone(), self.group_count, BITS_MAX)
            {
                self.met = Met::Bits(bits);
            }
            if let Met::Bits(mine) = &mut self.met
                && mine.domain.is(&theirs.domain)
            {
                from.iter().zip(into).for_each(|(&from, &into)| mine.unite(into, theirs, from));
                return Ok(());
            }
        }
        self.hash_all();
        let pairs = from.iter().copied().zip(into.iter().copied());
        let members = match &other.met {
            Met::Bits(theirs) => theirs.members(pairs),
            Met::Hash(theirs) => theirs.members(pairs, other.group_count),
        };
        self.hash(&members.groups, &members.values);
        Ok(())
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<Gathered> {
        let members = match self.met {
            Met::Bits(bits) if self.plain.reduction == Reduction::Count => {
                return Ok(Gathered::from_i64(bits.counts(self.group_count), None));
            }
            Met::Bits(bits) => bits.members((0..self.group_count as u32).map(|group| (group, group))),
            Met::Hash(set) => Members { groups: set.groups, values: set.values.into_vector() },
        };
        let mut plain = self.plain.accumulator()?;
        plain.resize(self.group_count);
        plain.update(&Input {
            groups: TileGroups::Each(&members.groups, None),
            vector: Some(&members.values),
            len: members.groups.len(),
        })?;
        plain.finish(data_type)
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.met {
            Met::Bits(bits) => bits.words.capacity() * 8,
            Met::Hash(set) => set.table.bytes() + set.values.bytes() + set.groups.capacity() * 4,
        }
    }
}

/// Arguments in a hash table that are many to merge.
const DEAR_MEMBERS: usize = if cfg!(test) { 100 } else { 1 << 14 };

/// Groups that are few enough to take few bits of a hashed key.
const FEW_GROUPS: usize = 1 << 5;

/// Bits of all groups together, at most: 8 MiB.
const BITS_MAX: u64 = 1 << 26;

/// Bits that the first tuples make worth it: all of them are looked at in the end. Where there are many groups there may be
/// many more to come.
fn bits_for(tuples: usize, groups: usize) -> u64 {
    let each = if groups <= FEW_GROUPS { 4096 } else { 64 };
    (tuples as u64 * each).clamp(1 << 16, BITS_MAX)
}

/// A bit for each code in each group.
#[derive(Clone, Debug)]
struct BitSets {
    domain: Domain,
    /// Words of a group.
    stride: usize,
    words: Vec<u64>,
}

/// Which arguments have codes.
#[derive(Clone, Debug)]
enum Domain {
    /// So many from the lowest on in steps, in this register.
    Integers { low: i64, count: u64, step: Divisor, register: Register },
    /// The strings of a dictionary.
    Strings(Arc<Dictionary>),
}

impl Domain {
    /// Those that an argument like this one can be, if it lies in a range.
    fn of(vector: &Vector, grid: Option<Grid>) -> Option<Self> {
        match &vector.data {
            VectorData::Code { dictionary, .. } => Some(Domain::Strings(Arc::clone(dictionary))),
            VectorData::I32(_) | VectorData::I64(_) => {
                let Grid { low, high, step } = grid?;
                let last = u64::try_from(high.checked_sub(low)?).ok()? / step;
                let (low, step) = (i64::try_from(low).ok()?, Divisor::new(step));
                Some(Domain::Integers { low, count: last.checked_add(1)?, step, register: vector.register() })
            }
            _ => None,
        }
    }

    fn count(&self) -> u64 {
        match self {
            Domain::Integers { count, .. } => *count,
            Domain::Strings(dictionary) => dictionary.len() as u64,
        }
    }

    fn is(&self, other: &Domain) -> bool {
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
    /// Empty sets, if they take at most so many bits.
    fn new(domain: Domain, groups: usize, most: u64) -> Option<Self> {
        let stride = domain.count().div_ceil(64).max(1);
        let bits = stride.checked_mul(64)?.checked_mul(groups.max(1) as u64)?;
        let fits = bits <= most && Technique::Set.is_on();
        fits.then(|| BitSets { domain, stride: stride as usize, words: vec![0; stride as usize * groups] })
    }

    /// Makes room for so many groups; false if they are too many.
    fn resize(&mut self, groups: usize) -> bool {
        let fits = (self.stride as u64 * 64).checked_mul(groups as u64).is_some_and(|bits| bits <= BITS_MAX);
        if fits {
            self.words.resize(self.stride * groups, 0);
        }
        fits
    }

    /// Adds arguments; false if some have no code, which leaves the others added.
    fn update(&mut self, vector: &Vector, input: &Input<'_>) -> bool {
        match (&self.domain, &vector.data) {
            (&Domain::Integers { low, count, step, .. }, VectorData::I32(values)) => {
                let distance = |tuple| i64::from(values[vector.position(tuple)]).wrapping_sub(low) as u64;
                self.mark(input, count, |tuple| step.exact(distance(tuple)))
            }
            (&Domain::Integers { low, count, step, .. }, VectorData::I64(values)) => {
                let distance = |tuple| values[vector.position(tuple)].wrapping_sub(low) as u64;
                self.mark(input, count, |tuple| step.exact(distance(tuple)))
            }
            (Domain::Strings(own), VectorData::Code { codes, dictionary }) if Arc::ptr_eq(own, dictionary) => {
                let count = own.len() as u64;
                self.mark(input, count, |tuple| codes[vector.position(tuple)].into())
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn mark(&mut self, input: &Input<'_>, count: u64, code: impl Fn(usize) -> u64) -> bool {
        let mut all = true;
        let (words, stride) = (&mut self.words, self.stride);
        input.each_valid(|tuple, group| {
            let code = code(tuple);
            if code < count {
                words[group * stride + (code / 64) as usize] |= 1 << (code % 64);
            } else {
                all = false;
            }
        });
        all
    }

    fn of_group(&self, group: u32) -> &[u64] {
        &self.words[group as usize * self.stride..][..self.stride]
    }

    /// Adds to a group what another one has, of sets of the same domain.
    fn unite(&mut self, group: u32, other: &BitSets, from: u32) {
        let words = &mut self.words[group as usize * self.stride..][..self.stride];
        words.iter_mut().zip(other.of_group(from)).for_each(|(word, from)| *word |= from);
    }

    /// How many arguments each group has.
    fn counts(&self, groups: usize) -> Vec<i64> {
        let ones = |group| self.of_group(group).iter().map(|word| i64::from(word.count_ones())).sum();
        (0..groups as u32).map(ones).collect()
    }

    /// What groups have, as the members of other ones.
    fn members(&self, pairs: impl Iterator<Item = (u32, u32)>) -> Members {
        let (mut groups, mut codes) = (Vec::new(), Vec::new());
        for (group, into) in pairs {
            for (place, &word) in self.of_group(group).iter().enumerate() {
                each_one(word, |at| codes.push((place * 64 + at) as u32));
            }
            groups.resize(codes.len(), into);
        }
        let data = match &self.domain {
            &Domain::Integers { low, step, register, .. } => {
                let by = step.divisor() as i64;
                let value = |&code: &u32| low.wrapping_add(by.wrapping_mul(code.into()));
                match register {
                    Register::I32 => VectorData::I32(codes.iter().map(|code| value(code) as i32).collect()),
                    _ => VectorData::I64(codes.iter().map(value).collect()),
                }
            }
            Domain::Strings(dictionary) => VectorData::Code { codes, dictionary: Arc::clone(dictionary) },
        };
        let mut values = Vector::default();
        values.set(groups.len(), data, None);
        Members { groups, values }
    }
}

/// Arguments by hash.
#[derive(Clone, Debug)]
struct HashSet {
    /// Groups that its keys have room for. Few leave more bits to the arguments.
    groups_max: usize,
    layout: KeyLayout,
    table: GroupTable,
    /// The arguments and their groups, in the table's order.
    values: Gathered,
    groups: Vec<u32>,
    /// For a merge, which asks for a few groups at a time: where each group's rows begin, and the rows by group.
    by_group: OnceLock<(Vec<u32>, Vec<u32>)>,
}

impl HashSet {
    fn new((data_type, register): (DataType, Register), grid: Option<Grid>, groups_max: usize) -> Self {
        let argument = match (PartDomain::of_type(data_type), grid) {
            (PartDomain::Integer(_), Some(grid)) => PartDomain::Integer(grid),
            (domain, _) => domain,
        };
        let group = PartDomain::integers(0, groups_max as i128 - 1);
        let layout = KeyLayout::new(if groups_max == 1 { vec![argument] } else { vec![group, argument] });
        let table = GroupTable::new(layout.width, 0);
        let (values, groups) = (Gathered::new(register), Vec::new());
        HashSet { groups_max, layout, table, values, groups, by_group: OnceLock::new() }
    }

    fn add(&mut self, groups: &[u32], argument: &Vector) {
        let part = |vector| KeyPartValues { values: PartValues::Vector(vector), null_matches: true };
        let mut codes = Codes::default();
        if self.groups_max == 1 {
            codes.encode(&self.layout, &[part(argument)], groups.len());
        } else {
            let mut group = Vector::default();
            let wide = groups.iter().map(|&group| i64::from(group)).collect();
            group.set(groups.len(), VectorData::I64(wide), None);
            codes.encode(&self.layout, &[part(&group), part(argument)], groups.len());
        }
        let before = self.table.len();
        let mut numbers = Vec::new();
        self.table.insert(&codes, &mut numbers);
        let new = firsts(&numbers, before, self.table.len());
        self.groups.extend(new.iter().map(|&tuple| groups[tuple as usize]));
        let mut values = Vector::default();
        values.gather(argument, &new);
        self.values.append(&values);
    }

    /// What groups, of so many, have, as the members of other ones.
    fn members(&self, pairs: impl Iterator<Item = (u32, u32)>, group_count: usize) -> Members {
        let (starts, by_group) = self.by_group.get_or_init(|| {
            let starts = starts_of(&self.groups, group_count);
            let rows = sort_by_group(&self.groups, &starts);
            (starts, rows)
        });
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for (group, into) in pairs {
            rows.extend_from_slice(&by_group[starts[group as usize] as usize..starts[group as usize + 1] as usize]);
            groups.resize(rows.len(), into);
        }
        Members { groups, values: self.values.take(&rows).into_vector() }
    }
}
