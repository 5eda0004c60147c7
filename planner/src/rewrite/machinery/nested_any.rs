//! ANY as a nested block: `x op ANY (select …)` is a Reduce of one `any(g(j) op h(i))`. Two rules ask something that is
//! made once in its place (`any_equal_to_exists`, `any_less_to_extreme`); what they share is here.
//!
//! The block's conditions read inner indices only, or are equalities across, as those of `conditional_reduce`: then what
//! is made once is made once a key. Nothing in the block is volatile, and nothing may fail unless the program may
//! speculate.

use super::change_limit::ChangeLimit;
use super::inner_indices::{InnerIndices, key_name};
use super::substitute::Substitution;
use crate::analysis::nullability::Nullability;
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::nested_of;
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Reduction, Scalar, ScalarId,
    Scalars, Shape,
};
use crate::types::{DataType, Field};
use crate::value::Value;
use rustc_hash::FxHashSet;

/// A nested ANY, taken apart.
pub(in crate::rewrite) struct NestedAny {
    pub(in crate::rewrite) nest: Vec<Index>,
    /// The conditions that read inner indices only.
    pub(in crate::rewrite) condition: Vec<ScalarId>,
    /// The equalities across among the conditions: the inner side and the outer.
    pub(in crate::rewrite) key: Vec<(ScalarId, KeyPart)>,
    /// What is ANY.
    pub(in crate::rewrite) argument: ScalarId,
    /// Which sides of the comparisons in it can be NULL.
    nullable: FxHashSet<ScalarId>,
}

/// What stands in place of a block: collections made by a loop over its nest, and the answer to be read.
pub(in crate::rewrite) struct Numbers {
    pub(in crate::rewrite) defines: Vec<CollectionId>,
    pub(in crate::rewrite) generators: Vec<Generator>,
    pub(in crate::rewrite) answer: ScalarId,
}

/// Replaces every nested ANY of which `find` makes something.
pub(in crate::rewrite) fn each_nested_any<T>(
    program: &mut Program,
    find: impl Fn(&Program, &NestedAny) -> Option<T>,
    replace: impl Fn(&mut Program, &NestedAny, T) -> Numbers,
) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            let nested = nested_of(program, &program.block(block).lets[at]);
            let found = nested.into_iter().find_map(|(_, nested, _)| {
                let any = NestedAny::of(program, block, at, nested)?;
                let found = find(program, &any)?;
                Some((nested, any, found))
            });
            let Some((nested, any, found)) = limit.next(found) else {
                at += 1;
                continue;
            };
            program.moved(program.block_effects(nested));
            let numbers = replace(program, &any, found);
            put(program, block, at, nested, any, numbers);
            changed = true;
        }
    }
    changed
}

/// Puts the loop in front of the let and lets the block's readers read the answer.
fn put(program: &mut Program, block: BlockId, at: usize, nested: BlockId, any: NestedAny, numbers: Numbers) {
    let old = program.nested(nested, 0);
    let position = program.scalars.position(old);
    program.scalars.set_position(numbers.answer, position);
    let mut readers = Substitution::new();
    readers.replace_scalar(old, numbers.answer);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    // Other lets may read the block, too, and keep it.
    let multiloop = Substitution::copied(program, Multiloop { nest: any.nest, generators: numbers.generators });
    lets.insert(at, Let::Loop { defines: numbers.defines, multiloop });
    program.blocks[block.0 as usize].lets = lets;
}

