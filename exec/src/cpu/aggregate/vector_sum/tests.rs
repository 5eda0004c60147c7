//! Sums of vectors beside the exact sum of each position, in every form of groups and order of merges.

use super::super::{Input, TileGroups};
use crate::column::vectors::{Block, Vectors};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::partial::state::vector_sum::VectorSums;
use crate::sums::exact_sum::ExactSum;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

const LENGTH: usize = 5;
const GROUPS: usize = 3;

/// Numbers of every magnitude, and what is none.
const NASTY: [f64; 20] = [
    1.0,
    -0.1,
    123_456.78,
    0.0,
    -0.0,
    3.7e5,
    -2.5e-3,
    1e18,
    1e-7,
    -7.0,
    1e-300,
    5e-324,
    -1e150,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::MIN,
    1.0,
    f64::INFINITY,
    f64::NAN,
    f64::NEG_INFINITY,
];

/// Vectors of so many rows: elements of the first `kinds` of the nasty ones.
fn elements(rows: usize, kinds: usize, is_real: bool, seed: usize) -> Vec<f64> {
    let element = |at: usize| {
        let value = NASTY[(at * 7 + at / 11 + seed) % kinds] * (1.0 - (at % 97) as f64 / 128.0);
        if is_real { f64::from(value as f32) } else { value }
    };
    (0..rows * LENGTH).map(element).collect()
}

fn vector(elements: &[f64], is_real: bool, valid: impl Fn(usize) -> bool) -> Vector {
    let rows = elements.len() / LENGTH;
    let block = match is_real {
        true => Block::F32(elements.iter().map(|&element| element as f32).collect()),
        false => Block::F64(elements.to_vec().into()),
    };
    let mut nulls = Bitmap::default();
    nulls.fill(rows, valid);
    let mut vector = Vector::default();
    vector.set(rows, VectorData::Vectors(Vectors::of_block(LENGTH, block)), Some(nulls));
    vector
}

fn group_of(row: usize) -> u32 {
    (row * row % 7 % GROUPS) as u32
}

fn sums_of(is_real: bool, parts: &[Vec<f64>], valid: &dyn Fn(usize) -> bool) -> VectorSums {
    let mut sums = VectorSums::new(LENGTH, !is_real);
    sums.resize(GROUPS);
    for part in parts {
        let groups: Vec<u32> = (0..part.len() / LENGTH).map(group_of).collect();
        let vector = vector(part, is_real, valid);
        let input = Input { groups: TileGroups::Each(&groups, None), vector: Some(&vector), len: groups.len() };
        sums.update(&input, None, &mut Default::default()).expect("nothing fails");
    }
    sums
}

fn expected(parts: &[Vec<f64>], is_real: bool, valid: &dyn Fn(usize) -> bool) -> Vec<Option<Vec<u64>>> {
    let mut sums = vec![vec![ExactSum::new(); LENGTH]; GROUPS];
    let mut seen = [false; GROUPS];
    for part in parts {
        for (row, elements) in part.chunks(LENGTH).enumerate().filter(|(row, _)| valid(*row)) {
            let group = group_of(row) as usize;
            seen[group] = true;
            sums[group].iter_mut().zip(elements).for_each(|(sum, &element)| sum.add(element));
        }
    }
    let bits = |sums: &Vec<ExactSum>| sums.iter().map(|sum| bits(sum.rounded(is_real))).collect();
    sums.iter().zip(seen).map(|(sums, seen)| seen.then(|| bits(sums))).collect()
}

/// One NaN is as good as another.
fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn shown(sums: VectorSums, is_real: bool) -> Vec<Option<Vec<u64>>> {
    let groups = sums.groups();
    let of = if is_real { DataType::Real } else { DataType::Double };
    let column = sums.finish(DataType::vector(of, LENGTH as u32)).expect("nothing fails").into_vector();
    let value = |group: usize| match column.value(group, DataType::vector(of, LENGTH as u32)) {
        Value::Vector(elements) => Some(elements.iter().map(|&element| bits(element)).collect()),
        _ => None,
    };
    (0..groups).map(value).collect()
}

