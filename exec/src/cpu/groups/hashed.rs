//! Hash: a hash table numbers keys in the order in which they come.

use super::super::vector::Vector;
use super::assigned::Assigned;
use super::splitters::MERGE_PARTS;
use crate::cpu::groups::first_rows::{Firsts, firsts};
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::decode::{canonical, columns_of, settle_intervals};
use crate::cpu::table::{GroupTable, Which};
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::partial::hash::part_of_hash;
use crate::partial::keys::{CodeKeys, Keys};
use crate::partial::order::Order;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::{Error, Result};
use multiloop_planner::types::DataType;

/// A hash table of keys; without places of first rows if the table is to be an index.
#[derive(Debug)]
pub(crate) struct Hashed {
    pub(crate) layout: KeyLayout,
    pub(crate) table: GroupTable,
    /// The keys, a column a part, unless the table's codes tell them or nobody asks.
    pub(crate) keys: Vec<ColumnBuilder>,
    pub(crate) firsts: Firsts,
    pub(crate) own_index: bool,
}

impl Hashed {
    /// No groups yet.
    pub(crate) fn new(layout: KeyLayout, types: &[DataType], own_index: bool) -> Self {
        let (table, keys) = (GroupTable::new(layout.width, 0), kept_keys(&layout, types, own_index));
        Hashed { layout, table, keys, firsts: Firsts::default(), own_index }
    }

    pub(super) fn bytes(&self) -> usize {
        let Hashed { layout, table, keys, firsts, own_index } = self;
        // Keys that codes tell are there at the end: the codes once more, and then values, and whether they are NULL.
        let (code, value) = if layout.width == KeyWidth::Bits128 { (16, 17) } else { (8, 13) };
        let tells = layout.codes_tell_keys() && !own_index;
        let told = if tells { code + value * layout.parts.len() } else { 0 };
        let kept = keys.iter().map(ColumnBuilder::bytes).sum::<usize>() + firsts.places.capacity() * 8;
        table.bytes() + kept + table.len() * told
    }

    /// Numbers keys with these codes; the keys are not asked for if codes tell them.
    pub(super) fn assign(&mut self, key: &[&Vector], codes: &mut Codes, assigned: &mut Assigned) {
        let Hashed { layout, table, keys, firsts: places, own_index } = self;
        let len = codes.len;
        debug_assert!(codes.absent.is_none(), "ranges hold for every key");
        let before = table.len();
        table.insert(codes.without_duplicates(layout.width), &mut assigned.groups);
        assigned.take_duplicates(&codes.duplicates);
        if *own_index {
            return;
        }
        let Assigned { groups, runs, has_runs, .. } = assigned;
        let new = if *has_runs { runs.firsts(before) } else { firsts(groups, before, table.len()) };
        if places.goes_back() {
            if std::mem::take(has_runs) {
                runs.spread(groups);
            }
            places.add_all(&groups[..len]);
        } else {
            places.add(&new, len);
        }
        for (column, vector) in keys.iter_mut().zip(key) {
            if !new.is_empty() {
                let mut values = Vector::default();
                values.gather(vector, &new);
                column.append(&values);
            }
            if let BuilderData::Interval(_) = column.data {
                if std::mem::take(has_runs) {
                    runs.spread(groups);
                }
                settle_intervals(column, vector, groups);
            }
        }
    }

    /// Adds groups that have these keys, and columns of them; gives their numbers here.
    pub(super) fn merge(
        &mut self,
        (codes, columns): (&CodeKeys, &[ColumnBuilder]),
        order: &Order,
        chosen: &[u32],
    ) -> Result<Vec<u32>> {
        let before = self.table.len();
        let numbers = self.table.insert_all(codes, chosen)?;
        if self.own_index {
            return Ok(numbers);
        }
        let Order::FirstRows(places) = order else { return Err(Error::internal("groups whose order nobody knows")) };
        self.firsts.merge(places, chosen, &numbers);
        let new = firsts(&numbers, before, self.table.len()).into_iter();
        let new: Vec<u32> = new.map(|at| chosen[at as usize]).collect();
        for (column, from) in self.keys.iter_mut().zip(columns) {
            column.append_all(from.take(&new));
            if let BuilderData::Interval(_) = column.data {
                settle_intervals(column, &from.take(chosen).into_vector(), &numbers);
            }
        }
        Ok(numbers)
    }

