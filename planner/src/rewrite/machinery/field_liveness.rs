//! Liveness of collections and their fields: what the result of a program reads.
//!
//! Starts at the result and marks. What a collection needs just to be there (its nest, conditions, key) is kept
//! apart from what each of its fields needs, so that a field that nothing reads needs nothing. The fields of a
//! Sort and of its input, of a Concat and of its inputs, are the same list, so they are needed together; a Window's list
//! begins so. An Iterate needs all fields of what goes round in it.

use crate::multiloop::{
    BlockId, Collection, CollectionId, Generator, IndexId, Let, Program, Scalar, ScalarId, Shape, Source,
};
use crate::types::Field;
use rustc_hash::FxHashMap;

/// The fields of a collection that can be left out: of Buckets the members, of all else the fields.
pub(in crate::rewrite) fn payload(collection: &Collection) -> &[Field] {
    if let Shape::Buckets { members } = &collection.shape { members } else { &collection.fields }
}

/// What is needed.
pub(in crate::rewrite) struct FieldLiveness {
    collections: Vec<bool>,
    fields: Vec<Vec<bool>>,
}

impl FieldLiveness {
    /// What the result of a program, whose live blocks these are, needs.
    pub(in crate::rewrite) fn of(program: &Program, blocks: &[BlockId]) -> FieldLiveness {
        let mut marks = Marks::of(program, blocks);
        marks.block(program.body);
        for (_, field) in &program.output {
            marks.need_field(program.body().result, *field);
        }
        marks.work();
        FieldLiveness { collections: marks.collections, fields: marks.fields }
    }

    /// Whether a collection is needed.
    pub(in crate::rewrite) fn collection(&self, id: CollectionId) -> bool {
        self.collections[id.0 as usize]
    }

    /// Which fields of a collection's payload are needed.
    pub(in crate::rewrite) fn fields(&self, id: CollectionId) -> &[bool] {
        &self.fields[id.0 as usize]
    }
}

/// Where a collection is made.
#[derive(Clone, Copy)]
struct Definition {
    block: BlockId,
    at: usize,
    generator: usize,
}

/// What the result needs, found from there.
struct Marks<'p> {
    program: &'p Program,
    definitions: Vec<Option<Definition>>,
    /// What an index goes over, and whether with `Rows`.
    sources: FxHashMap<IndexId, (CollectionId, bool)>,
    /// The Sorts, Windows and Concats that show a collection's fields.
    followers: FxHashMap<CollectionId, Vec<CollectionId>>,
    collections: Vec<bool>,
    fields: Vec<Vec<bool>>,
    scalars: Vec<bool>,
    blocks: Vec<bool>,
    pending: Vec<Need>,
}

/// Something that is needed and whose own needs have not been looked at.
enum Need {
    Collection(CollectionId),
    Field(CollectionId, u32),
    Scalar(ScalarId),
}

impl<'p> Marks<'p> {
    fn of(program: &'p Program, blocks: &[BlockId]) -> Self {
        let mut definitions = vec![None; program.collections.len()];
        let mut sources = FxHashMap::default();
        let mut followers: FxHashMap<CollectionId, Vec<CollectionId>> = FxHashMap::default();
        for &block in blocks {
            for (at, each) in program.block(block).lets.iter().enumerate() {
                for (generator, define) in each.defines().iter().enumerate() {
                    definitions[define.0 as usize] = Some(Definition { block, at, generator });
                }
                if let Let::Sort { .. } | Let::Window { .. } | Let::Concat { .. } = each {
                    each.inputs()
                        .into_iter()
                        .for_each(|input| followers.entry(input).or_default().extend(each.defines()));
                }
                let Let::Loop { multiloop, .. } = each else { continue };
                for index in &multiloop.nest {
                    let is_rows = matches!(index.source, Source::Rows(_));
                    sources.extend(index.source.collection().map(|collection| (index.id, (collection, is_rows))));
                }
            }
        }
        let fields = program.collections.iter().map(|collection| vec![false; payload(collection).len()]).collect();
        Marks {
            program,
            definitions,
            sources,
            followers,
            collections: vec![false; program.collections.len()],
            fields,
            scalars: vec![false; program.scalars.len()],
            blocks: vec![false; program.blocks.len()],
            pending: Vec::new(),
        }
    }

