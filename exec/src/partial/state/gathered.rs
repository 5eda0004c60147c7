//! Gather: the texts, or other values, of all rows of each group.

use crate::column::Dictionary;
use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use crate::plan::row_text::Entries;
use hashbrown::HashTable;
use multiloop_planner::multiloop::Gather;
use std::sync::{Arc, OnceLock};

/// The values of each group: texts, or what one is to be chosen of.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    pub(crate) how: Gather,
    pub(crate) group_count: usize,
    /// For each value its group and, if that counts, a number that is greater for later rows.
    pub(crate) groups: Vec<u32>,
    pub(crate) places: Vec<u64>,
    pub(crate) values: ColumnBuilder,
    /// Columns by which rows are ordered, besides their values; none of values that are texts of rows.
    pub(crate) keys: Vec<ColumnBuilder>,
    /// What the values are in the texts of rows, if they are not yet these texts.
    pub(crate) entries: Option<Entries>,
    /// Which texts the groups have, of those that are to be there once.
    pub(crate) seen: Seen,
    /// The rows of each group, where groups are to be merged part by part: no part looks at the rows of others then.
    pub(crate) by_group: OnceLock<RowsByGroup>,
}

/// Rows by their groups.
#[derive(Clone, Debug)]
pub(crate) struct RowsByGroup {
    /// Where those of each group begin, and where the last ones end.
    pub(crate) starts: Vec<u32>,
    pub(crate) rows: Vec<u32>,
}

/// Which texts groups have, so that a text comes once to a group. It saves memory and sorting, no more: texts that come twice all
/// the same (states are merged, dictionaries change) are told apart in the end.
#[derive(Clone, Debug, Default)]
pub(crate) enum Seen {
    /// Nothing is known yet, or any more.
    #[default]
    Nothing,
    /// Bits for the codes of a dictionary, those of each group behind the one before it.
    Codes { dictionary: Arc<Dictionary>, bits: Vec<u64> },
    /// Bits for the integers between proven bounds, and NULL, those of each group behind the one before it.
    Range(Vec<u64>),
    /// The slots of a hash table of the rows from `first` on, each a text of a group; out of so many rows.
    Rows { slots: Vec<u64>, first: usize, met: usize },
    /// The bits of numbers with their groups; a bit for each group that has NULL.
    Numbers { table: HashTable<(u64, u32)>, nulls: Vec<u64>, met: usize },
    /// Nearly all are different: nobody looks any more.
    Useless,
}

impl Seen {
    fn bytes(&self) -> usize {
        match self {
            Seen::Nothing | Seen::Useless => 0,
            Seen::Codes { bits, .. } | Seen::Range(bits) => bits.capacity() * 8,
            Seen::Rows { slots, .. } => slots.capacity() * 8,
            Seen::Numbers { table, nulls, .. } => table.allocation_size() + nulls.capacity() * 8,
        }
    }
}

impl Gathered {
    /// For no groups.
    pub(crate) fn new(how: Gather) -> Self {
        let values = ColumnBuilder { data: BuilderData::Text(BuilderText::default()), valid: None, len: 0 };
        Gathered {
            how,
            group_count: 0,
            groups: Vec::new(),
            places: Vec::new(),
            values,
            keys: Vec::new(),
            entries: None,
            seen: Seen::Nothing,
            by_group: OnceLock::new(),
        }
    }

    pub(crate) fn groups(&self) -> usize {
        self.group_count
    }

    pub(crate) fn bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(ColumnBuilder::bytes).sum();
        let sorted = self.by_group.get().map_or(0, |of| (of.starts.capacity() + of.rows.capacity()) * 4);
        let own = self.groups.capacity() * 4 + self.places.capacity() * 8 + self.values.bytes();
        own + keys + self.seen.bytes() + sorted
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let mut numbers = vec![None; self.group_count];
        groups.iter().enumerate().for_each(|(number, &group)| numbers[group as usize] = Some(number as u32));
        Gathered { group_count: groups.len(), ..self.chosen(|group| numbers[group as usize]) }
    }

    /// The values of some groups, which get other numbers.
    pub(crate) fn chosen(&self, number: impl Fn(u32) -> Option<u32>) -> Self {
        let of_row = |(row, &group): (usize, &u32)| Some((row as u32, number(group)?));
        let (rows, groups) = self.groups.iter().enumerate().filter_map(of_row).unzip();
        self.of_rows(rows, groups)
    }

    /// The values of some groups, a part of all, which get other numbers, by the rows that each group has.
    pub(crate) fn chosen_by_group(&self, by_group: &RowsByGroup, from: &[u32], into: &[u32]) -> Self {
        let rows_of = |group: u32| {
            let (start, end) = (by_group.starts[group as usize], by_group.starts[group as usize + 1]);
            &by_group.rows[start as usize..end as usize]
        };
        let of_group = |(&from, &into): (&u32, &u32)| rows_of(from).iter().map(move |&row| (row, into));
        let mut all: Vec<(u32, u32)> = from.iter().zip(into).flat_map(of_group).collect();
        // As they lie in memory, and as they came.
        all.sort_unstable();
        let (rows, groups) = all.into_iter().unzip();
        self.of_rows(rows, groups)
    }

    /// The values of some rows, with these groups.
    fn of_rows(&self, rows: Vec<u32>, groups: Vec<u32>) -> Self {
        let places = rows.iter().filter_map(|&row| self.places.get(row as usize).copied()).collect();
        let values = self.values.take(&rows);
        let keys = self.keys.iter().map(|key| key.take(&rows)).collect();
        let (how, group_count, entries) = (self.how, self.group_count, self.entries.clone());
        let (seen, by_group) = (Seen::Nothing, OnceLock::new());
        Gathered { how, group_count, groups, places, values, keys, entries, seen, by_group }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        // Elements of which others have the texts become such.
        self.how == other.how && (self.entries != other.entries || self.values.is_like(&other.values))
    }
}
