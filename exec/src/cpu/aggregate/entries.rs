//! Gathering arrays from values: `array_agg` in the order of the rows keeps numbers and texts as they come, instead of a text for
//! each row that has the value as an element, and writes each group's elements once.
//!
//! 1. The values of all rows stand in one column, their groups beside them.
//! 2. How long each group's elements are is known before any is written: so many of a fixed width, or the sum of their lengths.
//! 3. Each element is written where its group has come to, behind what the group has already. Behind the last one the end of an
//!    array is written, too: what makes an array of the text only makes its view longer (`kernels/array/make.rs`).

use super::Input;
use crate::column::TextView;
use crate::column::column_builder::{ARENA_MAX, BuilderData, BuilderText, ColumnBuilder};
use crate::cpu::index::{sort_by_group, starts_of};
use crate::cpu::vector::Vector;
use crate::partial::state::gathered::{Entries, Gathered};
use crate::{Error, ErrorKind, Result};
use arrow::buffer::Buffer;
use multiloop_planner::evaluate::array::{ESCAPED, Fixed, Form, MARKS, TAIL};
use multiloop_planner::evaluate::gather::FRONT_END;
use multiloop_planner::meter::{self, Room};
use multiloop_planner::multiloop::Gather;
use multiloop_planner::types::DataType;
use std::ops::Range;

const END: u8 = MARKS[0];
const VALUE: u8 = MARKS[1];
const NULL: u8 = MARKS[2];
const ESCAPE: u8 = MARKS[3];

/// Rows between two looks at whether to go on.
const PIECE: usize = 1 << 14;

impl Gathered {
    /// Whether values may come instead of their texts: they are to stay in the order in which they come, and none came as a text.
    pub(super) fn takes_entries(&self) -> bool {
        self.how == Gather::Arrived && (self.entries.is_some() || self.values.len() == 0)
    }

    /// As [`Gathered::update`], of values that are to be elements of a type, NULL among them, each behind others.
    pub(super) fn update_entries(
        &mut self,
        input: &Input<'_>,
        (element, before): (DataType, &str),
        place: u64,
    ) -> Result<u64> {
        let Some(vector) = input.vector else { return Err(Error::internal("values of nothing")) };
        self.entries.get_or_insert_with(|| Entries { element, before: before.as_bytes().to_vec() });
        let first = self.groups.len();
        let (mut in_order, mut count) = (true, 0);
        input.each(|tuple, group| {
            in_order &= tuple == count;
            count += 1;
            self.groups.push(group as u32);
        });
        let next = place + input.len as u64;
        if in_order && count == input.len && !vector.constant {
            self.places.extend(place..next);
            self.append(vector);
            return Ok(next);
        }
        self.groups.truncate(first);
        let mut tuples = Vec::with_capacity(input.len);
        input.each(|tuple, group| {
            tuples.push(tuple as u32);
            self.groups.push(group as u32);
        });
        self.places.extend(tuples.iter().map(|&tuple| place + u64::from(tuple)));
        let mut values = Vector::default();
        values.gather(vector, &tuples);
        self.append(&values);
        Ok(next)
    }

    /// The same with the texts of rows as values.
    pub(crate) fn of_texts(mut self) -> Self {
        let Some(Entries { element, before }) = self.entries.take() else { return self };
        let mut texts = BuilderText::default();
        let mut text = Vec::new();
        for row in 0..self.values.len() {
            text.clear();
            text.push(FRONT_END as u8);
            text.extend_from_slice(&before);
            match Form::of(element) {
                Some(Form::Fixed(fixed)) => fixed.push(key_of(fixed, &self.values, row), &mut text),
                _ if self.values.is_null(row) => text.push(NULL),
                _ => {
                    let own = self.values.text(row);
                    let start = text.len();
                    text.resize(start + length_of(own), VALUE);
                    write_text(own, &mut text[start..]);
                }
            }
            texts.push(&text);
        }
        self.values = ColumnBuilder::from_texts(texts, None);
        self
    }

