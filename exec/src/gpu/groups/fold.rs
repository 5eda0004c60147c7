//! Folds the tuples of a loop into groups.

use super::cell::{Cell, CellKind};
use super::first::{First, Run};
use super::record::{InTable, Record, Views};
use super::slots::{Slots, are_far};
use super::{CODES_MAX, SEEN, Table};
use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::columns::reach::Reach;
use crate::gpu::driver::Buffer;
use crate::gpu::lower::Lowering;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::lower::scalars::Scalar;
use crate::gpu::rows::marks::count_tuples;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::KeyLayout;
use crate::plan::register::Register;
use crate::plan::tree::ReducePlan;
use multiloop_planner::multiloop::{Reduction, ScalarId};
use std::sync::Arc;

/// Tuples up to which a hash table is made for all that may come.
const UNCOUNTED_MAX: u64 = if cfg!(test) { 16 } else { 1 << 22 };

/// Codes from which on it is worth a pass over the rows to know whether few of them have groups: an array over all of them is cleared,
/// and whoever goes over the groups reads it.
const LARGE: u64 = if cfg!(test) { 64 } else { 1 << 27 };

/// What is made.
#[derive(Debug)]
pub(crate) enum Groups {
    /// By code; no layout without a key.
    Table { layout: Option<KeyLayout>, table: Table },
    /// A bit for each code.
    Bits { layout: KeyLayout, bits: Arc<Buffer> },
}

/// How groups are found.
#[derive(Clone, Debug)]
pub(crate) struct KeysOf {
    layout: KeyLayout,
    pub(super) hashes: bool,
}

/// The group of a tuple.
struct Key {
    layout: Option<KeyLayout>,
    /// Its code or slot.
    group: Expression,
    /// How many codes or slots.
    groups: u64,
    slots: Option<Slots>,
}

/// A reduction that is being lowered.
pub(crate) struct Fold<'p> {
    pub(crate) plan: &'p ReducePlan,
    pub(super) made: Option<Groups>,
    pub(super) first: First,
    /// What is known of the floats that are summed, by aggregate.
    reaches: Vec<Option<Reach>>,
    /// Parameters: codes or entries, copies of these in a block's memory, and words of a plane of it.
    pub(super) sizes: Option<[Expression; 3]>,
    /// The table's memory.
    pub(super) views: Option<Views>,
    /// What a thread has folded and put nowhere yet: flags, and what it has of each cell.
    pub(super) own_flags: Option<Variable>,
    pub(super) own: Vec<Option<Variable>>,
    /// Where there are several groups the one that it is of, and what is known of its run.
    pub(super) pending: Option<Variable>,
    pub(super) run: Option<Run>,
    /// What tuples must pass that come.
    pub(super) conditions: &'p [ScalarId],
    /// How many tuples may come, and whether they have been counted.
    pub(super) most: u64,
    is_counted: bool,
    /// Whether nobody needs groups in the order of their codes.
    may_be_hashed: bool,
    /// What the groups are to be merged with has such keys.
    pub(super) like: Option<KeysOf>,
    /// Bytes that a block shares.
    pub(crate) shared_bytes: usize,
    /// The first word of it that is free.
    pub(super) base: u32,
}

