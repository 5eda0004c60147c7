//! How many rows a collection, a nest or one bucket has at most.

use super::{Analysis, Definition};
use crate::multiloop::kept::{Behind, Proofs, Step, kept, table_column};
use crate::multiloop::{CollectionId, Generator, Index, Let, Multiloop, Reduction, Scalar, ScalarId, Shape, Source};
use crate::value::Value;

impl<'p> Analysis<'p> {
    /// An upper bound of the rows of a collection; of Buckets: of all rows in them.
    pub(super) fn rows(&mut self, id: CollectionId) -> Option<u64> {
        if let Some(rows) = self.rows[id.0 as usize] {
            return rows;
        }
        self.rows[id.0 as usize] = Some(None);
        let rows = match (&self.program.collection(id).shape, self.definitions.get(&id).copied()) {
            // No rows may as well mean that nobody has counted.
            (Shape::Table { statistics, .. }, _) => (statistics.rows > 0).then_some(statistics.rows),
            (Shape::Single, _) => Some(1),
            (_, Some(Definition::Generator(multiloop, generator))) => {
                let rows = self.nest_rows(multiloop);
                self.limit(generator).map_or(rows, |limit| Some(rows.map_or(limit, |rows| rows.min(limit))))
            }
            (_, Some(Definition::Let(Let::Sort { input, .. } | Let::Window { input, .. }))) => self.rows(*input),
            (_, Some(Definition::Let(Let::Concat { inputs, .. }))) => {
                inputs.iter().try_fold(0u64, |sum, &input| sum.checked_add(self.rows(input)?))
            }
            (_, Some(Definition::Let(Let::Values { rows, .. }))) => Some(rows.len() as u64),
            _ => None,
        };
        self.rows[id.0 as usize] = Some(rows);
        rows
    }

    /// An upper bound of the settings of a nest.
    pub(super) fn nest_rows(&mut self, multiloop: &'p Multiloop) -> Option<u64> {
        multiloop.nest.iter().try_fold(1u64, |product, index| {
            let rest = match &index.source {
                Source::BucketAndRest { collection, .. } => self.rows(*collection)?,
                _ => 0,
            };
            product.checked_mul(self.index_rows(index)?)?.checked_add(rest)
        })
    }

    /// An upper bound of the rows of an index for one setting of those in front of it; a rest counts once more.
    fn index_rows(&mut self, index: &'p Index) -> Option<u64> {
        match &index.source {
            Source::Rows(collection) => self.rows(*collection),
            Source::Bucket { collection, .. } if self.buckets_are_single(*collection) => Some(1),
            Source::BucketOrNull { collection, .. } | Source::BucketAndRest { collection, .. }
                if self.buckets_are_single(*collection) =>
            {
                Some(1)
            }
            Source::Bucket { collection, .. } | Source::BucketAndRest { collection, .. } => self.rows(*collection),
            // No match is one row.
            Source::BucketOrNull { collection, .. } => self.rows(*collection).map(|rows| rows.max(1)),
            Source::Count(count) => u64::try_from(self.fact(*count).bounds?.1.max(0)).ok(),
        }
    }

    /// The constant limit of a top-k.
    fn limit(&self, generator: &Generator) -> Option<u64> {
        let Generator::Reduce { aggregates, .. } = generator else { return None };
        let Reduction::TopK { limit, .. } = &aggregates.first()?.reduction else { return Some(1) };
        let Scalar::Constant(Value::Int(limit)) = self.program.scalars.get(*limit) else { return None };
        u64::try_from(*limit).ok()
    }

    /// Whether no bucket can hold two rows: a part of the key is unique, or the key holds the whole key of the
    /// groups that the rows are.
    fn buckets_are_single(&self, id: CollectionId) -> bool {
        let Some(Definition::Generator(multiloop, Generator::BucketCollect { key, .. })) = self.definitions.get(&id)
        else {
            return false;
        };
        key.iter().any(|&part| self.scalar_is_unique(multiloop, part)) || self.holds_group_key(multiloop, key)
    }

    fn holds_group_key(&self, multiloop: &Multiloop, key: &[ScalarId]) -> bool {
        let Some(Source::Rows(groups)) = multiloop.nest.first().map(|index| &index.source) else { return false };
        let Shape::Groups { keys } = self.program.collection(*groups).shape else { return false };
        let index = multiloop.nest[0].id;
        let holds = |field: u32| {
            let is_field = |&part: &ScalarId| *self.program.scalars.get(part) == Scalar::Column { index, field };
            key.iter().any(is_field)
        };
        self.rest_is_single(multiloop) && (0..keys).all(holds)
    }

    /// Whether no two settings of the nest give a scalar the same value.
    fn scalar_is_unique(&self, multiloop: &Multiloop, scalar: ScalarId) -> bool {
        let Scalar::Column { index, field } = self.program.scalars.get(scalar) else { return false };
        let Some(first) = multiloop.nest.first().filter(|first| first.id == *index) else { return false };
        let Source::Rows(collection) = &first.source else { return false };
        self.rest_is_single(multiloop) && self.field_is_unique(*collection, *field)
    }

    /// Whether each setting of the outermost index gives at most one of the whole nest.
    fn rest_is_single(&self, multiloop: &Multiloop) -> bool {
        multiloop.nest[1..].iter().all(|index| {
            let is_one = || index.source.collection().is_some_and(|collection| self.buckets_are_single(collection));
            kept(Step::InFrontOf(Behind::of(&index.source))).unique.holds(is_one)
        })
    }

    fn field_is_unique(&self, id: CollectionId, field: u32) -> bool {
        if let Shape::Table { .. } = &self.program.collection(id).shape {
            return table_column(self.program, id, field).is_some_and(|column| Proofs::of_table(column).unique);
        }
        match self.definitions.get(&id) {
            Some(Definition::Generator(multiloop, Generator::Collect { value, .. })) => {
                value.get(field as usize).is_some_and(|&scalar| self.scalar_is_unique(multiloop, scalar))
            }
            Some(Definition::Generator(
                _,
                Generator::BucketReduce { key, .. } | Generator::BucketCollect { key, .. },
            )) => key.len() == 1 && field == 0,
            Some(Definition::Let(Let::Sort { input, .. })) => self.field_is_unique(*input, field),
            Some(Definition::Let(Let::Window { input, .. })) => {
                (field as usize) < self.program.collection(*input).fields.len() && self.field_is_unique(*input, field)
            }
            _ => false,
        }
    }
}
