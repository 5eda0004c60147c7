//! Filling Gather: texts are listed as they come, and sorted where a group's are wanted; other values likewise, of which one
//! is selected.

use super::super::vector::{Vector, VectorData};
use super::Input;
use crate::column::Dictionary;
use crate::column::column_builder::{BuilderData, BuilderText};
use crate::cpu::index::{sort_by_group, starts_of};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::byte_keys::hash_bytes;
use crate::partial::hash::hash64;
use crate::partial::state::gathered::{Gathered, Seen};
use crate::{Error, Result};
use hashbrown::HashTable;
use multiloop_planner::evaluate::gather::gathered;
use multiloop_planner::evaluate::quantile::{Place, Quantile};
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::DataType;
use multiloop_planner::value::{Value, canonical_float_bits};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows of a piece of work, at most: its number is above them.
const PIECE_BITS: u32 = 40;

/// The place of the first row of a piece of work.
pub(super) fn first_place(piece: usize) -> u64 {
    (piece as u64) << PIECE_BITS
}

/// Bits for codes of groups, at most.
const BITS_MAX: usize = 1 << 28;

/// Texts after which it is clear whether most are there once.
const LOOKS: usize = 1 << 16;

/// Bits for the strings of a dictionary, so many for each group.
fn bits_of(dictionary: &Dictionary, groups: usize) -> usize {
    dictionary.len().saturating_mul(groups)
}

impl Gathered {
    pub(crate) fn resize(&mut self, groups: usize) {
        // Those behind the last were of rows that nobody wants.
        if groups < self.group_count && self.groups.iter().any(|&group| group as usize >= groups) {
            *self = self.chosen(|group| ((group as usize) < groups).then_some(group));
        }
        self.group_count = groups;
    }

    /// Folds in some tuples, of which the first is at this place; the next place.
    pub(crate) fn update(&mut self, input: &Input<'_>, place: u64) -> Result<u64> {
        let Some(vector) = input.vector else { return Err(Error::internal("values of nothing")) };
        if self.entries.is_some() {
            *self = std::mem::replace(self, Gathered::new(self.how)).of_texts();
        }
        if self.how == Gather::Distinct && !matches!(self.seen, Seen::Useless) {
            self.update_distinct(input, vector);
            return Ok(place + input.len as u64);
        }
        let first = self.groups.len();
        let next = place + input.len as u64;
        if vector.nulls.is_none() && !vector.constant && self.how != Gather::Arrived {
            let mut in_order = true;
            let mut last = 0;
            input.each(|tuple, group| {
                in_order &= tuple == last;
                last += 1;
                self.groups.push(group as u32);
            });
            if in_order && last == input.len {
                self.append(vector);
                return Ok(next);
            }
            self.groups.truncate(first);
        }
        let mut tuples = Vec::with_capacity(input.len);
        input.each_valid(|tuple, group| {
            tuples.push(tuple as u32);
            self.groups.push(group as u32);
        });
        if self.how == Gather::Arrived {
            self.places.extend(tuples.iter().map(|&tuple| place + u64::from(tuple)));
        }
        debug_assert_eq!(self.groups.len() - first, tuples.len());
        let mut values = Vector::default();
        values.gather(vector, &tuples);
        // NULLs are not among them.
        values.nulls = None;
        self.append(&values);
        Ok(next)
    }

    pub(super) fn append(&mut self, values: &Vector) {
        if self.values.len() == 0 {
            self.values = ColumnBuilder::new(values.register());
        }
        self.values.append(values);
    }

