//! Which share of its rows a collection is likely to keep, and how many they are: guesses for rules that pay only
//! when it is few.
//!
//! Shares: how much conditions leave, at every depth: those of a loop, of the buckets that it has to find, of what it
//! asks `exists`. Bounds on one column are one range. Rows: those of tables, times the shares, times what a bucket
//! holds. A table that nobody has counted (a program read from its text) is taken for one of [`ROWS_UNKNOWN`].

use super::dependencies::Definition;
use super::key_lookups::found_before;
use crate::catalog::{ColumnStatistics, Estimates, TableStatistics};
use crate::function::Function;
use crate::multiloop::{CollectionId, Generator, Index, Let, Program, Scalar, ScalarId, Shape, Source};
use crate::value::number;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// What a comparison of which nothing is known leaves.
const UNKNOWN: f64 = 0.5;
/// What `a = constant` leaves when the values of a have not been counted, and a pattern.
const EQUAL: f64 = 0.1;
/// What `a < constant` leaves.
const RANGE: f64 = 0.4;
/// The least share of a range, so that several of them never make nothing.
const SHARE_MIN: f64 = 1e-6;
/// Rows of a table or a Count of which nothing is known.
const ROWS_UNKNOWN: f64 = 1000.0;
/// Rows from which on it counts how long it takes to look at one.
const MANY_ROWS: u64 = 1 << 16;
/// Collections are followed so deep; deeper ones keep everything.
const DEPTH_MAX: usize = 16;

/// Guesses about one program as it is.
pub(in crate::rewrite) struct Selectivity<'p> {
    program: &'p Program,
    made: &'p [Option<Definition>],
    /// What has been guessed: a collection may be reached in more ways than there are collections.
    shares: RefCell<FxHashMap<CollectionId, f64>>,
    rows: RefCell<FxHashMap<CollectionId, f64>>,
}

impl<'p> Selectivity<'p> {
    /// `made`: where its collections are made.
    pub(in crate::rewrite) fn of(program: &'p Program, made: &'p [Option<Definition>]) -> Self {
        Selectivity { program, made, shares: RefCell::default(), rows: RefCell::default() }
    }

    /// Which share of the rows, and so of the keys, that a collection could have it has.
    pub(in crate::rewrite) fn of_collection(&self, id: CollectionId) -> f64 {
        self.collection(id, 0)
    }

    /// Which share each of these conditions leaves; bounds on one column leave what they leave together.
    pub(in crate::rewrite) fn of_each(&self, nest: &[Index], conditions: &[ScalarId]) -> Vec<f64> {
        let bounds: Vec<Option<(ScalarId, f64, f64)>> = conditions.iter().map(|&id| self.bound(nest, id)).collect();
        let share = |(&id, bound): (&ScalarId, &Option<(ScalarId, f64, f64)>)| match bound {
            Some((column, ..)) => {
                let same = bounds.iter().flatten().filter(|(other, ..)| other == column);
                let outside = same.fold((0.0f64, 0.0f64), |out, (_, low, high)| (out.0.max(*low), out.1.max(*high)));
                (1.0 - outside.0 - outside.1).max(SHARE_MIN)
            }
            None => self.condition(nest, id, 0),
        };
        conditions.iter().zip(&bounds).map(share).collect()
    }

    /// How many settings of a nest pass conditions.
    pub(in crate::rewrite) fn rows_of_nest(&self, nest: &[Index], conditions: &[ScalarId]) -> f64 {
        self.nest_rows(nest, 0) * self.conditions(nest, conditions, 0)
    }

    /// How many different keys a nest can give, whatever its conditions leave.
    pub(in crate::rewrite) fn keys_of_nest(&self, nest: &[Index], key: &[ScalarId]) -> f64 {
        let rows = nest.first().map_or(1.0, |first| self.source_rows(&first.source));
        let values = |&part: &ScalarId| self.column(nest, part, 0).and_then(distinct).unwrap_or(rows);
        key.iter().map(values).product::<f64>().min(rows)
    }

    fn maker(&self, id: CollectionId) -> Option<(&'p [Index], &'p Generator)> {
        let Definition { block, at, generator } = self.made[id.0 as usize]?;
        let Let::Loop { multiloop, .. } = &self.program.block(block).lets[at] else { return None };
        Some((&multiloop.nest, &multiloop.generators[generator]))
    }

