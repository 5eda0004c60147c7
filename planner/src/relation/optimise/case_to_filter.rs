//! Aggregates of a CASE with one arm go over the rows of that arm alone.
//!
//! ```text
//! sum(CASE WHEN c THEN x END)                        =  sum(x) FILTER (WHERE c)
//! sum(CASE WHEN c THEN x END) FILTER (WHERE f)       =  sum(x) FILTER (WHERE f AND c)
//! ```
//!
//! Rows of other groups of the same sums are masked then, where a CASE would be made for each: values and NULLs, to be left out again.
//!
//! Which aggregates: those that leave NULLs out, in whatever order rows come; DISTINCT, too. NULLs: a CASE takes its arm, and FILTER a row,
//! where the condition is TRUE. Errors: c is evaluated for the rows that f lets pass, x for those that both do, as before. It runs
//! last: passes before it know more of arguments than of filters.

use crate::function::Function;
use crate::relation::visit::{for_each_below_mut, has_subquery};
use crate::relation::{AggregateCall, AggregateFunction, Expression, ExpressionKind, Relation};
use crate::value::Value;
use std::sync::Arc;

/// Makes filters of such cases, in a tree and its subqueries.
pub(super) fn make_cases_filters(relation: &mut Arc<Relation>) {
    let relation = Arc::make_mut(relation);
    for_each_below_mut(relation, &mut make_cases_filters);
    if let Relation::Aggregate { aggregates, .. } = relation {
        aggregates.iter_mut().for_each(|(_, call)| filter(call));
    }
}

fn filter(call: &mut AggregateCall) {
    let Some((condition, value)) = call.argument.as_ref().filter(|_| leaves_nulls_out(call.function)).and_then(arm)
    else {
        return;
    };
    let conditions = call.filter.take().into_iter().chain([condition.clone()]);
    let value = value.clone();
    call.filter = Some(Expression::and(conditions.collect::<Vec<_>>()));
    call.argument = Some(value);
}

fn leaves_nulls_out(function: AggregateFunction) -> bool {
    use AggregateFunction as A;
    matches!(function, A::Count | A::Sum | A::Average | A::Min | A::Max | A::BoolAnd | A::BoolOr)
}

/// The condition and the value of the only arm of a CASE that is NULL otherwise.
fn arm(case: &Expression) -> Option<(&Expression, &Expression)> {
    let ExpressionKind::Call(Function::Case, arguments) = &case.kind else { return None };
    let [condition, value, otherwise] = &arguments[..] else { return None };
    let is_null = matches!(otherwise.kind, ExpressionKind::Constant(Value::Null));
    (is_null && value.data_type == case.data_type && !has_subquery(case)).then_some((condition, value))
}
