//! Groups of one row each: by a key that is unique, a group is its row, and an aggregate a function of its argument.
//!
//! ```text
//! Aggregate by k: count(*), count(x), sum(x), min(y)  =  Project k, 1, CASE WHEN x IS NOT NULL …, x, y   if k is unique below
//! ```
//!
//! Types: a sum and an average are cast to theirs, which hold every value of the argument's. Floats and intervals stay groups:
//! of those that are equal a key shows one, and the sum of -0 is 0. Errors: a projection is evaluated for rows that are read, so
//! for fewer, never for more. It runs when joins have their order and their kinds, from which uniqueness is proven.

use crate::function::Function;
use crate::relation::column_set::ColumnSet;
use crate::relation::expression::{AggregateCall, AggregateFunction};
use crate::relation::unique::is_unique;
use crate::relation::visit::{as_column, for_each_below_mut, rewrite};
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// Makes projections of such groups in a tree and its subqueries.
pub(super) fn project_single_row_groups(relation: &mut Arc<Relation>) {
    if matches!(&**relation, Relation::Aggregate { .. }) {
        rewrite(relation, |relation| projected(&relation).unwrap_or(relation));
    }
    for_each_below_mut(Arc::make_mut(relation), &mut project_single_row_groups);
}

/// The projection that an aggregation is, if its groups have one row each.
fn projected(relation: &Relation) -> Option<Relation> {
    let Relation::Aggregate { input, keys, aggregates } = relation else { return None };
    let unique: ColumnSet = keys.iter().filter_map(|(_, key)| as_column(key)).collect();
    // Of one row at most nothing is gained, and without a key there is a group of no rows.
    let is_small = is_unique(input, &ColumnSet::default());
    if is_small || !keys.iter().all(|(_, key)| is_told(key.data_type)) || !is_unique(input, &unique) {
        return None;
    }
    let values = aggregates.iter().map(|(id, call)| Some((*id, of_one_row(call)?)));
    let values: Vec<(ColumnId, Expression)> = values.collect::<Option<_>>()?;
    let columns = keys.iter().cloned().chain(values).collect();
    Some(Relation::Project { input: Arc::clone(input), columns })
}

/// Whether equal values look alike.
fn is_told(data_type: DataType) -> bool {
    !data_type.is_float() && data_type != DataType::Interval
}

/// What an aggregate gives of one row.
fn of_one_row(call: &AggregateCall) -> Option<Expression> {
    use AggregateFunction as A;
    if call.filter.is_some() {
        return None;
    }
    let count = |count| Expression::constant(Value::Int(count), DataType::BigInt);
    let Some(argument) = call.argument.clone() else {
        return (call.function == A::CountRows).then(|| count(1));
    };
    let from = argument.data_type;
    match call.function {
        A::CountRows => Some(count(1)),
        A::Count => {
            let there = Expression::call(Function::IsNotNull, vec![argument], DataType::Boolean);
            Some(Expression::call(Function::Case, vec![there, count(1), count(0)], DataType::BigInt))
        }
        A::Average if call.data_type == DataType::Numeric => {
            Some(Expression::call(Function::Average, vec![argument, count(1)], DataType::Numeric))
        }
        A::Sum | A::Average if holds(call.data_type, from) => Some(cast(argument, call.data_type)),
        A::Min | A::Max | A::BoolAnd | A::BoolOr if is_told(from) => Some(cast(argument, call.data_type)),
        _ => None,
    }
}

/// Whether a type of numbers has every value of another.
fn holds(to: DataType, from: DataType) -> bool {
    let digits = |data_type: DataType| match data_type {
        DataType::SmallInt => Some((5, 0)),
        DataType::Integer => Some((10, 0)),
        DataType::BigInt => Some((19, 0)),
        DataType::Decimal { precision, scale } => Some((i32::from(precision) - i32::from(scale), i32::from(scale))),
        _ => None,
    };
    match (digits(to), digits(from)) {
        (Some((digits, scale)), Some((whole, fraction))) => whole <= digits && fraction <= scale,
        _ => false,
    }
}

fn cast(value: Expression, to: DataType) -> Expression {
    if value.data_type == to { value } else { Expression::call(Function::Cast, vec![value], to) }
}
