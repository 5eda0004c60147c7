//! Brings predicates to where the fewest rows see them, from the root down. Each operator takes the conjuncts
//! that come from above, hands on those that may cross it and keeps the rest in a Filter above itself.
//!
//! ```text
//! Filter p (Project (y = e) x)      =  Project (y = e) (Filter p[e/y] x)
//! Filter p (Aggregate by k x)       =  Aggregate by k (Filter p x)        p reads keys only, and there are keys
//! Filter p (Expand c x)             =  Expand c (Filter p x)              p does not read the position
//! Filter p (Distinct x)             =  Distinct (Filter p x)
//! Filter p (Sort x)                 =  Sort (Filter p x)
//! Filter p (Window by k x)          =  Window by k (Filter p x)           p reads what partitions share only
//! Filter p (a union b)              =  Filter p a union Filter p b        likewise the left of except, intersect
//! With c = d in x                   =  With c = Filter p d in x           p is what all users of c ask, see `cte_demand`
//!     … and in a LATERAL join, whose left side is c: With c = d in (c join x)  =  With c = Filter p d in (c join x), if p reads c
//! Filter p (Limit x)                   stays: another row would fill the limit
//! Filter p (Recursive x)               stays: a row that it drops may lead to one that it keeps
//! Filter p (a join b)                  see `crossing` for outer joins, `join_cluster` for the others
//! ```
//!
//! Errors: a predicate that may fail crosses only Project and Sort, whose input has the same rows; where only a subquery in it
//! may, which no row changes, the others by speculation. Volatile ones cross nothing. A correlated predicate crosses Project and Sort, too, and nothing else: if it entered a join's
//! build side or an aggregate's input, these would have to be computed for each outer row, while above them it is
//! a key that Conditional Reduce finds.

use super::crossing::{Side, may_cross_from_above, may_cross_from_on};
use super::cte_demand::demanded;
use super::derive_predicates::{contradicts, copies_for};
use super::factor_or::factor_or;
use super::join_cluster;
use super::simplify::simplify;
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::meter;
use crate::relation::column_set::ColumnSet;
use crate::relation::effects::{effects, effects_by_row};
use crate::relation::profile::Profiles;
use crate::relation::visit::{
    as_binary, as_column, for_each_column, for_each_column_in, for_each_subquery, has_subquery, substitute, take,
};
use crate::relation::{ColumnId, Columns, CteId, Expression, ExpressionKind, Relation, SetKind};
use crate::types::DataType;
use std::sync::Arc;

/// Nodes by which a predicate may grow as it crosses a projection, and levels that one may have that grows. Along a chain of
/// projections each of which computes something a predicate becomes as deep as the chain is long, or twice as large each time.
const GROWTH_MAX: usize = 256;
/// See [`GROWTH_MAX`].
const DEPTH_MAX: usize = 64;

/// What placing a predicate at an operator takes, as [`meter::spend`] counts.
const PLACE_UNITS: usize = 1 << 10;

/// How many nodes an expression has, and how many levels.
fn size(expression: &Expression) -> (usize, usize) {
    let ExpressionKind::Call(_, arguments) = &expression.kind else { return (1, 1) };
    let all = arguments.iter().map(size);
    let (nodes, levels) = all.fold((0, 0), |all, one| (all.0 + one.0, one.1.max(all.1)));
    (nodes + 1, levels + 1)
}

/// What placing predicates needs to know.
pub(super) struct Placer<'a> {
    /// What is known of the columns.
    pub(super) profiles: &'a Profiles,
    /// Their names and types.
    pub(super) columns: &'a Columns,
    /// How many subqueries the tree stands in.
    pub(super) depth: u16,
    /// Whether scans have no columns but those that are read: then it is known how wide rows are.
    pub(super) pruned: bool,
}

