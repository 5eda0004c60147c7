//! Sums of outer products beside the exact sums of products that were made, of data of every magnitude and in every form of groups.

use super::super::super::{Input, TileGroups};
use super::super::Memory;
use super::{LANES, PARTS_MAX, ROWS_MAX, part_count};
use crate::column::vectors::{Block, Vectors};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::state::vector_sum::VectorSums;
use crate::sums::exact_sum::ExactSum;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::meter;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

const GROUPS: usize = 3;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number with all the digits that a double has, of 1 to 2 without its sign.
    fn digits(&mut self) -> f64 {
        let bits = self.next();
        f64::from_bits((1023 << 52) | (bits >> 12)) * if bits & 1 == 0 { 1.0 } else { -1.0 }
    }
}

/// What the elements are.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// From 2^0 to below 2^(span + 1), all of one sign or not, in the middle of what there is or not.
    Span(u32, bool, i32),
    /// Each column of its own magnitude.
    Scaled,
    /// Small integers, most of them 0.
    Counts,
    /// Of every magnitude, and what is no number.
    Nasty,
}

fn element(random: &mut Random, data: Data, at: usize, length: usize) -> f64 {
    match data {
        Data::Span(span, is_signed, shift) => {
            let number = random.digits() * 2f64.powi((random.next() % u64::from(span + 1)) as i32 + shift);
            if is_signed { number } else { number.abs() }
        }
        Data::Scaled => random.digits() * 10f64.powi((at % length * 5) as i32 - 12),
        Data::Counts => (random.next() % 9) as f64 - 6.0,
        Data::Nasty => {
            let nasty =
                [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, f64::MAX, f64::MIN, 1e-160, 1e30];
            match random.next() % 40 {
                place @ 0..10 => nasty[place as usize],
                10..13 => random.digits() * 2f64.powi((random.next() % 300) as i32 - 150),
                _ => random.digits(),
            }
        }
    }
}

/// The elements of vectors, and which there are.
struct Column {
    length: usize,
    elements: Vec<f64>,
    valid: Vec<bool>,
}

impl Column {
    fn new(random: &mut Random, data: Data, (rows, length): (usize, usize), is_real: bool) -> Self {
        let of = |number: f64| if is_real { f64::from(number as f32) } else { number };
        let elements = (0..rows * length).map(|at| of(element(random, data, at, length))).collect();
        Column { length, elements, valid: (0..rows).map(|_| !random.next().is_multiple_of(11)).collect() }
    }

    fn vector(&self, is_real: bool) -> Vector {
        let block = match is_real {
            true => Block::F32(self.elements.iter().map(|&element| element as f32).collect()),
            false => Block::F64(self.elements.clone().into()),
        };
        let mut nulls = Bitmap::default();
        nulls.fill(self.valid.len(), |row| self.valid[row]);
        let mut vector = Vector::default();
        vector.set(self.valid.len(), VectorData::Vectors(Vectors::of_block(self.length, block)), Some(nulls));
        vector
    }
}

/// One NaN is as good as another.
fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn expected(left: &Column, right: &Column, is_real: bool, group: impl Fn(usize) -> usize) -> Vec<Option<Vec<u64>>> {
    let length = left.length * right.length;
    let mut sums = vec![vec![ExactSum::new(); length]; GROUPS];
    let mut seen = [false; GROUPS];
    for row in (0..left.valid.len()).filter(|&row| left.valid[row] && right.valid[row]) {
        seen[group(row)] = true;
        let sums = &mut sums[group(row)];
        for (i, a) in left.elements[row * left.length..][..left.length].iter().enumerate() {
            for (j, b) in right.elements[row * right.length..][..right.length].iter().enumerate() {
                let product = if is_real { f64::from(*a as f32 * *b as f32) } else { a * b };
                sums[i * right.length + j].add(product);
            }
        }
    }
    let bits = |sums: &Vec<ExactSum>| sums.iter().map(|sum| bits(sum.rounded(is_real))).collect();
    sums.iter().zip(seen).map(|(sums, seen)| seen.then(|| bits(sums))).collect()
}

fn shown(sums: VectorSums, is_real: bool) -> Vec<Option<Vec<u64>>> {
    let of = DataType::vector(if is_real { DataType::Real } else { DataType::Double }, sums.length() as u32);
    let groups = sums.groups();
    let column = sums.finish(of).expect("nothing fails").into_vector();
    let value = |group: usize| match column.value(group, of) {
        Value::Vector(elements) => Some(elements.iter().map(|&element| bits(element)).collect()),
        _ => None,
    };
    (0..groups).map(value).collect()
}

/// Checks sums of products of these shapes, of several tiles, in memory that was used before.
#[track_caller]
fn check(data: Data, rows: usize, (height, width): (usize, usize), is_real: bool, memory: &mut Memory) {
    let mut random = Random((rows * 1000 + height * 10 + width) as u64);
    let left = Column::new(&mut random, data, (rows, height), is_real);
    let right = Column::new(&mut random, data, (rows, width), is_real);
    let (l, r) = (left.vector(is_real), right.vector(is_real));
    let mixed: Vec<u32> = (0..rows).map(|row| (row * row % 7 % GROUPS) as u32).collect();
    let groupings = [vec![1; rows], mixed];
    for groups in &groupings {
        let group = |row: usize| groups[row] as usize;
        for (a, b, left, right) in [(&l, &r, &left, &right), (&l, &l, &left, &left)] {
            let mut sums = VectorSums::new(left.length * right.length, !is_real);
            sums.resize(GROUPS);
            let input = Input { groups: TileGroups::Each(groups, None), vector: Some(a), len: rows };
            sums.update_outer(&input, b, memory).expect("nothing fails");
            let what = format!("{data:?}, {rows} rows of {height} and {width}, real: {is_real}");
            assert!(shown(sums, is_real) == expected(left, right, is_real, group), "{what}");
        }
    }
}

