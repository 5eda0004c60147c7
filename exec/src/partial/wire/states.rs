//! States as bytes.

use super::super::state::State;
use super::super::state::any_value::{AnyValue, NONE};
use super::super::state::distinct::{BitSets, Distinct, Domain, Members, Met};
use super::super::state::extreme::{Best, Extreme};
use super::super::state::float_sum::FloatSums;
use super::super::state::gathered::{Gathered, Seen};
use super::super::state::integer_sum::{IntegerSums, Sums};
use super::super::state::interval_sum::IntervalSums;
use super::super::state::logic::{DECISIVE, Logic, NULL};
use super::super::state::moments::Moments;
use super::super::state::numeric_sum::{Asked, NumericSums, States};
use super::super::state::statistics::Statistics;
use super::super::state::vector_sum::VectorSums;
use super::values::each_numeric;
use super::{ROWS_MAX, Reader, Wire, check, damaged};
use crate::Result;
use crate::column::column_builder::{BuilderData, ColumnBuilder};
use crate::column::divisor::Divisor;
use crate::plan::register::Register;
use crate::sums::exact_sum::ExactSum;
use crate::sums::moments::Variance;
use crate::sums::statistic::Summary;
use multiloop_planner::evaluate::quantile::{Fraction, Quantile};
use multiloop_planner::evaluate::statistic::Statistic;
use multiloop_planner::multiloop::Gather;
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::{DataType, VECTOR_LENGTH_MAX};
use multiloop_planner::value::Value;
use std::sync::OnceLock;

/// Times that a sum of 128 bits goes around, at most: a third of the rows do.
const ROUNDS_MAX: i32 = 1 << 28;

impl Wire for State {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            State::Count(counts) => {
                to.push(0);
                counts.write(to);
            }
            State::Integers(sums) => {
                to.push(1);
                sums.write(to);
            }
            State::Floats(sums) => {
                to.push(2);
                sums.write(to);
            }
            State::Intervals(sums) => {
                to.push(3);
                sums.write(to);
            }
            State::Extreme(extreme) => {
                to.push(4);
                extreme.write(to);
            }
            State::Logic(logic) => {
                to.push(5);
                logic.write(to);
            }
            State::Value(value) => {
                to.push(6);
                value.write(to);
            }
            State::Moments(moments) => {
                to.push(7);
                moments.write(to);
            }
            State::Numerics(sums) => {
                to.push(8);
                sums.write(to);
            }
            State::Distinct(sets) => {
                to.push(9);
                sets.write(to);
            }
            State::Gathered(texts) => {
                to.push(10);
                texts.write(to);
            }
            State::Statistics(states) => {
                to.push(11);
                states.write(to);
            }
            State::Vectors(sums) => {
                to.push(12);
                sums.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => {
                let counts: Vec<i64> = Wire::read(from)?;
                let are_counts = counts.iter().all(|&count| u64::try_from(count).is_ok_and(|count| count <= ROWS_MAX));
                check(are_counts, "a count")?;
                State::Count(counts)
            }
            1 => State::Integers(Wire::read(from)?),
            2 => State::Floats(Wire::read(from)?),
            3 => State::Intervals(Wire::read(from)?),
            4 => State::Extreme(Wire::read(from)?),
            5 => State::Logic(Wire::read(from)?),
            6 => State::Value(Wire::read(from)?),
            7 => State::Moments(Wire::read(from)?),
            8 => State::Numerics(Wire::read(from)?),
            9 => State::Distinct(Box::new(Wire::read(from)?)),
            10 => State::Gathered(Box::new(Wire::read(from)?)),
            11 => State::Statistics(Wire::read(from)?),
            12 => State::Vectors(Box::new(Wire::read(from)?)),
            _ => return Err(damaged("a kind of state")),
        })
    }
}

