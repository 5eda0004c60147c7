//! Groups that stay on the device: lookups and loops over groups read the table by code.

use super::Table;
use super::cell::{Cell, CellKind};
use super::finished::Finish;
use super::host::Finder;
use super::partial::partial_of_table;
use super::record::InTable;
use super::slots::Slots;
use crate::Result;
use crate::backend::{Given, Held};
use crate::column::Dictionary;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::device::Device;
use crate::gpu::driver::{Buffer, Copier};
use crate::gpu::lower::Lowering;
use crate::gpu::lower::scalars::Scalar;
use crate::gpu::stop::{Done, Stop, decline};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::workers::context::Context;
use crate::{Error, ErrorKind};
use multiloop_planner::value::Value;
use std::any::Any;
use std::sync::Arc;

/// Groups by code.
#[derive(Debug)]
pub(crate) struct HeldGroups {
    pub(crate) layout: KeyLayout,
    pub(crate) table: Table,
    /// For each field what a lookup gives that finds nothing.
    pub(crate) empty: Vec<Value>,
    pub(crate) finder: Finder,
    /// What finishes them, if they are not to be merged.
    pub(crate) finish: Option<Finish>,
}

/// Keys alone, a bit for each code.
#[derive(Debug)]
pub(crate) struct HeldSet {
    pub(crate) layout: KeyLayout,
    pub(crate) bits: Arc<Buffer>,
}

/// What is held, as the seam has it.
#[derive(Debug)]
pub(crate) struct Kept<T>(pub(crate) Arc<T>);

/// What stops a device when results are wanted.
pub(crate) fn lost(stop: Stop) -> Error {
    match stop {
        Stop::Failed(error) => error,
        Stop::Declined(why) => Error::new(ErrorKind::Io, format!("the device has lost a result: {why}")),
    }
}

impl HeldGroups {
    /// The groups, if that is what is held.
    pub(crate) fn of(held: &Arc<dyn Held>) -> Option<Arc<Self>> {
        held.as_any().downcast_ref::<Kept<HeldGroups>>().map(|kept| Arc::clone(&kept.0))
    }
}

impl HeldGroups {
    /// The same on another device.
    pub(crate) fn copied(&self, device: &Device, to: &Copier<'_>) -> Done<Self> {
        let slots = self.table.slots.as_ref().map(|slots| slots.copied(to)).transpose()?;
        self.with(device, (slots, to.buffer(&self.table.memory)?))
    }

    /// Groups like these, of a table that lies elsewhere.
    pub(crate) fn with(&self, device: &Device, (slots, memory): (Option<Slots>, Arc<Buffer>)) -> Done<Self> {
        let Table { groups, cells, record, .. } = &self.table;
        let table = Table { groups: *groups, slots, cells: cells.clone(), record: record.clone(), memory };
        let finder = Finder::new(&table, device)?;
        Ok(HeldGroups {
            layout: self.layout.clone(),
            table,
            empty: self.empty.clone(),
            finder,
            finish: self.finish.clone(),
        })
    }
}

impl HeldSet {
    /// The set, if that is what is held.
    pub(crate) fn of(held: &Arc<dyn Held>) -> Option<Arc<Self>> {
        held.as_any().downcast_ref::<Kept<HeldSet>>().map(|kept| Arc::clone(&kept.0))
    }

    fn words(&self) -> Done<Vec<u64>> {
        self.bits.values(self.layout.codes().unwrap_or_default() as usize / 64 + 1)
    }
}

/// The range of keys of one integer each.
pub(in crate::gpu) fn key_range(layout: &KeyLayout) -> Option<(i128, i128)> {
    match &layout.parts[..] {
        [part] => match &part.domain {
            PartDomain::Integer(grid) => Some((grid.low, grid.high)),
            _ => None,
        },
        _ => None,
    }
}

/// The dictionary of a key's part.
fn key_dictionary(layout: &KeyLayout, field: u32) -> Option<Arc<Dictionary>> {
    match &layout.parts.get(field as usize)?.domain {
        PartDomain::Code(dictionary) => Some(Arc::clone(dictionary)),
        _ => None,
    }
}

