//! Groups by parts: tuples are put beside others whose codes are near, and then the groups of a part are summed in a block's memory.
//!
//! Of groups that are too many for that memory each tuple would add to a record somewhere in the card's: several words, anywhere, and
//! the same ones for all tuples of a frequent group. To write a tuple and to read it again is less (radix partitioning: Manegold,
//! Boncz and Kersten, "Optimizing Main-Memory Join on Modern Hardware", 2002). Four kernels do it ([`kernels`]): one counts for each block of
//! its launch how many of its tuples are of which part; one sums that, so that each block has a place of its own in each part; one,
//! whose blocks go over the same rows as the first one's, puts the tuples there ([`tuple`] says what is kept of one); the
//! last one sums parts, the larger ones of which several blocks share.

mod kernels;
mod tuple;

use super::CODES_MAX;
use super::cell::{Cell, CellKind};
use super::first::First;
use super::fold::{Fold, Groups};
use super::record::Record;
use super::{Table, fold};
use crate::backend::inputs::Inputs;
use crate::gpu::code::expression::Expression;
use crate::gpu::code::print;
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, Module, Shape, bytes_of};
use crate::gpu::lower::nest::Pieces;
use crate::gpu::lower::{Lowering, Reads};
use crate::gpu::stop::{Done, Stop};
use crate::plan::key_layout::KeyLayout;
use crate::plan::placement::Task;
use kernels::Kernels;
use std::sync::Arc;
use tuple::Tuple;

/// Rows and tuples from which on it pays.
const TUPLES_MIN: u64 = if cfg!(test) { 32 } else { 1 << 22 };

/// Rows of which at least one has to give a tuple: where fewer do, to go over them twice costs more.
const ROWS_EACH: u64 = 8;

/// Where few tuples may come, one of so many pieces tells first whether they do.
const STRIDE: u32 = if cfg!(test) { 2 } else { 16 };

/// Tuples at most: their numbers have 32 bits, some of which are lost between parts.
const TUPLES_MAX: u64 = 1 << 31;

/// Parts at most: of more a block has hardly two tuples at once that go side by side. One more than a power of two, since a key has
/// one code more, for NULL.
const PARTS_MAX: u64 = (1 << 12) + 1;

/// Parts of which there may be twice as many as there have to be.
const PARTS_FEW: u64 = 1 << 7;

/// Blocks of the launch side by side on one of the card's processors, at most: each has a place of its own in each part.
const BLOCKS_MOST: usize = 2;

/// Tuples that a block sums for each group of a part, at least, unless it has all of them: then what it adds to the table is little
/// beside that.
const EACH_GROUP: u64 = if cfg!(test) { 1 } else { 16 };

/// How far from zero an argument may be so that sums in a block's memory have 64 bits.
const BOUND_MAX: u128 = 1 << 45;

/// Tuples of a part begin at a multiple of this: what a thread reads at once.
const ALIGNED: u64 = 8;

/// The parts of some groups.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    layout: KeyLayout,
    /// How many groups.
    codes: u64,
    /// A part has two to this many codes.
    shift: u32,
    count: u64,
    record: Record,
    cells: Vec<Cell>,
    tuple: Tuple,
}

/// Some tuples of a part, which a block sums.
#[derive(Clone, Copy, Debug)]
struct Share {
    part: u32,
    from: u32,
    below: u32,
    /// Whether it is all of the part.
    is_whole: bool,
}

impl<'p> Fold<'p> {
    /// Whether it may be worth it, as far as the plan tells.
    fn may_have_parts(&self, to: &Lowering<'_>, rows: u64) -> bool {
        let plan = self.plan;
        plan.key.is_some()
            && !plan.aggregates.is_empty()
            && !plan.rows.clustered
            && self.like.as_ref().is_none_or(|like| !like.hashes)
            && to.task.of.levels.len() == 1
            && to.groups_of(0).is_none()
            && (TUPLES_MIN..TUPLES_MAX).contains(&rows)
            && plan.layout.codes().is_none_or(|codes| codes <= CODES_MAX)
            && !plan.aggregates.iter().any(|aggregate| aggregate.kind.keeps_arguments())
    }

