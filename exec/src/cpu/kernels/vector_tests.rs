//! Kernels of vectors against the definition of what functions mean: nasty elements, vectors of one element and of many, tiles whose
//! rows do not fill all lanes, in blocks of their own type and of the other one, constant or not, with garbage under NULLs. Results
//! agree to the last bit.

use super::{Call, Scratch, call};
use crate::column::vectors::{Block, Vectors};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::register_of;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::{Function as F, VectorFunction as V};
use multiloop_planner::meter;
use multiloop_planner::types::DataType as T;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// An element, nasty once in so many.
    fn element(&mut self, of: T, nasty: u64) -> f64 {
        const NASTY: [f64; 14] = [
            0.0,
            -0.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e-45,
            -1e-40,
            5e-324,
            3.4e38,
            -1e300,
            1e19,
            88.8,
            -104.0,
            16_777_216.0,
        ];
        let element = match self.below(nasty) {
            0 => NASTY[self.below(NASTY.len() as u64) as usize],
            _ => (self.below(2_000_001) as f64 - 1e6) / 7e4,
        };
        if of == T::Real { f64::from(element as f32) } else { element }
    }
}

/// An argument: its values, and the same as a vector.
struct Argument {
    data_type: T,
    values: Vec<Value>,
    vector: Vector,
}

impl Argument {
    fn value(&self, tuple: usize) -> Value {
        self.values[self.vector.position(tuple)].clone()
    }

    /// The first value for all tuples.
    fn constant(mut self, len: usize) -> Self {
        (self.vector.constant, self.vector.len) = (true, len);
        self
    }
}

/// How the vectors of an argument are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// In a block of their type, in order.
    Column,
    /// The same, in another order.
    Gathered,
    /// In a block of doubles.
    Doubles,
    /// In a block of reals, which all of the elements are, whatever their type.
    Reals,
    /// In blocks of both types by turns, and of reals there, in another order.
    Mixed,
}

fn vectors(random: &mut Random, of: T, length: usize, len: usize, form: Form) -> Argument {
    let nasty = [1, 5, 40, u64::MAX][random.below(4) as usize];
    let are_reals = |row: usize| form == Form::Reals || (form == Form::Mixed && row % 3 != 1);
    let of_row = |row: usize| if are_reals(row) { T::Real } else { of };
    let mut element = |row: usize| random.element(of_row(row), nasty);
    let elements: Vec<Vec<f64>> = (0..len).map(|row| (0..length).map(|_| element(row)).collect()).collect();
    let all = || elements.iter().flatten().copied();
    let reals = || Block::F32(all().map(|element| element as f32).collect::<Vec<f32>>().into());
    let data = match form {
        Form::Reals => {
            let mut stored = Vectors::of_block(length, reals());
            stored.set_wide();
            stored
        }
        Form::Mixed => {
            let doubles = Block::F64(all().collect::<Vec<f64>>().into());
            let mut stored = Vectors::new(length);
            let blocks = [stored.add_block(&reals()), stored.add_block(&doubles)];
            let row = |row: usize| Some((blocks[usize::from(!are_reals(row))], row as u32));
            stored.extend_from((0..len).map(row));
            stored
        }
        Form::Doubles => Vectors::of_block(length, Block::F64(all().collect::<Vec<f64>>().into())),
        Form::Column | Form::Gathered => {
            let rows: Vec<usize> = if form == Form::Column { (0..len).collect() } else { (0..len).rev().collect() };
            let stored = || rows.iter().flat_map(|&row| &elements[row]).copied();
            let block = match of {
                T::Real => Block::F32(stored().map(|element| element as f32).collect::<Vec<f32>>().into()),
                _ => Block::F64(stored().collect::<Vec<f64>>().into()),
            };
            let stored = Vectors::of_block(length, block);
            if form == Form::Column {
                stored
            } else {
                let mut gathered = Vectors::new(length);
                gathered.append(&stored, (0..len).rev());
                gathered
            }
        }
    };
    let mut valid = Bitmap::default();
    valid.fill(len, |_| random.below(6) > 0);
    let with_nulls = random.below(2) == 0;
    let value = |(row, elements): (usize, &Vec<f64>)| match with_nulls && !valid.get(row) {
        true => Value::Null,
        false => Value::vector(&elements[..]),
    };
    let values = elements.iter().enumerate().map(value).collect();
    let nulls = with_nulls.then_some(valid);
    let vector = Vector { data: VectorData::Vectors(data), nulls, len, constant: false };
    Argument { data_type: T::vector(of, length as u32), values, vector }
}