    /// Folds in the texts of some tuples that their groups do not have.
    fn update_distinct(&mut self, input: &Input<'_>, vector: &Vector) {
        let mut seen = std::mem::take(&mut self.seen);
        let mut tuples: Vec<u32> = Vec::new();
        match &vector.data {
            VectorData::Code { codes, dictionary } if bits_of(dictionary, self.group_count) <= BITS_MAX => {
                let mut bits = match seen {
                    Seen::Codes { dictionary: known, bits } if Arc::ptr_eq(&known, dictionary) => bits,
                    _ => Vec::new(),
                };
                bits.resize(bits_of(dictionary, self.group_count).div_ceil(64), 0);
                let (each, groups) = (dictionary.len(), &mut self.groups);
                input.each_valid(|tuple, group| {
                    let at = group * each + codes[vector.position(tuple)] as usize;
                    let (word, bit) = (&mut bits[at / 64], 1u64 << (at % 64));
                    if *word & bit == 0 {
                        *word |= bit;
                        tuples.push(tuple as u32);
                        groups.push(group as u32);
                    }
                });
                seen = Seen::Codes { dictionary: Arc::clone(dictionary), bits };
            }
            _ => {
                let (mut table, mut met) = match seen {
                    Seen::Rows { table, met } => (table, met),
                    _ => (HashTable::new(), 0),
                };
                let known = self.values.len();
                input.each_valid(|tuple, group| {
                    met += 1;
                    let text = vector.text(tuple).unwrap_or("").as_bytes();
                    let hash = hash_bytes(text) ^ hash64(group as u64);
                    let is_it = |&(other, row): &(u64, u32)| {
                        let row = row as usize;
                        let own = match row.checked_sub(known) {
                            None => self.values.text(row),
                            Some(new) => vector.text(tuples[new] as usize).unwrap_or("").as_bytes(),
                        };
                        other == hash && self.groups[row] as usize == group && own == text
                    };
                    if table.find(hash, is_it).is_none() {
                        table.insert_unique(hash, (hash, self.groups.len() as u32), |&(hash, _)| hash);
                        tuples.push(tuple as u32);
                        self.groups.push(group as u32);
                    }
                });
                let is_useless = met > LOOKS && self.groups.len() > met / 4 * 3;
                seen = if is_useless { Seen::Useless } else { Seen::Rows { table, met } };
            }
        }
        self.seen = seen;
        let mut values = Vector::default();
        values.gather(vector, &tuples);
        values.nulls = None;
        self.append(&values);
    }

    pub(crate) fn merge(&mut self, other: &Self, from: &[u32], into: &[u32]) {
        let mut numbers = vec![None; other.group_count];
        from.iter().zip(into).for_each(|(&from, &into)| numbers[from as usize] = Some(into));
        let mut other = other.chosen(|group| numbers[group as usize]);
        self.seen = Seen::Nothing;
        if self.values.len() == 0 {
            (self.groups, self.places, self.values, self.entries) =
                (other.groups, other.places, other.values, other.entries);
            return;
        }
        if self.entries != other.entries && other.values.len() > 0 {
            *self = std::mem::replace(self, Gathered::new(self.how)).of_texts();
            other = other.of_texts();
        }
        self.groups.extend(other.groups);
        self.places.extend(other.places);
        self.values.append_all(other.values);
    }

    /// What each group's values become; NULL of none.
    pub(crate) fn finish(self, data_type: DataType) -> Result<ColumnBuilder> {
        if let Some(entries) = self.entries.clone() {
            return self.arrays(&entries);
        }
        let starts = starts_of(&self.groups, self.group_count);
        if let Gather::One { of, descending } = self.how {
            return Ok(Groups { numbers: &self.groups, starts, of, descending }.choose(&self.values, data_type));
        }
        let mut rows = sort_by_group(&self.groups, &starts);
        let mut all = Vec::with_capacity(self.group_count);
        for group in 0..self.group_count {
            let rows = &mut rows[starts[group] as usize..starts[group + 1] as usize];
            if rows.is_empty() {
                all.push(Value::Null);
                continue;
            }
            if self.how == Gather::Arrived {
                rows.sort_by_key(|&row| self.places[row as usize]);
            }
            let text = |&row: &u32| {
                std::str::from_utf8(self.values.text(row as usize)).map_err(|_| Error::internal("a text that is none"))
            };
            let mut texts = rows.iter().map(text).collect::<Result<Vec<&str>>>()?;
            all.push(Value::text(gathered(self.how, &mut texts)?));
        }
        Ok(ColumnBuilder::from_values(&all, data_type))
    }
}

/// The groups of values, of each of which one is chosen.
struct Groups<'g> {
    /// For each value its group.
    numbers: &'g [u32],
    /// Where the values of each group begin, if they are put in order of their groups.
    starts: Vec<u32>,
    of: Quantile,
    descending: bool,
}

