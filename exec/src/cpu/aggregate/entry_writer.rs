//! Writing the elements of groups whose rows stand in the order in which they are wanted, whatever their groups: how long each group's
//! elements are is counted, and then each element is written where its group has come to.
//!
//! Many rows are cut into pieces. Each counts what it has of each group, and so has a place of its own behind that of the pieces before
//! it: all are written at once.

use super::entries::{
    END, Known, NULL, VALUE, decimals, integer, length_of, pieces, too_long, write_fixed, write_text,
};
use super::shared_groups::{map_all, pieces_of, sharing};
use crate::Result;
use crate::column::TextView;
use crate::column::column_builder::{ARENA_MAX, BuilderData, BuilderText, ColumnBuilder};
use crate::cpu::kernels::number_text::Written;
use crate::plan::row_text::Entries;
use crate::workers::schedule::Workers;
use arrow::buffer::Buffer;
use multiloop_planner::evaluate::array::{Fixed, Form, TAIL};
use multiloop_planner::meter::Room;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes the elements of groups into buffers.
pub(super) struct Writer<'g> {
    /// The group of each row.
    groups: &'g [u32],
    /// The rows in the order in which they are to be written, if that is not theirs.
    order: Option<&'g [u32]>,
    workers: Option<Workers<'g>>,
    /// How rows are cut, and bytes of each group's elements in each piece.
    pieces: Vec<Range<usize>>,
    lengths: Vec<Vec<usize>>,
    /// Bytes of each group's elements.
    totals: Vec<usize>,
}

impl Writer<'_> {
    /// The elements that values are.
    pub(super) fn elements(
        mut self,
        values: &ColumnBuilder,
        Entries { element, before, shown, .. }: &Entries,
    ) -> Result<BuilderText> {
        match Form::of(*element) {
            Some(Form::Fixed(fixed)) if before.is_empty() => self.fixed_elements(values, fixed),
            _ if let Some(shown) = shown.and_then(Written::of) => self.shown_elements(values, before, shown),
            None if element.is_decimal() && matches!(values.data, BuilderData::I32(_) | BuilderData::I64(_)) => {
                let texts = decimals(values, element.scale().into())?;
                let length = |row: usize| before.len() + 1 + texts.get(row).len();
                self.measure(length)?;
                self.all(|row, to| {
                    let (front, to) = to.split_at_mut(before.len());
                    front.copy_from_slice(before);
                    to[0] = if values.is_null(row) { NULL } else { VALUE };
                    let text = texts.get(row);
                    to[1..=text.len()].copy_from_slice(text);
                    before.len() + 1 + text.len()
                })
            }
            None | Some(Form::Text) if let Some(known) = Known::of(values, before) => {
                self.measure(|row| known.of_row(row).len())?;
                self.all(|row, to| {
                    let own = known.of_row(row);
                    to[..own.len()].copy_from_slice(own);
                    own.len()
                })
            }
            _ if let Some(fixed) = Fixed::of(*element) => {
                let length = before.len() + fixed.stride();
                self.measure(|_| length)?;
                self.all(|row, to| {
                    let (front, own) = to[..length].split_at_mut(before.len());
                    front.copy_from_slice(before);
                    write_fixed(fixed, values, row, own);
                    length
                })
            }
            _ => self.texts(values, before),
        }
    }

    /// Those that are texts, escaped where they have to be, which is seldom.
    fn texts(mut self, values: &ColumnBuilder, before: &[u8]) -> Result<BuilderText> {
        let any_escaped = AtomicBool::new(false);
        self.measure(|row| {
            let text = if values.is_null(row) { &[] } else { values.text(row) };
            let length = if values.is_null(row) { 1 } else { length_of(text) };
            if length > 1 + text.len() {
                any_escaped.store(true, Ordering::Relaxed);
            }
            before.len() + length
        })?;
        let any_escaped = any_escaped.into_inner();
        self.all(|row, to| {
            let (front, to) = to.split_at_mut(before.len());
            front.copy_from_slice(before);
            if values.is_null(row) {
                to[0] = NULL;
                return before.len() + 1;
            }
            let text = values.text(row);
            if any_escaped {
                return before.len() + write_text(text, to);
            }
            to[0] = VALUE;
            to[1..=text.len()].copy_from_slice(text);
            before.len() + 1 + text.len()
        })
    }

    /// Those that all have as many bytes.
    fn fixed_elements(mut self, values: &ColumnBuilder, fixed: Fixed) -> Result<BuilderText> {
        let stride = fixed.stride();
        self.measure(|_| stride)?;
        match (&values.data, &values.valid) {
            (BuilderData::I64(numbers), None) if fixed == Fixed::Long => {
                self.fixed::<12>(|row| Fixed::Long.element(VALUE, Fixed::Long.key_of_integer(numbers[row])))
            }
            (BuilderData::F64(numbers), None) if fixed == Fixed::Double => {
                self.fixed::<12>(|row| Fixed::Double.element(VALUE, Fixed::Double.key_of_float(numbers[row])))
            }
            (BuilderData::I32(numbers), None) if fixed == Fixed::Integer => {
                self.fixed::<7>(|row| Fixed::Integer.element(VALUE, Fixed::Integer.key_of_integer(numbers[row].into())))
            }
            _ => self.all(|row, to| {
                write_fixed(fixed, values, row, &mut to[..stride]);
                stride
            }),
        }
    }

    /// Those that are the texts of numbers.
    fn shown_elements(mut self, values: &ColumnBuilder, before: &[u8], shown: Written) -> Result<BuilderText> {
        let length = |row: usize| before.len() + 1 + integer(values, row).map_or(0, |number| shown.length(number));
        self.measure(length)?;
        self.all(|row, to| {
            let (front, to) = to.split_at_mut(before.len());
            front.copy_from_slice(before);
            let Some(number) = integer(values, row) else {
                to[0] = NULL;
                return before.len() + 1;
            };
            to[0] = VALUE;
            let length = shown.length(number);
            shown.fill(&mut to[1..=length], number);
            before.len() + 1 + length
        })
    }
}

