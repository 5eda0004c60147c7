//! Record batches for an appender: kept where their arrays are of the columns' types, cast where INSERT casts them.

use super::{Appender, flush};
use crate::running::Runner;
use crate::{DataType, Error, ErrorKind, Field, Result};
use arrow::array::{Array, RecordBatch};
use arrow::datatypes::Schema;
use multiloop_exec::column::arrow::{are_vectors_and_arrays, fields_of_batches, first_wrong_row, to_column_of};
use multiloop_exec::column::{Column, Table};
use multiloop_planner::evaluate::admit;
use multiloop_planner::evaluate::calendar::{DAY, DAYS_MIN, TIMESTAMP_MIN};
use std::sync::Arc;

impl Appender<'_> {
    /// The rows of a batch as batches of the columns' types.
    pub(super) fn admitted_batch(&self, batch: RecordBatch) -> Result<Vec<RecordBatch>> {
        if batch.num_columns() != self.fields.len() {
            let message =
                format!("a row of {} columns is needed, {} were given", self.fields.len(), batch.num_columns());
            return Err(Error::new(ErrorKind::Syntax, message));
        }
        let given = fields_of_batches(&batch.schema(), std::slice::from_ref(&batch))?;
        let is_kept = given.iter().zip(&self.fields).all(|(given, field)| holds(field.data_type, given.data_type));
        self.check_nulls(&batch)?;
        self.check_values(&batch, &given)?;
        if is_kept {
            return Ok(vec![batch]);
        }
        // No name is a column's twice in a table.
        let names = (0..given.len()).map(|at| format!("column {at}"));
        let named = batch.schema();
        let renamed = named.fields().iter().zip(names).map(|(field, name)| field.as_ref().clone().with_name(name));
        let schema = Arc::new(Schema::new(renamed.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, batch.columns().to_vec())
            .map_err(|error| Error::internal(error.to_string()))?;
        self.cast(&batch).map_err(|error| self.blamed(&batch, error))
    }

    /// An error for the first value of a column that is none of its type, or of the type that the array says where that is to be
    /// cast: nobody has looked at the values of arrays.
    fn check_values(&self, batch: &RecordBatch, given: &[Field]) -> Result<()> {
        for ((array, given), field) in batch.columns().iter().zip(given).zip(&self.fields) {
            let is_kept = holds(field.data_type, given.data_type);
            let read = Field::new(&field.name, if is_kept { field.data_type } else { given.data_type }, true);
            let wrong = match to_column_of(array, &read) {
                Ok(column) if are_vectors_and_arrays(read.data_type, given.data_type) => {
                    first_outside(&column, read.data_type)
                }
                Ok(column) => first_outside(&column, given.data_type),
                Err(error) => match first_wrong_row(array, &read) {
                    Some(row) => Some((row, error)),
                    None => return Err(error),
                },
            };
            if let Some((row, error)) = wrong {
                let row = self.before + (self.buffered() + row) as u64 + 1;
                return Err(self.of_row(error.of_column(&field.name), row));
            }
        }
        Ok(())
    }

    /// A statement that casts the rows.
    fn cast(&self, batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
        let session = self.session;
        session.as_statement(|| {
            session.work.check()?;
            let running = session.running();
            running.with_snapshot(|snapshot| {
                let rows = Table::register(&batch.schema(), vec![batch.clone()], &session.loading())?;
                let target = flush::Target::of(&self.statement, snapshot)?;
                flush::check_same(&self.fields, &target.fields, &self.table)?;
                let runner = Runner { session: &running, snapshot, parameters: &[] };
                Ok(runner.assigned(&rows, &target.columns, &target.info)?.0)
            })
        })
    }

    /// The error of a batch's first row that is to blame for it, and its column.
    fn blamed(&self, batch: &RecordBatch, error: Error) -> Error {
        if !error.kind().is_data_error() {
            return error;
        }
        let (mut right, mut wrong) = (0, batch.num_rows());
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            match self.cast(&batch.slice(0, middle)) {
                Ok(_) => right = middle,
                Err(other) if other.kind().is_data_error() => wrong = middle,
                // It says nothing of the rows, as a cancel.
                Err(other) => return other,
            }
        }
        let row = batch.slice(right, 1);
        let nulled = |kept: usize| {
            let array = |(at, array): (usize, &Arc<dyn Array>)| match at == kept {
                true => Arc::clone(array),
                false => arrow::array::new_null_array(array.data_type(), 1),
            };
            let arrays = row.columns().iter().enumerate().map(array).collect();
            let nullable = row
                .schema()
                .fields()
                .iter()
                .map(|field| field.as_ref().clone().with_nullable(true))
                .collect::<Vec<_>>();
            RecordBatch::try_new(Arc::new(Schema::new(nullable)), arrays).ok()
        };
        let fails = |row: &RecordBatch| self.cast(row).is_err_and(|error| error.kind().is_data_error());
        let is_to_blame = |at: &usize| nulled(*at).is_some_and(|row| fails(&row));
        let column = (0..self.fields.len()).find(is_to_blame);
        let error = self.cast(&row).err().unwrap_or(error);
        let error = column.map_or(error.clone(), |at| error.of_column(&self.fields[at].name));
        self.of_row(error, self.before + (self.buffered() + right) as u64 + 1)
    }

    /// An error (23502) for the first NULL where none may be.
    fn check_nulls(&self, batch: &RecordBatch) -> Result<()> {
        let first = |(array, field): (&Arc<dyn Array>, &Field)| {
            let nulls = array.logical_nulls().filter(|nulls| !field.nullable && nulls.null_count() > 0)?;
            (0..nulls.len()).find(|&row| nulls.is_null(row)).map(|row| (row, field.name.clone()))
        };
        let found = batch.columns().iter().zip(&self.fields).filter_map(first).min();
        let Some((row, column)) = found else { return Ok(()) };
        let table = &self.table;
        let message = format!("null value in column \"{column}\" of relation \"{table}\" violates not-null constraint");
        let error = Error::new(ErrorKind::NotNullViolation, message).of_column(&column);
        Err(self.of_row(error, self.before + (self.buffered() + row) as u64 + 1))
    }
}

