//! A set of columns as a bitmap over their ids, which are small and dense within a statement.

use super::ColumnId;

/// A set of columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnSet(Vec<u64>);

impl ColumnSet {
    /// Adds a column.
    pub(crate) fn insert(&mut self, id: ColumnId) {
        let word = id.0 as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (id.0 % 64);
    }

    /// Whether a column is in it.
    pub(crate) fn contains(&self, id: ColumnId) -> bool {
        self.0.get(id.0 as usize / 64).is_some_and(|word| word >> (id.0 % 64) & 1 == 1)
    }
}

impl Extend<ColumnId> for ColumnSet {
    fn extend<I: IntoIterator<Item = ColumnId>>(&mut self, columns: I) {
        columns.into_iter().for_each(|id| self.insert(id));
    }
}

impl FromIterator<ColumnId> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = ColumnId>>(columns: I) -> Self {
        let mut set = ColumnSet::default();
        set.extend(columns);
        set
    }
}
