//! Aggregates: accumulators for many groups at once, one array a reduction, indexed by group number.
//!
//! Every accumulator is independent of the order of its input and of how it was spread over workers: integer sums
//! are exact, float sums too until the end, extremes have one representation for values that compare equal.

mod distinct;
mod extreme;
mod float_sum;
mod logic;
mod moments;
mod numeric;
mod sum;
mod value;

use super::vector::Vector;
use crate::column::Column;
use crate::cpu::groups::grouper::retain;
use crate::cpu::groups::masks::Present;
use crate::cpu::groups::runs::Runs;
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::builder::Gathered;
use crate::plan::aggregate::AggregateKind;
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::{Error, Result};
use distinct::Distinct;
use extreme::Extreme;
use float_sum::FloatSums;
use logic::Logic;
use moments::Moments;
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::reduction::{Properties, State};
use multiloop_planner::multiloop::{Aggregate, Reduction};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use numeric::{Asked, NumericSums};
use std::ops::Range;
use sum::{IntegerSums, IntervalSums};
use value::AnyValue;

/// What an aggregate is fed: a value a tuple, and its group.
pub(crate) struct Input<'a> {
    pub(crate) groups: TileGroups<'a>,
    /// The argument; none for CountRows.
    pub(crate) vector: Option<&'a Vector>,
    /// How many tuples.
    pub(crate) len: usize,
}

/// The groups of a tile's tuples.
#[derive(Clone, Copy)]
pub(crate) enum TileGroups<'a> {
    /// There is one group.
    One,
    /// For each tuple its group; all groups among the tuples, if they are few and that is known.
    Each(&'a [u32], Option<&'a Present>),
    /// For each group its tuples.
    Masks(&'a Present),
    /// Tuples of a group come one after the other.
    Runs(&'a Runs),
}

impl Input<'_> {
    /// Gives all tuples with their groups.
    #[inline(always)]
    pub(crate) fn each(&self, mut each: impl FnMut(usize, usize)) {
        match self.groups {
            TileGroups::One => (0..self.len).for_each(|tuple| each(tuple, 0)),
            TileGroups::Each(groups, _) => {
                groups.iter().enumerate().for_each(|(tuple, &group)| each(tuple, group as usize));
            }
            TileGroups::Masks(present) => present.iter().for_each(|(group, tuples)| {
                for (place, &word) in tuples.words().iter().enumerate() {
                    each_one(word, |at| each(place * 64 + at, group));
                }
            }),
            TileGroups::Runs(runs) => {
                runs.iter().for_each(|(group, run)| run.for_each(|tuple| each(tuple, group)));
            }
        }
    }

    /// Gives the tuples whose argument is not NULL, with their groups.
    #[inline(always)]
    pub(crate) fn each_valid(&self, mut each: impl FnMut(usize, usize)) {
        let Some((valid, vector)) = self.vector.and_then(|vector| Some((vector.nulls.as_ref()?, vector))) else {
            return self.each(each);
        };
        match self.groups {
            _ if vector.constant => {
                if valid.get(0) {
                    self.each(each);
                }
            }
            TileGroups::Each(groups, _) => {
                for (place, (groups, &word)) in groups.chunks(64).zip(valid.words()).enumerate() {
                    each_one(word, |at| each(place * 64 + at, groups[at] as usize));
                }
            }
            _ => self.each(|tuple, group| {
                if valid.get(tuple) {
                    each(tuple, group);
                }
            }),
        }
    }

    /// The runs, if there are runs and every tuple has a value of its own.
    pub(crate) fn dense_runs(&self) -> Option<&Runs> {
        let vector = self.vector?;
        match self.groups {
            TileGroups::Runs(runs) if vector.nulls.is_none() && !vector.constant => Some(runs),
            _ => None,
        }
    }
}

/// The accumulators of one aggregate, for some groups.
#[derive(Clone, Debug)]
pub(crate) enum Accumulator {
    Count(Vec<i64>),
    Integers(IntegerSums),
    Floats(FloatSums),
    Intervals(IntervalSums),
    Extreme(Extreme),
    Logic(Logic),
    Value(AnyValue),
    Moments(Moments),
    Numerics(NumericSums),
    Distinct(Box<Distinct>),
}

impl AggregateKind {
    /// The kind of an aggregate whose argument is computed in this register.
    pub(crate) fn new(aggregate: &Aggregate, argument: Option<(DataType, Register)>, grid: Option<Grid>) -> Self {
        AggregateKind {
            reduction: aggregate.reduction.clone(),
            distinct: aggregate.distinct,
            argument,
            data_type: aggregate.data_type,
            grid,
        }
    }

    /// Proven: the argument lies between this and its negative.
    pub(crate) fn bound(&self) -> Option<u64> {
        let Grid { low, high, .. } = self.grid?;
        u64::try_from(low.unsigned_abs().max(high.unsigned_abs())).ok()
    }

