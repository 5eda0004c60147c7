//! Where a tuple goes first, and what memory that takes.

use super::cell::{Cell, CellKind};
use super::fold::{Fold, Groups, add, planes, word};
use super::record::{InTable, Record};
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::device::BLOCKS_EACH;
use crate::gpu::lower::Lowering;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::stop::{Done, decline};

/// Where tuples go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    /// Into a thread's variables: there is one group.
    One,
    /// Into a thread's variables as long as its rows are of one group, as those that come clustered are: a row of many would wait
    /// for the one before it to be added.
    Runs,
    /// Into a block's memory, which has all groups.
    Block,
    /// Into a block's memory if that has the group, which the first tuples that came have chosen; else into the table. Frequent
    /// groups are among the first: all rows of one, added to one word of the card's memory, would wait for each other.
    Cache,
    Table,
}

/// What a thread knows of the run that it sums: rows of one group stand together, so that a run which begins and ends among rows
/// that it goes over one after the other is all that the group has, and needs no addition.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// One more than the last row that gave a tuple.
    pub(super) last: Variable,
    /// One more than the first of the rows among which it began; 0 if it may have begun before them.
    pub(super) began: Variable,
}

/// Copies of groups in a block's memory, at most: as many as threads of a warp.
const COPIES_MAX: u64 = 32;

/// Copies of an entry of a cache, each for some of a block's threads.
const ENTRY_COPIES: u64 = 8;

/// Bytes of a block's cache, at most: what blocks do not share is left to the cache of what they read.
const CACHE_BYTES: usize = 24 << 10;

/// Rows from which on a cache pays.
const CACHED_ROWS: u64 = if cfg!(test) { 1 } else { 1 << 18 };

