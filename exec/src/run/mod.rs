//! Runs a program: its lets in order, then its result as record batches. `tail` makes rows while they are handed out.
//!
//! A loop of the body runs where the plan has placed it: by a device (`backend`), which may keep what it makes, or, if that
//! declines and else, by the processors. These take over what a device hands back, and have what it keeps fetched before they read it.

mod asked;
mod batches;
mod iterate;
mod output;
mod put_off;
mod tail;

pub use output::Output;

use crate::backend::devices::Devices;
use crate::backend::{Outcome, Task};
use crate::collections::made::Made;
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Column, Table};
use crate::cpu::collections::bindings::Captured;
use crate::cpu::collections::claims::check_given;
use crate::cpu::collections::clustered::OwnGroups;
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::frame::{Defined, Driver, Frame, Shared, row_count};
use crate::cpu::multiloop::inputs::Reading;
use crate::cpu::vector::Vector;
use crate::cpu::{multiloop, sort, window};
use crate::plan::batch::Batch;
use crate::plan::plan;
use crate::plan::reads::collections_read;
use crate::plan::statistics::LetStatistics;
use crate::plan::tree::{LetKind, LetPlan, Machine, Plan};
use crate::workers::context::{Context, Reservation};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, ErrorKind, Result};
use iterate::Round;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{BlockId, Program};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tail::Tail;

/// Runs a program on the workers of a pool.
///
/// `tables` gives the snapshots that the program's handles stand for; `parameters` are the values of `$1`, `$2`, ….
/// Errors are the user's (overflow, division by zero), the memory limit (53200) or cancellation (57014).
pub fn run(
    program: &Program,
    tables: &dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &[Value],
    context: &Context,
    pool: &Pool,
) -> Result<Output> {
    let plan = plan(program, Machine::host(pool.threads()))?;
    run_plan(&plan, tables, parameters, context, (pool, &Devices::default()))
}

/// Runs what was planned, on the workers of a pool and those devices that the plan is made for; the rest as [`run`].
pub fn run_plan(
    plan: &Plan,
    tables: &dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &[Value],
    context: &Context,
    (pool, devices): (&Pool, &Devices),
) -> Result<Output> {
    run_with(plan, tables, parameters, context, Body { pool, devices, takes_notes: false })
}

/// As [`run_plan`], and notes what becomes of adaptive choices: for [`Output::analysed`].
pub fn analyse(
    plan: &Plan,
    tables: &dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &[Value],
    context: &Context,
    (pool, devices): (&Pool, &Devices),
) -> Result<Output> {
    run_with(plan, tables, parameters, context, Body { pool, devices, takes_notes: true })
}

/// As [`run_plan`], but of many rows, where no row can fail, only the first are made: the others are while the output is read, so
/// that it needs no memory for all of them. Errors of these are of memory (53200), cancellation (57014), and of files that they are
/// read from (22P04 and its kin).
pub fn stream_plan(
    plan: &Arc<Plan>,
    tables: &dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &[Value],
    context: &Context,
    (pool, devices): (&Arc<Pool>, &Devices),
) -> Result<Output> {
    if !plan.streams.of {
        return run_plan(plan, tables, parameters, context, (pool, devices));
    }
    let shared = Shared::new(plan, tables, parameters, context, &Lets, false);
    let captured = Captured::default();
    let mut frame = Frame { shared: &shared, parent: None, captured: &captured, own: FxHashMap::default() };
    let body = Body { pool, devices, takes_notes: false };
    let last = plan.block(plan.body).lets.len() - 1;
    frame.lets(plan.body, last, On::Body(body))?;
    frame.bring(&plan.block(plan.body).lets[last], body);
    let own = frame.own;
    let mut tail = Tail::new(Arc::clone(plan), shared, own, Arc::clone(pool))?;
    let rows = tail.more()?;
    let context = context.clone().with_pool(pool);
    let mut output = Output::new(plan, rows.unwrap_or_else(|| RowSet::new(Vec::new())), Vec::new(), context);
    output.tail = (!tail.is_done()).then(|| Box::new(tail));
    Ok(output)
}

