//! Several files as one table: columns of one name are one column, in the order in which they were first seen.

use super::Unreadable;
use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{Field as ArrowField, Schema};
use arrow::error::ArrowError;
use multiloop_exec::column::arrow::{fields_of, schema_of};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType, Field};
use std::path::Path;
use std::sync::Arc;

/// The columns that files have together.
#[derive(Clone, Debug, Default)]
pub(super) struct Union {
    pub(super) fields: Vec<Field>,
    /// For each file, where its columns are among the fields.
    pub(super) places: Vec<Vec<usize>>,
}

impl Union {
    /// Adds a file's columns by their names; types stay as they were first seen.
    pub(super) fn add(&mut self, fields: Vec<Field>) {
        let first = self.places.is_empty();
        let known = self.fields.len();
        let mut places = Vec::with_capacity(fields.len());
        for field in fields {
            let found = self.fields.iter().position(|other| other.name == field.name);
            places.push(found.unwrap_or(self.fields.len()));
            match found {
                Some(at) => self.fields[at].nullable |= field.nullable,
                // The files before had no such column.
                None => self.fields.push(Field { nullable: field.nullable || !first, ..field }),
            }
        }
        for at in (0..known).filter(|at| !places.contains(at)) {
            self.fields[at].nullable = true;
        }
        self.places.push(places);
    }

    /// Adds a file's columns; those of one name are of the wider of their types. An error (42804) that names the file and
    /// the column if there is none.
    pub(super) fn add_typed(&mut self, path: &Path, fields: Vec<Field>) -> Result<()> {
        for field in &fields {
            let Some(known) = self.fields.iter_mut().find(|known| known.name == field.name) else { continue };
            known.data_type = wider(known.data_type, field.data_type).ok_or_else(|| {
                let (name, file) = (&field.name, path.display());
                let message = format!("column \"{name}\" of file {file} is of type {}", field.data_type);
                let message = format!("{message}, but of type {} in the files before", known.data_type);
                Error::new(ErrorKind::TypeMismatch, message)
            })?;
        }
        self.add(fields);
        Ok(())
    }

    /// An error if a column that one file has cannot be read of another: rows of that file would lack it in
    /// silence; or if nothing of a file can be read: its rows would be lost.
    pub(super) fn check_readable(&self, unreadable: &[Unreadable]) -> Result<()> {
        let empty = self.places.iter().any(Vec::is_empty);
        match unreadable.iter().find(|column| empty || self.fields.iter().any(|field| field.name == column.name)) {
            Some(column) => Err(column.error.clone()),
            None => Ok(()),
        }
    }

    /// A file's batch with the columns of all: of their types, and NULL where it has none.
    pub(super) fn batch(&self, places: &[usize], batch: &RecordBatch) -> Result<RecordBatch> {
        if places.len() == self.fields.len() && places.is_sorted() && self.places.len() == 1 {
            return Ok(batch.clone());
        }
        let failed = |error: ArrowError| Error::internal(format!("columns of files do not unite: {error}"));
        let own = fields_of(&batch.schema())?;
        let mut columns = Vec::with_capacity(self.fields.len());
        for (at, (field, arrow)) in self.fields.iter().zip(schema_of(&self.fields).fields()).enumerate() {
            columns.push(match places.iter().position(|&place| place == at) {
                Some(place) if own[place].data_type == field.data_type => batch.column(place).clone(),
                Some(place) => cast(batch.column(place), arrow.data_type()).map_err(failed)?,
                None => new_null_array(arrow.data_type(), batch.num_rows()),
            });
        }
        let arrow = |(field, array): (&Field, &ArrayRef)| ArrowField::new(&field.name, array.data_type().clone(), true);
        let schema = Schema::new(self.fields.iter().zip(&columns).map(arrow).collect::<Vec<_>>());
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(schema), columns, &options).map_err(failed)
    }
}

/// The type that holds the values of both.
fn wider(a: DataType, b: DataType) -> Option<DataType> {
    use DataType::*;
    let integer = |data_type: DataType| match data_type {
        SmallInt => Some(5),
        Integer => Some(10),
        BigInt => Some(19),
        _ => None,
    };
    let text = |data_type: DataType| matches!(data_type, Text | Varchar(_) | Char(_));
    let decimal =
        |whole: u8, scale: u8| (whole + scale <= DECIMAL_DIGITS_MAX).then(|| DataType::decimal(whole + scale, scale));
    match (a, b) {
        _ if a == b => Some(a),
        _ if text(a) && text(b) => Some(Text),
        (Real | Double, Real | Double) => Some(Double),
        (Date, Timestamp) | (Timestamp, Date) => Some(Timestamp),
        (Decimal { precision: p, scale: s }, Decimal { precision: q, scale: t }) => {
            decimal((p - s).max(q - t), s.max(t))
        }
        (Decimal { precision, scale }, other) | (other, Decimal { precision, scale }) if integer(other).is_some() => {
            decimal((precision - scale).max(integer(other)?), scale)
        }
        (Double, other) | (other, Double) if integer(other).is_some_and(|digits| digits <= 10) => Some(Double),
        _ => match (integer(a), integer(b)) {
            (Some(x), Some(y)) => Some(if x > y { a } else { b }),
            _ => None,
        },
    }
}
