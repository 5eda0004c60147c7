//! Filling First and Single.

use super::super::vector::Vector;
use super::{Input, TileGroups};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::any_value::{AnyValue, NONE};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

impl AnyValue {
    /// For no groups.
    pub(crate) fn new(data_type: DataType, single: bool) -> Self {
        AnyValue { data_type, single, positions: Vec::new(), arguments: ColumnBuilder::of_type(data_type), rows: 0 }
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("value of nothing")) };
        let mut new = Vec::new();
        let mut second = false;
        let mut take = |tuple: usize, group: usize| {
            let position = &mut self.positions[group];
            if *position == NONE {
                *position = self.rows;
                self.rows += 1;
                new.push(tuple as u32);
            } else {
                second = true;
            }
        };
        match input.groups {
            // The first tuple of a run speaks for all.
            TileGroups::Runs(runs) if !self.single => runs.iter().for_each(|(group, run)| take(run.start, group)),
            _ => input.each(take),
        }
        if second && self.single {
            return Err(more_than_one_row());
        }
        if !new.is_empty() {
            let mut arguments = Vector::default();
            arguments.gather(vector, &new);
            self.arguments.append(&arguments);
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        let mut new = Vec::new();
        for (from, into) in pairs {
            match (&mut self.positions[into], other.positions[from]) {
                (_, NONE) => {}
                (position @ &mut NONE, theirs) => {
                    *position = self.rows;
                    self.rows += 1;
                    new.push(theirs);
                }
                _ if self.single => return Err(more_than_one_row()),
                _ => {}
            }
        }
        self.arguments.append_all(other.arguments.take(&new));
        Ok(())
    }

    pub(crate) fn finish(mut self, _: DataType) -> Result<ColumnBuilder> {
        if self.positions.contains(&NONE) {
            let null = self.rows;
            self.arguments.append_all(ColumnBuilder::from_values(&[Value::Null], self.data_type));
            self.positions.iter_mut().filter(|position| **position == NONE).for_each(|position| *position = null);
        }
        Ok(self.arguments.take(&self.positions))
    }
}

fn more_than_one_row() -> Error {
    Error::new(ErrorKind::Cardinality, "more than one row returned by a subquery used as an expression")
}
