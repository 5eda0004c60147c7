//! When two runs of a program gave the same: the same rows in any order; in order where the result is; or both an error,
//! whichever.

use multiloop_planner::error::Result;
use multiloop_planner::multiloop::{Let, Program};
use multiloop_planner::value::Value;
use std::cmp::Ordering;

/// Rows, one value a column of the output, or an error.
pub type Outcome = Result<Vec<Vec<Value>>>;

/// How a run of a program differs from what was expected.
///
/// # Panics
/// If one of them met a bug.
pub fn difference(program: &Program, expected: &Outcome, got: &Outcome) -> Option<String> {
    match (expected, got) {
        (Err(a), Err(b)) => {
            for error in [a, b] {
                assert_ne!(error.sqlstate(), "XX000", "a bug: {error}");
            }
            None
        }
        (Ok(expected), Ok(got)) => {
            let (sorted_expected, sorted_got) = (sorted(expected.clone()), sorted(got.clone()));
            if let Some(at) =
                (0..expected.len().max(got.len())).find(|&at| sorted_expected.get(at) != sorted_got.get(at))
            {
                let row =
                    |rows: &[Vec<Value>]| rows.get(at).map_or_else(|| "none".to_owned(), |row| format!("{row:?}"));
                let (expected, got) = (row(&sorted_expected), row(&sorted_got));
                return Some(format!("row {at}, once sorted: expected {expected}, got {got}"));
            }
            let order = order(program);
            let alike = |(a, b): (&Vec<Value>, &Vec<Value>)| order.iter().all(|&at| a[at].compare(&b[at]).is_eq());
            (!expected.iter().zip(got).all(alike)).then(|| "the order differs".to_owned())
        }
        (expected, got) => Some(format!("expected {expected:?}, got {got:?}")),
    }
}

/// The columns of the output whose order is not free: those by which the result is sorted, up to one that is not shown.
fn order(program: &Program) -> Vec<usize> {
    let result = program.body().result;
    let shown = |field: u32| program.output.iter().position(|(_, shown)| *shown == field);
    let sort = program.body().lets.iter().find_map(|definition| match definition {
        Let::Sort { define, order, .. } if *define == result => Some(order),
        _ => None,
    });
    sort.into_iter().flatten().map_while(|&(field, _)| shown(field)).collect()
}

fn sorted(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let compare = |(a, b): (&Value, &Value)| a.compare(b).then_with(|| a.compare_forms(b));
    rows.sort_by(|a, b| a.iter().zip(b).map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal));
    rows
}
