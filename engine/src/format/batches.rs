//! Files that are read batch by batch, each of which has all columns: Arrow IPC and Avro.

use super::set::FileSet;
use super::store::bytes_of;
use super::unite::Union;
use super::{Unreadable, readable_fields};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use multiloop_exec::Result;
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Context;
use multiloop_planner::types::Field;
use std::path::Path;
use std::sync::atomic::Ordering;

/// A file of batches.
pub(super) trait Batches {
    /// Its columns; of those that were chosen, if some were.
    fn schema(&self) -> SchemaRef;

    /// Some of its next batches, in order; none at the end.
    fn next(&mut self, context: &Context) -> Result<Vec<RecordBatch>>;
}

/// Opens a file for the columns at some places, or for all.
pub(super) type Open = fn(&Path, Option<Vec<usize>>, &Context) -> Result<Box<dyn Batches>>;

/// The columns of files.
pub(super) fn read_fields(files: &FileSet, open: Open, context: &Context) -> Result<Vec<Field>> {
    Ok(Found::of(files, open, context)?.union.fields)
}

/// What files have together, and where in each file it is.
#[derive(Default)]
struct Found {
    union: Union,
    places: Vec<Vec<usize>>,
    unreadable: Vec<Unreadable>,
}

impl Found {
    fn of(files: &FileSet, open: Open, context: &Context) -> Result<Found> {
        let mut found = Found::default();
        for path in files.iter() {
            let (fields, places, unreadable) = readable_fields(&open(path, None, context)?.schema());
            found.union.add_typed(path, fields)?;
            found.places.push(places);
            found.unreadable.extend(unreadable);
        }
        found.union.check_readable(&found.unreadable)?;
        found.union.add_constants(files)?;
        Ok(found)
    }
}

/// Reads files as one table: columns of one name are one column. Those that cannot be read are left out.
pub(super) fn read_readable(
    files: &FileSet,
    open: Open,
    fields: Option<&[Field]>,
    context: &Context,
) -> Result<(Table, Vec<Unreadable>)> {
    let Found { union, places, unreadable } = Found::of(files, open, context)?;
    let fields = fields.map_or_else(|| union.fields.clone(), <[Field]>::to_vec);
    let mut builder = TableBuilder::new(fields, Storage::Compact, context);
    for ((path, own), places) in files.iter().zip(places).zip(&union.places) {
        let bytes = bytes_of(path)?;
        context.progress.total.fetch_add(bytes, Ordering::Relaxed);
        let mut file = open(path, Some(own), context)?;
        loop {
            let batches = file.next(context)?;
            if batches.is_empty() {
                break;
            }
            for batch in batches {
                builder.push(union.batch(places, &batch)?)?;
            }
        }
        context.progress.done.fetch_add(bytes, Ordering::Relaxed);
    }
    Ok((builder.finish()?, unreadable))
}
