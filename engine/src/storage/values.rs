//! Rows of stored tables as values: without codes, and numerics as such.

use crate::Result;
use crate::catalog::{Domains, StoredTable};
use multiloop_exec::column::{Table, domain};
use multiloop_exec::workers::context::Context;
use std::ops::Range;
use std::sync::Arc;

/// Rows by their numbers.
pub(super) fn at(stored: &StoredTable, numbers: &[usize], context: &Context) -> Result<Table> {
    let count = stored.info.fields.len();
    let stored = &*stored.loaded(&Domains::default, context)?;
    declared(stored, domain::rows_at(stored.stored(), &stored.own_domains(), numbers, count, context)?, context)
}

/// Rows next to each other.
pub(super) fn between(stored: &StoredTable, rows: Range<usize>, context: &Context) -> Result<Table> {
    let stored = &*stored.loaded(&Domains::default, context)?;
    let chunks = &stored.stored().chunks;
    let starts = chunks.starts();
    let first = starts.binary_search(&rows.start);
    let last = if rows.end == stored.stored().rows() { Ok(chunks.len()) } else { starts.binary_search(&rows.end) };
    let (Ok(first), Ok(last)) = (first, last) else {
        return at(stored, &rows.collect::<Vec<_>>(), context);
    };
    let own: Vec<usize> = (0..stored.info.fields.len()).collect();
    let whole = Table::clone(stored.stored());
    let some = Table { chunks: chunks[first..last].iter().cloned().collect(), ..whole };
    let domains = stored.own_domains();
    let some = some.rearranged(&own);
    let some = if domains.iter().all(Option::is_none) { some } else { domain::decode(&some, &domains, context)? };
    declared(stored, some, context)
}

/// The numbers of rows that are deleted.
pub(super) fn deleted(stored: &StoredTable, context: &Context) -> Result<Vec<usize>> {
    if let Some(gone) = stored.unloaded_gone() {
        return Ok(gone.to_vec());
    }
    let Some(marks) = stored.info.hidden.deleted else { return Ok(Vec::new()) };
    let mut start = 0;
    let mut deleted = Vec::new();
    for chunk in stored.stored().chunks.iter() {
        context.check()?;
        // A chunk without any says so by its range.
        if chunk.ranges.get(marks) != Some(&Some((0, 0))) {
            let rows = (0..chunk.rows).filter(|&row| Table::is_marked(&chunk.columns, row, marks));
            deleted.extend(rows.map(|row| start + row));
        }
        start += chunk.rows;
    }
    Ok(deleted)
}

/// Rows with the types that their table was declared with.
fn declared(stored: &StoredTable, rows: Table, context: &Context) -> Result<Table> {
    let declared = Arc::clone(&stored.info.declared);
    let rows = rows.as_numerics(&declared.numerics, context)?;
    let fields = declared.fields(&rows.fields);
    rows.with_fields(fields)
}
