//! Functions of few values, evaluated once for each of them.
//!
//! What a function is applied to may be few distinct values however many the tuples are: strings of a dictionary, or
//! integers that their range confines (dates, mostly). A memo keeps the results by *key*: the dictionary's code, or the
//! distance from the range's low end; with several such arguments, all of these as the digits of one number. Only keys
//! that tuples have are evaluated, so an error is raised only for a value that is reached; where there can be none,
//! all are evaluated at once. Strings that come of it are then a dictionary, too.

use crate::Result;
use crate::column::Dictionary;
use crate::column::vectors::Vectors;
use crate::cpu::kernels::{self, Call, Scratch, fill_truth_of, strict_nulls};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Results by key.
#[derive(Debug, Default)]
pub(super) struct Memo {
    parts: Vec<Part>,
    /// Which keys have been evaluated.
    known: Bitmap,
    results: Vector,
    /// All results, if they are strings: the dictionary of them, and by key the code in it.
    dictionary: Option<(Arc<Dictionary>, Vec<u32>)>,
    /// Of the tuples of a tile; at a NULL any.
    keys: Vec<u32>,
}

/// An argument that has few values.
#[derive(Debug)]
pub(super) struct Part {
    argument: usize,
    values: Values,
}

/// Which values an argument has.
#[derive(Debug)]
enum Values {
    Strings(Arc<Dictionary>),
    Integers { low: i64, count: usize, register: Register },
}

impl Values {
    fn count(&self) -> usize {
        match self {
            Values::Strings(dictionary) => dictionary.len(),
            Values::Integers { count, .. } => *count,
        }
    }

    fn is(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Strings(a), Values::Strings(b)) => Arc::ptr_eq(a, b),
            (
                Values::Integers { low, count, register },
                Values::Integers { low: other_low, count: other_count, register: other_register },
            ) => (low, count, register) == (other_low, other_count, other_register),
            _ => false,
        }
    }
}

/// Keys that are all evaluated at once where none can fail, at most.
const ALL_MAX: usize = 1 << 12;

/// Keys of arguments that are not one dictionary's strings, at most; for a few tuples one dictionary's, too.
const KEYS_MAX: usize = 1 << 16;

/// Whether a function may be other than NULL where an argument is NULL, or another thing each time.
pub(super) fn sees_null(function: Function) -> bool {
    use Function as F;
    function.sees_nulls()
        || matches!(
            function,
            F::IsNull
                | F::IsNotNull
                | F::IsDistinct
                | F::IsNotDistinct
                | F::ConcatSkipNull
                | F::ConcatWithSeparator
                | F::NullIf
                | F::Greatest
                | F::Least
                | F::Random
                | F::SetSeed
                | F::Clock
        )
}

/// Whether a function of integers costs more than to look its result up.
fn is_dear(call: &Call<'_>) -> bool {
    let to_another = || call.types.iter().any(|&from| from != call.result);
    match call.function {
        Function::Extract(_) | Function::DateTrunc(_) => true,
        Function::DateAddDays | Function::DateSubtractDays | Function::DateDifference => false,
        _ => {
            let is_time = |data_type: DataType| {
                matches!(data_type, DataType::Timestamp | DataType::Date | DataType::Time | DataType::Interval)
            };
            call.result.is_text() || (is_time(call.result) && to_another())
        }
    }
}

