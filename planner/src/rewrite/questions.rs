//! Where a loop asks collections for keys, what its rows have found, and moving a let behind what it is to ask.

use super::dependencies::Definition;
use crate::multiloop::uses::{Use, collections_read, for_each_node};
use crate::multiloop::{CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Source};

/// One place where a loop asks a collection for a key. What nested blocks ask is not among them.
#[derive(Clone, Copy)]
pub(super) struct Question<'p> {
    pub(super) collection: CollectionId,
    pub(super) key: &'p [KeyPart],
    /// The position of the index that asks, or the length of the nest if conditions and values do.
    pub(super) at: usize,
    pub(super) kind: QuestionKind,
}

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionKind {
    /// A Bucket index.
    Bucket,
    /// A BucketOrNull index.
    BucketOrNull,
    /// Lookup or Exists.
    Scalar,
}

/// All questions of a loop, each scalar once, where it stands first.
pub(super) fn questions<'p>(program: &'p Program, multiloop: &'p Multiloop) -> Vec<Question<'p>> {
    let mut found = Vec::new();
    let mut seen = vec![false; program.scalars.len()];
    let mut scalar = |found: &mut Vec<Question<'p>>, id: ScalarId, at: usize| {
        for_each_node(program, id, &mut seen, &mut |id, _| {
            if let Scalar::Lookup { collection, key, .. } | Scalar::Exists { collection, key } = program.scalars.get(id)
            {
                found.push(Question { collection: *collection, key, at, kind: QuestionKind::Scalar });
            }
        });
    };
    for (at, index) in multiloop.nest.iter().enumerate() {
        let (collection, key, kind) = match &index.source {
            Source::Bucket { collection, key } => (*collection, key, QuestionKind::Bucket),
            Source::BucketOrNull { collection, key, .. } => (*collection, key, QuestionKind::BucketOrNull),
            Source::Rows(_) => continue,
            // Its rest asks for every row, which is no question.
            Source::BucketAndRest { .. } => {
                index.source.for_each_scalar(|id| scalar(&mut found, id, at));
                continue;
            }
            Source::Count(count) => {
                scalar(&mut found, *count, at);
                continue;
            }
        };
        index.source.for_each_scalar(|id| scalar(&mut found, id, at));
        found.push(Question { collection, key, at, kind });
    }
    let inside = multiloop.nest.len();
    for generator in &multiloop.generators {
        generator.for_each_scalar(|id| scalar(&mut found, id, inside));
    }
    found
}

/// Whether these are all the uses that a collection has.
pub(super) fn are_all_uses(questions: &[Question<'_>], uses: Use) -> bool {
    let scalars = questions.iter().filter(|question| question.kind == QuestionKind::Scalar).count();
    let indices = questions.len() - scalars;
    uses == Use { scalars: scalars as u32, buckets: indices as u32, ..Use::default() }
}

/// Whether a let may stand right behind a later one: none from here to there reads what it defines.
pub(super) fn may_sink(program: &Program, lets: &[Let], from: usize, to: usize) -> bool {
    let defines = lets[from].defines();
    from < to
        && lets[from + 1..=to].iter().all(|each| {
            let read = collections_read(program, each);
            !defines.iter().any(|define| read.contains(define))
        })
}

/// Whether the rows of a nest that pass its conditions have found a key: by a condition, by a join, or before they
/// were collected.
pub(super) fn have_found(
    program: &Program,
    made: &[Option<Definition>],
    nest: &[Index],
    condition: &[ScalarId],
    found: CollectionId,
    key: &[KeyPart],
) -> bool {
    let by_condition = condition.iter().any(|&id| {
        matches!(program.scalars.get(id), Scalar::Exists { collection, key: other } if *collection == found && other == key)
    });
    let by_join = nest.iter().any(|index| {
        matches!(&index.source, Source::Bucket { collection, key: other } if *collection == found && other == key)
    });
    by_condition || by_join || found_before(program, made, nest, found, key)
}

/// Whether the rows of a nest have found a key before they were collected.
pub(super) fn found_before(
    program: &Program,
    made: &[Option<Definition>],
    nest: &[Index],
    found: CollectionId,
    key: &[KeyPart],
) -> bool {
    before(program, made, nest, found, key).unwrap_or(false)
}

/// The question to the loop that collected the rows on which one of the indices stands, if the key reads no other.
fn before(
    program: &Program,
    made: &[Option<Definition>],
    nest: &[Index],
    found: CollectionId,
    key: &[KeyPart],
) -> Option<bool> {
    let Scalar::Column { index, .. } = program.scalars.get(key.first()?.scalar) else { return None };
    let Source::Rows(rows) = nest.iter().find(|each| each.id == *index)?.source else { return None };
    let made_at = made[rows.0 as usize]?;
    let Let::Loop { multiloop, .. } = &program.block(made_at.block).lets[made_at.at] else { return None };
    let Generator::Collect { condition, value } = &multiloop.generators[made_at.generator] else { return None };
    let inside = key.iter().map(|part| match program.scalars.get(part.scalar) {
        Scalar::Column { index: other, field } if other == index => {
            Some(KeyPart { scalar: value[*field as usize], ..*part })
        }
        _ => None,
    });
    Some(have_found(program, made, &multiloop.nest, condition, found, &inside.collect::<Option<Vec<KeyPart>>>()?))
}
