//! Functions of strings with constants: LIKE and its kin, lengths and positions, slices as views, case, replacement.

use super::beginning::Beginning;
use super::search::Needle;
use super::wildcards::Wildcards;
use super::{Call, padding, strict_nulls, text_join};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use memchr::memmem::Finder;
use multiloop_planner::evaluate::like::{LikePattern, LikeShape};
use multiloop_planner::function::{Function, TrimSide};

/// Does the functions of strings, if it can: false if not.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    if matches!(call.function, Function::Concat | Function::ConcatSkipNull | Function::ConcatWithSeparator) {
        return text_join::call(call, arguments, len, out);
    }
    let Some(VectorData::Text(texts)) = arguments.first().map(|argument| &argument.data) else { return false };
    if arguments[0].constant || arguments[1..].iter().any(|argument| !argument.constant || argument.nulls.is_some()) {
        return false;
    }
    let constants = &arguments[1..];
    let data = if let Some(test) = Test::new(call.function, constants) {
        let mut bits = out.take_bool();
        test.fill(texts, &mut bits);
        VectorData::Bool(bits)
    } else if call.register == Register::Text {
        let mut taken = out.take_text();
        if !text_of(call, texts, constants, &mut taken) {
            return false;
        }
        VectorData::Text(taken)
    } else {
        let Some(count) = Count::new(call.function, constants) else { return false };
        match call.register {
            Register::I32 if matches!(count, Count::Characters) => {
                let mut values = out.take_i32();
                lengths(texts, &mut values);
                VectorData::I32(values)
            }
            Register::I32 => {
                let mut values = out.take_i32();
                values.extend((0..len).map(|tuple| count.of(texts.get(tuple)) as i32));
                VectorData::I32(values)
            }
            Register::I64 => {
                let mut values = out.take_i64();
                values.extend((0..len).map(|tuple| count.of(texts.get(tuple))));
                VectorData::I64(values)
            }
            _ => return false,
        }
    };
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, data, nulls);
    true
}

/// A number that a string has.
enum Count {
    Characters,
    Bytes,
    Ascii,
    Position(Box<Needle>),
}

impl Count {
    /// The number that a function with these constants gives; none if it does not.
    fn new(function: Function, constants: &[&Vector]) -> Option<Count> {
        Some(match function {
            Function::Length => Count::Characters,
            Function::OctetLength => Count::Bytes,
            Function::Ascii => Count::Ascii,
            Function::Position => Count::Position(Box::new(Needle::new(constants.first()?.text(0)?))),
            _ => return None,
        })
    }

    fn of(&self, text: &str) -> i64 {
        match self {
            Count::Characters => characters(text),
            Count::Bytes => text.len() as i64,
            Count::Ascii => text.chars().next().map_or(0, |first| i64::from(u32::from(first))),
            Count::Position(part) => part.find(text.as_bytes()).map_or(0, |at| characters(&text[..at]) + 1),
        }
    }
}

/// Appends how many characters each string has. Where all of them are ASCII, which is seen best where they lie behind each other,
/// they are its bytes.
fn lengths(texts: &TextVector, out: &mut Vec<i32>) {
    match texts.together() {
        Some(bytes) if bytes.is_ascii() => out.extend(texts.views().iter().map(|view| view.length as i32)),
        _ => lengths_of(texts, out),
    }
}

kernel! {
    fn lengths_of[](texts: &TextVector, out: &mut Vec<i32>) {
        out.reserve(texts.len());
        for position in 0..texts.len() {
            out.push(characters(texts.get(position)) as i32);
        }
    }
}

/// How many characters: bytes that do not continue one, counted in eights.
#[inline(always)]
fn characters(text: &str) -> i64 {
    let continuing = |eight: u64| (eight >> 7 & !(eight >> 6) & 0x0101_0101_0101_0101).count_ones() as usize;
    let (eights, rest) = text.as_bytes().as_chunks::<8>();
    let whole: usize = eights.iter().map(|&eight| continuing(u64::from_le_bytes(eight))).sum();
    let last = rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    (text.len() - whole - continuing(last)) as i64
}

