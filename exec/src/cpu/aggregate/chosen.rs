//! Chosen values: percentiles and modes of what is gathered, all that are asked of the same values at once.
//!
//! 1. The values are put in order of their groups, once.
//! 2. Of each group the values at the places that percentiles ask for are selected: that in the middle first, then the others among
//!    those before and behind it. Where many places, or a mode, are asked for, the group is sorted.
//! 3. Workers have groups side by side; one that has more than a worker's share of the values they share (`shared_choice`).
//! 4. A mode of integers that lie close together is counted instead, and that of texts looked up.
//!
//! An order that goes down is one that goes up, seen from its end.

use super::shared_groups::{by_group, map_all, rows_of_piece, sharing, stretches};
use crate::Result;
use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use crate::cpu::index::{sort_by_group, starts_of};
use crate::partial::state::gathered::Gathered;
use crate::workers::schedule::Workers;
use multiloop_planner::evaluate::quantile::{Place, Quantile};
use multiloop_planner::meter;
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Value, canonical_float_bits};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

mod shared_choice;

/// Places for which it is better to sort all values than to select each.
const SORTED: usize = 24;

/// What is asked of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pick {
    of: Quantile,
    descending: bool,
}

impl Pick {
    /// What an aggregate asks for; none if it is one that keeps all values.
    pub(super) fn of(how: Gather) -> Option<Pick> {
        if let Gather::One { of, descending } = how { Some(Pick { of, descending }) } else { None }
    }

    fn is_mode(self) -> bool {
        self.of == Quantile::Mode
    }

    /// Where it lies among so many values that go up; none of a mode.
    fn place(self, count: usize) -> Option<Place> {
        let place = self.of.place(count)?;
        let turned = |at: usize| if self.descending { count - 1 - at } else { at };
        Some(Place { below: turned(place.below), above: turned(place.above), way: place.way })
    }
}

impl Gathered {
    /// What is chosen of each group's values, a column for each that is asked for; NULL of none.
    pub(super) fn choose(
        self,
        asked: &[Pick],
        data_type: DataType,
        workers: Option<Workers<'_>>,
    ) -> Result<Vec<ColumnBuilder>> {
        let starts = starts_of(&self.groups, self.group_count);
        let workers = sharing(workers, self.groups.len());
        Groups { numbers: &self.groups, starts, asked, workers }.choose(&self.values, data_type)
    }
}

/// The groups of values, of each of which some are chosen.
struct Groups<'g> {
    /// For each value its group.
    numbers: &'g [u32],
    /// Where the values of each group begin, if they are put in order of their groups.
    starts: Vec<u32>,
    asked: &'g [Pick],
    /// Those who share the work, if it is enough for several.
    workers: Option<Workers<'g>>,
}

