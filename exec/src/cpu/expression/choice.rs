//! Lazy functions: AND, OR, CASE and COALESCE.
//!
//! An argument that cannot fail is computed for all tuples, which is cheaper than choosing. One that may fail is
//! computed only for the tuples that need it: they become a level of their own, and its values are spread back.

use crate::Result;
use crate::column::Dictionary;
use crate::column::vectors::Vectors;
use crate::cpu::expression::tile::Tile;
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::bitmap::{Bitmap, each_one};
use crate::cpu::vector::numerics::NumericVector;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::nodes::Node;
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

impl<'a> Tile<'a> {
    /// Gives `read` the values of a node for the tuples that need it; at others stands anything.
    fn with<R>(&mut self, number: u32, needed: &Bitmap, read: impl FnOnce(&Vector) -> R) -> Result<R> {
        let node = self.node(number);
        let computed = self.levels[self.depth - 1].computed[number as usize];
        if computed || (!node.volatile && !node.may_fail) || needed.is_full() {
            self.ensure_numerics(number)?;
            return Ok(read(self.top(number)));
        }
        let spread = self.spread(number, needed)?;
        Ok(read(&spread))
    }

    /// The values of a node, evaluated for some tuples only, in the places of those tuples.
    fn spread(&mut self, number: u32, needed: &Bitmap) -> Result<Vector> {
        let (len, register) = (self.len(), self.node(number).register);
        let mut spread = Vector::default();
        let mut positions = Vec::new();
        needed.push_positions(&mut positions);
        if positions.is_empty() {
            spread.set_constant(len, &Value::Null, register);
            return Ok(spread);
        }
        let mark = self.depth();
        self.select(&positions);
        self.ensure_numerics(number)?;
        let mut places = vec![0; len];
        for (place, &position) in positions.iter().enumerate() {
            places[position as usize] = place as u32;
        }
        spread.gather(self.top(number), &places);
        self.truncate(mark);
        Ok(spread)
    }

    /// AND and OR. An argument is *decisive* where it is FALSE (for OR: TRUE); there, those behind it do not matter.
    pub(super) fn connect(
        &mut self,
        function: Function,
        arguments: &[u32],
        len: usize,
        out: &mut Vector,
    ) -> Result<()> {
        let decisive = function == Function::Or;
        // Open: no argument was decisive so far. Neutral: all were TRUE (for OR: FALSE) so far.
        let (mut open, mut neutral) = (Bitmap::new(len, true), Bitmap::new(len, true));
        let (mut truth, mut falsity) = (Bitmap::default(), Bitmap::default());
        for &argument in arguments {
            self.with(argument, &open, |vector| truths(vector, len, &mut truth, &mut falsity))?;
            let (decided, passed) = if decisive { (&truth, &falsity) } else { (&falsity, &truth) };
            open.and_not(decided);
            neutral.and(passed);
        }
        // Decided where not open; else known only where neutral.
        let mut nulls = None;
        let mut unknown = open.clone();
        unknown.and_not(&neutral);
        if unknown.count_ones() > 0 {
            unknown.invert();
            nulls = Some(unknown);
        }
        let mut bits = out.take_bool();
        bits.copy_from(if decisive { &open } else { &neutral });
        if decisive {
            bits.invert();
        }
        out.set(len, VectorData::Bool(bits), nulls);
        Ok(())
    }

    pub(super) fn case(&mut self, node: &Node, arguments: &[u32], len: usize, out: &mut Vector) -> Result<()> {
        let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
        let mut chosen = Chosen::new(node, len, out);
        let mut open = Bitmap::new(len, true);
        let (mut truth, mut falsity) = (Bitmap::default(), Bitmap::default());
        for branch in branches.chunks_exact(2) {
            self.with(branch[0], &open, |vector| truths(vector, len, &mut truth, &mut falsity))?;
            truth.and(&open);
            self.with(branch[1], &truth, |vector| chosen.take(&truth, vector))?;
            open.and_not(&truth);
        }
        self.with(otherwise[0], &open, |vector| chosen.take(&open, vector))?;
        chosen.finish(out);
        Ok(())
    }

    pub(super) fn coalesce(&mut self, node: &Node, arguments: &[u32], len: usize, out: &mut Vector) -> Result<()> {
        let mut chosen = Chosen::new(node, len, out);
        let mut open = Bitmap::new(len, true);
        for &argument in arguments {
            let valid = self.with(argument, &open, |vector| {
                let mut valid = open.clone();
                match &vector.nulls {
                    Some(nulls) if vector.constant && !nulls.get(0) => valid.reset(len, false),
                    Some(nulls) if !vector.constant => valid.and(nulls),
                    _ => {}
                }
                chosen.take(&valid, vector);
                valid
            })?;
            open.and_not(&valid);
            if open.count_ones() == 0 {
                break;
            }
        }
        chosen.finish(out);
        Ok(())
    }
}