fn plain(data_type: T, values: Vec<Value>, register: Register) -> Argument {
    let mut vector = Vector::default();
    vector.set_values(&values, register);
    Argument { data_type, values, vector }
}

fn numbers(random: &mut Random, len: usize) -> Argument {
    let value = |_| if random.below(6) == 0 { Value::Null } else { Value::Float(random.element(T::Double, 3)) };
    plain(T::Double, (0..len).map(value).collect(), Register::F64)
}

fn places(random: &mut Random, length: usize, len: usize) -> Argument {
    let all = [i64::MIN, -1, 0, 1, 2, length as i64, length as i64 + 1, i64::MAX];
    let value = |_| match random.below(9) {
        8 => Value::Null,
        at => Value::Int(all[at as usize]),
    };
    plain(T::BigInt, (0..len).map(value).collect(), Register::I64)
}

/// The same to the last bit, but for NaN.
fn same(a: &Value, b: &Value) -> bool {
    let float = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => float(*a, *b),
        (Value::Vector(a), Value::Vector(b)) => a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| float(*a, *b)),
        _ => a == b,
    }
}

/// Checks a call of a function, which has to have a kernel.
fn check(function: F, result: T, arguments: &[Argument], len: usize) {
    let types: Vec<T> = arguments.iter().map(|argument| argument.data_type).collect();
    let register = match result {
        T::Integer => Register::I32,
        vector if let Some((_, length)) = vector.vector_of() => Register::Vectors(length),
        _ => Register::F64,
    };
    let vectors: Vec<&Vector> = arguments.iter().map(|argument| &argument.vector).collect();
    let made = Call { function, types: &types, result, register, checked: false };
    // What was there before does not show.
    let mut out = Vector::default();
    out.set_values(&[Value::Int(7), Value::Null], Register::I64);
    call(&made, &vectors, len, &mut Scratch::default(), &mut out).expect("it cannot fail");
    assert_eq!(out.register(), register, "{function:?}");
    for tuple in 0..len {
        let values: Vec<Value> = arguments.iter().map(|argument| argument.value(tuple)).collect();
        let expected = evaluate(function, &values, &types, result).expect("it cannot fail");
        let value = out.value(tuple, result);
        assert!(same(&value, &expected), "{function:?} of {values:?} is {value:?}, not {expected:?}");
    }
}

const FORMS: [Form; 5] = [Form::Column, Form::Gathered, Form::Doubles, Form::Reals, Form::Mixed];

/// One of the forms.
fn form(random: &mut Random) -> Form {
    FORMS[random.below(FORMS.len() as u64) as usize]
}

/// Lengths of vectors and of tiles.
const SHAPES: [(usize, usize); 14] = [
    (1, 1),
    (1, 70),
    (2, 3),
    (3, 4),
    (7, 5),
    (8, 8),
    (9, 33),
    (15, 31),
    (16, 6),
    (127, 9),
    (128, 4),
    (129, 7),
    (1000, 2),
    (16_000, 3),
];

#[test]
fn functions_of_two_vectors() {
    let mut random = Random(1);
    let all = V::ALL.into_iter().filter(|&function| function.is_measure());
    let each = [V::Add, V::Subtract, V::Multiply, V::Divide, V::Greatest, V::Least, V::Concatenate];
    for function in all.chain(each) {
        for (length, len) in SHAPES {
            if function == V::Concatenate && length > 8_000 {
                continue;
            }
            // Every pair of forms once; where vectors are long, some.
            let pairs = FORMS.into_iter().flat_map(|form| FORMS.map(|other| (form, other)));
            let mut pairs: Vec<(Form, Form)> = pairs.collect();
            if length * len > 300 {
                pairs = vec![(form(&mut random), form(&mut random)), (form(&mut random), form(&mut random))];
            }
            let all = pairs.into_iter().flat_map(|pair| [T::Real, T::Double].map(|of| (of, pair)));
            for (of, (form, other)) in all {
                let result = match function {
                    V::Concatenate => T::vector(of, 2 * length as u32),
                    measure if measure.is_measure() => T::Double,
                    _ => T::vector(of, length as u32),
                };
                let mut pair =
                    || [vectors(&mut random, of, length, len, form), vectors(&mut random, of, length, len, other)];
                check(F::Vector(function), result, &pair(), len);
                let [a, b] = pair();
                check(F::Vector(function), result, &[a, b.constant(len)], len);
                let [a, b] = pair();
                check(F::Vector(function), result, &[a.constant(len), b], len);
            }
        }
    }
}

