//! Cursors: results of queries that are fetched piece by piece, by name.

use super::Session;
use crate::sight::Sight;
use crate::stream::ResultStream;
use crate::turn::Turn;
use crate::{Error, ErrorKind, Result};
use arrow::array::{Array, RecordBatch};
use arrow::datatypes::SchemaRef;
use multiloop_exec::workers::context::{Cancellation, Reservation};
use multiloop_planner::sql::Direction;
use multiloop_planner::types::Field;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A cursor under its name: the session finds it without waiting for whoever fetches.
pub(crate) struct NamedCursor {
    fields: Vec<Field>,
    /// WITH HOLD: it outlives its transaction.
    pub(super) hold: bool,
    /// BINARY: its rows are for programs.
    binary: bool,
    /// Held by the statement that fetches, with the making of its rows.
    turn: Turn,
    cursor: Mutex<Cursor>,
}

/// A result, and where in it the cursor stands.
pub(super) struct Cursor {
    fields: Vec<Field>,
    schema: SchemaRef,
    sight: Sight,
    /// What has not been asked for yet; none at its end.
    rest: Option<ResultStream>,
    /// The query has failed: there are no more, and what there is is not all that it gives.
    has_failed: bool,
    /// What has, all of it unless there is no way back.
    batches: Vec<RecordBatch>,
    /// Of these.
    memory: Reservation,
    /// Rows before those.
    left: i64,
    /// Rows that have been asked for.
    known: i64,
    /// The current row, from 1: 0 is before the first, one more than there are is behind the last.
    position: i64,
    /// NO SCROLL: there is no way back.
    forward_only: bool,
}

impl Cursor {
    /// A cursor of these rows, which counts those that it keeps as this memory.
    pub(super) fn new(rows: ResultStream, scroll: Option<bool>, memory: Reservation) -> Self {
        let (fields, schema, sight) = (rows.fields().to_vec(), rows.schema(), rows.sight().clone());
        let forward_only = scroll == Some(false);
        let batches = Vec::new();
        Cursor {
            fields,
            schema,
            sight,
            rest: Some(rows),
            has_failed: false,
            batches,
            memory,
            left: 0,
            known: 0,
            position: 0,
            forward_only,
        }
    }

    fn stream(&self, batches: Vec<RecordBatch>) -> ResultStream {
        let rows = ResultStream::rows(self.fields.clone(), self.schema.clone(), batches.into_iter().map(Ok));
        rows.with_sight(self.sight.clone())
    }

    /// Asks for rows until so many are known, or there are no more.
    fn know(&mut self, rows: i64) -> Result<()> {
        while self.known < rows
            && let Some(rest) = &mut self.rest
        {
            let next = rest.next().transpose().and_then(|batch| {
                if let Some(batch) = &batch {
                    self.memory.add(bytes_of(batch))?;
                }
                Ok(batch)
            });
            match next {
                Ok(Some(batch)) => {
                    self.known += batch.num_rows() as i64;
                    self.batches.push(batch);
                }
                Ok(None) => self.rest = None,
                Err(error) => {
                    self.fail();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Gives back what it has of a query that has failed.
    fn fail(&mut self) {
        (self.rest, self.has_failed) = (None, true);
        self.batches = Vec::new();
        // To hold less is no error.
        let _ = self.memory.resize(0);
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
            let passed = self.batches.remove(0);
            let bytes = self.memory.bytes().saturating_sub(bytes_of(&passed));
            // To hold less is no error.
            let _ = self.memory.resize(bytes);
        }
    }
}

/// Bytes of a batch's rows, which may be some of those in its buffers.
fn bytes_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|array| array.to_data().get_slice_memory_size().unwrap_or(0)).sum()
}

impl NamedCursor {
    /// Does something with the cursor for a statement that hears this handle, when no other fetches from it.
    ///
    /// # Errors
    /// 57014 if the statement is cancelled meanwhile; 55000 if the cursor's query has failed.
    fn with<T>(&self, name: &str, heard: &Cancellation, work: impl FnOnce(&mut Cursor) -> Result<T>) -> Result<T> {
        let _turn = self.turn.take(heard)?;
        let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        if cursor.has_failed {
            return Err(Error::new(ErrorKind::WrongState, format!("portal \"{name}\" cannot be run")));
        }
        work(&mut cursor)
    }
}

impl Session {
    pub(super) fn cursors(&self) -> MutexGuard<'_, FxHashMap<String, Arc<NamedCursor>>> {
        self.cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named_cursor(&self, name: &str) -> Result<Arc<NamedCursor>> {
        self.cursors().get(name).cloned().ok_or_else(|| unknown_cursor(name))
    }