/// Where a vector of booleans is TRUE and where it is FALSE.
pub(super) fn truths(vector: &Vector, len: usize, truth: &mut Bitmap, falsity: &mut Bitmap) {
    if vector.constant {
        truth.reset(len, vector.is_true(0));
        falsity.reset(len, !vector.is_true(0) && !vector.is_null(0));
        return;
    }
    let VectorData::Bool(bits) = &vector.data else { unreachable!("conditions are booleans") };
    truth.copy_from(bits);
    falsity.copy_from(bits);
    falsity.invert();
    if let Some(valid) = &vector.nulls {
        truth.and(valid);
        falsity.and(valid);
    }
}

/// A vector that is put together from parts of others. What no part fills is NULL.
struct Chosen {
    values: Values,
    valid: Bitmap,
}

enum Values {
    Bool(Bitmap),
    I32(Vec<i32>),
    I64(Vec<i64>),
    I128(Vec<i128>),
    F64(Vec<f64>),
    Interval(Vec<multiloop_planner::value::Interval>),
    Vectors(Vectors),
    /// As long as all are numbers; then texts.
    Numerics(NumericVector),
    /// Strings in the order in which they came, and which of them each tuple has.
    Text(TextVector, Vec<u32>),
    /// As long as all are strings of one dictionary; then texts.
    Codes(Vec<u32>, Arc<Dictionary>),
}

impl Chosen {
    /// In the memory of `out`.
    fn new(node: &Node, len: usize, out: &mut Vector) -> Self {
        /// So many of a value, in memory that is there.
        fn filled<T: Clone>(mut values: Vec<T>, len: usize, value: T) -> Vec<T> {
            values.resize(len, value);
            values
        }
        let values = match node.register {
            Register::Text if node.data_type == DataType::Numeric => {
                let mut numbers = out.take_numerics();
                numbers.zeros(len);
                Values::Numerics(numbers)
            }
            Register::Bool => Values::Bool(Bitmap::new(len, false)),
            Register::I32 => Values::I32(filled(out.take_i32(), len, 0)),
            Register::I64 => Values::I64(filled(out.take_i64(), len, 0)),
            Register::I128 => Values::I128(filled(out.take_i128(), len, 0)),
            Register::F64 => Values::F64(filled(out.take_f64(), len, 0.0)),
            Register::Interval => Values::Interval(vec![Default::default(); len]),
            Register::Vectors(length) => {
                let mut vectors = out.take_vectors(length as usize);
                vectors.resize(len);
                Values::Vectors(vectors)
            }
            Register::Text => {
                let mut texts = TextVector::default();
                texts.push("");
                Values::Text(texts, vec![0; len])
            }
        };
        Chosen { values, valid: Bitmap::new(len, false) }
    }

    /// Takes the values of a vector at these tuples.
    fn take(&mut self, at: &Bitmap, vector: &Vector) {
        let len = at.len();
        let mut valid = at.clone();
        if let Some(nulls) = &vector.nulls {
            if vector.constant {
                valid.reset(len, false);
            } else {
                valid.and(nulls);
            }
        }
        let each = |take: &mut dyn FnMut(usize, usize)| {
            for (word, &bits) in valid.words().iter().enumerate() {
                let mut rest = bits;
                while rest != 0 {
                    let tuple = word * 64 + rest.trailing_zeros() as usize;
                    take(tuple, vector.position(tuple));
                    rest &= rest - 1;
                }
            }
        };
        let integer = |tuple: usize| vector.integer(tuple).expect("an integer where integers are chosen");
        if let Values::Numerics(numbers) = &mut self.values {
            let mut fits = true;
            each(&mut |tuple, at| {
                let number = match &vector.data {
                    VectorData::Numerics(from) => Some(from.get(at)),
                    _ => vector.text(tuple).and_then(SmallNumeric::decode),
                };
                fits &= number.is_some_and(|number| numbers.set(tuple, number));
            });
            if fits {
                self.valid.or(&valid);
                return;
            }
            self.settle();
        }
        self.take_dictionary(&valid, vector);
        match (&mut self.values, &vector.data) {
            (Values::Codes(out, _), VectorData::Code { codes, .. }) => choose(out, codes, &valid, vector.constant),
            (Values::Bool(out), VectorData::Bool(from)) => each(&mut |tuple, at| out.set(tuple, from.get(at))),
            (Values::I32(out), VectorData::I32(from)) => choose(out, from, &valid, vector.constant),
            (Values::I64(out), VectorData::I64(from)) => choose(out, from, &valid, vector.constant),
            (Values::I128(out), VectorData::I128(from)) => choose(out, from, &valid, vector.constant),
            (Values::F64(out), VectorData::F64(from)) => choose(out, from, &valid, vector.constant),
            (Values::I32(out), _) => each(&mut |tuple, _| out[tuple] = integer(tuple) as i32),
            (Values::I64(out), _) => each(&mut |tuple, _| out[tuple] = integer(tuple) as i64),
            (Values::I128(out), _) => each(&mut |tuple, _| out[tuple] = integer(tuple)),
            (Values::Interval(out), VectorData::Interval(from)) => each(&mut |tuple, at| out[tuple] = from[at]),
            (Values::Vectors(out), VectorData::Vectors(from)) => choose_vectors(out, from, &valid, vector),
            (Values::Text(texts, which), VectorData::Numerics(from)) => {
                let mut text = String::new();
                each(&mut |tuple, at| {
                    text.clear();
                    from.get(at).encode_into(&mut text);
                    texts.push(&text);
                    which[tuple] = (texts.len() - 1) as u32;
                });
            }
            (Values::Text(texts, which), _) => each(&mut |tuple, _| {
                texts.push(vector.text(tuple).expect("a text where texts are chosen"));
                which[tuple] = (texts.len() - 1) as u32;
            }),
            // NULL without a type has no valid tuple.
            _ => {}
        }
        self.valid.or(&valid);
    }

