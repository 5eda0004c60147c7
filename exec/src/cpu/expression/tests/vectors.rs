//! Random expressions of vectors over columns of them: reals and doubles, NULLs, nasty elements, parts of tiles. Values agree with the
//! definition to the last bit.

use super::*;
use multiloop_planner::function::{Function as F, MathFunction as M, VectorFunction as V};
use multiloop_planner::types::DataType as T;

/// Elements of each vector.
const LENGTHS: [u32; 4] = [1, 3, 8, 130];

/// Rows of tables: a block of lanes, words of masks and tiles, and one less and more.
const ROWS: [usize; 10] = [0, 1, 3, 4, 5, 63, 64, 65, 300, 2049];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn pick<A: Copy>(&mut self, from: &[A]) -> A {
        from[self.below(from.len() as u64) as usize]
    }

    fn element(&mut self, of: T) -> f64 {
        let nasty = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-45, 3e38, 1e300];
        let element = match self.below(8) {
            0 => self.pick(&nasty),
            _ => (self.below(20_001) as f64 - 1e4) / 700.0,
        };
        if of == T::Real { f64::from(element as f32) } else { element }
    }

    fn value(&mut self, data_type: T) -> Value {
        match data_type.vector_of() {
            _ if self.below(8) == 0 => Value::Null,
            Some((of, length)) => Value::Vector((0..length).map(|_| self.element(of)).collect()),
            None if data_type == T::Integer => Value::Int(self.below(6) as i64 - 1),
            None => Value::Float(self.element(data_type)),
        }
    }
}

/// The columns: reals, reals, doubles, a number, a place.
fn columns(length: u32) -> [T; 5] {
    let of = |element| T::vector(element, length);
    [of(T::Real), of(T::Real), of(T::Double), T::Double, T::Integer]
}

struct Maker<'r> {
    random: &'r mut Random,
    scalars: Scalars,
    columns: [T; 5],
}

impl Maker<'_> {
    fn leaf(&mut self, t: T) -> ScalarId {
        let fitting: Vec<u32> = (0..5).filter(|&at| self.columns[at as usize] == t).collect();
        if fitting.is_empty() || self.random.below(4) == 0 {
            let value = self.random.value(t);
            return self.scalars.constant(value, t);
        }
        let field = self.random.pick(&fitting);
        self.scalars.column(IndexId(0), field, t)
    }

    fn call(&mut self, function: V, types: &[T], result: T, depth: u32) -> ScalarId {
        let arguments = types.iter().map(|&t| self.make(t, depth)).collect();
        self.scalars.call(F::Vector(function), arguments, result)
    }

    fn make(&mut self, t: T, depth: u32) -> ScalarId {
        if depth == 0 || self.random.below(6) == 0 {
            return self.leaf(t);
        }
        let depth = depth - 1;
        let vector = self.random.pick(&[self.columns[0], self.columns[2]]);
        match t.vector_of() {
            Some(_) => self.vector(t, depth),
            None if t == T::Integer => {
                let function = self.random.pick(&[V::ArgMin, V::ArgMax, V::Dimensions]);
                self.call(function, &[vector], t, depth)
            }
            None if t == T::Real => self.call(V::Element, &[self.columns[0], T::Integer], t, depth),
            None => match self.random.below(4) {
                3 => {
                    let number = self.make(t, depth);
                    self.scalars.call(F::Math(M::Sigmoid), vec![number], t)
                }
                0 => {
                    let function = self.random.pick(&[V::Sum, V::Min, V::Max, V::Norm]);
                    self.call(function, &[vector], t, depth)
                }
                1 => self.call(V::Element, &[self.columns[2], T::Integer], t, depth),
                _ => {
                    let measures: Vec<V> = V::ALL.into_iter().filter(|function| function.is_measure()).collect();
                    let function = self.random.pick(&measures);
                    self.call(function, &[vector, vector], t, depth)
                }
            },
        }
    }

    fn vector(&mut self, t: T, depth: u32) -> ScalarId {
        match self.random.below(6) {
            0 => {
                let each = [V::Negate, V::Abs, V::Exp, V::Ln, V::SquareRoot, V::Sigmoid, V::Normalize];
                let function = self.random.pick(&each);
                self.call(function, &[t], t, depth)
            }
            1 => {
                let function = self.random.pick(&[V::Add, V::Subtract, V::Multiply, V::Divide]);
                let sides = if self.random.below(2) == 0 { [t, T::Double] } else { [T::Double, t] };
                self.call(function, &sides, t, depth)
            }
            2 => {
                let argument = self.make(self.columns[2], depth);
                self.scalars.call(F::Cast, vec![argument], t)
            }
            3 => {
                let arguments = vec![self.make(t, depth), self.make(t, depth)];
                self.scalars.call(F::Coalesce, arguments, t)
            }
            4 => {
                let number = self.make(T::Double, depth);
                let zero = self.scalars.constant(Value::Float(0.0), T::Double);
                let condition = self.scalars.call(F::Less, vec![number, zero], T::Boolean);
                let arguments = vec![condition, self.make(t, depth), self.make(t, depth)];
                self.scalars.call(F::Case, arguments, t)
            }
            _ => {
                let function = self.random.pick(&[V::Add, V::Subtract, V::Multiply, V::Divide, V::Greatest, V::Least]);
                self.call(function, &[t, t], t, depth)
            }
        }
    }
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

#[test]
fn values_are_those_of_the_definition() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let columns = columns(random.pick(&LENGTHS));
        let count = random.pick(&ROWS);
        let rows: Vec<Vec<Value>> =
            (0..count).map(|_| columns.iter().map(|&column| random.value(column)).collect()).collect();
        let mut maker = Maker { random: &mut random, scalars: Scalars::default(), columns };
        let types = [columns[0], columns[2], T::Double, T::Real, T::Integer];
        let roots: Vec<ScalarId> = types.iter().map(|&t| maker.make(t, 3)).collect();
        let scalars = maker.scalars;
        let fields = (0..5).map(|at| Field::new(format!("c{at}"), columns[at], true)).collect();
        let storage = random.pick(&[Storage::Compact, Storage::Keep]);
        let case = Case::new(fields, rows, storage, scalars, &roots);
        let (expressions, _) = case.expressions(&roots);
        with_tile(&case, &expressions, |tile| {
            // All rows, a part of them, and some of them.
            let first = if count > 2 { random.below(count as u64 / 2) as usize } else { 0 };
            let some: Vec<u32> = (0..(count - first) as u32).filter(|_| random.below(3) > 0).collect();
            tile.start(first as u32, count - first);
            let is_selected = random.below(2) == 0;
            if is_selected {
                tile.select(&some);
            }
            let row = |at: usize| first + if is_selected { some[at] as usize } else { at };
            for &root in &roots {
                let t = case.program.scalars.data_type(root);
                tile.evaluate(root).expect("functions of vectors cannot fail");
                for at in 0..tile.len() {
                    let expected = reference::value(&case.program.scalars, root, &case.rows[row(at)]);
                    let (value, expected) = (tile.vector(root).value(at, t), expected.expect("likewise"));
                    assert!(same(&value, &expected), "seed {seed}, row {}: {value:?}, not {expected:?}", row(at));
                }
            }
        });
    }
}
