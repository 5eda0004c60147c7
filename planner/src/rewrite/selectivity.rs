//! Which share of its rows a collection is likely to keep: guesses for rules that pay only when it is small.
//!
//! Rows are never counted, because joins inside a nest make that another guess; what is guessed is how much the
//! conditions leave, at every depth: those of a loop, of the buckets that it has to find, of what it asks `exists`.

use super::dependencies::Definition;
use crate::function::Function;
use crate::multiloop::{CollectionId, Generator, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source};

/// What a comparison of which nothing is known leaves.
const UNKNOWN: f64 = 0.5;
/// What `a = constant` leaves when the values of a have not been counted, and a pattern.
const EQUAL: f64 = 0.1;
/// What `a < constant` leaves.
const RANGE: f64 = 0.4;
/// Collections are followed so deep; deeper ones keep everything.
const DEPTH_MAX: usize = 16;

/// Guesses about one program as it is.
pub(super) struct Selectivity<'p> {
    program: &'p Program,
    made: &'p [Option<Definition>],
}

impl<'p> Selectivity<'p> {
    /// `made`: where its collections are made.
    pub(super) fn of(program: &'p Program, made: &'p [Option<Definition>]) -> Self {
        Selectivity { program, made }
    }

    /// Which share of the rows, and so of the keys, that a collection could have it has.
    pub(super) fn of_collection(&self, id: CollectionId) -> f64 {
        self.collection(id, 0)
    }

    fn collection(&self, id: CollectionId, depth: usize) -> f64 {
        let Some(Definition { block, at, generator }) = self.made[id.0 as usize] else { return 1.0 };
        let Let::Loop { multiloop, .. } = &self.program.block(block).lets[at] else { return 1.0 };
        if depth == DEPTH_MAX {
            return 1.0;
        }
        let generator = &multiloop.generators[generator];
        if matches!(generator, Generator::Reduce { .. }) {
            return 1.0;
        }
        let conditions = generator.condition().iter().map(|&id| self.condition(multiloop, id, depth));
        let sources = multiloop.nest.iter().map(|index| match &index.source {
            Source::Rows(collection) | Source::Bucket { collection, .. } => self.collection(*collection, depth + 1),
            Source::BucketOrNull { .. } | Source::Count(_) => 1.0,
        });
        conditions.chain(sources).product()
    }

    fn condition(&self, multiloop: &Multiloop, id: ScalarId, depth: usize) -> f64 {
        let (function, arguments) = match self.program.scalars.get(id) {
            Scalar::Exists { collection, .. } => return self.collection(*collection, depth + 1),
            Scalar::Call { function, arguments } => (*function, &arguments[..]),
            _ => return UNKNOWN,
        };
        let each = |&id: &ScalarId| self.condition(multiloop, id, depth);
        let with_constant = arguments.iter().any(|&id| matches!(self.program.scalars.get(id), Scalar::Constant(_)));
        use Function as F;
        match function {
            F::And => arguments.iter().map(each).product(),
            F::Or => 1.0 - arguments.iter().map(|id| 1.0 - each(id)).product::<f64>(),
            F::Not => 1.0 - each(&arguments[0]),
            F::IsTrue => each(&arguments[0]),
            F::Equal | F::IsNotDistinct if with_constant => {
                arguments.iter().find_map(|&id| self.distinct(multiloop, id)).map_or(EQUAL, |distinct| 1.0 / distinct)
            }
            F::InList => {
                let members = arguments.len().saturating_sub(1) as f64;
                (members * self.distinct(multiloop, arguments[0]).map_or(EQUAL, |distinct| 1.0 / distinct)).min(1.0)
            }
            F::Like | F::ILike | F::StartsWith | F::EndsWith | F::Contains => EQUAL,
            F::Less | F::LessEqual | F::Greater | F::GreaterEqual if with_constant => RANGE,
            F::NotEqual | F::IsDistinct | F::IsNotNull => 0.9,
            F::IsNull => EQUAL,
            _ => UNKNOWN,
        }
    }

    /// How many values a column of a table has.
    fn distinct(&self, multiloop: &Multiloop, id: ScalarId) -> Option<f64> {
        let Scalar::Column { index, field } = self.program.scalars.get(id) else { return None };
        let Source::Rows(table) = multiloop.nest.iter().find(|each| each.id == *index)?.source else { return None };
        let Shape::Table { columns, statistics, .. } = &self.program.collection(table).shape else { return None };
        let column = statistics.columns.get(*columns.get(*field as usize)? as usize)?;
        column.distinct.filter(|&distinct| distinct > 0).map(|distinct| distinct as f64)
    }
}
