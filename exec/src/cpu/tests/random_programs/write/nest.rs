//! Random nests: an index over whatever there is, and some behind it.

use super::{Made, Writer};
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{Index, Program, Shape, Source};
use multiloop_planner::types::DataType;

/// Numbers that a Count gives, at most.
const COUNT_MAX: i64 = 4;

impl Writer {
    /// A nest of no more tuples than about these, whose indices are open then.
    pub(super) fn nest(&mut self, most: u64) -> Vec<Index> {
        let mut nest = Vec::new();
        let around = self.tuples;
        self.tuples = 1;
        let first = self.first(most);
        self.index(&mut nest, first);
        for _ in 0..2 {
            let source = match self.weighted(&[7, 3, 3, 2, 1, 1]) {
                0 => None,
                4 => Some(self.count()),
                5 => self.rows(most / self.tuples.max(1)),
                kind => self.bucket(kind, most, &nest),
            };
            let Some(source) = source else { break };
            self.index(&mut nest, source);
        }
        // A block runs for each row around it.
        self.tuples = self.tuples.max(1) * if self.depth > 0 { around.max(1) } else { 1 };
        nest
    }

    fn first(&mut self, most: u64) -> Source {
        if self.depth > 0 && self.once_in(3) {
            let bucket = self.bucket(1, most, &[]);
            if let Some(bucket) = bucket {
                return bucket;
            }
        }
        if self.once_in(12) {
            return self.count();
        }
        self.rows(most).unwrap_or_else(|| self.count_of(COUNT_MAX))
    }

    fn rows(&mut self, most: u64) -> Option<Source> {
        let made = self.one_made(|_, made| made.rows <= most)?;
        self.tuples *= made.rows.max(1);
        Some(Source::Rows(made.id))
    }

    fn count_of(&mut self, count: i64) -> Source {
        self.tuples *= count as u64;
        Source::Count(self.integer(count, DataType::BigInt))
    }

    fn count(&mut self) -> Source {
        let bigint = DataType::BigInt;
        let number = self.scalar(bigint, 1);
        let limit = self.integer(COUNT_MAX, bigint);
        self.tuples *= COUNT_MAX as u64 / 2;
        Source::Count(self.program.scalars.call(Function::Modulo, vec![number, limit], bigint))
    }

    /// A bucket (1), one or no row (2), or one and what was not found (3).
    fn bucket(&mut self, kind: usize, most: u64, nest: &[Index]) -> Option<Source> {
        let tuples = self.tuples;
        let fits = |program: &Program, made: &Made| {
            matches!(program.collection(made.id).shape, Shape::Buckets { .. }) && made.bucket * tuples <= most
        };
        let Made { id: collection, rows, bucket } = self.one_made(fits)?;
        let fields = self.program.collection(collection).fields.clone();
        let key = self.key(&fields);
        self.tuples *= bucket.max(1);
        let has_rest = nest.iter().any(|index| matches!(index.source, Source::BucketAndRest { .. }));
        Some(match kind {
            3 if !has_rest && !nest.is_empty() => {
                self.tuples += rows;
                Source::BucketAndRest { collection, key, condition: Vec::new() }
            }
            2 | 3 => Source::BucketOrNull { collection, key, condition: Vec::new() },
            _ => Source::Bucket { collection, key },
        })
    }

    /// Opens an index, and gives its source the conditions that may stand behind it.
    fn index(&mut self, nest: &mut Vec<Index>, source: Source) {
        let mut index = self.program.index_over(source);
        self.nullability.enter(&self.program, &index);
        self.open.push((index.id, self.program.source_fields(&index.source)));
        let has_condition = self.once_in(3);
        if index.source.condition_mut().is_some() && has_condition {
            let condition = self.condition(2);
            index.source.condition_mut().into_iter().for_each(|conditions| conditions.push(condition));
        }
        if let Source::BucketAndRest { .. } = index.source {
            self.nullability.enter_rest(nest);
        }
        nest.push(index);
    }
}