/// Runs what was planned; the rest as [`run`].
pub(crate) fn run_with(
    plan: &Plan,
    tables: &dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &[Value],
    context: &Context,
    body: Body<'_>,
) -> Result<Output> {
    let shared = Shared::new(plan, tables, parameters, context, &Lets, body.takes_notes);
    let captured = Captured::default();
    let mut frame = Frame { shared: &shared, parent: None, captured: &captured, own: FxHashMap::default() };
    frame.lets(plan.body, usize::MAX, On::Body(body))?;
    let result = frame.get_with(plan.block(plan.body).result, Some(body.pool))?;
    let mut statistics = shared.statistics.into_inner().map_err(|_| Error::internal("a worker panicked"))?;
    // Some lets run before their turn.
    statistics.sort_by_key(|(number, _)| *number);
    Ok(Output::new(plan, result.rows()?.clone(), statistics, context.clone()))
}

/// Gives fields these types, one each, where theirs carry them.
pub fn show_as(fields: &mut [Field], types: &[DataType]) {
    for (field, &data_type) in fields.iter_mut().zip(types).filter(|(_, data_type)| data_type.is_logical()) {
        debug_assert_eq!(field.data_type, data_type.carrier(), "a column of {data_type}");
        field.data_type = data_type;
    }
}

/// What runs the lets of a block.
#[derive(Clone, Copy)]
enum On<'b> {
    /// Of the body: its workers and devices.
    Body(Body<'b>),
    /// Of a round, or of a nested block: the thread that asks, and workers that have nothing else to do.
    Workers(&'b Pool),
    /// Of a batch: the thread that asks.
    Here,
}

impl<'b> On<'b> {
    /// Of a nested block: few rows may ask for long loops.
    fn asked(context: &'b Context) -> Self {
        match &context.pool {
            Some(pool) if pool.threads() > 1 => On::Workers(pool),
            _ => On::Here,
        }
    }

    fn body(self) -> Option<Body<'b>> {
        if let On::Body(body) = self { Some(body) } else { None }
    }

    fn pool(self) -> Option<&'b Pool> {
        match self {
            On::Body(body) => Some(body.pool),
            On::Workers(pool) => Some(pool),
            On::Here => None,
        }
    }
}

/// What runs the loops of a body.
#[derive(Clone, Copy)]
pub(crate) struct Body<'b> {
    pub(crate) pool: &'b Pool,
    /// Those that the plan is made for.
    pub(crate) devices: &'b Devices,
    /// Whether it is noted what becomes of adaptive choices.
    pub(crate) takes_notes: bool,
}

impl<'a> Frame<'a> {
    /// Computes lets of a block, the first ones up to a number.
    fn lets(&mut self, block: BlockId, count: usize, on: On<'_>) -> Result<()> {
        let plan = self.shared.plan;
        let lets = &plan.block(block).lets;
        let count = count.min(lets.len());
        let gates = plan.gates.as_ref().filter(|_| on.body().is_some());
        for (number, definition) in lets.iter().enumerate().take(count) {
            if let Some(gates) = gates
                && self.is_long(number)
            {
                for other in self.shorter(gates, number, count) {
                    self.one_let(block, (other, &lets[other]), on)?;
                }
            }
            self.one_let(block, (number, definition), on)?;
        }
        if count < lets.len() && on.body().is_some() {
            self.make_for_rest(block, count, on)?;
        }
        Ok(())
    }