    fn collection(&self, id: CollectionId, depth: usize) -> f64 {
        if let Some(&known) = self.shares.borrow().get(&id) {
            return known;
        }
        let share = match self.maker(id) {
            Some((nest, generator)) if depth < DEPTH_MAX && !matches!(generator, Generator::Reduce { .. }) => {
                let sources = nest.iter().map(|index| match &index.source {
                    Source::Rows(from) | Source::Bucket { collection: from, .. } => self.collection(*from, depth + 1),
                    Source::BucketOrNull { .. } | Source::BucketAndRest { .. } | Source::Count(_) => 1.0,
                });
                self.conditions(nest, generator.condition(), depth) * sources.product::<f64>()
            }
            _ => 1.0,
        };
        self.shares.borrow_mut().insert(id, share);
        share
    }

    /// What all of these leave together.
    fn conditions(&self, nest: &[Index], conditions: &[ScalarId], depth: usize) -> f64 {
        let mut share = 1.0;
        let mut ranges: Vec<(ScalarId, f64, f64)> = Vec::new();
        for &id in conditions {
            match self.bound(nest, id) {
                Some((column, below, above)) => match ranges.iter_mut().find(|range| range.0 == column) {
                    Some(range) => *range = (column, range.1.max(below), range.2.max(above)),
                    None => ranges.push((column, below, above)),
                },
                None => share *= self.condition(nest, id, depth),
            }
        }
        ranges.iter().fold(share, |share, (_, below, above)| share * (1.0 - below - above).max(SHARE_MIN))
    }

    /// For `column < constant` and the like: the column, and the shares of its range below and above what passes.
    fn bound(&self, nest: &[Index], id: ScalarId) -> Option<(ScalarId, f64, f64)> {
        let Scalar::Call { function, arguments } = self.program.scalars.get(id) else { return None };
        let &[column, constant] = &arguments[..] else { return None };
        let Scalar::Constant(constant) = self.program.scalars.get(constant) else { return None };
        let (_, statistics) = self.column(nest, column, 0)?;
        let (min, max) = statistics.likely_range()?;
        let at = number(constant)?;
        let below = if max > min { ((at - min) / (max - min)).clamp(0.0, 1.0) } else { f64::from(u8::from(at > min)) };
        match function {
            Function::Less | Function::LessEqual => Some((column, 0.0, 1.0 - below)),
            Function::Greater | Function::GreaterEqual => Some((column, below, 0.0)),
            _ => None,
        }
    }

    fn condition(&self, nest: &[Index], id: ScalarId, depth: usize) -> f64 {
        let (function, arguments) = match self.program.scalars.get(id) {
            Scalar::Exists { collection, key } if found_before(self.program, self.made, nest, *collection, key) => {
                return 1.0;
            }
            Scalar::Exists { collection, .. } => return self.collection(*collection, depth + 1),
            Scalar::Call { function, arguments } => (*function, &arguments[..]),
            _ => return UNKNOWN,
        };
        let each = |&id: &ScalarId| self.conditions(nest, &[id], depth);
        let with_constant = arguments.iter().any(|&id| matches!(self.program.scalars.get(id), Scalar::Constant(_)));
        let known = |&id: &ScalarId| self.column(nest, id, 0);
        let equal = |&id: &ScalarId, to: &ScalarId| share_equal(known(&id)?, self.program.scalars.get(*to));
        use Function as F;
        match function {
            F::And => self.conditions(nest, arguments, depth),
            F::Or => 1.0 - arguments.iter().map(|id| 1.0 - each(id)).product::<f64>(),
            F::Not => 1.0 - each(&arguments[0]),
            F::IsTrue => each(&arguments[0]),
            F::Equal | F::IsNotDistinct if with_constant => {
                let mut sides = arguments.iter().zip(arguments.iter().rev());
                sides.find_map(|(side, other)| equal(side, other)).unwrap_or(EQUAL)
            }
            F::InList => {
                let column = known(&arguments[0]);
                let share = |member: &ScalarId| share_equal(column?, self.program.scalars.get(*member));
                arguments[1..].iter().map(|member| share(member).unwrap_or(EQUAL)).sum::<f64>().min(1.0)
            }
            F::Like | F::ILike | F::StartsWith | F::EndsWith | F::Contains => EQUAL,
            F::Less | F::LessEqual | F::Greater | F::GreaterEqual if with_constant => RANGE,
            F::NotEqual | F::IsDistinct | F::IsNotNull => 0.9,
            F::IsNull => EQUAL,
            _ => UNKNOWN,
        }
    }

    /// The column of a table that a scalar shows, through the rows of other collections.
    fn column(
        &self,
        nest: &[Index],
        id: ScalarId,
        depth: usize,
    ) -> Option<(&'p TableStatistics, &'p ColumnStatistics)> {
        let Scalar::Column { index, field } = self.program.scalars.get(id) else { return None };
        let source = &nest.iter().find(|each| each.id == *index)?.source;
        let collection = source.collection().filter(|_| depth < DEPTH_MAX)?;
        if let Shape::Table { columns, statistics, .. } = &self.program.collection(collection).shape {
            let column = statistics.columns.get(*columns.get(*field as usize)? as usize)?;
            return Some((statistics, column));
        }
        let (nest, generator) = self.maker(collection)?;
        let shown = match (generator, source) {
            (Generator::Collect { value, .. }, _) => value,
            (Generator::BucketCollect { key, .. } | Generator::BucketReduce { key, .. }, Source::Rows(_)) => key,
            (Generator::BucketCollect { value, .. }, _) => value,
            _ => return None,
        };
        self.column(nest, *shown.get(*field as usize)?, depth + 1)
    }

