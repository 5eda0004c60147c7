//! Cursors: results of queries that are fetched piece by piece, by name.

use super::Session;
use crate::sight::Sight;
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use multiloop_exec::workers::context::Cancellation;
use multiloop_planner::sql::Direction;
use multiloop_planner::types::Field;

/// A result, and where in it the cursor stands.
pub(crate) struct Cursor {
    fields: Vec<Field>,
    schema: SchemaRef,
    sight: Sight,
    /// What has not been asked for yet; none at its end.
    rest: Option<ResultStream>,
    /// Why there are no more, if the query has failed: they are not all that it gives.
    failed: Option<Error>,
    /// What has, all of it unless there is no way back.
    batches: Vec<RecordBatch>,
    /// Rows before those.
    left: i64,
    /// Rows that have been asked for.
    known: i64,
    /// The current row, from 1: 0 is before the first, one more than there are is behind the last.
    position: i64,
    /// NO SCROLL: there is no way back.
    forward_only: bool,
    /// WITH HOLD: it outlives its transaction.
    pub(super) hold: bool,
    /// BINARY: its rows are for programs.
    binary: bool,
}

impl Cursor {
    pub(super) fn new(rows: ResultStream, scroll: Option<bool>, hold: bool, binary: bool) -> Self {
        let (fields, schema, sight) = (rows.fields().to_vec(), rows.schema(), rows.sight().clone());
        let forward_only = scroll == Some(false);
        let batches = Vec::new();
        Cursor {
            fields,
            schema,
            sight,
            rest: Some(rows),
            failed: None,
            batches,
            left: 0,
            known: 0,
            position: 0,
            forward_only,
            hold,
            binary,
        }
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    fn stream(&self, batches: Vec<RecordBatch>) -> ResultStream {
        let rows = ResultStream::rows(self.fields.clone(), self.schema.clone(), batches.into_iter().map(Ok));
        let rows = rows.with_sight(self.sight.clone());
        if self.binary { rows.in_binary() } else { rows }
    }

    /// Asks for rows until so many are known, or there are no more.
    fn know(&mut self, rows: i64) -> Result<()> {
        while self.known < rows {
            if let Some(error) = &self.failed {
                return Err(error.clone());
            }
            match self.rest.as_mut().and_then(Iterator::next) {
                Some(Ok(batch)) => {
                    self.known += batch.num_rows() as i64;
                    self.batches.push(batch);
                }
                Some(Err(error)) => {
                    self.rest = None;
                    self.failed = Some(error);
                }
                None => {
                    self.rest = None;
                    break;
                }
            }
        }
        Ok(())
    }

    /// The rows that a direction says, made for a statement that hears this handle.
    fn fetched(&mut self, direction: Direction, heard: &Cancellation) -> Result<Vec<RecordBatch>> {
        let _linked = self.rest.as_ref().map(|rest| rest.cancel_handle().link(heard));
        self.go(direction)
    }

    /// The rows that a direction says; the cursor stands on the last of them then, or before the first or behind the last row.
    fn go(&mut self, direction: Direction) -> Result<Vec<RecordBatch>> {
        let (from, to) = match direction {
            Direction::Count(0) | Direction::Relative(0) => return self.single(self.position),
            Direction::Count(count) if count > 0 => (self.position + 1, self.position.saturating_add(count)),
            Direction::Count(count) => return self.backward(count.saturating_neg()),
            Direction::All => (self.position + 1, i64::MAX),
            Direction::BackwardAll => return self.backward(i64::MAX),
            Direction::Relative(count) => return self.single(self.position.saturating_add(count).max(0)),
            Direction::Absolute(at) if at >= 0 => return self.single(at),
            Direction::Absolute(at) => {
                self.know(i64::MAX)?;
                return self.single((self.known + 1 + at).max(0));
            }
        };
        self.know(to)?;
        let last = to.min(self.known);
        let rows = self.rows(from, last);
        self.position = if to > self.known { self.known + 1 } else { to };
        if self.forward_only {
            self.forget();
        }
        Ok(rows)
    }

    fn backward(&mut self, count: i64) -> Result<Vec<RecordBatch>> {
        self.check_way_back()?;
        let last = self.position - 1;
        let first = last.saturating_sub(count - 1).max(1);
        // The last comes first.
        let rows = (first..=last).rev().flat_map(|at| self.rows(at, at)).collect();
        self.position = if count > last { 0 } else { first };
        Ok(rows)
    }

    /// The row at a place, which becomes the current one.
    fn single(&mut self, at: i64) -> Result<Vec<RecordBatch>> {
        if at < self.position || (at == self.position && self.left >= at) {
            self.check_way_back()?;
        }
        self.know(at)?;
        self.position = at.min(self.known + 1);
        Ok(if at >= 1 { self.rows(at, at.min(self.known)) } else { Vec::new() })
    }

    fn check_way_back(&self) -> Result<()> {
        if self.forward_only {
            let error = Error::new(ErrorKind::WrongState, "cursor can only scan forward");
            return Err(error.with_hint("Declare it with SCROLL option to enable backward scan."));
        }
        Ok(())
    }

    /// Rows by their places, from 1.
    fn rows(&self, from: i64, to: i64) -> Vec<RecordBatch> {
        let mut rows = Vec::new();
        let mut before = self.left;
        for batch in &self.batches {
            let count = batch.num_rows() as i64;
            let (first, last) = ((from - 1).max(before), to.min(before + count));
            if first < last {
                rows.push(batch.slice((first - before) as usize, (last - first) as usize));
            }
            before += count;
        }
        rows
    }

    /// Forgets batches that have passed.
    fn forget(&mut self) {
        while let Some(first) =
            self.batches.first().filter(|first| self.left + first.num_rows() as i64 <= self.position)
        {
            self.left += first.num_rows() as i64;
            self.batches.remove(0);
        }
    }
}

impl Session {
    /// FETCH, or MOVE.
    pub(super) fn fetch(&self, name: &str, direction: Direction, is_move: bool) -> Result<ResultStream> {
        let mut cursors = self.cursors();
        let cursor = cursors.get_mut(name).ok_or_else(|| unknown_cursor(name))?;
        let batches = cursor.fetched(direction, &self.running().cancellation)?;
        if is_move {
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            return Ok(ResultStream::done(format!("MOVE {rows}")));
        }
        Ok(cursor.stream(batches).with_verb("FETCH"))
    }

