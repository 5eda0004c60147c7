//! Column statistics that reading all rows of a file has given, for plans.

use multiloop_planner::catalog::{ColumnStatistics, Estimates, Proofs};
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;

/// What is known of a column in some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) rows: usize,
    pub(super) nulls: Option<usize>,
    /// The least and the greatest of values that are integers.
    pub(super) range: Option<(i64, i64)>,
}

/// What is known of a column whose rows are in parts; of texts also how long they are, about, in bytes.
pub(super) fn statistics(field: &Field, parts: &[Known], text_bytes: f64) -> ColumnStatistics {
    let value =
        |value: i64| if field.data_type.is_decimal() { Value::Decimal(value.into()) } else { Value::Int(value) };
    let rows: usize = parts.iter().map(|part| part.rows).sum();
    let nulls = parts.iter().map(|part| part.nulls).sum::<Option<usize>>();
    let bounds =
        parts.iter().filter(|part| part.nulls != Some(part.rows)).try_fold(None, |all: Option<(i64, i64)>, part| {
            let (low, high) = part.range?;
            Some(Some(all.map_or((low, high), |(least, greatest)| (least.min(low), greatest.max(high)))))
        });
    let bounds = bounds.flatten();
    let (min, max) = bounds.map(|(low, high)| (value(low), value(high))).unzip();
    // Where it is not known, neither none nor all: there are two rows or more.
    let proofs = Proofs { nulls: nulls.unwrap_or(1) as u64, min, max, ..Proofs::default() };
    let range = bounds.map_or(u64::MAX, |(low, high)| high.abs_diff(low).saturating_add(1));
    let average_bytes = if field.data_type.carrier().is_text() { text_bytes } else { 8.0 };
    ColumnStatistics {
        proofs,
        estimates: Estimates { distinct: Some(range.min(rows as u64)), average_bytes, ..Estimates::default() },
    }
}
