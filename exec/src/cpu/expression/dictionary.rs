//! Functions of one dictionary column and constants, evaluated once per distinct string.
//!
//! A memo keeps the results by code. Only codes that tuples have are evaluated, so an error is raised only for a
//! string that is reached. A condition that cannot fail is evaluated for all codes, and then asked of a column in its
//! physical form: where few runs of codes pass, a comparison each.

use super::node::{Node, Operation};
use crate::Result;
use crate::column::{Column, ColumnData, Dictionary};
use crate::cpu::bitmap::Bitmap;
use crate::cpu::kernels::mask::Lane;
use crate::cpu::kernels::{self, Call, Scratch, fill_truth, fill_truth_of, strict_nulls};
use crate::cpu::tile::{Rows, Tile};
use crate::cpu::vector::{Register, TextVector, Vector, VectorData};
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Results per code of one dictionary.
#[derive(Debug, Default)]
pub(super) struct Memo {
    dictionary: Option<Arc<Dictionary>>,
    known: Bitmap,
    results: Results,
}

#[derive(Debug)]
enum Results {
    /// TRUE, and not NULL.
    Bool(Bitmap, Bitmap),
    Values(Vec<Value>),
}

impl Default for Results {
    fn default() -> Self {
        Results::Values(Vec::new())
    }
}

/// Distinct strings for which a condition is evaluated before it is known which of them there are.
const ALL_MAX: usize = 1 << 12;

/// Runs of codes that pass, each of which costs a pass over the column, at most.
const RUNS_MAX: usize = 4;

/// Applies a condition on one dictionary column that has not been loaded and constants, if it is such: false if not.
pub(super) fn holds(
    tile: &mut Tile<'_>,
    (number, node): (u32, &Node),
    function: Function,
    arguments: &[u32],
    out: &mut Vector,
) -> Result<bool> {
    if node.register != Register::Bool || node.may_fail || node.volatile || sees_null(function) {
        return Ok(false);
    }
    let mut varying = (0..arguments.len()).filter(|&at| tile.node(arguments[at]).reach > 0);
    let (Some(at), None) = (varying.next(), varying.next()) else { return Ok(false) };
    let Operation::Column { index, field, optional: false } = tile.node(arguments[at]).operation else {
        return Ok(false);
    };
    for &argument in arguments.iter().filter(|&&argument| argument != arguments[at]) {
        tile.ensure(argument)?;
    }
    let Some(column) = tile.sources[index].as_ref().and_then(|source| source.column(field)) else { return Ok(false) };
    let (ColumnData::Dictionary8 { dictionary, .. }
    | ColumnData::Dictionary16 { dictionary, .. }
    | ColumnData::Dictionary32 { dictionary, .. }) = &column.data
    else {
        return Ok(false);
    };
    if tile.levels[tile.depth - 1].computed[arguments[at] as usize] || dictionary.len() > ALL_MAX {
        return Ok(false);
    }
    let mut memo = tile.caches.memos.remove(&number).unwrap_or_default();
    let known = memo.learn_all(tile, node, function, (arguments, at), dictionary);
    let rows = &tile.tuples().rows[index];
    let done = known.map(|()| memo.holds(column, rows, tile.len(), out));
    tile.caches.memos.insert(number, memo);
    done
}

/// Which argument is the one with codes, if all others are constants and the function gives NULL for NULL.
pub(super) fn argument(function: Function, arguments: &[&Vector]) -> Option<usize> {
    let mut varying = arguments.iter().enumerate().filter(|(_, argument)| !argument.constant);
    let (at, argument) = varying.next()?;
    let is_code = matches!(argument.data, VectorData::Code { .. });
    (varying.next().is_none() && is_code && !sees_null(function)).then_some(at)
}

/// Whether a function may be other than NULL where an argument is NULL.
fn sees_null(function: Function) -> bool {
    use Function as F;
    matches!(
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
    )
}