/// The arguments that have few values, if all others are constants and results had better be looked up.
pub(super) fn parts(
    call: &Call<'_>,
    arguments: &[&Vector],
    len: usize,
    bounds: impl Fn(usize) -> Option<(i128, i128)>,
) -> Option<Vec<Part>> {
    // A function that sees NULLs is one of values where there are none.
    let sees_null = if call.function.sees_nulls() {
        arguments.iter().any(|vector| vector.nulls.is_some())
    } else {
        sees_null(call.function)
    };
    // Vectors are longer than what they are made of.
    let is_long = matches!(call.register, Register::Vectors(_));
    if sees_null || is_long || call.function.is_volatile() || !Technique::Memo.is_on() {
        return None;
    }
    let mut parts = Vec::new();
    for (argument, vector) in arguments.iter().enumerate().filter(|(_, vector)| !vector.constant) {
        let values = match &vector.data {
            VectorData::Code { dictionary, .. } => Values::Strings(Arc::clone(dictionary)),
            VectorData::I32(_) | VectorData::I64(_) if is_dear(call) => {
                let (low, high) = bounds(argument)?;
                let count = usize::try_from(high.checked_sub(low)?).ok()?.checked_add(1)?;
                Values::Integers { low: i64::try_from(low).ok()?, count, register: vector.register() }
            }
            _ => return None,
        };
        parts.push(Part { argument, values });
    }
    if let [Part { values: Values::Strings(dictionary), .. }] = &parts[..] {
        // Zeros cost nothing until they are something else; empty strings have to be written.
        let most = if call.register == Register::Text { KEYS_MAX.max(len.saturating_mul(64)) } else { usize::MAX };
        return (dictionary.len() <= most).then_some(parts);
    }
    let keys = parts.iter().try_fold(1usize, |keys, part| keys.checked_mul(part.values.count()));
    // For a few tuples a table of all results is too much.
    (!parts.is_empty() && keys.is_some_and(|keys| keys <= KEYS_MAX && keys <= len.saturating_mul(4))).then_some(parts)
}

impl Memo {
    /// Applies a function to arguments of few values.
    pub(super) fn evaluate(
        &mut self,
        call: &Call<'_>,
        arguments: &[&Vector],
        parts: Vec<Part>,
        len: usize,
        scratch: &mut Scratch,
        out: &mut Vector,
    ) -> Result<()> {
        self.start(parts, call.register);
        if self.known.is_empty() {
            out.set_values(&vec![Value::Null; len], call.register);
            return Ok(());
        }
        let varying: Vec<&Vector> = self.parts.iter().map(|part| arguments[part.argument]).collect();
        let nulls = strict_nulls(&varying, len, out);
        self.take_keys(arguments, len, nulls.is_some());
        if !call.checked && self.known.len() <= ALL_MAX {
            self.learn_all(call, arguments, scratch)?;
        } else {
            self.learn_new(call, arguments, nulls.as_ref(), scratch)?;
        }
        self.answer(nulls, len, out);
        Ok(())
    }

    /// Evaluates a condition that cannot fail, whose argument `at` has the strings of a dictionary and whose others are
    /// constants, for all of these.
    pub(super) fn learn_strings(
        &mut self,
        call: &Call<'_>,
        arguments: &[&Vector],
        at: usize,
        dictionary: &Arc<Dictionary>,
    ) -> Result<()> {
        let part = Part { argument: at, values: Values::Strings(Arc::clone(dictionary)) };
        self.start(vec![part], call.register);
        self.learn_all(call, arguments, &mut Scratch::default())
    }

    /// Which keys a condition holds for, if it is not NULL for any.
    pub(super) fn truth(&self) -> Option<&Bitmap> {
        match &self.results {
            Vector { data: VectorData::Bool(truth), nulls: None, .. } => Some(truth),
            _ => None,
        }
    }

    /// Forgets the results, unless they are of the same values.
    fn start(&mut self, parts: Vec<Part>, register: Register) {
        let same = |(a, b): (&Part, &Part)| a.argument == b.argument && a.values.is(&b.values);
        if !self.parts.is_empty() && self.parts.len() == parts.len() && self.parts.iter().zip(&parts).all(same) {
            return;
        }
        let count = parts.iter().map(|part| part.values.count()).product();
        self.parts = parts;
        self.known = Bitmap::new(count, false);
        self.dictionary = None;
        let data = match register {
            Register::Bool => VectorData::Bool(Bitmap::new(count, false)),
            Register::I32 => VectorData::I32(vec![0; count]),
            Register::I64 => VectorData::I64(vec![0; count]),
            Register::I128 => VectorData::I128(vec![0; count]),
            Register::F64 => VectorData::F64(vec![0.0; count]),
            Register::Interval => VectorData::Interval(vec![Default::default(); count]),
            Register::Vectors(length) => {
                let mut vectors = Vectors::new(length as usize);
                vectors.resize(count);
                VectorData::Vectors(vectors)
            }
            Register::Text => VectorData::Text(TextVector::of_empty(count)),
        };
        self.results = Vector { data, nulls: None, len: count, constant: false };
    }

