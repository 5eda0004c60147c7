//! Aggregates: accumulators for many groups at once, one array a reduction, indexed by group number.
//!
//! Every accumulator is independent of the order of its input and of how it was spread over workers: integer sums
//! are exact, float sums too until the end, extremes have one representation for values that compare equal.

mod chosen;
mod distinct;
mod distinct_shares;
mod distinct_texts;
mod entries;
mod entry_writer;
mod extreme;
mod first_values;
mod float_sum;
mod gathered;
mod integer_moments;
mod logic;
mod merged_values;
mod moments;
mod numeric;
mod ordered_entries;
mod shared_groups;
mod statistics;
mod sum;
mod text_order;
mod value;
mod value_order;
mod vector_sum;

use self::chosen::Pick;
use self::distinct_shares::{Merged, Share};
use super::vector::Vector;
use crate::column::Column;
use crate::cpu::groups::grouper::retain;
use crate::cpu::groups::masks::Present;
use crate::cpu::groups::runs::Runs;
use crate::cpu::vector::bitmap::each_one;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::State;
use crate::partial::state::any_value::AnyValue;
use crate::partial::state::extreme::Extreme;
use crate::partial::state::float_sum::FloatSums;
use crate::partial::state::gathered::Gathered;
use crate::partial::state::integer_sum::IntegerSums;
use crate::partial::state::interval_sum::IntervalSums;
use crate::partial::state::logic::Logic;
use crate::partial::state::moments::Moments;
use crate::partial::state::numeric_sum::{Asked, NumericSums};
use crate::partial::state::statistics::Statistics;
use crate::partial::state::vector_sum::VectorSums;
use crate::plan::aggregate::AggregateKind;
use crate::plan::register::Register;
use crate::plan::row_text::Entries;
use crate::plan::tree::AggregatePlan;
use crate::technique::Technique;
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::reduction;
use multiloop_planner::multiloop::{Aggregate, Gather, Reduction};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::ops::Range;

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

    /// Whether there is one group and every tuple has a value of its own.
    pub(crate) fn is_dense(&self) -> bool {
        let has_values = |vector: &Vector| vector.nulls.is_none() && !vector.constant;
        matches!(self.groups, TileGroups::One) && self.vector.is_some_and(has_values)
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

/// The states of one aggregate, for some groups, while rows are folded into them.
#[derive(Clone, Debug)]
pub(crate) struct Accumulator {
    pub(crate) state: State,
    filling: Filling,
}

/// What it takes to fill states: no part of what is known of the groups.
#[derive(Clone, Debug, Default)]
struct Filling {
    /// The type of the argument; NULL's of CountRows.
    argument: Option<DataType>,
    sums: sum::Memory,
    floats: float_sum::Memory,
    vectors: vector_sum::Memory,
    /// The best of each run.
    of_runs: Vec<i32>,
    /// Arguments as doubles.
    doubles: Vector,
    /// The place of the next row among all.
    place: u64,
    /// Of an aggregate that keeps its arguments.
    distinct: Option<Box<distinct::Filling>>,
}

impl AggregateKind {
    /// The kind of an aggregate whose argument is computed in this register.
    pub(crate) fn new(aggregate: &Aggregate, argument: Option<(DataType, Register)>, grid: Option<Grid>) -> Self {
        AggregateKind {
            reduction: aggregate.reduction.clone(),
            distinct: aggregate.distinct || aggregate.reduction == Reduction::Gather(Gather::Distinct),
            argument,
            data_type: aggregate.data_type,
            grid,
            gathers_values: false,
        }
    }

    /// Proven: the argument lies between this and its negative.
    pub(crate) fn bound(&self) -> Option<u64> {
        let Grid { low, high, .. } = self.grid?;
        u64::try_from(low.unsigned_abs().max(high.unsigned_abs())).ok()
    }

    /// Accumulators for no groups.
    pub(crate) fn accumulator(&self) -> Result<Accumulator> {
        Accumulator::new(self)
    }

    /// Whether rows in a group that nobody reads cost little and never fail.
    pub(crate) fn takes_any_row(&self) -> bool {
        use reduction::State as Shape;
        let reduction::Properties { state, order_sensitive, .. } = self.reduction.properties();
        let plain = match state {
            Shape::Count | Shape::Flags => true,
            // One row more would be one too many.
            Shape::Value if self.reduction == Reduction::Single => false,
            Shape::Sum | Shape::Value => {
                self.argument.is_some_and(|(_, register)| matches!(register, Register::I32 | Register::I64))
            }
            Shape::Moments | Shape::Texts | Shape::Rows => false,
        };
        plain && !order_sensitive && !self.keeps_arguments()
    }

    /// What the aggregate is of no rows.
    pub(crate) fn empty(&self) -> Result<Value> {
        let mut accumulator = self.accumulator()?;
        accumulator.resize(1);
        let column = accumulator.finish(self.data_type, None)?.into_column(self.data_type)?;
        Ok(column.value(0, self.data_type))
    }
}

impl Accumulator {
    /// For no groups.
    pub(crate) fn new(kind: &AggregateKind) -> Result<Self> {
        let mut filling = Filling { argument: kind.argument.map(|(data_type, _)| data_type), ..Filling::default() };
        if kind.keeps_arguments() {
            let (distinct, sets) = distinct::Filling::new(kind)?;
            filling.distinct = Some(Box::new(distinct));
            return Ok(Accumulator { state: State::Distinct(Box::new(sets)), filling });
        }
        let argument = || kind.argument.ok_or_else(|| Error::internal("an aggregate without its argument"));
        let state = match kind.reduction {
            Reduction::CountRows | Reduction::Count => State::Count(Vec::new()),
            Reduction::Sum => match argument()?.0 {
                DataType::Interval => State::Intervals(IntervalSums::default()),
                DataType::Real | DataType::Double => State::Floats(FloatSums::default()),
                DataType::Numeric => State::Numerics(NumericSums::new(Asked::Sum)),
                vectors if let Some((of, length)) = vectors.vector_of() => {
                    State::Vectors(Box::new(VectorSums::new(length as usize, of == DataType::Double)))
                }
                _ => State::Integers(IntegerSums::new(kind.bound())),
            },
            Reduction::Min => State::Extreme(Extreme::new(argument()?, false)),
            Reduction::Max => State::Extreme(Extreme::new(argument()?, true)),
            Reduction::Any => State::Logic(Logic::new(true)),
            Reduction::All => State::Logic(Logic::new(false)),
            Reduction::First => State::Value(AnyValue::new(argument()?.0, false)),
            Reduction::Single => State::Value(AnyValue::new(argument()?.0, true)),
            Reduction::Variance { sample } if kind.data_type == DataType::Numeric => {
                State::Numerics(match (kind.bound(), argument()?) {
                    (Some(bound), (data_type, Register::I32 | Register::I64)) => {
                        NumericSums::of_integers(sample, bound, data_type.scale().into())
                    }
                    _ => NumericSums::new(Asked::Variance { sample }),
                })
            }
            Reduction::Variance { sample } => State::Moments(Moments::new(sample)),
            Reduction::Gather(how) => State::Gathered(Box::new(Gathered::new(how))),
            Reduction::Statistic(kind) => State::Statistics(Statistics::new(kind)),
            _ => return Err(Error::internal(format!("no accumulator for {:?}", kind.reduction))),
        };
        Ok(Accumulator { state, filling })
    }

    /// Makes room for so many groups; new ones are empty.
    pub(crate) fn resize(&mut self, groups: usize) {
        match (&mut self.state, &mut self.filling.distinct) {
            (State::Count(counts), _) => counts.resize(groups, 0),
            (State::Integers(sums), _) => sums.resize(groups),
            (State::Floats(sums), _) => sums.resize(groups),
            (State::Intervals(sums), _) => sums.resize(groups),
            (State::Extreme(extreme), _) => extreme.resize(groups),
            (State::Logic(logic), _) => logic.resize(groups),
            (State::Value(value), _) => value.resize(groups),
            (State::Moments(moments), _) => moments.resize(groups),
            (State::Numerics(sums), _) => sums.resize(groups),
            (State::Gathered(texts), _) => texts.resize(groups),
            (State::Statistics(states), _) => states.resize(groups),
            (State::Vectors(sums), _) => sums.resize(groups),
            (State::Distinct(sets), Some(distinct)) => distinct.resize(sets, groups),
            (State::Distinct(sets), None) => sets.group_count = groups,
        }
    }

    /// The tuples to come are of this piece of work; pieces are numbered in the order of their rows.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        self.filling.place = gathered::first_place(piece);
    }

    /// Whether a merge costs about what it took to fold in all tuples, and is going to be a large one.
    pub(crate) fn is_dear_to_merge(&self) -> bool {
        matches!(&self.state, State::Distinct(sets) if distinct::is_dear_to_merge(sets))
    }

    /// Takes what several workers have of a few groups that hold much, their distinct arguments or what they gather, each with the
    /// numbers that its groups have here, by all workers together; false if it did nothing, because they are better merged one by one.
    /// Nothing is to be added behind it.
    pub(crate) fn merge_shares(
        &mut self,
        others: &[(&State, Vec<u32>)],
        groups: usize,
        workers: Workers<'_>,
    ) -> Result<bool> {
        match (&mut self.state, &mut self.filling.distinct) {
            (State::Distinct(_), Some(filling)) => {
                let mut all = Vec::with_capacity(others.len());
                for (state, _) in others {
                    let State::Distinct(sets) = state else { return Ok(false) };
                    all.push(&**sets);
                }
                if !distinct_shares::is_dear(&all) {
                    return Ok(false);
                }
                let share = |(sets, (_, numbers)): (_, &(&State, Vec<u32>))| Share { sets, numbers: numbers.clone() };
                let shares = all.into_iter().zip(others).map(share).collect();
                self.state = match filling.merge_shares(groups, shares, workers)? {
                    Merged::Sets(sets) => State::Distinct(sets),
                    Merged::Counts(counts) => State::Count(counts),
                };
                Ok(true)
            }
            (State::Gathered(mine), _) => {
                let mut shares = Vec::with_capacity(others.len());
                for (state, numbers) in others {
                    let State::Gathered(gathered) = state else { return Ok(false) };
                    shares.push(merged_values::Share { gathered, numbers });
                }
                let Some(merged) = Gathered::merge_shares(mine.how, groups, &shares, workers)? else {
                    return Ok(false);
                };
                **mine = merged;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether numerics may come as numbers.
    pub(crate) fn takes_numerics(&self) -> bool {
        match &self.state {
            // Which are NULL is all that counts.
            State::Numerics(_) | State::Count(_) => true,
            State::Extreme(extreme) => extreme.is_of_numerics(),
            _ => false,
        }
    }

    /// Whether nothing can change what a group of Any or All has.
    pub(crate) fn is_decided(&self, group: usize) -> bool {
        matches!(&self.state, State::Logic(logic) if logic.is_decided(group))
    }

    /// Counts so many rows more of the first group, if rows are what it counts.
    pub(crate) fn add_rows(&mut self, rows: usize) {
        if let State::Count(counts) = &mut self.state {
            counts[0] += rows as i64;
        }
    }

    /// Folds in some tuples, whose groups there is room for.
    pub(crate) fn update(&mut self, input: &Input<'_>) -> Result<()> {
        let Filling { argument, sums: memory, floats, vectors, of_runs, doubles, place, distinct } = &mut self.filling;
        let argument = argument.unwrap_or(DataType::Null);
        match &mut self.state {
            State::Count(counts) => count(counts, input),
            State::Integers(sums) => sums.update(input, memory)?,
            State::Floats(sums) => sums.update(input, floats)?,
            State::Intervals(sums) => sums.update(input)?,
            State::Extreme(extreme) => extreme.update(input, of_runs)?,
            State::Logic(logic) => logic.update(input)?,
            State::Value(value) => value.update(input)?,
            State::Moments(moments) => moments.update(input, argument, doubles)?,
            State::Numerics(sums) => sums.update(input, argument)?,
            State::Gathered(texts) => *place = texts.update(input, *place)?,
            State::Statistics(states) => *place = states.update(input, argument, *place)?,
            State::Vectors(sums) => sums.update(input, None, vectors)?,
            State::Distinct(sets) => match distinct {
                Some(distinct) => distinct.update(sets, input)?,
                None => return Err(Error::internal("sets without what fills them")),
            },
        }
        Ok(())
    }

    /// Bytes that room for so many groups takes more, where that is much a group: to be reserved before it is made.
    pub(crate) fn room_bytes(&self, groups: usize) -> usize {
        match &self.state {
            State::Vectors(sums) => sums.bytes_of(groups.saturating_sub(sums.groups())),
            _ => 0,
        }
    }

    /// Whether vectors may come with the numbers, or the other vectors, that they are to be multiplied with.
    pub(crate) fn takes_products(&self) -> bool {
        matches!(self.state, State::Vectors(_))
    }

    /// Whether nothing counts of values but whether they are NULL.
    pub(crate) fn counts_values(&self) -> bool {
        matches!(self.state, State::Count(_))
    }

    /// As [`Accumulator::update`], of vectors times these doubles.
    pub(crate) fn update_with(&mut self, input: &Input<'_>, numbers: &Vector) -> Result<()> {
        match &mut self.state {
            State::Vectors(sums) => sums.update(input, Some(numbers), &mut self.filling.vectors),
            _ => Err(Error::internal("products of what are no vectors")),
        }
    }

    /// As [`Accumulator::update`], of the outer products of vectors with others.
    pub(crate) fn update_outer(&mut self, input: &Input<'_>, right: &Vector) -> Result<()> {
        match &mut self.state {
            State::Vectors(sums) => sums.update_outer(input, right, &mut self.filling.vectors),
            _ => Err(Error::internal("outer products of what are no vectors")),
        }
    }

    /// Whether it takes values that it is to make arrays of, in place of the texts of rows.
    pub(crate) fn takes_entries(&self) -> bool {
        matches!(&self.state, State::Gathered(gathered) if gathered.takes_entries())
    }

    /// As [`Accumulator::update`], of values, which lie between these bounds, instead of the texts of rows, and what rows are ordered
    /// by besides them.
    pub(crate) fn update_entries(
        &mut self,
        input: &Input<'_>,
        keys: &[&Vector],
        entries: &Entries,
        bounds: Option<(i128, i128)>,
    ) -> Result<()> {
        match &mut self.state {
            State::Gathered(gathered) => {
                let place = self.filling.place;
                self.filling.place = gathered.update_entries(input, keys, entries, (place, bounds))?;
                Ok(())
            }
            _ => Err(Error::internal("elements of what is no array")),
        }
    }

    /// Folds in some rows of a column as it is stored, whose groups are masks or runs; false if it did nothing.
    pub(crate) fn update_from(&mut self, column: &Column, rows: Range<usize>, groups: TileGroups<'_>) -> bool {
        match &mut self.state {
            State::Integers(sums) if Technique::ColumnSums.is_on() => {
                sums.update_from(column, rows, groups, &mut self.filling.sums)
            }
            _ => false,
        }
    }

    /// Folds in the groups `from` of other states of the same aggregate, each into the group at the same place of `into`.
    pub(crate) fn merge(&mut self, other: &State, from: &[u32], into: &[u32]) -> Result<()> {
        let pairs = || from.iter().zip(into).map(|(&from, &into)| (from as usize, into as usize));
        match (&mut self.state, other) {
            (State::Count(mine), State::Count(theirs)) => {
                pairs().for_each(|(from, into)| mine[into] += theirs[from]);
            }
            (State::Integers(mine), State::Integers(theirs)) => mine.merge(theirs, pairs()),
            (State::Floats(mine), State::Floats(theirs)) => mine.merge(theirs, pairs()),
            (State::Intervals(mine), State::Intervals(theirs)) => mine.merge(theirs, pairs()),
            (State::Extreme(mine), State::Extreme(theirs)) => mine.merge(theirs, pairs())?,
            (State::Logic(mine), State::Logic(theirs)) => mine.merge(theirs, pairs()),
            (State::Value(mine), State::Value(theirs)) => mine.merge(theirs, pairs())?,
            (State::Moments(mine), State::Moments(theirs)) => mine.merge(theirs, pairs()),
            (State::Numerics(mine), State::Numerics(theirs)) => mine.merge(theirs, pairs()),
            (State::Gathered(mine), State::Gathered(theirs)) => mine.merge(theirs, from, into),
            (State::Statistics(mine), State::Statistics(theirs)) => mine.merge(theirs, pairs())?,
            (State::Vectors(mine), State::Vectors(theirs)) => mine.merge(theirs, pairs())?,
            (State::Distinct(mine), State::Distinct(theirs)) => match &mut self.filling.distinct {
                Some(distinct) => distinct.merge(mine, theirs, from, into)?,
                None => return Err(Error::internal("sets without what fills them")),
            },
            _ => return Err(Error::internal("merged states of two kinds")),
        }
        Ok(())
    }

    /// Adds consecutive groups of other states of the same aggregate behind its own; false if it did nothing, because
    /// they are better merged one by one.
    pub(crate) fn append(&mut self, other: &State, groups: std::ops::Range<usize>) -> bool {
        match (&mut self.state, other) {
            (State::Count(mine), State::Count(theirs)) => {
                mine.extend_from_slice(&theirs[groups]);
                true
            }
            (State::Integers(mine), State::Integers(theirs)) => mine.append(theirs, groups),
            (State::Floats(mine), State::Floats(theirs)) => mine.append(theirs, groups),
            _ => false,
        }
    }

    /// Whether [`Accumulator::peek`] and [`Accumulator::retain`] do anything.
    pub(crate) fn can_be_cut(&self) -> bool {
        match &self.state {
            State::Count(_) => true,
            State::Integers(sums) => sums.is_narrow(),
            State::Extreme(extreme) => extreme.is_narrow(),
            _ => false,
        }
    }

    /// The results of some complete groups in a row; none where they are not had cheaply, or may be an error.
    pub(crate) fn peek(&self, groups: std::ops::Range<usize>, data_type: DataType) -> Option<ColumnBuilder> {
        match &self.state {
            State::Count(counts) => Some(ColumnBuilder::from_i64(counts[groups].to_vec(), None)),
            State::Integers(sums) => sums.peek(groups, data_type),
            State::Extreme(extreme) => extreme.peek(groups),
            _ => None,
        }
    }

    /// Of some groups in a row, which `peek` has seen, leaves only those at these positions.
    pub(crate) fn retain(&mut self, groups: std::ops::Range<usize>, kept: &[u32]) {
        match &mut self.state {
            State::Count(counts) => retain(counts, groups, kept),
            State::Integers(sums) => sums.retain(groups, kept),
            State::Extreme(extreme) => extreme.retain(groups, kept),
            _ => unreachable!("peek has not seen them"),
        }
    }

    /// The results, a row a group; by all workers where a few groups hold much.
    pub(crate) fn finish(self, data_type: DataType, workers: Option<Workers<'_>>) -> Result<ColumnBuilder> {
        match self.state {
            State::Count(counts) => Ok(ColumnBuilder::from_i64(counts, None)),
            State::Integers(sums) => sums.finish(data_type),
            State::Floats(sums) => sums.finish(data_type),
            State::Intervals(sums) => sums.finish(data_type),
            State::Extreme(extreme) => extreme.finish(data_type),
            State::Logic(logic) => logic.finish(data_type),
            State::Value(value) => value.finish(data_type),
            State::Moments(moments) => moments.finish(data_type),
            State::Numerics(sums) => sums.finish(),
            State::Gathered(texts) => texts.finish(data_type, workers),
            State::Statistics(states) => states.finish(data_type),
            State::Vectors(sums) => sums.finish(data_type),
            State::Distinct(sets) => match self.filling.distinct {
                Some(distinct) => distinct.finish(*sets, data_type, workers),
                None => Err(Error::internal("sets without what fills them")),
            },
        }
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        let distinct = self.filling.distinct.as_ref().map_or(0, |distinct| distinct.bytes());
        self.state.bytes() + self.filling.vectors.bytes() + distinct
    }
}

/// The results of all aggregates of a reduction, a column each with a row a group. Those that share values are chosen together.
pub(crate) fn finish_all(
    accumulators: Vec<Accumulator>,
    aggregates: &[AggregatePlan],
    workers: Option<Workers<'_>>,
) -> Result<Vec<ColumnBuilder>> {
    let mut columns: Vec<Option<ColumnBuilder>> = vec![None; accumulators.len()];
    for (at, (accumulator, aggregate)) in accumulators.into_iter().zip(aggregates).enumerate() {
        if aggregate.shares.is_some() {
            continue;
        }
        let asks = |other: &usize| *other == at || aggregates[*other].shares == Some(at);
        let together: Vec<usize> = (at..aggregates.len()).filter(asks).collect();
        let data_type = aggregate.kind.data_type;
        match accumulator {
            Accumulator { state: State::Gathered(gathered), .. } if together.len() > 1 => {
                let asked: Vec<Pick> = together.iter().filter_map(|&other| aggregates[other].asked()).collect();
                let chosen = gathered.choose(&asked, data_type, workers)?;
                together.into_iter().zip(chosen).for_each(|(other, column)| columns[other] = Some(column));
            }
            accumulator => columns[at] = Some(accumulator.finish(data_type, workers)?),
        }
    }
    let all =
        columns.into_iter().map(|column| column.ok_or_else(|| Error::internal("an aggregate without its result")));
    all.collect()
}

impl AggregatePlan {
    /// What it asks of values, if it is to be one of them.
    fn asked(&self) -> Option<Pick> {
        if let Reduction::Gather(how) = self.kind.reduction { Pick::of(how) } else { None }
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
