//! Nested blocks over few rows, for a tile of rows that ask: see `plan/interchange.rs`. The block's rows are gone over one by one;
//! what each of them is about is computed for all rows that ask at once.

use super::environment::Collections;
use super::fold::fold;
use super::tile::Tile;
use crate::collections::rows::RowSet;
use crate::column::order_key::float_key;
use crate::cpu::aggregate::TileGroups;
use crate::cpu::collections::bindings::Bindings;
use crate::cpu::collections::stored::Stored;
use crate::cpu::kernels::{integer, vector_block};
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::{NO_ROW, Rows};
use crate::cpu::vector::{Vector, VectorData};
use crate::interpret::order::compare_values;
use crate::plan::interchange::{Depends, Goal, Interchanged};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::plan::tree::{GeneratorKind, LoopPlan};
use crate::workers::context::{Context, Reservation};
use crate::{Error, Result};
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::{DataType, SortOrder};
use multiloop_planner::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// Rows of a block, at most: they are gone over for every tile.
const OWN_ROWS_MAX: usize = 1 << 10;

/// As many of them as a row that asks is worth: beside what it takes to evaluate the block for that row alone.
const OWN_ROWS_A_ROW: usize = 4;

/// Rows that ask of which what is computed stays in the cache.
const ASKING_ROWS: usize = 1 << 10;

/// Elements of sums of vectors that are kept at once.
const ASKING_ELEMENTS: usize = 1 << 17;

/// A block whose loop may change places with that of the rows that ask.
pub struct Interchange<'a> {
    pub(crate) plan: &'a Interchanged,
    pub(crate) of: &'a LoopPlan,
    /// What the block goes over, and the types of its fields.
    pub(crate) over: Arc<Stored>,
    pub(crate) types: Vec<DataType>,
}

impl Interchange<'_> {
    /// Whether it pays for so many rows that ask.
    pub(super) fn pays(&self, asking: usize) -> Result<bool> {
        Ok(self.over.rows()?.rows <= OWN_ROWS_MAX.min(asking.saturating_mul(OWN_ROWS_A_ROW)))
    }

    /// The type of a field of the block.
    pub(super) fn type_of(&self, field: usize) -> DataType {
        match (&self.plan.goal, &self.of.generators[0].kind) {
            (Goal::First { fields, .. }, GeneratorKind::Collect { types, .. }) => types[fields[field]],
            (_, GeneratorKind::Reduce(reduce)) => reduce.aggregates[field].kind.data_type,
            _ => DataType::Null,
        }
    }

    /// A field of the block for rows that ask, by what they capture; none if ties cannot be decided so.
    pub(super) fn run(
        &self,
        around: (&dyn Collections, Bindings<'_>),
        asking: &[&Vector],
        len: usize,
        field: usize,
    ) -> Result<Option<Vector>> {
        let context = around.0.context();
        let own = Own::read(self, context)?;
        let mut run = Run { of: self.of, around, own: &own, context };
        match &self.plan.goal {
            Goal::Aggregates => run.aggregate(asking, len, field).map(Some),
            Goal::First { order, depends, fields } => run.first((order, depends), fields[field], asking, len),
        }
    }
}

/// The rows that the block goes over: the fields that are read of them.
struct Own {
    rows: usize,
    /// By row, the fields in the order of the nodes that read them.
    values: Vec<Vec<Value>>,
    /// The nodes of these fields.
    nodes: Vec<u32>,
    /// The nodes that depend on these rows.
    varying: Vec<u32>,
    _held: Option<Reservation>,
}

