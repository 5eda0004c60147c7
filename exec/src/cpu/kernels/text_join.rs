//! Strings put together from others: `||`, concat and concat_ws.
//!
//! Each piece is written once, into room that is made for all strings of a call (`exec/src/cpu/vector/room.rs`): constants that stand
//! side by side as one, numbers as their digits.

use super::number_text::{self, Numbers};
use super::{Call, is_valid, strict_nulls};
use crate::column::{Dictionary, TextView};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::room::Room;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Bytes that a constant has behind it, so that it can be copied sixteen at a time.
const PADDING: [u8; 16] = [0; 16];

/// What a string is put together from.
enum Part<'v> {
    /// One string for all, with padding, and its length.
    Same(Vec<u8>, usize),
    Texts(&'v TextVector),
    Codes(&'v [u32], &'v Dictionary),
    /// With so many digits behind the point.
    Numbers(Numbers<'v>, usize),
}

impl<'v> Part<'v> {
    /// None of what is neither text nor a number that has few bits.
    fn of(argument: &'v Vector, data_type: DataType) -> Option<Self> {
        let is_number = data_type.is_integer() || data_type.is_decimal();
        match &argument.data {
            VectorData::I32(_) | VectorData::I64(_) if is_number && argument.constant => {
                let number = argument.integer(0).and_then(|number| i64::try_from(number).ok())?;
                let mut text = TextVector::default();
                let most = number_text::length_max(data_type.scale().into());
                text.push_put(1, most, |_, room| number_text::put(room, number, data_type.scale().into()));
                Some(Part::same(text.bytes(0)))
            }
            VectorData::I32(_) | VectorData::I64(_) if is_number => {
                Some(Part::Numbers(Numbers::of(argument)?, data_type.scale().into()))
            }
            _ if argument.register() != Register::Text || !data_type.is_text() => None,
            _ if argument.constant => Some(Part::same(argument.text(0).unwrap_or_default().as_bytes())),
            VectorData::Text(texts) => Some(Part::Texts(texts)),
            VectorData::Code { codes, dictionary } => Some(Part::Codes(codes, dictionary)),
            _ => None,
        }
    }

    fn same(text: &[u8]) -> Self {
        Part::Same([text, &PADDING].concat(), text.len())
    }

    /// Bytes of so many strings' pieces, at most.
    fn length(&self, len: usize) -> usize {
        match self {
            Part::Same(_, length) => length.saturating_mul(len),
            Part::Texts(texts) => lengths(texts.views()),
            Part::Codes(codes, dictionary) => codes.iter().map(|&code| dictionary.behind(code).1).sum(),
            Part::Numbers(_, scale) => number_text::length_max(*scale).saturating_mul(len),
        }
    }

    #[inline(always)]
    fn put(&self, tuple: usize, room: &mut Room<'_>) {
        match self {
            Part::Same(same, length) => room.put(same, 0, *length),
            Part::Texts(texts) => {
                let (bytes, start, length) = texts.place(tuple);
                room.put(bytes, start, length);
            }
            Part::Codes(codes, dictionary) => {
                let (bytes, length) = dictionary.behind(codes[tuple]);
                room.put(bytes, 0, length);
            }
            Part::Numbers(numbers, scale) => number_text::put(room, numbers.get(tuple), *scale),
        }
    }
}

kernel! {
    /// Bytes of all these strings.
    fn lengths[](views: &[TextView]) -> usize {
        views.iter().map(|view| u64::from(view.length)).sum::<u64>() as usize
    }
}

/// A part, and where it is not NULL; none if it never is.
type Present<'v> = (Part<'v>, Option<&'v Bitmap>);

/// The parts of strings, constants side by side as one; none if some are not done here.
fn parts<'v>(arguments: &[&'v Vector], types: &[DataType]) -> Option<Vec<Present<'v>>> {
    let mut parts: Vec<Present<'v>> = Vec::with_capacity(arguments.len());
    for (&argument, &data_type) in arguments.iter().zip(types) {
        // Of a function that is not strict: nothing is written for it.
        if argument.constant && argument.is_null(0) {
            continue;
        }
        let part = Part::of(argument, data_type)?;
        match (parts.last_mut(), part) {
            (Some((Part::Same(text, length), _)), Part::Same(more, more_length)) => {
                text.truncate(*length);
                text.extend_from_slice(&more);
                *length += more_length;
            }
            (_, part) => parts.push((part, argument.nulls.as_ref().filter(|_| !argument.constant))),
        }
    }
    Some(parts)
}

/// Does the three functions, of arguments that are text or numbers: false for others. A separator is text.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    if call.register != Register::Text {
        return false;
    }
    if call.function == Function::ConcatWithSeparator {
        return separated(call, arguments, len, out);
    }
    let Some(parts) = parts(arguments, call.types) else { return false };
    let most = parts.iter().fold(0, |most: usize, (part, _)| most.saturating_add(part.length(len)));
    let is_strict = call.function == Function::Concat;
    let nulls = if is_strict { strict_nulls(arguments, len, out) } else { None };
    let mut taken = out.take_text();
    let done = if is_strict || parts.iter().all(|(_, valid)| valid.is_none()) {
        taken.push_put(len, most, |tuple, room| {
            if is_valid(&nulls, tuple) {
                parts.iter().for_each(|(part, _)| part.put(tuple, room));
            }
        })
    } else {
        taken.push_put(len, most, |tuple, room| {
            let present = parts.iter().filter(|(_, valid)| valid.is_none_or(|valid| valid.get(tuple)));
            present.for_each(|(part, _)| part.put(tuple, room));
        })
    };
    if done {
        out.set(len, VectorData::Text(taken), nulls);
    }
    done
}

/// Does concat_ws.
fn separated(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let mut all = Vec::with_capacity(arguments.len());
    for (&argument, &data_type) in arguments.iter().zip(call.types) {
        let Some(part) = Part::of(argument, data_type) else { return false };
        all.push((part, argument));
    }
    let [(separator, between), rest @ ..] = &all[..] else { return false };
    if between.register() != Register::Text {
        return false;
    }
    let separators = separator.length(len).saturating_mul(rest.len());
    let most = rest.iter().fold(separators, |most, (part, _)| most.saturating_add(part.length(len)));
    let nulls = strict_nulls(&arguments[..1], len, out);
    let mut taken = out.take_text();
    let done = taken.push_put(len, most, |tuple, room| {
        let mut is_first = true;
        let present = rest.iter().filter(|(_, argument)| is_valid(&nulls, tuple) && !argument.is_null(tuple));
        for (part, _) in present {
            if !is_first {
                separator.put(tuple, room);
            }
            is_first = false;
            part.put(tuple, room);
        }
    });
    if done {
        out.set(len, VectorData::Text(taken), nulls);
    }
    done
}