    fn block(&mut self, id: BlockId) {
        if !std::mem::replace(&mut self.blocks[id.0 as usize], true) {
            self.pending.push(Need::Collection(self.program.block(id).result));
        }
    }

    /// A field as an index over the collection shows it (of Buckets: a member).
    fn need_field(&mut self, collection: CollectionId, field: u32) {
        self.pending.push(Need::Field(collection, field));
    }

    fn need(&mut self, scalars: impl IntoIterator<Item = ScalarId>) {
        self.pending.extend(scalars.into_iter().map(Need::Scalar));
    }

    fn work(&mut self) {
        while let Some(need) = self.pending.pop() {
            match need {
                Need::Collection(id) => {
                    if !std::mem::replace(&mut self.collections[id.0 as usize], true) {
                        self.collection(id);
                        self.follow_inputs(id);
                    }
                }
                Need::Field(id, field) => {
                    self.pending.push(Need::Collection(id));
                    if !std::mem::replace(&mut self.fields[id.0 as usize][field as usize], true) {
                        self.field(id, field);
                        let followers = self.followers.get(&id).into_iter().flatten();
                        let live = followers.filter(|follower| self.collections[follower.0 as usize]);
                        self.pending.extend(live.map(|&follower| Need::Field(follower, field)));
                    }
                }
                Need::Scalar(id) => {
                    if !std::mem::replace(&mut self.scalars[id.0 as usize], true) {
                        self.scalar(id);
                    }
                }
            }
        }
    }

    /// What it takes to have a collection at all.
    fn collection(&mut self, id: CollectionId) {
        let program = self.program;
        let Some(Definition { block, at, generator }) = self.definitions[id.0 as usize] else { return };
        match &program.block(block).lets[at] {
            Let::Loop { multiloop, .. } => {
                for index in &multiloop.nest {
                    self.pending.extend(index.source.collection().map(Need::Collection));
                    self.need(index.source.scalars());
                }
                let generator = &multiloop.generators[generator];
                self.need(generator.condition().iter().chain(generator.key()).copied());
                for aggregate in generator.aggregates() {
                    if aggregate.reduction.gives_rows() {
                        aggregate.for_each_scalar(|id| self.pending.push(Need::Scalar(id)));
                    }
                }
                self.fixed_fields(id, generator);
            }
            Let::Sort { input, order, .. } => {
                self.pending.push(Need::Collection(*input));
                order.iter().for_each(|(field, _)| self.need_field(id, *field));
            }
            Let::Window { input, partition, order, .. } => {
                self.pending.push(Need::Collection(*input));
                partition.iter().for_each(|field| self.need_field(id, *field));
                order.iter().for_each(|(field, _)| self.need_field(id, *field));
            }
            Let::Iterate { seed, working, step, .. } => {
                self.block(*step);
                for collection in [id, *seed, *working, program.block(*step).result] {
                    (0..program.collection(id).fields.len() as u32).for_each(|field| self.of_rows(collection, field));
                }
            }
            Let::Concat { inputs, .. } => self.pending.extend(inputs.iter().copied().map(Need::Collection)),
            Let::Values { .. } => {}
        }
    }

    /// A Sort, Window or Concat that has just come to life shows what is needed of its inputs already.
    fn follow_inputs(&mut self, id: CollectionId) {
        let program = self.program;
        let Some(Definition { block, at, .. }) = self.definitions[id.0 as usize] else { return };
        let each = &program.block(block).lets[at];
        if let Let::Sort { .. } | Let::Window { .. } | Let::Concat { .. } = each {
            for input in each.inputs() {
                let needed = self.fields[input.0 as usize].iter().zip(0..).filter(|(needed, _)| **needed);
                self.pending.extend(needed.map(|(_, field)| Need::Field(id, field)));
            }
        }
    }

