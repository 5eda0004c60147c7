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
//!
//! Of DISTINCT arguments ([`distinct`]) only the first of a group is folded in; then groups are finished where they are
//! ([`finished`]), since nothing could be added to them.

pub(crate) mod cell;
mod distinct;
pub(crate) mod finished;
mod flush;
pub(crate) mod fold;
pub(crate) mod held;
pub(crate) mod partial;
pub(crate) mod slots;

use super::device::Device;
use super::driver::{Argument, Buffer, Driver, Module, Shape};
use super::stop::Done;
use cell::Cell;
use slots::Slots;
use std::sync::{Arc, OnceLock};

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
    /// The memory of flags and words.
    pub(crate) whole: Arc<Buffer>,
}

/// The flag of groups that have rows.
pub(crate) const SEEN: u32 = 1;

/// Codes of a table, at most.
pub(crate) const CODES_MAX: u64 = 1 << 31;

impl Table {
    /// A table without rows.
    pub(crate) fn new(driver: &Arc<dyn Driver>, (groups, slots): (u64, Option<Slots>), cells: Vec<Cell>) -> Done<Self> {
        // One piece of memory: to ask for some and to clear it takes as long as a kernel of few groups.
        let (flag_bytes, word_bytes) = (groups as usize * 4, groups as usize * 8);
        let (mut at, each) = (flag_bytes.next_multiple_of(64), word_bytes.next_multiple_of(64));
        let count = cells.iter().map(Cell::words).sum::<usize>();
        let whole = Buffer::zeroed(driver, at + count * each)?;
        let flags = whole.part(0, flag_bytes);
        let mut word = |_| {
            at += each;
            whole.part(at - each, word_bytes)
        };
        let words = cells.iter().map(|cell| (0..cell.words()).map(&mut word).collect()).collect();
        Ok(Table { groups, slots, flags, cells, words, whole })
    }

    /// What counts groups once somebody asks.
    pub(crate) fn counter(&self, device: &Device) -> Done<Counter> {
        let driver = Arc::clone(&device.driver);
        let module = device.cache.module(&*driver, COUNT)?;
        let threads = u64::from(driver.limits().threads);
        let shape = device.shape(self.groups.div_ceil(threads) as usize, 0);
        Ok(Counter { driver, module, shape, known: OnceLock::new() })
    }
}

/// Counts groups that have rows, once.
#[derive(Debug)]
pub(crate) struct Counter {
    driver: Arc<dyn Driver>,
    module: Arc<dyn Module>,
    shape: Shape,
    known: OnceLock<Done<usize>>,
}

impl Counter {
    /// How many groups of a table have rows.
    pub(crate) fn of(&self, table: &Table) -> Done<usize> {
        let count = || {
            let count = Buffer::zeroed(&self.driver, 4)?;
            let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
            let arguments = [memory(&table.flags), Argument::U64(table.groups), memory(&count)];
            self.driver.launch(&*self.module, "count_groups", self.shape, &arguments)?;
            Ok(count.values::<u32>(1)?[0] as usize)
        };
        self.known.get_or_init(count).clone()
    }
}

/// The kernel of [`Counter`].
pub(crate) const COUNT: &str = include_str!("count.cu");
