//! Groups on the device: tables by code.
//!
//! A group is its key's code. For each code a table has a word of flags and the cells of the aggregates ([`cell`]): sums as words of 64
//! bits, of two where one may overflow, counts, extremes as words of which the greatest counts. Memory of zeros is a table without
//! rows.
//!
//! Where rows are folded into it ([`fold`], and `flush` around the loop):
//! * *One*: there is no key. Each thread folds its rows into variables, the threads of a block these into the block's memory, and the
//!   block that into the table.
//! * *Shared*: the groups fit the block's memory, there in as many copies as fit it, since neighbours like to be of one group; the block
//!   puts them into the table at its end.
//! * *Global*: every row goes to the table.
//!
//! The table stays on the device ([`held`]), where lookups and loops over groups read it by code, or becomes partial groups
//! ([`partial`]). Keys alone are bits. Where codes lie too far apart for arrays, a hash table gives each a slot ([`slots`]), which
//! is the group then.

pub(crate) mod cell;
mod flush;
pub(crate) mod fold;
pub(crate) mod held;
pub(crate) mod partial;
pub(crate) mod slots;

use super::device::Device;
use super::driver::{Argument, Buffer, Driver};
use super::stop::Done;
use cell::Cell;
use slots::Slots;
use std::sync::Arc;

/// Groups by code.
#[derive(Debug)]
pub(crate) struct Table {
    /// How many codes or slots; 1 without a key.
    pub(crate) groups: u64,
    /// The slots of codes, if these are not the groups.
    pub(crate) slots: Option<Slots>,
    /// Of each: [`SEEN`], and the flags of aggregates.
    pub(crate) flags: Arc<Buffer>,
    pub(crate) cells: Vec<Cell>,
    /// The words of each cell.
    pub(crate) words: Vec<Vec<Arc<Buffer>>>,
}

/// The flag of groups that have rows.
pub(crate) const SEEN: u32 = 1;

/// Codes of a table, at most.
pub(crate) const CODES_MAX: u64 = 1 << 31;

impl Table {
    /// A table without rows.
    pub(crate) fn new(driver: &Arc<dyn Driver>, (groups, slots): (u64, Option<Slots>), cells: Vec<Cell>) -> Done<Self> {
        let flags = Buffer::zeroed(driver, groups as usize * 4)?;
        let word = |_| Buffer::zeroed(driver, groups as usize * 8);
        let words = cells.iter().map(|cell| (0..cell.words()).map(word).collect::<Done<Vec<_>>>());
        let words = words.collect::<Done<Vec<_>>>()?;
        Ok(Table { groups, slots, flags, cells, words })
    }

    /// How many groups have rows.
    pub(crate) fn count(&self, device: &Device) -> Done<usize> {
        let driver = &device.driver;
        let count = Buffer::zeroed(driver, 4)?;
        let module = device.cache.module(&**driver, COUNT)?;
        let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
        let threads = u64::from(driver.limits().threads);
        let shape = device.shape(self.groups.div_ceil(threads) as usize, 0);
        let arguments = [memory(&self.flags), Argument::U64(self.groups), memory(&count)];
        driver.launch(&*module, "count_groups", shape, &arguments)?;
        Ok(count.values::<u32>(1)?[0] as usize)
    }
}

/// The kernel of [`Table::count`].
const COUNT: &str = include_str!("count.cu");
