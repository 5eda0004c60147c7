//! Values that are much more common than others, found in a sample of the rows: a condition that asks for one of them passes
//! many rows, though a column has many values.

use super::hash::hash_of;
use super::{Column, ColumnData};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;

/// Rows that are looked at.
const SAMPLE: u64 = 2048;

/// Rows of the sample that have a common value, at least: of fewer chance decides.
const SEEN_LEAST: usize = 16;

/// How many times as often as the average value.
const TIMES_LEAST: f64 = 3.0;

/// Values that are kept, at most: conditions are compared with all of them.
const KEPT_MAX: usize = 32;

/// Longer texts are not kept.
const TEXT_BYTES_MAX: usize = 256;

/// The common values of a column that has about so many distinct ones, with the share of rows that each has; the most common
/// one first.
pub(super) fn values(chunks: &[&Column], rows: u64, data_type: DataType, distinct: u64) -> Arc<[(Value, f64)]> {
    let is_vector = |column: &&Column| {
        matches!(column.data, ColumnData::Vectors32 { .. } | ColumnData::Vectors64 { .. } | ColumnData::Numerics(_))
    };
    if rows < SEEN_LEAST as u64 || distinct < 2 || distinct >= rows || chunks.iter().any(is_vector) {
        return Arc::default();
    }
    let looked_at = SAMPLE.min(rows);
    let mut seen: FxHashMap<u64, (usize, usize, usize)> = FxHashMap::default();
    let (mut chunk, mut first) = (0, 0);
    for row in sample(rows, looked_at) {
        while row - first >= chunks[chunk].rows() as u64 {
            first += chunks[chunk].rows() as u64;
            chunk += 1;
        }
        let place = (row - first) as usize;
        if !chunks[chunk].is_null(place) {
            seen.entry(hash_of(chunks[chunk], place)).or_insert((0, chunk, place)).0 += 1;
        }
    }
    let least = (TIMES_LEAST * looked_at as f64 / distinct as f64).max(SEEN_LEAST as f64);
    let mut common: Vec<(usize, usize, usize)> =
        seen.into_values().filter(|&(times, ..)| times as f64 >= least).collect();
    // By the row where one was first seen among those that are as common, so that it is always the same list.
    common.sort_unstable_by_key(|&(times, chunk, place)| (Reverse(times), chunk, place));
    common.truncate(KEPT_MAX);
    let kept = common.into_iter().filter_map(|(times, chunk, place)| {
        let value = chunks[chunk].value(place, data_type);
        let is_short = !matches!(&value, Value::Text(text) if text.len() > TEXT_BYTES_MAX);
        is_short.then_some((value, times as f64 / looked_at as f64))
    });
    kept.collect()
}

/// Rows all over a table, in order: all, if it has no more. Others are at multiples of the golden ratio, which meet no pattern.
fn sample(rows: u64, looked_at: u64) -> Vec<u64> {
    if rows == looked_at {
        return (0..rows).collect();
    }
    let place = |at: u64| ((u128::from(at.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * u128::from(rows)) >> 64) as u64;
    let mut places: Vec<u64> = (0..looked_at).map(place).collect();
    places.sort_unstable();
    places
}

/// The common values of the rows of two tables, as far as these are known of either.
pub(super) fn united(left: (&[(Value, f64)], u64), right: (&[(Value, f64)], u64)) -> Arc<[(Value, f64)]> {
    if left.0.is_empty() && right.0.is_empty() {
        return Arc::default();
    }
    let rows = (left.1 + right.1).max(1) as f64;
    let mut all: Vec<(Value, f64)> = Vec::new();
    for (values, own) in [left, right] {
        for (value, share) in values {
            let share = share * own as f64 / rows;
            match all.iter_mut().find(|(known, _)| known == value) {
                Some((_, known)) => *known += share,
                None => all.push((value.clone(), share)),
            }
        }
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(KEPT_MAX);
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(chunks: &[&[Value]], data_type: DataType) -> Vec<Column> {
        chunks.iter().map(|values| Column::from_values(data_type, *values)).collect()
    }

    fn common(values: &[Value], data_type: DataType, distinct: u64) -> Vec<(Value, f64)> {
        let (left, right) = values.split_at(values.len() / 3);
        let columns = columns(&[left, &[], right], data_type);
        let columns: Vec<&Column> = columns.iter().collect();
        self::values(&columns, values.len() as u64, data_type, distinct).to_vec()
    }

    #[test]
    fn values_much_more_common_than_others_are_found() {
        // Every fourth is the same, every tenth NULL.
        let value = |at: usize| match at {
            _ if at % 10 == 9 => Value::Null,
            _ if at.is_multiple_of(4) => Value::text("usual"),
            _ => Value::text(format!("{at}")),
        };
        for rows in [100, 2048, 50_000] {
            let values: Vec<Value> = (0..rows).map(value).collect();
            let found = common(&values, DataType::Text, rows as u64 * 2 / 3);
            assert_eq!(found.len(), 1, "{rows}: {found:?}");
            assert_eq!(found[0].0, Value::text("usual"));
            assert!((found[0].1 - 0.25).abs() < 0.03, "{rows}: {found:?}");
        }
    }

    #[test]
    fn values_that_are_as_common_as_others_are_not_kept() {
        let even: Vec<Value> = (0..10_000).map(|at| Value::Int(at % 7)).collect();
        assert_eq!(common(&even, DataType::Integer, 7), []);
        let unique: Vec<Value> = (0..10_000).map(Value::Int).collect();
        assert_eq!(common(&unique, DataType::Integer, 10_000), []);
        assert_eq!(common(&[], DataType::Integer, 0), []);
        let long = Value::text("x".repeat(300));
        let long: Vec<Value> =
            (0..9_000).map(|at| if at % 3 == 0 { long.clone() } else { Value::text(format!("{at}")) }).collect();
        assert_eq!(common(&long, DataType::Text, 6_001), []);
    }

    #[test]
    fn shares_of_two_tables_are_weighted_by_their_rows() {
        let (a, b) = ((Value::Int(1), 0.5), (Value::Int(2), 0.1));
        let both = united((&[a.clone(), b.clone()], 300), (&[(Value::Int(2), 0.9)], 100));
        assert_eq!(both.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>(), [Value::Int(1), Value::Int(2)]);
        assert!((both[0].1 - 0.375).abs() < 1e-9 && (both[1].1 - 0.3).abs() < 1e-9, "{both:?}");
        assert!(united((&[], 5), (&[], 7)).is_empty());
        assert_eq!(united((std::slice::from_ref(&a), 10), (&[], 0)).to_vec(), [a]);
    }
}
