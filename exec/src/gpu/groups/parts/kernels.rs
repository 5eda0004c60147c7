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
use std::cell::OnceCell;
use std::sync::Arc;

/// The kernels, in the order in which they run, and what they are given.
pub(super) struct Kernels {
    pub(super) all: Vec<Kernel>,
    pub(super) arguments: Vec<Vec<Argument>>,
    /// Bytes that blocks share of those that go over the rows.
    pub(super) shared: usize,
    /// Parameters that are not known before the rows are counted.
    late: Late,
}

/// Numbers of parameters.
#[derive(Default)]
struct Late {
    counted: [usize; 3],
    stride: usize,
    blocks: usize,
    sums: usize,
    starts: usize,
    tuples: [usize; 2],
    room: usize,
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

impl Kernels {
    /// The kernels of a reduction, if it has parts.
    pub(super) fn new<'a>(put: Lowering<'a>, fold: &mut Fold<'_>, pieces: &Pieces) -> Done<Option<(Self, Parts)>> {
        let (task, inputs, device, reads) = (put.task, put.inputs, put.device, put.reads);
        let new = || Lowering::new((task, inputs), device, reads);
        let mut late = Late::default();
        let Some(((put, arguments, put_bytes), parts)) = putting(put, fold, pieces, &mut late)? else {
            return Ok(None);
        };
        let mut counting = new();
        counting.over(pieces);
        let (counting, counts, count_bytes) = count(counting, (fold, &parts), pieces, &mut late)?;
        let shared = put_bytes.max(count_bytes);
        let starting = starts(new(), &parts, &mut late)?;
        let summing = summing(new(), (fold, &parts), &mut late)?;
        let (all, arguments) = [(counting, counts), starting, (put, arguments), summing].into_iter().unzip();
        Ok(Some((Kernels { all, arguments, shared, late }, parts)))
    }

    /// Bytes that blocks of so many threads share which put tuples.
    pub(super) fn room(parts: &Parts, threads: u32) -> usize {
        Sorting::room(parts, threads).0
    }

    /// Blocks of the kernels that go over the rows have so many threads.
    pub(super) fn set_threads(&mut self, parts: &Parts, threads: u32) {
        self.arguments[2][self.late.room] = Argument::U32(Sorting::room(parts, threads).1);
    }

