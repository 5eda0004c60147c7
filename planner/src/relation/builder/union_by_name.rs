//! UNION BY NAME: the columns of both sides by their names, in the order in which they come first, NULL where a side has none.

use super::{Builder, Rows};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

impl Builder<'_> {
    /// Both sides with the same columns; those that a side has not are of unknown type there.
    ///
    /// # Errors
    /// 42701 for a name that a side has twice.
    pub fn by_name(&mut self, left: Rows, right: Rows, position: Option<Position>) -> Result<(Rows, Rows)> {
        for (_, output) in [&left, &right] {
            let twice = (0..output.len()).find(|&at| output[..at].iter().any(|(name, _)| *name == output[at].0));
            if let Some(at) = twice {
                let message =
                    format!("column name \"{}\" occurs more than once in a side of UNION BY NAME", output[at].0);
                return Err(Error::new(ErrorKind::DuplicateColumn, message).at(position));
            }
        }
        let mut names: Vec<String> = left.1.iter().map(|(name, _)| name.clone()).collect();
        let others = right.1.iter().filter(|(name, _)| !left.1.iter().any(|(known, _)| known == name));
        names.extend(others.map(|(name, _)| name.clone()));
        let left = self.with_columns(left, &names);
        Ok((left, self.with_columns(right, &names)))
    }

    /// The types of the columns of a side of so many, by the types of all.
    pub fn types_by_name(&self, own: &Rows, whole: &Rows, types: &[DataType]) -> Vec<DataType> {
        let of = |(name, _): &(String, ColumnId)| {
            let at = whole.1.iter().position(|(known, _)| known == name);
            at.map_or(DataType::Null, |at| types[at])
        };
        own.1.iter().map(of).collect()
    }

    fn with_columns(&mut self, (input, output): Rows, names: &[String]) -> Rows {
        let mut columns: Vec<_> = input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let mut named = Vec::with_capacity(names.len());
        for name in names {
            let id = match output.iter().find(|(known, _)| known == name) {
                Some((_, id)) => *id,
                None => {
                    let id = self.columns.add(name.clone(), DataType::Null, true);
                    columns.push((id, Expression::constant(Value::Null, DataType::Null)));
                    id
                }
            };
            named.push((name.clone(), id));
        }
        if named.len() == output.len() {
            return (input, named);
        }
        (Arc::new(Relation::Project { input, columns }), named)
    }
}