    /// The parts of its groups, if they are such that it has some; in front of the tuple at hand.
    fn parts(&mut self, to: &mut Lowering<'_>, pieces: &Pieces) -> Done<Option<(Parts, Expression)>> {
        let tuples = pieces.rows.saturating_mul(to.tuples_each);
        if tuples >= TUPLES_MAX {
            return Ok(None);
        }
        let (layout, own) = self.layout(to)?;
        let Some(codes) = layout.codes().filter(|codes| *codes <= CODES_MAX) else { return Ok(None) };
        let code = self.code(to, &layout, &own)?;
        let (mut cells, tells) = self.cells(to, pieces)?;
        for cell in &mut cells {
            // Too few tuples would be summed at once in 64 bits.
            if let CellKind::Sum { bound, wide } = cell.kind {
                cell.is_wide_in_block = wide && bound > BOUND_MAX;
            }
        }
        let record = Record::new(&cells, tells);
        let planes = fold::planes(&cells, &record);
        let limits = to.device.driver.limits();
        // One plane's first word is no group's where copies are counted.
        let fit = |bytes: usize| (bytes / 4 / planes.max(1)) as u64;
        if codes < fit(limits.shared) || planes == 0 {
            return Ok(None);
        }
        // Two blocks side by side, so that one reads while the other one writes; or, of many parts, as few as may be.
        let shift_in = |bytes: usize| fit(bytes).max(1).ilog2();
        let mut shift = shift_in(limits.shared / 2);
        if codes.div_ceil(1 << shift) > PARTS_FEW {
            shift = shift_in(limits.shared);
        }
        let count = codes.div_ceil(1 << shift);
        let Some(tuple) = Tuple::new(self, to, &cells)? else { return Ok(None) };
        let parts = Parts { layout, codes, shift, count, record, cells, tuple };
        let has_room = Kernels::room(&parts, limits.threads) <= limits.shared;
        let fits = has_room && count <= PARTS_MAX && parts.tuples_most() >= EACH_GROUP << shift;
        Ok(fits.then_some((parts, code)))
    }
}

/// Makes a reduction by parts, if it is such a one and many tuples come.
pub(crate) fn by_parts<'p>(
    (task, inputs): (&Task<'_>, &dyn Inputs),
    device: &Device,
    reads: &Reads,
    mut fold: Fold<'p>,
) -> Done<Option<Fold<'p>>> {
    let mut put = Lowering::new((task, inputs), device, reads);
    let pieces = put.pieces()?;
    if !fold.may_have_parts(&put, pieces.rows) {
        return Ok(None);
    }
    let is_selective = put.is_selective(fold.conditions);
    let Some((kernels, parts)) = Kernels::new(put, &mut fold, &pieces)? else { return Ok(None) };
    let source = print::kernels(&kernels.all);
    let module = device.cache.module(&*device.driver, &source)?;
    let run = Run { device, module: &*module, parts: &parts, kernels, is_selective };
    run.all(fold, &pieces)
}

/// A run of the kernels.
struct Run<'r> {
    device: &'r Device,
    module: &'r dyn Module,
    parts: &'r Parts,
    kernels: Kernels,
    /// Whether few tuples may come.
    is_selective: bool,
}

