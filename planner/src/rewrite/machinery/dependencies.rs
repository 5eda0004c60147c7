//! Functional dependencies: which scalars of a nest are determined by others.
//!
//! A scalar is determined by a set of scalars when any two settings of the nest in which these are equal (as group
//! keys are: NULL equals NULL) give it equal values. Proofs rest on unique columns of tables (statistics are exact
//! for the snapshot), on the keys of groups, and on joins whose build side has one row a key. What an index shows
//! of another loop's rows is followed into that loop.

use crate::multiloop::live::live_blocks;
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use crate::types::DataType;
use rustc_hash::FxHashSet;

/// Collections are followed so deep; deeper ones prove nothing.
const DEPTH_MAX: usize = 16;

/// Where a collection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rewrite) struct Definition {
    pub(in crate::rewrite) block: BlockId,
    /// Which let of the block.
    pub(in crate::rewrite) at: usize,
    /// Which generator of the let.
    pub(in crate::rewrite) generator: usize,
}

/// Where each collection of the live program is made, by collection; tables are made nowhere.
pub(in crate::rewrite) fn definitions(program: &Program) -> Vec<Option<Definition>> {
    let mut found = vec![None; program.collections.len()];
    for block in live_blocks(program) {
        for (at, each) in program.block(block).lets.iter().enumerate() {
            for (generator, define) in each.defines().iter().enumerate() {
                found[define.0 as usize] = Some(Definition { block, at, generator });
            }
        }
    }
    found
}

/// Proofs about one program as it is.
pub(in crate::rewrite) struct Dependencies<'p> {
    program: &'p Program,
    definitions: Vec<Option<Definition>>,
}

/// A nest, and the scalars over it that are given.
struct Given<'a> {
    nest: &'a [Index],
    known: FxHashSet<ScalarId>,
    depth: usize,
}

impl<'p> Dependencies<'p> {
    pub(in crate::rewrite) fn of(program: &'p Program) -> Self {
        Dependencies { program, definitions: definitions(program) }
    }

    /// The loop that makes a collection, and its generator.
    pub(in crate::rewrite) fn maker(&self, id: CollectionId) -> Option<(&'p Multiloop, &'p Generator)> {
        let Definition { block, at, generator } = self.definitions[id.0 as usize]?;
        let Let::Loop { multiloop, .. } = &self.program.block(block).lets[at] else { return None };
        Some((multiloop, &multiloop.generators[generator]))
    }

    /// Whether these scalars of a nest determine that one.
    pub(in crate::rewrite) fn determine(&self, nest: &[Index], known: &[ScalarId], target: ScalarId) -> bool {
        self.scalar(&Given { nest, known: known.iter().copied().collect(), depth: 0 }, target)
    }

    /// Whether these scalars determine on which row the first index of a nest stands.
    pub(in crate::rewrite) fn determine_first_row(&self, nest: &[Index], known: &[ScalarId]) -> bool {
        self.row(&Given { nest: &nest[..1], known: known.iter().copied().collect(), depth: 0 }, &nest[0])
    }

    /// Whether no bucket has two rows.
    pub(in crate::rewrite) fn has_unique_key(&self, buckets: CollectionId) -> bool {
        let Some((multiloop, Generator::BucketCollect { key, .. })) = self.maker(buckets) else { return false };
        let given = Given { nest: &multiloop.nest, known: key.iter().copied().collect(), depth: 0 };
        self.rows(&given)
    }

    fn scalar(&self, given: &Given<'_>, id: ScalarId) -> bool {
        if given.known.contains(&id) {
            return true;
        }
        let scalars = &self.program.scalars;
        if scalars.effects(id).volatile {
            return false;
        }
        match scalars.get(id) {
            Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Single { .. } => true,
            Scalar::Column { index, field } => {
                given.nest.iter().find(|each| each.id == *index).is_some_and(|index| self.column(given, index, *field))
            }
            // Equal floats and intervals need not be the same: -0 and 0, a month and 30 days.
            Scalar::Call { arguments, .. } => arguments.iter().all(|&argument| {
                let data_type = scalars.data_type(argument);
                !data_type.is_float() && data_type != DataType::Interval && self.scalar(given, argument)
            }),
            Scalar::Lookup { key, .. } | Scalar::Exists { key, .. } => self.key(given, key),
            Scalar::Element { row, .. } => self.scalar(given, *row),
            Scalar::Nested { .. } => false,
        }
    }

