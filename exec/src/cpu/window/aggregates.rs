//! Aggregates of frames, each in the way that suits what it keeps.

use super::extremes::extremes;
use super::frames::Frames;
use super::general::general;
use super::numerics::numerics;
use super::places::integers;
use super::quantiles::quantiles;
use super::results::PieceResult;
use super::sliding::{Count, Floats, Integers, Intervals, Logic, Moments, State, Total, Values, slide};
use super::sorted::Sorted;
use super::statistics::statistics;
use crate::Result;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::sums::integer_sum::IntegerSum;
use crate::workers::context::Context;
use multiloop_planner::multiloop::{Gather, Reduction, WindowField};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Interval;
use multiloop_planner::window::Exclude;
use std::ops::Range;

/// What an aggregate says of some rows; its argument is in order.
pub(super) fn aggregate(
    (field, reduction): (&WindowField, &Reduction),
    argument: Option<(&ColumnBuilder, DataType)>,
    sorted: &Sorted<'_>,
    rows: Range<usize>,
    context: &Context,
) -> Result<PieceResult> {
    let seen = Frames::new(field, sorted, rows.clone());
    let frames = Slides { field, seen: &seen, rows, context };
    let Some((column, data_type)) = argument else { return frames.count(None).map(PieceResult::Values) };
    let valid = column.valid.as_deref();
    let values = match (reduction, &column.data) {
        (Reduction::CountRows, _) => frames.count(None)?,
        (Reduction::Count, _) => frames.count(valid)?,
        (Reduction::Any | Reduction::All, BuilderData::Bool(values)) => {
            frames.logic(Logic::new(Values { values, valid }, *reduction == Reduction::Any))?
        }
        (Reduction::Sum | Reduction::Variance { .. } | Reduction::Min | Reduction::Max, BuilderData::Bool(_))
            if data_type != DataType::Boolean =>
        {
            // NULLs of no type.
            frames.nulls()
        }
        (Reduction::Min | Reduction::Max, _) => {
            let largest = *reduction == Reduction::Max;
            let Slides { rows, .. } = frames;
            return extremes((&seen, largest), (column, data_type), sorted, rows).map(PieceResult::Rows);
        }
        (Reduction::Sum, _) if data_type == DataType::Numeric => frames.numerics(None, (column, data_type))?,
        (Reduction::Sum, BuilderData::I32(values)) => frames.integers::<_, i128>(Values { values, valid })?,
        (Reduction::Sum, BuilderData::I64(values)) => frames.integers::<_, i128>(Values { values, valid })?,
        (Reduction::Sum, BuilderData::I128(values)) => frames.integers::<_, IntegerSum>(Values { values, valid })?,
        (Reduction::Sum, BuilderData::F64(values)) => {
            frames.floats(Floats::new(Values { values, valid }, field.data_type))?
        }
        (Reduction::Sum, BuilderData::Interval(values)) => frames.intervals(Values { values, valid })?,
        (Reduction::Variance { sample }, BuilderData::F64(values)) if field.data_type == DataType::Double => {
            frames.floats(Moments::new(Values { values, valid }, *sample))?
        }
        (Reduction::Variance { sample }, _) if !data_type.is_float() => {
            frames.numerics(Some(*sample), (column, data_type))?
        }
        (Reduction::Gather(Gather::One { of, descending }), _) => {
            let Slides { rows, .. } = frames;
            quantiles((*of, *descending, field.data_type), (column, data_type), &seen, rows, context)?
        }
        (Reduction::Statistic(kind), _) => {
            let Slides { rows, .. } = frames;
            statistics((*kind, field.data_type), (column, data_type), &seen, rows, context)?
        }
        _ => {
            let Slides { rows, .. } = frames;
            general((field, reduction), (column, data_type), &seen, rows, context)?
        }
    };
    Ok(PieceResult::Values(values))
}

/// The frames of some rows.
struct Slides<'a> {
    field: &'a WindowField,
    seen: &'a Frames<'a>,
    rows: Range<usize>,
    context: &'a Context,
}

