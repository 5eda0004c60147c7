//! The state of the text form while it is written: the lines so far, and the numbers under which collections, indices and blocks
//! are shown.

use super::{BlockId, CollectionId, IndexId, Program, ScalarId};
use crate::types::Field;
use rustc_hash::{FxHashMap, FxHashSet};

/// What has been shown so far, and under which numbers.
pub(super) struct Printer<'p> {
    pub(super) program: &'p Program,
    pub(super) out: String,
    pub(super) depth: usize,
    pub(super) collections: FxHashMap<CollectionId, usize>,
    pub(super) indices: FxHashMap<IndexId, usize>,
    pub(super) blocks: FxHashMap<BlockId, usize>,
    /// The fields that each index shows.
    pub(super) shown: FxHashMap<IndexId, Vec<Field>>,
    /// Scalars all of whose nested blocks have been printed.
    pub(super) clear: FxHashSet<ScalarId>,
}

impl<'p> Printer<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Printer {
            program,
            out: String::new(),
            depth: 0,
            collections: FxHashMap::default(),
            indices: FxHashMap::default(),
            blocks: FxHashMap::default(),
            shown: FxHashMap::default(),
            clear: FxHashSet::default(),
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub(super) fn collection(&self, id: CollectionId) -> String {
        self.collections.get(&id).map_or_else(|| format!("%undefined{}", id.0), |number| format!("%{number}"))
    }

    pub(super) fn index(&self, id: IndexId) -> String {
        self.indices.get(&id).map_or_else(|| format!("i_undefined{}", id.0), |number| format!("i{number}"))
    }

    pub(super) fn block_name(&self, id: BlockId) -> String {
        self.blocks.get(&id).map_or_else(|| format!("b_undefined{}", id.0), |number| format!("b{number}"))
    }

    pub(super) fn number(&mut self, id: CollectionId) -> String {
        let next = self.collections.len();
        self.collections.entry(id).or_insert(next);
        self.collection(id)
    }
}
