//! Proofs that no two rows of a relation agree on some columns. They turn inner joins into semi joins and make
//! a DISTINCT superfluous. Statistics are exact for the snapshot that the query reads, so `unique` is a proof.

use super::column_set::ColumnSet;
use super::visit::{as_binary, as_column, conjuncts};
use super::{ColumnId, Expression, ExpressionKind, Relation};
use crate::catalog::Proofs;
use crate::function::Function;
use crate::multiloop::kept::{Keeps, Step, kept};
use crate::value::Value;

/// Whether no two rows of `relation` have equal values, NULLs being equal, in all of `columns` (more columns only help).
pub(crate) fn is_unique(relation: &Relation, columns: &ColumnSet) -> bool {
    differ(relation, columns, Nulls::Equal)
}

/// The same where NULL equals nothing, as in a join: whether a row finds one row of `relation` at most by `columns`.
pub(crate) fn is_unique_key(relation: &Relation, columns: &ColumnSet) -> bool {
    differ(relation, columns, Nulls::Differ)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Equal,
    Differ,
}

fn differ(relation: &Relation, columns: &ColumnSet, nulls: Nulls) -> bool {
    match relation {
        Relation::Scan { table, columns: scanned } => {
            let statistics = &table.0.statistics;
            let asked = scanned.iter().filter(|(_, id)| columns.contains(*id));
            let proofs = asked.filter_map(|(position, _)| Some(&statistics.columns.get(*position)?.proofs));
            let is_so = |proofs: &Proofs| match nulls {
                Nulls::Equal => proofs.is_unique(),
                Nulls::Differ => proofs.has_unique_values(),
            };
            let mut known = proofs.clone().filter(|proofs| !proofs.is_open());
            // One column is enough: of those that nobody knows of yet one is asked at a time.
            let ask = || proofs.clone().find(|proofs| proofs.is_open()).is_some_and(is_so);
            statistics.rows <= 1 || known.any(is_so) || ask()
        }
        Relation::Values { rows, .. } => rows.len() <= 1,
        Relation::Filter { input, .. }
        | Relation::Window { input, .. }
        | Relation::Sort { input, .. }
        | Relation::Limit { input, .. } => differ(input, columns, nulls),
        Relation::Project { input, columns: made } => {
            let below = made.iter().filter(|(id, _)| columns.contains(*id)).filter_map(|(_, value)| as_column(value));
            differ(input, &below.collect(), nulls)
        }
        // The copies of a row are told by their positions, if there is more than one.
        Relation::Expand { input, count, position } => {
            let single = matches!(&count.kind, ExpressionKind::Constant(Value::Null | Value::Int(..=1)));
            (single || columns.contains(*position)) && differ(input, columns, nulls)
        }
        // Each left row once, if it has at most one partner; then what is unique on the left stays so.
        Relation::Join { kind, left, right, on } => {
            let stays = |step: Step, (this, other): (&Relation, &Relation)| {
                let kept = kept(step).unique;
                kept != Keeps::No
                    && differ(this, columns, nulls)
                    && kept.holds(|| is_unique_key(other, &join_key(other, on)))
            };
            stays(Step::Left(*kind), (left, right)) || stays(Step::Right(*kind), (right, left))
        }
        Relation::Aggregate { keys, .. } => keys.iter().all(|(id, _)| columns.contains(*id)),
        Relation::Distinct { input } => {
            input.columns().iter().all(|id| columns.contains(*id)) || differ(input, columns, nulls)
        }
        Relation::With { body, .. } => differ(body, columns, nulls),
        Relation::SetOperation { .. } | Relation::Recursive { .. } | Relation::CteScan { .. } => false,
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
