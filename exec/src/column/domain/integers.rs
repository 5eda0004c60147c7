//! Integers that lie far apart, as codes. A column is encoded in four steps, by all cores (`partition`):
//!
//! 1. Each chunk partitions its values by their hashes. Neighbours that are alike are partitioned once.
//! 2. Each part of the hashes finds its values among those that are known, and marks the rows of those that come first.
//! 3. The rank of that row among all that are marked is a value's code.
//! 4. Each chunk turns what its values found into codes.

use super::super::compact::gather_i64;
use super::super::{CHUNK_ROWS, Chunk, Column, ColumnData};
use super::{Candidate, Coded, Domain, VALUES_MAX, partition};
use crate::Result;
use crate::workers::context::Context;
use ::arrow::buffer::NullBuffer;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of memory that encoding takes for a row and for each value that is known, beside what it gives.
const WORKING_BYTES: usize = 40;

/// Encodes a column if it gains by it.
pub(super) fn code(candidate: &Candidate<'_>, known: &[Domain], context: &Context) -> Result<Option<Coded>> {
    // Bits and ranks over a range that is not wide will do.
    if !candidate.statistics.is_wide(candidate.rows as u64) {
        return Ok(None);
    }
    let shared = shared(candidate, known, context);
    if shared.is_none() && !begins(candidate) {
        return Ok(None);
    }
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
        let column = |values: &[i64]| Column { data: ColumnData::Int64(values.to_vec().into()), nulls: None };
        let all = all.chunks(CHUNK_ROWS).map(column).collect();
        // If somebody else has made the domain longer, once more with theirs.
        if let Some(coded) = Coded::making(candidate, all, base.as_ref(), &found.codes, context)? {
            return Ok(Some(coded));
        }
    }
}

/// Whether a column has a domain though no other table has its values. It has to look like a key: each value once, or many of
/// them more often. What was measured is neither; and what is in order needs no codes by itself.
fn begins(candidate: &Candidate<'_>) -> bool {
    let statistics = candidate.statistics;
    let repeats = statistics.estimates.distinct.is_some_and(|distinct| distinct <= candidate.rows as u64 / 4 * 3);
    candidate.may_begin() && !statistics.proofs.sorted && (statistics.proofs.unique_values || repeats)
}

fn shared<'d>(candidate: &Candidate<'_>, known: &'d [Domain], context: &Context) -> Option<&'d Domain> {
    let value = |(column, row): (&Column, usize)| column.integer(row).filter(|_| !column.is_null(row));
    let sample: FxHashSet<i64> = candidate.sample().filter_map(value).map(|value| value as i64).collect();
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