impl Placer<'_> {
    /// The rows of `relation` that pass all of `predicates`, each tested as early as may be.
    pub(super) fn place(&self, relation: Relation, mut predicates: Vec<Expression>) -> Relation {
        // Where nobody wants the plan any more, it is one at once.
        if !meter::goes_on(PLACE_UNITS * (predicates.len() + 1)) {
            return self.filter(relation, predicates);
        }
        match relation {
            Relation::Filter { input, predicate } => {
                let mut all: Vec<Expression> = predicate.into_conjuncts().into_iter().flat_map(factor_or).collect();
                all.append(&mut predicates);
                self.place(take(input), all)
            }
            Relation::Project { input, columns } => self.place_project(take(input), columns, predicates),
            Relation::Sort { input, keys } => {
                let (below, above) = split(predicates, |predicate| !effects(predicate).volatile);
                let input = Arc::new(self.place(take(input), below));
                self.filter(Relation::Sort { input, keys }, above)
            }
            // What only reads the input's columns is so for all copies of a row or for none.
            Relation::Expand { input, count, position } => {
                let made: ColumnSet = input.columns().into_iter().collect();
                let (below, above) = split(predicates, |predicate| covers(&made, predicate) && self.is_free(predicate));
                let input = Arc::new(self.place(take(input), below));
                if is_empty(&input) {
                    return empty(input.columns().into_iter().chain([position]).collect());
                }
                self.filter(Relation::Expand { input, count, position }, above)
            }
            Relation::Distinct { input } => {
                let (below, above) = split(predicates, |predicate| self.is_free(predicate));
                let input = Arc::new(self.place(take(input), below));
                self.filter(Relation::Distinct { input }, above)
            }
            Relation::Aggregate { input, keys, aggregates } => {
                let (mut below, above) = split(predicates, |predicate| self.reads_keys_only(predicate, &keys));
                substitute_all(&mut below, &keys);
                let input = Arc::new(self.place(take(input), below));
                if is_empty(&input) && !keys.is_empty() {
                    return empty(keys.iter().map(|(id, _)| *id).chain(aggregates.iter().map(|(id, _)| *id)).collect());
                }
                self.filter(Relation::Aggregate { input, keys, aggregates }, above)
            }
            Relation::Window { input, partition, order, functions } => {
                let columns: Vec<ColumnId> =
                    partition.iter().filter_map(as_column).filter(|id| self.is_plain(*id)).collect();
                let (below, above) = split(predicates, |predicate| self.reads_only(predicate, &columns));
                let input = Arc::new(self.place(take(input), below));
                self.filter(Relation::Window { input, partition, order, functions }, above)
            }
            Relation::Recursive { cte, columns, all, seed, step, enough, last } => {
                let seed = (Arc::new(self.place(take(seed.0), Vec::new())), seed.1);
                let step = (Arc::new(self.place(take(step.0), Vec::new())), step.1);
                self.filter(Relation::Recursive { cte, columns, all, seed, step, enough, last }, predicates)
            }
            Relation::Limit { input, limit, offset } => {
                let input = Arc::new(self.place(take(input), Vec::new()));
                self.filter(Relation::Limit { input, limit, offset }, predicates)
            }
            Relation::SetOperation { .. } => self.place_set_operation(relation, predicates),
            Relation::With { cte, definition, body } => self.place_with(cte, definition, body, predicates),
            Relation::Join { .. } => join_cluster::place_join(self, relation, predicates),
            Relation::Scan { .. } | Relation::Values { .. } | Relation::CteScan { .. } => {
                self.filter(relation, predicates)
            }
        }
    }

    fn place_with(
        &self,
        cte: CteId,
        definition: Arc<Relation>,
        body: Arc<Relation>,
        predicates: Vec<Expression>,
    ) -> Relation {
        let (mut wanted, predicates) = self.split_lateral(cte, &body, predicates);
        let body = Arc::new(self.place(take(body), predicates));
        wanted.extend(demanded(cte, &body, self.profiles, self.columns));
        let definition = Arc::new(self.place(take(definition), wanted));
        Relation::With { cte, definition, body }
    }

    /// Of predicates above a LATERAL join (`builder/lateral`) those that read its left side alone, of that side's definition, and the
    /// others. What is computed of the distinct values of rows that do not pass is joined with no row.
    fn split_lateral(
        &self,
        cte: CteId,
        body: &Relation,
        predicates: Vec<Expression>,
    ) -> (Vec<Expression>, Vec<Expression>) {
        let Relation::Join { kind: JoinKind::Inner | JoinKind::Left, left, .. } = body else {
            return (Vec::new(), predicates);
        };
        let Relation::Project { input, columns } = &**left else { return (Vec::new(), predicates) };
        let defined: Vec<(ColumnId, ColumnId)> = match &**input {
            Relation::CteScan { cte: scanned, columns: own } if *scanned == cte && self.columns.is_lateral(cte) => {
                let of = |(id, value): &(ColumnId, Expression)| {
                    let read = as_column(value)?;
                    own.iter().find(|(_, own)| *own == read).map(|(from, _)| (*id, *from))
                };
                columns.iter().filter_map(of).collect()
            }
            _ => return (Vec::new(), predicates),
        };
        let left: ColumnSet = defined.iter().map(|(id, _)| *id).collect();
        let (mut below, above) = split(predicates, |each| effects(each).is_pure() && covers(&left, each));
        for predicate in &mut below {
            substitute(predicate, &|id| {
                defined.iter().find(|(own, _)| *own == id).map(|(_, from)| self.columns.reference(*from))
            });
        }
        (below, above)
    }

    fn place_project(
        &self,
        input: Relation,
        columns: Vec<(ColumnId, Expression)>,
        predicates: Vec<Expression>,
    ) -> Relation {
        let copied = |id: ColumnId| {
            columns.iter().find(|(made, _)| *made == id).is_none_or(|(_, value)| {
                as_column(value).is_some() || (!effects(value).volatile && !has_subquery(value))
            })
        };
        let grows =
            |id: ColumnId| columns.iter().find(|(made, _)| *made == id).map_or(0, |(_, value)| size(value).0 - 1);
        let (mut below, above) = split(predicates, |predicate| {
            let (mut crosses, mut growth) = (!effects(predicate).volatile, 0);
            for_each_column(predicate, &mut |id| {
                crosses &= copied(id);
                growth += grows(id);
            });
            crosses && (growth == 0 || (growth <= GROWTH_MAX && size(predicate).1 <= DEPTH_MAX))
        });
        substitute_all(&mut below, &columns);
        below.iter_mut().for_each(simplify);
        let below = below.into_iter().flat_map(Expression::into_conjuncts).collect();
        let input = self.place(input, below);
        if is_empty(&input) {
            return empty(columns.iter().map(|(id, _)| *id).collect());
        }
        self.filter(Relation::Project { input: Arc::new(input), columns }, above)
    }

    fn place_set_operation(&self, relation: Relation, predicates: Vec<Expression>) -> Relation {
        let Relation::SetOperation { kind, all, columns, left, right } = relation else { return relation };
        let (below, above) = split(predicates, |predicate| !has_subquery(predicate) && self.is_free(predicate));
        let side = |(input, from): (Arc<Relation>, Vec<ColumnId>), predicates: &[Expression]| {
            let mut predicates = predicates.to_vec();
            for predicate in &mut predicates {
                substitute(predicate, &|id| {
                    let at = columns.iter().position(|column| *column == id)?;
                    Some(self.columns.reference(from[at]))
                });
            }
            (Arc::new(self.place(take(input), predicates)), from)
        };
        // The right rows of INTERSECT and EXCEPT only say which left rows stay; equal rows may still differ in
        // what a predicate sees (0 and -0, '1 month' and '30 days'), so they are all kept.
        let right = side(right, if kind == SetKind::Union { &below } else { &[] });
        let left = side(left, &below);
        if is_empty(&left.0) && kind != SetKind::Union {
            return empty(columns);
        }
        self.filter(Relation::SetOperation { kind, all, columns, left, right }, above)
    }

    /// A left or full join that no predicate above turns into an inner one.
    pub(super) fn place_outer_join(&self, relation: Relation, predicates: Vec<Expression>) -> Relation {
        let Relation::Join { kind, left, right, on } = relation else { return relation };
        let left_columns: ColumnSet = left.columns().into_iter().collect();
        let right_columns: ColumnSet = right.columns().into_iter().collect();
        let reads_only = |predicate: &Expression, side: &ColumnSet| covers(side, predicate) && self.is_free(predicate);
        let (mut to_left, above) = split(predicates, |predicate| {
            may_cross_from_above(kind, Side::Left) && reads_only(predicate, &left_columns)
        });
        let (right_above, above) =
            split(above, |predicate| may_cross_from_above(kind, Side::Right) && reads_only(predicate, &right_columns));
        let on = on.into_conjuncts();
        let (mut to_right, on) =
            split(on, |conjunct| may_cross_from_on(kind, Side::Right) && reads_only(conjunct, &right_columns));
        let (on_left, on) =
            split(on, |conjunct| may_cross_from_on(kind, Side::Left) && reads_only(conjunct, &left_columns));
        to_left.extend(on_left);
        to_right.extend(right_above);
        // What holds for a left key holds for each right key that it may match.
        if kind != JoinKind::Full {
            for conjunct in &on {
                if let Some((a, b)) = equated_columns(conjunct) {
                    let (a, b) = if left_columns.contains(a) { (a, b) } else { (b, a) };
                    if left_columns.contains(a) && right_columns.contains(b) {
                        to_right.extend(copies_for(&to_left, a, b));
                    }
                }
            }
        }
        let left = Arc::new(self.place(take(left), to_left));
        let right = Arc::new(self.place(take(right), to_right));
        match kind {
            JoinKind::Anti if is_empty(&right) => return self.filter(take(left), above),
            JoinKind::Semi if is_empty(&right) || is_empty(&left) => return empty(left.columns()),
            JoinKind::Anti if is_empty(&left) => return empty(left.columns()),
            JoinKind::Left if is_empty(&left) => {
                return empty(left.columns().into_iter().chain(right.columns()).collect());
            }
            _ => {}
        }
        self.filter(Relation::Join { kind, left, right, on: Expression::and(on) }, above)
    }

    /// A Filter of these predicates: uncorrelated before correlated, pure before those that may fail. No rows if
    /// they contradict each other.
    pub(super) fn filter(&self, relation: Relation, predicates: Vec<Expression>) -> Relation {
        if predicates.is_empty() || is_empty(&relation) {
            return relation;
        }
        let (pure, effectful): (Vec<_>, Vec<_>) =
            predicates.into_iter().partition(|predicate| effects(predicate).is_pure());
        if contradicts(&pure) {
            return empty(relation.columns());
        }
        let (plain, costly): (Vec<_>, Vec<_>) = pure.into_iter().partition(|predicate| !self.is_correlated(predicate));
        filtered(relation, plain.into_iter().chain(costly).chain(effectful))
    }

    /// Whether a predicate may cross operators that change the number of rows. So ask last: it may speculate then, if nothing
    /// but a subquery can fail, which does so for all rows or for none.
    pub(super) fn is_free(&self, predicate: &Expression) -> bool {
        let all = effects(predicate);
        !self.is_correlated(predicate)
            && (all.is_pure() || effects_by_row(predicate).is_pure() && self.profiles.may_move(all))
    }

    /// Whether a predicate reads columns of an enclosing query, or holds a subquery that reads this one's.
    pub(super) fn is_correlated(&self, predicate: &Expression) -> bool {
        let mut correlated = false;
        for_each_column(predicate, &mut |id| correlated |= self.profiles.get(id).depth < self.depth);
        for_each_subquery(predicate, &mut |subquery| {
            for_each_column_in(&subquery.relation, &mut |id| {
                correlated |= self.profiles.get(id).depth <= self.depth;
            });
        });
        correlated
    }

    /// Whether a column's equal values are all alike: nothing tells 0 from -0, or 1.0 from 1.00.
    fn is_plain(&self, column: ColumnId) -> bool {
        let data_type = self.columns.get(column).data_type;
        let plain = data_type.is_integer() || data_type.is_decimal() || data_type.is_text();
        plain || matches!(data_type, DataType::Boolean | DataType::Date | DataType::Time | DataType::Timestamp)
    }

    /// Whether a predicate reads none of its own query's columns but these.
    fn reads_only(&self, predicate: &Expression, columns: &[ColumnId]) -> bool {
        let mut only = !columns.is_empty();
        for_each_column(predicate, &mut |id| {
            only &= self.profiles.get(id).depth != self.depth || columns.contains(&id);
        });
        only && self.is_free(predicate)
    }

    fn reads_keys_only(&self, predicate: &Expression, keys: &[(ColumnId, Expression)]) -> bool {
        let mut only = !keys.is_empty();
        for_each_column(predicate, &mut |id| {
            let own = self.profiles.get(id).depth == self.depth;
            let key = keys.iter().find(|(made, _)| *made == id);
            only &= !own || key.is_some_and(|(_, key)| !effects(key).volatile && !has_subquery(key));
        });
        only && self.is_free(predicate)
    }
}

