//! Evaluation on demand: brings the vector of a node to the top level of a tile.
//!
//! In this order: (1) it is there; (2) it reads no index: it is computed once, on the ground level, and broadcast;
//! (3) a level below has it: it is taken over by position; (4) it reads only indices of a level below, cannot fail,
//! and that level has no more tuples: it is computed there and taken over; (5) it is computed here.

use super::growth::{self, BYTES_LARGE, Growth};
use super::{
    dictionary, element, estimate, flat_concat, fused, json_fields, lanes, list, load, member_values, memo, numeric,
    rounded_estimate, rounded_quotient, unnested,
};
use crate::column::{Column, ColumnData};
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::masks::DictionaryPart;
use crate::cpu::kernels::{self, Call};
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::integer::{IntegerKeys, Key, KeyVector};
use crate::cpu::keys::wide::WideKeys;
use crate::cpu::simd::kernel::append;
use crate::cpu::vector::rows::{Rows, Source};
use crate::cpu::vector::valid_rows::valid_rows;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::code_range::{CodeRange, KeyRange, WideRange};
use crate::plan::key_layout::{KeyLayout, PartDomain, PartLayout};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::multiloop::{CollectionId, KeyPart, ScalarId};
use std::sync::Arc;

impl<'a> Tile<'a> {
    /// Computes a scalar for all active tuples, all of which must reach it. Then `vector` gives it.
    pub fn evaluate(&mut self, scalar: ScalarId) -> Result<()> {
        let number = self.expressions.number(scalar) as u32;
        if self.node(number).volatile {
            self.forget_volatile(number);
        }
        self.ensure(number)
    }

    /// The same; a vector of numerics may be [numbers](VectorData::Numerics).
    pub(in crate::cpu) fn evaluate_numerics(&mut self, scalar: ScalarId) -> Result<()> {
        let number = self.expressions.number(scalar) as u32;
        if self.node(number).volatile {
            self.forget_volatile(number);
        }
        self.ensure_numerics(number)
    }

    /// Whether a node has a vector on the top level.
    pub(super) fn is_computed(&self, number: u32) -> bool {
        self.levels[self.depth - 1].computed[number as usize]
    }

    /// Whether a node has a vector on the level of some index.
    pub(super) fn is_known(&self, number: u32) -> bool {
        self.levels[1..self.depth].iter().any(|level| level.computed[number as usize])
    }

    /// Whether a scalar has been computed for the tuples.
    pub(in crate::cpu) fn has(&self, scalar: ScalarId) -> bool {
        self.is_computed(self.expressions.number(scalar) as u32)
    }

    /// Between which numbers a node's values are proven to lie.
    pub(in crate::cpu) fn bounds(&self, number: u32) -> Option<(i128, i128)> {
        self.node(number).bounds
    }

