//! Elements that are looked for: ANY and ALL, `list_contains`, positions, and what contains what.
//!
//! The bytes of an element of a fixed width are in the order of its value, and NULL's are greater than all of these. So what a
//! comparison asks of each element is whether its bytes, as a number, lie between two others. An element that is a text is one if
//! its mark and its bytes are there, and a mark behind them.

use super::probe::{Found, Question, find_each};
use super::text::{end_of_value, marks};
use super::{
    END, NULL, VALUE, bytes, bytes_from, each_kind, elements_of, end_of, escape, is_text, is_valid, lower_of,
    strict_nulls,
};
use crate::Result;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use memchr::memmem::Finder;
use multiloop_planner::evaluate::array::{Fixed, Form};
use multiloop_planner::function::Comparison;
use multiloop_planner::meter;
use std::cell::Cell;

/// Elements that are looked at without a branch.
const BLOCK: usize = 16;

/// Elements of the second array, at most, that are looked for one after the other.
const LISTED_MAX: usize = 16;

/// What is asked of an element's bytes: whether they lie in a range, and are not one number.
#[derive(Clone, Copy)]
struct Range {
    low: u128,
    high: u128,
    but: u128,
}

/// No element's bytes.
const NONE: u128 = 0;

/// The bytes of an element as a number.
#[inline(always)]
fn word(kind: Fixed, element: &[u8]) -> u128 {
    let four = |at: usize| u32::from_be_bytes([element[at], element[at + 1], element[at + 2], element[at + 3]]);
    match kind.stride() {
        2 => u16::from_be_bytes([element[0], element[1]]).into(),
        4 => four(0).into(),
        7 => (u64::from(four(0)) << 24 | u64::from(four(3)) & 0xFF_FFFF).into(),
        _ => u128::from(four(0)) << 64 | u128::from(four(4)) << 32 | u128::from(four(8)),
    }
}

/// That of a value with this key, and of NULL.
#[inline(always)]
fn word_of(kind: Fixed, key: Option<u64>) -> u128 {
    let mark = if key.is_some() { VALUE } else { NULL };
    word(kind, &kind.element(mark, key.unwrap_or(0)))
}

impl Range {
    /// What `value comparison element` asks of elements.
    fn of(kind: Fixed, comparison: Comparison, key: u64) -> Option<Range> {
        use Comparison as C;
        let (own, last) = (word_of(kind, Some(key)), word_of(kind, None) - 1);
        let range = |low, high| Range { low, high, but: NONE };
        Some(match comparison {
            C::Equal => range(own, own),
            C::NotEqual => Range { low: 1, high: last, but: own },
            C::Less => range(own + 1, last),
            C::LessEqual => range(own, last),
            C::Greater => range(1, own - 1),
            C::GreaterEqual => range(1, own),
            _ => return None,
        })
    }

    #[inline(always)]
    fn has(self, word: u128) -> bool {
        (word >= self.low) & (word <= self.high) & (word != self.but)
    }
}

kernel! {
    /// The position of the first block with an element of a range, or of the first element if there is none of a whole block.
    fn first_of[](kind: Fixed, elements: &[u8], range: Range) -> Option<usize> {
        each_kind!(kind, KIND => first(KIND, elements, range))
    }
}

/// The position of the first element in a range.
#[inline(always)]
fn first(kind: Fixed, elements: &[u8], range: Range) -> Option<usize> {
    let stride = kind.stride();
    let one = |elements: &[u8]| elements.chunks_exact(stride).position(|element| range.has(word(kind, element)));
    // Words of 64 bits where they are enough.
    let (low, high, but) = (range.low as u64, range.high as u64, range.but as u64);
    let mut blocks = elements.chunks_exact(BLOCK * stride);
    for (number, block) in (&mut blocks).enumerate() {
        let mut found = false;
        for element in block.chunks_exact(stride) {
            let word = word(kind, element);
            found |= if stride < 8 {
                let word = word as u64;
                (word >= low) & (word <= high) & (word != but)
            } else {
                range.has(word)
            };
        }
        if found {
            return one(block).map(|at| number * BLOCK + at);
        }
    }
    let before = elements.len() / (BLOCK * stride) * BLOCK;
    one(blocks.remainder()).map(|at| before + at)
}

/// What is asked of the elements of each array.
#[derive(Clone, Copy)]
struct Scan {
    /// What decides, of a value and an element.
    comparison: Comparison,
    /// What it is then.
    decisive: bool,
    /// Whether what NULLs among the elements are is not known; else they are nothing, and a NULL that is looked for makes NULL.
    sees_nulls: bool,
}

