//! EXISTS and IN as joins, so that join order can place them.
//!
//! ```text
//! Filter exists (select … from S where p(r, s) and q(s))   (R)   =   R semi join (Filter q S) on p
//! Filter not exists (…)                                    (R)   =   R anti join (Filter q S) on p
//! Filter r.x in (select y from S where q(s))               (R)   =   R semi join (Filter q S) on r.x = y
//! Filter r.x not in (select y from S)                      (R)   =   R anti join S on r.x = y, if neither is NULL
//! ```
//!
//! When: the subquery is a conjunct of a Filter (under OR its answer is a value, which a join does not give); it
//! is correlated only through filters at the top of its select-project-join block (LIMIT or an aggregate above a
//! correlated filter depends on the outer row); something is equated, so that the join has a key.
//!
//! Errors: all that crosses is pure, because a join's key is evaluated for rows that the subquery would not have
//! reached. For the same reason nothing in a correlated subquery may fail: without its correlated conjuncts, more
//! rows reach the rest. An uncorrelated subquery may: its rows are the same, computed once, even if no row asks.
//! None may be volatile. A statement that may speculate does not ask what may fail.
//!
//! NULLs: a Filter keeps TRUE only, so IN's FALSE and NULL are one. NOT IN's are not: `1 not in (2, null)` is
//! NULL, while the anti join would keep the row. Hence the proof that neither side is NULL.

use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::effects::{effects, relation_effects};
use crate::relation::not_null::never_null;
use crate::relation::profile::Profiles;
use crate::relation::visit::{
    as_binary, conjuncts, for_each_column, for_each_column_in, for_each_expression_mut, for_each_input_mut,
    for_each_subquery_mut, has_subquery, rewrite, substitute, take,
};
use crate::relation::{Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use std::sync::Arc;

/// Makes joins of the subqueries in all filters of a tree, innermost first.
pub(super) fn unnest_subqueries(relation: &mut Arc<Relation>, depth: u16, profiles: &mut Profiles) {
    {
        let relation = Arc::make_mut(relation);
        for_each_input_mut(relation, &mut |input| unnest_subqueries(input, depth, profiles));
        for_each_expression_mut(relation, &mut |expression| {
            for_each_subquery_mut(expression, &mut |subquery| {
                unnest_subqueries(&mut subquery.relation, depth + 1, profiles);
            });
        });
    }
    let Relation::Filter { predicate, .. } = &**relation else { return };
    if has_subquery(predicate) {
        rewrite(relation, |relation| unnest_filter(relation, depth, profiles));
    }
}

/// What stands before the subquery in the conjunction stays below the join, what stands behind it above: so an
/// expression that may fail is evaluated for no more rows than before.
fn unnest_filter(relation: Relation, depth: u16, profiles: &mut Profiles) -> Relation {
    let Relation::Filter { mut input, predicate } = relation else { return relation };
    let mut before: Vec<Expression> = Vec::new();
    for conjunct in predicate.into_conjuncts() {
        let guards = before.iter().flat_map(conjuncts).cloned();
        let Some(kind) = joinable(&conjunct, &input, guards, depth, profiles) else {
            before.push(conjunct);
            continue;
        };
        let Some(subquery) = into_subquery(conjunct) else { continue };
        let (right, on) = into_join(subquery, depth, profiles);
        profiles.move_to(&right, depth);
        let left = Arc::new(super::push_filter::filtered(take(input), std::mem::take(&mut before)));
        input = Arc::new(Relation::Join { kind, left, right: Arc::new(right), on });
    }
    super::push_filter::filtered(take(input), before)
}

/// Whether a conjunct can become a join, and which.
fn joinable(
    conjunct: &Expression,
    outer: &Relation,
    guards: impl Iterator<Item = Expression>,
    depth: u16,
    profiles: &Profiles,
) -> Option<JoinKind> {
    let (kind, subquery) = match &conjunct.kind {
        ExpressionKind::Subquery(subquery) => (JoinKind::Semi, subquery),
        ExpressionKind::Call(Function::Not, arguments) => match &arguments[0].kind {
            ExpressionKind::Subquery(subquery) => (JoinKind::Anti, subquery),
            _ => return None,
        },
        _ => return None,
    };
    // `x <> ALL` is NOT `x = ANY` since `simplify`.
    if matches!(subquery.kind, SubqueryKind::Scalar(_) | SubqueryKind::All(_)) {
        return None;
    }
    if let SubqueryKind::Any(predicate) = &subquery.kind {
        if has_subquery(predicate) || !profiles.may_move(effects(predicate)) {
            return None;
        }
        if kind == JoinKind::Anti {
            let (a, b) = as_binary(predicate, Function::Equal)?;
            let known = Relation::Filter { input: Arc::new(outer.clone()), predicate: Expression::and(guards) };
            let sure = |side| never_null(side, &known, profiles) || never_null(side, &subquery.relation, profiles);
            if !sure(a) || !sure(b) {
                return None;
            }
        }
    }
    let mut equated = matches!(&subquery.kind, SubqueryKind::Any(predicate)
        if conjuncts(predicate).iter().any(|conjunct| as_binary(conjunct, Function::Equal).is_some()));
    let effects = relation_effects(&subquery.relation);
    let same_rows = is_inside(&subquery.relation, depth + 1, profiles) || profiles.may_move(effects);
    let pullable =
        same_rows && !effects.volatile && is_pullable(&subquery.relation, depth + 1, &mut equated, true, profiles);
    (pullable && equated).then_some(kind)
}

fn into_subquery(conjunct: Expression) -> Option<Subquery> {
    match conjunct.kind {
        ExpressionKind::Subquery(subquery) => Some(*subquery),
        ExpressionKind::Call(Function::Not, mut arguments) => into_subquery(arguments.swap_remove(0)),
        _ => None,
    }
}

/// The right side and the condition of the join.
fn into_join(subquery: Subquery, depth: u16, profiles: &Profiles) -> (Relation, Expression) {
    let mut on = match subquery.kind {
        SubqueryKind::Any(predicate) => predicate.into_conjuncts(),
        SubqueryKind::Exists | SubqueryKind::Scalar(_) | SubqueryKind::All(_) => Vec::new(),
    };
    let right = pull(take(subquery.relation), depth + 1, &mut on, profiles);
    (right, Expression::and(on))
}

/// Whether [`pull`] can take every mention of the enclosing queries out of a subquery that stands at `depth`:
/// they stand in filters only, reach out by one level only, and are pure. Notes in `equated` whether one of them
/// is an equality between the two.
fn is_pullable(relation: &Relation, depth: u16, equated: &mut bool, top: bool, profiles: &Profiles) -> bool {
    match relation {
        Relation::Filter { input, predicate } => {
            for conjunct in conjuncts(predicate) {
                match reach(conjunct, depth, profiles) {
                    Reach::Inside => {}
                    Reach::Next if !has_subquery(conjunct) && profiles.may_move(effects(conjunct)) => {
                        *equated |= equates(conjunct, depth, profiles);
                    }
                    _ => return false,
                }
            }
            is_pullable(input, depth, equated, top, profiles)
        }
        Relation::Project { input, columns } if top => {
            let plain = columns.iter().all(|(_, value)| !has_subquery(value) && profiles.may_move(effects(value)));
            (plain && is_pullable(input, depth, equated, true, profiles)) || is_inside(relation, depth, profiles)
        }
        Relation::Sort { input, .. } | Relation::Distinct { input } if top => {
            is_pullable(input, depth, equated, true, profiles)
        }
        Relation::Join { kind: JoinKind::Inner, left, right, on } => {
            reach(on, depth, profiles) == Reach::Inside
                && is_pullable(left, depth, equated, false, profiles)
                && is_pullable(right, depth, equated, false, profiles)
        }
        Relation::Join { kind: JoinKind::Semi | JoinKind::Anti, left, right, on } => {
            reach(on, depth, profiles) == Reach::Inside
                && is_pullable(left, depth, equated, false, profiles)
                && is_inside(right, depth, profiles)
        }
        _ => is_inside(relation, depth, profiles),
    }
}

/// How far out an expression reaches for its columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Its own query only.
    Inside,
    /// The query around it.
    Next,
    /// Further.
    Beyond,
}

