//! Percentiles and modes of frames: a tree over the numbers of the distinct values in their order counts how many rows of a frame have
//! each, how many there are below a node, and which is the most frequent. A row comes and goes in the depth of the tree, and the answer
//! is found in it.

use super::frames::Frames;
use super::sliding::{State, slide};
use crate::Result;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::workers::context::Context;
use multiloop_planner::evaluate::quantile::Quantile;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::ops::Range;

/// What is chosen of the frames of some rows; the argument is in order.
pub(super) fn quantiles(
    (of, descending, result): (Quantile, bool, DataType),
    (column, data_type): (&ColumnBuilder, DataType),
    frames: &Frames<'_>,
    rows: Range<usize>,
    context: &Context,
) -> Result<ColumnBuilder> {
    let mut first = usize::MAX;
    let mut last = 0;
    frames.each(rows.clone(), |seen, _| {
        if !seen.is_empty() {
            (first, last) = (first.min(seen.start), last.max(seen.end));
        }
        Ok(())
    })?;
    let seen = first.min(last)..last;
    let vector = column.slice(seen.clone()).into_vector();
    let all: Vec<Value> = (0..seen.len()).map(|row| vector.value(row, data_type).canonical()).collect();
    let mut order: Vec<u32> = (0..all.len() as u32).filter(|&row| !all[row as usize].is_null()).collect();
    order.sort_by(|&a, &b| {
        let order = all[a as usize].compare(&all[b as usize]);
        if descending { order.reverse() } else { order }
    });
    context.check()?;
    let mut numbers = vec![NONE; all.len()];
    let mut values: Vec<Value> = Vec::new();
    for row in order {
        let value = &all[row as usize];
        if values.last().is_none_or(|last| last.compare(value).is_ne()) {
            values.push(value.clone());
        }
        numbers[row as usize] = values.len() as u32 - 1;
    }
    let state = Chosen { of, numbers, first: seen.start, tree: Tree::new(values.len()), values, added: Vec::new() };
    let mut found = Vec::with_capacity(rows.len());
    slide(frames, rows, state, context, |value, count| {
        found.extend(std::iter::repeat_n(value.unwrap_or(Value::Null), count));
        Ok(())
    })?;
    Ok(ColumnBuilder::from_values(&found, result))
}

/// The number of a NULL.
const NONE: u32 = u32::MAX;

struct Chosen {
    of: Quantile,
    /// For each row from the first one on the number of its value.
    numbers: Vec<u32>,
    first: usize,
    values: Vec<Value>,
    tree: Tree,
    /// The numbers of rows that were added since there were none.
    added: Vec<u32>,
}

impl State for Chosen {
    type Value = Value;

    fn clear(&mut self) {
        // A new tree would be as large as all frames together.
        for number in self.added.drain(..) {
            let count = self.tree.counts[self.tree.leaves + number as usize];
            if count != 0 {
                self.tree.change(number as usize, -count);
            }
        }
    }

    fn add(&mut self, row: usize) {
        let number = self.numbers[row - self.first];
        if number != NONE {
            self.tree.change(number as usize, 1);
            self.added.push(number);
        }
    }

    fn remove(&mut self, rows: Range<usize>) {
        for row in rows {
            let number = self.numbers[row - self.first];
            if number != NONE {
                self.tree.change(number as usize, -1);
            }
        }
    }

    fn value(&self) -> Result<Option<Value>> {
        let count = self.tree.count();
        if count == 0 {
            return Ok(None);
        }
        let Some(place) = self.of.place(count) else { return Ok(Some(self.values[self.tree.most()].clone())) };
        let (low, high) = (&self.values[self.tree.nth(place.below)], &self.values[self.tree.nth(place.above)]);
        Ok(Some(match (low, high) {
            (Value::Float(low), Value::Float(high)) => Value::Float(place.between(*low, *high)).canonical(),
            (value, _) => value.clone(),
        }))
    }
}

/// How many rows have each number, and the sums and maxima of pairs of these, and so on.
struct Tree {
    leaves: usize,
    counts: Vec<i32>,
    largest: Vec<i32>,
}

impl Tree {
    fn new(numbers: usize) -> Self {
        let leaves = numbers.next_power_of_two();
        Tree { leaves, counts: vec![0; 2 * leaves], largest: vec![0; 2 * leaves] }
    }

    fn change(&mut self, number: usize, by: i32) {
        let mut node = self.leaves + number;
        self.counts[node] += by;
        self.largest[node] = self.counts[node];
        while node > 1 {
            node /= 2;
            self.counts[node] += by;
            self.largest[node] = self.largest[2 * node].max(self.largest[2 * node + 1]);
        }
    }

    fn count(&self) -> usize {
        self.counts[1] as usize
    }

    /// The number that the row at a place has, of rows in order of their numbers.
    fn nth(&self, place: usize) -> usize {
        let (mut node, mut left) = (1, place as i32);
        while node < self.leaves {
            node *= 2;
            if left >= self.counts[node] {
                left -= self.counts[node];
                node += 1;
            }
        }
        node - self.leaves
    }

    /// The first of the numbers that most rows have.
    fn most(&self) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if self.largest[node] < self.largest[node + 1] {
                node += 1;
            }
        }
        node - self.leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_count() {
        let mut tree = Tree::new(5);
        for number in [4, 0, 2, 2, 4] {
            tree.change(number, 1);
        }
        assert_eq!((0..5).map(|place| tree.nth(place)).collect::<Vec<_>>(), [0, 2, 2, 4, 4]);
        assert_eq!((tree.count(), tree.most()), (5, 2));
        tree.change(2, -1);
        assert_eq!((tree.count(), tree.most()), (4, 4));
        assert_eq!(Tree::new(1).count(), 0);
    }
}
