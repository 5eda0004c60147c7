//! Debug checks of what the planner has proven: that rows which count as clustered are, that keys which count as the rows'
//! order increase, and that lets give no more rows, no other values and no more NULLs than is proven.
//!
//! A proof that is wrong gives wrong rows without a word: groups twice, or keys that are not found. Here it gives an internal
//! error. Release builds look at nothing.

use super::stored::Stored;
use crate::collections::rows::RowSet;
use crate::column::{Column, ColumnData};
use crate::plan::tree::CollectionPlan;
use crate::{Error, Result};
use rustc_hash::FxHashSet;

/// Rows of a collection that are looked at, at most.
const ROWS_MAX: usize = 1 << 18;

/// The keys of clustered rows that have been passed by in a piece of work.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    last: Option<u64>,
    codes: FxHashSet<u64>,
}

impl Passed {
    /// The rows to come are of another piece, which may begin with any key.
    pub(crate) fn begin_piece(&mut self) {
        self.last = None;
        self.codes.clear();
    }

    /// Rows with these codes of keys come; an error if one has been passed by.
    pub(crate) fn pass(&mut self, codes: impl IntoIterator<Item = u64>) -> Result<()> {
        for code in codes {
            if self.last == Some(code) {
                continue;
            }
            self.codes.extend(self.last.replace(code));
            if self.codes.contains(&code) {
                return Err(Error::internal("rows that count as clustered have equal keys apart"));
            }
        }
        Ok(())
    }
}

/// An error if the keys of a whole table, which count as sorted and unique, do not increase, by steps of some size if they are
/// to be dense.
pub(crate) fn check_increasing(keys: &[&Column], step: Option<i128>) -> Result<()> {
    let number = |column: &Column, row| match &column.data {
        ColumnData::Boolean(values) => Some(values.value(row).into()),
        _ => column.integer(row),
    };
    let rows =
        keys.iter().flat_map(|column| (0..column.rows()).map(move |row| (column.is_null(row), number(column, row))));
    let mut last: Option<i128> = None;
    for (is_null, key) in rows.take(ROWS_MAX) {
        let Some(key) = key.filter(|_| !is_null) else { return Err(Error::internal("a unique key is NULL")) };
        if last.is_some_and(|last| step.map_or(key <= last, |step| key != last + step)) {
            return Err(Error::internal("keys that count as sorted and unique do not increase"));
        }
        last = Some(key);
    }
    Ok(())
}

/// An error if what a let gave is more than is proven of it.
pub(crate) fn check_given(plan: &CollectionPlan, stored: &Stored) -> Result<()> {
    if let Stored::Own(_) = stored {
        return Ok(());
    }
    if plan.rows_max.is_some_and(|most| stored.row_count() as u64 > most) {
        return Err(Error::internal("a collection has more rows than it can have"));
    }
    let rows = match stored {
        Stored::Rows(rows) => rows,
        Stored::Groups(groups) => &groups.rows,
        Stored::Lazy(_) | Stored::Buckets(_) | Stored::Own(_) => return Ok(()),
    };
    for ((number, field), bounds) in (0..).zip(&plan.fields).zip(&plan.bounds) {
        // Of groups that are only looked up there are no keys.
        if rows.position(number) == u32::MAX {
            continue;
        }
        check_field(rows, rows.position(number) as usize, (field.nullable, *bounds))
            .map_err(|what| Error::internal(format!("{what}: field {}", field.name)))?;
    }
    Ok(())
}

fn check_field(
    rows: &RowSet,
    column: usize,
    (nullable, bounds): (bool, Option<(i128, i128)>),
) -> std::result::Result<(), &'static str> {
    let mut left = ROWS_MAX;
    for chunk in &rows.chunks {
        let column = &chunk.columns[column];
        let seen = column.rows().min(left);
        left -= seen;
        for row in 0..seen {
            if column.is_null(row) {
                if !nullable {
                    return Err("NULL where none can be");
                }
            } else if let (Some((low, high)), Some(value)) = (bounds, column.integer(row))
                && !(low..=high).contains(&value)
            {
                return Err("a value out of its range");
            }
        }
    }
    Ok(())
}