#[test]
fn sums_of_vectors_are_exact_position_by_position() {
    for is_real in [true, false] {
        for kinds in [1, 3, 5, 7, 10, 14, 17, NASTY.len()] {
            for rows in [0, 1, 7, 64, 1025] {
                let valid = |row: usize| row % 13 != 5;
                let parts: Vec<Vec<f64>> =
                    (0..3).map(|part| elements(rows, if part == 0 { 1 } else { kinds }, is_real, part)).collect();
                let all = expected(&parts, is_real, &valid);
                let what = format!("{kinds} kinds of {rows} rows, real: {is_real}");
                assert_eq!(shown(sums_of(is_real, &parts, &valid), is_real), all, "{what}");
                // Each by itself, merged both ways: units differ.
                for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                    let mut merged = VectorSums::new(LENGTH, !is_real);
                    merged.resize(GROUPS);
                    for part in order {
                        let one = sums_of(is_real, &parts[part..=part], &valid);
                        merged.merge(&one, (0..GROUPS).map(|group| (group, group))).expect("nothing fails");
                    }
                    assert_eq!(shown(merged.clone(), is_real), all, "{what}, merged {order:?}");
                    let reversed: Vec<_> = all.iter().rev().cloned().collect();
                    assert_eq!(shown(merged.take(&[2, 1, 0]), is_real), reversed, "{what}, taken");
                }
            }
        }
    }
}

/// What numbers of one magnitude become once in so many.
const ODD: [f64; 10] = [0.0, -0.0, 1e-30, 1e9, 1e-9, 3e38, 5e-324, f64::INFINITY, f64::NAN, f64::NEG_INFINITY];

/// Sums of vectors of a length, in blocks of rows: with an odd element once in so many, by groups in turns or in runs, with factors.
/// Whether the last block was added as one.
fn sums_in_blocks(length: usize, (is_real, are_reals): (bool, bool), once_in: usize, seed: usize) -> bool {
    let (rows, groups) = (700, 1 + seed % 4);
    let element = |at: usize| {
        let value = ((at * 7919 + seed) % 1999) as f64 / 500.0 - 2.0;
        let value = value * (1.0 + (at * at % 31) as f64 / 7.0);
        let value = if at % once_in == once_in - 1 { ODD[at / once_in % ODD.len()] } else { value };
        if are_reals { f64::from(value as f32) } else { value }
    };
    let elements: Vec<f64> = (0..rows * length).map(element).collect();
    let block = match are_reals {
        true => Block::F32(elements.iter().map(|&element| element as f32).collect()),
        false => Block::F64(elements.clone().into()),
    };
    let mut vector = Vector::default();
    vector.set(rows, VectorData::Vectors(Vectors::of_block(length, block)), None);
    let group_of: Vec<u32> = (0..rows)
        .map(|row| if seed.is_multiple_of(2) { row * 7 % groups } else { row * groups / rows } as u32)
        .collect();
    let factors: Vec<f64> = (0..rows).map(|row| (row % 37) as f64 / 41.0 + 0.1).collect();
    let mut numbers = Vector::default();
    numbers.set(rows, VectorData::F64(factors.clone()), None);
    let numbers = (!seed.is_multiple_of(3)).then_some(&numbers);

    let mut sums = VectorSums::new(length, !is_real);
    sums.resize(groups);
    let input = Input { groups: TileGroups::Each(&group_of, None), vector: Some(&vector), len: rows };
    let mut memory = super::Memory::default();
    sums.update(&input, numbers, &mut memory).expect("nothing fails");
    let mut exact = vec![ExactSum::new(); groups * length];
    for (row, elements) in elements.chunks(length).enumerate() {
        for (position, &element) in elements.iter().enumerate() {
            let product = match (numbers, is_real) {
                (None, _) => element,
                (_, true) => f64::from(element as f32 * factors[row] as f32),
                (_, false) => element * factors[row],
            };
            exact[group_of[row] as usize * length + position].add(product);
        }
    }
    for (at, exact) in exact.iter().enumerate() {
        let sum = sums.rounded(at / length, at % length, is_real);
        let what = format!("position {at} of {length}, {groups} groups, odd once in {once_in}, seed {seed}");
        assert_eq!(bits(sum), bits(exact.rounded(is_real)), "{what}");
    }
    memory.block.has_added()
}