    fn key(&self, given: &Given<'_>, key: &[KeyPart]) -> bool {
        key.iter().all(|part| self.scalar(given, part.scalar))
    }

    fn column(&self, given: &Given<'_>, index: &Index, field: u32) -> bool {
        if self.row(given, index) {
            return true;
        }
        let (Source::Rows(collection) | Source::Bucket { collection, .. }) = index.source else { return false };
        let Some((multiloop, generator)) = self.maker(collection) else { return false };
        let (Generator::Collect { value, .. } | Generator::BucketCollect { value, .. }) = generator else {
            return false;
        };
        // A row of Buckets shows the key, and needs all of it.
        let shows_value =
            matches!(generator, Generator::Collect { .. }) || matches!(index.source, Source::Bucket { .. });
        shows_value
            && self
                .within(given, index, multiloop, generator)
                .is_some_and(|inner| self.scalar(&inner, value[field as usize]))
    }

    /// Whether all rows of a nest are determined.
    fn rows(&self, given: &Given<'_>) -> bool {
        given.nest.iter().all(|index| self.row(given, index))
    }

    /// Whether it is determined on which row an index stands.
    fn row(&self, given: &Given<'_>, index: &Index) -> bool {
        match &index.source {
            Source::Rows(collection) => self.row_of(given, index, *collection),
            Source::Bucket { collection, .. } => self.maker(*collection).is_some_and(|(multiloop, generator)| {
                self.within(given, index, multiloop, generator).is_some_and(|inner| self.rows(&inner))
            }),
            // Of members nothing follows here: they are NULL without a match, too.
            Source::BucketOrNull { collection, key, condition } => {
                condition.is_empty() && self.key(given, key) && self.has_unique_key(*collection)
            }
            // Its rest has settings of which no other index says anything.
            Source::BucketAndRest { .. } => false,
            Source::Count(_) => self.knows(given, index.id, 0, DataType::BigInt),
        }
    }

    fn row_of(&self, given: &Given<'_>, index: &Index, collection: CollectionId) -> bool {
        let found = self.program.collection(collection);
        let knows = |field: usize| self.knows(given, index.id, field as u32, found.fields[field].data_type);
        match &found.shape {
            Shape::Table { columns, statistics, .. } => {
                let unique = |column: u32| {
                    statistics.columns.get(column as usize).is_some_and(|column| column.proofs.is_unique())
                };
                columns.iter().enumerate().any(|(field, &column)| knows(field) && unique(column))
            }
            Shape::Single => true,
            Shape::Groups { keys } => (0..*keys as usize).all(knows),
            Shape::Buckets { .. } => (0..found.fields.len()).all(knows),
            Shape::Rows => self.maker(collection).is_some_and(|(multiloop, generator)| {
                matches!(generator, Generator::Collect { .. })
                    && self.within(given, index, multiloop, generator).is_some_and(|inner| self.rows(&inner))
            }),
        }
    }

    fn knows(&self, given: &Given<'_>, index: IndexId, field: u32, data_type: DataType) -> bool {
        given.known.iter().any(|&id| {
            *self.program.scalars.get(id) == Scalar::Column { index, field }
                && self.program.scalars.data_type(id) == data_type
        })
    }

    /// What is given inside the loop that made the rows on which an index stands: the values of the fields that are
    /// known, and the key if the probe is determined.
    fn within<'a>(
        &self,
        given: &Given<'_>,
        index: &Index,
        multiloop: &'a Multiloop,
        generator: &Generator,
    ) -> Option<Given<'a>> {
        let (Generator::Collect { value, .. } | Generator::BucketCollect { value, .. }) = generator else {
            return None;
        };
        if given.depth == DEPTH_MAX {
            return None;
        }
        let mut known = FxHashSet::default();
        for &id in &given.known {
            if let Scalar::Column { index: of, field } = self.program.scalars.get(id)
                && *of == index.id
            {
                known.extend(value.get(*field as usize));
            }
        }
        if let Source::Bucket { key, .. } = &index.source {
            for (part, &inside) in key.iter().zip(generator.key()) {
                if self.scalar(given, part.scalar) {
                    known.insert(inside);
                }
            }
        }
        Some(Given { nest: &multiloop.nest, known, depth: given.depth + 1 })
    }
}
