//! Domains: integers that lie far apart, stored as codes.
//!
//! Keys that were made by hashing or drawn at random lie anywhere in 64 bits, and whoever joins or groups by them has to hash.
//! A loaded table stores the numbers of the rows of a *domain* in their place: a table of all values, in the order in which
//! they were first seen. So codes are as many as values, and what comes clustered, or in the order in which it was made, has
//! codes that are. Columns of several tables that hold the same values share a domain: codes are equal where values are.
//!
//! A column is encoded in four steps, by all cores; how many there are shows nowhere:
//!
//! 1. Each chunk deals its values by their hashes. Neighbours that are alike are dealt once.
//! 2. Each part of the hashes finds its values among those that are known, and marks the rows of those that come first.
//! 3. The rank of that row among all that are marked is a value's code.
//! 4. Each chunk turns what its values found into codes.

mod dealt;
#[cfg(test)]
mod tests;

use super::build::{Storage, TableBuilder};
use super::compact::gather_i64;
use super::{CHUNK_ROWS, Chunk, Column, ColumnData, Table};
use crate::context::{Context, Reservation};
use crate::technique::Technique;
use crate::{ErrorKind, Result};
use ::arrow::buffer::NullBuffer;
use multiloop_planner::catalog::{ColumnStatistics, TableStatistics};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Rows of a table that is encoded, at least: for fewer nothing is gained.
const ROWS_MIN: usize = 4096;

/// Integers in the range of a column for each row, at most, where it stays as it is: an array over the range will do.
const NEAR: u64 = 16;

/// Values of a column that are looked for in the domains that there are.
const SAMPLE: u64 = 256;

/// Values of a domain, at most: codes have 31 bits.
const VALUES_MAX: usize = 1 << 31;

/// The values of one or more columns.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Two columns: `value`, unique and not NULL, and `code`, the number of the row.
    pub table: Arc<Table>,
    /// Domains of one lineage begin with all rows of those before them.
    pub lineage: Arc<Lineage>,
}

/// A domain and those that were made of it by putting values behind.
#[derive(Debug)]
pub struct Lineage {
    /// Its number, unique in a process.
    pub id: u64,
    /// How many values the longest of them has; only that one may be made longer, by one who then has made the longest.
    longest: AtomicUsize,
}

impl Lineage {
    fn new(values: usize) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Arc::new(Lineage { id: NEXT.fetch_add(1, Ordering::Relaxed), longest: AtomicUsize::new(values) })
    }

    /// Whether a domain of `from` values may become one of `to`. Who asks has to make it: nobody else may.
    fn lengthen(&self, from: usize, to: usize) -> bool {
        self.longest.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

impl Domain {
    fn data_type(&self) -> DataType {
        self.table.fields[0].data_type
    }

    /// All values, by code.
    fn values(&self) -> Vec<i64> {
        let columns: Vec<Column> = self.table.chunks.iter().map(|chunk| chunk.columns[0].clone()).collect();
        gather_i64(&columns).expect("values of domains have 64 bits")
    }
}

/// A loaded table with codes in the place of what gains by it, and for each column its domain, if it has one: one of those
/// that are `known`, a longer one, or a new one. A column for which memory does not suffice stays as it is.
pub fn encode(mut table: Table, known: &[Domain], context: &Context) -> Result<(Table, Vec<Option<Domain>>)> {
    let mut known = known.to_vec();
    let mut domains = vec![None; table.fields.len()];
    let even = table.chunks.iter().rev().skip(1).all(|chunk| chunk.rows == CHUNK_ROWS);
    if table.rows() < ROWS_MIN || !even || !Technique::Domains.is_on() {
        return Ok((table, domains));
    }
    for (index, domain) in domains.iter_mut().enumerate() {
        context.check()?;
        let (field, statistics) = (&table.fields[index], &table.statistics.columns[index]);
        if !field.data_type.is_integer() || !is_far_apart(statistics, table.rows()) {
            continue;
        }
        let columns: Vec<Column> = table.chunks.iter().map(|chunk| chunk.columns[index].clone()).collect();
        let shared = shared(&columns, field.data_type, &known);
        if shared.is_none() && !is_key(statistics, table.rows()) {
            continue;
        }
        // Memory that is not there is no reason not to load.
        let Ok(_memory) = working_memory(&columns, shared, context) else { continue };
        let values: Vec<Cow<'_, [i64]>> = columns.par_iter().map(integers).collect();
        let coded = match code(field, &columns, &values, shared, context) {
            Ok(Some(coded)) => coded,
            Ok(None) => continue,
            Err(error) if error.kind() == ErrorKind::OutOfMemory => continue,
            Err(error) => return Err(error),
        };
        if !known.iter().any(|domain| Arc::ptr_eq(&domain.table, &coded.domain.table)) {
            known.push(coded.domain.clone());
        }
        *domain = Some(coded.domain);
        replace(&mut table, index, coded.codes, context)?;
    }
    if domains.iter().all(Option::is_none) {
        domains.clear();
    }
    Ok((table, domains))
}

/// The table with values in the place of codes, compact.
pub fn decode(table: &Table, domains: &[Option<Domain>], context: &Context) -> Result<Table> {
    let values: Vec<Option<Vec<i64>>> = domains.iter().map(|domain| domain.as_ref().map(Domain::values)).collect();
    let mut builder = TableBuilder::new(table.fields.clone(), Storage::Compact, context);
    for chunk in &table.chunks {
        let column = |(index, column): (usize, &Column)| match values.get(index) {
            Some(Some(values)) => decoded(column, values),
            _ => column.clone(),
        };
        builder.push_columns(chunk.rows, chunk.columns.iter().enumerate().map(column).collect())?;
    }
    builder.finish()
}

fn decoded(codes: &Column, values: &[i64]) -> Column {
    let value = |(row, code): (usize, i64)| if codes.is_null(row) { 0 } else { values[code as usize] };
    let values: Vec<i64> = integers(codes).iter().copied().enumerate().map(value).collect();
    Column { data: ColumnData::Int64(values.into()), nulls: codes.nulls.clone() }
}

fn integers(column: &Column) -> Cow<'_, [i64]> {
    match &column.data {
        ColumnData::Int64(values) => Cow::Borrowed(values),
        _ => Cow::Owned(gather_i64(std::slice::from_ref(column)).expect("integers have 64 bits")),
    }
}