#[test]
fn outer_products() {
    let mut random = Random(5);
    for ((length, other), len) in [((1, 1), 70), ((2, 3), 33), ((7, 1), 5), ((1, 9), 5), ((16, 17), 6), ((120, 130), 3)]
    {
        for of in [T::Real, T::Double] {
            let (form, second) = (form(&mut random), form(&mut random));
            let result = T::vector(of, (length * other) as u32);
            let mut pair =
                || [vectors(&mut random, of, length, len, form), vectors(&mut random, of, other, len, second)];
            check(F::Vector(V::OuterProduct), result, &pair(), len);
            let [a, b] = pair();
            check(F::Vector(V::OuterProduct), result, &[a, b.constant(len)], len);
            let [a, b] = pair();
            check(F::Vector(V::OuterProduct), result, &[a.constant(len), b], len);
        }
    }
}

#[test]
fn functions_of_matrices() {
    let mut random = Random(6);
    let shapes = [((1, 1), 1), ((1, 5), 7), ((3, 1), 2), ((8, 3), 5), ((17, 9), 16), ((40, 33), 30), ((9, 1000), 1)];
    for (((rows, inner), columns), len) in shapes.into_iter().zip([70, 33, 5, 9, 8, 3, 4]) {
        for of in [T::Real, T::Double] {
            let mut of_length = |length: usize| {
                let form = form(&mut random);
                vectors(&mut random, of, length, len, form)
            };
            let result = |length: usize| T::vector(of, length as u32);
            let size = |size: usize| plain(T::Integer, vec![Value::Int(size as i64)], Register::I32).constant(len);
            let (vector, product) = (F::Vector(V::MatrixVector), F::Vector(V::MatrixProduct));
            check(vector, result(rows), &[of_length(rows * inner), of_length(inner)], len);
            check(vector, result(rows), &[of_length(rows * inner).constant(len), of_length(inner)], len);
            check(vector, result(rows), &[of_length(rows * inner), of_length(inner).constant(len)], len);
            let (left, right) = (of_length(rows * inner), of_length(inner * columns));
            check(product, result(rows * columns), &[left, right, size(inner)], len);
            let (left, right) = (of_length(rows * inner).constant(len), of_length(inner * columns));
            check(product, result(rows * columns), &[left, right, size(inner)], len);
            let transposed = F::Vector(V::MatrixTranspose);
            check(transposed, result(rows * inner), &[of_length(rows * inner), size(rows)], len);
        }
    }
}

#[test]
fn vectors_beside_numbers() {
    let mut random = Random(2);
    for function in [V::Add, V::Subtract, V::Multiply, V::Divide] {
        for (length, len) in SHAPES {
            for of in [T::Real, T::Double] {
                let form = form(&mut random);
                let result = T::vector(of, length as u32);
                let (vector, number) = (vectors(&mut random, of, length, len, form), numbers(&mut random, len));
                check(F::Vector(function), result, &[vector, number], len);
                let (vector, number) = (vectors(&mut random, of, length, len, form), numbers(&mut random, len));
                check(F::Vector(function), result, &[number.constant(len), vector], len);
            }
        }
    }
}

#[test]
fn functions_of_one_vector() {
    let mut random = Random(3);
    let of_each = [V::Negate, V::Abs, V::Exp, V::Ln, V::SquareRoot, V::HyperbolicTangent, V::Sigmoid, V::Normalize];
    let doubles = [V::Sum, V::Min, V::Max, V::Norm];
    let integers = [V::ArgMin, V::ArgMax, V::Dimensions];
    for (length, len) in SHAPES {
        for of in [T::Real, T::Double] {
            let same = T::vector(of, length as u32);
            let functions = of_each.map(|function| (function, same)).into_iter();
            let functions = functions.chain(doubles.map(|function| (function, T::Double)));
            for (function, result) in functions.chain(integers.map(|function| (function, T::Integer))) {
                let form = form(&mut random);
                check(F::Vector(function), result, &[vectors(&mut random, of, length, len, form)], len);
            }
            let form = form(&mut random);
            let (vector, place) = (vectors(&mut random, of, length, len, form), places(&mut random, length, len));
            check(F::Vector(V::Element), of, &[vector, place], len);
            for (start, count) in [(1, length), (2, length), (0, 1), (length, 1), (length + 1, 2)] {
                let start = plain(T::Integer, vec![Value::Int(start as i64)], Register::I32).constant(len);
                let vector = vectors(&mut random, of, length, len, form);
                check(F::Vector(V::Part), T::vector(of, count as u32), &[vector, start], len);
            }
            for to in [T::Real, T::Double] {
                let vector = vectors(&mut random, of, length, len, form);
                check(F::Cast, T::vector(to, length as u32), &[vector], len);
            }
        }
    }
}

