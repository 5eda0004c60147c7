//! Codes of rows that are appended to a table that has codes. Each value is looked up in an index of the lineage's values,
//! which is made when it is first asked for and then grows with these; values that are not there are put behind the longest
//! domain. What that costs goes by the rows that come, not by the table's or the domain's.

use super::lineage::{Lineage, Longest, Values};
use super::{CODE, Domain, VALUES_MAX, domain_fields, domain_table, integers, replace, text, with_distinct_values};
use crate::Result;
use crate::column::row_index::{RowIndex, RowPlaces, hash_value};
use crate::column::statistics::Summary;
use crate::column::{CHUNK_ROWS, Chunk, Column, ColumnData, Table, compact::compact};
use crate::workers::context::Context;
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// An addition that is at least the so manieth part of a domain of text pays for one dictionary of all of it.
const REST_RATIO: usize = 8;

/// A table that stores codes of these `domains`, followed by `rows`, which have values: codes for these, the longest domains of
/// the table's lineages, made longer by the values that they lacked, and the rows as codes. None if a domain cannot hold them:
/// the table has to have values again then.
pub fn append(table: &Table, domains: &[Option<Domain>], rows: &Table, context: &Context) -> Result<Option<Appended>> {
    let all: Vec<usize> = (0..rows.fields.len()).collect();
    let Some((coded, longer)) = coded(domains, &all, rows, context)? else { return Ok(None) };
    let all = as_codes(table, domains).append(&as_codes(&coded, domains), context)?;
    Ok(Some(Appended { table: Table { fields: table.fields.clone(), ..all }, rows: coded, domains: longer }))
}

/// The snapshot of a table that stores codes of these `domains` in which `rows`, whose numbers ascend, have other values in some
/// `columns`, and the domains then; none if a domain cannot hold them.
pub fn patch(
    table: &Table,
    domains: &[Option<Domain>],
    (rows, columns): (&[usize], &[usize]),
    values: &Table,
    context: &Context,
) -> Result<Option<Appended>> {
    let Some((coded, longer)) = coded(domains, columns, values, context)? else { return Ok(None) };
    let of_columns: Vec<Option<Domain>> =
        columns.iter().map(|&column| domains.get(column).cloned().flatten()).collect();
    let all = as_codes(table, domains).patched(rows, columns, &as_codes(&coded, &of_columns), context)?;
    Ok(Some(Appended { table: Table { fields: table.fields.clone(), ..all }, rows: coded, domains: longer }))
}

/// Rows of a table that stores codes of these domains, by their numbers, in this order: values of its first `count` columns.
pub fn rows_at(
    table: &Table,
    domains: &[Option<Domain>],
    rows: &[usize],
    count: usize,
    context: &Context,
) -> Result<Table> {
    let columns: Vec<usize> = (0..count).collect();
    let coded = as_codes(table, domains).rows_at(rows, &columns, context)?;
    let coded = Table { fields: table.fields[..count].to_vec(), ..coded };
    if domains.iter().all(Option::is_none) { Ok(coded) } else { super::decode(&coded, domains, context) }
}

/// Values of some columns of a table as codes of its domains, and these, longer by the values that they lacked; none if a domain
/// cannot hold them.
pub fn coded(
    domains: &[Option<Domain>],
    columns: &[usize],
    values: &Table,
    context: &Context,
) -> Result<Option<(Table, Vec<Option<Domain>>)>> {
    let mut coded = values.clone();
    let mut longer = domains.to_vec();
    for (index, &column) in columns.iter().enumerate() {
        context.check()?;
        let Some(Some(domain)) = longer.get_mut(column) else { continue };
        let pieces: Vec<&Column> = values.chunks.iter().map(|chunk| &chunk.columns[index]).collect();
        let Some((codes, longest)) = domain.lineage.codes(&pieces, values.fields[index].data_type, context)? else {
            return Ok(None);
        };
        replace(&mut coded, index, codes_of(codes, &pieces, context)?, context)?;
        *domain = longest;
    }
    Ok(Some((coded, longer)))
}

/// The chunks of a table that has codes have integers.
fn as_codes(table: &Table, domains: &[Option<Domain>]) -> Table {
    let field = |(index, field): (usize, &Field)| match domains.get(index) {
        Some(Some(_)) => Field { data_type: CODE, ..field.clone() },
        _ => field.clone(),
    };
    let fields = table.fields.iter().enumerate().map(field).collect();
    Table { fields, ..table.clone() }
}

/// What appending to a table of codes gives.
#[derive(Debug)]
pub struct Appended {
    /// All rows.
    pub table: Table,
    /// Those that came, chunk by chunk as they were, with codes.
    pub rows: Table,
    /// For each column its domain, if it has codes.
    pub domains: Vec<Option<Domain>>,
}

/// Codes as a table of one column.
fn codes_of(codes: Vec<Vec<i32>>, columns: &[&Column], context: &Context) -> Result<Table> {
    let field = Field::new("code", CODE, true);
    let chunk = |(codes, column): (Vec<i32>, &&Column)| {
        let wide = Column::new(ColumnData::Int32(codes.into()), column.nulls.clone());
        let column = compact(&[wide], &field, false)?;
        Ok(Arc::new(Chunk::new(column.rows(), vec![column])))
    };
    let chunks = codes.into_iter().zip(columns).map(chunk).collect::<Result<_>>()?;
    Ok(Table { fields: vec![field.clone()], chunks, statistics: Arc::default() }.measured(Some(context)))
}

