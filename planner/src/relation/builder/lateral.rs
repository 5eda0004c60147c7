//! Joins of which the right side reads columns of the left: functions in FROM, and LATERAL subqueries.
//!
//! The left side moves into the right one, past what treats each row by itself, until nothing there reads it from
//! outside:
//!
//! ```text
//! L ⟕ Project e R              =  Project L, e (L ⟕ R)            likewise Filter, Expand
//! L ⟕ one row of no columns    =  L
//! L ⟕ (R inner join S)         =  (L ⟕ R) ⟕ S                     if R or S reads L
//! L ⟕ R                        =  L inner join R                  if R does not read L
//! L ⟕ Aggregate without keys   =  Project L, each aggregate as a scalar subquery
//! ```
//!
//! What treats rows together (groups, windows, LIMIT, DISTINCT, set operations) would mix those of several left rows. There the left
//! side is D, the distinct values that the right one reads, and D's columns are among the keys (T. Neumann and A.
//! Kemper, Unnesting Arbitrary Queries, BTW 2015); then both are joined by these, NULLs being equal. A left join goes
//! this way, too.
//!
//! Errors: what the right side computes is computed for the left rows that there are, as it was.

use super::expand::before;
use super::{Builder, FromItem, walk};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::visit::{for_each_column_in, substitute, substitute_in, take};
use crate::relation::{ColumnId, CteId, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// The columns of `left` that `right` reads.
pub(super) fn outer_columns(left: &Relation, right: &Relation) -> Vec<ColumnId> {
    let made: ColumnSet = left.columns().into_iter().collect();
    let mut read = Vec::new();
    for_each_column_in(right, &mut |id| {
        if made.contains(id) && !read.contains(&id) {
            read.push(id);
        }
    });
    read
}

/// Whether a relation is one row of no columns, or projections of it.
fn is_single(relation: &Relation) -> bool {
    match relation {
        Relation::Values { rows, .. } => rows.len() == 1,
        Relation::Project { input, .. } => is_single(input),
        _ => false,
    }
}

impl Builder<'_> {
    /// The inner join of rows with what is computed of each.
    pub(super) fn apply(&mut self, left: Arc<Relation>, right: Arc<Relation>) -> Result<Arc<Relation>> {
        if matches!(&*right, Relation::Values { columns, rows } if columns.is_empty() && rows.len() == 1) {
            return Ok(left);
        }
        if outer_columns(&left, &right).is_empty() {
            let on = Expression::boolean(true);
            return Ok(Arc::new(Relation::Join { kind: JoinKind::Inner, left, right, on }));
        }
        let kept: Vec<_> = left.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        Ok(Arc::new(match take(right) {
            Relation::Project { input, columns } => {
                let input = self.apply(left, input)?;
                Relation::Project { input, columns: kept.into_iter().chain(columns).collect() }
            }
            Relation::Filter { input, predicate } => Relation::Filter { input: self.apply(left, input)?, predicate },
            Relation::Expand { input, count, position } => {
                Relation::Expand { input: self.apply(left, input)?, count, position }
            }
            // A join forgets order.
            Relation::Sort { input, .. } => return self.apply(left, input),
            Relation::Values { columns, rows } => return self.apply_values(left, &columns, rows),
            Relation::Join { kind: JoinKind::Inner, left: first, right: second, on } => {
                let first = self.apply(left, first)?;
                let both = self.apply(first, second)?;
                Relation::Filter { input: both, predicate: on }
            }
            Relation::Join { kind: JoinKind::Left, left: first, right: second, on } => {
                let first = self.apply(left, first)?;
                return self.apply_outer(first, second, on);
            }
            Relation::Aggregate { input, keys, aggregates } if keys.is_empty() => {
                let mut columns = kept;
                for (id, call) in aggregates {
                    let data_type = call.data_type;
                    let input = Arc::clone(&input);
                    let made = self.columns.add(self.columns.get(id).name.clone(), data_type, true);
                    let alone = Relation::Aggregate { input, keys: Vec::new(), aggregates: vec![(made, call)] };
                    let subquery = Subquery { kind: SubqueryKind::Scalar(made), relation: Arc::new(alone) };
                    columns.push((id, Expression::new(ExpressionKind::Subquery(Box::new(subquery)), data_type)));
                }
                Relation::Project { input: left, columns }
            }
            together => {
                return self.apply_by_values(left, Arc::new(together), JoinKind::Inner, Expression::boolean(true));
            }
        }))
    }

    /// VALUES of which a row may read the left's: each left row as often as there are such rows.
    fn apply_values(
        &mut self,
        left: Arc<Relation>,
        columns: &[ColumnId],
        rows: Vec<Vec<Expression>>,
    ) -> Result<Arc<Relation>> {
        let kept: Vec<_> = left.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let big = DataType::BigInt;
        let number = |number: usize| Expression::constant(Value::Int(number as i64), big);
        let position = self.columns.add("position", big, false);
        let count = number(rows.len());
        let at = self.columns.reference(position);
        let mut made = kept;
        for (place, &column) in columns.iter().enumerate() {
            let data_type = self.columns.get(column).data_type;
            let mut cases = Vec::with_capacity(2 * rows.len());
            for (row, values) in rows.iter().enumerate() {
                cases.push(Expression::call(Function::Equal, vec![at.clone(), number(row)], DataType::Boolean));
                cases.push(values[place].clone());
            }
            cases.push(Expression::constant(Value::Null, data_type));
            made.push((column, Expression::call(Function::Case, cases, data_type)));
        }
        let input = Arc::new(Relation::Expand { input: left, count, position });
        Ok(Arc::new(Relation::Project { input, columns: made }))
    }

    /// The left join of rows with what is computed of each.
    pub(super) fn apply_outer(
        &mut self,
        left: Arc<Relation>,
        right: Arc<Relation>,
        on: Expression,
    ) -> Result<Arc<Relation>> {
        if outer_columns(&left, &right).is_empty() {
            return Ok(Arc::new(Relation::Join { kind: JoinKind::Left, left, right, on }));
        }
        let all = matches!(&on.kind, ExpressionKind::Constant(value) if value.is_true());
        // A function's rows: a row of none is there once, with NULLs.
        if all
            && let Relation::Project { input, columns } = &*right
            && let Relation::Expand { input: single, count, position } = &**input
            && is_single(single)
        {
            let kept: Vec<_> = left.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
            let big = DataType::BigInt;
            let input = self.apply(left, Arc::clone(single))?;
            let counted = self.columns.add("count", big, true);
            let mut given: Vec<_> = input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
            given.push((counted, count.clone()));
            let input = Arc::new(Relation::Project { input, columns: given });
            let counted = self.columns.reference(counted);
            let one = Expression::constant(Value::Int(1), big);
            let count = Expression::call(Function::Greatest, vec![counted.clone(), one], big);
            let input = Arc::new(Relation::Expand { input, count, position: *position });
            let at = self.columns.reference(*position);
            let values = columns.iter().map(|(id, value)| (*id, before(&at, counted.clone(), value.clone())));
            let columns = kept.into_iter().chain(values).collect();
            return Ok(Arc::new(Relation::Project { input, columns }));
        }
        self.apply_by_values(left, right, JoinKind::Left, on)
    }

    /// The join by way of the distinct values that the right side reads.
    fn apply_by_values(
        &mut self,
        left: Arc<Relation>,
        right: Arc<Relation>,
        kind: JoinKind,
        on: Expression,
    ) -> Result<Arc<Relation>> {
        let outer = outer_columns(&left, &right);
        let whole = left.columns();
        let (definition, scans) = self.shared_twice(left, &whole);
        let [ours, theirs] = scans;
        // The left rows as they were.
        let cte = self.next_shared();
        self.columns.note_lateral(cte);
        let rows = Arc::new(Relation::CteScan { cte, columns: ours.1 });
        let back = whole.iter().zip(&ours.0).map(|(old, new)| (*old, self.columns.reference(*new)));
        let rows = Arc::new(Relation::Project { input: rows, columns: back.collect() });
        // The distinct values, under names of their own.
        let scan = Arc::new(Relation::CteScan { cte, columns: theirs.1 });
        let of = |id: &ColumnId| whole.iter().position(|known| known == id).map(|at| theirs.0[at]);
        let values: Vec<(ColumnId, ColumnId)> = outer.iter().filter_map(|id| Some((*id, of(id)?))).collect();
        let columns = values.iter().map(|(_, value)| (*value, self.columns.reference(*value))).collect();
        let distinct = Arc::new(Relation::Project { input: scan, columns });
        let distinct = Arc::new(Relation::Distinct { input: distinct });
        let mut right = right;
        let renamed = |id: ColumnId| {
            let (_, value) = values.iter().find(|(old, _)| *old == id)?;
            Some(self.columns.reference(*value))
        };
        substitute_in(&mut right, &renamed);
        let computed = self.apply_to_values(distinct, right)?;
        let same = values.iter().map(|(old, value)| {
            let sides = vec![self.columns.reference(*old), self.columns.reference(*value)];
            Expression::call(Function::IsNotDistinct, sides, DataType::Boolean)
        });
        let on = Expression::and(same.chain([on]));
        let joined = Arc::new(Relation::Join { kind, left: rows, right: computed, on });
        Ok(Arc::new(Relation::With { cte, definition, body: joined }))
    }

    /// What is computed of each of some distinct rows, and these. Rows that are treated together are those of one of
    /// them.
    fn apply_to_values(&mut self, values: Arc<Relation>, right: Arc<Relation>) -> Result<Arc<Relation>> {
        let kept: Vec<_> = values.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let each = || kept.iter().map(|(_, value)| value.clone());
        Ok(match take(right) {
            Relation::Distinct { input } => Arc::new(Relation::Distinct { input: self.apply(values, input)? }),
            Relation::Aggregate { input, keys, aggregates } if !keys.is_empty() => {
                let input = self.apply(values, input)?;
                Arc::new(Relation::Aggregate { input, keys: kept.into_iter().chain(keys).collect(), aggregates })
            }
            Relation::SetOperation { kind, all, columns, left, right } => {
                let whole = values.columns();
                let (definition, scans) = self.shared_twice(values, &whole);
                let cte = self.next_shared();
                let mut sides = Vec::with_capacity(2);
                for ((ids, scanned), (mut rows, given)) in scans.into_iter().zip([left, right]) {
                    let renamed = |id: ColumnId| {
                        let at = whole.iter().position(|known| *known == id)?;
                        Some(self.columns.reference(ids[at]))
                    };
                    substitute_in(&mut rows, &renamed);
                    let scan = Arc::new(Relation::CteScan { cte, columns: scanned });
                    sides.push((self.apply(scan, rows)?, ids.into_iter().chain(given).collect::<Vec<_>>()));
                }
                let (Some(right), Some(left)) = (sides.pop(), sides.pop()) else {
                    return Err(Error::internal("a set operation without its sides"));
                };
                let columns = whole.into_iter().chain(columns).collect();
                let body = Arc::new(Relation::SetOperation { kind, all, columns, left, right });
                Arc::new(Relation::With { cte, definition, body })
            }
            Relation::Window { input, partition, order, functions } => {
                let input = self.apply(values, input)?;
                Arc::new(Relation::Window { input, partition: each().chain(partition).collect(), order, functions })
            }
            Relation::Limit { input, limit, offset } => {
                let (input, order) = match take(input) {
                    Relation::Sort { input, keys } => (input, keys),
                    unordered => (Arc::new(unordered), Vec::new()),
                };
                let input = self.apply(values, input)?;
                let (numbered, number) = self.numbered(input, each().collect(), order);
                self.filter(numbered, within(number, limit.as_ref(), offset.as_ref())?)
            }
            Relation::Recursive { last, .. } => {
                let what = if last.is_some() { "an iteration" } else { "WITH RECURSIVE" };
                let what = format!("{what} in a LATERAL subquery that reads other tables of FROM is");
                return Err(Error::unsupported(what));
            }
            Relation::With { cte, definition, body } => self.apply_with(values, cte, definition, body)?,
            Relation::Join { kind: kind @ (JoinKind::Full | JoinKind::Semi | JoinKind::Anti), left, right, on } => {
                self.apply_two_sided(values, kind, (left, right), on)?
            }
            rows => self.apply(values, Arc::new(rows))?,
        })
    }

    /// A join of which both sides are computed of each of some distinct rows, so that both have these rows' columns: a pair is of
    /// one of them.
    fn apply_two_sided(
        &mut self,
        values: Arc<Relation>,
        kind: JoinKind,
        (left, right): (Arc<Relation>, Arc<Relation>),
        mut on: Expression,
    ) -> Result<Arc<Relation>> {
        let whole = values.columns();
        let own: Vec<ColumnId> = match kind {
            JoinKind::Full => left.columns().into_iter().chain(right.columns()).collect(),
            _ => left.columns(),
        };
        let (definition, scans) = self.shared_twice(values, &whole);
        let cte = self.next_shared();
        let references = |builder: &Self, ids: &[ColumnId]| -> Vec<(ColumnId, Expression)> {
            whole.iter().zip(ids).map(|(old, new)| (*old, builder.columns.reference(*new))).collect()
        };
        let mut sides = Vec::with_capacity(2);
        for ((ids, scanned), mut rows) in scans.into_iter().zip([left, right]) {
            let renamed = references(self, &ids);
            let new = |id: ColumnId| renamed.iter().find(|(old, _)| *old == id).map(|(_, new)| new.clone());
            substitute_in(&mut rows, &new);
            if sides.is_empty() {
                substitute(&mut on, &new);
            }
            let scan = Arc::new(Relation::CteScan { cte, columns: scanned });
            sides.push((self.apply(scan, rows)?, renamed));
        }
        let (Some((right, of_right)), Some((left, of_left))) = (sides.pop(), sides.pop()) else {
            return Err(Error::internal("a join without its sides"));
        };
        let pairs = of_left.into_iter().zip(of_right);
        let mut columns = Vec::with_capacity(whole.len() + own.len());
        let mut same = Vec::with_capacity(whole.len());
        for ((old, first), (_, second)) in pairs {
            let both = vec![first.clone(), second];
            let data_type = first.data_type;
            columns.push((
                old,
                match kind {
                    JoinKind::Full => Expression::call(Function::Coalesce, both.clone(), data_type),
                    _ => first,
                },
            ));
            same.push(Expression::call(Function::IsNotDistinct, both, DataType::Boolean));
        }
        let on = Expression::and(same.into_iter().chain([on]));
        let joined = Arc::new(Relation::Join { kind, left, right, on });
        columns.extend(own.into_iter().map(|id| (id, self.columns.reference(id))));
        let body = Arc::new(Relation::Project { input: joined, columns });
        Ok(Arc::new(Relation::With { cte, definition, body }))
    }

    /// A query with a definition of its own: what this makes of each of some distinct rows has their columns, too, and its scans
    /// keep what is made of the row that they are for.
    fn apply_with(
        &mut self,
        values: Arc<Relation>,
        own: CteId,
        definition: Arc<Relation>,
        mut body: Arc<Relation>,
    ) -> Result<Arc<Relation>> {
        if outer_columns(&values, &definition).is_empty() {
            let body = self.apply(values, body)?;
            return Ok(Arc::new(Relation::With { cte: own, definition, body }));
        }
        let whole = values.columns();
        let (shared, [first, second]) = self.shared_twice(values, &whole);
        let cte = self.next_shared();
        let mut definition = definition;
        let renamed: Vec<_> =
            whole.iter().zip(&first.0).map(|(old, new)| (*old, self.columns.reference(*new))).collect();
        substitute_in(&mut definition, &|id| renamed.iter().find(|(old, _)| *old == id).map(|(_, new)| new.clone()));
        let scan = Arc::new(Relation::CteScan { cte, columns: first.1 });
        let definition = self.apply(scan, definition)?;
        walk::change_operators(&mut body, &mut |relation| {
            let Relation::CteScan { cte: scanned, columns } = &*relation else { return };
            if *scanned != own {
                return;
            }
            let (mut columns, mut same) = (columns.clone(), Vec::with_capacity(whole.len()));
            for (old, new) in whole.iter().zip(&first.0) {
                let column = self.columns.get(*new).clone();
                let here = self.columns.add(column.name, column.data_type, true);
                columns.push((*new, here));
                let sides = vec![self.columns.reference(here), self.columns.reference(*old)];
                same.push(Expression::call(Function::IsNotDistinct, sides, DataType::Boolean));
            }
            let input = Arc::new(Relation::CteScan { cte: own, columns });
            *relation = Relation::Filter { input, predicate: Expression::and(same) };
        });
        let scan = Arc::new(Relation::CteScan { cte, columns: second.1 });
        let back = whole.iter().zip(&second.0).map(|(old, new)| (*old, self.columns.reference(*new))).collect();
        let rows = Arc::new(Relation::Project { input: scan, columns: back });
        let body = self.apply(rows, body)?;
        let body = Arc::new(Relation::With { cte: own, definition, body });
        Ok(Arc::new(Relation::With { cte, definition: shared, body }))
    }

    /// A relation as a definition, and what two scans of it read: their new columns, and of which of the definition's.
    pub(super) fn shared_twice(&mut self, rows: Arc<Relation>, columns: &[ColumnId]) -> (Arc<Relation>, [Scanned; 2]) {
        let again = |builder: &mut Self, nullable: bool| -> Vec<ColumnId> {
            let new = |id: &ColumnId| {
                let column = builder.columns.get(*id).clone();
                builder.columns.add(column.name, column.data_type, nullable || column.nullable)
            };
            columns.iter().map(new).collect()
        };
        let defined = again(self, false);
        let (first, second) = (again(self, true), again(self, true));
        let renamed = defined.iter().zip(columns).map(|(new, old)| (*new, self.columns.reference(*old))).collect();
        let definition = Arc::new(Relation::Project { input: rows, columns: renamed });
        let scanned = |ids: Vec<ColumnId>| {
            let pairs = defined.iter().copied().zip(ids.iter().copied()).collect();
            (ids, pairs)
        };
        (definition, [scanned(first), scanned(second)])
    }
}

