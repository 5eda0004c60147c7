//! Results as text in PostgreSQL's form.

use multiloop::format::text_of;
use multiloop::{DataType, Error, ErrorKind, Result, ResultStream, Session};

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
    answer_of(|| session.sql(sql))
}

/// What a statement gives that something runs.
pub fn answer_of(run: impl FnOnce() -> Result<ResultStream>) -> Answer {
    let run = || {
        let result = run()?;
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
    Ok(cells(result, usize::MAX)?.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
}

/// The rows of a result; NULL is none. More than `most` are an error (57014).
pub(crate) fn cells(result: ResultStream, most: usize) -> Result<Vec<Vec<Option<String>>>> {
    let (fields, sight) = (result.fields().to_vec(), result.sight().clone());
    let mut rows: Vec<Vec<Option<String>>> = Vec::new();
    for batch in result {
        let batch = batch?;
        let first = rows.len();
        if batch.num_rows() > most - first {
            return Err(Error::new(ErrorKind::Cancelled, "more rows than are compared"));
        }
        rows.resize_with(first + batch.num_rows(), || Vec::with_capacity(fields.len()));
        let mut row = first;
        text_of(&fields, &batch, &sight, &mut |column, cell| {
            rows[row].push(cell);
            row += usize::from(column + 1 == fields.len());
        })?;
    }
    Ok(rows)
}