    /// Computes a let of a block, unless it is there, nothing reads it, or it is put off.
    fn one_let(&mut self, block: BlockId, (number, definition): (usize, &'a LetPlan), on: On<'_>) -> Result<()> {
        let (plan, body) = (self.shared.plan, on.body());
        self.check()?;
        if !definition.is_read(plan) || definition.defines.iter().all(|define| self.own.contains_key(define)) {
            return Ok(());
        }
        if let (Some(of), Some(_)) = (&plan.put_off, body)
            && let Some(rows) = self.puts_off(of, number)
        {
            self.put_off(number, definition, rows);
            return Ok(());
        }
        self.make_let(block, (number, definition), on)
    }

    /// Computes a let of a block.
    fn make_let(&mut self, block: BlockId, (number, definition): (usize, &'a LetPlan), on: On<'_>) -> Result<()> {
        let (plan, body) = (self.shared.plan, on.body());
        let (started, bytes, outcome) = loop {
            if body.is_some() {
                self.shared.begin_notes();
                self.shared.put_off().take_asked();
            }
            let started = body.map(|_| Instant::now());
            let bytes = self.shared.context.memory.used();
            let outcome = self.invariant_or_new(block, number, definition, on);
            let is_final = |error: &Error| matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::OutOfMemory);
            let begins_again = body.is_some() && outcome.as_ref().is_err_and(|error| !is_final(error));
            if !(begins_again && self.make_asked(block, on)?) {
                break (started, bytes, outcome);
            }
        };
        if let (Some(started), Ok(stored)) = (started, &outcome)
            && !stored.iter().any(|made| matches!(made, Made::Host(stored) if matches!(**stored, Stored::Own(_))))
        {
            self.note_let(number, definition, stored, started, bytes);
        }
        if let Ok(stored) = &outcome {
            check_claims(plan, definition, stored)?;
        }
        if let Err(error) = &outcome
            && matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::OutOfMemory | ErrorKind::Internal)
        {
            return Err(error.clone());
        }
        for (number, &id) in definition.defines.iter().enumerate() {
            let made = outcome.as_ref().map(|made| made[number].clone()).map_err(Clone::clone);
            self.own.insert(id, made);
        }
        Ok(())
    }

    /// Notes what a let of the body did.
    fn note_let(&self, number: usize, definition: &LetPlan, stored: &[Made<Stored>], started: Instant, bytes: usize) {
        let input = match &definition.kind {
            LetKind::Loop(plan) => {
                plan.levels.first().and_then(|level| level.source.collection()).into_iter().collect()
            }
            LetKind::Sort { input, .. } | LetKind::Window { input, .. } | LetKind::Iterate { seed: input, .. } => {
                vec![*input]
            }
            LetKind::Concat { inputs } => inputs.clone(),
            LetKind::Values { .. } => Vec::new(),
        };
        // Nobody waits for a device unless somebody looks at the numbers.
        let rows = |made: &Made<Stored>| match made.on_host() {
            None if self.shared.notes.is_none() => 0,
            _ => row_count(made) as u64,
        };
        let statistics = LetStatistics {
            name: String::new(),
            rows_in: input.into_iter().filter_map(|id| self.made(id).ok()).map(|made| rows(&made)).sum(),
            chunks_pruned: self.shared.chunks_pruned.load(Ordering::Relaxed),
            rows_out: stored.iter().map(rows).collect(),
            time: started.elapsed(),
            bytes: self.shared.context.memory.used().saturating_sub(bytes) as u64,
            notes: self.shared.take_notes(),
        };
        if let Ok(mut all) = self.shared.statistics.lock() {
            all.push((number, statistics));
        }
    }

    /// What a let gives; if it is invariant and stands in a nested block, what it gave the first time.
    fn invariant_or_new(&self, block: BlockId, number: usize, definition: &'a LetPlan, on: On<'_>) -> Result<Defined> {
        let body = on.body();
        if body.is_some()
            && let (Some(gates), LetKind::Loop(plan)) = (&self.shared.plan.gates, &definition.kind)
            && plan.unmatched.is_none()
            && self.is_long(number)
            && !self.is_asked_for(gates, number)
        {
            self.note(0, || "no rows: who asks for it finds nothing".to_owned());
            return multiloop::run_on_nothing(self, plan, &definition.defines).map(on_host);
        }
        if let Some(body) = body {
            return self.definition_of_body((number, definition), body);
        }
        if !definition.invariant {
            return self.definition(definition, on.pool()).map(on_host);
        }
        let mut kept =
            self.shared.invariant[block.0 as usize][number].lock().map_err(|_| Error::internal("a worker panicked"))?;
        match &*kept {
            Some(stored) => Ok(stored.clone()),
            None => Ok(kept.insert(on_host(self.definition(definition, on.pool())?)).clone()),
        }
    }

