//! Domains: keys that are no small integers, stored as codes that are.
//!
//! Integers that were made by hashing or drawn at random lie anywhere in 64 bits, and strings are longer yet: whoever joins or
//! groups by them has to hash. A loaded table stores the numbers of the rows of a *domain* in their place: a table of all
//! values, in the order in which they were first seen. So codes are as many as values, and what comes clustered, or in the
//! order in which it was made, has codes that are. Columns of several tables that hold the same values share a domain: codes
//! are equal where values are.
//!
//! A domain that lacks values gets them behind those that it has, as a longer domain of the same [`Lineage`], in which all
//! codes of before mean what they meant: nothing that is stored has to be looked at. So a table that is loaded shares the
//! domains of others, and rows that are appended get codes of their table's (`append`).
//!
//! To make codes of integers takes longer than to load them, so they have none before queries that hash them have come again
//! ([`encode_hashed`]), or a table that has is there whose values they have. Text whose dictionary is large has them from the load on.
//!
//! `integers` and `text` say which columns gain by it, and encode them; the result depends on the rows alone, and not on how
//! many cores there are.

mod append;
mod arranged;
mod integers;
mod lineage;
mod partition;
#[cfg(test)]
mod tests;
mod text;

pub use append::{Appended, append, coded, patch, rows_at};
pub use arranged::{Moves, Unarranged, can_arrange_by};
pub use lineage::Lineage;

use super::build::{Storage, TableBuilder};
use super::row_index::RowPlaces;
use super::{CHUNK_ROWS, Chunk, Chunks, Column, ColumnData, Table};
use crate::technique::Technique;
use crate::workers::context::{Context, Reservation};
use crate::{ErrorKind, Result};
use multiloop_planner::catalog::{ColumnStatistics, TableStatistics};
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// Rows of a table for which a domain is made, at least: for fewer nothing is gained.
const ROWS_MIN: usize = 4096;

/// Rows of a table that shares a domain, at least: all of that has to be looked at.
const ROWS_SHARING: usize = 256;

/// Values of a column that are looked for in the domains that there are.
const SAMPLE: u64 = 256;

/// Values of a domain, at most: codes have 31 bits.
const VALUES_MAX: usize = 1 << 31;

/// The type of codes.
const CODE: DataType = DataType::BigInt;

/// The values of one or more columns.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Two columns: `value`, unique and not NULL, and `code`, the number of the row.
    pub table: Arc<Table>,
    /// Domains of one lineage begin with all rows of those before them.
    pub lineage: Arc<Lineage>,
}

impl Domain {
    /// Whether columns of this type may have it.
    fn is_of(&self, data_type: DataType) -> bool {
        self.table.fields[0].data_type == data_type
    }
}

/// A column that may be encoded.
struct Candidate<'t> {
    field: &'t Field,
    /// One a chunk; all chunks but the last have [`CHUNK_ROWS`] rows.
    columns: Vec<Column>,
    statistics: &'t ColumnStatistics,
    rows: usize,
}

impl<'t> Candidate<'t> {
    fn of(table: &'t Table, column: usize) -> Self {
        let columns = table.chunks.iter().map(|chunk| chunk.columns[column].clone()).collect();
        let (field, statistics) = (&table.fields[column], &table.statistics.columns[column]);
        Candidate { field, columns, statistics, rows: table.rows() }
    }

    /// Whether it is long enough for a domain of its own.
    fn may_begin(&self) -> bool {
        self.rows >= ROWS_MIN
    }

    /// Memory for what encoding takes beside what it gives: so many bytes for a row, and for a value of a domain that is shared.
    fn working_memory(&self, shared: Option<&Domain>, bytes: usize, context: &Context) -> Result<Reservation> {
        let mut memory = Reservation::new(&context.memory);
        memory.add((self.rows + shared.map_or(0, |domain| domain.table.rows())) * bytes)?;
        Ok(memory)
    }

