//! Which views can be changed, and which of their columns: what `pg_relation_is_updatable` and the information schema tell.

use super::Making;
use super::rows::{Rows, int, oid};
use crate::catalog::{Entry, Qualified, State};
use multiloop_planner::catalog::TableName;
use multiloop_planner::sql::updatable_columns;
use multiloop_planner::value::Value;

/// Views that read each other that are followed.
const DEPTH_MAX: usize = 100;

/// The numbers of what may be done, as bits: UPDATE, INSERT and DELETE.
const ALL: i64 = 28;
const DELETE: i64 = 16;

/// Rows of multiloop_updatable: of each view that can be changed what may be done to it, under the number 0, and its columns that can be
/// set, under theirs.
pub(super) fn views(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_updatable", "relid attnum events");
    for (schema, name, object) in making.objects() {
        if !matches!(object.entry, Entry::View(_)) {
            continue;
        }
        let of = Qualified { schema: schema.to_owned(), name: name.to_owned() };
        let Some(columns) = columns_of(making.state, &of.to_name(), 0) else { continue };
        let events = if columns.contains(&true) { ALL } else { DELETE };
        rows.push([oid(object.oid), int(0), int(events)]);
        for at in (0..columns.len()).filter(|&at| columns[at]) {
            rows.push([oid(object.oid), int(at as i64 + 1), int(ALL)]);
        }
    }
    rows.finish()
}

/// Which columns of a table or view can be set; none of what cannot be changed.
fn columns_of(state: &State, name: &TableName, depth: usize) -> Option<Vec<bool>> {
    match state.get(&Qualified::of(name)?)? {
        Entry::Table(table) if table.info.declared.materialized.is_none() => Some(vec![true; table.info.fields.len()]),
        Entry::View(view) if depth < DEPTH_MAX => {
            let (below, columns) = updatable_columns(&view.view)?;
            let below = columns_of(state, &below, depth + 1)?;
            Some(columns.into_iter().map(|of| of.and_then(|of| below.get(of).copied()).unwrap_or(false)).collect())
        }
        _ => None,
    }
}
