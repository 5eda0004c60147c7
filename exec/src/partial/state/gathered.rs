//! Gather: the texts of all rows of each group.

use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use multiloop_planner::multiloop::Gather;

/// The texts of each group, with the places of their rows among all.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    pub(crate) how: Gather,
    pub(crate) group_count: usize,
    /// For each text its group, and a number that is greater for later rows.
    pub(crate) groups: Vec<u32>,
    pub(crate) places: Vec<u64>,
    pub(crate) texts: ColumnBuilder,
}

impl Gathered {
    /// For no groups.
    pub(crate) fn new(how: Gather) -> Self {
        let texts = ColumnBuilder { data: BuilderData::Text(BuilderText::default()), valid: None, len: 0 };
        Gathered { how, group_count: 0, groups: Vec::new(), places: Vec::new(), texts }
    }

    pub(crate) fn groups(&self) -> usize {
        self.group_count
    }

    pub(crate) fn bytes(&self) -> usize {
        self.groups.capacity() * 4 + self.places.capacity() * 8 + self.texts.bytes()
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let mut numbers = vec![None; self.group_count];
        groups.iter().enumerate().for_each(|(number, &group)| numbers[group as usize] = Some(number as u32));
        Gathered { group_count: groups.len(), ..self.chosen(|group| numbers[group as usize]) }
    }

    /// The texts of some groups, which get other numbers.
    pub(crate) fn chosen(&self, number: impl Fn(u32) -> Option<u32>) -> Self {
        let of_row = |(row, &group): (usize, &u32)| Some((row as u32, number(group)?));
        let (rows, groups): (Vec<u32>, Vec<u32>) = self.groups.iter().enumerate().filter_map(of_row).unzip();
        let places = rows.iter().map(|&row| self.places[row as usize]).collect();
        Gathered { how: self.how, group_count: self.group_count, groups, places, texts: self.texts.take(&rows) }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.how == other.how
    }
}
