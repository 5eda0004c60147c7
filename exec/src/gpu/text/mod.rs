//! What is computed of texts that have no codes, by kernels of their own: a value for each row of a column, which the kernels of loops
//! read by the number of the row. So the bytes of a block's rows are loaded together, which the rows of a thread alone could not be.
//!
//! Patterns and constants are arrays: a new one compiles nothing (`pattern`). Texts of few bytes of which there are few become codes of
//! a dictionary, which is made of what a hash table of them has when all rows have been seen.

pub(crate) mod pattern;

use super::code::types::Type;
use super::columns::{DeviceColumn, Form};
use super::device::Device;
use super::driver::{Argument, Buffer, Module, Shape, bytes_of};
use super::stop::{Done, decline};
use crate::column::Dictionary;
use pattern::{Pattern, Window};
use std::ops::Range;
use std::sync::Arc;

/// What all kernels begin with, and the kernels.
const TEXT: &str = include_str!("text.cu");
const LIKE: &str = include_str!("like.cu");
const PLACE: &str = include_str!("place.cu");
const MEASURE: &str = include_str!("measure.cu");
const PACK: &str = include_str!("pack.cu");

/// Bytes of a block's memory beside the staged ones: those that may be read behind them, and in [`PACK`] `SEEN` words.
const BESIDE: usize = 16 + 128 * 8;

/// Threads of a block, at most, and blocks of a processor that shall run side by side: while one waits for bytes others compute.
const THREADS_MAX: u32 = 256;
const BLOCKS_EACH: usize = 8;

/// Rows are asked from a multiple of so many on, so that what is given of their arrays lies as kernels want it.
const ROWS_STEP: usize = 64;

/// Bytes, and rows, that a block looks through for a pattern at once, at most; and blocks, which are many more than run side by side,
/// since some meet more rows that they have to ask.
const LIKE_BYTES: usize = if cfg!(test) { 1 << 9 } else { 1 << 16 };
const LIKE_ROWS: usize = if cfg!(test) { 24 } else { 1 << 10 };
const LIKE_BLOCKS: usize = 64;

/// Slots for short texts are 2 to this many; half of them may be taken.
const SLOT_BITS: u32 = 13;

/// Characters of a text: so many behind so many others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) skip: u32,
    pub(crate) take: u32,
}

impl Part {
    /// All of it.
    pub(crate) const WHOLE: Part = Part { skip: 0, take: u32::MAX };
}

/// What is asked of a text.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Like(Pattern),
    /// Where it stands among texts in order: by twice the number of those before it, and one more if it is one of them.
    Place {
        among: Vec<Arc<str>>,
        truths: Vec<bool>,
    },
    Length {
        of_bytes: bool,
    },
    /// The code of a short text.
    Code,
}

/// A value for each row.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) data: Arc<Buffer>,
    /// What codes are of.
    pub(crate) dictionary: Option<Arc<Dictionary>>,
}

/// A column's text, as kernels are given it.
struct Run<'d> {
    device: &'d Device,
    column: &'d DeviceColumn,
    offsets: &'d Arc<Buffer>,
    wide: bool,
    part: Part,
    /// Those of which something is asked; the first is a multiple of 64.
    rows: Range<usize>,
}

