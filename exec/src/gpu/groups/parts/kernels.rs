//! The kernels of groups by parts.

use super::{Parts, set};
use crate::gpu::code::expression::{Binary, Expression, Place, Variable};
use crate::gpu::code::helpers::{Helper, LANES};
use crate::gpu::code::statement::{Kernel, Statement};
use crate::gpu::code::types::{Kind, Type};
use crate::gpu::driver::{Argument, Buffer};
use crate::gpu::groups::SEEN;
use crate::gpu::groups::cell::CellKind;
use crate::gpu::groups::fold::{Fold, To, add, planes, word};
use crate::gpu::groups::record::Views;
use crate::gpu::lower::Lowering;
use crate::gpu::lower::nest::Pieces;
use crate::gpu::stop::Done;
use std::sync::Arc;

/// The kernels, in the order in which they run, and what they are given.
pub(super) struct Kernels {
    pub(super) all: Vec<Kernel>,
    pub(super) arguments: Vec<Vec<Argument>>,
    /// Bytes that blocks of those that go over the rows share, and whether rows wait there.
    pub(super) shared: usize,
    pub(super) has_queue: bool,
    /// Parameters that are not known before the rows are counted.
    late: Late,
}

/// Numbers of parameters.
#[derive(Default)]
struct Late {
    counted: [usize; 3],
    blocks: usize,
    sums: usize,
    starts: usize,
    tuples: [usize; 2],
    shares: usize,
    count: usize,
    table: [usize; 2],
}

/// A parameter that is not known yet.
fn later(to: &mut Lowering<'_>, of: Type) -> Variable {
    let nothing = Arc::clone(&to.reads.error);
    to.parameter(Kind::Pointer(of), Argument::Memory(nothing))
}

fn multiply(a: Expression, b: Expression) -> Expression {
    Expression::binary(Binary::Multiply, a, b)
}

/// The kernels that go over the rows: what they have in a block's memory, and of all blocks.
struct OverRows {
    /// Parts, as a parameter.
    count: Expression,
    counted: Variable,
    /// The first word of the block's memory that is theirs.
    base: u32,
}

impl OverRows {
    fn new(to: &mut Lowering<'_>) -> Self {
        OverRows { count: word(0), counted: later(to, Type::U32), base: 0 }
    }

    /// The number of a part's word among those of all blocks.
    fn of_block(&self, part: Expression) -> Expression {
        let block = multiply(Expression::Place(Place::Block), self.count.clone()).cast(Type::U64);
        add(block, part.cast(Type::U64))
    }

    /// The place of a part's word in the block's memory.
    fn place(&self, to: &mut Lowering<'_>, part: Expression) -> Expression {
        to.shared().address(add(word(self.base), part))
    }
}

impl Kernels {
    /// The kernels of a reduction, if it has parts.
    pub(super) fn new<'a>(put: Lowering<'a>, fold: &mut Fold<'_>, pieces: &Pieces) -> Done<Option<(Self, Parts)>> {
        let (task, inputs, device, reads) = (put.task, put.inputs, put.device, put.reads);
        let new = || Lowering::new((task, inputs), device, reads);
        let mut late = Late::default();
        let Some((put, parts)) = putting(put, fold, pieces, &mut late)? else { return Ok(None) };
        let mut counting = new();
        counting.over(pieces);
        let counting = count(counting, (fold, &parts), pieces, &mut late)?;
        let (shared, has_queue) = (put.2, put.3);
        let starting = starts(new(), &parts, &mut late)?;
        let folding = summing(new(), (fold, &parts), &mut late)?;
        let (all, arguments) = [(counting.0, counting.1), starting, (put.0, put.1), folding].into_iter().unzip();
        Ok(Some((Kernels { all, arguments, shared, has_queue, late }, parts)))
    }

    /// What the counts go to.
    pub(super) fn set_counted(&mut self, counted: &Arc<Buffer>, blocks: u32, sums: &Arc<Buffer>) {
        for (arguments, &at) in self.arguments.iter_mut().zip(&self.late.counted) {
            set(arguments, at, counted);
        }
        self.arguments[1][self.late.blocks] = Argument::U32(blocks);
        set(&mut self.arguments[1], self.late.sums, sums);
    }

    /// Where tuples go, who sums them, and where.
    pub(super) fn set_shares(
        &mut self,
        (starts, tuples): (&Arc<Buffer>, &Arc<Buffer>),
        (shares, count): (&Arc<Buffer>, u32),
        table: &Arc<Buffer>,
    ) {
        set(&mut self.arguments[2], self.late.starts, starts);
        set(&mut self.arguments[2], self.late.tuples[0], tuples);
        set(&mut self.arguments[3], self.late.tuples[1], tuples);
        set(&mut self.arguments[3], self.late.shares, shares);
        self.arguments[3][self.late.count] = Argument::U32(count);
        self.late.table.iter().for_each(|&at| set(&mut self.arguments[3], at, table));
    }
}

/// The number of a parameter.
fn number_of(kernel: &Kernel, parameter: Variable) -> usize {
    kernel.parameters.iter().position(|of| *of == parameter).unwrap_or(0)
}