    /// The elements of each group behind each other, NULL of none.
    pub(super) fn arrays(self, Entries { element, before }: &Entries) -> Result<ColumnBuilder> {
        let (groups, values) = (&self.groups, &self.values);
        let starts = starts_of(groups, self.group_count);
        // Workers had parts of the rows each.
        let order = (!self.places.is_sorted()).then(|| {
            let mut rows = sort_by_group(groups, &starts);
            for ends in starts.windows(2) {
                rows[ends[0] as usize..ends[1] as usize].sort_unstable_by_key(|&row| self.places[row as usize]);
            }
            rows
        });
        let valid = || Some(starts.windows(2).map(|ends| ends[0] < ends[1]).collect());
        let texts = match Form::of(*element) {
            Some(Form::Fixed(fixed)) if before.is_empty() => {
                let stride = fixed.stride();
                let lengths = starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize * stride).collect();
                let mut write = Writer { groups, order: order.as_deref(), lengths };
                match (&values.data, &values.valid) {
                    (BuilderData::I64(numbers), None) if fixed == Fixed::Long => {
                        write.fixed::<12>(|row| Fixed::Long.element(VALUE, Fixed::Long.key_of_integer(numbers[row])))?
                    }
                    (BuilderData::F64(numbers), None) if fixed == Fixed::Double => write
                        .fixed::<12>(|row| Fixed::Double.element(VALUE, Fixed::Double.key_of_float(numbers[row])))?,
                    (BuilderData::I32(numbers), None) if fixed == Fixed::Integer => write.fixed::<7>(|row| {
                        Fixed::Integer.element(VALUE, Fixed::Integer.key_of_integer(numbers[row].into()))
                    })?,
                    _ => write.all(|_| stride, |row, to| write_fixed(fixed, values, row, to))?,
                }
            }
            None | Some(Form::Text) if let Some(known) = Known::of(values, before) => {
                let mut lengths = vec![0usize; self.group_count];
                for (row, &group) in groups.iter().enumerate() {
                    lengths[group as usize] += known.of_row(row).len();
                }
                let mut writer = Writer { groups, order: order.as_deref(), lengths };
                writer.all(|row| known.of_row(row).len(), |row, to| to.copy_from_slice(known.of_row(row)))?
            }
            _ => {
                let fixed = Fixed::of(*element);
                let length = |row: usize| {
                    let own = match fixed {
                        Some(fixed) => fixed.stride(),
                        None if values.is_null(row) => 1,
                        None => length_of(values.text(row)),
                    };
                    before.len() + own
                };
                let mut lengths = vec![0usize; self.group_count];
                for (row, &group) in groups.iter().enumerate() {
                    lengths[group as usize] += length(row);
                }
                Writer { groups, order: order.as_deref(), lengths }.all(length, |row, to| {
                    let (front, to) = to.split_at_mut(before.len());
                    front.copy_from_slice(before);
                    match fixed {
                        Some(fixed) => write_fixed(fixed, values, row, to),
                        None if values.is_null(row) => to[0] = NULL,
                        None => write_text(values.text(row), to),
                    }
                })?
            }
        };
        Ok(ColumnBuilder::from_texts(texts, valid()))
    }
}

/// The elements that are the strings of a dictionary, written once, each with what stands before it.
struct Known<'v> {
    codes: &'v [u32],
    valid: Option<&'v [bool]>,
    bytes: Vec<u8>,
    /// Where each begins, NULL behind the last string, and where that ends.
    starts: Vec<u32>,
}

impl<'v> Known<'v> {
    /// None of values that have no codes, or where more strings have to be written than there are values.
    fn of(values: &'v ColumnBuilder, before: &[u8]) -> Option<Self> {
        let BuilderData::Code { codes, dictionary } = &values.data else { return None };
        if dictionary.len() > codes.len() {
            return None;
        }
        let (mut bytes, mut starts) = (Vec::new(), Vec::with_capacity(dictionary.len() + 2));
        for code in 0..dictionary.len() as u32 {
            starts.push(u32::try_from(bytes.len()).ok()?);
            bytes.extend_from_slice(before);
            let (text, start) = (dictionary.get(code).as_bytes(), bytes.len());
            bytes.resize(start + length_of(text), VALUE);
            write_text(text, &mut bytes[start..]);
        }
        starts.push(u32::try_from(bytes.len()).ok()?);
        bytes.extend_from_slice(before);
        bytes.push(NULL);
        starts.push(u32::try_from(bytes.len()).ok()?);
        Some(Known { codes, valid: values.valid.as_deref(), bytes, starts })
    }