    /// Chunks and rows of a sample, NULLs among them.
    fn sample(&self) -> impl Iterator<Item = (&Column, usize)> {
        // Multiples of the golden ratio, modulo 1, lie evenly, and in step with nothing.
        let part = |at: u64| u128::from(at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let places = (0..SAMPLE).map(move |at| ((part(at) * self.rows as u128) >> 64) as usize);
        places.map(|row| (&self.columns[row / CHUNK_ROWS], row % CHUNK_ROWS))
    }

    /// The domain that has most of a sample of so many values, one in four at least, as far as `found` counts them. Nothing
    /// of this kind is alike by chance: if some are, one column refers to the other, or both to a third.
    fn shared<'d>(&self, known: &'d [Domain], sample: usize, found: impl Fn(&Domain) -> usize) -> Option<&'d Domain> {
        let of_type = known.iter().filter(|domain| sample > 0 && domain.is_of(self.field.data_type));
        let found = of_type.map(|domain| (found(domain), domain));
        // Of one lineage the longest.
        let best = found.max_by_key(|(found, domain)| (*found, domain.table.rows()));
        best.filter(|(found, _)| found * 4 >= sample).map(|(_, domain)| domain)
    }
}

/// A column of codes.
struct Coded {
    domain: Domain,
    /// One column a chunk, cut as the table's.
    codes: Table,
}

impl Coded {
    /// Codes of a domain that there is.
    fn sharing(candidate: &Candidate<'_>, domain: &Domain, codes: &[Vec<i32>], context: &Context) -> Result<Self> {
        Ok(Coded { domain: domain.clone(), codes: codes_table(candidate, codes, context)? })
    }

    /// Codes of a domain that is made of these values, a column for each [`CHUNK_ROWS`] of them: a longer one than `from`, or
    /// one of its own. None if somebody else has made that one longer in the meantime.
    fn making(
        candidate: &Candidate<'_>,
        values: Vec<Column>,
        from: Option<&Domain>,
        codes: &[Vec<i32>],
        context: &Context,
    ) -> Result<Option<Self>> {
        let table = Arc::new(domain_table(candidate.field.data_type, values, context)?);
        let domain = match from {
            Some(from) => from.lineage.lengthen(&from.table, table),
            None => Some(Lineage::begin(table)),
        };
        domain.map(|domain| Coded::sharing(candidate, &domain, codes, context)).transpose()
    }
}

