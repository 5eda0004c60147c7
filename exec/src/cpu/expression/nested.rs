//! Fields of nested blocks, for the tuples that ask: by a loop over the block's rows (`interchange`), by search, as a batch, or row by
//! row; once for tuples that capture the same, where that is cheap to tell.

use super::tile::Tile;
use crate::Result;
use crate::cpu::collections::bindings::Captured;
use crate::cpu::kernels;
use crate::cpu::vector::Vector;
use crate::plan::nodes::Node;
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::workers::context::Reservation;
use multiloop_planner::multiloop::{BlockId, IndexId};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Results of a block that are kept, at most.
const NESTED_KNOWN_MAX: usize = 1 << 14;

/// Bytes of a text that may be kept among them, at most: what they hold is not counted.
const NESTED_TEXT_MAX: usize = 64;

/// Whether a value takes little memory.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.len() <= NESTED_TEXT_MAX,
        Value::Numeric(number) => number.small().is_some(),
        Value::Vector(_) => false,
        _ => true,
    }
}

/// Rows that ask for a block from which on it is evaluated for all of them at once.
const BATCH_ROWS: usize = 4;

/// Whether what a block gives of these values may be kept: 0 and -0 are the same key, not the same value.
fn may_be_kept(captured: &[Value]) -> bool {
    captured.iter().all(|value| is_short(value) && !matches!(value, Value::Float(_)))
}

impl<'a> Tile<'a> {
    /// Makes `out` a field of a block whose loop changes places with that of the tuples; false if it did nothing. Of what may be
    /// kept only tuples that capture what none before them did ask, which is better.
    pub(super) fn interchanged(
        &self,
        node: &Node,
        (block, field): (BlockId, u32),
        captures: &[(IndexId, u32, u32)],
        out: &mut Vector,
    ) -> Result<bool> {
        let is_short_lived = |register: Register| matches!(register, Register::F64 | Register::Vectors(_));
        if !captures.iter().any(|&(_, _, capture)| is_short_lived(self.node(capture).register)) {
            return Ok(false);
        }
        let Some(interchange) = self.collections.interchange(block)? else { return Ok(false) };
        let asking: Vec<&Vector> = captures.iter().map(|&(_, _, capture)| self.top(capture)).collect();
        let (len, is_one) = (self.len(), asking.iter().all(|vector| vector.constant));
        let rows = if is_one { 1 } else { len };
        if !interchange.pays(rows)? {
            return Ok(false);
        }
        let around = (self.collections, self.bindings);
        let Some(values) = interchange.run(around, &asking, rows, field as usize)? else { return Ok(false) };
        *out = values;
        if is_one {
            (out.len, out.constant) = (len, true);
        }
        kernels::integer::coerce(out, node.register);
        Ok(true)
    }

    /// Makes `out` a field of a block that is a loop over all tuples with a few rows each; false if it is none. What tuples
    /// capture is not compared: to go over the rows again costs no more.
    pub(super) fn batched(
        &self,
        node: &Node,
        asked: (BlockId, u32),
        captures: &[(IndexId, u32, u32)],
        out: &mut Vector,
    ) -> Result<bool> {
        let asking: Vec<&Vector> = captures.iter().map(|&(_, _, capture)| self.top(capture)).collect();
        let len = self.len();
        if len < BATCH_ROWS || asking.iter().all(|vector| vector.constant) {
            return Ok(false);
        }
        if !self.collections.nested_columns(asked, &asking, len, out)? {
            return Ok(false);
        }
        kernels::integer::coerce(out, node.register);
        Ok(true)
    }

