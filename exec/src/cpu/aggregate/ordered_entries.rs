//! Writing the elements of groups whose rows are put in order (`value_order`): each group's at once, behind those of the group before
//! it, while what its rows are read from is close by. How long they are is known when they are written, so nothing is read twice.
//!
//! What workers have of a group that they share is copied together in the end.
//!
//! They are written into blocks, which do not grow: a group that a block has no room for begins the next one.

use super::entries::{END, Known, NULL, VALUE, key_of, push_text, too_long};
use super::value_order::{Ahead, Of, PIECE};
use crate::Result;
use crate::column::TextView;
use crate::column::column_builder::{BuilderData, BuilderText};
use crate::cpu::simd::parallel_fill::written;
use crate::partial::state::gathered::Gathered;
use crate::plan::row_text::Entries;
use crate::workers::schedule::Workers;
use arrow::buffer::Buffer;
use multiloop_planner::evaluate::array::{Fixed, TAIL};
use multiloop_planner::meter::{self, Room};
use multiloop_planner::numeric::small::SmallNumeric;
use std::cell::RefCell;

/// Bytes of the first block, and of the largest one: a block has twice as many as the one before it, and at least a group's.
const BLOCK_MIN: usize = 1 << 12;
const BLOCK_MAX: usize = 1 << 24;

/// Bytes of most decimals' elements.
const DECIMAL_BYTES: usize = 24;

/// Rows of a group from which on what they are read from is asked for once more.
const MANY: usize = 1 << 11;

impl Gathered {
    /// The elements of each group behind each other.
    pub(super) fn elements_in_order(
        &self,
        entries: &Entries,
        starts: &[u32],
        workers: Option<Workers<'_>>,
    ) -> Result<BuilderText> {
        let Entries { element, before, .. } = entries;
        let values = &self.values;
        if let Some(fixed) = Fixed::of(*element) {
            let length = before.len() + fixed.stride();
            return self.written(
                (entries, starts),
                workers,
                |_| length,
                |row, bytes| {
                    bytes.extend_from_slice(before);
                    fixed.push(key_of(fixed, values, row), bytes);
                },
            );
        }
        let number = |row: usize| match &values.data {
            BuilderData::I32(numbers) => i128::from(numbers[row]),
            BuilderData::I64(numbers) => numbers[row].into(),
            _ => 0,
        };
        if element.is_decimal() && matches!(values.data, BuilderData::I32(_) | BuilderData::I64(_)) {
            let (length, scale) = (before.len() + DECIMAL_BYTES, element.scale().into());
            return self.written(
                (entries, starts),
                workers,
                |_| length,
                |row, bytes| {
                    bytes.extend_from_slice(before);
                    if values.is_null(row) {
                        return bytes.push(NULL);
                    }
                    bytes.push(VALUE);
                    DIGITS.with_borrow_mut(|digits| {
                        digits.clear();
                        SmallNumeric { unscaled: number(row), scale }.encode_into(digits);
                        bytes.extend_from_slice(digits.as_bytes());
                    });
                },
            );
        }
        if let Some(known) = Known::of(values, before) {
            let length = |row: usize| known.of_row(row).len();
            return self
                .written((entries, starts), workers, length, |row, bytes| bytes.extend_from_slice(known.of_row(row)));
        }
        let length = |row: usize| before.len() + 1 + if values.is_null(row) { 0 } else { values.text(row).len() };
        self.written((entries, starts), workers, length, |row, bytes| {
            bytes.extend_from_slice(before);
            if values.is_null(row) { bytes.push(NULL) } else { push_text(values.text(row), bytes) }
        })
    }

