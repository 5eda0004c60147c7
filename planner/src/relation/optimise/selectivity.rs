//! Which share of rows passes a predicate, from statistics. Bounds on one column are combined before they are
//! multiplied with the rest, because `a >= x and a < y` is one range and not two independent facts.

use crate::function::Function;
use crate::relation::profile::{Profiles, distinct_values, share_equal};
use crate::relation::visit::{as_column, conjuncts};
use crate::relation::{ColumnId, Expression, ExpressionKind, SubqueryKind};
use crate::value::{Value, number};

/// What is assumed where nothing is known. The figures are the usual ones of the trade, from System R on.
const UNKNOWN: f64 = 0.3;
/// One column against another, as in `l_commitdate < l_receiptdate`.
const COLUMNS_ORDERED: f64 = 0.5;
/// A range with an end that is not known before the query runs.
const RANGE: f64 = 0.3;
/// `LIKE 'prefix%'`.
const LIKE_PREFIX: f64 = 0.03;
/// `LIKE '%part%'`, `LIKE '%suffix'`.
const LIKE_PART: f64 = 0.1;
/// The least share, so that an estimate of zero rows never makes two plans look equally free.
const SHARE_MIN: f64 = 1e-6;

/// The share of rows, from 0 to 1, for which all predicates are TRUE.
pub(crate) fn selectivity<'a>(predicates: impl IntoIterator<Item = &'a Expression>, profiles: &Profiles) -> f64 {
    let mut share = 1.0;
    let mut ranges: Vec<(ColumnId, f64, f64)> = Vec::new();
    for predicate in predicates.into_iter().flat_map(conjuncts) {
        match bound(predicate, profiles) {
            Some((column, below, above)) => match ranges.iter_mut().find(|range| range.0 == column) {
                Some(range) => *range = (column, range.1.max(below), range.2.max(above)),
                None => ranges.push((column, below, above)),
            },
            None => share *= single(predicate, profiles),
        }
    }
    for (_, below, above) in ranges {
        share *= (1.0 - below - above).max(SHARE_MIN);
    }
    share.clamp(SHARE_MIN, 1.0)
}

/// For a bound `column < constant` (or >, <=, >=) on a column of known range: the column, and the shares of its
/// values that lie below and above what the bound lets through.
fn bound(predicate: &Expression, profiles: &Profiles) -> Option<(ColumnId, f64, f64)> {
    let ExpressionKind::Call(function, arguments) = &predicate.kind else { return None };
    let [column, constant] = &arguments[..] else { return None };
    let (Some(column), ExpressionKind::Constant(constant)) = (as_column(column), &constant.kind) else { return None };
    let profile = profiles.get(column);
    let (min, max) = profile.range?;
    let at = number(constant)?;
    let width = max - min;
    let below = if width > 0.0 { ((at - min) / width).clamp(0.0, 1.0) } else { f64::from(u8::from(at > min)) };
    // The value at the bound itself counts for one distinct value.
    let one = profile.distinct.map_or(0.0, |distinct| 1.0 / distinct);
    let inside = at >= min && at <= max;
    let one = if inside { one } else { 0.0 };
    match function {
        Function::Less => Some((column, 0.0, 1.0 - below)),
        Function::LessEqual => Some((column, 0.0, (1.0 - below - one).max(0.0))),
        Function::Greater => Some((column, (below + one).min(1.0), 0.0)),
        Function::GreaterEqual => Some((column, below, 0.0)),
        _ => None,
    }
}

/// The share of rows for which one predicate is TRUE.
fn single(predicate: &Expression, profiles: &Profiles) -> f64 {
    let share = match &predicate.kind {
        ExpressionKind::Constant(value) => f64::from(u8::from(value.is_true())),
        ExpressionKind::Call(function, arguments) => call(*function, arguments, predicate, profiles),
        ExpressionKind::Column(_) => 0.5,
        ExpressionKind::Parameter(_) | ExpressionKind::Element(..) => UNKNOWN,
        ExpressionKind::Subquery(subquery) => match subquery.kind {
            SubqueryKind::Exists | SubqueryKind::Any(_) => 0.5,
            SubqueryKind::Scalar(_) | SubqueryKind::All(_) => UNKNOWN,
        },
    };
    share.clamp(SHARE_MIN, 1.0)
}

