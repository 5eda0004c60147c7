//! What is kept of a tuple: its code, which aggregates it has an argument for, and these, in words of 64 bits.

use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::groups::cell::{Cell, CellKind};
use crate::gpu::groups::fold::{Fold, word};
use crate::gpu::lower::Lowering;
use crate::gpu::stop::Done;

/// Words of 64 bits that a tuple may take.
const WORDS_MAX: u32 = 8;

/// How a tuple lies in memory.
#[derive(Clone, Debug)]
pub(super) struct Tuple {
    /// Words of 64 bits.
    words: u32,
    /// Whether the word behind the code says which aggregates have an argument: a bit each.
    has_bits: bool,
    /// The argument of each aggregate, if it has one.
    fields: Vec<Option<Field>>,
    /// Whether each aggregate has an argument of all tuples.
    has_all: Vec<bool>,
}

/// An argument, in words of 32 bits from one on.
#[derive(Clone, Copy, Debug)]
struct Field {
    at: u32,
    narrow: bool,
    is_float: bool,
}

/// A tuple that has been read.
pub(super) struct Read {
    words: Variable,
    /// The first of its words.
    first: Expression,
}

impl Tuple {
    /// The tuples of a reduction with these cells; none if they do not fit.
    pub(super) fn new(fold: &Fold<'_>, to: &mut Lowering<'_>, cells: &[Cell]) -> Done<Option<Self>> {
        let mut has_all = Vec::new();
        for (at, aggregate) in fold.plan.aggregates.iter().enumerate() {
            // An argument that is asked for some tuples alone is not computed here.
            let is_known = aggregate.condition.is_empty() && fold.argument(to, at)?.null.known() == Some(false);
            has_all.push(is_known);
        }
        let mut narrow = Vec::new();
        for cell in cells {
            narrow.push(match cell.kind {
                CellKind::Count => None,
                // Floats as they are.
                CellKind::Sum { .. } | CellKind::Extreme { .. } if cell.is_of_floats() => Some(false),
                CellKind::Sum { bound, .. } if bound <= i64::MAX as u128 => Some(bound <= i32::MAX as u128),
                CellKind::Extreme { .. } => Some(cell.narrow),
                _ => return Ok(None),
            });
        }
        let has_bits = has_all.contains(&false);
        let mut at = 1 + u32::from(has_bits);
        let mut fields = vec![None; cells.len()];
        for wide in [false, true] {
            if wide {
                at = at.next_multiple_of(2);
            }
            for own in 0..cells.len() {
                if narrow[own] != Some(!wide) {
                    continue;
                }
                // The same argument once.
                let aggregates = &fold.plan.aggregates;
                let is_same = |other: &usize| {
                    let (a, b) = (&aggregates[own], &aggregates[*other]);
                    narrow[*other] == narrow[own]
                        && a.argument == b.argument
                        && a.condition.is_empty()
                        && b.condition.is_empty()
                };
                if let Some(other) = (0..own).find(is_same) {
                    fields[own] = fields[other];
                    continue;
                }
                fields[own] = Some(Field { at, narrow: !wide, is_float: cells[own].is_of_floats() });
                at += 1 + u32::from(wide);
            }
        }
        // Pairs of words are written at once.
        let words = match at.div_ceil(2) {
            1 => 1,
            words => words.next_multiple_of(2),
        };
        Ok((words <= WORDS_MAX && cells.len() <= 32).then_some(Tuple { words, has_bits, fields, has_all }))
    }

    /// Bytes of a tuple.
    pub(super) fn bytes(&self) -> usize {
        self.words as usize * 8
    }

    /// Words of 64 bits of a tuple.
    pub(super) fn words(&self) -> u32 {
        self.words
    }

    /// The words of the tuple at hand.
    pub(super) fn values(&self, fold: &Fold<'_>, to: &mut Lowering<'_>, code: &Expression) -> Done<Vec<Expression>> {
        let bits = self.has_bits.then(|| to.declare(word(0)));
        let long = |of: u64| Expression::number(of.into(), Type::U64);
        let mut values: Vec<Expression> = (0..self.words).map(|_| long(0)).collect();
        let mut put = |at: u32, value: Expression| {
            let value = match at % 2 {
                0 => value,
                _ => Expression::binary(Binary::ShiftLeft, value, word(32)),
            };
            let there = &mut values[at as usize / 2];
            *there = match there.known_number() {
                Some(0) => value,
                _ => Expression::binary(Binary::BitOr, there.clone(), value),
            };
        };
        put(0, code.clone().cast(Type::U64));
        let mut written = 0u64;
        for (at, field) in self.fields.iter().enumerate() {
            let value = self.value(fold, to, at, bits)?;
            let Some(Field { at, narrow, is_float }) = *field else { continue };
            if written >> at & 1 == 0 {
                written |= 1 << at;
                let value = match (narrow, is_float) {
                    (_, true) => Expression::Call(Helper::FloatBits, vec![value]),
                    (true, false) => value.cast(Type::I32).cast(Type::U32),
                    (false, false) => value.cast(Type::I64),
                };
                put(at, value.cast(Type::U64));
            }
        }
        if let Some(bits) = bits {
            put(1, bits.get().cast(Type::U64));
        }
        Ok(values)
    }

