//! Inclusion dependencies: proofs that every value of one column is found in another, as a foreign key promises.
//! No key is declared, but statistics are exact for the snapshot that the query reads: a unique column of integers
//! that has as many rows as there are integers between its smallest and its largest value has all of them.

use super::profile::Profiles;
use super::{ColumnId, Relation};

/// Integers up to here are floats without loss.
const EXACT_MAX: f64 = (1u64 << 53) as f64;

/// Whether each value of `column` that is not NULL is, in exactly one row of `scan`, the value of its column `key`.
/// The columns are of one type.
pub(crate) fn is_included(column: ColumnId, scan: &Relation, key: ColumnId, profiles: &Profiles) -> bool {
    let Relation::Scan { table, columns } = scan else { return false };
    let Some((position, _)) = columns.iter().find(|(_, id)| *id == key) else { return false };
    let data_type = table.0.stored_field(*position).data_type;
    let Some(statistics) = table.0.statistics.columns.get(*position) else { return false };
    let bounds = profiles.get(column).bounds;
    let (Some((low, high)), Some((least, most))) = (statistics.proven_range(), bounds) else { return false };
    let exact = (data_type.is_integer() || data_type == crate::types::DataType::Date)
        && [low, high].iter().all(|bound| bound.abs() < EXACT_MAX);
    exact
        // A bound of the rows says nothing.
        && table.0.statistics.about_rows.is_none()
        && high - low + 1.0 == table.0.statistics.rows as f64
        && low <= least
        && most <= high
        && statistics.proofs.is_unique()
}
