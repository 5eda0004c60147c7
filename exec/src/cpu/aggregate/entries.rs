//! Gathering arrays from values: aggregates of lists keep numbers and texts as they come, instead of a text for each row that has
//! the value as an element, and write each group's elements once.
//!
//! 1. The values of all rows stand in one column, their groups beside them, and so do the keys by which they are ordered. Of DISTINCT
//!    a value comes once to a group (`first_values`).
//! 2. Where groups end, and rows are to be put in order, that is done group by group (`value_order`), and each group's elements are
//!    written at once (`ordered_entries`). Of others,
//! 3. how long each group's elements are is known before any is written: so many of a fixed width, or the sum of their lengths.
//! 4. Each element is written where its group has come to, behind what the group has already. Behind the last one the end of an
//!    array is written, too: what makes an array of the text only makes its view longer (`kernels/array/make.rs`).

use super::Input;
use super::distinct_texts::append_tuples;
use super::entry_writer::Writer;
use super::gathered::{append_to, piece_of};
use super::shared_groups::{by_group, map_all, pieces_of, sharing};
use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use crate::cpu::index::starts_of;
use crate::cpu::kernels::number_text::Written;
use crate::cpu::kernels::row_text::push_digits;
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::take_all;
use crate::partial::state::gathered::{Gathered, Seen};
use crate::plan::row_text::{Entries, Front};
use crate::workers::schedule::Workers;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::array::{ESCAPED, Fixed, Form, MARKS};
use multiloop_planner::evaluate::gather::{DOWN_END, FRONT_END, UP_END};
use multiloop_planner::meter;
use multiloop_planner::multiloop::Gather;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::{DataType, SortOrder};
use std::ops::Range;

pub(super) const END: u8 = MARKS[0];
pub(super) const VALUE: u8 = MARKS[1];
pub(super) const NULL: u8 = MARKS[2];
const ESCAPE: u8 = MARKS[3];

/// Rows between two looks at whether to go on.
const PIECE: usize = 1 << 14;

impl Gathered {
    /// Whether values may come instead of the texts of rows: none came as a text.
    pub(super) fn takes_entries(&self) -> bool {
        !matches!(self.how, Gather::One { .. }) && (self.entries.is_some() || self.values.len() == 0)
    }

    /// As [`Gathered::update`], of values that are to be elements, NULL among them, and lie between bounds; with what they are ordered
    /// by besides themselves.
    pub(super) fn update_entries(
        &mut self,
        input: &Input<'_>,
        keys: &[&Vector],
        entries: &Entries,
        (place, bounds): (u64, Option<(i128, i128)>),
    ) -> Result<u64> {
        let Some(vector) = input.vector else { return Err(Error::internal("values of nothing")) };
        self.entries.get_or_insert_with(|| entries.clone());
        self.keys.resize_with(keys.len(), || ColumnBuilder::of_type(DataType::Null));
        let next = place + input.len as u64;
        if self.how == Gather::Distinct && keys.is_empty() && !matches!(self.seen, Seen::Useless) {
            let tuples = self.new_values(input, vector, bounds);
            append_tuples(&mut self.values, vector, &tuples);
            return Ok(next);
        }
        let first = self.groups.len();
        let (mut in_order, mut count) = (true, 0);
        input.each(|tuple, group| {
            in_order &= tuple == count;
            count += 1;
            self.groups.push(group as u32);
        });
        let has_places = self.how == Gather::Arrived;
        if in_order && count == input.len && !vector.constant {
            if has_places {
                self.places.extend(place..next);
            }
            self.append(vector);
            self.keys.iter_mut().zip(keys).for_each(|(column, key)| append_to(column, key));
            return Ok(next);
        }
        self.groups.truncate(first);
        let mut tuples = Vec::with_capacity(input.len);
        input.each(|tuple, group| {
            tuples.push(tuple as u32);
            self.groups.push(group as u32);
        });
        if has_places {
            self.places.extend(tuples.iter().map(|&tuple| place + u64::from(tuple)));
        }
        append_tuples(&mut self.values, vector, &tuples);
        self.keys.iter_mut().zip(keys).for_each(|(column, key)| append_tuples(column, key, &tuples));
        Ok(next)
    }

