//! Filling sets of distinct arguments: bits, or a hash table beside the list of what it has.

use super::super::vector::{Vector, VectorData};
use super::distinct_texts::TextTable;
use super::{Accumulator, Input, TileGroups};
use crate::cpu::groups::first_rows::firsts;
use crate::cpu::index::{sort_by_group, starts_of};
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
use crate::cpu::keys::short::longest;
use crate::cpu::table::GroupTable;
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::distinct::{BitSets, Distinct, Domain, Members, Met};
use crate::plan::aggregate::AggregateKind;
use crate::plan::key_layout::{KeyLayout, PartDomain, ShortText};
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::Reduction;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// What it takes to fill sets: the aggregate without DISTINCT, and a table that finds the arguments of a list.
#[derive(Clone, Debug)]
pub(crate) struct Filling {
    pub(super) plain: AggregateKind,
    pub(super) argument: (DataType, Register),
    /// Where arguments are listed.
    pub(super) table: Option<MemberTable>,
    /// Bytes of the longest argument so far.
    longest: usize,
}

/// Finds arguments of groups.
#[derive(Clone, Debug)]
pub(super) struct MemberTable {
    form: MemberForm,
    keys: Keys,
}

/// What members are found by.
#[derive(Clone, Debug)]
enum Keys {
    /// Keys of their own.
    Codes(GroupTable),
    /// The strings that they are, whatever the groups.
    Texts(TextTable),
}

/// How a group and its argument become a key.
#[derive(Clone, Debug)]
pub(super) struct MemberForm {
    /// Groups that keys have room for. Few leave more bits to the arguments.
    groups_max: usize,
    /// Bytes of the longest argument that is a string.
    longest: usize,
    /// Whether the argument is a string of any length.
    pub(super) is_text: bool,
    pub(super) layout: KeyLayout,
}

impl Filling {
    /// Of an aggregate that is DISTINCT; with its sets, which are of no groups.
    pub(crate) fn new(kind: &AggregateKind) -> Result<(Self, Distinct)> {
        let plain = AggregateKind { distinct: false, ..kind.clone() };
        let Some(argument) = kind.argument else { return Err(Error::internal("distinct of nothing")) };
        let table = Some(MemberTable::new(MemberForm::new(argument, kind.grid, 1, 0)));
        let met = Met::Listed(Members::new(ColumnBuilder::new(argument.1)));
        Ok((Filling { plain, argument, table, longest: 0 }, Distinct { group_count: 0, met }))
    }

    pub(crate) fn resize(&mut self, sets: &mut Distinct, groups: usize) {
        sets.group_count = groups;
        match &mut sets.met {
            Met::Bits(bits) => {
                if !bits.resize(groups) {
                    self.hash_all(sets);
                }
            }
            Met::Listed(_) if self.table.as_ref().is_some_and(|table| groups <= table.groups_max()) => {}
            Met::Listed(members) => {
                let members = taken(members);
                self.hash_anew(sets, members);
            }
        }
    }

