//! Recursions of which only the first rows are read: no more rounds are made than these take.
//!
//! ```text
//! Limit n (Filter p (Project e (Recursive r)))   =   Limit n (Filter p (Project e (Recursive r until n rows pass p)))
//! ```
//!
//! Likewise by way of a CTE, of which the scan must be the only one outside of the recursion. EXISTS asks for one row, a scalar subquery for two: a second one is an
//! error. What passes is a column more of the recursion, computed in each round, which nobody else reads. An operator that needs
//! all rows of its input (a sort, an aggregate, a join) asks for all of them, as it does in PostgreSQL.
//!
//! NULLs: a row passes where p is TRUE. Errors: rounds that are not made raise none; those that are made evaluate p for all of
//! their rows, behind the last that is needed, too. Row order: that of the recursion, whose first rows a Limit takes. What is
//! volatile, or reads columns of an enclosing query, is no condition here.

use crate::function::Function;
use crate::multiloop::{Enough, RowBound};
use crate::relation::effects::effects;
use crate::relation::visit::{
    for_each_column, for_each_expression, for_each_expression_mut, for_each_input, for_each_input_mut,
    for_each_subquery, for_each_subquery_mut, has_subquery, substitute, take,
};
use crate::relation::{
    ColumnId, Columns, CteId, Expression, ExpressionKind, Query, Relation, SetKind, Subquery, SubqueryKind,
};
use crate::types::DataType;
use std::sync::Arc;

/// Sees to it that recursions end where their readers have enough.
pub(super) fn limit_recursions(query: &mut Query) {
    let columns = &mut query.columns;
    if has_recursion(&query.relation) {
        limit(&mut query.relation, None, columns);
    }
}

fn has_recursion(relation: &Relation) -> bool {
    if matches!(relation, Relation::Recursive { .. }) {
        return true;
    }
    let mut found = false;
    for_each_input(relation, &mut |input| found |= has_recursion(input));
    for_each_expression(relation, &mut |expression| {
        for_each_subquery(expression, &mut |subquery| found |= has_recursion(&subquery.relation));
    });
    found
}

/// Goes over a tree of which so much is asked; without a demand, all of it.
fn limit(relation: &mut Arc<Relation>, demand: Option<Demand>, columns: &mut Columns) {
    let relation = Arc::make_mut(relation);
    for_each_expression_mut(relation, &mut |expression| {
        for_each_subquery_mut(expression, &mut |subquery| {
            let demand = of_subquery(subquery);
            limit(&mut subquery.relation, demand, columns);
        });
    });
    match relation {
        Relation::Recursive { last, .. } => {
            // Of a state that goes round it is not known which rows its last round has.
            if let Some(demand) = demand.filter(|_| last.is_none()) {
                annotate(relation, demand, columns);
            }
            for_each_input_mut(relation, &mut |input| limit(input, None, columns));
        }
        Relation::With { cte, definition, body } => {
            let mut uses = Uses { cte: *cte, count: 0, demand: None };
            uses.relation(body, demand.clone());
            let of_definition = if uses.count == 1 { uses.demand } else { None };
            limit(definition, of_definition, columns);
            limit(body, demand, columns);
        }
        Relation::Limit { input, limit: rows, offset } => {
            let demand = Demand::of_limit(rows.as_ref(), offset.as_ref());
            limit(input, demand, columns);
        }
        Relation::Project { input, columns: made } => {
            let demand = demand.and_then(|demand| below_project(demand, made));
            limit(input, demand, columns);
        }
        Relation::Filter { input, predicate } => {
            let demand = demand.and_then(|demand| with_predicate(demand, predicate));
            limit(input, demand, columns);
        }
        Relation::SetOperation { kind: SetKind::Union, all: true, left, right, .. } => {
            let demand = demand.filter(|demand| demand.predicates.is_empty());
            limit(&mut left.0, demand.clone(), columns);
            limit(&mut right.0, demand, columns);
        }
        other => for_each_input_mut(other, &mut |input| limit(input, None, columns)),
    }
}

/// How many rows are asked for, and which count.
#[derive(Clone)]
struct Demand {
    limit: RowBound,
    offset: RowBound,
    /// Conditions on the columns of the relation that is asked.
    predicates: Vec<Expression>,
}

impl Demand {
    fn rows(rows: u64) -> Option<Self> {
        Some(Demand { limit: RowBound::Rows(rows), offset: RowBound::All, predicates: Vec::new() })
    }

    fn of_limit(limit: Option<&Expression>, offset: Option<&Expression>) -> Option<Self> {
        let bound = |of: Option<&Expression>| of.map_or(Some(RowBound::All), Expression::row_bound);
        let limit = bound(limit)?;
        if limit == RowBound::All {
            return None;
        }
        Some(Demand { limit, offset: bound(offset)?, predicates: Vec::new() })
    }
}

/// The scans of a CTE.
struct Uses {
    cte: CteId,
    count: usize,
    /// What the last one that was found is asked for, by columns of the definition.
    demand: Option<Demand>,
}

