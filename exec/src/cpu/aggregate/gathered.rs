//! Filling Gather: texts are listed as they come, and sorted where a group's are wanted; other values likewise, of which one
//! is selected (`chosen`).

use super::super::vector::{Vector, VectorData};
use super::Input;
use super::chosen::Pick;
use super::shared_groups::{by_group, map_all, rows_of_piece, sharing, stretches};
use crate::column::Dictionary;
use crate::cpu::index::{sort_by_group, starts_of};
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::state::gathered::{Gathered, RowsByGroup, Seen};
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::evaluate::gather::gathered;
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::{Arc, OnceLock};

/// Rows of a piece of work, at most: its number is above them.
const PIECE_BITS: u32 = 40;

/// The place of the first row of a piece of work.
pub(super) fn first_place(piece: usize) -> u64 {
    (piece as u64) << PIECE_BITS
}

/// The piece of work that a place is of.
#[inline]
pub(super) fn piece_of(place: u64) -> u64 {
    place >> PIECE_BITS
}

/// Bits for codes of groups, at most.
pub(super) const BITS_MAX: usize = 1 << 28;

/// Texts after which it is clear whether most are there once.
pub(super) const LOOKS: usize = 1 << 16;

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
        self.by_group = OnceLock::new();
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
        append_to(&mut self.values, values);
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
            _ => seen = self.new_texts((input, vector), false, seen, &mut tuples),
        }
        self.seen = seen;
        let mut values = Vector::default();
        values.gather(vector, &tuples);
        values.nulls = None;
        self.append(&values);
    }

    /// Finds the rows of each group, before parts of the groups are merged: each would look at all rows.
    pub(crate) fn sort_for_parts(&self) {
        self.by_group.get_or_init(|| {
            let starts = starts_of(&self.groups, self.group_count);
            RowsByGroup { rows: sort_by_group(&self.groups, &starts), starts }
        });
    }

    pub(crate) fn merge(&mut self, other: &Self, from: &[u32], into: &[u32]) {
        let mut other = match other.by_group.get() {
            Some(by_group) => other.chosen_by_group(by_group, from, into),
            None => {
                let mut numbers = vec![None; other.group_count];
                from.iter().zip(into).for_each(|(&from, &into)| numbers[from as usize] = Some(into));
                other.chosen(|group| numbers[group as usize])
            }
        };
        (self.seen, self.by_group) = (Seen::Nothing, OnceLock::new());
        if self.values.len() == 0 {
            (self.groups, self.places, self.values, self.keys, self.entries) =
                (other.groups, other.places, other.values, other.keys, other.entries);
            return;
        }
        if self.entries != other.entries && other.values.len() > 0 {
            *self = std::mem::replace(self, Gathered::new(self.how)).of_texts();
            other = other.of_texts();
        }
        self.groups.extend(other.groups);
        self.places.extend(other.places);
        self.values.append_all(other.values);
        self.keys.iter_mut().zip(other.keys).for_each(|(mine, theirs)| mine.append_all(theirs));
    }

    /// What each group's values become, by all workers where there are many; NULL of none.
    pub(crate) fn finish(self, data_type: DataType, workers: Option<Workers<'_>>) -> Result<ColumnBuilder> {
        if let Some(entries) = self.entries.clone() {
            return self.arrays(&entries, workers);
        }
        if let Some(asked) = Pick::of(self.how) {
            let chosen = self.choose(&[asked], data_type, workers)?.pop();
            return chosen.ok_or_else(|| Error::internal("nothing of what was asked"));
        }
        let starts = starts_of(&self.groups, self.group_count);
        let mut rows = by_group(&self.groups, &starts, |row| row as u32, workers)?;
        let (mut work, mut behind) = (Vec::new(), &mut rows[..]);
        for groups in stretches(&starts, rows_of_piece(behind.len(), workers)) {
            let own;
            (own, behind) = behind.split_at_mut((starts[groups.end] - starts[groups.start]) as usize);
            work.push((groups, own));
        }
        let gathered = map_all(sharing(workers, self.groups.len()), work, |(groups, mut rows)| {
            let mut all = Vec::with_capacity(groups.len());
            for group in groups {
                let own;
                (own, rows) = rows.split_at_mut((starts[group + 1] - starts[group]) as usize);
                all.push(self.text_of(own)?);
            }
            Ok(ColumnBuilder::from_values(&all, data_type))
        })?;
        Ok(match gathered.is_empty() {
            true => ColumnBuilder::from_values(&[], data_type),
            false => ColumnBuilder::concat(gathered),
        })
    }

    /// What the texts of one group's rows become.
    fn text_of(&self, rows: &mut [u32]) -> Result<Value> {
        if rows.is_empty() {
            return Ok(Value::Null);
        }
        if self.how == Gather::Arrived && !self.places.is_empty() {
            rows.sort_by_key(|&row| self.places[row as usize]);
        }
        let text = |&row: &u32| {
            std::str::from_utf8(self.values.text(row as usize)).map_err(|_| Error::internal("a text that is none"))
        };
        let mut texts = rows.iter().map(text).collect::<Result<Vec<&str>>>()?;
        Ok(Value::text(gathered(self.how, &mut texts)?))
    }
}

/// Appends values to a column, which takes their form if it has none yet.
pub(super) fn append_to(column: &mut ColumnBuilder, values: &Vector) {
    if column.len() == 0 {
        *column = ColumnBuilder::new(values.register());
    }
    column.append(values);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::aggregate::TileGroups;
    use crate::cpu::aggregate::shared_groups::tests::by_all;
    use crate::plan::register::Register;
    use multiloop_planner::evaluate::quantile::{Fraction, Quantile, quantile};

    /// What becomes of five groups, whoever makes it.
    fn finished(state: &Gathered, data_type: DataType) -> Vec<Value> {
        by_all(|workers| {
            let column = state.clone().finish(data_type, workers).unwrap().into_column(data_type).unwrap();
            (0..5).map(|group| column.value(group, data_type)).collect()
        })
    }

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
            let column = finished(&state, data_type);
            for group in 0..5 {
                let own = values.iter().zip(groups).filter(|(value, own)| **own == group && !value.is_null());
                let own = own.map(|(value, _)| value.clone()).collect();
                let expected = quantile(of, descending, own);
                assert_eq!(column[group as usize], expected, "{of:?} {descending} {group}");
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
            let column = finished(&state, DataType::Text);
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
                assert_eq!(column[group as usize], expected, "{kinds:?} {group}");
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