/// A Filter of these predicates in this order; no Filter of none.
pub(super) fn filtered(relation: Relation, predicates: impl IntoIterator<Item = Expression>) -> Relation {
    let predicate = Expression::and(predicates);
    match &predicate.kind {
        ExpressionKind::Constant(value) if value.is_true() => relation,
        _ => Relation::Filter { input: Arc::new(relation), predicate },
    }
}

/// Those that cross and those that stay. Once one stays that is not pure, no other that is not pure passes it:
/// it would be evaluated for rows that the first one drops.
fn split(predicates: Vec<Expression>, crosses: impl Fn(&Expression) -> bool) -> (Vec<Expression>, Vec<Expression>) {
    let (mut below, mut above) = (Vec::new(), Vec::new());
    let mut guarded = false;
    for predicate in predicates {
        let pure = effects(&predicate).is_pure();
        if crosses(&predicate) && (pure || !guarded) {
            below.push(predicate);
        } else {
            // A pure predicate that stays guards as well: `x <> 0` before `1 / x`.
            guarded = true;
            above.push(predicate);
        }
    }
    (below, above)
}

fn substitute_all(predicates: &mut [Expression], made: &[(ColumnId, Expression)]) {
    for predicate in predicates {
        substitute(predicate, &|id| {
            made.iter()
                .find(|(column, value)| *column == id && as_column(value) != Some(id))
                .map(|(_, value)| value.clone())
        });
    }
}