impl Groups<'_> {
    fn choose(&self, values: &ColumnBuilder, data_type: DataType) -> Result<Vec<ColumnBuilder>> {
        let valid = || Some(self.starts.windows(2).map(|ends| ends[0] < ends[1]).collect::<Vec<bool>>());
        let columns = match &values.data {
            _ if values.len() == 0 => {
                let none = ColumnBuilder::from_values(&vec![Value::Null; self.starts.len() - 1], data_type);
                vec![none; self.asked.len()]
            }
            BuilderData::I32(values) => {
                let chosen = self.integers(|row| values[row].into())?;
                chosen.into_iter().map(|chosen| ColumnBuilder::from_i64(chosen, valid())).collect()
            }
            BuilderData::I64(values) => {
                let chosen = self.integers(|row| values[row])?;
                chosen.into_iter().map(|chosen| ColumnBuilder::from_i64(chosen, valid())).collect()
            }
            BuilderData::I128(values) => {
                let chosen = self.of_each(|row| values[row], Ord::cmp, |low, _, _| low)?;
                chosen.into_iter().map(|chosen| ColumnBuilder::from_i128(chosen, valid())).collect()
            }
            BuilderData::F64(values) => {
                let floats = |keys: Vec<i64>| keys.into_iter().map(float_of).collect();
                let chosen = self.floats(values)?;
                chosen.into_iter().map(|chosen| ColumnBuilder::from_floats(floats(chosen), valid())).collect()
            }
            BuilderData::Code { codes, dictionary } => {
                let chosen = self.integers(|row| codes[row].into())?;
                let codes = |chosen: Vec<i64>| chosen.into_iter().map(|code| code as u32).collect();
                let column = |chosen| ColumnBuilder::from_codes(codes(chosen), dictionary.clone(), valid());
                chosen.into_iter().map(column).collect()
            }
            BuilderData::Text(texts) => {
                let column = |chosen: Vec<u32>| {
                    let of_group = chosen.iter().zip(self.starts.windows(2));
                    let mut all = ColumnBuilder::of_type(DataType::Text);
                    all.append_texts(of_group.map(|(&row, ends)| (ends[0] < ends[1]).then(|| texts.get(row as usize))));
                    all
                };
                self.texts(texts)?.into_iter().map(column).collect()
            }
            BuilderData::Bool(_) | BuilderData::Interval(_) | BuilderData::Numerics(_) | BuilderData::Vectors(_) => {
                unreachable!("the planner lets other values be chosen from their array")
            }
        };
        Ok(columns)
    }

    /// Those of each group, by what is asked; any value of a group without values.
    fn of_each<T: Copy + Default + Send + Sync>(
        &self,
        value: impl Fn(usize) -> T + Sync,
        compare: impl Fn(&T, &T) -> Ordering + Sync,
        between: impl Fn(T, T, Place) -> T + Sync,
    ) -> Result<Vec<Vec<T>>> {
        let mut values = by_group(self.numbers, &self.starts, value, self.workers)?;
        let each = rows_of_piece(values.len(), self.workers);
        let (mut work, mut behind) = (Vec::new(), &mut values[..]);
        for groups in stretches(&self.starts, each) {
            let own;
            (own, behind) = behind.split_at_mut((self.starts[groups.end] - self.starts[groups.start]) as usize);
            work.push((groups, own));
        }
        // A group that all workers share is none that one of them has.
        let is_shared = |values: &[T]| self.workers.is_some() && values.len() > 2 * each;
        let found = map_all(self.workers, work, |(groups, values): (Range<usize>, &mut [T])| {
            if is_shared(values) {
                return Ok((Vec::new(), Some(values)));
            }
            let mut all = vec![Vec::with_capacity(groups.len()); self.asked.len()];
            let mut behind = values;
            for ends in self.starts[groups.start..=groups.end].windows(2) {
                let own;
                (own, behind) = behind.split_at_mut((ends[1] - ends[0]) as usize);
                self.of_group(own, &compare, &between, &mut all)?;
            }
            Ok((all, None))
        })?;
        let mut all = vec![Vec::with_capacity(self.starts.len() - 1); self.asked.len()];
        for (of_stretch, shared) in found {
            match shared.zip(self.workers) {
                Some((values, workers)) => {
                    let chosen = shared_choice::choose(values, self.asked, (&compare, &between), workers)?;
                    all.iter_mut().zip(chosen).for_each(|(all, chosen)| all.push(chosen));
                }
                None => all.iter_mut().zip(of_stretch).for_each(|(all, own)| all.extend(own)),
            }
        }
        Ok(all)
    }

    /// Those of one group.
    fn of_group<T: Copy + Default>(
        &self,
        values: &mut [T],
        compare: impl Fn(&T, &T) -> Ordering,
        between: impl Fn(T, T, Place) -> T,
        all: &mut [Vec<T>],
    ) -> Result<()> {
        meter::spend(values.len() * 4)?;
        if values.is_empty() {
            all.iter_mut().for_each(|chosen| chosen.push(T::default()));
            return Ok(());
        }
        let (count, places) = (values.len(), places(self.asked, values.len()));
        if places.len() > SORTED || self.asked.iter().any(|asked| asked.is_mode()) {
            values.sort_unstable_by(&compare);
        } else {
            select(values, 0, &places, &compare);
        }
        for (chosen, asked) in all.iter_mut().zip(self.asked) {
            chosen.push(match asked.place(count) {
                Some(place) => between(values[place.below], values[place.above], place),
                None => mode(values, asked.descending, &compare).0,
            });
        }
        Ok(())
    }

    /// The same of integers; where their values lie close together, the mode is counted.
    fn integers(&self, value: impl Fn(usize) -> i64 + Sync) -> Result<Vec<Vec<i64>>> {
        let values = (0..self.numbers.len()).map(&value);
        let (low, high) = match self.asked.iter().any(|asked| asked.is_mode()) {
            true => values.clone().fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(value), high.max(value))),
            false => (0, i64::MAX),
        };
        let span = high.abs_diff(low);
        let groups = (self.starts.len() - 1) as u64;
        let cells = span.saturating_add(1).saturating_mul(groups);
        if cells > (self.numbers.len() as u64).saturating_mul(4) {
            return self.of_each(&value, Ord::cmp, |low, _, _| low);
        }
        let each = span as usize + 1;
        let mut counts = vec![0u32; cells as usize];
        for (value, &group) in values.zip(self.numbers) {
            counts[group as usize * each + value.abs_diff(low) as usize] += 1;
        }
        let mode = |counts: &[u32], descending: bool| {
            let cells = counts.iter().enumerate();
            // Of several the last one is taken.
            let most = if descending { cells.max_by_key(|cell| cell.1) } else { cells.rev().max_by_key(|cell| cell.1) };
            low.wrapping_add(most.map_or(0, |(at, _)| at as i64))
        };
        let modes = |asked: Pick| counts.chunks(each).map(|counts| mode(counts, asked.descending)).collect();
        self.with_modes(modes, |others| others.of_each(&value, Ord::cmp, |low, _, _| low))
    }

    /// What is asked, of which modes are made in a way of their own.
    fn with_modes<T>(
        &self,
        modes: impl Fn(Pick) -> Vec<T>,
        others: impl FnOnce(Groups<'_>) -> Result<Vec<Vec<T>>>,
    ) -> Result<Vec<Vec<T>>> {
        let asked: Vec<Pick> = self.asked.iter().copied().filter(|asked| !asked.is_mode()).collect();
        let found = match asked.is_empty() {
            true => Vec::new(),
            false => others(Groups { starts: self.starts.clone(), asked: &asked, ..*self })?,
        };
        let mut found = found.into_iter();
        let one = |&asked: &Pick| if asked.is_mode() { Some(modes(asked)) } else { found.next() };
        Ok(self.asked.iter().filter_map(one).collect())
    }

    /// The keys of floats.
    fn floats(&self, values: &[f64]) -> Result<Vec<Vec<i64>>> {
        self.of_each(
            |row| key_of(values[row]),
            Ord::cmp,
            |low, high, place| key_of(place.between(float_of(low), float_of(high))),
        )
    }

    /// The rows of texts.
    fn texts(&self, texts: &BuilderText) -> Result<Vec<Vec<u32>>> {
        let compare = |&a: &u32, &b: &u32| texts.get(a as usize).cmp(texts.get(b as usize));
        let modes = |asked: Pick| {
            let by_group = sort_by_group(self.numbers, &self.starts);
            let of_group = |ends: &[u32]| {
                let mut counts: HashMap<&[u8], (usize, u32)> = HashMap::new();
                for &row in &by_group[ends[0] as usize..ends[1] as usize] {
                    counts.entry(texts.get(row as usize)).or_insert((0, row)).0 += 1;
                }
                let first = |a: &[u8], b: &[u8]| if asked.descending { a.cmp(b) } else { b.cmp(a) };
                let most = counts
                    .iter()
                    .max_by(|(a, a_count), (b, b_count)| a_count.0.cmp(&b_count.0).then_with(|| first(a, b)));
                most.map_or(0, |(_, &(_, row))| row)
            };
            self.starts.windows(2).map(of_group).collect()
        };
        self.with_modes(modes, |others| others.of_each(|row| row as u32, compare, |low, _, _| low))
    }
}