/// Applies a function whose argument `text` has codes.
pub(super) fn evaluate(
    call: &Call<'_>,
    arguments: &[&Vector],
    text: usize,
    len: usize,
    memo: &mut Memo,
    scratch: &mut Scratch,
    out: &mut Vector,
) -> Result<()> {
    let VectorData::Code { codes, dictionary } = &arguments[text].data else { unreachable!("checked by the caller") };
    memo.start(dictionary, call.register);
    memo.learn(call, arguments, text, codes, scratch)?;
    match &memo.results {
        Results::Bool(truth, valid) => {
            let strict = arguments[text].nulls.as_ref();
            let is_valid = |tuple: usize| strict.is_none_or(|nulls| nulls.get(tuple));
            let mut bits = out.take_bool();
            match strict {
                None => fill_truth_of(codes, &mut bits, |code| truth.get(code as usize)),
                Some(_) => bits.fill(len, |tuple| is_valid(tuple) && truth.get(codes[tuple] as usize)),
            }
            let mut nulls = strict_nulls(&arguments[text..=text], len, out);
            if !valid.is_full() {
                let mut taken = nulls.unwrap_or_default();
                taken.fill(len, |tuple| is_valid(tuple) && valid.get(codes[tuple] as usize));
                nulls = Some(taken);
            }
            out.set(len, VectorData::Bool(bits), nulls);
        }
        Results::Values(results) => {
            let value = |tuple: usize| {
                if arguments[text].is_null(tuple) { Value::Null } else { results[codes[tuple] as usize].clone() }
            };
            let values: Vec<Value> = (0..len).map(value).collect();
            out.set_values(&values, call.register);
        }
    }
    Ok(())
}

/// The truth of the codes at these rows.
fn truth_of<U: Lane + Into<u32>>(codes: &[U], rows: &Rows, len: usize, truth: &Bitmap, bits: &mut Bitmap) {
    // What stands at a NULL may be no code.
    let holds =
        |code: U| truth.words().get(code.into() as usize / 64).is_some_and(|word| word >> (code.into() % 64) & 1 == 1);
    match rows {
        Rows::Range(start) => {
            let codes = &codes[*start as usize..*start as usize + len];
            match runs(truth) {
                Some(runs) => {
                    bits.reset(len, false);
                    let mut run_bits = Bitmap::default();
                    for (first, last) in runs {
                        let (Ok(first), Ok(span)) =
                            (U::try_from(u64::from(first)), U::try_from(u64::from(last - first)))
                        else {
                            continue;
                        };
                        U::within(codes, first, span, &mut run_bits);
                        bits.or(&run_bits);
                    }
                }
                None => fill_truth_of(codes, bits, holds),
            }
        }
        Rows::List(list) => fill_truth(len, bits, |tuple| holds(codes[list[tuple] as usize])),
    }
}

/// The first and the last of each run of codes that pass, if these are few.
fn runs(truth: &Bitmap) -> Option<Vec<(u32, u32)>> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for code in (0..truth.len()).filter(|&code| truth.get(code)) {
        let code = code as u32;
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => runs.push((code, code)),
        }
        if runs.len() > RUNS_MAX {
            return None;
        }
    }
    Some(runs)
}

impl Memo {
    fn start(&mut self, dictionary: &Arc<Dictionary>, register: Register) {
        if self.dictionary.as_ref().is_some_and(|known| Arc::ptr_eq(known, dictionary)) {
            return;
        }
        let len = dictionary.len();
        self.known.reset(len, false);
        self.results = match register {
            Register::Bool => Results::Bool(Bitmap::new(len, false), Bitmap::new(len, true)),
            _ => Results::Values(vec![Value::Null; len]),
        };
        self.dictionary = Some(Arc::clone(dictionary));
    }

