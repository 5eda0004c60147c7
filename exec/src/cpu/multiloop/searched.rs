//! Answers nested blocks by search among rows in order (`plan/searched.rs`).
//!
//! Rows are put in order for a binding once enough rows have asked with it: how many, is what the order takes against what going
//! over the rows takes each time, both as measured: an EXISTS that finds something at once needs no order, however many rows there are.
//! A block whose bindings never come again is evaluated as ever, for the price of counting, and not even that once it has shown.
//! Rows in order are kept for the whole statement, by all workers together.

use crate::cpu::collections::bindings::Captured;
use crate::cpu::collections::stored::Stored;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::in_order::InOrder;
use crate::plan::batch::Batch;
use crate::plan::searched::{Candidate, Searched};
use crate::workers::context::{Context, Reservation};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::multiloop::{BlockId, IndexId};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bindings of a candidate that are told apart, at most; one with more is no candidate any more.
const BINDINGS_MAX: usize = 1 << 14;

/// Bytes of rows in order that a block keeps, at most, unless those of a few bindings are more; then all is forgotten.
const BYTES_MAX: usize = 1 << 26;

/// Questions after which bindings have shown whether they come again.
const QUESTIONS_TRIED: usize = 1 << 12;

/// Rows that are evaluated before others are answered.
const MEASURED_ROWS: usize = 4;

/// What it takes to put rows in order, and each of them, about; until it has been measured.
const ORDER_NANOS: u64 = 8_000;
const ROW_NANOS: u64 = 60;

/// Rows of a bucket, on average, from which on a search is better than a batch.
const BUCKET_ROWS: usize = 128;

/// Bytes of a text in a binding, at most.
const TEXT_MAX: usize = 64;

/// The fields that a block captures.
type Captures<'c> = &'c [(IndexId, u32, u32)];

/// What has been seen of the rows that ask for a block, and the rows in order that answer them.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// It does not pay.
    off: bool,
    questions: usize,
    /// By candidate; none of those that have too many.
    bindings: Vec<Option<Bindings>>,
    /// Bytes of all rows in order, and of the largest ones.
    bytes: usize,
    largest: usize,
    /// Rows for which the block has been evaluated, and what that took.
    evaluated: u32,
    evaluation: Duration,
    /// How often rows have been put in order, and what that took.
    orders: u32,
    ordering: Duration,
    reservation: Option<Reservation>,
}

type Bindings = FxHashMap<Vec<Value>, Seen>;

#[derive(Debug)]
enum Seen {
    /// So often.
    Times(u32),
    Rows(Arc<InOrder>),
}

/// The answers for rows that ask for a block, as far as there are some: a field each.
pub(super) fn answers(
    frame: &Frame<'_>,
    (id, field): (BlockId, u32),
    captures: Captures<'_>,
    asking: &[Vec<Value>],
) -> Result<Option<Vec<Option<Value>>>> {
    let shared = frame.shared;
    let (Some(searched), Some(asked)) = (shared.plan.searched.get(&id), shared.searched.get(&id)) else {
        return Ok(None);
    };
    let lock = || asked.lock().map_err(|_| Error::internal("a worker panicked"));
    let Some(estimate) = order_estimate(frame, searched, shared.plan.batches.contains_key(&id))? else {
        lock()?.off = true;
        return Ok(None);
    };
    let chosen = {
        let mut asked = lock()?;
        if asked.off {
            return Ok(None);
        }
        asked.count(searched, asking, shared.context)?;
        let worth = asked.worth(estimate);
        let chosen: Vec<Option<Place>> = asking.iter().map(|row| asked.place(searched, row, worth)).collect();
        asked.give_up();
        chosen
    };
    let mut made: FxHashMap<(usize, Vec<Value>), Arc<InOrder>> = FxHashMap::default();
    let mut found = Vec::with_capacity(asking.len());
    for (row, place) in asking.iter().zip(chosen) {
        let Some(Place { number, binding, rows }) = place else {
            found.push(None);
            continue;
        };
        let candidate = &searched.candidates[number];
        let rows = rows.or_else(|| made.get(&(number, binding.clone())).cloned());
        let started = Instant::now();
        let rows = match rows {
            Some(rows) => rows,
            None => match in_order(frame, candidate, captures, row) {
                Ok(rows) => {
                    let rows = Arc::new(rows);
                    lock()?.keep((number, binding.clone()), &rows, started.elapsed());
                    made.insert((number, binding), Arc::clone(&rows));
                    rows
                }
                Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Internal) => return Err(error),
                // What fails, or has no room, may do for the rows that this one reaches.
                Err(_) => {
                    *lock()? = Asked { off: true, ..Asked::default() };
                    return Ok(None);
                }
            },
        };
        found.push(rows.answer(candidate, row, (shared.parameters, field))?);
    }
    Ok(Some(found))
}