impl Own {
    fn read(block: &Interchange<'_>, context: Option<&Context>) -> Result<Self> {
        let set: &RowSet = block.over.rows()?;
        let nodes = || block.of.expressions.nodes.iter().zip(0..);
        let column = |(node, number): (&Node, u32)| match node.operation {
            Operation::Column { index: 1, field, .. } => Some((number, field)),
            _ => None,
        };
        let read: Vec<(u32, u32)> = nodes().filter_map(column).collect();
        let mut held = context.map(|context| Reservation::new(&context.memory));
        let mut values = Vec::with_capacity(set.rows);
        for chunk in &set.chunks {
            for row in 0..chunk.rows {
                let value = |&(_, field): &(u32, u32)| {
                    let data_type = block.types[field as usize];
                    chunk.columns[set.position(field) as usize].value(row, data_type)
                };
                let row: Vec<Value> = read.iter().map(value).collect();
                if let (Some(held), Some(context)) = (&mut held, context) {
                    // What is made of it, too.
                    held.add(row.iter().map(value_bytes).sum::<usize>() * 2)?;
                    context.check()?;
                }
                values.push(row);
            }
        }
        let varying = nodes().filter(|(node, _)| node.reach == 2).map(|(_, number)| number).collect();
        Ok(Own {
            rows: set.rows,
            values,
            nodes: read.into_iter().map(|(node, _)| node).collect(),
            varying,
            _held: held,
        })
    }
}

/// Measures of all pairs: by node, the values for each row of the block's.
struct Measured {
    of: Vec<(u32, Vec<Vector>)>,
    _held: Option<Reservation>,
}

impl Measured {
    /// Says what they are for a row of the block's, which is not asked for again.
    fn set_computed(&mut self, tile: &mut Tile<'_>, row: usize) {
        for (node, values) in &mut self.of {
            tile.set_computed(*node, std::mem::take(&mut values[row]));
        }
    }
}

/// Bytes of a value, about.
fn value_bytes(value: &Value) -> usize {
    let elsewhere = match value {
        Value::Text(text) => text.len(),
        Value::Vector(elements) => size_of_val(&elements[..]),
        _ => 0,
    };
    size_of::<Value>() + elsewhere
}

/// The evaluation of one field.
struct Run<'r> {
    of: &'r LoopPlan,
    around: (&'r dyn Collections, Bindings<'r>),
    own: &'r Own,
    context: Option<&'r Context>,
}