/// Where a tuple is added.
#[derive(Clone, Copy)]
pub(super) enum To<'e> {
    /// To what the thread has.
    Own,
    /// To a cell of a block's planes.
    Block(&'e Expression),
    /// To a record.
    Table(&'e InTable),
}

pub(super) fn word(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

pub(super) fn add(a: Expression, b: Expression) -> Expression {
    Expression::binary(Binary::Add, a, b)
}

/// A float as an integer that counts the lowest bit of all; less than a bound.
fn in_units(to: &mut Lowering<'_>, value: Expression, reach: Reach, bound: u128) -> Expression {
    if reach.has_odd {
        to.fail_when(Expression::Call(Helper::IsOdd, vec![value.clone()]));
    }
    let place = to.integer(reach.place().into(), Type::I32);
    let helper = if bound >> 63 == 0 { Helper::FloatUnits } else { Helper::FloatUnitsWide };
    to.hold(Expression::Call(helper, vec![value, place]))
}

/// Words of 32 bits that a group takes of a block's memory.
pub(super) fn planes(cells: &[Cell], record: &Record) -> usize {
    usize::from(record.flags.is_some()) + cells.iter().map(Cell::shared_words).sum::<usize>()
}

/// The rows that are folded into tables of one form, by this loop and by those that go over other parts of the rows.
fn rows_in_all(of: &Lowering<'_>, pieces: &Pieces) -> u64 {
    of.inputs.rows_in_all().unwrap_or(pieces.rows)
}

impl<'p> Fold<'p> {
    /// A reduction without tuples, of those that pass some conditions.
    pub(crate) fn new(
        (plan, conditions): (&'p ReducePlan, &'p [ScalarId]),
        may_be_hashed: bool,
        reaches: Vec<Option<Reach>>,
    ) -> Self {
        Fold {
            plan,
            reaches,
            conditions,
            is_counted: false,
            may_be_hashed,
            like: None,
            made: None,
            first: First::Table,
            sizes: None,
            views: None,
            own_flags: None,
            own: Vec::new(),
            pending: None,
            run: None,
            most: 0,
            shared_bytes: 0,
            base: 0,
        }
    }

    /// Has keys as other groups have them.
    pub(crate) fn like(mut self, others: Option<KeysOf>) -> Self {
        self.like = others;
        self
    }

    /// What is to be known of its keys to make groups that can be merged with its own.
    pub(crate) fn keys(&self) -> Option<KeysOf> {
        match self.made.as_ref()? {
            Groups::Table { layout, table } => Some(KeysOf { layout: layout.clone()?, hashes: table.slots.is_some() }),
            Groups::Bits { layout, .. } => Some(KeysOf { layout: layout.clone(), hashes: false }),
        }
    }

    /// Folds the tuple at hand.
    pub(crate) fn tuple(&mut self, to: &mut Lowering<'_>, pieces: &Pieces, taken: usize) -> Done<()> {
        self.most = rows_in_all(to, pieces).saturating_mul(to.tuples_each);
        let Key { layout, group, groups, slots } = self.key(to, pieces)?;
        if self.plan.aggregates.is_empty()
            && slots.is_none()
            && let Some(layout) = layout
        {
            let bits = Buffer::zeroed(&to.device.driver, (groups as usize / 64 + 1) * 8)?;
            let words = to.memory(Type::U32, &bits);
            to.call(Helper::SetBit, vec![words.address(word(0)), group.cast(Type::U64)]);
            self.made = Some(Groups::Bits { layout, bits });
            return Ok(());
        }
        let (mut cells, tells) = self.cells(to, pieces)?;
        if self.plan.aggregates.iter().any(|aggregate| aggregate.kind.distinct) {
            self.count(to, pieces)?;
        }
        let record = Record::new(&cells, tells);
        self.choose(to, pieces, (groups, &mut cells, &record), taken);
        let table = Table::new(&to.device.driver, (groups, slots), (cells, record))?;
        self.views = Some(to.views(&table.memory));
        self.made = Some(Groups::Table { layout, table });
        self.rows(to, &group)
    }

    /// The tuple's group: its code or slot, and how many there are.
    fn key(&mut self, to: &mut Lowering<'_>, pieces: &Pieces) -> Done<Key> {
        if self.plan.key.is_none() {
            return Ok(Key { layout: None, group: word(0), groups: 1, slots: None });
        }
        let (mut layout, parts) = self.layout(to)?;
        // Keys alone are bits.
        let is_large = !self.plan.aggregates.is_empty() && layout.codes().is_some_and(|codes| codes >= LARGE);
        if is_large && self.may_be_hashed && to.is_selective(self.conditions) {
            self.count(to, pieces)?;
        }
        let most = self.most;
        let is_far = |layout: &KeyLayout| layout.codes().is_none_or(|codes| are_far(codes, most, CODES_MAX));
        let hashes = self.like.as_ref().map_or_else(|| is_far(&layout), |like| like.hashes);
        if hashes {
            layout = layout.hashed();
        }
        // The last code of a word has no slot.
        let Some(codes) = layout.codes() else { return decline("keys of all 64 bits") };
        if hashes {
            let code = to.code(&layout, &parts, true)?.code;
            self.count(to, pieces)?;
            let slots = Slots::new(&to.device.driver, codes.min(self.most))?;
            let group = to.fill_slot(&slots, code);
            return Ok(Key { layout: Some(layout), group, groups: slots.count(), slots: Some(slots) });
        }
        let group = self.code(to, &layout, &parts)?;
        Ok(Key { layout: Some(layout), group, groups: codes, slots: None })
    }

    /// How keys become codes, and the parts of that of the tuple at hand.
    pub(super) fn layout(&self, to: &mut Lowering<'_>) -> Done<(KeyLayout, Vec<(Scalar, bool)>)> {
        let parts = self.plan.parts().iter().map(|&part| to.root(part)).collect::<Done<Vec<Scalar>>>()?;
        let planned = self.like.as_ref().map_or(&self.plan.layout, |like| &like.layout);
        let layout = to.layout_of(planned, &parts)?;
        Ok((layout, parts.into_iter().map(|part| (part, true)).collect()))
    }

    /// The code of a key that is a group's number.
    pub(super) fn code(&self, to: &mut Lowering<'_>, layout: &KeyLayout, parts: &[(Scalar, bool)]) -> Done<Expression> {
        let code = to.code(layout, parts, true)?.code;
        let expressions = &to.task.of.expressions;
        if !self.plan.parts().iter().any(|&part| expressions.may_fail(part)) {
            return Ok(code);
        }
        // What failed may be any number, and is written somewhere before anybody looks.
        let of = code.data_type();
        let limit = to.integer(layout.codes().unwrap_or(0).into(), of);
        let is_in = Expression::binary(Binary::Less, code.clone(), limit);
        Ok(to.hold(Expression::select(is_in, code, Expression::number(0, of))))
    }

    /// Sums tuples in a block's memory, and groups in a table whose memory is not known yet.
    pub(super) fn sum_in_block(
        &mut self,
        (cells, record): (&[Cell], &Record),
        (memory, views): (Arc<Buffer>, Views),
        sizes: [Expression; 3],
    ) {
        let table = Table { groups: 0, slots: None, cells: cells.to_vec(), record: record.clone(), memory };
        self.made = Some(Groups::Table { layout: None, table });
        (self.first, self.views, self.sizes) = (First::Block, Some(views), Some(sizes));
    }

    /// Counts the tuples that come, if there may be so many that a hash table for all of them would be large: to clear it, and to find
    /// one's way in it, takes longer than to count.
    fn count(&mut self, to: &Lowering<'_>, pieces: &Pieces) -> Done<()> {
        if !self.is_counted && self.most > UNCOUNTED_MAX {
            self.most = count_tuples(to, self.conditions, pieces)?.min(self.most);
            self.is_counted = true;
        }
        Ok(())
    }

    /// The cells of the aggregates, and which one is not zero once a tuple came, if one is known.
    pub(super) fn cells(&self, to: &mut Lowering<'_>, pieces: &Pieces) -> Done<(Vec<Cell>, Option<usize>)> {
        // Up to a power of two, so that a few rows more need no other code.
        let rounded = |of: u64| u128::from(of.max(1)).next_power_of_two();
        let Some(tuples) = rounded(rows_in_all(to, pieces)).checked_mul(rounded(to.tuples_each)) else {
            return decline("too many tuples");
        };
        let mut flag = SEEN << 1;
        let (mut cells, mut tells) = (Vec::new(), None);
        for (at, aggregate) in self.plan.aggregates.iter().enumerate() {
            let mut cell = Cell::of(aggregate, tuples, flag, self.reaches.get(at).copied().flatten())?;
            if flag >> 28 != 0 {
                return decline("too many aggregates");
            }
            flag <<= cell.flags();
            let is_told = self.plan.key.is_some() && cell.is_told(&aggregate.kind);
            let has_all = aggregate.condition.is_empty()
                && !matches!(cell.kind, CellKind::Logic { .. })
                && self.argument(to, at)?.null.known() == Some(false);
            if has_all && is_told {
                tells = tells.or(Some(at));
            }
            if has_all || is_told {
                cell.flag = None;
            }
            cell.is_null_at_zero = is_told && !has_all && cell.kind != CellKind::Count;
            cells.push(cell);
        }
        Ok((cells, tells))
    }

    /// The argument of an aggregate.
    pub(super) fn argument(&self, to: &mut Lowering<'_>, at: usize) -> Done<Scalar> {
        let aggregate = &self.plan.aggregates[at];
        match aggregate.argument {
            Some(argument) if aggregate.kind.reduction != Reduction::CountRows => to.root(argument),
            _ => Ok(Scalar::new(word(0), Expression::truth(false))),
        }
    }

    /// Adds the tuple to the group's cells.
    fn rows(&mut self, to: &mut Lowering<'_>, group: &Expression) -> Done<()> {
        match self.first {
            First::One => {
                self.make_own(to);
                self.fold(to, group, To::Own)
            }
            First::Runs => {
                self.make_own(to);
                self.change_group(to, group)?;
                self.fold(to, group, To::Own)
            }
            First::Block => {
                let cell = self.cell_of_block(to, group);
                self.fold(to, group, To::Block(&cell))
            }
            First::Cache => {
                let (cell, is_own) = self.entry(to, group);
                to.when(is_own.clone(), |to| self.fold(to, group, To::Block(&cell)))?;
                to.when(is_own.not(), |to| self.fold_into_table(to, group))
            }
            First::Table => self.fold_into_table(to, group),
        }
    }

    fn fold_into_table(&mut self, to: &mut Lowering<'_>, group: &Expression) -> Done<()> {
        let place = self.in_table(to, group)?;
        self.fold(to, group, To::Table(&place))
    }

    /// The record of a group.
    pub(super) fn in_table(&self, to: &mut Lowering<'_>, group: &Expression) -> Done<InTable> {
        match (&self.made, self.views) {
            (Some(Groups::Table { table, .. }), Some(views)) => Ok(to.record(&table.record, views, group)),
            _ => decline("bug: no table"),
        }
    }

    fn fold(&mut self, to: &mut Lowering<'_>, group: &Expression, place: To<'_>) -> Done<()> {
        let plan = self.plan;
        let mut flags = word(SEEN);
        for (at, aggregate) in plan.aggregates.iter().enumerate() {
            if aggregate.condition.is_empty() {
                flags = self.fold_argument(to, at, (group, place), flags)?;
                continue;
            }
            to.filter(&aggregate.condition, |to| {
                let own = self.fold_argument(to, at, (group, place), word(0))?;
                if own.known_number() != Some(0) {
                    self.set_flags(to, place, own);
                }
                Ok(())
            })?;
        }
        self.set_flags(to, place, flags);
        Ok(())
    }

    /// Adds an aggregate's argument; gives the flags with its own.
    fn fold_argument(
        &mut self,
        to: &mut Lowering<'_>,
        at: usize,
        (group, place): (&Expression, To<'_>),
        flags: Expression,
    ) -> Done<Expression> {
        let aggregate = &self.plan.aggregates[at];
        let argument = self.argument(to, at)?;
        let Some(Groups::Table { table, .. }) = &mut self.made else { return decline("bug: no table") };
        let cell = &mut table.cells[at];
        let own = cell.flag.unwrap_or(0);
        if let CellKind::Logic { decisive } = cell.kind {
            let decides = if decisive { argument.is_true() } else { argument.is_false() };
            let bits = Expression::select(decides, word(own), word(0));
            let nulls = Expression::select(argument.null, word(own << 1), word(0));
            let own = Expression::binary(Binary::BitOr, bits, nulls);
            return Ok(Expression::binary(Binary::BitOr, flags, own));
        }
        let kind = cell.kind;
        if kind == CellKind::Value {
            let is_text = cell.argument.is_some_and(|(_, register)| register == Register::Text);
            let argument = if is_text { argument.clone().of_text() } else { argument.clone() };
            (cell.dictionary, cell.carried) = (argument.dictionary, argument.carried);
            if is_text && cell.dictionary.is_none() && cell.carried.is_none() {
                return decline("text without a dictionary");
            }
        }
        let is_value = argument.null.clone().not();
        to.when(is_value.clone(), |to| {
            if !aggregate.kind.keeps_arguments() {
                return self.add(to, at, (group, place), argument.value.clone());
            }
            let is_first = self.is_first(to, at, (group, &argument))?;
            to.when(is_first, |to| self.add(to, at, (group, place), argument.value.clone()))
        })?;
        if kind == CellKind::Count || own == 0 {
            return Ok(flags);
        }
        let own = match argument.null.known() {
            Some(false) => word(own),
            _ => Expression::select(is_value, word(own), word(0)),
        };
        Ok(Expression::binary(Binary::BitOr, flags, own))
    }

    /// Adds a value that is not NULL.
    pub(super) fn add(
        &self,
        to: &mut Lowering<'_>,
        at: usize,
        (group, place): (&Expression, To<'_>),
        value: Expression,
    ) -> Done<()> {
        let Some(Groups::Table { table, .. }) = &self.made else { return decline("bug: no table") };
        let cell = &table.cells[at];
        let (kind, narrow, is_float) = (cell.kind, cell.narrow, cell.is_of_floats());
        let value = match kind {
            CellKind::Count => Expression::number(1, Type::I64),
            CellKind::Extreme { largest } => {
                let helper = match (largest, narrow) {
                    (true, false) => Helper::Rising,
                    (false, false) => Helper::Falling,
                    (true, true) => Helper::Rising32,
                    (false, true) => Helper::Falling32,
                };
                let value = match is_float {
                    true => Expression::Call(Helper::FloatOrder, vec![value]),
                    false => value.cast(if narrow { Type::I32 } else { Type::I64 }),
                };
                to.hold(Expression::Call(helper, vec![value]))
            }
            CellKind::Value if narrow => value.cast(Type::U32),
            CellKind::Value if is_float => Expression::Call(Helper::FloatBits, vec![value]),
            CellKind::Value => value.cast(Type::I64).cast(Type::U64),
            CellKind::Sum { bound, .. } => match cell.reach {
                Some(reach) => in_units(to, value, reach, bound),
                None => value,
            },
            CellKind::Logic { .. } => return Ok(()),
        };
        match (place, self.own.get(at).copied().flatten()) {
            (To::Own, Some(own)) => {
                let of = own.get().data_type();
                let folded = match kind {
                    CellKind::Extreme { .. } => {
                        let better = Expression::binary(Binary::Greater, value.clone(), own.get());
                        Expression::select(better, value, own.get())
                    }
                    CellKind::Value => value,
                    _ => add(own.get(), value.cast(of)),
                };
                to.assign(own, folded);
                Ok(())
            }
            (To::Block(cell), _) if kind != CellKind::Value => {
                self.put_in_block(to, at, cell, value);
                Ok(())
            }
            (To::Table(place), _) => {
                self.put_in_table(to, at, place, value);
                Ok(())
            }
            // What no thread and no block has.
            (To::Own | To::Block(_), _) => {
                let place = self.in_table(to, group)?;
                self.put_in_table(to, at, &place, value);
                Ok(())
            }
        }
    }

    fn set_flags(&mut self, to: &mut Lowering<'_>, place: To<'_>, flags: Expression) {
        match (place, self.own_flags) {
            (To::Own, Some(own)) => to.assign(own, Expression::binary(Binary::BitOr, own.get(), flags)),
            (To::Own, None) => {}
            (To::Block(cell), _) => self.set_flags_in_block(to, cell, flags),
            (To::Table(place), _) => self.set_flags_in_table(to, place, flags),
        }
    }

    /// What was made, when the kernel has run.
    pub(crate) fn finish(self) -> Option<Groups> {
        self.made
    }
}
