//! What a state has that another has not, as it is logged: definitions that differ, and of tables the rows.
//!
//! Along a line of snapshots ([`history`](crate::catalog::history)) the steps say which rows differ. Of another line, which a table
//! begins whose rows have got other numbers or of which very many have changed, columns are told apart by their identities: chunks
//! that are as they were are not written again.

use super::record::{Change, Definition, ObjectChange, Piece, RowChange, Rows, SchemaDefinition, Set, runs};
use super::values;
use crate::Result;
use crate::catalog::history::rows_of;
use crate::catalog::{Domains, Entry, Object, Qualified, Schemas, StoredTable, free_oid};
use multiloop_exec::column::{Chunk, Table};
use multiloop_exec::workers::context::Context;
use std::collections::HashMap;
use std::sync::Arc;

/// Takes rows, as values, that are to be kept somewhere: in one piece, or in several.
pub(super) type Keep<'k> = dyn FnMut(&Table) -> Result<Vec<Rows>> + 'k;

/// What `after` has that `before` has not.
pub(super) fn difference(before: &Schemas, after: &Schemas, keep: &mut Keep<'_>, context: &Context) -> Result<Change> {
    let mut change = Change { oids: free_oid(), ..Change::default() };
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        change.schemas.push((name.clone(), None));
    }
    let mut new: Vec<(Qualified, &Object)> = Vec::new();
    let mut gone: HashMap<u32, (Qualified, &Object)> = HashMap::new();
    for (name, is) in after.iter() {
        let was = before.get(name);
        if was.is_some_and(|was| Arc::ptr_eq(was, is)) {
            continue;
        }
        let definition = SchemaDefinition::of(is);
        if was.is_none_or(|was| SchemaDefinition::of(was) != definition) {
            change.schemas.push((name.clone(), Some(definition)));
        }
        for (object, is) in &is.objects {
            let was = was.and_then(|was| was.objects.get(object));
            if was.is_none_or(|was| was.version != is.version) {
                new.push((Qualified { schema: name.clone(), name: object.clone() }, is));
            }
        }
    }
    for (name, was) in before.iter() {
        let is = after.get(name);
        if is.is_some_and(|is| Arc::ptr_eq(was, is)) {
            continue;
        }
        for (object, was) in &was.objects {
            let is = is.and_then(|is| is.objects.get(object));
            // Another object under its name is one of its own.
            if is.is_none_or(|is| is.oid != was.oid) {
                let name = Qualified { schema: name.clone(), name: object.clone() };
                if is.is_none() {
                    change.removed.push(name.clone());
                }
                gone.insert(was.oid, (name, was));
            }
        }
    }
    for (name, is) in new {
        let Some(definition) = Definition::of(is) else {
            // Rows of a program's own are under a name that something kept may have had.
            if before.get(&name.schema).is_some_and(|of| of.objects.contains_key(&name.name)) {
                change.removed.push(name);
            }
            continue;
        };
        let there = before.get(&name.schema).and_then(|of| of.objects.get(&name.name)).filter(|was| was.oid == is.oid);
        let (was, old) = match (there, gone.get(&is.oid)) {
            (Some(there), _) => (None, Some(there)),
            (None, Some((was, old))) => (Some(was.clone()), Some(*old)),
            (None, None) => (None, None),
        };
        let old_definition = old.and_then(Definition::of);
        let old = old.filter(|_| old_definition.is_some());
        let rows = match &is.entry {
            Entry::Table(table) => row_change(old.and_then(table_of), table, keep, context)?,
            _ => RowChange::None,
        };
        let is_same = old_definition.as_ref() == Some(&definition);
        let definition = (!is_same).then_some(definition);
        if definition.is_some() || was.is_some() || !rows.is_none() {
            change.objects.push(ObjectChange { name, was, definition, rows });
        }
    }
    Ok(change)
}

fn table_of(object: &Object) -> Option<&StoredTable> {
    match &object.entry {
        Entry::Table(table) => Some(table),
        _ => None,
    }
}

