//! Normalised keys: as many columns of an order as fit, packed into one 64-bit number a row, above the row's place. So rows
//! are in order once numbers are.
//!
//! A column takes the bits of its range: integers and dictionary codes their distance from the least one, in steps of what
//! divides all distances, floats their bits in an order of integers. Text takes bytes behind what all strings begin with, and how many of them a string has; NULL
//! takes a bit where there is one. Descending columns count backwards. The last column gives its upper bits where not all
//! fit. Rows that a level does not tell apart are few, or alike in so much that a level of their own, from that column on,
//! tells more: of ranges that are theirs, and behind the text that they share.
//!
//! Source: key normalisation in sorting (Graefe: Implementing Sorting in Database Systems, 2006, section 2).

use crate::Result;
use crate::column::divisor::{Divisor, common_step};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::narrow::bounds;
use crate::workers::schedule::Workers;
use multiloop_planner::analysis::ranges::common_divisor;
use multiloop_planner::types::SortOrder;
use multiloop_planner::value::{Interval, canonical_float_bits};
use std::ops::Range;

/// Integers that have more bits are looked at for steps, which have to save so many bits.
const STEPS_BITS_MIN: u32 = 16;
const STEPS_BITS: u32 = 4;

/// Rows that one worker does at a time.
const PIECE: usize = 1 << 15;

/// A column of an order.
#[derive(Clone, Copy)]
pub(super) struct KeyColumn<'a> {
    pub(super) column: &'a ColumnBuilder,
    pub(super) order: SortOrder,
    /// Whether it tells apart what is equal in SQL's sense but differs: -0 and 0, intervals of one length.
    pub(super) by_form: bool,
}

/// Some rows, each of which has a place.
#[derive(Clone, Copy)]
pub(super) enum Those<'a> {
    /// So many, each at its own.
    All(usize),
    /// Those that stand there.
    Listed(&'a [u32]),
}

impl<'a> Those<'a> {
    /// How many.
    pub(super) fn len(self) -> usize {
        match self {
            Those::All(rows) => rows,
            Those::Listed(rows) => rows.len(),
        }
    }

    /// The row at a place.
    #[inline(always)]
    pub(super) fn at(self, place: usize) -> u32 {
        match self {
            Those::All(_) => place as u32,
            Those::Listed(rows) => rows[place],
        }
    }

    fn rows(self, places: Range<usize>) -> impl Iterator<Item = usize> {
        places.map(move |place| self.at(place) as usize)
    }
}

/// The numbers of some rows.
pub(super) struct Level {
    /// One a row: in the lowest bits its place, and above it its key.
    pub(super) numbers: Vec<u64>,
    /// Bits of a place.
    pub(super) place_bits: u32,
    /// The first column that may tell apart rows with equal keys; none if these are equal.
    pub(super) next: Option<usize>,
    /// The column that a bit of a key is of.
    pub(super) owners: [u16; 64],
}

/// What a column adds to a key.
struct Part<'a> {
    column: KeyColumn<'a>,
    /// The bit that tells NULL from values, if there are both or NULLs alone.
    null_bit: Option<u32>,
    values: Values,
}

/// How values become bits.
enum Values {
    /// They are all alike, or there is no room.
    Nothing,
    /// Integers from `low` to `high`: their distance, in steps if there are any, without the lowest `drop` bits, from bit
    /// `shift` on.
    Range { low: i128, high: i128, steps: Option<Divisor>, drop: u32, shift: u32 },
    /// So many bytes behind the first `skip`, and in `count_bits` how many a string has of them, from bit `shift` on.
    Text { skip: usize, bytes: usize, count_bits: u32, shift: u32 },
}