    pub(super) fn node(&self, number: u32) -> &'a Node {
        let expressions = self.expressions;
        &expressions.nodes[number as usize]
    }

    /// The vector of a node that is computed at the top level.
    pub(in crate::cpu) fn top(&self, number: u32) -> &Vector {
        let level = &self.levels[self.depth - 1];
        debug_assert!(level.computed[number as usize], "computed before it is read");
        &level.vectors[number as usize]
    }

    /// Every evaluation of something volatile is a new one.
    pub(super) fn forget_volatile(&mut self, number: u32) {
        let depth = self.depth;
        self.levels[depth - 1].computed[number as usize] = false;
        if let Operation::Call { arguments, .. } = &self.node(number).operation {
            for &argument in arguments {
                if self.node(argument).volatile {
                    self.forget_volatile(argument);
                }
            }
        }
    }

    pub(in crate::cpu) fn ensure(&mut self, number: u32) -> Result<()> {
        self.ensure_numerics(number)?;
        self.levels[self.depth - 1].vectors[number as usize].settle_numerics();
        Ok(())
    }

    /// As `ensure`, for who takes numerics as numbers, too.
    pub(super) fn ensure_numerics(&mut self, number: u32) -> Result<()> {
        let at = number as usize;
        if self.levels[self.depth - 1].computed[at] {
            return Ok(());
        }
        let node = self.node(number);
        let len = self.len();
        let mut out = std::mem::take(&mut self.levels[self.depth - 1].vectors[at]);
        if len == 0 {
            out.set_values(&[], node.register);
        } else if node.reach == 0 && !node.volatile && self.depth > 1 {
            self.ensure_at(1, number)?;
            out.clone_from(&self.levels[0].vectors[at]);
            (out.len, out.constant) = (len, true);
        } else if !self.take_over(number, node, &mut out)? {
            self.compute(number, node, len, &mut out)?;
        }
        debug_assert_eq!(out.len, len, "a value a tuple");
        let level = &mut self.levels[self.depth - 1];
        level.vectors[at] = out;
        level.computed[at] = true;
        level.touched.push(number);
        Ok(())
    }

    /// Computes a node at a level below; the top is the same afterwards, also when that fails. Numerics may be numbers.
    pub(super) fn ensure_at(&mut self, depth: usize, number: u32) -> Result<()> {
        let top = std::mem::replace(&mut self.depth, depth);
        let outcome = self.ensure_numerics(number);
        self.depth = top;
        outcome
    }

    /// Takes a node's vector over from a level below, if it is there or had better be computed there.
    fn take_over(&mut self, number: u32, node: &Node, out: &mut Vector) -> Result<bool> {
        if node.volatile || self.depth <= 2 {
            return Ok(false);
        }
        let at = number as usize;
        let has = |tile: &Self, depth: usize| tile.levels[depth - 1].computed[at];
        let mut found = (2..self.depth).rev().find(|&depth| has(self, depth));
        let is_computed = !matches!(node.operation, Operation::Column { .. });
        if found.is_none() && is_computed && !node.may_fail && Technique::OuterLevels.is_on() {
            let (reached, len) = (self.tuples().rows.len(), self.len());
            // The topmost level that has fewer indices, but all that are needed.
            let lower = (2..self.depth).rev().find(|&depth| self.levels[depth - 1].tuples.rows.len() < reached);
            found = lower.filter(|&depth| {
                let tuples = &self.levels[depth - 1].tuples;
                tuples.rows.len() >= node.reach && tuples.len <= len
            });
            if let Some(depth) = found {
                self.ensure_at(depth, number)?;
            }
        }
        let Some(depth) = found else { return Ok(false) };
        let mut origins = std::mem::take(&mut self.caches.origins);
        self.origins(depth, &mut origins);
        out.gather(&self.levels[depth - 1].vectors[at], &origins);
        self.caches.origins = origins;
        Ok(true)
    }

    fn compute(&mut self, number: u32, node: &'a Node, len: usize, out: &mut Vector) -> Result<()> {
        match &node.operation {
            Operation::Constant(value) => out.set_constant(len, value, node.register),
            Operation::Parameter(parameter) => {
                let value = self.bindings.parameters.get(*parameter as usize).ok_or_else(|| {
                    Error::new(ErrorKind::UnknownParameter, format!("there is no parameter ${}", parameter + 1))
                        .at(node.position)
                })?;
                out.set_constant(len, value, node.register);
            }
            Operation::Captured { index, field } => {
                let value = self.bindings.captured.get(&(*index, *field));
                let value = value.ok_or_else(|| Error::internal("a field of an enclosing row is not bound"))?;
                out.set_constant(len, value, node.register);
            }
            Operation::Column { index, field, optional } => {
                let source = self.sources[*index].as_ref().expect("bug: the source of an index is not set");
                let rows = &self.tuples().rows[*index];
                load::load(source, *field, rows, len, *optional, node.register, out)?;
            }
            Operation::Call { function, arguments } => self.call(number, node, *function, arguments, len, out)?,
            Operation::Find { collection, key } => {
                let mut rows = Vec::new();
                self.with_key(*collection, key, |tile, key| tile.collections.find(*collection, key, len, &mut rows))?;
                let mut values = out.take_i32();
                append(&mut values, &rows, |row| row as i32);
                out.set(len, VectorData::I32(values), None);
            }
            Operation::Lookup { collection, rows, field } => {
                if self.ask_neighbours(*collection, number, out)? {
                    return Ok(());
                }
                self.ensure(*rows)?;
                let found = self.top(*rows);
                let VectorData::I32(values) = &found.data else { return Err(Error::internal("rows are integers")) };
                let rows = (0..len).map(|tuple| values[found.position(tuple)] as u32).collect();
                self.collections.lookup(*collection, rows, *field, out)?;
                kernels::integer::coerce(out, node.register);
            }
            Operation::Element { collection, rows, field } => {
                self.ensure(*rows)?;
                let rows = element::rows(self.top(*rows), len)?;
                self.collections.element(*collection, rows, *field, node.register, out)?;
            }
            Operation::Exists { collection, key } => {
                let mut bits = out.take_bool();
                self.with_key(*collection, key, |tile, key| tile.collections.exists(*collection, key, len, &mut bits))?;
                out.set(len, VectorData::Bool(bits), None);
            }
            Operation::Single { collection, field } => {
                let value = self.collections.single(*collection, *field)?;
                out.set_constant(len, &value, node.register);
            }
            Operation::Nested { block, field, captures } => {
                for &(_, _, capture) in captures {
                    self.ensure(capture)?;
                }
                let asked = (*block, *field);
                if self.interchanged(node, asked, captures, out)? || self.batched(node, asked, captures, out)? {
                    return Ok(());
                }
                let values = self.nested((number, node), asked, captures, len)?;
                out.set_values(&values, node.register);
            }
        }
        Ok(())
    }

    /// Has a collection probed with a key: the scalars of its parts, and whether NULL matches.
    pub(in crate::cpu) fn probe<R>(
        &mut self,
        collection: CollectionId,
        key: &[KeyPart],
        probe: impl FnOnce(&Self, &Key<'_>) -> Result<R>,
    ) -> Result<R> {
        let number = |part: &KeyPart| (self.expressions.number(part.scalar) as u32, part.null_matches);
        let key: Vec<(u32, bool)> = key.iter().map(number).collect();
        for &(part, _) in &key {
            if self.node(part).volatile {
                self.forget_volatile(part);
            }
        }
        self.with_key(collection, &key, probe)
    }

    /// The parts of a key, if all are columns of a scan that have not been loaded, in 8-bit codes of the dictionaries of
    /// its layout.
    pub(in crate::cpu) fn dictionary_parts(
        &self,
        parts: &[ScalarId],
        layout: &KeyLayout,
    ) -> Option<Vec<DictionaryPart<'_>>> {
        let part = |(&scalar, part): (&ScalarId, &PartLayout)| {
            let (column, start) = fused::scanned(self, self.expressions.number(scalar) as u32)?;
            let (ColumnData::Dictionary8 { codes, dictionary }, PartDomain::Code(known)) = (&column.data, &part.domain)
            else {
                return None;
            };
            let codes = &codes[start..start + self.len()];
            let valid = valid_rows(column, start, self.len());
            let part = DictionaryPart { codes, valid, count: dictionary.len(), shift: part.shift };
            Arc::ptr_eq(dictionary, known).then_some(part)
        };
        parts.iter().zip(&layout.parts).map(part).collect()
    }

    /// A scalar's column, if it is one of a scan that has not been loaded, and the first of its rows.
    pub(in crate::cpu) fn scanned(&self, scalar: ScalarId) -> Option<(&Column, usize)> {
        fused::scanned(self, self.expressions.number(scalar) as u32)
    }

    /// The vectors and the doubles whose products a scalar is, unless it has been computed.
    pub(in crate::cpu) fn product(&self, scalar: ScalarId) -> Option<(u32, u32)> {
        let number = self.expressions.number(scalar) as u32;
        let Operation::Call { function: Function::Vector(VectorFunction::Multiply), arguments } =
            &self.node(number).operation
        else {
            return None;
        };
        let &[left, right] = &arguments[..] else { return None };
        let registers = [left, right].map(|argument| self.node(argument).register);
        let pair = match registers {
            [Register::Vectors(_), Register::F64] => (left, right),
            [Register::F64, Register::Vectors(_)] => (right, left),
            _ => return None,
        };
        // What is volatile is made anew where it is asked for, by `evaluate`.
        (!self.is_computed(number) && !self.node(number).volatile).then_some(pair)
    }

    /// The vectors whose outer products a scalar is, unless it has been computed.
    pub(in crate::cpu) fn outer_product(&self, scalar: ScalarId) -> Option<(u32, u32)> {
        let number = self.expressions.number(scalar) as u32;
        let Operation::Call { function: Function::Vector(VectorFunction::OuterProduct), arguments } =
            &self.node(number).operation
        else {
            return None;
        };
        let &[left, right] = &arguments[..] else { return None };
        (!self.is_computed(number) && !self.node(number).volatile).then_some((left, right))
    }

    /// Whether a scalar's values are, once computed, integers of at most 64 bits.
    pub(in crate::cpu) fn is_narrow_integer(&self, scalar: ScalarId) -> bool {
        let number = self.expressions.number(scalar) as u32;
        matches!(self.node(number).register, Register::I32 | Register::I64)
    }

    /// Whether a collection is found by one integer, which lies in a column that has not been loaded.
    pub(in crate::cpu) fn keys_lie_in_column(&self, collection: CollectionId, key: &[KeyPart]) -> Result<bool> {
        let [part] = key else { return Ok(false) };
        let Some(range @ KeyRange::Codes(_)) = self.collections.integer_keys(collection)? else { return Ok(false) };
        Ok(self.integer_key(self.expressions.number(part.scalar) as u32, range, false).is_some())
    }

    /// The keys that a scalar's values are, NULL among them, if it is an integer: none if not.
    fn own_keys(&mut self, scalar: ScalarId, range: KeyRange) -> Result<Option<Key<'_>>> {
        let number = self.expressions.number(scalar) as u32;
        if self.integer_key(number, range, true).is_some() {
            return Ok(self.integer_key(number, range, true));
        }
        self.evaluate(scalar)?;
        Ok(Key::of_vector(self.top(number), range, true))
    }

    /// A scalar's values, NULL among them, as keys of one integer; none if they are not.
    pub(in crate::cpu) fn integers(&mut self, scalar: ScalarId, range: CodeRange) -> Result<Option<IntegerKeys<'_>>> {
        let key = self.own_keys(scalar, KeyRange::Codes(range))?;
        Ok(if let Some(Key::Integers(keys)) = key { Some(keys) } else { None })
    }

    /// Makes `codes` those of a scalar's values, NULL among them, if it is an integer: false if not.
    pub(in crate::cpu) fn wide_codes(&mut self, scalar: ScalarId, range: WideRange, codes: &mut Codes) -> Result<bool> {
        let len = self.len();
        let Some(Key::Wide(keys)) = self.own_keys(scalar, KeyRange::Wide(range))? else { return Ok(false) };
        codes.set_wide(&keys, len);
        Ok(true)
    }

    fn with_key<R>(
        &mut self,
        collection: CollectionId,
        key: &[(u32, bool)],
        probe: impl FnOnce(&Self, &Key<'_>) -> Result<R>,
    ) -> Result<R> {
        if let &[(part, null_matches)] = key
            && let Some(range) = self.collections.integer_keys(collection)?
        {
            if let Some(key) = self.integer_key(part, range, null_matches) {
                return probe(self, &key);
            }
            self.ensure(part)?;
            if let Some(key) = Key::of_vector(self.top(part), range, null_matches) {
                return probe(self, &key);
            }
        }
        for &(part, _) in key {
            self.ensure(part)?;
        }
        let vectors = key.iter().map(|&(part, null_matches)| KeyVector { vector: self.top(part), null_matches });
        probe(self, &Key::Parts(vectors.collect()))
    }

    /// The values of a column that has not been loaded, as keys.
    fn integer_key(&self, number: u32, range: KeyRange, null_matches: bool) -> Option<Key<'_>> {
        let ((column, rows), len) = (self.unloaded(number)?, self.len());
        match range {
            KeyRange::Codes(range) => IntegerKeys::of_column(column, rows, len, range, null_matches).map(Key::Integers),
            KeyRange::Wide(range) => WideKeys::of_column(column, rows, len, range, null_matches).map(Key::Wide),
        }
    }

    /// A column that has not been loaded, and the rows of it.
    pub(super) fn unloaded(&self, number: u32) -> Option<(&Column, &Rows)> {
        let Operation::Column { index, field, optional: false } = self.node(number).operation else { return None };
        if self.is_computed(number) {
            return None;
        }
        let source = self.sources[index].as_ref()?;
        // Conditions come first: where they leave no row, nobody need read it.
        if matches!(source, Source::Lazy(rows) if !rows.has_read(field)) {
            return None;
        }
        Some((source.column(field)?, &self.tuples().rows[index]))
    }

    fn call(
        &mut self,
        number: u32,
        node: &'a Node,
        function: Function,
        arguments: &'a [u32],
        len: usize,
        out: &mut Vector,
    ) -> Result<()> {
        if member_values::evaluate(self, (number, node), out)? {
            return Ok(());
        }
        match function {
            Function::And | Function::Or => return self.connect(function, arguments, len, out),
            Function::Case => return self.case(node, arguments, len, out),
            Function::Coalesce => return self.coalesce(node, arguments, len, out),
            _ => {}
        }
        if fused::evaluate(self, function, arguments, len, out)?
            || load::shifted(self, node, len, out)?
            || lanes::combine(self, node, len, out)?
            || list::evaluate(self, number, function, arguments, out)?
            || dictionary::holds(self, (number, node), function, arguments, out)?
            || rounded_quotient::evaluate(self, node, len, out)?
            || rounded_estimate::evaluate(self, (number, node), len, out)?
            || estimate::decide(self, (number, node), len, out)?
            || numeric::evaluate(self, node, len, out)?
            || unnested::evaluate(self, node, function, arguments, out)?
            || json_fields::evaluate(self, (number, node), len, out)?
        {
            return Ok(());
        }
        let pieces = flat_concat::pieces(self, node, function, arguments)?;
        if let Some(pieces) = pieces {
            return self.apply((number, node), function, &pieces, len, out);
        }
        let takes_any = matches!(function, Function::IsNull | Function::IsNotNull);
        for &argument in arguments {
            if takes_any { self.ensure_numerics(argument)? } else { self.ensure(argument)? }
        }
        if let &[argument] = arguments
            && function == Function::Cast
            && node.register == Register::Text
            && self.node(argument).data_type.is_text()
            && (node.data_type.is_free_text() || node.data_type == self.node(argument).data_type)
        {
            out.clone_from(self.top(argument));
            return Ok(());
        }
        if let (Function::Relabel, &[argument]) = (function, arguments)
            && self.top(argument).register() == node.register
        {
            out.clone_from(self.top(argument));
            return Ok(());
        }
        self.apply((number, node), function, arguments, len, out)
    }

    /// Applies a function to arguments that are there.
    fn apply(
        &mut self,
        (number, node): (u32, &'a Node),
        function: Function,
        arguments: &[u32],
        len: usize,
        out: &mut Vector,
    ) -> Result<()> {
        let types: Vec<_> = arguments.iter().map(|&argument| self.node(argument).data_type).collect();
        let call =
            Call { function, types: &types, result: node.data_type, register: node.register, checked: node.may_fail };
        let (mut caches, mut held) = (std::mem::take(&mut self.caches), std::mem::take(&mut self.held));
        let vectors: Vec<&Vector> = arguments.iter().map(|&argument| self.top(argument)).collect();
        let bounds = |argument: usize| self.node(arguments[argument]).bounds;
        let growth = self.collections.context().zip(Growth::of(&call, &vectors, len));
        let is_large = |growth: &Growth| growth.total > BYTES_LARGE && !growth::has_kernel(&call);
        let large = growth.filter(|(_, growth)| is_large(growth)).map(|(context, growth)| (context, growth.total));
        let given = || self.collections.context().zip(growth::given(function, &vectors));
        let done = if let Some((context, bytes)) = large.or_else(given) {
            // Values are there twice until they are a vector.
            held.room(context, number, bytes.saturating_mul(2)).and_then(|()| {
                let constant = !node.volatile && vectors.iter().all(|vector| vector.constant);
                let each = if constant { 1 } else { len };
                kernels::fallback::call_checked(&call, &vectors, each, || context.check(), out)?;
                (out.len, out.constant) = (len, constant);
                Ok(())
            })
        } else if let Some((context, growth)) = growth
            && let Err(error) = held.room(context, number, growth.total)
        {
            Err(error)
        } else if let Some(parts) = memo::parts(&call, &vectors, len, bounds) {
            let memo = caches.memos.entry(number).or_default();
            memo.evaluate(&call, &vectors, parts, len, &mut caches.scratch, out)
        } else if !node.volatile && !vectors.is_empty() && vectors.iter().all(|vector| vector.constant) {
            kernels::call(&call, &vectors, 1, &mut caches.scratch, out).map(|()| {
                (out.len, out.constant) = (len, true);
            })
        } else {
            kernels::call(&call, &vectors, len, &mut caches.scratch, out)
        };
        (self.caches, self.held) = (caches, held);
        done.map_err(|error| error.at(node.position))?;
        debug_assert!(node.register != Register::I32 || out.register() == node.register, "the register of the node");
        Ok(())
    }
}
