//! Reverses the sides of a join nest: the rows of its first index become buckets, which the rows of the second probe; rows
//! that no probe has found are the rest (`turn_left_join`, `turn_anti_join`).

use super::fallible::Fallible;
use super::substitute::Substitution;
use crate::analysis::nullability::{Nullability, null_below};
use crate::multiloop::uses::{FreeIndices, for_each_node};
use crate::multiloop::{
    CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use crate::types::Field;

/// How many times the rows of the left side those of the right side have to be.
pub(in crate::rewrite) const TURN_MIN: f64 = 1.5;

/// Whether a scalar is NULL when no index of a nest stands on a row.
pub(in crate::rewrite) fn vanishes(program: &Program, nest: &[Index], id: ScalarId) -> bool {
    null_below(&program.scalars, id, &|id| match program.scalars.get(id) {
        Scalar::Column { index, .. } => nest.iter().any(|each| each.id == *index),
        _ => false,
    })
}

/// A part of the buckets' key that is NULL when no index of a nest stands on a row, and never where something was found.
pub(in crate::rewrite) fn witness(
    program: &Program,
    nest: &[Index],
    (key, asked): (&[ScalarId], &[KeyPart]),
) -> Option<ScalarId> {
    let parts = key.iter().zip(asked).filter(|(_, part)| !part.null_matches);
    parts.map(|(&scalar, _)| scalar).find(|&scalar| vanishes(program, nest, scalar))
}

/// Whether the key reads the left side alone, and neither it nor anything that the buckets are made of has effects.
pub(in crate::rewrite) fn is_free(
    program: &Program,
    failing: &Fallible,
    (left, key): (IndexId, &[KeyPart]),
    build: &Multiloop,
) -> bool {
    let mut free = FreeIndices::default();
    let mut own = |id: ScalarId| free.scalar(program, id).iter().all(|index| *index == left);
    let mut moves = |id: ScalarId| own(id) && failing.is_pure(program, id) && !holds_block(program, id);
    let mut pure = key.iter().all(|part| moves(part.scalar));
    let mut visit = |id| pure &= failing.is_pure(program, id);
    build.nest.iter().for_each(|index| index.source.for_each_scalar(&mut visit));
    build.generators.iter().for_each(|generator| generator.for_each_scalar(&mut visit));
    pure
}

/// How many of the first conditions read the left side alone and are the same for all generators.
pub(in crate::rewrite) fn chosen(program: &Program, failing: &Fallible, multiloop: &Multiloop, left: IndexId) -> usize {
    let mut free = FreeIndices::default();
    let first = multiloop.generators[0].condition();
    let passes = |&(at, &id): &(usize, &ScalarId)| {
        multiloop.generators.iter().all(|generator| generator.condition().get(at) == Some(&id))
            && free.scalar(program, id).iter().all(|index| *index == left)
            && failing.is_pure(program, id)
            && !holds_block(program, id)
    };
    first.iter().enumerate().take_while(passes).count()
}

/// Whether a scalar holds a nested block: one that a value of the loop holds, too, would be there twice.
fn holds_block(program: &Program, id: ScalarId) -> bool {
    let mut holds = false;
    for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
        holds |= matches!(scalar, Scalar::Nested { .. });
    });
    holds
}

/// Which rows find a left row: those whose key one of the left rows that pass some conditions asks for.
pub(in crate::rewrite) struct Asks<'a> {
    pub(in crate::rewrite) left: IndexId,
    pub(in crate::rewrite) rows: CollectionId,
    pub(in crate::rewrite) asked: &'a [KeyPart],
    pub(in crate::rewrite) key: &'a [ScalarId],
    pub(in crate::rewrite) conditions: &'a [ScalarId],
}

impl Asks<'_> {
    /// Whether that implies a condition: that the key is among those of more left rows.
    pub(in crate::rewrite) fn imply(&self, program: &mut Program, lets: &[Let], condition: ScalarId) -> bool {
        let Scalar::Exists { collection, key } = program.scalars.get(condition).clone() else { return false };
        let parts = key.iter().zip(self.key.iter().zip(self.asked));
        let same = |(part, (key, asked)): (&KeyPart, (&ScalarId, &KeyPart))| {
            part.scalar == *key && (part.null_matches || !asked.null_matches)
        };
        if key.len() != self.key.len() || !parts.into_iter().all(same) {
            return false;
        }
        let maker = lets.iter().find_map(|each| match each {
            Let::Loop { defines, multiloop } => {
                defines.iter().position(|define| *define == collection).map(|at| (multiloop, at))
            }
            _ => None,
        });
        let Some((Multiloop { nest, generators }, at)) = maker else { return false };
        let [Index { id, source: Source::Rows(rows) }] = &nest[..] else { return false };
        let (Generator::BucketReduce { condition, key, .. } | Generator::BucketCollect { condition, key, .. }) =
            &generators[at]
        else {
            return false;
        };
        let mut here = Substitution::new();
        here.rename_index(*id, self.left);
        let mut keys = key.iter().zip(self.asked);
        *rows == self.rows
            && keys.all(|(&key, asked)| here.scalar(program, key) == asked.scalar)
            && condition.iter().all(|&id| self.conditions.contains(&here.scalar(program, id)))
    }
}

/// The left rows that pass a condition, by what they ask a collection for, with all fields: their buckets, and how they are
/// made.
pub(in crate::rewrite) fn by_lookup(
    program: &mut Program,
    (left, rows): (&Index, CollectionId),
    (collection, asked): (CollectionId, &[KeyPart]),
    condition: Vec<ScalarId>,
) -> (CollectionId, Generator) {
    let members = program.collection(rows).fields.clone();
    let mut nullability = Nullability::default();
    nullability.enter(program, left);
    let named = program.collection(collection).fields.clone();
    let fields = named.into_iter().zip(asked).map(|(field, part)| Field {
        data_type: program.scalars.data_type(part.scalar),
        nullable: nullability.scalar(program, part.scalar),
        ..field
    });
    let fields = fields.collect();
    let fields_of = members.iter().zip(0..);
    let value = fields_of.map(|(field, number)| program.scalars.column(left.id, number, field.data_type)).collect();
    let key = asked.iter().map(|part| part.scalar).collect();
    let buckets = program.add_collection(fields, Shape::Buckets { members });
    (buckets, Generator::BucketCollect { condition, key, value })
}
