//! Subqueries that vary and depend on nothing around them: `(select random())` is one number a statement, not one a row.
//!
//! A nested block is evaluated wherever a row asks it. Rules move it out of the loop, but nothing volatile; so such a
//! subquery's rows are a let of the body (of the block that defines the CTEs which it reads), and the nested block goes
//! over them. A correlated one stays where it stands: once a row is right there.

use super::{Lowerer, Rows};
use crate::error::Result;
use crate::relation::effects::relation_effects;
use crate::relation::visit::{for_each_column_in, for_each_expression, for_each_input, for_each_subquery};
use crate::relation::{ColumnId, CteId, Relation};
use rustc_hash::FxHashSet;

/// Whether a subquery's rows vary from one evaluation to the next without anything around it that would explain that.
pub(super) fn is_once(relation: &Relation) -> bool {
    if !relation_effects(relation).volatile {
        return false;
    }
    let mut made = FxHashSet::default();
    for_each_relation(relation, &mut |each| made.extend(each.columns()));
    let mut inside = true;
    for_each_column_in(relation, &mut |id: ColumnId| inside &= made.contains(&id));
    inside
}

fn for_each_relation(relation: &Relation, visit: &mut dyn FnMut(&Relation)) {
    visit(relation);
    for_each_input(relation, &mut |input| for_each_relation(input, visit));
    for_each_expression(relation, &mut |expression| {
        for_each_subquery(expression, &mut |subquery| for_each_relation(&subquery.relation, visit));
    });
}

impl Lowerer<'_> {
    /// The rows of a subquery, to be read where the lowering stands.
    pub(super) fn subquery_rows(&mut self, relation: &Relation) -> Result<Rows> {
        if !is_once(relation) {
            return self.relation(relation);
        }
        let place: *const Relation = relation;
        if let Some(known) = self.once.get(&place) {
            return Ok(known.clone());
        }
        let mut scanned: Vec<CteId> = Vec::new();
        for_each_relation(relation, &mut |each| {
            if let Relation::CteScan { cte, .. } = each {
                scanned.push(*cte);
            }
        });
        let level = scanned.iter().filter_map(|cte| self.ctes.get(cte)).map(|(level, _)| *level).max().unwrap_or(0);
        let rows = self.at_level(level, |this| this.relation(relation))?;
        if level == 0 {
            self.once.insert(place, rows.clone());
        }
        Ok(rows)
    }

    /// Lowers something into the block that stands in so many others.
    fn at_level<T>(&mut self, level: usize, make: impl FnOnce(&mut Self) -> T) -> T {
        let mut blocks = std::mem::take(&mut self.around);
        blocks.push(std::mem::take(&mut self.lets));
        let inner = blocks.split_off(level + 1);
        self.lets = blocks.pop().unwrap_or_default();
        self.around = blocks;
        let made = make(self);
        let mut blocks = std::mem::take(&mut self.around);
        blocks.push(std::mem::take(&mut self.lets));
        blocks.extend(inner);
        self.lets = blocks.pop().unwrap_or_default();
        self.around = blocks;
        made
    }
}