    /// Accumulators for no groups.
    pub(crate) fn accumulator(&self) -> Result<Accumulator> {
        if self.keeps_arguments() {
            return Ok(Accumulator::Distinct(Box::new(Distinct::new(self)?)));
        }
        let argument = || self.argument.ok_or_else(|| Error::internal("an aggregate without its argument"));
        Ok(match self.reduction {
            Reduction::CountRows | Reduction::Count => Accumulator::Count(Vec::new()),
            Reduction::Sum => match argument()?.0 {
                DataType::Interval => Accumulator::Intervals(IntervalSums::default()),
                DataType::Real | DataType::Double => Accumulator::Floats(FloatSums::default()),
                DataType::Numeric => Accumulator::Numerics(NumericSums::new(DataType::Numeric, Asked::Sum)),
                _ => Accumulator::Integers(IntegerSums::new(self.bound())),
            },
            Reduction::Min => Accumulator::Extreme(Extreme::new(argument()?, false)),
            Reduction::Max => Accumulator::Extreme(Extreme::new(argument()?, true)),
            Reduction::Any => Accumulator::Logic(Logic::new(true)),
            Reduction::All => Accumulator::Logic(Logic::new(false)),
            Reduction::First => Accumulator::Value(AnyValue::new(argument()?.0, false)),
            Reduction::Single => Accumulator::Value(AnyValue::new(argument()?.0, true)),
            Reduction::Variance { sample } if self.data_type == DataType::Numeric => {
                Accumulator::Numerics(NumericSums::new(argument()?.0, Asked::Variance { sample }))
            }
            Reduction::Variance { sample } => Accumulator::Moments(Moments::new(argument()?.0, sample)),
            _ => return Err(Error::internal(format!("no accumulator for {:?}", self.reduction))),
        })
    }

    /// Whether rows in a group that nobody reads cost little and never fail.
    pub(crate) fn takes_any_row(&self) -> bool {
        let Properties { state, order_sensitive, .. } = self.reduction.properties();
        let plain = match state {
            State::Count | State::Flags => true,
            // One row more would be one too many.
            State::Value if self.reduction == Reduction::Single => false,
            State::Sum | State::Value => {
                self.argument.is_some_and(|(_, register)| matches!(register, Register::I32 | Register::I64))
            }
            State::Moments | State::Rows => false,
        };
        plain && !order_sensitive && !self.keeps_arguments()
    }

    /// What the aggregate is of no rows.
    pub(crate) fn empty(&self) -> Result<Value> {
        let mut accumulator = self.accumulator()?;
        accumulator.resize(1);
        let column = accumulator.finish(self.data_type)?.into_column(self.data_type)?;
        Ok(column.value(0, self.data_type))
    }
}

/// Calls the same method of whichever accumulator it is.
macro_rules! delegate {
    ($self:expr, $inner:ident => $body:expr, count($counts:ident) => $count:expr) => {
        match $self {
            Accumulator::Count($counts) => $count,
            Accumulator::Integers($inner) => $body,
            Accumulator::Floats($inner) => $body,
            Accumulator::Intervals($inner) => $body,
            Accumulator::Extreme($inner) => $body,
            Accumulator::Logic($inner) => $body,
            Accumulator::Value($inner) => $body,
            Accumulator::Moments($inner) => $body,
            Accumulator::Numerics($inner) => $body,
            Accumulator::Distinct($inner) => $body,
        }
    };
}

impl Accumulator {
    /// Makes room for so many groups; new ones are empty.
    pub(crate) fn resize(&mut self, groups: usize) {
        delegate!(self, inner => inner.resize(groups), count(counts) => counts.resize(groups, 0));
    }

    /// Whether a merge costs about what it took to fold in all tuples, and is going to be a large one.
    pub(crate) fn is_dear_to_merge(&self) -> bool {
        matches!(self, Accumulator::Distinct(distinct) if distinct.is_dear_to_merge())
    }