/// A statement that was cancelled.
#[derive(Debug)]
struct Cancelled;

impl meter::Statement for Cancelled {
    fn check(&self) -> Result<()> {
        Err(Error::new(ErrorKind::Cancelled, "canceling statement due to user request"))
    }

    fn reserve(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn release(&self, _: usize) {}
}

#[test]
fn every_kernel_hears_a_cancel_within_a_tile() {
    let _entered = meter::enter(Arc::new(Cancelled));
    // One vector many times: millions of elements, in no memory.
    let (length, len) = (8_000, 512);
    let tile = |of: T| {
        let one = vectors(&mut Random(4), of, length, 1, Form::Column);
        let VectorData::Vectors(one) = &one.vector.data else { unreachable!("made of vectors") };
        let mut all = Vectors::new(length);
        all.gather(one, std::iter::repeat_n(0, len));
        Vector { data: VectorData::Vectors(all), len, ..Vector::default() }
    };
    let numbers = Vector { data: VectorData::F64(vec![0.5; len]), len, ..Vector::default() };
    let start = Vector { data: VectorData::I32(vec![2; len]), len, ..Vector::default() };
    let pair = Vector {
        data: VectorData::Vectors(Vectors::of_values(2, &vec![Value::vector(vec![0.5; 2]); len])),
        len,
        ..Vector::default()
    };
    let (half, double) = (T::vector(T::Real, length as u32 / 2), T::vector(T::Double, length as u32));
    for (of, to) in [(T::Real, double), (T::Double, T::vector(T::Real, length as u32))] {
        let (vector, data_type) = (tile(of), T::vector(of, length as u32));
        let constant = Vector { constant: true, ..tile(of) };
        let check = |function: F, types: &[T], result: T, arguments: &[&Vector]| {
            let call = Call { function, types, result, register: register_of(result), checked: false };
            let done = super::call(&call, arguments, len, &mut Scratch::default(), &mut Vector::default());
            assert_eq!(done.map_err(|error| error.kind()), Err(ErrorKind::Cancelled), "{function:?}");
        };
        for function in V::ALL {
            let (types, arguments) = ([data_type, data_type], [&vector, &vector]);
            let with_constant = [&vector, &constant];
            match function {
                V::Dimensions | V::Element => {}
                V::Part => check(F::Vector(function), &[data_type, T::Integer], half, &[&vector, &start]),
                V::Concatenate => check(F::Vector(function), &types, T::vector(of, 2 * length as u32), &arguments),
                V::MatrixVector => {
                    let types = [data_type, T::vector(of, 2)];
                    check(F::Vector(function), &types, T::vector(of, length as u32 / 2), &[&vector, &pair]);
                }
                V::MatrixProduct => {
                    let (types, result) = ([data_type, T::vector(of, 2), T::Integer], T::vector(of, length as u32 / 2));
                    check(F::Vector(function), &types, result, &[&vector, &pair, &start]);
                }
                V::MatrixTranspose => {
                    check(F::Vector(function), &[data_type, T::Integer], data_type, &[&vector, &start]);
                }
                V::OuterProduct => {
                    let types = [data_type, T::vector(of, 2)];
                    check(F::Vector(function), &types, T::vector(of, 2 * length as u32), &[&vector, &pair]);
                }
                measure if measure.is_measure() => {
                    check(F::Vector(measure), &types, T::Double, &arguments);
                    check(F::Vector(measure), &types, T::Double, &with_constant);
                }
                V::Sum | V::Min | V::Max | V::Norm => {
                    check(F::Vector(function), &[data_type], T::Double, &[&vector]);
                }
                V::ArgMin | V::ArgMax => check(F::Vector(function), &[data_type], T::Integer, &[&vector]),
                V::Add | V::Subtract | V::Multiply | V::Divide => {
                    check(F::Vector(function), &types, data_type, &arguments);
                    check(F::Vector(function), &[data_type, T::Double], data_type, &[&vector, &numbers]);
                }
                V::Greatest | V::Least => check(F::Vector(function), &types, data_type, &arguments),
                _ => check(F::Vector(function), &[data_type], data_type, &[&vector]),
            }
        }
        // To doubles nothing is computed.
        if of == T::Double {
            check(F::Cast, &[data_type], to, &[&vector]);
        }
        check(F::Cast, &[data_type], T::Text, &[&vector]);
    }
}
