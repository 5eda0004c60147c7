//! Groups of a table on the host: the records of those that have rows.

use super::Table;
use super::cell::CellKind;
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, Driver, Module, Shape};
use crate::gpu::stop::{Done, Stop};
use crate::plan::register::Register;
use std::sync::{Arc, OnceLock};

/// Bytes of a table up to which it comes to the host as it is; of larger ones the records that have rows.
const AT_ONCE: usize = if cfg!(test) { 1 << 10 } else { 1 << 22 };

/// The kernels.
pub(super) const KEPT: &str = include_str!("kept.cu");

/// The records of some groups.
pub(super) struct OnHost<'t> {
    table: &'t Table,
    /// Of each its code; of hashed ones, too.
    pub(super) codes: Vec<u64>,
    records: Vec<u32>,
    /// Which of them have rows.
    pub(super) seen: Vec<bool>,
}

/// What finds the groups of a table that have rows, once somebody asks.
#[derive(Debug)]
pub(crate) struct Finder {
    driver: Arc<dyn Driver>,
    module: Arc<dyn Module>,
    shape: Shape,
    /// How many there are in each segment of the table.
    known: OnceLock<Vec<u32>>,
}

impl Finder {
    /// What finds groups of a table.
    pub(crate) fn new(table: &Table, device: &Device) -> Done<Self> {
        let driver = Arc::clone(&device.driver);
        let module = device.cache.module(&*driver, KEPT)?;
        let threads = driver.limits().threads;
        let shape = device.shape((table.groups as usize).div_ceil(threads as usize), (threads as usize * 2 + 1) * 4);
        Ok(Finder { driver, module, shape, known: OnceLock::new() })
    }

    fn arguments(&self, table: &Table) -> Vec<Argument> {
        let seen = table.record.seen;
        let [first, last] = seen.words;
        let segment = table.groups.div_ceil(self.shape.blocks.into());
        let numbers = [table.record.words, first, last, seen.mask].map(Argument::U32);
        let mut arguments = vec![Argument::Memory(Arc::clone(&table.memory))];
        arguments.extend(numbers);
        arguments.extend([Argument::U64(table.groups), Argument::U64(segment)]);
        arguments
    }

    fn counts(&self, table: &Table) -> Done<&[u32]> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let segments = self.shape.blocks as usize;
        let counts = Buffer::zeroed(&self.driver, segments * 4)?;
        let mut arguments = self.arguments(table);
        arguments.push(Argument::Memory(Arc::clone(&counts)));
        self.driver.launch(&*self.module, "count_groups", self.shape, &arguments)?;
        let counts = counts.values(segments)?;
        Ok(self.known.get_or_init(|| counts))
    }

    /// How many groups have rows.
    pub(crate) fn count(&self, table: &Table) -> Done<usize> {
        Ok(self.counts(table)?.iter().map(|&count| count as usize).sum())
    }

    /// Their records and codes.
    fn kept(&self, table: &Table) -> Done<(Vec<u32>, Vec<u64>)> {
        let mut all = 0;
        let starts = self.counts(table)?.iter().map(|&count| {
            all += count;
            all - count
        });
        let starts: Vec<u8> = starts.collect::<Vec<u32>>().into_iter().flat_map(u32::to_le_bytes).collect();
        let starts = Buffer::of(&self.driver, &starts)?;
        let (groups, words) = (all as usize, table.record.words as usize);
        let [records, codes] = [groups * words * 4, groups * 8].map(|bytes| Buffer::new(&self.driver, bytes));
        let (records, codes) = (records?, codes?);
        // Where the codes are; no code is read if there are no slots.
        let slots = table.slots.as_ref().map_or(&table.memory, |slots| &slots.codes);
        let mut arguments = self.arguments(table);
        arguments.push(Argument::U32(table.slots.is_some().into()));
        arguments.extend([slots, &starts, &records, &codes].map(|buffer| Argument::Memory(Arc::clone(buffer))));
        self.driver.launch(&*self.module, "keep_groups", self.shape, &arguments)?;
        Ok((records.values(groups * words)?, codes.values(groups)?))
    }
}