/// The places that are asked for of so many values that go up.
fn places(asked: &[Pick], count: usize) -> Vec<usize> {
    let asked = asked.iter().filter_map(|asked| asked.place(count));
    let mut places: Vec<usize> = asked.flat_map(|at| [at.below, at.above]).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Puts the values at some places, which go up and of which the first value has `first`, where they are in order.
fn select<T>(values: &mut [T], first: usize, places: &[usize], compare: &impl Fn(&T, &T) -> Ordering) {
    let middle = places.len() / 2;
    let Some(&place) = places.get(middle) else { return };
    let (before, _, behind) = values.select_nth_unstable_by(place - first, compare);
    select(before, first, &places[..middle], compare);
    select(behind, place + 1, &places[middle + 1..], compare);
}

/// The value that is there most often among sorted ones, of several the first of their order; and how often.
fn mode<T: Copy + Default>(sorted: &[T], descending: bool, compare: &impl Fn(&T, &T) -> Ordering) -> (T, usize) {
    let runs = sorted.chunk_by(|a, b| compare(a, b).is_eq());
    // Of several the last one is taken.
    let most = if descending { runs.max_by_key(|run| run.len()) } else { runs.rev().max_by_key(|run| run.len()) };
    most.map_or_else(|| (T::default(), 0), |run| (run[0], run.len()))
}

/// A number that is in order as floats are, equal ones being one.
fn key_of(float: f64) -> i64 {
    turned(canonical_float_bits(float) as i64)
}

/// The float of a key.
fn float_of(key: i64) -> f64 {
    f64::from_bits(turned(key) as u64)
}

/// Bits of a negative float turned, but for their sign; and back.
fn turned(bits: i64) -> i64 {
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::aggregate::shared_groups::tests::by_all;
    use crate::cpu::aggregate::{Input, TileGroups};
    use crate::cpu::vector::Vector;
    use crate::plan::register::Register;
    use multiloop_planner::evaluate::quantile::{Fraction, quantile};

    /// All that is asked of values at once, beside what the definition says of each.
    fn check(values: &[Value], of: (DataType, Register), all: &[Quantile]) {
        check_groups(values, of, all, |row| row * row % 7 % 4);
        // One group has nearly all.
        check_groups(values, of, all, |row| if row % 100 == 99 { row / 100 % 5 } else { 2 });
    }

    fn check_groups(
        values: &[Value],
        (data_type, register): (DataType, Register),
        all: &[Quantile],
        group: impl Fn(u32) -> u32,
    ) {
        let groups: Vec<u32> = (0..values.len() as u32).map(group).collect();
        let asked = all.iter().flat_map(|&of| [false, true].map(|descending| Pick { of, descending }));
        let asked: Vec<Pick> = asked.collect();
        let mut state = Gathered::new(Gather::One { of: all[0], descending: false });
        state.resize(5);
        let mut vector = Vector::default();
        vector.set_values(values, register);
        let input = Input { groups: TileGroups::Each(&groups, None), vector: Some(&vector), len: values.len() };
        state.update(&input, 0).unwrap();
        let chosen = by_all(|workers| {
            let columns = state.clone().choose(&asked, data_type, workers).unwrap().into_iter();
            let columns = columns.map(|column| column.into_column(data_type).unwrap());
            columns.map(|column| (0..5).map(|group| column.value(group, data_type)).collect()).collect::<Vec<Vec<_>>>()
        });
        assert_eq!(chosen.len(), asked.len());
        for (chosen, Pick { of, descending }) in chosen.into_iter().zip(asked) {
            for group in 0..5 {
                let own = values.iter().zip(&groups).filter(|(value, own)| **own == group && !value.is_null());
                let expected = quantile(of, descending, own.map(|(value, _)| value.clone()).collect());
                assert_eq!(chosen[group as usize], expected, "{of:?} {descending} {group}");
            }
        }
    }

    #[test]
    fn all_that_is_asked_at_once_is_what_the_definition_says() {
        let random = |row: u32| (row.wrapping_mul(2_654_435_761) >> 7) as usize;
        let nasty = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1.5, f64::MAX, f64::MIN];
        let null = |row: u32, value: Value| if row.is_multiple_of(11) { Value::Null } else { value };
        let fractions: Vec<Fraction> =
            [0.5, 0.0, 0.1, 0.99, 1.0, 0.25].map(|fraction| Fraction::new(fraction).expect("it is one")).to_vec();
        let many: Vec<Fraction> = (0..60).map(|at| Fraction::new(f64::from(at) / 59.0).expect("it is one")).collect();
        for count in [0, 1, 2, 30, 3000] {
            for fractions in [&fractions[..1], &fractions, &many] {
                let discrete: Vec<Quantile> = fractions.iter().map(|&fraction| Quantile::Discrete(fraction)).collect();
                let continuous = fractions.iter().map(|&fraction| Quantile::Continuous(fraction));
                let both: Vec<Quantile> = discrete.iter().copied().chain(continuous).collect();
                for modes in [&[][..], &[Quantile::Mode]] {
                    let all = |value: &dyn Fn(usize) -> Value| -> Vec<Value> {
                        (0..count).map(|row| null(row, value(random(row)))).collect()
                    };
                    let (some, floats) = ([&discrete[..], modes].concat(), [modes, &both].concat());
                    let wide = all(&|at| Value::Int([i64::MIN, i64::MAX, 0, at as i64][at % 4]));
                    check(&wide, (DataType::BigInt, Register::I64), &some);
                    check(&all(&|at| Value::Int(at as i64 % 9)), (DataType::Integer, Register::I32), &some);
                    check(&all(&|at| Value::text("é".repeat(at % 9))), (DataType::Text, Register::Text), &some);
                    let of = DataType::decimal(38, 2);
                    check(&all(&|at| Value::Decimal((at as i128 % 20) << 80)), (of, Register::I128), &some);
                    check(&all(&|at| Value::Float(nasty[at % 8])), (DataType::Double, Register::F64), &floats);
                    check(&all(&|at| Value::Float(at as f64 / 3.0)), (DataType::Double, Register::F64), &floats);
                }
            }
        }
    }
}
