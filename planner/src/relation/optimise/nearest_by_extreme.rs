//! The first row of a window over rows in a range is found by the extreme of its order, not by putting all pairs in order.
//!
//! ```text
//! Filter n = 1 (Window n = row_number() partition d.*, order r.s desc, … (D join R on p and r.s < d.b))   =
//! Filter n = 1 (Window n = row_number() partition d.*, order r.s desc, … (D' join R on p and r.s = d'.best))
//!     D' = Project d.*, best = (select max(r.s) from R where p and r.s < d.b) (D)
//! ```
//!
//! `LEFT JOIN LATERAL (SELECT … WHERE r.k = d.k AND r.s < d.b ORDER BY r.s DESC LIMIT 1)`, the latest row before a date, is this: each
//! row of D would be paired with all rows before its date. The extreme of a range needs no pairs, where it is found by search among rows
//! in order, or one pass over them (both are ways of the executor to answer such a subquery). What is joined then are the rows at the
//! extreme, and further keys of the order decide between these as before.
//!
//! When: one comparison is of `r.s` itself, for which rows in a range are many, as far as estimates tell (of a few that each row finds
//! a window is as fast); the range's other side, and all else that the condition reads of D, are keys of the partition, so that
//! one extreme is that of all its rows. R is a scan with filters and projections, and is there twice then: a join in the subquery could
//! be made for each row that asks.
//!
//! NULLs: a row of which `s` is NULL does not pass the comparison; of no rows the extreme is NULL, which equals nothing. NaN and -0
//! are equal to themselves and to 0, for the aggregate, the order and the comparison. Errors: nothing that is read twice or
//! more often may fail, or is volatile.

use super::estimate::rows;
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::effects::{effects, relation_effects};
use crate::relation::profile::Profiles;
use crate::relation::visit::{
    as_binary, as_column, conjuncts, for_each_below_mut, for_each_column, has_subquery, substitute, substitute_in,
};
use crate::relation::{
    AggregateCall, AggregateFunction, ColumnId, Columns, Expression, ExpressionKind, Relation, SortKey, Subquery,
    SubqueryKind, WindowCallee,
};
use crate::types::DataType;
use crate::value::Value;
use crate::window::WindowFunction;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Pairs for each row, on average, from which on they are too many to be put in order.
const PAIRS_EACH: f64 = 8.0;

/// Looks the first rows up by their extremes, in a tree and its subqueries.
pub(super) fn find_nearest_by_extreme(
    relation: &mut Arc<Relation>,
    depth: u16,
    profiles: &mut Profiles,
    columns: &mut Columns,
) {
    for_each_below_mut(Arc::make_mut(relation), &mut |below| {
        find_nearest_by_extreme(below, depth, profiles, columns);
    });
    if let Some(joined) = first_of_window(relation).and_then(|first| nearest(&first, profiles, columns)) {
        profiles.extend(&joined, columns, depth);
        put(relation, joined);
    }
}

/// A window of which the first row of each partition is asked for, over a join.
struct First<'r> {
    partition: &'r [Expression],
    order: SortKey,
    join: &'r Relation,
}

/// The join of such a window, and its first key in the join's columns.
fn first_of_window(relation: &Relation) -> Option<First<'_>> {
    let Relation::Filter { input, predicate } = relation else { return None };
    let Relation::Window { input, partition, order, functions } = &**input else { return None };
    let [(number, call)] = &functions[..] else { return None };
    let is_first = |conjunct: &&Expression| match as_binary(conjunct, Function::Equal) {
        Some((a, b)) => as_column(a) == Some(*number) && matches!(b.kind, ExpressionKind::Constant(Value::Int(1))),
        None => false,
    };
    conjuncts(predicate).iter().find(|conjunct| is_first(conjunct))?;
    if !matches!(call.callee, WindowCallee::Function(WindowFunction::RowNumber, ..)) {
        return None;
    }
    let mut order = order.first()?.clone();
    let join = match &**input {
        Relation::Project { input, columns } => {
            let value = |id: ColumnId| columns.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone());
            substitute(&mut order.expression, &value);
            // Keys of the partition are handed through.
            let handed = |key: &Expression| as_column(key).is_some_and(|id| value(id).as_ref() == Some(key));
            if !partition.iter().all(handed) {
                return None;
            }
            input
        }
        _ => input,
    };
    Some(First { partition, order, join })
}

