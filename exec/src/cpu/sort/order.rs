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

/// Rows in such runs from which on their keys are made at a time.
const FEW_ROWS: usize = 64;

/// Rows that a worker takes at a time.
const PIECE: usize = 1 << 14;

/// Rows with equal keys that all workers put in order together, if they are a large part of all: this part.
const TOGETHER: usize = 1 << 16;
const LARGE_PART: usize = 32;

/// Levels of keys beyond which rows are compared: strings that begin more and more alike need no more.
const LEVELS: usize = 32;

/// Bytes that a row takes while rows are put in order: its number, that where it is moved to, and its place.
pub(in crate::cpu) const SORTED_BYTES: usize = 24;

/// The mark of a row that no column of the order tells from the row before it.
pub(in crate::cpu) const ALIKE: u16 = u16::MAX;

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
        BuilderData::Numerics(_) => unreachable!("numerics are put in order as texts"),
        BuilderData::Interval(values) => values[a].comparable_micros().cmp(&values[b].comparable_micros()),
        BuilderData::Vectors(vectors) => vectors.compare(a, b),
    }
}

/// An order of values that are equal in SQL's sense but differ: -0 and 0, intervals of one length.
fn compare_forms(column: &ColumnBuilder, a: usize, b: usize) -> Ordering {
    match &column.data {
        BuilderData::F64(values) => values[a].total_cmp(&values[b]),
        BuilderData::Interval(values) => values[a].form().cmp(&values[b].form()),
        BuilderData::Vectors(vectors) => vectors.compare_forms(a, b),
        _ => Ordering::Equal,
    }
}

/// What puts rows in order that an order does not tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ties {
    /// All columns, so that only equal rows stay as they are.
    ByFields,
    /// Their places: they stay as they are.
    ByPlace,
}

