//! Groups before it joins, where a join only adds columns that the group key determines: these are read once a
//! group, and not carried by every row. Source: invariant grouping (Chaudhuri and Shim, "Including group-by in query
//! optimization", 1994), a case of eager aggregation (Yan and Larson, 1995) that needs no second aggregation.
//!
//! ```text
//! Aggregate by k, D: a (X join d on x = d.u)  =  Project k, D, a ((Aggregate by x: a (X semi join d on x = d.u))
//!                                                                  join d on x = d.u)
//! ```
//!
//! k is x or d.u; D are expressions over the columns of d, called a dimension here; a reads columns of X only. A
//! dimension may have dimensions (a customer's nation), and there may be several of them (parts and suppliers).
//!
//! 1. *Flatten*: the inner joins below the Aggregate become inputs and conjuncts, as in `join_cluster`; semi and anti
//!    joins become tests. Equalities of columns become classes.
//! 2. *Dimensions* (`dimensions`): scans that nothing but equalities and group keys mentions, each reached by a unique
//!    column from a column that the group key determines.
//! 3. *Rebuild*: all else is aggregated, by the columns that reach the dimensions and the keys that are not theirs. The
//!    result is joined with them, placed and pruned again.
//!
//! Where the key has texts of a dimension and does not determine its row, groups are made in two steps, and the first is moved
//! (`stages`).
//!
//! Guard, and why:
//! * the columns that reach a dimension are unique in it, by the statistics of the snapshot: two suppliers of one number
//!   would be two groups, or count each line twice in one;
//! * the group key holds that column or one that the join equates with it: grouped by the customers' names alone, two
//!   customers of one name are one group;
//! * nothing below is volatile, nor a subquery; nothing reads an enclosing query, whose rules look for its joins;
//! * it pays: something but the key itself is read of a dimension, there are fewer groups than rows by the estimate,
//!   what is left is not a cross join that the dimension had connected, and a dimension of which a semi join needs
//!   another copy has fewer rows than there are to look for theirs. A dimension with a filter stays where it is: there
//!   it makes rows few.
//!
//! The rows that are aggregated are the same rows: those that find no dimension go in a semi join, because a sum may
//! overflow over them. It is left out if statistics prove that every value of x is found (`inclusion`).
//!
//! NULLs: an x that is NULL matches nothing and goes in the semi join (or a filter in its place), so no group of NULL is
//! made. Errors: what may fail stays above all joins of X, for the same rows; a group key over a dimension is computed
//! for each group, which has a row. Joins: outer joins are inputs, never taken apart. Order: the columns come as they
//! came before, for a top-k that breaks ties by all of them.

mod dimensions;
pub(super) mod stages;

use super::derive_predicates::EqualityClasses;
use super::prune_columns::prune_below;
use super::push_filter::{Placer, equality, filtered};
use super::{estimate, place};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::effects::{effects, is_pure};
use crate::relation::not_null::never_null;
use crate::relation::profile::Profiles;
use crate::relation::visit::{
    as_column, for_each_column, for_each_column_in, for_each_expression_mut, for_each_input_mut, for_each_subquery_mut,
    has_subquery, substitute,
};
use crate::relation::{AggregateCall, ColumnId, Columns, Expression, Relation};
use crate::types::DataType;
use dimensions::Dimensions;
use std::sync::Arc;

/// Groups that there may be for each row: of as many groups as rows, nothing is read less often.
const GROUPS_A_ROW_MAX: f64 = 0.9;