impl Uses {
    fn relation(&mut self, relation: &Relation, demand: Option<Demand>) {
        for_each_expression(relation, &mut |expression| {
            for_each_subquery(expression, &mut |subquery| self.subquery(subquery));
        });
        match relation {
            Relation::CteScan { cte, columns } if *cte == self.cte => {
                self.count += 1;
                self.demand = demand.and_then(|demand| of_definition(demand, columns));
            }
            Relation::Limit { input, limit, offset } => {
                self.relation(input, Demand::of_limit(limit.as_ref(), offset.as_ref()));
            }
            Relation::Project { input, columns } => {
                self.relation(input, demand.and_then(|demand| below_project(demand, columns)));
            }
            Relation::Filter { input, predicate } => {
                self.relation(input, demand.and_then(|demand| with_predicate(demand, predicate)));
            }
            Relation::SetOperation { kind: SetKind::Union, all: true, left, right, .. } => {
                let demand = demand.filter(|demand| demand.predicates.is_empty());
                self.relation(&left.0, demand.clone());
                self.relation(&right.0, demand);
            }
            Relation::With { definition, body, .. } => {
                self.relation(definition, None);
                self.relation(body, demand);
            }
            other => for_each_input(other, &mut |input| self.relation(input, None)),
        }
    }

    fn subquery(&mut self, subquery: &Subquery) {
        self.relation(&subquery.relation, of_subquery(subquery));
    }
}

/// What a subquery asks of its rows.
fn of_subquery(subquery: &Subquery) -> Option<Demand> {
    match subquery.kind {
        SubqueryKind::Exists => Demand::rows(1),
        // A second one is an error.
        SubqueryKind::Scalar(_) => Demand::rows(2),
        SubqueryKind::Any(_) | SubqueryKind::All(_) => None,
    }
}

/// Conditions on what a projection makes, as those on its input.
fn below_project(mut demand: Demand, columns: &[(ColumnId, Expression)]) -> Option<Demand> {
    let is_plain = |value: &Expression| !effects(value).volatile && !has_subquery(value);
    for predicate in &mut demand.predicates {
        let mut plain = true;
        for_each_column(predicate, &mut |id| {
            plain &= columns.iter().find(|(made, _)| *made == id).is_none_or(|(_, value)| is_plain(value));
        });
        if !plain {
            return None;
        }
        substitute(predicate, &|id| columns.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone()));
    }
    Some(demand)
}

fn with_predicate(mut demand: Demand, predicate: &Expression) -> Option<Demand> {
    if effects(predicate).volatile || has_subquery(predicate) {
        return None;
    }
    demand.predicates.push(predicate.clone());
    Some(demand)
}

/// Conditions on what a scan makes, as those on columns of the definition; none if they read anything else.
fn of_definition(mut demand: Demand, columns: &[(ColumnId, ColumnId)]) -> Option<Demand> {
    let mut all_known = true;
    for predicate in &mut demand.predicates {
        for_each_column(predicate, &mut |id| all_known &= columns.iter().any(|(_, ours)| *ours == id));
        replace_columns(predicate, |id| columns.iter().find(|(_, ours)| *ours == id).map(|(theirs, _)| *theirs));
    }
    all_known.then_some(demand)
}

/// Puts other columns of the same types in the place of columns.
fn replace_columns(expression: &mut Expression, other: impl Fn(ColumnId) -> Option<ColumnId>) {
    let mut types = Vec::new();
    types_of_columns(expression, &mut types);
    substitute(expression, &|id| {
        let data_type = types.iter().find(|(known, _)| *known == id).map(|(_, data_type)| *data_type)?;
        other(id).map(|id| Expression::column(id, data_type))
    });
}

fn types_of_columns(expression: &Expression, types: &mut Vec<(ColumnId, DataType)>) {
    if let ExpressionKind::Column(id) = &expression.kind {
        types.push((*id, expression.data_type));
    }
    expression.children().into_iter().for_each(|child| types_of_columns(child, types));
}

/// Says in a recursion how many rows are needed.
fn annotate(relation: &mut Relation, demand: Demand, columns: &mut Columns) {
    let Relation::Recursive { columns: made, seed, step, enough, .. } = relation else { return };
    let Demand { limit, offset, predicates } = demand;
    let mut all_known = true;
    predicates.iter().for_each(|of| for_each_column(of, &mut |id| all_known &= made.contains(&id)));
    if !all_known {
        return;
    }
    let mut field = None;
    if !predicates.is_empty() {
        let passes = match <[Expression; 1]>::try_from(predicates) {
            Ok([only]) => only,
            Err(several) => Expression::call(Function::And, several, DataType::Boolean),
        };
        for side in [seed, step] {
            let mut of_side = passes.clone();
            replace_columns(&mut of_side, |id| made.iter().position(|column| *column == id).map(|at| side.1[at]));
            let id = columns.add("passes", DataType::Boolean, true);
            let mut projected: Vec<(ColumnId, Expression)> = Vec::new();
            for &column in &side.1 {
                if projected.iter().all(|(known, _)| *known != column) {
                    projected.push((column, columns.reference(column)));
                }
            }
            projected.push((id, of_side));
            side.1.push(id);
            let input = std::mem::replace(&mut side.0, Arc::new(crate::relation::visit::nothing()));
            side.0 = Arc::new(Relation::Project { input: Arc::new(take(input)), columns: projected });
        }
        field = Some(made.len() as u32);
        made.push(columns.add("passes", DataType::Boolean, true));
    }
    *enough = Some(Enough { limit, offset, field });
}