/// An order of rows: some columns in some directions, and what breaks ties.
pub(in super::super) struct RowOrder<'a> {
    pub(in super::super) columns: &'a [ColumnBuilder],
    /// Columns by number, most significant first.
    pub(in super::super) order: &'a [(usize, SortOrder)],
    pub(in super::super) ties: Ties,
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
        if self.ties == Ties::ByPlace {
            return by_order.unwrap_or_else(|| a.cmp(&b));
        }
        let by_value = || (0..self.columns.len()).map(|column| rows(column, TIES)).find(unequal);
        let by_form = || self.columns.iter().map(|column| compare_forms(column, first, second)).find(unequal);
        by_order.or_else(by_value).or_else(by_form).unwrap_or_else(|| a.cmp(&b))
    }

    /// The first column of the order, by its place in it, that tells two rows apart; `ALIKE` if none does.
    fn mark(&self, a: u32, b: u32) -> u16 {
        let differ = |&(column, order): &(usize, SortOrder)| {
            compare_rows(&self.columns[column], a as usize, b as usize, order).is_ne()
        };
        self.order.iter().position(differ).map_or(ALIKE, |place| place as u16)
    }

    /// The same as columns of keys.
    fn key_columns(&self) -> Vec<KeyColumn<'_>> {
        let named = |column: usize| self.order.iter().any(|&(other, _)| other == column);
        let key = |column: usize, order| KeyColumn { column: &self.columns[column], order, by_form: false };
        let ordered = self.order.iter().map(|&(column, order)| key(column, order));
        if self.ties == Ties::ByPlace {
            return ordered.collect();
        }
        let ties = (0..self.columns.len()).filter(|&column| !named(column)).map(|column| key(column, TIES));
        let has_forms = |column: &&ColumnBuilder| {
            matches!(column.data, BuilderData::F64(_) | BuilderData::Interval(_) | BuilderData::Vectors(_))
        };
        let forms = self.columns.iter().filter(has_forms);
        ordered.chain(ties).chain(forms.map(|column| KeyColumn { column, order: TIES, by_form: true })).collect()
    }

    /// The rows in order.
    pub(in crate::cpu) fn sorted(&self, rows: usize, workers: Workers<'_>) -> Result<Vec<u32>> {
        self.sorted_into(rows, &mut [], workers)
    }

    /// The rows in order, and of each but the first which column of the order, by its place in it, is the first that tells it
    /// from the row before: `ALIKE` if none does. Ties are broken by place.
    pub(in crate::cpu) fn sorted_and_marked(&self, rows: usize, workers: Workers<'_>) -> Result<(Vec<u32>, Vec<u16>)> {
        debug_assert!(self.ties == Ties::ByPlace && self.order.len() < ALIKE.into(), "marks are columns of the order");
        let mut marks = vec![ALIKE; rows];
        Ok((self.sorted_into(rows, &mut marks, workers)?, marks))
    }

    /// The rows in order; marks are for all rows or none.
    fn sorted_into(&self, rows: usize, marks: &mut [u16], workers: Workers<'_>) -> Result<Vec<u32>> {
        if !Technique::SortKeys.is_on() {
            let mut sorted: Vec<u32> = (0..rows as u32).collect();
            Sort { order: self, columns: &[], workers }.compare(&mut sorted, marks)?;
            return Ok(sorted);
        }
        let mut sorted = vec![0; rows];
        let (columns, all) = (self.key_columns(), Those::All(rows));
        let sort = Sort { order: self, columns: &columns, workers };
        sort.settle(Level::new(&columns, 0, all, workers)?, all, (&mut sorted, marks), 1)?;
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
    /// Writes rows in order, as the numbers of a level and then those of further ones say, with the marks of all but the first.
    fn settle(
        &self,
        level: Level,
        those: Those<'_>,
        (sorted, marks): (&mut [u32], &mut [u16]),
        depth: usize,
    ) -> Result<()> {
        let Level { numbers, place_bits, next, owners } = level;
        let numbers = radix::sort(numbers, place_bits, self.workers)?;
        let pieces = pieces(&numbers, place_bits, (sorted, marks));
        let long = TOGETHER.max(numbers.len() / LARGE_PART);
        let alone = Sort { workers: Workers { pool: None, ..self.workers }, ..*self };
        let left = self.workers.map(pieces, |Piece { start, numbers: own, sorted, marks }| {
            sorted.iter_mut().zip(own).for_each(|(row, &number)| *row = those.at(place_of(number, place_bits)));
            if !marks.is_empty() {
                mark(&numbers, start, place_bits, &owners, marks);
            }
            let Some(next) = next else { return Ok(Vec::new()) };
            let (mut left, mut few) = (Vec::new(), Vec::new());
            for run in runs(own, place_bits) {
                if run.len() > long {
                    left.push((start + run.start..start + run.end, next));
                } else if run.len() > FEW {
                    alone.settle_run((&mut sorted[run.clone()], part(marks, run)), next, depth)?;
                } else {
                    few.push(run);
                }
            }
            alone.settle_few(&few, (sorted, marks), next)?;
            Ok(left)
        })?;
        drop(numbers);
        left.into_iter()
            .flatten()
            .try_for_each(|(run, next)| self.settle_run((&mut sorted[run.clone()], part(marks, run)), next, depth))
    }

    /// Puts rows in order that differ at most from the column `next` on, and marks all but the first.
    fn settle_run(&self, (run, marks): (&mut [u32], &mut [u16]), next: usize, depth: usize) -> Result<()> {
        if run.len() <= FEW || depth >= LEVELS || self.has_vectors(next) {
            return self.compare(run, marks);
        }
        let mut reservation = Reservation::new(&self.workers.context.memory);
        if run.len() > PIECE {
            reservation.add(run.len() * SORTED_BYTES)?;
        }
        let rows = run.to_vec();
        let those = Those::Listed(&rows);
        self.settle(Level::new(self.columns, next, those, self.workers)?, those, (run, marks), depth + 1)
    }

    /// Puts few rows each in order, in many runs, that differ at most from the column `next` on: all have their keys made at a
    /// time. Marks all but the first of each.
    fn settle_few(&self, runs: &[Range<usize>], (sorted, marks): (&mut [u32], &mut [u16]), next: usize) -> Result<()> {
        let rows: Vec<u32> = runs.iter().flat_map(|run| &sorted[run.clone()]).copied().collect();
        // What all of them begin with tells nothing of how a run's strings begin.
        let is_text = self.columns.get(next).is_none_or(|column| matches!(column.column.data, BuilderData::Text(_)));
        if is_text || self.has_vectors(next) || rows.len() < FEW_ROWS {
            return runs.iter().try_for_each(|run| self.compare(&mut sorted[run.clone()], part(marks, run.clone())));
        }
        let bits = FEW.ilog2();
        let level = Level::with_places(self.columns, next, (Those::Listed(&rows), bits), self.workers)?;
        let (mut numbers, mut start, mut tied) = (level.numbers, 0, Vec::new());
        for run in runs {
            let (own, rows) = (&mut numbers[start..start + run.len()], &rows[start..start + run.len()]);
            start += run.len();
            own.iter_mut().zip(0..).for_each(|(number, place)| *number |= place);
            own.sort_unstable();
            let sorted = &mut sorted[run.clone()];
            sorted.iter_mut().zip(&*own).for_each(|(row, &number)| *row = rows[place_of(number, bits)]);
            let marks = part(marks, run.clone());
            if !marks.is_empty() {
                mark(own, 0, bits, &level.owners, marks);
            }
            if level.next.is_some() {
                tied.extend(self::runs(own, bits).map(|tied| run.start + tied.start..run.start + tied.end));
            }
        }
        match level.next {
            Some(further) if further > next => self.settle_few(&tied, (sorted, marks), further),
            _ => tied.iter().try_for_each(|run| self.compare(&mut sorted[run.clone()], part(marks, run.clone()))),
        }
    }

    /// Whether a column of the order has vectors, for which keys have no bits.
    fn has_vectors(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(|column| matches!(column.column.data, BuilderData::Vectors(_)))
    }

    /// Puts rows in order by comparing them, and marks all but the first.
    fn compare(&self, rows: &mut [u32], marks: &mut [u16]) -> Result<()> {
        merge_sort::sort_by(rows, self.workers, |a, b| self.order.compare(*a, *b))?;
        let pairs = rows.windows(2).zip(marks.iter_mut().skip(1));
        pairs.for_each(|(pair, mark)| *mark = self.order.mark(pair[0], pair[1]));
        Ok(())
    }

    /// The first `count` of some rows, one at least, that differ at most from the column `next` on; in order.
    fn first(&self, those: Those<'_>, next: usize, count: usize, depth: usize) -> Result<Vec<u32>> {
        let Level { mut numbers, place_bits, next, owners } = Level::new(self.columns, next, those, self.workers)?;
        let (_, &mut last, _) = numbers.select_nth_unstable(count - 1);
        let key = last >> place_bits;
        // Of those with the last one's key it is not known yet which come first.
        let mut tied: Vec<u64> = numbers.iter().copied().filter(|number| number >> place_bits == key).collect();
        tied.sort_unstable();
        let mut tied: Vec<u32> = tied.into_iter().map(|number| those.at(place_of(number, place_bits))).collect();
        numbers.retain(|number| number >> place_bits < key);
        numbers = radix::sort(numbers, 0, self.workers)?;
        let mut first = vec![0; numbers.len()];
        self.settle(Level { numbers, place_bits, next, owners }, those, (&mut first, &mut []), depth)?;
        let left = count - first.len();
        match next {
            Some(next) if tied.len() > FEW && depth < LEVELS && !self.has_vectors(next) => {
                tied = self.first(Those::Listed(&tied), next, left, depth + 1)?;
            }
            Some(_) => self.compare(&mut tied, &mut [])?,
            None => {}
        }
        first.extend_from_slice(&tied[..left]);
        Ok(first)
    }
}

