//! Counts tuples, and marks the rows that give one: who collects them asks nothing twice.
//!
//! A thread has eight neighbouring rows at once, whose marks are a byte. Where few rows pass, who collects them takes the rows of a byte,
//! too: a sum over the threads of a block takes long, for one row a thread.

use super::{Beside, add, launch, word};
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::{Helper, LANES};
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::lower::{Lowering, Marks};
use crate::gpu::stop::{Done, decline};
use multiloop_planner::multiloop::ScalarId;
use std::sync::Arc;

/// How many tuples of a loop pass some conditions.
pub(crate) fn count_tuples(of: &Lowering<'_>, conditions: &[ScalarId], pieces: &Pieces) -> Done<u64> {
    let mut lowering = Lowering::new((of.task, of.inputs), of.device, of.reads);
    lowering.over(pieces);
    let (counts, _) = count(lowering, conditions, pieces, &|| None)?;
    Ok(counts.into_iter().map(u64::from).sum())
}

/// Whether rows can be marked: each gives a tuple or none.
pub(super) fn gives_one(of: &mut Lowering<'_>) -> Done<bool> {
    Ok(of.groups_of(0).is_none() && of.gives_one()?)
}

/// Bytes of marks for each piece.
pub(super) fn marks_each(pieces: &Pieces) -> u64 {
    pieces.largest / 8 + 2
}

/// How many tuples each piece gives; and which rows give one, where none gives more.
pub(super) fn count(
    mut to: Lowering<'_>,
    conditions: &[ScalarId],
    pieces: &Pieces,
    beside: Beside<'_>,
) -> Done<(Vec<u32>, Option<Arc<Buffer>>)> {
    let device = to.device;
    let counts = Buffer::zeroed(&device.driver, pieces.count * 4)?;
    let array = to.memory(Type::U32, &counts);
    let shared = to.shared();
    let each = marks_each(pieces);
    let marks = match gives_one(&mut to)? {
        true => Some(Buffer::zeroed(&device.driver, pieces.count * each as usize)?),
        false => None,
    };
    to.each_piece(pieces, |to, piece, (from, below)| {
        if let Some(marks) = &marks {
            let array = to.memory(Type::U8, marks);
            let first = first_mark(to, &piece, each);
            to.marks = Some(Marks { array, first, found: None });
        }
        let own = to.declare(word(0));
        to.tuples(from, below, |to| {
            to.filter(conditions, |to| {
                to.assign(own, add(own.get(), word(1)));
                to.mark();
                Ok(())
            })
        })?;
        let own = own.get();
        to.declare(Expression::Call(Helper::Scan, vec![shared.address(word(0)), own]));
        let is_first = Expression::binary(Binary::Equal, Expression::Place(Place::Thread), word(0));
        let all = shared.at(Expression::Place(Place::Threads));
        to.when(is_first, |to| {
            to.push(Statement::Store(array, piece, all));
            Ok(())
        })?;
        to.push(Statement::Barrier);
        Ok(())
    })?;
    if pieces.largest.saturating_mul(to.tuples_each) > u32::MAX.into() {
        return decline("more tuples of some rows than can be counted");
    }
    launch(device, to, ("count", beside), pieces)?;
    Ok((counts.values(pieces.count)?, marks))
}

/// The first byte of marks of a piece.
pub(super) fn first_mark(to: &mut Lowering<'_>, piece: &Expression, each: u64) -> Expression {
    let each = to.integer(each.into(), Type::U64);
    to.hold(Expression::binary(Binary::Multiply, piece.clone().cast(Type::U64), each))
}

/// Whether a row of a piece gives a tuple, as marks say.
pub(super) fn is_marked(
    to: &mut Lowering<'_>,
    marks: &Arc<Buffer>,
    first: Expression,
    (from, row): (&Expression, &Expression),
) -> Expression {
    let bytes = to.memory(Type::U8, marks).address(first);
    let start = Expression::binary(Binary::BitAnd, from.clone(), Expression::number(!7u64 as i128, Type::U64));
    let at = Expression::binary(Binary::Subtract, row.clone(), start);
    Expression::Call(Helper::Bit, vec![bytes, at])
}

/// Goes over the tuples of marked rows of a piece, of which each thread takes those of a byte: with the place of each.
pub(super) fn by_marks(
    to: &mut Lowering<'_>,
    (marks, first_mark): (Variable, &Expression),
    (place, from, below): (Variable, Expression, Expression),
    put: impl FnOnce(&mut Lowering<'_>, Variable) -> Done<()>,
) -> Done<()> {
    let long = |of: u64| Expression::number(of.into(), Type::U64);
    let lanes = u64::from(LANES);
    let start = to.hold(Expression::binary(Binary::BitAnd, from, long(!(lanes - 1))));
    let shared = to.shared();
    let step = Expression::binary(Binary::Multiply, Expression::Place(Place::Threads).cast(Type::U64), long(lanes));
    to.each(start.clone(), below.clone(), step, |to, base| {
        let far = Expression::binary(Binary::Multiply, Expression::Place(Place::Thread).cast(Type::U64), long(lanes));
        let first = to.hold(add(base, far));
        let byte = to.declare(word(0));
        to.when(Expression::binary(Binary::Less, first.clone(), below), |to| {
            let at = Expression::binary(Binary::Subtract, first.clone(), start);
            let at = Expression::binary(Binary::ShiftRight, at, word(LANES.ilog2()));
            to.assign(byte, marks.at(add(first_mark.clone(), at)).cast(Type::U32));
            Ok(())
        })?;
        let own = Expression::Call(Helper::Ones, vec![byte.get()]);
        let before = Expression::Call(Helper::Scan, vec![shared.address(word(0)), own]);
        let at = to.declare(add(place.get(), before));
        to.as_long_as(Expression::binary(Binary::NotEqual, byte.get(), word(0)), |to| {
            let lane = to.hold(Expression::Call(Helper::FirstBit, vec![byte.get()]));
            let bit = Expression::binary(Binary::ShiftLeft, word(1), lane.clone());
            to.assign(byte, Expression::binary(Binary::Subtract, byte.get(), bit));
            let row = to.hold(add(first, lane.cast(Type::U64)));
            to.tuples_of(row, |to| put(to, at))
        })?;
        to.assign(place, add(place.get(), shared.at(Expression::Place(Place::Threads))));
        to.push(Statement::Barrier);
        Ok(())
    })
}
