//! Integers that lie far apart, as codes. A column is encoded in four steps, by all cores (`partition`):
//!
//! 1. Each chunk partitions its values by their hashes. Neighbours that are alike are partitioned once.
//! 2. Each part of the hashes finds its values among those that are known, and marks the rows of those that come first.
//! 3. The rank of that row among all that are marked is a value's code.
//! 4. Each chunk turns what its values found into codes.

use super::super::compact::gather_i64;
use super::super::{CHUNK_ROWS, Chunk, Column, ColumnData};
use super::{Candidate, Coded, Domain, Key, Lineage, VALUES_MAX, domain_table, partition};
use crate::Result;
use crate::workers::context::{Context, Reservation};
use ::arrow::buffer::NullBuffer;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of memory that encoding takes for a row and for each value that is known, beside what it gives.
const WORKING_BYTES: usize = 40;

/// Encodes a column if it gains by it.
pub(super) fn code(
    candidate: &Candidate<'_>,
    (known, keys): (&[Domain], &[Key]),
    context: &Context,
) -> Result<Option<Coded>> {
    // Bits and ranks over a range that is not wide will do.
    if !candidate.statistics.is_wide(candidate.rows as u64) {
        return Ok(None);
    }
    let shared = shared(candidate, known, context);
    if shared.is_none() && !begins(candidate) {
        return Ok(None);
    }
    let of_key = if shared.is_none() { domain_of_key(candidate, keys, context)? } else { None };
    let shared = shared.or(of_key.as_ref());
    let _memory = candidate.working_memory(shared, WORKING_BYTES, context)?;
    code_as(candidate, shared, context)
}

fn code_as(candidate: &Candidate<'_>, shared: Option<&Domain>, context: &Context) -> Result<Option<Coded>> {
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

/// Whether a column has a domain though no other table has its values. It has to look as if it refers to a key: many of its values
/// come more often. What was measured does not; nor does the key, of which the table of all values is as long, and takes longer to
/// make than to load it: it has one from when the first column that refers to it is loaded. And what is in order needs no codes by itself.
fn begins(candidate: &Candidate<'_>) -> bool {
    let statistics = candidate.statistics;
    let values = candidate.rows as u64 - statistics.proofs.nulls;
    let repeats = statistics.estimates.distinct.is_some_and(|distinct| distinct <= values / 4 * 3);
    candidate.may_begin() && !statistics.proofs.sorted && repeats
}

/// A domain of all values of the key that a column refers to, as far as a sample tells: codes are in the order of the key's rows,
/// whose table will share it.
fn domain_of_key(candidate: &Candidate<'_>, keys: &[Key], context: &Context) -> Result<Option<Domain>> {
    let sample = sample(candidate);
    let workers = context.workers();
    let is_of_type = |key: &&Key| key.table.fields[key.column].data_type == candidate.field.data_type;
    let found = keys.iter().filter(is_of_type).map(|key| {
        let columns: Vec<&Column> = key.columns().collect();
        let found = |at: usize| of_column(columns[at]).iter().filter(|value| sample.contains(value)).count();
        (workers.all(columns.len(), found).into_iter().sum::<usize>(), key)
    });
    let best = found.max_by_key(|(found, _)| *found).filter(|(found, _)| found * 4 >= sample.len().max(1));
    let Some((_, key)) = best else { return Ok(None) };
    let mut memory = Reservation::new(&context.memory);
    memory.add(key.table.rows() * WORKING_BYTES)?;
    let values: Vec<Cow<'_, [i64]>> = key.columns().map(of_column).collect();
    let nulls: Vec<Option<&NullBuffer>> = key.columns().map(|column| column.nulls.as_ref()).collect();
    let all = partition::encode(&[], &values, &nulls, workers).new;
    context.check()?;
    domain_table(candidate.field.data_type, columns(&all), context).map(|table| Some(Lineage::begin(Arc::new(table))))
}

/// Values as columns, one for each [`CHUNK_ROWS`] of them.
fn columns(values: &[i64]) -> Vec<Column> {
    let column = |values: &[i64]| Column { data: ColumnData::Int64(values.to_vec().into()), nulls: None };
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
    Column { data: ColumnData::Int64(values.iter().map(value).collect()), nulls: None }
}
