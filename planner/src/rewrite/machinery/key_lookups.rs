//! Lists the lookups by key that a loop makes, which of them its rows are known to have found, and whether a let may move
//! after the collection that it is to look up.

use super::dependencies::Definition;
use crate::multiloop::uses::{Use, collections_read, for_each_node};
use crate::multiloop::{CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Source};

/// One place where a loop asks a collection for a key. What nested blocks ask is not among them.
#[derive(Clone, Copy)]
pub(in crate::rewrite) struct KeyLookup<'p> {
    pub(in crate::rewrite) collection: CollectionId,
    pub(in crate::rewrite) key: &'p [KeyPart],
    /// The position of the index that asks, or the length of the nest if conditions and values do.
    pub(in crate::rewrite) at: usize,
    pub(in crate::rewrite) kind: KeyLookupKind,
}

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::rewrite) enum KeyLookupKind {
    /// A Bucket index.
    Bucket,
    /// A BucketOrNull index.
    BucketOrNull,
    /// Lookup or Exists.
    Scalar,
}

/// All questions of a loop, each scalar once, where it stands first.
pub(in crate::rewrite) fn key_lookups<'p>(program: &'p Program, multiloop: &'p Multiloop) -> Vec<KeyLookup<'p>> {
    let mut found = Vec::new();
    let mut seen = vec![false; program.scalars.len()];
    let mut scalar = |found: &mut Vec<KeyLookup<'p>>, id: ScalarId, at: usize| {
        for_each_node(program, id, &mut seen, &mut |id, _| {
            if let Scalar::Lookup { collection, key, .. } | Scalar::Exists { collection, key } = program.scalars.get(id)
            {
                found.push(KeyLookup { collection: *collection, key, at, kind: KeyLookupKind::Scalar });
            }
        });
    };
    for (at, index) in multiloop.nest.iter().enumerate() {
        let (collection, key, kind) = match &index.source {
            Source::Bucket { collection, key } => (*collection, key, KeyLookupKind::Bucket),
            Source::BucketOrNull { collection, key, .. } => (*collection, key, KeyLookupKind::BucketOrNull),
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
        found.push(KeyLookup { collection, key, at, kind });
    }
    let inside = multiloop.nest.len();
    for generator in &multiloop.generators {
        generator.for_each_scalar(|id| scalar(&mut found, id, inside));
    }
    found
}

/// Whether these are all the uses that a collection has.
pub(in crate::rewrite) fn are_all_uses(questions: &[KeyLookup<'_>], uses: Use) -> bool {
    let scalars = questions.iter().filter(|question| question.kind == KeyLookupKind::Scalar).count();
    let indices = questions.len() - scalars;
    uses == Use { scalars: scalars as u32, buckets: indices as u32, ..Use::default() }
}

/// Whether a let may stand right behind a later one: none from here to there reads what it defines.
pub(in crate::rewrite) fn may_sink(program: &Program, lets: &[Let], from: usize, to: usize) -> bool {
    let defines = lets[from].defines();
    from < to
        && lets[from + 1..=to].iter().all(|each| {
            let read = collections_read(program, each);
            !defines.iter().any(|define| read.contains(define))
        })
}

/// Whether the rows of a nest that pass its conditions have found a key: by a condition, by a join, or before they
/// were collected.
pub(in crate::rewrite) fn have_found(
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
pub(in crate::rewrite) fn found_before(
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
