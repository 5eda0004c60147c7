//! Several files as one table: columns of one name are one column, in the order in which they were first seen. Behind them, or in
//! their place, are the columns that the files' paths say.

use super::set::{Constants, FileSet};
use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{Field as ArrowField, Schema};
use arrow::error::ArrowError;
use multiloop_exec::column::Column;
use multiloop_exec::column::arrow::{are_vectors_and_arrays, fields_of, schema_of, to_array, to_column_of};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType, Field};
use multiloop_planner::value::Value;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// The columns that files have together.
#[derive(Clone, Debug, Default)]
pub(super) struct Union {
    pub(super) fields: Vec<Field>,
    /// For each file, where its columns are among the fields.
    pub(super) places: Vec<Places>,
    /// By field: what stands there whatever the files have.
    constants: Vec<Option<Constants>>,
}

/// Where a file's columns are among those of all.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Its number.
    pub(super) file: usize,
    places: Vec<usize>,
}

impl Deref for Places {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.places
    }
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
        self.places.push(Places { file: self.places.len(), places });
    }

    /// Adds the columns that the paths of the files say, once all files are added.
    ///
    /// Errors: 42701 for a column that the files have, unless it is a partition; 42804 if files must have the same columns, and
    /// have not.
    pub(super) fn add_constants(&mut self, files: &FileSet) -> Result<()> {
        if files.has_same_columns() {
            let first = self.places.first().map_or(0, |first| first.len());
            let differs = |of: &&Places| !of.iter().copied().eq(0..first);
            if let Some(file) = self.places.iter().find(differs).and_then(|of| files.get(of.file)) {
                let message = format!("file {} has other columns than the first file", file.display());
                return Err(Error::new(ErrorKind::TypeMismatch, message)
                    .with_hint("union_by_name => true makes columns of one name one column."));
            }
        }
        self.constants = vec![None; self.fields.len()];
        for of in files.constants() {
            match self.fields.iter().position(|field| field.name == of.field.name) {
                Some(at) => {
                    of.check_replaces()?;
                    self.fields[at] = of.field.clone();
                    self.constants[at] = Some(of.clone());
                }
                None => {
                    self.fields.push(of.field.clone());
                    self.constants.push(Some(of.clone()));
                }
            }
        }
        Ok(())
    }

    /// What stands in a field whatever the files have.
    pub(super) fn constant(&self, at: usize) -> Option<&Constants> {
        self.constants.get(at)?.as_ref()
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

    /// A file's batch with the columns of all: of their types, and NULL where it has none.
    pub(super) fn batch(&self, places: &Places, batch: &RecordBatch) -> Result<RecordBatch> {
        if places.len() == self.fields.len() && places.is_sorted() && self.places.len() == 1 && !self.has_constants() {
            return Ok(batch.clone());
        }
        let failed = |error: ArrowError| Error::internal(format!("columns of files do not unite: {error}"));
        let own = fields_of(&batch.schema())?;
        let mut columns = Vec::with_capacity(self.fields.len());
        for (at, (field, arrow)) in self.fields.iter().zip(schema_of(&self.fields).fields()).enumerate() {
            if let Some(constant) = self.constant(at) {
                columns.push(to_array(&constant.column(places.file, batch.num_rows()), field.data_type)?);
                continue;
            }
            columns.push(match places.iter().position(|&place| place == at) {
                Some(place)
                    if own[place].data_type == field.data_type
                        || are_vectors_and_arrays(own[place].data_type, field.data_type) =>
                {
                    batch.column(place).clone()
                }
                // Structs of different fields are JSON together.
                Some(place) if field.data_type == DataType::Json && own[place].data_type.is_of_structs() => {
                    to_array(&to_column_of(batch.column(place), field)?, field.data_type)?
                }
                Some(place) => cast(batch.column(place), arrow.data_type()).map_err(failed)?,
                None => new_null_array(arrow.data_type(), batch.num_rows()),
            });
        }
        let arrow = |(field, array): (&Field, &ArrayRef)| ArrowField::new(&field.name, array.data_type().clone(), true);
        let schema = Schema::new(self.fields.iter().zip(&columns).map(arrow).collect::<Vec<_>>());
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(schema), columns, &options).map_err(failed)
    }

    /// The columns of a file's rows in the places of all: NULL where it has none.
    pub(super) fn arrange(&self, places: &Places, rows: usize, columns: Vec<Column>) -> Vec<Column> {
        if places.len() == self.fields.len() && places.is_sorted() && !self.has_constants() {
            return columns;
        }
        let mut arranged: Vec<Option<Column>> = vec![None; self.fields.len()];
        for (&at, column) in places.iter().zip(columns) {
            arranged[at] = Some(column);
        }
        let missing = |field: &Field| Column::from_values(field.data_type, &vec![Value::Null; rows]);
        let columns = arranged.into_iter().zip(&self.fields).enumerate();
        let column = |(at, (column, field)): (usize, (Option<Column>, &Field))| match self.constant(at) {
            Some(constant) => constant.column(places.file, rows),
            None => column.unwrap_or_else(|| missing(field)),
        };
        columns.map(column).collect()
    }

    fn has_constants(&self) -> bool {
        self.constants.iter().any(Option::is_some)
    }
}

/// The type that holds the values of both. Vectors of several lengths are arrays together, and so are vectors and arrays.
fn wider(a: DataType, b: DataType) -> Option<DataType> {
    use DataType::*;
    match (a.vector_of(), b.vector_of()) {
        _ if a == b => return Some(a),
        (Some((of, length)), Some((other, same))) if length == same => {
            return Some(DataType::vector(wider(of, other)?, length));
        }
        (Some((of, _)), Some((same, _))) if of == same => return Some(DataType::list(of)),
        _ if are_vectors_and_arrays(a, b) => return Some(if a.is_vector() { b } else { a }),
        _ => {}
    }
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
        _ if [a, b].iter().all(|of| *of == Json || of.struct_fields().is_some()) => Some(Json),
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