    /// Begins with codes of a dictionary where the first strings have one, and ends with them where others do not have it.
    fn take_dictionary(&mut self, valid: &Bitmap, vector: &Vector) {
        if valid.count_ones() == 0 {
            return;
        }
        match (&self.values, &vector.data) {
            (Values::Codes(_, own), VectorData::Code { dictionary, .. }) if Arc::ptr_eq(own, dictionary) => {}
            (Values::Codes(..), _) => self.settle(),
            (Values::Text(..), VectorData::Code { dictionary, .. }) if self.valid.count_ones() == 0 => {
                self.values = Values::Codes(vec![0; valid.len()], Arc::clone(dictionary));
            }
            _ => {}
        }
    }

    /// Makes the numbers or the codes that were taken texts.
    fn settle(&mut self) {
        let (mut texts, mut text) = (TextVector::default(), String::new());
        if let Values::Codes(codes, dictionary) = &self.values {
            for (position, &code) in codes.iter().enumerate() {
                texts.push(if self.valid.get(position) { dictionary.get(code) } else { "" });
            }
            self.values = Values::Text(texts, (0..self.valid.len() as u32).collect());
            return;
        }
        let Values::Numerics(numbers) = &self.values else { return };
        for position in 0..numbers.len() {
            text.clear();
            if self.valid.get(position) {
                numbers.get(position).encode_into(&mut text);
            }
            texts.push(&text);
        }
        self.values = Values::Text(texts, (0..numbers.len() as u32).collect());
    }

    fn finish(self, out: &mut Vector) {
        let len = self.valid.len();
        let nulls = (!self.valid.is_full()).then_some(self.valid);
        let data = match self.values {
            Values::Bool(values) => VectorData::Bool(values),
            Values::I32(values) => VectorData::I32(values),
            Values::I64(values) => VectorData::I64(values),
            Values::I128(values) => VectorData::I128(values),
            Values::F64(values) => VectorData::F64(values),
            Values::Interval(values) => VectorData::Interval(values),
            Values::Vectors(vectors) => VectorData::Vectors(vectors),
            Values::Numerics(numbers) => VectorData::Numerics(numbers),
            Values::Codes(codes, dictionary) => VectorData::Code { codes, dictionary },
            Values::Text(texts, which) => {
                let mut taken = out.take_text();
                taken.gather(&texts, &which);
                VectorData::Text(taken)
            }
        };
        out.set(len, data, nulls);
    }
}

/// Puts the vectors whose bit is set in their places.
fn choose_vectors(out: &mut Vectors, from: &Vectors, at: &Bitmap, vector: &Vector) {
    let mut positions = Vec::new();
    at.push_positions(&mut positions);
    out.set_all(from, positions.into_iter().map(|tuple| (tuple as usize, vector.position(tuple as usize))));
}

/// Copies the values whose bit is set.
fn choose<T: Copy>(out: &mut [T], from: &[T], at: &Bitmap, constant: bool) {
    for ((block, &bits), start) in out.chunks_mut(64).zip(at.words()).zip((0..).step_by(64)) {
        // Few are copied one by one; else each is one or the other, without a branch.
        if bits.count_ones() < 8 {
            each_one(bits, |at| block[at] = from[if constant { 0 } else { start + at }]);
        } else if constant {
            let value = from[0];
            vectorised(|| {
                let values = block.iter_mut().enumerate();
                values.for_each(|(at, out)| *out = if bits >> at & 1 == 1 { value } else { *out });
            });
        } else {
            let from = &from[start..start + block.len()];
            vectorised(|| {
                let values = block.iter_mut().zip(from).enumerate();
                values.for_each(|(at, (out, &value))| *out = if bits >> at & 1 == 1 { value } else { *out });
            });
        }
    }
}
