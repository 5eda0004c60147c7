//! Leaves out the columns that nobody reads, from the root down, and the joins that nobody needs.
//!
//! ```text
//! Scan t: a, b                 =  Scan t: a                  if only a is read above
//! x inner join y on k = u      =  x semi join y on k = u     if nothing else reads y and u is unique in y
//! x left join y on k = u       =  x                          likewise: each left row comes out once, match or not
//! Aggregate by k: s, t         =  Aggregate by k: s          if t is not read; keys stay, they make the groups
//! Window f, g over x           =  Window f over x            if g is not read; x if nothing is
//! Project (a = a) x            =  x
//! ```
//!
//! Distinct and set operations compare whole rows and keep all of their columns (UNION ALL compares nothing).
//! Errors: leaving out a column evaluates less. NULLs: a semi join's left rows without a match go, as an inner
//! join's do; with a unique key no left row had two.

use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::unique::{is_unique_key, join_key};
use crate::relation::visit::{
    as_binary, as_column, conjuncts, for_each_column, for_each_expression, for_each_expression_mut,
    for_each_subquery_mut, nothing, rewrite, take,
};
use crate::relation::{ColumnId, CteId, Relation, SetKind, SubqueryKind};
use std::sync::Arc;

/// Prunes a tree of which `required` is read.
pub(super) fn prune_columns(relation: &mut Arc<Relation>, required: &ColumnSet) {
    Pruner::default().prune(relation, required, false);
}

/// Prunes a tree within one that has been pruned: its columns stay as they are, and in their order.
pub(super) fn prune_below(relation: &mut Arc<Relation>) {
    let all = relation.columns().into_iter().collect();
    Pruner::default().prune(relation, &all, true);
}

#[derive(Default)]
struct Pruner {
    /// For each CTE those of its definition's columns that its scans read.
    read_of_ctes: Vec<(CteId, ColumnSet)>,
}

impl Pruner {
    /// `exact`: whoever reads the rows compares them whole, so columns that are not required must not show.
    fn prune(&mut self, relation: &mut Arc<Relation>, required: &ColumnSet, exact: bool) {
        while let Some(left) = left_alone(relation, required) {
            *relation = left;
        }
        self.narrow(Arc::make_mut(relation), required);
        let mut below = required.clone();
        for_each_expression_mut(Arc::make_mut(relation), &mut |expression| {
            for_each_subquery_mut(expression, &mut |subquery| {
                self.prune_subquery(&mut subquery.kind, &mut subquery.relation)
            });
        });
        for_each_expression(relation, &mut |expression| for_each_column(expression, &mut |id| below.insert(id)));
        match Arc::make_mut(relation) {
            Relation::Scan { .. } | Relation::Values { .. } => {}
            Relation::CteScan { cte, columns } => {
                let read = columns.iter().map(|(from, _)| *from);
                match self.read_of_ctes.iter_mut().find(|(known, _)| known == cte) {
                    Some((_, all)) => all.extend(read),
                    None => self.read_of_ctes.push((*cte, read.collect())),
                }
            }
            Relation::Filter { input, .. } | Relation::Sort { input, .. } | Relation::Limit { input, .. } => {
                self.prune(input, &below, exact);
            }
            Relation::Expand { input, .. } => self.prune(input, &below, exact),
            Relation::Project { input, .. } | Relation::Aggregate { input, .. } => self.prune(input, &below, false),
            Relation::Window { input, .. } => {
                self.prune(input, &below, exact);
            }
            // All that goes round is read, if by nobody else then by the next round.
            Relation::Recursive { cte, seed, step, .. } => {
                for (input, columns) in [seed, step] {
                    self.prune(input, &columns.iter().copied().collect(), false);
                }
                self.read_of_ctes.retain(|(known, _)| known != cte);
            }
            Relation::Distinct { input } => {
                let all = input.columns().into_iter().collect();
                self.prune(input, &all, true);
            }
            Relation::Join { left, right, .. } => {
                self.prune(left, &below, exact);
                self.prune(right, &below, exact);
            }
            Relation::SetOperation { left, right, .. } => {
                for (input, columns) in [left, right] {
                    self.prune(input, &columns.iter().copied().collect(), false);
                }
            }
            Relation::With { cte, definition, body } => {
                self.prune(body, required, exact);
                let read = self.read_of_ctes.iter().position(|(known, _)| known == cte);
                let read = read.map(|at| self.read_of_ctes.swap_remove(at).1).unwrap_or_default();
                self.prune(definition, &read, false);
            }
        }
        drop_identity(relation, exact);
    }