impl Lineage {
    /// The codes of values, and the longest domain, which has them all; none if it cannot. What stands at a NULL is 0.
    fn codes(
        self: &Arc<Self>,
        columns: &[&Column],
        data_type: DataType,
        context: &Context,
    ) -> Result<Option<(Vec<Vec<i32>>, Domain)>> {
        let mut longest = self.lock();
        let Longest { table, values } = &mut *longest;
        let Values(index) = values.get_or_insert_with(|| Values(RowIndex::new(context)));
        let places = RowPlaces::new(table);
        let seen = index.rows();
        let unseen = places.from(seen).map(|(columns, at)| Some(hash_value(&columns[0], at, data_type)));
        index.extend(unseen, table.rows() - seen)?;
        let mut new = New { first: table.rows(), index: RowIndex::new(context), rows: Vec::new() };
        let mut codes = Vec::with_capacity(columns.len());
        for column in columns {
            context.check()?;
            let mut code = |row: usize| {
                if column.is_null(row) {
                    return Ok(0);
                }
                let hash = hash_value(column, row, data_type);
                let is = |code: usize| {
                    let (known, at) = places.of(code);
                    are_equal((&known[0], at), (column, row))
                };
                Ok(match index.find(hash, is) {
                    Some(code) => code,
                    None => new.code(hash, column, row)?,
                } as i32)
            };
            codes.push((0..column.rows()).map(&mut code).collect::<Result<Vec<i32>>>()?);
        }
        let rows = new.rows;
        if new.first + rows.len() > VALUES_MAX {
            return Ok(None);
        }
        if !rows.is_empty() {
            let Some(longer) = longer(table, &rows, data_type, context)? else { return Ok(None) };
            *table = Arc::new(longer);
        }
        let table = Arc::clone(table);
        Ok(Some((codes, Domain { table, lineage: Arc::clone(self) })))
    }
}

/// Values that a domain lacks.
struct New<'c> {
    /// The code of the first.
    first: usize,
    index: RowIndex,
    /// Where each comes first.
    rows: Vec<(&'c Column, usize)>,
}

impl<'c> New<'c> {
    /// The code of a value, which it gets if it has none yet.
    fn code(&mut self, hash: u64, column: &'c Column, row: usize) -> Result<usize> {
        let is = |place: usize| are_equal(self.rows[place], (column, row));
        let place = match self.index.find(hash, is) {
            Some(place) => place,
            None => {
                self.index.push(Some(hash))?;
                self.rows.push((column, row));
                self.rows.len() - 1
            }
        };
        Ok(self.first + place)
    }
}

/// Whether two values, neither of which is NULL, are the same integer or string.
fn are_equal((a, at): (&Column, usize), (b, row): (&Column, usize)) -> bool {
    match a.integer(at) {
        Some(integer) => b.integer(row) == Some(integer),
        None => a.data.text_bytes(at) == b.data.text_bytes(row),
    }
}

/// A domain with more values behind; none if they are too long together.
fn longer(table: &Table, new: &[(&Column, usize)], data_type: DataType, context: &Context) -> Result<Option<Table>> {
    let pieces = new.chunks(CHUNK_ROWS).map(|new| match data_type.is_text() {
        true => text::column(new),
        false => Some(integers::column(new)),
    });
    let Some(pieces) = pieces.collect::<Option<Vec<Column>>>() else { return Ok(None) };
    if data_type.is_text() && new.len() * REST_RATIO >= table.rows() {
        let columns = table.chunks.iter().map(|chunk| chunk.columns[0].clone()).chain(pieces.iter().cloned());
        if let Some(strings) = text::Strings::of_columns(columns.collect(), context) {
            return domain_table(data_type, strings.columns(), context).map(Some);
        }
    }
    let fields = domain_fields(data_type);
    let mut first = table.rows() as i64;
    let mut chunks = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let codes = (first..first + piece.rows() as i64).collect();
        first += piece.rows() as i64;
        let codes = Column::new(ColumnData::Int64(codes), None);
        let columns = [compact(&[piece], &fields[0], true)?, compact(&[codes], &fields[1], false)?];
        chunks.push(chunk_of(columns, &fields, context)?);
    }
    let rows = Table { fields, chunks: chunks.into(), statistics: Arc::default() }.measured(Some(context));
    table.append(&rows, context).map(with_distinct_values).map(Some)
}

/// A chunk of these columns, which is counted.
fn chunk_of(columns: [Column; 2], fields: &[Field], context: &Context) -> Result<Arc<Chunk>> {
    let mut chunk = Chunk::new(columns[0].rows(), columns.into());
    let range = |(column, field): (&Column, &Field)| Summary::of(column, field.data_type).zone();
    chunk.ranges = chunk.columns.iter().zip(fields).map(range).collect();
    let strings = chunk.columns[0].data.dictionary().map_or(0, |dictionary| dictionary.bytes());
    chunk.counted(strings, context)
}