impl<'r> Run<'r> {
    /// A tile in which so many rows ask, from one on.
    fn tile(&self, asking: &[&Vector], start: usize, len: usize) -> Tile<'r> {
        let (collections, Bindings { parameters, captured }) = &self.around;
        let mut tile = Tile::new(&self.of.expressions, *collections, Bindings { parameters, captured });
        tile.start(0, len);
        tile.levels[1].tuples.rows.push(Rows::Range(0));
        let positions: Vec<u32> = (start as u32..(start + len) as u32).collect();
        for (node, number) in self.of.expressions.nodes.iter().zip(0..) {
            if let Operation::Column { index: 0, field, .. } = node.operation
                && let Some(from) = asking.get(field as usize)
            {
                let mut vector = Vector::default();
                vector.gather(from, &positions);
                integer::coerce(&mut vector, node.register);
                tile.set_computed(number, vector);
            }
        }
        tile
    }

    /// Makes the block's index stand on a row of its own.
    fn stand_on(&self, tile: &mut Tile<'_>, row: usize, len: usize) -> Result<()> {
        if let Some(context) = self.context {
            context.check()?;
        }
        tile.forget(&self.own.varying);
        for (&node, value) in self.own.nodes.iter().zip(&self.own.values[row]) {
            let mut vector = Vector::default();
            vector.set_constant(len, value, self.of.expressions.nodes[node as usize].register);
            tile.set_computed(node, vector);
        }
        Ok(())
    }

    /// The measures of the vectors of those who ask and of the block's rows, of all pairs.
    fn measure(&self, tile: &mut Tile<'_>, all_pass: bool) -> Result<Measured> {
        let mut measured = Measured { of: Vec::new(), _held: None };
        if !all_pass || self.own.rows == 0 {
            return Ok(measured);
        }
        let nodes = &self.of.expressions.nodes;
        for (node, number) in nodes.iter().zip(0..) {
            let Operation::Call { function: Function::Vector(function), arguments } = &node.operation else { continue };
            let (true, &[left, right]) = (function.is_measure(), &arguments[..]) else { continue };
            // A measure is the same of both from either side.
            let own = |number: u32| self.own.nodes.iter().position(|node| *node == number);
            let (asks, place) = match (own(left), own(right)) {
                (None, Some(place)) if nodes[left as usize].reach <= 1 => (left, place),
                (Some(place), None) if nodes[right as usize].reach <= 1 => (right, place),
                _ => continue,
            };
            if nodes[asks as usize].may_fail {
                continue;
            }
            let vectors: Option<Vec<&[f64]>> = self.own.values.iter().map(|row| row[place].as_vector()).collect();
            let Some(vectors) = vectors else { continue };
            // The measures, and the vectors once more in the form of a kernel.
            let elements = vectors.iter().map(|vector| vector.len()).sum::<usize>();
            let bytes = (self.own.rows.saturating_mul(tile.len()) + elements).saturating_mul(size_of::<f64>());
            if let Some(context) = self.context {
                let held = measured._held.get_or_insert_with(|| Reservation::new(&context.memory));
                held.add(bytes)?;
            }
            tile.ensure(asks)?;
            let of = nodes[asks as usize].data_type;
            if let Some(values) = vector_block::measure(*function, of, tile.top(asks), &vectors)? {
                measured.of.push((number, values));
            }
        }
        Ok(measured)
    }

    /// What a row of the block's must pass.
    fn conditions(&self) -> Vec<ScalarId> {
        let levels = self.of.levels.iter().flat_map(|level| level.matches.iter().chain(&level.conditions));
        levels.chain(&self.of.generators[0].conditions).copied().collect()
    }

    fn aggregate(&mut self, asking: &[&Vector], len: usize, field: usize) -> Result<Vector> {
        let GeneratorKind::Reduce(reduce) = &self.of.generators[0].kind else {
            return Err(Error::internal("a loop that does not reduce"));
        };
        let aggregate = &reduce.aggregates[field];
        let mut conditions = self.conditions();
        conditions.extend(&aggregate.condition);
        let at_once = match aggregate.kind.argument {
            Some((_, Register::Vectors(length))) => (ASKING_ELEMENTS / length as usize).clamp(1, ASKING_ROWS),
            _ => ASKING_ROWS,
        };
        let mut held = self.context.map(|context| Reservation::new(&context.memory));
        let mut groups = Vec::new();
        let mut made: Option<ColumnBuilder> = None;
        for start in (0..len).step_by(at_once) {
            let count = at_once.min(len - start);
            let mut accumulator = aggregate.kind.accumulator()?;
            accumulator.resize(count);
            let mut tile = self.tile(asking, start, count);
            let base = tile.depth();
            let mut measured = self.measure(&mut tile, conditions.is_empty())?;
            for row in 0..self.own.rows {
                self.stand_on(&mut tile, row, count)?;
                measured.set_computed(&mut tile, row);
                tile.filter(&conditions)?;
                if !tile.is_empty() {
                    tile.origins(base, &mut groups);
                    fold(&mut tile, &mut accumulator, aggregate, TileGroups::Each(&groups, None))?;
                }
                tile.truncate(base);
                if let Some(held) = &mut held {
                    held.resize(accumulator.bytes() + made.as_ref().map_or(0, ColumnBuilder::bytes))?;
                }
            }
            let column = accumulator.finish(aggregate.kind.data_type, None)?;
            match &mut made {
                None => made = Some(column),
                Some(made) => made.append(&column.into_vector()),
            }
        }
        made.map(ColumnBuilder::into_vector).ok_or_else(|| Error::internal("no rows ask"))
    }

    fn first(
        &mut self,
        (order, depends): (&[SortOrder], &[Depends]),
        field: usize,
        asking: &[&Vector],
        len: usize,
    ) -> Result<Option<Vector>> {
        let GeneratorKind::Collect { value, .. } = &self.of.generators[0].kind else {
            return Err(Error::internal("a loop that does not collect"));
        };
        let own = self.own_values(value, depends)?;
        let Some(rows) = in_order(&own, order, depends) else { return Ok(None) };
        let mut chosen = vec![NO_ROW; len];
        let conditions = self.conditions();
        let mut first = First { order: order[0], best: Vec::new(), wide: Vec::new() };
        let mut origins = Vec::new();
        for start in (0..len).step_by(ASKING_ROWS) {
            let count = ASKING_ROWS.min(len - start);
            let mut tile = self.tile(asking, start, count);
            let base = tile.depth();
            let mut measured = self.measure(&mut tile, conditions.is_empty())?;
            first.begin(count);
            for &row in &rows {
                self.stand_on(&mut tile, row as usize, count)?;
                measured.set_computed(&mut tile, row as usize);
                let chosen = &mut chosen[start..start + count];
                if conditions.is_empty() {
                    tile.evaluate(value[0])?;
                    first.fold(tile.vector(value[0]), None, row, chosen)?;
                    continue;
                }
                tile.filter(&conditions)?;
                if !tile.is_empty() {
                    tile.evaluate(value[0])?;
                    tile.origins(base, &mut origins);
                    first.fold(tile.vector(value[0]), Some(&origins), row, chosen)?;
                }
                tile.truncate(base);
            }
        }
        let data_type = self.of.expressions.root(value[field]).data_type;
        let mut values: Vec<Value> = own.into_iter().map(|mut row| row.swap_remove(field)).collect();
        // Where there is no row, the one behind all of them is chosen: NULL.
        chosen.iter_mut().filter(|row| **row == NO_ROW).for_each(|row| *row = values.len() as u32);
        values.push(Value::Null);
        let all = ColumnBuilder::from_values(&values, data_type).into_vector();
        let mut out = Vector::default();
        out.gather(&all, &chosen);
        Ok(Some(out))
    }

    /// Of each row of the block what is collected, as far as it depends on that row alone.
    fn own_values(&self, value: &[ScalarId], depends: &[Depends]) -> Result<Vec<Vec<Value>>> {
        let mut tile = self.tile(&[], 0, 1);
        let mut all = Vec::with_capacity(self.own.rows);
        for row in 0..self.own.rows {
            self.stand_on(&mut tile, row, 1)?;
            let mut values = vec![Value::Null; value.len()];
            for (at, &scalar) in value.iter().enumerate().filter(|(at, _)| depends[*at] == Depends::Own) {
                tile.evaluate(scalar)?;
                values[at] = tile.vector(scalar).value(0, self.of.expressions.root(scalar).data_type);
            }
            all.push(values);
        }
        Ok(all)
    }
}

