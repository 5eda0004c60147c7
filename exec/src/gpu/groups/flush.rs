//! What stands around the loop of a reduction: blocks' memory is cleared, and what threads and blocks have goes into the table.

use super::cell::{Cell, CellKind};
use super::first::First;
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
        let of_run = self.run.iter().flat_map(|run| [&run.last, &run.began]);
        for own in self.own_flags.iter().chain(&self.pending).chain(of_run).chain(self.own.iter().flatten()) {
            let zero = Expression::number(0, own.get().data_type());
            to.push(Statement::Declare(*own, zero));
        }
        if let (Some(sizes), Some(Groups::Table { table, .. })) = (&self.sizes, &self.made) {
            let planes = self.plane(table.cells.len());
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
        if self.sizes.is_none() {
            let group = self.pending.map_or_else(|| word(0), Variable::get);
            return self.put_own(to, &group);
        }
        let has_rows = Expression::binary(Binary::NotEqual, flags.clone(), word(0));
        let cell = self.cell_of_block(to, &word(0));
        to.when(has_rows, |to| {
            for (at, own) in self.own.iter().enumerate() {
                if let Some(own) = own {
                    self.put_in_block(to, at, &cell, own.get());
                }
            }
            self.set_flags_in_block(to, &cell, flags);
            Ok(())
        })?;
        self.end_block(to)
    }

    /// A block's memory goes into the table: the copies of a group together, the entries of a cache each to its group.
    fn end_block(&self, to: &mut Lowering<'_>) -> Done<()> {
        let Some([codes, copies, _]) = self.sizes.clone() else { return Ok(()) };
        to.push(Statement::Barrier);
        let shared = to.shared();
        if self.first == First::Cache {
            let entries = Expression::binary(Binary::Multiply, codes, copies);
            return to.each_of_block(entries, |to, entry| {
                let whose = to.hold(shared.at(self.place(0, entry.clone())));
                to.when(Expression::binary(Binary::NotEqual, whose.clone(), word(0)), |to| {
                    let (all, sums) = self.sums(to);
                    self.add_copy(to, (all, &sums), &entry);
                    let group = Expression::binary(Binary::Subtract, whose, word(1));
                    let group = to.hold(group);
                    self.put(to, (all, &sums), &group)
                })
            });
        }
        to.each_of_block(codes, |to, group| {
            let (all, sums) = self.sums(to);
            to.each(word(0), copies.clone(), word(1), |to, copy| {
                let cell = to.hold(add(Expression::binary(Binary::Multiply, group.clone(), copies), copy));
                self.add_copy(to, (all, &sums), &cell);
                Ok(())
            })?;
            let has_rows = self.has_rows(all, &sums);
            to.when(has_rows, |to| self.put(to, (all, &sums), &group))
        })
    }

    /// What a block has of a part goes into the table: so many groups from a code on. Of a part that is all its own it is stored.
    pub(super) fn end_part(
        &self,
        to: &mut Lowering<'_>,
        (groups, base): (Expression, &Expression),
        is_whole: &Expression,
    ) -> Done<()> {
        to.each_of_block(groups, |to, cell| {
            let (all, sums) = self.sums(to);
            self.add_copy(to, (all, &sums), &cell);
            let has_rows = self.has_rows(all, &sums);
            to.when(has_rows, |to| {
                let group = to.hold(add(base.clone(), cell));
                to.when(is_whole.clone(), |to| self.store(to, &group, (Some(all), &sums)))?;
                to.when(is_whole.clone().not(), |to| self.put(to, (all, &sums), &group))
            })
        })
    }

    /// Variables for the flags of a group and for each cell.
    fn sums(&self, to: &mut Lowering<'_>) -> (Variable, Vec<Option<Variable>>) {
        let cells = match &self.made {
            Some(Groups::Table { table, .. }) => &table.cells[..],
            _ => &[],
        };
        let all = to.declare(word(0));
        let sum = |cell: &Cell| match cell.kind {
            CellKind::Sum { .. } if cell.is_wide_in_block => Some(to.declare(Expression::number(0, Type::I128))),
            CellKind::Count | CellKind::Sum { .. } => Some(to.declare(Expression::number(0, Type::I64))),
            CellKind::Extreme { .. } if cell.narrow => Some(to.declare(word(0))),
            CellKind::Extreme { .. } => Some(to.declare(Expression::number(0, Type::U64))),
            CellKind::Value | CellKind::Logic { .. } => None,
        };
        (all, cells.iter().map(sum).collect())
    }

    /// Whether rows came to what has these flags and sums.
    fn has_rows(&self, all: Variable, sums: &[Option<Variable>]) -> Expression {
        let Some(Groups::Table { table, .. }) = &self.made else { return Expression::truth(false) };
        let first = table.record.seen.words[0];
        let told = match table.record.flags {
            Some(_) => Some(all),
            // Its cell is not zero then.
            None => table
                .record
                .cells
                .iter()
                .zip(sums)
                .find(|(at, sum)| **at == first && sum.is_some())
                .and_then(|(_, sum)| *sum),
        };
        match told {
            Some(told) => {
                let told = told.get();
                let zero = Expression::number(0, told.data_type());
                Expression::binary(Binary::NotEqual, told, zero)
            }
            None => Expression::truth(true),
        }
    }

    /// Adds what a cell of a block's memory has to flags and sums.
    fn add_copy(&self, to: &mut Lowering<'_>, (all, sums): (Variable, &[Option<Variable>]), cell: &Expression) {
        let Some(Groups::Table { table, .. }) = &self.made else { return };
        let shared = to.shared();
        if let Some(plane) = self.flags_plane() {
            let flags = shared.at(self.place(plane, cell.clone()));
            to.assign(all, Expression::binary(Binary::BitOr, all.get(), flags));
        }
        for (at, (of, sum)) in table.cells.iter().zip(sums).enumerate() {
            let (Some(sum), plane) = (sum, self.plane(at)) else { continue };
            match of.kind {
                CellKind::Count => {
                    let more = shared.at(self.place(plane, cell.clone())).cast(Type::I64);
                    to.assign(*sum, add(sum.get(), more));
                }
                CellKind::Sum { .. } => {
                    let place = self.in_plane(to, plane, cell.clone());
                    let helper = if of.is_wide_in_block { Helper::JoinedWide } else { Helper::Joined };
                    let more = Expression::Call(helper, vec![place, self.plane_words()]);
                    to.assign(*sum, add(sum.get(), more));
                }
                _ => {
                    let other = match of.narrow {
                        true => shared.at(self.place(plane, cell.clone())),
                        false => {
                            let twice = Expression::binary(Binary::Multiply, cell.clone(), word(2));
                            Expression::Call(Helper::Pair, vec![self.in_plane(to, plane, twice)])
                        }
                    };
                    let other = to.hold(other);
                    let better = Expression::binary(Binary::Greater, other.clone(), sum.get());
                    to.assign(*sum, Expression::select(better, other, sum.get()));
                }
            }
        }
    }

    /// Puts the sums of a group into the table.
    fn put(&self, to: &mut Lowering<'_>, (all, sums): (Variable, &[Option<Variable>]), group: &Expression) -> Done<()> {
        let place = self.in_table(to, group)?;
        for (at, sum) in sums.iter().enumerate() {
            if let Some(sum) = sum {
                self.put_in_table(to, at, &place, sum.get());
            }
        }
        self.set_flags_in_table(to, &place, all.get());
        Ok(())
    }
}
