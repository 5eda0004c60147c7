//! A CTE that is used once is put where it is used; one that is not used goes.
//!
//! ```text
//! With c = D in … CteScan c (x as y) …   =   … Project (y = x) D …
//! ```
//!
//! Not into a subquery of an expression, nor the step of a recursion: there it would be computed for each row, or round,
//! unless a later rule saves it.
//! Volatile definitions are computed once either way.

use crate::relation::visit::{
    for_each_below_mut, for_each_expression, for_each_input, for_each_input_mut, for_each_subquery, take,
};
use crate::relation::{Columns, CteId, Relation};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Inlines the CTEs of a tree and of its subqueries.
pub(super) fn inline_ctes(relation: &mut Arc<Relation>, columns: &Columns) {
    let mut uses = Uses::default();
    uses.count(relation, 0);
    if !uses.of.is_empty() {
        inline(relation, columns, &mut uses);
    }
}

fn inline(relation: &mut Arc<Relation>, columns: &Columns, uses: &mut Uses) {
    for_each_below_mut(Arc::make_mut(relation), &mut |below| inline(below, columns, uses));
    let Relation::With { cte, definition, body } = Arc::make_mut(relation) else { return };
    let Use { direct, in_subqueries, .. } = uses.of.get(cte).copied().unwrap_or_default();
    if in_subqueries > 0 || direct > 1 {
        return;
    }
    if direct == 1 {
        let mut definition = Some(std::mem::replace(definition, Arc::new(crate::relation::visit::nothing())));
        put(body, *cte, &mut definition, columns);
    } else {
        uses.forget(definition);
    }
    let body = body.clone();
    *relation = body;
}

/// How often each CTE is used, counted once for the whole tree: a chain of a thousand would be walked through as often.
#[derive(Default)]
struct Uses {
    of: FxHashMap<CteId, Use>,
}

#[derive(Clone, Copy, Default)]
struct Use {
    direct: usize,
    in_subqueries: usize,
    /// How many subqueries and steps its WITH stands in.
    depth: usize,
}

impl Uses {
    fn count(&mut self, relation: &Relation, depth: usize) {
        match relation {
            Relation::With { cte, .. } => self.of.entry(*cte).or_default().depth = depth,
            Relation::CteScan { cte, .. } => {
                let uses = self.of.entry(*cte).or_default();
                *(if depth > uses.depth { &mut uses.in_subqueries } else { &mut uses.direct }) += 1;
            }
            _ => {}
        }
        match relation {
            // What stands in a step is computed for each round, as in a subquery for each row.
            Relation::Recursive { seed, step, .. } => {
                self.count(&seed.0, depth);
                self.count(&step.0, depth + 1);
            }
            _ => for_each_input(relation, &mut |input| self.count(input, depth)),
        }
        for_each_expression(relation, &mut |expression| {
            for_each_subquery(expression, &mut |subquery| self.count(&subquery.relation, depth + 1));
        });
    }

    /// Takes back what a definition counted that goes. (A use in one of its subqueries stays: it forbids more than it has to.)
    fn forget(&mut self, relation: &Relation) {
        if let Relation::CteScan { cte, .. } = relation
            && let Some(uses) = self.of.get_mut(cte)
        {
            uses.direct = uses.direct.saturating_sub(1);
        }
        for_each_input(relation, &mut |input| self.forget(input));
    }
}

fn put(relation: &mut Arc<Relation>, cte: CteId, definition: &mut Option<Arc<Relation>>, columns: &Columns) {
    if definition.is_none() {
        return;
    }
    let relation = Arc::make_mut(relation);
    if let Relation::CteScan { cte: used, columns: scanned } = relation
        && *used == cte
        && let Some(input) = definition.take()
    {
        let columns = scanned.iter().map(|(from, id)| (*id, columns.reference(*from))).collect();
        *relation = Relation::Project { input: Arc::new(take(input)), columns };
        return;
    }
    for_each_input_mut(relation, &mut |input| put(input, cte, definition, columns));
}
