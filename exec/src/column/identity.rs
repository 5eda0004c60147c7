//! The identity of a column's values: what devices know the copies by that they have made of it.
//!
//! Clones of a column have one identity, wherever they are; values that are made anew have another. Addresses will not do:
//! a chunk that is changed keeps its address where nobody else has it, and memory that is given back is given out again. An
//! identity is the address of an allocation of its own, which is made when a column is first cloned or asked, and stays as long as
//! somebody [watches](Watch) it.

use std::sync::{Arc, OnceLock, Weak};

/// An identity.
#[derive(Debug, Default)]
pub struct Identity(OnceLock<Arc<Mark>>);

/// What identities are told apart by: no two of them are at one address.
#[derive(Debug)]
struct Mark(#[expect(dead_code, reason = "what has no size need not have an address of its own")] u8);

/// An identity that may go; two are equal if they are of one.
#[derive(Clone, Debug)]
pub struct Watch(Weak<Mark>);

impl Identity {
    fn mark(&self) -> &Arc<Mark> {
        self.0.get_or_init(|| Arc::new(Mark(0)))
    }

    /// What stays when it goes.
    pub fn watch(&self) -> Watch {
        Watch(Arc::downgrade(self.mark()))
    }
}

impl Identity {
    /// Whether it is the one that somebody watches.
    pub fn is(&self, watch: &Watch) -> bool {
        self.0.get().is_some_and(|mark| std::ptr::eq(Arc::as_ptr(mark), watch.0.as_ptr()))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Identity(OnceLock::from(Arc::clone(self.mark())))
    }
}

impl Watch {
    /// Whether the last column with this identity is gone.
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Watch {}

impl std::hash::Hash for Watch {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0.as_ptr(), state);
    }
}

#[cfg(test)]
mod tests {
    use crate::column::{Chunk, Column, ColumnData, Dictionary, compact_text};
    use std::collections::HashSet;
    use std::sync::Arc;

    fn numbers(values: &[i64]) -> Column {
        Column::new(ColumnData::Int64(values.to_vec().into()), None)
    }

    #[test]
    fn clones_have_one_identity_and_new_columns_another() {
        let column = numbers(&[1, 2]);
        let clone = column.clone();
        let watch = column.identity.watch();
        assert_eq!(watch, clone.identity.watch());
        assert_ne!(watch, numbers(&[1, 2]).identity.watch());
        drop(column);
        assert!(!watch.is_gone());
        drop(clone);
        assert!(watch.is_gone());
    }

    #[test]
    fn what_is_gone_is_never_met_again() {
        let watches: HashSet<_> = (0..1_000).map(|value| numbers(&[value]).identity.watch()).collect();
        assert_eq!(watches.len(), 1_000);
        assert!(watches.iter().all(super::Watch::is_gone));
    }

    #[test]
    fn a_changed_chunk_keeps_the_identity_of_columns_that_stay() {
        let dictionary = |texts: &[&str]| Arc::new(Dictionary::new(texts.iter().copied()));
        let text = Column::new(Dictionary::encode(dictionary(&["a", "c"]), [0, 1].into_iter()), None);
        let mut chunk = Arc::new(Chunk::new(2, vec![numbers(&[1, 2]), text]));
        for is_shared in [false, true] {
            let other = is_shared.then(|| Arc::clone(&chunk));
            let before: Vec<_> = chunk.columns.iter().map(|column| column.identity.watch()).collect();
            let changed = Arc::make_mut(&mut chunk);
            let all = if is_shared { dictionary(&["a", "b", "c"]) } else { dictionary(&["a", "c", "d"]) };
            if !is_shared {
                compact_text::recode(&mut changed.columns[1], &all);
            } else {
                changed.columns[1] = Column::new(Dictionary::encode(all, [0, 2].into_iter()), None);
            }
            let after: Vec<_> = chunk.columns.iter().map(|column| column.identity.watch()).collect();
            assert_eq!(before[0], after[0]);
            assert_ne!(before[1], after[1]);
            assert_eq!(before[1].is_gone(), !is_shared);
            drop(other);
        }
    }
}
