//! MERGE: the rows of its query by what is done with them.

use super::{Given, Outcome};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::Context;
use multiloop_planner::sql::MergeAction;
use multiloop_planner::types::Field;
use std::sync::Arc;

/// What a MERGE does.
pub(super) struct Merged {
    /// Rows that get other values in some columns.
    pub(super) updated: Given,
    /// The numbers of rows that go.
    pub(super) deleted: Vec<usize>,
    /// Rows that come, as the table's columns, if some do.
    pub(super) inserted: Option<Table>,
    /// What it gives back.
    pub(super) outcome: Outcome,
}

impl Merged {
    /// Takes the rows of a MERGE apart: of the action, the number, so many columns that an update sets, and those of the table, if
    /// rows may be inserted.
    ///
    /// # Errors
    /// 21000 for a row of the table that two rows would change.
    pub(super) fn new(rows: Table, set: usize, inserts: Option<&[Field]>, context: &Context) -> Result<Self> {
        let (mut updated, mut deleted, mut inserted) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        for chunk in &rows.chunks {
            context.check()?;
            for row in 0..chunk.rows {
                let number = || chunk.columns[1].integer(row).map_or(0, |number| number as usize);
                match chunk.columns[0].integer(row).and_then(|action| MergeAction::of_code(action as i64)) {
                    Some(MergeAction::Update) => updated.push((number(), at)),
                    Some(MergeAction::Delete) => deleted.push(number()),
                    Some(MergeAction::Insert) => inserted.push(at),
                    None => return Err(Error::internal("a MERGE does what it cannot")),
                }
                at += 1;
            }
        }
        updated.sort_unstable();
        deleted.sort_unstable();
        let is_twice = |pair: &[usize]| pair[0] == pair[1];
        let mut all: Vec<usize> = updated.iter().map(|&(number, _)| number).chain(deleted.iter().copied()).collect();
        all.sort_unstable();
        if all.windows(2).any(is_twice) {
            return Err(twice());
        }
        let count = updated.len() + deleted.len() + inserted.len();
        let (numbers, places): (Vec<usize>, Vec<usize>) = updated.into_iter().unzip();
        let values = rows.rows_at(&places, &(2..2 + set).collect::<Vec<_>>(), context)?;
        let inserted = match inserts.filter(|_| !inserted.is_empty()) {
            Some(fields) => {
                let columns: Vec<usize> = (2 + set..2 + set + fields.len()).collect();
                Some(rows.rows_at(&inserted, &columns, context)?.with_fields(fields.to_vec())?)
            }
            None => None,
        };
        Ok(Merged {
            updated: Given { numbers: Arc::new(numbers), rows: values },
            deleted,
            inserted,
            outcome: Outcome { count, rows },
        })
    }

    /// The numbers of the rows that it changes, in order.
    pub(super) fn numbers(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = self.updated.numbers.iter().chain(&self.deleted).copied().collect();
        numbers.sort_unstable();
        numbers
    }
}

pub(super) fn twice() -> Error {
    let error = Error::new(ErrorKind::Cardinality, "MERGE command cannot affect row a second time");
    error.with_hint("Ensure that not more than one source row matches any one target row.")
}
