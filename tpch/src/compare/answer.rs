//! Answers as text that does not depend on an engine's types, and where two of them differ.
//!
//! Every number has two decimals, rounded half away from zero: one engine's decimal is the other's double. A peer's
//! rows come in this form (`tpch/peers/peer.py`); ours are brought into it here.

use crate::answers::{self, WITH_TIES, compare_rows};
use multiloop::arrow::array::{Array as _, RecordBatch};
use serde::Serialize;
use std::cmp::Ordering;

/// Numbers that differ by less than this, or by a millionth of them, differ in their last digit only.
const LAST_DIGIT: f64 = 0.0101;

/// How an answer differs from Multiloop's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// How much.
    pub verdict: Verdict,
    /// Where first.
    pub detail: String,
}

/// How much two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// In the last digit of some numbers, which rounding explains.
    LastDigit,
    /// In more than that: one of the two is wrong.
    Differs,
}

/// The rows of a result.
pub(super) fn rows(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    // A cell that cannot be shown cannot equal a peer's, so that this is a difference and not lost.
    let mut rows = answers::rows(batches).unwrap_or_else(|error| vec![vec![error.to_string()]]);
    let columns = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    for (cells, (batch, row)) in rows.iter_mut().zip(columns) {
        for (cell, array) in cells.iter_mut().zip(batch.columns()) {
            if array.is_null(row) {
                "NULL".clone_into(cell);
            } else if array.data_type().is_numeric() {
                *cell = cents(cell);
            } else {
                cell.truncate(cell.trim_end().len());
            }
        }
    }
    rows
}

/// A number with two decimals.
pub(super) fn cents(number: &str) -> String {
    let plain = match number.parse::<f64>() {
        Ok(double) if double.is_nan() => return "NULL".to_owned(),
        Ok(double) if number.contains(['e', 'E']) => double.to_string(),
        _ => number.to_owned(),
    };
    let (sign, magnitude) = plain.strip_prefix('-').map_or(("", plain.as_str()), |magnitude| ("-", magnitude));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    // Numbers of more digits than this holds, and infinities, stay as they are.
    let Ok(mut scaled) = format!("{whole}{fraction:0<2.2}").parse::<u128>() else { return plain };
    if fraction.as_bytes().get(2).is_some_and(|digit| *digit >= b'5') {
        scaled += 1;
    }
    let sign = if scaled == 0 { "" } else { sign };
    format!("{sign}{}.{:02}", scaled / 100, scaled % 100)
}

/// Where a peer's answer differs from ours, if it does. Rows are a bag where ORDER BY leaves ties.
pub(super) fn difference(number: usize, ours: &[Vec<String>], mut theirs: Vec<Vec<String>>) -> Option<Difference> {
    let mut ours = ours.to_vec();
    if WITH_TIES.contains(&number) {
        ours.sort_by(|a, b| compare_rows(a, b));
        theirs.sort_by(|a, b| compare_rows(a, b));
    }
    if ours.len() != theirs.len() {
        let detail = format!("{} rows, Multiloop has {}", theirs.len(), ours.len());
        return Some(Difference { verdict: Verdict::Differs, detail });
    }
    let far = |(a, b): &(&Vec<String>, &Vec<String>)| {
        a.len() != b.len() || !a.iter().zip(b.iter()).all(|(a, b)| a == b || is_last_digit(a, b))
    };
    let at = |row: usize| format!("row {}: {}, Multiloop has {}", row + 1, theirs[row].join("|"), ours[row].join("|"));
    let pairs = || ours.iter().zip(&theirs);
    if let Some(row) = pairs().position(|pair| far(&pair)) {
        return Some(Difference { verdict: Verdict::Differs, detail: at(row) });
    }
    let row = pairs().position(|(a, b)| a != b)?;
    Some(Difference { verdict: Verdict::LastDigit, detail: at(row) })
}

fn is_last_digit(a: &str, b: &str) -> bool {
    let (Ok(a), Ok(b)) = (a.parse::<f64>(), b.parse::<f64>()) else { return false };
    let bound = f64::max(LAST_DIGIT, 1e-6 * a.abs().max(b.abs()));
    (a - b).abs().partial_cmp(&bound).is_some_and(Ordering::is_le)
}
