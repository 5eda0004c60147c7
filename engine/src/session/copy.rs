//! COPY between a table and whoever runs the statement: rows come and go as record batches.

use super::Session;
use crate::running::Runner;
use crate::sight::Sight;
use crate::stream::ResultStream;
use crate::tallies::Ran;
use crate::{Error, Result};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use multiloop_exec::column::Column;
use multiloop_exec::column::arrow::schema_of;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Reservation;
use multiloop_planner::catalog::{FileOptions, TableName};
use multiloop_planner::evaluate::admit;
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::time::Instant;

/// Rows on their way into a table, COPY … FROM STDIN. They are the table's when [`CopyIn::finish`] has said so, all or none.
pub struct CopyIn {
    name: TableName,
    columns: Vec<usize>,
    fields: Vec<Field>,
    options: FileOptions,
    builder: Box<TableBuilder>,
    /// Of what has come and is no rows yet.
    held: Reservation,
    sight: Sight,
    /// The statement's run, which ends with the rows.
    ran: Option<Ran>,
}

/// Rows on their way out, COPY … TO STDOUT.
#[derive(Debug)]
pub struct CopyOut {
    /// The rows.
    pub rows: ResultStream,
    /// How they are to be written; without a format as PostgreSQL's text.
    pub options: FileOptions,
}

impl CopyIn {
    /// Rows for some columns of a table, those of `fields`.
    pub(super) fn new(
        session: &Session,
        (name, columns): (TableName, Vec<usize>),
        fields: Vec<Field>,
        options: FileOptions,
        sight: Sight,
    ) -> Self {
        let builder = Box::new(TableBuilder::new(fields.clone(), Storage::Compact, &session.loading()));
        let held = Reservation::new(&builder.context().memory);
        CopyIn { name, columns, fields, options, builder, held, sight, ran: None }
    }

    /// The same, which counts for a run of its statement.
    pub(super) fn tallied(self, mut ran: Ran) -> Self {
        // Without its end it has failed.
        ran.failed = true;
        CopyIn { ran: Some(ran), ..self }
    }

    /// The columns that come, in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The Arrow schema that batches must have.
    pub fn schema(&self) -> SchemaRef {
        schema_of(&self.fields)
    }

    /// How the rows are written; without a format as PostgreSQL's text.
    pub fn options(&self) -> &FileOptions {
        &self.options
    }

    /// How the session saw values when the statement began.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// How many threads [`CopyIn::make_each`] has.
    pub fn threads(&self) -> usize {
        self.builder.context().workers().count()
    }

    /// What `make` makes of each of some items, in their order: on the engine's workers and on this thread. For making rows of
    /// what has come.
    ///
    /// # Errors
    /// 57014 if the statement was cancelled; it is asked before each item.
    pub fn make_each<I: Send, T: Send>(&self, items: Vec<I>, make: impl Fn(I) -> T + Sync) -> Result<Vec<T>> {
        self.builder.context().workers().map(items, |item| Ok(make(item)))
    }

    /// Counts so many bytes against the engine's memory: what whoever feeds it holds now that is no rows yet.
    ///
    /// # Errors
    /// 53200 if there are not so many; then as many are counted as before.
    pub fn hold(&mut self, bytes: usize) -> Result<()> {
        self.held.resize(bytes)
    }

    /// Takes some rows as the values of each column, which are of its type or NULL, and as many of each.
    ///
    /// # Errors
    /// 53200 if they do not fit into memory; 22003, 22P02, 22008, 22021 and 42804 for values that are no values of their column's
    /// type, XX000 for columns of different lengths.
    pub fn push_values(&mut self, columns: &[Vec<Value>]) -> Result<()> {
        if columns.len() != self.fields.len() {
            return Err(Error::internal("values of COPY are not of its columns"));
        }
        let admitted = |(values, field): (&Vec<Value>, &Field)| {
            let admitted = |value: &Value| {
                Ok(admit(value, field.data_type, self.sight.time_zone())?.unwrap_or_else(|| value.clone()))
            };
            values.iter().map(admitted).collect::<Result<Vec<Value>>>()
        };
        let columns = columns.iter().zip(&self.fields).map(admitted).collect::<Result<Vec<_>>>()?;
        self.push_read(&columns)
    }

    /// As [`CopyIn::push_values`], of values that [`Sight::value_of`] has read for their columns: they are not looked at again.
    ///
    /// # Errors
    /// 53200 if they do not fit into memory, XX000 for values that are of another type.
    pub fn push_read(&mut self, columns: &[Vec<Value>]) -> Result<()> {
        let rows = columns.first().map_or(0, Vec::len);
        let is_good = |(values, field): (&Vec<Value>, &Field)| {
            values.len() == rows && values.iter().all(|value| value.fits(field.data_type))
        };
        if columns.len() != self.fields.len() || !columns.iter().zip(&self.fields).all(is_good) {
            return Err(Error::internal("values of COPY are not of its columns"));
        }
        let column = |(values, field): (&Vec<Value>, &Field)| Column::from_values(field.data_type, values);
        self.builder.push_columns(rows, columns.iter().zip(&self.fields).map(column).collect())
    }

    /// Takes some rows.
    ///
    /// # Errors
    /// 53200 if they do not fit into memory, 22004 and the like if they are not what the columns take.
    pub fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.builder.push(rows)
    }

    /// Ends it: the rows are the table's. Gives the command tag.
    ///
    /// # Errors
    /// 23505, 23502 and the like; then none of them is the table's.
    pub fn finish(self, session: &Session) -> Result<String> {
        let CopyIn { name, columns, builder, mut ran, .. } = self;
        let started = Instant::now();
        session.as_statement(|| {
            session.in_transaction(|| {
                let running = session.running();
                // The rows were on their way for another statement, whose time is over.
                let handle = builder.context().cancellation.clone();
                let rows = {
                    let _linked = handle.link(&running.cancellation);
                    builder.finish()?
                };
                running.with_snapshot(|snapshot| {
                    let runner = Runner { session: &running, snapshot, parameters: &[] };
                    let count = runner.append(&name, |info| runner.placed(rows, &columns, info))?;
                    if let Some(ran) = &mut ran {
                        (ran.failed, ran.rows) = (false, count as u64);
                        ran.running += started.elapsed();
                    }
                    Ok(format!("COPY {count}"))
                })
            })
        })
    }
}