/// Whether all columns of a predicate are in `columns`, and there is one.
fn covers(columns: &ColumnSet, predicate: &Expression) -> bool {
    let (mut all, mut any) = (true, false);
    for_each_column(predicate, &mut |id| {
        all &= columns.contains(id);
        any = true;
    });
    all && any && !has_subquery(predicate)
}

/// The two columns of `a = b`, if they have one type.
pub(super) fn equated_columns(conjunct: &Expression) -> Option<(ColumnId, ColumnId)> {
    let (a, b) = as_binary(conjunct, Function::Equal)?;
    let columns = (as_column(a)?, as_column(b)?);
    (a.data_type == b.data_type && columns.0 != columns.1).then_some(columns)
}

/// `a = b` of two columns of one type.
pub(super) fn equality(a: ColumnId, b: ColumnId, data_type: DataType) -> Expression {
    let sides = vec![Expression::column(a, data_type), Expression::column(b, data_type)];
    Expression::call(Function::Equal, sides, DataType::Boolean)
}

/// A relation of these columns without rows.
pub(super) fn empty(columns: Vec<ColumnId>) -> Relation {
    Relation::Values { columns, rows: Vec::new() }
}

/// Whether a relation is known to have no rows.
pub(super) fn is_empty(relation: &Relation) -> bool {
    matches!(relation, Relation::Values { rows, .. } if rows.is_empty())
}
