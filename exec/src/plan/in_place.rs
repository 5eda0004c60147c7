//! Buckets that a sorted table already is.

use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::tree::{InPlace, LevelPlan, SortedKey};
use crate::technique::Technique;
use multiloop_planner::analysis::ranges::{Grid, Ranges};
use multiloop_planner::multiloop::kept::{is_sorted, proven};
use multiloop_planner::multiloop::{Index, Program, Scalar, ScalarId, Shape, Source};

impl InPlace {
    /// Whether a bucket of a loop with this nest and no more conditions can leave its rows where they are, and how.
    pub(crate) fn new(
        program: &Program,
        ranges: &Ranges,
        nest: &[Index],
        levels: &[LevelPlan],
        (key, value): (&[ScalarId], &[ScalarId]),
    ) -> Option<Self> {
        let ([Index { id, source: Source::Rows(collection) }], [level]) = (nest, levels) else { return None };
        if !level.conditions.is_empty() || !Technique::InPlace.is_on() {
            return None;
        }
        let field_of = |&scalar: &ScalarId| match program.scalars.get(scalar) {
            Scalar::Column { index, field } if index == id => Some(*field),
            _ => None,
        };
        let fields = value.iter().map(field_of).collect::<Option<Vec<u32>>>()?;
        let &[part] = key else { return None };
        let key = SortedKey::new(program, nest, part, (field_of(&part)?, grid(ranges, part)?))?;
        Some(InPlace { collection: *collection, fields, key })
    }

    /// Whether every integer of the keys' range, in their steps, is a key.
    pub(crate) fn is_dense(&self) -> bool {
        self.key.dense
    }
}

impl SortedKey {
    fn new(program: &Program, nest: &[Index], key: ScalarId, (field, grid): (u32, Grid)) -> Option<Self> {
        if !is_sorted(program, nest, key) {
            return None;
        }
        let proofs = proven(program, nest, key, |_| false);
        let layout = KeyLayout::new(vec![PartDomain::Integer(grid)]);
        if !proofs.sorted || !proofs.unique || layout.code_range().is_none() {
            return None;
        }
        let collection = nest.first()?.source.collection()?;
        let Shape::Table { statistics, .. } = &program.collection(collection).shape else { return None };
        // So many different integers in a range of no more; NULL's code is one more.
        let is_full = statistics.about_rows.is_none() && layout.codes()? == statistics.rows + 1;
        let dense = is_full && Technique::Dense.is_on();
        Some(SortedKey { field, layout, dense, step: grid.step.into() })
    }
}

/// The integers among which those of a scalar are, if it is integer-like.
pub(crate) fn grid(ranges: &Ranges, scalar: ScalarId) -> Option<Grid> {
    if Technique::KeySteps.is_on() {
        return ranges.grid(scalar);
    }
    ranges.of(scalar).map(|(low, high)| Grid::of_range(low, high))
}
