//! Rows partitioned by their keys before they are grouped. Groups that outgrow the caches cost a miss for each array that a row
//! touches; partitioned first, which is streaming, the rows of a part find their groups and accumulators close by.
//!
//! 1. Once a worker has many groups, and rows that lie side by side have different ones, it partitions its rows: by
//!    bits of their hashes, or by where an array over their codes is cut. So it does where what it holds is as dear to
//!    merge as it was to make, as many distinct arguments are.
//! 2. When it holds many, each part's rows are folded into groups of their own.
//! 3. At the end parts are merged on their own, as they would be without (see `reduce`).
//!
//! Source: Müller, Sanders, Lacurie, Lehner, Färber: Cache-Efficient Aggregation: Hashing Is Sorting (SIGMOD 2015).

use crate::Result;
use crate::cpu::aggregate::{Input, TileGroups};
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::groups::ranked::Known;
use crate::cpu::groups::splitters::{MERGE_PARTS, SharedSplitters};
use crate::cpu::keys::codes::Codes;
use crate::cpu::reduce::blocks::Blocks;
use crate::cpu::reduce::buffer_keys::{BufferKeys, PartGroups, TileKeys, partitioned_layout};
use crate::cpu::reduce::core::Core;
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::plan::key_layout::KeyLayout;
use crate::plan::register::Register;
use crate::plan::tree::ReducePlan;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Groups beyond which it is asked whether rows had better be partitioned. Those of before have to be merged, so workers have this
/// many together.
const MANY_GROUPS: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// The same, of each worker at least.
const MANY_GROUPS_MIN: usize = if cfg!(test) { 50 } else { 1 << 12 };

/// Groups for which it pays, if all that there is of one takes [`GROUP_BYTES`]; of larger ones fewer.
const FAR_GROUPS: usize = if cfg!(test) { 200 } else { 400_000 };

/// Bytes of a group whose key is a number, with its slots and aggregates; and those of one whose key is bytes, without these.
const GROUP_BYTES: usize = 40;
const BYTES_GROUP_BYTES: usize = 72;

/// Bytes of rows that wait at one worker, at most; half of it where there are several.
const BUFFERED_BYTES: usize = if cfg!(test) { 1 << 19 } else { 128 << 20 };

/// Rows that say whether a tile's rows lie side by side with others of their groups.
const SAMPLE: usize = 1024;

/// Blocks of a part's rows from which the number of its groups is estimated. A table that doubles touches three times the
/// memory that it ends with, and memory that was never touched is dear.
const SAMPLED_BLOCKS: usize = 2;

/// Partitioned rows of one worker.
pub(crate) struct PartitionBuffers<'p> {
    buffer: Option<Buffer>,
    /// For each part the groups of rows that no longer wait, and of those that were not partitioned.
    done: Vec<Option<Box<Core<'p>>>>,
    /// Bytes of these. To count them takes a look at each group, and memory is counted far more often than they change.
    done_bytes: usize,
    /// Rows that this worker gets, about.
    rows: usize,
    /// Bytes of all that waits, without room for more, and how many there may be.
    buffered_bytes: usize,
    buffered_max: usize,
    /// The distinct arguments of the aggregates.
    arguments: Vec<ScalarId>,
    /// Memory for the parts of a tile's tuples, and their places.
    memory: (Vec<u8>, Vec<u32>),
}

/// Rows of one part.
pub(crate) struct Part<'p> {
    number: usize,
    /// With rows of other parts.
    buffer: Option<Arc<Buffer>>,
    pub(crate) done: Option<Box<Core<'p>>>,
}

/// Rows that wait to be folded in.
struct Buffer {
    blocks: Blocks,
    keys: BufferKeys,
    arguments: Vec<ColumnBuilder>,
    /// Bytes of a row, about.
    width: usize,
}

/// Whether rows of a reduction may be partitioned: the plan allows it, and so does the way in which groups are numbered.
pub(crate) fn may_partition(plan: &ReducePlan, grouper: &Grouper) -> bool {
    plan.partitions.of && partitioned_layout(grouper).is_some()
}

/// Whether rows had better be partitioned from now on, seeing how many groups there were before a tile and are behind it, and its
/// codes: rows whose codes differ by no more than `near` lie close by, and stay.
///
/// Of n groups in all, g of which have been seen, a random row begins another with probability 1 - g / n.
pub(crate) fn pays<T: Copy + Into<u128>>(
    (before, groups): (usize, usize),
    codes: &[T],
    near: Option<u64>,
    workers: usize,
) -> bool {
    pays_far((before, groups), codes.len(), FAR_GROUPS, workers) && !near.is_some_and(|near| is_local(codes, near))
}