impl Wire for IntegerSums {
    fn write(&self, to: &mut Vec<u8>) {
        self.seen.write(to);
        match &self.sums {
            Sums::Narrow { sums, bound, rows } => {
                to.push(0);
                sums.write(to);
                bound.write(to);
                rows.write(to);
            }
            Sums::Wide { low, high } => {
                to.push(1);
                low.write(to);
                high.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let seen: Vec<bool> = Wire::read(from)?;
        let sums = match u8::read(from)? {
            0 => {
                let (sums, bound, rows): (Vec<i64>, u64, u64) =
                    (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
                let most = bound.checked_mul(rows).filter(|&most| most <= i64::MAX as u64);
                let within = most.is_some_and(|most| sums.iter().all(|sum| sum.unsigned_abs() <= most));
                check(within && sums.len() == seen.len(), "a sum")?;
                Sums::Narrow { sums, bound, rows }
            }
            1 => {
                let (low, high): (Vec<i128>, Vec<i32>) = (Wire::read(from)?, Wire::read(from)?);
                let few = high.iter().all(|high| (-ROUNDS_MAX..=ROUNDS_MAX).contains(high));
                check(few && low.len() == seen.len() && high.len() == seen.len(), "a sum")?;
                Sums::Wide { low, high }
            }
            _ => return Err(damaged("the form of sums")),
        };
        Ok(IntegerSums { sums, seen })
    }
}

impl Wire for IntervalSums {
    fn write(&self, to: &mut Vec<u8>) {
        self.seen.write(to);
        self.sums.iter().flatten().for_each(|sum| sum.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let seen: Vec<bool> = Wire::read(from)?;
        let mut unit = || {
            let sum = i128::read(from)?;
            // Units have 64 bits.
            check(sum.unsigned_abs() <= u128::from(ROWS_MAX) << 63, "a sum of intervals")?;
            Ok(sum)
        };
        let sums = seen.iter().map(|_| Ok([unit()?, unit()?, unit()?])).collect::<Result<_>>()?;
        Ok(IntervalSums { sums, seen })
    }
}

impl Wire for ExactSum {
    fn write(&self, to: &mut Vec<u8>) {
        self.write_to(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        from.part(ExactSum::read_from)
    }
}

impl Wire for Variance {
    fn write(&self, to: &mut Vec<u8>) {
        self.write_to(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        from.part(|bytes| Variance::read_from(bytes, ROWS_MAX))
    }
}

impl Wire for NumericSum {
    fn write(&self, to: &mut Vec<u8>) {
        self.write_to(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        from.part(|bytes| NumericSum::read_from(bytes, ROWS_MAX))
    }
}

impl Wire for FloatSums {
    fn write(&self, to: &mut Vec<u8>) {
        self.seen.write(to);
        self.groups().write(to);
        (0..self.groups()).for_each(|group| self.sum(group).write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (seen, sums): (Vec<bool>, Vec<ExactSum>) = (Wire::read(from)?, Wire::read(from)?);
        check(sums.len() == seen.len(), "sums of floats")?;
        Ok(FloatSums::of_exact(sums, seen))
    }
}

impl Wire for VectorSums {
    fn write(&self, to: &mut Vec<u8>) {
        self.seen.write(to);
        self.length().write(to);
        self.is_double().write(to);
        let positions = |group: usize| (0..self.length()).map(move |position| (group, position));
        let sums = (0..self.groups()).flat_map(positions);
        (self.groups() * self.length()).write(to);
        sums.for_each(|(group, position)| self.sum(group, position).write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (seen, length, is_double): (Vec<bool>, usize, bool) =
            (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
        let sums: Vec<ExactSum> = Wire::read(from)?;
        let fits = (1..=VECTOR_LENGTH_MAX as usize).contains(&length) && sums.len() == seen.len() * length;
        check(fits, "sums of vectors")?;
        Ok(VectorSums::of_exact(length, is_double, sums, seen))
    }
}

impl Wire for Extreme {
    fn write(&self, to: &mut Vec<u8>) {
        self.largest.write(to);
        self.seen.write(to);
        match &self.best {
            Best::Narrow(best) => {
                to.push(0);
                best.write(to);
            }
            Best::Wide(best) => {
                to.push(1);
                best.write(to);
            }
            Best::Floats(best) => {
                to.push(2);
                best.write(to);
            }
            Best::Values(best, data_type) => {
                to.push(3);
                data_type.write(to);
                best.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (largest, seen): (bool, Vec<bool>) = (Wire::read(from)?, Wire::read(from)?);
        let (best, len) = match u8::read(from)? {
            0 => {
                let best: Vec<i64> = Wire::read(from)?;
                let len = best.len();
                (Best::Narrow(best), len)
            }
            1 => {
                let best: Vec<i128> = Wire::read(from)?;
                let len = best.len();
                (Best::Wide(best), len)
            }
            2 => {
                let best: Vec<f64> = Wire::read(from)?;
                let len = best.len();
                (Best::Floats(best), len)
            }
            3 => {
                let data_type = Wire::read(from)?;
                let best: Vec<Value> = Wire::read(from)?;
                // Each is what a row had, and NULL where there was none.
                let fits = |(value, &seen): (&Value, &bool)| value.is_null() != seen && value.fits(data_type);
                check(best.iter().zip(&seen).all(fits), "an extreme of another type")?;
                let len = best.len();
                (Best::Values(best, data_type), len)
            }
            _ => return Err(damaged("the form of extremes")),
        };
        check(len == seen.len(), "extremes")?;
        Ok(Extreme { largest, best, seen })
    }
}

impl Wire for Logic {
    fn write(&self, to: &mut Vec<u8>) {
        self.decisive.write(to);
        self.seen.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let logic = Logic { decisive: Wire::read(from)?, seen: Wire::read(from)? };
        check(logic.seen.iter().all(|seen| seen & !(DECISIVE | NULL) == 0), "what was met")?;
        Ok(logic)
    }
}

impl Wire for AnyValue {
    fn write(&self, to: &mut Vec<u8>) {
        self.data_type.write(to);
        self.single.write(to);
        self.positions.write(to);
        self.arguments.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (data_type, single, positions): (DataType, bool, Vec<u32>) =
            (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
        let arguments: ColumnBuilder = Wire::read(from)?;
        check(arguments.len() < NONE as usize, "too many arguments")?;
        let rows = arguments.len() as u32;
        check(positions.iter().all(|&position| position == NONE || position < rows), "the place of an argument")?;
        if data_type == DataType::Numeric {
            each_numeric(&arguments)?;
        }
        let is_null = |row: usize| arguments.valid.as_ref().is_some_and(|valid| !valid[row]);
        let fits = match (&arguments.data, data_type.vector_of()) {
            (BuilderData::Vectors(vectors), of) => of.is_some_and(|(_, length)| vectors.length() == length as usize),
            // Nothing but NULLs, of no type.
            (_, Some(_)) => (0..arguments.len()).all(is_null),
            (_, None) => true,
        };
        check(fits, "arguments of another type")?;
        Ok(AnyValue { data_type, single, positions, arguments, rows })
    }
}

impl Wire for Gathered {
    fn write(&self, to: &mut Vec<u8>) {
        if self.entries.is_some() {
            return self.clone().of_texts().write(to);
        }
        match self.how {
            Gather::Arrived => to.push(0),
            Gather::Sorted => to.push(1),
            Gather::Distinct => to.push(2),
            Gather::One { of, descending } => {
                to.push(3);
                of.write(to);
                descending.write(to);
            }
        }
        self.group_count.write(to);
        self.groups.write(to);
        self.places.write(to);
        self.values.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let how = match u8::read(from)? {
            0 => Gather::Arrived,
            1 => Gather::Sorted,
            2 => Gather::Distinct,
            3 => Gather::One { of: Wire::read(from)?, descending: Wire::read(from)? },
            _ => return Err(damaged("an order of texts")),
        };
        let (group_count, groups, places): (usize, Vec<u32>, Vec<u64>) =
            (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
        let values: ColumnBuilder = Wire::read(from)?;
        let fit = match (how, &values.data) {
            (_, BuilderData::Text(_) | BuilderData::Code { .. }) => true,
            (Gather::One { of: Quantile::Continuous(_), .. }, data) => matches!(data, BuilderData::F64(_)),
            (Gather::One { .. }, data) => {
                !matches!(data, BuilderData::Bool(_) | BuilderData::Interval(_) | BuilderData::Vectors(_))
            }
            _ => false,
        };
        check(fit && values.valid.is_none() || values.len() == 0, "values")?;
        let places_count = if how == Gather::Arrived { values.len() } else { 0 };
        let alike = groups.len() == values.len() && places.len() == places_count;
        check(alike && groups.iter().all(|&group| (group as usize) < group_count), "the groups of values")?;
        let keys = Vec::new();
        let (seen, by_group) = (Seen::Nothing, OnceLock::new());
        Ok(Gathered { how, group_count, groups, places, values, keys, entries: None, seen, by_group })
    }
}

impl Wire for Quantile {
    fn write(&self, to: &mut Vec<u8>) {
        let (kind, fraction) = match self {
            Quantile::Mode => (0, None),
            Quantile::Discrete(fraction) => (1, Some(fraction)),
            Quantile::Continuous(fraction) => (2, Some(fraction)),
        };
        to.push(kind);
        if let Some(fraction) = fraction {
            fraction.get().to_bits().write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let fraction = |of: fn(Fraction) -> Quantile, from: &mut Reader<'_>| {
            Fraction::new(f64::from_bits(u64::read(from)?)).map(of).ok_or_else(|| damaged("a fraction"))
        };
        match u8::read(from)? {
            0 => Ok(Quantile::Mode),
            1 => fraction(Quantile::Discrete, from),
            2 => fraction(Quantile::Continuous, from),
            _ => Err(damaged("a quantile")),
        }
    }
}

impl Wire for Statistics {
    fn write(&self, to: &mut Vec<u8>) {
        self.kind.name().write(to);
        self.states.len().write(to);
        self.states.iter().for_each(|state| state.write_to(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let name = String::read(from)?;
        let kind = Statistic::of_name(&name).ok_or_else(|| damaged("a statistic"))?;
        let count = from.len(1)?;
        let mut state = || from.part(|bytes| Summary::read_from(kind, bytes, ROWS_MAX));
        let states = (0..count).map(|_| state()).collect::<Result<_>>()?;
        Ok(Statistics::of(kind, states))
    }
}

impl Wire for Moments {
    fn write(&self, to: &mut Vec<u8>) {
        self.sample.write(to);
        self.states.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let (sample, states) = (Wire::read(from)?, Wire::read(from)?);
        Ok(Moments::of(sample, states))
    }
}

impl Wire for NumericSums {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(match self.asked {
            Asked::Sum => 0,
            Asked::Variance { sample: false } => 1,
            Asked::Variance { sample: true } => 2,
        });
        self.widened().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let asked = match u8::read(from)? {
            0 => Asked::Sum,
            1 => Asked::Variance { sample: false },
            2 => Asked::Variance { sample: true },
            _ => return Err(damaged("what is asked of numbers")),
        };
        Ok(NumericSums { asked, states: States::of_wide(Wire::read(from)?) })
    }
}

impl Wire for Domain {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Domain::Integers { low, count, step, register } => {
                to.push(0);
                low.write(to);
                count.write(to);
                step.divisor().write(to);
                register.write(to);
            }
            Domain::Strings(dictionary) => {
                to.push(1);
                dictionary.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => {
                let (low, count, step): (i64, u64, u64) = (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
                let register = Wire::read(from)?;
                let fits = step > 0 && count <= 1 << 32 && matches!(register, Register::I32 | Register::I64);
                check(fits, "the range of arguments")?;
                Domain::Integers { low, count, step: Divisor::new(step), register }
            }
            1 => Domain::Strings(Wire::read(from)?),
            _ => return Err(damaged("the domain of arguments")),
        })
    }
}

impl Wire for Distinct {
    fn write(&self, to: &mut Vec<u8>) {
        self.group_count.write(to);
        match &self.met {
            Met::Bits(bits) => {
                to.push(0);
                bits.domain.write(to);
                bits.words.write(to);
            }
            Met::Listed(members) => {
                to.push(1);
                members.groups.write(to);
                members.values.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let group_count: usize = Wire::read(from)?;
        let met = match u8::read(from)? {
            0 => {
                let (domain, words): (Domain, Vec<u64>) = (Wire::read(from)?, Wire::read(from)?);
                let stride = domain.stride() as usize;
                check(stride.checked_mul(group_count) == Some(words.len()), "bits of arguments")?;
                // The last word of a group has bits for the last codes.
                let last = match domain.count() % 64 {
                    0 if domain.count() > 0 => u64::MAX,
                    codes => (1 << codes) - 1,
                };
                check(words.chunks(stride).all(|words| words[stride - 1] & !last == 0), "bits of no arguments")?;
                Met::Bits(BitSets { domain, stride, words })
            }
            1 => {
                let groups: Vec<u32> = Wire::read(from)?;
                let values: ColumnBuilder = Wire::read(from)?;
                let fits = groups.iter().all(|&group| (group as usize) < group_count) && values.len() == groups.len();
                check(fits, "arguments of no groups")?;
                Met::Listed(Members { groups, ..Members::new(values) })
            }
            _ => return Err(damaged("how arguments are kept")),
        };
        Ok(Distinct { group_count, met })
    }
}
