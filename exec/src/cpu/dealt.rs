//! Rows dealt by their keys before they are grouped. Groups that outgrow the caches cost a miss for each array that a row
//! touches; dealt into parts first, which is streaming, the rows of a part find their groups and accumulators close by.
//!
//! 1. Once a worker has many groups, and rows that lie side by side have different ones, it deals its rows: by
//!    bits of their hashes, or by where an array over their codes is cut. So it does where what it holds is as dear to
//!    merge as it was to make, as many distinct arguments are.
//! 2. When it holds many, each part's rows are folded into groups of their own.
//! 3. At the end parts are merged on their own, as they would be without (see `reduce`).
//!
//! Source: Müller, Sanders, Lacurie, Lehner, Färber: Cache-Efficient Aggregation: Hashing Is Sorting (SIGMOD 2015).

use super::aggregate::{Input, TileGroups};
use super::bucket::grouper::{Grouper, MERGE_PARTS};
use super::bucket::index::{sort_by_group, starts_of};
use super::bucket::waiting::{TileKeys, WaitingKeys};
use super::gather::Gathered;
use super::plan::{AggregatePlan, ReducePlan};
use super::reduce::Reducer;
use super::vector::{Register, Vector};
use crate::Result;
use crate::technique::Technique;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;

/// Groups beyond which it is asked whether rows had better be dealt. Those of before have to be merged, so workers have this
/// many together.
const MANY_GROUPS: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// The same, of each worker at least.
const MANY_GROUPS_MIN: usize = if cfg!(test) { 50 } else { 1 << 12 };

/// Groups for which it pays.
const FAR_GROUPS: usize = if cfg!(test) { 200 } else { 400_000 };

/// Bytes of rows that wait at one worker, at most; half of it where there are several.
const WAITING_BYTES: usize = if cfg!(test) { 1 << 18 } else { 128 << 20 };

/// Rows that say whether a tile's rows lie side by side with others of their groups.
const SAMPLE: usize = 1024;

/// Dealt rows of one worker.
pub(super) struct Dealt<'p> {
    pub(super) parts: Vec<Part<'p>>,
    /// Rows that this worker gets, about.
    rows: usize,
    /// Bytes of all that waits, without room for more, and how many there may be.
    waiting_bytes: usize,
    waiting_max: usize,
    /// The distinct arguments of the aggregates.
    arguments: Vec<ScalarId>,
    /// For each tuple its part.
    numbers: Vec<u8>,
}

/// Rows of one part.
#[derive(Default)]
pub(super) struct Part<'p> {
    waiting: Option<Waiting>,
    /// The groups of rows that no longer wait, and of those that were not dealt.
    pub(super) done: Option<Box<Reducer<'p>>>,
}

/// Rows that wait to be folded in.
struct Waiting {
    keys: WaitingKeys,
    arguments: Vec<Gathered>,
}

/// Whether rows of a reduction may be dealt: their keys can be told from their codes, and every row counts alike.
pub(super) fn may_deal(plan: &ReducePlan<'_>, grouper: &Grouper) -> bool {
    // Decoded booleans are integers, which do not go with booleans.
    let decodes = !plan.key_types.contains(&DataType::Boolean);
    let alike = |aggregate: &AggregatePlan<'_>| aggregate.condition.is_empty() && !aggregate.takes_first_row;
    Technique::Dealt.is_on() && decodes && plan.aggregates.iter().all(alike) && grouper.deals()
}

/// Whether rows had better be dealt from now on, seeing how many groups there were before a tile and are behind it, and its
/// codes: rows whose codes differ by no more than `near` lie close by, and stay.
///
/// Of n groups in all, g of which have been seen, a random row begins another with probability 1 - g / n.
pub(super) fn pays<T: Copy + Into<u128>>(
    (before, groups): (usize, usize),
    codes: &[T],
    near: Option<u64>,
    workers: usize,
) -> bool {
    let known = codes.len() - (groups - before);
    groups > (MANY_GROUPS / workers).max(MANY_GROUPS_MIN)
        && groups * codes.len() >= known * FAR_GROUPS
        && !near.is_some_and(|near| is_local(codes, near))
}

/// Whether most rows that lie side by side have codes that differ by no more than `near`.
fn is_local<T: Copy + Into<u128>>(codes: &[T], near: u64) -> bool {
    let sample = &codes[..codes.len().min(SAMPLE)];
    let pairs = sample.windows(2).filter(|pair| pair[0].into().abs_diff(pair[1].into()) <= near.into()).count();
    pairs * 2 >= sample.len()
}

