//! Tables that a transaction of READ COMMITTED leaves as it has made them, while others change them: no statement asks for them.
//!
//! To see what others have committed, a transaction does what it has changed once more ([`merged`](super::merged)). Who changes one
//! table and then others would do the first change once more before each of these. What no statement may read can wait: for the next
//! statement that may, or for COMMIT.

use crate::catalog::{Entry, Object, Qualified, Schemas};
use multiloop_planner::sql::Parsed;
use std::sync::Arc;

/// Steps of others that a table is left behind at most. Those that it remembers are some more: who is farther behind could not
/// tell who has changed what.
const STEPS_MAX: usize = 128;

/// What a statement may ask for.
#[derive(Clone, Debug, Default)]
pub(crate) enum Asked {
    /// Any table.
    #[default]
    Everything,
    /// Tables whose names are in its text, which is in lower case here, and what stands behind these.
    Named(Arc<str>),
}

/// Tables that have been left behind.
#[derive(Debug)]
pub(super) struct Behind {
    /// The shared state that all others are of.
    pub(super) seen: Schemas,
    pub(super) tables: Vec<Qualified>,
}

impl Asked {
    pub(crate) fn of(parsed: &Parsed) -> Self {
        let text = parsed.text.to_lowercase();
        // Names may be written by the numbers of their letters.
        if !parsed.tree.is_of_rows() || text.contains("u&\"") {
            return Asked::Everything;
        }
        Asked::Named(text.into())
    }

    /// Whether a statement may ask for a table by its name.
    pub(super) fn may_name(&self, table: &str) -> bool {
        match self {
            Asked::Everything => true,
            // A quote within a name is written as two.
            Asked::Named(text) => table.contains('"') || text.contains(&table.to_lowercase()),
        }
    }

    /// Whether a table that others have changed, too, may be left as the transaction has made it.
    pub(super) fn leaves(&self, name: (&str, &str), (before, now): (&Object, &Object), schemas: &Schemas) -> bool {
        let (Entry::Table(before), Entry::Table(now)) = (&before.entry, &now.entry) else { return false };
        let is_near = || now.history.since(&before.history).is_some_and(|steps| steps.len() <= STEPS_MAX);
        !self.may_name(name.1) && is_near() && stands_alone(name, schemas)
    }
}

/// Whether a table is asked for by its name alone: no view, no function and no other table stands before it or behind it.
pub(super) fn stands_alone((schema, name): (&str, &str), schemas: &Schemas) -> bool {
    let is_it = |of: &Qualified| of.schema == schema && of.name == name;
    schemas.values().flat_map(|of| of.objects.values()).all(|object| match &object.entry {
        Entry::Table(table) => {
            let declared = &table.info.declared;
            let refers = || declared.references.iter().filter_map(|of| Qualified::of(&of.table)).any(|of| is_it(&of));
            let needs = || declared.materialized.is_some() && object.entry.needs().iter().any(is_it);
            !refers() && !needs()
        }
        entry @ Entry::View(_) => !entry.needs().iter().any(is_it),
        // Some name what they read when they are called.
        Entry::Routine(_) => false,
        Entry::Sequence(_) | Entry::Type(_) => true,
    }) && schemas.get(schema).and_then(|of| of.objects.get(name)).is_some_and(refers_to_none)
}

fn refers_to_none(object: &Object) -> bool {
    object.entry.declared().is_some_and(|declared| declared.references.is_empty())
}