/// A kernel with its arguments, the bytes that its blocks share, and whether rows wait there.
type Written = (Kernel, Vec<Argument>, usize, bool);

/// Goes over all rows: what is done for each tuple, and in front of and behind all.
fn over_rows(
    mut to: Lowering<'_>,
    name: &'static str,
    parts: u64,
    body: Vec<Statement>,
    around: impl FnOnce(&mut Lowering<'_>, Vec<Statement>) -> Done<()>,
) -> Done<Written> {
    let has_queue = to.queue_bytes > 0;
    around(&mut to, body)?;
    let bytes = to.queue_bytes + parts as usize * 4;
    let (kernel, arguments, bytes) = to.finish(name, bytes);
    Ok((kernel, arguments, bytes, has_queue))
}

/// Counts for each block its tuples of each part.
fn count(
    mut to: Lowering<'_>,
    (fold, parts): (&mut Fold<'_>, &Parts),
    pieces: &Pieces,
    late: &mut Late,
) -> Done<Written> {
    let mut rows = OverRows::new(&mut to);
    rows.count = to.number(parts.count as u32);
    let shift = to.number(parts.shift);
    let conditions = fold.conditions;
    let body = to.apart(|to| {
        to.nest(pieces, |to| {
            rows.base = to.queue_bytes as u32 / 4;
            to.filter(conditions, |to| {
                let (layout, own) = fold.layout(to)?;
                let code = fold.code(to, &layout, &own)?;
                let part = Expression::binary(Binary::ShiftRight, code, shift.clone()).cast(Type::U32);
                let place = rows.place(to, part);
                to.call(Helper::Count32, vec![place, word(1)]);
                Ok(())
            })
        })
    })?;
    let counted = rows.counted;
    let written = over_rows(to, "parts_count", parts.count, body, |to, body| {
        let shared = to.shared();
        to.each_of_block(rows.count.clone(), |to, part| {
            to.push(Statement::Store(shared, add(word(rows.base), part), word(0)));
            Ok(())
        })?;
        to.push(Statement::Barrier);
        to.put(body);
        to.push(Statement::Barrier);
        to.each_of_block(rows.count.clone(), |to, part| {
            let place = rows.of_block(part.clone());
            to.push(Statement::Store(counted, place, shared.at(add(word(rows.base), part))));
            Ok(())
        })
    })?;
    late.counted[0] = number_of(&written.0, counted);
    Ok(written)
}

/// Sums for each part what blocks have of it: each has its place behind those before it.
fn starts(mut to: Lowering<'_>, parts: &Parts, late: &mut Late) -> Done<(Kernel, Vec<Argument>)> {
    let (counted, sums) = (later(&mut to, Type::U32), later(&mut to, Type::U32));
    let count = to.number(parts.count as u32);
    let blocks = to.parameter(Kind::Value(Type::U32), Argument::U32(0));
    let threads = Expression::Place(Place::Threads);
    let first = add(multiply(Expression::Place(Place::Block), threads.clone()), Expression::Place(Place::Thread));
    let all = multiply(Expression::Place(Place::Blocks), threads);
    to.each(first, count.clone(), all, |to, part| {
        let sum = to.declare(word(0));
        to.each(word(0), blocks.get(), word(1), |to, block| {
            let at = multiply(block, count.clone()).cast(Type::U64);
            let at = to.hold(add(at, part.clone().cast(Type::U64)));
            let own = to.hold(counted.at(at.clone()));
            to.push(Statement::Store(counted, at, sum.get()));
            to.assign(sum, add(sum.get(), own));
            Ok(())
        })?;
        to.push(Statement::Store(sums, part, sum.get()));
        Ok(())
    })?;
    let (kernel, arguments, _) = to.finish("parts_starts", 0);
    late.counted[1] = number_of(&kernel, counted);
    late.blocks = number_of(&kernel, blocks);
    late.sums = number_of(&kernel, sums);
    Ok((kernel, arguments))
}

/// Puts tuples where those of their part are.
fn putting(
    mut to: Lowering<'_>,
    fold: &mut Fold<'_>,
    pieces: &Pieces,
    late: &mut Late,
) -> Done<Option<(Written, Parts)>> {
    let mut rows = OverRows::new(&mut to);
    let (starts, tuples) = (later(&mut to, Type::U32), later(&mut to, Type::U64));
    let [count, shift] = [(); 2].map(|()| to.parameter(Kind::Value(Type::U32), Argument::U32(0)));
    rows.count = count.get();
    let conditions = fold.conditions;
    let mut found = None;
    let body = to.apart(|to| {
        to.nest(pieces, |to| {
            rows.base = to.queue_bytes as u32 / 4;
            to.filter(conditions, |to| {
                let Some((parts, code)) = fold.parts(to, pieces)? else { return Ok(()) };
                let part = Expression::binary(Binary::ShiftRight, code.clone(), shift.get()).cast(Type::U32);
                let place = rows.place(to, part);
                let place = to.hold(Expression::Call(Helper::Take, vec![place]));
                parts.tuple.write(fold, to, &code, (tuples, place))?;
                found = Some(parts);
                Ok(())
            })
        })
    })?;
    let Some(parts) = found else { return Ok(None) };
    let counted = rows.counted;
    let mut written = over_rows(to, "parts_put", parts.count, body, |to, body| {
        let shared = to.shared();
        to.each_of_block(rows.count.clone(), |to, part| {
            let own = counted.at(rows.of_block(part.clone()));
            let first = add(starts.at(part.clone()), own);
            to.push(Statement::Store(shared, add(word(rows.base), part), first));
            Ok(())
        })?;
        to.push(Statement::Barrier);
        to.put(body);
        Ok(())
    })?;
    let (kernel, arguments) = (&written.0, &mut written.1);
    arguments[number_of(kernel, count)] = Argument::U32(parts.count as u32);
    arguments[number_of(kernel, shift)] = Argument::U32(parts.shift);
    late.counted[2] = number_of(kernel, counted);
    late.starts = number_of(kernel, starts);
    late.tuples[0] = number_of(kernel, tuples);
    Ok(Some((written, parts)))
}

/// Sums tuples of a part in a block's memory, and puts the sums into the table.
fn summing(
    mut to: Lowering<'_>,
    (fold, parts): (&mut Fold<'_>, &Parts),
    late: &mut Late,
) -> Done<(Kernel, Vec<Argument>)> {
    let (tuples, shares) = (later(&mut to, Type::U64), later(&mut to, Type::U32));
    let views = Views { words: later(&mut to, Type::U32), pairs: later(&mut to, Type::U64) };
    let count = to.parameter(Kind::Value(Type::U32), Argument::U32(0));
    let (shift, codes) = (to.number(parts.shift), to.integer(parts.codes.into(), Type::U64));
    let each = to.number(1 << parts.shift);
    let one = to.number(1);
    let memory = Arc::clone(&to.reads.error);
    fold.sum_in_block((&parts.cells, &parts.record), (memory, views), [each.clone(), one, each.clone()]);
    let words = to.number((planes(&parts.cells, &parts.record) << parts.shift) as u32);
    let shared = to.shared();
    let (block, blocks) = (Expression::Place(Place::Block), Expression::Place(Place::Blocks));
    to.each(block, count.get(), blocks, |to, share| {
        let first = multiply(share, word(4));
        let [part, from, below, is_whole] = [0, 1, 2, 3].map(|at| shares.at(add(first.clone(), word(at))));
        let [part, from, below, is_whole] = [part, from, below, is_whole].map(|of| to.hold(of));
        to.each_of_block(words, |to, at| {
            to.push(Statement::Store(shared, at, word(0)));
            Ok(())
        })?;
        to.push(Statement::Barrier);
        let base = to.hold(Expression::binary(Binary::ShiftLeft, part, shift));
        let lanes = |of: Expression| multiply(of, word(LANES));
        let own = to.hold(add(from, lanes(Expression::Place(Place::Thread))));
        to.each(own, below.clone(), lanes(Expression::Place(Place::Threads)), |to, at| {
            let read = parts.tuple.read(to, tuples, (&at, LANES));
            to.each_lane(|to, lane| {
                let is_in = Expression::binary(Binary::Less, add(at, lane.clone()), below);
                to.when(is_in, |to| {
                    let tuple = parts.tuple.of(read, lane);
                    let cell = to.hold(Expression::binary(Binary::Subtract, parts.tuple.code(&tuple), base.clone()));
                    let mut flags = word(SEEN);
                    for at in 0..parts.cells.len() {
                        let (has_one, value) = parts.tuple.argument(&tuple, at);
                        to.when(has_one.clone(), |to| fold.add(to, at, (&cell, To::Block(&cell)), value))?;
                        let cell = &parts.cells[at];
                        if let Some(flag) = cell.flag.filter(|_| cell.kind != CellKind::Count) {
                            let own = Expression::select(has_one, word(flag), word(0));
                            flags = Expression::binary(Binary::BitOr, flags, own);
                        }
                    }
                    fold.set_flags_in_block(to, &cell, flags);
                    Ok(())
                })
            })
        })?;
        to.push(Statement::Barrier);
        // The last part may have fewer groups.
        let left = Expression::binary(Binary::Subtract, codes, base.clone().cast(Type::U64));
        let left = to.hold(left);
        let all = each.cast(Type::U64);
        let is_last = Expression::binary(Binary::Less, left.clone(), all.clone());
        let groups = to.hold(Expression::select(is_last, left, all).cast(Type::U32));
        let is_whole = to.hold(Expression::binary(Binary::NotEqual, is_whole, word(0)));
        fold.end_part(to, (groups, &base), &is_whole)?;
        to.push(Statement::Barrier);
        Ok(())
    })?;
    let (kernel, arguments, _) = to.finish("parts_sum", 0);
    late.tuples[1] = number_of(&kernel, tuples);
    late.shares = number_of(&kernel, shares);
    late.count = number_of(&kernel, count);
    late.table = [views.words, views.pairs].map(|of| number_of(&kernel, of));
    Ok((kernel, arguments))
}
