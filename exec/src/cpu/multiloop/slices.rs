//! Rows in the order of a range join's key (`plan/range_join.rs`): the slice of each tuple is found by binary search.

use crate::column::order_key::float_key;
use crate::cpu::collections::stored::Stored;
use crate::cpu::expression::tile::Tile;
use crate::cpu::index::Spans;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::sort::order::{RowOrder, SORTED_BYTES, Ties};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::chunked::Chunked;
use crate::cpu::vector::rows::{NO_GROUP, NO_ROW, Source as TileSource, TILE_ROWS};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::range_join::{Bound, RangeJoin};
use crate::plan::tree::LoopPlan;
use crate::workers::context::Reservation;
use crate::workers::schedule::Workers;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::multiloop::{ScalarId, Source};
use multiloop_planner::types::SortOrder;
use std::ops::Range;
use std::sync::Arc;

/// Rows of a bucket, on average, from which on a search is better than to try all.
const BUCKET_ROWS: u64 = 16;

/// Pairs that are not tried for each row that is put in order, at least.
const PAIRS_A_ROW: u64 = 32;

/// Bytes that a row takes that has been put in order: its key, another one, its number.
const ROW_BYTES: usize = 20;

/// The key of a row where it is NULL: behind all others.
const NULL_KEY: i64 = i64::MAX;

/// Of each index of a nest its rows in order, if it is searched.
pub(crate) type Orders = Vec<Option<Arc<InKeyOrder>>>;

/// Rows in the order of a key, those of a bucket side by side.
#[derive(Debug)]
pub(crate) struct InKeyOrder {
    /// Where rows of a collection are read; of a bucket it is known.
    pub(super) source: Option<TileSource>,
    keys: Vec<i64>,
    pub(super) rows: Vec<u32>,
    /// Of the other key the greatest of all rows of the bucket up to each, or the least from each on; empty if there is no other key.
    others: Vec<i64>,
    /// Whether rows are in the order of the other key, too.
    pub(super) in_order: bool,
    _reservation: Reservation,
}

/// The rows of a loop's indices in order, where searches pay for so many outermost rows.
pub(crate) fn orders(frame: &Frame<'_>, plan: &LoopPlan, outermost: u64, workers: Workers<'_>) -> Result<Orders> {
    let order = |at: usize| {
        let Some(range) = &plan.levels[at].range else { return Ok(None) };
        match InKeyOrder::of(frame, plan, (at, range), outermost, workers) {
            Err(error) if !falls_back(&error) => Err(error),
            made => Ok(made.unwrap_or_default().map(Arc::new)),
        }
    };
    if plan.levels.iter().all(|level| level.range.is_none()) {
        return Ok(Vec::new());
    }
    (0..plan.levels.len()).map(order).collect()
}

/// Whether rows are tried one by one where a search has failed so: that may need less memory, and evaluates less.
fn falls_back(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Internal)
}

impl InKeyOrder {
    /// None if that does not pay, or if a key is none that can be searched for.
    fn of(
        frame: &Frame<'_>,
        plan: &LoopPlan,
        (at, range): (usize, &RangeJoin),
        outermost: u64,
        workers: Workers<'_>,
    ) -> Result<Option<Self>> {
        let level = &plan.levels[at];
        let Some(collection) = level.source.collection() else { return Ok(None) };
        let stored = frame.get(collection)?;
        let (spans, rows) = match (&*stored, &level.source) {
            (Stored::Buckets(buckets), Source::Bucket { .. } | Source::BucketOrNull { .. }) => {
                match &buckets.index.spans {
                    Spans::Unique => return Ok(None),
                    Spans::Starts(starts) => (Some(&starts[..]), buckets.members.rows),
                }
            }
            (stored, Source::Rows(_)) => (None, stored.rows()?.rows),
            _ => return Ok(None),
        };
        let average = rows as u64 / spans.map_or(1, |starts| starts.len().saturating_sub(1).max(1)) as u64;
        let pays = average >= BUCKET_ROWS && outermost.saturating_mul(average) / PAIRS_A_ROW >= rows as u64;
        if !pays || rows >= NO_ROW as usize {
            return Ok(None);
        }
        let mut reservation = Reservation::new(&frame.shared.context.memory);
        reservation.add(rows * (ROW_BYTES + SORTED_BYTES + size_of::<i64>()))?;
        let (source, members) = match &*stored {
            Stored::Buckets(buckets) if spans.is_some() => (None, buckets.members.source.clone()),
            stored => {
                let source = all_rows(stored)?;
                (Some(source.clone()), source)
            }
        };
        let read = |scalar| keys_of(frame, plan, (at, &members), rows, scalar);
        let Some((keys, _)) = read(range.key)? else { return Ok(None) };
        let other = match &range.other {
            None => None,
            Some((other, bounds)) => match read(*other)? {
                None => return Ok(None),
                Some((keys, has_nulls)) => Some((keys, has_nulls, bounds[0].is_lower)),
            },
        };
        let sorted = sorted(&keys, spans, workers)?;
        let mut made = InKeyOrder {
            source,
            keys: sorted.iter().map(|&row| keys[row as usize]).collect(),
            others: Vec::new(),
            rows: sorted,
            in_order: false,
            _reservation: reservation,
        };
        if let Some((keys, has_nulls, is_lower)) = other {
            frame.check()?;
            made.set_others(&keys, (has_nulls, is_lower), spans.unwrap_or(&[0, rows as u32]));
        }
        made._reservation.resize(rows * ROW_BYTES)?;
        Ok(Some(made))
    }

