//! Which fields of a collection are read. Keys of groups that nothing reads need not be materialised. The keys of groups that
//! nobody reads need not be made: they have told groups apart, and that is all.

use multiloop_planner::multiloop::{CollectionId, Let, Program, Scalar, ScalarId, Source};
use rustc_hash::FxHashMap;

/// The fields that are read of collections.
pub(crate) struct ReadFields {
    /// For each collection a bit a field; none of those that are read as a whole.
    of: Vec<Option<Vec<bool>>>,
}

impl ReadFields {
    /// Those of a program. What goes over the rows of a collection reads the fields that its scalars name; whatever else reads
    /// it reads all of them.
    pub(crate) fn of(program: &Program) -> Self {
        let fields = program.collections.iter().map(|collection| Some(vec![false; collection.fields.len()]));
        let mut of: Vec<Option<Vec<bool>>> = fields.collect();
        let mut rows = FxHashMap::default();
        let mut whole = |id: CollectionId| of[id.0 as usize] = None;
        for block in &program.blocks {
            whole(block.result);
            for definition in &block.lets {
                match definition {
                    Let::Loop { multiloop, .. } => {
                        for index in &multiloop.nest {
                            match &index.source {
                                Source::Rows(collection) => {
                                    rows.insert(index.id, *collection);
                                }
                                source => source.collection().into_iter().for_each(&mut whole),
                            }
                        }
                    }
                    Let::Sort { input, .. } | Let::Window { input, .. } | Let::Iterate { seed: input, .. } => {
                        whole(*input)
                    }
                    Let::Concat { inputs, .. } => inputs.iter().copied().for_each(&mut whole),
                    Let::Values { .. } => {}
                }
            }
        }
        for id in 0..program.scalars.len() {
            match program.scalars.get(ScalarId(id as u32)) {
                Scalar::Lookup { collection, .. }
                | Scalar::Exists { collection, .. }
                | Scalar::Element { collection, .. }
                | Scalar::Single { collection, .. } => of[collection.0 as usize] = None,
                Scalar::Column { index, field } => {
                    let collection = rows.get(index).and_then(|collection| of[collection.0 as usize].as_mut());
                    collection.into_iter().for_each(|fields| fields[*field as usize] = true);
                }
                _ => {}
            }
        }
        ReadFields { of }
    }

    /// Whether somebody reads a field.
    pub(crate) fn has(&self, id: CollectionId, field: usize) -> bool {
        self.of[id.0 as usize].as_ref().is_none_or(|fields| fields[field])
    }
}