    /// The same with the texts of rows as values.
    pub(crate) fn of_texts(mut self) -> Self {
        let Some(Entries { element, shown, before, front }) = self.entries.take() else { return self };
        if let Some(shown) = shown.and_then(Written::of) {
            let mut texts = BuilderText::default();
            show(&self.values, 0..self.values.len(), shown, &mut texts);
            self.values = ColumnBuilder::from_texts(texts, self.values.valid.take());
        }
        let mut texts = BuilderText::default();
        let (mut text, mut own) = (Vec::new(), Vec::new());
        for row in 0..self.values.len() {
            text.clear();
            for part in &front {
                match part {
                    Front::Same(same) => text.extend_from_slice(same),
                    &Front::Key { order, of, column } => {
                        own.clear();
                        let column = column.map_or(&self.values, |column| &self.keys[column]);
                        push_element(of, column, row, &mut own);
                        if of.is_decimal() {
                            // Scales are no part of keys.
                            own.truncate(own.iter().position(|&byte| byte == b' ').unwrap_or(own.len()));
                        }
                        push_key(order.into(), &own, &mut text);
                    }
                }
            }
            text.push(FRONT_END as u8);
            text.extend_from_slice(&before);
            push_element(element, &self.values, row, &mut text);
            texts.push(&text);
        }
        self.values = ColumnBuilder::from_texts(texts, None);
        self.keys.clear();
        self.seen = Seen::Nothing;
        self
    }

    /// Makes the values the texts of the numbers that they are.
    fn show_numbers(&mut self, shown: Option<DataType>, workers: Option<Workers<'_>>) -> Result<()> {
        let Some(shown) = shown.and_then(Written::of) else { return Ok(()) };
        let values = &self.values;
        let shown = map_all(workers, pieces_of(values.len(), 1, sharing(workers, values.len())), |rows| {
            let mut texts = BuilderText::default();
            texts.views.reserve(rows.len());
            pieces(rows, |rows| show(values, rows, shown, &mut texts))?;
            texts.close_arena();
            Ok(texts)
        })?;
        let mut shown = shown.into_iter();
        let mut texts = shown.next().unwrap_or_default();
        shown.for_each(|more| texts.append_all(&more));
        self.values = ColumnBuilder::from_texts(texts, self.values.valid.take());
        Ok(())
    }

    /// The rows in the order in which they came, if that is not theirs: workers had parts of them each. Those of a group that are of
    /// one piece of work are in order in any case.
    fn rows_as_they_came(&self, starts: &[u32], workers: Option<Workers<'_>>) -> Result<Option<Vec<u32>>> {
        if self.places.is_sorted_by_key(|&place| piece_of(place)) {
            return Ok(None);
        }
        let mut rows = by_group(&self.groups, starts, |row| row as u32, workers)?;
        for ends in starts.windows(2) {
            let own = &mut rows[ends[0] as usize..ends[1] as usize];
            meter::spend(own.len() * 8)?;
            // Each worker's rows are in order: runs, which this sort merges.
            own.sort_by_key(|&row| self.places[row as usize]);
        }
        Ok(Some(rows))
    }

