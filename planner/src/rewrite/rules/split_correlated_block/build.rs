//! The lets of a block, built for all keys: in front of the loop that reads the block, with the key as the first fields of each collection.

use super::Splittable;
use super::expression::{expressions, is_expression};
use super::reads::reads_of;
use crate::multiloop::uses::FreeIndices;
use crate::multiloop::{
    Block, BlockId, CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
    WindowField,
};
use crate::rewrite::machinery::dependencies::Definition;
use crate::rewrite::machinery::first_places;
use crate::rewrite::machinery::partition_groups::{columns, over_rows};
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use crate::value::Value;
use rustc_hash::FxHashMap;

/// Lets that have been made for all keys.
pub(super) struct Split {
    made: Vec<Option<Definition>>,
    /// How the row that asks finds its key, and the types of the key's parts: the first fields of whatever is made.
    probe: Vec<KeyPart>,
    types: Vec<DataType>,
    /// By what was made for one key.
    keyed: FxHashMap<CollectionId, CollectionId>,
    /// The keys that are asked for, if these are known, and whether NULL finds rows, part by part.
    asked: Option<(CollectionId, Vec<bool>)>,
    /// The rows of Reduces, one for each key that asks, by what was made for one key.
    filled: FxHashMap<CollectionId, CollectionId>,
    pub(super) front: Vec<Let>,
}

impl Split {
    pub(super) fn new(program: &mut Program, found: &Splittable, made: Vec<Option<Definition>>) -> Self {
        let (mut probe, types) = (found.probe.clone(), found.types.clone());
        let (keyed, filled) = (FxHashMap::default(), FxHashMap::default());
        let mut front = Vec::new();
        let asked = found.asking.as_ref().map(|(nest, condition)| {
            let key: Vec<ScalarId> = probe.iter().map(|part| part.scalar).collect();
            let named = key.iter().enumerate();
            let named = named.map(|(at, &id)| Field::new(format!("key{at}"), program.scalars.data_type(id), true));
            let (fields, keys) = (named.collect(), key.len() as u32);
            let generator = Generator::BucketReduce { condition: condition.clone(), key, aggregates: Vec::new() };
            let multiloop = Multiloop { nest: nest.clone(), generators: vec![generator] };
            let multiloop = Substitution::copied(program, multiloop);
            let asked = program.add_collection(fields, Shape::Groups { keys });
            front.push(Let::Loop { defines: vec![asked], multiloop });
            (asked, probe.iter().map(|part| part.null_matches).collect())
        });
        if found.fills {
            // Rows that NULL does not find are not there then: what has a NULL in its key is of a key that asks.
            probe.iter_mut().for_each(|part| part.null_matches = true);
        }
        Split { made, probe, types, keyed, asked, filled, front }
    }

    fn keys(&self) -> u32 {
        self.probe.len() as u32
    }

    /// Makes a let of the block for all keys.
    pub(super) fn add(&mut self, program: &mut Program, each: &Let, begin: usize) {
        match each {
            Let::Loop { .. } => self.add_loop(program, each, begin),
            Let::Window { define, input, partition, order, functions } => {
                let (input, behind) = (self.rows(program, *input), self.keys());
                let partition = (0..behind).chain(partition.iter().map(|field| field + behind)).collect();
                let order = order.iter().map(|(field, order)| (field + behind, *order)).collect();
                let moved = |field: &WindowField| {
                    let arguments = field.arguments.iter().map(|argument| argument + behind).collect();
                    WindowField { arguments, ..field.clone() }
                };
                let functions = functions.iter().map(moved).collect();
                let key = self.key_fields(program, input);
                let define = self.define(program, *define, key, Shape::Rows);
                self.front.push(Let::Window { define, input, partition, order, functions });
            }
            Let::Concat { define, inputs } => {
                let inputs: Vec<CollectionId> = inputs.iter().map(|input| self.rows(program, *input)).collect();
                let mut key = self.key_fields(program, inputs[0]);
                for input in &inputs[1..] {
                    let others = self.key_fields(program, *input);
                    key.iter_mut().zip(others).for_each(|(field, other)| field.nullable |= other.nullable);
                }
                let define = self.define(program, *define, key, Shape::Rows);
                self.front.push(Let::Concat { define, inputs });
            }
            Let::Sort { .. } | Let::Iterate { .. } | Let::Values { .. } => unreachable!("the scan has left it out"),
        }
    }

