//! What stands around the loop of a reduction: blocks' memory is cleared, and what threads and blocks have goes into the table.

use super::cell::{Cell, CellKind};
use super::fold::{Fold, Groups, add, word};
use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::lower::Lowering;
use crate::gpu::stop::Done;

impl Fold<'_> {
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
        to.each_of_block(codes, |to, group| {
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
            to.each(word(0), copies.clone(), word(1), |to, copy| {
                let cell = to.hold(add(Expression::binary(Binary::Multiply, group.clone(), copies), copy));
                let flags = shared.at(self.place(0, cell.clone()));
                to.assign(all, Expression::binary(Binary::BitOr, all.get(), flags));
                self.add_copy(to, (&kinds, &sums), &cell);
                Ok(())
            })?;
            let has_rows = Expression::binary(Binary::NotEqual, all.get(), word(0));
            to.when(has_rows, |to| {
                self.put(to, (&kinds, &sums), &group);
                to.call(Helper::SetFlags, vec![flags.address(group.clone()), all.get()]);
                Ok(())
            })
        })
    }

    /// Adds a copy of a group to its sums.
    fn add_copy(&self, to: &mut Lowering<'_>, (kinds, sums): (&[CellKind], &[Option<Variable>]), cell: &Expression) {
        let shared = to.shared();
        for (at, (kind, sum)) in kinds.iter().zip(sums).enumerate() {
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
    }

    /// Puts the sums of a group into the table.
    fn put(&self, to: &mut Lowering<'_>, (kinds, sums): (&[CellKind], &[Option<Variable>]), group: &Expression) {
        for (at, (kind, sum)) in kinds.iter().zip(sums).enumerate() {
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
    }
}