    /// The elements of each group behind each other, NULL of none.
    pub(super) fn arrays(mut self, entries: &Entries, workers: Option<Workers<'_>>) -> Result<ColumnBuilder> {
        if self.how == Gather::Distinct && entries.shown.is_some() {
            // Of numbers that come twice one is shown, and numbers are sorted sooner than their texts. Those of a group are to lie
            // together in any case.
            let starts = starts_of(&self.groups, self.group_count);
            let rows = match self.seen {
                Seen::Nothing | Seen::Useless => self.rows_in_order(entries, &starts, workers)?,
                _ => by_group(&self.groups, &starts, |row| row as u32, workers)?,
            };
            self.groups = rows.iter().map(|&row| self.groups[row as usize]).collect();
            let values = std::mem::replace(&mut self.values, ColumnBuilder::of_type(DataType::Null));
            self.values = match sharing(workers, rows.len()) {
                Some(workers) => take_all(vec![values], &rows, workers)?.swap_remove(0),
                None => values.take(&rows),
            };
        }
        let starts = starts_of(&self.groups, self.group_count);
        let texts = if self.how == Gather::Arrived {
            let order = self.rows_as_they_came(&starts, workers)?;
            Writer::new((&self.groups, order.as_deref()), self.group_count, workers).elements(&self.values, entries)?
        } else {
            self.show_numbers(entries.shown, workers)?;
            self.elements_in_order(entries, &starts, workers)?
        };
        let valid = Some(starts.windows(2).map(|ends| ends[0] < ends[1]).collect());
        Ok(ColumnBuilder::from_texts(texts, valid))
    }
}

/// The elements that are the strings of a dictionary, written once, each with what stands before it.
pub(super) struct Known<'v> {
    codes: &'v [u32],
    valid: Option<&'v [bool]>,
    bytes: Vec<u8>,
    /// Where each begins, NULL behind the last string, and where that ends.
    starts: Vec<u32>,
}

impl<'v> Known<'v> {
    /// None of values that have no codes, or where more strings have to be written than there are values.
    pub(super) fn of(values: &'v ColumnBuilder, before: &[u8]) -> Option<Self> {
        let BuilderData::Code { codes, dictionary } = &values.data else { return None };
        if dictionary.len() > codes.len() {
            return None;
        }
        let (mut bytes, mut starts) = (Vec::new(), Vec::with_capacity(dictionary.len() + 2));
        for code in 0..dictionary.len() as u32 {
            starts.push(u32::try_from(bytes.len()).ok()?);
            bytes.extend_from_slice(before);
            push_text(dictionary.get(code).as_bytes(), &mut bytes);
        }
        starts.push(u32::try_from(bytes.len()).ok()?);
        bytes.extend_from_slice(before);
        bytes.push(NULL);
        starts.push(u32::try_from(bytes.len()).ok()?);
        Some(Known { codes, valid: values.valid.as_deref(), bytes, starts })
    }