kernel! {
    /// Looks at the elements of each array; which tuples are true, and which are not NULL.
    fn scan[](kind: Fixed, asked: Scan, given: (&Vector, &Vector), out: (&mut Bitmap, &mut Bitmap)) -> Result<()> {
        each_kind!(kind, KIND => scan_all(KIND, asked, given, out))
    }
}

#[inline(always)]
fn scan_all(
    kind: Fixed,
    asked: Scan,
    (value, array): (&Vector, &Vector),
    (truth, valid): (&mut Bitmap, &mut Bitmap),
) -> Result<()> {
    let range = |tuple: usize| key_of(kind, value, tuple).and_then(|key| Range::of(kind, asked.comparison, key));
    let constant = if value.constant { range(0) } else { None };
    let mut passed = 0;
    for tuple in 0..truth.len() {
        if array.is_null(tuple) {
            valid.set(tuple, false);
            continue;
        }
        let (bytes, end) = elements_of(array, tuple);
        passed += end / 8 + 1;
        if passed > PASSED {
            meter::spend(std::mem::take(&mut passed))?;
        }
        let elements = &bytes[..end];
        let asked_range = if value.constant { constant } else { range(tuple) };
        let (found, unknown) = match asked_range {
            Some(range) => look(kind, elements, range),
            None => (false, !asked.sees_nulls || !elements.is_empty()),
        };
        let is_null = !found && unknown && (asked.sees_nulls || value.is_null(tuple));
        truth.set(tuple, found == asked.decisive && !is_null);
        if is_null {
            valid.set(tuple, false);
        }
    }
    meter::spend(passed)
}

/// Asks whether each tuple's array has its value, as [`scan`] asks by other comparisons; 64 answers make a word.
struct Holds<'v> {
    kind: Fixed,
    asked: Scan,
    value: &'v Vector,
    array: &'v Vector,
    /// The value, if all tuples have one; none of NULL.
    constant: Option<u128>,
    len: usize,
    true_bits: u64,
    null_bits: u64,
    truths: Vec<u64>,
    valids: Vec<u64>,
}

impl Question for Holds<'_> {
    #[inline(always)]
    fn ask(&self, tuple: usize) -> Option<(&[u8], usize, u128)> {
        let word = if self.value.constant { self.constant } else { word_of_value(self.kind, self.value, tuple) };
        let word = word.filter(|_| !self.array.is_null(tuple))?;
        let (bytes, end) = elements_of(self.array, tuple);
        Some((bytes, end, word))
    }

    #[inline(always)]
    fn answer(&mut self, tuple: usize, found: Option<Found>) {
        let (is_found, is_null) = match found {
            Some(Found::At(_)) => (true, false),
            Some(Found::Nowhere) => (false, false),
            Some(Found::BesideNull) => (false, self.asked.sees_nulls),
            // The array or the value is NULL.
            None => (false, self.is_unknown(tuple)),
        };
        self.true_bits |= u64::from(is_found == self.asked.decisive && !is_null) << (tuple % 64);
        self.null_bits |= u64::from(is_null) << (tuple % 64);
        if tuple % 64 == 63 || tuple + 1 == self.len {
            self.truths.push(std::mem::take(&mut self.true_bits));
            self.valids.push(!std::mem::take(&mut self.null_bits) & (u64::MAX >> (63 - tuple % 64)));
        }
    }
}

impl Holds<'_> {
    /// Whether a comparison with NULL, or of a NULL array, is not known.
    fn is_unknown(&self, tuple: usize) -> bool {
        self.array.is_null(tuple) || !self.asked.sees_nulls || elements_of(self.array, tuple).1 > 0
    }
}

/// A value as an element, as [`Fixed::word`] has it; none of NULL.
#[inline(always)]
fn word_of_value(kind: Fixed, value: &Vector, tuple: usize) -> Option<u128> {
    key_of(kind, value, tuple).map(|key| kind.word(VALUE, key))
}

/// Asks for the position of each tuple's value, a NULL among them.
struct Positions<'v, F> {
    kind: Fixed,
    value: &'v Vector,
    array: &'v Vector,
    /// The value, if all tuples have one.
    constant: u128,
    /// Whether all arrays count from 1.
    is_plain: Cell<bool>,
    answer: F,
}