/// The marks of some rows, if there are any.
fn part(marks: &mut [u16], rows: Range<usize>) -> &mut [u16] {
    if marks.is_empty() { marks } else { &mut marks[rows] }
}

/// Marks the rows of the numbers that stand from `start` on, but not the first of all, whose number has none before it.
fn mark(numbers: &[u64], start: usize, place_bits: u32, owners: &[u16; 64], marks: &mut [u16]) {
    let first = start.max(1);
    let pairs = numbers[first - 1..].windows(2).zip(marks[first - start..].iter_mut());
    pairs.for_each(|(pair, mark)| {
        let differ = (pair[0] ^ pair[1]) >> place_bits << place_bits;
        *mark = if differ == 0 { ALIKE } else { owners[differ.ilog2() as usize] };
    });
}

/// Some numbers in order, and the places for what becomes of them, which begin at `start` among all.
struct Piece<'a> {
    start: usize,
    numbers: &'a [u64],
    sorted: &'a mut [u32],
    marks: &'a mut [u16],
}

/// Cuts numbers and what becomes of them into pieces between which keys differ.
fn pieces<'a>(
    mut numbers: &'a [u64],
    place_bits: u32,
    (mut sorted, mut marks): (&'a mut [u32], &'a mut [u16]),
) -> Vec<Piece<'a>> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    while !numbers.is_empty() {
        let key = numbers[numbers.len().min(PIECE) - 1] >> place_bits;
        let end = numbers.partition_point(|number| number >> place_bits <= key);
        let (piece, more) = numbers.split_at(end);
        let (own, rest) = sorted.split_at_mut(end);
        let (own_marks, rest_marks) = marks.split_at_mut(end.min(marks.len()));
        pieces.push(Piece { start, numbers: piece, sorted: own, marks: own_marks });
        (numbers, sorted, marks, start) = (more, rest, rest_marks, start + end);
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
