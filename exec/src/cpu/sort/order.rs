//! Order: rows of columns by their keys, and where keys do not tell them apart by comparing them, for Sort and top-k.

use super::keys::{KeyColumn, Level, Those};
use super::radix;
use crate::Result;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::technique::Technique;
use crate::workers::context::Reservation;
use crate::workers::merge_sort;
use crate::workers::schedule::Workers;
use multiloop_planner::types::SortOrder;
use multiloop_planner::value::compare_floats;
use std::cmp::Ordering;
use std::ops::Range;

/// Rows with equal keys up to which they are compared, not given keys of their own.
const FEW: usize = 16;

/// Rows that a worker takes at a time.
const PIECE: usize = 1 << 14;

/// Rows with equal keys that all workers put in order together, if they are a large part of all: this part.
const TOGETHER: usize = 1 << 16;
const LARGE_PART: usize = 32;

/// Levels of keys beyond which rows are compared: strings that begin more and more alike need no more.
const LEVELS: usize = 32;

/// Bytes that a row takes while rows are put in order: its number, that where it is moved to, and its place.
pub(in crate::cpu) const SORTED_BYTES: usize = 24;

/// SQL's order of two rows of one column; NULLs, if any, as `order` says.
pub(in crate::cpu) fn compare_rows(column: &ColumnBuilder, a: usize, b: usize, order: SortOrder) -> Ordering {
    match (column.is_null(a), column.is_null(b)) {
        (false, false) => {}
        (true, true) => return Ordering::Equal,
        (a_null, _) => {
            return if a_null == order.nulls_first { Ordering::Less } else { Ordering::Greater };
        }
    }
    let ascending = compare_values(column, a, b);
    if order.descending { ascending.reverse() } else { ascending }
}

fn compare_values(column: &ColumnBuilder, a: usize, b: usize) -> Ordering {
    match &column.data {
        BuilderData::Bool(values) => values[a].cmp(&values[b]),
        BuilderData::I32(values) => values[a].cmp(&values[b]),
        BuilderData::I64(values) => values[a].cmp(&values[b]),
        BuilderData::I128(values) => values[a].cmp(&values[b]),
        BuilderData::F64(values) => compare_floats(values[a], values[b]),
        BuilderData::Code { codes, .. } => codes[a].cmp(&codes[b]),
        BuilderData::Text(_) => column.text(a).cmp(column.text(b)),
        BuilderData::Interval(values) => values[a].comparable_micros().cmp(&values[b].comparable_micros()),
    }
}

/// An order of values that are equal in SQL's sense but differ: -0 and 0, intervals of one length.
fn compare_forms(column: &ColumnBuilder, a: usize, b: usize) -> Ordering {
    match &column.data {
        BuilderData::F64(values) => values[a].total_cmp(&values[b]),
        BuilderData::Interval(values) => values[a].form().cmp(&values[b].form()),
        _ => Ordering::Equal,
    }
}

/// An order of rows: some columns in some directions, then all columns, so that only equal rows are tied.
pub(in super::super) struct RowOrder<'a> {
    pub(in super::super) columns: &'a [ColumnBuilder],
    /// Columns by number, most significant first.
    pub(in super::super) order: &'a [(usize, SortOrder)],
}

/// How ties are broken.
const TIES: SortOrder = SortOrder { descending: false, nulls_first: false };

impl RowOrder<'_> {
    /// Compares two rows; those that are equal stay as they are.
    pub(super) fn compare(&self, a: u32, b: u32) -> Ordering {
        let (first, second) = (a as usize, b as usize);
        let unequal = |ordering: &Ordering| *ordering != Ordering::Equal;
        let rows = |column: usize, order| compare_rows(&self.columns[column], first, second, order);
        let by_order = self.order.iter().map(|&(column, order)| rows(column, order)).find(unequal);
        let by_value = || (0..self.columns.len()).map(|column| rows(column, TIES)).find(unequal);
        let by_form = || self.columns.iter().map(|column| compare_forms(column, first, second)).find(unequal);
        by_order.or_else(by_value).or_else(by_form).unwrap_or_else(|| a.cmp(&b))
    }

    /// The same as columns of keys.
    fn key_columns(&self) -> Vec<KeyColumn<'_>> {
        let named = |column: usize| self.order.iter().any(|&(other, _)| other == column);
        let key = |column: usize, order| KeyColumn { column: &self.columns[column], order, by_form: false };
        let ordered = self.order.iter().map(|&(column, order)| key(column, order));
        let ties = (0..self.columns.len()).filter(|&column| !named(column)).map(|column| key(column, TIES));
        let has_forms = |column: &&ColumnBuilder| matches!(column.data, BuilderData::F64(_) | BuilderData::Interval(_));
        let forms = self.columns.iter().filter(has_forms);
        ordered.chain(ties).chain(forms.map(|column| KeyColumn { column, order: TIES, by_form: true })).collect()
    }

    /// The rows in order.
    pub(in crate::cpu) fn sorted(&self, rows: usize, workers: Workers<'_>) -> Result<Vec<u32>> {
        if !Technique::SortKeys.is_on() {
            let mut sorted: Vec<u32> = (0..rows as u32).collect();
            Sort { order: self, columns: &[], workers }.compare(&mut sorted)?;
            return Ok(sorted);
        }
        let mut sorted = vec![0; rows];
        let (columns, all) = (self.key_columns(), Those::All(rows));
        let sort = Sort { order: self, columns: &columns, workers };
        sort.settle(Level::new(&columns, 0, all, workers)?, all, &mut sorted, 1)?;
        Ok(sorted)
    }

    /// The first `count` rows, in order.
    pub(in super::super) fn first(&self, rows: usize, count: usize, workers: Workers<'_>) -> Result<Vec<u32>> {
        if count == 0 || count >= rows || !Technique::SortKeys.is_on() {
            let mut sorted = if count == 0 { Vec::new() } else { self.sorted(rows, workers)? };
            sorted.truncate(count);
            return Ok(sorted);
        }
        let columns = self.key_columns();
        Sort { order: self, columns: &columns, workers }.first(Those::All(rows), 0, count, 1)
    }
}