/// A value as an element, NULL among them.
#[inline(always)]
fn word_or_null(kind: Fixed, value: &Vector, tuple: usize) -> u128 {
    word_of_value(kind, value, tuple).unwrap_or_else(|| kind.word(NULL, 0))
}

impl<F: FnMut(usize, Option<usize>)> Question for Positions<'_, F> {
    #[inline(always)]
    fn ask(&self, tuple: usize) -> Option<(&[u8], usize, u128)> {
        if self.array.is_null(tuple) {
            return None;
        }
        let word = if self.value.constant { self.constant } else { word_or_null(self.kind, self.value, tuple) };
        let (bytes, length) = bytes_from(self.array, tuple);
        let end = end_of(&bytes[..length]);
        if end > 0 && lower_of(&bytes[..length], end) != Some(1) {
            self.is_plain.set(false);
        }
        Some((bytes, end, word))
    }

    #[inline(always)]
    fn answer(&mut self, tuple: usize, found: Option<Found>) {
        (self.answer)(tuple, if let Some(Found::At(at)) = found { Some(at) } else { None });
    }
}

/// What is passed of arrays between two looks at whether to go on.
const PASSED: usize = 1 << 14;

/// Whether an element lies in a range, and whether one that was passed is NULL.
#[inline(always)]
fn look(kind: Fixed, elements: &[u8], range: Range) -> (bool, bool) {
    let stride = kind.stride();
    let null = word_of(kind, None);
    let (low, high, but, least_null) = (range.low as u64, range.high as u64, range.but as u64, null as u64);
    let look = |elements: &[u8]| {
        let (mut found, mut has_null) = (false, false);
        for element in elements.chunks_exact(stride) {
            let word = word(kind, element);
            if stride < 8 {
                let word = word as u64;
                found |= (word >= low) & (word <= high) & (word != but);
                has_null |= word >= least_null;
            } else {
                found |= range.has(word);
                has_null |= word >= null;
            }
        }
        (found, has_null)
    };
    let mut blocks = elements.chunks_exact(BLOCK * stride);
    let mut has_null = false;
    for block in &mut blocks {
        let (found, is_null) = look(block);
        has_null |= is_null;
        if found {
            return (true, has_null);
        }
    }
    let (found, is_null) = look(blocks.remainder());
    (found, has_null | is_null)
}

/// The key of a value.
#[inline(always)]
fn key_of(kind: Fixed, value: &Vector, tuple: usize) -> Option<u64> {
    let position = value.position(tuple);
    if value.is_null(tuple) {
        return None;
    }
    match &value.data {
        VectorData::Bool(bits) => Some(u64::from(bits.get(position))),
        VectorData::I32(values) => Some(kind.key_of_integer(values[position].into())),
        VectorData::I64(values) => Some(kind.key_of_integer(values[position])),
        VectorData::F64(values) => Some(kind.key_of_float(values[position])),
        _ => None,
    }
}

/// Whether a vector has values of a kind.
fn has_values(kind: Fixed, value: &Vector) -> bool {
    match &value.data {
        VectorData::Bool(_) => kind == Fixed::Boolean,
        VectorData::I32(_) | VectorData::I64(_) => !kind.is_float() && kind != Fixed::Boolean,
        VectorData::F64(_) => kind.is_float(),
        _ => false,
    }
}

/// A text that is looked for among elements, with its mark.
struct Wanted {
    /// The bytes of the last one that was looked for.
    entry: Vec<u8>,
    finder: Finder<'static>,
}

impl Wanted {
    fn new() -> Self {
        Wanted { entry: Vec::new(), finder: Finder::new(b"").into_owned() }
    }

    /// Has an element be looked for, given with its mark.
    fn set(&mut self, entry: Vec<u8>) {
        if entry != self.entry {
            self.finder = Finder::new(&entry).into_owned();
            self.entry = entry;
        }
    }

    fn set_text(&mut self, text: &str) {
        let mut entry = vec![VALUE];
        escape(text, &mut entry);
        self.set(entry);
    }

    /// Where it begins in an array, whose elements end at a byte.
    fn find(&self, array: &[u8], end: usize) -> Option<usize> {
        let mut from = 0;
        while let Some(at) = self.finder.find(&array[from..end]) {
            let (start, behind) = (from + at, from + at + self.entry.len());
            if array.get(behind).is_some_and(|&byte| byte <= NULL) {
                return Some(start);
            }
            from = start + 1;
        }
        None
    }
}