    /// What a let defines, if all of it that is read are own groups, as far as chunks allow.
    fn own(&self, definition: &LetPlan) -> Result<Option<Vec<Arc<Stored>>>> {
        let plan = self.shared.plan;
        let groups = definition.defines.iter().map(|&id| match &plan.collection(id).own {
            Some(key) => Ok(OwnGroups::of(self.get(key.table)?.rows()?, key.field).map(Stored::Own)),
            None if plan.collection(id).reads.any => Ok(None),
            None => Ok(Some(Stored::Rows(RowSet::new(Vec::new())))),
        });
        let groups = groups.collect::<Result<Option<Vec<Stored>>>>()?;
        let any = |groups: &Vec<Stored>| groups.iter().any(|stored| matches!(stored, Stored::Own(_)));
        Ok(groups.filter(any).map(|groups| groups.into_iter().map(Arc::new).collect()))
    }

    /// What a let of the body gives: a loop is the device's that the plan has placed it on, unless that declines.
    fn definition_of_body(&self, (number, definition): (usize, &'a LetPlan), body: Body<'_>) -> Result<Defined> {
        if let LetKind::Loop(of) = &definition.kind
            && let Some(device) = body.devices.get(of.device.of)
        {
            let task = Task { plan: self.shared.plan, defines: &definition.defines, of };
            let inputs = Reading { frame: self, plan: of, pool: Some(body.pool) };
            match device.run(&task, &inputs)? {
                Outcome::Given(given) => {
                    self.note(0, || format!("a loop of {}", device.name()));
                    return multiloop::adopt::adopt(self, (number, definition), given, Some(body.pool));
                }
                Outcome::Declined(why) => {
                    self.note(0, || format!("a loop of the host: {} declined: {why}", device.name()))
                }
            }
        }
        self.bring(definition, body);
        self.definition(definition, Some(body.pool)).map(on_host)
    }

    /// Has what a let of the body reads fetched from devices, by all workers, before one of these asks for it.
    fn bring(&self, definition: &LetPlan, body: Body<'_>) {
        if body.devices.is_empty() {
            return;
        }
        for id in collections_read(self.shared.plan, definition) {
            if let Ok(Made::Held(_)) = self.made(id) {
                // The error is that of whoever reads it.
                let _ = self.get_with(id, Some(body.pool));
            }
        }
    }

    /// What a let gives that the host runs.
    fn definition(&self, definition: &'a LetPlan, pool: Option<&Pool>) -> Result<Vec<Arc<Stored>>> {
        if let Some(groups) = self.own(definition)? {
            return Ok(groups);
        }
        match &definition.kind {
            LetKind::Loop(plan) => multiloop::run(self, plan, &definition.defines, pool),
            LetKind::Sort { input, order } => {
                let input = self.get(*input)?;
                let types = self.shared.plan.types(definition.defines[0]);
                let workers = Workers { pool, context: self.shared.context };
                let rows = sort::sort(input.rows()?, &types, order, workers)?;
                Ok(vec![Arc::new(Stored::Rows(rows))])
            }
            LetKind::Window { input, partition, order, functions } => {
                let input = self.get(*input)?;
                let types = self.shared.plan.types(definition.defines[0]);
                let workers = Workers { pool, context: self.shared.context };
                let rows = window::window(input.rows()?, &types, (partition, order), functions, workers)?;
                Ok(vec![Arc::new(Stored::Rows(rows))])
            }
            LetKind::Iterate { seed, working, step, distinct, enough, last } => {
                let types = self.shared.plan.types(definition.defines[0]);
                let round = Round { working: *working, step: *step, enough: *enough, last: *last };
                Ok(vec![Arc::new(Stored::Rows(self.iterate(*seed, round, *distinct, &types, pool)?))])
            }
            LetKind::Concat { inputs } => {
                let types = self.shared.plan.types(definition.defines[0]);
                let inputs: Vec<Arc<Stored>> = inputs.iter().map(|&input| self.get(input)).collect::<Result<_>>()?;
                let rows = inputs.iter().map(|input| input.rows()).collect::<Result<Vec<_>>>()?;
                Ok(vec![Arc::new(Stored::Rows(sort::concat(&rows, types.len())))])
            }
            LetKind::Values { expressions, rows } => {
                let types = self.shared.plan.types(definition.defines[0]);
                multiloop::values(self, expressions, rows, &types)
            }
        }
    }
}

/// In a debug build, an error if a let gave what is not as its plan claims.
fn check_claims(plan: &Plan, definition: &LetPlan, made: &[Made<Stored>]) -> Result<()> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    let given = definition.defines.iter().map(|&id| plan.collection(id)).zip(made);
    given.filter(|(plan, _)| plan.reads.any).try_for_each(|(plan, made)| match made {
        Made::Host(stored) => check_given(plan, stored),
        Made::Held(_) => Ok(()),
    })
}