/// The place of a row among those of its level, the lowest bits of its number.
#[inline(always)]
fn place_of(number: u64, place_bits: u32) -> usize {
    (number & ((1 << place_bits) - 1)) as usize
}

/// Rows that are being put in order.
#[derive(Clone, Copy)]
struct Sort<'a> {
    order: &'a RowOrder<'a>,
    columns: &'a [KeyColumn<'a>],
    workers: Workers<'a>,
}

impl Sort<'_> {
    /// Writes rows in order, as the numbers of a level and then those of further ones say.
    fn settle(&self, level: Level, those: Those<'_>, sorted: &mut [u32], depth: usize) -> Result<()> {
        let Level { numbers, place_bits, next } = level;
        let numbers = radix::sort(numbers, place_bits, self.workers)?;
        let pieces = pieces(&numbers, place_bits, sorted);
        let long = TOGETHER.max(numbers.len() / LARGE_PART);
        let alone = Sort { workers: Workers { pool: None, ..self.workers }, ..*self };
        let left = self.workers.map(pieces, |(start, numbers, sorted): (usize, &[u64], &mut [u32])| {
            sorted.iter_mut().zip(numbers).for_each(|(row, &number)| *row = those.at(place_of(number, place_bits)));
            let Some(next) = next else { return Ok(Vec::new()) };
            let mut left = Vec::new();
            for run in runs(numbers, place_bits) {
                if run.len() > long {
                    left.push((start + run.start..start + run.end, next));
                } else {
                    alone.settle_run(&mut sorted[run], next, depth)?;
                }
            }
            Ok(left)
        })?;
        drop(numbers);
        left.into_iter().flatten().try_for_each(|(run, next)| self.settle_run(&mut sorted[run], next, depth))
    }

    /// Puts rows in order that differ at most from the column `next` on.
    fn settle_run(&self, run: &mut [u32], next: usize, depth: usize) -> Result<()> {
        if run.len() <= FEW || depth >= LEVELS {
            return self.compare(run);
        }
        let mut reservation = Reservation::new(&self.workers.context.memory);
        if run.len() > PIECE {
            reservation.add(run.len() * SORTED_BYTES)?;
        }
        let rows = run.to_vec();
        let those = Those::Listed(&rows);
        self.settle(Level::new(self.columns, next, those, self.workers)?, those, run, depth + 1)
    }

    /// Puts rows in order by comparing them.
    fn compare(&self, rows: &mut [u32]) -> Result<()> {
        merge_sort::sort_by(rows, self.workers, |a, b| self.order.compare(*a, *b))
    }

    /// The first `count` of some rows, one at least, that differ at most from the column `next` on; in order.
    fn first(&self, those: Those<'_>, next: usize, count: usize, depth: usize) -> Result<Vec<u32>> {
        let Level { mut numbers, place_bits, next } = Level::new(self.columns, next, those, self.workers)?;
        let (_, &mut last, _) = numbers.select_nth_unstable(count - 1);
        let key = last >> place_bits;
        // Of those with the last one's key it is not known yet which come first.
        let mut tied: Vec<u64> = numbers.iter().copied().filter(|number| number >> place_bits == key).collect();
        tied.sort_unstable();
        let mut tied: Vec<u32> = tied.into_iter().map(|number| those.at(place_of(number, place_bits))).collect();
        numbers.retain(|number| number >> place_bits < key);
        numbers = radix::sort(numbers, 0, self.workers)?;
        let mut first = vec![0; numbers.len()];
        self.settle(Level { numbers, place_bits, next }, those, &mut first, depth)?;
        let left = count - first.len();
        match next {
            Some(next) if tied.len() > FEW && depth < LEVELS => {
                tied = self.first(Those::Listed(&tied), next, left, depth + 1)?;
            }
            Some(_) => self.compare(&mut tied)?,
            None => {}
        }
        first.extend_from_slice(&tied[..left]);
        Ok(first)
    }
}

/// Cuts numbers and what becomes of them into pieces between which keys differ; with each the place where it begins.
fn pieces<'a>(
    mut numbers: &'a [u64],
    place_bits: u32,
    mut sorted: &'a mut [u32],
) -> Vec<(usize, &'a [u64], &'a mut [u32])> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    while !numbers.is_empty() {
        let key = numbers[numbers.len().min(PIECE) - 1] >> place_bits;
        let end = numbers.partition_point(|number| number >> place_bits <= key);
        let (piece, more) = numbers.split_at(end);
        let (own, rest) = sorted.split_at_mut(end);
        pieces.push((start, piece, own));
        (numbers, sorted, start) = (more, rest, start + end);
    }
    pieces
}

/// Where two or more numbers have one key.
fn runs(numbers: &[u64], place_bits: u32) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let ends = numbers.chunk_by(move |a, b| a >> place_bits == b >> place_bits).map(<[u64]>::len);
    let run = move |len: usize| {
        start += len;
        start - len..start
    };
    ends.map(run).filter(|run| run.len() > 1)
}