impl NestedAny {
    /// A nested block that the let at `at` reads, if it is one.
    fn of(program: &Program, block: BlockId, at: usize, nested: BlockId) -> Option<NestedAny> {
        let body = program.block(nested);
        let [Let::Loop { defines, multiloop }] = &body.lets[..] else { return None };
        let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..])
        else {
            return None;
        };
        let [Aggregate { reduction: Reduction::Any, arguments, condition: filter, .. }] = &aggregates[..] else {
            return None;
        };
        if *define != body.result || !filter.is_empty() || !program.may_move(program.block_effects(nested)) {
            return None;
        }
        let mut inner = InnerIndices::of(program, &multiloop.nest);
        let of_nest = multiloop.nest.iter().flat_map(|index| index.source.scalars());
        if !of_nest.into_iter().all(|id| inner.reads_only(id)) {
            return None;
        }
        let (condition, key) = inner.split(condition)?;
        let mut any = NestedAny {
            nest: multiloop.nest.clone(),
            condition,
            key,
            argument: arguments[0],
            nullable: FxHashSet::default(),
        };
        any.learn_nullable(program, &program.block(block).lets, at);
        Some(any)
    }

    fn learn_nullable(&mut self, program: &Program, lets: &[Let], at: usize) {
        let mut nullability = Nullability::default();
        lets[..at].iter().for_each(|each| nullability.define(program, each));
        if let Let::Loop { multiloop: outer, .. } = &lets[at] {
            outer.nest.iter().for_each(|index| nullability.enter(program, index));
        }
        self.nest.iter().for_each(|index| nullability.enter(program, index));
        let compared = match program.scalars.get(self.argument) {
            Scalar::Call { function: Function::And, arguments } => arguments.clone(),
            _ => vec![self.argument],
        };
        let sides = compared.into_iter().flat_map(|id| program.scalars.get(id).children());
        self.nullable = sides.filter(|&side| nullability.scalar(program, side)).collect();
    }

    /// Whether a side of one of the comparisons can be NULL.
    pub(in crate::rewrite) fn is_nullable(&self, side: ScalarId) -> bool {
        self.nullable.contains(&side)
    }

    /// A comparison of an inner and an outer scalar, in this order.
    pub(in crate::rewrite) fn comparison(
        &self,
        program: &Program,
        id: ScalarId,
    ) -> Option<(Function, ScalarId, ScalarId)> {
        let Scalar::Call { function, arguments } = program.scalars.get(id) else { return None };
        let &[a, b] = &arguments[..] else { return None };
        let mut inner = InnerIndices::of(program, &self.nest);
        if inner.reads_only(a) && inner.reads_none(b) {
            Some((*function, a, b))
        } else if inner.reads_only(b) && inner.reads_none(a) {
            Some((crate::function::mirrored(*function), b, a))
        } else {
            None
        }
    }

    /// What groups are made by.
    pub(in crate::rewrite) fn inner_key(&self) -> Vec<ScalarId> {
        self.key.iter().map(|(inner, _)| *inner).collect()
    }

    /// What groups are asked by.
    pub(in crate::rewrite) fn probe(&self) -> Vec<KeyPart> {
        self.key.iter().map(|(_, outer)| *outer).collect()
    }

    /// The fields of the key.
    pub(in crate::rewrite) fn key_fields(&self, program: &Program) -> Vec<Field> {
        let named = self.key.iter().enumerate();
        let field = |(number, &(id, _)): (usize, &(ScalarId, KeyPart))| {
            Field::new(self.name(program, id, number), program.scalars.data_type(id), true)
        };
        named.map(field).collect()
    }

    /// What a part of a key is called.
    pub(in crate::rewrite) fn name(&self, program: &Program, id: ScalarId, number: usize) -> String {
        key_name(program, &self.nest, id, number)
    }

    /// The counts that tell whether NULLs leave the answer open.
    pub(in crate::rewrite) fn counts(&self, inner: ScalarId, outer: ScalarId) -> Vec<(&'static str, Aggregate)> {
        if !self.is_nullable(inner) && !self.is_nullable(outer) {
            return Vec::new();
        }
        let count = |name, reduction, arguments| (name, Aggregate::new(reduction, arguments, DataType::BigInt));
        vec![count("rows", Reduction::CountRows, Vec::new()), count("values", Reduction::Count, vec![inner])]
    }

    /// TRUE where something is found; else NULL if NULLs leave it open; else FALSE. `counts` are how many rows and how
    /// many values there are, where that matters.
    pub(in crate::rewrite) fn three_valued(
        &self,
        program: &mut Program,
        found: ScalarId,
        counts: &[ScalarId],
        inner: ScalarId,
        outer: ScalarId,
    ) -> ScalarId {
        let boolean = DataType::Boolean;
        let constant = |scalars: &mut Scalars, value| scalars.constant(value, boolean);
        let scalars = &mut program.scalars;
        let (yes, no) = (constant(scalars, Value::Boolean(true)), constant(scalars, Value::Boolean(false)));
        let mut open = Vec::new();
        if let &[rows, values] = counts {
            if self.is_nullable(outer) {
                let zero = scalars.constant(Value::Int(0), DataType::BigInt);
                let null = scalars.call(Function::IsNull, vec![outer], boolean);
                let some = scalars.call(Function::Greater, vec![rows, zero], boolean);
                open.push(scalars.call(Function::And, vec![null, some], boolean));
            }
            if self.is_nullable(inner) {
                open.push(scalars.call(Function::Less, vec![values, rows], boolean));
            }
        }
        let open = match open[..] {
            [] => return scalars.call(Function::Case, vec![found, yes, no], boolean),
            [only] => only,
            _ => scalars.call(Function::Or, open, boolean),
        };
        let unknown = constant(scalars, Value::Null);
        scalars.call(Function::Case, vec![found, yes, open, unknown, no], boolean)
    }
}

impl Numbers {
    /// Adds a reduction of the rows that pass, one a key; what each aggregate is for the outer row.
    pub(in crate::rewrite) fn reduce(
        &mut self,
        program: &mut Program,
        any: &NestedAny,
        aggregates: &[(&'static str, Aggregate)],
    ) -> Vec<ScalarId> {
        let condition = any.condition.clone();
        let mut fields = any.key_fields(program);
        let keys = fields.len() as u32;
        fields.extend(aggregates.iter().map(|(name, aggregate)| {
            let is_count = aggregate.reduction.is_count();
            Field::new(*name, aggregate.data_type, !is_count)
        }));
        let reductions = aggregates.iter().map(|(_, aggregate)| aggregate.clone()).collect();
        let (shape, generator) = if any.key.is_empty() {
            (Shape::Single, Generator::Reduce { condition, aggregates: reductions })
        } else {
            let key = any.inner_key();
            (Shape::Groups { keys }, Generator::BucketReduce { condition, key, aggregates: reductions })
        };
        let collection = program.add_collection(fields, shape);
        self.defines.push(collection);
        self.generators.push(generator);
        let read = |(field, (_, aggregate)): (u32, &(&str, Aggregate))| {
            let read = match any.key.is_empty() {
                true => Scalar::Single { collection, field },
                false => Scalar::Lookup { collection, key: any.probe(), field: keys + field },
            };
            program.scalars.intern(read, aggregate.data_type)
        };
        (0..).zip(aggregates).map(read).collect()
    }
}
