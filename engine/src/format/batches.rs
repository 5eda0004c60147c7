//! Files that are read batch by batch, each of which has all columns: Arrow IPC and Avro.

use super::set::FileSet;
use super::store::bytes_of;
use super::unite::Union;
use super::{Unreadable, drop_unreadable, is_of_column, partly, readable_fields};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use multiloop_exec::column::Table;
use multiloop_exec::column::arrow::{are_vectors_and_arrays, fields_of, first_wrong_row, to_column_of};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
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
        let (mut columns, mut unreadable) = (Vec::new(), Vec::new());
        for path in files.iter() {
            let (fields, places, not) = readable_fields(&open(path, None, context)?.schema());
            columns.push((fields, places));
            unreadable.extend(not);
        }
        drop_unreadable(columns.iter_mut().map(|(fields, places)| (fields, places)), &unreadable);
        let mut found = Found { unreadable, ..Found::default() };
        for (path, (fields, places)) in files.iter().zip(columns) {
            found.union.add_typed(path, fields)?;
            found.places.push(places);
        }
        found.union.add_constants(files)?;
        Ok(found)
    }

    /// Reads all rows as columns of these fields.
    fn read(&self, files: &FileSet, open: Open, fields: Vec<Field>, context: &Context) -> Result<Table> {
        let mut builder = TableBuilder::new(fields, Storage::Compact, context);
        for ((path, own), places) in files.iter().zip(&self.places).zip(&self.union.places) {
            let bytes = bytes_of(path)?;
            context.progress.total.fetch_add(bytes, Ordering::Relaxed);
            let mut file = open(path, Some(own.clone()), context)?;
            loop {
                let batches = file.next(context)?;
                if batches.is_empty() {
                    break;
                }
                for batch in batches {
                    builder.push(self.union.batch(places, &batch)?)?;
                }
            }
            context.progress.done.fetch_add(bytes, Ordering::Relaxed);
        }
        builder.finish()
    }

    /// By field of the union, why its values cannot be read as those of the fields that are wanted: of those that can nothing.
    fn wrong_columns(
        &self,
        files: &FileSet,
        open: Open,
        wanted: &[Field],
        context: &Context,
    ) -> Result<Vec<Option<Error>>> {
        let mut wrong: Vec<Option<Error>> = vec![None; self.union.fields.len()];
        for ((path, own), places) in files.iter().zip(&self.places).zip(&self.union.places) {
            for (&place, &at) in own.iter().zip(places.iter()) {
                let field = wanted.get(at).unwrap_or(&self.union.fields[at]);
                if wrong[at].is_none() && self.union.constant(at).is_none() {
                    wrong[at] = match check_column(path, open, (place, field), context) {
                        Ok(()) => None,
                        Err(error) if is_of_column(&error) => Some(error),
                        Err(error) => return Err(error),
                    };
                }
            }
        }
        Ok(wrong)
    }

    /// Makes arrays of vectors that have NULL elements, with which nothing is wrong then; whether there are such.
    fn take_arrays(&mut self, wrong: &mut [Option<Error>]) -> bool {
        let mut taken = false;
        for (field, error) in self.union.fields.iter_mut().zip(wrong) {
            if let (Some((of, _)), Some(ErrorKind::NullNotAllowed)) =
                (field.data_type.vector_of(), error.as_ref().map(Error::kind))
            {
                field.data_type = DataType::list(of);
                *error = None;
                taken = true;
            }
        }
        taken
    }

    /// The same without some fields of the union.
    fn without(&self, files: &FileSet, wrong: &[Option<Error>]) -> Result<Found> {
        let mut found = Found::default();
        for (own, places) in self.places.iter().zip(&self.union.places) {
            let is_right = |(_, at): &(&usize, &usize)| wrong[**at].is_none();
            let (own, at): (Vec<usize>, Vec<usize>) = own.iter().zip(places.iter()).filter(is_right).unzip();
            found.union.add(at.into_iter().map(|at| self.union.fields[at].clone()).collect());
            found.places.push(own);
        }
        found.union.add_constants(files)?;
        Ok(found)
    }
}

/// Reads one column of a file and lets go of it; an error says the row that is to blame, if one is.
fn check_column(path: &Path, open: Open, (place, field): (usize, &Field), context: &Context) -> Result<()> {
    let mut file = open(path, Some(vec![place]), context)?;
    let mut before = 0;
    let told = |error: Error, rows: String| match error.detail() {
        Some(_) => error,
        None => error.with_detail(format!("Column \"{}\" of file {}{rows}.", field.name, path.display())),
    };
    loop {
        let batches = file.next(context).map_err(|error| match is_of_column(&error) {
            true => told(error, format!(", behind row {before}")),
            false => error,
        })?;
        if batches.is_empty() {
            return Ok(());
        }
        for batch in batches {
            let array = batch.column(0);
            let own = fields_of(&batch.schema())?[0].data_type;
            let is_either = are_vectors_and_arrays(own, field.data_type);
            let own = Field { data_type: if is_either { field.data_type } else { own }, ..field.clone() };
            to_column_of(array, &own).map_err(|error| {
                let row = first_wrong_row(array, &own).map(|row| format!(", row {}", before + row + 1));
                told(error, row.unwrap_or_default())
            })?;
            before += batch.num_rows();
        }
    }
}

/// Reads files as one table: columns of one name are one column. Those that cannot be read are left out. Where no columns are
/// `given`, one with a wrong value keeps nobody from the others: reading it gives the error; and vectors with NULL elements are
/// arrays.
pub(super) fn read_readable(
    files: &FileSet,
    open: Open,
    given: Option<&[Field]>,
    context: &Context,
) -> Result<(Table, Vec<Unreadable>)> {
    let mut found = Found::of(files, open, context)?;
    let fields = given.map_or_else(|| found.union.fields.clone(), <[Field]>::to_vec);
    let read = found.read(files, open, fields.clone(), context);
    let Err(error) = read else { return Ok((read?, found.unreadable)) };
    if !is_of_column(&error) {
        return Err(error);
    }
    let mut wrong = found.wrong_columns(files, open, &fields, context)?;
    if given.is_none() && found.take_arrays(&mut wrong) && wrong.iter().all(Option::is_none) {
        return Ok((found.read(files, open, found.union.fields.clone(), context)?, found.unreadable));
    }
    let Some(first) = wrong.iter().flatten().next() else { return Err(error) };
    if given.is_some() {
        return Err(first.clone());
    }
    let right = found.without(files, &wrong)?;
    let table = right.read(files, open, right.union.fields.clone(), context)?;
    Ok((partly::table(table, &found.union.fields, &wrong, files), found.unreadable))
}
