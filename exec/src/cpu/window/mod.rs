//! Window functions: evaluated where the rows of a partition lie side by side and in order, and brought back to where each row came
//! from.
//!
//! 1. Only the fields by which rows are put in order and those that functions take are read. Rows are sorted by partition and
//!    order; rows that the order leaves tied stay as they were. Rows themselves stay where they are: the result has the columns
//!    of the input, in its order.
//! 2. The sort knows which field is the first that tells a row from the one before it. So it says where partitions and groups of
//!    peers begin (`layout`), and no row is compared again.
//! 3. Each function goes over pieces of the sorted rows, by all workers (`pieces`): whole partitions, or any rows if what it says
//!    of a row depends on few around it. It gives columns, or numbers of rows whose values it says.
//! 4. Chunk by chunk these are gathered by the places that the chunk's rows have in the order.

mod aggregates;
mod cancel_check;
mod extremes;
mod frames;
mod general;
mod layout;
mod numerics;
mod pieces;
mod places;
mod pointers;
mod quantiles;
mod results;
mod sliding;
mod sorted;
mod statistics;
mod two_stacks;

use self::layout::Layout;
use self::results::FunctionResult;
use self::sorted::Sorted;
use super::sort::order::{RowOrder, SORTED_BYTES, Ties};
use super::sort::read_fields;
use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Column};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use multiloop_planner::multiloop::WindowField;
use multiloop_planner::types::{DataType, SortOrder};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How the fields of a partition are sorted: any order brings equal ones together.
const TOGETHER: SortOrder = SortOrder { descending: false, nulls_first: false };

/// Bytes that a row takes beside its values while functions go over it: its mark and its place.
const PLACED_BYTES: usize = size_of::<u16>() + size_of::<u32>();

/// Bytes that what a function says of a row takes, at most, if it is no text.
const SAID_BYTES: usize = size_of::<i128>() + 1;

/// Rows that one worker does while the others would wake up.
const ALONE_ROWS: usize = 1 << 12;

/// The rows with the fields that functions add; `types` are those of all of them.
pub(crate) fn window(
    input: &RowSet,
    types: &[DataType],
    (partition, order): (&[u32], &[(u32, SortOrder)]),
    functions: &[WindowField],
    workers: Workers<'_>,
) -> Result<RowSet> {
    let workers = Workers { pool: workers.pool.filter(|_| input.rows > ALONE_ROWS), ..workers };
    let (own, added) = types.split_at(types.len() - functions.len());
    let mut scratch = Reservation::new(&workers.context.memory);
    scratch.add(input.rows * (SORTED_BYTES + PLACED_BYTES))?;
    let read = Read::new(input, own, (partition, order), functions, workers)?;
    // What functions say may be the bytes of these.
    let mut reservation = Reservation::new(&workers.context.memory);
    reservation.add(read.columns.iter().map(ColumnBuilder::bytes).sum::<usize>())?;
    reservation.add(functions.len() * input.rows * SAID_BYTES)?;
    let by = RowOrder { columns: &read.columns, order: &read.keys, ties: Ties::ByPlace };
    let (rows, marks) = by.sorted_and_marked(input.rows, workers)?;
    let layout = Layout::new(&marks, (read.partition, read.keys.len()));
    drop(marks);
    let descending = order.first().is_some_and(|(_, order)| order.descending);
    let (columns, fields) = (&read.columns[..], &read.fields[..]);
    let sorted = Sorted { rows: &rows, layout: &layout, columns, fields, types: own, descending };
    let results = pieces::evaluate(&sorted, functions, &mut scratch, workers)?;
    let places = places_of(&rows, workers)?;
    // Texts that functions make are theirs alone.
    reservation.add(results.iter().map(FunctionResult::text_bytes).sum::<usize>())?;
    let chunks = chunks_with(input, &results, &sorted, (added, &places), workers)?;
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(chunks) })
}

