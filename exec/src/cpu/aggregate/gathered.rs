//! Filling Gather: texts are listed as they come, and sorted where a group's are wanted.

use super::super::vector::Vector;
use super::Input;
use crate::cpu::index::{sort_by_group, starts_of};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::gathered::Gathered;
use crate::{Error, Result};
use multiloop_planner::evaluate::gather::gathered;
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Rows of a piece of work, at most: its number is above them.
const PIECE_BITS: u32 = 40;

/// The place of the first row of a piece of work.
pub(super) fn first_place(piece: usize) -> u64 {
    (piece as u64) << PIECE_BITS
}

impl Gathered {
    pub(crate) fn resize(&mut self, groups: usize) {
        // Those behind the last were of rows that nobody wants.
        if groups < self.group_count && self.groups.iter().any(|&group| group as usize >= groups) {
            *self = self.chosen(|group| ((group as usize) < groups).then_some(group));
        }
        self.group_count = groups;
    }

    /// Folds in some tuples, of which the first is at this place; the next place.
    pub(crate) fn update(&mut self, input: &Input<'_>, place: u64) -> Result<u64> {
        let Some(vector) = input.vector else { return Err(Error::internal("texts of nothing")) };
        let (mut tuples, first) = (Vec::with_capacity(input.len), self.groups.len());
        input.each_valid(|tuple, group| {
            tuples.push(tuple as u32);
            self.groups.push(group as u32);
        });
        self.places.extend(tuples.iter().map(|&tuple| place + u64::from(tuple)));
        debug_assert_eq!(self.groups.len() - first, tuples.len());
        let mut texts = Vector::default();
        texts.gather(vector, &tuples);
        // NULLs are not among them.
        texts.nulls = None;
        self.texts.append(&texts);
        Ok(place + input.len as u64)
    }

    pub(crate) fn merge(&mut self, other: &Self, from: &[u32], into: &[u32]) {
        let mut numbers = vec![None; other.group_count];
        from.iter().zip(into).for_each(|(&from, &into)| numbers[from as usize] = Some(into));
        let other = other.chosen(|group| numbers[group as usize]);
        self.groups.extend(other.groups);
        self.places.extend(other.places);
        self.texts.append_all(other.texts);
    }

    /// The texts of each group as one; NULL of none.
    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        let starts = starts_of(&self.groups, self.group_count);
        let mut rows = sort_by_group(&self.groups, &starts);
        let mut all = Vec::with_capacity(self.group_count);
        for group in 0..self.group_count {
            let rows = &mut rows[starts[group] as usize..starts[group + 1] as usize];
            if rows.is_empty() {
                all.push(Value::Null);
                continue;
            }
            if self.how == Gather::Arrived {
                rows.sort_by_key(|&row| self.places[row as usize]);
            }
            let text = |&row: &u32| {
                std::str::from_utf8(self.texts.text(row as usize)).map_err(|_| Error::internal("a text that is none"))
            };
            let mut texts = rows.iter().map(text).collect::<Result<Vec<&str>>>()?;
            all.push(Value::text(gathered(self.how, &mut texts)?));
        }
        Ok(ColumnBuilder::from_values(&all, data_type))
    }
}
