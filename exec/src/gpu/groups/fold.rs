//! Folds the tuples of a loop into groups.

use super::cell::{Cell, CellKind};
use super::slots::{Slots, are_far};
use super::{CODES_MAX, SEEN, Table};
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::lower::Lowering;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::lower::scalars::Scalar;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::KeyLayout;
use crate::plan::tree::ReducePlan;
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

/// What is made.
#[derive(Debug)]
pub(crate) enum Groups {
    /// By code; no layout without a key.
    Table { layout: Option<KeyLayout>, table: Table },
    /// A bit for each code.
    Bits { layout: KeyLayout, bits: Arc<Buffer> },
}

/// A reduction that is being lowered.
pub(crate) struct Fold<'p> {
    pub(crate) plan: &'p ReducePlan,
    made: Option<Groups>,
    first: Where,
    /// Parameters: codes, copies of these in a block's memory, and words of a plane of it.
    sizes: Option<[Expression; 3]>,
    /// The table's arrays.
    flags: Option<Variable>,
    words: Vec<Vec<Variable>>,
    /// Without a key: a thread's flags, and what it has of each cell.
    own_flags: Option<Variable>,
    own: Vec<Option<Variable>>,
    /// Bytes that a block shares.
    pub(crate) shared_bytes: usize,
    /// The first word of it that is free.
    base: u32,
}

