//! A CTE that is used once is put where it is used; one that is not used goes.
//!
//! ```text
//! With c = D in … CteScan c (x as y) …   =   … Project (y = x) D …
//! ```
//!
//! Not into a subquery of an expression: there it would be computed for each row unless a later rule saves it.
//! Volatile definitions are computed once either way.

use crate::relation::visit::{
    for_each_expression, for_each_input, for_each_input_mut, for_each_subquery, for_each_subquery_mut, take,
};
use crate::relation::{Columns, CteId, Relation};
use std::sync::Arc;

/// Inlines the CTEs of a tree and of its subqueries.
pub(super) fn inline_ctes(relation: &mut Arc<Relation>, columns: &Columns) {
    {
        let relation = Arc::make_mut(relation);
        for_each_input_mut(relation, &mut |input| inline_ctes(input, columns));
        crate::relation::visit::for_each_expression_mut(relation, &mut |expression| {
            for_each_subquery_mut(expression, &mut |subquery| inline_ctes(&mut subquery.relation, columns));
        });
    }
    let Relation::With { cte, definition, body } = Arc::make_mut(relation) else { return };
    let mut uses = Uses::default();
    uses.count(body, *cte, false);
    if uses.in_subqueries > 0 || uses.direct > 1 {
        return;
    }
    if uses.direct == 1 {
        let mut definition = Some(std::mem::replace(definition, Arc::new(crate::relation::visit::nothing())));
        put(body, *cte, &mut definition, columns);
    }
    let body = body.clone();
    *relation = body;
}

#[derive(Default)]
struct Uses {
    direct: usize,
    in_subqueries: usize,
}

impl Uses {
    fn count(&mut self, relation: &Relation, cte: CteId, in_subquery: bool) {
        if matches!(relation, Relation::CteScan { cte: used, .. } if *used == cte) {
            *(if in_subquery { &mut self.in_subqueries } else { &mut self.direct }) += 1;
        }
        for_each_input(relation, &mut |input| self.count(input, cte, in_subquery));
        for_each_expression(relation, &mut |expression| {
            for_each_subquery(expression, &mut |subquery| self.count(&subquery.relation, cte, true));
        });
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
