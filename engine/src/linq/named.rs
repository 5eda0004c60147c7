//! Names of sources that nobody named: as their tables, with a number where another source is named so already.

use super::tree::Alias;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The names of the sources of a query, given as they are met.
#[derive(Default)]
pub(super) struct Names(RefCell<Given>);

#[derive(Default)]
struct Given {
    of: HashMap<u64, Arc<str>>,
    taken: HashSet<Arc<str>>,
}

impl Names {
    /// The name of a source.
    pub(super) fn of(&self, alias: &Alias) -> Arc<str> {
        let (id, base) = match alias {
            Alias::Named(name) => return Arc::clone(name),
            Alias::Numbered { id, base } => (id, base),
        };
        let Given { of, taken } = &mut *self.0.borrow_mut();
        let name = of.entry(*id).or_insert_with(|| {
            let mut name = Arc::clone(base);
            let mut number = 2;
            while !taken.insert(Arc::clone(&name)) {
                name = Arc::from(format!("{base}_{number}"));
                number += 1;
            }
            name
        });
        Arc::clone(name)
    }
}
