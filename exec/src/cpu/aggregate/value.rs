//! First and Single: the argument of one row.

use super::super::gather::Gathered;
use super::Input;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// The argument of one row of each group.
#[derive(Clone, Debug)]
pub(crate) struct AnyValue {
    data_type: DataType,
    /// Whether a second row is an error.
    single: bool,
    values: Vec<Option<Value>>,
}

impl AnyValue {
    /// For no groups.
    pub(crate) fn new(data_type: DataType, single: bool) -> Self {
        AnyValue { data_type, single, values: Vec::new() }
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.values.resize(groups, None);
    }

    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Some(vector) = input.vector else { return Err(Error::internal("value of nothing")) };
        for tuple in 0..input.len {
            let value = &mut self.values[input.group(tuple)];
            if value.is_none() {
                *value = Some(vector.value(tuple, self.data_type));
            } else if self.single {
                return Err(more_than_one_row());
            }
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self, pairs: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        for (from, into) in pairs {
            match (&mut self.values[into], &other.values[from]) {
                (_, None) => {}
                (mine @ None, theirs) => mine.clone_from(theirs),
                (Some(_), Some(_)) if self.single => return Err(more_than_one_row()),
                (Some(_), Some(_)) => {}
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self, _: DataType) -> Result<Gathered> {
        let values: Vec<Value> = self.values.into_iter().map(|value| value.unwrap_or(Value::Null)).collect();
        Ok(Gathered::from_values(&values, self.data_type))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() * 48
    }
}

fn more_than_one_row() -> Error {
    Error::new(ErrorKind::Cardinality, "more than one row returned by a subquery used as an expression")
}