/// Moves the aggregates of a tree below joins, innermost first; whether it moved the one at the top.
pub(super) fn aggregate_before_joins(
    relation: &mut Arc<Relation>,
    depth: u16,
    profiles: &mut Profiles,
    columns: &mut Columns,
) -> bool {
    let mut below = false;
    {
        let relation = Arc::make_mut(relation);
        for_each_input_mut(relation, &mut |input| below |= aggregate_before_joins(input, depth, profiles, columns));
        for_each_expression_mut(relation, &mut |expression| {
            for_each_subquery_mut(expression, &mut |subquery| {
                aggregate_before_joins(&mut subquery.relation, depth + 1, profiles, columns);
            });
        });
    }
    let moved = match &**relation {
        Relation::Aggregate { input, keys, aggregates } => {
            let grouping = || Grouping { keys: keys.clone(), aggregates: aggregates.clone() };
            let moved = grouping().moved(input, depth, profiles, columns);
            moved.or_else(|| grouping().staged(input, depth, profiles, columns))
        }
        // A condition on groups (HAVING) goes to them, below the join.
        Relation::Filter { .. } if below => Some((**relation).clone()),
        _ => None,
    };
    let Some(moved) = moved else { return false };
    *relation = Arc::new(moved);
    profiles.extend(relation, columns, depth);
    place(relation, &Placer { profiles, columns, depth, pruned: true });
    prune_below(relation);
    true
}

/// The keys and aggregates of an Aggregate.
struct Grouping {
    keys: Vec<(ColumnId, Expression)>,
    aggregates: Vec<(ColumnId, AggregateCall)>,
}

/// A tree of inner, semi and anti joins, taken apart.
#[derive(Default)]
struct Joins {
    inputs: Vec<Arc<Relation>>,
    /// Of joins and of filters above joins, in the order in which they are tested.
    conjuncts: Vec<Expression>,
    tests: Vec<Test>,
}

/// A semi or anti join.
struct Test {
    kind: JoinKind,
    right: Arc<Relation>,
    on: Expression,
}

impl Joins {
    fn of(relation: &Arc<Relation>) -> Self {
        let mut joins = Joins::default();
        joins.flatten(relation);
        joins
    }

    fn flatten(&mut self, relation: &Arc<Relation>) {
        match &**relation {
            Relation::Join { kind: JoinKind::Inner, left, right, on } => {
                self.flatten(left);
                self.flatten(right);
                self.conjuncts.extend(on.clone().into_conjuncts());
            }
            Relation::Join { kind: kind @ (JoinKind::Semi | JoinKind::Anti), left, right, on }
                if is_pure(on) && !has_subquery(on) =>
            {
                self.flatten(left);
                self.tests.push(Test { kind: *kind, right: Arc::clone(right), on: on.clone() });
            }
            Relation::Filter { input, predicate } if matches!(&**input, Relation::Join { .. }) => {
                self.flatten(input);
                self.conjuncts.extend(predicate.clone().into_conjuncts());
            }
            _ => self.inputs.push(Arc::clone(relation)),
        }
    }
}

impl Grouping {
    /// The Aggregate over `input` with the dimensions joined above it, if there are any and it pays.
    fn moved(
        mut self,
        input: &Arc<Relation>,
        depth: u16,
        profiles: &Profiles,
        columns: &mut Columns,
    ) -> Option<Relation> {
        if self.keys.len() < 2 || self.aggregates.is_empty() {
            return None;
        }
        let input = self.over_joins(input)?;
        if self.is_correlated(input, depth, profiles) {
            return None;
        }
        let mut joins = Joins::of(input);
        if joins.inputs.len() < 2 || !self.is_plain(&joins) {
            return None;
        }
        let input_of = input_of(&joins, columns.len());
        let classes = EqualityClasses::take_from(&mut joins.conjuncts, &|_| true);
        let dimensions = Dimensions::find(&self, &joins, &classes, &input_of)?;
        let rows = estimate::rows(input, profiles);
        let reached = dimensions.reached_from(&dimensions.inputs());
        let mut keys: Vec<Expression> = reached.into_iter().map(|id| columns.reference(id)).collect();
        for (_, key) in &self.keys {
            if !dimensions.determine(key) && !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        let groups = estimate::groups(keys.iter(), rows, profiles);
        let asked = dimensions.trees.iter().flat_map(|tree| dimensions.asked(tree, &joins, &classes, profiles));
        let asked: f64 = asked.map(|at| estimate::rows(&joins.inputs[at], profiles)).sum();
        if groups > rows * GROUPS_A_ROW_MAX || asked > rows {
            return None;
        }
        Some(Builder { joins: &joins, classes: &classes, dimensions: &dimensions, profiles, columns }.build(self))
    }

    /// The joins below, with a projection in between put into keys and aggregates.
    fn over_joins<'a>(&mut self, input: &'a Arc<Relation>) -> Option<&'a Arc<Relation>> {
        let Relation::Project { input, columns } = &**input else { return Some(input) };
        if columns.iter().any(|(_, value)| effects(value).volatile || has_subquery(value)) {
            return None;
        }
        let value = |id| columns.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone());
        self.for_each_mut(&mut |expression| substitute(expression, &value));
        Some(input)
    }

    fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Expression)) {
        self.keys.iter_mut().for_each(|(_, key)| change(key));
        self.aggregates.iter_mut().for_each(|(_, call)| {
            call.argument.iter_mut().chain(&mut call.filter).for_each(&mut *change);
        });
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let read = self.aggregates.iter().flat_map(|(_, call)| call.argument.iter().chain(&call.filter));
        self.keys.iter().map(|(_, key)| key).chain(read)
    }

    /// Whether nothing is volatile or a subquery.
    fn is_plain(&self, joins: &Joins) -> bool {
        self.expressions().chain(&joins.conjuncts).all(|each| !effects(each).volatile && !has_subquery(each))
    }

    /// Whether something reads a column of an enclosing query.
    fn is_correlated(&self, input: &Relation, depth: u16, profiles: &Profiles) -> bool {
        let mut correlated = false;
        let mut look = |id: ColumnId| correlated |= profiles.get(id).depth < depth;
        self.expressions().for_each(|each| for_each_column(each, &mut look));
        for_each_column_in(input, &mut look);
        correlated
    }
}