/// Whether a row of this number, from 1, is among those of a LIMIT and an OFFSET.
fn within(number: Expression, limit: Option<&Expression>, offset: Option<&Expression>) -> Result<Expression> {
    let constant = |rows: Option<&Expression>| match rows.map(|rows| &rows.kind) {
        None | Some(ExpressionKind::Constant(Value::Null)) => Ok(None),
        Some(ExpressionKind::Constant(Value::Int(rows))) => Ok(Some(*rows)),
        Some(_) => {
            Err(Error::unsupported("LIMIT of a parameter in a LATERAL subquery that reads other tables of FROM is"))
        }
    };
    let (limit, offset) = (constant(limit)?, constant(offset)?.unwrap_or(0));
    let compared = |function: Function, rows: i64| {
        let rows = Expression::constant(Value::Int(rows), DataType::BigInt);
        Expression::call(function, vec![number.clone(), rows], DataType::Boolean)
    };
    // Whoever asks for the first one alone has it found without an order (`narrow_first_rows`).
    if (limit, offset) == (Some(1), 0) {
        return Ok(compared(Function::Equal, 1));
    }
    let last = limit.map(|limit| compared(Function::LessEqual, offset.saturating_add(limit)));
    Ok(Expression::and([compared(Function::Greater, offset)].into_iter().chain(last)))
}

/// New columns, and each with the one that it is in a definition.
pub(super) type Scanned = (Vec<ColumnId>, Vec<(ColumnId, ColumnId)>);

impl FromItem {
    /// A table of the left side that the right one reads, if there is one.
    pub(super) fn outer_table(&self, right: &FromItem) -> Option<String> {
        let outer = outer_columns(&self.relation, &right.relation);
        let first = outer.first()?;
        let column = self.columns.iter().find(|column| column.id == *first);
        Some(column.and_then(|column| column.table.clone()).unwrap_or_default())
    }
}