    /// The columns of a cursor, and whether its rows are for programs ([`ResultStream::is_binary`]); None if there is no cursor of
    /// this name.
    pub fn cursor(&self, name: &str) -> Option<(Vec<Field>, bool)> {
        self.cursors().get(name).map(|cursor| (cursor.fields.clone(), cursor.binary))
    }

    /// The next rows of a cursor, at most so many: as FETCH, for callers that know its name and need no statement.
    ///
    /// # Errors
    /// 34000 if there is none of this name, 25P02 in a transaction that has failed, and those of the query.
    pub fn fetch_next(&self, name: &str, rows: u64) -> Result<ResultStream> {
        let count = i64::try_from(rows).unwrap_or(i64::MAX);
        self.as_statement(|| {
            self.in_transaction(|| {
                let mut cursors = self.cursors();
                let cursor = cursors.get_mut(name).ok_or_else(|| unknown_cursor(name))?;
                let batches = cursor.fetched(Direction::Count(count), &self.running().cancellation)?;
                Ok(cursor.stream(batches))
            })
        })
    }

    /// Closes a cursor; nothing happens if there is none of this name.
    pub fn close_cursor(&self, name: &str) {
        self.cursors().remove(name);
    }
}

pub(super) fn unknown_cursor(name: &str) -> Error {
    Error::new(ErrorKind::UnknownCursor, format!("cursor \"{name}\" does not exist"))
}