    /// The fields of the key of what has been made for all keys.
    fn key_fields(&self, program: &Program, of: CollectionId) -> Vec<Field> {
        program.collection(of).fields[..self.keys() as usize].to_vec()
    }

    /// What takes the place of a collection, with the key in front of its fields.
    fn define(&mut self, program: &mut Program, old: CollectionId, key: Vec<Field>, shape: Shape) -> CollectionId {
        let fields = key.into_iter().chain(program.collection(old).fields.iter().cloned()).collect();
        let new = program.add_collection(fields, shape);
        self.keyed.insert(old, new);
        new
    }

    fn add_loop(&mut self, program: &mut Program, each: &Let, begin: usize) {
        // Whatever the key will be: this index shows it.
        let keyed = program.add_index();
        let types = self.types.clone();
        let columns = (0..).zip(types).map(|(field, data_type)| program.scalars.column(keyed, field, data_type));
        let parts: Vec<KeyPart> = columns.map(|scalar| KeyPart { scalar, null_matches: true }).collect();
        let mut each = each.clone();
        self.go_within_key(program, &mut each, &parts, Some(begin));
        let Let::Loop { defines, multiloop } = &each else { unreachable!("it is a loop") };
        let mut copy = Substitution::copying();
        let Begin { mut nest, condition: in_front, key, key_fields } =
            self.begin(program, &multiloop.nest[0], &mut copy);
        copy.replace_index(keyed, key.clone());
        for index in &multiloop.nest[1..] {
            let mut index = index.clone();
            let keyed = index.source.collection().and_then(|collection| self.keyed.get(&collection)).copied();
            copy.index(program, &mut index);
            if let (
                Some(keyed),
                Source::Bucket { collection, key: probe } | Source::BucketOrNull { collection, key: probe, .. },
            ) = (keyed, &mut index.source)
            {
                *collection = keyed;
                probe.splice(0..0, key.iter().map(|&scalar| KeyPart { scalar, null_matches: true }));
            }
            nest.push(index);
        }
        let (mut made, mut generators, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        for (define, generator) in defines.iter().zip(&multiloop.generators) {
            let mut generator = generator.clone();
            copy.generator(program, &mut generator);
            generator.condition_mut().splice(0..0, in_front.iter().copied());
            let (define, generator, places) = self.generator(program, *define, generator, (&key, &key_fields));
            made.push(define);
            generators.push(generator);
            behind.extend(places.into_iter().flatten());
        }
        self.front.push(Let::Loop { defines: made, multiloop: Multiloop { nest, generators } });
        self.front.extend(behind);
    }

    /// A generator that makes for all keys what another one makes for one, and what it makes; behind rows of a top-k their places.
    fn generator(
        &mut self,
        program: &mut Program,
        old: CollectionId,
        generator: Generator,
        (key, key_fields): (&[ScalarId], &[Field]),
    ) -> (CollectionId, Generator, Option<[Let; 2]>) {
        let (shape, generator) = match generator {
            Generator::Reduce { condition, aggregates }
                if aggregates.iter().any(|each| each.reduction.gives_rows()) =>
            {
                let taken = self.define(program, old, key_fields.to_vec(), Shape::Rows);
                let (rows, collect, places) =
                    first_places::rows_of_keys(program, taken, condition, (key, &aggregates[0]));
                return (rows, collect, Some(places));
            }
            Generator::Reduce { condition, mut aggregates } => {
                if let [only] = &aggregates[..]
                    && only.is_any_true(&program.scalars)
                {
                    aggregates.clear();
                }
                let shape = Shape::Groups { keys: self.keys() };
                (shape, Generator::BucketReduce { condition, key: key.to_vec(), aggregates })
            }
            Generator::Collect { condition, value } => {
                (Shape::Rows, Generator::Collect { condition, value: [key, &value].concat() })
            }
            Generator::BucketCollect { condition, key: own, value } => {
                let shape = program.collection(old).shape.clone();
                (shape, Generator::BucketCollect { condition, key: [key, &own].concat(), value })
            }
            Generator::BucketReduce { condition, key: own, aggregates } => {
                let shape = Shape::Groups { keys: self.keys() + own.len() as u32 };
                (shape, Generator::BucketReduce { condition, key: [key, &own].concat(), aggregates })
            }
        };
        let made = match &generator {
            // An EXISTS has no value but that there is the key.
            Generator::BucketReduce { aggregates, .. } if aggregates.is_empty() && is_single(program, old) => {
                let groups = program.add_collection(key_fields.to_vec(), shape);
                self.keyed.insert(old, groups);
                groups
            }
            _ => self.define(program, old, key_fields.to_vec(), shape),
        };
        (made, generator, None)
    }

    /// How the nest begins that goes over the rows of all keys, in place of an index over those of one.
    fn begin(&mut self, program: &mut Program, first: &Index, copy: &mut Substitution) -> Begin {
        if let Source::Rows(collection) = &first.source {
            let keyed = self.rows(program, *collection);
            let index = program.index_over(Source::Rows(keyed));
            let mut key = columns(program, keyed, index.id);
            let value = key.split_off(self.keys() as usize);
            copy.replace_index(first.id, value);
            return Begin {
                nest: vec![index],
                condition: Vec::new(),
                key,
                key_fields: self.key_fields(program, keyed),
            };
        }
        let Some(buckets) = first.source.collection() else { unreachable!("the scan has seen buckets") };
        let Some(made) = self.made[buckets.0 as usize] else { unreachable!("the scan has seen who makes them") };
        let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else {
            unreachable!("buckets are made by a loop")
        };
        let Generator::BucketCollect { condition, key, value } = &multiloop.generators[made.generator] else {
            unreachable!("the scan has seen that they are collected")
        };
        let (mut nest, mut condition, mut key, mut value) =
            (multiloop.nest.clone(), condition.clone(), key.clone(), value.clone());
        let mut of_maker = Substitution::copying();
        for index in &mut nest {
            of_maker.index(program, index);
        }
        for scalars in [&mut condition, &mut key, &mut value] {
            of_maker.all(program, scalars);
        }
        copy.replace_index(first.id, value);
        if let Some((asked, null_matches)) = &self.asked {
            let parts = key.iter().zip(null_matches);
            let probe = parts.map(|(&scalar, &null_matches)| KeyPart { scalar, null_matches }).collect();
            let is_asked = Scalar::Exists { collection: *asked, key: probe };
            condition.push(program.scalars.intern(is_asked, DataType::Boolean));
        }
        Begin { nest, condition, key, key_fields: program.collection(buckets).fields.clone() }
    }

    /// Rows that have been made for all keys: of a Reduce one for each key that asks, with what it gives for no rows where there are none.
    fn rows(&mut self, program: &mut Program, of: CollectionId) -> CollectionId {
        if !is_single(program, of) {
            return self.keyed[&of];
        }
        if let Some(&filled) = self.filled.get(&of) {
            return filled;
        }
        let Some((asked, _)) = self.asked else { unreachable!("the scan has seen that the keys are known") };
        let index = program.add_index();
        let key = columns(program, asked, index);
        let parts: Vec<KeyPart> = key.iter().map(|&scalar| KeyPart { scalar, null_matches: true }).collect();
        let value = [key, self.row_of(program, of, &parts)].concat();
        let fields = [&program.collection(asked).fields[..], &program.collection(of).fields].concat();
        let filled = program.add_collection(fields, Shape::Rows);
        self.front.push(over_rows(filled, index, asked, Generator::Collect { condition: Vec::new(), value }));
        self.filled.insert(of, filled);
        filled
    }

    /// The fields of the one row of a Reduce, looked up with a key: without rows a lookup gives what the Reduce does.
    fn row_of(&self, program: &mut Program, single: CollectionId, key: &[KeyPart]) -> Vec<ScalarId> {
        let groups = self.keyed[&single];
        let is_exists = program.collection(groups).fields.len() == key.len();
        let types: Vec<DataType> = program.collection(single).fields.iter().map(|field| field.data_type).collect();
        let read = |(field, data_type)| {
            let key = key.to_vec();
            let read = match is_exists {
                true => Scalar::Exists { collection: groups, key },
                false => Scalar::Lookup { collection: groups, key, field },
            };
            program.scalars.intern(read, data_type)
        };
        (self.keys()..).zip(types).map(read).collect()
    }

    /// A let reads what has been made for all keys within one: lookups have its parts in front of theirs, and what goes over the row of
    /// a Reduce, but for the index that begins, looks it up.
    fn go_within_key(&self, program: &mut Program, each: &mut Let, key: &[KeyPart], begin: Option<usize>) {
        let mut within = Substitution::new();
        if let Let::Loop { multiloop, .. } = each {
            for (at, index) in std::mem::take(&mut multiloop.nest).into_iter().enumerate() {
                match index.source {
                    Source::Rows(of) if begin != Some(at) && self.keyed.contains_key(&of) && is_single(program, of) => {
                        within.replace_index(index.id, self.row_of(program, of, key));
                    }
                    _ => multiloop.nest.push(index),
                }
            }
            if multiloop.nest.is_empty() {
                let one = program.scalars.constant(Value::Int(1), DataType::BigInt);
                multiloop.nest.push(program.index_over(Source::Count(one)));
            }
        }
        let is_keyed = |id: CollectionId| self.keyed.contains_key(&id);
        for id in reads_of(program, each.scalars(), is_keyed).unwrap_or_default() {
            let new = match program.scalars.get(id).clone() {
                Scalar::Single { collection, field } => self.row_of(program, collection, key)[field as usize],
                Scalar::Exists { collection, key: own } => {
                    let key = self.behind(program, key, &own, &mut within);
                    let read = Scalar::Exists { collection: self.keyed[&collection], key };
                    program.scalars.intern(read, DataType::Boolean)
                }
                Scalar::Lookup { collection, key: own, field } => {
                    let key = self.behind(program, key, &own, &mut within);
                    let field = field + self.keys();
                    let data_type = program.scalars.data_type(id);
                    program
                        .scalars
                        .intern(Scalar::Lookup { collection: self.keyed[&collection], key, field }, data_type)
                }
                _ => unreachable!("nothing else reads what a block makes"),
            };
            within.replace_scalar(id, new);
        }
        within.definition(program, each);
    }

    /// The parts of a lookup's own key behind those of the key.
    fn behind(
        &self,
        program: &mut Program,
        key: &[KeyPart],
        own: &[KeyPart],
        within: &mut Substitution,
    ) -> Vec<KeyPart> {
        let own = own.iter().map(|part| KeyPart { scalar: within.scalar(program, part.scalar), ..*part });
        key.iter().copied().chain(own).collect()
    }

    /// The readers of a block whose lets have all been made for all keys look its result up.
    pub(super) fn lookups(&self, program: &mut Program, nested: BlockId) -> Substitution {
        let mut readers = Substitution::new();
        let result = program.block(nested).result;
        for (new, field) in self.row_of(program, result, &self.probe).into_iter().zip(0..) {
            readers.replace_scalar(program.nested(nested, field), new);
        }
        readers
    }

    /// The readers of a block of which some lets stay read one in which these go over buckets.
    pub(super) fn buckets(
        &mut self,
        program: &mut Program,
        nested: BlockId,
        (rest, result): (&[Let], CollectionId),
    ) -> Substitution {
        let mut lets = rest.to_vec();
        let mut collected: FxHashMap<CollectionId, CollectionId> = FxHashMap::default();
        for each in &mut lets {
            self.go_within_key(program, each, &self.probe, None);
            let Let::Loop { multiloop, .. } = each else { continue };
            for index in &mut multiloop.nest {
                let Some(&keyed) = index.source.collection().and_then(|collection| self.keyed.get(&collection)) else {
                    continue;
                };
                match &mut index.source {
                    Source::Bucket { collection, key } | Source::BucketOrNull { collection, key, .. } => {
                        *collection = keyed;
                        key.splice(0..0, self.probe.iter().copied());
                    }
                    source => {
                        let collection = match collected.get(&keyed) {
                            Some(&known) => known,
                            None => self.collect(program, keyed),
                        };
                        collected.insert(keyed, collection);
                        *source = Source::Bucket { collection, key: self.probe.clone() };
                    }
                }
            }
        }
        if let Some(readers) = expressions_of(program, nested, &lets) {
            return readers;
        }
        let new = program.add_block(Block { lets, result });
        // Other lets may read the block, too, and keep it.
        let new = Substitution::copying().block(program, new);
        Substitution::readers_of(program, nested, new)
    }

    /// The rows of all keys in buckets, without the key.
    fn collect(&mut self, program: &mut Program, keyed: CollectionId) -> CollectionId {
        let index = program.add_index();
        let mut key = columns(program, keyed, index);
        let value = key.split_off(self.keys() as usize);
        let mut fields = program.collection(keyed).fields.clone();
        let members = fields.split_off(self.keys() as usize);
        let buckets = program.add_collection(fields, Shape::Buckets { members });
        let generator = Generator::BucketCollect { condition: Vec::new(), key, value };
        self.front.push(over_rows(buckets, index, keyed, generator));
        buckets
    }
}

/// How a nest begins: with these indices and conditions; and the key of its rows.
struct Begin {
    nest: Vec<Index>,
    condition: Vec<ScalarId>,
    key: Vec<ScalarId>,
    key_fields: Vec<Field>,
}

/// Whether a collection is one row.
fn is_single(program: &Program, id: CollectionId) -> bool {
    program.collection(id).shape == Shape::Single
}

/// The readers of a block whose one let reduces one row read expressions of it.
fn expressions_of(program: &mut Program, nested: BlockId, lets: &[Let]) -> Option<Substitution> {
    let [Let::Loop { multiloop: Multiloop { nest, generators }, .. }] = lets else { return None };
    let ([Index { source: Source::Count(rows), .. }], [generator]) = (&nest[..], &generators[..]) else { return None };
    let is_one = *program.scalars.get(*rows) == Scalar::Constant(Value::Int(1));
    let reads_index = FreeIndices::default().definition(program, &over_nothing(generator)).contains(&nest[0].id);
    if !is_one || reads_index || !is_expression(program, generator) {
        return None;
    }
    let Generator::Reduce { condition, aggregates } = generator else { return None };
    let (mut readers, mut copy) = (Substitution::new(), Substitution::copying());
    for (new, field) in expressions(program, condition, aggregates).into_iter().zip(0..) {
        // Other lets may read the block, too, and keep it.
        let (old, new) = (program.nested(nested, field), copy.scalar(program, new));
        let position = program.scalars.position(old);
        program.scalars.set_position(new, position);
        readers.replace_scalar(old, new);
    }
    Some(readers)
}

/// A let with the scalars of a generator and no indices.
fn over_nothing(generator: &Generator) -> Let {
    Let::Values { define: CollectionId(0), rows: vec![generator.scalars()] }
}