/// The first row of a column whose value is none of its type, with the error: a decimal of too many digits, a time behind the end of
/// the day, an element of an array that is such.
fn first_outside(column: &Column, data_type: DataType) -> Option<(usize, Error)> {
    // What is within needs no closer look: what is not may still be a value, as infinity is.
    let within = match data_type {
        DataType::Decimal { precision, .. } => {
            let end = 10i128.checked_pow(precision.into()).unwrap_or(i128::MAX);
            Some(1 - end..=end - 1)
        }
        DataType::Date => Some(i128::from(DAYS_MIN)..=-i128::from(DAYS_MIN)),
        DataType::Time => Some(0..=DAY.into()),
        DataType::Timestamp | DataType::TimestampTz => Some(TIMESTAMP_MIN.into()..=i64::MAX.into()),
        // Elements are texts within one.
        of if of.element().is_some() || of.struct_fields().is_some() => None,
        _ => return None,
    };
    let is_outside = |&row: &usize| match (&within, column.integer(row)) {
        (Some(within), Some(number)) => !within.contains(&number),
        (within, _) => within.is_none(),
    };
    (0..column.rows()).filter(|row| !column.is_null(*row) && is_outside(row)).find_map(|row| {
        let error = admit(&column.value(row, data_type), data_type, "UTC").err()?;
        Some((row, error))
    })
}

/// Whether a column holds all values of arrays of a type as they are.
fn holds(wanted: DataType, given: DataType) -> bool {
    match (wanted, given) {
        _ if wanted == given || are_vectors_and_arrays(wanted, given) => true,
        (DataType::Text | DataType::VARCHAR, DataType::Text) => true,
        // JSON, UUIDs, bytes and the like are read from their texts.
        (_, DataType::Text) => wanted.is_logical() && wanted.carrier().is_text(),
        (DataType::Integer | DataType::BigInt, DataType::SmallInt) | (DataType::BigInt, DataType::Integer) => true,
        _ => false,
    }
}
