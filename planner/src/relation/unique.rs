//! Proofs that no two rows of a relation agree on some columns. They turn inner joins into semi joins and make
//! a DISTINCT superfluous. Statistics are exact for the snapshot that the query reads, so `unique` is a proof.

use super::column_set::ColumnSet;
use super::visit::{as_binary, as_column, conjuncts};
use super::{ColumnId, Expression, JoinKind, Relation};
use crate::function::Function;

/// Whether no two rows of `relation` have equal values in all of `columns` (more columns only help).
pub(crate) fn is_unique(relation: &Relation, columns: &ColumnSet) -> bool {
    match relation {
        Relation::Scan { table, columns: scanned } => {
            let statistics = &table.0.statistics;
            let unique = |position: usize| statistics.columns.get(position).is_some_and(|column| column.unique);
            statistics.rows <= 1 || scanned.iter().any(|(position, id)| unique(*position) && columns.contains(*id))
        }
        Relation::Values { rows, .. } => rows.len() <= 1,
        Relation::Filter { input, .. } | Relation::Sort { input, .. } | Relation::Limit { input, .. } => {
            is_unique(input, columns)
        }
        Relation::Project { input, columns: made } => {
            let below = made.iter().filter(|(id, _)| columns.contains(*id)).filter_map(|(_, value)| as_column(value));
            is_unique(input, &below.collect())
        }
        Relation::Join { kind: JoinKind::Semi | JoinKind::Anti, left, .. } => is_unique(left, columns),
        // Each left row once, if it has at most one partner; then what is unique on the left stays so.
        Relation::Join { kind, left, right, on } => {
            let left_stays = matches!(kind, JoinKind::Inner | JoinKind::Left)
                && is_unique(left, columns)
                && is_unique(right, &join_key(right, on));
            left_stays
                || (*kind == JoinKind::Inner && is_unique(right, columns) && is_unique(left, &join_key(left, on)))
        }
        Relation::Aggregate { keys, .. } => keys.iter().all(|(id, _)| columns.contains(*id)),
        Relation::Distinct { input } => {
            input.columns().iter().all(|id| columns.contains(*id)) || is_unique(input, columns)
        }
        Relation::With { body, .. } => is_unique(body, columns),
        Relation::SetOperation { .. } | Relation::CteScan { .. } => false,
    }
}

/// The columns of one side of a join that its condition equates with something of the other side.
pub(crate) fn join_key(side: &Relation, on: &Expression) -> ColumnSet {
    let made: ColumnSet = side.columns().into_iter().collect();
    let mut key = ColumnSet::default();
    for conjunct in conjuncts(on) {
        let Some((a, b)) = as_binary(conjunct, Function::Equal) else { continue };
        for (this, other) in [(a, b), (b, a)] {
            let Some(id) = as_column(this) else { continue };
            if made.contains(id) && !mentions(other, &made) {
                key.insert(id);
            }
        }
    }
    key
}

fn mentions(expression: &Expression, columns: &ColumnSet) -> bool {
    let mut found = false;
    super::visit::for_each_column(expression, &mut |id: ColumnId| found |= columns.contains(id));
    found
}
