//! SELECT … FOR UPDATE: takes the rows that a query gives until the transaction ends, and then gives them.
//!
//! Who finds one taken waits, as UPDATE does, and runs the query anew: in READ COMMITTED it gives what the other has made of the row. With
//! SKIP LOCKED the query does not see such rows; if somebody takes one while it runs, it is run once more.

use crate::plan::Timings;
use crate::running::Runner;
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Chunk;
use multiloop_exec::column::arrow::{schema_of_rows, to_record_batch_as};
use multiloop_planner::sql::{Locking, Wait};
use std::sync::Arc;

impl Runner<'_> {
    /// Runs the query. None if rows of it have been another's, and it is to be run anew.
    pub(super) fn lock(&self, locking: &Locking, timings: Timings) -> Result<Option<ResultStream>> {
        if self.session.work.is_read_only() || self.snapshot.facts.reads_only {
            let shown = locking.tables.first().map_or("FOR UPDATE", |table| table.strength.name());
            let message = format!("cannot execute SELECT {shown} in a read-only transaction");
            return Err(Error::new(ErrorKind::ReadOnlyTransaction, message));
        }
        let given = self.rows_with_numbers(&locking.query)?;
        let own = given.fields.len() - locking.tables.len();
        for (at, table) in locking.tables.iter().enumerate() {
            let found = self.found(&table.table, &self.snapshot.state)?;
            let mut numbers = Vec::with_capacity(given.rows());
            for chunk in &given.chunks {
                self.session.cancellation.check()?;
                let column = &chunk.columns[own + at];
                numbers.extend((0..chunk.rows).filter_map(|row| column.integer(row)).map(|number| number as usize));
            }
            numbers.sort_unstable();
            numbers.dedup();
            let numbers = Arc::new(numbers);
            if self.locked(&found, &numbers, table.strength)? {
                continue;
            }
            match table.wait {
                Wait::NoWait if self.is_held(&found, &numbers, table.strength) => {
                    let message = format!("could not obtain lock on row in relation \"{}\"", found.name);
                    return Err(Error::new(ErrorKind::LockNotAvailable, message));
                }
                Wait::Block => self.wait_for(&found, &numbers, table.strength)?,
                Wait::NoWait | Wait::SkipLocked => {}
            }
            return Ok(None);
        }
        let columns: Vec<usize> = (0..own).collect();
        let rows = given.rearranged(&columns);
        let fields = locking.fields();
        let schema = schema_of_rows(&fields, &rows.chunks, 0..fields.len());
        let (of, shown) = (fields.clone(), Arc::clone(&schema));
        let batch = move |chunk: Arc<Chunk>| to_record_batch_as(&of, &shown, &chunk);
        let sight = self.snapshot.sight(&fields);
        let rows = ResultStream::rows(fields, schema, rows.chunks.into_vec().into_iter().map(batch));
        Ok(Some(rows.with_sight(sight).with_verb("SELECT").with_timings(timings)))
    }
}