/// As [`pays`], of keys that are bytes; of one worker where most that lie side by side are not the same.
pub(crate) fn pays_bytes((before, groups): (usize, usize), codes: &Codes, workers: usize) -> bool {
    if groups <= many_groups(workers) {
        return false;
    }
    let sample = codes.len.min(SAMPLE);
    let bytes: usize = (0..sample).map(|at| codes.key(at).len()).sum();
    let far = FAR_GROUPS * GROUP_BYTES / (BYTES_GROUP_BYTES + bytes / sample.max(1));
    let is_run = |at: &usize| codes.key(*at) == codes.key(at + 1);
    let has_runs = || (1..sample).map(|at| at - 1).filter(is_run).count() * 2 >= sample;
    pays_far((before, groups), codes.len, far, workers) && !(workers == 1 && has_runs())
}

/// Groups of one of so many workers beyond which it is asked.
fn many_groups(workers: usize) -> usize {
    (MANY_GROUPS / workers).max(MANY_GROUPS_MIN)
}

/// Whether there are many groups, of which `far` are those for which it pays, seeing how many there were before so many tuples
/// and are behind them.
fn pays_far((before, groups): (usize, usize), len: usize, far: usize, workers: usize) -> bool {
    let known = len - (groups - before);
    groups > many_groups(workers) && groups * len >= known * far
}

/// Whether most rows that lie side by side have codes that differ by no more than `near`.
fn is_local<T: Copy + Into<u128>>(codes: &[T], near: u64) -> bool {
    let sample = &codes[..codes.len().min(SAMPLE)];
    let pairs = sample.windows(2).filter(|pair| pair[0].into().abs_diff(pair[1].into()) <= near.into()).count();
    pairs * 2 >= sample.len()
}

impl<'p> PartitionBuffers<'p> {
    /// Nothing yet, of one of so many workers.
    pub(crate) fn new(plan: &ReducePlan, workers: usize) -> Self {
        PartitionBuffers {
            buffer: None,
            done: (0..MERGE_PARTS).map(|_| None).collect(),
            done_bytes: 0,
            rows: usize::try_from(plan.rows.count).unwrap_or(usize::MAX) / workers,
            buffered_bytes: 0,
            buffered_max: if workers == 1 { BUFFERED_BYTES } else { BUFFERED_BYTES / 2 },
            arguments: distinct_arguments(plan),
            memory: Default::default(),
        }
    }

    /// What has to be evaluated of the tuples, in the order in which `add` takes it.
    pub(crate) fn arguments(&self) -> &[ScalarId] {
        &self.arguments
    }

    /// Puts a tile's tuples into their parts; of keys of a layout, which splitters divide where an array over codes finds groups.
    pub(crate) fn add(&mut self, by: (&KeyLayout, &SharedSplitters), keys: TileKeys<'_>, arguments: &[&Vector]) {
        let width: usize = keys.width() + arguments.iter().map(|argument| width_of(argument)).sum::<usize>();
        let (rows, key_bytes) = (keys.len(), keys.bytes());
        let each = key_bytes / rows.max(1);
        let room = Blocks::len_for((self.buffered_max / (width + each)).min(self.rows));
        let Buffer { blocks, keys: buffered, arguments: columns, .. } = self.buffer.get_or_insert_with(|| Buffer {
            blocks: Blocks::new(),
            keys: BufferKeys::with_room(&keys, room, each),
            arguments: arguments.iter().map(|_| ColumnBuilder::of_type(DataType::Null)).collect(),
            width,
        });
        let before = blocks.rows_of_all();
        let (parts, places) = &mut self.memory;
        keys.places(by, blocks, parts, places);
        buffered.put(keys, (parts, places), blocks.len(), before);
        for (column, argument) in columns.iter_mut().zip(arguments) {
            column.put_at(argument, places, blocks.len(), room);
        }
        self.buffered_bytes += rows * width + key_bytes;
    }

    /// Whether so much waits that it is to be folded in.
    pub(crate) fn is_full(&self) -> bool {
        self.buffered_bytes >= self.buffered_max
    }

