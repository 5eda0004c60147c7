//! Rows by the codes of their keys, on the device: for each code the number of its row, or, where a key has several, where its rows
//! begin in an order of them. Of all rows of a table by one of its columns it is made once, and stays there with the column.

use super::{Collected, dictionary_of, fetch, scanned};
use crate::Result;
use crate::backend::{Given, Held};
use crate::column::Dictionary;
use crate::gpu::code::types::Type;
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, Copier, Module, Shape};
use crate::gpu::groups::filter::{Filters, pays_for_numbers};
use crate::gpu::groups::held::{Kept, key_range, lost};
use crate::gpu::groups::slots::{Slots, are_far_by};
use crate::gpu::lower::Level;
use crate::gpu::lower::probes::Spans;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::KeyLayout;
use crate::workers::context::Context;
use multiloop_planner::types::DataType;
use std::any::Any;
use std::sync::Arc;

/// The kernels.
const INDEX: &str = include_str!("index.cu");

/// Sources that many loops need, whatever they are.
pub(super) fn sources() -> impl Iterator<Item = String> {
    [Type::U32, Type::U64].into_iter().map(indexing)
}

fn indexing(of: Type) -> String {
    format!("typedef {} code_t;\n{INDEX}", of.name())
}

/// Codes of which each has an entry, at most.
const CODES_MAX: u64 = 1 << 30;

/// Codes of a row up to which an array over all of them is better than a hash table: to clear it takes a picosecond a code, and to find a
/// slot for a row a hundred or more.
const CODES_EACH: u64 = 64;

/// Rows of a bucket, at most: one thread brings them into their order.
const SETTLED_MAX: u64 = 1 << 16;

/// Buckets on the device.
#[derive(Debug)]
pub(crate) struct HeldBuckets {
    pub(crate) index: Arc<Index>,
    pub(crate) members: Arc<Level>,
    key_types: Vec<DataType>,
    types: Vec<DataType>,
}

/// Where the rows of keys are.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) layout: KeyLayout,
    /// The slots of codes, if what finds rows is by slot.
    pub(crate) slots: Option<Slots>,
    /// For each code one more than the number of a row of it, or 0.
    pub(crate) numbers: Arc<Buffer>,
    pub(crate) spans: Spans,
    /// What tells codes that are not there, if that pays.
    pub(crate) filters: Option<Arc<Filters>>,
    /// Rows of a bucket, at most.
    pub(crate) most: u64,
    codes: (Arc<Buffer>, Type),
}

impl HeldBuckets {
    /// The buckets, if that is what is held.
    pub(crate) fn of(held: &Arc<dyn Held>) -> Option<Arc<Self>> {
        held.as_any().downcast_ref::<Kept<HeldBuckets>>().map(|kept| Arc::clone(&kept.0))
    }

    /// Buckets of rows that were collected, with keys and fields of these types.
    pub(crate) fn new(
        device: &Device,
        collected: Collected,
        (key_types, types): (&[DataType], &[DataType]),
    ) -> Done<Self> {
        let Collected { level: members, codes, key, index } = collected;
        let index = match (index, codes) {
            (Some(index), _) => index,
            (None, Some(codes)) => {
                let index = Arc::new(Index::new(device, members.rows, codes)?);
                if let Some(key) = key {
                    key.made.keep(&index);
                }
                index
            }
            (None, None) => return decline("bug: buckets without keys"),
        };
        Ok(HeldBuckets { index, members, key_types: key_types.to_vec(), types: types.to_vec() })
    }

    /// The same on another device.
    pub(crate) fn copied(&self, to: &Copier<'_>) -> Done<Self> {
        Ok(HeldBuckets {
            index: Arc::new(self.index.copied(to)?),
            members: Arc::new(self.members.copied(to)?),
            key_types: self.key_types.clone(),
            types: self.types.clone(),
        })
    }
}

impl Index {
    /// The index of rows that have these codes.
    fn new(device: &Device, count_of_rows: usize, (codes, of, layout): (Arc<Buffer>, Type, KeyLayout)) -> Done<Self> {
        let rows = count_of_rows as u32;
        let driver = &device.driver;
        let compiled = |of: Type| device.cache.module(&**driver, &indexing(of));
        let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
        let mut count = layout.codes().unwrap_or(u64::MAX);
        if count == u64::MAX {
            return decline("keys of all 64 bits");
        }
        let (mut slots, mut places, mut by) = (None, Arc::clone(&codes), of);
        if are_far_by(count, rows.into(), (CODES_MAX, CODES_EACH)) {
            let made = Slots::new(driver, rows.into())?.of_rows(&codes, of, count_of_rows);
            places = Buffer::new(driver, count_of_rows * 4)?;
            let arguments =
                [memory(&codes), Argument::U32(rows), memory(&made.codes), Argument::U32(made.bits), memory(&places)];
            let module = compiled(of)?;
            Run { device, module: &*module }.over("slots", count_of_rows, &arguments)?;
            (count, by) = (made.count(), Type::U32);
            slots = Some(made);
        }
        let module = compiled(by)?;
        let numbers = Buffer::zeroed(driver, count as usize * 4)?;
        let run = Run { device, module: &*module };
        run.over("number", count_of_rows, &[memory(&places), Argument::U32(rows), memory(&numbers)])?;
        let differs = Buffer::zeroed(driver, 4)?;
        let arguments = [memory(&places), Argument::U32(rows), memory(&numbers), memory(&differs)];
        run.over("compare", count_of_rows, &arguments)?;
        let (most, spans) = match differs.values::<u32>(1)?[0] {
            0 => (1, Spans::Unique),
            _ => run.spans(&places, rows, count)?,
        };
        let pays = slots.is_none() && pays_for_numbers(count, rows.into());
        let filters = match &slots {
            Some(slots) => Some(Arc::clone(&slots.filters)),
            None => pays.then(|| Filters::of_rows(&codes, of, count_of_rows)),
        };
        Ok(Index { layout, slots, numbers, spans, filters, most, codes: (codes, of) })
    }