#[test]
fn sums_of_outer_products_are_exact() {
    let mut memory = Memory::default();
    for is_real in [true, false] {
        for data in [Data::Nasty, Data::Span(6, true, 0), Data::Scaled, Data::Counts] {
            for shape in [(1, 1), (2, 3), (3, 8), (5, 9), (17, 1)] {
                for rows in [0, 1, 3, 4, 5, 31, 70] {
                    check(data, rows, shape, is_real, &mut memory);
                }
            }
            check(data, ROWS_MAX - 1, (9, 2), is_real, &mut memory);
            check(data, ROWS_MAX + 1, (2, 9), is_real, &mut memory);
            check(data, 2 * ROWS_MAX + 3, (3, 3), is_real, &mut memory);
        }
    }
}

#[test]
fn as_many_parts_as_the_magnitudes_need() {
    let mut memory = Memory::default();
    // Rows enough for a part's sum to have all its bits.
    let rows = 5 * ROWS_MAX / 2;
    for span in (0..48).chain([60, 66, 90, 140]) {
        for is_real in [true, false] {
            check(Data::Span(span, false, 0), rows, (1, 2), is_real, &mut memory);
        }
    }
    // Near the ends of what doubles, and reals, can be.
    for (shift, is_real) in
        [(500, false), (460, false), (-460, false), (-500, false), (-530, false), (60, true), (-60, true), (-75, true)]
    {
        check(Data::Span(9, true, shift), rows, (1, 2), is_real, &mut memory);
    }
}

#[test]
fn parts_of_spans() {
    let digits = |is_real: bool| (0..140).map(move |span| part_count(span, is_real));
    let first = |is_real: bool, count: Option<usize>| digits(is_real).position(|known| known == count);
    assert_eq!(
        [Some(1), Some(2), Some(3), None].map(|count| first(true, count)),
        [Some(0), Some(23), Some(67), Some(111)]
    );
    assert_eq!([Some(1), Some(2), Some(3), None].map(|count| first(false, count)), [None, Some(0), Some(38), Some(82)]);
    assert!(digits(true).flatten().all(|count| count <= PARTS_MAX));
}

#[test]
fn states_of_several_workers_merge() {
    let mut memory = Memory::default();
    let shape = (3, LANES + 1);
    for is_real in [true, false] {
        let mut merged = VectorSums::new(shape.0 * shape.1, !is_real);
        merged.resize(GROUPS);
        let mut all = [(); 2].map(|()| Column { length: 0, elements: Vec::new(), valid: Vec::new() });
        (all[0].length, all[1].length) = shape;
        for (seed, data) in [Data::Span(3, true, 20), Data::Nasty, Data::Span(3, true, -20)].into_iter().enumerate() {
            let mut random = Random(seed as u64);
            let mut sums = VectorSums::new(shape.0 * shape.1, !is_real);
            sums.resize(GROUPS);
            let left = Column::new(&mut random, data, (300, shape.0), is_real);
            let right = Column::new(&mut random, data, (300, shape.1), is_real);
            let (l, r) = (left.vector(is_real), right.vector(is_real));
            sums.update_outer(&Input { groups: TileGroups::One, vector: Some(&l), len: 300 }, &r, &mut memory)
                .expect("nothing fails");
            merged.merge(&sums, [(0, 1)].into_iter()).expect("nothing fails");
            for (all, one) in all.iter_mut().zip([left, right]) {
                all.elements.extend(one.elements);
                all.valid.extend(one.valid);
            }
        }
        assert!(shown(merged, is_real) == expected(&all[0], &all[1], is_real, |_| 1), "real: {is_real}");
    }
}

#[test]
fn constants_and_vectors_of_the_other_type() {
    let mut random = Random(3);
    // Doubles that are exactly reals, and reals where doubles are asked for.
    for (is_real, is_stored_as_real) in [(true, false), (false, true)] {
        let left = Column::new(&mut random, Data::Span(4, true, 0), (50, 3), true);
        let right = Column::new(&mut random, Data::Span(4, true, 0), (1, 2), true);
        let constant = Vector { constant: true, len: 50, nulls: None, ..right.vector(is_stored_as_real) };
        let mut sums = VectorSums::new(6, !is_real);
        sums.resize(GROUPS);
        let vector = left.vector(is_stored_as_real);
        let input = Input { groups: TileGroups::One, vector: Some(&vector), len: 50 };
        sums.update_outer(&input, &constant, &mut Memory::default()).expect("nothing fails");
        let repeated = Column { length: 2, elements: right.elements.repeat(50), valid: vec![true; 50] };
        assert!(shown(sums, is_real) == expected(&left, &repeated, is_real, |_| 0), "real: {is_real}");
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
fn a_cancel_is_heard_within_a_tile() {
    // One vector many times: millions of products.
    let column = Column { length: 100, elements: vec![0.7; 100], valid: vec![true] };
    let one = column.vector(false);
    let vector = Vector { constant: true, len: 2_000, nulls: None, ..one };
    for groups in [vec![0; 2_000], (0..2_000).map(|row| row / 2).collect::<Vec<u32>>()] {
        let mut sums = VectorSums::new(10_000, true);
        sums.resize(1_000);
        let input = Input { groups: TileGroups::Each(&groups, None), vector: Some(&vector), len: 2_000 };
        let _entered = meter::enter(Arc::new(Cancelled));
        let outcome = sums.update_outer(&input, &vector, &mut Memory::default());
        assert_eq!(outcome.map_err(|error| error.kind()), Err(ErrorKind::Cancelled));
    }
}