/// Whether values lie too far apart for an array over their range, and in no order that would do instead.
fn is_far_apart(statistics: &ColumnStatistics, rows: usize) -> bool {
    let (Some(Value::Int(min)), Some(Value::Int(max))) = (&statistics.min, &statistics.max) else { return false };
    !statistics.sorted && max.abs_diff(*min) / statistics.step.unwrap_or(1) > NEAR * rows as u64
}

/// Whether a column looks like a key: each value once, or many of them more often. What was measured is neither.
fn is_key(statistics: &ColumnStatistics, rows: usize) -> bool {
    statistics.unique_values || statistics.distinct.is_some_and(|distinct| distinct <= rows as u64 / 4 * 3)
}

/// The domain that has most of a column's values, of a sample at least nine in ten.
fn shared<'d>(columns: &[Column], data_type: DataType, known: &'d [Domain]) -> Option<&'d Domain> {
    let rows: usize = columns.iter().map(Column::rows).sum();
    // Multiples of the golden ratio, modulo 1, lie evenly, and in step with nothing.
    let place = |at: u64| ((u128::from(at.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * rows as u128) >> 64) as usize;
    let sample = (0..SAMPLE).map(place).filter_map(|row| {
        let column = &columns[row / CHUNK_ROWS];
        let value = column.integer(row % CHUNK_ROWS).filter(|_| !column.is_null(row % CHUNK_ROWS));
        value.map(|value| value as i64)
    });
    let sample: FxHashSet<i64> = sample.collect();
    let found = |domain: &Domain| {
        let chunk =
            |chunk: &Arc<Chunk>| integers(&chunk.columns[0]).iter().filter(|value| sample.contains(value)).count();
        domain.table.chunks.par_iter().map(chunk).sum::<usize>()
    };
    let candidates = known.iter().filter(|domain| domain.data_type() == data_type);
    let candidates = candidates.map(|domain| (found(domain), domain));
    // Of one lineage the longest, which is the one that may become longer.
    let best = candidates.max_by_key(|(found, domain)| (*found, domain.table.rows()));
    best.filter(|(found, _)| !sample.is_empty() && found * 10 >= sample.len() * 9).map(|(_, domain)| domain)
}