    /// A field of a block for each tuple, evaluated once for all that capture the same.
    pub(super) fn nested(
        &mut self,
        (number, node): (u32, &'a Node),
        (block, field): (BlockId, u32),
        captures: &[(IndexId, u32, u32)],
        len: usize,
    ) -> Result<Vec<Value>> {
        let mut known = self.caches.nested.remove(&number).unwrap_or_default();
        let mut values: Vec<Value> = Vec::with_capacity(len);
        // What is not known yet: what it captures, and of which tuples.
        let mut asking: Vec<Vec<Value>> = Vec::new();
        let mut asked: Vec<(usize, usize)> = Vec::new();
        let mut places: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
        let mut held = self.collections.context().map(|context| Reservation::new(&context.memory));
        for tuple in 0..len {
            let value =
                |&(_, _, capture): &(IndexId, u32, u32)| self.top(capture).value(tuple, self.node(capture).data_type);
            let captured: Vec<Value> = captures.iter().map(value).collect();
            let may_be_known = !node.volatile && Technique::Memo.is_on() && may_be_kept(&captured);
            if may_be_known && let Some(value) = known.get(&captured) {
                values.push(value.clone());
                continue;
            }
            values.push(Value::Null);
            if may_be_known && let Some(&place) = places.get(&captured) {
                asked.push((tuple, place));
                continue;
            }
            let elements = captured.iter().filter_map(Value::as_vector).map(size_of_val).sum();
            if elements > 0
                && let Some(held) = &mut held
            {
                held.add(elements)?;
            }
            asked.push((tuple, asking.len()));
            if may_be_known {
                places.insert(captured.clone(), asking.len());
            }
            asking.push(captured);
        }
        let found = self.nested_of((block, field), captures, &asking)?;
        asked.into_iter().for_each(|(tuple, place)| values[tuple] = found[place].clone());
        for (captured, place) in places {
            if is_short(&found[place]) && known.len() < NESTED_KNOWN_MAX {
                known.insert(captured, found[place].clone());
            }
        }
        self.caches.nested.insert(number, known);
        Ok(values)
    }

    /// A field of a block for rows that capture these values: by search, if there are rows in order.
    fn nested_of(
        &self,
        asked: (BlockId, u32),
        captures: &[(IndexId, u32, u32)],
        asking: &[Vec<Value>],
    ) -> Result<Vec<Value>> {
        if asking.is_empty() {
            return Ok(Vec::new());
        }
        let first = self.collections.nested_unmeasured(asked.0);
        if first > 0 && first < asking.len() {
            let (first, others) = asking.split_at(first);
            let mut values = self.nested_of(asked, captures, first)?;
            values.extend(self.nested_of(asked, captures, others)?);
            return Ok(values);
        }
        let Some(mut found) = self.collections.nested_searched(asked, captures, asking)? else {
            return self.nested_evaluated(asked, captures, asking);
        };
        let left: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
        if !left.is_empty() {
            let asking: Vec<Vec<Value>> = left.iter().map(|&at| asking[at].clone()).collect();
            let started = Instant::now();
            let values = self.nested_evaluated(asked, captures, &asking)?;
            self.collections.nested_took(asked.0, asking.len(), started.elapsed());
            left.into_iter().zip(values).for_each(|(at, value)| found[at] = Some(value));
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// A field of a block for rows that capture these values: of many rows as a batch, if it can be.
    fn nested_evaluated(
        &self,
        (block, field): (BlockId, u32),
        captures: &[(IndexId, u32, u32)],
        asking: &[Vec<Value>],
    ) -> Result<Vec<Value>> {
        if asking.len() >= BATCH_ROWS
            && let Some(found) = self.collections.nested_batch(block, field, asking)?
        {
            return Ok(found);
        }
        if let Some(interchange) = self.collections.interchange(block)?
            && interchange.pays(asking.len())?
        {
            let vector = |(at, &(_, _, capture)): (usize, &(IndexId, u32, u32))| {
                let (values, node): (Vec<Value>, _) =
                    (asking.iter().map(|captured| captured[at].clone()).collect(), self.node(capture));
                let mut vector = Vector::default();
                vector.set_values(&values, node.register);
                vector
            };
            let vectors: Vec<Vector> = captures.iter().enumerate().map(vector).collect();
            let (asked, around) = (vectors.iter().collect::<Vec<_>>(), (self.collections, self.bindings));
            if let Some(found) = interchange.run(around, &asked, asking.len(), field as usize)? {
                let data_type = interchange.type_of(field as usize);
                return Ok((0..asking.len()).map(|tuple| found.value(tuple, data_type)).collect());
            }
        }
        let mut bound: Captured = self.bindings.captured.clone();
        let one = |captured: &Vec<Value>| {
            for (&(index, field, _), value) in captures.iter().zip(captured) {
                bound.insert((index, field), value.clone());
            }
            self.collections.nested(block, field, &bound)
        };
        asking.iter().map(one).collect()
    }
}