    fn copied(&self, to: &Copier<'_>) -> Done<Self> {
        let spans = match &self.spans {
            Spans::Unique => Spans::Unique,
            Spans::ByNumber(starts) => Spans::ByNumber(to.buffer(starts)?),
            Spans::ByCode { starts, counts, order } => {
                Spans::ByCode { starts: to.buffer(starts)?, counts: to.buffer(counts)?, order: to.buffer(order)? }
            }
        };
        let (codes, of) = &self.codes;
        Ok(Index {
            layout: self.layout.clone(),
            slots: self.slots.as_ref().map(|slots| slots.copied(to)).transpose()?,
            numbers: to.buffer(&self.numbers)?,
            spans,
            filters: self.filters.as_ref().map(|filters| filters.copied(to)).transpose()?,
            most: self.most,
            codes: (to.buffer(codes)?, *of),
        })
    }

    fn codes(&self, rows: usize) -> Done<Vec<u64>> {
        let (codes, of) = &self.codes;
        match of {
            Type::U32 => Ok(codes.values::<u32>(rows)?.into_iter().map(u64::from).collect()),
            _ => codes.values(rows),
        }
    }
}

/// The kernels at work.
struct Run<'d> {
    device: &'d Device,
    module: &'d dyn Module,
}

impl Run<'_> {
    fn launch(&self, kernel: &str, shape: Shape, arguments: &[Argument]) -> Done<()> {
        self.device.driver.launch(self.module, kernel, shape, arguments)
    }

    /// A thread a row.
    fn over(&self, kernel: &str, rows: usize, arguments: &[Argument]) -> Done<()> {
        let threads = self.device.driver.limits().threads as usize;
        match rows {
            0 => Ok(()),
            _ => self.launch(kernel, self.device.shape(rows.div_ceil(threads), 0), arguments),
        }
    }

    /// Where the rows of codes are that have several, and how many a code has at most.
    fn spans(&self, places: &Arc<Buffer>, rows: u32, count: u64) -> Done<(u64, Spans)> {
        let driver = &self.device.driver;
        let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
        let counts = Buffer::zeroed(driver, count as usize * 4)?;
        let ranks = Buffer::new(driver, rows as usize * 4)?;
        let most = Buffer::zeroed(driver, 4)?;
        let arguments = [memory(places), Argument::U32(rows), memory(&counts), memory(&ranks), memory(&most)];
        self.over("rank", rows as usize, &arguments)?;
        let most = u64::from(most.values::<u32>(1)?[0]);
        if most > SETTLED_MAX {
            return decline("a key of many rows");
        }
        let starts = self.starts(&counts, count)?;
        let order = Buffer::new(driver, rows as usize * 4)?;
        let arguments = [memory(places), Argument::U32(rows), memory(&starts), memory(&ranks), memory(&order)];
        self.over("order", rows as usize, &arguments)?;
        let arguments = [memory(&starts), memory(&counts), Argument::U64(count), memory(&order)];
        self.over("settle", count as usize, &arguments)?;
        Ok((most, Spans::ByCode { starts, counts, order }))
    }

    /// Where the rows of each code begin.
    fn starts(&self, counts: &Arc<Buffer>, codes: u64) -> Done<Arc<Buffer>> {
        let driver = &self.device.driver;
        let shape = self.device.shape(codes as usize, scanned(self.device));
        let segment = codes.div_ceil(shape.blocks.into());
        let segments = codes.div_ceil(segment) as u32;
        let sums = Buffer::zeroed(driver, segments as usize * 4)?;
        let starts = Buffer::new(driver, codes as usize * 4)?;
        let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
        let whole = [memory(counts), Argument::U64(codes), Argument::U64(segment), memory(&sums)];
        self.launch("sums", shape, &whole)?;
        let one = Shape { blocks: 1, threads: 1, shared: 0 };
        self.launch("begin", one, &[memory(&sums), Argument::U32(segments)])?;
        let [counts, codes, segment, sums] = whole;
        self.launch("starts", shape, &[counts, codes, segment, sums, memory(&starts)])?;
        Ok(starts)
    }
}

impl Held for Kept<HeldBuckets> {
    fn rows(&self) -> Result<usize> {
        Ok(self.0.members.rows)
    }

    fn key_range(&self) -> Option<(i128, i128)> {
        key_range(&self.0.index.layout)
    }

    fn dictionary(&self, field: u32) -> Option<Arc<Dictionary>> {
        dictionary_of(&self.0.members, field)
    }

    fn fetch(&self, _: &Context) -> Result<Given> {
        let codes = self.0.index.codes(self.0.members.rows).map_err(lost)?;
        let keys = fetch::keys(&self.0.index.layout, &codes).map_err(lost)?;
        let mut columns = fetch::typed(keys, &self.0.key_types);
        columns.extend(fetch::columns(&self.0.members, &self.0.types).map_err(lost)?);
        Ok(Given::Members(fetch::row_set(columns, self.0.members.rows)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
