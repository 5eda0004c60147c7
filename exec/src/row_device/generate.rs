//! Generators: what a loop does with the settings of its nest.

use super::data::Row;
use super::nest::Rows;
use crate::interpret::reduce::Accumulator;
use crate::plan::tree::{AggregatePlan, GeneratorKind, LoopPlan, ReducePlan, TopKPlan};
use crate::workers::context::Reservation;
use crate::{Error, Result};
use multiloop_planner::multiloop::{Gather, Reduction, ScalarId};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows for which memory is reserved at once.
const ROWS_RESERVED: usize = 64;

/// What a generator made.
#[derive(Debug)]
pub(super) enum Made {
    Rows(Vec<Row>),
    /// Rows begin with the fields of the key; `empty` is what a lookup gives that finds nothing.
    Groups {
        rows: Vec<Row>,
        empty: Row,
    },
    /// For each key its rows.
    Buckets {
        keys: Vec<Row>,
        members: Vec<Vec<Row>>,
    },
    /// What a reduction was offered, and has not folded.
    Offered(Vec<Offered>),
}

/// A row that a reduction takes: its key, and for each aggregate its argument, unless its condition drops the row.
#[derive(Debug)]
pub(super) struct Offered {
    pub(super) key: Row,
    pub(super) arguments: Vec<Option<Row>>,
}

/// What a generator has so far.
#[derive(Default)]
struct Filling {
    /// Of a Collect, or of a top-k in order of what came.
    rows: Vec<Row>,
    /// Groups by the [`Value::group_key`] of their keys.
    positions: FxHashMap<Row, usize>,
    keys: Vec<Row>,
    members: Vec<Vec<Row>>,
    states: Vec<Vec<State>>,
    top: Option<Accumulator>,
    offered: Vec<Offered>,
}

/// An aggregate of a group.
struct State {
    accumulator: Accumulator,
    /// The arguments that have been seen, where equal ones count once.
    seen: FxHashSet<Value>,
}

/// Runs a loop: what each generator made; of those that are to be unfolded, what they were offered.
pub(super) fn run(rows: &mut Rows<'_>, unfolded: &[bool]) -> Result<Vec<Made>> {
    let of = rows.task.of;
    let mut memory = Reservation::new(&rows.inputs.context().memory);
    let mut fillings = Vec::with_capacity(of.generators.len());
    for (generator, &unfolded) in of.generators.iter().zip(unfolded) {
        let mut filling = Filling::default();
        match &generator.kind {
            GeneratorKind::TopK(top_k) => filling.top = Some(top(rows, top_k)?),
            GeneratorKind::Reduce(reduce) if reduce.key.is_none() && !unfolded => filling.states.push(states(reduce)?),
            _ => {}
        }
        fillings.push(filling);
    }
    let mut room = 0;
    rows.settings(&mut |rows, of| {
        for ((generator, filling), &unfolded) in of.generators.iter().zip(&mut fillings).zip(unfolded) {
            if rows.passes(of, &generator.conditions)? {
                if room == 0 {
                    memory.add(ROWS_RESERVED * (size_of::<Row>() + 2 * size_of::<Value>()))?;
                    room = ROWS_RESERVED;
                }
                room -= 1;
                filling.offer(rows, of, &generator.kind, unfolded)?;
            }
        }
        Ok(())
    })?;
    let finish = |(filling, kind): (Filling, &GeneratorKind)| filling.finish(kind);
    let kinds = of.generators.iter().map(|generator| &generator.kind);
    fillings
        .into_iter()
        .zip(kinds)
        .zip(unfolded)
        .map(|((filling, kind), &unfolded)| match unfolded {
            true => Ok(Made::Offered(filling.offered)),
            false => finish((filling, kind)),
        })
        .collect()
}

/// A top-k of no rows yet.
fn top(rows: &mut Rows<'_>, plan: &TopKPlan) -> Result<Accumulator> {
    let (limit, offset) = (rows.inputs.ground(plan.limit)?, rows.inputs.ground(plan.offset)?);
    Accumulator::top_k(&plan.order, &limit, &offset)
}

fn states(plan: &ReducePlan) -> Result<Vec<State>> {
    let state = |aggregate: &AggregatePlan| {
        let argument = aggregate.kind.argument.map(|(data_type, _)| data_type);
        match &aggregate.kind.reduction {
            Reduction::TopK { .. } => Err(Error::internal("top-k is the only aggregate of its loop")),
            reduction => Ok(State { accumulator: Accumulator::new(reduction, argument), seen: FxHashSet::default() }),
        }
    };
    plan.aggregates.iter().map(state).collect()
}

