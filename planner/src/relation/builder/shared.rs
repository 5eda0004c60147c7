//! Relations that are used more than once, as a CTE is. As in PostgreSQL, one that is used once is built in place of its use,
//! one that is used more often is computed once, and one that is never used is checked and then dropped.

use super::{Builder, FromItem, Rows, walk};
use crate::relation::{ColumnId, CteId, ExpressionKind, Relation};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What may be scanned again and again.
#[derive(Clone, Debug)]
pub struct Shared {
    id: CteId,
    /// Its columns' names and ids, as its definition makes them.
    columns: Vec<(String, ColumnId)>,
}

/// The rows of what is shared, to be put over the query that uses it.
#[derive(Debug)]
pub struct Definition {
    id: CteId,
    relation: Arc<Relation>,
    /// MATERIALIZED: computed on its own even if it is used once.
    materialized: bool,
}

impl Builder<'_> {
    /// Makes rows something to be shared. The definition is for [`Builder::attach`].
    pub fn share(&mut self, (relation, columns): Rows, materialized: bool) -> (Shared, Definition) {
        let id = self.next_shared();
        (Shared { id, columns }, Definition { id, relation, materialized })
    }

    /// An id that nothing else has.
    pub(super) fn next_shared(&mut self) -> CteId {
        self.shared_next += 1;
        CteId(self.shared_next - 1)
    }

    /// Its rows, under new ids.
    pub fn scan_shared(&mut self, Shared { id, columns }: &Shared, name: String) -> FromItem {
        let mut scanned = Vec::new();
        let mut visible = Vec::new();
        for (column_name, defined) in columns {
            // An outer join inside may have made it nullable.
            let column = self.columns.add(column_name.clone(), self.columns.get(*defined).data_type, true);
            scanned.push((*defined, column));
            visible.push((column_name.clone(), column));
        }
        let relation = Arc::new(Relation::CteScan { cte: *id, columns: scanned });
        FromItem::table((relation, visible), name)
    }

    /// Whether rows use a definition that gives others each time it is computed.
    pub(crate) fn uses_volatile(definitions: &[Definition], body: &Relation) -> bool {
        let mut scans = FxHashMap::default();
        count_scans(body, &mut scans);
        let mut is_used = false;
        for definition in definitions.iter().rev() {
            if scans.contains_key(&definition.id) {
                count_scans(&definition.relation, &mut scans);
                is_used |= is_volatile(&definition.relation);
            }
        }
        is_used
    }

    /// Puts definitions, each behind those that it uses, over the query that uses them.
    pub fn attach(&self, definitions: Vec<Definition>, body: Arc<Relation>) -> Arc<Relation> {
        if definitions.is_empty() {
            return body;
        }
        // Who is used how often: by the body, and by definitions behind, as far as these are used.
        let mut scans = FxHashMap::default();
        count_scans(&body, &mut scans);
        let mut used = Vec::with_capacity(definitions.len());
        for definition in definitions.into_iter().rev() {
            if let Some(&count) = scans.get(&definition.id) {
                count_scans(&definition.relation, &mut scans);
                used.push((definition, count));
            }
        }
        // Each is walked through once, before it is put in its place.
        let (mut inlined, mut kept) = (FxHashMap::default(), Vec::new());
        for (Definition { id, relation, materialized }, count) in used.into_iter().rev() {
            let inline = count == 1 && !materialized && !is_volatile(&relation);
            let relation = self.replace_scans(relation, &mut inlined);
            if inline {
                inlined.insert(id, relation);
            } else {
                kept.push((id, relation));
            }
        }
        let body = self.replace_scans(body, &mut inlined);
        kept.into_iter().rev().fold(body, |body, (cte, definition)| Arc::new(Relation::With { cte, definition, body }))
    }

    /// Puts definitions in the place of their only scans.
    fn replace_scans(&self, mut body: Arc<Relation>, inlined: &mut FxHashMap<CteId, Arc<Relation>>) -> Arc<Relation> {
        if inlined.is_empty() {
            return body;
        }
        walk::change_operators(&mut body, &mut |relation| {
            if let Relation::CteScan { cte, columns } = relation
                && let Some(input) = inlined.remove(cte)
            {
                let columns = columns.iter().map(|(defined, here)| (*here, self.columns.reference(*defined)));
                let columns = columns.collect();
                *relation = Relation::Project { input, columns };
            }
        });
        body
    }
}

/// Adds how often each CTE is scanned.
fn count_scans(relation: &Relation, scans: &mut FxHashMap<CteId, usize>) {
    walk::visit_operators(relation, &mut |relation| {
        if let Relation::CteScan { cte, .. } = relation {
            *scans.entry(*cte).or_default() += 1;
        }
    });
}

/// Whether rows are others each time they are computed.
pub(crate) fn is_volatile(relation: &Relation) -> bool {
    let mut volatile = false;
    walk::visit_expressions(relation, &mut |expression| {
        volatile |= matches!(expression.kind, ExpressionKind::Call(function, _) if function.is_volatile());
    });
    volatile
}