#[test]
fn blocks_of_rows_are_added_exactly() {
    for (number, length) in [1, 7, 8, 9, 16, 100].into_iter().enumerate() {
        for kind in [(true, true), (false, false), (false, true)] {
            for seed in 0..6 {
                assert!(
                    sums_in_blocks(length, kind, usize::MAX, seed + number),
                    "a block of {length}: {kind:?}, {seed}"
                );
                for once_in in [1, 2, 50, 997, 5000] {
                    sums_in_blocks(length, kind, once_in, seed);
                }
            }
        }
    }
}

#[test]
fn levels_give_way_before_they_overflow() {
    let parts = vec![elements(500, 3, true, 0); 4];
    let mut sums = VectorSums::new(LENGTH, false);
    sums.resize(GROUPS);
    let groups: Vec<u32> = (0..500).map(group_of).collect();
    for (part, more) in parts.iter().zip([0, 1 << 26, 1 << 27, u64::MAX]) {
        sums.split(more).expect("nothing fails");
        let vector = vector(part, true, |_| true);
        let input = Input { groups: TileGroups::Each(&groups, None), vector: Some(&vector), len: 500 };
        sums.update(&input, None, &mut Default::default()).expect("nothing fails");
    }
    assert_eq!(shown(sums, true), expected(&parts, true, &|_| true));
}

#[test]
fn one_group_and_no_rows() {
    let vector = vector(&elements(10, 3, true, 1), true, |row| row == 4);
    let mut sums = VectorSums::new(LENGTH, false);
    sums.resize(1);
    let input = Input { groups: TileGroups::One, vector: Some(&vector), len: 10 };
    sums.update(&input, None, &mut Default::default()).expect("nothing fails");
    let only = &elements(10, 3, true, 1)[4 * LENGTH..5 * LENGTH];
    assert_eq!(shown(sums, true), [Some(only.iter().map(|&element| bits(element + 0.0)).collect())]);
    let nothing = VectorSums::new(LENGTH, false);
    assert!(shown(nothing, true).is_empty());
}

#[test]
fn products_with_numbers_are_those_of_the_elements() {
    // Reals of reals, doubles of doubles, doubles of reals.
    for (is_real, stored_reals) in [(true, true), (false, false), (false, true)] {
        let elements = elements(300, 5, stored_reals, 2);
        let factors: Vec<f64> = (0..300).map(|row| [0.1, -3.0, 1e-9, 0.0, 7.25][row % 5]).collect();
        let mut numbers = Vector::default();
        let mut known = Bitmap::default();
        known.fill(300, |row| row % 17 != 3);
        numbers.set(300, VectorData::F64(factors.clone()), Some(known));
        let vector = vector(&elements, stored_reals, |row| row % 13 != 5);
        let groups: Vec<u32> = (0..300).map(group_of).collect();
        let mut sums = VectorSums::new(LENGTH, !is_real);
        sums.resize(GROUPS);
        let input = Input { groups: TileGroups::Each(&groups, None), vector: Some(&vector), len: 300 };
        sums.update(&input, Some(&numbers), &mut Default::default()).expect("nothing fails");
        let product = |(at, &element): (usize, &f64)| match is_real {
            true => f64::from(element as f32 * factors[at / LENGTH] as f32),
            false => element * factors[at / LENGTH],
        };
        let products: Vec<f64> = elements.iter().enumerate().map(product).collect();
        let valid = |row: usize| row % 13 != 5 && row % 17 != 3;
        assert_eq!(shown(sums, is_real), expected(&[products], is_real, &valid));
    }
}