    pub(crate) fn update(&mut self, sets: &mut Distinct, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("distinct of nothing")) };
        if is_empty(sets)
            && let Some(domain) = domain_of(vector, self.plain.grid)
            && let Some(bits) = BitSets::new(domain, sets.group_count, bits_for(input.len, sets.group_count))
        {
            sets.met = Met::Bits(bits);
        }
        if let Met::Bits(bits) = &mut sets.met {
            if bits.update(vector, input) {
                return Ok(());
            }
            self.hash_all(sets);
        }
        let groups = match input.groups {
            TileGroups::One => Some(&vec![0; input.len][..]),
            TileGroups::Each(groups, _) => Some(groups),
            TileGroups::Masks(_) | TileGroups::Runs(_) => None,
        };
        if let (Some(groups), None, false) = (groups, &vector.nulls, vector.constant) {
            self.hash(sets, groups, vector);
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
        self.hash(sets, &groups, &values);
        Ok(())
    }

    /// Adds arguments of groups to the hash table.
    fn hash(&mut self, sets: &mut Distinct, groups: &[u32], arguments: &Vector) {
        self.longest = self.longest.max(longest(arguments));
        if let (Met::Listed(members), Some(table)) = (&mut sets.met, &self.table)
            && self.longest > table.form.longest
        {
            let members = taken(members);
            self.hash_anew(sets, members);
        }
        if let (Met::Listed(members), Some(table)) = (&mut sets.met, &mut self.table) {
            table.add(members, groups, arguments);
        }
    }

    /// Goes on with a hash table.
    fn hash_all(&mut self, sets: &mut Distinct) {
        let Met::Bits(bits) = &sets.met else { return };
        let groups = (bits.words.len() / bits.stride) as u32;
        let members = bits.members((0..groups).map(|group| (group, group)));
        self.hash_anew(sets, members);
    }

    /// Goes on with a hash table that has room for all groups, and these members.
    fn hash_anew(&mut self, sets: &mut Distinct, members: Members) {
        let form = MemberForm::new(self.argument, self.plain.grid, room_for(sets.group_count), self.longest);
        self.table = Some(MemberTable::new(form));
        sets.met = Met::Listed(Members::new(ColumnBuilder::new(self.argument.1)));
        self.hash(sets, &members.groups, &members.values.into_vector());
    }

    pub(crate) fn merge(&mut self, sets: &mut Distinct, other: &Distinct, from: &[u32], into: &[u32]) -> Result<()> {
        if let Met::Bits(theirs) = &other.met {
            if is_empty(sets)
                && let Some(bits) = BitSets::new(theirs.domain.clone(), sets.group_count, BITS_MAX)
            {
                sets.met = Met::Bits(bits);
            }
            if let Met::Bits(mine) = &mut sets.met
                && mine.domain.is(&theirs.domain)
            {
                from.iter().zip(into).for_each(|(&from, &into)| mine.unite(into, theirs, from));
                return Ok(());
            }
        }
        self.hash_all(sets);
        let pairs = from.iter().copied().zip(into.iter().copied());
        let members = match &other.met {
            Met::Bits(theirs) => theirs.members(pairs),
            Met::Listed(theirs) => theirs.chosen(pairs, other.group_count),
        };
        self.hash(sets, &members.groups, &members.values.into_vector());
        Ok(())
    }

    pub(crate) fn finish(
        self,
        sets: Distinct,
        data_type: DataType,
        workers: Option<Workers<'_>>,
    ) -> Result<ColumnBuilder> {
        let members = match sets.met {
            Met::Bits(bits) if self.plain.reduction == Reduction::Count => {
                return Ok(ColumnBuilder::from_i64(bits.counts(sets.group_count), None));
            }
            Met::Bits(bits) => bits.members((0..sets.group_count as u32).map(|group| (group, group))),
            Met::Listed(members) if self.plain.reduction == Reduction::Count => {
                let mut counts = vec![0i64; sets.group_count];
                members.groups.iter().for_each(|&group| counts[group as usize] += 1);
                return Ok(ColumnBuilder::from_i64(counts, None));
            }
            Met::Listed(members) => members,
        };
        let mut plain = Accumulator::new(&self.plain)?;
        plain.resize(sets.group_count);
        plain.update(&Input {
            groups: TileGroups::Each(&members.groups, None),
            vector: Some(&members.values.into_vector()),
            len: members.groups.len(),
        })?;
        plain.finish(data_type, workers)
    }

    /// Bytes held, without the sets.
    pub(crate) fn bytes(&self) -> usize {
        self.table.as_ref().map_or(0, MemberTable::bytes)
    }
}

/// The members, of which none are left.
fn taken(members: &mut Members) -> Members {
    std::mem::replace(members, Members::new(ColumnBuilder::of_type(DataType::Null)))
}

/// Groups that keys are to have room for if there are so many.
pub(super) fn room_for(groups: usize) -> usize {
    match groups {
        0 | 1 => 1,
        _ if groups <= FEW_GROUPS => FEW_GROUPS,
        _ => 1 << 32,
    }
}

/// Whether there are many arguments, each of which a merge looks for once more.
pub(crate) fn is_dear_to_merge(sets: &Distinct) -> bool {
    matches!(&sets.met, Met::Listed(members) if members.groups.len() > DEAR_MEMBERS)
}