    /// Folds in some tuples, whose groups there is room for.
    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        delegate!(self, inner => inner.update(input), count(counts) => {
            count(counts, input);
            Ok(())
        })
    }

    /// Folds in some rows of a column as it is stored, whose groups are masks or runs; false if it did nothing.
    pub(crate) fn update_from(&mut self, column: &Column, rows: Range<usize>, groups: TileGroups<'_>) -> bool {
        match self {
            Accumulator::Integers(sums) if Technique::ColumnSums.is_on() => sums.update_from(column, rows, groups),
            _ => false,
        }
    }

    /// Folds in the groups `from` of another accumulator of the same kind, each into the group at the same place
    /// of `into`.
    pub(crate) fn merge(&mut self, other: &Accumulator, from: &[u32], into: &[u32]) -> Result<()> {
        let pairs = || from.iter().zip(into).map(|(&from, &into)| (from as usize, into as usize));
        match (self, other) {
            (Accumulator::Count(mine), Accumulator::Count(theirs)) => {
                pairs().for_each(|(from, into)| mine[into] += theirs[from]);
            }
            (Accumulator::Integers(mine), Accumulator::Integers(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Floats(mine), Accumulator::Floats(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Intervals(mine), Accumulator::Intervals(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Extreme(mine), Accumulator::Extreme(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Logic(mine), Accumulator::Logic(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Value(mine), Accumulator::Value(theirs)) => mine.merge(theirs, pairs())?,
            (Accumulator::Moments(mine), Accumulator::Moments(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Numerics(mine), Accumulator::Numerics(theirs)) => mine.merge(theirs, pairs()),
            (Accumulator::Distinct(mine), Accumulator::Distinct(theirs)) => mine.merge(theirs, from, into)?,
            _ => return Err(Error::internal("merged accumulators of two kinds")),
        }
        Ok(())
    }

    /// Adds consecutive groups of another accumulator of the same kind behind its own; false if it did nothing, because
    /// they are better merged one by one.
    pub(crate) fn append(&mut self, other: &Accumulator, groups: std::ops::Range<usize>) -> bool {
        match (self, other) {
            (Accumulator::Count(mine), Accumulator::Count(theirs)) => {
                mine.extend_from_slice(&theirs[groups]);
                true
            }
            (Accumulator::Integers(mine), Accumulator::Integers(theirs)) => mine.append(theirs, groups),
            _ => false,
        }
    }

    /// Whether [`Accumulator::peek`] and [`Accumulator::retain`] do anything.
    pub(crate) fn can_be_cut(&self) -> bool {
        match self {
            Accumulator::Count(_) => true,
            Accumulator::Integers(sums) => sums.is_narrow(),
            Accumulator::Extreme(extreme) => extreme.is_narrow(),
            _ => false,
        }
    }

    /// The results of some complete groups in a row; none where they are not had cheaply, or may be an error.
    pub(crate) fn peek(&self, groups: std::ops::Range<usize>, data_type: DataType) -> Option<Gathered> {
        match self {
            Accumulator::Count(counts) => Some(Gathered::from_i64(counts[groups].to_vec(), None)),
            Accumulator::Integers(sums) => sums.peek(groups, data_type),
            Accumulator::Extreme(extreme) => extreme.peek(groups),
            _ => None,
        }
    }

    /// Of some groups in a row, which `peek` has seen, leaves only those at these positions.
    pub(crate) fn retain(&mut self, groups: std::ops::Range<usize>, kept: &[u32]) {
        match self {
            Accumulator::Count(counts) => retain(counts, groups, kept),
            Accumulator::Integers(sums) => sums.retain(groups, kept),
            Accumulator::Extreme(extreme) => extreme.retain(groups, kept),
            _ => unreachable!("peek has not seen them"),
        }
    }

    /// The results, a row a group.
    pub(crate) fn finish(self, data_type: DataType) -> Result<Gathered> {
        delegate!(self, inner => inner.finish(data_type), count(counts) => Ok(Gathered::from_i64(counts, None)))
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        delegate!(self, inner => inner.bytes(), count(counts) => counts.capacity() * 8)
    }
}

fn count(counts: &mut [i64], input: &Input<'_>) {
    let nullable = input.vector.filter(|vector| vector.nulls.is_some());
    if nullable.is_some_and(|vector| vector.constant) {
        return input.each_valid(|_, group| counts[group] += 1);
    }
    match (input.groups, nullable.and_then(|vector| vector.nulls.as_ref())) {
        (TileGroups::One, None) => counts[0] += input.len as i64,
        (TileGroups::One, Some(valid)) => counts[0] += valid.count_ones() as i64,
        (TileGroups::Each(_, Some(present)) | TileGroups::Masks(present), None) => {
            present.counts().for_each(|(group, count)| counts[group] += count as i64);
        }
        (TileGroups::Each(_, Some(present)) | TileGroups::Masks(present), Some(valid)) => {
            present.iter().for_each(|(group, tuples)| counts[group] += tuples.count_common(valid) as i64);
        }
        (TileGroups::Each(groups, None), None) => groups.iter().for_each(|&group| counts[group as usize] += 1),
        (TileGroups::Each(groups, None), Some(valid)) => {
            let each = groups.iter().enumerate();
            each.for_each(|(tuple, &group)| counts[group as usize] += i64::from(valid.get(tuple)));
        }
        (TileGroups::Runs(runs), None) => {
            runs.iter().for_each(|(group, run)| counts[group] += run.len() as i64);
        }
        (TileGroups::Runs(_), Some(_)) => input.each_valid(|_, group| counts[group] += 1),
    }
}