/// What lets gave on the host.
fn on_host(stored: Vec<Arc<Stored>>) -> Defined {
    stored.into_iter().map(Made::Host).collect()
}

/// Evaluates nested blocks for loops.
struct Lets;

impl Driver for Lets {
    fn nested(&self, around: &Frame<'_>, block: BlockId, field: u32, captured: &Captured) -> Result<Value> {
        let shared = around.shared;
        let result = shared.plan.block(block).result;
        let mut frame = Frame { shared, parent: Some(around), captured, own: FxHashMap::default() };
        frame.lets(block, usize::MAX, On::asked(shared.context))?;
        frame.get(result)?.rows()?.single(field, around.field_type(result, field))
    }

    fn rows(&self, around: &Frame<'_>, block: BlockId, captured: &Captured) -> Result<(Arc<Stored>, Vec<DataType>)> {
        let shared = around.shared;
        let result = shared.plan.block(block).result;
        let mut frame = Frame { shared, parent: Some(around), captured, own: FxHashMap::default() };
        frame.lets(block, usize::MAX, On::asked(shared.context))?;
        Ok((frame.get(result)?, shared.plan.types(result)))
    }

    fn nested_columns(
        &self,
        around: &Frame<'_>,
        asked: (&Batch, u32),
        captures: &[&Vector],
        len: usize,
        out: &mut Vector,
    ) -> Result<()> {
        batches::evaluate(around, asked, captures, len, out)
    }

    fn nested_batch(&self, around: &Frame<'_>, batch: &Batch, field: u32, asking: &[Vec<Value>]) -> Result<Vec<Value>> {
        let rows = asking_rows(batch, asking, around.shared.context)?;
        let own = FxHashMap::from_iter([(batch.asking, Ok(Made::Host(Arc::new(Stored::Rows(rows)))))]);
        let mut frame = Frame { shared: around.shared, parent: Some(around), captured: around.captured, own };
        frame.lets(batch.block, usize::MAX, On::Here)?;
        let made = frame.get(batch.made)?;
        let at = 1 + field;
        let none = if batch.exists { Value::Boolean(false) } else { made.groups()?.empty[at as usize].clone() };
        let (mut values, made) = (vec![none; asking.len()], made.rows()?);
        for chunk in &made.chunks {
            let value = |row: usize, field: u32| {
                chunk.columns[made.position(field) as usize].value(row, around.field_type(batch.made, field))
            };
            for row in 0..chunk.rows {
                let Value::Int(number) = value(row, 0) else { continue };
                values[number as usize] = if batch.exists { Value::Boolean(true) } else { value(row, at) };
            }
        }
        Ok(values)
    }
}

/// The rows that ask for a batch: what each captures, and its number.
fn asking_rows(batch: &Batch, asking: &[Vec<Value>], context: &Context) -> Result<RowSet> {
    let behind = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Vector(elements) => size_of_val::<[f64]>(elements),
        _ => 0,
    };
    let behind: usize = asking.iter().flatten().map(behind).sum();
    let mut reservation = Reservation::new(&context.memory);
    reservation.add(asking.len() * batch.types.len() * 2 * size_of::<Value>() + behind)?;
    let numbers: Vec<Value> = (0..asking.len()).map(|number| Value::Int(number as i64)).collect();
    let column = |(at, &data_type): (usize, &DataType)| match at == batch.types.len() - 1 {
        true => Column::from_values(data_type, &numbers),
        false => Column::from_values(data_type, asking.iter().map(|values| &values[at])),
    };
    let columns = batch.types.iter().enumerate().map(column).collect();
    let chunk = Arc::new(Chunk::new(asking.len(), columns));
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(vec![chunk]) })
}