    /// Folds in what waits. `fresh` gives the groups that a part begins with.
    pub(crate) fn settle(&mut self, mut fresh: impl FnMut(usize) -> Result<Core<'p>>) -> Result<()> {
        for (number, part) in self.done.iter_mut().enumerate() {
            let mut done = part.take().map_or_else(|| fresh(number).map(Box::new), Ok)?;
            if let Some(buffer) = &self.buffer {
                buffer.fold(number, &self.arguments, &mut done, false)?;
            }
            *part = Some(done);
        }
        if let Some(buffer) = &mut self.buffer {
            buffer.clear();
        }
        self.done_bytes = self.done.iter().flatten().map(|done| done.bytes()).sum();
        self.buffered_bytes = 0;
        Ok(())
    }

    /// All rows, part by part.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = Part<'p>> {
        let buffer = self.buffer.filter(|buffer| buffer.blocks.len() > 0).map(Arc::new);
        let parts = self.done.into_iter().enumerate();
        parts.map(move |(number, done)| Part { number, buffer: buffer.clone(), done })
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let waits =
            self.buffer.as_ref().map_or(0, |buffer| buffer.blocks.len() * buffer.width + buffer.keys.key_bytes());
        waits + self.done_bytes
    }
}

/// What aggregates are of, each once, in order.
fn distinct_arguments(plan: &ReducePlan) -> Vec<ScalarId> {
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
        // Those that functions make are kept with their tiles.
        Register::Vectors(length) => size_of::<f64>() * length as usize,
    }
}

impl<'p> Part<'p> {
    /// Adds the keys of all rows.
    pub(crate) fn tell(&self, known: &mut Known) {
        if let Some(done) = &self.done
            && let Grouper::Direct(direct) = &done.grouper
        {
            known.add(direct.codes.iter().map(|&code| code as u32));
        }
        if let Some(buffer) = &self.buffer {
            buffer.blocks.of(self.number).for_each(|rows| buffer.keys.tell(rows, known));
        }
    }

    /// Folds all rows of the part into the groups of a merge, `mixed` with those of other workers.
    pub(crate) fn fold_into(self, merged: &mut Core<'p>, mixed: bool) -> Result<()> {
        if let Some(done) = self.done {
            let groups = done.into_partial()?;
            merged.merge(&groups, &groups.keys.occupied())?;
        }
        let Some(buffer) = self.buffer else { return Ok(()) };
        buffer.fold(self.number, &distinct_arguments(merged.plan), merged, mixed)
    }
}

impl Buffer {
    /// Forgets the rows, and keeps the memory of their keys for others: memory that was never touched is dear.
    fn clear(&mut self) {
        self.blocks = Blocks::new();
        self.keys.clear();
        self.arguments.iter_mut().for_each(|column| *column = ColumnBuilder::of_type(DataType::Null));
    }

    /// Folds the rows of a part into their groups, block by block: what a block has is close by while it takes part in several
    /// aggregates.
    fn fold(&self, part: usize, arguments: &[ScalarId], into: &mut Core<'_>, mixed: bool) -> Result<()> {
        let mut groups = PartGroups::default();
        for (block, rows) in self.blocks.of(part).enumerate() {
            let (before, len) = (into.grouper.len(), rows.len());
            self.keys.assign(&mut into.grouper, part, rows, mixed, &mut groups);
            if block + 1 == SAMPLED_BLOCKS {
                // As many of the rows to come begin a group as of these, or fewer.
                let to_come = self.blocks.of(part).skip(SAMPLED_BLOCKS).map(|rows| rows.len()).sum::<usize>();
                let known = into.grouper.len();
                into.grouper.expect(known + (known - before) * to_come / len.max(1));
            }
        }
        // Once for all blocks, or accumulators would be moved while they grow.
        into.resize();
        let mut first = 0;
        for rows in self.blocks.of(part) {
            let len = rows.len();
            let groups = TileGroups::Each(&groups.all()[first..first + len], None);
            let values = |column: &ColumnBuilder| column.slice(rows.clone()).into_vector();
            let vectors: Vec<Vector> = self.arguments.iter().map(values).collect();
            for (accumulator, aggregate) in into.accumulators.iter_mut().zip(&into.plan.aggregates) {
                let at = aggregate.argument.and_then(|argument| arguments.binary_search(&argument).ok());
                accumulator.update(&Input { groups, vector: at.map(|at| &vectors[at]), len })?;
            }
            first += len;
        }
        Ok(())
    }
}