/// A loaded table with codes in the place of what gains by it, and for each column its domain, if it has one: one of those
/// that are `known`, a longer one, or, of text, a new one; none at all if no column has. Columns that have codes already, of the
/// domains that the table `has`, keep them. A column for which memory does not suffice stays as it is.
///
/// # Errors
/// 57014 if it is cancelled.
pub fn encode(
    mut table: Table,
    has: &[Option<Domain>],
    known: &[Domain],
    context: &Context,
) -> Result<(Table, Vec<Option<Domain>>)> {
    let mut known = known.to_vec();
    let mut domains = has.to_vec();
    if !has_room(&table) {
        return Ok((table, domains));
    }
    domains.resize(table.fields.len(), None);
    for (index, domain) in domains.iter_mut().enumerate().filter(|(_, domain)| domain.is_none()) {
        context.check()?;
        let candidate = Candidate::of(&table, index);
        let coded = match candidate.field.data_type {
            data_type if data_type.is_integer() => integers::share(&candidate, &known, context),
            data_type if data_type.is_text() => text::code(&candidate, &known, context),
            _ => continue,
        };
        let coded = match coded {
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

/// What a column of integers that queries hash is joined with.
#[derive(Clone, Copy, Debug)]
pub enum Joined<'t> {
    /// Nothing: it makes groups.
    Alone,
    /// Another column of its type, by its position in a table: a new domain begins with its values, in the order of its rows.
    With(&'t Table, usize),
    /// A column that has this domain, which it then shares.
    By(&'t Domain),
}

/// A table with codes in the place of a column of integers, for who knows that queries hash it: whether it has values in common with
/// what it is joined with is not looked at. Its domain is one of those that are `known`, a longer one, or a new one. None if the column gains nothing by it: it has codes, or is short, not wide, of another
/// type than what it is joined with, or alone and in order.
///
/// # Errors
/// 53200 without the memory for it, 57014 if it is cancelled.
pub fn encode_hashed(
    mut table: Table,
    (column, has): (usize, &[Option<Domain>]),
    (joined, known): (Joined<'_>, &[Domain]),
    context: &Context,
) -> Result<Option<(Table, Vec<Option<Domain>>)>> {
    let data_type = table.fields.get(column).map(|field| field.data_type);
    let Some(data_type) = data_type.filter(|data_type| data_type.is_integer()) else { return Ok(None) };
    let mut domains = has.to_vec();
    domains.resize(table.fields.len(), None);
    if !may_have_room(&table) || domains[column].is_some() {
        return Ok(None);
    }
    let candidate = Candidate::of(&table, column);
    let may_begin = candidate.may_begin() && candidate.statistics.is_wide(candidate.rows as u64);
    let gains = match joined {
        Joined::Alone => may_begin && !candidate.statistics.proofs.sorted,
        Joined::With(with, key) => {
            may_begin && may_have_room(with) && with.fields.get(key).is_some_and(|field| field.data_type == data_type)
        }
        Joined::By(domain) => domain.is_of(data_type),
    };
    if !gains {
        return Ok(None);
    }
    if !is_even(&table) {
        table = even(&table, &domains, context)?;
    }
    let candidate = Candidate::of(&table, column);
    let Some(Coded { domain, codes }) = integers::begin(&candidate, joined, known, context)? else { return Ok(None) };
    domains[column] = Some(domain);
    replace(&mut table, column, codes, context)?;
    Ok(Some((table, domains)))
}

/// Whether codes of a table's rows gain anything, and have a place.
fn has_room(table: &Table) -> bool {
    table.rows() >= ROWS_SHARING && is_even(table) && !table.is_lazy() && Technique::Domains.is_on()
}

/// Whether they have, or would if the table were [`even`]. Batches of a caller's stay as they are, but rows that were added do not.
fn may_have_room(table: &Table) -> bool {
    let full = table.chunks.iter().take_while(|chunk| chunk.rows == CHUNK_ROWS).count();
    // What was loaded at once is full chunks, and one that need not be.
    let loaded: usize = table.chunks.iter().take(full + 1).map(|chunk| chunk.rows).sum();
    let is_large = table.rows() >= ROWS_SHARING && !table.is_lazy() && Technique::Domains.is_on();
    is_large && loaded * 2 > table.rows()
}

/// Whether all chunks but the last are as long as chunks of loaded tables.
fn is_even(table: &Table) -> bool {
    table.chunks.iter().rev().skip(1).all(|chunk| chunk.rows == CHUNK_ROWS)
}

/// The same rows in such chunks. Columns that have codes keep them.
fn even(table: &Table, domains: &[Option<Domain>], context: &Context) -> Result<Table> {
    let field = |(field, domain): (&Field, &Option<Domain>)| match domain {
        Some(_) => Field::new(field.name.clone(), CODE, field.nullable),
        None => field.clone(),
    };
    let fields = table.fields.iter().zip(domains).map(field).collect();
    let mut builder = TableBuilder::new(fields, Storage::Compact, context);
    for chunk in &table.chunks {
        builder.push_columns(chunk.rows, chunk.columns.clone())?;
    }
    Ok(Table { fields: table.fields.clone(), ..builder.finish()? })
}

/// The table with values in the place of codes, compact.
pub fn decode(table: &Table, domains: &[Option<Domain>], context: &Context) -> Result<Table> {
    let decoder = |domain: &Option<Domain>| domain.as_ref().map(|domain| Decoder::of(domain, context));
    let decoders: Vec<Option<Decoder>> = domains.iter().map(decoder).collect();
    let mut builder = TableBuilder::new(table.fields.clone(), Storage::Compact, context);
    for chunk in &table.chunks {
        let column = |(index, column): (usize, &Column)| match decoders.get(index) {
            Some(Some(decoder)) => decoder.decode(column, &table.fields[index].name),
            _ => Ok(column.clone()),
        };
        builder.push_columns(chunk.rows, chunk.columns.iter().enumerate().map(column).collect::<Result<_>>()?)?;
    }
    builder.finish()
}

/// The values of a domain, by code.
enum Decoder {
    Integers(Vec<i64>),
    /// Codes of one dictionary.
    Strings(text::Strings),
    /// Strings wherever they lie.
    Texts(Arc<Table>),
}

impl Decoder {
    fn of(domain: &Domain, context: &Context) -> Self {
        match text::Strings::of(domain, context) {
            Some(strings) => Decoder::Strings(strings),
            None if domain.table.fields[0].data_type.is_text() => Decoder::Texts(Arc::clone(&domain.table)),
            None => Decoder::Integers(integers::values(domain)),
        }
    }

    /// The values of a column of codes, which has this name.
    fn decode(&self, codes: &Column, name: &str) -> Result<Column> {
        let numbers = integers::of_column(codes);
        let data = match self {
            Decoder::Integers(values) => {
                let value = |(row, &code): (usize, &i64)| if codes.is_null(row) { 0 } else { values[code as usize] };
                ColumnData::Int64(numbers.iter().enumerate().map(value).collect())
            }
            Decoder::Strings(strings) => strings.decode(&numbers, codes),
            Decoder::Texts(table) => {
                let places = RowPlaces::new(table);
                let text = |(row, &code): (usize, &i64)| {
                    let (columns, at) = if codes.is_null(row) { return &[][..] } else { places.of(code as usize) };
                    columns[0].data.text_bytes(at)
                };
                let texts: Vec<&[u8]> = numbers.iter().enumerate().map(text).collect();
                text::bytes(&texts).ok_or_else(|| super::arrow::too_much_text(name))?
            }
        };
        Ok(Column::new(data, codes.nulls.clone()))
    }
}

/// A column's codes as a table of one column, in narrow forms and with their statistics.
fn codes_table(candidate: &Candidate<'_>, codes: &[Vec<i32>], context: &Context) -> Result<Table> {
    let field = Field::new(candidate.field.name.clone(), CODE, candidate.field.nullable);
    let mut builder = TableBuilder::new(vec![field], Storage::Compact, context);
    for (codes, column) in codes.iter().zip(&candidate.columns) {
        let column = Column::new(ColumnData::Int32(codes.iter().copied().collect()), column.nulls.clone());
        builder.push_columns(column.rows(), vec![column])?;
    }
    builder.finish()
}

/// The table of a domain of these values, a column for each [`CHUNK_ROWS`] of them.
fn domain_table(data_type: DataType, values: Vec<Column>, context: &Context) -> Result<Table> {
    let fields = domain_fields(data_type);
    let mut builder = TableBuilder::new(vec![fields[1].clone()], Storage::Compact, context);
    let mut rows = 0;
    for column in &values {
        let codes: Vec<i64> = (rows..rows + column.rows() as i64).collect();
        rows += column.rows() as i64;
        let column = Column::new(ColumnData::Int64(codes.into()), None);
        builder.push_columns(column.rows(), vec![column])?;
    }
    let codes = builder.finish()?;
    let dictionary = values.first().and_then(|column| column.data.dictionary()).map_or(0, |strings| strings.bytes());
    let chunk = |(at, (value, code)): (usize, (Column, &Arc<Chunk>))| {
        let shared = if at == 0 { dictionary } else { 0 };
        Chunk::new(code.rows, vec![value, code.columns[0].clone()]).counted(shared, context)
    };
    let chunks = values.into_iter().zip(&codes.chunks).enumerate().map(chunk).collect::<Result<Chunks>>()?;
    let table = Table { fields, chunks, statistics: Arc::default() };
    // All is measured, but for what is known.
    let distinct = Some(table.rows() as u64);
    Ok(with_distinct_values(table.measured_knowing(&[distinct, distinct], Some(context))))
}

/// The columns of a domain of values of a type.
fn domain_fields(data_type: DataType) -> Vec<Field> {
    vec![Field::new("value", data_type, false), Field::new("code", CODE, false)]
}

/// A domain's table whose statistics say that its values are all different.
fn with_distinct_values(mut table: Table) -> Table {
    let mut statistics = TableStatistics::clone(&table.statistics);
    let value = &mut statistics.columns[0];
    (value.estimates.distinct, value.proofs.unique, value.proofs.unique_values) = (Some(statistics.rows), true, true);
    value.proofs.conjecture = None;
    table.statistics = Arc::new(statistics);
    table
}

/// Puts codes in the place of a table's column.
fn replace(table: &mut Table, index: usize, codes: Table, context: &Context) -> Result<()> {
    let mut statistics = TableStatistics::clone(&table.statistics);
    statistics.columns[index] = codes.statistics.columns[0].clone();
    table.statistics = Arc::new(statistics);
    table.chunks.change(|chunks| {
        for (at, (chunk, coded)) in chunks.iter_mut().zip(codes.chunks).enumerate() {
            let (old, new) = (&chunk.columns[index], coded.columns[0].clone());
            debug_assert_eq!(chunk.rows, coded.rows, "both are cut alike");
            let counted = chunk.reservation.as_ref().map_or(0, |reservation| reservation.bytes());
            // The first chunk counts the dictionary of all.
            let dictionary = old.data.dictionary().filter(|_| at == 0).map_or(0, |dictionary| dictionary.bytes());
            let mut reservation = Reservation::new(&context.memory);
            reservation.add((counted + new.bytes()).saturating_sub(old.bytes() + dictionary))?;
            let chunk = Arc::make_mut(chunk);
            chunk.columns[index] = new;
            chunk.ranges[index] = coded.ranges[0];
            chunk.reservation = Some(Arc::new(reservation));
        }
        Ok(())
    })
}
