//! Order: comparing rows of columns, for Sort and top-k.

use super::gather::{Gathered, GatheredData};
use super::sort_key::SortKeys;
use crate::pool::Pool;
use multiloop_planner::relation::SortOrder;
use multiloop_planner::value::compare_floats;
use rayon::slice::ParallelSliceMut;
use std::cmp::Ordering;

/// SQL's order of two rows of one column; NULLs, if any, as `order` says.
pub(super) fn compare_rows(column: &Gathered, a: usize, b: usize, order: SortOrder) -> Ordering {
    match (column.is_null(a), column.is_null(b)) {
        (false, false) => {}
        (true, true) => return Ordering::Equal,
        (a_null, _) => {
            return if a_null == order.nulls_first { Ordering::Less } else { Ordering::Greater };
        }
    }
    let ascending = compare_values(column, a, b);
    if order.descending { ascending.reverse() } else { ascending }
}

fn compare_values(column: &Gathered, a: usize, b: usize) -> Ordering {
    match &column.data {
        GatheredData::Bool(values) => values[a].cmp(&values[b]),
        GatheredData::I32(values) => values[a].cmp(&values[b]),
        GatheredData::I64(values) => values[a].cmp(&values[b]),
        GatheredData::I128(values) => values[a].cmp(&values[b]),
        GatheredData::F64(values) => compare_floats(values[a], values[b]),
        GatheredData::Code { codes, .. } => codes[a].cmp(&codes[b]),
        GatheredData::Text(_) => column.text(a).cmp(column.text(b)),
        GatheredData::Interval(values) => values[a].comparable_micros().cmp(&values[b].comparable_micros()),
    }
}

/// An order of values that are equal in SQL's sense but differ: -0 and 0, intervals of one length.
fn compare_forms(column: &Gathered, a: usize, b: usize) -> Ordering {
    match &column.data {
        GatheredData::F64(values) => values[a].total_cmp(&values[b]),
        GatheredData::Interval(values) => values[a].form().cmp(&values[b].form()),
        _ => Ordering::Equal,
    }
}

/// An order of rows: some columns in some directions, then all columns, so that only equal rows are tied.
pub(super) struct RowOrder<'a> {
    pub(super) columns: &'a [Gathered],
    /// Columns by number, most significant first.
    pub(super) order: &'a [(usize, SortOrder)],
}

/// How ties are broken.
const TIES: SortOrder = SortOrder { descending: false, nulls_first: false };

impl RowOrder<'_> {
    /// Compares two rows.
    pub(super) fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        for &(column, order) in self.order {
            let ordering = compare_rows(&self.columns[column], a, b, order);
            if ordering != Ordering::Equal {
                return ordering;
            }
        }
        let unequal = |ordering: &Ordering| *ordering != Ordering::Equal;
        let by_value = self.columns.iter().map(|column| compare_rows(column, a, b, TIES)).find(unequal);
        let by_form = || self.columns.iter().map(|column| compare_forms(column, a, b)).find(unequal);
        by_value.or_else(by_form).unwrap_or(Ordering::Equal)
    }

    /// The rows in order.
    pub(super) fn sorted(&self, rows: usize, pool: Option<&Pool>) -> Vec<u32> {
        let (mut keyed, complete) = self.keyed(rows);
        let compare = |a: &Keyed, b: &Keyed| self.compare_keyed(a, b, complete);
        match pool {
            Some(pool) => pool.install(|| keyed.par_sort_unstable_by(compare)),
            None => keyed.sort_unstable_by(compare),
        }
        keyed.into_iter().map(|(_, row)| row).collect()
    }

    /// The first `count` rows, in order.
    pub(super) fn first(&self, rows: usize, count: usize) -> Vec<u32> {
        if count == 0 {
            return Vec::new();
        }
        let (mut keyed, complete) = self.keyed(rows);
        let compare = |a: &Keyed, b: &Keyed| self.compare_keyed(a, b, complete);
        if count < rows {
            keyed.select_nth_unstable_by(count - 1, compare);
            keyed.truncate(count);
        }
        keyed.sort_unstable_by(compare);
        keyed.into_iter().map(|(_, row)| row).collect()
    }

    /// The rows with their keys, and whether rows with equal keys are equal.
    fn keyed(&self, rows: usize) -> (Vec<Keyed>, bool) {
        let named = |column: usize| self.order.iter().any(|&(other, _)| other == column);
        let ordered = self.order.iter().map(|&(column, order)| (&self.columns[column], order));
        let ties = (0..self.columns.len()).filter(|&column| !named(column)).map(|column| (&self.columns[column], TIES));
        let SortKeys { keys, complete } = SortKeys::new(ordered.chain(ties), rows);
        (keys.into_iter().zip(0..).collect(), complete)
    }

    fn compare_keyed(&self, a: &Keyed, b: &Keyed, complete: bool) -> Ordering {
        let by_key = a.0.cmp(&b.0);
        if complete || by_key != Ordering::Equal {
            return by_key.then(a.1.cmp(&b.1));
        }
        self.compare(a.1, b.1).then(a.1.cmp(&b.1))
    }
}

/// A row behind its key.
type Keyed = (u128, u32);
