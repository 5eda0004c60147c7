//! Tables of files with unreadable columns: the readable ones are in memory, and the error of another is raised when a loop reads it.

use super::set::FileSet;
use crate::{Error, Result};
use multiloop_exec::column::{Chunk, Column, ColumnReader, Dictionary, Table};
use multiloop_planner::catalog::{ColumnStatistics, Proofs, TableStatistics};
use multiloop_planner::types::Field;
use std::ops::Range;
use std::sync::Arc;

/// The columns of a chunk, by field: where they are, or why they are not.
#[derive(Debug)]
struct Partly {
    fields: Arc<[Field]>,
    columns: Arc<[std::result::Result<usize, Error>]>,
    chunk: Arc<Chunk>,
    place: Arc<str>,
}

impl ColumnReader for Partly {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        match &self.columns[column] {
            Ok(at) => Ok(self.chunk.columns[*at].slice(rows.start, rows.len())),
            Err(error) => Err(error.clone()),
        }
    }

    fn field(&self, column: usize) -> &Field {
        &self.fields[column]
    }

    fn nulls(&self, column: usize) -> Option<usize> {
        let nulls = |at: &usize| self.chunk.columns[*at].nulls.as_ref().map_or(0, |nulls| nulls.null_count());
        self.columns[column].as_ref().ok().map(nulls)
    }

    fn dictionary(&self, column: usize) -> Result<Option<Arc<Dictionary>>> {
        let dictionary = |at: &usize| self.chunk.columns[*at].data.dictionary().cloned();
        Ok(self.columns[column].as_ref().ok().and_then(dictionary))
    }

    fn place(&self) -> String {
        self.place.to_string()
    }
}

/// A table with these fields, of which `wrong` have errors, and `right` has the others in order.
pub(super) fn table(right: Table, fields: &[Field], wrong: &[Option<Error>], files: &FileSet) -> Table {
    let mut found = 0;
    let place = |error: &Option<Error>| match error {
        Some(error) => Err(error.clone()),
        None => {
            found += 1;
            Ok(found - 1)
        }
    };
    let columns: Arc<[_]> = wrong.iter().map(place).collect();
    let place: Arc<str> = files.first().map(|path| path.display().to_string()).unwrap_or_default().into();
    let of_all: Arc<[Field]> = fields.into();
    let lazy = |chunk: &Arc<Chunk>| {
        let ranges = columns.iter().map(|at| chunk.ranges.get(*at.as_ref().ok()?).copied().flatten()).collect();
        let (fields, columns, place) = (Arc::clone(&of_all), Arc::clone(&columns), Arc::clone(&place));
        let reader = Partly { fields, columns, chunk: Arc::clone(chunk), place };
        Arc::new(Chunk::lazy(chunk.rows, ranges, Arc::new(reader), None))
    };
    let statistics = |at: &std::result::Result<usize, Error>| match at {
        Ok(at) => right.statistics.columns[*at].clone(),
        // Of NULLs there are neither none nor nothing else.
        Err(_) => ColumnStatistics { proofs: Proofs { nulls: 1, ..Proofs::default() }, ..ColumnStatistics::default() },
    };
    let statistics = TableStatistics {
        rows: right.statistics.rows,
        columns: columns.iter().map(statistics).collect(),
        ..TableStatistics::default()
    };
    let chunks = right.chunks.iter().map(lazy).collect();
    Table { fields: fields.to_vec(), chunks, statistics: Arc::new(statistics) }
}