impl<'g> Writer<'g> {
    /// Of rows of so many groups.
    pub(super) fn new(
        (groups, order): (&'g [u32], Option<&'g [u32]>),
        count: usize,
        workers: Option<Workers<'g>>,
    ) -> Self {
        let workers = sharing(workers, groups.len());
        let pieces = pieces_of(groups.len(), count, workers);
        Writer { groups, order, workers, pieces, lengths: Vec::new(), totals: vec![0; count] }
    }

    /// Goes over the rows of a piece, in order. `one` is called from one place, so that it becomes a part of the loop.
    #[inline(always)]
    fn each(&self, rows: Range<usize>, mut one: impl FnMut(usize)) -> Result<()> {
        let order = self.order;
        pieces(rows, |rows| {
            for at in rows {
                one(order.map_or(at, |order| order[at] as usize));
            }
        })
    }

    /// Adds up the lengths of elements.
    #[inline(always)]
    fn measure(&mut self, length: impl Fn(usize) -> usize + Sync) -> Result<()> {
        let count = self.totals.len();
        self.lengths = map_all(self.workers, self.pieces.clone(), |rows| {
            let mut lengths = vec![0; count];
            self.each(rows, |row| lengths[self.groups[row] as usize] += length(row))?;
            Ok(lengths)
        })?;
        for lengths in &self.lengths {
            self.totals.iter_mut().zip(lengths).for_each(|(total, length)| *total += length);
        }
        Ok(())
    }

    /// Elements of one length, of which arrays of twelve bytes have the first.
    fn fixed<const STRIDE: usize>(&mut self, element: impl Fn(usize) -> [u8; 12] + Sync) -> Result<BuilderText> {
        self.all(|row, to| {
            let to: &mut [u8; STRIDE] = to.first_chunk_mut().expect("it is that long");
            to.copy_from_slice(&element(row)[..STRIDE]);
            STRIDE
        })
    }