/// What it takes to put rows in order, about: none if to go over them costs no more than a search.
fn order_estimate(frame: &Frame<'_>, searched: &Searched, is_batched: bool) -> Result<Option<Duration>> {
    let over = frame.get(searched.over)?;
    let rows = bucket_rows(&over);
    let worth = !is_batched || rows >= BUCKET_ROWS;
    Ok(worth.then(|| Duration::from_nanos(ORDER_NANOS + ROW_NANOS * rows as u64)))
}

/// Rows of a bucket, on average, or of what has no buckets.
fn bucket_rows(stored: &Stored) -> usize {
    match stored {
        Stored::Buckets(buckets) => match &buckets.index.spans {
            Spans::Unique => 1,
            Spans::Starts(starts) => buckets.members.rows / starts.len().max(1),
        },
        stored => stored.row_count(),
    }
}

/// Whether the buckets that a batch goes over have so few rows that a search is no better, nor to remember answers.
pub(super) fn has_small_buckets(frame: &Frame<'_>, batch: &Batch) -> Result<bool> {
    let plan = frame.shared.plan.loop_of(batch.block, 0);
    let Some(over) = plan.and_then(|plan| plan.levels.get(1)?.source.collection()) else { return Ok(false) };
    let over = frame.get(over)?;
    Ok(bucket_rows(&over) < BUCKET_ROWS)
}

/// How many rows are to be evaluated before others are answered, so that it is known what that takes.
pub(super) fn unmeasured(frame: &Frame<'_>, id: BlockId) -> usize {
    let asked = frame.shared.searched.get(&id).and_then(|asked| asked.lock().ok());
    asked.map_or(0, |asked| if asked.off { 0 } else { MEASURED_ROWS.saturating_sub(asked.evaluated as usize) })
}

/// Notes what it took to evaluate a block for so many rows.
pub(super) fn took(frame: &Frame<'_>, id: BlockId, rows: usize, time: Duration) {
    if let Some(mut asked) = frame.shared.searched.get(&id).and_then(|asked| asked.lock().ok()) {
        asked.evaluated = asked.evaluated.saturating_add(rows as u32);
        asked.evaluation += time;
    }
}

/// What answers a row.
struct Place {
    /// Which candidate.
    number: usize,
    binding: Vec<Value>,
    /// None if they are to be made.
    rows: Option<Arc<InOrder>>,
}

impl Asked {
    /// Counts the bindings of rows that ask.
    fn count(&mut self, searched: &Searched, asking: &[Vec<Value>], context: &Context) -> Result<()> {
        self.bindings.resize_with(searched.candidates.len(), || Some(Bindings::default()));
        if self.bytes > BYTES_MAX.max(4 * self.largest) {
            self.bindings.iter_mut().flatten().for_each(Bindings::clear);
            (self.bytes, self.reservation) = (0, None);
        }
        let mut added = 0;
        for (seen, candidate) in self.bindings.iter_mut().zip(&searched.candidates) {
            context.check()?;
            let Some(bindings) = seen else { continue };
            for binding in asking.iter().filter_map(|row| binding(candidate, row)) {
                match bindings.get_mut(&binding) {
                    Some(Seen::Times(times)) => *times = times.saturating_add(1),
                    Some(Seen::Rows(_)) => {}
                    None => {
                        added += (binding.len() + 2) * 2 * size_of::<Value>();
                        bindings.insert(binding, Seen::Times(1));
                    }
                }
            }
            if bindings.len() > BINDINGS_MAX {
                let bytes = |seen: &Seen| if let Seen::Rows(rows) = seen { rows.bytes() } else { 0 };
                self.bytes -= bindings.values().map(bytes).sum::<usize>();
                *seen = None;
            }
        }
        self.questions += asking.len();
        let reservation = self.reservation.get_or_insert_with(|| Reservation::new(&context.memory));
        if reservation.add(added).is_err() {
            *self = Asked { off: true, ..Asked::default() };
        }
        Ok(())
    }