/// Does functions from string to string, if it can: false if not.
fn text_of(call: &Call<'_>, texts: &TextVector, constants: &[&Vector], out: &mut TextVector) -> bool {
    let integer = |at: usize| constants.get(at).and_then(|value| i64::try_from(value.integer(0)?).ok());
    match (call.function, constants) {
        (Function::Cast, []) if call.types[0] == call.result || call.result.is_free_text() => {
            out.copy_from(texts);
        }
        (Function::Lower | Function::Upper, []) => return in_case(call.function == Function::Upper, texts, out),
        (Function::Substring, _) => return substring(texts, constants, out),
        (Function::Left, [_]) => match integer(0) {
            Some(count) if count >= 0 => cut(texts, 0, usize::try_from(count).unwrap_or(usize::MAX), out),
            _ => return false,
        },
        (Function::Right, [_]) => match integer(0) {
            Some(count) if count >= 0 => out.slices_of(texts, |text| (last(text, count), text.len())),
            _ => return false,
        },
        (Function::LeftPad | Function::RightPad, _) => {
            return padding::pad(call.function == Function::LeftPad, texts, constants, out);
        }
        (Function::Trim(side), _) => {
            let characters = constants.first().map_or(Some(" "), |characters| characters.text(0));
            let Some(characters) = characters else { return false };
            let among = |character: char| characters.contains(character);
            out.slices_of(texts, |text| {
                let start = match side {
                    TrimSide::Both | TrimSide::Leading => text.len() - text.trim_start_matches(among).len(),
                    TrimSide::Trailing => 0,
                };
                let rest = &text[start..];
                match side {
                    TrimSide::Both | TrimSide::Trailing => (start, start + rest.trim_end_matches(among).len()),
                    TrimSide::Leading => (start, text.len()),
                }
            });
        }
        (Function::Replace, [from, to]) => {
            let (Some(from), Some(to)) = (from.text(0), to.text(0)) else { return false };
            // A string that grows may become too long, which is an error.
            if from.is_empty() || to.len() > from.len() {
                return false;
            }
            replace(texts, from, to, out);
        }
        (Function::SplitPart, [delimiter, _]) => {
            let (Some(delimiter), Some(part)) = (delimiter.text(0), integer(1)) else { return false };
            // Part 0 is an error.
            if delimiter.is_empty() || part == 0 {
                return false;
            }
            split_part(texts, delimiter, part, out);
        }
        _ => return false,
    }
    true
}

/// The parts of this number between delimiters, from the left or, of negative numbers, from the right; empty where there are not so
/// many. Delimiters are found from the left either way.
fn split_part(texts: &TextVector, delimiter: &str, part: i64, out: &mut TextVector) {
    let finder = Finder::new(delimiter);
    let place = usize::try_from(part.unsigned_abs() - 1).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    let slice = |text: &str, found: &mut Vec<usize>| {
        if part > 0 {
            let mut starts = finder.find_iter(text.as_bytes());
            let start = match place {
                0 => 0,
                place => match starts.nth(place - 1) {
                    Some(at) => at + delimiter.len(),
                    None => return (0, 0),
                },
            };
            return (start, starts.next().unwrap_or(text.len()));
        }
        found.clear();
        found.extend(finder.find_iter(text.as_bytes()));
        let Some(before) = found.len().checked_sub(place) else { return (0, 0) };
        let start = before.checked_sub(1).map_or(0, |at| found[at] + delimiter.len());
        (start, found.get(before).copied().unwrap_or(text.len()))
    };
    out.slices_of(texts, |text| slice(text, &mut found));
}

/// Upper or lower case, if all strings are ASCII.
fn in_case(upper: bool, texts: &TextVector, out: &mut TextVector) -> bool {
    for position in 0..texts.len() {
        let text = texts.get(position);
        if !text.is_ascii() {
            return false;
        }
        out.push_in_case(text, upper);
    }
    true
}

/// Where the last `count` characters begin.
fn last(text: &str, count: i64) -> usize {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if text.is_ascii() {
        return text.len().saturating_sub(count);
    }
    let Some(before) = count.checked_sub(1) else { return text.len() };
    text.char_indices().rev().nth(before).map_or(0, |(at, _)| at)
}

/// Puts one string for another, which is no longer.
fn replace(texts: &TextVector, from: &str, to: &str, out: &mut TextVector) {
    let finder = Finder::new(from);
    for position in 0..texts.len() {
        let text = texts.get(position);
        let mut parts = Vec::new();
        let mut done = 0;
        for at in finder.find_iter(text.as_bytes()) {
            parts.extend([&text[done..at], to]);
            done = at + from.len();
        }
        parts.push(&text[done..]);
        out.push_parts(parts);
    }
}

/// A yes-or-no question to a string, with everything but the string known.
pub(crate) enum Test {
    Prefix(Vec<u8>),
    Suffix(Vec<u8>),
    Exact(Vec<u8>),
    Wildcards(Box<Wildcards>),
    /// A test of what a string is in lower case, and the pattern that ignores case.
    Folded(Box<Test>, LikePattern),
}

/// Bytes of a string that is made lower case where it takes no memory.
const FOLDED_BYTES: usize = 256;

impl Test {
    /// The test that a function is with these constants; none if it is not one, or if it is an error.
    pub(crate) fn new(function: Function, constants: &[&Vector]) -> Option<Test> {
        let text = constants.first()?.text(0)?;
        let escape = match constants.get(1) {
            Some(escape) => Some(escape.text(0)?),
            None => None,
        };
        let pattern = match function {
            Function::Like => LikePattern::new(text, escape).ok()?,
            Function::ILike => {
                let pattern = LikePattern::ignoring_case(text, escape).ok()?;
                return Some(Test::Folded(Box::new(Test::of(pattern.of_lower_case())), pattern));
            }
            Function::StartsWith => return Some(Test::Prefix(text.into())),
            Function::EndsWith => return Some(Test::Suffix(text.into())),
            Function::Contains => return Some(Test::Wildcards(Box::new(Wildcards::containing(text)))),
            _ => return None,
        };
        Some(Test::of(pattern))
    }