impl Level {
    /// Packs the columns from `first` on.
    pub(super) fn new(columns: &[KeyColumn<'_>], first: usize, those: Those<'_>, workers: Workers<'_>) -> Result<Self> {
        let place_bits = usize::BITS - those.len().saturating_sub(1).leading_zeros();
        let mut level = Level::with_places(columns, first, (those, place_bits), workers)?;
        let pieces = level.numbers.chunks_mut(PIECE).zip((0..).step_by(PIECE)).collect();
        workers.map(pieces, |(numbers, start): (&mut [u64], u64)| {
            numbers.iter_mut().zip(start..).for_each(|(number, place)| *number |= place);
            Ok(())
        })?;
        Ok(level)
    }

    /// The same, where so many bits are left for places, which are all 0.
    pub(super) fn with_places(
        columns: &[KeyColumn<'_>],
        first: usize,
        (those, place_bits): (Those<'_>, u32),
        workers: Workers<'_>,
    ) -> Result<Self> {
        let mut level = Level { numbers: vec![0; those.len()], place_bits, next: None, owners: [0; 64] };
        let (mut free, mut parts) = (u64::BITS - place_bits, Vec::new());
        for (number, &column) in columns.iter().enumerate().skip(first) {
            let before = free;
            let (part, complete) = Part::new(column, those, place_bits, &mut free, workers)?;
            level.owners[(place_bits + free) as usize..(place_bits + before) as usize].fill(number as u16);
            parts.push(part);
            if !complete {
                level.next = Some(number);
                break;
            }
        }
        let pieces = level.numbers.chunks_mut(PIECE).enumerate().collect();
        workers.map(pieces, |(piece, numbers): (usize, &mut [u64])| {
            let places = piece * PIECE..piece * PIECE + numbers.len();
            parts.iter().for_each(|part| part.add(those, places.clone(), numbers));
            Ok(())
        })?;
        Ok(level)
    }
}

/// Runs the body with `$values` bound to an iterator over what a slice has for the rows at some places.
macro_rules! with_rows {
    ($slice:expr, $those:expr, $places:expr, $values:ident => $body:expr) => {
        match $those {
            Those::All(_) => {
                let $values = $slice[$places].iter().copied();
                $body
            }
            Those::Listed(rows) => {
                let $values = rows[$places].iter().map(|&row| $slice[row as usize]);
                $body
            }
        }
    };
}

/// Runs the body with `$values` bound to an iterator over the integers that stand for the values at some places, of 64 bits or
/// of 128, or does as text asks.
macro_rules! with_integers {
    ($column:expr, $those:expr, $places:expr,
     $values:ident => $body:expr, wide($wide:ident) => $wide_body:expr, text => $text:expr) => {
        match (&$column.column.data, $column.by_form) {
            (BuilderData::Bool(all), _) => with_rows!(all, $those, $places, values => {
                let $values = values.map(i64::from);
                $body
            }),
            (BuilderData::I32(all), _) => with_rows!(all, $those, $places, values => {
                let $values = values.map(i64::from);
                $body
            }),
            (BuilderData::I64(all), _) => with_rows!(all, $those, $places, $values => $body),
            (BuilderData::Code { codes, .. }, _) => with_rows!(codes, $those, $places, values => {
                let $values = values.map(i64::from);
                $body
            }),
            (BuilderData::F64(all), by_form) => with_rows!(all, $those, $places, values => {
                let $values = values.map(|value| float_code(value, by_form));
                $body
            }),
            (BuilderData::Interval(all), true) => with_rows!(all, $those, $places, values => {
                let $values = values.map(form_code);
                $body
            }),
            (BuilderData::Interval(all), false) => with_rows!(all, $those, $places, values => {
                let $wide = values.map(Interval::comparable_micros);
                $wide_body
            }),
            (BuilderData::I128(all), _) => with_rows!(all, $those, $places, $wide => $wide_body),
            (BuilderData::Text(_) | BuilderData::Vectors(_), _) => $text,
            (BuilderData::Numerics(_), _) => unreachable!("numerics are put in order as texts"),
        }
    };
}

impl<'a> Part<'a> {
    /// How a column becomes bits above the lowest `place_bits`, of which `free` are left, and whether these tell all its
    /// values apart.
    fn new(
        column: KeyColumn<'a>,
        those: Those<'_>,
        place_bits: u32,
        free: &mut u32,
        workers: Workers<'_>,
    ) -> Result<(Self, bool)> {
        let mut part = Part { column, null_bit: None, values: Values::Nothing };
        if column.column.valid.is_some() && those.rows(0..those.len()).any(|row| column.column.is_null(row)) {
            if *free == 0 {
                return Ok((part, false));
            }
            *free -= 1;
            part.null_bit = Some(place_bits + *free);
        }
        let starts: Vec<usize> = (0..those.len()).step_by(PIECE).collect();
        let pieces = starts.into_iter().map(|start| start..those.len().min(start + PIECE)).collect();
        // No bits stand for vectors: rows that nothing before them tells apart are compared.
        if let BuilderData::Vectors(_) = column.column.data {
            return Ok((part, false));
        }
        if let BuilderData::Text(_) = column.column.data {
            let Some(first) = those.rows(0..those.len()).find(|&row| !column.column.is_null(row)) else {
                return Ok((part, true));
            };
            let first = column.column.text(first);
            let extents = workers.map(pieces, |places| Ok(part.text_extent(those, places, first)))?;
            let (skip, longest) =
                extents.into_iter().fold((first.len(), 0), |all, piece| (all.0.min(piece.0), all.1.max(piece.1)));
            let complete = part.take_text(skip, longest - skip, place_bits, free);
            return Ok((part, complete));
        }
        let bounds = workers.map(Vec::clone(&pieces), |places| Ok(part.bounds(those, places)))?;
        let (low, high) =
            bounds.into_iter().fold((i128::MAX, i128::MIN), |all, piece| (all.0.min(piece.0), all.1.max(piece.1)));
        if low >= high {
            return Ok((part, true));
        }
        let mut range = high.wrapping_sub(low) as u128;
        let mut steps = None;
        if range >> STEPS_BITS_MIN != 0
            && let Ok(range) = u64::try_from(range)
        {
            let found = workers.map(pieces, |places| Ok(part.step(those, places, (low as i64, range))))?;
            let step = found.into_iter().try_fold(range, |all, step| Some(common_divisor(all, step?)));
            steps = step.filter(|step| range / step <= range >> STEPS_BITS).map(Divisor::new);
        }
        if let Some(steps) = &steps {
            range = steps.exact(range as u64).into();
        }
        let bits = u128::BITS - range.leading_zeros();
        let taken = bits.min(*free);
        if taken > 0 {
            *free -= taken;
            part.values = Values::Range { low, high, steps, drop: bits - taken, shift: place_bits + *free };
        }
        Ok((part, taken == bits))
    }

    /// The least and the greatest of the integers that stand for values; of none the least is above the greatest.
    fn bounds(&self, those: Those<'_>, places: Range<usize>) -> (i128, i128) {
        let column = self.column;
        if self.null_bit.is_some() {
            let valid = those.rows(places.clone()).map(|row| !column.column.is_null(row));
            return with_integers!(column, those, places,
                values => wide_bounds(values.map(i128::from).zip(valid).filter_map(|(value, valid)| valid.then_some(value))),
                wide(values) => wide_bounds(values.zip(valid).filter_map(|(value, valid)| valid.then_some(value))),
                text => unreachable!("text has no bounds"));
        }
        with_integers!(column, those, places,
            values => {
                let (low, high) = bounds(values);
                (low.into(), high.into())
            },
            wide(values) => wide_bounds(values),
            text => unreachable!("text has no bounds"))
    }

    /// A step in which integers lie, from the least one on, of which `range` is a multiple; none if it saves too little.
    fn step(&self, those: Those<'_>, places: Range<usize>, (low, range): (i64, u64)) -> Option<u64> {
        let column = self.column;
        let distance = |value: i64| value.wrapping_sub(low) as u64;
        let most = range >> STEPS_BITS;
        if self.null_bit.is_some() {
            let valid = those.rows(places.clone()).map(|row| !column.column.is_null(row));
            return with_integers!(column, those, places,
                values => {
                    let values = values.zip(valid).filter_map(|(value, valid)| valid.then_some(value));
                    common_step(values.map(distance), range, most)
                },
                wide(_values) => None,
                text => None);
        }
        with_integers!(column, those, places,
            values => common_step(values.map(distance), range, most),
            wide(_values) => None,
            text => None)
    }

    /// How many bytes all strings begin with, and how many the longest has.
    fn text_extent(&self, those: Those<'_>, places: Range<usize>, first: &[u8]) -> (usize, usize) {
        let column = self.column.column;
        let (mut common, mut longest) = (first.len(), 0);
        for row in those.rows(places).filter(|&row| !column.is_null(row)) {
            let text = column.text(row);
            longest = longest.max(text.len());
            if !text.starts_with(&first[..common]) {
                common = text.iter().zip(first).take_while(|(a, b)| a == b).count();
            }
        }
        (common, longest)
    }

    /// Takes bits for strings of up to `longest` bytes behind those that all share; whether that is all of them.
    fn take_text(&mut self, skip: usize, longest: usize, place_bits: u32, free: &mut u32) -> bool {
        let count_bits = |bytes: usize| usize::BITS - bytes.leading_zeros();
        let bits = |bytes: usize| 8 * bytes as u32 + count_bits(bytes);
        let bytes = (0..=longest.min(8)).rev().find(|&bytes| bits(bytes) <= *free).unwrap_or(0);
        if bytes > 0 {
            *free -= bits(bytes);
            self.values = Values::Text { skip, bytes, count_bits: count_bits(bytes), shift: place_bits + *free };
        }
        bytes == longest
    }

    /// Adds the bits of the rows at some places.
    fn add(&self, those: Those<'_>, places: Range<usize>, numbers: &mut [u64]) {
        let (column, order) = (self.column, self.column.order);
        let valid = || those.rows(places.clone()).map(|row| !column.column.is_null(row));
        if let Some(bit) = self.null_bit {
            // The greater of the two has the bit.
            numbers
                .iter_mut()
                .zip(valid())
                .for_each(|(number, valid)| *number |= u64::from(valid == order.nulls_first) << bit);
        }
        match self.values {
            Values::Nothing => {}
            Values::Text { skip, bytes, count_bits, shift } => {
                let most = (1u128 << (8 * bytes as u32 + count_bits)) as u64;
                for (number, row) in numbers.iter_mut().zip(those.rows(places)) {
                    if column.column.is_null(row) {
                        continue;
                    }
                    let text = &column.column.text(row)[skip..];
                    let code = first_bytes(text, bytes) << count_bits | text.len().min(bytes) as u64;
                    *number |= if order.descending { most.wrapping_sub(1) - code } else { code } << shift;
                }
            }
            Values::Range { low, high, steps, drop, shift } => {
                let (from, to) = (low as i64, high as i64);
                let code = |value: i64| {
                    (if order.descending { to.wrapping_sub(value) } else { value.wrapping_sub(from) }) as u64
                };
                let wide = |value: i128| {
                    let code = if order.descending { high.wrapping_sub(value) } else { value.wrapping_sub(low) };
                    (code as u128 >> drop) as u64
                };
                let is_null = self.null_bit.is_some();
                with_integers!(column, those, places.clone(),
                    values => match (is_null, steps) {
                        (false, None) => add(numbers, values.map(code), drop, shift),
                        (true, None) => add(numbers, or_zero(values.map(code), valid()), drop, shift),
                        (false, Some(steps)) => add(numbers, values.map(|value| steps.exact(code(value))), drop, shift),
                        (true, Some(steps)) => {
                            let codes = values.map(|value| steps.exact(code(value)));
                            add(numbers, or_zero(codes, valid()), drop, shift);
                        }
                    },
                    wide(values) => match is_null {
                        false => add(numbers, values.map(wide), 0, shift),
                        true => add(numbers, or_zero(values.map(wide), valid()), 0, shift),
                    },
                    text => unreachable!("text has no range"));
            }
        }
    }
}

fn or_zero(codes: impl Iterator<Item = u64>, valid: impl Iterator<Item = bool>) -> impl Iterator<Item = u64> {
    codes.zip(valid).map(|(code, valid)| if valid { code } else { 0 })
}

fn wide_bounds(values: impl Iterator<Item = i128>) -> (i128, i128) {
    values.fold((i128::MAX, i128::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

kernel! {
    /// Adds codes without their lowest bits to numbers.
    fn add[](numbers: &mut [u64], codes: impl Iterator<Item = u64>, drop: u32, shift: u32) {
        numbers.iter_mut().zip(codes).for_each(|(number, code)| *number |= code >> drop << shift);
    }
}

/// The first bytes of a string, at most 8, as a number; zeros where it has none.
fn first_bytes(text: &[u8], bytes: usize) -> u64 {
    let word = match text.first_chunk::<8>() {
        Some(word) => u64::from_be_bytes(*word),
        None => (0..8).fold(0, |word, at| word << 8 | u64::from(text.get(at).copied().unwrap_or(0))),
    };
    word >> (64 - 8 * bytes)
}

/// An integer in SQL's order of floats, where -0 is 0 and NaN the greatest; or in the order of all their forms.
fn float_code(float: f64, by_form: bool) -> i64 {
    let bits = if by_form { float.to_bits() } else { canonical_float_bits(float) } as i64;
    // Negative floats have their order backwards.
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// An integer in the order of the forms of intervals of one length.
fn form_code(interval: Interval) -> i64 {
    let (months, days) = interval.form();
    i64::from(months) << 32 | i64::from(days as u32 ^ 1 << 31)
}