    /// The element of a row.
    #[inline]
    pub(super) fn of_row(&self, row: usize) -> &[u8] {
        let is_null = self.valid.is_some_and(|valid| !valid[row]);
        let at = if is_null { self.starts.len() - 2 } else { self.codes[row] as usize };
        &self.bytes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Appends the texts of rows' numbers, none of NULL.
fn show(values: &ColumnBuilder, rows: Range<usize>, shown: Written, texts: &mut BuilderText) {
    let mut text = Vec::new();
    for row in rows {
        text.clear();
        if let Some(number) = integer(values, row) {
            shown.write(&mut text, number);
        }
        texts.push(&text);
    }
}

/// The number of a row, none of NULL.
#[inline]
pub(super) fn integer(values: &ColumnBuilder, row: usize) -> Option<i64> {
    match &values.data {
        _ if values.is_null(row) => None,
        BuilderData::I32(numbers) => Some(numbers[row].into()),
        BuilderData::I64(numbers) => Some(numbers[row]),
        _ => None,
    }
}

/// What decimals with so many digits behind the point are as elements, without their marks; nothing of NULL.
pub(super) fn decimals(values: &ColumnBuilder, scale: u32) -> Result<BuilderText> {
    let (mut texts, mut text) = (BuilderText::default(), String::new());
    texts.views.reserve(values.len());
    pieces(0..values.len(), |rows| {
        for row in rows {
            text.clear();
            if let Some(number) = integer(values, row) {
                SmallNumeric { unscaled: number.into(), scale }.encode_into(&mut text);
            }
            texts.push(text.as_bytes());
        }
    })?;
    Ok(texts)
}

/// Appends a row's value as an element.
fn push_element(element: DataType, values: &ColumnBuilder, row: usize, text: &mut Vec<u8>) {
    match Form::of(element) {
        Some(Form::Fixed(fixed)) => fixed.push(key_of(fixed, values, row), text),
        _ if values.is_null(row) => text.push(NULL),
        None if let Some(number) = integer(values, row) => {
            let mut digits = String::new();
            SmallNumeric { unscaled: number.into(), scale: element.scale().into() }.encode_into(&mut digits);
            text.push(VALUE);
            text.extend_from_slice(digits.as_bytes());
        }
        _ => push_text(values.text(row), text),
    }
}

/// Appends the sort key of an element.
fn push_key(order: SortOrder, element: &[u8], text: &mut Vec<u8>) {
    match element {
        [VALUE, value @ ..] if order.descending => {
            text.push(b'2');
            value.iter().for_each(|&byte| push_digits(!byte, text));
            text.push(DOWN_END as u8);
        }
        [VALUE, value @ ..] => {
            text.push(b'2');
            text.extend_from_slice(value);
            text.push(UP_END as u8);
        }
        _ => text.push(if order.nulls_first { b'1' } else { b'3' }),
    }
}

/// The key of a row's value; none of NULL.
#[inline]
pub(super) fn key_of(fixed: Fixed, values: &ColumnBuilder, row: usize) -> Option<u64> {
    if values.is_null(row) {
        return None;
    }
    match &values.data {
        BuilderData::I32(numbers) => Some(fixed.key_of_integer(numbers[row].into())),
        BuilderData::I64(numbers) => Some(fixed.key_of_integer(numbers[row])),
        BuilderData::F64(numbers) => Some(fixed.key_of_float(numbers[row])),
        BuilderData::Bool(values) => Some(values[row].into()),
        _ => None,
    }
}

/// Writes a row's value as an element.
pub(super) fn write_fixed(fixed: Fixed, values: &ColumnBuilder, row: usize, to: &mut [u8]) {
    let key = key_of(fixed, values, row);
    let mark = if key.is_some() { VALUE } else { NULL };
    to.copy_from_slice(&fixed.element(mark, key.unwrap_or(0))[..fixed.stride()]);
}

/// Bytes of a text as an element.
pub(super) fn length_of(text: &[u8]) -> usize {
    let marks = if has_marks(text) { text.iter().filter(|&&byte| byte <= ESCAPE).count() } else { 0 };
    1 + text.len() + marks
}

/// Whether a text has bytes that have to be escaped. Looks at all bytes, many at a time.
#[inline]
fn has_marks(text: &[u8]) -> bool {
    text.iter().fold(false, |any, &byte| any | (byte <= ESCAPE))
}

/// Appends a text as an element.
#[inline]
pub(super) fn push_text(text: &[u8], to: &mut Vec<u8>) {
    let start = to.len();
    if has_marks(text) {
        to.resize(start + length_of(text), VALUE);
        write_text(text, &mut to[start..]);
        return;
    }
    to.push(VALUE);
    to.extend_from_slice(text);
}

/// An error of so many bytes for a group, if no text has as many.
pub(super) fn too_long(bytes: usize) -> Result<()> {
    match i32::try_from(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(ErrorKind::TooComplex, "what an aggregate gathers is longer than 2 GiB")),
    }
}

/// Writes a text as an element, for which there is room; how many bytes it has.
pub(super) fn write_text(text: &[u8], to: &mut [u8]) -> usize {
    to[0] = VALUE;
    if !has_marks(text) {
        to[1..=text.len()].copy_from_slice(text);
        return 1 + text.len();
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
    at
}

/// Goes over some rows, and looks at whether to go on.
pub(super) fn pieces(rows: Range<usize>, mut piece: impl FnMut(Range<usize>)) -> Result<()> {
    for start in rows.clone().step_by(PIECE) {
        let end = rows.end.min(start + PIECE);
        meter::spend((end - start) * 4)?;
        piece(start..end);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