/// What encoding takes beside what it gives: a value, a row and a code for each row and each value known.
fn working_memory(columns: &[Column], shared: Option<&Domain>, context: &Context) -> Result<Reservation> {
    let rows = columns.iter().map(Column::rows).sum::<usize>() + shared.map_or(0, |domain| domain.table.rows());
    let mut memory = Reservation::new(&context.memory);
    memory.add(rows * 40)?;
    Ok(memory)
}

/// A column of codes.
struct Coded {
    domain: Domain,
    /// One column a chunk, all but the last of as many rows as the table's chunks.
    codes: Table,
}

/// Encodes a column; none if it has too many values.
fn code(
    field: &Field,
    columns: &[Column],
    values: &[Cow<'_, [i64]>],
    shared: Option<&Domain>,
    context: &Context,
) -> Result<Option<Coded>> {
    let nulls: Vec<Option<&NullBuffer>> = columns.iter().map(|column| column.nulls.as_ref()).collect();
    let before = shared.map_or_else(Vec::new, Domain::values);
    let found = dealt::encode(&before, values, &nulls);
    context.check()?;
    let (from, to) = (before.len(), before.len() + found.new.len());
    if to > VALUES_MAX {
        return Ok(None);
    }
    let domain = match shared {
        Some(domain) if found.new.is_empty() => domain.clone(),
        // More is missing than there, so what was alike is so by chance; or somebody else has made it longer just now.
        Some(domain) if to > 2 * from || !domain.lineage.lengthen(from, to) => {
            return code(field, columns, values, None, context);
        }
        _ => {
            let lineage = shared.map_or_else(|| Lineage::new(to), |domain| Arc::clone(&domain.lineage));
            let values = before.into_iter().chain(found.new).collect();
            Domain { table: Arc::new(domain_table(field, values, context)?), lineage }
        }
    };
    let fields = vec![Field::new(field.name.clone(), DataType::BigInt, field.nullable)];
    let mut builder = TableBuilder::new(fields, Storage::Compact, context);
    for (codes, column) in found.codes.into_iter().zip(columns) {
        let column = Column { data: ColumnData::Int32(codes.into()), nulls: column.nulls.clone() };
        builder.push_columns(column.rows(), vec![column])?;
    }
    Ok(Some(Coded { domain, codes: builder.finish()? }))
}

fn domain_table(field: &Field, values: Vec<i64>, context: &Context) -> Result<Table> {
    let rows = values.len();
    let fields = vec![Field::new("value", field.data_type, false), Field::new("code", DataType::BigInt, false)];
    let mut builder = TableBuilder::new(fields, Storage::Compact, context);
    for (at, values) in values.chunks(CHUNK_ROWS).enumerate() {
        let first = (at * CHUNK_ROWS) as i64;
        let codes: Vec<i64> = (first..first + values.len() as i64).collect();
        let columns = [values.to_vec(), codes];
        let columns = columns.map(|values| Column { data: ColumnData::Int64(values.into()), nulls: None });
        builder.push_columns(columns[0].rows(), columns.into())?;
    }
    let mut table = builder.finish()?;
    let mut statistics = TableStatistics::clone(&table.statistics);
    let value = &mut statistics.columns[0];
    (value.distinct, value.unique, value.unique_values) = (Some(rows as u64), true, true);
    table.statistics = Arc::new(statistics);
    Ok(table)
}

/// Puts codes in the place of a table's column.
fn replace(table: &mut Table, index: usize, codes: Table, context: &Context) -> Result<()> {
    let mut statistics = TableStatistics::clone(&table.statistics);
    statistics.columns[index] = codes.statistics.columns[0].clone();
    table.statistics = Arc::new(statistics);
    for (chunk, coded) in table.chunks.iter_mut().zip(codes.chunks) {
        let column = coded.columns[0].clone();
        debug_assert_eq!(chunk.rows, coded.rows, "both are cut alike");
        let counted = chunk.reservation.as_ref().map_or(0, |reservation| reservation.bytes());
        let (old, new) = (chunk.columns[index].bytes(), column.bytes());
        let mut reservation = Reservation::new(&context.memory);
        reservation.add((counted + new).saturating_sub(old))?;
        let chunk = Arc::make_mut(chunk);
        chunk.columns[index] = column;
        chunk.ranges[index] = coded.ranges[0];
        chunk.reservation = Some(Arc::new(reservation));
    }
    Ok(())
}
