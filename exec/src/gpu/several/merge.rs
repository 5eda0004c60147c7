//! What cards have of one result, put together on one of them.
//!
//! Tables of one form are added, group by group; sets are tables, too, whose groups are words of bits. Rows are put one behind the other.
//! What is of several forms is not put together here, but by the host.

use crate::column::Dictionary;
use crate::gpu::code::types::Type;
use crate::gpu::columns::reach::Reach;
use crate::gpu::columns::{DeviceColumn, Form, Made, Valid};
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, bytes_of};
use crate::gpu::groups::cell::{Cell, CellKind};
use crate::gpu::groups::held::{HeldGroups, HeldSet};
use crate::gpu::groups::record::{Record, Seen};
use crate::gpu::lower::Level;
use crate::gpu::rows::HeldRows;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use std::sync::Arc;

/// The kernel.
pub(super) const MERGE: &str = include_str!("merge.cu");

/// What is done with a cell; numbers of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Kind {
    Add32 = 0,
    Add64 = 1,
    Add128 = 2,
    Most32 = 3,
    Most64 = 4,
    Or = 5,
    Value32 = 6,
    Value64 = 7,
}

/// What is done with some words of a group, and the word and the mask of the flag that tells whether it has them, if one does.
type Step = (Kind, u32, (u32, u32));

/// Whether two dictionaries have the same strings.
fn are_same(mine: &Arc<Dictionary>, theirs: &Arc<Dictionary>) -> bool {
    Arc::ptr_eq(mine, theirs) || mine == theirs
}

/// The same of what may have none.
fn are_same_if_any(mine: Option<&Arc<Dictionary>>, theirs: Option<&Arc<Dictionary>>) -> bool {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => are_same(mine, theirs),
        (None, None) => true,
        _ => false,
    }
}

/// Whether codes of two layouts mean the same.
pub(super) fn are_of_one_layout(mine: &KeyLayout, theirs: &KeyLayout) -> bool {
    let is_same = |(mine, theirs): (&PartDomain, &PartDomain)| match (mine, theirs) {
        (PartDomain::Integer(mine), PartDomain::Integer(theirs)) => {
            (mine.low, mine.high, mine.step) == (theirs.low, theirs.high, theirs.step)
        }
        (PartDomain::Code(mine), PartDomain::Code(theirs)) => are_same(mine, theirs),
        _ => false,
    };
    mine.width == theirs.width
        && mine.parts.len() == theirs.parts.len()
        && mine
            .parts
            .iter()
            .zip(&theirs.parts)
            .all(|(mine, theirs)| mine.shift == theirs.shift && is_same((&mine.domain, &theirs.domain)))
}

/// Whether the processors can put two cells together: they are of one kind. What sums of floats count, and how far they reach, may differ.
fn are_alike(mine: &Cell, theirs: &Cell) -> bool {
    let is_kind = match (mine.kind, theirs.kind) {
        (CellKind::Sum { .. }, CellKind::Sum { .. }) => mine.reach.is_some() == theirs.reach.is_some(),
        (mine, theirs) => mine == theirs,
    };
    is_kind && mine.data_type == theirs.data_type && mine.argument == theirs.argument
}

/// Whether groups of two tables can be put together by the processors, if their layouts can.
pub(super) fn may_be_merged(mine: &HeldGroups, theirs: &HeldGroups) -> bool {
    let (own, other) = (&mine.table, &theirs.table);
    mine.finish.is_none()
        && theirs.finish.is_none()
        && own.slots.is_none() == other.slots.is_none()
        // Those of hashed groups are not changed.
        && (own.slots.is_none() || are_of_one_layout(&mine.layout, &theirs.layout))
        && own.cells.len() == other.cells.len()
        && own.cells.iter().zip(&other.cells).all(|(mine, theirs)| are_alike(mine, theirs))
}

