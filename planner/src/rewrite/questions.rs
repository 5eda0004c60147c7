//! Where a loop asks collections for keys, and moving a let behind what it is to ask.

use super::uses::{Use, collections_read, for_each_node};
use crate::multiloop::{CollectionId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Source};

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