fn is_empty(sets: &Distinct) -> bool {
    matches!(&sets.met, Met::Listed(members) if members.groups.is_empty())
}

/// Arguments in a hash table that are many to merge.
pub(super) const DEAR_MEMBERS: usize = if cfg!(test) { 100 } else { 1 << 14 };

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

/// What an argument like this one can be, if it lies in a range.
fn domain_of(vector: &Vector, grid: Option<Grid>) -> Option<Domain> {
    match &vector.data {
        VectorData::Code { dictionary, .. } => Some(Domain::Strings(Arc::clone(dictionary))),
        VectorData::I32(_) | VectorData::I64(_) => Domain::integers(grid?, vector.register()),
        _ => None,
    }
}

impl BitSets {
    /// Empty sets, if they take at most so many bits.
    fn new(domain: Domain, groups: usize, most: u64) -> Option<Self> {
        let stride = domain.stride();
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
        Members { groups, ..Members::new(self.domain.values(codes)) }
    }
}

impl Members {
    /// What groups, of so many, have, as the members of other ones.
    fn chosen(&self, pairs: impl Iterator<Item = (u32, u32)>, group_count: usize) -> Members {
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
        Members { groups, ..Members::new(self.values.take(&rows)) }
    }
}

impl MemberForm {
    /// For so many groups; the longest argument that is a string has so many bytes.
    pub(super) fn new(
        (data_type, _): (DataType, Register),
        grid: Option<Grid>,
        groups_max: usize,
        longest: usize,
    ) -> Self {
        // What packs into 128 bits beside a group, and into 64 without.
        let shorts: &[u32] = match groups_max {
            1 => &[7, 15],
            FEW_GROUPS => &[14],
            _ => &[11],
        };
        let short = shorts.iter().copied().find(|&most| longest <= most as usize);
        let (argument, longest) = match (PartDomain::of_type(data_type), grid, short) {
            (PartDomain::Integer(_), Some(grid), _) => (PartDomain::Integer(grid), usize::MAX),
            (PartDomain::Text, _, Some(most)) if Technique::ShortTexts.is_on() => {
                (PartDomain::Short(Arc::new(ShortText::of(most))), most as usize)
            }
            (domain, ..) => (domain, usize::MAX),
        };
        let is_text = data_type.is_text() && matches!(argument, PartDomain::Text);
        let group = PartDomain::integers(0, groups_max as i128 - 1);
        let layout = KeyLayout::new(if groups_max == 1 { vec![argument] } else { vec![group, argument] });
        MemberForm { groups_max, longest, is_text, layout }
    }

    /// The keys of arguments of groups.
    pub(super) fn codes(&self, groups: &[u32], argument: &Vector) -> Codes {
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
        codes
    }
}

impl MemberTable {
    fn new(form: MemberForm) -> Self {
        let keys = match form.is_text && Technique::DistinctViews.is_on() {
            true => Keys::Texts(TextTable::new()),
            false => Keys::Codes(GroupTable::new(form.layout.width, 0)),
        };
        MemberTable { form, keys }
    }

    /// Groups that it has room for.
    fn groups_max(&self) -> usize {
        if let Keys::Texts(_) = self.keys { usize::MAX } else { self.form.groups_max }
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        match &self.keys {
            Keys::Codes(table) => table.bytes(),
            Keys::Texts(table) => table.bytes(),
        }
    }

    /// Adds arguments of groups to the members, which are in the table's order.
    fn add(&mut self, members: &mut Members, groups: &[u32], argument: &Vector) {
        let table = match &mut self.keys {
            Keys::Codes(table) => table,
            Keys::Texts(table) => return table.add(members, groups, argument),
        };
        let codes = self.form.codes(groups, argument);
        let before = table.len();
        let mut numbers = Vec::new();
        table.insert(&codes, &mut numbers);
        let new = firsts(&numbers, before, table.len());
        members.groups.extend(new.iter().map(|&tuple| groups[tuple as usize]));
        let mut values = Vector::default();
        values.gather(argument, &new);
        members.values.append(&values);
    }
}