impl Slides<'_> {
    /// Gives the aggregate of each frame, with how many rows see it.
    fn slide<S: State>(&self, state: S, each: impl FnMut(Option<S::Value>, usize) -> Result<()>) -> Result<()> {
        slide(self.seen, self.rows.clone(), state, self.context, each)
    }

    /// How many rows each sees; of all that are not NULL, if that is known.
    fn count(&self, valid: Option<&[bool]>) -> Result<ColumnBuilder> {
        let mut counts = Vec::with_capacity(self.rows.len());
        let mut add = |count: i64, rows| {
            counts.extend(std::iter::repeat_n(count, rows));
            Ok(())
        };
        match valid {
            Some(valid) => self.slide(Count { valid, count: 0 }, |count, rows| add(count.unwrap_or(0), rows))?,
            None if self.field.frame.exclude == Exclude::NoOthers => {
                self.seen.each(self.rows.clone(), |seen, rows| add(seen.len() as i64, rows))?;
            }
            None => self.seen.each_parts(self.rows.clone(), |parts| add(parts.len() as i64, 1))?,
        }
        Ok(integers(counts, None))
    }

    fn nulls(&self) -> ColumnBuilder {
        let rows = self.rows.len();
        ColumnBuilder::from_bools(vec![false; rows], Some(vec![false; rows]))
    }

    fn logic(&self, state: Logic<'_>) -> Result<ColumnBuilder> {
        let mut column = Nullable::new(self.rows.len());
        self.slide(state, |value, rows| column.push(value, rows))?;
        Ok(ColumnBuilder::from_bools(column.values, column.valid))
    }

    fn intervals(&self, values: Values<'_, Interval>) -> Result<ColumnBuilder> {
        let mut column = Nullable::new(self.rows.len());
        self.slide(Intervals::new(values), |value, rows| column.push(value, rows))?;
        Ok(ColumnBuilder::from_intervals(column.values, column.valid))
    }

    fn floats(&self, state: impl State<Value = f64>) -> Result<ColumnBuilder> {
        let mut column = Nullable::new(self.rows.len());
        self.slide(state, |value, rows| column.push(value, rows))?;
        Ok(ColumnBuilder::from_floats(column.values, column.valid))
    }

    /// Sums, of 64 bits while these are enough.
    fn integers<T: Copy + Into<i128>, S: Total>(&self, values: Values<'_, T>) -> Result<ColumnBuilder> {
        let mut short: Nullable<i64> = Nullable::new(self.rows.len());
        let mut wide: Option<Nullable<i128>> = None;
        let state = Integers::<T, S>::new(values, self.field.data_type);
        self.slide(state, |sum, rows| match (&mut wide, sum.map(i64::try_from).transpose()) {
            (None, Ok(sum)) => short.push(sum, rows),
            (Some(wide), _) => wide.push(sum, rows),
            (None, Err(_)) => {
                let mut all = Nullable { values: Vec::with_capacity(self.rows.len()), valid: short.valid.take() };
                all.values.extend(short.values.iter().map(|&sum| i128::from(sum)));
                all.push(sum, rows)?;
                wide = Some(all);
                Ok(())
            }
        })?;
        Ok(match wide {
            Some(wide) => ColumnBuilder::from_i128(wide.values, wide.valid),
            None => integers(short.values, short.valid),
        })
    }

    fn numerics(&self, variance: Option<bool>, argument: (&ColumnBuilder, DataType)) -> Result<ColumnBuilder> {
        numerics((self.seen, variance), argument, self.rows.clone(), self.context)
    }
}

/// Values of which some may be NULL.
struct Nullable<T> {
    values: Vec<T>,
    valid: Option<Vec<bool>>,
}

impl<T: Copy + Default> Nullable<T> {
    /// None yet, of so many.
    fn new(rows: usize) -> Self {
        Nullable { values: Vec::with_capacity(rows), valid: None }
    }

    #[inline(always)]
    fn push(&mut self, value: Option<T>, times: usize) -> Result<()> {
        if let (None, None) = (value, &self.valid) {
            self.valid = Some(vec![true; self.values.len()]);
        }
        if let Some(valid) = &mut self.valid {
            valid.extend(std::iter::repeat_n(value.is_some(), times));
        }
        if times == 1 {
            self.values.push(value.unwrap_or_default());
        } else {
            self.values.extend(std::iter::repeat_n(value.unwrap_or_default(), times));
        }
        Ok(())
    }
}
