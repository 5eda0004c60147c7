//! Folds the tuples of a loop into groups.

use super::cell::{Cell, CellKind};
use super::slots::{Slots, are_far};
use super::{CODES_MAX, SEEN, Table};
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::device::BLOCKS_EACH;
use crate::gpu::driver::Buffer;
use crate::gpu::lower::Lowering;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::lower::scalars::Scalar;
use crate::gpu::rows::count_tuples;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::KeyLayout;
use crate::plan::register::Register;
use crate::plan::tree::ReducePlan;
use multiloop_planner::multiloop::{Reduction, ScalarId};
use std::sync::Arc;

/// Copies of groups in a block's memory, at most: as many as threads of a warp.
const COPIES_MAX: u64 = 32;

/// Where tuples go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    One,
    Shared,
    Global,
}

/// Tuples up to which a hash table is made for all that may come.
const UNCOUNTED_MAX: u64 = if cfg!(test) { 16 } else { 1 << 22 };

/// What is made.
#[derive(Debug)]
pub(crate) enum Groups {
    /// By code; no layout without a key.
    Table { layout: Option<KeyLayout>, table: Table },
    /// A bit for each code.
    Bits { layout: KeyLayout, bits: Arc<Buffer> },
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
    first: Where,
    /// Parameters: codes, copies of these in a block's memory, and words of a plane of it.
    pub(super) sizes: Option<[Expression; 3]>,
    /// The table's arrays.
    pub(super) flags: Option<Variable>,
    pub(super) words: Vec<Vec<Variable>>,
    /// Without a key: a thread's flags, and what it has of each cell.
    pub(super) own_flags: Option<Variable>,
    pub(super) own: Vec<Option<Variable>>,
    /// What tuples must pass that come.
    conditions: &'p [ScalarId],
    /// How many tuples may come, and whether they have been counted.
    pub(super) most: u64,
    is_counted: bool,
    /// Bytes that a block shares.
    pub(crate) shared_bytes: usize,
    /// The first word of it that is free.
    pub(super) base: u32,
}