    /// The keys of the tuples; with NULLs, what stands there may be outside of all values, and gets any key.
    fn take_keys(&mut self, arguments: &[&Vector], len: usize, nulls: bool) {
        let keys = &mut self.keys;
        keys.clear();
        for (place, part) in self.parts.iter().enumerate() {
            let (first, count) = (place == 0, part.values.count() as u32);
            let mut put = |at: usize, value: u32| {
                let value = if nulls && value >= count { 0 } else { value };
                if first {
                    keys.push(value);
                } else {
                    keys[at] = keys[at] * count + value;
                }
            };
            match (&part.values, &arguments[part.argument].data) {
                (_, VectorData::Code { codes, .. }) => codes.iter().enumerate().for_each(|(at, &code)| put(at, code)),
                (Values::Integers { low, .. }, VectorData::I32(values)) => {
                    let low = *low as u32;
                    values.iter().enumerate().for_each(|(at, &value)| put(at, (value as u32).wrapping_sub(low)));
                }
                (Values::Integers { low, .. }, VectorData::I64(values)) => {
                    let distance = |value: i64| u32::try_from(value.wrapping_sub(*low) as u64).unwrap_or(u32::MAX);
                    values.iter().enumerate().for_each(|(at, &value)| put(at, distance(value)));
                }
                _ => unreachable!("an argument has the values of its part"),
            }
        }
        debug_assert_eq!(keys.len(), len, "a key a tuple");
    }

    fn learn_all(&mut self, call: &Call<'_>, arguments: &[&Vector], scratch: &mut Scratch) -> Result<()> {
        if self.known.is_full() {
            return Ok(());
        }
        let all: Vec<u32> = (0..self.known.len() as u32).collect();
        self.learn(call, arguments, &all, scratch)?;
        self.known = Bitmap::new(all.len(), true);
        if let VectorData::Text(texts) = &self.results.data {
            self.dictionary = Some(sorted(texts));
        }
        Ok(())
    }

    /// Evaluates the keys of the tile that are new.
    fn learn_new(
        &mut self,
        call: &Call<'_>,
        arguments: &[&Vector],
        valid: Option<&Bitmap>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.known.is_full() {
            return Ok(());
        }
        let mut fresh = Vec::new();
        for (tuple, &key) in self.keys.iter().enumerate() {
            if !self.known.get(key as usize) && valid.is_none_or(|valid| valid.get(tuple)) {
                self.known.set(key as usize, true);
                fresh.push(key);
            }
        }
        if fresh.is_empty() {
            return Ok(());
        }
        self.learn(call, arguments, &fresh, scratch).inspect_err(|_| {
            fresh.iter().for_each(|&key| self.known.set(key as usize, false));
        })
    }

    /// Evaluates keys and keeps the results.
    fn learn(&mut self, call: &Call<'_>, arguments: &[&Vector], keys: &[u32], scratch: &mut Scratch) -> Result<()> {
        let mut given: Vec<Vector> = Vec::new();
        let mut digit = 1;
        for part in self.parts.iter().rev() {
            let mut values = part.values.of_keys(keys, digit);
            if call.types[part.argument] == DataType::Numeric {
                values.nulls = without_empty(&values);
            }
            given.push(values);
            digit *= part.values.count() as u32;
        }
        given.reverse();
        let mut all = arguments.to_vec();
        for (part, vector) in self.parts.iter().zip(&given) {
            all[part.argument] = vector;
        }
        let mut results = Vector::default();
        kernels::call(call, &all, keys.len(), scratch, &mut results)?;
        debug_assert!(call.result != DataType::Null || results.nulls.is_some(), "a value without a type is NULL");
        self.keep(&results, keys);
        Ok(())
    }

