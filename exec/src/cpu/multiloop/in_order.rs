//! Rows in the order of what nested blocks search for, and what is running over them: counts and sums from the start, extremes from
//! either end. A row that asks finds its range by binary search, and the range its answer by what is running at its ends.

use crate::collections::rows::RowSet;
use crate::plan::searched::{Candidate, Goal, Outer, Running, RunningKind};
use crate::workers::context::{Context, Reservation};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::cmp::Ordering;

/// Rows between two looks at whether the statement goes on.
const ROWS_UNCHECKED: usize = 1 << 12;

/// Rows in order take so much of the statement's memory, at most: one part in this. What else it does had room without them.
const MEMORY_SHARE: usize = 8;

/// Rows in the order of what is searched for, without those in which that is NULL, and what is running over them.
#[derive(Debug)]
pub(super) struct InOrder {
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
    Sums {
        counts: Vec<u32>,
        sums: Vec<i128>,
    },
    /// How many count, how many of these are TRUE, and how many NULL.
    Flags {
        counts: Vec<u32>,
        yes: Vec<u32>,
        unknown: Vec<u32>,
    },
    Extremes {
        least: bool,
        ascending: Vec<Value>,
        descending: Vec<Value>,
    },
}

/// The rows of an answer: the first ones up to a number, and those from another on. Of an equality those between the two.
#[derive(Clone, Copy)]
struct Range {
    head: usize,
    tail: usize,
}

impl InOrder {
    /// Rows that have been collected.
    pub(super) fn of(rows: &RowSet, types: &[DataType], candidate: &Candidate, context: &Context) -> Result<InOrder> {
        let fields = Fields { rows, types, context };
        let rows = rows.rows;
        // Two arrays a field, and one of counts.
        let bytes = (rows + 1) * (2 * types.len() + 1) * size_of::<Value>();
        if bytes > context.memory.limit() / MEMORY_SHARE {
            return Err(Error::new(ErrorKind::OutOfMemory, "rows in order would take too much memory"));
        }
        let mut reservation = Reservation::new(&context.memory);
        reservation.add(bytes)?;
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

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.reservation.bytes()
    }

    /// The answer for a row; none if it is to be found in another way.
    pub(super) fn answer(
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
    /// An error if the statement was cancelled, now and then.
    fn check(&self, row: usize) -> Result<()> {
        if row.is_multiple_of(ROWS_UNCHECKED) { self.context.check() } else { Ok(()) }
    }

    /// Visits a field of the first rows.
    fn visit(&self, field: usize, count: usize, mut visit: impl FnMut(usize, Value)) -> Result<()> {
        let (position, mut number) = (self.rows.position(field as u32) as usize, 0);
        for chunk in &self.rows.chunks {
            for row in 0..chunk.rows.min(count - number) {
                self.check(number)?;
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
                    // As every extreme has them: one zero, one NaN.
                    values[row] = value.canonical();
                }
            })?;
        }
        let (mut ascending, mut descending) =
            (vec![Value::Null; values.len() + 1], vec![Value::Null; values.len() + 1]);
        for (row, value) in values.iter().enumerate() {
            self.check(row)?;
            ascending[row + 1] = better(least, &ascending[row], value).clone();
        }
        for (row, value) in values.iter().enumerate().rev() {
            self.check(row)?;
            descending[row] = better(least, &descending[row + 1], value).clone();
        }
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
