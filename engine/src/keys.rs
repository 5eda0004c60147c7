//! PRIMARY KEY and UNIQUE: whether rows that are appended to a table leave each key different in all rows.
//!
//! Where the statistics of the new table prove a column of the key unique there is nothing to do: so it is for serial numbers and
//! for most files. Else the keys of the new rows are put into a set, and the old rows looked up in it, all of them only if their
//! range is not apart from the new ones'.

use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::{Chunk, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::Key;
use multiloop_planner::evaluate;
use multiloop_planner::value::Value;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// The error (23505) for the first key that two rows share.
pub(crate) fn check(name: &str, keys: &[Key], old: &Table, rows: &Table, all: &Table, context: &Context) -> Result<()> {
    for key in keys {
        if is_proven(key, all) {
            continue;
        }
        let looks_back = !is_apart(key, old, rows);
        let repeated = match key.columns.as_slice() {
            [column] if rows.fields[*column].data_type.integer_bounds().is_some() => {
                let of = |chunk: &Chunk, row: usize| match chunk.columns[*column].is_null(row) {
                    true => key.nulls_equal.then_some(None),
                    false => Some(chunk.columns[*column].integer(row)),
                };
                repeated(old, rows, looks_back, of, context)?
            }
            _ => repeated(old, rows, looks_back, |chunk, row| values(key, rows, chunk, row), context)?,
        };
        if let Some((chunk, row)) = repeated {
            return Err(violation(name, key, rows, &chunk, row));
        }
    }
    Ok(())
}

/// Whether statistics say that no two rows share the key: one column of it is enough.
fn is_proven(key: &Key, all: &Table) -> bool {
    key.columns.iter().any(|&column| {
        let statistics = &all.statistics.columns[column];
        statistics.unique || (statistics.unique_values && (!key.nulls_equal || statistics.nulls <= 1))
    })
}

/// Whether the new rows' keys are all below or all above the old ones.
fn is_apart(key: &Key, old: &Table, rows: &Table) -> bool {
    old.rows() == 0
        || key.columns.iter().any(|&column| {
            let (old, new) = (&old.statistics.columns[column], &rows.statistics.columns[column]);
            let below = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
                (Some(a), Some(b)) => a.compare(b).is_lt(),
                _ => false,
            };
            let nulls_meet = key.nulls_equal && old.nulls > 0 && new.nulls > 0;
            !nulls_meet && (below(&old.max, &new.min) || below(&new.max, &old.min))
        })
}

/// A row's key, so that what SQL finds equal is; none if a NULL makes it unlike any.
fn values(key: &Key, table: &Table, chunk: &Chunk, row: usize) -> Option<Vec<Value>> {
    let mut values = Vec::with_capacity(key.columns.len());
    for &column in &key.columns {
        let value = chunk.columns[column].value(row, table.fields[column].data_type);
        if value.is_null() && !key.nulls_equal {
            return None;
        }
        values.push(value.group_key());
    }
    Some(values)
}

/// The first new row whose key another row has.
fn repeated<K: Eq + Hash>(
    old: &Table,
    rows: &Table,
    looks_back: bool,
    key: impl Fn(&Chunk, usize) -> Option<K>,
    context: &Context,
) -> Result<Option<(Arc<Chunk>, usize)>> {
    let mut seen = HashSet::with_capacity(rows.rows());
    for chunk in &rows.chunks {
        context.check()?;
        for row in 0..chunk.rows {
            if key(chunk, row).is_some_and(|key| !seen.insert(key)) {
                return Ok(Some((Arc::clone(chunk), row)));
            }
        }
    }
    for chunk in old.chunks.iter().filter(|_| looks_back) {
        context.check()?;
        for row in 0..chunk.rows {
            if key(chunk, row).is_some_and(|key| seen.contains(&key)) {
                return Ok(Some((Arc::clone(chunk), row)));
            }
        }
    }
    Ok(None)
}

fn violation(name: &str, key: &Key, table: &Table, chunk: &Chunk, row: usize) -> Error {
    let names: Vec<&str> = key.columns.iter().map(|&column| table.fields[column].name.as_str()).collect();
    let shown = key.columns.iter().map(|&column| {
        let data_type = table.fields[column].data_type;
        match chunk.columns[column].value(row, data_type) {
            Value::Null => "null".to_owned(),
            value => evaluate::format(&value, data_type),
        }
    });
    let (names, shown) = (names.join(", "), shown.collect::<Vec<_>>().join(", "));
    let message = format!("duplicate key value violates unique constraint \"{}\" of relation \"{name}\"", key.name);
    Error::new(ErrorKind::UniqueViolation, message).with_hint(format!("Key ({names})=({shown}) already exists."))
}
