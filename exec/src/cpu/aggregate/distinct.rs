//! DISTINCT arguments: a set of (group, argument), folded into the plain aggregate at the end.

use super::super::bucket::index::{sort_by_group, starts_of};
use super::super::bucket::key::{Codes, KeyLayout, KeyPartValues, PartDomain, PartValues};
use super::super::bucket::table::GroupTable;
use super::super::gather::Gathered;
use super::super::vector::{Vector, VectorData};
use super::{AggregateKind, Input, TileGroups};
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use std::sync::OnceLock;

/// The distinct arguments of each group.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    plain: AggregateKind,
    layout: KeyLayout,
    table: GroupTable,
    /// The arguments and their groups, in the table's order.
    values: Gathered,
    groups: Vec<u32>,
    group_count: usize,
    /// For a merge, which asks for a few groups at a time: where each group's rows begin, and the rows by group.
    by_group: OnceLock<(Vec<u32>, Vec<u32>)>,
}

impl Distinct {
    /// For no groups, of an aggregate that is DISTINCT.
    pub(crate) fn new(kind: &AggregateKind) -> Result<Self> {
        let Some((data_type, register)) = kind.argument else { return Err(Error::internal("distinct of nothing")) };
        let group = PartDomain::Integer { low: 0, high: u32::MAX.into() };
        let argument = match (PartDomain::of_type(data_type), kind.bound) {
            (PartDomain::Integer { .. }, Some(bound)) => {
                PartDomain::Integer { low: -i128::from(bound), high: i128::from(bound) }
            }
            (domain, _) => domain,
        };
        let layout = KeyLayout::new(vec![group, argument]);
        let plain = AggregateKind { distinct: false, ..kind.clone() };
        let table = GroupTable::new(layout.width, 0);
        let (values, groups) = (Gathered::new(register), Vec::new());
        Ok(Distinct { plain, layout, table, values, groups, group_count: 0, by_group: OnceLock::new() })
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.group_count = groups;
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("distinct of nothing")) };
        let mut tuples = Vec::with_capacity(input.len);
        let mut groups = Vec::with_capacity(input.len);
        input.each_valid(|tuple, group| {
            tuples.push(tuple as u32);
            groups.push(group as u32);
        });
        let mut argument = Vector::default();
        argument.gather(vector, &tuples);
        self.add(&argument, groups);
        Ok(())
    }

    fn add(&mut self, argument: &Vector, groups: Vec<u32>) {
        let mut group = Vector::default();
        let wide = groups.iter().map(|&group| i64::from(group)).collect();
        group.set(groups.len(), VectorData::I64(wide), None);
        let part = |vector| KeyPartValues { values: PartValues::Vector(vector), null_matches: true };
        let mut codes = Codes::default();
        codes.encode(&self.layout, &[part(&group), part(argument)], groups.len());
        let before = self.table.len();
        let mut numbers = Vec::new();
        self.table.insert(&codes, &mut numbers);
        let mut new = Vec::new();
        for (tuple, &number) in numbers.iter().enumerate() {
            if number as usize == before + new.len() {
                new.push(tuple as u32);
            }
        }
        self.groups.extend(new.iter().map(|&tuple| groups[tuple as usize]));
        let mut values = Vector::default();
        values.gather(argument, &new);
        self.values.append(&values);
    }

    pub(crate) fn merge(&mut self, other: &Self, from: &[u32], into: &[u32]) -> Result<()> {
        let (starts, by_group) = other.by_group.get_or_init(|| {
            let starts = starts_of(&other.groups, other.group_count);
            let rows = sort_by_group(&other.groups, &starts);
            (starts, rows)
        });
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for (&from, &into) in from.iter().zip(into) {
            let members = &by_group[starts[from as usize] as usize..starts[from as usize + 1] as usize];
            rows.extend_from_slice(members);
            groups.resize(rows.len(), into);
        }
        self.add(&other.values.take(&rows).into_vector(), groups);
        Ok(())
    }

    pub(crate) fn finish(self, data_type: DataType) -> Result<Gathered> {
        let mut plain = self.plain.accumulator()?;
        plain.resize(self.group_count);
        let values = self.values.into_vector();
        plain.update(&Input {
            groups: TileGroups::Each(&self.groups, None),
            vector: Some(&values),
            len: self.groups.len(),
        })?;
        plain.finish(data_type)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes() + self.values.bytes() + self.groups.capacity() * 4
    }
}
