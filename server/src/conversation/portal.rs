//! Portals: a prepared statement with values, and its rows while they are sent.

use super::Named;
use crate::encode::BatchRows;
use crate::engine::{Rows, Session};
use crate::fault::{Fault, Result};
use crate::output::Output;
use crate::wire::Format;
use multiloop::{Field, Value};

/// A statement ready to run, or running.
pub(super) struct Portal {
    pub(super) statement: Named,
    pub(super) values: Vec<Value>,
    /// Of each column.
    pub(super) formats: Vec<Format>,
    pub(super) state: State,
}

impl Portal {
    /// Whether it has rows that are not sent.
    pub(super) fn has_rows(&self) -> bool {
        matches!(&self.state, State::Rows(rows) if !rows.is_done)
    }
}

/// How far a portal is.
pub(super) enum State {
    /// It has not run.
    New,
    /// It gives rows.
    Rows(Box<RowsInFlight>),
    /// It gave no rows, and cannot run once more.
    Done,
}

/// Rows of which some are sent.
pub(super) struct RowsInFlight {
    rows: Rows,
    fields: Vec<Field>,
    formats: Vec<Format>,
    batch: Option<BatchRows>,
    /// There are no more.
    is_done: bool,
}

impl RowsInFlight {
    /// Rows in these formats, one a column.
    pub(super) fn new(rows: Rows, formats: Vec<Format>) -> Self {
        RowsInFlight { fields: rows.stream.fields().to_vec(), rows, formats, batch: None, is_done: false }
    }

    pub(super) fn tag(&self, rows: u64) -> String {
        self.rows.tag(rows)
    }

    /// Passes over at most so many rows; gives how many there were. Fewer mean that there are no more.
    pub(super) fn skip(&mut self, limit: u64, session: &Session) -> Result<u64> {
        let mut passed = 0;
        while passed < limit && self.has_batch(session)? {
            let Some(batch) = &mut self.batch else { break };
            passed += batch.skip(usize::try_from(limit - passed).unwrap_or(usize::MAX)) as u64;
            if batch.left() == 0 {
                self.batch = None;
            }
        }
        Ok(passed)
    }

    /// Whether a batch is there, or comes.
    fn has_batch(&mut self, session: &Session) -> Result<bool> {
        session.check()?;
        if self.batch.is_some() {
            return Ok(true);
        }
        let Some(next) = self.rows.stream.next() else {
            self.is_done = true;
            return Ok(false);
        };
        let next = next.map_err(|error| Fault::of(&error, "", 0))?;
        let sight = self.rows.stream.sight();
        self.batch = Some(BatchRows::new(&next, &self.fields, |column| self.formats[column], sight)?);
        Ok(true)
    }

    /// Sends at most so many rows; gives how many there were. Fewer mean that there are no more.
    pub(super) fn send(&mut self, limit: u64, session: &Session, out: &mut Output) -> Result<u64> {
        let mut sent = 0;
        while sent < limit && self.has_batch(session)? {
            let Some(batch) = &mut self.batch else { break };
            let rows_max = usize::try_from(limit - sent).unwrap_or(usize::MAX);
            sent += batch.write(rows_max, out.bytes_max(), &mut out.buffer)? as u64;
            if batch.left() == 0 {
                self.batch = None;
            }
            out.pass()?;
        }
        Ok(sent)
    }
}