    /// The elements that `push` writes, of which most have so many bytes.
    fn written(
        &self,
        (entries, starts): (&Entries, &[u32]),
        workers: Option<Workers<'_>>,
        length: impl Fn(usize) -> usize + Sync,
        push: impl Fn(usize, &mut Vec<u8>) + Sync,
    ) -> Result<BuilderText> {
        let ahead = Ahead::new([&self.values].into_iter(), self.groups.len());
        let stretches = self.each_stretch(entries, starts, workers, |stretch| {
            let (mut written, of) = (Written::default(), stretch.of);
            written.texts.views.reserve(stretch.lengths.len());
            stretch.each_group(|rows| {
                written.begin_group(rows.iter().map(|&row| length(row as usize)).sum())?;
                for (at, some) in rows.chunks(PIECE).enumerate() {
                    meter::spend(some.len() * 4)?;
                    for (place, &row) in (at * PIECE..).zip(some) {
                        if rows.len() > MANY {
                            ahead.ask(rows, place);
                        }
                        push(row as usize, &mut written.bytes);
                    }
                    too_long(written.bytes.len() - written.start)?;
                }
                if of == Of::Groups { written.end_group() } else { Ok(()) }
            })?;
            Ok(written)
        })?;
        let (mut texts, mut room, mut held) = (BuilderText::default(), Room::default(), 0);
        let mut stretches = stretches.into_iter().peekable();
        while let Some((of, written)) = stretches.next() {
            let Of::Part(_) = of else {
                match texts.views.is_empty() {
                    true => texts = written.into_texts(),
                    false => texts.append_all(&written.into_texts()),
                }
                continue;
            };
            let mut parts = vec![written];
            while let Some((_, part)) = stretches.next_if(|(other, _)| *other == of) {
                parts.push(part);
            }
            held += parts.iter().map(|part| part.bytes.len()).sum::<usize>();
            room.hold(held)?;
            texts.append_all(&joined(&parts, workers)?);
        }
        Ok(texts)
    }
}

/// The parts of one group, together.
fn joined(parts: &[Written], workers: Option<Workers<'_>>) -> Result<BuilderText> {
    let end = [&[END], TAIL.as_bytes()].concat();
    let length = parts.iter().map(|part| part.bytes.len()).sum();
    too_long(length)?;
    let slices = parts.iter().map(|part| &part.bytes[..]).chain([&end[..]]);
    let bytes = written(slices.map(|slice| (slice.len(), slice)).collect(), workers, |slice: &[u8], places| {
        places.write_copy_of_slice(slice)
    })?;
    let mut texts = BuilderText::default();
    texts.buffers.push(Buffer::from_vec(bytes));
    texts.views.push(TextView { buffer: 0, offset: 0, length: length as u32 });
    Ok(texts)
}

thread_local! {
    /// Digits of a decimal.
    static DIGITS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Elements of groups, written one group after another.
#[derive(Default)]
struct Written {
    /// Of the groups that are written, in the blocks that are full.
    texts: BuilderText,
    /// The block that is written to, and where the last group begins in it.
    bytes: Vec<u8>,
    start: usize,
    room: Room,
    /// Bytes of the full blocks.
    held: usize,
}

impl Written {
    /// Begins a group that is to have about so many bytes.
    fn begin_group(&mut self, length: usize) -> Result<()> {
        let length = length + 1 + TAIL.len();
        if self.bytes.capacity() - self.bytes.len() < length {
            let next = length.max((2 * self.bytes.capacity()).clamp(BLOCK_MIN, BLOCK_MAX));
            self.held += self.bytes.capacity();
            self.room.hold(self.held + next)?;
            let full = std::mem::replace(&mut self.bytes, Vec::with_capacity(next));
            if !full.is_empty() {
                self.texts.buffers.push(Buffer::from_vec(full));
            }
        }
        self.start = self.bytes.len();
        Ok(())
    }

    /// Ends the group.
    fn end_group(&mut self) -> Result<()> {
        let length = self.bytes.len() - self.start;
        self.bytes.push(END);
        self.bytes.extend_from_slice(TAIL.as_bytes());
        let buffer = self.texts.buffers.len() as u32;
        self.texts.views.push(TextView { buffer, offset: self.start as u32, length: length as u32 });
        // A block has grown after all where elements are longer than most.
        self.room.hold(self.held + self.bytes.capacity())
    }

    fn into_texts(mut self) -> BuilderText {
        self.texts.buffers.push(Buffer::from_vec(self.bytes));
        self.texts
    }
}
