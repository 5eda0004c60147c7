//! The order of rows under ORDER BY.

use multiloop_planner::types::SortOrder;
use multiloop_planner::value::Value;
use std::cmp::Ordering;

/// Compares two values under one key of ORDER BY. Where NULLs go has nothing to do with the direction.
pub(crate) fn compare_values(a: &Value, b: &Value, order: SortOrder) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => {
            if order.nulls_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (false, true) => {
            if order.nulls_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (false, false) if order.descending => b.compare(a),
        (false, false) => a.compare(b),
    }
}

/// Compares rows by some of their fields, the most significant first.
pub(super) fn compare_rows(a: &[Value], b: &[Value], order: &[(u32, SortOrder)]) -> Ordering {
    let keys = order.iter().map(|(field, order)| compare_values(&a[*field as usize], &b[*field as usize], *order));
    keys.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Compares rows by their first fields, as many as there are orders.
pub(super) fn compare_leading(a: &[Value], b: &[Value], order: &[SortOrder]) -> Ordering {
    let keys = order.iter().enumerate().map(|(field, order)| compare_values(&a[field], &b[field], *order));
    keys.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