    /// Elements that have been measured, of which each writes itself where there is room for it and others, and says how long it is.
    #[inline(always)]
    fn all(&mut self, write: impl Fn(usize, &mut [u8]) -> usize + Sync) -> Result<BuilderText> {
        let mut texts = BuilderText::default();
        let mut held = Room::default();
        let end = [&[END], TAIL.as_bytes()].concat();
        held.hold(self.totals.iter().map(|length| length + end.len()).sum())?;
        let mut first = 0;
        while first < self.totals.len() {
            let (some, size) = self.views(first, &mut texts)?;
            let mut bytes = vec![0; size];
            let places = self.places(&some, &mut bytes, &end);
            let (groups, is_whole) = (self.groups, some.len() == self.totals.len());
            let shared = SharedBytes::of(&mut bytes);
            let work = self.pieces.iter().cloned().zip(places).collect();
            map_all(self.workers, work, |(rows, mut places): (Range<usize>, Vec<Range<u32>>)| {
                self.each(rows, |row| {
                    let group = groups[row] as usize;
                    if !is_whole && !some.contains(&group) {
                        return;
                    }
                    let place = &mut places[group - some.start];
                    // SAFETY: places of different pieces and groups do not overlap, and a piece is one worker's.
                    let length = write(row, unsafe { shared.part(place.clone()) });
                    place.start += length as u32;
                })
            })?;
            texts.buffers.push(Buffer::from_vec(bytes));
            first = some.end;
        }
        Ok(texts)
    }

    /// Where each piece writes its elements of each of some groups, one piece's behind those of the piece before it. Behind those of a
    /// group stands `end`, which is written.
    fn places(&self, some: &Range<usize>, bytes: &mut [u8], end: &[u8]) -> Vec<Vec<Range<u32>>> {
        let mut all: Vec<Vec<Range<u32>>> = self.lengths.iter().map(|_| Vec::with_capacity(some.len())).collect();
        let mut at = 0;
        for group in some.clone() {
            for (own, lengths) in all.iter_mut().zip(&self.lengths) {
                own.push(at as u32..(at + lengths[group]) as u32);
                at += lengths[group];
            }
            bytes[at..at + end.len()].copy_from_slice(end);
            at += end.len();
        }
        all
    }

    /// Appends the views of as many groups as a buffer has room for, one at least; which these are, and bytes of the buffer.
    fn views(&self, first: usize, texts: &mut BuilderText) -> Result<(Range<usize>, usize)> {
        let (buffer, mut at) = (texts.buffers.len() as u32, 0usize);
        for (group, &length) in self.totals.iter().enumerate().skip(first) {
            too_long(length)?;
            if at > 0 && at + length > ARENA_MAX {
                return Ok((first..group, at));
            }
            texts.views.push(TextView { buffer, offset: at as u32, length: length as u32 });
            at += length + TAIL.len() + 1;
        }
        Ok((first..self.totals.len(), at))
    }
}

/// Bytes that workers write at once, each where nobody else does.
struct SharedBytes<'b> {
    start: NonNull<u8>,
    len: usize,
    of: PhantomData<&'b mut [u8]>,
}

// SAFETY: it is a borrowed slice of plain bytes; who may write where is what `part` asks of its caller.
unsafe impl Sync for SharedBytes<'_> {}

impl<'b> SharedBytes<'b> {
    fn of(bytes: &'b mut [u8]) -> Self {
        SharedBytes { start: NonNull::from(&mut *bytes).cast(), len: bytes.len(), of: PhantomData }
    }

    /// Some of the bytes.
    ///
    /// # Safety
    /// Nobody else has a part with one of them meanwhile.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "parts that workers have do not overlap")]
    unsafe fn part(&self, place: Range<u32>) -> &mut [u8] {
        let (start, end) = (place.start as usize, place.end as usize);
        assert!(start <= end && end <= self.len);
        // SAFETY: they lie within the slice, whose lifetime this has, and are the caller's alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(start), end - start) }
    }
}