/// What is read of the input.
struct Read {
    /// Fields, in order, and their columns.
    fields: Vec<usize>,
    columns: Vec<ColumnBuilder>,
    /// The columns of partition and order, each once: what tells rows apart does so the first time.
    keys: Vec<(usize, SortOrder)>,
    /// How many of them are of the partition.
    partition: usize,
}

impl Read {
    fn new(
        input: &RowSet,
        types: &[DataType],
        (partition, order): (&[u32], &[(u32, SortOrder)]),
        functions: &[WindowField],
        workers: Workers<'_>,
    ) -> Result<Self> {
        let ordered = order.iter().map(|(field, _)| field);
        let taken = functions.iter().flat_map(|function| &function.arguments);
        let mut fields: Vec<usize> =
            partition.iter().chain(ordered).chain(taken).map(|&field| field as usize).collect();
        fields.sort_unstable();
        fields.dedup();
        let mut columns = read_fields(input, types, &fields, workers)?;
        columns.iter_mut().for_each(ColumnBuilder::close_arena);
        let mut keys: Vec<(usize, SortOrder)> = Vec::new();
        let mut add = |field: u32, order: SortOrder| {
            let column = fields.partition_point(|&other| other < field as usize);
            if keys.iter().all(|&(other, _)| other != column) {
                keys.push((column, order));
            }
            keys.len()
        };
        let partition = partition.iter().fold(0, |_, &field| add(field, TOGETHER));
        order.iter().for_each(|&(field, order)| _ = add(field, order));
        Ok(Read { fields, columns, keys, partition })
    }
}

/// The place of each row in the order; none if it is its number.
fn places_of(rows: &[u32], workers: Workers<'_>) -> Result<Option<Vec<AtomicU32>>> {
    if rows.is_sorted() {
        return Ok(None);
    }
    let places: Vec<AtomicU32> = (0..rows.len()).map(|_| AtomicU32::new(0)).collect();
    let piece = workers.piece_rows(rows.len());
    workers.map(rows.chunks(piece).enumerate().collect(), |(number, rows): (usize, &[u32])| {
        let from = (number * piece) as u32;
        // Each row is there once: nobody else writes its place.
        (from..).zip(rows).for_each(|(place, &row)| places[row as usize].store(place, Ordering::Relaxed));
        Ok(())
    })?;
    Ok(Some(places))
}

/// The chunks of the input with the functions' values of their rows.
fn chunks_with(
    input: &RowSet,
    results: &[FunctionResult],
    sorted: &Sorted<'_>,
    (added, places): (&[DataType], &Option<Vec<AtomicU32>>),
    workers: Workers<'_>,
) -> Result<Vec<Arc<Chunk>>> {
    let mut start = 0;
    let mut pieces: Vec<(Range<usize>, usize)> = Vec::new();
    for chunk in &input.chunks {
        pieces.extend((0..results.len()).map(|function| (start..start + chunk.rows, function)));
        start += chunk.rows;
    }
    let columns = workers.map(pieces, |(rows, function): (Range<usize>, usize)| {
        let column = match places {
            None => results[function].slice(rows, sorted),
            Some(places) => {
                let places: Vec<u32> = places[rows].iter().map(|place| place.load(Ordering::Relaxed)).collect();
                results[function].take(&places, sorted)
            }
        };
        column.into_column(added[function])
    })?;
    let mut columns = columns.into_iter();
    let chunk = |chunk: &Arc<Chunk>| {
        let position = |field: u32| input.position(field) as usize;
        let own = (0..sorted.types.len() as u32).map(|field| chunk.columns[position(field)].clone());
        let columns: Vec<Column> = own.chain(columns.by_ref().take(added.len())).collect();
        let ranges = (0..sorted.types.len() as u32).map(|field| chunk.ranges[position(field)]);
        let ranges = ranges.chain(added.iter().map(|_| None)).collect();
        let reservation = input.reservation.clone().or_else(|| chunk.reservation.clone());
        Arc::new(Chunk { ranges, home: chunk.home, reservation, ..Chunk::new(chunk.rows, columns) })
    };
    Ok(input.chunks.iter().map(chunk).collect())
}