/// Spends what it takes to pass over an array.
fn pass(array: &[u8]) -> Result<()> {
    meter::spend(array.len() / 8 + 1)
}

/// A truth value for each tuple: none is NULL.
fn set_truth(len: usize, out: &mut Vector, mut truth: impl FnMut(usize) -> Result<Option<bool>>) -> Result<()> {
    let (mut bits, mut valid) = (out.take_bool(), out.take_nulls());
    bits.reset(len, false);
    valid.reset(len, true);
    for tuple in 0..len {
        match truth(tuple)? {
            Some(truth) => bits.set(tuple, truth),
            None => valid.set(tuple, false),
        }
    }
    let nulls = (!valid.is_full()).then_some(valid);
    out.set(len, VectorData::Bool(bits), nulls);
    Ok(())
}

/// Makes `out` what a scan says of each tuple.
fn set_scanned(
    kind: Fixed,
    asked: Scan,
    (value, array): (&Vector, &Vector),
    len: usize,
    out: &mut Vector,
) -> Result<()> {
    let (mut truth, mut valid) = (out.take_bool(), out.take_nulls());
    if asked.comparison == Comparison::Equal {
        let constant = if value.constant { word_of_value(kind, value, 0) } else { None };
        let (truths, valids) = (truth.take_words(), valid.take_words());
        let (true_bits, null_bits) = (0, 0);
        let mut holds = Holds { kind, asked, value, array, constant, len, true_bits, null_bits, truths, valids };
        find_each(kind, len, &mut holds)?;
        truth.set_words(len, holds.truths);
        valid.set_words(len, holds.valids);
    } else {
        truth.reset(len, false);
        valid.reset(len, true);
        scan(kind, asked, (value, array), (&mut truth, &mut valid))?;
    }
    let nulls = (!valid.is_full()).then_some(valid);
    out.set(len, VectorData::Bool(truth), nulls);
    Ok(())
}

/// `value op ANY (array)`, decided by TRUE, or ALL, by FALSE. Of no elements even NULL is FALSE, or TRUE.
pub(super) fn quantified(
    (form, comparison, decisive): (Form, Comparison, bool),
    (value, array): (&Vector, &Vector),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    use Comparison as C;
    if !is_text(array) {
        return Ok(false);
    }
    // What decides for an element: ALL by what does not hold.
    let asked = match comparison {
        asked if decisive => asked,
        C::Equal => C::NotEqual,
        C::NotEqual => C::Equal,
        C::Less => C::GreaterEqual,
        C::LessEqual => C::Greater,
        C::Greater => C::LessEqual,
        C::GreaterEqual => C::Less,
        _ => return Ok(false),
    };
    let found = |is_found: bool, may_be: bool| match (is_found, may_be) {
        (true, _) => Some(decisive),
        (false, true) => None,
        (false, false) => Some(!decisive),
    };
    match form {
        Form::Fixed(kind) => {
            if !has_values(kind, value) || Range::of(kind, asked, 0).is_none() {
                return Ok(false);
            }
            let scan = Scan { comparison: asked, decisive, sees_nulls: true };
            set_scanned(kind, scan, (value, array), len, out)?;
        }
        Form::Text => {
            if !is_text(value) || asked != C::Equal {
                return Ok(false);
            }
            let mut wanted = Wanted::new();
            set_truth(len, out, |tuple| {
                if array.is_null(tuple) {
                    return Ok(None);
                }
                let array = bytes(array, tuple);
                pass(array)?;
                let end = end_of(array);
                let Some(text) = value.text(tuple).filter(|_| !value.is_null(tuple)) else {
                    return Ok(found(false, end > 0));
                };
                if !value.constant || wanted.entry.is_empty() {
                    wanted.set_text(text);
                }
                let is_found = wanted.find(array, end).is_some();
                Ok(found(is_found, !is_found && array[..end].contains(&NULL)))
            })?;
        }
    }
    Ok(true)
}

/// `list_contains(array, value)`.
pub(super) fn has_element(
    form: Form,
    (array, value): (&Vector, &Vector),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    if !takes(form, value) || !is_text(array) {
        return Ok(false);
    }
    if let Form::Fixed(kind) = form {
        let scan = Scan { comparison: Comparison::Equal, decisive: true, sees_nulls: false };
        set_scanned(kind, scan, (value, array), len, out)?;
        return Ok(true);
    }
    let mut wanted = Wanted::new();
    set_truth(len, out, |tuple| {
        if array.is_null(tuple) || value.is_null(tuple) {
            return Ok(None);
        }
        place(bytes(array, tuple), (value, tuple), &mut wanted).map(|place| Some(place.is_some()))
    })?;
    Ok(true)
}