/// The rows of a block in the order in which the first one is taken of those whose first keys are equal; none where the first
/// key itself, as a field, would have to decide in the midst of others.
fn in_order(own: &[Vec<Value>], order: &[SortOrder], depends: &[Depends]) -> Option<Vec<u32>> {
    let keys = 1..order.len();
    let fields = || order.len()..depends.len();
    let of_own = |at: &usize| depends[*at] == Depends::Own;
    // By values, then by forms; the first key is a field among them, too, if it is shown.
    let shown = fields().find(|&at| depends[at] == Depends::Both).unwrap_or(depends.len());
    let compare = |a: u32, b: u32, fields: &mut dyn Iterator<Item = usize>, by_form: bool| {
        let (a, b) = (&own[a as usize], &own[b as usize]);
        let of = |at: usize| if by_form { a[at].compare_forms(&b[at]) } else { a[at].compare(&b[at]) };
        fields.filter(of_own).map(of).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let by_keys = |a: u32, b: u32| {
        let key = |at: usize| compare_values(&own[a as usize][at], &own[b as usize][at], order[at]);
        keys.clone().filter(of_own).map(key).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let all = |a: u32, b: u32| {
        by_keys(a, b).then_with(|| compare(a, b, &mut fields(), false)).then_with(|| compare(a, b, &mut fields(), true))
    };
    let mut rows: Vec<u32> = (0..own.len() as u32).collect();
    rows.sort_by(|&a, &b| all(a, b));
    let is_open = |pair: &[u32]| {
        let (a, b) = (pair[0], pair[1]);
        let before = by_keys(a, b)
            .then_with(|| compare(a, b, &mut fields(), false))
            .then_with(|| compare(a, b, &mut (order.len()..shown), true));
        before.is_eq() && compare(a, b, &mut (shown..depends.len()), true).is_ne()
    };
    (shown == depends.len() || !rows.windows(2).any(is_open)).then_some(rows)
}

/// The first rows so far, of the tuples of a block.
struct First {
    order: SortOrder,
    /// The keys of the first rows, as integers of their order: of doubles,
    best: Vec<i64>,
    /// and of integers.
    wide: Vec<i128>,
}

impl First {
    fn begin(&mut self, len: usize) {
        self.best.clear();
        self.best.resize(len, i64::MAX);
        self.wide.clear();
    }

    /// Takes a row where its key comes before that of the row that is first so far.
    fn fold(&mut self, keys: &Vector, origins: Option<&[u32]>, row: u32, chosen: &mut [u32]) -> Result<()> {
        let First { order, best, wide } = self;
        let down = if order.descending { -1 } else { 0 };
        match (&keys.data, &keys.nulls, origins, keys.constant) {
            (VectorData::F64(values), None, None, false) => vectorised(|| {
                for ((&value, best), chosen) in values.iter().zip(best.iter_mut()).zip(chosen.iter_mut()) {
                    let key = float_key(value) ^ down;
                    let comes = (key < *best) | (*chosen == NO_ROW);
                    *best = if comes { key } else { *best };
                    *chosen = if comes { row } else { *chosen };
                }
            }),
            (VectorData::F64(values), ..) => {
                fold_keys(keys, |at| float_key(values[at]) ^ down, order.nulls_first, origins, row, (best, chosen));
            }
            (VectorData::I32(_) | VectorData::I64(_) | VectorData::I128(_), ..) => {
                wide.resize(best.len(), i128::MAX);
                let key = |at: usize| match &keys.data {
                    VectorData::I32(values) => i128::from(values[at]) ^ i128::from(down),
                    VectorData::I64(values) => i128::from(values[at]) ^ i128::from(down),
                    VectorData::I128(values) => values[at] ^ i128::from(down),
                    _ => 0,
                };
                fold_keys(keys, key, order.nulls_first, origins, row, (wide, chosen));
            }
            _ => return Err(Error::internal("an order by what is no number")),
        }
        Ok(())
    }
}

/// What is beyond all keys.
trait Key: Copy + Ord {
    const MIN: Self;
    const MAX: Self;
}

impl Key for i64 {
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;
}

impl Key for i128 {
    const MIN: i128 = i128::MIN;
    const MAX: i128 = i128::MAX;
}

fn fold_keys<K: Key>(
    keys: &Vector,
    key: impl Fn(usize) -> K,
    nulls_first: bool,
    origins: Option<&[u32]>,
    row: u32,
    (best, chosen): (&mut [K], &mut [u32]),
) {
    let null = if nulls_first { K::MIN } else { K::MAX };
    for tuple in 0..keys.len {
        let key = if keys.is_null(tuple) { null } else { key(keys.position(tuple)) };
        let at = origins.map_or(tuple, |origins| origins[tuple] as usize);
        if key < best[at] || chosen[at] == NO_ROW {
            (best[at], chosen[at]) = (key, row);
        }
    }
}
