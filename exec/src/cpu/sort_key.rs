//! Normalised keys: as many columns of an order as fit, packed into one number each row, so that most comparisons of rows
//! are one comparison of integers.
//!
//! A column takes the bits of its range: integers and dictionary codes their distance from the least one, floats their
//! bits in an order of integers, NULL one more value at the end that the order asks for. Descending columns count
//! backwards. Text has no such range; its first bytes take what room is left, and end the key. What a key does not tell
//! apart is compared column by column.
//!
//! Source: key normalisation in sorting (Graefe: Implementing Sorting in Database Systems, 2006, section 2).

use super::gather::{Gathered, GatheredData};
use crate::technique::Technique;
use multiloop_planner::relation::SortOrder;
use multiloop_planner::value::canonical_float_bits;

/// Bits of a key.
const BITS: u32 = 128;

/// Keys of rows.
pub(super) struct SortKeys {
    /// One a row; smaller ones come first.
    pub(super) keys: Vec<u128>,
    /// Whether rows with equal keys are equal in all columns.
    pub(super) complete: bool,
}

impl SortKeys {
    /// Packs the columns in this order, most significant first.
    pub(super) fn new<'a>(columns: impl Iterator<Item = (&'a Gathered, SortOrder)>, rows: usize) -> Self {
        let mut sort_keys = SortKeys { keys: vec![0; rows], complete: true };
        let mut free = BITS;
        for (column, order) in columns {
            if !Technique::SortKeys.is_on() || !sort_keys.add(column, order, &mut free) {
                sort_keys.complete = false;
                break;
            }
        }
        sort_keys
    }

    /// Adds a column; false if nothing may follow it.
    fn add(&mut self, column: &Gathered, order: SortOrder, free: &mut u32) -> bool {
        match &column.data {
            GatheredData::Bool(values) => self.add_range(column, order, free, |row| i128::from(values[row])),
            GatheredData::I32(values) => self.add_range(column, order, free, |row| values[row].into()),
            GatheredData::I64(values) => self.add_range(column, order, free, |row| values[row].into()),
            GatheredData::I128(values) => self.add_range(column, order, free, |row| values[row]),
            GatheredData::Code { codes, .. } => self.add_range(column, order, free, |row| codes[row].into()),
            GatheredData::F64(values) => {
                // Zeros and NaNs of one key may still differ.
                self.add_range(column, order, free, |row| ordered_bits(values[row]).into());
                false
            }
            GatheredData::Interval(values) => {
                self.add_range(column, order, free, |row| values[row].comparable_micros());
                false
            }
            GatheredData::Text(_) => {
                self.add_prefix(column, order, *free);
                false
            }
        }
    }

    /// Adds integers if their range fits; false if not.
    fn add_range(
        &mut self,
        column: &Gathered,
        order: SortOrder,
        free: &mut u32,
        value: impl Fn(usize) -> i128,
    ) -> bool {
        let rows = self.keys.len();
        let valid = (0..rows).filter(|&row| !column.is_null(row));
        let bounds = valid.fold(None, |bounds: Option<(i128, i128)>, row| {
            let value = value(row);
            Some(bounds.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        let (low, high) = bounds.unwrap_or((0, 0));
        // NULL is one value more.
        let Some(last) = high.checked_sub(low).and_then(|span| span.checked_add(1)) else { return false };
        let last = last as u128;
        let bits = u128::BITS - last.leading_zeros();
        if bits > *free {
            return false;
        }
        *free -= bits;
        let shift = *free;
        let null = if order.nulls_first { 0 } else { last };
        let first = u128::from(order.nulls_first);
        for (row, key) in self.keys.iter_mut().enumerate() {
            let code = if column.is_null(row) {
                null
            } else if order.descending {
                first + (high - value(row)) as u128
            } else {
                first + (value(row) - low) as u128
            };
            *key |= code.checked_shl(shift).unwrap_or(0);
        }
        true
    }

    /// Adds the first bytes of strings, as many as there is room for, behind a bit for NULL.
    fn add_prefix(&mut self, column: &Gathered, order: SortOrder, free: u32) {
        let bytes = (free.saturating_sub(1) / 8) as usize;
        if bytes == 0 {
            return;
        }
        let most = u128::MAX >> (BITS - bytes as u32 * 8);
        let null_bit = 1u128 << (bytes * 8);
        for (row, key) in self.keys.iter_mut().enumerate() {
            let null = column.is_null(row);
            if null != order.nulls_first {
                *key |= null_bit;
            }
            if !null {
                let text = column.text(row);
                let prefix =
                    (0..bytes).fold(0u128, |prefix, at| prefix << 8 | u128::from(text.get(at).copied().unwrap_or(0)));
                *key |= if order.descending { most - prefix } else { prefix };
            }
        }
    }
}

/// Bits whose unsigned order is SQL's order of floats: -0 is 0, NaN the largest.
fn ordered_bits(float: f64) -> u64 {
    let bits = canonical_float_bits(float);
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::super::order::compare_rows;
    use super::*;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::{Interval, Value};
    use std::cmp::Ordering;

    /// Keys never contradict the order of rows, and complete ones tell all rows apart that differ.
    fn check(columns: &[(Gathered, SortOrder)], rows: usize, complete: bool) {
        let keys = SortKeys::new(columns.iter().map(|(column, order)| (column, *order)), rows);
        assert_eq!(keys.complete, complete);
        for a in 0..rows {
            for b in 0..rows {
                let orders = columns.iter().map(|(column, order)| compare_rows(column, a, b, *order));
                let order = orders.fold(Ordering::Equal, Ordering::then);
                let by_key = keys.keys[a].cmp(&keys.keys[b]);
                assert!(by_key == order || (by_key == Ordering::Equal && !complete), "rows {a} and {b}: {by_key:?}");
            }
        }
    }

    #[test]
    fn keys_order_rows() {
        let integer = |value: i128| Value::Decimal(value);
        let wide = [0, 1, -1, i128::from(i64::MAX), i128::from(i64::MIN), i128::MAX / 4, i128::MIN / 4];
        let narrow = [5, 5, 3, -7, 120, 0, 3];
        let floats = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.5];
        let texts = ["", "a", "ab", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyy", "b", "ä"];
        let spans = [(0, 30), (1, 0), (0, 0), (0, -1), (-1, 0), (0, 31), (12, 0)];
        let with_null = |mut values: Vec<Value>| {
            values.extend([Value::Null, values[0].clone()]);
            values
        };
        let of = |values: Vec<Value>, data_type| Gathered::from_values(&with_null(values), data_type);
        let decimal = DataType::Decimal { precision: 38, scale: 0 };
        let columns = [
            (of(narrow.map(|value| Value::Int(value.into())).to_vec(), DataType::BigInt), true),
            (of(wide.map(integer).to_vec(), decimal), true),
            (of(floats.map(Value::Float).to_vec(), DataType::Double), false),
            (of(texts.map(Value::text).to_vec(), DataType::Text), false),
            (
                of(
                    spans.map(|(months, days)| Value::Interval(Interval { months, days, micros: 0 })).to_vec(),
                    DataType::Interval,
                ),
                false,
            ),
        ];
        for descending in [false, true] {
            for nulls_first in [false, true] {
                let order = SortOrder { descending, nulls_first };
                for (first, complete) in &columns {
                    check(&[(first.clone(), order)], 9, *complete);
                    for (second, _) in &columns {
                        let second = (second.clone(), SortOrder { descending: !descending, nulls_first });
                        let both = [(columns[0].0.clone(), order), (first.clone(), order), second];
                        let keys = SortKeys::new(both.iter().map(|(column, order)| (column, *order)), 9);
                        check(&both, 9, keys.complete);
                    }
                }
            }
        }
        check(&[], 3, true);
    }
}