    /// Some of the groups, which come in the order of their numbers, by part of a merge and then as their first rows came.
    pub(super) fn in_order(&self, groups: Vec<u32>) -> Vec<u32> {
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); MERGE_PARTS];
        groups.into_iter().for_each(|group| parts[self.part(group)].push(group));
        parts.iter_mut().for_each(|groups| self.firsts.sort(groups));
        parts.concat()
    }

    /// The part that the hash of a group's key says.
    fn part(&self, group: u32) -> usize {
        part_of_hash(self.table.hash(group as usize), MERGE_PARTS)
    }

    /// If groups are numbered in the order of their first rows, as those of one worker are, the place of each in the order
    /// of [`Hashed::in_order`]: to put them there costs less than to look for them.
    pub(crate) fn places(&self) -> Option<Vec<u32>> {
        if !self.firsts.places.is_sorted() {
            return None;
        }
        let parts: Vec<u8> = (0..self.table.len() as u32).map(|group| self.part(group) as u8).collect();
        let mut next = [0; MERGE_PARTS];
        parts.iter().for_each(|&part| next[part as usize] += 1);
        let mut start = 0;
        next.iter_mut().for_each(|next| start += std::mem::replace(next, start));
        let place = |&part: &u8| {
            let next = &mut next[part as usize];
            *next += 1;
            *next - 1
        };
        Some(parts.iter().map(place).collect())
    }

    /// All keys, at the [`Hashed::places`] of their groups: a column a part that is read.
    pub(crate) fn placed_keys(self, places: &[u32], read: &[bool]) -> Vec<ColumnBuilder> {
        if self.layout.codes_tell_keys() {
            return self.table.into_decoded(&self.layout, Which::Placed(places), read);
        }
        let columns = self.keys.iter().zip(read).filter(|&(_, &is_read)| is_read);
        columns.map(|(column, _)| canonical(column.put(places))).collect()
    }

    /// Whether the groups, of which all are of one part, are numbered in their order.
    pub(crate) fn is_ordered_part(&self) -> bool {
        self.firsts.places.is_sorted()
    }

    /// All keys, a column a part that is read.
    pub(crate) fn into_keys(self, read: &[bool]) -> Vec<ColumnBuilder> {
        if self.layout.codes_tell_keys() {
            return self.table.into_decoded(&self.layout, Which::All, read);
        }
        let columns = self.keys.into_iter().zip(read).filter(|&(_, &is_read)| is_read);
        columns.map(|(column, _)| canonical(column)).collect()
    }

    /// The keys of some groups, a column a part.
    pub(super) fn keys_of(&self, groups: &[u32]) -> Vec<ColumnBuilder> {
        if self.layout.codes_tell_keys() {
            return self.table.decoded(&self.layout, Which::Of(groups));
        }
        self.keys.iter().map(|column| canonical(column.take(groups))).collect()
    }

    pub(super) fn into_partial(self) -> (Keys, Order) {
        let order = if self.own_index { Order::Unseen } else { Order::FirstRows(self.firsts.places) };
        (Keys::Hashed { layout: self.layout, codes: self.table.into_keys(), columns: self.keys }, order)
    }

    /// As [`Hashed::into_partial`], leaving none; the places of rows to come go on.
    pub(super) fn take_partial(&mut self, types: &[DataType]) -> (Keys, Order) {
        let mut fresh = Hashed::new(self.layout.clone(), types, self.own_index);
        fresh.firsts = self.firsts.going_on();
        std::mem::replace(self, fresh).into_partial()
    }
}

