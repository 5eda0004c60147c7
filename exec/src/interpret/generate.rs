//! Generators: what a loop does with the settings of its nest.

use super::Interpreter;
use super::collection::{Data, Form, Row, charge};
use super::reduce::Accumulator;
use crate::Result;
use crate::workers::context::Reservation;
use multiloop_planner::multiloop::{Aggregate, CollectionId, Generator, Multiloop, Reduction, ScalarId};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// A generator and what it has so far.
pub(super) struct Partial<'a> {
    generator: &'a Generator,
    /// The rows of a Collect.
    rows: Vec<Row>,
    /// The groups by their keys' [`Value::group_key`]; a Reduce has one, of the empty key.
    positions: FxHashMap<Row, usize>,
    keys: Vec<Row>,
    /// A group's rows (BucketCollect).
    members: Vec<Vec<Row>>,
    /// A group's aggregates (Reduce, BucketReduce).
    states: Vec<Vec<State<'a>>>,
    /// What all of that is charged to.
    memory: Reservation,
}

/// An aggregate of one group.
struct State<'a> {
    aggregate: &'a Aggregate,
    accumulator: Accumulator,
    /// The arguments that have been seen, by their [`Value::group_key`], if equal ones count once.
    seen: FxHashSet<Value>,
}

impl Interpreter<'_> {
    /// Runs a loop: one result a generator.
    pub(super) fn multiloop(&mut self, defines: &[CollectionId], multiloop: &Multiloop) -> Result<Vec<Data>> {
        debug_assert_eq!(defines.len(), multiloop.generators.len());
        let mut partials = Vec::with_capacity(multiloop.generators.len());
        for generator in &multiloop.generators {
            partials.push(self.start(generator)?);
        }
        self.settings(multiloop, &mut |interpreter| {
            partials.iter_mut().try_for_each(|partial| interpreter.offer(partial))
        })?;
        partials.into_iter().map(|partial| self.finish(partial)).collect()
    }

    fn start<'g>(&mut self, generator: &'g Generator) -> Result<Partial<'g>> {
        let mut partial = Partial {
            generator,
            rows: Vec::new(),
            positions: FxHashMap::default(),
            keys: Vec::new(),
            members: Vec::new(),
            states: Vec::new(),
            memory: Reservation::new(&self.context.memory),
        };
        if let Generator::Reduce { aggregates, .. } = generator {
            partial.states.push(self.states(aggregates)?);
        }
        Ok(partial)
    }

    fn states<'g>(&mut self, aggregates: &'g [Aggregate]) -> Result<Vec<State<'g>>> {
        let state = |aggregate: &'g Aggregate| {
            let argument = aggregate.arguments.first().map(|id| self.program.scalars.data_type(*id));
            let accumulator = match &aggregate.reduction {
                Reduction::TopK { order, limit, offset } => {
                    Accumulator::top_k(order, &self.scalar(*limit)?, &self.scalar(*offset)?)?
                }
                reduction => Accumulator::new(reduction, argument),
            };
            Ok(State { aggregate, accumulator, seen: FxHashSet::default() })
        };
        aggregates.iter().map(state).collect()
    }

    /// Offers the row on which all indices stand.
    fn offer(&mut self, partial: &mut Partial) -> Result<()> {
        if !self.passes(partial.generator.condition())? {
            return Ok(());
        }
        match partial.generator {
            Generator::Collect { value, .. } => {
                let row = self.row(value)?;
                charge(&mut partial.memory, &row)?;
                partial.rows.push(row);
            }
            Generator::Reduce { .. } => {
                for state in &mut partial.states[0] {
                    self.fold(state, &mut partial.memory)?;
                }
            }
            Generator::BucketCollect { key, value, .. } => {
                let group = self.group(partial, key)?;
                let row = self.row(value)?;
                charge(&mut partial.memory, &row)?;
                partial.members[group].push(row);
            }
            Generator::BucketReduce { key, .. } => {
                let group = self.group(partial, key)?;
                for state in &mut partial.states[group] {
                    self.fold(state, &mut partial.memory)?;
                }
            }
        }
        Ok(())
    }

    fn row(&mut self, scalars: &[ScalarId]) -> Result<Row> {
        scalars.iter().map(|scalar| self.scalar(*scalar)).collect()
    }

    /// The group of this row's key, made if it is new.
    fn group(&mut self, partial: &mut Partial, key: &[ScalarId]) -> Result<usize> {
        let key = self.row(key)?;
        let hashed: Row = key.iter().cloned().map(Value::group_key).collect();
        if let Some(&group) = partial.positions.get(&hashed) {
            settle(&mut partial.keys[group], key);
            return Ok(group);
        }
        // Whether -0 or 0 came first must not show.
        let key: Row = key.into_iter().map(Value::canonical).collect();
        charge(&mut partial.memory, &key)?;
        partial.states.push(self.states(partial.generator.aggregates())?);
        partial.members.push(Vec::new());
        partial.positions.insert(hashed, partial.keys.len());
        partial.keys.push(key);
        Ok(partial.keys.len() - 1)
    }

    /// Folds this row into an aggregate, unless its FILTER or DISTINCT leaves it out.
    fn fold(&mut self, state: &mut State, memory: &mut Reservation) -> Result<()> {
        if !self.passes(&state.aggregate.condition)? {
            return Ok(());
        }
        let arguments = self.row(&state.aggregate.arguments)?;
        if state.aggregate.distinct && !state.seen.insert(arguments[0].clone().group_key()) {
            return Ok(());
        }
        if state.aggregate.distinct || matches!(state.accumulator, Accumulator::TopK { .. }) {
            charge(memory, &arguments)?;
        }
        state.accumulator.fold(arguments)
    }

    fn finish(&mut self, partial: Partial) -> Result<Data> {
        let Partial { generator, rows, positions, keys, members, states, memory } = partial;
        let form = match generator {
            Generator::Collect { .. } => Form::Rows(rows),
            Generator::Reduce { .. } => Form::Rows(reduced(states.into_iter().flatten().collect())?),
            Generator::BucketCollect { .. } => Form::Buckets { positions, keys, members },
            Generator::BucketReduce { aggregates, key, .. } => {
                let of_no_rows = self.states(aggregates)?.into_iter().map(State::finish);
                let empty = key.iter().map(|_| Ok(Value::Null)).chain(of_no_rows).collect::<Result<_>>()?;
                let mut rows = keys;
                for (row, states) in rows.iter_mut().zip(states) {
                    for state in states {
                        row.push(state.finish()?);
                    }
                }
                Form::Groups { positions, rows, empty }
            }
        };
        Ok(Data::new(form, memory))
    }
}

/// Intervals of one length are one key: the one with the fewest months, then days, stands for all, so that which came
/// first does not show.
fn settle(kept: &mut Row, key: Row) {
    for (kept, part) in kept.iter_mut().zip(key) {
        if matches!(part, Value::Interval(_)) && part.compare_forms(kept).is_lt() {
            *kept = part;
        }
    }
}

/// The one row of a Reduce, or the rows of its top-k.
fn reduced(mut states: Vec<State>) -> Result<Vec<Row>> {
    if let [State { accumulator: Accumulator::TopK { .. }, .. }] = states.as_slice() {
        return Ok(states.remove(0).accumulator.into_top_rows());
    }
    Ok(vec![states.into_iter().map(State::finish).collect::<Result<_>>()?])
}

impl State<'_> {
    fn finish(self) -> Result<Value> {
        self.accumulator.finish(self.aggregate.data_type)
    }
}