    /// What counts the rows that a cursor keeps.
    pub(super) fn cursor_memory(&self) -> Reservation {
        Reservation::new(&self.running().context().memory)
    }

    /// An error (42P03, 53400) if there may be no cursor of this name.
    pub(super) fn check_new_cursor(&self, name: &str) -> Result<()> {
        self.check_among(&self.cursors(), name)
    }

    fn check_among(&self, cursors: &FxHashMap<String, Arc<NamedCursor>>, name: &str) -> Result<()> {
        if cursors.contains_key(name) {
            let message = format!("cursor \"{name}\" already exists");
            return Err(Error::new(ErrorKind::DuplicateCursor, message));
        }
        self.check_room(cursors.len(), "cursors")
    }

    /// Gives a cursor a name; one that is taken meanwhile is an error, too.
    pub(super) fn put_cursor(&self, name: &str, cursor: Cursor, hold: bool, binary: bool) -> Result<()> {
        let (fields, turn) = (cursor.fields.clone(), Turn::default());
        let named = Arc::new(NamedCursor { fields, hold, binary, turn, cursor: Mutex::new(cursor) });
        let mut cursors = self.cursors();
        self.check_among(&cursors, name)?;
        cursors.insert(name.to_owned(), named);
        Ok(())
    }

    /// Forgets the cursors that are not to be kept. They are dropped when nothing is locked: their rows may be made by code of the
    /// program's.
    pub(super) fn forget_cursors(&self, keep: impl Fn(&NamedCursor) -> bool) {
        let forgotten: Vec<_> = {
            let mut cursors = self.cursors();
            let names: Vec<String> = cursors.iter().filter(|(_, of)| !keep(of)).map(|(name, _)| name.clone()).collect();
            names.iter().filter_map(|name| cursors.remove(name)).collect()
        };
        drop(forgotten);
    }

    /// Forgets a cursor; whether there was one of this name.
    pub(super) fn forget_cursor(&self, name: &str) -> bool {
        let forgotten = self.cursors().remove(name);
        forgotten.is_some()
    }

    /// FETCH, or MOVE.
    pub(super) fn fetch(&self, name: &str, direction: Direction, is_move: bool) -> Result<ResultStream> {
        let named = self.named_cursor(name)?;
        let heard = self.running().cancellation;
        named.with(name, &heard, |cursor| {
            let batches = cursor.fetched(direction, &heard)?;
            if is_move {
                let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
                return Ok(ResultStream::done(format!("MOVE {rows}")));
            }
            let rows = cursor.stream(batches).with_verb("FETCH");
            Ok(if named.binary { rows.in_binary() } else { rows })
        })
    }

    /// The columns of a cursor, and whether its rows are for programs ([`ResultStream::is_binary`]); None if there is no cursor of
    /// this name.
    pub fn cursor(&self, name: &str) -> Option<(Vec<Field>, bool)> {
        self.cursors().get(name).map(|named| (named.fields.clone(), named.binary))
    }

    /// The next rows of a cursor, at most so many: as FETCH, for callers that know its name and need no statement.
    ///
    /// # Errors
    /// 34000 if there is none of this name, 25P02 in a transaction that has failed, 55000 if a fetch from it has failed before (the
    /// query, or its time or memory: the cursor is lost then), and those of the query.
    pub fn fetch_next(&self, name: &str, rows: u64) -> Result<ResultStream> {
        let count = i64::try_from(rows).unwrap_or(i64::MAX);
        self.as_statement(|| {
            self.in_transaction(|| {
                let rows = self.fetch(name, Direction::Count(count), false)?;
                Ok(rows.with_verb("SELECT"))
            })
        })
    }

    /// Closes a cursor; nothing happens if there is none of this name.
    pub fn close_cursor(&self, name: &str) {
        self.forget_cursor(name);
    }
}

pub(super) fn unknown_cursor(name: &str) -> Error {
    Error::new(ErrorKind::UnknownCursor, format!("cursor \"{name}\" does not exist"))
}