/// The join with the rows at the extreme alone, if it is better.
fn nearest(first: &First<'_>, profiles: &Profiles, columns: &mut Columns) -> Option<Relation> {
    let Relation::Join { kind: JoinKind::Inner, left, right, on } = first.join else { return None };
    let partition: ColumnSet = first.partition.iter().map(as_column).collect::<Option<Vec<_>>>()?.into_iter().collect();
    let made = |side: &Relation| -> ColumnSet { side.columns().into_iter().collect() };
    let has_partition =
        |side: &Relation| first.partition.iter().filter_map(as_column).all(|id| made(side).contains(id));
    let (asks, of, asks_left) = match (has_partition(left), has_partition(right)) {
        (true, false) => (left, right, true),
        (false, true) => (right, left, false),
        _ => return None,
    };
    let key = &first.order.expression;
    let (own, asked) = (made(of), made(asks));
    let parts = conjuncts(on);
    let range = parts.iter().position(|part| is_range(part, key, &asked))?;
    let reads_right = |part: &&Expression| {
        let mut fits = true;
        for_each_column(part, &mut |id| fits &= own.contains(id) || partition.contains(id) || !asked.contains(id));
        fits
    };
    let is_safe = |part: &&Expression| effects(part).is_pure() && !has_subquery(part);
    let is_own = columns_of(key).iter().all(|id| own.contains(*id)) && effects(key).is_pure() && !has_subquery(key);
    let many = rows(first.join, profiles) >= PAIRS_EACH * rows(asks, profiles).max(1.0);
    if !has_extreme(key.data_type)
        || !is_own
        || !parts.iter().all(|part| reads_right(part) && is_safe(part))
        || !relation_effects(of).is_pure()
        || !many
    {
        return None;
    }
    let (best, subquery) = extreme(of, &first.order, on, columns)?;
    let handed = asks.columns().into_iter().map(|id| (id, columns.reference(id)));
    let made = handed.chain([(best, subquery)]).collect();
    let asks = Arc::new(Relation::Project { input: Arc::clone(asks), columns: made });
    let others = parts.iter().enumerate().filter(|(at, _)| *at != range).map(|(_, part)| (*part).clone());
    let sides = vec![key.clone(), columns.reference(best)];
    let on = Expression::and(others.chain([Expression::call(Function::Equal, sides, DataType::Boolean)]));
    let (left, right) = if asks_left { (asks, Arc::clone(of)) } else { (Arc::clone(of), asks) };
    Some(Relation::Join { kind: JoinKind::Inner, left, right, on })
}

/// Whether the extreme of values of a type is one that equals it, and comes first in their order.
fn has_extreme(data_type: DataType) -> bool {
    use DataType as D;
    matches!(data_type, D::SmallInt | D::Integer | D::BigInt | D::Real | D::Double | D::Decimal { .. } | D::Numeric)
        || matches!(data_type, D::Text | D::Varchar(_) | D::Date | D::Time | D::Timestamp | D::TimestampTz)
}

fn columns_of(expression: &Expression) -> Vec<ColumnId> {
    let mut found = Vec::new();
    for_each_column(expression, &mut |id| found.push(id));
    found
}

/// Whether a condition bounds a key by what the rows that ask have.
fn is_range(part: &Expression, key: &Expression, asked: &ColumnSet) -> bool {
    use Function as F;
    let ExpressionKind::Call(F::Less | F::LessEqual | F::Greater | F::GreaterEqual, arguments) = &part.kind else {
        return false;
    };
    let bounds = |bound: &Expression| {
        let read = columns_of(bound);
        !read.is_empty() && read.iter().all(|id| asked.contains(*id))
    };
    matches!(&arguments[..], [a, b] if (a == key && bounds(b)) || (b == key && bounds(a)))
}

