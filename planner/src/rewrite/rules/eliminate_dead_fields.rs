//! Leaves out what nothing reads: lets, generators, fields, aggregates, columns of tables.
//!
//! ```text
//! C = Collect(c)(f, g), nothing reads C's field of g   →   C = Collect(c)(f)
//! L = …, nothing reads L                               →
//! ```
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer, c#2 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     if i0.c > 5
//!     a = i0.a
//!     b = i0.b
//!   %2 bucket_reduce
//!     key a = i0.a
//!     total? = sum(i0.b)
//! loop
//!   i1 in %1
//!   %3 collect
//!     b = i1.b
//! result %3
//! output b
//! ```
//! ```text after
//! table %0 t(b#1 integer, c#2 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     if i0.c > 5
//!     b = i0.b
//! loop
//!   i1 in %1
//!   %2 collect
//!     b = i1.b
//! result %2
//! output b
//! ```
//!
//! Source: DMLL, section 5 (dead field elimination of structs of arrays); it starts at the result and marks what
//! that needs. Keys and conditions are always needed: they say which rows there are. So are all fields of a
//! Concat's inputs that the Concat needs, and the fields that a Sort orders by. A top-k needs all of its fields,
//! because they break its ties.
//!
//! Guard: none. NULLs and joins: nothing is evaluated differently. Errors: an expression that nothing reads is
//! not evaluated, which may only lose errors; SQL does not promise them.

use crate::multiloop::live::live_blocks;
use crate::multiloop::{
    BlockId, CollectionId, Generator, IndexId, Let, Program, Scalar, ScalarId, ScalarMap, ScalarNode, Shape, Source,
};
use crate::rewrite::machinery::field_liveness::FieldLiveness;
use rustc_hash::FxHashMap;

/// Leaves out what nothing reads.
pub(super) fn eliminate_dead_fields(program: &mut Program) -> bool {
    let blocks = live_blocks(program);
    let needs = FieldLiveness::of(program, &blocks);
    let all_needed = |id: CollectionId| needs.collection(id) && needs.fields(id).iter().all(|&needed| needed);
    let lets = || blocks.iter().flat_map(|&id| &program.block(id).lets);
    let defined = lets().flat_map(Let::defines).all(|&define| all_needed(define));
    let tables = (0..program.collections.len() as u32).map(CollectionId).all(|id| {
        let is_table = matches!(program.collection(id).shape, Shape::Table { .. });
        !is_table || !needs.collection(id) || all_needed(id)
    });
    if defined && tables {
        return false;
    }
    Removal::new(program, needs, &blocks).remove(&blocks);
    true
}

/// The removal of what is not needed, and where the rest goes.
struct Removal<'p> {
    program: &'p mut Program,
    needs: FieldLiveness,
    /// Of each collection the new position of each old field (of Buckets: member).
    positions: Vec<Vec<u32>>,
    /// Indices that show a payload's fields, and whose.
    payloads: FxHashMap<IndexId, CollectionId>,
    memo: ScalarMap,
}

impl<'p> Removal<'p> {
    fn new(program: &'p mut Program, needs: FieldLiveness, blocks: &[BlockId]) -> Self {
        let mut positions = Vec::with_capacity(program.collections.len());
        for id in (0..program.collections.len() as u32).map(CollectionId) {
            let mut next = 0;
            let of_one = needs.fields(id).iter().map(|&needed| {
                next += u32::from(needed);
                next - u32::from(needed)
            });
            positions.push(of_one.collect());
        }
        let mut payloads = FxHashMap::default();
        for each in blocks.iter().flat_map(|&id| &program.block(id).lets) {
            let Let::Loop { multiloop, .. } = each else { continue };
            for index in &multiloop.nest {
                let Some(collection) = index.source.collection() else { continue };
                let shows_key = matches!(index.source, Source::Rows(_))
                    && matches!(program.collection(collection).shape, Shape::Buckets { .. });
                if !shows_key {
                    payloads.insert(index.id, collection);
                }
            }
        }
        Removal { program, needs, positions, payloads, memo: ScalarMap::default() }
    }

    fn remove(mut self, blocks: &[BlockId]) {
        for &id in blocks {
            let lets = std::mem::take(&mut self.program.blocks[id.0 as usize].lets);
            let kept = lets.into_iter().filter_map(|each| self.definition(each)).collect();
            self.program.blocks[id.0 as usize].lets = kept;
        }
        let result = self.program.body().result;
        for (_, field) in &mut self.program.output {
            *field = self.positions[result.0 as usize][*field as usize];
        }
        for (at, collection) in self.program.collections.iter_mut().enumerate() {
            let needed = self.needs.fields(CollectionId(at as u32));
            match &mut collection.shape {
                Shape::Buckets { members } => keep(members, needed),
                Shape::Table { columns, .. } => {
                    keep(columns, needed);
                    keep(&mut collection.fields, needed);
                }
                Shape::Rows | Shape::Single | Shape::Groups { .. } => keep(&mut collection.fields, needed),
            }
        }
    }