/// Memory for the keys that stand beside a hash table.
fn kept_keys(layout: &KeyLayout, types: &[DataType], own_index: bool) -> Vec<ColumnBuilder> {
    if own_index || layout.codes_tell_keys() { Vec::new() } else { columns_of(types) }
}

#[cfg(test)]
mod tests {
    use super::super::super::vector::VectorData;
    use super::*;
    use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
    use crate::plan::key_layout::PartDomain;

    /// Hashed groups of these keys, in tiles of which each is a piece of its own.
    fn hashed(tiles: &[&[i64]]) -> Hashed {
        hashed_from(tiles, 0)
    }

    /// The same, of a worker that did some first pieces last.
    fn hashed_from(tiles: &[&[i64]], first: usize) -> Hashed {
        let layout = KeyLayout::new(vec![PartDomain::of_type(DataType::BigInt)]);
        let mut grouper = Hashed::new(layout, &[DataType::BigInt], false);
        let (mut codes, mut assigned) = (Codes::default(), Assigned::default());
        for (piece, keys) in tiles.iter().enumerate().skip(first).chain(tiles.iter().enumerate().take(first)) {
            grouper.firsts.begin_piece(piece);
            let mut vector = Vector::default();
            vector.set(keys.len(), VectorData::I64(keys.to_vec()), None);
            let part = KeyPartValues { values: PartValues::Vector(&vector), null_matches: true };
            codes.encode(&grouper.layout, &[part], keys.len());
            grouper.assign(&[&vector], &mut codes, &mut assigned);
        }
        grouper
    }

    #[test]
    fn places_are_those_of_the_order() {
        let many: Vec<i64> = (0..20_000).map(|key| key * 7_919 % 15_000).collect();
        for tiles in [vec![], vec![&[][..]], vec![&[7][..], &[7, 8]], many.chunks(1_000).collect()] {
            let grouper = hashed(&tiles);
            let order = grouper.in_order((0..grouper.table.len() as u32).collect());
            let places = grouper.places().expect("one worker numbers groups in the order of their rows");
            assert!(order.iter().enumerate().all(|(place, &group)| places[group as usize] as usize == place));
            let keys = grouper.keys_of(&order);
            let placed = grouper.placed_keys(&places, &[true]);
            for (keys, placed) in keys.into_iter().zip(placed) {
                let values = |column: ColumnBuilder| match column.data {
                    BuilderData::I64(values) => values,
                    other => panic!("{other:?}"),
                };
                assert_eq!(values(keys), values(placed));
            }
        }
    }

    #[test]
    fn merged_groups_are_in_the_order_of_one_worker() {
        let keys: Vec<i64> = (0..9_000).map(|key| key * 7_919 % 5_000).collect();
        let pieces: Vec<&[i64]> = keys.chunks(500).collect();
        let one = hashed(&pieces);
        // Two workers that took pieces in turn; the other's are empty here.
        let of = |turn: usize| {
            let mut own = vec![&[][..]; pieces.len()];
            own.iter_mut().zip(&pieces).skip(turn).step_by(2).for_each(|(own, piece)| *own = *piece);
            own
        };
        let (first, second) = (hashed(&of(0)), hashed_from(&of(1), pieces.len() / 2));
        let mut merged = Hashed::new(first.layout.clone(), &[DataType::BigInt], false);
        for worker in [second, first] {
            let (Keys::Hashed { codes, columns, .. }, order) = worker.into_partial() else { panic!("a hash table") };
            let chosen: Vec<u32> = (0..codes.len() as u32).collect();
            merged.merge((&codes, &columns), &order, &chosen).unwrap();
        }
        let keys = |grouper: &Hashed| {
            let order = grouper.in_order((0..grouper.table.len() as u32).collect());
            match &grouper.keys_of(&order)[0].data {
                BuilderData::I64(values) => values.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(keys(&merged), keys(&one));
    }
}