    fn keep(&mut self, results: &Vector, keys: &[u32]) {
        let count = self.known.len();
        for (tuple, &key) in keys.iter().enumerate() {
            let key = key as usize;
            if results.is_null(tuple) {
                self.results.nulls.get_or_insert_with(|| Bitmap::new(count, true)).set(key, false);
                continue;
            }
            let integer = || results.integer(tuple).expect("an integer where integers are kept");
            match (&mut self.results.data, &results.data) {
                (VectorData::Bool(bits), _) => bits.set(key, results.is_true(tuple)),
                (VectorData::I32(values), _) => values[key] = integer() as i32,
                (VectorData::I64(values), _) => values[key] = integer() as i64,
                (VectorData::I128(values), _) => values[key] = integer(),
                (VectorData::F64(values), VectorData::F64(from)) => values[key] = from[results.position(tuple)],
                (VectorData::Interval(values), VectorData::Interval(from)) => {
                    values[key] = from[results.position(tuple)];
                }
                (VectorData::Vectors(vectors), VectorData::Vectors(from)) => {
                    vectors.set_all(from, std::iter::once((key, results.position(tuple))));
                }
                (VectorData::Text(texts), _) => {
                    texts.replace(key, results.text(tuple).expect("a text where texts are kept"));
                }
                _ => unreachable!("a result is in its register"),
            }
        }
        if let VectorData::Text(texts) = &mut self.results.data {
            texts.share();
        }
    }

    /// The results for the keys of the tile.
    fn answer(&self, nulls: Option<Bitmap>, len: usize, out: &mut Vector) {
        match (&self.results.data, &self.dictionary) {
            (VectorData::Bool(truth), _) => {
                let mut bits = out.take_bool();
                fill_truth_of(&self.keys, &mut bits, |key| truth.get(key as usize));
                out.set(len, VectorData::Bool(bits), None);
            }
            (_, Some((dictionary, by_key))) => {
                let mut codes = out.take_codes();
                codes.extend(self.keys.iter().map(|&key| by_key[key as usize]));
                out.set(len, VectorData::Code { codes, dictionary: Arc::clone(dictionary) }, None);
            }
            (VectorData::Text(texts), _) => {
                let mut taken = out.take_text();
                taken.gather(texts, &self.keys);
                out.set(len, VectorData::Text(taken), None);
            }
            _ => {
                out.gather(&self.results, &self.keys);
                out.nulls = None;
            }
        }
        out.nulls = match &self.results.nulls {
            None => nulls,
            Some(valid) => {
                let mut known = Bitmap::default();
                fill_truth_of(&self.keys, &mut known, |key| valid.get(key as usize));
                if let Some(nulls) = &nulls {
                    known.and(nulls);
                }
                Some(known)
            }
        };
    }
}

impl Values {
    /// The values that stand for keys, in which they are the digit of this value.
    fn of_keys(&self, keys: &[u32], digit: u32) -> Vector {
        let count = self.count() as u32;
        let places = keys.iter().map(|&key| key / digit % count);
        let data = match self {
            Values::Strings(dictionary) => {
                let mut texts = TextVector::default();
                places.for_each(|code| texts.push(dictionary.get(code)));
                VectorData::Text(texts)
            }
            Values::Integers { low, register: Register::I32, .. } => {
                VectorData::I32(places.map(|place| (*low + i64::from(place)) as i32).collect())
            }
            Values::Integers { low, .. } => VectorData::I64(places.map(|place| *low + i64::from(place)).collect()),
        };
        let mut values = Vector::default();
        values.set(keys.len(), data, None);
        values
    }
}

/// Which texts are numbers, where some are empty: that is what NULL has in a dictionary.
fn without_empty(values: &Vector) -> Option<Bitmap> {
    let VectorData::Text(texts) = &values.data else { return None };
    let is_empty = |at: &usize| texts.bytes(*at).is_empty();
    let mut empty = (0..texts.len()).filter(is_empty).peekable();
    empty.peek()?;
    let mut valid = Bitmap::new(texts.len(), true);
    empty.for_each(|at| valid.set(at, false));
    Some(valid)
}

/// The dictionary of some strings, and the codes of the strings in it.
fn sorted(texts: &TextVector) -> (Arc<Dictionary>, Vec<u32>) {
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| texts.bytes(a as usize).cmp(texts.bytes(b as usize)));
    let mut codes = vec![0; texts.len()];
    let mut distinct: Vec<&str> = Vec::new();
    for place in order {
        let text = texts.get(place as usize);
        if distinct.last() != Some(&text) {
            distinct.push(text);
        }
        codes[place as usize] = distinct.len() as u32 - 1;
    }
    (Arc::new(Dictionary::new(distinct)), codes)
}
