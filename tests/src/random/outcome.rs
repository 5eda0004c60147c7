//! What a statement gave, here or there, and whether two engines agree about it.

/// What a statement gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Rows: types as PostgreSQL calls them, and cells as text, None for NULL.
    Rows(Vec<String>, Vec<Vec<Option<String>>>),
    /// No rows.
    Done,
    /// An error: SQLSTATE and message.
    Error(String, String),
    /// The engine died, or did not hear that the statement was cancelled.
    Died(String),
}

/// Numbers that are not exact agree when they differ by less than this, relatively.
const TOLERANCE: f64 = 1e-9;
/// As above, of `real`.
const REAL_TOLERANCE: f64 = 1e-5;

impl Outcome {
    /// The SQLSTATE of an error.
    pub fn state(&self) -> Option<&str> {
        match self {
            Self::Error(state, _) => Some(state),
            _ => None,
        }
    }

    /// Whether the statement took more time or memory than it may have.
    pub fn is_late(&self) -> bool {
        matches!(self.state(), Some("57014" | "53200"))
    }

    /// A bug, whatever others say.
    pub fn is_bug(&self) -> bool {
        matches!(self, Self::Died(_)) || self.state() == Some("XX000")
    }

    /// The first rows, or the error.
    pub fn show(&self) -> String {
        match self {
            Self::Rows(types, rows) => {
                let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "NULL".to_owned());
                let shown: Vec<String> =
                    rows.iter().take(8).map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|")).collect();
                format!("{} rows of ({}): {}", rows.len(), types.join(", "), shown.join(" / "))
            }
            Self::Done => "done".to_owned(),
            Self::Error(state, message) => format!("ERROR {state}: {message}"),
            Self::Died(how) => how.clone(),
        }
    }
}

/// How much a column's cells may differ.
fn tolerance(data_type: &str) -> f64 {
    match data_type {
        "real" => REAL_TOLERANCE,
        "double precision" | "numeric" => TOLERANCE,
        _ => 0.0,
    }
}

fn same_cell(ours: &Option<String>, theirs: &Option<String>, tolerance: f64) -> bool {
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return ours == theirs };
    if ours == theirs {
        return true;
    }
    if tolerance == 0.0 {
        return false;
    }
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * a.abs().max(b.abs()),
        _ => false,
    }
}

/// None if rows are the same, as a multiset or in order; else how they differ.
pub fn difference(ordered: bool, ours: &Outcome, theirs: &Outcome) -> Option<String> {
    let agree = match (ours, theirs) {
        (Outcome::Rows(a_types, a), Outcome::Rows(b_types, b)) => {
            if a_types != b_types {
                return Some(format!("types\n  ours:   {}\n  theirs: {}", ours.show(), theirs.show()));
            }
            let tolerances: Vec<f64> = b_types.iter().map(|data_type| tolerance(data_type)).collect();
            same_rows(ordered, &tolerances, a, b)
        }
        (Outcome::Error(a, _), Outcome::Error(b, _)) => a == b,
        (Outcome::Done, Outcome::Done) => true,
        _ => false,
    };
    (!agree).then(|| {
        let kind = match (ours, theirs) {
            (Outcome::Rows(_, a), Outcome::Rows(_, b)) if a.len() == b.len() => "cells",
            (Outcome::Rows(..), Outcome::Rows(..)) => "rows",
            _ => "errors",
        };
        format!("{kind}\n  ours:   {}\n  theirs: {}", ours.show(), theirs.show())
    })
}

fn same_rows(ordered: bool, tolerances: &[f64], a: &[Vec<Option<String>>], b: &[Vec<Option<String>>]) -> bool {
    let sorted = |rows: &[Vec<Option<String>>]| {
        let mut rows: Vec<&Vec<Option<String>>> = rows.iter().collect();
        if !ordered {
            rows.sort_by_cached_key(|row| sort_key(row, tolerances));
        }
        rows.into_iter().cloned().collect::<Vec<_>>()
    };
    a.len() == b.len()
        && sorted(a).iter().zip(&sorted(b)).all(|(a, b)| {
            a.len() == b.len() && a.iter().zip(b).zip(tolerances).all(|((a, b), tolerance)| same_cell(a, b, *tolerance))
        })
}

/// What orders rows: exact cells, then the others to a few digits, then all of these, so that what differs a little seldom decides.
type SortKey = (Vec<Option<String>>, Vec<String>, Vec<i64>);

fn sort_key(row: &[Option<String>], tolerances: &[f64]) -> SortKey {
    let cells = || row.iter().zip(tolerances);
    let exact = cells().filter(|(_, tolerance)| **tolerance == 0.0).map(|(cell, _)| cell.clone()).collect();
    let rest = cells()
        .filter(|(_, tolerance)| **tolerance > 0.0)
        .map(|(cell, _)| match cell {
            None => "NULL".to_owned(),
            Some(cell) => cell.parse::<f64>().map_or_else(|_| cell.clone(), |number| format!("{number:.5e}")),
        })
        .collect();
    let whole = cells().filter(|(_, tolerance)| **tolerance > 0.0).map(|(cell, _)| {
        let number = cell.as_ref().and_then(|cell| cell.parse::<f64>().ok());
        number.map_or(i64::MAX, |number| {
            let bits = number.to_bits() as i64;
            bits ^ (((bits >> 63) as u64) >> 1) as i64
        })
    });
    (exact, rest, whole.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(data_type: &str, cells: &[&str]) -> Outcome {
        Outcome::Rows(vec![data_type.to_owned()], cells.iter().map(|cell| vec![Some((*cell).to_owned())]).collect())
    }

    #[test]
    fn rows_are_a_multiset_unless_ordered() {
        let (a, b) = (rows("text", &["x", "y", "y"]), rows("text", &["y", "x", "y"]));
        assert_eq!(difference(false, &a, &b), None);
        assert!(difference(true, &a, &b).is_some());
        assert!(difference(false, &a, &rows("text", &["y", "x", "x"])).is_some());
    }

    #[test]
    fn floats_agree_nearly_and_texts_exactly() {
        let (a, b) = (["0.3", "NaN"], ["0.30000000000000004", "NaN"]);
        assert_eq!(difference(false, &rows("double precision", &a), &rows("double precision", &b)), None);
        assert!(difference(false, &rows("text", &a), &rows("text", &b)).is_some());
        let (up, down) = (["1585432800.0", "1585434600.0", "-1"], ["-1", "1585434600.0", "1585432800.0"]);
        assert_eq!(difference(false, &rows("numeric", &up), &rows("numeric", &down)), None);
    }
}