/// Which input makes a column, by column.
fn input_of(joins: &Joins, columns: usize) -> Vec<Option<usize>> {
    let mut input_of = vec![None; columns];
    for (at, input) in joins.inputs.iter().enumerate() {
        input.columns().into_iter().for_each(|id| input_of[id.0 as usize] = Some(at));
    }
    input_of
}

/// Puts the parts together again.
struct Builder<'a> {
    joins: &'a Joins,
    classes: &'a EqualityClasses,
    dimensions: &'a Dimensions,
    profiles: &'a Profiles,
    columns: &'a mut Columns,
}

impl Builder<'_> {
    fn build(mut self, grouping: Grouping) -> Relation {
        let below = self.aggregated_rows();
        let (above, mut keys): (Vec<_>, Vec<_>) =
            grouping.keys.iter().cloned().partition(|(_, key)| self.dimensions.determine(key));
        // The columns of the groups that reach the dimensions: keys that are there already, or new ones.
        let mut reach: Vec<(ColumnId, ColumnId)> = Vec::new();
        for from in self.dimensions.reached_from(&self.dimensions.inputs()) {
            let known = keys.iter().find(|(_, key)| as_column(key) == Some(from)).map(|(id, _)| *id);
            let id = known.unwrap_or_else(|| {
                let id = self.copy(from);
                keys.push((id, self.columns.reference(from)));
                id
            });
            reach.push((from, id));
        }
        let mut shown: Vec<(ColumnId, Expression)> = Vec::new();
        for (id, key) in &grouping.keys {
            let determined = above.iter().any(|(other, _)| other == id);
            shown.push((*id, if determined { key.clone() } else { self.columns.reference(*id) }));
        }
        let mut aggregates = Vec::with_capacity(grouping.aggregates.len());
        for (id, call) in grouping.aggregates {
            // A new id below makes the projection more than a choice of columns: it stays, and with it their order.
            let made = self.copy(id);
            shown.push((id, self.columns.reference(made)));
            aggregates.push((made, call));
        }
        let groups = Relation::Aggregate { input: Arc::new(below), keys, aggregates };
        let scans = self.dimensions.inputs().into_iter().map(|at| Arc::clone(&self.joins.inputs[at]));
        let joined = cross(std::iter::once(Arc::new(groups)).chain(scans));
        let mut on = self.equalities_within(&|id| self.dimensions.make(id));
        for link in self.dimensions.links.iter().filter(|link| link.root) {
            let from = reach.iter().find(|(from, _)| *from == link.from).map_or(link.from, |(_, id)| *id);
            on.push(equality(from, link.key, self.columns.get(from).data_type));
        }
        Relation::Project { input: Arc::new(filtered(joined, on)), columns: shown }
    }

    /// A new column like this one.
    fn copy(&mut self, id: ColumnId) -> ColumnId {
        let column = self.columns.get(id).clone();
        self.columns.add(column.name, column.data_type, column.nullable)
    }

    /// What is left without the dimensions, but of rows that find theirs only.
    fn aggregated_rows(&mut self) -> Relation {
        let rest = (0..self.joins.inputs.len()).filter(|at| !self.dimensions.is(*at));
        let mut rows = cross(rest.map(|at| Arc::clone(&self.joins.inputs[at])));
        for test in &self.joins.tests {
            let (left, right) = (Arc::new(rows), Arc::clone(&test.right));
            rows = Relation::Join { kind: test.kind, left, right, on: test.on.clone() };
        }
        let mut conjuncts = self.equalities_within(&|id| !self.dimensions.make(id));
        conjuncts.extend(self.joins.conjuncts.iter().cloned());
        for tree in &self.dimensions.trees {
            let asked = self.dimensions.asked(tree, self.joins, self.classes, self.profiles);
            let found: Vec<usize> = tree.iter().copied().filter(|at| !asked.contains(at)).collect();
            for from in self.dimensions.reached_from(&found) {
                let from = self.columns.reference(from);
                if !never_null(&from, &rows, self.profiles) {
                    conjuncts.insert(0, Expression::call(Function::IsNotNull, vec![from], DataType::Boolean));
                }
            }
            if !asked.is_empty() {
                rows = self.found_in(rows, &asked);
            }
        }
        filtered(rows, conjuncts)
    }

    /// The rows that find theirs in some dimensions: a semi join with a copy of these.
    fn found_in(&mut self, rows: Relation, asked: &[usize]) -> Relation {
        let mut copies: Vec<(ColumnId, ColumnId)> = Vec::new();
        let mut scans = Vec::with_capacity(asked.len());
        for &at in asked {
            let Relation::Scan { table, columns } = &*self.joins.inputs[at] else { continue };
            let copied = columns.iter().map(|&(position, id)| {
                let copy = self.copy(id);
                copies.push((id, copy));
                (position, copy)
            });
            let columns = copied.collect();
            scans.push(Arc::new(Relation::Scan { table: table.clone(), columns }));
        }
        let copy_of = |id: ColumnId| copies.iter().find(|(of, _)| *of == id).map(|(_, copy)| *copy);
        let within = self.equalities_within(&|id| copy_of(id).is_some());
        let renamed = within.into_iter().map(|mut equal| {
            substitute(&mut equal, &|id| copy_of(id).map(|copy| self.columns.reference(copy)));
            equal
        });
        let right = filtered(cross(scans), renamed);
        let roots = self.dimensions.links.iter().filter(|link| link.root && asked.contains(&link.input));
        let on = roots
            .filter_map(|link| Some(equality(link.from, copy_of(link.key)?, self.columns.get(link.from).data_type)));
        let on = Expression::and(on.collect::<Vec<_>>());
        Relation::Join { kind: JoinKind::Semi, left: Arc::new(rows), right: Arc::new(right), on }
    }

    /// What the classes say of those of their columns that are `within`.
    fn equalities_within(&self, within: &dyn Fn(ColumnId) -> bool) -> Vec<Expression> {
        let mut all = Vec::new();
        for (class, data_type) in self.classes.iter() {
            let mut members = class.iter().copied().filter(|id| within(*id));
            if let Some(first) = members.next() {
                all.extend(members.map(|other| equality(first, other, data_type)));
            }
        }
        all
    }
}

/// All pairs of rows; the conditions that join them come in a filter above, and `join_cluster` orders the joins.
fn cross(relations: impl IntoIterator<Item = Arc<Relation>>) -> Relation {
    let all = relations.into_iter().reduce(|left, right| {
        Arc::new(Relation::Join { kind: JoinKind::Inner, left, right, on: Expression::boolean(true) })
    });
    all.map_or_else(crate::relation::visit::nothing, crate::relation::visit::take)
}
