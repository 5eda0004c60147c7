//! Pushes the disjunction of all consumers' conditions into a CTE. Each consumer keeps its own. Each keeps its own.
//!
//! ```text
//! With c = D in … (Filter p (CteScan c)) … (Filter q (CteScan c)) …
//!     =   With c = Filter (p or q) D in … (Filter p (CteScan c)) … (Filter q (CteScan c)) …
//! ```
//!
//! Only what reads nothing but the CTE's columns is asked so, and only where it drops a good part of the rows: it is asked once
//! more where they are used. A user without a condition wants all of them.
//!
//! NULLs: a Filter keeps what is TRUE, and what is TRUE for a user makes the disjunction TRUE. Errors: conditions that may fail
//! stay where they are.

use super::factor_or::{disjunction, factor_or};
use super::selectivity::selectivity;
use crate::relation::effects::is_pure;
use crate::relation::profile::Profiles;
use crate::relation::visit::{
    conjuncts, for_each_column, for_each_expression, for_each_input, for_each_subquery, has_subquery, substitute,
};
use crate::relation::{ColumnId, Columns, CteId, Expression, Relation};

/// Users that are looked at: a disjunction of more takes longer than it saves.
const USERS_MAX: usize = 8;

/// Share of the rows up to which it pays.
const SHARE_MAX: f64 = 0.5;

/// The conditions, over the columns of the definition, without which no row of a CTE is used in its body.
pub(super) fn demanded(cte: CteId, body: &Relation, profiles: &Profiles, columns: &Columns) -> Vec<Expression> {
    let mut users = Users { cte, columns, asked: Vec::new(), all: false };
    users.visit(body, &[]);
    if users.all || users.asked.is_empty() || users.asked.len() > USERS_MAX {
        return Vec::new();
    }
    let demanded = factor_or(disjunction(users.asked));
    if selectivity(&demanded, profiles) > SHARE_MAX { Vec::new() } else { demanded }
}

struct Users<'c> {
    cte: CteId,
    columns: &'c Columns,
    /// What each asks.
    asked: Vec<Expression>,
    /// Whether one wants all rows.
    all: bool,
}

impl Users<'_> {
    /// Looks at a tree that stands below a filter of these conditions.
    fn visit(&mut self, relation: &Relation, filter: &[&Expression]) {
        match relation {
            Relation::CteScan { cte, columns } if *cte == self.cte => self.user(columns, filter),
            Relation::Filter { input, predicate } => self.visit(input, &conjuncts(predicate)),
            _ => for_each_input(relation, &mut |input| self.visit(input, &[])),
        }
        for_each_expression(relation, &mut |expression| {
            for_each_subquery(expression, &mut |subquery| self.visit(&subquery.relation, &[]));
        });
    }

    fn user(&mut self, columns: &[(ColumnId, ColumnId)], filter: &[&Expression]) {
        let of_definition = |id: ColumnId| columns.iter().find(|(_, own)| *own == id).map(|(from, _)| *from);
        let reads_only_it = |predicate: &Expression| {
            let mut only = true;
            for_each_column(predicate, &mut |id| only &= of_definition(id).is_some());
            only
        };
        let asked = filter.iter().filter(|each| is_pure(each) && !has_subquery(each) && reads_only_it(each));
        let mut asked = Expression::and(asked.map(|&each| each.clone()));
        self.all |= conjuncts(&asked).is_empty();
        substitute(&mut asked, &|id| of_definition(id).map(|from| self.columns.reference(from)));
        self.asked.push(asked);
    }
}
