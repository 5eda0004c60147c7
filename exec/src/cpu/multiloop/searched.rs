//! Answers nested blocks by search among rows in order (`plan/searched.rs`).
//!
//! Rows are put in order for a binding once enough rows have asked with it: how many, is what the order costs against what going
//! over the rows each time does. So a block whose bindings never come again is evaluated as ever, for the price of counting, and no
//! more than that once it has shown. Rows in order are kept for the whole statement, by all workers together.

use crate::collections::rows::RowSet;
use crate::cpu::collections::bindings::Captured;
use crate::cpu::collections::stored::Stored;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::plan::searched::{Candidate, Goal, Outer, Running, RunningKind, Searched};
use crate::workers::context::{Context, Reservation};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{BlockId, IndexId};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::sync::Arc;

/// Bindings of a candidate that are told apart, at most; then all is forgotten.
const BINDINGS_MAX: usize = 1 << 14;

/// Bytes of rows in order that a block keeps, at most; then all is forgotten.
const BYTES_MAX: usize = 1 << 26;

/// Questions after which bindings have shown whether they come again.
const QUESTIONS_TRIED: usize = 1 << 12;

/// Rows between two looks at whether the statement goes on.
const ROWS_UNCHECKED: usize = 1 << 12;

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
    /// By candidate.
    bindings: Vec<FxHashMap<Vec<Value>, Seen>>,
    bytes: usize,
    reservation: Option<Reservation>,
}

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
    let Some(times) = times_worth(frame, searched, shared.plan.batches.contains_key(&id))? else { return Ok(None) };
    let chosen = {
        let mut asked = lock()?;
        if asked.off {
            return Ok(None);
        }
        asked.count(searched, asking, shared.context)?;
        let chosen: Vec<Option<Place>> = asking.iter().map(|row| asked.place(searched, row, times)).collect();
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
        let rows = match rows.or_else(|| made.get(&(number, binding.clone())).cloned()) {
            Some(rows) => rows,
            None => match InOrder::of(frame, candidate, captures, row) {
                Ok(rows) => {
                    let rows = Arc::new(rows);
                    lock()?.keep(number, binding.clone(), &rows);
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

/// How often rows have to ask with a binding for its order to pay; none if to go over the rows costs no more than a search. Rows are
/// put in order for what going over a few dozen times as many costs, and a loop costs as much as a few thousand rows even if it has
/// none. A batch of rows that ask for buckets is one loop.
fn times_worth(frame: &Frame<'_>, searched: &Searched, is_batched: bool) -> Result<Option<u32>> {
    let rows = match &*frame.get(searched.over)? {
        Stored::Buckets(buckets) => match &buckets.index.spans {
            Spans::Unique => 1,
            Spans::Starts(starts) => buckets.members.rows / starts.len(),
        },
        stored => stored.row_count(),
    };
    if is_batched && rows < BUCKET_ROWS {
        return Ok(None);
    }
    let (order, pass) = (8_000 + 60 * rows, if is_batched { 8 * rows } else { 8_000 + rows });
    Ok(Some(u32::try_from(order / pass).unwrap_or(u32::MAX).max(2)))
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
    fn count(&mut self, searched: &Searched, asking: &[Vec<Value>], context: &Context) -> Result<()> {
        self.bindings.resize_with(searched.candidates.len(), FxHashMap::default);
        let mut added = 0;
        for (seen, candidate) in self.bindings.iter_mut().zip(&searched.candidates) {
            for binding in asking.iter().filter_map(|row| binding(candidate, row)) {
                match seen.get_mut(&binding) {
                    Some(Seen::Times(times)) => *times = times.saturating_add(1),
                    Some(Seen::Rows(_)) => {}
                    None => {
                        added += (binding.len() + 2) * 2 * size_of::<Value>();
                        seen.insert(binding, Seen::Times(1));
                    }
                }
            }
        }
        self.questions += asking.len();
        let reservation = self.reservation.get_or_insert_with(|| Reservation::new(&context.memory));
        let is_full = self.bytes > BYTES_MAX || self.bindings.iter().any(|seen| seen.len() > BINDINGS_MAX);
        if is_full || reservation.add(added).is_err() {
            *self = Asked { off: !is_full, ..Asked::default() };
            self.bindings.resize_with(searched.candidates.len(), FxHashMap::default);
        }
        Ok(())
    }

    /// What answers a row: rows in order that are there, or are worth it.
    fn place(&self, searched: &Searched, row: &[Value], worth: u32) -> Option<Place> {
        let mut best: Option<(u32, Place)> = None;
        for (number, (seen, candidate)) in self.bindings.iter().zip(&searched.candidates).enumerate() {
            let Some(binding) = binding(candidate, row) else { continue };
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
        let comes_again = |seen: &FxHashMap<Vec<Value>, Seen>| {
            seen.len() * 2 < self.questions || seen.values().any(|seen| matches!(seen, Seen::Rows(_)))
        };
        if self.questions >= QUESTIONS_TRIED && !self.bindings.iter().any(comes_again) {
            *self = Asked { off: true, ..Asked::default() };
        }
    }

    fn keep(&mut self, number: usize, binding: Vec<Value>, rows: &Arc<InOrder>) {
        if let Some(seen) = self.bindings.get_mut(number) {
            self.bytes += rows.reservation.bytes();
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
        value => Some(value.clone()),
    };
    candidate.binding.iter().map(value).collect()
}

/// Rows in the order of what is searched for, without those in which that is NULL, and what is running over them.
#[derive(Debug)]
struct InOrder {
    keys: Vec<Value>,
    /// Rows in order: those that have a key, or all where nothing is searched for.
    count: usize,
    /// Rows in all.
    rows: usize,
    running: Vec<Sequence>,
    reservation: Reservation,
}

/// What is running over rows in order: of each number of rows from the start; extremes, of each number to the end, too.
#[derive(Debug)]
enum Sequence {
    /// How many count, and their sum.
    Sums { counts: Vec<u32>, sums: Vec<i128> },
    /// How many count, how many of these are TRUE, and how many NULL.
    Flags { counts: Vec<u32>, yes: Vec<u32>, unknown: Vec<u32> },
    Extremes { least: bool, ascending: Vec<Value>, descending: Vec<Value> },
}

/// The rows of an answer: the first ones up to a number, and those from another on. Of an equality those between the two.
#[derive(Clone, Copy)]
struct Range {
    head: usize,
    tail: usize,
}

impl InOrder {
    /// The rows of the binding of a row that asks.
    fn of(frame: &Frame<'_>, candidate: &Candidate, captures: Captures<'_>, row: &[Value]) -> Result<InOrder> {
        let mut bound = Captured::default();
        for &at in &candidate.binding {
            let (index, field, _) = captures[at];
            bound.insert((index, field), row[at].clone());
        }
        let shared = frame.shared;
        let (made, types) = shared.driver.rows(frame, candidate.block, &bound)?;
        let fields = Fields { rows: made.rows()?, types: &types, context: shared.context };
        let mut reservation = Reservation::new(&shared.context.memory);
        let rows = fields.rows.rows;
        // Two arrays a field, and one of counts.
        reservation.add((rows + 1) * (2 * types.len() + 1) * size_of::<Value>())?;
        let mut keys = Vec::new();
        if candidate.search.is_some() {
            fields.visit(0, rows, |_, key| keys.push(key))?;
            keys.truncate(keys.iter().position(Value::is_null).unwrap_or(keys.len()));
        }
        let count = if candidate.search.is_some() { keys.len() } else { rows };
        let running = match &candidate.goal {
            Goal::Matches => Vec::new(),
            Goal::Compares { function, field, .. } => {
                let kinds = match function {
                    Function::NotEqual => &[RunningKind::Count, RunningKind::Least, RunningKind::Greatest][..],
                    Function::Less | Function::LessEqual => &[RunningKind::Count, RunningKind::Least],
                    _ => &[RunningKind::Count, RunningKind::Greatest],
                };
                let each = |kind| Running { kind, field: Some(*field), condition: None };
                kinds.iter().map(|&kind| fields.sequence(&each(kind), count)).collect::<Result<_>>()?
            }
            Goal::Aggregates(running) => {
                running.iter().map(|each| fields.sequence(each, count)).collect::<Result<_>>()?
            }
        };
        let text = |value: &Value| if let Value::Text(text) = value { text.len() } else { 0 };
        let extremes = running.iter().flat_map(Sequence::extremes);
        reservation.add(keys.iter().chain(extremes).map(text).sum())?;
        Ok(InOrder { keys, count, rows, running, reservation })
    }

    /// The answer for a row; none if it is to be found in another way.
    fn answer(
        &self,
        candidate: &Candidate,
        row: &[Value],
        (parameters, field): (&[Value], u32),
    ) -> Result<Option<Value>> {
        let given = Given { row, parameters };
        let (range, is_null) = match &candidate.search {
            None => (Range { head: self.count, tail: self.count }, false),
            Some((function, outer)) => {
                let wanted = given.value(outer)?;
                (self.range(*function, &wanted), wanted.is_null())
            }
        };
        Ok(match &candidate.goal {
            Goal::Matches => Some(self.matches(range, is_null)),
            Goal::Compares { function, outer, three_valued, .. } => {
                let found = self.compares(range, *function, &given.value(outer)?)?;
                Some(if found.is_null() && !three_valued { Value::Boolean(false) } else { found })
            }
            Goal::Aggregates(running) => {
                self.running[field as usize].result(running[field as usize].kind, range, self.count)
            }
        })
    }

    /// The rows whose key compares so with a value.
    fn range(&self, function: Function, wanted: &Value) -> Range {
        let all = self.count;
        if wanted.is_null() {
            return Range { head: 0, tail: all };
        }
        let before = |is: fn(Ordering) -> bool| self.keys.partition_point(|key| is(key.compare(wanted)));
        match function {
            Function::Less => Range { head: before(Ordering::is_lt), tail: all },
            Function::LessEqual => Range { head: before(Ordering::is_le), tail: all },
            Function::Greater => Range { head: 0, tail: before(Ordering::is_le) },
            Function::GreaterEqual => Range { head: 0, tail: before(Ordering::is_lt) },
            _ => Range { head: before(Ordering::is_lt), tail: before(Ordering::is_le) },
        }
    }

    /// Whether a key equals what is searched for.
    fn matches(&self, Range { head, tail }: Range, is_null: bool) -> Value {
        let is_open = if is_null { self.rows > 0 } else { self.keys.len() < self.rows };
        match (!is_null && head < tail, is_open) {
            (true, _) => Value::Boolean(true),
            (false, true) => Value::Null,
            (false, false) => Value::Boolean(false),
        }
    }

    /// Whether a value in a range compares so: TRUE, or NULL if NULLs leave it open.
    fn compares(&self, range: Range, function: Function, wanted: &Value) -> Result<Value> {
        let rows = range.head + (self.count - range.tail);
        let [Sequence::Sums { counts, .. }, extremes @ ..] = &self.running[..] else {
            return Err(Error::internal("what compares has counts and extremes"));
        };
        if rows == 0 {
            return Ok(Value::Boolean(false));
        }
        if wanted.is_null() {
            return Ok(Value::Null);
        }
        let holds = |value: Value| !value.is_null() && compares(function, value.compare(wanted));
        if extremes.iter().filter_map(|extreme| extreme.extreme(range)).any(holds) {
            return Ok(Value::Boolean(true));
        }
        let values = counts[range.head] + (counts[self.count] - counts[range.tail]);
        Ok(if (values as usize) < rows { Value::Null } else { Value::Boolean(false) })
    }
}

/// Whether values that are in this order compare so.
fn compares(function: Function, order: Ordering) -> bool {
    match function {
        Function::Less => order.is_lt(),
        Function::LessEqual => order.is_le(),
        Function::Greater => order.is_gt(),
        Function::GreaterEqual => order.is_ge(),
        _ => order.is_ne(),
    }
}

impl Sequence {
    fn extremes(&self) -> &[Value] {
        if let Sequence::Extremes { ascending, .. } = self { ascending } else { &[] }
    }

    /// The extreme of a range.
    fn extreme(&self, Range { head, tail }: Range) -> Option<Value> {
        let Sequence::Extremes { least, ascending, descending } = self else { return None };
        Some(better(*least, &ascending[head], &descending[tail]).clone())
    }

    /// The result of a range; none if it is out of the result's bounds, which is an error.
    fn result(&self, kind: RunningKind, range: Range, all: usize) -> Option<Value> {
        let Range { head, tail } = range;
        let number = |counts: &[u32]| counts[head] + (counts[all] - counts[tail]);
        match self {
            Sequence::Extremes { .. } => self.extreme(range),
            Sequence::Flags { counts, yes, unknown } => {
                let (all, yes, unknown) = (number(counts), number(yes), number(unknown));
                let decided = if kind == RunningKind::Any { yes > 0 } else { all > yes + unknown };
                Some(match (decided, unknown > 0) {
                    (true, _) => Value::Boolean(kind == RunningKind::Any),
                    (false, true) => Value::Null,
                    (false, false) => Value::Boolean(kind != RunningKind::Any),
                })
            }
            Sequence::Sums { counts, sums } => match kind {
                RunningKind::Sum { decimal, low, high } => {
                    if number(counts) == 0 {
                        return Some(Value::Null);
                    }
                    let sum = sums[all].checked_sub(sums[tail])?.checked_add(sums[head])?;
                    let sum = (low..=high).contains(&sum).then_some(sum)?;
                    if decimal { Some(Value::Decimal(sum)) } else { i64::try_from(sum).ok().map(Value::Int) }
                }
                _ => Some(Value::Int(number(counts).into())),
            },
        }
    }
}

/// The lesser or the greater one, of values that are equal by their forms; NULL is none.
fn better<'v>(least: bool, a: &'v Value, b: &'v Value) -> &'v Value {
    let better = if least { Ordering::Less } else { Ordering::Greater };
    match (a, b) {
        (Value::Null, _) => b,
        (_, Value::Null) => a,
        _ if b.compare(a).then_with(|| b.compare_forms(a)) == better => b,
        _ => a,
    }
}

/// Rows that have been collected.
struct Fields<'r> {
    rows: &'r RowSet,
    types: &'r [DataType],
    context: &'r Context,
}

impl Fields<'_> {
    /// Visits a field of the first rows.
    fn visit(&self, field: usize, count: usize, mut visit: impl FnMut(usize, Value)) -> Result<()> {
        let (position, mut number) = (self.rows.position(field as u32) as usize, 0);
        for chunk in &self.rows.chunks {
            for row in 0..chunk.rows.min(count - number) {
                if number.is_multiple_of(ROWS_UNCHECKED) {
                    self.context.check()?;
                }
                visit(number, chunk.columns[position].value(row, self.types[field]));
                number += 1;
            }
        }
        Ok(())
    }

    /// What is running over the first rows.
    fn sequence(&self, running: &Running, count: usize) -> Result<Sequence> {
        let mut counted = vec![true; count];
        if let Some(condition) = running.condition {
            self.visit(condition, count, |row, value| counted[row] = value.is_true())?;
        }
        if let RunningKind::Least | RunningKind::Greatest = running.kind {
            return self.extremes(running, counted);
        }
        let is_flag = matches!(running.kind, RunningKind::Any | RunningKind::All);
        let (mut counts, mut yes, mut unknown) = (vec![0; count + 1], vec![0; count + 1], vec![0; count + 1]);
        let is_sum = matches!(running.kind, RunningKind::Sum { .. });
        let (mut sums, mut is_over) = (vec![0i128; if is_sum { count + 1 } else { 0 }], false);
        let mut add = |row: usize, value: &Value| {
            let counts_here = counted[row] && (is_flag || !value.is_null());
            counts[row + 1] = counts[row] + u32::from(counts_here);
            if is_flag {
                yes[row + 1] = yes[row] + u32::from(counts_here && value.is_true());
                unknown[row + 1] = unknown[row] + u32::from(counts_here && value.is_null());
            }
            if is_sum {
                let value = match value {
                    Value::Int(value) if counts_here => i128::from(*value),
                    Value::Decimal(value) if counts_here => *value,
                    _ => 0,
                };
                let sum = sums[row].checked_add(value);
                is_over |= sum.is_none();
                sums[row + 1] = sum.unwrap_or(0);
            }
        };
        match running.field {
            Some(field) => self.visit(field, count, |row, value| add(row, &value))?,
            None => (0..count).for_each(|row| add(row, &Value::Boolean(true))),
        }
        if is_over {
            return Err(Error::unsupported("a running sum of so many digits is"));
        }
        Ok(if is_flag { Sequence::Flags { counts, yes, unknown } } else { Sequence::Sums { counts, sums } })
    }

    fn extremes(&self, running: &Running, counted: Vec<bool>) -> Result<Sequence> {
        let least = running.kind == RunningKind::Least;
        let mut values = vec![Value::Null; counted.len()];
        if let Some(field) = running.field {
            self.visit(field, counted.len(), |row, value| {
                if counted[row] {
                    values[row] = value;
                }
            })?;
        }
        let run = |last: &mut Value, value: &Value| {
            *last = better(least, last, value).clone();
            Some(last.clone())
        };
        let none = || std::iter::once(Value::Null);
        let ascending = none().chain(values.iter().scan(Value::Null, run)).collect();
        let mut descending: Vec<Value> = none().chain(values.iter().rev().scan(Value::Null, run)).collect();
        descending.reverse();
        Ok(Sequence::Extremes { least, ascending, descending })
    }
}

/// What a row that asks gives.
struct Given<'g> {
    row: &'g [Value],
    parameters: &'g [Value],
}

impl Given<'_> {
    fn value(&self, outer: &Outer) -> Result<Value> {
        Ok(match outer {
            Outer::Captured(at) => self.row[*at].clone(),
            Outer::Constant(value) => value.clone(),
            Outer::Parameter(number) => {
                let value = self.parameters.get(*number as usize);
                value.cloned().ok_or_else(|| Error::internal("a parameter that has not been given"))?
            }
            Outer::Call { function, arguments, types, result } => {
                let arguments = arguments.iter().map(|each| self.value(each)).collect::<Result<Vec<_>>>()?;
                evaluate(*function, &arguments, types, *result)?
            }
        })
    }
}