impl Held for Kept<HeldGroups> {
    fn rows(&self) -> Result<usize> {
        self.0.finder.count(&self.0.table).map_err(lost)
    }

    fn key_range(&self) -> Option<(i128, i128)> {
        key_range(&self.0.layout)
    }

    fn dictionary(&self, field: u32) -> Option<Arc<Dictionary>> {
        let parts = self.0.layout.parts.len() as u32;
        match field.checked_sub(parts) {
            None => key_dictionary(&self.0.layout, field),
            Some(cell) => self.0.table.cells.get(cell as usize)?.dictionary.clone(),
        }
    }

    fn fetch(&self, _: &Context) -> Result<Given> {
        let layout = Some(&self.0.layout);
        let given = match &self.0.finish {
            Some(finish) => finish.groups(layout, &self.0.table, &self.0.finder),
            None => partial_of_table(layout, &self.0.table, &self.0.finder).map(|groups| Given::Partial(vec![groups])),
        };
        given.map_err(lost)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Held for Kept<HeldSet> {
    fn rows(&self) -> Result<usize> {
        Ok(self.0.words().map_err(lost)?.iter().map(|word| word.count_ones() as usize).sum())
    }

    fn key_range(&self) -> Option<(i128, i128)> {
        key_range(&self.0.layout)
    }

    fn dictionary(&self, field: u32) -> Option<Arc<Dictionary>> {
        key_dictionary(&self.0.layout, field)
    }

    fn fetch(&self, _: &Context) -> Result<Given> {
        let words = self.0.words().map_err(lost)?;
        Ok(Given::Partial(vec![super::partial::partial_of_bits(&self.0.layout, words)]))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn number(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

impl Lowering<'_> {
    /// Whether a code is a group's.
    pub(crate) fn is_group(&mut self, groups: &HeldGroups, code: Expression) -> Expression {
        let record = self.record_of(groups, &code);
        record.has_rows(&groups.table.record.seen)
    }

    /// The record of a code.
    fn record_of(&mut self, groups: &HeldGroups, code: &Expression) -> InTable {
        let views = self.views(&groups.table.memory);
        self.record(&groups.table.record, views, code)
    }

    /// A field of the group of a code: its key's parts come first.
    pub(crate) fn group_field(&mut self, groups: &HeldGroups, field: u32, code: Expression, of: Type) -> Done<Scalar> {
        let parts = groups.layout.parts.len() as u32;
        match field.checked_sub(parts) {
            None => {
                let code = match &groups.table.slots {
                    Some(slots) => self.code_of_slot(slots, code),
                    None => code,
                };
                self.key_part(&groups.layout, field as usize, code, of)
            }
            Some(cell) => self.cell(groups, cell as usize, code, of),
        }
    }

    /// The part of a key that a code has.
    pub(crate) fn key_part(&mut self, layout: &KeyLayout, part: usize, code: Expression, of: Type) -> Done<Scalar> {
        let (at, end) = (&layout.parts[part], layout.end(part));
        let code = code.cast(Type::U64);
        let mut own = match at.shift {
            0 => code,
            shift => Expression::binary(Binary::ShiftRight, code, number(shift)),
        };
        if let Some(end) = end {
            let mask = Expression::number((1i128 << (end - at.shift)) - 1, Type::U64);
            own = Expression::binary(Binary::BitAnd, own, mask);
        }
        let own = self.hold(own);
        let null = Expression::binary(Binary::Equal, own.clone(), Expression::number(0, Type::U64));
        let far = Expression::binary(Binary::Subtract, own, Expression::number(1, Type::U64));
        match &at.domain {
            PartDomain::Code(dictionary) if of == Type::U32 => {
                // What reads by code does so of NULL, too.
                let value = Expression::select(null.clone(), number(0), far.cast(of));
                Ok(Scalar { dictionary: Some(Arc::clone(dictionary)), ..Scalar::new(value, null) })
            }
            PartDomain::Integer(grid) if of == Type::Bool => {
                let one = Expression::number(1 - grid.low, Type::U64);
                Ok(Scalar::new(Expression::binary(Binary::Equal, far, one), null))
            }
            PartDomain::Integer(grid) if matches!(of, Type::I32 | Type::I64 | Type::I128) => {
                let (low, step) = (self.integer(grid.low, of), self.integer(grid.step.into(), of));
                let far = Expression::binary(Binary::Multiply, far.cast(of), step);
                Ok(Scalar::new(Expression::binary(Binary::Add, low, far), null))
            }
            _ => decline("a key in another form than its type"),
        }
    }

    fn cell(&mut self, groups: &HeldGroups, at: usize, code: Expression, of: Type) -> Done<Scalar> {
        let Some(cell) = groups.table.cells.get(at) else { return decline("bug: an aggregate that is not there") };
        let Cell { kind, narrow, flag, dictionary, carried, .. } = cell;
        let record = self.record_of(groups, &code);
        let has = |flag: u32| match groups.table.record.flags {
            Some(at) => {
                let own = Expression::binary(Binary::BitAnd, record.word(at), number(flag));
                Expression::binary(Binary::NotEqual, own, number(0))
            }
            None => Expression::truth(true),
        };
        let null = match flag {
            Some(flag) if *kind != CellKind::Count => has(*flag).not(),
            _ if cell.is_null_at_zero => {
                let at = groups.table.record.cells[at];
                let word = if *narrow { record.word(at) } else { record.pair(at) };
                let zero = Expression::number(0, word.data_type());
                Expression::binary(Binary::Equal, word, zero)
            }
            _ => Expression::truth(false),
        };
        if let (CellKind::Logic { decisive }, Some(flag)) = (kind, flag) {
            let (decided, unknown) = (has(*flag), has(*flag << 1));
            let decided = self.hold(decided);
            let value = if *decisive { decided.clone() } else { decided.clone().not() };
            return Ok(Scalar::new(value, unknown.and(decided.not())));
        }
        let first = groups.table.record.cells[at];
        let value = match (kind, narrow) {
            (CellKind::Sum { wide: true, .. }, _) => {
                Expression::Call(Helper::Wide, vec![record.pair(first), record.pair(first + 2)])
            }
            (CellKind::Extreme { largest: true }, true) => Expression::Call(Helper::Risen32, vec![record.word(first)]),
            (CellKind::Extreme { largest: false }, true) => {
                Expression::Call(Helper::Fallen32, vec![record.word(first)])
            }
            (CellKind::Extreme { largest: true }, false) => Expression::Call(Helper::Risen, vec![record.pair(first)]),
            (CellKind::Extreme { largest: false }, false) => Expression::Call(Helper::Fallen, vec![record.pair(first)]),
            // Values may be negative; counts are none of these.
            (CellKind::Value, true) => record.word(first).cast(Type::I32).cast(Type::I64),
            (_, true) => record.word(first).cast(Type::I64),
            (_, false) => record.pair(first).cast(Type::I64),
        };
        let value = match of {
            Type::Bool => Expression::binary(Binary::NotEqual, value, Expression::number(0, Type::I64)),
            Type::F64 => match kind {
                CellKind::Extreme { .. } => Expression::Call(Helper::FloatOfOrder, vec![value]),
                CellKind::Sum { .. } if let Some(reach) = cell.reach => {
                    let place = self.integer(reach.place().into(), Type::I32);
                    Expression::Call(Helper::FloatOfUnits, vec![value.cast(Type::I128), place])
                }
                CellKind::Value => Expression::Call(Helper::FloatOfBits, vec![value.cast(Type::U64)]),
                _ => return decline("a float of a group"),
            },
            of => value.cast(of),
        };
        Ok(Scalar { dictionary: dictionary.clone(), carried: carried.clone(), ..Scalar::new(value, null) })
    }
}