    fn prune_subquery(&mut self, kind: &mut SubqueryKind, relation: &mut Arc<Relation>) {
        let mut required = ColumnSet::default();
        match kind {
            SubqueryKind::Scalar(column) => required.insert(*column),
            SubqueryKind::Exists => {}
            SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => {
                for_each_column(predicate, &mut |id| required.insert(id));
            }
        }
        self.prune(relation, &required, false);
    }

    /// Leaves out of one operator what is not required of it.
    fn narrow(&self, relation: &mut Relation, required: &ColumnSet) {
        match relation {
            Relation::Scan { columns, .. } => columns.retain(|(_, id)| required.contains(*id)),
            Relation::CteScan { columns, .. } => columns.retain(|(_, id)| required.contains(*id)),
            Relation::Project { columns, .. } => columns.retain(|(id, _)| required.contains(*id)),
            Relation::Aggregate { aggregates, keys, .. } => {
                aggregates.retain(|(id, _)| required.contains(*id));
                if keys.is_empty() && aggregates.is_empty() {
                    // One group, whatever the rows.
                    *relation = Relation::Values { columns: Vec::new(), rows: vec![Vec::new()] };
                }
            }
            Relation::Window { input, functions, .. } => {
                functions.retain(|(id, _)| required.contains(*id));
                if functions.is_empty() {
                    *relation = take(std::mem::replace(input, Arc::new(nothing())));
                    self.narrow(relation, required);
                }
            }
            Relation::Values { columns, rows } => {
                let kept: Vec<bool> = columns.iter().map(|id| required.contains(*id)).collect();
                retain_at(columns, &kept);
                rows.iter_mut().for_each(|row| retain_at(row, &kept));
            }
            Relation::SetOperation { kind: SetKind::Union, all: true, columns, left, right } => {
                let kept: Vec<bool> = columns.iter().map(|id| required.contains(*id)).collect();
                retain_at(columns, &kept);
                retain_at(&mut left.1, &kept);
                retain_at(&mut right.1, &kept);
            }
            Relation::Join { kind: kind @ JoinKind::Inner, left: _, right, on } => {
                let unread = right.columns().iter().all(|id| !required.contains(*id));
                // With other conditions a lookup of the one match beats a search for any.
                let key_only = || conjuncts(on).iter().all(|conjunct| as_binary(conjunct, Function::Equal).is_some());
                if unread && key_only() && is_unique_key(right, &join_key(right, on)) {
                    *kind = JoinKind::Semi;
                }
            }
            _ => {}
        }
    }
}

/// The left side of a left join of whose right side nothing is read and no row matches twice.
fn left_alone(relation: &Relation, required: &ColumnSet) -> Option<Arc<Relation>> {
    let Relation::Join { kind: JoinKind::Left, left, right, on } = relation else { return None };
    let unread = right.columns().iter().all(|id| !required.contains(*id));
    (unread && is_unique_key(right, &join_key(right, on))).then(|| Arc::clone(left))
}

fn retain_at<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut at = 0;
    list.retain(|_| {
        at += 1;
        kept[at - 1]
    });
}

/// Drops a projection that only hands columns through, unless it hides some from a reader of whole rows.
fn drop_identity(relation: &mut Arc<Relation>, exact: bool) {
    let Relation::Project { input, columns } = &**relation else { return };
    let identity = columns.iter().all(|(id, value)| as_column(value) == Some(*id));
    if !identity || (exact && hides(input, columns.iter().map(|(id, _)| *id).collect())) {
        return;
    }
    rewrite(relation, |relation| match relation {
        Relation::Project { input, .. } => take(input),
        other => other,
    });
}

fn hides(input: &Relation, shown: ColumnSet) -> bool {
    input.columns().into_iter().any(|id: ColumnId| !shown.contains(id))
}