impl<'p> Dealt<'p> {
    /// Nothing yet, of one of so many workers.
    pub(super) fn new(plan: &ReducePlan<'p>, workers: usize) -> Self {
        let parts = (0..MERGE_PARTS).map(|_| Part::default()).collect();
        let rows = usize::try_from(plan.rows.count).unwrap_or(usize::MAX) / workers;
        let waiting_max = if workers == 1 { WAITING_BYTES } else { WAITING_BYTES / 2 };
        let arguments = distinct_arguments(plan);
        Dealt { parts, rows, waiting_bytes: 0, waiting_max, arguments, numbers: Vec::new() }
    }

    /// What has to be evaluated of the tuples, in the order in which `add` takes it.
    pub(super) fn arguments(&self) -> &[ScalarId] {
        &self.arguments
    }

    /// Deals a tile's tuples.
    pub(super) fn add(&mut self, grouper: &Grouper, keys: TileKeys<'_>, arguments: &[&Vector]) {
        grouper.parts_of(keys, &mut self.numbers);
        let starts = starts_of(&self.numbers, MERGE_PARTS);
        let order = sort_by_group(&self.numbers, &starts);
        let width: usize = keys.width() + arguments.iter().map(|argument| width_of(argument)).sum::<usize>();
        // A little more than a part's share of what may wait.
        let room = (self.waiting_max / width).min(self.rows) / MERGE_PARTS * 9 / 8;
        self.waiting_bytes += self.numbers.len() * width;
        for (part, range) in self.parts.iter_mut().zip(starts.windows(2)) {
            let tuples = &order[range[0] as usize..range[1] as usize];
            if tuples.is_empty() {
                continue;
            }
            let waiting = part.waiting.get_or_insert_with(|| Waiting {
                keys: WaitingKeys::with_room(&keys, room),
                arguments: arguments.iter().map(|_| Gathered::of_type(DataType::Null)).collect(),
            });
            waiting.keys.add(keys, tuples);
            for (column, argument) in waiting.arguments.iter_mut().zip(arguments) {
                column.append_chosen(argument, tuples, room);
            }
        }
    }

    /// Whether so much waits that it is to be folded in.
    pub(super) fn is_full(&self) -> bool {
        self.waiting_bytes >= self.waiting_max
    }

    /// Folds in what waits. `fresh` gives the groups that a part begins with.
    pub(super) fn settle(&mut self, mut fresh: impl FnMut(usize) -> Result<Reducer<'p>>) -> Result<()> {
        for (number, part) in self.parts.iter_mut().enumerate() {
            let mut done = part.done.take().map_or_else(|| fresh(number).map(Box::new), Ok)?;
            fold(part.waiting.take(), &self.arguments, &mut done, false)?;
            part.done = Some(done);
        }
        self.waiting_bytes = 0;
        Ok(())
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let done = self.parts.iter().filter_map(|part| part.done.as_ref());
        self.waiting_bytes + done.map(|done| done.bytes()).sum::<usize>()
    }
}

/// What aggregates are of, each once, in order.
fn distinct_arguments(plan: &ReducePlan<'_>) -> Vec<ScalarId> {
    let mut arguments: Vec<ScalarId> = plan.aggregates.iter().filter_map(|aggregate| aggregate.argument).collect();
    arguments.sort_unstable();
    arguments.dedup();
    arguments
}

/// Bytes of a value, about.
fn width_of(vector: &Vector) -> usize {
    match vector.register() {
        Register::Bool => 1,
        Register::I32 => 4,
        Register::I64 | Register::F64 => 8,
        Register::I128 | Register::Interval | Register::Text => 16,
    }
}

impl<'p> Part<'p> {
    /// Folds all rows of the part into the groups of a merge, `mixed` with those of other workers.
    pub(super) fn fold_into(self, merged: &mut Reducer<'p>, mixed: bool) -> Result<()> {
        if let Some(done) = &self.done {
            merged.merge(done, &done.grouper.occupied())?;
        }
        fold(self.waiting, &distinct_arguments(merged.plan), merged, mixed)
    }
}

/// Folds rows into their groups.
fn fold(waiting: Option<Waiting>, arguments: &[ScalarId], into: &mut Reducer<'_>, mixed: bool) -> Result<()> {
    let Some(waiting) = waiting else { return Ok(()) };
    let groups = into.grouper.assign_waiting(waiting.keys, mixed);
    let vectors: Vec<Vector> = waiting.arguments.into_iter().map(Gathered::into_vector).collect();
    let room = into.grouper.len();
    for (accumulator, aggregate) in into.accumulators.iter_mut().zip(&into.plan.aggregates) {
        accumulator.resize(room);
        let at = aggregate.argument.and_then(|argument| arguments.binary_search(&argument).ok());
        let vector = at.map(|at| &vectors[at]);
        accumulator.update(&Input { groups: TileGroups::Each(&groups, None), vector, len: groups.len() })?;
    }
    Ok(())
}