pub(super) fn word(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

pub(super) fn add(a: Expression, b: Expression) -> Expression {
    Expression::binary(Binary::Add, a, b)
}

impl<'p> Fold<'p> {
    /// A reduction without tuples, of those that pass some conditions.
    pub(crate) fn new(plan: &'p ReducePlan, conditions: &'p [ScalarId]) -> Self {
        Fold {
            plan,
            conditions,
            is_counted: false,
            made: None,
            first: Where::Global,
            sizes: None,
            flags: None,
            words: Vec::new(),
            own_flags: None,
            own: Vec::new(),
            most: 0,
            shared_bytes: 0,
            base: 0,
        }
    }

    /// Folds the tuple at hand.
    pub(crate) fn tuple(&mut self, to: &mut Lowering<'_>, pieces: &Pieces, taken: usize) -> Done<()> {
        self.most = pieces.rows.saturating_mul(to.tuples_each);
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
        let cells = self.cells(to, pieces)?;
        if self.plan.aggregates.iter().any(|aggregate| aggregate.kind.distinct) {
            self.count(to, pieces)?;
        }
        self.choose(to, pieces, (groups, &cells), taken);
        let table = Table::new(&to.device.driver, (groups, slots), cells)?;
        self.flags = Some(to.memory(Type::U32, &table.flags));
        for words in &table.words {
            self.words.push(words.iter().map(|words| to.memory(Type::U64, words)).collect());
        }
        self.made = Some(Groups::Table { layout, table });
        self.rows(to, &group)
    }

    /// The tuple's group: its code or slot, and how many there are.
    fn key(&mut self, to: &mut Lowering<'_>, pieces: &Pieces) -> Done<Key> {
        if self.plan.key.is_none() {
            return Ok(Key { layout: None, group: word(0), groups: 1, slots: None });
        }
        let most = self.most;
        let parts = self.plan.parts().iter().map(|&part| to.root(part)).collect::<Done<Vec<Scalar>>>()?;
        let mut layout = to.layout_of(&self.plan.layout, &parts)?;
        let is_far = |layout: &KeyLayout| layout.codes().is_none_or(|codes| are_far(codes, most, CODES_MAX));
        let hashes = is_far(&layout);
        if hashes {
            layout = layout.hashed();
        }
        let parts: Vec<(Scalar, bool)> = parts.into_iter().map(|part| (part, true)).collect();
        let code = to.code(&layout, &parts, true)?.code;
        // The last code of a word has no slot.
        let Some(codes) = layout.codes() else { return decline("keys of all 64 bits") };
        if hashes {
            self.count(to, pieces)?;
            let slots = Slots::new(&to.device.driver, codes.min(self.most))?;
            let group = to.fill_slot(&slots, code);
            return Ok(Key { layout: Some(layout), group, groups: slots.count(), slots: Some(slots) });
        }
        let expressions = &to.task.of.expressions;
        let group = match self.plan.parts().iter().any(|&part| expressions.may_fail(part)) {
            true => {
                // What failed may be any number, and is written somewhere before anybody looks.
                let of = code.data_type();
                let limit = to.integer(codes.into(), of);
                let is_in = Expression::binary(Binary::Less, code.clone(), limit);
                to.hold(Expression::select(is_in, code, Expression::number(0, of)))
            }
            false => code,
        };
        Ok(Key { layout: Some(layout), group, groups: codes, slots: None })
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

    /// The cells of the aggregates.
    fn cells(&self, to: &Lowering<'_>, pieces: &Pieces) -> Done<Vec<Cell>> {
        // Up to a power of two, so that a few rows more need no other code.
        let rounded = |of: u64| u128::from(of.max(1)).next_power_of_two();
        let Some(tuples) = rounded(pieces.rows).checked_mul(rounded(to.tuples_each)) else {
            return decline("too many tuples");
        };
        let mut flag = SEEN << 1;
        let mut cells = Vec::new();
        for aggregate in &self.plan.aggregates {
            let cell = Cell::of(aggregate, tuples, flag)?;
            if flag >> 28 != 0 {
                return decline("too many aggregates");
            }
            flag <<= cell.flags();
            cells.push(cell);
        }
        Ok(cells)
    }

    /// Where tuples go first, and what memory that takes of a block.
    fn choose(&mut self, to: &mut Lowering<'_>, pieces: &Pieces, (codes, cells): (u64, &[Cell]), taken: usize) {
        // As if a block took all that a processor of the device has to share: then there are fewest.
        let limits = to.device.driver.limits();
        let shape = to.device.shape(pieces.count, limits.shared);
        let rows_of_block = (pieces.count as u64).div_ceil(shape.blocks.into()) * pieces.largest;
        let of_block = u128::from(rows_of_block) * u128::from(to.tuples_each);
        let fits = |cell: &Cell| match cell.kind {
            CellKind::Sum { bound, .. } => bound.saturating_mul(of_block) <= i64::MAX as u128,
            CellKind::Count => of_block <= u32::MAX.into(),
            _ => true,
        };
        let planes = 1 + cells.iter().map(Cell::shared_words).sum::<usize>();
        let copies_in = |bytes: usize| {
            let words = bytes.saturating_sub(taken) as u64 / 4 / planes as u64;
            (words.saturating_sub(1) / codes).min(COPIES_MAX)
        };
        // Blocks that share little run side by side.
        let copies = match copies_in(limits.shared / BLOCKS_EACH as usize) {
            0 => copies_in(limits.shared).min(1),
            copies => copies,
        };
        if !cells.iter().all(fits) || copies == 0 {
            self.first = if self.plan.key.is_none() { Where::One } else { Where::Global };
            return;
        }
        self.first = if self.plan.key.is_none() { Where::One } else { Where::Shared };
        let plane = (codes * copies).next_multiple_of(2);
        self.base = taken as u32 / 4;
        self.shared_bytes = plane as usize * planes * 4;
        self.sizes = Some([codes, copies, plane].map(|size| to.number(size as u32)));
    }

    /// Adds the tuple to the group's cells.
    fn rows(&mut self, to: &mut Lowering<'_>, group: &Expression) -> Done<()> {
        let plan = self.plan;
        let cell_of_block = match (&self.sizes, self.first) {
            (Some(_), Where::Shared) => Some(self.place_in_block(to, group)),
            _ => None,
        };
        let mut flags = word(SEEN);
        for (at, aggregate) in plan.aggregates.iter().enumerate() {
            if self.first == Where::One {
                let of = self.type_of_own(at);
                let own = of.map(|of| to.later(of));
                self.own.push(own);
            }
            if aggregate.condition.is_empty() {
                flags = self.argument(to, at, (group, cell_of_block.as_ref()), flags)?;
                continue;
            }
            to.filter(&aggregate.condition, |to| {
                let own = self.argument(to, at, (group, cell_of_block.as_ref()), word(0))?;
                if own.known_number() != Some(0) {
                    self.set_flags(to, (group, cell_of_block.as_ref()), own);
                }
                Ok(())
            })?;
        }
        self.set_flags(to, (group, cell_of_block.as_ref()), flags);
        Ok(())
    }

    /// The word of a group among the copies in a block's memory.
    pub(super) fn place_in_block(&self, to: &mut Lowering<'_>, group: &Expression) -> Expression {
        let [_, copies, _] = self.sizes.clone().expect("it has been asked whether there are sizes");
        let copy = Expression::binary(Binary::Modulo, Expression::Place(Place::Thread), copies.clone());
        // The copies of a group lie side by side: then no two threads of a warp want one bank, whatever their groups are.
        let at = add(Expression::binary(Binary::Multiply, group.clone().cast(Type::U32), copies), copy);
        to.hold(at)
    }

    /// The type in which a thread has what it folds without a key.
    fn type_of_own(&self, at: usize) -> Option<Type> {
        let Some(Groups::Table { table, .. }) = &self.made else { return None };
        match table.cells[at].kind {
            CellKind::Count => Some(Type::I64),
            CellKind::Sum { .. } if self.sizes.is_some() => Some(Type::I64),
            CellKind::Sum { .. } => Some(Type::I128),
            CellKind::Extreme { .. } => Some(Type::U64),
            CellKind::Value | CellKind::Logic { .. } => None,
        }
    }

    /// Adds an aggregate's argument; gives the flags with its own.
    fn argument(
        &mut self,
        to: &mut Lowering<'_>,
        at: usize,
        (group, in_block): (&Expression, Option<&Expression>),
        flags: Expression,
    ) -> Done<Expression> {
        let aggregate = &self.plan.aggregates[at];
        let takes_all = aggregate.kind.reduction == Reduction::CountRows;
        let argument = match aggregate.argument {
            Some(argument) if !takes_all => to.root(argument)?,
            _ => Scalar::new(word(0), Expression::truth(false)),
        };
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
            cell.dictionary.clone_from(&argument.dictionary);
            cell.carried.clone_from(&argument.carried);
            let is_text = cell.argument.is_some_and(|(_, register)| register == Register::Text);
            if is_text && cell.dictionary.is_none() && cell.carried.is_none() {
                return decline("text without a dictionary");
            }
        }
        if argument.null.known() == Some(false) && aggregate.condition.is_empty() {
            cell.flag = None;
        }
        let is_value = argument.null.clone().not();
        to.when(is_value.clone(), |to| {
            if !aggregate.kind.keeps_arguments() {
                return self.add(to, at, kind, (group, in_block), argument.value.clone());
            }
            let is_first = self.is_first(to, at, (group, &argument))?;
            to.when(is_first, |to| self.add(to, at, kind, (group, in_block), argument.value.clone()))
        })?;
        if kind == CellKind::Count {
            return Ok(flags);
        }
        let own = match (argument.null.known(), aggregate.condition.is_empty()) {
            (Some(false), true) => return Ok(flags),
            (Some(false), false) => word(own),
            _ => Expression::select(is_value, word(own), word(0)),
        };
        Ok(Expression::binary(Binary::BitOr, flags, own))
    }

    /// Adds a value that is not NULL.
    fn add(
        &mut self,
        to: &mut Lowering<'_>,
        at: usize,
        kind: CellKind,
        (group, in_block): (&Expression, Option<&Expression>),
        value: Expression,
    ) -> Done<()> {
        let key = |value: Expression, largest: bool| {
            let helper = if largest { Helper::Rising } else { Helper::Falling };
            Expression::Call(helper, vec![value.cast(Type::I64)])
        };
        let words = self.words[at].clone();
        let address = |word: usize| words[word].address(group.clone());
        match (kind, self.own.get(at).copied().flatten(), in_block) {
            (CellKind::Value, ..) => {
                let value = value.cast(Type::I64).cast(Type::U64);
                to.push(Statement::Store(words[0], group.clone(), value));
            }
            (CellKind::Count, Some(own), _) => {
                to.assign(own, add(own.get(), Expression::number(1, Type::I64)));
            }
            (CellKind::Sum { .. }, Some(own), _) => {
                let of = own.get().data_type();
                to.assign(own, add(own.get(), value.cast(of)));
            }
            (CellKind::Extreme { largest }, Some(own), _) => {
                let key = to.hold(key(value, largest));
                let better = Expression::binary(Binary::Greater, key.clone(), own.get());
                to.assign(own, Expression::select(better, key, own.get()));
            }
            (CellKind::Count, None, Some(cell)) => {
                let place = self.in_plane(to, self.plane(at), cell.clone());
                to.call(Helper::Count32, vec![place, word(1)]);
            }
            (CellKind::Sum { .. }, None, Some(cell)) => {
                let place = self.in_plane(to, self.plane(at), cell.clone());
                to.call(Helper::AddShared, vec![place, self.plane_words(), value.cast(Type::I64)]);
            }
            (CellKind::Extreme { largest }, None, Some(cell)) => {
                let twice = Expression::binary(Binary::Multiply, cell.clone(), word(2));
                let place = self.in_plane(to, self.plane(at), twice);
                to.call(Helper::MostShared, vec![place, key(value, largest)]);
            }
            (CellKind::Count, None, None) => {
                to.call(Helper::Add64, vec![address(0), Expression::number(1, Type::I64)]);
            }
            (CellKind::Sum { wide: false, .. }, None, None) => {
                to.call(Helper::Add64, vec![address(0), value.cast(Type::I64)]);
            }
            (CellKind::Sum { .. }, None, None) if value.data_type() == Type::I128 => {
                to.call(Helper::AddWide, vec![address(0), address(1), value]);
            }
            (CellKind::Sum { .. }, None, None) => {
                to.call(Helper::Add128, vec![address(0), address(1), value.cast(Type::I64)]);
            }
            (CellKind::Extreme { largest }, None, None) => {
                to.call(Helper::Most, vec![address(0), key(value, largest)]);
            }
            (CellKind::Logic { .. }, ..) => {}
        }
        Ok(())
    }

    fn set_flags(
        &mut self,
        to: &mut Lowering<'_>,
        (group, in_block): (&Expression, Option<&Expression>),
        flags: Expression,
    ) {
        let Some(array) = self.flags else { return };
        match (self.first, in_block) {
            (Where::One, _) => {
                let own = match self.own_flags {
                    Some(own) => own,
                    None => {
                        let own = to.later(Type::U32);
                        self.own_flags = Some(own);
                        own
                    }
                };
                to.assign(own, Expression::binary(Binary::BitOr, own.get(), flags));
            }
            (_, Some(cell)) => {
                let place = self.in_plane(to, 0, cell.clone());
                to.call(Helper::SetFlags, vec![place, flags]);
            }
            (_, None) => to.call(Helper::SetFlags, vec![array.address(group.clone()), flags]),
        }
    }

    /// The plane of a block's memory in which a cell begins: the first has flags.
    pub(super) fn plane(&self, at: usize) -> u32 {
        let Some(Groups::Table { table, .. }) = &self.made else { return 0 };
        1 + table.cells[..at].iter().map(Cell::shared_words).sum::<usize>() as u32
    }

    pub(super) fn plane_words(&self) -> Expression {
        self.sizes.as_ref().map_or_else(|| word(0), |sizes| sizes[2].clone())
    }

    /// The address of a word of a plane.
    pub(super) fn in_plane(&self, to: &mut Lowering<'_>, plane: u32, at: Expression) -> Expression {
        to.shared().address(self.place(plane, at))
    }

    pub(super) fn place(&self, plane: u32, at: Expression) -> Expression {
        let first = Expression::binary(Binary::Multiply, self.plane_words(), word(plane));
        add(word(self.base), add(first, at))
    }

    /// What was made, when the kernel has run.
    pub(crate) fn finish(self) -> Option<Groups> {
        self.made
    }
}