/// What is asked of some rows of a column of text, or of a part of it; of others anything is said.
pub(crate) fn answers(
    device: &Device,
    column: &DeviceColumn,
    (part, rows): (Part, Range<usize>),
    asked: &Asked,
) -> Done<Answers> {
    let Form::Text { offsets, wide, .. } = &column.form else { return decline("bug: text without bytes") };
    let rows = match asked {
        // All codes are found by the same numbers.
        Asked::Code => 0..column.rows,
        _ => rows.start / ROWS_STEP * ROWS_STEP..rows.end.min(column.rows),
    };
    let run = Run { device, column, offsets, wide: *wide, part, rows };
    let driver = &device.driver;
    let memory = |bytes: &[u8]| Buffer::of(driver, bytes).map(Argument::Memory);
    match asked {
        Asked::Like(pattern) => {
            let (items, segments, count) = pattern.encoded();
            let to = run.answers_of(1)?;
            let window = pattern.window();
            let (key, shifts) = window.as_ref().map(Window::encoded).unwrap_or_default();
            let numbers = [count, window.is_some().into(), key, shifts].map(Argument::U32);
            let mut arguments = vec![memory(&items)?, memory(&segments)?];
            arguments.extend(numbers);
            arguments.push(run.to(&to, 1));
            run.launch_like(&arguments)?;
            Ok(Answers { data: to, dictionary: None })
        }
        Asked::Place { among, truths } => {
            let mut starts = vec![0u32];
            among.iter().for_each(|text| starts.push(starts.last().copied().unwrap_or(0) + text.len() as u32));
            let truths: Vec<u8> = truths.iter().map(|&truth| truth.into()).collect();
            let to = run.answers_of(1)?;
            let arguments = [
                memory(among.concat().as_bytes())?,
                memory(&bytes_of(&starts, u32::to_le_bytes))?,
                Argument::U32(among.len() as u32),
                memory(&truths)?,
                run.to(&to, 1),
            ];
            run.launch((PLACE, "place"), &arguments)?;
            Ok(Answers { data: to, dictionary: None })
        }
        Asked::Length { of_bytes } => {
            let to = run.answers_of(4)?;
            run.launch((MEASURE, "measure"), &[Argument::U32((*of_bytes).into()), run.to(&to, 4)])?;
            Ok(Answers { data: to, dictionary: None })
        }
        Asked::Code => run.codes(),
    }
}

/// The dictionary of short texts in slots, and the code of each slot.
fn dictionary_of(slots: &[u64]) -> Done<(Dictionary, Vec<u16>)> {
    let mut texts: Vec<(Vec<u8>, usize)> = Vec::new();
    for (at, &slot) in slots.iter().enumerate().filter(|(_, slot)| **slot != 0) {
        let word = slot - 1;
        texts.push((word.to_le_bytes()[..(word >> 56) as usize].to_vec(), at));
    }
    texts.sort_unstable();
    let mut codes = vec![0; slots.len()];
    texts.iter().zip(0..).for_each(|((_, at), code)| codes[*at] = code);
    let strings = texts.iter().map(|(text, _)| std::str::from_utf8(text)).collect::<Result<Vec<&str>, _>>();
    match strings {
        Ok(strings) => Ok((Dictionary::new(strings), codes)),
        Err(_) => decline("bug: a text that is none"),
    }
}