    /// Evaluates all codes for a condition that cannot fail, whose argument `at` has them and whose others are constants.
    fn learn_all(
        &mut self,
        tile: &Tile<'_>,
        node: &Node,
        function: Function,
        (arguments, at): (&[u32], usize),
        dictionary: &Arc<Dictionary>,
    ) -> Result<()> {
        self.start(dictionary, Register::Bool);
        if self.known.is_full() {
            return Ok(());
        }
        let all: Vec<u32> = (0..dictionary.len() as u32).collect();
        let mut codes = Vector::default();
        let data = VectorData::Code { codes: all.clone(), dictionary: Arc::clone(dictionary) };
        codes.set(all.len(), data, None);
        let vector = |(place, &argument): (usize, &u32)| if place == at { &codes } else { tile.top(argument) };
        let vectors: Vec<&Vector> = arguments.iter().enumerate().map(vector).collect();
        let types: Vec<DataType> = arguments.iter().map(|&argument| tile.node(argument).data_type).collect();
        let call =
            Call { function, types: &types, result: node.data_type, register: Register::Bool, checked: node.may_fail };
        self.learn(&call, &vectors, at, &all, &mut Scratch::default())
    }

    /// The truth at the rows of a column whose codes are all known; false if it may be NULL elsewhere than at a NULL.
    fn holds(&self, column: &Column, rows: &Rows, len: usize, out: &mut Vector) -> bool {
        let Results::Bool(truth, valid) = &self.results else { return false };
        if !valid.is_full() {
            return false;
        }
        let mut bits = out.take_bool();
        match &column.data {
            ColumnData::Dictionary8 { codes, .. } => truth_of(codes, rows, len, truth, &mut bits),
            ColumnData::Dictionary16 { codes, .. } => truth_of(codes, rows, len, truth, &mut bits),
            ColumnData::Dictionary32 { codes, .. } => truth_of(codes, rows, len, truth, &mut bits),
            _ => return false,
        }
        let nulls = column.nulls.as_ref().map(|nulls| {
            let mut valid = out.take_nulls();
            match rows {
                Rows::Range(start) => super::load::slice_bits(nulls.inner(), *start as usize, len, &mut valid),
                Rows::List(list) => valid.fill(len, |tuple| nulls.is_valid(list[tuple] as usize)),
            }
            valid
        });
        out.set(len, VectorData::Bool(bits), nulls);
        true
    }

    /// Evaluates the codes that are new.
    fn learn(
        &mut self,
        call: &Call<'_>,
        arguments: &[&Vector],
        text: usize,
        codes: &[u32],
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.known.is_full() {
            return Ok(());
        }
        let mut fresh = Vec::new();
        for (tuple, &code) in codes.iter().enumerate() {
            if !arguments[text].is_null(tuple) && !self.known.get(code as usize) {
                self.known.set(code as usize, true);
                fresh.push(code);
            }
        }
        if fresh.is_empty() {
            return Ok(());
        }
        let results = self.apply(call, arguments, text, &fresh, scratch).inspect_err(|_| {
            fresh.iter().for_each(|&code| self.known.set(code as usize, false));
        })?;
        for (at, &code) in fresh.iter().enumerate() {
            match &mut self.results {
                Results::Bool(truth, valid) => {
                    truth.set(code as usize, results.is_true(at));
                    valid.set(code as usize, !results.is_null(at));
                }
                Results::Values(values) => values[code as usize] = results.value(at, call.result),
            }
        }
        Ok(())
    }

    fn apply(
        &self,
        call: &Call<'_>,
        arguments: &[&Vector],
        text: usize,
        codes: &[u32],
        scratch: &mut Scratch,
    ) -> Result<Vector> {
        let dictionary = self.dictionary.as_ref().expect("set by start");
        let mut texts = TextVector::default();
        codes.iter().for_each(|&code| texts.push(dictionary.get(code)));
        let mut strings = Vector::default();
        strings.set(codes.len(), VectorData::Text(texts), None);
        let all: Vec<&Vector> =
            arguments.iter().enumerate().map(|(at, &argument)| if at == text { &strings } else { argument }).collect();
        let mut results = Vector::default();
        kernels::call(call, &all, codes.len(), scratch, &mut results)?;
        debug_assert!(call.result != DataType::Null || results.nulls.is_some(), "a value without a type is NULL");
        Ok(results)
    }
}
