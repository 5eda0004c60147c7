//! CHECK OPTION of the views through which rows change: the query of a change tells of each row whether it holds.

use super::super::constraints::{shown, values};
use crate::catalog::State;
use crate::running::Runner;
use crate::snapshot::COMING;
use crate::system::quoted;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::Declared;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// The views whose CHECK OPTION is to hold, and for which rows it does, in columns of booleans.
#[derive(Default)]
pub(super) struct Checks {
    views: Vec<String>,
    held: Option<(Table, usize)>,
}

impl Checks {
    /// Of rows that have them behind so many columns.
    pub(super) fn of(views: &[String], rows: &Table, first: usize) -> Self {
        match views {
            [] => Checks::default(),
            _ => Checks { views: views.to_vec(), held: Some((rows.clone(), first)) },
        }
    }

    /// The first row for which one does not hold, and which.
    fn violated(&self) -> Option<(usize, &str)> {
        let (rows, first) = self.held.as_ref()?;
        let mut start = 0;
        for chunk in &rows.chunks {
            for row in 0..chunk.rows {
                let holds = |at: usize| chunk.columns[first + at].value(row, DataType::Boolean) == Value::Boolean(true);
                if let Some(at) = (0..self.views.len()).find(|&at| !holds(at)) {
                    return Some((start + row, &self.views[at]));
                }
            }
            start += chunk.rows;
        }
        None
    }
}

impl Runner<'_> {
    /// The error (44000) for the first row that a view would not show.
    pub(super) fn check_views(
        &self,
        state: &State,
        checks: &Checks,
        row: impl Fn(usize) -> Result<Table>,
    ) -> Result<()> {
        let Some((at, view)) = checks.violated() else { return Ok(()) };
        let row = row(at)?;
        let columns = all_columns(&row);
        let text = format!("SELECT {} FROM {}", shown(&row.fields, &columns, ""), quoted(COMING));
        let error =
            Error::new(ErrorKind::CheckOptionViolation, format!("new row violates check option for view \"{view}\""));
        let found = self.over_state(state, &row, |runner, _| runner.first(text, &Declared::default()))?;
        Err(match found {
            Some(found) => error.with_detail(format!("Failing row contains ({}).", values(&found, columns.len()))),
            None => error,
        })
    }
}

/// The places of all columns.
pub(super) fn all_columns(rows: &Table) -> Vec<usize> {
    (0..rows.fields.len()).collect()
}