    /// Makes the other key running, in each bucket on its own.
    fn set_others(&mut self, keys: &[i64], (has_nulls, is_lower): (bool, bool), starts: &[u32]) {
        // A NULL bounds nothing.
        let of_row = |&row: &u32| match keys[row as usize] {
            NULL_KEY if is_lower => i64::MIN,
            key => key,
        };
        self.others = self.rows.iter().map(of_row).collect();
        let spans = || starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
        self.in_order = !has_nulls && spans().all(|span| self.others[span].is_sorted());
        for span in spans() {
            let others = &mut self.others[span];
            if is_lower {
                others.iter_mut().fold(i64::MIN, |most, other| {
                    *other = most.max(*other);
                    *other
                });
            } else {
                others.iter_mut().rev().fold(NULL_KEY, |least, other| {
                    *other = least.min(*other);
                    *other
                });
            }
        }
    }

    /// The places of the rows of a bucket, which has these places, between bounds of the key and of the other one.
    #[inline]
    fn slice(&self, span: Range<usize>, (low, high): (i64, i64), other: Option<(i64, i64)>) -> Range<usize> {
        let keys = &self.keys[span.clone()];
        let mut start = if low > i64::MIN { keys.partition_point(|&key| key < low) } else { 0 };
        let mut end = start + up_to(&keys[start..], high);
        if let Some((low, high)) = other {
            if low > high {
                return 0..0;
            }
            let others = &self.others[span.clone()];
            if low > i64::MIN {
                start = start.max(others.partition_point(|&key| key < low));
            }
            if high < LAST_KEY {
                end = end.min(others.partition_point(|&key| key <= high));
            }
        }
        span.start + start..span.start + end.max(start)
    }

    /// The places of the rows of each tuple of a tile: of all rows, or of those of its group; none if a bound failed.
    pub(super) fn slices(
        &self,
        tile: &mut Tile<'_>,
        range: &RangeJoin,
        groups: Option<(&[u32], &[u32], &Spans)>,
    ) -> Result<Option<Vec<Range<usize>>>> {
        let Some(bounds) = Bounds::of(tile, &range.bounds)? else { return Ok(None) };
        let others = match &range.other {
            None => None,
            Some((_, bounds)) => match Bounds::of(tile, bounds)? {
                None => return Ok(None),
                others => others,
            },
        };
        let slice = |tuple: usize, span: Range<usize>| {
            self.slice(span, bounds.of_tuple(tuple), others.as_ref().map(|others| others.of_tuple(tuple)))
        };
        let Some((tuples, groups, spans)) = groups else {
            return Ok(Some((0..tile.len()).map(|tuple| slice(tuple, 0..self.rows.len())).collect()));
        };
        let of_group = |(&tuple, &group): (&u32, &u32)| {
            if group == NO_GROUP {
                return 0..0;
            }
            let (first, count) = spans.rows(group);
            slice(tuple as usize, first as usize..(first + count) as usize)
        };
        Ok(Some(tuples.iter().zip(groups).map(of_group).collect()))
    }
}

/// How many of some keys, which are in order, are no greater than this: most slices are short, so those in front are tried first.
#[inline]
fn up_to(keys: &[i64], high: i64) -> usize {
    let (mut start, mut step) = (0, 16);
    while start + step < keys.len() && keys[start + step] <= high {
        start += step;
        step *= 4;
    }
    let end = keys.len().min(start + step);
    start + keys[start..end].partition_point(|&key| key <= high)
}

/// The last key that a row may have.
const LAST_KEY: i64 = NULL_KEY - 1;