    /// Writes the words of a tuple to a place of an array.
    pub(super) fn write(&self, to: &mut Lowering<'_>, (array, place): (Variable, Expression), values: &[Expression]) {
        let long = |of: u64| Expression::number(of.into(), Type::U64);
        let first = to.hold(Expression::binary(Binary::Multiply, place.cast(Type::U64), long(self.words.into())));
        if let [value] = values {
            to.push(Statement::Store(array, first, value.clone()));
            return;
        }
        for (at, pair) in values.chunks_exact(2).enumerate() {
            let place = Expression::binary(Binary::Add, first.clone(), long(at as u64 * 2));
            to.call(Helper::PutPair, vec![array.address(place), pair[0].clone(), pair[1].clone()]);
        }
    }

    /// The argument of an aggregate, 0 where it has none; notes that it has one, if not all have.
    fn value(&self, fold: &Fold<'_>, to: &mut Lowering<'_>, at: usize, bits: Option<Variable>) -> Done<Expression> {
        if self.has_all[at] {
            return Ok(fold.argument(to, at)?.value);
        }
        let of = match self.fields[at] {
            Some(Field { is_float: true, .. }) => Type::F64,
            Some(Field { narrow: true, .. }) => Type::I32,
            _ => Type::I64,
        };
        let own = to.declare(Expression::number(0, of));
        to.filter(&fold.plan.aggregates[at].condition, |to| {
            let argument = fold.argument(to, at)?;
            to.when(argument.null.clone().not(), |to| {
                to.assign(own, argument.value.cast(of));
                if let Some(bits) = bits {
                    to.assign(bits, Expression::binary(Binary::BitOr, bits.get(), word(1 << at)));
                }
                Ok(())
            })
        })?;
        Ok(own.get())
    }

    /// Reads so many tuples from one on, side by side.
    pub(super) fn read(&self, to: &mut Lowering<'_>, array: Variable, (first, count): (&Expression, u32)) -> Variable {
        let words = to.array(Type::U64);
        let each = Expression::number(self.words.into(), Type::U64);
        let first = Expression::binary(Binary::Multiply, first.clone().cast(Type::U64), each);
        to.push(Statement::Words { array: words, from: array, first, count: count * self.words });
        words
    }

    /// One of those.
    pub(super) fn of(&self, words: Variable, number: Expression) -> Read {
        Read { words, first: Expression::binary(Binary::Multiply, number, word(self.words)) }
    }

    /// Its code.
    pub(super) fn code(&self, read: &Read) -> Expression {
        self.word(read, 0)
    }

    fn word(&self, read: &Read, at: u32) -> Expression {
        let there = read.words.at(Expression::binary(Binary::Add, read.first.clone(), word(at / 2)));
        match at % 2 {
            0 => there.cast(Type::U32),
            _ => Expression::binary(Binary::ShiftRight, there, word(32)).cast(Type::U32),
        }
    }

    /// Whether an aggregate has an argument, and this.
    pub(super) fn argument(&self, read: &Read, at: usize) -> (Expression, Expression) {
        let has_one = match self.has_all[at] {
            true => Expression::truth(true),
            false => {
                let own = Expression::binary(Binary::BitAnd, self.word(read, 1), word(1 << at));
                Expression::binary(Binary::NotEqual, own, word(0))
            }
        };
        let value = match self.fields[at] {
            None => Expression::number(1, Type::I64),
            Some(Field { at, narrow: true, .. }) => self.word(read, at).cast(Type::I32).cast(Type::I64),
            Some(Field { at, narrow: false, is_float }) => {
                let there = Expression::binary(Binary::Add, read.first.clone(), word(at / 2));
                match is_float {
                    true => Expression::Call(Helper::FloatOfBits, vec![read.words.at(there)]),
                    false => read.words.at(there).cast(Type::I64),
                }
            }
        };
        (has_one, value)
    }
}