impl Filling {
    /// Takes the row on which all indices stand.
    fn offer(&mut self, rows: &mut Rows<'_>, of: &LoopPlan, kind: &GeneratorKind, unfolded: bool) -> Result<()> {
        match kind {
            GeneratorKind::Collect { value, .. } => self.rows.push(rows.row(of, value)?),
            GeneratorKind::TopK(top_k) => {
                let row = rows.row(of, &top_k.arguments)?;
                self.top.as_mut().map_or(Ok(()), |top| top.fold(row))?;
            }
            GeneratorKind::BucketCollect(bucket) => {
                let group = self.group(rows, of, &bucket.key)?;
                self.members.resize_with(self.keys.len(), Vec::new);
                self.members[group].push(rows.row(of, &bucket.value)?);
            }
            GeneratorKind::Reduce(reduce) if unfolded => {
                let key = rows.row(of, reduce.parts())?;
                let arguments = reduce.aggregates.iter().map(|aggregate| argument(rows, of, aggregate));
                let arguments = arguments.collect::<Result<_>>()?;
                self.offered.push(Offered { key, arguments });
            }
            GeneratorKind::Reduce(reduce) => {
                let group = match &reduce.key {
                    Some(key) => self.group(rows, of, key)?,
                    None => 0,
                };
                if self.states.len() <= group {
                    self.states.push(states(reduce)?);
                }
                for (state, aggregate) in self.states[group].iter_mut().zip(&reduce.aggregates) {
                    let Some(argument) = argument(rows, of, aggregate)? else { continue };
                    // What gathers different values leaves out equal ones itself.
                    let gathers = aggregate.kind.reduction == Reduction::Gather(Gather::Distinct);
                    let counts = match argument.first() {
                        Some(value) if aggregate.kind.distinct && !gathers => {
                            state.seen.insert(value.clone().group_key())
                        }
                        _ => true,
                    };
                    if counts {
                        state.accumulator.fold(argument)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The group of this row's key, made if it is new.
    fn group(&mut self, rows: &mut Rows<'_>, of: &LoopPlan, key: &[ScalarId]) -> Result<usize> {
        let key = rows.row(of, key)?;
        let hashed: Row = key.iter().cloned().map(Value::group_key).collect();
        if let Some(&group) = self.positions.get(&hashed) {
            // Of intervals of one length the one with the fewest months, then days, stands for all.
            for (kept, part) in self.keys[group].iter_mut().zip(key) {
                if matches!(part, Value::Interval(_)) && part.compare_forms(kept).is_lt() {
                    *kept = part;
                }
            }
            return Ok(group);
        }
        self.positions.insert(hashed, self.keys.len());
        self.keys.push(key.into_iter().map(Value::canonical).collect());
        Ok(self.keys.len() - 1)
    }

    fn finish(self, kind: &GeneratorKind) -> Result<Made> {
        Ok(match kind {
            GeneratorKind::Collect { .. } => Made::Rows(self.rows),
            GeneratorKind::TopK(_) => Made::Rows(self.top.map_or_else(Vec::new, Accumulator::into_top_rows)),
            GeneratorKind::BucketCollect(_) => Made::Buckets { keys: self.keys, members: self.members },
            GeneratorKind::Reduce(reduce) => {
                let finished = |states: Vec<State>| {
                    let aggregates = states.into_iter().zip(&reduce.aggregates);
                    aggregates
                        .map(|(state, aggregate)| state.accumulator.finish(aggregate.kind.data_type))
                        .collect::<Result<Row>>()
                };
                if reduce.key.is_none() {
                    return Ok(Made::Rows(self.states.into_iter().map(finished).collect::<Result<_>>()?));
                }
                let nulls = reduce.key_types.iter().map(|_| Value::Null);
                let empty = nulls.chain(finished(states(reduce)?)?).collect();
                let mut rows = self.keys;
                for (row, states) in rows.iter_mut().zip(self.states) {
                    row.extend(finished(states)?);
                }
                Made::Groups { rows, empty }
            }
        })
    }
}

/// What an aggregate takes of the row on which all indices stand; none if its condition drops it.
fn argument(rows: &mut Rows<'_>, of: &LoopPlan, aggregate: &AggregatePlan) -> Result<Option<Row>> {
    if !rows.passes(of, &aggregate.condition)? {
        return Ok(None);
    }
    aggregate
        .argument
        .map(|argument| rows.scalar(of, argument))
        .transpose()
        .map(|value| Some(value.into_iter().collect()))
}