fn call(function: Function, arguments: &[Expression], predicate: &Expression, profiles: &Profiles) -> f64 {
    match function {
        Function::And => selectivity(arguments, profiles),
        Function::Or => 1.0 - arguments.iter().map(|arm| 1.0 - selectivity([arm], profiles)).product::<f64>(),
        Function::Not => match &arguments[0].kind {
            ExpressionKind::Subquery(_) => 0.5,
            _ => 1.0 - selectivity([&arguments[0]], profiles),
        },
        Function::IsTrue => selectivity([&arguments[0]], profiles),
        Function::IsNull => null_share(&arguments[0], profiles),
        Function::IsNotNull => 1.0 - null_share(&arguments[0], profiles),
        Function::Equal | Function::IsNotDistinct => equal(&arguments[0], &arguments[1], profiles),
        Function::NotEqual | Function::IsDistinct => 1.0 - equal(&arguments[0], &arguments[1], profiles),
        Function::Less | Function::LessEqual | Function::Greater | Function::GreaterEqual => {
            match bound(predicate, profiles) {
                Some((_, below, above)) => 1.0 - below - above,
                None if as_column(&arguments[0]).is_some() && as_column(&arguments[1]).is_some() => COLUMNS_ORDERED,
                None => RANGE,
            }
        }
        Function::InList => {
            let share = |member: &Expression| match &member.kind {
                ExpressionKind::Constant(constant) => share_equal(&arguments[0], constant, profiles),
                _ => distinct_values(&arguments[0], profiles).map(|distinct| 1.0 / distinct),
            };
            arguments[1..].iter().map(|member| share(member).unwrap_or(0.05)).sum::<f64>().min(1.0)
        }
        Function::Like | Function::ILike => like(&arguments[1]),
        Function::StartsWith => LIKE_PREFIX,
        Function::EndsWith | Function::Contains => LIKE_PART,
        _ => UNKNOWN,
    }
}

fn null_share(expression: &Expression, profiles: &Profiles) -> f64 {
    as_column(expression).map_or(0.05, |id| profiles.get(id).null_share)
}

fn equal(a: &Expression, b: &Expression, profiles: &Profiles) -> f64 {
    if let (Some(column), ExpressionKind::Constant(constant)) = (as_column(a), &b.kind) {
        let outside =
            profiles.get(column).range.zip(number(constant)).is_some_and(|((min, max), at)| at < min || at > max);
        if outside {
            return 0.0;
        }
    }
    for (side, other) in [(a, b), (b, a)] {
        if let ExpressionKind::Constant(constant) = &other.kind
            && let Some(share) = share_equal(side, constant, profiles)
        {
            return share;
        }
    }
    match (distinct_values(a, profiles), distinct_values(b, profiles)) {
        (Some(a), Some(b)) => 1.0 / a.max(b),
        (Some(one), None) | (None, Some(one)) => 1.0 / one,
        (None, None) => 0.1,
    }
}

fn like(pattern: &Expression) -> f64 {
    let ExpressionKind::Constant(Value::Text(pattern)) = &pattern.kind else { return LIKE_PART };
    let parts = pattern.split('%').filter(|part| !part.is_empty()).count();
    match parts {
        0 => 1.0,
        1 if !pattern.contains('%') => 0.01,
        1 if !pattern.starts_with('%') => LIKE_PREFIX,
        _ => LIKE_PART / (parts as f64),
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::Estimates;
    use crate::value::Value;

    #[test]
    fn a_common_value_has_its_own_share_and_others_share_the_rest() {
        let share = |common: &[(Value, f64)], value: &str, nulls| {
            Estimates::share_of(common, &Value::text(value), 1_002.0, nulls)
        };
        let common = [(Value::text("usual"), 0.5), (Value::text("common"), 0.2)];
        assert_eq!(share(&common, "usual", 0.0), 0.5);
        assert!((share(&common, "rare", 0.1) - 0.2 / 1_000.0).abs() < 1e-12);
        // A sample may have seen more of them than there are.
        assert_eq!(share(&common, "rare", 0.9), 0.0);
        assert_eq!(share(&[], "rare", 0.3), 1.0 / 1_002.0);
    }
}
