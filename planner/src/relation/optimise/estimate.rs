//! How many rows an operator gives, from statistics: what EXPLAIN shows and what orders joins.
//!
//! Joins: |A ⋈ B| = |A| · |B| / max(d(a), d(b)), where d is the number of distinct values of the key *in its
//! table*, filters on other columns notwithstanding: the foreign keys of a filtered table still point into the
//! whole key domain. A key of several columns has at most as many values as either table has rows.

use super::factor_or::implied;
use super::selectivity::selectivity;
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::profile::{Profiles, constant_count, distinct_values};
use crate::relation::visit::{as_binary, as_column, conjuncts, for_each_column};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, SetKind};
use crate::value::Value;

/// Share of groups or rows that stay where nothing is known of a DISTINCT.
const DISTINCT_SHARE: f64 = 0.3;

/// How often a row is expected where only the rows themselves say how often.
const COPIES: f64 = 10.0;
/// Rounds that a recursion is expected to take.
const ROUNDS: f64 = 10.0;

/// The number of rows that a relation is expected to give.
pub(crate) fn rows(relation: &Relation, profiles: &Profiles) -> f64 {
    match relation {
        Relation::Scan { table, .. } => table.0.statistics.likely_rows() as f64,
        Relation::Values { rows, .. } => rows.len() as f64,
        Relation::Filter { input, predicate } => rows(input, profiles) * selectivity([predicate], profiles),
        Relation::Project { input, .. } | Relation::Sort { input, .. } | Relation::Window { input, .. } => {
            rows(input, profiles)
        }
        Relation::Expand { input, count, .. } => rows(input, profiles) * constant_count(count).unwrap_or(COPIES),
        Relation::Join { kind, left, right, on } => {
            join(*kind, rows(left, profiles), rows(right, profiles), &Sides { left, right }, on, profiles)
        }
        Relation::Aggregate { input, keys, .. } => {
            if keys.is_empty() {
                return 1.0;
            }
            groups(keys.iter().map(|(_, key)| key), rows(input, profiles), profiles)
        }
        Relation::Distinct { input } => {
            let rows = rows(input, profiles);
            let columns = input.columns();
            if columns.iter().all(|id| profiles.get(*id).distinct.is_some()) {
                let values: f64 = columns.iter().filter_map(|id| profiles.get(*id).distinct).product();
                occupied(values, rows)
            } else {
                rows * DISTINCT_SHARE
            }
        }
        Relation::Limit { input, limit, .. } => {
            let all = rows(input, profiles);
            match limit.as_ref().map(|limit| &limit.kind) {
                Some(ExpressionKind::Constant(Value::Int(count))) => all.min(*count as f64),
                _ => all,
            }
        }
        Relation::SetOperation { kind, all, left, right, .. } => {
            let (left, right) = (rows(&left.0, profiles), rows(&right.0, profiles));
            let kept = if *all { 1.0 } else { 0.8 };
            match kind {
                SetKind::Union => (left + right) * kept,
                SetKind::Intersect => left.min(right) * 0.5,
                SetKind::Except => left * 0.5,
            }
        }
        Relation::Recursive { last: Some(_), step, .. } => rows(&step.0, profiles),
        // How many rounds there are nobody knows.
        Relation::Recursive { seed, step, .. } => rows(&seed.0, profiles) + ROUNDS * rows(&step.0, profiles),
        Relation::With { body, .. } => rows(body, profiles),
        // What the definition gives is not known here; its columns' tables bound it.
        Relation::CteScan { columns, .. } => {
            let known = columns.iter().filter_map(|(_, id)| profiles.get(*id).distinct);
            known.fold(1000.0, f64::max)
        }
    }
}

/// Groups that `rows` rows fall into by these keys.
pub(super) fn groups<'a>(keys: impl Iterator<Item = &'a Expression>, rows: f64, profiles: &Profiles) -> f64 {
    let mut values = 1.0;
    for key in keys {
        match distinct_values(key, profiles) {
            Some(distinct) => values *= distinct,
            None => values *= (rows * DISTINCT_SHARE).max(1.0),
        }
    }
    occupied(values, rows)
}

/// How many of `values` equally likely values occur among `rows` rows.
pub(crate) fn occupied(values: f64, rows: f64) -> f64 {
    if values <= 1.0 {
        return values.min(rows);
    }
    // exp_m1, because for far more values than rows 1 - exp(…) would round to 0.
    (values * -(-rows / values).exp_m1()).min(rows).max(rows.min(1.0))
}

struct Sides<'a> {
    left: &'a Relation,
    right: &'a Relation,
}