fn word(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

fn add(a: Expression, b: Expression) -> Expression {
    Expression::binary(Binary::Add, a, b)
}

impl<'p> Fold<'p> {
    /// A reduction without tuples.
    pub(crate) fn new(plan: &'p ReducePlan) -> Self {
        Fold {
            plan,
            made: None,
            first: Where::Global,
            sizes: None,
            flags: None,
            words: Vec::new(),
            own_flags: None,
            own: Vec::new(),
            shared_bytes: 0,
            base: 0,
        }
    }

    /// Folds the tuple at hand.
    pub(crate) fn tuple(&mut self, to: &mut Lowering<'_>, pieces: &Pieces, taken: usize) -> Done<()> {
        let plan = self.plan;
        let mut layout = None;
        let mut group = word(0);
        if plan.key.is_some() {
            let parts = plan.parts().iter().map(|&part| to.root(part)).collect::<Done<Vec<Scalar>>>()?;
            let mut own = to.layout_of(&plan.layout, &parts)?;
            let most = pieces.rows.saturating_mul(to.tuples_each);
            if own.codes().is_none_or(|codes| are_far(codes, most, CODES_MAX)) {
                own = own.hashed();
            }
            let parts: Vec<(Scalar, bool)> = parts.into_iter().map(|part| (part, true)).collect();
            group = to.code(&own, &parts, true)?.code;
            layout = Some(own);
        }
        let most = pieces.rows.saturating_mul(to.tuples_each);
        let mut slots = None;
        let groups = match &layout {
            None => 1,
            Some(layout) => match layout.codes() {
                Some(codes) if !are_far(codes, most, CODES_MAX) => codes,
                // The last one of a word has no slot.
                None => return decline("keys of all 64 bits"),
                Some(codes) => {
                    let made = Slots::new(&to.device.driver, codes.min(most))?;
                    group = to.fill_slot(&made, group);
                    slots.insert(made).count()
                }
            },
        };
        if plan.aggregates.is_empty()
            && slots.is_none()
            && let Some(layout) = layout
        {
            let bits = Buffer::zeroed(&to.device.driver, (groups as usize / 64 + 1) * 8)?;
            let words = to.memory(Type::U32, &bits);
            to.call(Helper::SetBit, vec![words.address(word(0)), group.cast(Type::U64)]);
            self.made = Some(Groups::Bits { layout, bits });
            return Ok(());
        }
        let tuples = u128::from(pieces.rows).max(1).next_power_of_two() * u128::from(to.tuples_each.next_power_of_two());
        let mut cells: Vec<Cell> = Vec::new();
        let mut flag = SEEN << 1;
        for aggregate in &plan.aggregates {
            let cell = Cell::of(aggregate, tuples, flag)?;
            flag = match flag.checked_shl(cell.flags()) {
                Some(flag) if flag >> 30 == 0 => flag,
                _ => return decline("too many aggregates"),
            };
            cells.push(cell);
        }
        self.choose(to, pieces, (groups, &cells), taken);
        let table = Table::new(&to.device.driver, (groups, slots), cells)?;
        self.flags = Some(to.memory(Type::U32, &table.flags));
        let arrays = |words: &Vec<Arc<Buffer>>, to: &mut Lowering<'_>| {
            words.iter().map(|words| to.memory(Type::U64, words)).collect::<Vec<Variable>>()
        };
        self.words = table.words.iter().map(|words| arrays(words, to)).collect();
        self.made = Some(Groups::Table { layout, table });
        self.rows(to, &group)
    }

    /// Where tuples go first, and what memory that takes of a block.
    fn choose(&mut self, to: &mut Lowering<'_>, pieces: &Pieces, (codes, cells): (u64, &[Cell]), taken: usize) {
        let shape = to.device.shape(pieces.count, 0);
        let rows_of_block = (pieces.count as u64).div_ceil(shape.blocks.into()) * pieces.largest;
        let of_block = u128::from(rows_of_block) * u128::from(to.tuples_each);
        let fits = |cell: &Cell| match cell.kind {
            CellKind::Sum { bound, .. } => bound.saturating_mul(of_block) <= i64::MAX as u128,
            CellKind::Count => of_block <= u32::MAX.into(),
            _ => true,
        };
        let planes = 1 + cells.iter().map(Cell::shared_words).sum::<usize>();
        let room = to.device.driver.limits().shared.saturating_sub(taken) as u64 / 4 / planes as u64;
        let copies = (room.saturating_sub(1) / codes).min(COPIES_MAX);
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
    fn place_in_block(&self, to: &mut Lowering<'_>, group: &Expression) -> Expression {
        let [codes, copies, _] = self.sizes.clone().expect("it has been asked whether there are sizes");
        let copy = Expression::binary(Binary::Modulo, Expression::Place(Place::Thread), copies);
        let at = add(Expression::binary(Binary::Multiply, copy, codes), group.clone().cast(Type::U32));
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
        let takes_all = aggregate.kind.reduction == multiloop_planner::multiloop::Reduction::CountRows;
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
            cell.dictionary = argument.dictionary.clone();
            if cell.argument.is_some_and(|(_, register)| register == crate::plan::register::Register::Text)
                && cell.dictionary.is_none()
            {
                return decline("text without a dictionary");
            }
        }
        if argument.null.known() == Some(false) && aggregate.condition.is_empty() {
            cell.flag = None;
        }
        let is_value = argument.null.clone().not();
        to.when(is_value.clone(), |to| self.add(to, at, kind, (group, in_block), argument.value.clone()))?;
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
    fn plane(&self, at: usize) -> u32 {
        let Some(Groups::Table { table, .. }) = &self.made else { return 0 };
        1 + table.cells[..at].iter().map(Cell::shared_words).sum::<usize>() as u32
    }

    fn plane_words(&self) -> Expression {
        self.sizes.as_ref().map_or_else(|| word(0), |sizes| sizes[2].clone())
    }

    /// The address of a word of a plane.
    fn in_plane(&self, to: &mut Lowering<'_>, plane: u32, at: Expression) -> Expression {
        to.shared().address(self.place(plane, at))
    }

    fn place(&self, plane: u32, at: Expression) -> Expression {
        let first = Expression::binary(Binary::Multiply, self.plane_words(), word(plane));
        add(word(self.base), add(first, at))
    }

    /// What stands in front of the loop.
    pub(crate) fn begin(&self, to: &mut Lowering<'_>) -> Done<()> {
        if let Some(own) = self.own_flags {
            to.push(Statement::Declare(own, word(0)));
        }
        for own in self.own.iter().flatten() {
            let zero = Expression::number(0, own.get().data_type());
            to.push(Statement::Declare(*own, zero));
        }
        if let (Some(sizes), Some(Groups::Table { table, .. })) = (&self.sizes, &self.made) {
            let planes = 1 + table.cells.iter().map(Cell::shared_words).sum::<usize>() as u32;
            let words = Expression::binary(Binary::Multiply, sizes[2].clone(), word(planes));
            let shared = to.shared();
            to.each_of_block(words, |to, at| {
                to.push(Statement::Store(shared, add(word(self.base), at), word(0)));
                Ok(())
            })?;
            to.push(Statement::Barrier);
        }
        Ok(())
    }

    /// What stands behind the loop: what threads and blocks have goes into the table.
    pub(crate) fn end(&mut self, to: &mut Lowering<'_>) -> Done<()> {
        let Some(flags) = self.own_flags.map(Variable::get) else { return self.end_block(to) };
        let has_rows = Expression::binary(Binary::NotEqual, flags.clone(), word(0));
        let in_block = self.sizes.is_some().then(|| self.place_in_block(to, &word(0)));
        let own = std::mem::take(&mut self.own);
        to.when(has_rows, |to| {
            for (at, own) in own.iter().enumerate() {
                let (Some(own), Some(Groups::Table { table, .. })) = (own, &self.made) else { continue };
                let (kind, words) = (table.cells[at].kind, self.words[at].clone());
                let value = own.get();
                let address = |at: usize| words[at].address(word(0));
                match (kind, &in_block) {
                    (CellKind::Count, Some(cell)) => {
                        let place = self.in_plane(to, self.plane(at), cell.clone());
                        to.call(Helper::Count32, vec![place, value.cast(Type::U32)]);
                    }
                    (CellKind::Sum { .. }, Some(cell)) => {
                        let place = self.in_plane(to, self.plane(at), cell.clone());
                        to.call(Helper::AddShared, vec![place, self.plane_words(), value]);
                    }
                    (CellKind::Extreme { .. }, Some(cell)) => {
                        let twice = Expression::binary(Binary::Multiply, cell.clone(), word(2));
                        let place = self.in_plane(to, self.plane(at), twice);
                        to.call(Helper::MostShared, vec![place, value]);
                    }
                    (CellKind::Count | CellKind::Sum { wide: false, .. }, None) => {
                        to.call(Helper::Add64, vec![address(0), value.cast(Type::I64)]);
                    }
                    (CellKind::Sum { .. }, None) => {
                        to.call(Helper::AddWide, vec![address(0), address(1), value.cast(Type::I128)]);
                    }
                    (CellKind::Extreme { .. }, None) => to.call(Helper::Most, vec![address(0), value]),
                    (CellKind::Value | CellKind::Logic { .. }, _) => {}
                }
            }
            match (&in_block, self.flags) {
                (Some(cell), _) => {
                    let place = self.in_plane(to, 0, cell.clone());
                    to.call(Helper::SetFlags, vec![place, flags]);
                }
                (None, Some(array)) => to.call(Helper::SetFlags, vec![array.address(word(0)), flags]),
                (None, None) => {}
            }
            Ok(())
        })?;
        self.end_block(to)
    }

    /// A block's memory goes into the table: the copies of a group together.
    fn end_block(&mut self, to: &mut Lowering<'_>) -> Done<()> {
        let (Some([codes, copies, _]), Some(flags)) = (self.sizes.clone(), self.flags) else { return Ok(()) };
        to.push(Statement::Barrier);
        let shared = to.shared();
        let Some(Groups::Table { table, .. }) = &self.made else { return Ok(()) };
        let kinds: Vec<CellKind> = table.cells.iter().map(|cell| cell.kind).collect();
        to.each_of_block(codes.clone(), |to, group| {
            let all = to.declare(word(0));
            let sums: Vec<Option<Variable>> = kinds
                .iter()
                .map(|kind| {
                    let zero = match kind {
                        CellKind::Count | CellKind::Sum { .. } => Expression::number(0, Type::I64),
                        CellKind::Extreme { .. } => Expression::number(0, Type::U64),
                        CellKind::Value | CellKind::Logic { .. } => return None,
                    };
                    Some(to.declare(zero))
                })
                .collect();
            to.each(word(0), copies, word(1), |to, copy| {
                let cell = to.hold(add(Expression::binary(Binary::Multiply, copy, codes), group.clone()));
                let flags = shared.at(self.place(0, cell.clone()));
                to.assign(all, Expression::binary(Binary::BitOr, all.get(), flags));
                for (at, (kind, sum)) in kinds.iter().zip(&sums).enumerate() {
                    let (Some(sum), plane) = (sum, self.plane(at)) else { continue };
                    match kind {
                        CellKind::Count => {
                            let more = shared.at(self.place(plane, cell.clone())).cast(Type::I64);
                            to.assign(*sum, add(sum.get(), more));
                        }
                        CellKind::Sum { .. } => {
                            let place = self.in_plane(to, plane, cell.clone());
                            let more = Expression::Call(Helper::Joined, vec![place, self.plane_words()]);
                            to.assign(*sum, add(sum.get(), more));
                        }
                        _ => {
                            let twice = Expression::binary(Binary::Multiply, cell.clone(), word(2));
                            let place = self.in_plane(to, plane, twice);
                            let other = to.hold(Expression::Call(Helper::Pair, vec![place]));
                            let better = Expression::binary(Binary::Greater, other.clone(), sum.get());
                            to.assign(*sum, Expression::select(better, other, sum.get()));
                        }
                    }
                }
                Ok(())
            })?;
            let has_rows = Expression::binary(Binary::NotEqual, all.get(), word(0));
            to.when(has_rows, |to| {
                for (at, (kind, sum)) in kinds.iter().zip(&sums).enumerate() {
                    let Some(sum) = sum else { continue };
                    let words = &self.words[at];
                    let address = |at: usize| words[at].address(group.clone());
                    match kind {
                        CellKind::Sum { wide: true, .. } => {
                            to.call(Helper::Add128, vec![address(0), address(1), sum.get()]);
                        }
                        CellKind::Extreme { .. } => to.call(Helper::Most, vec![address(0), sum.get()]),
                        _ => to.call(Helper::Add64, vec![address(0), sum.get()]),
                    }
                }
                to.call(Helper::SetFlags, vec![flags.address(group.clone()), all.get()]);
                Ok(())
            })
        })
    }

    /// What was made, when the kernel has run.
    pub(crate) fn finish(self) -> Option<Groups> {
        self.made
    }
}