    /// Rows of one piece of so many are counted.
    pub(super) fn set_stride(&mut self, stride: u32) {
        self.arguments[0][self.late.stride] = Argument::U32(stride);
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

/// A kernel, what it is given, and bytes that its blocks share.
type Written = (Kernel, Vec<Argument>, usize);

/// The number of a parameter.
fn number_of(kernel: &Kernel, parameter: Variable) -> usize {
    kernel.parameters.iter().position(|of| *of == parameter).unwrap_or(0)
}

/// The number of a part's word among those of all blocks.
fn of_block(part: Expression, count: &Expression) -> Expression {
    let block = multiply(Expression::Place(Place::Block), count.clone()).cast(Type::U64);
    add(block, part.cast(Type::U64))
}

/// Counts for each block its tuples of each part.
fn count(
    mut to: Lowering<'_>,
    (fold, parts): (&mut Fold<'_>, &Parts),
    pieces: &Pieces,
    late: &mut Late,
) -> Done<Written> {
    let counted = later(&mut to, Type::U32);
    let (count, shift) = (to.number(parts.count as u32), to.number(parts.shift));
    let shared = to.shared();
    to.each_of_block(count.clone(), |to, part| {
        to.push(Statement::Store(shared, part, word(0)));
        Ok(())
    })?;
    to.push(Statement::Barrier);
    let conditions = fold.conditions;
    let stride = to.parameter(Kind::Value(Type::U32), Argument::U32(1));
    let by_stride = |of: Place| multiply(Expression::Place(of), stride.get());
    let every = (by_stride(Place::Block), to.number(pieces.count as u32), by_stride(Place::Blocks));
    to.some_pieces(pieces, every, |to, _, (from, below)| {
        to.tuples(from, below, |to| {
            to.filter(conditions, |to| {
                let (layout, own) = fold.layout(to)?;
                let code = fold.code(to, &layout, &own)?;
                let part = Expression::binary(Binary::ShiftRight, code, shift).cast(Type::U32);
                to.call(Helper::Count32, vec![shared.address(part), word(1)]);
                Ok(())
            })
        })
    })?;
    to.push(Statement::Barrier);
    to.each_of_block(count.clone(), |to, part| {
        to.push(Statement::Store(counted, of_block(part.clone(), &count), shared.at(part)));
        Ok(())
    })?;
    let (kernel, arguments, bytes) = to.finish("parts_count", parts.count as usize * 4);
    late.counted[0] = number_of(&kernel, counted);
    late.stride = number_of(&kernel, stride);
    Ok((kernel, arguments, bytes))
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

/// What a block that puts tuples has in its memory: for each part four words, what the sum over its threads takes, and tuples in the
/// order of their parts.
#[derive(Clone)]
struct Sorting {
    shared: Variable,
    /// Parts, the first word of tuples, and how far a code is to be shifted: parameters.
    count: Variable,
    tuples: Variable,
    shift: Variable,
}

/// Words of a part: its tuples of this step; where the next one of the block goes; where its first one of this step is among the tuples
/// of the step; and how far it is from there to where it goes.
const STEP_COUNT: u32 = 0;
const NEXT: u32 = 1;
const FIRST: u32 = 2;
const FAR: u32 = 3;
const WORDS: u32 = 4;

impl Sorting {
    /// Bytes that blocks of so many threads share, and the first word that tuples have.
    fn room(parts: &Parts, threads: u32) -> (usize, u32) {
        let first = (parts.count as u32 * WORDS + threads + 1).next_multiple_of(2);
        let tuples = (threads * LANES * parts.tuple.words()) as usize * 8;
        (first as usize * 4 + tuples, first)
    }

    fn place(&self, which: u32, part: Expression) -> Expression {
        add(multiply(self.count.get(), word(which)), part)
    }

    fn at(&self, which: u32, part: Expression) -> Expression {
        self.shared.at(self.place(which, part))
    }

    fn set(&self, to: &mut Lowering<'_>, which: u32, part: &Expression, value: Expression) {
        to.push(Statement::Store(self.shared, self.place(which, part.clone()), value));
    }

    fn part(&self, code: Expression) -> Expression {
        Expression::binary(Binary::ShiftRight, code, self.shift.get()).cast(Type::U32)
    }

    /// The word of the block's memory that has one of a tuple, of two words of 32 bits.
    fn of_tuple(&self, tuple: &Expression, words: u32, at: u32) -> Expression {
        let far = multiply(tuple.clone(), word(2 * words));
        self.shared.address(add(add(self.tuples.get(), far), word(2 * at)))
    }

    /// The first tuple of each part among those of a step, of which there are so many then.
    fn sum(&self, to: &mut Lowering<'_>) -> Done<Expression> {
        let (thread, threads) = (Expression::Place(Place::Thread), Expression::Place(Place::Threads));
        let count = self.count.get();
        let up = Expression::binary(Binary::Subtract, add(count.clone(), threads.clone()), word(1));
        let each = Expression::binary(Binary::Divide, up, threads.clone());
        let from = to.hold(multiply(thread, each.clone()));
        let below = add(from.clone(), each);
        let is_last = Expression::binary(Binary::Greater, below.clone(), count.clone());
        let below = to.hold(Expression::select(is_last, count.clone(), below));
        let own = to.declare(word(0));
        to.each(from.clone(), below.clone(), word(1), |to, part| {
            to.assign(own, add(own.get(), self.at(STEP_COUNT, part)));
            Ok(())
        })?;
        let sums = multiply(count, word(WORDS));
        let scan = Expression::Call(Helper::Scan, vec![self.shared.address(sums.clone()), own.get()]);
        let before = to.declare(scan);
        to.each(from, below, word(1), |to, part| {
            let tuples = to.hold(self.at(STEP_COUNT, part.clone()));
            let next = to.hold(self.at(NEXT, part.clone()));
            self.set(to, FIRST, &part, before.get());
            self.set(to, FAR, &part, Expression::binary(Binary::Subtract, next.clone(), before.get()));
            self.set(to, NEXT, &part, add(next, tuples.clone()));
            self.set(to, STEP_COUNT, &part, word(0));
            to.assign(before, add(before.get(), tuples));
            Ok(())
        })?;
        Ok(self.shared.at(add(sums, threads)))
    }
}

/// Puts tuples where those of their part are: first, in the block's memory, those of a step in the order of their parts, so that
/// neighbours go to neighbours.
fn putting(
    mut to: Lowering<'_>,
    fold: &mut Fold<'_>,
    pieces: &Pieces,
    late: &mut Late,
) -> Done<Option<(Written, Parts)>> {
    let (counted, starts, tuples) = (later(&mut to, Type::U32), later(&mut to, Type::U32), later(&mut to, Type::U64));
    let number = |to: &mut Lowering<'_>| to.parameter(Kind::Value(Type::U32), Argument::U32(0));
    let shared = to.shared();
    let sorting = Sorting { shared, count: number(&mut to), tuples: number(&mut to), shift: number(&mut to) };
    let (own, ranks, found) = (to.array(Type::U64), to.array(Type::U32), to.later(Type::U32));
    let known = OnceCell::new();
    let conditions = fold.conditions;
    let body = to.apart(|to| {
        let begin = |to: &mut Lowering<'_>| {
            to.push(Statement::Assign(found, word(0)));
            Ok(())
        };
        let sink = |to: &mut Lowering<'_>| {
            to.filter(conditions, |to| {
                let Some((parts, code)) = fold.parts(to, pieces)? else { return Ok(()) };
                let lane = to.lane();
                for (at, value) in parts.tuple.values(fold, to, &code)?.into_iter().enumerate() {
                    let place = add(multiply(lane.clone(), word(parts.tuple.words())), word(at as u32));
                    to.push(Statement::Store(own, place, value));
                }
                let part = shared.address(sorting.place(STEP_COUNT, sorting.part(code)));
                to.push(Statement::Store(ranks, lane.clone(), Expression::Call(Helper::Take, vec![part])));
                let bit = Expression::binary(Binary::ShiftLeft, word(1), lane);
                to.assign(found, Expression::binary(Binary::BitOr, found.get(), bit));
                let _ = known.set(parts);
                Ok(())
            })
        };
        to.nest_in_steps(pieces, begin, sink, |to| match known.get() {
            Some(parts) => put_step(to, (parts, &sorting), (own, ranks, found), tuples),
            None => Ok(()),
        })
    })?;
    let Some(parts) = known.into_inner() else { return Ok(None) };
    to.push(Statement::Array(own, LANES * parts.tuple.words()));
    to.push(Statement::Array(ranks, LANES));
    to.push(Statement::Declare(found, word(0)));
    to.each_of_block(sorting.count.get(), |to, part| {
        let first = add(starts.at(part.clone()), counted.at(of_block(part.clone(), &sorting.count.get())));
        sorting.set(to, NEXT, &part, first);
        sorting.set(to, STEP_COUNT, &part, word(0));
        Ok(())
    })?;
    to.push(Statement::Barrier);
    to.put(body);
    // What filters have of the block's memory is behind that.
    let room = Sorting::room(&parts, to.device.driver.limits().threads).0;
    let (kernel, mut arguments, bytes) = to.finish("parts_put", room);
    arguments[number_of(&kernel, sorting.count)] = Argument::U32(parts.count as u32);
    arguments[number_of(&kernel, sorting.shift)] = Argument::U32(parts.shift);
    late.counted[2] = number_of(&kernel, counted);
    late.starts = number_of(&kernel, starts);
    late.tuples[0] = number_of(&kernel, tuples);
    late.room = number_of(&kernel, sorting.tuples);
    Ok(Some(((kernel, arguments, bytes), parts)))
}

/// Puts the tuples that the threads of a block have, at the end of a step.
fn put_step(
    to: &mut Lowering<'_>,
    (parts, sorting): (&Parts, &Sorting),
    (own, ranks, found): (Variable, Variable, Variable),
    tuples: Variable,
) -> Done<()> {
    let words = parts.tuple.words();
    to.push(Statement::Barrier);
    let all = sorting.sum(to)?;
    to.push(Statement::Barrier);
    to.each_lane(|to, lane| {
        let bit = Expression::binary(Binary::ShiftLeft, word(1), lane.clone());
        let is_one = Expression::binary(Binary::BitAnd, found.get(), bit);
        to.when(Expression::binary(Binary::NotEqual, is_one, word(0)), |to| {
            let word_at = |at: u32| own.at(add(multiply(lane.clone(), word(words)), word(at)));
            let part = sorting.part(word_at(0).cast(Type::U32));
            let at = to.hold(add(sorting.at(FIRST, part), ranks.at(lane.clone())));
            for word in 0..words {
                to.call(Helper::PutShared, vec![sorting.of_tuple(&at, words, word), word_at(word)]);
            }
            Ok(())
        })
    })?;
    to.push(Statement::Barrier);
    to.each_of_block(all, |to, at| {
        let word_at = |to: &mut Lowering<'_>, word: u32| {
            to.hold(Expression::Call(Helper::Pair, vec![sorting.of_tuple(&at, words, word)]))
        };
        let values: Vec<Expression> = (0..words).map(|word| word_at(to, word)).collect();
        let part = sorting.part(values[0].clone().cast(Type::U32));
        let place = to.hold(add(sorting.at(FAR, part), at));
        parts.tuple.write(to, (tuples, place), &values);
        Ok(())
    })
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