    /// The test that a pattern is.
    fn of(pattern: LikePattern) -> Test {
        match pattern.shape() {
            LikeShape::All => Test::Prefix(Vec::new()),
            LikeShape::Exact(text) => Test::Exact(text.into()),
            LikeShape::Prefix(text) => Test::Prefix(text.into()),
            LikeShape::Suffix(text) => Test::Suffix(text.into()),
            LikeShape::Contains(_) | LikeShape::Parts | LikeShape::General => {
                Test::Wildcards(Box::new(Wildcards::new(pattern)))
            }
        }
    }

    /// Whether a string passes; `whole` tells where its bytes do not.
    pub(crate) fn passes(&self, bytes: &[u8], whole: impl FnOnce() -> bool) -> bool {
        let Test::Folded(test, _) = self else { return self.passes_plain(bytes).unwrap_or_else(whole) };
        // Whether a string begins with some ASCII, its beginning tells.
        let asked = if let Test::Prefix(prefix) = &**test { prefix.len().min(bytes.len()) } else { bytes.len() };
        let asked = &bytes[..asked];
        if !asked.is_ascii() {
            return whole();
        }
        let mut room = [0; FOLDED_BYTES];
        let passes = match room.get_mut(..asked.len()) {
            Some(folded) => {
                folded.copy_from_slice(asked);
                folded.make_ascii_lowercase();
                test.passes_plain(folded)
            }
            None => test.passes_plain(&asked.to_ascii_lowercase()),
        };
        passes.unwrap_or_else(whole)
    }

    /// The same, if bytes alone tell.
    fn passes_plain(&self, bytes: &[u8]) -> Option<bool> {
        match self {
            Test::Prefix(prefix) => Some(bytes.starts_with(prefix)),
            Test::Suffix(suffix) => Some(bytes.ends_with(suffix)),
            Test::Exact(exact) => Some(bytes == exact),
            Test::Wildcards(wildcards) => wildcards.tell(bytes),
            Test::Folded(..) => None,
        }
    }

    /// Whether a string passes.
    pub(crate) fn passes_text(&self, bytes: &[u8]) -> bool {
        self.passes(bytes, || {
            let matches = |pattern: &LikePattern| std::str::from_utf8(bytes).is_ok_and(|text| pattern.matches(text));
            self.pattern().is_some_and(matches)
        })
    }

    /// The pattern that a string is asked of which bytes do not tell.
    fn pattern(&self) -> Option<&LikePattern> {
        match self {
            Test::Wildcards(wildcards) => wildcards.pattern(),
            Test::Folded(_, pattern) => Some(pattern),
            _ => None,
        }
    }

    /// What strings are to begin with, if nothing else is asked.
    pub(crate) fn beginning(&self) -> Option<Beginning> {
        let (test, ignores_case) = match self {
            Test::Folded(test, _) => (&**test, true),
            test => (test, false),
        };
        if let Test::Prefix(prefix) = test { Some(Beginning::new(prefix, ignores_case)) } else { None }
    }

    fn fill(&self, texts: &TextVector, bits: &mut Bitmap) {
        let passes = |tuple| {
            let whole = || self.pattern().is_some_and(|pattern| pattern.matches(texts.get(tuple)));
            self.passes(texts.bytes(tuple), whole)
        };
        let Some(beginning) = self.beginning() else { return bits.fill(texts.len(), passes) };
        bits.fill(texts.len(), |tuple| {
            let (bytes, start, len) = texts.place(tuple);
            beginning.is_at(bytes, start, len).unwrap_or_else(|| passes(tuple))
        });
    }
}

/// `substring(text, from[, count])` as views into the same bytes.
fn substring(texts: &TextVector, constants: &[&Vector], out: &mut TextVector) -> bool {
    let Some(start) = constants[0].integer(0).and_then(|start| i64::try_from(start).ok()) else { return false };
    let start = start.saturating_sub(1);
    let end = match constants.get(1).map(|count| count.integer(0)) {
        None => i64::MAX,
        Some(Some(count)) if count >= 0 => start.saturating_add(i64::try_from(count).unwrap_or(i64::MAX)),
        Some(_) => return false,
    };
    let place = |position: i64| usize::try_from(position.max(0)).unwrap_or(usize::MAX);
    cut(texts, place(start), place(end.max(start)), out);
    true
}

/// The characters from one place to another, as far as there are any.
fn cut(texts: &TextVector, start: usize, end: usize, out: &mut TextVector) {
    out.slices_of(texts, |text| {
        // Bytes are characters as far as all before them are.
        let bytes = end.min(text.len());
        if text.as_bytes()[..bytes].is_ascii() {
            return (start.min(bytes), bytes);
        }
        let byte = |position: usize| text.char_indices().nth(position).map_or(text.len(), |(at, _)| at);
        (byte(start), byte(end))
    });
}