impl Run<'_> {
    /// The launch of the kernels that go over the rows.
    fn shape(&self, pieces: &Pieces) -> Shape {
        let limits = self.device.driver.limits();
        let shared = self.kernels.shared;
        let fit = (limits.shared / shared).clamp(1, BLOCKS_MOST) as u32;
        let blocks = u32::try_from(pieces.count).unwrap_or(u32::MAX).min(limits.multiprocessors * fit).max(1);
        Shape { blocks, threads: limits.threads, shared }
    }

    fn all<'p>(mut self, mut fold: Fold<'p>, pieces: &Pieces) -> Done<Option<Fold<'p>>> {
        let (device, parts) = (self.device, self.parts);
        let driver = &device.driver;
        let shape = self.shape(pieces);
        let counted = Buffer::new(driver, shape.blocks as usize * parts.count as usize * 4)?;
        let sums = Buffer::new(driver, parts.count as usize * 4)?;
        self.kernels.set_threads(parts, shape.threads);
        self.kernels.set_counted(&counted, shape.blocks, &sums);
        let least = TUPLES_MIN.max(pieces.rows / ROWS_EACH);
        if self.is_selective && pieces.count >= STRIDE as usize * shape.blocks as usize {
            self.kernels.set_stride(STRIDE);
            let (_, some) = self.count(shape, &sums)?;
            if some.saturating_mul(STRIDE.into()) < least {
                return Ok(None);
            }
            self.kernels.set_stride(1);
        }
        let (sums, tuples) = self.count(shape, &sums)?;
        if tuples < least {
            return Ok(None);
        }
        let (starts, end) = starts(&sums);
        let shares = self.shares(&sums, &starts, tuples);
        let starts = Buffer::of(driver, &bytes_of(&starts, u32::to_le_bytes))?;
        let words = shares.iter().flat_map(|share| [share.part, share.from, share.below, share.is_whole.into()]);
        let listed = Buffer::of(driver, &bytes_of(&words.collect::<Vec<_>>(), u32::to_le_bytes))?;
        let table = Table::new(driver, (parts.codes, None), (parts.cells.clone(), parts.record.clone()))?;
        // Where there is no room for tuples there may be for groups alone.
        let room = match Buffer::new(driver, end as usize * parts.tuple.bytes()) {
            Err(Stop::Declined(_)) => return Ok(None),
            made => made?,
        };
        self.kernels.set_shares((&starts, &room), (&listed, shares.len() as u32), &table.memory);
        self.launch(2, shape)?;
        let bytes = fold::planes(&parts.cells, &parts.record) * (4 << parts.shift);
        self.launch(3, device.shape(shares.len(), bytes))?;
        fold.first = First::Block;
        fold.made = Some(Groups::Table { layout: Some(parts.layout.clone()), table });
        Ok(Some(fold))
    }

    /// Counts the tuples of each part, and of all.
    fn count(&self, shape: Shape, sums: &Buffer) -> Done<(Vec<u32>, u64)> {
        let (count, threads) = (self.parts.count as usize, shape.threads);
        self.launch(0, shape)?;
        let blocks = count.div_ceil(threads as usize).max(1) as u32;
        self.launch(1, Shape { blocks, threads, shared: 0 })?;
        let sums: Vec<u32> = sums.values(count)?;
        let tuples = sums.iter().map(|&sum| u64::from(sum)).sum();
        Ok((sums, tuples))
    }

    fn launch(&self, which: usize, shape: Shape) -> Done<()> {
        let name = self.kernels.all[which].name;
        self.device.driver.launch(self.module, name, shape, &self.kernels.arguments[which])
    }

    /// What blocks sum, the largest shares first: such that no block has much more than the others.
    fn shares(&self, sums: &[u32], starts: &[u32], tuples: u64) -> Vec<Share> {
        let limits = self.device.driver.limits();
        let even = tuples / (2 * u64::from(limits.multiprocessors));
        let least = if cfg!(test) { 0 } else { EACH_GROUP << self.parts.shift };
        let most = even.max(least).min(self.parts.tuples_most());
        let most = (most / ALIGNED * ALIGNED).max(ALIGNED);
        let mut shares = Vec::new();
        for (part, (&sum, &start)) in sums.iter().zip(starts).enumerate() {
            let (sum, start) = (u64::from(sum), u64::from(start));
            let each = sum.div_ceil(sum.div_ceil(most).max(1)).next_multiple_of(ALIGNED);
            let mut from = 0;
            while from < sum {
                let below = (from + each).min(sum);
                let is_whole = below - from == sum;
                shares.push(Share {
                    part: part as u32,
                    from: (start + from) as u32,
                    below: (start + below) as u32,
                    is_whole,
                });
                from = below;
            }
        }
        shares.sort_by_key(|share| share.from.wrapping_sub(share.below));
        shares
    }
}

impl Parts {
    /// Tuples that a block may sum without leaving what it has for a sum.
    fn tuples_most(&self) -> u64 {
        let most = |cell: &Cell| match cell.kind {
            CellKind::Sum { .. } if cell.is_wide_in_block => u64::MAX,
            CellKind::Sum { bound, .. } => u64::try_from(i64::MAX as u128 / bound.max(1)).unwrap_or(u64::MAX),
            _ => u32::MAX.into(),
        };
        self.cells.iter().map(most).min().unwrap_or(u64::MAX)
    }
}

/// Where the tuples of each part begin, and where the last ones end.
fn starts(sums: &[u32]) -> (Vec<u32>, u64) {
    let mut end = 0;
    let start = |&sum: &u32| {
        let start = end;
        end = (end + u64::from(sum)).next_multiple_of(ALIGNED);
        start as u32
    };
    (sums.iter().map(start).collect(), end)
}

/// Sets an argument that was not known when its kernel was written.
fn set(arguments: &mut [Argument], at: usize, to: &Arc<Buffer>) {
    arguments[at] = Argument::Memory(Arc::clone(to));
}
