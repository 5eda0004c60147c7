//! Results as text in PostgreSQL's form.

use multiloop::{DataType, Error, Result, ResultStream, Session};
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_planner::evaluate;

/// What a statement gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Rows, with the columns' types.
    Rows(Vec<DataType>, Vec<Vec<String>>),
    /// No rows: what was done.
    Done(String),
    /// An error: SQLSTATE and message.
    Error(String, String),
}

/// Runs a statement.
pub fn answer(session: &Session, sql: &str) -> Answer {
    let run = || {
        let result = session.sql(sql)?;
        match result.tag().map(str::to_owned) {
            Some(tag) => Ok(Answer::Done(tag)),
            None => {
                let types = result.fields().iter().map(|field| field.data_type).collect();
                Ok(Answer::Rows(types, text_rows(result)?))
            }
        }
    };
    run().unwrap_or_else(|error: Error| Answer::Error(error.sqlstate().to_owned(), error.message().to_owned()))
}

/// The rows of a result; NULL is `NULL`.
pub fn text_rows(result: ResultStream) -> Result<Vec<Vec<String>>> {
    let text = |cell: Option<String>| cell.unwrap_or_else(|| "NULL".to_owned());
    Ok(cells(result)?.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
}

/// The rows of a result; NULL is none.
pub(crate) fn cells(result: ResultStream) -> Result<Vec<Vec<Option<String>>>> {
    let types: Vec<DataType> = result.fields().iter().map(|field| field.data_type).collect();
    let (schema, context) = (result.schema(), Context::new(Memory::new(usize::MAX)));
    let table = Table::register(&schema, result.collect_batches()?, &context)?;
    let mut rows = Vec::new();
    for chunk in &table.chunks {
        for row in 0..chunk.rows {
            let cell = |(column, data_type): (&multiloop_exec::column::Column, &DataType)| {
                let value = column.value(row, *data_type);
                (!value.is_null()).then(|| evaluate::format(&value, *data_type))
            };
            rows.push(chunk.columns.iter().zip(&types).map(cell).collect());
        }
    }
    Ok(rows)
}