impl Run<'_> {
    fn module(&self, kernels: &str) -> Done<Arc<dyn Module>> {
        let of = if self.wide { Type::U64 } else { Type::U32 };
        self.device.cache.module(&*self.device.driver, &format!("typedef {} offset_t;\n{TEXT}\n{kernels}", of.name()))
    }

    /// The code of each row's text, which is short.
    fn codes(&self) -> Done<Answers> {
        let (device, driver, rows) = (self.device, &self.device.driver, self.column.rows);
        let memory = |bytes: &[u8]| Buffer::of(driver, bytes).map(Argument::Memory);
        let slots = Buffer::zeroed(driver, 8 << SLOT_BITS)?;
        let flags = Buffer::zeroed(driver, 4)?;
        let words = Buffer::new(driver, rows * 8)?;
        let held = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
        self.launch((PACK, "pack"), &[held(&slots), Argument::U32(SLOT_BITS), held(&flags), held(&words)])?;
        match flags.values::<u32>(1)?[0] {
            0 => {}
            flags if flags & 1 != 0 => return decline("parts of text of more than 7 bytes"),
            _ => return decline("parts of text of many strings"),
        }
        let (dictionary, codes) = dictionary_of(&slots.values(1 << SLOT_BITS)?)?;
        let to = self.answers_of(2)?;
        let codes = memory(&bytes_of(&codes, u16::to_le_bytes))?;
        let arguments =
            [held(&words), Argument::U32(rows as u32), held(&slots), Argument::U32(SLOT_BITS), codes, held(&to)];
        if rows > 0 {
            let threads = driver.limits().threads as usize;
            let module = self.module(PACK)?;
            driver.launch(&*module, "code", device.shape(rows.div_ceil(threads), 0), &arguments)?;
        }
        Ok(Answers { data: to, dictionary: Some(Arc::new(dictionary)) })
    }

    /// Memory for a value of each row; of no rows something to be read.
    fn answers_of(&self, bytes: usize) -> Done<Arc<Buffer>> {
        match self.column.rows {
            0 => Buffer::zeroed(&self.device.driver, bytes),
            rows => Buffer::new(&self.device.driver, rows * bytes),
        }
    }

    /// Where the value of the first row goes, of values of so many bytes.
    fn to(&self, all: &Arc<Buffer>, size: usize) -> Argument {
        Argument::Memory(all.part(self.rows.start * size, self.rows.len() * size))
    }

    /// What all kernels begin with: bytes, where rows begin, and how many rows there are.
    fn given(&self) -> Vec<Argument> {
        let width = if self.wide { 8 } else { 4 };
        let offsets = self.offsets.part(self.rows.start * width, (self.rows.len() + 1) * width);
        vec![
            Argument::Memory(Arc::clone(&self.column.data)),
            Argument::Memory(offsets),
            Argument::U32(self.rows.len() as u32),
        ]
    }

    /// Bytes of a row, about: as if there were one more of each, since lengths differ.
    fn each(&self) -> usize {
        self.column.data.bytes / self.column.rows.max(1) + 1
    }

    /// Runs the kernel of patterns, whose blocks have no copy of their rows' bytes.
    fn launch_like(&self, arguments: &[Argument]) -> Done<()> {
        let (rows, limits, each) = (self.rows.len(), self.device.driver.limits(), self.each());
        if rows == 0 {
            return Ok(());
        }
        let batch = (LIKE_BYTES / each).clamp(1, LIKE_ROWS);
        let blocks = rows.div_ceil(batch).min(limits.multiprocessors as usize * LIKE_BLOCKS) as u32;
        let mut all = self.given();
        all.extend([batch as u32, self.part.skip, self.part.take].map(Argument::U32));
        all.extend_from_slice(arguments);
        // Where rows begin, what is true of them, places, and how many these are.
        let shared = (3 * batch + 2) * 4;
        let shape = Shape { blocks, threads: limits.threads.min(THREADS_MAX), shared };
        self.device.driver.launch(&*self.module(LIKE)?, "like", shape, &all)
    }

    /// Runs a kernel over all rows.
    fn launch(&self, (source, kernel): (&str, &str), arguments: &[Argument]) -> Done<()> {
        let (rows, limits, each) = (self.rows.len(), self.device.driver.limits(), self.each());
        if rows == 0 {
            return Ok(());
        }
        let own = limits.threads.min(THREADS_MAX);
        let threads = own as usize;
        let most = (limits.shared / BLOCKS_EACH).saturating_sub(BESIDE) & !15;
        let room = (threads * each * 5 / 4).next_multiple_of(1024).min(most);
        let batch = if threads * each <= room { threads } else { (room * 7 / 8 / each).max(1) };
        let blocks = rows.div_ceil(batch).min(limits.multiprocessors as usize * BLOCKS_EACH) as u32;
        let mut all = self.given();
        all.extend([batch as u32, room as u32, self.part.skip, self.part.take].map(Argument::U32));
        all.extend_from_slice(arguments);
        let shape = Shape { blocks, threads: own, shared: room + BESIDE };
        self.device.driver.launch(&*self.module(source)?, kernel, shape, &all)
    }
}