/// How the rows of a table follow from those of another.
fn row_change(
    old: Option<&StoredTable>,
    new: &StoredTable,
    keep: &mut Keep<'_>,
    context: &Context,
) -> Result<RowChange> {
    let types = |table: &StoredTable| {
        let fields = table.info.declared.fields(&table.info.fields);
        fields.into_iter().map(|field| field.data_type).collect::<Vec<_>>()
    };
    let Some(old) = old.filter(|old| types(old) == types(new)) else {
        return all_new(new, keep, context);
    };
    if Arc::ptr_eq(old.stored(), new.stored()) {
        return Ok(RowChange::None);
    }
    let live = || usize::try_from(old.rows()).is_ok_and(|rows| rows == new.stored().rows());
    if let Some(by) = new.history.arranged_since(&old.history).filter(|_| live()) {
        return Ok(RowChange::Arranged { by: by.to_vec() });
    }
    match new.history.since(&old.history).filter(|_| new.stored().rows() >= old.stored().rows()) {
        Some(steps) => {
            let first = old.stored().rows();
            let gone = rows_of(steps.iter().filter(|step| step.columns.is_none()), usize::MAX);
            let set = rows_of(steps.iter().filter(|step| step.columns.is_some()), first);
            let mut columns: Vec<usize> =
                steps.iter().filter_map(|step| step.columns.as_ref()).flatten().copied().collect();
            columns.sort_unstable();
            columns.dedup();
            let set = match set.is_empty() {
                true => Vec::new(),
                false => {
                    let given = values::at(new, &set, context)?.rearranged(&columns);
                    vec![Set { rows: runs(set), columns, values: keep(&given)? }]
                }
            };
            let appended = appended(new, first, keep, context)?;
            if set.is_empty() && gone.is_empty() && appended.is_empty() {
                return Ok(RowChange::None);
            }
            Ok(RowChange::Steps { set, gone: runs(gone), appended })
        }
        None => by_identity(old, new, keep, context),
    }
}

/// The rows behind the first so many.
fn appended(new: &StoredTable, first: usize, keep: &mut Keep<'_>, context: &Context) -> Result<Vec<Rows>> {
    let last = new.stored().rows();
    if first == last { Ok(Vec::new()) } else { keep(&values::between(new, first..last, context)?) }
}

fn all_new(new: &StoredTable, keep: &mut Keep<'_>, context: &Context) -> Result<RowChange> {
    let pieces = appended(new, 0, keep, context)?.into_iter().map(Piece::New).collect();
    Ok(RowChange::Pieces { pieces, gone: runs(values::deleted(new, context)?) })
}

/// The difference of two tables that are not of one line.
fn by_identity(old: &StoredTable, new: &StoredTable, keep: &mut Keep<'_>, context: &Context) -> Result<RowChange> {
    let own = new.info.fields.len();
    let (old, new) = (&*old.loaded(&Domains::default, context)?, &*new.loaded(&Domains::default, context)?);
    let (was, is) = (&old.stored().chunks, &new.stored().chunks);
    let differing = |was: &Chunk, is: &Chunk| -> Vec<usize> {
        let same = |column: &usize| was.columns[*column].identity.watch() == is.columns[*column].identity.watch();
        (0..own).filter(|column| !same(column)).collect()
    };
    // Rows at their places still?
    let in_place = is.len() >= was.len() && was.iter().zip(is.iter()).all(|(was, is)| was.rows == is.rows);
    let gone_before = values::deleted(old, context)?;
    let gone_after = values::deleted(new, context)?;
    if in_place && gone_before.iter().all(|row| gone_after.binary_search(row).is_ok()) {
        let mut set: Vec<Set> = Vec::new();
        let mut start = 0;
        for (was, is) in was.iter().zip(is.iter()) {
            let columns = differing(was, is);
            if !columns.is_empty() {
                let given = values::between(new, start..start + is.rows, context)?.rearranged(&columns);
                set.push(Set { rows: vec![(start, is.rows)], columns, values: keep(&given)? });
            }
            start += is.rows;
        }
        let gone = gone_after.into_iter().filter(|row| gone_before.binary_search(row).is_err());
        return Ok(RowChange::Steps { set, gone: runs(gone), appended: appended(new, start, keep, context)? });
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let starts = was.starts();
    let (mut at, mut start, mut new_from) = (0, 0, 0);
    let mut flush = |pieces: &mut Vec<Piece>, from: usize, to: usize| -> Result<()> {
        if from < to {
            pieces.extend(keep(&values::between(new, from..to, context)?)?.into_iter().map(Piece::New));
        }
        Ok(())
    };
    for chunk in is.iter() {
        context.check()?;
        let found = (at..was.len())
            .find(|&other| was[other].rows == chunk.rows && (own > 0 && differing(&was[other], chunk).is_empty()));
        if let Some(found) = found {
            flush(&mut pieces, new_from, start)?;
            new_from = start + chunk.rows;
            at = found + 1;
            match pieces.last_mut() {
                Some(Piece::Kept(first, count)) if *first + *count == starts[found] => *count += chunk.rows,
                _ => pieces.push(Piece::Kept(starts[found], chunk.rows)),
            }
        }
        start += chunk.rows;
    }
    flush(&mut pieces, new_from, start)?;
    Ok(RowChange::Pieces { pieces, gone: runs(gone_after) })
}