/// The least and the greatest key of each tuple's slice; where there is none, the least one is greater.
struct Bounds {
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Bounds {
    /// None if one failed.
    fn of(tile: &mut Tile<'_>, bounds: &[Bound]) -> Result<Option<Self>> {
        let len = tile.len();
        let mut all = Bounds { low: vec![i64::MIN; len], high: vec![LAST_KEY; len] };
        for bound in bounds {
            match tile.evaluate(bound.value) {
                Err(error) if falls_back(&error) => return Ok(None),
                evaluated => evaluated?,
            }
            all.narrow(*bound, tile.vector(bound.value))?;
        }
        Ok(Some(all))
    }

    fn narrow(&mut self, bound: Bound, values: &Vector) -> Result<()> {
        let step = i128::from(bound.is_strict);
        each_key(values, self.low.len(), |tuple, key| {
            let (low, high) = (&mut self.low[tuple], &mut self.high[tuple]);
            match key {
                None => (*low, *high) = (NULL_KEY, i64::MIN),
                Some(key) if bound.is_lower => {
                    let key = (key + step).clamp(i64::MIN.into(), NULL_KEY.into());
                    *low = (*low).max(key as i64);
                }
                // No key is less than the least one.
                Some(key) if key - step < i64::MIN.into() => (*low, *high) = (NULL_KEY, i64::MIN),
                Some(key) => *high = (*high).min((key - step).min(LAST_KEY.into()) as i64),
            }
        })
    }

    fn of_tuple(&self, tuple: usize) -> (i64, i64) {
        (self.low[tuple], self.high[tuple])
    }
}

/// What a vector has for each tuple as a number of its order; NULL is none.
fn each_key(vector: &Vector, len: usize, mut each: impl FnMut(usize, Option<i128>)) -> Result<()> {
    macro_rules! of {
        ($values:ident, $key:expr) => {
            (0..len).for_each(|tuple| {
                let valid = !vector.is_null(tuple);
                each(tuple, valid.then(|| $key($values[vector.position(tuple)])));
            })
        };
    }
    match &vector.data {
        VectorData::I32(values) => of!(values, i128::from),
        VectorData::I64(values) => of!(values, i128::from),
        VectorData::I128(values) => of!(values, |value| value),
        VectorData::F64(values) => of!(values, |value| i128::from(float_key(value))),
        _ => return Err(Error::internal("a range of what is no number")),
    }
    Ok(())
}

/// The keys of all rows, and whether some are NULL; none if one is too large.
fn keys_of(
    frame: &Frame<'_>,
    plan: &LoopPlan,
    (at, source): (usize, &TileSource),
    rows: usize,
    scalar: ScalarId,
) -> Result<Option<(Vec<i64>, bool)>> {
    let mut tile = Tile::new(&plan.expressions, frame, frame.bindings());
    tile.set_source(at, source.clone());
    let (mut keys, mut fit, mut has_nulls) = (Vec::with_capacity(rows), true, false);
    let (mut parents, mut numbers) = (Vec::new(), Vec::new());
    for start in (0..rows).step_by(TILE_ROWS) {
        frame.check()?;
        let end = rows.min(start + TILE_ROWS);
        // Indices in front stand on no row: nothing reads them.
        tile.start(0, 1);
        (1..at).for_each(|_| tile.expand(&[0], &[NO_ROW]));
        parents.resize(end - start, 0);
        numbers.clear();
        numbers.extend(start as u32..end as u32);
        tile.expand(&parents, &numbers);
        tile.evaluate(scalar)?;
        each_key(tile.vector(scalar), end - start, |_, key| {
            has_nulls |= key.is_none();
            fit &= key.is_none_or(|key| key >= i64::MIN.into() && key <= LAST_KEY.into());
            keys.push(key.map_or(NULL_KEY, |key| key as i64));
        })?;
        if !fit {
            return Ok(None);
        }
    }
    Ok(Some((keys, has_nulls)))
}

/// The numbers of rows in the order of their keys, those of a bucket at its places.
fn sorted(keys: &[i64], spans: Option<&[u32]>, workers: Workers<'_>) -> Result<Vec<u32>> {
    let ascending = SortOrder { descending: false, nulls_first: false };
    let mut columns = vec![ColumnBuilder::from_i64(keys.to_vec(), None)];
    let mut order = vec![(0, ascending)];
    if let Some(starts) = spans.filter(|starts| starts.len() > 2) {
        let group = |(group, pair): (i64, &[u32])| std::iter::repeat_n(group, (pair[1] - pair[0]) as usize);
        let groups: Vec<i64> = (0..).zip(starts.windows(2)).flat_map(group).collect();
        columns.push(ColumnBuilder::from_i64(groups, None));
        order.insert(0, (1, ascending));
    }
    RowOrder { columns: &columns, order: &order, ties: Ties::ByPlace }.sorted(keys.len(), workers)
}

/// All rows of a collection, by their numbers.
fn all_rows(stored: &Stored) -> Result<TileSource> {
    let rows = stored.rows()?;
    let first = rows.chunks.first().ok_or_else(|| Error::internal("rows of nothing"))?;
    let fields = rows.fields.clone();
    if rows.chunks.len() == 1 {
        return Ok(TileSource::Chunk { chunk: Arc::clone(first), fields });
    }
    let fields = fields.unwrap_or_else(|| (0..first.columns.len() as u32).collect());
    Ok(TileSource::Chunked(Arc::new(Chunked::new(&rows.chunks, fields.iter().copied()))))
}