fn join(kind: JoinKind, left: f64, right: f64, sides: &Sides<'_>, on: &Expression, profiles: &Profiles) -> f64 {
    let keys = equal_keys(sides, on, profiles);
    let rest = conjuncts(on).into_iter().filter(|conjunct| as_binary(conjunct, Function::Equal).is_none());
    let rest: f64 = rest.map(|conjunct| pair_share(conjunct, sides, profiles)).product();
    match kind {
        JoinKind::Semi => left * match_share(&keys, right, profiles),
        JoinKind::Anti => left * (1.0 - match_share(&keys, right, profiles)).max(0.05),
        JoinKind::Inner => inner(left, right, &keys, profiles) * rest,
        JoinKind::Left => (inner(left, right, &keys, profiles) * rest).max(left),
        JoinKind::Full => (inner(left, right, &keys, profiles) * rest).max(left).max(right),
    }
}

/// The share of pairs for which a conjunct is TRUE. What it implies about one side alone was pushed into that side
/// and is in its rows already.
fn pair_share(conjunct: &Expression, sides: &Sides<'_>, profiles: &Profiles) -> f64 {
    let mut said = 1.0;
    for side in [sides.left, sides.right] {
        let made: ColumnSet = side.columns().into_iter().collect();
        let local = |part: &Expression| {
            let mut local = true;
            for_each_column(part, &mut |id| local &= made.contains(id));
            local
        };
        said *= implied(conjunct, &local).map_or(1.0, |implied| selectivity([&implied], profiles));
    }
    (selectivity([conjunct], profiles) / said).min(1.0)
}

/// One side of a key of a join.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// The column that it is or, of something computed, the first one that is read.
    column: ColumnId,
    /// How many values it has, if that is known.
    distinct: Option<f64>,
}

impl Key {
    /// A column.
    pub(crate) fn of_column(column: ColumnId, profiles: &Profiles) -> Self {
        Key { column, distinct: profiles.get(column).distinct }
    }

    fn of(key: &Expression, profiles: &Profiles) -> Option<Self> {
        if let Some(column) = as_column(key) {
            return Some(Key::of_column(column, profiles));
        }
        let mut first = None;
        for_each_column(key, &mut |id| first = first.or(Some(id)));
        Some(Key { column: first?, distinct: distinct_values(key, profiles) })
    }

    /// Its values among some rows; of which nothing is known has those of the other side.
    fn values(self, rows: f64, other: Key) -> f64 {
        self.distinct.or(other.distinct.map(|values| values.min(rows))).unwrap_or(rows).max(1.0)
    }
}

fn equal_keys(sides: &Sides<'_>, on: &Expression, profiles: &Profiles) -> Vec<(Key, Key)> {
    let left = sides.left.columns();
    let right = sides.right.columns();
    let mut keys = Vec::new();
    for conjunct in conjuncts(on) {
        let Some((a, b)) = as_binary(conjunct, Function::Equal) else { continue };
        let (Some(a), Some(b)) = (Key::of(a, profiles), Key::of(b, profiles)) else { continue };
        if left.contains(&a.column) && right.contains(&b.column) {
            keys.push((a, b));
        } else if left.contains(&b.column) && right.contains(&a.column) {
            keys.push((b, a));
        }
    }
    keys
}

fn inner(left: f64, right: f64, keys: &[(Key, Key)], profiles: &Profiles) -> f64 {
    let (mut values, mut left_values, mut right_values) = (1.0, 1.0, 1.0);
    let (mut left_table, mut right_table) = (left, right);
    for (a, b) in keys {
        let (da, db) = (a.values(left, *b), b.values(right, *a));
        values *= da.max(db);
        left_values *= da;
        right_values *= db;
        left_table = left_table.max(profiles.get(a.column).rows);
        right_table = right_table.max(profiles.get(b.column).rows);
    }
    if keys.len() > 1 {
        values = values.min(left_values.min(left_table).min(right_values.min(right_table))).max(1.0);
    }
    left * right / values
}

/// The share of left rows that find a match among `right` rows.
pub(crate) fn match_share(keys: &[(Key, Key)], right: f64, profiles: &Profiles) -> f64 {
    if keys.is_empty() {
        return 0.5;
    }
    let mut share = 1.0f64;
    for (a, b) in keys {
        let values = b.values(right, *a);
        let found = if profiles.get(b.column).unique { right.min(values) } else { occupied(values, right) };
        let domain = a.distinct.unwrap_or(values).max(values);
        share = share.min(found / domain);
    }
    share.clamp(0.0001, 1.0)
}