fn reach(expression: &Expression, depth: u16, profiles: &Profiles) -> Reach {
    let mut lowest = depth;
    for_each_column(expression, &mut |id| lowest = lowest.min(profiles.get(id).depth));
    match depth - lowest {
        0 => Reach::Inside,
        1 => Reach::Next,
        _ => Reach::Beyond,
    }
}

fn is_inside(relation: &Relation, depth: u16, profiles: &Profiles) -> bool {
    let mut inside = true;
    for_each_column_in(relation, &mut |id| inside &= profiles.get(id).depth >= depth);
    inside
}

/// Whether a conjunct equates something of the enclosing query with something of the subquery.
fn equates(conjunct: &Expression, depth: u16, profiles: &Profiles) -> bool {
    let Some((a, b)) = as_binary(conjunct, Function::Equal) else { return false };
    let span = |side: &Expression| {
        let (mut outer, mut inner) = (false, false);
        for_each_column(side, &mut |id| {
            let inside = profiles.get(id).depth >= depth;
            outer |= !inside;
            inner |= inside;
        });
        (outer, inner)
    };
    matches!((span(a), span(b)), ((true, false), (false, true)) | ((false, true), (true, false)))
}

/// Takes the correlated conjuncts out of a subquery's filters and adds them to `on`. Projections at the top go,
/// too, because what was taken out reads their input; `on` reads their expressions instead of their columns.
fn pull(relation: Relation, depth: u16, on: &mut Vec<Expression>, profiles: &Profiles) -> Relation {
    match relation {
        Relation::Project { .. } if is_inside(&relation, depth, profiles) && !on.is_empty() => relation,
        Relation::Project { input, columns } => {
            for conjunct in on.iter_mut() {
                substitute(conjunct, &|id| {
                    columns.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone())
                });
            }
            pull(take(input), depth, on, profiles)
        }
        // Neither order nor duplicates matter to a semi or anti join.
        Relation::Sort { input, .. } | Relation::Distinct { input } => pull(take(input), depth, on, profiles),
        Relation::Filter { input, predicate } => {
            let mut kept = Vec::new();
            for conjunct in predicate.into_conjuncts() {
                let inside = reach(&conjunct, depth, profiles) == Reach::Inside;
                if inside { kept.push(conjunct) } else { on.push(conjunct) }
            }
            super::push_filter::filtered(pull(take(input), depth, on, profiles), kept)
        }
        Relation::Join { kind: kind @ (JoinKind::Inner | JoinKind::Semi | JoinKind::Anti), left, right, on: inner } => {
            let left = Arc::new(pull_below_join(take(left), depth, on, profiles));
            let right = if kind == JoinKind::Inner {
                Arc::new(pull_below_join(take(right), depth, on, profiles))
            } else {
                right
            };
            Relation::Join { kind, left, right, on: inner }
        }
        other => other,
    }
}

/// As [`pull`], where the join above reads the columns: only filters and joins are looked into.
fn pull_below_join(relation: Relation, depth: u16, on: &mut Vec<Expression>, profiles: &Profiles) -> Relation {
    match relation {
        Relation::Filter { .. } | Relation::Join { .. } => pull(relation, depth, on, profiles),
        other => other,
    }
}