    #[inline]
    fn of_row(&self, row: usize) -> &[u8] {
        let is_null = self.valid.is_some_and(|valid| !valid[row]);
        let at = if is_null { self.starts.len() - 2 } else { self.codes[row] as usize };
        &self.bytes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// The key of a row's value.
fn key_of(fixed: Fixed, values: &ColumnBuilder, row: usize) -> Option<u64> {
    if values.is_null(row) {
        return None;
    }
    match &values.data {
        BuilderData::I32(numbers) => Some(fixed.key_of_integer(numbers[row].into())),
        BuilderData::I64(numbers) => Some(fixed.key_of_integer(numbers[row])),
        BuilderData::F64(numbers) => Some(fixed.key_of_float(numbers[row])),
        _ => None,
    }
}

/// Writes a row's value as an element.
fn write_fixed(fixed: Fixed, values: &ColumnBuilder, row: usize, to: &mut [u8]) {
    let key = key_of(fixed, values, row);
    let mark = if key.is_some() { VALUE } else { NULL };
    to.copy_from_slice(&fixed.element(mark, key.unwrap_or(0))[..fixed.stride()]);
}

/// Bytes of a text as an element.
fn length_of(text: &[u8]) -> usize {
    1 + text.len() + text.iter().map(|&byte| usize::from(byte <= ESCAPE)).sum::<usize>()
}

/// Writes a text as an element, which has so many bytes.
fn write_text(text: &[u8], to: &mut [u8]) {
    to[0] = VALUE;
    if to.len() == text.len() + 1 {
        return to[1..].copy_from_slice(text);
    }
    let mut at = 1;
    for &byte in text {
        let is_mark = byte <= ESCAPE;
        if is_mark {
            to[at] = ESCAPE;
            at += 1;
        }
        to[at] = if is_mark { byte + ESCAPED } else { byte };
        at += 1;
    }
}

/// Writes the elements of groups into buffers.
struct Writer<'g> {
    /// The group of each row.
    groups: &'g [u32],
    /// The rows in the order in which they are to be written, if that is not theirs.
    order: Option<&'g [u32]>,
    /// Bytes of each group's elements.
    lengths: Vec<usize>,
}

impl Writer<'_> {
    /// Elements of one length, of which arrays of twelve bytes have the first.
    fn fixed<const STRIDE: usize>(&mut self, element: impl Fn(usize) -> [u8; 12]) -> Result<BuilderText> {
        self.all(
            |_| STRIDE,
            |row, to| {
                let to: &mut [u8; STRIDE] = to.first_chunk_mut().expect("it is that long");
                to.copy_from_slice(&element(row)[..STRIDE]);
            },
        )
    }

    /// Elements of which each has a length, and writes itself.
    #[inline(always)]
    fn all(&mut self, length: impl Fn(usize) -> usize, write: impl Fn(usize, &mut [u8])) -> Result<BuilderText> {
        let mut texts = BuilderText::default();
        let mut held = Room::default();
        let total = self.lengths.iter().map(|length| length + TAIL.len() + 1).sum();
        held.hold(total)?;
        let mut first = 0;
        while first < self.lengths.len() {
            let (some, mut next) = self.views(first, &mut texts)?;
            let size = next.last().map_or(0, |&end| end) + self.lengths[some.end - 1] + TAIL.len() + 1;
            let mut bytes = vec![0; size];
            for (&start, &length) in next.iter().zip(&self.lengths[some.clone()]) {
                let end = start + length;
                bytes[end] = END;
                bytes[end + 1..=end + TAIL.len()].copy_from_slice(TAIL.as_bytes());
            }
            let is_whole = some.len() == self.lengths.len();
            let mut one = |row: usize| {
                let group = self.groups[row] as usize;
                if !is_whole && !some.contains(&group) {
                    return;
                }
                let place = &mut next[group - some.start];
                let length = length(row);
                write(row, &mut bytes[*place..*place + length]);
                *place += length;
            };
            match self.order {
                None => pieces(self.groups.len(), |rows| rows.for_each(&mut one))?,
                Some(order) => pieces(order.len(), |rows| order[rows].iter().for_each(|&row| one(row as usize)))?,
            }
            texts.buffers.push(Buffer::from_vec(bytes));
            first = some.end;
        }
        Ok(texts)
    }