    fn definition(&mut self, mut each: Let) -> Option<Let> {
        match &mut each {
            Let::Loop { defines, multiloop } => {
                let live: Vec<bool> = defines.iter().map(|&define| self.needs.collection(define)).collect();
                for (&define, generator) in defines.iter().zip(&mut multiloop.generators) {
                    self.generator(define, generator);
                }
                keep(defines, &live);
                keep(&mut multiloop.generators, &live);
            }
            Let::Sort { input, order, .. } => {
                for (field, _) in order {
                    *field = self.position_of_row(*input, *field);
                }
            }
            Let::Window { define, input, partition, order, functions } => {
                let own = self.program.collection(*input).fields.len();
                keep(functions, &self.needs.fields(*define)[own..]);
                let arguments = functions.iter_mut().flat_map(|function| &mut function.arguments);
                let fields = partition.iter_mut().chain(order.iter_mut().map(|(field, _)| field)).chain(arguments);
                fields.for_each(|field| *field = self.position_of_row(*input, *field));
            }
            Let::Iterate { .. } | Let::Concat { .. } => {}
            Let::Values { define, rows } => {
                let needed = self.needs.fields(*define);
                rows.iter_mut().for_each(|row| keep(row, needed));
            }
        }
        let live = each.defines().iter().any(|&define| self.needs.collection(define));
        live.then(|| {
            each.for_each_scalar_mut(|id| *id = self.scalar(*id));
            each
        })
    }

    fn generator(&mut self, define: CollectionId, generator: &mut Generator) {
        let needed = self.needs.fields(define);
        match generator {
            Generator::Collect { value, .. } | Generator::BucketCollect { value, .. } => keep(value, needed),
            Generator::BucketReduce { key, aggregates, .. } => keep(aggregates, &needed[key.len()..]),
            Generator::Reduce { aggregates, .. } => {
                if self.program.collection(define).shape == Shape::Single {
                    keep(aggregates, needed);
                }
            }
        }
    }

    /// The new position of a field as a `Rows` index shows it.
    fn position_of_row(&self, collection: CollectionId, field: u32) -> u32 {
        match self.program.collection(collection).shape {
            Shape::Buckets { .. } => field,
            _ => self.positions[collection.0 as usize][field as usize],
        }
    }

    fn scalar(&mut self, id: ScalarId) -> ScalarId {
        if let Some(known) = self.memo.get(id) {
            return known;
        }
        let (mut at, mut changed) = (0, false);
        while let Some(child) = self.program.scalars.get(id).child(at) {
            changed |= self.scalar(child) != child;
            at += 1;
        }
        let ScalarNode { scalar, data_type } = self.program.scalars.node(id);
        let to = self.new_field(scalar);
        if !changed && to.is_none() {
            self.memo.insert(id, id);
            return id;
        }
        let (mut new, data_type) = (scalar.map_children(|child| self.memo.get(child).unwrap_or(child)), *data_type);
        if let Scalar::Column { field, .. }
        | Scalar::Single { field, .. }
        | Scalar::Nested { field, .. }
        | Scalar::Lookup { field, .. }
        | Scalar::Element { field, .. } = &mut new
        {
            *field = to.unwrap_or(*field);
        }
        let effects = self.program.scalars.effects(id);
        let at = self.program.scalars.position(id);
        let nested = if matches!(new, Scalar::Nested { .. }) { effects } else { crate::function::Effects::PURE };
        let new = self.program.scalars.intern_with(ScalarNode { scalar: new, data_type }, nested);
        self.program.scalars.set_position(new, at);
        self.memo.insert(id, new);
        new
    }

    /// Where the field that a scalar reads is now; none if it has not moved, or there is none.
    fn new_field(&self, scalar: &Scalar) -> Option<u32> {
        let (collection, field) = match scalar {
            Scalar::Column { index, field } => (*self.payloads.get(index)?, *field),
            Scalar::Single { collection, field }
            | Scalar::Lookup { collection, field, .. }
            | Scalar::Element { collection, field, .. } => (*collection, *field),
            Scalar::Nested { block, field } => (self.program.block(*block).result, *field),
            _ => return None,
        };
        Some(self.positions[collection.0 as usize][field as usize]).filter(|&to| to != field)
    }
}

/// Keeps the items that are needed.
fn keep<T>(items: &mut Vec<T>, needed: &[bool]) {
    debug_assert_eq!(items.len(), needed.len());
    let mut flags = needed.iter();
    items.retain(|_| *flags.next().unwrap_or(&true));
}