/// Whether two cells are the same words.
fn are_same_words(mine: &Cell, theirs: &Cell) -> bool {
    let carried = match (&mine.carried, &theirs.carried) {
        (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
        (None, None) => true,
        _ => false,
    };
    are_alike(mine, theirs)
        && mine.kind == theirs.kind
        && carried
        // Of sums of floats what one counts.
        && mine.reach.map(Reach::place) == theirs.reach.map(Reach::place)
        && (mine.narrow, mine.flag, mine.is_null_at_zero) == (theirs.narrow, theirs.flag, theirs.is_null_at_zero)
        && are_same_if_any(mine.dictionary.as_ref(), theirs.dictionary.as_ref())
}

/// Whether two records are the same words.
fn are_same_records(mine: &Record, theirs: &Record) -> bool {
    (mine.words, mine.flags, &mine.cells) == (theirs.words, theirs.flags, &theirs.cells)
        && (mine.seen.words, mine.seen.mask) == (theirs.seen.words, theirs.seen.mask)
}

/// What is done with the cells of a table; None if that is not known of one.
fn steps(cells: &[Cell], record: &Record) -> Option<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for (cell, &at) in cells.iter().zip(&record.cells) {
        let is_narrow = cell.narrow;
        let own = record.flags.zip(cell.flag).unwrap_or((0, 0));
        let kind = if cell.kind == CellKind::Count {
            if is_narrow { Kind::Add32 } else { Kind::Add64 }
        } else if let CellKind::Sum { wide, .. } = cell.kind {
            if wide { Kind::Add128 } else { Kind::Add64 }
        } else if matches!(cell.kind, CellKind::Extreme { .. }) {
            if is_narrow { Kind::Most32 } else { Kind::Most64 }
        } else if cell.kind == CellKind::Value {
            if is_narrow { Kind::Value32 } else { Kind::Value64 }
        } else if matches!(cell.kind, CellKind::Logic { .. }) {
            // Flags alone.
            continue;
        } else {
            return None;
        };
        if cell.words() > 2 || (is_narrow && matches!(kind, Kind::Add128)) {
            return None;
        }
        steps.push((kind, at, own));
    }
    steps.extend(record.flags.map(|at| (Kind::Or, at, (0, 0))));
    Some(steps)
}

/// How a table's words are put together.
struct Merging {
    words: u32,
    groups: u64,
    seen: Seen,
    steps: Vec<Step>,
}

impl Merging {
    /// The sum of some memory, on a device.
    fn run(&self, device: &Device, parts: &[&Arc<Buffer>]) -> Done<Arc<Buffer>> {
        let driver = &device.driver;
        let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
        let bytes = self.groups as usize * self.words as usize * 4;
        let all = Buffer::zeroed(driver, bytes)?;
        let steps: Vec<u32> =
            self.steps.iter().flat_map(|&(kind, at, (word, mask))| [kind as u32, at, word, mask]).collect();
        let list = Buffer::of(driver, &bytes_of(&steps, u32::to_le_bytes))?;
        let module = device.cache.module(&**driver, MERGE)?;
        let shape = device.shape((self.groups as usize).div_ceil(driver.limits().threads as usize), 0);
        for part in parts {
            let here = if Arc::ptr_eq(part.driver(), driver) { Arc::clone(part) } else { part.copied(driver)? };
            let mut arguments =
                vec![memory(&all), memory(&here), Argument::U32(self.words), Argument::U64(self.groups)];
            arguments.extend([self.seen.words[0], self.seen.words[1], self.seen.mask].map(Argument::U32));
            arguments.extend([memory(&list), Argument::U32(self.steps.len() as u32)]);
            driver.launch(&*module, "merge_groups", shape, &arguments)?;
        }
        Ok(all)
    }
}

/// The groups of some tables on a device; None if they are of several forms.
pub(super) fn groups(device: &Device, parts: &[Arc<HeldGroups>]) -> Done<Option<HeldGroups>> {
    let Some(first) = parts.first() else { return decline("bug: no parts") };
    let is_same = |part: &Arc<HeldGroups>| {
        let (mine, theirs) = (&first.table, &part.table);
        theirs.slots.is_none()
            && mine.groups == theirs.groups
            && are_of_one_layout(&first.layout, &part.layout)
            && may_be_merged(first, part)
            && mine.cells.iter().zip(&theirs.cells).all(|(mine, theirs)| are_same_words(mine, theirs))
            && are_same_records(&mine.record, &theirs.record)
    };
    let record = &first.table.record;
    let Some(steps) = steps(&first.table.cells, record).filter(|_| parts.iter().all(is_same)) else { return Ok(None) };
    let merging = Merging { words: record.words, groups: first.table.groups, seen: record.seen, steps };
    let memory = merging.run(device, &parts.iter().map(|part| &part.table.memory).collect::<Vec<_>>())?;
    first.with(device, (None, memory)).map(Some)
}