    /// Whether a column has many values, and most of them once or a few times.
    pub(in crate::rewrite) fn hardly_repeats(&self, nest: &[Index], id: ScalarId) -> bool {
        let Some(column @ (table, _)) = self.column(nest, id, 0) else { return false };
        let rows = table.likely_rows();
        rows > MANY_ROWS && distinct(column).is_some_and(|distinct| distinct * 4.0 > rows as f64)
    }

    fn nest_rows(&self, nest: &[Index], depth: usize) -> f64 {
        nest.iter().map(|index| self.index_rows(nest, &index.source, depth)).product()
    }

    /// How many rows a source has for one setting of the indices in front of it.
    fn index_rows(&self, nest: &[Index], source: &Source, depth: usize) -> f64 {
        match source {
            Source::Rows(collection) => self.rows(*collection, depth),
            // What the rows have found before they were collected they find again.
            Source::Bucket { collection, key } if found_before(self.program, self.made, nest, *collection, key) => {
                self.bucket_rows(*collection, depth) / self.collection(*collection, depth).max(SHARE_MIN)
            }
            Source::Bucket { collection, .. } | Source::BucketAndRest { collection, .. } => {
                self.bucket_rows(*collection, depth)
            }
            Source::BucketOrNull { collection, .. } => self.bucket_rows(*collection, depth).max(1.0),
            Source::Count(_) => ROWS_UNKNOWN,
        }
    }

    /// The rows that a probe finds: of all in the buckets the share that has one of the keys that there could be.
    fn bucket_rows(&self, buckets: CollectionId, depth: usize) -> f64 {
        let Some((nest, generator)) = self.maker(buckets) else { return 1.0 };
        self.rows(buckets, depth) / self.keys_of_nest(nest, generator.key()).max(1.0)
    }

    /// How many rows a collection has; of Buckets: all that are in them.
    fn rows(&self, id: CollectionId, depth: usize) -> f64 {
        match &self.program.collection(id).shape {
            Shape::Table { statistics, .. } if statistics.rows > 0 => return statistics.likely_rows() as f64,
            Shape::Single => return 1.0,
            _ => {}
        }
        if let Some(&known) = self.rows.borrow().get(&id) {
            return known;
        }
        let rows = match self.maker(id) {
            Some((nest, generator)) if depth < DEPTH_MAX => {
                let rows = self.nest_rows(nest, depth + 1) * self.conditions(nest, generator.condition(), depth);
                match generator {
                    Generator::BucketReduce { key, .. } => rows.min(self.keys_of_nest(nest, key)),
                    _ => rows,
                }
            }
            _ => ROWS_UNKNOWN,
        };
        self.rows.borrow_mut().insert(id, rows);
        rows
    }

    /// The rows of what a nest begins with, whatever conditions leave.
    fn source_rows(&self, source: &Source) -> f64 {
        let mut source = source;
        for _ in 0..DEPTH_MAX {
            let Some(collection) = source.collection() else { break };
            if let Shape::Table { statistics, .. } = &self.program.collection(collection).shape
                && statistics.rows > 0
            {
                return statistics.likely_rows() as f64;
            }
            let Some((nest, _)) = self.maker(collection) else { break };
            source = &nest[0].source;
        }
        ROWS_UNKNOWN
    }
}

/// The share of rows in which a column equals a scalar, if anything is known of it.
fn share_equal(column: (&TableStatistics, &ColumnStatistics), to: &Scalar) -> Option<f64> {
    let distinct = distinct(column)?;
    let Scalar::Constant(constant) = to else { return Some(1.0 / distinct) };
    let (table, statistics) = column;
    let nulls = statistics.proofs.nulls as f64 / table.likely_rows().max(1) as f64;
    Some(Estimates::share_of(&statistics.estimates.common, constant, distinct, nulls.min(1.0)))
}

/// How many values a column has.
fn distinct((table, column): (&TableStatistics, &ColumnStatistics)) -> Option<f64> {
    match column.estimates.distinct {
        Some(distinct) if distinct > 0 => Some(distinct as f64),
        _ if column.proofs.is_likely_unique() && table.rows > 0 => Some(table.likely_rows() as f64),
        _ => None,
    }
}
