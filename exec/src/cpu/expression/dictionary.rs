//! Functions of one dictionary column and constants, evaluated once per distinct string.
//!
//! A memo keeps the results by code. Only codes that tuples have are evaluated, so an error is raised only for a
//! string that is reached.

use crate::Result;
use crate::column::Dictionary;
use crate::cpu::bitmap::Bitmap;
use crate::cpu::kernels::{self, Call, Scratch, strict_nulls};
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

/// Which argument is the one with codes, if all others are constants and the function gives NULL for NULL.
pub(super) fn argument(function: Function, arguments: &[&Vector]) -> Option<usize> {
    use Function as F;
    let mut varying = arguments.iter().enumerate().filter(|(_, argument)| !argument.constant);
    let (at, argument) = varying.next()?;
    let is_code = matches!(argument.data, VectorData::Code { .. });
    let sees_null = matches!(
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
    );
    (varying.next().is_none() && is_code && !sees_null).then_some(at)
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
            bits.fill(len, |tuple| is_valid(tuple) && truth.get(codes[tuple] as usize));
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