    /// Appends the views of as many groups as a buffer has room for, one at least; which these are, and where each begins.
    fn views(&self, first: usize, texts: &mut BuilderText) -> Result<(Range<usize>, Vec<usize>)> {
        let (buffer, mut at, mut starts) = (texts.buffers.len() as u32, 0usize, Vec::new());
        for (group, &length) in self.lengths.iter().enumerate().skip(first) {
            if i32::try_from(length).is_err() {
                return Err(Error::new(ErrorKind::TooComplex, "what an aggregate gathers is longer than 2 GiB"));
            }
            if at > 0 && at + length > ARENA_MAX {
                return Ok((first..group, starts));
            }
            texts.views.push(TextView { buffer, offset: at as u32, length: length as u32 });
            starts.push(at);
            at += length + TAIL.len() + 1;
        }
        Ok((first..self.lengths.len(), starts))
    }
}

/// Goes over so many rows, and looks at whether to go on.
fn pieces(rows: usize, mut piece: impl FnMut(Range<usize>)) -> Result<()> {
    for start in (0..rows).step_by(PIECE) {
        let end = rows.min(start + PIECE);
        meter::spend((end - start) * 4)?;
        piece(start..end);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::aggregate::TileGroups;
    use crate::plan::register::Register;
    use multiloop_planner::evaluate::array::Array;
    use multiloop_planner::value::Value;

    /// What comes in two parts, of which the one that is merged came first, beside arrays that are made of each group's values.
    fn check(values: &[Value], (element, before): (DataType, &str), register: Register, as_texts: [bool; 2]) {
        let groups: Vec<u32> = (0..values.len() as u32).map(|row| row * row % 7 % 4).collect();
        let half = values.len() / 2;
        let part = |rows: Range<usize>, as_texts: bool| {
            let mut state = Gathered::new(Gather::Arrived);
            state.resize(5);
            let mut vector = Vector::default();
            vector.set_values(&values[rows.clone()], register);
            let of_tile = TileGroups::Each(&groups[rows.clone()], None);
            let input = Input { groups: of_tile, vector: Some(&vector), len: rows.len() };
            let place = rows.start as u64;
            assert_eq!(state.update_entries(&input, (element, before), place).unwrap(), rows.end as u64);
            if as_texts { state.of_texts() } else { state }
        };
        let mut state = part(half..values.len(), as_texts[0]);
        state.merge(&part(0..half, as_texts[1]), &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4]);
        let column = state.finish(DataType::Text).unwrap().into_column(DataType::Text).unwrap();
        for group in 0..5 {
            let own = values.iter().zip(&groups).filter(|(_, own)| **own == group).map(|(value, _)| value.clone());
            let own: Vec<Value> = if before.is_empty() {
                own.collect()
            } else {
                own.flat_map(|value| [Value::text("; "), value]).collect()
            };
            let array = Array::of(own.clone()).encode(element);
            let expected =
                if own.is_empty() { Value::Null } else { Value::text(&array[..array.len() - TAIL.len() - 1]) };
            assert_eq!(column.value(group as usize, DataType::Text), expected, "{element} {group}");
        }
    }

    #[test]
    fn arrays_have_the_values_in_their_order() {
        let null = |row: i64, value: Value| if row % 11 == 3 { Value::Null } else { value };
        for has_nulls in [false, true] {
            let all = |value: &dyn Fn(i64) -> Value| -> Vec<Value> {
                (0..100).map(|row| if has_nulls { null(row, value(row)) } else { value(row) }).collect()
            };
            let integers = all(&|row| Value::Int(row - 50));
            let floats = all(&|row| Value::Float(row as f64 / 4.0 - 7.0));
            let texts = all(&|row| Value::text(["", "a", "ä\u{1}b\u{4}", "long, long, long, long"][row as usize % 4]));
            for as_texts in [[false, false], [true, false], [false, true], [true, true]] {
                check(&integers, (DataType::SmallInt, ""), Register::I32, as_texts);
                check(&integers, (DataType::Integer, ""), Register::I32, as_texts);
                check(&integers, (DataType::BigInt, ""), Register::I32, as_texts);
                check(&integers, (DataType::BigInt, ""), Register::I64, as_texts);
                check(&floats, (DataType::Real, ""), Register::F64, as_texts);
                check(&floats, (DataType::Double, ""), Register::F64, as_texts);
                check(&texts, (DataType::Text, ""), Register::Text, as_texts);
                check(&texts, (DataType::Text, "\u{2}; "), Register::Text, as_texts);
            }
        }
    }
}