/// A column for the extreme, and the subquery that it is the value of.
fn extreme(of: &Relation, order: &SortKey, on: &Expression, columns: &mut Columns) -> Option<(ColumnId, Expression)> {
    let data_type = order.expression.data_type;
    let (input, renamed) = copied(of, columns)?;
    let new = |id: ColumnId| renamed.get(&id).map(|new| columns.reference(*new));
    let (mut argument, mut predicate) = (order.expression.clone(), on.clone());
    substitute(&mut argument, &new);
    substitute(&mut predicate, &new);
    let function = if order.order.descending { AggregateFunction::Max } else { AggregateFunction::Min };
    let call = AggregateCall { function, argument: Some(argument), distinct: false, filter: None, data_type };
    let input = Arc::new(Relation::Filter { input, predicate });
    let (value, best) = (columns.add("extreme", data_type, true), columns.add("best", data_type, true));
    let relation = Arc::new(Relation::Aggregate { input, keys: Vec::new(), aggregates: vec![(value, call)] });
    let subquery = Subquery { kind: SubqueryKind::Scalar(value), relation };
    Some((best, Expression::new(ExpressionKind::Subquery(Box::new(subquery)), data_type)))
}

/// The same rows with columns of their own, and which these are; none of rows that cannot be there twice.
fn copied(relation: &Relation, columns: &mut Columns) -> Option<(Arc<Relation>, FxHashMap<ColumnId, ColumnId>)> {
    let mut renamed = FxHashMap::default();
    rename(relation, columns, &mut renamed)?;
    let mut copy = Arc::new(relation.clone());
    substitute_in(&mut copy, &|id| renamed.get(&id).map(|new| columns.reference(*new)));
    define(&mut copy, &renamed);
    Some((copy, renamed))
}

/// Gives a new column for each that is made.
fn rename(relation: &Relation, columns: &mut Columns, renamed: &mut FxHashMap<ColumnId, ColumnId>) -> Option<()> {
    let mut add = |id: ColumnId| {
        let column = columns.get(id).clone();
        renamed.entry(id).or_insert_with(|| columns.add(column.name, column.data_type, column.nullable));
    };
    match relation {
        Relation::Scan { columns: made, .. } => made.iter().for_each(|(_, id)| add(*id)),
        Relation::Project { input, columns: made } => {
            made.iter().for_each(|(id, _)| add(*id));
            rename(input, columns, renamed)?;
        }
        Relation::Filter { input, .. } => rename(input, columns, renamed)?,
        _ => return None,
    }
    (!relation.expressions().into_iter().any(has_subquery)).then_some(())
}

/// Has a relation make the new columns.
fn define(relation: &mut Arc<Relation>, renamed: &FxHashMap<ColumnId, ColumnId>) {
    let new = |id: &mut ColumnId| *id = renamed.get(id).copied().unwrap_or(*id);
    match Arc::make_mut(relation) {
        Relation::Scan { columns, .. } => columns.iter_mut().for_each(|(_, id)| new(id)),
        Relation::Project { input, columns } => {
            columns.iter_mut().for_each(|(id, _)| new(id));
            define(input, renamed);
        }
        Relation::Filter { input, .. } => define(input, renamed),
        _ => {}
    }
}

/// Puts a join in the place of the one of the window.
fn put(relation: &mut Arc<Relation>, joined: Relation) {
    let Relation::Filter { input, .. } = Arc::make_mut(relation) else { return };
    let Relation::Window { input, .. } = Arc::make_mut(input) else { return };
    match Arc::make_mut(input) {
        Relation::Project { input, .. } => *input = Arc::new(joined),
        join => *join = joined,
    }
}