impl<'t> OnHost<'t> {
    /// All groups that have rows, by code.
    pub(super) fn of(table: &'t Table, finder: &Finder) -> Done<Self> {
        let kept = match table.memory.bytes <= AT_ONCE {
            true => None,
            false => match finder.kept(table) {
                Ok(kept) => Some(kept),
                // It takes room there.
                Err(Stop::Declined(why)) if why.contains("memory") => None,
                Err(stop) => return Err(stop),
            },
        };
        let (records, codes) = match kept {
            Some(kept) => kept,
            None => {
                let whole = Self::whole(table)?;
                let slots: Option<Vec<u64>> = match &table.slots {
                    Some(slots) => Some(slots.codes.values(table.groups as usize)?),
                    None => None,
                };
                let mut codes = Vec::new();
                let mut records = Vec::new();
                for (at, record) in whole.records.chunks_exact(table.record.words as usize).enumerate() {
                    if whole.seen[at] {
                        codes.push(slots.as_ref().map_or(at as u64, |slots| slots[at] - 1));
                        records.extend_from_slice(record);
                    }
                }
                (records, codes)
            }
        };
        let seen = vec![true; codes.len()];
        let on_host = OnHost { table, codes, records, seen };
        // Which slot a code has depends on who was first; its place among the codes does not.
        Ok(if table.slots.is_some() { on_host.in_order() } else { on_host })
    }

    /// All that there may be, a record for each.
    pub(super) fn whole(table: &'t Table) -> Done<Self> {
        let words = table.record.words as usize;
        let records: Vec<u32> = table.memory.values(table.groups as usize * words)?;
        let seen = table.record.seen;
        let has_rows = |record: &[u32]| seen.words.iter().any(|&word| record[word as usize] & seen.mask != 0);
        let seen = records.chunks_exact(words).map(has_rows).collect();
        Ok(OnHost { table, codes: Vec::new(), records, seen })
    }

    fn in_order(self) -> Self {
        let words = self.table.record.words as usize;
        let mut order: Vec<usize> = (0..self.codes.len()).collect();
        order.sort_unstable_by_key(|&at| self.codes[at]);
        let records = order.iter().flat_map(|&at| &self.records[at * words..(at + 1) * words]).copied().collect();
        OnHost { codes: order.iter().map(|&at| self.codes[at]).collect(), records, ..self }
    }

    /// How many records.
    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether each has a flag; [`super::SEEN`] is whether it has rows.
    pub(super) fn has(&self, flag: u32) -> Vec<bool> {
        let words = self.table.record.words as usize;
        match self.table.record.flags {
            Some(at) if flag != super::SEEN => {
                self.records.iter().skip(at as usize).step_by(words).map(|flags| flags & flag != 0).collect()
            }
            _ => self.seen.clone(),
        }
    }

    /// Whether each has an argument of a cell.
    pub(super) fn has_argument(&self, cell: usize) -> Vec<bool> {
        let own = &self.table.cells[cell];
        if !own.is_null_at_zero {
            return self.has(own.flag.unwrap_or(super::SEEN));
        }
        let (first, words) = (self.table.record.cells[cell] as usize, self.table.record.words as usize);
        let last = if own.narrow { first } else { first + 1 };
        self.records.chunks_exact(words).map(|record| record[first] | record[last] != 0).collect()
    }

    /// A word of a cell, of each: as one of 64 bits, however many it has there.
    pub(super) fn words(&self, cell: usize, word: usize) -> Vec<u64> {
        let (record, own) = (&self.table.record, &self.table.cells[cell]);
        let (first, words) = (record.cells[cell] as usize, record.words as usize);
        let wide = |word: u32| match own.kind {
            CellKind::Extreme { largest } => {
                let rising = if largest { word } else { !word };
                let rising = i64::from((rising ^ 1 << 31) as i32) as u64 ^ 1 << 63;
                if largest { rising } else { !rising }
            }
            CellKind::Value if matches!(own.argument, Some((_, Register::I32))) => i64::from(word as i32) as u64,
            _ => word.into(),
        };
        let of = |record: &[u32]| match own.narrow {
            true => wide(record[first]),
            false => {
                let at = first + 2 * word;
                u64::from(record[at + 1]) << 32 | u64::from(record[at])
            }
        };
        self.records.chunks_exact(words).map(of).collect()
    }
}
