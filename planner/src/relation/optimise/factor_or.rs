//! Factors out the conjuncts that every arm of a disjunction has.
//!
//! ```text
//! (a and b) or (a and c)      =  a and (b or c)
//! x = 1 or x = 2              =  x in (1, 2)
//! (r and s) or (r' and s')    ⇒  r or r'              where r, r' read one table only
//! ```
//!
//! NULLs: AND and OR distribute in three-valued logic; the implied predicate is TRUE whenever the original is,
//! and a Filter asks for no more. Errors: only pure conjuncts are moved in front of the others.

use crate::function::Function;
use crate::relation::effects::is_pure;
use crate::relation::visit::{as_column, conjuncts, has_subquery};
use crate::relation::{ColumnId, Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::Value;
use rustc_hash::FxHashSet;

/// The conjuncts of a predicate after taking what all arms of its ORs share out of them.
pub(super) fn factor_or(predicate: Expression) -> Vec<Expression> {
    let ExpressionKind::Call(Function::Or, arms) = &predicate.kind else { return vec![predicate] };
    let arms_split: Vec<Vec<&Expression>> = arms.iter().map(conjuncts).collect();
    let common: Vec<Expression> = arms_split[0]
        .iter()
        .filter(|conjunct| is_pure(conjunct) && arms_split[1..].iter().all(|arm| arm.contains(conjunct)))
        .map(|conjunct| (*conjunct).clone())
        .collect();
    if common.is_empty() {
        return vec![into_list(predicate)];
    }
    let rest = arms_split
        .iter()
        .map(|arm| Expression::and(arm.iter().filter(|conjunct| !common.contains(conjunct)).map(|&rest| rest.clone())));
    let rest: Vec<Expression> = rest.collect();
    let mut factored: Vec<Expression> = common.into_iter().flat_map(factor_or).collect();
    // An arm with nothing left is TRUE: the common part alone decides.
    if rest.iter().all(|arm| !matches!(&arm.kind, ExpressionKind::Constant(value) if value.is_true())) {
        factored.extend(factor_or(disjunction(rest)));
    }
    factored
}

/// What a disjunction implies about the columns that `local` admits; none if an arm says nothing about them.
pub(super) fn implied(predicate: &Expression, local: &dyn Fn(&Expression) -> bool) -> Option<Expression> {
    let ExpressionKind::Call(Function::Or, arms) = &predicate.kind else { return None };
    let arms: Option<Vec<Expression>> = arms
        .iter()
        .map(|arm| {
            let said: Vec<&Expression> = conjuncts(arm)
                .into_iter()
                .filter(|conjunct| is_pure(conjunct) && !has_subquery(conjunct) && local(conjunct))
                .collect();
            (!said.is_empty()).then(|| Expression::and(said.into_iter().cloned()))
        })
        .collect();
    let arms = arms?;
    arms.iter()
        .skip(1)
        .all(|arm| *arm == arms[0])
        .then(|| arms[0].clone())
        .or_else(|| Some(into_list(disjunction(arms))))
}

/// The disjunction of some arms, equal ones once.
pub(super) fn disjunction(arms: Vec<Expression>) -> Expression {
    let mut distinct: Vec<Expression> = Vec::with_capacity(arms.len());
    for arm in arms {
        if !(distinct.contains(&arm) && is_pure(&arm)) {
            distinct.push(arm);
        }
    }
    if distinct.len() == 1 {
        return distinct.swap_remove(0);
    }
    Expression::call(Function::Or, distinct, DataType::Boolean)
}

/// `x = 1 or x in (2, 3)` as `x in (1, 2, 3)`; any other disjunction as it is.
fn into_list(predicate: Expression) -> Expression {
    let ExpressionKind::Call(Function::Or, arms) = &predicate.kind else { return predicate };
    let Some((column, _)) = choices(&arms[0]) else { return predicate };
    if arms.iter().any(|arm| choices(arm).is_none_or(|(other, _)| other != column)) {
        return predicate;
    }
    let ExpressionKind::Call(_, first) = &arms[0].kind else { return predicate };
    let mut list = vec![first[0].clone()];
    // A list may be long, and so looks for each of its constants must not be.
    let mut met: FxHashSet<&Value> = FxHashSet::default();
    for constant in arms.iter().filter_map(choices).flat_map(|(_, constants)| constants) {
        let ExpressionKind::Constant(value) = &constant.kind else { return predicate };
        if met.insert(value) {
            list.push(constant.clone());
        }
    }
    Expression { position: predicate.position, ..Expression::call(Function::InList, list, DataType::Boolean) }
}

/// The column and the constants of `x = 1` or `x in (1, 2)`.
fn choices(arm: &Expression) -> Option<(ColumnId, &[Expression])> {
    let ExpressionKind::Call(Function::Equal | Function::InList, arguments) = &arm.kind else { return None };
    let column = as_column(arguments.first()?)?;
    let constants = &arguments[1..];
    let fixed = constants.iter().all(|constant| matches!(constant.kind, ExpressionKind::Constant(_)));
    fixed.then_some((column, constants))
}