impl Fold<'_> {
    /// Where tuples go first, and what memory that takes of a block.
    pub(super) fn choose(
        &mut self,
        to: &mut Lowering<'_>,
        pieces: &Pieces,
        (codes, cells, record): (u64, &mut [Cell], &Record),
        taken: usize,
    ) {
        // As if a block took all that a processor of the device has to share: then there are fewest.
        let limits = to.device.driver.limits();
        let shape = to.device.shape(pieces.count, limits.shared);
        let rows_of_block = (pieces.count as u64).div_ceil(shape.blocks.into()) * pieces.largest;
        let of_block = u128::from(rows_of_block) * u128::from(to.tuples_each);
        for cell in cells.iter_mut() {
            if let CellKind::Sum { bound, wide } = cell.kind {
                cell.is_wide_in_block = wide && bound.saturating_mul(of_block) > i64::MAX as u128;
            }
        }
        let fit = of_block <= u32::MAX.into() || cells.iter().all(|cell| cell.kind != CellKind::Count);
        let planes = planes(cells, record);
        let copies_in = |bytes: usize| {
            let words = bytes.saturating_sub(taken) as u64 / 4 / planes as u64;
            (words.saturating_sub(1) / codes).min(COPIES_MAX)
        };
        // Blocks that share little run side by side.
        let of_each = limits.shared / BLOCKS_EACH as usize;
        let copies = match copies_in(of_each) {
            0 => copies_in(limits.shared).min(1),
            copies => copies,
        };
        let has_key = self.plan.key.is_some();
        let (first, codes, copies, planes) = match (has_key, fit && copies > 0) {
            (true, true) => (First::Block, codes, copies, planes),
            (false, true) => (First::One, codes, copies, planes),
            (false, false) => return self.first = First::One,
            (true, false) if self.plan.rows.clustered && to.groups_of(0).is_none() && to.queue_bytes == 0 => {
                return self.first = First::Runs;
            }
            (true, false) => {
                // One more plane says whose an entry is.
                let entries = CACHE_BYTES.min(of_each).saturating_sub(taken) as u64 / 4 / (planes as u64 + 1);
                let entries = entries / ENTRY_COPIES;
                // What tells the first of equal arguments is asked in one place.
                let asks_once = self.plan.aggregates.iter().any(|aggregate| aggregate.kind.keeps_arguments());
                // Flags and values of any row are not added: nothing waits.
                let adds = cells.iter().any(|cell| cell.shared_words() > 0);
                if !fit || !adds || asks_once || entries == 0 || pieces.rows < CACHED_ROWS {
                    return self.first = First::Table;
                }
                (First::Cache, 1 << entries.ilog2(), ENTRY_COPIES, planes + 1)
            }
        };
        self.first = first;
        let plane = (codes * copies).next_multiple_of(2);
        self.base = taken as u32 / 4;
        self.shared_bytes = plane as usize * planes * 4;
        self.sizes = Some([codes, copies, plane].map(|size| to.number(size as u32)));
    }

    /// The word of a group among the copies in a block's memory.
    pub(super) fn cell_of_block(&self, to: &mut Lowering<'_>, group: &Expression) -> Expression {
        let [_, copies, _] = self.sizes.clone().expect("it has been asked whether there are sizes");
        let copy = Expression::binary(Binary::Modulo, Expression::Place(Place::Thread), copies.clone());
        // The copies of a group lie side by side: then no two threads of a warp want one bank, whatever their groups are.
        let at = add(Expression::binary(Binary::Multiply, group.clone().cast(Type::U32), copies), copy);
        to.hold(at)
    }

    /// The entry of a group in the block's cache, and whether it is the group's.
    pub(super) fn entry(&self, to: &mut Lowering<'_>, group: &Expression) -> (Expression, Expression) {
        let [entries, ..] = self.sizes.clone().expect("a cache has sizes");
        let last = Expression::binary(Binary::Subtract, entries, word(1));
        let group = group.clone().cast(Type::U32);
        let of_group = Expression::binary(Binary::BitAnd, group.clone(), last);
        let cell = self.cell_of_block(to, &of_group);
        let entry = to.shared().address(add(word(self.base), cell.clone()));
        let is_own = Expression::Call(Helper::TakeEntry, vec![entry, add(group, word(1))]);
        (cell, to.hold(is_own))
    }

    /// The type in which a thread has what it folds.
    fn type_of_own(&self, at: usize) -> Option<Type> {
        let Some(Groups::Table { table, .. }) = &self.made else { return None };
        let cell = &table.cells[at];
        match cell.kind {
            CellKind::Count => Some(Type::I64),
            CellKind::Sum { .. } if cell.is_wide_in_block => Some(Type::I128),
            CellKind::Sum { wide, .. } if self.sizes.is_some() || (self.first == First::Runs && !wide) => {
                Some(Type::I64)
            }
            CellKind::Sum { .. } => Some(Type::I128),
            CellKind::Extreme { .. } => Some(if cell.narrow { Type::U32 } else { Type::U64 }),
            CellKind::Value if self.first == First::Runs => Some(if cell.narrow { Type::U32 } else { Type::U64 }),
            CellKind::Value | CellKind::Logic { .. } => None,
        }
    }

    /// The variables of a thread.
    pub(super) fn make_own(&mut self, to: &mut Lowering<'_>) {
        self.own_flags = Some(to.later(Type::U32));
        self.own = (0..self.plan.aggregates.len()).map(|at| self.type_of_own(at).map(|of| to.later(of))).collect();
    }

    /// Puts what a thread has into the table, unless it is of the group at hand.
    pub(super) fn change_group(&mut self, to: &mut Lowering<'_>, group: &Expression) -> Done<()> {
        let (pending, last) = (to.later(group.data_type()), to.later(Type::U64));
        let run = Run { last, began: to.later(Type::U64) };
        (self.pending, self.run) = (Some(pending), Some(run));
        let (row, first) = (to.outermost_row(), to.stretch_first.clone());
        let Some(first) = first else { return decline("bug: runs without rows") };
        to.when(Expression::binary(Binary::NotEqual, pending.get(), group.clone()), |to| {
            // It began among the rows of this stretch, so all that came since then did, too.
            let one_more = |of: Expression| Expression::binary(Binary::Add, of, Expression::number(1, Type::U64));
            let stretch = to.hold(one_more(first.clone()));
            let is_whole = to.hold(Expression::binary(Binary::Equal, run.began.get(), stretch.clone()));
            to.when(is_whole.clone(), |to| self.store_own(to, pending))?;
            to.when(is_whole.not(), |to| self.put_own(to, &pending.get()))?;
            to.assign(pending, group.clone());
            // A group begins here for certain if the one before it has rows of this stretch.
            let is_within = Expression::binary(Binary::Greater, last.get(), first);
            to.assign(run.began, Expression::select(is_within, stretch, Expression::number(0, Type::U64)));
            let zero = |own: Variable| (own, Expression::number(0, own.get().data_type()));
            for (own, zero) in self.own_flags.iter().chain(self.own.iter().flatten()).map(|&own| zero(own)) {
                to.assign(own, zero);
            }
            Ok(())
        })?;
        // One more than the row, so that 0 is none.
        to.assign(last, Expression::binary(Binary::Add, row, Expression::number(1, Type::U64)));
        Ok(())
    }

    /// Stores what a thread has of a group whose rows it has all seen.
    fn store_own(&self, to: &mut Lowering<'_>, group: Variable) -> Done<()> {
        self.store(to, &group.get(), (self.own_flags, &self.own))
    }

    /// Stores what is all of a group.
    pub(super) fn store(
        &self,
        to: &mut Lowering<'_>,
        group: &Expression,
        (flags, sums): (Option<Variable>, &[Option<Variable>]),
    ) -> Done<()> {
        let place = self.in_table(to, group)?;
        let Some(Groups::Table { table, .. }) = &self.made else { return decline("bug: no table") };
        for ((cell, own), &first) in table.cells.iter().zip(sums).zip(&table.record.cells) {
            let Some(own) = own else { continue };
            let own = own.get();
            if cell.narrow {
                to.push(Statement::Store(place.views.words, place.word_at(first), own.cast(Type::U32)));
                continue;
            }
            to.push(Statement::Store(place.views.pairs, place.pair_at(first), own.clone().cast(Type::U64)));
            if matches!(cell.kind, CellKind::Sum { wide: true, .. }) {
                let high = Expression::binary(Binary::ShiftRight, own.cast(Type::I128), word(64)).cast(Type::U64);
                to.push(Statement::Store(place.views.pairs, place.pair_at(first + 2), high));
            }
        }
        if let (Some(at), Some(flags)) = (table.record.flags, flags) {
            to.push(Statement::Store(place.views.words, place.word_at(at), flags.get()));
        }
        Ok(())
    }

    /// Puts what a thread has of a group into the table.
    pub(super) fn put_own(&self, to: &mut Lowering<'_>, group: &Expression) -> Done<()> {
        let Some(flags) = self.own_flags.map(Variable::get) else { return Ok(()) };
        to.when(Expression::binary(Binary::NotEqual, flags.clone(), word(0)), |to| {
            let place = self.in_table(to, group)?;
            for (at, own) in self.own.iter().enumerate() {
                let Some(own) = own else { continue };
                self.put_in_table(to, at, &place, own.get());
            }
            self.set_flags_in_table(to, &place, flags);
            Ok(())
        })
    }

    /// Adds what was folded of a cell to a record. A value that no row had is no value: its flag tells.
    pub(super) fn put_in_table(&self, to: &mut Lowering<'_>, at: usize, place: &InTable, value: Expression) {
        let Some(Groups::Table { table, .. }) = &self.made else { return };
        let (cell, first) = (&table.cells[at], table.record.cells[at]);
        let pair = |at: u32| place.pair_address(first + 2 * at);
        match cell.kind {
            CellKind::Count if cell.narrow => {
                to.call(Helper::Count32, vec![place.word_address(first), value.cast(Type::U32)]);
            }
            CellKind::Count | CellKind::Sum { wide: false, .. } => {
                to.call(Helper::Add64, vec![pair(0), value.cast(Type::I64)]);
            }
            CellKind::Sum { .. } if value.data_type() == Type::I128 => {
                to.call(Helper::AddWide, vec![pair(0), pair(1), value]);
            }
            CellKind::Sum { .. } => to.call(Helper::Add128, vec![pair(0), pair(1), value.cast(Type::I64)]),
            CellKind::Extreme { .. } if cell.narrow => {
                to.call(Helper::Most32, vec![place.word_address(first), value.cast(Type::U32)]);
            }
            CellKind::Extreme { .. } => to.call(Helper::Most, vec![pair(0), value]),
            CellKind::Value => {
                let store = |to: &mut Lowering<'_>| {
                    to.push(match cell.narrow {
                        true => Statement::Store(place.views.words, place.word_at(first), value.clone()),
                        false => Statement::Store(place.views.pairs, place.pair_at(first), value.clone()),
                    });
                };
                match (self.first, cell.flag, self.own_flags) {
                    // Of a run no row may have had one.
                    (First::Runs, Some(flag), Some(flags)) => {
                        let own = Expression::binary(Binary::BitAnd, flags.get(), word(flag));
                        let has_one = Expression::binary(Binary::NotEqual, own, word(0));
                        to.when(has_one, |to| {
                            store(to);
                            Ok(())
                        })
                        .expect("a store does not decline");
                    }
                    _ => store(to),
                }
            }
            CellKind::Logic { .. } => {}
        }
    }

    /// Adds a value to a cell of a block's planes.
    pub(super) fn put_in_block(&self, to: &mut Lowering<'_>, at: usize, cell: &Expression, value: Expression) {
        let Some(Groups::Table { table, .. }) = &self.made else { return };
        let plane = self.plane(at);
        match (table.cells[at].kind, table.cells[at].narrow) {
            (CellKind::Count, _) => {
                let place = self.in_plane(to, plane, cell.clone());
                to.call(Helper::Count32, vec![place, value.cast(Type::U32)]);
            }
            (CellKind::Sum { .. }, _) if table.cells[at].is_wide_in_block => {
                let place = self.in_plane(to, plane, cell.clone());
                to.call(Helper::AddSharedWide, vec![place, self.plane_words(), value.cast(Type::I128)]);
            }
            (CellKind::Sum { .. }, _) => {
                let place = self.in_plane(to, plane, cell.clone());
                to.call(Helper::AddShared, vec![place, self.plane_words(), value.cast(Type::I64)]);
            }
            (CellKind::Extreme { .. }, true) => {
                let place = self.in_plane(to, plane, cell.clone());
                to.call(Helper::Most32, vec![place, value]);
            }
            (CellKind::Extreme { .. }, false) => {
                let twice = Expression::binary(Binary::Multiply, cell.clone(), word(2));
                let place = self.in_plane(to, plane, twice);
                to.call(Helper::MostShared, vec![place, value]);
            }
            (CellKind::Value | CellKind::Logic { .. }, _) => {}
        }
    }

    pub(super) fn set_flags_in_block(&self, to: &mut Lowering<'_>, cell: &Expression, flags: Expression) {
        if let Some(plane) = self.flags_plane() {
            let place = self.in_plane(to, plane, cell.clone());
            to.call(Helper::SetFlags, vec![place, flags]);
        }
    }

    pub(super) fn set_flags_in_table(&self, to: &mut Lowering<'_>, place: &InTable, flags: Expression) {
        if let Some(Groups::Table { table, .. }) = &self.made
            && let Some(at) = table.record.flags
        {
            to.call(Helper::SetFlags, vec![place.word_address(at), flags]);
        }
    }

    /// The plane of a block's memory that has flags; of a cache the first one says whose entries are.
    pub(super) fn flags_plane(&self) -> Option<u32> {
        match &self.made {
            Some(Groups::Table { table, .. }) => table.record.flags.map(|_| u32::from(self.first == First::Cache)),
            _ => None,
        }
    }

    /// The plane in which a cell begins.
    pub(super) fn plane(&self, at: usize) -> u32 {
        let Some(Groups::Table { table, .. }) = &self.made else { return 0 };
        let first = u32::from(self.first == First::Cache) + u32::from(table.record.flags.is_some());
        first + table.cells[..at].iter().map(Cell::shared_words).sum::<usize>() as u32
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
}