/// The keys of some sets on a device; None if they are of several layouts.
pub(super) fn set(device: &Device, parts: &[Arc<HeldSet>]) -> Done<Option<HeldSet>> {
    let Some(first) = parts.first() else { return decline("bug: no parts") };
    let seen = Seen { words: [0, 0], mask: u32::MAX };
    let words = (first.bits.bytes / 4) as u64;
    let is_same =
        |part: &Arc<HeldSet>| part.bits.bytes == first.bits.bytes && are_of_one_layout(&first.layout, &part.layout);
    if !parts.iter().all(is_same) {
        return Ok(None);
    }
    let merging = Merging { words: 1, groups: words, seen, steps: vec![(Kind::Or, 0, (0, 0))] };
    let bits = merging.run(device, &parts.iter().map(|part| &part.bits).collect::<Vec<_>>())?;
    Ok(Some(HeldSet { layout: first.layout.clone(), bits }))
}

/// The rows of some collections on a device, one behind the other; None if they are of several forms.
pub(super) fn rows(device: &Device, parts: &[Arc<HeldRows>]) -> Done<Option<HeldRows>> {
    let Some(first) = parts.first() else { return decline("bug: no parts") };
    let total = parts.iter().map(|part| part.level.rows).sum();
    let mut columns = Vec::new();
    for field in 0..first.level.columns.len() {
        let own = parts
            .iter()
            .map(|part| part.level.columns.get(field).cloned().unwrap_or_else(|| decline("bug: no column")));
        match own.collect::<Done<Vec<Arc<DeviceColumn>>>>() {
            Err(stop) => columns.push(Err(stop)),
            Ok(own) => match column(device, &own, total)? {
                Some(column) => columns.push(Ok(Arc::new(column))),
                None => return Ok(None),
            },
        }
    }
    let level = Level { rows: total, columns, groups: None };
    Ok(Some(HeldRows { level: Arc::new(level), types: first.types.clone() }))
}

/// Whether elements of two columns are of one form, each in bytes of its own.
fn are_one_form(mine: &DeviceColumn, theirs: &DeviceColumn) -> bool {
    let form = match (&mine.form, &theirs.form) {
        (Form::Integers { base, step }, Form::Integers { base: other_base, step: other_step }) => {
            (base, step) == (other_base, other_step)
        }
        (Form::Floats, Form::Floats) | (Form::Bytes, Form::Bytes) => true,
        (Form::Codes(mine), Form::Codes(theirs)) => are_same(mine, theirs),
        (Form::Carried(mine), Form::Carried(theirs)) => Arc::ptr_eq(mine, theirs),
        _ => false,
    };
    let has_bytes = |column: &DeviceColumn| match (&column.valid, &column.form) {
        (Valid::Bits(_), _) => false,
        // Each row has its own number.
        (_, Form::Carried(_)) => column.element == Type::U32,
        _ => true,
    };
    form && mine.element == theirs.element && has_bytes(mine) && has_bytes(theirs)
}

fn column(device: &Device, parts: &[Arc<DeviceColumn>], total: usize) -> Done<Option<DeviceColumn>> {
    let Some(first) = parts.first() else { return decline("bug: no parts") };
    if !parts.iter().all(|part| are_one_form(first, part)) {
        return Ok(None);
    }
    let (driver, size) = (&device.driver, first.element.bytes());
    let data = Buffer::new(driver, total * size)?;
    let has_nulls = parts.iter().any(|part| matches!(part.valid, Valid::Bytes(_)));
    let valid = if has_nulls { Some(Buffer::new(driver, total)?) } else { None };
    let mut at = 0;
    for part in parts {
        data.take(at * size, &part.data, part.rows * size)?;
        match (&valid, &part.valid) {
            (Some(valid), Valid::Bytes(own)) => valid.take(at, own, part.rows)?,
            (Some(valid), _) => valid.take_bytes(at, &vec![1; part.rows])?,
            (None, _) => {}
        }
        at += part.rows;
    }
    let (element, form) = (first.element, first.form.clone());
    let reaches: Option<Vec<Reach>> = parts.iter().map(|part| part.reach).collect();
    let reach = reaches.and_then(|reaches| reaches.into_iter().reduce(Reach::and));
    let valid = valid.map_or(Valid::All, Valid::Bytes);
    Ok(Some(DeviceColumn { rows: total, element, form, data, valid, reach, made: Made::default() }))
}
