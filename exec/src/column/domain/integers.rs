//! Integers that lie far apart, as codes. A column is encoded in four steps, by all cores (`partition`):
//!
//! 1. Each chunk partitions its values by their hashes. Neighbours that are alike are partitioned once.
//! 2. Each part of the hashes finds its values among those that are known, and marks the rows of those that come first.
//! 3. The rank of that row among all that are marked is a value's code.
//! 4. Each chunk turns what its values found into codes.

use super::super::compact::gather_i64;
use super::super::{CHUNK_ROWS, Chunk, Column, ColumnData};
use super::{Candidate, Coded, Domain, Joined, Lineage, VALUES_MAX, domain_table, partition};
use crate::Result;
use crate::workers::context::{Context, Reservation};
use ::arrow::buffer::NullBuffer;
use multiloop_planner::types::DataType;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of memory that encoding takes for a row and for each value that is known, beside what it gives.
const WORKING_BYTES: usize = 40;

/// Encodes a column if it gains by it: by a domain of another one that has values of it.
pub(super) fn share(candidate: &Candidate<'_>, known: &[Domain], context: &Context) -> Result<Option<Coded>> {
    // Bits and ranks over a range that is not wide will do.
    if !candidate.statistics.is_wide(candidate.rows as u64) {
        return Ok(None);
    }
    match shared(candidate, known, context) {
        Some(domain) => code_as(candidate, Some(domain), context),
        None => Ok(None),
    }
}

/// Encodes a column by a domain of its own, one that begins with the values of another column, or one that there is: that of what it is
/// joined with, or else one that has values of it, so that whoever joins those later finds one domain.
pub(super) fn begin(
    candidate: &Candidate<'_>,
    joined: Joined<'_>,
    known: &[Domain],
    context: &Context,
) -> Result<Option<Coded>> {
    if let Joined::By(domain) = joined {
        return code_as(candidate, Some(domain), context);
    }
    match (shared(candidate, known, context), joined) {
        (Some(domain), _) => code_as(candidate, Some(domain), context),
        (None, Joined::With(table, column)) => {
            let columns: Vec<&Column> = table.chunks.iter().map(|chunk| &chunk.columns[column]).collect();
            match domain_of(candidate.field.data_type, &columns, context)? {
                Some(domain) => code_as(candidate, Some(&domain), context),
                None => Ok(None),
            }
        }
        (None, _) => code_as(candidate, None, context),
    }
}

fn code_as(candidate: &Candidate<'_>, shared: Option<&Domain>, context: &Context) -> Result<Option<Coded>> {
    let _memory = candidate.working_memory(shared, WORKING_BYTES, context)?;
    let values: Vec<Cow<'_, [i64]>> =
        context.workers().all(candidate.columns.len(), |chunk| of_column(&candidate.columns[chunk]));
    let nulls: Vec<Option<&NullBuffer>> = candidate.columns.iter().map(|column| column.nulls.as_ref()).collect();
    loop {
        context.check()?;
        let base = shared.map(|domain| domain.lineage.longest());
        let before = base.as_ref().map_or_else(Vec::new, self::values);
        let found = partition::encode(&before, &values, &nulls, context.workers());
        if let Some(base) = base.as_ref().filter(|_| found.new.is_empty()) {
            return Coded::sharing(candidate, base, &found.codes, context).map(Some);
        }
        if before.len() + found.new.len() > VALUES_MAX {
            return Ok(None);
        }
        let all: Vec<i64> = before.into_iter().chain(found.new).collect();
        let all = columns(&all);
        // If somebody else has made the domain longer, once more with theirs.
        if let Some(coded) = Coded::making(candidate, all, base.as_ref(), &found.codes, context)? {
            return Ok(Some(coded));
        }
    }
}

/// A domain of the values of a column, in the order of its rows; none if they are too many.
fn domain_of(data_type: DataType, chunks: &[&Column], context: &Context) -> Result<Option<Domain>> {
    let mut memory = Reservation::new(&context.memory);
    memory.add(chunks.iter().map(|column| column.rows()).sum::<usize>() * WORKING_BYTES)?;
    let values: Vec<Cow<'_, [i64]>> = chunks.iter().map(|column| of_column(column)).collect();
    let nulls: Vec<Option<&NullBuffer>> = chunks.iter().map(|column| column.nulls.as_ref()).collect();
    let all = partition::encode(&[], &values, &nulls, context.workers()).new;
    context.check()?;
    if all.len() > VALUES_MAX {
        return Ok(None);
    }
    Ok(Some(Lineage::begin(Arc::new(domain_table(data_type, columns(&all), context)?))))
}

/// Values as columns, one for each [`CHUNK_ROWS`] of them.
fn columns(values: &[i64]) -> Vec<Column> {
    let column = |values: &[i64]| Column::new(ColumnData::Int64(values.to_vec().into()), None);
    values.chunks(CHUNK_ROWS).map(column).collect()
}

/// Some values of a column.
fn sample(candidate: &Candidate<'_>) -> FxHashSet<i64> {
    let value = |(column, row): (&Column, usize)| column.integer(row).filter(|_| !column.is_null(row));
    candidate.sample().filter_map(value).map(|value| value as i64).collect()
}

fn shared<'d>(candidate: &Candidate<'_>, known: &'d [Domain], context: &Context) -> Option<&'d Domain> {
    let sample = sample(candidate);
    candidate.shared(known, sample.len(), |domain| {
        let found =
            |chunk: &Arc<Chunk>| of_column(&chunk.columns[0]).iter().filter(|value| sample.contains(value)).count();
        let chunks = &domain.table.chunks;
        context.workers().all(chunks.len(), |chunk| found(&chunks[chunk])).into_iter().sum()
    })
}

/// All values of a domain of integers, by code.
pub(super) fn values(domain: &Domain) -> Vec<i64> {
    let columns: Vec<Column> = domain.table.chunks.iter().map(|chunk| chunk.columns[0].clone()).collect();
    gather_i64(&columns).expect("values of domains have 64 bits")
}

/// The integers of a column of them; any at a NULL.
pub(super) fn of_column(column: &Column) -> Cow<'_, [i64]> {
    match &column.data {
        ColumnData::Int64(values) => Cow::Borrowed(values),
        _ => Cow::Owned(gather_i64(std::slice::from_ref(column)).expect("integers have 64 bits")),
    }
}

/// Some integers, none of which is NULL, as a column.
pub(super) fn column(values: &[(&Column, usize)]) -> Column {
    let value = |&(column, row): &(&Column, usize)| column.integer(row).map_or(0, |value| value as i64);
    Column::new(ColumnData::Int64(values.iter().map(value).collect()), None)
}