/// Whether values of a vector can be looked for.
fn takes(form: Form, value: &Vector) -> bool {
    match form {
        Form::Fixed(kind) => has_values(kind, value),
        Form::Text => is_text(value),
    }
}

/// The position of the first element that is a tuple's value: NULL is NULL.
fn place(array: &[u8], (value, tuple): (&Vector, usize), wanted: &mut Wanted) -> Result<Option<usize>> {
    pass(array)?;
    let end = end_of(array);
    Ok(match value.text(tuple).filter(|_| !value.is_null(tuple)) {
        None => array[..end].iter().position(|&byte| byte == NULL).map(|at| marks(array, at)),
        Some(text) => {
            if !value.constant || wanted.entry.is_empty() {
                wanted.set_text(text);
            }
            wanted.find(array, end).map(|at| marks(array, at))
        }
    })
}

/// `array_position(array, value)` of arrays that count from 1.
pub(super) fn position(form: Form, (array, value): (&Vector, &Vector), len: usize, out: &mut Vector) -> Result<bool> {
    if !takes(form, value) || !is_text(array) {
        return Ok(false);
    }
    let (mut places, mut valid) = (out.take_i32(), Bitmap::new(len, true));
    let mut answer = |tuple: usize, place: Option<usize>| {
        if place.is_none() {
            valid.set(tuple, false);
        }
        places.push(place.map_or(0, |place| place as i32 + 1));
    };
    match form {
        Form::Fixed(kind) => {
            let constant = if value.constant { word_or_null(kind, value, 0) } else { 0 };
            let mut asked = Positions { kind, value, array, constant, is_plain: Cell::new(true), answer };
            find_each(kind, len, &mut asked)?;
            if !asked.is_plain.get() {
                return Ok(false);
            }
        }
        Form::Text => {
            let mut wanted = Wanted::new();
            for tuple in 0..len {
                let array = if array.is_null(tuple) { &[END] } else { bytes(array, tuple) };
                let end = end_of(array);
                if end > 0 && lower_of(array, end) != Some(1) {
                    return Ok(false);
                }
                answer(tuple, place(array, (value, tuple), &mut wanted)?);
            }
        }
    }
    let nulls = (!valid.is_full()).then_some(valid);
    out.set(len, VectorData::I32(places), nulls);
    Ok(true)
}

/// Whether all elements of some arrays, or any, are among those of others. A NULL is among none.
pub(super) fn contains(
    (form, asks_all): (Form, bool),
    (all, some): (&Vector, &Vector),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    if !is_text(all) || !is_text(some) {
        return Ok(false);
    }
    let nulls = strict_nulls(&[all, some], len, out);
    let few = |tuple: usize| {
        let some = bytes(some, tuple);
        !is_valid(&nulls, tuple) || super::ends(form, some).1 <= LISTED_MAX
    };
    if !(0..if some.constant { 1 } else { len }).all(few) {
        return Ok(false);
    }
    let mut wanted = Wanted::new();
    set_truth(len, out, |tuple| {
        if !is_valid(&nulls, tuple) {
            return Ok(None);
        }
        let (all, some) = (bytes(all, tuple), bytes(some, tuple));
        let (elements, mut rest) = (&all[..end_of(all)], &some[..end_of(some)]);
        while !rest.is_empty() {
            pass(all)?;
            let (is_there, behind) = match form {
                Form::Fixed(kind) => {
                    let (element, behind) = rest.split_at(kind.stride().min(rest.len()));
                    let own = each_kind!(kind, KIND => word(KIND, element));
                    let is_there = element[0] == VALUE
                        && first_of(kind, elements, Range { low: own, high: own, but: NONE }).is_some();
                    (is_there, behind)
                }
                Form::Text if rest[0] == NULL => (false, &rest[1..]),
                Form::Text => {
                    let (element, behind) = rest.split_at(end_of_value(rest, 1));
                    wanted.set(element.to_vec());
                    (wanted.find(all, elements.len()).is_some(), behind)
                }
            };
            if is_there != asks_all {
                return Ok(Some(is_there));
            }
            rest = behind;
        }
        Ok(Some(asks_all))
    })?;
    Ok(true)
}