impl Groups<'_> {
    fn choose(&self, values: &ColumnBuilder, data_type: DataType) -> ColumnBuilder {
        let valid = || Some(self.starts.windows(2).map(|ends| ends[0] < ends[1]).collect::<Vec<bool>>());
        match &values.data {
            _ if values.len() == 0 => ColumnBuilder::from_values(&vec![Value::Null; self.starts.len() - 1], data_type),
            BuilderData::I32(values) => {
                ColumnBuilder::from_i64(self.integers(values.iter().map(|&value| value.into())), valid())
            }
            BuilderData::I64(values) => ColumnBuilder::from_i64(self.integers(values.iter().copied()), valid()),
            BuilderData::I128(values) => {
                ColumnBuilder::from_i128(self.one_of_each(values.iter().copied(), Ord::cmp, |low, _, _| low), valid())
            }
            BuilderData::F64(values) => {
                let keys = self.floats(values);
                ColumnBuilder::from_floats(keys.into_iter().map(float_of).collect(), valid())
            }
            BuilderData::Code { codes, dictionary } => {
                let chosen = self.integers(codes.iter().map(|&code| code.into()));
                let codes = chosen.into_iter().map(|code| code as u32).collect();
                ColumnBuilder::from_codes(codes, dictionary.clone(), valid())
            }
            BuilderData::Text(texts) => {
                let chosen = self.texts(texts);
                let of_group = chosen.iter().zip(self.starts.windows(2));
                let mut all = ColumnBuilder::of_type(DataType::Text);
                all.append_texts(of_group.map(|(&row, ends)| (ends[0] < ends[1]).then(|| texts.get(row as usize))));
                all
            }
            BuilderData::Bool(_) | BuilderData::Interval(_) | BuilderData::Numerics(_) | BuilderData::Vectors(_) => {
                unreachable!("the planner lets other values be chosen from their array")
            }
        }
    }

    /// The values in order of their groups.
    fn by_group<T: Copy + Default>(&self, values: impl Iterator<Item = T>) -> Vec<T> {
        let mut next = self.starts.clone();
        let mut all = vec![T::default(); self.numbers.len()];
        for (value, &group) in values.zip(self.numbers) {
            let place = &mut next[group as usize];
            all[*place as usize] = value;
            *place += 1;
        }
        all
    }

    /// The one of each group; any value of a group without values.
    fn one_of_each<T: Copy + Default>(
        &self,
        values: impl Iterator<Item = T>,
        compare: impl Fn(&T, &T) -> Ordering,
        between: impl Fn(T, T, Place) -> T,
    ) -> Vec<T> {
        let mut values = self.by_group(values);
        let compare = |a: &T, b: &T| if self.descending { compare(b, a) } else { compare(a, b) };
        self.starts
            .windows(2)
            .map(|ends| {
                let values = &mut values[ends[0] as usize..ends[1] as usize];
                if values.is_empty() {
                    return T::default();
                }
                let Some(place) = self.of.place(values.len()) else {
                    values.sort_unstable_by(&compare);
                    let runs = values.chunk_by(|a, b| compare(a, b).is_eq());
                    return runs.rev().max_by_key(|run| run.len()).map_or_else(T::default, |run| run[0]);
                };
                let (_, &mut low, behind) = values.select_nth_unstable_by(place.below, &compare);
                let high = if place.above > place.below {
                    behind.iter().copied().min_by(&compare).unwrap_or(low)
                } else {
                    low
                };
                between(low, high, place)
            })
            .collect()
    }

    /// The same of integers; where their values lie close together, the mode is counted.
    fn integers(&self, values: impl Iterator<Item = i64> + Clone) -> Vec<i64> {
        let range = values.clone().fold(None, |range: Option<(i64, i64)>, value| match range {
            Some((low, high)) => Some((low.min(value), high.max(value))),
            None => Some((value, value)),
        });
        let (low, high) = range.unwrap_or_default();
        let span = high.abs_diff(low);
        let groups = (self.starts.len() - 1) as u64;
        let cells = span.saturating_add(1).saturating_mul(groups);
        if self.of != Quantile::Mode || cells > (self.numbers.len() as u64).saturating_mul(4) {
            return self.one_of_each(values, Ord::cmp, |low, _, _| low);
        }
        let each = span as usize + 1;
        let mut counts = vec![0u32; cells as usize];
        for (value, &group) in values.zip(self.numbers) {
            counts[group as usize * each + value.abs_diff(low) as usize] += 1;
        }
        let of_group = |counts: &[u32]| {
            let cells = counts.iter().enumerate();
            // Of several the last one is taken.
            let most =
                if self.descending { cells.max_by_key(|cell| cell.1) } else { cells.rev().max_by_key(|cell| cell.1) };
            low.wrapping_add(most.map_or(0, |(at, _)| at as i64))
        };
        counts.chunks(each).map(of_group).collect()
    }

    /// The keys of floats.
    fn floats(&self, values: &[f64]) -> Vec<i64> {
        self.one_of_each(values.iter().map(|&value| key_of(value)), Ord::cmp, |low, high, place| {
            key_of(place.between(float_of(low), float_of(high)))
        })
    }

    /// The rows of texts.
    fn texts(&self, texts: &BuilderText) -> Vec<u32> {
        let compare = |&a: &u32, &b: &u32| texts.get(a as usize).cmp(texts.get(b as usize));
        let rows = 0..self.numbers.len() as u32;
        if self.of != Quantile::Mode {
            return self.one_of_each(rows, compare, |low, _, _| low);
        }
        let rows = self.by_group(rows);
        let of_group = |ends: &[u32]| {
            let mut counts: HashMap<&[u8], (usize, u32)> = HashMap::new();
            for &row in &rows[ends[0] as usize..ends[1] as usize] {
                counts.entry(texts.get(row as usize)).or_insert((0, row)).0 += 1;
            }
            let first = |a: &[u8], b: &[u8]| if self.descending { a.cmp(b) } else { b.cmp(a) };
            let most =
                counts.iter().max_by(|(a, a_count), (b, b_count)| a_count.0.cmp(&b_count.0).then_with(|| first(a, b)));
            most.map_or(0, |(_, &(_, row))| row)
        };
        self.starts.windows(2).map(of_group).collect()
    }
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
    use crate::cpu::aggregate::TileGroups;
    use crate::plan::register::Register;
    use multiloop_planner::evaluate::quantile::{Fraction, quantile};

    /// What groups choose of values that come in two halves, beside what the definition does.
    fn check(values: &[Value], data_type: DataType, register: Register, groups: &[u32], of: Quantile) {
        for descending in [false, true] {
            let how = Gather::One { of, descending };
            let half = values.len() / 2;
            let part = |rows: std::ops::Range<usize>| {
                let mut state = Gathered::new(how);
                state.resize(5);
                let mut vector = Vector::default();
                vector.set_values(&values[rows.clone()], register);
                let input = Input {
                    groups: TileGroups::Each(&groups[rows.clone()], None),
                    vector: Some(&vector),
                    len: rows.len(),
                };
                state.update(&input, 0).unwrap();
                state
            };
            let mut state = part(0..half);
            state.merge(&part(half..values.len()), &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4]);
            let column = state.finish(data_type).unwrap().into_column(data_type).unwrap();
            for group in 0..5 {
                let own = values.iter().zip(groups).filter(|(value, own)| **own == group && !value.is_null());
                let own = own.map(|(value, _)| value.clone()).collect();
                let expected = quantile(of, descending, own);
                assert_eq!(column.value(group as usize, data_type), expected, "{of:?} {descending} {group}");
            }
        }
    }

    /// Texts of rows that come in two halves, each in two tiles, as strings or as codes of a dictionary.
    #[test]
    fn texts_that_are_there_once_are_what_the_definition_says() {
        let groups: Vec<u32> = (0..400).map(|row| row * row % 7 % 4).collect();
        let text = |row: u32| format!("{}\0{}", row.wrapping_mul(2_654_435_761) >> 7 & 7, row % 3);
        let values: Vec<Value> =
            (0..400).map(|row| if row % 13 == 5 { Value::Null } else { Value::text(text(row)) }).collect();
        let mut known: Vec<String> = (0..400).map(text).collect();
        known.sort();
        known.dedup();
        let dictionary = Arc::new(Dictionary::new(known.iter().map(String::as_str)));
        let vector = |rows: std::ops::Range<usize>, as_codes: bool| {
            let mut vector = Vector::default();
            vector.set_values(&values[rows.clone()], Register::Text);
            if as_codes {
                let code = |value: &Value| match value {
                    Value::Text(text) => known.iter().position(|other| **other == **text).expect("it is known") as u32,
                    _ => 0,
                };
                let codes = values[rows].iter().map(code).collect();
                vector.data = VectorData::Code { codes, dictionary: Arc::clone(&dictionary) };
            }
            vector
        };
        for kinds in [[false; 4], [true; 4], [true, false, true, true], [false, true, false, false]] {
            let part = |half: usize| {
                let mut state = Gathered::new(Gather::Distinct);
                for tile in 0..2 {
                    state.resize(4 + tile);
                    let rows = half * 200 + tile * 100..half * 200 + tile * 100 + 100;
                    let vector = vector(rows.clone(), kinds[half * 2 + tile]);
                    let of_tile = TileGroups::Each(&groups[rows], None);
                    state.update(&Input { groups: of_tile, vector: Some(&vector), len: 100 }, 0).unwrap();
                }
                state
            };
            let mut state = part(1);
            state.merge(&part(0), &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4]);
            let column = state.finish(DataType::Text).unwrap().into_column(DataType::Text).unwrap();
            for group in 0..5 {
                let of_group = values.iter().zip(&groups).filter(|(_, own)| **own == group);
                let mut own: Vec<&str> = of_group
                    .filter_map(|(value, _)| if let Value::Text(text) = value { Some(&**text) } else { None })
                    .collect();
                let expected = if own.is_empty() {
                    Value::Null
                } else {
                    Value::text(gathered(Gather::Distinct, &mut own).unwrap())
                };
                assert_eq!(column.value(group as usize, DataType::Text), expected, "{kinds:?} {group}");
            }
        }
    }

    #[test]
    fn what_is_chosen_is_what_the_definition_says() {
        let groups: Vec<u32> = (0..300).map(|row| row * row % 7 % 4).collect();
        let random = |row: u32| (row.wrapping_mul(2_654_435_761) >> 7) as i64;
        let nasty = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1.5, f64::MAX, f64::MIN];
        let null = |row: u32, value: Value| if row.is_multiple_of(11) { Value::Null } else { value };
        let all = |value: &dyn Fn(u32) -> Value| -> Vec<Value> { (0..300).map(|row| null(row, value(row))).collect() };
        let fractions = [0.0, 0.1, 0.5, 0.99, 1.0].map(|fraction| Fraction::new(fraction).unwrap());
        let discrete = fractions.map(Quantile::Discrete);
        for of in discrete.into_iter().chain([Quantile::Mode]) {
            let narrow = all(&|row| Value::Int(random(row) % 10));
            check(&narrow, DataType::Integer, Register::I32, &groups, of);
            check(&all(&|row| Value::Int(random(row))), DataType::BigInt, Register::I64, &groups, of);
            let ends = all(&|row| Value::Int([i64::MIN, i64::MAX, 0][random(row) as usize % 3]));
            check(&ends, DataType::BigInt, Register::I64, &groups, of);
            let wide = all(&|row| Value::Decimal(i128::from(random(row) % 20) << 80));
            check(&wide, DataType::decimal(38, 2), Register::I128, &groups, of);
            let texts = all(&|row| Value::text("é".repeat(random(row) as usize % 9)));
            check(&texts, DataType::Text, Register::Text, &groups, of);
            check(&vec![Value::Null; 300], DataType::Text, Register::Text, &groups, of);
            check(&[Value::Int(3)], DataType::Integer, Register::I32, &[2], of);
        }
        for of in discrete.into_iter().chain(fractions.map(Quantile::Continuous)).chain([Quantile::Mode]) {
            let floats = all(&|row| Value::Float(nasty[random(row) as usize % 8]));
            check(&floats, DataType::Double, Register::F64, &groups, of);
            let floats = all(&|row| Value::Float(random(row) as f64 / 3.0));
            check(&floats, DataType::Double, Register::F64, &groups, of);
        }
    }
}