    /// What answers a row: rows in order that are there, or are worth it.
    fn place(&self, searched: &Searched, row: &[Value], worth: u32) -> Option<Place> {
        let mut best: Option<(u32, Place)> = None;
        for (number, (seen, candidate)) in self.bindings.iter().zip(&searched.candidates).enumerate() {
            let (Some(seen), Some(binding)) = (seen, binding(candidate, row)) else { continue };
            match seen.get(&binding) {
                Some(Seen::Rows(rows)) => return Some(Place { number, binding, rows: Some(Arc::clone(rows)) }),
                Some(&Seen::Times(times)) if times >= best.as_ref().map_or(worth, |(most, _)| most + 1) => {
                    best = Some((times, Place { number, binding, rows: None }));
                }
                _ => {}
            }
        }
        best.map(|(_, place)| place)
    }

    /// Counts no more if no bindings come again.
    fn give_up(&mut self) {
        let comes_again = |seen: &Bindings| seen.len() * 2 < self.questions;
        if self.questions >= QUESTIONS_TRIED && self.bytes == 0 && !self.bindings.iter().flatten().any(comes_again) {
            *self = Asked { off: true, ..Asked::default() };
        }
    }

    /// How often rows have to ask with a binding for its order to pay.
    fn worth(&self, estimate: Duration) -> u32 {
        if (self.evaluated as usize) < MEASURED_ROWS {
            return u32::MAX;
        }
        let order = self.ordering.checked_div(self.orders).unwrap_or(estimate);
        let evaluation = self.evaluation.checked_div(self.evaluated).unwrap_or(estimate);
        let times = order.as_nanos() / evaluation.as_nanos().max(1);
        u32::try_from(times).unwrap_or(u32::MAX).max(2)
    }

    fn keep(&mut self, (number, binding): (usize, Vec<Value>), rows: &Arc<InOrder>, time: Duration) {
        self.orders = self.orders.saturating_add(1);
        self.ordering += time;
        if let Some(Some(seen)) = self.bindings.get_mut(number) {
            self.bytes += rows.bytes();
            self.largest = self.largest.max(rows.bytes());
            seen.insert(binding, Seen::Rows(Arc::clone(rows)));
        }
    }
}

/// The binding of a row that asks, if it is short enough to be kept. Floats are told apart by their bits.
fn binding(candidate: &Candidate, row: &[Value]) -> Option<Vec<Value>> {
    let value = |&at: &usize| match &row[at] {
        Value::Float(float) => Some(Value::Int(float.to_bits() as i64)),
        Value::Text(text) if text.len() > TEXT_MAX => None,
        Value::Numeric(number) if number.small().is_none() => None,
        // Nor are vectors short, and hardly one comes twice.
        Value::Vector(_) => None,
        value => Some(value.clone()),
    };
    candidate.binding.iter().map(value).collect()
}

/// The rows of the binding of a row that asks, in order.
fn in_order(frame: &Frame<'_>, candidate: &Candidate, captures: Captures<'_>, row: &[Value]) -> Result<InOrder> {
    let mut bound = Captured::default();
    for &at in &candidate.binding {
        let (index, field, _) = captures[at];
        bound.insert((index, field), row[at].clone());
    }
    let (made, types) = frame.shared.driver.rows(frame, candidate.block, &bound)?;
    InOrder::of(made.rows()?, &types, candidate, frame.shared.context)
}