    /// The fields that a generator always has: keys of groups, and all of a top-k.
    fn fixed_fields(&mut self, id: CollectionId, generator: &Generator) {
        let fixed = match generator {
            Generator::BucketReduce { key, .. } => key.len(),
            Generator::Reduce { .. } if self.program.collection(id).shape == Shape::Rows => {
                self.program.collection(id).fields.len()
            }
            _ => 0,
        };
        (0..fixed as u32).for_each(|field| self.need_field(id, field));
    }

    fn field(&mut self, id: CollectionId, field: u32) {
        let program = self.program;
        let Some(Definition { block, at, generator }) = self.definitions[id.0 as usize] else { return };
        match &program.block(block).lets[at] {
            Let::Loop { multiloop, .. } => match &multiloop.generators[generator] {
                Generator::Collect { value, .. } | Generator::BucketCollect { value, .. } => {
                    self.pending.push(Need::Scalar(value[field as usize]));
                }
                Generator::Reduce { aggregates, .. } if program.collection(id).shape == Shape::Single => {
                    aggregates[field as usize].for_each_scalar(|id| self.pending.push(Need::Scalar(id)));
                }
                Generator::BucketReduce { key, aggregates, .. } if field as usize >= key.len() => {
                    aggregates[field as usize - key.len()].for_each_scalar(|id| self.pending.push(Need::Scalar(id)));
                }
                Generator::Reduce { .. } | Generator::BucketReduce { .. } => {}
            },
            Let::Sort { input, .. } => self.of_rows(*input, field),
            Let::Window { input, functions, .. } => {
                let own = program.collection(*input).fields.len();
                match (field as usize).checked_sub(own) {
                    None => self.of_rows(*input, field),
                    Some(function) => {
                        functions[function].arguments.iter().for_each(|&argument| self.of_rows(*input, argument));
                    }
                }
            }
            Let::Iterate { .. } => {}
            Let::Concat { inputs, .. } => inputs.iter().for_each(|&input| self.of_rows(input, field)),
            Let::Values { rows, .. } => self.need(rows.iter().map(|row| row[field as usize])),
        }
    }

    /// A field as a `Rows` index shows it. The keys of Buckets are always there.
    fn of_rows(&mut self, collection: CollectionId, field: u32) {
        if matches!(self.program.collection(collection).shape, Shape::Buckets { .. }) {
            self.pending.push(Need::Collection(collection));
        } else {
            self.need_field(collection, field);
        }
    }

    fn scalar(&mut self, id: ScalarId) {
        let program = self.program;
        match program.scalars.get(id) {
            Scalar::Constant(_) | Scalar::Parameter(_) => {}
            Scalar::Column { index, field } => match self.sources.get(index) {
                Some(&(collection, true)) => self.of_rows(collection, *field),
                Some(&(collection, false)) => self.need_field(collection, *field),
                None => {}
            },
            Scalar::Call { arguments, .. } => self.need(arguments.iter().copied()),
            Scalar::Lookup { collection, key, field } => {
                self.need_field(*collection, *field);
                self.need(key.iter().map(|part| part.scalar));
            }
            Scalar::Exists { collection, key } => {
                self.pending.push(Need::Collection(*collection));
                self.need(key.iter().map(|part| part.scalar));
            }
            Scalar::Element { collection, row, field } => {
                self.need_field(*collection, *field);
                self.need([*row]);
            }
            Scalar::Single { collection, field } => self.need_field(*collection, *field),
            Scalar::Nested { block, field } => {
                self.block(*block);
                self.need_field(program.block(*block).result, *field);
            }
        }
    }
}
